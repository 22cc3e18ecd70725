//! Segments of a cable that stretches: what lies between stations at which it rubs.
//!
//! Each segment has its own rest length, and so its own tension: where a cable sticks to a sheave, the two sides stretch
//! on their own. A segment ends at a mark on the pulley, in the middle of the wrap. Its length g is that of its
//! spans, of the arcs within, and of half an arc at each end.
//!
//! - *Where the cable sticks*, marks turn with their pulleys during the step, so every segment keeps its rest length L.
//!   After the step marks go back to the middle of the wrap, and the cable that passes them keeps its strain. With
//!   strains ε and ε′ on the two sides that loses ½EA(ε − ε′)² per length, and never gains.
//! - *Where it slips*, the segments share their rest lengths so that strains are as tensions, which friction limits.
//!
//! Rest lengths are stored by span, in proportion to the lengths within a segment, because segments may change: the
//! cable lifts off a station, or touches it again.

use super::path::Way;
use super::{Cable, is_at_limit};
use crate::lcp::RowState;
use crate::math::Vec3;
use crate::scene::joint::nearest_turn;

// What half and twice of these change: docs/decisions/step-constants.md.

/// Least rest length of a segment, as a share of what it would be with the strain of all.
const LEAST: f64 = 1e-6;
/// Newton's iterations on the strain that segments share.
const ITERATIONS: usize = 20;
/// Halvings of how far they come nearer to one another where energy asks for it.
const HALVINGS: usize = 20;

/// Length of what belongs to each span: itself, and its parts of the arcs at its ends.
pub(crate) fn pieces(cable: &Cable, way: &Way, out: &mut Vec<f64>) {
    out.clear();
    out.extend(way.spans.iter().map(|s| s.length));
    for k in (0..way.nodes.len()).filter(|&k| way.touches[k]) {
        let before = way.last_before(k);
        let half = match way.nodes[k].circle {
            Some(circle) if cable.is_end(k) => {
                let arc = circle.wound(way.wraps[k].max(0.0));
                if let Some(i) = if k == 0 { Some(0) } else { before } {
                    out[i] += arc;
                }
                continue;
            }
            Some(circle) => 0.5 * circle.radius * way.wraps[k],
            None if way.nodes[k].solid => 0.5 * way.nodes[k].arc,
            None => continue,
        };
        out[k] += half;
        if let Some(i) = before {
            out[i] += half;
        }
    }
}

/// Σ T g: the tension of each span times what belongs to it.
pub(crate) fn pull_of(cable: &Cable, way: &Way, tensions: &[f64]) -> f64 {
    let mut long = Vec::new();
    pieces(cable, way, &mut long);
    long.iter().zip(tensions).map(|(g, t)| g * t).sum()
}

/// The segment of each span, and how many there are. `divides` says whether a station does, if it rubs.
pub(crate) fn segments(
    cable: &Cable,
    divides: impl Fn(usize) -> bool,
    out: &mut Vec<usize>,
) -> usize {
    out.clear();
    let rubs = |k: usize| !cable.is_end(k) && cable.stations[k].friction > 0.0 && divides(k);
    let mut count = usize::from(!cable.closed);
    for i in 0..cable.spans() {
        count += usize::from(rubs(i));
        out.push(count.saturating_sub(usize::from(!cable.closed)));
    }
    let count = count.max(1);
    out.iter_mut().for_each(|j| *j %= count);
    count
}

/// Sums of a figure of spans by segment.
pub(crate) fn sums(of: &[usize], count: usize, spans: &[f64], out: &mut Vec<f64>) {
    out.clear();
    out.resize(count, 0.0);
    for (&j, x) in of.iter().zip(spans) {
        out[j] += x;
    }
}

/// Where the cable comes to a solid and where it leaves it, with its directions there, as the body sees them; `None` where it does not touch one.
pub(crate) type Mark = Option<[[Vec3; 2]; 2]>;

