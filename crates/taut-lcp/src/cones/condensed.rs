//! Joints condensed: what is left of a multibody problem for its contacts alone.
//!
//! **Problem**: rows A without bounds (joints) and rows B with laws (cones, boxes). Whatever λ_B is, λ_A
//! follows from w_A = 0, so w_B = S λ_B + b′ with S = J_B K⁻¹ J_Bᵀ + C_B and
//! K = M + J_Aᵀ C_A⁻¹ J_A: a small dense problem, whose entries say what a contact feels of
//! all that hangs on it. A net of 926 bodies with 65 contacts has 195 rows then, not 6,000.
//! **Update**: [`Condensed::settle`] finds λ_A and w for the λ_B at hand with the matrix as
//! given; [`Condensed::pose`] sets b′ = w_B − S λ_B, so that errors of S (K is
//! ill-conditioned) act on the change of λ_B alone, and a second round makes them good.
//! **Cost**: one factorization of the joints' graph and as many substitutions as B has rows.
//! **Fails** where joints contradict one another: then `settle` says so.
//! **Reference**: Peiret19 eq. 24 (the matrix S).

use super::model::JOINT;
use crate::free_solve::{FreeSolve, Ports};
use crate::{Dense, Law, Multibody, Operator, Problem, RowState};

/// Corrections of λ_A at most.
const CORRECTIONS: usize = 4;
/// Share of the tolerance down to which they lead.
const FINE: f64 = 1e-2;
/// A problem is condensed if factoring the small dense matrix takes fewer multiplications than this times those of
/// the whole: \[0\] without joints, \[1\] with joints. (With joints, ms per frame of `spinner` and `trucks`: 4 takes 117 and 234, 16 91 and 183, 64 74
/// and 170, but `winch` 9 in place of 4. Without them, `boxes`: 4 takes 17, 16 and 64 26.)
const WORTH: [f64; 2] = [4.0, 16.0];
/// Multiplications that a row of the whole takes beside its factor.
const PER_ROW: f64 = 300.0;

pub(super) struct Condensed {
    /// A and B.
    joints: Vec<u32>,
    rows: Vec<u32>,
    /// All bodies.
    bodies: Vec<u32>,
    whole: Problem,
    free: FreeSolve,
    set: Vec<RowState>,
    shift: Vec<f64>,
    ports: Ports,
    columns: Vec<u32>,
    /// The problem of B.
    pub small: Problem,
    pub w: Vec<f64>,
    pub diagonal: Vec<f64>,
    /// λ_B; r_A and its answer.
    pub lambda: Vec<f64>,
    r: Vec<f64>,
    dx: Vec<f64>,
    scratch: Vec<f64>,
}

