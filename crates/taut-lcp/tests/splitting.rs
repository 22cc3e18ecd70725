//! Substructuring gives the answer of the whole: for every partition, for any
//! number of threads, where coupling is cut short, and on small problems that
//! of enumeration.

mod common;

use common::{diagonal, distance, run, run_config};
use taut_lcp::generate::{MultibodyOptions, Rng, multibody};
use taut_lcp::solver::solve;
use taut_lcp::splitting::schur_bpp::{self, SchurBpp};
use taut_lcp::splitting::{Partition, fbic, schur_pgs_sm};
use taut_lcp::{Iterate, Judge, Law, Multibody, Operator, Problem, SolverConfig, Status, Stop};

const PARTITIONS: [Partition; 4] = [
    Partition::Named,
    Partition::MinimumDegree { bodies: 3 },
    Partition::Nested { bodies: 4 },
    Partition::Nested { bodies: 1 },
];

fn methods(partition: Partition, max_iterations: usize) -> [SolverConfig; 2] {
    [
        SolverConfig::SchurBpp(schur_bpp::Settings { partition, max_iterations }),
        SolverConfig::SchurPgsSm(schur_pgs_sm::Settings { partition, max_iterations }),
    ]
}

fn bodies(problem: &Problem) -> &Multibody {
    match &problem.operator {
        Operator::Multibody(a) => a,
        _ => panic!("no bodies"),
    }
}

/// A chain and a pile; every third body belongs to a subsystem of its own choice.
fn mixed(seed: u64) -> Problem {
    let options = MultibodyOptions { links: 6, pile: 12, ..Default::default() };
    let mut problem = multibody(&options, seed).expect("valid");
    let mut rng = Rng::new(seed);
    if let Operator::Multibody(a) = &mut problem.operator {
        for b in (0..a.body_count()).step_by(3) {
            a.set_subsystem(b, Some(rng.index(4) as u32));
        }
    }
    problem
}

fn agree(problem: &Problem, answer: &Iterate, truth: &Iterate, what: &str) {
    let w = distance(&answer.w, &truth.w, |_| 1.0) / problem.scale();
    assert!(w < 1e-8, "{what}: w differs by {w:e}");
    let d = diagonal(problem);
    let lambda = distance(&answer.lambda, &truth.lambda, |i| d[i]) / problem.scale();
    assert!(lambda < 1e-4, "{what}: λ differs by {lambda:e}");
    assert_eq!(differing(problem, answer, truth), [0; 0], "{what}: index sets");
}

/// Rows whose state differs though both answers put it beyond doubt: up to
/// degeneracy the index sets are the same.
fn differing(problem: &Problem, answer: &Iterate, truth: &Iterate) -> Vec<usize> {
    let (d, doubt) = (diagonal(problem), 1e-4 * problem.scale());
    let is_clear = |i: usize, x: &Iterate| {
        let (lo, hi) = problem.laws[i].bounds();
        let inside = (x.lambda[i] - lo).min(hi - x.lambda[i]);
        hi > lo && x.w[i].abs().max(d[i] * inside) > doubt
    };
    let differs =
        |&i: &usize| answer.set[i] != truth.set[i] && is_clear(i, answer) && is_clear(i, truth);
    (0..problem.rows()).filter(differs).collect()
}

#[test]
fn every_partition_gives_the_answer_of_the_whole() {
    let mut coupled = 0;
    for seed in 0..12 {
        let problem = mixed(seed);
        let (_, truth) = run("bpp", &problem, &Stop::default()).expect("accepted");
        for partition in PARTITIONS {
            for config in methods(partition, 50) {
                let what = format!("{} {partition:?} seed {seed}", config.name());
                let (report, answer) =
                    run_config(&config, &problem, &Stop::default()).expect("accepted");
                assert_eq!(report.status, Status::Converged, "{what}");
                assert!(report.verdict.energy_error < 1e-12, "{what}");
                agree(&problem, &answer, &truth, &what);
                coupled += usize::from(!report.counts.fell_back);
            }
        }
    }
    // Most of them by coupling, not by the global solve.
    assert!(coupled > 80, "{coupled} of 96");
}

/// Two bodies in a row: at most 12 rows, so that enumeration knows.
#[test]
fn small_problems_agree_with_enumeration() {
    let mut seen = 0;
    for seed in 0..60 {
        let options = MultibodyOptions { links: 2, pile: 1, mass_ratio: 50.0, compliance: 1e-6 };
        let problem = multibody(&options, seed).expect("valid");
        if problem.rows() > 12 {
            continue;
        }
        seen += 1;
        let (_, truth) = run("enumerate", &problem, &Stop::default()).expect("accepted");
        for config in methods(Partition::Nested { bodies: 1 }, 50) {
            let (report, answer) =
                run_config(&config, &problem, &Stop::default()).expect("accepted");
            assert_eq!(report.status, Status::Converged);
            agree(&problem, &answer, &truth, &format!("{} seed {seed}", config.name()));
        }
    }
    assert!(seen > 10, "{seen}");
}

