//! The step by mean velocities: it keeps energy and momentum, and closes joints
//! at position level.
//!
//! **Positions.** The unknown is the mean velocity v̄ of the step, per body:
//!
//! 2M v̄ = 2M v + h f + J̄ᵀλ, x⁺ = x + h v̄, φ(x⁺) = 0,
//!
//! and v* = 2v̄ − v. Contacts ask for a gap φ + hJv̄ ≥ 0 at the end, friction acts
//! on the mean slip.
//! A body turns freely for half a step, takes its impulse there, and turns
//! freely for the other half (`free_rotation`), so ω̄ is the mean of the rates
//! before and after the impulse, and M holds the inertia in the middle. J̄ is the
//! mean of the Jacobians at both ends, the arms in it times tan(½θ)/(½θ),
//! θ = h|ω̄|. For points on bodies that turn about a fixed axis then
//! φ⁺ − φ = h J̄ v̄ exactly, so that joints do no work, and T* − T = v̄ᵀM(v* − v)
//! is the work of the forces alone. Springs pull with their mean elongation,
//! dampers with the mean rate: ½kφ² is kept.
//!
//! Newton on (v̄, λ): each iteration is a problem of the usual kind. The arms
//! follow ω̄, which adds −(½h)²[F]ₓ[r⁺]ₓ to the inertia, F the joint's mean force
//! (`geometric`; its semidefinite part is kept), and the remainder of φ⁺ to b.
//!
//! **Velocities.** v* rings about J v = 0, and bounces where a rope snaps taut or
//! a body lands. One more problem, in which positions ask for nothing: the
//! impulses of joints and of the contacts that closed are taken back and found anew,
//! so that J⁺v⁺ = 0, or ≥ 0 for contacts and limits. Corrections of positions
//! leave no trace in v⁺. With λ + ν the new impulses, ν·J⁺v⁺ ≤ 0 row by row, hence
//! T⁺ ≤ T*: this stage can only lose energy, and what rigid joints alone took is given
//! back (`balance`). (Without that a chain of 100 links with 500 kg loses 4 % in 10 s, one of 30
//! with 100 kg 69 %; with it 0.05 and 0.7 %.) Where λ and the new impulses differ much, light
//! links under load would be kicked aside; so where contacts act the stiffness of the first
//! stage is added to the inertia here, too. (Without it a rope held by friction on a drum chatters
//! and slips.)
//!
//! Cost: two to seven factorizations, and those of the second stage. Fails where
//! bodies turn too far in a step to be followed. Without contacts the step is then halved. With
//! them, motion jumps anyway, and half a step is no easier (light cables under the wheels of a
//! truck took 16 parts of a step, and 2 s): the island takes the semi-implicit step, which is
//! halved only where it opens joints or creates energy. Islands without joints take `repair`.
//!
//! References: Simo and Tarnow 1992 (energy and momentum by the mean velocity);
//! Andersen 1983, RATTLE (velocities after positions). Deviation: the free
//! rotation is exact.

mod contacts;
mod mixing;
mod rows;
mod trust;
mod velocities;

pub(super) use self::rows::half_tangent;

pub(crate) use self::contacts::Moved;
use super::balance::Closing;
use super::cables::Stops;
use super::joints::{correction, geometry_at};
use super::solve::CONE_TOLERANCE;
use super::{IslandSolver, Scene, Stage, Twist, geometric};
use crate::contact::{Contact, Forces};
use crate::islands::Island;
use crate::lcp::RowState;
use crate::math::{Mat3, Quat, Vec3};
use crate::scene::Arrival;
use crate::scene::joint::{Geometry, Part, Reaction, Row, Side};
use crate::surface::Place;
use crate::{BodyId, BodyState};

