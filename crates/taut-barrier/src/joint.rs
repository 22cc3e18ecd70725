//! Joints as constraints.
//!
//! **Problem**: a point of an affine body, p + A X, is linear in its nodes. So "these two points coincide" is a linear equation, C q = c, and
//! holds exactly along every Newton step with C δ = 0: whatever share of the step collisions leave. Points that
//! coincide are a ball joint (one), a hinge (two on its axis) and a weld (four). Points of a body that stay on a line or in a plane that does not
//! move are linear, too (a slider or cylinder on a fixed axis).
//!
//! **Update**: of the Newton step x = −H⁻¹g is taken H⁻¹Cᵀλ with (C H⁻¹ Cᵀ) λ = C x + (C q − c). The last term is rounding of the steps before.
//! **Cost**: a solve with the factor of H per row, and a dense factorization of as many rows. **Fails**: rows that say the same twice are
//! left out (a pivot below 1e-11 of its diagonal); rows that contradict one another cannot be, for all are fulfilled as they are added.
//! Reference: Lan et al. 2022, section 4.4.

use crate::matrix::Matrix;
use crate::system::System;
use crate::vector::{Vec3, dot, norm, sub};
use crate::{BodyId, Error};

/// Σ w (e·q) = target over nodes.
#[derive(Debug, Clone)]
pub(crate) struct JointRow {
    /// Nodes and their weights.
    terms: Vec<(usize, f64)>,
    along: Vec3,
    target: f64,
}

impl JointRow {
    fn value(&self, q: &[Vec3]) -> f64 {
        self.terms.iter().map(|&(k, w)| w * dot(self.along, q[k])).sum::<f64>() - self.target
    }

    fn product(&self, x: &[f64]) -> f64 {
        let at = |k: usize| [x[3 * k], x[3 * k + 1], x[3 * k + 2]];
        self.terms.iter().map(|&(k, w)| w * dot(self.along, at(k))).sum()
    }
}

/// A pivot below this share of its diagonal is a row that others imply. (Two hinges on one axis leave 1e-16.)
const IMPLIED: f64 = 1e-11;

impl System {
    /// Holds points of two bodies together that are now at these places \[m\]. One: a ball joint; two: a hinge; three or four that are not in a plane: a weld.
    /// `None` is the world. One of both must be a rigid or kinematic body.
    pub fn join_points(
        &mut self,
        a: Option<BodyId>,
        b: Option<BodyId>,
        points: &[Vec3],
    ) -> Result<(), Error> {
        for &point in points {
            for along in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
                self.add_row([a, b], point, along)?;
            }
        }
        Ok(())
    }

    /// Keeps the point of a body that is now at a place where it is in this direction: on a line that does not move with two of
    /// them, in a plane with one.
    pub fn join_line(&mut self, id: BodyId, point: Vec3, along: Vec3) -> Result<(), Error> {
        self.add_row([None, Some(id)], point, along)
    }

    fn add_row(
        &mut self,
        ends: [Option<BodyId>; 2],
        point: Vec3,
        along: Vec3,
    ) -> Result<(), Error> {
        let (mut terms, mut target) = (Vec::new(), 0.0);
        for (end, sign) in ends.into_iter().zip([-1.0, 1.0]) {
            match end.filter(|&id| self.is_moving(id)) {
                Some(id) => {
                    let first = self.frame(id)?;
                    let weights = self.coordinates(first, point);
                    terms.extend((first..).zip(weights.map(|w| sign * w)));
                }
                None => target -= sign * dot(along, point),
            }
        }
        if terms.is_empty() {
            return Err(Error::Body(
                ends[1].unwrap_or(0),
                "a body that moves, as one of a joint must",
            ));
        }
        let mut row = JointRow { terms, along, target };
        // Rounding of the weights is no gap.
        row.target += row.value(&self.q);
        self.rows.push(row);
        Ok(())
    }

    /// 1 and X of a point of a body.
    fn coordinates(&self, first: usize, point: Vec3) -> [f64; 4] {
        let r = sub(point, self.q[first]);
        let a = [self.q[first + 1], self.q[first + 2], self.q[first + 3]];
        // Axes are orthonormal as bodies are put there.
        [1.0, dot(a[0], r), dot(a[1], r), dot(a[2], r)]
    }

    /// The largest violation of a joint \[m\].
    pub fn joint_gap(&self) -> f64 {
        self.rows.iter().map(|r| r.value(&self.q).abs() / norm(r.along)).fold(0.0, f64::max)
    }

    /// Rows of joints.
    pub fn joint_rows(&self) -> usize {
        self.rows.len()
    }

    /// Takes from a Newton step x what joints do not let pass.
    pub(crate) fn hold_joints(&self, matrix: &mut Matrix, q: &[Vec3], x: &mut [f64]) {
        let m = self.rows.len();
        if m == 0 {
            return;
        }
        let columns: Vec<Vec<f64>> = self
            .rows
            .iter()
            .map(|row| {
                let mut y = vec![0.0; x.len()];
                for &(k, w) in &row.terms {
                    (0..3).for_each(|i| y[3 * k + i] += w * row.along[i]);
                }
                matrix.solve(&mut y);
                y
            })
            .collect();
        let mut s: Vec<Vec<f64>> = self
            .rows
            .iter()
            .enumerate()
            .map(|(i, row)| (0..=i).map(|j| row.product(&columns[j])).collect())
            .collect();
        let mut lambda: Vec<f64> = self.rows.iter().map(|r| r.product(x) + r.value(q)).collect();
        solve_dense(&mut s, &mut lambda);
        for (column, l) in columns.iter().zip(&lambda) {
            x.iter_mut().zip(column).for_each(|(x, y)| *x -= l * y);
        }
    }
}

/// x ← A⁻¹ x by Cholesky on the lower triangle; rows that others imply get 0.
fn solve_dense(a: &mut [Vec<f64>], x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let diagonal = a[i][i];
        for j in 0..i {
            let (above, rest) = a.split_at_mut(i);
            let (row, other) = (&mut rest[0], &above[j]);
            let sum: f64 = (0..j).map(|k| row[k] * other[k]).sum();
            row[j] = if other[j] > 0.0 { (row[j] - sum) / other[j] } else { 0.0 };
        }
        let pivot = diagonal - (0..i).map(|k| a[i][k] * a[i][k]).sum::<f64>();
        a[i][i] = if pivot > IMPLIED * diagonal { pivot.sqrt() } else { 0.0 };
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| a[i][k] * x[k]).sum();
        x[i] = if a[i][i] > 0.0 { (x[i] - sum) / a[i][i] } else { 0.0 };
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| a[k][i] * x[k]).sum();
        x[i] = if a[i][i] > 0.0 { (x[i] - sum) / a[i][i] } else { 0.0 };
    }
}
