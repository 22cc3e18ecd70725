//! First-order methods on Coulomb cones: small problems against brute force, degenerate
//! ones, cones mixed with joints and boxes, orders, r-factors, threads.

mod common;

use common::{INF, distance, run, run_config};
use taut_lcp::cones::bgs::{self, Grouping, Order};
use taut_lcp::cones::ncp_newton::{self, Function, Scheme};
use taut_lcp::cones::{cone_admm, prox_gs};
use taut_lcp::generate::{MultibodyOptions, Rng, WallOptions, contact, multibody, wall};
use taut_lcp::polyhedral::Polyhedral;
use taut_lcp::solver::solve;
use taut_lcp::{Dense, Iterate, Judge, Law, Operator, Problem, SolverConfig, Sparse, Status, Stop};

const FAMILY: [&str; 4] = ["bgs", "prox_jacobi", "prox_gs", "cone_admm"];

/// A dense problem A = BBᵀ, b = Bv, so that no direction contradicts another.
fn dense(rng: &mut Rng, laws: Vec<Law>, rank: usize) -> Problem {
    let n: usize = laws.iter().map(Law::rows).sum();
    let b: Vec<Vec<f64>> = (0..n).map(|_| (0..rank).map(|_| rng.normal()).collect()).collect();
    let v: Vec<f64> = (0..rank).map(|_| rng.normal()).collect();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let a = (0..n * n).map(|k| dot(&b[k / n], &b[k % n])).collect();
    let rhs = b.iter().map(|b| dot(b, &v)).collect();
    let a = Operator::Dense(Dense::from_rows(n, a).expect("square"));
    Problem::new(a, rhs, laws).expect("valid")
}

fn cone(mu: [f64; 2], associated: bool) -> Law {
    Law::Cone { mu, associated }
}

/// The contacts of a multibody problem as cones.
fn with_cones(mut problem: Problem, mu: [f64; 2]) -> Problem {
    let boxes = |l: &Law| matches!(l, Law::Box { .. });
    let keep = |l: &&Law| !matches!(l, Law::FrictionBox { .. });
    let laws = problem.laws.iter().filter(keep);
    problem.laws = laws.map(|l| if boxes(l) { cone(mu, false) } else { *l }).collect();
    problem.validate().expect("valid");
    problem
}

/// What a law can do: nothing, hold, or slide in some direction.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Open,
    Hold,
    Slip,
}

/// All solutions of a problem of bilateral rows and dissipative cones that Newton's
/// method finds on every combination of modes, from twelve directions each; one for
/// every w.
fn brute_force(problem: &Problem) -> Vec<Vec<f64>> {
    let laws: Vec<(usize, Law)> = problem.laws_by_row().map(|(i, l)| (i, *l)).collect();
    let cones = laws.iter().filter(|l| l.1.rows() == 3).count() as u32;
    let mut found: Vec<Vec<f64>> = Vec::new();
    for combination in 0..3_usize.pow(cones) {
        let mode = |k: u32| [Mode::Open, Mode::Hold, Mode::Slip][combination / 3_usize.pow(k) % 3];
        let slips = (0..cones).filter(|&k| mode(k) == Mode::Slip).count() as u32;
        for start in 0..12_usize.pow(slips) {
            let modes: Vec<Mode> = (0..cones).map(mode).collect();
            let Some(lambda) = newton(problem, &laws, &modes, start) else { continue };
            let mut judge = Judge::default();
            let fine = judge.verdict(problem, &lambda).relative_residual < 1e-10;
            let w = judge.velocities().to_vec();
            if fine && found.iter().all(|f| distance(f, &w, |_| 1.0) > 1e-6) {
                found.push(w);
            }
        }
    }
    found
}

