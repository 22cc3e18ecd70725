//! Anticipation, inner edges, broad phase and random poses.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use parry3d_f64::query;
use parry3d_f64::shape::Cuboid;
use taut::collide::{Collider, CollisionPipeline, Groups, Manifold, Motion};
use taut::math::{Pose, Vec3};
use taut::shape::Shape;

const DT: f64 = 1.0 / 60.0;

fn flying(pose: Pose, velocity: Vec3) -> Motion {
    Motion { velocity, ..at_rest(pose) }
}

#[test]
fn fast_box_meets_its_contacts_one_step_ahead() {
    let grounds = [
        (plane(), Pose::IDENTITY),
        (cube(2.0), at(0.0, 0.0, -2.0)),
        (two_triangles(2.0), Pose::IDENTITY),
        (terrain(0.0), Pose::IDENTITY),
    ];
    for (ground, pose) in grounds {
        let falling = flying(at(0.0, 0.0, 0.6), Vec3::new(0.0, 0.0, -10.0));
        let found = moving(&ground, at_rest(pose), &cube(0.5), falling, DT, MARGIN);
        assert_eq!(found.len(), 1, "{ground:?} {found:#?}");
        assert_eq!(found[0].points().len(), 4);
        for p in found[0].points() {
            assert!((p.gap - 0.1).abs() < 1e-12, "{}", p.gap);
        }
        // Too far to be reached.
        let falling = flying(at(0.0, 0.0, 0.7), Vec3::new(0.0, 0.0, -10.0));
        let found = moving(&ground, at_rest(pose), &cube(0.5), falling, DT, MARGIN);
        assert!(found.is_empty() || matches!(ground, Shape::HalfSpace { .. }), "{ground:?}");
    }
}

#[test]
fn fast_ball_passing_an_edge_is_left_alone() {
    // Falls past the edge x = 1, z = 0 of a box with clearance c: the corner
    // is within reach now, and below the centre.
    for clearance in [0.002, 0.02, 0.05] {
        let ball = Shape::Ball { radius: 0.1 };
        let start = at(1.1 + clearance, 0.0, 0.05);
        let falling = flying(start, Vec3::new(0.0, 0.0, -10.0));
        let found = moving(&cube(1.0), at_rest(at(0.0, 0.0, -1.0)), &ball, falling, DT, 0.005);
        for m in found {
            let p = m.points()[0];
            // A contact is allowed if it does not act on this motion.
            let closing = -m.normal.dot(falling.velocity) * DT;
            assert!(closing <= p.gap + 1e-3, "{clearance} {m:#?}");
        }
    }
}

#[test]
fn fast_ball_hitting_a_wall_gets_the_wall_normal() {
    // Comes from above the box and beside it, and hits its side.
    let ball = Shape::Ball { radius: 0.1 };
    let motion = flying(at(1.2, 0.0, 0.02), Vec3::new(-10.0, 0.0, -10.0));
    let found = moving(&cube(1.0), at_rest(at(0.0, 0.0, -1.0)), &ball, motion, DT, MARGIN);
    assert_eq!(found.len(), 1);
    assert!((found[0].normal - Vec3::X).length() < 1e-3, "{found:#?}");
    assert!((found[0].points()[0].gap - 0.1).abs() < 1e-3);
}

#[test]
fn nothing_catches_on_inner_edges() {
    let shapes = [
        (cube(0.2), 0.2),
        (Shape::Ball { radius: 0.2 }, 0.2),
        (Shape::Cylinder { half_height: 0.2, radius: 0.15 }, 0.2),
        (Shape::Cone { half_height: 0.2, radius: 0.15 }, 0.2),
    ];
    for ground in [terrain(0.0), two_triangles(2.0)] {
        for (shape, height) in &shapes {
            for depth in [-5e-4, 0.0, 1e-4, 2e-3] {
                for k in 0..60 {
                    let x = -1.0 + 0.0351 * k as f64;
                    let pose = turned(x, 0.3 * x, height - depth, 0.1 * k as f64);
                    for speed in [0.0, 3.0] {
                        let motion = flying(pose, Vec3::new(speed, 0.3 * speed, 0.0));
                        let found =
                            moving(&ground, at_rest(Pose::IDENTITY), shape, motion, DT, MARGIN);
                        assert_eq!(found.len(), 1, "{shape:?} {depth} {x} {found:#?}");
                        let tilt = (found[0].normal - Vec3::Z).length();
                        assert!(tilt < 1e-6, "{shape:?} {depth} {x} {found:#?}");
                    }
                }
            }
        }
    }
}

