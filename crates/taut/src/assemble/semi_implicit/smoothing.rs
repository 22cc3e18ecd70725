//! Smooths the rates of bodies over the joints that load them: ω_f of
//! `geometric`.
//!
//! Solves (G + L)ω_f = Gω by conjugate gradients. The preconditioner is the
//! matrix without the edges that close loops, in the off-diagonal: a forest,
//! eliminated from its leaves, one 3×3 block per body. Chains and trees take
//! one iteration, loops a few. Cost: some 100 flops per body and iteration.

use super::geometric::{Loaded, NEGLIGIBLE};
use crate::math::{Mat3, Vec3};

/// Weight of L, in units of s.
const SMOOTHING: f64 = 3.0;
/// Arms are not shorter than this \[m\].
const LEAST_ARM: f64 = 1e-6;
/// Most iterations; meshes of many loops may stop here, short of the last
/// digits.
const MOST_ITERATIONS: usize = 20;
/// Accuracy of ω_f in the norm of G.
const ACCURACY: f64 = 1e-8;
/// Neither parent nor place in the order.
const NONE: usize = usize::MAX;

/// One side of a joint: body within the island, effective mass, arm.
pub(crate) type End = (usize, f64, f64);

/// A loaded joint between two bodies of the island: an edge of L.
#[derive(Clone, Copy, Debug)]
struct Coupling {
    bodies: [usize; 2],
    weight: f64,
}

/// The couplings of an island; the memory is reused.
#[derive(Debug, Default)]
pub(crate) struct Smoother {
    couplings: Vec<Coupling>,
    forest: Forest,
    residual: Vec<Vec3>,
    scaled: Vec<Vec3>,
    direction: Vec<Vec3>,
    image: Vec<Vec3>,
}

impl Smoother {
    pub(crate) fn clear(&mut self) {
        self.couplings.clear();
    }

    pub(crate) fn couple(&mut self, h: f64, force: f64, a: End, b: End) {
        let (r_a, r_b) = (a.2.max(LEAST_ARM), b.2.max(LEAST_ARM));
        let s = h * h * force * (1.0 / r_a + 1.0 / r_b) / (a.1 + b.1);
        let weight = SMOOTHING * s * h * h * force * (r_a + r_b);
        if s > NEGLIGIBLE && weight.is_finite() && a.0 != b.0 {
            self.couplings.push(Coupling { bodies: [a.0, b.0], weight });
        }
    }

    /// Replaces the rates of bodies by ω_f.
    pub(crate) fn smooth(&mut self, bodies: &mut [Loaded]) {
        if self.couplings.is_empty() {
            return;
        }
        let Smoother { couplings, forest, residual: r, scaled: z, direction: p, image } = self;
        forest.factor(couplings, bodies);
        p.clear();
        p.extend(bodies.iter().map(|b| b.rate));
        apply(couplings, bodies, p, image);
        r.clear();
        r.extend(bodies.iter().zip(&*image).map(|(b, &ax)| b.stiffness * b.rate - ax));
        let size: f64 = bodies.iter().map(|b| b.rate.dot(b.stiffness * b.rate)).sum();
        forest.solve(r, z);
        p.clone_from(z);
        let mut rz = dot(r, z);
        for _ in 0..MOST_ITERATIONS {
            apply(couplings, bodies, p, image);
            let bend = dot(p, image);
            let step = rz / bend;
            // Forces near the smallest numbers there are leave no quotient.
            if rz <= ACCURACY * ACCURACY * size || bend <= 0.0 || !step.is_finite() {
                break;
            }
            for (i, body) in bodies.iter_mut().enumerate() {
                body.rate += p[i] * step;
                r[i] -= image[i] * step;
            }
            forest.solve(r, z);
            let next = dot(r, z);
            for (p, &z) in p.iter_mut().zip(&*z) {
                *p = z + *p * (next / rz);
            }
            rz = next;
        }
    }
}

