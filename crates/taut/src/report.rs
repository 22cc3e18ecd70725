//! What a step did: nothing fails silently.

use crate::lcp::{Choice, Status};
use crate::math::Vec3;
use crate::slots::{BodyId, CableId, JointId};

/// Steps in a row for which an impact may hold a body back.
const MOST_HELD: usize = 4;

/// Something that happened in a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Two bodies began to press on one another.
    ContactBegin {
        /// The one with the smaller collider index.
        a: BodyId,
        /// The other.
        b: BodyId,
    },
    /// Two bodies no longer press on one another (or one was removed).
    ContactEnd {
        /// The one with the smaller collider index.
        a: BodyId,
        /// The other.
        b: BodyId,
    },
    /// A joint exceeded its break threshold and was removed.
    JointBroke {
        /// The joint, no longer valid.
        joint: JointId,
        /// Its name.
        name: String,
        /// Its force in that step \[N\].
        force: f64,
        /// Its torque in that step \[N·m\].
        torque: f64,
    },
    /// A cable exceeded its break tension and was removed.
    CableBroke {
        /// The cable, no longer valid.
        cable: CableId,
        /// Its name.
        name: String,
        /// Its largest tension in that step \[N\].
        tension: f64,
    },
    /// A cable pulls that hung slack before.
    CableTaut {
        /// The cable.
        cable: CableId,
    },
    /// A cable hangs slack that pulled before.
    CableSlack {
        /// The cable.
        cable: CableId,
    },
    /// A cable left a pulley or a drum sideways and runs on without it: it came in more than 45° askew, or from within, or
    /// lifted off far beside the groove. What follows is beyond the model.
    CableLeft {
        /// The cable.
        cable: CableId,
        /// Its name.
        name: String,
        /// The station that it left, counted along the cable; of one that lies on bodies in its way, each convex shape of these between two
        /// stations counts, too.
        station: usize,
    },
    /// A winch takes in no more: a span has become as short as it may, or nothing follows.
    WinchStopped {
        /// Its cable.
        cable: CableId,
        /// The cable's name.
        name: String,
    },
    /// A body stopped being finite and was taken out of the dynamics.
    Quarantined {
        /// The body, which stays where it last was.
        body: BodyId,
        /// Its name.
        name: String,
        /// What happened.
        reason: String,
    },
}

/// Wall times of a step's phases \[s\], parts of a step that were taken back included. Assembly
/// and solve are summed over islands, so with several threads they may exceed `total`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Timings {
    /// Contact generation.
    pub collide: f64,
    /// Finding islands, waking them.
    pub islands: f64,
    /// Building the problems, and what islands do between solves.
    pub assemble: f64,
    /// Solving them.
    pub solve: f64,
    /// Moving bodies.
    pub integrate: f64,
    /// The balance of energy, events, figures.
    pub measure: f64,
    /// The whole step.
    pub total: f64,
}

impl Timings {
    /// The phases by name, in their order.
    pub fn phases(&self) -> [(&'static str, f64); 6] {
        [
            ("collide", self.collide),
            ("islands", self.islands),
            ("assemble", self.assemble),
            ("solve", self.solve),
            ("integrate", self.integrate),
            ("measure", self.measure),
        ]
    }

    pub(crate) fn add(&mut self, other: &Timings) {
        self.collide += other.collide;
        self.islands += other.islands;
        self.assemble += other.assemble;
        self.solve += other.solve;
        self.integrate += other.integrate;
        self.measure += other.measure;
        self.total += other.total;
    }
}

/// A body that was held back in steps in a row; see [`World::step`](crate::World::step).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hold {
    /// Steps in a row, this one included, in which the body lost more than half of its way.
    pub steps: usize,
    /// Its name.
    pub body: String,
}

/// Elements of soft bodies that are inside out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inverted {
    /// Samples at which they are, of all soft bodies.
    pub samples: usize,
    /// Name of the first soft body that has some.
    pub body: String,
}

/// Merges a report into another one. Every field stands in one of the lists: without it this does not compile.
macro_rules! merge {
    ($into:ident, $from:ident; sum: $($sum:ident),*; most: $($most:ident),*; last: $($last:ident),*; first: $($first:ident),*;
     all: $($all:ident),*; told_of_the_whole_step: $($told:ident),*; above: $($above:ident),*) => {
        $into.timings.add(&$from.timings);
        let StepReport {
            $($sum,)* $($most,)* $($last,)* $($first,)* $($all,)* $($told: _,)* $($above: _,)*
        } = $from;
        $($into.$sum += $sum;)*
        $($into.$most = $into.$most.max($most);)*
        $($into.$last = $last;)*
        $($into.$first = $into.$first.take().or($first);)*
        $($into.$all.extend($all);)*
    };
}

