//! What is written reads back to the same bits, and moves the same way.

use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, RngSeed};
use taut_scenes::Scene;
use taut_scenes::builtin::SCENES;
use taut_scenes::file::{
    Body, Camera, Drive, Finish, Joint, JointType, Motor, SceneFile, Settings, Shape, Visual,
};

fn again(file: &SceneFile) -> SceneFile {
    let text = file.to_json().expect("a scene that can be built");
    SceneFile::from_json(&text).expect("what was written")
}

fn bits(scene: &Scene) -> Vec<u64> {
    let state = |id: &taut::BodyId| {
        let b = scene.world.body(*id).expect("a body");
        let (x, q) = (b.position(), b.orientation());
        let (v, w) = (b.velocity(), b.angular_velocity());
        [x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z].map(f64::to_bits)
    };
    scene.bodies.iter().flat_map(state).collect()
}

fn run(file: &SceneFile, frames: usize) -> Vec<u64> {
    let mut scene = file.build().expect("a scene");
    (0..frames).for_each(|_| drop(scene.step().expect("a step")));
    bits(&scene)
}

#[test]
fn built_in_scenes_read_back_and_move_the_same_way() {
    for entry in SCENES {
        let file = entry.file(Some(entry.small_size));
        assert_eq!(file.name.as_deref(), Some(entry.name));
        let copy = again(&file);
        assert_eq!(copy, file, "{}", entry.name);
        assert_eq!(run(&copy, 20), run(&file, 20), "{}", entry.name);
    }
}

#[test]
fn names_are_unique_and_sizes_scale() {
    let mut names: Vec<&str> =
        SCENES.iter().flat_map(|e| e.aliases.iter().chain([&e.name]).copied()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for entry in SCENES {
        assert!(entry.small_size <= entry.default_size, "{}", entry.name);
        for size in [1, 2, entry.default_size] {
            let built = entry.file(Some(size)).build();
            assert!(built.is_ok(), "{} of size {size}: {:?}", entry.name, built.err());
        }
        let count = |file: SceneFile| file.bodies.len() + file.soft_bodies.len();
        let larger = count(entry.file(Some(2 * entry.default_size)));
        assert!(larger > count(entry.file(None)), "{}", entry.name);
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |x| x.is_finite() && x.abs() < 1e100),
        -10.0..10.0,
        Just(-0.0),
        Just(0.1 + 0.2),
        Just(f64::MIN_POSITIVE / 8.0),
    ]
}

fn vector() -> impl Strategy<Value = [f64; 3]> {
    [number(), number(), number()]
}

fn size() -> impl Strategy<Value = f64> {
    1e-3..1e3
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        size().prop_map(Shape::ball),
        [size(), size(), size()].prop_map(Shape::cuboid),
        (size(), size()).prop_map(|(a, b)| Shape::capsule(a, b)),
        (size(), size()).prop_map(|(a, b)| Shape::cylinder(a, b)),
    ]
}

prop_compose! {
    fn body(name: String)(
        shape in shape(), mass in 1e-3..1e6, x in vector(), v in vector(), w in vector(),
        axis in vector(), angle in -3.0..3.0, ghost: bool, name in Just(name),
    ) -> Body {
        let body = Body::new(name).shape(shape).mass(mass).at(x).velocity(v);
        let body = body.angular_velocity(w).turned(axis, angle).colour("#0a1b2c");
        let seen = Visual::new(Shape::ball(mass)).at(v).colour("#ffffff").finish(Finish::Glass);
        let body = body.finish(Finish::Wood).visual(seen);
        if ghost { body.ghost() } else { body }
    }
}

prop_compose! {
    fn joint()(
        kind in 0..6, a in vector(), b in vector(), target in number(), force in 0.0..1e9,
        name in "[a-z\"\\\\é\n]{0,4}",
    ) -> Joint {
        let types = [JointType::Ball, JointType::Hinge, JointType::Slider,
            JointType::Cylindrical, JointType::Universal, JointType::Weld];
        let joint = Joint::between(types[kind as usize], "world", "b0");
        let joint = joint.anchor_a(a).anchor_b(b).named(format!("joint {name}"));
        match kind {
            1..=3 => joint.motor(Motor::velocity(target, force)).limits(-1.0, 1.0),
            _ => joint,
        }
    }
}

prop_compose! {
    fn scene()(
        first in body("b0".into()), second in body("körper 1,\"".into()), joint in joint(),
        gravity in vector(), dt in 1e-6..1.0, keys in prop::collection::vec(number(), 1..4),
    ) -> SceneFile {
        let keys: Vec<_> = keys.iter().enumerate().map(|(t, &v)| (t as f64 / 3.0, v)).collect();
        let driven = matches!(joint.joint_type,
            JointType::Hinge | JointType::Slider | JointType::Cylindrical);
        let name = joint.name.clone().unwrap_or_default();
        let drives = if driven { vec![Drive::motor(name, keys)] } else { Vec::new() };
        SceneFile {
            gravity, dt, drives,
            settings: Settings { substeps: Some(2), ..Settings::default() },
            groups: [("all".to_string(), vec!["b0".to_string()])].into(),
            bodies: vec![first, second],
            camera: Some(Camera { eye: [1.0, 2.0, 3.0], target: [0.0; 3], follow: Some("b0".into()) }),
            joints: vec![joint],
            ..SceneFile::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: RngSeed::Fixed(1), failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/round_trip.txt"))), ..ProptestConfig::default() })]

    #[test]
    fn any_scene_reads_back_to_the_same_bits(file in scene()) {
        let text = serde_json::to_string(&file).expect("JSON");
        let copy = SceneFile::from_json(&text).expect("what was written");
        // Debug shows the sign of zero and every digit.
        prop_assert_eq!(format!("{copy:?}"), format!("{file:?}"));
    }
}
