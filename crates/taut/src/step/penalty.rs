//! The step of a world whose contacts are springs: one solve, nothing is taken back, held or pushed out.
//!
//! What the exact step does about bodies that turn far or move fast has no place here: springs are what is to be seen. So bodies
//! may pass through one another; the report tells how deep they are.
//! Explicit springs swing about their energy by h√(k/m)/2 of it within a contact. That is energy created, by the same tolerance as everywhere: a run that did so is
//! no success, and a smaller step mends it.

use crate::report::StepReport;
use crate::settings::{ContactModel, FrictionMode};
use crate::world::World;
use crate::{Error, Integrator};
use taut_lcp::clock::Instant;

impl World {
    /// Refuses what the model of contact does not go with.
    pub(super) fn check_contact_model(&self) -> Result<(), Error> {
        let wrong = |value: &str, expected| {
            Err(Error::Value { name: "contact", value: value.into(), expected })
        };
        match self.settings.contact {
            ContactModel::Complementarity => Ok(()),
            ContactModel::Barrier { .. } => wrong(
                "barrier",
                "complementarity or penalty: worlds do not step by barriers themselves, taut run and the crate taut-barrier do",
            ),
            ContactModel::Penalty { .. } if self.softs.iter().next().is_some() => {
                wrong("penalty", "complementarity or barrier, where there are soft bodies")
            }
            ContactModel::Penalty { .. }
                if self.settings.integrator == Integrator::MoreauMidpoint =>
            {
                wrong("penalty", "complementarity with the integrator moreau_midpoint")
            }
            ContactModel::Penalty { .. }
                if !matches!(self.settings.friction, FrictionMode::Cone | FrictionMode::Ccp) =>
            {
                wrong(
                    "penalty",
                    "complementarity with this law of friction: springs take cone or ccp",
                )
            }
            ContactModel::Penalty { .. } => Ok(()),
        }
    }

    pub(super) fn substep_penalty(&mut self, h: f64) -> StepReport {
        let t0 = Instant::now();
        if let Some(report) = self.rest(h) {
            return report;
        }
        let mut report = StepReport::default();
        self.quarantine_inputs(&mut report);
        self.collide(h);
        self.note_starts();
        self.find_near(h);
        let t1 = Instant::now();
        self.find_islands();
        self.work.redo.again.clear();
        self.sleep_or_wake(&mut report);
        let t2 = Instant::now();
        self.solve_islands(h, false, |_| true);
        let t3 = Instant::now();
        self.apply_answers(h, &mut report);
        self.advance_bodies(h, &mut report);
        report.timings.collide = (t1 - t0).as_secs_f64();
        report.timings.islands = (t2 - t1).as_secs_f64();
        let t4 = Instant::now();
        report.timings.integrate = (t4 - t3).as_secs_f64();
        self.fall_asleep(h);
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
