//! Cables that find the bodies in their way.

use super::*;

fn fixed(world: &mut World, name: &str, shape: Shape, at: Vec3) -> BodyId {
    world.add_body(Body::fixed(name).shape(shape).position(at).collides(false)).unwrap()
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box { half_extents: v(x, y, z) }
}

fn wrapped(world: &World, id: CableId) -> usize {
    world.cable(id).unwrap().lies_on().count()
}

/// A pendulum whose cable runs down the left side of a circle and wraps around it from below: angle of the free part and its rate a while later.
/// θ″ = (Rθ′² − g sin θ)/(L₀ − Rθ) where it wraps, −g sin θ/L elsewhere.
fn wrap_on((a, w): (f64, f64), [r, l0, l]: [f64; 3], dt: f64) -> (f64, f64) {
    let acceleration = |a: f64, w: f64| match a > 0.0 {
        true => (r * w * w - G * a.sin()) / (l0 - r * a),
        false => -G * a.sin() / l,
    };
    let (ha, hw) = (a + 0.5 * dt * w, w + 0.5 * dt * acceleration(a, w));
    let (next, mut rate) = (a + dt * hw, w + dt * acceleration(ha, hw));
    if (a > 0.0) != (next > 0.0) {
        // The speed of the bob stays.
        rate *= if a > 0.0 { l0 / l } else { l / l0 };
    }
    (next, rate)
}

#[test]
fn a_pendulum_wraps_around_what_is_in_its_way() {
    let (r, l0, up) = (0.35, 2.1, 1.3);
    let turn = Quat::from_rotation_arc(Vec3::Z, Vec3::Y);
    for (shape, bound) in [
        (Shape::Cylinder { half_height: 0.5, radius: r }, 4e-3),
        (Shape::Capsule { half_length: 0.5, radius: r }, 4e-3),
    ] {
        let mut world = World::new();
        let post = Body::fixed("post").shape(shape.clone()).orientation(turn).collides(false);
        let post = world.add_body(post).unwrap();
        let place = |a: f64| match a > 0.0 {
            true => {
                let l = l0 - r * a;
                v(-r * a.cos() + l * a.sin(), 0.0, -r * a.sin() - l * a.cos())
            }
            false => v(-r + (l0 + up) * a.sin(), 0.0, up - (l0 + up) * a.cos()),
        };
        let mut x = (1.3, 0.0);
        let bob = load(&mut world, "bob", 3.0, place(x.0));
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, v(-r, 0.0, up)))
            .via(Station::point(bob, Vec3::ZERO))
            .over(post, 0.0, v(-1.0, 0.0, -1.0));
        let id = world.add_cable(cable).unwrap();
        let way = world.cable(id).unwrap().way();
        assert!((way - l0 - up).abs() < 1e-3, "{shape:?}: {way}");
        let (h, before) = (1.0 / 240.0, world.energy());
        let (mut worst, mut changes, mut was) = (0.0_f64, 0, 1);
        for _ in 0..960 {
            run(&mut world, 1, h);
            assert!(world.cable(id).unwrap().stretch() < 1e-8);
            for _ in 0..400 {
                x = wrap_on(x, [r, l0, l0 + up], h / 400.0);
            }
            changes += usize::from(wrapped(&world, id).min(1) != was);
            was = wrapped(&world, id).min(1);
            worst = worst.max((world.body(bob).unwrap().position() - place(x.0)).length());
        }
        let gain = world.energy() - before;
        assert!(worst < bound && changes >= 2, "{shape:?}: {worst} m off, {changes} changes");
        assert!(gain.abs() < 2e-3 * 3.0 * G * l0, "{shape:?}: {gain} J");
    }
}

