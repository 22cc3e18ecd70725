//! Edges that follow one another around a body: those of a prism, into which a straight line cuts or does not.
//!
//! One edge alone knows no more than on which side of it a line passes. Of three or more that follow one another on one body, each in the sense
//! in which the cable turns, the faces are known: an edge takes only what comes from outside and cuts into the body.

use super::Node;
use crate::cables::Cable;
use crate::cables::solid::ROUNDING;
use crate::math::Vec3;
use std::ops::Range;

/// A prism whose edges a cable may lie on.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    pub(super) stations: Range<usize>,
    /// Outward normal of each face, and a point of it.
    faces: Vec<(Vec3, Vec3)>,
    size: f64,
}

/// Finds the prisms among the stations of a cable, which were placed.
pub(super) fn find(cable: &Cable, nodes: &[Node], rings: &mut Vec<Ring>) {
    rings.clear();
    let mut k = 0;
    while k < nodes.len() {
        let own = |i: &usize| {
            nodes[*i].edge.is_some() && cable.stations[*i].frame == cable.stations[k].frame
        };
        let run = k..(k..nodes.len()).take_while(own).last().map_or(k, |last| last + 1);
        rings.extend(ring(cable, nodes, run.clone()));
        k = run.end.max(k + 1);
    }
}

/// The prism of a run of edges, if they go around one: three or more that differ, each turning by the right hand from the last.
fn ring(cable: &Cable, nodes: &[Node], stations: Range<usize>) -> Option<Ring> {
    let mut corners: Vec<(usize, Vec3, Vec3)> = Vec::new();
    for k in stations.clone() {
        let station = &cable.stations[k];
        let same = |&(i, ..): &(usize, Vec3, Vec3)| {
            let other = &cable.stations[i];
            (other.point, other.edge) == (station.point, station.edge)
        };
        if let Some([from, to]) = nodes[k].edge.filter(|_| !corners.iter().any(same)) {
            corners.push((k, 0.5 * (from + to), (to - from).normalize_or_zero()));
        }
    }
    if corners.len() < 3 {
        return None;
    }
    let next = corners.iter().cycle().skip(1);
    let face = |(&(_, at, axis), &(_, to, _)): (&(usize, Vec3, Vec3), &(usize, Vec3, Vec3))| {
        ((to - at).cross(axis).normalize_or_zero(), at)
    };
    let faces: Vec<(Vec3, Vec3)> = corners.iter().zip(next).map(face).collect();
    let size = corners.iter().map(|c| (c.1 - corners[0].1).length()).fold(0.0, f64::max);
    let inside = |&(n, at): &(Vec3, Vec3)| {
        n != Vec3::ZERO && corners.iter().all(|c| n.dot(c.1 - at) <= ROUNDING * size)
    };
    faces.iter().all(inside).then_some(Ring { stations, faces, size })
}

impl Ring {
    /// Depth that is rounding \[m\].
    pub(super) fn rounding(&self) -> f64 {
        ROUNDING * self.size
    }

    /// Whether a straight line goes in and comes out again.
    pub(super) fn is_cut(&self, [a, b]: [Vec3; 2]) -> bool {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        let (mut comes, mut leaves) = (false, false);
        for &(n, at) in &self.faces {
            let [x, y] = [a, b].map(|p| n.dot(p - at) + self.rounding());
            match (x >= 0.0, y >= 0.0) {
                (true, true) => return false,
                (true, false) => (comes, from) = (true, from.max(x / (x - y))),
                (false, true) => (leaves, to) = (true, to.min(x / (x - y))),
                (false, false) => {}
            }
        }
        comes && leaves && from < to
    }
}
