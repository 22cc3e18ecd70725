//! Position projection: closes joints, and pushes bodies out of one another, without touching
//! velocities.
//!
//! With φ and J at the poses after the step, the smallest displacement δ that
//! mends them to first order, in the metric M̃ = M + G of the step:
//!
//! M̃ δ = Jᵀμ, J δ + Cμ = −φ, so (J M̃⁻¹ Jᵀ + C) μ + φ = 0.
//!
//! (Andrews22 3.4.6 has M as the metric. In it light links between heavy
//! bodies would turn far for small errors, which is the motion that G has just
//! kept them from.) The system has the form of a step's problem: φ takes the
//! place of b, limits and ropes keep their one-sided laws. Contacts, where they take part, are rows
//! μ ≥ 0 ⟂ Jδ + φ ≥ 0 with their gaps for φ (Andrews22 eq. 254). Motors, springs, cables and
//! friction have no part in it.

use super::contacts::parts;
use super::joints::{geometry, push_coupled};
use super::{Scene, Twist, row6};
use crate::islands::Island;
use crate::lcp::{
    self, Block6, Iterate, Judge, Law, Multibody, Operator, Problem, Row6, Solver, Status,
};
use crate::math::Vec3;
use crate::scene::joint::{Row, RowSink};

/// The linearization is not trusted beyond this turn of a body \[rad\].
const MAX_TURN: f64 = 0.1;

/// How far an island is from what its joints and contacts ask for \[m or rad\].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Errors {
    pub(crate) joints: f64,
    pub(crate) overlap: f64,
}

impl Errors {
    pub(crate) fn worst(&self) -> f64 {
        self.joints.max(self.overlap)
    }
}

/// A contact point at the poses to be mended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Slots of its bodies.
    pub(crate) a: u32,
    pub(crate) b: u32,
    /// From a to b.
    pub(crate) normal: Vec3,
    pub(crate) point: Vec3,
    pub(crate) gap: f64,
}

/// Problem and answer of one island; the memory is reused.
pub(crate) struct Projection {
    solver: Box<dyn Solver>,
    problem: Problem,
    iterate: Iterate,
    judge: Judge,
    sink: RowSink,
    scratch: Vec<f64>,
    /// δ of each body of the island.
    pub(crate) moves: Vec<Twist>,
}

