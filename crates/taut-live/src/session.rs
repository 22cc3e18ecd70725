//! What is watched: it simulates or replays at the pace asked for, and obeys
//! the commands of all who watch. It knows neither threads nor clocks nor
//! sockets: whoever runs it says what time it is and passes on what it tells.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};
use taut::math::Vec3;
use taut_scenes::file::SceneFile;
use taut_scenes::recording::{Header, Recording};
use taut_scenes::{SceneError, builtin};

use crate::branches::Branches;
use crate::command::Command;
use crate::everything::Everything;
use crate::frame::{self, Kept};
use crate::grab::Input;
use crate::history::History;
use crate::simulation::{Origin, Simulation};
use crate::tuning::{Tuning, set_solver};

/// Frames between moments to continue from.
const MOMENT_EVERY: u32 = 60;

/// Built-in scenes may be at most so many times as large as their source's.
const MAX_GROWTH: usize = 20;

/// Playing that is later than this [s] is not caught up with.
const LATE: f64 = 0.05;

/// What `tune` is told: files tell of the change, or not.
const SAID: Result<bool, String> = Ok(false);
const UNSAID: Result<bool, String> = Ok(true);

/// A frame that is shown.
pub struct Published {
    /// Of its scene.
    pub generation: u32,
    pub(crate) base: Vec<u8>,
    pub(crate) kept: Arc<Kept>,
}

/// The description of a scene, as text for pages.
pub struct SceneText {
    /// Counts scenes that were shown.
    pub generation: u32,
    /// The message.
    pub text: String,
}

/// What there is to tell since it was last asked: of each the newest. To be told in this order.
#[derive(Default)]
pub struct News {
    /// Another scene.
    pub scene: Option<Arc<SceneText>>,
    /// How it is played, as a message to pages.
    pub status: Option<Arc<str>>,
    /// The frame that is shown.
    pub frame: Option<Arc<Published>>,
}

/// Where the scene that is shown is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Chosen {
    /// What the command was started with.
    Started,
    /// The list.
    Named(String),
    /// A file that was dropped on the page.
    Dropped,
}

enum Source {
    Live(Box<Simulation>),
    Recorded,
}

/// A scene that runs or a recording that is played, and all that was done to it.
pub struct Session {
    origin: Origin,
    source: Source,
    header: Arc<Header>,
    threads: usize,
    dt: f64,
    history: History,
    /// Number of the frame that is shown.
    shown: u32,
    generation: u32,
    playing: bool,
    speed: f64,
    /// Who holds a body.
    holder: Option<u64>,
    /// Who drives.
    driver: Option<u64>,
    branches: Branches,
    /// Whether settings were changed since the start that files do not tell of.
    tuned: bool,
    /// Where the scene is from.
    chosen: Chosen,
    /// The size that was asked for.
    size: Option<usize>,
    /// Solver and settings of the scene, before they were changed.
    base: Option<(Value, Value)>,
    /// The last thing to tell, how many there were, and whom: one page, or all.
    notice: (String, u32, Option<u64>),
    /// When the next frame is due, in seconds.
    due: f64,
    news: News,
}

/// The frames of a recording.
fn recorded(recording: &Recording) -> History {
    let mut history = History::default();
    for (frame, number) in recording.frames.iter().zip(0..) {
        let targets = Vec::new();
        history.push(number, Kept { frame: frame.clone(), held: None, targets });
    }
    history
}

