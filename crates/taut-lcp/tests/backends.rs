//! The backends are several roads to one answer.

use taut_lcp::generate::{BoxedKind, MultibodyOptions, multibody, random_boxed};
use taut_lcp::pivoting::bpp;
use taut_lcp::{
    Backend, Iterate, Multibody, Operator, Problem, Report, Session, SolverConfig, Sparse, Status,
    interior::ipm,
};

fn run(problem: &Problem, config: &SolverConfig) -> (Report, Iterate) {
    let mut session = Session::new(config).expect("valid settings");
    let report = *session.solve(problem).expect("accepted").report();
    (report, session.into_iterate())
}

fn with_bpp(problem: &Problem, backend: Option<Backend>) -> (Report, Iterate) {
    run(problem, &SolverConfig::Bpp(bpp::Settings { backend, ..Default::default() }))
}

/// Largest difference of λ, in units of √energy, relative to the largest λ.
fn lambda_difference(problem: &Problem, a: &Iterate, b: &Iterate) -> f64 {
    let mut diagonal = vec![0.0; problem.rows()];
    problem.operator.diagonal(&mut diagonal);
    let largest = |f: &dyn Fn(usize) -> f64| {
        (0..problem.rows()).map(|i| f(i).abs() * diagonal[i].sqrt()).fold(0.0, f64::max)
    };
    largest(&|i| a.lambda[i] - b.lambda[i]) / largest(&|i| a.lambda[i])
}

/// While rows pivot, a face needs one correction; only the last one is refined.
#[test]
fn pivots_are_found_without_refinement() {
    let mut pivoted = 0;
    for seed in 0..10 {
        let options = MultibodyOptions { links: 30, pile: 10, ..Default::default() };
        let problem = multibody(&options, seed).expect("valid options");
        let (report, _) = with_bpp(&problem, Some(Backend::Primal));
        assert_eq!(report.status, Status::Converged, "seed {seed}");
        if report.counts.iterations >= 4 && !report.counts.fell_back {
            pivoted += 1;
            assert!(report.counts.inner <= 3, "seed {seed}: {:?}", report.counts);
        }
    }
    assert!(pivoted >= 3, "{pivoted} of ten problems take four pivots");
}

/// The same problem with its matrix multiplied out.
fn entry_by_entry(problem: &Problem) -> Problem {
    let m = problem.rows();
    let (mut column, mut scratch) = (vec![0.0; m], Vec::new());
    let mut lower = Vec::new();
    for j in 0..m {
        let unit: Vec<f64> = (0..m).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
        problem.operator.apply(&unit, &mut column, &mut scratch);
        lower.extend((j..m).filter(|&i| column[i] != 0.0).map(|i| (i, j, column[i])));
    }
    let a = Sparse::from_lower_triplets(m, &lower).expect("a lower triangle");
    Problem { operator: Operator::Sparse(a), b: problem.b.clone(), laws: problem.laws.clone() }
}

/// Pairs of equal rows, told apart by a compliance ten times smaller than the
/// proximal shift, and an answer in which they oppose each other: the centre
/// comes nearer by a tenth in each move, unless the shift follows.
#[test]
fn small_compliance_among_the_entries_is_found() {
    let m = 12;
    let g = |i: usize, k: usize| ((7 * (i / 2) + 3 * k) % 5) as f64 - 1.5;
    let entry = |i: usize, j: usize| (0..3).map(|k| g(i, k) * g(j, k)).sum::<f64>();
    let compliance = |i: usize| 1e-9 * entry(i, i);
    let diagonal = |i: usize, j: usize| if i == j { compliance(i) } else { 0.0 };
    let rows = (0..m).flat_map(|i| (0..=i).map(move |j| (i, j)));
    let lower: Vec<_> = rows.map(|(i, j)| (i, j, entry(i, j) + diagonal(i, j))).collect();
    let a = Sparse::from_lower_triplets(m, &lower).expect("a lower triangle");
    let apart = |i: usize| if i.is_multiple_of(2) { 1e3 } else { -1e3 };
    let b = |i: usize| -(0..m).map(|j| entry(i, j)).sum::<f64>() - compliance(i) * (1.0 + apart(i));
    let infinite = vec![f64::INFINITY; m];
    let free: Vec<f64> = infinite.iter().map(|i| -i).collect();
    let problem = Problem::boxed(Operator::Sparse(a), (0..m).map(b).collect(), &free, &infinite);
    let problem = problem.expect("valid");
    for backend in [Backend::Dense, Backend::Dual] {
        let (report, found) = with_bpp(&problem, Some(backend));
        assert_eq!(report.status, Status::Converged, "{:?}", report.verdict);
        let errors = (0..m).map(|i| (found.lambda[i] - 1.0 - apart(i)).abs());
        assert!(errors.fold(0.0, f64::max) < 10.0, "{:?}", found.lambda);
    }
}

