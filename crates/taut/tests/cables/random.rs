//! Random cables through random pulleys.

use super::*;

/// A generator of numbers in [0, 1).
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.next()
    }

    fn vector(&mut self, size: f64) -> Vec3 {
        v(self.between(-size, size), 0.0, self.between(-size, size))
    }
}

/// Adds a cable, some of them elastic. Ways that are none are refused; others are as long as they are, or a bit
/// longer.
fn add(world: &mut World, mut cable: Cable, random: &mut Random) {
    if random.next() < 0.3 {
        let stiffness = 10_f64.powf(random.between(3.0, 6.0));
        cable = cable.stiffness(stiffness).damping(random.between(0.0, 100.0));
    }
    if let Ok(id) = world.add_cable(cable.clone())
        && random.next() < 0.5
    {
        let way = world.cable(id).unwrap().way();
        world.remove_cable(id).unwrap();
        world.add_cable(cable.length(way * random.between(1.0, 1.3))).unwrap();
    }
}

/// Balls of 1 to 100 kg that move in a plane, hinged or free, with cables through points and
/// pulleys within them.
fn random_world(seed: u64) -> World {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut world = World::new();
    let mut bodies = Vec::new();
    for i in 0..6 {
        let mass = 10_f64.powf(random.between(0.0, 2.0));
        let at = v(random.between(-3.0, 3.0), 0.0, -1.0 - 1.2 * f64::from(i));
        let ball = Shape::Ball { radius: 0.4 };
        let body = Body::dynamic(format!("b{i}")).mass(mass).shape(ball).position(at);
        let spin = Vec3::Y * random.between(-1.0, 1.0);
        let id = world.add_body(body.velocity(random.vector(1.0)).angular_velocity(spin)).unwrap();
        if random.next() < 0.3 {
            let hinge = Joint::hinge(format!("h{i}"), Frame::World, id).anchor_b(Vec3::ZERO);
            world.add_joint(hinge.axis_b(Vec3::Y)).unwrap();
        }
        bodies.push(id);
    }
    let mut anchors = Vec::new();
    for i in 0..5 {
        let at = v(1.5 * f64::from(i) - 3.0, 0.0, 2.0);
        let body = Body::fixed(format!("a{i}")).shape(Shape::Ball { radius: 0.4 }).position(at);
        anchors.push(world.add_body(body).unwrap());
    }
    for i in 0..8 {
        let count = 2 + (random.next() * 4.0) as usize;
        let mut cable = Cable::new(format!("c{i}"));
        let mut last = usize::MAX;
        for k in 0..count {
            let mut body = (random.next() * 6.0) as usize;
            body = if body == last { (body + 1) % 6 } else { body };
            last = body;
            let fixed = k == 0 && random.next() < 0.7;
            let side = if random.next() < 0.5 { Vec3::Y } else { -Vec3::Y };
            let anchor = anchors[(random.next() * 5.0) as usize];
            let pulley = random.next() < 0.5;
            let station = match (fixed, pulley) {
                (true, true) => Station::pulley(anchor, Vec3::ZERO, side, 0.2),
                (true, false) => Station::point(anchor, random.vector(0.2)),
                (false, true) => {
                    Station::pulley(bodies[body], Vec3::ZERO, side, random.between(0.05, 0.3))
                }
                (false, false) => Station::point(bodies[body], random.vector(0.2)),
            };
            let friction = if random.next() < 0.4 { random.between(0.05, 0.6) } else { 0.0 };
            let turns = if k == 0 || k + 1 == count { 3.0 } else { 0.0 };
            let friction = if k == 0 || k + 1 == count { 0.0 } else { friction };
            cable = cable.via(station.friction(friction).turns(turns));
        }
        add(&mut world, cable, &mut random);
    }
    world
}

