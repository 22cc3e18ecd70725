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
//! | `rows` | all rows of a stage, and what each adds to the problem |
//! | `joints`, `cables`, `contacts` | those of joints, cables and contacts: laws, b |
//! | `curvature` | one Newton step for joints that turn far in a step |
//! | `accuracy` | sweeps instead, where a few digits are asked for |
//! | `elastic` | contacts that give way to changes of their force |
//! | `friction` | the passes of solve and update of bounds and directions |
//! | `answer` | velocities, forces, figures for the report |
//! | `impact` | bounces, before the step moves anything |
//! | `energy_momentum` | the step by mean velocities: energy kept, joints closed |
//! | `solve` | from the posed problem to its answer |
//! | `soft` | soft bodies, their contacts and attached nodes: a step of its own |
//! | `repair` | the step of what starts inside something else, or open |
//! | `balance` | takes from velocities what a step created |
//! | `whole` | bodies as one: their common motion |
//! | `energy` | energy of an island, work done on it |
//! | `jams` | motors without a limit that ask for what cannot be |
//! | `penalty` | contacts that are springs and dampers |
//! | `kicks` | how far impulses may go astray because contacts turn in the step |
//! | `projection` | optional: closes joints and pushes bodies apart after the step, positions only |

mod answer;
mod balance;
mod bodies;
mod cables;
mod contacts;
mod elastic;
mod energy;
mod energy_momentum;
mod friction;
mod impact;
mod jams;
mod joints;
mod kicks;
mod penalty;
mod repair;
mod rows;
mod soft;
mod solve;
mod whole;

// What only the semi-implicit step needs: on request, and where the default step cannot follow an island.
#[path = "semi_implicit/curvature.rs"]
mod curvature;
#[path = "semi_implicit/geometric.rs"]
pub(crate) mod geometric;
#[path = "semi_implicit/smoothing.rs"]
mod smoothing;

// What runs on request alone.
#[path = "on_request/accuracy.rs"]
mod accuracy;
#[path = "on_request/projection.rs"]
mod projection;

pub(crate) use answer::IslandReport;
pub(crate) use energy::Energy;
pub(crate) use energy_momentum::Moved;
use energy_momentum::Trial;
pub(crate) use joints::{geometry, joint_bodies};
pub(crate) use projection::{Errors, Projection, Touch};
pub(crate) use whole::Whole;

use crate::BodyState;
use crate::cables::CableState;
use crate::contact::Contact;
use crate::islands::Island;
use crate::lcp::sweeps::following::Following;
use crate::lcp::{Iterate, Judge, Law, Multibody, Operator, Problem, Solver};
use crate::math::{Quat, Vec3};
use crate::scene::joint::{Geometry, JointState, Row, RowMemory, RowSink};
use crate::scene::{Arrival, Pairs, Start};
use crate::settings::{Integrator, Settings};
use crate::slots::Slots;
use crate::softs::{Near, SoftBodyState};
use crate::world::ColliderTable;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What all islands read.
pub(crate) struct Scene<'a> {
    pub(crate) bodies: &'a Slots<BodyState>,
    pub(crate) joints: &'a Slots<JointState>,
    pub(crate) cables: &'a Slots<CableState>,
    pub(crate) contacts: &'a [Contact],
    pub(crate) softs: &'a Slots<SoftBodyState>,
    /// What may touch soft bodies, by slot.
    pub(crate) near: &'a [Near],
    pub(crate) colliders: &'a ColliderTable,
    pub(crate) pairs: &'a Pairs,
    /// Index of each slot within its island.
    pub(crate) local: &'a [u32],
    pub(crate) settings: &'a Settings,
    pub(crate) gravity: Vec3,
    pub(crate) h: f64,
    /// How long the middle of this part of the step is after that of the whole \[s\].
    pub(crate) late: f64,
    /// Whether a step that fails may be taken back and halved.
    pub(crate) may_halve: bool,
    /// Of all islands that are awake; see [`Island::weight`].
    pub(crate) weight: usize,
    /// Energy that pushing out may create, as a share of the mass of all bodies \[J/kg\].
    pub(crate) allowance: f64,
    /// What the world has gained above its lowest energy so far \[J\].
    pub(crate) rise: f64,
}

/// A velocity: linear before angular.
pub(crate) type Twist = (Vec3, Vec3);

/// What a problem is assembled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The semi-implicit step.
    Step,
    /// Velocities after a bounce.
    Impact,
    /// Mean velocities, which move positions.
    Positions,
    /// Velocities at the end.
    Velocities,
    /// Velocities that leave errors of positions as they are.
    Unrepaired,
    /// Velocities that close joints and push contacts out.
    Repair,
}

