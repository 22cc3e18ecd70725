//! Solids that are not convex.

use taut::math::Vec3;
use taut::{Body, Shape, World};

/// A ring around z, of 24 by 12 quadrangles.
fn ring(radius: f64, bar: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
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

fn solid((vertices, triangles): (Vec<Vec3>, Vec<[u32; 3]>)) -> Shape {
    Shape::Sdf { vertices, triangles }
}

/// A slab or a cube.
fn block(half: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let sign = |i: usize, k: usize| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
    let vertices = (0..8).map(|i| half * Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect();
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    (vertices, triangles)
}

/// A ring hangs in another one, crosswise: nothing but contact holds it.
#[test]
fn rings_hang_in_one_another() {
    for h in [1.0 / 60.0, 1.0 / 240.0] {
        let shape = solid(ring(0.1, 0.02));
        let mut world = World::new();
        let upright = taut::math::Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        world
            .add_body(Body::fixed("upper").orientation(upright).shape(shape.clone()))
            .expect("sound");
        let turn = taut::math::Quat::from_rotation_z(std::f64::consts::FRAC_PI_2) * upright;
        let lower = Body::dynamic("lower").orientation(turn).shape(shape).mass(1.0);
        let lower = world.add_body(lower.position(Vec3::new(0.0, 0.0, -0.155))).expect("sound");
        let mut deepest = 0.0_f64;
        for _ in 0..240 {
            assert!(world.step(h).expect("a step").converged());
            deepest = world.contacts().map(|c| c.gap).fold(deepest, f64::min);
        }
        let z = world.body(lower).expect("there").position().z;
        assert!((z + 0.16).abs() < 0.002, "{z}");
        assert!(deepest > -1e-3, "{deepest}");
    }
}

/// A mesh that is not convex, moved by forces, is such a solid by itself.
#[test]
fn moving_meshes_rest_on_one_another() {
    let (vertices, triangles) = ring(0.1, 0.03);
    let mut world = World::new();
    world
        .add_body(Body::fixed("table").shape(solid(block(Vec3::new(0.3, 0.3, 0.05)))))
        .expect("sound");
    let body = Body::dynamic("ring").shape(Shape::TriMesh { vertices, triangles }).mass(2.0);
    let id = world.add_body(body.position(Vec3::new(0.0, 0.0, 0.085))).expect("sound");
    for _ in 0..60 {
        assert!(world.step(1.0 / 60.0).expect("a step").converged());
    }
    let body = world.body(id).expect("there");
    assert!((body.position().z - 0.08).abs() < 1e-3, "{}", body.position().z);
    assert!(body.velocity().length() < 1e-3);
}

/// A thin plate at 100 m/s moves 1.7 m in a step: it must not pass a slab of 4 cm.
#[test]
fn fast_solids_do_not_pass() {
    let mut world = World::new();
    world
        .add_body(Body::fixed("wall").shape(solid(block(Vec3::new(0.5, 0.5, 0.02)))))
        .expect("sound");
    let shape = solid(ring(0.1, 0.02));
    let body = Body::dynamic("ring").shape(shape).mass(1.0).velocity(Vec3::new(0.0, 0.0, -100.0));
    let id = world.add_body(body.position(Vec3::new(0.0, 0.0, 0.9))).expect("sound");
    for _ in 0..10 {
        world.step(1.0 / 60.0).expect("a step");
        let z = world.body(id).expect("there").position().z;
        assert!(z > 0.02, "{z}");
    }
}

#[test]
fn meshes_that_bound_no_solid_are_errors() {
    let (vertices, triangles) = ring(0.1, 0.02);
    let error = |vertices: &[Vec3], triangles: &[[u32; 3]]| {
        let shape = Shape::Sdf { vertices: vertices.to_vec(), triangles: triangles.to_vec() };
        let mut world = World::new();
        let body = Body::dynamic("part").shape(shape).mass(1.0);
        world.add_body(body).expect_err("no solid").to_string()
    };
    let open = error(&vertices, &triangles[1..]);
    assert!(open.contains("open") && open.contains("part"), "{open}");
    let turned: Vec<_> = triangles.iter().map(|t| [t[1], t[0], t[2]]).collect();
    assert!(error(&vertices, &turned).contains("inside out"));
    let (wide, triangles) = ring(0.05, 0.08);
    assert!(error(&wide, &triangles).contains("cuts itself"));
    assert!(error(&[], &[]).contains("empty"), "{}", error(&[], &[]));
}