impl Session {
    /// Begins to play. A scene that cannot be built is an error, and a recording without frames.
    pub fn new(origin: Origin) -> Result<Self, SceneError> {
        let mut history = History::default();
        let (source, header, threads, dt) = match &origin {
            Origin::Scene(file, threads) => {
                let simulation = Simulation::new(file, *threads)?;
                let header = simulation.header.clone();
                history.push(0, simulation.start());
                history.push_moment(0, simulation.moment());
                (Source::Live(Box::new(simulation)), header, *threads, file.dt)
            }
            Origin::Recording(recording) => {
                history = recorded(recording);
                (Source::Recorded, recording.header.clone(), 1, recording.scene().dt)
            }
        };
        if history.frames().is_empty() {
            let message = "the recording has no frames: record it again".into();
            return Err(SceneError { file: None, place: String::new(), message });
        }
        let mut session = Session {
            origin,
            source,
            header: Arc::new(header),
            threads,
            dt,
            history,
            shown: 0,
            generation: 1,
            playing: true,
            speed: 1.0,
            holder: None,
            driver: None,
            branches: Branches::default(),
            tuned: false,
            chosen: Chosen::Started,
            size: None,
            base: None,
            notice: (String::new(), 0, None),
            due: 0.0,
            news: News::default(),
        };
        session.base = session.set_to();
        session.announce();
        Ok(session)
    }

    /// Seconds until the next frame is due; `None` while it stands still.
    pub fn wait(&self, now: f64) -> Option<f64> {
        self.playing.then_some((self.due - now).max(0.0))
    }

    /// Plays the frame that is due, if one is, at `now` seconds of any clock that only goes on.
    pub fn tick(&mut self, now: f64) {
        if !self.playing || now < self.due {
            return;
        }
        let before = self.shown;
        self.advance();
        // Of frames long ago some are left out.
        let steps = f64::from(self.shown.saturating_sub(before).max(1));
        let pace = (steps * self.dt / self.speed).clamp(1e-4, 10.0);
        // What cannot be caught up with is let go.
        self.due = (self.due + pace).max(now - LATE);
    }

    /// What there is to tell since the last call.
    pub fn news(&mut self) -> News {
        std::mem::take(&mut self.news)
    }

    /// All that is kept.
    pub fn everything(&self) -> Everything {
        let header = match &self.source {
            Source::Live(simulation) => Arc::new(simulation.driven()),
            Source::Recorded => self.header.clone(),
        };
        let more = self.tuned || self.history.pulled();
        Everything { header, more, frames: self.history.frames().to_vec() }
    }

    /// Shows a scene file that was dropped on the page.
    pub fn open(&mut self, file: &SceneFile) -> Result<(), SceneError> {
        let simulation = Simulation::new(file, self.threads)?;
        self.begin(simulation, Chosen::Dropped, None);
        Ok(())
    }

    /// The file of the scene changed, or cannot be read any more.
    pub fn changed(&mut self, read: Result<Box<SceneFile>, String>) {
        let file = match read {
            Ok(file) => file,
            Err(reason) => return self.note(None, reason),
        };
        match Simulation::new(&file, self.threads) {
            Ok(simulation) => {
                self.origin = Origin::Scene(file, self.threads);
                if self.chosen == Chosen::Started {
                    self.begin(simulation, Chosen::Started, None);
                } else {
                    let text = "the file that taut was started with changed: choose \
                                \"as started\" to see it";
                    self.note(None, text.into());
                }
            }
            Err(e) => self.note(None, e.to_string()),
        }
    }

    /// A watcher left: it lets go of what it held.
    pub fn left(&mut self, client: u64) {
        if self.holder == Some(client) {
            self.input(client, Input::Release);
        }
        if self.driver == Some(client) {
            self.drive(client, Input::LetGo);
        }
    }

