//! Friction and rolling with a disc each, and cones in a plane: files, the law by its
//! definition, closed forms.

use taut_lcp::generate::Rng;
use taut_lcp::{Dense, General, Iterate, Law, Multibody, Operator, Problem, Session, Status};

const INF: f64 = f64::INFINITY;

fn rolling(mu: f64, rolling: f64, associated: bool) -> Law {
    Law::RollingCone { mu, rolling, associated }
}

/// A = BBᵀ + shift and a skew part, b = Bv.
fn dense(rng: &mut Rng, laws: &[Law], rank: usize, shift: f64, skew: f64) -> (Vec<f64>, Vec<f64>) {
    let m: usize = laws.iter().map(Law::rows).sum();
    let g: Vec<Vec<f64>> = (0..m).map(|_| (0..rank).map(|_| rng.normal()).collect()).collect();
    let v: Vec<f64> = (0..rank).map(|_| rng.normal()).collect();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let mut a = vec![0.0; m * m];
    for i in 0..m {
        for j in 0..m {
            a[m * i + j] = dot(&g[i], &g[j]) + if i == j { shift } else { 0.0 };
        }
        for j in 0..i {
            let s = skew * rng.normal();
            a[m * i + j] += s;
            a[m * j + i] -= s;
        }
    }
    (a, g.iter().map(|g| dot(g, &v)).collect())
}

fn velocities(problem: &Problem, lambda: &[f64]) -> Vec<f64> {
    let mut w = vec![0.0; lambda.len()];
    problem.operator.apply(lambda, &mut w, &mut Vec::new());
    w.iter().zip(&problem.b).map(|(w, b)| w + b).collect()
}

/// By how much λ and w of one contact miss the law, said with inequalities alone.
fn misses(l: &[f64], w: &[f64], mu: f64, rolling: f64, associated: bool) -> f64 {
    let (t, r) = (l[1].hypot(l[2]), l[3].hypot(l[4]));
    let (vt, vr) = (w[1].hypot(w[2]), w[3].hypot(w[4]));
    let outside = (-l[0]).max(t - mu * l[0]).max(r - rolling * l[0]);
    // The dual cone: û·x ≥ 0 for all x of the cone, that is ûₙ ≥ μ|u_t| + ρ|u_r|.
    let lift = if associated { 0.0 } else { mu * vt + rolling * vr };
    let sinks = mu * vt + rolling * vr - (w[0] + lift);
    let power = (w[0] + lift) * l[0] + (1..5).map(|k| w[k] * l[k]).sum::<f64>();
    outside.max(sinks).max(power.abs())
}

/// Contacts of both laws in every form of A: the answer obeys the law by its definition.
#[test]
fn two_discs_by_their_definition() {
    let mut rng = Rng::new(5);
    for case in 0..60 {
        let associated = case % 2 == 1;
        let mut laws = Vec::new();
        for _ in 0..1 + case % 3 {
            let (mu, turn) = ([0.0, 0.3, 1.0, 2.0][rng.index(4)], [0.0, 0.05, 0.5][rng.index(3)]);
            laws.push(rolling(mu, turn, associated));
        }
        if case % 4 == 0 {
            laws.push(Law::cone(&[0.5, 0.4], associated));
            laws.push(Law::Bilateral);
        }
        let skew = if case % 5 == 0 && !associated { 0.05 } else { 0.0 };
        let m: usize = laws.iter().map(Law::rows).sum();
        let (a, b) = dense(&mut rng, &laws, m + 1, 0.05, skew);
        let entries: Vec<_> = (0..m * m).map(|k| (k / m, k % m, a[k])).collect();
        let operator = if case % 3 == 0 {
            Operator::General(General::from_triplets(m, &entries).expect("inside"))
        } else {
            Operator::Dense(Dense::from_rows(m, a).expect("square"))
        };
        let problem = Problem::new(operator, b, laws).expect("valid");
        for name in ["auto", "cone_ipm", "bgs"] {
            let mut session = Session::named(name).expect("known").tolerance(1e-9);
            let answer = session.solve(&problem).expect("accepted");
            // (Sweeps and the interior point alone need not end.)
            if name != "auto" && answer.status() != Status::Converged {
                continue;
            }
            assert_eq!(answer.status(), Status::Converged, "{name} on case {case}");
            let (l, w) = (answer.lambda(), answer.velocities());
            for (i, law) in problem.laws_by_row() {
                if let Law::RollingCone { mu, rolling, associated } = *law {
                    let miss = misses(&l[i..i + 5], &w[i..i + 5], mu, rolling, associated);
                    assert!(miss < 1e-6, "{name} on case {case}, row {i}: {miss:e}");
                }
            }
        }
    }
}

/// One contact whose rows do not act on one another: each disc for itself.
#[test]
fn discs_of_their_own() {
    let a: Vec<f64> = [2.0, 1.0, 1.0, 4.0, 4.0].to_vec();
    let matrix = (0..25).map(|k| if k / 5 == k % 5 { a[k / 5] } else { 0.0 }).collect();
    let operator = Operator::Dense(Dense::from_rows(5, matrix).expect("square"));
    let b = vec![-1.0, 0.06, 0.08, 3.0, 4.0];
    let problem = Problem::new(operator, b, vec![rolling(0.5, 0.1, false)]).expect("valid");
    let mut session = Session::named("auto").expect("known").tolerance(1e-12);
    let answer = session.solve(&problem).expect("accepted");
    assert_eq!(answer.status(), Status::Converged);
    // It sticks, and turns against 0.1 of the normal 0.5.
    let exact = [0.5, -0.06, -0.08, -0.03, -0.04];
    assert!(answer.lambda().iter().zip(&exact).all(|(l, e)| (l - e).abs() < 1e-10));
    // From its answer nothing is left to do.
    assert_eq!(session.solve(&problem).expect("accepted").report().counts.iterations, 0);
}

