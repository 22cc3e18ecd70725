//! Surfaces of solids that are not convex.

use std::f64::consts::PI;
use taut::Shape;
use taut::math::Vec3;

pub type Mesh = (Vec<Vec3>, Vec<[u32; 3]>);

/// A ring around z, of 24 by 12 quadrangles.
pub fn ring(radius: f64, bar: f64) -> Mesh {
    let (n, m) = (24, 12);
    let mut vertices = Vec::new();
    for i in 0..n {
        for j in 0..m {
            let (s, c) = (std::f64::consts::TAU * i as f64 / n as f64).sin_cos();
            let (t, d) = (std::f64::consts::TAU * j as f64 / m as f64).sin_cos();
            let r = radius + bar * d;
            vertices.push(Vec3::new(r * c, r * s, bar * t));
        }
    }
    let at = |i: u32, j: u32| i % n * m + j % m;
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..m {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

pub fn solid((vertices, triangles): Mesh) -> Shape {
    Shape::Sdf { vertices, triangles }
}

/// A slab or a cube.
pub fn block(half: Vec3) -> Mesh {
    let sign = |i: usize, k: usize| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
    let vertices = (0..8).map(|i| half * Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect();
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    (vertices, triangles)
}

/// An outline (counter-clockwise, every point seen from the origin) from `low` to `high` along z.
pub fn prism(outline: &[[f64; 2]], low: f64, high: f64) -> Mesh {
    let n = outline.len() as u32;
    let ring = |z: f64| outline.iter().map(move |p| Vec3::new(p[0], p[1], z));
    let mut vertices: Vec<Vec3> = ring(low).chain(ring(high)).collect();
    vertices.extend([Vec3::Z * low, Vec3::Z * high]);
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([
            [i, j, n + j],
            [i, n + j, n + i],
            [j, i, 2 * n],
            [n + i, n + j, 2 * n + 1],
        ]);
    }
    (vertices, triangles)
}

/// A wall between two outlines with the same number of points.
pub fn tube(inner: &[[f64; 2]], outer: &[[f64; 2]], low: f64, high: f64) -> Mesh {
    let n = inner.len() as u32;
    let ring =
        |p: &[[f64; 2]], z: f64| p.iter().map(|p| Vec3::new(p[0], p[1], z)).collect::<Vec<_>>();
    let rings = [ring(inner, low), ring(inner, high), ring(outer, low), ring(outer, high)];
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        for [a, b] in [[1, 0], [2, 3], [3, 1], [0, 2]] {
            let (a, b) = (a * n, b * n);
            triangles.extend([[a + i, a + j, b + j], [a + i, b + j, b + i]]);
        }
    }
    (rings.concat(), triangles)
}

/// A polygon whose corners are at one radius, then at the other.
pub fn star(far: f64, near: f64, points: usize) -> Vec<[f64; 2]> {
    let corner = |i: usize| {
        let (s, c) = (PI * i as f64 / points as f64).sin_cos();
        let r = if i.is_multiple_of(2) { far } else { near };
        [r * c, r * s]
    };
    (0..2 * points).map(corner).collect()
}

/// Half a hollow ball, open above.
pub fn bowl(radius: f64, wall: f64) -> Mesh {
    let (n, steps) = (24_u32, 8);
    let mut vertices = vec![-Vec3::Z * radius];
    let mut circles = |r: f64, range: &mut dyn Iterator<Item = usize>| {
        for k in range {
            let (s, c) = (0.5 * PI * k as f64 / steps as f64).sin_cos();
            vertices.extend((0..n).map(|i| {
                let (t, d) = (2.0 * PI * f64::from(i) / f64::from(n)).sin_cos();
                Vec3::new(r * s * d, r * s * t, -r * c)
            }));
        }
    };
    circles(radius, &mut (1..=steps));
    circles(radius - wall, &mut (1..=steps).rev());
    vertices.push(-Vec3::Z * (radius - wall));
    let (last, rings) = (vertices.len() as u32 - 1, 2 * steps as u32);
    let mut triangles = Vec::new();
    for i in 0..n {
        let j = (i + 1) % n;
        let at = |ring: u32, i: u32| 1 + ring * n + i;
        triangles.extend([[0, at(0, j), at(0, i)], [at(rings - 1, i), at(rings - 1, j), last]]);
        for k in 1..rings {
            triangles.extend([
                [at(k - 1, i), at(k - 1, j), at(k, j)],
                [at(k - 1, i), at(k, j), at(k, i)],
            ]);
        }
    }
    (vertices, triangles)
}
