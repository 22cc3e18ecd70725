//! Dry masonry and cards: what friction alone holds, against limit states.

use taut::math::{Quat, Vec3};
use taut::{Body, FrictionMode, Material, Shape, World};

const H: f64 = 1.0 / 60.0;
const G: f64 = 9.81;
const STONES: usize = 20;
const RADIUS: f64 = 1.0;
const DEPTH: f64 = 0.2;
const WIDTH: f64 = 0.25;

fn world(mu: f64) -> (World, Material) {
    let mut world = World::new();
    world.set_gravity(-G * Vec3::Z).expect("finite");
    world.settings_mut().friction = FrictionMode::Cone;
    let material = Material { friction: mu, ..Material::default() };
    let plane = Body::fixed("plane").shape(Shape::HalfSpace { normal: Vec3::Z });
    world.add_body(plane.material(material)).expect("plane");
    (world, material)
}

/// The part of a ring between two angles, with straight sides.
fn stone(from: f64, to: f64) -> [Vec3; 8] {
    let at = |r: f64, angle: f64, y: f64| Vec3::new(r * angle.cos(), y, r * angle.sin());
    let (inner, outer, half) = (RADIUS - 0.5 * DEPTH, RADIUS + 0.5 * DEPTH, 0.5 * WIDTH);
    let mut corners = [Vec3::ZERO; 8];
    for k in 0..8 {
        let (r, angle) =
            (if k & 1 == 0 { inner } else { outer }, if k & 2 == 0 { from } else { to });
        corners[k] = at(r, angle, if k & 4 == 0 { -half } else { half });
    }
    corners
}

/// The least friction at which some thrust keeps all joints of half an arch from sliding and
/// from opening: statics of rigid stones with the crown's thrust and its height as unknowns.
fn critical_friction() -> f64 {
    let turn = std::f64::consts::PI / STONES as f64;
    let (inner, outer) = (RADIUS - 0.5 * DEPTH, RADIUS + 0.5 * DEPTH);
    // Area and first moment of a stone between two angles, sides straight: two triangles each.
    let area = 0.5 * turn.sin() * (outer * outer - inner * inner);
    let reach = (outer.powi(3) - inner.powi(3)) * turn.sin() * (0.5 * turn).cos() / 3.0 / area;
    let least = |thrust: f64| {
        // From the crown down: weight above each joint and its moment about the middle.
        let (mut weight, mut moment, mut most) = (0.0, 0.0, 0.0_f64);
        let (mut low, mut high) = (RADIUS - 0.5 * DEPTH, RADIUS + 0.5 * DEPTH);
        for k in 0..STONES / 2 {
            let middle = std::f64::consts::FRAC_PI_2 - (k as f64 + 0.5) * turn;
            let joint = std::f64::consts::FRAC_PI_2 - (k as f64 + 1.0) * turn;
            weight += area;
            moment += area * reach * middle.cos();
            // What the part above presses with: thrust in x, weight down. Normal of the joint: its
            // tangent direction (sin, −cos).
            let normal = thrust * joint.sin() + weight * joint.cos();
            let shear = thrust * joint.cos() - weight * joint.sin();
            if normal <= 0.0 {
                return f64::INFINITY;
            }
            most = most.max(shear.abs() / normal);
            // Moment about the centre: N r = thrust·y − (weight × its lever), so r within the joint
            // bounds the height y of the thrust at the crown.
            low = low.max((inner * normal + (-moment)) / thrust);
            high = high.min((outer * normal + (-moment)) / thrust);
        }
        if low <= high { most } else { f64::INFINITY }
    };
    let total = area * STONES as f64;
    (1..20_000).map(|k| least(total * f64::from(k) / 20_000.0)).fold(f64::INFINITY, f64::min)
}

/// How far the crown is down after two seconds.
fn fall_of_arch(mu: f64) -> f64 {
    let (mut world, material) = world(mu);
    let turn = std::f64::consts::PI / STONES as f64;
    let mut crown = None;
    for k in 0..STONES {
        let corners = stone(k as f64 * turn, (k + 1) as f64 * turn);
        let centre = corners.iter().sum::<Vec3>() / 8.0;
        let points = corners.iter().map(|p| *p - centre).collect();
        let body = Body::dynamic(format!("stone {k}")).shape(Shape::ConvexHull { points });
        let body = body.density(2000.0).position(centre).material(material);
        let id = world.add_body(body).expect("stone");
        if k == STONES / 2 {
            crown = Some((id, centre.z));
        }
    }
    let (crown, start) = crown.expect("a crown");
    for _ in 0..120 {
        let _ = world.step(H).expect("step");
        let z = world.body(crown).expect("crown").position().z;
        if start - z > 0.05 {
            return start - z;
        }
    }
    start - world.body(crown).expect("crown").position().z
}

