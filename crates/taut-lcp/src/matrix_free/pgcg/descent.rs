//! The inner iterations: conjugate gradients that stay inside a box.
//! Ho22 alg. 11, lines 4 to 25. At its start λ is the centre of the proximal
//! term, so that w is the gradient.

use super::Pgcg;
use crate::linalg::pcg::{System, Vectors, dot, largest, step};
use crate::{Iterate, Problem, RowState};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Projected steps tried before the one to the first side, and how much
/// shorter each is than the one before. One trial alone leaves three hits of
/// four at the first side, one row each; five leave one of seven (`rocks`).
const TRIALS: usize = 5;
const SHORTER: f64 = 0.25;

/// How far to go along q.
struct Length {
    rz: f64,
    qaq: f64,
    /// To the minimum, and to the first side of the box.
    cg: f64,
    max: f64,
}

impl Length {
    fn shortest(&self) -> f64 {
        self.cg.min(self.max)
    }

    /// Change of the energy up to the first side.
    fn energy(&self) -> f64 {
        let alpha = self.shortest();
        alpha * (0.5 * alpha * self.qaq - self.rz)
    }
}

impl Pgcg {
    /// Conjugate gradients inside the box, to a residual of `inner` on the
    /// free rows. Says whether anything changed.
    pub(super) fn descend(
        &mut self,
        problem: &Problem,
        part: usize,
        inner: f64,
        iterate: &mut Iterate,
    ) -> bool {
        let mut v = std::mem::take(&mut self.v);
        let Iterate { lambda, set, .. } = iterate;
        for &i in self.pcg.rows(part) {
            let i = i as usize;
            v.r[i] = if set[i] == RowState::Free { -self.w[i] } else { 0.0 };
            v.z[i] = v.r[i] / self.diagonal[i];
        }
        let (mut begun, mut rz_before, mut moved) = (false, f64::INFINITY, false);
        for _ in 0..self.settings.pcg.max_iterations {
            let (mut system, free) = self.pcg.system(problem, part);
            if largest(free, &v.r) <= inner {
                break;
            }
            if begun {
                system.precondition(&v.r, &mut v.z);
            }
            let bounds = (&self.lo[..], &self.hi[..]);
            let length = direction(&mut system, free, lambda, bounds, &mut v, rz_before);
            let alpha = length.shortest();
            if !alpha.is_finite() || length.rz <= 0.0 || length.rz.is_nan() {
                break;
            }
            self.counts.inner += 1;
            moved = true;
            // The gradient was for the first step only.
            rz_before = if begun { length.rz } else { f64::INFINITY };
            begun = true;
            let hits = length.cg >= length.max;
            let far = hits && self.settings.projected && length.cg.is_finite();
            if !(far
                && project(&mut system, free, lambda, bounds, &length, &mut v, &mut self.trial))
            {
                step(free, alpha, &v.q, lambda);
                step(free, -alpha, &v.aq, &mut v.r);
            }
            if hits {
                rz_before = f64::INFINITY;
                self.hit(part, alpha, lambda, set, &mut v);
                if self.pcg.factor_part(problem, part, set).is_err() {
                    break;
                }
            }
        }
        self.v = v;
        moved
    }

    /// Rows that the step brought to a bound become tight (Ho22 alg. 11,
    /// lines 14 and 15).
    fn hit(
        &mut self,
        part: usize,
        alpha: f64,
        lambda: &mut [f64],
        set: &mut [RowState],
        v: &mut Vectors,
    ) {
        for &i in self.pcg.free(part) {
            let i = i as usize;
            // As far as rounding tells.
            let rounding = 4.0 * f64::EPSILON * (lambda[i].abs() + (alpha * v.q[i]).abs());
            let state = if v.q[i] < 0.0 && lambda[i] <= self.lo[i] + rounding {
                RowState::Lower
            } else if v.q[i] > 0.0 && lambda[i] >= self.hi[i] - rounding {
                RowState::Upper
            } else {
                continue;
            };
            lambda[i] = if state == RowState::Lower { self.lo[i] } else { self.hi[i] };
            (set[i], v.r[i], v.q[i]) = (state, 0.0, 0.0);
            self.counts.pivots += 1;
            self.adaptive.note_pivot(i);
        }
    }
}

/// q ← z + β q, A q, and how far to go.
fn direction(
    system: &mut dyn System,
    free: &[u32],
    lambda: &[f64],
    (lo, hi): (&[f64], &[f64]),
    v: &mut Vectors,
    rz_before: f64,
) -> Length {
    let rz = dot(free, &v.r, &v.z);
    let beta = rz / rz_before;
    for &i in free {
        let i = i as usize;
        v.q[i] = v.z[i] + if beta > 0.0 { beta * v.q[i] } else { 0.0 };
    }
    system.product(&v.q, &mut v.aq);
    let qaq = dot(free, &v.q, &v.aq);
    let cg = if qaq > 0.0 { rz / qaq } else { f64::INFINITY };
    Length { rz, qaq, cg, max: longest_step(free, lambda, &v.q, lo, hi) }
}

/// The step of conjugate gradients, or a part of it, projected onto the box:
/// taken if it lowers the energy by more than the step to the first side.
fn project(
    system: &mut dyn System,
    free: &[u32],
    lambda: &mut [f64],
    (lo, hi): (&[f64], &[f64]),
    length: &Length,
    v: &mut Vectors,
    product: &mut [f64],
) -> bool {
    let mut alpha = length.cg;
    for _ in 0..TRIALS {
        if alpha <= length.max {
            break;
        }
        for &i in free {
            let i = i as usize;
            v.z[i] = (lambda[i] + alpha * v.q[i]).clamp(lo[i], hi[i]) - lambda[i];
        }
        system.product(&v.z, product);
        let change = 0.5 * dot(free, &v.z, product) - dot(free, &v.r, &v.z);
        if change < length.energy() {
            step(free, 1.0, &v.z, lambda);
            step(free, -1.0, product, &mut v.r);
            return true;
        }
        alpha *= SHORTER;
    }
    false
}

/// How far λ can go along q inside its box: Ho22 eq. 5.1.
fn longest_step(free: &[u32], lambda: &[f64], q: &[f64], lo: &[f64], hi: &[f64]) -> f64 {
    let mut alpha = f64::INFINITY;
    for &i in free {
        let i = i as usize;
        let room = if q[i] < 0.0 {
            (lo[i] - lambda[i]) / q[i]
        } else if q[i] > 0.0 {
            (hi[i] - lambda[i]) / q[i]
        } else {
            continue;
        };
        alpha = alpha.min(room.max(0.0));
    }
    alpha
}
