//! A rigid plate on a soft cube of 8 kg, 20 s at 1/60 s: how far it sinks, against the closed form, and what a step costs.
//!
//! `cargo run --release --example soft_press [CELLS...]`; linear elements, CELLS along each edge (default 4).
#![allow(clippy::print_stdout)]

use cpu_time::ProcessTime;
use taut_soft::{Mass, Material, Mesh, Model, RigidBody, SoftBody, Solid, System};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut cells: Vec<usize> =
        std::env::args().skip(1).map(|a| a.parse()).collect::<Result<_, _>>()?;
    if cells.is_empty() {
        cells.push(4);
    }
    println!(
        "plate kg  friction  cells   dofs  contacts  height m    closed form  error m   deepest m  ms/step"
    );
    for &cells in &cells {
        for mass in [20.0, 100.0, 1000.0] {
            press(cells, mass, 0.5)?;
        }
    }
    cube()
}

/// A cube of 1,575 degrees of freedom that turns with its material, on the ground with friction.
fn cube() -> Result<(), Box<dyn std::error::Error>> {
    let mut system = System::new([0.0, 0.0, -9.81])?;
    system.add_rigid(RigidBody::ground().with_friction(0.5)?);
    let mesh = Mesh::block([0.2; 3], [6, 14, 4])?;
    let rubber = Material::new(Model::Corotational, 1e6, 0.3)?;
    let cube = SoftBody::new(Solid::new(mesh, rubber, 1000.0, Mass::Lumped)?)?;
    system.add_soft(cube.damped(0.0, 0.002)?);
    let mut best = f64::INFINITY;
    let mut contacts = 0;
    for _ in 0..120 {
        let start = ProcessTime::now();
        contacts = system.step(1.0 / 60.0)?.contacts;
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    println!("cube of 1575 degrees of freedom, {contacts} contacts: {best:.1} ms a step, at best");
    Ok(())
}

fn press(cells: usize, mass: f64, friction: f64) -> Result<(), taut_soft::Error> {
    let mut system = System::new([0.0, 0.0, -9.81])?;
    system.add_rigid(RigidBody::ground().with_friction(friction)?);
    let plate = RigidBody::cuboid([0.15, 0.15, 0.01], mass)?.at([0.0, 0.0, 0.21]);
    let plate = system.add_rigid(plate.with_friction(friction)?);
    let mesh = Mesh::block([0.2; 3], [cells; 3])?.moved([-0.1, -0.1, 0.0]);
    let dofs = 3 * mesh.nodes().len();
    let rubber = Material::new(Model::Linear, 1e6, 0.0)?;
    let cube = SoftBody::new(Solid::new(mesh, rubber, 1000.0, Mass::Lumped)?)?;
    system.add_soft(cube.damped(0.0, 0.02)?);
    let (mut deepest, start) = (0.0_f64, ProcessTime::now());
    let steps = 1200;
    let mut unsolved = 0;
    for _ in 0..steps {
        let report = system.step(1.0 / 60.0)?;
        deepest = deepest.max(report.penetration);
        unsolved += usize::from(report.status != taut_lcp::Status::Converged);
    }
    let per_step = start.elapsed().as_secs_f64() * 1e3 / f64::from(steps);
    let height = system.rigids()[plate].position()[2] - 0.01;
    let exact = 0.2 * (1.0 - (mass + 4.0) * 9.81 / 4e4);
    let contacts = system.contacts().len();
    println!(
        "{mass:8} {friction:9} {cells:6} {dofs:6} {contacts:9} {height:11.8} {exact:12.8} {:9.1e} {deepest:11.1e} {per_step:8.3} {}",
        (height - exact).abs(),
        if unsolved == 0 { String::new() } else { format!("{unsolved} unsolved") },
    );
    Ok(())
}
