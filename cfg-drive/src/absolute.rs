//! The tangent program with the absolute value of every local partial.
//!
//! Rounding errors of a derivative are small relative to the sum of the absolute values of its terms, not
//! to the derivative itself, in which terms may cancel. If every partial in a tangent program is replaced
//! by its absolute value, and the direction is not negative, then no tangent is negative, and the
//! program computes that sum: the product of the absolute values of all local Jacobians with the
//! direction. (Griewank & Walther, *Evaluating Derivatives*, 2nd ed., section 3.4, bounds the error of
//! tangent and adjoint in this measure.)

use cfg_core::{
    entity::VarId,
    flat::{Constant, FlatExpr, FlatStmt},
    ir::{Cfg, Expr, NameRole, Op, Program, Routine, Stmt, StmtKind, VertexKind},
};
use cfg_reverse::Tangent;

/// The program with absolute partials; `None` if it calls tangent routines that the user gave, whose
/// partials cannot be told from their text.
pub(crate) fn absolute(tangent: &Tangent) -> Option<Program> {
    let mut program = tangent.program.clone();
    for &(original, derived) in &tangent.pairs {
        let original = tangent.program.routines.get(original.index())?;
        let routine = program.routines.get_mut(derived.index())?;
        let carries = carriers(original, routine);
        let given = |r: usize| {
            tangent.program.routines.iter().any(|o| {
                let tangent = o.derivatives.as_ref().and_then(|d| d.tangent);
                tangent.is_some_and(|t| t.index() == r)
            })
        };
        rewrite(routine.body.as_mut()?, &carries, &|r| !given(r))?;
    }
    Some(program)
}

/// Variables that hold derivatives: the tangents of the original's variables, and temporaries that are
/// computed from them.
fn carriers(original: &Routine, routine: &Routine) -> Vec<bool> {
    let names: std::collections::HashSet<&str> =
        original.variables.iter().map(|v| &*v.name).collect();
    let mut carries: Vec<bool> = routine
        .variables
        .iter()
        .map(|v| {
            // A tangent of an earlier differentiation is a variable of the original.
            let tangent = v
                .origin
                .as_ref()
                .is_some_and(|o| o.role == NameRole::Tangent);
            tangent && !names.contains(&*v.name)
        })
        .collect();
    let Some(body) = &routine.body else {
        return carries;
    };
    // Temporaries live within one statement of the original, so one pass in order is usually enough.
    loop {
        let mut grown = false;
        for (_, vertex) in body.vertices() {
            for s in vertex.statements() {
                if let StmtKind::Assign { target, value } = &s.kind {
                    let to = target.var.index();
                    let temporary = routine.variables.get(to).is_some_and(|v| {
                        v.origin
                            .as_ref()
                            .is_some_and(|o| o.role == NameRole::Temporary)
                    });
                    if temporary && !carries[to] && mentions(value, &carries) {
                        carries[to] = true;
                        grown = true;
                    }
                }
            }
        }
        if !grown {
            return carries;
        }
    }
}

/// True if the value of a carrier enters the value of `e` (not through a subscript or inquiry).
fn mentions(e: &Expr, carries: &[bool]) -> bool {
    match FlatExpr::view(e) {
        FlatExpr::Constant(_) => false,
        FlatExpr::Place(place) => is_carrier(place.var, carries),
        FlatExpr::Op(Op::Size | Op::LBound | Op::UBound | Op::Present, _) => false,
        FlatExpr::Op(_, operands) => operands.iter().any(|e| mentions(e, carries)),
    }
}

fn is_carrier(v: VarId, carries: &[bool]) -> bool {
    carries.get(v.index()).copied().unwrap_or(false)
}

fn rewrite(body: &mut Cfg, carries: &[bool], may_call: &dyn Fn(usize) -> bool) -> Option<()> {
    let vertices: Vec<_> = body.vertices().map(|(v, _)| v).collect();
    for v in vertices {
        if let VertexKind::Block(statements) = &mut body.vertex_mut(v).kind {
            for s in statements {
                rewrite_statement(s, carries, may_call)?;
            }
        }
    }
    Some(())
}

