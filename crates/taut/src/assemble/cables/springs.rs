//! Springs of cables that stretch: one for each segment between stations that rub.
//!
//! A segment pulls with T = F(s, s⁺) + dΔs/h, s and s⁺ its elongations (`cables::segments::pull`). Newton sees it linear in s⁺: as a
//! compliance and a bias. The rows of a cable are its mean tension τ and changes f, with Tⱼ = τ + Σ aₖⱼfₖ, so
//! that compliances of segments couple them: Σⱼ aₖⱼ cⱼ aₗⱼ. That is J M⁻¹ Jᵀ of a block whose masses are 1/cⱼ, six segments a block, which
//! stands behind the bodies of the island and that no other row sees.

use super::{CableWork, Part};
use crate::assemble::{IslandSolver, Scene, Stage};
use crate::cables::segments::{self, Passing, pull};
use crate::cables::{CableState, capstan};
use crate::islands::Island;

// What half and twice of these change: docs/decisions/step-constants.md.

/// Least slope of a segment that becomes slack, and that of one that is not taut yet, as shares of its stiffness.
const LEAST_SLOPE: f64 = 0.02;
const SLACK_SLOPE: f64 = 0.5;
/// A vibration is followed where the step turns its phase by less than this \[rad\], if dividing steps by `PARTS` gets there.
const FOLLOWED: f64 = 0.5;
const PARTS: f64 = 32.0;
/// Tensions that swing by less than this share of the weight they hold, or of the energy about, are not looked at.
const SWING: f64 = 0.5;
const OF_ENERGY: f64 = 0.1;

/// A segment on its way through the step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SegmentSpring {
    /// Rest length, and lengths at both ends of the step \[m\].
    rest: f64,
    from: f64,
    to: f64,
    /// How the end misses what the last gradient said, and where F is linear about \[m\].
    remainder: f64,
    about: f64,
    /// Of its row.
    pub(super) compliance: f64,
    pub(super) bias: f64,
}

impl SegmentSpring {
    pub(super) fn rest(&self) -> f64 {
        self.rest
    }
}

impl CableWork {
    /// Segments at the start of the step.
    pub(super) fn take_springs(&mut self, state: &CableState) {
        self.springs.clear();
        self.of.clear();
        self.turned.clear();
        self.turned.resize(state.wraps.len(), 0.0);
        if !state.cable.stretches() {
            return;
        }
        let (rests, long) = state.springs(&self.start, &state.rests);
        let spring = |(&rest, &from): (&f64, &f64)| SegmentSpring {
            rest,
            from,
            to: from,
            ..SegmentSpring::default()
        };
        self.springs.extend(rests.iter().zip(&long).map(spring));
        if rests.len() > 1 {
            segments::segments(&state.cable, |k| self.start.touches[k], &mut self.of);
        } else {
            self.of.resize(state.cable.spans(), 0);
        }
        self.rests.clone_from(&state.rests);
        self.marks.clear();
        self.marks.extend((0..state.wraps.len()).map(|k| self.start.mark(k)));
    }

    /// The way through the step, in which spans pull like this.
    fn passing<'a>(&'a self, state: &'a CableState, tensions: &[f64]) -> Passing<'a> {
        let start = (&self.start.angles[..], &self.start.touches[..], &self.marks[..]);
        let (rests, long): (Vec<_>, Vec<_>) = self.springs.iter().map(|s| (s.rest, s.from)).unzip();
        let before = segments::elastic(state.cable.stiffness, &rests, &long)
            - segments::pull_of(&state.cable, &self.start, tensions);
        Passing { cable: &state.cable, start, end: &self.end, turned: &self.turned, before }
    }

    /// Whether a segment is the only one between stations that hold the cable apart, and how far the step fails to resolve that side.
    fn side_of(&self, state: &CableState, j: usize) -> (bool, f64) {
        let Some(span) = self.of.iter().position(|&of| of == j) else { return (true, 0.0) };
        let changes = capstan::changes(&state.cable, &self.start, &self.start).enumerate();
        let mut own = self.unresolved;
        let mut rubs = false;
        for (i, change) in changes {
            if change.apart && change.factor(span) > 0.0 {
                own = self.unresolved_changes[i];
            }
            rubs |= !change.apart && change.factor(span) != 0.0 && self.springs.len() > 1;
        }
        (!rubs, own)
    }

    /// Lengths of segments at the end.
    pub(super) fn move_springs(&mut self, state: &CableState) {
        if self.springs.len() == 1 {
            self.springs[0].to = self.end.length;
        } else if !self.springs.is_empty() {
            let (mut long, mut sums) = (Vec::new(), Vec::new());
            self.passing(state, &[]).pieces(&mut long);
            segments::sums(&self.of, self.springs.len(), &long, &mut sums);
            self.springs.iter_mut().zip(&sums).for_each(|(s, &to)| s.to = to);
        }
    }

