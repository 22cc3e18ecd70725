//! The nearest positive semidefinite matrix.

/// Eigenvalues of a symmetric matrix and their vectors, as columns; by Jacobi rotations.
pub(crate) fn eigen<const N: usize>(mut a: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut v: [[f64; N]; N] =
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    let size = a.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
    for _ in 0..30 {
        let mut done = true;
        for i in 0..N {
            for j in i + 1..N {
                let r = a[i][j];
                if r.abs() <= 1e-16 * (a[i][i] * a[j][j]).abs().sqrt() || r.abs() <= 1e-18 * size {
                    continue;
                }
                done = false;
                let (c, s) = rotation(a[i][i], a[j][j], r);
                for k in 0..N {
                    (a[k][i], a[k][j]) = (c * a[k][i] - s * a[k][j], s * a[k][i] + c * a[k][j]);
                }
                let (mut p, mut q) = (a[i], a[j]);
                for k in 0..N {
                    (p[k], q[k]) = (c * p[k] - s * q[k], s * p[k] + c * q[k]);
                    (v[k][i], v[k][j]) = (c * v[k][i] - s * v[k][j], s * v[k][i] + c * v[k][j]);
                }
                (a[i], a[j]) = (p, q);
            }
        }
        if done {
            break;
        }
    }
    (std::array::from_fn(|i| a[i][i]), v)
}

/// Cosine and sine of the rotation that makes [p r; r q] diagonal.
fn rotation(p: f64, q: f64, r: f64) -> (f64, f64) {
    let theta = (q - p) / (2.0 * r);
    let t = if theta == 0.0 {
        1.0
    } else {
        theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt())
    };
    let c = 1.0 / (t * t + 1.0).sqrt();
    (c, t * c)
}

/// Negative eigenvalues become 0.
pub(crate) fn project<const N: usize>(a: [[f64; N]; N]) -> [[f64; N]; N] {
    let (values, vectors) = eigen(a);
    if values.iter().all(|&x| x >= 0.0) {
        return a;
    }
    let mut result = [[0.0; N]; N];
    for k in (0..N).filter(|&k| values[k] > 0.0) {
        for i in 0..N {
            let scaled = values[k] * vectors[i][k];
            (0..N).for_each(|j| result[i][j] += scaled * vectors[j][k]);
        }
    }
    result
}

/// Makes a Hessian semidefinite that is one of a function that does not change when all of `corners` are moved by the same vector, and does not depend on
/// others: in differences it has a third, half or a quarter less rows.
pub(crate) fn project_differences(h: &mut [[f64; 12]; 12], corners: &[usize]) {
    match corners.len() {
        2 => reduced::<3>(h, corners),
        3 => reduced::<6>(h, corners),
        _ => reduced::<9>(h, corners),
    }
}

fn reduced<const N: usize>(h: &mut [[f64; 12]; 12], corners: &[usize]) {
    let n = corners.len();
    // Orthonormal differences (Helmert): the k-th is the mean of the first k corners minus the next.
    let basis = |k: usize, i: usize| -> f64 {
        let k = k + 1;
        let scale = 1.0 / ((k * (k + 1)) as f64).sqrt();
        match i.cmp(&k) {
            std::cmp::Ordering::Less => scale,
            std::cmp::Ordering::Equal => -(k as f64) * scale,
            std::cmp::Ordering::Greater => 0.0,
        }
    };
    let mut q = [[0.0; 4]; 3];
    for k in 0..n - 1 {
        (0..n).for_each(|i| q[k][i] = basis(k, i));
    }
    // Q H, then (Q H) Qᵀ
    let mut half = [[0.0; 12]; N];
    for (r, row) in half.iter_mut().enumerate() {
        for j in 0..12 {
            row[j] = (0..n).map(|i| q[r / 3][i] * h[3 * corners[i] + r % 3][j]).sum();
        }
    }
    let small: [[f64; N]; N] = std::array::from_fn(|r| {
        std::array::from_fn(|c| (0..n).map(|i| half[r][3 * corners[i] + c % 3] * q[c / 3][i]).sum())
    });
    let small = project(small);
    *h = [[0.0; 12]; 12];
    for i in 0..n {
        for j in 0..n {
            for k in 0..3 {
                for l in 0..3 {
                    let mut sum = 0.0;
                    for r in 0..n - 1 {
                        for c in 0..n - 1 {
                            sum += q[r][i] * small[3 * r + k][3 * c + l] * q[c][j];
                        }
                    }
                    h[3 * corners[i] + k][3 * corners[j] + l] = sum;
                }
            }
        }
    }
}
