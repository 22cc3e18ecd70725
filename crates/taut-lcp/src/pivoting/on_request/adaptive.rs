//! Adaptive regularization of rows that cannot decide.
//!
//! **Problem**: a friction row that moves in and out of its bounds again and
//! again keeps a pivoting method from settling.
//! **Update**: count the pivots of every row; a row with two finite bounds
//! (friction, motors) whose count exceeds its limit gets compliance: Aᵢᵢ grows
//! by ε, and its limit doubles. Rows that keep bodies apart or together are
//! left alone.
//! **Cost**: a counter per row; another factorization where a row was softened.
//! **What the answer means**: a softened row slips by εᵢλᵢ more than it should,
//! and the judge measures the problem as posed. So by default the compliance
//! only serves to find an index set: when the softened problem is solved, it is
//! taken away, and pivoting goes on from there until the problem as posed is
//! solved. With [`Settings::keep`] the answer of the softened problem stays, as
//! in Ho22: cheaper, but `Converged` is then said only where the slip is below
//! the tolerance, and `Stalled` elsewhere. [`Counts::regularized`] says how many
//! rows were softened, in both cases.
//! **Fails**: it is a heuristic. A fall-back takes the compliance away.
//! **Reference**: Ho22 5.4, alg. 9, limit 10, ε = 1e-3. Deviations: ε is
//! relative to Aᵢᵢ, so that units do not matter; it belongs to the problem, so
//! w has it too, where Ho22 shifts A_FF alone.
//!
//! [`Counts::regularized`]: crate::Counts::regularized

use crate::{Error, RowState};

/// Settings of adaptive regularization.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Pivots that a row may make before it is softened, at least 1; doubles
    /// each time. Default 10.
    pub pivot_limit: u32,
    /// Compliance added each time, relative to Aᵢᵢ, above 0. Default 1e-3.
    pub compliance: f64,
    /// Whether the answer of the softened problem is the answer. Default
    /// `false`: the problem as posed is solved from there.
    pub keep: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { pivot_limit: 10, compliance: 1e-3, keep: false }
    }
}

impl Settings {
    /// Whether every setting is in its range, for the solver of that name.
    pub(crate) fn validate(&self, solver: &'static str) -> Result<(), Error> {
        let wrong = |name, value, expected| Err(Error::Setting { solver, name, value, expected });
        if self.pivot_limit == 0 {
            return wrong("pivot_limit", "0".into(), "at least 1");
        }
        if !(self.compliance > 0.0 && self.compliance.is_finite()) {
            return wrong("compliance", self.compliance.to_string(), "finite and above 0");
        }
        Ok(())
    }
}

/// Counts pivots and softens rows. Without settings it does nothing.
#[derive(Default)]
pub(crate) struct Adaptive {
    settings: Option<Settings>,
    /// Whether rows may still be softened in this solve.
    active: bool,
    pivots: Vec<u32>,
    limit: Vec<u32>,
    epsilon: Vec<f64>,
    softened: usize,
}

impl Adaptive {
    pub fn new(settings: Option<Settings>) -> Self {
        Adaptive { settings, ..Self::default() }
    }

    /// Forgets the last solve.
    pub fn start(&mut self, rows: usize) {
        self.active = self.settings.is_some();
        self.softened = 0;
        let Some(settings) = &self.settings else { return };
        self.pivots.clear();
        self.pivots.resize(rows, 0);
        self.limit.clear();
        self.limit.resize(rows, settings.pivot_limit);
        self.epsilon.clear();
        self.epsilon.resize(rows, 0.0);
    }

    /// Whether rows may be softened: then a method should not give up before
    /// some have reached the limit.
    pub fn patience(&self) -> usize {
        match &self.settings {
            Some(settings) if self.active => settings.pivot_limit as usize + 1,
            _ => 0,
        }
    }

    /// Notes that row i went into or out of the free set.
    pub fn note_pivot(&mut self, i: usize) {
        if self.active {
            self.pivots[i] += 1;
        }
    }

    /// Ho22 alg. 9, after the index set was updated. Says whether the problem
    /// has changed, and with it the factor.
    pub fn soften(&mut self, set: &[RowState], lo: &[f64], hi: &[f64], diagonal: &[f64]) -> bool {
        self.soften_rows(0..set.len(), set, lo, hi, diagonal)
    }

    /// As [`Adaptive::soften`], but for these rows alone.
    pub fn soften_rows(
        &mut self,
        rows: impl Iterator<Item = usize>,
        set: &[RowState],
        lo: &[f64],
        hi: &[f64],
        diagonal: &[f64],
    ) -> bool {
        let Some(settings) = self.settings.as_ref().filter(|_| self.active) else { return false };
        let mut changed = false;
        for i in rows {
            let two_sided = lo[i].is_finite() && hi[i].is_finite();
            if set[i] == RowState::Free && two_sided && self.pivots[i] > self.limit[i] {
                self.softened += usize::from(self.epsilon[i] == 0.0);
                self.epsilon[i] += settings.compliance * diagonal[i];
                self.limit[i] = self.limit[i].saturating_mul(2);
                changed = true;
            }
        }
        changed
    }

    /// εᵢ of every row; empty where no row is softened.
    pub fn epsilon(&self) -> &[f64] {
        if self.softened > 0 { &self.epsilon } else { &[] }
    }

    /// Number of softened rows.
    pub fn softened(&self) -> usize {
        self.softened
    }

    /// Whether the softened problem is the one to solve.
    pub fn is_kept(&self) -> bool {
        self.settings.as_ref().is_some_and(|s| s.keep)
    }

    /// Takes all compliance away, for the rest of the solve. Says whether there
    /// was any.
    pub fn release(&mut self) -> bool {
        self.active = false;
        std::mem::take(&mut self.softened) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    #[test]
    fn the_limit_doubles_and_normals_stay_hard() {
        let settings = Settings { pivot_limit: 2, ..Default::default() };
        let mut adaptive = Adaptive::new(Some(settings));
        adaptive.start(3);
        let set = [RowState::Free, RowState::Free, RowState::Lower];
        let (lo, hi, diagonal) = ([-1.0, 0.0, -1.0], [1.0, INF, 1.0], [4.0, 4.0, 4.0]);
        let mut softened_at = Vec::new();
        for pivot in 1..=10 {
            (0..3).for_each(|i| adaptive.note_pivot(i));
            if adaptive.soften(&set, &lo, &hi, &diagonal) {
                softened_at.push(pivot);
            }
        }
        // Above 2, above 4, above 8.
        assert_eq!(softened_at, [3, 5, 9]);
        assert_eq!(adaptive.softened(), 1);
        assert!((adaptive.epsilon()[0] - 3.0 * 4e-3).abs() < 1e-15);
        assert_eq!(adaptive.epsilon()[1..], [0.0, 0.0]);
        assert!(adaptive.release() && adaptive.epsilon().is_empty() && !adaptive.release());
        (0..20).for_each(|_| adaptive.note_pivot(0));
        assert!(!adaptive.soften(&set, &lo, &hi, &diagonal), "released for good");
    }

    #[test]
    fn off_by_default_and_validated() {
        let mut off = Adaptive::new(None);
        off.start(1);
        off.note_pivot(0);
        assert!(!off.soften(&[RowState::Free], &[-1.0], &[1.0], &[1.0]));
        assert_eq!(off.patience(), 0);
        for (pivot_limit, compliance) in [(0, 1.0), (1, 0.0), (1, f64::NAN), (1, INF)] {
            let settings = Settings { pivot_limit, compliance, keep: false };
            assert!(settings.validate("bpp").is_err());
        }
    }
}
