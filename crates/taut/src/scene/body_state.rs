//! A body in a world: its definition, mass and motion.
//!
//! The centre of mass carries the motion; the pose users see is that of the
//! body's frame.

use super::{Body, BodyKind, Collider, Path};
use crate::collide::impact::TURN;
use crate::eigen::eigen;
use crate::error::Error;
use crate::free_rotation::Principal;
use crate::integrate::turn;
use crate::math::{Mat3, Pose, Quat, Vec3};
use crate::shape::{BuiltShape, MassProperties, Shape};

/// A body as it is in a world.
#[derive(Clone, Debug)]
pub struct BodyState {
    pub(crate) body: Body,
    pub(crate) built: Vec<BuiltShape>,
    pub(crate) mass: f64,
    /// Centre of mass in the body's frame.
    pub(crate) centre: Vec3,
    /// Inertia about it, along the axes of the body's frame, and its inverse.
    pub(crate) inertia: Mat3,
    pub(crate) inverse_inertia: Mat3,
    /// Inertia by principal axes.
    pub(crate) principal: Principal,
    /// Centre of mass, orientation, velocities.
    pub(crate) x: Vec3,
    pub(crate) q: Quat,
    pub(crate) v: Vec3,
    pub(crate) w: Vec3,
    /// User force and torque for the next step.
    pub(crate) force: Vec3,
    pub(crate) torque: Vec3,
    /// Why the body was taken out of the dynamics, if it was.
    pub(crate) quarantine: Option<String>,
    /// How long it has been quiet \[s\], and whether it sleeps.
    pub(crate) quiet: f64,
    pub(crate) asleep: bool,
    pub(crate) placed: Start,
    /// Time of the present step that it was held back for \[s\], and steps in a row in which that was most of them.
    pub(crate) lost: f64,
    pub(crate) held: u32,
    /// How often the step had been halved when it reached its end, if others still go on there in shorter parts.
    pub(crate) done: Option<usize>,
    /// Where the step at hand leads, if it found that out itself.
    pub(crate) arrival: Option<Arrival>,
    /// The velocity it moved with in the last step.
    pub(crate) moved: Vec3,
    /// Where it is to be, if it is kinematic and was told so.
    pub(crate) path: Path,
}

/// Whether a body is inside something else, or off its joints, because it was put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// It was put somewhere since the last step.
    Placed,
    /// It is, and has not come out yet.
    Inside,
    /// It is not: what it sinks in now is the scheme's doing.
    Out,
}

/// The end of a step and the way there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) x: Vec3,
    pub(crate) q: Quat,
    /// Mean velocities.
    pub(crate) mean: (Vec3, Vec3),
    /// The body turns freely at this rate, until an impulse in the middle of the step.
    pub(crate) first: Vec3,
    /// When that is \[s\], the orientation then, and the rate after it.
    pub(crate) half: f64,
    pub(crate) middle: Quat,
    pub(crate) after: Vec3,
}

impl BodyState {
    /// The velocities it moves with in the step at hand.
    pub(crate) fn way(&self) -> (Vec3, Vec3) {
        match (self.arrival, self.path) {
            (Some(arrival), _) => arrival.mean,
            (None, Path::UnderWay { mean, .. }) => mean,
            _ => (self.v, self.w),
        }
    }

    /// Orientation and rate at the time t of the step at hand. Small turns go evenly to their end,
    /// so that what touches at both ends of the step touches between them.
    pub(crate) fn turned(&self, t: f64) -> (Quat, Vec3) {
        match self.arrival {
            None => turn(self, self.way().1, t),
            Some(a) if 2.0 * a.half * a.mean.1.length() < TURN => self.turned_evenly(&a, t),
            Some(a) if t <= a.half => self.principal.turn(self.q, a.first, t),
            Some(a) => self.principal.turn(a.middle, a.after, t - a.half),
        }
    }

