//! scratch
#![allow(missing_docs)]
use taut::*;
const H: f64 = 1.0 / 60.0;
fn v(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}
/// A generator of numbers in [0, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.next()
    }

    fn vector(&mut self, size: f64) -> Vec3 {
        v(self.between(-size, size), 0.0, self.between(-size, size))
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
            cable = cable.via(station.friction(friction).turns(turns));
        }
        if random.next() < 0.3 {
            cable = cable
                .stiffness(10_f64.powf(random.between(3.0, 6.0)))
                .damping(random.between(0.0, 100.0));
        }
        // Ways that are none are refused; others are as long as they are, or a bit longer.
        if let Ok(id) = world.add_cable(cable.clone())
            && random.next() < 0.5
        {
            let way = world.cable(id).unwrap().way();
            world.remove_cable(id).unwrap();
            world.add_cable(cable.length(way * random.between(1.0, 1.3))).unwrap();
        }
    }
    world
}

fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let seeds = if args.is_empty() { (0..20).collect::<Vec<_>>() } else { vec![args[0]] };
    for seed in seeds {
        let limit = std::time::Duration::from_secs(6);
        let mut world = random_world(seed);
        let t0 = std::time::Instant::now();
        let (mut parts, mut err, mut gained, mut uncv, mut worst_err_at) = (0, 0.0_f64, None, 0, 0);
        let mut last_gain = 0.0;
        let mut torn = 0;
        for i in 0..1800 {
            if t0.elapsed() > limit {
                println!("  too slow at {i}");
                break;
            }
            let before: Vec<_> = world
                .cables()
                .map(|(_, c)| {
                    (c.wraps().to_vec(), c.touches().to_vec(), c.way(), c.tensions().to_vec())
                })
                .collect();
            let r = world.step(H).unwrap();
            if args.len() > 1 && r.max_cable_error > 1e-4 && err < 1e-4 {
                for ((_, c), b) in world.cables().zip(&before) {
                    if c.definition().stiffness.is_infinite() && c.stretch() > 1e-4 {
                        println!(
                            "{i} {} err {} way {} -> {} parts {}\n  {:?}\n  -> {:?} {:?} {:?}\n {:?}",
                            c.name(),
                            c.stretch(),
                            b.2,
                            c.way(),
                            r.parts,
                            b,
                            c.wraps(),
                            c.touches(),
                            c.tensions(),
                            c.definition()
                                .stations
                                .iter()
                                .map(|s| (s.frame, s.point, s.pulley.map(|p| (p.axis.y, p.radius))))
                                .collect::<Vec<_>>()
                        );
                    }
                }
            }
            parts += r.parts;
            torn += r.torn as usize;
            if r.max_cable_error > err {
                err = r.max_cable_error;
                worst_err_at = i;
            }
            uncv += (!r.converged()) as usize;
            if r.gained_energy() && gained.is_none() {
                gained = Some((i, r.energy_gain, r.energy_tolerance));
            }
            if args.len() > 1
                && (r.energy_gain > last_gain + 1e-3 || r.parts > 1 || r.max_cable_error > 1e-7)
            {
                println!(
                    "  {i} gain {:.5} (+{:.6}) tol {:.4} parts {} err {:.2e} kin {:.3} taken {:.4} conv {} torn {} it {}",
                    r.energy_gain,
                    r.energy_gain - last_gain,
                    r.energy_tolerance,
                    r.parts,
                    r.max_cable_error,
                    r.kinetic_energy,
                    r.energy_taken,
                    r.converged(),
                    r.torn,
                    r.iterations
                );
            }
            last_gain = r.energy_gain;
        }
        println!(
            "{seed}: cables {} parts {parts} err {err:.2e}@{worst_err_at} gained {gained:?} unconverged {uncv} torn {torn} {:.2} s",
            world.cables().count(),
            t0.elapsed().as_secs_f64()
        );
    }
}