/// What a step did. Figures of several substeps are the worst of them,
/// counts the largest, times the sum.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "a step may not have converged: look at its report"]
#[non_exhaustive]
pub struct StepReport {
    /// Time after the step \[s\].
    pub time: f64,
    /// Kinetic energy after the step \[J\].
    pub kinetic_energy: f64,
    /// Potential energy in gravity, zero at the origin \[J\].
    pub potential_energy: f64,
    /// Energy of the springs of joints, of cables and of soft bodies \[J\].
    pub elastic_energy: f64,
    /// Work of motors, kinematic bodies, user forces and the rotors of armatures in this step \[J\].
    pub work: f64,
    /// How far energy less work has risen above its lowest value so far \[J\]:
    /// energy that the steps created, and should not have.
    pub energy_gain: f64,
    /// Energy that this step created and took back from velocities \[J\].
    pub energy_taken: f64,
    /// Energy that it took in this step to part what had been put inside one another, and to close joints that had
    /// been put apart, beyond what their motion paid for \[J\]. It counts as work, not as gain.
    pub energy_mended: f64,
    /// Gain up to which the scheme counts as sound \[J\]: 1e-4 of the largest
    /// kinetic energy plus the range of potential energy so far.
    pub energy_tolerance: f64,
    /// Momentum of all dynamic bodies \[kg·m/s\].
    pub momentum: Vec3,
    /// Angular momentum about the origin \[kg·m²/s\].
    pub angular_momentum: Vec3,
    /// Where the time went.
    pub timings: Timings,
    /// Parts the step was done in: more than the substeps asked for if it
    /// tore joints open and was halved.
    pub parts: usize,
    /// Name of the first joint that opened even in the smallest part, if one did (empty if it broke in the same step): the
    /// motion was too fast for [`Settings::max_halvings`](crate::Settings::max_halvings). Its gap is closed in later steps.
    pub torn_joint: Option<String>,
    /// Islands solved.
    pub islands: usize,
    /// Islands that sweeps solved to [`Settings::accuracy`](crate::Settings::accuracy), of those
    /// solved.
    pub swept_islands: usize,
    /// Islands asleep.
    pub sleeping_islands: usize,
    /// Islands whose joints were closed by
    /// [`Settings::position_projection`](crate::Settings::position_projection), and those that
    /// [`Settings::contact_projection`](crate::Settings::contact_projection) moved, in every round.
    pub projected_islands: usize,
    /// Bodies that were held back where they would have run into something;
    /// see [`World::step`](crate::World::step).
    pub held_bodies: usize,
    /// The body that has lost more than half of its way for most steps in a row; none if none did in this step.
    /// See [`is_stuck`](Self::is_stuck).
    pub longest_hold: Option<Hold>,
    /// Two solids that meet as meshes and are deeper in one another than the ball that fits into the thinner one is thick by half: they may be passing
    /// through one another. (Not those that were put there.)
    pub sunk_pair: Option<[String; 2]>,
    /// Contact points, open ones included.
    pub contacts: usize,
    /// Contact points of soft bodies, open ones included.
    pub soft_contacts: usize,
    /// Elements of soft bodies that are inside out after the step; none if none is.
    pub inverted: Option<Inverted>,
    /// Rows of all problems.
    pub rows: usize,
    /// Name of the solver.
    pub solver: &'static str,
    /// What solved the largest island last, and why that.
    pub choice: Option<Choice>,
    /// The worst status of an island; `None` if nothing was to be solved.
    pub status: Option<Status>,
    /// Solver iterations, summed.
    pub iterations: usize,
    /// Numeric factorizations, summed.
    pub factorizations: usize,
    /// Friction passes of the slowest island.
    pub passes: usize,
    /// Largest natural residual \[m/s\].
    pub residual: f64,
    /// Largest relative residual. (Where rates of joints cancel to the last digit, as in free fall, relative to what is
    /// known of them.)
    pub relative_residual: f64,
    /// Largest energy error of a row \[J\].
    pub energy_error: f64,
    /// Largest residual \[m/s\] that friction rows would have with the bounds
    /// μλₙ of the answer instead of those they were solved with. (Unlike
    /// |μλₙ − bound|·Aᵢᵢ it ignores bounds that are not reached.) Bounds of cables that rub count as well, where they did not settle.
    pub friction_gap: f64,
    /// Largest compliance that contacts were given in this step, relative to the diagonal of
    /// their rows, because the cones as posed did not settle (jams, impacts of many bodies); 0
    /// where none was. The answer then obeys Coulomb's law with contacts that give way by it;
    /// `relative_residual` is that of the law as posed.
    pub contact_compliance: f64,
    /// Islands whose answer does not count as converged: residual beyond
    /// tolerance, inconsistent friction bounds where consistency was asked
    /// for, or a problem the solver refused.
    pub unconverged_islands: usize,
    /// Why problems were refused, if any were.
    pub refusals: Vec<String>,
    /// Why the first of the islands that did not converge did not, with the residual of the solve
    /// that failed.
    pub failure: Option<String>,
    /// Deepest penetration at the start of the step; of soft bodies at its end \[m\].
    pub max_penetration: f64,
    /// Mean penetration over touching contact points \[m\].
    pub mean_penetration: f64,
    /// Largest distance of anchors that should coincide, after the step \[m\].
    pub max_joint_gap: f64,
    /// Largest length by which a cable that does not stretch is too long, after the step \[m\].
    pub max_cable_error: f64,
    /// Largest share of its length by which such a cable is too long.
    pub max_over_length: f64,
    /// Name of a cable that does not stretch and was too long by more than 1e-6 of its length and 1e-9 m, if one was: the step
    /// did not keep its length.
    pub long_cable: Option<String>,
    /// Largest tension of a cable in any part of the step \[N\].
    pub max_tension: f64,
    /// What happened, in a fixed order.
    pub events: Vec<Event>,
}

