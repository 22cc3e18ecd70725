//! Methods on conjugate gradients: exact answers where they say Converged,
//! with every preconditioner; warm starts; presets.

mod common;

use common::{diagonal, distance, run, run_config};
use taut_lcp::generate::{BoxedKind, MultibodyOptions, fluid, multibody, random_boxed};
use taut_lcp::matrix_free::bpp_pcg;
use taut_lcp::matrix_free::pgcg;
use taut_lcp::matrix_free::precondition::{Kind, Prescale};
use taut_lcp::{Dense, Iterate, Multibody, Operator, Problem, Session, SolverConfig, Status, Stop};

const KINDS: [Kind; 6] = [
    Kind::Jacobi,
    Kind::BlockJacobi,
    Kind::Ic0Shift,
    Kind::Ict,
    Kind::PartialShift,
    Kind::ImaginaryIc0,
];

/// Both methods with a preconditioner.
fn both(kind: Kind) -> [SolverConfig; 2] {
    let mut bpp_pcg = bpp_pcg::Settings::default();
    bpp_pcg.pcg.precondition.kind = kind;
    let mut pgcg = pgcg::Settings::default();
    pgcg.pcg.precondition.kind = kind;
    [SolverConfig::BppPcg(bpp_pcg), SolverConfig::Pgcg(pgcg)]
}

/// λ against enumeration on small definite problems. Pivoting may wander, and
/// says so; descent may not.
#[test]
fn small_problems_against_enumeration() {
    let (mut solved, mut total) = (0, 0);
    for seed in 0..150 {
        let n = 1 + seed as usize % 12;
        let problem = random_boxed(n, BoxedKind::Definite, seed).expect("valid");
        let (_, truth) = run("enumerate", &problem, &Stop::default()).expect("accepted");
        let d = diagonal(&problem);
        for kind in [Kind::ImaginaryIc0, Kind::Jacobi] {
            for config in both(kind) {
                let (report, answer) =
                    run_config(&config, &problem, &Stop::default()).expect("accepted");
                total += 1;
                if report.status != Status::Converged {
                    let what = format!("{} {kind:?} seed {seed}: {report:?}", config.name());
                    assert_eq!(config.name(), "bpp_pcg", "{what}");
                    continue;
                }
                solved += 1;
                let error = distance(&answer.lambda, &truth.lambda, |i| d[i]) / problem.scale();
                assert!(error < 1e-5, "{} {kind:?} seed {seed}: {error:e}", config.name());
            }
        }
    }
    assert!(50 * solved >= 49 * total, "{solved} of {total}");
}

/// Bodies: the answer of `bpp`, with every preconditioner.
#[test]
fn chains_and_piles_against_bpp() {
    for seed in 0..4 {
        let options = MultibodyOptions { links: 3, pile: 5, mass_ratio: 1e2, compliance: 1e-7 };
        let problem = multibody(&options, seed).expect("valid");
        let (_, truth) = run("bpp", &problem, &Stop::default()).expect("accepted");
        for config in KINDS.into_iter().flat_map(both) {
            let (report, answer) =
                run_config(&config, &problem, &Stop::default()).expect("accepted");
            assert_eq!(report.status, Status::Converged, "{config:?} seed {seed}: {report:?}");
            let w = distance(&answer.w, &truth.w, |_| 1.0) / problem.scale();
            assert!(w < 1e-6, "{config:?} seed {seed}: w differs by {w:e}");
        }
    }
}

/// Entry by entry, and several parts.
#[test]
fn sparse_matrices() {
    let problem = fluid(5, 1).expect("valid");
    let (_, truth) = run("bpp", &problem, &Stop::default()).expect("accepted");
    let d = diagonal(&problem);
    for config in KINDS.into_iter().flat_map(both) {
        let (report, answer) = run_config(&config, &problem, &Stop::default()).expect("accepted");
        assert_eq!(report.status, Status::Converged, "{config:?}: {report:?}");
        let error = distance(&answer.lambda, &truth.lambda, |i| d[i]) / problem.scale();
        assert!(error < 1e-6, "{config:?}: {error:e}");
    }
}

fn solve_from(config: &SolverConfig, problem: &Problem, start: &Iterate) -> (usize, Status) {
    let mut session = Session::new(config).expect("valid");
    session.start_from(start.clone());
    let report = *session.solve(problem).expect("accepted").report();
    (report.counts.inner, report.status)
}

