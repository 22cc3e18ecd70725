//! Bodies that are held back where they run into something keep their momentum, fall, and slide on.

use taut_scenes::Scene;
use taut_scenes::file::SceneFile;

fn run(text: &str, frames: usize) -> Scene {
    let file = SceneFile::from_json(text).expect("a scene file");
    let mut scene = file.build().expect("a scene");
    for frame in 1..=frames {
        let report = scene.step().expect("a step");
        assert!(report.converged(), "frame {frame}");
    }
    scene
}

/// A plate meets a bar, both of 1 kg, without gravity. (They lost half of their momentum.)
#[test]
fn two_that_meet_in_flight_keep_their_momentum() {
    let scene = run(
        r#"{"version": 1, "dt": 0.03333333333333333, "duration": 1.1, "bodies": [{"name": "a26", "mass": 1.0, "shape": {"box": {"half_extents": [0.3, 0.3, 0.015]}}, "position": [-1, -0.086, 0.08], "velocity": [2, 0, 0], "orientation": [-0.951, 0.053, 0.287, 0.101], "angular_velocity": [0.0, 0.0, 0.0]}, {"name": "b26", "mass": 1.0, "shape": {"box": {"half_extents": [0.45, 0.03, 0.03]}}, "position": [0.1, 0, 0], "velocity": [0, 0, 0], "orientation": [0.235, -0.407, -0.56, -0.682], "angular_velocity": [0.0, 0.0, 0.0]}], "materials": {"default": {"friction": 0.5, "restitution": 0}}, "gravity": [0, 0, 0]}"#,
        33,
    );
    let all: f64 = scene.world.bodies().map(|(_, b)| b.velocity().x).sum();
    assert!((all - 2.0).abs() < 1e-9, "{all}");
}

/// A plate that tumbles on ground without friction. (It kept 0.66 of 3 m/s.)
#[test]
fn a_plate_that_tumbles_on_ice_is_not_slowed() {
    let scene = run(
        r#"{"version": 1, "dt": 0.03333333333333333, "duration": 2, "bodies": [{"name": "s68", "mass": 1, "shape": {"box": {"half_extents": [0.3, 0.3, 0.015]}}, "position": [0, 0, 1.5], "velocity": [3, 0, 0], "orientation": [0.236, -0.708, -0.054, 0.664], "angular_velocity": [-5.156, 14.488, 3.204]}], "materials": {"default": {"friction": 0, "restitution": 0}}, "ground": {"height": 0}}"#,
        60,
    );
    let all: f64 = scene.world.bodies().map(|(_, b)| b.velocity().x).sum();
    assert!((all - 3.0).abs() < 1e-6, "{all}");
}

/// Sticks and plates that fall on one another. (Half of them hung at 1.7 m.)
#[test]
fn sticks_that_fall_on_one_another_fall_to_the_ground() {
    let scene = run(STICKS, 150);
    let top = scene.world.bodies().map(|(_, b)| b.position().z).fold(0.0, f64::max);
    assert!(top < 0.3, "{top}");
}

