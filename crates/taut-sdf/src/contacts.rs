//! Contacts of a mesh with a field (Andrews22 2.3.1, 2.3.2).
//!
//! With the erratum of alg. 2 mended: x is in the frame of the mesh's body B, so the normal, a gradient in
//! the frame of the field's body A, turns with R_A and the point moves with (R_B, c_B).

use crate::face::minimum_below;
use crate::field::Field;
use crate::surface::Surface;
use crate::vector::{Vec3, along, dot, sub};

/// Where a body is: x ↦ R x + c.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// Rows of the rotation R.
    pub rotation: [Vec3; 3],
    /// The origin's place c.
    pub origin: Vec3,
}

impl Placement {
    /// At the origin, not turned.
    pub const IDENTITY: Self =
        Self { rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], origin: [0.0; 3] };

    /// R x
    pub fn turn(&self, x: Vec3) -> Vec3 {
        self.rotation.map(|row| dot(row, x))
    }

    /// Rᵀ x
    pub fn turn_back(&self, x: Vec3) -> Vec3 {
        let [r, s, t] = self.rotation;
        [0, 1, 2].map(|k| r[k] * x[0] + s[k] * x[1] + t[k] * x[2])
    }

    /// R x + c
    pub fn place(&self, x: Vec3) -> Vec3 {
        along(self.turn(x), 1.0, self.origin)
    }

    /// Rᵀ (x − c)
    pub fn place_back(&self, x: Vec3) -> Vec3 {
        self.turn_back(sub(x, self.origin))
    }
}

/// A point of a mesh in or near a field, in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// The point, on the mesh.
    pub point: Vec3,
    /// Out of the field: from A to B.
    pub normal: Vec3,
    /// The field there; negative: depth.
    pub gap: f64,
    /// The vertex, or the triangle, of the mesh.
    pub feature: u32,
}

/// Vertices of a mesh nearer to the field's solid than `margin` (alg. 2, mended), each of the two where it is.
pub fn vertex_contacts(
    (field, field_at): (&impl Field, &Placement),
    (mesh, mesh_at): (&Surface, &Placement),
    margin: f64,
) -> Vec<Contact> {
    let found = mesh.vertices().iter().enumerate().filter_map(|(i, &x)| {
        let point = mesh_at.place(x);
        contact(field, field_at, point, margin, i as u32)
    });
    found.collect()
}

/// Of each triangle of a mesh the deepest point, if it is nearer to the field's solid than `margin`: to `tolerance`
/// metres, certain.
pub fn face_contacts(
    (field, field_at): (&impl Field, &Placement),
    (mesh, mesh_at): (&Surface, &Placement),
    margin: f64,
    tolerance: f64,
) -> Vec<Contact> {
    /// More only where faces lie along the surface, where any point is as good.
    const MOST: usize = 1000;
    let mut found = Vec::new();
    for i in 0..mesh.triangles().len() as u32 {
        let corners = mesh.corners(i).map(|x| field_at.place_back(mesh_at.place(x)));
        let least = minimum_below(field, corners, margin, tolerance, MOST);
        if least.distance < margin {
            found.extend(contact(field, field_at, field_at.place(least.point), margin, i));
        }
    }
    found
}

fn contact(
    field: &impl Field,
    at: &Placement,
    point: Vec3,
    margin: f64,
    feature: u32,
) -> Option<Contact> {
    let s = field.sample(at.place_back(point));
    let normal = at.turn(s.gradient);
    (s.distance < margin).then_some(Contact { point, normal, gap: s.distance, feature })
}
