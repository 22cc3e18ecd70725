//! An estimate of the condition number of A in the 2-norm.
//!
//! **Update**: power iteration for the largest eigenvalue, inverse iteration
//! with one factorization for the smallest, both from a fixed vector without
//! structure.
//! **Cost**: one factorization, up to 50 products and 50 solves.
//! **Error**: both stop when the estimate changes by less than 1 %, and both
//! err on the side of a smaller condition number; the order of magnitude is
//! right.
//! **Reference**: Golub and Van Loan, Matrix Computations, 8.2.

use crate::free_solve::FreeSolve;
use crate::{Problem, RowState};

const MAX_ITERATIONS: usize = 50;
const ACCURACY: f64 = 1e-2;

/// Estimates the condition number of A; infinite if A is singular to working
/// precision, `None` if A is not symmetric or has no rows.
///
/// ```
/// use taut_lcp::{Dense, Operator, Problem, reference::condition_number};
/// let a = Operator::Dense(Dense::from_rows(2, vec![1.0, 0.0, 0.0, 1e4])?);
/// let problem = Problem::boxed(a, vec![0.0; 2], &[0.0; 2], &[1.0; 2])?;
/// let estimate = condition_number(&problem).unwrap();
/// assert!((estimate / 1e4 - 1.0).abs() < 0.05);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn condition_number(problem: &Problem) -> Option<f64> {
    let m = problem.rows();
    if m == 0 || !problem.operator.is_symmetric() {
        return None;
    }
    let mut scratch = Vec::new();
    let largest = norm_of(m, |x, y| problem.operator.apply(x, y, &mut scratch));
    let mut free_solve = FreeSolve::new(None);
    free_solve.prepare(problem);
    if free_solve.factor(problem, &vec![RowState::Free; m], &vec![0.0; m]).is_err() {
        return Some(f64::INFINITY);
    }
    let inverse = norm_of(m, |x, y| {
        free_solve.solve(problem, x, y);
    });
    let condition = largest * inverse;
    Some(if condition.is_nan() { f64::INFINITY } else { condition.max(1.0) })
}

/// The largest eigenvalue of a symmetric semidefinite operator y = Bx.
fn norm_of(m: usize, mut apply: impl FnMut(&[f64], &mut [f64])) -> f64 {
    // Fractions of multiples of the golden ratio: without structure, and the
    // same in every run.
    let mut x: Vec<f64> =
        (0..m).map(|i| (1.0 + i as f64 * 0.618_033_988_749_895) % 1.0 - 0.49).collect();
    let mut y = vec![0.0; m];
    let mut last = 0.0;
    scale(&mut x);
    for _ in 0..MAX_ITERATIONS {
        apply(&x, &mut y);
        std::mem::swap(&mut x, &mut y);
        let norm = scale(&mut x);
        if norm == 0.0 || !norm.is_finite() || (norm - last).abs() <= ACCURACY * norm {
            return norm;
        }
        last = norm;
    }
    last
}

/// Brings x to length 1; returns the length it had.
fn scale(x: &mut [f64]) -> f64 {
    let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > 0.0 {
        x.iter_mut().for_each(|x| *x /= norm);
    }
    norm
}
