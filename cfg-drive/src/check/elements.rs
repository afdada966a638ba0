//! The elements of values as one list of numbers, and back.

use crate::mode::Named;
use cfg_core::elemental::Scalar;
use cfg_core::flat::FlatType;
use cfg_exec::Value;

/// The sum of the products of two lists, with `of` applied to each product.
pub(super) fn dot(a: &[f64], b: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    // Zero times infinity contributes nothing, as in strong products.
    let products = a.iter().zip(b).filter(|(x, _)| **x != 0.0);
    products.map(|(x, y)| of(x * y)).sum()
}

/// The elements of values by name.
pub(super) fn collect_elements(values: &Named) -> Vec<f64> {
    values.iter().flat_map(|(_, v)| all(v)).collect()
}

/// The elements of values.
pub(super) fn flat(values: &[Value]) -> Vec<f64> {
    values.iter().flat_map(all).collect()
}

fn all(value: &Value) -> impl Iterator<Item = f64> + '_ {
    (0..value.len()).map(|i| value.get_f64(i).unwrap_or(f64::NAN))
}

/// A value with `of` applied to each element.
pub(super) fn map(value: &Value, of: impl Fn(f64) -> f64) -> Value {
    let mut mapped = value.clone();
    for i in 0..value.len() {
        set(&mut mapped, i, of(value.get_f64(i).unwrap_or(0.0)));
    }
    mapped
}

/// Sets an element, rounded to the type of the value.
pub(super) fn set(value: &mut Value, i: usize, x: f64) {
    match FlatType::view(value.ty()) {
        FlatType::Real32 => value.set(i, Scalar::Real32(x as f32)),
        FlatType::Real
        | FlatType::Integer
        | FlatType::Sized(_)
        | FlatType::Logical
        | FlatType::Tape => value.set(i, Scalar::Real(x)),
    };
}

/// True if a number is normal in the type of a value.
pub(super) fn normal(value: &Value, x: f64) -> bool {
    match FlatType::view(value.ty()) {
        FlatType::Real32 => (x as f32).is_normal(),
        FlatType::Real
        | FlatType::Integer
        | FlatType::Sized(_)
        | FlatType::Logical
        | FlatType::Tape => x.is_normal(),
    }
}
