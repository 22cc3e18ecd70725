//! The time step: the least incremental potential, by Newton steps that never lead through one another.
//!
//! **Problem** (Andrews22 eq. 291): over the nodes q, minimize ½|q − q̃|²_M + h² E(q) + κ Σ b(d²) + h² Σ D, with
//! q̃ = qᵗ + h v + h² g, E the energy of deformation, b the barriers (`stencil.rs`), D friction (`friction.rs`). Forces of contact are
//! −κ ∇b/h².
//! **Update**: Newton with every term's Hessian made semidefinite, on the sparse Cholesky of `taut-lcp`. A step ends before the first
//! contact on its way (additive continuous collision detection, a tenth of each gap is left), and is halved until the potential falls. Then
//! normals and forces of friction are taken anew, [`crate::Settings::friction_rounds`] times.
//! Deviations from Andrews22 alg. 17 to 20: pairs are looked for along the whole step, so that they are right for each trial of the line search.
//! **κ** is at least 1e11 m̄/(4 d₀ b''(d₀)), d₀ = (1e-8 L)², m̄ the mean mass per vertex, L the size of the largest body, and is doubled, up to a hundred
//! times over, where gaps stay below 1e-9 L (Li et al. 2020). Deviation: it is also at least what one pair needs to carry the heaviest body at d̂/2.
//! Without that 5 of the first 40 steps of `chain-net-8` end unsolved, at gaps of 1e-9 m.
//! **Cost**: a factorization per Newton step, an analysis where pairs in reach change. **Fails**: it does not pass through anything;
//! it may end at the cap with [`Status::IterationLimit`], or where rounding hides the descent, with [`Status::Stalled`].
//! Implicit Euler: no bounce, and spin decays. Reference: Li et al. 2020; Lan et al. 2022.

use taut_ccd::{Options, Query, additive};

use crate::Error;
use crate::barrier::barrier;
use crate::body::Kind;
use crate::contacts::Pair;
use crate::distance::Hessian;
use crate::error::number;
use crate::friction::Lagged;
use crate::matrix::Matrix;
use crate::plane;
use crate::stencil::mollifier;
use crate::system::{System, Vertex};
use crate::vector::{Vec3, add, along, apply, dot, norm, scale, sub, turn};

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// No vertex would move by more than the tolerance.
    Converged,
    /// Newton steps ran out.
    IterationLimit,
    /// No shorter step made the potential fall.
    Stalled,
    /// Bodies are too fast for the shortest parts: they may have passed one another.
    Unresolved,
}

/// A Newton step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Which one, from 0, over all rounds.
    pub iteration: usize,
    /// The fastest vertex if the whole step were taken \[m/s\].
    pub speed: f64,
    /// Share of the step that collisions allow.
    pub free: f64,
    /// Share that was taken.
    pub taken: f64,
    /// Pairs in reach before the step.
    pub contacts: usize,
    /// The least distance of any two features in reach before the step \[m\]; infinite if none are.
    pub gap: f64,
    /// κ \[kg/m²\].
    pub stiffness: f64,
}

/// What a step did.
#[must_use = "a step may not have converged"]
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct StepReport {
    /// How it ended; bodies have moved in any case, and do not intersect.
    pub status: Status,
    /// Newton steps.
    pub iterations: usize,
    /// The fastest vertex of the Newton step that was not taken any more \[m/s\].
    pub speed: f64,
    /// Pairs in reach at the end.
    pub contacts: usize,
    /// Least distance at the end \[m\]; infinite if nothing is in reach.
    pub gap: f64,
    /// κ \[kg/m²\].
    pub stiffness: f64,
    /// How far kinematic bodies are from where they should be \[m\].
    pub behind: f64,
    /// Work of forces ([`System::push`]) and of kinematic bodies \[J\].
    pub work: f64,
    /// What barriers and affine bodies held at the start \[J\].
    pub held: f64,
    /// Parts in which it was done.
    pub parts: usize,
}

