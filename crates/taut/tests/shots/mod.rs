//! Random shots: one body of any shape, spinning, at one fixed obstacle whose
//! front is at z = 0. Shared by the tests of tunnelling and of terrain.

#[path = "../splitmix/mod.rs"]
mod splitmix;

pub use splitmix::Random;
use taut::math::{Pose, Quat, Vec3};
use taut::{Body, Material, Shape, World};

impl Random {
    /// Between two positive numbers, their orders of magnitude alike.
    pub fn scale(&mut self, low: f64, high: f64) -> f64 {
        self.real(low.ln(), high.ln()).exp()
    }

    pub fn unit(&mut self) -> Vec3 {
        let (z, angle) = (self.real(-1.0, 1.0), self.real(0.0, std::f64::consts::TAU));
        let r = (1.0 - z * z).sqrt();
        Vec3::new(r * angle.cos(), r * angle.sin(), z)
    }

    pub fn turn(&mut self) -> Quat {
        Quat::from_axis_angle(self.unit(), self.real(0.0, std::f64::consts::PI))
    }
}

pub const SHAPES: [&str; 12] = [
    "ball",
    "box",
    "capsule",
    "cylinder",
    "cone",
    "hull",
    "compound",
    "thin capsule",
    "rod",
    "plate",
    "coin",
    "thin cylinder",
];

pub const TARGETS: [&str; 7] = [
    "plane",
    "thin box",
    "flat open mesh",
    "hilly open mesh",
    "thin closed mesh",
    "closed mesh",
    "height field",
];

/// A shape of about the size s.
pub fn shape(random: &mut Random, kind: usize, s: f64) -> Shape {
    let (a, b, c) = (random.real(0.3, 1.0), random.real(0.3, 1.0), random.real(0.3, 1.0));
    let cuboid = |x: f64, y: f64, z: f64| Shape::Box { half_extents: s * Vec3::new(x, y, z) };
    match kind {
        0 => Shape::Ball { radius: s },
        1 => cuboid(a, b, c),
        2 => Shape::Capsule { half_length: a * s, radius: 0.5 * b * s },
        3 => Shape::Cylinder { half_height: a * s, radius: b * s },
        4 => Shape::Cone { half_height: a * s, radius: b * s },
        5 => Shape::ConvexHull { points: (0..12).map(|_| s * random.unit()).collect() },
        6 => {
            let ball = Shape::Ball { radius: 0.4 * s };
            let bar = Shape::Capsule { half_length: 0.5 * s, radius: 0.1 * s };
            let tilted = Pose::from_parts(s * Vec3::new(0.0, 0.3, 0.5), random.turn());
            let at = |z: f64| Pose::from_translation(z * s * Vec3::Z);
            Shape::Compound {
                parts: vec![(at(-0.5), ball), (at(0.0), bar), (tilted, cuboid(0.3, 0.2, 0.1))],
            }
        }
        7 => Shape::Capsule { half_length: s, radius: s / 30.0 },
        8 => cuboid(1.0, 0.05, 0.04),
        9 => cuboid(1.0, a, 0.02),
        10 => Shape::Cylinder { half_height: 0.05 * s, radius: s },
        _ => Shape::Cylinder { half_height: s, radius: 0.02 * s },
    }
}

/// A fixed obstacle: its shape, where it stands, its extent, and its surface.
pub struct Target {
    pub shape: Shape,
    pub position: Vec3,
    /// Half the width within which the surface counts.
    pub extent: f64,
    /// How thick it is: a body is behind it this far below the surface.
    pub thick: f64,
    /// Heights of a square grid of so many points a side.
    grid: Option<(Vec<f64>, usize)>,
}

impl Target {
    /// The height of the surface.
    pub fn height(&self, p: Vec3) -> f64 {
        let Some((heights, n)) = &self.grid else { return 0.0 };
        let cell = 2.0 * self.extent / (n - 1) as f64;
        let (x, y) = ((p.x + self.extent) / cell, (p.y + self.extent) / cell);
        let (i, j) = ((x as usize).min(n - 2), (y as usize).min(n - 2));
        let (u, v) = (x - i as f64, y - j as f64);
        let at = |i: usize, j: usize| heights[j * n + i];
        let (a, d) = (at(i, j), at(i + 1, j + 1));
        // Two triangles, split along the diagonal from (0, 0) to (1, 1).
        if u > v {
            let b = at(i + 1, j);
            a + u * (b - a) + v * (d - b)
        } else {
            let c = at(i, j + 1);
            a + v * (c - a) + u * (d - c)
        }
    }

