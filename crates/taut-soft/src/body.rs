//! A soft body: a solid that moves.
//!
//! **Implicit Euler**: M(u − uᵗ) = h (f − B u − ∇E(qᵗ + h u)), the least of
//! ½|u − uᵗ|²_M − h f·u + h/2 uᵀB u + E(qᵗ + h u) over velocities u. In terms of positions q = qᵗ + h u that is the
//! optimization form of Andrews22 4.2.2 (divided by h²), in terms of u the velocity form of 4.2.3; one Newton step from
//! u = 0 is the linearized form of 4.2.1: (M + hB + h²K) u = M uᵗ + h (f − ∇E(qᵗ)). Deviations, mended: no factor h before E in
//! 4.2.3, damping is h/2 (q − qᵗ)ᵀB(q − qᵗ) in 4.2.2, and later Newton steps keep the term K (qᵗ + hu − q). Further steps are
//! shortened until the objective falls. K is made semidefinite sample by sample.
//!
//! **Midpoint**: M(v⁺ − v) = h (f − B v̄ − g), v̄ the mean velocity, g the discrete gradient (see [`Solid`]). It keeps energy
//! and momenta where there is no damping; `Linear` has no angular momentum to keep. It fails, and says so, where elements
//! invert or steps are so long that Newton does not follow.
//!
//! **Damping**: Rayleigh's B = αM + βK, K at the start of the step and semidefinite, so that turning is not damped by β.
//! **Cost**: a factorization per Newton step.

use taut_lcp::BlockCholesky;

use crate::error::number;
use crate::matrix::{Mat3, Vec3, along, cross, dot, sub};
use crate::turn::Turn;
use crate::{Error, Model, Solid};

/// How a soft body is moved on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Integrator {
    /// Implicit Euler: stable at any step, and dissipates. Newton steps at most; one is the linearized form.
    ImplicitEuler {
        /// At least 1.
        iterations: usize,
    },
    /// The midpoint rule with a discrete gradient: keeps energy and momenta.
    Midpoint {
        /// Newton steps at most, at least 1.
        iterations: usize,
    },
}

/// How a step or a search for equilibrium went.
#[must_use = "a step may not have converged"]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Whether the equation is solved; always for the linearized form. A step of implicit Euler that is not is taken all the
    /// same, for its objective fell; one by the midpoint rule is not taken, and nothing has moved.
    pub converged: bool,
    /// Newton steps.
    pub iterations: usize,
    /// What is left of the equation, relative to its largest term.
    pub residual: f64,
    /// Samples at which elements are inside out.
    pub inverted: usize,
}

/// A soft body with its motion.
pub struct SoftBody {
    pub(crate) solid: Solid,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    forces: Vec<Vec3>,
    pinned: Vec<bool>,
    pub(crate) damping: [f64; 2],
    /// How it turns in the step at hand, if that counts.
    pub(crate) turn: Option<Turn>,
    factor: BlockCholesky,
    /// h and κ of the system that is factored, where K is always the same.
    factored: Option<[f64; 2]>,
    /// K at the start of the step, K, and M + hB + h²K.
    start_stiffness: Vec<f64>,
    stiffness: Vec<f64>,
    system: Vec<f64>,
}

/// Share of a free motion that rounding may take in a step: what is stiffer, or flatter, is refused.
const LOST: f64 = 1e-6;
/// Residual, relative to the largest term, at which Newton ends.
const TOLERANCE: f64 = 1e-13;
/// Residual at which a step by the midpoint rule counts as solved where iterations end: stiff bars that turn fast take many to the last digits.
const ENOUGH: f64 = 1e-10;
/// Residual at which a step counts as solved.
const SOLVED: f64 = 1e-8;

impl SoftBody {
    /// A body at rest.
    pub fn new(solid: Solid) -> Result<Self, Error> {
        let positions = solid.mesh().nodes().to_vec();
        let (col_ptr, row_idx) = solid.pattern();
        let factor = BlockCholesky::new(col_ptr, row_idx, 3)?;
        let n = positions.len();
        Ok(SoftBody {
            solid,
            positions,
            velocities: vec![[0.0; 3]; n],
            forces: vec![[0.0; 3]; n],
            pinned: vec![false; 3 * n],
            damping: [0.0; 2],
            turn: None,
            factor,
            factored: None,
            start_stiffness: Vec::new(),
            stiffness: Vec::new(),
            system: Vec::new(),
        })
    }

