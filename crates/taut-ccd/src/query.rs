//! A question, and its answer.

use crate::Error;

/// Which features move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A vertex and a triangle.
    VertexFace,
    /// Two edges.
    EdgeEdge,
}

/// Two features whose corners move along straight lines, each at constant speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Query {
    /// Which features.
    pub kind: Kind,
    /// Where the corners start: the vertex and the three of the face, or the two of each edge.
    pub start: [[f64; 3]; 4],
    /// Where they end.
    pub end: [[f64; 3]; 4],
}

impl Query {
    /// A vertex and a face, each at the start and at the end.
    pub fn vertex_face(vertex: [[f64; 3]; 2], face: [[[f64; 3]; 3]; 2]) -> Self {
        let corners = |i: usize| [vertex[i], face[i][0], face[i][1], face[i][2]];
        Self { kind: Kind::VertexFace, start: corners(0), end: corners(1) }
    }

    /// Two edges, each at the start and at the end.
    pub fn edge_edge(a: [[[f64; 3]; 2]; 2], b: [[[f64; 3]; 2]; 2]) -> Self {
        let corners = |i: usize| [a[i][0], a[i][1], b[i][0], b[i][1]];
        Self { kind: Kind::EdgeEdge, start: corners(0), end: corners(1) }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        for (when, corners) in [("start", &self.start), ("end", &self.end)] {
            for (vertex, corner) in corners.iter().enumerate() {
                if let Some(&value) = corner.iter().find(|x| x.is_nan() || x.abs() >= 1e75) {
                    return Err(Error::Coordinate { vertex, when, value });
                }
            }
        }
        Ok(())
    }
}

/// The first contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// When, as a share of the motion.
    pub time: f64,
    /// Where: on the triangle x₁ + u(x₂ − x₁) + v(x₃ − x₁), or at a share of the first edge (u) and of the
    /// second (v).
    pub u: f64,
    /// See `u`.
    pub v: f64,
    /// False where [`crate::Options::max_checks`] ended the search: there may be a contact, none before
    /// `time`.
    pub settled: bool,
}
