//! Scenes by barriers: the bodies of a world as those of `taut-barrier`, and back.
//!
//! **Problem**: a scene with `"contact": {"barrier": …}` is to run as any other, with the same recordings and reports. The world is the stage: its bodies,
//! forces and drives are read before each step, the barrier stepper moves them, and the world is told where they are.
//!
//! Bodies become affine ones with the mass and inertia that they have, their shapes triangles (`surface`), joints linear constraints (`joints`). What barriers know
//! nothing of is an error that names it: cables, belts, directions of friction, torsion and rolling, joints with limits, motors or springs.
//! Restitution does nothing: barriers do not bounce.
//!
//! **The start** (`start`): surfaces are drawn back where bodies are nearer than d̂.
//!
//! **Cost**: that of the stepper; a world that was changed from outside (another velocity, a joint that is gone) is read anew. A recording that is continued is, too, so
//! it does not go on with the same bits.

mod file;
mod joints;
mod start;
mod surface;

pub use file::scene_file;

use std::time::Instant;

use taut::math::{Mat3, Pose, Quat, Vec3};
use taut::{
    BodyId, BodyKind, BodyState, ContactModel, Error, FrictionMode, SoftBodyId, StepReport,
    ToldBody, ToldEnergy, ToldSoft, World,
};
use taut_barrier::{Progress, Settings, Status, System, Weight};

/// A world's bodies, moved by barriers.
pub struct Barriers {
    system: System,
    bodies: Vec<Rigid>,
    softs: Vec<(SoftBodyId, usize)>,
    joints: Vec<taut::JointId>,
    model: ContactModel,
    drawn_back: f64,
    progress: Vec<Progress>,
    /// None before the first step.
    energy: Option<ToldEnergy>,
}

/// A body that moves.
struct Rigid {
    id: BodyId,
    system: usize,
    is_driven: bool,
    /// Orientation where the system was built.
    start: Quat,
    /// What the world was told last.
    told: (Pose, Vec3, Vec3),
}

impl std::fmt::Debug for Barriers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Barriers").field("bodies", &self.system.len()).finish_non_exhaustive()
    }
}

/// Newton steps end where no vertex would move by this many d̂ a second, after so many rounds in which friction takes normal forces anew. (A block that slides to rest
/// stops 1.3e-5 m and 1.8e-4 m off at d̂ = 2.5e-4 m and a quarter of it with 1e-6 m/s and one round; `examples/contact_models.rs` has these.)
const TOLERANCE: f64 = 1e-3;
const ROUNDS: usize = 3;
/// Affine bodies may give way by this share of d̂: written are rigid ones.
const GIVEN: f64 = 0.1;

/// What barriers do not take.
fn refused(name: &str, what: &str) -> Error {
    Error::Stepper(format!("contact barrier: {name}: {what}"))
}

fn wrong(e: taut_barrier::Error) -> Error {
    Error::Stepper(format!("contact barrier: {e}"))
}

fn rows(m: Mat3) -> [[f64; 3]; 3] {
    let t = m.transpose();
    [t.x_axis.to_array(), t.y_axis.to_array(), t.z_axis.to_array()]
}

impl Barriers {
    fn build(world: &World, drawn_back: f64) -> Result<Self, Error> {
        let model = world.settings().contact;
        let ContactModel::Barrier { d_hat, eps_v } = model else {
            return Err(Error::Stepper("the world's contact model is not barrier".into()));
        };
        if world.cables().next().is_some() {
            return Err(refused("cables", "not taken by barriers"));
        }
        if !matches!(world.settings().friction, FrictionMode::Cone | FrictionMode::Ccp) {
            return Err(refused(
                "friction",
                "barriers have Coulomb's cone, smoothed, and no other law",
            ));
        }
        let gravity = world.gravity().to_array();
        let settings = Settings {
            reach: d_hat,
            creep: eps_v,
            gravity,
            tolerance: TOLERANCE * d_hat,
            friction_rounds: ROUNDS,
            ..Settings::default()
        };
        let system = System::new(settings).map_err(wrong)?;
        let mut barriers = Barriers {
            system,
            bodies: Vec::new(),
            softs: Vec::new(),
            joints: world.joints().map(|(id, _)| id).collect(),
            model,
            drawn_back,
            progress: Vec::new(),
            energy: None,
        };
        let mut ids = Vec::new();
        for (id, body) in world.bodies() {
            ids.push((id, barriers.add(id, body)?));
        }
        for (k, &(a, first)) in ids.iter().enumerate() {
            for &(b, second) in &ids[..k] {
                let friction = friction(world, a, b)?;
                barriers.system.set_pair(first, second, friction).map_err(wrong)?;
            }
        }
        for (id, soft) in world.soft_bodies() {
            barriers.add_soft(id, soft)?;
        }
        for (id, joint) in world.joints() {
            joints::add(&mut barriers.system, world, &ids, id, joint.definition())?;
        }
        Ok(barriers)
    }