    /// Rayleigh damping αM + βK: α \[1/s\] slows all motion, β \[s\] only deformation. Both at least 0.
    pub fn damped(mut self, alpha: f64, beta: f64) -> Result<Self, Error> {
        number("alpha", alpha, "at least 0 1/s", |a| a >= 0.0)?;
        number("beta", beta, "at least 0 s", |b| b >= 0.0)?;
        self.damping = [alpha, beta];
        self.factored = None;
        Ok(self)
    }

    /// Holds a node where it is, along all axes.
    pub fn pin(&mut self, node: usize) -> Result<(), Error> {
        (0..3).try_for_each(|axis| self.pin_axis(node, axis))
    }

    /// Holds a node where it is, along one axis.
    pub fn pin_axis(&mut self, node: usize, axis: usize) -> Result<(), Error> {
        self.check_node(node)?;
        if axis > 2 {
            return Err(Error::Range { what: "axis", got: axis, count: 3 });
        }
        self.pinned[3 * node + axis] = true;
        self.factored = None;
        self.velocities[node][axis] = 0.0;
        Ok(())
    }

    /// Refuses a body whose stiffness leaves nothing of its motion in a step of h: one that is free is to fly on, without bending.
    pub fn check_stiffness(&mut self, h: f64) -> Result<(), Error> {
        let pinned = std::mem::replace(&mut self.pinned, vec![false; 3 * self.positions.len()]);
        let rest = self.solid.mesh().nodes().to_vec();
        let factored = self.factor_system(h, h * h, &rest, true);
        self.pinned = pinned;
        self.factored = None;
        if factored.is_err() {
            return Err(Error::TooStiff);
        }
        let mut u = vec![[0.0; 3]; rest.len()];
        self.solid.add_mass(1.0, &vec![[1.0; 3]; rest.len()], &mut u);
        let slowed = 1.0 + h * self.damping[0];
        self.factor.solve(u.as_flattened_mut());
        // (`f64::max` would pass over what is no number.)
        let off = |most: f64, u: &f64| {
            let off = (u * slowed - 1.0).abs();
            if off > most || off.is_nan() { off } else { most }
        };
        let worst = u.as_flattened().iter().fold(0.0, off);
        if worst <= LOST { Ok(()) } else { Err(Error::TooStiff) }
    }

    /// Whether a node is held along an axis.
    pub fn is_pinned(&self, node: usize, axis: usize) -> bool {
        self.pinned.get(3 * node + axis).copied().unwrap_or(false)
    }

    /// The solid.
    pub fn solid(&self) -> &Solid {
        &self.solid
    }

    /// Where the nodes are \[m\].
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Moves the nodes.
    pub fn positions_mut(&mut self) -> &mut [Vec3] {
        &mut self.positions
    }

    /// Velocities of the nodes \[m/s\].
    pub fn velocities(&self) -> &[Vec3] {
        &self.velocities
    }

    /// Changes velocities; those of pinned nodes stay 0.
    pub fn velocities_mut(&mut self) -> &mut [Vec3] {
        &mut self.velocities
    }

    /// Forces on nodes \[N\], beside gravity; they stay until they are changed.
    pub fn forces_mut(&mut self) -> &mut [Vec3] {
        &mut self.forces
    }

    /// Elastic and kinetic energy \[J\].
    pub fn energy(&self) -> [f64; 2] {
        let mut momenta = vec![[0.0; 3]; self.positions.len()];
        self.solid.add_mass(1.0, &self.velocities, &mut momenta);
        let kinetic = momenta.iter().zip(&self.velocities).map(|(p, v)| 0.5 * dot(*p, *v)).sum();
        [self.solid.energy(&self.positions), kinetic]
    }

    /// Linear \[N·s\] and angular momentum about the origin \[N·m·s\].
    pub fn momentum(&self) -> [Vec3; 2] {
        let mut momenta = vec![[0.0; 3]; self.positions.len()];
        self.solid.add_mass(1.0, &self.velocities, &mut momenta);
        let mut sum = [[0.0; 3]; 2];
        for (p, x) in momenta.iter().zip(&self.positions) {
            sum = [along(sum[0], 1.0, *p), along(sum[1], 1.0, cross(*x, *p))];
        }
        sum
    }