/// Tolerances are those of a step of this length \[s\]: shorter ones move less.
const FRAME: f64 = 1.0 / 60.0;
/// Newton gives up after so many iterations.
const MOST_ITERATIONS: usize = 30;
/// Positions have converged where joints miss them by this share of their size.
const CLOSED: f64 = 3e-6;
/// Share of their size by which joints may miss their positions where a step creates energy with `CLOSED`.
const EXACT: f64 = 1e-9;
/// Turns have converged where the last iteration changed them by this \[rad\].
const SETTLED: f64 = 3e-5;
/// Change of turns at which they have converged where contacts act \[rad\]: contacts lose more than that leaves, and light links on a drum
/// take twice the iterations for the rest.
const SETTLED_IN_TOUCH: f64 = 1e-3;
/// A sideways force of a cable of x times the weight counts as a turn of 0.1 x rad, which must settle as turns do: to 3e-4 of the weight. (Of a
/// line of 500 m with 50 points the tension was 0.7 % too large without.)
const WEIGHED: f64 = 0.1;
/// Newton is lost where turns change by more than this \[rad\] after so many iterations.
const ASTRAY: (usize, f64) = (3, 0.3);
/// After so many iterations less will do: contacts that come and go, or the compliance of
/// rows that contradict one another, keep Newton from going on. The balance of
/// energy judges what comes out.
const LATE: usize = 8;
const LOOSE: (f64, f64) = (3e-3, 1e-4);
/// Newton goes nowhere where turns change by less than this \[rad\] and joints miss as much as before. (On `vehicle`, whose
/// wheels turn by a radian a step, it took all iterations in three frames of four.)
const STILL: f64 = 1e-6;
/// Passes over friction in each of Newton's iterations, where there are joints.
const PASSES: usize = 2;
/// From this iteration on bounds and directions of friction stay: bounds that wander
/// would keep Newton from an end.
const FROZEN: usize = 5;
/// Contacts whose surfaces bend may end this much deeper than asked \[m\].
const SUNK: f64 = 1e-5;
/// A body on its way through the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    /// Rate at the start.
    pub(super) first: Vec3,
    /// Orientation, rate and inertia in the middle of the step, before impulses.
    pub(super) middle: Quat,
    rate: Vec3,
    inertia: Mat3,
    /// Rate in the middle, after impulses.
    pub(super) after: Vec3,
    /// v̄ and ω̄.
    pub(super) mean: Twist,
    /// Pose and velocities at the end.
    pub(super) x: Vec3,
    pub(super) q: Quat,
    pub(super) v: Vec3,
    pub(super) w: Vec3,
}

/// Memory of this step.
#[derive(Debug, Default)]
pub(super) struct Passages {
    bodies: Vec<Passage>,
    /// Impulses λ of the first stage, with their index set.
    lambda: Vec<f64>,
    set: Vec<RowState>,
    /// Forces of contacts and of joints in the first stage.
    contacts: Vec<Forces>,
    reactions: Vec<Reaction>,
    /// How bodies move in the step, and where contacts end by that.
    moves: Vec<Moved>,
    places: Vec<Option<Place>>,
    /// Whether mean velocities are not those of a solve yet.
    guessed: bool,
    /// Impulses of the first stage that the second finds anew.
    taken_back: Vec<f64>,
    image: Vec<f64>,
    /// Kinetic energy before the second stage \[J\], and what cables that stretch took of it, for good.
    before: f64,
    damped: f64,
    /// What it cost at most to close joints \[J\].
    closing: f64,
    /// Change of the gap of each contact in the step \[m\].
    travel: Vec<f64>,
    mixing: mixing::Mixing,
}

impl Passages {
    /// Impulse of the first stage in a row of the second.
    pub(super) fn taken_back(&self, row: usize) -> f64 {
        self.taken_back[row]
    }
}

/// What came of a step by mean velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    /// Bodies move by it.
    Kept,
    /// It is to be done once more with the concession to energy just made (`balance`), or with other stops of cables.
    Conceded,
    /// It is too long to be followed, and is to be taken back and halved.
    TooLong,
    /// Newton found nothing, or what creates energy: another kind of step must do.
    NotFound,
}

impl IslandSolver {
    /// Does the step, with concessions where there is no energy for pushing out, for closing joints, or for what Newton left.
    pub(super) fn run_energy_momentum(&mut self, scene: &Scene, island: &Island) -> Trial {
        loop {
            match self.try_energy_momentum(scene, island) {
                Trial::Conceded => self.take_contacts(scene, island),
                trial => return trial,
            }
        }
    }

