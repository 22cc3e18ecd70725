//! Bodies, their nodes and surfaces.

use taut_soft::Solid;

use crate::body::{Body, Kind};
use crate::error::number;
use crate::matrix::Matrix;
use crate::vector::{Mat3, Vec3, add, along, apply, cross, dot, norm, scale, sub, turn};
use crate::{Error, Mesh};

/// A body of a [`System`].
pub type BodyId = usize;

/// How contact is smoothed, and how hard to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// d̂ \[m\]: barriers act below this distance. 1e-3 by default.
    pub reach: f64,
    /// ε_v \[m/s\]: below this speed friction grows with speed, so that what should stick creeps. 1e-3 by default.
    pub creep: f64,
    /// k \[Pa\]: what keeps affine bodies rigid. 1e8 by default.
    pub rigidity: f64,
    /// A step is solved when no vertex would move by more than this \[m/s\] in a Newton step. 1e-6 by default.
    pub tolerance: f64,
    /// Newton steps at most, for each round of friction. 200 by default.
    pub max_iterations: usize,
    /// Rounds in which normals and forces of friction are taken anew; 0: no friction. 1 by default.
    pub friction_rounds: usize,
    /// κ \[kg/m²\]: the barrier's stiffness. By default from masses and sizes, and doubled where gaps get small.
    pub stiffness: Option<f64>,
    /// \[m/s²\]
    pub gravity: Vec3,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            reach: 1e-3,
            creep: 1e-3,
            rigidity: 1e8,
            tolerance: 1e-6,
            max_iterations: 200,
            friction_rounds: 1,
            stiffness: None,
            gravity: [0.0, 0.0, -9.81],
        }
    }
}

impl Settings {
    fn check(&self) -> Result<(), Error> {
        let positive = |x: f64| x > 0.0;
        number("reach", self.reach, "more than 0 m", positive)?;
        number("creep", self.creep, "more than 0 m/s", positive)?;
        number("rigidity", self.rigidity, "more than 0 Pa", positive)?;
        number("tolerance", self.tolerance, "more than 0 m/s", positive)?;
        number("max_iterations", self.max_iterations as f64, "at least 1", |n| n >= 1.0)?;
        if let Some(stiffness) = self.stiffness {
            number("stiffness", stiffness, "more than 0 kg/m²", positive)?;
        }
        for g in self.gravity {
            number("gravity", g, "finite", |_| true)?;
        }
        Ok(())
    }
}

/// A vertex of a surface: a sum of consecutive nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vertex {
    pub first: u32,
    /// 0 (fixed), 1 (soft) or 4 (affine).
    pub count: u32,
    pub weights: [f64; 4],
    pub body: u32,
    /// Whether a triangle has it; soft bodies have nodes inside.
    pub is_outside: bool,
}

/// Bodies that never intersect.
///
/// ```
/// use taut_barrier::{Mesh, Settings, System};
///
/// let mut system = System::new(Settings::default())?;
/// system.add_fixed("ground", &Mesh::ground(2.0)?, 0.5)?;
/// let cube = system.add_rigid("cube", &Mesh::block([0.1; 3])?.moved([0.0, 0.0, 0.15]), 1000.0, 0.5)?;
/// for _ in 0..20 {
///     let report = system.step(0.01)?;
///     assert!(report.converged());
///     assert!(system.intersection().is_none());
/// }
/// let height = system.position(cube)?[2];
/// assert!(height > 0.1 && height < 0.101);
/// # Ok::<(), taut_barrier::Error>(())
/// ```
pub struct System {
    pub(crate) settings: Settings,
    pub(crate) bodies: Vec<Body>,
    /// Nodes and their velocities.
    pub(crate) q: Vec<Vec3>,
    pub(crate) v: Vec<Vec3>,
    pub(crate) pinned: Vec<bool>,
    pub(crate) vertices: Vec<Vertex>,
    /// Of fixed vertices where they are, of others where they were at rest.
    pub(crate) rest: Vec<Vec3>,
    pub(crate) edges: Vec<[u32; 2]>,
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) matrix: Matrix,
    /// κ, once known.
    pub(crate) kappa: Option<f64>,
    /// Forces of contacts on each body in the last step \[N\].
    pub(crate) forces: Vec<Vec3>,
    pub(crate) is_checked: bool,
}

