//! Sweeps with subspace solves, against enumeration and pivoting.

mod common;

use common::{diagonal, distance, run, run_config};
use taut_lcp::generate::{BoxedKind, MultibodyOptions, multibody, random_boxed};
use taut_lcp::subspace::pgs_sm;
use taut_lcp::{Backend, SolverConfig, Status, Stop};

const SOLVERS: [&str; 1] = ["pgs_sm"];

/// λ of definite problems, w of all, as enumeration has them.
#[test]
fn small_problems_have_the_answer_of_enumeration() {
    for kind in [BoxedKind::Definite, BoxedKind::Semidefinite, BoxedKind::Degenerate] {
        for seed in 0..40 {
            let problem = random_boxed(7, kind, seed).expect("valid");
            let (_, truth) = run("enumerate", &problem, &Stop::default()).expect("accepted");
            for name in SOLVERS {
                let (report, answer) = run(name, &problem, &Stop::default()).expect("accepted");
                let what = format!("{name} on {kind:?} {seed}");
                assert_eq!(report.status, Status::Converged, "{what}: {report:?}");
                let w = distance(&answer.w, &truth.w, |_| 1.0) / problem.scale();
                assert!(w < 1e-6, "{what}: w differs by {w:e}");
                let d = diagonal(&problem);
                let lambda = distance(&answer.lambda, &truth.lambda, |i| d[i]) / problem.scale();
                assert!(kind != BoxedKind::Definite || lambda < 1e-6, "{what}: λ {lambda:e}");
            }
        }
    }
}

/// Where sweeps alone are hopeless: mass ratios of a million.
#[test]
fn chains_with_heavy_ends() {
    for backend in [Backend::Dual, Backend::Primal] {
        let options = MultibodyOptions { links: 30, pile: 6, mass_ratio: 1e6, compliance: 1e-9 };
        for seed in 0..3 {
            let problem = multibody(&options, seed).expect("valid");
            let settings = pgs_sm::Settings { backend: Some(backend), ..Default::default() };
            let config = SolverConfig::PgsSm(settings);
            let (report, answer) =
                run_config(&config, &problem, &Stop::default()).expect("accepted");
            assert_eq!(report.status, Status::Converged, "{report:?}");
            assert_eq!(report.choice.backend, Some(backend));
            let (_, exact) = run("bpp", &problem, &Stop::default()).expect("accepted");
            let w = distance(&answer.w, &exact.w, |_| 1.0) / problem.scale();
            assert!(w < 1e-8, "seed {seed}: w differs by {w:e}");
            let (sweeps, _) = run("pgs", &problem, &Stop::default()).expect("accepted");
            assert_ne!(sweeps.status, Status::Converged, "seed {seed} is too easy");
        }
    }
}

/// Without subspace solves it is Gauss-Seidel, sweep by sweep.
#[test]
fn no_subspace_is_gauss_seidel() {
    let problem = random_boxed(12, BoxedKind::Definite, 3).expect("valid");
    let settings = pgs_sm::Settings { sweeps: 7, subspace_solves: 0, ..Default::default() };
    let stop = Stop { tolerance: 0.0, max_iterations: Some(3) };
    let (_, answer) =
        run_config(&SolverConfig::PgsSm(settings), &problem, &stop).expect("accepted");
    let stop = Stop { max_iterations: Some(21), ..stop };
    let (_, sweeps) = run("pgs", &problem, &stop).expect("accepted");
    assert_eq!(answer.lambda, sweeps.lambda);
}

#[test]
fn settings_are_checked() {
    let settings = pgs_sm::Settings { sweeps: 0, ..Default::default() };
    assert!(SolverConfig::PgsSm(settings).build().is_err());
}
