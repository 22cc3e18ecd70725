//! One subsystem: its bodies, the rows that act on nothing else, and what the
//! interface feels of it.
//!
//! **Problem**: Peiret19 eq. 16, the rows of the subsystem for given impulses
//! λ_Γ at the interface. **Update**: block pivoting, which keeps its factor;
//! with it the inverse effective mass at the interface (eq. 24) is computed
//! anew where the free set has changed since.
//! **Cost**: that of pivoting, and a substitution per row of the interface.

use super::partition::UNBOUNDED;
use crate::free_solve::Ports;
use crate::operator::{dot6, mul6};
use crate::pivoting::bpp::{self, Effort, Exit, Pivoting};
use crate::pivoting::face::{Face, Role};
use crate::pivoting::ladder::{Ladder, Rung};
use crate::pivoting::proximal::Round;
use crate::{Counts, Iterate, Law, Multibody, Operator, Problem, Row6, RowState, Status, Stop};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Share of rows, and least number of them, from which on a start is far off: by trial on
/// `chain-drop`; the golden counts have none.
const FAR: f64 = 0.05;
const MANY: usize = 10;

/// What the interface is told of a subsystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feel {
    /// Its inverse effective mass with the free rows held: S_Γ.
    Effective,
    /// The mass of the bodies alone: A_Γ.
    Bare,
}

pub(super) struct Subsystem {
    pub bodies: Vec<u32>,
    /// Its rows, and the rows of the interface that act on it (places in Γ).
    pub rows: Vec<u32>,
    pub gamma: Vec<u32>,
    problem: Problem,
    /// b without the impulses of the interface.
    b: Vec<f64>,
    face: Face,
    pivoting: Pivoting,
    iterate: Iterate,
    /// For when pivoting wanders.
    ladder: Option<Box<Ladder>>,
    climbed: Iterate,
    ports: Ports,
    /// Bodies at the interface, and rows that act on some of them.
    border: Vec<u32>,
    near: Vec<u32>,
    /// Impulses, then velocities, of the border; others stay zero.
    push: Vec<Row6>,
    v: Vec<Row6>,
    /// Columns of the matrix felt at the interface, which of them are known,
    /// and the free set they were made for.
    pub s: Vec<f64>,
    pub known: Vec<bool>,
    /// Whether they were made for another free set when the interface used them.
    pub has_changed: bool,
    felt: Vec<bool>,
    columns: Vec<u32>,
    /// What the columns make of a change at the interface, and at how many
    /// multiplications.
    pub response: Vec<f64>,
    pub responded: f64,
    /// J_Γ v: its part of the velocities of interface rows.
    pub w: Vec<f64>,
    /// Whether w is that of the last solve, up to what was loaded since.
    is_measured: bool,
    /// What the last solve did, and what all did before it.
    pub outcome: Turn,
    before: Counts,
}

/// What happened in one turn.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    pub end: TurnEnd,
    /// Whether many of its rows violate their laws at the start.
    pub is_far: bool,
    pub pivots: usize,
    pub factorizations: usize,
    /// Multiplications, roughly.
    pub work: f64,
}

/// How it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TurnEnd {
    #[default]
    Solved,
    /// No answer.
    Failed,
    /// No answer, but one can be found: pivoting wandered, and the ladder goes on.
    Wandered,
}

impl TurnEnd {
    fn of(solved: bool) -> Self {
        if solved { TurnEnd::Solved } else { TurnEnd::Failed }
    }
}

impl Subsystem {
    pub fn new(settings: &bpp::Settings) -> Self {
        let operator = Operator::Multibody(Multibody::default());
        let mut face = Face::new(settings.backend, None);
        face.role = Role::Subsystem;
        Subsystem {
            bodies: Vec::new(),
            rows: Vec::new(),
            gamma: Vec::new(),
            problem: Problem { operator, b: Vec::new(), laws: Vec::new() },
            b: Vec::new(),
            face,
            pivoting: Pivoting::new(settings),
            iterate: Iterate::default(),
            ladder: None,
            climbed: Iterate::default(),
            ports: Ports::default(),
            border: Vec::new(),
            near: Vec::new(),
            push: Vec::new(),
            v: Vec::new(),
            s: Vec::new(),
            known: Vec::new(),
            has_changed: false,
            felt: Vec::new(),
            columns: Vec::new(),
            response: Vec::new(),
            responded: 0.0,
            w: Vec::new(),
            is_measured: false,
            outcome: Turn::default(),
            before: Counts::default(),
        }
    }