#[test]
fn a_box_that_rises_into_a_cable_is_found_and_left() {
    // Between two posts, a box that nobody named edges of: over both upper ones the way is 2√(2.5² + z²) + 1.
    let mut world = World::new();
    let block = Body::kinematic("block").shape(cuboid(0.5, 0.5, 0.5)).collides(false);
    let block = world.add_body(block.position(v(0.0, 0.0, -0.8))).unwrap();
    let body = load(&mut world, "load", 10.0, v(3.0, 0.0, -4.0));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, v(-3.0, 0.0, 0.0)))
        .via(Station::point(Frame::World, v(3.0, 0.0, 0.0)))
        .via(Station::point(body, Vec3::ZERO))
        .around(block, 0.0);
    let cable = world.add_cable(cable).unwrap();
    let (mut work, before, mut most) = (0.0, world.energy(), 0);
    for i in 0..480 {
        let up = if i < 240 { 0.4 } else { -0.4 };
        world.set_velocity(block, Vec3::Z * up, Vec3::ZERO).unwrap();
        let report = world.step(1.0 / 120.0).unwrap();
        assert!(report.converged() && !report.gained_energy(), "{i}: {}", report.energy_gain);
        work += report.work;
        most = most.max(wrapped(&world, cable));
        let p = world.body(block).unwrap().position().z + 0.5;
        let over = if p > 0.0 { 2.0 * f64::hypot(2.5, p) + 1.0 } else { 6.0 };
        let hangs = (world.body(body).unwrap().position() - v(3.0, 0.0, 0.0)).length();
        let way = world.cable(cable).unwrap().way();
        assert!((way - over - hangs).abs() < 1e-9, "{i}: {way} {over} {hangs}");
    }
    assert_eq!((most, wrapped(&world, cable)), (1, 0));
    let gain = world.energy() - before;
    assert!((gain - work).abs() < 0.02 * 10.0 * G, "{gain} {work}");
}

#[test]
fn what_it_lies_on_holds_by_the_angle() {
    // From one load over the body to another, straight down on both sides: half a turn, T₁ = T₂ e^(μπ).
    for (shape, mu, half) in [
        (cuboid(0.4, 0.5, 0.3), 0.3, 0.4),
        (Shape::Cylinder { half_height: 0.6, radius: 0.4 }, 0.5, 0.4),
    ] {
        let e = f64::exp(mu * PI);
        for (share, moves) in
            [(0.999, false), (1.001, true), (1.001 / e / e, false), (0.999 / e / e, true)]
        {
            let mut world = World::new();
            let turn = Quat::from_rotation_arc(Vec3::Z, Vec3::Y);
            let post = Body::fixed("post").shape(shape.clone()).collides(false);
            let round = !matches!(shape, Shape::Box { .. });
            let post = if round { post.orientation(turn) } else { post };
            let post = world.add_body(post).unwrap();
            // The cylinder is a polygon whose flat sides are a little nearer.
            let x = match shape {
                Shape::Cylinder { .. } => half * (PI / 64.0) / (PI / 64.0).sin(),
                _ => half,
            };
            let a = load(&mut world, "a", 20.0, v(-x, 0.0, -1.5));
            let b = load(&mut world, "b", 20.0 * e * share, v(x, 0.0, -1.2));
            let cable = Cable::new("rope")
                .via(Station::point(a, Vec3::ZERO))
                .via(Station::point(b, Vec3::ZERO))
                .over(post, mu, Vec3::Z);
            let id = world.add_cable(cable).unwrap();
            let state = world.cable(id).unwrap();
            let [(_, angle)] = state.lies_on().collect::<Vec<_>>()[..] else { panic!("{shape:?}") };
            assert!((angle - PI).abs() < 1e-6, "{shape:?}: {angle}");
            run(&mut world, 20, H);
            let speed = world.body(b).unwrap().velocity().z.abs();
            assert_eq!(speed > 1e-6, moves, "{shape:?} {share}: {speed}");
            if moves {
                let t: Vec<_> = world.cable(id).unwrap().parts().map(|(_, t)| t).collect();
                let ratio = if share > 1.0 { t[1] / t[0] } else { t[0] / t[1] };
                assert!((ratio / e - 1.0).abs() < 1e-4, "{shape:?} {share}: {ratio} {e}");
            }
        }
    }
}

