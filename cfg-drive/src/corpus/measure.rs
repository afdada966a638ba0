//! The distance of two Jacobians.

use super::point::point;
use crate::{Options, Primal, Tangent, absolute::absolute};
use cfg_core::{
    diagnostic::Diagnostics,
    elemental::Scalar,
    entity::RoutineId,
    flat::{Flat, FlatType},
};
use cfg_exec::Value;

/// Largest difference over the largest entry of the reference (of the first, if the reference is 0).
/// Entries without reference do not count; entries that only the reference has are compared with 0.
pub(super) fn error(entries: &[f64], width: usize, reference: &[Vec<Option<f64>>]) -> f64 {
    let mut largest = 0.0f64;
    let mut gap = 0.0f64;
    let mut size = 0.0f64;
    for (i, row) in reference.iter().enumerate() {
        for (j, r) in row.iter().enumerate() {
            let Some(r) = r else { continue };
            let inside = entries.get(i * width + j).filter(|_| j < width);
            let x = inside.copied().unwrap_or(0.0);
            largest = largest.max(r.abs());
            size = size.max(x.abs());
            gap = worse(gap, (x - r).abs());
        }
    }
    relative(gap, if largest > 0.0 { largest } else { size })
}

/// Largest difference and largest entry. The same infinity on both sides is no difference, nor is a NaN.
pub(super) fn distance(a: &[f64], b: &[f64]) -> (f64, f64) {
    let mut gap = 0.0f64;
    let mut size = 0.0f64;
    for (x, y) in a.iter().zip(b) {
        if x == y || x.is_nan() && y.is_nan() {
            if x.is_finite() {
                size = size.max(x.abs());
            }
            continue;
        }
        size = size.max(x.abs()).max(y.abs());
        gap = worse(gap, (x - y).abs());
    }
    (gap, size)
}

/// The larger one; a NaN is the largest.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// A difference in proportion to a size.
pub(super) fn relative(gap: f64, size: f64) -> f64 {
    if gap == 0.0 { 0.0 } else { gap / size }
}

/// The largest row sum of the product of the absolute values of all local Jacobians; 0 if it is not known.
pub(super) fn absolute_size(
    program: &Flat,
    main: RoutineId,
    options: &Options,
) -> Result<f64, Diagnostics> {
    let generated = cfg_reverse::tangent_with(program, main, (&options.reversal).into())?;
    let Some(bounds) = absolute(&generated) else {
        return Ok(0.0);
    };
    let bounds = cfg_reverse::Tangent {
        program: bounds,
        ..generated
    };
    let mut bounds = Tangent::compile(bounds, options)?;
    let mut primal = Primal::new(program, main, options)?;
    let point = point(&primal, program, main)?;
    let (independents, _held) = primal.independents_at(&point)?;
    let ones: Vec<Value> = independents
        .iter()
        .map(|(_, v)| {
            let mut ones = v.clone();
            ones.fill(match FlatType::view(v.ty()) {
                FlatType::Real32 => Scalar::Real32(1.0),
                FlatType::Real
                | FlatType::Integer
                | FlatType::Sized(_)
                | FlatType::Logical
                | FlatType::Tape => Scalar::Real(1.0),
            });
            ones
        })
        .collect();
    let found = bounds.tangent(&point, &ones)?.tangent;
    let elements = found
        .iter()
        .flat_map(|(_, v)| (0..v.len()).filter_map(|i| v.get_f64(i)));
    Ok(elements.fold(0.0, |a, x| if x.is_finite() { f64::max(a, x) } else { a }))
}