    fn hills(random: &mut Random, s: f64, steep: f64) -> Self {
        let n = 41;
        let cell = s * random.scale(0.3, 10.0);
        let (p, q) = (random.real(0.3, 1.5), random.real(0.3, 1.5));
        let noise = random.real(0.0, 0.3);
        let height = |random: &mut Random, k: usize| {
            let (i, j) = ((k % n) as f64, (k / n) as f64);
            steep * cell * ((p * i).sin() * (q * j).cos() + noise * random.real(-1.0, 1.0))
        };
        let heights: Vec<f64> = (0..n * n).map(|k| height(random, k)).collect();
        let extent = 0.5 * cell * (n - 1) as f64;
        let shape = Shape::HeightField {
            heights: heights.clone(),
            nx: n,
            ny: n,
            size_x: 2.0 * extent,
            size_y: 2.0 * extent,
        };
        let grid = Some((heights, n));
        Target { shape, position: Vec3::ZERO, extent, thick: 0.0, grid }
    }

    /// The same surface as an open mesh.
    fn into_mesh(mut self) -> Self {
        let Some((heights, n)) = &self.grid else { return self };
        let cell = 2.0 * self.extent / (n - 1) as f64;
        let place = |k: usize| cell * k as f64 - self.extent;
        let vertices =
            (0..n * n).map(|k| Vec3::new(place(k % n), place(k / n), heights[k])).collect();
        let mut triangles = Vec::new();
        for k in (0..n * (n - 1)).filter(|k| k % n < n - 1) {
            let (a, b, c) = (k as u32, k as u32 + 1, (k + n) as u32);
            triangles.push([a, b, c + 1]);
            triangles.push([a, c + 1, c]);
        }
        self.shape = Shape::TriMesh { vertices, triangles };
        self
    }

    /// A closed mesh in the form of a box.
    fn block(extent: f64, thick: f64) -> Self {
        let corner = |k: u32| {
            let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Vec3::new(
                sign(0) * extent,
                sign(1) * extent,
                if k >> 2 & 1 == 1 { 0.0 } else { -thick },
            )
        };
        let quads =
            [[4, 5, 7, 6], [0, 2, 3, 1], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
        let shape = Shape::TriMesh {
            vertices: (0..8).map(corner).collect(),
            triangles: quads.into_iter().flat_map(halves).collect(),
        };
        Target { shape, position: Vec3::ZERO, extent, thick, grid: None }
    }

    /// An obstacle for bodies of about the size s.
    pub fn new(random: &mut Random, kind: usize, s: f64) -> Self {
        let extent = 100.0;
        let flat = |shape, z: f64, thick| Target {
            shape,
            position: Vec3::Z * z,
            extent,
            thick,
            grid: None,
        };
        match kind {
            0 => flat(Shape::HalfSpace { normal: Vec3::Z }, 0.0, 0.0),
            1 => {
                let half_extents = Vec3::new(extent, extent, 1e-3);
                flat(Shape::Box { half_extents }, -1e-3, 2e-3)
            }
            2 => Target::hills(random, s, 0.0).into_mesh(),
            3 => Target::hills(random, s, 0.3).into_mesh(),
            4 => Target::block(extent, 2e-3),
            5 => Target::block(extent, 5.0),
            _ => Target::hills(random, s, 0.3),
        }
    }
}

/// What is shot, and how.
#[derive(Debug)]
pub struct Shot {
    pub seed: u64,
    pub shape: usize,
    pub target: usize,
    pub size: f64,
    pub speed: f64,
    pub spin: f64,
    pub h: f64,
    pub restitution: f64,
    pub friction: f64,
    pub gravity: Vec3,
}

/// What became of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Its centre came to lie behind the obstacle.
    pub passed: bool,
    /// A number was not finite.
    pub lost: bool,
    /// Largest rise of energy, relative to the largest kinetic energy plus the range of the
    /// potential so far.
    pub gain: f64,
    /// Steps done, and how many of them held the body back.
    pub steps: usize,
    pub held: usize,
}