impl StepReport {
    /// Whether all is solved.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }

    /// Of this part and the next one.
    fn and(self, next: &Self) -> Self {
        let is_worse = self.status == Status::Converged;
        Self {
            status: if is_worse { next.status } else { self.status },
            iterations: self.iterations + next.iterations,
            speed: if is_worse { next.speed } else { self.speed },
            gap: self.gap.min(next.gap),
            behind: self.behind + next.behind,
            work: self.work + next.work,
            held: self.held,
            parts: self.parts + next.parts,
            ..*next
        }
    }
}

/// How much more kinematic bodies insist than their mass would; what is missing is added to the target.
const INSISTENCE: f64 = 1e4;
/// Rounds of that.
const ROUNDS: usize = 4;

/// Bodies that meet are stopped at this share of d̂.
const STOP: f64 = 0.1;
/// A Newton step ends no nearer than this share of d̂, if it began farther away.
const LEAST: f64 = 0.01;

/// What stays the same within a step.
struct Frame {
    h: f64,
    /// κ of this part by that of a whole step: forces at a distance are the same.
    scale: f64,
    /// q̃, and for kinematic bodies where they should be.
    predicted: Vec<Vec3>,
    /// Vertices at the start, and where they would be without contacts.
    start: Vec<Vec3>,
    ahead: Vec<Vec3>,
    /// Per node.
    insistence: Vec<f64>,
    kappa: f64,
    friction: Vec<([u32; 4], Lagged)>,
}

/// Where Newton is.
struct Point {
    q: Vec<Vec3>,
    places: Vec<Vec3>,
    pairs: Vec<Pair>,
}

impl System {
    /// Moves all bodies on by h \[s\].
    pub fn step(&mut self, h: f64) -> Result<StepReport, Error> {
        self.step_with(h, |_| {})
    }

    /// Moves all bodies on by h \[s\], and tells of every Newton step.
    pub fn step_with(
        &mut self,
        h: f64,
        mut watch: impl FnMut(&Progress),
    ) -> Result<StepReport, Error> {
        number("h", h, "more than 0 s", |h| h > 0.0)?;
        self.check()?;
        let (mut left, mut whole): (f64, Option<StepReport>) = (h, None);
        let mut are_short = true;
        while left > 0.0 {
            let (part, is_short) = self.part(left, h);
            // What rounding leaves is no part.
            let part = if left - part < 1e-9 * h { left } else { part };
            left -= part;
            let report = self.step_part(part, h, &mut watch)?;
            are_short &= is_short;
            let merged = whole.map_or(report, |w| w.and(&report));
            whole = Some(merged);
        }
        self.loads.clear();
        let mut report =
            whole.ok_or(Error::Number { name: "h", value: h, range: "more than 0 s" })?;
        if !are_short {
            report.status = Status::Unresolved;
        }
        Ok(report)
    }

    /// A part of a step of `whole` \[s\].
    fn step_part(
        &mut self,
        h: f64,
        whole: f64,
        watch: &mut impl FnMut(&Progress),
    ) -> Result<StepReport, Error> {
        let (mut frame, targets) = self.frame_of_step(h, whole);
        let mut at = Point { q: self.q.clone(), places: frame.start.clone(), pairs: Vec::new() };
        self.find_pairs(&at.places, &at.places, &mut at.pairs);
        self.weigh(&frame, &mut at.pairs);
        let mut report = StepReport {
            status: Status::Converged,
            iterations: 0,
            speed: 0.0,
            contacts: 0,
            gap: f64::INFINITY,
            stiffness: frame.kappa,
            behind: 0.0,
            work: 0.0,
            held: self.held(&frame, &at),
            parts: 1,
        };
        for _ in 0..self.settings.friction_rounds.max(1) {
            if self.settings.friction_rounds > 0 {
                self.take_friction(&mut frame, &at);
            }
            for _ in 0..ROUNDS {
                self.newton(&mut frame, &mut at, &mut report, watch)?;
                // Before targets move on: that is what was solved for.
                report.work = self.work(&frame, &at);
                report.behind = self.insist(&mut frame, &targets, &at.q);
                if report.behind <= 1e-3 * self.settings.reach {
                    break;
                }
            }
        }
        self.finish(&frame, at, &mut report);
        Ok(report)
    }

