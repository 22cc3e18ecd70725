//! What `taut view` promises: it plays, it obeys, and it is safe to leave
//! running beside a browser that visits anything.
#![cfg(feature = "view")]

mod view_client;

use std::time::{Duration, Instant};

use serde_json::json;
use tungstenite::Message;
use view_client::{Client, Server};

#[test]
fn a_scene_is_described_and_played() {
    let server = Server::start(&["newtons-cradle"]);
    let mut client = server.client();
    let hello = client.text("hello");
    assert!(hello["scenes"].as_array().is_some_and(|s| s.len() >= 9));
    assert!(hello["solvers"].as_array().is_some_and(|s| s.iter().any(|s| s["name"] == "bpp")));
    let first = client.frame();
    assert_eq!(client.scene["header"]["scene"]["name"], "newtons-cradle");
    assert_eq!(client.scene["header"]["bodies"].as_array().map(Vec::len), Some(first.bodies()));
    assert!(client.scene["live"] == true && first.bodies() >= 5);
    let later = client.frame_where(|f| f.number >= 10);
    assert!(later.position(0) != first.position(0), "the first ball falls");
    assert!((later.time - 1e-3 * later.number as f32).abs() < 1e-5, "steps of 1 ms");
}

#[test]
fn play_pause_step_seek_and_reset() {
    let server = Server::start(&["newtons-cradle"]);
    let mut client = server.client();
    client.frame_where(|f| f.number >= 5);
    client.send(json!({"play": false}));
    client.status_where(|s| s["playing"] == false);
    client.send(json!({"seek": 2}));
    let sought = client.frame_where(|f| f.number == 2);
    client.send(json!({"step": 1}));
    let stepped = client.frame_where(|f| f.number == 3);
    assert!(stepped.newest >= 5, "stepping on shows what was simulated");
    client.send(json!({"step": -1}));
    let again = client.frame_where(|f| f.number == 2);
    assert_eq!(again.position(0), sought.position(0));
    let generation = again.generation;
    client.send(json!("reset"));
    let start = client.frame_where(|f| f.generation > generation);
    assert_eq!((start.number, start.newest), (0, 0));
}

#[test]
fn a_pulled_body_follows_and_the_past_can_be_changed() {
    let server = Server::start(&["box-stack", "--size", "3"]);
    let mut client = server.client();
    let before = client.frame_where(|f| f.number >= 20);
    client.send(json!({"play": false}));
    client.send(json!({"seek": 10}));
    client.frame_where(|f| f.number == 10 && f.newest >= 20);
    let [x, y, z] = before.position(2);
    let target = [x, y, z + 2.0];
    client.send(json!({"grab": {"body": 2, "point": [0, 0, 0], "target": target}}));
    let branched = client.frame_where(|f| f.newest == 10);
    assert_eq!((branched.number, branched.held), (10, None));
    client.send(json!({"play": true}));
    let pulled = client.frame_where(|f| f.number >= 40);
    assert_eq!(pulled.held, Some(2));
    assert!(pulled.position(2)[2] > z + 0.2, "{:?} from {z}", pulled.position(2));
    // Whoever leaves lets go.
    drop(client);
    let mut other = server.client();
    let released = other.frame_where(|f| f.number > 45);
    assert_eq!(released.held, None);
}

#[test]
fn who_asked_is_told_and_nobody_else() {
    let server = Server::start(&["box-stack", "--size", "2"]);
    let (mut holder, mut other) = (server.client(), server.client());
    let (one, two) = (holder.text("you"), other.text("you"));
    assert_ne!(one, two);
    let grab = json!({"grab": {"body": 0, "point": [0, 0, 0], "target": [0, 0, 1]}});
    holder.send(grab.clone());
    holder.frame_where(|f| f.held == Some(0));
    other.send(grab);
    for client in [&mut holder, &mut other] {
        let told = client.status_where(|s| s["notices"] == 1);
        assert_eq!(
            (&told["notice"], &told["notice_to"]),
            (&json!("somebody else holds a body"), &two)
        );
    }
    // More than is shown is not cut silently.
    other.send(json!({"scene": {"name": "newtons-cradle", "size": 1000}}));
    let told = other.status_where(|s| s["notices"] == 2);
    assert_eq!(told["notice_to"], two);
    assert!(told["notice"].as_str().is_some_and(|n| n.contains("1000 balls")), "{told}");
    assert_eq!(other.frame_where(|f| f.generation == 2).bodies(), 100);
}

