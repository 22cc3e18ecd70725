//! Where a solve starts and what it ends with.

/// Which part of its law a row is on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RowState {
    /// Between its bounds: w = 0.
    #[default]
    Free,
    /// λ = lo, w ≥ 0.
    Lower,
    /// λ = hi, w ≤ 0.
    Upper,
}

/// Impulses, velocities and index set: warm start in, answer out.
///
/// An empty iterate is a cold start. A warm start needs `lambda`; `set` is
/// used by pivoting solvers when it has the right length, else derived.
///
/// ```
/// let warm = taut_lcp::Iterate::from_lambda(vec![0.0, 1.5]);
/// assert_eq!(warm.lambda[1], 1.5);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Iterate {
    /// Impulses λ \[N·s\].
    pub lambda: Vec<f64>,
    /// Velocities w = Aλ + b \[m/s\], written by the solve.
    pub w: Vec<f64>,
    /// Index set.
    pub set: Vec<RowState>,
    /// After [`Status::Infeasible`](crate::Status::Infeasible): a direction d
    /// along which no bound stops λ, with Ad = 0 and bᵀd < 0 (A not symmetric:
    /// with (Aᵀd)ᵀλ + bᵀd < 0 for every λ within its bounds). In cones of Coulomb's law d has nothing
    /// but normals, in associated ones it lies within the cone. Else empty.
    pub certificate: Vec<f64>,
    /// The subsystem of each body of a [`Multibody`](crate::Multibody) matrix, numbered from 0 in the order of
    /// their first bodies, where the method split the problem; else empty. A solve whose start
    /// was the answer leaves it as it was.
    pub subsystems: Vec<u32>,
}

impl Iterate {
    /// A warm start from impulses alone.
    pub fn from_lambda(lambda: Vec<f64>) -> Self {
        Iterate { lambda, ..Self::default() }
    }

    /// Forgets everything but the memory: a cold start.
    pub fn clear(&mut self) {
        self.lambda.clear();
        self.w.clear();
        self.set.clear();
        self.certificate.clear();
        self.subsystems.clear();
    }
}
