//! Meshes of tetrahedra: what makes one a body, its surface, and linear meshes made quadratic.

use std::collections::HashMap;

use crate::Error;
use crate::element::{EDGES, FACES, gradients, stiffness_samples};
use crate::matrix::{Mat3, Vec3, along, apply, scale};

/// A checked mesh of tetrahedra, all linear (4 nodes) or all quadratic (10 nodes, numbered as in gmsh: corners, then
/// the middles of edges 0–1, 1–2, 2–0, 0–3, 2–3, 1–3).
///
/// ```
/// use taut_soft::Mesh;
/// let cube = Mesh::block([1.0; 3], [2; 3])?;
/// assert_eq!((cube.nodes().len(), cube.elements().count()), (27, 48));
/// assert!((cube.volume() - 1.0).abs() < 1e-14);
/// let quadratic = cube.quadratic()?;
/// assert_eq!(quadratic.nodes().len(), 125);
/// # Ok::<(), taut_soft::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    nodes: Vec<Vec3>,
    per_element: usize,
    elements: Vec<u32>,
}

/// More nodes or elements than this are refused: factors of their matrices fit in no memory.
const MOST: usize = 10_000_000;

impl Mesh {
    /// A mesh of linear tetrahedra. Seen from the fourth corner, the first three run counter-clockwise.
    pub fn linear(nodes: Vec<Vec3>, elements: &[[u32; 4]]) -> Result<Self, Error> {
        Self::new(nodes, 4, elements.concat())
    }

    /// A mesh of quadratic tetrahedra.
    pub fn with_middles(nodes: Vec<Vec3>, elements: &[[u32; 10]]) -> Result<Self, Error> {
        Self::new(nodes, 10, elements.concat())
    }

    pub(crate) fn new(
        nodes: Vec<Vec3>,
        per_element: usize,
        elements: Vec<u32>,
    ) -> Result<Self, Error> {
        let mesh = Mesh { nodes, per_element, elements };
        mesh.check_numbers()?;
        mesh.check_volumes()?;
        mesh.check_faces()?;
        mesh.check_middles()?;
        Ok(mesh)
    }

    /// Coordinates of the nodes at rest \[m\].
    pub fn nodes(&self) -> &[Vec3] {
        &self.nodes
    }

