//! Bytes of everything a world consists of.

use super::codec::{Reader, Store, bad, fields, variants};
use crate::Error;
use crate::cables::solid::Solid;
use crate::cables::{Cable, CableState, Obstacle, Pulley, Solids, Station, Winch};
use crate::collide::{ContactKey, Groups, Kind};
use crate::contact::{Contact, Forces};
use crate::lcp::{RowState, SolverConfig};
use crate::math::Pose;
use crate::scene::joint::{
    Frame, Joint, JointKind, JointState, Limits, Motor, Passive, Reaction, RowMemory, Spring,
};
use crate::scene::{
    Anisotropy, Body, BodyKind, BodyState, Cell, Collider, Grip, Material, Pairs, Path, Penalty,
    PenaltyLaw, Side, Start, Texture,
};
use crate::settings::{ContactModel, FrictionMode, GeometricStiffness, Integrator, Sleeping};
use crate::shape::Shape;
use crate::slots::{BodyId, CableId, JointId, Slots, SurfaceId, TextureId};
use crate::step::Ledger;
use crate::surface::Surface;

fields! {
    Groups { membership, mask }
    Material { friction, restitution, torsional_friction, rolling_friction, anisotropy, surface, penalty }
    Penalty { stiffness, damping, law, share, anchor }
    Pairs { names, pairs }
    Cell { angle, along, across }
    Texture { origin, edges, columns, cells }
    Side { axis, forward, backward, sideways, tensor }
    Grip { axis, mu, tensor }
    Collider { shape, pose, material, density, groups }
    Body {
        name, kind, pose, velocity, angular_velocity, colliders, material, density,
        collides, groups, surface_velocity, mass, centre_of_mass, inertia, gravity_scale, subsystem,
    }
    Spring { stiffness, damping }
    Limits { min, max }
    Passive { armature, damping, friction, stiffness, rest }
    Reaction { force, torque }
    RowMemory { tag, force, state }
    Joint {
        name, kind, a, b, anchor_a, anchor_b, axis_a, axis_b, basis_a, basis_b, travel_limits,
        angle_limits, travel_motor, angle_motor, passive, linear_spring, angular_spring, break_force,
        break_torque, collide,
    }
    JointState { joint, angle, reaction, motor_force, mean, memory }
    Pulley { axis, radius, turns, growth }
    Station { frame, point, pulley, edge, friction, solid }
    Obstacle { body, friction, side }
    Winch { speed, acceleration, max_force, stop }
    Cable { name, stations, closed, length, stiffness, damping, break_tension, winch, around, solids }
    CableState {
        cable, length, wraps, touches, anchors, way, rests, angles, turned, marks, paid, before, tensions, acting, means, stop,
        stopped, left, pulled, faces, came, memory,
    }
    ContactKey { sub_a, sub_b, feature_a, feature_b }
    Contact {
        key, a, b, normal, point, aside, gap, material, grip, tangents, axes, normal_force, friction, torque,
        mean, surface, belt, warm,
    }
    Forces { normal_force, friction, torque }
    Surface { kinds, normal, centres, edges, rounds }
    Ledger { rise, kinetic, potential, rounding, flow, mending }
    Sleeping { speed, angular_speed, delay }
}

impl Store for GeometricStiffness {
    fn put(&self, out: &mut Vec<u8>) {
        match *self {
            GeometricStiffness::Off => None,
            GeometricStiffness::Alpha(alpha) => Some(alpha),
        }
        .put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let alpha: Option<f64> = Store::get(from)?;
        Ok(alpha.map_or(GeometricStiffness::Off, GeometricStiffness::Alpha))
    }
}

variants!(Anisotropy {
    0 = Elliptic { direction, along, across },
    1 = Tensor { direction, forward, backward, sideways },
    2 = Texture { id },
});
variants!(BodyKind { 0 = Dynamic {}, 1 = Kinematic {}, 2 = Fixed {} });
variants!(Start { 0 = Placed {}, 1 = Inside {}, 2 = Out {} });
variants!(Kind { 0 = Vertex {}, 1 = Edge {}, 2 = Face {} });
variants!(RowState { 0 = Free {}, 1 = Lower {}, 2 = Upper {} });
variants!(Integrator { 0 = SemiImplicitEuler {}, 1 = MoreauMidpoint {}, 2 = EnergyMomentum {} });
variants!(ContactModel {
    0 = Complementarity {},
    1 = Penalty { explicit, material },
    2 = Barrier { d_hat, eps_v },
});
variants!(PenaltyLaw { 0 = Linear {}, 1 = Power { exponent }, 2 = Exponential { length } });
variants!(FrictionMode {
    0 = LastStep {},
    1 = FrictionlessPass {},
    2 = Iterated { max_passes, tolerance, required },
    3 = Cone {},
    4 = Ccp {},
    5 = Polyhedral { directions },
    6 = Box {},
});
variants!(Motor {
    0 = Velocity { target, max_force, acceleration },
    1 = Position { target, stiffness, damping, max_force },
    2 = Force { force },
    3 = Affine { force, stiffness, damping, min_force, max_force },
});
variants!(Path {
    0 = Free {},
    1 = Target { end, last },
    2 = UnderWay { end, mean, acceleration },
    3 = Arrived { mean },
    4 = Ramp { mean, acceleration },
});
variants!(JointKind {
    0 = Ball { cone },
    1 = Hinge {},
    2 = Slider {},
    3 = Cylindrical {},
    4 = Universal {},
    5 = Weld {},
    6 = Distance { min, max },
    7 = Compliant { linear, angular },
    8 = Gear { first, second, ratio, curve, offset },
    9 = Differential { cage, first, second, offset },
    10 = Tendon { terms },
});
variants!(Shape {
    0 = Ball { radius },
    1 = Box { half_extents },
    2 = Capsule { half_length, radius },
    3 = Cylinder { half_height, radius },
    4 = Cone { half_height, radius },
    5 = ConvexHull { points },
    6 = HalfSpace { normal },
    7 = TriMesh { vertices, triangles },
    8 = HeightField { heights, nx, ny, size_x, size_y },
    9 = Compound { parts },
    10 = Sdf { vertices, triangles },
});

