//! What cables add to the energy of an island, to the stiffness of its bodies, and what other parts
//! of the step ask of them.

use super::{CableWork, Part};
use crate::assemble::joints::correction;
use crate::assemble::{IslandSolver, NOTHING, Scene, Stage, geometric};
use crate::cables::capstan;
use crate::islands::Island;
use crate::lcp::RowState;
use crate::math::{Mat3, Vec3};

impl IslandSolver {
    /// Adds what spans under tension do to the bodies at their ends when these turn or move.
    pub(in crate::assemble) fn add_cable_stiffness(&mut self, scene: &Scene) {
        let half = 0.5 * scene.h;
        let cables = std::mem::take(&mut self.cables);
        for work in cables.active() {
            let spans = work.end.spans.iter().zip(&work.tensions).zip(&work.stopped);
            for ((span, impulse), _) in spans.filter(|(_, stopped)| !**stopped) {
                let tension = impulse / scene.h;
                let own = span.slots[0].is_some() && span.slots[0] == span.slots[1];
                if tension <= 0.0 || span.length <= 0.0 || own {
                    continue;
                }
                let u = span.direction();
                let outer = Mat3::from_cols(u * u.x, u * u.y, u * u.z);
                let across = (Mat3::IDENTITY - outer) * (half * half * tension / span.length);
                for (side, force) in [(0, u * tension), (1, -u * tension)] {
                    let local = span.slots[side].map_or(u32::MAX, |s| scene.local[s as usize]);
                    let Some(sum) = self.geometric.get_mut(local as usize) else { continue };
                    if span.fixed[side] {
                        let arm = span.arms[side];
                        sum.stiffness += geometric::along_arm(half, force, arm);
                        let skew = Mat3::from_cols(
                            Vec3::new(0.0, arm.z, -arm.y),
                            Vec3::new(-arm.z, 0.0, arm.x),
                            Vec3::new(arm.y, -arm.x, 0.0),
                        );
                        sum.stiffness += skew.transpose() * across * skew;
                    }
                    sum.across += across;
                    sum.near = sum.near.max(1.0 / span.length);
                }
            }
        }
        self.cables = cables;
    }

    /// Potential energy of cables that give at the end of the step.
    pub(in crate::assemble) fn elastic_at_end(&self, scene: &Scene, island: &Island) -> f64 {
        let of = |(work, &slot): (&CableWork, &u32)| {
            let state = scene.cables.at(slot).filter(|s| s.cable.stretches());
            state.map_or(0.0, |state| work.after(state, scene.h, self.states(work)).0)
        };
        self.cables.active().iter().zip(&island.cables).map(of).sum()
    }

    /// States of the rows of a cable by the first stage.
    fn states(&self, work: &CableWork) -> &[RowState] {
        self.first_states(work.row..work.row + work.rows)
    }

    /// Work of winches beside that of their tension F on what they mean to pay out, p. One that slips pays out what is pulled
    /// from it. One on a cable that stretches, with the stretch s before and s⁺ after, k = EA/L and k⁺ that of the new length: the spring
    /// takes ½k⁺s⁺² − ½ks² = F(Δl − p) + ½(k⁺ − k)s⁺² for F = k(s + s⁺)/2, and F Δl comes from the bodies; p is what it has paid out, slip and all.
    pub(in crate::assemble) fn work_of_winches(&self, scene: &Scene, island: &Island) -> f64 {
        let of = |(work, &slot): (&CableWork, &u32)| {
            let Some(state) = scene.cables.at(slot).filter(|s| s.cable.winch.is_some()) else {
                return 0.0;
            };
            let first = work.tensions.first().copied().unwrap_or(0.0) / scene.h;
            let (_, paid) = work.after(state, scene.h, self.states(work));
            let slipped = -first.max(0.0) * (paid - work.paid);
            // ½k⁺s⁺²(1 − k/k⁺)
            let stretched = work.first_spring(state, paid);
            slipped + stretched.map_or(0.0, |(rest, after)| -after * paid / rest)
        };
        self.cables.active().iter().zip(&island.cables).map(of).sum()
    }

    /// Kinetic energy that the second stage took where cables that rub vibrate faster than the step resolves \[J\]: −½ν(w* + w⁺) of their rows, ν the
    /// change of their impulses, w* and w⁺ the rates of bodies before and after. It is lost; given back to the motion as what
    /// rigid joints take, it would drive loads that slip over a capstan (by 20 to 40 % of their acceleration).
    pub(in crate::assemble) fn damped_by_cables(&self, scene: &Scene, island: &Island) -> f64 {
        let mut parts = Vec::new();
        let mut damped = 0.0;
        for (work, &slot) in self.cables.active().iter().zip(&island.cables) {
            let Some(state) = scene.cables.at(slot).filter(|s| s.cable.has_segments()) else {
                continue;
            };
            let changes: Vec<_> = capstan::changes(&state.cable, &work.start, &work.end).collect();
            for i in 0..work.rows {
                let row = work.row + i;
                let change = self.iterate.lambda[row] - self.first_impulse(row);
                if change == 0.0 || self.problem.laws[row] == NOTHING {
                    continue;
                }
                let weight = |span: usize| match i.checked_sub(1) {
                    None => -capstan::main_factor(&state.cable, &work.start, span),
                    Some(j) => -changes[j].factor(span),
                };
                self.gradient(scene, work, Stage::Velocities, weight, &mut parts);
                damped -= change * self.mean_end_rate(scene, &parts);
            }
        }
        damped
    }

