//! Number, place and names of the contacts of resting pairs.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use taut::math::{Pose, Quat, Vec3};
use taut::shape::Shape;

fn square(h: f64, z: f64) -> [[f64; 3]; 4] {
    [[-h, -h, z], [h, -h, z], [h, h, z], [-h, h, z]]
}

#[test]
fn box_on_plane() {
    let m = single(&plane(), Pose::IDENTITY, &cube(0.5), at(0.0, 0.0, 0.5));
    assert_eq!(m.normal, Vec3::Z);
    assert_points(&m, &square(0.5, 0.0), 1e-14);
}

#[test]
fn tilted_box_on_plane_has_its_edge() {
    let tilt = Quat::from_rotation_x(0.3);
    let low = 0.5 * (0.3f64.sin() + 0.3f64.cos());
    let pose = Pose::from_parts(Vec3::new(0.0, 0.0, low), tilt);
    let m = single(&plane(), Pose::IDENTITY, &cube(0.5), pose);
    assert_eq!(m.points().len(), 2);
}

#[test]
fn aligned_boxes_have_four_exact_corners() {
    for z in [1.0, 1.0 - 1e-6, 1.0 + 1e-6] {
        let m = single(&cube(0.5), Pose::IDENTITY, &cube(0.5), at(0.0, 0.0, z));
        assert_eq!(m.normal, Vec3::Z);
        assert_points(&m, &square(0.5, z - 0.5), 1e-14);
        for p in m.points() {
            assert!((p.gap - (z - 1.0)).abs() < 1e-14, "{}", p.gap);
        }
    }
}

#[test]
fn aligned_boxes_far_up_a_stack() {
    let m = single(&cube(0.5), at(3.0, -2.0, 7.5), &cube(0.5), at(3.0, -2.0, 8.5));
    assert_eq!(m.points().len(), 4);
    assert!(m.points().iter().all(|p| p.gap.abs() < 1e-14));
}

#[test]
fn box_turned_by_45_degrees_has_an_octagon() {
    let quarter = std::f64::consts::FRAC_PI_4;
    let m = single(&cube(0.5), Pose::IDENTITY, &cube(0.5), turned(0.0, 0.0, 1.0, quarter));
    assert_eq!(m.normal, Vec3::Z);
    let c = 0.5 * (2f64.sqrt() - 1.0);
    let mut corners = Vec::new();
    for (x, y) in [(0.5, c), (c, 0.5)] {
        for (s, t) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            corners.push([s * x, t * y, 0.5]);
        }
    }
    assert_points(&m, &corners, 1e-12);
}

#[test]
fn slightly_turned_box_has_four_points() {
    let m = single(&cube(0.5), Pose::IDENTITY, &cube(0.5), turned(0.0, 0.0, 1.0, 0.02));
    assert_eq!(m.points().len(), 4);
}

#[test]
fn overhanging_box() {
    let m = single(&cube(0.5), Pose::IDENTITY, &cube(0.5), at(0.3, 0.0, 1.0));
    let corners = [[-0.2, -0.5, 0.5], [0.5, -0.5, 0.5], [0.5, 0.5, 0.5], [-0.2, 0.5, 0.5]];
    assert_points(&m, &corners, 1e-14);
    let m = single(&cube(0.5), Pose::IDENTITY, &cube(0.5), at(0.3, 0.4, 1.0));
    let corners = [[-0.2, -0.1, 0.5], [0.5, -0.1, 0.5], [0.5, 0.5, 0.5], [-0.2, 0.5, 0.5]];
    assert_points(&m, &corners, 1e-14);
}

#[test]
fn slightly_tilted_box_on_box_has_its_edge() {
    for tilt in [0.005f64, 0.02, 0.1] {
        let low = 0.5 * (tilt.sin() + tilt.cos());
        let turn = Quat::from_rotation_x(tilt);
        let pose = Pose::from_parts(Vec3::new(0.1, 0.0, 0.5 + low), turn);
        let m = single(&cube(0.5), Pose::IDENTITY, &cube(0.5), pose);
        assert_eq!(m.points().len(), 2, "{tilt} {m:#?}");
        assert!(m.points().iter().all(|p| p.gap.abs() < 1e-12), "{tilt} {m:#?}");
    }
}

#[test]
fn boxes_that_share_an_edge_line_do_not_touch() {
    assert!(manifolds(&cube(0.5), Pose::IDENTITY, &cube(0.5), at(1.0, 0.0, 1.0)).is_empty());
    assert_eq!(manifolds(&cube(0.5), Pose::IDENTITY, &cube(0.5), at(0.99, 0.0, 1.0)).len(), 1);
}

