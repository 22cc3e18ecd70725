//! Cones with torsion and rolling rows: every method for cones against a slow reference,
//! against each other and against the cone of three rows.

mod common;

use taut_lcp::generate::Rng;
use taut_lcp::{
    Dense, Iterate, Judge, Law, Multibody, Operator, Problem, Report, Sparse, Status, Stop,
};

const EXACT: [&str; 2] = ["cone_newton", "auto"];
const ALL: [&str; 6] = ["cone_newton", "cone_ipm", "bgs", "prox_jacobi", "prox_gs", "cone_admm"];

fn run(name: &str, problem: &Problem, tolerance: f64) -> (Report, Iterate) {
    let stop = Stop { tolerance, ..Stop::default() };
    common::run(name, problem, &stop).expect("accepted")
}

/// A = BBᵀ + `diagonal`, b = Bv.
fn dense(rng: &mut Rng, laws: Vec<Law>, rank: usize, diagonal: f64) -> Problem {
    let n: usize = laws.iter().map(Law::rows).sum();
    let b: Vec<Vec<f64>> = (0..n).map(|_| (0..rank).map(|_| rng.normal()).collect()).collect();
    let v: Vec<f64> = (0..rank).map(|_| rng.normal()).collect();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let entry = |i: usize, j: usize| dot(&b[i], &b[j]) + if i == j { diagonal } else { 0.0 };
    let a = (0..n * n).map(|k| entry(k / n, k % n)).collect();
    let rhs = b.iter().map(|b| dot(b, &v)).collect();
    let a = Operator::Dense(Dense::from_rows(n, a).expect("square"));
    Problem::new(a, rhs, laws).expect("valid")
}

/// λ ← P(λ − r(w + s eₙ)) in the variables of the circular cone, with a small r, ten thousand
/// times and more: the definition of the law, and nothing else.
fn reference(problem: &Problem) -> Option<Vec<f64>> {
    let m = problem.rows();
    let Operator::Dense(a) = &problem.operator else { return None };
    let trace: f64 = (0..m).map(|i| a.get(i, i)).sum();
    let most = problem.laws.iter().filter_map(Law::coefficients);
    let most = most.flat_map(|(mu, _)| mu.to_vec()).fold(1.0, f64::max);
    let r = 0.5 / (trace * most * most);
    let mut lambda = vec![0.0; m];
    for step in 0..400_000 {
        let w: Vec<f64> = (0..m)
            .map(|i| (0..m).map(|j| a.get(i, j) * lambda[j]).sum::<f64>() + problem.b[i])
            .collect();
        for (i, law) in problem.laws_by_row() {
            let (mu, associated) = law.coefficients()?;
            let z: Vec<f64> = mu.iter().enumerate().map(|(k, mu)| mu * w[i + 1 + k]).collect();
            let s = if associated { 0.0 } else { z.iter().map(|z| z * z).sum::<f64>().sqrt() };
            let n = lambda[i] - r * (w[i] + s);
            let y: Vec<f64> = (0..mu.len()).map(|k| lambda[i + 1 + k] / mu[k] - r * z[k]).collect();
            let t = y.iter().map(|y| y * y).sum::<f64>().sqrt();
            let (n, f) = if t <= n {
                (n, 1.0)
            } else if t <= -n {
                (0.0, 0.0)
            } else {
                (0.5 * (n + t), 0.5 * (n + t) / t)
            };
            lambda[i] = n;
            (0..mu.len()).for_each(|k| lambda[i + 1 + k] = mu[k] * f * y[k]);
        }
        if step % 1000 == 0 && Judge::default().verdict(problem, &lambda).relative_residual < 1e-11
        {
            return Some(lambda);
        }
    }
    None
}

fn velocities(problem: &Problem, lambda: &[f64]) -> Vec<f64> {
    let mut judge = Judge::default();
    let _ = judge.verdict(problem, lambda);
    judge.velocities().to_vec()
}

/// One contact with a definite matrix: its answer is the only one, all methods find it, and so
/// does the slow reference.
#[test]
fn one_contact_against_the_definition() {
    let mut rng = Rng::new(11);
    let mut compared = 0;
    for k in 0..24 {
        let mu = [0.6, 0.4, 0.2, 0.3, 0.5];
        let law = Law::cone(&mu[..3 + k % 3], k % 4 == 3);
        let n = law.rows();
        let problem = dense(&mut rng, vec![law], n + 2, 0.05);
        let Some(reference) = reference(&problem) else { continue };
        compared += 1;
        let expected = velocities(&problem, &reference);
        for solver in ALL {
            // The interior point ends between 1e-7 and 1e-9.
            let tolerance = if solver == "cone_ipm" { 1e-7 } else { 1e-10 };
            let (report, iterate) = run(solver, &problem, tolerance);
            assert_eq!(report.status, Status::Converged, "{solver} on {k}: {report:?}");
            let w = velocities(&problem, &iterate.lambda);
            let off = w.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e3 * tolerance.max(1e-9), "{solver} on {k}: {off:e}");
        }
    }
    assert!(compared >= 20, "{compared}");
}

