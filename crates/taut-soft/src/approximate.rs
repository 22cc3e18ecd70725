//! Contacts by block-diagonal matrices P in place of A⁻¹: `w_m`, `w_d` and `ica`, to be compared with the exact forms.
//!
//! **Problem**: as in [`System`](crate::System), A u = A u_free + Jᵀλ with Coulomb's law on J u + φ/h.
//! **Update**: u = c + P Jᵀλ about a centre c.
//! - `w_m`: c = uᵗ + h M⁻¹(f + f_e − B uᵗ), P = M⁻¹ (Andrews22 4.3.2).
//! - `w_d`: c = u_free, P = D⁻¹, once.
//! - `ica`: c = u − D⁻¹A(u − u_free) about the last u, P = D⁻¹, until u stays (Otaduy, Tamstorf, Steinemann and Gross 2009).
//!
//! Deviation: D is the block diagonal of A times 0.55 of the largest eigenvalue of D⁻¹A. As printed (alg. 16, Jacobi) the iteration diverges
//! where that eigenvalue is over 2: at 1 MPa, cells of 0.17 m and 1/60 s it is. With 2D − A positive definite it converges.
//! **Cost**: no factor; W has entries where rows share nodes alone, but is solved as a dense matrix.
//! **Fails**: `w_m` explodes with long steps, `w_d` leaves the dynamics of contacts wrong, `ica` runs out of iterations, and says so.

use taut_lcp::{Law, Status};

use super::system::{Row, SystemReport};
use crate::matrix::{IDENTITY, Mat3, Vec3, along, apply, inverse};
use crate::{Error, Method, SoftBody, System};

/// Passes of `ica`, and change of velocities, as a share of the largest, at which it ends.
const PASSES: usize = 3000;
const SAME: f64 = 1e-10;
/// Steps by which the largest eigenvalue is found, and what it may be more than that.
const POWER_STEPS: usize = 40;
const MORE: f64 = 1.05;

/// P of all soft bodies, by node.
pub(crate) type Blocks = Vec<Vec<Mat3>>;

impl System {
    /// P.
    pub(crate) fn blocks(&mut self, method: Method) -> Blocks {
        let of = |soft: &mut SoftBody| match method {
            Method::WM => soft.inverse_masses(),
            _ => {
                let blocks = soft.inverse_diagonal();
                let scale = 0.55 * MORE * largest_eigenvalue(soft, &blocks);
                blocks.into_iter().map(|b| b.map(|row| row.map(|x| x / scale))).collect()
            }
        };
        self.softs.iter_mut().map(of).collect()
    }

    /// Velocities and impulses about the centres at hand.
    pub(crate) fn solve_approximately(
        &mut self,
        method: Method,
        rows: &[Row],
        laws: &[Law],
        report: &mut SystemReport,
    ) -> Result<Vec<f64>, Error> {
        let blocks = self.blocks(method);
        let w = self.block_delassus(rows, &blocks);
        let (free, free_rigid) = (self.u.clone(), self.v.clone());
        let mut lambda = self.solve_rows(rows, laws, w.clone(), report)?;
        self.respond_by(rows, &lambda, &blocks);
        if method != Method::Ica {
            return Ok(lambda);
        }
        for _ in 0..PASSES {
            let last = self.u.clone();
            for (k, soft) in self.softs.iter().enumerate() {
                let away: Vec<Vec3> =
                    self.u[k].iter().zip(&free[k]).map(|(u, f)| along(*u, -1.0, *f)).collect();
                let force = soft.apply_system(&away);
                for (u, (p, f)) in self.u[k].iter_mut().zip(blocks[k].iter().zip(&force)) {
                    *u = along(*u, -1.0, apply(p, *f));
                }
            }
            self.v.clone_from(&free_rigid);
            lambda = self.solve_rows(rows, laws, w.clone(), report)?;
            self.respond_by(rows, &lambda, &blocks);
            let all = || self.u.iter().flatten().flatten();
            let change = all().zip(last.iter().flatten().flatten());
            let change = change.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            report.passes += 1;
            if change <= SAME * all().fold(0.0_f64, |m, u| m.max(u.abs())) {
                return Ok(lambda);
            }
        }
        report.status = Status::IterationLimit;
        Ok(lambda)
    }

