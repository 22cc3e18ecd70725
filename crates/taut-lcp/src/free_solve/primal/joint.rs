//! The solution on a face in primal form: impulses and velocities corrected
//! together, one substitution and one pass over J per correction.

use super::Primal;
use crate::Multibody;
use crate::free_solve::Depth;
use crate::linalg::{Breakdown, vectorized};
use crate::operator::{dot6, mul6};
use crate::rounding::SUM;

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Limit on the corrections of one face solution.
const MAX_CORRECTIONS: usize = 10;
/// A bound on the error that is left, which costs nothing, says whether to correct again. Between these shares
/// of the target it is too coarse to tell: there the error is computed, by one more pass over J. Other values
/// change the number of passes, never the answer.
const CERTAIN: f64 = 0.05;
const UNCERTAIN: f64 = 1e4;

impl Primal {
    /// λ on free rows, and v, such that M v = Jᵀ λ and g = J v + E λ + β is
    /// zero there, from the λ given and the v of the face before; g of all rows.
    /// Both equations are corrected together, once or until free rows leave no
    /// more than `target` of theirs, what M v = Jᵀ λ leaves included. Returns the
    /// number of corrections after the first, and whether the target was met.
    pub fn solve_face(
        &mut self,
        a: &Multibody,
        beta: &[f64],
        target: f64,
        depth: Depth,
        lambda: &mut [f64],
        g: &mut [f64],
    ) -> Result<(usize, bool), Breakdown> {
        // Faces on the way may have had large velocities, of which rounding stays.
        let goes_on = self.has_face && matches!(depth, Depth::Next | Depth::Rest);
        if goes_on {
            self.note_rounding();
        }
        if goes_on && depth == Depth::Next {
            self.turn(a, lambda, g);
        } else if !goes_on || self.rounding > target {
            if !std::mem::replace(&mut self.has_face, true) {
                a.velocities(lambda, &mut self.v);
            }
            self.jv.clear();
            self.jv.resize(lambda.len(), 0.0);
            self.r1.clone_from(&self.v);
            self.advance(a, beta, lambda, g, false);
            self.rounding = 0.0;
            self.note_rounding();
        }
        let mut residual = f64::INFINITY;
        for corrections in 0..MAX_CORRECTIONS {
            let last = residual;
            self.k.solve(&mut self.r1);
            self.v.iter_mut().zip(&self.r1).for_each(|(v, dv)| *v += dv);
            self.advance(a, beta, lambda, g, true);
            if matches!(depth, Depth::Rough | Depth::Next) {
                self.note_end(lambda);
                return Ok((0, false));
            }
            residual = self.left(a, g);
            if residual > CERTAIN * target && residual < UNCERTAIN * target {
                self.follow_impulses(a, beta, lambda, g);
                residual = self.left(a, g);
            }
            if !residual.is_finite() {
                self.has_face = false;
                return Err(Breakdown);
            }
            let refinements = corrections + usize::from(depth == Depth::Rest);
            if refinements > 0 && (residual <= target || residual > 0.5 * last) {
                return Ok((refinements, residual.max(self.rounding) <= target));
            }
        }
        Ok((MAX_CORRECTIONS, false))
    }

    /// Notes what rounding may have left in J v, by its largest so far.
    fn note_rounding(&mut self) {
        let largest = self.jv.iter().fold(0.0_f64, |l, jv| l.max(jv.abs()));
        self.rounding = self.rounding.max(SUM * largest);
    }

    /// Notes λ and E⁻¹ at the end of a rough solution.
    fn note_end(&mut self, lambda: &[f64]) {
        self.last_lambda.clear();
        self.last_lambda.extend_from_slice(lambda);
        self.last_inverse_e.clone_from(&self.inverse_e);
    }

    /// From the end of a rough solution to another face: the next step follows from
    /// the rows that have become free, or whose λ has moved, without a pass over J,
    /// and few panels of the factor are needed on the way forward. What the steps
    /// before left undone is made good when the last face is refined.
    fn turn(&mut self, a: &Multibody, lambda: &[f64], g: &mut [f64]) {
        self.r1.fill(0.0);
        let rhs = self.r1.as_chunks_mut::<6>().0;
        for i in 0..lambda.len() {
            let (step, was) = (lambda[i] - self.last_lambda[i], self.last_inverse_e[i]);
            if step == 0.0 && was == self.inverse_e[i] {
                continue;
            }
            g[i] += self.e[i] * step;
            let change = step - self.inverse_e[i] * g[i];
            let (bodies, j) = a.row(i);
            for (&b, j) in bodies.iter().zip(j) {
                (0..6).for_each(|k| rhs[b as usize][k] += j[k] * change);
            }
        }
    }