/// Density of the matrix' part of kinematic bodies.
const WATER: f64 = 1000.0;

impl System {
    /// No bodies yet.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.check()?;
        Ok(Self {
            settings,
            bodies: Vec::new(),
            q: Vec::new(),
            v: Vec::new(),
            pinned: Vec::new(),
            vertices: Vec::new(),
            rest: Vec::new(),
            edges: Vec::new(),
            faces: Vec::new(),
            matrix: Matrix::default(),
            kappa: None,
            forces: Vec::new(),
            is_checked: false,
        })
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A body that does not move. Its mesh may be open. μ of two bodies is the geometric mean of theirs.
    pub fn add_fixed(&mut self, name: &str, mesh: &Mesh, friction: f64) -> Result<BodyId, Error> {
        self.add(name, Kind::Fixed, friction, mesh.vertices(), mesh.triangles(), [0.0; 3])
    }

    /// A rigid body of this density \[kg/m³\] where its mesh is.
    pub fn add_rigid(
        &mut self,
        name: &str,
        mesh: &Mesh,
        density: f64,
        friction: f64,
    ) -> Result<BodyId, Error> {
        let (mass, volume, centre) = affine_mass(mesh, density)?;
        let kind = Kind::Affine { mass, volume };
        self.add(name, kind, friction, mesh.vertices(), mesh.triangles(), centre)
    }

    /// A body that moves with the velocities it is given ([`System::set_velocity`]), as far as nothing stops it.
    pub fn add_kinematic(
        &mut self,
        name: &str,
        mesh: &Mesh,
        friction: f64,
    ) -> Result<BodyId, Error> {
        let (mass, volume, centre) = affine_mass(mesh, WATER)?;
        let kind = Kind::Kinematic { mass, volume };
        self.add(name, kind, friction, mesh.vertices(), mesh.triangles(), centre)
    }

    /// A soft body, which may touch itself.
    pub fn add_soft(&mut self, name: &str, solid: Solid, friction: f64) -> Result<BodyId, Error> {
        let faces = solid.mesh().surface();
        let nodes = solid.mesh().nodes().to_vec();
        self.add(name, Kind::Soft(Box::new(solid)), friction, &nodes, &faces, [0.0; 3])
    }

