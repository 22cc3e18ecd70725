//! The tutorial's simulator, which docs/SIMULATOR.md explains, does what it says.

#[path = "../examples/simulator.rs"]
#[allow(dead_code)]
mod simulator;

use simulator::{Ball, Simulator, towers};
use taut_lcp::Status;

fn ball(position: [f64; 3], velocity: [f64; 3], spin: [f64; 3]) -> Ball {
    Ball { position, velocity, spin, radius: 0.2, mass: 2.0 }
}

/// A ball that slides goes over to rolling at 5/7 of its speed.
#[test]
fn sliding_becomes_rolling() {
    let start = ball([0.0, 0.0, 0.2], [7.0, 0.0, 0.0], [0.0; 3]);
    let mut simulator = Simulator::new(vec![start]).expect("known solver");
    for _ in 0..60 {
        assert_eq!(simulator.step(1.0 / 60.0).expect("valid"), Status::Converged);
    }
    let end = &simulator.balls[0];
    assert!((end.velocity[0] - 5.0).abs() < 0.05, "{end:?}");
    assert!((end.velocity[0] - 0.2 * end.spin[1]).abs() < 1e-3, "{end:?}");
    assert!((end.position[2] - 0.2).abs() < 1e-3, "{end:?}");
}

/// Towers fall and come to lie: nothing sinks, nothing flies, every step is solved.
#[test]
fn towers_fall() {
    let mut simulator = Simulator::new(towers()).expect("known solver");
    for _ in 0..240 {
        assert_eq!(simulator.step(1.0 / 60.0).expect("valid"), Status::Converged);
    }
    for ball in &simulator.balls {
        assert!((0.19..2.0).contains(&ball.position[2]), "{ball:?}");
        assert!(ball.velocity.iter().all(|v| v.abs() < 10.0), "{ball:?}");
    }
}
