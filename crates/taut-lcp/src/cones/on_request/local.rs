//! One contact, solved exactly: rows (n, t1, t2) and, if any, torsion and rolling; one cone.
//!
//! **Problem**: u = W r + q with a block W, semidefinite or not symmetric.
//! In y = (rₙ, r₁/μ₁, r₂/μ₂), with A = TWT, p = Tq and T = diag(1, μ₁, μ₂),
//! elliptic cones are the circular one |y_t| ≤ yₙ ([`crate::residual`]); further rows are
//! further tangents.
//! **Solution**, maximum dissipation:
//! - open, y = 0, where pₙ ≥ 0;
//! - else uₙ = 0 gives yₙ from y_t, and S y_t + c = −α y_t with the Schur
//!   complement S of Aₙₙ and a multiplier α ≥ 0: α = 0 sticks; else the root of
//!   yₙ(α)/|y_t(α)| = 1 slips. The ratio is below 1 at α = 0 and grows without
//!   end, so there is a root, and it is linear in α where S is a multiple of the
//!   unit matrix: Newton takes three steps or so, and bisection is the net.
//!
//! Associated law: for a given yₙ the tangents are a convex problem on a disk
//! ([`on_disk`]); what is left of the normal row grows with yₙ (the operator is
//! monotone), and its zero is found by bisection.
//! **Cost**: a dozen systems of the tangents' order; three hundred for the associated law.
//! **Fails** never: where no root exists (a zero row that would have to push,
//! an indefinite W) the start is the answer, and the judge will say so.
//! **Reference**: Bonnefon and Daviet 2011 (the quartic of the slip);
//! Acary and Brogliato 2008, ch. 13. A quartic in the slip angle has the same
//! roots but loses digits where two of them meet.

/// A share of the trace that counts as nothing: keeps singular blocks solvable,
/// and changes velocities by less than rounding does.
const NOTHING: f64 = 1e-15;
/// Steps of a root search: enough for bisection through all of the exponents.
const MAX_STEPS: usize = 200;

use crate::residual::length;

type Matrix<const N: usize> = [[f64; N]; N];

/// The impulse of one contact of N rows, T = N − 1 of them behind the normal; `start` where none
/// is determined.
pub(crate) fn solve<const N: usize, const T: usize>(
    w: &Matrix<N>,
    q: [f64; N],
    mu: &[f64],
    associated: bool,
    start: [f64; N],
) -> [f64; N] {
    let t: [f64; N] = std::array::from_fn(|k| if k == 0 { 1.0 } else { mu[k - 1] });
    let a = std::array::from_fn(|i| std::array::from_fn(|j| t[i] * w[i][j] * t[j]));
    let p = std::array::from_fn(|i| t[i] * q[i]);
    let y = if associated { associate::<N, T>(&a, p) } else { dissipate::<N, T>(&a, p) };
    match y {
        Some(y) if y.iter().all(|y| y.is_finite()) => std::array::from_fn(|i| t[i] * y[i]),
        _ => start,
    }
}

/// A normal and tangents in one.
fn join<const N: usize, const T: usize>(n: f64, y: [f64; T]) -> [f64; N] {
    std::array::from_fn(|k| if k == 0 { n } else { y[k - 1] })
}

