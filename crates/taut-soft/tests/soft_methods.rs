//! Forms and approximations of contacts of soft bodies, against one another.

use taut_lcp::Status;
use taut_soft::{Mass, Material, Mesh, Method, Model, RigidBody, SoftBody, Solid, System, Vec3};

const H: f64 = 1.0 / 60.0;

fn block(young: f64, cells: usize, at: Vec3) -> SoftBody {
    let material = Material::new(Model::Corotational, young, 0.3).expect("a material");
    let mesh = Mesh::block([0.2; 3], [cells; 3]).expect("a block").moved(at);
    let solid = Solid::new(mesh, material, 1000.0, Mass::Lumped).expect("a solid");
    SoftBody::new(solid).expect("a body").damped(0.0, 0.01).expect("damped")
}

/// A block that slides and falls onto the ground with a plate welded and a ball loose on it.
fn scene(friction: f64, method: Method) -> System {
    let mut system = System::new([1.0, 0.0, -9.81]).expect("a system").solved_by(method);
    system.add_rigid(RigidBody::ground().with_friction(friction).expect("friction"));
    let plate = RigidBody::cuboid([0.1, 0.1, 0.01], 20.0).expect("a plate").at([0.1, 0.1, 0.215]);
    let plate = system.add_rigid(plate);
    let ball = RigidBody::ball(0.05, 3.0).expect("a ball").at([-0.055, 0.1, 0.1]);
    system.add_rigid(ball.with_friction(friction).expect("friction"));
    let soft = system.add_soft(block(2e5, 3, [0.0, 0.0, 0.002]));
    let top: Vec<usize> = (0..64).filter(|k| k % 4 == 3 && k / 4 % 4 == 0).collect();
    top.iter().for_each(|&k| system.attach(soft, k, plate).expect("a node"));
    system
}

fn velocities(system: &System) -> Vec<f64> {
    let soft = system.softs()[0].velocities().as_flattened().iter().copied();
    soft.chain(system.rigids().iter().flat_map(|r| r.velocity())).collect()
}

fn difference(a: &System, b: &System) -> f64 {
    let (a, b) = (velocities(a), velocities(b));
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// One step by another method from where `frames` steps of the dual form lead.
fn after(frames: usize, friction: f64, method: Method) -> (System, taut_soft::SystemReport) {
    let mut system = scene(friction, Method::Dual);
    for _ in 0..frames {
        assert_eq!(system.step(H).expect("a step").status, Status::Converged);
    }
    let mut system = system.solved_by(method);
    let report = system.step(H).expect("a step");
    (system, report)
}

#[test]
fn dual_and_primal_agree() {
    for friction in [0.0, 0.5] {
        for frames in [0, 1, 3, 8, 20] {
            let (dual, _) = after(frames, friction, Method::Dual);
            let (primal, report) = after(frames, friction, Method::Primal);
            assert_eq!(report.status, Status::Converged, "{report:?}");
            assert_eq!(report.method, Method::Primal);
            let apart = difference(&dual, &primal);
            assert!(apart <= 1e-10, "friction {friction}, {frames} frames: {apart:e} m/s");
        }
    }
}

/// Anticipation converges to the exact answer, of which a single pass and the mass matrix are far.
#[test]
fn approximations_are_what_they_are() {
    let (exact, _) = after(3, 0.5, Method::Dual);
    let (ica, report) = after(3, 0.5, Method::Ica);
    assert_eq!(report.status, Status::Converged, "{report:?}");
    let apart = difference(&exact, &ica);
    assert!(apart < 1e-6 && report.passes > 20, "{apart:e} in {} passes", report.passes);
    let (once, _) = after(3, 0.5, Method::WD);
    let (explicit, _) = after(3, 0.5, Method::WM);
    assert!(difference(&exact, &once) > 1e-3 && difference(&exact, &explicit) > 1e-3);
}

/// Explicit elastic forces follow short steps and explode with long ones, where the exact form does not.
#[test]
fn explicit_forces_need_short_steps() {
    let height = |method: Method, h: f64| {
        let mut system = System::new([0.0, 0.0, -9.81]).expect("a system").solved_by(method);
        system.add_rigid(RigidBody::ground());
        system.add_soft(block(1e5, 2, [0.0; 3]));
        for _ in 0..(0.1 / h) as usize {
            if system.step(h).is_err() {
                return f64::NAN;
            }
        }
        system.softs()[0].positions().iter().fold(0.0_f64, |m, x| m.max(x[2].abs()))
    };
    let (exact, short) = (height(Method::Dual, 1e-4), height(Method::WM, 1e-4));
    assert!((exact - short).abs() < 1e-4, "{exact} {short}");
    let (exact, long) = (height(Method::Dual, H), height(Method::WM, H));
    assert!((exact - 0.2).abs() < 0.01, "{exact}");
    assert!(long.is_nan() || long > 1.0, "{long}");
}

/// The form is chosen by cost.
#[test]
fn few_contacts_are_dual() {
    let (_, report) = after(3, 0.5, Method::Auto);
    assert_eq!(report.method, Method::Dual, "{report:?}");
}
