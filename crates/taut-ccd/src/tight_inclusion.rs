//! Tight inclusion: subdivide (t, u, v) and discard what cannot hold a root (Andrews22 2.2.5, alg. 1).
//!
//! F is linear in each of t, u, v, so over a box it lies in the hull of its values at the 8 corners. If
//! the hull, seen along some direction, does not reach zero, there is no contact in the box. Else the box
//! is shrunk, or halved. Boxes are popped by time; the first one over which F varies by less than the
//! tolerance is the answer, with the time at which it or any box not yet looked at begins. So no contact is missed, and no time is late.
//!
//! Deviations from Wang et al. 2021, where this comes from:
//! - *Directions.* Beside the three axes, the normals of the patch at three times, which part
//!   what axes cannot.
//! - *Shrinking.* If along a direction F ≥ f₀ > 0 at the beginning of a box and F ≥ f₁ at its end, then there
//!   is no root in the first f₀/(f₀ − f₁) of it; likewise for u and v, and from both ends. Boxes around
//!   regular contacts then shrink to them faster than by halving.
//! - *Order.* By slots of time, in which features move by the tolerance; within a slot the smallest box comes
//!   first. Hard queries get directions of their own for each box (`Rows::local`).
//! - *Rounding.* Corners of boxes are numbers as they are; F there is known to 9 units of rounding of each of its
//!   terms: r at both ends (1), r₁ − r₀ (2), times t (2), the sum (1), two more sums (2); a and b: 6 for
//!   the value at t, times u (1), two sums (2). Along a direction, 5 more for the scalar products; 2 for triangles.
//!
//! *Cost*: 0.3 µs per query on the published samples (docs/decisions/ccd-boxes.md). *When it fails*: it does not, but features
//! that slide along one another may take many boxes; see [`Options::max_checks`].
//!
//! Reference: Wang et al. 2021.

use std::collections::BinaryHeap;

use crate::patch::{Motion, Patch, UNIT};
use crate::vector::{Vec3, cross, dot, largest, unit};
use crate::{Error, Impact, Options, Query};

/// When the features first touch: never missed, never late.
pub fn first_contact(query: &Query, options: &Options) -> Result<Option<Impact>, Error> {
    query.check()?;
    options.check()?;
    let motion = Motion::new(query);
    let mut rows = Rows::axes(&motion, options.min_separation);
    let mut whole = Cell { lo: [0.0; 3], hi: [options.end, 1.0, 1.0], slot: 0.0 };
    if rows.shrink(&mut whole).is_none() {
        return Ok(None);
    }
    for patch in [motion.at(0.5), motion.start, motion.end] {
        rows.add(cross(patch.a, patch.b), &motion, options.min_separation);
    }
    Ok(search(&motion, &rows, whole, options))
}

/// After so many boxes directions are chosen for each box: regular contacts need fewer.
const PATIENCE: usize = 24;

/// Pops boxes by time until one is small enough.
fn search(motion: &Motion, rows: &Rows, whole: Cell, options: &Options) -> Option<Impact> {
    let rate = motion.rate();
    let (corners, count) = rate.corners();
    let speed = corners[..count].iter().map(|&v| largest(v)).fold(0.0, f64::max);
    // Features move by the tolerance in this time.
    let slot = (options.tolerance / speed).clamp(1e-12, 1.0);
    let mut rest = BinaryHeap::from([whole]);
    let mut checks = 0;
    while let Some(mut cell) = rest.pop() {
        if checks >= options.max_checks {
            return Some(cell.impact(&rest, false));
        }
        checks += 1;
        let before = cell;
        let Some(range) = rows.shrink(&mut cell) else { continue };
        if checks > PATIENCE
            && Rows::local(motion, &rate, &cell, options).shrink(&mut cell).is_none()
        {
            continue;
        }
        let moved = cell.slot;
        cell.slot = (cell.lo[0] / slot).floor();
        let small = range.widest <= options.tolerance;
        if cell.slot > moved || (!small && cell.volume_share(&before) < 0.5) {
            rest.push(cell);
            continue;
        }
        match cell.halves(range.along) {
            Some((first, second)) if !small => {
                rest.push(second);
                rest.push(first);
            }
            // Small enough, or as small as numbers allow.
            _ => return Some(cell.impact(&rest, true)),
        }
    }
    None
}

/// A box of (t, u, v).
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cell {
    lo: Vec3,
    hi: Vec3,
    /// Which slot of time it begins in.
    slot: f64,
}

impl Eq for Cell {}