#[test]
fn crossed_logs() {
    let log = Shape::Box { half_extents: Vec3::new(1.0, 0.1, 0.1) };
    let quarter = std::f64::consts::FRAC_PI_2;
    let m = single(&log, Pose::IDENTITY, &log, turned(0.0, 0.0, 0.2, quarter));
    assert_points(&m, &square(0.1, 0.1), 1e-14);
}

#[test]
fn small_box_on_large() {
    let m = single(&cube(5.0), at(0.0, 0.0, -5.0), &cube(0.1), at(1.0, 0.0, 0.1));
    assert_eq!(m.normal, Vec3::Z);
    assert_eq!(m.points().len(), 4);
    assert!(m.points().iter().all(|p| p.gap.abs() < 1e-14));
    let m = single(&cube(0.1), at(1.0, 0.0, 0.1), &cube(5.0), at(0.0, 0.0, -5.0));
    assert_eq!(m.normal, -Vec3::Z);
    assert_eq!(m.points().len(), 4);
}

#[test]
fn crossing_edges_touch_in_one_point() {
    let s = std::f64::consts::FRAC_PI_4;
    let up = Quat::from_rotation_x(s);
    let across = Quat::from_rotation_y(s);
    let high = 2f64.sqrt();
    let m = single(
        &cube(0.5),
        Pose::from_parts(Vec3::ZERO, up),
        &cube(0.5),
        Pose::from_parts(Vec3::new(0.1, 0.05, high - 1e-4), across),
    );
    assert!((m.normal - Vec3::Z).length() < 1e-12);
    assert_eq!(m.points().len(), 1);
    assert!((m.points()[0].gap + 1e-4).abs() < 1e-12);
}

#[test]
fn box_on_two_triangles() {
    for (x, y) in [(0.0, 0.0), (0.3, -0.2), (1.0, 1.0)] {
        let m = single(&two_triangles(2.0), Pose::IDENTITY, &cube(0.5), at(x, y, 0.5));
        assert_eq!(m.normal, Vec3::Z);
        let corners = square(0.5, 0.0).map(|[a, b, c]| [a + x, b + y, c]);
        assert_points(&m, &corners, 1e-12);
    }
}

#[test]
fn box_over_the_border_of_a_mesh() {
    let m = single(&two_triangles(2.0), Pose::IDENTITY, &cube(0.5), at(1.8, 0.0, 0.5));
    let corners = [[1.3, -0.5, 0.0], [2.0, -0.5, 0.0], [2.0, 0.5, 0.0], [1.3, 0.5, 0.0]];
    assert_points(&m, &corners, 1e-12);
}

#[test]
fn box_on_flat_terrain() {
    let m = single(&terrain(0.0), Pose::IDENTITY, &cube(0.6), at(0.1, 0.2, 0.6));
    assert_eq!(m.normal, Vec3::Z);
    let corners = square(0.6, 0.0).map(|[a, b, c]| [a + 0.1, b + 0.2, c]);
    assert_points(&m, &corners, 1e-12);
}

#[test]
fn box_on_sloped_terrain() {
    let slope: f64 = 0.3;
    let n = Vec3::new(-slope, 0.0, 1.0).normalize();
    let turn = Quat::from_rotation_arc(Vec3::Z, n);
    let m = single(&terrain(slope), Pose::IDENTITY, &cube(0.6), Pose::from_parts(0.6 * n, turn));
    assert!((m.normal - n).length() < 1e-12);
    assert_eq!(m.points().len(), 4, "{m:#?}");
    assert!(m.points().iter().all(|p| p.gap.abs() < 1e-12));
}

fn cylinder() -> Shape {
    Shape::Cylinder { half_height: 0.5, radius: 0.2 }
}

fn grounds() -> Vec<(&'static str, Shape, Pose)> {
    vec![
        ("plane", plane(), Pose::IDENTITY),
        ("box", cube(2.0), at(0.0, 0.0, -2.0)),
        ("mesh", two_triangles(2.0), Pose::IDENTITY),
        ("terrain", terrain(0.0), Pose::IDENTITY),
    ]
}

