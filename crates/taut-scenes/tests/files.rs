//! Files that are broken: one clear line each, with the place and what was
//! expected.

use std::path::Path;
use taut_scenes::SceneError;
use taut_scenes::file::SceneFile;

fn error(text: &str) -> SceneError {
    match SceneFile::from_json(text).and_then(|file| file.build().map(|_| ())) {
        Err(error) => error,
        Ok(()) => panic!("was accepted: {text}"),
    }
}

/// What is wrong with the error that `text` gives, which is to be one line
/// at `place` with all `words`.
fn complaint(text: &str, place: &str, words: &[&str]) -> Option<String> {
    let error = error(text);
    let line = error.to_string();
    let missing = words.iter().find(|word| !line.contains(**word));
    let fine = error.place == place && missing.is_none() && !line.contains('\n');
    (!fine || line.len() > 400)
        .then(|| format!("{text}\n  gives {line}\n  not {place} {words:?}\n"))
}

fn check<'a>(cases: impl Iterator<Item = (String, &'a str, &'a [&'a str])>) {
    let complaints: String =
        cases.filter_map(|(t, place, words)| complaint(&t, place, words)).collect();
    assert!(complaints.is_empty(), "\n{complaints}");
}

/// Whole files.
const FILES: &[(&str, &str, &[&str])] = &[
    ("", "", &["not valid JSON", "line 1"]),
    ("{", "", &["not valid JSON", "line 1"]),
    ("{\"version\": 1,\n \"bodies\": [}", "", &["not valid JSON", "line 2"]),
    ("{\"version\": 1} x", "", &["not valid JSON", "trailing"]),
    ("{\"version\": 1, \"dt\": NaN}", "", &["not valid JSON", "column"]),
    ("{\"version\": 1, \"dt\": 1e999}", "dt", &["number out of range", "line 1"]),
    ("[]", "", &["expected an object"]),
    ("3", "", &["expected an object"]),
    ("{}", "version", &["missing", "expected 1"]),
    ("{\"version\": 2, \"new\": 3}", "version", &["expected 1, found 2"]),
    ("{\"version\": \"1\"}", "version", &["expected 1", "\"1\""]),
    ("{\"version\": 1, \"version\": 1}", "", &["expected an object"]),
    ("{\"version\": 1, \"dt\": 0}", "dt", &["positive", "found 0"]),
    ("{\"version\": 1, \"dt\": -0.1}", "dt", &["positive", "found -0.1"]),
    ("{\"version\": 1, \"dt\": 1e6}", "dt", &["at most 1 s", "found 1000000"]),
    ("{\"version\": 1, \"dt\": null}", "dt", &["expected a number", "null", "line 1"]),
    ("{\"version\": 1, \"duration\": 0}", "duration", &["positive"]),
    ("{\"version\": 1, \"gravity\": -9.81}", "gravity", &["expected a list of 3", "-9.81"]),
    ("{\"version\": 1, \"gravity\": [0, 0]}", "gravity", &["expected a list of 3", "found 2"]),
    ("{\"version\": 1, \"gravity\": [0, 0, 0, 0]}", "gravity", &["more values"]),
    ("{\"version\": 1, \"gravity\": [0, \"down\", 0]}", "gravity[1]", &["a number", "\"down\""]),
    ("{\"version\": 1, \"body\": []}", "body", &["unknown field 'body'", "'bodies'"]),
    ("{\"version\": 1, \"xyz\": []}", "xyz", &["unknown field 'xyz'", "known: version"]),
    ("{\"version\": 1, \"bodies\": {}}", "bodies", &["expected a list", "an object"]),
    ("{\"version\": 1, \"bodies\": [3]}", "bodies[0]", &["expected an object", "3"]),
    ("{\"version\": 1, \"ground\": {\"hight\": 1}}", "ground.hight", &["'height'"]),
    (
        "{\"version\": 1, \"camera\": {\"eye\": [0, 0, 0], \"target\": [0, 0, 0]}}",
        "camera.eye",
        &["another place"],
    ),
    (
        "{\"version\": 1, \"camera\": {\"eye\": [1, 0, 0], \"target\": [0, 0, 0], \"follow\": \"x\"}}",
        "camera.follow",
        &["no body is named 'x'"],
    ),
    ("{\"version\": 1, \"ground\": true}", "ground", &["expected an object"]),
    ("{\"version\": 1, \"ground\": {\"material\": \"ice\"}}", "ground.material", &["'ice'"]),
    (
        "{\"version\": 1, \"materials\": {\"m\": {\"friction\": -1}}}",
        "materials.m.friction",
        &["at least 0", "-1"],
    ),
    (
        "{\"version\": 1, \"materials\": {\"m\": {\"restitution\": 1.5}}}",
        "materials.m.restitution",
        &["0 to 1", "1.5"],
    ),
    (
        "{\"version\": 1, \"materials\": {\"m\": {\"anisotropy\": {\"elliptic\": \
         {\"direction\": [0, 0, 0], \"along\": 1, \"across\": 1}}}}}",
        "materials.m.anisotropy.elliptic.direction",
        &["zero"],
    ),
    (
        "{\"version\": 1, \"materials\": {\"m\": {\"anisotropy\": {\"tensor\": \
         {\"direction\": [1, 0, 0], \"forward\": 1, \"backward\": -1, \"sideways\": 0}}}}}",
        "materials.m.anisotropy.tensor.backward",
        &["-1"],
    ),
    (
        "{\"version\": 1, \"materials\": {\"m\": {\"anisotropy\": {\"texture\": \
         {\"edges\": [[1, 0, 0], [2, 0, 0]], \"columns\": 1, \"cells\": [[0, 1, 1]]}}}}}",
        "materials.m.anisotropy.texture",
        &["parallel"],
    ),
    (
        "{\"version\": 1, \"materials\": {\"m\": {\"anisotropy\": {\"texture\": \
         {\"edges\": [[1, 0, 0], [0, 1, 0]], \"columns\": 0, \"cells\": []}}}}}",
        "materials.m.anisotropy.texture",
        &["columns"],
    ),
    ("{\"version\": 1, \"materials\": {\"m\": {\"mu\": 1}}}", "materials.m.mu", &["unknown"]),
    ("{\"version\": 1, \"materials\": {\"m\": {}, \"m\": {}}}", "materials", &["'m'", "twice"]),
    (
        "{\"version\": 1, \"settings\": {\"solver\": \"magic\"}}",
        "settings.solver",
        &["magic", "bpp"],
    ),
    ("{\"version\": 1, \"settings\": {\"substeps\": 0}}", "settings.substeps", &["at least 1"]),
    (
        "{\"version\": 1, \"settings\": {\"substeps\": 100000000}}",
        "settings.substeps",
        &["at most 1000", "100000000"],
    ),
    (
        "{\"version\": 1, \"settings\": {\"substeps\": 1.5}}",
        "settings.substeps",
        &["whole number", "1.5"],
    ),
    (
        "{\"version\": 1, \"settings\": {\"substeps\": -1}}",
        "settings.substeps",
        &["whole number", "-1"],
    ),
    (
        "{\"version\": 1, \"settings\": {\"friction\": \"rough\"}}",
        "settings.friction",
        &["last_step", "rough"],
    ),
    (
        "{\"version\": 1, \"settings\": {\"integrator\": \"rk4\"}}",
        "settings.integrator",
        &["semi_implicit_euler", "rk4"],
    ),
    ("{\"version\": 1, \"settings\": {\"compliance\": -1}}", "settings.compliance", &["0 to 1"]),
    (
        "{\"version\": 1, \"settings\": {\"geometric_stiffness\": {\"alpha\": 2}}}",
        "settings.geometric_stiffness.alpha",
        &["0 to 1", "2"],
    ),
    (
        "{\"version\": 1,\n \"settings\": {\"substep\": 2}}",
        "settings.substep",
        &["unknown field 'substep'", "'substeps'", "line 2, column"],
    ),
    ("{\"version\": 1, \"settings\": {\"work\": 9}}", "settings.work", &["an accuracy beside it"]),
    (
        "{\"version\": 1, \"settings\": {\"friction\": {\"polyhedral\": {\"directions\": 2}}}}",
        "settings.friction.polyhedral.directions",
        &["3 to 64", "2"],
    ),
    (
        "{\"version\": 1, \"settings\": {\"sleeping\": {\"delay\": 0}}}",
        "settings.sleeping.delay",
        &["above 0", "found 0"],
    ),
    ("{\"version\": 1, \"ground\": [0]}", "ground", &["expected an object, found a list"]),
    (
        "{\"version\": 1, \"materials\": {\"ice\": [0.1, 0]}}",
        "materials.ice",
        &["expected an object, found a list"],
    ),
    ("{\"version\": 1, \"groups\": {\"left\": [\"nobody\"]}}", "groups.left[0]", &["'nobody'"]),
];

