//! Poses as CSV: one row per body and frame, the state after the step. So for nodes of soft bodies.

use std::io::{Result, Write};
use std::path::Path;

use taut_scenes::{AtomicFile, Scene};

const COLUMNS: &str = "frame,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";

const NODE_COLUMNS: &str = "frame,time,body,node,x,y,z,vx,vy,vz\n";

/// The file being written.
pub struct Poses {
    out: AtomicFile,
    line: String,
}

impl Poses {
    pub fn create(path: &Path) -> Result<Self> {
        Self::with(path, COLUMNS)
    }

    /// The file of nodes.
    pub fn of_nodes(path: &Path) -> Result<Self> {
        Self::with(path, NODE_COLUMNS)
    }

    fn with(path: &Path, columns: &str) -> Result<Self> {
        let mut out = AtomicFile::create(path)?;
        out.write_all(columns.as_bytes())?;
        Ok(Poses { out, line: String::new() })
    }

    /// Adds the state of all bodies after a frame.
    pub fn frame(&mut self, frame: usize, scene: &Scene) -> Result<()> {
        use std::fmt::Write as _;
        let time = scene.world.time();
        for &id in &scene.bodies {
            let Ok(body) = scene.world.body(id) else { continue };
            self.line.clear();
            // Writing to a string cannot fail; {:?} gives all digits.
            let _ = write!(self.line, "{frame},{time:?},{}", quoted(body.name()));
            let (x, q) = (body.position(), body.orientation());
            let (v, w) = (body.velocity(), body.angular_velocity());
            let values = [x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z];
            for value in values {
                let _ = write!(self.line, ",{value:?}");
            }
            self.line.push('\n');
            self.out.write_all(self.line.as_bytes())?;
        }
        Ok(())
    }

    /// Adds the nodes of all soft bodies after a frame.
    pub fn nodes(&mut self, frame: usize, scene: &Scene) -> Result<()> {
        use std::fmt::Write as _;
        let time = scene.world.time();
        for soft in scene.softs.iter().filter_map(|&id| scene.world.soft_body(id).ok()) {
            let name = quoted(soft.name());
            for (node, (x, v)) in soft.positions().iter().zip(soft.velocities()).enumerate() {
                self.line.clear();
                let _ = write!(self.line, "{frame},{time:?},{name},{node}");
                for value in [x.x, x.y, x.z, v.x, v.y, v.z] {
                    let _ = write!(self.line, ",{value:?}");
                }
                self.line.push('\n');
                self.out.write_all(self.line.as_bytes())?;
            }
        }
        Ok(())
    }

    pub fn finish(self) -> Result<()> {
        self.out.commit()
    }
}

/// A field of CSV; names with commas, quotes or line breaks are quoted.
pub fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.into()
    }
}