#[test]
fn standing_cylinder_has_rim_points() {
    for (name, ground, pose) in grounds() {
        let m = single(&ground, pose, &cylinder(), at(0.1, 0.0, 0.5));
        assert!((m.normal - Vec3::Z).length() < 1e-14, "{name}");
        assert_eq!(m.points().len(), 6, "{name} {m:#?}");
        for p in m.points() {
            let r = p.point_b - Vec3::new(0.1, 0.0, 0.0);
            assert!((r.length() - 0.2).abs() < 1e-12, "{name} {p:?}");
        }
    }
}

#[test]
fn lying_cylinder_has_the_ends_of_its_line() {
    for (name, ground, pose) in grounds() {
        let m = single(&ground, pose, &cylinder(), lying(0.1, 0.0, 0.2));
        assert!((m.normal - Vec3::Z).length() < 1e-12, "{name}");
        assert_points(&m, &[[-0.4, 0.0, 0.0], [0.6, 0.0, 0.0]], 1e-9);
    }
}

#[test]
fn tilted_cylinder_touches_with_its_lowest_rim_point() {
    let tilt: f64 = 0.3;
    let turn = Quat::from_rotation_z(0.7) * Quat::from_rotation_y(tilt);
    let high = 0.5 * tilt.cos() + 0.2 * tilt.sin();
    for (name, ground, pose) in grounds() {
        let at = Pose::from_parts(Vec3::new(0.0, 0.0, high), turn);
        let m = single(&ground, pose, &cylinder(), at);
        assert_eq!(m.points().len(), 1, "{name}");
        assert!(m.points()[0].gap.abs() < 1e-12, "{name} {}", m.points()[0].gap);
    }
}

#[test]
fn parallel_cylinders_touch_along_a_line() {
    let m = single(&cylinder(), lying(0.0, 0.0, 0.0), &cylinder(), lying(0.3, 0.0, 0.4));
    assert!((m.normal - Vec3::Z).length() < 1e-12);
    assert_points(&m, &[[-0.2, 0.0, 0.2], [0.5, 0.0, 0.2]], 1e-9);
}

#[test]
fn stacked_cylinders() {
    let m = single(&cylinder(), Pose::IDENTITY, &cylinder(), at(0.0, 0.0, 1.0));
    assert_eq!(m.normal, Vec3::Z);
    assert_eq!(m.points().len(), 6);
}

#[test]
fn cone_on_its_base() {
    let cone = Shape::Cone { half_height: 0.5, radius: 0.3 };
    for (name, ground, pose) in grounds() {
        let m = single(&ground, pose, &cone, at(0.0, 0.0, 0.5));
        assert!((m.normal - Vec3::Z).length() < 1e-14, "{name}");
        assert_eq!(m.points().len(), 6, "{name}");
    }
}

#[test]
fn cone_on_its_side() {
    let cone = Shape::Cone { half_height: 0.5, radius: 0.3 };
    let half_angle = (0.3f64 / 1.0).atan();
    // Turn the slant into the ground, then lift until it touches.
    let turn = Quat::from_rotation_y(std::f64::consts::FRAC_PI_2 + half_angle);
    let high = 0.5 * half_angle.sin();
    for (name, ground, pose) in grounds() {
        let m = single(&ground, pose, &cone, Pose::from_parts(Vec3::new(0.0, 0.0, high), turn));
        assert_eq!(m.points().len(), 2, "{name} {m:#?}");
        assert!(m.points().iter().all(|p| p.gap.abs() < 1e-9), "{name} {m:#?}");
    }
}

fn capsule() -> Shape {
    Shape::Capsule { half_length: 0.5, radius: 0.1 }
}

#[test]
fn parallel_capsules_have_two_points() {
    let m = single(&capsule(), lying(0.0, 0.0, 0.0), &capsule(), lying(0.2, 0.0, 0.2));
    assert!((m.normal - Vec3::Z).length() < 1e-12);
    assert_points(&m, &[[-0.3, 0.0, 0.1], [0.5, 0.0, 0.1]], 1e-12);
}

#[test]
fn crossed_capsules_have_one_point() {
    let across = Pose::from_parts(
        Vec3::new(0.1, 0.2, 0.2),
        Quat::from_rotation_x(std::f64::consts::FRAC_PI_2),
    );
    let m = single(&capsule(), lying(0.0, 0.0, 0.0), &capsule(), across);
    assert_points(&m, &[[0.1, 0.0, 0.1]], 1e-12);
}

#[test]
fn capsules_end_to_end() {
    let m = single(&capsule(), Pose::IDENTITY, &capsule(), at(0.0, 0.0, 1.2));
    assert_points(&m, &[[0.0, 0.0, 0.6]], 1e-12);
}

