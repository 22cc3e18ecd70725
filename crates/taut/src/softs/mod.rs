//! Soft bodies: what users say of them, and how they are in a world.
//!
//! The elasticity is that of `taut_soft`: a mesh of tetrahedra with a material, moved by implicit Euler, or by the energy-keeping
//! midpoint rule where nothing is near. `field` says how far points are from shapes, `touch` finds contacts, `faces` those of soft
//! bodies with one another, `own` those with themselves; `assemble::soft` makes rows of them, in one problem with all else of the island.

mod faces;
mod field;
mod own;
mod touch;

pub(crate) use field::{place, weights};
pub(crate) use own::find as find_own;
pub(crate) use touch::{Motions, Near, Other, Patch, Touch, When, find, tangents};

use crate::BodyState;
use crate::collide::Groups;
use crate::error::Error;
use crate::math::{Mat3, Pose, Vec3};
use crate::scene::Material;
use crate::slots::{BodyId, Slots};
use parry3d_f64::bounding_volume::Aabb;
use std::sync::{Mutex, MutexGuard, PoisonError};
use taut_soft::{Mass, Mesh, Model, Solid};

/// A soft body, to be added to a world ([`World::add_soft_body`](crate::World::add_soft_body)). Contacts have friction and no
/// restitution: what bounces is the elasticity.
///
/// ```
/// use taut::soft::{Mesh, Model};
/// use taut::{Body, Shape, SoftBody, World, math::Vec3};
/// let mut world = World::new();
/// world.add_body(Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z }))?;
/// let cube = Mesh::block([0.2; 3], [2; 3])?;
/// let cube = SoftBody::new("jelly", cube).elastic(Model::Corotational, 1e5, 0.3).mass(8.0);
/// let cube = world.add_soft_body(cube)?;
/// for _ in 0..60 {
///     assert!(world.step(1.0 / 60.0)?.converged());
/// }
/// let lowest = world.soft_body(cube)?.positions().iter().map(|x| x.z).fold(1.0, f64::min);
/// assert!(lowest.abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a soft body does nothing until it is added to a world"]
pub struct SoftBody {
    pub(crate) name: String,
    /// At rest, in world coordinates.
    pub(crate) mesh: Mesh,
    pub(crate) model: Model,
    pub(crate) young: f64,
    pub(crate) poisson: f64,
    pub(crate) density: f64,
    pub(crate) damping: [f64; 2],
    pub(crate) material: Material,
    pub(crate) pinned: Vec<u32>,
    pub(crate) velocity: Vec3,
    pub(crate) angular_velocity: Vec3,
    pub(crate) groups: Groups,
}

impl SoftBody {
    /// A body at rest where the mesh is: corotational, E = 1 MPa, ν = 0.3, 1000 kg/m³, no damping, friction 0.5.
    pub fn new(name: impl Into<String>, mesh: Mesh) -> Self {
        SoftBody {
            name: name.into(),
            mesh,
            model: Model::Corotational,
            young: 1e6,
            poisson: 0.3,
            density: 1000.0,
            damping: [0.0; 2],
            material: Material::default(),
            pinned: Vec::new(),
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            groups: Groups::default(),
        }
    }

    /// The law of its material, Young's modulus \[Pa\] and Poisson's ratio.
    pub fn elastic(mut self, model: Model, young: f64, poisson: f64) -> Self {
        (self.model, self.young, self.poisson) = (model, young, poisson);
        self
    }

    /// Density \[kg/m³\].
    pub fn density(mut self, density: f64) -> Self {
        self.density = density;
        self
    }

    /// Mass of all of it \[kg\], in place of the density.
    pub fn mass(mut self, mass: f64) -> Self {
        self.density = mass / self.mesh.volume();
        self
    }

    /// Rayleigh damping αM + βK: α \[1/s\] slows all motion, β \[s\] deformation alone.
    pub fn damping(mut self, alpha: f64, beta: f64) -> Self {
        self.damping = [alpha, beta];
        self
    }

