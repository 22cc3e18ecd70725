//! Cables over edges of boxes.

use super::*;

/// A box of 2 m at the origin, and a cable from the left over it to a load at the right.
fn over_a_box(frame: Frame, from: Vec3, body: BodyId, mu: f64) -> Cable {
    let mut cable = Cable::new("rope").via(Station::point(Frame::World, from));
    for edge in Station::box_edges(frame, Vec3::ZERO, Vec3::ONE, Vec3::Y) {
        cable = cable.via(edge.friction(mu));
    }
    cable.via(Station::point(body, Vec3::ZERO))
}

#[test]
fn an_edge_holds_by_its_angle() {
    // From a post over both upper edges down to a load: as a drum with the angle by which the cable turns.
    for (mu, height_of_post) in [(0.1, 1.0), (0.3, 1.0), (0.5, 3.0)] {
        let theta = if height_of_post > 1.0 {
            // The post's line reaches the right edge at (1, 1).
            FRAC_PI_2 - f64::atan2(height_of_post - 1.0, 4.0)
        } else {
            FRAC_PI_2
        };
        let e = f64::exp(mu * theta);
        // A counterweight over a ring at the post holds up to e times, and no more.
        for (share, moves) in
            [(0.999, false), (1.001, true), (1.0 / 0.999 / e / e, false), (0.999 / e / e, true)]
        {
            let mut world = World::new();
            let m = 20.0;
            let b = load(&mut world, "load", m * e * share, v(1.0, 0.3, -1.5));
            let a = load(&mut world, "counter", m, v(-3.0, 0.3, height_of_post - 2.0));
            let mut cable = Cable::new("rope")
                .via(Station::point(a, Vec3::ZERO))
                .via(Station::point(Frame::World, v(-3.0, 0.3, height_of_post)));
            for edge in Station::box_edges(Frame::World, Vec3::ZERO, Vec3::ONE, Vec3::Y) {
                cable = cable.via(edge.friction(mu));
            }
            let cable = world.add_cable(cable.via(Station::point(b, Vec3::ZERO))).unwrap();
            run(&mut world, 30, H);
            let state = world.cable(cable).unwrap();
            let t = state.tensions();
            let speed = world.body(b).unwrap().velocity().z.abs();
            assert_eq!(speed > 1e-6, moves, "{mu} {share}: {speed} {t:?}");
            if moves {
                let (first, last) = (t[1], t[t.len() - 1]);
                let ratio = if share > 1.0 { last / first } else { first / last };
                assert!((ratio / e - 1.0).abs() < 1e-6, "{mu} {share}: {ratio} {e}");
            }
        }
    }
}

#[test]
fn loads_that_hang_straight_down_on_both_sides_hang_on_the_edges() {
    let mut world = World::new();
    let [a, b] = [-1.0, 1.0].map(|x| load(&mut world, &format!("{x}"), 5.0, v(x, 0.2, -1.5)));
    let mut cable = Cable::new("rope").via(Station::point(a, Vec3::ZERO));
    for edge in Station::box_edges(Frame::World, Vec3::ZERO, Vec3::ONE, Vec3::Y) {
        cable = cable.via(edge);
    }
    let cable = world.add_cable(cable.via(Station::point(b, Vec3::ZERO))).unwrap();
    assert!((world.cable(cable).unwrap().length() - 7.0).abs() < 1e-9);
    run(&mut world, 60, H);
    assert!((tension(&world, cable) / (5.0 * G) - 1.0).abs() < 1e-9);
    assert!((height(&world, a) + 1.5).abs() < 1e-6 && (height(&world, b) + 1.5).abs() < 1e-6);
}

#[test]
fn a_pendulum_catches_an_edge_and_lets_go() {
    // A bob of 4 m length swings under a box whose lower right edge catches the cable, and comes back; against steps of 1e-4 s
    // with a point mass on a circle about the edge.
    let start = 0.9_f64;
    let (top, edge) = (v(0.0, 0.0, 4.0), v(-0.5, 0.0, 2.0));
    let mut world = World::new();
    let bob = load(&mut world, "bob", 2.0, top + 4.0 * v(start.sin(), 0.0, -start.cos()));
    // On its way down the cable turns about y where the bob has swung to the left of the edge.
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, top))
        .via(Station::edge(Frame::World, edge - Vec3::Y, edge + Vec3::Y))
        .via(Station::point(bob, Vec3::ZERO));
    let id = world.add_cable(cable).unwrap();
    assert!(!world.cable(id).unwrap().touches()[1]);
    let energy = world.energy();
    let h = 1.0 / 240.0;
    let (mut x, mut y) = ((start, 0.0), 0);
    let (mut worst, mut changes, mut was) = (0.0_f64, 0, false);
    for _ in 0..(4.0 / h) as usize {
        let report = world.step(h).unwrap();
        assert!(report.converged() && !report.gained_energy());
        let state = world.cable(id).unwrap();
        assert!(state.stretch() < 1e-8, "{}", state.stretch());
        changes += usize::from(state.touches()[1] != was);
        was = state.touches()[1];
        for _ in 0..((h / 1e-5).round() as usize) {
            (x, y) = swing(x, y, 1e-5);
        }
        let p = world.body(bob).unwrap().position();
        worst = worst.max((p - place(x, y)).length());
    }
    assert!(changes >= 2, "{changes}");
    assert!(worst < 0.02, "{worst}");
    assert!((world.energy() - energy).abs() < 2e-3 * 2.0 * G * 4.0, "{}", world.energy() - energy);
}