    /// q̃ and κ, and where kinematic bodies should get.
    fn frame_of_step(&mut self, h: f64, whole: f64) -> (Frame, Vec<(usize, Vec3)>) {
        let predicted = self.predicted(h);
        let mut insistence = vec![1.0; self.q.len()];
        let mut targets = Vec::new();
        for body in self.bodies.iter().filter(|b| matches!(b.kind, Kind::Kinematic { .. })) {
            for k in body.first..body.first + 4 {
                insistence[k] = INSISTENCE;
                targets.push((k, predicted[k]));
            }
        }
        let kappa = match self.kappa {
            Some(kappa) => kappa,
            None => {
                *self.kappa.insert(self.settings.stiffness.unwrap_or(self.first_stiffness(whole)))
            }
        };
        let scale = (h / whole) * (h / whole);
        let (mut start, mut ahead) = (Vec::new(), Vec::new());
        self.place_all(&self.q, &mut start);
        self.place_all(&predicted, &mut ahead);
        let (kappa, friction) = (scale * kappa, Vec::new());
        (Frame { h, scale, predicted, start, ahead, insistence, kappa, friction }, targets)
    }

    /// q̃, and for kinematic bodies where they should be.
    pub(crate) fn predicted(&self, h: f64) -> Vec<Vec3> {
        let mut predicted: Vec<Vec3> =
            self.q.iter().zip(&self.v).map(|(&q, &v)| along(q, h, v)).collect();
        let g = scale(self.settings.gravity, h * h);
        for (id, body) in self.bodies.iter().enumerate() {
            let first = body.first;
            match &body.kind {
                Kind::Fixed => {}
                Kind::Affine { .. } => predicted[first] = add(predicted[first], g),
                Kind::Soft(_) => {
                    for k in first..first + body.nodes {
                        predicted[k] =
                            if self.pinned[k] { self.q[k] } else { add(predicted[k], g) };
                    }
                }
                Kind::Kinematic { .. } => {
                    let spin = self.angular_velocity(id).unwrap_or_default();
                    let r = turn(scale(spin, h));
                    (1..4).for_each(|k| predicted[first + k] = apply(&r, self.q[first + k]));
                }
            }
        }
        predicted
    }

    /// Size of the largest body that moves.
    fn size(&self) -> f64 {
        let size = |b: &crate::body::Body| {
            let rest = &self.rest[b.first_vertex..b.first_vertex + b.vertices];
            let bounds = taut_sdf::Bounds::of(rest);
            norm(sub(bounds.hi, bounds.lo))
        };
        self.bodies.iter().filter(|b| b.nodes > 0).map(size).fold(0.0, f64::max)
    }

    /// The least stiffness, or that at which one pair carries the heaviest body at a gap of d̂/2.
    fn first_stiffness(&self, h: f64) -> f64 {
        let heaviest = (0..self.len()).filter_map(|b| self.mass(b).ok()).fold(0.0, f64::max);
        let (reach, gap) = (self.settings.reach, 0.5 * self.settings.reach);
        let slope = -2.0 * gap * barrier(gap * gap, reach * reach)[1];
        let needed = h * h * heaviest * norm(self.settings.gravity) / slope;
        self.least_stiffness().max(needed)
    }

    fn least_stiffness(&self) -> f64 {
        let reach = self.settings.reach * self.settings.reach;
        let (mut mass, mut vertices) = (0.0, 0);
        for (id, body) in self.bodies.iter().enumerate().filter(|(_, b)| b.nodes > 0) {
            mass += self.mass(id).unwrap_or(0.0);
            vertices += body.vertices;
        }
        let d0 = (1e-8 * self.size()).powi(2).min(0.25 * reach);
        let kappa = 1e11 * (mass / vertices.max(1) as f64) / (4.0 * d0 * barrier(d0, reach)[2]);
        if kappa.is_finite() && kappa > 0.0 { kappa } else { 1.0 }
    }

