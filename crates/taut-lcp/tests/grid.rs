//! Every method on every class of problem: it refuses clearly, or ends in the
//! right status, and where it claims an answer, it is the answer.

mod common;

use common::{INF, check_certificate, diagonal, distance, run};
use taut_lcp::generate::{
    BoxedKind, MultibodyOptions, Rng, contact, fluid, multibody, random_boxed, random_pd,
    random_psd,
};
use taut_lcp::registry::{ENTRIES, Entry};
use taut_lcp::{Dense, Error, Iterate, Law, Operator, Problem, Report, Status, Stop};

/// What must happen.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    /// It ends Converged.
    Converged,
    /// It converges, or says that it did not.
    Honest,
    /// It ends Infeasible, with a valid certificate.
    Infeasible,
    /// It never says Converged; Infeasible needs a valid certificate.
    NoAnswer,
    /// It refuses.
    Refused,
}

fn is_sweep(entry: &Entry) -> bool {
    entry.module.contains("sweeps")
}

fn takes_any_matrix(entry: &Entry) -> bool {
    matches!(entry.name, "auto" | "enumerate" | "lemke" | "fischer_newton" | "lcp_ipm")
}

/// Methods for cones take boxes too, and any matrix, but promise nothing there.
fn is_for_cones(entry: &Entry) -> bool {
    entry.module.contains("cones")
}

/// Checks every entry against what `expect` says of it.
fn check(class: &str, problem: &Problem, expect: impl Fn(&Entry) -> Expect) {
    for entry in ENTRIES {
        let small = entry.name != "enumerate" || problem.rows() <= 12;
        // It needs the entries of A.
        let bodies = matches!(problem.operator, Operator::Multibody(_));
        let refuses = !small || (bodies && entry.name == "lcp_ipm");
        let expected = if refuses { Expect::Refused } else { expect(entry) };
        let what = format!("{} on {class}", entry.name);
        match run(entry.name, problem, &Stop::default()) {
            Ok(end) => check_end(&what, problem, expected, &end),
            Err(Error::Refused { solver, reason }) => {
                assert!(expected == Expect::Refused, "{what} refused: {reason}");
                assert_eq!(solver, entry.name);
                assert!(!reason.is_empty());
            }
            Err(e) => panic!("{what}: {e}"),
        }
    }
}

fn check_end(what: &str, problem: &Problem, expected: Expect, end: &(Report, Iterate)) {
    let (report, answer) = end;
    let status = report.status;
    let what = format!("{what}: {status:?}, residual {:e}", report.verdict.relative_residual);
    let honest = [
        Status::Converged,
        Status::IterationLimit,
        Status::Stalled,
        Status::LocalMinimum,
        Status::NonDescent,
        Status::Diverged,
    ];
    match expected {
        Expect::Converged => assert_eq!(status, Status::Converged, "{what}"),
        Expect::Honest => assert!(honest.contains(&status), "{what}"),
        Expect::Infeasible => assert_eq!(status, Status::Infeasible, "{what}"),
        Expect::NoAnswer => assert_ne!(status, Status::Converged, "{what}"),
        Expect::Refused => panic!("{what}, but should refuse"),
    }
    if status == Status::Infeasible {
        assert_eq!(check_certificate(problem, &answer.certificate), Ok(()), "{what}");
    }
    let finite = answer.lambda.iter().chain(&answer.w).all(|x| x.is_finite());
    assert!(finite, "{what}");
}

/// Exact methods converge; sweeps where theory says so and ten thousand
/// iterations are enough; others may take their time.
fn solvable(sweeps: Expect) -> impl Fn(&Entry) -> Expect {
    move |entry| {
        if entry.exact {
            Expect::Converged
        } else if is_sweep(entry) {
            sweeps
        } else {
            Expect::Honest
        }
    }
}

/// A random matrix that its diagonal dominates, symmetric or not.
fn dominant(n: usize, symmetric: bool, seed: u64) -> Problem {
    let mut rng = Rng::new(seed);
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            a[i * n + j] = if symmetric && j < i { a[j * n + i] } else { rng.range(-1.0, 1.0) };
        }
    }
    for i in 0..n {
        let others: f64 = (0..n).filter(|&j| j != i).map(|j| a[i * n + j].abs()).sum();
        a[i * n + i] = 2.5 * others + 0.1;
    }
    let b = (0..n).map(|_| rng.range(-1.0, 1.0)).collect();
    let mut bounds = || match rng.index(4) {
        0 => (-INF, INF),
        1 => (-0.1, 0.05),
        _ => (0.0, INF),
    };
    let (lo, hi): (Vec<_>, Vec<_>) = (0..n).map(|_| bounds()).unzip();
    Problem::boxed(Operator::Dense(Dense::from_rows(n, a).expect("square")), b, &lo, &hi)
        .expect("valid")
}

