//! Preaccumulated blocks: the paper's example, where segments end, corners, large blocks.

use crate::run::{Named, run, valid};
use bb_preaccum::{
    draw::describe,
    heuristic::{Heuristic, Limits},
    search::{Options as Search, search},
};
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::{RoutineId, VarId},
    ir::{Expr, Program, ScalarType, ScalarType::Integer, ScalarType::Real, StmtKind},
};
use cfg_exec::Value;
use cfg_reverse::{
    Blocks, Options, Reversal,
    preaccumulate::{Block, Preaccumulation, Side, preaccumulate, preaccumulate_by},
    reverse,
};
use cfg_testkit::flat;
use cfg_testkit::golden::golden;
use std::fmt::Write as _;

fn finish(f: RoutineBuilder) -> (Program, RoutineId) {
    let mut program = ProgramBuilder::new();
    let f = program.add(f);
    let program = program.finish().expect("the program is valid");
    (program.into_program(), f)
}

/// The block of Naumann et al. 2004, Eqn. (3), with the sine of Eqn. (4).
fn paper() -> (Program, RoutineId) {
    let mut f = RoutineBuilder::new("f");
    let [v1, v2] = ["v1", "v2"].map(|name| f.input(name, Real));
    let [v3, v4, v6, v7] = ["v3", "v4", "v6", "v7"].map(|name| f.output(name, Real));
    f.independents([v1, v2]).dependents([v3, v4, v6, v7]);
    f.assign(v3, v1 * v2);
    f.assign(v4, v1 * v3);
    f.assign(v6, sin(v4));
    f.assign(v7, (v3 * v2) * v4);
    finish(f)
}

fn shown(result: &Preaccumulation, block: &Block) -> String {
    let mut out = String::new();
    let forward = result.variables(block, Side::Forward);
    let name = |place: &cfg_core::ir::Place| cfg_core::text::place_text(forward, place);
    for (what, list) in [
        ("independent", &block.independents),
        ("dependent", &block.dependents),
    ] {
        for (id, place) in list {
            writeln!(out, "{what} {id} = {}", name(place)).unwrap();
        }
    }
    for edge in block.lcg.edges() {
        let (source, target) = (block.lcg.id(edge.source), block.lcg.id(edge.target));
        let label = cfg_core::text::expr(forward, &block.labels[edge.tag as usize]);
        writeln!(out, "c({target},{source}) = {label}").unwrap();
    }
    let steps: Vec<String> = (block.outcome.steps.iter())
        .map(|&step| describe(&block.lcg, step))
        .collect();
    writeln!(out, "sequence {}", steps.join(" ")).unwrap();
    for (what, side, list) in [
        ("linearized", Side::Forward, &block.linearized),
        ("accumulation", Side::Forward, &block.jaes),
        ("pushes", Side::Forward, &block.pushes),
        ("adjoint", Side::Reverse, &block.reverse),
    ] {
        writeln!(out, "{what}").unwrap();
        for statement in list {
            writeln!(out, "  {}", result.text(block, side, statement)).unwrap();
        }
    }
    for (source, target, value) in &block.entries {
        let value = cfg_core::text::expr(forward, value);
        writeln!(out, "J({target},{source}) = {value}").unwrap();
    }
    out
}

/// Section 3 from end to end: the graph of Fig. 3, the sequence of HS, LM, reverse, the code of
/// Eqn. (5) with the entries pushed, and the product of Eqn. (6).
#[test]
fn the_example_of_the_paper() {
    let (program, f) = paper();
    let program = valid(program).unwrap();
    let result = preaccumulate_by(&flat(&program), f, |lcg| {
        let mut outcome = search(lcg, &Search::default());
        outcome.steps = Heuristic::paper().run(lcg, &Limits::default()).steps;
        Some(outcome)
    })
    .unwrap();
    let [block] = &result.blocks[..] else {
        panic!("one block")
    };
    // t is vertex 6: (3,t)f first, then (4,7)b.
    assert_eq!(describe(&block.lcg, block.outcome.steps[0]), "(3,6)f");
    assert_eq!(describe(&block.lcg, block.outcome.steps[1]), "(4,7)b");
    golden(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/paper_block.txt"),
        &shown(&result, block),
    );
    // By default: two multiplications less.
    let best = preaccumulate(&flat(&program), f, &Search::default()).unwrap();
    assert_eq!(
        (best.blocks[0].outcome.cost, best.blocks[0].outcome.bound),
        (10, 10)
    );
}

fn from_jacobians() -> Options {
    Options {
        blocks: Blocks::Preaccumulate,
        work: 20_000,
        ..Options::default()
    }
}

fn reversed(program: &Program, f: RoutineId, options: &Options) -> Reversal {
    reverse(&flat(&valid(program.clone()).unwrap()), f, options).unwrap()
}

