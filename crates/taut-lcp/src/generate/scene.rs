//! Bodies heaped up at random: the geometry behind the contact generators.

use super::Rng;
use crate::{Block6, Row6};

/// Two bodies touch; `a` is the lower one, or the ground.
pub(super) struct Touch {
    pub a: Option<u32>,
    pub b: u32,
    /// Normal (from a to b) and two tangents.
    pub frame: [[f64; 3]; 3],
    /// From each centre of mass to the point.
    arm_a: [f64; 3],
    arm_b: [f64; 3],
}

impl Touch {
    /// Row of the relative velocity of b against a along a direction.
    pub fn row(&self, d: &[f64; 3]) -> Vec<(u32, Row6)> {
        pair_row(self.a, self.b, d, &self.arm_a, &self.arm_b)
    }
}

/// Row of the velocity along d of a point of b (the later body) against a's.
pub(super) fn pair_row(
    a: Option<u32>,
    b: u32,
    d: &[f64; 3],
    arm_a: &[f64; 3],
    arm_b: &[f64; 3],
) -> Vec<(u32, Row6)> {
    let part = |sign: f64, arm: &[f64; 3]| {
        let t = cross(arm, d);
        [d[0], d[1], d[2], t[0], t[1], t[2]].map(|x| sign * x)
    };
    let mut row = Vec::with_capacity(2);
    row.extend(a.map(|a| (a, part(-1.0, arm_a))));
    row.push((b, part(1.0, arm_b)));
    row
}

/// Body `b` laid on one to three of the bodies before it, or the ground.
pub(super) fn lay(rng: &mut Rng, b: u32) -> Vec<Touch> {
    let count = 1 + rng.index(3);
    (0..count).map(|_| touch(rng, b)).collect()
}

fn touch(rng: &mut Rng, b: u32) -> Touch {
    let a = if b == 0 || rng.chance(0.25) { None } else { Some(rng.index(b as usize) as u32) };
    let tilt = if a.is_some() { 0.5 } else { 0.0 };
    let lean = rng.direction();
    let n = unit([tilt * lean[0], tilt * lean[1], 1.0]);
    let t1 = unit(cross(&n, &rng.direction()));
    let t2 = cross(&n, &t1);
    // Half a metre along the normal, off the centre as on a box's face.
    let mut arm = |sign: f64| {
        let (u, v) = (rng.range(-0.4, 0.4), rng.range(-0.4, 0.4));
        [0, 1, 2].map(|k| sign * 0.5 * n[k] + u * t1[k] + v * t2[k])
    };
    let (arm_a, arm_b) = (arm(1.0), arm(-1.0));
    Touch { a, b, frame: [n, t1, t2], arm_a, arm_b }
}

/// Mass and a full inertia of a body about 1 m across.
pub(super) fn mass_block(rng: &mut Rng, mass: f64) -> Block6 {
    let mut m = [[0.0; 6]; 6];
    (0..3).for_each(|k| m[k][k] = mass);
    // A solid about 1/10 m L², plus a rank-one part that couples the axes.
    let d = rng.direction();
    for i in 0..3 {
        for j in 0..3 {
            m[3 + i][3 + j] = 0.05 * mass * d[i] * d[j];
        }
        m[3 + i][3 + i] += 0.1 * mass;
    }
    m
}

pub(super) fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
    a.map(|x| x / length)
}