/// How far the mark of a station moves along the cable in a step \[m\], if the cable touches it before and after; `turned` is how
/// far its pulley turns, for what the angles do not tell.
fn shift(k: usize, start: Start, end: &Way, turned: f64) -> f64 {
    if let (Some(from), Some(to)) = (start.2.get(k).copied().flatten(), end.mark(k)) {
        // The chord of an arc has the mean direction of its ends.
        let along = |side: usize| {
            let ([p, u], [q, v]) = (from[side], to[side]);
            (q - p).dot((u + v).normalize_or_zero())
        };
        return 0.5 * (along(0) + along(1));
    }
    let Some(circle) = end.nodes[k].circle.filter(|_| start.1[k] && end.touches[k]) else {
        return 0.0;
    };
    let by = |side: usize| nearest_turn(end.angles[k][side] - start.0[k][side], -turned);
    0.5 * circle.radius * (by(0) + by(1))
}

/// Angles, touches and marks of a way.
type Start<'a> = (&'a [[f64; 2]], &'a [bool], &'a [Mark]);

/// A cable that stretches on its way through a step.
pub(crate) struct Passing<'a> {
    pub(crate) cable: &'a Cable,
    /// As it was at the start.
    pub(crate) start: Start<'a>,
    pub(crate) end: &'a Way,
    /// How far the pulley of each station turns about its axis in the step \[rad\].
    pub(crate) turned: &'a [f64],
    /// Elastic energy at the start, less the tension of each span times its piece of the cable there \[J\]: with what that product
    /// is at the end, what the springs may hold then, by the work of the bodies.
    pub(crate) before: f64,
}

impl Passing<'_> {
    /// The segment of each span as of both ends of the step.
    pub(crate) fn segments(&self, out: &mut Vec<usize>) -> usize {
        segments(self.cable, |k| self.start.1[k] && self.end.touches[k], out)
    }

    /// What belongs to each span at the end, by the marks of the start.
    pub(crate) fn pieces(&self, out: &mut Vec<f64>) {
        self.pieces_marked(|_| true, out);
    }

    /// The same where only some marks have turned with their pulleys: those that the cable slips past mean nothing.
    fn pieces_marked(&self, turns: impl Fn(usize) -> bool, out: &mut Vec<f64>) {
        pieces(self.cable, self.end, out);
        self.for_each_shift(turns, |x, before, behind| {
            out[before] -= x;
            out[behind] += x;
        });
    }

    fn for_each_shift(&self, turns: impl Fn(usize) -> bool, mut f: impl FnMut(f64, usize, usize)) {
        for k in self.cable.rubbing().filter(|&k| turns(k)) {
            let x = shift(k, self.start, self.end, self.turned[k]);
            if let Some(before) = self.end.last_before(k).filter(|_| x != 0.0) {
                f(x, before, k);
            }
        }
    }

    /// Rest lengths of the spans after the step, in place of those before it, by the tensions of the spans and the states of the
    /// rows of their changes. A winch paid into the first segment, and pays what was pulled from it beyond `most`.
    pub(crate) fn rests(
        &self,
        rests: &mut [f64],
        tensions: &[f64],
        set: impl Fn(usize) -> RowState,
        (paid, most): (f64, f64),
    ) {
        let (mut of, mut g, mut rest, mut long) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let count = self.segments(&mut of);
        let slips = self.slipping(&of, count, set);
        let sticks = |k: usize| !slips[of[k]];
        let ea = self.cable.stiffness;
        sums(&of, count, rests, &mut rest);
        rest[0] += paid;
        self.pieces_marked(sticks, &mut long);
        sums(&of, count, &long, &mut g);
        let mut tension = vec![0.0_f64; count];
        for (&j, t) in of.iter().zip(tensions) {
            tension[j] = t.max(tension[j]);
        }
        let whole: f64 = g.iter().sum();
        let least = LEAST * rest.iter().sum::<f64>() / count as f64;
        // Bodies work against marks that turn with them, also where the cable slips: what turns under it drives it.
        let mut turned = Vec::new();
        self.pieces(&mut turned);
        let work = turned.iter().zip(tensions).map(|(g, t)| g * t).sum::<f64>();
        let most_energy = self.before + work - tension[0] * paid;
        self.slip(&slips, (&g, &tension), most_energy, &mut rest);
        if is_at_limit(tension[0], most) {
            rest[0] = rest[0].max(g[0] / (1.0 + tension[0] / ea));
        }
        // All that passes has the strain of the segment it comes from, as that was before anything passed. (With rest lengths that the
        // mark before had changed already, a belt without load crept by all of its strain.)
        let strains: Vec<f64> =
            g.iter().zip(&rest).map(|(g, rest)| (g / rest - 1.0).max(0.0)).collect();
        self.for_each_shift(sticks, |x, before, behind| {
            let (a, b) = (of[before], of[behind]);
            if a != b {
                let passes = x / (1.0 + strains[if x > 0.0 { b } else { a }]);
                rest[a] += passes;
                rest[b] -= passes;
            }
        });
        raise_to(least, &mut rest);
        if whole > 0.0 {
            self.divide(&of, &rest, rests);
        }
    }

    /// Which segments slip along the one before them; those of a belt through its last station, too.
    fn slipping(&self, of: &[usize], count: usize, set: impl Fn(usize) -> RowState) -> Vec<bool> {
        let mut slips = vec![false; count];
        let rows = self.cable.rows() - 1;
        let mut any = false;
        for (j, k) in self.cable.rubbing().enumerate() {
            let grips = |k: usize| self.cable.stations[k].friction == f64::INFINITY;
            let never = if self.cable.closed { self.cable.rubbing().all(grips) } else { grips(k) };
            let slip = !never && if j < rows { set(1 + j) != RowState::Free } else { any };
            any |= slip;
            let divides = self.start.1[k] && self.end.touches[k];
            if slip && divides {
                slips[of[k]] = true;
            }
        }
        slips
    }

    /// Lets segments that slip along one another, of lengths g, share their rest lengths. Slip gives energy away: where more would be
    /// left than bodies and springs had for it, strains come nearer to one another than tensions are, as far as needed.
    fn slip(&self, slips: &[bool], (g, tension): (&[f64], &[f64]), most: f64, rest: &mut Vec<f64>) {
        if !slips.contains(&true) {
            return;
        }
        let (ea, unmoved) = (self.cable.stiffness, rest.clone());
        let most = most.max(0.0) * (1.0 + 1e-12);
        let mut fits = |even: f64| {
            rest.clone_from(&unmoved);
            share_all(slips, g, tension, (ea, even), rest);
            elastic(ea, rest, g) <= most
        };
        if fits(0.0) || !fits(1.0) {
            return;
        }
        let (mut lo, mut hi) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let mid = 0.5 * (lo + hi);
            if fits(mid) {
                hi = mid;
            } else {
                lo = mid;
            }
        }
        let _ = fits(hi);
    }

    /// Divides the rest length of each segment among its spans, as their lengths are at the end.
    fn divide(&self, of: &[usize], rest: &[f64], rests: &mut [f64]) {
        let (mut long, mut g) = (Vec::new(), Vec::new());
        pieces(self.cable, self.end, &mut long);
        sums(of, rest.len(), &long, &mut g);
        for (i, &j) in of.iter().enumerate() {
            let share = if g[j] > 0.0 { long[i] / g[j] } else { 0.0 };
            rests[i] = rest[j] * share;
        }
    }
}

