//! Closed surfaces that are filled.

use taut_sdf::vector::{cross, dot, sub};
use taut_sdf::{Field, Surface};
use taut_soft::{Mesh, Vec3};

/// A sphere of triangles, as fine as asked.
fn ball(rings: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let around = 2 * rings;
    let mut nodes = vec![[0.0, 0.0, -1.0]];
    for r in 1..rings {
        let (s, c) = (std::f64::consts::PI * r as f64 / rings as f64).sin_cos();
        for a in 0..around {
            let (y, x) = (std::f64::consts::PI * a as f64 / rings as f64).sin_cos();
            nodes.push([s * x, s * y, -c]);
        }
    }
    nodes.push([0.0, 0.0, 1.0]);
    let at = |r: usize, a: usize| (1 + (r - 1) * around + a % around) as u32;
    let top = nodes.len() as u32 - 1;
    let mut triangles = Vec::new();
    for a in 0..around {
        triangles.push([0, at(1, a + 1), at(1, a)]);
        triangles.push([top, at(rings - 1, a), at(rings - 1, a + 1)]);
        for r in 1..rings - 1 {
            triangles.push([at(r, a), at(r, a + 1), at(r + 1, a)]);
            triangles.push([at(r, a + 1), at(r + 1, a + 1), at(r + 1, a)]);
        }
    }
    (nodes, triangles)
}

#[test]
fn a_ball_is_filled_to_its_skin() {
    let (nodes, triangles) = ball(16);
    let surface = Surface::new(nodes.clone(), triangles.clone()).expect("closed");
    let mut last = f64::INFINITY;
    for cell in [0.5, 0.25, 0.125] {
        let mesh = Mesh::filled(nodes.clone(), triangles.clone(), cell).expect("a mesh");
        for n in mesh.surface_nodes() {
            let d = surface.sample(mesh.nodes()[n as usize]).distance;
            assert!(d.abs() < 1e-9, "{d} m from the surface");
        }
        let volume = triangles.iter().map(|t| {
            let [a, b, c] = t.map(|n| nodes[n as usize]);
            dot(a, cross(b, c)) / 6.0
        });
        let missing = 1.0 - mesh.volume() / volume.sum::<f64>();
        assert!(missing > 0.0 && missing < 0.6 * last, "{missing} of it is missing");
        last = missing;
        // No slivers: the worst volume is a share of that of a cell's tetrahedron.
        let least = mesh.elements().map(|e| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| mesh.nodes()[e[k] as usize]);
            dot(cross(sub(b, a), sub(c, a)), sub(d, a)) / cell.powi(3)
        });
        let least = least.fold(f64::INFINITY, f64::min);
        assert!(least > 1e-3, "a tetrahedron has {least} of a cell");
    }
    assert!(last < 0.02, "{last}");
}

#[test]
fn what_cannot_be_filled_is_refused() {
    let (nodes, mut triangles) = ball(6);
    for cell in [0.0, -1.0, f64::NAN, 1e-6] {
        assert!(Mesh::filled(nodes.clone(), triangles.clone(), cell).is_err(), "{cell}");
    }
    triangles.pop();
    let open = Mesh::filled(nodes, triangles, 0.3).expect_err("it has a hole").to_string();
    assert!(open.contains("surface"), "{open}");
    let flat: Vec<Vec3> = ball(6).0.iter().map(|x| [x[0], x[1], 1e-3 * x[2]]).collect();
    let thin = Mesh::filled(flat, ball(6).1, 0.5).map(|m| m.volume());
    assert!(thin.is_err() || thin.is_ok_and(|v| v < 0.01));
}
