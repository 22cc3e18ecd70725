//! Cables between and after steps: their ways, wraps and winches, and what happens to them.

use crate::cables::CableState;
use crate::cables::path::{LEFT, Way};
use crate::report::{Event, StepReport};
use crate::scene::BodyState;
use crate::slots::{CableId, Slots};
use crate::world::World;

impl World {
    /// Turns pulleys, and with them the wraps of drums, on by the rates of their bodies, before these move for the time h.
    pub(super) fn expect_wraps(&mut self, h: f64) {
        let (bodies, holds) = (&self.bodies, &self.work.holds);
        for (_, state) in self.cables.iter_mut().filter(|(_, c)| goes_on(c, bodies)) {
            for k in 0..state.cable.stations.len() {
                let station = &state.cable.stations[k];
                let Some(pulley) = station.pulley else { continue };
                let body = station.frame.body().and_then(|id| Some((id, bodies.at(id.index)?)));
                let Some((id, body)) = body else { continue };
                let axis = body.q * pulley.axis.normalize_or_zero();
                let turn = holds.way(id.index, h) * body.way().1.dot(axis);
                state.turned[k] = turn;
                if state.cable.is_end(k) {
                    state.wraps[k] += if k == 0 { -turn } else { turn };
                }
            }
        }
    }

    /// Ways and wraps of all cables as their bodies are.
    pub(super) fn measure_cables(&mut self) {
        let mut way = Way::default();
        for (_, state) in self.cables.iter_mut() {
            way.place(&state.cable, crate::cables::at_present(&self.bodies));
            way.recall(&state.faces, &[]);
            way.settle(&state.cable, &state.wraps, &state.touches, state.anchors);
            state.take(&way);
            state.arrange(&way);
        }
    }

    /// Takes the ways of cables anew after a part of a step, in which segments got what ran over pulleys that hold the cable, once,
    /// and a winch that slipped paid out what was pulled from it.
    pub(super) fn advance_cables(&mut self) {
        let mut way = Way::default();
        let bodies = &self.bodies;
        for (_, state) in self.cables.iter_mut().filter(|(_, c)| goes_on(c, bodies)) {
            way.place(&state.cable, crate::cables::at_present(bodies));
            way.recall(&state.faces, &state.came);
            way.settle(&state.cable, &state.wraps, &state.touches, state.anchors);
            if state.cable.has_segments() {
                state.take_rests(&way);
            }
            state.take(&way);
            state.arrange(&way);
            if state.cable.stretches()
                && !state.slots().any(|s| bodies.at(s).is_some_and(BodyState::is_dynamic))
            {
                state.pull_between_fixed();
            }
            if state.cable.has_segments() {
                continue;
            }
            let mean = state.memory.first().map_or(0.0, |m| m.0);
            let first = state.tensions.first().copied().unwrap_or(0.0);
            state.length = state.slipped(state.length, state.way, first, mean);
        }
    }

    /// Removes cables beyond their tension, and says which began or ceased to pull, which left a pulley and
    /// which winches stand at their end.
    pub(super) fn cable_events(&mut self, report: &mut StepReport) {
        let mut broken = Vec::new();
        for (id, state) in self.cables.iter_mut() {
            let (cable, tension) = (CableId::of_slot(id), state.last_tension());
            if tension > state.cable.break_tension {
                let name = state.name().to_string();
                report.max_tension = report.max_tension.max(tension);
                broken.push((cable, Event::CableBroke { cable, name, tension }));
            }
            let taut = tension > 0.0;
            match (state.pulled, taut) {
                (false, true) => report.events.push(Event::CableTaut { cable }),
                (true, false) => report.events.push(Event::CableSlack { cable }),
                _ => {}
            }
            state.pulled = taut;
            if state.stopped == [true, false] {
                let name = state.name().to_string();
                report.events.push(Event::WinchStopped { cable, name });
            }
            state.stopped[1] = state.stopped[0];
            for station in 0..state.wraps.len() {
                if state.wraps[station] == LEFT && !state.left[station] {
                    state.left[station] = true;
                    let name = state.name().to_string();
                    report.events.push(Event::CableLeft { cable, name, station });
                }
            }
        }
        for (id, event) in broken {
            if self.remove_cable(id).is_ok() {
                report.events.push(event);
            }
        }
    }
}

/// Whether no body of a cable has arrived where others go on.
fn goes_on(cable: &CableState, bodies: &Slots<BodyState>) -> bool {
    !cable.slots().any(|slot| bodies.at(slot).is_some_and(|b| b.done.is_some()))
}
