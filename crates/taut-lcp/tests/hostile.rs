//! What nobody should pass to a solver, passed to every solver: each refuses with a reason or ends, says
//! converged only of what a fresh judge calls so, leaves finite impulses, and never panics.

mod common;

use common::{INF, run};
use taut_lcp::generate::Rng;
use taut_lcp::polyhedral::Polyhedral;
use taut_lcp::registry::ENTRIES;
use taut_lcp::{
    Dense, Error, General, Judge, Law, Multibody, Operator, Problem, RowState, Session, Sparse,
    Status, Stop,
};

fn dense(a: &[f64], b: &[f64], lo: &[f64], hi: &[f64]) -> Problem {
    let a = Operator::Dense(Dense::from_rows(b.len(), a.to_vec()).expect("square"));
    Problem::boxed(a, b.to_vec(), lo, hi).expect("valid")
}

fn contacts(a: &[f64], b: &[f64]) -> Problem {
    dense(a, b, &vec![0.0; b.len()], &vec![INF; b.len()])
}

fn cones(a: &[f64], b: &[f64], mu: f64) -> Problem {
    let a = Operator::Dense(Dense::from_rows(b.len(), a.to_vec()).expect("square"));
    let laws = vec![Law::Cone { mu: [mu; 2], associated: false }; b.len() / 3];
    Problem::new(a, b.to_vec(), laws).expect("valid")
}

fn ones(n: usize, value: f64) -> Vec<f64> {
    vec![value; n * n]
}

fn identity(n: usize, value: f64) -> Vec<f64> {
    (0..n * n).map(|k| if k % (n + 1) == 0 { value } else { 0.0 }).collect()
}

/// Rows of a body of 1 kg that two rows push at the same place, among them one of another unit.
fn bodies(weights: &[f64], b: &[f64]) -> Problem {
    let mut a = Multibody::default();
    let unit = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    let body = a.push_body(unit).expect("definite");
    for w in weights {
        a.push_row(&[(body, [0.0, 0.0, *w, 0.0, 0.0, 0.0])], 0.0).expect("in order");
    }
    let laws = vec![Law::Box { lo: 0.0, hi: INF }; weights.len()];
    Problem::new(Operator::Multibody(a), b.to_vec(), laws).expect("valid")
}

