//! Adding, finding, changing and removing cables.

use super::World;
use crate::Error;
use crate::assemble::geometry;
use crate::cables::{Cable, CableState, Station, Winch};
use crate::math::Vec3;
use crate::scene::BodyKind;
use crate::scene::joint::{JointKind, JointState};
use crate::slots::{BodyId, CableId};

const WHAT: &str = "cable";
/// A cable that does not stretch may be too short by this share of its way at the start: rounding of what is written in files.
const TOO_SHORT: f64 = 1e-6;
/// A belt on axles that do not move may be too short by this share: rounding.
const SHORT_BELT: f64 = 1e-9;
/// Points nearer than this share of the cable are one.
const SAME: f64 = 1e-9;
/// Angle between neighbouring points of an arc that is drawn \[rad\].
const ARC: f64 = 0.2;

/// A cable as a line to be drawn.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CableLine {
    /// Its points, in order \[m\].
    pub points: Vec<Vec3>,
    /// Tension between each point and the next \[N\].
    pub tensions: Vec<f64>,
}

impl World {
    /// Adds a cable. Refuses names that are taken, bodies that do not exist, fewer than two
    /// stations, pulleys without radius, within one another or more than 45° askew, friction at an end,
    /// neighbouring points that coincide, and a length that the way does not fit into (unless the cable stretches).
    pub fn add_cable(&mut self, cable: Cable) -> Result<CableId, Error> {
        if self.cable_names.contains_key(&cable.name) {
            return Err(Error::DuplicateName { name: cable.name, what: WHAT });
        }
        let state = self.resolve_cable(cable)?;
        let name = state.name().to_string();
        let id = CableId::of_slot(self.cables.insert(state));
        self.cable_names.insert(name, id);
        self.wake_all();
        Ok(id)
    }

    /// A cable.
    pub fn cable(&self, id: CableId) -> Result<&CableState, Error> {
        self.cables.get(id.index, id.generation).ok_or(Error::UnknownId { what: WHAT })
    }

    /// The cable of that name.
    pub fn cable_named(&self, name: &str) -> Option<CableId> {
        self.cable_names.get(name).copied()
    }

    /// All cables, in a fixed order.
    pub fn cables(&self) -> impl Iterator<Item = (CableId, &CableState)> {
        self.cables.iter().map(|(id, c)| (CableId::of_slot(id), c))
    }

    /// Removes a cable.
    pub fn remove_cable(&mut self, id: CableId) -> Result<(), Error> {
        let state = self.cables.remove(id.index, id.generation);
        let state = state.ok_or(Error::UnknownId { what: WHAT })?;
        self.cable_names.remove(state.name());
        self.wake_all();
        Ok(())
    }

