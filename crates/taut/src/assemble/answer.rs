//! From λ back to velocities, forces and figures.

use super::{Energy, IslandSolver, Scene, Twist};
use crate::BodyState;
use crate::islands::Island;
use crate::lcp::{self, Choice, Operator, Softening, Status};
use crate::math::Vec3;
use crate::scene::joint::{PASSIVE, Part, Reaction, RowMemory};

/// How the last solve of an island ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Ending {
    /// Not at all: there was nothing to solve.
    #[default]
    Nothing,
    /// With this status.
    Solved(Status),
    /// A row, a body or the whole problem was refused, for this reason. Later solves of the step do not make up for it.
    Refused(String),
}

/// What one island adds to the report of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct IslandReport {
    pub(crate) ending: Ending,
    pub(crate) solver: &'static str,
    /// Of the last solve.
    pub(crate) choice: Option<Choice>,
    pub(crate) passes: usize,
    /// How far joints miss their positions, relative to their arms.
    pub(crate) joint_error: f64,
    /// The slot of the joint that does most.
    pub(crate) worst_joint: u32,
    /// Share of the kinetic energy that rigid joints put in.
    pub(crate) joint_work: f64,
    pub(crate) iterations: usize,
    pub(crate) factorizations: usize,
    pub(crate) residual: f64,
    pub(crate) relative_residual: f64,
    pub(crate) energy_error: f64,
    /// Largest compliance that contacts were given so that they could be solved, relative to
    /// the diagonal; 0 for that of the settings.
    pub(crate) contact_compliance: f64,
    pub(crate) friction_gap: f64,
    /// Bounds or axes of friction did not settle, where they have to.
    pub(crate) friction_wanders: bool,
    /// A bounce was not solved, and contacts closed without one.
    pub(crate) bounce_failed: bool,
    /// Sweeps had the last word, after so many multiplications in the step.
    pub(crate) swept: bool,
    pub(crate) swept_work: u64,
    /// The work allowed was done before the tolerance was reached.
    pub(crate) out_of_work: bool,
    /// Why the step is not what was asked for, though it has an answer.
    pub(crate) given_up: Option<String>,
    /// Energy at the start of the step.
    pub(crate) energy: Energy,
    /// Energy that springs of contacts have at its end \[J\].
    pub(crate) springs: f64,
    /// Work of motors, kinematic bodies and user forces in the step \[J\].
    pub(crate) work: f64,
    /// Energy that the step created and that was taken back \[J\].
    pub(crate) energy_taken: f64,
    /// Energy that the step created and that could not be taken back \[J\].
    pub(crate) unpaid: f64,
    /// What it cost at most to part what was put inside one another, and to close joints that were put
    /// apart \[J\].
    pub(crate) mended: Option<f64>,
    /// What it will take to close joints again that the step opens \[J\].
    pub(crate) owed: f64,
    /// What contacts that turn in the step may give in a wrong direction, as a share of the kinetic energy.
    pub(crate) kick: f64,
    pub(crate) assemble_seconds: f64,
    pub(crate) solve_seconds: f64,
}

/// Contacts that give way by more than this share of their diagonal, rounded up, have no answer:
/// in an impact at 10 m/s it is 1 cm/s.
const MOST_COMPLIANCE: f64 = 1.001e-3;
/// Nor have those that give way by more than this share of the speeds about: a box of 1 g under 50 t
/// was crushed at 0.38 and more, at a compliance of 1e-7. (Towers in collapse have up to 0.08, 40
/// bodies of 10 g to 1 t up to 0.1.)
const MOST_MOVED: f64 = 0.2;
/// Share of the work done back and forth that counts as rounding.
const ROUNDING: f64 = 1e-3;

impl IslandReport {
    /// Takes over how a solve ended. What misses the tolerance, but not what b is `known` to, counts, and the residual is told
    /// relative to that.
    pub(super) fn take(
        &mut self,
        result: Result<lcp::Report, lcp::Error>,
        tolerance: f64,
        known: f64,
    ) {
        match result {
            Ok(r) => {
                let mut status = r.status;
                let mut share = 1.0;
                if status != Status::Converged && r.verdict.converged(known) {
                    (status, share) = (Status::Converged, tolerance / known);
                }
                let good = |s: &Softening| {
                    s.compliance <= MOST_COMPLIANCE
                        && s.relative_residual <= tolerance
                        && r.verdict.relative_residual <= MOST_MOVED
                };
                if let Some(soft) = r.softening.filter(good) {
                    status = Status::Converged;
                    self.contact_compliance = self.contact_compliance.max(soft.compliance);
                }
                self.end(status);
                self.solver = r.solver;
                self.choice = Some(r.choice);
                self.iterations += r.counts.iterations;
                self.factorizations += r.counts.factorizations;
                self.residual = r.verdict.natural_residual;
                self.relative_residual = share * r.verdict.relative_residual;
                self.energy_error = r.verdict.energy_error;
                self.friction_gap = r.verdict.friction_gap;
            }
            Err(e) => self.refuse(e),
        }
    }

