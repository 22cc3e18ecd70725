//! Validation and mass properties of shapes.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use taut::math::{Mat3, Pose, Quat, Vec3};
use taut::shape::Shape;

fn error(shape: Shape) -> String {
    shape.build().unwrap_err().to_string()
}

#[test]
fn mistakes_are_named() {
    assert_eq!(
        error(Shape::Ball { radius: -1.0 }),
        "ball: radius must be positive and finite, but is -1"
    );
    let flat = Shape::Box { half_extents: Vec3::new(1.0, 0.0, 1.0) };
    assert!(error(flat).contains("half_extents.y"));
    assert!(error(Shape::Capsule { half_length: f64::NAN, radius: 1.0 }).contains("half_length"));
    assert!(error(Shape::Cylinder { half_height: 1.0, radius: f64::INFINITY }).contains("radius"));
    assert!(error(Shape::Cone { half_height: 0.0, radius: 1.0 }).contains("half_height"));
    assert!(error(Shape::HalfSpace { normal: Vec3::ZERO }).contains("normal"));
    assert!(error(Shape::HalfSpace { normal: Vec3::splat(f64::NAN) }).contains("normal"));
    assert!(error(Shape::ConvexHull { points: vec![] }).contains("empty"));
    assert!(error(Shape::ConvexHull { points: vec![Vec3::ZERO; 8] }).contains("no volume"));
    let square = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X + Vec3::Y];
    assert!(error(Shape::ConvexHull { points: square.to_vec() }).contains("no volume"));
    let holed = Shape::ConvexHull { points: vec![Vec3::ZERO, Vec3::splat(f64::NAN)] };
    assert_eq!(error(holed), "convex hull: points[1] is not finite, or too large");
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let mesh = |triangles| Shape::TriMesh { vertices: vertices.clone(), triangles };
    assert!(error(mesh(vec![[0, 1, 3]])).contains("triangles[0] refers to vertex 3"));
    assert!(error(mesh(vec![[0, 1, 2], [0, 1, 1]])).contains("triangles[1] has no area"));
    assert!(error(mesh(vec![])).contains("triangles is empty"));
    let field = |heights, nx, ny| Shape::HeightField { heights, nx, ny, size_x: 1.0, size_y: 1.0 };
    assert!(error(field(vec![0.0; 5], 2, 3)).contains("2 × 3"));
    assert!(error(field(vec![0.0; 3], 1, 3)).contains("at least 2 × 2"));
    assert!(error(field(vec![0.0, 0.0, f64::NAN, 0.0], 2, 2)).contains("heights[2]"));
    let compound =
        |part| Shape::Compound { parts: vec![(Pose::IDENTITY, cube(1.0)), (Pose::IDENTITY, part)] };
    assert!(error(compound(plane())).contains("parts[1] is a half-space"));
    assert!(error(compound(compound(cube(1.0)))).contains("parts[1] is a compound"));
    assert!(error(compound(cube(-1.0))).contains("parts[1]: box: half_extents.x"));
    assert!(error(Shape::Compound { parts: vec![] }).contains("empty"));
}

/// Asserts that two shapes have the same mass properties.
fn assert_same(shape: &Shape, reference: &Shape, tolerance: f64) {
    let (a, b) = (shape.mass_properties(2.0).unwrap(), reference.mass_properties(2.0).unwrap());
    assert!((a.mass - b.mass).abs() < tolerance * b.mass, "{a:?} {b:?}");
    assert!(a.centre.distance(b.centre) < tolerance, "{a:?} {b:?}");
    let scale = b.inertia.to_cols_array().into_iter().fold(0.0, f64::max);
    let difference = (a.inertia - b.inertia).to_cols_array();
    assert!(difference.iter().all(|d| d.abs() < tolerance * scale), "{a:?} {b:?}");
}

