//! Bounds of friction that follow the tensions of the answer (`cables::capstan` has the law).

use super::CableWork;
use crate::assemble::{IslandSolver, Scene};
use crate::cables::capstan;
use crate::islands::Island;
use crate::lcp::Law;

// What half and twice of these change: docs/decisions/step-constants.md.

/// Passes in which the bounds of friction follow the tensions, and what they may miss by, relative
/// to the largest tension.
const PASSES: usize = 40;
const SETTLED: f64 = 1e-11;
/// The same where cones are in the problem, whose answers are no better.
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
    }

    /// Lets the bounds of friction follow the tensions of the answer just found; true if it has to be
    /// found anew.
    pub(in crate::assemble) fn follow_tensions(
        &mut self,
        scene: &Scene,
        island: &Island,
        pass: usize,
    ) -> bool {
        let rubs = |work: &CableWork| work.rubs && work.rows > 1;
        if !self.cables.active().iter().any(rubs) || self.report.is_broken() {
            return false;
        }
        let mut cables = std::mem::take(&mut self.cables);
        if pass == 0 {
            cables.mixing.restart();
            cables.bound.clear();
            cables.ceilings.clear();
        }
        let (mut worst, mut gap) = (0.0_f64, 0.0_f64);
        let (mut now, mut x, mut g) = (Vec::new(), Vec::new(), Vec::new());
        let mut free = Vec::new();
        let list = &mut cables.list[..cables.count];
        let enough = if self.problem.has_cones() { SETTLED_BY_CONES } else { SETTLED };
        let stuck = self.report.status.is_some_and(|s| s != crate::lcp::Status::Converged);
        for (work, &slot) in list.iter_mut().zip(&island.cables).filter(|(w, _)| rubs(w)) {
            let Some(state) = scene.cables.at(slot) else { continue };
            let rows = work.row..work.row + work.rows;
            let lambda = &self.iterate.lambda[rows];
            capstan::tensions(&state.cable, &work.start, lambda, &mut work.tensions);
            let most = work.tensions.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            // A winch holds so much at its end, which friction lets grow or shrink until the mean.
            let (lo, hi) = self.problem.laws[work.row].bounds();
            if let Some(winch) = state.cable.winch.filter(|w| w.max_force.is_finite() && lo < hi) {
                let beyond = capstan::beyond_first(&state.cable, &work.start, lambda);
                let fits = (scene.h * winch.max_force + beyond).max(0.0);
                let off = if lambda[0] >= hi { (fits - hi).abs() } else { lambda[0] - fits };
                worst = worst.max(off / most);
                gap = gap.max(off * self.diagonal.get(work.row).copied().unwrap_or(0.0));
                free.push((work.row, (0.0, fits)));
                if lambda[0] >= hi {
                    now.push((work.row, true));
                    x.push(hi);
                    g.push(fits);
                }
            }
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
                let side = match f {
                    f if f >= hi && hi > 0.0 => 1.0,
                    f if f <= lo && lo < 0.0 => -1.0,
                    _ => 0.0,
                };
                let sides = capstan::sides(&change, &work.tensions);
                let mut fits = capstan::bounds(&change, sides, side);
                // A slack cable does not rub. Where it pulls again without friction, the answer lies
                // between: the least friction that left it slack is halved.
                let known = cables.ceilings.iter_mut().find(|c| c.0 == row);
                if lambda[own] <= 0.0 {
                    let most = f.abs();
                    fits = match &known {
                        Some(_) => (-0.5 * most, 0.5 * most),
                        None => (0.0, 0.0),
                    };
                    match known {
                        Some(ceiling) => ceiling.1 = ceiling.1.min(most),
                        None if most > 0.0 => cables.ceilings.push((row, most)),
                        None => {}
                    }
                } else if let Some((_, ceiling)) = known {
                    let cap = 0.5 * (f.abs() + *ceiling);
                    fits = (fits.0.max(-cap), fits.1.min(cap));
                }
                let off = match side {
                    1.0 => (fits.1 - hi).abs(),
                    -1.0 => (fits.0 - lo).abs(),
                    _ => (f - fits.1).max(fits.0 - f).max(0.0),
                };
                // A side without room says nothing yet.
                let shut = |room: f64| if room > enough * most { most } else { 0.0 };
                let off = match side == 0.0 {
                    true if hi <= 0.0 && f >= hi => off.max(shut(fits.1)),
                    true if lo >= 0.0 && f <= lo => off.max(shut(-fits.0)),
                    _ => off,
                };
                worst = worst.max(off / most);
                gap = gap.max(off * self.diagonal.get(row).copied().unwrap_or(0.0));
                if side == 0.0 {
                    free.push((row, fits));
                } else {
                    now.push((row, side > 0.0));
                    x.push(if side > 0.0 { hi } else { lo });
                    g.push(if side > 0.0 { fits.1 } else { fits.0 });
                    free.push((row, fits));
                }
            }
        }
        let settled = worst <= enough;
        if settled || pass >= PASSES || stuck {
            self.report.friction_gap =
                self.report.friction_gap.max(if settled { 0.0 } else { gap });
            if worst > UNSETTLED {
                self.report.given_up = Some("friction of cables did not settle".into());
            }
        } else {
            if now != cables.bound {
                cables.mixing.restart();
            }
            cables.mixing.mix(&x, &mut g);
            for (row, (lo, hi)) in free {
                self.problem.laws[row] = Law::Box { lo, hi };
            }
            for (&(row, upper), g) in now.iter().zip(&g) {
                let (lo, hi) = self.problem.laws[row].bounds();
                let (lo, hi) = if upper {
                    (lo.min(*g).min(0.0), g.max(0.0))
                } else {
                    (g.min(0.0), hi.max(0.0))
                };
                self.problem.laws[row] = Law::Box { lo, hi };
                self.iterate.lambda[row] = if upper { hi } else { lo };
            }
            for work in cables.list[..cables.count].iter().filter(|w| rubs(w)) {
                for row in work.row..work.row + work.rows {
                    let (lo, hi) = self.problem.laws[row].bounds();
                    let lambda = &mut self.iterate.lambda[row];
                    *lambda = lambda.clamp(lo, hi);
                }
            }
            cables.bound = now;
        }
        self.cables = cables;
        !settled && pass < PASSES && !stuck
    }
}
