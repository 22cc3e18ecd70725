//! Writes random stencils with their barriers and friction, for `tests/ipctk_stencils.py` to compare with the IPC Toolkit.
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;

use taut_barrier::distance::Closest;
use taut_barrier::friction::Lagged;
use taut_barrier::stencil::{parallel_threshold, potential};
use taut_barrier::{Kind, Vec3};
use taut_lcp::generate::Rng;

/// Per line: kind, corners (12), reach, threshold, value, gradient (12), Hessian (144), projected (144); limit, width, moved (12),
/// friction's value, gradient (12), Hessian (144).
fn main() {
    let count = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let mut rng = Rng::new(7);
    for i in 0..count {
        let kind = if i % 2 == 0 { Kind::VertexFace } else { Kind::EdgeEdge };
        let mut x: [Vec3; 4] =
            std::array::from_fn(|_| std::array::from_fn(|_| rng.range(-1.0, 1.0)));
        if kind == Kind::EdgeEdge && i % 5 == 0 {
            // Nearly parallel, so that the mollifier acts.
            let off: Vec3 = std::array::from_fn(|_| 0.02 * rng.range(-1.0, 1.0));
            x[3] = std::array::from_fn(|k| x[2][k] + x[1][k] - x[0][k] + off[k]);
        }
        let closest = Closest::new(kind, &x);
        let reach = closest.squared.sqrt() / rng.range(0.05, 0.95);
        let threshold = parallel_threshold(&x);
        let (raw, projected) = (
            potential(kind, &x, reach, threshold, false),
            potential(kind, &x, reach, threshold, true),
        );
        let (limit, width) = (rng.range(0.1, 10.0), 1e-3);
        let size = if i % 3 == 0 { 1e-2 } else { 3e-4 };
        let moved: [Vec3; 4] =
            std::array::from_fn(|_| std::array::from_fn(|_| size * rng.range(-1.0, 1.0)));
        let friction = Lagged::new(&closest, limit).potential(&moved, width);
        let mut line = String::from(if kind == Kind::VertexFace { "0" } else { "1" });
        let mut put = |values: &[f64]| {
            for v in values {
                let _ = write!(line, ",{v:e}");
            }
        };
        put(&x.concat());
        put(&[reach, threshold, raw.value]);
        put(&raw.gradient);
        put(&raw.hessian.concat());
        put(&projected.hessian.concat());
        put(&[limit, width]);
        put(&moved.concat());
        put(&[friction.value]);
        put(&friction.gradient);
        put(&friction.hessian.concat());
        println!("{line}");
    }
}
