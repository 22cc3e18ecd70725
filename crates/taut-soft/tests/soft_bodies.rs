//! Bodies against closed forms: stretch, bending, frequencies, momentum and energy.

use taut_lcp::generate::Rng;
use taut_soft::{Integrator, Mass, Material, Mesh, Model, SoftBody, Solid, Vec3};

fn body(mesh: Mesh, model: Model, (young, poisson): (f64, f64), mass: Mass) -> SoftBody {
    let material = Material::new(model, young, poisson).expect("a material");
    SoftBody::new(Solid::new(mesh, material, 1000.0, mass).expect("a solid")).expect("a body")
}

/// A bar pulled to 1.3 of its length: stress and width against the equation of one stretch, on an irregular mesh.
#[test]
fn uniaxial_stretch() {
    for (model, poisson) in [
        (Model::Linear, 0.0),
        (Model::Linear, 0.3),
        (Model::Linear, 0.45),
        (Model::StableNeoHookean, 0.3),
        (Model::Corotational, 0.3),
    ] {
        let block = Mesh::block([1.0, 0.5, 0.5], [3, 2, 2]).expect("a block");
        // Inner nodes off the grid.
        let elements: Vec<[u32; 4]> = block.elements().map(|e| [e[0], e[1], e[2], e[3]]).collect();
        let mut nodes = block.nodes().to_vec();
        for x in &mut nodes {
            if (x[0] - 0.5).abs() < 0.45 && (x[1] - 0.25).abs() < 0.2 && (x[2] - 0.25).abs() < 0.2 {
                *x = [x[0] + 0.03, x[1] - 0.02, x[2] + 0.04];
            }
        }
        let mesh = Mesh::linear(nodes, &elements).expect("a mesh");
        for mesh in [mesh.clone(), mesh.quadratic().expect("quadratic")] {
            let (young, stretch) = (1e6, 1.3);
            let mut bar = body(mesh.clone(), model, (young, poisson), Mass::Lumped);
            for (k, x) in mesh.nodes().iter().enumerate() {
                for axis in 0..3 {
                    // Symmetry planes at x = y = z = 0, and the other end moved.
                    if x[axis] == 0.0 || (axis == 0 && x[0] == 1.0) {
                        bar.pin_axis(k, axis).expect("a node");
                    }
                }
                bar.positions_mut()[k][0] *= stretch;
            }
            let progress = bar.settle([0.0; 3], 60).expect("held");
            assert!(progress.converged && progress.inverted == 0);
            let mut forces = vec![[0.0; 3]; mesh.nodes().len()];
            bar.solid().gradient(bar.positions(), &mut forces);
            let pull: f64 = mesh
                .nodes()
                .iter()
                .zip(&forces)
                .filter(|(x, _)| x[0] == 1.0)
                .map(|(_, f)| f[0])
                .sum();
            let (stress, width) = one_stretch(bar.solid().material(), young, poisson, stretch);
            assert!(
                (pull / 0.25 / stress - 1.0).abs() < 1e-10,
                "{model:?} {poisson} {} {stress}",
                pull / 0.25
            );
            let widest = bar.positions().iter().map(|x| x[1]).fold(0.0, f64::max);
            assert!((widest / 0.5 - width).abs() < 1e-10, "{model:?} {poisson} {widest} {width}");
        }
    }
}

/// First Piola stress and lateral stretch: in closed form for the linear law, by bisection for the others.
fn one_stretch(material: &Material, young: f64, poisson: f64, stretch: f64) -> (f64, f64) {
    if material.model() == Model::Linear {
        return (young * (stretch - 1.0), 1.0 - poisson * (stretch - 1.0));
    }
    let stress = |t: f64| {
        let p = material.stress(&[[stretch, 0.0, 0.0], [0.0, t, 0.0], [0.0, 0.0, t]]);
        [p[0][0], p[1][1]]
    };
    let (mut low, mut high) = (0.5, 1.5);
    for _ in 0..100 {
        let t = 0.5 * (low + high);
        if stress(t)[1] > 0.0 { high = t } else { low = t }
    }
    (stress(low)[0], low)
}

