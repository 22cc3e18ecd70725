//! What counts as contact, and how hard to try.

use crate::Error;

/// What counts as contact, and how hard to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Features count as touching at this distance, in metres. 0 by default.
    pub min_separation: f64,
    /// The part of the motion that is looked at, [0, `end`], 0 ≤ `end` ≤ 1. 1 by default.
    pub end: f64,
    /// Features that come closer than about this may count as touching, in metres. 1e-6 by default.
    pub tolerance: f64,
    /// At most so many boxes or distances are looked at; then the earliest time not yet ruled out is
    /// the answer, with [`crate::Impact::settled`] false. 100,000 by default.
    pub max_checks: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { min_separation: 0.0, end: 1.0, tolerance: 1e-6, max_checks: 100_000 }
    }
}

impl Options {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let fail = |name, value, range| Err(Error::Option { name, value, range });
        if !(self.min_separation >= 0.0 && self.min_separation < 1e100) {
            return fail("min_separation", self.min_separation, "at least 0 and below 1e100");
        }
        if !(0.0..=1.0).contains(&self.end) {
            return fail("end", self.end, "from 0 to 1");
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1e100) {
            return fail("tolerance", self.tolerance, "above 0 and below 1e100");
        }
        if self.max_checks == 0 {
            return fail("max_checks", 0.0, "at least 1");
        }
        Ok(())
    }
}