impl Store for (u32, u32, ContactKey) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
        self.2.put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        Ok((u32::get(from)?, u32::get(from)?, ContactKey::get(from)?))
    }
}

impl Store for Frame {
    fn put(&self, out: &mut Vec<u8>) {
        self.body().put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        Ok(Option::<BodyId>::get(from)?.map_or(Frame::World, Frame::Body))
    }
}

/// As JSON: each method has settings of its own.
impl Store for SolverConfig {
    fn put(&self, out: &mut Vec<u8>) {
        serde_json::to_string(self).unwrap_or_default().put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let text = String::get(from)?;
        serde_json::from_str(&text).map_err(|e| bad(format!("solver settings: {e}")))
    }
}

/// Mass and shapes follow from the definition; the rest is motion.
impl Store for BodyState {
    fn put(&self, out: &mut Vec<u8>) {
        self.body.put(out);
        [self.x, self.v, self.w, self.force, self.torque].put(out);
        self.q.put(out);
        self.quarantine.put(out);
        self.quiet.put(out);
        self.asleep.put(out);
        self.placed.put(out);
        self.held.put(out);
        self.path.put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let body = Body::get(from)?;
        let mut state = BodyState::new(body).map_err(|e| bad(e.to_string()))?;
        [state.x, state.v, state.w, state.force, state.torque] = Store::get(from)?;
        state.q = Store::get(from)?;
        state.quarantine = Store::get(from)?;
        state.quiet = Store::get(from)?;
        state.asleep = Store::get(from)?;
        state.placed = Store::get(from)?;
        state.held = Store::get(from)?;
        state.path = Store::get(from)?;
        Ok(state)
    }
}

/// Solids, as the shapes that they were made of.
impl Store for Solids {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.iter().map(|s| s.source.clone()).collect::<Vec<(Shape, Pose)>>().put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let sources: Vec<(Shape, Pose)> = Store::get(from)?;
        let mut list = Vec::new();
        for (shape, pose) in sources {
            shape.build().map_err(|e| bad(format!("a solid of a cable: {e}")))?;
            let parts = Solid::of(&shape, pose);
            list.extend(parts.map_err(|e| bad(format!("a solid of a cable: {e}")))?);
        }
        Ok(Solids(list))
    }
}

/// Ids, whose generations count from the number of their world.
macro_rules! ids {
    ($($type:ident),*) => {$(
        impl Store for $type {
            fn put(&self, out: &mut Vec<u8>) {
                self.index.put(out);
                self.generation.put(out);
            }
            fn get(from: &mut Reader) -> Result<Self, Error> {
                let index = u32::get(from)?;
                Ok($type { index, generation: u32::get(from)?.wrapping_add(from.shift) })
            }
        }
    )*};
}
ids!(BodyId, JointId, CableId);

/// Ids of what is never removed: their generation is the number of their world.
macro_rules! lasting_ids {
    ($($type:ident),*) => {$(
        impl Store for $type {
            fn put(&self, out: &mut Vec<u8>) {
                self.index.put(out);
            }
            fn get(from: &mut Reader) -> Result<Self, Error> {
                Ok($type { index: u32::get(from)?, generation: from.world })
            }
        }
    )*};
}
lasting_ids!(TextureId, SurfaceId);

impl<T: Store> Store for Slots<T> {
    fn put(&self, out: &mut Vec<u8>) {
        let (entries, free) = self.parts();
        self.slots().put(out);
        for (generation, value) in entries {
            generation.put(out);
            value.is_some().put(out);
            if let Some(value) = value {
                value.put(out);
            }
        }
        free.to_vec().put(out);
    }
    fn get(from: &mut Reader) -> Result<Self, Error> {
        let mut entries: Vec<(u32, Option<T>)> = Store::get(from)?;
        entries.iter_mut().for_each(|e| e.0 = e.0.wrapping_add(from.shift));
        let free: Vec<u32> = Store::get(from)?;
        let empty = |&i: &u32| entries.get(i as usize).is_some_and(|e| e.1.is_none());
        if !free.iter().all(empty) {
            return Err(bad("its list of free slots is wrong"));
        }
        Ok(Slots::from_parts(entries, free, from.world))
    }
}
