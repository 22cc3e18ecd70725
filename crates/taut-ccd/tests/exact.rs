//! Every method against exact rational arithmetic: contacts constructed at known dyadic times, and
//! queries in general position.

mod common;

use common::{Exact, Exact3, Random, Truth, difference, exact, float, floats, ratio, truth};
use num_traits::{One, ToPrimitive, Zero};
use taut_ccd::{Kind, Method, Options, Query};

const SAFE: [Method; 2] = [Method::TightInclusion, Method::Additive];

/// How a constructed contact is degenerate.
const KINDS: [&str; 8] = [
    "general",
    "rim",
    "corner",
    "flat motion",
    "collapsed",
    "touches at the end",
    "at the start",
    "grazing",
];

/// A query whose features meet at (t, u, v) exactly, all coordinates exact in f64.
fn constructed(random: &mut Random, kind: Kind, how: &str) -> (Query, Exact, Exact, Exact) {
    let flat = |mut p: Exact3| {
        if how == "flat motion" {
            p[2] = Exact::zero();
        }
        p
    };
    let mut corners = |n: usize| (0..n).map(|_| flat(random.point())).collect::<Vec<_>>();
    let (mut start, mut end) = (corners(4), corners(4));
    if how == "collapsed" {
        // A triangle without area, an edge without length.
        let (i, j) = if kind == Kind::VertexFace { (2, 3) } else { (0, 1) };
        start[j] = start[i].clone();
        end[j] = end[i].clone();
    }
    let sixteenth = |k: u64| ratio(k as i64, 16);
    let t = match how {
        "touches at the end" => Exact::one(),
        "at the start" => Exact::zero(),
        _ => sixteenth(1 + random.below(15)),
    };
    let (mut u, mut v) = (sixteenth(random.below(9)), sixteenth(random.below(9)));
    if how == "rim" {
        v = if kind == Kind::VertexFace && random.below(2) == 0 {
            Exact::one() - &u
        } else {
            Exact::zero()
        };
    } else if how == "corner" {
        (u, v) = (Exact::one(), Exact::zero());
    }
    // Moves the first feature as a whole, at both times, so that the difference vanishes at t.
    let as_query = |start: &[Exact3], end: &[Exact3]| Query {
        kind,
        start: [0, 1, 2, 3].map(|i| floats(&start[i])),
        end: [0, 1, 2, 3].map(|i| floats(&end[i])),
    };
    let movers = if kind == Kind::VertexFace { 1 } else { 2 };
    if how == "grazing" {
        // The second feature stays in z = 0, the first one slides in it: contact all the way, or none.
        for p in start.iter_mut().chain(&mut end).skip(movers) {
            p[2] = Exact::zero();
        }
        for i in 0..movers {
            end[i][2] = start[i][2].clone();
        }
        for p in &mut end[movers..] {
            p[2] = Exact::zero();
        }
    }
    let off = difference(&as_query(&start, &end), &t, &u, &v);
    for i in 0..movers {
        for k in 0..3 {
            start[i][k] = &start[i][k] - &off[k];
            end[i][k] = &end[i][k] - &off[k];
        }
    }
    let query = as_query(&start, &end);
    assert!(difference(&query, &t, &u, &v).iter().all(Zero::is_zero));
    (query, t, u, v)
}

fn check_constructed(count: usize, seed: u64) {
    let options = Options::default();
    let mut random = Random(seed);
    for i in 0..count {
        let kind = if i % 2 == 0 { Kind::VertexFace } else { Kind::EdgeEdge };
        let how = KINDS[(i / 2) % KINDS.len()];
        let (query, t, ..) = constructed(&mut random, kind, how);
        for method in SAFE {
            let found = method.first_contact(&query, &options).expect("finite");
            let Some(impact) = found else {
                panic!("{} missed a contact at {t}, {how}: {query:?}", method.name())
            };
            assert!(
                impact.time <= float(&t),
                "{}: {} is later than {t}, {how}: {query:?}",
                method.name(),
                impact.time
            );
            assert!(impact.settled, "{} did not settle, {how}: {query:?}", method.name());
        }
    }
}

#[test]
fn constructed_contacts_are_found_in_time() {
    check_constructed(3_200, 1);
}

#[test]
#[ignore = "a study: half a minute"]
fn constructed_contacts_are_found_in_time_100_000() {
    check_constructed(100_000, 2);
}

