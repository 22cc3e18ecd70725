//! Gear: q₁ − ratio·q₂ − offset = 0 for the coordinates (hinge angle, slider
//! travel) of two joints, up to four bodies. The row is the difference of the
//! two coordinates' rows; a body that both joints share gets the sum.

use super::Geometry;
use super::coordinate::Coordinate;
use super::definition::{Joint, JointKind};
use super::row::{Part, Row};

/// The coordinate of a hinge or slider.
fn coordinate(joint: &Joint, g: &Geometry, angle: f64) -> Option<Coordinate> {
    match joint.kind {
        JointKind::Hinge => Some(Coordinate::angle(g, angle)),
        JointKind::Slider => Some(Coordinate::travel(g)),
        _ => None,
    }
}

/// The row of a gear between two joints with their geometry and angle;
/// `None` if one of them has no coordinate.
pub(crate) fn gear_row(
    ratio: f64,
    offset: f64,
    first: (&Joint, &Geometry, f64),
    second: (&Joint, &Geometry, f64),
) -> Option<Row> {
    let q1 = coordinate(first.0, first.1, first.2)?;
    let q2 = coordinate(second.0, second.1, second.2)?;
    let mut row = Row { tag: 0, reaction: true, ..q1.row };
    row.phi = q1.value - ratio * q2.value - offset;
    for part in q2.row.parts.into_iter().flatten() {
        add(&mut row, part, -ratio);
    }
    Some(row)
}

fn add(row: &mut Row, part: Part, factor: f64) {
    let (linear, angular) = (part.linear * factor, part.angular * factor);
    let mut parts = row.parts.iter_mut();
    if let Some(same) = parts.find_map(|p| p.as_mut().filter(|p| p.body == part.body)) {
        same.linear += linear;
        same.angular += angular;
    } else if let Some(free) = row.parts.iter_mut().find(|p| p.is_none()) {
        *free = Some(Part { body: part.body, linear, angular });
    }
}