    /// Replaces the winch of a cable, or removes it; the cable stays as long as it is.
    ///
    /// ```
    /// # use taut::{Body, Cable, Frame, Shape, Station, Winch, World, math::Vec3};
    /// # let mut world = World::new();
    /// # let load = Body::dynamic("load").shape(Shape::Ball { radius: 0.1 });
    /// # let load = world.add_body(load)?;
    /// # let cable = Cable::new("rope")
    /// #     .via(Station::point(Frame::World, Vec3::new(0.0, 0.0, 2.0)))
    /// #     .via(Station::point(load, Vec3::ZERO));
    /// let cable = world.add_cable(cable)?;
    /// world.set_winch(cable, Winch::new(-0.5))?;
    /// world.step(0.1)?;
    /// assert!((world.cable(cable)?.length() - 1.95).abs() < 1e-12);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn set_winch(&mut self, id: CableId, winch: impl Into<Option<Winch>>) -> Result<(), Error> {
        let winch = winch.into();
        let state = self.cables.get_mut(id.index, id.generation);
        let state = state.ok_or(Error::UnknownId { what: WHAT })?;
        check_winch(state.name(), winch)?;
        if state.cable.winch == winch {
            return Ok(());
        }
        state.cable.winch = winch;
        let slots: Vec<_> = state.slots().collect();
        for slot in slots {
            if let Some(body) = self.bodies.at_mut(slot) {
                body.wake();
            }
        }
        Ok(())
    }

    /// The cable as a line: straight spans, and arcs around pulleys.
    pub fn cable_line(&self, id: CableId) -> Result<CableLine, Error> {
        let state = self.cable(id)?;
        let way = state.way_now(&self.bodies);
        let mut line = CableLine::default();
        let count = state.cable.stations.len();
        let stations = (0..count).chain(state.cable.closed.then_some(0));
        let mut tension = 0.0;
        let mut add = |point: Vec3, tension: f64| {
            if !line.points.is_empty() {
                line.tensions.push(tension);
            }
            line.points.push(point);
        };
        for (turn, k) in stations.enumerate() {
            let node = &way.nodes[k];
            if !way.touches[k] {
                continue;
            }
            let next = state.means.get(k).copied().unwrap_or(tension);
            match node.circle {
                None if node.solid => {
                    for (i, &p) in way.lying[k].path.points.iter().enumerate() {
                        add(p, if i == 0 { tension } else { 0.5 * (tension + next) });
                    }
                }
                None => add(node.point, tension),
                Some(circle) => {
                    let wrap = way.wraps[k].max(0.0);
                    let first = match state.cable.is_end(k) {
                        true if k == 0 => way.angles[k][1] - wrap,
                        _ => way.angles[k][0],
                    };
                    // Tension grows evenly with the logarithm along the arc; the eye sees its mean.
                    let mean = if k == 0 && turn == 0 { next } else { 0.5 * (tension + next) };
                    let steps = (wrap / ARC).ceil().clamp(1.0, 200.0);
                    add(circle.at(first), tension);
                    let last = if turn == count { 0 } else { steps as usize };
                    for i in 1..=last {
                        add(circle.at(first + wrap * i as f64 / steps), mean);
                    }
                }
            }
            tension = next;
        }
        Ok(line)
    }

    fn resolve_cable(&self, cable: Cable) -> Result<CableState, Error> {
        if !cable.name.is_empty()
            && cable.stations.len() >= 2
            && cable.around.is_empty()
            && !cable.stations.iter().any(|s| s.frame.body().is_some())
        {
            return Err(Error::cable(&cable.name, "it goes through no body"));
        }
        let state = self.resolve_unheld(cable)?;
        let frames = state.cable.stations.iter().map(|s| s.frame);
        if frames.clone().all(|f| Some(f) == frames.clone().next()) {
            let reason =
                "all of its stations are on one body, whose motion cannot change its length";
            return Err(Error::cable(state.name(), reason));
        }
        self.check_pull(&state)?;
        Ok(state)
    }

    /// Refuses cables whose tension nothing determines, and winches that cannot take in anything.
    fn check_pull(&self, state: &CableState) -> Result<(), Error> {
        let fail = |reason: String| Err(Error::cable(state.name(), reason));
        let body = |s: &Station| s.frame.body().and_then(|id| self.body(id).ok());
        let cable = &state.cable;
        if !cable.stretches()
            && !cable.stations.iter().any(|s| body(s).is_some_and(|b| b.is_dynamic()))
        {
            return fail("all of its stations are on what no force moves, and it does not stretch: nothing says what it pulls with; give it a stiffness".into());
        }
        let fixed = |s: &Station| body(s).is_none_or(|b| b.kind() == BodyKind::Fixed);
        let held = cable.stations.iter().take_while(|s| fixed(s) && s.solid.is_none());
        let grip =
            held.enumerate().skip(1).find(|(_, s)| s.friction == f64::INFINITY && s.edge.is_none());
        match grip.filter(|_| cable.winch.is_some()) {
            Some((k, _)) => fail(format!(
                "its winch pulls at station {k}, which does not move and never lets it slip: take its grips away, or let the cable begin there"
            )),
            None => Ok(()),
        }
    }

    /// Finds the stations of a cable, which need not lead from one body to another, and checks it.
    pub(super) fn resolve_unheld(&self, cable: Cable) -> Result<CableState, Error> {
        let name = cable.name.clone();
        let fail = |reason: String| Err(Error::cable(&name, reason));
        if name.is_empty() {
            return fail("the name is empty".into());
        }
        check_numbers(&cable)?;
        for (k, station) in cable.stations.iter().enumerate() {
            if let Some(id) = station.frame.body()
                && let Err(e) = self.body(id)
            {
                return fail(format!("station {k}: {e}"));
            }
        }
        let cable =
            cable.with_solids(&self.bodies).map_err(|reason| Error::cable(&name, reason))?;
        let state = CableState::new(cable, &self.bodies);
        self.check_way(&state)?;
        self.check_solids(&state)?;
        self.check_pulleys(&state)?;
        Ok(state)
    }

    /// Refuses solids within which the cable has a station, and such as it was to lie on from a side where it does not stay.
    fn check_solids(&self, state: &CableState) -> Result<(), Error> {
        let way = state.way_now(&self.bodies);
        let name = |id: BodyId| self.body(id).map_or("", |b| b.name());
        if let Some(id) = way.swallowed(&state.cable).map(|k| state.cable.stations[k].frame.body())
        {
            let name = id.map_or("", name);
            let reason = format!("a station lies within '{name}', around which it is to lie");
            return Err(Error::cable(state.name(), reason));
        }
        let Some(id) = state.off_side(&way) else { return Ok(()) };
        let reason = format!(
            "around '{}': from that side it does not stay on it, and slips off past it as past the top of a ball: leave 'side' out, or take a cylinder",
            name(id)
        );
        Err(Error::cable(state.name(), reason))
    }

    /// Refuses pulleys that the cable could not stay on, and belts that do not fit on their axles.
    fn check_pulleys(&self, state: &CableState) -> Result<(), Error> {
        let (cable, name) = (&state.cable, state.name());
        let fail = |reason: String| Err(Error::cable(name, reason));
        let way = state.way_now(&self.bodies);
        for k in (0..cable.stations.len()).filter(|&k| way.touches[k]) {
            if way.is_beyond_at(k) {
                return fail(format!(
                    "it comes to the pulley of station {k} more than 45° askew, or from within: turn its axis"
                ));
            }
            if way.wraps[k] < -1e-6 && cable.stations[k].pulley.is_some() {
                return fail(format!("it passes the pulley of station {k} beside its groove"));
            }
        }
        let fits = cable.stretches() || state.length >= state.way * (1.0 - SHORT_BELT);
        if cable.closed && !fits && cable.stations.iter().all(|s| self.stays(s)) {
            let (length, way) = (state.length, state.way);
            return fail(format!(
                "it is {length} m long, but needs {way} m, and its axles do not give way; give it a stiffness"
            ));
        }
        if !cable.stretches() && state.length < state.way * (1.0 - TOO_SHORT) {
            let (length, way) = (state.length, state.way);
            return fail(format!("it is {length} m long, but its way takes {way} m"));
        }
        Ok(())
    }

    /// Whether a station is in the world for good: on what does not move, or a pulley on an axle there.
    pub(super) fn stays(&self, station: &Station) -> bool {
        let fixed = |id| self.body(id).is_ok_and(|b| !b.is_dynamic());
        let Some(id) = station.frame.body().filter(|&id| !fixed(id)) else { return true };
        let Ok(body) = self.body(id) else { return false };
        let centre = body.pose().transform_point(station.point);
        let holds = |state: &JointState| {
            let joint = &state.joint;
            let (own, other) = match (joint.a.body(), joint.b.body()) {
                (a, Some(b)) if b == id => (1, a),
                (Some(a), b) if a == id => (0, b),
                _ => return false,
            };
            let g = geometry(joint, &self.bodies);
            let axle = if own == 0 { &g.a } else { &g.b };
            let off = (axle.p - centre).reject_from(axle.z()).length();
            let turns = joint.kind == JointKind::Hinge && off < 1e-6;
            other.is_none_or(fixed) && (turns || joint.kind == JointKind::Weld)
        };
        self.joints.iter().any(|(_, state)| holds(state))
    }

    /// Refuses ways that are none.
    fn check_way(&self, state: &CableState) -> Result<(), Error> {
        let (cable, name) = (&state.cable, state.name());
        let fail = |reason: String| Err(Error::cable(name, reason));
        let way = state.way_now(&self.bodies);
        let count = cable.stations.len();
        let counts = |i: &usize| {
            let s = &cable.stations[*i];
            s.solid.is_none() && (way.touches[*i] || s.edge.is_none())
        };
        for k in (0..cable.spans()).filter(counts) {
            let next = (k + 1..k + count).map(|i| i % count).find(counts).unwrap_or(k);
            let (a, b) = (&way.nodes[k], &way.nodes[next]);
            let apart = (b.point - a.point).length();
            let own = cable.stations[k].frame == cable.stations[next].frame;
            if apart <= SAME * state.way.max(1e-6)
                && (own || a.circle.is_none() && b.circle.is_none() && apart == 0.0)
            {
                return fail(format!("stations {k} and {next} coincide"));
            }
            for (i, j) in [(k, next), (next, k)] {
                let Some(circle) = way.nodes[i].circle else { continue };
                let other = &way.nodes[j];
                let d = other.point - circle.centre;
                let flat = d.reject_from(circle.axis).length();
                let reach = other.circle.map_or(0.0, |o| {
                    if o.axis.dot(circle.axis) > 0.0 { -o.radius } else { o.radius }
                });
                if flat <= (circle.radius + reach).max(0.0) || flat == 0.0 {
                    return fail(format!(
                        "station {j} lies within the pulley of station {i}: no tangent leads there"
                    ));
                }
            }
        }
        Ok(())
    }
}

