//! Forces as CSV: one row per joint, per span of a cable and per contact point and frame, those of
//! the step that led to the frame.

use std::io::{Result, Write};
use std::path::Path;

use taut::math::Vec3;
use taut::{Frame, World};
use taut_scenes::{AtomicFile, Scene};

use crate::poses::quoted;

const COLUMNS: &str = "frame,time,kind,name,a,b,x,y,z,fx,fy,fz,tx,ty,tz,motor\n";

/// The file being written.
pub struct Forces {
    out: AtomicFile,
    line: String,
}

/// What stands in a row after frame and time.
struct Row<'a> {
    kind: &'a str,
    name: &'a str,
    ends: [&'a str; 2],
    point: Vec3,
    force: Vec3,
    torque: Vec3,
    motor: f64,
}

impl Forces {
    pub fn create(path: &Path) -> Result<Self> {
        let mut out = AtomicFile::create(path)?;
        out.write_all(COLUMNS.as_bytes())?;
        Ok(Forces { out, line: String::new() })
    }

    /// Adds the forces of all joints, cables and contacts in a frame.
    pub fn frame(&mut self, frame: usize, scene: &Scene) -> Result<()> {
        let world = &scene.world;
        for (id, joint) in world.joints() {
            let (definition, reaction) = (joint.definition(), joint.reaction());
            let end = |end: Frame| end.body().map_or("world", |id| name(world, id));
            let couples = matches!(definition.kind.name(), "gear" | "differential" | "tendon");
            self.row(
                frame,
                world,
                &Row {
                    kind: "joint",
                    name: joint.name(),
                    ends: if couples { [""; 2] } else { [end(definition.a), end(definition.b)] },
                    point: world.joint_anchors(id).map_or(Vec3::ZERO, |(_, b)| b),
                    force: reaction.force,
                    torque: reaction.torque,
                    motor: joint.motor_force(),
                },
            )?;
        }
        for (_, cable) in world.cables() {
            for (ends, tension) in cable.parts() {
                self.row(
                    frame,
                    world,
                    &Row {
                        kind: "cable",
                        name: cable.name(),
                        ends: ends.map(|body| body.map_or("world", |id| name(world, id))),
                        point: Vec3::ZERO,
                        force: Vec3::ZERO,
                        torque: Vec3::ZERO,
                        motor: tension,
                    },
                )?;
            }
        }
        for contact in world.contacts() {
            self.row(
                frame,
                world,
                &Row {
                    kind: "contact",
                    name: "",
                    ends: [name(world, contact.a), name(world, contact.b)],
                    point: contact.point,
                    force: contact.force(),
                    torque: contact.torque,
                    motor: 0.0,
                },
            )?;
        }
        Ok(())
    }

    fn row(&mut self, frame: usize, world: &World, row: &Row) -> Result<()> {
        use std::fmt::Write as _;
        self.line.clear();
        // Writing to a string cannot fail; {:?} gives all digits.
        let _ = write!(self.line, "{frame},{:?},{}", world.time(), row.kind);
        for text in [row.name, row.ends[0], row.ends[1]] {
            let _ = write!(self.line, ",{}", quoted(text));
        }
        let vectors = [row.point, row.force, row.torque];
        for value in vectors.iter().flat_map(Vec3::to_array).chain([row.motor]) {
            let _ = write!(self.line, ",{value:?}");
        }
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())
    }

    pub fn finish(self) -> Result<()> {
        self.out.commit()
    }
}

fn name(world: &World, id: taut::BodyId) -> &str {
    world.body(id).map_or("", |body| body.name())
}
