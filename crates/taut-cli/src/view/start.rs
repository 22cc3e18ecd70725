//! From the arguments to a running server.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use taut_live::Origin;

use super::thread::{self, Handle, Message};
use super::{Args, server};
use crate::failure::Failure;
use crate::scene_input::SceneArgs;
use crate::{Ended, output, page};

/// Serves until the process is stopped.
pub fn run(args: &Args) -> Result<Ended, Failure> {
    let origin = match args.scene.recording()? {
        Some(recording) => Origin::Recording(Box::new(recording)),
        None => {
            let file = args.scene.file()?;
            let scene = args.scene.build(&file)?;
            crate::run::warnings(&scene).iter().for_each(|text| output::warning(text));
            let threads = scene.world.settings().threads;
            Origin::Scene(Box::new(file), threads)
        }
    };
    let page = match &args.page {
        Some(path) => read(path)?,
        None => page::PAGE.to_string(),
    };
    let listener = listen(SocketAddr::new(args.host, args.port))?;
    let address = listener.local_addr().map_err(|e| refused(args.port, &e))?;
    let shown = url(address);
    output::text(&format!("taut view: {shown}  (Ctrl-C ends it)\n"))?;
    if !args.host.is_loopback() {
        output::warning(&format!(
            "everyone who can reach {} can watch and pull; there is no password",
            args.host
        ));
    }
    if !args.no_open {
        open(&shown);
    }
    let session = thread::start(origin)?;
    watch(&args.scene, &session);
    server::serve(listener, session, page).map_err(|e| refused(args.port, &e))?;
    Ok(Ended::Done)
}

/// Shows the scene anew when its file changes.
fn watch(scene: &SceneArgs, session: &Handle) {
    let Some(path) = scene.path().map(Path::to_path_buf) else { return };
    let (scene, inbox) = (scene.clone(), session.inbox.clone());
    let changed = move || std::fs::metadata(&path).and_then(|m| m.modified()).ok();
    // Without a thread for it the scene stays as it is.
    drop(std::thread::Builder::new().name("file".into()).spawn(move || {
        let mut last = changed();
        loop {
            std::thread::sleep(Duration::from_millis(300));
            let now = changed();
            if now == last || now.is_none() {
                continue;
            }
            last = now;
            let read = scene.file().map(Box::new).map_err(|e| e.reason);
            if inbox.send(Message::Changed(read)).is_err() {
                return;
            }
        }
    }));
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|e| {
        let reason = format!("{}: cannot be read: {e}", path.display());
        Failure::new(reason, "--page takes a file such as crates/taut-cli/page/index.html")
    })
}

fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind(address).map_err(|e| refused(address.port(), &e))?;
    // The runtime polls it.
    listener.set_nonblocking(true).map_err(|e| refused(address.port(), &e))?;
    Ok(listener)
}

fn refused(port: u16, error: &std::io::Error) -> Failure {
    let reason = format!("port {port}: cannot be listened on: {error}");
    Failure::new(reason, "choose another one with --port; --port 0 takes any that is free")
}

/// An address for browsers: 0.0.0.0 and :: are not to be visited.
fn url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        return format!("http://127.0.0.1:{}/", address.port());
    }
    format!("http://{address}/")
}

/// Opens a browser; where there is none, the address was printed.
fn open(url: &str) {
    let (program, args): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(args).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(command.spawn());
}
