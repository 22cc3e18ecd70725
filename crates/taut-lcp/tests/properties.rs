//! What must not change an answer: units, the order of rows, the sign of
//! rows, and the company of independent problems.
//!
//! w is compared (unique whenever a solution exists), and λ where A is
//! definite.

mod common;

use common::{diagonal, distance, run};
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, RngSeed};
use taut_lcp::generate::{BoxedKind, Rng, random_boxed};
use taut_lcp::registry::ENTRIES;
use taut_lcp::{Dense, Iterate, Operator, Problem, Status, Stop};

/// A boxed problem as plain numbers.
#[derive(Clone)]
struct Plain {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    bounds: Vec<(f64, f64)>,
}

impl Plain {
    fn random(n: usize, kind: BoxedKind, seed: u64) -> Self {
        let problem = random_boxed(n, kind, seed).expect("valid");
        let Operator::Dense(a) = &problem.operator else { unreachable!("random_boxed is dense") };
        Plain {
            a: (0..n).map(|i| a.row(i).to_vec()).collect(),
            b: problem.b.clone(),
            bounds: problem.laws.iter().map(|l| l.bounds()).collect(),
        }
    }

    fn problem(&self) -> Problem {
        let n = self.b.len();
        let a = Dense::from_rows(n, self.a.concat()).expect("square");
        let (lo, hi): (Vec<_>, Vec<_>) = self.bounds.iter().copied().unzip();
        Problem::boxed(Operator::Dense(a), self.b.clone(), &lo, &hi).expect("valid")
    }
}

/// Exact methods, on problems of every solvable kind.
fn methods() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().filter(|e| e.exact).map(|e| e.name)
}

fn answer(name: &str, plain: &Plain) -> Result<Iterate, TestCaseError> {
    let problem = plain.problem();
    let (report, iterate) = run(name, &problem, &Stop::default()).expect("accepted");
    prop_assert_eq!(report.status, Status::Converged, "{} {:?}", name, report.verdict);
    Ok(iterate)
}

/// Compares two answers of `plain`, w by the scale of b, λ only if definite.
fn same(plain: &Plain, definite: bool, x: &Iterate, y: &Iterate) -> Result<(), TestCaseError> {
    let problem = plain.problem();
    let scale = problem.scale();
    let w = distance(&x.w, &y.w, |_| 1.0) / scale;
    prop_assert!(w < 1e-6, "w differs by {:e}", w);
    let d = diagonal(&problem);
    let lambda = distance(&x.lambda, &y.lambda, |i| d[i]) / scale;
    prop_assert!(!definite || lambda < 1e-6, "λ differs by {:e}", lambda);
    Ok(())
}

