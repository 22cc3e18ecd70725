//! Every Jacobian against central differences of φ.

use super::*;
use crate::integrate::turned;
use crate::math::{Quat, Vec3};
use crate::slots::BodyId;

/// Pose of a body by its centre of mass.
#[derive(Clone, Copy)]
struct Place {
    x: Vec3,
    q: Quat,
}

fn side(body: u32, place: Place, anchor: Vec3, basis: Quat) -> Side {
    let id = BodyId { index: body, generation: 0 };
    let p = place.x + place.q * anchor;
    Side::new(Some(id), p, p - place.x, place.q * basis)
}

fn geometry(a: Place, b: Place) -> Geometry {
    let basis_a = Quat::from_rotation_x(0.4) * Quat::from_rotation_z(0.1);
    let basis_b = Quat::from_rotation_y(-0.3) * Quat::from_rotation_x(0.2);
    let anchor_a = Vec3::new(0.3, -0.2, 0.5);
    let anchor_b = Vec3::new(-0.4, 0.1, 0.2);
    Geometry::new(side(0, a, anchor_a, basis_a), side(1, b, anchor_b, basis_b))
}

fn places() -> (Place, Place) {
    let a = Place { x: Vec3::new(0.1, 0.2, 0.3), q: Quat::from_rotation_z(0.5) };
    let q = Quat::from_rotation_x(0.3) * Quat::from_rotation_y(0.6);
    (a, Place { x: Vec3::new(0.7, -0.3, 0.9), q })
}

/// All rows of a joint at a configuration.
fn rows(joint: &Joint, a: Place, b: Place) -> Vec<Row> {
    let g = geometry(a, b);
    let mut sink = RowSink::default();
    joint.rows(&g, g.angle(), &mut sink);
    sink.rows
}

/// Compares the Jacobian of each row with (φ(q ⊕ εe) − φ(q ⊖ εe))/2ε.
fn check(joint: Joint) {
    let (a, b) = places();
    let eps = 1e-6;
    let at = rows(&joint, a, b);
    assert!(!at.is_empty());
    for body in 0..2 {
        for k in 0..6 {
            let e = Vec3::from_array([0, 1, 2].map(|i| f64::from(u8::from(i == k % 3))));
            let moved = |s: f64| {
                let mut places = [a, b];
                if k < 3 {
                    places[body].x += e * s;
                } else {
                    places[body].q = turned(places[body].q, e, s);
                }
                rows(&joint, places[0], places[1])
            };
            let (plus, minus) = (moved(eps), moved(-eps));
            for (i, row) in at.iter().enumerate().filter(|(_, row)| row.has_position) {
                let expected = (plus[i].phi - minus[i].phi) / (2.0 * eps);
                let part = row.parts[body].expect("both sides are bodies");
                let j = if k < 3 { part.linear.dot(e) } else { part.angular.dot(e) };
                let name = joint.kind.name();
                assert!((j - expected).abs() < 1e-8, "{name} {} {k}: {j} {expected}", row.tag);
            }
        }
    }
}

#[test]
fn jacobians_match_finite_differences() {
    let (a, b) = (BodyId { index: 0, generation: 0 }, BodyId { index: 1, generation: 0 });
    let spring = Spring::new(100.0, 1.0);
    check(Joint::ball("j", a, b).cone(0.1));
    check(Joint::slider("j", a, b).limits(0.0, 0.1));
    check(Joint::universal("j", a, b));
    check(Joint::weld("j", a, b));
    check(Joint::rod("j", a, b, 0.5));
    check(Joint::rope("j", a, b, 0.5));
    check(Joint::compliant("j", a, b, [[spring; 3]; 2]));
}

/// The angle of a hinge has the rate ω_rel·z only while its axes coincide.
#[test]
fn hinges_on_their_axis() {
    let (a, b) = (BodyId { index: 0, generation: 0 }, BodyId { index: 1, generation: 0 });
    check(Joint::hinge("j", a, b));
    check(Joint::cylindrical("j", a, b));
    let eps = 1e-6;
    let frame = |turn: f64| {
        let q = Quat::from_rotation_x(0.4);
        let side = |body, q| Side::new(Some(body), Vec3::ZERO, Vec3::ZERO, q);
        let spun = turned(q, q * Vec3::Z, 0.3 + turn);
        Geometry::new(side(a, q), side(b, spun)).angle()
    };
    let rate = (frame(eps) - frame(-eps)) / (2.0 * eps);
    assert!((rate - 1.0).abs() < 1e-9 && (frame(0.0) - 0.3).abs() < 1e-12);
}
