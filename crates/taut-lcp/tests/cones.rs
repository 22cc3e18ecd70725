//! Exact Coulomb cones: every answer obeys the law, agrees with references, and
//! warm starts cost what they should.

mod common;

use common::{INF, apply, distance, run};
use taut_lcp::generate::{MultibodyOptions, Rng, WallOptions, multibody, wall};
use taut_lcp::solver::solve;
use taut_lcp::{
    Dense, Iterate, Judge, Law, Multibody, Operator, Problem, Report, Row6, Session, SolverConfig,
    Sparse, Status, Stop,
};

const METHODS: [&str; 2] = ["cone_newton", "auto"];
const TIGHT: Stop = Stop { tolerance: 1e-9, max_iterations: None };
const USUAL: Stop = Stop { tolerance: 1e-8, max_iterations: None };

fn cone(mu: f64) -> Law {
    Law::Cone { mu: [mu; 2], associated: false }
}

/// A = G Gᵀ + shift, rank at most `rank`.
fn gram(n: usize, rank: usize, shift: f64, rng: &mut Rng) -> Vec<f64> {
    let g: Vec<f64> = (0..n * rank).map(|_| rng.normal()).collect();
    let mut a = vec![0.0; n * n];
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        a[i * n + j] = (0..rank).map(|k| g[i * rank + k] * g[j * rank + k]).sum();
    }
    (0..n).for_each(|i| a[i * n + i] += shift);
    a
}

fn dense(n: usize, a: Vec<f64>) -> Operator {
    Operator::Dense(Dense::from_rows(n, a).expect("square"))
}

/// w of the problem at λ.
fn velocities(problem: &Problem, lambda: &[f64]) -> Vec<f64> {
    let mut w = apply(&problem.operator, lambda);
    w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
    w
}

/// Solves one contact problem by brute force: every way in which two contacts
/// open, stick or slide, the directions of sliding on a grid and then refined by
/// Gauss-Newton with differences. Returns all different solutions.
fn brute_force(problem: &Problem, mu: f64) -> Vec<Vec<f64>> {
    let n = problem.rows();
    let contacts = n / 3;
    let mut found: Vec<Vec<f64>> = Vec::new();
    let angles = 24_usize;
    let states = (2 + angles).pow(contacts as u32);
    for code in 0..states {
        let mut rest = code;
        let start: Vec<(u8, f64)> = (0..contacts)
            .map(|_| {
                let s = rest % (2 + angles);
                rest /= 2 + angles;
                let angle = s.saturating_sub(2) as f64 / angles as f64 * std::f64::consts::TAU;
                (s.min(2) as u8, angle)
            })
            .collect();
        let Some(lambda) = settle_on(problem, mu, &start) else { continue };
        let verdict = Judge::default().verdict(problem, &lambda);
        if verdict.relative_residual < 1e-9
            && found.iter().all(|f| distance(f, &lambda, |_| 1.0) > 1e-5)
        {
            found.push(lambda);
        }
    }
    found
}

/// Newton on the equations of fixed states: unknowns λₙ, λ_t of sticking contacts,
/// λₙ and an angle of sliding ones (w_t = −v (cos, sin), checked by the judge).
fn settle_on(problem: &Problem, mu: f64, start: &[(u8, f64)]) -> Option<Vec<f64>> {
    let n = problem.rows();
    // Per contact three unknowns: (λₙ, λ₁, λ₂), or (λₙ, angle, speed).
    let mut x: Vec<f64> = start.iter().flat_map(|s| [1.0, s.1, 1.0]).collect();
    for (c, s) in start.iter().enumerate() {
        if s.0 < 2 {
            x[3 * c..3 * c + 3].fill(0.0);
        }
    }
    let lambda = |x: &[f64]| -> Vec<f64> {
        let of = |c: usize| match start[c].0 {
            0 => [0.0; 3],
            1 => [x[3 * c], x[3 * c + 1], x[3 * c + 2]],
            _ => {
                let (n, a) = (x[3 * c], x[3 * c + 1]);
                [n, mu * n * a.cos(), mu * n * a.sin()]
            }
        };
        (0..start.len()).flat_map(of).collect()
    };
    let f = |x: &[f64]| -> Vec<f64> {
        let w = velocities(problem, &lambda(x));
        let of = |c: usize| match start[c].0 {
            0 => [x[3 * c], x[3 * c + 1], x[3 * c + 2]],
            1 => [w[3 * c], w[3 * c + 1], w[3 * c + 2]],
            _ => {
                let (a, v) = (x[3 * c + 1], x[3 * c + 2]);
                [w[3 * c], w[3 * c + 1] + v * a.cos(), w[3 * c + 2] + v * a.sin()]
            }
        };
        (0..start.len()).flat_map(of).collect()
    };
    for _ in 0..12 {
        let now = f(&x);
        if now.iter().all(|v| v.abs() < 1e-13) {
            break;
        }
        let mut a = vec![0.0; n * n];
        for j in 0..n {
            let mut y = x.clone();
            y[j] += 1e-7;
            f(&y)
                .iter()
                .zip(&now)
                .enumerate()
                .for_each(|(i, (p, q))| a[i * n + j] = (p - q) / 1e-7);
        }
        let dx = eliminate(n, a, now)?;
        x.iter_mut().zip(&dx).for_each(|(x, d)| *x -= d);
    }
    Some(lambda(&x)).filter(|l| l.iter().all(|v| v.is_finite()))
}

