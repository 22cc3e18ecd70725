//! Penalty springs against closed forms: energies, bounces, limits of stability, friction by anchors.

use taut_barrier::penalty::{Anchor, Law, Mass, receding, viscous};

const SPRING: Law = Law::Spring { stiffness: 1e4, damping: 0.0 };
const G: [f64; 3] = [0.0, 0.0, -9.81];

#[test]
fn forces_are_slopes_of_energies_and_push_apart() {
    let laws = [
        SPRING,
        Law::Exponential { energy: 2.0, length: 0.1 },
        Law::Power { stiffness: 50.0, power: 1.0 },
        Law::Power { stiffness: 50.0, power: 2.0 },
        Law::Power { stiffness: 50.0, power: 2.5 },
    ];
    for law in laws {
        for gap in [-0.3, -0.1, -1e-3, 0.05, 0.4] {
            let e = 1e-6;
            let slope = (law.energy(gap + e) - law.energy(gap - e)) / (2.0 * e);
            let force = law.force(gap, 0.0);
            assert!(force >= 0.0 && (slope + force).abs() <= 1e-6 * (1.0 + force), "{law:?} {gap}");
            let bend = (law.force(gap + e, 0.0) - law.force(gap - e, 0.0)) / (2.0 * e);
            assert!(
                (bend + law.slope(gap)).abs() <= 1e-5 * (1.0 + law.slope(gap)),
                "{law:?} {gap}"
            );
        }
    }
    // Dampers do not pull.
    let damped = Law::Spring { stiffness: 100.0, damping: 50.0 };
    assert_eq!(damped.force(-0.01, 1.0), 0.0);
    assert!((damped.force(-0.01, -1.0) - 51.0).abs() < 1e-12);
    assert_eq!(damped.force(0.01, -1.0), 0.0);
    assert!(Law::Spring { stiffness: 0.0, damping: 0.0 }.check().is_err());
    assert!(Law::Power { stiffness: 1.0, power: 0.5 }.check().is_err());
    assert!(Law::Exponential { energy: 1.0, length: f64::NAN }.check().is_err());
    assert!(Mass::new(0.0, [0.0; 3]).is_err());
}

/// Springs that are weaker by ε on the way out give back the share ε of the energy: restitution √ε, heights by ε.
#[test]
fn bounces_are_by_the_root_of_epsilon() {
    assert_eq!(receding(2.0, -0.1, 1.0, 0.25), 0.5);
    assert_eq!(receding(2.0, -0.1, -1.0, 0.25), 2.0);
    for share in [0.25_f64, 0.5, 1.0] {
        let mut ball = Mass::new(1.0, [0.0, 0.0, 1e-9]).expect("a mass");
        ball.velocity = [0.0, 0.0, -1.0];
        let (mut met, mut steps) = (false, 0);
        while !met || ball.position[2] < 0.0 {
            ball.step_explicit(1e-6, [0.0; 3], &SPRING, share);
            met |= ball.position[2] < 0.0;
            steps += 1;
            assert!(steps < 1_000_000);
        }
        let restitution = ball.velocity[2];
        assert!((restitution - share.sqrt()).abs() < 1e-3, "{share}: {restitution}");
    }
}

/// h ω = 2 is the limit of semi-implicit Euler on an undamped spring, ω = √(k/m) = 100/s.
#[test]
fn explicit_springs_blow_up_beyond_their_limit() {
    let run = |h: f64| {
        let mut ball = Mass::new(1.0, [0.0, 0.0, -0.5]).expect("a mass");
        // Never out of contact: pressed down by what holds it half a metre deep.
        let gravity = [0.0, 0.0, -0.5 * 1e4];
        ball.position[2] += 1e-6;
        let mut most = 0.0_f64;
        for _ in 0..200 {
            ball.step_explicit(h, gravity, &SPRING, 1.0);
            most = most.max((ball.position[2] + 0.5).abs());
        }
        most
    };
    assert!(run(0.0199) < 1e-4, "{}", run(0.0199));
    assert!(run(0.0201) > 0.1, "{}", run(0.0201));
}

