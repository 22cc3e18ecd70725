//! MuJoCo's own meshes (.msh): counts of vertices, normals, texture coordinates and faces, then these as numbers.

use super::Mesh;
use taut::math::Vec3;

pub(super) fn read(bytes: &[u8]) -> Result<Mesh, String> {
    let word = |at: usize| -> Option<[u8; 4]> { bytes.get(at..at + 4)?.try_into().ok() };
    let count = |i: usize| word(4 * i).map(u32::from_le_bytes).ok_or("too short for a MSH file");
    let (points, normals) = (u64::from(count(0)?), u64::from(count(1)?));
    let (textures, faces) = (u64::from(count(2)?), u64::from(count(3)?));
    let expected = 16 + 4 * (3 * points + 3 * normals + 2 * textures + 3 * faces);
    if bytes.len() as u64 != expected {
        return Err(format!("expected {expected} bytes, found {}", bytes.len()));
    }
    let number = |i: usize| word(16 + 4 * i).map_or(0.0, |b| f64::from(f32::from_le_bytes(b)));
    let points = points as usize;
    let vertices: Vec<Vec3> = (0..points)
        .map(|i| Vec3::new(number(3 * i), number(3 * i + 1), number(3 * i + 2)))
        .collect();
    if vertices.iter().any(|v| !v.is_finite()) {
        return Err("a vertex is not finite".into());
    }
    let start = 16 + 4 * (3 * points + (3 * normals + 2 * textures) as usize);
    let corner = |i: usize| word(start + 4 * i).map_or(u32::MAX, u32::from_le_bytes);
    let triangles: Vec<[u32; 3]> = (0..faces as usize)
        .map(|i| [corner(3 * i), corner(3 * i + 1), corner(3 * i + 2)])
        .collect();
    if triangles.iter().flatten().any(|&i| i as usize >= points) {
        return Err("a face has a vertex that is not there".into());
    }
    Ok(Mesh { vertices, triangles })
}