fn check_winch(name: &str, winch: Option<Winch>) -> Result<(), Error> {
    let Some(w) = winch else { return Ok(()) };
    let stops = w.stop.is_none_or(|s| s >= 0.0 && s.is_finite());
    if w.speed.is_finite() && w.acceleration.is_finite() && w.max_force >= 0.0 && stops {
        return Ok(());
    }
    Err(Error::cable(name, "the winch's speed must be finite, its force and its stop at least 0"))
}

fn check_numbers(cable: &Cable) -> Result<(), Error> {
    let fail = |reason: String| Err(Error::cable(&cable.name, reason));
    let least = if cable.closed {
        "a belt needs two stations at least"
    } else {
        "a cable needs two stations at least"
    };
    if cable.stations.len() < 2 {
        return fail(least.into());
    }
    check_stations(cable)?;
    if let Some(length) = cable.length
        && !(length > 0.0 && length.is_finite())
    {
        return fail(format!("a length of {length} m; it must be finite and positive"));
    }
    if cable.stiffness.is_nan() || cable.stiffness <= 0.0 {
        return fail(format!("stiffness {} N must be positive", cable.stiffness));
    }
    if !(cable.damping >= 0.0 && cable.damping.is_finite()) {
        return fail(format!("damping {} N·s must be finite and at least 0", cable.damping));
    }
    if cable.damping > 0.0 && !cable.stretches() {
        return fail("damping needs a finite stiffness".into());
    }
    if cable.break_tension.is_nan() || cable.break_tension < 0.0 {
        return fail("the break tension must be at least 0".into());
    }
    if cable.closed && cable.rubbing().count() > 2 {
        return fail("a belt may rub at two pulleys; give the others no friction".into());
    }
    if cable.closed && cable.winch.is_some() {
        return fail("a belt has no end that a winch could take in".into());
    }
    check_winch(&cable.name, cable.winch)
}