    /// Notes that the problem, or a part of it, was refused.
    pub(super) fn refuse(&mut self, reason: impl ToString) {
        self.ending = Ending::Refused(reason.to_string());
    }

    /// Notes the status of a solve.
    pub(super) fn end(&mut self, status: Status) {
        if !self.is_refused() {
            self.ending = Ending::Solved(status);
        }
    }

    pub(super) fn is_refused(&self) -> bool {
        matches!(self.ending, Ending::Refused(_))
    }

    /// The status of the last solve; none if there was none, or if it was refused.
    pub(crate) fn status(&self) -> Option<Status> {
        match self.ending {
            Ending::Solved(status) => Some(status),
            Ending::Nothing | Ending::Refused(_) => None,
        }
    }

    /// Why the problem was refused, if it was.
    pub(crate) fn refusal(&self) -> Option<&String> {
        match &self.ending {
            Ending::Refused(reason) => Some(reason),
            Ending::Nothing | Ending::Solved(_) => None,
        }
    }

    /// Forgets a solve that was given up, but not what it cost.
    pub(super) fn restart(&mut self) {
        *self = IslandReport {
            passes: self.passes,
            iterations: self.iterations,
            factorizations: self.factorizations,
            energy: self.energy,
            bounce_failed: self.bounce_failed,
            solve_seconds: self.solve_seconds,
            swept_work: self.swept_work,
            out_of_work: self.out_of_work,
            ..IslandReport::default()
        };
    }

    /// Has the step taken back and halved, if it may be: no joint tolerates this error.
    pub(super) fn take_back(&mut self) {
        self.joint_error = f64::INFINITY;
    }

    /// Nothing useful can come of further passes.
    pub(super) fn is_broken(&self) -> bool {
        self.is_refused() || self.status() == Some(Status::NonFinite)
    }

    /// Why the island's answer does not count; none if it does.
    pub(crate) fn failure(&self) -> Option<String> {
        if self.converged() {
            return None;
        }
        if let Some(reason) = &self.given_up {
            return Some(reason.clone());
        }
        let residual = format!("relative residual {:.1e}", self.relative_residual);
        Some(match &self.ending {
            Ending::Refused(reason) => reason.clone(),
            Ending::Solved(status) if *status != Status::Converged => {
                format!("{status:?}, {residual}")
            }
            _ if self.bounce_failed => "a bounce was not solved: contacts close without it".into(),
            _ if self.friction_wanders => {
                format!("friction bounds differ by {:.1e} m/s", self.friction_gap)
            }
            _ => format!("the work allowed was done at a {residual}"),
        })
    }

    /// Whether the island's answer counts.
    pub(crate) fn converged(&self) -> bool {
        self.is_usable() && !self.out_of_work && self.given_up.is_none()
    }

    /// Whether the step can go on with it.
    pub(crate) fn is_usable(&self) -> bool {
        let solved = matches!(self.ending, Ending::Nothing | Ending::Solved(Status::Converged));
        solved && !self.friction_wanders && !self.bounce_failed
    }
}

impl IslandSolver {
    /// v⁺ = v_free + M̃⁻¹Jᵀλ and the forces of contacts. An answer that is not
    /// finite, or was refused, is no answer: the island moves freely.
    pub(super) fn answer(&mut self, scene: &Scene, island: &Island) {
        let usable = self.iterate.lambda.len() == self.problem.b.len()
            && !self.report.is_refused()
            && self.iterate.lambda.iter().all(|l| l.is_finite());
        if !usable {
            self.iterate.clear();
            self.iterate.lambda.resize(self.problem.b.len(), 0.0);
            self.iterate.set.resize(self.problem.b.len(), Default::default());
        }
        self.find_velocities(island);
        self.contact_forces(scene.h);
        self.report.work += self.work(scene, island);
        if scene.settings.max_halvings > 0 && !self.joint_rows.is_empty() {
            self.report.joint_work = self.joint_work(scene, island);
            (self.report.joint_error, self.report.worst_joint) = self.joint_error(scene, island);
        }
    }

