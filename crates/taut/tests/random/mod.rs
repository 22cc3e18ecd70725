//! Random scenes: bodies of 1e-6 to 1e9 kg, joints, forces, deletions in
//! mid-run. Shared by the reliability test and the example of that name.

#[path = "../splitmix/mod.rs"]
mod splitmix;

pub use splitmix::Random;
use taut::lcp::Status;
use taut::math::{Quat, Vec3};
use taut::{Body, BodyId, Error, Event, Frame, Joint, Material, Motor, Shape, World};

/// What happened in some scenes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub scenes: usize,
    pub steps: usize,
    /// Steps that said they did not converge.
    pub unconverged: usize,
    /// Those with a relative residual beyond 1e-6: more than rounding.
    pub bad: usize,
    pub refused: usize,
    /// Steps whose report hides that they failed.
    pub silent: usize,
    /// Steps after which a pose or velocity was not finite.
    pub not_finite: usize,
    pub quarantined: usize,
    /// Worst relative residual.
    pub residual: f64,
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.scenes += other.scenes;
        self.steps += other.steps;
        self.unconverged += other.unconverged;
        self.bad += other.bad;
        self.refused += other.refused;
        self.silent += other.silent;
        self.not_finite += other.not_finite;
        self.quarantined += other.quarantined;
        self.residual = self.residual.max(other.residual);
    }

    fn step(&mut self, world: &mut World, dt: f64) -> Result<(), Error> {
        let report = world.step(dt)?;
        self.steps += 1;
        self.unconverged += usize::from(!report.converged());
        self.bad += usize::from(report.relative_residual > 1e-6);
        self.refused += usize::from(!report.refusals.is_empty());
        let explained = report.status != Some(Status::Converged) || !report.refusals.is_empty();
        self.silent += usize::from(!report.converged() && !explained);
        let missed = report.relative_residual > 1e-8 && report.contact_compliance == 0.0;
        self.silent += usize::from(report.converged() && missed);
        let lost = |e: &&Event| matches!(e, Event::Quarantined { .. });
        self.quarantined += report.events.iter().filter(lost).count();
        self.residual = self.residual.max(report.relative_residual);
        let sound = |b: &taut::BodyState| {
            b.pose().is_finite() && b.velocity().is_finite() && b.angular_velocity().is_finite()
        };
        self.not_finite += usize::from(!world.bodies().all(|(_, b)| sound(b)));
        Ok(())
    }
}

/// One scene of so many steps; the same for the same seed.
pub fn run(seed: u64, steps: usize) -> Result<Tally, Error> {
    let mut tally = Tally { scenes: 1, ..Tally::default() };
    let mut random = Random(seed);
    let mut world = World::new();
    world.add_body(Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z }))?;
    let mut ids = Vec::new();
    for n in 0..steps {
        if n % 4 == 0 && ids.len() < 20 {
            random.grow(&mut world, &mut ids, n)?;
        }
        if random.below(12) == 0 && ids.len() > 2 {
            let gone = ids.swap_remove(random.below(ids.len() as u64));
            world.remove_body(gone)?;
        }
        let pushed = random.pick(&ids);
        world.apply_force(pushed, random.vector(50.0))?;
        tally.step(&mut world, random.real(0.002, 0.03))?;
    }
    Ok(tally)
}

impl Random {
    fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.real(-size, size), self.real(-size, size), self.real(-size, size))
    }

    fn shape(&mut self) -> Shape {
        let (a, b) = (self.real(0.05, 0.5), self.real(0.05, 0.5));
        match self.below(6) {
            0 => Shape::Ball { radius: a },
            1 => Shape::Box { half_extents: Vec3::new(a, b, self.real(0.05, 0.5)) },
            2 => Shape::Capsule { half_length: a, radius: b },
            3 => Shape::Cylinder { half_height: a, radius: b },
            4 => Shape::Cone { half_height: a, radius: b },
            _ => Shape::ConvexHull { points: (0..12).map(|_| self.vector(0.4)).collect() },
        }
    }

    fn body(&mut self, name: String) -> Body {
        let mass = 10_f64.powf(self.real(-6.0, 9.0));
        let axis = self.vector(1.0).try_normalize().unwrap_or(Vec3::X);
        let material = Material {
            friction: self.real(0.0, 1.0),
            restitution: self.real(0.0, 1.0),
            ..Material::default()
        };
        Body::dynamic(name)
            .shape(self.shape())
            .mass(mass)
            .material(material)
            .position(self.vector(1.5) + Vec3::Z * 1.8)
            .orientation(Quat::from_axis_angle(axis, self.real(0.0, 3.0)))
            .velocity(self.vector(3.0))
            .angular_velocity(self.vector(3.0))
    }

    fn joint(&mut self, name: String, a: Frame, b: BodyId) -> Joint {
        let joint = match self.below(7) {
            0 => Joint::ball(name, a, b),
            1 => Joint::hinge(name, a, b).motor(Motor::velocity(self.real(-5.0, 5.0), 100.0)),
            2 => Joint::slider(name, a, b).limits(-0.3, 0.3),
            3 => Joint::weld(name, a, b).breaks_at(1e4, 1e4),
            4 => Joint::rope(name, a, b, self.real(0.1, 2.0)),
            5 => Joint::universal(name, a, b),
            _ => Joint::cylindrical(name, a, b),
        };
        let axis = self.vector(1.0).try_normalize().unwrap_or(Vec3::X);
        joint.anchor_b(self.vector(0.3)).axis_b(axis)
    }

    fn pick(&mut self, ids: &[BodyId]) -> BodyId {
        ids[self.below(ids.len() as u64)]
    }

    /// Adds a body, and a joint between two of those there are.
    fn grow(&mut self, world: &mut World, ids: &mut Vec<BodyId>, n: usize) -> Result<(), Error> {
        ids.push(world.add_body(self.body(format!("body{n}")))?);
        let (b, a) = (self.pick(ids), self.pick(ids));
        let a = if self.below(3) == 0 { Frame::World } else { a.into() };
        let joint = self.joint(format!("joint{n}"), a, b);
        if a == Frame::Body(b) {
            assert!(world.add_joint(joint).is_err(), "a body jointed with itself");
            return Ok(());
        }
        world.add_joint(joint).map(|_| ())
    }
}
