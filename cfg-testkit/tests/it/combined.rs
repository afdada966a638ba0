//! Programs have what is rarely combined: jumps, calls, globals, records, parameters that may overlap, given derivatives.

use cfg_core::ir::{Control, Expr, External, Program, Role, Routine, StmtKind, Variable};
use cfg_core::structure::Structure;
use cfg_testkit::generate::{Options, generate};
use std::collections::BTreeMap;

/// A combination, and whether a routine of a program has it.
type Has = fn(&Program, &Routine) -> bool;

const COMBINED: &[(&str, Has)] = &[
    ("calls and globals in general control flow", |_, r| {
        is_general(r) && calls(r) && has(r, is_global)
    }),
    ("graphs that are not structured", |_, r| {
        is_general(r)
            && r.body
                .as_ref()
                .is_some_and(|body| Structure::compute(body).is_err())
    }),
    ("returns from the inside", |_, r| {
        let exits = |body: &cfg_core::ir::Cfg| body.exit().map_or(0, |v| body.in_edges(v).len());
        r.body.as_ref().is_some_and(|body| exits(body) > 1)
    }),
    (
        "routines with general control flow that call themselves",
        |program, r| is_general(r) && callees(program, r).any(|called| called.name == r.name),
    ),
    ("local records in general control flow", |_, r| {
        is_general(r) && has(r, |v| is_record(v) && v.role == Role::Local)
    }),
    ("global records in general control flow", |_, r| {
        is_general(r) && has(r, |v| is_record(v) && is_global(v))
    }),
    ("records that may overlap", |_, r| {
        r.aliased && has(r, |v| is_record(v) && v.intent().is_some())
    }),
    ("arrays of records that may overlap", |_, r| {
        r.aliased && has(r, |v| is_record(v) && v.intent().is_some() && v.rank() > 0)
    }),
    ("optional records", |_, r| {
        has(r, |v| is_record(v) && is_optional(v))
    }),
    ("records as results where parameters may overlap", |_, r| {
        r.aliased && r.result.is_some_and(|v| is_record(r.variable(v)))
    }),
    (
        "stops in general control flow that is called",
        |program, r| {
            let main = program.main.map(|main| program.routine(main));
            is_general(r) && main.is_some_and(|main| main.name != r.name) && stops(r)
        },
    ),
    ("stops beside calls in general control flow", |_, r| {
        is_general(r) && calls(r) && stops(r)
    }),
    ("stops where parameters may overlap", |_, r| {
        r.aliased && stops(r)
    }),
    (
        "external functions of arrays in general control flow",
        |program, r| is_general(r) && calls_external(program, r, |_| true),
    ),
    (
        "external functions of arrays where parameters may overlap",
        |program, r| r.aliased && calls_external(program, r, |_| true),
    ),
    ("partials of external functions of arrays", |program, r| {
        calls_external(program, r, |external| external.partials.is_some())
    }),
    ("values of external functions of arrays", |program, r| {
        calls_external(program, r, |external| external.partials.is_none())
    }),
    ("given derivatives, an argument left out", |program, r| {
        calls_given(program, r, |_, all| all.contains(&None))
    }),
    ("given derivatives, an optional argument", |program, r| {
        let optional = |r: &Routine| has(r, is_optional);
        calls_given(program, r, |called, all| {
            optional(called) && !all.contains(&None)
        })
    }),
    (
        "given derivatives of a routine that calls itself",
        |program, r| {
            calls_given(program, r, |called, _| called.name == "turn")
                && !r.name.starts_with("turn")
        },
    ),
    ("one real for two parameters", |program, r| {
        binds_twice(program, r, |v| v.ty.is_real())
    }),
    ("one integer for two parameters", |program, r| {
        binds_twice(program, r, |v| !v.ty.is_real() && !is_record(v))
    }),
];

fn is_general(r: &Routine) -> bool {
    r.control == Control::General
}

fn is_record(v: &Variable) -> bool {
    v.ty.record().is_some()
}

fn is_global(v: &Variable) -> bool {
    matches!(v.role, Role::Global(_))
}

fn is_optional(v: &Variable) -> bool {
    matches!(v.role, Role::Parameter { optional: true, .. })
}

fn has(r: &Routine, fits: impl Fn(&Variable) -> bool) -> bool {
    r.variables.iter().any(fits)
}

fn stops(r: &Routine) -> bool {
    r.statements()
        .any(|s| matches!(s.kind, StmtKind::Stop { .. }))
}

fn calls(r: &Routine) -> bool {
    r.statements().any(|s| s.kind.callee().is_some())
}

fn callees<'a>(program: &'a Program, r: &'a Routine) -> impl Iterator<Item = &'a Routine> {
    let callees = r.statements().filter_map(|s| s.kind.callee());
    callees.map(|callee| program.routine(callee))
}

/// True of a routine that calls an external function of arrays of which this holds.
fn calls_external(program: &Program, r: &Routine, holds: impl Fn(&External) -> bool) -> bool {
    callees(program, r).any(|called| {
        let external = called.external.as_deref();
        external.is_some_and(&holds) && has(called, |v| v.rank() > 0)
    })
}

/// True of a routine with a call of which this holds.
fn calls_with(
    program: &Program,
    r: &Routine,
    holds: impl Fn(&Routine, &[Option<Expr>]) -> bool,
) -> bool {
    r.statements().any(|s| match &s.kind {
        StmtKind::Call {
            callee, arguments, ..
        } => holds(program.routine(*callee), arguments),
        _ => false,
    })
}

/// True of a routine that calls one with given derivatives, of which this holds.
fn calls_given(
    program: &Program,
    r: &Routine,
    holds: impl Fn(&Routine, &[Option<Expr>]) -> bool,
) -> bool {
    calls_with(program, r, |called, all| {
        called.derivatives.is_some() && holds(called, all)
    })
}

/// True of a routine that hands one variable to two parameters, of which one is written and fits.
fn binds_twice(program: &Program, r: &Routine, fits: impl Fn(&Variable) -> bool) -> bool {
    let of = |e: &Option<Expr>| match e {
        Some(Expr::Place(place)) => Some(place.var),
        _ => None,
    };
    calls_with(program, r, |called, all| {
        called.parameter_ids().zip(all).any(|(p, e)| {
            let p = called.variable(p);
            let written = p.intent().is_some_and(|intent| intent.writes()) && fits(p);
            written && of(e).is_some() && all.iter().filter(|other| of(other) == of(e)).count() > 1
        })
    })
}

/// Each combination is drawn in several of the programs.
#[test]
fn combinations_are_drawn() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..200 {
        let case = generate(&Options::MIXED, seed).unwrap_or_else(|e| panic!("{seed}: {e:?}"));
        let program = case.program;
        for (name, is_there) in COMBINED {
            let found = program.routines.iter().any(|r| is_there(&program, r));
            *counts.entry(*name).or_default() += usize::from(found);
        }
    }
    assert!(counts.values().all(|&n| n >= 10), "{counts:#?}");
}