const STICKS: &str = r#"{"version": 1, "dt": 0.03333333333333333, "duration": 5, "materials": {"default": {"friction": 0.5, "restitution": 0}}, "ground": {"height": 0}, "bodies": [
    {"name": "p26", "shape": {"box": {"half_extents": [0.106, 0.106, 0.004]}}, "density": 7800, "position": [0.085, 0.066, 20.0], "orientation": [0.564, -0.183, 0.392, 0.704]},
    {"name": "p27", "shape": {"box": {"half_extents": [0.157, 0.01, 0.01]}}, "density": 7800, "position": [-0.085, -0.094, 20.75], "orientation": [-0.352, -0.662, 0.361, -0.554]},
    {"name": "p28", "shape": {"box": {"half_extents": [0.231, 0.231, 0.004]}}, "density": 500, "position": [0.028, -0.019, 21.5], "orientation": [-0.213, -0.441, -0.531, 0.692]},
    {"name": "p29", "shape": {"capsule": {"half_length": 0.128, "radius": 0.005}}, "density": 7800, "position": [-0.078, 0.007, 22.25], "orientation": [0.029, 0.363, 0.891, 0.271]},
    {"name": "p30", "shape": {"capsule": {"half_length": 0.196, "radius": 0.005}}, "density": 500, "position": [0.043, 0.051, 23.0], "orientation": [0.774, -0.207, 0.187, 0.569]},
    {"name": "p31", "shape": {"box": {"half_extents": [0.18, 0.18, 0.004]}}, "density": 500, "position": [-0.021, 0.058, 23.75], "orientation": [0.198, 0.414, -0.503, 0.733]},
    {"name": "p32", "shape": {"box": {"half_extents": [0.236, 0.236, 0.004]}}, "density": 500, "position": [0.025, 0.082, 24.5], "orientation": [-0.751, 0.474, -0.351, 0.298]},
    {"name": "p33", "shape": {"capsule": {"half_length": 0.157, "radius": 0.005}}, "density": 500, "position": [-0.057, 0.08, 25.25], "orientation": [-0.655, 0.152, 0.207, 0.711]},
    {"name": "p34", "shape": {"capsule": {"half_length": 0.247, "radius": 0.005}}, "density": 500, "position": [-0.03, -0.083, 26.0], "orientation": [-0.611, -0.144, -0.333, 0.704]},
    {"name": "p35", "shape": {"box": {"half_extents": [0.166, 0.01, 0.01]}}, "density": 500, "position": [-0.014, -0.093, 26.75], "orientation": [0.061, -0.533, 0.831, 0.15]},
    {"name": "p36", "shape": {"cylinder": {"half_height": 0.18, "radius": 0.006}}, "density": 7800, "position": [0.089, -0.001, 27.5], "orientation": [-0.944, 0.177, 0.226, -0.163]},
    {"name": "p37", "shape": {"box": {"half_extents": [0.242, 0.242, 0.004]}}, "density": 500, "position": [0.005, 0.069, 28.25], "orientation": [0.024, -0.495, -0.81, -0.314]},
    {"name": "p38", "shape": {"capsule": {"half_length": 0.184, "radius": 0.005}}, "density": 7800, "position": [0.07, 0.094, 29.0], "orientation": [-0.416, -0.771, 0.331, -0.352]},
    {"name": "p39", "shape": {"box": {"half_extents": [0.179, 0.01, 0.01]}}, "density": 500, "position": [0.008, -0.091, 29.75], "orientation": [0.204, 0.641, -0.74, -0.015]}
]}"#;

/// A box drives another one, on a stiff spring, into a third; nothing else acts. (They lost 3.5 % of their momentum.)
#[test]
fn boxes_on_a_spring_keep_their_momentum() {
    let text = r#"{"version": 1, "gravity": [0, 0, 0], "materials": {"default": {"friction": 0, "restitution": 0}}, "bodies": [
        {"name": "h", "shape": {"box": {"half_extents": [0.15, 0.2, 0.1]}}, "mass": 1000, "position": [0, 0, 0], "orientation": [-0.769622, 0.449947, 0.353628, 0.283156], "velocity": [10, 0, 0]},
        {"name": "l", "shape": {"box": {"half_extents": [0.15, 0.2, 0.1]}}, "mass": 0.265585, "position": [0.8, 0, 0], "orientation": [-0.229069, -0.455658, 0.463905, -0.724358], "velocity": [10, 5, 0]},
        {"name": "o", "shape": {"box": {"half_extents": [0.15, 0.2, 0.1]}}, "mass": 1.627639, "position": [1.6, 0, 0], "orientation": [-0.143784, -0.943208, -0.282324, -0.099888], "velocity": [5, 0, 0]}],
        "joints": [{"type": "distance", "a": "h", "b": "l", "length": 0.7, "linear_spring": {"stiffness": 162907.4}}]}"#;
    let mut scene = SceneFile::from_json(text).expect("a scene file").build().expect("a scene");
    let momentum = |scene: &Scene| -> f64 {
        scene.world.bodies().map(|(_, b)| b.mass() * b.velocity().x).sum()
    };
    let before = momentum(&scene);
    for _ in 0..30 {
        let _ = scene.step().expect("a step");
    }
    let after = momentum(&scene);
    assert!((after / before - 1.0).abs() < 1e-9, "{before} {after}");
}

/// Two stars thrown at one another. (They locked, and stood still at several rad/s for 32 frames in a row, with nothing said.)
#[test]
fn a_body_that_stands_still_is_said() {
    let mut scene = SceneFile::from_json(STARS).expect("a scene file").build().expect("a scene");
    let turned = |scene: &Scene| -> Vec<_> {
        scene.world.bodies().map(|(_, b)| (b.orientation(), b.angular_velocity())).collect()
    };
    let (mut still, mut before) = (0, turned(&scene));
    for frame in 1..=42 {
        let report = scene.step().expect("a step");
        let now = turned(&scene);
        let is_still = before.iter().zip(&now).any(|((q, _), (r, w))| {
            q.angle_between(*r) < 0.2 * w.length() / 60.0 && w.length() > 1.0
        });
        still = if is_still { still + 1 } else { 0 };
        before = now;
        assert!(still <= 5 || report.is_stuck(), "frame {frame}: {still} frames still");
    }
}

