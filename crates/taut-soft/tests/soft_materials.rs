//! Energies, forces and stiffness against differences and against other formulas.

use taut_lcp::generate::Rng;
use taut_soft::{Mass, Mat3, Material, Mesh, Model, Solid, Vec3};

const MODELS: [Model; 3] = [Model::Linear, Model::Corotational, Model::StableNeoHookean];

fn solid(mesh: Mesh, model: Model) -> Solid {
    let material = Material::new(model, 1e5, 0.35).expect("a material");
    Solid::new(mesh, material, 1000.0, Mass::Consistent).expect("a solid")
}

fn shaken(mesh: &Mesh, by: f64, rng: &mut Rng) -> Vec<Vec3> {
    mesh.nodes().iter().map(|x| x.map(|x| x + rng.range(-by, by))).collect()
}

fn shifted(x: &[Vec3], s: f64, d: &[Vec3]) -> Vec<Vec3> {
    x.iter().zip(d).map(|(x, d)| [0, 1, 2].map(|k| x[k] + s * d[k])).collect()
}

fn inner(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| a * b).sum()
}

/// All rows of a matrix of blocks.
fn dense(solid: &Solid, blocks: &[f64]) -> Vec<Vec<f64>> {
    let (col_ptr, row_idx) = solid.pattern();
    let n = 3 * (col_ptr.len() - 1);
    let mut a = vec![vec![0.0; n]; n];
    for j in 0..col_ptr.len() - 1 {
        for k in col_ptr[j] as usize..col_ptr[j + 1] as usize {
            for (r, c) in (0..9).map(|i| (i / 3, i % 3)) {
                let (row, column) = (3 * row_idx[k] as usize + r, 3 * j + c);
                a[row][column] = blocks[9 * k + 3 * r + c];
                a[column][row] = blocks[9 * k + 3 * r + c];
            }
        }
    }
    a
}

fn times(a: &[Vec<f64>], d: &[Vec3]) -> Vec<f64> {
    let d = d.as_flattened();
    a.iter().map(|row| row.iter().zip(d).map(|(a, d)| a * d).sum()).collect()
}

/// A fourth-order difference quotient.
fn quotient(e: f64, f: impl Fn(f64) -> f64) -> f64 {
    (8.0 * (f(e) - f(-e)) - (f(2.0 * e) - f(-2.0 * e))) / (12.0 * e)
}

#[test]
fn gradients_and_hessians_are_differences() {
    let mut rng = Rng::new(1);
    let block = Mesh::block([1.0, 0.6, 0.5], [2, 1, 1]).expect("a block");
    for mesh in [block.clone(), block.quadratic().expect("quadratic")] {
        for model in MODELS {
            let solid = solid(mesh.clone(), model);
            let x = shaken(&mesh, 0.08, &mut rng);
            let n = x.len();
            let d: Vec<Vec3> = (0..n).map(|_| [0; 3].map(|_| rng.range(-1.0, 1.0))).collect();
            let mut g = vec![[0.0; 3]; n];
            solid.gradient(&x, &mut g);
            let (exact, found) =
                (inner(&g, &d), quotient(1e-4, |e| solid.energy(&shifted(&x, e, &d))));
            let (size, wrong) =
                (inner(&g, &g).sqrt() * inner(&d, &d).sqrt(), (exact - found).abs());
            assert!(wrong <= 1e-9 * size, "{model:?} gradient {exact} {found}");
            let mut blocks = Vec::new();
            solid.stiffness(&x, false, &mut blocks);
            let kd = times(&dense(&solid, &blocks), &d);
            let gradient = |e: f64| {
                let mut g = vec![[0.0; 3]; n];
                solid.gradient(&shifted(&x, e, &d), &mut g);
                g
            };
            let size = kd.iter().fold(0.0_f64, |m, k| m.max(k.abs()));
            let e = 1e-4;
            let [a, b, c, f] = [e, -e, 2.0 * e, -2.0 * e].map(gradient);
            for i in 0..3 * n {
                let at = |g: &[Vec3]| g[i / 3][i % 3];
                let found = (8.0 * (at(&a) - at(&b)) - (at(&c) - at(&f))) / (12.0 * e);
                let wrong = (kd[i] - found).abs();
                assert!(wrong <= 1e-9 * size, "{model:?} Hessian row {i}: {} {found}", kd[i]);
            }
        }
    }
}