    /// J(v* + v⁺)/2 of the bodies of the island.
    fn mean_end_rate(&self, scene: &Scene, parts: &[Part]) -> f64 {
        let of = |&(slot, linear, angular): &Part| {
            let k = scene.local[slot as usize] as usize;
            let Some(&(v, w)) = self.velocities.get(k) else { return 0.0 };
            let p = self.passage(k);
            0.5 * (linear.dot(p.v + v) + angular.dot(p.w + w))
        };
        parts.iter().map(of).sum()
    }

    /// What it costs to close cables that were too long at the start of the step: no shorter step makes that less.
    pub(in crate::assemble) fn closing_cables(&self, scene: &Scene, island: &Island) -> f64 {
        let of = |(work, &slot): (&CableWork, &u32)| {
            let state = scene.cables.at(slot).filter(|s| !s.cable.stretches());
            let most = work.tensions.iter().copied().fold(0.0, f64::max) / scene.h;
            state.map_or(0.0, |s| most * (work.start.length - s.length).max(0.0))
        };
        self.cables.active().iter().zip(&island.cables).map(of).sum()
    }

    /// Whether a cable is far longer than it should be.
    pub(in crate::assemble) fn cables_torn(
        &self,
        scene: &Scene,
        island: &Island,
        share: f64,
    ) -> bool {
        self.cables.active().iter().zip(&island.cables).any(|(work, &slot)| {
            let rigid = scene.cables.at(slot).filter(|s| !s.cable.stretches());
            rigid.is_some_and(|s| work.start.length - s.length > share * s.length)
        })
    }

    /// Whether a cable is fixed to something that is not of the island.
    pub(in crate::assemble) fn cables_hold(&self, scene: &Scene) -> bool {
        let outside = |slot: Option<u32>| slot.is_none_or(|s| scene.local[s as usize] == u32::MAX);
        self.cables.active().iter().any(|c| c.start.nodes.iter().any(|n| outside(n.slot)))
    }

    /// Whether a cable that pulled in the last step, or is taut, goes to the body in a slot.
    pub(in crate::assemble) fn hangs(&self, slot: u32) -> bool {
        let on = |work: &CableWork| work.start.nodes.iter().any(|n| n.slot == Some(slot));
        self.cables.active().iter().any(|work| (work.was_taut || work.is_tight) && on(work))
    }

    /// Whether row i of the problem is one of a cable that has been taut and does not slip.
    pub(in crate::assemble) fn is_steady(&self, i: usize) -> bool {
        if self.is_held_by_stop(i) {
            return true;
        }
        let own = self.cables.active().iter().find(|c| (c.row..c.row + c.rows).contains(&i));
        let Some(work) = own else { return false };
        let (lo, hi) = self.problem.laws[i].bounds();
        let lambda = self.iterate.lambda[i];
        let slips = lambda <= lo || lambda >= hi;
        work.was_taut && (!slips || lo == hi) && work.paid == 0.0
    }

    /// The fastest rate at which taut cables are stretched at the start, with the velocities of
    /// bodies in it.
    pub(in crate::assemble) fn cable_kick(&mut self, scene: &Scene, island: &Island) -> (f64, f64) {
        let mut cables = std::mem::take(&mut self.cables);
        let mut parts = std::mem::take(&mut cables.parts);
        let (mut most, mut gross) = (0.0_f64, 0.0_f64);
        for (work, &slot) in cables.active().iter().zip(&island.cables) {
            let rigid = scene.cables.at(slot).filter(|s| !s.cable.stretches());
            let Some(state) = rigid.filter(|_| work.tensions.iter().any(|&t| t > 0.0)) else {
                continue;
            };
            self.gradient(scene, work, Stage::Step, |_| -1.0, &mut parts);
            let mut rate = work.paid / scene.h
                + correction(scene, (state.length - work.start.length).min(0.0));
            for &(slot, linear, angular) in &parts {
                let body = scene.bodies.at(slot);
                let still = body.map_or((Vec3::ZERO, Vec3::ZERO), |b| (b.v, b.w));
                let start = self.start.get(scene.local[slot as usize] as usize).copied();
                let (v, w) = start.unwrap_or(still);
                let (v, w) = (linear.dot(v), angular.dot(w));
                rate += v + w;
                gross = gross.max(v.abs()).max(w.abs());
            }
            most = most.max(-rate);
        }
        cables.parts = parts;
        self.cables = cables;
        (most, gross)
    }
}
