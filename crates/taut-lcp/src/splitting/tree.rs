//! In which order subsystems are coupled: two by two, clusters of them again,
//! to any depth.
//!
//! A cluster eliminates the rows that act between its members and on nothing
//! else; what is left of it, seen from outside, is a matrix on the rows that act
//! across its border, as that of a subsystem is. So a cluster is a subsystem,
//! and coupling is recursive.
//! Its index sets are not: one iteration (`coupling`) moves the impulses of all
//! levels together. Clusters that were coupled until their own rows obey their
//! laws, for each try of the rows outside, would multiply the iterations of the
//! levels.
//! **Update**: the graph of subsystems is cut in two again and again; a cluster
//! that saves nothing joins the one above it. The multiplications of both ways
//! are counted, with all rows free.
//! **Cost**: O((rows + subsystems) · log(subsystems)), once per structure.
//! **Reference**: George 1973 (nested dissection); Duff and Reid 1983 (assembly
//! trees); Bennighof and Lehoucq 2004 (substructures of substructures).

use super::nested::Bisection;
use super::partition::Graph;

// What half and twice of these change: docs/decisions/solver-constants.md.

/// An entry of a matrix that is gathered takes the time of so many
/// multiplications, and a matrix besides it of so many.
const GATHER: f64 = 8.0;
const START: f64 = 3000.0;

/// Multiplications for a cluster that eliminates so many rows, with so many
/// across its border; gathering its matrix is part of it.
pub(super) fn work(own: usize, border: usize) -> f64 {
    let (o, b) = (own as f64, border as f64);
    o * o * o / 6.0 + o * o * b / 2.0 + o * b * b / 2.0 + GATHER * (o + b) * (o + b) / 2.0 + START
}

/// The members of a cluster.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub parts: Vec<u32>,
    /// Clusters; they stand before it.
    pub children: Vec<u32>,
    /// Number of rows it eliminates.
    pub rows: usize,
}

/// The clusters, the one of all subsystems last.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    /// Where the clusters of each level begin, and the last one ends; those of
    /// one level do not need one another.
    pub levels: Vec<usize>,
    /// The cluster that eliminates each row.
    pub of_row: Vec<u32>,
}

impl Tree {
    /// Of so many subsystems, and rows between them. If `is_flat`, one cluster.
    pub fn new(parts: usize, rows: &Between, is_flat: bool) -> Self {
        let mut sorted: Vec<u32> = (0..rows.len() as u32).collect();
        sorted.sort_by_key(|&g| (rows.of(g as usize), g));
        let same = |g: &u32, h: &u32| rows.of(*g as usize) == rows.of(*h as usize);
        let groups = sorted.chunk_by(same);
        let kinds: Vec<Kind> =
            groups.map(|all| Kind { parts: rows.of(all[0] as usize), rows: all }).collect();
        let graph = graph(parts, &kinds);
        let mut growing = Growing::new(parts, &kinds, Bisection::new(&graph));
        let all: Vec<u32> = (0..parts as u32).collect();
        let root = if is_flat { growing.flat(all) } else { growing.grow(&all) };
        let mut levels = Vec::new();
        root.flatten(&mut levels);
        let mut tree = Tree { levels: vec![0], of_row: vec![0; rows.len()], ..Tree::default() };
        for cluster in levels.into_iter().flatten() {
            let id = tree.nodes.len();
            tree.levels.resize(cluster.level + 2, 0);
            tree.levels[cluster.level + 1] = id + 1;
            let own = cluster.kinds.iter().flat_map(|&k| kinds[k as usize].rows);
            own.for_each(|&g| tree.of_row[g as usize] = id as u32);
            let at = |&(level, place): &(usize, usize)| (tree.levels[level] + place) as u32;
            let children = cluster.below.iter().map(at).collect();
            tree.nodes.push(Node { parts: cluster.parts, children, rows: cluster.own });
        }
        tree
    }
}

/// The subsystems that each row acts on, ascending.
#[derive(Debug, Default)]
pub(super) struct Between {
    parts: Vec<u32>,
    ends: Vec<usize>,
}