/// λ from the unknowns of the modes, and the equations that must vanish.
fn equations(
    problem: &Problem,
    laws: &[(usize, Law)],
    modes: &[Mode],
    x: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    let mut lambda = vec![0.0; problem.rows()];
    let (mut unknowns, mut which) = (x.iter(), modes.iter());
    let mut next = || *unknowns.next().expect("enough");
    let mut angles = Vec::new();
    for (i, law) in laws {
        let Law::Cone { mu, .. } = law else {
            lambda[*i] = next();
            continue;
        };
        match which.next().expect("enough") {
            Mode::Open => {}
            Mode::Hold => (0..3).for_each(|k| lambda[i + k] = next()),
            Mode::Slip => {
                let (n, angle) = (next(), next());
                angles.push(angle);
                let r = [n, n * mu[0] * angle.cos(), n * mu[1] * angle.sin()];
                lambda[*i..i + 3].copy_from_slice(&r);
            }
        }
    }
    let mut w = common::apply(&problem.operator, &lambda);
    w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
    let (mut residual, mut which, mut angles) = (Vec::new(), modes.iter(), angles.into_iter());
    for (i, law) in laws {
        let Law::Cone { mu, .. } = law else {
            residual.push(w[*i]);
            continue;
        };
        match which.next().expect("enough") {
            Mode::Open => {}
            Mode::Hold => residual.extend(&w[*i..i + 3]),
            Mode::Slip => {
                let angle = angles.next().expect("enough");
                let across = mu[0] * w[i + 1] * angle.sin() - mu[1] * w[i + 2] * angle.cos();
                residual.extend([w[*i], across]);
            }
        }
    }
    (lambda, residual)
}

fn newton(
    problem: &Problem,
    laws: &[(usize, Law)],
    modes: &[Mode],
    start: usize,
) -> Option<Vec<f64>> {
    let (mut x, mut slips, mut which) = (Vec::new(), 0, modes.iter());
    for (_, law) in laws {
        if law.rows() == 1 {
            x.push(0.0);
            continue;
        }
        match which.next()? {
            Mode::Open => {}
            Mode::Hold => x.extend([0.0; 3]),
            Mode::Slip => {
                let angle =
                    (start / 12_usize.pow(slips) % 12) as f64 * std::f64::consts::TAU / 12.0;
                x.extend([1.0, angle]);
                slips += 1;
            }
        }
    }
    let n = x.len();
    for _ in 0..25 {
        let (lambda, f) = equations(problem, laws, modes, &x);
        if f.iter().all(|f| f.abs() < 1e-13) {
            return Some(lambda);
        }
        let mut t = vec![vec![0.0; n + 1]; n];
        for c in 0..n {
            let h = 1e-7 * (1.0 + x[c].abs());
            let mut moved = x.clone();
            moved[c] += h;
            let g = equations(problem, laws, modes, &moved).1;
            (0..n).for_each(|r| t[r][c] = (g[r] - f[r]) / h);
        }
        (0..n).for_each(|r| t[r][n] = f[r]);
        let step = eliminate(t)?;
        x.iter_mut().zip(step).for_each(|(x, s)| *x -= s);
    }
    let (lambda, f) = equations(problem, laws, modes, &x);
    f.iter().all(|f| f.abs() < 1e-11).then_some(lambda)
}

/// Gauss-Jordan elimination; `None` if singular.
fn eliminate(mut t: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = t.len();
    for k in 0..n {
        let p = (k..n).max_by(|&a, &b| t[a][k].abs().total_cmp(&t[b][k].abs()))?;
        if t[p][k].is_nan() || t[p][k].abs() < 1e-9 {
            return None;
        }
        t.swap(k, p);
        let pivot = t[k].clone();
        for (_, row) in t.iter_mut().enumerate().filter(|(r, _)| *r != k) {
            let f = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= f * p);
        }
    }
    Some((0..n).map(|k| t[k][n] / t[k][k]).collect())
}

