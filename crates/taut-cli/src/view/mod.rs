//! `taut view`: a page that shows a scene while it runs, or a recording.
//!
//! | file | does |
//! |---|---|
//! | `server` | HTTP and WebSocket on one address |
//! | `guard` | refuses requests that other sites' pages make |
//! | `connection` | one watcher: frames out, commands in |
//! | `thread` | the thread that plays a [`taut_live::Session`] |
//! | `start` | from the arguments to a running server |

#[cfg(feature = "view")]
mod connection;
#[cfg(feature = "view")]
mod guard;
#[cfg(feature = "view")]
mod server;
#[cfg(feature = "view")]
mod start;
#[cfg(feature = "view")]
mod thread;

use std::net::IpAddr;
use std::path::PathBuf;

use crate::Ended;
use crate::failure::Failure;
use crate::scene_input::SceneArgs;

/// What to watch, and where.
#[derive(clap::Args)]
#[cfg_attr(not(feature = "view"), allow(dead_code, reason = "read by the server"))]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Port to listen on; 0 for any that is free.
    #[arg(long, default_value = "7474")]
    port: u16,
    /// Do not open a browser.
    #[arg(long)]
    no_open: bool,
    /// Address to listen on. Others than 127.0.0.1 and ::1 let everyone in
    /// the network watch and pull.
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// Serve this page instead of the built-in one, for work on the page.
    #[arg(long, hide = true)]
    page: Option<PathBuf>,
}

/// Serves until it is stopped.
#[cfg(feature = "view")]
pub fn run(args: &Args) -> Result<Ended, Failure> {
    start::run(args)
}

/// Says what is missing.
#[cfg(not(feature = "view"))]
pub fn run(_: &Args) -> Result<Ended, Failure> {
    let hint = "cargo xtask viewer builds taut with it; taut run --record keeps a run for later";
    Err(Failure::new("this taut was built without the feature 'view'", hint))
}
