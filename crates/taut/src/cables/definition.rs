//! What a cable is: stations in their order, a rest length, and how it gives.

use super::solid::Solid;
use crate::math::Vec3;
use crate::scene::Body;
use crate::scene::joint::Frame;
use crate::slots::BodyId;
use std::sync::Arc;

/// A place that a cable goes through, fixed to a body or to the world.
///
/// A point is an attachment at an end of the cable, and a ring that it slides through elsewhere. A
/// pulley is a circle that it wraps around; at an end it is a drum, to which the cable is
/// fixed and which winds it up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    /// What it is fixed to.
    pub frame: Frame,
    /// The point, or the centre of the pulley, in that frame \[m\].
    pub point: Vec3,
    /// The wheel, if it is one.
    pub pulley: Option<Pulley>,
    /// The other end of the edge, in that frame \[m\], if it is one, from the point to this. The cable lies on it, crosses it where its
    /// way is the shortest, lifts off and touches again. On its way it turns about that direction by the rule of the right hand.
    pub edge: Option<Vec3>,
    /// Coefficient of friction between cable and station; infinite: it never slips.
    pub friction: f64,
    /// Number of the solid that it is, of those the cable finds by itself ([`Cable::around`]).
    pub(crate) solid: Option<u32>,
}

/// A circle that a cable wraps around.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulley {
    /// Axis, in the frame of the station. The cable runs around it by the rule of the right hand:
    /// on its way from the first station to the last it turns about the axis.
    pub axis: Vec3,
    /// Radius at the centre line of the cable \[m\].
    pub radius: f64,
    /// Full turns beyond the least wrap; of a drum, turns that are wound on it.
    pub turns: f64,
    /// By how much the radius of a drum grows with each turn on it \[m\]: the diameter of the cable over the turns that lie
    /// side by side in a layer. At 0 the drum has one layer, however much is wound on it.
    pub growth: f64,
}

impl Station {
    /// A point of a body or of the world: an attachment at an end, a ring in between.
    pub fn point(frame: impl Into<Frame>, point: Vec3) -> Self {
        Station { frame: frame.into(), point, pulley: None, edge: None, friction: 0.0, solid: None }
    }

    /// A pulley with its centre, its axis and its radius \[m\]; see [`Pulley::axis`] for the side on
    /// which the cable passes it.
    pub fn pulley(frame: impl Into<Frame>, centre: Vec3, axis: Vec3, radius: f64) -> Self {
        let pulley = Some(Pulley { axis, radius, turns: 0.0, growth: 0.0 });
        Station { pulley, ..Station::point(frame, centre) }
    }

    /// A straight edge between two points of a body or of the world, about whose direction the cable turns.
    pub fn edge(frame: impl Into<Frame>, from: Vec3, to: Vec3) -> Self {
        Station { edge: Some(to), ..Station::point(frame, from) }
    }

    /// The edges of a box that a cable may lie on, in the order in which it comes to them if it turns by the right hand about `axis`,
    /// an axis of the box or its opposite. It touches those that it cannot pass straight.
    ///
    /// ```
    /// use taut::{Body, Cable, Frame, Shape, Station, World, math::Vec3};
    /// let mut world = World::new();
    /// let load = world.add_body(Body::dynamic("load").shape(Shape::Ball { radius: 0.1 }).position(Vec3::new(1.5, 0.0, -2.0)))?;
    /// let mut cable = Cable::new("rope").via(Station::point(Frame::World, Vec3::new(-3.0, 0.0, 1.0)));
    /// for edge in Station::box_edges(Frame::World, Vec3::ZERO, Vec3::ONE, Vec3::Y) {
    ///     cable = cable.via(edge.friction(0.2));
    /// }
    /// let cable = world.add_cable(cable.via(Station::point(load, Vec3::ZERO)))?;
    /// // Over the upper edge on the right alone.
    /// assert_eq!(world.cable(cable)?.touches().iter().filter(|t| **t).count(), 3);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn box_edges(
        frame: impl Into<Frame>,
        centre: Vec3,
        half_extents: Vec3,
        axis: Vec3,
    ) -> Vec<Self> {
        let (frame, n) = (frame.into(), axis.abs().max_position());
        let back = axis[n] < 0.0;
        let (i, j) = ((n + 1) % 3, (n + 2) % 3);
        let unit = |k: usize| Vec3::AXES[k] * half_extents[k];
        // Around the axis by the right hand, twice over: a cable may begin anywhere.
        let mut corners = [(1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
        if back {
            corners.reverse();
        }
        let along = if back { -unit(n) } else { unit(n) };
        let edge = |&(x, y): &(f64, f64)| {
            let at = centre + unit(i) * x + unit(j) * y;
            Station::edge(frame, at - along, at + along)
        };
        corners.iter().cycle().take(7).map(edge).collect()
    }

    /// Sets the coefficient of friction.
    pub fn friction(self, friction: f64) -> Self {
        Station { friction, ..self }
    }

    /// Sets [`Pulley::turns`]; does nothing to a point.
    pub fn turns(mut self, turns: f64) -> Self {
        if let Some(pulley) = &mut self.pulley {
            pulley.turns = turns;
        }
        self
    }

    /// Sets [`Pulley::growth`] \[m\]; does nothing to a point.
    pub fn growth(mut self, growth: f64) -> Self {
        if let Some(pulley) = &mut self.pulley {
            pulley.growth = growth;
        }
        self
    }
}

/// Pays a cable out and takes it in at its first end, the station that is named first: that end's tension is what its force
/// bounds and what it works against, and friction at the stations behind it lies between winch and load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Winch {
    /// Rate of the cable's rest length \[m/s\]: positive pays out.
    pub speed: f64,
    /// Rate of the speed \[m/s²\], for those who ramp it: forces then follow without delay.
    pub acceleration: f64,
    /// Tension at its end \[N\] beyond which it slips and pays out.
    pub max_force: f64,
    /// It stops taking in where a span to a body that may move is this short \[m\]; if not given, a hundredth of the
    /// length that the cable has at first. It stops, too, where the cable does not give and nothing follows.
    pub stop: Option<f64>,
}

