//! Friction of a cable at its stations: Euler's and Eytelwein's law, T₁ ≤ T₂ e^(μθ) both ways.
//!
//! **Variables.** A cable has a mean tension τ and, at each station that rubs, a change f of the
//! tension. With W the share of the cable behind the station, the tension of span i is
//!
//! Tᵢ = τ + Σ f ([i behind the station] − W),
//!
//! so that the mean of the tensions, weighted by length, is τ. (On a winch that may slip τ is the tension at its end, W = 0.) What a cable stretches by is then
//! a matter of τ alone: compliance stays diagonal. Rows follow as the transpose: that of τ
//! is the rate of slack, that of f the rate of slip, with the share W of slack taken out of it. A closed belt of which
//! two pulleys rub has one change, from the one to the other, and the lesser of the two bounds.
//! Where a cable that stretches never slips at a station (`grips`), its sides know nothing of one another but for the pulley: each is a
//! cable of its own, with a tension of its own that only pulls, and the means above are those of one side.
//!
//! **Law.** With E = e^(μθ), T_out/T_in lies between 1/E and E, and the cable slips at
//! these bounds only. A solve sees f in a box; between passes the box follows the tensions of the
//! answer, until it fits them. A cable at a bound gets (1 − 1/E) times the *larger* of the two
//! tensions, the same at the fixed point as (E − 1) times the smaller one, but the map contracts for
//! any E: a larger f makes the larger tension grow by less. It is linear while the same stations slip,
//! so Anderson's mixing, which is a secant method in as many directions as there are passes,
//! ends in about two passes more than stations slip, however near the limit. (Passes
//! without it: 749 for E = 111 in the worst case tried.)
//!
//! References: the law is Euler's and Eytelwein's; Walker and Ni 2011 (mixing).

use super::Cable;
use super::path::Way;
use std::ops::Range;

// What half and twice of these change: docs/decisions/step-constants.md.

/// e^(μθ) of a station that never slips.
const STUCK: f64 = 1e12;

/// Where the tension changes: row 1 + j of a cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    /// Station at which the tension rises.
    pub(crate) at: usize,
    /// First span behind it that has the old tension again (belts), or one beyond the last.
    pub(crate) until: usize,
    /// W.
    pub(crate) share: f64,
    /// E.
    pub(crate) ratio: f64,
    /// Whether the cable never slips there, and stretches: then f is the tension behind it, up to `until`, on its own.
    pub(crate) apart: bool,
    /// Spans between stations that hold it apart, of which its own is one.
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl Change {
    /// The factor of f in the tension of a span.
    pub(crate) fn factor(&self, span: usize) -> f64 {
        if !(self.first..self.last).contains(&span) {
            return 0.0;
        }
        let behind = (self.at..self.until).contains(&span);
        f64::from(u8::from(behind)) - self.share
    }
}

/// One `Change` per station that rubs. Shares are by the lengths of spans at the start of the step (`way`), so that τ means the
/// same in both stages; angles of wrap are those of `later`.
pub(crate) fn changes<'a>(
    cable: &'a Cable,
    way: &'a Way,
    later: &'a Way,
) -> impl Iterator<Item = Change> + Clone + 'a {
    let spans = cable.spans();
    let last = cable.rubbing().last().filter(|_| cable.closed);
    let ratio = move |k: usize| ratio(cable, later, k);
    let rows = cable.rows() - 1;
    (0..cable.stations.len())
        .filter(move |&k| !cable.is_end(k) && cable.stations[k].friction > 0.0)
        .take(rows)
        .map(move |at| {
            let apart = holds_apart(cable, way, at);
            let ratio = last.map_or(ratio(at), |other| ratio(at).min(ratio(other)));
            if cable.closed {
                let until = last.unwrap_or(spans);
                let (first, end) = if apart { (at, until) } else { (0, spans) };
                let share = if apart { 0.0 } else { share(cable, way, at..until, 0..spans) };
                return Change { at, until, share, ratio, apart, first, last: end };
            }
            let first = (1..=at).rev().find(|&k| holds_apart(cable, way, k)).unwrap_or(0);
            let end = (at + 1..spans).find(|&k| holds_apart(cable, way, k)).unwrap_or(spans);
            let share = match live(cable, way) {
                _ if apart => 0.0,
                live if at <= live.start => 1.0,
                live if at >= live.end => 0.0,
                live => share(
                    cable,
                    way,
                    at..end.min(live.end),
                    first.max(live.start)..end.min(live.end),
                ),
            };
            Change { at, until: end, share, ratio, apart, first, last: end }
        })
}