/// A body (or several): `B` stands for `"name": "b", "shape": a ball`.
const BODIES: &[(&str, &str, &[&str])] = &[
    ("{\"mass\": 1}", "bodies[0]", &["missing field 'name'"]),
    ("{\"name\": 3}", "bodies[0].name", &["expected a string", "3"]),
    ("{\"name\": \"\", \"shape\": {\"ball\": {\"radius\": 1}}}", "bodies[0].name", &["empty"]),
    (
        "{\"name\": \"world\", \"shape\": {\"ball\": {\"radius\": 1}}}",
        "bodies[0].name",
        &["the world itself"],
    ),
    ("{B}, {B}", "bodies[1].name", &["'b'", "bodies[0]"]),
    ("{\"name\": \"b\"}", "bodies[0]", &["'b'", "shape", "inertia"]),
    ("{\"name\": \"b\", \"mass\": 1}", "bodies[0]", &["'b'", "shape", "inertia"]),
    ("{B, \"mass\": -1}", "bodies[0].mass", &["positive", "-1"]),
    ("{B, \"mass\": 0}", "bodies[0].mass", &["positive", "0"]),
    ("{B, \"mass\": 1, \"mass\": 2}", "bodies[0]", &["duplicate field 'mass'"]),
    ("{B, \"density\": -1}", "bodies[0].density", &["at least 0"]),
    ("{B, \"inertia\": [1, 1, 3]}", "bodies[0]", &["'b'", "1, 1 and 3", "sum of the others"]),
    (
        "{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1],
          \"shape\": {\"half_space\": {\"normal\": [0, 0, 1]}}}",
        "bodies[0]",
        &["'b'", "half-space", "fixed"],
    ),
    ("{B, \"density\": 0}", "bodies[0]", &["mass", "positive"]),
    ("{B, \"fixed\": true}", "bodies[0].fixed", &["\"kind\": \"fixed\""]),
    ("{B, \"static\": true}", "bodies[0].static", &["\"kind\": \"fixed\""]),
    ("{B, \"kind\": \"frozen\"}", "bodies[0].kind", &["dynamic, kinematic, fixed", "frozen"]),
    ("{B, \"kind\": 3}", "bodies[0].kind", &["expected a name"]),
    ("{B, \"kind\": \"fixed\", \"velocity\": [1, 0, 0]}", "bodies[0].velocity", &["kinematic"]),
    ("{B, \"position\": [0, 0]}", "bodies[0].position", &["a list of 3 values", "found 2"]),
    ("{B, \"position\": [0, 0, null]}", "bodies[0].position[2]", &["a number", "null"]),
    ("{B, \"positon\": [0, 0, 0]}", "bodies[0].positon", &["'position'"]),
    ("{B, \"orientation\": [0, 0, 0, 0]}", "bodies[0].orientation", &["unit quaternion"]),
    ("{B, \"orientation\": [1, 1, 0, 0]}", "bodies[0].orientation", &["unit", "1.41"]),
    ("{B, \"collides\": \"yes\"}", "bodies[0].collides", &["a boolean", "\"yes\""]),
    ("{B, \"material\": \"ice\"}", "bodies[0].material", &["no material is named 'ice'"]),
    ("{B, \"inertia\": [1, 0, 1]}", "bodies[0].inertia[1]", &["positive"]),
    ("{B, \"inertia_products\": [0, 0, 0]}", "bodies[0].inertia_products", &["'inertia'"]),
    (
        "{B, \"inertia\": [1, 1, 1], \"inertia_products\": [2, 0, 0]}",
        "bodies[0]",
        &["'b'", "positive definite"],
    ),
    (
        "{B, \"inertia\": [1, 1, 1], \"inertia_products\": [-0.7, -0.7, -0.7]}",
        "bodies[0]",
        &["'b'", "positive definite"],
    ),
    ("{B, \"collision_groups\": {\"mask\": -1}}", "bodies[0].collision_groups.mask", &["-1"]),
    (
        "{\"name\": \"b\", \"shape\": \"ball\"}",
        "bodies[0].shape.ball",
        &["expected an object, found only a name"],
    ),
    ("{\"name\": \"b\", \"shape\": {}}", "bodies[0].shape", &["exactly one field"]),
    ("{\"name\": \"b\", \"shape\": {\"sphere\": {}}}", "bodies[0].shape", &["ball", "sphere"]),
    ("{\"name\": \"b\", \"shape\": {\"boxx\": {}}}", "bodies[0].shape", &["'box'"]),
    ("{\"name\": \"b\", \"shape\": {\"box\": {}}}", "bodies[0].shape.box", &["half_extents"]),
    (
        "{\"name\": \"b\", \"shape\": {\"box\": {\"half_extents\": [1, 0, 1]}}}",
        "bodies[0].shape.box.half_extents[1]",
        &["positive", "0"],
    ),
    (
        "{\"name\": \"b\", \"shape\": {\"ball\": {\"radius\": 1}, \"box\": {}}}",
        "bodies[0].shape",
        &["exactly one field"],
    ),
    (
        "{\"name\": \"b\", \"shape\": {\"ball\": {\"radius\": -1}}}",
        "bodies[0].shape.ball.radius",
        &["positive", "-1"],
    ),
    (
        "{\"name\": \"b\", \"shape\": {\"ball\": {\"r\": 1}}}",
        "bodies[0].shape.ball.r",
        &["'radius'"],
    ),
    (
        "{\"name\": \"b\", \"shape\": {\"capsule\": {\"half_length\": 0, \"radius\": 1}}}",
        "bodies[0].shape.capsule.half_length",
        &["positive"],
    ),
    (
        "{\"name\": \"b\", \"shape\": {\"convex_hull\": {\"points\": [[0,0,0], [1,0,0]]}}}",
        "bodies[0].shape",
        &["hull"],
    ),
    (
        "{\"name\": \"b\", \"shape\": {\"convex_hull\": {\"points\": [[0,0,0], [1,0]]}}}",
        "bodies[0].shape.convex_hull.points[1]",
        &["a list of 3"],
    ),
    (
        "{\"name\": \"b\", \"kind\": \"fixed\", \"shape\": {\"tri_mesh\": {\"vertices\": \
      [[0,0,0],[1,0,0],[0,1,0]], \"triangles\": [[0,1,3]]}}}",
        "bodies[0].shape",
        &["3"],
    ),
    (
        "{\"name\": \"b\", \"kind\": \"fixed\", \"shape\": {\"height_field\": {\"heights\": [0,0,0], \
      \"nx\": 2, \"ny\": 2, \"size_x\": 1, \"size_y\": 1}}}",
        "bodies[0].shape",
        &["3"],
    ),
    (
        "{\"name\": \"b\", \"shape\": {\"compound\": {\"parts\": [{\"shape\": {\"ball\": \
      {\"radius\": 0}}}]}}}",
        "bodies[0].shape.compound.parts[0].shape.ball.radius",
        &["positive"],
    ),
    (
        "{\"name\": \"b\", \"shape\": {\"half_space\": {\"normal\": [0, 0, 1]}}}",
        "bodies[0]",
        &["half-space"],
    ),
    (
        "{\"name\": \"b\", \"kind\": \"fixed\", \"shape\": {\"half_space\": {\"normal\": [0,0,0]}}}",
        "bodies[0].shape.half_space.normal",
        &["direction"],
    ),
    ("{B, \"colliders\": [{\"position\": [0, 0, 0]}]}", "bodies[0].colliders[0]", &["'shape'"]),
    ("{B, \"colour\": \"red\"}", "bodies[0].colour", &["#d98b3a", "\"red\""]),
    ("{B, \"finish\": \"gold\"}", "bodies[0].finish", &["gold", "metal"]),
    (
        "{B, \"visual\": [{\"shape\": {\"ball\": {\"radius\": 0}}}]}",
        "bodies[0].visual[0].shape.ball.radius",
        &["positive"],
    ),
    (
        "{B, \"visual\": [{\"shape\": {\"ball\": {\"radius\": 1}}, \"colour\": \"#12345\"}]}",
        "bodies[0].visual[0].colour",
        &["#12345"],
    ),
    (
        "{B, \"colliders\": [{\"shape\": {\"ball\": {\"radius\": 1}}, \"material\": \"x\"}]}",
        "bodies[0].colliders[0].material",
        &["'x'"],
    ),
];

