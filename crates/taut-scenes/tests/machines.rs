//! The machines of Lefebvre20: their figures are within a factor of 1.5 of
//! the source's, and they do what they say.

use taut::math::Vec3;
use taut::{JointState, StepReport};
use taut_scenes::file::{Drive, Kind, SceneFile};
use taut_scenes::{Scene, builtin};

const MACHINES: &[&str] = &["winch", "mobile-crane", "offshore"];
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
            assert!(report.converged(), "{:.3} s: {:?}", report.time, report.status);
            each(self, &report);
        }
        self
    }

    fn position(&self, body: &str) -> Vec3 {
        let id = self.scene.world.body_named(body).expect("a body");
        self.scene.world.body(id).expect("a body").position()
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
    // 0.7 rad/s on a polygon about 0.54 m from the axis.
    assert!((0.9..1.3).contains(&(start - end)), "dragged by {}", start - end);
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
    let beside = |run: &Run| {
        let id = run.scene.world.body_named("ship").expect("the ship");
        let pose = run.scene.world.body(id).expect("the ship").pose();
        pose.rotation.conjugate() * (run.position("module") - pose.translation)
    };
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
