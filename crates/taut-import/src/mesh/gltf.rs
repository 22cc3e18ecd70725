//! glTF 2.0, as one binary file (.glb) or as JSON (.gltf) with buffers in it or beside it: positions and indices of
//! triangles, placed by the nodes of the scene. Sparse and compressed accessors are refused.

use super::Mesh;
use serde_json::Value;
use std::path::Path;
use taut::math::{Mat3, Quat, Vec3};

/// Nodes within nodes, which may not form a circle.
const MAX_DEPTH: usize = 64;
/// Vertices and triangles of all instances at most.
const MOST: usize = 20_000_000;

/// x ↦ Ax + t.
type Map = (Mat3, Vec3);

pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Mesh, String> {
    let (json, binary) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    let root: Value = serde_json::from_slice(json).map_err(|e| format!("not valid JSON: {e}"))?;
    let buffers = buffers(&root, binary, path)?;
    let mut reader = Reader { root: &root, buffers, mesh: Mesh::default() };
    let scene = index(&root["scene"]).unwrap_or(0);
    let nodes = root["scenes"][scene]["nodes"].as_array();
    for node in nodes.ok_or("it has no scene")? {
        reader.node(node, &(Mat3::IDENTITY, Vec3::ZERO), 0)?;
    }
    Ok(reader.mesh)
}

/// JSON and binary data of a .glb.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let word = |at: usize| {
        let field: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(field) as usize)
    };
    let chunk = |at: usize| {
        let length = word(at)?;
        bytes.get(at + 8..(at + 8).checked_add(length)?)
    };
    let json = chunk(12).ok_or("it is cut off")?;
    Ok((json, chunk(20 + json.len())))
}

fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|x| usize::try_from(x).ok())
}

fn buffers(root: &Value, binary: Option<&[u8]>, path: &Path) -> Result<Vec<Vec<u8>>, String> {
    let mut all = Vec::new();
    for buffer in root["buffers"].as_array().into_iter().flatten() {
        all.push(match buffer["uri"].as_str() {
            None => binary.ok_or("a buffer has neither data nor file")?.to_vec(),
            Some(uri) => match uri.split_once(";base64,") {
                Some((_, text)) => base64(text).ok_or("a buffer is not valid base64")?,
                None => {
                    let file = path.with_file_name(uri);
                    crate::xml::read_bytes(&file, super::MAX_BYTES)
                        .map_err(|e| format!("buffer {uri} {e}"))?
                }
            },
        });
    }
    Ok(all)
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for c in text.bytes().filter(|c| *c != b'=' && !c.is_ascii_whitespace()) {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(out)
}

struct Reader<'a> {
    root: &'a Value,
    buffers: Vec<Vec<u8>>,
    mesh: Mesh,
}

