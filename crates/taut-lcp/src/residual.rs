//! The one judge of every solver, test, benchmark and command.
//!
//! **Natural residual** of a boxed row, in m/s:
//! rᵢ = max(|min(Aᵢᵢ(λᵢ−loᵢ), w₊ᵢ)|, |min(Aᵢᵢ(hiᵢ−λᵢ), w₋ᵢ)|), which is |wᵢ|
//! for a bilateral row; w₊ = max(w, 0), w₋ = max(−w, 0). The factor Aᵢᵢ makes
//! the two arguments commensurable (Aᵢᵢ = 0 counts as 1); an infinite bound
//! leaves w alone. **Energy error**, in joule: rᵢ²/(2Aᵢᵢ).
//!
//! **Cone** (n, t1, t2): in the variables y = (λₙ, λ₁/μ₁, λ₂/μ₂) and
//! z = (wₙ + s, μ₁w₁, μ₂w₂) Coulomb's law is complementarity on the self-dual
//! cone |y_t| ≤ yₙ (torsion and rolling are further tangents), where s = |(μ₁w₁, μ₂w₂)| (De Saxcé's change of variable),
//! or s = 0 for the associated law. The residual is a·|y − P(y − z/a)| with
//! P the projection onto that cone and a = Aₙₙ. A tangent with μ = 0 must have
//! λ = 0, and any w. Rolling with a disc of its own has further tangents, |y_r| ≤ yₙ beside
//! |y_t| ≤ yₙ, and s is the sum of both lengths.
//!
//! Friction boxes are judged with their bounds frozen; what those being off from
//! μλₙ means for the answer is a figure of its own ([`Verdict::friction_gap`]).
//!
//! **Relative residual**: the largest rᵢ divided by max|b| (as it is if b = 0). An answer is *converged* where that
//! is within the tolerance and no λ leaves its bounds by more than 1e-9 (1 + |λ|).
//!
//! Cost: one product with A, in twice the precision where A is given by entries (`operator/twofold.rs`), so that w is
//! that of λ even where A is singular to rounding and λ huge. Residual is not error: λᵢ is known to tolerance·max|b|/Aᵢᵢ at best, and on
//! ill-conditioned systems to much less. A box narrower than that is not resolved at all; so
//! [`solve`](crate::solver::solve) puts λ of a narrow [`Law::Box`] to the end that its w points to.
//!
//! References: Peiret19 eq. 29; Ho22 6.2.2 (energy); Andrews22 3.3.3 (cone).

use std::ops::Range;

use crate::parallel::{CHUNK, for_each};
use crate::{Law, Problem};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// λ may leave its bounds by this much, relative to 1 + |λ|.
pub const BOUND_TOLERANCE: f64 = 1e-9;

/// Boxes that, times Aᵢᵢ, are no wider than the tolerance divided by this are put to their ends: λ of
/// others is off by at most this share of its box where w tells which end it is.
const PLACED: f64 = 1e-3;
/// Rounds of that: one row may turn another.
const PLACEMENTS: usize = 3;

/// What the judge says of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
#[must_use = "the verdict says whether the answer is one"]
pub struct Verdict {
    /// Largest natural residual \[m/s\].
    pub natural_residual: f64,
    /// Largest natural residual, divided by max|b| (absolute if b = 0).
    pub relative_residual: f64,
    /// Row of the largest residual.
    pub worst_row: usize,
    /// Largest energy error \[J\].
    pub energy_error: f64,
    /// Mean energy error over the rows \[J\].
    pub energy_error_mean: f64,
    /// Sum of the energy errors \[J\].
    pub energy_error_sum: f64,
    /// Largest violation of a bound, divided by 1 + |λ|.
    pub bound_violation: f64,
    /// Largest residual \[m/s\] that friction boxes would have with the bounds μλₙ of the answer
    /// instead of those they were solved with. (Unlike |μλₙ − bound|·Aᵢᵢ it ignores bounds that are
    /// not reached.)
    pub friction_gap: f64,
}

impl Verdict {
    /// Whether the answer counts as converged at this relative tolerance.
    pub fn converged(&self, tolerance: f64) -> bool {
        self.relative_residual <= tolerance && self.bound_violation <= BOUND_TOLERANCE
    }

