//! Recordings: what a run looked like, for replay, and snapshots to continue
//! it from.
//!
//! The bytes `TAUTREC2`, then chunks to the end of the file: a tag (1 byte),
//! the length n (u32, little-endian as all numbers), n bytes that are the
//! content compressed by deflate without a wrapper (RFC 1951). Readers skip
//! tags they do not know.
//!
//! | tag | content |
//! |---|---|
//! | `H` | [`Header`] as JSON; the first chunk |
//! | `F` | up to 120 frames: see `block` |
//! | `P` | from which frame on (u32) the solver splits the system so: a u32 per body, the first body of its subsystem, or 2³² − 1; none if it does not. Before the frames it is about |
//! | `T` | tensions of cables after a block of frames: its first frame (u32), spans of all cables s (u32), and s × f32 per frame, NaN for cables that are gone |
//! | `D` | velocities, contacts and forces, where they were asked for, after a block of frames: its first frame (u32), and per frame a length n (u32) and n bytes: the words of [`details`], their first bytes first, then their second ones, and so on |
//! | `V` | surfaces of soft bodies after a block of frames: its first frame (u32), nodes of all surfaces s (u32), and per frame s × 3 places in steps of 1/8192 m less those of the frame before (i32; the first of a block as they are) and s × f32 stresses |
//! | `S` | the world after the frame before it: [`taut::World::snapshot`] |
//!
//! The first frame is the start, before any step. Snapshots stand after every
//! 600th frame and after the last. Poses are rounded to 8 µm and 2⁻¹⁶: enough
//! to look at; snapshots are exact.

mod block;
mod details;
mod header;
mod read;
mod skin;
mod write;

pub use details::details;
pub use header::{BodyInfo, Header, JointInfo, Skin};
pub use write::Recorder;

use crate::file::SceneFile;
use taut::StepReport;

const MAGIC: &[u8; 8] = b"TAUTREC2";
const HEADER: u8 = b'H';
const FRAMES: u8 = b'F';
const SNAPSHOT: u8 = b'S';
const PARTITION: u8 = b'P';
const TENSIONS: u8 = b'T';
const DETAILS: u8 = b'D';
const SKINS: u8 = b'V';

/// No body.
pub const NONE: u32 = u32::MAX;

/// Names of the figures of a frame.
pub const FIGURES: [&str; 15] = [
    "step_ms",
    "solve_ms",
    "real_time_factor",
    "iterations",
    "factorizations",
    "rows",
    "contacts",
    "islands",
    "kinetic_energy",
    "potential_energy",
    "energy_error",
    "relative_residual",
    "penetration",
    "joint_gap",
    "unconverged",
];

/// The figures of a frame, in the order of [`FIGURES`]; NaN where there are
/// none, as at the start.
pub type Figures = [f32; FIGURES.len()];

/// The figures of a step of `dt` seconds.
pub fn figures(report: &StepReport, dt: f64) -> Figures {
    [
        1e3 * report.timings.total,
        1e3 * report.timings.solve,
        dt / report.timings.total.max(1e-9),
        report.iterations as f64,
        report.factorizations as f64,
        report.rows as f64,
        report.contacts as f64,
        report.islands as f64,
        report.kinetic_energy,
        report.potential_energy,
        report.energy_error,
        report.relative_residual,
        report.max_penetration,
        report.max_joint_gap,
        report.unconverged_islands as f64,
    ]
    .map(|x| x as f32)
}

/// A recording in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// What was recorded.
    pub header: Header,
    /// The frames.
    pub frames: Vec<Frame>,
    /// Indices of frames, and the world as it was then, for
    /// [`taut::World::restore`].
    pub snapshots: Vec<(usize, Vec<u8>)>,
}

/// One frame of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Time in s after the step.
    pub time: f64,
    /// How the step went.
    pub figures: Figures,
    /// x, y, z, qw, qx, qy, qz of each body.
    pub poses: Vec<[f32; 7]>,
    /// For each body the first one of the subsystem that the solver put it in,
    /// or [`NONE`]; empty where it did not split the system.
    pub subsystems: Vec<u32>,
    /// Tension of each span of each cable in N; NaN for cables that are gone.
    pub tensions: Vec<f32>,
    /// Velocities, contacts and forces as [`details`] has them; empty where they were not kept.
    pub details: Vec<u8>,
    /// x, y, z of each node on the surface of each soft body, and von Mises' stress there in Pa; NaN for soft bodies that are gone.
    pub skins: Vec<[f32; 4]>,
}

impl Recording {
    /// The scene that ran.
    pub fn scene(&self) -> &SceneFile {
        &self.header.scene
    }

    /// Whether these bytes begin like a recording, of whatever version.
    pub fn begins(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC[..7])
    }
}