/// Where brute force finds one solution, every method finds its velocities.
#[test]
fn small_problems_against_brute_force() {
    let friction = [[0.5, 0.5], [0.2, 0.8], [0.0, 0.6], [1.5, 1.5]];
    let (mut unique, mut missed) = (0, Vec::new());
    for seed in 0..48 {
        let mut rng = Rng::new(seed);
        let mu = friction[seed as usize % 4];
        let mut laws = vec![cone(mu, false); 1 + seed as usize % 2];
        if seed % 3 == 0 {
            laws.insert(0, Law::Bilateral);
        }
        let problem = dense(&mut rng, laws, 9);
        let found = brute_force(&problem);
        let [w] = &found[..] else { continue };
        unique += 1;
        for name in FAMILY {
            let (report, answer) = run(name, &problem, &Stop::default()).expect("accepted");
            let error = distance(w, &answer.w, |_| 1.0) / problem.scale();
            let agreed = report.status == Status::Converged && error < 1e-6;
            if !agreed {
                missed.push(format!("{name} seed {seed}: {:?} {error:e}", report.status));
            }
        }
    }
    assert!(unique >= 35, "{unique}");
    assert!(missed.is_empty(), "{missed:#?}");
}

/// All methods solve a problem, and agree on the velocities.
fn assert_all_agree(problem: &Problem, seed: u64) {
    let answers = FAMILY.map(|name| {
        let (report, answer) = run(name, problem, &Stop::default()).expect("accepted");
        assert_eq!(report.status, Status::Converged, "{name} seed {seed}");
        answer.w
    });
    for (w, name) in answers.iter().zip(FAMILY) {
        let error = distance(&answers[0], w, |_| 1.0) / problem.scale();
        assert!(error < 1e-6, "{name} seed {seed}: {error:e}");
    }
}

/// Associated cones are a convex program: all methods agree on the velocities.
#[test]
fn associated_cones_have_one_answer() {
    for seed in 0..12 {
        let mut rng = Rng::new(100 + seed);
        let law = if seed % 2 == 0 { cone([0.5, 0.5], true) } else { cone([0.3, 0.9], true) };
        let problem = dense(&mut rng, vec![law, Law::Bilateral, law, law], 14);
        assert_all_agree(&problem, seed);
    }
}

/// Without friction the normals are a boxed problem, whose answer is exact.
#[test]
fn no_friction_is_a_boxed_problem() {
    for seed in 0..10 {
        let mut rng = Rng::new(200 + seed);
        let problem = dense(&mut rng, vec![cone([0.0; 2], seed % 2 == 0); 3], 12);
        let (normal, fixed) = (Law::Box { lo: 0.0, hi: INF }, Law::Box { lo: 0.0, hi: 0.0 });
        let laws = [[normal, fixed, fixed]; 3].concat();
        let boxed = Problem { laws, ..problem.clone() };
        let (_, exact) = run("bpp", &boxed, &Stop::default()).expect("accepted");
        for name in FAMILY {
            let (report, answer) = run(name, &problem, &Stop::default()).expect("accepted");
            assert_eq!(report.status, Status::Converged, "{name} seed {seed}");
            let error = distance(&exact.w, &answer.w, |_| 1.0) / problem.scale();
            assert!(error < 1e-6, "{name} seed {seed}: {error:e}");
            assert!((0..9).all(|i| i % 3 == 0 || answer.lambda[i] == 0.0), "{name} seed {seed}");
        }
    }
}

