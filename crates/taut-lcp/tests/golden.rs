//! What every method does on a set of generated problems: how it ends, after how
//! many iterations, factorizations and pivots, and with which answer. A change of
//! the code that is not meant to change a method leaves `golden/counts.txt` as it
//! is.
//!
//! A change that is meant to: look at the lines that fail, then write the file
//! anew and commit it with the change:
//!
//!     cargo xtask golden
//!
//! The counts of exact methods must be those of the file; those of the others,
//! which depend on the last bits of a tolerance, may differ by one in fifty.
//! Answers are compared by two figures that are unique even where λ is not: the
//! energy ½λᵀAλ + bᵀλ and the sum of |w|. The last lines are sums over many
//! problems, with the number of those solved in place of the status: there all
//! rungs of the exact method have their turn. With `--nocapture` the test also prints
//! a hash of all bits of all answers, to compare two builds on one machine.

#![allow(clippy::print_stdout, reason = "the hash is for people")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use taut_lcp::generate::{
    BoxedKind, MultibodyOptions, WallOptions, contact, fluid, multibody, random_boxed, random_psd,
    wall,
};
use taut_lcp::pivoting::bpp;
use taut_lcp::{Backend, Iterate, Judge, Problem, SolverConfig, Status, Stop, registry, solver};

/// Energies and sums of |w| agree to this part, or to this.
const SAME: f64 = 1e-5;
/// Problems that are summed over.
const MANY: u64 = 60;

/// One line of the file.
#[derive(Debug, PartialEq)]
struct Line {
    /// Problem, method, start.
    key: String,
    status: String,
    /// Iterations, factorizations, pivots.
    counts: [usize; 3],
    /// Energy, sum of |w|; of answers alone.
    figures: Option<[f64; 2]>,
}

impl Line {
    fn text(&self) -> String {
        let Line { key, status, counts: [i, f, p], figures } = self;
        let round = |x: f64| if x.abs() < SAME { "0".into() } else { format!("{x:.7e}") };
        let figures = figures.map_or("- -".into(), |f| f.map(round).join(" "));
        format!("{key} {status} {i} {f} {p} {figures}")
    }

    fn read(text: &str) -> Option<Line> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [problem, method, start, status, i, f, p, e, w] = words[..] else { return None };
        let counts = [i.parse().ok()?, f.parse().ok()?, p.parse().ok()?];
        let figures = e.parse().ok().zip(w.parse().ok()).map(|(e, w)| [e, w]);
        let key = format!("{problem} {method} {start}");
        Some(Line { key, status: status.into(), counts, figures })
    }

    fn agrees(&self, golden: &Line, exact: bool) -> bool {
        let close = |a: f64, b: f64| (a - b).abs() <= SAME * a.abs().max(b.abs()).max(1.0);
        let slack = |n: usize| if exact { 0 } else { 1 + n / 50 };
        let counts = self.counts.iter().zip(&golden.counts);
        let figures = match (self.figures, golden.figures) {
            (Some(a), Some(b)) => close(a[0], b[0]) && close(a[1], b[1]),
            (a, b) => a == b,
        };
        self.status == golden.status
            && figures
            && counts.into_iter().all(|(a, b)| a.abs_diff(*b) <= slack(*b))
    }
}

/// The problems, by name.
fn problems() -> Vec<(&'static str, Problem)> {
    let bodies = |links, pile, mass_ratio, compliance| {
        let options = MultibodyOptions { links, pile, mass_ratio, compliance };
        multibody(&options, 7).expect("valid")
    };
    vec![
        ("definite", random_boxed(9, BoxedKind::Definite, 3).expect("valid")),
        ("infeasible", random_boxed(8, BoxedKind::Infeasible, 5).expect("valid")),
        ("semidefinite", random_psd(40, 0.3, 2).expect("valid")),
        ("fluid", fluid(5, 1).expect("valid")),
        ("contact", contact(3, 4).expect("valid")),
        ("chain", bodies(30, 0, 1e4, 1e-9)),
        ("pile", bodies(0, 30, 1e1, 1e-9)),
        ("stiff", bodies(20, 12, 1e6, 1e-12)),
        ("rigid", bodies(8, 8, 1e2, 0.0)),
        ("heap", bodies(0, 90, 1e1, 1e-8)),
        ("wall", wall(&WallOptions { associated: true, ..Default::default() }).expect("valid")),
    ]
}

/// All methods of the registry, and the forms of the linear algebra below `bpp`.
fn methods() -> Vec<(String, bool, SolverConfig)> {
    let named = registry::ENTRIES.iter().map(|e| {
        (e.name.to_string(), e.exact, SolverConfig::named(e.name).expect("of the registry"))
    });
    let backends = [Backend::Dense, Backend::Dual, Backend::Primal, Backend::Skyline].map(|b| {
        let settings = bpp::Settings { backend: Some(b), ..Default::default() };
        (format!("bpp/{b:?}").to_lowercase(), true, SolverConfig::Bpp(settings))
    });
    named.chain(backends).collect()
}