const TOP: (f64, f64) = (0.0, 4.0);
const EDGE: (f64, f64) = (-0.5, 2.0);

/// Angle from the vertical and its rate, about the top (0) or about the edge (1), a while later.
fn swing((a, w): (f64, f64), about: usize, dt: f64) -> ((f64, f64), usize) {
    let reach = (EDGE.0 - TOP.0).hypot(EDGE.1 - TOP.1);
    let lean = f64::atan2(EDGE.0 - TOP.0, TOP.1 - EDGE.1);
    let l = if about == 0 { 4.0 } else { 4.0 - reach };
    let mid = a + 0.5 * dt * w;
    let w = w - dt * G / l * mid.sin();
    let a = mid + 0.5 * dt * w;
    if about == 0 && a < lean {
        return ((a, w * 4.0 / (4.0 - reach)), 1);
    }
    if about == 1 && a > lean {
        return ((a, w * (4.0 - reach) / 4.0), 0);
    }
    ((a, w), about)
}

fn place((a, _): (f64, f64), about: usize) -> Vec3 {
    let reach = (EDGE.0 - TOP.0).hypot(EDGE.1 - TOP.1);
    let ((x, z), l) = if about == 0 { (TOP, 4.0) } else { (EDGE, 4.0 - reach) };
    v(x + l * a.sin(), 0.0, z - l * a.cos())
}

#[test]
fn over_an_edge_askew_the_way_is_that_of_the_unfolded_faces() {
    // From one face over the edge at x = 1, z = 1 to the other; unfolded it is a straight line.
    let mut world = World::new();
    let body = load(&mut world, "load", 5.0, v(1.0, 0.7, -0.5));
    let cable = world.add_cable(over_a_box(Frame::World, v(-0.5, -0.6, 1.0), body, 0.0)).unwrap();
    let state = world.cable(cable).unwrap();
    let exact = f64::hypot(1.5 + 1.5, 1.3);
    assert!((state.way() - exact).abs() < 1e-12, "{} {exact}", state.way());
    assert_eq!(state.touches().iter().filter(|t| **t).count(), 3);
    // It slides along the edge, and the load swings to where it hangs straight below.
    for _ in 0..600 {
        let report = world.step(H).unwrap();
        assert!(report.converged() && !report.gained_energy());
        assert!(world.cable(cable).unwrap().stretch() < 1e-8);
    }
}

#[test]
fn a_box_that_is_pushed_into_a_cable_is_wrapped_and_left_again() {
    // A box that moves up and down between two posts bends the cable of a load; energy by the work of the box alone.
    let mut world = World::new();
    let block = Body::kinematic("block").shape(Shape::Box { half_extents: Vec3::ONE * 0.5 });
    let block = world.add_body(block.position(v(0.0, 0.0, -0.8)).collides(false)).unwrap();
    let body = load(&mut world, "load", 10.0, v(3.0, 0.0, -4.0));
    let mut cable = Cable::new("rope").via(Station::point(Frame::World, v(-3.0, 0.0, 0.0)));
    for edge in Station::box_edges(block, Vec3::ZERO, Vec3::ONE * 0.5, Vec3::Y) {
        cable = cable.via(edge);
    }
    let cable = cable.via(Station::point(Frame::World, v(3.0, 0.0, 0.0)));
    let cable = world.add_cable(cable.via(Station::point(body, Vec3::ZERO))).unwrap();
    let count = |w: &World| w.cable(cable).unwrap().touches().iter().filter(|t| **t).count();
    assert_eq!(count(&world), 3);
    let (mut work, before, mut most) = (0.0, world.energy(), 0);
    for i in 0..480 {
        let up = if i < 240 { 0.4 } else { -0.4 };
        world.set_velocity(block, Vec3::Z * up, Vec3::ZERO).unwrap();
        let report = world.step(1.0 / 120.0).unwrap();
        assert!(report.converged() && !report.gained_energy(), "{i}: {}", report.energy_gain);
        work += report.work;
        most = most.max(count(&world));
        let state = world.cable(cable).unwrap();
        let p = world.body(block).unwrap().position().z + 0.5;
        // Over both upper corners: 2√(2.5² + z²) + 1.
        let over = if p > 0.0 { 2.0 * f64::hypot(2.5, p) + 1.0 } else { 6.0 };
        let hangs = (world.body(body).unwrap().position() - v(3.0, 0.0, 0.0)).length();
        assert!((state.way() - over - hangs).abs() < 1e-9, "{i}: {} {over} {hangs}", state.way());
    }
    assert_eq!((most, count(&world)), (5, 3));
    let gain = world.energy() - before;
    assert!((gain - work).abs() < 0.02 * 10.0 * G, "{gain} {work}");
}

