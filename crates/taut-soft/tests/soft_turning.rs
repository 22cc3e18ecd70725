//! Steps of implicit Euler that turn: angular momentum is kept, and turning costs no energy.

use taut_soft::{Integrator, Mass, Material, Mesh, Model, SoftBody, Solid, Vec3};

const H: f64 = 1.0 / 60.0;

fn body(mesh: Mesh, young: f64) -> SoftBody {
    let material = Material::new(Model::Corotational, young, 0.3).expect("a material");
    SoftBody::new(Solid::new(mesh, material, 1000.0, Mass::Lumped).expect("a solid"))
        .expect("a body")
}

/// A step as scenes take it where something is near.
fn turning_step(body: &mut SoftBody, gravity: Vec3) -> f64 {
    let mut u = body.free_turn(H);
    let still = vec![[0.0; 3]; u.len()];
    let mut left = 1.0;
    for time in 0..8 {
        body.turn_with(H, &u);
        u = body.linearize(H, gravity, &u, time == 0).expect("a factor");
        body.turn_with(H, &u);
        left = body.residual(H, gravity, &u, &still);
        if left < 1e-9 {
            break;
        }
    }
    let end = body.end_velocities(H, gravity, &u, &still);
    body.advance(H, &u);
    body.velocities_mut().copy_from_slice(&end);
    left
}

fn spin(body: &mut SoftBody, rate: Vec3, about: Vec3) {
    let x = body.positions().to_vec();
    for (v, x) in body.velocities_mut().iter_mut().zip(x) {
        let r = [x[0] - about[0], x[1] - about[1], x[2] - about[2]];
        *v = [
            rate[1] * r[2] - rate[2] * r[1],
            rate[2] * r[0] - rate[0] * r[2],
            rate[0] * r[1] - rate[1] * r[0],
        ];
    }
}

/// A ring of rubber that spins: it keeps its angular momentum, and stretches as its stress says.
#[test]
fn a_ring_spins_on() {
    for young in [4e6, 4e9] {
        let mut ring = body(Mesh::tube([0.28, 0.5], 0.3, [2, 20, 1]).expect("a tube"), young);
        spin(&mut ring, [0.0, 0.0, 16.6], [0.0; 3]);
        let start = (ring.momentum()[1], ring.energy().iter().sum::<f64>());
        let mut most = start.1;
        for _ in 0..60 {
            assert!(turning_step(&mut ring, [0.0; 3]) < 1e-8);
            let now = ring.energy().iter().sum::<f64>();
            most = most.max(now);
        }
        let lost = ring.momentum()[1][2] / start.0[2] - 1.0;
        assert!(lost.abs() < 1e-9, "{lost} of the angular momentum");
        assert!(most <= start.1 * (1.0 + 1e-6), "{} of the energy more", most / start.1 - 1.0);
        assert!(ring.energy().iter().sum::<f64>() > 0.97 * start.1);
    }
}

/// A block that tumbles about no axis of its own.
#[test]
fn a_block_tumbles_on() {
    let mut block = body(Mesh::block([0.3, 0.2, 0.1], [3, 2, 1]).expect("a block"), 1e7);
    spin(&mut block, [5.0, 8.0, 3.0], [0.15, 0.1, 0.05]);
    let start = (block.momentum()[1], block.energy().iter().sum::<f64>());
    for _ in 0..120 {
        assert!(turning_step(&mut block, [0.0; 3]) < 1e-8);
    }
    let [_, end] = block.momentum();
    let off = (0..3).map(|k| (end[k] - start.0[k]).abs()).fold(0.0, f64::max);
    assert!(off < 1e-9, "{off}");
    let energy = block.energy().iter().sum::<f64>() / start.1;
    assert!(energy > 0.99 && energy <= 1.0, "{energy}");
}

/// A bar that hangs on one node swings by the midpoint rule.
#[test]
fn a_bar_on_a_node_swings_on() {
    for young in [5e6, 5e7] {
        let mut bar = body(Mesh::block([1.0, 0.05, 0.05], [10, 1, 1]).expect("a bar"), young);
        let node = bar.positions().iter().position(|x| *x == [0.0; 3]).expect("a corner");
        bar.pin(node).expect("a node");
        let gravity = [0.0, 0.0, -9.81];
        for _ in 0..120 {
            let rule = Integrator::Midpoint { iterations: 30 };
            let progress = bar.step(H, gravity, rule).expect("a step");
            assert!(progress.converged, "{young:e} {progress:?}");
        }
    }
}