/// Strong friction, contacts given twice, rows of zeros.
#[test]
fn degenerate_problems_are_solved() {
    for seed in 0..8 {
        let mut rng = Rng::new(300 + seed);
        let strong = dense(&mut rng, vec![cone([1.2, 1.2], false); 2], 8);
        let single = dense(&mut rng, vec![cone([0.6, 0.6], false), Law::Bilateral], 6);
        let twice = {
            let of = [0, 1, 2, 0, 1, 2, 3];
            let Operator::Dense(a) = &single.operator else { panic!("dense") };
            let entries = (0..49).map(|k| a.get(of[k / 7], of[k % 7])).collect();
            let a = Operator::Dense(Dense::from_rows(7, entries).expect("square"));
            let b = of.iter().map(|&i| single.b[i]).collect();
            let laws = vec![single.laws[0], single.laws[0], Law::Bilateral];
            Problem::new(a, b, laws).expect("valid")
        };
        let zeros = {
            let Operator::Dense(a) = &single.operator else { panic!("dense") };
            let lower = (0..4).flat_map(|i| (0..=i).map(move |j| (i, j)));
            let lower: Vec<_> = lower.map(|(i, j)| (i, j, a.get(i, j))).collect();
            let a = Operator::Sparse(Sparse::from_lower_triplets(8, &lower).expect("in range"));
            let b = [&single.b[..], &[0.5, 0.0, -0.3], &[0.0]].concat();
            let laws = vec![single.laws[0], Law::Bilateral, single.laws[0], Law::Bilateral];
            Problem::new(a, b, laws).expect("valid")
        };
        for (problem, what) in [(&strong, "strong"), (&twice, "twice"), (&zeros, "zeros")] {
            for name in FAMILY {
                let stop = Stop { tolerance: 1e-8, max_iterations: None };
                let (report, _) = run(name, problem, &stop).expect("accepted");
                let r = report.verdict.relative_residual;
                assert_eq!(report.status, Status::Converged, "{name} {what} {seed}: {r:e}");
            }
        }
    }
}

/// A row of zeros that would have to push ends without a claim.
#[test]
fn what_has_no_solution_is_not_solved() {
    let a = || Operator::Dense(Dense::from_rows(3, vec![0.0; 9]).expect("square"));
    let laws = vec![cone([0.5, 0.5], false)];
    let problem = Problem::new(a(), vec![-1.0, 0.0, 0.0], laws).expect("valid");
    for name in FAMILY {
        let stop = Stop { max_iterations: Some(100), ..Default::default() };
        let (report, _) = run(name, &problem, &stop).expect("accepted");
        assert_ne!(report.status, Status::Converged, "{name}");
    }
}

fn pile(seed: u64, compliance: f64) -> Problem {
    let options = MultibodyOptions { links: 3, pile: 6, mass_ratio: 4.0, compliance };
    multibody(&options, seed).expect("valid")
}

/// Joints and contacts of bodies: the law is obeyed, and a warm start is worth it.
#[test]
fn mixed_with_joints() {
    for seed in 0..6 {
        let problem = with_cones(pile(seed, 1e-3), [0.4, 0.4]);
        assert!(problem.has_cones() && problem.laws.contains(&Law::Bilateral));
        let stop = Stop { tolerance: 1e-7, max_iterations: None };
        for name in FAMILY {
            let mut solver = SolverConfig::named(name).expect("known").build().expect("valid");
            let (mut iterate, mut judge) = (Iterate::default(), Judge::default());
            let mut again = |p: &Problem, iterate: &mut Iterate| {
                solve(solver.as_mut(), p, &stop, iterate, &mut judge, &mut ()).expect("accepted")
            };
            let cold = again(&problem, &mut iterate);
            assert_eq!(cold.status, Status::Converged, "{name} {seed}: {:?}", cold.verdict);
            let mut near = problem.clone();
            near.b.iter_mut().for_each(|b| *b *= 1.0001);
            let warm = again(&near, &mut iterate);
            assert_eq!(warm.status, Status::Converged, "{name} {seed}");
            let (cold, warm) = (cold.counts.iterations, warm.counts.iterations);
            // (PROX Jacobi has to find its r-factors anew.)
            let saves = warm <= cold || name == "prox_jacobi";
            assert!(saves, "{name} {seed}: {warm} warm, {cold} cold");
        }
    }
}

