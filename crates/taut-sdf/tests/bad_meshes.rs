//! Meshes that are no solids, grids that do not fit: errors that say what and where.

mod common;

use common::{cuboid, torus};
use taut_sdf::{Error, Field, Grid, Surface};

fn solid(h: f64) -> common::Mesh {
    cuboid([h; 3])
}

#[test]
fn numbers_and_indices() {
    let (v, t) = solid(1.0);
    assert_eq!(Surface::new(v.clone(), vec![]).err(), Some(Error::Empty));
    assert_eq!(
        Surface::new(vec![], t.clone()).err(),
        Some(Error::Index { triangle: 0, vertex: 0, count: 0 })
    );
    for bad in [f64::NAN, f64::INFINITY, 1e200] {
        let mut w = v.clone();
        w[3][1] = bad;
        assert_eq!(Surface::new(w, t.clone()).err(), Some(Error::Coordinate(3)));
    }
    let mut u = t.clone();
    u[5][2] = 99;
    assert_eq!(
        Surface::new(v.clone(), u).err(),
        Some(Error::Index { triangle: 5, vertex: 99, count: 8 })
    );
    let mut u = t.clone();
    u[5][2] = u[5][1];
    assert_eq!(Surface::new(v.clone(), u).err(), Some(Error::Flat(5)));
    // Three corners on a line.
    let mut w = v;
    w[3] = [-1.0, 0.0, -1.0];
    assert!(matches!(Surface::new(w, t).err(), Some(Error::Flat(_))));
}

#[test]
fn open_and_not_manifold() {
    let (v, t) = solid(1.0);
    let mut u = t.clone();
    u.pop();
    assert!(matches!(Surface::new(v.clone(), u).err(), Some(Error::Open(..))));
    // One triangle turned around, one twice.
    let mut u = t.clone();
    u[4].swap(0, 1);
    assert!(matches!(Surface::new(v.clone(), u).err(), Some(Error::EdgeNotManifold(..))));
    let mut u = t.clone();
    u.push(u[0]);
    assert!(matches!(Surface::new(v.clone(), u).err(), Some(Error::EdgeNotManifold(..))));
    // All turned around.
    let u = t.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert_eq!(Surface::new(v.clone(), u).err(), Some(Error::InsideOut));
    // Two boxes that share one corner.
    let mut w = v.clone();
    let mut u = t.clone();
    w.extend(v.iter().map(|p| p.map(|x| x + 2.0)));
    // Corner 7 of the first is corner 0 of the second.
    u.extend(t.iter().map(|q| q.map(|i| if i == 0 { 7 } else { i + 8 })));
    assert_eq!(Surface::new(w, u).err(), Some(Error::VertexNotManifold(7)));
}

#[test]
fn cuts_itself() {
    // Two boxes that overlap in one mesh.
    let (v, t) = solid(1.0);
    let (mut w, mut u) = (v.clone(), t.clone());
    w.extend(v.iter().map(|p| [p[0] + 0.7, p[1] + 0.6, p[2] + 0.5]));
    u.extend(t.iter().map(|q| q.map(|i| i + 8)));
    assert!(matches!(Surface::new(w, u.clone()).err(), Some(Error::SelfIntersecting(..))));
    // Two that do not, and a hollow one, are fine.
    let mut w = v.clone();
    w.extend(v.iter().map(|p| [p[0] + 3.0, p[1], p[2]]));
    assert!(Surface::new(w, u).is_ok());
    let (mut w, mut u) = (v.clone(), t.clone());
    w.extend(v.iter().map(|p| p.map(|x| 0.5 * x)));
    u.extend(t.iter().map(|q| [q[0] + 8, q[2] + 8, q[1] + 8]));
    let hollow = Surface::new(w, u).expect("a solid with a hole in it");
    assert!(hollow.distance([0.0; 3]) > 0.0 && hollow.distance([0.75, 0.0, 0.0]) < 0.0);
    // Not so if it is wound like the outer one, or is the same, or if what is hollow lies beside it.
    let both = |scale: f64, shift: f64, turned: bool| {
        let mut w = v.clone();
        w.extend(v.iter().map(|p| [scale * p[0] + shift, scale * p[1], scale * p[2]]));
        let mut u = t.clone();
        let second = |q: &[u32; 3]| [q[0] + 8, q[1] + 8, q[2] + 8];
        let turn = |q: [u32; 3]| if turned { [q[0], q[2], q[1]] } else { q };
        u.extend(t.iter().map(second).map(turn));
        Surface::new(w, u).err()
    };
    assert_eq!(both(0.5, 0.0, true), None);
    assert_eq!(both(1.0, 2.0, false), None, "cubes that share a side");
    assert_eq!(both(0.5, 0.0, false), Some(Error::Nested(12)));
    assert_eq!(both(1.0, 0.0, false), Some(Error::Nested(0)));
    assert_eq!(both(0.5, 3.0, true), Some(Error::Nested(12)));
    // A ring whose tube is wider than its hole.
    let (v, t) = torus(0.3, 0.5, 24, 12);
    assert!(matches!(Surface::new(v, t).err(), Some(Error::SelfIntersecting(..))));
}

#[test]
fn grids() {
    let (v, t) = solid(1.0);
    let mesh = Surface::new(v, t).expect("a solid");
    assert!(matches!(Grid::new(&mesh, 0).err(), Some(Error::Number { .. })));
    assert!(matches!(Grid::new(&mesh, 100_000).err(), Some(Error::TooLarge(..))));
    assert!(matches!(Grid::new(&mesh, usize::MAX).err(), Some(Error::TooLarge(..))));
    for cell in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Grid::with_cell(&mesh, cell).err(), Some(Error::Number { .. })));
    }
    assert!(matches!(Grid::with_cell(&mesh, 1e-300).err(), Some(Error::TooLarge(..))));
    // A cell larger than the solid still makes a grid.
    let coarse = Grid::with_cell(&mesh, 10.0).expect("small");
    assert!(coarse.distance([30.0, 0.0, 0.0]) > 20.0);
}

#[test]
fn samples_of_no_place_do_not_panic() {
    let (v, t) = solid(1.0);
    let mesh = Surface::new(v, t).expect("a solid");
    let grid = Grid::new(&mesh, 8).expect("small");
    for p in [[f64::NAN; 3], [f64::INFINITY; 3], [1e300; 3], [0.0, f64::NAN, 0.0]] {
        let _ = (mesh.sample(p), grid.sample(p));
    }
}