    fn add(
        &mut self,
        name: &str,
        kind: Kind,
        friction: f64,
        places: &[Vec3],
        triangles: &[[u32; 3]],
        centre: Vec3,
    ) -> Result<BodyId, Error> {
        number("friction", friction, "at least 0", |mu| mu >= 0.0)?;
        let id = self.bodies.len();
        let (first, first_vertex) = (self.q.len(), self.vertices.len());
        match &kind {
            Kind::Fixed => {}
            Kind::Soft(_) => self.q.extend_from_slice(places),
            _ => self.q.extend([centre, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        }
        let nodes = self.q.len() - first;
        self.v.resize(self.q.len(), [0.0; 3]);
        self.pinned.resize(self.q.len(), false);
        let mut outside = vec![false; places.len()];
        triangles.iter().flatten().for_each(|&v| outside[v as usize] = true);
        for (i, &x) in places.iter().enumerate() {
            let r = sub(x, centre);
            let (count, at, weights) = match &kind {
                Kind::Fixed => (0, 0, [0.0; 4]),
                Kind::Soft(_) => (1, i, [1.0, 0.0, 0.0, 0.0]),
                _ => (4, 0, [1.0, r[0], r[1], r[2]]),
            };
            let (first, body, is_outside) = ((first + at) as u32, id as u32, outside[i]);
            self.vertices.push(Vertex { first, count, weights, body, is_outside });
            self.rest.push(x);
        }
        let base = first_vertex as u32;
        let (first_face, first_edge) = (self.faces.len(), self.edges.len());
        self.faces.extend(triangles.iter().map(|t| t.map(|v| v + base)));
        self.edges.extend(Mesh::edges(triangles).iter().map(|e| e.map(|v| v + base)));
        self.bodies.push(Body {
            name: name.into(),
            kind,
            friction,
            first,
            nodes,
            first_vertex,
            vertices: places.len(),
            faces: first_face..self.faces.len(),
            edges: first_edge..self.edges.len(),
        });
        self.forces.push([0.0; 3]);
        self.is_checked = false;
        Ok(id)
    }

    fn body(&self, id: BodyId) -> Result<&Body, Error> {
        self.bodies.get(id).ok_or(Error::Body(id, "a body"))
    }

    /// The four nodes of a rigid or kinematic body.
    fn frame(&self, id: BodyId) -> Result<usize, Error> {
        match self.body(id)? {
            Body { kind: Kind::Affine { .. } | Kind::Kinematic { .. }, first, .. } => Ok(*first),
            _ => Err(Error::Body(id, "a rigid or kinematic body")),
        }
    }

    /// Turns a rigid body about its centre, by a vector of the length of the angle \[rad\]. To be called before the first step.
    pub fn turn(&mut self, id: BodyId, by: Vec3) -> Result<(), Error> {
        let first = self.frame(id)?;
        let r = turn(by);
        (1..4).for_each(|k| self.q[first + k] = apply(&r, self.q[first + k]));
        self.is_checked = false;
        Ok(())
    }

    /// Velocity of the centre \[m/s\] and angular velocity \[rad/s\] of a rigid or kinematic body.
    pub fn set_velocity(&mut self, id: BodyId, linear: Vec3, angular: Vec3) -> Result<(), Error> {
        let first = self.frame(id)?;
        for x in linear.iter().chain(&angular) {
            number("velocity", *x, "finite", |_| true)?;
        }
        self.v[first] = linear;
        (1..4).for_each(|k| self.v[first + k] = cross(angular, self.q[first + k]));
        Ok(())
    }

    /// Holds a node of a soft body where it is.
    pub fn pin(&mut self, id: BodyId, node: usize) -> Result<(), Error> {
        let body = self.body(id)?;
        if !matches!(body.kind, Kind::Soft(_)) || node >= body.nodes {
            return Err(Error::Body(id, "a soft body with so many nodes"));
        }
        let node = body.first + node;
        self.pinned[node] = true;
        self.v[node] = [0.0; 3];
        Ok(())
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// A body's name.
    pub fn name(&self, id: BodyId) -> Result<&str, Error> {
        Ok(&self.body(id)?.name)
    }

    /// Mass \[kg\] of a body; fixed and kinematic ones have none.
    pub fn mass(&self, id: BodyId) -> Result<f64, Error> {
        let body = self.body(id)?;
        let mut sum = 0.0;
        match &body.kind {
            Kind::Affine { mass, .. } => sum = mass[0][0],
            Kind::Soft(_) => body.masses(|i, j, m| sum += if i == j { m } else { 2.0 * m }),
            _ => {}
        }
        Ok(sum)
    }

    /// Where the centre of a rigid or kinematic body is \[m\].
    pub fn position(&self, id: BodyId) -> Result<Vec3, Error> {
        Ok(self.q[self.frame(id)?])
    }

    /// Velocity of its centre \[m/s\].
    pub fn velocity(&self, id: BodyId) -> Result<Vec3, Error> {
        Ok(self.v[self.frame(id)?])
    }

    /// The rotation nearest to its affine map, row by row.
    pub fn rotation(&self, id: BodyId) -> Result<Mat3, Error> {
        let first = self.frame(id)?;
        Ok(nearest_rotation([self.q[first + 1], self.q[first + 2], self.q[first + 3]]))
    }

    /// Its angular velocity \[rad/s\]: the mean of aₖ × ȧₖ.
    pub fn angular_velocity(&self, id: BodyId) -> Result<Vec3, Error> {
        let first = self.frame(id)?;
        let spin =
            (1..4).fold([0.0; 3], |sum, k| add(sum, cross(self.q[first + k], self.v[first + k])));
        Ok(scale(spin, 0.5))
    }

    /// Where the vertices of its surface are \[m\]; of soft bodies all nodes.
    pub fn places(&self, id: BodyId) -> Result<Vec<Vec3>, Error> {
        let body = self.body(id)?;
        Ok((body.first_vertex..body.first_vertex + body.vertices)
            .map(|i| self.place(i, &self.q))
            .collect())
    }

    /// The sum of all forces of contact on a body in the last step \[N\].
    pub fn contact_force(&self, id: BodyId) -> Result<Vec3, Error> {
        self.body(id)?;
        Ok(self.forces[id])
    }

    /// Kinetic energy, and that of weight and deformation \[J\].
    pub fn energy(&self) -> [f64; 2] {
        let (mut kinetic, mut rest) = (0.0, 0.0);
        for body in self.bodies.iter().filter(|b| !matches!(b.kind, Kind::Kinematic { .. })) {
            body.masses(|i, j, m| {
                let (vi, vj) = (self.v[i as usize], self.v[j as usize]);
                kinetic += if i == j { 0.5 * m } else { m } * dot(vi, vj);
            });
            match &body.kind {
                Kind::Affine { mass, .. } => {
                    rest -= mass[0][0] * dot(self.settings.gravity, self.q[body.first]);
                }
                _ => body.masses(|i, j, m| {
                    let share = if i == j { 0.5 * m } else { m };
                    let sum = add(self.q[i as usize], self.q[j as usize]);
                    rest -= share * dot(self.settings.gravity, sum);
                }),
            }
            rest += body.energy(&self.q, self.settings.rigidity);
        }
        [kinetic, rest]
    }

    /// A vertex with the nodes at q.
    pub(crate) fn place(&self, i: usize, q: &[Vec3]) -> Vec3 {
        let v = &self.vertices[i];
        match v.count {
            0 => self.rest[i],
            1 => q[v.first as usize],
            _ => {
                let (q, w) = (&q[v.first as usize..v.first as usize + 4], &v.weights);
                along(along(along(q[0], w[1], q[1]), w[2], q[2]), w[3], q[3])
            }
        }
    }

    /// All vertices.
    pub(crate) fn place_all(&self, q: &[Vec3], out: &mut Vec<Vec3>) {
        out.clear();
        out.extend((0..self.vertices.len()).map(|i| self.place(i, q)));
    }

    /// μ of two bodies.
    pub(crate) fn friction(&self, a: u32, b: u32) -> f64 {
        (self.bodies[a as usize].friction * self.bodies[b as usize].friction).sqrt()
    }
}

/// ∫ρ (1, X)(1, X)ᵀ about the centre, volume, centre.
fn affine_mass(mesh: &Mesh, density: f64) -> Result<([[f64; 4]; 4], f64, Vec3), Error> {
    number("density", density, "more than 0 kg/m³", |d| d > 0.0)?;
    if !mesh.is_closed() {
        let mesh = Mesh::new(mesh.vertices().to_vec(), mesh.triangles().to_vec())?;
        return affine_mass(&mesh, density);
    }
    let moments = mesh.moments();
    let mut mass = [[0.0; 4]; 4];
    mass[0][0] = density * moments.volume;
    for i in 0..3 {
        (0..3).for_each(|j| mass[1 + i][1 + j] = density * moments.second[i][j]);
    }
    Ok((mass, moments.volume, moments.centre))
}

/// The rotation nearest to the matrix with these columns, by Newton's iteration (Higham 1986): A ← (A + A⁻ᵀ)/2.
fn nearest_rotation(mut a: [Vec3; 3]) -> Mat3 {
    for _ in 0..20 {
        let n = [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])];
        let det = dot(a[0], n[0]);
        let next: [Vec3; 3] =
            std::array::from_fn(|k| scale(add(a[k], scale(n[k], 1.0 / det)), 0.5));
        let change = (0..3).map(|k| norm(sub(next[k], a[k]))).fold(0.0, f64::max);
        a = next;
        if change < 1e-15 {
            break;
        }
    }
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}
