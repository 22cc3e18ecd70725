//! Conjugate directions for sweeps: what a sweep changes stands for a gradient.
//!
//! **Update** after a sweep that changed λ by Δλ: λ ← λ + βp, p ← βp + Δλ, where β is the ratio of
//! ΔλᵀDΔλ to that of the sweep before, D the diagonal of A; a ratio above 1 starts p anew. The
//! velocities of a multibody system go the same way, so that it costs no product.
//! **Reference**: Andrews22 alg. 10; Silcowitz, Niebe and Erleben 2010.

/// Memory of a direction: of λ, and of the velocities.
#[derive(Clone, Debug, Default)]
pub(super) struct Conjugate {
    before: [Vec<f64>; 2],
    direction: [Vec<f64>; 2],
    /// ΔλᵀDΔλ of the last sweep.
    last: f64,
}

impl Conjugate {
    /// Forgets what was before.
    pub fn start(&mut self, lambda: &[f64], velocity: &[f64]) {
        self.last = 0.0;
        for (p, length) in self.direction.iter_mut().zip([lambda.len(), velocity.len()]) {
            p.clear();
            p.resize(length, 0.0);
        }
    }

    /// Notes where a sweep begins.
    pub fn begin(&mut self, lambda: &[f64], velocity: &[f64]) {
        for (before, now) in self.before.iter_mut().zip([lambda, velocity]) {
            before.clear();
            before.extend_from_slice(now);
        }
    }

    /// Goes on after a sweep.
    pub fn go_on(&mut self, lambda: &mut [f64], velocity: &mut [f64], diagonal: &[f64]) {
        let changes = lambda.iter().zip(&self.before[0]).zip(diagonal);
        let square: f64 = changes.map(|((l, b), d)| d * (l - b) * (l - b)).sum();
        let is_shorter = self.last > 0.0 && square <= self.last;
        let beta = if is_shorter { square / self.last } else { 0.0 };
        self.last = square;
        for (x, (before, p)) in
            [lambda, velocity].into_iter().zip(self.before.iter().zip(&mut self.direction))
        {
            for ((x, before), p) in x.iter_mut().zip(before).zip(p) {
                let (step, change) = (beta * *p, *x - before);
                *x += step;
                *p = step + change;
            }
        }
    }
}