fn eliminate(n: usize, mut a: Vec<f64>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))?;
        if a[p * n + k].abs() < 1e-12 {
            return None;
        }
        (0..n).for_each(|j| a.swap(k * n + j, p * n + j));
        b.swap(k, p);
        for i in k + 1..n {
            let l = a[i * n + k] / a[k * n + k];
            (k..n).for_each(|j| a[i * n + j] -= l * a[k * n + j]);
            b[i] -= l * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| a[k * n + j] * b[j]).sum::<f64>()) / a[k * n + k];
    }
    Some(b)
}

fn check(problem: &Problem, what: &str) -> (Report, Iterate) {
    let mut end = None;
    for method in METHODS {
        let (report, answer) = run(method, problem, &TIGHT).expect("accepted");
        let r = report.verdict.relative_residual;
        assert_eq!(report.status, Status::Converged, "{what}: {method} {r:e}");
        assert!(Judge::default().verdict(problem, &answer.lambda).converged(1e-9));
        assert!(report.softening.is_none());
        end = Some((report, answer));
    }
    end.expect("two methods")
}

/// One and two contacts against every combination of states.
#[test]
fn small_problems_agree_with_brute_force() {
    let mut rng = Rng::new(1);
    let (mut compared, mut states) = (0, [0; 3]);
    for case in 0..30 {
        let contacts = 1 + case % 2;
        let n = 3 * contacts;
        let mu = [0.3, 0.7, 1.0][case % 3];
        let a = gram(n, n, 0.5, &mut rng);
        let mut b: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
        (0..contacts).for_each(|c| b[3 * c] -= 1.0);
        let problem = Problem::new(dense(n, a), b, vec![cone(mu); contacts]).expect("valid");
        let (_, answer) = check(&problem, &format!("case {case}"));
        for l in answer.lambda.chunks(3) {
            let t = l[1].hypot(l[2]);
            states[if l[0] <= 1e-9 {
                0
            } else if t < mu * l[0] * (1.0 - 1e-9) {
                1
            } else {
                2
            }] += 1;
        }
        if let [only] = &brute_force(&problem, mu)[..] {
            compared += 1;
            let error = distance(only, &answer.lambda, |_| 1.0);
            assert!(error < 1e-6, "case {case}: {error:e}");
        }
    }
    assert!(compared >= 25, "{compared} have one solution");
    assert!(states.iter().all(|s| *s > 3), "open, stuck, sliding: {states:?}");
}

