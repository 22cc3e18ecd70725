//! Soft bodies against rigid ones: closed forms of loads, friction and attachments.

use taut_lcp::Status;
use taut_soft::{Mass, Material, Mesh, Model, RigidBody, SoftBody, Solid, System, Vec3};

const G: f64 = 9.81;
const H: f64 = 1.0 / 60.0;

fn block(size: Vec3, cells: [usize; 3], at: Vec3, model: Model) -> SoftBody {
    let material = Material::new(model, 1e6, 0.0).expect("a material");
    let mesh = Mesh::block(size, cells).expect("a block").moved(at);
    let solid = Solid::new(mesh, material, 1000.0, Mass::Lumped).expect("a solid");
    SoftBody::new(solid).expect("a body").damped(0.0, 0.02).expect("damped")
}

/// A step that must converge; how deep the deepest node is.
fn step(system: &mut System) -> f64 {
    let report = system.step(H).expect("no mistake");
    assert_eq!(report.status, Status::Converged);
    report.penetration
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
            deepest = deepest.max(step(&mut system));
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

/// Solves a dense system by elimination with row exchanges.
fn solve_dense(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).expect("a row");
        a.swap(k, p);
        b.swap(k, p);
        for i in k + 1..n {
            let s = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= s * a[k][j];
            }
            b[i] -= s * b[k];
        }
    }
    for k in (0..n).rev() {
        let rest: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - rest) / a[k][k];
    }
    b
}

/// The answer by W against velocities and impulses together, [A −Jᵀ; J C], by dense elimination.
#[test]
fn dual_and_primal_agree() {
    let mut system = press(100.0, 2, 0.0);
    // While it moves: at rest, impulses within the tolerance stay as they are.
    for _ in 0..3 {
        step(&mut system);
    }
    let (x, v, plate) = (
        system.softs()[0].positions().to_vec(),
        system.softs()[0].velocities().to_vec(),
        (system.rigids()[1].position(), system.rigids()[1].velocity()),
    );
    step(&mut system);
    let solid = system.softs()[0].solid();
    let (nodes, contacts) = (x.len(), system.contacts());
    let active: Vec<_> = contacts.iter().filter(|c| c.impulse[2] != 0.0).collect();
    let n = 3 * nodes + 6;
    let size = n + active.len();
    let mut a = vec![vec![0.0; size]; size];
    let mut rhs = vec![0.0; size];
    let (mut k, mut gradient) = (Vec::new(), vec![[0.0; 3]; nodes]);
    solid.stiffness(&x, false, &mut k);
    solid.gradient(&x, &mut gradient);
    let (col_ptr, row_idx) = solid.pattern();
    for j in 0..nodes {
        for e in col_ptr[j] as usize..col_ptr[j + 1] as usize {
            let i = row_idx[e] as usize;
            for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                let mass = if r == c { solid.mass()[e] } else { 0.0 };
                let value = mass + (H * 0.02 + H * H) * k[9 * e + 3 * r + c];
                (a[3 * i + r][3 * j + c], a[3 * j + c][3 * i + r]) = (value, value);
            }
            assert!(i == j || solid.mass()[e] == 0.0);
            if i == j {
                for r in 0..3 {
                    let weight = if r == 2 { -G * solid.mass()[e] } else { 0.0 };
                    rhs[3 * j + r] = solid.mass()[e] * v[j][r] + H * (weight - gradient[j][r]);
                }
            }
        }
    }
    let inertia = [
        100.0,
        100.0,
        100.0,
        100.0 / 3.0 * (0.15_f64.powi(2) + 1e-4),
        100.0 / 3.0 * (0.15_f64.powi(2) + 1e-4),
        100.0 / 3.0 * 0.045,
    ];
    for r in 0..6 {
        a[3 * nodes + r][3 * nodes + r] = inertia[r];
        rhs[3 * nodes + r] = inertia[r] * plate.1[r] - if r == 2 { 100.0 * G * H } else { 0.0 };
    }
    for (k, c) in active.iter().enumerate() {
        let d = c.normal;
        let arm: Vec3 = [0, 1, 2].map(|k: usize| x[c.nodes[0]][k] - plate.0[k]);
        let turn = [
            arm[1] * d[2] - arm[2] * d[1],
            arm[2] * d[0] - arm[0] * d[2],
            arm[0] * d[1] - arm[1] * d[0],
        ];
        let mut put = |column: usize, value: f64| {
            a[n + k][column] += value;
            a[column][n + k] -= value;
        };
        for r in 0..3 {
            put(3 * c.nodes[0] + r, d[r]);
            if c.rigid == 1 {
                put(3 * nodes + r, -d[r]);
                put(3 * nodes + 3 + r, -turn[r]);
            }
        }
        rhs[n + k] = -c.gap / H;
    }
    // C is 1e-9 of the diagonal of J A⁻¹ Jᵀ.
    let masses: Vec<Vec<f64>> = a[..n].iter().map(|row| row[..n].to_vec()).collect();
    for k in n..size {
        let j = a[k][..n].to_vec();
        let response = solve_dense(masses.clone(), j.clone());
        a[k][k] = 1e-9 * j.iter().zip(&response).map(|(a, b)| a * b).sum::<f64>();
    }
    let exact = solve_dense(a, rhs);
    let fastest = exact[..n].iter().fold(0.0_f64, |m, u| m.max(u.abs()));
    let u = system.softs()[0].velocities().as_flattened().to_vec();
    let worst = u.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst <= 1e-10 * fastest.max(1.0), "{worst:e}");
    let hardest = exact[n..].iter().fold(0.0_f64, |m, u| m.max(u.abs()));
    for (c, exact) in active.iter().zip(&exact[n..]) {
        let found = c.impulse[2] * c.normal[2];
        // The solver's tolerance, 1e-9 of a velocity, is more of an impulse on a light node.
        assert!((found - exact).abs() <= 1e-6 * hardest, "{found} {exact}");
    }
}