fn all() -> Vec<(&'static str, Problem)> {
    let big = [2e12, 1e12, 1e12, 2e12];
    let mixed = [1e12, 0.0, 0.0, 1e-12];
    let mut sparse = vec![(0, 0, 1.0), (2, 2, 1.0), (2, 0, -1.0)];
    sparse.push((1, 1, 0.0));
    let sparse = Operator::Sparse(Sparse::from_lower_triplets(3, &sparse).expect("in range"));
    let general = General::from_triplets(2, &[(0, 1, 1.0), (1, 0, -1.0)]).expect("in range");
    let sticky = cones(&identity(3, 1.0), &[-1.0, 0.2, 0.1], 0.5);
    let polyhedral = Polyhedral::new(&sticky, 3).expect("valid").problem().clone();
    vec![
        ("nothing", contacts(&[], &[])),
        ("a zero row that pulls", contacts(&[0.0], &[-1.0])),
        ("a zero row that opens", contacts(&[0.0], &[1.0])),
        ("a zero row at rest", contacts(&[0.0], &[0.0])),
        ("a zero joint", dense(&[0.0], &[1.0], &[-INF], &[INF])),
        ("b of zeros", contacts(&identity(4, 1.0), &[0.0; 4])),
        ("large units", contacts(&big, &[-3e12, 1e12])),
        ("small units", contacts(&big.map(|a| 1e-24 * a), &[-3e-12, 1e-12])),
        ("mixed units", contacts(&mixed, &[-1e12, -1e-12])),
        ("large b", contacts(&identity(2, 1.0), &[-1e300, 1e-300])),
        ("overflow", contacts(&identity(2, 1e-300), &[-1e300, 1.0])),
        ("denormals", contacts(&identity(2, 1e-310), &[-1e-310, 1e-310])),
        ("one row four times", contacts(&ones(4, 1.0), &[-1.0; 4])),
        ("one row four times, at odds", contacts(&ones(4, 1.0), &[-1.0, -2.0, 1.0, -3.0])),
        ("joints at odds", dense(&ones(2, 1.0), &[1.0, 2.0], &[-INF; 2], &[INF; 2])),
        ("joints that agree", dense(&ones(2, 1.0), &[1.0, 1.0], &[-INF; 2], &[INF; 2])),
        ("fixed rows", dense(&identity(2, 1.0), &[1.0, -1.0], &[0.3; 2], &[0.3; 2])),
        ("wide bounds", dense(&identity(2, 1.0), &[1.0, -1.0], &[-1e308; 2], &[1e308; 2])),
        ("bounds far off", dense(&identity(2, 1.0), &[1.0, -1.0], &[1e15; 2], &[2e15; 2])),
        ("a turn", contacts(&[0.0, 1.0, -1.0, 0.0], &[-1.0, 1.0])),
        ("a turn without an answer", contacts(&[0.0, -1.0, 1.0, 0.0], &[-1.0, -1.0])),
        ("negative", contacts(&[-1.0, 0.0, 0.0, -1.0], &[-1.0, 1.0])),
        ("indefinite", contacts(&[1.0, 3.0, 3.0, 1.0], &[-1.0, -1.0])),
        (
            "sparse with an empty row",
            Problem {
                operator: sparse,
                b: vec![-1.0, 1.0, 0.5],
                laws: vec![Law::Box { lo: 0.0, hi: INF }; 3],
            },
        ),
        (
            "general without a diagonal",
            Problem {
                operator: Operator::General(general),
                b: vec![-1.0, 1.0],
                laws: vec![Law::Box { lo: 0.0, hi: INF }; 2],
            },
        ),
        ("rows of a body", bodies(&[1.0, 1.0, 1e6, 1e-6], &[-1.0, -0.9, -1.0, -1.0])),
        ("a row of no body", bodies(&[0.0, 1.0], &[-1.0, -1.0])),
        ("a cone without friction", cones(&identity(3, 1.0), &[-1.0, 1.0, 1.0], 0.0)),
        ("a cone that sticks", sticky),
        ("a steep cone", cones(&identity(3, 1.0), &[-1.0, 1.0, 1.0], 1e3)),
        ("one cone twice", {
            let entry = |k: usize| f64::from(u8::from(k / 6 % 3 == k % 6 % 3));
            let a: Vec<f64> = (0..36).map(entry).collect();
            cones(&a, &[-1.0, 0.7, 0.1, -1.0, 0.7, 0.1], 0.5)
        }),
        ("a cone of large units", cones(&identity(3, 1e12), &[-1e12, 1e12, 0.0], 0.5)),
        ("a cone of zeros", cones(&identity(3, 0.0), &[-1.0, 1.0, 0.0], 0.5)),
        ("a polyhedron", polyhedral),
    ]
}

