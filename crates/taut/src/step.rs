//! One time step, from top to bottom: collide → islands → assemble and solve
//! → integrate → measure. Each phase is timed. Contacts that the answers turn out to lack are added, and
//! the step is solved again (`missed`). A step that tears joints open
//! is taken back and halved (`halving`), for the islands concerned (`redo`); a body that would run into something is
//! held back (`hold`), in the shortest parts.

mod arrive;
mod cables;
mod clumps;
mod collide;
mod halving;
mod hold;
mod hold_costs;
mod ledger;
mod missed;
mod penalty;
mod quarantine;
mod redo;
mod report;
mod rest;
mod softs;
mod solve;
mod turns;

// What runs on request alone.
#[path = "step/on_request/projection.rs"]
mod projection;
#[path = "step/on_request/push_out.rs"]
mod push_out;

pub(crate) use halving::Saved;
pub(crate) use hold::Holds;
pub(crate) use ledger::Ledger;
pub(crate) use missed::Missed;
pub(crate) use push_out::PushOut;
pub(crate) use redo::Redo;

use crate::error::{Error, check};
use crate::report::StepReport;
use crate::settings::Integrator;
use crate::world::World;
use halving::Nesting;
use taut_lcp::clock::Instant;

impl World {
    /// Advances the world by `dt` seconds, in as many parts as
    /// [`Settings::substeps`](crate::Settings::substeps) says. `dt` may change
    /// from step to step. User forces act during the whole step and are then
    /// forgotten. Errors for a `dt` that is not positive and for settings out
    /// of range, before anything moves; what happens in the step is told by
    /// the report.
    ///
    /// A body that moves or turns so far in the step that it would run into
    /// something for which it has no contact yet stops there, keeps its
    /// velocity, and loses the rest of the step; bodies connected to it by
    /// joints do the same.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, Error> {
        check("dt", dt, dt.is_finite() && dt > 0.0, "finite and positive")?;
        self.settings.validate()?;
        self.prepare_solvers()?;
        self.check_softs()?;
        self.check_contact_model()?;
        let h = dt / self.settings.substeps as f64;
        (self.work.torn_joint, self.work.failed) = (None, 0);
        self.remember_gaps();
        self.measure_cables();
        (self.work.start, self.work.middle) = (self.time, self.time + 0.5 * dt);
        self.bodies.iter_mut().for_each(|(_, body)| body.set_out(dt));
        self.gone.clear();
        self.start_ledger();
        let mut report = self.substep(h, Nesting::default());
        for _ in 1..self.settings.substeps {
            let next = self.substep(h, Nesting::default());
            report.merge(next);
        }
        self.gone.iter_mut().for_each(|c| c.mean = c.mean.times(1.0 / dt));
        self.count_holds(dt, &mut report);
        self.see_energy(&mut report);
        self.clear_forces();
        self.bodies.iter_mut().for_each(|(_, body)| body.arrive());
        let torn = self.work.torn_joint.or_else(|| self.opened_joint());
        let name = |slot: u32| self.joints.at(slot).map_or("", |joint| joint.name()).to_string();
        report.torn_joint = torn.map(name);
        Ok(report)
    }

    fn substep(&mut self, h: f64, nesting: Nesting) -> StepReport {
        if self.settings.contact.penalty().is_some() {
            return self.substep_penalty(h);
        }
        let midpoint = self.settings.integrator == Integrator::MoreauMidpoint;
        let t0 = Instant::now();
        if let Some(report) = self.rest(h) {
            return report;
        }
        let may_halve = self.may_halve(h, nesting);
        if may_halve && self.rolls_far(h) {
            return self.parts(h, 0.5 * h, nesting.halved());
        }
        let mut report = StepReport::default();
        self.quarantine_inputs(&mut report);
        let may_split = self.may_split();
        let may_return = may_halve || may_split;
        self.save(nesting, may_return);
        if midpoint {
            self.advance_bodies(0.5 * h, &mut report);
        }
        self.collide(h);
        self.save_contacts(nesting, may_return);
        self.find_near(h);
        let t1 = Instant::now();
        self.find_islands();
        self.sleep_or_wake(&mut report);
        let t2 = Instant::now();
        self.solve_islands(h, may_halve, |_| true);
        self.solve_missed(h, nesting, may_halve, &mut report);
        let t3 = Instant::now();
        self.apply_answers(h, &mut report);
        self.advance_bodies(if midpoint { 0.5 * h } else { h }, &mut report);
        report.timings.collide = (t1 - t0).as_secs_f64();
        report.timings.islands = (t2 - t1).as_secs_f64();
        let again = self.find_again(h, nesting, (may_halve, may_split));
        let t4 = Instant::now();
        report.timings.integrate = (t4 - t3).as_secs_f64();
        if let Some(parts) = again {
            report.timings.total = t0.elapsed().as_secs_f64();
            return self.redo(h, parts, nesting, report);
        }
        self.work.failed += usize::from(!report.converged());
        self.note_meetings(h);
        self.fall_asleep(h);
        self.project_positions(h, &mut report);
        self.push_out(h, &mut report);
        self.balance_energy(h, &mut report);
        self.break_joints(&mut report);
        self.cable_events(&mut report);
        self.touch_events(&mut report);
        self.time += h;
        self.measure(&mut report);
        self.note_rest(&report);
        report.timings.measure = t4.elapsed().as_secs_f64();
        report.timings.total = t0.elapsed().as_secs_f64();
        report
    }
}
