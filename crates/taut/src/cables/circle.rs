//! A pulley in the world: tangents to its circle, and how straight lines pass it.

use crate::math::Vec3;

/// Nearer to the centre than this many radii there are no tangents.
const NEAR: f64 = 1.0 + 1e-9;
/// Tangents shorter than this share of the radius have no direction.
const SHORT: f64 = 1e-9;
/// A pulley in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circle {
    pub(crate) centre: Vec3,
    pub(crate) axis: Vec3,
    pub(super) e1: Vec3,
    pub(super) e2: Vec3,
    pub(crate) radius: f64,
}

impl Circle {
    pub(super) fn radial(&self, angle: f64) -> Vec3 {
        let (s, c) = angle.sin_cos();
        self.e1 * c + self.e2 * s
    }

    /// The direction of travel.
    pub(super) fn along(&self, angle: f64) -> Vec3 {
        let (s, c) = angle.sin_cos();
        self.e2 * c - self.e1 * s
    }

    pub(crate) fn at(&self, angle: f64) -> Vec3 {
        self.centre + self.radial(angle) * self.radius
    }

    /// The angle at which the way to a point leaves, or that from it comes in, and its gradient with
    /// respect to the point.
    pub(super) fn tangent(&self, point: Vec3, leaves: bool) -> (f64, Vec3) {
        let d = point - self.centre;
        let (x, y) = (d.dot(self.e1), d.dot(self.e2));
        let (square, distance) = ((x * x + y * y).max(f64::MIN_POSITIVE), d.length());
        let (lead, slope) = self.lead(distance);
        let sign = if leaves { -1.0 } else { 1.0 };
        let around = (self.e2 * x - self.e1 * y) / square;
        let away = d / distance.max(f64::MIN_POSITIVE);
        (y.atan2(x) + sign * lead, around + away * (sign * slope))
    }

    /// acos(r/D) and its derivative; within the circle a power of D that goes on smoothly.
    pub(super) fn lead(&self, distance: f64) -> (f64, f64) {
        let least = NEAR * self.radius;
        let exact = |d: f64| {
            let root = (d * d - self.radius * self.radius).sqrt();
            ((self.radius / d).acos(), self.radius / (d * root))
        };
        if distance >= least {
            return exact(distance);
        }
        let (lead, slope) = exact(least);
        let power = slope * least / lead;
        let share = (distance / least).powf(power);
        (lead * share, lead * share * power / distance.max(f64::MIN_POSITIVE))
    }

    /// How a straight line between two points passes the circle, if it does not run along the axis.
    pub(super) fn passing(&self, a: Vec3, b: Vec3) -> Option<Passing> {
        let flat = |p: Vec3| ((p - self.centre).dot(self.e1), (p - self.centre).dot(self.e2));
        let ((ax, ay), (bx, by)) = (flat(a), flat(b));
        let (dx, dy) = (bx - ax, by - ay);
        let square = dx * dx + dy * dy;
        if square <= (SHORT * self.radius).powi(2) {
            return None;
        }
        let foot = -(ax * dx + ay * dy) / square;
        let (za, zb) = ((a - self.centre).dot(self.axis), (b - self.centre).dot(self.axis));
        let at = foot.clamp(0.0, 1.0);
        let (z, length) = (za + at * (zb - za), (b - a).length());
        let parts =
            (at * length).max(self.radius).recip() + ((1.0 - at) * length).max(self.radius).recip();
        Some(Passing {
            right: (ax * dy - ay * dx) / square.sqrt(),
            between: foot > 0.0 && foot < 1.0,
            beside: z.abs(),
            excess: 0.5 * z * z * parts / length,
        })
    }
}

/// How a straight line passes a circle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passing {
    /// How far to the right of the centre, as seen in the direction of travel \[m\].
    pub(super) right: f64,
    /// Whether the point nearest to the centre lies between its ends.
    pub(super) between: bool,
    /// How far beside the plane of the circle it is there \[m\].
    pub(super) beside: f64,
    /// By which share of its length the way through the plane is longer, to leading order.
    pub(super) excess: f64,
}
