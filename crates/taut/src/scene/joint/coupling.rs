//! Joints that couple the coordinates (hinge angle, slider travel) of other
//! joints: Σ factor·q − offset = 0. The row is the weighted sum of the
//! coordinates' rows; a body that several of them share gets the sum.

use super::Geometry;
use super::coordinate::Coordinate;
use super::definition::{Joint, JointKind};
use super::row::{Part, Row};
use super::{differential, gear};
use crate::slots::JointId;

/// What a coupling joint couples.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coupling {
    /// Joints and factors of their coordinates.
    pub(crate) terms: [Option<(JointId, f64)>; 3],
    /// Set when the joint is added, so that it starts without error.
    pub(crate) offset: Option<f64>,
}

impl JointKind {
    /// What it couples; `None` if it is an ordinary joint of two bodies.
    pub(crate) fn coupling(&self) -> Option<Coupling> {
        match *self {
            JointKind::Gear { first, second, ratio, offset } => {
                Some(gear::coupling(first, second, ratio, offset))
            }
            JointKind::Differential { cage, first, second, offset } => {
                Some(differential::coupling(cage, first, second, offset))
            }
            _ => None,
        }
    }

    /// Sets the offset of a coupling.
    pub(crate) fn set_offset(&mut self, value: f64) {
        if let JointKind::Gear { offset, .. } | JointKind::Differential { offset, .. } = self {
            *offset = Some(value);
        }
    }
}

impl Coupling {
    /// The joints it couples.
    pub(crate) fn joints(&self) -> impl Iterator<Item = JointId> + use<> {
        self.terms.into_iter().flatten().map(|(id, _)| id)
    }

    /// The row, given definition, geometry and angle of each joint; `None`
    /// if one of them is gone or has no coordinate.
    pub(crate) fn row<'a>(
        &self,
        find: impl Fn(JointId) -> Option<(&'a Joint, Geometry, f64)>,
    ) -> Option<Row> {
        let mut sum: Option<Row> = None;
        for (id, factor) in self.terms.into_iter().flatten() {
            let (joint, g, angle) = find(id)?;
            let q = coordinate(joint, &g, angle)?;
            let Some(row) = &mut sum else {
                let phi = factor * q.value - self.offset.unwrap_or(0.0);
                let parts = q.row.parts.map(|part| part.map(|part| part.scaled(factor)));
                sum = Some(Row { tag: 0, reaction: true, phi, parts, ..q.row });
                continue;
            };
            row.phi += factor * q.value;
            for part in q.row.parts.into_iter().flatten() {
                add(row, part.scaled(factor));
            }
        }
        sum
    }
}

/// The coordinate of a hinge or slider.
fn coordinate(joint: &Joint, g: &Geometry, angle: f64) -> Option<Coordinate> {
    match joint.kind {
        JointKind::Hinge => Some(Coordinate::angle(g, angle)),
        JointKind::Slider => Some(Coordinate::travel(g)),
        _ => None,
    }
}

fn add(row: &mut Row, part: Part) {
    let mut parts = row.parts.iter_mut();
    if let Some(same) = parts.find_map(|p| p.as_mut().filter(|p| p.body == part.body)) {
        same.linear += part.linear;
        same.angular += part.angular;
    } else if let Some(free) = row.parts.iter_mut().find(|p| p.is_none()) {
        *free = Some(part);
    }
}
