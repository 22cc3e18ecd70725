//! The problem: find λ and w = Aλ + b that obey the law of every row.

use crate::parallel::first_in_chunks;
use crate::{Error, Law, Operator};

/// A mixed linear complementarity problem.
///
/// ```
/// use taut_lcp::{Dense, Law, Operator, Problem};
/// let a = Dense::from_rows(1, vec![2.0])?;
/// let laws = vec![Law::Box { lo: 0.0, hi: f64::INFINITY }];
/// let problem = Problem::new(Operator::Dense(a), vec![-1.0], laws)?;
/// assert_eq!(problem.rows(), 1);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Problem {
    /// The matrix A.
    pub operator: Operator,
    /// The constant term b of w = Aλ + b \[m/s\].
    pub b: Vec<f64>,
    /// One law per row, or per block of rows, in order.
    pub laws: Vec<Law>,
}

impl Problem {
    /// A checked problem: sizes fit, values are finite, bounds make sense.
    pub fn new(operator: Operator, b: Vec<f64>, laws: Vec<Law>) -> Result<Self, Error> {
        let problem = Problem { operator, b, laws };
        problem.validate()?;
        Ok(problem)
    }

    /// A problem with the box lo ≤ λ ≤ hi on every row. Rows with both
    /// bounds infinite are bilateral.
    pub fn boxed(operator: Operator, b: Vec<f64>, lo: &[f64], hi: &[f64]) -> Result<Self, Error> {
        if lo.len() != hi.len() {
            return Err(Error::Size { what: "hi", got: hi.len(), expected: lo.len() });
        }
        let law = |(&lo, &hi)| {
            if lo == f64::NEG_INFINITY && hi == f64::INFINITY {
                Law::Bilateral
            } else {
                Law::Box { lo, hi }
            }
        };
        Problem::new(operator, b, lo.iter().zip(hi).map(law).collect())
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.b.len()
    }

    /// Repeats the checks of [`Problem::new`], for problems changed in place.
    /// [`solve`](crate::solver::solve) calls it.
    pub fn validate(&self) -> Result<(), Error> {
        let m = self.operator.rows();
        if self.b.len() != m {
            return Err(Error::Size { what: "b", got: self.b.len(), expected: m });
        }
        let covered = self.laws.iter().map(Law::rows).sum();
        if covered != m {
            return Err(Error::Size { what: "rows covered by laws", got: covered, expected: m });
        }
        if let Some(row) = self.b.iter().position(|b| !b.is_finite()) {
            return Err(Error::NotFinite { what: "b", row, value: self.b[row] });
        }
        let check = |(row, law): (usize, &Law)| {
            law.check(m).err().map(|message| Error::Row { row, message })
        };
        let bad = if self.laws.len() == m {
            first_in_chunks(m, |rows| rows.map(|i| (i, &self.laws[i])).find_map(check))
        } else {
            self.laws_by_row().find_map(check)
        };
        bad.map_or(Ok(()), Err)?;
        self.operator.check()
    }

    /// The laws, each with its first row.
    pub fn laws_by_row(&self) -> impl Iterator<Item = (usize, &Law)> {
        self.laws.iter().scan(0, |next, law| {
            let row = *next;
            *next += law.rows();
            Some((row, law))
        })
    }

    /// Whether some law is a cone.
    pub fn has_cones(&self) -> bool {
        self.laws.iter().any(Law::is_cone)
    }

    /// Whether some bounds follow a normal impulse.
    ///
    /// ```
    /// use taut_lcp::{Dense, Law, Operator, Problem};
    /// let laws = vec![Law::Bilateral, Law::FollowingBox { normal: 0, mu: 0.5 }];
    /// let a = Operator::Dense(Dense::from_rows(2, vec![2.0, 1.0, 1.0, 2.0])?);
    /// let problem = Problem { operator: a, b: vec![0.0; 2], laws };
    /// assert!(problem.has_following_bounds() && !problem.has_cones());
    /// # Ok::<(), taut_lcp::Error>(())
    /// ```
    pub fn has_following_bounds(&self) -> bool {
        self.laws.iter().any(|l| matches!(l, Law::FollowingBox { .. }))
    }

    /// The same problem with bounds of friction boxes that follow their normal impulses
    /// instead of frozen ones.
    pub fn following(mut self) -> Self {
        for law in &mut self.laws {
            if let Law::FrictionBox { normal, mu, .. } = *law {
                *law = Law::FollowingBox { normal, mu };
            }
        }
        self
    }

    /// Writes the bounds of every row. Tangent rows of cones count as unbounded.
    pub fn bounds(&self, lo: &mut Vec<f64>, hi: &mut Vec<f64>) {
        lo.clear();
        lo.resize(self.rows(), f64::NEG_INFINITY);
        hi.clear();
        hi.resize(self.rows(), f64::INFINITY);
        for (row, law) in self.laws_by_row() {
            (lo[row], hi[row]) = law.bounds();
        }
    }

    /// λ into its bounds.
    pub(crate) fn clamp(&self, lambda: &mut [f64]) {
        for (row, law) in self.laws_by_row() {
            let (lo, hi) = law.bounds();
            lambda[row] = lambda[row].clamp(lo, hi);
        }
    }

    /// The largest |bᵢ|, the scale of relative residuals; 1 if b = 0.
    pub fn scale(&self) -> f64 {
        let max = self.b.iter().fold(0.0_f64, |s, b| s.max(b.abs()));
        if max > 0.0 { max } else { 1.0 }
    }

    /// Sets the frozen bounds of all friction boxes to μ·max(λ_normal, 0):
    /// what a caller does between two passes.
    pub fn update_friction_bounds(&mut self, lambda: &[f64]) {
        for law in &mut self.laws {
            if let Law::FrictionBox { normal, mu, bound } = law {
                *bound = *mu * lambda[*normal].max(0.0);
            }
        }
    }
}
