//! Do an edge and a triangle meet? Decided without rounding.
//!
//! The answer is made of signs of determinants: on which side of the triangle's plane the ends lie, and on which side of the edge's line its
//! sides pass. A sign is taken from plain numbers where their error bound allows, else from sums of numbers without rounding (expansions,
//! Shewchuk 1997). To touch is to meet. *Cost*: five determinants at most; more where all lie in one plane.

use crate::vector::Vec3;

/// A number as a sum of parts that do not overlap, smallest first.
type Expansion = Vec<f64>;

fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let x = a + b;
    let bv = x - a;
    (x, (a - (x - bv)) + (b - bv))
}

fn two_product(a: f64, b: f64) -> (f64, f64) {
    let x = a * b;
    (x, a.mul_add(b, -x))
}

fn grow(e: &Expansion, b: f64) -> Expansion {
    let mut result = Vec::with_capacity(e.len() + 1);
    let mut q = b;
    for &part in e {
        let (sum, rest) = two_sum(q, part);
        if rest != 0.0 {
            result.push(rest);
        }
        q = sum;
    }
    if q != 0.0 {
        result.push(q);
    }
    result
}

fn sum(a: &Expansion, b: &Expansion) -> Expansion {
    b.iter().fold(a.clone(), |e, &part| grow(&e, part))
}

fn product(a: &Expansion, b: &Expansion) -> Expansion {
    let mut result = Vec::new();
    for &x in a {
        for &y in b {
            let (p, rest) = two_product(x, y);
            result = grow(&grow(&result, rest), p);
        }
    }
    result
}

fn negative(a: &Expansion) -> Expansion {
    a.iter().map(|x| -x).collect()
}

fn difference(a: f64, b: f64) -> Expansion {
    let (x, rest) = two_sum(a, -b);
    [rest, x].into_iter().filter(|p| *p != 0.0).collect()
}

/// The last part is the largest, and has the sign of all.
fn sign(a: &Expansion) -> i8 {
    a.last().map_or(0, |x| if *x > 0.0 { 1 } else { -1 })
}

/// The sign of det(b − a, c − a, d − a): on which side of the triangle a b c is d?
pub fn side(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> i8 {
    let rows = [b, c, d].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
    let [u, v, w] = rows;
    let terms = [
        (u[1] * v[2], u[2] * v[1], w[0]),
        (u[2] * v[0], u[0] * v[2], w[1]),
        (u[0] * v[1], u[1] * v[0], w[2]),
    ];
    let det: f64 = terms.iter().map(|(p, q, w)| (p - q) * w).sum();
    let size: f64 = terms.iter().map(|(p, q, w)| (p.abs() + q.abs()) * w.abs()).sum();
    // 7.8e-16 is Shewchuk's bound for this determinant.
    if det.abs() > 1e-15 * size + f64::MIN_POSITIVE * 1e3 {
        return if det > 0.0 { 1 } else { -1 };
    }
    let [u, v, w] = [b, c, d].map(|p| [0, 1, 2].map(|k| difference(p[k], a[k])));
    let mut det = Expansion::new();
    for (i, j, k) in [(1, 2, 0), (2, 0, 1), (0, 1, 2)] {
        let minor = sum(&product(&u[i], &v[j]), &negative(&product(&u[j], &v[i])));
        det = sum(&det, &product(&minor, &w[k]));
    }
    sign(&det)
}

/// The sign of the area of a triangle seen along axis k.
fn turn(k: usize, a: Vec3, b: Vec3, c: Vec3) -> i8 {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let minus = |p: Vec3, m: usize| difference(p[m], a[m]);
    let first = product(&minus(b, i), &minus(c, j));
    let second = product(&minus(b, j), &minus(c, i));
    sign(&sum(&first, &negative(&second)))
}

/// Whether the edge from p to q and a triangle have a point in common.
pub fn meet([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let (from, to) = (side(a, b, c, p), side(a, b, c, q));
    if from * to > 0 {
        return false;
    }
    if from == 0 && to == 0 {
        return meet_flat([p, q], [a, b, c]);
    }
    let sides = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    !(sides.contains(&1) && sides.contains(&-1))
}

/// Both in one plane, seen along the axes along which the triangle has an area.
fn meet_flat([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let Some(k) = (0..3).find(|&k| turn(k, a, b, c) != 0) else {
        // A triangle without area is its three sides.
        return (0..3)
            .all(|k| [[a, b], [b, c], [c, a]].iter().any(|side| cross_flat(k, [p, q], *side)));
    };
    let way = turn(k, a, b, c);
    let inside =
        |x: Vec3| [[a, b], [b, c], [c, a]].iter().all(|[s, t]| turn(k, *s, *t, x) * way >= 0);
    inside(p) || inside(q) || [[a, b], [b, c], [c, a]].iter().any(|s| cross_flat(k, [p, q], *s))
}

/// Whether two edges in a plane have a point in common.
fn cross_flat(k: usize, [p, q]: [Vec3; 2], [a, b]: [Vec3; 2]) -> bool {
    let (s, t) = (turn(k, p, q, a), turn(k, p, q, b));
    let (u, v) = (turn(k, a, b, p), turn(k, a, b, q));
    if s == 0 && t == 0 && u == 0 && v == 0 {
        // On one line: do the boxes meet?
        return [(k + 1) % 3, (k + 2) % 3]
            .iter()
            .all(|&i| p[i].min(q[i]) <= a[i].max(b[i]) && a[i].min(b[i]) <= p[i].max(q[i]));
    }
    s * t <= 0 && u * v <= 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACE: [Vec3; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn signs_that_rounding_would_miss() {
        let tiny = f64::EPSILON;
        // Points on, above and below a slanted plane, by one unit in the last place.
        let (a, b, c) = ([0.1, 0.1, 0.1], [12.1, 0.1, 12.1], [0.1, 24.1, 24.1]);
        assert_eq!(side(a, b, c, a), 0);
        for (d, expected) in [(0.5 * tiny, 1), (-0.5 * tiny, -1)] {
            // 0.1 + 6 + ..., exactly on the plane in binary where coordinates are dyadic.
            let (a, b, c) = ([0.0; 3], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]);
            assert_eq!(side(a, b, c, [0.25, 0.25, 0.5 + d]), expected);
            assert_eq!(side(a, b, c, [0.25, 0.25, 0.5]), 0);
        }
    }

    #[test]
    fn edges_and_triangles() {
        let up = |x: f64, y: f64, from: f64, to: f64| meet([[x, y, from], [x, y, to]], FACE);
        assert!(up(0.25, 0.25, -1.0, 1.0) && !up(0.25, 0.25, 1e-300, 1.0));
        assert!(up(0.25, 0.25, 0.0, 1.0), "to touch is to meet");
        assert!(up(0.5, 0.5, -1.0, 1.0) && up(0.0, 0.0, -1.0, 1.0), "on a side, at a corner");
        assert!(!up(0.5, 0.5 + 1e-15, -1.0, 1.0));
        // In the plane.
        assert!(meet([[-1.0, 0.2, 0.0], [2.0, 0.2, 0.0]], FACE));
        assert!(meet([[0.2, 0.2, 0.0], [0.3, 0.2, 0.0]], FACE), "inside");
        assert!(!meet([[-1.0, 1.2, 0.0], [2.0, 1.2, 0.0]], FACE));
        assert!(meet([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], FACE), "along a side, at its end");
        assert!(!meet([[1.1, 0.0, 0.0], [2.0, 0.0, 0.0]], FACE));
    }
}