    /// Energy at the end of the step, and what the winch paid out in it, slip and all \[m\].
    pub(super) fn after(
        &self,
        state: &CableState,
        h: f64,
        set: &[crate::lcp::RowState],
    ) -> (f64, f64) {
        let tensions: Vec<f64> = self.tensions.iter().map(|t| (t / h).max(0.0)).collect();
        let first = tensions.first().copied().unwrap_or(0.0);
        if self.springs.len() > 1 || !state.rests.is_empty() {
            let mut rests = state.rests.clone();
            let most = state.cable.winch.map_or(f64::INFINITY, |w| w.max_force);
            let set = |i: usize| set.get(i).copied().unwrap_or_default();
            self.passing(state, &tensions).rests(&mut rests, &tensions, set, (self.paid, most));
            let paid = rests.iter().sum::<f64>() - state.length;
            let (rests, long) = state.springs(&self.end, &rests);
            return (segments::elastic(state.cable.stiffness, &rests, &long), paid);
        }
        let mean = self.impulses.first().copied().unwrap_or(0.0) / h;
        let length = state.slipped(state.length + self.paid, self.end.length, first, mean);
        let energy = match state.cable.stretches() {
            true => segments::elastic(state.cable.stiffness, &[length], &[self.end.length]),
            false => 0.0,
        };
        (energy, length - state.length)
    }

    /// Rest length of the first segment at the start, and its share of the elastic energy at the end, after what the winch paid out.
    pub(super) fn first_spring(&self, state: &CableState, paid: f64) -> Option<(f64, f64)> {
        let s = self.springs.first()?;
        let rest = s.rest + paid;
        Some((s.rest, segments::elastic(state.cable.stiffness, &[rest], &[s.to])))
    }
}

impl IslandSolver {
    /// Compliances and biases of the segments for a stage that moves. Returns how far they miss what Newton is to find, as a
    /// share of `size`.
    pub(super) fn find_springs(
        &self,
        scene: &Scene,
        state: &CableState,
        work: &mut CableWork,
        stage: Stage,
        (parts, size): (&mut Vec<Part>, f64),
    ) -> f64 {
        let (h, ea) = (scene.h, state.cable.stiffness);
        let count = work.springs.len();
        let mut missed = 0.0_f64;
        for j in 0..count {
            let mut spring = work.springs[j];
            let paid = if j == 0 { work.paid } else { 0.0 };
            let (alone, unresolved) = work.side_of(state, j);
            let (k, d) = (ea / spring.rest, state.cable.damping / spring.rest);
            let s = spring.from - spring.rest;
            if stage != Stage::Positions {
                let sum = h * k + d;
                spring.compliance = 1.0 / (h * sum);
                spring.bias = -k * s / sum;
                work.springs[j] = spring;
                continue;
            }
            self.gradient(scene, work, stage, |i| if work.of[i] == j { -1.0 } else { 0.0 }, parts);
            let rate = self.rate_of(scene, parts) + paid / h;
            let after = spring.to - spring.rest - paid;
            let remainder = -after + s - h * rate;
            let tension = (0..work.of.len()).find(|&i| work.of[i] == j);
            let tension = tension.map_or(0.0, |i| work.tensions[i] / h);
            // Where friction bounds tensions these say where it ends.
            let mut about = match !alone && tension > 0.0 {
                true => inverse((k, d / h, unresolved), s, tension),
                false => after,
            };
            let (mut force, mut slope) = pull(k, s, about, unresolved);
            if s <= 0.0 && about <= 0.0 {
                (about, force) = (0.0, 0.0);
                slope = SLACK_SLOPE * k;
            }
            slope = slope.max(LEAST_SLOPE * k);
            // The damper acts while the segment is taut: one that becomes taut in the step gets a force of d s⁺/h.
            let d = if s > 0.0 || about > 0.0 { d } else { 0.0 };
            force += d * s.min(0.0) / h;
            let sum = h * slope + d;
            spring.compliance = 1.0 / (h * sum);
            spring.bias = (slope * (remainder - s + about) - force + d * remainder / h) / sum;
            if tension > 0.0 || after > 0.0 {
                let bends = (s <= 0.0 || about <= 0.0) && alone;
                let turn = if bends { (about - spring.about).abs() } else { 0.0 };
                missed = missed.max(((remainder - spring.remainder).abs() + turn) / size);
            }
            (spring.remainder, spring.about) = (remainder, about);
            work.springs[j] = spring;
        }
        missed
    }