    /// Takes its bodies, rows and ports out of the whole, the structure only if
    /// it is `new`.
    pub fn fill(
        &mut self,
        (whole, a): (&Problem, &Multibody),
        interface: &[u32],
        local: &[u32],
        new: bool,
    ) {
        let Subsystem { problem, ports, .. } = self;
        match &mut problem.operator {
            Operator::Multibody(own) if new => own.fill_from(a, &self.bodies, &self.rows, local),
            Operator::Multibody(own) => own.refill_from(a, &self.bodies, &self.rows),
            _ => {}
        }
        self.b.clear();
        self.b.extend(self.rows.iter().map(|&i| whole.b[i as usize]));
        problem.b.clone_from(&self.b);
        problem.laws.clear();
        problem.laws.extend(self.rows.iter().map(|&i| {
            let (lo, hi) = whole.laws[i as usize].bounds();
            Law::Box { lo, hi }
        }));
        ports.clear();
        let mine = |b: u32| self.bodies.get(local[b as usize] as usize) == Some(&b);
        for &g in &self.gamma {
            let (bodies, rows) = a.row(interface[g as usize] as usize);
            let parts = bodies.iter().zip(rows).filter(|(b, _)| mine(**b));
            ports.push(parts.map(|(&b, j)| (local[b as usize], *j)));
        }
        if new {
            self.find_border();
            self.find_late(whole, interface);
            self.face.prepare(&self.problem);
        } else {
            self.face.refill(&self.problem);
        }
        self.pivoting.prepare(&self.problem, &mut self.face);
        self.felt.clear();
        self.known.clear();
        self.known.resize(self.gamma.len(), false);
        self.s.resize(self.gamma.len() * self.gamma.len(), 0.0);
        self.columns.clear();
        self.columns.reserve(self.gamma.len());
        self.felt.reserve(self.rows.len());
        // A cold start has no index set, the next one has.
        self.iterate.set.clear();
        self.iterate.set.reserve(self.rows.len());
    }

    /// Joints between subsystems stay; contacts come and go, and would ask for a
    /// new analysis every time.
    fn find_late(&mut self, whole: &Problem, interface: &[u32]) {
        let late = &mut self.face.free_solve.late;
        late.clear();
        for (p, &g) in self.gamma.iter().enumerate() {
            if whole.laws[interface[g as usize] as usize].bounds() == UNBOUNDED {
                late.extend(self.ports.row(p).map(|(b, _)| b as u32));
            }
        }
        late.sort_unstable();
        late.dedup();
    }

    fn find_border(&mut self) {
        let Operator::Multibody(own) = &self.problem.operator else { return };
        self.border.clear();
        self.border.extend(self.ports.bodies().map(|b| b as u32));
        self.border.sort_unstable();
        self.border.dedup();
        for v in [&mut self.push, &mut self.v] {
            v.clear();
            v.resize(self.bodies.len(), [0.0; 6]);
        }
        self.w.resize(self.gamma.len(), 0.0);
        self.response.resize(self.gamma.len(), 0.0);
        // Marks the border for a moment.
        self.border.iter().for_each(|&b| self.v[b as usize][0] = 1.0);
        self.near.clear();
        let at_border =
            |i: &u32| own.row(*i as usize).0.iter().any(|&b| self.v[b as usize][0] > 0.0);
        self.near.extend((0..own.rows() as u32).filter(at_border));
        self.border.iter().for_each(|&b| self.v[b as usize][0] = 0.0);
    }

    /// Whether the rows may be redundant: then the interface would need the
    /// inverse of a singular matrix.
    pub fn needs_shift(&self) -> bool {
        crate::pivoting::face::needs_shift(&self.problem, &self.face.diagonal)
    }

    /// Multiplications of its factorization, and of the columns of the rows that
    /// are free at the interface.
    pub fn expected(&self, interface: &[RowState]) -> (f64, f64) {
        let is_free = |g: &&u32| interface[**g as usize] == RowState::Free;
        let (factor, substitution) = self.face.free_solve.work();
        (factor, self.gamma.iter().filter(is_free).count() as f64 * substitution)
    }

