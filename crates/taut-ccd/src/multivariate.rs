//! Newton's method on the multivariate form (Andrews22 2.2.4): the time of contact to rounding.
//!
//! F(t, u, v) = 0 (eq. 102, 103) is three quadratic equations in three unknowns, with no tests after them and
//! no trouble with coplanar motions, but Newton's method needs a start. Tight inclusion gives one: the earliest
//! box over which F all but vanishes. Where Newton finds a root near it, that is the answer; where it finds
//! none (edges that meet in parallel, motions within a plane, features that pass by within the tolerance),
//! the box is.
//!
//! *Cost*: that of tight inclusion and a few 3×3 systems. *When it fails*: the time may be late by rounding,
//! so a step that ends there may end a hair inside. Where that matters, use tight inclusion itself.

use crate::patch::Motion;
use crate::vector::{Vec3, cross, dot, largest};
use crate::{Error, Impact, Options, Query, tight_inclusion};

/// How far u and v may be outside.
const SLACK: f64 = 1e-12;

/// When the features first touch, to rounding.
pub fn first_contact(query: &Query, options: &Options) -> Result<Option<Impact>, Error> {
    if options.min_separation > 0.0 {
        return Err(Error::NoSeparation("multivariate"));
    }
    let Some(near) = tight_inclusion::first_contact(query, options)? else { return Ok(None) };
    let motion = Motion::new(query);
    let root = newton(&motion, [near.time, near.u, near.v], options.end);
    // Another root than the one of the box is no answer.
    let gap = |x: &Vec3| largest(motion.at(x[0]).at(near.u, near.v));
    let refined = root.filter(|x| x[0] >= near.time && gap(x) <= 4.0 * options.tolerance);
    Ok(Some(match refined {
        Some([time, u, v]) => Impact { time, u, v, settled: near.settled },
        None => near,
    }))
}

/// A root near `x` within the domain.
fn newton(motion: &Motion, mut x: Vec3, end: f64) -> Option<Vec3> {
    let rate = motion.rate();
    for _ in 0..10 {
        let patch = motion.at(x[0]);
        let f = patch.at(x[1], x[2]);
        let ft = rate.at(x[1], x[2]);
        // Cramer: F + Ft dt − a du − b dv = 0.
        let ab = cross(patch.a, patch.b);
        let det = dot(ft, ab);
        let dt = -dot(f, ab) / det;
        let g = [0, 1, 2].map(|k| f[k] + dt * ft[k]);
        let size = dot(ab, ab);
        let du = dot(cross(g, patch.b), ab) / size;
        let dv = dot(cross(patch.a, g), ab) / size;
        x = [x[0] + dt, x[1] + du, x[2] + dv];
        if !x.iter().all(|y| y.is_finite() && y.abs() < 4.0) {
            return None;
        }
        if dt.abs().max(du.abs()).max(dv.abs()) < 1e-15 {
            break;
        }
    }
    let patch = motion.at(x[0]);
    let inside = (-SLACK..=end + SLACK).contains(&x[0])
        && (-SLACK..=1.0 + SLACK).contains(&x[1])
        && (-SLACK..=1.0 + SLACK).contains(&x[2])
        && (!patch.triangle || x[1] + x[2] <= 1.0 + SLACK);
    let root = largest(patch.at(x[1], x[2])) <= 4.0 * patch.rounding();
    (inside && root).then(|| [x[0].clamp(0.0, end), x[1].clamp(0.0, 1.0), x[2].clamp(0.0, 1.0)])
}
