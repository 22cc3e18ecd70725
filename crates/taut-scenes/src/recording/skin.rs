//! Surfaces of soft bodies, frame by frame: see the table of `recording`.

use super::{Frame, Skin};
use crate::scene::Scene;

/// Step of places \[m\].
const STEP: f32 = 1.0 / 8192.0;

/// Surfaces of the soft bodies of a scene; empty ones for those that are gone.
pub(super) fn surfaces(scene: &Scene) -> Vec<Skin> {
    let of = |id: &taut::SoftBodyId| {
        let Ok(soft) = scene.world.soft_body(*id) else {
            return Skin { nodes: 0, triangles: Vec::new() };
        };
        let nodes = soft.mesh().surface_nodes();
        let number = |n: u32| nodes.binary_search(&n).unwrap_or(0) as u32;
        let triangles = soft.surface().iter().map(|t| t.map(number)).collect();
        Skin { nodes: nodes.len() as u32, triangles }
    };
    scene.softs.iter().map(of).collect()
}

/// Places and stresses of the nodes on surfaces.
pub(super) fn of(scene: &Scene) -> Vec<[f32; 4]> {
    let mut out = Vec::new();
    for soft in scene.softs.iter().filter_map(|&id| scene.world.soft_body(id).ok()) {
        let stress = soft.von_mises();
        for n in soft.mesh().surface_nodes() {
            let x = soft.positions()[n as usize];
            out.push([x.x as f32, x.y as f32, x.z as f32, stress[n as usize] as f32]);
        }
    }
    out
}

pub(super) fn encode(frames: &[Frame], first: usize) -> Option<Vec<u8>> {
    let nodes = frames.first()?.skins.len();
    if nodes == 0 || frames.iter().any(|f| f.skins.len() != nodes) {
        return None;
    }
    let mut out = (first as u32).to_le_bytes().to_vec();
    out.extend((nodes as u32).to_le_bytes());
    let mut last = vec![[0_i32; 3]; nodes];
    for frame in frames {
        for (node, last) in frame.skins.iter().zip(&mut last) {
            let now = [node[0], node[1], node[2]].map(|x| (x / STEP).round() as i32);
            (0..3).for_each(|k| out.extend(now[k].wrapping_sub(last[k]).to_le_bytes()));
            *last = now;
        }
        frame.skins.iter().for_each(|node| out.extend(node[3].to_le_bytes()));
    }
    Some(out)
}

/// Surfaces of frames that came before.
pub(super) fn decode(bytes: &[u8], frames: &mut [Frame]) -> Option<()> {
    let (words, rest) = bytes.as_chunks::<4>();
    let [first, nodes, values @ ..] = words else { return None };
    let [first, nodes] = [first, nodes].map(|word| u32::from_le_bytes(*word) as usize);
    let frames = frames.get_mut(first..)?;
    let whole = values.len() == nodes.checked_mul(4)?.checked_mul(frames.len())?;
    if !rest.is_empty() || nodes == 0 || !whole {
        return None;
    }
    let mut last = vec![[0_i32; 3]; nodes];
    for (frame, values) in frames.iter_mut().zip(values.chunks_exact(4 * nodes)) {
        let (places, stresses) = values.split_at(3 * nodes);
        frame.skins.clear();
        for ((node, step), stress) in last.iter_mut().zip(places.as_chunks::<3>().0).zip(stresses) {
            (0..3).for_each(|k| node[k] = node[k].wrapping_add(i32::from_le_bytes(step[k])));
            let [x, y, z] = node.map(|x| x as f32 * STEP);
            frame.skins.push([x, y, z, f32::from_le_bytes(*stress)]);
        }
    }
    Some(())
}
