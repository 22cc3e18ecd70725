//! Joints that couple the coordinates (hinge angle, slider travel) of other
//! joints: Σ factor·q − offset = 0, for gears with a curve besides. The row is the weighted sum of the
//! coordinates' rows; a body that several of them share gets the sum. A tendon has the sum as a
//! coordinate of its own, with limits, motor and passive forces.

use super::Geometry;
use super::coordinate::Coordinate;
use super::definition::{Joint, JointKind};
use super::row::{PARTS, Part, Row, RowSink};
use super::{differential, gear, tendon};
use crate::slots::JointId;

/// What a coupling joint couples.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Coupling {
    /// Joints and factors of their coordinates.
    pub(crate) terms: [Option<(JointId, f64)>; PARTS],
    /// Coefficients of the second, third and fourth power of the second coordinate.
    pub(crate) curve: [f64; 3],
    /// Set when the joint is added, so that it starts without error.
    pub(crate) offset: Option<f64>,
}

impl JointKind {
    /// What it couples; `None` if it is an ordinary joint of two bodies.
    pub(crate) fn coupling(&self) -> Option<Coupling> {
        match self {
            &JointKind::Gear { first, second, ratio, curve, offset } => {
                Some(gear::coupling([first, second], ratio, curve, offset))
            }
            &JointKind::Differential { cage, first, second, offset } => {
                Some(differential::coupling(cage, first, second, offset))
            }
            JointKind::Tendon { terms } => Some(tendon::coupling(terms)),
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

    /// Whether its row changes with the coordinates.
    pub(crate) fn is_curved(&self) -> bool {
        self.curve != [0.0; 3]
    }

    /// What term i adds at the coordinate q, and how that changes with q.
    pub(crate) fn term(&self, i: usize, factor: f64, q: f64) -> (f64, f64) {
        if i != 1 {
            return (factor * q, factor);
        }
        let [a, b, c] = self.curve;
        let value = factor * q + q * q * (a + q * (b + q * c));
        (value, factor + q * (2.0 * a + q * (3.0 * b + q * 4.0 * c)))
    }

    /// The slope at the end of a step from q₀ to q that makes the mean with that at its start the slope of the chord: what
    /// the coupling then adds in the step is that slope times the way, exactly, and its force does no work.
    fn slope_from(&self, i: usize, factor: f64, start: f64, q: f64) -> f64 {
        let [a, b, c] = self.curve;
        let chord = factor
            + a * (q + start)
            + b * (q * q + q * start + start * start)
            + c * (q + start) * (q * q + start * start);
        2.0 * chord - self.term(i, factor, start).1
    }

    /// The row, given definition, geometry and angle of each joint; `None`
    /// if one of them is gone or has no coordinate. With the place from where a step led the second coordinate there,
    /// the row for the mean of start and end.
    pub(crate) fn row<'a>(
        &self,
        from: Option<f64>,
        find: impl Fn(JointId) -> Option<(&'a Joint, Geometry, f64)>,
    ) -> Option<Row> {
        let mut sum: Option<Row> = None;
        for (i, (id, factor)) in self.terms.into_iter().flatten().enumerate() {
            let (joint, g, angle) = find(id)?;
            let q = coordinate(joint, &g, angle)?;
            let (value, slope) = self.term(i, factor, q.value);
            let factor = match from {
                Some(start) if i == 1 => self.slope_from(i, factor, start, q.value),
                _ => slope,
            };
            let Some(row) = &mut sum else {
                let phi = value - self.offset.unwrap_or(0.0);
                let parts = q.row.parts.map(|part| part.map(|part| part.scaled(factor)));
                sum = Some(Row { tag: 0, reaction: true, phi, parts, ..q.row });
                continue;
            };
            row.phi += value;
            for part in q.row.parts.into_iter().flatten() {
                add(row, part.scaled(factor));
            }
        }
        sum
    }
}

impl Joint {
    /// Appends the rows of a joint that couples others, given the row of its sum.
    pub(crate) fn coupled_rows(&self, row: Row, out: &mut RowSink) {
        match self.kind {
            JointKind::Tendon { .. } => tendon::rows(self, row, out),
            _ => out.push(row),
        }
    }
}

/// The value of a hinge's or slider's coordinate.
pub(crate) fn coordinate_value(joint: &Joint, g: &Geometry, angle: f64) -> f64 {
    coordinate(joint, g, angle).map_or(0.0, |q| q.value)
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
