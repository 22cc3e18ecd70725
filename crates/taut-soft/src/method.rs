//! How a [`System`](crate::System) solves for contacts: exactly, or by approximations that are there to be compared.

/// A way to solve for contacts. Names are those of the files, of [`Method::named`] and of comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// `dual` or `primal`, by what they are expected to cost.
    #[default]
    Auto,
    /// Impulses, by W = J A⁻¹ Jᵀ (W_A of Andrews22 4.3.3). Exact.
    Dual,
    /// Velocities, by the sparse matrix A + JᵀHJ. Exact.
    Primal,
    /// Elastic forces as they are at the start of the step, and W = J M⁻¹ Jᵀ (Andrews22 4.3.2): unstable at steps that are not short.
    WM,
    /// W = J D⁻¹ Jᵀ with blocks of 3 × 3 (Andrews22 4.3.6), once: contacts do not see the stiffness between nodes.
    WD,
    /// Iterative constraint anticipation: `w_d` about its own answer until that stays (Otaduy, Tamstorf, Steinemann and Gross 2009). Exact where it converges,
    /// which is linear, and slow for stiff bodies and long steps.
    Ica,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 6] =
        [Method::Auto, Method::Dual, Method::Primal, Method::WM, Method::WD, Method::Ica];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Dual => "dual",
            Method::Primal => "primal",
            Method::WM => "w_m",
            Method::WD => "w_d",
            Method::Ica => "ica",
        }
    }

    /// The method of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// Whether its answers are those of the equations of a step, up to rounding and tolerances.
    pub fn is_exact(self) -> bool {
        !matches!(self, Method::WM | Method::WD)
    }

    /// `Dual` or `Primal`, whichever costs less for so many rows, unknowns, and entries of the factors of the soft bodies.
    ///
    /// By counts of products: W takes a half solve a row and n products for each two rows, and some ten factorizations of its m rows (Newton
    /// steps of cones); the primal form some 150 factorizations (63 to 217 where a cube with 70 rows slides, 8 to 17 without friction), each of
    /// the sum of squared columns, and products of rows that share nodes.
    pub(crate) fn cheaper(rows: usize, unknowns: usize, entries: usize) -> Self {
        let (m, n, l) = (rows as f64, unknowns.max(1) as f64, entries as f64);
        let dual = m * l + 0.25 * m * m * n + 10.0 * m * m * m / 3.0;
        let primal = 150.0 * (1.5 * l * l / n + 500.0 * m + 20.0 * l);
        if primal < dual { Method::Primal } else { Method::Dual }
    }
}

#[cfg(test)]
mod tests {
    use super::Method;

    #[test]
    fn few_rows_are_dual_and_many_are_primal() {
        // A cube of 7 × 7 × 25 nodes, and one with a surface of contacts.
        assert_eq!(Method::cheaper(30, 3675, 400_000), Method::Dual);
        assert_eq!(Method::cheaper(6000, 15_000, 3_000_000), Method::Primal);
        for m in Method::ALL {
            assert_eq!(Method::named(m.name()), Some(m));
        }
        assert_eq!(Method::named("w_a"), None);
    }
}