impl Between {
    pub fn push(&mut self, parts: impl Iterator<Item = u32>) {
        let first = self.ends.last().copied().unwrap_or(0);
        self.parts.extend(parts);
        let new = &mut self.parts[first..];
        new.sort_unstable();
        let mut count = 0;
        for k in 0..new.len() {
            if k == 0 || new[k] != new[count - 1] {
                new[count] = new[k];
                count += 1;
            }
        }
        self.parts.truncate(first + count);
        self.ends.push(first + count);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn of(&self, row: usize) -> &[u32] {
        let first = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.parts[first..self.ends[row]]
    }
}

/// Rows on the same subsystems.
struct Kind<'a> {
    parts: &'a [u32],
    rows: &'a [u32],
}

/// Subsystems, and the number of rows that each two of them share.
fn graph(parts: usize, kinds: &[Kind]) -> Graph {
    let mut pairs = Vec::new();
    for kind in kinds {
        for (k, &low) in kind.parts.iter().enumerate() {
            pairs.extend(kind.parts[k + 1..].iter().map(|&p| (low, p, kind.rows.len() as u32)));
        }
    }
    Graph::from_pairs(parts, &pairs)
}

/// A cluster while the tree grows.
#[derive(Default)]
struct Cluster {
    parts: Vec<u32>,
    children: Vec<Cluster>,
    /// Kinds of rows it eliminates, how many rows, and those across its border.
    kinds: Vec<u32>,
    own: usize,
    border: usize,
    /// Its level, and level and place there of its children.
    level: usize,
    below: Vec<(usize, usize)>,
}

impl Cluster {
    /// Puts all clusters into their levels. Level and place of this one.
    fn flatten(mut self, levels: &mut Vec<Vec<Cluster>>) -> (usize, usize) {
        let children = std::mem::take(&mut self.children);
        self.below = children.into_iter().map(|child| child.flatten(levels)).collect();
        self.level = self.below.iter().map(|b| b.0 + 1).max().unwrap_or(0);
        levels.resize_with(levels.len().max(self.level + 1), Vec::new);
        let level = self.level;
        levels[level].push(self);
        (level, levels[level].len() - 1)
    }

    /// Whether it is less work to eliminate the rows of a child here.
    fn absorbs(&self, child: &Cluster) -> bool {
        work(self.own + child.own, self.border)
            <= work(self.own, self.border) + work(child.own, child.border)
    }
}

/// The tree as it grows.
struct Growing<'a> {
    kinds: &'a [Kind<'a>],
    of_part: Vec<Vec<u32>>,
    bisection: Bisection<'a>,
    /// Subsystems of the cluster at hand; kinds that some cluster eliminates.
    is_inside: Vec<bool>,
    is_taken: Vec<bool>,
}

