#![allow(clippy::print_stdout)]
//! The published sample queries (Continuous-Collision-Detection/Sample-Queries), where a copy is at hand:
//! `TAUT_CCD_QUERIES=FOLDER cargo test --release -p taut-ccd --test sample_queries -- --ignored --nocapture`

use std::path::{Path, PathBuf};
use std::time::Instant;

use taut_ccd::{Kind, Method, Options, Query};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "csv") {
            found.push(path);
        }
    }
}

/// A quotient of two integers that may be too long for any but f64; both are exact or the quotient is.
fn quotient(p: &str, q: &str) -> f64 {
    let p: num_bigint::BigInt = p.trim().parse().expect("an integer");
    let q: num_bigint::BigInt = q.trim().parse().expect("an integer");
    num_traits::ToPrimitive::to_f64(&num_rational::BigRational::new(p, q)).expect("a number")
}

fn queries(folder: &Path) -> Vec<(Query, bool)> {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    paths.sort();
    let mut result = Vec::new();
    for path in paths {
        let kind = if path.to_string_lossy().contains("edge-edge") {
            Kind::EdgeEdge
        } else {
            Kind::VertexFace
        };
        let text = std::fs::read_to_string(&path).expect("a file");
        let rows: Vec<([f64; 3], bool)> = text
            .lines()
            .map(|line| {
                let f: Vec<&str> = line.split(',').collect();
                ([0, 1, 2].map(|k| quotient(f[2 * k], f[2 * k + 1])), f[6].trim() == "1")
            })
            .collect();
        for q in rows.chunks_exact(8) {
            let query = Query {
                kind,
                start: [0, 1, 2, 3].map(|i| q[i].0),
                end: [4, 5, 6, 7].map(|i| q[i].0),
            };
            result.push((query, q[0].1));
        }
    }
    result
}

#[test]
#[ignore = "needs the published queries"]
fn none_is_missed() {
    let Ok(folder) = std::env::var("TAUT_CCD_QUERIES") else { panic!("set TAUT_CCD_QUERIES") };
    let queries = queries(Path::new(&folder));
    let options = Options::default();
    println!("{} queries", queries.len());
    for method in Method::ALL {
        let (mut missed, mut extra, mut open) = (0, 0, 0);
        let mut times = Vec::new();
        for (query, truth) in &queries {
            let mut best = f64::INFINITY;
            let mut hit = None;
            for _ in 0..5 {
                let start = Instant::now();
                hit = method.first_contact(query, &options).expect("finite");
                best = best.min(start.elapsed().as_secs_f64());
            }
            times.push(best);
            missed += usize::from(*truth && hit.is_none());
            extra += usize::from(!*truth && hit.is_some());
            open += usize::from(hit.is_some_and(|i| !i.settled));
        }
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        times.sort_by(f64::total_cmp);
        println!(
            "{:16} missed {missed} false {extra} unsettled {open} mean {:.3} us, worst {:.1} us",
            method.name(),
            1e6 * mean,
            1e6 * times[times.len() - 1]
        );
        match method {
            Method::TightInclusion => assert!(missed == 0 && extra <= 471),
            Method::Additive => assert!(missed == 0 && extra <= 573),
            _ => {}
        }
    }
}
