//! Queries meant to break things: errors or answers, never a panic, never a miss.

use taut_ccd::{Error, Kind, Method, Options, Query};

fn falls() -> Query {
    let face = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    Query::vertex_face([[0.25, 0.25, 1.0], [0.25, 0.25, -1.0]], [face, face])
}

#[test]
fn coordinates_that_are_no_numbers_are_errors() {
    for method in Method::ALL {
        for value in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e75, f64::MAX] {
            for vertex in 0..4 {
                let mut query = falls();
                query.end[vertex][2] = value;
                let error =
                    method.first_contact(&query, &Options::default()).expect_err("not a number");
                assert!(
                    matches!(error, Error::Coordinate { vertex: v, when: "end", .. } if v == vertex),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn options_out_of_range_are_errors() {
    let o = Options::default;
    let bad = [
        Options { min_separation: -1.0, ..o() },
        Options { min_separation: f64::NAN, ..o() },
        Options { end: 1.5, ..o() },
        Options { end: f64::NAN, ..o() },
        Options { tolerance: 0.0, ..o() },
        Options { tolerance: f64::INFINITY, ..o() },
        Options { max_checks: 0, ..o() },
    ];
    for method in Method::ALL {
        for options in &bad {
            let error = method.first_contact(&falls(), options).expect_err("out of range");
            assert!(
                error.to_string().contains("must be") || error.to_string().contains("separation"),
                "{error}"
            );
        }
    }
}

#[test]
fn nothing_moves() {
    let mut query = falls();
    query.end = query.start;
    for method in Method::ALL {
        assert_eq!(method.first_contact(&query, &Options::default()), Ok(None));
    }
    // In touch at rest: contact at once.
    query.start[0][2] = 0.0;
    query.end[0][2] = 0.0;
    for method in [Method::TightInclusion, Method::Additive] {
        let impact =
            method.first_contact(&query, &Options::default()).expect("finite").expect("in touch");
        assert_eq!(impact.time, 0.0);
    }
}

#[test]
fn all_corners_in_one_point() {
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        let query = Query { kind, start: [[1.0, 2.0, 3.0]; 4], end: [[4.0, 5.0, 6.0]; 4] };
        for method in [Method::TightInclusion, Method::Additive] {
            let impact = method
                .first_contact(&query, &Options::default())
                .expect("finite")
                .expect("in touch");
            assert_eq!(impact.time, 0.0);
        }
    }
}

/// The same fall, of any size and anywhere: rounding must not hide it, nor make it late.
#[test]
fn sizes_and_places() {
    for scale in [1e-60, 1e-30, 1e-9, 1.0, 1e9, 1e30, 1e60] {
        for shift in [0.0, 1e3, 1e12] {
            let map = |x: [f64; 3]| x.map(|c| (c + shift) * scale);
            let query = Query {
                kind: Kind::VertexFace,
                start: falls().start.map(map),
                end: falls().end.map(map),
            };
            let options = Options { tolerance: 1e-6 * scale, ..Options::default() };
            for method in [Method::TightInclusion, Method::Additive, Method::Multivariate] {
                let impact =
                    method.first_contact(&query, &options).expect("finite").expect("a contact");
                let early = if shift > 1e6 { 1e-3 } else { 1e-5 };
                assert!(
                    impact.time <= 0.5 + 1e-12 && impact.time > 0.5 - early,
                    "{} {scale} {shift}: {impact:?}",
                    method.name()
                );
            }
        }
    }
}

/// Edges that overlap on a line all the time, and ones that slide along a common line.
#[test]
fn parallel_edges() {
    let a = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let over = |z: f64| [[0.25, 0.0, z], [2.0, 0.0, z]];
    let slide = |x: f64| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0]];
    for (query, time) in [
        (Query::edge_edge([a, a], [over(1.0), over(-1.0)]), 0.5),
        (Query::edge_edge([a, a], [slide(3.0), slide(-1.0)]), 0.5),
        (Query::edge_edge([a, a], [over(0.0), over(0.0)]), 0.0),
    ] {
        for method in [Method::TightInclusion, Method::Additive] {
            let impact = method
                .first_contact(&query, &Options::default())
                .expect("finite")
                .expect("a contact");
            assert!(
                impact.time <= time && impact.time >= time - 1e-5,
                "{} {impact:?}",
                method.name()
            );
            assert!(impact.settled);
        }
    }
}

#[test]
fn a_search_that_is_cut_short_says_so_and_is_not_late() {
    let options = Options { max_checks: 1, tolerance: 1e-300, ..Options::default() };
    for method in [Method::TightInclusion, Method::Additive] {
        let impact =
            method.first_contact(&falls(), &options).expect("finite").expect("not ruled out");
        assert!(!impact.settled && impact.time <= 0.5, "{} {impact:?}", method.name());
    }
}

#[test]
fn the_end_cuts_the_motion() {
    for method in Method::ALL {
        let before = Options { end: 0.499, ..Options::default() };
        assert_eq!(method.first_contact(&falls(), &before), Ok(None), "{}", method.name());
        let after = Options { end: 0.501, ..Options::default() };
        assert!(method.first_contact(&falls(), &after).expect("finite").is_some());
        assert_eq!(Method::named(method.name()), Some(method));
    }
    assert_eq!(Method::named("root_parity"), None);
}
