//! The engine of the playground: a [`taut_live::Session`] with one page that
//! watches, called from a worker of the browser (`viewer/src/worker.ts`). The
//! messages are those of `taut view`; instead of its routes there are functions.

use std::collections::VecDeque;

use taut_live::{Message, Origin, Session, Watcher};
use taut_scenes::builtin;
use taut_scenes::file::SceneFile;
use wasm_bindgen::prelude::*;

/// The one page.
const PAGE: u64 = 1;

/// A scene that runs, and the page that watches it.
#[wasm_bindgen]
pub struct Engine {
    session: Session,
    page: Watcher,
    queue: VecDeque<Message>,
}

#[wasm_bindgen]
impl Engine {
    /// Starts with a built-in scene. An unknown name is an error that says so.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str) -> Result<Engine, String> {
        let file = builtin::find(name).map_err(|e| e.to_string())?.file(None);
        let origin = Origin::Scene(Box::new(file), 1);
        let session = Session::new(origin).map_err(|e| e.to_string())?;
        let page = Watcher::new(PAGE);
        let queue = [taut_live::hello(), page.you()].map(Message::Text).into();
        Ok(Engine { session, page, queue })
    }

    /// Takes a message of the page. One that is not understood is an error.
    pub fn receive(&mut self, text: &str) -> Result<(), String> {
        if let Some(command) = self.page.receive(text).map_err(|e| e.to_string())? {
            self.session.obey(PAGE, command);
        }
        Ok(())
    }

    /// Plays the frame that is due at `now` seconds, and says how many seconds the next one has;
    /// nothing while it stands still.
    pub fn tick(&mut self, now: f64) -> Option<f64> {
        self.session.tick(now);
        self.session.wait(now)
    }

    /// The next message to the page is ready: 0 none, 1 text, 2 bytes.
    #[wasm_bindgen(js_name = next)]
    pub fn next_kind(&mut self) -> u8 {
        if self.queue.is_empty() {
            self.queue.extend(self.page.messages(&self.session.news()));
        }
        match self.queue.front() {
            None => 0,
            Some(Message::Text(_)) => 1,
            Some(Message::Bytes(_)) => 2,
        }
    }

    /// Takes the message that is next, if it is text.
    pub fn text(&mut self) -> Option<String> {
        match self.queue.pop_front_if(|m| matches!(m, Message::Text(_)))? {
            Message::Text(text) => Some(text),
            Message::Bytes(_) => None,
        }
    }

    /// Takes the message that is next, if it is bytes.
    pub fn bytes(&mut self) -> Option<Vec<u8>> {
        match self.queue.pop_front_if(|m| matches!(m, Message::Bytes(_)))? {
            Message::Bytes(bytes) => Some(bytes),
            Message::Text(_) => None,
        }
    }

    /// Shows a scene file; an error says where what is wrong.
    pub fn open(&mut self, text: &str) -> Result<(), String> {
        let file = SceneFile::from_json(text).map_err(|e| e.to_string())?;
        self.session.open(&file).map_err(|e| e.to_string())
    }

    /// Values of frames that are kept: `figures`, or `series/KIND/INDEX`; all of them with `?all`.
    pub fn rows(&self, path: &str) -> Option<Vec<u8>> {
        self.session.everything().rows(path)
    }

    /// The scene file of the run.
    pub fn scene_file(&self) -> Result<String, String> {
        self.session.everything().scene_file().map_err(|e| e.to_string())
    }

    /// The page with what is kept in it.
    pub fn saved(&self, page: &str, forces: bool) -> Result<String, String> {
        self.session.everything().page(page, forces).map_err(|e| e.to_string())
    }
}

/// The schema of scene files.
#[wasm_bindgen]
pub fn schema() -> String {
    taut_scenes::schema_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(engine: &mut Engine) -> (Vec<String>, usize) {
        let (mut texts, mut frames) = (Vec::new(), 0);
        loop {
            match engine.next_kind() {
                0 => return (texts, frames),
                1 => texts.extend(engine.text()),
                _ => frames += engine.bytes().iter().len(),
            }
        }
    }

    #[test]
    fn a_page_is_greeted_and_sees_frames_as_time_goes_on() {
        let mut engine = Engine::new("wall").expect("a scene");
        let (texts, frames) = drain(&mut engine);
        let starts: Vec<&str> = texts.iter().map(|t| &t[2..7]).collect();
        assert_eq!((starts, frames), (vec!["hello", "you\":", "statu", "scene"], 1));
        let wait = engine.tick(0.0).expect("it plays");
        assert!(wait > 0.0 && wait < 0.1, "{wait}");
        assert_eq!(drain(&mut engine).1, 1);
        assert!(engine.tick(0.5 * wait).is_some());
        assert_eq!(drain(&mut engine).1, 0, "nothing is due");
        engine.receive("{\"play\": false}").expect("understood");
        assert_eq!(engine.tick(10.0), None);
        assert!(engine.receive("{\"fly\": true}").is_err());
    }

    #[test]
    fn scene_files_are_opened_or_refused_with_a_place() {
        let mut engine = Engine::new("wall").expect("a scene");
        drain(&mut engine);
        let wrong =
            engine.open("{\"version\": 1,\n \"bodies\": [{\"name\": \"b\", \"mass\": \"x\"}]}");
        let text = wrong.expect_err("no number");
        assert!(text.contains("bodies[0].mass") && text.contains("line 2"), "{text}");
        engine.open("{\"version\": 1, \"name\": \"mine\"}").expect("a scene");
        let (texts, _) = drain(&mut engine);
        assert!(texts.iter().any(|t| t.contains("\"mine\"")), "{texts:?}");
        assert!(engine.scene_file().expect("a file").contains("\"mine\""));
        assert!(engine.rows("figures").is_some() && engine.rows("series/none/0").is_none());
    }
}
