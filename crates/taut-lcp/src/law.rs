//! What a row (or block of rows) of a problem must satisfy.
//!
//! With impulses λ and velocities w = Aλ + b, a boxed row obeys
//! lo ≤ λ ≤ hi; w ≥ 0 where λ = lo; w = 0 where lo < λ < hi; w ≤ 0 where
//! λ = hi. The other laws are stated beside their variant.

/// The law of one row, or of a block of rows.
///
/// ```
/// use taut_lcp::Law;
/// let contact = Law::Box { lo: 0.0, hi: f64::INFINITY };
/// let friction = Law::FrictionBox { normal: 0, mu: 0.5, bound: 2.0 };
/// assert_eq!(contact.rows(), 1);
/// assert_eq!(friction.bounds(), (-2.0, 2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Law {
    /// w = 0, λ unbounded: a joint.
    Bilateral,
    /// lo ≤ λ ≤ hi. Bounds may be infinite; lo = hi fixes λ.
    Box {
        /// Lower bound on λ \[N·s\].
        lo: f64,
        /// Upper bound on λ \[N·s\].
        hi: f64,
    },
    /// −bound ≤ λ ≤ bound, where `bound` stands for μ·λ_normal, *frozen* for
    /// one solve; see [`Problem::update_friction_bounds`](crate::Problem::update_friction_bounds).
    FrictionBox {
        /// Row of the normal impulse.
        normal: usize,
        /// Coefficient of friction.
        mu: f64,
        /// The frozen half-width \[N·s\], ≥ 0.
        bound: f64,
    },
    /// −μλₙ ≤ λ ≤ μλₙ with λₙ of the same answer: a friction box whose bounds follow
    /// the normal impulse (Andrews22 1.7, 3.2.2). For `pgs`, `psor`, `nncg`, `jacobi`
    /// and `staggering`.
    FollowingBox {
        /// Row of the normal impulse.
        normal: usize,
        /// Coefficient of friction.
        mu: f64,
    },
    /// Coulomb's cone on three rows (n, t1, t2):
    /// (λ₁/μ₁)² + (λ₂/μ₂)² ≤ λ_n².
    Cone {
        /// Coefficients of the two tangents; equal for isotropic friction.
        mu: [f64; 2],
        /// `true`: associated (cone complementarity problem, a convex
        /// program); `false`: Coulomb's law with maximum dissipation (NCP).
        associated: bool,
    },
    /// The same cone with more rows behind the normal: torsion (n, t1, t2, τ), and rolling
    /// (n, t1, t2, τ, r1, r2). Σ (λ_k/μ_k)² ≤ λ_n² (Coulomb and Contensou; Andrews22 3.4.1).
    /// Coefficients of turning rows are lengths \[m\], their impulses N·m·s, their w rad/s.
    ///
    /// With one row behind the normal it is the cone of friction in a plane, |λ_t| ≤ μλ_n.
    WideCone {
        /// Rows behind the normal, 1 to 5.
        tangents: usize,
        /// Their coefficients; those past `tangents` mean nothing.
        mu: [f64; MOST_TANGENTS],
        /// As in [`Law::Cone`].
        associated: bool,
    },
    /// Friction and rolling resistance, each with a disc of its own, on five rows
    /// (n, t1, t2, r1, r2): |λ_t| ≤ μλ_n and |λ_r| ≤ ρλ_n (Acary and Bourrier 2021). Friction
    /// opposes the slip w_t, the rolling moment the rate w_r. For `cone_newton` and `cone_ipm`.
    RollingCone {
        /// μ, the coefficient of friction.
        mu: f64,
        /// ρ, the coefficient of rolling \[m\].
        rolling: f64,
        /// As in [`Law::Cone`].
        associated: bool,
    },
}

/// The most rows that a cone has behind its normal.
pub const MOST_TANGENTS: usize = 5;

impl Law {
    /// Number of consecutive rows the law covers.
    pub fn rows(&self) -> usize {
        match self {
            Law::Cone { .. } => 3,
            Law::WideCone { tangents, .. } => 1 + tangents,
            Law::RollingCone { .. } => 5,
            _ => 1,
        }
    }

