//! Scenes of newcomers that once went wrong with every step called converged, against closed
//! forms: spinning bodies, exact timing, turntables, hoists, what flies freely.

use taut::math::{Mat3, Quat, Vec3};
use taut::{Body, BodyId, Collider, Frame, Joint, Material, Motor, Shape, World};

const H: f64 = 1.0 / 60.0;

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box { half_extents: Vec3::new(x, y, z) }
}

fn surface(friction: f64, restitution: f64) -> Material {
    Material { friction, restitution, ..Material::default() }
}

fn world(gravity: f64) -> World {
    let mut world = World::new();
    world.set_gravity(Vec3::Z * -gravity).expect("finite");
    world
}

fn run(world: &mut World, h: f64, steps: usize) {
    for _ in 0..steps {
        let report = world.step(h).expect("step");
        assert!(report.converged() && !report.is_torn(), "{report:?}");
        assert!(!report.gained_energy(), "{} J created", report.energy_gain);
    }
}

fn add(world: &mut World, body: Body) -> BodyId {
    world.add_body(body).expect("body")
}

/// The spin of a ball without friction has no say in its bounce. (The point of a contact to come
/// turned with the ball: it left a box at 6.6 m/s instead of 3.)
#[test]
fn spin_does_not_become_bounce() {
    for spin in [10.0, 100.0, 200.0] {
        let mut world = world(0.0);
        let floor = Body::fixed("floor").shape(cuboid(2.0, 2.0, 0.5));
        add(&mut world, floor.position(Vec3::Z * -0.5).material(surface(0.0, 1.0)));
        let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 });
        let ball = ball.position(Vec3::Z * 0.37).velocity(Vec3::Z * -3.0);
        let ball = ball.angular_velocity(Vec3::Y * spin).material(surface(0.0, 1.0));
        let ball = add(&mut world, ball);
        run(&mut world, H, 30);
        let ball = world.body(ball).expect("ball");
        assert!(ball.velocity().distance(Vec3::Z * 3.0) < 1e-6, "{}", ball.velocity());
        assert!(ball.angular_velocity().distance(Vec3::Y * spin) < 1e-6);
    }
}

/// A ball that touches at the very end of a step bounces. (It stopped dead.)
#[test]
fn bounces_at_the_end_of_a_step() {
    for steps in 1..=24 {
        let mut world = world(0.0);
        let plane = Body::fixed("plane").shape(Shape::HalfSpace { normal: Vec3::Z });
        add(&mut world, plane.material(surface(0.0, 1.0)));
        let gap = 2.0 * H * f64::from(steps);
        let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 });
        let ball = ball.position(Vec3::Z * (0.1 + gap)).velocity(Vec3::Z * -2.0);
        let ball = add(&mut world, ball.material(surface(0.0, 1.0)));
        run(&mut world, H, 30);
        let speed = world.body(ball).expect("ball").velocity().z;
        assert!((speed - 2.0).abs() < 1e-6, "{steps} steps: {speed}");
    }
}

/// A rod whose end hits the ground: e = 1 turns the speed of the end around.
#[test]
fn a_turning_end_bounces() {
    for height in [0.5, 0.503] {
        let mut world = world(0.0);
        let plane = Body::fixed("plane").shape(Shape::HalfSpace { normal: Vec3::Z });
        add(&mut world, plane.material(surface(0.0, 1.0)));
        let rod = Body::dynamic("rod").shape(Shape::Capsule { half_length: 0.5, radius: 0.01 });
        let tilted = Quat::from_rotation_y(1.2);
        let end = tilted * (Vec3::Z * 0.5);
        let rod = rod.position(Vec3::Z * (height + end.z.abs() + 0.01)).orientation(tilted);
        let rod = add(&mut world, rod.velocity(Vec3::Z * -2.0).material(surface(0.0, 1.0)));
        let energy = world.body(rod).expect("rod").kinetic_energy();
        run(&mut world, H, 25);
        let rod = world.body(rod).expect("rod");
        assert!((rod.kinetic_energy() / energy - 1.0).abs() < 1e-6, "{}", rod.kinetic_energy());
        assert!(rod.angular_velocity().length() > 1.0, "{}", rod.angular_velocity());
    }
}

