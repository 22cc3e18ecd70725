//! Coulomb's cone, the default, in every step of built-in scenes: what is called converged obeys
//! the law to 1e-8, at the compliance that the step reports.

use taut_scenes::builtin;

#[test]
fn every_step_obeys_coulombs_law() {
    for (name, size, frames) in [
        ("tower", Some(24), 40),
        ("rocks", Some(12), 40),
        ("winch", Some(16), 40),
        ("vehicle", None, 20),
        ("domino", Some(10), 60),
        ("incline", None, 40),
        ("heavy-stack", None, 20),
    ] {
        let mut scene = builtin::find(name).expect("known").file(size).build().expect("valid");
        for frame in 0..frames {
            let report = scene.step().expect("step");
            assert!(report.converged(), "{name} {frame}: {report:?}");
            assert!(report.contact_compliance <= 1e-3, "{name} {frame}: {report:?}");
            if report.contact_compliance == 0.0 {
                assert!(report.relative_residual <= 1e-8, "{name} {frame}: {report:?}");
            }
        }
    }
}

/// Rigid bodies leave forces undetermined; contacts that give way to changes of their force decide them, so
/// that the solver need not soften the problem. (Without, a third of these steps were softened.)
#[test]
fn hardly_any_step_is_softened() {
    for (name, size, frames) in
        [("vehicle", None, 120), ("chain-drop", Some(60), 60), ("domino", Some(20), 90)]
    {
        let mut scene = builtin::find(name).expect("known").file(size).build().expect("valid");
        let mut softened = 0;
        for frame in 0..frames {
            let report = scene.step().expect("step");
            assert!(report.converged(), "{name} {frame}: {report:?}");
            softened += usize::from(report.contact_compliance > 0.0);
        }
        assert!(10 * softened <= frames, "{name}: {softened} of {frames}");
    }
}
