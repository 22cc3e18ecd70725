//! Whether a dense symmetric matrix is semidefinite but for rounding.
//!
//! **Method**: Cholesky with a little more on its diagonal. **Cost**: m³/3 multiplications. **Fails** where an eigenvalue is below zero by no more than
//! rounding: then it says yes.
//! **Reference**: none beyond textbooks.

/// What a pivot may be below zero, for each row and relative to the largest diagonal entry.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Whether a symmetric matrix of m rows is; it is overwritten.
pub(crate) fn holds(a: &mut [f64], m: usize) -> bool {
    let largest = (0..m).fold(f64::MIN_POSITIVE, |s, i| s.max(a[i * m + i]));
    for j in 0..m {
        let pivot = a[j * m + j] + ROUNDING * m as f64 * largest;
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        for i in j + 1..m {
            let factor = a[i * m + j] / pivot;
            (j + 1..m).for_each(|k| a[i * m + k] -= factor * a[j * m + k]);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    #[test]
    fn rounding_counts_as_nothing() {
        // Of rank one, and below that by more than rounding.
        let a = |d: f64| vec![1.0, 2.0, 2.0, 4.0 + d];
        for (d, expected) in
            [(0.0, true), (1e-16, true), (-1e-16, true), (-1e-9, false), (1.0, true)]
        {
            assert_eq!(super::holds(&mut a(d), 2), expected, "{d}");
        }
        assert!(!super::holds(&mut [f64::NAN], 1));
    }
}