/// From the answer of a problem with slightly other loads, fewer inner
/// iterations are needed.
#[test]
fn warm_starts_help() {
    let options = MultibodyOptions { links: 10, pile: 20, mass_ratio: 1e2, compliance: 1e-7 };
    let mut problem = multibody(&options, 3).expect("valid");
    for config in both(Kind::ImaginaryIc0) {
        let (report, answer) = run_config(&config, &problem, &Stop::default()).expect("accepted");
        assert_eq!(report.status, Status::Converged);
        problem.b.iter_mut().enumerate().for_each(|(i, b)| *b *= 1.0 + 1e-6 * (i % 7) as f64);
        let (cold, _) = solve_from(&config, &problem, &Iterate::default());
        let (warm, status) = solve_from(&config, &problem, &answer);
        assert_eq!(status, Status::Converged);
        assert!(2 * warm < cold, "{}: {warm} warm, {cold} cold", config.name());
    }
}

/// Ho22's settings end with a small error, if not always with 1e-9.
#[test]
fn presets_of_ho22() {
    let options = MultibodyOptions { links: 3, pile: 5, mass_ratio: 1e2, compliance: 1e-7 };
    let problem = multibody(&options, 1).expect("valid");
    let presets = [
        SolverConfig::BppPcg(bpp_pcg::Settings::ho22()),
        SolverConfig::Pgcg(pgcg::Settings::ho22()),
    ];
    for config in presets {
        let (report, _) = run_config(&config, &problem, &Stop::default()).expect("accepted");
        assert!(report.verdict.relative_residual < 1e-4, "{}: {report:?}", config.name());
        assert!(report.verdict.energy_error < 1e-10, "{}: {report:?}", config.name());
        assert!(report.counts.inner > 0 && report.counts.incomplete_columns > 0);
    }
}

/// Plain IC(0) breaks down on many contacts: the status says so. (Pivoting
/// tries with a proximal term first, and may get there.)
#[test]
fn breakdown_is_said() {
    let mut singular = 0;
    for seed in 0..10 {
        let options = MultibodyOptions { links: 4, pile: 80, mass_ratio: 1e5, compliance: 1e-10 };
        let problem = multibody(&options, seed).expect("valid");
        let [_, mut config] = both(Kind::Ic0);
        if let SolverConfig::Pgcg(settings) = &mut config {
            settings.sweeps = 0; // all rows free at first
        }
        let (report, _) = run_config(&config, &problem, &Stop::default()).expect("accepted");
        let expected = [Status::Singular, Status::Converged];
        assert!(expected.contains(&report.status), "seed {seed}: {report:?}");
        singular += usize::from(report.status == Status::Singular);
    }
    assert!(singular > 0);
}

/// Scaling changes P, not the answer.
#[test]
fn prescaled() {
    let options = MultibodyOptions { links: 5, pile: 5, mass_ratio: 1e4, compliance: 1e-7 };
    let problem = multibody(&options, 5).expect("valid");
    for prescale in [Prescale::None, Prescale::Diagonal, Prescale::ColumnNorm] {
        for kind in [Kind::Ic0Shift, Kind::Ict] {
            for mut config in both(kind) {
                match &mut config {
                    SolverConfig::BppPcg(s) => s.pcg.precondition.prescale = prescale,
                    SolverConfig::Pgcg(s) => s.pcg.precondition.prescale = prescale,
                    _ => unreachable!("one of the two"),
                }
                let (report, _) =
                    run_config(&config, &problem, &Stop::default()).expect("accepted");
                assert_eq!(report.status, Status::Converged, "{prescale:?} {config:?}");
            }
        }
    }
}

/// M⁻¹ y by elimination, without the library.
fn solve6(m: &[[f64; 6]; 6], y: &[f64; 6]) -> [f64; 6] {
    let (mut m, mut x) = (*m, *y);
    for k in 0..6 {
        for i in k + 1..6 {
            let f = m[i][k] / m[k][k];
            (k..6).for_each(|j| m[i][j] -= f * m[k][j]);
            x[i] -= f * x[k];
        }
    }
    for i in (0..6).rev() {
        let sum: f64 = (i + 1..6).map(|j| m[i][j] * x[j]).sum();
        x[i] = (x[i] - sum) / m[i][i];
    }
    x
}

