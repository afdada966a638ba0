//! Arguments that share cells with globals that the called routine uses, and calls that change the variables of
//! subscripts.

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::{GlobalId, RoutineId},
    ir::{
        Dim, Expr, Intent, Overlay,
        ScalarType::{Integer, Real},
    },
};

use cfg_exec::Value;

use crate::common::{fault, real, reals, run};

/// The use that a routine makes of a parameter or a global.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Nothing,
    Reads,
    Writes,
}

use Does::{Nothing, Reads, Writes};

const ALL: [Does; 3] = [Nothing, Reads, Writes];

/// `h(a)` uses its parameter as its intent says, and the global, in a routine that it calls if `deep`.
fn user(
    p: &mut ProgramBuilder,
    g: GlobalId,
    [parameter, global]: [Does; 2],
    deep: bool,
    aliased: bool,
) -> RoutineId {
    let uses = |f: &mut RoutineBuilder, p: &ProgramBuilder| {
        let s = (global != Nothing).then(|| f.global(p.program(), g));
        let t = f.local("t", Real);
        match (global, s) {
            (Reads, Some(s)) => f.assign(t, s),
            (Writes, Some(s)) => f.assign(s, 5.0),
            _ => {}
        }
    };
    let inner = deep.then(|| {
        let mut inner = RoutineBuilder::new("inner");
        uses(&mut inner, p);
        p.add(inner)
    });
    let mut h = RoutineBuilder::new("h");
    let intent = if parameter == Writes {
        Intent::InOut
    } else {
        Intent::In
    };
    let a = h.parameter("a", Real, intent);
    match inner {
        Some(inner) => h.call(inner, [] as [Expr; 0]),
        None => uses(&mut h, p),
    }
    if parameter == Writes {
        h.assign(a, a + 1.0);
    }
    if aliased {
        h.aliased();
    }
    p.add(h)
}

#[test]
fn an_argument_may_be_a_global_that_the_routine_uses_if_neither_is_written() {
    for parameter in [Reads, Writes] {
        for global in ALL {
            for (deep, aliased) in [(false, false), (true, false), (false, true), (true, true)] {
                let mut p = ProgramBuilder::new();
                let s = p.global("s", Real);
                p.initialize(s, [1.0]);
                let h = user(&mut p, s, [parameter, global], deep, aliased);
                let mut f = RoutineBuilder::new("f");
                let y = f.output("y", Real);
                let s = f.global(p.program(), s);
                f.call(h, [s]);
                f.assign(y, s);
                p.add(f);
                let p = p.finish().unwrap();
                let clash = global != Nothing && (parameter == Writes || global == Writes);
                if clash && !aliased {
                    let (code, message, at) = fault(&p, &mut [0.0.into()]);
                    assert_eq!(code, "X214");
                    assert!(message.contains("argument 1") && message.contains("'s'"));
                    assert_eq!(at, "routine f, vertex 2, statement 1");
                } else {
                    let mut a = [0.0.into()];
                    run(&p, &mut a).unwrap();
                    let before = if global == Writes { 5.0 } else { 1.0 };
                    let added = if parameter == Writes { 1.0 } else { 0.0 };
                    assert_eq!(real(&a[0]), before + added);
                }
            }
        }
    }
}

/// A routine `f(k)` that passes parts of the global `block` of 6 to `h`, which adds 1 to its parameter and
/// reads the global `tail`, cells 3 to 4 of block.
fn parts(shape: impl Into<cfg_core::builder::VarType>) -> (ProgramBuilder, RoutineId, GlobalId) {
    let mut p = ProgramBuilder::new();
    let block = p.global("block", Real.array([6]));
    p.initialize(block, [0.0]);
    let tail = p.global("tail", Real.array([2]));
    let base = block;
    p.overlay(tail, Overlay { base, offset: 2 });
    let mut h = RoutineBuilder::new("h");
    let a = h.inout("a", shape);
    let t = h.local("t", Real);
    let tail = h.global(p.program(), tail);
    h.assign(t, tail.at(1));
    h.assign(a, a + 1.0);
    let h = p.add(h);
    (p, h, block)
}

#[test]
fn parts_of_a_global_overlap_the_overlay_that_the_routine_names() {
    // An element with a subscript that is known when it runs.
    let (mut p, h, block) = parts(Real);
    let mut f = RoutineBuilder::new("f");
    let k = f.input("k", Integer);
    let block = f.global(p.program(), block);
    f.call(h, [block.at(k)]);
    p.add(f);
    let p = p.finish().unwrap();
    for k in 1..=6 {
        let found = run(&p, &mut [k.into()]);
        match k {
            3 | 4 => assert_eq!(found.unwrap_err().code, "X214", "{k}"),
            _ => drop(found.unwrap()),
        }
    }
    // Sections, with gaps too.
    let (mut p, h, block) = parts(Real.array([Dim::deferred()]));
    let mut f = RoutineBuilder::new("f");
    let (i, j, s) = (
        f.input("i", Integer),
        f.input("j", Integer),
        f.input("s", Integer),
    );
    let block = f.global(p.program(), block);
    f.call(h, [block.at(strided(i, j, s))]);
    p.add(f);
    let p = p.finish().unwrap();
    for ([i, j, s], clash) in [
        ([1, 2, 1], false),
        ([1, 3, 1], true),
        ([2, 5, 3], false),
        ([1, 5, 2], true),
        ([5, 6, 1], false),
        ([6, 3, -1], true),
        ([3, 2, 1], false),
    ] {
        let found = run(&p, &mut [i.into(), j.into(), s.into()]);
        assert_eq!(found.is_err_and(|e| e.code == "X214"), clash, "{i} {j} {s}");
    }
    // A parameter of explicit shape takes what it needs from the element on.
    let (mut p, h, block) = parts(Real.array([2]));
    let mut f = RoutineBuilder::new("f");
    let k = f.input("k", Integer);
    let block = f.global(p.program(), block);
    f.call(h, [block.at(k)]);
    p.add(f);
    let p = p.finish().unwrap();
    for k in 1..=5 {
        let found = run(&p, &mut [k.into()]);
        match found {
            Ok(_) => assert!([1, 5].contains(&k), "{k}"),
            Err(e) => {
                assert_eq!((e.code, (2..5).contains(&k)), ("X214", true), "{k}");
                let at = e.at.element.as_deref();
                assert_eq!(at, Some("routine f, vertex 2, statement 1"));
            }
        }
    }
}