/// A joint between the bodies b and c, or drives.
const JOINTS: &[(&str, &str, &[&str])] = &[
    ("{\"a\": \"b\", \"b\": \"c\"}", "joints[0]", &["missing field 'type'"]),
    (
        "{\"type\": \"revolute\", \"a\": \"b\", \"b\": \"c\"}",
        "joints[0].type",
        &["ball, hinge", "revolute"],
    ),
    ("{\"type\": \"ball\", \"b\": \"c\"}", "joints[0].a", &["missing", "world"]),
    ("{\"type\": \"ball\", \"a\": \"b\"}", "joints[0].b", &["missing", "world"]),
    (
        "{\"type\": \"ball\", \"a\": \"b\", \"b\": \"link\"}",
        "joints[0].b",
        &["no body is named 'link'"],
    ),
    ("{\"type\": \"ball\", \"a\": \"b\", \"b\": 7}", "joints[0].b", &["expected a string"]),
    ("{\"type\": \"ball\", \"a\": \"b\", \"b\": \"b\"}", "joints[0]", &["itself"]),
    ("{\"type\": \"ball\", \"a\": \"world\", \"b\": \"world\"}", "joints[0]", &["itself"]),
    (
        "{J \"ball\", \"anchor_a\": [0, \"x\", 0]}",
        "joints[0].anchor_a[1]",
        &["expected a number, found string \"x\"", "line 1"],
    ),
    ("{J \"ball\", \"anchor\": [0, 0, 0]}", "joints[0].anchor", &["'anchor_"]),
    ("{J \"ball\", \"limits\": {\"min\": 0}}", "joints[0].limits", &["a ball joint has no"]),
    ("{J \"hinge\", \"cone\": 1}", "joints[0].cone", &["a hinge joint has no 'cone'"]),
    ("{J \"ball\", \"cone\": -1}", "joints[0].cone", &["at least 0"]),
    ("{J \"hinge\", \"axis_a\": [0, 0, 0]}", "joints[0].axis_a", &["direction"]),
    (
        "{J \"hinge\", \"limits\": {\"min\": 1, \"max\": 0}}",
        "joints[0].limits.max",
        &["at least min = 1, found 0"],
    ),
    (
        "{J \"hinge\", \"limits\": [0, 1]}",
        "joints[0].limits",
        &["expected an object, found a list", "line 1"],
    ),
    (
        "{J \"hinge\", \"motor\": {\"velocity\": [1, 2]}}",
        "joints[0].motor.velocity",
        &["expected an object, found a list"],
    ),
    (
        "{J \"compliant\", \"linear\": [{}, [1, 2], {}]}",
        "joints[0].linear[1]",
        &["expected an object, found a list"],
    ),
    ("[\"ball\", \"j\", \"b\", \"c\"]", "joints[0]", &["expected an object, found a list"]),
    (
        "], \"drives\": [{\"release\": [\"hook\", 1]}",
        "drives[0].release",
        &["expected an object, found a list"],
    ),
    ("{J \"hinge\", \"motor\": {\"speed\": 1}}", "joints[0].motor", &["velocity, position"]),
    (
        "{J \"hinge\", \"motor\": {\"velocity\": {\"max_force\": 1}}}",
        "joints[0].motor.velocity",
        &["missing field 'target'"],
    ),
    (
        "{J \"hinge\", \"motor\": {\"velocity\": {\"target\": 1, \"max_force\": -1}}}",
        "joints[0].motor.velocity.max_force",
        &["at least 0"],
    ),
    (
        "{J \"hinge\", \"axis_a\": [0, 0, 1], \"axis_b\": [0, 0, -1]}",
        "joints[0]",
        &["'joint0'", "180°"],
    ),
    ("{J \"distance\", \"length\": 1, \"max\": 2}", "joints[0].length", &["in place of"]),
    ("{J \"distance\", \"min\": 2, \"max\": 1}", "joints[0].max", &["at least min = 2"]),
    ("{J \"distance\", \"length\": -1}", "joints[0].length", &["at least 0"]),
    ("{J \"compliant\", \"linear\": [{}, {}]}", "joints[0].linear", &["a list of 3", "2"]),
    (
        "{J \"compliant\", \"linear\": [{}, {\"stiffness\": -1}, {}]}",
        "joints[0].linear[1].stiffness",
        &["at least 0"],
    ),
    ("{J \"weld\", \"break_force\": -1}", "joints[0].break_force", &["at least 0"]),
    (
        "{J \"weld\", \"name\": \"w\"}, {J \"weld\", \"name\": \"w\"}",
        "joints[1].name",
        &["'w'", "joints[0]"],
    ),
    (
        "{\"type\": \"gear\", \"first\": \"x\", \"second\": \"y\", \"ratio\": 1}",
        "joints[0].first",
        &["no joint is named 'x'"],
    ),
    ("{\"type\": \"gear\", \"second\": \"y\", \"ratio\": 1}", "joints[0].first", &["missing"]),
    (
        "{J \"ball\", \"name\": \"p\"}, {\"type\": \"gear\", \"first\": \"p\", \"second\": \"p\", \
      \"ratio\": 1}",
        "joints[1]",
        &["'p' is a ball"],
    ),
    ("{J \"gear\"}", "joints[0].a", &["a gear joint has no 'a'"]),
    (
        "{J \"hinge\"}], \"drives\": [{\"motor\": {\"joint\": \"joint0\", \"keys\": [[0, 1]]}}",
        "drives[0].motor.joint",
        &["has no 'motor'"],
    ),
    (
        "], \"drives\": [{\"motor\": {\"joint\": \"arm\", \"keys\": []}}",
        "drives[0].motor.joint",
        &["no joint is named 'arm'"],
    ),
    ("], \"drives\": [{\"engine\": {}}", "drives[0]", &["motor, body, force, release"]),
    ("], \"drives\": [{\"body\": {\"body\": \"b\"}}", "drives[0].body.body", &["kinematic"]),
    (
        "], \"drives\": [{\"force\": {\"body\": \"b\", \"force\": [[1, [0,0,0]], [0, [0,0,0]]]}}",
        "drives[0].force.force[1][0]",
        &["a time of at least 1, found 0"],
    ),
    (
        "], \"drives\": [{\"force\": {\"body\": \"b\", \"force\": [[1]]}}",
        "drives[0].force.force[0]",
        &["a list of 2 values"],
    ),
    (
        "], \"drives\": [{\"release\": {\"joint\": \"hook\", \"time\": 1}}",
        "drives[0].release.joint",
        &["'hook'"],
    ),
];