    fn try_energy_momentum(&mut self, scene: &Scene, island: &Island) -> Trial {
        let work = self.report.work;
        self.begin_passages(scene, island);
        let found = self.find_positions(scene, island);
        match self.review_stops(scene, island, found) {
            Stops::Kept => {}
            Stops::Changed => {
                self.report.restart();
                self.report.work = work;
                return Trial::Conceded;
            }
            Stops::TooLong => return self.give_up_as_too_long(work),
        }
        let found = found && self.find_end_velocities(scene, island);
        let found = found && !self.has_run_astray(island);
        let long = scene.may_halve
            && (!found || self.is_lossy(scene, island) || self.cables_snap(scene, island));
        let may_fail = scene.may_halve || island.is_loose();
        let sound = found && !long && self.balance(scene, island, may_fail);
        let conceded = sound && self.concede(scene, island);
        if sound && !conceded {
            if !self.jumps() && !self.is_kicked(scene, island) {
                self.give_back(scene, island, self.passages.before - self.passages.damped);
            }
            self.leave(scene.h);
            return Trial::Kept;
        }
        self.report.restart();
        self.report.work = work;
        // Once more, without closing or pushing: no shorter step makes their cost less. (A chain that hangs at rest
        // took 170 parts of a frame, each for 1e-7 J that closing joints by 1e-10 m costs.)
        if conceded {
            return Trial::Conceded;
        }
        // Cables are as long as they are, contacts or not.
        let smooth = self.contacts.is_empty() || !island.cables.is_empty();
        if scene.may_halve && !island.is_loose() && smooth {
            return self.give_up_as_too_long(work);
        }
        Trial::NotFound
    }

    /// Has the step taken back and halved.
    fn give_up_as_too_long(&mut self, work: f64) -> Trial {
        self.report.restart();
        self.report.work = work;
        self.report.take_back();
        self.velocities.clear();
        self.arrivals.clear();
        Trial::TooLong
    }

    /// Moves bodies by the velocities that the semi-implicit step found; false if that
    /// creates too much energy for a step.
    pub(super) fn move_by_answer(&mut self, scene: &Scene, island: &Island) -> bool {
        self.begin_passages(scene, island);
        for (k, &slot) in island.bodies.iter().enumerate() {
            let Some(body) = scene.bodies.at(slot) else { continue };
            let (v, w) = self.velocities[k];
            let p = &mut self.passages.bodies[k];
            p.mean = (v, w);
            p.first = w;
            (p.middle, p.after) = body.principal.turn(body.q, w, 0.5 * scene.h);
            (p.x, p.v) = (body.x + v * scene.h, v);
            (p.q, p.w) = body.principal.turn(body.q, w, scene.h);
        }
        let sound = self.balance(scene, island, scene.may_halve);
        self.leave(scene.h);
        sound
    }

    /// Hands over what was found.
    pub(super) fn leave(&mut self, h: f64) {
        self.velocities.clear();
        self.velocities.extend(self.passages.bodies.iter().map(|p| (p.v, p.w)));
        self.arrivals.clear();
        let arrival = |p: &Passage| Arrival {
            x: p.x,
            q: p.q,
            mean: p.mean,
            first: p.first,
            half: 0.5 * h,
            middle: p.middle,
            after: p.after,
        };
        self.arrivals.extend(self.passages.bodies.iter().map(arrival));
        self.add_impacts();
    }

    /// Forces of joints in the first stage, along its rows.
    fn note_first_reactions(&mut self, scene: &Scene, island: &Island) {
        let mut rows = self.joint_rows.iter().zip(&self.passages.lambda).peekable();
        self.passages.reactions.clear();
        for &slot in &island.joints {
            let mut reaction = Reaction::default();
            while let Some(((_, row), lambda)) = rows.next_if(|((of, _), _)| *of == slot) {
                if row.reaction {
                    reaction.add(row.on_b(), lambda / scene.h);
                }
            }
            self.passages.reactions.push(reaction);
        }
    }

    /// The force of a joint in the first stage, if the step had one.
    pub(super) fn first_reaction(&self, k: usize) -> Option<Reaction> {
        self.passages.reactions.get(k).copied()
    }

    /// Forgets the first stage of another step.
    pub(super) fn forget_first_stage(&mut self) {
        self.passages.reactions.clear();
    }

    /// What it cost at most to close joints \[J\].
    pub(super) fn cost_of_closing(&self) -> f64 {
        self.passages.closing
    }

    /// A body of the island on its way.
    pub(super) fn passage(&self, k: usize) -> &Passage {
        &self.passages.bodies[k]
    }

