//! Position projection: closes joints without touching velocities.
//!
//! With φ and J at the poses after the step, the smallest displacement δ that
//! closes the joints to first order, in the metric M̃ = M + G of the step:
//!
//! M̃ δ = Jᵀμ, J δ + Cμ = −φ, so (J M̃⁻¹ Jᵀ + C) μ + φ = 0.
//!
//! (Andrews22 3.4.6 has M as the metric. In it light links between heavy
//! bodies would turn far for small errors, which is the motion that G has just
//! kept them from.) The system has the form of a step's problem: φ takes the
//! place of b, limits and ropes keep their one-sided laws. Motors, springs and
//! contacts have no part in it.

use super::joints::{coupled, geometry};
use super::{IslandSolver, Scene, Twist, row6};
use crate::islands::Island;
use crate::lcp::{self, Iterate, Judge, Law, Multibody, Operator, Problem, Solver, Status};
use crate::math::Vec3;
use crate::scene::joint::{Row, RowSink};

/// The linearization is not trusted beyond this turn of a body \[rad\].
const MAX_TURN: f64 = 0.1;

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

    /// Collects the rigid rows of an island at the present poses; returns the
    /// largest error of one \[m or rad\].
    pub(crate) fn find_errors(&mut self, scene: &Scene, island: &Island) -> f64 {
        self.sink.rows.clear();
        for state in island.joints.iter().filter_map(|&slot| scene.joints.at(slot)) {
            if let Some(coupling) = state.joint.kind.coupling() {
                self.sink.rows.extend(coupled(scene, &coupling));
            } else {
                let g = geometry(&state.joint, scene.bodies);
                state.joint.rows(&g, state.angle, &mut self.sink);
            }
        }
        self.sink.rows.retain(|row| law(row).is_some());
        let error = |row: &Row| if row.lo == 0.0 { -row.phi } else { row.phi.abs() };
        self.sink.rows.iter().map(error).fold(0.0, f64::max)
    }

    /// Solves for the moves that close the rows found last, with the masses of
    /// the island's step. False if there is no usable answer.
    pub(crate) fn solve(&mut self, scene: &Scene, step: &IslandSolver) -> bool {
        let Operator::Multibody(masses) = &step.problem().operator else { return false };
        if self.assemble(scene, masses).is_err() {
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

    fn assemble(&mut self, scene: &Scene, masses: &Multibody) -> Result<(), lcp::Error> {
        let Operator::Multibody(m) = &mut self.problem.operator else { return Ok(()) };
        m.clear();
        self.problem.b.clear();
        self.problem.laws.clear();
        self.iterate.clear(); // the answer must not depend on earlier ones
        for body in 0..masses.body_count() {
            m.push_body(*masses.mass(body))?;
        }
        for row in &self.sink.rows {
            let Some(law) = law(row) else { continue };
            let mut parts = [(0_u32, [0.0; 6]); 6];
            let mut n = 0;
            for p in row.parts.iter().flatten() {
                let local = scene.local[p.body.index()];
                if local != u32::MAX {
                    parts[n] = (local, row6(p.linear, p.angular));
                    n += 1;
                }
            }
            if n == 0 {
                continue;
            }
            parts[..n].sort_unstable_by_key(|p| p.0);
            m.push_row(&parts[..n], 0.0)?;
            self.problem.b.push(row.phi);
            self.problem.laws.push(law);
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

/// The law of a rigid row on positions; `None` for all other rows.
fn law(row: &Row) -> Option<Law> {
    let rigid = row.has_position && row.spring.is_none_or(|s| s.stiffness == f64::INFINITY);
    match (row.lo, row.hi) {
        (f64::NEG_INFINITY, f64::INFINITY) if rigid => Some(Law::Bilateral),
        (0.0, f64::INFINITY) if rigid => Some(Law::Box { lo: 0.0, hi: f64::INFINITY }),
        _ => None,
    }
}