#[test]
fn figures_come_with_the_time_of_their_frame() {
    let server = Server::start(&["newtons-cradle"]);
    let mut client = server.client();
    client.frame_where(|f| f.number >= 3);
    let status = client.status_where(|s| s["settings"].is_object());
    let mut settings = status["settings"].clone();
    settings["dt"] = json!(0.002);
    client.send(json!({"settings": settings}));
    client.status_where(|s| s["settings"]["dt"] == 0.002);
    // Frames of before may still be on their way.
    let steps = |number: u32, since: u32| 2e-3 * number.saturating_sub(since) as f32;
    let mut last = (u32::MAX, 0.0);
    let since = client.frame_where(|f| {
        let is_later = f.number > last.0;
        let fits = (f.time - last.1 - steps(f.number, last.0)).abs() < 1e-4;
        last = (f.number, f.time);
        is_later && fits
    });
    let later = client.frame_where(|f| f.number > since.number + 5);
    let record = 4 * (2 + 15);
    let figures = server.bytes("/figures");
    assert_eq!(figures.len() % record, 0);
    let times: Vec<(u32, f32)> = figures
        .chunks(record)
        .map(|r| (view_client::word(r, 0), f32::from_bits(view_client::word(r, 4))))
        .collect();
    assert!(times.contains(&(later.number, later.time)), "{} {}", later.number, later.time);
    let way = steps(later.number, since.number);
    assert!((later.time - since.time - way).abs() < 1e-4, "later steps are of 2 ms");
}

#[test]
fn who_never_asks_is_let_go() {
    let server = Server::start(&["newtons-cradle"]);
    assert!(server.closes_silent_sockets(Duration::from_secs(40)));
}

#[test]
fn solver_and_settings_change_while_it_runs() {
    let server = Server::start(&["box-stack", "--size", "2"]);
    let mut client = server.client();
    client.frame_where(|f| f.number >= 3);
    client.send(json!({"solver": {"pgs": {"max_iterations": 25}}}));
    let status = client.status_where(|s| s["solver"]["pgs"].is_object());
    assert_eq!(status["solver"]["pgs"]["max_iterations"], 25);
    let mut settings = status["settings"].clone();
    settings["substeps"] = json!(2);
    settings["gravity"] = json!(-3.0);
    client.send(json!({"settings": settings}));
    client.status_where(|s| s["settings"]["substeps"] == 2 && s["settings"]["gravity"] == -3.0);
    // Now it falls up.
    let height = client.frame().position(1)[2];
    client.frame_where(|f| f.position(1)[2] > height + 0.1);
    for wrong in [json!({"solver": {"psor": {"max_iterations": 5, "relaxation": 9.0}}}), {
        settings["substeps"] = json!(0);
        json!({"settings": settings})
    }] {
        let notices = status["notices"].as_u64().unwrap_or(0);
        client.send(wrong.clone());
        let told = client.status_where(|s| s["notices"].as_u64() > Some(notices));
        assert!(told["notice"].as_str().is_some_and(|n| !n.is_empty()), "{wrong}");
        assert_eq!(told["settings"]["substeps"], 2);
    }
    client.send(json!({"scene": {"name": "newtons-cradle", "size": 3}}));
    client.frame_where(|f| f.generation == 2);
    assert_eq!(client.scene["header"]["scene"]["name"], "newtons-cradle");
}

#[test]
fn a_recording_plays_without_simulating() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("cradle.rec").display().to_string();
    let run = ["run", "newtons-cradle", "--frames", "30", "--record", &file];
    assert!(view_client::taut(&run).status.success());
    let server = Server::start(&[&file]);
    let mut client = server.client();
    let last = client.frame_where(|f| f.number == 30);
    assert_eq!((client.scene["live"] == false, last.newest), (true, 30));
    let notices = client.status_where(|s| s["playing"] == false)["notices"].as_u64();
    client.send(json!({"grab": {"body": 0, "point": [0, 0, 0], "target": [0, 0, 0]}}));
    let told = client.status_where(|s| s["notices"].as_u64() > notices);
    assert!(told["notice"].as_str().is_some_and(|n| n.contains("recording")), "{told}");
    // Played again, slowly: a page sees the newest frame, not every one.
    client.send(json!({"speed": 0.01}));
    client.send(json!({"play": true}));
    client.frame_where(|f| f.number < 5);
}