    /// One step of h seconds with this gravity \[m/s²\].
    pub fn step(
        &mut self,
        h: f64,
        gravity: Vec3,
        integrator: Integrator,
    ) -> Result<Progress, Error> {
        number("time step", h, "more than 0 s", |h| h > 0.0)?;
        for g in gravity {
            number("gravity", g, "finite", |_| true)?;
        }
        self.check_state()?;
        self.turn = None;
        let progress = match integrator {
            Integrator::ImplicitEuler { iterations } => {
                self.euler(h, gravity, iterations.max(1))?
            }
            Integrator::Midpoint { iterations } => self.midpoint(h, gravity, iterations.max(1))?,
        };
        Ok(Progress { inverted: self.solid.inverted(&self.positions), ..progress })
    }

    /// Moves nodes that are not pinned to where all forces balance, from where they are.
    pub fn settle(&mut self, gravity: Vec3, iterations: usize) -> Result<Progress, Error> {
        self.check_state()?;
        self.factored = None;
        let force = self.external(gravity);
        let objective = |s: &Self, x: &[Vec3]| s.solid.energy(x) - sum_of_products(&force, x);
        let mut g = vec![[0.0; 3]; force.len()];
        let mut progress = Progress::default();
        loop {
            self.solid.gradient(&self.positions, &mut g);
            let terms = largest(&g).max(largest(&force)).max(self.least_terms());
            g.iter_mut().zip(&force).for_each(|(g, f)| *g = along(*g, -1.0, *f));
            self.clear_pinned(&mut g);
            let stuck = progress.residual;
            progress.residual = relative(&g, terms);
            if progress.residual <= TOLERANCE
                || (progress.iterations > 3
                    && progress.residual < 1e-10
                    && progress.residual > 0.5 * stuck)
            {
                self.velocities.fill([0.0; 3]);
                progress.converged = true;
                progress.inverted = self.solid.inverted(&self.positions);
                return Ok(progress);
            }
            if progress.iterations >= iterations {
                progress.inverted = self.solid.inverted(&self.positions);
                return Ok(progress);
            }
            // The exact Hessian, where it is positive definite, converges quadratically.
            let mut solved = Err(Error::Empty);
            for projected in [false, true] {
                self.solid.stiffness(&self.positions, projected, &mut self.stiffness);
                solved =
                    self.factor.factor(&self.stiffness, |i| !self.pinned[i]).map_err(Error::from);
                if solved.is_ok() {
                    break;
                }
            }
            solved?;
            self.factor.solve(g.as_flattened_mut());
            let start = self.positions.clone();
            self.positions = line_search(&start, &g, -1.0, |x| objective(self, x));
            progress.iterations += 1;
        }
    }

    fn check_node(&self, node: usize) -> Result<(), Error> {
        let count = self.positions.len();
        if node < count { Ok(()) } else { Err(Error::Range { what: "node", got: node, count }) }
    }

    pub(crate) fn check_state(&self) -> Result<(), Error> {
        let all = self.positions.iter().chain(&self.velocities).chain(&self.forces);
        match all.flatten().find(|x| !x.is_finite()) {
            Some(&value) => {
                Err(Error::Number { name: "a position, velocity or force", value, range: "finite" })
            }
            None => Ok(()),
        }
    }

    /// Forces given and gravity.
    pub(crate) fn external(&self, gravity: Vec3) -> Vec<Vec3> {
        let mut force = self.forces.clone();
        self.solid.add_mass(1.0, &vec![gravity; force.len()], &mut force);
        force
    }

    pub(crate) fn clear_pinned(&self, g: &mut [Vec3]) {
        let held = g.as_flattened_mut().iter_mut().zip(&self.pinned).filter(|(_, p)| **p);
        held.for_each(|(g, _)| *g = 0.0);
    }

    /// Factors (1 + hα)·M + hβ K₀ + κ K, with K at x.
    pub(crate) fn factor_system(
        &mut self,
        h: f64,
        kappa: f64,
        x: &[Vec3],
        first: bool,
    ) -> Result<(), Error> {
        let is_linear = self.solid.material().model() == Model::Linear;
        if is_linear && self.factored == Some([h, kappa]) {
            return Ok(());
        }
        self.solid.stiffness(x, true, &mut self.stiffness);
        if first {
            self.start_stiffness.clone_from(&self.stiffness);
        }
        let [alpha, beta] = self.damping;
        self.system.clear();
        self.system.extend(
            self.stiffness
                .iter()
                .zip(&self.start_stiffness)
                .map(|(k, k0)| kappa * k + h * beta * k0),
        );
        for (k, m) in self.solid.mass().iter().enumerate() {
            (0..3).for_each(|d| self.system[9 * k + 4 * d] += (1.0 + h * alpha) * m);
        }
        self.factored = None;
        self.factor.factor(&self.system, |i| !self.pinned[i])?;
        self.factored = is_linear.then_some([h, kappa]);
        Ok(())
    }

