//! Sparse Cholesky factorization: faer's supernodal L Lᵀ behind a thin seam.
//!
//! The caller writes the lower triangle into [`Cholesky::values`], columns
//! compressed; [`Cholesky::analyse`] is called once per pattern and allocates,
//! [`Cholesky::factor`] and [`Cholesky::solve`] do not.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

/// The matrix is not positive definite to working precision, or too large to
/// be indexed or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Breakdown;

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

    /// Symbolic analysis of the pattern. `order` lists the columns in the
    /// order of elimination; `None`: approximate minimum degree.
    pub fn analyse(&mut self, order: Option<&[u32]>) -> Result<(), Breakdown> {
        // faer's automatic choice sometimes takes the slower simplicial form.
        self.analyse_as(order, SupernodalThreshold::FORCE_SUPERNODAL)
    }

    /// The same for a factorization entry by entry, as simple solvers do it;
    /// order by approximate minimum degree.
    pub fn analyse_simplicial(&mut self) -> Result<(), Breakdown> {
        self.analyse_as(None, SupernodalThreshold::FORCE_SIMPLICIAL)
    }

    fn analyse_as(
        &mut self,
        order: Option<&[u32]>,
        threshold: SupernodalThreshold,
    ) -> Result<(), Breakdown> {
        let n = self.order();
        self.values.resize(self.row_idx.len(), 0.0);
        if n == 0 {
            return Ok(());
        }
        let mut inverse = vec![0; n];
        let ordering = match order {
            Some(forward) => {
                forward.iter().enumerate().for_each(|(k, &c)| inverse[c as usize] = k as u32);
                SymmetricOrdering::Custom(PermRef::new_checked(forward, &inverse, n))
            }
            None => SymmetricOrdering::Amd,
        };
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: threshold,
            ..Default::default()
        };
        let symbolic = factorize_symbolic_cholesky(self.pattern(), Side::Lower, ordering, params)
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

    /// Multiplications of one factorization, counted from the analysis.
    pub fn flops(&self) -> f64 {
        let Some(SymbolicCholeskyRaw::Supernodal(s)) = self.symbolic.as_ref().map(|s| s.raw())
        else {
            return 0.0;
        };
        let columns = |k: usize| (s.supernode_end()[k] - s.supernode_begin()[k]) as usize;
        let below =
            |k: usize| (s.col_ptr_for_row_idx()[k + 1] - s.col_ptr_for_row_idx()[k]) as usize;
        let supernode = |k: usize| -> f64 {
            (0..columns(k)).map(|c| ((columns(k) - c + below(k)) as f64).powi(2)).sum()
        };
        (0..s.n_supernodes()).map(supernode).sum()
    }

    fn pattern(&self) -> SymbolicSparseColMatRef<'_, u32> {
        let n = self.order();
        SymbolicSparseColMatRef::new_checked(n, n, &self.col_ptr, None, &self.row_idx)
    }
}

/// Approximate minimum degree order of a symmetric pattern, given by its lower
/// triangle in compressed columns.
pub(crate) fn minimum_degree(col_ptr: &[u32], row_idx: &[u32]) -> Result<Vec<u32>, Breakdown> {
    let n = col_ptr.len() - 1;
    let (mut forward, mut inverse) = (vec![0; n], vec![0; n]);
    let request = amd::order_maybe_unsorted_scratch::<u32>(n, row_idx.len());
    let mut memory = MemBuffer::try_new(request).map_err(|_| Breakdown)?;
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, col_ptr, None, row_idx);
    let stack = MemStack::new(&mut memory);
    amd::order_maybe_unsorted(&mut forward, &mut inverse, pattern, Default::default(), stack)
        .map_err(|_| Breakdown)?;
    Ok(forward)
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
    fn solves_with_both_orders() {
        let n = 40;
        let order: Vec<u32> = (0..n).rev().collect();
        for order in [None, Some(&order[..])] {
            let mut c = second_difference(n);
            c.analyse(order).expect("analysis");
            c.factor().expect("positive definite");
            assert!(c.flops() > 40.0);
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
        c.analyse(None).expect("analysis");
        assert_eq!(c.factor(), Err(Breakdown));
    }
}