/// Boxed problems are theirs, too: the velocities are those of an exact method.
#[test]
fn boxes_and_joints_without_cones() {
    for seed in 0..4 {
        let problem = pile(seed, 1e-3);
        let (_, exact) = run("bpp", &problem, &Stop::default()).expect("accepted");
        for name in FAMILY {
            let stop = Stop { tolerance: 1e-8, max_iterations: None };
            let (report, answer) = run(name, &problem, &stop).expect("accepted");
            assert_eq!(report.status, Status::Converged, "{name} {seed}: {:?}", report.verdict);
            let error = distance(&exact.w, &answer.w, |_| 1.0) / problem.scale();
            assert!(error < 1e-4, "{name} {seed}: {error:e}");
        }
    }
}

/// Every order and grouping of blocks ends at the same velocities; a random order is the
/// same for the same seed.
#[test]
fn orders_and_groupings() {
    let problem = with_cones(pile(3, 1e-3), [0.3, 0.3]);
    let stop = Stop { tolerance: 1e-9, max_iterations: None };
    let with = |order, grouping| {
        let settings = bgs::Settings { order, grouping, ..Default::default() };
        run_config(&SolverConfig::Bgs(settings), &problem, &stop).expect("accepted")
    };
    let (_, given) = with(Order::Given, Grouping::Contact);
    for order in [Order::Layers, Order::Residual, Order::Random { seed: 7 }] {
        for grouping in [Grouping::Contact, Grouping::Law, Grouping::Pair] {
            let (report, answer) = with(order, grouping);
            assert_eq!(report.status, Status::Converged, "{order:?} {grouping:?}");
            let error = distance(&given.w, &answer.w, |_| 1.0) / problem.scale();
            assert!(error < 1e-5, "{order:?} {grouping:?}: {error:e}");
            assert_eq!(with(order, grouping).1.lambda, answer.lambda);
        }
    }
    let bodiless = dense(&mut Rng::new(1), vec![cone([0.5; 2], false)], 3);
    let settings = bgs::Settings { order: Order::Layers, ..Default::default() };
    let refused = run_config(&SolverConfig::Bgs(settings), &bodiless, &stop);
    let error = refused.err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.contains("layers need bodies")));
}

/// On a stack the order from the ground up takes fewer sweeps than from the top down.
#[test]
fn layers_carry_weight_upwards() {
    let mut a = taut_lcp::Multibody::default();
    let mass = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    let count = 8_u32;
    (0..count).for_each(|_| _ = a.push_body(mass).expect("definite"));
    let axis = |k: usize, sign: f64| std::array::from_fn(|i| if i == k { sign } else { 0.0 });
    // From the top down: body 7 lies on 6, and so on, 0 on the ground.
    for body in (0..count).rev() {
        for k in [2, 0, 1] {
            let own = (body, axis(k, 1.0));
            if body == 0 {
                a.push_row(&[own], 0.0).expect("in order");
            } else {
                a.push_row(&[(body - 1, axis(k, -1.0)), own], 0.0).expect("in order");
            }
        }
    }
    let mut b = vec![0.0; 3 * count as usize];
    (b[21], b[22]) = (-1.0, 0.1); // the lowest contact
    let problem = Problem::new(Operator::Multibody(a), b, vec![cone([0.5; 2], false); 8]);
    let problem = problem.expect("valid");
    let sweeps = |order| {
        let settings = bgs::Settings { order, ..Default::default() };
        let config = SolverConfig::Bgs(settings);
        let (report, _) = run_config(&config, &problem, &Stop::default()).expect("accepted");
        assert_eq!(report.status, Status::Converged);
        report.counts.iterations
    };
    let (given, layers) = (sweeps(Order::Given), sweeps(Order::Layers));
    assert!(layers <= given, "{layers} from the ground up, {given} from the top");
}

