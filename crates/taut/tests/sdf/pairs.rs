//! Random pairs of solids, thrown at one another or put inside one another; how deep they are is measured from poses, by points
//! of one in the distance field of the other.

use crate::shapes::{Mesh, block, prism, ring, solid, star};
use crate::splitmix::Random;
use taut::math::{Quat, Vec3};
use taut::{Body, BodyId, Shape, World};
use taut_sdf::{Field, Surface};

/// Where a point is deep inside.
enum Inside {
    Surface(Box<Surface>),
    /// Half length and radius, along z.
    Capsule(f64, f64),
    Cylinder(f64, f64),
}

struct Solid {
    kind: &'static str,
    shape: Shape,
    inside: Inside,
    /// Points, and the radius of the ball around each.
    points: Vec<Vec3>,
    radius: f64,
    size: f64,
}

impl Solid {
    fn mesh(kind: &'static str, shape: Shape, mesh: &Mesh) -> Self {
        let vertices = mesh.0.iter().map(|v| v.to_array()).collect();
        let surface = Surface::new(vertices, mesh.1.clone()).expect("sound");
        let mut points = Vec::new();
        let most = 12_000 / mesh.1.len();
        let n = (1..=12).rfind(|n| (n + 1) * (n + 2) / 2 < most).unwrap_or(1);
        for t in &mesh.1 {
            let [a, b, c] = t.map(|i| mesh.0[i as usize]);
            for i in 0..=n {
                for j in 0..=n - i {
                    let (u, v) = (i as f64 / n as f64, j as f64 / n as f64);
                    points.push(a + u * (b - a) + v * (c - a));
                }
            }
        }
        let inside = Inside::Surface(Box::new(surface));
        Self::new(kind, shape, inside, points, 0.0)
    }

    fn new(
        kind: &'static str,
        shape: Shape,
        inside: Inside,
        points: Vec<Vec3>,
        radius: f64,
    ) -> Self {
        let size = points.iter().map(|p| p.length()).fold(0.0, f64::max) + radius;
        Self { kind, shape, inside, points, radius, size }
    }

    fn random(r: &mut Random, kind: usize) -> Self {
        let mut half = |low: f64, high: f64| {
            Vec3::new(r.real(low, high), r.real(low, high), r.real(low, high))
        };
        match kind {
            0 => {
                let mesh = block(half(0.05, 0.2));
                Self::mesh("box sdf", solid(mesh.clone()), &mesh)
            }
            1 => {
                let (s, w, h) = (r.real(0.3, 0.5), r.real(0.06, 0.12), r.real(0.03, 0.1));
                let p = [[0., 0.], [s, 0.], [s, w], [w, w], [w, s], [0., s]];
                let mesh = slab(&p, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], h);
                Self::mesh("L", solid(mesh.clone()), &mesh)
            }
            2 => {
                let (s, w) = (r.real(0.25, 0.4), r.real(0.05, 0.09));
                let (d, h) = (r.real(0.2, 0.4), r.real(0.03, 0.1));
                let x = s - w;
                let p = [[0., 0.], [s, 0.], [s, d], [x, d], [x, w], [w, w], [w, d], [0., d]];
                let lid = [[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]];
                let mesh = slab(&p, &lid, h);
                Self::mesh("U", solid(mesh.clone()), &mesh)
            }
            3 => {
                let far = r.real(0.15, 0.3);
                let near = far * r.real(0.3, 0.45);
                let half = r.real(0.03, 0.08);
                let mesh = prism(&star(far, near, 3 + r.below(4)), -half, half);
                Self::mesh("prism star", solid(mesh.clone()), &mesh)
            }
            4 => {
                let mesh = spikes(r.real(0.05, 0.09), r.real(0.15, 0.3));
                Self::mesh("star", solid(mesh.clone()), &mesh)
            }
            5 => {
                let mesh = ring(r.real(0.15, 0.25), r.real(0.03, 0.06));
                Self::mesh("ring", solid(mesh.clone()), &mesh)
            }
            6 => {
                let half_extents = half(0.05, 0.2);
                Self::mesh("box", Shape::Box { half_extents }, &block(half_extents))
            }
            7 => {
                let h = half(0.05, 0.2);
                let points: Vec<Vec3> =
                    [Vec3::X, Vec3::Y, Vec3::Z].iter().flat_map(|e| [h * *e, -h * *e]).collect();
                let faces = (0..8).map(|i: u32| {
                    let [x, y, z] = [i & 1, i >> 1 & 1, i >> 2 & 1];
                    let t = [x, 2 + y, 4 + z];
                    if (x + y + z) % 2 == 0 { t } else { [t[0], t[2], t[1]] }
                });
                let mesh = (points.clone(), faces.collect());
                Self::mesh("hull", Shape::ConvexHull { points }, &mesh)
            }
            8 => {
                let radius = r.real(0.03, 0.15);
                let inside = Inside::Capsule(0.0, radius);
                Self::new("ball", Shape::Ball { radius }, inside, vec![Vec3::ZERO], radius)
            }
            9 => {
                let (half_length, radius) = (r.real(0.1, 0.4), r.real(0.03, 0.1));
                let points = (-30..=30).map(|i| Vec3::Z * half_length * f64::from(i) / 30.0);
                let inside = Inside::Capsule(half_length, radius);
                let shape = Shape::Capsule { half_length, radius };
                Self::new("capsule", shape, inside, points.collect(), radius)
            }
            _ => {
                let (half_height, radius) = (r.real(0.03, 0.2), r.real(0.05, 0.15));
                let mesh = prism(&star(radius, radius, 32), -half_height, half_height);
                let shape = Shape::Cylinder { half_height, radius };
                let inside = Inside::Cylinder(half_height, radius);
                Self { inside, ..Self::mesh("cylinder", shape, &mesh) }
            }
        }
    }

    fn depth(&self, p: Vec3) -> f64 {
        match &self.inside {
            Inside::Surface(s) => {
                if p.length() > self.size + 0.2 {
                    -1.0
                } else {
                    -s.distance(p.to_array())
                }
            }
            Inside::Capsule(half, r) => r - (p - p.z.clamp(-half, *half) * Vec3::Z).length(),
            Inside::Cylinder(half, r) => (r - p.truncate().length()).min(half - p.z.abs()),
        }
    }
}