/// Raises rest lengths to the least one, at the cost of all: their sum stays.
fn raise_to(least: f64, rest: &mut [f64]) {
    let now: f64 = rest.iter().sum();
    rest.iter_mut().for_each(|l| *l = l.max(least));
    let kept: f64 = rest.iter().sum();
    rest.iter_mut().for_each(|l| *l *= now / kept);
}

/// Lets each run of segments that slip along one another share its rest length; `even` of 1 makes their strains the same, 0 as
/// their tensions.
fn share_all(slips: &[bool], g: &[f64], tension: &[f64], (ea, even): (f64, f64), rest: &mut [f64]) {
    // Segment j and the one before it are one where slips[j].
    let count = slips.len();
    let first = (0..count).find(|&j| !slips[j]).unwrap_or(0);
    let mut pulls = tension.to_vec();
    let mut j = 0;
    while j < count {
        let mut run = vec![(first + j) % count];
        j += 1;
        while j < count && slips[(first + j) % count] {
            run.push((first + j) % count);
            j += 1;
        }
        if run.len() > 1 {
            let mean = run.iter().map(|&j| tension[j]).sum::<f64>() / run.len() as f64;
            run.iter().for_each(|&j| pulls[j] += even * (mean - pulls[j]));
            share(&run, g, &pulls, ea, rest);
        }
    }
}

