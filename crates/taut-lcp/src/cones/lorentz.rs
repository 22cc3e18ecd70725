//! The self-dual cone |x_t| ≤ xₙ in N dimensions (three: normal and two tangents; more with
//! torsion and rolling; entries past a block's end are zero): Jordan products,
//! Nesterov-Todd scaling, longest steps, projections and their derivatives.
//!
//! **Reference**: Alizadeh and Goldfarb 2003, Second-order cone programming;
//! Nesterov and Todd 1997.

pub(super) type Vector<const N: usize> = [f64; N];
pub(super) type Matrix<const N: usize> = [[f64; N]; N];

pub(super) const fn zero<const N: usize>() -> Matrix<N> {
    [[0.0; N]; N]
}

pub(super) const fn identity<const N: usize>() -> Matrix<N> {
    let mut a = [[0.0; N]; N];
    let mut i = 0;
    while i < N {
        a[i][i] = 1.0;
        i += 1;
    }
    a
}

#[inline]
pub(super) fn dot<const N: usize>(a: &Vector<N>, b: &Vector<N>) -> f64 {
    let mut sum = a[0] * b[0];
    for k in 1..N {
        sum += a[k] * b[k];
    }
    sum
}

/// a_tᵀ b_t.
#[inline]
fn dot_t<const N: usize>(a: &Vector<N>, b: &Vector<N>) -> f64 {
    let mut sum = a[1] * b[1];
    for k in 2..N {
        sum += a[k] * b[k];
    }
    sum
}

#[inline]
pub(super) fn mul<const N: usize>(a: &Matrix<N>, x: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|i| dot(&a[i], x))
}

/// a b.
#[inline]
pub(super) fn product<const N: usize>(a: &Matrix<N>, b: &Matrix<N>) -> Matrix<N> {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let mut sum = a[i][0] * b[0][j];
            for k in 1..N {
                sum += a[i][k] * b[k][j];
            }
            sum
        })
    })
}

/// The inverse of the matrix with its rows brought to one size: by cofactors in three
/// dimensions, else by elimination.
#[inline]
pub(super) fn inverse<const N: usize>(a: &Matrix<N>) -> Matrix<N> {
    let scale = a.map(|r| 1.0 / r.iter().fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs())));
    let a: Matrix<N> = std::array::from_fn(|i| a[i].map(|x| x * scale[i]));
    if N > 3 {
        let inverse = eliminate(a);
        return std::array::from_fn(|i| std::array::from_fn(|j| inverse[i][j] * scale[j]));
    }
    let cofactor = |i: usize, j: usize| {
        let (r, s, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        a[r][c] * a[s][d] - a[r][d] * a[s][c]
    };
    let det = (0..3).map(|j| a[0][j] * cofactor(0, j)).sum::<f64>();
    std::array::from_fn(|i| std::array::from_fn(|j| cofactor(j, i) / det * scale[j]))
}

/// The inverse, by elimination with row exchange.
fn eliminate<const N: usize>(mut a: Matrix<N>) -> Matrix<N> {
    let mut inverse = identity::<N>();
    for k in 0..N {
        let larger = |p: usize, i: usize| if a[i][k].abs() > a[p][k].abs() { i } else { p };
        let pivot = (k + 1..N).fold(k, larger);
        a.swap(k, pivot);
        inverse.swap(k, pivot);
        let scale = 1.0 / a[k][k];
        for j in 0..N {
            a[k][j] *= scale;
            inverse[k][j] *= scale;
        }
        for i in (0..N).filter(|&i| i != k) {
            let f = a[i][k];
            for j in 0..N {
                a[i][j] -= f * a[k][j];
                inverse[i][j] -= f * inverse[k][j];
            }
        }
    }
    inverse
}

/// |x_t|. (Scaled entries are near one: a root does, in a third of the time of `hypot`.)
#[inline]
pub(super) fn tangent<const N: usize>(x: &Vector<N>) -> f64 {
    dot_t(x, x).sqrt()
}

/// xₙ² − |x_t|².
#[inline]
pub(super) fn determinant<const N: usize>(x: &Vector<N>) -> f64 {
    let t = tangent(x);
    (x[0] - t) * (x[0] + t)
}

/// a ∘ b.
#[inline]
pub(super) fn jordan<const N: usize>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|k| if k == 0 { dot(a, b) } else { a[0] * b[k] + b[0] * a[k] })
}