    /// Its surface: friction, and pairs of surfaces. Restitution, torsional and rolling friction and directions are not for soft
    /// bodies.
    pub fn material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// Coefficient of friction of its surface.
    pub fn friction(mut self, friction: f64) -> Self {
        self.material.friction = friction;
        self
    }

    /// Its mesh at rest with mass and elasticity, for steppers of their own.
    pub fn solid(&self) -> Result<Solid, Error> {
        let wrong = |e: taut_soft::Error| Error::soft(&self.name, e.to_string());
        let material =
            taut_soft::Material::new(self.model, self.young, self.poisson).map_err(wrong)?;
        Solid::new(self.mesh.clone(), material, self.density, Mass::Lumped).map_err(wrong)
    }

    /// Rayleigh damping α and β.
    pub fn rayleigh(&self) -> [f64; 2] {
        self.damping
    }

    /// Its surface.
    pub fn skin_material(&self) -> &Material {
        &self.material
    }

    /// Turns and moves it, by the frame of its mesh.
    pub fn pose(mut self, pose: Pose) -> Self {
        let r = Mat3::from_quat(pose.rotation).transpose();
        let rows = [r.x_axis, r.y_axis, r.z_axis].map(|v| v.to_array());
        self.mesh = self.mesh.turned(&rows).moved(pose.translation.to_array());
        self
    }

    /// Moves it.
    pub fn position(self, by: Vec3) -> Self {
        SoftBody { mesh: self.mesh.moved(by.to_array()), ..self }
    }

    /// Velocity of its centre of mass at the start \[m/s\].
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.velocity = velocity;
        self
    }

    /// Rate at which it turns about its centre of mass at the start \[rad/s\].
    pub fn angular_velocity(mut self, rate: Vec3) -> Self {
        self.angular_velocity = rate;
        self
    }

    /// Holds nodes where they are.
    pub fn pin(mut self, nodes: impl IntoIterator<Item = usize>) -> Self {
        self.pinned.extend(nodes.into_iter().map(|n| u32::try_from(n).unwrap_or(u32::MAX)));
        self
    }

    /// Holds the nodes whose place, as it is now, fits.
    pub fn pin_where(self, fits: impl Fn(Vec3) -> bool) -> Self {
        let nodes = self.nodes_where(fits);
        self.pin(nodes)
    }

    /// The mesh, where it is.
    pub fn mesh_at_rest(&self) -> &Mesh {
        &self.mesh
    }

    /// The nodes whose place, as it is now, fits.
    pub fn nodes_where(&self, fits: impl Fn(Vec3) -> bool) -> Vec<usize> {
        let nodes = self.mesh.nodes().iter().enumerate();
        nodes.filter(|(_, x)| fits(Vec3::from(**x))).map(|(k, _)| k).collect()
    }

    /// What it collides with. Default: everything.
    pub fn groups(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }
}

/// A node that is fixed to a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Attachment {
    pub(crate) node: u32,
    pub(crate) body: BodyId,
    /// In the frame of the body's centre of mass.
    pub(crate) local: Vec3,
    /// On the node, in the last step \[N\].
    pub(crate) force: Vec3,
}

/// A soft body as it is in a world.
pub struct SoftBodyState {
    pub(crate) body: SoftBody,
    pub(crate) x: Vec<Vec3>,
    pub(crate) v: Vec<Vec3>,
    pub(crate) attachments: Vec<Attachment>,
    /// Contacts of the last step, by key.
    pub(crate) touches: Vec<Touch>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Sides of triangles, each once.
    pub(crate) edges: Vec<[u32; 2]>,
    /// Nodes of the surface, ascending.
    pub(crate) skin: Vec<u32>,
    pub(crate) masses: Vec<f64>,
    /// Elasticity and its factors; where its nodes are, they are here, too.
    elastic: Mutex<taut_soft::SoftBody>,
}

impl std::fmt::Debug for SoftBodyState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nodes = self.x.len();
        f.debug_struct("SoftBodyState")
            .field("name", &self.body.name)
            .field("nodes", &nodes)
            .finish()
    }
}