#[test]
fn a_cable_that_jumps_past_a_thin_rod_is_caught() {
    // At 60 m/s the line moves by half a metre a step past a rod of 4 cm.
    let turn = Quat::from_rotation_arc(Vec3::Z, Vec3::Y);
    for shape in [
        Shape::Cylinder { half_height: 1.0, radius: 0.02 },
        Shape::Capsule { half_length: 1.0, radius: 0.02 },
        cuboid(0.02, 0.03, 1.0),
    ] {
        let mut world = World::new();
        let rod = Body::fixed("rod").shape(shape.clone()).orientation(turn).collides(false);
        let rod = world.add_body(rod.position(v(-0.7, 0.0, 2.0))).unwrap();
        let bob = load(&mut world, "bob", 2.0, v(1.0, 0.0, 0.0));
        world.set_velocity(bob, v(-60.0, 0.0, 0.0), Vec3::ZERO).unwrap();
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, v(0.0, 0.0, 4.0)))
            .via(Station::point(bob, Vec3::ZERO))
            .around(rod, 0.0);
        let id = world.add_cable(cable).unwrap();
        let mut caught = 0;
        for i in 0..30 {
            let report = world.step(H).unwrap();
            assert!(!report.gained_energy(), "{shape:?} {i}: {} J", report.energy_gain);
            caught += usize::from(wrapped(&world, id) > 0);
        }
        assert!(caught > 5, "{shape:?}: {caught}");
    }
}

/// Posts between the stations were counted among them, in an order that changes.
#[test]
fn what_is_told_of_stations_is_of_those_that_were_named() {
    let mut world = World::new();
    let turn = Quat::from_rotation_arc(Vec3::Z, Vec3::Y);
    let posts = [-1.0, 1.0].map(|x| {
        let shape = Shape::Cylinder { half_height: 1.0, radius: 0.3 };
        let post = Body::fixed(format!("post{x}")).shape(shape).orientation(turn);
        world.add_body(post.position(v(x, 0.0, -0.9)).collides(false)).unwrap()
    });
    let body = load(&mut world, "load", 5.0, v(3.0, 0.0, -1.0));
    let mut cable = Cable::new("rope")
        .via(Station::point(Frame::World, v(-3.0, 0.0, -0.9)))
        .via(Station::pulley(Frame::World, v(2.0, 0.0, -0.5), Vec3::Y, 0.1))
        .via(Station::point(body, Vec3::ZERO));
    for post in posts {
        cable = cable.around(post, 0.1);
    }
    let id = world.add_cable(cable).unwrap();
    run(&mut world, 10, H);
    let state = world.cable(id).unwrap();
    assert_eq!((state.tensions().len(), state.wraps().len()), (2, 3));
    assert_eq!(state.touches(), [true; 3]);
    assert!(state.wraps()[1] > 0.1, "{:?}", state.wraps());
    let parts: Vec<_> = state.parts().collect();
    let ends: Vec<_> = parts.iter().map(|(ends, _)| *ends).collect();
    // It passes the second post in the air.
    let post = Some(posts[0]);
    assert_eq!(ends, [[None, post], [post, None], [None, Some(body)]]);
    let t: Vec<f64> = parts.iter().map(|(_, t)| *t).collect();
    assert!(t[0] < t[1], "friction at the post: {t:?}");
    assert_eq!(state.tensions(), t[1..]);
}

