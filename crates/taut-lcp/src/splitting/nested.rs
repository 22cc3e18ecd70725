//! Nested bisection of the body graph.
//!
//! **Update**: levels of breadth-first search from a body at the far end give
//! an order; it is cut where the cut has the fewest rows within the middle
//! third; then bodies move across while that takes rows out of the cut and
//! keeps the halves within that third (greedy sweeps over the border). Each
//! half is cut again until it is small enough.
//! **Cost**: O((edges + bodies) · log(parts)).
//! **Reference**: George 1973 (nested dissection, level structures); Fiduccia
//! and Mattheyses 1982 (moves across a cut, here without hill climbing).

use super::partition::{Graph, NONE};

// What half and twice of these change: docs/decisions/solver-constants.md.

/// Marks of bodies: in the lower and the upper half, in a part not yet cut.
const LOW: u32 = NONE - 1;
const HIGH: u32 = NONE - 2;
const WAITS: u32 = NONE - 3;
/// Sweeps over the border of a cut: they end by themselves where nothing moves. (2 and 8 give the same cuts on all
/// problems of docs/decisions/solver-constants.md.)
const SWEEPS: usize = 4;
/// A half has at least this share of the bodies. (The golden counts notice it.)
const LEAST: f64 = 0.4;

/// The subsystem of each body, at most `size` bodies in each.
pub(super) fn split(graph: &Graph, size: usize) -> Vec<u32> {
    let mut work = Bisection::new(graph);
    let all: Vec<u32> = (0..graph.len() as u32).collect();
    let mut stack = vec![all];
    let mut number = 0;
    while let Some(bodies) = stack.pop() {
        if bodies.len() <= size {
            bodies.iter().for_each(|&b| work.of[b as usize] = number);
            number += 1;
            continue;
        }
        let (low, high) = work.halves(&bodies);
        stack.push(high);
        stack.push(low);
    }
    work.of
}

/// Cuts of one graph.
pub(super) struct Bisection<'a> {
    graph: &'a Graph,
    /// The part at hand is marked NONE.
    of: Vec<u32>,
    level: Vec<u32>,
}

impl<'a> Bisection<'a> {
    pub fn new(graph: &'a Graph) -> Self {
        Bisection { graph, of: vec![WAITS; graph.len()], level: vec![NONE; graph.len()] }
    }

    /// Two halves of some bodies, two at least.
    pub fn halves(&mut self, bodies: &[u32]) -> (Vec<u32>, Vec<u32>) {
        bodies.iter().for_each(|&b| self.of[b as usize] = NONE);
        let order = self.levels(bodies);
        self.cut(order)
    }

    /// The bodies by breadth-first search from the far end of another search.
    fn levels(&mut self, bodies: &[u32]) -> Vec<u32> {
        let first = self.search(bodies, bodies[0]);
        let far = first[first.len() - 1];
        self.search(bodies, far)
    }

    /// Breadth-first from `start`; other components follow in their order.
    fn search(&mut self, bodies: &[u32], start: u32) -> Vec<u32> {
        bodies.iter().for_each(|&b| self.level[b as usize] = NONE);
        let mut order: Vec<u32> = Vec::with_capacity(bodies.len());
        let mut next = 0;
        for seed in std::iter::once(start).chain(bodies.iter().copied()) {
            if self.level[seed as usize] != NONE {
                continue;
            }
            self.level[seed as usize] = 0;
            order.push(seed);
            while next < order.len() {
                let body = order[next];
                next += 1;
                for &(other, _) in self.graph.of(body) {
                    if self.of[other as usize] == NONE && self.level[other as usize] == NONE {
                        self.level[other as usize] = self.level[body as usize] + 1;
                        order.push(other);
                    }
                }
            }
        }
        order
    }

    /// The two halves of a part whose bodies come in that order.
    fn cut(&mut self, order: Vec<u32>) -> (Vec<u32>, Vec<u32>) {
        let (low, high) = (LOW, HIGH);
        let n = order.len();
        let least = ((LEAST * n as f64) as usize).max(1);
        // Rows cut if the first k bodies stand on one side, for every k.
        order.iter().for_each(|&b| self.of[b as usize] = high);
        let (mut rows, mut best) = (0_i64, (i64::MAX, 0));
        for (k, &body) in order.iter().enumerate() {
            rows += self.gain(body, high) - self.gain(body, low);
            self.of[body as usize] = low;
            let count = k + 1;
            if count >= least && count <= n - least {
                let middle = (2 * count).abs_diff(n) as i64;
                best = best.min((rows * 1000 + middle, count));
            }
        }
        let mut count = best.1.max(1);
        order[count..].iter().for_each(|&b| self.of[b as usize] = high);
        for _ in 0..SWEEPS {
            let before = count;
            let mut moved = false;
            for &body in &order {
                let side = self.of[body as usize];
                let other = if side == low { high } else { low };
                let room = if side == low { count > least } else { count < n - least };
                if room && self.gain(body, other) > self.gain(body, side) {
                    self.of[body as usize] = other;
                    count = if side == low { count - 1 } else { count + 1 };
                    moved = true;
                }
            }
            if !moved && count == before {
                break;
            }
        }
        let halves: (Vec<u32>, Vec<u32>) =
            order.into_iter().partition(|&b| self.of[b as usize] == low);
        halves.0.iter().chain(&halves.1).for_each(|&b| self.of[b as usize] = WAITS);
        halves
    }

    /// Rows that a body shares with those of a side.
    fn gain(&self, body: u32, side: u32) -> i64 {
        let edges = self.graph.of(body).iter();
        edges.filter(|(o, _)| self.of[*o as usize] == side).map(|&(_, rows)| i64::from(rows)).sum()
    }
}