    /// Orientation and rate at time t, turning at an even rate. (Free rotation at the mean rate ends elsewhere: a rod that lies on
    /// the ground and turns about two axes seemed to run into it, and stood still.)
    fn turned_evenly(&self, a: &Arrival, t: f64) -> (Quat, Vec3) {
        let rate = (a.q * self.q.conjugate()).to_scaled_axis() / (2.0 * a.half);
        ((Quat::from_scaled_axis(t * rate) * self.q).normalize(), rate)
    }

    /// Checks a definition and gives it mass.
    pub(crate) fn new(body: Body) -> Result<Self, Error> {
        check_motion(&body)?;
        let mut built = Vec::with_capacity(body.colliders.len());
        for collider in &body.colliders {
            let material = body.material_of(collider);
            material.check().map_err(|e| Error::body(&body.name, e.to_string()))?;
            if body.kind == BodyKind::Dynamic && matches!(collider.shape, Shape::HalfSpace { .. }) {
                let reason = "a half-space is without end and cannot move by forces; \
                              make the body fixed or kinematic, or give it a box";
                return Err(Error::body(&body.name, reason));
            }
            if !(collider.pose.is_finite() && unit(collider.pose.rotation)) {
                return Err(Error::body(
                    &body.name,
                    "a collider's pose is not finite and of unit length",
                ));
            }
            let shape = match body.kind {
                BodyKind::Dynamic => collider.shape.build_moving(),
                _ => collider.shape.build(),
            };
            built.push(shape.map_err(|e| Error::body(&body.name, e.to_string()))?);
        }
        let p = mass_properties(&body, &built)?;
        let mut state = BodyState {
            x: body.pose.transform_point(p.centre),
            q: body.pose.rotation.normalize(),
            v: body.velocity,
            w: body.angular_velocity,
            mass: p.mass,
            centre: p.centre,
            inertia: p.inertia,
            inverse_inertia: p.inertia.inverse(),
            principal: Principal::new(p.inertia),
            built,
            body,
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            quarantine: None,
            quiet: 0.0,
            lost: 0.0,
            held: 0,
            done: None,
            asleep: false,
            placed: Start::Placed,
            arrival: None,
            moved: Vec3::ZERO,
            path: Path::Free,
        };
        if !state.is_dynamic() {
            state.inverse_inertia = Mat3::ZERO;
        }
        if state.body.kind == BodyKind::Fixed {
            (state.v, state.w) = (Vec3::ZERO, Vec3::ZERO);
        }
        Ok(state)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.body.name
    }

    /// How it moves.
    pub fn kind(&self) -> BodyKind {
        self.body.kind
    }

    /// The part of a machine it was said to belong to.
    pub fn subsystem(&self) -> Option<u32> {
        self.body.subsystem
    }

    /// Pose of the body's frame.
    pub fn pose(&self) -> Pose {
        Pose::from_parts(self.x - self.q * self.centre, self.q)
    }

    /// Position of the body's origin \[m\].
    pub fn position(&self) -> Vec3 {
        self.x - self.q * self.centre
    }

    /// Orientation of the body's frame.
    pub fn orientation(&self) -> Quat {
        self.q
    }

    /// Centre of mass in world coordinates \[m\].
    pub fn centre_of_mass(&self) -> Vec3 {
        self.x
    }

    /// Velocity of the centre of mass \[m/s\].
    pub fn velocity(&self) -> Vec3 {
        self.v
    }

    /// Angular velocity in world coordinates \[rad/s\].
    pub fn angular_velocity(&self) -> Vec3 {
        self.w
    }

    /// Velocity of its surface against the body, in world coordinates \[m/s\]; see
    /// [`Body::surface_velocity()`].
    pub fn surface_velocity(&self) -> Vec3 {
        let along = self.body.surface_velocity;
        if along == Vec3::ZERO { along } else { self.q * along }
    }

