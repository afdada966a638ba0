//! Small expressions: constants, sums, extents.

use cfg_core::{
    entity::VarId,
    flat::FlatExpr,
    ir::{Expr, Op, Place, RealFunctions, ScalarType},
};

/// True of constants and places, which a partial may repeat at no cost.
pub(crate) fn is_atomic(expr: &Expr) -> bool {
    !matches!(expr, Expr::Op(..))
}

/// True of an application of a library's function, which takes longer than a few words of tape. Powers with integer
/// constants are products.
pub(crate) fn is_library_function(expr: &Expr) -> bool {
    let FlatExpr::Op(op, operands) = FlatExpr::view(expr) else {
        return false;
    };
    let info = op.info();
    let is_product = op == Op::Pow && matches!(operands[1..], [Expr::Int(_)]);
    let is_computed = !matches!(info.real, RealFunctions::Elsewhere) || !info.c_text.is_empty();
    is_computed && !is_product
}

/// The constant 0 of a type.
pub(crate) fn zero(ty: ScalarType) -> Expr {
    Expr::zero(ty)
}

/// A constant of a real type.
pub(crate) fn real(value: f64, ty: ScalarType) -> Expr {
    if ty == ScalarType::Real32 {
        Expr::Real32(value as f32)
    } else {
        Expr::Real(value)
    }
}

/// The expression converted to a real type.
pub(crate) fn to_real(e: Expr, ty: ScalarType) -> Expr {
    let op = match ty == ScalarType::Real32 {
        true => Op::ToReal32,
        false => Op::ToReal,
    };
    Expr::op(op, [e])
}

/// A value rounded to the type.
pub(crate) fn round_to_type(value: f64, ty: ScalarType) -> f64 {
    if ty == ScalarType::Real32 {
        f64::from(value as f32)
    } else {
        value
    }
}

/// Most terms of a sum that is written with `-` for negated terms: each change of sign makes the expression a level
/// deeper.
const MOST_SIGNS: usize = 32;

/// The sum of terms from left to right, however many there are.
pub(crate) fn sum(terms: Vec<Expr>) -> Option<Expr> {
    if terms.len() > MOST_SIGNS {
        return Some(Expr::op(Op::Add, terms));
    }
    terms.into_iter().reduce(add)
}

/// `value + term`, with `-` for a negated term.
fn add(value: Expr, term: Expr) -> Expr {
    if let Expr::Op(Op::Neg, inner) = term {
        Expr::op(Op::Sub, std::iter::once(value).chain(inner))
    } else {
        Expr::op(Op::Add, [value, term])
    }
}

/// The expression `size(v, k+1)`.
pub(crate) fn extent_of(v: VarId, k: usize) -> Expr {
    Expr::op(Op::Size, [Expr::var(v), Expr::Int(k as i64 + 1)])
}

/// An array of zeros.
pub(crate) fn array_of_zeros(ty: ScalarType, extents: impl Iterator<Item = Expr>) -> Expr {
    Expr::op(Op::Fill, std::iter::once(zero(ty)).chain(extents))
}

pub(crate) fn as_place(e: &Expr) -> Option<&Place> {
    match FlatExpr::view(e) {
        FlatExpr::Place(place) => Some(place),
        FlatExpr::Constant(_) | FlatExpr::Op(..) => None,
    }
}

/// An expression over formals, rewritten over actuals. `positions` has the position of each variable among the
/// formals.
pub(crate) fn bind_formals(
    e: &Expr,
    positions: &[Option<usize>],
    arguments: &[Option<Expr>],
) -> Expr {
    e.map(&mut |node| match FlatExpr::view(&node) {
        FlatExpr::Place(place) => {
            let position = positions.get(place.var.index()).copied().flatten();
            match position.and_then(|k| arguments.get(k)) {
                Some(Some(actual)) if place.subscripts.is_empty() => actual.clone(),
                Some(Some(Expr::Place(actual))) if actual.subscripts.is_empty() => {
                    Expr::Place(Place {
                        var: actual.var,
                        subscripts: place.subscripts.clone(),
                    })
                }
                _ => node,
            }
        }
        FlatExpr::Constant(_) | FlatExpr::Op(..) => node,
    })
}

pub(crate) fn with_variables(e: &Expr, map: &impl Fn(VarId) -> VarId) -> Expr {
    e.map(&mut |mut node| {
        if let Expr::Place(place) = &mut node {
            place.var = map(place.var);
        }
        node
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums have signs between up to [`MOST_SIGNS`] terms, and are one operation beyond.
    #[test]
    fn sums_on_both_sides_of_the_limit() {
        for (n, is_flat) in [(MOST_SIGNS, false), (MOST_SIGNS + 1, true)] {
            let term = |k: usize| Expr::op(Op::Neg, [Expr::var(VarId::new(k))]);
            let terms: Vec<Expr> = (0..n).map(term).collect();
            let flat = Expr::op(Op::Add, terms.clone());
            assert_eq!(sum(terms) == Some(flat), is_flat, "{n}");
        }
    }
}
