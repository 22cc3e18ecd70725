//! Meshes and random numbers for the tests, each of which uses some of it.

#![allow(dead_code)]

use taut_sdf::Vec3;

pub type Mesh = (Vec<Vec3>, Vec<[u32; 3]>);

/// splitmix64, as numbers in [0, 1).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / 18_446_744_073_709_551_616.0
    }

    pub fn point(&mut self, size: f64) -> Vec3 {
        [0, 1, 2].map(|_| size * (2.0 * self.next() - 1.0))
    }
}

/// A ring around z, of `n` by `m` quadrangles.
pub fn torus(ring: f64, tube: f64, n: usize, m: usize) -> Mesh {
    let mut vertices = Vec::new();
    for i in 0..n {
        for j in 0..m {
            let a = std::f64::consts::TAU * i as f64 / n as f64;
            let b = std::f64::consts::TAU * j as f64 / m as f64;
            let r = ring + tube * b.cos();
            vertices.push([r * a.cos(), r * a.sin(), tube * b.sin()]);
        }
    }
    let at = |i: usize, j: usize| (i % n * m + j % m) as u32;
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..m {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

/// A box around the origin.
pub fn cuboid(h: Vec3) -> Mesh {
    let vertices = (0..8)
        .map(|i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 0 { -h[k] } else { h[k] }))
        .collect();
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    (vertices, triangles)
}