fn check_stations(cable: &Cable) -> Result<(), Error> {
    let fail = |reason: String| Err(Error::cable(&cable.name, reason));
    for (k, Station { point, pulley, edge, friction, .. }) in cable.stations.iter().enumerate() {
        if !point.is_finite() {
            return fail(format!("station {k}: its point is not finite"));
        }
        if friction.is_nan() || *friction < 0.0 {
            return fail(format!("station {k}: friction {friction} must be at least 0"));
        }
        if *friction > 0.0 && cable.is_end(k) {
            return fail(format!("station {k}: the cable ends there, so friction has no meaning"));
        }
        if let Some(to) = edge {
            if !to.is_finite() || (*to - *point).length() <= 0.0 {
                return fail(format!(
                    "station {k}: an edge needs two ends that are apart and finite"
                ));
            }
            if pulley.is_some() || cable.is_end(k) {
                return fail(format!("station {k}: an edge is no pulley, and no end of the cable"));
            }
        }
        let Some(p) = pulley else { continue };
        if !(p.radius > 0.0 && p.radius.is_finite()) {
            let radius = p.radius;
            return fail(format!(
                "station {k}: a pulley of radius {radius} m; it must be finite and positive, or the station a point"
            ));
        }
        if p.axis.try_normalize().is_none() {
            return fail(format!("station {k}: the pulley's axis has no direction"));
        }
        let whole = cable.is_end(k) || p.turns.fract() == 0.0;
        if !(p.turns >= 0.0 && p.turns.is_finite() && whole) {
            return fail(format!("station {k}: {} turns; full turns, at least 0", p.turns));
        }
        if !(p.growth >= 0.0 && p.growth.is_finite()) {
            return fail(format!("station {k}: growth {} m a turn; at least 0", p.growth));
        }
        if p.growth > 0.0 && !cable.is_end(k) {
            return fail(format!(
                "station {k}: only a drum, at an end of the cable, grows by layers"
            ));
        }
    }
    Ok(())
}