/// Gradient by statement and from Jacobians.
fn both(program: &Program, f: RoutineId, given: &Named) -> [Named; 2] {
    [Options::default(), from_jacobians()].map(|options| {
        let r = reversed(program, f, &options);
        let program = valid(r.program).unwrap();
        assert!(
            !tape_check::check_program(&flat(&program))
                .problems
                .has_errors()
        );
        run(&program, r.gradient, given).unwrap()
    })
}

fn pushes(r: &Reversal) -> usize {
    let cfg = r.program.routine(r.forward).body.as_ref().unwrap();
    let statements = cfg.vertices().flat_map(|(_, vertex)| vertex.statements());
    statements
        .filter(|s| matches!(s.kind, StmtKind::Push { .. }))
        .count()
}

fn segments(program: &Program, f: RoutineId) -> Vec<(usize, usize)> {
    let program = valid(program.clone()).unwrap();
    let result = preaccumulate(&flat(&program), f, &Search::default()).unwrap();
    let ranges = result.blocks.iter().map(|b| b.statements.clone());
    ranges.map(|r| (r.start, r.end)).collect()
}

fn array(values: &[f64]) -> Value {
    let mut value = Value::uninitialised(Real, &[values.len()], cfg_core::ir::Order::Row).unwrap();
    for (i, &x) in values.iter().enumerate() {
        assert!(value.set(i, cfg_core::elemental::Scalar::Real(x)));
    }
    value
}

fn scalar(x: cfg_core::elemental::Scalar) -> Value {
    let mut value = Value::uninitialised(x.ty(), &[], cfg_core::ir::Order::Row).unwrap();
    assert!(value.set(0, x));
    value
}

/// f(i, j, a): reads and writes a(i) and a(j), which may be one cell.
fn elements(
    statements: impl FnOnce(&mut RoutineBuilder, VarId, VarId, VarId),
) -> (Program, RoutineId) {
    let mut f = RoutineBuilder::new("f");
    let (i, j) = (f.input("i", Integer), f.input("j", Integer));
    let a = f.inout("a", Real.array([4]));
    f.independents([a]).dependents([a]);
    statements(&mut f, i, j, a);
    finish(f)
}

#[test]
fn elements_that_may_be_one_cell() {
    let (read_after_write, f) = elements(|f, i, j, a| {
        f.assign(a.at(i), a.at(i) * a.at(i));
        f.assign(a.at(j), a.at(j) * 3.0 + sin(a.at(1)));
    });
    // a(j) may be the cell of a(i), which has been written.
    assert_eq!(segments(&read_after_write, f), [(0, 1), (1, 2)]);
    let (two_writes, _) = elements(|f, i, j, a| {
        f.assign(a.at(i), a.at(1) * a.at(j));
        f.assign(a.at(j), sin(a.at(i)));
        f.assign(a.at(i), a.at(i) * 2.0);
    });
    // The last statement reads a(i), and a(j) has been written since.
    assert_eq!(segments(&two_writes, f), [(0, 2), (2, 3)]);
    let (neighbours, _) = elements(|f, i, _, a| {
        f.assign(a.at(i), a.at(i + 1) * a.at(i));
        f.assign(a.at(i + 1), a.at(i) * a.at(i + 1));
    });
    // a(i) and a(i+1) are different cells.
    assert_eq!(segments(&neighbours, f), [(0, 2)]);
    let (moving, _) = elements(|f, i, j, a| {
        let k = f.local("k", Integer);
        f.assign(k, i);
        f.assign(a.at(k), a.at(k) * a.at(j));
        f.assign(k, j);
        f.assign(a.at(k), a.at(k) * 5.0);
    });
    assert_eq!(segments(&moving, f), [(1, 2), (3, 4)]);
    for program in [read_after_write, two_writes, neighbours, moving] {
        for (i, j) in [(1, 1), (1, 2), (2, 1), (3, 3), (3, 1)] {
            let mut given = Named::new();
            let integer = cfg_core::elemental::Scalar::Integer;
            given.insert("i".into(), scalar(integer(i)));
            given.insert("j".into(), scalar(integer(j)));
            given.insert("a".into(), array(&[0.5, -1.25, 2.0, 3.0]));
            given.insert("a_b".into(), array(&[1.0, 0.75, -2.0, 0.125]));
            let [by_statement, by_jacobian] = both(&program, f, &given);
            for name in ["a", "a_b"] {
                let list = |out: &Named| out[name].to_f64s().unwrap();
                for (x, y) in list(&by_statement).iter().zip(list(&by_jacobian)) {
                    assert!((x - y).abs() < 1e-12, "{name}, i = {i}, j = {j}: {x} {y}");
                }
            }
        }
    }
}

/// f(x, y): statements over scalars; `x` in, `y` out.
fn scalars(statements: impl FnOnce(&mut RoutineBuilder, VarId, VarId)) -> (Program, RoutineId) {
    let mut f = RoutineBuilder::new("f");
    let x = f.inout("x", Real);
    let y = f.output("y", Real);
    f.independents([x]).dependents([y]);
    statements(&mut f, x, y);
    finish(f)
}

