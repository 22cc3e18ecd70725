//! Blocked Gauss-Seidel: contact after contact, each solved exactly (NSGS).
//!
//! **Problem**: cones, bilateral and boxed rows; any A without negative
//! diagonals, symmetric or not, also the polyhedral-cone LCP with its zero
//! diagonal block.
//! **Update**, block after block: λ_B solves its own rows with all other λ as they
//! are newest. Blocks are cones, contacts with their friction boxes, joints
//! ([`Grouping`]); polyhedral cones of any number of directions; or all contacts between two
//! bodies. Orders of blocks ([`Order`]): as given; from the ground up by
//! layers of bodies (shock propagation); the worst block first; at random.
//! **Cost** per iteration: one pass over A (or J), and a small problem a block.
//! **Convergence**: linear for symmetric semidefinite A with boxes and associated
//! cones (descent of the energy, block by block). With maximum dissipation
//! nothing is proven; 11 of 19 FCLIB problems reach 1e-8 in 10,000 sweeps.
//! **Fails**: hopelessly slow on large mass ratios, long chains and tall stacks
//! (`IterationLimit`); with strong friction on redundant contacts it may cycle.
//! **Reference**: Andrews22 alg. 8 (line 3 must read b' = b + ΣAx, w = Ax + b
//! being the convention there, too), 3.2.3, 3.2.4; Jean 1999; Moreau 1999;
//! Erleben 2007 (layers).

use super::blocks::{self, Blocks};
use super::large::Large;
use crate::generate::Rng;
use crate::sweeps::Sweep;
use crate::{
    Counts, Error, Iterate, Multibody, Operator, Outcome, Probe, Problem, Solver, Status, Stop,
};

pub use super::blocks::Grouping;

/// Rows that a block may have: polyhedral cones of 62 directions, five contacts of eight.
const MOST_ROWS: usize = 64;

/// The order of blocks in a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Order {
    /// As given.
    #[default]
    Given,
    /// From the ground up: by how many rows lie between a block's bodies and the
    /// next row with one body. Multibody problems only.
    Layers,
    /// Largest residual of the last sweep first.
    Residual,
    /// Another order in each sweep.
    Random {
        /// Seed of the random numbers.
        seed: u64,
    },
}

/// Settings of blocked Gauss-Seidel.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Limit on sweeps. Default 10,000.
    pub max_iterations: usize,
    /// Which rows make a block. Default: contacts and joints.
    pub grouping: Grouping,
    /// The order of blocks. Default: as given.
    pub order: Order,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { max_iterations: 10_000, grouping: Grouping::default(), order: Order::default() }
    }
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The method.
pub struct Bgs {
    settings: Settings,
    blocks: Blocks,
    large: Large,
    /// λ and w of a large block.
    state: (Vec<f64>, Vec<f64>),
    order: Vec<u32>,
    residuals: Vec<f64>,
    layers: Vec<u32>,
}

impl Bgs {
    /// A solver with these settings.
    pub fn new(settings: Settings) -> Self {
        Bgs {
            settings,
            blocks: Blocks::with_most(MOST_ROWS),
            large: Large::default(),
            state: Default::default(),
            order: Vec::new(),
            residuals: Vec::new(),
            layers: Vec::new(),
        }
    }

    /// Layers of bodies from the ground up; then blocks by the highest of their
    /// bodies.
    fn sort_by_layers(&mut self, a: &Multibody) {
        let Bgs { layers, blocks, order, .. } = self;
        layers.clear();
        layers.resize(a.body_count(), u32::MAX);
        // Down the list of rows and up again: chains and stacks lie in order, mostly.
        let mut settled = false;
        while !settled {
            settled = true;
            for i in (0..a.rows()).chain((0..a.rows()).rev()) {
                let bodies = a.row(i).0;
                let lowest = bodies.iter().map(|&b| layers[b as usize]).min().unwrap_or(0);
                let most = if bodies.len() == 1 { 0 } else { lowest.saturating_add(1) };
                for &b in bodies {
                    if layers[b as usize] > most {
                        (layers[b as usize], settled) = (most, false);
                    }
                }
            }
        }
        // Between ground and layer 0: first; between 0 and 1: next; and so on.
        let key = |k: u32| {
            let bodies = a.row(blocks.rows_of(k as usize)[0] as usize).0;
            let highest = bodies.iter().map(|&b| layers[b as usize]).max().unwrap_or(0);
            (highest, bodies.len(), k)
        };
        order.sort_unstable_by_key(|&k| key(k));
    }

