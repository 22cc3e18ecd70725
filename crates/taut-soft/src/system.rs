//! Soft and rigid bodies in one exact problem.
//!
//! **Problem**: velocities u of all nodes and rigid bodies, and impulses λ of contacts and attachments, with
//! A u = A u_free + Jᵀλ, w = J u + φ/h, and for contacts Coulomb's law: 0 ≤ λ_n ⊥ w_n ≥ 0 and friction in its cone. A is
//! M + hB + h²K for soft bodies (see [`SoftBody`]) and the mass of rigid ones. φ is the gap at the start of the step, so that
//! what is left over does not accumulate.
//! **Update**: the dual form of Andrews22 4.3.3 (W_A), with gaps mended: W = Σ J_e A_e⁻¹ J_eᵀ over soft bodies (half of alg. 15's
//! substitutions: Y = L⁻¹Jᵀ, W = YᵀY) + J_r M⁻¹ J_rᵀ over rigid ones + 1e-9 of the diagonal, dense, solved by `auto`. Where rows are so many that
//! W costs more, the primal form (`primal`). Approximations to compare with: [`Method`].
//! Nodes that turn out to run into a body are added, and the step is solved again.
//! **Large deformation**: the step is linearized anew about its answer, [`System::relinearizations`] times.
//! **Cost**: a factorization per soft body and linearization; Y and W grow with the square of the number of rows.
//! **Limits**: contacts are nodes of soft surfaces against shapes of rigid bodies, and corners of rigid bodies against faces of soft
//! ones. Edges that pass between nodes, soft bodies against one another or themselves, and rigid bodies against one another do
//! not touch.

use std::collections::{HashMap, HashSet};

use taut_lcp::{Dense, Iterate, Law, Operator, Problem, Session, Status};

use crate::error::number;
use crate::face::nearest;
use crate::matrix::{Vec3, along, dot, sub, tangents};
use crate::rigid::RigidBody;
use crate::{Error, Method, SoftBody};

/// Compliance of all rows, relative to the diagonal of W: decides forces that bodies leave undetermined.
pub(crate) const COMPLIANCE: f64 = 1e-9;
/// Nodes within this part of a body's size of touching are contacts from the start.
const MARGIN: f64 = 1e-3;
/// Rounds of adding contacts that a step lacks.
const ROUNDS: usize = 10;

/// A node of a soft body that touches a rigid body, or a corner of a rigid body that touches a face, or would within the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Which soft body.
    pub soft: usize,
    /// The nodes of the face, with [`Contact::weights`]; thrice the same for a node.
    pub nodes: [usize; 3],
    /// How far each node takes part; 1, 0, 0 for a node.
    pub weights: [f64; 3],
    /// Which rigid body.
    pub rigid: usize,
    /// Out of the rigid body.
    pub normal: Vec3,
    /// Distance at the start of the step \[m\].
    pub gap: f64,
    /// Impulse on the soft body in the step, in the world's axes \[N·s\]; divided by the time step, the force.
    pub impulse: Vec3,
    /// The corner of the rigid body, if it is one.
    corner: Option<usize>,
}

/// A contact by soft and rigid body, and corner or node.
type Key = (usize, usize, Result<usize, usize>);

struct Attachment {
    soft: usize,
    node: usize,
    rigid: usize,
    local: Vec3,
}

/// One row of J.
pub(crate) struct Row {
    pub(crate) soft: usize,
    /// Degrees of freedom of the soft body that are free.
    pub(crate) entries: Vec<(u32, f64)>,
    pub(crate) rigid: usize,
    pub(crate) j: [f64; 6],
    /// φ/h
    pub(crate) bias: f64,
}

/// How a step went.
#[must_use = "a step may not have converged"]
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SystemReport {
    /// Of the last solve of contacts.
    pub status: Status,
    /// Contacts, and rows of all of them and of attachments.
    pub contacts: usize,
    /// Rows of the last problem.
    pub rows: usize,
    /// The judge's largest residual \[m/s\].
    pub residual: f64,
    /// The deepest node in a rigid body, or corner in a soft one, after the step \[m\]; at least 0.
    pub penetration: f64,
    /// Largest change of a velocity in the last linearization \[m/s\].
    pub change: f64,
    /// Solves of contacts.
    pub solves: usize,
    /// The method of the last of them.
    pub method: Method,
    /// Passes of [`Method::Ica`], or Newton steps of [`Method::Primal`].
    pub passes: usize,
    /// Samples at which elements are inside out.
    pub inverted: usize,
}

