//! Exact arithmetic and random queries for the tests.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use taut_ccd::{Kind, Query};

pub type Exact = BigRational;
pub type Exact3 = [Exact; 3];

/// splitmix64
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// A multiple of 1/1024 in [-1, 1].
    pub fn coordinate(&mut self) -> Exact {
        ratio(self.below(2049) as i64 - 1024, 1024)
    }

    pub fn point(&mut self) -> Exact3 {
        [self.coordinate(), self.coordinate(), self.coordinate()]
    }
}

pub fn ratio(p: i64, q: i64) -> Exact {
    Exact::new(BigInt::from(p), BigInt::from(q))
}

pub fn exact(x: f64) -> Exact {
    Exact::from_float(x).expect("finite")
}

/// The same number as f64; panics if there is none.
pub fn float(x: &Exact) -> f64 {
    let y = x.to_f64().expect("a number");
    assert_eq!(&exact(y), x, "not a number of 53 bits");
    y
}

pub fn floats(x: &Exact3) -> [f64; 3] {
    [float(&x[0]), float(&x[1]), float(&x[2])]
}

fn sub(a: &Exact3, b: &Exact3) -> Exact3 {
    [&a[0] - &b[0], &a[1] - &b[1], &a[2] - &b[2]]
}

fn dot(a: &Exact3, b: &Exact3) -> Exact {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Exact3, b: &Exact3) -> Exact3 {
    [&a[1] * &b[2] - &a[2] * &b[1], &a[2] * &b[0] - &a[0] * &b[2], &a[0] * &b[1] - &a[1] * &b[0]]
}

/// (1 − t) a + t b
fn mix(a: &Exact3, b: &Exact3, t: &Exact) -> Exact3 {
    [0, 1, 2].map(|k| &a[k] * (Exact::one() - t) + &b[k] * t)
}

/// r, a, b of F = r − u a − v b, at time t, from the corners of the query themselves.
fn patch(query: &Query, t: &Exact) -> [Exact3; 3] {
    let x: [Exact3; 4] =
        [0, 1, 2, 3].map(|i| mix(&query.start[i].map(exact), &query.end[i].map(exact), t));
    match query.kind {
        Kind::VertexFace => [sub(&x[0], &x[1]), sub(&x[2], &x[1]), sub(&x[3], &x[1])],
        Kind::EdgeEdge => [sub(&x[0], &x[2]), sub(&x[0], &x[1]), sub(&x[3], &x[2])],
    }
}

/// The difference of both features' points.
pub fn difference(query: &Query, t: &Exact, u: &Exact, v: &Exact) -> Exact3 {
    let [r, a, b] = patch(query, t);
    [0, 1, 2].map(|k| &r[k] - u * &a[k] - v * &b[k])
}

/// What exact arithmetic says.
#[derive(Debug)]
pub enum Truth {
    /// First contact between these times.
    Contact(Exact, Exact),
    Free,
    /// Degenerate: a double root, or one on a rim.
    Unclear,
}

/// First contact of a query in general position, by the exact cubic.
pub fn truth(query: &Query) -> Truth {
    // Values at four times give the cubic's Bernstein coefficients.
    let det = |t: &Exact| {
        let [r, a, b] = patch(query, t);
        dot(&r, &cross(&a, &b))
    };
    let f: Vec<Exact> = (0..4).map(|i| det(&ratio(i, 3))).collect();
    let b0 = f[0].clone();
    let b3 = f[3].clone();
    // At 1/3: (8 b0 + 12 b1 + 6 b2 + b3)/27, at 2/3: (b0 + 6 b1 + 12 b2 + 8 b3)/27.
    let p = ratio(27, 1) * &f[1] - ratio(8, 1) * &b0 - &b3;
    let q = ratio(27, 1) * &f[2] - &b0 - ratio(8, 1) * &b3;
    let b1 = (ratio(2, 1) * &p - &q) / ratio(18, 1);
    let b2 = (ratio(2, 1) * &q - &p) / ratio(18, 1);
    let mut spans = Vec::new();
    if !isolate([b0, b1, b2, b3], Exact::zero(), Exact::one(), 0, &mut spans) {
        return Truth::Unclear;
    }
    for (lo, hi) in spans {
        match inside(query, &((&lo + &hi) / ratio(2, 1))) {
            Some(true) => return Truth::Contact(lo, hi),
            Some(false) => {}
            None => return Truth::Unclear,
        }
    }
    Truth::Free
}

/// Spans of at most 2⁻⁶⁰ with one root each, in order; false where roots cannot be told apart.
fn isolate(
    b: [Exact; 4],
    lo: Exact,
    hi: Exact,
    depth: usize,
    spans: &mut Vec<(Exact, Exact)>,
) -> bool {
    let signs: Vec<bool> = b.iter().filter(|x| !x.is_zero()).map(Signed::is_positive).collect();
    let changes = signs.windows(2).filter(|w| w[0] != w[1]).count();
    if signs.len() < 4 && (b[0].is_zero() || b[3].is_zero() || signs.is_empty()) {
        return false;
    }
    if changes == 0 {
        return true;
    }
    if depth == 60 {
        spans.push((lo, hi));
        return changes == 1;
    }
    let half = ratio(1, 2);
    let mid = |x: &Exact, y: &Exact| (x + y) * &half;
    let (p, q, r) = (mid(&b[0], &b[1]), mid(&b[1], &b[2]), mid(&b[2], &b[3]));
    let (s, t) = (mid(&p, &q), mid(&q, &r));
    let m = mid(&s, &t);
    let middle = mid(&lo, &hi);
    let [first, .., last] = b;
    isolate([first, p, s, m.clone()], lo, middle.clone(), depth + 1, spans)
        && isolate([m, t, r, last], middle, hi, depth + 1, spans)
}

/// Whether the planes' or lines' point lies within the features; `None` on a rim.
fn inside(query: &Query, t: &Exact) -> Option<bool> {
    let [r, a, b] = patch(query, t);
    let n = cross(&a, &b);
    let size = dot(&n, &n);
    if size.is_zero() {
        return None;
    }
    let u = dot(&cross(&r, &b), &n) / &size;
    let v = dot(&cross(&a, &r), &n) / &size;
    let one = Exact::one();
    let margins = match query.kind {
        Kind::VertexFace => vec![u.clone(), v.clone(), one - u - v],
        Kind::EdgeEdge => vec![u.clone(), v.clone(), &one - u, one - v],
    };
    let least = margins.into_iter().min().expect("three or four");
    let rim = ratio(1, 1 << 40);
    if least.abs() < rim { None } else { Some(least.is_positive()) }
}