/// One iteration is not enough for contacts within subsystems: the global
/// solve ends it, with the same answer.
#[test]
fn cut_short_the_whole_is_solved() {
    let mut fell_back = 0;
    for seed in 0..8 {
        let problem = mixed(seed);
        let (_, truth) = run("bpp", &problem, &Stop::default()).expect("accepted");
        for config in methods(Partition::MinimumDegree { bodies: 3 }, 1) {
            let (report, answer) =
                run_config(&config, &problem, &Stop::default()).expect("accepted");
            assert_eq!(report.status, Status::Converged);
            agree(&problem, &answer, &truth, &format!("{} seed {seed}", config.name()));
            fell_back += usize::from(report.counts.fell_back);
        }
    }
    assert!(fell_back > 4, "{fell_back} of 16");
}

#[test]
fn bits_do_not_depend_on_threads() {
    for seed in 0..4 {
        let problem = mixed(seed);
        for config in methods(Partition::Nested { bodies: 4 }, 50) {
            let bits = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let solved = pool
                    .expect("threads")
                    .install(|| run_config(&config, &problem, &Stop::default()).expect("accepted"));
                let lambda: Vec<u64> = solved.1.lambda.iter().map(|l| l.to_bits()).collect();
                (lambda, solved.0.counts)
            };
            let alone = run_config(&config, &problem, &Stop::default()).expect("accepted");
            let alone: Vec<u64> = alone.1.lambda.iter().map(|l| l.to_bits()).collect();
            assert_eq!(alone, bits(1).0);
            assert_eq!(bits(2), bits(1));
            assert_eq!(bits(4), bits(1));
        }
    }
}

/// A chain of links and a pile beside it, in many small subsystems: their
/// interface is factored in nested clusters.
#[test]
fn nested_clusters_give_the_answer_of_the_whole() {
    let mut deepest = 0;
    for (links, pile, bodies) in [(60, 20, 3), (200, 6, 2)] {
        for seed in 0..2 {
            let options = MultibodyOptions { links, pile, mass_ratio: 20.0, compliance: 1e-7 };
            let problem = multibody(&options, seed).expect("valid");
            let settings =
                schur_bpp::Settings { partition: Partition::Nested { bodies }, max_iterations: 50 };
            let solved = |mut solver: SchurBpp, threads| {
                let (stop, mut answer) = (Stop::default(), Iterate::default());
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let report = pool.expect("threads").install(|| {
                    let judge = &mut Judge::default();
                    solve(&mut solver, &problem, &stop, &mut answer, judge, &mut ())
                });
                (report.expect("accepted"), answer, solver.levels())
            };
            let what = format!("{links} links, {pile} on top, seed {seed}");
            let (report, answer, levels) = solved(SchurBpp::new(settings.clone()), 1);
            assert_eq!(report.status, Status::Converged, "{what}");
            assert!(levels >= 2 && !report.counts.fell_back, "{what}: {levels} levels");
            deepest = deepest.max(levels);
            let (_, truth) = run("bpp", &problem, &Stop::default()).expect("accepted");
            agree(&problem, &answer, &truth, &what);
            let (_, flat, one) = solved(SchurBpp::flat(settings.clone()), 1);
            assert_eq!(one, 1);
            agree(&problem, &flat, &truth, &format!("{what}, flat"));
            for threads in [2, 4] {
                let (_, other, _) = solved(SchurBpp::new(settings.clone()), threads);
                let bits = |x: &Iterate| x.lambda.iter().map(|l| l.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&answer), bits(&other), "{what} on {threads} threads");
            }
        }
    }
    assert!(deepest >= 3, "{deepest} levels");
}