    /// Pairs that would close in this part get a κ at which one of them stops the lighter body at [`STOP`] d̂. With κ for all bodies alone two balls of 10 m/s came as
    /// near as rounding, where no step makes the potential fall.
    fn weigh(&self, frame: &Frame, pairs: &mut [Pair]) {
        let (reach, gap) = (self.settings.reach, STOP * self.settings.reach);
        let slope = -2.0 * gap * barrier(gap * gap, reach * reach)[1];
        let mass = |v: u32| {
            let id = self.vertices[v as usize].body as usize;
            match &self.bodies[id].kind {
                Kind::Affine { mass, .. } => mass[0][0],
                Kind::Soft(_) => {
                    self.mass(id).unwrap_or(0.0) / self.bodies[id].vertices.max(1) as f64
                }
                _ => f64::INFINITY,
            }
        };
        for pair in pairs {
            let closest = pair.closest(&frame.start);
            let distance = closest.squared.sqrt();
            let moved = moved(&pair.corners, &frame.ahead, &frame.start);
            let closing = -(0..4)
                .map(|i| closest.weights[i] * dot(closest.difference, moved[i]))
                .sum::<f64>();
            let beyond = closing / distance - distance;
            if beyond > 0.0 {
                let last = if pair.kind == taut_ccd::Kind::VertexFace { 1 } else { 2 };
                let mass = mass(pair.corners[0]).min(mass(pair.corners[last]));
                if mass.is_finite() {
                    pair.weight = (mass * beyond / (slope * frame.kappa)).max(1.0);
                }
            }
        }
    }

    /// Normals, weights and forces of all pairs in reach.
    fn take_friction(&self, frame: &mut Frame, at: &Point) {
        frame.friction.clear();
        let reach = self.settings.reach;
        for pair in at.pairs.iter().filter(|p| p.friction > 0.0) {
            let x = pair.of(&at.places);
            let closest = pair.closest(&at.places);
            let slope = barrier(closest.squared, reach * reach)[1];
            if slope < 0.0 {
                // h² times the force
                let m = pair.weight * mollifier(pair.kind, &x, pair.threshold)[0];
                let force = -frame.kappa * m * slope * 2.0 * closest.squared.sqrt();
                frame.friction.push((pair.corners, Lagged::new(&closest, pair.friction * force)));
            }
        }
    }

    /// Adds to the targets what is missing; returns how much.
    fn insist(&self, frame: &mut Frame, targets: &[(usize, Vec3)], q: &[Vec3]) -> f64 {
        let mut behind = 0.0_f64;
        for &(node, target) in targets {
            let missing = sub(target, q[node]);
            frame.predicted[node] = add(frame.predicted[node], missing);
            behind = behind.max(norm(missing));
        }
        behind
    }