    fn add(&mut self, id: BodyId, body: &BodyState) -> Result<usize, Error> {
        let name = body.name();
        let is_fixed = body.kind() == BodyKind::Fixed;
        if body.definition().surface_velocity != Vec3::ZERO {
            return Err(refused(name, "surfaces that run (belts) are not taken by barriers"));
        }
        let surface::Parts { meshes, half_spaces } = surface::parts(body, self.drawn_back)?;
        let system = &mut self.system;
        // Frictions are those of pairs.
        if is_fixed {
            let mesh = surface::joined(name, &meshes)?;
            if mesh.is_none() && half_spaces.is_empty() {
                return Err(refused(name, "a fixed body without a shape"));
            }
            return system.add_half_spaces(name, &half_spaces, mesh.as_ref(), 0.0).map_err(wrong);
        }
        let is_driven = body.kind() == BodyKind::Kinematic;
        let centre = body.centre_of_mass().to_array();
        let added = if is_driven {
            let moments = meshes.iter().map(|m| m.moments());
            let mass: f64 = moments.map(|m| 1000.0 * m.volume).sum();
            let mass = if mass > 0.0 { mass } else { 1.0 };
            // Any will do: it goes where it is told.
            let turn = 0.1 * mass;
            let inertia = [[turn, 0.0, 0.0], [0.0, turn, 0.0], [0.0, 0.0, turn]];
            system.add_driven(name, &meshes, &Weight { mass, centre, inertia }, 0.0)
        } else {
            let weight = Weight { mass: body.mass(), centre, inertia: rows(body.inertia()) };
            system.add_weighted(name, &meshes, &weight, 0.0)
        };
        let index = added.map_err(|e| refused(name, &e.to_string()))?;
        let (v, w) = (body.velocity(), body.angular_velocity());
        system.set_velocity(index, v.to_array(), w.to_array()).map_err(wrong)?;
        self.bodies.push(Rigid {
            id,
            system: index,
            is_driven,
            start: body.orientation(),
            told: (body.pose(), v, w),
        });
        Ok(index)
    }

    fn add_soft(&mut self, id: SoftBodyId, soft: &taut::SoftBodyState) -> Result<(), Error> {
        let (name, definition) = (soft.name(), soft.definition());
        if soft.has_attachments() {
            return Err(refused(name, "nodes attached to bodies are not taken by barriers"));
        }
        if definition.rayleigh() != [0.0; 2] {
            return Err(refused(name, "soft bodies with damping are not taken by barriers"));
        }
        let mu = definition.skin_material().friction;
        let index = self.system.add_soft(name, definition.solid()?, mu).map_err(wrong)?;
        let places: Vec<_> = soft.positions().iter().map(|x| x.to_array()).collect();
        let velocities: Vec<_> = soft.velocities().iter().map(|v| v.to_array()).collect();
        self.system.set_nodes(index, &places).map_err(wrong)?;
        for node in (0..places.len()).filter(|&n| soft.is_pinned(n)) {
            self.system.pin(index, node).map_err(wrong)?;
        }
        self.system.set_node_velocities(index, &velocities).map_err(wrong)?;
        for rigid in 0..index {
            if !self.softs.iter().any(|s| s.1 == rigid) {
                self.system.set_pair(rigid, index, Some(mu)).map_err(wrong)?;
            }
        }
        self.softs.push((id, index));
        Ok(())
    }

