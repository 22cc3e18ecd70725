//! Bodies whose state is beyond all bounds are frozen, so that they do not harm others.

use crate::report::{Event, StepReport};
use crate::scene::BodyState;
use crate::slots::BodyId;
use crate::world::World;

/// Beyond these a body is lost, and its numbers would harm others.
const MAX_SPEED: f64 = 1e9;
const MAX_DISTANCE: f64 = 1e12;

impl World {
    /// Freezes bodies whose state is beyond all bounds.
    pub(super) fn quarantine_inputs(&mut self, report: &mut StepReport) {
        for (id, body) in self.bodies.iter_mut() {
            if body.quarantine.is_none()
                && let Some(reason) = lost_reason(body)
            {
                quarantine(BodyId::of_slot(id), body, reason, report);
            }
        }
    }
}

/// Why a body cannot take part, if it cannot.
pub(super) fn lost_reason(body: &BodyState) -> Option<&'static str> {
    if !(body.v.is_finite() && body.w.is_finite()) {
        Some("its velocity is not finite")
    } else if !(body.x.is_finite() && body.q.is_finite()) {
        Some("its pose is not finite")
    } else if body.v.length() > MAX_SPEED || body.w.length() > MAX_SPEED {
        Some("its speed exceeds 1e9 m/s or rad/s")
    } else if body.x.length() > MAX_DISTANCE {
        Some("it is more than 1e12 m away")
    } else {
        None
    }
}

/// Freezes a body, and says why.
pub(super) fn quarantine(id: BodyId, body: &mut BodyState, reason: &str, report: &mut StepReport) {
    body.freeze(reason);
    let name = body.name().to_string();
    report.events.push(Event::Quarantined { body: id, name, reason: reason.into() });
}
