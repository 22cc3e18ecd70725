//! Re-solving allocates nothing: memory is taken the first time only, whatever
//! the free sets are.
//!
//! One test, so that no other thread allocates while it counts.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use taut_lcp::generate::{
    BoxedKind, MultibodyOptions, WallOptions, contact, fluid, multibody, random_boxed, wall,
};
use taut_lcp::registry::ENTRIES;
use taut_lcp::solver::solve;
use taut_lcp::{Iterate, Judge, Law, Operator, Problem, Solver, SolverConfig, Stop};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What is done to a problem between two solves.
type Change = (&'static str, fn(&mut Problem));

/// Allocations of a second solve that starts from the answer of the first,
/// after `change`.
fn second_solve(solver: &mut dyn Solver, problem: &mut Problem, change: fn(&mut Problem)) -> usize {
    let (mut iterate, mut judge) = (Iterate::default(), Judge::default());
    // (Methods that need more iterations do the same in each.)
    let stop = Stop { max_iterations: Some(1000), ..Default::default() };
    let first = solve(solver, problem, &stop, &mut iterate, &mut judge, &mut ());
    assert!(first.is_ok(), "accepted");
    change(problem);
    let region = Region::new(ALLOCATOR);
    let report = solve(solver, problem, &stop, &mut iterate, &mut judge, &mut ());
    let seen = region.change();
    assert!(report.is_ok(), "accepted");
    seen.allocations + seen.reallocations
}

/// Half the load: other values, the same structure and the same index set.
fn halve(problem: &mut Problem) {
    problem.b.iter_mut().for_each(|b| *b *= 0.5);
    for law in &mut problem.laws {
        match law {
            Law::Box { lo, hi } => (*lo, *hi) = (0.5 * *lo, 0.5 * *hi),
            Law::FrictionBox { bound, .. } => *bound *= 0.5,
            _ => {}
        }
    }
}

/// The load turned round: other index sets.
fn reverse(problem: &mut Problem) {
    problem.b.iter_mut().for_each(|b| *b = -*b);
}

#[test]
fn a_second_solve_allocates_nothing() {
    let options = MultibodyOptions::default();
    // Enough bodies for several subsystems, found or named.
    let large = MultibodyOptions { links: 24, pile: 24, ..options };
    let mut named = multibody(&large, 2).expect("valid");
    if let Operator::Multibody(a) = &mut named.operator {
        (0..a.body_count()).for_each(|b| a.set_subsystem(b, Some(b as u32 / 2)));
    }
    // Enough subsystems for nested clusters of them.
    let long = MultibodyOptions { links: 600, pile: 0, mass_ratio: 10.0, ..options };
    let nested = ("long chain", multibody(&long, 1).expect("valid"));
    let mut cones = multibody(&options, 3).expect("valid");
    cones.laws.retain(|l| !matches!(l, Law::FrictionBox { .. }));
    for law in cones.laws.iter_mut().filter(|l| matches!(l, Law::Box { .. })) {
        *law = Law::Cone { mu: [0.5, 0.4], associated: false };
    }
    let problems = [
        ("cones", cones),
        ("polyhedral cones", contact(3, 1).expect("valid")),
        ("multibody", multibody(&options, 1).expect("valid")),
        ("large multibody", multibody(&large, 1).expect("valid")),
        ("named subsystems", named),
        ("wall", wall(&WallOptions { hit: 3.0, ..Default::default() }).expect("valid")),
        ("fluid", fluid(4, 1).expect("valid")),
        ("definite", random_boxed(9, BoxedKind::Definite, 1).expect("valid")),
        ("semidefinite", random_boxed(9, BoxedKind::Semidefinite, 1).expect("valid")),
    ];
    let changes: [Change; 3] = [("as it was", |_| {}), ("halved", halve), ("reversed", reverse)];
    let counted = |name: &str, problem: &Problem| {
        let mut solver = SolverConfig::named(name).expect("known").build().expect("valid");
        solver.accepts(problem).ok().map(|()| {
            changes.map(|(_, change)| second_solve(solver.as_mut(), &mut problem.clone(), change))
        })
    };
    let mut failures = Vec::new();
    for entry in ENTRIES {
        let nested = Some(&nested).filter(|_| entry.name == "schur_bpp");
        for (name, problem) in problems.iter().chain(nested) {
            if entry.name == "auto" && *name == "polyhedral cones" {
                continue; // Lemke takes its tableau anew
            }
            // Twice, for other threads, of a pool that starts up, allocate at times.
            let (first, second) = (counted(entry.name, problem), counted(entry.name, problem));
            let both = first.into_iter().flatten().zip(second.into_iter().flatten());
            for ((how, _), (first, second)) in changes.iter().zip(both) {
                if first.min(second) > 0 {
                    failures.push(format!("{} on {name}, {how}: {second}", entry.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    // The counter counts.
    let region = Region::new(ALLOCATOR);
    drop(std::hint::black_box(vec![1.0; 100]));
    assert_eq!(region.change().allocations, 1);
}
