//! Searches in trees against looking at everything, and placements there and back.

mod common;

use common::{Random, torus};
use taut_sdf::{Bounds, Bvh, MovedBoxes, Passing, Placement, Surface, Vec3};

/// Turned about z by an angle, and moved.
fn turned(angle: f64, origin: Vec3) -> Placement {
    let (s, c) = angle.sin_cos();
    Placement { rotation: [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], origin }
}

fn distance(a: Vec3, b: Vec3) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn placements_lead_back() {
    let (at, mut random) = (turned(0.7, [1.0, -2.0, 0.5]), Random(1));
    for _ in 0..100 {
        let p = random.point(3.0);
        assert!(distance(at.place_back(at.place(p)), p) < 1e-14);
        assert!(distance(at.turn_back(at.turn(p)), p) < 1e-14);
        assert!(distance(at.place(p), at.turn(p)) > 2.0, "only places are moved");
    }
}

#[test]
fn what_is_near_is_found_and_what_is_far_is_not() {
    let (vertices, triangles) = torus(1.0, 0.4, 24, 12);
    let mesh = Surface::new(vertices.clone(), triangles.clone()).expect("a solid");
    let corners = |i: u32| triangles[i as usize].map(|v| vertices[v as usize]);
    let mut random = Random(2);
    let mut within = 0;
    for _ in 0..500 {
        let p = random.point(1.8);
        let nearest = mesh.nearest(p);
        let far = nearest.sample.distance.abs();
        assert!((far - distance(p, nearest.point)).abs() < 1e-12);
        let found = mesh.nearest_within(p, 0.3);
        assert_eq!(found.map(|f| f.triangle), (far <= 0.3).then_some(nearest.triangle), "{p:?}");
        within += usize::from(found.is_some());
        // Boxes: those of which a brute search says so, and no others.
        let hi = p.map(|x| x + 0.25);
        let mut inside = Vec::new();
        mesh.triangles_in(p, hi, &mut inside);
        inside.sort_unstable();
        let meets = |b: &Bounds| (0..3).all(|k| b.lo[k] <= hi[k] && b.hi[k] >= p[k]);
        let all: Vec<u32> =
            (0..triangles.len() as u32).filter(|&i| meets(&Bounds::of(&corners(i)))).collect();
        assert_eq!(inside, all);
    }
    assert!(within > 50 && within < 450, "{within}");
}

#[test]
fn distances_of_boxes_are_those_of_their_nearest_points() {
    let bounds = Bounds { lo: [-1.0, 0.0, 2.0], hi: [1.0, 0.5, 3.0] };
    let mut random = Random(3);
    for _ in 0..200 {
        let p = random.point(4.0);
        let nearest = [0, 1, 2].map(|k| p[k].clamp(bounds.lo[k], bounds.hi[k]));
        assert!((bounds.distance2(p) - distance(p, nearest).powi(2)).abs() < 1e-12);
    }
}

/// No pair that comes nearer than asked, on the way between two placements, is left out; and not all pairs are named.
#[test]
fn pairs_that_come_near_on_the_way_are_named() {
    let (vertices, triangles) = torus(1.0, 0.3, 16, 8);
    let corners = |i: u32| triangles[i as usize].map(|v| vertices[v as usize]);
    let count = triangles.len() as u32;
    let boxes: Vec<Bounds> = (0..count).map(|i| Bounds::of(&corners(i))).collect();
    let tree = Bvh::new(&boxes);
    let at = [turned(0.0, [2.7, 0.0, 0.1]), turned(0.4, [2.2, 0.1, 0.0])];
    let reach = 0.1;
    let mut pairs = Vec::new();
    let way = Passing::straight(at, reach);
    tree.near_pairs(&tree, &way, &mut MovedBoxes::default(), &mut pairs);
    assert!(pairs.len() < (count * count / 4) as usize, "{} pairs", pairs.len());
    let mut near = 0;
    for i in 0..count {
        for j in 0..count {
            let comes_near = (0..=10).any(|step| {
                let t = f64::from(step) / 10.0;
                let place = |p: Vec3| {
                    let (a, b) = (at[0].place(p), at[1].place(p));
                    [0, 1, 2].map(|k| a[k] + t * (b[k] - a[k]))
                };
                let other = corners(j).map(place);
                corners(i).iter().any(|p| other.iter().any(|q| distance(*p, *q) < reach))
            });
            if comes_near {
                near += 1;
                assert!(pairs.contains(&[i, j]), "{i} {j}");
            }
        }
    }
    assert!(near > 10, "{near}");
}

