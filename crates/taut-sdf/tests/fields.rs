//! Fields of meshes against formulas, grids against the exact field, least values against brute force.

mod common;

use common::{Random, cuboid, torus};
use taut_sdf::{
    Ball, Cuboid, Field, Grid, Placement, Surface, Torus, Vec3, face_contacts, face_minimum,
    vertex_contacts,
};

fn surface((vertices, triangles): common::Mesh) -> Surface {
    Surface::new(vertices, triangles).expect("a solid")
}

fn distance(a: Vec3, b: Vec3) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn a_box_of_triangles_is_a_box() {
    let h = [1.0, 2.0, 0.5];
    let (mesh, exact) = (surface(cuboid(h)), Cuboid { half_extents: h });
    let mut random = Random(1);
    for _ in 0..5_000 {
        let p = random.point(3.0);
        let (s, e) = (mesh.sample(p), exact.sample(p));
        assert!((s.distance - e.distance).abs() < 1e-12, "{p:?} {s:?} {e:?}");
        if distance(s.gradient, e.gradient) > 1e-9 {
            // Inside two faces may be equally near.
            assert!(e.distance < 0.0 && (mesh.sample(p).distance - e.distance).abs() < 1e-12);
        }
    }
}

/// Points whose nearest point is a side or a corner, in and out of an L-shaped solid: the sign comes from
/// pseudo-normals.
#[test]
fn signs_are_right_around_ridges_and_hollows() {
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let mut vertices: Vec<Vec3> = Vec::new();
    for z in [0.0, 1.0] {
        vertices.extend(outline.iter().map(|p| [p[0], p[1], z]));
    }
    let mut triangles = Vec::new();
    for i in 0..6_u32 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        triangles.extend([[a, c, b], [a + 6, b + 6, c + 6]]);
    }
    let mesh = surface((vertices, triangles));
    let mut random = Random(2);
    for _ in 0..20_000 {
        let p = random.point(2.5);
        let inside = |x: f64, lo: f64, hi: f64| x > lo && x < hi;
        let within = inside(p[2], 0.0, 1.0)
            && ((inside(p[0], 0.0, 2.0) && inside(p[1], 0.0, 1.0))
                || (inside(p[0], 0.0, 1.0) && inside(p[1], 0.0, 2.0)));
        assert_eq!(mesh.distance(p) < 0.0, within, "{p:?}");
    }
    // Exactly opposite a corner and a side.
    assert!(mesh.distance([3.0, 2.0, 2.0]) > 0.0 && mesh.distance([3.0, 2.0, 0.5]) > 0.0);
    assert!(mesh.distance([0.9, 0.9, 0.5]) < 0.0 && mesh.distance([1.1, 1.1, 0.5]) > 0.0);
}

#[test]
fn gradients_are_slopes() {
    let mesh = surface(torus(1.0, 0.4, 40, 20));
    let fields: [(&str, &dyn Field); 4] = [
        ("mesh", &mesh),
        ("ball", &Ball { centre: [0.3, 0.0, 0.1], radius: 0.7 }),
        ("box", &Cuboid { half_extents: [0.5, 0.8, 0.3] }),
        ("torus", &Torus { ring: 1.0, tube: 0.4 }),
    ];
    let mut random = Random(3);
    for (name, field) in fields {
        let mut bad = 0;
        for _ in 0..1_000 {
            let p = random.point(1.5);
            let g = field.sample(p).gradient;
            assert!((distance(g, [0.0; 3]) - 1.0).abs() < 1e-9, "{name} {p:?} {g:?}");
            let h = 1e-6;
            let slope = [0, 1, 2].map(|k| {
                let (mut q, mut r) = (p, p);
                q[k] += h;
                r[k] -= h;
                (field.distance(q) - field.distance(r)) / (2.0 * h)
            });
            // Where the nearest point jumps there is no slope.
            bad += usize::from(distance(slope, g) > 1e-3);
        }
        assert!(bad < 10, "{name}: {bad}");
    }
}