    /// Judges the law that begins in row i.
    #[inline]
    fn add_law(&mut self, i: usize, law: &Law, lambda: &[f64], w: &[f64], diagonal: &[f64]) {
        let a = if diagonal[i] > 0.0 { diagonal[i] } else { 1.0 };
        if let Some((mu, associated)) = law.coefficients() {
            let rows = i..i + 1 + mu.len();
            let r = cone_residual(&lambda[rows.clone()], &w[rows], mu, associated, a);
            return self.add(i, r, a);
        }
        if let Law::RollingCone { mu, rolling, associated } = *law {
            let rows = i..i + 5;
            let r = rolling_residual(&lambda[rows.clone()], &w[rows], mu, rolling, associated, a);
            return self.add(i, r, a);
        }
        let (lo, hi) = match *law {
            Law::FollowingBox { normal, mu } => {
                let bound = mu * lambda[normal].max(0.0);
                (-bound, bound)
            }
            _ => law.bounds(),
        };
        self.add(i, row_residual(lambda[i], w[i], lo, hi, a), a);
        let outside = (lo - lambda[i]).max(lambda[i] - hi);
        if outside > 0.0 {
            self.bound_violation = self.bound_violation.max(outside / (1.0 + lambda[i].abs()));
        }
        if let Law::FrictionBox { normal, mu, bound } = *law {
            let limit = mu * lambda[normal].max(0.0);
            if limit != bound {
                let excess = (lambda[i].abs() - limit).max(0.0) * a;
                let inside = lambda[i].clamp(-limit, limit);
                let slip = row_residual(inside, w[i], -limit, limit, a);
                self.friction_gap = self.friction_gap.max(excess.max(slip));
            }
        }
    }

    fn add(&mut self, row: usize, r: f64, a: f64) {
        // NaN must not pass as zero.
        let r = if r.is_nan() { f64::INFINITY } else { r };
        if r == 0.0 {
            return;
        }
        if r > self.natural_residual {
            (self.natural_residual, self.worst_row) = (r, row);
        }
        let e = r * r / (2.0 * a);
        self.energy_error = self.energy_error.max(e);
        self.energy_error_sum += e;
    }

    /// Takes in what was said of rows behind its own.
    fn join(&mut self, next: &Verdict) {
        if next.natural_residual > self.natural_residual {
            self.natural_residual = next.natural_residual;
            self.worst_row = next.worst_row;
        }
        self.energy_error = self.energy_error.max(next.energy_error);
        self.energy_error_sum += next.energy_error_sum;
        self.bound_violation = self.bound_violation.max(next.bound_violation);
        self.friction_gap = self.friction_gap.max(next.friction_gap);
    }

    /// The figures that refer to the whole problem.
    fn relate(&mut self, problem: &Problem) {
        self.relative_residual = self.natural_residual / problem.scale();
        self.energy_error_mean = self.energy_error_sum / problem.rows().max(1) as f64;
    }
}

/// Judges answers, reusing its memory from call to call.
///
/// ```
/// use taut_lcp::{Dense, Judge, Operator, Problem};
/// let a = Operator::Dense(Dense::from_rows(1, vec![2.0])?);
/// let problem = Problem::boxed(a, vec![-1.0], &[0.0], &[f64::INFINITY])?;
/// let mut judge = Judge::default();
/// assert_eq!(judge.verdict(&problem, &[0.5]).natural_residual, 0.0);
/// assert_eq!(judge.verdict(&problem, &[0.0]).natural_residual, 1.0);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Judge {
    w: Vec<f64>,
    diagonal: Vec<f64>,
    scratch: Vec<f64>,
    /// Rows put to an end of their box, with the λ they had.
    placed: Vec<(usize, f64)>,
    /// Chunks of laws, by their first, and what is said of them.
    parts: Vec<(usize, Verdict)>,
}

