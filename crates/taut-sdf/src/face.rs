//! The least value of a field on a triangle, certain (Andrews22 eq. 110).
//!
//! A field that is L-Lipschitz is, on a triangle whose corners are within R of its centre c, at least
//! s(c) − L R. So: keep a queue of triangles by that bound, take the least, cut it in four, until no bound is
//! below the best value found by more than the tolerance. *Cost*: one value where the triangle is far away;
//! hundreds where it lies along the surface, with no end where it is parallel to it, so their number is
//! bounded, and the bound reached is part of the answer.
//!
//! Deviation: projected gradients (as printed they leave the simplex) and Frank-Wolfe steps end in local minima,
//! up to 12 cm above the least value on triangles of a metre.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::field::Field;
use crate::vector::{Vec3, along, norm, scale, sub};

/// Where a field is least on a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Minimum {
    /// The place.
    pub point: Vec3,
    /// The field there.
    pub distance: f64,
    /// The field is nowhere less than this on the triangle.
    pub at_least: f64,
    /// Values that were asked for.
    pub evaluations: usize,
}

/// A piece of the triangle.
struct Piece {
    at_least: f64,
    corners: [Vec3; 3],
}

impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Piece {}

impl Ord for Piece {
    /// The heap pops the greatest: the least bound.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at_least.total_cmp(&self.at_least)
    }
}

impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The least value on a triangle to `tolerance` (metres), or as near as `max_evaluations` values get.
pub fn face_minimum(
    field: &impl Field,
    corners: [Vec3; 3],
    tolerance: f64,
    max_evaluations: usize,
) -> Minimum {
    minimum_below(field, corners, f64::INFINITY, tolerance, max_evaluations)
}

/// The least value on a triangle, but a triangle that is known to be above `limit` is not looked at any further.
pub(crate) fn minimum_below(
    field: &impl Field,
    corners: [Vec3; 3],
    limit: f64,
    tolerance: f64,
    max_evaluations: usize,
) -> Minimum {
    let mut best =
        Minimum { point: corners[0], distance: f64::INFINITY, at_least: 0.0, evaluations: 0 };
    let mut queue = BinaryHeap::new();
    for corner in corners {
        best.look(field, corner);
    }
    let first = best.piece(field, corners);
    queue.push(first);
    while let Some(piece) = queue.pop() {
        // Pieces that were left out are above the second.
        let enough = best.distance - tolerance;
        best.at_least = piece.at_least.min(enough);
        if piece.at_least >= enough.min(limit) || best.evaluations >= max_evaluations {
            return best;
        }
        let [a, b, c] = piece.corners;
        let middle = |p: Vec3, q: Vec3| scale(along(p, 1.0, q), 0.5);
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        for part in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            let mut next = best.piece(field, part);
            next.at_least = next.at_least.max(piece.at_least);
            if next.at_least < best.distance - tolerance {
                queue.push(next);
            }
        }
    }
    best.at_least = best.distance - tolerance;
    best
}

impl Minimum {
    fn look(&mut self, field: &impl Field, point: Vec3) -> f64 {
        let distance = field.distance(point);
        self.evaluations += 1;
        if distance < self.distance {
            (self.distance, self.point) = (distance, point);
        }
        distance
    }

    fn piece(&mut self, field: &impl Field, corners: [Vec3; 3]) -> Piece {
        let [a, b, c] = corners;
        let centre = scale(along(along(a, 1.0, b), 1.0, c), 1.0 / 3.0);
        let radius = corners.iter().map(|&p| norm(sub(p, centre))).fold(0.0, f64::max);
        let at_least = self.look(field, centre) - field.lipschitz() * radius;
        Piece { at_least, corners }
    }
}