/// Buffers of a search before, in another tree, change nothing.
#[test]
fn pairs_do_not_depend_on_the_search_before() {
    let tree = |around: usize| {
        let (vertices, triangles) = torus(1.0, 0.3, around, 8);
        let corners = |t: &[u32; 3]| t.map(|v| vertices[v as usize]);
        Bvh::new(&triangles.iter().map(|t| Bounds::of(&corners(t))).collect::<Vec<_>>())
    };
    let (small, large) = (tree(12), tree(20));
    let mut kept = MovedBoxes::default();
    for (other, x) in [(&small, 2.5), (&large, 2.4), (&small, 2.3), (&small, 2.6)] {
        let at = [turned(0.2 * x, [x, 0.0, 0.1]), turned(0.3, [x - 0.4, 0.1, 0.0])];
        let mut found = [Vec::new(), Vec::new()];
        let way = Passing::straight(at, 0.05).that_goes_farther(0.01, at[0]);
        large.near_pairs(other, &way, &mut kept, &mut found[0]);
        large.near_pairs(other, &way, &mut MovedBoxes::default(), &mut found[1]);
        assert!(!found[0].is_empty() && found[0] == found[1], "{x}");
    }
}

/// Of a mesh that turns beside another one pairs are left out by how far they end from where the way began, not from where its last
/// piece did.
#[test]
fn ways_count_from_their_start() {
    let (vertices, triangles) = torus(1.0, 0.3, 20, 8);
    let corners = |t: &[u32; 3]| t.map(|v| vertices[v as usize]);
    let tree = Bvh::new(&triangles.iter().map(|t| Bounds::of(&corners(t))).collect::<Vec<_>>());
    let [start, half, end] = [0.0, 0.05, 0.1].map(|angle| turned(angle, [2.5, 0.0, 0.0]));
    let named = |start: &Placement, way: f64| {
        let mut pairs = Vec::new();
        let passing = Passing::straight([half, end], 0.02).that_goes_farther(way, *start);
        tree.near_pairs(&tree, &passing, &mut MovedBoxes::default(), &mut pairs);
        pairs
    };
    // Points of the rim go 0.13 in all, and 0.065 in the last piece.
    let all = named(&start, 0.0);
    assert!(!all.is_empty() && named(&start, 0.1) == all);
    assert!(named(&half, 0.1).is_empty() && named(&start, 0.2).is_empty());
}

/// Of a rod that turns about its end that end alone may meet a box there.
#[test]
fn what_may_meet_moves_less_than_what_is_far() {
    let cube = |x: f64| Bounds { lo: [x, -0.5, -0.5], hi: [x + 1.0, 0.5, 0.5] };
    let rod = Bvh::new(&(0..10).map(|k| cube(f64::from(k))).collect::<Vec<_>>());
    let other = Bvh::new(&[cube(-0.5)]);
    let way = |origin: Vec3| {
        let at = [0.0, 0.01].map(|angle| turned(angle, origin));
        let back = [0.0, -0.01].map(|angle| turned(angle, origin.map(|x| -x)));
        rod.common_way(&other, &at, &back, 0.1)
    };
    let near = way([0.0; 3]);
    assert!(near > 0.005 && near < 0.02, "{near}, while the far end moves by 0.1");
    assert_eq!(way([0.0, 3.0, 0.0]), 0.0, "nothing meets");
}