/// Compliance is then part of the entries.
#[test]
fn entries_give_the_answer_of_bodies() {
    for (links, pile) in [(4, 6), (60, 0), (0, 25), (20, 40)] {
        for compliance in [1e-7, 1e-9, 1e-10] {
            for seed in 0..3 {
                let options = MultibodyOptions { links, pile, mass_ratio: 10.0, compliance };
                let bodies = multibody(&options, seed).expect("valid options");
                let (_, exact) = with_bpp(&bodies, Some(Backend::Primal));
                let entries = entry_by_entry(&bodies);
                for backend in [None, Some(Backend::Dense), Some(Backend::Dual)] {
                    let (report, found) = with_bpp(&entries, backend);
                    let what = format!("{links} {pile} {compliance} {seed} {backend:?}");
                    assert_eq!(report.status, Status::Converged, "{what}");
                    let gaps = exact.w.iter().zip(&found.w).map(|(a, b)| (a - b).abs());
                    let gap = gaps.fold(0.0, f64::max) / entries.scale();
                    assert!(gap < 1e-6, "{what}: {gap}");
                }
            }
        }
    }
}

/// Compliance 1e-7 to 1e-10 of the diagonal, mass ratios up to 1e6. What
/// rounding can do to λ grows with 1/compliance (redundant contacts share a
/// load in many ways that only the compliance tells apart); w does not care.
#[test]
fn dual_and_primal_agree() {
    for (links, pile) in [(4, 6), (60, 0), (0, 25), (20, 40)] {
        for mass_ratio in [1.0, 1e3, 1e6] {
            for compliance in [1e-7, 1e-8, 1e-9, 1e-10] {
                for seed in 0..3 {
                    let options = MultibodyOptions { links, pile, mass_ratio, compliance };
                    let problem = multibody(&options, seed).expect("valid options");
                    let (dual_report, dual) = with_bpp(&problem, Some(Backend::Dual));
                    let (primal_report, primal) = with_bpp(&problem, Some(Backend::Primal));
                    let case = format!("{options:?}, seed {seed}");
                    for (report, backend) in
                        [(dual_report, Backend::Dual), (primal_report, Backend::Primal)]
                    {
                        assert_eq!(report.status, Status::Converged, "{case}: {report:?}");
                        assert_eq!(report.choice.backend, Some(backend));
                    }
                    let dw = dual.w.iter().zip(&primal.w).map(|(a, b)| (a - b).abs());
                    let dw = dw.fold(0.0, f64::max) / problem.scale();
                    assert!(dw <= 2e-9, "{case}: w differs by {dw:e}");
                    let dl = lambda_difference(&problem, &dual, &primal);
                    assert!(dl <= 1e-15 / compliance, "{case}: λ differs by {dl:e}");
                }
            }
        }
    }
}

/// The skyline has the rounding of the dual form, however its factor was come
/// by.
#[test]
fn dual_and_skyline_agree() {
    for (links, pile) in [(4, 6), (60, 0), (0, 25), (20, 40)] {
        for (mass_ratio, compliance) in [(1.0, 1e-7), (1e3, 1e-9), (1e6, 1e-10), (1e3, 0.0)] {
            let options = MultibodyOptions { links, pile, mass_ratio, compliance };
            let problem = multibody(&options, 1).expect("valid options");
            let (_, dual) = with_bpp(&problem, Some(Backend::Dual));
            let (report, skyline) = with_bpp(&problem, Some(Backend::Skyline));
            assert_eq!(report.status, Status::Converged, "{options:?}: {report:?}");
            assert_eq!(report.choice.backend, Some(Backend::Skyline));
            let dw = dual.w.iter().zip(&skyline.w).map(|(a, b)| (a - b).abs());
            let dw = dw.fold(0.0, f64::max) / problem.scale();
            assert!(dw <= 2e-9 + if compliance > 0.0 { 0.0 } else { 1e-7 }, "{options:?}: {dw:e}");
        }
    }
    // Matrices given entry by entry, and in parts.
    for seed in 0..10 {
        let boxed = random_boxed(30, BoxedKind::Definite, seed).expect("valid");
        let (report, answer) = with_bpp(&boxed, Some(Backend::Skyline));
        assert_eq!(report.status, Status::Converged);
        let (_, dense) = with_bpp(&boxed, None);
        assert!(lambda_difference(&boxed, &dense, &answer) < 1e-9);
    }
}