    /// Newton steps for one round of friction.
    fn newton(
        &mut self,
        frame: &mut Frame,
        at: &mut Point,
        report: &mut StepReport,
        watch: &mut impl FnMut(&Progress),
    ) -> Result<(), Error> {
        let small = (1e-9 * self.size()).powi(2);
        let whole = frame.h / frame.scale.sqrt();
        let first = self.settings.stiffness.unwrap_or(self.first_stiffness(whole));
        let most = 100.0 * frame.scale * first;
        let mut last_gap = f64::INFINITY;
        for _ in 0..self.settings.max_iterations {
            let (p, contacts, gap) = self.direction(frame, at)?;
            if gap < small && last_gap < small && gap < last_gap && 2.0 * frame.kappa <= most {
                frame.kappa *= 2.0;
            }
            last_gap = gap;
            (report.contacts, report.gap) = (contacts, gap.sqrt());
            let way: Vec<Vec3> = (0..self.vertices.len()).map(|i| self.way(i, &p)).collect();
            report.speed = way.iter().map(|&d| norm(d)).fold(0.0, f64::max) / frame.h;
            if report.speed <= self.settings.tolerance {
                report.status = Status::Converged;
                return Ok(());
            }
            let end: Vec<Vec3> = at.places.iter().zip(&way).map(|(&x, &d)| add(x, d)).collect();
            self.find_pairs(&at.places, &end, &mut at.pairs);
            self.weigh(frame, &mut at.pairs);
            let free = first_contact(&at.pairs, &at.places, &end, self.settings.reach)?;
            let taken = self.line_search(frame, at, &p, free);
            report.iterations += 1;
            watch(&Progress {
                iteration: report.iterations - 1,
                speed: report.speed,
                free,
                taken,
                contacts,
                gap: gap.sqrt(),
                stiffness: frame.kappa,
            });
            if taken == 0.0 {
                report.status = Status::Stalled;
                return Ok(());
            }
        }
        report.status = Status::IterationLimit;
        Ok(())
    }

    /// How far vertex i moves if nodes move by p.
    fn way(&self, i: usize, p: &[Vec3]) -> Vec3 {
        if self.vertices[i].count == 0 { [0.0; 3] } else { self.place(i, p) }
    }

    /// The Newton direction, the number of pairs in reach, and the least squared distance.
    fn direction(&mut self, frame: &Frame, at: &Point) -> Result<(Vec<Vec3>, usize, f64), Error> {
        let (h2, n) = (frame.h * frame.h, self.q.len());
        let rigidity = self.rigidity(frame);
        let mut matrix = std::mem::take(&mut self.matrix);
        let reach = self.settings.reach;
        let mut gap = f64::INFINITY;
        let mut active = Vec::new();
        for pair in &at.pairs {
            let squared = pair.closest(&at.places).squared;
            if squared < reach * reach {
                gap = gap.min(squared);
                active.push(*pair);
            }
        }
        matrix.start(n);
        for body in &self.bodies {
            body.masses(|i, j, _| matrix.reserve(i, j));
        }
        let couples = active.iter().map(|p| p.corners).chain(frame.friction.iter().map(|f| f.0));
        couples.for_each(|corners| self.reserve(&mut matrix, &corners));
        matrix.clear();
        let mut gradient = vec![[0.0; 3]; n];
        for body in &self.bodies {
            body.masses(|i, j, m| {
                let m = m * frame.insistence[i as usize];
                matrix.add_unit(i, j, m);
                add_product(i, j, m, &at.q, &frame.predicted, &mut gradient);
            });
            body.add_gradient(&at.q, rigidity, h2, &mut gradient);
            body.add_hessian(&at.q, rigidity, h2, &mut matrix);
        }
        for (g, load) in gradient.iter_mut().zip(&self.loads) {
            *g = along(*g, -h2, *load);
        }
        for pair in &active {
            let potential = pair.potential(&at.places, reach, true);
            let corners = pair.corners.map(|c| &self.vertices[c as usize]);
            add_gradient(&corners, frame.kappa, &potential.gradient, &mut gradient);
            add_hessian(&corners, frame.kappa, &potential.hessian, &mut matrix);
        }
        let width = frame.h * self.settings.creep;
        for (corners, lagged) in &frame.friction {
            let moved = moved(corners, &at.places, &frame.start);
            let potential = lagged.potential(&moved, width);
            let corners = corners.map(|c| &self.vertices[c as usize]);
            add_gradient(&corners, 1.0, &potential.gradient, &mut gradient);
            add_hessian(&corners, 1.0, &potential.hessian, &mut matrix);
        }
        let p = self.solve(&mut matrix, frame, &at.q, &gradient);
        self.matrix = matrix;
        Ok((p?, active.len(), gap))
    }