/// Andrews22 3.2.4: the polyhedral cone with its zero diagonal block, contact by contact.
#[test]
fn polyhedral_cones_in_blocks() {
    let mut solved = 0;
    for seed in 0..12 {
        let problem = contact(3, seed).expect("valid");
        let (report, _) = run("bgs", &problem, &Stop::default()).expect("accepted");
        solved += usize::from(report.status == Status::Converged);
    }
    assert!(solved >= 10, "{solved} of 12");
}

/// Polyhedral cones of many directions are blocks, too, solved exactly: the answer is that of
/// the interior point.
#[test]
fn polyhedral_cones_of_many_directions_in_blocks() {
    let cones = wall(&WallOptions { layers: 2, ..Default::default() }).expect("valid");
    for directions in [5, 8, 16] {
        let p = Polyhedral::new(&cones, directions).expect("valid");
        let stop = Stop { tolerance: 1e-6, max_iterations: Some(2000) };
        let (report, swept) = run("bgs", p.problem(), &stop).expect("accepted");
        assert_eq!(report.status, Status::Converged, "{directions} directions");
        let (_, exact) = run("lcp_ipm", p.problem(), &stop).expect("accepted");
        // Impulses of redundant contacts may differ, velocities hardly.
        let [swept, exact] = [&swept, &exact].map(|answer| {
            let mut lambda = Vec::new();
            p.impulses(&answer.lambda, &mut lambda);
            common::apply(&cones.operator, &lambda)
        });
        let off = distance(&swept, &exact, |_| 1.0) / cones.scale();
        assert!(off < 1e-3, "{directions} directions: {off}");
    }
}

/// All contacts between two bodies at once take fewer sweeps than one after the other.
#[test]
fn pairs_of_bodies_in_blocks() {
    let cones = wall(&WallOptions { layers: 4, ..Default::default() }).expect("valid");
    let boxes = multibody(&MultibodyOptions { links: 3, pile: 6, ..Default::default() }, 2);
    let boxes = boxes.expect("valid");
    for (problem, name) in [(&cones, "cones"), (&boxes, "boxes")] {
        let sweeps = |grouping| {
            let settings = bgs::Settings { grouping, ..Default::default() };
            let stop = Stop { tolerance: 1e-6, max_iterations: Some(5000) };
            let (report, _) =
                run_config(&SolverConfig::Bgs(settings), problem, &stop).expect("accepted");
            assert_eq!(report.status, Status::Converged, "{name} {grouping:?}");
            report.counts.iterations
        };
        let (pair, contact) = (sweeps(Grouping::Pair), sweeps(Grouping::Contact));
        assert!(pair <= contact, "{name}: {pair} sweeps by pairs, {contact} by contacts");
    }
}

/// Newton with a slack: every function and scheme on small problems. What it calls solved is; most
/// are, and slips, ellipses, joints, torsion and open contacts among them.
#[test]
fn slacks_and_functions() {
    for function in [Function::MinMap, Function::FischerBurmeister] {
        for scheme in [Scheme::Newton, Scheme::FixedPoint] {
            let settings = ncp_newton::Settings { function, scheme, ..Default::default() };
            let config = SolverConfig::NcpNewton(settings);
            let mut solved = 0;
            for seed in 0..60 {
                let mut rng = Rng::new(seed);
                let laws = match seed % 4 {
                    0 => vec![cone([0.5; 2], false)],
                    1 => vec![cone([0.2, 0.7], false), Law::Bilateral],
                    2 => vec![cone([0.4; 2], false), cone([0.4; 2], false)],
                    _ => vec![Law::cone(&[0.5, 0.5, 0.1], false), Law::Box { lo: -1.0, hi: 0.5 }],
                };
                let rows: usize = laws.iter().map(Law::rows).sum();
                let problem = dense(&mut rng, laws, rows + 1);
                let stop = Stop { tolerance: 1e-8, max_iterations: None };
                let (report, answer) = run_config(&config, &problem, &stop).expect("accepted");
                let verdict = Judge::default().verdict(&problem, &answer.lambda);
                let claims = report.status == Status::Converged;
                assert_eq!(claims, verdict.converged(1e-8), "{function:?} {scheme:?} {seed}");
                solved += usize::from(claims);
            }
            let most = if scheme == Scheme::Newton { 58 } else { 50 };
            assert!(solved >= most, "{function:?} {scheme:?}: {solved} of 60");
        }
    }
    let associated = dense(&mut Rng::new(1), vec![cone([0.5; 2], true)], 4);
    let refused = run("ncp_newton", &associated, &Stop::default()).err().map(|e| e.to_string());
    assert!(refused.is_some_and(|e| e.contains("row 0")));
    for r in [0.0, -1.0, f64::NAN, INF] {
        let settings = ncp_newton::Settings { r, ..Default::default() };
        assert!(SolverConfig::NcpNewton(settings).build().is_err());
    }
}