    /// The nodes of each element, 4 or 10.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.elements.chunks_exact(self.per_element)
    }

    /// Nodes of an element: 4 or 10.
    pub fn nodes_per_element(&self) -> usize {
        self.per_element
    }

    /// Its volume \[m³\].
    pub fn volume(&self) -> f64 {
        let samples = stiffness_samples(self.per_element);
        let volume = |e: &[u32]| {
            let rest = self.corners(e);
            let at = |(l, w): &([f64; 4], f64)| w * gradients(&rest, l).1 / 6.0;
            samples.iter().map(at).sum::<f64>()
        };
        self.elements().map(volume).sum()
    }

    /// The same mesh, moved.
    #[must_use]
    pub fn moved(mut self, by: Vec3) -> Self {
        self.nodes.iter_mut().for_each(|x| *x = along(*x, 1.0, by));
        self
    }

    /// The same mesh, turned about the origin by a rotation, row by row.
    #[must_use]
    pub fn turned(mut self, rotation: &Mat3) -> Self {
        self.nodes.iter_mut().for_each(|x| *x = apply(rotation, *x));
        self
    }

    /// The triangles of its surface, counter-clockwise seen from outside; four for each face of a quadratic element.
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let mut faces: HashMap<[u32; 3], Option<(usize, usize)>> = HashMap::new();
        for (k, e) in self.elements().enumerate() {
            for (f, corners) in FACES.iter().enumerate() {
                faces
                    .entry(sorted(corners.map(|c| e[c])))
                    .and_modify(|x| *x = None)
                    .or_insert(Some((k, f)));
            }
        }
        let mut outer: Vec<(usize, usize)> = faces.into_values().flatten().collect();
        outer.sort_unstable();
        let mut triangles = Vec::new();
        for (k, f) in outer {
            let e = &self.elements[k * self.per_element..(k + 1) * self.per_element];
            let c = FACES[f];
            let [a, b, d] = c.map(|c| e[c]);
            if self.per_element == 4 {
                triangles.push([a, b, d]);
            } else {
                let [ab, bd, da] = [[c[0], c[1]], [c[1], c[2]], [c[2], c[0]]].map(|s| e[middle(s)]);
                triangles.extend([[a, ab, da], [ab, b, bd], [da, bd, d], [ab, bd, da]]);
            }
        }
        triangles
    }

    /// The nodes of the surface, ascending.
    pub fn surface_nodes(&self) -> Vec<u32> {
        let mut nodes = self.surface().concat();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The same body of quadratic elements: a node in the middle of every edge. Linear elements are too stiff in
    /// bending (half of the deflection with two of them across a beam); quadratic ones are not.
    pub fn quadratic(&self) -> Result<Self, Error> {
        if self.per_element == 10 {
            return Ok(self.clone());
        }
        let mut nodes = self.nodes.clone();
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let mut elements = Vec::with_capacity(self.elements.len() / 4 * 10);
        for e in self.elements() {
            elements.extend_from_slice(e);
            for [i, j] in EDGES {
                let (a, b) = (e[i].min(e[j]), e[i].max(e[j]));
                let node = *middles.entry([a, b]).or_insert_with(|| {
                    let (a, b) = (nodes[a as usize], nodes[b as usize]);
                    nodes.push(scale(along(a, 1.0, b), 0.5));
                    nodes.len() as u32 - 1
                });
                elements.push(node);
            }
        }
        Self::new(nodes, 10, elements)
    }

    pub(crate) fn corners(&self, element: &[u32]) -> Vec<Vec3> {
        element.iter().map(|&n| self.nodes[n as usize]).collect()
    }

    fn check_numbers(&self) -> Result<(), Error> {
        if self.elements.is_empty() {
            return Err(Error::Empty);
        }
        let count = self.nodes.len();
        if count.max(self.elements.len() / self.per_element) > MOST {
            return Err(Error::Range {
                what: "nodes or elements, of at most 10 million",
                got: count,
                count: MOST,
            });
        }
        let bad = |x: &Vec3| x.iter().any(|x| !x.is_finite());
        if let Some(k) = self.nodes.iter().position(bad) {
            return Err(Error::Coordinate(k));
        }
        let mut used = vec![false; count];
        for (element, e) in self.elements().enumerate() {
            for (k, &node) in e.iter().enumerate() {
                if node as usize >= count || e[..k].contains(&node) {
                    return Err(Error::Index { element, node, count });
                }
                used[node as usize] = true;
            }
        }
        used.iter().position(|u| !u).map_or(Ok(()), |k| Err(Error::LooseNode(k)))
    }

    /// Volumes at the corners and where integrals are sampled.
    fn check_volumes(&self) -> Result<(), Error> {
        let mut samples: Vec<[f64; 4]> =
            stiffness_samples(self.per_element).iter().map(|s| s.0).collect();
        if self.per_element == 10 {
            samples.extend((0..4).map(|k| std::array::from_fn(|i| f64::from(u8::from(i == k)))));
        }
        for (k, e) in self.elements().enumerate() {
            let rest = self.corners(e);
            let size = (0..3)
                .map(|a| {
                    let of = |f: fn(f64, f64) -> f64, from| rest.iter().map(|x| x[a]).fold(from, f);
                    of(f64::max, f64::NEG_INFINITY) - of(f64::min, f64::INFINITY)
                })
                .fold(0.0, f64::max);
            for l in &samples {
                let d = gradients(&rest, l).1;
                // Below this the volume is rounding of coordinates.
                if d.abs() <= 1e-12 * size.powi(3) {
                    return Err(Error::Degenerate(k));
                } else if d < 0.0 {
                    return Err(Error::Inverted(k));
                }
            }
        }
        Ok(())
    }

    /// A face has an element on one side or one on each.
    fn check_faces(&self) -> Result<(), Error> {
        let mut faces: HashMap<[u32; 3], usize> = HashMap::new();
        for (k, e) in self.elements().enumerate() {
            for corners in FACES {
                let [a, b, c] = corners.map(|c| e[c]);
                // Turned so that the least comes first: its winding stays.
                let least = a.min(b).min(c);
                let key = if a == least {
                    [a, b, c]
                } else if b == least {
                    [b, c, a]
                } else {
                    [c, a, b]
                };
                if let Some(other) = faces.insert(key, k) {
                    return Err(Error::Overlap(other, k));
                }
            }
        }
        Ok(())
    }

    fn check_middles(&self) -> Result<(), Error> {
        if self.per_element == 4 {
            return Ok(());
        }
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        for e in self.elements() {
            for (k, [i, j]) in EDGES.iter().enumerate() {
                let edge = [e[*i].min(e[*j]), e[*i].max(e[*j])];
                if *middles.entry(edge).or_insert(e[4 + k]) != e[4 + k] {
                    return Err(Error::Hole(edge[0], edge[1]));
                }
            }
        }
        Ok(())
    }
}

fn sorted(mut face: [u32; 3]) -> [u32; 3] {
    face.sort_unstable();
    face
}

/// Which node of a quadratic element is in the middle of two corners.
fn middle([a, b]: [usize; 2]) -> usize {
    4 + EDGES.iter().position(|&[i, j]| (i, j) == (a, b) || (i, j) == (b, a)).unwrap_or(0)
}
