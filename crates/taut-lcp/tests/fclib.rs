//! FCLIB files in each storage scheme, local and global form.
#![cfg(feature = "hdf5")]

use hdf5_pure::{FileBuilder, GroupBuilder};
use taut_lcp::io::fclib::{read_bytes, write_bytes};
use taut_lcp::{Law, Multibody, Operator, Problem};

/// A dense matrix, row by row, stored as compressed rows (−2), compressed
/// columns (−1) or triplets (0), the latter with each entry split in two.
fn matrix(parent: &mut GroupBuilder, name: &str, rows: &[&[f64]], scheme: i32) {
    let (m, n) = (rows.len(), rows[0].len());
    let (mut p, mut i, mut x) = (vec![0], vec![], vec![]);
    let outer = if scheme == -1 { n } else { m };
    for o in 0..outer {
        for k in 0..m + n - outer {
            let (row, column) = if scheme == -1 { (k, o) } else { (o, k) };
            if rows[row][column] != 0.0 {
                i.push(k as i32);
                x.push(rows[row][column]);
            }
        }
        p.push(i.len() as i32);
    }
    let mut nz = scheme;
    if scheme == 0 {
        let owner = (0..m).flat_map(|r| vec![r as i32; (p[r + 1] - p[r]) as usize]);
        let row: Vec<i32> = owner.collect();
        (p, i) = ([&i[..], &i].concat(), [&row[..], &row].concat());
        x = x.iter().chain(&x).map(|x| 0.5 * x).collect();
        nz = x.len() as i32;
    }
    let mut group = parent.create_group(name);
    for (name, value) in [("m", m as i32), ("n", n as i32), ("nz", nz), ("nzmax", 99)] {
        group.create_dataset(name).with_i32_data(&[value]);
    }
    group.create_dataset("p").with_i32_data(&p);
    group.create_dataset("i").with_i32_data(&i);
    group.create_dataset("x").with_f64_data(&x);
    parent.add_group(group.finish());
}

type Vectors<'a> = &'a [(&'a str, &'a [f64])];

fn read(form: &str, matrices: &[(&str, &[&[f64]])], vectors: Vectors, scheme: i32) -> Problem {
    read_rows(form, 3, matrices, vectors, scheme)
}

/// With so many rows a contact.
fn read_rows(
    form: &str,
    rows: i32,
    matrices: &[(&str, &[&[f64]])],
    vectors: Vectors,
    scheme: i32,
) -> Problem {
    let mut file = FileBuilder::new();
    let mut group = file.create_group(form);
    group.create_dataset("spacedim").with_i32_data(&[rows]);
    matrices.iter().for_each(|(name, rows)| matrix(&mut group, name, rows, scheme));
    let mut values = group.create_group("vectors");
    vectors.iter().for_each(|(name, v)| {
        values.create_dataset(name).with_f64_data(v);
    });
    group.add_group(values.finish());
    file.add_group(group.finish());
    read_bytes(file.finish().expect("an HDF5 file"), "test").expect("readable")
}

/// A, column by column, through products.
fn columns(problem: &Problem) -> Vec<Vec<f64>> {
    let n = problem.rows();
    let column = |j: usize| {
        let mut e = vec![0.0; n];
        e[j] = 1.0;
        let mut y = vec![0.0; n];
        problem.operator.apply(&e, &mut y, &mut Vec::new());
        y
    };
    (0..n).map(column).collect()
}

#[test]
fn local_form() {
    let symmetric: &[&[f64]] = &[&[2.0, 0.5, 0.0], &[0.5, 3.0, 0.0], &[0.0, 0.0, 4.0]];
    let other: &[&[f64]] = &[&[2.0, 0.5, 0.0], &[0.25, 3.0, 0.0], &[0.0, 0.0, 4.0]];
    let vectors: Vectors = &[("q", &[-1.0, 0.5, 0.25]), ("mu", &[0.7])];
    for scheme in [-2, -1, 0] {
        for rows in [symmetric, other] {
            let problem = read("fclib_local", &[("W", rows)], vectors, scheme);
            assert_eq!(problem.b, [-1.0, 0.5, 0.25]);
            assert_eq!(problem.laws, [Law::Cone { mu: [0.7; 2], associated: false }]);
            assert_eq!(matches!(problem.operator, Operator::Sparse(_)), rows == symmetric);
            for (j, column) in columns(&problem).iter().enumerate() {
                assert_eq!(*column, [rows[0][j], rows[1][j], rows[2][j]], "scheme {scheme}");
            }
        }
    }
}

