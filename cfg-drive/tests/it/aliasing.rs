//! Derivatives where parameters share cells with globals, and where calls change what subscripts read.

use crate::flat;
use crate::{checked, merged_and_not, reals};
use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
use cfg_core::entity::RoutineId;
use cfg_core::ir::{
    Expr, Overlay,
    ScalarType::{Integer, Real},
};
use cfg_core::validate::ValidProgram;
use cfg_drive::{Adjoint, Options};

/// The gradient of y at x, by every way to write it; the check by differences and the product of
/// derivatives agrees.
fn gradient(program: ProgramBuilder, f: RoutineId, x: f64) -> Vec<f64> {
    let program = program.finish().expect("the builder is used right");
    let point = format!(r#"{{"x": {x}}}"#);
    let found = checked(&program, f, &point);
    assert_eq!(found.agrees(), Some(true), "{found:?}");
    let [first, second] = merged_and_not().map(|options| {
        let mut adjoint = Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
        let point = adjoint.read_point(point.as_bytes()).expect("a point");
        let seed = adjoint.seed_of_ones(&point).expect("it has dependents");
        let run = adjoint.gradient(&point, &seed).expect("it runs");
        reals(&run.gradient, "x")
    });
    assert_eq!(first, second);
    first
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-14 * b.abs(), "{found:?} {expected:?}");
    }
}

/// `s := x; call h(s); y := s*s` with `h(a): a := sin(s)`.
fn sine_of_the_global(aliased: bool) -> (ProgramBuilder, RoutineId) {
    let mut p = ProgramBuilder::new();
    let s = p.global("s", Real);
    let mut h = RoutineBuilder::new("h");
    let a = h.inout("a", Real);
    let here = h.global(p.program(), s);
    h.assign(a, sin(here));
    if aliased {
        h.aliased();
    }
    let h = p.add(h);
    let mut f = RoutineBuilder::new("f");
    let (x, y) = (f.input("x", Real), f.output("y", Real));
    let s = f.global(p.program(), s);
    f.independents([x]).dependents([y]);
    f.assign(s, x);
    f.call(h, [s]);
    f.assign(y, s * s);
    let f = p.add(f);
    (p, f)
}

#[test]
fn an_argument_that_is_a_global_of_the_routine_stops_the_run_or_is_right() {
    let (p, f) = sine_of_the_global(false);
    let program: ValidProgram = p.finish().expect("the builder is used right");
    let mut adjoint =
        Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    let point = adjoint.read_point(br#"{"x": 0.4}"#).expect("a point");
    let seed = adjoint.seed_of_ones(&point).expect("it has dependents");
    let problem = adjoint.gradient(&point, &seed).expect_err("they overlap");
    assert!(format!("{problem:?}").contains("X214"), "{problem:?}");
    let (p, f) = sine_of_the_global(true);
    close(&gradient(p, f, 0.4), &[(0.8f64).sin()]);
}

/// The aliased routine reads through one name what it has written through the other, in both orders,
/// through an overlay, and in a routine that it calls.
#[test]
fn an_aliased_routine_reads_what_it_has_written_by_another_name() {
    let mut p = ProgramBuilder::new();
    let block = p.global("block", Real.array([3]));
    p.initialize(block, [1.0]);
    let tail = p.global("tail", Real.array([2]));
    let base = block;
    p.overlay(tail, Overlay { base, offset: 1 });
    let mut inner = RoutineBuilder::new("inner");
    let b = inner.input("b", Real);
    inner.aliased();
    let tail_here = inner.global(p.program(), tail);
    inner.assign(tail_here.at(1), b * tail_here.at(1) * b);
    let inner = p.add(inner);
    let mut h = RoutineBuilder::new("h");
    let a = h.inout("a", Real);
    h.aliased();
    let block_here = h.global(p.program(), block);
    h.assign(a, sin(block_here.at(2)));
    h.assign(block_here.at(2), a * exp(block_here.at(2)));
    h.call(inner, [a]);
    h.assign(a, a * block_here.at(1));
    let h = p.add(h);
    let mut f = RoutineBuilder::new("f");
    let (x, y) = (f.input("x", Real), f.output("y", Real));
    let block = f.global(p.program(), block);
    let tail = f.global(p.program(), tail);
    f.independents([x]).dependents([y]);
    f.assign(block, x);
    f.call(h, [tail.at(1)]);
    f.assign(y, block.at(2) * block.at(3));
    let f = p.add(f);
    // s = sin x; t = s exp s; y = t^3 x x.
    let x = 0.7f64;
    let (s, c) = x.sin_cos();
    let t = s * s.exp();
    let dt = c * s.exp() * (1.0 + s);
    close(
        &gradient(p, f, x),
        &[3.0 * t * t * dt * x * x + 2.0 * t * t * t * x],
    );
}

/// `f(a)` reads the global s and passes a on to `g`, which reads s too: legal if a is s, since nothing is
/// written, and then all adjoints are increments of one cell.
#[test]
fn reading_a_global_as_an_argument_two_calls_deep() {
    let mut p = ProgramBuilder::new();
    let s = p.global("s", Real);
    let mut g = RoutineBuilder::new("g");
    let (a, r) = (g.input("a", Real), g.result("r", Real));
    let here = g.global(p.program(), s);
    g.assign(r, a * here * here);
    let g = p.add(g);
    let mut middle = RoutineBuilder::new("middle");
    let (a, r) = (middle.input("a", Real), middle.output("r", Real));
    middle.call_function(r, g, [a]);
    let middle = p.add(middle);
    let mut f = RoutineBuilder::new("f");
    let (x, y) = (f.input("x", Real), f.output("y", Real));
    let here = f.global(p.program(), s);
    f.independents([x]).dependents([y]);
    f.assign(here, x);
    f.call(middle, [here, y]);
    let f = p.add(f);
    close(&gradient(p, f, 1.5), &[3.0 * 1.5 * 1.5]);
}

/// Calls and assignments that change, by the name of an overlay, what subscripts of their target and
/// arguments read.
#[test]
fn subscripts_are_those_from_before_the_statement() {
    let mut p = ProgramBuilder::new();
    let k = p.global("k", Integer.array([2]));
    p.initialize(k, [1]);
    let first = p.global("first", Integer);
    p.overlay(first, Overlay { base: k, offset: 0 });
    let mut next = RoutineBuilder::new("next");
    let (u, v, r) = (
        next.input("u", Real),
        next.inout("v", Real),
        next.result("r", Real),
    );
    let here = next.global(p.program(), first);
    next.assign(here, here + 1);
    next.assign(v, v * u);
    next.assign(r, u + 1.0);
    let next = p.add(next);
    let mut f = RoutineBuilder::new("f");
    let (x, y) = (f.input("x", Real), f.output("y", Real.array([3])));
    let w = f.local("w", Real.array([3]));
    let k = f.global(p.program(), k);
    let first = f.global(p.program(), first);
    f.independents([x]).dependents([y]);
    f.assign(y, 0.0);
    f.assign(w, x);
    f.assign(k, 1);
    // The first element of w is squared, and y(1) = x + 1; then the second ones.
    for _ in 0..2 {
        f.call_function(y.at(k.at(1)), next, [Expr::from(x), w.at(k.at(1)).into()]);
    }
    // k(3 - 2) is replaced, then its old value is needed to undo it.
    f.assign(k.at(first - 2), 2);
    f.assign(y.at(3), w.at(k.at(1)) * w.at(1) * w.at(3));
    let f = p.add(f);
    close(&gradient(p, f, 1.5), &[2.0 + 5.0 * 1.5f64.powi(4)]);
}
