//! A page with a recording in it, which replays it anywhere.

use std::borrow::Cow;

use taut_scenes::recording::{Recorder, Recording};

/// Pages are kept below this, where rounding can do it.
const MOST_BYTES: usize = 5_000_000;

/// Where the page takes a recording.
const SLOT: &str = "<!-- recording -->";

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