impl Judge {
    /// Judges λ on the problem as posed. A λ of the wrong length has an
    /// infinite residual.
    pub fn verdict(&mut self, problem: &Problem, lambda: &[f64]) -> Verdict {
        let m = problem.rows();
        if lambda.len() != m {
            let r = f64::INFINITY;
            return Verdict { natural_residual: r, relative_residual: r, ..Verdict::default() };
        }
        self.w.resize(m, 0.0);
        problem.operator.apply_twofold(lambda, &problem.b, &mut self.w, &mut self.scratch);
        self.diagonal.resize(m, 0.0);
        problem.operator.diagonal(&mut self.diagonal);
        if problem.laws.len() != m {
            return verdict(problem, lambda, &self.w, &self.diagonal);
        }
        let Judge { w, diagonal, parts, .. } = self;
        parts.clear();
        parts.extend((0..m).step_by(CHUNK).map(|first| (first, Verdict::default())));
        for_each(parts, |(first, verdict)| {
            let rows = *first..m.min(*first + CHUNK);
            for i in rows {
                verdict.add_law(i, &problem.laws[i], lambda, w, diagonal);
            }
        });
        let mut verdict = Verdict::default();
        parts.iter().for_each(|(_, part)| verdict.join(part));
        verdict.relate(problem);
        verdict
    }

    /// Puts rows whose box is so narrow that the residual cannot tell one end from the other to
    /// the end that the w of the last verdict points to, and has λ judged again. Where that costs the
    /// answer its residual, λ stays as it was.
    pub(crate) fn place(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        lambda: &mut [f64],
        verdict: &mut Verdict,
    ) {
        let limit = tolerance * problem.scale();
        for _ in 0..PLACEMENTS {
            self.placed.clear();
            for (i, law) in problem.laws_by_row() {
                let Law::Box { lo, hi } = *law else { continue };
                let (a, w) = (self.diagonal[i], self.w[i]);
                let a = if a > 0.0 { a } else { 1.0 };
                let end = if w > 0.0 { lo } else { hi };
                if lambda[i] != end && w.abs() > limit && PLACED * a * (hi - lo) <= limit {
                    self.placed.push((i, std::mem::replace(&mut lambda[i], end)));
                }
            }
            if self.placed.is_empty() {
                return;
            }
            let placed = std::mem::take(&mut self.placed);
            let next = self.verdict(problem, lambda);
            let is_worse = !next.converged(tolerance);
            if is_worse {
                placed.iter().for_each(|&(i, l)| lambda[i] = l);
                let _ = self.verdict(problem, lambda); // its w
            } else {
                *verdict = next;
            }
            self.placed = placed;
            if is_worse {
                return;
            }
        }
    }

    /// The velocities w = Aλ + b of the last call of [`Judge::verdict`].
    pub fn velocities(&self) -> &[f64] {
        &self.w
    }
}

/// The verdict from λ, w = Aλ + b and the diagonal of A: what solvers that
/// hold all three call in their loop.
pub fn verdict(problem: &Problem, lambda: &[f64], w: &[f64], diagonal: &[f64]) -> Verdict {
    let mut v = Verdict::default();
    for (i, law) in problem.laws_by_row() {
        v.add_law(i, law, lambda, w, diagonal);
    }
    v.relate(problem);
    v
}

/// Natural residual of one boxed row; `a` is Aᵢᵢ, or 1 where that is zero.
#[inline]
pub(crate) fn row_residual(lambda: f64, w: f64, lo: f64, hi: f64, a: f64) -> f64 {
    if lambda.is_nan() || w.is_nan() {
        return f64::INFINITY; // f64::min would hide it
    }
    let below = (a * (lambda - lo)).min(w.max(0.0));
    let above = (a * (hi - lambda)).min((-w).max(0.0));
    below.abs().max(above.abs())
}

/// Natural residual of a cone of 1 + `mu.len()` rows.
#[inline]
pub(crate) fn cone_residual(
    lambda: &[f64],
    w: &[f64],
    mu: &[f64],
    associated: bool,
    a: f64,
) -> f64 {
    match mu.len() {
        1 => residual_of::<2>(lambda, w, mu, associated, a),
        2 => residual_of::<3>(lambda, w, mu, associated, a),
        3 => residual_of::<4>(lambda, w, mu, associated, a),
        4 => residual_of::<5>(lambda, w, mu, associated, a),
        _ => residual_of::<6>(lambda, w, mu, associated, a),
    }
}

