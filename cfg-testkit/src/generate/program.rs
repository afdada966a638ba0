//! Whole programs: globals, an external function, helper routines, the main routine.

use super::build::{Builder, INDEX_MAX, Parameter};
use super::call::{Formal, Shape, Signature};
use super::{Arithmetic, Options};
use crate::rng::Rng;
use crate::tree::Region;
use cfg_core::entity::{GlobalId, RoutineId, VarId};
use cfg_core::ir::{
    Dim, Expr, External, Global, Intent, Op, Overlay, Partial, Program, Role, Routine, ScalarType,
    Variable,
};
use std::collections::BTreeSet;

/// A whole program, its bodies, and the parameters of its last routine, which is the main one.
pub(super) fn program(
    rng: &mut Rng,
    options: &Options,
) -> (Program, Vec<Option<Region>>, Vec<Parameter>) {
    let mut program = Program::default();
    let mut trees = Vec::new();
    let mut signatures = Vec::new();
    if rng.percent(options.globals) {
        program.globals = globals(rng, options);
    }
    if rng.percent(options.externals) {
        let (routine, signature) = external(rng, options);
        program.routines.push(routine);
        trees.push(None);
        signatures.push(signature);
    }
    let helpers = match rng.below(100) {
        0..25 => 0,
        _ => 1 + rng.below(options.helpers),
    };
    let narrow = rng.percent(options.real32);
    for k in 0..helpers {
        let recursive = rng.percent(options.recursion);
        let function = !recursive && rng.percent(40);
        let limit = options.steps / 40;
        let id = RoutineId::new(program.routines.len());
        let mut b = Builder::new(rng, options, &signatures, &program.globals, limit);
        let name = if recursive {
            format!("again{k}")
        } else if function {
            format!("value{k}")
        } else {
            format!("part{k}")
        };
        b.routine.name = name;
        let (signature, tree) = b.helper(id, recursive, function, narrow);
        let routine = b.routine;
        program.routines.push(routine);
        trees.push(Some(tree));
        signatures.push(signature);
    }
    let mut b = Builder::new(rng, options, &signatures, &program.globals, options.steps);
    b.routine.name = "main".to_owned();
    let (tree, parameters) = b.main(narrow);
    let routine = b.routine;
    program.routines.push(routine);
    trees.push(Some(tree));
    (program, trees, parameters)
}

fn globals(rng: &mut Rng, options: &Options) -> Vec<Global> {
    let value = |rng: &mut Rng| match options.arithmetic {
        Arithmetic::Exact => Expr::Real(rng.between(-2, 2) as f64),
        Arithmetic::Smooth => Expr::Real((rng.real(-1.0, 1.0) * 64.0).round() / 64.0),
    };
    let mut globals = Vec::new();
    let mut add = |name: &str, ty, shape, initial, overlay| {
        let id = GlobalId::new(globals.len());
        globals.push(Global {
            variable: Variable::new(name, ty, shape, Role::Global(id)),
            initial,
            overlay,
        });
        id
    };
    let first = Box::new([value(rng)]);
    add("gs", ScalarType::Real, vec![], Some(first), None);
    let vector = |n| vec![Dim::of(Expr::Int(n))];
    if rng.percent(60) {
        let values = (0..6).map(|_| value(rng)).collect();
        let base = add("ga", ScalarType::Real, vector(6), Some(values), None);
        if rng.percent(options.overlays) {
            let offset = rng.between(0, 2);
            let overlay = Some(Overlay { base, offset });
            add("go", ScalarType::Real, vector(4), None, overlay);
        }
    }
    if rng.percent(60) {
        let first = Expr::Int(rng.between(1, INDEX_MAX));
        add(
            "gi",
            ScalarType::Integer,
            vec![],
            Some(Box::new([first])),
            None,
        );
    }
    globals
}

/// An external function of two reals, given by value and partials.
fn external(rng: &mut Rng, options: &Options) -> (Routine, Signature) {
    let mut routine = Routine {
        name: "given".to_owned(),
        parameters: 2,
        ..Routine::default()
    };
    for name in ["u", "v"] {
        let role = Role::Parameter {
            intent: Intent::In,
            optional: false,
        };
        routine.add_variable(Variable::new(name, ScalarType::Real, vec![], role));
    }
    let (u, v) = (VarId::new(0), VarId::new(1));
    let result = routine.add_variable(Variable::new("w", ScalarType::Real, vec![], Role::Local));
    routine.result = Some(result);
    let (value, du, dv) = match options.arithmetic {
        // u*v + c*u
        Arithmetic::Exact => {
            let c = Expr::Real(rng.between(1, 3) as f64);
            let product = Expr::op(Op::Mul, [u.into(), v.into()]);
            let scaled = Expr::op(Op::Mul, [c.clone(), u.into()]);
            (
                Expr::op(Op::Add, [product, scaled]),
                Expr::op(Op::Add, [v.into(), c]),
                u.into(),
            )
        }
        // sin(u) * cos(v)
        Arithmetic::Smooth => {
            let f = |op, x: VarId| Expr::op(op, [x.into()]);
            let times = |a, b| Expr::op(Op::Mul, [a, b]);
            (
                times(f(Op::Sin, u), f(Op::Cos, v)),
                times(f(Op::Cos, u), f(Op::Cos, v)),
                Expr::op(Op::Neg, [times(f(Op::Sin, u), f(Op::Sin, v))]),
            )
        }
    };
    routine.external = Some(Box::new(External {
        value: Some(value),
        partials: Some(vec![
            Partial {
                parameter: u,
                value: du,
            },
            Partial {
                parameter: v,
                value: dv,
            },
        ]),
    }));
    let formal = || Formal {
        ty: ScalarType::Real,
        intent: Intent::In,
        shape: Shape::Scalar,
        range: (0, 0),
        optional: false,
    };
    let signature = Signature {
        id: RoutineId::new(0),
        formals: vec![formal(), formal()],
        result: true,
        cost: 1,
        reads: BTreeSet::new(),
        writes: BTreeSet::new(),
        aliased: false,
    };
    (routine, signature)
}
