//! Is a mesh the surface of a solid?

use std::collections::HashMap;

use crate::Error;
use crate::bvh::{Bounds, Bvh};
use crate::triangle::is_cut;
use crate::vector::{Vec3, cross, dot, norm, sub};

/// Numbers, indices, areas.
pub(crate) fn numbers(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), Error> {
    if triangles.is_empty() {
        return Err(Error::Empty);
    }
    if let Some(i) = vertices.iter().position(|v| !v.iter().all(|x| x.abs() < 1e75)) {
        return Err(Error::Coordinate(i));
    }
    for (i, t) in triangles.iter().enumerate() {
        if let Some(&vertex) = t.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(Error::Index { triangle: i, vertex, count: vertices.len() });
        }
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        let longest = norm(sub(b, a)).max(norm(sub(c, a))).max(norm(sub(c, b)));
        if norm(cross(sub(b, a), sub(c, a))) <= 1e-12 * longest * longest {
            return Err(Error::Flat(i));
        }
    }
    Ok(())
}

/// Sides by their corners: the triangle that has it in this direction.
pub(crate) type Sides = HashMap<[u32; 2], u32>;

/// Every side has one triangle on each side of it, every vertex one fan of triangles, and the volume is positive.
pub(crate) fn closed(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Sides, Error> {
    let mut sides = Sides::with_capacity(3 * triangles.len());
    for (i, t) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            if sides.insert([a, b], i as u32).is_some() {
                return Err(Error::EdgeNotManifold(a, b));
            }
        }
    }
    // In the order of the triangles, so that the message is the same every time.
    for t in triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            if !sides.contains_key(&[b, a]) {
                return Err(Error::Open(a, b));
            }
        }
    }
    fans(vertices.len(), triangles, &sides)?;
    let o = vertices[triangles[0][0] as usize];
    let volume: f64 = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|v| sub(vertices[v as usize], o));
            dot(a, cross(b, c))
        })
        .sum();
    if volume > 0.0 { Ok(sides) } else { Err(Error::InsideOut) }
}

/// Walks around each vertex from side to side: one round must meet all of its triangles.
fn fans(count: usize, triangles: &[[u32; 3]], sides: &Sides) -> Result<(), Error> {
    let mut degree = vec![0_u32; count];
    let mut first = vec![u32::MAX; count];
    for (i, t) in triangles.iter().enumerate() {
        for &v in t {
            degree[v as usize] += 1;
            first[v as usize] = i as u32;
        }
    }
    for v in 0..count as u32 {
        if degree[v as usize] == 0 {
            continue;
        }
        let start = first[v as usize];
        let (mut at, mut met) = (start, 0);
        loop {
            met += 1;
            let t = triangles[at as usize];
            let k = t.iter().position(|&w| w == v).unwrap_or(0);
            // The side that comes in to v; its neighbour has it going out.
            let Some(&next) = sides.get(&[v, t[(k + 2) % 3]]) else { break };
            at = next;
            if at == start || met > degree[v as usize] {
                break;
            }
        }
        if met != degree[v as usize] {
            return Err(Error::VertexNotManifold(v));
        }
    }
    Ok(())
}

/// Points of a closed part of a mesh that are looked at, at most: some may lie on another part.
const LOOKS: usize = 64;

/// Of several closed parts, those wound outwards must lie outside of all others together (winding number 0), those wound
/// inwards, which are hollows, inside (1). To touch is allowed, to coincide is not. *Cost*: parts times triangles.
pub(crate) fn nested(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    sides: &Sides,
) -> Result<(), Error> {
    let (shells, count) = shells(triangles, sides);
    if count < 2 {
        return Ok(());
    }
    let corners = |t: &[u32; 3], o: Vec3| t.map(|v| sub(vertices[v as usize], o));
    for shell in 0..count {
        let own = |i: &usize| shells[*i] == shell;
        let members: Vec<usize> = (0..triangles.len()).filter(own).collect();
        let origin = vertices[triangles[members[0]][0] as usize];
        let volume: f64 = members
            .iter()
            .map(|&i| corners(&triangles[i], origin))
            .map(|[a, b, c]| dot(a, cross(b, c)))
            .sum();
        let wanted = if volume > 0.0 { 0.0 } else { 1.0 };
        let mut looks = members.iter().step_by(members.len().div_ceil(LOOKS));
        let is_right = looks.any(|&i| {
            let p = vertices[triangles[i][0] as usize];
            let others = (0..triangles.len()).filter(|i| !own(i));
            let angle: f64 = others.map(|i| solid_angle(corners(&triangles[i], p))).sum();
            (angle / (4.0 * std::f64::consts::PI) - wanted).abs() < 1e-6
        });
        if !is_right {
            return Err(Error::Nested(members[0]));
        }
    }
    Ok(())
}

/// That of a triangle seen from the origin, positive from behind (Van Oosterom and Strackee 1983).
fn solid_angle([a, b, c]: [Vec3; 3]) -> f64 {
    let (x, y, z) = (norm(a), norm(b), norm(c));
    let across = x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y;
    2.0 * dot(a, cross(b, c)).atan2(across)
}

/// For each triangle the number of its closed part, and how many there are.
fn shells(triangles: &[[u32; 3]], sides: &Sides) -> (Vec<usize>, usize) {
    const NONE: usize = usize::MAX;
    let mut shells = vec![NONE; triangles.len()];
    let mut count = 0;
    let mut left = Vec::new();
    for first in 0..triangles.len() {
        if shells[first] != NONE {
            continue;
        }
        left.push(first);
        while let Some(i) = left.pop() {
            if shells[i] == NONE {
                shells[i] = count;
                let t = triangles[i];
                let beyond = (0..3).filter_map(|k| sides.get(&[t[(k + 1) % 3], t[k]]));
                left.extend(beyond.map(|&j| j as usize));
            }
        }
        count += 1;
    }
    (shells, count)
}

/// No side of a triangle passes through another triangle.
pub(crate) fn simple(vertices: &[Vec3], triangles: &[[u32; 3]], tree: &Bvh) -> Result<(), Error> {
    for (i, t) in triangles.iter().enumerate() {
        let corners = t.map(|v| vertices[v as usize]);
        let mut found = None;
        tree.meeting(&Bounds::of(&corners), |j| {
            let other = triangles[j as usize];
            for k in 0..3 {
                let (p, q) = (other[k], other[(k + 1) % 3]);
                if found.is_none()
                    && !t.contains(&p)
                    && !t.contains(&q)
                    && is_cut(corners, vertices[p as usize], vertices[q as usize])
                {
                    found = Some(j as usize);
                }
            }
        });
        if let Some(j) = found {
            return Err(Error::SelfIntersecting(i.min(j), i.max(j)));
        }
    }
    Ok(())
}