/// Without any compliance A is singular; λ is not unique, w is.
#[test]
fn both_solve_singular_problems() {
    for seed in 0..10 {
        let options = MultibodyOptions { compliance: 0.0, pile: 20, ..Default::default() };
        let problem = multibody(&options, seed).expect("valid options");
        let (dual_report, dual) = with_bpp(&problem, Some(Backend::Dual));
        let (primal_report, primal) = with_bpp(&problem, Some(Backend::Primal));
        assert_eq!(dual_report.status, Status::Converged, "seed {seed}: {dual_report:?}");
        assert_eq!(primal_report.status, Status::Converged, "seed {seed}: {primal_report:?}");
        let dw = dual.w.iter().zip(&primal.w).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(dw <= 1e-7 * problem.scale(), "seed {seed}: w differs by {dw:e}");
    }
}

/// The interior-point method has the same two roads.
#[test]
fn interior_point_agrees_with_pivoting() {
    for backend in [Backend::Dual, Backend::Primal] {
        let options = MultibodyOptions { pile: 15, ..Default::default() };
        let problem = multibody(&options, 7).expect("valid options");
        let settings = ipm::Settings { backend: Some(backend), ..Default::default() };
        let (report, inside) = run(&problem, &SolverConfig::Ipm(settings));
        let (_, pivoted) = with_bpp(&problem, Some(backend));
        assert_eq!(report.status, Status::Converged);
        assert!(lambda_difference(&problem, &pivoted, &inside) < 1e-6);
    }
}

/// Chains go to the dual form, piles with many rows per body to the primal.
#[test]
fn the_choice_follows_the_cost() {
    let backend = |links, pile| {
        let options = MultibodyOptions { links, pile, ..Default::default() };
        with_bpp(&multibody(&options, 1).expect("valid options"), None).0.choice.backend
    };
    assert_eq!(backend(50, 0), Some(Backend::Dual));
    let mut a = taut_lcp::Multibody::default();
    let mut mass = [[0.0; 6]; 6];
    (0..6).for_each(|i| mass[i][i] = 1.0);
    let body = a.push_body(mass).expect("positive definite");
    let mut laws = Vec::new();
    for k in 0..12 {
        let arm = f64::from(k);
        a.push_row(&[(body, [0.0, 0.0, 1.0, arm.sin(), arm.cos(), 0.0])], 1e-9).expect("valid");
        laws.push(taut_lcp::Law::Box { lo: 0.0, hi: f64::INFINITY });
    }
    let operator = taut_lcp::Operator::Multibody(a);
    let crowded = Problem::new(operator, vec![-1.0; 12], laws).expect("valid");
    assert_eq!(with_bpp(&crowded, None).0.choice.backend, Some(Backend::Primal));
}

/// The inverse of a mass block with coupled inertia is its inverse.
#[test]
fn masses_are_inverted() {
    let mut mass = [[0.0; 6]; 6];
    (0..6).for_each(|i| mass[i][i] = 2.0);
    (mass[3][4], mass[4][3]) = (0.5, 0.5);
    let mut a = Multibody::default();
    let body = a.push_body(mass).expect("definite") as usize;
    let inverse = a.inverse_mass(body);
    for i in 0..6 {
        for j in 0..6 {
            let product: f64 = (0..6).map(|k| mass[i][k] * inverse[k][j]).sum();
            assert!((product - f64::from(u8::from(i == j))).abs() < 1e-15, "({i}, {j}): {product}");
        }
    }
}
