//! Adjoint against tangent: one number, computed by two programs.

use super::DotProduct;
use super::elements::{collect_elements, dot, flat, set};
use super::random::Random;
use crate::mode::{Adjoint, Gradient, Named, Tangent};
use crate::point::Point;
use cfg_core::diagnostic::Diagnostics;
use cfg_exec::Value;

/// Adjoint and tangent of a routine at a point, in one direction.
pub(super) struct Products<'a> {
    pub(super) adjoint: &'a mut Adjoint,
    pub(super) tangent: &'a mut Tangent,
    pub(super) point: &'a Point,
    pub(super) direction: &'a [Value],
    /// The elements of the direction.
    pub(super) x_dot: &'a [f64],
    /// The derivatives of the dependents in the direction.
    pub(super) tangents: &'a Named,
    /// The elements of the derivatives of the dependents.
    pub(super) y_dot: &'a [f64],
    /// The scales of the derivatives of the dependents, if they are known.
    pub(super) scales: Option<&'a [f64]>,
    /// Absolute error of an operation.
    pub(super) tiny: f64,
    pub(super) tolerance: f64,
}

impl Products<'_> {
    /// Compares the two products for random seeds; returns the comparison and the last gradient.
    pub(super) fn compare(
        mut self,
        random: &mut Random,
        mut seed: Vec<Value>,
    ) -> Result<(DotProduct, Gradient), Diagnostics> {
        let mut gradient = self.adjoint.gradient(self.point, &seed)?;
        let mut found = self.products(&gradient, &seed);
        if found.agrees == Some(false) && self.scales.is_none() && found.gap.is_finite() {
            let rounding = self.rounding(random, &gradient, &seed)?;
            found.grant(rounding, self.tolerance);
        }
        let not_finite = self.y_dot.iter().filter(|d| !d.is_finite()).count();
        if not_finite > 0 && not_finite < self.y_dot.len() {
            // An infinity would hide all other elements.
            clear_seed(&mut seed, self.y_dot);
            gradient = self.adjoint.gradient(self.point, &seed)?;
            let rest = self.products(&gradient, &seed);
            // A disagreement takes precedence in the result.
            if found.agrees == Some(true) || rest.agrees == Some(false) {
                found = rest;
            }
        }
        found.not_finite = not_finite;
        Ok((found, gradient))
    }

    fn products(&self, gradient: &Gradient, seed: &[Value]) -> DotProduct {
        let (x_dot, y_dot) = (self.x_dot, self.y_dot);
        let y_bar = flat(seed);
        let x_bar = collect_elements(&gradient.gradient);
        let bound = self.scales.map(|s| dot(&y_bar, s, f64::abs));
        // A bound that has overflowed measures nothing.
        let scale = bound
            .filter(|s| s.is_finite())
            .unwrap_or_else(|| dot(&y_bar, y_dot, f64::abs) + dot(&x_bar, x_dot, f64::abs));
        let sizes = y_bar.iter().chain(x_dot).map(|x| x.abs());
        let underflow = sizes.sum::<f64>() * self.tiny;
        dot_product(
            dot(&x_bar, x_dot, |x| x),
            dot(&y_bar, y_dot, |x| x),
            scale,
            underflow,
            self.tolerance,
        )
    }

    /// The rounding of both programs: the difference between the sum of the results for parts and the result for the
    /// whole.
    fn rounding(
        &mut self,
        random: &mut Random,
        gradient: &Gradient,
        seed: &[Value],
    ) -> Result<f64, Diagnostics> {
        let y_bar = flat(seed);
        let parts = random.parts(seed);
        let [a, b] = parts.map(|part| self.adjoint.gradient(self.point, &part));
        let lacking = lack(&a?.gradient, &b?.gradient, &gradient.gradient, self.x_dot);
        let parts = random.parts(self.direction);
        let [a, b] = parts.map(|part| self.tangent.tangent(self.point, &part));
        Ok(lacking + lack(&a?.tangent, &b?.tangent, self.tangents, &y_bar))
    }
}

/// The factor up to which a difference is attributed to rounding, in units of the rounding that was measured once.
const MANY: f64 = 64.0;

impl DotProduct {
    /// Attributes a part of the difference to rounding, up to [`Self::MANY`] times the measured rounding.
    fn grant(&mut self, rounding: f64, tolerance: f64) {
        let difference = (self.adjoint - self.tangent).abs() - MANY * rounding;
        if difference.is_finite() {
            self.gap = self.gap.min(difference.max(0.0) / self.scale);
            self.agrees = Some(self.gap <= tolerance);
        }
    }
}

/// The comparison of the two numbers; a difference up to `underflow` is underflow.
fn dot_product(
    adjoint: f64,
    tangent: f64,
    scale: f64,
    underflow: f64,
    tolerance: f64,
) -> DotProduct {
    let difference = (adjoint - tangent).abs();
    // A difference of 0 is no gap, whatever the scale is.
    let gap = if difference == 0.0 || difference <= underflow {
        0.0
    } else {
        (difference - underflow) / scale
    };
    let same = adjoint == tangent || (adjoint.is_nan() && tangent.is_nan());
    DotProduct {
        adjoint,
        tangent,
        scale,
        gap,
        not_finite: 0,
        agrees: Some(gap <= tolerance || same),
    }
}

/// The weighted difference between the sum of two results for parts and the one for the whole.
fn lack(a: &Named, b: &Named, whole: &Named, weights: &[f64]) -> f64 {
    let (a, b, whole) = (
        collect_elements(a),
        collect_elements(b),
        collect_elements(whole),
    );
    let missing = a.iter().zip(&b).zip(&whole).map(|((a, b), w)| a + b - w);
    dot(&missing.collect::<Vec<_>>(), weights, f64::abs)
}

/// Sets the seed to zero for elements whose derivatives are not finite.
fn clear_seed(seed: &mut [Value], derivatives: &[f64]) {
    let mut derivatives = derivatives.iter();
    for value in seed {
        for i in 0..value.len() {
            if derivatives.next().is_some_and(|d| !d.is_finite()) {
                set(value, i, 0.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::dot_product;

    /// A difference is put down to rounding if it is up to 64 times the rounding that was measured.
    #[test]
    fn rounding_is_granted_up_to_a_factor() {
        let agrees = |adjoint: f64| {
            let mut found = dot_product(adjoint, 1.0, 1.0, 0.0, 0.0);
            found.grant(1.0, 0.0);
            found.agrees == Some(true)
        };
        assert_eq!([65.0, 65.0_f64.next_up()].map(agrees), [true, false]);
    }
}
