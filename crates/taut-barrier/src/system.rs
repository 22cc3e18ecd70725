//! Bodies, their nodes and surfaces.

use std::collections::BTreeMap;

use taut_soft::Solid;

use crate::body::{Body, Kind};
use crate::error::number;
use crate::joint::JointRow;
use crate::matrix::Matrix;
use crate::vector::{Mat3, Vec3, add, along, apply, cross, dot, norm, scale, sub, turn};
use crate::{Error, HalfSpace, Mesh};

/// A body of a [`System`].
pub type BodyId = usize;

/// How contact is smoothed, and how hard to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// d̂ \[m\]: barriers act below this distance. 1e-3 by default.
    pub reach: f64,
    /// ε_v \[m/s\]: below this speed friction grows with speed, so that what should stick creeps. 1e-3 by default.
    pub creep: f64,
    /// k \[Pa\]: what keeps affine bodies rigid. 1e9 by default.
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
            rigidity: 1e9,
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

/// Bodies where their nearest rotations put them: an affine body gives way a little, what is written of it does not.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Told {
    /// The least gap of features in reach, as bodies are drawn \[m\], negative where they overlap; infinite if none are.
    pub gap: f64,
    /// How far a vertex of a rigid body is from where its rotation puts it, at most \[m\].
    pub deviation: f64,
}

/// A half-space of a fixed body.
pub(crate) struct Plane {
    /// The vertex that is its point.
    pub corner: u32,
    pub normal: Vec3,
    pub body: u32,
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
    pub(crate) planes: Vec<Plane>,
    pub(crate) matrix: Matrix,
    /// κ, once known.
    pub(crate) kappa: Option<f64>,
    /// Forces of contacts on each body in the last step \[N\].
    pub(crate) forces: Vec<Vec3>,
    pub(crate) is_checked: bool,
    /// Pairs of bodies, the smaller one first, that ignore one another (none) or have a friction of their own.
    pub(crate) pairs: BTreeMap<(BodyId, BodyId), Option<f64>>,
    pub(crate) rows: Vec<JointRow>,
    /// Forces on nodes in the next step \[N\].
    pub(crate) loads: Vec<Vec3>,
}