/// Soft and rigid bodies under gravity.
pub struct System {
    pub(crate) softs: Vec<SoftBody>,
    surfaces: Vec<Vec<u32>>,
    faces: Vec<Vec<[u32; 3]>>,
    sizes: Vec<f64>,
    pub(crate) rigids: Vec<RigidBody>,
    attachments: Vec<Attachment>,
    contacts: Vec<Contact>,
    gravity: Vec3,
    relinearizations: usize,
    method: Method,
    session: Session,
    /// Impulses of the last step, by contact.
    last: HashMap<Key, [f64; 3]>,
    /// Velocities of the step, before they are taken.
    pub(crate) u: Vec<Vec<Vec3>>,
    pub(crate) v: Vec<[f64; 6]>,
}

impl System {
    /// An empty system under this gravity \[m/s²\].
    pub fn new(gravity: Vec3) -> Result<Self, Error> {
        let mut system = System {
            softs: Vec::new(),
            surfaces: Vec::new(),
            faces: Vec::new(),
            sizes: Vec::new(),
            rigids: Vec::new(),
            attachments: Vec::new(),
            contacts: Vec::new(),
            gravity,
            relinearizations: 1,
            method: Method::Auto,
            session: Session::named("auto")?,
            last: HashMap::new(),
            u: Vec::new(),
            v: Vec::new(),
        };
        system.set_gravity(gravity)?;
        Ok(system)
    }

    /// How often the elastic forces of a step are linearized, at least 1, the default: 2 to 4 for large deformation in a step.
    #[must_use]
    pub fn relinearizations(mut self, times: usize) -> Self {
        self.relinearizations = times.max(1);
        self
    }

    /// How contacts are solved for. By default exactly, in the form that costs less.
    #[must_use]
    pub fn solved_by(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Changes gravity \[m/s²\] from the next step on.
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), Error> {
        for g in gravity {
            number("gravity", g, "finite", |_| true)?;
        }
        self.gravity = gravity;
        Ok(())
    }

    /// Adds a soft body; the answer is its number.
    pub fn add_soft(&mut self, body: SoftBody) -> usize {
        let surface = body.solid().mesh().surface_nodes();
        let size = (0..3).map(|k| {
            let of =
                |f: fn(f64, f64) -> f64, from| body.positions().iter().map(|x| x[k]).fold(from, f);
            of(f64::max, f64::NEG_INFINITY) - of(f64::min, f64::INFINITY)
        });
        self.sizes.push(size.fold(0.0, f64::max));
        self.surfaces.push(surface);
        self.faces.push(body.solid().mesh().surface());
        self.softs.push(body);
        self.softs.len() - 1
    }

    /// Adds a rigid body; the answer is its number.
    pub fn add_rigid(&mut self, body: RigidBody) -> usize {
        self.rigids.push(body);
        self.rigids.len() - 1
    }

    /// Welds a node of a soft body to where it is on a rigid one.
    pub fn attach(&mut self, soft: usize, node: usize, rigid: usize) -> Result<(), Error> {
        let range = |what, got, count| Err(Error::Range { what, got, count });
        let (softs, rigids) = (self.softs.len(), self.rigids.len());
        let (Some(body), Some(to)) = (self.softs.get(soft), self.rigids.get(rigid)) else {
            return if soft < softs {
                range("rigid body", rigid, rigids)
            } else {
                range("soft body", soft, softs)
            };
        };
        let Some(&x) = body.positions().get(node) else {
            return range("node", node, body.positions().len());
        };
        self.attachments.push(Attachment { soft, node, rigid, local: to.local(x) });
        Ok(())
    }

    /// The soft bodies.
    pub fn softs(&self) -> &[SoftBody] {
        &self.softs
    }

    /// The soft bodies, to change forces or velocities.
    pub fn softs_mut(&mut self) -> &mut [SoftBody] {
        &mut self.softs
    }