    /// Σ J P Jᵀ over soft bodies, and J M⁻¹ Jᵀ of rigid ones.
    fn block_delassus(&self, rows: &[Row], blocks: &Blocks) -> Vec<f64> {
        let m = rows.len();
        let mut w = vec![0.0; m * m];
        for (s, blocks) in blocks.iter().enumerate() {
            let mut push = vec![[0.0; 3]; blocks.len()];
            for (i, row) in rows.iter().enumerate().filter(|(_, r)| r.soft == s) {
                row.entries.iter().for_each(|&(k, d)| push.as_flattened_mut()[k as usize] += d);
                let mut answer = vec![0.0; 3 * blocks.len()];
                for node in row.entries.iter().map(|&(k, _)| k as usize / 3) {
                    let moved = apply(&blocks[node], push[node]);
                    answer[3 * node..3 * node + 3].copy_from_slice(&moved);
                }
                for (j, other) in rows.iter().enumerate().filter(|(_, r)| r.soft == s) {
                    let product = |&(k, d): &(u32, f64)| d * answer[k as usize];
                    w[i * m + j] += other.entries.iter().map(product).sum::<f64>();
                }
                row.entries.iter().for_each(|&(k, _)| push.as_flattened_mut()[k as usize] = 0.0);
            }
        }
        self.add_rigid_delassus(rows, &mut w);
        w
    }

    /// Velocities with the impulses, by P.
    fn respond_by(&mut self, rows: &[Row], lambda: &[f64], blocks: &Blocks) {
        for (s, blocks) in blocks.iter().enumerate() {
            let push = self.pushes(s, rows, lambda);
            for (u, (p, push)) in self.u[s].iter_mut().zip(blocks.iter().zip(&push)) {
                *u = along(*u, 1.0, apply(p, *push));
            }
        }
        self.respond_rigid(rows, lambda);
    }
}

impl SoftBody {
    /// Velocities at the end of a step with the elastic and damping forces of its start, without contacts (Andrews22 4.3.2).
    pub(crate) fn explicit(&mut self, h: f64, gravity: Vec3) -> Vec<Vec3> {
        let mut force = self.external(gravity);
        let mut elastic = vec![[0.0; 3]; force.len()];
        self.solid.gradient(self.positions(), &mut elastic);
        self.add_damping_at_start(h, &mut elastic);
        force.iter_mut().zip(&elastic).for_each(|(f, e)| *f = along(*f, -1.0, *e));
        let masses = self.inverse_masses();
        let free = self.velocities().iter().zip(masses.iter().zip(&force));
        free.map(|(v, (m, f))| along(*v, h, apply(m, *f))).collect()
    }

    /// M⁻¹, lumped; 0 where nodes are held.
    fn inverse_masses(&self) -> Vec<Mat3> {
        let mut masses = vec![[0.0; 3]; self.positions().len()];
        self.solid.add_mass(1.0, &vec![[1.0; 3]; masses.len()], &mut masses);
        let of = |(node, m): (usize, &Vec3)| {
            self.held(node, std::array::from_fn(|i| IDENTITY[i].map(|e| e / m[0])))
        };
        masses.iter().enumerate().map(of).collect()
    }

    /// Inverses of the blocks of A's diagonal, without what is held.
    fn inverse_diagonal(&self) -> Vec<Mat3> {
        let of = |(node, mut block): (usize, Mat3)| {
            for k in (0..3).filter(|&k| self.is_pinned(node, k)) {
                block[k] = IDENTITY[k];
                (0..3).filter(|&i| i != k).for_each(|i| block[i][k] = 0.0);
            }
            self.held(node, inverse(&block))
        };
        self.diagonal().into_iter().enumerate().map(of).collect()
    }

    /// The block with zeros where the node is held.
    fn held(&self, node: usize, mut block: Mat3) -> Mat3 {
        for k in (0..3).filter(|&k| self.is_pinned(node, k)) {
            block[k] = [0.0; 3];
            (0..3).for_each(|i| block[i][k] = 0.0);
        }
        block
    }
}

/// Of P A, by powers.
fn largest_eigenvalue(soft: &SoftBody, blocks: &[Mat3]) -> f64 {
    // (Nothing symmetric: that may be orthogonal to what is sought.)
    let start = |k: usize| [0, 1, 2].map(|a| ((3 * k + a) as f64 * 0.754_877_67).fract() - 0.5);
    let mut v: Vec<Vec3> = (0..blocks.len()).map(start).collect();
    let mut value = 1.0;
    for _ in 0..POWER_STEPS {
        let length = v.as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt();
        v.iter_mut().for_each(|v| *v = v.map(|x| x / length));
        let next: Vec<Vec3> =
            soft.apply_system(&v).iter().zip(blocks).map(|(f, p)| apply(p, *f)).collect();
        value = next.as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt();
        v = next;
    }
    value.max(1.0)
}