/// An arch of twenty stones stands a little above the friction that statics asks for, and falls a
/// little below.
#[test]
fn an_arch_stands_on_friction() {
    let critical = critical_friction();
    assert!((0.1..1.0).contains(&critical), "{critical}");
    let stands = fall_of_arch(1.02 * critical);
    assert!(stands < 2e-3, "μ = {critical}: {stands} m");
    let falls = fall_of_arch(0.98 * critical);
    assert!(falls > 5e-3, "μ = {critical}: {falls} m");
}

/// Three storeys of cards, fifteen in all, for as long as asked.
fn card_house(seconds: f64) -> f64 {
    let (mut world, material) = world(0.6);
    let (long, wide, thin, lean) = (0.088_f64, 0.063, 1e-3_f64, 0.35_f64);
    let half = Vec3::new(0.5 * thin, 0.5 * wide, 0.5 * long);
    let (s, c) = lean.sin_cos();
    let rise = long * c + thin * s; // of a tent
    let out = 0.5 * (thin * c + long * s);
    let apart = long + 2e-4; // flat cards end at the tops of the tents
    let mut ids = Vec::new();
    let mut add = |name: String, at: Vec3, angle: f64| {
        let body = Body::dynamic(name).shape(Shape::Box { half_extents: half }).mass(2e-3);
        let body = body.position(at).orientation(Quat::from_rotation_y(angle)).material(material);
        ids.push((world.add_body(body).expect("card"), at));
    };
    for storey in 0..3 {
        let floor = f64::from(storey) * (rise + thin);
        let tents = 3 - storey;
        for k in 0..tents {
            let x = apart * (f64::from(k) - 0.5 * f64::from(tents - 1));
            for (side, name) in [(-1.0, "left"), (1.0, "right")] {
                let at = Vec3::new(x + side * out, 0.0, floor + 0.5 * rise);
                add(format!("{name} {storey} {k}"), at, -side * lean);
            }
            if k + 1 < tents {
                let at = Vec3::new(x + 0.5 * apart, 0.0, floor + rise + 0.5 * thin);
                add(format!("flat {storey} {k}"), at, std::f64::consts::FRAC_PI_2);
            }
        }
    }
    for _ in 0..(seconds / H) as usize {
        let report = world.step(H).expect("step");
        assert!(!report.gained_energy(), "{report:?}");
    }
    let moved = |(id, at): &(taut::BodyId, Vec3)| {
        (world.body(*id).expect("card").position() - *at).length()
    };
    ids.iter().map(moved).fold(0.0, f64::max)
}

#[test]
fn a_house_of_cards_stands() {
    let moved = card_house(10.0);
    assert!(moved < 1e-3, "{moved} m");
}

/// A minute of it.
#[test]
#[ignore = "longer than continuous integration should take"]
fn a_house_of_cards_stands_for_a_minute() {
    let moved = card_house(60.0);
    assert!(moved < 1e-3, "{moved} m");
}

/// How far two cards fall that lean on one another edge to edge, φ off the vertical.
fn fall_of_cards(mu: f64, phi: f64, thin: f64) -> f64 {
    let (mut world, material) = world(mu);
    let half_extents = Vec3::new(0.5 * thin, 0.3, 0.5);
    let (s, c) = phi.sin_cos();
    let at = Vec3::new(0.5 * (thin * c + s), 0.0, 0.5 * (thin * s + c));
    let mut cards = Vec::new();
    for side in [-1.0, 1.0] {
        let body = Body::dynamic(format!("card{side}")).shape(Shape::Box { half_extents });
        let body = body.position(Vec3::new(side * at.x, 0.0, at.z)).material(material);
        cards.push(
            world.add_body(body.orientation(Quat::from_rotation_y(-side * phi))).expect("a card"),
        );
    }
    for _ in 0..120 {
        let report = world.step(H).expect("step");
        assert!(report.converged() && !report.gained_energy(), "{report:?}");
    }
    at.z - world.body(cards[0]).expect("a card").position().z
}

/// Cards stand from μ = ½ tan φ on, for their force at the top is level; the arms of thick ones are a little shorter.
#[test]
fn cards_lean_on_one_another() {
    for (degrees, thin) in [(25.0_f64, 2e-3), (15.0, 2e-3), (35.0, 2e-2)] {
        let phi = degrees.to_radians();
        // Moments about the foot's outer edge: the weight acts at x, the push at height z.
        let (x, z) = (0.5 * (phi.sin() - thin * phi.cos()), phi.cos());
        let critical = x / z;
        let stands = fall_of_cards(1.03 * critical, phi, thin);
        assert!(stands.abs() < 1e-3, "{degrees}°: {stands} m at 1.03 of {critical}");
        let falls = fall_of_cards(0.97 * critical, phi, thin);
        assert!(falls > 0.1, "{degrees}°: {falls} m at 0.97 of {critical}");
    }
}