/// What a rigid body weighs, whatever its surface is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight {
    /// \[kg\]
    pub mass: f64,
    /// Centre of mass \[m\].
    pub centre: Vec3,
    /// Inertia about it, along the axes of the world \[kg·m²\].
    pub inertia: Mat3,
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
            planes: Vec::new(),
            matrix: Matrix::default(),
            kappa: None,
            forces: Vec::new(),
            is_checked: false,
            pairs: BTreeMap::new(),
            rows: Vec::new(),
            loads: Vec::new(),
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

    /// A body that does not move, of half-spaces, which nothing gets past, and a mesh, which may be open.
    pub fn add_half_spaces(
        &mut self,
        name: &str,
        half_spaces: &[HalfSpace],
        mesh: Option<&Mesh>,
        friction: f64,
    ) -> Result<BodyId, Error> {
        for half_space in half_spaces {
            half_space
                .point
                .iter()
                .try_for_each(|&x| number("point", x, "finite", |_| true).map(drop))?;
            let length = norm(half_space.normal);
            number("length of a normal", length, "1", |l| (l - 1.0).abs() < 1e-9)?;
        }
        let (places, triangles): (&[Vec3], &[[u32; 3]]) =
            mesh.map_or((&[], &[]), |m| (m.vertices(), m.triangles()));
        let id = self.add(name, Kind::Fixed, friction, places, triangles, [0.0; 3])?;
        for HalfSpace { point, normal } in half_spaces {
            let (corner, body) = (self.vertices.len() as u32, id as u32);
            self.planes.push(Plane { corner, normal: *normal, body });
            let (first, count, is_outside) = (0, 0, false);
            self.vertices.push(Vertex { first, count, weights: [0.0; 4], body, is_outside });
            self.rest.push(*point);
        }
        Ok(id)
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

    /// A rigid body with this weight, whose surface is that of all meshes, which may overlap; without any it touches nothing.
    pub fn add_weighted(
        &mut self,
        name: &str,
        meshes: &[Mesh],
        weight: &Weight,
        friction: f64,
    ) -> Result<BodyId, Error> {
        let (mass, volume) = weighted_mass(meshes, weight)?;
        self.add_meshes(name, Kind::Affine { mass, volume }, friction, meshes, weight)
    }

    /// The same for a body that moves with the velocities it is given; its weight says which point these are of.
    pub fn add_driven(
        &mut self,
        name: &str,
        meshes: &[Mesh],
        weight: &Weight,
        friction: f64,
    ) -> Result<BodyId, Error> {
        let (mass, volume) = weighted_mass(meshes, weight)?;
        self.add_meshes(name, Kind::Kinematic { mass, volume }, friction, meshes, weight)
    }

    fn add_meshes(
        &mut self,
        name: &str,
        kind: Kind,
        friction: f64,
        meshes: &[Mesh],
        weight: &Weight,
    ) -> Result<BodyId, Error> {
        let (mut places, mut triangles) = (Vec::new(), Vec::new());
        for mesh in meshes {
            let base = places.len() as u32;
            places.extend_from_slice(mesh.vertices());
            triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + base)));
        }
        if places.is_empty() {
            // Points that touch nothing say how fast it turns.
            let size = gyration(weight);
            let c = weight.centre;
            places.extend(
                [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|e| along(c, size, e)),
            );
        }
        self.add(name, kind, friction, &places, &triangles, weight.centre)
    }

    /// Whether two bodies touch one another (`None`: no), and with which friction, in place of the geometric mean.
    pub fn set_pair(&mut self, a: BodyId, b: BodyId, friction: Option<f64>) -> Result<(), Error> {
        self.body(a)?;
        self.body(b)?;
        if let Some(mu) = friction {
            number("friction", mu, "at least 0", |mu| mu >= 0.0)?;
        }
        self.pairs.insert((a.min(b), a.max(b)), friction);
        self.is_checked = false;
        Ok(())
    }

    /// Gravity from now on \[m/s²\].
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), Error> {
        for g in gravity {
            number("gravity", g, "finite", |_| true)?;
        }
        self.settings.gravity = gravity;
        Ok(())
    }

    /// Velocities of the nodes of a soft body \[m/s\].
    pub fn set_node_velocities(&mut self, id: BodyId, velocities: &[Vec3]) -> Result<(), Error> {
        let body = self.body(id)?;
        let (first, count) = (body.first, body.nodes);
        if !matches!(body.kind, Kind::Soft(_)) || velocities.len() != count {
            return Err(Error::Body(id, "a soft body with so many nodes"));
        }
        for x in velocities.iter().flatten() {
            number("velocity", *x, "finite", |_| true)?;
        }
        for (k, v) in (first..).zip(velocities).filter(|(k, _)| !self.pinned[*k]) {
            self.v[k] = *v;
        }
        Ok(())
    }

    /// Where the nodes of a soft body are \[m\], in place of its shape at rest. To be called before the first step.
    pub fn set_nodes(&mut self, id: BodyId, places: &[Vec3]) -> Result<(), Error> {
        let body = self.body(id)?;
        let (first, count) = (body.first, body.nodes);
        if !matches!(body.kind, Kind::Soft(_)) || places.len() != count {
            return Err(Error::Body(id, "a soft body with so many nodes"));
        }
        for x in places.iter().flatten() {
            number("node", *x, "finite", |_| true)?;
        }
        self.q[first..first + count].copy_from_slice(places);
        self.is_checked = false;
        Ok(())
    }

    /// Velocities of the nodes of a body \[m/s\].
    pub fn node_velocities(&self, id: BodyId) -> Result<&[Vec3], Error> {
        let body = self.body(id)?;
        Ok(&self.v[body.first..body.first + body.nodes])
    }

    /// Refuses a start at which surfaces intersect or touch; steps do that, too.
    pub fn check_start(&mut self) -> Result<(), Error> {
        self.check()
    }

    /// Adds a force \[N\] at the centre of a rigid body and a torque \[N·m\], for the next step.
    pub fn push(&mut self, id: BodyId, force: Vec3, torque: Vec3) -> Result<(), Error> {
        let first = self.frame(id)?;
        for x in force.iter().chain(&torque) {
            number("force", *x, "finite", |_| true)?;
        }
        self.loads.resize(self.q.len(), [0.0; 3]);
        self.loads[first] = add(self.loads[first], force);
        // Σ aₖ × fₖ = τ for axes aₖ that are orthonormal.
        for k in first + 1..first + 4 {
            self.loads[k] = along(self.loads[k], 0.5, cross(torque, self.q[k]));
        }
        Ok(())
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
            thickness: crate::inside::thickness(places, triangles),
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

    /// Whether it has nodes.
    pub(crate) fn is_moving(&self, id: BodyId) -> bool {
        self.bodies.get(id).is_none_or(|b| b.nodes > 0)
    }

    /// The four nodes of a rigid or kinematic body.
    pub(crate) fn frame(&self, id: BodyId) -> Result<usize, Error> {
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

    /// How bodies fare as their nearest rotations put them, if each is drawn larger than its surface is by `drawn_back` of it \[m\].
    pub fn told(&self, drawn_back: impl Fn(BodyId) -> f64) -> Told {
        let (mut places, mut q) = (Vec::new(), self.q.clone());
        self.place_all(&self.q, &mut places);
        for body in self.bodies.iter().filter(|b| b.nodes > 0 && b.is_stiff()) {
            let a = body.first + 1;
            let rows = nearest_rotation([q[a], q[a + 1], q[a + 2]]);
            (0..3).for_each(|k| q[a + k] = [rows[0][k], rows[1][k], rows[2][k]]);
        }
        let mut told = Vec::new();
        self.place_all(&q, &mut told);
        let away = places.iter().zip(&told).map(|(&a, &b)| norm(sub(a, b)));
        let deviation = away.fold(0.0, f64::max);
        let mut pairs = Vec::new();
        self.find_pairs(&places, &places, &mut pairs);
        let mut gap = f64::INFINITY;
        for pair in &pairs {
            // Along the way that keeps them apart, so that it has a sign.
            let closest = pair.closest(&places);
            let distance = closest.squared.sqrt();
            if distance < self.settings.reach + 2.0 * deviation {
                let moved = pair.corners.map(|c| sub(told[c as usize], places[c as usize]));
                let more: f64 = (0..4)
                    .map(|i| closest.weights[i] * dot(closest.difference, moved[i]) / distance)
                    .sum();
                let [a, b] = self.owners(pair);
                let back = if a == b { 0.0 } else { drawn_back(a) + drawn_back(b) };
                gap = gap.min(distance + more - back);
            }
        }
        Told { gap, deviation }
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

    /// Triangles of its surface, of its vertices ([`System::places`]) from 0.
    pub fn triangles(&self, id: BodyId) -> Result<Vec<[u32; 3]>, Error> {
        let body = self.body(id)?;
        let first = body.first_vertex as u32;
        Ok(self.faces[body.faces.clone()].iter().map(|f| f.map(|v| v - first)).collect())
    }

    /// Its friction; of two bodies that is the geometric mean.
    pub fn friction_of(&self, id: BodyId) -> Result<f64, Error> {
        Ok(self.body(id)?.friction)
    }

    /// Whether it goes where it is told.
    pub fn is_driven(&self, id: BodyId) -> Result<bool, Error> {
        Ok(matches!(self.body(id)?.kind, Kind::Kinematic { .. }))
    }

    /// Its shortest edge \[m\], as it was given; infinite if it has none.
    pub fn shortest_edge(&self, id: BodyId) -> Result<f64, Error> {
        let edges = &self.edges[self.body(id)?.edges.clone()];
        let at = |v: u32| self.rest[v as usize];
        Ok(edges.iter().map(|&[a, b]| norm(sub(at(a), at(b)))).fold(f64::INFINITY, f64::min))
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
        let mean = (self.bodies[a as usize].friction * self.bodies[b as usize].friction).sqrt();
        self.pair(a, b).map_or(mean, |mu| mu.unwrap_or(0.0))
    }

    /// What was said of two bodies.
    pub(crate) fn pair(&self, a: u32, b: u32) -> Option<Option<f64>> {
        let (a, b) = (a as usize, b as usize);
        self.pairs.get(&(a.min(b), a.max(b))).copied()
    }
}

/// The radius of a ball of this mass that resists turning so.
fn gyration(weight: &Weight) -> f64 {
    let trace: f64 = (0..3).map(|k| weight.inertia[k][k]).sum();
    (trace / (2.0 * weight.mass)).sqrt()
}

/// ∫ρ (1, X)(1, X)ᵀ of a weight, whose second moments are ½ tr I − I, and the volume, or that of so much water.
fn weighted_mass(meshes: &[Mesh], weight: &Weight) -> Result<([[f64; 4]; 4], f64), Error> {
    number("mass", weight.mass, "more than 0 kg", |m| m > 0.0)?;
    let inertia = &weight.inertia;
    let trace: f64 = (0..3).map(|k| inertia[k][k]).sum();
    let mut mass = [[0.0; 4]; 4];
    mass[0][0] = weight.mass;
    for i in 0..3 {
        for j in 0..3 {
            number("inertia", inertia[i][j], "finite", |_| true)?;
            mass[1 + i][1 + j] = if i == j { 0.5 * trace } else { 0.0 } - inertia[i][j];
        }
    }
    let m = |i: usize, j: usize| mass[1 + i][1 + j];
    let two = m(0, 0) * m(1, 1) - m(0, 1) * m(0, 1);
    let three = m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1))
        - m(0, 1) * (m(1, 0) * m(2, 2) - m(1, 2) * m(2, 0))
        + m(0, 2) * (m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0));
    let least = [m(0, 0), two, three].into_iter().fold(f64::INFINITY, f64::min);
    number("inertia", least, "that of a solid: each axis less than the sum of the others", |x| {
        x > 0.0
    })?;
    let volume: f64 = meshes.iter().filter(|m| m.is_closed()).map(|m| m.moments().volume).sum();
    Ok((mass, if volume > 0.0 { volume } else { weight.mass / WATER }))
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
