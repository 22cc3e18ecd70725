//! Vectors and matrices of three, their singular values and eigenvalues.

pub use taut_sdf::Vec3;
pub(crate) use taut_sdf::vector::{along, cross, dot, norm, scale, sub};

/// A matrix, row by row.
pub type Mat3 = [[f64; 3]; 3];

pub(crate) const IDENTITY: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Two unit vectors that make a right-handed frame with the unit vector n.
pub(crate) fn tangents(n: Vec3) -> [Vec3; 2] {
    let k = (0..3).min_by(|&a, &b| n[a].abs().total_cmp(&n[b].abs())).unwrap_or(0);
    let mut axis = [0.0; 3];
    axis[k] = 1.0;
    let t = cross(n, axis);
    let t = scale(t, 1.0 / norm(t));
    [t, cross(n, t)]
}

pub(crate) fn column(a: &Mat3, k: usize) -> Vec3 {
    [a[0][k], a[1][k], a[2][k]]
}

pub(crate) fn transpose(a: &Mat3) -> Mat3 {
    [column(a, 0), column(a, 1), column(a, 2)]
}

pub(crate) fn mul(a: &Mat3, b: &Mat3) -> Mat3 {
    let b = transpose(b);
    a.map(|row| b.map(|column| dot(row, column)))
}

pub(crate) fn apply(a: &Mat3, x: Vec3) -> Vec3 {
    a.map(|row| dot(row, x))
}

/// aᵀ x
pub(crate) fn apply_transposed(a: &Mat3, x: Vec3) -> Vec3 {
    apply(&transpose(a), x)
}

pub(crate) fn determinant(a: &Mat3) -> f64 {
    dot(a[0], cross(a[1], a[2]))
}

/// The inverse, of a matrix whose determinant is not zero.
pub(crate) fn inverse(a: &Mat3) -> Mat3 {
    let d = 1.0 / determinant(a);
    let rows = [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])];
    transpose(&rows.map(|r| scale(r, d)))
}

/// Σ s_k u_k v_kᵀ over the columns of u and v.
pub(crate) fn compose(u: &Mat3, s: Vec3, v: &Mat3) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| u[i][k] * s[k] * v[j][k]).sum()))
}

/// U, s, V with A = U diag(s) Vᵀ, U and V rotations, s falling; the last of s is negative where A is inverted.
///
/// One-sided Jacobi rotations (Hestenes 1958): small singular values are as accurate as large ones.
pub(crate) fn rotation_svd(a: &Mat3) -> (Mat3, Vec3, Mat3) {
    // Columns of A V.
    let (mut w, mut v) = (transpose(a), IDENTITY);
    for _ in 0..30 {
        let mut done = true;
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let (p, q, r) = (dot(w[i], w[i]), dot(w[j], w[j]), dot(w[i], w[j]));
            if r.abs() <= 2e-16 * (p * q).sqrt() || r == 0.0 {
                continue;
            }
            done = false;
            let (c, s) = rotation(p, q, r);
            for m in [&mut w, &mut v] {
                let (x, y) = (m[i], m[j]);
                m[i] = along(scale(x, c), -s, y);
                m[j] = along(scale(x, s), c, y);
            }
        }
        if done {
            break;
        }
    }
    // v holds the columns of V as rows; sort by length, keep V a rotation.
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| dot(w[j], w[j]).total_cmp(&dot(w[i], w[i])));
    let (mut w, mut v) = (order.map(|k| w[k]), order.map(|k| v[k]));
    if determinant(&v) < 0.0 {
        (w[2], v[2]) = (scale(w[2], -1.0), scale(v[2], -1.0));
    }
    let s0 = norm(w[0]);
    let u0 = if s0 > 0.0 { scale(w[0], 1.0 / s0) } else { v[0] };
    let rest = along(w[1], -dot(u0, w[1]), u0);
    let s1 = norm(rest);
    let u1 = if s1 > 0.0 { scale(rest, 1.0 / s1) } else { tangents(u0)[0] };
    let u2 = cross(u0, u1);
    (transpose(&[u0, u1, u2]), [s0, s1, dot(u2, w[2])], transpose(&v))
}

/// Cosine and sine of the rotation that makes [p r; r q] diagonal.
fn rotation(p: f64, q: f64, r: f64) -> (f64, f64) {
    let theta = (q - p) / (2.0 * r);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta == 0.0 { 1.0 } else { t };
    let c = 1.0 / (t * t + 1.0).sqrt();
    (c, t * c)
}

/// Eigenvalues of a symmetric matrix of N rows and their vectors, as columns; by Jacobi rotations.
pub(crate) fn eigen<const N: usize>(mut a: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut v: [[f64; N]; N] =
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    for _ in 0..50 {
        let mut done = true;
        for i in 0..N {
            for j in i + 1..N {
                let r = a[i][j];
                if r.abs() <= 1e-17 * (a[i][i].abs() + a[j][j].abs()) {
                    continue;
                }
                done = false;
                let (c, s) = rotation(a[i][i], a[j][j], r);
                for k in 0..N {
                    (a[k][i], a[k][j]) = (c * a[k][i] - s * a[k][j], s * a[k][i] + c * a[k][j]);
                }
                for k in 0..N {
                    (a[i][k], a[j][k]) = (c * a[i][k] - s * a[j][k], s * a[i][k] + c * a[j][k]);
                    (v[k][i], v[k][j]) = (c * v[k][i] - s * v[k][j], s * v[k][i] + c * v[k][j]);
                }
            }
        }
        if done {
            break;
        }
    }
    (std::array::from_fn(|i| a[i][i]), v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taut_lcp::generate::Rng;

    #[test]
    fn singular_values_of_any_matrix() {
        let mut rng = Rng::new(5);
        let mut cases: Vec<Mat3> = (0..500)
            .map(|_| std::array::from_fn(|_| std::array::from_fn(|_| rng.range(-1.0, 1.0))))
            .collect();
        cases.extend([IDENTITY, [[0.0; 3]; 3], [[1.0; 3]; 3]]);
        cases.push([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1e-9]]);
        for a in cases {
            let (u, s, v) = rotation_svd(&a);
            let b = compose(&u, s, &v);
            for m in [u, v] {
                assert!((determinant(&m) - 1.0).abs() < 1e-14);
            }
            assert!(s[0] >= s[1] && s[1] >= s[2].abs(), "{s:?}");
            for i in 0..3 {
                for j in 0..3 {
                    assert!((a[i][j] - b[i][j]).abs() < 1e-14, "{a:?}");
                }
            }
        }
    }
}