/// J M⁻¹ Jᵀ + C, entry by entry.
fn formed(a: &Multibody) -> Vec<f64> {
    let m = a.rows();
    let mut entries = vec![0.0; m * m];
    for i in 0..m {
        for j in 0..=i {
            let ((bodies, x), (others, y)) = (a.row(i), a.row(j));
            for (b, x) in bodies.iter().zip(x) {
                for (_, y) in others.iter().zip(y).filter(|(c, _)| *c == b) {
                    let v = solve6(a.mass(*b as usize), y);
                    entries[i * m + j] += (0..6).map(|k| x[k] * v[k]).sum::<f64>();
                }
            }
            entries[j * m + i] = entries[i * m + j];
        }
        entries[i * m + i] += a.compliance()[i];
    }
    entries
}

/// Piles as matrices, redundant and without compliance: many rows hit their
/// bounds on the way, and what is left of them in a vector must not count.
#[test]
fn piles_entry_by_entry() {
    for seed in 0..10 {
        let options = MultibodyOptions { links: 0, pile: 25, mass_ratio: 10.0, compliance: 0.0 };
        let bodies = multibody(&options, seed).expect("valid");
        let Operator::Multibody(a) = &bodies.operator else { unreachable!("it is multibody") };
        let dense = Dense::from_rows(a.rows(), formed(a)).expect("square");
        let problem = Problem::new(Operator::Dense(dense), bodies.b.clone(), bodies.laws.clone());
        let problem = problem.expect("valid");
        let (_, truth) = run("bpp", &problem, &Stop::default()).expect("accepted");
        for kind in [Kind::ImaginaryIc0, Kind::BlockJacobi] {
            let [_, config] = both(kind);
            let (report, answer) =
                run_config(&config, &problem, &Stop::default()).expect("accepted");
            assert_eq!(report.status, Status::Converged, "{kind:?} seed {seed}: {report:?}");
            let w = distance(&answer.w, &truth.w, |_| 1.0) / problem.scale();
            assert!(w < 1e-4, "{kind:?} seed {seed}: w differs by {w:e}");
        }
    }
}

/// The same bodies and rows, each block of M with a geometric term of up to a
/// hundred times the inertia, and all of its entries coupled.
fn loaded(a: &Multibody) -> Multibody {
    let mut loaded = Multibody::default();
    for b in 0..a.body_count() {
        let mut block = *a.mass(b);
        let scale = 10.0_f64.powi(b as i32 % 3);
        let g: [f64; 6] = std::array::from_fn(|k| (((7 * b + 3 * k) % 5) as f64 - 2.0) / 3.0);
        for (i, row) in block.iter_mut().enumerate() {
            let weight = a.mass(b)[i][i].sqrt() * g[i] * scale;
            (0..6).for_each(|j| row[j] += weight * g[j] * a.mass(b)[j][j].sqrt());
        }
        loaded.push_body(block).expect("definite");
    }
    for i in 0..a.rows() {
        let parts: Vec<_> = a.row(i).0.iter().copied().zip(a.row(i).1.iter().copied()).collect();
        loaded.push_row(&parts, a.compliance()[i]).expect("valid");
    }
    loaded
}

/// The inner block solve is exact: M is block-diagonal, and its full blocks,
/// geometric term included, are what conjugate gradients see.
#[test]
fn full_mass_blocks_are_applied() {
    let mut moved = 0.0_f64;
    for seed in 0..4 {
        let options = MultibodyOptions { links: 4, pile: 5, mass_ratio: 1e2, compliance: 1e-7 };
        let plain = multibody(&options, seed).expect("valid");
        let Operator::Multibody(a) = &plain.operator else { unreachable!("it is multibody") };
        let a = loaded(a);
        let m = a.rows();
        let dense = Dense::from_rows(m, formed(&a)).expect("square");
        let pose = |operator| Problem::new(operator, plain.b.clone(), plain.laws.clone());
        let truth = pose(Operator::Dense(dense)).expect("valid");
        let (_, truth) = run("bpp", &truth, &Stop::default()).expect("accepted");
        let problem = pose(Operator::Multibody(a)).expect("valid");
        for config in KINDS.into_iter().flat_map(both) {
            let (report, answer) =
                run_config(&config, &problem, &Stop::default()).expect("accepted");
            assert_eq!(report.status, Status::Converged, "{config:?} seed {seed}: {report:?}");
            let w = distance(&answer.w, &truth.w, |_| 1.0) / problem.scale();
            assert!(w < 1e-6, "{config:?} seed {seed}: w differs by {w:e}");
        }
        let (_, without) = run("bpp", &plain, &Stop::default()).expect("accepted");
        moved = moved.max(distance(&without.w, &truth.w, |_| 1.0) / problem.scale());
    }
    assert!(moved > 1e-2, "the geometric term changes w by {moved:e} only");
}
