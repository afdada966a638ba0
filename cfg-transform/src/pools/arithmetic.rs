//! Expressions of integers, simplified where operands are constants.

use cfg_core::ir::{Expr, Op};

pub(super) fn add(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Int(0), _) => b,
        (_, Expr::Int(0)) => a,
        (Expr::Int(x), Expr::Int(y)) => match x.checked_add(*y) {
            Some(sum) => Expr::Int(sum),
            None => Expr::op(Op::Add, [a, b]),
        },
        (_, &Expr::Int(y)) if y < 0 && y > i64::MIN => Expr::op(Op::Sub, [a, Expr::Int(-y)]),
        _ => Expr::op(Op::Add, [a, b]),
    }
}

pub(super) fn sub(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (_, Expr::Int(0)) => a,
        (Expr::Int(x), Expr::Int(y)) => match x.checked_sub(*y) {
            Some(difference) => Expr::Int(difference),
            None => Expr::op(Op::Sub, [a, b]),
        },
        _ if a == b => Expr::Int(0),
        _ => Expr::op(Op::Sub, [a, b]),
    }
}

pub(super) fn mul(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Int(0), _) | (_, Expr::Int(0)) => Expr::Int(0),
        (Expr::Int(1), _) => b,
        (_, Expr::Int(1)) => a,
        (Expr::Int(x), Expr::Int(y)) => match x.checked_mul(*y) {
            Some(product) => Expr::Int(product),
            None => Expr::op(Op::Mul, [a, b]),
        },
        _ => Expr::op(Op::Mul, [a, b]),
    }
}

pub(super) fn le(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Int(x), Expr::Int(y)) => Expr::Logical(x <= y),
        _ => Expr::op(Op::Le, [a, b]),
    }
}

pub(super) fn eq(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Int(x), Expr::Int(y)) => Expr::Logical(x == y),
        _ if a == b && is_simple(&a) => Expr::Logical(true),
        _ => Expr::op(Op::Eq, [a, b]),
    }
}

/// The conjunction; conditions that are true are left out.
pub(super) fn all(conditions: Vec<Expr>) -> Expr {
    let mut left: Vec<Expr> = conditions;
    left.retain(|e| !matches!(e, Expr::Logical(true)));
    match left.len() {
        0 => Expr::Logical(true),
        1 => left.remove(0),
        _ => Expr::op(Op::And, left),
    }
}

/// The disjunction of two conditions, the second of which is evaluated if the first does not hold.
pub(super) fn or(a: Expr, b: Expr) -> Expr {
    if a == Expr::Logical(false) {
        return b;
    }
    if a == Expr::Logical(true) {
        return a;
    }
    Expr::op(Op::Or, [a, b])
}

pub(super) fn either(condition: Expr, then: Expr, other: Expr) -> Expr {
    if condition == Expr::Logical(true) {
        return then;
    }
    if condition == Expr::Logical(false) {
        return other;
    }
    Expr::op(Op::If, [condition, then, other])
}

/// True for constants and scalars without subscripts, which may be repeated at no cost.
pub(super) fn is_simple(e: &Expr) -> bool {
    match e {
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Null(_) => true,
        Expr::Place(place) => place.subscripts.iter().all(|s| s.field().is_some()),
        Expr::Addr(_) | Expr::Op(..) => false,
    }
}