    /// Obeys a watcher.
    pub fn obey(&mut self, client: u64, command: Command) {
        match command {
            // These two are between a page and its connection.
            Command::Ready | Command::Details(_) => {}
            Command::Play(on) => self.play(on),
            Command::Step(n) => self.step(n),
            Command::Seek(number) => {
                self.playing = false;
                self.show(number);
                self.tell();
            }
            Command::Reset => self.reset(),
            Command::Speed(speed) => {
                self.speed = speed.clamp(0.01, 100.0);
                self.tell();
            }
            Command::Grab { body, point, target } => {
                let (point, target) = (Vec3::from(point), Vec3::from(target));
                self.input(client, Input::Grab { body, point, target });
            }
            Command::Drag(target) => self.input(client, Input::Drag(Vec3::from(target))),
            Command::Release => self.input(client, Input::Release),
            Command::Control { control, deflection } => {
                self.drive(client, Input::Control { control, deflection });
            }
            Command::Drive { lever, target } => self.drive(client, Input::Drive { lever, target }),
            Command::Limit { joint, angle, range } => {
                self.tune(client, |simulation| simulation.limit(&joint, angle, range).and(UNSAID))
            }
            Command::Friction { material, friction } => {
                self.tune(client, |simulation| simulation.friction(&material, friction).and(SAID))
            }
            Command::Branch(number) => self.switch(client, number),
            Command::Scene { name, size } => self.load(client, name.as_deref(), size),
            Command::Solver(value) => {
                self.tune(client, |simulation| set_solver(&mut simulation.scene, value).and(UNSAID))
            }
            Command::Settings(value) => self.set(client, value),
        }
    }

    /// Plays or stops; a recording that has ended begins anew.
    fn play(&mut self, on: bool) {
        let at_end = self.shown == self.history.newest();
        if on && at_end && matches!(self.source, Source::Recorded) {
            self.show(0);
        }
        self.playing = on;
        self.tell();
    }

    /// Stops, and goes so many frames on or back.
    fn step(&mut self, n: i32) {
        self.playing = false;
        self.tell();
        if n < 0 {
            self.show(self.shown.saturating_sub(n.unsigned_abs()));
        }
        (0..n.min(100)).for_each(|_| self.advance());
    }

    /// Changes the settings that are given, gravity among them.
    fn set(&mut self, client: u64, given: Value) {
        self.tune(client, |simulation| {
            let mut value = json!(Tuning::of(&simulation.scene));
            match (&mut value, given) {
                (Value::Object(all), Value::Object(given)) => all.extend(given),
                (_, other) => return Err(format!("settings: expected an object, found {other}")),
            }
            let tuning: Tuning = taut_scenes::part(value, "settings").map_err(|e| e.to_string())?;
            let unsaid = tuning.differs(&Tuning::of(&simulation.scene));
            tuning.apply(&mut simulation.scene)?;
            if let Some(gravity) = tuning.gravity(simulation.scene.world.gravity()) {
                simulation.gravity(gravity)?;
            }
            Ok(unsaid)
        });
    }

    /// One frame on: the next one kept, else a new one.
    fn advance(&mut self) {
        if let Some(&(number, _)) = self.history.after(self.shown) {
            return self.show(number);
        }
        let Source::Live(simulation) = &mut self.source else {
            self.playing = false;
            return self.tell();
        };
        match simulation.step() {
            Ok(kept) => {
                let number = self.shown + 1;
                self.history.push(number, kept);
                if number.is_multiple_of(MOMENT_EVERY) {
                    self.history.push_moment(number, simulation.moment());
                }
                self.show(number);
            }
            Err(e) => {
                self.playing = false;
                self.note(None, e.to_string());
            }
        }
    }

    /// Shows the frame of a number, or the last one kept before it.
    fn show(&mut self, number: u32) {
        let Some((number, kept)) = self.history.at(number).cloned() else { return };
        self.shown = number;
        let base = frame::base(&kept, self.generation, number, self.history.newest());
        let published = Published { generation: self.generation, base, kept };
        self.news.frame = Some(Arc::new(published));
    }

    /// Makes the frame that is shown the newest one, so that what happens
    /// next happens from there. What followed is kept as a branch.
    fn branch(&mut self) -> Result<(), String> {
        if matches!(self.source, Source::Recorded) {
            return Err("a recording is played as it is; taut run continues it".into());
        }
        let from = self.shown;
        if from == self.history.newest() {
            return Ok(());
        }
        let left = self.history.clone();
        self.history.truncate(from);
        if let Err(reason) = self.resume() {
            self.history = left;
            return Err(reason);
        }
        let [left, now] = self.branches.keep(from, left);
        let text = format!("the future from frame {from} was kept as branch {left}; this is {now}");
        self.note(None, text);
        Ok(())
    }