/// At 1e12 N/m and steps of 1/60 s, h ω = 17,000: the ball lies still, by its weight deep.
#[test]
fn implicit_springs_are_stable_at_any_stiffness() {
    for stiffness in [1e2, 1e6, 1e12] {
        let law = Law::Spring { stiffness, damping: 0.0 };
        let mut ball = Mass::new(1.0, [0.0, 0.0, 0.3]).expect("a mass");
        let mut energy = 9.81 * 0.3;
        for step in 0..4000 {
            ball.step_implicit(1.0 / 60.0, G, &law);
            let v = ball.velocity[2];
            let z = ball.position[2];
            let now = 0.5 * v * v + 9.81 * z + law.energy(z);
            assert!(now <= energy + 1e-9, "{stiffness} {step}: {now} of {energy}");
            energy = now;
        }
        let depth = -ball.position[2] * stiffness / 9.81;
        assert!((depth - 1.0).abs() < 1e-3, "{stiffness}: {depth}");
        assert!((ball.normal / 9.81 - 1.0).abs() < 1e-3, "{stiffness}: {}", ball.normal);
    }
    // Other laws, too.
    for law in [
        Law::Exponential { energy: 1e-3, length: 1e-4 },
        Law::Power { stiffness: 1e12, power: 1.5 },
        Law::Spring { stiffness: 1e12, damping: 1e6 },
    ] {
        let mut ball = Mass::new(1.0, [0.0, 0.0, 0.3]).expect("a mass");
        for _ in 0..1000 {
            ball.step_implicit(1.0 / 60.0, G, &law);
        }
        assert!((ball.normal / 9.81 - 1.0).abs() < 1e-3, "{law:?}: {}", ball.normal);
        assert!(ball.position[2].abs() < 1e-3);
    }
}

#[test]
fn anchors_hold_below_the_limit_and_are_dragged_above() {
    let mut anchor = Anchor { point: [0.0; 3], stiffness: 1000.0 };
    assert_eq!(anchor.force([1e-3, 0.0, 0.0], 5.0), [-1.0, 0.0, 0.0]);
    assert_eq!(anchor.point, [0.0; 3]);
    let force = anchor.force([0.1, 0.0, 0.0], 5.0);
    assert!((force[0] + 5.0).abs() < 1e-12 && (anchor.point[0] - 0.095).abs() < 1e-12);
    let slow = viscous([0.01, 0.0, 0.0], 100.0, 5.0);
    assert!((slow[0] + 1.0).abs() < 1e-12);
    assert!((viscous([3.0, 4.0, 0.0], 100.0, 5.0)[1] + 4.0).abs() < 1e-12);

    // On slopes of 0.9 and 1.1 of the friction angle: it stays within the spring's give, or slides by Coulomb's law.
    let run = |share: f64| {
        let mu = 0.5;
        let angle = (share * mu).atan();
        let gravity = [9.81 * angle.sin(), 0.0, -9.81 * angle.cos()];
        let law = Law::Spring { stiffness: 1e5, damping: 600.0 };
        let mut block = Mass::new(1.0, [0.0, 0.0, -9.81 * angle.cos() / 1e5]).expect("a mass");
        let mut anchor = Anchor { point: [0.0; 3], stiffness: 1e4 };
        let mut at = [[0.0; 2]; 2];
        for place in &mut at {
            for _ in 0..50_000 {
                block.step_explicit(1e-5, gravity, &law, 1.0);
                block.drag(1e-5, &mut anchor, mu);
            }
            *place = [block.position[0], block.velocity[0]];
        }
        (at, 0.5 * 9.81 * (angle.sin() - mu * angle.cos()))
    };
    let ([[half, _], [whole, _]], _) = run(0.9);
    // It starts with a swing that drags the anchor by millimetres; then it swings within the spring's give, 4 N over 1e4 N/m.
    assert!(whole > 0.0 && whole < 5e-3 && (whole - half).abs() < 4e-4, "{half} {whole}");
    let ([[_, half], [_, whole]], law) = run(1.1);
    assert!(((whole - half) / law - 1.0).abs() < 0.01, "{half} {whole} for {law}");
}