/// A load of 10 kg that a winch pulls up along the right face of a box of 2 m, all of whose edges are named.
fn pulled_up(
    from: Vec3,
    at: Vec3,
    speed: f64,
    touches: bool,
    stiffness: Option<f64>,
) -> (World, BodyId, CableId) {
    let mut world = World::new();
    let ice = taut::Material { friction: 0.0, ..taut::Material::default() };
    let shape = |half: f64| Shape::Box { half_extents: Vec3::splat(half) };
    let body = Body::dynamic("load").mass(10.0).shape(shape(0.1)).material(ice).position(at);
    let body = world.add_body(body.collides(touches)).unwrap();
    if touches {
        world.add_body(Body::fixed("block").shape(shape(1.0)).material(ice)).unwrap();
    }
    let mut cable = over_a_box(Frame::World, from, body, 0.0).winch(Winch::new(speed));
    if let Some(ea) = stiffness {
        cable = cable.stiffness(ea).winch(Winch::new(speed).stop(0.0));
    }
    let cable = world.add_cable(cable).unwrap();
    (world, body, cable)
}

#[test]
fn a_load_is_pulled_up_a_box_all_of_whose_edges_are_named() {
    // Straight up the face: the lower edge does not hold it, and the winch stops below the upper one.
    for from in [v(-3.0, 0.0, 1.0), v(-3.0, 0.0, 3.0)] {
        let (mut world, body, cable) = pulled_up(from, v(1.0, 0.3, -1.5), -1.0, false, None);
        run(&mut world, 240, H);
        let p = world.body(body).unwrap().position();
        assert!(p.z > 0.9 && p.z < 1.0 && (p.x - 1.0).abs() < 1e-6, "{p:?}");
        assert_eq!(world.cable(cable).unwrap().touches().iter().filter(|t| **t).count(), 3);
    }
    // Over the upper edge, with and without the box in its way, stiff and elastic: edges around the box took it all at once, and it gained
    // 76 J and 5 MJ.
    for (from, x, touches, ea) in [
        (v(-3.0, 0.0, 1.0), 1.1, true, None),
        (v(-3.0, 0.0, 2.0), 1.1, true, None),
        (v(-3.0, 0.0, 1.5), 1.0, false, Some(1e6)),
    ] {
        let (mut world, body, cable) = pulled_up(from, v(x, 0.0, -1.5), -1.0, touches, ea);
        for i in 0..360 {
            let report = world.step(H).unwrap();
            assert!(!report.gained_energy(), "{i}: gained {} J", report.energy_gain);
            let count = world.cable(cable).unwrap().touches().iter().filter(|t| **t).count();
            assert!(count <= 4, "{i}: touches {count}");
        }
        assert!(world.body(body).unwrap().position().x < 1.0, "{x} {ea:?}");
    }
}

#[test]
fn a_box_that_moves_and_turns_under_a_rubbing_cable_creates_nothing() {
    for (velocity, spin, mu, ea) in [
        (v(0.0, 0.0, 0.4), Vec3::ZERO, 0.3, None),
        (v(0.3, 0.0, 0.5), Vec3::ZERO, 1.0, None),
        (v(0.0, 0.0, 0.3), v(0.0, -1.0, 0.0), 0.3, None),
        (v(0.2, 0.0, 0.4), v(0.0, 2.0, 0.0), 0.6, None),
        (v(0.0, 0.0, 0.4), v(0.3, 0.2, 0.0), 0.2, None),
        (v(0.0, 0.0, 0.3), v(0.0, 0.5, 0.0), 0.3, Some(1e5)),
    ] {
        let mut world = World::new();
        let block = Body::kinematic("block").position(v(0.0, 0.0, -0.8)).collides(false);
        let block = block.shape(Shape::Box { half_extents: Vec3::splat(0.5) }).velocity(velocity);
        let block = world.add_body(block.angular_velocity(spin)).unwrap();
        let body = load(&mut world, "load", 10.0, v(3.0, 0.0, -4.0));
        let mut cable = Cable::new("rope").via(Station::point(Frame::World, v(-3.0, 0.0, 0.0)));
        for edge in Station::box_edges(block, Vec3::ZERO, Vec3::splat(0.5), Vec3::Y) {
            cable = cable.via(edge.friction(mu));
        }
        let cable = cable.via(Station::point(Frame::World, v(3.0, 0.0, 0.0)));
        let cable = cable.via(Station::point(body, Vec3::ZERO));
        let id = match ea {
            Some(ea) => world.add_cable(cable.stiffness(ea)),
            None => world.add_cable(cable),
        };
        let id = id.unwrap();
        run(&mut world, 240, H);
        let touches = world.cable(id).unwrap().touches().iter().filter(|t| **t).count();
        assert!((4..=6).contains(&touches), "{velocity:?} {spin:?}: {touches}");
    }
}