    /// p = −A⁻¹ g; where rounding leaves A indefinite, with ever more mass.
    fn solve(
        &self,
        matrix: &mut Matrix,
        frame: &Frame,
        q: &[Vec3],
        g: &[Vec3],
    ) -> Result<Vec<Vec3>, Error> {
        let is_kept = |row: usize| !self.pinned[row / 3];
        for attempt in 0..40 {
            let mut x: Vec<f64> = g.iter().flatten().map(|g| -g).collect();
            if matrix.factor(is_kept)? {
                matrix.solve(&mut x);
                self.hold_joints(matrix, q, &mut x);
                let pick = |k: usize| {
                    if self.pinned[k] { [0.0; 3] } else { [x[3 * k], x[3 * k + 1], x[3 * k + 2]] }
                };
                return Ok((0..g.len()).map(pick).collect());
            }
            for body in &self.bodies {
                body.masses(|i, j, m| {
                    matrix.add_unit(i, j, 2.0_f64.powi(attempt) * m * frame.insistence[i as usize]);
                });
            }
        }
        Ok(vec![[0.0; 3]; g.len()])
    }

    /// Makes room for the blocks of a pair.
    fn reserve(&self, matrix: &mut Matrix, corners: &[u32; 4]) {
        let corners = corners.map(|c| &self.vertices[c as usize]);
        let (nodes, count) = nodes_of(&corners);
        for i in 0..count {
            (0..=i).for_each(|j| matrix.reserve(nodes[i].0, nodes[j].0));
        }
    }

    /// Takes as much of the step as makes the potential fall, and returns the share; 0 if none does.
    fn line_search(&self, frame: &Frame, at: &mut Point, p: &[Vec3], free: f64) -> f64 {
        // Inertia's change in closed form: α a + α² b/2.
        let (mut a, mut b) = (0.0, 0.0);
        for body in &self.bodies {
            body.masses(|i, j, m| {
                let (i, j) = (i as usize, j as usize);
                let m = m * frame.insistence[i];
                let (di, dj) = (sub(at.q[i], frame.predicted[i]), sub(at.q[j], frame.predicted[j]));
                let half = if i == j { 0.5 } else { 1.0 };
                a += half * m * (dot(p[i], dj) + dot(p[j], di));
                b += half * m * 2.0 * dot(p[i], p[j]);
            });
        }
        let h2 = frame.h * frame.h;
        a -= h2 * self.loads.iter().zip(p).map(|(f, p)| dot(*f, *p)).sum::<f64>();
        let before = self.energies(frame, &at.q, &at.places, &at.pairs);
        let mut share = free;
        let (mut q, mut places) = (at.q.clone(), Vec::new());
        while share > 1e-14 {
            for (q, (&from, &p)) in q.iter_mut().zip(at.q.iter().zip(p)) {
                *q = along(from, share, p);
            }
            self.place_all(&q, &mut places);
            let after = self.energies(frame, &q, &places, &at.pairs);
            let change = share * a
                + 0.5 * share * share * b
                + (0..3).map(|k| after[k] - before[k]).sum::<f64>();
            // What rounding may hide of sums of this size.
            let slack = 1e-14 * (0..3).map(|k| after[k].abs() + before[k].abs()).sum::<f64>();
            if change <= slack {
                (at.q, at.places) = (q, places);
                return share;
            }
            share *= 0.5;
        }
        0.0
    }

    /// Deformation, barriers, friction: each times h².
    fn energies(&self, frame: &Frame, q: &[Vec3], places: &[Vec3], pairs: &[Pair]) -> [f64; 3] {
        let h2 = frame.h * frame.h;
        let deformation: f64 = self.bodies.iter().map(|b| b.energy(q, self.rigidity(frame))).sum();
        let reach = self.settings.reach;
        let barriers: f64 = pairs.iter().map(|p| p.value(places, reach)).sum();
        let width = frame.h * self.settings.creep;
        let slip =
            |(c, lagged): &([u32; 4], Lagged)| lagged.value(&moved(c, places, &frame.start), width);
        let friction: f64 = frame.friction.iter().map(slip).sum();
        [h2 * deformation, frame.kappa * barriers, friction]
    }