impl SoftBodyState {
    /// Checks a definition.
    pub(crate) fn new(body: SoftBody) -> Result<Self, Error> {
        let wrong = |e: taut_soft::Error| Error::soft(&body.name, e.to_string());
        body.material.check().map_err(|e| Error::soft(&body.name, e.to_string()))?;
        if !(body.velocity.is_finite() && body.angular_velocity.is_finite()) {
            return Err(Error::soft(&body.name, "its velocity is not finite"));
        }
        let material =
            taut_soft::Material::new(body.model, body.young, body.poisson).map_err(wrong)?;
        let solid = Solid::new(body.mesh.clone(), material, body.density, Mass::Lumped);
        let solid = solid.map_err(wrong)?;
        let masses = masses(&solid);
        let elastic = taut_soft::SoftBody::new(solid).map_err(wrong)?;
        let mut elastic = elastic.damped(body.damping[0], body.damping[1]).map_err(wrong)?;
        elastic.check_stiffness(FRAME).map_err(wrong)?;
        elastic.velocities_mut().copy_from_slice(&start_velocities(&body, &masses));
        body.pinned.iter().try_for_each(|&n| elastic.pin(n as usize)).map_err(wrong)?;
        let triangles = body.mesh.surface();
        let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let mut edges: Vec<[u32; 2]> =
            triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut state = SoftBodyState {
            x: Vec::new(),
            v: Vec::new(),
            attachments: Vec::new(),
            touches: Vec::new(),
            triangles,
            edges,
            skin: body.mesh.surface_nodes(),
            masses,
            elastic: Mutex::new(elastic),
            body,
        };
        state.see();
        Ok(state)
    }

    /// Whether some of its nodes are fixed to rigid bodies.
    pub fn has_attachments(&self) -> bool {
        !self.attachments.is_empty()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.body.name
    }

    /// What it was made of; its mesh is at rest.
    pub fn definition(&self) -> &SoftBody {
        &self.body
    }

    /// The mesh at rest.
    pub fn mesh(&self) -> &Mesh {
        &self.body.mesh
    }

    /// Where the nodes are \[m\].
    pub fn positions(&self) -> &[Vec3] {
        &self.x
    }

    /// Velocities of the nodes \[m/s\].
    pub fn velocities(&self) -> &[Vec3] {
        &self.v
    }