    /// Brings the simulation to the newest frame, with nothing held.
    fn resume(&mut self) -> Result<(), String> {
        let Source::Live(simulation) = &mut self.source else { return Ok(()) };
        let newest = self.history.newest();
        let found = self.history.moment(newest).ok_or("nothing to continue from")?;
        simulation.restore(&found.1).map_err(|e| e.to_string())?;
        for number in found.0..newest {
            for input in self.history.inputs(number) {
                simulation.apply(input).map_err(|e| e.to_string())?;
            }
            simulation.step().map_err(|e| e.to_string())?;
        }
        for input in [Input::Release, Input::LetGo] {
            simulation.apply(input).map_err(|e| e.to_string())?;
            self.history.push_input(newest, input);
        }
        self.dt = simulation.scene.dt;
        (self.holder, self.driver) = (None, None);
        self.show(newest);
        // Settings are those of that moment.
        self.tell();
        Ok(())
    }

    /// Goes on with a branch that was kept, from its end.
    fn switch(&mut self, client: u64, number: u32) {
        let Some(from) = self.branches.exchange(number, &mut self.history) else {
            return self.note(Some(client), format!("there is no branch {number} any more"));
        };
        self.playing = false;
        match self.resume() {
            Ok(()) => self.show(from),
            Err(reason) => self.note(Some(client), reason),
        }
    }

    /// Moves a control or a motor; what stands still plays on.
    fn drive(&mut self, client: u64, input: Input) {
        if let Err(reason) = self.branch() {
            return self.note(Some(client), reason);
        }
        let Source::Live(simulation) = &mut self.source else { return };
        match simulation.apply(input) {
            Ok(()) => {
                self.history.push_input(self.shown, input);
                self.driver = (input != Input::LetGo).then_some(client);
                if !self.playing && input != Input::LetGo {
                    self.playing = true;
                    self.tell();
                }
            }
            Err(e) => self.note(Some(client), e.to_string()),
        }
    }

    fn input(&mut self, client: u64, input: Input) {
        let grabs = matches!(input, Input::Grab { .. });
        if grabs && self.holder.is_some_and(|holder| holder != client) {
            return self.note(Some(client), "somebody else holds a body".into());
        }
        if !grabs && self.holder != Some(client) {
            return;
        }
        if grabs && let Err(reason) = self.branch() {
            return self.note(Some(client), reason);
        }
        let Source::Live(simulation) = &mut self.source else { return };
        match simulation.apply(input) {
            Ok(()) => {
                self.history.push_input(self.shown, input);
                self.holder = (input != Input::Release).then_some(client);
            }
            Err(e) => self.note(Some(client), e.to_string()),
        }
    }

    /// Changes something; `change` says whether files do not tell of it.
    fn tune(&mut self, client: u64, change: impl FnOnce(&mut Simulation) -> Result<bool, String>) {
        if let Err(reason) = self.branch() {
            return self.note(Some(client), reason);
        }
        let Source::Live(simulation) = &mut self.source else { return };
        match change(simulation) {
            Ok(unsaid) => {
                self.dt = simulation.scene.dt;
                self.threads = simulation.scene.world.settings().threads;
                self.history.push_moment(self.shown, simulation.moment());
                self.tuned |= unsaid;
                self.tell();
            }
            Err(reason) => self.note(Some(client), reason),
        }
    }

    /// Starts over, with the settings as they are now.
    fn reset(&mut self) {
        let Source::Live(old) = &self.source else {
            self.show(0);
            return self.tell();
        };
        match Simulation::new(&old.renewed(), self.threads) {
            Ok(mut new) => {
                *new.scene.world.settings_mut() = old.scene.world.settings().clone();
                new.scene.dt = old.scene.dt;
                let mut branches = std::mem::take(&mut self.branches);
                if self.history.touched() {
                    branches.keep(0, self.history.clone());
                }
                let (tuned, base) = (self.tuned, self.base.take());
                self.begin(new, self.chosen.clone(), self.size);
                (self.branches, self.tuned, self.base) = (branches, tuned, base);
                self.tell();
            }
            Err(e) => self.note(None, e.to_string()),
        }
    }

