//! Random scenes for so many seconds, and what went wrong in them:
//! `cargo run --release --example random_scenes -- SECONDS [FIRST_SEED]`.
#![allow(clippy::print_stdout)]

#[path = "../tests/random/mod.rs"]
mod random;

use random::Tally;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(10.0);
    let first: u64 = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(0);
    let start = Instant::now();
    let (mut all, mut panics, mut errors) = (Tally::default(), 0, 0);
    let mut seed = first;
    while start.elapsed().as_secs_f64() < seconds {
        // Short scenes as in the test, and long ones.
        let steps = if seed % 4 == 3 { 600 } else { 40 };
        match std::panic::catch_unwind(|| random::run(seed, steps)) {
            Ok(Ok(tally)) => {
                if tally.not_finite + tally.silent + tally.bad > 0 {
                    println!("seed {seed}: {tally:?}");
                }
                all.add(&tally);
            }
            Ok(Err(e)) => {
                errors += 1;
                println!("seed {seed}: {e}");
            }
            Err(_) => {
                panics += 1;
                println!("seed {seed}: panic");
            }
        }
        seed += 1;
    }
    println!("{panics} panics, {errors} errors, seeds {first} to {seed}: {all:#?}");
}