    /// How far surfaces are drawn back because bodies touch at the start \[m\]; 0: not at all.
    pub fn drawn_back(&self) -> f64 {
        self.drawn_back
    }

    /// Newton steps of the last step.
    pub fn progress(&self) -> &[Progress] {
        &self.progress
    }

    /// The system of `taut-barrier`.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Whether the world is as it was told to be, but for forces and what drives it.
    fn knows(&self, world: &World) -> bool {
        let count = world.bodies().filter(|(_, b)| b.kind() != BodyKind::Fixed).count();
        let as_told = |r: &Rigid| {
            let Ok(body) = world.body(r.id) else { return false };
            let now = (body.pose(), body.velocity(), body.angular_velocity());
            now.0 == r.told.0 && (r.is_driven || now == r.told)
        };
        let joints = world.joints().map(|(id, _)| id);
        self.model == world.settings().contact
            && count == self.bodies.len()
            && world.soft_bodies().count() == self.softs.len()
            && joints.eq(self.joints.iter().copied())
            && self.bodies.iter().all(as_told)
    }

    /// Advances the world by `dt` seconds, in its substeps.
    pub fn step(&mut self, world: &mut World, dt: f64) -> Result<StepReport, Error> {
        let t0 = Instant::now();
        if !(dt.is_finite() && dt > 0.0) {
            let (value, expected) = (dt.to_string(), "finite and positive");
            return Err(Error::Value { name: "dt", value, expected });
        }
        world.settings().validate()?;
        if !self.knows(world) {
            *self = self.renewed(world)?;
        }
        self.progress.clear();
        let gravity = world.gravity();
        self.system.set_gravity(gravity.to_array()).map_err(wrong)?;
        let parts = world.settings().substeps;
        let mut pushes = Vec::new();
        for rigid in &self.bodies {
            if rigid.is_driven {
                let (v, w) = world.plan_way(rigid.id, dt)?;
                self.system
                    .set_velocity(rigid.system, v.to_array(), w.to_array())
                    .map_err(wrong)?;
                continue;
            }
            let body = world.body(rigid.id)?;
            let (force, torque) = world.applied(rigid.id)?;
            let extra = body.mass() * (body.definition().gravity_scale - 1.0) * gravity;
            pushes.push((rigid.system, (force + extra).to_array(), torque.to_array()));
        }
        let mut seen = Seen::default();
        for _ in 0..parts {
            for &(id, force, torque) in &pushes {
                self.system.push(id, force, torque).map_err(wrong)?;
            }
            let progress = &mut self.progress;
            let part = self.system.step_with(dt / parts as f64, |p| progress.push(*p));
            seen.add(&part.map_err(wrong)?);
        }
        let told = self.system.told(|id| if self.is_soft(id) { 0.0 } else { self.drawn_back });
        (seen.gap, seen.deviation) = (told.gap, told.deviation);
        self.tell(world, dt, &seen, t0)
    }

    /// Tells the world where all is.
    fn tell(
        &mut self,
        world: &mut World,
        dt: f64,
        seen: &Seen,
        t0: Instant,
    ) -> Result<StepReport, Error> {
        let mut told = Vec::new();
        for rigid in &mut self.bodies {
            let at = Vec3::from_array(self.system.position(rigid.system).map_err(wrong)?);
            let [x, y, z] =
                self.system.rotation(rigid.system).map_err(wrong)?.map(Vec3::from_array);
            let turn = Quat::from_mat3(&Mat3::from_cols(x, y, z).transpose());
            let q = (turn * rigid.start).normalize();
            let body = world.body(rigid.id)?;
            let centre = body.orientation().conjugate() * (body.centre_of_mass() - body.position());
            let velocity = Vec3::from_array(self.system.velocity(rigid.system).map_err(wrong)?);
            let spin = self.system.angular_velocity(rigid.system).map_err(wrong)?;
            let pose = Pose::from_parts(at - q * centre, q);
            told.push(ToldBody::new(rigid.id, pose, velocity, Vec3::from_array(spin)));
        }
        let mut softs = Vec::new();
        for &(id, index) in &self.softs {
            let list = |v: &[[f64; 3]]| v.iter().map(|x| Vec3::from_array(*x)).collect::<Vec<_>>();
            let places = self.system.places(index).map_err(wrong)?;
            let velocities = self.system.node_velocities(index).map_err(wrong)?;
            softs.push(ToldSoft::new(id, list(&places), list(velocities)));
        }
        // What barriers hold where a recording goes on motion may have; what a scene starts with it may not.
        let mut energy = self.energy.unwrap_or_default();
        if self.energy.is_none() && world.time() > 0.0 {
            energy.lost = seen.held;
        }
        energy.work = seen.work;
        let mut report = world.step_as_told(dt, &told, &softs, &mut energy)?;
        self.energy = Some(energy);
        for rigid in &mut self.bodies {
            let body = world.body(rigid.id)?;
            rigid.told = (body.pose(), body.velocity(), body.angular_velocity());
        }
        seen.write(&mut report, &self.system);
        report.timings.total = t0.elapsed().as_secs_f64();
        report.timings.solve = report.timings.total;
        Ok(report)
    }
}