#[test]
fn box_slides_from_tile_to_tile() {
    // Two boxes side by side make a floor; the seam is at x = 1.
    for depth in [-1e-4, 0.0, 1e-7, 1e-5, 1e-4] {
        for k in 0..40 {
            for speed in [0.01, 1.0, 10.0] {
                let x = 0.7 + 0.01 * k as f64;
                let motion = flying(at(x, 0.1, 0.2 - depth), Vec3::new(speed, 0.0, -1e-3));
                for tile in [0.0, 2.0] {
                    let pose = at(tile, 0.0, -1.0);
                    let found = moving(&cube(1.0), at_rest(pose), &cube(0.2), motion, DT, MARGIN);
                    for m in found {
                        assert!(
                            (m.normal - Vec3::Z).length() < 1e-12,
                            "{depth} {x} {speed} {m:#?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn box_slides_over_a_ridge() {
    // A roof: the ridge along y at x = 0. Normals must lie between the faces'.
    let roof = Shape::TriMesh {
        vertices: vec![
            Vec3::new(-1.0, -1.0, -0.5),
            Vec3::new(0.0, -1.0, 0.0),
            Vec3::new(0.0, 1.0, 0.0),
            Vec3::new(-1.0, 1.0, -0.5),
            Vec3::new(1.0, -1.0, -0.5),
            Vec3::new(1.0, 1.0, -0.5),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]],
    };
    for k in 0..21 {
        let x = -0.1 + 0.01 * k as f64;
        let found = manifolds(&roof, Pose::IDENTITY, &cube(0.2), at(x, 0.0, 0.2 - 1e-4));
        assert_eq!(found.len(), 1, "{x} {found:#?}");
        assert!(found[0].normal.x.abs() < 1e-9 && found[0].normal.z > 0.99, "{x} {found:#?}");
        assert_eq!(found[0].points().len(), 2, "{x} {found:#?}");
    }
}

#[test]
fn spinning_rod_meets_a_post() {
    let rod = Shape::Box { half_extents: Vec3::new(1.0, 0.02, 0.02) };
    let post = cube(0.02);
    let motion = Motion { angular_velocity: Vec3::new(0.0, 0.0, 10.0), ..at_rest(Pose::IDENTITY) };
    let found = moving(&rod, motion, &post, at_rest(at(0.9, 0.14, 0.0)), DT, MARGIN);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].normal.y > 0.9, "{found:#?}");
    assert!(found[0].points().iter().all(|p| p.gap > 0.0 && p.gap < 0.16));
}

fn heap(count: usize, random: &mut Random) -> (Vec<Option<Collider>>, Vec<Motion>) {
    let mut colliders = vec![collider(0, &plane())];
    let mut motions = vec![Motion { is_static: true, ..at_rest(Pose::IDENTITY) }];
    for i in 0..count {
        let shape = match i % 4 {
            0 => cube(0.3),
            1 => Shape::Ball { radius: 0.4 },
            2 => Shape::Capsule { half_length: 0.4, radius: 0.2 },
            _ => Shape::Cylinder { half_height: 0.3, radius: 0.3 },
        };
        colliders.push(collider(i as u32 + 1, &shape));
        motions.push(Motion {
            pose: random.pose(2.0),
            velocity: random.vector(3.0),
            angular_velocity: random.vector(3.0),
            is_static: i % 7 == 0,
        });
    }
    (colliders, motions)
}

#[test]
fn tree_finds_the_pairs_of_a_brute_force_search() {
    let mut random = Random(11);
    let mut pipeline = CollisionPipeline::new();
    let mut out = Vec::new();
    for round in 0..20 {
        let (mut colliders, motions) = heap(40, &mut random);
        if round % 3 == 1 {
            colliders[5] = None;
            colliders.truncate(30);
        }
        pipeline.update(&colliders, &motions, DT, MARGIN, |_, _| true, &mut out);
        check(&out);
        let all = out.clone();
        let mut expected: Vec<Manifold> = Vec::new();
        for i in 0..colliders.len() {
            for j in i + 1..colliders.len() {
                let mut two = vec![None; colliders.len()];
                two[i] = colliders[i].clone();
                two[j] = colliders[j].clone();
                let mut fresh = CollisionPipeline::new();
                fresh.update(&two, &motions, DT, MARGIN, |_, _| true, &mut out);
                expected.extend_from_slice(&out);
            }
        }
        assert_eq!(all, expected);
        assert!(all.len() > 10, "{}", all.len());
    }
}

#[test]
fn groups_and_filter() {
    let mut a = collider(0, &cube(0.5));
    let b = collider(1, &cube(0.5));
    let motions = [at_rest(Pose::IDENTITY), at_rest(at(0.0, 0.0, 1.0))];
    let mut pipeline = CollisionPipeline::new();
    let mut out = Vec::new();
    pipeline.update(&[a.clone(), b.clone()], &motions, DT, MARGIN, |_, _| false, &mut out);
    assert!(out.is_empty());
    a.as_mut().unwrap().groups = Groups { membership: 1, mask: 2 };
    pipeline.update(&[a.clone(), b.clone()], &motions, DT, MARGIN, |_, _| true, &mut out);
    assert_eq!(out.len(), 1);
    a.as_mut().unwrap().groups = Groups { membership: 0, mask: 2 };
    pipeline.update(&[a, b], &motions, DT, MARGIN, |_, _| true, &mut out);
    assert!(out.is_empty());
}

#[test]
fn bad_motions_are_left_out() {
    let colliders = [collider(0, &cube(0.5)), collider(1, &cube(0.5)), collider(9, &cube(0.5))];
    let nan = at_rest(at(f64::NAN, 0.0, 0.0));
    let mut out = Vec::new();
    let motions = [at_rest(Pose::IDENTITY), nan];
    CollisionPipeline::new().update(&colliders, &motions, DT, MARGIN, |_, _| true, &mut out);
    assert!(out.is_empty());
}

#[test]
fn random_boxes_agree_with_a_distance_query() {
    let mut random = Random(5);
    let (mut apart, mut overlapping) = (0, 0);
    for _ in 0..2000 {
        let (ha, hb) = (
            Vec3::new(random.range(0.1, 0.6), random.range(0.1, 0.6), random.range(0.1, 0.6)),
            Vec3::new(random.range(0.1, 0.6), random.range(0.1, 0.6), random.range(0.1, 0.6)),
        );
        let pose = random.pose(0.9);
        let (a, b) = (Shape::Box { half_extents: ha }, Shape::Box { half_extents: hb });
        let margin = 0.05;
        let found = moving(&a, at_rest(Pose::IDENTITY), &b, at_rest(pose), DT, margin);
        let (ca, cb) = (Cuboid::new(ha), Cuboid::new(hb));
        let distance = query::distance(&Pose::IDENTITY, &ca, &pose, &cb).unwrap().distance;
        if distance > margin {
            assert!(found.is_empty());
            continue;
        }
        if distance > 0.0 {
            apart += 1;
            // The separation along any axis is a lower bound of the distance.
            for p in found.iter().flat_map(|m| m.points()) {
                assert!(p.gap > -1e-3, "{}", p.gap);
            }
            continue;
        }
        overlapping += 1;
        assert_eq!(found.len(), 1, "overlapping boxes without contact");
        let deepest = found[0].points().iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        let reference = query::contact(&Pose::IDENTITY, &ca, &pose, &cb, 0.0).unwrap();
        if let Some(c) = reference {
            // Faces are preferred to edges by a bias of 1e-3 of the size.
            assert!((deepest - c.dist).abs() < 3e-3, "{deepest} {}", c.dist);
        }
    }
    assert!(apart > 20 && overlapping > 300, "{apart} {overlapping}");
}

/// One of each kind of convex shape.
fn convex_shapes() -> [Shape; 6] {
    let octahedron = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z];
    [
        cube(0.3),
        Shape::Ball { radius: 0.3 },
        Shape::Capsule { half_length: 0.3, radius: 0.15 },
        Shape::Cylinder { half_height: 0.3, radius: 0.2 },
        Shape::Cone { half_height: 0.3, radius: 0.2 },
        Shape::ConvexHull { points: octahedron.map(|p| 0.4 * p).to_vec() },
    ]
}

#[test]
fn random_pairs_of_all_shapes_are_sane() {
    let shapes = convex_shapes();
    let mut random = Random(23);
    let mut missed = 0;
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            for _ in 0..200 {
                let (pa, pb) = (random.pose(0.3), random.pose(0.3));
                let margin = 1e-3;
                let found = moving(a, at_rest(pa), b, at_rest(pb), DT, margin);
                assert!(found.len() <= 1);
                let overlap = overlaps(a, pa, b, pb);
                // The extent of the pair bounds every sensible depth.
                for p in found.iter().flat_map(|m| m.points()) {
                    assert!(p.gap > -0.9 && p.gap <= margin, "{a:?} {b:?} {p:?}");
                }
                let miss = overlap && found.is_empty();
                assert!(!miss, "{a:?} {pa:?} {b:?} {pb:?}");
                missed += usize::from(miss);
            }
        }
    }
    assert_eq!(missed, 0, "overlapping pairs without a contact");
}

