//! A pulley in the world: tangents to its circle, and how straight lines pass it.

use crate::math::Vec3;

// What half and twice of these change: docs/decisions/step-constants.md.

/// Nearer to the centre than this many radii there are no tangents.
const NEAR: f64 = 1.0 + 1e-9;
/// Tangents shorter than this share of the radius have no direction.
const SHORT: f64 = 1e-9;
/// A line passes an edge that lies beyond its end by this share of its length at most: rounding.
const ACROSS: f64 = 1e-9;
/// A pulley in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circle {
    pub(crate) centre: Vec3,
    pub(crate) axis: Vec3,
    pub(super) e1: Vec3,
    pub(super) e2: Vec3,
    pub(crate) radius: f64,
    /// By how much the radius grows with the angle at which the cable leaves it or comes in \[m/rad\]: of a drum with layers,
    /// on which the cable lies as a spiral.
    pub(crate) growth: f64,
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

    /// How the tangent's condition, angle − [`Circle::tangent`], changes with the angle itself: by more than 1 where
    /// the radius grows.
    pub(super) fn own_slope(&self, point: Vec3, leaves: bool) -> f64 {
        let distance = (point - self.centre).length();
        let root = (distance * distance - self.radius * self.radius).max(0.0).sqrt();
        let sign = if leaves { -1.0 } else { 1.0 };
        1.0 + sign * self.growth / root.max(SHORT * self.radius)
    }

    /// Length of what is wound on it by an angle, the radius being that of the outermost turn \[m\].
    pub(crate) fn wound(&self, wrap: f64) -> f64 {
        wrap * (self.radius - 0.5 * self.growth.abs() * wrap)
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
            foot,
            beside: z.abs(),
            excess: 0.5 * z * z * parts / length,
            length,
        })
    }
}

/// How a straight line passes a circle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passing {
    /// How far to the right of the centre, as seen in the direction of travel \[m\].
    pub(super) right: f64,
    /// Where the point nearest to the centre lies, as a share of its length: between its ends from 0 to 1.
    pub(super) foot: f64,
    /// How far beside the plane of the circle it is there \[m\].
    pub(super) beside: f64,
    /// By which share of its length the way through the plane is longer, to leading order.
    pub(super) excess: f64,
    /// Its length \[m\].
    pub(super) length: f64,
}

impl Passing {
    /// Whether the point nearest to the centre lies between its ends.
    pub(super) fn is_between(&self) -> bool {
        self.foot > 0.0 && self.foot < 1.0
    }

    /// By which share of its length the way is longer that turns by this depth \[m\] at the point nearest to the centre, to leading order.
    pub(super) fn turning(&self, depth: f64) -> f64 {
        let parts = (self.foot * (1.0 - self.foot)).max(0.0);
        0.5 * (depth / self.length).powi(2) / parts.max(f64::MIN_POSITIVE)
    }

    /// The same of an edge, which a line passes, too, that begins or ends right above it, as the way down from it does.
    pub(super) fn is_across(&self) -> bool {
        let above = -ACROSS..=1.0 + ACROSS;
        above.contains(&self.foot) && self.beside == 0.0
    }
}