    /// Linearizes elastic forces about x + h u and factors; velocities at the end of a step of implicit Euler without contacts.
    /// The term h²K u is what Andrews22 4.2.1 lacks where a step does not start from u = 0. `first`: the first time in a step.
    /// Nothing moves yet: see [`SoftBody::advance`]. With a turn (see [`SoftBody::turn_with`]) u are mean velocities.
    pub fn linearize(
        &mut self,
        h: f64,
        gravity: Vec3,
        u: &[Vec3],
        first: bool,
    ) -> Result<Vec<Vec3>, Error> {
        let x = self.shape_at_end(h, u);
        self.factor_system(h, h * h, &x, first)?;
        let force = self.external(gravity);
        let mut rhs = vec![[0.0; 3]; u.len()];
        self.solid.gradient(&x, &mut rhs);
        rhs.iter_mut().zip(&force).for_each(|(r, f)| *r = [0, 1, 2].map(|k| h * (f[k] - r[k])));
        if u.iter().any(|u| *u != [0.0; 3]) {
            let scaled: Vec<Vec3> = u.iter().map(|u| u.map(|u| h * h * u)).collect();
            self.solid.add_product(&self.stiffness, &scaled, &mut rhs);
        }
        self.solid.add_mass(1.0, &self.velocities, &mut rhs);
        if let Some(turn) = &self.turn {
            self.solid.add_mass(-1.0, &turn.gain, &mut rhs);
            let beta = h * self.damping[1];
            if beta != 0.0 {
                let damped: Vec<Vec3> = turn.rigid.iter().map(|v| v.map(|v| beta * v)).collect();
                self.solid.add_product(&self.start_stiffness, &damped, &mut rhs);
            }
        }
        self.clear_pinned(&mut rhs);
        self.factor.solve(rhs.as_flattened_mut());
        Ok(rhs)
    }

    /// The factor of the last linearization, M + hB + h²K without what is pinned.
    pub fn factor_mut(&mut self) -> &mut BlockCholesky {
        &mut self.factor
    }

    /// A v, with A = M + hB + h²K of the last linearization; 0 where nodes are held.
    pub(crate) fn apply_system(&self, v: &[Vec3]) -> Vec<Vec3> {
        let mut out = vec![[0.0; 3]; v.len()];
        self.solid.add_product(&self.system, v, &mut out);
        self.clear_pinned(&mut out);
        out
    }

    /// Blocks of A of the last linearization, on the pattern.
    pub(crate) fn system(&self) -> &[f64] {
        &self.system
    }

    /// Blocks of the diagonal of A.
    pub(crate) fn diagonal(&self) -> Vec<Mat3> {
        // Columns begin with their diagonal.
        let (col_ptr, _) = self.solid.pattern();
        let block = |&k: &u32| &self.system[9 * k as usize..9 * k as usize + 9];
        let starts = col_ptr[..col_ptr.len() - 1].iter();
        starts
            .map(block)
            .map(|b| [[b[0], b[1], b[2]], [b[3], b[4], b[5]], [b[6], b[7], b[8]]])
            .collect()
    }

    /// out += B v with the velocities and the stiffness at the start of a step.
    pub(crate) fn add_damping_at_start(&mut self, h: f64, out: &mut [Vec3]) {
        if self.damping[1] != 0.0 {
            self.solid.stiffness(&self.positions, true, &mut self.start_stiffness);
        }
        let scaled: Vec<Vec3> = self.velocities.iter().map(|v| v.map(|v| v / h)).collect();
        self.add_damping(h, &scaled, out);
    }

    /// What the velocities u at the end of a step of implicit Euler leave of its equation, with these impulses on nodes, relative to
    /// its largest term.
    pub fn residual(&self, h: f64, gravity: Vec3, u: &[Vec3], impulses: &[Vec3]) -> f64 {
        let mut r = vec![[0.0; 3]; u.len()];
        let terms = self.euler_residual(h, u, &self.external(gravity), &mut r);
        r.iter_mut().zip(impulses).for_each(|(r, p)| *r = along(*r, -1.0, *p));
        self.clear_pinned(&mut r);
        relative(&r, terms.max(largest(impulses)))
    }