/// Cones of three, four and six rows, joints and boxes in one problem, in three forms of A.
#[test]
fn mixed_with_everything() {
    let mut rng = Rng::new(12);
    for k in 0..20 {
        let associated = k % 3 == 2;
        let laws = vec![
            Law::Bilateral,
            Law::cone(&[0.5, 0.5], associated),
            Law::cone(&[0.5, 0.3, 0.1], associated),
            Law::Box { lo: 0.0, hi: 1.0 },
            Law::cone(&[0.7, 0.7, 0.1, 0.02, 0.02], associated),
        ];
        let rank = 12 + k;
        let problem = dense(&mut rng, laws.clone(), rank, 0.0);
        for solver in EXACT {
            let (report, _) = run(solver, &problem, 1e-9);
            assert_eq!(report.status, Status::Converged, "{solver} on {k}: {report:?}");
        }
        let Operator::Dense(a) = &problem.operator else { panic!("dense") };
        let entries = (0..a.rows()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let entries: Vec<_> = entries.map(|(i, j)| (i, j, a.get(i, j))).collect();
        let sparse = Sparse::from_lower_triplets(a.rows(), &entries).expect("symmetric");
        let sparse =
            Problem::new(Operator::Sparse(sparse), problem.b.clone(), laws).expect("valid");
        let (report, _) = run("cone_newton", &sparse, 1e-9);
        assert_eq!(report.status, Status::Converged, "sparse {k}: {report:?}");
    }
}

/// Discs that stand on the ground at four points, with torsion at each, or on one another.
fn discs(count: usize, mu: &[f64]) -> Problem {
    let mut a = Multibody::default();
    let (mut laws, mut b) = (Vec::new(), Vec::new());
    let inertia = 0.02;
    let mass = |i: usize, j: usize| if i != j { 0.0 } else { [1.0, inertia][i / 3] };
    for _ in 0..count {
        a.push_body(std::array::from_fn(|i| std::array::from_fn(|j| mass(i, j)))).expect("mass");
    }
    for body in 0..count {
        for corner in 0..4 {
            let arm = [[0.2, 0.0], [0.0, 0.2], [-0.2, 0.0], [0.0, -0.2]][corner];
            let (x, y, z) = (arm[0], arm[1], -0.1);
            let mut rows = vec![
                [0.0, 0.0, 1.0, y, -x, 0.0],
                [1.0, 0.0, 0.0, 0.0, z, -y],
                [0.0, 1.0, 0.0, -z, 0.0, x],
                [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
                [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
                [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
            ];
            rows.truncate(1 + mu.len());
            for row in rows {
                // Moves along x, spins about z, falls by a step's gravity.
                let v = [0.05, 0.02, -0.16, 0.0, 0.0, 0.4 + 0.1 * body as f64];
                let mut of = vec![(body as u32, row)];
                b.push(row.iter().zip(v).map(|(j, v)| j * v).sum::<f64>());
                if body > 0 {
                    of.insert(0, (body as u32 - 1, row.map(|j| -j)));
                    let v = [0.05, 0.02, -0.16, 0.0, 0.0, 0.3 + 0.1 * body as f64];
                    let last = b.len() - 1;
                    b[last] -= row.iter().zip(v).map(|(j, v)| j * v).sum::<f64>();
                }
                a.push_row(&of, 1e-9).expect("in order");
            }
            laws.push(Law::cone(mu, false));
        }
    }
    Problem::new(Operator::Multibody(a), b, laws).expect("valid")
}

/// The primal form, redundant points, and no friction along some rows.
#[test]
fn bodies_with_torsion_and_rolling() {
    for mu in
        [&[0.5, 0.5, 0.03][..], &[0.2, 0.2, 0.1], &[0.5, 0.5, 0.0], &[0.4, 0.2, 0.05, 0.01, 0.01]]
    {
        for count in [1, 3] {
            let problem = discs(count, mu);
            let (report, _) = run("cone_newton", &problem, 1e-9);
            assert_eq!(report.status, Status::Converged, "{mu:?} {count}: {report:?}");
            // (Velocities may differ: where contacts are redundant, Coulomb's law has several answers.)
            for solver in ["bgs", "cone_ipm"] {
                let (report, _) = run(solver, &problem, 1e-7);
                assert_eq!(report.status, Status::Converged, "{solver} {mu:?} {count}: {report:?}");
            }
        }
    }
}

/// A row without friction is as good as none.
#[test]
fn torsion_of_zero_is_the_cone_of_three_rows() {
    let (narrow, wide) = (discs(2, &[0.3, 0.3]), discs(2, &[0.3, 0.3, 0.0]));
    let (_, narrow) = run("cone_newton", &narrow, 1e-10);
    let (_, wide) = run("cone_newton", &wide, 1e-10);
    let force = |lambda: &[f64], n: usize| -> f64 { lambda.iter().step_by(n).sum() };
    assert!((force(&narrow.lambda, 3) - force(&wide.lambda, 4)).abs() < 1e-7);
    assert!(wide.lambda.iter().skip(3).step_by(4).all(|l| *l == 0.0));
}

/// Sizes and coefficients that make no sense are refused.
#[test]
fn nonsense_is_refused() {
    for mu in [&[][..], &[0.5; 6], &[0.5, 0.5, -0.1], &[0.5, f64::NAN, 0.1]] {
        let law = Law::cone(mu, false);
        let n = law.rows();
        let a = Dense::from_rows(n, vec![1.0; n * n]).expect("square");
        let problem = Problem::new(Operator::Dense(a), vec![0.0; n], vec![law]);
        assert!(problem.is_err(), "{mu:?}");
    }
}