#[test]
fn a_grid_is_near_the_exact_field() {
    let mesh = surface(torus(1.0, 0.4, 48, 24));
    let grid = Grid::new(&mesh, 40).expect("fits");
    let mut random = Random(4);
    for _ in 0..5_000 {
        let mut p = random.point(1.45);
        p[2] *= 0.3;
        let (s, e) = (grid.sample(p), mesh.sample(p));
        // Half a cell's diagonal where the axis of the tube or of the ring bends the field; beyond the band, of a block.
        let cells = if e.distance.abs() < grid.cell() { 0.87 } else { 0.87 * 4.0 };
        assert!((s.distance - e.distance).abs() <= cells * grid.cell(), "{p:?} {s:?} {e:?}");
        if e.distance.abs() < grid.cell() {
            assert!((s.distance - e.distance).abs() <= 0.1 * grid.cell(), "{p:?} {s:?} {e:?}");
        }
        let q = random.point(1.6);
        let most = grid.lipschitz() * distance(p, q) + 1e-12;
        assert!((s.distance - grid.distance(q)).abs() <= most);
    }
    // Beyond it, too.
    assert!((grid.distance([9.0, 0.0, 0.0]) - mesh.distance([9.0, 0.0, 0.0])).abs() < grid.cell());
    assert!(grid.lipschitz() < 2.0);
}

/// Fine near the surface, coarse elsewhere, and no step between the two.
#[test]
fn grids_are_sparse_and_continuous() {
    let mesh = surface(torus(1.0, 0.4, 48, 24));
    let grid = Grid::new(&mesh, 100).expect("fits");
    let mut random = Random(6);
    for _ in 0..20_000 {
        let mut p = random.point(1.5);
        p[2] *= 0.3;
        let (s, e) = (grid.sample(p), mesh.distance(p));
        assert!(s.distance * e > 0.0 || e.abs() < grid.cell(), "{p:?} {s:?} {e}");
        // Across the borders of cells and blocks, near by.
        let step = random.point(0.1 * grid.cell());
        let q = [0, 1, 2].map(|k| p[k] + step[k]);
        let most = grid.lipschitz() * distance(p, q) + 1e-12;
        assert!((s.distance - grid.distance(q)).abs() <= most, "{p:?} {q:?}");
    }
    assert!(grid.lipschitz() < 2.5, "{}", grid.lipschitz());
    // Twice as fine: four times as much where a dense one takes eight.
    let fine = Grid::new(&mesh, 200).expect("fits");
    let growth = fine.samples() as f64 / grid.samples() as f64;
    let [nx, ny, nz] = fine.counts();
    let share = fine.samples() as f64 / (nx * ny * nz) as f64;
    assert!(growth < 5.0 && share < 0.65, "{growth} {share}");
}

/// Least values by branch and bound against a fine raster of the triangle.
#[test]
fn least_values_are_certain() {
    let mesh = surface(torus(0.5, 0.2, 24, 12));
    let grid = Grid::new(&mesh, 24).expect("fits");
    let torus = Torus { ring: 0.5, tube: 0.2 };
    let mut random = Random(5);
    for i in 0..40 {
        let corners = [0, 1, 2].map(|_| random.point(1.0));
        let tolerance = 1e-2;
        let check = |name: &str, field: &dyn Field| {
            struct By<'a>(&'a dyn Field);
            impl Field for By<'_> {
                fn sample(&self, p: Vec3) -> taut_sdf::Sample {
                    self.0.sample(p)
                }
                fn lipschitz(&self) -> f64 {
                    self.0.lipschitz()
                }
            }
            let found = face_minimum(&By(field), corners, tolerance, 100_000);
            let mut least = f64::INFINITY;
            const N: usize = 80;
            for a in 0..=N {
                for b in 0..=N - a {
                    let (u, v) = (a as f64 / N as f64, b as f64 / N as f64);
                    let p = [0, 1, 2].map(|k| {
                        (1.0 - u - v) * corners[0][k] + u * corners[1][k] + v * corners[2][k]
                    });
                    least = least.min(field.distance(p));
                }
            }
            assert!(found.distance <= least + tolerance, "{name} {i}: {found:?} {least}");
            assert!(
                found.at_least <= least && found.distance - found.at_least <= tolerance + 1e-15,
                "{name} {i}: {found:?}"
            );
            assert!((field.distance(found.point) - found.distance).abs() < 1e-12);
        };
        check("torus", &torus);
        check("mesh", &mesh);
        check("grid", &grid);
    }
}

