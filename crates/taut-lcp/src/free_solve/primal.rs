//! The primal backend: K = M + J_Fᵀ E_F⁻¹ J_F, E = C + D, on the body graph.
//!
//! **Update**: (J M⁻¹ Jᵀ + E) x = r is the same as M v = Jᵀ x, J v + E x = r;
//! eliminating x gives K v = Jᵀ E⁻¹ r, x = E⁻¹ (r − J v).
//! **Cost**: order 6n whatever the number of rows; the pattern is that of the
//! body graph for every free set, so one analysis serves all pivots, and only
//! panels on the way from bodies whose rows have pivoted to the root are formed
//! and factored anew. A correction of impulses and velocities costs one
//! substitution and one pass over J.
//! **Fails** without refinement: at a compliance of 1e-10 of the diagonal K is
//! so ill-conditioned that x is wrong in the third digit. One step of *joint*
//! refinement, on both equations, restores the accuracy of the dual form;
//! refining x alone does not. Needs E > 0 on every free row.
//! **Reference**: the elimination is that of Andrews22 1.9 read backwards.
//!
//! How the solution on a face is found with it is in [`joint`].

mod joint;

use crate::linalg::several::Several;
use crate::linalg::supernodal::{Slot, Supernodal};
use crate::linalg::{Breakdown, Supernodes, compressed, last, minimum_degree, vectorized};
use crate::operator::mul6;
use crate::rounding::{REFINEMENTS, is_refined};
use crate::{Multibody, Row6, RowState};

/// Where the product of two bodies' Jacobians goes.
#[derive(Clone, Copy)]
struct Pair {
    group: u32,
    /// Which of the group's bodies gives the rows, and which the columns.
    row: u8,
    column: u8,
    slot: Slot,
}

#[derive(Default)]
pub(crate) struct Primal {
    /// Bodies that come last in the order of elimination.
    pub(super) late: Vec<u32>,
    pub(super) k: Supernodal,
    pub(super) several: Several,
    /// Pairs of bodies of all groups, panel by panel.
    pairs: Vec<Pair>,
    pair_ptr: Vec<usize>,
    /// Per body, its diagonal block.
    diagonal: Vec<Slot>,
    is_free: Vec<bool>,
    /// E⁻¹ of the free rows, and E.
    inverse_e: Vec<f64>,
    e: Vec<f64>,
    v: Vec<f64>,
    r1: Vec<f64>,
    r2: Vec<f64>,
    /// Whether v are the velocities of the last face.
    has_face: bool,
    /// J v, row by row.
    jv: Vec<f64>,
    /// What rounding may have left in J v.
    rounding: f64,
    /// M v − Jᵀ λ, body by body.
    missing: Vec<Row6>,
    /// A number per row, of no value afterwards.
    scaled: Vec<f64>,
    /// λ and E⁻¹ at the end of the last rough solution.
    last_lambda: Vec<f64>,
    last_inverse_e: Vec<f64>,
    /// √(2Aᵢᵢ): the factor from an error of M v − Jᵀ λ to that of row i, at most.
    reach: Vec<f64>,
}

impl Primal {
    /// Pattern of K for all rows, elimination order, groups of rows.
    pub fn analyse(&mut self, a: &Multibody) {
        let (col_ptr, row_idx) = body_graph(a);
        let order = minimum_degree(&col_ptr, &row_idx)
            .unwrap_or_else(|_| (0..a.body_count() as u32).collect());
        let order = last(order, |b| self.late.contains(&b));
        self.k.set_symbolic(Supernodes::new(&col_ptr, &row_idx, &order, 6));
        let k = &self.k;
        self.diagonal.clear();
        self.diagonal.extend((0..a.body_count()).map(|b| k.slot(6 * b, 6 * b)));
        self.pairs.clear();
        for (group, g) in a.groups().enumerate() {
            let bodies = g.bodies;
            for p in 0..bodies.len() {
                for q in p..bodies.len() {
                    let (low, high) = (6 * bodies[p] as usize, 6 * bodies[q] as usize);
                    // The lower triangle of the order of elimination.
                    let (row, column) = if k.is_before(low, high) { (q, p) } else { (p, q) };
                    let slot = k.slot(high, low);
                    let (row, column) = (row as u8, column as u8);
                    self.pairs.push(Pair { group: group as u32, row, column, slot });
                }
            }
        }
        // Panels lie one after the other.
        self.pairs.sort_by_key(|pair| pair.slot.at);
        self.pair_ptr.clear();
        let ends = (0..k.panels()).map(|s| k.panel_end(s));
        let pairs = &self.pairs;
        self.pair_ptr.push(0);
        self.pair_ptr.extend(ends.map(|end| pairs.partition_point(|pair| pair.slot.at < end)));
        self.refill(a);
    }