/// A cube with a pyramid on each face.
fn spikes(core: f64, tip: f64) -> Mesh {
    let (mut vertices, triangles) = block(Vec3::splat(core));
    let mut all = Vec::new();
    for quad in triangles.chunks(2) {
        let ring = [quad[0][0], quad[0][1], quad[0][2], quad[1][2]];
        let middle: Vec3 = ring.iter().map(|&i| vertices[i as usize]).sum();
        vertices.push(tip * middle.normalize());
        let top = vertices.len() as u32 - 1;
        all.extend((0..4).map(|i| [ring[i], ring[(i + 1) % 4], top]));
    }
    (vertices, all)
}

/// A polygon from −half to half along z, by the triangles of its lid, with its middle at the origin.
fn slab(outline: &[[f64; 2]], lid: &[[u32; 3]], half: f64) -> Mesh {
    let n = outline.len() as u32;
    let mean = outline.iter().map(|p| Vec3::new(p[0], p[1], 0.0)).sum::<Vec3>() / f64::from(n);
    let level = |z: f64| outline.iter().map(move |p| Vec3::new(p[0], p[1], z) - mean);
    let vertices = level(-half).chain(level(half)).collect();
    let sides = (0..n).flat_map(|i| {
        let j = (i + 1) % n;
        [[i, j, n + j], [i, n + j, n + i]]
    });
    let lids = lid.iter().flat_map(|&[a, b, c]| [[a, c, b], [n + a, n + b, n + c]]);
    (vertices, sides.chain(lids).collect())
}

/// How deep two solids are in one another, by points.
fn depth(world: &World, solids: [&Solid; 2], ids: [BodyId; 2]) -> f64 {
    let [a, b] = ids.map(|id| {
        let body = world.body(id).expect("there");
        (body.position(), body.orientation())
    });
    let [s, t] = solids;
    let mut most = 0.0_f64;
    for (own, other, (x, q), (y, r)) in [(s, t, a, b), (t, s, b, a)] {
        // The axis of a round one tells all; points of others on round ones, too.
        for &p in &own.points {
            let p = r.conjugate() * (x + q * p - y);
            if p.length() <= other.size + own.radius {
                most = most.max(other.depth(p) + own.radius);
            }
        }
    }
    most
}

fn direction(r: &mut Random) -> Vec3 {
    loop {
        let v = Vec3::new(r.real(-1.0, 1.0), r.real(-1.0, 1.0), r.real(-1.0, 1.0));
        if v.length() < 1.0 && v.length() > 0.1 {
            return v.normalize();
        }
    }
}

fn turn(r: &mut Random) -> Quat {
    Quat::from_axis_angle(direction(r), r.real(0.0, 3.0))
}

/// What a pair did.
#[derive(Debug)]
struct Outcome {
    seen: f64,
    told: f64,
    /// At the end.
    left: f64,
    fastest: f64,
    frame: usize,
    text: String,
}