#[inline]
fn residual_of<const N: usize>(
    lambda: &[f64],
    w: &[f64],
    mu: &[f64],
    associated: bool,
    a: f64,
) -> f64 {
    if lambda.iter().chain(w).any(|x| x.is_nan()) {
        return f64::INFINITY;
    }
    let mut z = [0.0; N];
    let mut y = [0.0; N];
    let mut stray = 0.0_f64; // impulse along a frictionless tangent
    for (k, &mu) in mu.iter().enumerate() {
        z[k + 1] = mu * w[k + 1];
        if mu > 0.0 {
            y[k + 1] = lambda[k + 1] / mu;
        } else {
            stray = stray.max(a * lambda[k + 1].abs());
        }
    }
    let s = if associated { 0.0 } else { length(&z[1..]) };
    (y[0], z[0]) = (lambda[0], w[0] + s);
    let q: [f64; N] = std::array::from_fn(|k| y[k] - z[k] / a);
    let gap = gap(&y, &z, &q, 1..N, a);
    if gap >= 0.0 {
        return stray.max(length(&z)); // P(q) = q
    }
    let t = length(&q[1..]);
    if t <= -q[0] {
        return stray.max(a * length(&y)); // P(q) = 0
    }
    let half = 0.5 * gap * a;
    let off = |k: usize| if k == 0 { half } else { -half * (q[k] / t) };
    stray.max(length(&std::array::from_fn::<f64, N, _>(|k| z[k] + off(k))))
}

/// qₙ − |q_t| of q = y − z/a and these tangents. Where y is so large that z/a is lost in q, it is not lost in this.
#[inline]
fn gap(y: &[f64], z: &[f64], q: &[f64], tangents: Range<usize>, a: f64) -> f64 {
    let (before, after) = (length(&y[tangents.clone()]), length(&q[tangents.clone()]));
    let sum = before + after;
    // |y_t| − |q_t| = (y_t − q_t)·(y_t + q_t)/(|y_t| + |q_t|)
    let part = |k: usize| z[k] / a * ((y[k] + q[k]) / sum);
    let shorter = if sum > 0.0 { tangents.map(part).sum() } else { 0.0 };
    y[0] - before - z[0] / a + shorter
}

/// Natural residual of friction and rolling, each with a disc of its own.
fn rolling_residual(
    lambda: &[f64],
    w: &[f64],
    mu: f64,
    rolling: f64,
    associated: bool,
    a: f64,
) -> f64 {
    if lambda.iter().chain(w).any(|x| x.is_nan()) {
        return f64::INFINITY;
    }
    let (mut y, mut z) = ([lambda[0], 0.0, 0.0, 0.0, 0.0], [0.0; 5]);
    let mut stray = 0.0_f64;
    for k in 1..5 {
        let mu = if k < 3 { mu } else { rolling };
        z[k] = mu * w[k];
        if mu > 0.0 {
            y[k] = lambda[k] / mu;
        } else {
            stray = stray.max(a * lambda[k].abs());
        }
    }
    let s = if associated { 0.0 } else { length(&z[1..3]) + length(&z[3..]) };
    z[0] = w[0] + s;
    let q: [f64; 5] = std::array::from_fn(|k| y[k] - z[k] / a);
    let gaps = [1..3, 3..5].map(|tangents| gap(&y, &z, &q, tangents, a));
    let rise = rise(gaps);
    if q[0] + rise <= 0.0 {
        return stray.max(a * length(&y)); // P(q) = 0
    }
    // a(y − P(q)) = z + a(q − P(q))
    let mut r = [z[0] - a * rise, z[1], z[2], z[3], z[4]];
    for (gap, tangents) in gaps.into_iter().zip([1..3, 3..5]) {
        let (beyond, t) = (-gap - rise, length(&q[tangents.clone()]));
        if beyond > 0.0 && t > 0.0 {
            tangents.for_each(|k| r[k] += a * beyond * (q[k] / t));
        }
    }
    stray.max(length(&r))
}

/// How far the closest point of the cone |x_t| ≤ xₙ, |x_r| ≤ xₙ lies above x, if it is not zero: the zero of
/// h − (g_t + h)₋ − (g_r + h)₋ with the gaps g_t = xₙ − |x_t|, g_r = xₙ − |x_r|.
fn rise([t, r]: [f64; 2]) -> f64 {
    let (least, most) = (t.min(r), t.max(r));
    let one = (-0.5 * least).max(0.0);
    if one < -most { -(t + r) / 3.0 } else { one }
}

