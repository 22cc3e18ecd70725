//! Distances, barriers and friction against finite differences, and against numbers of the IPC Toolkit 1.6.1.

use taut_barrier::distance::{Closest, Region};
use taut_barrier::friction::Lagged;
use taut_barrier::stencil::{self, parallel_threshold};
use taut_barrier::{Kind, Vec3};
use taut_lcp::generate::Rng;

type Corners = [Vec3; 4];

fn corners(rng: &mut Rng) -> Corners {
    std::array::from_fn(|_| std::array::from_fn(|_| rng.range(-1.0, 1.0)))
}

/// Features at a distance of `gap` times something from 0.1 to 0.9, in all regions.
fn near(rng: &mut Rng, kind: Kind, gap: f64) -> Corners {
    loop {
        let mut x = corners(rng);
        let closest = Closest::new(kind, &x);
        let distance = closest.squared.sqrt();
        if distance < 1e-3 {
            continue;
        }
        let first = if kind == Kind::VertexFace { 1 } else { 2 };
        let wanted = gap * rng.range(0.1, 0.9);
        for i in 0..first {
            for k in 0..3 {
                x[i][k] -= closest.difference[k] * (1.0 - wanted / distance);
            }
        }
        return x;
    }
}

fn shifted(x: &Corners, k: usize, by: f64) -> Corners {
    let mut x = *x;
    x[k / 3][k % 3] += by;
    x
}

/// Gradient and Hessian agree with differences of values and gradients.
fn check(
    what: &str,
    x: &Corners,
    step: f64,
    f: impl Fn(&Corners) -> (f64, [f64; 12], [[f64; 12]; 12]),
) {
    let (_, g, h) = f(x);
    let size = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let (mut off_g, mut off_h) = (0.0_f64, 0.0_f64);
    for k in 0..12 {
        let (lo, hi) = (f(&shifted(x, k, -step)), f(&shifted(x, k, step)));
        off_g = off_g.max(((hi.0 - lo.0) / (2.0 * step) - g[k]).abs());
        for j in 0..12 {
            off_h = off_h.max(((hi.1[j] - lo.1[j]) / (2.0 * step) - h[k][j]).abs());
            assert!((h[k][j] - h[j][k]).abs() <= 1e-9 * size(&h.concat()), "{what}: symmetric");
        }
    }
    assert!(off_g <= 1e-5 * size(&g), "{what}: gradient off by {off_g} of {}", size(&g));
    assert!(
        off_h <= 1e-4 * size(&h.concat()),
        "{what}: Hessian off by {off_h} of {}",
        size(&h.concat())
    );
}

#[test]
fn distances_by_finite_differences() {
    let mut rng = Rng::new(1);
    let mut seen = std::collections::BTreeMap::new();
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        for _ in 0..400 {
            let x = corners(&mut rng);
            let closest = Closest::new(kind, &x);
            // Not across the border of two regions.
            if (0..24).any(|k| {
                let moved = shifted(&x, k / 2, if k % 2 == 0 { 1e-5 } else { -1e-5 });
                Closest::new(kind, &moved).region != closest.region
            }) {
                continue;
            }
            *seen.entry(format!("{kind:?} {:?}", closest.region)).or_insert(0) += 1;
            check("distance", &x, 1e-6, |x| {
                let c = Closest::new(kind, x);
                (c.squared, c.gradient(), c.hessian(x))
            });
        }
    }
    // 7 regions of a triangle, 9 of two edges.
    assert_eq!(seen.len(), 16, "{seen:?}");
}

/// Nearest points are nearest: no point of a fine grid over both features is nearer.
#[test]
fn distances_are_least() {
    let mut rng = Rng::new(2);
    for round in 0..300 {
        let mut x = corners(&mut rng);
        if round % 3 == 0 {
            // Parallel edges.
            x[3] = std::array::from_fn(|k| x[2][k] + 0.7 * (x[1][k] - x[0][k]));
        }
        for kind in [Kind::VertexFace, Kind::EdgeEdge] {
            let found = Closest::new(kind, &x);
            let mut least = f64::INFINITY;
            for i in 0..=40 {
                for j in 0..=40 {
                    let (u, v) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                    let w = match kind {
                        Kind::VertexFace => [1.0, u * (1.0 - v) - 1.0 + v, -u * (1.0 - v), -v],
                        Kind::EdgeEdge => [1.0 - u, u, v - 1.0, -v],
                    };
                    let d: Vec3 = std::array::from_fn(|k| (0..4).map(|m| w[m] * x[m][k]).sum());
                    least = least.min(d.iter().map(|d| d * d).sum());
                }
            }
            assert!(found.squared <= least + 1e-12, "{kind:?} {} {least}", found.squared);
            let d: Vec3 = std::array::from_fn(|k| (0..4).map(|m| found.weights[m] * x[m][k]).sum());
            (0..3).for_each(|k| assert!((d[k] - found.difference[k]).abs() < 1e-7));
        }
    }
}