impl StepReport {
    /// Whether every island converged.
    pub fn converged(&self) -> bool {
        self.unconverged_islands == 0
    }

    /// Kinetic, gravitational and elastic energy \[J\].
    pub fn energy(&self) -> f64 {
        self.kinetic_energy + self.potential_energy + self.elastic_energy
    }

    /// Whether the steps so far created energy beyond tolerance.
    pub fn gained_energy(&self) -> bool {
        self.energy_gain > self.energy_tolerance
    }

    /// Whether a body has been held back for more steps in a row than an impact takes: it stands
    /// still, whatever its velocity says. The step did not find out how it moves.
    pub fn is_stuck(&self) -> bool {
        self.held_steps() > MOST_HELD
    }

    /// Whether a joint opened even in the smallest part ([`torn_joint`](Self::torn_joint)).
    pub fn is_torn(&self) -> bool {
        self.torn_joint.is_some()
    }

    /// Whether a cable that does not stretch was too long ([`long_cable`](Self::long_cable)).
    pub fn is_overlong(&self) -> bool {
        self.long_cable.is_some()
    }

    /// Steps in a row of [`longest_hold`](Self::longest_hold), 0 without one.
    pub fn held_steps(&self) -> usize {
        self.longest_hold.as_ref().map_or(0, |hold| hold.steps)
    }

    /// Adds the report of the next substep.
    pub(crate) fn merge(&mut self, next: StepReport) {
        self.choice = larger(self.choice, next.choice);
        self.status = worse(self.status, next.status);
        merge!(self, next;
            sum: work, energy_taken, energy_mended, parts, iterations, factorizations, unconverged_islands;
            most: energy_gain, islands, swept_islands, sleeping_islands, projected_islands, held_bodies, contacts, soft_contacts,
                rows, passes, residual, relative_residual, energy_error, friction_gap, contact_compliance, max_penetration,
                mean_penetration, max_joint_gap, max_cable_error, max_over_length, max_tension;
            last: time, kinetic_energy, potential_energy, elastic_energy, energy_tolerance, momentum, angular_momentum, inverted, solver;
            first: sunk_pair, long_cable, failure;
            all: refusals, events;
            told_of_the_whole_step: torn_joint, longest_hold;
            above: choice, status, timings
        );
    }

    /// Adds the report of other islands in the same step. (What is measured of the whole world, `measure` fills in.)
    pub(crate) fn merge_beside(&mut self, other: StepReport) {
        if self.solver.is_empty() {
            self.solver = other.solver;
        }
        self.choice = larger(other.choice, self.choice);
        self.status = worse(self.status, other.status);
        merge!(self, other;
            sum: kinetic_energy, potential_energy, elastic_energy, work, energy_taken, energy_mended, islands, swept_islands,
                sleeping_islands, held_bodies, rows, iterations, factorizations, unconverged_islands;
            most: energy_gain, passes, residual, relative_residual, energy_error, friction_gap, contact_compliance;
            last: ;
            first: sunk_pair, failure;
            all: refusals, events;
            told_of_the_whole_step: torn_joint, longest_hold, time, energy_tolerance, momentum, angular_momentum, parts, projected_islands,
                contacts, soft_contacts, inverted, max_penetration, mean_penetration, max_joint_gap, max_cable_error, max_over_length, long_cable,
                max_tension;
            above: choice, status, solver, timings
        );
    }
}

/// The choice made for more rows; the later of equals.
pub(crate) fn larger(a: Option<Choice>, b: Option<Choice>) -> Option<Choice> {
    match (a, b) {
        (Some(a), Some(b)) if a.rows > b.rows => Some(a),
        (a, b) => b.or(a),
    }
}

/// The first status that is not `Converged`.
pub(crate) fn worse(a: Option<Status>, b: Option<Status>) -> Option<Status> {
    match (a, b) {
        (None | Some(Status::Converged), Some(b)) => Some(b),
        (a, _) => a,
    }
}
