//! One page that watches. It gets the newest frame, never a queue of old
//! ones: at most [`CREDIT`] frames are under way to it until it says that it
//! has drawn one.

use std::sync::Arc;

use crate::command::{self, Command};
use crate::session::{News, Published, SceneText};

const CREDIT: u32 = 3;

/// A message to a page: text is JSON, bytes are a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A JSON document.
    Text(String),
    /// A frame.
    Bytes(Vec<u8>),
}

/// What is known of a page.
pub struct Watcher {
    client: u64,
    credit: u32,
    details: bool,
    generation: u32,
    /// What came while the page was busy.
    scene: Option<Arc<SceneText>>,
    frame: Option<Arc<Published>>,
}

impl Watcher {
    /// A page under a number of its own.
    pub fn new(client: u64) -> Self {
        Watcher { client, credit: CREDIT, details: false, generation: 0, scene: None, frame: None }
    }

    /// Its number.
    pub fn client(&self) -> u64 {
        self.client
    }

    /// Tells the page its number: what only it is told is marked so.
    pub fn you(&self) -> String {
        format!("{{\"you\": {}}}", self.client)
    }

    /// Whether it may get a frame.
    pub fn is_ready(&self) -> bool {
        self.credit > 0
    }

    /// Reads a message of the page. What is not only between the two of us is for the session.
    pub fn receive(&mut self, text: &str) -> Result<Option<Command>, serde_json::Error> {
        match command::parse(text)? {
            Command::Ready => self.credit = (self.credit + 1).min(CREDIT),
            Command::Details(on) => self.details = on,
            command => return Ok(Some(command)),
        }
        Ok(None)
    }

    /// The messages of news, in order, for a page that is ready; a frame that comes too early
    /// waits until the next call.
    pub fn messages(&mut self, news: &News) -> Vec<Message> {
        self.scene = news.scene.clone().or(self.scene.take());
        self.frame = news.frame.clone().or(self.frame.take());
        let status = news.status.iter().map(|text| Message::Text(text.to_string()));
        let mut messages: Vec<Message> = status.collect();
        if self.is_ready()
            && let Some(frame) = self.frame.take()
        {
            let scene = self.scene.take();
            let (scene, bytes) = self.show(&frame, || scene);
            messages.extend(scene.map(|scene| Message::Text(scene.text.clone())));
            messages.push(Message::Bytes(bytes));
        }
        messages
    }

    /// The bytes of a frame, and before them the scene if the page does not know it yet.
    pub fn show(
        &mut self,
        frame: &Published,
        scene: impl FnOnce() -> Option<Arc<SceneText>>,
    ) -> (Option<Arc<SceneText>>, Vec<u8>) {
        let scene = if frame.generation == self.generation { None } else { scene() };
        if let Some(scene) = &scene {
            self.generation = scene.generation;
        }
        let details: &[u8] = if self.details { &frame.kept.frame.details } else { &[] };
        let follows = u32::from(!details.is_empty()).to_le_bytes();
        self.credit = self.credit.saturating_sub(1);
        (scene, [&frame.base[..], &follows, details].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Session};

    #[test]
    fn a_busy_page_gets_the_newest_frame_once_it_is_ready() {
        let file = taut_scenes::builtin::find("wall").expect("a scene").file(Some(1));
        let mut session = Session::new(Origin::Scene(Box::new(file), 1)).expect("valid");
        let mut page = Watcher::new(1);
        let frames = |m: &[Message]| m.iter().filter(|m| matches!(m, Message::Bytes(_))).count();
        let number = |m: &[Message]| match m.last() {
            Some(Message::Bytes(b)) => {
                b.get(8..12).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            }
            _ => None,
        };
        assert_eq!(frames(&page.messages(&session.news())), 1);
        for step in 1..6 {
            session.obey(1, Command::Step(1));
            assert_eq!(frames(&page.messages(&session.news())), usize::from(step < 3), "{step}");
        }
        assert!(page.receive("\"ready\"").expect("understood").is_none());
        assert_eq!(number(&page.messages(&session.news())), Some(5), "not frame 3 or 4");
        assert_eq!(frames(&page.messages(&session.news())), 0, "once");
    }

    #[test]
    fn another_scene_comes_before_its_first_frame_however_late() {
        let file = taut_scenes::builtin::find("wall").expect("a scene").file(Some(1));
        let mut session = Session::new(Origin::Scene(Box::new(file), 1)).expect("valid");
        let mut page = Watcher::new(1);
        page.messages(&session.news());
        page.receive("{\"play\": false}").expect("understood");
        for _ in 0..4 {
            session.obey(1, Command::Step(1));
            page.messages(&session.news());
        }
        session.obey(1, Command::Scene { name: Some("chain".into()), size: Some(3) });
        assert!(!page.messages(&session.news()).iter().any(|m| matches!(m, Message::Bytes(_))));
        page.receive("\"ready\"").expect("understood");
        let messages = page.messages(&session.news());
        assert!(
            matches!(&messages[..], [Message::Text(t), Message::Bytes(_)] if t.starts_with("{\"scene\""))
        );
    }
}