#[test]
fn every_method_ends_and_says_so() {
    let mut wrong = Vec::new();
    for (class, problem) in all() {
        for entry in ENTRIES {
            let what = format!("{} on {class}", entry.name);
            let stop = Stop { tolerance: 1e-8, max_iterations: Some(1000) };
            let end = std::panic::catch_unwind(|| run(entry.name, &problem, &stop));
            let (report, answer) = match end {
                Ok(Ok(end)) => end,
                Ok(Err(Error::Refused { reason, .. })) if !reason.is_empty() => continue,
                Ok(Err(e)) => {
                    wrong.push(format!("{what}: {e}"));
                    continue;
                }
                Err(_) => {
                    wrong.push(format!("{what} panics"));
                    continue;
                }
            };
            let fine = Judge::default().verdict(&problem, &answer.lambda).converged(1e-8);
            if fine != (report.status == Status::Converged) {
                wrong.push(format!("{what}: {:?}, but the judge says {fine}", report.status));
            }
            let finite = answer.lambda.iter().all(|l| l.is_finite());
            if !finite && report.status != Status::NonFinite {
                wrong.push(format!("{what}: {:?} {:?}", report.status, answer.lambda));
            }
            let solvable = ["b of zeros", "large units", "small units", "one row four times"];
            let solvable = solvable.contains(&class) || class == "joints that agree";
            if entry.exact && solvable && !fine {
                wrong.push(format!("{what}: {:?}", report.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

/// `auto` solves what has an answer, and proves that there is none where that can be proven.
#[test]
fn auto_tells_what_can_be_told() {
    let mut wrong = Vec::new();
    for (class, problem) in all() {
        let mut session = Session::named("auto").expect("known").tolerance(1e-8);
        let status = session.solve(&problem).expect("accepted").status();
        let expected: &[Status] = match class {
            "a zero row that pulls" | "a zero joint" | "joints at odds" => &[Status::Infeasible],
            "a turn without an answer" => &[Status::Infeasible],
            "a row of no body" | "sparse with an empty row" => &[Status::Infeasible],
            // Without an answer that doubles can hold, or a proof.
            "overflow" | "negative" | "indefinite" | "a cone of zeros" => continue,
            "one row four times, at odds" | "denormals" | "large b" => continue,
            _ => &[Status::Converged],
        };
        if !expected.contains(&status) {
            wrong.push(format!("{class}: {status:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Mistakes are told before anything is solved, with their row.
#[test]
fn mistakes_name_their_row() {
    let a = || Operator::Dense(Dense::from_rows(3, identity(3, 1.0)).expect("square"));
    let nan = f64::NAN;
    let told = |r: Result<Problem, Error>, words: &str| {
        let message = r.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(message.contains(words), "{message:?} lacks {words:?}");
    };
    told(Problem::boxed(a(), vec![0.0, nan, 0.0], &[0.0; 3], &[INF; 3]), "1");
    told(Problem::boxed(a(), vec![0.0, 0.0, INF], &[0.0; 3], &[INF; 3]), "2");
    told(Problem::boxed(a(), vec![0.0; 3], &[0.0, 2.0, 0.0], &[1.0; 3]), "row 1");
    told(Problem::boxed(a(), vec![0.0; 3], &[0.0, 0.0, nan], &[1.0; 3]), "row 2");
    told(Problem::boxed(a(), vec![0.0; 3], &[INF, 0.0, 0.0], &[INF; 3]), "row 0");
    told(Problem::boxed(a(), vec![0.0; 2], &[0.0; 3], &[INF; 3]), "3");
    let cone = |mu| vec![Law::Cone { mu: [mu; 2], associated: false }];
    told(Problem::new(a(), vec![0.0; 3], cone(nan)), "row 0");
    told(Problem::new(a(), vec![0.0; 3], cone(-1.0)), "row 0");
    let far = Law::FrictionBox { normal: 9, mu: 0.5, bound: 1.0 };
    told(Problem::new(a(), vec![0.0; 3], vec![Law::Bilateral, far, Law::Bilateral]), "row 1");
    let bad = Dense::from_rows(2, vec![1.0, nan, 0.0, 1.0]);
    let told_late =
        bad.and_then(|a| Problem::boxed(Operator::Dense(a), vec![0.0; 2], &[0.0; 2], &[1.0; 2]));
    assert!(told_late.is_err());
    assert!(Dense::from_rows(2, vec![1.0; 3]).is_err());
    for tolerance in [nan, -1.0, INF] {
        let p = contacts(&identity(1, 1.0), &[-1.0]);
        assert!(Session::named("pgs").expect("known").tolerance(tolerance).solve(&p).is_err());
    }
}

/// A definite matrix has an answer, however long: who cannot reach it says so, and claims no proof.
#[test]
fn nearly_singular_is_not_infeasible() {
    for gap in [1e-6, 1e-7, 1e-8, 1e-9, 1e-10] {
        let a = Dense::from_rows(2, vec![1.0 + gap, -1.0, -1.0, 1.0]).expect("a matrix");
        let (lo, hi) = ([0.0; 2], [f64::INFINITY; 2]);
        let problem = Problem::boxed(Operator::Dense(a), vec![-1.0; 2], &lo, &hi).expect("valid");
        for entry in ENTRIES {
            let mut session = Session::named(entry.name).expect("a name");
            if let Ok(answer) = session.solve(&problem) {
                let what = format!("{} at {gap:e}", entry.name);
                assert_ne!(answer.status(), Status::Infeasible, "{what}");
            }
        }
    }
}

/// Boxes so narrow, in the units of w, that the residual cannot tell one end from the other: λ is at the end
/// that w points to all the same, whatever the method.
#[test]
fn narrow_boxes_have_their_ends() {
    for size in [1e-8, 1e-10, 1e-12, 1e-15] {
        let a = [size, 0.3 * size, 0.3 * size, 2.0 * size];
        let problem = dense(&a, &[1.0, -1.0], &[-1.0; 2], &[1.0; 2]);
        for entry in ENTRIES {
            let Ok((report, iterate)) = run(entry.name, &problem, &Stop::default()) else {
                continue;
            };
            let what =
                format!("{} at {size:e}: {:?} {:?}", entry.name, report.status, iterate.lambda);
            assert_eq!(report.status, Status::Converged, "{what}");
            let off = (iterate.lambda[0] + 1.0).abs().max((iterate.lambda[1] - 1.0).abs());
            assert!(off < 2e-3, "{what}");
        }
    }
}

/// A is singular, and bounds of a million stop what would go to infinity: exact methods go there.
#[test]
fn far_bounds_are_reached() {
    let mut rng = Rng::new(5);
    for seed in 0..20 {
        let n = 10;
        let q: Vec<f64> = (0..4 * n).map(|_| rng.normal()).collect();
        let entry = |i: usize, j: usize| (0..4).map(|k| q[4 * i + k] * q[4 * j + k]).sum::<f64>();
        let a: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let b: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
        let problem = dense(&a, &b, &[-1e6; 10], &[1e6; 10]);
        for name in ["bpp", "ipm", "auto", "schur_bpp"] {
            let stop = Stop { tolerance: 1e-8, ..Default::default() };
            let (report, _) = run(name, &problem, &stop).expect("accepted");
            let found = (report.status, report.verdict.relative_residual);
            assert_eq!(report.status, Status::Converged, "{name}, {seed}: {found:?}");
        }
    }
}

/// Symmetric matrices that are not semidefinite: a coordination game, and Horn's copositive matrix. `auto` finds an
/// answer where there is one, claims no proof where nothing is proved, and gives its reason.
#[test]
fn auto_has_a_way_out_where_nothing_is_convex() {
    let mut game = vec![0.0; 100];
    for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
        let payoff = if i == j { 2.0 } else { 1.0 };
        game[10 * i + 5 + j] = payoff;
        game[10 * (5 + j) + i] = payoff;
    }
    let signs = "+-++- -+-++ +-+-+ ++-+- -++-+".replace(' ', "");
    let horn: Vec<f64> = signs.chars().map(|c| if c == '+' { 1.0 } else { -1.0 }).collect();
    for (what, problem, expected) in [
        ("game", contacts(&game, &[-1.0; 10]), Status::Converged),
        ("Horn", contacts(&horn, &[-1.0; 5]), Status::Converged),
        ("Horn, none", contacts(&horn, &[-1.0, 0.5, -0.3, 0.2, -1.0]), Status::Ray),
    ] {
        let (report, _) = run("auto", &problem, &Stop::default()).expect("accepted");
        assert_eq!(report.status, expected, "{what}: {}", report.choice);
        assert!(!report.choice.to_string().contains("not symmetric"), "{what}: {}", report.choice);
        let (end, iterate) = run("enumerate", &problem, &Stop::default()).expect("accepted");
        if end.status == Status::Infeasible {
            common::check_certificate(&problem, &iterate.certificate).expect("a proof");
        }
    }
    let negative = contacts(&[-1.0, 0.0, 0.0, -1.0], &[-1.0; 2]);
    let (report, _) = run("auto", &negative, &Stop::default()).expect("accepted");
    assert!(report.choice.to_string().contains("negative"), "{}", report.choice);
}

/// Definite, but singular to 2e-13: the answer is 5e12 long, and its last digit is worth 5e-4. Nobody may call that infeasible,
/// and nobody converged, whatever plain sums come to.
#[test]
fn what_is_singular_to_rounding_is_judged_beyond_rounding() {
    let e = 2.0_f64.powi(-42);
    let (a, b) = ([1.0, -1.0, -1.0, 1.0 + e], [-1.0, 0.5]);
    let lower = [(0, 0, a[0]), (1, 0, a[1]), (1, 1, a[3])];
    let entries = [(0, 0, a[0]), (0, 1, a[1]), (1, 0, a[2]), (1, 1, a[3])];
    let forms = [
        Operator::Dense(Dense::from_rows(2, a.to_vec()).expect("square")),
        Operator::Sparse(Sparse::from_lower_triplets(2, &lower).expect("in range")),
        Operator::General(General::from_triplets(2, &entries).expect("in range")),
    ];
    for operator in forms {
        let problem = Problem::boxed(operator, b.to_vec(), &[0.0; 2], &[INF; 2]).expect("valid");
        for entry in ENTRIES {
            let stop = Stop { tolerance: 1e-9, max_iterations: Some(2000) };
            let Ok((report, answer)) = run(entry.name, &problem, &stop) else { continue };
            assert_ne!(report.status, Status::Infeasible, "{}", entry.name);
            let l = &answer.lambda;
            // Both terms are exact: neighbours are subtracted, a power of two is multiplied.
            let w = [(l[0] - l[1]) + b[0], (l[1] - l[0]) + e * l[1] + b[1]];
            let exact = (0..2).map(|i| l[i].min(w[i]).abs()).fold(0.0_f64, f64::max);
            let told = report.verdict.natural_residual;
            assert!(
                (told - exact).abs() <= 1e-12 * (1.0 + exact),
                "{}: {told:e} {exact:e}",
                entry.name
            );
            assert!(
                report.status != Status::Converged || exact <= 1e-9,
                "{}: {exact:e}",
                entry.name
            );
        }
    }
}

/// Iterations are those that the report counts, of all attempts together; with none the start is judged.
#[test]
fn no_method_goes_beyond_its_limit() {
    let mut problems = all();
    problems.push(("definite", taut_lcp::generate::random_pd(12, 3).expect("valid")));
    problems.push(("semidefinite", taut_lcp::generate::random_psd(10, 0.4, 1).expect("valid")));
    problems.push(("contacts", taut_lcp::generate::contact(3, 2).expect("valid")));
    let mut wrong = Vec::new();
    for (class, problem) in problems {
        let (mut lo, mut hi) = (Vec::new(), Vec::new());
        problem.bounds(&mut lo, &mut hi);
        let start: Vec<f64> = lo.iter().zip(&hi).map(|(l, h)| 0.0_f64.clamp(*l, *h)).collect();
        for entry in ENTRIES {
            for limit in [0, 1, 2, 3, 5, 12, 40] {
                let stop = Stop { tolerance: 1e-9, max_iterations: Some(limit) };
                let Ok((report, answer)) = run(entry.name, &problem, &stop) else { continue };
                let spent = report.counts.iterations;
                let text = report.choice.to_string();
                let was_answer = text.contains("the start was the answer");
                if spent > limit || was_answer && report.status != Status::Converged {
                    wrong.push(format!("{} on {class}: {spent} of {limit}, {text}", entry.name));
                }
                if limit == 0 && !was_answer && answer.lambda != start {
                    wrong.push(format!("{} on {class}: moved", entry.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Definite, with least eigenvalues of 1e-10 and 1e-11: λ of 1e10 is known to 1e-6. Exact methods get there (1.7e-3 without twofold
/// sums), and `auto` calls it what it is, not a ray. A copositive matrix without an answer has one.
#[test]
fn exact_methods_reach_the_last_digit() {
    let near = |a: [f64; 25], e: f64, b: [f64; 5]| {
        let a: Vec<f64> = (0..25).map(|k| a[k] + if k % 6 == 0 { e } else { 0.0 }).collect();
        contacts(&a, &b)
    };
    let first = [
        9., 3., -8., 8., 6., 3., 3., -1., 1., 6., -8., -1., 9., -9., -2., 8., 1., -9., 9., 2., 6.,
        6., -2., 2., 12.,
    ];
    let second = [
        9., 2., -4., 4., 0., 2., 5., -4., 3., -6., -4., -4., 4., -4., 4., 4., 3., -4., 10., -2.,
        0., -6., 4., -2., 8.,
    ];
    let problems =
        [near(first, 1e-10, [-2., 0., -2., 0., 0.]), near(second, 1e-11, [1., 0., -2., -1., 1.])];
    for problem in &problems {
        for name in ["auto", "bpp", "ipm", "murty", "dantzig", "schur_bpp", "enumerate"] {
            let (report, _) = run(name, problem, &Stop::default()).expect("accepted");
            let (status, residual) = (report.status, report.verdict.relative_residual);
            assert!(residual <= 2e-5, "{name}: {residual:e}");
            assert!([Status::Stalled, Status::Converged].contains(&status), "{name}: {status:?}");
        }
    }
    let horn = [
        1., -1., 1., 1., -1., -1., 1., -1., 1., 1., 1., -1., 1., -1., 1., 1., 1., -1., 1., -1.,
        -1., 1., 1., -1., 1.,
    ];
    let horn = contacts(&horn, &[-1., -0.5, -1., 2., -1.]);
    let (report, _) = run("auto", &horn, &Stop::default()).expect("accepted");
    assert_eq!(report.status, Status::Ray);
}

/// Cones with answers that `cone_newton` does not find: `auto` goes on. And large coefficients, which it finds.
#[test]
fn auto_has_a_way_out_of_cones() {
    let from = |n: usize, a: &[f64], b: &[f64], mu: &[f64]| {
        let a = Operator::Dense(Dense::from_rows(n, a.to_vec()).expect("square"));
        let laws = vec![Law::cone(mu, false); n / (1 + mu.len())];
        Problem::new(a, b.to_vec(), laws).expect("valid")
    };
    let planes = [
        5., 1., -1., -2., -6., -3., 1., 6., 0., -6., -4., -2., -1., 0., 3., 3., -2., -1., -2., -6.,
        3., 9., 2., 1., -6., -4., -2., 2., 12., 6., -3., -2., -1., 1., 6., 3.,
    ];
    let elliptic = [
        1., -2., 0., -1., -2., -1., -2., 8., 2., 0., 6., -2., 0., 2., 1., -1., 1., -2., -1., 0.,
        -1., 2., 1., 3., -2., 6., 1., 1., 5., 0., -1., -2., -2., 3., 0., 5.,
    ];
    let problems = [
        from(6, &planes, &[-19., -27., 3., 32., 34., 16.], &[1.0]),
        from(6, &elliptic, &[-3., 9., 2., 1., 8., 0.], &[0.0, 1.0]),
    ];
    for problem in &problems {
        let (report, _) = run("auto", problem, &Stop::default()).expect("accepted");
        assert_eq!(report.status, Status::Converged, "{report:?}");
    }
    // Four contacts of a body that is pressed down and pushed, coefficients of 0.5 to 1e3.
    for mu in [0.5, 5.0, 100.0, 1e3] {
        let mut rng = Rng::new(7);
        let j: Vec<f64> = (0..54).map(|_| 2.0 * rng.uniform() - 1.0).collect();
        let entry = |k: usize| (0..6).map(|q| j[k / 9 * 6 + q] * j[k % 9 * 6 + q]).sum();
        let a: Vec<f64> = (0..81).map(entry).collect();
        let b: Vec<f64> = (0..9).map(|i| j[6 * i] - j[6 * i + 3]).collect();
        let problem = from(9, &a, &b, &[mu; 2]);
        let (report, _) = run("auto", &problem, &Stop::default()).expect("accepted");
        assert_eq!(report.status, Status::Converged, "{mu}: {report:?}");
    }
}

/// Friction in a plane is a polyhedron as it is; what has no cones stays as it is; and a start comes back.
#[test]
fn polyhedra_of_planes_and_of_nothing() {
    let a = [3.0, 0.5, 0.5, 2.0];
    let plain = contacts(&a, &[-1.0, 0.5]);
    let same = Polyhedral::new(&plain, 4).expect("valid");
    assert!(matches!(same.problem().operator, Operator::Dense(_)));
    let (report, _) = run("auto", same.problem(), &Stop::default()).expect("accepted");
    assert_eq!(report.choice.method, "bpp");
    let operator = Operator::Dense(Dense::from_rows(2, a.to_vec()).expect("square"));
    let laws = vec![Law::cone(&[0.5], false)];
    let plane = Problem::new(operator, vec![-1.0, 2.0], laws).expect("valid");
    let lcp = Polyhedral::new(&plane, 7).expect("valid");
    assert_eq!(lcp.problem().rows(), 4);
    let (_, answer) = run("lcp_ipm", lcp.problem(), &Stop::default()).expect("accepted");
    let mut lambda = Vec::new();
    lcp.impulses(&answer.lambda, &mut lambda);
    let mut judge = Judge::default();
    assert!(judge.verdict(&plane, &lambda).relative_residual < 1e-9);
    let mut start = Vec::new();
    lcp.start(&plane, &lambda, judge.velocities(), &mut start);
    assert!(judge.verdict(lcp.problem(), &start).relative_residual < 1e-8);
    // Three rows: friction between two directions.
    let operator = Operator::Dense(Dense::from_rows(3, identity(3, 1.0)).expect("square"));
    let laws = vec![Law::Cone { mu: [0.5; 2], associated: false }];
    let cone = Problem::new(operator, vec![-1.0, 0.3, 0.1], laws).expect("valid");
    for k in [3, 4, 5, 8] {
        let lcp = Polyhedral::new(&cone, k).expect("valid");
        lcp.start(&cone, &[1.0, -0.15, -0.05], &[0.0; 3], &mut start);
        let mut back = Vec::new();
        lcp.impulses(&start, &mut back);
        assert!((back[1] + 0.15).abs() < 1e-12 && (back[2] + 0.05).abs() < 1e-12, "{k}: {back:?}");
    }
}

/// Where several methods were tried in turn, the set went with the last of them and λ with the best.
#[test]
fn the_set_of_auto_is_that_of_its_impulses() {
    let (mut lo, mut hi) = (Vec::new(), Vec::new());
    let mut told = 0;
    let check =
        |name: &str, problem: &Problem, told: &mut usize, lo: &mut Vec<f64>, hi: &mut Vec<f64>| {
            let mut session = Session::named("auto").expect("known");
            let Ok(answer) = session.solve(problem) else { return };
            problem.bounds(lo, hi);
            for (i, state) in answer.set().iter().enumerate() {
                let l = answer.lambda()[i];
                match state {
                    RowState::Lower => assert!(l <= lo[i], "{name} {i}: {l} above its lower bound"),
                    RowState::Upper => assert!(l >= hi[i], "{name} {i}: {l} below its upper bound"),
                    RowState::Free => {}
                }
            }
            *told += usize::from(answer.status() != Status::Converged && !answer.set().is_empty());
        };
    for (name, problem) in all() {
        check(name, &problem, &mut told, &mut lo, &mut hi);
    }
    // Indefinite, with and without symmetry.
    for seed in 0..40 {
        let (mut rng, n) = (Rng::new(seed), 8);
        let mut a: Vec<f64> = (0..n * n).map(|_| 2.0 * rng.uniform() - 1.0).collect();
        if seed % 2 == 0 {
            (0..n * n).for_each(|k| a[k] = a[(k % n) * n + k / n]);
            (0..n).for_each(|i| a[i * n + i] = a[i * n + i].abs());
        }
        let b: Vec<f64> = (0..n).map(|_| 2.0 * rng.uniform() - 1.0).collect();
        check(&format!("seed {seed}"), &contacts(&a, &b), &mut told, &mut lo, &mut hi);
    }
    assert!(told > 5, "{told}");
}