impl Ord for Cell {
    /// The heap pops the greatest: the earliest box, and within a slot of time the smallest. By time alone,
    /// features that meet along a line would have all of it cut to pieces of the tolerance.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let size = |c: &Self| (c.hi[0] - c.lo[0]) + (c.hi[1] - c.lo[1]) + (c.hi[2] - c.lo[2]);
        other.slot.total_cmp(&self.slot).then_with(|| size(other).total_cmp(&size(self)))
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Cell {
    /// This box is the answer, at the time when it or any of the rest begins.
    fn impact(&self, rest: &BinaryHeap<Self>, settled: bool) -> Impact {
        let mid = |k: usize| 0.5 * (self.lo[k] + self.hi[k]);
        let time = rest.iter().map(|c| c.lo[0]).fold(self.lo[0], f64::min);
        Impact { time, u: mid(1), v: mid(2), settled }
    }

    /// How much of `before` is left.
    fn volume_share(&self, before: &Self) -> f64 {
        (0..3)
            .map(|k| {
                let old = before.hi[k] - before.lo[k];
                if old > 0.0 { (self.hi[k] - self.lo[k]) / old } else { 1.0 }
            })
            .product()
    }

    /// Halved along t, u or v: the first choice that can still be halved.
    fn halves(&self, along: [usize; 3]) -> Option<(Self, Self)> {
        for k in along {
            let mid = 0.5 * (self.lo[k] + self.hi[k]);
            if self.lo[k] < mid && mid < self.hi[k] {
                let (mut first, mut second) = (*self, *self);
                first.hi[k] = mid;
                second.lo[k] = mid;
                return Some((first, second));
            }
        }
        None
    }
}

/// What F does over a box.
struct Range {
    /// The widest of its three components.
    widest: f64,
    /// t, u, v: the one along which F varies most comes first.
    along: [usize; 3],
}

/// F along one direction: r, a, b at the start and at the end, each a number, and how far
/// values may be from zero at a contact: minimum separation and rounding.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    r: [f64; 2],
    a: [f64; 2],
    b: [f64; 2],
    reach: f64,
}

/// F along several directions: first the three axes.
struct Rows {
    rows: [Row; 6],
    count: usize,
    triangle: bool,
}

impl Rows {
    fn axes(motion: &Motion, separation: f64) -> Self {
        let (p, q) = (&motion.start, &motion.end);
        let mut rows = [Row::default(); 6];
        for k in 0..3 {
            rows[k] =
                Row::new([p.r[k], q.r[k]], [p.a[k], q.a[k]], [p.b[k], q.b[k]], separation, 11.0);
        }
        Self { rows, count: 3, triangle: p.triangle }
    }

    /// One direction more, of any length, if it has one and there is room.
    fn add(&mut self, n: Vec3, motion: &Motion, separation: f64) {
        if let (Some(n), true) = (unit(n), self.count < self.rows.len()) {
            self.rows[self.count] = Row::along(n, &motion.start, &motion.end, separation);
            self.count += 1;
        }
    }

    /// Directions along which, in the middle of the box, F depends on one of t, u, v alone, or (where a and b
    /// are parallel) on time alone: what is left of a box around a root shrinks with its square.
    fn local(motion: &Motion, rate: &Patch, cell: &Cell, options: &Options) -> Self {
        let mid = |k: usize| 0.5 * (cell.lo[k] + cell.hi[k]);
        let patch = motion.at(mid(0));
        let velocity = rate.at(mid(1), mid(2));
        let across = [cross(velocity, patch.a), cross(velocity, patch.b)];
        let mut rows = Self { rows: [Row::default(); 6], count: 0, triangle: patch.triangle };
        let normals =
            [cross(patch.a, patch.b), cross(patch.a, across[0]), cross(patch.b, across[1])];
        for n in normals.into_iter().chain(across) {
            rows.add(n, motion, options.min_separation);
        }
        rows
    }

    /// Takes away what holds no contact; `None` if nothing is left.
    fn shrink(&self, cell: &mut Cell) -> Option<Range> {
        let mut widest = 0.0_f64;
        let mut parts = [0.0_f64; 3];
        for (i, row) in self.rows[..self.count].iter().enumerate() {
            if self.triangle {
                // u + v ≤ 1, with room for rounding.
                for (k, other) in [(1, 2), (2, 1)] {
                    cell.hi[k] = cell.hi[k].min((1.0 - cell.lo[other]) + 2.0 * UNIT);
                    if cell.hi[k] < cell.lo[k] {
                        return None;
                    }
                }
            }
            let values = row.values(cell, self.triangle);
            let (least, most) = values.range();
            if least > row.reach || most < -row.reach {
                return None;
            }
            if i < 3 {
                widest = widest.max(most - least);
                for (part, var) in parts.iter_mut().zip(values.variation()) {
                    *part = part.max(var);
                }
            }
            if least < -row.reach || most > row.reach {
                values.shrink(row.reach, cell)?;
            }
        }
        let mut along = [0, 1, 2];
        along.sort_by(|&i, &j| parts[j].total_cmp(&parts[i]));
        Some(Range { widest, along })
    }
}

impl Row {
    fn new(r: [f64; 2], a: [f64; 2], b: [f64; 2], separation: f64, units: f64) -> Self {
        let size = |x: [f64; 2]| x[0].abs().max(x[1].abs());
        let rounding = units * UNIT * (size(r) + size(a) + size(b)) + f64::MIN_POSITIVE;
        Self { r, a, b, reach: separation * (1.0 + 4.0 * UNIT) + rounding }
    }