    /// Velocity of a point of the body, given in world coordinates \[m/s\].
    pub fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.v + self.w.cross(point - self.x)
    }

    /// Mass \[kg\]; 0 for kinematic and fixed bodies.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Inertia about the centre of mass in world coordinates \[kg·m²\].
    pub fn inertia(&self) -> Mat3 {
        let r = Mat3::from_quat(self.q);
        r * self.inertia * r.transpose()
    }

    /// Mean of the principal moments of inertia \[kg·m²\].
    pub(crate) fn mean_inertia(&self) -> f64 {
        let i = &self.inertia;
        (i.x_axis.x + i.y_axis.y + i.z_axis.z) / 3.0
    }

    pub(crate) fn inverse_inertia_at(&self, q: Quat) -> Mat3 {
        let r = Mat3::from_quat(q);
        r * self.inverse_inertia * r.transpose()
    }

    /// Angular momentum about its own centre of mass \[kg·m²/s\].
    pub fn spin(&self) -> Vec3 {
        self.inertia() * self.w
    }

    /// Kinetic energy \[J\]; 0 for kinematic and fixed bodies.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * (self.mass * self.v.length_squared() + self.w.dot(self.spin()))
    }

    /// Why the body was taken out of the dynamics, if it was.
    pub fn quarantine(&self) -> Option<&str> {
        self.quarantine.as_deref()
    }

    /// Whether it sleeps.
    pub fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// The definition that would create the body as it is now.
    pub fn definition(&self) -> Body {
        Body { pose: self.pose(), velocity: self.v, angular_velocity: self.w, ..self.body.clone() }
    }

    /// Whether forces move it.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.body.kind == BodyKind::Dynamic && self.quarantine.is_none()
    }

    /// Whether it does not move, or was put where it is not free to.
    pub(crate) fn is_inside(&self) -> bool {
        !self.is_dynamic() || self.placed != Start::Out
    }

    /// Takes the body out of the dynamics.
    pub(crate) fn freeze(&mut self, reason: &str) {
        self.quarantine = Some(reason.into());
        (self.v, self.w) = (Vec3::ZERO, Vec3::ZERO);
        (self.force, self.torque) = (Vec3::ZERO, Vec3::ZERO);
    }

    pub(crate) fn wake(&mut self) {
        (self.asleep, self.quiet) = (false, 0.0);
    }
}

fn unit(q: Quat) -> bool {
    (q.length() - 1.0).abs() < 1e-6
}

fn check_motion(body: &Body) -> Result<(), Error> {
    let fail = |reason: &str| Err(Error::body(&body.name, reason));
    if body.name.is_empty() {
        return fail("the name is empty");
    }
    if !body.pose.translation.is_finite() {
        return fail("position is not finite");
    }
    if !unit(body.pose.rotation) {
        return fail("orientation is not a unit quaternion");
    }
    if !(body.velocity.is_finite() && body.angular_velocity.is_finite()) {
        return fail("velocity is not finite");
    }
    if !body.surface_velocity.is_finite() {
        return fail("surface_velocity is not finite");
    }
    if !body.gravity_scale.is_finite() {
        return fail("gravity_scale is not finite");
    }
    let sound = |c: &Collider| (0.0..f64::INFINITY).contains(&body.density_of(c));
    if !body.colliders.iter().all(sound) {
        return fail("density must be finite and at least 0");
    }
    Ok(())
}

/// Mass, centre and inertia from what is given and what the shapes say.
fn mass_properties(body: &Body, built: &[BuiltShape]) -> Result<MassProperties, Error> {
    let none = MassProperties { mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO };
    if body.kind != BodyKind::Dynamic {
        return Ok(MassProperties { centre: body.centre_of_mass.unwrap_or(Vec3::ZERO), ..none });
    }
    let explicit = body.mass.is_some() && body.inertia.is_some();
    let mut p = if explicit && body.centre_of_mass.is_some() {
        none
    } else {
        match shapes(body, built) {
            Ok(p) => p,
            Err(_) if explicit => none,
            Err(e) => return Err(e),
        }
    };
    if let Some(mass) = body.mass {
        p.inertia = if p.mass > 0.0 { p.inertia * (mass / p.mass) } else { p.inertia };
        p.mass = mass;
    }
    if let Some(centre) = body.centre_of_mass {
        p.centre = centre;
    }
    if let Some(inertia) = body.inertia {
        p.inertia = inertia;
    }
    check_mass(body, &p)?;
    Ok(p)
}

