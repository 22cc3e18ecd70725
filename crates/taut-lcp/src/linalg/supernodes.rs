//! Symbolic analysis for [`super::supernodal`]: elimination tree, supernodes,
//! and where the rows of each lie in the panels of its ancestors.
//!
//! The graph is one of *blocks*, so that the six columns of a body, or the rows
//! of a joint, are analysed as one vertex.
//! **Reference**: Liu 1990, The role of elimination trees; Davis, Direct
//! Methods for Sparse Linear Systems, ch. 4.

use std::ops::Range;

const NONE: u32 = u32::MAX;
// By trial: times of docs/bench/growth.md, "Seconds for one factor".

/// Supernodes up to this many columns are merged whatever zeros that stores.
const MERGED_COLUMNS: usize = 6;
/// Above that, up to this share of zeros: more where that saves panels of few
/// columns, less where every zero costs a tall panel's arithmetic.
const ZEROS: f64 = 0.12;
const MEDIUM: usize = 48;
const ZEROS_WIDE: f64 = 0.02;
/// Wider ones are split, so that the packs of a product stay in the cache.
const WIDEST: usize = 128;

/// The rows of one supernode that are columns of another.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Update {
    source: u32,
    target: u32,
    /// Positions of those rows in the panel.
    pub begin: u32,
    pub end: u32,
    relative: usize,
    length: usize,
}

/// The analysis. All indices are scalar, blocks expanded.
#[derive(Default)]
pub(crate) struct Supernodes {
    /// Columns in the order of elimination, and when each is eliminated.
    pub order: Vec<u32>,
    pub inverse: Vec<u32>,
    /// First column of each supernode, and the end.
    pub first: Vec<u32>,
    of_column: Vec<u32>,
    /// Rows of the panels: their own columns first, ascending.
    pub rows: Vec<u32>,
    row_ptr: Vec<usize>,
    updates: Vec<Update>,
    relative: Vec<u32>,
    /// Per supernode, the updates it gets: by whom, and which; by elimination.
    sources: Vec<(u32, u32)>,
    source_ptr: Vec<u32>,
}

impl Supernodes {
    /// Analyses a symmetric pattern of blocks of `size` rows: the lower
    /// triangle in compressed columns, and the order of elimination.
    pub fn new(col_ptr: &[u32], row_idx: &[u32], order: &[u32], size: usize) -> Self {
        let starts: Vec<u32> = (0..=order.len() as u32).map(|b| b * size as u32).collect();
        Self::with_blocks(col_ptr, row_idx, order, &starts)
    }

    /// Analyses a symmetric pattern of blocks of several sizes: block b has the rows
    /// starts\[b\]..starts\[b + 1\].
    pub fn with_blocks(col_ptr: &[u32], row_idx: &[u32], order: &[u32], starts: &[u32]) -> Self {
        let graph = Graph::new(col_ptr, row_idx, order);
        let parent = graph.elimination_tree();
        let post = postorder(&parent);
        let order: Vec<u32> = post.iter().map(|&k| order[k as usize]).collect();
        let graph = Graph::new(col_ptr, row_idx, &order);
        let parent = graph.elimination_tree();
        let blocks = Blocks::new(&order, starts);
        let mut panels = find_panels(&graph, &parent);
        merge(&mut panels, &parent, &blocks);
        let panels = split(panels, &blocks);
        let mut s = Supernodes::expand(&panels, &blocks);
        s.find_updates();
        s.find_sources();
        s
    }

