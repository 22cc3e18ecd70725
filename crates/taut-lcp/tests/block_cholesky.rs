//! The factor of a matrix of blocks, and its inverse seen through rows.

use taut_lcp::BlockCholesky;
use taut_lcp::generate::Rng;

/// W against solves, row by row, with rows left out.
#[test]
fn block_cholesky_gives_the_inverse_seen_through_rows() {
    let mut rng = Rng::new(3);
    let (n, size) = (40, 3);
    let (mut col_ptr, mut row_idx) = (vec![0], Vec::new());
    for j in 0..n as u32 {
        row_idx.push(j);
        row_idx.extend((j + 1..n as u32).filter(|_| rng.uniform() < 0.1));
        col_ptr.push(row_idx.len() as u32);
    }
    let mut blocks = Vec::new();
    for j in 0..n {
        for &i in &row_idx[col_ptr[j] as usize..col_ptr[j + 1] as usize] {
            for (r, c) in (0..size).flat_map(|r| (0..size).map(move |c| (r, c))) {
                let diagonal = i as usize == j && r == c;
                blocks.push(if diagonal { 30.0 } else { rng.uniform() - 0.5 });
            }
        }
    }
    let mut a = BlockCholesky::new(&col_ptr, &row_idx, size).expect("a pattern");
    a.factor(&blocks, |i| i % 7 != 0).expect("positive definite");
    let m = 21;
    let rows: Vec<Vec<(u32, f64)>> = (0..m)
        .map(|_| (0..4).map(|_| ((rng.index(16) * 7 + 1) as u32, rng.uniform())).collect())
        .collect();
    let mut w = vec![0.0; m * m];
    a.add_inverse(m, |i| &rows[i], &mut w).expect("sizes fit");
    for i in 0..m {
        let mut x = vec![0.0; n * size];
        rows[i].iter().for_each(|&(c, v)| x[c as usize] += v);
        a.solve(&mut x);
        for j in 0..m {
            let exact: f64 = rows[j].iter().map(|&(c, v)| v * x[c as usize]).sum();
            assert!((w[i * m + j] - exact).abs() < 1e-15, "{i} {j}");
            assert_eq!(w[i * m + j], w[j * m + i]);
        }
    }
}

#[test]
fn block_cholesky_refuses_what_makes_no_sense() {
    assert!(BlockCholesky::new(&[], &[], 3).is_err());
    assert!(BlockCholesky::new(&[0, 1], &[1], 3).is_err());
    assert!(BlockCholesky::new(&[0, 2, 3], &[0, 2, 1], 3).is_err());
    let mut a = BlockCholesky::new(&[0, 1], &[0], 1).expect("a pattern");
    assert!(a.factor(&[0.0, 1.0], |_| true).is_err());
    assert!(a.factor(&[-1.0], |_| true).is_err());
    assert!(a.factor(&[f64::NAN], |_| true).is_err());
    assert!(a.factor(&[1.0], |_| true).is_ok());
    assert!(a.add_inverse(1, |_| &[(1, 1.0)], &mut [0.0]).is_err());
}