impl Winch {
    /// A winch that is never too weak.
    pub fn new(speed: f64) -> Self {
        Winch { speed, acceleration: 0.0, max_force: f64::INFINITY, stop: None }
    }

    /// Sets the tension beyond which it slips \[N\].
    pub fn max_force(self, max_force: f64) -> Self {
        Winch { max_force, ..self }
    }

    /// Sets the length of a span at which it stops \[m\].
    pub fn stop(self, stop: f64) -> Self {
        Winch { stop: Some(stop), ..self }
    }
}

/// A cable without mass: a way through stations that is at most as long as the cable, and pulls
/// where it would be longer.
///
/// ```
/// use taut::{Body, Cable, Frame, Shape, Station, World, math::Vec3};
/// let mut world = World::new();
/// let load = Body::dynamic("load").shape(Shape::Ball { radius: 0.1 }).mass(5.0);
/// let load = world.add_body(load)?;
/// let cable = Cable::new("rope")
///     .via(Station::point(Frame::World, Vec3::new(0.0, 0.0, 2.0)))
///     .via(Station::point(load, Vec3::ZERO));
/// let cable = world.add_cable(cable)?;
/// world.step(0.01)?;
/// assert!((world.cable(cable)?.tension() - 5.0 * 9.81).abs() < 1e-6);
/// # Ok::<(), taut::Error>(())
/// ```
#[must_use = "a cable does nothing until it is added to a world"]
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// Its name, not that of another cable.
    pub name: String,
    /// What it goes through, in order.
    pub stations: Vec<Station>,
    /// Whether it runs on from the last station to the first: a belt.
    pub closed: bool,
    /// Rest length \[m\], with what is wound on drums; if not given, it is just taut.
    pub length: Option<f64>,
    /// Axial stiffness EA \[N\]: force per strain. Infinite by default: it does not stretch.
    pub stiffness: f64,
    /// Axial damping \[N·s\]: force per rate of strain. Needs a finite stiffness.
    pub damping: f64,
    /// Tension beyond which it breaks \[N\].
    pub break_tension: f64,
    /// What pays it out, if anything does.
    pub winch: Option<Winch>,
    /// Bodies that it lies on where they are in its way, see [`Cable::around`].
    pub around: Vec<Obstacle>,
    /// Their convex parts.
    pub(crate) solids: Solids,
}

/// A body that a cable lies on where it is in its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// The body, which has a convex shape or several.
    pub body: BodyId,
    /// Coefficient of friction between cable and body.
    pub friction: f64,
    /// Direction in the world from which the cable was put onto it at the start, as up for one that hangs over a beam on both sides; `None`: it lies on
    /// it only where its straight line would cut it, on the side on which it is the shortest.
    pub side: Option<Vec3>,
}

/// Solids that stations refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solids(pub(crate) Vec<Arc<Solid>>);

impl PartialEq for Solids {
    fn eq(&self, other: &Self) -> bool {
        let sources = |s: &Solids| s.0.iter().map(|s| s.source.clone()).collect::<Vec<_>>();
        sources(self) == sources(other)
    }
}

impl Cable {
    /// A cable without stations yet.
    pub fn new(name: impl Into<String>) -> Self {
        Cable {
            name: name.into(),
            stations: Vec::new(),
            closed: false,
            length: None,
            stiffness: f64::INFINITY,
            damping: 0.0,
            break_tension: f64::INFINITY,
            winch: None,
            around: Vec::new(),
            solids: Solids::default(),
        }
    }