fn rewrite_statement(
    s: &mut Stmt,
    carries: &[bool],
    may_call: &dyn Fn(usize) -> bool,
) -> Option<()> {
    let carries_value = match FlatStmt::view(&s.kind) {
        FlatStmt::Assign { target, .. } => is_carrier(target.var, carries),
        FlatStmt::Push { value, .. } => mentions(value, carries),
        FlatStmt::Call { callee, .. } if !may_call(callee.index()) => return None,
        FlatStmt::Call { .. }
        | FlatStmt::Pop { .. }
        | FlatStmt::Opaque { .. }
        | FlatStmt::Stop { .. } => false,
    };
    if carries_value
        && let StmtKind::Assign { value, .. } | StmtKind::Push { value, .. } = &mut s.kind
    {
        *value = without_signs(value, carries)?;
    }
    Some(())
}

/// An expression that is linear in carriers, with the absolute values of its coefficients.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn without_signs(e: &Expr, carries: &[bool]) -> Option<Expr> {
    if !mentions(e, carries) {
        return Some(match FlatExpr::view(e) {
            FlatExpr::Constant(Constant::Real(c)) => Expr::Real(c.abs()),
            FlatExpr::Constant(Constant::Real32(c)) => Expr::Real32(c.abs()),
            FlatExpr::Constant(Constant::Int(_) | Constant::Logical(_))
            | FlatExpr::Place(_)
            | FlatExpr::Op(..) => Expr::op(Op::Abs, [e.clone()]),
        });
    }
    let Expr::Op(op, operands) = e else {
        return Some(e.clone());
    };
    let every =
        || -> Option<Vec<Expr>> { operands.iter().map(|e| without_signs(e, carries)).collect() };
    match op {
        Op::Neg => every()?.pop(),
        Op::Add | Op::Sub => Some(Expr::op(Op::Add, every()?)),
        Op::Mul | Op::StrongMul | Op::Div | Op::Sum | Op::Transpose | Op::ToReal | Op::ToReal32 => {
            Some(Expr::op(*op, every()?))
        }
        Op::If => {
            let mut parts = every()?;
            *parts.first_mut()? = operands.first()?.clone();
            Some(Expr::op(Op::If, parts))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
    use cfg_core::ir::ScalarType::{Integer, Real};
    use cfg_testkit::flat;

    #[test]
    fn partials_lose_their_signs() {
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", Real);
        let y = f.output("y", Real.array([2]));
        let k = f.local("k", Integer);
        f.independents([x]).dependents([y]);
        f.assign(k, 1);
        f.assign(y.at(k), cos(x) - x * x);
        f.assign(y.at(2), -(y.at(k) / x) + x * (-3.0));
        let mut program = ProgramBuilder::new();
        let f = program.add(f);
        let program = program.finish().expect("the builder is used right");
        let tangent = cfg_reverse::tangent(&flat(&program), f).expect("it has a tangent");
        let before = tangent.program.to_string();
        let after = absolute(&tangent)
            .expect("all partials are known")
            .to_string();
        assert!(before.contains("-sin(x)"), "{before}");
        assert!(after.contains("abs(-sin(x))"), "{after}");
        assert!(
            before.contains("x_t*(-3.0)") && after.contains("x_t*3.0"),
            "{after}"
        );
        // No sum has a minus left, and statements without derivatives are as before.
        let lines = |text: &str, tangent: bool| -> Vec<String> {
            text.lines()
                .filter(|l| l.contains(" := ") && l.contains("_t") == tangent)
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(lines(&before, false), lines(&after, false));
        for line in lines(&after, true) {
            assert!(!line.contains(" - ") && !line.contains(":= -"), "{line}");
        }
        cfg_core::validate::validate(absolute(&tangent).expect("as before")).expect("it is valid");
    }
}