    /// Takes up new values.
    pub fn refill(&mut self, a: &Multibody) {
        self.k.touch_all();
        self.has_face = false;
        self.reach.clear();
        self.reach.extend((0..a.rows()).map(|i| (2.0 * a.diagonal_entry(i)).sqrt()));
    }

    /// Multiplications of one solve: to form K, to factor it, to refine.
    pub fn flops(&self) -> f64 {
        (3.0 * 36.0 + 6.0 * 24.0) * self.reach.len() as f64 + self.k.flops()
    }

    pub fn factor(&mut self, a: &Multibody, set: &[RowState], d: &[f64]) -> Result<(), Breakdown> {
        let m = a.rows();
        if self.inverse_e.len() != m {
            for v in [&mut self.scaled, &mut self.e, &mut self.inverse_e] {
                v.clear();
                v.resize(m, 0.0);
            }
            self.is_free.resize(m, false);
            self.k.touch_all();
        }
        let mut is_finite = true;
        for g in a.groups() {
            let mut has_changed = false;
            for i in g.rows.clone() {
                self.is_free[i] = set[i] == RowState::Free;
                self.e[i] = a.compliance()[i] + d[i];
                let inverse = if self.is_free[i] { 1.0 / self.e[i] } else { 0.0 };
                is_finite &= inverse.is_finite();
                has_changed |= std::mem::replace(&mut self.inverse_e[i], inverse) != inverse;
            }
            if has_changed {
                g.bodies.iter().for_each(|&b| self.k.touch(6 * b as usize));
            }
        }
        if !is_finite {
            self.k.touch_all();
            return Err(Breakdown);
        }
        self.assemble(a);
        self.k.factor()
    }

    /// Writes the panels that pivots reach.
    fn assemble(&mut self, a: &Multibody) {
        self.k.clear_stale();
        for (b, slot) in self.diagonal.iter().enumerate() {
            if self.k.is_stale(6 * b) {
                add_block(self.k.values_mut(), *slot, a.mass(b));
            }
        }
        vectorized(
            #[inline(always)]
            || {
                for s in 0..self.k.panels() {
                    if self.k.is_panel_stale(s) {
                        self.add_pairs(a, s);
                    }
                }
            },
        );
    }

    /// Adds the products of Jacobians to panel s.
    #[inline(always)]
    fn add_pairs(&mut self, a: &Multibody, s: usize) {
        let values = self.k.values_mut();
        for pair in &self.pairs[self.pair_ptr[s]..self.pair_ptr[s + 1]] {
            let g = a.group(pair.group as usize);
            let mut block = [[0.0; 6]; 6];
            let rows = g.on(pair.row as usize).zip(g.on(pair.column as usize));
            for ((row, column), &e) in rows.zip(&self.inverse_e[g.rows.clone()]) {
                if e != 0.0 {
                    add_outer(&mut block, row, column, e);
                }
            }
            add_block(values, pair.slot, &block);
        }
    }

    /// Begins a path: v becomes M⁻¹ Jᵀ λ.
    pub fn begin_path(&mut self, a: &Multibody, lambda: &[f64]) {
        self.has_face = false;
        a.velocities(lambda, &mut self.v);
    }

    /// Direction of the path: x = (A + D)⁻¹ r on free rows, and the step of v
    /// that goes with it. What the steps before left of M v = Jᵀ λ is made good
    /// in it, so that none of them needs refinement. `lambda` is given if it has
    /// moved since the last call.
    pub fn direction(&mut self, a: &Multibody, r: &[f64], lambda: Option<&[f64]>, x: &mut [f64]) {
        let scaled = self.scaled.iter_mut().zip(self.inverse_e.iter().zip(r));
        scaled.for_each(|(s, (e, r))| *s = e * r);
        self.missing.resize(a.body_count(), [0.0; 6]);
        self.r1.clear();
        self.r1.resize(self.v.len(), 0.0);
        let (r1, missing) = (self.r1.as_chunks_mut::<6>().0, &mut self.missing);
        vectorized(
            #[inline(always)]
            || {
                if lambda.is_some() {
                    for (b, v) in self.v.as_chunks::<6>().0.iter().enumerate() {
                        missing[b] = mul6(a.mass(b), v);
                    }
                }
                for k in 0..a.group_count() {
                    let g = a.group(k);
                    g.add_transposed(&self.scaled[g.rows.clone()], r1);
                    if let Some(lambda) = lambda {
                        g.subtract_transposed(&lambda[g.rows.clone()], missing);
                    }
                }
                for (r, p) in r1.iter_mut().zip(missing.iter()) {
                    (0..6).for_each(|k| r[k] -= p[k]);
                }
            },
        );
        self.k.solve(&mut self.r1);
        a.products(self.r1.as_chunks::<6>().0, 0, &mut self.scaled);
        for (i, x) in x.iter_mut().enumerate() {
            *x = self.inverse_e[i] * (r[i] - self.scaled[i]);
        }
    }