/// Shares the rest length of segments that slip along one another, so that their strains are as their tensions.
fn share(run: &[usize], g: &[f64], tension: &[f64], ea: f64, rest: &mut [f64]) {
    let of = |list: &[f64]| run.iter().map(|&j| list[j]).sum::<f64>();
    let (length, way) = (of(rest), of(g));
    if !(way > 0.0 && length > 0.0) {
        return;
    }
    let most = run.iter().map(|&j| tension[j]).fold(0.0, f64::max);
    if most <= 0.0 || way <= length {
        run.iter().for_each(|&j| rest[j] = g[j].max(LEAST * way) * length / way);
        return;
    }
    // Σ g/(1 + cT/EA) = length
    let mut c = 1.0;
    for _ in 0..ITERATIONS {
        let (mut sum, mut slope) = (-length, 0.0);
        for &j in run {
            let x = 1.0 + c * tension[j] / ea;
            sum += g[j] / x;
            slope -= g[j] * tension[j] / (ea * x * x);
        }
        let step = sum / slope;
        if !step.is_finite() {
            break;
        }
        c = (c - step).max(0.0);
        if step.abs() <= 1e-15 * c {
            break;
        }
    }
    run.iter().for_each(|&j| rest[j] = g[j] / (1.0 + c * tension[j] / ea));
    let scale = length / of(rest);
    run.iter().for_each(|&j| rest[j] *= scale);
}

/// ½kφ² of segments with these rest lengths and ways.
pub(crate) fn elastic(ea: f64, rests: &[f64], long: &[f64]) -> f64 {
    let of = |(&rest, &g): (&f64, &f64)| {
        let stretch = (g - rest).max(0.0);
        if rest > 0.0 { 0.5 * ea / rest * stretch * stretch } else { 0.0 }
    };
    rests.iter().zip(long).map(of).sum()
}

/// Mean force of a spring that only pulls, with the elongations s before and s⁺ after a step, and its slope in s⁺: what it
/// stores is the work of that force exactly, also where it becomes taut or slack on the way (a discrete gradient).
/// `u` blends in the force at the end, for what rings faster than the step resolves.
pub(crate) fn pull(k: f64, s: f64, after: f64, u: f64) -> (f64, f64) {
    let (force, slope) = match (s > 0.0, after > 0.0) {
        (true, true) => (0.5 * k * (s + after), 0.5 * k),
        (true, false) => {
            let f = 0.5 * k * s * s / (s - after);
            (f, f / (s - after))
        }
        (false, true) => {
            let r = after / (after - s);
            (0.5 * k * after * r, k * r * (1.0 - 0.5 * r))
        }
        (false, false) => (0.0, 0.0),
    };
    let (end, steep) = if after > 0.0 { (k * after, k) } else { (0.0, 0.0) };
    ((1.0 - u) * force + u * end, (1.0 - u) * slope + u * steep)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spring_that_only_pulls_does_the_work_of_its_energy() {
        let energy = |s: f64| 0.5 * 300.0 * s.max(0.0).powi(2);
        for s in [-0.2, -0.01, 0.0, 0.03, 0.5] {
            for after in [-0.4, -0.02, 0.001, 0.2] {
                let (force, slope) = pull(300.0, s, after, 0.0);
                let stored = energy(after) - energy(s);
                assert!((force * (after - s) - stored).abs() < 1e-12, "{s} {after}");
                let e = 1e-7;
                let numeric = (pull(300.0, s, after + e, 0.0).0 - pull(300.0, s, after - e, 0.0).0)
                    / (2.0 * e);
                assert!((slope - numeric).abs() < 1e-4, "{s} {after}: {slope} {numeric}");
            }
        }
    }

    #[test]
    fn segments_that_slip_share_by_their_tensions() {
        let mut rest = vec![4.0, 6.0];
        share(&[0, 1], &[5.0, 5.5], &[100.0, 50.0], 1e3, &mut rest);
        assert!((rest[0] + rest[1] - 10.0).abs() < 1e-12);
        let strain = |j: usize, g: f64| g / rest[j] - 1.0;
        assert!((strain(0, 5.0) / strain(1, 5.5) - 2.0).abs() < 1e-9);
    }
}
