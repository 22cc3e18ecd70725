//! A cable in a world: its definition, and what the steps left.

use super::path::{Way, first_wrap};
use super::{Cable, capstan, is_at_limit, segments};
use crate::lcp::RowState;
use crate::math::{Pose, Vec3};
use crate::mean::Share;
use crate::scene::BodyState;
use crate::scene::joint::Frame;
use crate::slots::{BodyId, Slots};
use std::f64::consts::{FRAC_PI_2, TAU};

// What half and twice of these change: docs/decisions/step-constants.md.

/// A winch stops where a span is as short as this share of the cable at first: at a hundredth, a load swings slower
/// than steps of 1/60 s resolve on cables of a metre and more.
const STOP: f64 = 0.01;
/// It stops, too, where a cable that does not stretch is too long by this share: nothing gives way.
const JAMMED: f64 = 1e-4;

/// Angle of the turns that a station asks for \[rad\].
fn wound(cable: &Cable, k: usize) -> f64 {
    TAU * cable.stations[k].pulley.map_or(0.0, |p| p.turns)
}

/// A cable as it is in a world.
#[derive(Clone, Debug)]
pub struct CableState {
    pub(crate) cable: Cable,
    /// Rest length \[m\].
    pub(crate) length: f64,
    /// Wrap of each station, counting turns \[rad\].
    pub(crate) wraps: Vec<f64>,
    /// Whether it touches the station.
    pub(crate) touches: Vec<bool>,
    /// Angles of the first and the last circle at which drums hold the cable \[rad\].
    pub(crate) anchors: [f64; 2],
    /// Length of the way \[m\].
    pub(crate) way: f64,
    /// Rest length of each span, of a cable that stretches and rubs \[m\].
    pub(crate) rests: Vec<f64>,
    /// Angles at which it came to each circle and left it at the start of the last step, and how far
    /// each turned in it \[rad\].
    pub(crate) angles: Vec<[f64; 2]>,
    pub(crate) turned: Vec<f64>,
    /// Where it came to each solid and left it then.
    pub(crate) marks: Vec<segments::Mark>,
    /// What its winch paid out in the last step \[m\], and its elastic energy before, less that of `segments::pull_of` \[J\].
    pub(crate) paid: f64,
    pub(crate) before: f64,
    /// Tension of each span in the last step \[N\], by which rest lengths pass and the next one begins.
    pub(crate) tensions: Vec<f64>,
    /// Tension of each span that acted on velocities in the last step \[N\].
    pub(crate) acting: Vec<f64>,
    /// The same, averaged over the whole step.
    pub(crate) means: Vec<f64>,
    /// Span at which its winch stops, if that says nothing \[m\].
    pub(crate) stop: f64,
    /// Whether its winch stood at its end in the last step, and when events were last told.
    pub(crate) stopped: [bool; 2],
    /// Stations that it has left for good, of which events told.
    pub(crate) left: Vec<bool>,
    /// Whether it pulled when its events were last told.
    pub(crate) pulled: bool,
    /// Faces of the solid of each station that it goes over, and the ends of the straight line past one that it did not touch at the start of the
    /// last step, as the body saw them.
    pub(crate) faces: Vec<Vec<u32>>,
    pub(crate) came: Vec<Option<[Vec3; 2]>>,
    /// Answers of the rows in the last step: force \[N\] and state.
    pub(crate) memory: Vec<(f64, RowState)>,
}

impl CableState {
    /// A cable that lies as its bodies are, with wraps that are the least possible beside the turns
    /// asked for.
    pub(crate) fn new(cable: Cable, bodies: &Slots<BodyState>) -> Self {
        let mut state = CableState::blank(cable);
        let mut way = Way::default();
        way.place(&state.cable, at_present(bodies));
        way.wraps.clone_from(&state.wraps);
        way.wind(&state.cable);
        state.lift(&mut way);
        if state.arrange(&way) {
            way.place(&state.cable, at_present(bodies));
            way.wind(&state.cable);
            way.find_as_told(&state.cable, &state.touches);
        }
        state.wrap(&way);
        way.recall(&[], &state.sides(&way));
        way.starts = true;
        way.find(&state.cable, &state.wraps, &state.touches, state.anchors);
        state.take(&way);
        state.length = state.cable.length.unwrap_or(state.way);
        state.stop = STOP * state.length;
        if state.cable.has_segments() {
            segments::pieces(&state.cable, &way, &mut state.rests);
            state.rests.iter_mut().for_each(|l| *l *= state.length / state.way);
        }
        state
    }

