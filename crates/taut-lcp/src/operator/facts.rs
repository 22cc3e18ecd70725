//! What solves ask of a matrix given by its entries: found out once, and again when entries have changed.

use super::mix_all;
use std::sync::OnceLock;

/// Each is filled when it is asked for first; whoever writes entries replaces all by the default.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The first entry that is not finite, and its row.
    pub(super) not_finite: OnceLock<Option<(usize, f64)>>,
    /// The first row whose diagonal entry is negative.
    pub(super) negative: OnceLock<Option<usize>>,
    /// Whether the matrix equals its transpose to rounding.
    pub(super) symmetric: OnceLock<bool>,
    /// A hash of the positions of the entries.
    pub(super) pattern: OnceLock<u64>,
}

impl Facts {
    /// The first entry that is not finite, and its row.
    pub(super) fn not_finite<'a>(
        &self,
        rows: usize,
        entries: impl Fn(usize) -> &'a [f64],
    ) -> Option<(usize, f64)> {
        let bad = |i| entries(i).iter().find(|v| !v.is_finite()).map(|&v| (i, v));
        *self.not_finite.get_or_init(|| (0..rows).find_map(bad))
    }

    /// The first row whose diagonal entry is negative.
    pub(super) fn negative(&self, rows: usize, diagonal: impl Fn(usize) -> f64) -> Option<usize> {
        *self.negative.get_or_init(|| (0..rows).find(|&i| diagonal(i) < 0.0))
    }

    /// A hash of the positions of the entries, and of the form they are in.
    pub(super) fn pattern(&self, form: u64, row_ptr: &[usize], col_idx: &[u32]) -> u64 {
        *self.pattern.get_or_init(|| {
            let h = mix_all(form, row_ptr.iter().map(|&p| p as u64));
            mix_all(h, col_idx.iter().map(|&c| u64::from(c)))
        })
    }
}

/// Matrices are equal by their entries, whatever is known of them.
impl PartialEq for Facts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dense, Error, General, Operator, Problem, Sparse};

    /// A problem that was found to be in order is looked at again where its entries were written to.
    #[test]
    fn entries_that_change_are_looked_at_again() {
        let a = Dense::from_rows(2, vec![2.0, 1.0, 1.0, 2.0]).expect("square");
        let (lo, hi) = ([0.0; 2], [1.0; 2]);
        let mut problem =
            Problem::boxed(Operator::Dense(a), vec![1.0; 2], &lo, &hi).expect("finite");
        assert!(problem.operator.is_symmetric() && problem.operator.negative_diagonal().is_none());
        let mut write = |k: usize, value: f64| {
            let Operator::Dense(a) = &mut problem.operator else { panic!("dense") };
            a.values_mut()[k] = value;
            let a = &problem.operator;
            (a.is_symmetric(), a.negative_diagonal(), problem.validate())
        };
        assert_eq!(write(2, 0.5), (false, None, Ok(())));
        assert_eq!(write(3, -1.0), (false, Some(1), Ok(())));
        let (_, _, verdict) = write(2, f64::INFINITY);
        assert!(matches!(verdict, Err(Error::NotFinite { row: 1, .. })), "{verdict:?}");
    }

    /// Rows that are added or written to change what was known of a sparse matrix.
    #[test]
    fn a_sparse_matrix_forgets_what_its_rows_were() {
        let mut a = Sparse::from_lower_triplets(2, &[(0, 0, 2.0), (1, 1, 2.0)]).expect("in range");
        let before = (a.not_finite(), a.negative_diagonal(), a.pattern_hash());
        assert_eq!((before.0, before.1), (None, None));
        a.row_mut(0).1[0] = -1.0;
        assert_eq!((a.negative_diagonal(), a.pattern_hash()), (Some(0), before.2));
        a.row_mut(1).1[0] = f64::NAN;
        assert_eq!(a.not_finite().map(|bad| bad.0), Some(1));
        a.clear();
        a.push_row([0, 1].into_iter(), &[1.0, 0.5]);
        a.push_entries([(0, 0.5), (1, 1.0)].into_iter());
        assert_eq!((a.not_finite(), a.negative_diagonal()), (None, None));
        assert_ne!(a.pattern_hash(), before.2);
        let mut copy = a.clone();
        copy.row_mut(0).1[0] = -1.0;
        assert_eq!(copy.negative_diagonal(), Some(0));
        copy.copy_values(&a);
        assert!(copy.negative_diagonal().is_none() && copy == a);
    }

    #[test]
    fn a_matrix_of_any_kind_is_judged_by_its_entries() {
        let of =
            |entries: &[(usize, usize, f64)]| General::from_triplets(2, entries).expect("valid");
        let skewed = of(&[(0, 0, 1.0), (0, 1, 1.0), (1, 1, -2.0)]);
        assert_eq!((skewed.is_symmetric(), skewed.negative_diagonal()), (false, Some(1)));
        let even = of(&[(0, 1, 1.0), (1, 0, 1.0)]);
        assert_eq!((even.is_symmetric(), even.negative_diagonal()), (true, None));
        assert_eq!(of(&[(1, 0, f64::NAN)]).not_finite().map(|bad| bad.0), Some(1));
    }
}
