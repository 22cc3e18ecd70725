//! Meshes of simple shapes.

use std::f64::consts::TAU;

use crate::vector::Vec3;
use crate::{Error, Mesh};

impl Mesh {
    /// A box around the origin \[m\].
    pub fn block(half: Vec3) -> Result<Self, Error> {
        Self::hexahedron(std::array::from_fn(|i| {
            let sign = |k: usize| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
            [sign(0) * half[0], sign(1) * half[1], sign(2) * half[2]]
        }))
    }

    /// Eight corners: of corner i, bit 0 says which end along the first axis, bit 1 along the second, bit 2 along the third.
    pub fn hexahedron(corners: [Vec3; 8]) -> Result<Self, Error> {
        const QUADS: [[u32; 4]; 6] =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = QUADS.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
        Self::new(corners.to_vec(), triangles.collect())
    }

    /// Four corners, the last of which sees the others counter-clockwise from behind.
    pub fn tetrahedron(corners: [Vec3; 4]) -> Result<Self, Error> {
        Self::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    }

    /// A pyramid that stands on a square of twice `half` about the origin, its tip at `height`. A negative height makes it hang.
    pub fn spike(half: f64, height: f64) -> Result<Self, Error> {
        let h = half;
        let base = [[-h, -h, 0.0], [h, -h, 0.0], [h, h, 0.0], [-h, h, 0.0], [0.0, 0.0, height]];
        let mut triangles = vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
        if height < 0.0 {
            triangles.iter_mut().for_each(|t: &mut [u32; 3]| t.swap(0, 1));
        }
        Self::new(base.to_vec(), triangles)
    }

    /// A prism along y with a triangle (x, z), seen counter-clockwise from −y.
    pub fn wedge(triangle: [[f64; 2]; 3], half_width: f64) -> Result<Self, Error> {
        let side = |y: f64| triangle.map(|[x, z]| [x, y, z]);
        let vertices = [side(-half_width), side(half_width)].concat();
        let mut triangles = vec![[0, 1, 2], [3, 5, 4]];
        for k in 0..3 {
            let n = (k + 1) % 3;
            triangles.extend([[k, k + 3, n + 3], [k, n + 3, n]]);
        }
        Self::new(vertices, triangles)
    }

    /// A solid of revolution about z with any radius \[m\] at an angle and a share of its height, from z = 0; with an inner radius it
    /// is a tube. `cells`: around and along z.
    pub fn turned(
        outer: impl Fn(f64, f64) -> f64,
        inner: Option<&dyn Fn(f64, f64) -> f64>,
        height: f64,
        [around, along]: [usize; 2],
    ) -> Result<Self, Error> {
        let (around, along) = (around.max(3), along.max(1));
        let mut vertices = Vec::new();
        let mut wall = |radius: &dyn Fn(f64, f64) -> f64| {
            for k in 0..=along {
                let share = k as f64 / along as f64;
                for i in 0..around {
                    let angle = TAU * i as f64 / around as f64;
                    let (sin, cos) = angle.sin_cos();
                    let r = radius(angle, share);
                    vertices.push([r * cos, r * sin, height * share]);
                }
            }
        };
        wall(&outer);
        let start = (around * (along + 1)) as u32;
        if let Some(inner) = inner {
            wall(inner);
        }
        let at = |wall: u32, i: usize, k: usize| wall + (k * around + i % around) as u32;
        let mut triangles = Vec::new();
        for k in 0..along {
            for i in 0..around {
                let quad =
                    |w: u32| [at(w, i, k), at(w, i + 1, k), at(w, i + 1, k + 1), at(w, i, k + 1)];
                let [a, b, c, d] = quad(0);
                triangles.extend([[a, b, c], [a, c, d]]);
                if inner.is_some() {
                    let [a, b, c, d] = quad(start);
                    triangles.extend([[a, c, b], [a, d, c]]);
                }
            }
        }
        for i in 0..around {
            let (b0, b1) = (at(0, i, 0), at(0, i + 1, 0));
            let (t0, t1) = (at(0, i, along), at(0, i + 1, along));
            if inner.is_some() {
                let (c0, c1) = (at(start, i, 0), at(start, i + 1, 0));
                let (u0, u1) = (at(start, i, along), at(start, i + 1, along));
                triangles.extend([[b0, c0, b1], [b1, c0, c1], [t0, t1, u0], [t1, u1, u0]]);
            } else {
                triangles.extend([[b0, start, b1], [t0, t1, start + 1]]);
            }
        }
        if inner.is_none() {
            vertices.extend([[0.0; 3], [0.0, 0.0, height]]);
        }
        Self::new(vertices, triangles)
    }

    /// A ring about z: radius of its middle and of its section \[m\]; cells around, and around the section. Stretched by `stretch` along x.
    pub fn ring(
        [radius, section]: [f64; 2],
        stretch: f64,
        [around, across]: [usize; 2],
    ) -> Result<Self, Error> {
        let (around, across) = (around.max(3), across.max(3));
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        let at = |i: usize, j: usize| (i % around * across + j % across) as u32;
        for i in 0..around {
            let (s, c) = (TAU * i as f64 / around as f64).sin_cos();
            for j in 0..across {
                let (v, u) = (TAU * j as f64 / across as f64).sin_cos();
                let r = radius + section * u;
                let straight = if c > 1e-9 {
                    stretch
                } else if c < -1e-9 {
                    -stretch
                } else {
                    0.0
                };
                vertices.push([r * c + straight, r * s, section * v]);
                triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
        Self::new(vertices, triangles)
    }

    /// A ball about the origin: cells around and from pole to pole.
    pub fn ball(radius: f64, [around, along]: [usize; 2]) -> Result<Self, Error> {
        let (around, along) = (around.max(3), along.max(2));
        let mut vertices = vec![[0.0, 0.0, -radius]];
        for k in 1..along {
            let (s, c) = (0.5 * TAU * k as f64 / along as f64).sin_cos();
            for i in 0..around {
                let (y, x) = (TAU * i as f64 / around as f64).sin_cos();
                vertices.push([radius * s * x, radius * s * y, -radius * c]);
            }
        }
        let top = vertices.len() as u32;
        vertices.push([0.0, 0.0, radius]);
        let at = |i: usize, k: usize| 1 + ((k - 1) * around + i % around) as u32;
        let mut triangles = Vec::new();
        for i in 0..around {
            triangles.push([0, at(i + 1, 1), at(i, 1)]);
            triangles.push([top, at(i, along - 1), at(i + 1, along - 1)]);
            for k in 1..along - 1 {
                let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Self::new(vertices, triangles)
    }

    /// A square of twice `half` in the plane z = 0: open, for fixed bodies.
    pub fn ground(half: f64) -> Result<Self, Error> {
        let h = half;
        let corners = vec![[-h, -h, 0.0], [h, -h, 0.0], [h, h, 0.0], [-h, h, 0.0]];
        Self::open(corners, vec![[0, 1, 2], [0, 2, 3]])
    }
}
