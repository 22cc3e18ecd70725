//! A contact point: geometry of this step, forces of the last solve.

use crate::collide::{ContactKey, ContactPoint, Manifold};
use crate::math::{Quat, Vec3};
use crate::mean::Share;
use crate::scene::{Grip, Material, Pairs, Side, Texture};
use crate::surface::Surface;

// What half and twice of these change: docs/decisions/step-constants.md.

/// Points nearer than this \[m\] are one.
const SAME_POINT: f64 = 1e-6;
/// Normals closer than this (as 1 − cosine) are one direction.
const SAME_DIRECTION: f64 = 1e-6;

/// Identifies a contact from step to step.
pub(crate) type FullKey = (u32, u32, ContactKey);

/// One contact between bodies in slots a and b. Forces act on b; a gets the
/// opposite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub(crate) key: FullKey,
    pub(crate) a: u32,
    pub(crate) b: u32,
    /// From a to b.
    pub(crate) normal: Vec3,
    /// Midway between the two surfaces; of a contact to come, on the surface of
    /// the body that can move.
    pub(crate) point: Vec3,
    /// Of a contact to come between two bodies that move: from a's point to b's, across the
    /// normal, which they will have gone when they meet.
    pub(crate) aside: Vec3,
    pub(crate) gap: f64,
    pub(crate) material: Material,
    /// Friction along both tangents.
    pub(crate) grip: Grip,
    /// First and second tangent of the last solve.
    pub(crate) tangents: [Vec3; 2],
    /// Axes of the two rolling rows.
    pub(crate) axes: [Vec3; 2],
    /// Normal force \[N\], in the last part of the step, as all forces here.
    pub(crate) normal_force: f64,
    /// Friction \[N\], and torsional and rolling torque \[N·m\].
    pub(crate) friction: Vec3,
    pub(crate) torque: Vec3,
    /// Its forces, averaged over the step.
    pub(crate) mean: Forces,
    /// How it changes while its bodies move, if that is known.
    pub(crate) surface: Option<Surface>,
    /// Velocity of b's surface against b less that of a's against a: what belts do \[m/s\].
    pub(crate) belt: Vec3,
    /// Whether forces of the step before were found.
    pub(crate) warm: bool,
}

/// Forces of a contact on b: see [`Contact`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Forces {
    pub(crate) normal_force: f64,
    pub(crate) friction: Vec3,
    pub(crate) torque: Vec3,
}

impl Forces {
    pub(crate) fn times(self, factor: f64) -> Forces {
        Forces {
            normal_force: self.normal_force * factor,
            friction: self.friction * factor,
            torque: self.torque * factor,
        }
    }
}

impl Contact {
    /// Takes the axes of its grip for tangents.
    pub(crate) fn take_axes(&mut self) {
        let t = self.grip.axis - self.normal * self.normal.dot(self.grip.axis);
        let t = t.try_normalize().unwrap_or(self.tangents[0]);
        self.tangents = [t, self.normal.cross(t)];
    }

    /// Whether it knows its features on both bodies, and has the normal of another contact of the same features.
    pub(crate) fn is_like(&self, other: &Contact) -> bool {
        self.surface.is_some() && self.normal.dot(other.normal) > 1.0 - SAME_DIRECTION
    }

    /// The points of a and b that touch, or will; the same but for a contact to come.
    #[inline]
    pub(crate) fn points(&self) -> [Vec3; 2] {
        [self.point - 0.5 * self.aside, self.point + 0.5 * self.aside]
    }

    pub(crate) fn forces(&self) -> Forces {
        Forces { normal_force: self.normal_force, friction: self.friction, torque: self.torque }
    }

    /// Takes over what a solve found for a part of the step: the rest is geometry, and stays in the step.
    pub(crate) fn take_answer(&mut self, solved: &Contact, share: Share) {
        self.tangents = solved.tangents;
        self.grip = solved.grip;
        self.axes = solved.axes;
        self.normal_force = solved.normal_force;
        self.friction = solved.friction;
        self.torque = solved.torque;
        let mean = &mut self.mean;
        mean.normal_force = share.mean(mean.normal_force, solved.normal_force);
        mean.friction = share.mean(mean.friction, solved.friction);
        mean.torque = share.mean(mean.torque, solved.torque);
    }

    /// What is left of it when it ends within a step, after so many seconds of it: in `mean`, impulses.
    pub(crate) fn gone(&self, after: f64) -> Contact {
        let mean = self.mean.times(after);
        Contact { mean, normal_force: 0.0, friction: Vec3::ZERO, torque: Vec3::ZERO, ..*self }
    }

