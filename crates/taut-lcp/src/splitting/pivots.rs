//! The problem of the interface, solved by pivoting.
//!
//! **Update**: λ on the face of the index set; rows that violate their law
//! move, all at once, or one after a cycle; with `PgsSm` a few Gauss-Seidel
//! sweeps between the faces choose the next set instead.
//! Where pivots bring no new minimum of violations, the ladder of `bpp` goes on.
//! **Reference**: Peiret19 5.1 and 5.3; Júdice and Pires 1994; Silcowitz et
//! al. 2011 (PGS-SM).

use super::interface::{Interface, Method};
use super::subsystem::Subsystem;
use crate::pivoting::bpp;
use crate::pivoting::ladder::{Ladder, Rung};
use crate::{Iterate, RowState, Status, Stop};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Pivots without a new minimum of violations before giving up. (By trial; 4: as many iterations on
/// `heap` of the golden counts, 2 % more factorizations.)
const PATIENCE: usize = 8;
/// Single pivots after a cycle (Peiret19 5.3). No problem of the golden counts has one.
const SINGLES: usize = 5;
/// Sweeps between faces. (5: 8 % more factorizations on `heap`.)
const SWEEPS: usize = 10;

/// Solves the interface; `tolerance` in m/s. Says whether it did.
pub(super) fn solve(
    x: &mut Interface,
    parts: &mut [Subsystem],
    seen: &mut Vec<u64>,
    tolerance: f64,
) -> bool {
    seen.clear();
    let (mut fewest, mut patience, mut singles) = (usize::MAX, PATIENCE, 0);
    loop {
        if !x.solve_face(parts) {
            return false;
        }
        let count = (0..x.len()).filter(|&g| violation(x, g, tolerance).is_some()).count();
        if count == 0 {
            return true;
        }
        if count < fewest {
            (fewest, patience) = (count, PATIENCE);
        } else if patience == 0 {
            return climb(x, parts, tolerance);
        } else {
            patience -= 1;
        }
        let hash = x.hash(0);
        if seen.contains(&hash) && singles == 0 {
            singles = SINGLES;
        }
        seen.push(hash);
        if x.method == Method::PgsSm && singles == 0 {
            sweep(x, parts);
        } else {
            pivot(x, tolerance, if singles > 0 { 1 } else { usize::MAX });
        }
        singles = singles.saturating_sub(1);
    }
}

/// Where pivoting wanders: the ladder of `bpp` on S as a whole. Rare, and
/// allocates.
fn climb(x: &mut Interface, parts: &mut [Subsystem], tolerance: f64) -> bool {
    x.wanted.fill(true);
    x.feel(parts);
    let Ok(problem) = x.problem(parts) else { return false };
    let mut ladder = Ladder::new(&bpp::Settings::default(), Rung::Interior);
    let stop = Stop { tolerance: tolerance / problem.scale(), max_iterations: None };
    x.clamp();
    let mut iterate = Iterate::from_lambda(x.lambda.clone());
    iterate.w.resize(x.len(), 0.0);
    ladder.prepare(&problem);
    let outcome = ladder.run(&problem, &stop, &mut iterate, &mut ());
    x.factorizations += outcome.counts.factorizations;
    x.pivots += 1;
    x.set.clone_from(&iterate.set);
    x.lambda.clone_from(&iterate.lambda);
    outcome.status == Status::Converged && x.solve_face(parts)
}

/// Where row g must go, if it violates its law.
fn violation(x: &Interface, g: usize, tolerance: f64) -> Option<RowState> {
    let (l, w, a) = (x.lambda[g], x.predicted[g], x.diagonal[g]);
    let slack = 0.1 * tolerance / a;
    match x.set[g] {
        RowState::Free if l < x.lo[g] - slack => Some(RowState::Lower),
        RowState::Free if l > x.hi[g] + slack => Some(RowState::Upper),
        RowState::Free => None,
        _ if a * (x.hi[g] - x.lo[g]) <= tolerance => None,
        RowState::Lower if w < -tolerance => Some(RowState::Free),
        RowState::Upper if w > tolerance => Some(RowState::Free),
        _ => None,
    }
}

/// Moves violating rows, the last ones first.
fn pivot(x: &mut Interface, tolerance: f64, limit: usize) {
    let mut moved = 0;
    for g in (0..x.len()).rev() {
        if let Some(target) = violation(x, g, tolerance) {
            x.set[g] = target;
            moved += 1;
            if moved == limit {
                break;
            }
        }
    }
    x.pivots += moved;
}

/// Sweeps of Gauss-Seidel from λ clamped; the index set is where they end.
fn sweep(x: &mut Interface, parts: &mut [Subsystem]) {
    x.clamp();
    x.predict(parts);
    for _ in 0..SWEEPS {
        for g in 0..x.len() {
            let a = x.felt_diagonal(parts, g);
            let next = (x.lambda[g] - x.predicted[g] / a).clamp(x.lo[g], x.hi[g]);
            x.move_row(parts, g, next - x.lambda[g]);
        }
    }
    for g in 0..x.len() {
        let new = if x.lambda[g] <= x.lo[g] {
            RowState::Lower
        } else if x.lambda[g] >= x.hi[g] {
            RowState::Upper
        } else {
            RowState::Free
        };
        x.pivots += usize::from(new != x.set[g]);
        x.set[g] = new;
    }
}