/// The first seed: `TAUT_SEED`, or 0.
fn first_seed() -> u64 {
    std::env::var("TAUT_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0)
}

/// Two minutes in all; `TAUT_LONG=1` runs ten.
#[test]
fn random_cables_through_random_pulleys_stay_sound() {
    let (mut parts, mut steps, mut taut, mut unconverged, mut lost) = (0, 0, 0, 0, 0);
    let mut gaining = Vec::new();
    let frames = if std::env::var("TAUT_LONG").is_ok() { 1800 } else { 400 };
    for seed in first_seed()..first_seed() + 20 {
        let mut world = random_world(seed);
        for i in 0..frames {
            let report = world.step(H).unwrap();
            parts += report.parts;
            steps += 1;
            unconverged += usize::from(!report.converged());
            let left = |e: &&Event| matches!(e, Event::CableLeft { .. });
            lost += report.events.iter().filter(left).count();
            if report.gained_energy() {
                gaining.push((seed, i, report.energy_gain, report.energy_tolerance));
                break;
            }
            assert!(report.energy().is_finite());
            let off = report.max_over_length;
            assert!(off < 1e-6 && !report.is_overlong(), "{seed}, {i}: {off}");
            for (_, cable) in world.cables() {
                assert!(cable.tensions().iter().all(|t| t.is_finite() && *t >= 0.0));
                taut += usize::from(cable.is_taut());
            }
        }
    }
    assert!(gaining.is_empty(), "{gaining:?}");
    assert!(taut > steps, "{taut} of {steps}");
    assert!(parts < 2 * steps, "{parts} parts of {steps}");
    // Few spans come to end within a pulley (55 in 36,000 steps), so that cables keep theirs.
    assert!(lost * 300 < steps, "{lost} stations left in {steps} steps");
    // (Bounds of capstans that do not settle: 78 steps.)
    assert!(unconverged * 50 < steps, "{unconverged} of {steps}");
}

/// Balls that move freely in space, with cables through points and pulleys whose axes point anywhere that a cable may
/// come from.
fn random_space(seed: u64) -> World {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut world = World::new();
    let any = |random: &mut Random, size: f64| {
        v(random.between(-size, size), random.between(-size, size), random.between(-size, size))
    };
    let mut places = Vec::new();
    for i in 0..11 {
        let ball = Shape::Ball { radius: 0.4 };
        let fixed = i >= 6;
        let at = match fixed {
            true => v(1.5 * f64::from(i - 6) - 3.0, random.between(-2.0, 2.0), 2.0),
            false => {
                v(random.between(-3.0, 3.0), random.between(-3.0, 3.0), -1.0 - 1.2 * f64::from(i))
            }
        };
        let name = format!("b{i}");
        let body = if fixed {
            Body::fixed(name).shape(ball).position(at)
        } else {
            let mass = 10_f64.powf(random.between(0.0, 2.0));
            let spin = any(&mut random, 1.0);
            let body = Body::dynamic(name).mass(mass).shape(ball).position(at);
            body.velocity(any(&mut random, 1.0)).angular_velocity(spin)
        };
        places.push((world.add_body(body).unwrap(), at));
    }
    for i in 0..12 {
        let count = 2 + (random.next() * 4.0) as usize;
        let mut through: Vec<usize> = Vec::new();
        while through.len() < count {
            let fixed = through.is_empty() && random.next() < 0.7;
            let body = if fixed {
                6 + (random.next() * 5.0) as usize
            } else {
                (random.next() * 6.0) as usize
            };
            if through.last() != Some(&body) {
                through.push(body);
            }
        }
        let mut cable = Cable::new(format!("c{i}"));
        for k in 0..count {
            let (id, at) = places[through[k]];
            let before = places[through[k.saturating_sub(1)]].1;
            let after = places[through[(k + 1).min(count - 1)]].1;
            let end = k == 0 || k + 1 == count;
            let mut axis = (at - before).cross(after - at).normalize_or_zero();
            if axis == Vec3::ZERO {
                axis = (after - before).any_orthogonal_vector().normalize();
            }
            axis += any(&mut random, 0.3);
            let radius = random.between(0.05, 0.3);
            let station = match random.next() < 0.5 {
                true => Station::pulley(id, any(&mut random, 0.05), axis, radius),
                false => Station::point(id, any(&mut random, 0.2)),
            };
            let friction =
                if !end && random.next() < 0.4 { random.between(0.05, 0.6) } else { 0.0 };
            cable = cable.via(station.friction(friction).turns(if end { 3.0 } else { 0.0 }));
        }
        add(&mut world, cable, &mut random);
    }
    world
}

/// Twenty seconds each of a few worlds; `TAUT_LONG=1` runs ten minutes.
#[test]
fn random_cables_in_space_stay_sound_or_say_what_they_leave() {
    let long = std::env::var("TAUT_LONG").is_ok();
    let first = first_seed();
    let (worlds, frames) = if long { (20, 1800) } else { (4, 600) };
    let (mut parts, mut steps, mut taut, mut unconverged, mut left) = (0, 0, 0, 0, 0);
    let mut faults = Vec::new();
    for seed in first..first + worlds {
        let mut world = random_space(seed);
        let (mut bad, mut off) = (0, 0.0_f64);
        for i in 0..frames {
            let report = world.step(H).unwrap();
            parts += report.parts;
            steps += 1;
            bad += usize::from(!report.converged());
            for event in &report.events {
                left += usize::from(matches!(event, Event::CableLeft { .. }));
            }
            if !report.energy().is_finite() {
                faults.push(format!("{seed}, {i}: not finite"));
                break;
            }
            if report.gained_energy() {
                let (gain, most) = (report.energy_gain, report.energy_tolerance);
                faults.push(format!("{seed}, {i}: gained {gain} of {most}"));
                break;
            }
            off = off.max(report.max_over_length);
            for (_, cable) in world.cables() {
                assert!(cable.tensions().iter().all(|t| t.is_finite() && *t >= 0.0));
                taut += usize::from(cable.is_taut());
            }
        }
        unconverged += bad;
        if off > 1e-6 {
            faults.push(format!("{seed}: too long by {off}"));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}; {left} stations left");
    assert!(taut > steps, "{taut} of {steps}");
    assert!(parts < 2 * steps, "{parts} parts of {steps}");
    assert!(unconverged * 50 < steps, "{unconverged} of {steps}");
}
