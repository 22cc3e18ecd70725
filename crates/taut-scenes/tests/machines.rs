//! The machines of Lefebvre20: their figures are within a factor of 1.5 of
//! the source's, and they do what they say.

use std::f64::consts::{PI, TAU};
use taut::math::Vec3;
use taut::{BodyState, JointState, StepReport};
use taut_scenes::file::{Drive, Kind, Material, Motor, SceneFile};
use taut_scenes::{Lever, Scene, builtin, find_joint};

const MACHINES: &[&str] =
    &["forklift", "mobile-crane", "vehicle", "offshore", "forwarder", "winch"];
const G: f64 = 9.81;

struct Run {
    scene: Scene,
}

impl Run {
    fn new(file: &SceneFile) -> Self {
        Run { scene: file.build().expect("a valid scene") }
    }

    /// At reduced size.
    fn small(name: &str) -> Self {
        Run::new(&file(name, true))
    }

    /// Runs until a time [s]; every step converges.
    fn until(&mut self, time: f64, mut each: impl FnMut(&Self, &StepReport)) -> &mut Self {
        while self.scene.world.time() + 0.5 * self.scene.dt < time {
            let report = self.scene.step().expect("a step");
            assert!(report.converged(), "{:.3} s: {report:?}", report.time);
            each(self, &report);
        }
        self
    }

    fn body(&self, name: &str) -> &BodyState {
        let id = self.scene.world.body_named(name).expect("a body");
        self.scene.world.body(id).expect("a body")
    }

    fn position(&self, body: &str) -> Vec3 {
        self.body(body).position()
    }

    /// Where a body is as seen from another.
    fn seen(&self, from: &str, body: &str) -> Vec3 {
        let pose = self.body(from).pose();
        pose.rotation.conjugate() * (self.position(body) - pose.translation)
    }

    /// Angular velocity about the axis of a wheel, its z.
    fn spin(&self, wheel: &str) -> f64 {
        let body = self.body(wheel);
        body.angular_velocity().dot(body.pose().rotation * Vec3::Z)
    }

    fn joint(&self, name: &str) -> &JointState {
        let id = self.scene.world.joint_named(name).expect("a joint");
        self.scene.world.joint(id).expect("a joint")
    }

    /// Sum of the gaps in the joints of the bodies whose names start so.
    fn stretch(&self, prefix: &str) -> f64 {
        let world = &self.scene.world;
        let is_link = |j: &JointState| {
            let b = j.definition().b.body().and_then(|id| world.body(id).ok());
            b.is_some_and(|b| b.name().starts_with(prefix))
        };
        let links = world.joints().filter(|(_, j)| is_link(j));
        let anchors = links.map(|(id, _)| world.joint_anchors(id).expect("anchors"));
        anchors.map(|(a, b)| a.distance(b)).sum()
    }
}

fn file(name: &str, small: bool) -> SceneFile {
    let entry = builtin::find(name).expect("a scene");
    entry.file(small.then_some(entry.small_size))
}

/// Leaves of the script only what drives these motors.
fn only(file: &mut SceneFile, joints: &[&str]) {
    file.drives.retain(|d| matches!(d, Drive::Motor(m) if joints.contains(&m.joint.as_str())));
}

#[test]
fn figures_are_those_of_the_source() {
    let near = |name: &str, what: &str, found: f64, given: f64| {
        assert!((given / 1.5..given * 1.5).contains(&found), "{name}: {what} {found}, not {given}");
    };
    for name in MACHINES {
        let file = file(name, false);
        let free = file.bodies.iter().filter(|b| b.kind == Kind::Dynamic);
        let masses = free.filter_map(|b| b.mass);
        let (low, high) = masses.fold((f64::MAX, 0.0f64), |(l, h), m| (l.min(m), h.max(m)));
        let given = &file.meta.statistics;
        near(name, "mass ratio", high / low, given["mass_ratio"]);
        let mut most = 0;
        Run::new(&file).until(0.5, |_, report| most = most.max(report.rows));
        near(name, "rows", most as f64, given["rows"]);
    }
}

#[test]
fn the_winch_drags_its_chain_and_winds_it_up() {
    let mut run = Run::small("winch");
    let last = "link19";
    let start = run.until(1.0, |_, _| ()).position(last).x;
    let end = run.until(4.0, |_, report| assert!(report.max_joint_gap < 2e-3)).position(last).x;
    // 0.7 rad/s on a polygon about 0.54 m from the axis; the end snakes (1.35 m here, 1.2 m with
    // shorter steps).
    assert!((0.9..1.5).contains(&(start - end)), "dragged by {}", start - end);
    let wound = run.position("link2");
    let turned = Vec3::new(wound.x, 0.0, wound.z - 1.2).length();
    assert!((0.5..0.65).contains(&turned), "wound at {turned} from the axis");
}