/// Gravity turns until the slope is a little less and a little more than the angle of friction.
#[test]
fn a_block_on_a_slope_sticks_and_slides_at_the_angle_of_friction() {
    let mu: f64 = 0.5;
    for (share, slides) in [(0.97, false), (1.03, true)] {
        let mut system = System::new([0.0, 0.0, -G]).expect("a system");
        system.add_rigid(RigidBody::ground().with_friction(mu).expect("friction"));
        system.add_soft(block([0.4, 0.4, 0.1], [4, 4, 1], [0.0; 3], Model::Corotational));
        let angle = (share * mu).atan();
        for frame in 0..240 {
            let now = angle * (f64::from(frame) / 60.0).min(1.0);
            system.set_gravity([G * now.sin(), 0.0, -G * now.cos()]).expect("finite");
            step(&mut system);
        }
        let middle = |s: &System| s.softs()[0].positions().iter().map(|x| x[0]).sum::<f64>() / 50.0;
        let (before, time) = (middle(&system), 120.0 * H);
        let speed = system.softs()[0].momentum()[0][0] / 16.0;
        for _ in 0..120 {
            step(&mut system);
        }
        let way = middle(&system) - before;
        // Once it slides: a = g (sin − μ cos).
        let expected =
            speed * time + 0.5 * G * (angle.sin() - mu * angle.cos()) * time * (time + H);
        if slides {
            assert!((way / expected - 1.0).abs() < 0.02, "{way} {expected}");
        } else {
            assert!(way.abs() < 1e-9, "{way:e}");
        }
    }
}

/// Two pads welded to fingers squeeze a box: it is held while twice friction times the force of the pads is more than its weight.
#[test]
fn a_gripper_holds_what_friction_holds() {
    // Pads of 0.1 m × 0.1 m and 0.05 m: E A/t = 2e5 N/m, so by 1 mm 200 N; both with μ = ½ hold 200 N.
    for (share, holds) in [(0.98, true), (1.02, false)] {
        let squeeze = 1e-3;
        let mass = share * 200.0 / G;
        let mut system = System::new([0.0; 3]).expect("a system");
        let cube = RigidBody::cuboid([0.05, 0.1, 0.1], mass).expect("a box");
        let cube = system.add_rigid(cube.with_friction(0.5).expect("friction"));
        for side in [-1.0, 1.0] {
            // The finger has no surface that pads would touch: its ball is far away.
            let finger = system.add_rigid(RigidBody::fixed(taut_sdf::Ball {
                centre: [0.0, 9.0, 0.0],
                radius: 0.1,
            }));
            let left = if side < 0.0 { -0.1 } else { 0.05 };
            let mut pad = block([0.05, 0.1, 0.1], [2, 4, 4], [left, -0.05, -0.05], Model::Linear);
            for x in pad.positions_mut() {
                // Pressed evenly, from outside.
                x[0] -= side * squeeze * (x[0].abs() - 0.05) / 0.05;
            }
            let outer: Vec<usize> = (0..pad.positions().len())
                .filter(|&k| pad.positions()[k][0].abs() > 0.1 - 1.5 * squeeze)
                .collect();
            assert_eq!(outer.len(), 25);
            let pad = system.add_soft(pad);
            outer.iter().for_each(|&k| system.attach(pad, k, finger).expect("there"));
        }
        for frame in 0..360 {
            let now = G * (f64::from(frame) / 240.0).min(1.0);
            // Only the box is heavy: what pads weigh their fingers bear.
            system.set_gravity([0.0, 0.0, -now]).expect("finite");
            for soft in system.softs_mut() {
                let lift: Vec<f64> = masses(soft).iter().map(|m| m * now).collect();
                soft.forces_mut().iter_mut().zip(lift).for_each(|(f, l)| f[2] = l);
            }
            step(&mut system);
        }
        let speed = system.rigids()[cube].velocity()[2];
        if holds {
            assert!(speed.abs() < 1e-6, "{speed}");
            let load: f64 = system.contacts().iter().map(|c| c.impulse[2]).sum();
            assert!((-load / H / (mass * G) - 1.0).abs() < 1e-6, "{load}");
        } else {
            assert!(speed < -0.05, "{speed}");
        }
    }
}