#[test]
fn broken_files() {
    check(FILES.iter().map(|&(text, place, words)| (text.into(), place, words)));
}

#[test]
fn broken_bodies() {
    let ball = "\"name\": \"b\", \"shape\": {\"ball\": {\"radius\": 1}}";
    let file = |body: &str| {
        let body = body.replace("{B", &format!("{{{ball}"));
        format!("{{\"version\": 1, \"bodies\": [{body}]}}")
    };
    check(BODIES.iter().map(|&(body, place, words)| (file(body), place, words)));
}

#[test]
fn broken_joints_and_drives() {
    let ball =
        |name| format!("{{\"name\": \"{name}\", \"shape\": {{\"ball\": {{\"radius\": 1}}}}}}");
    let (b, c) = (ball("b"), ball("c"));
    let file = |joints: &str| {
        let joints = joints.replace("{J", "{\"a\": \"b\", \"b\": \"c\", \"type\":");
        format!("{{\"version\": 1, \"bodies\": [{b}, {c}], \"joints\": [{joints}]}}")
    };
    check(JOINTS.iter().map(|&(joints, place, words)| (file(joints), place, words)));
}

#[test]
fn numbers_that_json_does_not_have() {
    use taut_scenes::file::{Body, Joint, Shape};
    let ball = |name| Body::new(name).shape(Shape::ball(1.0));
    let with = |body: Body| SceneFile { bodies: vec![body], ..SceneFile::default() };
    let cases = [
        (with(ball("b").mass(f64::NAN)), "bodies[0].mass"),
        (with(ball("b").at([0.0, f64::INFINITY, 0.0])), "bodies[0].position[1]"),
        (with(ball("b").velocity([f64::NAN; 3])), "bodies[0].velocity[0]"),
        (SceneFile { dt: f64::NAN, ..SceneFile::default() }, "dt"),
        (SceneFile { gravity: [f64::NAN; 3], ..SceneFile::default() }, "gravity[0]"),
    ];
    for (scene, place) in cases {
        assert_eq!(scene.to_json().expect_err(place).place, place);
    }
    let mut scene = with(ball("b"));
    scene.join(Joint::ball("world", "b").anchor_a([f64::NAN, 0.0, 0.0]));
    assert_eq!(scene.build().expect_err("NaN").place, "joints[0].anchor_a[0]");
}

