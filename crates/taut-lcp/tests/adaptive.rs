//! Adaptive regularization: it must not change answers, unless asked to; and
//! then only by the slip it promises.

mod common;

use common::{INF, diagonal, distance, run, run_config};
use taut_lcp::generate::{BoxedKind, MultibodyOptions, multibody, random_boxed};
use taut_lcp::matrix_free::pgcg;
use taut_lcp::pivoting::{adaptive, bpp};
use taut_lcp::teaching::murty;
use taut_lcp::{Iterate, Law, Problem, Report, SolverConfig, Status, Stop};

/// Impatient enough to soften rows of small problems.
const COMPLIANCE: f64 = 1e-2;

fn configs(keep: bool) -> [SolverConfig; 3] {
    let settings = adaptive::Settings { pivot_limit: 1, compliance: COMPLIANCE, keep };
    let adaptive = Some(settings);
    [
        SolverConfig::Bpp(bpp::Settings { adaptive: adaptive.clone(), ..Default::default() }),
        SolverConfig::Murty(murty::Settings { adaptive: adaptive.clone(), ..Default::default() }),
        // From all rows free: more of them pivot.
        SolverConfig::Pgcg(pgcg::Settings { adaptive, sweeps: 0, ..Default::default() }),
    ]
}

fn problems() -> impl Iterator<Item = Problem> {
    let boxed = (0..60).map(|seed| random_boxed(8, BoxedKind::Definite, seed).expect("valid"));
    let singular = (0..40).map(|seed| random_boxed(8, BoxedKind::Semidefinite, seed));
    let options = MultibodyOptions { links: 0, pile: 4, ..Default::default() };
    let piles = (0..20).map(move |seed| multibody(&options, seed).expect("valid"));
    boxed.chain(singular.map(|p| p.expect("valid"))).chain(piles)
}

fn solve(config: &SolverConfig, problem: &Problem) -> (Report, Iterate) {
    run_config(config, problem, &Stop::default()).expect("accepted")
}

#[test]
fn the_problem_as_posed_is_solved() {
    for config in configs(false) {
        let mut softened = 0;
        for (k, problem) in problems().enumerate() {
            let (report, answer) = solve(&config, &problem);
            assert_eq!(report.status, Status::Converged, "{} on {k}", config.name());
            softened += usize::from(report.counts.regularized > 0);
            let (_, plain) = run("bpp", &problem, &Stop::default()).expect("accepted");
            let w = distance(&answer.w, &plain.w, |_| 1.0) / problem.scale();
            assert!(w < 1e-6, "{} on {k}: w differs by {w:e}", config.name());
        }
        assert!(softened >= 3, "{}: only {softened} problems tried it", config.name());
    }
}

/// What is kept: softened rows slip against their impulse, by a share of λ; all
/// others obey their law.
#[test]
fn a_kept_answer_slips_and_nothing_else() {
    for config in configs(true) {
        let mut slipping = 0;
        for (k, problem) in problems().enumerate() {
            let (report, answer) = solve(&config, &problem);
            let what = format!("{} on {k}: {report:?}", config.name());
            if report.counts.regularized == 0 || report.counts.fell_back {
                assert_eq!(report.status, Status::Converged, "{what}");
                continue;
            }
            let a = diagonal(&problem);
            let mut rows = 0;
            for (i, law) in problem.laws_by_row() {
                let (lo, hi) = law.bounds();
                let (l, w) = (answer.lambda[i], answer.w[i]);
                let r = (a[i] * (l - (l - w / a[i]).clamp(lo, hi))).abs();
                if r <= 2e-9 * problem.scale() {
                    continue;
                }
                rows += 1;
                assert!(lo > -INF && hi < INF, "{what}: row {i} is not friction");
                // ε of one, two, … times the compliance, as often as it was hit.
                let epsilon = -w / (a[i] * l);
                let times = epsilon / COMPLIANCE;
                assert!(times > 0.9 && (times - times.round()).abs() < 1e-4, "{what}: {times}");
            }
            assert!(rows <= report.counts.regularized, "{what}: {rows} rows slip");
            let honest = if rows > 0 { Status::Stalled } else { Status::Converged };
            assert_eq!(report.status, honest, "{what}");
            slipping += usize::from(rows > 0);
        }
        assert!(slipping >= 3, "{}: {slipping} problems", config.name());
    }
}

#[test]
fn friction_boxes_count_as_friction() {
    let mut laws = 0;
    for problem in problems() {
        laws += problem.laws.iter().filter(|l| matches!(l, Law::FrictionBox { .. })).count();
    }
    assert!(laws > 0, "no problem has friction");
}

#[test]
fn settings_are_checked() {
    for (pivot_limit, compliance) in [(0, 1e-3), (10, 0.0), (10, f64::NAN)] {
        let adaptive = Some(adaptive::Settings { pivot_limit, compliance, keep: false });
        let bpp =
            SolverConfig::Bpp(bpp::Settings { adaptive: adaptive.clone(), ..Default::default() });
        let murty = SolverConfig::Murty(murty::Settings {
            adaptive: adaptive.clone(),
            ..Default::default()
        });
        let pgcg = SolverConfig::Pgcg(pgcg::Settings { adaptive, ..Default::default() });
        assert!(bpp.build().is_err() && murty.build().is_err() && pgcg.build().is_err());
    }
}
