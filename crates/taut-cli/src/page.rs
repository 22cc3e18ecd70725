//! The page of the viewer, built into the command: one file that needs no
//! other. With a recording put into it, it replays that anywhere.

pub use taut_live::replay;

/// The page, as `cargo xtask viewer` built it. It is committed, so that neither a clone nor a package needs
/// Node.js; a test of `xtask` finds out a page that is older than its sources.
pub const PAGE: &str = include_str!("../page/index.html");

/// What the page may do, as it says itself: run the script and style it came with, by their
/// hashes, and talk to its server. A page that says nothing may do nothing.
#[cfg(any(feature = "view", test))]
pub fn policy(page: &str) -> &str {
    let (start, end) = ("<meta http-equiv=\"Content-Security-Policy\" content=\"", '"');
    let said = page.split_once(start).and_then(|(_, rest)| rest.split_once(end));
    said.map_or("default-src 'none'", |(policy, _)| policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_what_it_may_do() {
        let page = "<head><!-- recording --><meta http-equiv=\"Content-Security-Policy\" \
                    content=\"default-src 'none'; connect-src 'self'\" /></head>";
        assert_eq!(policy(page), "default-src 'none'; connect-src 'self'");
        assert_eq!(policy(&replay(page, b"foo")), "default-src 'none'; connect-src 'none'");
        assert_eq!(policy("<head></head>"), "default-src 'none'");
    }
}
