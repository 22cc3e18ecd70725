//! Lemke's method: matrices without symmetry, rays, degenerate paths, boxes.

mod common;

use common::{INF, check_certificate, distance, run};
use taut_lcp::generate::{BoxedKind, Rng, contact, random_boxed};
use taut_lcp::{Dense, Iterate, Operator, Problem, Report, Status, Stop};

fn lcp(n: usize, a: &[f64], b: &[f64]) -> Problem {
    let a = Operator::Dense(Dense::from_rows(n, a.to_vec()).expect("square"));
    Problem::boxed(a, b.to_vec(), &vec![0.0; n], &vec![INF; n]).expect("valid")
}

fn solve(name: &str, problem: &Problem) -> (Report, Iterate) {
    run(name, problem, &Stop::default()).expect("accepted")
}

fn random(n: usize, rng: &mut Rng) -> Vec<f64> {
    (0..n).map(|_| rng.range(-1.0, 1.0)).collect()
}

/// λ and w that complement one another, for problems with a known answer.
fn pair(n: usize, rng: &mut Rng) -> (Vec<f64>, Vec<f64>) {
    let inside: Vec<bool> = (0..n).map(|_| rng.uniform() < 0.5).collect();
    let size: Vec<f64> = (0..n).map(|_| rng.uniform() + 0.1).collect();
    let pick = |which| (0..n).map(|i| if inside[i] == which { size[i] } else { 0.0 }).collect();
    (pick(true), pick(false))
}

fn product(n: usize, a: &[f64], x: &[f64]) -> Vec<f64> {
    (0..n).map(|i| (0..n).map(|j| a[i * n + j] * x[j]).sum()).collect()
}

/// Triangular, in random order, with entries far above the diagonal: every
/// principal minor is positive, the symmetric part is not.
#[test]
fn p_matrices_have_one_answer() {
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        let n = 1 + rng.index(8);
        let mut order: Vec<usize> = (0..n).collect();
        (0..n).for_each(|i| order.swap(i, rng.index(n)));
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            a[order[i] * n + order[i]] = 0.5 + rng.uniform();
            (0..i).for_each(|j| a[order[i] * n + order[j]] = rng.range(-3.0, 3.0));
        }
        let problem = lcp(n, &a, &random(n, &mut rng));
        let (report, answer) = solve("lemke", &problem);
        assert_eq!(report.status, Status::Converged, "{a:?}: {report:?}");
        let (_, truth) = solve("enumerate", &problem);
        let error = distance(&answer.lambda, &truth.lambda, |_| 1.0);
        assert!(
            error < 1e-9 * (1.0 + truth.lambda.iter().cloned().fold(0.0, f64::max)),
            "{error:e}"
        );
    }
}

/// A semidefinite matrix of low rank, plus any skew one: copositive-plus.
fn copositive_plus(n: usize, rng: &mut Rng) -> Vec<f64> {
    let rank = rng.index(n);
    let factors: Vec<Vec<f64>> = (0..rank).map(|_| random(n, rng)).collect();
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..i {
            let (skew, s) =
                (rng.range(-1.0, 1.0), factors.iter().map(|f| f[i] * f[j]).sum::<f64>());
            (a[i * n + j], a[j * n + i]) = (s + skew, s - skew);
        }
        a[i * n + i] = factors.iter().map(|f| f[i] * f[i]).sum();
    }
    a
}

#[test]
fn copositive_plus_matrices_are_solved_if_they_can_be() {
    let mut rng = Rng::new(2);
    for case in 0..200 {
        let n = 1 + rng.index(20);
        let a = copositive_plus(n, &mut rng);
        let (lambda, w) = pair(n, &mut rng);
        let al = product(n, &a, &lambda);
        let b: Vec<f64> = w.iter().zip(&al).map(|(w, al)| w - al).collect();
        let (report, _) = solve("lemke", &lcp(n, &a, &b));
        assert_eq!(report.status, Status::Converged, "case {case}, n = {n}: {report:?}");
    }
}

/// b such that d ≥ 0 with Aᵀd = −Ad ≤ 0 has bᵀd < 0: no λ ≥ 0 has w ≥ 0.
#[test]
fn a_ray_proves_that_there_is_no_answer() {
    let mut rng = Rng::new(3);
    let mut infeasible = 0;
    for case in 0..300 {
        let n = 1 + rng.index(8);
        let a = copositive_plus(n, &mut rng);
        let problem = lcp(n, &a, &random(n, &mut rng));
        let (report, answer) = solve("lemke", &problem);
        match report.status {
            Status::Converged => {}
            Status::Infeasible => {
                infeasible += 1;
                let d = &answer.certificate;
                assert!(d.iter().all(|d| *d >= 0.0), "case {case}: {d:?}");
                let bd: f64 = problem.b.iter().zip(d).map(|(b, d)| b * d).sum();
                let atd = |j: usize| (0..n).map(|i| a[i * n + j] * d[i]).sum::<f64>();
                assert!(bd < -1e-6, "case {case}: {bd:e}");
                assert!((0..n).all(|j| atd(j) < 1e-12), "case {case}: {d:?}");
            }
            status => panic!("case {case}: {status:?}"),
        }
    }
    assert!(infeasible > 30, "{infeasible}");
}