/// A convex problem has one w: both methods find the same, to the square root of
/// what the judge allows, and no cone is better.
#[test]
fn associated_cones_minimize() {
    let mut rng = Rng::new(5);
    for case in 0..10 {
        let n = 12;
        let a = gram(n, if case % 2 == 0 { n } else { 7 }, 0.0, &mut rng);
        let v: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
        let b = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * v[j]).sum()).collect();
        let laws = vec![Law::Cone { mu: [0.5, 0.8], associated: true }; 4];
        let problem = Problem::new(dense(n, a), b, laws).expect("valid");
        let (_, answer) = check(&problem, &format!("associated {case}"));
        let loose = Stop { tolerance: 1e-7, ..TIGHT };
        let (report, other) = run("cone_ipm", &problem, &loose).expect("accepted");
        assert_eq!(report.status, Status::Converged);
        let d = distance(&answer.w, &other.w, |_| 1.0) / problem.scale();
        assert!(d < 1e-4, "case {case}: {d:e}");
        let energy = |l: &[f64]| -> f64 {
            let al = apply(&problem.operator, l);
            (0..n).map(|i| (0.5 * al[i] + problem.b[i]) * l[i]).sum()
        };
        let least = energy(&answer.lambda);
        for _ in 0..50 {
            let trial: Vec<f64> = answer
                .lambda
                .chunks(3)
                .flat_map(|l| {
                    let (p, q) = (0.2 * rng.normal(), 0.2 * rng.normal());
                    let (t1, t2) = (l[1] + p * 0.5, l[2] + q * 0.8);
                    [l[0].max((t1 / 0.5).hypot(t2 / 0.8)), t1, t2]
                })
                .collect();
            assert!(energy(&trial) >= least - 1e-7 * (1.0 + least.abs()));
        }
    }
}

/// A block on the ground, pushed in many directions: it sticks below the limit, and
/// beyond it |f_t| = μ fₙ against the slip.
#[test]
fn a_block_slides_against_its_friction() {
    let mu = 0.4;
    for k in 0..64 {
        let angle = f64::from(k) * std::f64::consts::TAU / 64.0;
        let (p, q) = (angle.cos(), angle.sin());
        for (speed, slides) in [(0.05, false), (0.5, true)] {
            let mut body = Multibody::default();
            let mass = std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    f64::from(u8::from(i == j)) * if i < 3 { 2.0 } else { 0.05 }
                })
            });
            body.push_body(mass).expect("definite");
            // The contact frame of the ground, turned against the push.
            let (c, s) = (0.3_f64.cos(), 0.3_f64.sin());
            for d in [[0.0, 0.0, 1.0], [c, s, 0.0], [-s, c, 0.0]] {
                let row: Row6 = [d[0], d[1], d[2], 0.0, 0.0, 0.0];
                body.push_row(&[(0, row)], 1e-12).expect("in order");
            }
            let b = vec![-0.3, speed * (c * p + s * q), speed * (c * q - s * p)];
            let problem = Problem::new(Operator::Multibody(body), b, vec![cone(mu)]);
            let (_, answer) = check(&problem.expect("valid"), "block");
            let (l, w) = (&answer.lambda, &answer.w);
            assert!((l[0] - 0.6).abs() < 1e-9, "{l:?}");
            let (f, v) = (l[1].hypot(l[2]), w[1].hypot(w[2]));
            if slides {
                assert!((f - mu * l[0]).abs() < 1e-9 && v > 0.1);
                assert!((l[1] * w[1] + l[2] * w[2] + f * v).abs() < 1e-9, "against the slip");
            } else {
                assert!(f < mu * l[0] && v < 1e-9, "{l:?} {w:?}");
            }
        }
    }
}

/// No friction in one tangent or both, μ > 1, zero rows, the same contact twice, a
/// singular matrix.
#[test]
fn degenerate_problems() {
    let mut rng = Rng::new(7);
    for case in 0..20 {
        let n = 9;
        let mut a = gram(n, n, 0.2, &mut rng);
        let v: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
        let mut laws = vec![cone(0.5); 3];
        match case % 5 {
            0 => laws[1] = cone(0.0),
            1 => laws[1] = Law::Cone { mu: [0.0, 0.7], associated: false },
            2 => laws[2] = cone(1.6),
            3 => {
                // Contact 1 repeats contact 0.
                for i in 0..3 {
                    (0..n).for_each(|j| a[(3 + i) * n + j] = a[i * n + j]);
                }
                for j in 0..3 {
                    (0..n).for_each(|i| a[i * n + 3 + j] = a[i * n + j]);
                }
            }
            _ => {
                // Contact 2 moves nothing.
                for i in 6..9 {
                    (0..n).for_each(|j| (a[i * n + j], a[j * n + i]) = (0.0, 0.0));
                }
            }
        }
        let b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * v[j]).sum()).collect();
        let problem = Problem::new(dense(n, a), b, laws).expect("valid");
        let (_, answer) = check(&problem, &format!("degenerate {case}"));
        if case % 5 == 0 {
            assert_eq!(answer.lambda[4..6], [0.0; 2]);
        }
    }
    // Nothing but zeros.
    let zero = Problem::new(dense(3, vec![0.0; 9]), vec![1.0, 2.0, 0.0], vec![cone(0.5)]);
    let _ = check(&zero.expect("valid"), "zero");
}