    fn load(&mut self, client: u64, name: Option<&str>, size: Option<usize>) {
        let mut clipped = None;
        let file = match (name, &self.origin) {
            (Some(name), _) => builtin::find(name).map(|entry| {
                let most = entry.default_size.saturating_mul(MAX_GROWTH);
                clipped = size.filter(|&n| n > most).map(|n| {
                    let of = entry.size_of;
                    format!("{n} {of} are too many here; {most} are shown (taut run takes more)")
                });
                entry.file(size.map(|n| n.min(most)))
            }),
            (None, Origin::Scene(file, _)) => Ok((**file).clone()),
            (None, Origin::Recording(_)) => {
                return self.rewind();
            }
        };
        let made = file.and_then(|file| Simulation::new(&file, self.threads));
        match made {
            Ok(simulation) => {
                let named = |name: &str| Chosen::Named(name.into());
                self.begin(simulation, name.map_or(Chosen::Started, named), size);
            }
            Err(e) => return self.note(Some(client), e.to_string()),
        }
        if let Some(text) = clipped {
            self.note(Some(client), text);
        }
    }

    /// Back to the recording that was named at the start.
    fn rewind(&mut self) {
        let Origin::Recording(recording) = &self.origin else { return };
        self.history = recorded(recording);
        self.header = Arc::new(recording.header.clone());
        self.dt = recording.scene().dt;
        self.source = Source::Recorded;
        self.chosen = Chosen::Started;
        self.base = None;
        self.renew();
    }

    fn begin(&mut self, simulation: Simulation, chosen: Chosen, size: Option<usize>) {
        (self.chosen, self.size) = (chosen, size);
        self.history = History::default();
        self.history.push(0, simulation.start());
        self.history.push_moment(0, simulation.moment());
        self.header = Arc::new(simulation.header.clone());
        self.dt = simulation.scene.dt;
        self.source = Source::Live(Box::new(simulation));
        self.base = self.set_to();
        self.renew();
    }

    fn renew(&mut self) {
        (self.shown, self.holder, self.driver) = (0, None, None);
        (self.branches, self.tuned) = (Branches::default(), false);
        self.generation += 1;
        self.announce();
    }

    /// Tells everybody of the scene, its state and its frame.
    fn announce(&mut self) {
        let live = matches!(self.source, Source::Live(_));
        let (levers, limits) = match &self.source {
            Source::Live(simulation) => (simulation.levers(), simulation.limits()),
            Source::Recorded => (Vec::new(), Vec::new()),
        };
        let forces = self.history.frames().iter().any(|f| !f.1.frame.details.is_empty());
        let text = json!({"scene": {
            "generation": self.generation, "live": live, "header": &*self.header,
            "levers": levers, "limits": limits, "chosen": self.chosen, "size": self.size, "forces": forces,
        }});
        let scene = SceneText { generation: self.generation, text: text.to_string() };
        self.news.scene = Some(Arc::new(scene));
        self.tell();
        self.show(self.shown);
    }

    /// Solver and settings as they are.
    fn set_to(&self) -> Option<(Value, Value)> {
        let Source::Live(simulation) = &self.source else { return None };
        let scene = &simulation.scene;
        Some((json!(scene.world.settings().solver), json!(Tuning::of(scene))))
    }