/// The sum of the shapes.
fn shapes(body: &Body, built: &[BuiltShape]) -> Result<MassProperties, Error> {
    let (mut mass, mut first, mut second) = (0.0, Vec3::ZERO, Mat3::ZERO);
    let colliders = body.colliders.iter().zip(built);
    for (c, built) in colliders.filter(|(c, _)| body.density_of(c) > 0.0) {
        let p = c.shape.mass_properties_built(body.density_of(c), built);
        let p = p.map_err(|e| Error::body(&body.name, e.to_string()))?;
        let centre = c.pose.transform_point(p.centre);
        let r = Mat3::from_quat(c.pose.rotation);
        mass += p.mass;
        first += centre * p.mass;
        second += r * p.inertia * r.transpose() + steiner(p.mass, centre);
    }
    if mass == 0.0 {
        let zero = MassProperties { mass, centre: Vec3::ZERO, inertia: second };
        return Ok(zero);
    }
    let centre = first / mass;
    Ok(MassProperties { mass, centre, inertia: second - steiner(mass, centre) })
}

/// Inertia of a point mass at r about the origin.
fn steiner(mass: f64, r: Vec3) -> Mat3 {
    let outer = Mat3::from_cols(r * r.x, r * r.y, r * r.z);
    (Mat3::IDENTITY * r.length_squared() - outer) * mass
}

/// Moments of a thin plate, c = a + b, may miss each other by this share: they
/// are written by hand to three digits.
const ROUNDING: f64 = 5e-3;

/// Whether the leading minors of a symmetric matrix are positive.
fn is_definite(i: Mat3) -> bool {
    let minor = i.x_axis.x * i.y_axis.y - i.x_axis.y * i.y_axis.x;
    i.x_axis.x > 0.0 && minor > 0.0 && i.determinant() > 0.0
}

fn check_mass(body: &Body, p: &MassProperties) -> Result<(), Error> {
    let fail = |reason: String| Err(Error::body(&body.name, reason));
    if !(p.mass.is_finite() && p.mass > 0.0) {
        let hint = "give it a shape with density, or mass and inertia";
        return fail(format!("mass {} must be finite and positive; {hint}", p.mass));
    }
    if !p.centre.is_finite() {
        return fail("centre of mass is not finite".into());
    }
    let i = p.inertia;
    let size = i.x_axis.x + i.y_axis.y + i.z_axis.z;
    let skew = (i - i.transpose()).to_cols_array().iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let even = i.is_finite() && skew <= 1e-9 * size;
    if !(even && is_definite(i) && i.inverse().is_finite()) {
        // As {:?} large numbers have exponents.
        let rows = [0, 1, 2].map(|k| i.row(k).to_array());
        let largest = i.x_axis.x.max(i.y_axis.y).max(i.z_axis.z);
        let shape = Mat3::from_cols_array(&i.to_cols_array().map(|x| x / largest));
        let reason = if i == Mat3::ZERO {
            "is zero: the shape is too small, or the inertia of a body without one is missing"
        } else if !(even && is_definite(shape)) {
            "must be symmetric positive definite"
        } else if largest > 1.0 {
            "is too large: moments of up to 1e100 kg·m² can be computed with"
        } else {
            "is too small: moments down to 1e-100 kg·m² can be computed with"
        };
        return fail(format!("inertia {rows:?} {reason}"));
    }
    let mut moments = eigen(i).0;
    moments.sort_by(f64::total_cmp);
    let [a, b, c] = moments;
    if c > (a + b) * (1.0 + ROUNDING) {
        return fail(format!(
            "no body has the principal moments of inertia {a}, {b} and {c} kg·m²: \
             the largest is at most the sum of the others"
        ));
    }
    Ok(())
}