/// What has no answer is never called solved; nothing panics or is not finite.
#[test]
fn problems_without_solution() {
    // A contact that moves nothing and approaches; and contradictory joints.
    let falls = Problem::new(dense(3, vec![0.0; 9]), vec![-1.0, 0.0, 0.0], vec![cone(0.5)]);
    let mut a = vec![0.0; 25];
    (0..5).for_each(|i| a[i * 6] = 1.0);
    (a[19], a[23]) = (1.0, 1.0); // Rows 3 and 4 are the same.
    let laws = vec![cone(0.5), Law::Bilateral, Law::Bilateral];
    let torn = Problem::new(dense(5, a), vec![-1.0, 0.3, 0.0, 1.0, -1.0], laws);
    for problem in [falls.expect("valid"), torn.expect("valid")] {
        for method in ["cone_newton", "cone_ipm", "auto"] {
            let (report, answer) = run(method, &problem, &TIGHT).expect("accepted");
            if method == "cone_ipm" {
                let honest = [Status::Stalled, Status::IterationLimit];
                assert!(honest.contains(&report.status), "{method}: {:?}", report.status);
            } else {
                assert_eq!(report.status, Status::Infeasible, "{method}");
                assert_eq!(common::check_certificate(&problem, &answer.certificate), Ok(()));
            }
            assert!(answer.lambda.iter().chain(&answer.w).all(|v| v.is_finite()));
        }
    }
    // Numbers at the end of the range.
    let huge = Problem::new(
        dense(3, vec![1e300, 0.0, 0.0, 0.0, 1e-300, 0.0, 0.0, 0.0, 1e300]),
        vec![-1e300, 1e300, 1e-300],
        vec![cone(1e30)],
    );
    for method in ["cone_newton", "cone_ipm"] {
        let _ = run(method, huge.as_ref().expect("valid"), &TIGHT).expect("a status");
    }
}

/// Contacts of a generated pile as cones, in place of boxes.
fn with_cones(mut problem: Problem, mu: f64) -> Problem {
    let boxes = std::mem::take(&mut problem.laws);
    problem.laws = boxes
        .iter()
        .filter_map(|law| match law {
            Law::FrictionBox { .. } => None,
            Law::Box { .. } => Some(cone(mu)),
            other => Some(*other),
        })
        .collect();
    problem
}

/// The same matrix entry by entry.
fn as_dense(problem: &Problem) -> Problem {
    let n = problem.rows();
    let mut a = vec![0.0; n * n];
    for j in 0..n {
        let mut e = vec![0.0; n];
        e[j] = 1.0;
        apply(&problem.operator, &e).iter().enumerate().for_each(|(i, v)| a[i * n + j] = *v);
    }
    Problem { operator: dense(n, a), ..problem.clone() }
}

fn as_sparse(problem: &Problem) -> Problem {
    let Operator::Dense(a) = &as_dense(problem).operator else { unreachable!() };
    let n = problem.rows();
    let lower = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j)));
    let lower: Vec<_> = lower.map(|(i, j)| (i, j, a.get(i, j))).filter(|e| e.2 != 0.0).collect();
    let a = Sparse::from_lower_triplets(n, &lower).expect("in range");
    Problem { operator: Operator::Sparse(a), ..problem.clone() }
}

/// Chains and piles: joints, cones, and boxes among them, in all three forms.
#[test]
fn joints_boxes_and_cones_in_every_form() {
    for seed in 0..8 {
        let options = MultibodyOptions { mass_ratio: 1e3, compliance: 1e-7, ..Default::default() };
        let mut problem = with_cones(multibody(&options, seed).expect("valid"), 0.5);
        if seed % 2 == 1 {
            // A limit and a motor at the first joint, and a row that is held.
            problem.laws[0] = Law::Box { lo: 0.0, hi: INF };
            problem.laws[1] = Law::FrictionBox { normal: 0, mu: 0.5, bound: 0.05 };
            problem.laws[2] = Law::Box { lo: 0.01, hi: 0.01 };
        }
        let forms = [problem.clone(), as_dense(&problem), as_sparse(&problem)];
        let answers: Vec<_> = forms.iter().map(|p| check(p, &format!("seed {seed}")).1).collect();
        for other in &answers[1..] {
            let d = distance(&answers[0].w, &other.w, |_| 1.0) / problem.scale();
            assert!(d < 1e-6, "seed {seed}: w differs by {d:e}");
        }
    }
}