    /// Tells everybody how it is played.
    fn tell(&mut self) {
        let (solver, tuning) = self.set_to().unwrap_or_default();
        let frictions = match &self.source {
            Source::Live(simulation) => json!(simulation.frictions()),
            Source::Recorded => json!({}),
        };
        let changed = self.base.as_ref().map(|base| changes(base, &solver, &tuning));
        let text = json!({"status": {
            "playing": self.playing, "speed": self.speed, "solver": solver, "settings": tuning,
            "changed": changed,
            "frictions": frictions, "branches": self.branches.list(),
            "unsaid": self.tuned || self.history.pulled(),
            "notice": self.notice.0, "notices": self.notice.1, "notice_to": self.notice.2,
        }});
        self.news.status = Some(Arc::from(text.to_string()));
    }

    /// Tells something to the page whose request it answers, or to everybody.
    fn note(&mut self, to: Option<u64>, text: String) {
        self.notice = (text, self.notice.1 + 1, to);
        self.tell();
    }
}

/// What is set otherwise than at first: the solver, or nothing; and settings by name.
fn changes(base: &(Value, Value), solver: &Value, tuning: &Value) -> Value {
    let differs = |(name, value): &(&String, &Value)| base.1.get(name.as_str()) != Some(value);
    let settings = tuning.as_object().into_iter().flatten().filter(differs);
    let settings: serde_json::Map<String, Value> =
        settings.map(|(name, value)| (name.clone(), value.clone())).collect();
    json!({"solver": (base.0 != *solver).then_some(solver), "settings": settings})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(session: &mut Session) -> Value {
        let text = session.news().status.expect("it was told");
        let message: Value = serde_json::from_str(&text).expect("JSON");
        message["status"].clone()
    }

    #[test]
    fn what_was_changed_is_told_and_outlasts_a_new_start() {
        let file = builtin::find("wall").expect("a scene").file(Some(1));
        let mut session = Session::new(Origin::Scene(Box::new(file), 1)).expect("valid");
        let nothing = json!({"solver": null, "settings": {}});
        assert_eq!(status(&mut session)["changed"], nothing);
        // One setting is enough.
        session.obey(1, Command::Settings(json!({"substeps": 3})));
        session.obey(1, Command::Solver(json!({"pgs": {}})));
        session.obey(1, Command::Reset);
        let changed = status(&mut session)["changed"].clone();
        assert_eq!(changed["settings"]["substeps"], 3);
        assert!(changed["solver"].get("pgs").is_some(), "{changed}");
        session.obey(1, Command::Settings(json!({"substep": 3})));
        assert!(status(&mut session)["notice"].as_str().is_some_and(|n| n.contains("substep")));
        for (given, words) in [
            (json!({"substeps": 2.5}), ["settings.substeps", "whole number"]),
            (json!({"substeps": 1001}), ["substeps", "at most 1000"]),
            (json!({"dt": 2.0}), ["dt", "at most 1 s"]),
        ] {
            session.obey(1, Command::Settings(given));
            let notice = status(&mut session)["notice"].to_string();
            assert!(words.iter().all(|word| notice.contains(word)), "{notice}");
        }
        session.obey(1, Command::Settings(json!(3)));
        assert!(status(&mut session)["notice"].as_str().is_some_and(|n| n.contains("object")));
        session.obey(1, Command::Scene { name: Some("wall".into()), size: Some(1) });
        assert_eq!(status(&mut session)["changed"], nothing, "another scene");
    }

    #[test]
    fn time_is_told_by_whoever_runs_it() {
        let file = builtin::find("wall").expect("a scene").file(Some(1));
        let mut session = Session::new(Origin::Scene(Box::new(file), 1)).expect("valid");
        session.tick(100.0);
        let (shown, wait) = (session.shown, session.wait(100.0).expect("it plays"));
        assert_eq!(shown, 1);
        // It is late by the start of its clock: only a little of that is caught up with.
        assert!(wait == 0.0, "{wait}");
        for _ in 0..20 {
            session.tick(100.0);
        }
        assert!(session.shown <= 1 + (LATE / session.dt) as u32 + 1, "{}", session.shown);
        session.obey(1, Command::Play(false));
        assert_eq!(session.wait(200.0), None);
    }
}