    fn along(n: Vec3, p: &Patch, q: &Patch, separation: f64) -> Self {
        let both = |x: Vec3, y: Vec3| [dot(n, x), dot(n, y)];
        let mut row = Self::new(both(p.r, q.r), both(p.a, q.a), both(p.b, q.b), separation, 11.0);
        // Scalar products lose more than their value tells: up to 5 units of |n||x|, where |n_k| ≤ 1.
        let size = |x: Vec3| x[0].abs() + x[1].abs() + x[2].abs();
        let sizes = size(p.r).max(size(q.r)) + size(p.a).max(size(q.a)) + size(p.b).max(size(q.b));
        row.reach += 5.0 * UNIT * sizes;
        row
    }

    fn values(&self, cell: &Cell, triangle: bool) -> Values {
        let mut at = [[0.0; 4]; 2];
        for (i, t) in [cell.lo[0], cell.hi[0]].into_iter().enumerate() {
            let lerp = |x: [f64; 2]| x[0] + t * (x[1] - x[0]);
            let (r, a, b) = (lerp(self.r), lerp(self.a), lerp(self.b));
            let (ra, rb) = (r - cell.lo[1] * a, r - cell.hi[1] * a);
            at[i] = [
                ra - cell.lo[2] * b,
                rb - cell.lo[2] * b,
                ra - cell.hi[2] * b,
                rb - cell.hi[2] * b,
            ];
        }
        // Where the side u + v = 1 cuts the corner off, what is left is within the other three.
        if triangle && cell.hi[1] + cell.lo[2] >= 1.0 && cell.lo[1] + cell.hi[2] >= 1.0 {
            Values { at, count: 3 }
        } else {
            Values { at, count: 4 }
        }
    }
}

/// At both times, the values at (u, v) low-low, high-low, low-high, high-high; triangles may lack the last.
struct Values {
    at: [[f64; 4]; 2],
    count: usize,
}

/// Which corners of (u, v) have u low, u high, v low, v high; the last one is left out of triangles.
const SIDES: [[[usize; 2]; 2]; 2] = [[[0, 2], [1, 3]], [[0, 1], [2, 3]]];

impl Values {
    fn range(&self) -> (f64, f64) {
        let (a, b) = (self.span(0, &[0, 1, 2, 3]), self.span(1, &[0, 1, 2, 3]));
        (a.0.min(b.0), a.1.max(b.1))
    }

    /// Least and greatest at one of the times, over some corners.
    fn span(&self, time: usize, corners: &[usize]) -> (f64, f64) {
        let mut span = (f64::INFINITY, f64::NEG_INFINITY);
        for &c in corners {
            if c < self.count {
                let x = self.at[time][c];
                span = (span.0.min(x), span.1.max(x));
            }
        }
        span
    }

    /// How much F changes along t, u, v.
    fn variation(&self) -> [f64; 3] {
        let [p, q] = &self.at;
        let over = |f: &dyn Fn(usize) -> f64| (0..4).map(f).fold(0.0_f64, |m, x| m.max(x.abs()));
        [
            over(&|c| q[c] - p[c]),
            (p[1] - p[0]).abs().max((q[1] - q[0]).abs()),
            (p[2] - p[0]).abs().max((q[2] - q[0]).abs()),
        ]
    }

    /// Moves the sides of the box to where F may first be within `reach` of zero.
    fn shrink(&self, reach: f64, cell: &mut Cell) -> Option<()> {
        for k in 0..3 {
            let (low, high) = if k == 0 {
                (self.span(0, &[0, 1, 2, 3]), self.span(1, &[0, 1, 2, 3]))
            } else {
                let side = |i: usize| {
                    let (a, b) = (self.span(0, &SIDES[k - 1][i]), self.span(1, &SIDES[k - 1][i]));
                    (a.0.min(b.0), a.1.max(b.1))
                };
                (side(0), side(1))
            };
            let (lo, hi) = (cell.lo[k], cell.hi[k]);
            let width = hi - lo;
            // Shares of the box that hold no root, at its beginning and at its end.
            let first = free(low.0, high.0, reach).max(free(-low.1, -high.1, reach));
            let last = free(high.0, low.0, reach).max(free(-high.1, -low.1, reach));
            if first > 0.0 {
                cell.lo[k] = (lo + first * width * (1.0 - 8.0 * UNIT)) * (1.0 - 2.0 * UNIT);
                cell.lo[k] = cell.lo[k].max(lo);
            }
            if last > 0.0 {
                cell.hi[k] = (hi - last * width * (1.0 - 8.0 * UNIT)) * (1.0 + 2.0 * UNIT)
                    + f64::MIN_POSITIVE;
                cell.hi[k] = cell.hi[k].min(hi);
            }
            if cell.lo[k] > cell.hi[k] {
                return None;
            }
        }
        Some(())
    }
}

/// The share of a way on which a value stays above `reach`, that is at least `from` at its
/// beginning, at least `to` at its end, and linear between.
fn free(from: f64, to: f64, reach: f64) -> f64 {
    let above = from - reach;
    if above <= 0.0 {
        return 0.0;
    }
    let drop = from - to;
    if drop <= above { 1.0 } else { above / drop * (1.0 - 4.0 * UNIT) }
}
