//! A small generator of random numbers: splitmix64 (Steele, Lea, Flood 2014).

/// Seeded random numbers, the same on every machine.
///
/// ```
/// use taut_lcp::generate::Rng;
/// let mut a = Rng::new(7);
/// let mut b = Rng::new(7);
/// assert_eq!(a.uniform(), b.uniform());
/// assert!((0.0..1.0).contains(&a.uniform()));
/// ```
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for this seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform in [lo, hi).
    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.uniform()
    }

    /// Uniform in 0..n; 0 if n = 0.
    pub fn index(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    /// `true` with probability p.
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Nearly normal, mean 0, variance 1: a sum of twelve uniforms, which
    /// unlike Box-Muller needs no function of the C library.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// A random direction in space.
    pub fn direction(&mut self) -> [f64; 3] {
        loop {
            let d = [self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0)];
            let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
            if length > 0.1 && length < 1.0 {
                return d.map(|x| x / length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_and_ranges() {
        let mut rng = Rng::new(1);
        let x: Vec<f64> = (0..10_000).map(|_| rng.normal()).collect();
        let mean = x.iter().sum::<f64>() / 1e4;
        let variance = x.iter().map(|x| x * x).sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.05);
        let mut seen = [false; 5];
        (0..100).for_each(|_| seen[rng.index(5)] = true);
        assert_eq!(seen, [true; 5]);
        assert_eq!(rng.index(0), 0);
    }

    /// The published first outputs of splitmix64 for seed 1234567.
    #[test]
    fn reference_sequence() {
        let mut rng = Rng::new(1_234_567);
        assert_eq!(rng.bits(), 6_457_827_717_110_365_317);
        assert_eq!(rng.bits(), 3_203_168_211_198_807_973);
    }
}
