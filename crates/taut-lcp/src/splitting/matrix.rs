//! S_FF of the interface, gathered from what subsystems feel like, and its
//! Cholesky factor.
//!
//! **Update**: cluster by cluster ([`Tree`]), those of one level in parallel. The
//! matrices of the members of a cluster are added up, the free rows between them
//! eliminated; what is left is the cluster's own, on the rows across its border.
//! A cluster none of whose members or rows have changed keeps its factor. One
//! cluster of all subsystems is the dense form of the whole.
//! **Reference**: Duff and Reid 1983 (multifrontal elimination).

use std::ops::Range;

use super::subsystem::Subsystem;
use super::tree::{self, Node, Tree};
use super::work::Work;
use crate::RowState;
use crate::linalg::front::Front;
use crate::parallel::{SHARED, for_each};

const TIGHT: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct Matrix {
    clusters: Vec<Cluster>,
    levels: Vec<usize>,
    z: Vec<f64>,
}

/// A cluster of subsystems.
#[derive(Default)]
struct Cluster {
    /// Rows eliminated here, which are consecutive, and those across the border.
    own: Range<u32>,
    border: Vec<u32>,
    /// Subsystems, then clusters, each with the places here of its rows.
    parts: Vec<(u32, Vec<u32>)>,
    children: Vec<(u32, Vec<u32>)>,
    front: Front,
    /// Free rows, own ones first, and the place of every row among them.
    free: Vec<u32>,
    place: Vec<u32>,
    /// Free rows of one member: their place there, and among the free ones here.
    member: Vec<(u32, u32)>,
    is_stale: bool,
    failed: bool,
    work: f64,
}

impl Matrix {
    /// Takes up an interface, its rows in the order of the tree.
    pub fn analyse(&mut self, tree: &Tree, parts: &[Subsystem]) {
        self.clusters.resize_with(tree.nodes.len(), Cluster::default);
        self.levels.clone_from(&tree.levels);
        let mut first = 0;
        for (id, node) in tree.nodes.iter().enumerate() {
            let (before, rest) = self.clusters.split_at_mut(id);
            rest[0].analyse(first..first + node.rows as u32, node, before, parts);
            first += node.rows as u32;
        }
        let tallest = self.clusters.iter().map(Cluster::len).max().unwrap_or(0);
        self.z.clear();
        self.z.reserve(tallest);
    }

    /// Number of clusters, and of levels.
    pub fn size(&self) -> (usize, usize) {
        (self.clusters.len(), self.levels.len().saturating_sub(1))
    }

    /// Multiplications of a factorization from the beginning.
    pub fn work(&self, set: &[RowState]) -> f64 {
        let is_free = |g: &&u32| set[**g as usize] == RowState::Free;
        let of = |c: &Cluster| {
            let own = set[c.own.start as usize..c.own.end as usize].iter();
            let own = own.filter(|s| **s == RowState::Free).count();
            tree::work(own, c.border.iter().filter(is_free).count())
        };
        self.clusters.iter().map(of).sum()
    }

    /// Gathers and factors S_FF; the columns of free rows must be known.
    /// `factored` is the index set of the last time, empty if nothing stayed.
    pub fn factor(
        &mut self,
        parts: &[Subsystem],
        set: &[RowState],
        factored: &[RowState],
        softness: &[f64],
        work: &mut Work,
    ) -> bool {
        self.find_stale(parts, set, factored);
        for level in self.levels.windows(2) {
            let (done, rest) = self.clusters.split_at_mut(level[0]);
            let clusters = &mut rest[..level[1] - level[0]];
            let step = |c: &mut Cluster| c.factor(done, parts, set, softness);
            if clusters.iter().filter(|c| c.is_stale).map(Cluster::expected).sum::<f64>() > SHARED {
                for_each(clusters, step);
            } else {
                clusters.iter_mut().for_each(step);
            }
            work.round(clusters.iter().map(|c| c.work));
        }
        self.clusters.iter().all(|c| !c.failed)
    }

    fn find_stale(&mut self, parts: &[Subsystem], set: &[RowState], factored: &[RowState]) {
        let is_free = |s: RowState| s == RowState::Free;
        let changes = |g: u32| is_free(set[g as usize]) != is_free(factored[g as usize]);
        for id in 0..self.clusters.len() {
            let (before, rest) = self.clusters.split_at_mut(id);
            let c = &mut rest[0];
            c.is_stale = factored.is_empty()
                || c.failed
                || c.own.clone().chain(c.border.iter().copied()).any(changes)
                || c.parts.iter().any(|(p, _)| parts[*p as usize].has_changed)
                || c.children.iter().any(|(n, _)| before[*n as usize].is_stale);
        }
    }