    /// A cone with these coefficients behind its normal, 1 to 5; any other number makes a law
    /// that no problem accepts.
    ///
    /// ```
    /// use taut_lcp::Law;
    /// let with_torsion = Law::cone(&[0.5, 0.5, 0.02], false);
    /// assert_eq!(with_torsion.rows(), 4);
    /// ```
    pub fn cone(mu: &[f64], associated: bool) -> Self {
        if let [t1, t2] = *mu {
            return Law::Cone { mu: [t1, t2], associated };
        }
        let all = std::array::from_fn(|k| mu.get(k).copied().unwrap_or(0.0));
        Law::WideCone { tangents: mu.len(), mu: all, associated }
    }

    /// Coefficients of the rows behind the normal, and whether the law is associated, if it is
    /// one cone ([`Law::RollingCone`] is the intersection of two).
    #[inline]
    pub fn coefficients(&self) -> Option<(&[f64], bool)> {
        match self {
            Law::Cone { mu, associated } => Some((mu, *associated)),
            Law::WideCone { tangents, mu, associated } => {
                Some((&mu[..(*tangents).min(MOST_TANGENTS)], *associated))
            }
            _ => None,
        }
    }

    /// Whether it is a cone.
    ///
    /// ```
    /// use taut_lcp::Law;
    /// assert!(Law::cone(&[0.5, 0.5], false).is_cone());
    /// assert!(Law::cone(&[0.5, 0.5, 0.01], false).is_cone());
    /// assert!(!Law::Bilateral.is_cone());
    /// ```
    pub fn is_cone(&self) -> bool {
        matches!(self, Law::Cone { .. } | Law::WideCone { .. } | Law::RollingCone { .. })
    }

    /// Bounds of a one-row law. For a cone, those of its normal row; for a box that
    /// follows a normal impulse, none.
    pub fn bounds(&self) -> (f64, f64) {
        match *self {
            Law::Bilateral | Law::FollowingBox { .. } => (f64::NEG_INFINITY, f64::INFINITY),
            Law::Box { lo, hi } => (lo, hi),
            Law::FrictionBox { bound, .. } => (-bound, bound),
            Law::Cone { .. } | Law::WideCone { .. } | Law::RollingCone { .. } => {
                (0.0, f64::INFINITY)
            }
        }
    }

    /// What is wrong with the law's own numbers, if anything.
    pub(crate) fn check(&self, total_rows: usize) -> Result<(), String> {
        match *self {
            Law::Bilateral => Ok(()),
            Law::Box { lo, hi } => {
                if lo.is_nan() || hi.is_nan() {
                    Err(format!("bounds [{lo}, {hi}] contain NaN"))
                } else if lo > hi {
                    Err(format!("lower bound {lo} exceeds upper bound {hi}"))
                } else if lo == f64::INFINITY || hi == f64::NEG_INFINITY {
                    Err(format!("bounds [{lo}, {hi}] leave no finite value"))
                } else {
                    Ok(())
                }
            }
            Law::FollowingBox { normal, mu } => {
                Law::FrictionBox { normal, mu, bound: 0.0 }.check(total_rows)
            }
            Law::FrictionBox { normal, mu, bound } => {
                if normal >= total_rows {
                    Err(format!("friction refers to normal row {normal} of {total_rows}"))
                } else if !(mu.is_finite() && mu >= 0.0) {
                    Err(format!("friction coefficient {mu} must be finite and at least 0"))
                } else if bound.is_nan() || bound < 0.0 {
                    Err(format!("friction bound {bound} must be at least 0"))
                } else {
                    Ok(())
                }
            }
            Law::WideCone { tangents, .. } if !(1..=MOST_TANGENTS).contains(&tangents) => Err(
                format!("a cone has 1 to {MOST_TANGENTS} rows behind its normal, not {tangents}"),
            ),
            Law::RollingCone { mu, rolling, .. } => {
                Law::cone(&[mu, rolling], false).check(total_rows)
            }
            Law::Cone { .. } | Law::WideCone { .. } => {
                let mu = self.coefficients().map_or(&[][..], |(mu, _)| mu);
                if mu.iter().all(|m| m.is_finite() && *m >= 0.0) {
                    Ok(())
                } else {
                    Err(format!("cone coefficients {mu:?} must be finite and at least 0"))
                }
            }
        }
    }
}