#[test]
fn a_parameter_that_may_be_a_global_is_compared_where_it_is_passed_on() {
    // f(aliased a) passes a on to h, which writes its parameter and reads s.
    let mut p = ProgramBuilder::new();
    let globals = ["r", "s"].map(|name| {
        let g = p.global(name, Real);
        p.initialize(g, [1.0]);
        g
    });
    let h = user(&mut p, globals[1], [Writes, Reads], true, false);
    let mut middle = RoutineBuilder::new("middle");
    let a = middle.inout("a", Real);
    middle.aliased();
    middle.call(h, [a]);
    let middle = p.add(middle);
    let mut f = RoutineBuilder::new("f");
    let k = f.input("k", Integer);
    let [r, s] = globals.map(|g| f.global(p.program(), g));
    f.if_else(eq(k, 1), |f| f.call(middle, [r]), |f| f.call(middle, [s]));
    p.add(f);
    let p = p.finish().unwrap();
    run(&p, &mut [1.into()]).unwrap();
    let (code, _, at) = fault(&p, &mut [2.into()]);
    assert_eq!(
        (code.as_str(), at.as_str()),
        ("X214", "routine middle, vertex 2, statement 1")
    );
}

#[test]
fn functions_with_side_effects_and_many_globals() {
    // Function k adds to global k; f passes global k to it, or the one after it.
    for shift in [0, 1] {
        for k in [0, 63, 64, 129] {
            let mut p = ProgramBuilder::new();
            let globals: Vec<_> = (0..131)
                .map(|k| {
                    let g = p.global(format!("g{k}"), Real);
                    p.initialize(g, [1.0]);
                    g
                })
                .collect();
            let functions: Vec<_> = globals
                .iter()
                .map(|&g| {
                    let mut h = RoutineBuilder::new(format!("h{}", g.index()));
                    let a = h.input("a", Real);
                    let y = h.result("y", Real);
                    let g = h.global(p.program(), g);
                    h.assign(g, g + 1.0);
                    h.assign(y, a);
                    p.add(h)
                })
                .collect();
            let mut f = RoutineBuilder::new("f");
            let (n, y) = (f.input("n", Integer), f.output("y", Real));
            let here: Vec<_> = globals.iter().map(|&g| f.global(p.program(), g)).collect();
            for j in 0..130 {
                f.if_then(eq(n, j as i64), |f| {
                    f.call_function(y, functions[j], [here[j + shift]]);
                });
            }
            p.add(f);
            let p = p.finish().unwrap();
            let found = run(&p, &mut [k.into(), 0.0.into()]);
            assert_eq!(found.is_err_and(|e| e.code == "X214"), shift == 0, "{k}");
        }
    }
}

#[test]
fn subscripts_of_the_target_are_evaluated_before_the_call() {
    // next(u) moves the global k on; the argument j is moved on too.
    let mut p = ProgramBuilder::new();
    let k = p.global("k", Integer);
    let mut next = RoutineBuilder::new("next");
    let (u, j) = (next.input("u", Real), next.inout("j", Integer));
    let r = next.result("r", Real);
    let here = next.global(p.program(), k);
    next.assign(here, here + 1);
    next.assign(j, j + 1);
    next.assign(r, u + 1.0);
    let next = p.add(next);
    let mut pair = RoutineBuilder::new("pair");
    let j = pair.inout("j", Integer);
    let r = pair.result("r", Real.array([2]));
    let here = pair.global(p.program(), k);
    pair.assign(here, here + 1);
    pair.assign(j, j + 1);
    pair.assign(r, 7.0);
    let pair = p.add(pair);
    let mut f = RoutineBuilder::new("f");
    let y = f.inout("y", Real.array([5]));
    let j = f.local("j", Integer);
    let k = f.global(p.program(), k);
    f.assign(k, 1);
    f.assign(j, 2);
    f.call_function(y.at(k), next, [Expr::from(1.0), j.into()]);
    f.call_function(y.at(j), next, [Expr::from(2.0), j.into()]);
    f.call_function(y.at(range(j, k + 2)), pair, [Expr::from(j)]);
    p.add(f);
    let mut a = [Value::from_reals(&[0.0; 5]).into()];
    run(&p.finish().unwrap(), &mut a).unwrap();
    assert_eq!(reals(&a[0]), [2.0, 0.0, 3.0, 7.0, 7.0]);
}

#[test]
fn a_scalar_result_fills_an_array() {
    let mut p = ProgramBuilder::new();
    let mut one = RoutineBuilder::new("one");
    let r = one.result("r", Real);
    one.assign(r, 1.0);
    let one = p.add(one);
    let mut f = RoutineBuilder::new("f");
    let y = f.inout("y", Real.array([4]));
    let none: [Expr; 0] = [];
    f.call_function(y.at(range(2, 3)), one, none);
    p.add(f);
    let mut a = [Value::from_reals(&[0.0; 4]).into()];
    run(&p.finish().unwrap(), &mut a).unwrap();
    assert_eq!(reals(&a[0]), [0.0, 1.0, 1.0, 0.0]);
}