    /// Number of supernodes.
    pub fn count(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Order of the matrix.
    pub fn order(&self) -> usize {
        self.order.len()
    }

    /// Multiplications of one factorization with all rows.
    pub fn flops(&self) -> f64 {
        let column = |s: usize, c: usize| ((self.height(s) - c) as f64).powi(2);
        let panel = |s: usize| (0..self.width(s)).map(|c| column(s, c)).sum::<f64>();
        (0..self.count()).map(panel).sum()
    }

    pub fn width(&self, s: usize) -> usize {
        (self.first[s + 1] - self.first[s]) as usize
    }

    pub fn height(&self, s: usize) -> usize {
        self.row_ptr[s + 1] - self.row_ptr[s]
    }

    pub fn rows_of(&self, s: usize) -> Range<usize> {
        self.row_ptr[s]..self.row_ptr[s + 1]
    }

    /// The updates that supernode s gets, and from which supernodes.
    pub fn sources_of(&self, s: usize) -> impl Iterator<Item = (usize, &Update)> {
        let range = self.source_ptr[s] as usize..self.source_ptr[s + 1] as usize;
        self.sources[range].iter().map(|&(from, u)| (from as usize, &self.updates[u as usize]))
    }

    pub fn relative_of(&self, update: &Update) -> &[u32] {
        &self.relative[update.relative..update.relative + update.length]
    }

    /// The supernode of row i, which is eliminated in it.
    pub fn of_row(&self, i: usize) -> usize {
        self.of_column[self.inverse[i] as usize] as usize
    }

    /// The supernode that comes after s on the way to the root.
    pub fn parent(&self, s: usize) -> Option<usize> {
        let rows = &self.rows[self.rows_of(s)];
        rows.get(self.width(s)).map(|&r| self.of_column[r as usize] as usize)
    }

    /// Supernode, row and column within its panel of entry (i, j).
    pub fn place(&self, i: usize, j: usize) -> (usize, usize, usize) {
        let (i, j) = (self.inverse[i], self.inverse[j]);
        let (row, column) = (i.max(j), i.min(j));
        let s = self.of_column[column as usize] as usize;
        let rows = &self.rows[self.rows_of(s)];
        (s, rows.partition_point(|&r| r < row), (column - self.first[s]) as usize)
    }

    fn expand(panels: &[Panel], blocks: &Blocks) -> Self {
        let mut s = Supernodes { row_ptr: vec![0], ..Self::default() };
        s.order = blocks.rows();
        s.inverse.resize(s.order.len(), 0);
        s.order.iter().enumerate().for_each(|(k, &i)| s.inverse[i as usize] = k as u32);
        for (k, p) in panels.iter().enumerate() {
            let columns = blocks.place[p.first as usize]..blocks.place[p.end as usize];
            s.first.push(columns.start);
            s.of_column.resize(columns.end as usize, k as u32);
            s.rows.extend(columns);
            s.rows.extend(p.below.iter().flat_map(|&b| blocks.range(b)));
            s.row_ptr.push(s.rows.len());
        }
        s.first.push(s.order.len() as u32);
        s
    }

    fn find_sources(&mut self) {
        let updates = self.updates.iter().enumerate();
        let by_target = updates.map(|(k, u)| (u.target, (u.source, k as u32)));
        (self.source_ptr, self.sources) = lists(self.count(), by_target);
    }

    fn find_updates(&mut self) {
        for s in 0..self.count() {
            let rows = &self.rows[self.rows_of(s)];
            let mut begin = self.width(s);
            while begin < rows.len() {
                let t = self.of_column[rows[begin] as usize] as usize;
                let after = self.first[t + 1];
                let end = begin + rows[begin..].partition_point(|&r| r < after);
                let relative = self.relative.len();
                let others = &self.rows[self.rows_of(t)];
                let mut at = 0;
                for &row in &rows[begin..] {
                    while others[at] < row {
                        at += 1;
                    }
                    self.relative.push(at as u32);
                }
                let length = self.relative.len() - relative;
                let (source, target) = (s as u32, t as u32);
                let (begin_at, end_at) = (begin as u32, end as u32);
                let update =
                    Update { source, target, begin: begin_at, end: end_at, relative, length };
                self.updates.push(update);
                begin = end;
            }
        }
    }
}

/// The rows of the blocks.
struct Blocks<'a> {
    order: &'a [u32],
    starts: &'a [u32],
    /// Where the rows of each block, by elimination, are eliminated; and the
    /// end.
    place: Vec<u32>,
}

impl<'a> Blocks<'a> {
    fn new(order: &'a [u32], starts: &'a [u32]) -> Self {
        let size = |b: u32| starts[b as usize + 1] - starts[b as usize];
        let mut place = vec![0];
        let mut next = 0;
        for &b in order {
            next += size(b);
            place.push(next);
        }
        Blocks { order, starts, place }
    }