/// Balls that fly and meet, fewer contacts than bodies: A itself is the smaller problem, and is formed.
#[test]
fn few_contacts_of_many_bodies() {
    for seed in 0..4 {
        let (mut rng, balls, mu) = (Rng::new(seed), 160, 0.3 + 0.4 * seed as f64);
        let mut a = Multibody::default();
        for _ in 0..balls {
            let mass = rng.range(0.5, 2.0);
            let inertia = std::array::from_fn(|i| {
                std::array::from_fn(|j| if i == j { 0.4 * mass } else { 0.0 })
            });
            let _ = a.push_rigid_body(mass, &inertia).expect("a body");
        }
        let meets = 120;
        for k in 0..meets {
            // Neighbours, and some far off, which closes rings.
            let (one, other) = (k, if k % 5 == 0 { k + 37 } else { k + 1 });
            let n = rng.direction();
            let cross = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] {
                std::array::from_fn(|i| {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    a[j] * b[k] - a[k] * b[j]
                })
            };
            let least = (0..3).fold(0, |m, i| if n[i].abs() < n[m].abs() { i } else { m });
            let t = cross(n, std::array::from_fn(|i| f64::from(u8::from(i == least))));
            let length = t.iter().map(|t| t * t).sum::<f64>().sqrt();
            let t = t.map(|t| t / length);
            for d in [n, t, cross(n, t)] {
                // Arms of one metre along n, to either side.
                let turn = cross(n, d);
                let row = |sign: f64| -> Row6 {
                    std::array::from_fn(|i| if i < 3 { sign * d[i] } else { -turn[i - 3] })
                };
                a.push_row(&[(one, row(-1.0)), (other, row(1.0))], 0.0).expect("a row");
            }
        }
        let v: Vec<f64> = (0..6 * balls).map(|_| rng.normal()).collect();
        let b = (0..a.rows()).map(|i| a.row_dot(i, &v)).collect();
        let laws = vec![cone(mu); meets as usize];
        let problem = Problem { operator: Operator::Multibody(a), b, laws };
        let (report, answer) = check(&problem, "balls");
        assert_eq!(report.choice.backend, Some(taut_lcp::Backend::Dual));
        let (_, other) = check(&as_sparse(&problem), "entries");
        let d = distance(&answer.w, &other.w, |_| 1.0) / problem.scale();
        assert!(d < 1e-7, "seed {seed}: w differs by {d:e}");
    }
}

/// A chain of a hundred joints with a mass of 50,000 times its links at the end, on
/// a heap of cones.
#[test]
fn long_chains_with_heavy_ends() {
    let options = MultibodyOptions { links: 100, pile: 20, mass_ratio: 5e4, compliance: 1e-9 };
    let problem = with_cones(multibody(&options, 3).expect("valid"), 0.5);
    let _ = check(&problem, "chain");
}

#[test]
fn matrices_need_not_be_symmetric() {
    let mut rng = Rng::new(11);
    for case in 0..10 {
        let n = 12;
        let mut a = gram(n, n, 0.5, &mut rng);
        for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let skew = 0.05 * rng.normal();
            a[i * n + j] += skew;
            a[j * n + i] -= skew;
        }
        let b = (0..n).map(|i| if i % 3 == 0 { -1.0 } else { rng.normal() }).collect();
        let problem = Problem::new(dense(n, a), b, vec![cone(0.6); 4]).expect("valid");
        let _ = check(&problem, &format!("skewed {case}"));
    }
}