/// E of a station.
fn ratio(cable: &Cable, way: &Way, k: usize) -> f64 {
    let wrap = if way.touches[k] { way.wraps[k].max(0.0) } else { 0.0 };
    if wrap > 0.0 { (cable.stations[k].friction * wrap).exp().min(STUCK) } else { 1.0 }
}

/// Spans that τ is the mean tension of. Of a cable that does not stretch, those at its ends that are held in the world are none: there f alone
/// says what they pull with, and does not share in the length. (With shares of it a load that swung under a sheave
/// contradicted what friction held, and the dead span pulled with 1e8 N.)
fn live(cable: &Cable, way: &Way) -> Range<usize> {
    way.still[0]..cable.spans().saturating_sub(way.still[1])
}

/// Gives spans that pull at nothing that may move the tensions that a cable would have that stretches ever so little: they keep those of the
/// step before, as far as friction holds them.
pub(crate) fn keep_dead(cable: &Cable, way: &Way, before: &[f64], tensions: &mut [f64]) {
    let spans = tensions.len();
    let mut keep = |i: usize, next: usize, k: usize| {
        let e = ratio(cable, way, k);
        let t = tensions[next].max(0.0);
        tensions[i] = before.get(i).map_or(t, |b| b.clamp(t / e, t * e));
    };
    (0..way.dead[0]).rev().for_each(|i| keep(i, i + 1, i + 1));
    (spans - way.dead[1]..spans).for_each(|i| keep(i, i - 1, i));
}

/// Share of the length of some spans in that of others: W.
fn share(cable: &Cable, way: &Way, behind: Range<usize>, of: Range<usize>) -> f64 {
    let sum = |spans: Range<usize>| way.spans[spans].iter().map(|s| s.length).sum::<f64>();
    let whole = sum(of);
    if whole > 0.0 && !by_first(cable) { sum(behind) / whole } else { 0.0 }
}

/// Whether a station holds the sides of a cable apart: it stretches and never slips there. A belt is held apart if it grips both its
/// pulleys.
fn holds_apart(cable: &Cable, way: &Way, k: usize) -> bool {
    let grips = |k: usize| cable.stations[k].friction == f64::INFINITY && way.touches[k];
    let own = cable.stretches() && !cable.is_end(k) && grips(k);
    own && (!cable.closed || cable.rubbing().count() == 2 && cable.rubbing().all(grips))
}

/// The factor of τ in the tension of a span: 1, but for those that are held apart from the first one.
pub(crate) fn main_factor(cable: &Cable, way: &Way, span: usize) -> f64 {
    if !cable.stretches() {
        return 1.0;
    }
    let apart = match cable.closed {
        false => (1..=span).any(|k| holds_apart(cable, way, k)),
        true => {
            let mut rubbing = cable.rubbing();
            let pair = rubbing.next().zip(rubbing.next());
            pair.is_some_and(|(a, b)| holds_apart(cable, way, a) && (a..b).contains(&span))
        }
    };
    f64::from(u8::from(!apart))
}

/// Tension of each span by the answers of a cable's rows (forces, or impulses).
pub(crate) fn tensions(cable: &Cable, way: &Way, rows: &[f64], out: &mut Vec<f64>) {
    out.clear();
    let mean = rows.first().copied().unwrap_or(0.0);
    out.extend((0..cable.spans()).map(|i| mean * main_factor(cable, way, i)));
    for (change, f) in changes(cable, way, way).zip(&rows[rows.len().min(1)..]) {
        for (i, t) in out.iter_mut().enumerate() {
            *t += f * change.factor(i);
        }
    }
}

/// Whether τ is the tension of the first span: where a winch slips there, its bound is then one of τ, and
/// changes of tension do not see what it pays out. (A cable that stretches needs the mean.)
fn by_first(cable: &Cable) -> bool {
    !cable.stretches() && cable.winch.is_some_and(|w| w.max_force.is_finite())
}

/// τ of given tensions.
pub(crate) fn mean(cable: &Cable, way: &Way, tensions: &[f64]) -> f64 {
    if by_first(cable) {
        return tensions.first().copied().unwrap_or(0.0);
    }
    let (mut whole, mut pull) = (0.0, 0.0);
    let live = live(cable, way);
    for (i, (span, t)) in
        way.spans.iter().zip(tensions).enumerate().filter(|(i, _)| live.contains(i))
    {
        let length = span.length * main_factor(cable, way, i);
        (whole, pull) = (whole + length, pull + length * t);
    }
    if whole > 0.0 { pull / whole } else { 0.0 }
}

/// Σ W f: by how much τ exceeds the tension of the first span, of a cable that is not closed.
pub(crate) fn beyond_first(cable: &Cable, way: &Way, rows: &[f64]) -> f64 {
    let changes = changes(cable, way, way).zip(&rows[rows.len().min(1)..]);
    changes.map(|(change, f)| -change.factor(0) * f).sum()
}