const H: &[&[f64]] = &[
    &[1.0, 0.0, 0.0],
    &[0.0, 1.0, 0.0],
    &[0.0, 0.0, 1.0],
    &[0.5, 0.0, 0.0],
    &[0.0, 0.0, 2.0],
    &[0.0, 0.0, 0.0],
];

/// M = diag(1, 2, 4, 1, 2, 4), and the same with a coupling that is not
/// symmetric: A = Hᵀ M⁻¹ H, b = Hᵀ M⁻¹ f + w.
#[test]
fn global_form() {
    let diagonal = [1.0, 2.0, 4.0, 1.0, 2.0, 4.0];
    let f = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let vectors: Vectors = &[("f", &f), ("w", &[0.1, 0.2, 0.3]), ("mu", &[0.7])];
    for scheme in [-2, -1, 0] {
        for coupling in [0.0, 8.0] {
            let mut mass = [[0.0; 6]; 6];
            (0..6).for_each(|i| mass[i][i] = diagonal[i]);
            mass[5][0] = coupling; // M⁻¹ differs in row 5 only, where H has nothing
            let mass = mass.each_ref().map(|row| &row[..]);
            let problem = read("fclib_global", &[("M", &mass), ("H", H)], vectors, scheme);
            assert_eq!(matches!(problem.operator, Operator::Multibody(_)), coupling == 0.0);
            let expected = [[1.25, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 2.25]];
            for (column, expected) in columns(&problem).iter().zip(expected) {
                (0..3).for_each(|i| assert!((column[i] - expected[i]).abs() < 1e-15));
            }
            let b = [1.0 + 2.0 + 0.1, 1.0 + 0.2, 0.75 + 5.0 + 0.3];
            (0..3).for_each(|i| assert!((problem.b[i] - b[i]).abs() < 1e-14));
        }
    }
}

/// Joints are bilateral rows after the contacts.
#[test]
fn global_form_with_joints() {
    let mass: Vec<Vec<f64>> =
        (0..6).map(|i| (0..6).map(|j| if i == j { 2.0 } else { 0.0 }).collect()).collect();
    let mass: Vec<&[f64]> = mass.iter().map(|row| &row[..]).collect();
    let g: &[&[f64]] = &[&[1.0], &[0.0], &[0.0], &[0.0], &[0.0], &[3.0]];
    let vectors: Vectors = &[("f", &[2.0; 6]), ("w", &[0.0; 3]), ("mu", &[0.7]), ("b", &[0.5])];
    let problem = read("fclib_global", &[("M", &mass), ("H", H), ("G", g)], vectors, -2);
    assert_eq!(problem.laws[1], Law::Bilateral);
    assert_eq!(problem.b[3], 4.5);
    let a = columns(&problem);
    assert_eq!((a[3][3], a[3][0], a[0][3], a[3][1]), (5.0, 0.5, 0.5, 0.0));
}

/// Two contacts on one body, with compliance.
fn contacts() -> Problem {
    let mut a = Multibody::default();
    let mass = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 2.0 } else { 0.0 }));
    let body = a.push_body(mass).expect("a body");
    let mut laws = Vec::new();
    for contact in 0..2 {
        for axis in 0..3 {
            let mut row = [0.0; 6];
            (row[axis], row[3 + (axis + 1) % 3]) = (1.0, 0.25 * f64::from(contact));
            a.push_row(&[(body, row)], 1e-3).expect("a row");
        }
        let normal = 3 * contact as usize;
        let friction = Law::FrictionBox { normal, mu: 0.5, bound: 0.1 };
        laws.extend([Law::Box { lo: 0.0, hi: f64::INFINITY }, friction, friction]);
    }
    let b = vec![-1.0, 0.5, 0.25, -2.0, 0.0, 0.125];
    Problem::new(Operator::Multibody(a), b, laws).expect("a problem")
}

