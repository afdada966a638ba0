//! Routines that push and pop for themselves. They have tangents, but no adjoints.

use super::build::INDEX_MAX;
use super::signature::{Formal, Returns, Shape, Signature};
use crate::rng::Rng;
use crate::tree::{Node, Region};
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::ir::{
    ControlWidth, Dim, Expr, Intent, Op, Place, Role, Routine, ScalarType, Stmt, StmtKind,
    TapeClass, Variable,
};
use std::collections::BTreeSet;

/// A routine with a tape of its own and one that it hands the tape to, to be added at `first`.
pub(super) fn stacks(rng: &mut Rng, first: usize) -> (Vec<Routine>, Vec<Region>, Signature) {
    let scalar = |ty, intent| Formal {
        ty,
        intent,
        shape: Shape::Scalar,
        range: match ty {
            ScalarType::Integer => (1, INDEX_MAX),
            _ => (0, 0),
        },
        optional: false,
    };
    let formals = vec![
        scalar(ScalarType::Real, Intent::In),
        scalar(ScalarType::Integer, Intent::In),
        scalar(ScalarType::Real, Intent::InOut),
    ];
    let inner = inner();
    let (outer, region) = outer(rng, RoutineId::new(first));
    let signature = Signature {
        id: RoutineId::new(first + 1),
        formals,
        result: Returns::Nothing,
        cost: 40,
        reads: BTreeSet::new(),
        writes: BTreeSet::new(),
        aliased: false,
    };
    (vec![inner.0, outer], vec![inner.1, region], signature)
}

fn parameter(routine: &mut Routine, name: &str, ty: ScalarType, intent: Intent) -> VarId {
    let role = Role::Parameter {
        intent,
        optional: false,
    };
    routine.add_variable(Variable::new(name, ty, vec![], role))
}

fn push(tape: VarId, class: TapeClass, value: Expr) -> Stmt {
    Stmt::new(StmtKind::Push { tape, class, value })
}

fn pop(tape: VarId, class: TapeClass, target: VarId) -> Stmt {
    let target = Place::whole(target);
    Stmt::new(StmtKind::Pop {
        tape,
        class,
        target,
    })
}

/// Pushes a real onto a tape that it is given.
fn inner() -> (Routine, Region) {
    let mut routine = Routine {
        name: "keep".to_owned(),
        ..Routine::default()
    };
    let x = parameter(&mut routine, "x", ScalarType::Real, Intent::In);
    let tape = parameter(&mut routine, "stack", ScalarType::Tape, Intent::InOut);
    let double = Expr::op(Op::Mul, [Expr::Real(2.0), x.into()]);
    (
        routine,
        vec![Node::Block(vec![push(tape, TapeClass::Real, double)])],
    )
}

fn outer(rng: &mut Rng, keep: RoutineId) -> (Routine, Region) {
    let mut routine = Routine {
        name: "stacked".to_owned(),
        ..Routine::default()
    };
    let x = parameter(&mut routine, "x", ScalarType::Real, Intent::In);
    let n = parameter(&mut routine, "n", ScalarType::Integer, Intent::In);
    let y = parameter(&mut routine, "y", ScalarType::Real, Intent::InOut);
    let mut local =
        |name: &str, ty, shape| routine.add_variable(Variable::new(name, ty, shape, Role::Local));
    let tape = local("own", ScalarType::Tape, vec![]);
    let w = local("w", ScalarType::Real, vec![]);
    let a = local("a", ScalarType::Real, vec![Dim::of(Expr::Int(3))]);
    let k = local("k", ScalarType::Integer, vec![]);
    let b = local("b", ScalarType::Logical, vec![]);
    let r = local("r", ScalarType::Real32, vec![]);
    let width = *rng.pick(&[3, 7, 63]).unwrap_or(&3);
    let bits = |b| TapeClass::Control(ControlWidth::Bits(b));
    let count = TapeClass::Control(ControlWidth::Count);
    let set = |v: VarId, e: Expr| Stmt::assign(Place::whole(v), e);
    let add = |e: Expr| Expr::op(Op::Add, [y.into(), e]);
    let call = |arguments: Vec<Expr>| {
        Stmt::new(StmtKind::Call {
            callee: keep,
            arguments: arguments.into_iter().map(Some).collect(),
            result: None,
        })
    };
    let pushes = vec![
        set(a, x.into()),
        push(tape, TapeClass::Real, a.into()),
        push(tape, TapeClass::Integer, n.into()),
        push(tape, bits(width), n.into()),
        push(tape, count, n.into()),
        push(tape, bits(1), Expr::op(Op::Gt, [x.into(), Expr::Real(0.0)])),
        set(r, Expr::op(Op::ToReal32, [x.into()])),
        push(tape, TapeClass::Real32, r.into()),
        call(vec![Expr::op(Op::Add, [x.into(), y.into()]), tape.into()]),
        set(a, Expr::Real(1.0)),
        set(r, Expr::Real32(1.0)),
    ];
    let pops = vec![
        pop(tape, TapeClass::Real, w),
        set(y, add(w.into())),
        pop(tape, TapeClass::Real32, r),
        set(y, add(Expr::op(Op::ToReal, [r.into()]))),
        pop(tape, bits(1), b),
        pop(tape, count, k),
        pop(tape, bits(width), k),
        pop(tape, TapeClass::Integer, k),
        pop(tape, TapeClass::Real, a),
        set(y, add(Expr::op(Op::Sum, [a.into()]))),
    ];
    let region = match rng.percent(50) {
        true => vec![Node::Block(pushes), Node::Block(pops)],
        false => vec![Node::Block([pushes, pops].concat())],
    };
    (routine, region)
}