#[test]
fn diagonally_dominant() {
    for seed in 0..20 {
        check("dominant", &dominant(30, true, seed), solvable(Expect::Converged));
    }
}

/// Sweeps, Lemke and enumeration solve it, to the same (unique) answer.
#[test]
fn dominant_without_symmetry() {
    for seed in 0..20 {
        let problem = dominant(8, false, seed);
        let takes = |e: &Entry| is_sweep(e) || takes_any_matrix(e);
        check("dominant, non-symmetric", &problem, |e| match e {
            e if takes(e) => Expect::Converged,
            e if e.name.starts_with("cone_") || e.name == "min_map_newton" => Expect::Honest,
            e if is_for_cones(e) => Expect::Converged,
            _ => Expect::Refused,
        });
        let (_, truth) = run("enumerate", &problem, &Stop::default()).expect("accepted");
        for entry in ENTRIES.iter().filter(|e| takes(e)) {
            let (_, answer) = run(entry.name, &problem, &Stop::default()).expect("accepted");
            let error = distance(&answer.lambda, &truth.lambda, |_| 1.0);
            assert!(error < 1e-8, "{} seed {seed}: {error:e}", entry.name);
        }
    }
}

#[test]
fn definite() {
    for seed in 0..5 {
        check("definite", &random_pd(40, seed).expect("valid"), solvable(Expect::Honest));
        let boxed = random_boxed(40, BoxedKind::Definite, seed).expect("valid");
        check("definite boxed", &boxed, solvable(Expect::Honest));
        // Sweeps converge on every definite problem, if slowly.
        let loose = Stop { tolerance: 1e-4, ..Default::default() };
        for entry in ENTRIES.iter().filter(|e| is_sweep(e)) {
            let (report, _) = run(entry.name, &boxed, &loose).expect("accepted");
            assert_eq!(report.status, Status::Converged, "{} seed {seed}", entry.name);
        }
    }
}

#[test]
fn semidefinite() {
    for seed in 0..5 {
        let share = 0.15 * seed as f64;
        let lcp = random_psd(40, share, seed).expect("valid");
        check("semidefinite", &lcp, solvable(Expect::Honest));
        for kind in [BoxedKind::Semidefinite, BoxedKind::Degenerate] {
            let boxed = random_boxed(30, kind, seed).expect("valid");
            check(&format!("{kind:?} seed {seed}"), &boxed, solvable(Expect::Honest));
        }
    }
}

#[test]
fn infeasible() {
    for seed in 0..10 {
        let problem = random_boxed(10, BoxedKind::Infeasible, seed).expect("valid");
        check(&format!("infeasible seed {seed}"), &problem, |e| {
            if e.exact { Expect::Infeasible } else { Expect::NoAnswer }
        });
    }
}

#[test]
fn fluid_in_a_tank() {
    check("fluid", &fluid(5, 1).expect("valid"), solvable(Expect::Converged));
}

#[test]
fn polyhedral_contact_is_for_others() {
    let problem = contact(1, 3).expect("valid");
    assert!(problem.rows() <= 12, "{} rows", problem.rows());
    check("contact", &problem, |e| match e {
        e if takes_any_matrix(e) || e.name == "bgs" => Expect::Converged,
        e if e.name == "cone_admm" => Expect::Refused,
        e if is_for_cones(e) || e.name == "min_map_newton" => Expect::Honest,
        _ => Expect::Refused,
    });
}

/// All exact methods agree on λ: compliance makes it unique.
#[test]
fn chains_and_piles() {
    for seed in 0..6 {
        for (mass_ratio, compliance) in [(10.0, 1e-7), (1e6, 1e-10), (1e3, 0.0)] {
            let options = MultibodyOptions { links: 3, pile: 5, mass_ratio, compliance };
            let problem = multibody(&options, seed).expect("valid");
            let class = format!("multibody {mass_ratio:e} {compliance:e} seed {seed}");
            check(&class, &problem, solvable(Expect::Honest));
            let exact = ENTRIES.iter().filter(|e| e.exact && e.name != "enumerate");
            let answers = exact.map(|e| run(e.name, &problem, &Stop::default()).expect("accepted"));
            let answers: Vec<Iterate> = answers.map(|a| a.1).collect();
            let d = diagonal(&problem);
            for pair in answers.windows(2) {
                let w = distance(&pair[0].w, &pair[1].w, |_| 1.0) / problem.scale();
                assert!(w < 1e-6, "{class}: w differs by {w:e}");
                // Residual is not error: compliance ε magnifies it by 1/ε.
                let lambda = distance(&pair[0].lambda, &pair[1].lambda, |i| d[i]) / problem.scale();
                assert!(compliance == 0.0 || lambda < 1e-9 / compliance, "{class}: λ {lambda:e}");
            }
        }
    }
}

