//! The pseudo-random numbers of the generators. The same seed gives the same numbers on every machine.

use cfg_core::random::SplitMix64;

/// A stream of pseudo-random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    stream: SplitMix64,
}

impl Rng {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        let stream = SplitMix64::new(seed);
        Self { stream }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.stream.bits()
    }

    /// A number in `0 .. n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        // Multiply-shift (Lemire 2019) without the rejection step: the bias is below n/2^64.
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A number in `low ..= high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    /// A real in `low .. high`.
    pub fn real(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        low + unit * (high - low)
    }

    /// A multiple of 1/1024 from -1.5 to 1.5: few digits, and no rounding where some are added.
    pub fn coarse(&mut self) -> f64 {
        (self.real(-1.5, 1.5) * 1024.0).round() / 1024.0
    }

    /// True `percent` times in a hundred.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// A position in `weights`, with probability proportional to the weight.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut at = self.below(weights.iter().sum());
        for (i, &w) in weights.iter().enumerate() {
            if at < w {
                return i;
            }
            at -= w;
        }
        0
    }

    /// Puts the items into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn ranges_are_met_and_kept() {
        let mut rng = Rng::new(1);
        let mut seen = [0usize; 5];
        for _ in 0..1000 {
            seen[(rng.between(-2, 2) + 2) as usize] += 1;
            let x = rng.real(-1.0, 2.0);
            assert!((-1.0..2.0).contains(&x));
            assert_eq!(rng.weighted(&[0, 3, 0]), 1);
        }
        assert!(seen.iter().all(|&n| n > 120), "{seen:?}");
    }
}