/// The z with l ∘ z = c.
#[inline]
pub(super) fn divide<const N: usize>(l: &Vector<N>, c: &Vector<N>) -> Vector<N> {
    let mut sum = l[0] * c[0];
    for k in 1..N {
        sum -= l[k] * c[k];
    }
    let n = sum / determinant(l);
    std::array::from_fn(|k| if k == 0 { n } else { (c[k] - n * l[k]) / l[0] })
}

/// The scaling N with N y = N⁻¹ x: N = η [w₀ w_tᵀ; w_t I + w_t w_tᵀ/(1 + w₀)].
#[derive(Clone, Copy, Debug)]
pub(super) struct Scaling<const N: usize> {
    w: Vector<N>,
    eta: f64,
}

impl<const N: usize> Default for Scaling<N> {
    fn default() -> Self {
        Scaling { w: [0.0; N], eta: 0.0 }
    }
}

impl<const N: usize> Scaling<N> {
    pub fn new(x: &Vector<N>, y: &Vector<N>) -> Self {
        let (dx, dy) = (determinant(x).sqrt(), determinant(y).sqrt());
        let (xb, yb) = (x.map(|v| v / dx), y.map(|v| v / dy));
        let g = 2.0 * (0.5 * (1.0 + dot(&xb, &yb))).sqrt();
        let mut w: Vector<N> = std::array::from_fn(|k| (xb[k] - yb[k]) / g);
        // det w = 1, also after rounding.
        let mut square = 1.0;
        for k in 1..N {
            square += w[k] * w[k];
        }
        w[0] = square.sqrt();
        Scaling { w, eta: (dx / dy).sqrt() }
    }

    #[inline]
    fn times(w: &Vector<N>, s: f64, v: &Vector<N>) -> Vector<N> {
        let t = dot_t(w, v);
        let k = v[0] + t / (1.0 + w[0]);
        std::array::from_fn(|i| if i == 0 { s * (w[0] * v[0] + t) } else { s * (v[i] + k * w[i]) })
    }

    #[inline]
    fn reflected(&self) -> Vector<N> {
        std::array::from_fn(|k| if k == 0 { self.w[0] } else { -self.w[k] })
    }

    /// N v.
    #[inline]
    pub fn apply(&self, v: &Vector<N>) -> Vector<N> {
        Self::times(&self.w, self.eta, v)
    }

    /// N⁻¹ v.
    #[inline]
    pub fn invert(&self, v: &Vector<N>) -> Vector<N> {
        Self::times(&self.reflected(), 1.0 / self.eta, v)
    }

    /// N⁻².
    pub fn inverse_square(&self) -> Matrix<N> {
        let (w, s) = (self.reflected(), self.eta.powi(-2));
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let sign = if i != j {
                    0.0
                } else if i == 0 {
                    -1.0
                } else {
                    1.0
                };
                s * (2.0 * w[i] * w[j] + sign)
            })
        })
    }
}

/// The largest a with x + a d in the cone, x within it.
pub(super) fn longest<const N: usize>(x: &Vector<N>, d: &Vector<N>) -> f64 {
    let (mut a, mut b) = (d[0] * d[0], x[0] * d[0]);
    for k in 1..N {
        a -= d[k] * d[k];
        b -= x[k] * d[k];
    }
    let c = determinant(x).max(0.0);
    let discriminant = b * b - a * c;
    let mut longest = if d[0] < 0.0 { -x[0] / d[0] } else { f64::INFINITY };
    if discriminant >= 0.0 {
        let root = discriminant.sqrt();
        let q = -(b + if b >= 0.0 { root } else { -root });
        for r in [q / a, c / q] {
            if r > 0.0 && r < longest {
                longest = r;
            }
        }
    }
    longest
}

/// Where z goes, and the derivative, by the associated law: the closest point
/// of the cone.
pub(super) fn project<const N: usize>(z: &Vector<N>) -> (Vector<N>, Matrix<N>) {
    let t = tangent(z);
    if t <= z[0] {
        return (*z, identity());
    }
    if t <= -z[0] {
        return ([0.0; N], zero());
    }
    let n = 0.5 * (z[0] + t);
    // (1, d): the direction of the edge of the cone next to z.
    let d: Vector<N> = std::array::from_fn(|k| if k == 0 { 1.0 } else { z[k] / t });
    let mut p = zero();
    p[0] = d.map(|d| 0.5 * d);
    for i in 1..N {
        p[i][0] = 0.5 * d[i];
        for j in 1..N {
            let eye = f64::from(u8::from(i == j));
            p[i][j] = 0.5 * d[i] * d[j] + n / t * (eye - d[i] * d[j]);
        }
    }
    (d.map(|d| n * d), p)
}