/// Hills: a height field, and the same surface as an open mesh.
fn hills() -> Shape {
    let height = |k: usize| 0.3 * ((k % 9) as f64 * 1.3).sin() * ((k / 9) as f64 * 0.9).cos();
    Shape::HeightField {
        heights: (0..81).map(height).collect(),
        nx: 9,
        ny: 9,
        size_x: 4.0,
        size_y: 4.0,
    }
}

#[test]
fn random_shapes_on_hills_are_sane() {
    let shapes = convex_shapes();
    let mut random = Random(31);
    for shape in &shapes {
        let mut touching = 0;
        for _ in 0..200 {
            let mut motion = flying(random.pose(1.2), random.vector(8.0));
            motion.pose.translation.z = random.range(0.0, 0.6);
            motion.angular_velocity = random.vector(3.0);
            let found = moving(&hills(), at_rest(Pose::IDENTITY), shape, motion, DT, MARGIN);
            touching += usize::from(!found.is_empty());
            let overlap = overlaps(&hills(), Pose::IDENTITY, shape, motion.pose);
            assert!(!overlap || !found.is_empty(), "{shape:?} {motion:?}");
            for m in &found {
                // Terrain is solid below: it does not push downwards. (A body
                // stuck deep in a fold may be pushed to the side.)
                assert!(m.normal.z > -0.3, "{m:#?}");
                assert!(m.points().iter().all(|p| p.gap > -1.0), "{m:#?}");
            }
        }
        assert!(touching > 60, "{shape:?} {touching}");
    }
}

