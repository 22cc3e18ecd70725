//! What a step costs by the size of a soft cube on the ground: lines for `bench/scale_plot.py`.
//!
//! `cargo run --release -p taut-soft --example soft_growth [MOST_SECONDS] > bench/soft.csv`; a method that took longer than that for a step is not
//! tried on larger cubes. CPU seconds of one thread, the least of three steps.
#![allow(clippy::print_stdout)]

use cpu_time::ProcessTime;
use taut_soft::{Mass, Material, Mesh, Method, Model, RigidBody, SoftBody, Solid, System};

/// Cells along an edge: 1,029 to 52,728 degrees of freedom.
const CELLS: [usize; 8] = [6, 8, 10, 12, 15, 18, 21, 25];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let most = std::env::args().nth(1).map_or(Ok(20.0), |a| a.parse::<f64>())?;
    for method in [Method::Dual, Method::Primal] {
        for friction in [0.0, 0.5] {
            for cells in CELLS {
                let seconds = step(method, friction, cells)?;
                if seconds > most {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// A step of a cube of 0.2 m that has just come down, and slides.
fn step(method: Method, friction: f64, cells: usize) -> Result<f64, taut_soft::Error> {
    let mut system = System::new([2.0, 0.0, -9.81])?.solved_by(method);
    system.add_rigid(RigidBody::ground().with_friction(friction)?);
    let rubber = Material::new(Model::Corotational, 1e5, 0.3)?;
    let mesh = Mesh::block([0.2; 3], [cells; 3])?;
    let cube = Solid::new(mesh, rubber, 1000.0, Mass::Lumped)?;
    system.add_soft(SoftBody::new(cube)?.damped(0.0, 0.01)?);
    let (mut best, mut last) = (f64::INFINITY, None);
    for _ in 0..3 {
        let start = ProcessTime::now();
        let report = system.step(1.0 / 60.0)?;
        best = best.min(start.elapsed().as_secs_f64());
        last = Some(report);
    }
    let Some(report) = last else { return Ok(best) };
    let (name, unknowns) = (method.name(), 3 * (cells + 1).pow(3));
    let (contacts, rows, status) = (report.contacts, report.rows, report.status);
    println!(
        "friction {friction},{cells},{unknowns},{contacts},{rows},{name},{best:.6},{best:.6},{},{},{status:?}",
        report.solves, report.passes
    );
    Ok(best)
}