#[test]
fn what_was_watched_can_be_saved() {
    let server = Server::start(&["newtons-cradle"]);
    let mut client = server.client();
    client.frame_where(|f| f.number >= 8);
    let (status, headers, html) = server.get("/save.html", &[]);
    assert_eq!(status, 200);
    assert!(headers.contains("attachment; filename=\"newtons-cradle.html\""), "{headers}");
    assert!(html.contains("<script id=\"recording\" type=\"text/plain\">VEFVVFJFQz"), "{html}");
    let (status, _, figures) = server.get("/figures", &[]);
    assert!(status == 200 && figures.len() >= 8 * 60);
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let server = Server::start(&["newtons-cradle"]);
    for path in ["/", "/socket", "/save.html", "/figures"] {
        for foreign in [
            &[("Host", "evil.example")][..],
            &[("Host", "evil.example"), ("Origin", "http://evil.example")],
            &[("Origin", "http://evil.example")],
            &[("Origin", "null")],
            &[("Origin", "http://127.0.0.1:1")],
        ] {
            let (status, _, body) = server.get(path, foreign);
            assert_eq!(status, 403, "{path} {foreign:?}: {body}");
        }
    }
    for path in ["/socket", "/save.html", "/figures"] {
        assert_eq!(server.get(path, &[("Sec-Fetch-Site", "cross-site")]).0, 403, "{path}");
    }
    assert_eq!(server.get("/save.html", &[("Sec-Fetch-Site", "same-origin")]).0, 200);
    assert_eq!(server.get("/", &[]).0, 200);
    assert!(server.connect(&[("Origin", "http://evil.example")]).is_err());
    assert!(server.connect(&[("Host", "evil.example")]).is_err());
    let own = format!("http://{}", server.address);
    assert!(server.connect(&[("Origin", &own)]).is_ok());
    let (_, headers, _) = server.get("/", &[]);
    let policy = "content-security-policy: default-src 'none'; script-src 'sha256-x'; \
                  connect-src 'self'; frame-ancestors 'none'";
    assert!(headers.to_lowercase().contains(policy), "{headers}");
    let (_, _, saved) = server.get("/save.html", &[]);
    assert!(saved.contains("script-src 'sha256-x'; connect-src 'none'\""), "{saved}");
}

#[test]
fn no_file_can_be_read() {
    let dir = tempfile::tempdir().expect("a folder");
    let secret = dir.path().join("secret.json");
    std::fs::write(&secret, "{\"secret\": 1}").expect("a file");
    let server = Server::start(&["newtons-cradle"]);
    let absolute = secret.display().to_string();
    for path in [
        "/../../../../../../etc/passwd",
        "/..%2f..%2f..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/Cargo.toml",
        "/save.html/../Cargo.toml",
        "//etc/passwd",
        absolute.as_str(),
    ] {
        let (status, _, body) = server.get(path, &[]);
        assert!(status == 404 || status == 400, "{path}: {status} {body}");
    }
    // Scenes are chosen by name from a list; a path is no name.
    let mut client = server.client();
    client.frame();
    client.send(json!({"scene": {"name": absolute}}));
    let told = client.status_where(|s| s["notices"].as_u64() > Some(0));
    assert!(told["notice"].as_str().is_some_and(|n| n.contains("no built-in scene")), "{told}");
}

#[test]
fn malformed_and_oversized_messages_end_their_own_connection_only() {
    let server = Server::start(&["newtons-cradle"]);
    let mut good = server.client();
    good.frame();
    let huge = format!("{{\"scene\": {{\"name\": \"{}\"}}}}", "x".repeat(100_000));
    let wrong = [
        Message::text("{"),
        Message::text("\"fly\""),
        Message::text("{\"seek\": -1}"),
        Message::text("{\"grab\": {\"body\": 0}}"),
        Message::text("[".repeat(10_000)),
        Message::binary(vec![0; 100]),
        Message::text(huge),
    ];
    for message in wrong {
        let mut bad = server.client();
        bad.frame();
        bad.socket.send(message.clone()).expect("sent");
        assert!(bad.ends(), "{:.60}", format!("{message:?}"));
    }
    // Numbers that make no sense are no reason to stop.
    for odd in [
        json!({"grab": {"body": 99, "point": [1e300, 0, 0], "target": [0, 0, 0]}}),
        json!({"grab": {"body": 0, "point": [1e308, 1e308, 0], "target": [1e308, 0, 0]}}),
        json!({"drag": [0, 0, 0]}),
        json!("release"),
        json!({"speed": -1.0}),
        json!({"speed": 1e300}),
        json!({"seek": u32::MAX}),
        json!({"step": i32::MIN}),
        json!({"solver": 7}),
        json!({"settings": {"dt": 0}}),
        json!("reset"),
        json!({"play": true}),
    ] {
        good.send(odd);
    }
    let number = good.frame().number;
    good.frame_where(|f| f.number != number);
}