    /// Adds a station.
    pub fn via(mut self, station: Station) -> Self {
        self.stations.push(station);
        self
    }

    /// Closes the cable to a belt.
    pub fn closed(self) -> Self {
        Cable { closed: true, ..self }
    }

    /// Sets the rest length \[m\].
    pub fn length(self, length: f64) -> Self {
        Cable { length: Some(length), ..self }
    }

    /// Sets the axial stiffness EA \[N\].
    pub fn stiffness(self, stiffness: f64) -> Self {
        Cable { stiffness, ..self }
    }

    /// Sets the axial damping \[N·s\].
    pub fn damping(self, damping: f64) -> Self {
        Cable { damping, ..self }
    }

    /// Sets the tension at which it breaks \[N\].
    pub fn break_tension(self, break_tension: f64) -> Self {
        Cable { break_tension, ..self }
    }

    /// Gives it a winch.
    pub fn winch(self, winch: Winch) -> Self {
        Cable { winch: Some(winch), ..self }
    }

    /// Lets it lie on a body where that is in its way. Between each station and the next it looks for the body's convex shapes by itself: it comes to
    /// lie on them where its straight line would cut them, runs over edges and faces where its way is the shortest, and lifts off, without a
    /// jump. It slips off where it runs over a corner, and goes slack by what its way is shorter there. [`CableState::lies_on`](crate::CableState::lies_on) and
    /// [`CableState::parts`](crate::CableState::parts) tell of them, in the order in which they lie along the cable.
    ///
    /// ```
    /// use taut::{Body, Cable, Frame, Shape, Station, World, math::Vec3};
    /// let mut world = World::new();
    /// let crate_ = Body::fixed("crate").shape(Shape::Box { half_extents: Vec3::ONE });
    /// let crate_ = world.add_body(crate_)?;
    /// let load = Body::dynamic("load").shape(Shape::Ball { radius: 0.1 }).position(Vec3::new(1.2, 0.0, -2.0));
    /// let load = world.add_body(load)?;
    /// let cable = Cable::new("rope")
    ///     .via(Station::point(Frame::World, Vec3::new(-3.0, 0.0, 1.0)))
    ///     .via(Station::point(load, Vec3::ZERO))
    ///     .around(crate_, 0.2);
    /// let cable = world.add_cable(cable)?;
    /// assert_eq!(world.cable(cable)?.lies_on().count(), 1);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn around(mut self, body: BodyId, friction: f64) -> Self {
        self.around.push(Obstacle { body, friction, side: None });
        self
    }

    /// The same for a body onto which it is put from a side at the start ([`Obstacle::side`]).
    pub fn over(mut self, body: BodyId, friction: f64, side: Vec3) -> Self {
        self.around.push(Obstacle { body, friction, side: Some(side) });
        self
    }

    /// Whether a body has a convex shape, or some of several, that a cable can lie on ([`Cable::around`]).
    pub fn can_lie_on(body: &Body) -> bool {
        body.colliders
            .iter()
            .any(|c| Solid::of(&c.shape, c.pose).is_ok_and(|list| !list.is_empty()))
    }

    /// The solid of a station.
    pub(crate) fn solid(&self, k: usize) -> Option<&Solid> {
        self.solids.0.get(self.stations[k].solid? as usize).map(|s| &**s)
    }

    /// Number of spans between stations.
    pub(crate) fn spans(&self) -> usize {
        if self.closed { self.stations.len() } else { self.stations.len().saturating_sub(1) }
    }

    /// Whether the cable ends at a station.
    pub(crate) fn is_end(&self, k: usize) -> bool {
        !self.closed && (k == 0 || k + 1 == self.stations.len())
    }

    /// Stations at which the cable rubs. The tension changes there; on a belt all but the last of
    /// these changes are free, for their sum is nothing.
    pub(crate) fn rubbing(&self) -> impl Iterator<Item = usize> + '_ {
        let rubs = |&k: &usize| !self.is_end(k) && self.stations[k].friction > 0.0;
        (0..self.stations.len()).filter(rubs)
    }

    /// Rows of a cable: its length, and each change of tension.
    pub(crate) fn rows(&self) -> usize {
        let rubbing = self.rubbing().count();
        1 + if self.closed { rubbing.saturating_sub(1) } else { rubbing }
    }

    /// Whether it has segments of their own stretch.
    pub(crate) fn has_segments(&self) -> bool {
        self.stretches() && self.rubbing().next().is_some()
    }

    /// Whether it stretches.
    pub(crate) fn stretches(&self) -> bool {
        self.stiffness.is_finite()
    }
}
