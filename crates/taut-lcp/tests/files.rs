//! Problems survive writing and reading bit by bit.

use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, RngSeed};
use taut_lcp::generate::{MultibodyOptions, multibody};
use taut_lcp::io::matrix_market::{
    read_folder, read_texts, read_vector, write_folder, write_texts, write_vector,
};
use taut_lcp::{Dense, Law, Operator, Problem, Sparse};

/// Any finite number: every exponent, subnormals and zeros of both signs.
fn finite() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
}

fn bounds() -> impl Strategy<Value = (f64, f64)> {
    let bound = prop_oneof![finite(), Just(f64::INFINITY), Just(f64::NEG_INFINITY)];
    (bound.clone(), bound)
        .prop_map(|(a, b)| (a.min(b), a.max(b)))
        .prop_filter("a finite value", |b| b.0 < f64::INFINITY && b.1 > f64::NEG_INFINITY)
}

fn operator(n: usize) -> impl Strategy<Value = Operator> {
    let dense = prop::collection::vec(finite(), n * n).prop_filter_map("asymmetric", move |v| {
        // A symmetric one would be read as sparse.
        (v[1] != v[n]).then(|| Operator::Dense(Dense::from_rows(n, v).expect("square")))
    });
    let sparse = prop::collection::vec((0..n, 0..n, finite()), 0..3 * n).prop_map(move |t| {
        let mut lower: Vec<_> = t.iter().map(|&(i, j, v)| (i.max(j), i.min(j), v)).collect();
        lower.sort_by_key(|e| (e.0, e.1));
        lower.dedup_by_key(|e| (e.0, e.1));
        Operator::Sparse(Sparse::from_lower_triplets(n, &lower).expect("in range"))
    });
    prop_oneof![dense, sparse]
}

fn problem() -> impl Strategy<Value = Problem> {
    (2..6_usize).prop_flat_map(|n| {
        let vectors = (prop::collection::vec(finite(), n), prop::collection::vec(bounds(), n));
        (operator(n), vectors).prop_map(|(a, (b, bounds))| {
            let (lo, hi): (Vec<f64>, Vec<f64>) = bounds.into_iter().unzip();
            Problem::boxed(a, b, &lo, &hi).expect("valid")
        })
    })
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

fn entry(operator: &Operator, i: usize, j: usize) -> f64 {
    match operator {
        Operator::Dense(a) => a.get(i, j),
        Operator::Sparse(a) => a.get(i, j),
        _ => f64::NAN,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/files.txt"))), ..Default::default() })]

    #[test]
    fn a_problem_comes_back(problem in problem()) {
        let texts = write_texts(&problem).expect("boxed");
        let read = read_texts("p", texts.each_ref().map(|t| t.as_bytes())).expect("readable");
        prop_assert!(same_bits(&read.b, &problem.b));
        prop_assert_eq!(&read.laws, &problem.laws);
        for i in 0..problem.rows() {
            for j in 0..problem.rows() {
                let (a, b) = (entry(&problem.operator, i, j), entry(&read.operator, i, j));
                prop_assert!(a == b, "({}, {}): {} became {}", i, j, a, b);
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_vector(&bytes, "x");
        let _ = read_texts("p", [&bytes; 4]);
    }

    #[test]
    fn any_edit_is_read_or_refused(problem in problem(), file in 0..4_usize, at in 0.0..1.0, c in any::<u8>()) {
        let mut texts = write_texts(&problem).expect("boxed").map(String::into_bytes);
        let at = (at * texts[file].len() as f64) as usize;
        texts[file][at] = c;
        let _ = read_texts("p", texts.each_ref().map(|t| &t[..]));
    }
}

#[test]
fn a_folder_comes_back_and_nothing_else_is_in_it() {
    let root = tempfile::tempdir().expect("a folder");
    let dir = root.path().join("new/folder");
    let problem = multibody(&MultibodyOptions::default(), 3).expect("valid");
    write_folder(&dir, &problem).expect("written");
    write_folder(&dir, &problem).expect("written again");
    assert_eq!(std::fs::read_dir(&dir).expect("readable").count(), 4);
    let read = read_folder(&dir).expect("readable");
    assert!(same_bits(&read.b, &problem.b));
    // The multibody form is written as the matrix it stands for.
    let x: Vec<f64> = (0..read.rows()).map(|i| (i as f64).sin()).collect();
    let (mut y, mut z) = (x.clone(), x.clone());
    problem.operator.apply(&x, &mut y, &mut Vec::new());
    read.operator.apply(&x, &mut z, &mut Vec::new());
    let scale = y.iter().fold(0.0_f64, |s, y| s.max(y.abs()));
    assert!(y.iter().zip(&z).all(|(y, z)| (y - z).abs() <= 1e-13 * scale));
}

#[test]
fn what_cannot_be_written_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let a = Operator::Dense(Dense::from_rows(3, vec![0.0; 9]).expect("square"));
    let cone = vec![Law::Cone { mu: [0.5; 2], associated: false }];
    let problem = Problem::new(a, vec![0.0; 3], cone).expect("valid");
    let error = write_folder(root.path(), &problem).expect_err("a cone is no box");
    assert!(error.to_string().contains("cone"));
    let file = root.path().join("file");
    write_vector(&file, &[1.0]).expect("written");
    let error = write_vector(&file.join("x.mtx"), &[1.0]).expect_err("no folder");
    assert!(error.to_string().contains("x.mtx: cannot be written"));
    assert_eq!(std::fs::read_dir(root.path()).expect("readable").count(), 1);
}

/// Formats that other programs write.
#[test]
fn foreign_styles() {
    let vector = |x: &str| format!("%MatrixMarket MATRIX Array Real General\r\n% c\r\n2 1\r\n{x}");
    let [b, lo, hi] =
        ["1\r\n2\r\n", "\r\n-Infinity\r\n\r\n0", " +0.5 \r\n% c\r\nINF\r\n"].map(vector);
    let a = [
        "coordinate integer general\n2 2 4\n1 1 4\n2 1 -1\n1 2 -1\n2 2 3\n",
        "coordinate real general\n2 2 4\n1 1 4\n2 1 -1.\n1 2 -1.00000000000000022\n2 2 3\n",
        "array real general\n2 2\n4\n-1\n-1\n3\n",
        "array real symmetric\n2 2\n4e0\n-1E+00\n3\n",
        "coordinate double symmetric\n2 2 3\n2 2 3\n% in any order\n1 1 4\n2 1 -1\n",
    ];
    for a in a {
        let a = format!("%%MatrixMarket matrix {a}");
        let texts = [&a, &b, &lo, &hi].map(|t| t.as_bytes());
        let problem = read_texts("p", texts).unwrap_or_else(|e| panic!("{a}: {e}"));
        let Operator::Sparse(s) = &problem.operator else { panic!("{a} is symmetric") };
        assert_eq!((s.get(0, 0), s.get(1, 1)), (4.0, 3.0));
        assert!((s.get(0, 1) + 1.0).abs() < 1e-15);
        assert_eq!(problem.laws[0], Law::Box { lo: f64::NEG_INFINITY, hi: 0.5 });
        assert_eq!(problem.laws[1], Law::Box { lo: 0.0, hi: f64::INFINITY });
    }
    let a = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 4\n2 1 -1\n2 2 3\n";
    let texts = [a, &b, &lo, &hi].map(|t| t.as_bytes());
    let problem = read_texts("p", texts).expect("readable");
    assert!(matches!(problem.operator, Operator::Dense(_)));
}
