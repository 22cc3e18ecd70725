//! Eigenvalues of a symmetric 3×3 matrix.

use crate::math::{Mat3, Vec3};

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix: cyclic
/// Jacobi rotations, quadratically convergent.
pub(crate) fn eigen(m: Mat3) -> ([f64; 3], Mat3) {
    let mut a = [[0.0; 3]; 3];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for i in 0..3 {
        for j in 0..3 {
            a[i][j] = m.col(j)[i];
        }
    }
    for _ in 0..16 {
        let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        let diagonal = a[0][0].abs() + a[1][1].abs() + a[2][2].abs();
        if off <= 1e-15 * diagonal {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut v, p, q);
        }
    }
    let column = |j: usize| Vec3::new(v[0][j], v[1][j], v[2][j]);
    ([a[0][0], a[1][1], a[2][2]], Mat3::from_cols(column(0), column(1), column(2)))
}

/// One rotation that makes a[p][q] zero.
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for k in 0..3 {
        let (x, y) = (a[k][p], a[k][q]);
        (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..3 {
        let (x, y) = (a[p][k], a[q][k]);
        (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
        let (x, y) = (v[k][p], v[k][q]);
        (v[k][p], v[k][q]) = (c * x - s * y, s * x + c * y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let m = Mat3::from_cols(
            Vec3::new(2.0, -1.0, 0.5),
            Vec3::new(-1.0, 3.0, 0.25),
            Vec3::new(0.5, 0.25, -1.0),
        );
        let (values, v) = eigen(m);
        let rebuilt = v * Mat3::from_diagonal(Vec3::from_array(values)) * v.transpose();
        assert!((rebuilt - m).to_cols_array().iter().all(|x| x.abs() < 1e-14));
        assert!((v.determinant().abs() - 1.0).abs() < 1e-14);
    }
}