/// Random motions: what is found, missed, late, and how early, by the exact cubic.
fn check_general(count: usize, seed: u64) {
    let options = Options::default();
    let mut random = Random(seed);
    let mut contacts = 0;
    let mut false_contacts = [0; 2];
    for i in 0..count {
        let kind = if i % 2 == 0 { Kind::VertexFace } else { Kind::EdgeEdge };
        let mut corners = || [0, 1, 2, 3].map(|_| floats(&random.point()));
        let query = Query { kind, start: corners(), end: corners() };
        let exact_answer = truth(&query);
        contacts += usize::from(matches!(exact_answer, Truth::Contact(..)));
        for (m, method) in SAFE.into_iter().enumerate() {
            let found = method.first_contact(&query, &options).expect("finite");
            match (&exact_answer, found) {
                (Truth::Contact(_, hi), Some(impact)) => {
                    assert!(exact(impact.time) <= *hi, "{}: late: {query:?}", method.name());
                }
                (Truth::Contact(lo, _), None) => {
                    panic!("{} missed a contact at {:?}: {query:?}", method.name(), lo.to_f64())
                }
                (Truth::Free, Some(_)) => false_contacts[m] += 1,
                _ => {}
            }
        }
        if let Truth::Contact(lo, _) = &exact_answer {
            let impact = Method::Multivariate
                .first_contact(&query, &options)
                .expect("finite")
                .expect("a contact");
            let time = lo.to_f64().expect("a number");
            assert!((impact.time - time).abs() < 1e-4, "{} {time}: {query:?}", impact.time);
        }
    }
    assert!(contacts > count / 20, "{contacts} contacts");
    assert!(false_contacts.iter().all(|&n| n <= count / 500), "{false_contacts:?}");
}

#[test]
fn motions_in_general_position() {
    check_general(200, 3);
}

#[test]
#[ignore = "a study: two minutes"]
fn motions_in_general_position_20_000() {
    check_general(20_000, 4);
}

/// Translations along one axis: the distance to a face is known exactly, so the time is.
#[test]
fn separation_is_kept() {
    let mut random = Random(5);
    for i in 0..2_000 {
        let shift = random.point();
        let axis = (i % 3) as usize;
        let place = |x: [Exact; 3]| floats(&[0, 1, 2].map(|k| &x[(k + axis) % 3] + &shift[k]));
        let flat = |p: i64, q: i64, z: Exact| [ratio(p, 1), ratio(q, 1), z];
        let separation = ratio(1 + random.below(63) as i64, 64);
        // From height 2 to height -2, by 4 in all.
        let t = (ratio(2, 1) - &separation) / ratio(4, 1);
        let at = |z: i64| place([ratio(1, 4), ratio(1, 4), ratio(z, 1)]);
        let query = if i % 2 == 0 {
            let face = [(0, 0), (1, 0), (0, 1)].map(|(p, q)| place(flat(p, q, Exact::zero())));
            Query::vertex_face([at(2), at(-2)], [face, face])
        } else {
            let low = [(-3, 0), (3, 0)].map(|(p, q)| place(flat(p, q, Exact::zero())));
            let high = |z: i64| [(0, -3), (0, 3)].map(|(p, q)| place(flat(p, q, ratio(z, 1))));
            Query::edge_edge([high(2), high(-2)], [low, low])
        };
        let options = Options { min_separation: float(&separation), ..Options::default() };
        for method in SAFE {
            let impact =
                method.first_contact(&query, &options).expect("finite").expect("a contact");
            let late = impact.time - float(&t);
            assert!((-1e-6..=0.0).contains(&late), "{}: {late:e}", method.name());
        }
        for method in [Method::Cubic, Method::Multivariate] {
            assert!(method.first_contact(&query, &options).is_err());
        }
    }
}

#[test]
fn cubic_misses_what_moves_within_a_plane() {
    // A vertex runs into the side of a triangle, all in z = 0.
    let face = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let query = Query::vertex_face([[-1.0, 0.25, 0.0], [1.0, 0.25, 0.0]], [face, face]);
    let times: Vec<Option<f64>> = Method::ALL
        .into_iter()
        .map(|m| m.first_contact(&query, &Options::default()).expect("finite").map(|i| i.time))
        .collect();
    assert_eq!(times[0], None);
    for time in &times[1..] {
        let time = time.expect("a contact");
        assert!(time <= 0.5 && time > 0.499_99, "{time}");
    }
}
