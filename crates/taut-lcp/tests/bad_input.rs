//! Mistakes of the caller are errors that name the place; nothing panics.

mod common;

use common::{INF, run};
use taut_lcp::generate::{BoxedKind, fluid, random_boxed};
use taut_lcp::registry::{ENTRIES, Entry};
use taut_lcp::solver::solve;
use taut_lcp::sweeps::{jacobi, psor};
use taut_lcp::{
    Dense, Error, Iterate, Judge, Law, Multibody, Operator, Problem, SolverConfig, Sparse, Status,
    Stop,
};

fn dense(n: usize, values: &[f64]) -> Operator {
    Operator::Dense(Dense::from_rows(n, values.to_vec()).expect("square"))
}

fn message<T>(result: Result<T, Error>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn sizes() {
    let eye = || dense(2, &[1.0, 0.0, 0.0, 1.0]);
    let free = vec![Law::Bilateral; 2];
    assert_eq!(
        message(Dense::from_rows(2, vec![1.0; 3])),
        "dense matrix has 3 entries, expected 4"
    );
    assert_eq!(
        message(Problem::new(eye(), vec![0.0], free.clone())),
        "b has 1 entries, expected 2"
    );
    let short = Problem::new(eye(), vec![0.0; 2], vec![Law::Bilateral]);
    assert_eq!(message(short), "rows covered by laws has 1 entries, expected 2");
    let bounds = Problem::boxed(eye(), vec![0.0; 2], &[0.0; 2], &[1.0; 3]);
    assert_eq!(message(bounds), "hi has 3 entries, expected 2");
    assert!(message(Dense::from_rows(usize::MAX, vec![])).contains("too large"));
    // A warm start of the wrong size is a cold start, not an error.
    let problem = Problem::new(eye(), vec![-1.0; 2], free).expect("valid");
    let mut solver = SolverConfig::named("pgs").expect("known").build().expect("valid");
    for lambda in [vec![1.0; 5], vec![f64::NAN, 0.0], vec![INF; 2]] {
        let mut start = Iterate::from_lambda(lambda);
        let (stop, mut judge) = (Stop::default(), Judge::default());
        let report = solve(solver.as_mut(), &problem, &stop, &mut start, &mut judge, &mut ());
        assert_eq!(report.expect("accepted").status, Status::Converged);
    }
}

#[test]
fn values_that_are_not_finite() {
    for bad in [f64::NAN, INF, -INF] {
        let laws = || vec![Law::Bilateral; 2];
        let a = Problem::new(dense(2, &[1.0, 0.0, bad, 1.0]), vec![0.0; 2], laws());
        assert_eq!(message(a), format!("A, row 1: {bad} is not finite"));
        let b = Problem::new(dense(2, &[1.0, 0.0, 0.0, 1.0]), vec![bad, 0.0], laws());
        assert_eq!(message(b), format!("b, row 0: {bad} is not finite"));
        let sparse = Sparse::from_lower_triplets(2, &[(0, 0, 1.0), (1, 0, bad)]).expect("in range");
        let a = Problem::new(Operator::Sparse(sparse), vec![0.0; 2], laws());
        assert_eq!(message(a), format!("A, row 0: {bad} is not finite"));
        let mut bodies = Multibody::default();
        let mut mass = [[0.0; 6]; 6];
        (0..6).for_each(|k| mass[k][k] = 1.0);
        let body = bodies.push_body(mass).expect("definite");
        bodies.push_row(&[(body, [bad, 0.0, 0.0, 0.0, 0.0, 0.0])], 0.0).expect("in range");
        let a = Problem::new(Operator::Multibody(bodies), vec![0.0], vec![Law::Bilateral]);
        assert_eq!(message(a), format!("J, row 0: {bad} is not finite"));
        mass[2][2] = bad;
        assert!(Multibody::default().push_body(mass).is_err());
    }
}

/// Values changed in place after the checks are found by `solve`.
#[test]
fn values_that_turn_bad_later() {
    for entry in ENTRIES {
        let mut problem = random_boxed(4, BoxedKind::Definite, 1).expect("valid");
        problem.b[2] = f64::NAN;
        let e = message(run(entry.name, &problem, &Stop::default()));
        assert_eq!(e, "b, row 2: NaN is not finite", "{}", entry.name);
    }
}

#[test]
fn bounds() {
    let one = |law| message(Problem::new(dense(1, &[1.0]), vec![0.0], vec![law]));
    let boxed = |lo, hi| one(Law::Box { lo, hi });
    assert_eq!(boxed(1.0, 0.5), "row 0: lower bound 1 exceeds upper bound 0.5");
    assert!(boxed(f64::NAN, 1.0).contains("NaN"));
    assert!(boxed(INF, INF).contains("no finite value"));
    assert!(boxed(-INF, -INF).contains("no finite value"));
    assert!(one(Law::FrictionBox { normal: 1, mu: 0.5, bound: 1.0 }).contains("normal row 1 of 1"));
    assert!(one(Law::FrictionBox { normal: 0, mu: -0.5, bound: 1.0 }).contains("coefficient -0.5"));
    assert!(one(Law::FrictionBox { normal: 0, mu: 0.5, bound: -1.0 }).contains("bound -1"));
}

#[test]
fn indices() {
    assert!(message(Sparse::from_lower_triplets(2, &[(2, 0, 1.0)])).contains("(2, 0)"));
    assert!(message(Sparse::from_lower_triplets(2, &[(0, 1, 1.0)])).contains("above the diagonal"));
    assert!(Multibody::default().push_row(&[(0, [1.0; 6])], 0.0).is_err());
}

/// Symmetric methods refuse a matrix that is not; sweeps too, unless the
/// diagonal dominates. Methods for cones try, and say how it went.
#[test]
fn asymmetry() {
    let a = dense(2, &[1.0, 3.0, -2.0, 1.0]);
    let problem = Problem::boxed(a, vec![-1.0; 2], &[0.0; 2], &[INF; 2]).expect("valid");
    let any = |e: &&Entry| {
        let named = matches!(e.name, "auto" | "enumerate" | "lemke" | "lcp_ipm");
        !named && !e.module.contains("newton")
    };
    for entry in ENTRIES.iter().filter(any).filter(|e| !e.module.contains("cones")) {
        let e = message(run(entry.name, &problem, &Stop::default()));
        assert!(e.contains(entry.name) && e.contains("not symmetric"), "{e}");
    }
}

#[test]
fn diagonals_no_row_can_be_divided_by() {
    let cases = [([1.0, 0.0, 0.0, -2.0], "negative"), ([0.0, 1.0, 1.0, 2.0], "zero diagonal")];
    for (a, word) in cases {
        let problem = Problem::boxed(dense(2, &a), vec![-1.0; 2], &[0.0; 2], &[INF; 2]);
        let problem = problem.expect("valid");
        for entry in ENTRIES.iter().filter(|e| e.module.contains("sweeps")) {
            let e = message(run(entry.name, &problem, &Stop::default()));
            assert!(e.contains(word) && e.contains("row"), "{e}");
        }
        // Others may refuse or fail, but do not invent an answer.
        for entry in ENTRIES {
            if let Ok((report, answer)) = run(entry.name, &problem, &Stop::default()) {
                let v = Judge::default().verdict(&problem, &answer.lambda);
                assert_eq!(v.converged(1e-9), report.status == Status::Converged);
            }
        }
    }
}

#[test]
fn settings() {
    for relaxation in [0.0, 2.0, -1.0, f64::NAN, INF] {
        let config = SolverConfig::Psor(psor::Settings { relaxation, ..Default::default() });
        assert!(message(config.build()).contains("relaxation"));
    }
    for theta in [0.0, 2.0, f64::NAN] {
        let settings = jacobi::Settings { damping: Some(theta), ..Default::default() };
        assert!(message(SolverConfig::Jacobi(settings).build()).contains("damping"));
    }
    assert!(message(SolverConfig::named("pgs2")).contains("'pgs2'; known:"));
    for tolerance in [f64::NAN, -1.0, INF] {
        let stop = Stop { tolerance, ..Default::default() };
        let problem = random_boxed(2, BoxedKind::Definite, 1).expect("valid");
        assert!(message(run("pgs", &problem, &stop)).contains("tolerance"));
    }
}

/// Textbook Jacobi diverges where its damping is too weak; that is said, not
/// hidden, and the default converges.
#[test]
fn divergence_is_not_success() {
    let mut a = vec![0.9; 64];
    (0..8).for_each(|i| a[9 * i] = 1.0);
    let b: Vec<f64> = (0..8).map(|i| f64::from(i) - 3.0).collect();
    let problem = Problem::boxed(dense(8, &a), b, &[-INF; 8], &[INF; 8]).expect("valid");
    let textbook = jacobi::Settings { damping: Some(1.0), ..Default::default() };
    let (report, _) =
        common::run_config(&SolverConfig::Jacobi(textbook), &problem, &Stop::default())
            .expect("accepted");
    assert_eq!(report.status, Status::NonFinite);
    let (report, _) = run("jacobi", &problem, &Stop::default()).expect("accepted");
    assert_eq!(report.status, Status::Converged);
}

/// An impossible tolerance ends Stalled once nothing moves, long before the
/// limit; no iterations at all is a limit too.
#[test]
fn limits() {
    let problem = fluid(4, 1).expect("valid");
    for entry in ENTRIES.iter().filter(|e| e.module.contains("sweeps")) {
        let exact = Stop { tolerance: 0.0, ..Default::default() };
        let (report, _) = run(entry.name, &problem, &exact).expect("accepted");
        let (status, n) = (report.status, report.counts.iterations);
        assert!(matches!(status, Status::Stalled | Status::Converged), "{} {status:?}", entry.name);
        assert!(n < 5000, "{} took {n}", entry.name);
        let none = Stop { max_iterations: Some(0), ..Default::default() };
        let (report, _) = run(entry.name, &problem, &none).expect("accepted");
        assert_eq!(report.status, Status::IterationLimit);
    }
}