/// A step that must converge, with this much gravity.
fn step(body: &mut SoftBody, h: f64, gravity: f64, integrator: Integrator) {
    let progress = body.step(h, [0.0, 0.0, -gravity], integrator).expect("no mistake");
    assert!(progress.converged, "{progress:?}");
}

fn hold_end(beam: &mut SoftBody) {
    for k in 0..beam.positions().len() {
        if beam.positions()[k][0] == 0.0 {
            beam.pin(k).expect("a node");
        }
    }
}

/// The tip of a cantilever under its weight: Timoshenko's beam, q L⁴/(8 E I) + q L²/(2 κ G A).
#[test]
fn a_cantilever_of_quadratic_elements_bends_as_it_should() {
    let (young, a) = (1e9, 0.1_f64);
    // The tip's part of Timoshenko's; `clamped`: the end that is held cannot widen, as Timoshenko's does.
    let tip = |mesh: Mesh, poisson: f64, clamped: bool| {
        let mut beam = body(mesh, Model::Linear, (young, poisson), Mass::Consistent);
        for k in 0..beam.positions().len() {
            let x = beam.positions()[k];
            let middle = |x: f64| (x - 0.5 * a).abs() < 1e-9;
            for (axis, held) in
                [true, clamped || middle(x[1]), clamped || middle(x[2])].into_iter().enumerate()
            {
                if x[0] == 0.0 && held {
                    beam.pin_axis(k, axis).expect("a node");
                }
            }
        }
        assert!(beam.settle([0.0, 0.0, -9.81], 5).expect("held").converged);
        let nodes = beam.solid().mesh().nodes().iter().zip(beam.positions());
        let end: Vec<f64> = nodes.filter(|(x, _)| x[0] == 1.0).map(|(x, y)| x[2] - y[2]).collect();
        let q = 1000.0 * a * a * 9.81;
        let (inertia, shear) = (a.powi(4) / 12.0, young / (2.0 * (1.0 + poisson)));
        let kappa = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
        let exact = q / (8.0 * young * inertia) + q / (2.0 * kappa * shear * a * a);
        end.iter().sum::<f64>() / end.len() as f64 / exact
    };
    let beam = Mesh::beam(1.0, [a; 2], 10).expect("a beam");
    let block = Mesh::block([1.0, a, a], [10, 1, 1]).expect("a block");
    assert!((tip(beam.clone(), 0.0, true) - 1.0).abs() < 0.03);
    assert!((tip(beam.clone(), 0.3, false) - 1.0).abs() < 0.03);
    // Clamped, both figures are scikit-fem's; linear elements lock.
    assert!((tip(beam, 0.3, true) - 0.9688).abs() < 2e-4);
    assert!((tip(block, 0.3, true) - 0.2213).abs() < 2e-3);
}