/// Every kind of r-factor leads to the law; what is out of range is refused.
#[test]
fn factors_and_settings() {
    let problem = with_cones(pile(1, 1e-3), [0.2, 0.7]);
    let stop = Stop { tolerance: 1e-6, max_iterations: Some(20_000) };
    for factors in [prox_gs::Factors::Global, prox_gs::Factors::Local, prox_gs::Factors::Blocked] {
        let settings = prox_gs::Settings { factors, ..Default::default() };
        for config in [SolverConfig::ProxGs(settings.clone()), SolverConfig::ProxJacobi(settings)] {
            let (report, _) = run_config(&config, &problem, &stop).expect("accepted");
            let r = report.verdict.relative_residual;
            assert_eq!(report.status, Status::Converged, "{} {factors:?} {r:e}", config.name());
        }
    }
    for bad in [0.0, 1.0, f64::NAN] {
        let settings = prox_gs::Settings { reduction: Some(bad), ..Default::default() };
        assert!(SolverConfig::ProxGs(settings).build().is_err());
    }
    for bad in [0.0, 2.0, f64::NAN] {
        let settings = cone_admm::Settings { relaxation: bad, ..Default::default() };
        assert!(SolverConfig::ConeAdmm(settings).build().is_err());
        let settings = cone_admm::Settings { penalty: bad * 1e9, ..Default::default() };
        assert!(SolverConfig::ConeAdmm(settings).build().is_err());
    }
    assert_eq!(SolverConfig::named("nsgs"), SolverConfig::named("bgs"));
}

/// A skew part in A (gyroscopic terms) changes the answer, not the method.
#[test]
fn matrices_that_are_not_symmetric() {
    for seed in 0..6 {
        let mut rng = Rng::new(400 + seed);
        let mut problem = dense(&mut rng, vec![cone([0.5; 2], false); 3], 12);
        let Operator::Dense(a) = &mut problem.operator else { panic!("dense") };
        for i in 0..9 {
            for j in 0..i {
                let skew = 0.01 * rng.normal() * (a.get(i, i) * a.get(j, j)).sqrt();
                a.values_mut()[i * 9 + j] += skew;
                a.values_mut()[j * 9 + i] -= skew;
            }
        }
        assert_all_agree(&problem, seed);
    }
}

/// The same bits on one thread and on three; limits are a status.
#[test]
fn threads_and_limits() {
    let options = MultibodyOptions { links: 400, pile: 400, mass_ratio: 2.0, compliance: 1e-3 };
    let problem = with_cones(multibody(&options, 5).expect("valid"), [0.4, 0.4]);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    for name in FAMILY {
        let stop = Stop { tolerance: 1e-12, max_iterations: Some(30) };
        let (report, alone) = run(name, &problem, &stop).expect("accepted");
        assert_eq!(report.status, Status::IterationLimit, "{name}");
        assert_eq!(report.counts.iterations, 30, "{name}");
        let (_, shared) = pool.install(|| run(name, &problem, &stop)).expect("accepted");
        assert!(alone.lambda == shared.lambda, "{name}");
    }
}
