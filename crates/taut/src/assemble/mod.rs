//! From an island to a complementarity problem and back: the only place that
//! knows both bodies and rows.
//!
//! One step of an island, with h the step, M̃ = M + G (`geometric`):
//!
//! M̃ v⁺ = M v + αGω_f + h f + Jᵀλ, so v⁺ = v_free + M̃⁻¹Jᵀλ and
//! w = J v⁺ + Cλ + stabilization = Aλ + b, A = J M̃⁻¹ Jᵀ + C.
//!
//! | file | does |
//! |---|---|
//! | `bodies` | mass blocks and v_free |
//! | `geometric`, `smoothing` | G and the rate ω_f at which forces turn |
//! | `joints`, `contacts` | rows, laws, b |
//! | `curvature` | one Newton step for joints that turn far in a step |
//! | `friction` | the passes of solve and update of bounds and directions |
//! | `answer` | velocities, forces, figures for the report |
//! | `energy` | energy of an island, work done on it |
//! | `projection` | optional: closes joints after the step, positions only |

mod answer;
mod bodies;
mod contacts;
mod curvature;
mod energy;
mod friction;
pub(crate) mod geometric;
mod joints;
mod projection;
mod smoothing;

pub(crate) use answer::IslandReport;
pub(crate) use energy::Energy;
pub(crate) use joints::{geometry, joint_bodies};
pub(crate) use projection::Projection;

use crate::BodyState;
use crate::contact::Contact;
use crate::islands::Island;
use crate::lcp::{Iterate, Judge, Law, Multibody, Operator, Problem, RowState, Solver};
use crate::math::Vec3;
use crate::scene::joint::{Geometry, JointState, Row, RowMemory, RowSink};
use crate::settings::Settings;
use crate::slots::Slots;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What all islands read.
pub(crate) struct Scene<'a> {
    pub(crate) bodies: &'a Slots<BodyState>,
    pub(crate) joints: &'a Slots<JointState>,
    pub(crate) contacts: &'a [Contact],
    /// Index of each slot within its island.
    pub(crate) local: &'a [u32],
    pub(crate) settings: &'a Settings,
    pub(crate) gravity: Vec3,
    pub(crate) h: f64,
}

/// A velocity: linear before angular.
pub(crate) type Twist = (Vec3, Vec3);

/// Problem, solver and answer of one island; the memory is reused.
pub(crate) struct IslandSolver {
    solver: Box<dyn Solver>,
    problem: Problem,
    iterate: Iterate,
    judge: Judge,
    v_free: Vec<Twist>,
    geometric: Vec<geometric::Loaded>,
    joint_geometry: Vec<Geometry>,
    /// Force of each joint on its b, by the last solve or step \[N\].
    joint_forces: Vec<Vec3>,
    smoother: smoothing::Smoother,
    memory: Vec<RowMemory>,
    sink: RowSink,
    /// Rows of the joint at hand after a step with the present velocities.
    ahead: RowSink,
    /// Joint slot and row of each joint row.
    joint_rows: Vec<(u32, Row)>,
    /// The same before they were assembled anew.
    last_rows: Vec<(u32, Row)>,
    contact_rows: Vec<contacts::ContactRows>,
    /// Rows with the world's relative compliance, and a factor on it.
    rigid: Vec<(usize, f64)>,
    diagonal: Vec<f64>,
    scratch: Vec<f64>,
    pub(crate) velocities: Vec<Twist>,
    /// The subsystem of each body, where the solver split the island; nothing
    /// if it had nothing to do.
    pub(crate) subsystems: Option<Vec<u32>>,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) report: IslandReport,
}

impl IslandSolver {
    pub(crate) fn new(solver: Box<dyn Solver>) -> Self {
        let operator = Operator::Multibody(Multibody::default());
        IslandSolver {
            solver,
            problem: Problem { operator, b: Vec::new(), laws: Vec::new() },
            iterate: Iterate::default(),
            judge: Judge::default(),
            v_free: Vec::new(),
            geometric: Vec::new(),
            joint_geometry: Vec::new(),
            joint_forces: Vec::new(),
            smoother: smoothing::Smoother::default(),
            memory: Vec::new(),
            sink: RowSink::default(),
            ahead: RowSink::default(),
            joint_rows: Vec::new(),
            last_rows: Vec::new(),
            contact_rows: Vec::new(),
            rigid: Vec::new(),
            diagonal: Vec::new(),
            scratch: Vec::new(),
            velocities: Vec::new(),
            subsystems: None,
            contacts: Vec::new(),
            report: IslandReport::default(),
        }
    }