/// Walls at rest and hit. From the answer, a step with nearly the same load costs one
/// factorization with the states of the start, and one more where a contact leaves them.
#[test]
fn walls_and_warm_starts() {
    for (hit, mu, associated) in [(0.0, 0.6, false), (3.0, 0.3, false), (0.0, 0.6, true)] {
        let options = WallOptions { hit, mu: [mu; 2], associated, ..Default::default() };
        let problem = wall(&options).expect("valid");
        let mut solver = SolverConfig::named("cone_newton").expect("known").build().expect("valid");
        let (mut iterate, mut judge) = (Iterate::default(), Judge::default());
        let cold = solve(solver.as_mut(), &problem, &USUAL, &mut iterate, &mut judge, &mut ())
            .expect("ok");
        assert_eq!(cold.status, Status::Converged, "hit {hit}");
        let mut next = problem.clone();
        next.b.iter_mut().for_each(|b| *b *= 1.0 + 1e-5);
        let warm =
            solve(solver.as_mut(), &next, &USUAL, &mut iterate, &mut judge, &mut ()).expect("ok");
        assert_eq!((warm.status, warm.choice.warm), (Status::Converged, true), "hit {hit}");
        assert!(warm.counts.factorizations <= 2, "hit {hit}: {:?}", warm.counts);
    }
}

/// Where the problem as posed does not settle, a softer one is solved, and that is
/// said.
#[test]
fn jammed_walls_say_how_soft_they_were_solved() {
    let options =
        WallOptions { layers: 6, columns: 6, hit: 10.0, mu: [0.9; 2], ..Default::default() };
    let problem = wall(&options).expect("valid");
    let (report, answer) = run("cone_newton", &problem, &TIGHT).expect("accepted");
    if report.status == Status::Converged {
        assert!(report.softening.is_none());
        return;
    }
    assert_eq!(report.status, Status::Stalled);
    assert!(answer.lambda.iter().all(|l| l.is_finite()));
    if let Some(soft) = report.softening {
        assert!(soft.relative_residual <= 1e-9 && soft.compliance > 0.0);
        let mut softer = problem.clone();
        if let Operator::Multibody(a) = &mut softer.operator {
            for (i, d) in common::diagonal(&problem).into_iter().enumerate() {
                a.set_compliance(i, a.compliance()[i] + soft.compliance * d);
            }
        }
        let verdict = Judge::default().verdict(&softer, &answer.lambda);
        assert!(verdict.relative_residual < 2e-9, "{:e}", verdict.relative_residual);
    }
}

/// Joints alone, of which nothing is left once they are condensed.
#[test]
fn a_chain_without_contacts_is_solved() {
    let options = MultibodyOptions { links: 30, pile: 0, mass_ratio: 1e4, compliance: 1e-9 };
    let problem = multibody(&options, 7).expect("valid");
    let mut session = Session::named("cone_newton").expect("of the registry");
    let answer = session.solve(&problem).expect("accepted");
    assert_eq!(answer.status(), Status::Converged, "{:?}", answer.report());
}

/// A body pressed by two contacts from both sides with 1e13, so that A λ = 0 and w = b: small against λ, but not zero.
/// The judge sees it. (|y − P(y − z/a)|, computed as written, is zero: z/a is lost in y.)
#[test]
fn large_impulses_hide_no_velocity() {
    let rolling = Law::RollingCone { mu: 0.5, rolling: 0.5, associated: false };
    for law in [cone(0.5), Law::Cone { mu: [0.5; 2], associated: true }, rolling] {
        let n = law.rows();
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 1.0,
            d if d == n => -1.0,
            _ => 0.0,
        };
        let residual = |at: usize, impulse: f64, row: usize, w: f64| {
            let a = (0..4 * n * n).map(|k| entry(k / (2 * n), k % (2 * n))).collect();
            let mut b = vec![0.0; 2 * n];
            b[row] = w;
            let problem = Problem::new(dense(2 * n, a), b, vec![law; 2]).expect("valid");
            let mut lambda = vec![0.0; 2 * n];
            for first in [0, n] {
                (lambda[first], lambda[first + at]) = (2e13, impulse);
            }
            Judge::default().verdict(&problem, &lambda).natural_residual
        };
        assert_eq!(residual(1, 0.0, 0, 1e-3), 1e-3, "{law:?} opens");
        assert_eq!(residual(1, 0.0, 0, -1e-3), 1e-3, "{law:?} sinks in");
        let last = n - 1;
        assert!(residual(last, 0.0, last, 1e-3) >= 0.5e-3, "{law:?} slips inside its cone");
        if !matches!(law, Law::Cone { associated: true, .. }) {
            assert_eq!(residual(last, -1e13, last, 1e-3), 0.0, "{law:?} slips as it should");
        }
        assert!(residual(last, 1e13, last, 1e-3) > 1e-4, "{law:?} slips the wrong way");
    }
}