#[test]
fn obstacles_are_met_in_the_order_in_which_they_lie() {
    // Two posts between the ends, named from the far one to the near one; the cable bends over both.
    let mut world = World::new();
    let turn = Quat::from_rotation_arc(Vec3::Z, Vec3::Y);
    let [near, far] = [-1.0, 1.0].map(|x| {
        let shape = Shape::Cylinder { half_height: 1.0, radius: 0.3 };
        let post = Body::fixed(format!("post{x}")).shape(shape).orientation(turn);
        world.add_body(post.position(v(x, 0.0, -0.9)).collides(false)).unwrap()
    });
    let body = load(&mut world, "load", 5.0, v(3.0, 0.0, -1.0));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, v(-3.0, 0.0, -0.9)))
        .via(Station::point(body, Vec3::ZERO))
        .around(far, 0.1)
        .around(near, 0.1);
    let id = world.add_cable(cable).unwrap();
    let on: Vec<_> = world.cable(id).unwrap().lies_on().map(|(b, _)| b).collect();
    assert_eq!(on, [near, far]);
    run(&mut world, 120, H);
    assert!(world.cable(id).unwrap().stretch() < 1e-6);
    // As a line it stays out of both.
    let line = world.cable_line(id).unwrap();
    for p in &line.points {
        for x in [-1.0, 1.0] {
            assert!((*p - v(x, p.y, -0.9)).length() > 0.2997, "{p:?}");
        }
    }
}

#[test]
fn over_the_end_of_a_box_it_slips_off_and_goes_slack() {
    // A load is drawn along the edge of a box by a velocity of its own until the cable slips over the corner.
    let mut world = World::new();
    let block = fixed(&mut world, "block", cuboid(1.0, 1.0, 1.0), Vec3::ZERO);
    let [a, b] = [-1.0, 1.0].map(|x| {
        let body = load(&mut world, &format!("{x}"), 5.0, v(x, 0.0, -1.5));
        world.set_velocity(body, Vec3::Y * 2.0, Vec3::ZERO).unwrap();
        body
    });
    let cable = Cable::new("rope")
        .via(Station::point(a, Vec3::ZERO))
        .via(Station::point(b, Vec3::ZERO))
        .over(block, 0.0, Vec3::Z);
    let id = world.add_cable(cable).unwrap();
    let mut slack = 0.0_f64;
    for _ in 0..90 {
        let report = world.step(H).unwrap();
        assert!(report.converged() && !report.gained_energy(), "{} J", report.energy_gain);
        slack = slack.max(world.cable(id).unwrap().slack());
        assert!(world.cable(id).unwrap().stretch() < 1e-6);
    }
    assert!(wrapped(&world, id) == 0 && slack > 0.5, "{slack}");
}

