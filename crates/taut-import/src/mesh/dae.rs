//! COLLADA (.dae): the triangles of geometries, placed by the nodes of the scene, in its unit. The axis that it calls up is not
//! heeded, as by the viewers of ROS.

use super::Mesh;
use crate::xml::Element;
use std::collections::HashMap;
use taut::math::{Mat3, Quat, Vec3};

/// Nodes within nodes, and instances of them.
const MAX_DEPTH: usize = 64;
/// Vertices and triangles of all instances at most.
const MOST: usize = 20_000_000;

type Map = (Mat3, Vec3);

pub(super) fn read(bytes: &[u8], name: &str) -> Result<Mesh, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not text in UTF-8")?;
    let root = crate::xml::parse(text, name).map_err(|e| e.to_string())?;
    let unit = root.child("asset").and_then(|a| a.child("unit")?.get("meter")?.parse().ok());
    let unit: f64 = unit.filter(|u: &f64| u.is_finite() && *u > 0.0).unwrap_or(1.0);
    let mut reader = Reader::default();
    for geometry in root.all("library_geometries").flat_map(|l| l.all("geometry")) {
        let (Some(id), Some(mesh)) = (geometry.get("id"), geometry.child("mesh")) else { continue };
        reader.geometries.insert(id, geometry_mesh(mesh)?);
    }
    for node in root.all("library_nodes").flat_map(|l| l.all("node")) {
        reader.nodes.extend(node.get("id").map(|id| (id, node)));
    }
    let scale = (Mat3::IDENTITY * unit, Vec3::ZERO);
    let mut scenes =
        root.all("library_visual_scenes").flat_map(|l| l.all("visual_scene")).peekable();
    if scenes.peek().is_none() {
        // Without a scene each geometry stands where it is.
        let all: Vec<&Mesh> = reader.geometries.values().collect();
        for mesh in all.into_iter().cloned().collect::<Vec<_>>() {
            append(&mut reader.mesh, &mesh, &scale)?;
        }
    }
    for node in scenes.flat_map(|s| s.all("node")) {
        reader.node(node, &scale, 0)?;
    }
    Ok(reader.mesh)
}

#[derive(Default)]
struct Reader<'a> {
    geometries: HashMap<&'a str, Mesh>,
    nodes: HashMap<&'a str, &'a Element>,
    mesh: Mesh,
}

