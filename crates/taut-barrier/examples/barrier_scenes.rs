//! Runs scenes by barriers and judges every step by exact intersection tests.
//!
//! `cargo run --release -p taut-barrier --example barrier_scenes -- [STEPS] [SCENE...]`; all scenes if none is named.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use taut_barrier::{Settings, scenes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let steps = arguments.peek().and_then(|a| a.parse().ok());
    if steps.is_some() {
        arguments.next();
    }
    let steps = steps.unwrap_or(100);
    let named: Vec<String> = arguments.collect();
    let all = || scenes::NAMES.map(String::from).to_vec();
    println!(
        "scene             bodies  steps  not solved  Newton/step  most  contacts  least gap   cut  seconds"
    );
    for name in if named.is_empty() { all() } else { named } {
        let built = scenes::named(&name, Settings::default()).ok_or(format!("no scene {name}"))?;
        let mut system = built?;
        let (mut unsolved, mut newton, mut most, mut contacts) = (0, 0, 0, 0);
        let (mut gap, mut cut) = (f64::INFINITY, 0);
        let start = Instant::now();
        for _ in 0..steps {
            let report = system.step(0.01)?;
            unsolved += usize::from(!report.converged());
            newton += report.iterations;
            most = most.max(report.iterations);
            contacts = contacts.max(report.contacts);
            gap = gap.min(report.gap);
            cut += usize::from(system.intersection().is_some());
        }
        println!(
            "{name:16} {:7} {steps:6} {unsolved:11} {:12.1} {most:5} {contacts:9} {gap:10.2e} {cut:5} {:8.2}",
            system.len(),
            newton as f64 / steps as f64,
            start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}
