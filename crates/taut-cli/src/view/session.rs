//! The thread that plays: it simulates or replays at the pace asked for, and
//! obeys the commands of all who watch. It waits for none of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;
use taut::math::Vec3;
use taut_scenes::builtin;
use taut_scenes::file::SceneFile;
use taut_scenes::recording::{Header, Recording};
use tokio::sync::{oneshot, watch};

use super::branches::Branches;
use super::command::Command;
use super::frame::{self, Kept};
use super::grab::Input;
use super::history::History;
use super::simulation::{Origin, Simulation};
use super::tuning::{Tuning, set_solver};
use crate::failure::Failure;

/// Frames between moments to continue from.
const MOMENT_EVERY: u32 = 60;

/// Commands handled before the next frame gets its turn.
const AT_ONCE: usize = 64;

/// Built-in scenes may be at most so many times as large as their source's.
const MAX_GROWTH: usize = 20;

/// What `tune` is told: files tell of the change, or not.
const SAID: Result<bool, String> = Ok(false);
const UNSAID: Result<bool, String> = Ok(true);

/// What the thread is told.
pub enum Message {
    Command(u64, Command),
    /// A watcher left.
    Left(u64),
    /// Someone wants all that is kept.
    Keep(oneshot::Sender<Everything>),
    /// A scene file that was dropped on the page.
    Open(Box<SceneFile>, oneshot::Sender<Result<(), String>>),
    /// The file of the scene changed, or cannot be read any more.
    Changed(Result<Box<SceneFile>, String>),
}

/// All that is kept: cheap to copy, for frames are shared.
pub struct Everything {
    /// With what hands drove.
    pub header: Arc<Header>,
    /// Whether more happened than that: pulls, or other settings.
    pub more: bool,
    pub frames: Vec<(u32, Arc<Kept>)>,
}

/// A frame that is shown.
pub struct Published {
    pub generation: u32,
    pub base: Vec<u8>,
    pub kept: Arc<Kept>,
}

/// The description of a scene, as text for pages.
pub struct SceneText {
    pub generation: u32,
    pub text: String,
}

/// What watchers hold.
pub struct Handle {
    pub inbox: SyncSender<Message>,
    pub frames: watch::Receiver<Arc<Published>>,
    pub scene: watch::Receiver<Arc<SceneText>>,
    pub status: watch::Receiver<Arc<str>>,
    pub watchers: Arc<AtomicUsize>,
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

struct Session {
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
    /// The last thing to tell, how many there were, and whom: one page, or all.
    notice: (String, u32, Option<u64>),
    outlets: Outlets,
}

struct Outlets {
    frames: watch::Sender<Arc<Published>>,
    scene: watch::Sender<Arc<SceneText>>,
    status: watch::Sender<Arc<str>>,
    watchers: Arc<AtomicUsize>,
}

/// Starts the thread.
pub fn start(origin: Origin) -> Result<Handle, Failure> {
    let nothing = Kept {
        frame: taut_scenes::recording::Frame {
            time: 0.0,
            figures: [0.0; 15],
            poses: Vec::new(),
            subsystems: Vec::new(),
            tensions: Vec::new(),
            details: Vec::new(),
            skins: Vec::new(),
        },
        held: None,
        targets: Vec::new(),
    };
    let first = Published { generation: 0, base: Vec::new(), kept: Arc::new(nothing) };
    let (frames, frames_seen) = watch::channel(Arc::new(first));
    let (scene, scene_seen) =
        watch::channel(Arc::new(SceneText { generation: 0, text: String::new() }));
    let (status, status_seen) = watch::channel(Arc::from(""));
    let watchers = Arc::new(AtomicUsize::new(0));
    let outlets = Outlets { frames, scene, status, watchers: watchers.clone() };
    let (inbox, messages) = sync_channel(1024);
    let mut session = Session::new(origin, outlets)?;
    session.announce();
    let thread = std::thread::Builder::new().name("simulation".into());
    let spawned = thread.spawn(move || session.run(&messages));
    spawned.map_err(|e| Failure::new(format!("no thread for the simulation: {e}"), "try again"))?;
    Ok(Handle { inbox, frames: frames_seen, scene: scene_seen, status: status_seen, watchers })
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
    fn new(origin: Origin, outlets: Outlets) -> Result<Self, Failure> {
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
            return Err(Failure::new("the recording has no frames", "record it again"));
        }
        Ok(Session {
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
            notice: (String::new(), 0, None),
            outlets,
        })
    }