#[test]
fn the_crane_lifts_its_pipe_and_the_cable_bears_the_weight() {
    let mut file = file("mobile-crane", true);
    only(&mut file, &["drum"]);
    let mut run = Run::new(&file);
    let start = run.position("pipe").z;
    let touches = run.until(2.9, |_, _| ()).position("hook").z - run.position("pipe").z;
    assert!((touches - 0.75).abs() < 2e-3, "the hook lies on the pipe: {touches}");
    let mut stretch = 0.0f64;
    run.until(12.0, |run, _| stretch = stretch.max(run.stretch("cable")));
    assert!(run.position("pipe").z > start + 1.5, "lifted to {}", run.position("pipe").z);
    assert!(stretch < 0.002 * 12.0 * 0.3, "stretched by {stretch} m");
    let (mut tension, mut steps) = (0.0, 0.0);
    run.until(13.0, |run, _| {
        tension += run.joint("hook").reaction().force.length();
        steps += 1.0;
    });
    let weight = 2070.0 * G;
    assert!((tension / steps / weight - 1.0).abs() < 0.01, "{} N, not {weight} N", tension / steps);
}

#[test]
fn the_module_slides_up_along_the_hull() {
    let mut run = Run::small("offshore");
    let beside = |run: &Run| run.seen("ship", "module");
    let start = beside(run.until(1.9, |_, _| ()));
    let (mut touching, mut steps, mut stretch) = (0, 0, 0.0f64);
    run.until(8.0, |run, report| {
        touching += usize::from(report.contacts > 0);
        steps += 1;
        stretch = stretch.max(run.stretch("cable"));
    });
    let end = beside(&run);
    assert!(end.z - start.z > 1.5, "hoisted by {}", end.z - start.z);
    assert!(2 * touching > steps, "touches the hull in {touching} of {steps} steps");
    assert!((11.19..11.6).contains(&end.x), "stays beside the hull: {end}");
    assert!(stretch < 0.002 * 40.0 * 0.2, "stretched by {stretch} m");
}

/// Total angle by which a body turned about z; steps turn by less than π.
#[derive(Default)]
struct Heading {
    last: f64,
    total: f64,
}

impl Heading {
    fn add(&mut self, body: &BodyState) {
        let ahead = body.pose().rotation * Vec3::X;
        let now = ahead.y.atan2(ahead.x);
        self.total += (now - self.last + PI).rem_euclid(TAU) - PI;
        self.last = now;
    }
}

#[test]
fn friction_keeps_the_crate_on_the_fork_through_the_turn() {
    let mut run = Run::small("forklift");
    let cone = run.position("cone");
    let lifted = run.until(5.5, |_, _| ()).position("crate").z;
    assert!(lifted > 0.75, "lifted to {lifted}");
    let placed = run.seen("carriage", "crate");
    let (mut heading, mut skid, mut round) = (Heading::default(), 0.0f64, f64::MAX);
    run.until(14.0, |run, _| {
        heading.add(run.body("chassis"));
        let wheel = run.body("rear-l");
        let ground = wheel.angular_velocity().cross(-0.25 * Vec3::Z) + wheel.velocity();
        skid = skid.max(ground.truncate().length());
        round = round.min(run.position("front-l").distance(cone));
    });
    // (Wheels that skid decide how far: 4.8 rad at half the step, 5.3 at a quarter of it.)
    assert!((4.3..TAU).contains(&heading.total), "turned by {} rad", heading.total);
    assert!(skid > 0.3, "the wheels skid with {skid} m/s");
    assert!(round > 0.5, "{round} m from the cone");
    assert!(run.position("cone").distance(cone) < 1e-3, "the cone stands");
    let moved = run.seen("carriage", "crate").distance(placed);
    assert!(moved < 0.02, "the crate moved by {moved} m");
}

#[test]
fn a_slippery_crate_slides_off_the_fork() {
    let mut file = file("forklift", true);
    file.material("crate", Material::friction(0.05)).material("fork", Material::friction(0.05));
    let mut run = Run::new(&file);
    assert!(run.until(7.0, |_, _| ()).position("crate").z > 0.75, "lifted");
    run.until(10.0, |_, _| ());
    assert!(run.position("crate").z < 0.45, "lies at {}", run.position("crate"));
    assert!(run.seen("carriage", "crate").length() > 1.5, "far from the fork");
}

#[test]
fn the_log_does_not_slip_out_of_the_claws() {
    let mut run = Run::small("forwarder");
    let start = run.position("log").z;
    run.until(8.0, |_, _| ());
    let lifted = run.position("log").z - start;
    assert!(lifted > 2.0, "lifted by {lifted} m");
    let held = run.seen("grapple", "log");
    let mut slip = 0.0f64;
    run.until(18.0, |run, _| slip = slip.max(run.seen("grapple", "log").distance(held)));
    assert!(slip < 0.01, "slipped by {slip} m");
    let turned = run.position("log").y.atan2(run.position("log").x);
    assert!(turned > 1.0, "turned by {turned} rad");
}

