//! Shape functions of tetrahedra with 4 and 10 nodes, and where their integrals are sampled.
//!
//! Nodes of a quadratic element are numbered as in gmsh: four corners, then the middles of the edges of [`EDGES`].

use crate::matrix::{Mat3, Vec3, determinant, inverse};

/// Corners of the edges whose middles are nodes 4 to 9.
pub(crate) const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [2, 3], [1, 3]];

/// Corners of the faces, counter-clockwise seen from outside.
pub(crate) const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// Barycentric coordinates and a share of the volume.
pub(crate) type Sample = ([f64; 4], f64);

/// Where stiffness is sampled: exact for straight elements.
pub(crate) fn stiffness_samples(nodes: usize) -> Vec<Sample> {
    if nodes == 4 {
        return vec![([0.25; 4], 1.0)];
    }
    // Four points, exact for polynomials of degree 2.
    let a = (5.0 - 5.0_f64.sqrt()) / 20.0;
    symmetric(a, 0.25).to_vec()
}

/// Fourteen points, exact for polynomials of degree 5: products of quadratic shape functions (Walkington 2000).
pub(crate) fn mass_samples() -> Vec<Sample> {
    let mut samples = symmetric(0.310_885_919_263_300_6, 0.112_687_925_718_015_9).to_vec();
    samples.extend(symmetric(0.092_735_250_310_891_23, 0.073_493_043_116_361_95));
    let a = 0.045_503_704_125_649_65;
    for [i, j] in EDGES {
        let mut point = [0.5 - a; 4];
        (point[i], point[j]) = (a, a);
        samples.push((point, 0.042_546_020_777_081_47));
    }
    samples
}

/// The four points with three coordinates a.
fn symmetric(a: f64, weight: f64) -> [Sample; 4] {
    std::array::from_fn(|k| {
        let mut point = [a; 4];
        point[k] = 1.0 - 3.0 * a;
        (point, weight)
    })
}

/// Values of the shape functions at barycentric coordinates l.
pub(crate) fn values(nodes: usize, l: &[f64; 4]) -> [f64; 10] {
    let mut n = [0.0; 10];
    if nodes == 4 {
        n[..4].copy_from_slice(l);
    } else {
        (0..4).for_each(|k| n[k] = l[k] * (2.0 * l[k] - 1.0));
        EDGES.iter().enumerate().for_each(|(e, &[i, j])| n[4 + e] = 4.0 * l[i] * l[j]);
    }
    n
}

/// Derivatives by the barycentric coordinates 1 to 3, 0 being what is left of 1.
fn slopes(nodes: usize, l: &[f64; 4]) -> [Vec3; 10] {
    const D: [Vec3; 4] = [[-1.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut g = [[0.0; 3]; 10];
    for a in 0..3 {
        if nodes == 4 {
            (0..4).for_each(|k| g[k][a] = D[k][a]);
        } else {
            (0..4).for_each(|k| g[k][a] = (4.0 * l[k] - 1.0) * D[k][a]);
            for (e, &[i, j]) in EDGES.iter().enumerate() {
                g[4 + e][a] = 4.0 * (l[i] * D[j][a] + l[j] * D[i][a]);
            }
        }
    }
    g
}

/// Derivatives of the shape functions by rest coordinates, and the determinant of the map (six times the volume where
/// the element is straight).
pub(crate) fn gradients(rest: &[Vec3], l: &[f64; 4]) -> ([Vec3; 10], f64) {
    let slopes = slopes(rest.len(), l);
    let map = gradient_of(rest, &slopes);
    let d = determinant(&map);
    let inverse = if d == 0.0 { [[0.0; 3]; 3] } else { inverse(&map) };
    let by_rest = |s: Vec3| std::array::from_fn(|b| (0..3).map(|a| s[a] * inverse[a][b]).sum());
    (slopes.map(by_rest), d)
}

/// Σ x_a ⊗ g_a
pub(crate) fn gradient_of(x: &[Vec3], g: &[Vec3; 10]) -> Mat3 {
    let mut f = [[0.0; 3]; 3];
    for (x, g) in x.iter().zip(g) {
        for (row, x) in f.iter_mut().zip(x) {
            row.iter_mut().zip(g).for_each(|(f, g)| *f += x * g);
        }
    }
    f
}
