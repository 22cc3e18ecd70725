//! Baseline, oracle and condition estimate against what is known.

use taut_lcp::reference::{Baseline, MAX_PIVOTS, Oracle, Updates, condition_number};
use taut_lcp::solver::solve;
use taut_lcp::{
    Backend, Iterate, Judge, Operator, Problem, Report, Solver, SolverConfig, Sparse, Status, Stop,
    generate,
};

fn run(solver: &mut dyn Solver, problem: &Problem) -> (Report, Iterate) {
    let mut iterate = Iterate::default();
    let stop = Stop::default();
    let report = solve(solver, problem, &stop, &mut iterate, &mut Judge::default(), &mut ());
    (report.expect("accepted"), iterate)
}

fn multibody(seed: u64) -> Problem {
    let options = generate::MultibodyOptions { links: 6, pile: 6, ..Default::default() };
    generate::multibody(&options, seed).expect("a problem")
}

/// Where the baseline ends, it ends with the exact answer.
#[test]
fn baseline_and_exact_solver_agree() {
    let mut solved = 0;
    for seed in 0..20 {
        let problem = multibody(seed);
        let (report, answer) = run(&mut Baseline::default(), &problem);
        assert!(report.counts.factorizations <= MAX_PIVOTS);
        assert_eq!(report.counts.factorizations, report.counts.iterations);
        if report.status != Status::Converged {
            continue;
        }
        solved += 1;
        let mut bpp = SolverConfig::named("bpp").and_then(|c| c.build()).expect("a solver");
        let (_, exact) = run(bpp.as_mut(), &problem);
        for (x, y) in answer.w.iter().zip(&exact.w) {
            assert!((x - y).abs() < 1e-7 * problem.scale(), "seed {seed}: {x} is not {y}");
        }
    }
    assert!(solved >= 10, "only {solved} of 20 solved");
}

/// Factored anew, from the first change on, updated, cached: the same pivots to
/// the same answer.
#[test]
fn all_ways_through_the_skyline_agree() {
    for seed in 0..20 {
        let problem = multibody(seed);
        let (plain, exact) = run(&mut Baseline::default(), &problem);
        if plain.status != Status::Converged {
            continue;
        }
        for is_full in [false, true] {
            for updates in [
                Updates::ByCost,
                Updates::Partial,
                Updates::Delete,
                Updates::DeleteCached,
                Updates::Refactor,
            ] {
                let mut solver = Baseline::skyline(is_full, updates);
                let (report, answer) = run(&mut solver, &problem);
                assert_eq!(report.status, Status::Converged, "{updates:?} seed {seed}");
                assert_eq!(report.counts, plain.counts, "{updates:?} seed {seed}");
                for (x, y) in answer.w.iter().zip(&exact.w) {
                    assert!((x - y).abs() < 1e-7 * problem.scale(), "{updates:?} seed {seed}");
                }
                let error = solver.error_of_factor().expect("a skyline");
                assert!(error < 1e-9, "{updates:?} seed {seed}: factor wrong by {error:e}");
            }
        }
    }
}

/// For the index set of the answer the oracle gives the answer, in both forms.
#[test]
fn oracle_repeats_the_answer() {
    let problem = multibody(3);
    let mut bpp = SolverConfig::named("bpp").and_then(|c| c.build()).expect("a solver");
    let (report, exact) = run(bpp.as_mut(), &problem);
    assert_eq!(report.status, Status::Converged);
    for backend in [Backend::Dual, Backend::Primal] {
        let mut oracle = Oracle::new(backend);
        assert!(oracle.prepare(&problem, &exact.set), "{backend:?}");
        assert!(oracle.run(&problem));
        let (mut w, mut scratch) = (vec![0.0; problem.rows()], Vec::new());
        let mut lambda = oracle.impulses().to_vec();
        for (i, state) in exact.set.iter().enumerate() {
            if *state != taut_lcp::RowState::Free {
                lambda[i] = exact.lambda[i];
            }
        }
        problem.operator.apply(&lambda, &mut w, &mut scratch);
        for (i, w) in w.iter().enumerate() {
            let error = (w + problem.b[i] - exact.w[i]).abs();
            assert!(error < 1e-7 * problem.scale(), "{backend:?}, row {i}: {error}");
        }
    }
    assert!(!Oracle::new(Backend::Dual).prepare(&problem, &[]));
}

/// The second difference matrix: λ_k = 2 − 2 cos(kπ/(n+1)).
#[test]
fn condition_of_a_known_matrix() {
    let n = 60;
    let mut triplets: Vec<_> = (0..n).map(|i| (i, i, 2.0)).collect();
    triplets.extend((1..n).map(|i| (i, i - 1, -1.0)));
    let a = Sparse::from_lower_triplets(n, &triplets).expect("a matrix");
    let (lo, hi) = (vec![0.0; n], vec![1.0; n]);
    let problem = Problem::boxed(Operator::Sparse(a), vec![0.0; n], &lo, &hi).expect("a problem");
    let value = |k: usize| 2.0 - 2.0 * (k as f64 * std::f64::consts::PI / (n + 1) as f64).cos();
    let estimate = condition_number(&problem).expect("symmetric") / (value(n) / value(1));
    assert!((0.8..1.01).contains(&estimate), "{estimate} of the exact one");
}

#[test]
fn condition_of_singular_and_other_matrices() {
    let boxed = |n: usize, values: &[f64]| {
        let a = taut_lcp::Dense::from_rows(n, values.to_vec()).expect("square");
        Problem::boxed(Operator::Dense(a), vec![0.0; n], &vec![0.0; n], &vec![1.0; n])
    };
    let singular = boxed(2, &[1.0, 1.0, 1.0, 1.0]).expect("a problem");
    assert!(condition_number(&singular).is_some_and(|c| c > 1e15));
    assert_eq!(condition_number(&boxed(2, &[1.0, 0.5, 0.0, 1.0]).expect("a problem")), None);
    assert_eq!(condition_number(&boxed(0, &[]).expect("a problem")), None);
}
