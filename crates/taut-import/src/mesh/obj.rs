//! Wavefront OBJ: the lines `v` and `f`. Faces with more than three corners become fans.

use super::Mesh;
use taut::math::Vec3;

pub(super) fn read(bytes: &[u8]) -> Result<Mesh, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = Mesh::default();
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
            Some("f") => {
                let count = mesh.vertices.len();
                let index = |word| index(word, count).ok_or_else(|| wrong("no such vertex"));
                let corners = words.map(index).collect::<Result<Vec<u32>, _>>()?;
                let (Some(&first), true) = (corners.first(), corners.len() >= 3) else {
                    return Err(wrong("expected three corners at least"));
                };
                mesh.triangles.extend(corners[1..].windows(2).map(|w| [first, w[0], w[1]]));
            }
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