    pub(crate) fn has_torsion(&self) -> bool {
        self.material.torsional_friction > 0.0
    }

    pub(crate) fn has_rolling(&self) -> bool {
        self.material.rolling_friction > 0.0
    }
}

/// Replaces `out` by the contacts of the manifolds, each with the forces that
/// `old` (sorted by key) has for it.
pub(crate) fn gather(
    manifolds: &[Manifold],
    body_of: impl Fn(u32) -> (u32, Material),
    frame_of: impl Fn(u32) -> (Vec3, Quat),
    (textures, pairs): (&[Texture], &Pairs),
    moves: impl Fn(u32) -> bool,
    old: &[Contact],
    out: &mut Vec<Contact>,
) {
    out.clear();
    for m in manifolds {
        let ((a, material_a), (b, material_b)) = (body_of(m.collider_a), body_of(m.collider_b));
        let pair = pairs.of(&material_a, &material_b);
        let material = pair.map_or_else(|| material_a.with(&material_b), |p| p.0);
        let plain = material_a.anisotropy.is_none() && material_b.anisotropy.is_none();
        for p in m.points() {
            let (point, aside) = place(p, m.normal, [moves(a), moves(b)]);
            let side = |slot: u32, surface: &Material| {
                Side::new(
                    surface.anisotropy,
                    surface.friction,
                    frame_of(slot),
                    (point, m.normal),
                    textures,
                )
            };
            let grip = match pair {
                Some((pair, turned)) => {
                    Grip::of_pair(side(if turned { b } else { a }, &pair), turned, pair.friction)
                }
                None if plain => Grip::plain(material.friction),
                None => Grip::new(side(a, &material_a), side(b, &material_b), material.friction),
            };
            out.push(Contact {
                key: (m.collider_a, m.collider_b, p.feature),
                a,
                b,
                normal: m.normal,
                point,
                aside,
                gap: p.gap,
                material,
                grip,
                tangents: [Vec3::ZERO; 2],
                axes: [Vec3::ZERO; 2],
                normal_force: 0.0,
                friction: Vec3::ZERO,
                torque: Vec3::ZERO,
                mean: Forces::default(),
                surface: Surface::new(p, m.normal),
                belt: Vec3::ZERO,
                warm: false,
            });
        }
    }
    out.sort_unstable_by_key(|c| c.key);
    warm_start(old, out);
}

/// Where forces act, and how far its points lie apart along the surface. (An arm to midway would turn a body that is to
/// meet a wall at a slant.)
fn place(p: &ContactPoint, normal: Vec3, moves: [bool; 2]) -> (Vec3, Vec3) {
    let middle = 0.5 * (p.point_a + p.point_b);
    if p.point_a.distance(p.point_b) <= SAME_POINT {
        return (middle, Vec3::ZERO);
    }
    match moves {
        [true, false] => (p.point_a, Vec3::ZERO),
        [false, true] => (p.point_b, Vec3::ZERO),
        [true, true] => {
            let way = p.point_b - p.point_a;
            (middle, way - normal * normal.dot(way))
        }
        [false, false] => (middle, Vec3::ZERO),
    }
}

/// Copies forces from the contact of the same key; failing that, from the
/// nearest old point of the same colliders that no other contact claims.
fn warm_start(old: &[Contact], new: &mut [Contact]) {
    let mut i = 0;
    for contact in new.iter_mut() {
        while i < old.len() && old[i].key < contact.key {
            i += 1;
        }
        if old.get(i).is_some_and(|c| c.key == contact.key) {
            inherit(contact, &old[i]);
            contact.mean = old[i].mean;
        }
    }
    for i in 0..new.len() {
        if new[i].warm {
            continue;
        }
        let (a, b, _) = new[i].key;
        let from = old.partition_point(|c| (c.key.0, c.key.1) < (a, b));
        let pair = old[from..].iter().take_while(|c| (c.key.0, c.key.1) == (a, b));
        let point = new[i].point;
        let free = pair.filter(|c| new.binary_search_by_key(&c.key, |n| n.key).is_err());
        let nearest = free.min_by(|c, d| {
            c.point.distance_squared(point).total_cmp(&d.point.distance_squared(point))
        });
        if let Some(&nearest) = nearest {
            inherit(&mut new[i], &nearest);
        }
    }
}

fn inherit(contact: &mut Contact, old: &Contact) {
    contact.normal_force = old.normal_force;
    contact.friction = old.friction;
    contact.torque = old.torque;
    contact.warm = true;
}