/// y = (G + L)x.
fn apply(couplings: &[Coupling], bodies: &[Loaded], x: &[Vec3], y: &mut Vec<Vec3>) {
    y.clear();
    y.extend(bodies.iter().zip(x).map(|(b, &x)| b.stiffness * x));
    for &Coupling { bodies: [a, b], weight } in couplings {
        let flow = (x[a] - x[b]) * weight;
        y[a] += flow;
        y[b] -= flow;
    }
}

fn dot(x: &[Vec3], y: &[Vec3]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x.dot(*y)).sum()
}

/// The preconditioner: the diagonal of G + L, and the off-diagonal of a
/// spanning forest.
#[derive(Debug, Default)]
struct Forest {
    /// Edges of each body: those of body i end at `ends[i]`.
    ends: Vec<usize>,
    edges: Vec<(usize, f64)>,
    /// Bodies, parents before children.
    order: Vec<usize>,
    /// Parent of each body and the weight of the edge to it.
    parent: Vec<(usize, f64)>,
    /// Whether a body, or one below it, has stiffness.
    resists: Vec<bool>,
    /// Inverse of each body's block after its children are eliminated.
    inverse: Vec<Mat3>,
}

impl Forest {
    fn factor(&mut self, couplings: &[Coupling], bodies: &[Loaded]) {
        self.sort_edges(couplings, bodies.len());
        self.grow(bodies.len());
        self.inverse.clear();
        self.inverse.extend(bodies.iter().map(|b| b.stiffness));
        for c in couplings {
            for body in c.bodies {
                self.inverse[body] += Mat3::from_diagonal(Vec3::splat(c.weight));
            }
        }
        self.resists.clear();
        self.resists.extend(bodies.iter().map(|b| b.stiffness != Mat3::ZERO));
        for &i in self.order.iter().rev() {
            let block = self.inverse[i];
            // Bodies without load have no block, and rates that do not matter.
            // Where no body of a tree resists, the last block is rounding alone.
            let invertible = block.determinant() > f64::MIN_POSITIVE
                && (self.resists[i] || self.parent[i].0 != NONE);
            let inverse = if invertible { block.inverse() } else { Mat3::ZERO };
            self.inverse[i] = if inverse.is_finite() { inverse } else { Mat3::ZERO };
            let (parent, weight) = self.parent[i];
            if parent != NONE {
                let eliminated = self.inverse[i] * (weight * weight);
                self.inverse[parent] -= eliminated;
                self.resists[parent] |= self.resists[i];
            }
        }
    }

    /// Solves with the factored matrix.
    fn solve(&self, r: &[Vec3], x: &mut Vec<Vec3>) {
        x.clear();
        x.extend_from_slice(r);
        for &i in self.order.iter().rev() {
            x[i] = self.inverse[i] * x[i];
            let (parent, weight) = self.parent[i];
            if parent != NONE {
                let carried = x[i] * weight;
                x[parent] += carried;
            }
        }
        for &i in &self.order {
            let (parent, weight) = self.parent[i];
            if parent != NONE {
                let from_parent = self.inverse[i] * (x[parent] * weight);
                x[i] += from_parent;
            }
        }
    }

    /// Edges by body, by counting.
    fn sort_edges(&mut self, couplings: &[Coupling], n: usize) {
        self.ends.clear();
        self.ends.resize(n + 1, 0);
        for body in couplings.iter().flat_map(|c| c.bodies) {
            self.ends[body + 1] += 1;
        }
        for i in 0..n {
            self.ends[i + 1] += self.ends[i];
        }
        self.edges.clear();
        self.edges.resize(2 * couplings.len(), (NONE, 0.0));
        for &Coupling { bodies: [a, b], weight } in couplings {
            for (from, to) in [(a, b), (b, a)] {
                self.edges[self.ends[from]] = (to, weight);
                self.ends[from] += 1;
            }
        }
    }