#[test]
fn errors_name_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("bad.json");
    let read = |path: &Path| SceneFile::read(path).expect_err("bad").to_string();
    assert!(read(&path).contains("bad.json: cannot be read"));
    assert!(read(dir.path()).contains("not a regular file"));
    std::fs::write(&path, [0xff, 0xfe]).expect("a file");
    assert!(read(&path).contains("UTF-8"));
    std::fs::write(&path, "{\"version\": 1,\n\"bodies\": [{\"name\": 1}]}").expect("a file");
    assert!(
        read(&path).ends_with(
            "bad.json: bodies[0].name: expected a string, found integer 1 (line 2, column 21)"
        ),
        "{}",
        read(&path)
    );
}

#[test]
fn deep_nesting_is_refused() {
    let text = format!("{{\"version\": 1, \"bodies\": {}", "[".repeat(100_000));
    assert!(error(&text).to_string().contains("not valid JSON"));
}

/// All forms in which files have named settings since version 1 began.
#[test]
fn settings_of_old_files_are_read() {
    let text = r#"{"version": 1, "settings": {"substeps": null, "accuracy": 1e-3, "work": 1000,
        "max_iterations": 7, "friction": "box", "geometric_stiffness": "off", "sleeping": {"delay": 2}}}"#;
    let file = SceneFile::from_json(text).expect("a scene");
    let built = file.build().expect("a world");
    let s = built.world.settings();
    assert_eq!((s.substeps, s.accuracy, s.work), (1, Some(1e-3), Some(1000)));
    assert_eq!((s.max_iterations, s.friction), (Some(7), taut::FrictionMode::Box));
    assert_eq!(s.geometric_stiffness, taut::GeometricStiffness::Off);
    assert_eq!(s.sleeping.map(|s| (s.speed, s.delay)), Some((1e-3, 2.0)));
    let iterated = r#"{"version": 1, "settings": {"friction": {"iterated": {"max_passes": 3, "tolerance": 0}},
        "geometric_stiffness": {"alpha": 0.5}, "integrator": "moreau_midpoint"}}"#;
    let built = SceneFile::from_json(iterated).expect("a scene").build().expect("a world");
    let s = built.world.settings();
    let expected = taut::FrictionMode::Iterated { max_passes: 3, tolerance: 0.0, required: false };
    assert_eq!((s.friction, s.integrator), (expected, taut::Integrator::MoreauMidpoint));
}