const STARS: &str = r#"{"version": 1, "gravity": [0, 0, 0], "duration": 0.7, "bodies": [
    {"name": "b0", "density": 500, "shape": {"sdf": {"vertices": [[0.2, 0.0, -0.05], [0.0728, 0.0529, -0.05], [0.0618, 0.1902, -0.05], [-0.0278, 0.0856, -0.05], [-0.1618, 0.1176, -0.05], [-0.09, 0.0, -0.05], [-0.1618, -0.1176, -0.05], [-0.0278, -0.0856, -0.05], [0.0618, -0.1902, -0.05], [0.0728, -0.0529, -0.05], [0.2, 0.0, 0.05], [0.0728, 0.0529, 0.05], [0.0618, 0.1902, 0.05], [-0.0278, 0.0856, 0.05], [-0.1618, 0.1176, 0.05], [-0.09, 0.0, 0.05], [-0.1618, -0.1176, 0.05], [-0.0278, -0.0856, 0.05], [0.0618, -0.1902, 0.05], [0.0728, -0.0529, 0.05]], "triangles": [[9, 1, 0], [9, 2, 1], [9, 3, 2], [9, 4, 3], [9, 5, 4], [9, 6, 5], [9, 7, 6], [7, 9, 8], [19, 10, 11], [19, 11, 12], [19, 12, 13], [19, 13, 14], [19, 14, 15], [19, 15, 16], [19, 16, 17], [17, 18, 19], [0, 1, 11], [0, 11, 10], [1, 2, 12], [1, 12, 11], [2, 3, 13], [2, 13, 12], [3, 4, 14], [3, 14, 13], [4, 5, 15], [4, 15, 14], [5, 6, 16], [5, 16, 15], [6, 7, 17], [6, 17, 16], [7, 8, 18], [7, 18, 17], [8, 9, 19], [8, 19, 18], [9, 0, 10], [9, 10, 19]]}}, "position": [0.0, 0.0, 0.0], "orientation": [0.3563, 0.4131, -0.0651, -0.8356], "velocity": [0.0, 0.0, 0.0], "angular_velocity": [-7.0847, -1.06, -13.0028]},
    {"name": "b1", "density": 500, "shape": {"sdf": {"vertices": [[0.2, 0.0, -0.05], [0.0728, 0.0529, -0.05], [0.0618, 0.1902, -0.05], [-0.0278, 0.0856, -0.05], [-0.1618, 0.1176, -0.05], [-0.09, 0.0, -0.05], [-0.1618, -0.1176, -0.05], [-0.0278, -0.0856, -0.05], [0.0618, -0.1902, -0.05], [0.0728, -0.0529, -0.05], [0.2, 0.0, 0.05], [0.0728, 0.0529, 0.05], [0.0618, 0.1902, 0.05], [-0.0278, 0.0856, 0.05], [-0.1618, 0.1176, 0.05], [-0.09, 0.0, 0.05], [-0.1618, -0.1176, 0.05], [-0.0278, -0.0856, 0.05], [0.0618, -0.1902, 0.05], [0.0728, -0.0529, 0.05]], "triangles": [[9, 1, 0], [9, 2, 1], [9, 3, 2], [9, 4, 3], [9, 5, 4], [9, 6, 5], [9, 7, 6], [7, 9, 8], [19, 10, 11], [19, 11, 12], [19, 12, 13], [19, 13, 14], [19, 14, 15], [19, 15, 16], [19, 16, 17], [17, 18, 19], [0, 1, 11], [0, 11, 10], [1, 2, 12], [1, 12, 11], [2, 3, 13], [2, 13, 12], [3, 4, 14], [3, 14, 13], [4, 5, 15], [4, 15, 14], [5, 6, 16], [5, 16, 15], [6, 7, 17], [6, 17, 16], [7, 8, 18], [7, 18, 17], [8, 9, 19], [8, 19, 18], [9, 0, 10], [9, 10, 19]]}}, "position": [0.05, 0.0, 0.7], "orientation": [-0.1311, 0.8741, 0.447, 0.1379], "velocity": [0.0, 0.0, -3.6371], "angular_velocity": [-1.1558, 5.3577, -2.9734]}
]}"#;

/// The deepest penetration in so many frames.
fn deepest(text: &str, frames: usize) -> f64 {
    let mut scene = SceneFile::from_json(text).expect("a scene file").build().expect("a scene");
    (0..frames).map(|_| scene.step().expect("a step").max_penetration).fold(0.0, f64::max)
}

/// (36 mm: a contact was predicted with the normal that the box has later, and was not replaced.)
#[test]
fn a_ball_stays_outside_of_a_spinning_box() {
    let deepest = deepest(BALL_AND_BOX, 20);
    assert!(deepest < 2e-3, "{deepest} m");
}