    /// Goes along the last direction.
    pub fn go(&mut self, alpha: f64) {
        self.v.iter_mut().zip(&self.r1).for_each(|(v, dv)| *v += alpha * dv);
    }

    /// Solves without refinement.
    pub fn solve_roughly(&mut self, a: &Multibody, r: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        self.has_face = false;
        self.v.clear();
        self.v.resize(6 * a.body_count(), 0.0);
        self.r1.clear();
        self.r1.resize(self.v.len(), 0.0);
        self.r2.clear();
        self.r2.extend((0..x.len()).map(|i| if self.is_free[i] { r[i] } else { 0.0 }));
        self.correct(a, x);
    }

    /// Solves with joint refinement; returns the number of refinement steps.
    pub fn solve(&mut self, a: &Multibody, r: &[f64], x: &mut [f64]) -> usize {
        self.solve_roughly(a, r, x);
        let free = (0..x.len()).filter(|&i| self.is_free[i]);
        let scale = free.fold(0.0_f64, |s, i| s.max(r[i].abs()));
        let mut last = f64::INFINITY;
        for step in 0..REFINEMENTS {
            self.residuals(a, r, x);
            let norm = self.r2.iter().fold(0.0_f64, |s, r| s.max(r.abs()));
            // One step always: r2 alone does not show the error of M v = Jᵀ x.
            if step > 0 && is_refined(norm, scale, last) {
                return step;
            }
            last = norm;
            self.correct(a, x);
        }
        REFINEMENTS
    }

    /// K dv = r1 + Jᵀ E⁻¹ r2; dx = E⁻¹ (r2 − J dv); adds both.
    fn correct(&mut self, a: &Multibody, x: &mut [f64]) {
        let scaled = self.scaled.iter_mut().zip(self.inverse_e.iter().zip(&self.r2));
        scaled.for_each(|(s, (e, r))| *s = e * r);
        a.add_transposed(&self.scaled, self.r1.as_chunks_mut::<6>().0);
        self.k.solve(&mut self.r1);
        a.products(self.r1.as_chunks::<6>().0, 0, &mut self.scaled);
        for (i, x) in x.iter_mut().enumerate() {
            *x += self.inverse_e[i] * (self.r2[i] - self.scaled[i]);
        }
        self.v.iter_mut().zip(&self.r1).for_each(|(v, dv)| *v += dv);
    }

    /// r1 = Jᵀ x − M v; r2 = r − J v − E x on free rows.
    fn residuals(&mut self, a: &Multibody, r: &[f64], x: &[f64]) {
        let (v, r1) = (self.v.as_chunks::<6>().0, self.r1.as_chunks_mut::<6>().0);
        for (b, r1) in r1.iter_mut().enumerate() {
            *r1 = mul6(a.mass(b), &v[b]).map(|p| -p);
        }
        a.add_transposed(x, r1);
        a.products(v, 0, &mut self.scaled);
        for i in (0..x.len()).filter(|&i| self.is_free[i]) {
            self.r2[i] = r[i] - self.scaled[i] - self.e[i] * x[i];
        }
    }
}

/// The lower triangle of the graph of bodies that share a row, compressed
/// columns.
fn body_graph(a: &Multibody) -> (Vec<u32>, Vec<u32>) {
    let mut columns: Vec<Vec<u32>> = (0..a.body_count() as u32).map(|b| vec![b]).collect();
    for g in a.groups() {
        for (p, &low) in g.bodies.iter().enumerate() {
            columns[low as usize].extend_from_slice(&g.bodies[p + 1..]);
        }
    }
    compressed(columns)
}

/// block[c][r] += s·row[r]·column[c]: columns one after the other, as in K.
#[inline(always)]
fn add_outer(block: &mut [[f64; 6]; 6], row: &Row6, column: &Row6, s: f64) {
    for c in 0..6 {
        let sc = s * column[c];
        for r in 0..6 {
            block[c][r] += sc * row[r];
        }
    }
}