#[test]
fn what_is_pushed() {
    let count =
        |(program, f): (Program, RoutineId)| pushes(&reversed(&program, f, &from_jacobians()));
    // A chain has one entry, however long it is; its inner values are not needed.
    let chain = |n: usize| {
        scalars(move |f, x, y| {
            f.assign(y, x);
            for _ in 0..n {
                f.assign(y, sin(y));
            }
        })
    };
    assert_eq!(count(chain(1)), 1);
    assert_eq!(count(chain(50)), 1);
    // Entries that are known are not pushed.
    assert_eq!(count(scalars(|f, x, y| f.assign(y, -x))), 0);
    assert_eq!(count(scalars(|f, x, y| f.assign(y, x * 3.0 + x))), 0);
    // A value that is overwritten before it is read is no dependent, and the derivative of x - x is 0.
    let dead = scalars(|f, x, y| {
        f.assign(y, sin(x));
        f.assign(y, x - x);
    });
    assert_eq!(count(dead), 0);
    // Read by the segment, overwritten by the segment: entry and exit values of one variable.
    let own = scalars(|f, x, y| {
        f.assign(x, x * x);
        f.assign(y, x * x);
    });
    assert_eq!(count(own), 2);
}

#[test]
fn an_infinite_partial_of_an_arm_that_is_not_taken() {
    // sqrt has an infinite partial at 0, where the other arm is taken.
    let (program, f) = scalars(|f, x, y| {
        f.assign(y, cond(gt(x, 0.0), sqrt(x), x * 2.0));
        f.assign(y, y * 0.0 + max(x, y));
    });
    for x in [0.0, 4.0, -1.0] {
        let mut given = Named::new();
        let real = cfg_core::elemental::Scalar::Real;
        given.insert("x".into(), scalar(real(x)));
        given.insert("x_b".into(), scalar(real(0.0)));
        given.insert("y_b".into(), scalar(real(1.0)));
        let [by_statement, by_jacobian] = both(&program, f, &given);
        assert_eq!(by_statement["x_b"], by_jacobian["x_b"], "x = {x}");
        assert!(by_statement["x_b"].to_f64s().unwrap()[0].is_finite());
    }
}

/// Statements that read one earlier value, two of the last 32, or two arbitrary earlier ones.
fn large(n: usize, reach: usize) -> (Program, RoutineId) {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([64]));
    let y = f.output("y", Real.array([n as i64]));
    f.independents([x]).dependents([y]);
    // Many inputs and results only where elimination is to fill the graph in.
    let many = reach == usize::MAX;
    let inputs: i64 = if many { 64 } else { 1 };
    let mut values: Vec<Expr> = (1..=inputs).map(|k| x.at(k).into()).collect();
    let mut read = vec![true; values.len()];
    let mut state: u64 = 1;
    for k in 0..n {
        let v = f.local(format!("v{k}"), Real);
        let mut pick = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = values.len() - 1 - (state >> 33) as usize % reach.min(values.len());
            read[at] = true;
            values[at].clone()
        };
        let (a, b) = (pick(), pick());
        if reach == 1 {
            f.assign(v, sin(a));
        } else {
            f.assign(v, a * b);
        }
        values.push(v.into());
        read.push(false);
    }
    // Results: the values that no statement reads, or the last value.
    for (k, (value, read)) in (1i64..).zip(values.into_iter().zip(read).skip(inputs as usize)) {
        if if many { !read } else { k == n as i64 } {
            f.assign(y.at(k), value);
        }
    }
    finish(f)
}

#[test]
fn large_blocks() {
    let cheap = Search {
        work: 0,
        ..Search::default()
    };
    for (reach, complete) in [(1, true), (32, true), (usize::MAX, false)] {
        let (program, f) = large(40_000, reach);
        let program = valid(program).unwrap();
        let result = preaccumulate(&flat(&program), f, &cheap).unwrap();
        let [block] = &result.blocks[..] else {
            panic!("one segment")
        };
        assert_eq!(block.outcome.complete, complete, "reach {reach}");
        let edges = block.lcg.edges().len();
        // Fill-in stops at four times the number of edges; one step may pass it by a little.
        assert!(block.jaes.len() < 8 * edges + 1000);
        assert!(block.entries.len() < 6 * edges);
        if reach == 1 {
            assert_eq!((block.entries.len(), block.pushes.len()), (1, 1));
        }
    }
}

#[test]
fn values_of_single_precision_are_apart() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", ScalarType::Real32);
    let y = f.output("y", Real);
    let s = f.local("s", ScalarType::Real32);
    f.independents([x]).dependents([y]);
    f.assign(s, x * x);
    f.assign(y, real(s));
    f.assign(y, y * y);
    let (program, f) = finish(f);
    assert_eq!(segments(&program, f), [(0, 1), (2, 3)]);
}