    /// All rows, by elimination.
    fn rows(&self) -> Vec<u32> {
        let rows = |&b: &u32| self.starts[b as usize]..self.starts[b as usize + 1];
        self.order.iter().flat_map(rows).collect()
    }

    /// Rows of block k, as they are eliminated.
    fn range(&self, k: u32) -> Range<u32> {
        self.place[k as usize]..self.place[k as usize + 1]
    }

    /// Rows of the blocks first..end.
    fn width(&self, first: u32, end: u32) -> usize {
        (self.place[end as usize] - self.place[first as usize]) as usize
    }

    fn height(&self, below: &[u32]) -> usize {
        below.iter().map(|&b| self.width(b, b + 1)).sum()
    }
}

/// A pattern renumbered by elimination: above[k] lists the neighbours of k
/// that come before it, below[k] those after it.
struct Graph {
    above_ptr: Vec<u32>,
    above: Vec<u32>,
    below_ptr: Vec<u32>,
    below: Vec<u32>,
}

impl Graph {
    fn new(col_ptr: &[u32], row_idx: &[u32], order: &[u32]) -> Self {
        let n = order.len();
        let mut inverse = vec![0; n];
        order.iter().enumerate().for_each(|(k, &i)| inverse[i as usize] = k as u32);
        let entries = || {
            (0..n).flat_map(|j| {
                let rows = &row_idx[col_ptr[j] as usize..col_ptr[j + 1] as usize];
                let q = inverse[j];
                let inverse = &inverse;
                let pairs = rows.iter().map(move |&i| (inverse[i as usize], q));
                pairs.filter(|(p, q)| p != q).map(|(p, q)| (p.min(q), p.max(q)))
            })
        };
        let (above_ptr, above) = lists(n, entries().map(|(low, high)| (high, low)));
        let (below_ptr, below) = lists(n, entries());
        Graph { above_ptr, above, below_ptr, below }
    }

    fn above(&self, k: usize) -> &[u32] {
        &self.above[self.above_ptr[k] as usize..self.above_ptr[k + 1] as usize]
    }

    fn below(&self, k: usize) -> &[u32] {
        &self.below[self.below_ptr[k] as usize..self.below_ptr[k + 1] as usize]
    }

    fn elimination_tree(&self) -> Vec<u32> {
        let n = self.above_ptr.len() - 1;
        let (mut parent, mut ancestor) = (vec![NONE; n], vec![NONE; n]);
        for k in 0..n {
            for &i in self.above(k) {
                let mut i = i;
                while i != NONE && i != k as u32 {
                    let next = std::mem::replace(&mut ancestor[i as usize], k as u32);
                    if next == NONE {
                        parent[i as usize] = k as u32;
                    }
                    i = next;
                }
            }
        }
        parent
    }
}

/// Lists by key, in the order of the entries.
fn lists<T: Copy + Default>(
    n: usize,
    entries: impl Iterator<Item = (u32, T)> + Clone,
) -> (Vec<u32>, Vec<T>) {
    let mut ptr = vec![0; n + 1];
    entries.clone().for_each(|(k, _)| ptr[k as usize + 1] += 1);
    (0..n).for_each(|k| ptr[k + 1] += ptr[k]);
    let mut next = ptr.clone();
    let mut values = vec![T::default(); ptr[n] as usize];
    for (k, value) in entries {
        values[next[k as usize] as usize] = value;
        next[k as usize] += 1;
    }
    (ptr, values)
}

fn postorder(parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    let (mut child, mut sibling) = (vec![NONE; n], vec![NONE; n]);
    for k in (0..n).rev() {
        if parent[k] != NONE {
            sibling[k] = std::mem::replace(&mut child[parent[k] as usize], k as u32);
        }
    }
    let (mut post, mut stack) = (Vec::with_capacity(n), Vec::new());
    for root in (0..n).filter(|&k| parent[k] == NONE) {
        stack.push(root as u32);
        while let Some(&k) = stack.last() {
            match std::mem::replace(&mut child[k as usize], NONE) {
                NONE => {
                    post.push(k);
                    stack.pop();
                }
                mut c => {
                    // The children are pushed last first, so that they come off in order.
                    let from = stack.len();
                    while c != NONE {
                        stack.push(c);
                        c = sibling[c as usize];
                    }
                    stack[from..].reverse();
                }
            }
        }
    }
    post
}