/// K of all materials at rest against λ g_a⊗g_b + μ (g_b⊗g_a + g_a·g_b 1), the textbook's form by Lamé's constants, with
/// gradients from cofactors.
#[test]
fn at_rest_all_are_hookes_law() {
    let corners = [[0.1, 0.0, 0.2], [1.1, 0.2, 0.0], [0.3, 0.9, 0.1], [0.2, 0.3, 1.2]];
    let mesh = Mesh::linear(corners.to_vec(), &[[0, 1, 2, 3]]).expect("a tetrahedron");
    let edge = |i: usize, j: usize| [0, 1, 2].map(|k: usize| corners[j][k] - corners[i][k]);
    let cross = |a: Vec3, b: Vec3| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let dot = |a: Vec3, b: Vec3| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let six_volumes = dot(edge(0, 1), cross(edge(0, 2), edge(0, 3)));
    // Inward normals of the faces opposite to each corner, twice their area.
    let normals = [
        cross(edge(1, 3), edge(1, 2)),
        cross(edge(0, 2), edge(0, 3)),
        cross(edge(0, 3), edge(0, 1)),
        cross(edge(0, 1), edge(0, 2)),
    ];
    let g = normals.map(|n| n.map(|x| x / six_volumes));
    for model in MODELS {
        let solid = solid(mesh.clone(), model);
        let (mu, lambda) = solid.material().lame();
        for projected in [false, true] {
            let mut blocks = Vec::new();
            solid.stiffness(mesh.nodes(), projected, &mut blocks);
            let k = dense(&solid, &blocks);
            let size = k.iter().flatten().fold(0.0_f64, |m, k| m.max(k.abs()));
            for (i, j) in (0..144).map(|n| (n / 12, n % 12)) {
                let ((a, r), (b, c)) = ((i / 3, i % 3), (j / 3, j % 3));
                let unit = if r == c { dot(g[a], g[b]) } else { 0.0 };
                let exact = six_volumes / 6.0
                    * (lambda * g[a][r] * g[b][c] + mu * (g[a][c] * g[b][r] + unit));
                assert!((k[i][j] - exact).abs() <= 1e-12 * size, "{model:?} {i} {j}");
            }
        }
    }
}