/// (14 mm, for good.)
#[test]
fn boxes_that_a_ram_squeezes_stay_apart() {
    let deepest = deepest(RAM, 20);
    assert!(deepest < 2e-3, "{deepest} m");
}

const BALL_AND_BOX: &str = r#"{"version": 1, "duration": 1.5, "gravity": [0, 0, 0], "bodies": [
    {"name": "b1", "mass": 12.938158576683348, "shape": {"box": {"half_extents": [0.339742596578196, 0.08607942465019747, 0.11695225507837802]}}, "position": [0.6081769947850066, 0.22648255200064735, 0.873578055676492], "orientation": [-0.13765006345664366, 0.037974202463042436, -0.5225878666328966, 0.8405428850604564], "velocity": [-5.0298796399179855, -1.8731059985381853, 9.315983426358503], "angular_velocity": [8.428453850430364, -2.850223170643992, -9.082305250600381]},
    {"name": "b2", "mass": 28.9823849797175, "shape": {"ball": {"radius": 0.29193917903480204}}, "position": [-0.2875388653925974, -0.05937687432818789, 3.2664105920607867], "orientation": [0.2860187791695568, 0.07973375560238066, -0.0870446440683763, -0.950925347290157], "velocity": [1.4213518688363462, 0.293509648432394, -6.260075691966209], "angular_velocity": [-7.126657728298449, 5.655598854246946, 6.5584859138876626]}
]}"#;

const RAM: &str = r#"{"version": 1, "duration": 1, "joints": [{"type": "slider", "name": "s", "a": "world", "b": "ram", "axis_a": [1, 0, 0], "motor": {"position": {"target": 1.5, "stiffness": 10000.0, "damping": 141.4213562373095}}}], "settings": {"substeps": 1}, "ground": {"height": 0}, "bodies": [
    {"name": "ram", "mass": 50, "shape": {"box": {"half_extents": [0.2, 0.2, 0.2]}}, "position": [-0.7, 0, 0.2]},
    {"name": "c0", "mass": 1, "shape": {"box": {"half_extents": [0.15, 0.15, 0.15]}}, "position": [0.15, 0, 0.15]},
    {"name": "c1", "mass": 1, "shape": {"box": {"half_extents": [0.15, 0.15, 0.15]}}, "position": [0.45999999999999996, 0, 0.15]},
    {"name": "c2", "mass": 1, "shape": {"box": {"half_extents": [0.15, 0.15, 0.15]}}, "position": [0.77, 0, 0.15]},
    {"name": "c3", "mass": 1, "shape": {"box": {"half_extents": [0.15, 0.15, 0.15]}}, "position": [1.0799999999999998, 0, 0.15]},
    {"name": "c4", "mass": 1, "shape": {"box": {"half_extents": [0.15, 0.15, 0.15]}}, "position": [1.39, 0, 0.15]},
    {"name": "wall", "kind": "fixed", "shape": {"box": {"half_extents": [0.1, 1, 1]}}, "position": [1.85, 0, 1]}
]}"#;

/// A motor of a MN that squeezes two boxes at rest. (It was said to create 2e-4 J, of 0.9 MJ that it put in.)
#[test]
fn a_strong_ram_creates_nothing() {
    let mut scene =
        SceneFile::from_json(STRONG_RAM).expect("a scene file").build().expect("a scene");
    for frame in 1..=60 {
        let report = scene.step().expect("a step");
        let (gain, allowed) = (report.energy_gain, report.energy_tolerance);
        assert!(!report.gained_energy(), "frame {frame}: {gain} J of {allowed} J");
        assert!(allowed < 0.02, "{allowed} J");
    }
}

const STRONG_RAM: &str = r#"{"version": 1, "ground": {"height": 0}, "duration": 1, "joints": [{"type": "slider", "name": "s", "a": "world", "b": "ram", "axis_a": [1, 0, 0], "motor": {"position": {"target": 2.0, "stiffness": 1000000.0, "damping": 447.213595499958}}}], "bodies": [
    {"name": "ram", "mass": 5, "shape": {"box": {"half_extents": [0.2, 0.2, 0.2]}}, "position": [-1.2, 0, 0.2]},
    {"name": "c0", "mass": 1, "shape": {"box": {"half_extents": [0.15, 0.15, 0.15]}}, "position": [0.15, 0, 0.15]},
    {"name": "c1", "mass": 1, "shape": {"box": {"half_extents": [0.15, 0.15, 0.15]}}, "position": [0.45999999999999996, 0, 0.15]},
    {"name": "wall", "kind": "fixed", "shape": {"box": {"half_extents": [0.1, 1, 1]}}, "position": [0.9199999999999999, 0, 1]}
]}"#;
