//! A simulator of balls on `taut-lcp` alone: bodies, contacts, friction, time steps.
//! docs/SIMULATOR.md explains it line by line; Andrews22's appendix A builds the same.
#![allow(clippy::print_stdout, reason = "an example talks")]

use taut_lcp::{Error, Law, Multibody, Operator, Problem, Row6, Session, Status};

type Vec3 = [f64; 3];
/// \[m/s²\].
const GRAVITY: f64 = 9.81;

fn add(a: Vec3, s: f64, b: Vec3) -> Vec3 {
    std::array::from_fn(|k| a[k] + s * b[k])
}

fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A ball: where it is, how it moves and turns.
#[derive(Clone, Debug)]
pub struct Ball {
    /// Its centre \[m\].
    pub position: Vec3,
    /// \[m/s\].
    pub velocity: Vec3,
    /// \[rad/s\].
    pub spin: Vec3,
    /// \[m\].
    pub radius: f64,
    /// \[kg\].
    pub mass: f64,
}

/// Where ball `a` touches ball `b`, or the ground.
struct Contact {
    a: usize,
    b: Option<usize>,
    /// From b, or the ground, to a.
    normal: Vec3,
    gap: f64,
}

/// The world: balls above the plane z = 0.
pub struct Simulator {
    /// What moves.
    pub balls: Vec<Ball>,
    /// Coefficient of friction.
    pub friction: f64,
    session: Session,
}

impl Simulator {
    /// A world of these balls.
    pub fn new(balls: Vec<Ball>) -> Result<Self, Error> {
        Ok(Simulator { balls, friction: 0.5, session: Session::named("auto")? })
    }

    /// One step of h seconds; says how its problem was solved.
    pub fn step(&mut self, h: f64) -> Result<Status, Error> {
        // 1. Forces change velocities (semi-implicit Euler).
        self.balls.iter_mut().for_each(|ball| ball.velocity[2] -= h * GRAVITY);
        // 2. What touches, or may within the step?
        let contacts = self.contacts(0.05);
        // 3. The problem w = Aλ + b with A = J M⁻¹ Jᵀ.
        let (mut problem, masses) = self.problem(&contacts, h)?;
        // 4. Impulses: first with the friction bounds of zero normal impulses, then with
        //    those of the answer, twice.
        let mut status = Status::Converged;
        for _ in 0..3 {
            let answer = self.session.solve(&problem)?;
            status = answer.status();
            let lambda = answer.lambda().to_vec();
            problem.update_friction_bounds(&lambda);
        }
        let lambda = self.session.solve(&problem)?.lambda().to_vec();
        // 5. Impulses change velocities, velocities positions.
        let mut change = Vec::new();
        masses.velocities(&lambda, &mut change); // M⁻¹ Jᵀ λ
        for (ball, change) in self.balls.iter_mut().zip(change.chunks_exact(6)) {
            ball.velocity = add(ball.velocity, 1.0, [change[0], change[1], change[2]]);
            ball.spin = add(ball.spin, 1.0, [change[3], change[4], change[5]]);
            ball.position = add(ball.position, h, ball.velocity);
        }
        Ok(status)
    }

    fn contacts(&self, margin: f64) -> Vec<Contact> {
        let mut found = Vec::new();
        for (a, ball) in self.balls.iter().enumerate() {
            let gap = ball.position[2] - ball.radius;
            if gap < margin {
                found.push(Contact { a, b: None, normal: [0.0, 0.0, 1.0], gap });
            }
            for (b, other) in self.balls.iter().enumerate().take(a) {
                let apart = add(ball.position, -1.0, other.position);
                let distance = dot(apart, apart).sqrt();
                let gap = distance - ball.radius - other.radius;
                if gap < margin && distance > 0.0 {
                    let normal = apart.map(|x| x / distance);
                    found.push(Contact { a, b: Some(b), normal, gap });
                }
            }
        }
        found
    }