    /// Blocks for the segments of a cable that has several; the number of the first.
    pub(super) fn push_springs(
        &mut self,
        scene: &Scene,
        state: &CableState,
        work: &CableWork,
    ) -> u32 {
        let subsystem = state.slots().find_map(|s| scene.bodies.at(s)?.body.subsystem);
        let Some(m) = self.multibody() else { return 0 };
        let first = m.body_count() as u32;
        for six in work.springs.chunks(6) {
            let mut block = [[0.0; 6]; 6];
            for (i, row) in block.iter_mut().enumerate() {
                row[i] = six.get(i).map_or(1.0, |s| 1.0 / s.compliance);
            }
            if let Err(e) = m.push_body(block) {
                self.report.refuse(e);
                return 0;
            }
            m.set_subsystem(m.body_count() - 1, subsystem);
        }
        first
    }

    /// Gives cables with several segments the forces of the first stage, which moved them: rest lengths pass by these, and so does the
    /// energy that is left. (With those of the second one random world in twenty created 18 times the tolerance.)
    pub(in crate::assemble) fn keep_first_tensions(&mut self, scene: &Scene, island: &Island) {
        let mut cables = std::mem::take(&mut self.cables);
        for (work, &slot) in cables.active_mut().iter_mut().zip(&island.cables) {
            let Some(state) = scene.cables.at(slot).filter(|s| s.cable.has_segments()) else {
                continue;
            };
            let rows = work.row..work.row + work.rows;
            capstan::tensions(
                &state.cable,
                &work.start,
                &self.iterate.lambda[rows.clone()],
                &mut work.acting,
            );
            work.acting.iter_mut().for_each(|t| *t /= scene.h);
            for (i, row) in rows.enumerate() {
                work.impulses[i] = self.first_impulse(row);
                self.iterate.lambda[row] = work.impulses[i];
            }
            capstan::tensions(&state.cable, &work.start, &work.impulses, &mut work.tensions);
        }
        self.cables = cables;
    }

    /// Whether a cable vibrates too fast for this step but not for a shorter one. If such a cable snaps taut and the step is not
    /// halved, its load loses its speed, and the peak of its tension is not told.
    pub(in crate::assemble) fn cables_snap(&mut self, scene: &Scene, island: &Island) -> bool {
        let cables = std::mem::take(&mut self.cables);
        let mut parts = Vec::new();
        let (kinetic, _, fall) = self.energy_at_end(scene, island);
        let kinetic = kinetic.max(self.report.energy.kinetic);
        let snaps = cables.active().iter().zip(&island.cables).any(|(work, &slot)| {
            let Some(state) = scene.cables.at(slot).filter(|s| s.cable.stretches()) else {
                return false;
            };
            let tension = work.tensions.iter().copied().fold(0.0, f64::max) / scene.h;
            if tension <= 0.0 {
                return false;
            }
            self.gradient(scene, work, Stage::Step, |_| -1.0, &mut parts);
            let (k, d) = state.spring();
            let a = self.mobility(scene, &parts);
            let (phase, damped) = (scene.h * (k * a).sqrt(), d * (a / k).sqrt());
            if !(phase > FOLLOWED && phase < FOLLOWED * PARTS) || damped > 1.0 {
                return false;
            }
            let rate = self.rate_of(scene, &parts) + work.paid / scene.h;
            let weight = scene.gravity.length() / a;
            // What stretches a belt is held by its axles, and does not swing. (Steps of one that ran evenly were all divided.)
            let held = if state.cable.closed { state.tension() } else { 0.0 };
            let change = (tension - weight.max(held)).max(0.0);
            let swing = (rate * (k / a).sqrt()).hypot(change);
            swing > SWING * weight && swing * swing / (2.0 * k) > OF_ENERGY * (kinetic + fall)
        });
        self.cables = cables;
        snaps
    }
}

/// The elongation after a step in which a spring and its damper pulled with this force: F(s, s⁺) + D(s⁺ − s) of
/// `segments::pull` with its blend u, D the damper over the step.
fn inverse((k, damper, u): (f64, f64, f64), s: f64, force: f64) -> f64 {
    let (whole, part) = (0.5 * k * (1.0 + u), 0.5 * k * (1.0 - u));
    if s <= 0.0 {
        let (sum, whole) = (force + (k * u + damper) * s, whole + damper);
        return (sum + (sum * sum - 4.0 * whole * force * s).sqrt()) / (2.0 * whole);
    }
    let after = (force + (damper - part) * s) / (whole + damper);
    if after >= 0.0 || part <= 0.0 {
        return after.max(0.0);
    }
    let store = part * s * s;
    s - 2.0 * store / (force + (force * force + 4.0 * damper * store).sqrt())
}

/// The factor by which τ adds to the tension of a segment.
pub(super) fn main_factor(work: &CableWork, state: &CableState, j: usize) -> f64 {
    let first = work.of.iter().position(|&of| of == j);
    first.map_or(1.0, |i| capstan::main_factor(&state.cable, &work.start, i))
}

/// The factors by which the changes of tension add to that of each segment.
pub(super) fn factors(work: &CableWork, change: &capstan::Change, j: usize) -> f64 {
    let first = work.of.iter().position(|&of| of == j);
    first.map_or(0.0, |i| change.factor(i))
}