/// Frequencies of a cantilever: Euler and Bernoulli's with Timoshenko's correction stay within 2 %; and of a bar along its axis.
#[test]
fn frequencies_of_a_beam() {
    let (young, a, length) = (1e9, 0.05_f64, 1.0);
    let mesh = Mesh::block([length, a, 1.2 * a], [16, 1, 1])
        .expect("a block")
        .quadratic()
        .expect("quadratic");
    for mass in [Mass::Consistent, Mass::Lumped] {
        let mut beam = body(mesh.clone(), Model::Corotational, (young, 0.0), mass);
        hold_end(&mut beam);
        let found = beam.frequencies(4).expect("held");
        let c = (young / 1000.0_f64).sqrt();
        // ω = β² √(EI/ρA)/L², I/A = t²/12, for both directions and the first two bending modes.
        let bending =
            |beta: f64, t: f64| beta * beta * c * (t / 12.0_f64.sqrt()) / std::f64::consts::TAU;
        let expected = [
            bending(1.875_104, a),
            bending(1.875_104, 1.2 * a),
            bending(4.694_091, a),
            bending(4.694_091, 1.2 * a),
        ];
        for (f, e) in found.iter().zip(expected) {
            assert!((f / e - 1.0).abs() < 0.02, "{mass:?} {found:?} {expected:?}");
        }
    }
    // Only motion along the axis: c/(4 L).
    let mut bar = body(
        Mesh::block([1.0, 0.1, 0.1], [20, 1, 1]).expect("a block"),
        Model::Linear,
        (1e9, 0.0),
        Mass::Lumped,
    );
    hold_end(&mut bar);
    for k in 0..bar.positions().len() {
        bar.pin_axis(k, 1).expect("a node");
        bar.pin_axis(k, 2).expect("a node");
    }
    let axial = bar.frequencies(1).expect("held")[0];
    assert!((axial / 250.0 - 1.0).abs() < 1e-3, "{axial}");
    let free = body(
        Mesh::block([1.0; 3], [1; 3]).expect("a block"),
        Model::Linear,
        (1e6, 0.0),
        Mass::Lumped,
    );
    assert!(free.frequencies(9).is_err());
}

/// A block in flight, turning and shaking.
fn thrown(model: Model, seed: u64) -> SoftBody {
    let mesh = Mesh::block([0.3, 0.2, 0.2], [3, 2, 2]).expect("a block");
    let mut rng = Rng::new(seed);
    let mut block = body(mesh, model, (1e5, 0.3), Mass::Lumped);
    let middle = [0.15, 0.1, 0.1];
    for k in 0..block.positions().len() {
        let x: Vec3 = [0, 1, 2].map(|a: usize| block.positions()[k][a] - middle[a]);
        let spin = [1.0, -2.0, 3.0];
        let turn = [
            spin[1] * x[2] - spin[2] * x[1],
            spin[2] * x[0] - spin[0] * x[2],
            spin[0] * x[1] - spin[1] * x[0],
        ];
        block.velocities_mut()[k] = [0, 1, 2].map(|a: usize| 1.0 + turn[a] + rng.range(-0.3, 0.3));
    }
    block
}

fn distance(a: Vec3, b: Vec3) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn midpoint_keeps_energy_and_both_momenta() {
    for model in [Model::Corotational, Model::StableNeoHookean] {
        let mut block = thrown(model, 3);
        let (energy, momentum) = (block.energy().iter().sum::<f64>(), block.momentum());
        let size = momentum.map(|p| distance(p, [0.0; 3]));
        for _ in 0..100 {
            step(&mut block, 0.005, 0.0, Integrator::Midpoint { iterations: 60 });
            let now = block.energy().iter().sum::<f64>();
            assert!((now / energy - 1.0).abs() < 1e-10, "{model:?} {now} {energy}");
            for k in 0..2 {
                let off = distance(block.momentum()[k], momentum[k]);
                assert!(off < 1e-10 * size[k], "{model:?} {k} {off}");
            }
        }
    }
    // Small strains know no turns: energy and linear momentum only.
    let mut block = thrown(Model::Linear, 3);
    let (energy, momentum) = (block.energy().iter().sum::<f64>(), block.momentum()[0]);
    for _ in 0..100 {
        step(&mut block, 0.005, 0.0, Integrator::Midpoint { iterations: 20 });
    }
    assert!((block.energy().iter().sum::<f64>() / energy - 1.0).abs() < 1e-10);
    assert!(distance(block.momentum()[0], momentum) < 1e-10);
}

