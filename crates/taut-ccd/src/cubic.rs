//! Roots of the coplanarity cubic (Andrews22 2.2.2, 2.2.3): the textbook method, for comparison.
//!
//! The four corners are coplanar where det(r, a, b)(t) = 0, a cubic in t (eq. 97). At each root in
//! [0, end] the closest point of the two planes or lines (eq. 101) must lie within the features.
//!
//! *Cost*: the least of all methods. *When it fails*: motions within one plane make the cubic vanish,
//! so there are no roots to look at; grazing contacts and thin triangles lose theirs to rounding. 14 of
//! 7,279 published sample queries are missed by such a method. Use it to compare, not to rely on.
//! Deviation: t ≤ end, not t < end.

use crate::patch::{Motion, Patch};
use crate::vector::{cross, dot, largest, norm};
use crate::{Error, Impact, Options, Query};

/// How far u and v may be outside.
const SLACK: f64 = 1e-9;

/// When the features first touch, if rounding does not hide it.
pub fn first_contact(query: &Query, options: &Options) -> Result<Option<Impact>, Error> {
    query.check()?;
    options.check()?;
    if options.min_separation > 0.0 {
        return Err(Error::NoSeparation("cubic"));
    }
    let motion = Motion::new(query);
    for t in roots(coefficients(&motion), options.end).into_iter().flatten() {
        if let Some((u, v)) = inside(&motion.at(t)) {
            return Ok(Some(Impact { time: t, u, v, settled: true }));
        }
    }
    Ok(None)
}

/// Of det(r, a, b)(t), lowest power first.
fn coefficients(motion: &Motion) -> [f64; 4] {
    let (p, d) = (motion.start, motion.rate());
    let ab = cross(p.a, p.b);
    let first = cross(d.a, p.b);
    let second = cross(p.a, d.b);
    let mixed = [0, 1, 2].map(|k| first[k] + second[k]);
    let dd = cross(d.a, d.b);
    [dot(p.r, ab), dot(d.r, ab) + dot(p.r, mixed), dot(d.r, mixed) + dot(p.r, dd), dot(d.r, dd)]
}

/// Roots in [0, end] in ascending order: between neighbouring extrema a cubic is monotone, so a change of sign
/// there is one root, found by bisection. A double root touches zero at an extremum without a change of
/// sign; extrema within rounding of zero count.
fn roots(c: [f64; 4], end: f64) -> [Option<f64>; 6] {
    let value = |t: f64| ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
    let size = c.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut found = [None; 6];
    if size == 0.0 {
        return found;
    }
    let mut stops = [0.0, end, end, end];
    let mut count = 1;
    for t in extrema(c).into_iter().flatten() {
        if t > 0.0 && t < end {
            stops[count] = t;
            count += 1;
        }
    }
    let near = |y: f64| y.abs() <= 1e-14 * size;
    let mut n = 0;
    for i in 0..=count {
        if near(value(stops[i])) {
            found[n] = Some(stops[i]);
            n += 1;
        }
        if i == count || n == found.len() {
            break;
        }
        let (mut lo, mut hi) = (stops[i], stops[i + 1]);
        if n < found.len() && !near(value(lo)) && !near(value(hi)) && value(lo) * value(hi) < 0.0 {
            let rising = value(hi) > 0.0;
            for _ in 0..60 {
                let mid = 0.5 * (lo + hi);
                if (value(mid) > 0.0) == rising { hi = mid } else { lo = mid }
            }
            found[n] = Some(lo);
            n += 1;
        }
        if n == found.len() {
            break;
        }
    }
    found
}

/// Where the derivative vanishes, ascending.
fn extrema(c: [f64; 4]) -> [Option<f64>; 2] {
    let (a, b, c) = (3.0 * c[3], c[2], c[1]);
    let disc = b * b - a * c;
    if disc < 0.0 {
        return [None; 2];
    }
    // a t² + 2 b t + c, without cancellation.
    let q = -(b + disc.sqrt().copysign(b));
    let both = [q / a, c / q].map(|t| t.is_finite().then_some(t));
    match both {
        [Some(s), Some(t)] if s > t => [Some(t), Some(s)],
        other => other,
    }
}

fn inside(patch: &Patch) -> Option<(f64, f64)> {
    let (aa, ab, bb) = (dot(patch.a, patch.a), dot(patch.a, patch.b), dot(patch.b, patch.b));
    let (ra, rb) = (dot(patch.r, patch.a), dot(patch.r, patch.b));
    let det = aa * bb - ab * ab;
    let (u, v) = ((ra * bb - rb * ab) / det, (rb * aa - ra * ab) / det);
    let range = -SLACK..=1.0 + SLACK;
    let ok = range.contains(&u) && range.contains(&v) && (!patch.triangle || u + v <= 1.0 + SLACK);
    // Off the plane, where the root is one of a degenerate patch.
    let size = largest(patch.r) + largest(patch.a) + largest(patch.b);
    (ok && norm(patch.at(u, v)) <= 1e-6 * size).then_some((u.clamp(0.0, 1.0), v.clamp(0.0, 1.0)))
}
