//! Open meshes hold from the front, the side from which their triangles are
//! wound counter-clockwise, and from there alone.
#[allow(dead_code)] // part of it
mod shots;

use shots::{Random, SHAPES, shape};
use taut::collide::{Collider, CollisionPipeline, Groups, Motion};
use taut::math::{Pose, Vec3};
use taut::{Body, Material, Shape, World};

const H: f64 = 1.0 / 60.0;
const CELLS: usize = 40;
const CELL: f64 = 0.5;

fn height(x: f64, y: f64) -> f64 {
    0.15 * (1.1 * x).sin() * (0.9 * y).cos() + 0.05 * (3.0 * x + 2.0 * y).sin()
}

/// The height of the triangles.
fn surface(p: Vec3) -> f64 {
    let corner = |k: f64| CELL * k;
    let (x, y) = (p.x / CELL, p.y / CELL);
    let (i, j) = (x.floor(), y.floor());
    let (u, v) = (x - i, y - j);
    let at = |i: f64, j: f64| height(corner(i), corner(j));
    let (a, d) = (at(i, j), at(i + 1.0, j + 1.0));
    if u > v {
        let b = at(i + 1.0, j);
        a + u * (b - a) + v * (d - b)
    } else {
        let c = at(i, j + 1.0);
        a + v * (c - a) + u * (d - c)
    }
}

/// Hills 20 m wide around the origin; `flip`: front below.
fn hills(flip: bool) -> Shape {
    let n = CELLS + 1;
    let place = |k: usize| CELL * (k as f64 - 0.5 * CELLS as f64);
    let vertex = |k: usize| {
        let (x, y) = (place(k % n), place(k / n));
        Vec3::new(x, y, height(x, y))
    };
    let mut triangles = Vec::new();
    for k in (0..n * CELLS).filter(|k| k % n < CELLS) {
        let (a, b, c) = (k as u32, k as u32 + 1, (k + n) as u32);
        triangles.push([a, b, c + 1]);
        triangles.push([a, c + 1, c]);
    }
    if flip {
        triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    Shape::TriMesh { vertices: (0..n * n).map(vertex).collect(), triangles }
}

fn terrain(world: &mut World, flip: bool) {
    let ground = Body::fixed("ground").shape(hills(flip));
    world.add_body(ground).expect("ground");
}

/// Boxes thrown on hills slide and come to rest: nothing kicks them.
#[test]
fn boxes_on_open_hills_are_not_kicked() {
    let mut random = Random(24);
    for k in 0..30 {
        let mut world = World::new();
        terrain(&mut world, false);
        let half_extents = Vec3::new(0.1, 0.06, 0.03);
        let at = Vec3::new(random.real(-4.0, 4.0), random.real(-4.0, 4.0), random.real(1.0, 3.0));
        let body = Body::dynamic("box").shape(Shape::Box { half_extents }).position(at);
        let body = body.orientation(random.turn()).angular_velocity(random.unit() * 4.0);
        let body = body.velocity(Vec3::new(random.real(-1.0, 1.0), 0.5, 0.0));
        let id = world.add_body(body).expect("box");
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for _ in 0..120 {
            let report = world.step(H).expect("step");
            least = least.min(report.energy());
            most = most.max(report.kinetic_energy);
            let gain = (report.energy() - least) / most;
            assert!(gain < 1e-3, "box {k}: energy rose by {gain} of the kinetic one");
            let p = world.body(id).expect("box").centre_of_mass();
            assert!(p.z > surface(p), "box {k} at {p}");
        }
    }
}

/// A rain of all shapes: none leaks through, neither at edges nor at vertices.
#[test]
fn nothing_leaks_through_open_hills() {
    let mut random = Random(7);
    let mut world = World::new();
    terrain(&mut world, false);
    let mut ids = Vec::new();
    for k in 0..120 {
        // Half of them right above a vertex or an edge.
        let cell = |k: usize| CELL * (k as f64 - 5.0);
        let (i, j) = (k % 11, k / 11);
        let mut at = Vec3::new(cell(i), cell(j), 0.6 + 0.25 * (k % 5) as f64);
        if k % 2 == 1 {
            at.x += random.real(0.0, CELL);
            at.y += random.real(0.0, CELL);
        }
        let body = Body::dynamic(format!("b{k}"));
        let body = body.shape(shape(&mut random, k % SHAPES.len(), 0.12)).position(at);
        let body = body.orientation(random.turn()).angular_velocity(random.unit() * 10.0);
        ids.push(world.add_body(body.velocity(Vec3::Z * -5.0)).expect("body"));
    }
    for _ in 0..75 {
        let _ = world.step(H).expect("step");
    }
    for (k, id) in ids.into_iter().enumerate() {
        let p = world.body(id).expect("body").centre_of_mass();
        let z = p.z - surface(p);
        assert!(z > 0.0, "{} {k} at {p}, {z}", SHAPES[k % SHAPES.len()]);
    }
}

/// From behind there is nothing: what comes from there goes through, and what
/// sits in the surface with its middle behind falls.
#[test]
fn the_back_lets_go() {
    for kind in 0..SHAPES.len() {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).expect("gravity");
        terrain(&mut world, false);
        let body = Body::dynamic("up").shape(shape(&mut Random(1), kind, 0.2));
        let body = body.position(Vec3::new(0.1, 0.2, -1.5)).velocity(Vec3::Z * 4.0);
        let up = world.add_body(body).expect("up");
        let mut gain: f64 = 0.0;
        for _ in 0..60 {
            gain = gain.max(world.step(H).expect("step").energy_gain);
        }
        let up = world.body(up).expect("up");
        // Its last part is pushed out to the front where its middle has come there.
        assert!(up.centre_of_mass().z > 0.5, "{}: {}", SHAPES[kind], up.centre_of_mass());
        assert!(up.velocity().length() < 7.0, "{}: {}", SHAPES[kind], up.velocity());
    }
    let mut world = World::new();
    terrain(&mut world, true);
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 });
    let ball = world.add_body(ball.position(Vec3::Z)).expect("ball");
    for _ in 0..60 {
        let _ = world.step(H).expect("step");
    }
    let z = world.body(ball).expect("ball").centre_of_mass().z;
    // In the step in which its last part comes to the front it has a contact, and moves by the velocity at the end.
    assert!((z - (1.0 - 9.81 * 0.5)).abs() < 1e-3, "stopped at {z}");
}