    /// Moves on with these velocities.
    pub fn advance(&mut self, h: f64, u: &[Vec3]) {
        self.positions = moved(&self.positions, h, u);
        self.velocities.copy_from_slice(u);
    }

    /// Forces of which rounding of positions leaves about 1e-14: what is left of an equation is compared with no less, or
    /// bodies at rest would be asked for digits that are not there.
    fn least_terms(&self) -> f64 {
        let stiffest = self.stiffness.iter().fold(0.0, |m: f64, k| m.max(k.abs()));
        0.01 * stiffest * largest(&self.positions)
    }

    /// Where elastic forces of a step of implicit Euler are taken: at its end, as it lies in the middle of the turn.
    fn shape_at_end(&self, h: f64, u: &[Vec3]) -> Vec<Vec3> {
        let mut x = moved(&self.positions, h, u);
        if let Some(turn) = &self.turn {
            x.iter_mut().zip(&turn.offset).for_each(|(x, o)| *x = along(*x, 1.0, *o));
        }
        x
    }

    /// out += h B v
    fn add_damping(&self, h: f64, v: &[Vec3], out: &mut [Vec3]) {
        self.add_bending(h, v, out);
        self.solid.add_mass(h * self.damping[0], v, out);
    }

    /// out += h β K v
    fn add_bending(&self, h: f64, v: &[Vec3], out: &mut [Vec3]) {
        let beta = self.damping[1];
        if beta != 0.0 {
            let scaled: Vec<Vec3> = v.iter().map(|v| v.map(|v| h * beta * v)).collect();
            self.solid.add_product(&self.start_stiffness, &scaled, out);
        }
    }

    /// M (u − uᵗ) + h (B u + ∇E(qᵗ + h u) − f), and the size of its terms.
    fn euler_residual(&self, h: f64, u: &[Vec3], force: &[Vec3], r: &mut [Vec3]) -> f64 {
        self.solid.gradient(&self.shape_at_end(h, u), r);
        let terms = h * largest(r).max(largest(force)).max(self.least_terms());
        r.iter_mut().zip(force).for_each(|(r, f)| *r = [0, 1, 2].map(|k| h * (r[k] - f[k])));
        let mut change: Vec<Vec3> =
            u.iter().zip(&self.velocities).map(|(u, v)| sub(*u, *v)).collect();
        match &self.turn {
            Some(turn) => {
                change.iter_mut().zip(&turn.gain).for_each(|(c, g)| *c = along(*c, 1.0, *g));
                let bent: Vec<Vec3> = u.iter().zip(&turn.rigid).map(|(u, v)| sub(*u, *v)).collect();
                self.add_bending(h, &bent, r);
                self.solid.add_mass(h * self.damping[0], u, r);
            }
            None => self.add_damping(h, u, r),
        }
        self.solid.add_mass(1.0, &change, r);
        let mut momenta = vec![[0.0; 3]; u.len()];
        self.solid.add_mass(1.0, &self.velocities, &mut momenta);
        self.clear_pinned(r);
        terms.max(largest(&momenta))
    }

    fn euler_objective(&self, h: f64, u: &[Vec3], force: &[Vec3]) -> f64 {
        let change: Vec<Vec3> =
            u.iter().zip(&self.velocities).map(|(u, v)| along(*u, -1.0, *v)).collect();
        let mut dual = vec![[0.0; 3]; u.len()];
        self.solid.add_mass(1.0, &change, &mut dual);
        let kinetic = sum_of_products(&dual, &change);
        dual.fill([0.0; 3]);
        self.add_damping(h, u, &mut dual);
        0.5 * (kinetic + sum_of_products(&dual, u)) - h * sum_of_products(force, u)
            + self.solid.energy(&moved(&self.positions, h, u))
    }

    fn euler(&mut self, h: f64, gravity: Vec3, iterations: usize) -> Result<Progress, Error> {
        let force = self.external(gravity);
        let mut u = vec![[0.0; 3]; force.len()];
        let mut r = u.clone();
        let mut progress = Progress::default();
        loop {
            let x = moved(&self.positions, h, &u);
            if progress.iterations == 0 {
                self.factor_system(h, h * h, &x, true)?;
            }
            let terms = self.euler_residual(h, &u, &force, &mut r);
            let before = progress.residual;
            progress.residual = relative(&r, terms);
            let stuck = progress.iterations > 3
                && progress.residual > 0.5 * before
                && progress.residual < 1e-9;
            if progress.iterations >= iterations || progress.residual <= TOLERANCE || stuck {
                break;
            }
            if progress.iterations > 0 {
                self.factor_system(h, h * h, &x, false)?;
            }
            self.factor.solve(r.as_flattened_mut());
            if iterations == 1 {
                u.iter_mut().zip(&r).for_each(|(u, r)| *u = along(*u, -1.0, *r));
            } else {
                let start = u.clone();
                u = line_search(&start, &r, -1.0, |u| self.euler_objective(h, u, &force));
            }
            progress.iterations += 1;
        }
        progress.converged = iterations == 1 || progress.residual <= SOLVED;
        self.positions = moved(&self.positions, h, &u);
        self.velocities = u;
        Ok(progress)
    }

