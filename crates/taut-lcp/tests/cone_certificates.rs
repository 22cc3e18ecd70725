//! `Infeasible` on problems with cones comes with a proof; what has a solution never says so.

mod common;

use common::check_certificate;
use taut_lcp::generate::Rng;
use taut_lcp::{Dense, General, Iterate, Law, Operator, Problem, Session, Sparse, Status};

const INF: f64 = f64::INFINITY;

/// A = GGᵀ of these rows.
fn problem(g: &[Vec<f64>], b: Vec<f64>, laws: Vec<Law>, form: usize) -> Problem {
    let m = g.len();
    let a = |i: usize, j: usize| g[i].iter().zip(&g[j]).map(|(x, y)| x * y).sum::<f64>();
    let all = (0..m).flat_map(|i| (0..m).map(move |j| (i, j)));
    let operator = match form % 3 {
        0 => Operator::Dense(
            Dense::from_rows(m, all.map(|(i, j)| a(i, j)).collect()).expect("square"),
        ),
        1 => {
            let lower: Vec<_> = all.filter(|(i, j)| j <= i).map(|(i, j)| (i, j, a(i, j))).collect();
            Operator::Sparse(Sparse::from_lower_triplets(m, &lower).expect("inside"))
        }
        _ => {
            let entries: Vec<_> = all.map(|(i, j)| (i, j, a(i, j))).collect();
            Operator::General(General::from_triplets(m, &entries).expect("inside"))
        }
    };
    Problem::new(operator, b, laws).expect("valid")
}

fn solve(problem: &Problem) -> (Status, Iterate) {
    let mut session = Session::named("auto").expect("known");
    let status = session.solve(problem).expect("accepted").status();
    (status, session.into_iterate())
}

/// Besides what any certificate must be: only normals in Coulomb's cones, and within associated
/// ones.
fn check(problem: &Problem, d: &[f64]) -> Result<(), String> {
    check_certificate(problem, d)?;
    let size = d.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    for (i, law) in problem.laws_by_row() {
        let Some((mu, associated)) = law.coefficients() else { continue };
        let part = |k: usize| if mu[k] > 0.0 { d[i + 1 + k] / mu[k] } else { d[i + 1 + k] };
        let t = (0..mu.len()).map(|k| part(k).powi(2)).sum::<f64>().sqrt();
        let most = if associated { d[i].max(0.0) } else { 0.0 };
        if t > most + 1e-9 * size {
            return Err(format!("row {i}: tangents {t:e}, normal {:e}", d[i]));
        }
    }
    Ok(())
}

/// A body between walls that both come nearer, joints that contradict one another, and a wedge
/// that only the associated law finds impossible.
#[test]
fn what_has_no_solution_is_proved() {
    let mut rng = Rng::new(3);
    for case in 0..60 {
        let associated = case % 2 == 1;
        let law = |mu: f64| Law::cone(&[mu, mu], associated);
        let mut row = || -> Vec<f64> { (0..6).map(|_| rng.normal()).collect() };
        let (n, t1, t2, other) = (row(), row(), row(), [row(), row(), row()]);
        let turned: Vec<f64> = n.iter().map(|x| -2.0 * x).collect();
        let mut g = vec![n.clone(), t1.clone(), t2, turned, other[0].clone(), other[1].clone()];
        let mut b = vec![-1.0, 0.3, 0.1, -0.5, 0.2, 0.0];
        let mut laws = vec![law(0.5), law(0.8)];
        if case % 3 == 1 {
            // The second wall goes away; two joints are at odds instead.
            b[3] = 4.0;
            g.extend([other[2].clone(), other[2].clone()]);
            b.extend([0.5, -0.5]);
            laws.extend([Law::Bilateral; 2]);
        }
        if case % 3 == 2 && associated {
            // The edge of the first cone pushes against the second normal.
            g[3] = n.iter().zip(&t1).map(|(n, t)| -n - 0.5 * t).collect();
            (b[0], b[1], b[3]) = (0.0, 0.0, -1.0);
        }
        let problem = problem(&g, b, laws, case / 3);
        let (status, answer) = solve(&problem);
        assert_eq!(status, Status::Infeasible, "case {case}");
        assert_eq!(check(&problem, &answer.certificate), Ok(()), "case {case}");
    }
}

/// b = Gv has no direction that proves anything.
#[test]
fn what_has_a_solution_is_not_called_infeasible() {
    let mut rng = Rng::new(4);
    for case in 0..150 {
        let count = 1 + case % 4;
        let rank = 1 + rng.index(3 * count);
        let laws: Vec<Law> = (0..count)
            .map(|_| Law::cone(&[[0.0, 0.3, 1.0, 30.0][rng.index(4)]; 2], case % 2 == 1))
            .collect();
        let g: Vec<Vec<f64>> =
            (0..3 * count).map(|_| (0..rank).map(|_| rng.normal()).collect()).collect();
        let v: Vec<f64> = (0..rank).map(|_| rng.normal()).collect();
        let b = g.iter().map(|g| g.iter().zip(&v).map(|(x, y)| x * y).sum()).collect();
        let (status, answer) = solve(&problem(&g, b, laws, case));
        assert_ne!(status, Status::Infeasible, "case {case}");
        assert!(answer.certificate.is_empty(), "case {case}");
    }
}

/// A matrix that is symmetric, but is not stored so, among boxes (it was a panic).
#[test]
fn symmetric_entries_in_a_general_matrix() {
    let g = [vec![1.0, 0.5], vec![-0.3, 1.0], vec![0.7, 0.7]];
    let laws = vec![Law::Box { lo: 0.0, hi: INF }; 3];
    let exact = solve(&problem(&g, vec![-1.0, -0.5, 0.2], laws.clone(), 0));
    let (status, answer) = solve(&problem(&g, vec![-1.0, -0.5, 0.2], laws, 2));
    assert_eq!((status, exact.0), (Status::Converged, Status::Converged));
    assert!(answer.w.iter().zip(&exact.1.w).all(|(a, b)| (a - b).abs() < 1e-7));
}