/// A frictionless top in steady precession stands, at 30 and 100 rad/s.
/// (Beyond a quarter of a radian in a step it fell over.)
#[test]
fn tops_stand() {
    for (spin, tilt) in [(30.0, 0.1_f64), (100.0, 0.3)] {
        let (moment, axial, arm, mass) = (0.004, 0.005, 0.1, 1.0);
        // Moments about the centre of mass, which stays at its height: the tip slides.
        let (a, b, c) = (moment * tilt.cos(), axial * spin, mass * 9.81 * arm);
        let rate = (b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
        let mut world = world(9.81);
        let plane = Body::fixed("plane").shape(Shape::HalfSpace { normal: Vec3::Z });
        add(&mut world, plane.material(surface(0.0, 0.0)));
        let q = Quat::from_rotation_y(tilt);
        let axis = q * Vec3::Z;
        let inertia = Mat3::from_diagonal(Vec3::new(moment, moment, axial));
        let tip = Collider::new(Shape::Ball { radius: 0.01 }).at(Vec3::Z * -arm);
        let top = Body::dynamic("top").mass(mass).inertia(inertia);
        let top = top.collider(tip).material(surface(0.0, 0.0));
        let top = top.position(Vec3::Z * (arm * tilt.cos() + 0.01)).orientation(q);
        let w = Vec3::Z * rate + axis * (spin - rate * tilt.cos());
        let top = add(&mut world, top.angular_velocity(w));
        for _ in 0..240 {
            run(&mut world, H, 1);
            let top = world.body(top).expect("top");
            let now = (top.orientation() * Vec3::Z).z.acos();
            assert!(now < 2.0 * tilt, "{spin} rad/s: tilt {now}");
        }
    }
}

/// A ball that rolls down a slope without slip: s = 5/14 g sin(α) t², at any rate of turning.
#[test]
fn rolling_distances_are_exact() {
    let slope = 0.6_f64;
    let mut world = world(9.81);
    let q = Quat::from_rotation_y(slope);
    let plane = Body::fixed("slope").shape(Shape::HalfSpace { normal: Vec3::Z });
    add(&mut world, plane.orientation(q).material(surface(0.6, 0.0)));
    let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 });
    let start = q * (Vec3::Z * 0.1);
    let ball = add(&mut world, ball.position(start).material(surface(0.6, 0.0)));
    run(&mut world, H, 120);
    let way = world.body(ball).expect("ball").position().distance(start);
    let exact = 5.0 / 14.0 * 9.81 * slope.sin() * 4.0;
    assert!((way / exact - 1.0).abs() < 1e-3, "{way}, not {exact}");
}

/// A kinematic disc about z that turns at this rate, and a body on it that turns with it at this distance.
fn turntable(spin: f64, mu: f64, radius: f64, shape: Shape, half: f64) -> (World, BodyId) {
    let mut world = world(9.81);
    let table = Body::kinematic("table").shape(Shape::Cylinder { half_height: 0.05, radius: 3.0 });
    let table = table.angular_velocity(Vec3::Z * spin).material(surface(mu, 0.0));
    add(&mut world, table);
    let cargo = Body::dynamic("cargo").shape(shape).material(surface(mu, 0.0));
    let cargo = cargo.position(Vec3::new(radius, 0.0, 0.05 + half));
    let cargo = cargo.velocity(Vec3::Y * radius * spin).angular_velocity(Vec3::Z * spin);
    let cargo = add(&mut world, cargo);
    (world, cargo)
}

/// Below the limit ω²r = μg a box stays where it is on a turntable, for a minute. (It went outward by 45 mm at 1 m and 0.99 of the
/// limit.)
#[test]
fn boxes_stay_on_turntables() {
    for radius in [0.1, 0.3, 1.0_f64] {
        let spin = (0.99 * 0.5 * 9.81 / radius).sqrt();
        let (mut world, cargo) = turntable(spin, 0.5, radius, cuboid(0.03, 0.03, 0.02), 0.02);
        let out = |world: &World| {
            let p = world.body(cargo).expect("box").position();
            let q = Quat::from_rotation_z(-spin * world.time()) * p;
            (q.x - radius).hypot(q.y)
        };
        run(&mut world, H, 3600);
        assert!(out(&world) < 1e-4, "radius {radius}: {}", out(&world));
    }
}

/// A coin stays on a record at 82 % of the limit, however fast that turns. (At 30 rad/s it left it in 1.7 s.)
#[test]
fn coins_stay_on_records() {
    for spin in [1.0, 3.0, 10.0, 20.0, 30.0_f64] {
        let radius = (0.82 * 0.8 * 9.81 / (spin * spin)).min(1.0);
        let coin = Shape::Cylinder { half_height: 1e-3, radius: 0.01 };
        let (mut world, coin) = turntable(spin, 0.8, radius, coin, 1e-3);
        run(&mut world, H, 600);
        let p = Quat::from_rotation_z(-spin * world.time())
            * world.body(coin).expect("coin").position();
        assert!((p.x - radius).hypot(p.y) < 1e-4, "{spin} rad/s: {p}");
    }
}