    /// A spanning forest, breadth first.
    fn grow(&mut self, n: usize) {
        self.order.clear();
        self.parent.clear();
        self.parent.resize(n, (NONE, -1.0)); // a negative weight: not seen yet
        for root in 0..n {
            if self.parent[root].1 >= 0.0 {
                continue;
            }
            self.parent[root].1 = 0.0;
            let mut next = self.order.len();
            self.order.push(root);
            while next < self.order.len() {
                let i = self.order[next];
                next += 1;
                let start = if i == 0 { 0 } else { self.ends[i - 1] };
                for &(j, weight) in &self.edges[start..self.ends[i]] {
                    if self.parent[j].1 < 0.0 {
                        self.parent[j] = (i, weight);
                        self.order.push(j);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometric::{definite_part, of_force};
    use super::*;

    const H: f64 = 1.0 / 60.0;

    /// A chain of ten loaded links; closed to a ring if asked.
    fn chain(rate: impl Fn(usize) -> Vec3, closed: bool) -> (Smoother, Vec<Loaded>) {
        let mut smoother = Smoother::default();
        for i in 0..if closed { 10 } else { 9 } {
            smoother.couple(H, 5000.0, (i, 0.06, 0.05), ((i + 1) % 10, 0.06, 0.05));
        }
        let stiffness = definite_part(of_force(H, Vec3::X * 1e4, Vec3::X * 0.05));
        let links = (0..10).map(|i| Loaded { stiffness, ..Loaded::turning(rate(i)) });
        (smoother, links.collect())
    }

    #[test]
    fn a_common_turn_stays_and_jitter_goes() {
        for closed in [false, true] {
            let (mut smoother, mut common) = chain(|_| Vec3::Y * 2.0, closed);
            smoother.smooth(&mut common);
            assert!(common.iter().all(|b| (b.rate - Vec3::Y * 2.0).length() < 1e-9));
            let sign = |i: usize| if i.is_multiple_of(2) { 2.0 } else { -2.0 };
            let (mut smoother, mut jitter) = chain(|i| Vec3::Y * sign(i), closed);
            smoother.smooth(&mut jitter);
            assert!(jitter.iter().all(|b| b.rate.length() < 0.01));
        }
    }

    /// Down to the smallest numbers, and with joints that only couple.
    #[test]
    fn rates_stay_finite_however_small_the_load() {
        for exponent in 0..330 {
            let force = 10.0_f64.powi(-exponent);
            let mut smoother = Smoother::default();
            for i in 0..9 {
                smoother.couple(H, force, (i, 0.06, 0.05), (i + 1, 0.06, 0.05));
            }
            let stiffness = definite_part(of_force(H, Vec3::X * force, Vec3::X * 0.05));
            let turning = |i: u8| Loaded::turning(Vec3::Y * f64::from(i) * 1e6);
            let mut bodies: Vec<_> = (0..10).map(|i| Loaded { stiffness, ..turning(i) }).collect();
            smoother.smooth(&mut bodies);
            assert!(bodies.iter().all(|b| b.rate.is_finite()), "1e-{exponent} N");
            let mut idle: Vec<_> = (0..10).map(turning).collect();
            smoother.smooth(&mut idle);
            assert!(idle.iter().all(|b| b.rate.is_finite()), "1e-{exponent} N, idle");
        }
    }

    #[test]
    fn solves_its_equations() {
        for closed in [false, true] {
            let rate = |i: usize| Vec3::new(0.0, (i as f64).sin(), (3.0 * i as f64).cos());
            let (mut smoother, mut bodies) = chain(rate, closed);
            smoother.smooth(&mut bodies);
            let x: Vec<Vec3> = bodies.iter().map(|b| b.rate).collect();
            let mut left = Vec::new();
            apply(&smoother.couplings, &bodies, &x, &mut left);
            for (i, (left, body)) in left.iter().zip(&bodies).enumerate() {
                let right = body.stiffness * rate(i);
                assert!((*left - right).length() < 1e-6, "{closed} {i}: {left} {right}");
            }
        }
    }
}