/// A ball that rolls, as bodies: with μ enough to stick it slows down by ρ N/(7/5 m R) a
/// second, whatever μ is.
#[test]
fn a_ball_is_slowed_by_rolling() {
    let (mass, radius, dt, speed) = (2.0, 0.1, 0.01, 1.0);
    let inertia = 0.4 * mass * radius * radius;
    let mut a = Multibody::default();
    let of = [mass, mass, mass, inertia, inertia, inertia];
    let block = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { of[i] } else { 0.0 }));
    let body = a.push_body(block).expect("definite");
    // Normal z, tangents x and y at the foot, turns about y and x.
    let rows = [
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0, -radius, 0.0],
        [0.0, 1.0, 0.0, radius, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    ];
    rows.iter().for_each(|row| a.push_row(&[(body, *row)], 0.0).expect("in order"));
    let b = vec![-9.81 * dt, 0.0, 0.0, speed / radius, 0.0];
    let law = rolling(0.7, 0.002, false);
    let problem = Problem::new(Operator::Multibody(a), b, vec![law]).expect("valid");
    let mut session = Session::named("auto").expect("known").tolerance(1e-12);
    let answer = session.solve(&problem).expect("accepted");
    assert_eq!(answer.status(), Status::Converged);
    let slower = speed / radius - answer.velocities()[3];
    let exact = 0.002 * mass * 9.81 * dt / (1.4 * mass * radius * radius);
    assert!((slower / exact - 1.0).abs() < 1e-9, "{slower} {exact}");
    assert!(answer.velocities()[1].abs() < 1e-12, "it does not slip");
}

/// Two rows a contact are what three rows are whose last one is empty.
#[test]
fn cones_in_a_plane() {
    let mut rng = Rng::new(9);
    for case in 0..40 {
        let (count, associated) = (1 + case % 4, case % 2 == 1);
        let mu: Vec<f64> = (0..count).map(|_| [0.0, 0.2, 0.7, 1.5][rng.index(4)]).collect();
        let law = |mu: f64| Law::cone(&[mu], associated);
        let flat: Vec<Law> = mu.iter().map(|&mu| law(mu)).collect();
        let (a, b) = dense(&mut rng, &flat, 2 * count + 1, 0.1, 0.0);
        let (m, n) = (2 * count, 3 * count);
        let (mut wide, mut q) = (vec![0.0; n * n], vec![0.0; n]);
        let place = |i: usize| 3 * (i / 2) + i % 2;
        for i in 0..m {
            q[place(i)] = b[i];
            (0..m).for_each(|j| wide[n * place(i) + place(j)] = a[m * i + j]);
        }
        let operator = Operator::Dense(Dense::from_rows(m, a).expect("square"));
        let problem = Problem::new(operator, b, flat).expect("valid");
        let space = mu.iter().map(|&mu| Law::cone(&[mu; 2], associated)).collect();
        let operator = Operator::Dense(Dense::from_rows(n, wide).expect("square"));
        let space = Problem::new(operator, q, space).expect("valid");
        let solve = |problem: &Problem, name: &str| -> (Status, Iterate) {
            let mut session = Session::named(name).expect("known").tolerance(1e-10);
            let status = session.solve(problem).expect("accepted").status();
            (status, session.into_iterate())
        };
        let (status, reference) = solve(&space, "auto");
        assert_eq!(status, Status::Converged, "case {case}");
        for name in ["auto", "cone_ipm", "bgs", "prox_gs", "prox_jacobi", "cone_admm"] {
            let (status, answer) = solve(&problem, name);
            if name != "auto" && status != Status::Converged {
                continue;
            }
            assert_eq!(status, Status::Converged, "{name} on case {case}");
            // (Coulomb's law may have several answers; the convex law has one.)
            if associated {
                let apart = (0..m).map(|i| (answer.w[i] - reference.w[place(i)]).abs());
                assert!(apart.fold(0.0, f64::max) < 1e-4, "{name} on case {case}");
            }
            for (i, mu) in mu.iter().enumerate() {
                let (l, w) = (&answer.lambda[2 * i..], &answer.w[2 * i..]);
                let lift = if associated { 0.0 } else { mu * w[1].abs() };
                let power = (w[0] + lift) * l[0] + w[1] * l[1];
                assert!(l[1].abs() <= mu * l[0] + 1e-7 && power.abs() < 1e-7, "{name} {case}");
            }
        }
    }
}

/// What no method takes is refused by name, and nonsense is found.
#[test]
fn refusals() {
    let one = |law: Law| {
        let n = law.rows();
        let identity = (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect();
        let operator = Operator::Dense(Dense::from_rows(n, identity).expect("square"));
        Problem::new(operator, vec![-1.0; n], vec![law])
    };
    let problem = one(rolling(0.5, 0.1, false)).expect("valid");
    for name in ["prox_gs", "prox_jacobi", "cone_admm", "ncp_newton"] {
        let error = Session::named(name).expect("known").solve(&problem).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("rolling contact"), "{error}");
    }
    assert!(Session::named("bpp").expect("known").solve(&problem).is_err());
    assert!(velocities(&problem, &[0.0; 5]).iter().all(|w| *w == -1.0));
    for law in [rolling(-0.1, 0.1, false), rolling(0.1, f64::NAN, true), rolling(INF, 0.0, false)] {
        assert!(one(law).is_err(), "{law:?}");
    }
    assert!(one(Law::cone(&[], false)).is_err());
}