    pub(super) fn passages_mut(&mut self) -> &mut [Passage] {
        &mut self.passages.bodies
    }

    pub(super) fn passage_mut(&mut self, k: usize) -> &mut Passage {
        &mut self.passages.bodies[k]
    }

    pub(super) fn begin_passages(&mut self, scene: &Scene, island: &Island) {
        let half = 0.5 * scene.h;
        self.passages.closing = 0.0;
        self.passages.guessed = true;
        self.forget_first_stage();
        self.passages.bodies.clear();
        for (&slot, &(v, w)) in island.bodies.iter().zip(&self.start) {
            let Some(body) = scene.bodies.at(slot) else { continue };
            let (middle, rate) = body.principal.turn(body.q, w, half);
            let r = Mat3::from_quat(middle);
            let inertia = r * body.inertia * r.transpose();
            // What hangs on cables hardly falls; Newton's first step would see it fall across them.
            let falls = if self.hangs(slot) { 0.0 } else { half };
            let mean_v = v + falls * acceleration(scene, body);
            let mean_w = rate + angular_change(inertia, half * body.torque);
            self.passages.bodies.push(Passage {
                first: w,
                middle,
                rate,
                inertia,
                after: rate,
                mean: (mean_v, mean_w),
                x: body.x,
                q: body.q,
                v,
                w,
            });
        }
    }

    /// Newton's method on v̄ and λ.
    fn find_positions(&mut self, scene: &Scene, island: &Island) -> bool {
        let found = self.iterate_positions(scene, island);
        self.rough = false;
        found
    }

    fn iterate_positions(&mut self, scene: &Scene, island: &Island) -> bool {
        let share = scene.h / FRAME;
        let cones = self.cone(scene, Stage::Positions).is_some();
        self.passages.mixing.clear(!island.joints.is_empty());
        // (Bounds of cables would not settle on rough answers.)
        self.rough = cones && !island.joints.is_empty() && island.cables.is_empty();
        self.move_on(scene, island);
        self.push_rows(scene, island, Stage::Positions);
        let mut last = f64::INFINITY;
        for iteration in 0..MOST_ITERATIONS {
            let passes = match iteration {
                _ if island.is_loose() => usize::MAX,
                i if i < FROZEN => PASSES,
                _ => 1,
            };
            // What the last iteration leaves counts. (Rings that rub were called unconverged for an early one.)
            (self.report.contact_compliance, self.report.given_up) = (0.0, None);
            self.solve_with_friction(scene, island, Stage::Positions, passes);
            if !self.report.is_usable() {
                return false;
            }
            let change = self.take_mean(scene, island);
            let follows = iteration < FROZEN || cones;
            if follows {
                self.contact_forces(scene.h);
            }
            if !change.is_finite() {
                return false;
            }
            self.move_on(scene, island);
            // Contacts that give way sink, however often they are asked.
            let stiff = self.report.contact_compliance == 0.0;
            let sunk = stiff && self.sunk() > SUNK && iteration < LATE;
            if island.is_loose() && !sunk {
                self.end_first_stage(scene, island, follows);
                return true; // linear
            }
            let missed = self.reassemble(scene, island, Stage::Positions);
            // Where bodies still turn far, more iterations turn them farther.
            if iteration >= ASTRAY.0 && (change > ASTRAY.1 || !missed.is_finite()) {
                return false;
            }
            let touches = self.contacts.iter().any(|c| c.normal_force > 0.0);
            let (settled, closed) = match iteration {
                i if i >= LATE && !self.contacts.is_empty() => LOOSE,
                _ if self.closing == Closing::NoneExactly => (SETTLED, EXACT),
                _ if touches => (SETTLED_IN_TOUCH, CLOSED),
                _ => (SETTLED, CLOSED),
            };
            // Rigid rows give way by their compliance, which no iteration makes less.
            let stagnant = missed > 0.5 * last && missed <= LOOSE.1;
            // Axes of wheels that turn far are off for good: no iteration makes that less.
            let lost = missed > 0.99 * last && missed > LOOSE.1 && change <= STILL * share;
            last = missed;
            if lost {
                return false;
            }
            let found = !sunk && change <= settled * share && (missed <= closed || stagnant);
            // The last iteration solves cones to their tolerance; where nothing slides all do. (One
            // solve of five saved on `bridge`, of four on `forklift`.)
            let exact = self.report.relative_residual <= CONE_TOLERANCE;
            if found && (!std::mem::take(&mut self.rough) || exact) {
                self.end_first_stage(scene, island, false);
                return true;
            }
        }
        false
    }