/// Columns first..end and the rows below them, ascending.
#[derive(Default)]
struct Panel {
    first: u32,
    end: u32,
    below: Vec<u32>,
    /// Rows of the blocks below.
    height: usize,
    /// Entries stored though they are zero.
    zeros: usize,
}

/// Columns with the same structure below them, in postorder.
fn find_panels(graph: &Graph, parent: &[u32]) -> Vec<Panel> {
    let n = parent.len();
    let mut panels: Vec<Panel> = Vec::new();
    // Panels whose parent column is k, the last one excepted if it ends at k.
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut mark = vec![NONE; n];
    for k in 0..n as u32 {
        let others = std::mem::take(&mut children[k as usize]);
        let continues = k > 0 && parent[k as usize - 1] == k && others.is_empty() && {
            // The rows of the panel before were marked with its number.
            let last = panels.len() as u32 - 1;
            graph.below(k as usize).iter().all(|&r| mark[r as usize] == last)
        };
        if continues {
            if let Some(panel) = panels.last_mut() {
                panel.end = k + 1;
                panel.below.retain(|&r| r != k);
            }
        } else {
            let number = panels.len() as u32;
            let mut panel = Panel { first: k, end: k + 1, ..Default::default() };
            let mut add = |r: u32| {
                if r > k && std::mem::replace(&mut mark[r as usize], number) != number {
                    panel.below.push(r);
                }
            };
            graph.below(k as usize).iter().for_each(|&r| add(r));
            let before = (k > 0 && parent[k as usize - 1] == k).then(|| number - 1);
            for c in others.iter().copied().chain(before) {
                panels[c as usize].below.iter().for_each(|&r| add(r));
            }
            panel.below.sort_unstable();
            panels.push(panel);
        }
        // A panel that cannot go on to the next column waits at its parent.
        let up = parent[k as usize];
        if up != NONE && up != k + 1 {
            children[up as usize].push(panels.len() as u32 - 1);
        }
    }
    panels
}

/// Merges a panel with its parent, if that comes next and few zeros are stored
/// for it.
fn merge(panels: &mut Vec<Panel>, parent: &[u32], blocks: &Blocks) {
    let mut kept: Vec<Panel> = Vec::with_capacity(panels.len());
    for mut p in panels.drain(..) {
        p.height = blocks.height(&p.below);
        while let Some(child) = kept.last() {
            if parent[child.end as usize - 1] != p.first || child.end != p.first {
                break;
            }
            let wide = blocks.width(child.first, child.end);
            let own = blocks.width(p.first, p.end);
            let height = wide + own + p.height;
            let zeros = wide * (own + p.height - child.height) + child.zeros + p.zeros;
            let share = match wide + own {
                w if w <= MERGED_COLUMNS => 1.0,
                w if w <= MEDIUM => ZEROS,
                _ => ZEROS_WIDE,
            };
            if zeros as f64 > share * (height * (wide + own)) as f64 {
                break;
            }
            (p.first, p.zeros) = (child.first, zeros);
            kept.pop();
        }
        kept.push(p);
    }
    *panels = kept;
}

/// Cuts panels that are too wide.
fn split(panels: Vec<Panel>, blocks: &Blocks) -> Vec<Panel> {
    let mut cut = Vec::with_capacity(panels.len());
    for mut p in panels {
        while blocks.width(p.first, p.end) > WIDEST && p.end - p.first > 1 {
            let fits = |&e: &u32| e == p.first + 1 || blocks.width(p.first, e) <= WIDEST;
            let end = (p.first + 1..p.end).take_while(fits).last().unwrap_or(p.first + 1);
            let below = (end..p.end).chain(p.below.iter().copied()).collect();
            cut.push(Panel { first: p.first, end, below, ..Default::default() });
            p.first = end;
        }
        cut.push(p);
    }
    cut
}