impl<'a> Reader<'a> {
    fn node(&mut self, node: &'a Element, above: &Map, depth: usize) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err("its nodes form a circle".into());
        }
        let mut map = *above;
        for part in &node.children {
            let n = numbers(&part.text);
            let own: Map = match (part.tag.as_str(), n.as_deref()) {
                ("matrix", Ok([a, b, c, x, d, e, f, y, g, h, i, z, ..])) => (
                    Mat3::from_cols(
                        Vec3::new(*a, *d, *g),
                        Vec3::new(*b, *e, *h),
                        Vec3::new(*c, *f, *i),
                    ),
                    Vec3::new(*x, *y, *z),
                ),
                ("translate", Ok([x, y, z])) => (Mat3::IDENTITY, Vec3::new(*x, *y, *z)),
                ("scale", Ok([x, y, z])) => {
                    (Mat3::from_diagonal(Vec3::new(*x, *y, *z)), Vec3::ZERO)
                }
                ("rotate", Ok([x, y, z, angle])) => {
                    let axis = Vec3::new(*x, *y, *z).try_normalize();
                    let turn = axis.map(|a| Quat::from_axis_angle(a, angle.to_radians()));
                    (Mat3::from_quat(turn.unwrap_or(Quat::IDENTITY)), Vec3::ZERO)
                }
                ("matrix" | "translate" | "scale" | "rotate", _) => {
                    return Err(format!("{} of a node has the wrong numbers", part.tag));
                }
                _ => continue,
            };
            map = (map.0 * own.0, map.0 * own.1 + map.1);
        }
        for part in &node.children {
            let url = part.get("url").unwrap_or_default().trim_start_matches('#');
            match part.tag.as_str() {
                "node" => self.node(part, &map, depth + 1)?,
                "instance_node" => {
                    if let Some(&other) = self.nodes.get(url) {
                        self.node(other, &map, depth + 1)?;
                    }
                }
                "instance_geometry" => {
                    if let Some(mesh) = self.geometries.get(url) {
                        append(&mut self.mesh, mesh, &map)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn append(all: &mut Mesh, mesh: &Mesh, (a, t): &Map) -> Result<(), String> {
    let first = all.vertices.len() as u32;
    all.vertices.extend(mesh.vertices.iter().map(|v| *a * *v + *t));
    let flips = a.determinant() < 0.0;
    let turn = |&[x, y, z]: &[u32; 3]| if flips { [x, z, y] } else { [x, y, z] };
    all.triangles.extend(mesh.triangles.iter().map(turn).map(|c| c.map(|i| first + i)));
    if all.vertices.len().max(all.triangles.len()) > MOST {
        return Err(format!("it has more than {MOST} vertices or triangles"));
    }
    Ok(())
}

/// The triangles of a geometry.
fn geometry_mesh(mesh: &Element) -> Result<Mesh, String> {
    let mut sources: HashMap<&str, &Element> = HashMap::new();
    for source in mesh.all("source").chain(mesh.all("vertices")) {
        sources.extend(source.get("id").map(|id| (id, source)));
    }
    let mut found: Option<(&str, Vec<Vec3>)> = None;
    let mut out = Mesh::default();
    for primitive in &mesh.children {
        let kind = primitive.tag.as_str();
        if !["triangles", "polylist", "polygons"].contains(&kind) {
            continue;
        }
        let number = |e: &Element, name: &str| e.get(name).and_then(|x| x.parse::<usize>().ok());
        let offsets = primitive.all("input").map(|i| number(i, "offset").unwrap_or(0));
        let stride = 1 + offsets.max().unwrap_or(0);
        let Some(input) = primitive.all("input").find(|i| i.get("semantic") == Some("VERTEX"))
        else {
            continue;
        };
        let at = number(input, "offset").unwrap_or(0);
        let id = input.get("source").unwrap_or_default().trim_start_matches('#');
        if found.as_ref().is_none_or(|(known, _)| *known != id) {
            let first = out.vertices.len();
            out.vertices.extend(positions(id, &sources)?);
            found = Some((id, out.vertices[first..].to_vec()));
        }
        let count = found.as_ref().map_or(0, |(_, p)| p.len());
        let first = out.vertices.len() - count;
        let lists = primitive.all("p").map(|p| indices(&p.text));
        let lists = lists.collect::<Result<Vec<Vec<usize>>, _>>()?;
        let sizes: Vec<usize> = match (kind, primitive.child("vcount")) {
            ("polylist", Some(sizes)) => indices(&sizes.text)?,
            ("polygons", _) => lists.iter().map(|l| l.len() / stride).collect(),
            _ => vec![3; lists.iter().map(|l| l.len() / stride / 3).sum()],
        };
        let corners: Vec<usize> = lists
            .iter()
            .flat_map(|l| l.chunks_exact(stride))
            .filter_map(|c| c.get(at).copied())
            .collect();
        if corners.iter().any(|&i| i >= count) {
            return Err("a triangle has a vertex that is not there".into());
        }
        let mut rest = corners.as_slice();
        for size in sizes {
            let Some((own, after)) = rest.split_at_checked(size) else {
                return Err("its polygons have fewer corners than they say".into());
            };
            rest = after;
            for w in own.get(1..).unwrap_or_default().windows(2) {
                out.triangles.push([own[0], w[0], w[1]].map(|i| (first + i) as u32));
            }
        }
    }
    Ok(out)
}

/// The positions of a source, or of the vertices that name one.
fn positions(id: &str, sources: &HashMap<&str, &Element>) -> Result<Vec<Vec3>, String> {
    let missing = || format!("'{id}' is not there");
    let mut source = *sources.get(id).ok_or_else(missing)?;
    if source.tag == "vertices" {
        let input = source.all("input").find(|i| i.get("semantic") == Some("POSITION"));
        let inner = input.and_then(|i| i.get("source")).unwrap_or_default();
        source = *sources.get(inner.trim_start_matches('#')).ok_or_else(missing)?;
    }
    let list = source.child("float_array").ok_or_else(missing)?;
    let numbers = numbers(&list.text)?;
    let stride = source
        .child("technique_common")
        .and_then(|t| t.child("accessor")?.get("stride")?.parse().ok());
    let stride = stride.unwrap_or(3_usize).max(3);
    Ok(numbers.chunks_exact(stride).map(|c| Vec3::new(c[0], c[1], c[2])).collect())
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |w: &str| w.parse::<f64>().ok().filter(|x| x.is_finite());
    let wrong = |w: &str| {
        format!("expected a finite number, found '{}'", w.chars().take(20).collect::<String>())
    };
    text.split_whitespace().map(|w| number(w).ok_or_else(|| wrong(w))).collect()
}

fn indices(text: &str) -> Result<Vec<usize>, String> {
    let wrong =
        |w: &str| format!("expected an index, found '{}'", w.chars().take(20).collect::<String>());
    text.split_whitespace().map(|w| w.parse().map_err(|_| wrong(w))).collect()
}