    /// k of affine bodies: h²k is the same in all parts. (With k alone, what stopped 300 m/s in parts of 20 µs was bent by 2 mm, and came as near as rounding.)
    fn rigidity(&self, frame: &Frame) -> f64 {
        self.settings.rigidity / frame.scale
    }

    /// What barriers and affine bodies hold \[J\].
    fn held(&self, frame: &Frame, at: &Point) -> f64 {
        let reach = self.settings.reach;
        let barriers: f64 = at.pairs.iter().map(|p| p.value(&at.places, reach)).sum();
        let stiff = self.bodies.iter().filter(|b| b.is_stiff());
        let rigidity: f64 = stiff.map(|b| b.energy(&at.q, self.rigidity(frame))).sum();
        frame.kappa * barriers / (frame.h * frame.h) + rigidity
    }

    /// Work of loads, by the mean of velocities before and after, and of what holds kinematic bodies on their way \[J\].
    fn work(&self, frame: &Frame, at: &Point) -> f64 {
        let mut sum = 0.0;
        for (k, load) in self.loads.iter().enumerate() {
            let moved = sub(at.q[k], self.q[k]);
            sum += 0.5 * dot(*load, along(moved, frame.h, self.v[k]));
        }
        let mut pull = vec![[0.0; 3]; self.q.len()];
        for body in self.bodies.iter().filter(|b| matches!(b.kind, Kind::Kinematic { .. })) {
            body.masses(|i, j, m| {
                let m = m * frame.insistence[i as usize] / (frame.h * frame.h);
                add_product(i, j, m, &at.q, &frame.predicted, &mut pull);
            });
        }
        let pulls = pull.iter().zip(at.q.iter().zip(&self.q));
        sum - pulls.map(|(f, (&to, &from))| dot(*f, sub(to, from))).sum::<f64>()
    }

    /// Velocities and forces.
    fn finish(&mut self, frame: &Frame, at: Point, report: &mut StepReport) {
        let h = frame.h;
        for (id, body) in self.bodies.iter().enumerate() {
            let spin = self.angular_velocity(id).unwrap_or_default();
            for k in body.first..body.first + body.nodes {
                if !matches!(body.kind, Kind::Kinematic { .. }) {
                    self.v[k] = scale(sub(at.q[k], self.q[k]), 1.0 / h);
                } else if k > body.first {
                    self.v[k] = crate::vector::cross(spin, at.q[k]);
                }
            }
        }
        self.q = at.q;
        self.kappa = Some(frame.kappa / frame.scale);
        report.stiffness = frame.kappa;
        self.forces.fill([0.0; 3]);
        let reach = self.settings.reach;
        let mut gap = f64::INFINITY;
        report.contacts = 0;
        for pair in &at.pairs {
            let squared = pair.closest(&at.places).squared;
            if squared < reach * reach {
                report.contacts += 1;
                gap = gap.min(squared);
                let g = pair.potential(&at.places, reach, false).gradient;
                self.add_forces(&pair.corners, -frame.kappa / (h * h), &g);
            }
        }
        report.gap = gap.sqrt();
        for (corners, lagged) in &frame.friction {
            let g =
                lagged.gradient(&moved(corners, &at.places, &frame.start), h * self.settings.creep);
            self.add_forces(corners, -1.0 / (h * h), &g);
        }
    }

    fn add_forces(&mut self, corners: &[u32; 4], s: f64, gradient: &[f64; 12]) {
        for (i, &c) in corners.iter().enumerate() {
            let force = &mut self.forces[self.vertices[c as usize].body as usize];
            (0..3).for_each(|k| force[k] += s * gradient[3 * i + k]);
        }
    }
}