/// Adds a block, given by columns. Of a diagonal block the upper triangle is
/// written too, but never read.
#[inline(always)]
fn add_block(values: &mut [f64], slot: Slot, block: &[[f64; 6]; 6]) {
    for (c, column) in block.iter().enumerate() {
        let target = &mut values[slot.at + c * slot.stride..][..6];
        target.iter_mut().zip(column).for_each(|(t, v)| *t += v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::free_solve::Depth;
    use crate::generate::{MultibodyOptions, multibody};
    use crate::{Operator, Problem};

    /// A factored primal form of a small system with every third row tight, and D.
    fn factored() -> (Primal, Problem, Vec<RowState>, Vec<f64>) {
        let options = MultibodyOptions { links: 4, pile: 6, mass_ratio: 1e2, compliance: 1e-6 };
        let problem = multibody(&options, 5).expect("valid");
        let m = problem.rows();
        let state = |i: usize| if i % 3 == 1 { RowState::Lower } else { RowState::Free };
        let set: Vec<RowState> = (0..m).map(state).collect();
        let d: Vec<f64> = (0..m).map(|i| 1e-3 * (i % 5) as f64).collect();
        let mut primal = Primal::default();
        let Operator::Multibody(a) = &problem.operator else { panic!("bodies") };
        primal.analyse(a);
        primal.factor(a, &set, &d).expect("compliant");
        (primal, problem, set, d)
    }

    /// The largest |(A + D)x − r| over free rows.
    fn residual(problem: &Problem, set: &[RowState], d: &[f64], x: &[f64], r: &[f64]) -> f64 {
        let mut ax = vec![0.0; x.len()];
        problem.operator.apply(x, &mut ax, &mut Vec::new());
        let free = (0..x.len()).filter(|&i| set[i] == RowState::Free);
        free.fold(0.0, |l: f64, i| l.max((ax[i] + d[i] * x[i] - r[i]).abs()))
    }

    #[test]
    fn solves_on_free_rows_and_refines() {
        let (mut primal, problem, set, d) = factored();
        let Operator::Multibody(a) = &problem.operator else { panic!("bodies") };
        let r: Vec<f64> = (0..set.len()).map(|i| (i as f64).sin()).collect();
        let mut x = vec![1.0; r.len()];
        primal.solve_roughly(a, &r, &mut x);
        let rough = residual(&problem, &set, &d, &x, &r);
        assert!(primal.solve(a, &r, &mut x) >= 1);
        let fine = residual(&problem, &set, &d, &x, &r);
        assert!(rough < 1e-2 && fine < 1e-9 && fine <= rough, "{rough:e}, {fine:e}");
        assert!((0..x.len()).all(|i| set[i] == RowState::Free || x[i] == 0.0));
    }

    /// Impulses and velocities together: g = Aλ + Dλ + β, zero on free rows.
    #[test]
    fn a_face_is_solved_with_its_velocities() {
        let (mut primal, problem, set, d) = factored();
        let Operator::Multibody(a) = &problem.operator else { panic!("bodies") };
        let tight = |i: usize| if set[i] == RowState::Free { 0.0 } else { 0.3 };
        let mut lambda: Vec<f64> = (0..set.len()).map(tight).collect();
        let mut g = vec![0.0; set.len()];
        let mut solve = |depth, lambda: &mut [f64], g: &mut [f64]| {
            primal.solve_face(a, &problem.b, 1e-11, depth, lambda, g).expect("finite")
        };
        assert_eq!(solve(Depth::Rough, &mut lambda, &mut g), (0, false), "not measured");
        let (refinements, is_met) = solve(Depth::Rest, &mut lambda, &mut g);
        assert!(is_met && refinements >= 1);
        let minus_b: Vec<f64> = problem.b.iter().map(|b| -b).collect();
        assert!(residual(&problem, &set, &d, &lambda, &minus_b) < 1e-10);
        let mut al = vec![0.0; set.len()];
        problem.operator.apply(&lambda, &mut al, &mut Vec::new());
        for i in 0..set.len() {
            assert!((al[i] + d[i] * lambda[i] + problem.b[i] - g[i]).abs() < 1e-9, "row {i}");
            assert!(set[i] == RowState::Free || lambda[i] == 0.3, "tight rows stay");
        }
    }

    /// Steps along a path leave v = M⁻¹ Jᵀ λ to rounding, though none is refined.
    #[test]
    fn a_path_corrects_itself() {
        let (mut primal, problem, set, d) = factored();
        let Operator::Multibody(a) = &problem.operator else { panic!("bodies") };
        let mut lambda = vec![0.0; set.len()];
        let (mut step, mut left) = (vec![0.0; set.len()], Vec::new());
        primal.begin_path(a, &lambda);
        for _ in 0..4 {
            let mut r = vec![0.0; set.len()];
            problem.operator.apply(&lambda, &mut r, &mut Vec::new());
            (0..r.len()).for_each(|i| r[i] = -(r[i] + d[i] * lambda[i] + problem.b[i]));
            primal.direction(a, &r, Some(&lambda), &mut step);
            primal.go(1.0);
            lambda.iter_mut().zip(&step).for_each(|(l, s)| *l += s);
            let minus_b: Vec<f64> = problem.b.iter().map(|b| -b).collect();
            left.push(residual(&problem, &set, &d, &lambda, &minus_b));
        }
        assert!(left[3] < 1e-9, "{left:?}");
    }
}
