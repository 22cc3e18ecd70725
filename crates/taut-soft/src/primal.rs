//! The primal form: velocities by a sparse matrix, without W.
//!
//! **Problem**: as in [`System`](crate::System), with compliance c: A z = Jᵀλ for the change z of velocities, and for each contact
//! λ ∈ K, w = b + J z + cλ, Coulomb's law between them.
//! **Update**: multipliers λ ← Π_K(λ − ρ(b + s + J z)) / (1 + ρc), where z is the least of ½ zᵀAz + Σ (1 + ρc) |λ(z)|²/2ρ, found by Newton
//! steps with A + JᵀHJ, H = ρ DΠ_K/(1 + ρc), one sparse Cholesky each (nodes and bodies in one fill-reducing order). The shift
//! s = μ|w_t| of normal rows makes the law of the cone Coulomb's (de Saxcé and Feng 1998); it follows the answer.
//! **Cost**: an analysis for each set of contacts, and a factorization per Newton step; no number that grows with the square of the rows.
//! **Fails**, and says so, where multipliers or the shift do not settle.
//! **Reference**: Hestenes 1969 (multipliers), Alart and Curnier 1991 (contacts).

use std::ops::Range;

use taut_lcp::{BlockCholesky, Law, Status};

use super::system::{Row, SystemReport, compliances, groups, product};
use crate::matrix::{Mat3, Vec3, dot};
use crate::{Error, System};

/// ρ, relative to the inverse of the diagonal of W. (Rounding of J z comes back ρ-fold in λ; less takes more rounds.)
const STIFFNESS: f64 = 1e5;
/// Rounds of multipliers, Newton steps of each, and halvings of a step.
const ROUNDS: usize = 200;
const NEWTON: usize = 60;
const HALVINGS: usize = 30;
/// What is left of contacts, relative to the speeds about, when rounds end, and what may be left when there are no more.
const SETTLED: f64 = 1e-13;
const ENOUGH: f64 = 1e-9;
/// What is left of the balance of a Newton iteration, relative to its terms.
const BALANCED: f64 = 1e-13;

/// Which numbers a law lets through.
#[derive(Clone, Copy)]
enum Set {
    All,
    Positive,
    Cone(f64),
}

/// A contact, or a row of an attachment.
struct Group {
    rows: Range<usize>,
    set: Set,
    /// Blocks of unknowns, and the rows of J in them, side by side.
    blocks: Vec<u32>,
    j: Vec<[Vec3; 3]>,
    /// Where the blocks of JᵀHJ are, those below the diagonal and on it, by pairs of `blocks`.
    places: Vec<(usize, usize, usize)>,
    rho: f64,
    compliance: f64,
}

/// The matrix and the rows of a problem.
struct Form {
    groups: Vec<Group>,
    /// Blocks of A, on the pattern.
    base: Vec<f64>,
    col_ptr: Vec<u32>,
    row_idx: Vec<u32>,
    kept: Vec<bool>,
    factor: BlockCholesky,
}

impl System {
    /// Impulses of the rows; the velocities at hand change by what they do.
    pub(crate) fn solve_primal(
        &mut self,
        rows: &[Row],
        laws: &[Law],
        report: &mut SystemReport,
    ) -> Result<Vec<f64>, Error> {
        let diagonal = self.diagonal_of_delassus(rows)?;
        let mut form = self.form(rows, laws, &diagonal)?;
        let b: Vec<f64> = rows.iter().map(|row| row.bias + self.speed(row)).collect();
        let scale = b.iter().fold(0.0_f64, |m, b| m.max(b.abs())).max(1e-300);
        let mut lambda = self.start(rows.len());
        let mut shift = vec![0.0; rows.len()];
        let mut z = vec![0.0; form.kept.len()];
        let mut left = f64::INFINITY;
        for _ in 0..ROUNDS {
            let shifted: Vec<f64> = b.iter().zip(&shift).map(|(b, s)| b + s).collect();
            report.passes += form.minimize(&shifted, &lambda, &mut z)?;
            let v = form.rates(&b, &z);
            left = form.follow(&shifted, &v, &z, &mut lambda, &mut shift) / scale;
            if left <= SETTLED || left.is_nan() {
                break;
            }
        }
        self.take_change(&z);
        report.residual = left * scale;
        report.status = if left.is_nan() {
            Status::NonFinite
        } else if left <= ENOUGH {
            Status::Converged
        } else {
            Status::Stalled
        };
        Ok(lambda)
    }

