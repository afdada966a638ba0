//! Deep subscripts and conditions are assigned to temporaries first.
//!
//! Derivative code repeats the subscripts and conditions of a statement inside of deeper expressions. An expression
//! has at most [`Expr::MAX_DEPTH`] levels, so a subscript with almost as many could not be repeated. A temporary for
//! a part of an arm is evaluated only where the arm is.

use cfg_core::{
    entity::VarId,
    flat::FlatExpr,
    ir::{Expr, Op, OpClass, Place, StmtKind, Variable},
};

use crate::code::typing;

/// Statements that are no deeper than this stay as they are.
const DEEP: usize = 70;

/// Most levels of the subscripts and conditions of other statements.
const SHALLOW: usize = 30;

/// True if a statement has deep subscripts or conditions.
pub(crate) fn is_deep(kind: &StmtKind) -> bool {
    let mut found = false;
    let mut look = |e: &Expr| {
        if e.depth() > DEEP {
            e.walk(&mut |e| match FlatExpr::view(e) {
                FlatExpr::Op(Op::If, operands) => {
                    found |= operands.first().is_some_and(|e| e.depth() > SHALLOW);
                }
                FlatExpr::Place(place) => {
                    found |= place.subscript_exprs().any(|e| e.depth() > SHALLOW);
                }
                FlatExpr::Constant(_) | FlatExpr::Op(..) => {}
            });
        }
    };
    if let StmtKind::Assign { target, value } = kind {
        look(value);
        look(&Expr::Place(target.clone()));
    }
    found
}

/// Makes the statement shallow. `temporary(e)` assigns `e` to a new variable before the statement, and returns the
/// variable.
pub(crate) fn hoist(
    variables: &[Variable],
    kind: &mut StmtKind,
    temporary: &mut impl FnMut(Expr) -> VarId,
) {
    let StmtKind::Assign { target, value } = kind else {
        return;
    };
    let mut hoist = Hoist {
        variables,
        temporary,
        guards: Vec::new(),
    };
    hoist.expr(value);
    hoist.hoist_place(target);
}

struct Hoist<'a, F> {
    /// The variables of the routine without temporaries.
    variables: &'a [Variable],
    temporary: &'a mut F,
    /// The conditions under which the present expression is evaluated, outermost first; true for arrays.
    guards: Vec<(Expr, bool)>,
}

