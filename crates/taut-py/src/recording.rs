//! Recordings as bytes and back, and pages that replay them.

use crate::{Error, scene_error};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use taut_scenes::recording::{FIGURES, Frame, Header, Recorder, Recording};

/// The bytes of a recording: header as JSON, times (f), figures (f, 15), poses (f, n, 7), tensions of
/// all spans of all cables (f, s), and perhaps a snapshot of the world at its end.
#[pyfunction]
#[pyo3(signature = (header, times, figures, poses, tensions, snapshot=None))]
pub fn encode_recording<'py>(
    py: Python<'py>,
    header: &str,
    times: PyReadonlyArray1<'_, f64>,
    figures: PyReadonlyArray2<'_, f32>,
    poses: PyReadonlyArray3<'_, f32>,
    tensions: PyReadonlyArray2<'_, f32>,
    snapshot: Option<&[u8]>,
) -> PyResult<Bound<'py, PyBytes>> {
    let wrong = |e: &dyn std::fmt::Display| Error::new_err(format!("recording: {e}"));
    let header: Header = serde_json::from_str(header).map_err(|e| wrong(&e))?;
    let (times, figures, poses) = (times.as_array(), figures.as_array(), poses.as_array());
    let tensions = tensions.as_array();
    let (frames, bodies) = (times.len(), header.bodies.len());
    if figures.shape() != [frames, FIGURES.len()]
        || poses.shape() != [frames, bodies, 7]
        || tensions.nrows() != frames
    {
        return Err(wrong(&format!(
            "figures {:?} and poses {:?} do not fit {frames} frames of {bodies} bodies",
            figures.shape(),
            poses.shape()
        )));
    }
    let mut recorder = Recorder::new(Vec::new(), &header).map_err(|e| wrong(&e))?;
    for k in 0..frames {
        let frame = Frame {
            time: times[k],
            figures: std::array::from_fn(|i| figures[[k, i]]),
            poses: (0..bodies).map(|b| std::array::from_fn(|i| poses[[k, b, i]])).collect(),
            subsystems: Vec::new(),
            tensions: tensions.row(k).to_vec(),
            details: Vec::new(),
            skins: Vec::new(),
        };
        recorder.push(frame).map_err(|e| wrong(&e))?;
    }
    if let Some(bytes) = snapshot {
        recorder.snapshot(bytes).map_err(|e| wrong(&e))?;
    }
    let bytes = recorder.finish().map_err(|e| wrong(&e))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Header as JSON, times, figures, poses, tensions and last snapshot of a recording.
#[pyfunction]
pub fn decode_recording<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyTuple>> {
    let owned = bytes.to_vec();
    let recording = py.detach(|| Recording::from_bytes(&owned)).map_err(scene_error)?;
    let header = serde_json::to_string(&recording.header);
    let header = header.map_err(|e| Error::new_err(format!("recording: {e}")))?;
    let (frames, bodies) = (&recording.frames, recording.header.bodies.len());
    let times: Vec<f64> = frames.iter().map(|f| f.time).collect();
    let figures: Vec<f32> = frames.iter().flat_map(|f| f.figures).collect();
    let poses: Vec<f32> = frames.iter().flat_map(|f| f.poses.as_flattened().to_vec()).collect();
    let figures = PyArray1::from_vec(py, figures).reshape([frames.len(), FIGURES.len()])?;
    let poses = PyArray1::from_vec(py, poses).reshape([frames.len(), bodies, 7])?;
    let mut spans = frames.first().map_or(0, |f| f.tensions.len());
    if frames.iter().any(|f| f.tensions.len() != spans) {
        spans = 0;
    }
    let tensions = frames.iter().flat_map(|f| f.tensions[..spans].iter().copied()).collect();
    let tensions = PyArray1::from_vec(py, tensions).reshape([frames.len(), spans])?;
    // Only one at the end is of the end.
    let last = recording.snapshots.last().filter(|s| s.0 + 1 == frames.len());
    let snapshot = last.map(|s| PyBytes::new(py, &s.1));
    (header, PyArray1::from_vec(py, times), figures, poses, tensions, snapshot).into_pyobject(py)
}

/// A page that replays a recording.
#[pyfunction]
pub fn replay_page(bytes: &[u8]) -> String {
    taut_cli::replay_page(bytes)
}