/// A row that does nothing, so that the structure stays.
const NOTHING: Law = Law::Box { lo: 0.0, hi: 0.0 };

/// Problem, solver and answer of one island; the memory is reused.
pub(crate) struct IslandSolver {
    solver: Box<dyn Solver>,
    /// Whether cones need not be solved to their tolerance yet.
    rough: bool,
    /// Share of the speed at which penetrations are pushed out that there is energy for, and what is done about open joints.
    push: f64,
    closing: balance::Closing,
    /// Whether a body of the island was put inside something or off its joints, and is not out yet.
    misplaced: bool,
    /// Whether motors without a limit give way in this try, and the island as one body, by which that is bounded.
    yields: bool,
    whole: Whole,
    problem: Problem,
    iterate: Iterate,
    judge: Judge,
    following: Following,
    elastic: elastic::Elastic,
    springs: penalty::ContactSprings,
    /// Multiplications that sweeps may do in this step, if that is limited.
    allowed: Option<u64>,
    v_free: Vec<Twist>,
    geometric: Vec<geometric::Loaded>,
    joint_geometry: Vec<Geometry>,
    /// Force of each joint on its b, by the last solve or step \[N\].
    joint_forces: Vec<Vec3>,
    smoother: smoothing::Smoother,
    /// Velocities at the start of the step, after impacts.
    start: Vec<Twist>,
    impacts: impact::Impacts,
    passages: energy_momentum::Passages,
    memory: Vec<RowMemory>,
    sink: RowSink,
    /// Rows of the joint at hand after a step with the present velocities.
    ahead: RowSink,
    /// Joint slot and row of each joint row.
    joint_rows: Vec<(u32, Row)>,
    /// Joint rows before they were assembled anew.
    last_rows: Vec<(u32, Row)>,
    /// Cables, whose rows stand behind those of the joints.
    cables: cables::CableWorks,
    contact_rows: Vec<contacts::ContactRows>,
    /// What is added to the normal velocity of each contact; none: it does not act.
    contact_bias: Vec<Option<f64>>,
    /// How each contact lies in the stage at hand.
    contact_frames: Vec<contacts::ContactFrame>,
    /// Jacobians of rows that the operator does not have yet.
    waiting: Vec<[f64; 6]>,
    /// Jv of each row by the bodies that are not of the island, and by belts.
    foreign: Vec<f64>,
    /// When, in the step, the velocities of bodies that are not of the island are taken \[s\].
    foreign_time: f64,
    /// Rows with the world's relative compliance, and a factor on it.
    rigid: Vec<(usize, f64)>,
    diagonal: Vec<f64>,
    scratch: Vec<f64>,
    /// Soft bodies, whose rows stand behind those of contacts.
    pub(crate) soft: soft::SoftWorks,
    pub(crate) velocities: Vec<Twist>,
    /// Where bodies are after the step, if it moved positions itself.
    pub(crate) arrivals: Vec<Arrival>,
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
            rough: false,
            push: 1.0,
            closing: balance::Closing::Full,
            misplaced: false,
            yields: false,
            whole: Whole::default(),
            solver,
            problem: Problem { operator, b: Vec::new(), laws: Vec::new() },
            iterate: Iterate::default(),
            judge: Judge::default(),
            following: Following::default(),
            elastic: elastic::Elastic::default(),
            springs: penalty::ContactSprings::default(),
            allowed: None,
            v_free: Vec::new(),
            geometric: Vec::new(),
            joint_geometry: Vec::new(),
            joint_forces: Vec::new(),
            smoother: smoothing::Smoother::default(),
            start: Vec::new(),
            impacts: impact::Impacts::default(),
            passages: energy_momentum::Passages::default(),
            memory: Vec::new(),
            sink: RowSink::default(),
            ahead: RowSink::default(),
            joint_rows: Vec::new(),
            last_rows: Vec::new(),
            cables: cables::CableWorks::default(),
            contact_rows: Vec::new(),
            contact_bias: Vec::new(),
            contact_frames: Vec::new(),
            waiting: Vec::new(),
            foreign: Vec::new(),
            foreign_time: 0.0,
            rigid: Vec::new(),
            diagonal: Vec::new(),
            scratch: Vec::new(),
            soft: soft::SoftWorks::default(),
            velocities: Vec::new(),
            arrivals: Vec::new(),
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
        keys.extend(self.cables.keys().map(|key| name(&|h| ("cable", key).hash(h))));
        keys.extend(self.stop_keys().map(|key| name(&|h| ("stop", key).hash(h))));
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
        self.soft.unpose();
        self.clear_stops();
        let t0 = taut_lcp::clock::Instant::now();
        self.allow_work(scene, island);
        self.report.energy = Energy::of(scene, island, &mut self.ahead);
        // (Without contacts there are no springs, and the step is the usual one.)
        let springs = scene.settings.contact.penalty().filter(|_| !island.contacts.is_empty());
        if let Some((explicit, _)) = springs {
            self.take_contacts(scene, island);
            self.run_penalty(scene, island, explicit);
            self.report.assemble_seconds = t0.elapsed().as_secs_f64() - self.report.solve_seconds;
            return;
        }
        let inside = |&slot: &u32| scene.bodies.at(slot).is_some_and(|b| b.placed == Start::Inside);
        self.misplaced = island.bodies.iter().any(inside);
        self.take_contacts(scene, island);
        self.find_stops(scene, island);
        self.weigh(scene, island);
        self.attempt(scene, island);
        if self.may_jam(scene) {
            self.yields = true;
            self.report.restart();
            self.take_contacts(scene, island);
            self.attempt(scene, island);
        }
        self.note_jams(scene);
        self.note_mending(scene);
        self.note_kicks(scene, island);
        self.report.assemble_seconds = t0.elapsed().as_secs_f64() - self.report.solve_seconds;
    }

    fn attempt(&mut self, scene: &Scene, island: &Island) {
        self.forget_first_stage();
        self.run_impacts(scene, island);
        self.ration_pushes(scene, island);
        if !island.softs.is_empty() {
            self.run_soft(scene, island);
        } else if scene.settings.integrator != Integrator::EnergyMomentum {
            self.run_semi_implicit(scene, island);
        } else if self.is_far_off(scene, island) {
            self.run_repair(scene, island);
        } else if self.run_energy_momentum(scene, island) == Trial::NotFound {
            self.fall_back(scene, island);
        }
    }

    /// The semi-implicit step: new velocities first, then positions with them.
    fn run_semi_implicit(&mut self, scene: &Scene, island: &Island) {
        self.arrivals.clear();
        self.solve_semi_implicit(scene, island);
        self.add_impacts();
    }

    fn solve_semi_implicit(&mut self, scene: &Scene, island: &Island) {
        self.find_geometric(scene, island);
        self.push_rows(scene, island, Stage::Step);
        self.solve_with_friction(scene, island, Stage::Step, usize::MAX);
        self.answer(scene, island);
    }

    /// The step of an island that the step by mean velocities cannot follow.
    fn fall_back(&mut self, scene: &Scene, island: &Island) {
        if island.is_loose() {
            return self.run_repair(scene, island);
        }
        self.take_contacts(scene, island);
        let work = self.report.work;
        self.solve_semi_implicit(scene, island);
        if !self.move_by_answer(scene, island) {
            self.report.take_back();
        } else if self.push > 0.0 && self.concede(scene, island) {
            self.report.restart();
            self.report.work = work;
            self.fall_back(scene, island);
        } else if self.is_unpaid(scene, island) {
            // Velocities of their own for positions create nothing.
            self.report.restart();
            self.report.work = work;
            self.take_contacts(scene, island);
            self.run_repair(scene, island);
        }
    }

    /// Contacts, joint frames and ways of cables as they are at the start of the step.
    fn take_contacts(&mut self, scene: &Scene, island: &Island) {
        self.contacts.clear();
        self.contacts.extend(island.contacts.iter().map(|&i| scene.contacts[i as usize]));
        for c in &mut self.contacts {
            carry_friction(scene, c);
        }
        self.find_frames(scene, island);
        self.take_cables(scene, island);
    }
}

/// Turns the friction that a contact remembers with its bodies, as far as both turn about its normal: from the middle of the last
/// step to that of this one. (On a record at 30 rad/s it would point half a radian off, and points at the bound would slide.)
fn carry_friction(scene: &Scene, c: &mut Contact) {
    if c.friction == Vec3::ZERO {
        return;
    }
    let turn = |slot: u32| scene.bodies.at(slot).map_or(0.0, |b| scene.h * b.w.dot(c.normal));
    let (a, b) = (turn(c.a), turn(c.b));
    if a * b > 0.0 {
        let turn = if a.abs() < b.abs() { a } else { b };
        c.friction = Quat::from_axis_angle(c.normal, turn) * c.friction;
    }
}

pub(crate) fn row6(linear: Vec3, angular: Vec3) -> [f64; 6] {
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}

/// How far a step fails to resolve a vibration: 0 to 1, by (ωh)² of it. The fourth power leaves what is resolved
/// alone, and damps fully what is not; it is cut off where nothing is left of the difference to 1.
pub(crate) fn unresolved(square: f64) -> f64 {
    let fourth = square.powi(4).min(1e12);
    fourth / (1.0 + fourth)
}