fn kinds() -> impl Strategy<Value = BoxedKind> {
    prop_oneof![
        Just(BoxedKind::Definite),
        Just(BoxedKind::Semidefinite),
        Just(BoxedKind::Degenerate)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, rng_seed: RngSeed::Fixed(1), failure_persistence: Some(Box::new(FileFailurePersistence::Direct("proptest-regressions/properties.txt"))), ..Default::default() })]

    /// A ← αA, b ← βb: λ and its bounds are multiplied by β/α.
    #[test]
    fn units(n in 1..8_usize, kind in kinds(), seed: u64, p in -6..=6_i32, q in -6..=6_i32) {
        let plain = Plain::random(n, kind, seed);
        let (alpha, beta) = (10.0_f64.powi(p), 10.0_f64.powi(q));
        let mut scaled = plain.clone();
        scaled.a.iter_mut().flatten().for_each(|a| *a *= alpha);
        scaled.b.iter_mut().for_each(|b| *b *= beta);
        scaled.bounds.iter_mut().for_each(|(l, h)| (*l, *h) = (*l * beta / alpha, *h * beta / alpha));
        for name in methods() {
            let mut y = answer(name, &scaled)?;
            y.lambda.iter_mut().for_each(|l| *l *= alpha / beta);
            y.w.iter_mut().for_each(|w| *w /= beta);
            same(&plain, kind == BoxedKind::Definite, &answer(name, &plain)?, &y)?;
        }
    }

    #[test]
    fn order_of_rows(n in 2..8_usize, kind in kinds(), seed: u64) {
        let plain = Plain::random(n, kind, seed);
        let mut order: Vec<usize> = (0..n).collect();
        let mut rng = Rng::new(seed);
        (0..n).for_each(|i| order.swap(i, rng.index(n)));
        let shuffled = Plain {
            a: order.iter().map(|&i| order.iter().map(|&j| plain.a[i][j]).collect()).collect(),
            b: order.iter().map(|&i| plain.b[i]).collect(),
            bounds: order.iter().map(|&i| plain.bounds[i]).collect(),
        };
        for name in methods() {
            let y = answer(name, &shuffled)?;
            let mut back = y.clone();
            for (k, &i) in order.iter().enumerate() {
                (back.lambda[i], back.w[i]) = (y.lambda[k], y.w[k]);
            }
            same(&plain, kind == BoxedKind::Definite, &answer(name, &plain)?, &back)?;
        }
    }

    /// λᵢ ← −λᵢ: row and column i change sign, bounds change places.
    #[test]
    fn signs_of_rows(n in 1..8_usize, kind in kinds(), seed: u64, mask: u8) {
        let plain = Plain::random(n, kind, seed);
        let sign = |i: usize| if mask >> i & 1 == 1 { -1.0 } else { 1.0 };
        let mut flipped = plain.clone();
        for i in 0..n {
            (0..n).for_each(|j| flipped.a[i][j] *= sign(i) * sign(j));
            flipped.b[i] *= sign(i);
            if sign(i) < 0.0 {
                let (lo, hi) = flipped.bounds[i];
                flipped.bounds[i] = (-hi, -lo);
            }
        }
        for name in methods() {
            let mut y = answer(name, &flipped)?;
            (0..n).for_each(|i| { y.lambda[i] *= sign(i); y.w[i] *= sign(i); });
            same(&plain, kind == BoxedKind::Definite, &answer(name, &plain)?, &y)?;
        }
    }

    /// Two problems side by side in one matrix, rows interleaved.
    #[test]
    fn islands(n in 1..6_usize, kind in kinds(), seed: u64) {
        let parts = [Plain::random(n, kind, seed), Plain::random(n, kind, seed ^ 1)];
        let entry = |i: usize, j: usize| if i % 2 == j % 2 { parts[i % 2].a[i / 2][j / 2] } else { 0.0 };
        let both = Plain {
            a: (0..2 * n).map(|i| (0..2 * n).map(|j| entry(i, j)).collect()).collect(),
            b: (0..2 * n).map(|i| parts[i % 2].b[i / 2]).collect(),
            bounds: (0..2 * n).map(|i| parts[i % 2].bounds[i / 2]).collect(),
        };
        for name in methods() {
            let (x, y) = (answer(name, &parts[0])?, answer(name, &parts[1])?);
            let mut joined = answer(name, &both)?;
            joined.lambda = x.lambda.iter().zip(&y.lambda).flat_map(|(x, y)| [*x, *y]).collect();
            joined.w = x.w.iter().zip(&y.w).flat_map(|(x, y)| [*x, *y]).collect();
            same(&both, kind == BoxedKind::Definite, &answer(name, &both)?, &joined)?;
        }
    }
}

/// Sweeps are methods too: the answer of PGS does not depend on units.
#[test]
fn sweeps_do_not_see_units() {
    for seed in 0..50 {
        let plain = Plain::random(5, BoxedKind::Definite, seed);
        let mut scaled = plain.clone();
        scaled.a.iter_mut().flatten().for_each(|a| *a *= 1024.0);
        scaled.bounds.iter_mut().for_each(|(l, h)| (*l, *h) = (*l / 1024.0, *h / 1024.0));
        for entry in ENTRIES.iter().filter(|e| e.module.contains("sweeps")) {
            let stop = Stop { max_iterations: Some(50), ..Default::default() };
            let (_, x) = run(entry.name, &plain.problem(), &stop).expect("accepted");
            let (_, y) = run(entry.name, &scaled.problem(), &stop).expect("accepted");
            // A power of two changes no bit but the exponent.
            let back: Vec<f64> = y.lambda.iter().map(|l| l * 1024.0).collect();
            assert_eq!(x.lambda, back, "{} seed {seed}", entry.name);
        }
    }
}
