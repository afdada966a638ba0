//! Markers: the arm that the mirrored branch takes for a popped value.

use cfg_core::{
    entity::VarId,
    flat::{Constant, FlatExpr},
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

/// The arms of a selector, by the values that choose them.
pub(crate) struct Arms<'a> {
    selector: &'a Selector,
    /// Ranges of values in ascending order, which have no value in common, each with its label.
    ranges: Vec<(i64, i64, i64)>,
    default: Option<i64>,
}

impl<'a> Arms<'a> {
    pub(crate) fn from_selector(selector: &'a Selector) -> Self {
        let mut found = Self {
            selector,
            ranges: Vec::new(),
            default: None,
        };
        if let Selector::Cases { arms, .. } = selector {
            for arm in arms {
                found.ranges.extend(arm.cases.iter().map(|c| {
                    let (lower, upper) = (c.lower.unwrap_or(i64::MIN), c.upper.unwrap_or(i64::MAX));
                    (lower, upper, arm.label)
                }));
                found.default = found.default.or(arm.default.then_some(arm.label));
            }
            found.ranges.sort_unstable();
        }
        found
    }

    /// The label of the arm that a value of the selector's variable chooses; `None` if it is not known.
    pub(crate) fn label(&self, value: i64) -> Option<i64> {
        match self.selector {
            Selector::Condition(e) => Some(i64::from(evaluate(e, value)? != 0)),
            Selector::Cases { value: e, .. } => {
                let v = evaluate(e, value)?;
                let behind = self.ranges.partition_point(|&(lower, ..)| lower <= v);
                let range = self.ranges[..behind].last();
                range
                    .filter(|&&(_, upper, _)| v <= upper)
                    .map_or(self.default, |&(.., label)| Some(label))
            }
        }
    }
}

/// The value of an expression of integers and logicals (0 and 1), whose only variable has this value.
fn evaluate(e: &Expr, value: i64) -> Option<i64> {
    match FlatExpr::view(e) {
        FlatExpr::Constant(Constant::Int(i)) => Some(i),
        FlatExpr::Constant(Constant::Logical(b)) => Some(i64::from(b)),
        FlatExpr::Place(_) => Some(value),
        FlatExpr::Op(Op::Not, operands) => match operands {
            [a] => Some(i64::from(evaluate(a, value)? == 0)),
            _ => None,
        },
        FlatExpr::Op(op, operands) => match operands {
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
        FlatExpr::Constant(Constant::Real(_) | Constant::Real32(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::ir::{Arm, CaseRange, Place};

    #[test]
    fn conditions_and_cases() {
        let v = Expr::var(VarId::new(3));
        let is_one = Selector::Condition(Expr::op(Op::Eq, [v.clone(), Expr::Int(1)]));
        assert_eq!(Arms::from_selector(&is_one).label(1), Some(1));
        assert_eq!(Arms::from_selector(&is_one).label(0), Some(0));
        assert_eq!(selector_variable(&is_one), Some(VarId::new(3)));
        let not = Selector::Condition(Expr::op(Op::Not, [v.clone()]));
        assert_eq!(
            (
                Arms::from_selector(&not).label(1),
                Arms::from_selector(&not).label(0)
            ),
            (Some(0), Some(1))
        );
        let two = Expr::op(Op::Lt, [v.clone(), Expr::var(VarId::new(4))]);
        assert_eq!(selector_variable(&Selector::Condition(two)), None);
        // Less, equal, greater.
        for (op, expected) in [
            (Op::Eq, [0, 1, 0]),
            (Op::Ne, [1, 0, 1]),
            (Op::Lt, [1, 0, 0]),
            (Op::Le, [1, 1, 0]),
            (Op::Gt, [0, 0, 1]),
            (Op::Ge, [0, 1, 1]),
        ] {
            let compared = Selector::Condition(Expr::op(op, [v.clone(), Expr::Int(5)]));
            let arms = [4, 5, 6].map(|value| Arms::from_selector(&compared).label(value));
            assert_eq!(arms, expected.map(Some), "{op:?}");
        }
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
        assert_eq!(Arms::from_selector(&cases).label(0), Some(10));
        assert_eq!(Arms::from_selector(&cases).label(7), Some(20));
        assert_eq!(Arms::from_selector(&cases).label(-1), Some(30));
    }

    /// A selector decides by one scalar if it reads no element and no other variable; a selector that cannot be
    /// evaluated chooses no arm.
    #[test]
    fn one_scalar_decides() {
        let [v, w] = [3, 4].map(|v| Expr::var(VarId::new(v)));
        let element = Expr::from(Place::element(VarId::new(3), [Expr::Int(1)]));
        let op = |op, a: &Expr, b: &Expr| Expr::op(op, [a.clone(), b.clone()]);
        let one = Expr::Int(1);
        for (e, variable, label) in [
            (v.clone(), Some(3), Some(1)),
            (op(Op::Eq, &v, &v), Some(3), Some(1)),
            (op(Op::Lt, &one, &v), Some(3), Some(0)),
            (op(Op::Add, &v, &one), Some(3), None),
            (op(Op::Eq, &v, &op(Op::Add, &v, &one)), Some(3), None),
            (op(Op::Eq, &v, &w), None, Some(1)),
            (op(Op::Eq, &op(Op::Eq, &v, &w), &v), None, Some(1)),
            (op(Op::Eq, &element, &one), None, Some(1)),
            (op(Op::Eq, &v, &element), None, Some(1)),
            (one.clone(), None, Some(1)),
            (Expr::Real(1.0), None, None),
        ] {
            let selector = Selector::Condition(e);
            let found = (
                selector_variable(&selector),
                Arms::from_selector(&selector).label(1),
            );
            assert_eq!(found, (variable.map(VarId::new), label), "{selector:?}");
        }
    }

    /// Ranges of cases end with their bounds, in whatever order the arms are.
    #[test]
    fn cases_are_ranges() {
        let arm = |label, cases: &[(Option<i64>, Option<i64>)], default| Arm {
            label,
            cases: (cases.iter())
                .map(|&(lower, upper)| CaseRange { lower, upper })
                .collect(),
            default,
        };
        let arms = |default| Selector::Cases {
            value: Expr::var(VarId::new(0)),
            arms: Box::new([
                arm(1, &[(Some(7), Some(9)), (None, Some(-3))], false),
                arm(2, &[(Some(2), Some(4))], false),
                arm(3, &[], default),
            ]),
        };
        let expected = [1, 1, 3, 3, 2, 2, 3, 1, 1, 3];
        let values = [i64::MIN, -3, -2, 1, 2, 4, 5, 7, 9, 10];
        for (value, label) in values.into_iter().zip(expected) {
            assert_eq!(
                Arms::from_selector(&arms(true)).label(value),
                Some(label),
                "{value}"
            );
            let taken = Some(label).filter(|&l| l != 3);
            assert_eq!(
                Arms::from_selector(&arms(false)).label(value),
                taken,
                "{value}"
            );
        }
    }
}