/// Steps of a shot.
const STEPS: usize = 90;

impl Shot {
    pub fn new(seed: u64) -> Self {
        let r = &mut Random(seed);
        r.next();
        let target = r.below(TARGETS.len() as u64);
        let gravity = match r.below(3) {
            0 => Vec3::ZERO,
            1 if target == 1 || target == 4 => Vec3::new(0.0, -9.81, 0.0),
            _ => Vec3::new(0.0, 0.0, -9.81),
        };
        Shot {
            seed,
            shape: r.below(SHAPES.len() as u64),
            target,
            size: r.scale(0.005, 0.5),
            speed: r.scale(1.0, 500.0),
            spin: if r.below(5) == 0 { 0.0 } else { r.scale(1.0, 500.0) },
            h: [1.0 / 60.0, 1.0 / 60.0, 1.0 / 60.0, 1.0 / 30.0, 1.0 / 120.0, 1.0 / 240.0]
                [r.below(6)],
            restitution: [0.0, 0.0, 0.5, 1.0, r.real(0.0, 1.0)][r.below(5)],
            friction: [0.0, 0.5, 1.0][r.below(3)],
            gravity,
        }
    }

    /// The world before the shot, and the obstacle.
    pub fn world(&self) -> (World, Target) {
        let r = &mut Random(self.seed ^ 0x5eed);
        let target = Target::new(r, self.target, self.size);
        let mut world = World::new();
        let material = Material {
            restitution: self.restitution,
            friction: self.friction,
            ..Material::default()
        };
        let wall = Body::fixed("target").shape(target.shape.clone()).material(material);
        world.set_gravity(self.gravity).expect("gravity");
        world.add_body(wall.position(target.position)).expect("target");
        // From straight on to grazing.
        let lean = [r.real(0.2, 1.0), r.real(0.0, 0.2)][r.below(2)];
        let around = r.real(0.0, std::f64::consts::TAU);
        let side = (1.0 - lean * lean).sqrt();
        let velocity = self.speed * Vec3::new(side * around.cos(), side * around.sin(), -lean);
        let crossing = 0.5 * target.extent / (side * self.speed + 1e-9);
        let early = (r.real(0.0, 4.0) * self.h).min(crossing);
        let near = Vec3::Z * (1.8 * self.size + 0.6 * target.peak());
        let body = Body::dynamic("shot").shape(shape(r, self.shape, self.size)).material(material);
        let body = body.position(near - velocity * early).orientation(r.turn());
        let body = body.velocity(velocity).angular_velocity(self.spin * r.unit());
        world.add_body(body).expect("shot");
        (world, target)
    }

    pub fn run(&self) -> Outcome {
        let (mut world, target) = self.world();
        let id = world.body_named("shot").expect("shot");
        let mut outcome = Outcome::default();
        let energy = |world: &World| {
            let body = world.body(id).expect("shot");
            let kinetic = body.kinetic_energy();
            (kinetic, kinetic - body.mass() * world.gravity().dot(body.centre_of_mass()))
        };
        let (mut most, mut least) = energy(&world);
        let (mut low, mut high) = (least - most, least - most);
        for _ in 0..STEPS {
            let report = world.step(self.h).expect("step");
            outcome.steps += 1;
            outcome.held += report.held_bodies;
            let p = world.body(id).expect("shot").centre_of_mass();
            let (kinetic, total) = energy(&world);
            if !(p.is_finite() && total.is_finite() && report.events.iter().all(harmless)) {
                outcome.lost = true;
                break;
            }
            most = most.max(kinetic);
            least = least.min(total);
            (low, high) = (low.min(total - kinetic), high.max(total - kinetic));
            outcome.gain = outcome.gain.max((total - least) / (most + high - low));
            if p.x.abs().max(p.y.abs()) > target.extent - 2.0 * self.size {
                break;
            }
            outcome.passed |= p.z < target.height(p) - target.thick;
        }
        outcome
    }
}

impl Target {
    fn peak(&self) -> f64 {
        let heights = self.grid.as_ref().map(|g| g.0.iter().copied().fold(0.0, f64::max));
        heights.unwrap_or(0.0) / 0.6
    }
}

fn harmless(event: &taut::Event) -> bool {
    !matches!(event, taut::Event::Quarantined { .. })
}