    /// The rigid bodies.
    pub fn rigids(&self) -> &[RigidBody] {
        &self.rigids
    }

    /// The rigid bodies, to change velocities.
    pub fn rigids_mut(&mut self) -> &mut [RigidBody] {
        &mut self.rigids
    }

    /// The contacts of the last step.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// One step of h seconds.
    pub fn step(&mut self, h: f64) -> Result<SystemReport, Error> {
        number("time step", h, "more than 0 s", |h| h > 0.0)?;
        self.softs.iter().try_for_each(SoftBody::check_state)?;
        if self.rigids.iter().any(|r| !r.is_finite()) {
            let name = "a position or velocity of a rigid body";
            return Err(Error::Number { name, value: f64::NAN, range: "finite" });
        }
        self.u = self.softs.iter().map(|s| vec![[0.0; 3]; s.positions().len()]).collect();
        self.contacts.clear();
        let mut report = SystemReport {
            status: Status::Converged,
            contacts: 0,
            rows: 0,
            residual: 0.0,
            penetration: 0.0,
            change: 0.0,
            solves: 0,
            method: self.method,
            passes: 0,
            inverted: 0,
        };
        for k in 0..self.relinearizations {
            let before = self.u.clone();
            self.solve(h, k == 0, &mut report)?;
            let all = self.u.iter().flatten().flatten().zip(before.iter().flatten().flatten());
            report.change = all.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
        }
        for (soft, u) in self.softs.iter_mut().zip(&self.u) {
            soft.advance(h, u);
            report.inverted += soft.solid().inverted(soft.positions());
        }
        self.rigids.iter_mut().zip(&self.v).for_each(|(r, v)| r.advance(h, *v));
        report.penetration = self.deepest();
        report.contacts = self.contacts.len();
        Ok(report)
    }

    /// How deep the deepest node is in a rigid body, or corner in a soft one.
    fn deepest(&self) -> f64 {
        let mut deepest = 0.0_f64;
        for (s, soft) in self.softs.iter().enumerate() {
            let x = soft.positions();
            for rigid in &self.rigids {
                for &n in &self.surfaces[s] {
                    deepest = deepest.max(-rigid.sample(x[n as usize]).distance);
                }
                for &corner in rigid.corners() {
                    let face = nearest(rigid.place(corner), x, &self.faces[s]);
                    deepest = deepest.max(face.map_or(0.0, |f| -f.distance));
                }
            }
        }
        deepest
    }

    /// One linearization: velocities with all contacts that turn out to be needed.
    fn solve(&mut self, h: f64, first: bool, report: &mut SystemReport) -> Result<(), Error> {
        let mut free = Vec::new();
        for (soft, u) in self.softs.iter_mut().zip(&self.u) {
            free.push(match self.method {
                Method::WM => soft.explicit(h, self.gravity),
                _ => soft.linearize(h, self.gravity, u, first)?,
            });
        }
        let free_rigid: Vec<[f64; 6]> =
            self.rigids.iter().map(|r| r.free_velocity(h, self.gravity)).collect();
        (self.u, self.v) = (free.clone(), free_rigid.clone());
        if first {
            self.find_contacts(h, true);
        }
        for _ in 0..ROUNDS {
            let (rows, laws) = self.rows(h);
            self.u.clone_from(&free);
            self.v.clone_from(&free_rigid);
            if !rows.is_empty() {
                let lambda = self.solve_by_method(&rows, &laws, report)?;
                self.keep(&lambda);
            }
            report.rows = rows.len();
            report.solves += 1;
            if !self.find_contacts(h, false) {
                break;
            }
        }
        Ok(())
    }