/// A stack with sixty rows between neighbours, all of them free, every body its
/// own subsystem: all work is at the interface.
#[test]
fn what_the_interface_outweighs_is_solved_as_a_whole() {
    let (mut a, mut rng) = (Multibody::default(), Rng::new(7));
    let unit = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for body in 0..30 {
        a.push_body(unit).expect("definite");
        for _ in 0..60 {
            let mut row = || std::array::from_fn(|_| rng.uniform() - 0.5);
            let (below, above) = (row(), row());
            let parts = [(body.max(1) - 1, below), (body, above)];
            a.push_row(&parts[usize::from(body == 0)..], 1e-3).expect("in order");
        }
    }
    let b = (0..a.rows()).map(|_| rng.uniform() - 0.6).collect();
    let laws = vec![Law::Box { lo: -1e3, hi: 1e3 }; a.rows()];
    let problem = Problem { operator: Operator::Multibody(a), b, laws };
    let [config, _] = methods(Partition::Nested { bodies: 1 }, 50);
    let (report, answer) = run_config(&config, &problem, &Stop::default()).expect("accepted");
    assert_eq!(report.status, Status::Converged);
    assert!(report.choice.to_string().contains("outweighs"), "{}", report.choice);
    assert!(!report.counts.fell_back);
    let (_, truth) = run("bpp", &problem, &Stop::default()).expect("accepted");
    agree(&problem, &answer, &truth, "as a whole");
}

/// Weakly coupled, force-based coupling converges too, in more iterations.
#[test]
fn force_based_coupling_is_slower() {
    let options = MultibodyOptions { links: 4, pile: 0, mass_ratio: 2.0, compliance: 1e-3 };
    let problem = multibody(&options, 1).expect("valid");
    let (_, truth) = run("bpp", &problem, &Stop::default()).expect("accepted");
    let partition = Partition::Nested { bodies: 2 };
    let slow = SolverConfig::Fbic(fbic::Settings { partition, max_iterations: 2000 });
    let (slow, answer) = run_config(&slow, &problem, &Stop::default()).expect("accepted");
    assert_eq!(slow.status, Status::Converged, "{slow:?}");
    agree(&problem, &answer, &truth, "fbic");
    let [quick, _] = methods(partition, 50);
    let (quick, _) = run_config(&quick, &problem, &Stop::default()).expect("accepted");
    assert_eq!(quick.counts.iterations, 1);
    assert!(slow.counts.iterations > 10, "{slow:?}");
}

#[test]
fn partitions_are_what_they_say() {
    let options = MultibodyOptions { links: 40, pile: 100, ..Default::default() };
    let problem = multibody(&options, 3).expect("valid");
    let a = bodies(&problem);
    let sizes = |of: &[u32]| {
        let mut sizes = vec![0; of.iter().map(|s| *s as usize + 1).max().unwrap_or(0)];
        of.iter().for_each(|&s| sizes[s as usize] += 1);
        sizes
    };
    let cut = |of: &[u32]| {
        let crosses =
            |i: &usize| a.row(*i).0.windows(2).any(|b| of[b[0] as usize] != of[b[1] as usize]);
        (0..a.rows()).filter(crosses).count()
    };
    let nested = Partition::Nested { bodies: 20 }.assign(&problem);
    assert!(sizes(&nested).iter().all(|&n| (1..=20).contains(&n)), "{:?}", sizes(&nested));
    let grown = Partition::MinimumDegree { bodies: 20 }.assign(&problem);
    let of = sizes(&grown);
    // All full, but for the last; orphans may come on top.
    assert!(of[..of.len() - 1].iter().all(|&n| n >= 20), "{of:?}");
    let scattered: Vec<u32> = (0..a.body_count() as u32).map(|b| b % 7).collect();
    assert!(2 * cut(&nested) < cut(&scattered), "{} {}", cut(&nested), cut(&scattered));
    assert!(2 * cut(&grown) < cut(&scattered), "{} {}", cut(&grown), cut(&scattered));
    // Named bodies stay where they are named, others join them.
    let problem = mixed(1);
    let a = bodies(&problem);
    let of = Partition::Named.assign(&problem);
    for b in 0..a.body_count() {
        for c in 0..a.body_count() {
            if let (Some(x), Some(y)) = (a.subsystem(b), a.subsystem(c)) {
                assert_eq!(x == y, of[b] == of[c]);
            }
        }
    }
}

/// The comparison of index sets sees a row that is wrong, and only that.
#[test]
fn a_wrong_state_is_seen() {
    let problem = mixed(1);
    let (_, truth) = run("bpp", &problem, &Stop::default()).expect("accepted");
    let scale = problem.scale();
    let is_open = |i: &usize| {
        let (lo, hi) = problem.laws[*i].bounds();
        hi > lo && truth.w[*i].abs() > 0.01 * scale
    };
    let clear = (0..problem.rows()).find(is_open).expect("some row is open");
    let mut wrong = truth.clone();
    wrong.set[clear] = taut_lcp::RowState::Free;
    assert_eq!(differing(&problem, &wrong, &truth), [clear]);
    assert_eq!(differing(&problem, &truth, &truth), [0; 0]);
}

#[test]
fn settings_are_checked() {
    let none = Partition::Nested { bodies: 0 };
    assert!(methods(none, 10).iter().all(|config| config.build().is_err()));
}
