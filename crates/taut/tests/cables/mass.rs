//! Cables with mass.

use super::*;

/// Half the span over the parameter of the catenary between ends of equal height: sinh(s)/s = length/span.
fn catenary(span: f64, length: f64) -> f64 {
    let (mut lo, mut hi) = (1e-9, 50.0);
    for _ in 0..200 {
        let s: f64 = 0.5 * (lo + hi);
        if s.sinh() / s < length / span { lo = s } else { hi = s }
    }
    0.5 * (lo + hi)
}

fn line(points: usize, span: f64, length: f64) -> (World, Vec<CableId>) {
    let mut world = World::new();
    let pole = |x: f64| Station::point(Frame::World, v(x, 0.0, 0.0));
    let cable = Cable::new("line").via(pole(0.0)).via(pole(span)).length(length);
    let parts = world.add_cable_with_mass(cable, 3.0, points).unwrap();
    (world, parts)
}

fn lowest(world: &World) -> f64 {
    world.bodies().map(|(_, b)| b.position().z).fold(0.0, f64::min)
}

#[test]
fn five_hundred_metres_hang_as_a_catenary() {
    for (span, length) in [(480.0, 500.0), (300.0, 500.0), (499.0, 500.0)] {
        let s = catenary(span, length);
        let a = span / (2.0 * s);
        let (sag, end) = (a * (s.cosh() - 1.0), 3.0 * G * a * s.cosh());
        let (mut world, parts) = line(50, span, length);
        run(&mut world, 300, H);
        assert!((-lowest(&world) / sag - 1.0).abs() < 5e-3, "{span}: {} {sag}", lowest(&world));
        for id in [parts[0], parts[50]] {
            let off = tension(&world, id) / end - 1.0;
            assert!(off.abs() < 5e-3, "{span}: {off}");
        }
        // It hangs still from the first step on.
        let fastest = world.bodies().map(|(_, b)| b.velocity().length()).fold(0.0, f64::max);
        assert!(fastest < 1e-3, "{fastest}");
    }
}

#[test]
fn the_error_falls_with_the_square_of_the_points() {
    let s = catenary(480.0, 500.0);
    let exact = 3.0 * G * 480.0 / (2.0 * s) * s.cosh();
    let off = |points: usize| {
        let (mut world, parts) = line(points, 480.0, 500.0);
        run(&mut world, 10, H);
        (tension(&world, parts[0]) / exact - 1.0).abs()
    };
    let (coarse, fine) = (off(10), off(40));
    assert!(fine < 0.1 * coarse && fine < 1e-3, "{coarse} {fine}");
}

#[test]
fn a_cable_with_mass_swings_as_a_hanging_chain() {
    // Free at its lower end: ω₁ = ½ j₀₁ √(g/L), j₀₁ = 2.404826.
    let (n, length) = (40, 10.0);
    let mut world = World::new();
    let tip = load(&mut world, "tip", 1e-3, v(0.0, 0.0, -length));
    let cable = Cable::new("rope")
        .via(Station::point(Frame::World, Vec3::ZERO))
        .via(Station::point(tip, Vec3::ZERO));
    world.add_cable_with_mass(cable, 1.0, n).unwrap();
    // The first mode: J₀(j₀₁ √(s/L)) from the tip up, by its series.
    let j0 = |x: f64| {
        let (mut sum, mut term) = (1.0, 1.0);
        for k in 1..30 {
            term *= -(x * x) / (4.0 * f64::from(k * k));
            sum += term;
        }
        sum
    };
    let ids: Vec<_> = world.bodies().map(|(id, b)| (id, b.position())).collect();
    for (id, at) in ids {
        let s = (length + at.z) / length;
        world
            .set_velocity(id, v(0.05 * j0(2.404826 * s.max(0.0).sqrt()), 0.0, 0.0), Vec3::ZERO)
            .unwrap();
    }
    let omega = 0.5 * 2.404826 * f64::sqrt(G / length);
    let h = 1.0 / 240.0;
    let (mut last, mut crossings) = (0.0, Vec::new());
    let before = world.energy();
    for i in 0..2400 {
        let report = world.step(h).unwrap();
        assert!(report.converged() && !report.gained_energy());
        let x = world.body(tip).unwrap().position().x;
        if last > 0.0 && x <= 0.0 || last < 0.0 && x >= 0.0 {
            crossings.push(f64::from(i) * h + h * last / (last - x));
        }
        last = x;
    }
    let half = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    assert!((half * omega / PI - 1.0).abs() < 0.01, "{half} {}", PI / omega);
    assert!(world.energy() <= before + 1e-6);
}

