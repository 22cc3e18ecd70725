//! Seeded random numbers (SplitMix64): the same on every machine.

/// A stream of numbers that depends on its seed alone.
pub(in crate::builtin) struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub(in crate::builtin) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number between two others, all equally likely.
    pub(in crate::builtin) fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }
}