    /// v ← M⁻¹ Jᵀ λ, so that what is left on free rows is known, not bounded.
    fn follow_impulses(&mut self, a: &Multibody, beta: &[f64], lambda: &mut [f64], g: &mut [f64]) {
        let steps = self.r1.as_chunks_mut::<6>().0.iter_mut().zip(&self.missing);
        for (b, (dv, p)) in steps.enumerate() {
            *dv = mul6(a.inverse_mass(b), p).map(|p| -p);
        }
        self.v.iter_mut().zip(&self.r1).for_each(|(v, dv)| *v += dv);
        self.advance(a, beta, lambda, g, false);
    }

    /// One pass over J. Adds J·dv to J v, with dv in `r1`; if `corrects`, also λ ← λ − E⁻¹(g + J dv) on free rows.
    /// Computes g anew. On return `r1` holds the right-hand side of the next correction, `missing` M v − Jᵀ λ.
    fn advance(
        &mut self,
        a: &Multibody,
        beta: &[f64],
        lambda: &mut [f64],
        g: &mut [f64],
        corrects: bool,
    ) {
        self.missing.resize(a.body_count(), [0.0; 6]);
        self.r2.clear();
        self.r2.resize(self.v.len(), 0.0);
        vectorized(
            #[inline(always)]
            || self.pass(a, beta, lambda, g, corrects),
        );
        std::mem::swap(&mut self.r1, &mut self.r2);
    }

    /// The pass over J: what rows read of the bodies, and what they add to them.
    #[inline(always)]
    fn pass(
        &mut self,
        a: &Multibody,
        beta: &[f64],
        lambda: &mut [f64],
        g: &mut [f64],
        corrects: bool,
    ) {
        for (b, v) in self.v.as_chunks::<6>().0.iter().enumerate() {
            self.missing[b] = mul6(a.mass(b), v);
        }
        let (dv, rhs) = (self.r1.as_chunks::<6>().0, self.r2.as_chunks_mut::<6>().0);
        for k in 0..a.group_count() {
            let group = a.group(k);
            let rows = group.rows.clone();
            self.scaled[rows.clone()].fill(0.0);
            group.add_products(dv, &mut self.scaled[rows.clone()]);
            for i in rows.clone() {
                let (e, step) = (self.inverse_e[i], self.scaled[i]);
                if corrects {
                    // Both terms are small: J v + E λ + β anew would not be.
                    lambda[i] -= e * (g[i] + step);
                }
                self.jv[i] += step;
                g[i] = self.jv[i] + self.e[i] * lambda[i] + beta[i];
                self.scaled[i] = -e * g[i];
            }
            group.add_transposed(&self.scaled[rows.clone()], rhs);
            group.subtract_transposed(&lambda[rows], &mut self.missing);
        }
        for (r, p) in rhs.iter_mut().zip(&self.missing) {
            (0..6).for_each(|k| r[k] -= p[k]);
        }
    }

    /// Bound on |g| of the free rows if v were M⁻¹ Jᵀ λ: |J δ| ≤ √(2Aᵢᵢ)·‖δ‖ in
    /// the metric of M, body by body.
    fn left(&self, a: &Multibody, g: &[f64]) -> f64 {
        vectorized(
            #[inline(always)]
            || {
                let mut missing = 0.0;
                for (b, p) in self.missing.iter().enumerate() {
                    missing = largest(missing, dot6(p, &mul6(a.inverse_mass(b), p)));
                }
                let (missing, mut left) = (missing.sqrt(), 0.0);
                for i in (0..g.len()).filter(|&i| self.is_free[i]) {
                    left = largest(left, g[i].abs() + self.reach[i] * missing);
                }
                left
            },
        )
    }
}

/// The larger one; not a number if one is not.
#[inline(always)]
fn largest(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}
