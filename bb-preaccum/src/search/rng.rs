//! Pseudo-random numbers and acceptance thresholds, bit for bit the same on every machine.

use cfg_core::random::SplitMix64;

/// xoshiro256++ (Blackman and Vigna 2019), seeded by SplitMix64.
#[derive(Clone, Debug)]
pub(crate) struct Rng {
    state: [u64; 4],
}

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        let mut stream = SplitMix64::new(seed);
        let state = [(); 4].map(|()| stream.bits());
        Self { state }
    }

    pub(crate) fn next(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `bound` (which is small, so that the bias does not matter).
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

/// Exponentially distributed thresholds for annealing: a change by `d` is accepted at temperature `t` if `d <= t *
/// threshold`. The table is computed with basic IEEE operations only, so that runs are the same on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Thresholds {
    table: Vec<f64>,
    /// The negative logarithms of the thresholds (Gumbel noise): choosing the least `d - t * noise` is a heat bath.
    noise: Vec<f64>,
}

const TABLE: usize = 1024;

impl Thresholds {
    pub(crate) fn new() -> Self {
        let table: Vec<f64> = (0..TABLE)
            .map(|i| minus_ln((i as f64 + 0.5) / TABLE as f64))
            .collect();
        let noise = table.iter().map(|&x| minus_ln(x)).collect();
        Self { table, noise }
    }

    /// Noise for the choice among several changes.
    pub(crate) fn noise(&self, rng: &mut Rng) -> f64 {
        self.noise[rng.below(TABLE)]
    }

    pub(crate) fn accept(&self, change: f64, temperature: f64, rng: &mut Rng) -> bool {
        change <= 0.0 || change <= temperature * self.table[rng.below(TABLE)]
    }
}

/// -ln(u) for u > 0: nearer to 1 by exact doublings and halvings, then the artanh series.
fn minus_ln(mut u: f64) -> f64 {
    const LN_2: f64 = std::f64::consts::LN_2;
    let mut result = 0.0;
    while u > 1.5 {
        u /= 2.0;
        result -= LN_2;
    }
    while u < 0.75 {
        u *= 2.0;
        result += LN_2;
    }
    let z = (u - 1.0) / (u + 1.0);
    let (mut power, mut sum) = (z, 0.0);
    for k in 0..12 {
        sum += power / f64::from(2 * k + 1);
        power *= z * z;
    }
    result - 2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_is_right() {
        for u in [0.0005, 0.1, 0.3, 0.5, 0.74, 0.76, 0.999, 1.4, 1.6, 7.6] {
            assert!((minus_ln(u) + f64::ln(u)).abs() < 1e-12, "{u}");
        }
    }

    #[test]
    fn generator_is_the_published_one() {
        // First output of xoshiro256++ from the state 1, 2, 3, 4.
        let mut rng = Rng {
            state: [1, 2, 3, 4],
        };
        assert_eq!(rng.next(), 41_943_041);
        assert_eq!(rng.next(), 58_720_359);
    }
}