    /// Adds contacts of nodes that would end inside a body with the velocities at hand; at the start, also of those that come near.
    fn find_contacts(&mut self, h: f64, is_start: bool) -> bool {
        let known: HashSet<Key> = self.contacts.iter().map(Contact::key).collect();
        let mut found = Vec::new();
        for (s, soft) in self.softs.iter().enumerate() {
            let margin = if is_start { MARGIN * self.sizes[s] } else { -1e-12 * self.sizes[s] };
            for (r, rigid) in self.rigids.iter().enumerate() {
                let nodes = self.surfaces[s].iter().map(|&node| {
                    let sample = rigid.sample(soft.positions()[node as usize]);
                    Contact::node(s, node as usize, r, sample.gradient, sample.distance)
                });
                let corners = (0..rigid.corners().len()).filter_map(|k| self.corner(s, r, k));
                for c in nodes.chain(corners) {
                    if c.normal == [0.0; 3] || known.contains(&c.key()) {
                        continue;
                    }
                    let u = |k: usize| c.weights[k] * dot(c.normal, self.u[s][c.nodes[k]]);
                    let against = product(&rigid.row(self.point(&c), c.normal), &self.v[r]);
                    if c.gap + h * (u(0) + u(1) + u(2) - against) < margin {
                        found.push(c);
                    }
                }
            }
        }
        let is_new = !found.is_empty();
        self.contacts.extend(found);
        is_new
    }

    /// A corner of a rigid body against the nearest face of a soft one; none where it meets a node, whose own contact is enough.
    fn corner(&self, soft: usize, rigid: usize, corner: usize) -> Option<Contact> {
        let body = &self.rigids[rigid];
        let x = self.softs[soft].positions();
        let found = nearest(body.place(body.corners()[corner]), x, &self.faces[soft])?;
        let is_face = found.weights.iter().all(|w| *w < 1.0 - 1e-6);
        let normal = found.normal.map(|n| -n);
        is_face.then_some(Contact {
            nodes: found.triangle.map(|n| n as usize),
            weights: found.weights,
            corner: Some(corner),
            ..Contact::node(soft, 0, rigid, normal, found.distance)
        })
    }

    /// Where a contact is on the soft body.
    fn point(&self, c: &Contact) -> Vec3 {
        let x = self.softs[c.soft].positions();
        (0..3).fold([0.0; 3], |p, k| along(p, c.weights[k], x[c.nodes[k]]))
    }

    /// The row of direction d at a contact.
    fn row(&self, c: &Contact, d: Vec3, bias: f64) -> Row {
        let body = &self.softs[c.soft];
        let mut entries = Vec::new();
        for (&node, weight) in c.nodes.iter().zip(c.weights).filter(|(_, w)| *w != 0.0) {
            let free = (0..3).filter(|&k| !body.is_pinned(node, k) && d[k] != 0.0);
            entries.extend(free.map(|k| ((3 * node + k) as u32, weight * d[k])));
        }
        let j = self.rigids[c.rigid].row(self.point(c), d).map(|j| -j);
        Row { soft: c.soft, entries, rigid: c.rigid, j, bias }
    }

    /// Rows of contacts, then of attachments.
    fn rows(&self, h: f64) -> (Vec<Row>, Vec<Law>) {
        let (mut rows, mut laws) = (Vec::new(), Vec::new());
        for c in &self.contacts {
            let mu = self.rigids[c.rigid].friction();
            rows.push(self.row(c, c.normal, c.gap / h));
            if mu > 0.0 {
                let [t1, t2] = tangents(c.normal);
                rows.push(self.row(c, t1, 0.0));
                rows.push(self.row(c, t2, 0.0));
                laws.push(Law::Cone { mu: [mu; 2], associated: false });
            } else {
                laws.push(Law::Box { lo: 0.0, hi: f64::INFINITY });
            }
        }
        for a in &self.attachments {
            let gap =
                sub(self.softs[a.soft].positions()[a.node], self.rigids[a.rigid].place(a.local));
            let at = Contact::node(a.soft, a.node, a.rigid, [0.0; 3], 0.0);
            for k in 0..3 {
                let mut d = [0.0; 3];
                d[k] = 1.0;
                rows.push(self.row(&at, d, gap[k] / h));
                laws.push(Law::Bilateral);
            }
        }
        (rows, laws)
    }

    /// Impulses of rows, and velocities with them; those at hand are without.
    fn solve_by_method(
        &mut self,
        rows: &[Row],
        laws: &[Law],
        report: &mut SystemReport,
    ) -> Result<Vec<f64>, Error> {
        report.method = self.form_for(rows.len());
        match report.method {
            Method::Primal => {
                let free = (self.u.clone(), self.v.clone());
                let lambda = self.solve_primal(rows, laws, report)?;
                if self.method == Method::Primal || report.status == Status::Converged {
                    return Ok(lambda);
                }
                (self.u, self.v) = free;
                report.method = Method::Dual;
                self.solve_dual(rows, laws, report)
            }
            Method::WM | Method::WD | Method::Ica => {
                self.solve_approximately(report.method, rows, laws, report)
            }
            Method::Auto | Method::Dual => self.solve_dual(rows, laws, report),
        }
    }

