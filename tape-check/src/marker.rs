//! Which arm the mirrored branch takes for a popped marker.

use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Selector},
};

/// The only variable that a selector reads, if it is one scalar.
pub(crate) fn selector_variable(selector: &Selector) -> Option<VarId> {
    let e = match selector {
        Selector::Condition(e) => e,
        Selector::Cases { value, .. } => value,
    };
    let mut found = None;
    let mut single = true;
    e.walk_places(&mut |place| {
        single &= place.subscripts.is_empty() && found.is_none_or(|v| v == place.var);
        found = Some(place.var);
    });
    found.filter(|_| single)
}

/// The label of the arm that a selector takes when its variable has a value; `None` if that cannot be
/// told.
pub(crate) fn arm(selector: &Selector, value: i64) -> Option<i64> {
    match selector {
        Selector::Condition(e) => Some(i64::from(evaluate(e, value)? != 0)),
        Selector::Cases { value: e, arms } => {
            let v = evaluate(e, value)?;
            let inside = |lower: Option<i64>, upper: Option<i64>| {
                lower.is_none_or(|l| l <= v) && upper.is_none_or(|u| v <= u)
            };
            arms.iter()
                .find(|a| a.cases.iter().any(|c| inside(c.lower, c.upper)))
                .or_else(|| arms.iter().find(|a| a.default))
                .map(|a| a.label)
        }
    }
}

/// Integers, logicals as 0 and 1; the one variable has this value.
fn evaluate(e: &Expr, value: i64) -> Option<i64> {
    match e {
        Expr::Int(i) => Some(*i),
        Expr::Logical(b) => Some(i64::from(*b)),
        Expr::Place(_) => Some(value),
        Expr::Op(Op::Not, operands) => match &**operands {
            [a] => Some(i64::from(evaluate(a, value)? == 0)),
            _ => None,
        },
        Expr::Op(op, operands) => match &**operands {
            [a, b] => {
                let (a, b) = (evaluate(a, value)?, evaluate(b, value)?);
                let truth = match op {
                    Op::Eq => a == b,
                    Op::Ne => a != b,
                    Op::Lt => a < b,
                    Op::Le => a <= b,
                    Op::Gt => a > b,
                    Op::Ge => a >= b,
                    _ => return None,
                };
                Some(i64::from(truth))
            }
            _ => None,
        },
        Expr::Real(_) | Expr::Real32(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::ir::{Arm, CaseRange};

    #[test]
    fn conditions_and_cases() {
        let v = Expr::var(VarId::new(3));
        let is_one = Selector::Condition(Expr::op(Op::Eq, [v.clone(), Expr::Int(1)]));
        assert_eq!(arm(&is_one, 1), Some(1));
        assert_eq!(arm(&is_one, 0), Some(0));
        assert_eq!(selector_variable(&is_one), Some(VarId::new(3)));
        let not = Selector::Condition(Expr::op(Op::Not, [v.clone()]));
        assert_eq!((arm(&not, 1), arm(&not, 0)), (Some(0), Some(1)));
        let two = Expr::op(Op::Lt, [v.clone(), Expr::var(VarId::new(4))]);
        assert_eq!(selector_variable(&Selector::Condition(two)), None);
        let case = |label, lower, upper, default| Arm {
            label,
            cases: Box::new([CaseRange { lower, upper }]),
            default,
        };
        let cases = Selector::Cases {
            value: v,
            arms: Box::new([
                case(10, Some(0), Some(0), false),
                case(20, Some(1), None, false),
                case(30, Some(-5), Some(-5), true),
            ]),
        };
        assert_eq!(arm(&cases, 0), Some(10));
        assert_eq!(arm(&cases, 7), Some(20));
        assert_eq!(arm(&cases, -1), Some(30));
    }
}