#[test]
fn bodies_that_it_cannot_lie_on_are_refused() {
    let mut world = World::new();
    let body = load(&mut world, "load", 5.0, v(3.0, 0.0, -1.0));
    let around = fixed(&mut world, "around", Shape::Ball { radius: 0.5 }, v(3.2, 0.0, -1.0));
    let ground =
        fixed(&mut world, "ground", Shape::HalfSpace { normal: Vec3::Z }, v(0.0, 0.0, -9.0));
    let cable = || {
        Cable::new("rope")
            .via(Station::point(Frame::World, Vec3::ZERO))
            .via(Station::point(body, Vec3::ZERO))
    };
    for (cable, says) in [
        (cable().around(around, 0.1), "within 'around'"),
        (cable().around(ground, 0.1), "no box, ball"),
        (cable().around(body, 0.1), "no box, ball"),
        (cable().around(around, f64::NAN), "friction"),
        (cable().around(around, 0.1).around(around, 0.2), "twice"),
    ] {
        let error = world.add_cable(cable).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    // Over a ball it does not stay: both loads fell, and nothing was said. One that runs above it may touch it later.
    let ball = fixed(&mut world, "ball", Shape::Ball { radius: 0.5 }, v(0.0, 5.0, 0.0));
    let over = |z: f64| {
        Cable::new("over")
            .via(Station::point(Frame::World, v(-0.5, 5.0, z)))
            .via(Station::point(Frame::World, v(0.5, 5.0, z)))
            .over(ball, 0.2, Vec3::Z)
    };
    let error = world.add_cable(over(-1.5)).unwrap_err().to_string();
    assert!(error.contains("around 'ball'") && error.contains("side"), "{error}");
    assert!(world.add_cable(over(0.8).stiffness(1e5)).is_ok());
}

/// Cables between bodies that move through a space full of boxes, balls, cylinders, cones and hulls, all of them in their way.
#[test]
fn random_cables_among_random_bodies_create_nothing() {
    let seeds = if std::env::var_os("TAUT_LONG").is_some() { 60 } else { 8 };
    let mut touched = 0;
    for seed in 0..seeds {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed + 1) | 1;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut vector = |size: f64| v(random(), random(), random()) * size;
        let mut world = World::new();
        let mut posts = Vec::new();
        for i in 0..5 {
            let points = (0..8).map(|_| vector(0.5)).collect();
            let shape = match i {
                0 => cuboid(0.5, 0.3, 0.4),
                1 => Shape::Ball { radius: 0.4 },
                2 => Shape::Cylinder { half_height: 0.5, radius: 0.3 },
                3 => Shape::ConvexHull { points },
                _ => Shape::Cone { half_height: 0.5, radius: 0.4 },
            };
            let at = v(1.3 * f64::from(i) - 2.6, 0.0, -2.0) + vector(0.3);
            let post = if i % 2 == 0 { Body::fixed("p") } else { Body::dynamic("p").mass(30.0) };
            let turn = Quat::from_scaled_axis(vector(2.0));
            let post = Body { name: format!("post{i}"), ..post };
            let post = post.shape(shape).orientation(turn).position(at).collides(false);
            posts.push(world.add_body(post.gravity_scale(0.0)).unwrap());
        }
        let mut cables = Vec::new();
        for i in 0..3 {
            let at = v(1.5 * f64::from(i) - 1.5, 0.0, -4.0) + vector(0.5);
            let body = load(&mut world, &format!("load{i}"), 10.0, at);
            world.set_velocity(body, vector(2.0), Vec3::ZERO).unwrap();
            let top = v(at.x, at.y, 0.0) + vector(0.5);
            let mut cable = Cable::new(format!("c{i}"))
                .via(Station::point(Frame::World, top))
                .via(Station::point(body, Vec3::ZERO));
            for &post in &posts {
                cable = cable.around(post, if i == 1 { 0.2 } else { 0.0 });
            }
            if i == 2 {
                cable = cable.stiffness(1e5).damping(1e3);
            }
            cables.extend(world.add_cable(cable));
        }
        for i in 0..300 {
            let report = world.step(1.0 / 120.0).unwrap();
            let gain = report.energy_gain;
            assert!(!report.gained_energy(), "seed {seed}, {i}: {gain} J");
            for &id in &cables {
                let state = world.cable(id).unwrap();
                touched += state.lies_on().count();
                let soft = state.definition().stiffness.is_finite();
                assert!(state.tensions().iter().all(|t| *t >= 0.0), "seed {seed}, {i}");
                let off = state.stretch() / state.length();
                assert!(soft || off < 1e-6, "seed {seed}, {i}: {} {off}", state.name());
            }
        }
        for (_, body) in world.bodies() {
            assert!(body.position().is_finite());
        }
    }
    assert!(touched > 300, "{touched}");
}

#[test]
fn a_pendulum_that_wraps_around_an_edge_lifts_off_where_it_is_straight() {
    // On its way back it clung to the edge, went slack and snapped: 1.46 J of 14.9 J.
    let mut world = World::new();
    let block = fixed(&mut world, "block", cuboid(0.5, 1.0, 0.125), v(1.0, 0.0, -1.375));
    let start = -0.7_f64;
    let bob = load(&mut world, "bob", 2.0, 2.5 * v(start.sin(), 0.0, -start.cos()));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(bob, Vec3::ZERO))
        .around(block, 0.0);
    let id = world.add_cable(cable).unwrap();
    let before = world.energy();
    let (mut changes, mut was, mut most) = (0, 0, 0.0_f64);
    for _ in 0..960 {
        run(&mut world, 1, 1.0 / 240.0);
        changes += usize::from(wrapped(&world, id) != was);
        was = wrapped(&world, id);
        most = most.max(tension(&world, id));
        assert!(world.cable(id).unwrap().slack() < 1e-3);
    }
    let lost = before - world.energy();
    assert!(changes >= 2 && lost.abs() < 0.02 && most < 60.0, "{changes} {lost} J {most} N");
}