    /// x ← S_FF⁻¹ x on free rows. Returns the multiplications.
    pub fn solve(&mut self, x: &mut [f64]) -> f64 {
        let Matrix { clusters, z, .. } = self;
        let mut work = 0.0;
        for c in clusters.iter() {
            z.clear();
            z.extend(c.free.iter().map(|&g| x[g as usize]));
            c.front.forward(z);
            c.free.iter().zip(&*z).for_each(|(&g, z)| x[g as usize] = *z);
            work += 2.0 * (c.free.len() * c.front.eliminated()) as f64;
        }
        for c in clusters.iter().rev() {
            z.clear();
            z.extend(c.free.iter().map(|&g| x[g as usize]));
            c.front.backward(z);
            let own = c.free.iter().zip(&*z).take(c.front.eliminated());
            own.for_each(|(&g, z)| x[g as usize] = *z);
        }
        work
    }
}

impl Cluster {
    fn len(&self) -> usize {
        self.own.len() + self.border.len()
    }

    /// The place of a row among those of this cluster.
    fn local(&self, g: u32) -> u32 {
        if self.own.contains(&g) {
            return g - self.own.start;
        }
        (self.own.len() + self.border.partition_point(|&b| b < g)) as u32
    }

    /// Takes up its rows and members.
    fn analyse(&mut self, own: Range<u32>, node: &Node, before: &[Cluster], parts: &[Subsystem]) {
        let gammas = node.parts.iter().map(|&p| &parts[p as usize].gamma);
        let borders = node.children.iter().map(|&c| &before[c as usize].border);
        self.border.clear();
        let rows = gammas.clone().chain(borders.clone()).flatten();
        self.border.extend(rows.filter(|&&g| g >= own.end));
        self.border.sort_unstable();
        self.border.dedup();
        self.own = own;
        let places = |rows: &Vec<u32>| rows.iter().map(|&g| self.local(g)).collect();
        let members = node.parts.iter().copied().zip(gammas.map(places)).collect();
        let children = node.children.iter().copied().zip(borders.map(places)).collect();
        (self.parts, self.children) = (members, children);
        // Room for every index set.
        let n = self.len();
        self.front.fit(n);
        self.member.clear();
        self.member.reserve(n);
        for v in [&mut self.free, &mut self.place] {
            v.clear();
            v.reserve(n);
        }
    }

    fn expected(&self) -> f64 {
        tree::work(self.own.len(), self.border.len())
    }

    fn factor(
        &mut self,
        done: &[Cluster],
        parts: &[Subsystem],
        set: &[RowState],
        softness: &[f64],
    ) {
        self.work = 0.0;
        if !self.is_stale {
            return;
        }
        self.find_free(set);
        for k in 0..self.front.eliminated() {
            self.front.column_mut(k)[0] = softness[self.free[k] as usize];
        }
        let Cluster { front, place, member, .. } = self;
        for (p, places) in &self.parts {
            let (s, n) = (&parts[*p as usize].s, places.len());
            take(member, places, place);
            for (k, &(q, at)) in member.iter().enumerate() {
                let (from, to) = (&s[q as usize * n..][..n], front.column_mut(at as usize));
                member[k..]
                    .iter()
                    .for_each(|&(p, row)| to[(row - at) as usize] += from[p as usize]);
            }
        }
        for (c, places) in &self.children {
            let child = &done[*c as usize].front;
            take(member, places, place);
            let first = child.eliminated();
            for (k, &(_, at)) in member.iter().enumerate() {
                let (from, to) = (child.column(first + k), front.column_mut(at as usize));
                let rows = member[k..].iter().zip(from);
                rows.for_each(|(&(_, row), s)| to[(row - at) as usize] += s);
            }
        }
        self.failed = front.factor().is_err();
        let own = front.eliminated();
        self.work = tree::work(own, self.free.len() - own);
    }

    /// The free rows, and room for their matrix.
    fn find_free(&mut self, set: &[RowState]) {
        self.free.clear();
        self.place.clear();
        let mut own = 0;
        for g in self.own.clone().chain(self.border.iter().copied()) {
            let is_free = set[g as usize] == RowState::Free;
            self.place.push(if is_free { self.free.len() as u32 } else { TIGHT });
            if is_free {
                self.free.push(g);
                own += usize::from(self.own.contains(&g));
            }
        }
        self.front.clear(own, self.free.len());
    }
}

/// The free rows of a member.
fn take(member: &mut Vec<(u32, u32)>, places: &[u32], place: &[u32]) {
    member.clear();
    let rows = places.iter().zip(0..).map(|(&l, q)| (q, place[l as usize]));
    member.extend(rows.filter(|r| r.1 != TIGHT));
}