impl Reader<'_> {
    fn node(&mut self, node: &Value, above: &Map, depth: usize) -> Result<(), String> {
        let node = index(node).map_or(&Value::Null, |i| &self.root["nodes"][i]);
        if depth > MAX_DEPTH || node.is_null() {
            return Err("its nodes are missing, or form a circle".into());
        }
        let own = placement(node)?;
        let map = (above.0 * own.0, above.0 * own.1 + above.1);
        if let Some(mesh) = index(&node["mesh"]) {
            let primitives = self.root["meshes"][mesh]["primitives"].as_array();
            for primitive in primitives.into_iter().flatten() {
                self.primitive(primitive, &map)?;
            }
        }
        for child in node["children"].as_array().into_iter().flatten() {
            self.node(child, &map, depth + 1)?;
        }
        Ok(())
    }

    fn primitive(&mut self, primitive: &Value, (a, t): &Map) -> Result<(), String> {
        // Triangles alone, which is the default.
        if !matches!(primitive["mode"].as_u64(), None | Some(4)) {
            return Ok(());
        }
        let positions = self.accessor(&primitive["attributes"]["POSITION"], 3)?;
        let first = self.mesh.vertices.len() as u32;
        let points = positions.chunks_exact(3).map(|p| *a * Vec3::new(p[0], p[1], p[2]) + *t);
        self.mesh.vertices.extend(points);
        let count = positions.len() / 3;
        let corners: Vec<u32> = match &primitive["indices"] {
            Value::Null => (0..count as u32).collect(),
            indices => self.accessor(indices, 1)?.iter().map(|&x| x as u32).collect(),
        };
        if corners.iter().any(|&i| i as usize >= count) {
            return Err("a triangle has a vertex that is not there".into());
        }
        let flips = a.determinant() < 0.0;
        for c in corners.chunks_exact(3) {
            let [x, y, z] = [first + c[0], first + c[1], first + c[2]];
            self.mesh.triangles.push(if flips { [x, z, y] } else { [x, y, z] });
        }
        if self.mesh.vertices.len().max(self.mesh.triangles.len()) > MOST {
            return Err(format!("it has more than {MOST} vertices or triangles"));
        }
        Ok(())
    }

    /// The numbers of an accessor with so many in each element.
    fn accessor(&self, which: &Value, width: usize) -> Result<Vec<f64>, String> {
        let accessor = index(which).map_or(&Value::Null, |i| &self.root["accessors"][i]);
        let view =
            index(&accessor["bufferView"]).map_or(&Value::Null, |i| &self.root["bufferViews"][i]);
        let buffer = index(&view["buffer"]).and_then(|i| self.buffers.get(i));
        let (Some(buffer), true) = (buffer, accessor["sparse"].is_null()) else {
            return Err("data of a mesh is missing, sparse or compressed".into());
        };
        let kind = accessor["componentType"].as_u64().unwrap_or(0);
        let size = match kind {
            5121 => 1,
            5123 => 2,
            5125 | 5126 => 4,
            _ => return Err(format!("numbers of the kind {kind} are not known")),
        };
        let or_0 = |v: &Value| index(v).unwrap_or(0);
        let count = or_0(&accessor["count"]);
        let stride = index(&view["byteStride"]).unwrap_or(width * size);
        let start = or_0(&view["byteOffset"]).saturating_add(or_0(&accessor["byteOffset"]));
        // What is not in the buffer is not read, whatever the count.
        let whole =
            count.checked_sub(1).and_then(|n| n.checked_mul(stride)?.checked_add(width * size));
        let end = whole.and_then(|n| n.checked_add(start));
        if count > 0 && end.is_none_or(|end| end > buffer.len()) {
            return Err("data of a mesh ends too early".into());
        }
        let mut numbers = Vec::with_capacity(count * width);
        for i in 0..count {
            for k in 0..width {
                let at = start + i * stride + k * size;
                let b = |j: usize| buffer[at + j];
                let x = match kind {
                    5121 => f64::from(b(0)),
                    5123 => f64::from(u16::from_le_bytes([b(0), b(1)])),
                    5125 => f64::from(u32::from_le_bytes([b(0), b(1), b(2), b(3)])),
                    _ => f64::from(f32::from_le_bytes([b(0), b(1), b(2), b(3)])),
                };
                if !x.is_finite() {
                    return Err("a vertex is not finite".into());
                }
                numbers.push(x);
            }
        }
        Ok(numbers)
    }
}

/// Where a node is in the one around it.
fn placement(node: &Value) -> Result<Map, String> {
    let list = |name: &str, count: usize| -> Result<Option<Vec<f64>>, String> {
        let Some(list) = node[name].as_array() else { return Ok(None) };
        let list: Vec<f64> = list.iter().filter_map(Value::as_f64).collect();
        if list.len() == count {
            Ok(Some(list))
        } else {
            Err(format!("'{name}' of a node is not {count} numbers"))
        }
    };
    if let Some(m) = list("matrix", 16)? {
        let column = |i: usize| Vec3::new(m[4 * i], m[4 * i + 1], m[4 * i + 2]);
        return Ok((Mat3::from_cols(column(0), column(1), column(2)), column(3)));
    }
    let t = list("translation", 3)?.map_or(Vec3::ZERO, |t| Vec3::from_slice(&t));
    let s = list("scale", 3)?.map_or(Vec3::ONE, |s| Vec3::from_slice(&s));
    let r =
        list("rotation", 4)?.map_or(Quat::IDENTITY, |q| Quat::from_xyzw(q[0], q[1], q[2], q[3]));
    Ok((Mat3::from_quat(r.normalize()) * Mat3::from_diagonal(s), t))
}