    fn midpoint(&mut self, h: f64, gravity: Vec3, iterations: usize) -> Result<Progress, Error> {
        let force = self.external(gravity);
        // The mean velocity is the unknown: q⁺ = q + h v̄, v⁺ = 2 v̄ − v.
        let mut mean = self.mean_velocities(h);
        self.clear_pinned(&mut mean);
        let mut r = vec![[0.0; 3]; force.len()];
        let mut progress = Progress::default();
        let mut momenta = r.clone();
        self.solid.add_mass(1.0, &self.velocities, &mut momenta);
        let momenta = largest(&momenta);
        loop {
            let (end, middle) =
                (moved(&self.positions, h, &mean), moved(&self.positions, 0.5 * h, &mean));
            // d/dv̄ of 2 M v̄ + h g: M + h²/4 K after division by 2.
            let first = progress.iterations == 0;
            if first {
                self.factor_system(0.5 * h, 0.25 * h * h, &self.positions.clone(), true)?;
            }
            self.solid.discrete_gradient(&self.positions, &end, &mut r);
            let forces = largest(&r).max(largest(&force)).max(self.least_terms());
            let terms = (h * forces).max(momenta);
            r.iter_mut().zip(&force).for_each(|(r, f)| *r = [0, 1, 2].map(|k| h * (r[k] - f[k])));
            self.add_damping(h, &mean, &mut r);
            let change: Vec<Vec3> = mean
                .iter()
                .zip(&self.velocities)
                .map(|(m, v)| [0, 1, 2].map(|k| 2.0 * (m[k] - v[k])))
                .collect();
            self.solid.add_mass(1.0, &change, &mut r);
            self.clear_pinned(&mut r);
            let before = progress.residual;
            progress.residual = relative(&r, terms);
            let stuck = progress.iterations > 3
                && progress.residual > 0.5 * before
                && progress.residual < 1e-9;
            if progress.residual <= TOLERANCE || stuck {
                break;
            }
            let ends = progress.iterations >= iterations;
            if ends && progress.residual <= ENOUGH {
                break;
            }
            if ends || !progress.residual.is_finite() {
                return Ok(progress);
            }
            if !first {
                self.factor_system(0.5 * h, 0.25 * h * h, &middle, false)?;
            }
            self.factor.solve(r.as_flattened_mut());
            mean.iter_mut().zip(&r).for_each(|(m, r)| *m = along(*m, -0.5, *r));
            progress.iterations += 1;
        }
        self.positions = moved(&self.positions, h, &mean);
        for (v, m) in self.velocities.iter_mut().zip(&mean) {
            *v = [0, 1, 2].map(|k| 2.0 * m[k] - v[k]);
        }
        Ok(Progress { converged: true, ..progress })
    }
}

/// x + s v
pub(crate) fn moved(x: &[Vec3], s: f64, v: &[Vec3]) -> Vec<Vec3> {
    x.iter().zip(v).map(|(x, v)| along(*x, s, *v)).collect()
}

fn sum_of_products(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| dot(*a, *b)).sum()
}

fn largest(a: &[Vec3]) -> f64 {
    a.as_flattened().iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

fn relative(r: &[Vec3], terms: f64) -> f64 {
    let r = largest(r);
    if r == 0.0 { 0.0 } else { r / terms }
}

/// The first of x + s d, x + s/2 d, … at which the objective is no higher; the last where none is, as at its least
/// value, where rounding decides.
fn line_search(x: &[Vec3], d: &[Vec3], s: f64, objective: impl Fn(&[Vec3]) -> f64) -> Vec<Vec3> {
    let start = objective(x);
    let mut step = s;
    for _ in 0..30 {
        let next = moved(x, step, d);
        if objective(&next) <= start + 1e-12 * start.abs() {
            return next;
        }
        step *= 0.5;
    }
    moved(x, step, d)
}