/// |x|, without overflow or underflow.
#[inline]
pub(crate) fn length(x: &[f64]) -> f64 {
    let square: f64 = x.iter().map(|x| x * x).sum();
    // (`hypot` took 7 % of a frame of `boxes`.)
    if square.is_normal() {
        square.sqrt()
    } else if x.iter().all(|x| *x == 0.0) {
        0.0
    } else {
        x[1..].iter().fold(x[0].abs(), |s, x| s.hypot(*x))
    }
}

/// Closest point of the cone |x_t| ≤ xₙ.
#[inline]
pub(crate) fn project_cone<const N: usize>(x: [f64; N]) -> [f64; N] {
    let t = length(&x[1..]);
    if t <= x[0] {
        x
    } else if t <= -x[0] {
        [0.0; N]
    } else {
        let n = 0.5 * (x[0] + t);
        // (n x/t would leave the range of numbers sooner than its result.)
        let share = |x: f64| if (n * t).is_normal() { n * x / t } else { n * (x / t) };
        std::array::from_fn(|k| if k == 0 { n } else { share(x[k]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dense, Operator};

    const INF: f64 = f64::INFINITY;

    #[test]
    fn rows_on_each_part_of_the_law() {
        assert_eq!(row_residual(0.0, 3.0, 0.0, INF, 2.0), 0.0); // open
        assert_eq!(row_residual(1.0, 0.0, 0.0, INF, 2.0), 0.0); // pressed
        assert_eq!(row_residual(0.0, -3.0, 0.0, INF, 2.0), 3.0); // sinking in
        assert_eq!(row_residual(1.0, 3.0, 0.0, INF, 2.0), 2.0); // pulls while opening
        assert_eq!(row_residual(-1.0, 0.0, 0.0, INF, 2.0), 2.0); // outside
        assert_eq!(row_residual(1.0, -3.0, -1.0, 1.0, 2.0), 0.0); // slides
        assert_eq!(row_residual(7.0, -3.0, -INF, INF, 2.0), 3.0); // joint
        assert_eq!(row_residual(0.0, -3.0, 0.0, 0.0, 2.0), 0.0); // fixed
        assert_eq!(row_residual(f64::NAN, 0.0, 0.0, INF, 2.0), INF);
    }

    /// Stick, slide, open, and a dissipation in the wrong direction.
    #[test]
    fn cone_states() {
        let r = |l: [f64; 3], w: [f64; 3]| cone_residual(&l, &w, &[0.5, 0.5], false, 2.0);
        assert!(r([2.0, 0.3, 0.4], [0.0; 3]) < 1e-15);
        assert!(r([2.0, -1.0, 0.0], [0.0, 3.0, 0.0]) < 1e-15);
        assert!(r([0.0; 3], [1.0, 3.0, 0.0]) < 1e-15);
        assert!(r([2.0, 1.0, 0.0], [0.0, 3.0, 0.0]) > 0.1);
        assert!(r([1.0, 3.0, 0.0], [0.0; 3]) > 0.1);
        // The associated law opens while sliding: wₙ = μ|w_t|.
        let c = cone_residual(&[2.0, -1.0, 0.0], &[1.5, 3.0, 0.0], &[0.5, 0.5], true, 2.0);
        assert!(c < 1e-15);
        // Elliptic: on the boundary, sliding along the normal of the ellipse.
        let e = cone_residual(&[2.0, -1.0, 0.0], &[0.0, 3.0, 0.0], &[0.5, 0.1], false, 2.0);
        assert!(e < 1e-15);
        // No friction: any slip, no tangential impulse.
        assert!(cone_residual(&[2.0, 0.0, 0.0], &[0.0, 3.0, 1.0], &[0.0; 2], false, 2.0) < 1e-15);
        assert_eq!(cone_residual(&[2.0, 1.0, 0.0], &[0.0; 3], &[0.0; 2], false, 2.0), 2.0);
    }

    /// Cones in units of 1e-165 and 1e165, whose squares are no numbers any more, are judged as in
    /// units of one.
    #[test]
    fn cones_far_from_one() {
        let (l, w) = ([1.0, 0.1, 0.2], [0.5, -0.7, 0.9]);
        let one = cone_residual(&l, &w, &[0.5, 0.5], false, 2.0);
        for unit in [1e-300, 1e-165, 1e165, 1e300] {
            let r =
                cone_residual(&l.map(|l| l * unit), &w.map(|w| w * unit), &[0.5; 2], false, 2.0);
            assert!((r / unit / one - 1.0).abs() < 1e-12, "{unit:e}: {r:e} for {one:e}");
            let rolling = |unit: f64| {
                let (l, w) = ([1.0, 0.1, 0.2, 0.3, 0.4], [0.5, -0.7, 0.9, 0.1, 2.0]);
                let (l, w) = (l.map(|l| l * unit), w.map(|w| w * unit));
                rolling_residual(&l, &w, 0.5, 0.1, false, 2.0) / unit
            };
            assert!((rolling(unit) / rolling(1.0) - 1.0).abs() < 1e-12, "{unit:e}");
        }
    }

    #[test]
    fn energy_and_scale() {
        let a = Operator::Dense(Dense::from_rows(2, vec![2.0, 0.0, 0.0, 8.0]).expect("2×2"));
        let p = Problem::boxed(a, vec![-4.0, -2.0], &[0.0; 2], &[INF; 2]).expect("valid");
        let v = Judge::default().verdict(&p, &[0.0, 0.0]);
        assert_eq!(v.natural_residual, 4.0);
        assert_eq!(v.relative_residual, 1.0);
        assert_eq!(v.energy_error, 4.0);
        assert_eq!(v.energy_error_sum, 4.25);
        assert_eq!(v.worst_row, 0);
        assert!(!v.converged(1e-9));
        assert!(Judge::default().verdict(&p, &[2.0, 0.25]).converged(0.0));
        assert!(!Judge::default().verdict(&p, &[2.0]).converged(1.0));
        assert!(!Judge::default().verdict(&p, &[2.0, f64::NAN]).converged(1.0));
    }

    /// 5,000 rows in chunks: the same bits on one thread and on three, and what
    /// is wrong is found.
    #[cfg(feature = "parallel")]
    #[test]
    fn threads_do_not_change_a_verdict() {
        let mut a = crate::Multibody::default();
        for b in 0..2500 {
            let mass = |i, j| if i == j { 1.0 + f64::from(b % 7) } else { 0.1 };
            let mass = std::array::from_fn(|i| std::array::from_fn(|j| mass(i, j)));
            let body = a.push_body(mass).expect("definite");
            for k in 0..2 {
                let row = std::array::from_fn(|i| f64::from(b * 31 + k) * (i as f64 + 0.3) % 1.7);
                a.push_row(&[(body, row)], 1e-9).expect("in order");
            }
        }
        let lambda: Vec<f64> = (0..5000).map(|i| (f64::from(i) * 0.37) % 1.1).collect();
        let b = lambda.iter().map(|l| l - 0.6).collect();
        let (operator, lo) = (Operator::Multibody(a), vec![0.1; 5000]);
        let p = Problem::boxed(operator, b, &lo, &[0.9; 5000]).expect("valid");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        let alone = Judge::default().verdict(&p, &lambda);
        let shared = pool.install(|| Judge::default().verdict(&p, &lambda));
        assert_eq!(alone, shared);
        let whole = {
            let mut judge = Judge::default();
            let _ = judge.verdict(&p, &lambda);
            verdict(&p, &lambda, &judge.w, &judge.diagonal)
        };
        assert_eq!(alone.worst_row, whole.worst_row);
        assert_eq!(alone.bound_violation, whole.bound_violation);
        assert!((alone.energy_error_sum / whole.energy_error_sum - 1.0).abs() < 1e-12);
        let mut wrong = p.clone();
        wrong.laws[4321] = Law::Box { lo: 1.0, hi: 0.0 };
        wrong.laws[4999] = Law::Box { lo: 1.0, hi: 0.0 };
        let first = pool.install(|| wrong.validate()).expect_err("crossed bounds").to_string();
        assert!(first.contains("4321"), "{first}");
    }
}
