//! One watcher. It gets the newest frame, never a queue of old ones
//! ([`Watcher`]). A page that stops reading stops only its own connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::TrySendError;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message as Packet, Utf8Bytes, WebSocket, close_code};

use taut_live::Watcher;

use super::thread::{Handle, Message};

/// Messages of more bytes end the connection.
pub const MAX_MESSAGE: usize = 16 << 10;

const PATIENCE: Duration = Duration::from_secs(30);

static NEXT_CLIENT: AtomicU64 = AtomicU64::new(1);

/// Counts as a watcher while it lives.
struct Watching(Arc<AtomicUsize>);

impl Watching {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Watching(count.clone())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves a page until it leaves or misbehaves.
pub async fn run(mut socket: WebSocket, session: Arc<Handle>, hello: Arc<str>) {
    let watching = Watching::new(&session.watchers);
    let client = NEXT_CLIENT.fetch_add(1, Ordering::Relaxed);
    let mut page = Watcher::new(client);
    let result = serve(&mut socket, &session, &mut page, &hello).await;
    if let Err(Some(reason)) = result {
        let frame = CloseFrame { code: close_code::POLICY, reason: Utf8Bytes::from_static(reason) };
        let _ = send(&mut socket, Packet::Close(Some(frame))).await;
    }
    drop(watching);
    let _ = tell(&session, Message::Left(client)).await;
}

/// Why a connection ends: `None` if the page is gone.
type Ended = Option<&'static str>;

async fn serve(
    socket: &mut WebSocket,
    session: &Handle,
    page: &mut Watcher,
    hello: &str,
) -> Result<(), Ended> {
    let mut frames = session.frames.clone();
    let mut status = session.status.clone();
    frames.mark_changed();
    status.mark_changed();
    send(socket, Packet::text(hello)).await?;
    send(socket, Packet::text(page.you())).await?;
    loop {
        tokio::select! {
            packet = socket.recv() => match packet {
                Some(Ok(Packet::Text(text))) => receive(&text, session, page).await?,
                Some(Ok(Packet::Binary(_))) => return Err(Some("only text is understood")),
                Some(Ok(Packet::Ping(_) | Packet::Pong(_))) => {}
                Some(Ok(Packet::Close(_)) | Err(_)) | None => return Err(None),
            },
            changed = status.changed() => {
                changed.map_err(|_| Some("the simulation ended"))?;
                let text = status.borrow_and_update().to_string();
                send(socket, Packet::text(text)).await?;
            }
            changed = frames.changed(), if page.is_ready() => {
                changed.map_err(|_| Some("the simulation ended"))?;
                let frame = frames.borrow_and_update().clone();
                let (scene, bytes) = page.show(&frame, || Some(session.scene.borrow().clone()));
                if let Some(scene) = scene {
                    send(socket, Packet::text(scene.text.as_str())).await?;
                }
                send(socket, Packet::binary(bytes)).await?;
            }
        }
    }
}

async fn receive(text: &str, session: &Handle, page: &mut Watcher) -> Result<(), Ended> {
    match page.receive(text) {
        Ok(Some(command)) => tell(session, Message::Command(page.client(), command)).await,
        Ok(None) => Ok(()),
        Err(_) => Err(Some("not a message that is understood")),
    }
}

async fn send(socket: &mut WebSocket, packet: Packet) -> Result<(), Ended> {
    match tokio::time::timeout(PATIENCE, socket.send(packet)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(None),
    }
}

/// Hands a message to the simulation; waits while its inbox is full.
pub async fn tell(session: &Handle, mut message: Message) -> Result<(), Ended> {
    loop {
        match session.inbox.try_send(message) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Disconnected(_)) => return Err(Some("the simulation ended")),
            Err(TrySendError::Full(back)) => message = back,
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
