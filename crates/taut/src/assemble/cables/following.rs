//! Bounds of friction that follow the tensions of the answer (`cables::capstan` has the law).

use super::{CableWork, CableWorks};
use crate::assemble::{IslandSolver, Scene};
use crate::cables::{CableState, capstan};
use crate::islands::Island;
use crate::lcp::Law;

// What half and twice of these change: docs/decisions/step-constants.md.

/// Passes in which the bounds of friction follow the tensions, and what they may miss by, relative
/// to the largest tension.
const PASSES: usize = 40;
const SETTLED: f64 = 1e-11;
/// What bounds may miss by where cones are in the problem, whose answers are no better.
const SETTLED_BY_CONES: f64 = 1e-8;
const UNSETTLED: f64 = 1e-6;

impl IslandSolver {
    /// Remembers the impulses of the last solve.
    pub(in crate::assemble) fn take_tensions(&mut self, scene: &Scene, island: &Island) {
        for (work, &slot) in self.cables.active_mut().iter_mut().zip(&island.cables) {
            let Some(state) = scene.cables.at(slot) else { continue };
            let rows = work.row..work.row + work.rows;
            work.impulses.clear();
            work.impulses.extend_from_slice(&self.iterate.lambda[rows]);
            capstan::tensions(&state.cable, &work.start, &work.impulses, &mut work.tensions);
        }
        self.take_stops();
    }

    /// Lets the bounds of friction follow the tensions of the answer just found; true if it has to be
    /// found anew.
    pub(in crate::assemble) fn follow_tensions(
        &mut self,
        scene: &Scene,
        island: &Island,
        pass: usize,
    ) -> bool {
        if !self.cables.active().iter().any(rubs) || self.report.is_broken() {
            return false;
        }
        let mut cables = std::mem::take(&mut self.cables);
        if pass == 0 {
            cables.mixing.restart();
            cables.bound.clear();
            cables.ceilings.clear();
        }
        let enough = if self.problem.has_cones() { SETTLED_BY_CONES } else { SETTLED };
        let stuck = self.report.status().is_some_and(|s| s != crate::lcp::Status::Converged);
        let mut fitted = Fitted::default();
        let CableWorks { list, count, ceilings, .. } = &mut cables;
        for (work, &slot) in list[..*count].iter_mut().zip(&island.cables).filter(|(w, _)| rubs(w))
        {
            let Some(state) = scene.cables.at(slot) else { continue };
            let lambda = &self.iterate.lambda[work.row..work.row + work.rows];
            capstan::tensions(&state.cable, &work.start, lambda, &mut work.tensions);
            self.fit_winch(scene, state, work, &mut fitted);
            self.fit_changes(state, work, enough, ceilings, &mut fitted);
        }
        let settled = fitted.worst <= enough;
        let goes_on = !settled && pass < PASSES && !stuck;
        if goes_on {
            self.take_bounds(&mut cables, fitted);
        } else {
            let gap = if settled { 0.0 } else { fitted.gap };
            self.report.friction_gap = self.report.friction_gap.max(gap);
            if fitted.worst > UNSETTLED {
                self.report.given_up = Some("friction of cables did not settle".into());
            }
        }
        self.cables = cables;
        goes_on
    }

    /// A winch holds so much at its end, which friction lets grow or shrink until the mean.
    fn fit_winch(&self, scene: &Scene, state: &CableState, work: &CableWork, fitted: &mut Fitted) {
        let (row, lambda) = (work.row, &self.iterate.lambda[work.row..work.row + work.rows]);
        let (lo, hi) = self.problem.laws[row].bounds();
        let limited = state.cable.winch.filter(|w| w.max_force.is_finite() && lo < hi);
        let Some(winch) = limited else { return };
        let beyond = capstan::beyond_first(&state.cable, &work.start, lambda);
        let fits = (scene.h * winch.max_force + beyond).max(0.0);
        let off = if lambda[0] >= hi { (fits - hi).abs() } else { lambda[0] - fits };
        fitted.miss(off, largest(work), self.diagonal.get(row));
        fitted.boxes.push((row, (0.0, fits)));
        if lambda[0] >= hi {
            fitted.add_bound((row, true), hi, fits);
        }
    }

