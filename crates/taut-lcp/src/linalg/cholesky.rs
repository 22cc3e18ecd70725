//! faer's sparse Cholesky factorization, entry by entry or by supernodes, behind a
//! thin seam. It is there to be compared with ([`crate::reference`]); taut's own is
//! [`super::supernodal`].
//!
//! The caller writes the lower triangle into [`Cholesky::values`], columns
//! compressed; the analysis allocates, the rest does not.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use super::Breakdown;

/// The lower triangle of a sparse matrix (compressed columns, rows ascending,
/// diagonal first), its analysis and its factor.
pub(crate) struct Cholesky {
    pub col_ptr: Vec<u32>,
    pub row_idx: Vec<u32>,
    pub values: Vec<f64>,
    symbolic: Option<SymbolicCholesky<u32>>,
    factor: Vec<f64>,
    memory: MemBuffer,
}

impl Default for Cholesky {
    fn default() -> Self {
        Cholesky {
            col_ptr: vec![0],
            row_idx: Vec::new(),
            values: Vec::new(),
            symbolic: None,
            factor: Vec::new(),
            memory: MemBuffer::new(StackReq::empty()),
        }
    }
}

impl Cholesky {
    /// Order of the matrix.
    pub fn order(&self) -> usize {
        self.col_ptr.len() - 1
    }

    /// Empties the pattern and forgets the analysis, keeps the memory.
    pub fn clear(&mut self) {
        self.col_ptr.truncate(1);
        self.row_idx.clear();
        self.values.clear();
        self.symbolic = None;
    }

    /// Symbolic analysis, in the order of approximate minimum degree, for a factorization
    /// entry by entry.
    pub fn analyse_simplicial(&mut self) -> Result<(), Breakdown> {
        self.analyse(SupernodalThreshold::FORCE_SIMPLICIAL)
    }

    /// Symbolic analysis for a factorization by supernodes.
    pub fn analyse_supernodal(&mut self) -> Result<(), Breakdown> {
        self.analyse(SupernodalThreshold::FORCE_SUPERNODAL)
    }

    fn analyse(&mut self, threshold: SupernodalThreshold) -> Result<(), Breakdown> {
        let n = self.order();
        self.values.resize(self.row_idx.len(), 0.0);
        if n == 0 {
            return Ok(());
        }
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: threshold,
            ..Default::default()
        };
        let symbolic = factorize_symbolic_cholesky(
            self.pattern(),
            Side::Lower,
            SymmetricOrdering::Amd,
            params,
        )
        .map_err(|_| Breakdown)?;
        let request = StackReq::or(
            symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default()),
            symbolic.solve_in_place_scratch::<f64>(1, Par::Seq),
        );
        if self.memory.len() < request.unaligned_bytes_required() {
            self.memory = MemBuffer::try_new(request).map_err(|_| Breakdown)?;
        }
        self.factor.resize(symbolic.len_val(), 0.0);
        self.symbolic = Some(symbolic);
        Ok(())
    }

    /// Numeric factorization of `values`.
    pub fn factor(&mut self) -> Result<(), Breakdown> {
        let n = self.order();
        if n == 0 {
            return Ok(());
        }
        let symbolic = self.symbolic.as_ref().ok_or(Breakdown)?;
        let pattern =
            SymbolicSparseColMatRef::new_checked(n, n, &self.col_ptr, None, &self.row_idx);
        let none = LltRegularization {
            dynamic_regularization_delta: 0.0,
            dynamic_regularization_epsilon: 0.0,
        };
        symbolic
            .factorize_numeric_llt(
                &mut self.factor,
                SparseColMatRef::new(pattern, &self.values),
                Side::Lower,
                none,
                Par::Seq,
                MemStack::new(&mut self.memory),
                Default::default(),
            )
            .map(|_| ())
            .map_err(|_| Breakdown)
    }

    /// x ← (L Lᵀ)⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        let Some(symbolic) = &self.symbolic else { return };
        if x.is_empty() {
            return;
        }
        let n = x.len();
        LltRef::new(symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }

    fn pattern(&self) -> SymbolicSparseColMatRef<'_, u32> {
        let n = self.order();
        SymbolicSparseColMatRef::new_checked(n, n, &self.col_ptr, None, &self.row_idx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second difference matrix, whose solution for a unit load is known.
    fn second_difference(n: u32) -> Cholesky {
        let mut c = Cholesky::default();
        for j in 0..n {
            c.row_idx.push(j);
            c.values.push(2.0);
            if j + 1 < n {
                c.row_idx.push(j + 1);
                c.values.push(-1.0);
            }
            c.col_ptr.push(c.row_idx.len() as u32);
        }
        c
    }

    #[test]
    fn solves() {
        let n = 40;
        for supernodal in [false, true] {
            let mut c = second_difference(n);
            match supernodal {
                true => c.analyse_supernodal().expect("analysis"),
                false => c.analyse_simplicial().expect("analysis"),
            }
            c.factor().expect("positive definite");
            let mut x = vec![1.0; n as usize];
            c.solve(&mut x);
            for (i, x) in x.iter().enumerate() {
                let exact = 0.5 * (i as f64 + 1.0) * (n as f64 - i as f64);
                assert!((x - exact).abs() < 1e-11, "row {i}: {x} is not {exact}");
            }
        }
    }

    #[test]
    fn indefinite_is_a_breakdown() {
        let mut c = second_difference(3);
        c.values[0] = -1.0;
        c.analyse_simplicial().expect("analysis");
        assert_eq!(c.factor(), Err(Breakdown));
    }
}
