//! Minimum degree partitioning.
//!
//! **Update**: a subsystem starts with the body of least degree and takes, of
//! its neighbours, again and again the one of least degree, until it is full.
//! Degrees count neighbours that have no subsystem yet. Then neighbours
//! without any such neighbour (orphans) join it.
//! **Cost**: O(bodies · (size of a subsystem's border + number of subsystems)).
//! **Reference**: Peiret19 alg. 2. Where a subsystem has no neighbour left it
//! goes on elsewhere, as islands \"are arbitrarily added\".

use super::partition::{Graph, NONE};

/// The subsystem of each body, `size` bodies in each and orphans beside.
pub(super) fn split(graph: &Graph, size: usize) -> Vec<u32> {
    let n = graph.len();
    let mut of = vec![NONE; n];
    let mut degree: Vec<u32> = (0..n as u32).map(|b| graph.of(b).len() as u32).collect();
    let (mut left, mut number) = (n, 0);
    let mut border: Vec<u32> = Vec::new();
    while left > size {
        border.clear();
        for _ in 0..size {
            let Some(body) = next(&mut border, &of, &degree) else { break };
            take(graph, body, number, &mut of, &mut degree, &mut border);
            left -= 1;
        }
        border.retain(|&b| of[b as usize] == NONE);
        for k in 0..border.len() {
            let orphan = border[k];
            if of[orphan as usize] == NONE && degree[orphan as usize] == 0 {
                of[orphan as usize] = number;
                left -= 1;
            }
        }
        number += 1;
    }
    of.iter_mut().filter(|s| **s == NONE).for_each(|s| *s = number);
    of
}

/// The body of least degree at the border, or of all if there is none.
fn next(border: &mut Vec<u32>, of: &[u32], degree: &[u32]) -> Option<u32> {
    border.retain(|&b| of[b as usize] == NONE);
    let least = |b: &u32| (degree[*b as usize], *b);
    if let Some(body) = border.iter().copied().min_by_key(least) {
        return Some(body);
    }
    (0..of.len() as u32).filter(|&b| of[b as usize] == NONE).min_by_key(least)
}

fn take(
    graph: &Graph,
    body: u32,
    number: u32,
    of: &mut [u32],
    degree: &mut [u32],
    border: &mut Vec<u32>,
) {
    of[body as usize] = number;
    for &(other, _) in graph.of(body) {
        degree[other as usize] -= 1;
        if of[other as usize] == NONE && !border.contains(&other) {
            border.push(other);
        }
    }
}
