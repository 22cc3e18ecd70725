//! Soft bodies against rigid ones: closed forms of loads, friction and attachments.

use taut_lcp::Status;
use taut_soft::{
    Mass, Material, Mesh, Model, RigidBody, SoftBody, Solid, System, SystemReport, Vec3,
};

const G: f64 = 9.81;
const H: f64 = 1.0 / 60.0;

fn block(size: Vec3, cells: [usize; 3], at: Vec3, model: Model) -> SoftBody {
    let material = Material::new(model, 1e6, 0.0).expect("a material");
    let mesh = Mesh::block(size, cells).expect("a block").moved(at);
    let solid = Solid::new(mesh, material, 1000.0, Mass::Lumped).expect("a solid");
    SoftBody::new(solid).expect("a body").damped(0.0, 0.02).expect("damped")
}

fn step(system: &mut System) -> SystemReport {
    let report = system.step(H).expect("no mistake");
    assert_eq!(report.status, Status::Converged);
    report
}

/// A plate on a cube of 8 kg on the ground.
fn press(mass: f64, cells: usize, friction: f64) -> System {
    let mut system = System::new([0.0, 0.0, -G]).expect("a system");
    system.add_rigid(RigidBody::ground().with_friction(friction).expect("friction"));
    let plate = RigidBody::cuboid([0.15, 0.15, 0.01], mass).expect("a plate");
    system.add_rigid(plate.at([0.0, 0.0, 0.21]).with_friction(friction).expect("friction"));
    system.add_soft(block([0.2; 3], [cells; 3], [-0.1, -0.1, 0.0], Model::Linear));
    system
}

#[test]
fn a_plate_on_a_cube_sinks_as_far_as_it_should_and_stays() {
    for mass in [20.0, 100.0, 1000.0] {
        let mut system = press(mass, 2, 0.5);
        let mut settled = [0.0; 3];
        let mut deepest = 0.0_f64;
        for frame in 0..3600 {
            deepest = deepest.max(step(&mut system).penetration);
            if frame == 1199 {
                settled = system.rigids()[1].position();
            }
        }
        let end = system.rigids()[1].position();
        // E A = 4e4 N; the mean load is the plate's and half of the cube's.
        let exact = 0.2 * (1.0 - (mass + 4.0) * G / 4e4);
        assert!((end[2] - 0.01 - exact).abs() < 1e-6, "{mass}: {} {exact}", end[2] - 0.01);
        assert!(deepest < 1e-6, "{mass}: {deepest}");
        for k in 0..3 {
            assert!((end[k] - settled[k]).abs() < 1e-9, "{mass}: {settled:?} {end:?}");
        }
        // Weight of plate and cube on the ground.
        let on_ground = |z: &f64| *z / H;
        let load: f64 = system
            .contacts()
            .iter()
            .filter(|c| c.rigid == 0)
            .map(|c| on_ground(&c.impulse[2]))
            .sum();
        assert!((load / ((mass + 8.0) * G) - 1.0).abs() < 1e-6, "{load}");
    }
}
