//! The spring between a body and the mouse: a compliant joint, so that it is
//! part of the step's problem and stays stable however light the body is.

use taut::math::Vec3;
use taut::{BodyId, BodyKind, Frame, Joint, Spring, World};

/// Name of the joint; scene files may not use it, for it is no identifier.
const NAME: &str = "\u{1}grab";

/// Frequency of the spring with the mass that it is made for \[rad/s\].
const RATE: f64 = 6.0;

/// What is held, and how hard, for those who watch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Held {
    pub body: u32,
    /// In the frame of the body.
    pub point: [f32; 3],
    pub target: [f32; 3],
    /// Force on the body \[N\].
    pub force: [f32; 3],
}

/// What hands do. Kept, so that a run can be repeated exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    Grab {
        body: u32,
        point: Vec3,
        target: Vec3,
    },
    Drag(Vec3),
    Release,
    /// A control of the scene was moved.
    Control {
        control: u32,
        deflection: f64,
    },
    /// The target of a motor or winch was set.
    Drive {
        lever: u32,
        target: f64,
    },
    /// All controls were let go.
    LetGo,
}

/// Obeys; what makes no sense (a fixed body, nothing held) is no error.
pub fn apply(world: &mut World, bodies: &[BodyId], input: Input) -> Result<(), taut::Error> {
    match input {
        Input::Grab { body, point, target } => {
            release(world)?;
            let Some(&id) = bodies.get(body as usize) else { return Ok(()) };
            let state = world.body(id)?;
            if state.kind() != BodyKind::Dynamic || !(point.is_finite() && target.is_finite()) {
                return Ok(());
            }
            let joint = spring(world, id).anchor_a(target).anchor_b(point).colliding();
            world.add_joint(joint)?;
        }
        Input::Drag(target) => {
            if let Some(joint) = world.joint_named(NAME).filter(|_| target.is_finite()) {
                world.edit_joint(joint, |j| j.anchor_a = Some(target))?;
            }
        }
        Input::Release => release(world)?,
        // These are the scene's.
        Input::Control { .. } | Input::Drive { .. } | Input::LetGo => {}
    }
    Ok(())
}

fn release(world: &mut World) -> Result<(), taut::Error> {
    match world.joint_named(NAME) {
        Some(joint) => world.remove_joint(joint),
        None => Ok(()),
    }
}

/// Strong enough to move what hangs on the body, weak enough not to shoot the
/// body off: made for the geometric mean of its mass and its island's.
fn spring(world: &World, id: BodyId) -> Joint {
    let own = world.body(id).map_or(1.0, |b| b.mass());
    let island = world.island(id);
    let all: f64 =
        world.bodies().filter(|(b, _)| world.island(*b) == island).map(|b| b.1.mass()).sum();
    let mass = if island.is_some() { (own * all.max(own)).sqrt() } else { own };
    let each = Spring::new(mass * RATE * RATE, 2.0 * mass * RATE);
    Joint::compliant(NAME, Frame::World, id, [[each; 3], [Spring::default(); 3]])
}

/// What is held now.
pub fn held(world: &World, bodies: &[BodyId]) -> Option<Held> {
    let state = world.joint(world.joint_named(NAME)?).ok()?;
    let joint = state.definition();
    let body = bodies.iter().position(|&id| Some(id) == joint.b.body())?;
    let floats = |v: Option<Vec3>| v.unwrap_or_default().to_array().map(|x| x as f32);
    Some(Held {
        body: body as u32,
        point: floats(joint.anchor_b),
        target: floats(joint.anchor_a),
        force: floats(Some(state.reaction().force)),
    })
}