#[test]
fn contacts_are_written_as_cones() {
    let problem = contacts();
    let bytes = write_bytes(&problem).expect("writable");
    let back = read_bytes(bytes, "test").expect("readable");
    assert_eq!(back.b, problem.b);
    assert_eq!(back.laws, [Law::Cone { mu: [0.5; 2], associated: false }; 2]);
    for (x, y) in columns(&back).iter().flatten().zip(columns(&problem).iter().flatten()) {
        assert!((x - y).abs() < 1e-15, "{x} is not {y}");
    }
    // Once more, now from cones.
    let again = read_bytes(write_bytes(&back).expect("writable"), "test").expect("readable");
    assert_eq!((again.laws, again.b), (back.laws, back.b));
}

#[test]
fn what_fclib_cannot_hold_is_refused() {
    let friction = |normal| Law::FrictionBox { normal, mu: 0.5, bound: 0.1 };
    let contact = Law::Box { lo: 0.0, hi: f64::INFINITY };
    let elliptic = Law::Cone { mu: [0.5, 0.2], associated: false };
    let cone = Law::Cone { mu: [0.5, 0.5], associated: false };
    let cases: [(&[Law], usize); 6] = [
        (&[Law::Bilateral; 6], 0),
        (&[contact; 6], 0),
        (&[contact, friction(3), friction(3), contact, friction(3), friction(3)], 0),
        (&[cone, elliptic], 3),
        (&[cone, Law::Box { lo: 0.0, hi: 1.0 }, friction(3), friction(3)], 3),
        (&[contact, friction(0), friction(0), friction(0), friction(0), friction(0)], 0),
    ];
    for (laws, row) in cases {
        let problem = Problem { laws: laws.to_vec(), ..contacts() };
        let error = write_bytes(&problem).expect_err("refused").to_string();
        assert!(error.contains(&format!("row {row}")), "{laws:?}: {error}");
    }
}

/// Rolling has five rows a contact and a second coefficient; in the plane there are two rows.
#[test]
fn rolling_and_planes() {
    let unit = |n: usize| -> Vec<Vec<f64>> {
        let row = |i: usize| (0..n).map(|j| if i == j { 2.0 } else { 0.0 }).collect();
        (0..n).map(row).collect()
    };
    let (five, two) = (unit(5), unit(2));
    let five: Vec<&[f64]> = five.iter().map(Vec::as_slice).collect();
    let two: Vec<&[f64]> = two.iter().map(Vec::as_slice).collect();
    let law = Law::RollingCone { mu: 0.7, rolling: 0.1, associated: false };
    let vectors: Vectors =
        &[("f", &[-2.0, 0.0, 0.0, 0.0, 1.0]), ("w", &[0.0; 5]), ("mu", &[0.7]), ("mu_r", &[0.1])];
    let matrices: &[(&str, &[&[f64]])] = &[("M", &five), ("H", &five)];
    let global = read_rows("fclib_global_rolling", 5, matrices, vectors, -2);
    assert_eq!((global.laws, global.b), (vec![law], vec![-2.0, 0.0, 0.0, 0.0, 1.0]));
    let vectors: Vectors = &[("q", &[-1.0; 5]), ("mu", &[0.7]), ("mu_r", &[0.1])];
    let local = read_rows("fclib_local_rolling", 5, &[("W", &five)], vectors, -1);
    assert_eq!((local.laws, local.b), (vec![law], vec![-1.0; 5]));
    let vectors: Vectors = &[("q", &[-1.0, 0.5]), ("mu", &[0.7])];
    let plane = read_rows("fclib_local", 2, &[("W", &two)], vectors, 0);
    assert_eq!(plane.laws, [Law::cone(&[0.7], false)]);
}