    /// A cable that touches all its stations but edges, which it finds later where it cannot pass straight; drums have
    /// the turns asked for.
    fn blank(cable: Cable) -> Self {
        let count = cable.stations.len();
        let ends = |k: usize| cable.is_end(k);
        let wrap = |k: usize| if ends(k) { wound(&cable, k) } else { FRAC_PI_2 };
        let touch = |k: usize| {
            let s = &cable.stations[k];
            s.edge.is_none() && s.solid.is_none() || ends(k)
        };
        CableState {
            length: 0.0,
            wraps: (0..count).map(wrap).collect(),
            touches: (0..count).map(touch).collect(),
            anchors: [0.0; 2],
            way: 0.0,
            rests: Vec::new(),
            angles: vec![[0.0; 2]; count],
            turned: vec![0.0; count],
            marks: vec![None; count],
            paid: 0.0,
            before: 0.0,
            tensions: vec![0.0; cable.spans()],
            acting: vec![0.0; cable.spans()],
            means: vec![0.0; cable.spans()],
            stop: 0.0,
            stopped: [false; 2],
            left: vec![false; count],
            pulled: false,
            faces: vec![Vec::new(); count],
            came: vec![None; count],
            memory: Vec::new(),
            cable,
        }
    }

    /// Lifts the cable off pulleys that it does not wrap around, one at a time; not off those that it is wound around.
    fn lift(&mut self, way: &mut Way) {
        let count = self.cable.stations.len();
        for _ in 0..=count {
            way.find_as_told(&self.cable, &self.touches);
            let lifted = |&k: &usize| {
                let circle = way.nodes[k].circle.is_some() && !self.cable.is_end(k);
                circle
                    && self.touches[k]
                    && wound(&self.cable, k) == 0.0
                    && first_wrap(way.angles[k][1] - way.angles[k][0]) < -1e-9
                    && way.is_level_at(k)
            };
            match (0..count).find(lifted) {
                Some(k) => self.touches[k] = false,
                None => break,
            }
        }
    }

    /// Wraps of all stations on a way, and where drums hold the cable.
    fn wrap(&mut self, way: &Way) {
        for k in 0..self.cable.stations.len() {
            let wound = wound(&self.cable, k);
            let [comes, leaves] = way.angles[k];
            let circle = way.nodes[k].circle.is_some();
            self.wraps[k] = match circle {
                true if self.cable.is_end(k) && k == 0 => {
                    self.anchors[0] = leaves - wound;
                    wound
                }
                true if self.cable.is_end(k) => {
                    self.anchors[1] = comes + wound;
                    wound
                }
                true if self.touches[k] => first_wrap(leaves - comes) + wound,
                _ => 0.0,
            };
        }
    }

    /// Its way as its bodies are now.
    pub(crate) fn way_now(&self, bodies: &Slots<BodyState>) -> Way {
        let mut way = Way::default();
        way.place(&self.cable, at_present(bodies));
        way.recall(&self.faces, &[]);
        way.find(&self.cable, &self.wraps, &self.touches, self.anchors);
        way
    }

    /// Takes over what a way found.
    pub(crate) fn take(&mut self, way: &Way) {
        self.wraps.clone_from(&way.wraps);
        self.touches.clone_from(&way.touches);
        self.take_faces(way);
        self.way = way.length;
    }

    fn take_faces(&mut self, way: &Way) {
        for (own, faces) in self.faces.iter_mut().zip(way.faces()) {
            own.clear();
            own.extend_from_slice(faces);
        }
    }