/// The projection by Coulomb's law, and its derivative: the normal first, then the tangents onto the ball
/// of that radius.
pub(super) fn slide<const N: usize>(z: &Vector<N>) -> (Vector<N>, Matrix<N>) {
    // (NaN must not pass as open.)
    if z[0] <= 0.0 {
        return ([0.0; N], zero());
    }
    let (n, t) = (z[0], tangent(z));
    if t <= n {
        return (*z, identity());
    }
    let d: Vector<N> = std::array::from_fn(|k| if k == 0 { 1.0 } else { z[k] / t });
    let mut p = zero();
    p[0][0] = 1.0;
    for i in 1..N {
        p[i][0] = d[i];
        for j in 1..N {
            let eye = f64::from(u8::from(i == j));
            p[i][j] = n / t * (eye - d[i] * d[j]);
        }
    }
    (d.map(|d| n * d), p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;

    fn random<const N: usize>(rng: &mut Rng) -> Vector<N> {
        std::array::from_fn(|_| rng.normal())
    }

    fn inner<const N: usize>(rng: &mut Rng) -> Vector<N> {
        let mut x = random(rng);
        x[0] = tangent(&x) + 0.01 + rng.uniform();
        x
    }

    fn close<const N: usize>(a: &Vector<N>, b: &Vector<N>, tolerance: f64) -> bool {
        (0..N).all(|i| (a[i] - b[i]).abs() <= tolerance * (1.0 + a[i].abs()))
    }

    #[test]
    fn scaling_joins_two_points() {
        fn of<const N: usize>(rng: &mut Rng) {
            for _ in 0..50 {
                let (x, y) = (inner::<N>(rng), inner::<N>(rng));
                let n = Scaling::new(&x, &y);
                let l = n.apply(&y);
                assert!(close(&l, &n.invert(&x), 1e-9));
                assert!(close(&mul(&n.inverse_square(), &x), &y, 1e-9));
                assert!(close(&jordan(&l, &divide(&l, &y)), &y, 1e-9));
                let a = n.inverse_square();
                assert!(close(&mul(&inverse(&a), &mul(&a, &x)), &x, 1e-8));
            }
        }
        let mut rng = Rng::new(1);
        of::<3>(&mut rng);
        of::<4>(&mut rng);
        of::<6>(&mut rng);
    }

    #[test]
    fn longest_steps_end_on_the_cone() {
        fn of<const N: usize>(rng: &mut Rng) {
            for _ in 0..50 {
                let (x, d) = (inner::<N>(rng), random::<N>(rng));
                let a = longest(&x, &d);
                let at = |a: f64| -> Vector<N> { std::array::from_fn(|i| x[i] + a * d[i]) };
                if a.is_finite() {
                    let end = at(a);
                    assert!((end[0] - tangent(&end)).abs() < 1e-9 * (1.0 + a));
                    assert!(determinant(&at(0.99 * a)) > 0.0 && at(0.99 * a)[0] > 0.0);
                } else {
                    assert!(d[0] >= tangent(&d));
                }
            }
        }
        let mut rng = Rng::new(2);
        of::<3>(&mut rng);
        of::<4>(&mut rng);
        of::<6>(&mut rng);
    }

    /// Derivatives against differences.
    #[test]
    fn derivatives_of_both_laws() {
        fn of<const N: usize>(rng: &mut Rng) {
            for law in [project::<N>, slide::<N>] {
                for _ in 0..50 {
                    let z = random::<N>(rng);
                    let (r, p) = law(&z);
                    let dz = random::<N>(rng).map(|d| 1e-7 * d);
                    let next = law(&std::array::from_fn(|i| z[i] + dz[i])).0;
                    let linear = mul(&p, &dz);
                    assert!((0..N).all(|i| (next[i] - r[i] - linear[i]).abs() < 1e-11));
                }
            }
        }
        let mut rng = Rng::new(3);
        of::<3>(&mut rng);
        of::<4>(&mut rng);
        of::<6>(&mut rng);
    }
}