impl Default for Condensed {
    fn default() -> Self {
        let none = || Problem {
            operator: Operator::Multibody(Multibody::default()),
            b: Vec::new(),
            laws: Vec::new(),
        };
        let small = Problem { operator: Operator::Dense(Dense::identity(0)), ..none() };
        Condensed {
            joints: Vec::new(),
            rows: Vec::new(),
            bodies: Vec::new(),
            whole: none(),
            free: FreeSolve::new(None),
            set: Vec::new(),
            shift: Vec::new(),
            ports: Ports::default(),
            columns: Vec::new(),
            small,
            w: Vec::new(),
            diagonal: Vec::new(),
            lambda: Vec::new(),
            r: Vec::new(),
            dx: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

impl Condensed {
    /// Condenses a problem; `false` where that does not pay or cannot be done.
    pub fn take(&mut self, problem: &Problem) -> bool {
        let Operator::Multibody(a) = &problem.operator else { return false };
        self.divide(problem);
        let worth = WORTH[usize::from(!self.joints.is_empty())];
        if self.least_work() > worth * self.most_work(a) {
            return false;
        }
        self.bodies.clear();
        self.bodies.extend(0..a.body_count() as u32);
        if let Operator::Multibody(own) = &mut self.whole.operator {
            own.fill_from(a, &self.bodies, &self.joints, &self.bodies);
        }
        self.whole.b.clear();
        self.whole.b.resize(self.joints.len(), 0.0);
        self.whole.laws.clear();
        self.whole.laws.resize(self.joints.len(), Law::Bilateral);
        let mut factor = 0.0;
        if !self.joints.is_empty() {
            self.free.prepare(&self.whole);
            factor = self.free.work().0;
        }
        if self.least_work() > worth * (2.0 * factor + PER_ROW * a.rows() as f64) {
            return false;
        }
        self.diagonal.clear();
        self.diagonal.resize(a.rows(), 0.0);
        a.diagonal(&mut self.diagonal);
        self.set.clear();
        self.set.resize(self.joints.len(), RowState::Free);
        self.shift.clear();
        for &i in &self.joints {
            let least = JOINT * self.diagonal[i as usize];
            self.shift.push((least - a.compliance()[i as usize]).max(0.0));
        }
        let is_held = !self.joints.is_empty();
        if is_held && self.free.factor(&self.whole, &self.set, &self.shift).is_err() {
            return false;
        }
        self.fill_small(problem, a);
        for v in [&mut self.w, &mut self.scratch] {
            v.clear();
            v.resize(a.rows(), 0.0);
        }
        for v in [&mut self.r, &mut self.dx] {
            v.clear();
            v.resize(self.joints.len(), 0.0);
        }
        true
    }

    /// Rows without bounds, and rows with laws. (Of those whose λ is fixed neither knows.)
    fn divide(&mut self, problem: &Problem) {
        self.joints.clear();
        self.rows.clear();
        for (i, law) in problem.laws_by_row() {
            let (lo, hi) = law.bounds();
            if law.rows() == 1 && lo == f64::NEG_INFINITY && hi == f64::INFINITY {
                self.joints.push(i as u32);
            } else if lo < hi {
                self.rows.extend((i..i + law.rows()).map(|i| i as u32));
            }
        }
    }

    /// Multiplications of one factorization of S.
    fn least_work(&self) -> f64 {
        (self.rows.len() as f64).powi(3) / 3.0
    }

    /// Those of one of the whole, if its graph were full.
    fn most_work(&self, a: &Multibody) -> f64 {
        (6.0 * a.body_count() as f64).powi(3) + PER_ROW * a.rows() as f64
    }

    fn fill_small(&mut self, problem: &Problem, a: &Multibody) {
        let n = self.rows.len();
        self.ports.clear();
        for &i in &self.rows {
            let (bodies, rows) = a.row(i as usize);
            self.ports.push(bodies.iter().zip(rows).map(|(&b, j)| (b, *j)));
        }
        self.columns.clear();
        self.columns.extend(0..n as u32);
        if let Operator::Dense(s) = &mut self.small.operator {
            s.reshape(n);
            if self.joints.is_empty() {
                self.ports.bare(a, &self.columns, s.values_mut());
            } else {
                self.free.reserve_effective(n);
                self.free.effective(&self.whole, &self.ports, &self.columns, s.values_mut());
            }
            for p in 0..n {
                let values = s.values_mut();
                for q in 0..p {
                    let mean = 0.5 * (values[p * n + q] + values[q * n + p]);
                    (values[p * n + q], values[q * n + p]) = (mean, mean);
                }
                values[p * n + p] += a.compliance()[self.rows[p] as usize];
            }
        }
        self.small.b.clear();
        self.small.b.resize(n, 0.0);
        self.lambda.clear();
        self.lambda.resize(n, 0.0);
        self.small.laws.clear();
        for (_, law) in problem.laws_by_row() {
            let (lo, hi) = law.bounds();
            if law.rows() > 1 {
                self.small.laws.push(*law);
            } else if lo < hi && !(lo == f64::NEG_INFINITY && hi == f64::INFINITY) {
                self.small.laws.push(Law::Box { lo, hi });
            }
        }
    }

    /// Finds λ_A for the λ_B at hand, and w; returns max|w_A|.
    pub fn settle(&mut self, problem: &Problem, lambda: &mut [f64], tolerance: f64) -> f64 {
        let enough = FINE * tolerance * problem.scale();
        let mut last = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            let missing = self.measure(problem, lambda);
            if missing <= enough || missing > 0.5 * last || self.joints.is_empty() {
                return missing;
            }
            last = missing;
            self.free.solve(&self.whole, &self.r, &mut self.dx);
            for (&i, dx) in self.joints.iter().zip(&self.dx) {
                lambda[i as usize] += dx;
            }
        }
        self.measure(problem, lambda)
    }

    /// w of λ, and r = −w_A; returns its size.
    fn measure(&mut self, problem: &Problem, lambda: &[f64]) -> f64 {
        problem.operator.apply(lambda, &mut self.w, &mut self.scratch);
        self.w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
        let mut size = 0.0_f64;
        for (&i, r) in self.joints.iter().zip(&mut self.r) {
            *r = -self.w[i as usize];
            size = size.max(r.abs());
        }
        if size.is_finite() { size } else { f64::INFINITY }
    }

    /// Sets b′, and the start, for the λ that was settled last.
    pub fn pose(&mut self, lambda: &[f64]) {
        for (own, &i) in self.lambda.iter_mut().zip(&self.rows) {
            *own = lambda[i as usize];
        }
        self.small.operator.apply(&self.lambda, &mut self.small.b, &mut self.scratch);
        for (b, &i) in self.small.b.iter_mut().zip(&self.rows) {
            *b = self.w[i as usize] - *b;
        }
    }

    /// Hands over the answer of the small problem.
    pub fn put(&self, lambda: &mut [f64]) {
        for (own, &i) in self.lambda.iter().zip(&self.rows) {
            lambda[i as usize] = *own;
        }
    }

    /// The diagonal by which the judge measures the rows of B.
    pub fn judged(&self) -> impl Iterator<Item = f64> {
        self.rows.iter().map(|&i| self.diagonal[i as usize])
    }
}