    /// Bodies that it lies on of those it finds in its way, in order, and the angle by which it turns on each \[rad\].
    pub fn lies_on(&self) -> impl Iterator<Item = (BodyId, f64)> + '_ {
        let on = |k: &usize| self.cable.stations[*k].solid.is_some() && self.touches[*k];
        let of = |k: usize| Some((self.cable.stations[k].frame.body()?, self.wraps[k]));
        (0..self.touches.len()).filter(on).filter_map(of)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.cable.name
    }

    /// The definition. Behind each station that was named it has, in the order in which they lie along the cable now, one for each
    /// convex shape that the cable may lie on up to the next ([`Cable::around`]).
    pub fn definition(&self) -> &Cable {
        &self.cable
    }

    /// Largest tension of a span in the last step, averaged over it \[N\].
    pub fn tension(&self) -> f64 {
        self.means.iter().copied().fold(0.0, f64::max)
    }

    /// The same in the last part of the step \[N\].
    pub(crate) fn last_tension(&self) -> f64 {
        self.acting.iter().copied().fold(0.0, f64::max)
    }

    /// Stations that were named, not those of the solids that it finds.
    fn named(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.touches.len()).filter(|&k| self.cable.stations[k].solid.is_none())
    }

    /// Tension from each station to the next in the last step, averaged over it \[N\]; the largest where the cable lies on bodies
    /// in between ([`CableState::parts`] has both sides of these). On a belt the last leads to the first station.
    pub fn tensions(&self) -> Vec<f64> {
        let starts: Vec<usize> = self.named().filter(|&k| k < self.means.len()).collect();
        let ends = starts.iter().copied().skip(1).chain(std::iter::once(self.means.len()));
        let largest = |(&k, end): (&usize, usize)| {
            self.means[k..end].iter().copied().fold(self.means[k], f64::max)
        };
        starts.iter().zip(ends).map(largest).collect()
    }

    /// Its parts between what it touches, stations and bodies that it lies on, in order along it: the bodies at both ends, of which none
    /// is the world, and the tension in the last step, averaged over it \[N\].
    pub fn parts(&self) -> impl Iterator<Item = ([Option<BodyId>; 2], f64)> + '_ {
        let body = |k: usize| self.cable.stations[k].frame.body();
        let count = self.touches.len();
        let next = move |k: usize| (1..=count).map(|i| (k + i) % count).find(|&i| self.touches[i]);
        let own = (0..self.means.len()).filter(|&k| self.touches[k]);
        own.filter_map(move |k| Some(([body(k), body(next(k)?)], self.means[k])))
    }

    /// Angle by which the cable wraps around each station \[rad\], negative where it does not touch it, −∞
    /// where it left it for good; on a drum, all that is wound on it. ([`CableState::lies_on`] has the angles of bodies that it finds.)
    pub fn wraps(&self) -> Vec<f64> {
        self.named().map(|k| self.wraps[k]).collect()
    }

    /// Whether it touches each station: a pulley may be too far away.
    pub fn touches(&self) -> Vec<bool> {
        self.named().map(|k| self.touches[k]).collect()
    }

    /// Rest length \[m\]; a winch changes it.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Length of its way through the stations \[m\]: what is longer than the rest length is stretched,
    /// what is shorter hangs slack.
    pub fn way(&self) -> f64 {
        self.way
    }

    /// How much longer it is than its way \[m\]; 0 if it is taut.
    pub fn slack(&self) -> f64 {
        (self.length - self.way).max(0.0)
    }

    /// Stretch of a cable that gives, error of one that does not \[m\].
    pub fn stretch(&self) -> f64 {
        (self.way - self.length).max(0.0)
    }

    /// Whether it pulled in the last step.
    pub fn is_taut(&self) -> bool {
        self.tension() > 0.0
    }

    /// Stiffness and damping of the whole cable \[N/m, N·s/m\].
    pub(crate) fn spring(&self) -> (f64, f64) {
        (self.cable.stiffness / self.length, self.cable.damping / self.length)
    }

    /// ½kφ² of a cable that gives, on a way.
    pub(crate) fn elastic(&self, way: &Way) -> f64 {
        if !self.cable.stretches() {
            return 0.0;
        }
        let (rests, long) = self.springs(way, &self.rests);
        segments::elastic(self.cable.stiffness, &rests, &long)
    }

    /// The same as its bodies are now.
    pub(crate) fn elastic_now(&self, bodies: &Slots<BodyState>) -> f64 {
        if self.cable.stretches() { self.elastic(&self.way_now(bodies)) } else { 0.0 }
    }

    /// Rest length and length of each segment on a way, with these rest lengths of spans.
    pub(crate) fn springs(&self, way: &Way, spans: &[f64]) -> (Vec<f64>, Vec<f64>) {
        if spans.is_empty() {
            return (vec![self.length], vec![way.length]);
        }
        let (mut of, mut pieces) = (Vec::new(), Vec::new());
        let (mut rests, mut long) = (Vec::new(), Vec::new());
        let count = segments::segments(&self.cable, |k| way.touches[k], &mut of);
        segments::pieces(&self.cable, way, &mut pieces);
        segments::sums(&of, count, spans, &mut rests);
        segments::sums(&of, count, &pieces, &mut long);
        (rests, long)
    }

    /// Whether its winch pulls at what does not give way.
    pub(crate) fn jams(&self, way: f64) -> bool {
        let rigid = !self.cable.stretches() && self.cable.winch.is_some_and(|w| w.speed < 0.0);
        rigid && way - self.length > JAMMED * self.length
    }

    /// What its winch pays out of what it wants to, with the length of the shortest span that may move, and what the way can
    /// be shortened by.
    pub(crate) fn permitted(&self, wanted: f64, way: f64, shortest: f64, follows: f64) -> f64 {
        let stop = self.cable.winch.and_then(|w| w.stop).unwrap_or(self.stop);
        let rigid = !self.cable.stretches();
        let room = if self.jams(way) { 0.0 } else { (shortest - stop).max(0.0) };
        let slack = (self.length - way).max(0.0);
        // One that stretches counts unstretched: with each bounce of its load the span is longer than it is at rest, and
        // the winch would take in that, too (126 MN for a load of a tonne).
        let unstretched = (self.length - (way - shortest) - stop).max(0.0);
        let room = if rigid { room.min(slack + follows) } else { room.min(unstretched) };
        wanted.max(-room)
    }

    /// Rest length after a step in which a winch pulled with the tension `first` and the cable had the
    /// mean tension `mean`: one that slipped paid out what was pulled from it.
    pub(crate) fn slipped(&self, length: f64, way: f64, first: f64, mean: f64) -> f64 {
        let slips = self.cable.winch.is_some_and(|w| is_at_limit(first, w.max_force));
        let relaxed = way / (1.0 + mean / self.cable.stiffness);
        if slips { length.max(relaxed) } else { length }
    }

    /// The answer of its rows for the next step.
    pub(crate) fn remember(
        &mut self,
        way: &Way,
        forces: &[f64],
        set: &[RowState],
        acting: Option<&[f64]>,
        share: Share,
    ) {
        self.angles.clone_from(&way.angles);
        self.marks.clear();
        self.marks.extend((0..way.nodes.len()).map(|k| way.mark(k)));
        self.touches.clone_from(&way.touches);
        self.take_faces(way);
        self.came.clear();
        self.came.extend(way.lines(&self.cable));
        self.memory.clear();
        self.memory.extend(forces.iter().copied().zip(set.iter().copied()));
        let before = std::mem::take(&mut self.tensions);
        capstan::tensions(&self.cable, way, forces, &mut self.tensions);
        capstan::keep_dead(&self.cable, way, &before, &mut self.tensions);
        self.tensions.iter_mut().for_each(|t| *t = t.max(0.0));
        self.acting.clear();
        self.acting.extend(acting.unwrap_or(&self.tensions).iter().map(|t| t.max(0.0)));
        let means = self.means.iter_mut().zip(&self.acting);
        means.for_each(|(mean, &now)| *mean = share.mean(*mean, now));
        self.before = match self.cable.has_segments() {
            true => self.elastic(way) - segments::pull_of(&self.cable, way, &self.tensions),
            false => 0.0,
        };
    }

    /// Rest lengths after a step that ended on a way, of which this is the memory.
    pub(crate) fn take_rests(&mut self, way: &Way) {
        let mut rests = std::mem::take(&mut self.rests);
        let passing = segments::Passing {
            cable: &self.cable,
            start: (&self.angles, &self.touches, &self.marks),
            end: way,
            turned: &self.turned,
            before: self.before,
        };
        let set = |i: usize| self.memory.get(i).map_or(RowState::Free, |m| m.1);
        let most = self.cable.winch.map_or(f64::INFINITY, |w| w.max_force);
        passing.rests(&mut rests, &self.tensions, set, (std::mem::take(&mut self.paid), most));
        self.length = rests.iter().sum();
        self.rests = rests;
    }

    /// Between things that are held it is a spring that nobody solves for: it pulls by its stretch, with the same tension all along.
    pub(crate) fn pull_between_fixed(&mut self) {
        let pull = self.cable.stiffness * (self.way / self.length - 1.0).max(0.0);
        let lists = [&mut self.tensions, &mut self.acting, &mut self.means];
        lists.into_iter().for_each(|list| list.fill(pull));
    }

    /// Slots of the bodies that it goes through.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.cable.stations.iter().filter_map(|s| Some(s.frame.body()?.index))
    }
}

/// Where frames are at present.
pub(crate) fn at_present(
    bodies: &Slots<BodyState>,
) -> impl Fn(Frame) -> (Option<u32>, Vec3, Pose) + '_ {
    move |frame| {
        let id = frame.body();
        match id.and_then(|id| bodies.get(id.index, id.generation)) {
            Some(b) => (id.map(|id| id.index), b.x, b.pose()),
            None => (None, Vec3::ZERO, Pose::IDENTITY),
        }
    }
}

impl Way {
    /// The way through the stations that are told, whatever its wraps.
    pub(crate) fn find_as_told(&mut self, cable: &Cable, touches: &[bool]) {
        self.touches.clear();
        self.touches.extend_from_slice(touches);
        self.connect(cable);
    }
}