#[test]
fn a_thin_plate_that_passes_within_a_step_is_caught_from_both_sides() {
    for speed in [60.0, -60.0, 200.0, -200.0] {
        let mut world = World::new();
        let plate = Body::kinematic("plate").shape(cuboid(0.2, 0.3, 0.001)).collides(false);
        let plate = plate.velocity(Vec3::Z * speed).position(Vec3::Z * (-0.04 * speed));
        let plate = world.add_body(plate).unwrap();
        let weight = load(&mut world, "weight", 5.0, v(2.0, 0.0, -9.0));
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, v(-2.0, 0.0, 0.0)))
            .via(Station::point(Frame::World, v(2.0, 0.0, 0.0)))
            .via(Station::point(weight, Vec3::ZERO))
            .around(plate, 0.0);
        let id = world.add_cable(cable).unwrap();
        let mut caught = 0;
        for _ in 0..4 {
            let _ = world.step(H).unwrap();
            caught += wrapped(&world, id);
        }
        assert!(caught > 0, "{speed}");
    }
}

#[test]
fn a_pendulum_that_wraps_around_a_turned_box_falls_and_snaps_as_it_must() {
    // Around the lower edge 0.32 m are free: it swings above that, falls, and snaps at 1.781 s. Integrated with steps of 1 µs as a point on a
    // string over two nails it loses 2.2499² J there, and ends at (−1.15285, −2.21832).
    let mut world = World::new();
    let turn = Quat::from_axis_angle(Vec3::Y, PI / 4.0);
    let block = Body::fixed("block").shape(cuboid(0.3, 0.5, 0.3)).orientation(turn);
    let at = v(0.5 + 0.3 * 2.0_f64.sqrt(), 0.0, -1.5);
    let block = world.add_body(block.position(at).collides(false)).unwrap();
    let start = -0.8_f64;
    let bob = load(&mut world, "bob", 2.0, 2.5 * v(start.sin(), 0.0, -start.cos()));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(bob, Vec3::ZERO))
        .around(block, 0.0);
    let _ = world.add_cable(cable).unwrap();
    let before = world.energy();
    run(&mut world, 624, 1.0 / 240.0);
    let lost = before - world.energy();
    let off = (world.body(bob).unwrap().position() - v(-1.15285, 0.0, -2.21832)).length();
    assert!((lost - 5.0618).abs() < 0.01 && off < 1e-3, "{lost} J, {off} m");
}

