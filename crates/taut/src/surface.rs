//! How a contact changes while its bodies move by finite amounts.
//!
//! A contact is one of points, lines and planes, each fixed to its body and swept by a ball: the
//! centre of a ball, the axis of a capsule or cylinder, the corner, edge or face of a
//! box. Its gap is the distance of the two less the radii, and its normal turns with
//! them:
//!
//! | features | normal | gap |
//! |---|---|---|
//! | plane of F, point O | that of F | n·(O − p_F) − ρ |
//! | two lines e_a, e_b | ±e_a×e_b | n·(O_b − O_a) − ρ_a − ρ_b |
//! | two points | O_b − O_a | the length − ρ_a − ρ_b |
//! | point O, line e | across e | the length − ρ_a − ρ_b |
//!
//! What has no such form (rims of discs, cones, features that were predicted) has no
//! surface, and stays linear, unless both bodies turn alike.
//!
//! **Stiffness.** The normal force N does λ times the second derivative of the gap: where a
//! flat side turns against a round one, the point of contact rolls along it, and N pulls
//! back at that arm. As for the force of a joint (`assemble::geometric`), light links that a heavy
//! rope presses on a drum are unstable without it. With y the vector from the centre of
//! mass of F to O it is N((n·y)1 − sym(n yᵀ)).

use crate::collide::{ContactPoint, Kind};
use crate::math::Vec3;

// What half and twice of these change: docs/decisions/step-constants.md.

/// Distances at the start that differ from the gap by more than this \[m\]: not the
/// features that made it.
const SAME: f64 = 1e-7;
/// Lines whose directions have a smaller cross product are parallel.
const PARALLEL: f64 = 0.1;

/// The features of a contact, in the world, at the start of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    pub(crate) kinds: [Kind; 2],
    pub(crate) normal: Vec3,
    /// Points of planes; points of lines and points less the radius.
    pub(crate) centres: [Vec3; 2],
    pub(crate) edges: [Vec3; 2],
    pub(crate) rounds: [f64; 2],
}

/// A contact somewhere in the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) gap: f64,
    pub(crate) normal: Vec3,
    pub(crate) point: Vec3,
}

/// A rigid motion of one body: where its points go, and its directions.
pub(crate) trait Mover {
    fn point(&self, p: Vec3) -> Vec3;
    fn direction(&self, e: Vec3) -> Vec3;
}

impl Surface {
    pub(crate) fn new(p: &ContactPoint, normal: Vec3) -> Option<Self> {
        let (bend, kinds) = (p.bend?, p.kinds());
        let round = |side: usize| match (kinds[side], bend.rounds[side]) {
            (Kind::Face, round) => Some(round.unwrap_or(0.0)),
            (_, round) => round,
        };
        let (ra, rb) = (round(0)?, round(1)?);
        let surface = Surface {
            kinds,
            normal,
            centres: [p.point_a - ra * normal, p.point_b + rb * normal],
            edges: bend.edges,
            rounds: [ra, rb],
        };
        let start = surface.at(&Still, &Still)?;
        let same = (start.gap - p.gap).abs() <= SAME && start.normal.dot(normal) > 1.0 - 1e-6;
        same.then_some(surface)
    }

    /// On which body a corner without radius lies on a face of the other: however the bodies turn, it stays that corner.
    pub(crate) fn corner(&self) -> Option<usize> {
        match self.kinds {
            [Kind::Face, Kind::Vertex] if self.rounds[1] == 0.0 => Some(1),
            [Kind::Vertex, Kind::Face] if self.rounds[0] == 0.0 => Some(0),
            _ => None,
        }
    }

    /// Whether one of its features has a radius.
    pub(crate) fn is_round(&self) -> bool {
        let round = |side: usize| self.kinds[side] != Kind::Face && self.rounds[side] > 0.0;
        round(0) || round(1)
    }

    /// The contact after its bodies have moved.
    pub(crate) fn at(&self, a: &impl Mover, b: &impl Mover) -> Option<Place> {
        let (oa, ob) = (a.point(self.centres[0]), b.point(self.centres[1]));
        let edges = || (a.direction(self.edges[0]), b.direction(self.edges[1]));
        let [ra, rb] = self.rounds;
        let d = ob - oa;
        let radii = ra + rb;
        let round = |d: Vec3| {
            let length = d.length();
            // Centres that meet, or corners, have no normal of their own.
            (radii > 0.0 && length > 0.1 * radii).then(|| (d / length, length - radii))
        };
        let (normal, gap, point) = match self.kinds {
            [Kind::Face, Kind::Vertex] => {
                let n = a.direction(self.normal);
                (n, n.dot(d) - rb, ob - rb * n)
            }
            [Kind::Vertex, Kind::Face] => {
                let n = b.direction(self.normal);
                (n, n.dot(d) - ra, oa + ra * n)
            }
            [Kind::Edge, Kind::Edge] => {
                let (ea, eb) = edges();
                let cross = ea.cross(eb);
                if cross.length() < PARALLEL {
                    return None;
                }
                let n = cross.normalize();
                let n = if n.dot(a.direction(self.normal)) < 0.0 { -n } else { n };
                // The foot on line a of the common perpendicular.
                let along = d.cross(eb).dot(cross) / cross.length_squared();
                (n, n.dot(d) - radii, oa + along * ea + ra * n)
            }
            [Kind::Vertex, Kind::Vertex] => {
                let (n, gap) = round(d)?;
                (n, gap, oa + ra * n)
            }
            [Kind::Vertex, Kind::Edge] => {
                let (_, eb) = edges();
                let (n, gap) = round(d - eb * eb.dot(d))?;
                (n, gap, oa + ra * n)
            }
            [Kind::Edge, Kind::Vertex] => {
                let (ea, _) = edges();
                let (n, gap) = round(d - ea * ea.dot(d))?;
                (n, gap, ob - rb * n)
            }
            _ => return None,
        };
        Some(Place { gap, normal, point })
    }

    /// For each body: arm y and axis of the stiffness of a unit normal force on it; all
    /// directions where there is no axis. The normal points away from the body.
    pub(crate) fn arms(&self, a: &impl Mover, b: &impl Mover) -> [Option<(Vec3, Option<Vec3>)>; 2] {
        let (oa, ob) = (|| a.point(self.centres[0]), || b.point(self.centres[1]));
        match self.kinds {
            [Kind::Face, Kind::Vertex] => [Some((ob(), None)), None],
            [Kind::Vertex, Kind::Face] => [None, Some((oa(), None))],
            [Kind::Edge, Kind::Edge] => {
                let (oa, ob) = (oa(), ob());
                let (ea, eb) = (a.direction(self.edges[0]), b.direction(self.edges[1]));
                [Some((ob, Some(self.normal.cross(ea)))), Some((oa, Some(self.normal.cross(eb))))]
            }
            _ => [None, None],
        }
    }
}

/// No motion.
pub(crate) struct Still;

impl Mover for Still {
    fn point(&self, p: Vec3) -> Vec3 {
        p
    }

    fn direction(&self, e: Vec3) -> Vec3 {
        e
    }
}
