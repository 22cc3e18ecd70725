//! Who may ask: only pages that this server itself served.
//!
//! Any site may make a browser send requests to 127.0.0.1. Three things give
//! such requests away:
//!
//! - `Host` is the name in the address bar. A site that points its own name
//!   at 127.0.0.1 (DNS rebinding) sends that name. So only `localhost` and
//!   loopback addresses are answered; where the user opened another
//!   interface, addresses (which nobody can rebind) but no names.
//! - `Origin` is the site of the page that asks. A WebSocket is open to all
//!   sites unless the server refuses, so it must be the same as `Host`.
//!   Programs that are not browsers send none.
//! - `Sec-Fetch-Site` tells where a request without `Origin` comes from, such
//!   as an image or a download. Other sites may link to the page, but they get
//!   nothing of the run.
//!
//! The port of `Host` may be another one than ours: ssh forwards ports.

use std::net::{IpAddr, Ipv6Addr};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Whether the user opened other interfaces than loopback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Loopback,
    Network,
}

/// Answers 403 to requests that other sites' pages made.
pub async fn check(State(reach): State<Reach>, request: Request, next: Next) -> Response {
    match refusal(reach, request.uri().path(), request.headers()) {
        None => next.run(request).await,
        Some(reason) => (StatusCode::FORBIDDEN, reason).into_response(),
    }
}

/// Why a request is refused, if it is.
fn refusal(reach: Reach, path: &str, headers: &HeaderMap) -> Option<&'static str> {
    let Some(host) = single(headers, &header::HOST) else {
        return Some("exactly one Host is expected\n");
    };
    if !host_allowed(reach, host) {
        return Some("this Host is not served; use localhost or the printed address\n");
    }
    if headers.contains_key(header::ORIGIN) {
        let origin = single(headers, &header::ORIGIN);
        let site = origin.and_then(|o| o.strip_prefix("http://").or(o.strip_prefix("https://")));
        if site != Some(host) {
            return Some("pages of other sites are not served\n");
        }
    }
    let mut sites = headers.get_all("sec-fetch-site").iter();
    if path != "/" && sites.any(|s| s != "same-origin" && s != "none") {
        return Some("other sites are not served\n");
    }
    None
}

fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    if all.next().is_some() {
        return None;
    }
    first.to_str().ok()
}

fn host_allowed(reach: Reach, host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => {
            let Some((inside, port)) = rest.split_once(']') else { return false };
            let address = inside.parse::<Ipv6Addr>().map(IpAddr::V6);
            return port_is_sound(port) && address.is_ok_and(|ip| ip_allowed(reach, ip));
        }
        None => host.split_once(':').map_or(host, |(name, _)| name),
    };
    if !port_is_sound(&host[name.len()..]) {
        return false;
    }
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|ip| ip_allowed(reach, ip))
}

fn ip_allowed(reach: Reach, ip: IpAddr) -> bool {
    reach == Reach::Network || ip.is_loopback()
}

/// Nothing, or a colon and a port.
fn port_is_sound(port: &str) -> bool {
    port.is_empty() || port.strip_prefix(':').is_some_and(|p| p.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn refused(reach: Reach, pairs: &[(HeaderName, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name.clone(), value.parse().expect("a value"));
        }
        refusal(reach, "/save.html", &headers).is_some()
    }

    #[test]
    fn hosts() {
        let host = |reach, host| !refused(reach, &[(header::HOST, host)]);
        for good in ["localhost", "localhost:80", "LOCALHOST:9", "127.0.0.1:7474", "[::1]:1"] {
            assert!(host(Reach::Loopback, good) && host(Reach::Network, good), "{good}");
        }
        for bad in [
            "evil.example",
            "evil.example:7474",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:1:2",
            "[::1]evil",
            "[::1",
            "localhost@evil.example",
            "",
        ] {
            assert!(!host(Reach::Loopback, bad) && !host(Reach::Network, bad), "{bad}");
        }
        for other in ["192.168.1.5:7474", "[fe80::1]:7474"] {
            assert!(!host(Reach::Loopback, other) && host(Reach::Network, other), "{other}");
        }
        assert!(refused(Reach::Loopback, &[]));
        assert!(refused(Reach::Loopback, &[(header::HOST, "localhost"), (header::HOST, "evil")]));
    }

    #[test]
    fn sites() {
        let from = |path, site: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("localhost:7474"));
            headers.insert("sec-fetch-site", HeaderValue::from_static(site));
            refusal(Reach::Loopback, path, &headers).is_none()
        };
        for path in ["/save.html", "/figures", "/socket"] {
            assert!(from(path, "same-origin") && from(path, "none"), "{path}");
            assert!(!from(path, "cross-site") && !from(path, "same-site"), "{path}");
        }
        assert!(from("/", "cross-site"), "a link leads to the page");
    }

    #[test]
    fn origins() {
        let from = |origin| {
            let host = (header::HOST, "localhost:7474");
            !refused(Reach::Loopback, &[host, (header::ORIGIN, origin)])
        };
        assert!(from("http://localhost:7474") && from("https://localhost:7474"));
        for bad in ["http://evil.example", "null", "http://localhost:3000", "http://localhost", ""]
        {
            assert!(!from(bad), "{bad}");
        }
    }
}