    /// The diagonal of W, eight rows at a time.
    fn diagonal_of_delassus(&mut self, rows: &[Row]) -> Result<Vec<f64>, Error> {
        let mut diagonal = vec![0.0; rows.len()];
        for (s, soft) in self.softs.iter_mut().enumerate() {
            let of: Vec<usize> = (0..rows.len()).filter(|&i| rows[i].soft == s).collect();
            for pack in of.chunks(8) {
                let n = pack.len();
                let mut part = vec![0.0; n * n];
                soft.factor_mut().add_inverse(n, |i| &rows[pack[i]].entries, &mut part)?;
                pack.iter().enumerate().for_each(|(k, &i)| diagonal[i] = part[k * n + k]);
            }
        }
        for (d, row) in diagonal.iter_mut().zip(rows) {
            *d += product(&row.j, &self.rigids[row.rigid].respond(&row.j));
        }
        Ok(diagonal)
    }

    /// The first block of each soft and rigid body; none for fixed ones.
    fn first_blocks(&self) -> (Vec<u32>, Vec<Option<u32>>, u32) {
        let mut next = 0;
        let mut take = |count: usize| {
            next += count as u32;
            next - count as u32
        };
        let softs = self.softs.iter().map(|s| take(s.positions().len())).collect();
        let rigids = self.rigids.iter().map(|r| (!r.is_fixed()).then(|| take(2))).collect();
        (softs, rigids, next)
    }

    fn form(&self, rows: &[Row], laws: &[Law], diagonal: &[f64]) -> Result<Form, Error> {
        let (softs, rigids, count) = self.first_blocks();
        let compliances = compliances(laws, diagonal);
        let mut all = Vec::new();
        for (law, range) in laws.iter().zip(groups(laws)) {
            let largest = diagonal[range.clone()].iter().fold(0.0_f64, |m, d| m.max(*d));
            let set = match law {
                Law::Cone { mu, .. } => Set::Cone(mu[0]),
                Law::Bilateral => Set::All,
                _ => Set::Positive,
            };
            let rho = STIFFNESS / if largest > 0.0 { largest } else { 1.0 };
            let compliance = compliances[range.start];
            let (mut blocks, mut j): (Vec<u32>, Vec<[Vec3; 3]>) = (Vec::new(), Vec::new());
            for (k, row) in rows[range.clone()].iter().enumerate() {
                let mut add = |block: u32, axis: usize, value: f64| {
                    let at = blocks.iter().position(|b| *b == block).unwrap_or_else(|| {
                        blocks.push(block);
                        j.push([[0.0; 3]; 3]);
                        blocks.len() - 1
                    });
                    j[at][k][axis] += value;
                };
                for &(i, value) in &row.entries {
                    add(softs[row.soft] + i / 3, i as usize % 3, value);
                }
                if let Some(first) = rigids[row.rigid] {
                    (0..6).for_each(|i| add(first + i / 3, i as usize % 3, row.j[i as usize]));
                }
            }
            let places = Vec::new();
            all.push(Group { rows: range, set, blocks, j, places, rho, compliance });
        }
        let (col_ptr, row_idx) = self.joint_pattern(&softs, count, &all);
        let place = |i: u32, j: u32| {
            let column = col_ptr[j as usize] as usize..col_ptr[j as usize + 1] as usize;
            column.start + row_idx[column].binary_search(&i).unwrap_or(0)
        };
        for group in &mut all {
            for a in 0..group.blocks.len() {
                for b in 0..group.blocks.len() {
                    if group.blocks[a] >= group.blocks[b] {
                        group.places.push((a, b, place(group.blocks[a], group.blocks[b])));
                    }
                }
            }
        }
        let mut base = vec![0.0; 9 * row_idx.len()];
        let mut kept = vec![true; 3 * count as usize];
        for (soft, &first) in self.softs.iter().zip(&softs) {
            let (own_ptr, own_idx) = soft.solid().pattern();
            for j in 0..own_ptr.len() - 1 {
                (0..3).for_each(|k| kept[3 * (first as usize + j) + k] = !soft.is_pinned(j, k));
                for k in own_ptr[j] as usize..own_ptr[j + 1] as usize {
                    let to = 9 * place(first + own_idx[k], first + j as u32);
                    base[to..to + 9].copy_from_slice(&soft.system()[9 * k..9 * k + 9]);
                }
            }
        }
        for (rigid, first) in self.rigids.iter().zip(&rigids) {
            let Some(first) = *first else { continue };
            for (part, block) in rigid.masses().iter().enumerate() {
                let to = 9 * place(first + part as u32, first + part as u32);
                base[to..to + 9].copy_from_slice(block.as_flattened());
            }
        }
        let factor = BlockCholesky::new(&col_ptr, &row_idx, 3)?;
        Ok(Form { groups: all, base, col_ptr, row_idx, kept, factor })
    }