#[test]
fn implicit_euler_keeps_momentum_and_gains_no_energy() {
    for model in [Model::Linear, Model::Corotational, Model::StableNeoHookean] {
        for (h, iterations) in [(1.0 / 60.0, 50), (1.0 / 240.0, 1)] {
            let mut block = thrown(model, 7);
            let momentum = block.momentum()[0];
            let mut energy = block.energy().iter().sum::<f64>();
            for _ in 0..60 {
                step(&mut block, h, 0.0, Integrator::ImplicitEuler { iterations });
                let now = block.energy().iter().sum::<f64>();
                assert!(now <= energy * (1.0 + 1e-12), "{model:?} {h}: {now} after {energy}");
                energy = now;
                assert!(
                    distance(block.momentum()[0], momentum) < 1e-10 * distance(momentum, [0.0; 3])
                );
            }
        }
    }
}

/// Falling free, a body has gravity's velocity; with β the shape comes to rest, and the turn goes on.
#[test]
fn damping_and_gravity() {
    let mut block = thrown(Model::Corotational, 2).damped(0.0, 0.05).expect("damped");
    let start = block.momentum();
    for _ in 0..120 {
        step(&mut block, 1.0 / 120.0, 9.81, Integrator::ImplicitEuler { iterations: 30 });
    }
    let mass = 12.0;
    assert!((block.momentum()[0][2] - (start[0][2] - mass * 9.81)).abs() < 1e-9);
    let [elastic, kinetic] = block.energy();
    assert!(elastic < 1e-2 * kinetic, "{elastic} {kinetic}");
    let mut slowed = thrown(Model::Corotational, 2).damped(2.0, 0.0).expect("damped");
    for _ in 0..60 {
        step(&mut slowed, 1.0 / 60.0, 0.0, Integrator::ImplicitEuler { iterations: 30 });
    }
    // (1 + h α)⁻⁶⁰
    let expected = start[0][0] * (1.0_f64 + 2.0 / 60.0).powi(-60);
    assert!((slowed.momentum()[0][0] / expected - 1.0).abs() < 1e-9);
    assert!(thrown(Model::Linear, 1).damped(-1.0, 0.0).is_err());
}

/// A cube pressed flat and turned inside out comes back to its shape.
#[test]
fn inverted_elements_recover() {
    let mesh = Mesh::block([0.2; 3], [2; 3]).expect("a block");
    for model in [Model::Corotational, Model::StableNeoHookean] {
        let mut cube =
            body(mesh.clone(), model, (1e5, 0.3), Mass::Lumped).damped(0.0, 0.02).expect("damped");
        for k in 0..27 {
            if mesh.nodes()[k][0] == 0.0 {
                cube.pin(k).expect("a node");
            }
        }
        // The middle of the face beyond the far side of the held one.
        cube.positions_mut()[22] = [0.02, 0.1, 0.1];
        assert!(cube.solid().inverted(cube.positions()) > 0);
        for _ in 0..150 {
            // The first may not converge: F is where the energy has a ridge.
            let _ = cube
                .step(1.0 / 60.0, [0.0; 3], Integrator::ImplicitEuler { iterations: 20 })
                .expect("no mistake");
        }
        assert_eq!(cube.solid().inverted(cube.positions()), 0);
        let worst = cube
            .positions()
            .iter()
            .zip(mesh.nodes())
            .map(|(a, b)| distance(*a, *b))
            .fold(0.0, f64::max);
        assert!(worst < 1e-6, "{model:?} {worst}");
    }
}

#[test]
fn mistakes_are_errors() {
    let mut block = thrown(Model::Linear, 1);
    assert!(block.pin(1000).is_err());
    assert!(block.pin_axis(0, 3).is_err());
    let euler = Integrator::ImplicitEuler { iterations: 1 };
    assert!(block.step(0.0, [0.0; 3], euler).is_err());
    assert!(block.step(0.1, [f64::NAN, 0.0, 0.0], euler).is_err());
    block.positions_mut()[0][0] = f64::NAN;
    assert!(block.step(0.1, [0.0; 3], euler).is_err());
}
