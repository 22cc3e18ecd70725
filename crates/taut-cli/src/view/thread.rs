//! The thread that plays. It waits for none of those who watch.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use taut_live::{Command, Everything, News, Origin, Published, SceneText, Session};
use taut_scenes::file::SceneFile;
use tokio::sync::{oneshot, watch};

use crate::failure::Failure;

/// Commands handled before the next frame gets its turn.
const AT_ONCE: usize = 64;

/// With nobody to play for, it looks so often whether somebody came.
const IDLE: Duration = Duration::from_millis(50);

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

/// What watchers hold.
pub struct Handle {
    pub inbox: SyncSender<Message>,
    pub frames: watch::Receiver<Arc<Published>>,
    pub scene: watch::Receiver<Arc<SceneText>>,
    pub status: watch::Receiver<Arc<str>>,
    pub watchers: Arc<AtomicUsize>,
}

/// The other ends.
struct Outlets {
    frames: watch::Sender<Arc<Published>>,
    scene: watch::Sender<Arc<SceneText>>,
    status: watch::Sender<Arc<str>>,
    watchers: Arc<AtomicUsize>,
}

/// Starts the thread.
pub fn start(origin: Origin) -> Result<Handle, Failure> {
    let mut session = Session::new(origin)?;
    // A session begins with all three.
    let News { scene: Some(scene), status: Some(status), frame: Some(frame) } = session.news()
    else {
        return Err(Failure::new("the scene has nothing to show", "try another one"));
    };
    let (frames, frames_seen) = watch::channel(frame);
    let (scene, scene_seen) = watch::channel(scene);
    let (status, status_seen) = watch::channel(status);
    let watchers = Arc::new(AtomicUsize::new(0));
    let outlets = Outlets { frames, scene, status, watchers: watchers.clone() };
    let (inbox, messages) = sync_channel(1024);
    let thread = std::thread::Builder::new().name("simulation".into());
    let spawned = thread.spawn(move || run(session, &outlets, &messages));
    spawned.map_err(|e| Failure::new(format!("no thread for the simulation: {e}"), "try again"))?;
    Ok(Handle { inbox, frames: frames_seen, scene: scene_seen, status: status_seen, watchers })
}

fn run(mut session: Session, outlets: &Outlets, messages: &Receiver<Message>) {
    let start = Instant::now();
    loop {
        let watched = outlets.watchers.load(Ordering::Relaxed) > 0;
        let wait = session.wait(start.elapsed().as_secs_f64()).filter(|_| watched);
        match messages.recv_timeout(wait.map_or(IDLE, Duration::from_secs_f64)) {
            Ok(message) => {
                handle(&mut session, message);
                messages.try_iter().take(AT_ONCE).for_each(|m| handle(&mut session, m));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if wait.is_some() {
            session.tick(start.elapsed().as_secs_f64());
        }
        outlets.tell(session.news());
    }
}

fn handle(session: &mut Session, message: Message) {
    match message {
        // Whoever asked may be gone by now.
        Message::Keep(reply) => drop(reply.send(session.everything())),
        Message::Open(file, reply) => {
            drop(reply.send(session.open(&file).map_err(|e| e.to_string())));
        }
        Message::Changed(read) => session.changed(read),
        Message::Left(client) => session.left(client),
        Message::Command(client, command) => session.obey(client, command),
    }
}

impl Outlets {
    fn tell(&self, news: News) {
        news.scene.map(|scene| self.scene.send_replace(scene));
        news.status.map(|status| self.status.send_replace(status));
        news.frame.map(|frame| self.frames.send_replace(frame));
    }
}
