//! Preconditioned conjugate gradients.
//!
//! **Problem**: A x = b on the rows of a list, A and P symmetric positive
//! definite there.
//! **Update**: q ← z + β q, x ← x + α q, r ← r − α A q, z ← P⁻¹ r, with
//! α = rᵀz / qᵀAq and β = rᵀz / (rᵀz before).
//! **Cost** per iteration: a product, a P⁻¹, five passes over the vectors.
//! **Fails** where P or A is not definite to rounding: it stops with what it
//! has, and the residual says so. It also stops where rounding keeps it from
//! getting anywhere: n rows take n iterations in exact arithmetic, so 2n + 100
//! without a smaller residual are enough. The residual is that of the
//! recursion; the caller compares with the true one.
//! **Reference**: Ho22 alg. 8, eq. 4.4 and 4.5. Erratum there: go on while
//! k < max *and* ‖r‖ > ε. The norm is the largest entry, as the judge's.

/// The vectors of a solve, as long as the whole problem; only the rows of the
/// list are touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vectors {
    pub r: Vec<f64>,
    pub z: Vec<f64>,
    pub q: Vec<f64>,
    pub aq: Vec<f64>,
}

impl Vectors {
    pub fn resize(&mut self, m: usize) {
        for v in [&mut self.r, &mut self.z, &mut self.q, &mut self.aq] {
            v.clear();
            v.resize(m, 0.0);
        }
    }
}

/// What a solver needs to know of A and P: out = A x, z = P⁻¹ r, on the rows
/// of the list.
pub(crate) trait System {
    fn product(&mut self, x: &[f64], out: &mut [f64]);
    fn precondition(&mut self, r: &[f64], z: &mut [f64]);
}

/// Adds the solution of A x = r to x. `v.r` holds the right-hand side, then
/// what is left of it. Returns the number of iterations.
pub(crate) fn pcg(
    v: &mut Vectors,
    rows: &[u32],
    x: &mut [f64],
    system: &mut dyn System,
    target: f64,
    limit: usize,
) -> usize {
    let mut rz_before = f64::INFINITY;
    let (mut least, mut last) = (f64::INFINITY, 0);
    for k in 0..limit {
        let residual = largest(rows, &v.r);
        if residual < least {
            (least, last) = (residual, k);
        }
        if residual <= target || k - last > 2 * rows.len() + 100 {
            return k;
        }
        system.precondition(&v.r, &mut v.z);
        let rz = dot(rows, &v.r, &v.z);
        let beta = rz / rz_before;
        rz_before = rz;
        rows.iter().for_each(|&i| v.q[i as usize] = v.z[i as usize] + beta * v.q[i as usize]);
        system.product(&v.q, &mut v.aq);
        let alpha = rz / dot(rows, &v.q, &v.aq);
        if !(alpha > 0.0 && alpha.is_finite()) {
            return k;
        }
        step(rows, alpha, &v.q, x);
        step(rows, -alpha, &v.aq, &mut v.r);
    }
    limit
}

/// Σ xᵢ yᵢ over the rows.
pub(crate) fn dot(rows: &[u32], x: &[f64], y: &[f64]) -> f64 {
    rows.iter().map(|&i| x[i as usize] * y[i as usize]).sum()
}

/// The largest |xᵢ| of the rows; NaN counts as infinite.
pub(crate) fn largest(rows: &[u32], x: &[f64]) -> f64 {
    let size = |&i: &u32| x[i as usize].abs();
    rows.iter().map(size).fold(0.0, |m, x| if x.is_nan() { f64::INFINITY } else { m.max(x) })
}

/// y ← y + α x on the rows.
pub(crate) fn step(rows: &[u32], alpha: f64, x: &[f64], y: &mut [f64]) {
    rows.iter().for_each(|&i| y[i as usize] += alpha * x[i as usize]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second difference with a stiff first row, preconditioned by its
    /// diagonal.
    struct Line;

    impl System for Line {
        fn product(&mut self, x: &[f64], out: &mut [f64]) {
            for i in 1..x.len() - 1 {
                let a = if i == 1 { 1e4 } else { 2.0 };
                out[i] = a * x[i] - x[i - 1] - x[i + 1];
            }
        }
        fn precondition(&mut self, r: &[f64], z: &mut [f64]) {
            for i in 1..r.len() - 1 {
                z[i] = r[i] / if i == 1 { 1e4 } else { 2.0 };
            }
        }
    }

    /// Rows 0 and 21 are not in the list: zeros that stay. Twenty unknowns
    /// take at most about twenty iterations, and the limit is kept.
    #[test]
    fn solves_on_the_rows_of_the_list() {
        let rows: Vec<u32> = (1..21).collect();
        let mut v = Vectors::default();
        v.resize(22);
        v.r[1..21].fill(1.0);
        let mut x = vec![0.0; 22];
        let iterations = pcg(&mut v, &rows, &mut x, &mut Line, 1e-12, 100);
        assert!((10..25).contains(&iterations), "{iterations}");
        let mut ax = vec![0.0; 22];
        Line.product(&x, &mut ax);
        assert!(ax[1..21].iter().all(|y| (y - 1.0).abs() < 1e-10), "{ax:?}");
        assert_eq!((x[0], x[21]), (0.0, 0.0));
        v.resize(22);
        v.r[1..21].fill(1.0);
        assert_eq!(pcg(&mut v, &rows, &mut x, &mut Line, 1e-12, 3), 3);
    }

    /// Not symmetric: xᵀAx > 0, but conjugate gradients get nowhere.
    struct Twisted;

    impl System for Twisted {
        fn product(&mut self, x: &[f64], out: &mut [f64]) {
            for i in (0..x.len()).step_by(2) {
                (out[i], out[i + 1]) = (x[i] - x[i + 1], x[i + 1] + x[i]);
            }
        }
        fn precondition(&mut self, r: &[f64], z: &mut [f64]) {
            z.copy_from_slice(r);
        }
    }

    #[test]
    fn gives_up_where_it_gets_nowhere() {
        let rows: Vec<u32> = (0..20).collect();
        let mut v = Vectors::default();
        v.resize(20);
        v.r.fill(1.0);
        let mut x = vec![0.0; 20];
        let iterations = pcg(&mut v, &rows, &mut x, &mut Twisted, 1e-12, 100_000);
        assert!((141..1000).contains(&iterations), "{iterations}");
        assert!(largest(&rows, &v.r) > 1e-3);
    }
}
