//! Scenes that are watched, pulled and driven while they run: what is behind
//! `taut view` (a server) and the playground (a worker in the browser).
//!
//! A [`Session`] plays a scene or a recording. It has no threads, clocks or
//! sockets: whoever runs it calls [`Session::tick`] with the time, hands it
//! the [`Command`]s of pages, and passes its [`News`] on. A [`Watcher`] is
//! what it knows of one page: it turns news into messages, never more than the
//! page has drawn.
//!
//! ```
//! use taut_live::{Origin, Session, Watcher};
//! let file = taut_scenes::builtin::find("wall")?.file(Some(2));
//! let mut session = Session::new(Origin::Scene(Box::new(file), 1))?;
//! let mut page = Watcher::new(1);
//! let first = page.messages(&session.news());
//! assert_eq!(first.len(), 3, "the scene, how it is played, a frame");
//! if let Ok(Some(command)) = page.receive(r#"{"step": 1}"#) {
//!     session.obey(1, command);
//! }
//! assert!(session.news().frame.is_some());
//! # Ok::<(), taut_scenes::SceneError>(())
//! ```
//!
//! | file | does |
//! |---|---|
//! | `session` | plays, and obeys commands |
//! | `watcher` | one page: frames out, commands in |
//! | `command` | what a page may ask for |
//! | `hello` | what can be chosen |
//! | `simulation` | a scene that runs, as frames |
//! | `grab` | the spring between a body and the mouse |
//! | `branches` | futures that were left, kept to come back to |
//! | `series` | values over time, for plots |
//! | `history` | what is kept to scrub back to, within bounds |
//! | `everything` | all that is kept: as tables, as a scene file, as a page that replays it |
//! | `replay` | a page with a recording in it |
//! | `frame` | frames as bytes |
//! | `tuning` | settings that can be changed while it runs |

mod branches;
mod command;
mod everything;
mod frame;
mod grab;
mod hello;
mod history;
mod replay;
mod series;
mod session;
mod simulation;
mod tuning;
mod watcher;

pub use command::Command;
pub use everything::Everything;
pub use hello::hello;
pub use replay::replay;
pub use session::{News, Published, SceneText, Session};
pub use simulation::Origin;
pub use watcher::{Message, Watcher};

/// Its examples are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
