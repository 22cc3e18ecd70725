//! What a body is made of, and how it resists being deformed.
//!
//! A rigid body is an affine one: x = p + A X has 12 degrees of freedom, four nodes of three (p and the columns of A), so that vertices move
//! along straight lines where the nodes do. The potential k V |AᵀA − 1|² keeps A near to a rotation (Lan et al. 2022). A soft body has the
//! nodes of its tetrahedra.

use taut_soft::Solid;

use crate::matrix::Matrix;
use crate::psd::project;
use crate::vector::{Mat3, Vec3, along, dot};

/// How a body moves.
pub(crate) enum Kind {
    /// Not at all; it has no nodes.
    Fixed,
    /// By forces, as a whole. `mass` is ∫ρ (1, X)(1, X)ᵀ, `volume` that of the rest shape.
    Affine { mass: [[f64; 4]; 4], volume: f64 },
    /// As it is told, if nothing is in its way; for the matrix it is as heavy as its volume of water.
    Kinematic { mass: [[f64; 4]; 4], volume: f64 },
    /// By forces, node by node.
    Soft(Box<Solid>),
}

pub(crate) struct Body {
    pub name: String,
    pub kind: Kind,
    pub friction: f64,
    /// The least one of its closed pieces \[m\]; infinite if it has none.
    pub thickness: f64,
    /// Its first node, and how many.
    pub first: usize,
    pub nodes: usize,
    /// Its first vertex, and how many.
    pub first_vertex: usize,
    pub vertices: usize,
    /// Its faces and edges among all.
    pub faces: std::ops::Range<usize>,
    pub edges: std::ops::Range<usize>,
}

impl Body {
    /// Whether it is of one piece, so that it cannot touch itself.
    pub fn is_stiff(&self) -> bool {
        !matches!(self.kind, Kind::Soft(_))
    }

    /// Calls `visit` with all blocks (i, j), i ≥ j, of its mass \[kg\], numbered by nodes of the system.
    pub fn masses(&self, mut visit: impl FnMut(u32, u32, f64)) {
        let first = self.first as u32;
        match &self.kind {
            Kind::Fixed => {}
            Kind::Affine { mass, .. } | Kind::Kinematic { mass, .. } => {
                for i in 0..4_u32 {
                    (0..=i).for_each(|j| visit(first + i, first + j, mass[i as usize][j as usize]));
                }
            }
            Kind::Soft(solid) => {
                let (col_ptr, row_idx) = solid.pattern();
                for j in 0..self.nodes {
                    for k in col_ptr[j] as usize..col_ptr[j + 1] as usize {
                        visit(first + row_idx[k], first + j as u32, solid.mass()[k]);
                    }
                }
            }
        }
    }

    /// Energy of deformation \[J\] at the nodes q of the system; `stiffness` is k \[Pa\].
    pub fn energy(&self, q: &[Vec3], stiffness: f64) -> f64 {
        let q = &q[self.first..self.first + self.nodes];
        match &self.kind {
            Kind::Fixed => 0.0,
            Kind::Affine { volume, .. } | Kind::Kinematic { volume, .. } => {
                let c = strain(q);
                stiffness * volume * c.iter().flatten().map(|c| c * c).sum::<f64>()
            }
            Kind::Soft(solid) => solid.energy(q),
        }
    }

    /// out += s ∇E
    pub fn add_gradient(&self, q: &[Vec3], stiffness: f64, s: f64, out: &mut [Vec3]) {
        let range = self.first..self.first + self.nodes;
        let (q, out) = (&q[range.clone()], &mut out[range]);
        match &self.kind {
            Kind::Fixed => {}
            Kind::Affine { volume, .. } | Kind::Kinematic { volume, .. } => {
                let c = strain(q);
                for k in 0..3 {
                    for l in 0..3 {
                        out[1 + k] =
                            along(out[1 + k], 4.0 * s * stiffness * volume * c[k][l], q[1 + l]);
                    }
                }
            }
            Kind::Soft(solid) => {
                let mut gradient = vec![[0.0; 3]; q.len()];
                solid.gradient(q, &mut gradient);
                for (out, g) in out.iter_mut().zip(&gradient) {
                    *out = along(*out, s, *g);
                }
            }
        }
    }

    /// matrix += s ∇²E, made semidefinite.
    pub fn add_hessian(&self, q: &[Vec3], stiffness: f64, s: f64, matrix: &mut Matrix) {
        let q = &q[self.first..self.first + self.nodes];
        let first = self.first as u32;
        match &self.kind {
            Kind::Fixed => {}
            Kind::Affine { volume, .. } | Kind::Kinematic { volume, .. } => {
                let h = affine_hessian(q);
                for k in 0..3 {
                    for m in 0..=k {
                        let place = (first + 1 + k as u32, first + 1 + m as u32);
                        let Some(block) = matrix.block(place.0, place.1) else { continue };
                        for i in 0..3 {
                            for j in 0..3 {
                                block[3 * i + j] +=
                                    s * stiffness * volume * h[3 * k + i][3 * m + j];
                            }
                        }
                    }
                }
            }
            Kind::Soft(solid) => {
                let mut blocks = Vec::new();
                solid.stiffness(q, true, &mut blocks);
                let (col_ptr, row_idx) = solid.pattern();
                for j in 0..self.nodes {
                    for k in col_ptr[j] as usize..col_ptr[j + 1] as usize {
                        if let Some(block) = matrix.block(first + row_idx[k], first + j as u32) {
                            (0..9).for_each(|m| block[m] += s * blocks[9 * k + m]);
                        }
                    }
                }
            }
        }
    }
}

/// AᵀA − 1, A's columns the last three nodes.
fn strain(q: &[Vec3]) -> Mat3 {
    std::array::from_fn(|k| {
        std::array::from_fn(|l| dot(q[1 + k], q[1 + l]) - if k == l { 1.0 } else { 0.0 })
    })
}

/// Of |AᵀA − 1|² by the columns of A: 4 (δ Σ aₗaₗᵀ + aₘaₖᵀ + cₖₘ), made semidefinite.
fn affine_hessian(q: &[Vec3]) -> [[f64; 9]; 9] {
    let a = [q[1], q[2], q[3]];
    let c = strain(q);
    let h = std::array::from_fn(|r| {
        std::array::from_fn(|s| {
            let (k, i, m, j) = (r / 3, r % 3, s / 3, s % 3);
            let mut sum = a[m][i] * a[k][j];
            if k == m {
                sum += a.iter().map(|a| a[i] * a[j]).sum::<f64>();
            }
            if i == j {
                sum += c[k][m];
            }
            4.0 * sum
        })
    });
    project(h)
}
