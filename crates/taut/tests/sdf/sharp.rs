//! Solids with sharp corners, depths measured from poses: along the edges of one in the field of the other.

use crate::shapes::{Mesh, solid, star};
use taut::math::{Quat, Vec3};
use taut::{Body, BodyId, Shape, World};
use taut_sdf::{Field, Surface};

/// An outline from −half to half along z, by the triangles of its caps.
fn cut_out(outline: &[[f64; 2]], caps: &[[u32; 3]], half: f64) -> Mesh {
    let n = outline.len() as u32;
    let level = |z: f64| outline.iter().map(move |p| Vec3::new(p[0], p[1], z));
    let mut triangles: Vec<[u32; 3]> = caps.to_vec();
    triangles.extend(caps.iter().map(|&[a, b, c]| [a + n, c + n, b + n]));
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, j + n], [i, j + n, i + n]]);
    }
    (level(-half).chain(level(half)).collect(), triangles)
}

/// Slender triangles at the tips: they say nothing about how thick the star is.
fn slender_star() -> Mesh {
    let fan = [[9, 1, 0], [9, 2, 1], [9, 3, 2], [9, 4, 3], [9, 5, 4], [9, 6, 5], [9, 7, 6]];
    cut_out(&star(0.2, 0.09, 5), &[&fan[..], &[[7, 9, 8]]].concat(), 0.05)
}

fn quat([w, x, y, z]: [f64; 4]) -> Quat {
    Quat::from_xyzw(x, y, z, w).normalize()
}

/// How deep the edges of one of two equal solids are in the other.
fn depth(world: &World, (vertices, triangles): &Mesh, ids: [BodyId; 2]) -> f64 {
    let points = vertices.iter().map(|v| v.to_array()).collect();
    let surface = Surface::new(points, triangles.clone()).expect("sound");
    let [a, b] = ids.map(|id| {
        let body = world.body(id).expect("there");
        (body.position(), body.orientation())
    });
    let mut least = 0.0_f64;
    for ((x, q), (y, r)) in [(a, b), (b, a)] {
        let place = |v: Vec3| (r.conjugate() * (x + q * v - y)).to_array();
        for t in triangles {
            for k in 0..3 {
                let [p, q] = [t[k], t[(k + 1) % 3]].map(|i| vertices[i as usize]);
                for i in 0..=20 {
                    least = least.min(surface.distance(place(p.lerp(q, f64::from(i) / 20.0))));
                }
            }
        }
    }
    -least
}

type Flight = ([f64; 4], [f64; 3], [f64; 4], f64, [f64; 3]);

/// Stars thrown at one another bounce off. (They locked 9 to 40 mm deep, or passed through one another's tips.)
#[test]
fn thrown_stars_do_not_lock() {
    let flights: [Flight; 3] = [
        (
            [0.4107662, -0.0048397, 0.1702318, 0.8956945],
            [-13.211211, 5.109817, 0.316088],
            [-0.8312514, 0.4728338, -0.2723748, -0.1061192],
            4.177806,
            [3.512673, 2.091258, -1.758728],
        ),
        (
            [0.4959833, -0.4421469, -0.2732084, 0.6956033],
            [-0.777455, -1.667044, -6.046993],
            [-0.2203337, 0.7208614, -0.6464282, 0.1180783],
            5.557524,
            [-1.025034, -10.413955, -13.597243],
        ),
        (
            [-0.4277445, -0.4635712, 0.4633919, 0.6224181],
            [-7.575588, -0.727247, -3.859264],
            [-0.2295059, 0.6899716, -0.6181791, -0.2985312],
            7.401615,
            [6.015925, 4.436769, -0.632941],
        ),
    ];
    let mesh = slender_star();
    for (case, (q, w, r, speed, u)) in flights.into_iter().enumerate() {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).expect("finite");
        let body = |name: &str, q: [f64; 4], w: [f64; 3]| {
            let body = Body::dynamic(name).shape(solid(mesh.clone())).density(500.0);
            body.orientation(quat(q)).angular_velocity(w.into())
        };
        let a = world.add_body(body("a", q, w)).expect("sound");
        let b = body("b", r, u).position(Vec3::new(0.05, 0.0, 0.7));
        let b = world.add_body(b.velocity(-speed * Vec3::Z)).expect("sound");
        let mut deepest = 0.0_f64;
        for _ in 0..40 {
            assert!(world.step(1.0 / 60.0).expect("a step").converged());
            deepest = deepest.max(depth(&world, &mesh, [a, b]));
        }
        assert!(deepest < 2e-3, "{case}: {deepest}");
    }
}

/// Solids that start inside one another come apart. (They stayed there, 10 cm deep.)
#[test]
fn solids_inside_one_another_part() {
    let (s, t) = (0.2, 0.2 / 3.0);
    let outline = [[-s, -s], [s, -s], [s, -t], [-t, -t], [-t, s], [-s, s]];
    let mesh = cut_out(&outline, &[[0, 2, 1], [0, 3, 2], [5, 3, 0], [3, 5, 4]], 0.06);
    let starts = [
        ([-0.0829, -0.0526, 0.5603], [-0.26318, -0.20982, -0.09994, -0.93634]),
        ([-0.0681, 0.0469, 0.4227], [0.26972, -0.42125, -0.33603, -0.79805]),
    ];
    let mut world = World::new();
    let ground = Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z });
    world.add_body(ground).expect("sound");
    let ids = starts.map(|(x, q)| {
        let body = Body::dynamic(format!("{x:?}")).shape(solid(mesh.clone())).density(800.0);
        world.add_body(body.position(x.into()).orientation(quat(q))).expect("sound")
    });
    let before = depth(&world, &mesh, ids);
    for _ in 0..60 {
        let _ = world.step(1.0 / 60.0).expect("a step");
    }
    let after = depth(&world, &mesh, ids);
    assert!(before > 0.03 && after < 2e-3, "{before} {after}");
}