#[test]
fn capsule_on_ground() {
    for (name, ground, pose) in grounds() {
        let m = single(&ground, pose, &capsule(), lying(0.0, 0.1, 0.1));
        assert!((m.normal - Vec3::Z).length() < 1e-12, "{name}");
        assert_points(&m, &[[-0.5, 0.1, 0.0], [0.5, 0.1, 0.0]], 1e-12);
        let m = single(&ground, pose, &capsule(), at(0.0, 0.1, 0.6));
        assert_points(&m, &[[0.0, 0.1, 0.0]], 1e-12);
    }
}

#[test]
fn capsule_along_the_edge_of_a_box() {
    // Beyond the upper edge x = 2, z = 0, at 45 degrees from it.
    let d = 0.1 / 2f64.sqrt();
    let along_y = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let pose = Pose::from_parts(Vec3::new(2.0 + d, 0.0, d), along_y);
    let m = single(&cube(2.0), at(0.0, 0.0, -2.0), &capsule(), pose);
    assert_eq!(m.points().len(), 2, "{m:#?}");
    assert!(m.points().iter().all(|p| p.gap.abs() < 1e-9));
    assert!((m.normal - Vec3::new(1.0, 0.0, 1.0).normalize()).length() < 1e-6);
}

#[test]
fn ball_on_everything() {
    let ball = Shape::Ball { radius: 0.2 };
    let mut all = grounds();
    all.push(("ball", Shape::Ball { radius: 1.0 }, at(0.3, 0.2, -1.0)));
    all.push(("capsule", Shape::Capsule { half_length: 1.0, radius: 0.5 }, lying(0.0, 0.2, -0.5)));
    all.push(("cylinder", Shape::Cylinder { half_height: 1.0, radius: 0.5 }, at(0.0, 0.0, -1.0)));
    all.push(("lying", Shape::Cylinder { half_height: 1.0, radius: 0.5 }, lying(0.0, 0.2, -0.5)));
    all.push(("hull", octahedron_prism(), at(0.0, 0.0, -0.5)));
    for (name, ground, pose) in all {
        let m = single(&ground, pose, &ball, at(0.3, 0.2, 0.2 - 1e-5));
        assert!((m.normal - Vec3::Z).length() < 1e-7, "{name} {m:#?}");
        assert_eq!(m.points().len(), 1, "{name}");
        assert!((m.points()[0].gap + 1e-5).abs() < 1e-12, "{name} {}", m.points()[0].gap);
    }
}

fn octahedron_prism() -> Shape {
    let mut points = Vec::new();
    for k in 0..8 {
        let (s, c) = (k as f64 * std::f64::consts::FRAC_PI_4).sin_cos();
        points.push(Vec3::new(c, s, -0.5));
        points.push(Vec3::new(c, s, 0.5));
    }
    Shape::ConvexHull { points }
}

#[test]
fn hull_on_ground() {
    for (name, ground, pose) in grounds() {
        let m = single(&ground, pose, &octahedron_prism(), at(0.1, 0.1, 0.5));
        assert!((m.normal - Vec3::Z).length() < 1e-12, "{name}");
        assert_eq!(m.points().len(), 8, "{name} {m:#?}");
    }
}

#[test]
fn box_as_hull_matches_box() {
    let corners = square(0.5, -0.5).into_iter().chain(square(0.5, 0.5));
    let hull = Shape::ConvexHull { points: corners.map(Vec3::from_array).collect() };
    let mut random = Random(7);
    let mut compared = 0;
    for _ in 0..300 {
        let pose = random.pose(0.9);
        let b = manifolds(&cube(0.4), Pose::IDENTITY, &cube(0.5), pose);
        let h = manifolds(&cube(0.4), Pose::IDENTITY, &hull, pose);
        assert_eq!(b.len(), h.len());
        if let ([b], [h]) = (&b[..], &h[..]) {
            compared += 1;
            assert!((b.normal - h.normal).length() < 1e-9, "{b:#?} {h:#?}");
            assert_eq!(b.points().len(), h.points().len());
        }
    }
    assert!(compared > 50);
}

#[test]
fn compound_table_stands_on_its_four_legs() {
    let leg = Shape::Box { half_extents: Vec3::new(0.05, 0.05, 0.4) };
    let parts = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]
        .map(|[x, y]| (at(x, y, 0.0), leg.clone()));
    let table = Shape::Compound { parts: parts.to_vec() };
    for (name, ground, pose) in grounds() {
        let m = single(&ground, pose, &table, at(0.0, 0.0, 0.4));
        assert_points(&m, &square(0.55, 0.0), 1e-12);
        assert_eq!(m.normal, Vec3::Z, "{name}");
    }
}

