//! The measure of "right": the dot product of adjoint and tangent, and the tangent against divided
//! differences.

use cfg_core::entity::VarId;
use cfg_testkit::{
    case::Case,
    differences::{self, Compared},
};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Derivatives by variable, elements in storage order.
pub(crate) type Derivatives = [(VarId, Vec<f64>)];

fn dot(a: &Derivatives, b: &Derivatives) -> f64 {
    let matching = a.iter().flat_map(|(v, x)| {
        let y = b.iter().find(|(w, _)| w == v).map(|(_, y)| y);
        x.iter().zip(y.into_iter().flatten())
    });
    matching.map(|(x, y)| x * y).sum()
}

/// ȳ·ẏ = x̄·ẋ to `tolerance` of the same product with absolute values everywhere.
pub(crate) fn dot_product(
    case: &Case,
    tangents: &Derivatives,
    adjoints: &Derivatives,
    tolerance: f64,
) -> Result<(), String> {
    let [left, right] = [dot(&case.seed, tangents), dot(adjoints, &case.direction)];
    let scales = differences::scales(case).map_err(|f| format!("the oracle fails: {f:?}"))?;
    let seeds = case.seed.iter().flat_map(|(_, s)| s);
    let scale: f64 = seeds.zip(&scales).map(|(s, a)| s.abs() * a).sum();
    // The oracle's partials may have rounded to 0 where the program's did not; the product itself is a
    // lower bound of its scale. Below the normal numbers there are fewer digits.
    let scale = scale.max(left.abs()).max(f64::MIN_POSITIVE);
    if (left - right).abs() <= tolerance * scale {
        return Ok(());
    }
    Err(format!(
        "tangent program: {left:?}, adjoint: {right:?}, scale {scale:?}"
    ))
}

/// Points of a test at which differences say nothing.
#[derive(Default)]
pub(crate) struct Kinks {
    seen: AtomicUsize,
    kinks: AtomicUsize,
}

impl Kinks {
    /// The tangents against differences, to 1e-6.
    pub(crate) fn differences(&self, case: &Case, tangents: &Derivatives) -> Result<(), String> {
        self.seen.fetch_add(1, Ordering::Relaxed);
        match differences::compare(case, tangents) {
            Ok(Compared::Error(e)) if e <= 1e-6 => Ok(()),
            Ok(Compared::Error(e)) => Err(format!("differences are off by {e:e}")),
            Ok(Compared::Kink) => {
                self.kinks.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Err(fault) => Err(format!("the program itself fails: {fault:?}")),
        }
    }

    /// At most one point in fifty.
    pub(crate) fn assert_rare(self) {
        let [seen, kinks] = [self.seen, self.kinks].map(AtomicUsize::into_inner);
        println!("{kinks} of {seen} points have a kink nearby");
        assert!(
            seen > 0 && kinks * 50 <= seen,
            "{kinks} of {seen} points have a kink nearby"
        );
    }
}