fn dot<const T: usize>(a: &[f64; T], b: &[f64; T]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Maximum dissipation.
fn dissipate<const N: usize, const T: usize>(a: &Matrix<N>, p: [f64; N]) -> Option<[f64; N]> {
    let nn = a[0][0];
    if p[0] >= 0.0 {
        return Some([0.0; N]);
    }
    if nn <= 0.0 {
        return None;
    }
    let s: Matrix<T> = std::array::from_fn(|i| {
        std::array::from_fn(|j| a[i + 1][j + 1] - a[i + 1][0] * a[0][j + 1] / nn)
    });
    let c: [f64; T] = std::array::from_fn(|i| p[i + 1] - a[i + 1][0] * p[0] / nn);
    let coupling: [f64; T] = std::array::from_fn(|j| a[0][j + 1]);
    let normal = |y: [f64; T], p: f64| -(p + dot(&coupling, &y)) / nn;
    // S is a difference: what rounding leaves in it is a share of A_tt.
    let trace = (1..N).map(|i| a[i][i].abs()).sum::<f64>();
    let least = 2.0 * NOTHING * trace.max(NOTHING * nn);
    let y = shifted(&s, least, c.map(|c| -c));
    let n = normal(y, p[0]);
    if length(&y) <= n {
        return Some(join(n, y));
    }
    let ratio = |alpha: f64| {
        let y = shifted(&s, alpha, c.map(|c| -c));
        let slope = shifted(&s, alpha, y.map(|y| -y));
        let (n, length) = (normal(y, p[0]), length(&y));
        let longer = dot(&y, &slope) / length;
        (n / length - 1.0, (normal(slope, 0.0) - n / length * longer) / length)
    };
    let (lo, hi) = root(least, f64::INFINITY, trace.max(nn), ratio)?;
    let [out, inside] = [lo, hi].map(|alpha| shifted(&s, alpha, c.map(|c| -c)));
    let y = meet(inside, out, normal(inside, p[0]), normal(out, p[0]));
    let length = length(&y);
    let d = y.map(|y| y / length);
    // On the cone to the last bit, and uₙ = 0.
    let along = nn + dot(&coupling, &d);
    let n = if along > 0.0 { -p[0] / along } else { length };
    Some(join(n, d.map(|d| n * d)))
}

/// The associated law.
fn associate<const N: usize, const T: usize>(a: &Matrix<N>, p: [f64; N]) -> Option<[f64; N]> {
    if length(&p[1..]) <= p[0] {
        return Some([0.0; N]);
    }
    let s: Matrix<T> = std::array::from_fn(|i| std::array::from_fn(|j| a[i + 1][j + 1]));
    let tangents = |n: f64| on_disk(&s, std::array::from_fn(|i| p[i + 1] + a[i + 1][0] * n), n);
    let coupling: [f64; T] = std::array::from_fn(|j| a[0][j + 1]);
    let speed = p.iter().map(|p| p.abs()).sum::<f64>();
    let left = |n: f64| {
        let (y, beta) = tangents(n);
        let left = a[0][0] * n + dot(&coupling, &y) + p[0] - beta * n;
        (left / speed, f64::NAN)
    };
    let trace = (0..N).map(|i| a[i][i]).sum::<f64>();
    let (_, n) = root(0.0, f64::INFINITY, speed / trace, left)?;
    Some(join(n, tangents(n).0))
}

/// The x of the ball |x| ≤ radius with least ½xᵀSx + cᵀx, and the multiplier
/// β ≥ 0 of (S + β)x = −c. With diagonal S it is the closest point of an ellipsoid
/// (Andrews22 3.4.3; alg. 13, line 19, should read x = (tK + I)⁻¹z).
pub(crate) fn on_disk<const T: usize>(s: &Matrix<T>, c: [f64; T], radius: f64) -> ([f64; T], f64) {
    let size = length(&c);
    if radius.is_nan() || radius <= 0.0 || size == 0.0 {
        return ([0.0; T], 0.0);
    }
    let least = NOTHING * (0..T).map(|i| s[i][i].abs()).sum::<f64>();
    let negative = c.map(|c| -c);
    let x = shifted(s, least, negative);
    if length(&x) <= radius {
        return (x, 0.0);
    }
    let ratio = |beta: f64| {
        let x = shifted(s, beta, negative);
        let slope = shifted(s, beta, x.map(|x| -x));
        let length = length(&x);
        let longer = dot(&x, &slope) / length;
        (radius / length - 1.0, -radius / length * longer / length)
    };
    // |x| ≤ |c|/β for every semidefinite S.
    let most = size / radius;
    let (lo, hi) = root(least, most, most, ratio).unwrap_or((most, most));
    let [out, inside] = [lo, hi].map(|beta| shifted(s, beta, negative));
    let x = meet(inside, out, radius, radius);
    let length = length(&x);
    (x.map(|x| radius / length * x), hi)
}

/// The point between `inside`, not longer than its radius, and `out`, not shorter
/// than its own, that is as long as the radius there. Where the matrix is singular,
/// neighbouring multipliers give points far apart, which solve it equally well.
fn meet<const T: usize>(
    inside: [f64; T],
    out: [f64; T],
    radius_in: f64,
    radius_out: f64,
) -> [f64; T] {
    let at = |t: f64| -> [f64; T] { std::array::from_fn(|i| inside[i] + t * (out[i] - inside[i])) };
    let (mut lo, mut hi) = (0.0, 1.0);
    while inside != out && hi - lo > f64::EPSILON {
        let (t, x) = (0.5 * (lo + hi), at(0.5 * (lo + hi)));
        if length(&x) <= radius_in + t * (radius_out - radius_in) {
            lo = t;
        } else {
            hi = t;
        }
    }
    at(lo)
}

/// (S + shift)⁻¹ b; not finite if that is singular, unless b = 0. Largest pivot first: a zero
/// row or column (no friction along a tangent) stays exact.
fn shifted<const T: usize>(s: &Matrix<T>, shift: f64, mut b: [f64; T]) -> [f64; T] {
    if b == [0.0; T] {
        return b;
    }
    let mut a = *s;
    (0..T).for_each(|i| a[i][i] += shift);
    let mut order: [usize; T] = std::array::from_fn(|i| i);
    for k in 0..T {
        let larger = |p: usize, i: usize| {
            if a[order[i]][order[i]].abs() > a[order[p]][order[p]].abs() { i } else { p }
        };
        let largest = (k + 1..T).fold(k, larger);
        order.swap(k, largest);
        let pivot = order[k];
        for &i in &order[k + 1..] {
            let f = a[i][pivot] / a[pivot][pivot];
            if f == 0.0 {
                continue;
            }
            for &j in &order[k + 1..] {
                a[i][j] -= f * a[pivot][j];
            }
            b[i] -= f * b[pivot];
        }
    }
    for k in (0..T).rev() {
        let i = order[k];
        let known: f64 = order[k + 1..].iter().map(|&j| a[i][j] * b[j]).sum();
        let rest = b[i] - known;
        b[i] = if rest == 0.0 { 0.0 } else { rest / a[i][i] };
    }
    b
}

/// A zero of f between `lo`, where it is negative, and `hi`, where it is not;
/// f gives its value and slope. Newton within a bracket that at least halves in
/// every fourth step. Returns the bracket; `None` if f does not become positive.
fn root(mut lo: f64, mut hi: f64, guess: f64, f: impl Fn(f64) -> (f64, f64)) -> Option<(f64, f64)> {
    let mut x = if guess > lo && guess < hi { guess } else { lo + 0.5 * (hi.min(lo + 2.0) - lo) };
    for step in 0..MAX_STEPS {
        let (value, slope) = f(x);
        if value >= 0.0 {
            hi = x;
        } else {
            lo = x; // not a number counts as not there yet
        }
        let narrow = hi < f64::INFINITY && hi - lo <= 2.0 * f64::EPSILON * hi;
        if value.abs() <= f64::EPSILON {
            return Some((x, x));
        }
        if narrow {
            return Some((lo, hi));
        }
        let newton = x - value / slope;
        x = if newton > lo && newton < hi && (step % 4 != 3 || hi == f64::INFINITY) {
            newton
        } else if hi == f64::INFINITY {
            8.0 * x
        } else if lo > 0.0 && hi > 4.0 * lo {
            (lo.sqrt() * hi.sqrt()).clamp(lo, hi)
        } else {
            0.5 * (lo + hi)
        };
        if !x.is_finite() {
            return None;
        }
    }
    (hi < f64::INFINITY).then_some((lo, hi))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;
    use crate::residual::cone_residual;

    /// BᵀB of the given rank, rows of different size, and a skew part.
    fn block<const N: usize>(rng: &mut Rng, rank: usize, skew: f64) -> Matrix<N> {
        let scale: [f64; N] = std::array::from_fn(|_| [0.3, 1.0, 3.0][rng.index(3)]);
        let b: Vec<[f64; N]> =
            (0..rank).map(|_| std::array::from_fn(|i| scale[i] * rng.normal())).collect();
        let mut w = [[0.0; N]; N];
        for i in 0..N {
            for j in 0..N {
                w[i][j] = b.iter().map(|b| b[i] * b[j]).sum();
            }
        }
        for i in 0..N {
            for j in 0..i {
                let s = skew * rng.normal() * (w[i][i] * w[j][j]).sqrt();
                (w[i][j], w[j][i]) = (w[i][j] + s, w[j][i] - s);
            }
        }
        w
    }

    fn residual<const N: usize>(
        w: &Matrix<N>,
        q: [f64; N],
        r: [f64; N],
        mu: &[f64],
        associated: bool,
    ) -> f64 {
        let u: [f64; N] =
            std::array::from_fn(|i| (0..N).map(|j| w[i][j] * r[j]).sum::<f64>() + q[i]);
        let size = (0..N).flat_map(|i| (0..N).map(move |j| (i, j)));
        let size = size.map(|(i, j)| (w[i][j] * r[j]).abs() + q[i].abs()).fold(0.0, f64::max);
        cone_residual(&r, &u, mu, associated, if w[0][0] > 0.0 { w[0][0] } else { 1.0 }) / size
    }

    /// Every answer obeys the law, on any definite block.
    #[test]
    fn laws_are_obeyed() {
        let mut rng = Rng::new(1);
        let friction = [[0.5, 0.5], [0.0, 0.0], [2.0, 2.0], [0.3, 1.5], [0.0, 0.7], [1e-6, 1.0]];
        for k in 0..6000 {
            let mu = friction[k % 6];
            let (associated, skew) = (k % 5 < 2, if k % 7 == 0 { 0.1 } else { 0.0 });
            let w = block::<3>(&mut rng, 3 + k % 3, skew);
            let q = std::array::from_fn(|_| rng.normal());
            let r = solve::<3, 2>(&w, q, &mu, associated, [f64::NAN; 3]);
            let e = residual(&w, q, r, &mu, associated);
            assert!(e < 1e-12, "{k}: {w:?} {q:?} {mu:?} {associated}: {r:?} {e:e}");
        }
    }

    /// Singular blocks, with q in their range and with tangents that are zero.
    #[test]
    fn semidefinite_blocks() {
        let mut rng = Rng::new(2);
        for k in 0..2000 {
            let mut w = block::<3>(&mut rng, 1 + k % 2, 0.0);
            if k % 3 == 0 {
                (0..3).for_each(|i| (w[i][2], w[2][i]) = (0.0, 0.0));
            }
            let x: [f64; 3] = std::array::from_fn(|_| rng.normal());
            let q = std::array::from_fn(|i| (0..3).map(|j| w[i][j] * x[j]).sum::<f64>());
            for associated in [false, true] {
                let r = solve::<3, 2>(&w, q, &[0.4, 0.6], associated, [f64::NAN; 3]);
                let e = residual(&w, q, r, &[0.4, 0.6], associated);
                assert!(e < 1e-9, "{k}: {w:?} {q:?} {associated}: {r:?} {e:e}");
            }
        }
    }

    /// Where a search over all directions finds one slip and sticking is out of
    /// question, it is that.
    #[test]
    fn agrees_with_a_search_over_directions() {
        let mut rng = Rng::new(3);
        let mut slips = 0;
        for _ in 0..500 {
            let (w, mu) = (block::<3>(&mut rng, 5, 0.0), [0.4, 0.8]);
            let q = [-rng.uniform(), rng.normal(), rng.normal()];
            // The impulse along a direction, and how its slip deviates from it.
            let slip = |angle: f64| {
                let d = [1.0, mu[0] * angle.cos(), mu[1] * angle.sin()];
                let n = -q[0] / (0..3).map(|j| w[0][j] * d[j]).sum::<f64>();
                let r = d.map(|d| n * d);
                let u = |i: usize| (0..3).map(|j| w[i][j] * r[j]).sum::<f64>() + q[i];
                let z = [mu[0] * u(1), mu[1] * u(2)];
                let against = z[0] * angle.cos() + z[1] * angle.sin() < 0.0 && n > 0.0;
                (r, z[0] * angle.sin() - z[1] * angle.cos(), against)
            };
            let angle = |k: usize| std::f64::consts::TAU * k as f64 / 2000.0;
            let mut found = Vec::new();
            for k in 0..2000 {
                let (mut lo, mut hi) = (angle(k), angle(k + 1));
                let (left, right) = (slip(lo), slip(hi));
                if left.2 && right.2 && (left.1 < 0.0) != (right.1 < 0.0) {
                    for _ in 0..60 {
                        let middle = 0.5 * (lo + hi);
                        let same = (slip(middle).1 < 0.0) == (left.1 < 0.0);
                        if same { lo = middle } else { hi = middle }
                    }
                    found.push(slip(lo).0);
                }
            }
            let r = solve::<3, 2>(&w, q, &mu, false, [f64::NAN; 3]);
            let sticks = (r[1] / mu[0]).hypot(r[2] / mu[1]) < (1.0 - 1e-9) * r[0];
            if let ([one], false) = (&found[..], sticks) {
                slips += 1;
                let e = (0..3).map(|i| (r[i] - one[i]).abs()).fold(0.0, f64::max);
                assert!(e < 1e-8 * (1.0 + r[0]), "{w:?} {q:?}: {r:?} {one:?}");
            }
        }
        assert!(slips > 200, "{slips}");
    }

    /// Torsion and rolling: the same law with more rows.
    #[test]
    fn wide_cones() {
        fn of<const N: usize, const T: usize>(rng: &mut Rng) {
            for k in 0..1000 {
                let mu: [f64; T] = std::array::from_fn(|_| [0.5, 0.05, 1.5, 0.0][rng.index(4)]);
                let (associated, skew) = (k % 5 < 2, if k % 7 == 0 { 0.1 } else { 0.0 });
                let w = block::<N>(rng, N + k % 3, skew);
                let q = std::array::from_fn(|_| rng.normal());
                let r = solve::<N, T>(&w, q, &mu, associated, [f64::NAN; N]);
                let e = residual(&w, q, r, &mu, associated);
                assert!(e < 1e-11, "{k}: {w:?} {q:?} {mu:?} {associated}: {r:?} {e:e}");
            }
        }
        let mut rng = Rng::new(5);
        of::<4, 3>(&mut rng);
        of::<5, 4>(&mut rng);
        of::<6, 5>(&mut rng);
    }

    #[test]
    fn hopeless_blocks_keep_their_start() {
        let start = [1.0, 0.5, -0.5];
        for associated in [false, true] {
            let zero = [[0.0; 3]; 3];
            assert_eq!(solve::<3, 2>(&zero, [-1.0, 0.0, 0.0], &[0.5; 2], associated, start), start);
            assert_eq!(
                solve::<3, 2>(&zero, [1.0, 0.0, 0.0], &[0.5; 2], associated, start),
                [0.0; 3]
            );
            let bad = [[f64::NAN; 3]; 3];
            assert_eq!(solve::<3, 2>(&bad, [-1.0; 3], &[0.5; 2], associated, start), start);
        }
    }

    /// The closest point of an ellipse, against a search.
    #[test]
    fn points_on_an_ellipse() {
        let mut rng = Rng::new(4);
        for _ in 0..100 {
            let (axes, z) =
                ([rng.range(0.1, 2.0), rng.range(0.1, 2.0)], [rng.normal(), rng.normal()]);
            let s = [[axes[0] * axes[0], 0.0], [0.0, axes[1] * axes[1]]];
            let (y, _) = on_disk(&s, [-axes[0] * z[0], -axes[1] * z[1]], 1.0);
            let distance = |y: [f64; 2]| (axes[0] * y[0] - z[0]).hypot(axes[1] * y[1] - z[1]);
            assert!(y[0].hypot(y[1]) <= 1.0 + 1e-14);
            for k in 0..2000 {
                let angle = std::f64::consts::TAU * f64::from(k) / 2000.0;
                assert!(distance(y) <= distance([angle.cos(), angle.sin()]) + 1e-14);
            }
        }
    }
}