    /// The method for so many rows.
    fn form_for(&mut self, rows: usize) -> Method {
        if self.method != Method::Auto {
            return self.method;
        }
        let unknowns = self.softs.iter().map(|s| 3 * s.positions().len()).sum();
        let entries = self.softs.iter_mut().map(|s| s.factor_mut().entries()).sum();
        Method::cheaper(rows, unknowns, entries)
    }

    fn solve_dual(
        &mut self,
        rows: &[Row],
        laws: &[Law],
        report: &mut SystemReport,
    ) -> Result<Vec<f64>, Error> {
        let w = self.delassus(rows)?;
        let lambda = self.solve_rows(rows, laws, w, report)?;
        self.respond(rows, &lambda);
        Ok(lambda)
    }

    /// W of the rows.
    fn delassus(&mut self, rows: &[Row]) -> Result<Vec<f64>, Error> {
        let m = rows.len();
        let mut w = vec![0.0; m * m];
        for (s, soft) in self.softs.iter_mut().enumerate() {
            let of: Vec<usize> = (0..m).filter(|&i| rows[i].soft == s).collect();
            let mut part = vec![0.0; of.len() * of.len()];
            soft.factor_mut().add_inverse(of.len(), |i| &rows[of[i]].entries, &mut part)?;
            for (a, &i) in of.iter().enumerate() {
                of.iter().enumerate().for_each(|(b, &j)| w[i * m + j] += part[a * of.len() + b]);
            }
        }
        self.add_rigid_delassus(rows, &mut w);
        Ok(w)
    }

    /// w += J M⁻¹ Jᵀ of rigid bodies.
    pub(crate) fn add_rigid_delassus(&self, rows: &[Row], w: &mut [f64]) {
        let m = rows.len();
        for (r, rigid) in self.rigids.iter().enumerate().filter(|(_, r)| !r.is_fixed()) {
            let of: Vec<usize> = (0..m).filter(|&i| rows[i].rigid == r).collect();
            let responses: Vec<[f64; 6]> = of.iter().map(|&i| rigid.respond(&rows[i].j)).collect();
            for (a, &i) in of.iter().enumerate() {
                for (&j, response) in of[..=a].iter().zip(&responses) {
                    let value = product(&rows[i].j, response);
                    w[i * m + j] += value;
                    if i != j {
                        w[j * m + i] += value;
                    }
                }
            }
        }
    }

    /// Impulses of rows by W, about the velocities at hand.
    pub(crate) fn solve_rows(
        &mut self,
        rows: &[Row],
        laws: &[Law],
        mut w: Vec<f64>,
        report: &mut SystemReport,
    ) -> Result<Vec<f64>, Error> {
        let m = rows.len();
        let diagonal: Vec<f64> = (0..m).map(|i| w[i * m + i]).collect();
        for (i, c) in compliances(laws, &diagonal).into_iter().enumerate() {
            w[i * m + i] += c;
        }
        let b = rows.iter().map(|row| row.bias + self.speed(row)).collect();
        let problem = Problem::new(Operator::Dense(Dense::from_rows(m, w)?), b, laws.to_vec())?;
        let start = self.start(m);
        self.session.start_from(Iterate::from_lambda(start));
        let answer = self.session.solve(&problem)?;
        report.status = answer.status();
        report.residual = answer.report().verdict.natural_residual;
        Ok(answer.lambda().to_vec())
    }

    /// J u with the velocities at hand.
    pub(crate) fn speed(&self, row: &Row) -> f64 {
        let u = self.u[row.soft].as_flattened();
        row.entries.iter().map(|&(k, d)| d * u[k as usize]).sum::<f64>()
            + product(&row.j, &self.v[row.rigid])
    }