#[test]
fn ways_around_bodies_that_turn_do_not_jump_at_corners() {
    // A ball on a cable swings against a body that turns. A way that came to a corner stayed there while the body turned on, until it was the long way
    // around: then it jumped by 0.45 m (1.5 kJ with the hull, 5.3 MJ with the capsule).
    let points = vec![
        v(0.6875187519639118, -0.18669452344107867, -0.059606674961523956),
        v(0.20052393222267756, -0.3909162403692328, -0.4823689747779912),
        v(-0.2601646048589209, 0.36300465647960684, 1.014305286865206),
        v(-0.4349294995508564, 0.14420312415475137, -0.8428216814342719),
        v(-0.5211035722933738, -0.15698327814350155, 0.6437729073992622),
        v(0.05129263184441989, -0.27318715861936943, 0.06696930486346216),
        v(-0.3293784761430218, -0.18506177202173787, -0.12682482456748742),
        v(0.3255689312176382, 0.03427070548450058, 0.10418526663905887),
        v(-0.06733669793490792, 0.12955668388197336, 0.036072141018744265),
        v(-0.028939608680334544, -0.14833955179684863, 0.21321422070303414),
    ];
    let hull = Body::kinematic("hull")
        .shape(Shape::ConvexHull { points })
        .position(v(-0.2648424856040492, -0.17492418075507246, -1.4987487357125029))
        .orientation(Quat::from_xyzw(
            -0.21861531525560857,
            -0.5430844764840456,
            -0.7490474091573913,
            -0.3101525014768391,
        ))
        .angular_velocity(v(-0.9519168739523974, -0.3742183429620214, -1.0285240060939203));
    let capsule = Body::kinematic("capsule")
        .shape(Shape::Capsule { half_length: 0.4, radius: 0.2 })
        .position(v(0.4712839745330448, -0.2597467283316491, -1.4754690994804385))
        .orientation(Quat::from_xyzw(
            -0.13350620152464854,
            -0.44594674907725185,
            0.8148739430245712,
            -0.3453810187625811,
        ))
        .angular_velocity(v(-0.8469338097614146, -2.0475337640940214, -1.6601580327358902));
    let at = [v(-2.9329634916859013, 0.3, 0.1), v(-3.4401097541490593, 0.3, 0.1)];
    let speed = [
        v(-2.307023507684313, 0.10869412857724349, -0.15221838924137596),
        v(-1.5398204927049028, -2.2796193026595253, 0.9297879705497282),
    ];
    for (i, (body, friction)) in [(hull, 0.0), (capsule, 0.3)].into_iter().enumerate() {
        let mut world = World::new();
        let body = world.add_body(body).unwrap();
        let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.08 }).mass(1.0);
        let ball = world.add_body(ball.position(at[i]).velocity(speed[i])).unwrap();
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, Vec3::ZERO))
            .via(Station::point(ball, Vec3::ZERO))
            .around(body, friction);
        let _ = world.add_cable(cable).unwrap();
        for frame in 0..240 {
            let report = world.step(H).unwrap();
            assert!(!report.gained_energy(), "{i}, {frame}: {} J", report.energy_gain);
            assert!(report.max_tension < 1000.0, "{i}, {frame}: {} N", report.max_tension);
        }
    }
}

/// A ball that flies across a cable within one step is caught like a box. (Each with a step beyond 1.8 diameters went through.)
#[test]
fn a_ball_does_not_pass_a_cable_within_a_step() {
    for (speed, radius, z) in
        [(28.9, 0.1, -1.034), (45.0, 0.08, -0.6), (60.0, 0.05, -1.4), (60.0, 0.3, -1.0)]
    {
        let mut world = World::new();
        let shape = Shape::Ball { radius };
        let ball = Body::dynamic("ball").shape(shape).mass(1.0).gravity_scale(0.0);
        let ball = ball.position(v(-1.7, 0.0, z)).velocity(Vec3::X * speed);
        let ball = world.add_body(ball).unwrap();
        let body = load(&mut world, "load", 20.0, v(0.0, 0.0, -2.0));
        let cable = Cable::new("rope")
            .via(Station::point(Frame::World, Vec3::ZERO))
            .via(Station::point(body, Vec3::ZERO))
            .length(2.0)
            .around(ball, 0.0);
        let cable = world.add_cable(cable).unwrap();
        let mut most = 0.0_f64;
        for _ in 0..30 {
            let report = world.step(H).unwrap();
            assert!(!report.gained_energy(), "{speed} {radius}: {}", report.energy_gain);
            most = most.max(tension(&world, cable));
        }
        let slowed = world.body(ball).unwrap().velocity().length() / speed;
        assert!(slowed < 0.99 && most > 20.0 * G * 1.5, "{speed} {radius}: {slowed} {most}");
    }
}