    /// What friction may hold at each change of tension, by the tensions beside it.
    fn fit_changes(
        &self,
        state: &CableState,
        work: &CableWork,
        enough: f64,
        ceilings: &mut Vec<(usize, f64)>,
        fitted: &mut Fitted,
    ) {
        let lambda = &self.iterate.lambda[work.row..work.row + work.rows];
        let most = largest(work);
        // The row of the tension on this side of what holds the cable apart.
        let mut own = 0;
        for (j, change) in capstan::changes(&state.cable, &work.start, &work.end).enumerate() {
            if change.apart {
                own = 1 + j;
            }
            if change.apart || work.held.get(j) == Some(&true) {
                continue;
            }
            let (row, f) = (work.row + 1 + j, lambda[1 + j]);
            let (lo, hi) = self.problem.laws[row].bounds();
            let side = Side::of(f, (lo, hi));
            let sides = capstan::sides(&change, &work.tensions);
            let fits = capstan::bounds(&change, sides, side.sign());
            let fits = follow_slack(row, f, lambda[own] <= 0.0, fits, ceilings);
            // A side without room says nothing yet.
            let shut = |room: f64| if room > enough * most { most } else { 0.0 };
            let off = match side {
                Side::Upper => (fits.1 - hi).abs(),
                Side::Lower => (fits.0 - lo).abs(),
                Side::Between => {
                    let off = (f - fits.1).max(fits.0 - f).max(0.0);
                    match f {
                        _ if hi <= 0.0 && f >= hi => off.max(shut(fits.1)),
                        _ if lo >= 0.0 && f <= lo => off.max(shut(-fits.0)),
                        _ => off,
                    }
                }
            };
            fitted.miss(off, most, self.diagonal.get(row));
            fitted.boxes.push((row, fits));
            match side {
                Side::Upper => fitted.add_bound((row, true), hi, fits.1),
                Side::Lower => fitted.add_bound((row, false), lo, fits.0),
                Side::Between => {}
            }
        }
    }

    /// Gives rows the bounds that fit; where they are at a bound, mixed with those of the passes before.
    fn take_bounds(&mut self, cables: &mut CableWorks, mut fitted: Fitted) {
        if fitted.bound != cables.bound {
            cables.mixing.restart();
        }
        cables.mixing.mix(&fitted.has, &mut fitted.fits);
        for (row, (lo, hi)) in fitted.boxes {
            self.problem.laws[row] = Law::Box { lo, hi };
        }
        for (&(row, upper), fits) in fitted.bound.iter().zip(&fitted.fits) {
            let (lo, hi) = self.problem.laws[row].bounds();
            let (lo, hi) = if upper {
                (lo.min(*fits).min(0.0), fits.max(0.0))
            } else {
                (fits.min(0.0), hi.max(0.0))
            };
            self.problem.laws[row] = Law::Box { lo, hi };
            self.iterate.lambda[row] = if upper { hi } else { lo };
        }
        for work in cables.active().iter().filter(|w| rubs(w)) {
            for row in work.row..work.row + work.rows {
                let (lo, hi) = self.problem.laws[row].bounds();
                let lambda = &mut self.iterate.lambda[row];
                *lambda = lambda.clamp(lo, hi);
            }
        }
        cables.bound = fitted.bound;
    }
}

/// Whether friction of a cable is to be followed.
fn rubs(work: &CableWork) -> bool {
    work.rubs && work.rows > 1
}

/// The largest tension of a cable.
fn largest(work: &CableWork) -> f64 {
    work.tensions.iter().copied().fold(f64::MIN_POSITIVE, f64::max)
}

/// A slack cable does not rub. Where it pulls again without friction, the answer lies between: the least friction that
/// left it slack is halved.
fn follow_slack(
    row: usize,
    f: f64,
    is_slack: bool,
    fits: (f64, f64),
    ceilings: &mut Vec<(usize, f64)>,
) -> (f64, f64) {
    let most = f.abs();
    match ceilings.iter_mut().find(|c| c.0 == row) {
        Some((_, ceiling)) if is_slack => {
            *ceiling = ceiling.min(most);
            (-0.5 * most, 0.5 * most)
        }
        None if is_slack => {
            if most > 0.0 {
                ceilings.push((row, most));
            }
            (0.0, 0.0)
        }
        Some((_, ceiling)) => {
            let cap = 0.5 * (most + *ceiling);
            (fits.0.max(-cap), fits.1.min(cap))
        }
        None => fits,
    }
}

/// Where friction stands between its bounds.
#[derive(Clone, Copy)]
enum Side {
    Upper,
    Lower,
    Between,
}

impl Side {
    /// A bound at zero holds nothing: friction there is between.
    fn of(f: f64, (lo, hi): (f64, f64)) -> Self {
        match f {
            f if f >= hi && hi > 0.0 => Side::Upper,
            f if f <= lo && lo < 0.0 => Side::Lower,
            _ => Side::Between,
        }
    }

    fn sign(self) -> f64 {
        match self {
            Side::Upper => 1.0,
            Side::Lower => -1.0,
            Side::Between => 0.0,
        }
    }
}

/// Bounds of friction that fit the tensions of an answer.
#[derive(Default)]
struct Fitted {
    /// How far bounds are off at most: relative to the largest tension, and in m/s.
    worst: f64,
    gap: f64,
    /// Bounds that fit, by row.
    boxes: Vec<(usize, (f64, f64))>,
    /// Rows at a bound, and whether it is the upper one; the bound that each has, and the one that fits.
    bound: Vec<(usize, bool)>,
    has: Vec<f64>,
    fits: Vec<f64>,
}

impl Fitted {
    fn miss(&mut self, off: f64, most: f64, diagonal: Option<&f64>) {
        self.worst = self.worst.max(off / most);
        self.gap = self.gap.max(off * diagonal.copied().unwrap_or(0.0));
    }

    fn add_bound(&mut self, bound: (usize, bool), has: f64, fits: f64) {
        self.bound.push(bound);
        self.has.push(has);
        self.fits.push(fits);
    }
}