#[test]
fn zero_matrix_is_decided_by_signs() {
    let zero = || Operator::Dense(Dense::from_rows(3, vec![0.0; 9]).expect("square"));
    let lo = [0.0, -1.0, -INF];
    let hi = [INF, 2.0, INF];
    let solvable = Problem::boxed(zero(), vec![1.0, -1.0, 0.0], &lo, &hi).expect("valid");
    check("zero matrix", &solvable, |e| {
        if e.exact || is_sweep(e) { Expect::Converged } else { Expect::Honest }
    });
    let (_, answer) = run("pgs", &solvable, &Stop::default()).expect("accepted");
    assert_eq!(answer.lambda, [0.0, 2.0, 0.0]);
    // Row 0 pushes to its infinite bound, and then row 2, which has none.
    for (b, d) in [([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), ([0.0, 0.0, 1.0], [0.0, 0.0, -1.0])] {
        let problem = Problem::boxed(zero(), b.to_vec(), &lo, &hi).expect("valid");
        check("zero matrix, infeasible", &problem, |e| {
            if e.exact || is_sweep(e) { Expect::Infeasible } else { Expect::NoAnswer }
        });
        let (_, answer) = run("pgs", &problem, &Stop::default()).expect("accepted");
        assert_eq!(answer.certificate, d);
    }
}

/// Two opposed joints with a little compliance ε: λ = ±1/ε, long but there.
#[test]
fn nearly_singular_is_not_infeasible() {
    for epsilon in [1e-2, 1e-4, 1e-5] {
        let a = vec![1.0 + epsilon, 1.0, 1.0, 1.0 + epsilon];
        let a = Operator::Dense(Dense::from_rows(2, a).expect("square"));
        let problem = Problem::boxed(a, vec![1.0, -1.0], &[-INF; 2], &[INF; 2]).expect("valid");
        check(&format!("opposed joints {epsilon:e}"), &problem, solvable(Expect::Honest));
        for entry in ENTRIES.iter().filter(|e| e.exact) {
            let (_, answer) = run(entry.name, &problem, &Stop::default()).expect("accepted");
            let error = distance(&answer.lambda, &[-1.0 / epsilon, 1.0 / epsilon], |_| epsilon);
            assert!(error < 1e-8 / epsilon, "{} {epsilon:e}: {error:e}", entry.name);
        }
    }
}

#[test]
fn cones_are_for_their_own() {
    let a = Operator::Dense(
        Dense::from_rows(3, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0].into()).expect("square"),
    );
    let laws = vec![Law::Cone { mu: [0.5, 0.5], associated: false }];
    let problem = Problem::new(a, vec![-1.0, 0.2, 0.0], laws).expect("valid");
    check("cone", &problem, |e| {
        let takes = is_for_cones(e) || e.name == "auto";
        if takes { Expect::Converged } else { Expect::Refused }
    });
}

#[test]
fn nothing_to_solve() {
    let empty = Operator::Dense(Dense::from_rows(0, vec![]).expect("square"));
    let problem = Problem::new(empty, vec![], vec![]).expect("valid");
    check("empty", &problem, |_| Expect::Converged);
    let bodies = Problem::new(Operator::Multibody(Default::default()), vec![], vec![]);
    check("no bodies", &bodies.expect("valid"), |_| Expect::Converged);
}

/// b = 0: λ = 0 is the answer where the bounds allow it.
#[test]
fn at_rest() {
    let mut problem = random_boxed(6, BoxedKind::Definite, 1).expect("valid");
    problem.b.fill(0.0);
    problem.laws.fill(Law::Box { lo: 0.0, hi: INF });
    check("at rest", &problem, |_| Expect::Converged);
    problem.laws.fill(Law::Box { lo: -1.0, hi: INF });
    check("at rest inside", &problem, |_| Expect::Converged);
}

/// The same problem twice, by two solvers and by one: identical bits.
#[test]
fn runs_repeat_bit_by_bit() {
    let options = MultibodyOptions::default();
    let problems = [
        multibody(&options, 2).expect("valid"),
        fluid(4, 2).expect("valid"),
        random_boxed(9, BoxedKind::Degenerate, 2).expect("valid"),
        random_boxed(9, BoxedKind::Infeasible, 2).expect("valid"),
    ];
    for problem in &problems {
        for entry in ENTRIES {
            let Ok((first, a)) = run(entry.name, problem, &Stop::default()) else { continue };
            let (second, b) = run(entry.name, problem, &Stop::default()).expect("accepted");
            assert_eq!(first.counts, second.counts, "{}", entry.name);
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&a.lambda), bits(&b.lambda), "{}", entry.name);
            assert_eq!(bits(&a.certificate), bits(&b.certificate), "{}", entry.name);
        }
    }
}