    /// Impulses of the step before, where there was a contact.
    pub(crate) fn start(&self, rows: usize) -> Vec<f64> {
        let mut start = Vec::with_capacity(rows);
        for c in &self.contacts {
            let last = self.last.get(&c.key()).copied().unwrap_or([0.0; 3]);
            start.extend_from_slice(&last[..self.rows_of(c)]);
        }
        start.resize(rows, 0.0);
        start
    }

    fn rows_of(&self, c: &Contact) -> usize {
        if self.rigids[c.rigid].friction() > 0.0 { 3 } else { 1 }
    }

    /// Impulses of rows on the nodes of a soft body.
    pub(crate) fn pushes(&self, soft: usize, rows: &[Row], lambda: &[f64]) -> Vec<Vec3> {
        let mut push = vec![[0.0; 3]; self.u[soft].len()];
        let flat = push.as_flattened_mut();
        for (row, lambda) in rows.iter().zip(lambda).filter(|(row, _)| row.soft == soft) {
            row.entries.iter().for_each(|&(k, d)| flat[k as usize] += d * lambda);
        }
        push
    }

    /// Velocities with the impulses.
    fn respond(&mut self, rows: &[Row], lambda: &[f64]) {
        for s in 0..self.softs.len() {
            let mut push = self.pushes(s, rows, lambda);
            self.softs[s].factor_mut().solve(push.as_flattened_mut());
            self.u[s].iter_mut().zip(&push).for_each(|(u, p)| *u = along(*u, 1.0, *p));
        }
        self.respond_rigid(rows, lambda);
    }

    /// Velocities of rigid bodies with the impulses.
    pub(crate) fn respond_rigid(&mut self, rows: &[Row], lambda: &[f64]) {
        for (r, rigid) in self.rigids.iter().enumerate() {
            let mut push = [0.0; 6];
            for (row, lambda) in rows.iter().zip(lambda).filter(|(row, _)| row.rigid == r) {
                (0..6).for_each(|k| push[k] += row.j[k] * lambda);
            }
            let change = rigid.respond(&push);
            (0..6).for_each(|k| self.v[r][k] += change[k]);
        }
    }

    /// Impulses of contacts, for their readers and for the next start.
    fn keep(&mut self, lambda: &[f64]) {
        self.last.clear();
        let mut at = 0;
        for k in 0..self.contacts.len() {
            let rows = self.rows_of(&self.contacts[k]);
            let c = &mut self.contacts[k];
            let mut own = [0.0; 3];
            own[..rows].copy_from_slice(&lambda[at..at + rows]);
            at += rows;
            let [t1, t2] = tangents(c.normal);
            c.impulse = [0, 1, 2].map(|k| own[0] * c.normal[k] + own[1] * t1[k] + own[2] * t2[k]);
            self.last.insert(c.key(), own);
        }
    }
}

impl Contact {
    fn node(soft: usize, node: usize, rigid: usize, normal: Vec3, gap: f64) -> Self {
        let (nodes, weights) = ([node; 3], [1.0, 0.0, 0.0]);
        Contact { soft, nodes, weights, rigid, normal, gap, impulse: [0.0; 3], corner: None }
    }

    fn key(&self) -> Key {
        (self.soft, self.rigid, self.corner.ok_or(self.nodes[0]))
    }
}

/// Rows of each law: three of a cone, one of any other.
pub(crate) fn groups(laws: &[Law]) -> Vec<std::ops::Range<usize>> {
    let mut at = 0;
    let group = |law: &Law| {
        let rows = if matches!(law, Law::Cone { .. }) { 3 } else { 1 };
        at += rows;
        at - rows..at
    };
    laws.iter().map(group).collect()
}

/// Compliances of rows by the diagonal of W, the same for all rows of a contact. Rows between what is pinned and what is fixed have no freedom:
/// they take no part, but must not be singular.
pub(crate) fn compliances(laws: &[Law], diagonal: &[f64]) -> Vec<f64> {
    let largest = diagonal.iter().fold(0.0, |m: f64, d| m.max(*d));
    let mut all = vec![0.0; diagonal.len()];
    for group in groups(laws) {
        let own = diagonal[group.clone()].iter().fold(0.0, |m: f64, d| m.max(*d));
        all[group].fill(if own > 0.0 { COMPLIANCE * own } else { largest.max(1.0) });
    }
    all
}

pub(crate) fn product(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