    /// Three rows a contact: along the normal, and along two tangents.
    fn problem(&self, contacts: &[Contact], h: f64) -> Result<(Problem, Multibody), Error> {
        let mut system = Multibody::default();
        for ball in &self.balls {
            let inertia = 0.4 * ball.mass * ball.radius * ball.radius;
            let diagonal = [ball.mass, ball.mass, ball.mass, inertia, inertia, inertia];
            let mass = std::array::from_fn(|i| {
                std::array::from_fn(|j| if i == j { diagonal[i] } else { 0.0 })
            });
            system.push_body(mass)?;
        }
        let (mut b, mut laws) = (Vec::new(), Vec::new());
        for c in contacts {
            let normal_row = laws.len();
            for (k, axis) in frame(c.normal).into_iter().enumerate() {
                let parts = self.row(c, axis);
                // Velocity along the axis before the impulses.
                b.push(parts.iter().map(|(body, j)| self.speed(*body, j)).sum::<f64>());
                system.push_row(&parts, 1e-8)?;
                if k == 0 {
                    // Gaps may close within the step; what is too deep comes out slowly.
                    b[normal_row] += if c.gap > 0.0 { c.gap / h } else { 0.2 * c.gap / h };
                    laws.push(Law::Box { lo: 0.0, hi: f64::INFINITY });
                } else {
                    laws.push(Law::FrictionBox {
                        normal: normal_row,
                        mu: self.friction,
                        bound: 0.0,
                    });
                }
            }
        }
        let problem = Problem::new(Operator::Multibody(system.clone()), b, laws)?;
        Ok((problem, system))
    }

    /// The row of J: how the point of contact moves along an axis.
    fn row(&self, c: &Contact, axis: Vec3) -> Vec<(u32, Row6)> {
        let part = |body: usize, sign: f64, arm: f64| {
            let turn = cross(c.normal.map(|n| arm * n), axis);
            let j = [axis[0], axis[1], axis[2], turn[0], turn[1], turn[2]];
            (body as u32, j.map(|x| sign * x))
        };
        let mut parts = vec![part(c.a, 1.0, -self.balls[c.a].radius)];
        if let Some(b) = c.b {
            parts.push(part(b, -1.0, self.balls[b].radius));
        }
        parts.sort_by_key(|p| p.0);
        parts
    }

    fn speed(&self, body: u32, j: &Row6) -> f64 {
        let ball = &self.balls[body as usize];
        dot([j[0], j[1], j[2]], ball.velocity) + dot([j[3], j[4], j[5]], ball.spin)
    }
}

/// The normal and two tangents.
fn frame(n: Vec3) -> [Vec3; 3] {
    let other = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let t = cross(n, other);
    let length = dot(t, t).sqrt();
    let t = t.map(|x| x / length);
    [n, t, cross(n, t)]
}

/// Three towers of four balls, a little askew.
pub fn towers() -> Vec<Ball> {
    let ball = |i: usize| Ball {
        position: [0.6 * (i / 4) as f64 + 0.01 * (i % 4) as f64, 0.0, 0.25 + 0.45 * (i % 4) as f64],
        velocity: [0.0; 3],
        spin: [0.0; 3],
        radius: 0.2,
        mass: 1.0 + (i % 3) as f64,
    };
    (0..12).map(ball).collect()
}

/// Three seconds of the towers.
pub fn main() -> Result<(), Error> {
    let mut simulator = Simulator::new(towers())?;
    for frame in 0..180 {
        let status = simulator.step(1.0 / 60.0)?;
        if frame % 30 == 29 {
            let highest = simulator.balls.iter().map(|b| b.position[2]).fold(0.0, f64::max);
            println!(
                "{:.1} s: {status:?}, highest ball at {highest:.3} m",
                (frame + 1) as f64 / 60.0
            );
        }
    }
    Ok(())
}