    /// Rows of the last problem.
    pub(crate) fn rows(&self) -> usize {
        self.problem.b.len()
    }

    /// The last problem.
    pub(crate) fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Appends a name for each row of the last problem.
    pub(crate) fn row_keys(&self, keys: &mut Vec<u64>) {
        let name = |key: &dyn Fn(&mut DefaultHasher)| {
            let mut hasher = DefaultHasher::new();
            key(&mut hasher);
            hasher.finish()
        };
        keys.extend(self.joint_rows.iter().map(|(slot, row)| name(&|h| (slot, row.tag).hash(h))));
        for (k, contact) in self.contacts.iter().enumerate() {
            let normal = |r: &contacts::ContactRows| r.normal;
            let end = self.contact_rows.get(k + 1).map_or(self.rows(), normal);
            let rows = self.contact_rows.get(k).map_or(end, normal)..end;
            keys.extend((0..rows.len()).map(|row| name(&|h| (contact.key, row).hash(h))));
        }
    }

    /// Assembles and solves one island.
    pub(crate) fn run(&mut self, scene: &Scene, island: &Island) {
        self.report = IslandReport::default();
        self.subsystems = None;
        let t0 = std::time::Instant::now();
        self.report.energy = Energy::of(scene, island, &mut self.ahead);
        self.assemble(scene, island);
        let t1 = std::time::Instant::now();
        self.solve_with_friction(scene, island);
        self.report.assemble_seconds = (t1 - t0).as_secs_f64();
        self.report.solve_seconds = t1.elapsed().as_secs_f64();
        self.answer(scene, island);
    }

    fn assemble(&mut self, scene: &Scene, island: &Island) {
        self.contacts.clear();
        self.contacts.extend(island.contacts.iter().map(|&i| scene.contacts[i as usize]));
        self.find_geometry(scene, island);
        self.push_rows(scene, island);
    }

    /// Bodies and rows, from joint geometry and contacts.
    fn push_rows(&mut self, scene: &Scene, island: &Island) {
        self.problem.b.clear();
        self.problem.laws.clear();
        self.iterate.clear();
        self.rigid.clear();
        self.push_bodies(scene, island);
        self.push_joints(scene, island);
        self.push_contacts(scene);
        self.set_compliance(scene.settings.compliance);
    }

    fn multibody(&mut self) -> Option<&mut Multibody> {
        match &mut self.problem.operator {
            Operator::Multibody(m) => Some(m),
            _ => None,
        }
    }

    /// Appends a row: Jacobian by slot, compliance, b without J v_free, law,
    /// and where to start. Bodies without a place in the island contribute
    /// their known velocity to b.
    fn push_row(
        &mut self,
        scene: &Scene,
        parts: impl Iterator<Item = (u32, Vec3, Vec3)>,
        (compliance, bias): (f64, f64),
        law: Law,
        start: (f64, RowState),
    ) {
        let mut b = bias;
        let mut dynamic = [(0_u32, [0.0; 6]); 6];
        let mut n = 0;
        for (slot, linear, angular) in parts {
            let local = scene.local[slot as usize];
            let (v, w) = if let Some(&free) = self.v_free.get(local as usize) {
                dynamic[n] = (local, row6(linear, angular));
                n += 1;
                free
            } else {
                scene.bodies.at(slot).map_or((Vec3::ZERO, Vec3::ZERO), |b| (b.v, b.w))
            };
            b += linear.dot(v) + angular.dot(w);
        }
        dynamic[..n].sort_unstable_by_key(|p| p.0);
        if let Some(m) = self.multibody() {
            // Bodies are distinct and known: a row cannot be refused.
            if m.push_row(&dynamic[..n], compliance).is_ok() {
                self.problem.b.push(b);
                self.problem.laws.push(law);
                self.iterate.lambda.push(start.0);
                self.iterate.set.push(start.1);
            }
        }
    }

    /// Gives the rigid rows their compliance, relative to (J M̃⁻¹ Jᵀ)ᵢᵢ.
    fn set_compliance(&mut self, relative: f64) {
        let mut diagonal = std::mem::take(&mut self.diagonal);
        let rigid = std::mem::take(&mut self.rigid);
        if let Some(m) = self.multibody() {
            diagonal.clear();
            diagonal.resize(m.rows(), 0.0);
            m.diagonal(&mut diagonal);
            for &(i, factor) in &rigid {
                m.set_compliance(i, factor * relative * diagonal[i]);
            }
        }
        (self.diagonal, self.rigid) = (diagonal, rigid);
    }
}

pub(crate) fn row6(linear: Vec3, angular: Vec3) -> [f64; 6] {
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}