#[test]
fn the_log_falls_from_claws_without_force() {
    let mut file = file("forwarder", true);
    let grip = file.joints.iter_mut().find(|j| j.name.as_deref() == Some("grip-piston"));
    grip.expect("the cylinder").motor = Some(Motor::velocity(0.0, 300.0));
    let mut run = Run::new(&file);
    run.until(8.0, |_, _| ());
    assert!(run.position("log").z < 0.3, "lies at {}", run.position("log"));
}

#[test]
fn the_vehicle_climbs_stairs_on_its_springs() {
    let mut run = Run::small("vehicle");
    let (mut low, mut high, mut apart) = (0.0f64, 0.0f64, 0.0f64);
    run.until(4.5, |run, _| {
        let travel = run.seen("hull", "carrier-l0").z + 0.85;
        (low, high) = (low.min(travel), high.max(travel));
        for i in 0..4 {
            let [l, r] = ["wheel-l", "wheel-r"].map(|w| run.spin(&format!("{w}{i}")));
            let cage = run.body(&format!("axle{i}")).angular_velocity();
            let across = run.body("hull").pose().rotation * Vec3::Y;
            apart = apart.max((cage.dot(across) + 0.5 * (l + r)).abs());
        }
    });
    assert!(run.position("hull").z > 1.75, "on top at {}", run.position("hull"));
    assert!(high - low > 0.05, "springs move from {low} to {high}");
    // Hinges count against hull and carriers, which turn alike to rounding.
    assert!(apart < 1e-3, "axles differ by {apart} rad/s from the mean of their wheels");
}

#[test]
fn differentials_share_torque_evenly_whatever_turns_faster() {
    let mut file = file("vehicle", true);
    file.gravity = [0.0; 3];
    file.ground = None;
    file.bodies.retain(|b| b.kind == Kind::Dynamic);
    for body in &mut file.bodies {
        match body.name.as_str() {
            "hull" => body.kind = Kind::Fixed,
            "wheel-l0" => body.mass = Some(600.0),
            _ => {}
        }
    }
    file.drives = vec![Drive::motor("flywheel", vec![(0.0, 1e9)])];
    let mut run = Run::new(&file);
    run.until(0.2, |_, _| ());
    let inertia = |mass: f64| 0.5 * mass * 0.55 * 0.55;
    let [heavy, light] = [600.0 * run.spin("wheel-l0"), 200.0 * run.spin("wheel-r0")];
    assert!(light.abs() > 1.0 && (heavy / light - 1.0).abs() < 1e-6, "{heavy} and {light}");
    // Torque on an axle shaft in this time: its wheels' and its own momentum.
    let shaft = |i: usize| {
        let [l, r] = ["wheel-l", "wheel-r"].map(|w| run.spin(&format!("{w}{i}")));
        let left = if i == 0 { 600.0 } else { 200.0 };
        let own = 30.0 * 2.0 * 0.2 * 0.2 / 12.0;
        (inertia(left) * l + inertia(200.0) * r + own * 0.5 * (l + r)).abs()
    };
    let [first, second, third] = [0, 1, 2].map(shaft);
    assert!((first / second - 1.0).abs() < 1e-6, "axles: {first} and {second}");
    let front = 0.5 * (first + second);
    let twice = run.spin("wheel-l2") / run.spin("wheel-l1");
    assert!(front > 10.0 && third > 10.0 && twice > 0.5, "{front}, {third}, {twice}");
}

/// The cranes with whole cables against those with links: rows, and the way of what hangs on them.
#[test]
fn whole_cables_take_a_fraction_of_the_rows_and_go_the_same_way() {
    for (links, whole, body, until, share, apart) in [
        ("mobile-crane", "mobile-crane-cable", "hook", 6.0, 5, 0.05),
        ("offshore", "offshore-cable", "module", 5.0, 3, 0.01),
    ] {
        let (mut rows, mut path) = ([0; 2], Vec::new());
        Run::new(&file(links, false)).until(until, |run, report| {
            rows[0] = rows[0].max(report.rows);
            path.push(run.position(body));
        });
        let (mut k, mut worst) = (0, 0.0_f64);
        Run::new(&file(whole, false)).until(until, |run, report| {
            rows[1] = rows[1].max(report.rows);
            worst = worst.max((run.position(body) - path[k]).length());
            k += 1;
        });
        assert!(rows[1] * share <= rows[0], "{whole}: {rows:?}");
        assert!(worst < apart, "{whole}: {worst}");
    }
}