#[test]
fn mass_goes_over_pulleys_with_the_spans() {
    // Two loads over a sheave that stand in balance with the rope between them.
    let mut world = World::new();
    let a = load(&mut world, "a", 10.0, v(-0.5, 0.0, -10.0));
    let b = load(&mut world, "b", 10.0, v(0.5, 0.0, -10.0));
    let cable = Cable::new("rope")
        .via(Station::point(a, Vec3::ZERO))
        .via(Station::pulley(Frame::World, Vec3::ZERO, Vec3::Y, 0.5))
        .via(Station::point(b, Vec3::ZERO));
    let parts = world.add_cable_with_mass(cable, 2.0, 10).unwrap();
    assert_eq!(parts.len(), 11);
    run(&mut world, 120, H);
    let tensions: Vec<_> = parts.iter().map(|&p| tension(&world, p)).collect();
    let most = tensions.iter().copied().fold(0.0, f64::max);
    // Above: load and half the rope; free length 20 m of 2 kg/m.
    assert!((most / (G * 30.0) - 1.0).abs() < 1e-6, "{tensions:?}");
    assert!((tensions[0] / (G * 10.0) - 1.0).abs() < 1e-6);
    let mut world = World::new();
    let error = world.add_cable_with_mass(Cable::new("r"), 1.0, 3).unwrap_err().to_string();
    assert!(error.contains("two stations"), "{error}");
}

#[test]
fn a_point_that_comes_to_a_pulley_is_told() {
    // It does not run over it: the rope fell off the pulley with both its loads, and nothing said so.
    let mut world = World::new();
    let a = load(&mut world, "a", 50.0, v(-0.3, 0.0, 0.0));
    let b = load(&mut world, "b", 60.0, v(0.3, 0.0, 0.0));
    let rope = Cable::new("rope")
        .via(Station::point(a, Vec3::ZERO))
        .via(Station::pulley(Frame::World, v(0.0, 0.0, 8.0), Vec3::Y, 0.3))
        .via(Station::point(b, Vec3::ZERO));
    world.add_cable_with_mass(rope, 1.0, 10).unwrap();
    let mut left = 0;
    for _ in 0..180 {
        let report = world.step(H).unwrap();
        assert!(!report.gained_energy(), "{} J", report.energy_gain);
        left += report.events.iter().filter(|e| matches!(e, Event::CableLeft { .. })).count();
    }
    assert!(left > 0);
}

/// A name that was taken left the points and parts before it in the world.
#[test]
fn a_cable_with_mass_is_added_whole_or_not_at_all() {
    let pole = |x: f64| Station::point(Frame::World, v(x, 0.0, 0.0));
    let line = Cable::new("line").via(pole(0.0)).via(pole(100.0)).length(101.0);
    let mut world = World::new();
    let taken = world.add_body(Body::fixed("line.p3")).unwrap();
    let anchor = load(&mut world, "anchor", 1.0, v(0.0, 5.0, 0.0));
    let other = Cable::new("line.4").via(pole(0.0)).via(Station::point(anchor, Vec3::ZERO));
    let other = world.add_cable(other).unwrap();
    for _ in 0..2 {
        assert!(world.add_cable_with_mass(line.clone(), 2.0, 10).is_err());
        assert_eq!((world.bodies().count(), world.cables().count()), (2, 1));
    }
    world.remove_body(taken).unwrap();
    assert!(world.add_cable_with_mass(line.clone(), 2.0, 10).is_err());
    assert_eq!((world.bodies().count(), world.cables().count()), (1, 1));
    world.remove_cable(other).unwrap();
    assert_eq!(world.add_cable_with_mass(line, 2.0, 10).unwrap().len(), 11);
}