    /// Forces of contacts, unless contacts have those of the last solve, and work of the first stage.
    fn end_first_stage(&mut self, scene: &Scene, island: &Island, has_forces: bool) {
        if !has_forces {
            self.iterate.lambda.clone_from(&self.passages.lambda);
            self.contact_forces(scene.h);
        }
        self.passages.contacts.clear();
        self.passages.contacts.extend(self.contacts.iter().map(Contact::forces));
        self.note_first_reactions(scene, island);
        let cost = |(i, (_, row)): (usize, &(u32, Row))| {
            let workless = self.closing == Closing::Full && row.is_workless();
            let rate = if workless { correction(scene, row.phi) } else { 0.0 };
            (rate * self.passages.lambda[i]).abs()
        };
        self.passages.closing = self.joint_rows.iter().enumerate().map(cost).sum();
        self.report.work += self.work_of_mean(scene, island);
        self.report.work += self.work_of_winches(scene, island);
    }

    /// Poses and velocities at the end for the present mean velocities.
    fn move_on(&mut self, scene: &Scene, island: &Island) {
        let bodies = self.passages.bodies.iter_mut().zip(&island.bodies).zip(&self.start);
        for (k, ((p, &slot), &(v, _))) in bodies.enumerate() {
            let Some(body) = scene.bodies.at(slot) else { continue };
            p.x = body.x + p.mean.0 * scene.h + self.impacts.shift(k);
            p.v = 2.0 * p.mean.0 - v;
            p.after = 2.0 * p.mean.1 - p.rate;
            (p.q, p.w) = body.principal.turn(p.middle, p.after, 0.5 * scene.h);
        }
        self.find_places(scene, island);
        self.move_cables(scene, island);
    }

    /// v̄ of the last solve; returns the largest change of a turn.
    fn take_mean(&mut self, scene: &Scene, island: &Island) -> f64 {
        self.find_velocities(island);
        let finite = |t: &Twist| t.0.is_finite() && t.1.is_finite();
        if !self.velocities.iter().all(finite) {
            return f64::NAN;
        }
        self.passages.guessed = false;
        let mut change = 0.0_f64;
        let bodies = self.passages.bodies.iter().zip(&self.velocities);
        for ((p, mean), (loaded, &slot)) in bodies.zip(self.geometric.iter().zip(&island.bodies)) {
            let turn = scene.h * (mean.1 - p.mean.1);
            change = change.max(turn.length());
            if loaded.near > 0.0 {
                let mass = scene.bodies.at(slot).map_or(1.0, |b| b.mass);
                let by = scene.h * (mean.0 - p.mean.0);
                change = change.max(loaded.swing(by, mass));
                change = change.max(WEIGHED * loaded.weighed(by, mass, scene));
            }
        }
        let Passages { bodies, mixing, .. } = &mut self.passages;
        mixing.take(change, bodies.iter().zip(&self.velocities).map(|(p, mean)| (p.mean, *mean)));
        let settled = change <= SETTLED_IN_TOUCH * scene.h / FRAME;
        let (share, gamma) = (mixing.shorten(), mixing.weights());
        for (k, (p, mean)) in bodies.iter_mut().zip(&self.velocities).enumerate() {
            p.mean = match (settled, island.cables.is_empty()) {
                (true, _) => *mean,
                (false, true) => mixing.next(k, &gamma),
                (false, false) => mixing.part(k, share),
            };
        }
        self.passages.lambda.clone_from(&self.iterate.lambda);
        self.passages.set.clone_from(&self.iterate.set);
        self.take_forces(scene.h, island);
        self.take_tensions(scene, island);
        change
    }

    /// Work of user forces, motors and kinematic bodies in the first stage.
    fn work_of_mean(&self, scene: &Scene, island: &Island) -> f64 {
        let mut work = 0.0;
        for (p, &slot) in self.passages.bodies.iter().zip(&island.bodies) {
            if let Some(body) = scene.bodies.at(slot) {
                work += scene.h * (body.force.dot(p.mean.0) + body.torque.dot(p.mean.1));
            }
        }
        let mean = |k: usize| self.passages.bodies.get(k).map(|p| p.mean);
        work + self.work_of_rows(scene, |i| self.passages.lambda[i], mean)
    }

