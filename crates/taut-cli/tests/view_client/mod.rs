//! A running `taut view`, and a page that is no browser.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::http::{HeaderName, HeaderValue};
use tungstenite::{Message, WebSocket};

const PATIENCE: Duration = Duration::from_secs(60);

const PAGE: &[u8] =
    b"<head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    script-src 'sha256-x'; connect-src 'self'\" /><!-- recording --></head>";

pub fn taut(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_taut")).args(args).output().expect("taut runs")
}

pub struct Server {
    child: Child,
    pub address: String,
    _page: tempfile::NamedTempFile,
}

impl Server {
    /// On a free port, with a page of its own: the real one may not be built.
    pub fn start(args: &[&str]) -> Self {
        let mut page = tempfile::NamedTempFile::new().expect("a file");
        page.write_all(PAGE).expect("written");
        let mut child = Command::new(env!("CARGO_BIN_EXE_taut"))
            .arg("view")
            .args(args)
            .args(["--no-open", "--port", "0", "--page"])
            .arg(page.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("taut runs");
        let mut line = String::new();
        let out = child.stdout.take().expect("stdout");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("an address in: {line}")).to_string();
        Server { child, address, _page: page }
    }

    /// The first line on stderr.
    pub fn warning(&mut self) -> String {
        let mut line = String::new();
        let error = self.child.stderr.take().expect("stderr");
        BufReader::new(error).read_line(&mut line).expect("a line");
        line
    }

    /// Whether sockets on which nothing, or half a request, was sent are closed.
    pub fn closes_silent_sockets(&self, patience: Duration) -> bool {
        let mut streams = ["", "GET / HTTP/1.1\r\n"].map(|said| {
            let mut stream = TcpStream::connect(&self.address).expect("a connection");
            stream.set_read_timeout(Some(patience)).expect("a timeout");
            stream.write_all(said.as_bytes()).expect("sent");
            stream
        });
        streams.iter_mut().all(|stream| stream.read_to_end(&mut Vec::new()).is_ok())
    }

    /// Status, headers and body of a GET, the path sent as it is.
    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> (u16, String, String) {
        let answer = self.ask(path, headers);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        (status, head.to_string(), body.to_string())
    }

    /// The body of a GET.
    pub fn bytes(&self, path: &str) -> Vec<u8> {
        let answer = self.ask(path, &[]);
        let end = answer.windows(4).position(|w| w == b"\r\n\r\n").expect("a head");
        answer[end + 4..].to_vec()
    }

    fn ask(&self, path: &str, headers: &[(&str, &str)]) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let mut request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|h| h.0 == "Host") {
            request += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{request}\r\n").as_bytes()).expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        answer
    }

    pub fn connect(&self, headers: &[(&str, &str)]) -> Result<WebSocket<TcpStream>, String> {
        let url = format!("ws://{}/socket", self.address);
        let mut request = url.into_client_request().map_err(|e| e.to_string())?;
        for (name, value) in headers {
            let name: HeaderName = name.parse().expect("a name");
            request.headers_mut().insert(name, HeaderValue::from_str(value).expect("a value"));
        }
        let stream = TcpStream::connect(&self.address).map_err(|e| e.to_string())?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(|e| e.to_string())?;
        tungstenite::client(request, stream).map(|c| c.0).map_err(|e| e.to_string())
    }

    pub fn client(&self) -> Client {
        let socket = self.connect(&[]).expect("a socket");
        let (scene, status) = (Value::Null, Value::Null);
        Client { socket, scene, status, acknowledges: true, frames: Vec::new() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub struct Client {
    pub socket: WebSocket<TcpStream>,
    /// The last scene that was told.
    pub scene: Value,
    /// The last status that was told.
    status: Value,
    /// Whether it says so when a frame was drawn.
    pub acknowledges: bool,
    frames: Vec<Frame>,
}

/// A frame, as far as tests look.
#[derive(Debug)]
pub struct Frame {
    pub generation: u32,
    pub number: u32,
    pub newest: u32,
    pub time: f32,
    pub held: Option<u32>,
    bytes: Vec<u8>,
}

const FIGURES: usize = 15;
const BODIES: usize = 4 * (6 + FIGURES + 10);

impl Frame {
    fn read(bytes: Vec<u8>) -> Self {
        let at = |i: usize| word(&bytes, 4 * i);
        assert_eq!(at(0), 1, "the kind of a frame");
        let held = Some(at(6 + FIGURES)).filter(|&b| b != u32::MAX);
        let (generation, number, newest) = (at(1), at(2), at(3));
        Frame { generation, number, newest, time: f32::from_bits(at(4)), held, bytes }
    }

    pub fn bodies(&self) -> usize {
        word(&self.bytes, BODIES) as usize
    }

    pub fn position(&self, body: usize) -> [f32; 3] {
        let start = BODIES + 4 + 12 * body;
        std::array::from_fn(|k| f32::from_bits(word(&self.bytes, start + 4 * k)))
    }
}

pub fn word(bytes: &[u8], at: usize) -> u32 {
    let four = bytes[at..].first_chunk::<4>().expect("a frame of full length");
    u32::from_le_bytes(*four)
}

impl Client {
    pub fn send(&mut self, message: impl Into<Value>) {
        self.socket.send(Message::text(message.into().to_string())).expect("sent");
    }

    /// Reads one message; frames are kept, texts of a kind given back.
    fn read(&mut self) -> Option<(String, Value)> {
        match self.socket.read().expect("a message") {
            Message::Text(text) => {
                let value: Value = serde_json::from_str(&text).expect("a document");
                let (kind, content) = value.as_object()?.iter().next()?;
                if kind == "scene" {
                    self.scene = content.clone();
                }
                if kind == "status" {
                    self.status = content.clone();
                }
                Some((kind.clone(), content.clone()))
            }
            Message::Binary(bytes) => {
                self.frames.push(Frame::read(bytes.to_vec()));
                if self.acknowledges {
                    self.send("ready");
                }
                None
            }
            _ => None,
        }
    }

    pub fn text(&mut self, kind: &str) -> Value {
        loop {
            if let Some((found, content)) = self.read()
                && found == kind
            {
                return content;
            }
        }
    }

    /// The status, as soon as it is as asked.
    pub fn status_where(&mut self, good: impl Fn(&Value) -> bool) -> Value {
        while self.status.is_null() || !good(&self.status) {
            self.read();
        }
        self.status.clone()
    }

    /// The next frame.
    pub fn frame(&mut self) -> Frame {
        self.frame_where(|_| true)
    }

    pub fn frame_where(&mut self, mut good: impl FnMut(&Frame) -> bool) -> Frame {
        let end = Instant::now() + PATIENCE;
        loop {
            while !self.frames.is_empty() {
                let frame = self.frames.remove(0);
                if good(&frame) {
                    return frame;
                }
            }
            assert!(Instant::now() < end, "no such frame came");
            self.read();
        }
    }

    /// Whether the server ends the connection.
    pub fn ends(&mut self) -> bool {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            match self.socket.read() {
                Ok(Message::Close(_)) | Err(_) => return true,
                Ok(_) => {}
            }
        }
        false
    }
}