    /// Takes over its part of a start, and answers to it without pivoting. If
    /// `knows_w` the start comes with its w.
    pub fn start(
        &mut self,
        whole: &Iterate,
        lambda: &[f64],
        (stop, scale): (&Stop, f64),
        knows_w: bool,
    ) {
        self.iterate.lambda.clear();
        self.iterate.lambda.extend(self.rows.iter().map(|&i| whole.lambda[i as usize]));
        self.iterate.set.clear();
        if whole.set.len() == whole.lambda.len() {
            self.iterate.set.extend(self.rows.iter().map(|&i| whole.set[i as usize]));
        }
        self.outcome = Turn::default();
        self.load(lambda);
        let stop = relative(stop, scale, &self.problem);
        self.face.start(&self.problem, &stop, usize::MAX, &self.iterate);
        let Subsystem { face, problem, iterate, .. } = self;
        if knows_w {
            let own = face.w.iter_mut().zip(&self.rows);
            own.for_each(|(w, &i)| *w = whole.w[i as usize]);
        }
        let solved = face.solve_once(problem, &mut iterate.lambda, knows_w).is_ok();
        self.outcome.end = TurnEnd::of(solved);
        let (rows, lambda) = (self.rows.len(), &self.iterate.lambda);
        let wrong = (0..rows).filter(|&i| self.face.violation(i, lambda[i]).is_some()).count();
        self.outcome.is_far = wrong as f64 > FAR * rows as f64 && wrong >= MANY;
        self.is_measured = false;
        self.before = Counts::default();
        self.finish();
    }

    /// Solves its own problem for these impulses at the interface.
    pub fn turn(&mut self, lambda: &[f64]) {
        self.load(lambda);
        self.face.note_given();
        self.before = self.face.counts;
        self.face.counts.pivots = 0;
        let Subsystem { face, pivoting, problem, iterate, .. } = self;
        let exit = if self.is_measured && face.is_solved(&iterate.lambda) {
            Exit::Solved // what the interface changed does not matter here
        } else {
            pivoting.run(&mut Round { face, problem, iterate, probe: &mut () }, Effort::Full)
        };
        self.is_measured = exit == Exit::Solved;
        self.outcome.end =
            if exit.wanders() { TurnEnd::Wandered } else { TurnEnd::of(exit == Exit::Solved) };
        self.finish();
    }

    /// Where pivoting wanders: the ladder of `bpp`, which always ends.
    pub fn climb(&mut self) {
        let ladder = self.ladder.get_or_insert_with(|| {
            Box::new(Ladder::new(&bpp::Settings::default(), Rung::Interior))
        });
        ladder.prepare(&self.problem);
        let stop = Stop {
            tolerance: 2.0 * self.face.limits.tolerance / self.problem.scale(),
            max_iterations: None,
        };
        self.climbed.lambda.clone_from(&self.iterate.lambda);
        for (l, (lo, hi)) in
            self.climbed.lambda.iter_mut().zip(self.face.lo.iter().zip(&self.face.hi))
        {
            *l = l.clamp(*lo, *hi);
        }
        self.climbed.set.clear();
        let outcome = ladder.run(&self.problem, &stop, &mut self.climbed, &mut ());
        self.face.counts.factorizations += outcome.counts.factorizations;
        self.face.counts.pivots += 1;
        if outcome.status == Status::Converged {
            self.face.set.clone_from(&self.climbed.set);
            self.iterate.lambda.clone_from(&self.climbed.lambda);
            let Subsystem { face, problem, iterate, .. } = self;
            self.outcome.end = TurnEnd::of(face.solve(problem, &mut iterate.lambda).is_ok());
        }
        self.finish();
    }

    fn finish(&mut self) {
        let (now, before) = (self.face.counts, self.before);
        self.outcome.pivots = now.pivots;
        self.outcome.factorizations = now.factorizations - before.factorizations;
        // A solve on a face: two products with A, and with refinement two
        // substitutions.
        let solves = (now.iterations - before.iterations + now.inner - before.inner) as f64;
        let (factor, substitution) = self.face.free_solve.work();
        self.outcome.work = self.outcome.factorizations as f64 * factor
            + solves * (2.0 * substitution + 48.0 * self.rows.len() as f64);
        let solved = self.outcome.end == TurnEnd::Solved;
        if solved && self.face.is_shifted() {
            self.outcome.end = TurnEnd::Failed;
        } else if solved {
            self.measure();
        }
    }

    /// b ← b + J M⁻¹ J_Γᵀ λ_Γ (Peiret19 alg. 1, line 9).
    fn load(&mut self, lambda: &[f64]) {
        let Operator::Multibody(own) = &self.problem.operator else { return };
        self.border.iter().for_each(|&b| self.push[b as usize] = [0.0; 6]);
        for (p, &g) in self.gamma.iter().enumerate() {
            let l = lambda[g as usize];
            for (b, j) in self.ports.row(p) {
                (0..6).for_each(|k| self.push[b][k] += j[k] * l);
            }
        }
        for &b in &self.border {
            self.v[b as usize] = mul6(own.inverse_mass(b as usize), &self.push[b as usize]);
        }
        for &i in &self.near {
            let i = i as usize;
            let b = self.b[i] + own.row_dot_blocks(i, &self.v);
            if let Some(w) = self.face.w.get_mut(i) {
                *w += b - self.problem.b[i];
            }
            self.problem.b[i] = b;
        }
    }