    /// The geometric stiffness of the joints' mean forces on the arms at the end.
    fn find_arms(&mut self, scene: &Scene, island: &Island) {
        self.geometric.clear();
        let turning = self.passages.bodies.iter().map(|p| geometric::Loaded::turning(p.mean.1));
        self.geometric.extend(turning);
        for (k, &slot) in island.joints.iter().enumerate() {
            let force = self.joint_forces[k];
            if force == Vec3::ZERO {
                continue;
            }
            let end = self.end_geometry(scene, slot);
            for (side, force) in [(&end.a, -force), (&end.b, force)] {
                let local = side.body.map_or(u32::MAX, |id| scene.local[id.index()]);
                if let Some(sum) = self.geometric.get_mut(local as usize) {
                    sum.stiffness += geometric::along_arm(0.5 * scene.h, force, side.r);
                }
            }
        }
        self.add_cable_stiffness(scene);
        self.add_contact_stiffness(scene);
        for sum in &mut self.geometric {
            sum.stiffness = geometric::definite_part(sum.stiffness);
        }
    }

    /// Where the frames of a joint are at the end of the step.
    pub(super) fn end_geometry(&self, scene: &Scene, slot: u32) -> Geometry {
        let pose = |id: BodyId, body: &BodyState| self.end_pose(scene, id, body);
        match scene.joints.at(slot) {
            Some(state) => geometry_at(&state.joint, scene.bodies, pose),
            None => self.joint_geometry[0],
        }
    }

    pub(super) fn end_pose(&self, scene: &Scene, id: BodyId, body: &BodyState) -> (Vec3, Quat) {
        match self.passages.bodies.get(scene.local[id.index()] as usize) {
            Some(p) => (p.x, p.q),
            None => body.given_pose(scene.h),
        }
    }

    /// Mean velocity of the body in a slot.
    pub(super) fn mean_of(&self, scene: &Scene, slot: u32) -> Twist {
        let local = scene.local[slot as usize] as usize;
        let given = |b: &BodyState| b.given(0.5 * scene.h);
        let still = || scene.bodies.at(slot).map_or((Vec3::ZERO, Vec3::ZERO), given);
        self.passages.bodies.get(local).map_or_else(still, |p| p.mean)
    }

    /// Impulse of a row in the first stage.
    pub(super) fn first_impulse(&self, row: usize) -> f64 {
        self.passages.lambda.get(row).copied().unwrap_or(0.0)
    }

    /// States of rows in the first stage.
    pub(super) fn first_states(&self, rows: std::ops::Range<usize>) -> &[RowState] {
        self.passages.set.get(rows).unwrap_or(&[])
    }

    /// Turn of b against a about the axis by the mean rates.
    pub(super) fn turn_about(&self, scene: &Scene, start: &Geometry) -> f64 {
        let rate = |side: &Side| {
            let id = side.body?;
            let local = scene.local[id.index()] as usize;
            let still = scene.bodies.get(id.index, id.generation).map(|b| b.given(0.5 * scene.h).1);
            self.passages.bodies.get(local).map(|p| p.mean.1).or(still)
        };
        let (a, b) = (rate(&start.a).unwrap_or_default(), rate(&start.b).unwrap_or_default());
        scene.h * start.angle_rate(a, b)
    }

    /// Mean velocity of a body, its own or, where it is not of the island, as given.
    fn mean_twist(&self, scene: &Scene, part: &Part) -> Twist {
        let id = part.body;
        let body = scene.bodies.get(id.index, id.generation);
        let still = body.map_or((Vec3::ZERO, Vec3::ZERO), |b| b.given(0.5 * scene.h));
        self.passages.bodies.get(scene.local[id.index()] as usize).map_or(still, |p| p.mean)
    }
}

/// I⁻¹ times an angular impulse, which mostly is none.
fn angular_change(inertia: Mat3, impulse: Vec3) -> Vec3 {
    if impulse == Vec3::ZERO { impulse } else { inertia.inverse() * impulse }
}

/// Of gravity and user force.
fn acceleration(scene: &Scene, body: &BodyState) -> Vec3 {
    body.body.gravity_scale * scene.gravity + body.force / body.mass
}