impl<F: FnMut(Expr) -> VarId> Hoist<'_, F> {
    fn expr(&mut self, e: &mut Expr) {
        if let Expr::Place(place) = e {
            return self.hoist_place(place);
        }
        let Expr::Op(op, operands) = e else {
            return;
        };
        // Operands of `and`, `or` and inquiries have no derivative, and are not repeated.
        if matches!(op, Op::And | Op::Or) || op.class() == OpClass::Inquiry {
            return;
        }
        if *op != Op::If {
            return operands.iter_mut().for_each(|e| self.expr(e));
        }
        let [condition, arms @ ..] = &mut **operands else {
            return;
        };
        let array = typing::expr_type(self.variables, condition).rank > 0;
        if condition.depth() > SHALLOW {
            let all = self.guarded(condition.clone(), Expr::Logical(false));
            *condition = Expr::var((self.temporary)(all));
        }
        let negated = Expr::op(Op::Not, [condition.clone()]);
        for (arm, condition) in arms.iter_mut().zip([condition.clone(), negated]) {
            self.guards.push((condition, array));
            self.expr(arm);
            self.guards.pop();
        }
    }

    fn hoist_place(&mut self, place: &mut Place) {
        *place = place.map_subscripts(&mut |e| match e.depth() > SHALLOW {
            true => {
                let index = self.guarded(e.clone(), Expr::Int(0));
                Expr::var((self.temporary)(index))
            }
            false => e.clone(),
        });
    }

    /// The expression where the conditions hold, and `otherwise` elsewhere.
    fn guarded(&self, e: Expr, otherwise: Expr) -> Expr {
        let scalar = typing::expr_type(self.variables, &e).rank == 0;
        self.guards.iter().rev().fold(e, |e, (condition, array)| {
            let condition = match array & scalar {
                true => Expr::op(Op::Any, [condition.clone()]),
                false => condition.clone(),
            };
            Expr::op(Op::If, [condition, e, otherwise.clone()])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::ir::{Dim, Role, ScalarType, Stmt};

    /// An expression of so many levels around another one.
    fn around(op: Op, e: Expr, depth: usize) -> Expr {
        let levels = depth - e.depth();
        (0..levels).fold(e, |e, _| Expr::op(op, [e]))
    }

    fn variable(name: &str, ty: ScalarType) -> Variable {
        Variable::new(name, ty, Vec::new(), Role::Local)
    }

    /// `y := -(..-if(condition, x, y))`, or `y := -(..-a[subscript])`.
    fn statement(inner: &Expr, is_condition: bool, depth: usize) -> StmtKind {
        let [x, y, a] = [0, 1, 2].map(VarId::new);
        let e = match is_condition {
            true => Expr::op(Op::If, [inner.clone(), Expr::var(x), Expr::var(y)]),
            false => Expr::Place(Place::element(a, [inner.clone()])),
        };
        Stmt::assign(Place::whole(y), around(Op::Neg, e, depth)).kind
    }

    #[test]
    fn deep_parts_of_deep_statements_are_assigned_before() {
        let [i, l] = [3, 4].map(VarId::new);
        let types = [
            ScalarType::Real,
            ScalarType::Real,
            ScalarType::Real,
            ScalarType::Integer,
            ScalarType::Logical,
        ];
        let variables: Vec<Variable> = types.map(|ty| variable("v", ty)).into();
        for is_condition in [true, false] {
            let inner = |depth| match is_condition {
                true => around(Op::Not, Expr::var(l), depth),
                false => around(Op::Neg, Expr::var(i), depth),
            };
            for (part, whole, is_wanted) in [
                (SHALLOW, DEEP + 1, false),
                (SHALLOW + 1, DEEP + 1, true),
                (SHALLOW + 1, DEEP, false),
                (SHALLOW + 9, DEEP + 9, true),
            ] {
                let mut kind = statement(&inner(part), is_condition, whole);
                assert_eq!(is_deep(&kind), is_wanted, "{is_condition} {part} {whole}");
                let mut taken = Vec::new();
                let before = kind.clone();
                hoist(&variables, &mut kind, &mut |e| {
                    taken.push(e);
                    VarId::new(5)
                });
                let expected: &[Expr] = if part > SHALLOW { &[inner(part)] } else { &[] };
                assert_eq!(taken, expected);
                assert_eq!(kind == before, expected.is_empty());
                assert!(!is_deep(&kind));
            }
        }
    }

    /// A part of an arm is evaluated where the arm is, under an array condition if that holds for some element. Parts
    /// without a derivative stay as they are.
    #[test]
    fn parts_of_arms_are_evaluated_where_the_arms_are() {
        let [x, a, i, l, m, c] = [0, 2, 3, 4, 5, 6].map(VarId::new);
        let types = [
            ScalarType::Real,
            ScalarType::Real,
            ScalarType::Real,
            ScalarType::Integer,
            ScalarType::Logical,
            ScalarType::Logical,
            ScalarType::Logical,
        ];
        let mut variables: Vec<Variable> = types.map(|ty| variable("v", ty)).into();
        variables[c.index()].shape = vec![Dim::deferred()];
        let var = Expr::var;
        let index = || around(Op::Neg, var(i), SHALLOW + 1);
        let condition = || around(Op::Not, var(m), SHALLOW + 1);
        let element = || Expr::Place(Place::element(a, [index()]));
        let choose = |condition: Expr, yes: Expr, no: Expr| Expr::op(Op::If, [condition, yes, no]);
        let where_true = |condition: Expr| choose(condition, index(), Expr::Int(0));
        for (value, expected) in [
            (element(), vec![index()]),
            (Expr::op(Op::Sin, [element()]), vec![index()]),
            (choose(var(l), element(), var(x)), vec![where_true(var(l))]),
            (
                choose(var(l), var(x), element()),
                vec![where_true(Expr::op(Op::Not, [var(l)]))],
            ),
            (
                choose(var(l), choose(var(m), element(), var(x)), var(x)),
                vec![choose(var(l), where_true(var(m)), Expr::Int(0))],
            ),
            (
                choose(var(c), element(), var(x)),
                vec![where_true(Expr::op(Op::Any, [var(c)]))],
            ),
            (choose(condition(), var(x), var(x)), vec![condition()]),
            (
                choose(var(l), choose(condition(), var(x), var(x)), var(x)),
                vec![choose(var(l), condition(), Expr::Logical(false))],
            ),
            (Expr::op(Op::Size, [element()]), Vec::new()),
            (
                Expr::op(Op::And, [var(l), Expr::op(Op::Gt, [element(), var(x)])]),
                Vec::new(),
            ),
        ] {
            let mut kind = Stmt::assign(Place::whole(VarId::new(1)), value.clone()).kind;
            let mut taken = Vec::new();
            hoist(&variables, &mut kind, &mut |e| {
                taken.push(e);
                VarId::new(7)
            });
            assert_eq!(taken, expected, "{value:?}");
        }
    }
}
