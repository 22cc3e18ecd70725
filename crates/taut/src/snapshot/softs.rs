//! Bytes of soft bodies: definition, motion, and the forces that start the next step.

use super::codec::{Reader, Store, bad, fields, variants};
use crate::Error;
use crate::softs::{Attachment, Other, Patch, SoftBody, SoftBodyState, Touch};
use taut_soft::{Mesh, Model};

fields! {
    Attachment { node, body, local, force }
    Patch { soft, nodes, weights }
    Touch { own, other, normal, gap, friction, force }
    SoftBody { name, mesh, model, young, poisson, density, damping, material, pinned, velocity, angular_velocity, groups }
}
variants!(Model { 0 = Linear {}, 1 = Corotational {}, 2 = StableNeoHookean {} });

impl Store for Other {
    fn put(&self, out: &mut Vec<u8>) {
        match *self {
            Other::Body { slot, collider, point } => {
                0_u8.put(out);
                slot.put(out);
                collider.put(out);
                point.put(out);
            }
            Other::Soft(patch) => {
                1_u8.put(out);
                patch.put(out);
            }
        }
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        match u8::get(from)? {
            0 => {
                let (slot, collider) = (Store::get(from)?, Store::get(from)?);
                Ok(Other::Body { slot, collider, point: Store::get(from)? })
            }
            1 => Ok(Other::Soft(Store::get(from)?)),
            other => Err(bad(format!("{other} is no side of a contact"))),
        }
    }
}

impl Store for Mesh {
    fn put(&self, out: &mut Vec<u8>) {
        self.nodes().to_vec().put(out);
        self.nodes_per_element().put(out);
        self.elements().flatten().copied().collect::<Vec<u32>>().put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let nodes: Vec<[f64; 3]> = Store::get(from)?;
        let per_element = usize::get(from)?;
        let elements: Vec<u32> = Store::get(from)?;
        let mesh = match per_element {
            4 => Mesh::linear(nodes, elements.as_chunks::<4>().0),
            10 => Mesh::with_middles(nodes, elements.as_chunks::<10>().0),
            _ => return Err(bad("a mesh has elements of 4 or 10 nodes")),
        };
        mesh.map_err(|e| bad(e.to_string()))
    }
}

impl Store for SoftBodyState {
    fn put(&self, out: &mut Vec<u8>) {
        self.body.put(out);
        self.x.put(out);
        self.v.put(out);
        self.attachments.put(out);
        self.touches.put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let body = SoftBody::get(from)?;
        let mut state = SoftBodyState::new(body).map_err(|e| bad(e.to_string()))?;
        let (x, v): (Vec<_>, Vec<_>) = (Store::get(from)?, Store::get(from)?);
        if x.len() != state.x.len() || v.len() != state.x.len() {
            return Err(bad(format!("soft body '{}' is not whole", state.name())));
        }
        state.place(&x, &v);
        state.attachments = Store::get(from)?;
        state.touches = Store::get(from)?;
        Ok(state)
    }
}
