//! Problems of frames, and warm starts from one to the next.
#![allow(dead_code)] // each example uses a part

use std::collections::HashMap;

use taut::lcp::{Iterate, Problem, RowState};
use taut_scenes::Scene;

pub type Failure = Box<dyn std::error::Error>;

/// The problem of a frame.
pub struct Posed {
    pub problem: Problem,
    pub keys: Vec<u64>,
    pub bodies: usize,
    pub largest: usize,
}

impl Posed {
    pub fn new(scene: &Scene) -> Result<Self, Failure> {
        let islands = scene.world.island_rows();
        Ok(Posed {
            problem: scene.world.problem()?,
            keys: scene.world.problem_keys(),
            bodies: scene.world.bodies().count(),
            largest: islands.into_iter().max().unwrap_or(0),
        })
    }
}

/// Rows are found again by their names; new ones get no impulse.
pub fn carried(old: &Iterate, before: &Posed, now: &Posed) -> Iterate {
    let place: HashMap<u64, usize> = before.keys.iter().enumerate().map(|(i, k)| (*k, i)).collect();
    let at = |key: &u64| place.get(key).copied();
    let lambda = now.keys.iter().map(|k| at(k).map_or(0.0, |i| old.lambda[i])).collect();
    let mut start = Iterate::from_lambda(lambda);
    if old.set.len() == old.lambda.len() {
        let state = |k| at(k).map_or(RowState::Free, |i| old.set[i]);
        start.set = now.keys.iter().map(state).collect();
    }
    start
}