/// Tensions before and behind a change.
pub(crate) fn sides(change: &Change, tensions: &[f64]) -> (f64, f64) {
    let n = tensions.len();
    (tensions[(change.at + n - 1) % n], tensions[change.at % n])
}

/// The bounds of f that fit an answer, in which it was at one of them, if `side` says so.
pub(crate) fn bounds(change: &Change, (before, behind): (f64, f64), side: f64) -> (f64, f64) {
    if change.apart {
        return (0.0, f64::INFINITY);
    }
    let (before, behind) = (before.max(0.0), behind.max(0.0));
    let (rise, fall) = (change.ratio - 1.0, 1.0 - 1.0 / change.ratio);
    // Where f is free both forms say the same of it; that of the smaller tension leaves more room, and says
    // nothing where a free f made it negative.
    let most = |small: f64, large: f64| (rise * small).max(fall * large);
    let hi = if side > 0.0 { fall * behind } else { most(before, behind) };
    let lo = if side < 0.0 { -fall * before } else { -most(behind, before) };
    (lo, hi)
}

/// Anderson's mixing of a fixed-point iteration x ← g(x).
#[derive(Debug, Default)]
pub(crate) struct Mixing {
    /// Earlier x, and g(x) − x.
    points: Vec<(Vec<f64>, Vec<f64>)>,
}

/// Differences that are kept.
const DEPTH: usize = 8;

impl Mixing {
    pub(crate) fn restart(&mut self) {
        self.points.clear();
    }

    /// The next x, in place of g.
    pub(crate) fn mix(&mut self, x: &[f64], g: &mut [f64]) {
        let r: Vec<f64> = g.iter().zip(x).map(|(g, x)| g - x).collect();
        // Least squares by orthogonal columns of differences of residuals.
        let (mut rest, mut columns) = (r.clone(), Vec::<(Vec<f64>, Vec<f64>)>::new());
        let mut step = r.clone();
        for (x_old, r_old) in self.points.iter().rev() {
            let mut dr: Vec<f64> = r.iter().zip(r_old).map(|(a, b)| a - b).collect();
            let mut dx: Vec<f64> = x.iter().zip(x_old).map(|(a, b)| a - b).collect();
            let size = dot(&dr, &dr);
            for (cr, cx) in &columns {
                let share = dot(&dr, cr);
                subtract(&mut dr, share, cr);
                subtract(&mut dx, share, cx);
            }
            let left = dot(&dr, &dr);
            if left <= 1e-24 * size || left == 0.0 {
                continue;
            }
            let scale = 1.0 / left.sqrt();
            dr.iter_mut().chain(&mut dx).for_each(|v| *v *= scale);
            let share = dot(&rest, &dr);
            subtract(&mut rest, share, &dr);
            for (s, (dx, dr)) in step.iter_mut().zip(dx.iter().zip(&dr)) {
                *s -= share * (dx + dr);
            }
            columns.push((dr, dx));
        }
        if self.points.len() == DEPTH {
            self.points.remove(0);
        }
        self.points.push((x.to_vec(), r));
        for (g, (x, s)) in g.iter_mut().zip(x.iter().zip(&step)) {
            *g = x + s;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn subtract(a: &mut [f64], share: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a -= share * b);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_ends_a_linear_iteration_after_its_dimension() {
        // x ← Ax + b with a spectrum near 1, which plain iteration would take thousands of passes for.
        let a = [[0.99, 0.004, 0.0], [0.002, 0.97, 0.01], [0.0, 0.02, 0.98]];
        let b = [1.0, -2.0, 0.5];
        let g = |x: &[f64]| -> Vec<f64> { (0..3).map(|i| dot(&a[i], x) + b[i]).collect() };
        let (mut mixing, mut x) = (Mixing::default(), vec![0.0; 3]);
        for _ in 0..5 {
            let mut next = g(&x);
            mixing.mix(&x, &mut next);
            x = next;
        }
        let off = g(&x).iter().zip(&x).map(|(g, x)| (g - x).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{off}");
    }

    #[test]
    fn bounds_of_both_sides_agree_at_the_limit() {
        let change =
            Change { at: 1, until: 2, share: 0.5, ratio: 3.0, apart: false, first: 0, last: 2 };
        assert_eq!(bounds(&change, (2.0, 6.0), 1.0).1, 4.0);
        assert_eq!(bounds(&change, (2.0, 6.0), 0.0).1, 4.0);
        assert_eq!(bounds(&change, (6.0, 2.0), -1.0).0, -4.0);
        assert_eq!(bounds(&change, (6.0, 2.0), 0.0).0, -4.0);
    }
}