fn overlaps(a: &Shape, pa: Pose, b: &Shape, pb: Pose) -> bool {
    let colliders = [collider(0, a)];
    let mut pipeline = CollisionPipeline::new();
    pipeline.update(&colliders, &[at_rest(pa)], DT, 0.0, |_, _| true, &mut Vec::new());
    !pipeline.intersections(&colliders, b, pb).unwrap().is_empty()
}

#[test]
fn queries() {
    let colliders = [collider(0, &plane()), collider(1, &cube(0.5)), None];
    let motions = [at_rest(Pose::IDENTITY), at_rest(at(0.0, 0.0, 2.0))];
    let mut pipeline = CollisionPipeline::new();
    pipeline.update(&colliders, &motions, DT, MARGIN, |_, _| true, &mut Vec::new());
    let from = Vec3::new(0.1, 0.2, 5.0);
    let hit = pipeline.ray_cast(&colliders, from, -2.0 * Vec3::Z, 10.0, Groups::ALL).unwrap();
    assert_eq!((hit.collider, hit.normal), (1, Vec3::Z));
    assert!((hit.distance - 2.5).abs() < 1e-12 && (hit.point.z - 2.5).abs() < 1e-12);
    assert!(pipeline.ray_cast(&colliders, from, -Vec3::Z, 2.0, Groups::ALL).is_none());
    assert!(pipeline.ray_cast(&colliders, from, Vec3::ZERO, 2.0, Groups::ALL).is_none());
    let aside =
        pipeline.ray_cast(&colliders, Vec3::new(3.0, 0.0, 5.0), -Vec3::Z, 10.0, Groups::ALL);
    assert_eq!(aside.unwrap().collider, 0);
    let cylinder = Shape::Cylinder { half_height: 0.5, radius: 0.1 };
    let start = Pose::from_translation(from);
    let hit = pipeline.shape_cast(&colliders, &cylinder, start, -Vec3::Z, 10.0).unwrap().unwrap();
    assert_eq!(hit.collider, 1);
    assert!((hit.distance - 2.0).abs() < 1e-4, "{hit:?}");
    let ball = Shape::Ball { radius: 1.6 };
    assert_eq!(pipeline.intersections(&colliders, &ball, at(0.0, 0.0, 0.5)).unwrap(), [0, 1]);
    assert_eq!(pipeline.intersections(&colliders, &ball, at(0.0, 0.0, 4.0)).unwrap(), [1]);
    let bad = Shape::Ball { radius: -1.0 };
    assert!(pipeline.intersections(&colliders, &bad, Pose::IDENTITY).is_err());
}
