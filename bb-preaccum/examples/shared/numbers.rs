//! Pseudo-random numbers, the same on every machine.

/// A linear congruential generator (Knuth, MMIX) by its state.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// The next number below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1);
        (self.0 >> 33) % bound
    }
}