/// Solves cold, then warm with all of b a little larger; nothing where the method
/// refuses.
fn measure(
    name: &str,
    method: &str,
    config: &SolverConfig,
    problem: &Problem,
    bits: &mut u64,
) -> Vec<Line> {
    let mut solver = config.build().expect("valid settings");
    if solver.accepts(problem).is_err() || is_left_out(name, method) {
        return Vec::new();
    }
    let (mut iterate, mut judge) = (Iterate::default(), Judge::default());
    let mut next = problem.clone();
    next.b.iter_mut().enumerate().for_each(|(i, b)| *b *= 1.0 + 0.02 * (i % 3) as f64);
    let solves = [("cold", problem), ("warm", &next)].map(|(start, problem)| {
        let stop = Stop::default();
        let report =
            solver::solve(solver.as_mut(), problem, &stop, &mut iterate, &mut judge, &mut ());
        let report = report.expect("accepted");
        let all = iterate.lambda.iter().chain(&iterate.w);
        all.for_each(|x| {
            *bits = (*bits ^ x.to_bits()).wrapping_mul(0x0100_0000_01b3).rotate_left(17)
        });
        let c = report.counts;
        Line {
            key: format!("{name} {method} {start}"),
            status: format!("{:?}", report.status),
            counts: [c.iterations, c.factorizations, c.pivots],
            figures: (report.status == Status::Converged).then(|| figures(problem, &iterate)),
        }
    });
    solves.into()
}

/// What would take seconds, or is not what a method is for, and is tested elsewhere.
fn is_left_out(name: &str, method: &str) -> bool {
    let is_for_cones = |e: &registry::Entry| e.name == method && e.module.starts_with("::cones");
    if registry::ENTRIES.iter().any(is_for_cones) {
        return name != "wall" || method != "cone_ipm";
    }
    let first_order = ["jacobi", "pgs", "psor", "pgcg", "fbic"].contains(&method);
    first_order && ["chain", "stiff", "rigid", "heap"].contains(&name)
}

fn figures(problem: &Problem, iterate: &Iterate) -> [f64; 2] {
    let rows = iterate.lambda.iter().zip(&iterate.w).zip(&problem.b);
    let energy: f64 = rows.map(|((l, w), b)| 0.5 * l * (w + b)).sum();
    [energy, iterate.w.iter().map(|w| w.abs()).sum()]
}

/// The sums over many problems that are hard to pivot through.
fn measure_many(bits: &mut u64) -> Vec<Line> {
    type Make = fn(u64) -> Problem;
    let groups: [(&str, Make); 4] = [
        ("wanderers", |seed| {
            let options = MultibodyOptions { links: 20, pile: 8, ..Default::default() };
            multibody(&options, seed).expect("valid")
        }),
        ("redundant", |seed| {
            let options = MultibodyOptions { links: 0, pile: 25, mass_ratio: 1e3, compliance: 0.0 };
            multibody(&options, seed).expect("valid")
        }),
        ("singular", |seed| random_boxed(12, BoxedKind::Semidefinite, seed).expect("valid")),
        ("unsolvable", |seed| random_boxed(12, BoxedKind::Infeasible, seed).expect("valid")),
    ];
    let chosen =
        ["auto", "ipm", "murty", "dantzig", "pgs_sm", "bpp/dual", "bpp/primal", "bpp/skyline"];
    let mut lines = Vec::new();
    for (name, make) in groups {
        for (method, _, config) in methods().iter().filter(|m| chosen.contains(&m.0.as_str())) {
            let all: Vec<Line> = (0..MANY)
                .flat_map(|seed| measure(name, method, config, &make(seed), bits))
                .collect();
            let solved = all.iter().filter(|l| l.figures.is_some()).count();
            let sum = |k: usize| all.iter().map(|l| l.counts[k]).sum();
            lines.extend((!all.is_empty()).then(|| Line {
                key: format!("{name} {method} both"),
                status: format!("{solved}of{}", all.len()),
                counts: [sum(0), sum(1), sum(2)],
                figures: None,
            }));
        }
    }
    lines
}

#[test]
fn methods_do_what_they_did() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/counts.txt");
    let (mut lines, mut bits) = (Vec::new(), 0);
    for (name, problem) in problems() {
        for (method, exact, config) in methods() {
            let measured = measure(name, &method, &config, &problem, &mut bits);
            lines.extend(measured.into_iter().map(|line| (exact, line)));
        }
    }
    lines.extend(measure_many(&mut bits).into_iter().map(|line| (false, line)));
    println!("bits of all answers: {bits:016x}");
    if std::env::var_os("TAUT_WRITE_GOLDEN").is_some() {
        let mut text = String::from(
            "# problem method start status iterations factorizations pivots energy sum|w|\n",
        );
        lines.iter().for_each(|(_, line)| writeln!(text, "{}", line.text()).expect("memory"));
        fs::write(&path, text).expect("writable");
    }
    let text = fs::read_to_string(&path).expect("tests/golden/counts.txt");
    let golden: Vec<Line> = text.lines().filter_map(Line::read).collect();
    let mut differences = String::new();
    for (exact, line) in &lines {
        let known = golden.iter().find(|g| g.key == line.key);
        if !known.is_some_and(|g| line.agrees(g, *exact)) {
            let known = known.map_or("nothing".into(), Line::text);
            writeln!(differences, "was {known}\nis  {}", line.text()).expect("memory");
        }
    }
    let gone = golden.iter().filter(|g| lines.iter().all(|(_, line)| line.key != g.key));
    gone.for_each(|g| writeln!(differences, "gone {}", g.text()).expect("memory"));
    assert!(differences.is_empty(), "\n{differences}see tests/golden.rs for what to do");
}
