//! Wavefront OBJ: the lines `v`, `f`, `o` and `g`.
//!
//! Faces of four corners are cut along the shorter diagonal, those of more by ears, as tinyobjloader does (and so MuJoCo): what
//! MJCF calls the legacy mass of a mesh depends on it where faces are not flat.

use super::Mesh;
use taut::math::Vec3;

/// Reads a file; with `first` only the first object or group in it, which is all that MuJoCo takes.
pub(super) fn read(bytes: &[u8], first: bool) -> Result<Mesh, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = Mesh::default();
    let mut faces_end = false;
    for (i, line) in text.lines().enumerate() {
        let wrong = |what: &str| format!("line {}: {what}", i + 1);
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                // Weights or colours may follow.
                let numbers: Vec<f64> = words.map_while(|w| w.parse().ok()).take(3).collect();
                let [x, y, z] = numbers[..] else {
                    return Err(wrong("expected v and three numbers"));
                };
                if !Vec3::new(x, y, z).is_finite() {
                    return Err(wrong("expected finite numbers"));
                }
                mesh.vertices.push(Vec3::new(x, y, z));
            }
            Some("f") if !faces_end => {
                let count = mesh.vertices.len();
                let index = |word| index(word, count).ok_or_else(|| wrong("no such vertex"));
                let corners = words.map(index).collect::<Result<Vec<u32>, _>>()?;
                if corners.len() < 3 {
                    return Err(wrong("expected three corners at least"));
                }
                cut(corners, &mesh.vertices, &mut mesh.triangles);
            }
            Some("o" | "g") if !mesh.triangles.is_empty() => faces_end = first,
            _ => {}
        }
    }
    Ok(mesh)
}

/// The vertex of "7", "7/1/2" or "-1" (the last one).
fn index(word: &str, count: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let i = if number < 0 { count as i64 + number } else { number - 1 };
    (0..count as i64).contains(&i).then_some(i as u32)
}

/// In single precision, as there: where corners are nearly in line it decides.
fn single(v: Vec3) -> [f32; 3] {
    v.to_array().map(|x| x as f32)
}

fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Cuts a face into triangles.
fn cut(mut face: Vec<u32>, vertices: &[Vec3], out: &mut Vec<[u32; 3]>) {
    let at = |i: u32| single(vertices[i as usize]);
    if let [a, b, c, d] = face[..] {
        let far = |i: u32, j: u32| {
            let [x, y, z] = minus(at(j), at(i));
            x * x + y * y + z * z
        };
        let (ac, bd) = (far(a, c), far(b, d));
        out.extend(if ac < bd { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        return;
    }
    let axes = flat_axes(&face, vertices);
    let flat = |i: u32| axes.map(|k| at(i)[k]);
    let (mut first, mut tries, mut before) = (0, face.len(), face.len());
    while face.len() > 3 && tries > 0 {
        let n = face.len();
        first %= n;
        tries = if n == before { tries - 1 } else { n };
        before = n;
        let ear = [0, 1, 2].map(|k| face[(first + k) % n]);
        let [a, b, c] = ear.map(flat);
        let turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
        let area = 0.5 * (a[0] * b[1] - a[1] * b[0]);
        let others = (3..n).map(|k| flat(face[(first + k) % n]));
        if turn * area < 0.0 || others.into_iter().any(|p| within(p, [a, b, c])) {
            first += 1;
            continue;
        }
        out.push(ear);
        face.remove((first + 1) % n);
    }
    if let [a, b, c] = face[..] {
        out.push([a, b, c]);
    }
}

/// The two axes of the plane in which a face looks largest, by its first corner that is none.
fn flat_axes(face: &[u32], vertices: &[Vec3]) -> [usize; 2] {
    let n = face.len();
    for k in 0..n {
        let [a, b, c] = [k, k + 1, k + 2].map(|i| single(vertices[face[i % n] as usize]));
        let ([ux, uy, uz], [vx, vy, vz]) = (minus(b, a), minus(c, b));
        let (x, y, z) =
            ((uy * vz - uz * vy).abs(), (uz * vx - ux * vz).abs(), (ux * vy - uy * vx).abs());
        if x.max(y).max(z) <= f32::EPSILON {
            continue;
        }
        if x > y && x > z {
            return [1, 2];
        }
        return [0, if z > x && z > y { 1 } else { 2 }];
    }
    [1, 2]
}

/// Whether a point is in a triangle: a ray from it crosses an odd number of edges.
fn within([x, y]: [f32; 2], triangle: [[f32; 2]; 3]) -> bool {
    let mut inside = false;
    for i in 0..3 {
        let ([xi, yi], [xj, yj]) = (triangle[i], triangle[(i + 2) % 3]);
        if (yi > y) != (yj > y) && x < (xj - xi) * (y - yi) / (yj - yi) + xi {
            inside = !inside;
        }
    }
    inside
}