#[test]
fn closed_mesh_stands_on_a_plane() {
    let vertices = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mesh = Shape::TriMesh {
        vertices: vertices.map(Vec3::from_array).to_vec(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    };
    let m = single(&plane(), Pose::IDENTITY, &mesh, Pose::IDENTITY);
    assert_eq!(m.points().len(), 3);
    let m = single(&cube(2.0), at(0.0, 0.0, -2.0), &mesh, Pose::IDENTITY);
    assert_eq!(m.points().len(), 3, "{m:#?}");
    assert!((m.normal - Vec3::Z).length() < 1e-12);
}

/// All resting pairs: shape A and pose, shape B and pose.
fn resting() -> Vec<(String, Shape, Pose, Shape, Pose)> {
    let mut all = Vec::new();
    for (name, ground, pose) in grounds() {
        let tops = [
            ("box", cube(0.5), at(0.1, 0.2, 0.5)),
            ("cylinder", cylinder(), at(0.1, 0.0, 0.5)),
            ("lying cylinder", cylinder(), lying(0.1, 0.03, 0.2)),
            ("cone", Shape::Cone { half_height: 0.5, radius: 0.3 }, at(0.0, 0.0, 0.5)),
            ("capsule", capsule(), lying(0.0, 0.1, 0.1)),
            ("ball", Shape::Ball { radius: 0.2 }, at(0.1, 0.2, 0.2)),
            ("hull", octahedron_prism(), at(0.1, 0.05, 0.5)),
        ];
        for (top, shape, at) in tops {
            all.push((format!("{top} on {name}"), ground.clone(), pose, shape, at));
        }
    }
    let quarter = std::f64::consts::FRAC_PI_4;
    let pairs = [
        ("boxes", cube(0.5), Pose::IDENTITY, cube(0.5), at(0.0, 0.0, 1.0)),
        ("turned boxes", cube(0.5), Pose::IDENTITY, cube(0.5), turned(0.0, 0.0, 1.0, quarter)),
        ("overhang", cube(0.5), Pose::IDENTITY, cube(0.5), at(0.3, 0.0, 1.0)),
        ("capsules", capsule(), lying(0.0, 0.0, 0.0), capsule(), lying(0.2, 0.0, 0.2)),
        ("cylinders", cylinder(), Pose::IDENTITY, cylinder(), at(0.0, 0.0, 1.0)),
        ("lying cylinders", cylinder(), lying(0.0, 0.0, 0.0), cylinder(), lying(0.3, 0.0, 0.4)),
        ("hulls", octahedron_prism(), Pose::IDENTITY, octahedron_prism(), at(0.0, 0.0, 1.0)),
        ("hull on box", cube(0.5), Pose::IDENTITY, octahedron_prism(), at(0.3, 0.0, 1.0)),
    ];
    all.extend(pairs.map(|(n, a, p, b, q)| (n.to_string(), a, p, b, q)));
    all
}

#[test]
fn keys_survive_tiny_motion() {
    let mut random = Random(3);
    for (name, a, pa, b, pb) in resting() {
        let keys = |pose: Pose| {
            let found = manifolds(&a, pa, &b, pose);
            let mut keys: Vec<_> =
                found.iter().flat_map(|m| m.points()).map(|p| p.feature).collect();
            keys.sort();
            keys
        };
        let at_rest = keys(pb);
        for k in 0..30 {
            let scale = [1e-12, 1e-9, 1e-7][k % 3];
            let turn = Quat::from_scaled_axis(random.vector(scale));
            let pose = Pose::from_parts(pb.translation + random.vector(scale), turn * pb.rotation);
            assert_eq!(keys(pose), at_rest, "{name}");
        }
    }
}

#[test]
fn swapping_the_colliders_flips_the_normal() {
    for (name, a, pa, b, pb) in resting() {
        let (m, w) = (single(&a, pa, &b, pb), single(&b, pb, &a, pa));
        assert!((m.normal + w.normal).length() < 1e-9, "{name}");
        assert_eq!(m.points().len(), w.points().len(), "{name} {m:#?} {w:#?}");
        for p in m.points() {
            let same = |q: &taut::collide::ContactPoint| q.point_a.distance(p.point_b) < 1e-6;
            assert!(w.points().iter().any(same), "{name} {m:#?} {w:#?}");
        }
    }
}