    /// Triangles of its surface, counter-clockwise seen from outside.
    pub fn surface(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Its mass \[kg\].
    pub fn total_mass(&self) -> f64 {
        self.masses.iter().sum()
    }

    /// The mean place of its mass \[m\].
    pub fn centre(&self) -> Vec3 {
        let sum: Vec3 = self.x.iter().zip(&self.masses).map(|(x, m)| *x * *m).sum();
        sum / self.total_mass()
    }

    /// Elastic and kinetic energy \[J\].
    pub fn energy(&self) -> [f64; 2] {
        self.lock().energy()
    }

    /// Von Mises' stress at each node \[Pa\], the mean of the elements around it.
    pub fn von_mises(&self) -> Vec<f64> {
        let elastic = self.lock();
        let solid = elastic.solid();
        let stresses = solid.stresses(elastic.positions());
        let elements = solid.mesh().elements();
        let per_element = stresses.len() / elements.len().max(1);
        let mut sums = vec![(0.0, 0_usize); self.x.len()];
        for (e, own) in elements.zip(stresses.chunks(per_element.max(1))) {
            let mean = own.iter().map(von_mises).sum::<f64>() / own.len() as f64;
            for &n in e {
                let sum = &mut sums[n as usize];
                *sum = (sum.0 + mean, sum.1 + 1);
            }
        }
        sums.into_iter().map(|(sum, count)| sum / count.max(1) as f64).collect()
    }

    /// Elements are inside out at so many samples.
    pub fn inverted(&self) -> usize {
        let elastic = self.lock();
        elastic.solid().inverted(elastic.positions())
    }

    /// Whether a node is held.
    pub fn is_pinned(&self, node: usize) -> bool {
        self.body.pinned.iter().any(|&n| n as usize == node)
    }

    /// Elasticity at hand. (A panic elsewhere leaves nothing half done that matters: factors are made anew in each step.)
    pub(crate) fn lock(&self) -> MutexGuard<'_, taut_soft::SoftBody> {
        self.elastic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts nodes somewhere.
    pub(crate) fn place(&mut self, x: &[Vec3], v: &[Vec3]) {
        let elastic = self.elastic.get_mut().unwrap_or_else(PoisonError::into_inner);
        elastic.positions_mut().iter_mut().zip(x).for_each(|(to, x)| *to = x.to_array());
        elastic.velocities_mut().iter_mut().zip(v).for_each(|(to, v)| *to = v.to_array());
        self.see();
    }

    fn see(&mut self) {
        let elastic = self.elastic.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.x.clear();
        self.x.extend(elastic.positions().iter().map(|x| Vec3::from(*x)));
        self.v.clear();
        self.v.extend(elastic.velocities().iter().map(|v| Vec3::from(*v)));
    }

    /// The box around its nodes.
    pub(crate) fn aabb(&self) -> Aabb {
        let (lo, hi) =
            self.x.iter().fold((self.x[0], self.x[0]), |(lo, hi), x| (lo.min(*x), hi.max(*x)));
        Aabb::new(lo, hi)
    }

    /// Its size \[m\].
    pub(crate) fn size(&self) -> f64 {
        let aabb = self.aabb();
        (aabb.maxs - aabb.mins).max_element()
    }

    /// The speed of its fastest node.
    pub(crate) fn speed(&self) -> f64 {
        self.v.iter().map(|v| v.length()).fold(0.0, f64::max)
    }

    /// Whether it turns about its own centre, if it does: free, or fixed to bodies around the same centre, as a tyre is. One that something leads round keeps
    /// plain implicit Euler, which brakes it: with turns of its own a foot at the end of an arm gained a third of its energy in 30 steps.
    pub(crate) fn turns_freely(&self, bodies: &Slots<BodyState>) -> bool {
        let (centre, near) = (self.centre(), CENTRED * self.size());
        let is_around = |a: &Attachment| {
            bodies.at(a.body.index).is_some_and(|body| (body.x - centre).length() <= near)
        };
        self.attachments.iter().all(is_around)
    }

    /// Whether it is fixed to a body in this slot.
    pub(crate) fn is_attached(&self, slot: u32) -> bool {
        self.attachments.iter().any(|a| a.body.index == slot)
    }
}

/// Distance of two centres that are the same, as a share of the size: a loaded tyre sags.
const CENTRED: f64 = 0.05;

/// The step by which stiffness is judged at the start \[s\]: that of most scenes.
const FRAME: f64 = 1.0 / 60.0;

/// Velocities of nodes at the start.
fn start_velocities(body: &SoftBody, masses: &[f64]) -> Vec<[f64; 3]> {
    let nodes = || body.mesh.nodes().iter().map(|x| Vec3::from(*x));
    let sum: Vec3 = nodes().zip(masses).map(|(x, m)| x * *m).sum();
    let centre = sum / masses.iter().sum::<f64>();
    let of = |x: Vec3| (body.velocity + body.angular_velocity.cross(x - centre)).to_array();
    nodes().map(of).collect()
}

/// Masses of nodes: the diagonal, for they are lumped.
fn masses(solid: &Solid) -> Vec<f64> {
    let (col_ptr, row_idx) = solid.pattern();
    let of = |j: usize| {
        let own = col_ptr[j] as usize..col_ptr[j + 1] as usize;
        own.filter(|&k| row_idx[k] as usize == j).map(|k| solid.mass()[k]).sum()
    };
    (0..col_ptr.len() - 1).map(of).collect()
}

/// Of Cauchy's stress.
fn von_mises(s: &taut_soft::Mat3) -> f64 {
    let differences =
        (s[0][0] - s[1][1]).powi(2) + (s[1][1] - s[2][2]).powi(2) + (s[2][2] - s[0][0]).powi(2);
    let shears = s[0][1].powi(2) + s[1][2].powi(2) + s[2][0].powi(2);
    (0.5 * differences + 3.0 * shears).sqrt()
}