    /// Work of the rigid joints in this step, λᵀJ(v + v⁺)/2, which should be
    /// none, as a share of the island's kinetic energy. What motors and limits
    /// take of it at once does no harm: a motor that presses a gear against a limit
    /// moves by compliance, back and forth.
    fn joint_work(&self, scene: &Scene, island: &Island) -> f64 {
        let before = |part: &Part| {
            let body = scene.bodies.get(part.body.index, part.body.generation);
            let still = body.map_or((Vec3::ZERO, Vec3::ZERO), |b| (b.v, b.w));
            let local = scene.local[part.body.index()] as usize;
            let (v, w) = self.start.get(local).copied().unwrap_or(still);
            part.linear.dot(v) + part.angular.dot(w)
        };
        let (mut rigid, mut all, mut gross) = (0.0, 0.0, 0.0_f64);
        for ((_, row), lambda) in self.joint_rows.iter().zip(&self.iterate.lambda) {
            let rate = row.parts.iter().flatten().map(before).sum::<f64>();
            let work = 0.5 * lambda * (rate + self.rate(scene, row));
            all += work;
            gross += work.abs();
            if row.is_workless() {
                rigid += work;
            }
        }
        // At rest the energy that forces would bring in one step is the scale.
        let kinetic = |b: &BodyState, (v, w): Twist| {
            0.5 * (b.mass * v.length_squared() + w.dot(b.inertia() * w))
        };
        let mut energy = 0.0;
        for ((&slot, &(v, w)), free) in island.bodies.iter().zip(&self.velocities).zip(&self.v_free)
        {
            if let Some(b) = scene.bodies.at(slot) {
                energy += kinetic(b, (v, w)) + kinetic(b, (free.0 - b.v, Vec3::ZERO));
            }
        }
        let work = f64::min(rigid, all);
        if work > 0.0 { work / (energy + ROUNDING * gross) } else { 0.0 }
    }

    /// v⁺ of the present λ.
    pub(super) fn find_velocities(&mut self, island: &Island) {
        let mut change = std::mem::take(&mut self.scratch);
        if let Operator::Multibody(m) = &self.problem.operator {
            m.velocities(&self.iterate.lambda, &mut change);
        }
        self.velocities.clear();
        for (k, dv) in change.chunks_exact(6).enumerate().take(island.bodies.len()) {
            let (v, w): Twist = self.v_free[k];
            let linear = v + Vec3::new(dv[0], dv[1], dv[2]);
            self.velocities.push((linear, w + Vec3::new(dv[3], dv[4], dv[5])));
        }
        self.scratch = change;
    }

    pub(super) fn contact_forces(&mut self, h: f64) {
        let lambda = &self.iterate.lambda;
        for (c, rows) in self.contacts.iter_mut().zip(&self.contact_rows) {
            c.normal_force = lambda[rows.normal] / h;
            let pair = |[e1, e2]: [Vec3; 2], first: usize| {
                (e1 * lambda[first] + e2 * lambda[first + 1]) / h
            };
            c.friction = rows.tangent.map_or(Vec3::ZERO, |i| pair(c.tangents, i));
            let rolling = rows.rolling.map_or(Vec3::ZERO, |i| pair(c.axes, i));
            let torsion = rows.torsion.map_or(Vec3::ZERO, |i| c.normal * (lambda[i] / h));
            c.torque = rolling + torsion;
        }
    }

    /// Calls `f` with slot, reactions, motor force and row memory of every joint of the island. Of the reactions the first has the
    /// directions of the end of the step, from which the next one starts; the second is what acted in the step.
    pub(crate) fn for_each_joint(
        &self,
        scene_h: f64,
        island: &Island,
        memory: &mut Vec<RowMemory>,
        mut f: impl FnMut(u32, [Reaction; 2], f64, &[RowMemory]),
    ) {
        let mut i = 0;
        for (k, &slot) in island.joints.iter().enumerate() {
            memory.clear();
            let (mut reaction, mut motor) = (Reaction::default(), 0.0);
            let first = self.first_reaction(k);
            let mut acted = first.unwrap_or_default();
            while i < self.joint_rows.len() && self.joint_rows[i].0 == slot {
                let row = &self.joint_rows[i].1;
                let force = self.iterate.lambda[i] / scene_h;
                memory.push(RowMemory { tag: row.tag, force, state: self.iterate.set[i] });
                if row.reaction {
                    // On b; if b is the world, minus that on a.
                    let on_b = row.on_b();
                    reaction.add(on_b, force);
                    // The first stage's impulses acted along its own rows.
                    let before = first.map_or(0.0, |_| self.first_impulse(i) / scene_h);
                    acted.add(on_b, force - before);
                } else if row.tag < PASSIVE {
                    motor += force;
                }
                i += 1;
            }
            f(slot, [reaction, acted], motor, memory);
        }
    }
}
