//! The page of the viewer, built into the command: one file that needs no
//! other. With a recording put into it, it replays that anywhere.

use std::borrow::Cow;

use taut_scenes::recording::{Recorder, Recording};

use crate::failure::Failure;

/// Pages are kept below this, where rounding can do it.
const MOST_BYTES: usize = 5_000_000;

/// Empty where the page was not built.
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));

/// Where the page takes a recording.
const SLOT: &str = "<!-- recording -->";

/// The page, or what to do to have it.
pub fn page() -> Result<&'static str, Failure> {
    if PAGE.is_empty() {
        let hint =
            "cargo xtask viewer builds the page and taut with it; it needs Node.js 20 or newer";
        return Err(Failure::new("this taut was built without the viewer's page", hint));
    }
    Ok(PAGE)
}

/// What the page may do, as it says itself: run the script and style it came with, by their
/// hashes, and talk to its server. A page that says nothing may do nothing.
pub fn policy(page: &str) -> &str {
    let (start, end) = ("<meta http-equiv=\"Content-Security-Policy\" content=\"", '"');
    let said = page.split_once(start).and_then(|(_, rest)| rest.split_once(end));
    said.map_or("default-src 'none'", |(policy, _)| policy)
}

/// The page with a recording in it, which needs no server. Where that would be large, poses are
/// rounded: to 0.06 mm and 0.1 mrad, or twice, four, eight times as much.
pub fn replay(page: &str, recording: &[u8]) -> String {
    let room = MOST_BYTES.saturating_sub(page.len()) / 4 * 3;
    let mut held = Cow::Borrowed(recording);
    for steps in [8, 16, 32, 64] {
        if held.len() > room
            && let Some(smaller) = coarser(recording, steps)
        {
            held = Cow::Owned(smaller);
        }
    }
    let data = base64(&held);
    let script = format!("<script id=\"recording\" type=\"text/plain\">{data}</script>");
    page.replacen(SLOT, &script, 1).replacen("connect-src 'self'", "connect-src 'none'", 1)
}

/// A recording with its poses rounded, to be watched.
fn coarser(recording: &[u8], steps: u16) -> Option<Vec<u8>> {
    let Recording { header, frames, .. } = Recording::from_bytes(recording).ok()?;
    let mut recorder = Recorder::new(Vec::new(), &header).ok()?;
    for mut frame in frames {
        frame.coarsen(steps);
        recorder.push(frame).ok()?;
    }
    recorder.finish().ok()
}

/// RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_the_standard() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn the_page_says_what_it_may_do() {
        let page = "<head><!-- recording --><meta http-equiv=\"Content-Security-Policy\" \
                    content=\"default-src 'none'; connect-src 'self'\" /></head>";
        assert_eq!(policy(page), "default-src 'none'; connect-src 'self'");
        assert_eq!(policy(&replay(page, b"foo")), "default-src 'none'; connect-src 'none'");
        assert_eq!(policy("<head></head>"), "default-src 'none'");
    }

    #[test]
    fn rounded_recordings_are_smaller_and_nearly_the_same() {
        let file = taut_scenes::builtin::find("loaded-chain").expect("a scene").file(Some(30));
        let mut scene = file.build().expect("valid");
        let (header, _) = taut_scenes::recording::Header::new(&file, &scene);
        let mut recorder = Recorder::new(Vec::new(), &header).expect("in memory");
        for _ in 0..60 {
            let _ = scene.step().expect("a step");
            recorder.frame(&scene, None).expect("in memory");
        }
        let whole = recorder.finish().expect("in memory");
        let small = coarser(&whole, 16).expect("a recording");
        let [a, b] = [&whole, &small].map(|r| Recording::from_bytes(r).expect("readable").frames);
        assert!(5 * small.len() < 4 * whole.len(), "{} of {}", small.len(), whole.len());
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(&b).flat_map(|(a, b)| a.poses.iter().zip(&b.poses)) {
            assert!(a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1.3e-4), "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_recording_goes_into_its_slot() {
        let page = replay("<head><!-- recording --></head>", b"foo");
        assert!(page.contains("type=\"text/plain\">Zm9v</script></head>"), "{page}");
    }
}
