//! One of the two bounds of all rows, as the interior point sees it.
//!
//! A row with a bound has a slack s, the distance of λ from that bound, and a
//! multiplier y; both stay positive, and s·y goes to zero. For a step dλ, slacks
//! change by ds = ±dλ and multipliers by dy = (target − Δ)/s − y(1 + ds/s), which is
//! the linearized s·y = target with the second-order term Δ = ds·dy of the
//! predictor.

/// One of the two bounds of all rows: slack s, multiplier y. Rows that have no
/// such bound have y = 0, and zeros in place of inverses.
#[derive(Default)]
pub(super) struct Side {
    /// Held apart from λ, because the difference of two nearly equal numbers may
    /// come out as zero.
    pub s: Vec<f64>,
    pub y: Vec<f64>,
    /// 1/s and 1/(s·y).
    inverse: Vec<f64>,
    inverse_product: Vec<f64>,
    /// Second-order terms of the predictor.
    delta: Vec<f64>,
}

impl Side {
    pub fn prepare(&mut self, m: usize) {
        for v in [&mut self.s, &mut self.y] {
            v.clear();
            v.reserve(m);
        }
        for v in [&mut self.inverse, &mut self.inverse_product, &mut self.delta] {
            v.resize(m, 0.0);
        }
    }

    /// A row; without multiplier it has no such bound.
    pub fn push(&mut self, s: f64, y: f64) {
        self.s.push(if y > 0.0 { s } else { 1.0 });
        self.y.push(y);
    }

    pub fn count(&self) -> usize {
        self.y.iter().filter(|y| **y > 0.0).count()
    }

    pub fn complementarity(&self) -> f64 {
        self.s.iter().zip(&self.y).map(|(s, y)| s * y).sum()
    }

    pub fn invert(&mut self) {
        for i in 0..self.s.len() {
            let has = self.y[i] > 0.0;
            self.inverse[i] = if has { 1.0 / self.s[i] } else { 0.0 };
            self.inverse_product[i] = if has { 1.0 / (self.s[i] * self.y[i]) } else { 0.0 };
            self.delta[i] = 0.0;
        }
    }

    /// θ += y/s.
    pub fn add_theta(&self, theta: &mut [f64]) {
        let sides = self.y.iter().zip(&self.inverse);
        theta.iter_mut().zip(sides).for_each(|(t, (y, inverse))| *t += y * inverse);
    }

    /// r ± (target − Δ)/s.
    pub fn add_rhs(&self, target: f64, sign: f64, rhs: &mut [f64]) {
        let sides = self.delta.iter().zip(&self.inverse);
        let each = rhs.iter_mut().zip(sides);
        each.for_each(|(r, (delta, inverse))| *r += sign * (target - delta) * inverse);
    }

    /// Largest of −ds/s and −dy/y, if λ goes by `step`. With q = ds/s:
    /// dy = (target − Δ)/s − y(1 + q).
    pub fn fastest(&self, step: &[f64], target: f64, sign: f64) -> f64 {
        let mut fastest = 0.0;
        for i in 0..step.len() {
            let q = sign * step[i] * self.inverse[i];
            let has = if self.inverse[i] > 0.0 { 1.0 } else { 0.0 };
            let dy = has + q - (target - self.delta[i]) * self.inverse_product[i];
            let larger = if dy > -q { dy } else { -q };
            fastest = if larger > fastest { larger } else { fastest };
        }
        fastest
    }

    /// Complementarity after so much of the predictor, whose second-order terms
    /// are noted.
    pub fn predict(&mut self, step: &[f64], alpha: f64, sign: f64) -> f64 {
        let mut sum = 0.0;
        for i in 0..step.len() {
            let q = sign * step[i] * self.inverse[i];
            let product = self.s[i] * self.y[i];
            sum += product * (1.0 + alpha * q) * (1.0 - alpha * (1.0 + q));
            self.delta[i] = -product * q * (1.0 + q);
        }
        sum
    }

    /// Goes so far.
    pub fn go(&mut self, step: &[f64], target: f64, alpha: f64, sign: f64) {
        for i in 0..step.len() {
            let ds = sign * step[i];
            let (s, y) = (self.inverse[i], self.y[i]);
            let dy = (target - self.delta[i]) * s - y * (1.0 + ds * s);
            self.y[i] += alpha * dy;
            self.s[i] += if s > 0.0 { alpha * ds } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows with a bound, one without.
    fn side() -> Side {
        let mut side = Side::default();
        side.prepare(3);
        [(2.0, 0.5), (0.1, 3.0), (7.0, 0.0)].into_iter().for_each(|(s, y)| side.push(s, y));
        side.invert();
        side
    }

    #[test]
    fn rows_without_a_bound_take_no_part() {
        let side = side();
        assert_eq!(side.count(), 2);
        assert!((side.complementarity() - 1.3).abs() < 1e-15);
        let (mut theta, mut rhs) = (vec![1.0; 3], vec![0.0; 3]);
        side.add_theta(&mut theta);
        assert_eq!((theta[0], theta[2]), (1.25, 1.0));
        side.add_rhs(0.2, -1.0, &mut rhs);
        assert!((rhs[0] + 0.1).abs() < 1e-15 && rhs[2] == 0.0);
    }

    /// The longest step ends at a bound, of λ or of a multiplier.
    #[test]
    fn the_longest_step_keeps_both_positive() {
        let step = [-1.0, 0.05, 3.0];
        let mut side = side();
        let longest = 1.0 / side.fastest(&step, 0.0, 1.0);
        let (s, y) = (side.s.clone(), side.y.clone());
        side.go(&step, 0.0, longest, 1.0);
        assert!(side.s.iter().chain(&side.y).all(|x| *x >= -1e-15));
        let least = (0..2).map(|i| (side.s[i] / s[i]).min(side.y[i] / y[i]));
        assert!(least.fold(1.0, f64::min).abs() < 1e-12, "something touches");
        assert_eq!((side.s[2], side.y[2]), (1.0, 0.0), "no bound, no change");
    }

    /// What the predictor foretells is what a step to it does.
    #[test]
    fn the_prediction_holds() {
        let step = [-0.3, 0.02, 1.0];
        let mut side = side();
        let mut gone = self::side();
        let foretold = side.predict(&step, 0.7, 1.0);
        gone.go(&step, 0.0, 0.7, 1.0);
        assert!((foretold - gone.complementarity()).abs() < 1e-14);
        // Δ is ds·dy of the full predictor.
        let dy = -0.5 * (1.0 - 0.3 / 2.0);
        assert!((side.delta[0] - -0.3 * dy).abs() < 1e-15);
    }
}
