//! Additive continuous collision detection (Li et al. 2021 alg. 1).
//!
//! No point of one feature comes nearer to one of the other faster than L, the largest relative speed
//! of two corners. So if they are apart by d now, nothing can happen for d/L. Advance by nine tenths of
//! that, measure again, until the gap is a tenth of what it was at the start and below the tolerance.
//!
//! *Cost*: a distance per step; a direct approach gains a digit per step, a grazing one is slower.
//! *Never late*: distances are bounded from below with their rounding (`closest.rs`). *When it fails*: it
//! does not; features that start nearer than rounding can tell count as touching at time 0.
//! Deviations from Li et al. 2021: along n, the direction of the shortest distance, corners move at constant speed, so none of
//! their differences crosses the plane n·x = 0 before the first one does; the longer of both ways is taken,
//! and a regular contact is met as by Newton's method. L is the largest relative speed of two corners, not the sum of both features'
//! largest speeds after their mean is taken away, which is more; and distances are taken at t, not by adding
//! up displacements.
//!
//! Reference: Andrews22 2.2.6; Li et al. 2021, section 5.

use crate::closest::closest;
use crate::patch::{Motion, UNIT};
use crate::vector::{Vec3, dot, norm};
use crate::{Error, Impact, Options, Query};

/// The share of the safe way that is gone.
const SHARE: f64 = 0.9;

/// When the features first touch: never late.
pub fn first_contact(query: &Query, options: &Options) -> Result<Option<Impact>, Error> {
    query.check()?;
    options.check()?;
    let motion = Motion::new(query);
    let rate = motion.rate();
    let (rates, count) = rate.corners();
    // What rounding may hide: of speeds, and of places at any time.
    let slack = 2.0 * rate.rounding();
    let speed =
        rates[..count].iter().map(|&v| norm(v)).fold(0.0, f64::max) * (1.0 + 8.0 * UNIT) + slack;

    let mut t = 0.0;
    let mut target = 0.0;
    for check in 0..options.max_checks {
        let patch = motion.at(t);
        let found = closest(&patch);
        let gap = (found.at_least - options.min_separation) * (1.0 - 4.0 * UNIT);
        if check == 0 {
            target = ((1.0 - SHARE) * gap).min(options.tolerance);
        }
        let impact = Impact { time: t, u: found.u, v: found.v, settled: true };
        if gap <= target {
            return Ok(Some(impact));
        }
        if gap > speed * (options.end - t) * (1.0 + 4.0 * UNIT) {
            return Ok(None);
        }
        let closing = |(p, v): (&Vec3, &Vec3)| {
            let room = (dot(found.n, *p) - options.min_separation) * (1.0 - 8.0 * UNIT)
                - 2.0 * patch.rounding();
            room / (-dot(found.n, *v) + slack).max(0.0)
        };
        let (places, _) = patch.corners();
        let way = places[..count].iter().zip(&rates).map(closing).fold(f64::INFINITY, f64::min);
        if way > 1.0 {
            return Ok(None);
        }
        let way = way.max(gap / speed);
        if way < 32.0 * UNIT {
            // A tenth of the way must be more than the rounding of t.
            return Ok(Some(impact));
        }
        t += SHARE * way;
        if t > options.end {
            return Ok(None);
        }
    }
    let found = closest(&motion.at(t));
    Ok(Some(Impact { time: t, u: found.u, v: found.v, settled: false }))
}