impl<'a> Growing<'a> {
    fn new(parts: usize, kinds: &'a [Kind<'a>], bisection: Bisection<'a>) -> Self {
        let mut of_part = vec![Vec::new(); parts];
        for (k, kind) in kinds.iter().enumerate() {
            kind.parts.iter().for_each(|&p| of_part[p as usize].push(k as u32));
        }
        let (is_inside, is_taken) = (vec![false; parts], vec![false; kinds.len()]);
        Growing { kinds, of_part, bisection, is_inside, is_taken }
    }

    /// The cluster of these subsystems.
    fn grow(&mut self, parts: &[u32]) -> Cluster {
        let mut cluster = Cluster::default();
        let mut children = Vec::new();
        if parts.len() > 1 {
            let (low, high) = self.bisection.halves(parts);
            for half in [low, high] {
                match half[..] {
                    [part] => cluster.parts.push(part),
                    _ => children.push(self.grow(&half)),
                }
            }
        } else {
            cluster.parts.extend(parts);
        }
        self.count(parts, &mut cluster);
        for child in children {
            if cluster.absorbs(&child) {
                cluster.own += child.own;
                cluster.kinds.extend(child.kinds);
                cluster.parts.extend(child.parts);
                cluster.children.extend(child.children);
            } else {
                cluster.children.push(child);
            }
        }
        cluster
    }

    /// One cluster of all subsystems.
    fn flat(&mut self, parts: Vec<u32>) -> Cluster {
        let mut cluster = Cluster::default();
        self.count(&parts, &mut cluster);
        Cluster { parts, ..cluster }
    }

    /// Finds the rows within, which are not taken yet, and those across the border.
    fn count(&mut self, parts: &[u32], cluster: &mut Cluster) {
        parts.iter().for_each(|&p| self.is_inside[p as usize] = true);
        for &part in parts {
            for &k in &self.of_part[part as usize] {
                let kind = &self.kinds[k as usize];
                let mut inside = kind.parts.iter().filter(|p| self.is_inside[**p as usize]);
                if inside.next() != Some(&part) {
                    continue; // seen with another one
                }
                if inside.count() + 1 < kind.parts.len() {
                    cluster.border += kind.rows.len();
                } else if !std::mem::replace(&mut self.is_taken[k as usize], true) {
                    cluster.own += kind.rows.len();
                    cluster.kinds.push(k);
                }
            }
        }
        parts.iter().for_each(|&p| self.is_inside[p as usize] = false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree of rows on these parts, so many of each kind.
    fn tree(parts: usize, kinds: impl Iterator<Item = Vec<u32>>, count: usize) -> Tree {
        let mut rows = Between::default();
        for kind in kinds {
            // In any order, and named twice.
            (0..count).for_each(|_| rows.push(kind.iter().rev().chain(&kind[..1]).copied()));
        }
        let tree = Tree::new(parts, &rows, false);
        check(&tree, parts, &rows);
        tree
    }

    /// A row of parts, so many rows between neighbours.
    fn chain(parts: u32, rows: usize) -> Tree {
        tree(parts as usize, (1..parts).map(|p| vec![p - 1, p]), rows)
    }

    /// Every part is in one cluster, every cluster but the last in another one
    /// that comes after it, and rows are eliminated where their parts meet.
    fn check(tree: &Tree, parts: usize, rows: &Between) {
        let mut of_part = vec![u32::MAX; parts];
        let mut parent = vec![u32::MAX; tree.nodes.len()];
        for (id, node) in tree.nodes.iter().enumerate() {
            for &p in &node.parts {
                assert_eq!(std::mem::replace(&mut of_part[p as usize], id as u32), u32::MAX);
            }
            for &c in &node.children {
                assert!((c as usize) < id);
                assert_eq!(std::mem::replace(&mut parent[c as usize], id as u32), u32::MAX);
            }
        }
        assert!(of_part.iter().all(|&n| n != u32::MAX));
        assert_eq!(parent.iter().filter(|&&p| p == u32::MAX).count(), 1);
        for (row, &owner) in tree.of_row.iter().enumerate() {
            assert!(rows.of(row).is_sorted_by(|p, q| p < q), "{:?}", rows.of(row));
            for &part in rows.of(row) {
                let mut at = of_part[part as usize];
                while at != owner {
                    at = parent[at as usize];
                    assert_ne!(at, u32::MAX, "{:?} ends in {owner}", rows.of(row));
                }
            }
        }
    }

    #[test]
    fn small_interfaces_are_one_cluster() {
        let tree = chain(4, 6);
        assert_eq!((tree.nodes.len(), tree.nodes[0].rows), (1, 18));
        assert_eq!((tree.nodes[0].parts.len(), tree.nodes[0].children.len()), (4, 0));
        assert_eq!(tree.levels, [0, 1]);
        assert_eq!(chain(1, 0).nodes.len(), 1);
    }

    #[test]
    fn long_chains_are_nested() {
        let tree = chain(64, 30);
        assert!(tree.levels.len() > 4, "{:?}", tree.levels);
    }

    /// Parts that all share rows with one of them: no cut helps.
    #[test]
    fn cliques_are_one_cluster() {
        let tree = tree(12, (1..12).map(|p| vec![0, p]), 60);
        assert_eq!(tree.nodes.len(), 1, "{:?}", tree.nodes);
    }

    #[test]
    fn rows_of_three_parts_are_eliminated_where_all_meet() {
        let far = (3..22).step_by(6).map(|p| vec![0, p]);
        let tree = tree(22, (0..20).map(|p| vec![p, p + 1, p + 2]).chain(far), 40);
        assert!(tree.nodes.len() > 2, "{:?}", tree.nodes);
    }
}