/// Matrices of no class: a ray says nothing there, and is not called a proof.
#[test]
fn a_ray_that_proves_nothing_is_reported_as_such() {
    let mut rng = Rng::new(4);
    let (mut rays, mut solved) = (0, 0);
    for case in 0..300 {
        let n = 2 + rng.index(3);
        let problem = lcp(n, &random(n * n, &mut rng), &random(n, &mut rng));
        let (report, _) = solve("lemke", &problem);
        let exists = solve("enumerate", &problem).0.status == Status::Converged;
        match report.status {
            Status::Converged => solved += 1,
            Status::Ray => rays += usize::from(exists),
            Status::Infeasible => assert!(!exists, "case {case} has an answer"),
            status => panic!("case {case}: {status:?}"),
        }
    }
    assert!(rays > 10 && solved > 100, "{rays} rays, {solved} solved");
}

/// All ratios tie at every step; without a rule the path returns to its start.
#[test]
fn degenerate_paths_end() {
    let a = [1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0];
    let (report, answer) = solve("lemke", &lcp(3, &a, &[-1.0; 3]));
    assert_eq!(report.status, Status::Converged);
    assert!(distance(&answer.lambda, &[1.0 / 3.0; 3], |_| 1.0) < 1e-14);
    // Many equal rows, all of them redundant but one.
    let (report, _) = solve("lemke", &lcp(30, &[1.0; 900], &[-1.0; 30]));
    assert_eq!(report.status, Status::Converged);
}

/// Boxes of every kind, as enumeration has them.
#[test]
fn boxes() {
    for kind in BoxedKind::ALL {
        for seed in 0..1500 {
            let problem = random_boxed(1 + seed as usize % 7, kind, seed).expect("valid");
            let (truth, exact) = solve("enumerate", &problem);
            let (report, answer) = solve("lemke", &problem);
            let what = format!("{kind:?} seed {seed}: {report:?}");
            assert_eq!(report.status, truth.status, "{what}");
            if report.status == Status::Infeasible {
                assert_eq!(check_certificate(&problem, &answer.certificate), Ok(()), "{what}");
                continue;
            }
            let w = distance(&answer.w, &exact.w, |_| 1.0) / problem.scale();
            assert!(w < 1e-6, "{what}: w differs by {w:e}");
        }
    }
}

/// Polyhedral friction: copositive, not symmetric, zero diagonals.
#[test]
fn contacts_with_polyhedral_friction() {
    for contacts in [1, 3, 10, 20] {
        for seed in 0..5 {
            let problem = contact(contacts, seed).expect("valid");
            let (report, _) = solve("lemke", &problem);
            assert_eq!(report.status, Status::Converged, "{contacts} contacts, seed {seed}");
        }
    }
}

/// Two joints that contradict one another, and two that repeat one another.
#[test]
fn bilateral_rows_that_depend_on_each_other() {
    for (b, status) in [([-1.0, -1.0], Status::Converged), ([-1.0, 1.0], Status::Infeasible)] {
        let a = Operator::Dense(Dense::from_rows(2, vec![1.0; 4]).expect("square"));
        let problem = Problem::boxed(a, b.to_vec(), &[-INF; 2], &[INF; 2]).expect("valid");
        let (report, answer) = solve("lemke", &problem);
        assert_eq!(report.status, status);
        if status == Status::Infeasible {
            assert_eq!(check_certificate(&problem, &answer.certificate), Ok(()));
        }
    }
}

/// Bimatrix games with costs P, Q > 0: x, y ≥ 0 with Py ≥ 1, Qᵀx ≥ 1, complementary. An answer
/// exists (Nash), but A is copositive and no more: `lemke` ends in a ray that means nothing.
#[test]
fn bimatrix_games_have_answers() {
    let mut rng = Rng::new(7);
    for game in 0..300 {
        let (rows, columns) = (2 + rng.index(8), 2 + rng.index(8));
        let n = rows + columns;
        let mut a = vec![0.0; n * n];
        for i in 0..rows {
            for j in rows..n {
                a[i * n + j] = rng.range(0.1, 1.1);
                a[j * n + i] = rng.range(0.1, 1.1);
            }
        }
        let problem = lcp(n, &a, &vec![-1.0; n]);
        let (report, _) = solve("auto", &problem);
        assert_eq!(report.status, Status::Converged, "game {game}: {report:?}");
        assert_eq!(solve("lemke", &problem).0.status, Status::Ray);
    }
}
