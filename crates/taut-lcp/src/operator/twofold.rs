//! Products with A whose sums are rounded once, for those who judge.
//!
//! Where A is singular to 1e-12 and impulses are 1e11, terms of 1e11 cancel to velocities of one: a plain sum may
//! then be zero by its rounding alone. The error of every product and of every sum is a number itself, and is
//! summed beside (Dot2 of Ogita, Rump and Oishi 2005, alg. 5.3; products by Dekker's splitting, which no hardware has to know).
//!
//! **Cost**: 17 operations an entry in place of 2, once or twice a solve.
//! Multibody systems are never given by entries: J M⁻¹ Jᵀ λ is rounded as it comes.

use super::Operator;

impl Operator {
    /// out = A x + b; no b: A x.
    pub(crate) fn apply_twofold(
        &self,
        x: &[f64],
        b: &[f64],
        out: &mut [f64],
        scratch: &mut Vec<f64>,
    ) {
        let b = |i: usize| b.get(i).copied().unwrap_or(0.0);
        let sparse = |i: usize, (columns, values): (&[u32], &[f64])| {
            dot(b(i), values.iter().zip(columns).map(|(a, &j)| (*a, x[j as usize])))
        };
        let rows = out.iter_mut().enumerate();
        match self {
            Operator::Dense(a) => rows.for_each(|(i, o)| {
                // (Matrices of contacts that are not symmetric come in this form, and 5 % of them may be all there is.)
                let terms = a.row(i).iter().copied().zip(x.iter().copied());
                *o = dot(b(i), terms.filter(|(a, _)| *a != 0.0));
            }),
            Operator::Sparse(a) => rows.for_each(|(i, o)| *o = sparse(i, a.row(i))),
            Operator::General(a) => rows.for_each(|(i, o)| *o = sparse(i, a.row(i))),
            Operator::Multibody(a) => {
                a.apply(x, out, scratch);
                out.iter_mut().enumerate().for_each(|(i, o)| *o += b(i));
            }
        }
    }

    /// out = Aᵀ x.
    pub(crate) fn apply_transposed_twofold(
        &self,
        x: &[f64],
        out: &mut [f64],
        scratch: &mut Vec<f64>,
    ) {
        let a = match self {
            Operator::General(a) => a,
            Operator::Dense(a) => {
                let column = |j: usize| x.iter().enumerate().map(move |(i, x)| (a.get(i, j), *x));
                return out.iter_mut().enumerate().for_each(|(j, o)| *o = dot(0.0, column(j)));
            }
            Operator::Sparse(_) | Operator::Multibody(_) => {
                return self.apply_twofold(x, &[], out, scratch);
            }
        };
        out.fill(0.0);
        scratch.clear();
        scratch.resize(out.len(), 0.0);
        let mut add = |j: usize, a: f64, x: f64| {
            let (sum, error) = add_product(out[j], a, x);
            out[j] = sum;
            scratch[j] += error;
        };
        for (i, &x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            let (columns, values) = a.row(i);
            columns.iter().zip(values).for_each(|(&j, a)| add(j as usize, *a, x));
        }
        out.iter_mut().zip(&*scratch).for_each(|(o, error)| *o = total(*o, *error));
    }
}

/// b + Σ ax.
#[inline]
fn dot(b: f64, terms: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut errors) = (b, 0.0);
    for (a, x) in terms {
        let (next, error) = add_product(sum, a, x);
        errors += error;
        sum = next;
    }
    total(sum, errors)
}

/// A sum and what it lacks. (Splitting overflows near the largest numbers, where there is nothing to win.)
#[inline]
fn total(sum: f64, errors: f64) -> f64 {
    if errors.is_finite() { sum + errors } else { sum }
}

/// s + ax, rounded, and what that lacks.
#[inline]
fn add_product(s: f64, a: f64, x: f64) -> (f64, f64) {
    let product = a * x;
    let sum = s + product;
    let added = sum - s;
    (sum, ((s - (sum - added)) + (product - added)) + lost(a, x, product))
}

/// What the rounded product lacks.
#[inline]
fn lost(a: f64, x: f64, product: f64) -> f64 {
    let ((a1, a2), (x1, x2)) = (split(a), split(x));
    a2 * x2 - (((product - a1 * x1) - a2 * x1) - a1 * x2)
}

/// Two halves of the digits.
#[inline]
fn split(a: f64) -> (f64, f64) {
    let shifted = 134_217_729.0 * a; // 2²⁷ + 1
    let high = shifted - (shifted - a);
    (high, a - high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dense, General, Sparse};

    #[test]
    fn what_cancels_is_not_lost() {
        let e = 2.0_f64.powi(-30);
        let (a, x) = ([1.0 + e, 1.0], [1.0 - e, -1.0]);
        // (1 + e)(1 − e) − 1 = −e², which a plain product rounds to zero.
        assert_eq!(dot(0.0, [(a[0], x[0]), (a[1], x[1])].into_iter()), -e * e);
        let lower = [(0, 0, a[0]), (1, 0, 1.0), (1, 1, 0.0)];
        let all = [(0, 0, a[0]), (0, 1, 1.0), (1, 0, 1.0)];
        let forms = [
            Operator::Dense(Dense::from_rows(2, vec![a[0], 1.0, 1.0, 0.0]).expect("square")),
            Operator::Sparse(Sparse::from_lower_triplets(2, &lower).expect("valid")),
            Operator::General(General::from_triplets(2, &all).expect("valid")),
        ];
        for form in forms {
            let mut out = [0.0; 2];
            form.apply_twofold(&x, &[1e-20, 0.0], &mut out, &mut Vec::new());
            assert_eq!(out[0], 1e-20 - e * e, "{form:?}");
            form.apply(&x, &mut out, &mut Vec::new());
            assert_eq!(out[0], 0.0);
        }
        let mut out = [0.0; 2];
        let skew = General::from_triplets(2, &[(0, 0, a[0]), (1, 0, 1.0)]).expect("valid");
        let full = Dense::from_rows(2, vec![a[0], 0.0, 1.0, 0.0]).expect("square");
        for form in [Operator::General(skew), Operator::Dense(full)] {
            form.apply_transposed_twofold(&x, &mut out, &mut Vec::new());
            assert_eq!(out, [-e * e, 0.0], "{form:?}");
        }
        assert_eq!(dot(1e300, [(1e300, 1.0), (-1e300, 1.0)].into_iter()), 1e300);
    }
}