#[test]
fn barriers_by_finite_differences() {
    let mut rng = Rng::new(3);
    let reach = 0.1;
    let mut mollified = 0;
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        for round in 0..300 {
            let mut x = near(&mut rng, kind, reach);
            let mut threshold = parallel_threshold(&x);
            if kind == Kind::EdgeEdge && round % 2 == 0 {
                // As if the edges were nearly parallel, for what the rest shape says.
                threshold *= 2e3;
                mollified += 1;
            }
            let region = Closest::new(kind, &x).region;
            if (0..24).any(|k| {
                let moved = shifted(&x, k / 2, if k % 2 == 0 { 1e-5 } else { -1e-5 });
                Closest::new(kind, &moved).region != region
            }) {
                continue;
            }
            for c in &mut x {
                c[0] += 10.0;
            }
            check("barrier", &x, 1e-7, |x| {
                let p = stencil::potential(kind, x, reach, threshold, false);
                assert_eq!(p.value, stencil::value(kind, x, reach, threshold));
                (p.value, p.gradient, p.hessian)
            });
            // Projected: no direction is bent downwards, and along the gradient nothing is lost where it was convex.
            let p = stencil::potential(kind, &x, reach, threshold, true);
            for _ in 0..20 {
                let d: [f64; 12] = std::array::from_fn(|_| rng.range(-1.0, 1.0));
                let bend: f64 =
                    (0..144).map(|k| d[k / 12] * p.hessian[k / 12][k % 12] * d[k % 12]).sum();
                let size = p.hessian.concat().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                assert!(bend >= -1e-12 * size, "{bend} of {size}");
            }
        }
    }
    assert!(mollified > 100);
}

#[test]
fn friction_by_finite_differences() {
    let mut rng = Rng::new(4);
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        for round in 0..200 {
            let x = corners(&mut rng);
            let lagged = Lagged::new(&Closest::new(kind, &x), 3.0);
            let width = 0.1;
            // Sticking, and sliding.
            let size = if round % 2 == 0 { 0.02 } else { 1.0 };
            let moved = corners(&mut rng).map(|c| c.map(|c| size * c));
            let slip = lagged.slip(&moved);
            let s = slip.iter().map(|s| s * s).sum::<f64>().sqrt();
            if s < 1e-4 || (s - width).abs() < 1e-4 {
                continue;
            }
            check("friction", &moved, 1e-6, |m| {
                let p = lagged.potential(m, width);
                assert_eq!(p.gradient, lagged.gradient(m, width));
                (p.value, p.gradient, p.hessian)
            });
        }
    }
}

#[test]
fn regions_of_parallel_and_degenerate_edges() {
    let along = |x: f64, y: f64| [x, y, 0.0];
    // Parallel, side by side: a point and an edge, not NaN.
    let x = [along(0.0, 0.0), along(1.0, 0.0), along(0.2, 0.5), along(1.2, 0.5)];
    let c = Closest::new(Kind::EdgeEdge, &x);
    assert!((c.squared - 0.25).abs() < 1e-15 && matches!(c.region, Region::PointEdge(..)), "{c:?}");
    // An edge without length is a point.
    let x = [along(0.5, 1.0), along(0.5, 1.0), along(0.0, 0.0), along(1.0, 0.0)];
    let c = Closest::new(Kind::EdgeEdge, &x);
    assert!((c.squared - 1.0).abs() < 1e-15, "{c:?}");
    assert_eq!(stencil::value(Kind::EdgeEdge, &x, 2.0, parallel_threshold(&x)), 0.0);
}

/// Numbers of the IPC Toolkit 1.6.1 for a point over a triangle and for two edges that are nearly parallel, d̂ = 0.2: value, three entries of the gradient
/// and of the Hessian, and the norm of the projected Hessian.
#[test]
fn numbers_of_the_ipc_toolkit() {
    let check = |kind: Kind, x: Corners, threshold: f64, wanted: [f64; 8]| {
        assert!(
            (parallel_threshold(&x) / threshold - 1.0).abs() < 1e-12 || kind == Kind::VertexFace
        );
        let raw = stencil::potential(kind, &x, 0.2, threshold, false);
        let projected = stencil::potential(kind, &x, 0.2, threshold, true);
        let norm = projected.hessian.concat().iter().map(|h| h * h).sum::<f64>().sqrt();
        let (g, h) = (&raw.gradient, &raw.hessian[0]);
        let found = [raw.value, g[0], g[1], g[2], h[0], h[1], h[2], norm];
        for k in 0..8 {
            // Entries of the Hessian are differences of larger ones.
            let size = if k < 4 { wanted[k].abs() } else { wanted[7] };
            assert!((found[k] - wanted[k]).abs() < 1e-10 * size, "{kind:?} {k}: {found:?}");
        }
    };
    let x = [[0.2, 0.3, 0.05], [0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.0, 0.2]];
    let wanted = [
        0.011264839019770063,
        0.01077826163977704,
        -0.10778261639777038,
        0.5389130819888518,
        0.03530719287525745,
        -0.3530719287525744,
        1.7653596437628718,
        127.59058764226548,
    ];
    check(Kind::VertexFace, x, 1.0, wanted);
    let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.1, -0.01, 0.05], [1.2, 0.01, 0.05]];
    let wanted = [
        0.0021511638069930897,
        -0.0034507188226191605,
        0.18978953524405381,
        0.014877662520764407,
        4.428365715108304e-05,
        -0.002435601143309695,
        -0.00898785154659005,
        62.47253446155284,
    ];
    check(Kind::EdgeEdge, x, 0.0012104, wanted);
}