/// A straight chain that spins freely keeps energy and angular momentum. (It gained 11 % in 10 s.)
#[test]
fn free_chains_keep_energy_and_momentum() {
    for (links, spin, h) in [(5, 20.0, H), (10, 5.0, 2.0 * H)] {
        let mut world = world(0.0);
        let mut last: Option<BodyId> = None;
        let half = 0.25 * f64::from(links - 1);
        for k in 0..links {
            let x = 0.5 * f64::from(k) - half;
            let link = Body::dynamic(format!("link{k}")).shape(cuboid(0.2, 0.1, 0.05)).mass(1.0);
            let link = link.position(Vec3::X * x).velocity(Vec3::Y * x * spin);
            let link = add(&mut world, link.angular_velocity(Vec3::Z * spin));
            if let Some(last) = last {
                let joint = Joint::ball(format!("joint{k}"), last, link);
                let joint = joint.anchor_a(Vec3::X * 0.25).anchor_b(Vec3::X * -0.25);
                world.add_joint(joint).expect("joint");
            }
            last = Some(link);
        }
        let (mut first, mut last) = (None, (0.0, Vec3::ZERO));
        for _ in 0..(10.0 / h) as usize {
            let report = world.step(h).expect("step");
            assert!(report.converged() && !report.gained_energy(), "{report:?}");
            last = (report.kinetic_energy, report.angular_momentum);
            first.get_or_insert(last);
        }
        let (energy, momentum) = first.expect("steps");
        assert!(last.1.distance(momentum) < 1e-9 * momentum.length(), "{momentum} {}", last.1);
        assert!((last.0 / energy - 1.0).abs() < 1e-3, "{energy} {}", last.0);
    }
}

/// A hoist that brakes carries M(g + a), and its chain hangs still. (Links shook at 49 rad/s.)
#[test]
fn braking_hoists_do_not_shake_their_chain() {
    let mut world = world(9.81);
    let hook = add(&mut world, Body::dynamic("hook").mass(10.0).inertia(Mat3::IDENTITY));
    let lift = Joint::slider("lift", Frame::World, hook).axis_a(Vec3::Z);
    let lift = world.add_joint(lift.motor(Motor::velocity(2.0, 1e9))).expect("lift");
    let (mut last, mut mass) = (hook, 10.0);
    for k in 0..21 {
        let load = k == 20;
        let (m, half) = if load { (25_000.0, 1.0) } else { (0.5, 0.1) };
        let inertia = Mat3::from_diagonal(Vec3::new(1.0, 1.0, 0.1) * m * half * half / 3.0);
        let top = -0.2 * f64::from(k);
        let link = Body::dynamic(format!("link{k}")).mass(m).inertia(inertia);
        // A thousandth of a millimetre off the vertical.
        let x = 1e-6 * f64::from(k % 2);
        let link = link.position(Vec3::new(x, 0.0, top - half)).velocity(Vec3::Z * 2.0);
        let link = add(&mut world, link);
        let joint = Joint::ball(format!("joint{k}"), last, link);
        let arm = if k == 0 { 0.0 } else { -0.1 };
        let joint = joint.anchor_a(Vec3::Z * arm).anchor_b(Vec3::Z * half);
        world.add_joint(joint).expect("joint");
        (last, mass) = (link, mass + m);
    }
    for step in 0..90 {
        let t = H * (f64::from(step) + 0.5) - 0.5;
        let (target, acceleration) = if t > 0.0 { (2.0 - 4.0 * t, -4.0) } else { (2.0, 0.0) };
        let motor = Motor::Velocity { target, max_force: 1e9, acceleration };
        world.edit_joint(lift, |j| j.travel_motor = Some(motor)).expect("motor");
        run(&mut world, H, 1);
        let force = world.joint(lift).expect("lift").motor_force();
        let due = mass * (9.81 + acceleration);
        assert!(step < 2 || (force / due - 1.0).abs() < 1e-3, "step {step}: {force}, not {due}");
    }
}

/// A cube of triangles rests on a box as one of faces does. (It walked about.)
#[test]
fn cubes_of_triangles_rest() {
    let corner = |k: u32| {
        let side = |bit: u32| if k >> bit & 1 == 1 { 0.15 } else { -0.15 };
        Vec3::new(side(2), side(1), side(0))
    };
    let quads =
        [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]];
    let mesh = Shape::TriMesh {
        vertices: (0..8).map(corner).collect(),
        triangles: quads.into_iter().flat_map(halves).collect(),
    };
    let mut world = world(9.81);
    add(&mut world, Body::fixed("floor").shape(cuboid(5.0, 5.0, 0.5)));
    let start = Vec3::new(0.1, 0.2, 0.65);
    let cube = add(&mut world, Body::dynamic("cube").shape(mesh).mass(5.0).position(start));
    run(&mut world, H, 300);
    let cube = world.body(cube).expect("cube");
    assert!(cube.position().distance(start) < 1e-6, "{}", cube.position());
}