    fn run(mut self, messages: &Receiver<Message>) {
        let mut due = Instant::now();
        loop {
            // Nobody to play for: look now and then whether somebody came.
            let watched = self.outlets.watchers.load(Ordering::Relaxed) > 0;
            let active = self.playing && watched;
            let idle = Duration::from_millis(50);
            let wait = if active { due.saturating_duration_since(Instant::now()) } else { idle };
            match messages.recv_timeout(wait) {
                Ok(message) => {
                    self.handle(message);
                    messages.try_iter().take(AT_ONCE).for_each(|m| self.handle(m));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let now = Instant::now();
            if active && self.playing && now >= due {
                let before = self.shown;
                self.advance();
                // Of frames long ago some are left out.
                let steps = f64::from(self.shown.saturating_sub(before).max(1));
                let pace = (steps * self.dt / self.speed).clamp(1e-4, 10.0);
                let pace = Duration::from_secs_f64(pace);
                // What cannot be caught up with is let go.
                due = (due + pace).max(now - Duration::from_millis(50));
            }
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Keep(reply) => {
                let header = match &self.source {
                    Source::Live(simulation) => Arc::new(simulation.driven()),
                    Source::Recorded => self.header.clone(),
                };
                let more = self.tuned || self.history.pulled();
                let frames = self.history.frames().to_vec();
                // Whoever asked may be gone by now.
                drop(reply.send(Everything { header, more, frames }));
            }
            Message::Open(file, reply) => {
                let made = Simulation::new(&file, self.threads).map_err(|e| e.to_string());
                drop(reply.send(made.map(|simulation| self.begin(simulation, Chosen::Dropped))));
            }
            Message::Changed(Ok(file)) => match Simulation::new(&file, self.threads) {
                Ok(simulation) => {
                    self.origin = Origin::Scene(file, self.threads);
                    if self.chosen == Chosen::Started {
                        self.begin(simulation, Chosen::Started);
                    } else {
                        let text = "the file that taut was started with changed: choose \
                                    \"as started\" to see it";
                        self.note(None, text.into());
                    }
                }
                Err(e) => self.note(None, e.to_string()),
            },
            Message::Changed(Err(reason)) => self.note(None, reason),
            Message::Left(client) => {
                if self.holder == Some(client) {
                    self.input(client, Input::Release);
                }
                if self.driver == Some(client) {
                    self.drive(client, Input::LetGo);
                }
            }
            Message::Command(client, command) => self.obey(client, command),
        }
    }

    fn obey(&mut self, client: u64, command: Command) {
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

    /// Changes settings, gravity among them.
    fn set(&mut self, client: u64, value: serde_json::Value) {
        self.tune(client, |simulation| {
            let tuning: Tuning = serde_json::from_value(value).map_err(|e| e.to_string())?;
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
        self.outlets.frames.send_replace(Arc::new(published));
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
                let tuned = self.tuned;
                self.begin(new, self.chosen.clone());
                (self.branches, self.tuned) = (branches, tuned);
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
                self.begin(simulation, name.map_or(Chosen::Started, named));
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
        self.renew();
    }

    fn begin(&mut self, simulation: Simulation, chosen: Chosen) {
        self.chosen = chosen;
        self.history = History::default();
        self.history.push(0, simulation.start());
        self.history.push_moment(0, simulation.moment());
        self.header = Arc::new(simulation.header.clone());
        self.dt = simulation.scene.dt;
        self.source = Source::Live(Box::new(simulation));
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
            "levers": levers, "limits": limits, "chosen": self.chosen, "forces": forces,
        }});
        let scene = SceneText { generation: self.generation, text: text.to_string() };
        self.outlets.scene.send_replace(Arc::new(scene));
        self.tell();
        self.show(self.shown);
    }

    /// Tells everybody how it is played.
    fn tell(&mut self) {
        let (solver, tuning, frictions) = match &self.source {
            Source::Live(simulation) => {
                let solver = &simulation.scene.world.settings().solver;
                let tuning = Tuning::of(&simulation.scene);
                (json!(solver), json!(tuning), json!(simulation.frictions()))
            }
            Source::Recorded => (json!(null), json!(null), json!({})),
        };
        let text = json!({"status": {
            "playing": self.playing, "speed": self.speed, "solver": solver, "settings": tuning,
            "frictions": frictions, "branches": self.branches.list(),
            "unsaid": self.tuned || self.history.pulled(),
            "notice": self.notice.0, "notices": self.notice.1, "notice_to": self.notice.2,
        }});
        self.outlets.status.send_replace(Arc::from(text.to_string()));
    }

    /// Tells something to the page whose request it answers, or to everybody.
    fn note(&mut self, to: Option<u64>, text: String) {
        self.notice = (text, self.notice.1 + 1, to);
        self.tell();
    }
}