/// Contact normals point away from the front, whatever overlaps.
#[test]
fn normals_never_point_out_of_the_back() {
    let mut random = Random(5);
    let collider = |body: u32, shape: &Shape| {
        let shape = shape.build().expect("shape");
        Some(Collider { body, shape, local_pose: Pose::IDENTITY, groups: Groups::ALL })
    };
    let ground = hills(false);
    let mut out = Vec::new();
    let mut found = 0;
    for k in 0..400 {
        let body = shape(&mut random, k % SHAPES.len(), 0.4);
        let at = Vec3::new(random.real(-5.0, 5.0), random.real(-5.0, 5.0), random.real(-0.6, 0.6));
        let moving = Motion {
            pose: Pose::from_parts(at, random.turn()),
            velocity: random.unit() * 5.0,
            angular_velocity: random.unit() * 20.0,
            is_static: false,
        };
        let still = Motion {
            pose: Pose::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            is_static: true,
        };
        let colliders = [collider(0, &ground), collider(1, &body)];
        let motions = [still, moving];
        CollisionPipeline::new().update(&colliders, &motions, H, 1e-3, |_, _| true, &mut out);
        found += out.len();
        let name = SHAPES[k % SHAPES.len()];
        for m in &out {
            assert!(m.normal.z > 0.0, "{name} at {at}: {m:?}");
        }
    }
    assert!(found > 100, "{found}");
}

/// A room is a closed mesh wound to be seen from inside: what is in it stays.
#[test]
fn a_room_keeps_what_is_in_it() {
    let corner = |k: u32| {
        let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        Vec3::new(sign(0), sign(1), sign(2))
    };
    let quads =
        [[4, 6, 7, 5], [0, 1, 3, 2], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
    let room = Shape::TriMesh {
        vertices: (0..8).map(corner).collect(),
        triangles: quads.into_iter().flat_map(halves).collect(),
    };
    let mut random = Random(2);
    for kind in 0..SHAPES.len() {
        let mut world = World::new();
        let bouncy = Material { restitution: 0.5, ..Material::default() };
        world.add_body(Body::fixed("room").shape(room.clone()).material(bouncy)).expect("room");
        let body = Body::dynamic("in").shape(shape(&mut random, kind, 0.3)).material(bouncy);
        let body = body.orientation(random.turn()).velocity(random.unit() * 30.0);
        let id = world.add_body(body.angular_velocity(random.unit() * 30.0)).expect("in");
        for _ in 0..120 {
            let _ = world.step(H).expect("step");
            let p = world.body(id).expect("in").centre_of_mass();
            assert!(p.abs().max_element() < 1.0, "{} at {p}", SHAPES[kind]);
        }
    }
}