    /// Whether the interface knows of this subsystem all it wants to know.
    pub fn is_felt(&self, wanted: &[bool]) -> bool {
        let free = |s: &RowState| *s == RowState::Free;
        let set = &self.face.set;
        self.felt.len() == set.len()
            && self.felt.iter().zip(set).all(|(f, s)| *f == free(s))
            && self.gamma.iter().zip(&self.known).all(|(&g, k)| *k || !wanted[g as usize])
    }

    /// Columns of the matrix felt at the interface: those wanted that are not
    /// known for this free set yet.
    pub fn feel(&mut self, feel: Feel, wanted: &[bool]) {
        let free = |s: &RowState| *s == RowState::Free;
        let (set, n) = (&self.face.set, self.gamma.len());
        if self.felt.len() != set.len() || self.felt.iter().zip(set).any(|(f, s)| *f != free(s)) {
            self.felt.clear();
            self.felt.extend(set.iter().map(free));
            if feel == Feel::Effective {
                self.known.fill(false);
                self.has_changed = true;
            }
        }
        self.columns.clear();
        let missing =
            |q: &u32| !self.known[*q as usize] && wanted[self.gamma[*q as usize] as usize];
        self.columns.extend((0..n as u32).filter(missing));
        self.columns.iter().for_each(|&q| self.known[q as usize] = true);
        let felt = self.columns.len() as f64;
        self.outcome.work += felt * (self.face.free_solve.work().1 + 6.0 * n as f64);
        let Operator::Multibody(own) = &self.problem.operator else { return };
        let (columns, ports) = (&self.columns, &self.ports);
        match feel {
            Feel::Bare => ports.bare(own, columns, &mut self.s),
            Feel::Effective => {
                let solve = &mut self.face.free_solve;
                solve.effective(&self.problem, ports, columns, &mut self.s);
            }
        }
    }

    /// Columns times the change of λ_Γ since the last turn.
    pub fn respond(&mut self, lambda: &[f64], last: &[f64]) {
        let n = self.gamma.len();
        self.response.fill(0.0);
        self.responded = 0.0;
        for (q, &g) in self.gamma.iter().enumerate() {
            let change = lambda[g as usize] - last[g as usize];
            if change != 0.0 {
                let column = &self.s[q * n..(q + 1) * n];
                self.response.iter_mut().zip(column).for_each(|(y, s)| *y += s * change);
                self.responded += n as f64;
            }
        }
    }

    /// Velocities of the interface rows, as far as they come from here.
    fn measure(&mut self) {
        let Operator::Multibody(own) = &self.problem.operator else { return };
        self.border.iter().for_each(|&b| self.v[b as usize] = self.push[b as usize]);
        for &i in &self.near {
            let (bodies, rows) = own.row(i as usize);
            let l = self.iterate.lambda[i as usize];
            for (&b, j) in bodies.iter().zip(rows) {
                (0..6).for_each(|k| self.v[b as usize][k] += j[k] * l);
            }
        }
        for &b in &self.border {
            self.v[b as usize] = mul6(own.inverse_mass(b as usize), &self.v[b as usize]);
        }
        for (p, w) in self.w.iter_mut().enumerate() {
            *w = self.ports.row(p).map(|(b, j)| dot6(j, &self.v[b])).sum();
        }
        // Rows near the border push on bodies beyond it, too.
        for &i in &self.near {
            own.row(i as usize).0.iter().for_each(|&b| self.v[b as usize] = [0.0; 6]);
        }
    }

    /// Writes its impulses and index set into the whole.
    pub fn give(&self, whole: &mut Iterate) {
        for (k, &i) in self.rows.iter().enumerate() {
            whole.lambda[i as usize] =
                self.iterate.lambda[k].clamp(self.face.lo[k], self.face.hi[k]);
            whole.set[i as usize] = self.face.set[k];
        }
    }
}

/// The stop of a part: its residual is relative to the largest |b| of the whole.
pub(super) fn relative(stop: &Stop, scale: f64, part: &Problem) -> Stop {
    Stop { tolerance: stop.tolerance * scale / part.scale(), ..*stop }
}