/// What the parts of a step did.
#[derive(Default)]
struct Seen {
    newton: usize,
    contacts: usize,
    gap: f64,
    deviation: f64,
    unsolved: Option<(Status, f64)>,
    behind: f64,
    work: f64,
    /// Of barriers and affine bodies, before the first part.
    held: f64,
    parts: usize,
}

impl Seen {
    fn add(&mut self, part: &taut_barrier::StepReport) {
        self.newton += part.iterations;
        self.contacts = self.contacts.max(part.contacts);
        self.behind = self.behind.max(part.behind);
        if self.parts == 0 {
            self.held = part.held;
        }
        self.parts += 1;
        self.work += part.work;
        if !part.converged() {
            self.unsolved.get_or_insert((part.status, part.speed));
        }
    }

    fn write(&self, report: &mut StepReport, system: &System) {
        use taut::lcp;
        report.work = self.work;
        report.solver = "barrier";
        report.islands = 1;
        report.status = Some(lcp::Status::Converged);
        report.iterations = self.newton;
        report.factorizations = self.newton + 1;
        report.contacts = self.contacts;
        report.rows = system.joint_rows();
        // Of the poses that are told, at the end of the step.
        report.max_penetration = (-self.gap).max(0.0);
        if let Some((status, speed)) = self.unsolved {
            report.unconverged_islands = 1;
            report.status = Some(match status {
                Status::IterationLimit => lcp::Status::IterationLimit,
                _ => lcp::Status::Stalled,
            });
            let said = if status == Status::Unresolved {
                "bodies are so fast that they may have passed one another: take a smaller dt".into()
            } else {
                format!(
                    "{status:?}, the next Newton step would move a vertex by {speed:.1e} m/s: take a larger d_hat ({:.1e} m now) or a smaller dt",
                    system.settings().reach
                )
            };
            report.failure = Some(said);
        } else if self.deviation > GIVEN * system.settings().reach {
            report.unconverged_islands = 1;
            let said = format!(
                "a body is so squeezed or flung that it gives way by {:.1e} m, more than a tenth of d_hat; what is written is a rigid one: take a larger d_hat, more than {:.1e} m, or a smaller dt",
                self.deviation,
                self.deviation / GIVEN
            );
            report.failure = Some(said);
        } else if self.behind > system.settings().reach {
            // Something is in the way of a body that is to go where it is told.
            report.unconverged_islands = 1;
            let said =
                format!("a driven body is {:.1e} m behind: something is in its way", self.behind);
            report.failure = Some(said);
        }
    }
}

/// μ of two bodies; none if they do not collide.
fn friction(world: &World, a: BodyId, b: BodyId) -> Result<Option<f64>, Error> {
    let Some(pair) = world.pair(a, b)? else { return Ok(None) };
    let name = world.body(a)?.name();
    let said = |what: &str| Err(refused(name, what));
    match pair {
        m if m.anisotropy.is_some() => {
            said("friction that depends on the direction is not taken by barriers")
        }
        m if m.torsional_friction > 0.0 => said("torsional friction is not taken by barriers"),
        m if m.rolling_friction > 0.0 => said("rolling friction is not taken by barriers"),
        m => Ok(Some(m.friction)),
    }
}
