//! The collision update of a tower of 160 logs: same bits every time, and the
//! time it takes (run with `--release --ignored --nocapture`).
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use std::io::Write;
use std::time::Instant;
use taut::collide::{Collider, CollisionPipeline, Motion};
use taut::math::{Pose, Vec3};
use taut::shape::Shape;

const DT: f64 = 1.0 / 60.0;

/// Forty layers of four logs each, turned by a right angle from layer to layer.
fn tower() -> (Vec<Option<Collider>>, Vec<Motion>) {
    let log = Shape::Box { half_extents: Vec3::new(0.5, 0.05, 0.05) };
    let mut colliders = vec![collider(0, &plane())];
    let mut motions = vec![Motion { is_static: true, ..at_rest(Pose::IDENTITY) }];
    for layer in 0..40 {
        for k in 0..4 {
            let (offset, z) = (0.25 * k as f64 - 0.375, 0.05 + 0.1 * layer as f64);
            let pose = if layer % 2 == 0 {
                at(0.0, offset, z)
            } else {
                turned(offset, 0.0, z, std::f64::consts::FRAC_PI_2)
            };
            colliders.push(collider(motions.len() as u32, &log));
            motions.push(at_rest(pose));
        }
    }
    (colliders, motions)
}

#[test]
fn every_crossing_has_four_points() {
    let (colliders, motions) = tower();
    let mut out = Vec::new();
    CollisionPipeline::new().update(&colliders, &motions, DT, MARGIN, |_, _| true, &mut out);
    check(&out);
    assert_eq!(out.len(), 39 * 16 + 4);
    assert!(out.iter().all(|m| m.points().len() == 4));
    assert!(out.iter().flat_map(|m| m.points()).all(|p| p.gap.abs() < 2e-15));
}

#[test]
fn history_leaves_no_trace() {
    let (colliders, mut motions) = tower();
    let mut old = CollisionPipeline::new();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let mut random = Random(1);
    for _ in 0..20 {
        for m in &mut motions[1..] {
            m.pose.translation += random.vector(1e-3);
            m.velocity = random.vector(0.1);
        }
        old.update(&colliders, &motions, DT, MARGIN, |_, _| true, &mut first);
        check(&first);
    }
    CollisionPipeline::new().update(&colliders, &motions, DT, MARGIN, |_, _| true, &mut second);
    assert_eq!(first, second);
}

#[test]
#[ignore = "measures time"]
fn time_of_an_update() {
    let (colliders, mut motions) = tower();
    let mut pipeline = CollisionPipeline::new();
    let mut out = Vec::new();
    let mut random = Random(1);
    for (name, shake, rounds) in [("still", 0.0, 500), ("shaken", 1e-4, 500)] {
        let mut times = Vec::new();
        for _ in 0..rounds {
            for m in &mut motions[1..] {
                m.pose.translation += random.vector(shake);
                m.velocity = random.vector(shake);
            }
            let start = Instant::now();
            pipeline.update(&colliders, &motions, DT, MARGIN, |_, _| true, &mut out);
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let points: usize = out.iter().map(|m| m.points().len()).sum();
        let _ = writeln!(
            std::io::stderr(),
            "{name}: {:.3} ms (median), {} pairs, {} manifolds, {points} points",
            1e3 * times[times.len() / 2],
            pipeline.pairs().len(),
            out.len(),
        );
    }
}