/// A prism or cone of many sides as a convex hull.
fn round_hull(rings: &[(f64, f64)], sides: usize) -> Shape {
    let mut points = Vec::new();
    for &(radius, z) in rings {
        for k in 0..sides {
            let (s, c) = (std::f64::consts::TAU * k as f64 / sides as f64).sin_cos();
            points.push(Vec3::new(radius * c, radius * s, z));
        }
    }
    Shape::ConvexHull { points }
}

#[test]
fn closed_forms_match_polyhedra() {
    let cylinder = Shape::Cylinder { half_height: 0.7, radius: 0.4 };
    assert_same(&round_hull(&[(0.4, -0.7), (0.4, 0.7)], 200), &cylinder, 2e-3);
    let cone = Shape::Cone { half_height: 0.7, radius: 0.4 };
    assert_same(&round_hull(&[(0.4, -0.7), (1e-6, 0.7)], 200), &cone, 2e-3);
    let rings: Vec<(f64, f64)> = (0..=40)
        .map(|k| {
            let (s, c) = (std::f64::consts::PI * (k as f64 + 0.01) / 40.02).sin_cos();
            (0.3 * s, 0.3 * c + if k < 20 { 0.5 } else { -0.5 })
        })
        .collect();
    assert_same(&round_hull(&rings, 60), &Shape::Capsule { half_length: 0.5, radius: 0.3 }, 1e-2);
}

#[test]
fn box_as_mesh_and_as_compound() {
    let whole = Shape::Box { half_extents: Vec3::new(0.6, 0.2, 0.1) };
    let half = Shape::Box { half_extents: Vec3::new(0.3, 0.2, 0.1) };
    let parts = vec![(at(-0.3, 0.0, 0.0), half.clone()), (at(0.3, 0.0, 0.0), half)];
    assert_same(&Shape::Compound { parts }, &whole, 1e-14);
    let quarter = Quat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let turned = Shape::Box { half_extents: Vec3::new(0.2, 0.6, 0.1) };
    let parts = vec![(Pose::from_parts(Vec3::ZERO, quarter), turned)];
    assert_same(&Shape::Compound { parts }, &whole, 1e-14);
}

#[test]
fn mesh_volume_needs_a_closed_oriented_mesh() {
    let vertices: Vec<Vec3> = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        .map(Vec3::from_array)
        .to_vec();
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let mesh = |triangles| Shape::TriMesh { vertices: vertices.clone(), triangles };
    let p = mesh(triangles.clone()).mass_properties(6.0).unwrap();
    assert!((p.mass - 1.0).abs() < 1e-14);
    assert!(p.centre.distance(Vec3::splat(0.25)) < 1e-14);
    // ∫x² = 1/60 and ∫xy = 1/120 for the unit tetrahedron of volume 1/6.
    let (xx, xy) = (6.0 / 60.0 - 1.0 / 16.0, 6.0 / 120.0 - 1.0 / 16.0);
    let column = |i: usize| {
        let mut c = Vec3::splat(-xy);
        c[i] = 2.0 * xx;
        c
    };
    let inertia = Mat3::from_cols(column(0), column(1), column(2));
    assert!((p.inertia - inertia).to_cols_array().iter().all(|d| d.abs() < 1e-14));
    assert_same(&Shape::ConvexHull { points: vertices.clone() }, &mesh(triangles.clone()), 1e-13);
    let inside_out = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let message = |shape: Shape| shape.mass_properties(1.0).unwrap_err().to_string();
    assert!(message(mesh(inside_out)).contains("inside out"));
    assert!(message(mesh(triangles[..3].to_vec())).contains("not closed"));
    assert!(message(plane()).contains("no volume"));
    assert!(message(terrain(0.0)).contains("no volume"));
    assert!(cube(1.0).mass_properties(-1.0).is_err());
}

#[test]
fn building_twice_gives_the_same_hull() {
    let mut random = Random(9);
    let points: Vec<Vec3> = (0..60).map(|_| random.vector(1.0)).collect();
    let built = || format!("{:?}", Shape::ConvexHull { points: points.clone() }.build());
    assert_eq!(built(), built());
}
