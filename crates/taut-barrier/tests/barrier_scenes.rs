//! Nothing intersects in any step, judged without rounding. Larger scenes run in `examples/barrier_scenes.rs`.

use taut_barrier::{Settings, scenes};

/// Runs a scene for so many steps of 0.01 s.
fn run(name: &str, steps: usize) {
    let built = scenes::named(name, Settings::default()).expect("a scene");
    let mut system = built.expect("it builds");
    for step in 0..steps {
        let report = system.step(0.01).expect("a step");
        assert!(report.converged(), "{name}, step {step}: {report:?}");
        assert_eq!(system.intersection(), None, "{name}, step {step}");
    }
}

#[test]
fn spikes_wedges_cliffs() {
    for (name, steps) in [
        ("spike-on-spike", 40),
        ("spike-on-wedge", 40),
        ("wedge-on-wedge", 40),
        ("parallel-wedges", 30),
        ("spike-in-crack", 40),
        ("wedge-in-crack", 40),
        ("spike-in-hole", 30),
        ("sliding-spike", 30),
        ("sliding-wedge", 30),
        ("cliff-edge", 40),
        ("internal-edges", 30),
    ] {
        run(name, steps);
    }
}

#[test]
fn rings_gears_and_threads() {
    run("hanging", 20);
    run("gears", 5);
    run("bolt-and-nut", 2);
}

#[test]
fn every_scene_is_built_and_named_once() {
    for name in scenes::NAMES {
        let built = scenes::named(name, Settings::default()).expect("a scene");
        let system = built.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(system.intersection(), None, "{name}");
    }
    assert!(scenes::named("nothing", Settings::default()).is_none());
}

/// A block on a tessellated floor slides as on a smooth one, by Coulomb's law, within 3 %: over inner edges more pairs are in reach, and it is
/// lifted and let down by a few hundredths of a millimetre.
#[test]
fn inner_edges_do_not_stop_a_block() {
    let built = scenes::named("internal-edges", Settings::default()).expect("a scene");
    let mut system = built.expect("it builds");
    for _ in 0..50 {
        assert!(system.step(0.01).expect("a step").converged());
    }
    let v = system.velocity(1).expect("a block");
    let speed = (v[0] * v[0] + v[1] * v[1]).sqrt();
    let start = (2.0_f64 * 2.0 + 0.3 * 0.3).sqrt();
    let law = start - 0.1 * 9.81 * 0.5;
    assert!((speed / law - 1.0).abs() < 0.03, "{speed} for {law}");
    assert!((v[1] / v[0] - 0.15).abs() < 3e-3 && v[2].abs() < 1e-2, "{v:?}");
}
