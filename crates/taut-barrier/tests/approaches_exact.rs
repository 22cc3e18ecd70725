//! As d̂ and ε_v go to zero, barriers give what the exact engine does: a block that falls, slides and stops.

use taut::math::Vec3;
use taut::{Body, Integrator, Material, Shape, World};
use taut_barrier::{Mesh, Settings, System};

const H: f64 = 0.01;
const STEPS: usize = 60;

/// Where the block ends by complementarity.
fn exact() -> [f64; 3] {
    let mut world = World::new();
    // The same rule in time, so that contact alone makes a difference.
    world.settings_mut().integrator = Integrator::SemiImplicitEuler;
    let material = Material { friction: 0.5, ..Material::default() };
    let ground = Shape::Box { half_extents: Vec3::new(5.0, 5.0, 0.5) };
    let ground = Body::fixed("ground").shape(ground).position(Vec3::new(0.0, 0.0, -0.5));
    world.add_body(ground.material(material)).expect("a body");
    let shape = Shape::Box { half_extents: Vec3::new(0.2, 0.2, 0.05) };
    let block = Body::dynamic("block").shape(shape).density(1000.0).material(material);
    let block = block.position(Vec3::new(0.0, 1.0, 0.05)).velocity(Vec3::new(1.5, 0.0, 0.0));
    let block = world.add_body(block).expect("a body");
    for _ in 0..STEPS {
        assert!(world.step(H).expect("a step").converged());
    }
    let p = world.body(block).expect("a body").position();
    [p.x, p.y, p.z]
}

/// Where it ends by barriers that reach d̂. It settles first: from any other gap the barrier would throw it up.
fn barriers(reach: f64) -> [f64; 3] {
    let settings = Settings {
        reach,
        creep: 10.0 * reach,
        tolerance: 1e-3 * reach,
        friction_rounds: 3,
        ..Settings::default()
    };
    let mut system = System::new(settings).expect("settings");
    let ground = Mesh::block([5.0, 5.0, 0.5]).expect("a mesh").moved([0.0, 0.0, -0.5]);
    system.add_fixed("ground", &ground, 0.5).expect("a body");
    let block = Mesh::block([0.2, 0.2, 0.05]).expect("a mesh");
    let block = block.moved([0.0, 1.0, 0.05 + 0.95 * reach]);
    let block = system.add_rigid("block", &block, 1000.0, 0.5).expect("a body");
    for _ in 0..100 {
        assert!(system.step(H).expect("a step").converged());
    }
    system.set_velocity(block, [1.5, 0.0, 0.0], [0.0; 3]).expect("a velocity");
    for _ in 0..STEPS {
        assert!(system.step(H).expect("a step").converged());
    }
    system.position(block).expect("a body")
}

#[test]
fn answers_approach_the_exact_one() {
    let wanted = exact();
    let mut last = f64::INFINITY;
    for reach in [4e-3, 1e-3, 2.5e-4, 6.25e-5] {
        let found = barriers(reach);
        let (across, up) = ((found[0] - wanted[0]).abs(), found[2] - wanted[2]);
        // It rests within reach. Where it stops is off by the first order of ε_v and d̂: four times less, a quarter of the error.
        assert!(up > 0.0 && up < reach, "{reach}: {up}");
        assert!(across < last / 3.0, "{reach}: {across} after {last}");
        last = across;
    }
    assert!(last < 1e-5, "{last}");
}