#[test]
fn many_watch_at_once() {
    let server = Server::start(&["newtons-cradle"]);
    let mut clients: Vec<Client> = (0..40).map(|_| server.client()).collect();
    let numbers: Vec<u32> =
        clients.iter_mut().map(|c| c.frame_where(|f| f.number >= 20).number).collect();
    assert_eq!(numbers.len(), 40);
    let (status, _, _) = server.get("/save.html", &[]);
    assert_eq!(status, 200);
}

#[test]
fn who_stops_reading_stalls_nobody() {
    let server = Server::start(&["box-stack", "--size", "20"]);
    // They ask for details and never read.
    let mut stuck: Vec<Client> = (0..4).map(|_| server.client()).collect();
    for client in &mut stuck {
        client.send(json!({"details": true}));
        (0..200).for_each(|_| client.send(json!("ready")));
    }
    let mut reader = server.client();
    let (start, from) = (Instant::now(), reader.frame().number);
    let to = reader.frame_where(|f| f.number >= from + 60).number;
    assert!(start.elapsed() < Duration::from_secs(30));
    // Nor does who reads but never says that it has drawn get a queue: the
    // next frame after a pause is the newest one.
    let mut lazy = server.client();
    lazy.acknowledges = false;
    (0..3).for_each(|_| drop(lazy.frame()));
    reader.frame_where(|f| f.number >= to + 30);
    lazy.send(json!("ready"));
    assert!(lazy.frame().number >= to + 25);
}

#[test]
fn what_is_missing_or_wrong_is_said() {
    for (args, words) in [
        (&["view", "no-such-scene"][..], "no built-in scene"),
        (&["view", "Cargo.toml"], "neither a scene file nor a recording"),
        (&["view", "newtons-cradle", "--port", "99999"], "port"),
        (&["view", "newtons-cradle", "--host", "elsewhere"], "--host"),
        (&["view", "newtons-cradle", "--page", "no-such-page.html"], "cannot be read"),
    ] {
        let out = view_client::taut(args);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(words) && error.contains("hint: "), "{args:?}: {error}");
    }
    let mut server = Server::start(&["newtons-cradle", "--host", "0.0.0.0"]);
    assert!(server.warning().contains("no password"));
    let used = server.address.rsplit(':').next().unwrap_or_default().to_string();
    let out = view_client::taut(&["view", "newtons-cradle", "--no-open", "--port", &used]);
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn what_is_driven_is_saved_as_drives() {
    let server = Server::start(&["forklift"]);
    let mut client = server.client();
    client.frame_where(|f| f.number >= 3);
    client.send(json!({"play": false}));
    client.status_where(|s| s["playing"] == false);
    client.send(json!({"seek": 2}));
    client.frame_where(|f| f.number == 2);
    // Driving from the past leaves a branch, and plays on.
    client.send(json!({"control": {"control": 0, "deflection": 1.0}}));
    let status =
        client.status_where(|s| s["branches"]["kept"].as_array().is_some_and(|b| b.len() == 1));
    assert_eq!(status["branches"]["kept"][0]["from"], 2);
    client.status_where(|s| s["playing"] == true);
    client.frame_where(|f| f.number >= 8);
    client.send(json!({"play": false}));
    client.status_where(|s| s["playing"] == false);
    let (_, _, text) = server.get("/scene.json", &[]);
    let file: serde_json::Value = serde_json::from_str(&text).expect("a scene file");
    let last = file["drives"].as_array().and_then(|d| d.last().cloned()).expect("drives");
    assert!(last["motor"]["from"].as_f64().is_some_and(|t| t > 0.0), "{last}");
    // The branch that was left comes back.
    assert_eq!(status["branches"]["current"], 2, "what is played is another run");
    client.send(json!({"branch": 1}));
    client.status_where(|s| s["branches"]["current"] == 1);
    client.frame_where(|f| f.number == 2);
}

#[test]
fn friction_and_limits_change_while_it_runs() {
    let server = Server::start(&["forklift"]);
    let mut client = server.client();
    client.frame_where(|f| f.number >= 1);
    client.send(json!({"friction": {"material": "crate", "friction": 0.05}}));
    client.status_where(|s| s["frictions"]["crate"] == 0.05 && s["frictions"]["fork"] == 1.0);
    client.send(json!({"friction": {"material": "crate", "friction": -1}}));
    client.status_where(|s| s["notice"].as_str().is_some_and(|n| n.contains("at least 0")));
    let limits = client.scene["limits"].as_array().cloned().unwrap_or_default();
    assert!(limits.iter().any(|l| l["joint"] == "lift-piston"), "{limits:?}");
    client.send(json!({"limit": {"joint": "lift-piston", "angle": false, "range": [0.5, 0.1]}}));
    client.status_where(|s| s["notice"].as_str().is_some_and(|n| n.contains("lower one first")));
}
