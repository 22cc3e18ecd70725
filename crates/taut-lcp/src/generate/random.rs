//! Random dense problems, definite or not, solvable or not.
//!
//! All are A = BᵀB with a random B, and b = w − Aλ with a pair (λ, w) that
//! obeys every law: so a solution exists, except where none is wanted.

use super::{Rng, bad_argument};
use crate::{Dense, Error, Operator, Problem};

const INF: f64 = f64::INFINITY;

/// A dense positive definite LCP (λ ≥ 0) with a quarter of λ at zero
/// (Erleben13 7; condition number about 1e3).
///
/// ```
/// assert_eq!(taut_lcp::generate::random_pd(10, 1)?.rows(), 10);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn random_pd(n: usize, seed: u64) -> Result<Problem, Error> {
    lcp(n, n, 0.01, seed)
}

/// A dense positive semidefinite LCP (λ ≥ 0) with the given share of zero
/// eigenvalues, from 0 to 1, and a quarter of λ at zero (Erleben13 7).
///
/// ```
/// assert_eq!(taut_lcp::generate::random_psd(10, 0.5, 1)?.rows(), 10);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn random_psd(n: usize, zero_share: f64, seed: u64) -> Result<Problem, Error> {
    if !(0.0..=1.0).contains(&zero_share) {
        return Err(bad_argument("zero_share", zero_share, "from 0 to 1"));
    }
    let rank = ((1.0 - zero_share) * n as f64).round() as usize;
    lcp(n, rank, 0.0, seed)
}

fn lcp(n: usize, rank: usize, shift: f64, seed: u64) -> Result<Problem, Error> {
    check_size(n)?;
    let mut rng = Rng::new(seed);
    let columns = columns(&mut rng, n, rank, false);
    let a = gram(&columns, shift);
    let (mut lambda, mut w) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        let pressed = rng.chance(0.75);
        *(if pressed { &mut lambda[i] } else { &mut w[i] }) = rng.range(0.01, 1.0);
    }
    let b = right_hand_side(&a, &lambda, &w);
    Problem::boxed(dense(n, a)?, b, &vec![0.0; n], &vec![INF; n])
}

/// What [`random_boxed`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoxedKind {
    /// Positive definite A: one solution.
    Definite,
    /// Singular A with a solution.
    Semidefinite,
    /// Singular A with a solution, and anything that makes pivoting cycle:
    /// zero rows, duplicate rows, lo = hi, w = 0 at bounds, values that are
    /// exact in binary so that ties are ties.
    Degenerate,
    /// Singular A without solution: a direction d with Ad = 0, bᵀd < 0 that
    /// no bound stops.
    Infeasible,
}

impl BoxedKind {
    /// All of them.
    pub const ALL: [BoxedKind; 4] = [
        BoxedKind::Definite,
        BoxedKind::Semidefinite,
        BoxedKind::Degenerate,
        BoxedKind::Infeasible,
    ];
}

/// A dense boxed problem with every kind of bound: none (bilateral), one,
/// two, lo = hi, with rows scaled by up to 10 either way.
///
/// ```
/// use taut_lcp::generate::{BoxedKind, random_boxed};
/// let problem = random_boxed(5, BoxedKind::Degenerate, 1)?;
/// assert_eq!(problem.rows(), 5);
/// # Ok::<(), taut_lcp::Error>(())
/// ```
pub fn random_boxed(n: usize, kind: BoxedKind, seed: u64) -> Result<Problem, Error> {
    check_size(n)?;
    let mut rng = Rng::new(seed);
    let definite = kind == BoxedKind::Definite;
    let exact = kind == BoxedKind::Degenerate || kind == BoxedKind::Infeasible && rng.chance(0.5);
    let rank = if definite { n } else { rng.index(n) };
    let mut columns = columns(&mut rng, n, rank, exact);
    if kind == BoxedKind::Degenerate {
        tie_rows(&mut rng, &mut columns);
    }
    let mut bounds: Vec<_> = (0..n).map(|_| random_bounds(&mut rng, kind)).collect();
    let direction = match kind {
        BoxedKind::Infeasible => Some(open_direction(&mut rng, &mut columns, &mut bounds)),
        _ => None,
    };
    let a = gram(&columns, if definite { 0.02 } else { 0.0 });
    let (lambda, w): (Vec<_>, Vec<_>) =
        bounds.iter().map(|&b| obeying_pair(&mut rng, b, exact)).unzip();
    let mut b = right_hand_side(&a, &lambda, &w);
    if let Some(d) = direction {
        descend(&mut b, &d);
    }
    let (lo, hi): (Vec<_>, Vec<_>) = bounds.into_iter().unzip();
    Problem::boxed(dense(n, a)?, b, &lo, &hi)
}

fn check_size(n: usize) -> Result<(), Error> {
    if n == 0 || n > 10_000 { Err(bad_argument("n", n, "1 to 10000")) } else { Ok(()) }
}

fn dense(n: usize, a: Vec<f64>) -> Result<Operator, Error> {
    Ok(Operator::Dense(Dense::from_rows(n, a)?))
}

/// The n columns of B (rank × n), each with a scale of its own, or of small
/// integers if `exact`.
fn columns(rng: &mut Rng, n: usize, rank: usize, exact: bool) -> Vec<Vec<f64>> {
    let norm = 1.0 / (rank.max(1) as f64).sqrt();
    let column = |_| {
        let scale = [0.1, 1.0, 1.0, 10.0][rng.index(4)];
        let entry = |_| if exact { rng.index(5) as f64 - 2.0 } else { norm * scale * rng.normal() };
        (0..rank).map(entry).collect()
    };
    (0..n).map(column).collect()
}

