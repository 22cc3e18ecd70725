//! Which body belongs to which subsystem.
//!
//! The graph has a vertex per body and an edge between bodies that share rows,
//! weighted by their number: what is cut is the interface. A partition is a
//! function of the problem alone, so that a step does not depend on what was
//! solved before it.
//! **Cost**: linear in rows; see docs/bench/substructuring.md.

use super::merge::merge;
use super::{minimum_degree, nested};
use crate::{Error, Multibody, Operator, Problem};

pub(super) const NONE: u32 = u32::MAX;
/// The bounds of a joint.
pub(crate) const UNBOUNDED: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// How bodies are divided into subsystems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum Partition {
    /// As the problem names them ([`Multibody::set_subsystem`]); bodies
    /// without a name join a neighbour. Where joints alone connect more than 8
    /// (and one per 2,000 rows), neighbours are made one, the smallest first.
    /// Where nothing is named: `Nested`.
    #[default]
    Named,
    /// Grown body by body, least degree first, with the rule for orphans
    /// (Peiret19 alg. 2).
    MinimumDegree {
        /// Bodies in a subsystem.
        bodies: usize,
    },
    /// Cut in two again and again, few rows across each cut.
    Nested {
        /// Bodies in a subsystem, at most.
        bodies: usize,
    },
}

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Bodies per subsystem where nothing else is said (docs/bench/substructuring.md, "Size of partitions").
const BODIES: usize = 16;
/// Named subsystems that are left as they are, and rows from which on there may
/// be more: a cut has its cost, which only large subsystems are worth.
const FEW: usize = 8;
const WORTHWHILE: usize = 2000;

impl Partition {
    pub(super) fn validate(&self, solver: &'static str) -> Result<(), Error> {
        match *self {
            Partition::MinimumDegree { bodies: 0 } | Partition::Nested { bodies: 0 } => {
                let (value, expected) = ("0".into(), "at least 1");
                Err(Error::Setting { solver, name: "partition.bodies", value, expected })
            }
            _ => Ok(()),
        }
    }

    /// The subsystem of every body, numbered from 0 in the order of their
    /// first bodies; nothing where the problem has no bodies.
    pub fn assign(&self, problem: &Problem) -> Vec<u32> {
        let Operator::Multibody(a) = &problem.operator else { return Vec::new() };
        let mut of = match *self {
            Partition::Named if (0..a.body_count()).any(|b| a.subsystem(b).is_some()) => {
                let mut of = named(a);
                renumber(&mut of);
                let (mut lo, mut hi) = (Vec::new(), Vec::new());
                problem.bounds(&mut lo, &mut hi);
                merge(&mut of, a, |i| (lo[i], hi[i]) == UNBOUNDED, FEW.max(a.rows() / WORTHWHILE));
                of
            }
            Partition::Named => nested::split(&Graph::new(a), BODIES),
            Partition::MinimumDegree { bodies } => minimum_degree::split(&Graph::new(a), bodies),
            Partition::Nested { bodies } => nested::split(&Graph::new(a), bodies),
        };
        renumber(&mut of);
        of
    }
}

/// Bodies that share rows.
pub(super) struct Graph {
    pub ptr: Vec<u32>,
    /// Neighbour and number of rows shared with it.
    pub edges: Vec<(u32, u32)>,
}

impl Graph {
    pub fn new(a: &Multibody) -> Self {
        let mut pairs: Vec<(u32, u32, u32)> = Vec::new();
        for i in 0..a.rows() {
            let bodies = a.row(i).0;
            for (p, &low) in bodies.iter().enumerate() {
                for &high in &bodies[p + 1..] {
                    match pairs.last_mut() {
                        Some(last) if (last.0, last.1) == (low, high) => last.2 += 1,
                        _ => pairs.push((low, high, 1)),
                    }
                }
            }
        }
        Graph::from_pairs(a.body_count(), &pairs)
    }

    /// Of n vertices; pairs of them, and the rows that each shares.
    pub fn from_pairs(n: usize, pairs: &[(u32, u32, u32)]) -> Self {
        let mut ptr = vec![0; n + 1];
        for &(low, high, _) in pairs {
            ptr[low as usize + 1] += 1;
            ptr[high as usize + 1] += 1;
        }
        (0..n).for_each(|b| ptr[b + 1] += ptr[b]);
        let mut edges = vec![(0, 0); ptr[n] as usize];
        let mut next = ptr.clone();
        for &(low, high, rows) in pairs {
            for (from, to) in [(low, high), (high, low)] {
                edges[next[from as usize] as usize] = (to, rows);
                next[from as usize] += 1;
            }
        }
        Graph { ptr, edges }.merged()
    }

    /// Edges between the same bodies (joint and contact, say) made one.
    fn merged(mut self) -> Self {
        let mut out = 0;
        let mut begin = 0;
        for b in 0..self.len() {
            let end = self.ptr[b + 1] as usize;
            self.edges[begin..end].sort_unstable();
            let first = out;
            for k in begin..end {
                let (to, rows) = self.edges[k];
                if out > first && self.edges[out - 1].0 == to {
                    self.edges[out - 1].1 += rows;
                } else {
                    self.edges[out] = (to, rows);
                    out += 1;
                }
            }
            begin = end;
            self.ptr[b + 1] = out as u32;
        }
        self.edges.truncate(out);
        self
    }

    pub fn len(&self) -> usize {
        self.ptr.len() - 1
    }

    /// Neighbours of a body, and the rows shared with each.
    pub fn of(&self, body: u32) -> &[(u32, u32)] {
        let b = body as usize;
        &self.edges[self.ptr[b] as usize..self.ptr[b + 1] as usize]
    }
}

/// As named; the others join the neighbour that is nearest to a named body.
fn named(a: &Multibody) -> Vec<u32> {
    let mut of: Vec<u32> = (0..a.body_count()).map(|b| a.subsystem(b).unwrap_or(NONE)).collect();
    if !of.contains(&NONE) {
        return of;
    }
    let graph = Graph::new(a);
    let mut queue: Vec<u32> = (0..of.len() as u32).filter(|&b| of[b as usize] != NONE).collect();
    let mut next = 0;
    while let Some(&body) = queue.get(next) {
        next += 1;
        for &(other, _) in graph.of(body) {
            if of[other as usize] == NONE {
                of[other as usize] = of[body as usize];
                queue.push(other);
            }
        }
    }
    // Islands without a name share one subsystem.
    of
}

/// Numbers from 0, in the order of the first bodies.
fn renumber(of: &mut [u32]) {
    let mut numbers = std::collections::BTreeMap::new();
    for s in of {
        let new = numbers.len() as u32;
        *s = *numbers.entry(*s).or_insert(new);
    }
}