impl Projection {
    pub(crate) fn new(solver: Box<dyn Solver>) -> Self {
        let operator = Operator::Multibody(Multibody::default());
        Projection {
            solver,
            problem: Problem { operator, b: Vec::new(), laws: Vec::new() },
            iterate: Iterate::default(),
            judge: Judge::default(),
            sink: RowSink::default(),
            scratch: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Collects the rigid rows of an island's joints at the present poses; returns the largest error of
    /// one, and the deepest of its contacts, which are among `touches`.
    pub(crate) fn find_errors(
        &mut self,
        scene: &Scene,
        island: &Island,
        touches: &[Touch],
    ) -> Errors {
        self.sink.rows.clear();
        for state in island.joints.iter().filter_map(|&slot| scene.joints.at(slot)) {
            if let Some(coupling) = state.joint.kind.coupling() {
                push_coupled(scene, &state.joint, &coupling, &mut self.sink);
            } else {
                let g = geometry(&state.joint, scene.bodies);
                state.joint.rows(&g, state.angle, &mut self.sink);
            }
        }
        self.sink.rows.retain(|row| law(row).is_some());
        let error = |row: &Row| if row.lo == 0.0 { -row.phi } else { row.phi.abs() };
        let joints = self.sink.rows.iter().map(error).fold(0.0, f64::max);
        let touches = island.contacts.iter().filter_map(|&i| touches.get(i as usize));
        let overlap = touches.map(|t| -t.gap).fold(0.0, f64::max);
        Errors { joints, overlap }
    }

    /// Solves for the moves that mend the rows found last and these contacts, given the
    /// masses of the island's bodies. False if there is no usable answer.
    pub(crate) fn solve<'a>(
        &mut self,
        scene: &Scene,
        masses: impl Iterator<Item = &'a Block6>,
        touches: impl Iterator<Item = &'a Touch>,
    ) -> bool {
        if self.assemble(scene, masses, touches).is_err() {
            return false;
        }
        let answer = lcp::solver::solve(
            self.solver.as_mut(),
            &self.problem,
            &scene.settings.stop(),
            &mut self.iterate,
            &mut self.judge,
            &mut (),
        );
        // A residual of rounding's size does no harm: only closing counts.
        if !answer.is_ok_and(|a| a.status != Status::NonFinite) {
            return false;
        }
        self.find_moves()
    }

    fn assemble<'a>(
        &mut self,
        scene: &Scene,
        masses: impl Iterator<Item = &'a Block6>,
        touches: impl Iterator<Item = &'a Touch>,
    ) -> Result<(), lcp::Error> {
        let Problem { operator, b, laws } = &mut self.problem;
        let Operator::Multibody(m) = operator else { return Ok(()) };
        m.clear();
        b.clear();
        laws.clear();
        self.iterate.clear(); // the answer must not depend on earlier ones
        for mass in masses {
            m.push_body(*mass)?;
        }
        for row in &self.sink.rows {
            let Some(law) = law(row) else { continue };
            let parts = row.parts.iter().flatten();
            let parts = parts.map(|p| (p.body.index, row6(p.linear, p.angular)));
            if push_row(m, scene, parts)? {
                b.push(row.phi);
                laws.push(law);
            }
        }
        for t in touches {
            let arm = |slot: u32| scene.bodies.at(slot).map_or(Vec3::ZERO, |b| t.point - b.x);
            let rows = parts(&[arm(t.a), arm(t.b)], t.normal).map(|(v, w)| row6(v, w));
            if push_row(m, scene, [t.a, t.b].into_iter().zip(rows))? {
                b.push(t.gap);
                laws.push(Law::Box { lo: 0.0, hi: f64::INFINITY });
            }
        }
        self.scratch.clear();
        self.scratch.resize(m.rows(), 0.0);
        m.diagonal(&mut self.scratch);
        for (i, d) in self.scratch.iter().enumerate() {
            m.set_compliance(i, scene.settings.compliance * d);
        }
        Ok(())
    }

    /// δ = M̃⁻¹Jᵀμ, shortened where it would turn a body too far.
    fn find_moves(&mut self) -> bool {
        if let Operator::Multibody(m) = &self.problem.operator {
            m.velocities(&self.iterate.lambda, &mut self.scratch);
        }
        let vector = |d: &[f64]| Vec3::new(d[0], d[1], d[2]);
        let parts = self.scratch.chunks_exact(6).map(|d| (vector(d), vector(&d[3..])));
        self.moves.clear();
        self.moves.extend(parts);
        let turn = self.moves.iter().map(|m| m.1.length()).fold(0.0, f64::max);
        let share = if turn > MAX_TURN { MAX_TURN / turn } else { 1.0 };
        self.moves.iter_mut().for_each(|m| *m = (m.0 * share, m.1 * share));
        self.moves.iter().all(|m| m.0.is_finite() && m.1.is_finite())
    }
}

/// A row on those of the slots that are of the island; false if none is.
fn push_row(
    m: &mut Multibody,
    scene: &Scene,
    parts: impl Iterator<Item = (u32, Row6)>,
) -> Result<bool, lcp::Error> {
    let mut row = [(0_u32, [0.0; 6]); 6];
    let mut n = 0;
    for (slot, values) in parts {
        let local = scene.local[slot as usize];
        if local != u32::MAX && n < row.len() {
            row[n] = (local, values);
            n += 1;
        }
    }
    row[..n].sort_unstable_by_key(|p| p.0);
    if n > 0 {
        m.push_row(&row[..n], 0.0)?;
    }
    Ok(n > 0)
}

/// The law of a rigid row on positions; `None` for all other rows.
fn law(row: &Row) -> Option<Law> {
    let rigid = row.has_position && row.spring.is_none_or(|s| s.stiffness == f64::INFINITY);
    match (row.lo, row.hi) {
        (f64::NEG_INFINITY, f64::INFINITY) if rigid => Some(Law::Bilateral),
        (0.0, f64::INFINITY) if rigid => Some(Law::Box { lo: 0.0, hi: f64::INFINITY }),
        _ => None,
    }
}
