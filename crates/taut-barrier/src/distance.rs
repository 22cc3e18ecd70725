//! How far a point is from a triangle, and an edge from an edge, with derivatives by all twelve coordinates.
//!
//! **Problem**: D(x) = min over s of |F(x, s)|², F = Σ wᵢ(s) xᵢ with weights that are linear in the parameters s of both
//! features (Andrews22 eq. 293 and 294, minimized over u and v). Which parameters are free, and which stand at their
//! bounds, is the region.
//! **Update**: with r = F at the minimum, eₖ = ∂F/∂sₖ and Bₖ = ∂(w ⊗ r)/∂sₖ = wₖ' ⊗ r + w ⊗ eₖ, the implicit function
//! theorem gives ∇D = 2 w ⊗ r and ∇²D = 2 (w wᵀ ⊗ 1 − B (eₖ·eₗ)⁻¹ Bᵀ): one formula for points, edges and triangles.
//! **Cost**: some hundred operations. **Fails**: nowhere; between regions D is once differentiable, and between
//! parallel edges the minimizer jumps, which is what the mollifier (`stencil.rs`) is for.
//! Reference: Li et al. 2020, supplement.

use taut_ccd::Kind;

use crate::vector::{Vec3, cross, dot, scale, sub};

/// A gradient by the coordinates of four corners.
pub type Gradient = [f64; 12];
/// A Hessian by the coordinates of four corners.
pub type Hessian = [[f64; 12]; 12];

/// Between which parts of the four corners the distance is least; numbers are places in the stencil.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// Two corners.
    PointPoint(usize, usize),
    /// A corner and the inside of the edge between two others.
    PointEdge(usize, [usize; 2]),
    /// The point and the inside of the triangle.
    PointTriangle,
    /// The insides of both edges.
    EdgeEdge,
    /// A corner and a plane without end.
    PointPlane,
}

/// The shortest way between two features.
#[derive(Debug, Clone, Copy)]
pub struct Closest {
    /// Between which parts.
    pub region: Region,
    /// The difference of the two nearest points is Σ wᵢ xᵢ: positive weights are of the first feature.
    pub weights: [f64; 4],
    /// That difference \[m\].
    pub difference: Vec3,
    /// Its square \[m²\].
    pub squared: f64,
    /// How weights change with the free parameters.
    slopes: [[f64; 4]; 2],
    free: usize,
}

/// sin² of the angle between edges, below which they count as parallel: the nearest points then are at ends.
const PARALLEL: f64 = 1e-18;

impl Closest {
    /// The shortest way between the features with these corners: a vertex and a face, or two edges.
    pub fn new(kind: Kind, x: &[Vec3; 4]) -> Self {
        match kind {
            Kind::VertexFace => point_triangle(x),
            Kind::EdgeEdge => edge_edge(x),
        }
    }

    /// A corner and the plane with this normal through a point of it, the second corner.
    pub(crate) fn to_plane(x: &[Vec3; 4], normal: Vec3) -> Self {
        let height = dot(normal, sub(x[0], x[1]));
        Self {
            region: Region::PointPlane,
            weights: [1.0, -1.0, 0.0, 0.0],
            difference: scale(normal, height),
            squared: height * height,
            slopes: [[0.0; 4]; 2],
            free: 0,
        }
    }

    /// ∇D
    pub fn gradient(&self) -> Gradient {
        std::array::from_fn(|k| 2.0 * self.weights[k / 3] * self.difference[k % 3])
    }

    /// ∇²D
    pub fn hessian(&self, x: &[Vec3; 4]) -> Hessian {
        let w = &self.weights;
        let mut h = [[0.0; 12]; 12];
        for i in 0..4 {
            for j in 0..4 {
                (0..3).for_each(|k| h[3 * i + k][3 * j + k] = 2.0 * w[i] * w[j]);
            }
        }
        let mut e = [[0.0; 3]; 2];
        let mut b = [[0.0; 12]; 2];
        for k in 0..self.free {
            let slope = &self.slopes[k];
            e[k] = combine(slope, x);
            b[k] = std::array::from_fn(|m| {
                slope[m / 3] * self.difference[m % 3] + w[m / 3] * e[k][m % 3]
            });
        }
        let (aa, ab, bb) = (dot(e[0], e[0]), dot(e[0], e[1]), dot(e[1], e[1]));
        let inverse = match self.free {
            0 => return h,
            1 => [[1.0 / aa, 0.0], [0.0, 0.0]],
            _ => {
                let n = cross(e[0], e[1]);
                let det = dot(n, n);
                [[bb / det, -ab / det], [-ab / det, aa / det]]
            }
        };
        for i in 0..12 {
            let row = [0, 1].map(|l| 2.0 * (b[0][i] * inverse[0][l] + b[1][i] * inverse[1][l]));
            (0..12).for_each(|j| h[i][j] -= row[0] * b[0][j] + row[1] * b[1][j]);
        }
        h
    }
}

