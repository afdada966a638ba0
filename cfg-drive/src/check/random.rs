//! Random directions and seeds, the same on every machine.

use super::elements::{normal, set};
use crate::mode::Named;
use crate::slot::Slot;
use cfg_core::flat::FlatType;
use cfg_core::random::SplitMix64;
use cfg_exec::Value;

/// The numbers of a check.
pub(super) struct Random(SplitMix64);

impl Random {
    pub(super) fn new() -> Self {
        Self(SplitMix64::new(0x9e37_79b9_7f4a_7c15))
    }

    /// A number between 1/2 and 1 in size, of either sign; a multiple of 1/64, so that it is exact in 32 bits.
    fn number(&mut self) -> f64 {
        let bits = self.0.bits();
        let size = 0.5 + f64::from((bits % 33) as u8) / 64.0;
        if bits >> 63 == 0 { size } else { -size }
    }

    /// Splits each element into two parts with this sum, the larger one first.
    pub(super) fn parts(&mut self, whole: &[Value]) -> [Vec<Value>; 2] {
        let (mut first, mut second) = (whole.to_vec(), whole.to_vec());
        for (k, value) in whole.iter().enumerate() {
            for i in 0..value.len() {
                let x = value.get_f64(i).unwrap_or(0.0);
                let part = x * self.number().abs();
                set(&mut first[k], i, part);
                set(&mut second[k], i, x - part);
            }
        }
        [first, second]
    }

    /// A direction in proportion to the independents, so that one relative step suits all of them.
    pub(super) fn direction(&mut self, independents: &[(Slot, Value)]) -> Vec<Value> {
        let mut direction = Vec::with_capacity(independents.len());
        for (_, value) in independents {
            let mut d = value.clone();
            for i in 0..value.len() {
                let x = value.get_f64(i).unwrap_or(0.0).abs();
                let size = if normal(value, x) { x } else { 1.0 };
                set(&mut d, i, self.number() * size);
            }
            direction.push(d);
        }
        direction
    }

    /// A seed in inverse proportion to the scales of the dependents.
    pub(super) fn seed(&mut self, dependents: &Named, scales: &[f64]) -> Vec<Value> {
        let mut scales = scales.iter();
        let mut seed = Vec::with_capacity(dependents.len());
        for (_, value) in dependents {
            let mut s = value.clone();
            for i in 0..value.len() {
                let scale = scales.next().map_or(1.0, |s| s.abs());
                // The seed stays far from overflow, so that products with partials do not overflow, either.
                let most = match FlatType::view(value.ty()) {
                    FlatType::Real32 => f64::from(f32::MAX).sqrt(),
                    FlatType::Real
                    | FlatType::Integer
                    | FlatType::Sized(_)
                    | FlatType::Logical
                    | FlatType::Tape => f64::MAX.sqrt(),
                };
                let size = if scale > 0.0 && scale.is_finite() {
                    (1.0 / scale).clamp(1.0 / most, most)
                } else {
                    1.0
                };
                set(&mut s, i, self.number() * size);
            }
            seed.push(s);
        }
        seed
    }
}
