//! HTTP and WebSocket on one address. Nothing is read from the disk: there is
//! one page, the socket, and what is kept of the run.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, RawQuery, Request, State};
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use taut_live::{Everything, hello};
use taut_scenes::file::SceneFile;
use tokio::sync::oneshot;

use super::connection;
use super::guard::{self, Reach};
use super::thread::{Handle, Message};
use crate::page;

/// Who has not sent the head of a request by then is let go.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// Larger scene files are not taken from pages.
const MOST_BYTES: usize = 64 << 20;

/// What may follow the `?` of a saved page.
const FORCES: &str = "forces";

#[derive(Clone)]
struct Shared {
    session: Arc<Handle>,
    hello: Arc<str>,
    page: Arc<str>,
    /// The page may run what it came with and talk to this server, nothing else.
    policy: HeaderValue,
}

/// Serves until the process ends.
pub fn serve(listener: TcpListener, session: Handle, page: String) -> std::io::Result<()> {
    let loopback = listener.local_addr()?.ip().is_loopback();
    let reach = if loopback { Reach::Loopback } else { Reach::Network };
    let policy = format!("{}; frame-ancestors 'none'", page::policy(&page));
    let policy = HeaderValue::from_str(&policy).map_err(std::io::Error::other)?;
    let shared =
        Shared { session: Arc::new(session), hello: hello().into(), page: page.into(), policy };
    let router = Router::new()
        .route("/", get(index))
        .route("/socket", get(socket))
        .route("/figures", get(rows))
        .route("/save.html", get(save))
        .route("/scene.json", get(scene))
        .route("/schema.json", get(schema))
        .route("/series/{kind}/{index}", get(rows))
        .route("/open", post(open).layer(DefaultBodyLimit::max(MOST_BYTES)))
        .with_state(shared.clone())
        .layer(middleware::from_fn_with_state(shared, headers))
        .layer(middleware::from_fn_with_state(reach, guard::check));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(accept(listener, router))
}

/// `axum::serve`, but for a timeout: sockets that never ask would be kept forever.
async fn accept(listener: TcpListener, router: Router) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Too many are open, or one left before its turn.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
            // Errors are those of one connection.
            drop(http.serve_connection(TokioIo::new(stream), service).with_upgrades().await);
        });
    }
}

async fn headers(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, shared.policy);
    let fields = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fields {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn index(State(shared): State<Shared>) -> Response {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], shared.page.to_string()).into_response()
}

async fn socket(State(shared): State<Shared>, upgrade: WebSocketUpgrade) -> Response {
    let (most, session) = (connection::MAX_MESSAGE, shared.session);
    upgrade
        .max_message_size(most)
        .max_frame_size(most)
        .on_upgrade(move |socket| connection::run(socket, session, shared.hello))
}

/// Number, time and values of frames that are kept.
async fn rows(State(shared): State<Shared>, uri: Uri) -> Response {
    let Some(everything) = everything(&shared).await else { return gone() };
    let path = uri.path_and_query().map_or("", |p| p.as_str().trim_start_matches('/'));
    match everything.rows(path) {
        Some(bytes) => {
            ([(header::CONTENT_TYPE, "application/octet-stream")], bytes).into_response()
        }
        None => (StatusCode::NOT_FOUND, "expected body, joint, cable or contact, and a number\n")
            .into_response(),
    }
}

/// The scene file of the run, with what was driven as drives.
async fn scene(State(shared): State<Shared>) -> Response {
    let Some(everything) = everything(&shared).await else { return gone() };
    let Ok(text) = everything.scene_file() else { return gone() };
    let disposition = format!("attachment; filename=\"{}.json\"", everything.name());
    let fields = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CONTENT_DISPOSITION, disposition.as_str()),
    ];
    (fields, text).into_response()
}

/// The schema of scene files, for the page's editor.
async fn schema() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], taut_scenes::schema_text()).into_response()
}

/// Shows a scene file that was dropped on the page. (It cannot name other files.)
async fn open(State(shared): State<Shared>, text: String) -> Response {
    let read = tokio::task::spawn_blocking(move || SceneFile::from_json(&text)).await;
    let file = match read {
        Ok(Ok(file)) => Box::new(file),
        Ok(Err(e)) => return (StatusCode::BAD_REQUEST, e.to_string()).into_response(),
        Err(_) => return gone(),
    };
    let (reply, answer) = oneshot::channel();
    if connection::tell(&shared.session, Message::Open(file, reply)).await.is_err() {
        return gone();
    }
    match answer.await {
        Ok(Ok(())) => StatusCode::NO_CONTENT.into_response(),
        Ok(Err(reason)) => (StatusCode::BAD_REQUEST, reason).into_response(),
        Err(_) => gone(),
    }
}

/// A page that replays what is kept.
async fn save(State(shared): State<Shared>, RawQuery(query): RawQuery) -> Response {
    let forces = query.as_deref() == Some(FORCES);
    let Some(everything) = everything(&shared).await else { return gone() };
    let name = everything.name();
    let page = shared.page.clone();
    let made = tokio::task::spawn_blocking(move || everything.page(&page, forces)).await;
    let Ok(Ok(html)) = made else { return gone() };
    let disposition = format!("attachment; filename=\"{name}.html\"");
    let fields = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_DISPOSITION, disposition.as_str()),
    ];
    (fields, html).into_response()
}

async fn everything(shared: &Shared) -> Option<Everything> {
    let (reply, answer) = oneshot::channel();
    connection::tell(&shared.session, Message::Keep(reply)).await.ok()?;
    answer.await.ok()
}

fn gone() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, "the simulation ended\n").into_response()
}