fn combine(w: &[f64; 4], x: &[Vec3; 4]) -> Vec3 {
    // Differences first: weights add up to 0, and features may be far from the origin.
    std::array::from_fn(|k| (1..4).map(|i| w[i] * (x[i][k] - x[0][k])).sum())
}

fn point_point(i: usize, j: usize, x: &[Vec3; 4]) -> Closest {
    let mut weights = [0.0; 4];
    (weights[i], weights[j]) = (1.0, -1.0);
    let difference = sub(x[i], x[j]);
    let squared = dot(difference, difference);
    let region = Region::PointPoint(i, j);
    Closest { region, weights, difference, squared, slopes: [[0.0; 4]; 2], free: 0 }
}

/// Point i and the edge from a to b, of which it may be nearest to an end. `sign`: −1 if the point is of the second feature.
fn point_edge(i: usize, [a, b]: [usize; 2], sign: f64, x: &[Vec3; 4]) -> Closest {
    let (e, p) = (sub(x[b], x[a]), sub(x[i], x[a]));
    let s = dot(p, e) / dot(e, e);
    // NaN where the edge has no length.
    if !(s > 0.0 && s < 1.0) {
        let end = if s >= 1.0 { b } else { a };
        return if sign > 0.0 { point_point(i, end, x) } else { point_point(end, i, x) };
    }
    let mut weights = [0.0; 4];
    (weights[i], weights[a], weights[b]) = (sign, -sign * (1.0 - s), -sign * s);
    let mut slope = [0.0; 4];
    (slope[a], slope[b]) = (sign, -sign);
    let difference: Vec3 = std::array::from_fn(|k| sign * (p[k] - s * e[k]));
    let squared = dot(difference, difference);
    let region = Region::PointEdge(i, [a, b]);
    Closest { region, weights, difference, squared, slopes: [slope, [0.0; 4]], free: 1 }
}

/// The regions of a triangle: inside, else the nearest of its sides.
fn point_triangle(x: &[Vec3; 4]) -> Closest {
    let (a, b, p) = (sub(x[2], x[1]), sub(x[3], x[1]), sub(x[0], x[1]));
    let n = cross(a, b);
    let size = dot(n, n);
    let (u, v) = (dot(cross(p, b), n) / size, dot(cross(a, p), n) / size);
    if u > 0.0 && v > 0.0 && u + v < 1.0 {
        // Along n exactly: the difference of two near points has no digits to tell its direction.
        let difference = scale(n, dot(n, p) / size);
        return Closest {
            region: Region::PointTriangle,
            weights: [1.0, u + v - 1.0, -u, -v],
            difference,
            squared: dot(difference, difference),
            slopes: [[0.0, 1.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]],
            free: 2,
        };
    }
    let sides = [[1, 2], [2, 3], [3, 1]].map(|side| point_edge(0, side, 1.0, x));
    least(sides)
}

/// Inside of both edges, else the nearest of the ends.
fn edge_edge(x: &[Vec3; 4]) -> Closest {
    let (a, b, p) = (sub(x[1], x[0]), sub(x[3], x[2]), sub(x[2], x[0]));
    let n = cross(a, b);
    let size = dot(n, n);
    let (s, t) = (dot(cross(p, b), n) / size, dot(cross(p, a), n) / size);
    let crosses = size > PARALLEL * dot(a, a) * dot(b, b);
    if crosses && s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
        let difference = scale(n, -dot(n, p) / size);
        return Closest {
            region: Region::EdgeEdge,
            weights: [1.0 - s, s, t - 1.0, -t],
            difference,
            squared: dot(difference, difference),
            slopes: [[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]],
            free: 2,
        };
    }
    least([
        point_edge(0, [2, 3], 1.0, x),
        point_edge(1, [2, 3], 1.0, x),
        point_edge(2, [0, 1], -1.0, x),
        point_edge(3, [0, 1], -1.0, x),
    ])
}

/// The first of the nearest.
fn least<const N: usize>(candidates: [Closest; N]) -> Closest {
    let mut best = candidates[0];
    for c in candidates {
        if c.squared < best.squared {
            best = c;
        }
    }
    best
}