/// A file appears under its name when it is complete, and not before; what is there stays until then.
#[test]
fn a_file_appears_when_it_is_complete() {
    use std::io::Write;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.csv");
    std::fs::write(&path, "old").expect("written");
    let names = || std::fs::read_dir(folder.path()).expect("a folder").count();
    let mut given_up = taut_scenes::AtomicFile::create(&path).expect("a file");
    given_up.write_all(b"half").expect("written");
    drop(given_up);
    assert_eq!((std::fs::read(&path).expect("a file"), names()), (b"old".to_vec(), 1));
    let mut out = taut_scenes::AtomicFile::create(&path).expect("a file");
    out.write_all(b"new").expect("written");
    assert_eq!(std::fs::read(&path).expect("a file"), b"old");
    out.commit().expect("renamed");
    assert_eq!((std::fs::read(&path).expect("a file"), names()), (b"new".to_vec(), 1));
    assert!(taut_scenes::AtomicFile::create(folder.path()).is_err());
}

/// What the builders of bodies, colliders and joints set is what the engine has.
#[test]
fn builders_of_scene_files() {
    use taut::math::{Quat, Vec3};
    use taut_scenes::file::{Body, Collider, Joint, Shape, wxyz};
    let q = Quat::from_rotation_x(0.3);
    assert_eq!(wxyz(q), [q.w, q.x, q.y, q.z]);
    let ball = || Shape::Ball { radius: 0.5 };
    let mut body = Body::new("b").shape(ball()).oriented(q);
    body.colliders.push(Collider::new(ball()).oriented(q));
    let joint = Joint::hinge("world", "b").angular_spring(50.0, 2.0);
    let file = SceneFile { bodies: vec![body], joints: vec![joint], ..SceneFile::default() };
    let scene = file.build().expect("a scene");
    let (_, body) = scene.world.bodies().next().expect("a body");
    assert!((body.pose().rotation * Vec3::Y).distance(q * Vec3::Y) < 1e-15);
    assert!((body.definition().colliders[1].pose.rotation * Vec3::Y).distance(q * Vec3::Y) < 1e-15);
    let (_, joint) = scene.world.joints().next().expect("a joint");
    let spring = joint.definition().angular_spring.map(|s| (s.stiffness, s.damping));
    assert_eq!(spring, Some((50.0, 2.0)));
}