/// A quadratic element of unit size, E = 1, ν = 0.25 (μ = λ = 0.4): entries of K worked out by hand, ∫ ∂N_a ∂N_b over the
/// reference tetrahedron, where ∫ 1 = 1/6, ∫ l = 1/24, ∫ l² = 1/60, ∫ l l' = 1/120.
#[test]
fn quadratic_stiffness_by_hand() {
    let nodes = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mesh = Mesh::linear(nodes, &[[0, 1, 2, 3]]).expect("one").quadratic().expect("quadratic");
    let material = Material::new(Model::Linear, 1.0, 0.25).expect("a material");
    let solid = Solid::new(mesh.clone(), material, 420.0, Mass::Consistent).expect("a solid");
    let mut blocks = Vec::new();
    solid.stiffness(mesh.nodes(), false, &mut blocks);
    let k = dense(&solid, &blocks);
    // Corner 1: N = l(2l − 1), ∂x N = 4l − 1: ∫ (4l − 1)² = 16/60 − 8/24 + 1/6 = 1/10; (2μ + λ)/10.
    assert!((k[3][3] - 0.12).abs() < 1e-15);
    assert!((k[4][4] - 0.04).abs() < 1e-15);
    assert!(k[3][4].abs() < 1e-16);
    // Corners 1 and 2: ∫ (4l₁ − 1)(4l₂ − 1) = 16/120 − 8/24 + 1/6 = −1/30, x of 1 with y of 2 by λ, y of 1 with x of 2 by μ.
    assert!((k[3][7] + 0.4 / 30.0).abs() < 1e-15);
    assert!((k[4][6] + 0.4 / 30.0).abs() < 1e-15);
    // Edge 1–2 (node 5): N = 4 l₁l₂, ∂x N = 4 l₂: x and corner 1's x: 4 ∫ l₂(4l₁ − 1) = 4 (4/120 − 1/24) = −1/30.
    assert!((k[15][3] + 1.2 / 30.0).abs() < 1e-15);
    // Consistent mass of 70 kg: 70/420 times 6 at corners, 1 between them, 32 at middles, −4 and −6, 16 and 8.
    let mut mass = vec![0.0; 9 * solid.mass().len()];
    solid.mass().iter().enumerate().for_each(|(k, m)| mass[9 * k] = *m);
    let m = dense(&solid, &mass);
    let exact = |a: usize, b: usize| m[3 * a][3 * b] * 6.0;
    let cases = [
        (0, 0, 6.0),
        (0, 1, 1.0),
        (4, 4, 32.0),
        (0, 4, -4.0),
        (0, 5, -6.0),
        (4, 5, 16.0),
        (4, 8, 8.0),
    ];
    for (a, b, value) in cases {
        assert!((exact(a, b) - value).abs() < 1e-12, "{a} {b} {} {value}", exact(a, b));
    }
}

#[test]
fn turned_bodies_are_not_strained_and_projections_are_semidefinite() {
    let mut rng = Rng::new(4);
    let (s, c) = (0.8_f64.sin(), 0.8_f64.cos());
    let turned: Mat3 = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
    for model in [Model::Corotational, Model::StableNeoHookean] {
        let material = Material::new(model, 1e5, 0.3).expect("a material");
        assert!(material.energy(&turned).abs() < 1e-9);
        assert!(material.stress(&turned).iter().flatten().all(|p| p.abs() < 1e-9));
        for case in 0..200 {
            // Also inverted, flat and collapsed.
            let mut f: Mat3 = [[0.0; 3]; 3].map(|row| row.map(|_: f64| rng.range(-1.5, 1.5)));
            if case % 4 == 0 {
                f[2] = f[1];
            }
            if case == 8 {
                f = [[0.0; 3]; 3];
            }
            let h = material.hessian(&f, true);
            let size = h.iter().flatten().fold(0.0_f64, |m, h| m.max(h.abs()));
            assert!(size.is_finite());
            for _ in 0..20 {
                let d: [f64; 9] = [0; 9].map(|_| rng.range(-1.0, 1.0));
                let square: f64 = (0..81).map(|k| d[k / 9] * h[k / 9][k % 9] * d[k % 9]).sum();
                assert!(square >= -1e-12 * size, "{model:?} {f:?}");
            }
            assert!((0..81).all(|k| (h[k / 9][k % 9] - h[k % 9][k / 9]).abs() <= 1e-12 * size));
        }
    }
}

#[test]
fn materials_that_are_none_are_refused() {
    for (young, poisson, word) in [
        (0.0, 0.3, "Young"),
        (-1.0, 0.3, "Young"),
        (f64::NAN, 0.3, "Young"),
        (1e6, 0.5, "0.5"),
        (1e6, -1.0, "Poisson"),
        (1e6, 0.7, "Poisson"),
    ] {
        let error =
            Material::new(Model::Linear, young, poisson).expect_err("no material").to_string();
        assert!(error.contains(word), "{error}");
    }
    let block = Mesh::block([1.0; 3], [1; 3]).expect("a block");
    let material = Material::new(Model::Linear, 1e6, 0.0).expect("a material");
    for density in [0.0, -1.0, f64::INFINITY] {
        assert!(Solid::new(block.clone(), material, density, Mass::Lumped).is_err());
    }
}