fn masses(soft: &SoftBody) -> Vec<f64> {
    let (col_ptr, _) = soft.solid().pattern();
    col_ptr[..col_ptr.len() - 1].iter().map(|&k| soft.solid().mass()[k as usize]).collect()
}

/// A ball shot at a soft block on the ground does not pass through, and nothing ends deep.
#[test]
fn fast_bodies_do_not_pass_through() {
    for speed in [5.0, 50.0] {
        let mut system = System::new([0.0, 0.0, -G]).expect("a system").relinearizations(3);
        system.add_rigid(RigidBody::ground().with_friction(0.5).expect("friction"));
        let ball = RigidBody::ball(0.1, 2.0).expect("a ball").at([0.02, 0.01, 0.45]);
        let ball = system.add_rigid(ball.moving([0.0, 0.0, -speed, 0.0, 0.0, 0.0]));
        system.add_soft(block([0.3; 3], [4; 3], [-0.15, -0.15, 0.0], Model::StableNeoHookean));
        for _ in 0..60 {
            let _ = system.step(H).expect("no mistake");
            assert!(system.rigids()[ball].position()[2] > 0.1, "{speed}");
        }
        // Thrown back up, or at rest on top.
        assert!(system.rigids()[ball].position()[2] > 0.3, "{speed}");
    }
}

/// A box smaller than the faces it stands on: only its corners hold it, and all of its weight.
#[test]
fn a_small_box_stands_on_its_corners() {
    let mut system = System::new([0.0, 0.0, -G]).expect("a system");
    system.add_rigid(RigidBody::ground().with_friction(0.5).expect("friction"));
    let small = RigidBody::cuboid([0.02; 3], 5.0).expect("a box").at([0.05, 0.02, 0.13]);
    let small = system.add_rigid(small.with_friction(0.5).expect("friction"));
    system.add_soft(block([0.4, 0.4, 0.1], [2, 2, 1], [-0.2, -0.2, 0.0], Model::Corotational));
    let mut deepest = 0.0_f64;
    for _ in 0..300 {
        deepest = step(&mut system);
    }
    assert!(deepest < 1e-6, "{deepest}");
    let on_box: Vec<_> = system.contacts().iter().filter(|c| c.rigid == small).collect();
    let load: f64 = on_box.iter().map(|c| -c.impulse[2] / H).sum();
    assert!((load / (5.0 * G) - 1.0).abs() < 1e-5, "{load}");
    assert!(system.rigids()[small].velocity().iter().all(|v| v.abs() < 1e-5));
}

#[test]
fn mistakes_are_errors() {
    assert!(System::new([0.0, f64::NAN, 0.0]).is_err());
    assert!(RigidBody::cuboid([1.0; 3], 0.0).is_err());
    assert!(RigidBody::cuboid([0.0; 3], 1.0).is_err());
    assert!(RigidBody::ground().with_friction(-0.1).is_err());
    let mut system = press(10.0, 1, 0.0);
    assert!(system.attach(1, 0, 0).is_err());
    assert!(system.attach(0, 99, 0).is_err());
    assert!(system.attach(0, 0, 2).is_err());
    assert!(system.step(-1.0).is_err());
    system.rigids_mut()[1].set_velocity([f64::NAN; 6]);
    assert!(system.step(H).is_err());
}

/// The same run twice gives the same bits.
#[test]
fn runs_repeat_to_the_bit() {
    let run = || {
        let mut system = press(100.0, 2, 0.5);
        (0..30).for_each(|_| {
            step(&mut system);
        });
        let x: Vec<u64> =
            system.softs()[0].positions().as_flattened().iter().map(|x| x.to_bits()).collect();
        (x, system.rigids()[1].position().map(f64::to_bits))
    };
    assert_eq!(run(), run());
}
