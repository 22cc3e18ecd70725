//! Substructuring on a real machine: every step is solved by coupling, and the
//! judge agrees. (Random problems are in the tests of `taut-lcp`.)

use taut::lcp::solver::solve;
use taut::lcp::{Iterate, Judge, SolverConfig, Status, Stop};

#[test]
fn cranes_are_coupled_to_the_last_digit() {
    let cranes = taut_scenes::builtin::find("tandem-cranes").expect("known");
    let mut scene = cranes.file(None).build().expect("valid");
    scene.world.settings_mut().friction = taut::FrictionMode::Box;
    let mut solver = SolverConfig::named("schur_bpp").expect("known").build().expect("valid");
    let (mut iterate, mut judge) = (Iterate::default(), Judge::default());
    for step in 0..6 {
        let _ = scene.step().expect("solved");
        let problem = scene.world.problem().expect("valid");
        let stop = Stop::default();
        let report = solve(solver.as_mut(), &problem, &stop, &mut iterate, &mut judge, &mut ());
        let report = report.expect("accepted");
        assert_eq!(report.status, Status::Converged, "step {step}: {report:?}");
        assert!(!report.counts.fell_back, "step {step}");
        assert!(report.verdict.energy_error < 1e-12, "step {step}: {report:?}");
        if step > 0 {
            assert!(report.counts.iterations <= 3, "step {step}: {report:?}");
        }
    }
}
