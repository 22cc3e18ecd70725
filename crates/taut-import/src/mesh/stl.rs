//! STL, binary and ASCII. Normals are not read: they follow from the corners.

use super::Mesh;
use taut::math::Vec3;

pub(super) fn read(bytes: &[u8]) -> Result<Mesh, String> {
    // ASCII files start with "solid", but so do some binary ones: their length tells.
    match binary_count(bytes) {
        Some(count) if bytes.len() as u64 == 84 + 50 * count => Ok(binary(bytes)),
        _ if bytes.trim_ascii_start().starts_with(b"solid") => ascii(bytes),
        Some(count) if bytes.len() as u64 > 84 + 50 * count => {
            Ok(binary(&bytes[..84 + 50 * count as usize]))
        }
        Some(count) => Err(format!(
            "expected {} bytes for {count} triangles, found {}",
            84 + 50 * count,
            bytes.len()
        )),
        None => Err("too short for an STL file".into()),
    }
    .and_then(finite)
}

fn binary_count(bytes: &[u8]) -> Option<u64> {
    let field: [u8; 4] = bytes.get(80..84)?.try_into().ok()?;
    Some(u32::from_le_bytes(field).into())
}

fn binary(bytes: &[u8]) -> Mesh {
    let corner = |chunk: &[u8]| {
        let number = |i: usize| {
            let mut field = [0; 4];
            field.copy_from_slice(&chunk[4 * i..4 * i + 4]);
            f64::from(f32::from_le_bytes(field))
        };
        Vec3::new(number(0), number(1), number(2))
    };
    let triangles = bytes[84..].chunks_exact(50);
    let corners: Vec<Vec3> = triangles
        .flat_map(|t| [corner(&t[12..24]), corner(&t[24..36]), corner(&t[36..48])])
        .collect();
    Mesh::from_corners(&corners)
}

fn ascii(bytes: &[u8]) -> Result<Mesh, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut corners = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        if words.next() != Some("vertex") {
            continue;
        }
        let numbers: Vec<f64> = words.map_while(|w| w.parse().ok()).collect();
        let [x, y, z] = numbers[..] else {
            return Err(format!("line {}: expected vertex and three numbers", i + 1));
        };
        corners.push(Vec3::new(x, y, z));
    }
    if corners.len() % 3 != 0 {
        return Err("expected three vertices for each facet".into());
    }
    Ok(Mesh::from_corners(&corners))
}

fn finite(mesh: Mesh) -> Result<Mesh, String> {
    match mesh.vertices.iter().position(|v| !v.is_finite()) {
        Some(i) => Err(format!("vertex {i} is not finite")),
        None => Ok(mesh),
    }
}