#[test]
fn a_far_triangle_takes_four_values() {
    let ball = Ball { centre: [0.0; 3], radius: 1.0 };
    let far =
        face_minimum(&ball, [[90.0, 0.0, 0.0], [91.0, 0.0, 0.0], [90.0, 1.0, 0.0]], 1.0, 1000);
    assert_eq!(far.evaluations, 4);
    // Cut short, it says how much it knows.
    let flat =
        face_minimum(&ball, [[-9.0, -9.0, 1.0], [9.0, -9.0, 1.0], [0.0, 9.0, 1.0]], 1e-9, 50);
    assert!(flat.evaluations <= 54 && flat.at_least <= 0.0 && flat.distance >= 0.0, "{flat:?}");
}

/// A cube turned by 45° about z stands in the field of another one, both away from the origin.
#[test]
fn contacts_are_in_the_world() {
    let cube = surface(cuboid([0.5; 3]));
    let (s, c) = (0.5_f64.sqrt(), 0.5_f64.sqrt());
    let below = Placement {
        rotation: [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]],
        origin: [3.0, 4.0, 5.0],
    };
    // Lies on its side: x up.
    let above = Placement {
        rotation: [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]],
        origin: [3.5, 4.0, 5.99],
    };
    let vertices = vertex_contacts((&cube, &below), (&cube, &above), 0.1);
    assert!(!vertices.is_empty());
    for contact in &vertices {
        assert!((contact.gap + 0.01).abs() < 1e-12 || contact.gap > 0.0, "{contact:?}");
        if contact.gap < 0.0 {
            assert!(distance(contact.normal, [0.0, 0.0, 1.0]) < 1e-12, "{contact:?}");
            assert!((contact.point[2] - 5.49).abs() < 1e-12);
        }
    }
    let faces = face_contacts((&cube, &below), (&cube, &above), 0.1, 1e-3);
    assert!(faces.iter().filter(|c| c.gap < -0.009).count() >= 2);
    // Edges that cross, with no vertex inside: only the faces find them.
    let bar = surface(cuboid([2.0, 0.1, 0.1]));
    let across = Placement {
        rotation: [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        origin: [0.0, 0.0, 0.19],
    };
    assert!(vertex_contacts((&bar, &Placement::IDENTITY), (&bar, &across), 0.0).is_empty());
    let faces = face_contacts((&bar, &Placement::IDENTITY), (&bar, &across), 0.0, 1e-3);
    assert!(!faces.is_empty());
    assert!(
        faces
            .iter()
            .any(|c| (c.gap + 0.01).abs() < 1e-3 && distance(c.normal, [0.0, 0.0, 1.0]) < 1e-9)
    );
}

#[test]
#[ignore = "a study: prints times"]
fn times() {
    // As tall as it is wide, so that the grid is 64³.
    let (mut vertices, triangles) = torus(1.0, 0.4, 250, 100);
    vertices.iter_mut().for_each(|v| v[2] *= 3.5);
    let start = std::time::Instant::now();
    let mesh = surface((vertices, triangles));
    let built = start.elapsed();
    let grid = Grid::new(&mesh, 60).expect("fits");
    let all = start.elapsed();
    let message = format!(
        "{} triangles: surface {built:?}, with a grid of {:?} {all:?}",
        mesh.triangles().len(),
        grid.counts()
    );
    // What a value costs, near the surface, and how far a grid is off at the corners of a box.
    let mut random = Random(5);
    let near = |p: &Vec3| mesh.nearest_within(*p, 0.05).is_some();
    let points: Vec<Vec3> =
        std::iter::repeat_with(|| random.point(1.4)).filter(near).take(20_000).collect();
    let time = |field: &dyn Fn(Vec3) -> f64| {
        let start = std::time::Instant::now();
        let sum: f64 = points.iter().map(|&p| field(p)).sum();
        assert!(sum.is_finite());
        start.elapsed().as_nanos() / points.len() as u128
    };
    let (exact, sampled) = (time(&|p| mesh.distance(p)), time(&|p| grid.distance(p)));
    let corner = [1.0, 0.93, 0.87];
    let block = surface(cuboid(corner));
    let coarse = Grid::new(&block, 60).expect("fits");
    let off = (coarse.distance(corner) - block.distance(corner)).abs() / coarse.cell();
    let message = format!(
        "{message}; a value takes {exact} ns exactly, {sampled} ns by the grid, which is off by {off:.2} cells at corners\n"
    );
    std::fs::write(std::env::temp_dir().join("taut-sdf-times.txt"), message).expect("a file");
}
