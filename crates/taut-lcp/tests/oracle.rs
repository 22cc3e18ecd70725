//! Every exact method agrees with enumeration: λ on definite problems, w and
//! status on all (w is unique even where λ is not).

mod common;

use common::{check_certificate, diagonal, distance, run};
use taut_lcp::generate::{BoxedKind, random_boxed};
use taut_lcp::{Iterate, Problem, Report, Status, Stop, registry};

/// What enumeration says must follow from how the problem was made.
fn oracle(problem: &Problem, kind: BoxedKind, seed: u64) -> (Report, Iterate) {
    let (report, answer) = run("enumerate", problem, &Stop::default()).expect("accepted");
    if kind == BoxedKind::Infeasible {
        assert_eq!(report.status, Status::Infeasible, "{kind:?} seed {seed}: {report:?}");
        let checked = check_certificate(problem, &answer.certificate);
        assert_eq!(checked, Ok(()), "{kind:?} seed {seed}");
    } else {
        assert_eq!(report.status, Status::Converged, "{kind:?} seed {seed}: {report:?}");
        assert!(report.verdict.relative_residual < 1e-12, "{kind:?} seed {seed}: {report:?}");
    }
    (report, answer)
}

/// How a method differs from the oracle, if it does.
fn compare(
    name: &str,
    problem: &Problem,
    kind: BoxedKind,
    truth: &(Report, Iterate),
) -> Result<(), String> {
    let (report, answer) = run(name, problem, &Stop::default()).map_err(|e| e.to_string())?;
    if report.status != truth.0.status {
        return Err(format!(
            "{:?}, residual {:e}",
            report.status, report.verdict.relative_residual
        ));
    }
    if report.status == Status::Infeasible {
        return check_certificate(problem, &answer.certificate);
    }
    let w = distance(&answer.w, &truth.1.w, |_| 1.0) / problem.scale();
    // The residual is below 1e-9; what it leaves of an error depends on the
    // smallest eigenvalue that is not zero.
    if w > 1e-5 {
        return Err(format!("w differs by {w:e}"));
    }
    let d = diagonal(problem);
    let lambda = distance(&answer.lambda, &truth.1.lambda, |i| d[i]) / problem.scale();
    if kind == BoxedKind::Definite && lambda > 1e-6 {
        return Err(format!("λ differs by {lambda:e}"));
    }
    Ok(())
}

/// Runs all exact methods on `count` problems a kind, sizes from 1 to `max`.
fn sweep(count: u64, sizes: std::ops::RangeInclusive<usize>) {
    let mut failures = Vec::new();
    for kind in BoxedKind::ALL {
        for seed in 0..count {
            let span = sizes.end() - sizes.start() + 1;
            let n = sizes.start() + seed as usize % span;
            let problem = random_boxed(n, kind, seed).expect("valid");
            let truth = oracle(&problem, kind, seed);
            for entry in registry::ENTRIES.iter().filter(|e| e.exact && e.name != "enumerate") {
                if let Err(why) = compare(entry.name, &problem, kind, &truth) {
                    failures.push(format!("{} on {kind:?} n {n} seed {seed}: {why}", entry.name));
                }
            }
        }
    }
    let shown = &failures[..failures.len().min(40)];
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), shown.join("\n"));
}

/// 10,000 problems, 2500 of each kind.
#[test]
fn small_problems() {
    sweep(2500, 1..=6);
}

/// 200 problems, 50 of each kind.
#[test]
fn larger_problems() {
    sweep(50, 7..=10);
}

/// For a quiet hour: `cargo test -p taut-lcp --test oracle -- --ignored`.
#[test]
#[ignore = "half a minute"]
fn many_problems() {
    sweep(40_000, 1..=6);
    sweep(4_000, 7..=10);
}
