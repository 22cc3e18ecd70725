//! Steps that something else computes: a world as the stage of another stepper.
//!
//! The crate `taut-barrier` moves bodies by other laws. What it needs of a world is here: which bodies meet and how rough they are,
//! what pushes them, and a step that puts them where they were found to be, so that scenes, recordings and reports are the same.

use super::World;
use crate::Error;
use crate::assemble::Energy;
use crate::error::check;
use crate::math::{Pose, Vec3};
use crate::report::StepReport;
use crate::scene::Material;
use crate::slots::{BodyId, SoftBodyId};

/// Where a body is after a step, and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToldBody {
    /// The body.
    pub id: BodyId,
    /// Its pose.
    pub pose: Pose,
    /// Velocity of its centre of mass \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity \[rad/s\].
    pub angular_velocity: Vec3,
}

impl ToldBody {
    /// A body at a pose, with the velocity of its centre of mass \[m/s\] and its angular velocity \[rad/s\].
    pub fn new(id: BodyId, pose: Pose, velocity: Vec3, angular_velocity: Vec3) -> Self {
        ToldBody { id, pose, velocity, angular_velocity }
    }
}

/// Where the nodes of a soft body are after a step, and how they move.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToldSoft {
    /// The soft body.
    pub id: SoftBodyId,
    /// Where each node is \[m\].
    pub places: Vec<Vec3>,
    /// Their velocities \[m/s\].
    pub velocities: Vec<Vec3>,
}

impl ToldSoft {
    /// A soft body with its nodes at these places \[m\], with these velocities \[m/s\].
    pub fn new(id: SoftBodyId, places: Vec<Vec3>, velocities: Vec<Vec3>) -> Self {
        ToldSoft { id, places, velocities }
    }
}

/// Energy that is no motion of the world, of a step that is told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToldEnergy {
    /// Work of forces and drives in the step \[J\].
    pub work: f64,
    /// What motion has lost so far, to contacts and elastic bodies of the other stepper or for good: no more comes back without being created. The step
    /// keeps it up to date \[J\].
    pub lost: f64,
}

impl World {
    /// What two bodies have together; none if they do not collide. Refused where some of their shapes differ from others in that.
    pub fn pair(&self, a: BodyId, b: BodyId) -> Result<Option<Material>, Error> {
        let names = [self.body(a)?.name(), self.body(b)?.name()];
        if self.jointed.binary_search(&(a.index.min(b.index), a.index.max(b.index))).is_ok() {
            return Ok(None);
        }
        let of = |id: BodyId| self.colliders.of_body.get(id.index()).into_iter().flatten().copied();
        let mut found: Option<Option<Material>> = None;
        for i in of(a) {
            for j in of(b) {
                let entry = |k: u32| self.colliders.entries[k as usize].as_ref();
                let meet = entry(i).zip(entry(j)).is_some_and(|(one, two)| one.may_meet(two));
                let [one, two] = [i, j].map(|k| self.colliders.materials[k as usize]);
                let pair = self.pairs.of(&one, &two).map_or_else(|| one.with(&two), |p| p.0);
                let anisotropy = pair.anisotropy.or(one.anisotropy).or(two.anisotropy);
                let this = meet.then_some(Material { anisotropy, ..pair });
                if *found.get_or_insert(this) != this {
                    let reason = format!("its shapes differ in how they meet '{}'", names[1]);
                    return Err(Error::body(names[0], &reason));
                }
            }
        }
        Ok(found.flatten())
    }

    /// Force \[N\] and torque \[N·m\] that act on a body in the next step, besides gravity.
    pub fn applied(&self, id: BodyId) -> Result<(Vec3, Vec3), Error> {
        let body = self.body(id)?;
        Ok((body.force, body.torque))
    }

    /// Plans the way of a kinematic body through the next step of `dt` seconds: the mean velocity \[m/s\] and angular velocity \[rad/s\] on it.
    pub fn plan_way(&mut self, id: BodyId, dt: f64) -> Result<(Vec3, Vec3), Error> {
        let body = self.body_mut(id)?;
        body.set_out(dt);
        Ok(body.way())
    }

    /// Does a step of `dt` seconds whose result is told: bodies are where and move as they are told, all else stays. Forces of users are forgotten, contacts and
    /// forces of joints are none. The report has time, energies, momenta, gaps of joints, one that was torn, and what energy was created: beyond work, and what motion
    /// lost before. How the step went is for the caller to say.
    pub fn step_as_told(
        &mut self,
        dt: f64,
        bodies: &[ToldBody],
        softs: &[ToldSoft],
        told: &mut ToldEnergy,
    ) -> Result<StepReport, Error> {
        check("dt", dt, dt.is_finite() && dt > 0.0, "finite and positive")?;
        check("work", told.work, told.work.is_finite(), "finite")?;
        self.start_ledger();
        self.remember_gaps();
        let energy_of = |world: &World| {
            let World { bodies, joints, cables, softs, gravity, .. } = world;
            Energy::of_world(bodies, joints, cables, softs, *gravity)
        };
        let before = energy_of(self);
        for place in bodies {
            let body = self.body_mut(place.id)?;
            let unit = (place.pose.rotation.length() - 1.0).abs() < 1e-6;
            let finite = place.velocity.is_finite() && place.angular_velocity.is_finite();
            if !(place.pose.is_finite() && finite && unit) {
                return Err(Error::body(body.name(), "where it is told to be is not finite"));
            }
            body.q = place.pose.rotation.normalize();
            body.x = place.pose.translation + body.q * body.centre;
            (body.v, body.w) = (place.velocity, place.angular_velocity);
        }
        for ToldSoft { id, places, velocities } in softs {
            let soft = self.softs.get_mut(id.index, id.generation);
            let soft = soft.ok_or(Error::UnknownId { what: "soft body" })?;
            if places.len() != soft.x.len() || velocities.len() != soft.x.len() {
                return Err(Error::soft(soft.name(), "it is told another number of nodes"));
            }
            soft.place(places, velocities);
        }
        for (_, body) in self.bodies.iter_mut() {
            (body.force, body.torque) = (Vec3::ZERO, Vec3::ZERO);
            body.end_path();
        }
        self.contacts.clear();
        self.gone.clear();
        self.work.missed = Default::default();
        self.update_angles();
        self.time += dt;
        let mut report = StepReport::default();
        self.measure(&mut report);
        let energy = energy_of(self);
        let gain = energy.total() - before.total() - told.work;
        let lost = (told.lost - gain).max(0.0);
        self.ledger.book(gain + lost - told.lost);
        told.lost = lost;
        report.work = told.work;
        report.energy_gain = self.ledger.rise;
        let torn = self.opened_joint();
        report.torn_joint =
            torn.map(|slot| self.joints.at(slot).map_or("", |j| j.name()).to_string());
        report.kinetic_energy = energy.kinetic;
        report.potential_energy = energy.gravity;
        report.elastic_energy = energy.elastic;
        self.see_energy(&mut report);
        Ok(report)
    }
}