/// What corners moved by since the start.
fn moved(corners: &[u32; 4], places: &[Vec3], start: &[Vec3]) -> [Vec3; 4] {
    corners.map(|c| sub(places[c as usize], start[c as usize]))
}

/// The share of the way until the first contact; 1 if there is none. Where there is none, the way may still end at any gap: at one of rounding nothing could move on (a pusher whose step
/// ended 1.5e-9 m before a box stalled from there on). So [`LEAST`] d̂ is kept, or a tenth of what is less.
fn first_contact(pairs: &[Pair], start: &[Vec3], end: &[Vec3], reach: f64) -> Result<f64, Error> {
    // Any tolerance: the answer leaves a tenth of the gap at the start.
    let mut options = Options { tolerance: 1e99, max_checks: 10_000, ..Options::default() };
    for pair in pairs {
        if let Some(normal) = pair.plane {
            if let Some(time) = plane::first_contact(&pair.of(start), &pair.of(end), normal) {
                options.end = options.end.min(time);
            }
            continue;
        }
        let query = Query { kind: pair.kind, start: pair.of(start), end: pair.of(end) };
        options.min_separation = (0.1 * pair.closest(start).squared.sqrt()).min(LEAST * reach);
        if let Some(impact) = additive::first_contact(&query, &options)? {
            options.end = impact.time;
        }
    }
    Ok(options.end)
}

/// gradient += M (q − q̃), one block of it.
fn add_product(i: u32, j: u32, m: f64, q: &[Vec3], predicted: &[Vec3], gradient: &mut [Vec3]) {
    let (i, j) = (i as usize, j as usize);
    gradient[i] = along(gradient[i], m, sub(q[j], predicted[j]));
    if i != j {
        gradient[j] = along(gradient[j], m, sub(q[i], predicted[i]));
    }
}

/// The nodes of four vertices, each with its weights in them, and how many there are.
fn nodes_of(corners: &[&Vertex; 4]) -> ([(u32, [f64; 4]); 16], usize) {
    let mut nodes = [(0, [0.0; 4]); 16];
    let mut count = 0;
    for (c, vertex) in corners.iter().enumerate() {
        for k in 0..vertex.count {
            let node = vertex.first + k;
            let place = nodes[..count].iter().position(|n| n.0 == node).unwrap_or_else(|| {
                nodes[count].0 = node;
                count += 1;
                count - 1
            });
            nodes[place].1[c] += vertex.weights[k as usize];
        }
    }
    (nodes, count)
}

/// out += s ∇ of a pair, by nodes.
fn add_gradient(corners: &[&Vertex; 4], s: f64, gradient: &[f64; 12], out: &mut [Vec3]) {
    for (c, vertex) in corners.iter().enumerate() {
        let g = [gradient[3 * c], gradient[3 * c + 1], gradient[3 * c + 2]];
        for k in 0..vertex.count {
            let node = &mut out[(vertex.first + k) as usize];
            *node = along(*node, s * vertex.weights[k as usize], g);
        }
    }
}

/// matrix += s ∇² of a pair, by nodes.
fn add_hessian(corners: &[&Vertex; 4], s: f64, hessian: &Hessian, matrix: &mut Matrix) {
    let (nodes, count) = nodes_of(corners);
    for (b, wb) in &nodes[..count] {
        // Columns of node b: H wb
        let mut columns = [[0.0; 3]; 12];
        for (r, row) in columns.iter_mut().enumerate() {
            for c in (0..4).filter(|&c| wb[c] != 0.0) {
                (0..3).for_each(|k| row[k] += s * wb[c] * hessian[r][3 * c + k]);
            }
        }
        for (a, wa) in nodes[..count].iter().filter(|(a, _)| a >= b) {
            let Some(block) = matrix.block(*a, *b) else { continue };
            for c in (0..4).filter(|&c| wa[c] != 0.0) {
                for k in 0..3 {
                    (0..3).for_each(|l| block[3 * k + l] += wa[c] * columns[3 * c + k][l]);
                }
            }
        }
    }
}