/// Positions, orientations and velocities, to the last bit.
fn bits(scene: &Scene) -> Vec<u64> {
    let of = |(_, b): (_, &BodyState)| {
        let (x, q) = (b.position(), b.orientation());
        let (v, w) = (b.velocity(), b.angular_velocity());
        [x.x, x.y, x.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z].map(f64::to_bits)
    };
    scene.world.bodies().flat_map(of).collect()
}

/// What hands drive becomes drives, and a file with them repeats it to the last bit.
#[test]
fn what_is_driven_by_hand_is_repeated_by_its_file() {
    for (name, control) in
        [("forklift", 1), ("vehicle", 1), ("mobile-crane", 2), ("tower-crane", 0)]
    {
        let file = file(name, true);
        let mut live = Run::new(&file).scene;
        let mut states = Vec::new();
        for frame in 0..75 {
            match frame {
                // While the script is on its way.
                35 => live.control(&file, 0, 1.0),
                40 => live.control(&file, control, -1.0),
                50 => live.control(&file, 0, 0.35),
                60 => live.control(&file, control, 0.0),
                65 => live.drive(&file, Lever::all(&live.world)[0], 0.1),
                _ => {}
            }
            let _ = live.step().expect("a step");
            states.push(bits(&live));
        }
        let mut driven = file.clone();
        driven.drives.extend(live.driven());
        assert!(driven.drives.len() > file.drives.len(), "{name}");
        let text = serde_json::to_string(&driven).expect("a file");
        let mut again = Run::new(&SceneFile::from_json(&text).expect("valid")).scene;
        for (frame, state) in states.iter().enumerate() {
            let _ = again.step().expect("a step");
            assert!(bits(&again) == *state, "{name}: frame {frame}");
        }
        let mut undriven = Run::new(&file).scene;
        (0..75).for_each(|_| _ = undriven.step().expect("a step"));
        assert!(bits(&undriven) != states[74], "{name}: hands did something");
    }
}

#[test]
fn controls_go_as_far_as_their_range_and_no_faster_than_their_rate() {
    let file = file("forklift", true);
    let mut scene = Run::new(&file).scene;
    let bar = find_joint(&scene.world, "bar").expect("a joint");
    let lever = Lever::Motor { joint: bar, angle: false };
    let steer = &file.controls[1];
    let mut last = 0.0;
    let mut advance = |scene: &mut Scene, frames: usize| {
        for _ in 0..frames {
            let _ = scene.step().expect("a step");
            let hands = scene.driven();
            let Some(Drive::Motor(drive)) =
                hands.iter().find(|d| matches!(d, Drive::Motor(m) if m.joint == "bar"))
            else {
                panic!("the bar is driven");
            };
            let now = drive.keys.last().expect("a key").1;
            assert!((now - last).abs() <= steer.rate * scene.dt * (1.0 + 1e-9));
            last = now;
        }
        last
    };
    scene.control(&file, 1, 1.0);
    assert_eq!(advance(&mut scene, 60), steer.range[1]);
    assert!(lever.target(&scene.world).is_some_and(|x| (x - steer.range[1]).abs() < 1e-12));
    scene.control(&file, 1, 0.0);
    assert_eq!(advance(&mut scene, 60), 0.0);
    // Tilting stays where it is left.
    scene.control(&file, 3, -1.0);
    (0..20).for_each(|_| _ = scene.step().expect("a step"));
    scene.control(&file, 3, 0.0);
    let tilt = find_joint(&scene.world, "tilt-l-piston").expect("a joint");
    let tilt = Lever::Motor { joint: tilt, angle: false };
    let _ = scene.step().expect("a step");
    let left = tilt.target(&scene.world).expect("a motor");
    assert!(left < -0.01 && left > -0.05);
    (0..20).for_each(|_| _ = scene.step().expect("a step"));
    assert_eq!(tilt.target(&scene.world), Some(left));
}

#[test]
fn controls_that_cannot_be_are_refused() {
    let mut good = file("forklift", true);
    assert!(good.build().is_ok());
    good.controls.truncate(1);
    let refused = |change: &dyn Fn(&mut SceneFile), words: &str| {
        let mut bad = good.clone();
        change(&mut bad);
        let error = bad.build().expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(&|f| f.controls[0].keys[0] = "F1".into(), "controls[0].keys[0]: expected a letter");
    refused(&|f| f.controls[0].range = [1.0, 0.0], "controls[0].range");
    refused(&|f| f.controls[0].rate = 0.0, "controls[0].rate");
    refused(&|f| f.controls[0].joints[0] = "moter".into(), "did you mean 'motor'");
    refused(&|f| f.controls[0].joints[0] = "cage".into(), "has no 'motor'");
    refused(&|f| f.controls[0].joints.clear(), "expected a joint or a cable");
}