/// Makes some rows zero and some copies of others, or their negatives.
fn tie_rows(rng: &mut Rng, columns: &mut [Vec<f64>]) {
    for i in 0..columns.len() {
        let j = rng.index(columns.len());
        match rng.index(6) {
            0 => columns[i].fill(0.0),
            1 => columns[i] = columns[j].clone(),
            2 => columns[i] = columns[j].iter().map(|x| -x).collect(),
            _ => {}
        }
    }
}

/// BᵀB + shift·diag, symmetric to the last bit.
fn gram(columns: &[Vec<f64>], shift: f64) -> Vec<f64> {
    let n = columns.len();
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = columns[i].iter().zip(&columns[j]).map(|(x, y)| x * y).sum();
            (a[i * n + j], a[j * n + i]) = (dot, dot);
        }
        a[i * n + i] *= 1.0 + shift;
    }
    a
}

fn random_bounds(rng: &mut Rng, kind: BoxedKind) -> (f64, f64) {
    let at = rng.index(5) as f64 - 2.0;
    match rng.index(10) {
        0..=3 => (0.0, INF),
        4 => (-INF, at),
        5 => (at, INF),
        6 => (-INF, INF),
        7 if kind == BoxedKind::Degenerate => (at, at),
        _ => (at - 1.0, at + [0.5, 1.0, 2.0][rng.index(3)]),
    }
}

/// λ and w that obey the law of a row; the tie w = 0 at a bound is common.
fn obeying_pair(rng: &mut Rng, (lo, hi): (f64, f64), exact: bool) -> (f64, f64) {
    let mut value = |hi: f64| {
        let x = rng.uniform();
        if exact { (x * 4.0).floor() * 0.25 * hi } else { x * hi }
    };
    let (inside, speed) = (value(1.0), value(2.0));
    match rng.index(3) {
        0 if lo > -INF => (lo, speed),
        1 if hi < INF => (hi, -speed),
        _ if lo > -INF && hi < INF => (lo + inside * (hi - lo), 0.0),
        _ if lo > -INF => (lo + inside, 0.0),
        _ if hi < INF => (hi - inside, 0.0),
        _ => (2.0 * inside - 1.0, 0.0),
    }
}

/// b = w − Aλ.
fn right_hand_side(a: &[f64], lambda: &[f64], w: &[f64]) -> Vec<f64> {
    let n = w.len();
    let row = |i: usize| a[i * n..][..n].iter().zip(lambda).map(|(a, l)| a * l).sum::<f64>();
    (0..n).map(|i| w[i] - row(i)).collect()
}

/// Changes B and the bounds such that Bd = 0 for a d that meets no bound: a
/// zero row, a pair of opposed rows, or a positive combination of several.
fn open_direction(rng: &mut Rng, columns: &mut [Vec<f64>], bounds: &mut [(f64, f64)]) -> Vec<f64> {
    let n = columns.len();
    let mut d = vec![0.0; n];
    let support = 1 + rng.index(n.min(4));
    let first = rng.index(n);
    for k in 0..support {
        let i = (first + k) % n;
        let (lo, hi) = bounds[i];
        let opened = [(-INF, INF), (lo, INF), (-INF, hi)];
        d[i] = [1.0, 1.0, -1.0][rng.index(3)];
        bounds[i] =
            if rng.chance(0.3) { opened[0] } else { opened[if d[i] > 0.0 { 1 } else { 2 }] };
    }
    for r in 0..columns[first].len() {
        let rest: f64 = (0..n).filter(|&i| i != first).map(|i| columns[i][r] * d[i]).sum();
        columns[first][r] = -rest / d[first];
    }
    d
}

/// Shifts b along d until bᵀd = −dᵀd.
fn descend(b: &mut [f64], d: &[f64]) {
    let bd: f64 = b.iter().zip(d).map(|(b, d)| b * d).sum();
    let dd: f64 = d.iter().map(|d| d * d).sum();
    b.iter_mut().zip(d).for_each(|(b, d)| *b -= d * (bd / dd + 1.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_problem() {
        for kind in BoxedKind::ALL {
            let (p, q) = (random_boxed(7, kind, 9), random_boxed(7, kind, 9));
            let (p, q) = (p.expect("valid"), q.expect("valid"));
            assert_eq!((&p.b, &p.laws), (&q.b, &q.laws));
            assert_ne!(p.b, random_boxed(7, kind, 10).expect("valid").b);
            assert!(p.operator.is_symmetric());
        }
    }

    #[test]
    fn rank_is_as_asked() {
        // With every eigenvalue zero A vanishes; with none it has full rank,
        // seen in the product of all columns being used.
        let p = random_psd(6, 1.0, 1).expect("valid");
        let mut d = [1.0; 6];
        p.operator.diagonal(&mut d);
        assert_eq!(d, [0.0; 6]);
        assert!(random_psd(6, 1.5, 1).is_err());
        assert!(random_pd(0, 1).is_err());
    }

    #[test]
    fn degenerate_features_occur() {
        let problems = (0..50).map(|s| random_boxed(6, BoxedKind::Degenerate, s).expect("valid"));
        let (mut fixed, mut zero_rows, mut bilateral) = (0, 0, 0);
        for p in problems {
            let mut d = [0.0; 6];
            p.operator.diagonal(&mut d);
            zero_rows += d.iter().filter(|d| **d == 0.0).count();
            let bounds = p.laws.iter().map(crate::Law::bounds);
            fixed += bounds.clone().filter(|b| b.0 == b.1).count();
            bilateral += bounds.filter(|b| *b == (-INF, INF)).count();
        }
        assert!(fixed > 5 && zero_rows > 20 && bilateral > 5, "{fixed} {zero_rows} {bilateral}");
    }
}
