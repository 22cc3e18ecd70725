//! A tree of boxes over triangles.

use crate::vector::{Vec3, max, min};

/// Triangles per leaf, at most.
const LEAF: usize = 4;

/// A box along the axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub lo: Vec3,
    pub hi: Vec3,
}

impl Bounds {
    const NONE: Self = Self { lo: [f64::INFINITY; 3], hi: [f64::NEG_INFINITY; 3] };

    pub fn of(points: &[Vec3]) -> Self {
        points.iter().fold(Self::NONE, |b, &p| Self { lo: min(b.lo, p), hi: max(b.hi, p) })
    }

    fn with(&self, other: &Self) -> Self {
        Self { lo: min(self.lo, other.lo), hi: max(self.hi, other.hi) }
    }

    /// Squared distance of a point.
    pub fn distance2(&self, p: Vec3) -> f64 {
        let mut sum = 0.0;
        for k in 0..3 {
            let d = (self.lo[k] - p[k]).max(p[k] - self.hi[k]).max(0.0);
            sum += d * d;
        }
        sum
    }

    pub fn meets(&self, other: &Self) -> bool {
        (0..3).all(|k| self.lo[k] <= other.hi[k] && other.lo[k] <= self.hi[k])
    }
}

#[derive(Debug, Clone)]
struct Node {
    bounds: Bounds,
    /// Of a leaf the first triangle of its list, else the second child; the first one is next to the node.
    at: u32,
    /// How many triangles; 0: no leaf.
    count: u32,
}

/// Boxes over triangles, two children each; a node's first child follows it.
#[derive(Debug, Clone)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

impl Bvh {
    /// Halves the triangles along the longest side of their boxes' middles, again and again.
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut tree = Self {
            nodes: Vec::with_capacity(boxes.len()),
            order: (0..boxes.len() as u32).collect(),
        };
        let mut order = std::mem::take(&mut tree.order);
        tree.split(boxes, &mut order, 0);
        tree.order = order;
        tree
    }

    fn split(&mut self, boxes: &[Bounds], order: &mut [u32], first: u32) {
        let bounds = order.iter().fold(Bounds::NONE, |b, &i| b.with(&boxes[i as usize]));
        let node = self.nodes.len();
        self.nodes.push(Node { bounds, at: first, count: order.len() as u32 });
        if order.len() <= LEAF {
            return;
        }
        let middle = |i: u32, k: usize| boxes[i as usize].lo[k] + boxes[i as usize].hi[k];
        let middles = order.iter().fold(Bounds::NONE, |b, &i| {
            let m = [middle(i, 0), middle(i, 1), middle(i, 2)];
            b.with(&Bounds { lo: m, hi: m })
        });
        let extent = |k: usize| middles.hi[k] - middles.lo[k];
        let axis = (0..3).max_by(|&i, &j| extent(i).total_cmp(&extent(j))).unwrap_or(0);
        let half = order.len() / 2;
        order.select_nth_unstable_by(half, |&i, &j| {
            middle(i, axis).total_cmp(&middle(j, axis)).then(i.cmp(&j))
        });
        let (left, right) = order.split_at_mut(half);
        self.split(boxes, left, first);
        let second = self.nodes.len() as u32;
        self.split(boxes, right, first + half as u32);
        self.nodes[node] = Node { bounds, at: second, count: 0 };
    }

    /// The box around all.
    pub fn bounds(&self) -> Bounds {
        self.nodes.first().map_or(Bounds::NONE, |n| n.bounds)
    }

    /// The triangles as they lie in the tree.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Calls `visit` with places in the order of triangles that may be nearer to p than the squared distance
    /// `limit`, nearest boxes first; it returns the limit from then on.
    #[inline]
    pub fn nearest(&self, p: Vec3, mut limit: f64, mut visit: impl FnMut(u32) -> f64) {
        let mut stack = [(0_u32, 0.0_f64); 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (at, distance) = stack[depth];
            if distance > limit {
                continue;
            }
            let node = &self.nodes[at as usize];
            if node.count > 0 {
                for place in node.at..node.at + node.count {
                    limit = limit.min(visit(place));
                }
                continue;
            }
            let mut next =
                [at + 1, node.at].map(|c| (c, self.nodes[c as usize].bounds.distance2(p)));
            if next[0].1 < next[1].1 {
                next.swap(0, 1);
            }
            for child in next {
                if child.1 <= limit {
                    stack[depth] = child;
                    depth += 1;
                }
            }
        }
    }

    /// Calls `visit` with all triangles whose boxes may meet the given one.
    pub fn meeting(&self, bounds: &Bounds, mut visit: impl FnMut(u32)) {
        let mut stack = [0_u32; 64];
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            let node = &self.nodes[at as usize];
            if !node.bounds.meets(bounds) {
                continue;
            }
            if node.count > 0 {
                self.order[node.at as usize..(node.at + node.count) as usize]
                    .iter()
                    .for_each(|&i| visit(i));
            } else {
                stack[depth] = node.at;
                stack[depth + 1] = at + 1;
                depth += 2;
            }
        }
    }
}