    /// Blocks of A and of products of rows that share unknowns.
    fn joint_pattern(&self, softs: &[u32], count: u32, groups: &[Group]) -> (Vec<u32>, Vec<u32>) {
        let mut columns: Vec<Vec<u32>> = (0..count).map(|j| vec![j]).collect();
        for (soft, &first) in self.softs.iter().zip(softs) {
            let (own_ptr, own_idx) = soft.solid().pattern();
            for j in 0..own_ptr.len() - 1 {
                let rows = &own_idx[own_ptr[j] as usize..own_ptr[j + 1] as usize];
                columns[first as usize + j].extend(rows.iter().map(|i| first + i));
            }
        }
        for group in groups {
            for &j in &group.blocks {
                columns[j as usize].extend(group.blocks.iter().filter(|i| **i > j));
            }
        }
        let (mut col_ptr, mut row_idx) = (vec![0], Vec::new());
        for column in &mut columns {
            column.sort_unstable();
            column.dedup();
            row_idx.extend_from_slice(column);
            col_ptr.push(row_idx.len() as u32);
        }
        (col_ptr, row_idx)
    }

    fn take_change(&mut self, z: &[f64]) {
        let (softs, rigids, _) = self.first_blocks();
        for (u, first) in self.u.iter_mut().zip(softs) {
            let change = &z[3 * first as usize..];
            u.as_flattened_mut().iter_mut().zip(change).for_each(|(u, z)| *u += z);
        }
        for (v, first) in self.v.iter_mut().zip(rigids) {
            let Some(first) = first else { continue };
            v.iter_mut().zip(&z[3 * first as usize..]).for_each(|(v, z)| *v += z);
        }
    }
}

impl Form {
    /// b + J z
    fn rates(&self, b: &[f64], z: &[f64]) -> Vec<f64> {
        let mut v = b.to_vec();
        for group in &self.groups {
            for (&block, j) in group.blocks.iter().zip(&group.j) {
                let z = node(z, block);
                group.rows.clone().zip(j).for_each(|(i, j)| v[i] += dot(*j, z));
            }
        }
        v
    }

    /// λ(z) of a group, and how far it is from λ − ρv, to make H of.
    fn multiplier(group: &Group, lambda: &[f64], v: &[f64]) -> (Vec3, Mat3) {
        let mut a = [0.0; 3];
        for (k, i) in group.rows.clone().enumerate() {
            a[k] = lambda[i] - group.rho * v[i];
        }
        let (mut p, mut d) = project(group.set, a);
        let soft = 1.0 / (1.0 + group.rho * group.compliance);
        p = p.map(|p| soft * p);
        d = d.map(|row| row.map(|d| soft * group.rho * d));
        (p, d)
    }

    /// ½ zᵀAz + Σ (1 + ρc) |λ(z)|²/2ρ, and its gradient.
    fn value(&self, b: &[f64], lambda: &[f64], z: &[f64]) -> (f64, Vec<f64>, f64) {
        let mut g = self.product(z);
        let mut value = 0.5 * g.iter().zip(z).map(|(g, z)| g * z).sum::<f64>();
        let mut largest = g.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        let v = self.rates(b, z);
        for group in &self.groups {
            let (p, _) = Self::multiplier(group, lambda, &v);
            value += 0.5 * dot(p, p) * (1.0 + group.rho * group.compliance) / group.rho;
            for (&block, j) in group.blocks.iter().zip(&group.j) {
                for a in 0..3 {
                    let force: f64 = (0..group.rows.len()).map(|k| j[k][a] * p[k]).sum();
                    largest = largest.max(force.abs());
                    g[3 * block as usize + a] -= force;
                }
            }
        }
        g.iter_mut().zip(&self.kept).filter(|(_, kept)| !**kept).for_each(|(g, _)| *g = 0.0);
        (value, g, largest)
    }