/// Depths are measured in every so many frames, and at the end.
fn run(solids: [&Solid; 2], bodies: [Body; 2], frames: usize, every: usize) -> Outcome {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    let ids = bodies.map(|body| world.add_body(body).expect("sound"));
    let text = format!("{} and {}", solids[0].kind, solids[1].kind);
    let mut o = Outcome { seen: 0.0, told: 0.0, left: 0.0, fastest: 0.0, frame: 0, text };
    for frame in 1..=frames {
        let before = ids.map(|id| world.body(id).expect("there").position());
        let report = world.step(1.0 / 60.0).expect("a step");
        assert!(report.converged(), "{} at {}", o.text, report.time);
        o.told = o.told.max(report.max_penetration);
        let after = ids.map(|id| world.body(id).expect("there").position());
        for k in 0..2 {
            o.fastest = o.fastest.max(60.0 * before[k].distance(after[k]));
        }
        if frame % every > 0 && frame < frames {
            continue;
        }
        o.left = depth(&world, solids, ids);
        if o.left > o.seen {
            (o.seen, o.frame) = (o.left, frame);
        }
    }
    o
}

fn body(name: &str, s: &Solid) -> Body {
    Body::dynamic(name).shape(s.shape.clone()).density(1000.0)
}

/// A solid that is not convex, or is given as if it were not, and another one, at 0.5 to 10 m/s.
fn thrown(seed: u64) -> Outcome {
    let mut r = Random(seed.wrapping_mul(7919) + 17);
    let kinds = [r.below(6), r.below(11)];
    let [a, b] = kinds.map(|k| Solid::random(&mut r, k));
    let speed = (r.real(0.5_f64.ln(), 10.0_f64.ln())).exp();
    let spin = [0.0, 1.0, 10.0][r.below(3)];
    let way = direction(&mut r);
    let far = a.size + b.size + 0.02;
    let first = body("a", &a).orientation(turn(&mut r)).angular_velocity(spin * direction(&mut r));
    let second = body("b", &b).orientation(turn(&mut r)).velocity(-speed * way);
    let aside = 0.05 * direction(&mut r);
    let second = second.position(far * way + aside).angular_velocity(spin * direction(&mut r));
    let mut o = run([&a, &b], [first, second], (108.0 * far / speed) as usize + 8, 1);
    o.text += &format!(" at {speed:.2} m/s, spin {spin}");
    o
}

fn inside(seed: u64, frames: usize) -> Outcome {
    let mut r = Random(seed.wrapping_mul(104_729) + 5);
    let kinds = [1 + r.below(5), r.below(11)];
    let [a, b] = kinds.map(|k| Solid::random(&mut r, k));
    let first = body("a", &a).orientation(turn(&mut r));
    let aside = r.real(0.0, 0.1) * direction(&mut r);
    let second = body("b", &b).orientation(turn(&mut r)).position(aside);
    run([&a, &b], [first, second], frames, 30)
}

fn seeds() -> std::ops::Range<u64> {
    let text = std::env::var("SEEDS").unwrap_or_else(|_| "0-200".to_string());
    let (from, to) = text.split_once('-').expect("from-to");
    from.parse().expect("a number")..to.parse().expect("a number")
}

fn is_off(o: &Outcome) -> bool {
    o.told > 1.5 * o.seen + 1e-3 || o.seen > 1.5 * o.told + 1e-3
}

/// (Pairs like these sank in by up to 33 mm, and one that had sunk in by 18 mm was said to be 421 mm deep.)
#[test]
fn thrown_pairs_do_not_sink() {
    for seed in 0..25 {
        let o = thrown(seed);
        assert!(o.seen < 2e-3 && !is_off(&o), "{seed}: {o:?}");
    }
}

/// (10 of 30 stayed where they were.)
#[test]
fn pairs_inside_one_another_part() {
    for seed in [1, 5, 7, 8, 9] {
        let o = inside(seed, 150);
        assert!(o.left < 2e-3 && o.fastest < 10.0, "{seed}: {o:?}");
    }
}

/// SEEDS=0-200 to look at more.
#[test]
#[ignore = "takes minutes"]
fn many_thrown_pairs() {
    let all: Vec<(u64, Outcome)> = seeds().map(|s| (s, thrown(s))).collect();
    for (s, o) in all.iter().filter(|(_, o)| o.seen > 2e-3 || is_off(o)) {
        println!("{s}: {o:?}");
    }
    let worst = all.iter().map(|(_, o)| o.seen).fold(0.0, f64::max);
    let deep = all.iter().filter(|(_, o)| o.seen > 2e-3).count();
    let off = all.iter().filter(|(_, o)| is_off(o)).count();
    println!("{} pairs, deepest {worst}, {deep} beyond 2 mm, {off} told wrongly", all.len());
}

#[test]
#[ignore = "takes minutes"]
fn many_pairs_inside() {
    let all: Vec<(u64, Outcome)> = seeds().map(|s| (s, inside(s, 240))).collect();
    for (s, o) in all.iter().filter(|(_, o)| o.left > 2e-3 || o.fastest > 10.0) {
        println!("{s}: {o:?}");
    }
    let left = all.iter().filter(|(_, o)| o.left > 2e-3).count();
    let fastest = all.iter().map(|(_, o)| o.fastest).fold(0.0, f64::max);
    println!("{} pairs, {left} stay, fastest {fastest}", all.len());
}