/// Two bodies that start inside one another without gravity part, and nobody calls what the
/// compliance of contacts leaves a gain.
#[test]
fn overlaps_without_gravity_are_no_gain() {
    let mut world = world(0.0);
    for (name, x) in [("a", 0.0), ("b", 0.1)] {
        let ball = Body::dynamic(name).shape(Shape::Ball { radius: 0.1 });
        add(&mut world, ball.position(Vec3::X * x));
    }
    run(&mut world, H, 60);
}

/// Loads of 20 and 50 t on a bridge of planks of 20 kg, in long steps. (Steps that joints could not
/// follow left them open by millimetres; closing them lifted the load, and created 10 kJ, 5,000
/// times what counts as sound. With boxes 6 of 12 such scenes still created up to 40 times that.)
#[test]
fn a_heavy_load_on_a_bridge_gives_no_energy() {
    let (cone, boxes) = (taut::FrictionMode::Cone, taut::FrictionMode::Box);
    for (which, friction, mass) in [(8, cone, 5e4), (11, cone, 2e4), (10, boxes, 2e4)] {
        let mut world = world(9.81);
        world.settings_mut().friction = friction;
        let (half, tilt, count) = (0.25, 0.16, 20);
        let at = |body, x| (Frame::Body(body), x * Vec3::X);
        let mut planks = Vec::new();
        let (mut end, mut under) = (Vec3::ZERO, Vec3::ZERO);
        let start = end;
        for i in 0..count {
            let angle = tilt * (1.0 - 2.0 * (f64::from(i) + 0.5) / f64::from(count));
            let q = Quat::from_rotation_y(angle);
            let shape = cuboid(0.23, 0.6, 0.03);
            let plank = Body::dynamic(format!("plank {i}")).mass(20.0).shape(shape);
            let middle = end + q * (half * Vec3::X);
            planks.push(add(&mut world, plank.position(middle).orientation(q)));
            end = middle + q * (half * Vec3::X);
            if i == which {
                under = middle + q * (0.04 * Vec3::Z);
            }
        }
        for y in [-0.5, 0.5] {
            let mut ends = vec![((Frame::World, start), at(planks[0], -half))];
            ends.extend(planks.windows(2).map(|p| (at(p[0], half), at(p[1], -half))));
            ends.push(((Frame::World, end), at(planks[19], half)));
            for (k, ((a, x_a), (b, x_b))) in ends.into_iter().enumerate() {
                let joint = Joint::ball(format!("joint {k} {y}"), a, b);
                let joint = joint.anchor_a(x_a + y * Vec3::Y).anchor_b(x_b + y * Vec3::Y);
                world.add_joint(joint).expect("joint");
            }
        }
        let load = Body::dynamic("load").mass(mass).shape(cuboid(0.4, 0.4, 0.5));
        add(&mut world, load.position(under + 0.53 * Vec3::Z));
        for _ in 0..150 {
            let report = world.step(1.0 / 30.0).expect("step");
            assert!(report.converged() && !report.is_torn(), "{report:?}");
            assert!(!report.gained_energy(), "{} J created", report.energy_gain);
        }
    }
}

/// A rod that lies on smooth ground, turns about the vertical and rolls about its axis, keeps
/// both rates. (The way it was thought to go ended below the ground: it was held back in every
/// step, and lost up to a third of its energy.)
#[test]
fn rods_spin_on_the_ground() {
    for (yaw, roll, h) in [(8.0, 5.0, H), (4.0, 5.0, 2.0 * H), (8.0, 10.0, H)] {
        let mut world = world(9.81);
        let plane = Body::fixed("plane").shape(Shape::HalfSpace { normal: Vec3::Z });
        add(&mut world, plane.material(surface(0.0, 0.0)));
        let shape = Shape::Cylinder { half_height: 0.3, radius: 0.05 };
        let rod = Body::dynamic("rod").shape(shape).mass(1.0).material(surface(0.0, 0.0));
        let rod = rod.orientation(Quat::from_rotation_y(std::f64::consts::FRAC_PI_2));
        let rod = rod.position(0.05 * Vec3::Z).angular_velocity(Vec3::new(roll, 0.0, yaw));
        let rod = add(&mut world, rod);
        let mut turned = 0.0;
        let mut last = Vec3::X;
        for _ in 0..60 {
            run(&mut world, h, 1);
            let axis = world.body(rod).expect("rod").orientation() * Vec3::Z;
            turned += last.angle_between(axis);
            last = axis;
        }
        let rate = world.body(rod).expect("rod").angular_velocity();
        assert!((rate.z - yaw).abs() < 1e-3 * yaw, "{rate}");
        assert!((rate.truncate().length() - roll).abs() < 1e-3 * roll, "{rate}");
        assert!((turned - 60.0 * h * yaw).abs() < 1e-3 * turned, "turned by {turned} rad");
    }
}