    /// A z
    fn product(&self, z: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; z.len()];
        for j in 0..self.col_ptr.len() - 1 {
            for k in self.col_ptr[j] as usize..self.col_ptr[j + 1] as usize {
                let (i, block) = (self.row_idx[k] as usize, &self.base[9 * k..9 * k + 9]);
                for r in 0..3 {
                    for c in 0..3 {
                        out[3 * i + r] += block[3 * r + c] * z[3 * j + c];
                        if i != j {
                            out[3 * j + c] += block[3 * r + c] * z[3 * i + r];
                        }
                    }
                }
            }
        }
        out
    }

    /// Newton steps to the least value; how many.
    fn minimize(&mut self, b: &[f64], lambda: &[f64], z: &mut Vec<f64>) -> Result<usize, Error> {
        let (mut value, mut g, mut terms) = self.value(b, lambda, z);
        for step in 0..NEWTON {
            let left = g.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
            if left <= BALANCED * terms || !left.is_finite() {
                return Ok(step);
            }
            let mut values = self.base.clone();
            let v = self.rates(b, z);
            for group in &self.groups {
                add_hessian(group, &Self::multiplier(group, lambda, &v).1, &mut values);
            }
            let kept = &self.kept;
            self.factor.factor(&values, |i| kept[i])?;
            self.factor.solve(&mut g);
            let slope: f64 = g.iter().map(|d| d * d).sum();
            let mut share = 1.0;
            let mut next;
            let mut tried;
            loop {
                next = z.iter().zip(&g).map(|(z, d)| z - share * d).collect::<Vec<f64>>();
                tried = self.value(b, lambda, &next);
                if tried.0 <= value + 1e-13 * value.abs() || share < 0.5_f64.powi(HALVINGS as i32) {
                    break;
                }
                share *= 0.5;
            }
            let stuck = slope == 0.0 || tried.1.iter().fold(0.0_f64, |m, g| m.max(g.abs())) >= left;
            *z = next;
            (value, g, terms) = tried;
            // Rounding: the balance no longer improves, and the value neither.
            if stuck && (share < 1.0 || left <= 1e-9 * terms) {
                return Ok(step + 1);
            }
        }
        Ok(NEWTON)
    }

    /// New multipliers and shifts; how far rows are from their laws \[m/s\].
    fn follow(
        &self,
        shifted: &[f64],
        v: &[f64],
        z: &[f64],
        lambda: &mut [f64],
        shift: &mut [f64],
    ) -> f64 {
        let with = self.rates(shifted, z);
        let mut left = 0.0_f64;
        for group in &self.groups {
            let (p, _) = Self::multiplier(group, lambda, &with);
            for (k, i) in group.rows.clone().enumerate() {
                let change = (p[k] - lambda[i]).abs() / group.rho;
                left = if change.is_nan() { change } else { left.max(change) };
                lambda[i] = p[k];
            }
            if let Set::Cone(mu) = group.set {
                let n = group.rows.start;
                let w = |i: usize| v[i] + group.compliance * lambda[i];
                let new = mu * w(n + 1).hypot(w(n + 2));
                // Contacts that let go have nothing to shift.
                let new = if p == [0.0; 3] { 0.0 } else { new };
                left = left.max((new - shift[n]).abs());
                shift[n] = new;
            }
        }
        left
    }
}

fn node(z: &[f64], block: u32) -> Vec3 {
    let at = 3 * block as usize;
    [z[at], z[at + 1], z[at + 2]]
}

/// values += JᵀHJ
fn add_hessian(group: &Group, h: &Mat3, values: &mut [f64]) {
    let rows = group.rows.len();
    for &(a, b, place) in &group.places {
        let (ja, jb) = (&group.j[a], &group.j[b]);
        let block = &mut values[9 * place..9 * place + 9];
        for k in 0..rows {
            for l in (0..rows).filter(|&l| h[k][l] != 0.0) {
                for r in 0..3 {
                    (0..3).for_each(|c| block[3 * r + c] += ja[k][r] * h[k][l] * jb[l][c]);
                }
            }
        }
    }
}

/// The nearest point of the set, and its derivative.
fn project(set: Set, a: Vec3) -> (Vec3, Mat3) {
    let one = |on: bool| if on { 1.0 } else { 0.0 };
    match set {
        Set::All => ([a[0], 0.0, 0.0], [[1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]]),
        Set::Positive => {
            ([a[0].max(0.0), 0.0, 0.0], [[one(a[0] > 0.0), 0.0, 0.0], [0.0; 3], [0.0; 3]])
        }
        Set::Cone(mu) => {
            let t = a[1].hypot(a[2]);
            if t <= mu * a[0] {
                return (a, crate::matrix::IDENTITY);
            }
            if mu * t <= -a[0] || t == 0.0 {
                return ([0.0; 3], [[0.0; 3]; 3]);
            }
            let s = (a[0] + mu * t) / (1.0 + mu * mu);
            let e = [a[1] / t, a[2] / t];
            let g = [1.0, mu * e[0], mu * e[1]].map(|g| g / (1.0 + mu * mu).sqrt());
            let across = mu * s / t;
            let turn = |i: usize, j: usize| match (i, j) {
                (0, _) | (_, 0) => 0.0,
                _ => across * (one(i == j) - e[i - 1] * e[j - 1]),
            };
            let d = std::array::from_fn(|i| std::array::from_fn(|j| g[i] * g[j] + turn(i, j)));
            ([s, mu * s * e[0], mu * s * e[1]], d)
        }
    }
}