    /// The order of the next sweep.
    fn arrange(&mut self, rng: &mut Rng) {
        match self.settings.order {
            Order::Given | Order::Layers => {}
            Order::Residual => {
                let r = &self.residuals;
                let worse = |a: &u32, b: &u32| r[*b as usize].total_cmp(&r[*a as usize]);
                self.order.sort_unstable_by(|a, b| worse(a, b).then(a.cmp(b)));
            }
            Order::Random { .. } => {
                for k in (1..self.order.len()).rev() {
                    self.order.swap(k, rng.index(k + 1));
                }
            }
        }
    }

    fn sweep(&mut self, problem: &Problem, lambda: &mut [f64]) -> Sweep {
        let mut seen = Sweep::default();
        for at in 0..self.order.len() {
            let k = self.order[at] as usize;
            if let Some(number) = self.blocks.large(k) {
                self.relax_large(problem, lambda, k, number, &mut seen);
                continue;
            }
            let state = self.blocks.state(problem, lambda, k);
            let residual = self.blocks.residual(k, &state);
            self.residuals[k] = residual;
            seen.residual = seen.residual.max(residual);
            if residual == 0.0 {
                continue;
            }
            let next = self.blocks.solve(k, &state);
            let (change, size) = self.blocks.set(problem, lambda, k, &next);
            seen.change = seen.change.max(change);
            seen.size = seen.size.max(size);
        }
        seen
    }

    /// Solves a block that is a problem of its own.
    fn relax_large(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
        k: usize,
        number: usize,
        seen: &mut Sweep,
    ) {
        let Bgs { blocks, large, state, residuals, .. } = self;
        blocks.read(problem, lambda, k, state);
        let residual = large.residual(number, &state.0, &state.1);
        residuals[k] = residual;
        seen.residual = seen.residual.max(residual);
        if residual > 0.0 {
            let (change, size) = blocks.set(problem, lambda, k, large.solve(number, &state.0));
            seen.change = seen.change.max(change);
            seen.size = seen.size.max(size);
        }
    }
}

impl Solver for Bgs {
    fn name(&self) -> &'static str {
        "bgs"
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Error> {
        let has_bodies = matches!(problem.operator, Operator::Multibody(_));
        if self.settings.order == Order::Layers && !has_bodies {
            let reason = "layers need bodies; choose another order".into();
            return Err(Error::Refused { solver: "bgs", reason });
        }
        blocks::accept("bgs", problem)
    }

    fn prepare(&mut self, problem: &Problem) {
        self.blocks.prepare(problem, self.settings.grouping);
        self.large.start(problem);
        self.blocks.for_each_large(|rows, matrix| self.large.push(rows, matrix));
        self.order.clear();
        self.order.extend(0..self.blocks.count() as u32);
        self.residuals.clear();
        self.residuals.resize(self.blocks.count(), 0.0);
        if let (Order::Layers, Operator::Multibody(a)) = (self.settings.order, &problem.operator) {
            self.sort_by_layers(a);
        }
    }

    fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let tolerance = stop.tolerance * problem.scale();
        let limit = stop.max_iterations.unwrap_or(self.settings.max_iterations);
        let mut counts = Counts::default();
        let seed = if let Order::Random { seed } = self.settings.order { seed } else { 0 };
        let mut rng = Rng::new(seed);
        self.blocks.start(problem, &iterate.lambda);
        while counts.iterations < limit {
            counts.iterations += 1;
            self.arrange(&mut rng);
            let seen = self.sweep(problem, &mut iterate.lambda);
            probe.iteration(counts.iterations, seen.residual);
            if !seen.residual.is_finite() {
                return Outcome::new(Status::NonFinite, counts);
            }
            // What a sweep meets belongs to λ half changed: the exact residual decides.
            let stalled = seen.has_stalled();
            if seen.residual <= tolerance || stalled {
                if self.blocks.exact_residual(problem, &iterate.lambda) <= tolerance {
                    return Outcome::new(Status::Converged, counts);
                }
                if stalled {
                    return Outcome::new(Status::Stalled, counts);
                }
            }
        }
        Outcome::new(Status::IterationLimit, counts)
    }
}
