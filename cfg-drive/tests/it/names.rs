//! Programs that fuzzing found: names that meet, loops that are entered in the middle.

use crate::flat;
use crate::{checked, finish, merged_and_not, reals};
use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
use cfg_core::ir::{
    Control,
    ScalarType::{Integer, Real},
};
use cfg_drive::{Adjoint, Options};

/// `f(x, y)` calls `g(r)`, which multiplies r by a global that is called y as well.
#[test]
fn a_global_of_a_callee_has_the_name_of_an_argument() {
    let mut program = ProgramBuilder::new();
    let y = program.global("y", Real);
    program.initialize(y, [3.0]);
    let mut g = RoutineBuilder::new("g");
    let r = g.inout("r", Real);
    let factor = g.global(program.program(), y);
    g.assign(r, r * factor);
    let g = program.add(g);
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.output("y", Real);
    f.independents([x]).dependents([y]);
    f.assign(y, sin(x));
    f.call(g, [y]);
    let f = program.add(f);
    let program = program.finish().expect("names of globals are their own");
    let found = checked(&program, f, r#"{"x": 0.5}"#);
    assert_eq!(found.agrees(), Some(true), "{found:?}");
    for options in merged_and_not() {
        let mut adjoint = Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
        let point = adjoint.read_point(br#"{"x": 0.5}"#).expect("a point");
        let seed = adjoint.seed_of_ones(&point).expect("it has dependents");
        let run = adjoint.gradient(&point, &seed).expect("it runs");
        assert_eq!(reals(&run.gradient, "x"), [3.0 * 0.5f64.cos()]);
        assert_eq!(run.mirrored, Some(true));
    }
}

/// A counted loop that only jumps into its body enter: its first value is never computed.
#[test]
fn a_loop_that_is_never_entered_at_its_header() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let y = f.output("y", Real);
    let i = f.local("i", Integer);
    f.independents([x]).dependents([y]);
    f.assign(y, x * x);
    f.for_loop(i, 1, 2, |f| f.assign(y, y * x));
    let (program, f) = finish(f);
    let mut general = program.program().clone();
    let routine = &mut general.routines[f.index()];
    routine.control = Control::General;
    let cfg = routine.body.take().expect("it has a body");
    let (vertices, mut edges) = cfg.into_parts();
    let of = |ty| {
        let found = vertices.iter().position(|v| v.vertex_type() == ty);
        found
            .map(cfg_core::entity::VertexId::new)
            .expect("it has one")
    };
    use cfg_core::ir::VertexType;
    let (header, body) = (of(VertexType::Loop), of(VertexType::EndLoop));
    // Edges from outside to the header are moved to the end of the body, so the index has no value there.
    for edge in &mut edges {
        if edge.to == header && edge.from != body {
            edge.to = body;
        }
    }
    routine.body = cfg_core::ir::Cfg::new(vertices, edges);
    let problems = cfg_core::validate::validate(general).expect_err("i has no value");
    assert!(problems.iter().any(|d| d.code == "V152"), "{problems:?}");
}
/// Each of 4000 routines has a global of its own; memory holds each name once.
#[test]
fn thousands_of_routines_with_a_global_each() {
    const N: usize = 4000;
    let mut program = ProgramBuilder::new();
    let globals: Vec<_> = (0..N)
        .map(|k| program.global(format!("g{k}"), Real))
        .collect();
    let routines: Vec<_> = globals
        .iter()
        .map(|&g| {
            let mut h = RoutineBuilder::new(format!("h{}", g.index()));
            let u = h.input("u", Real);
            let here = h.global(program.program(), g);
            h.assign(here, u * u);
            program.add(h)
        })
        .collect();
    let mut f = RoutineBuilder::new("f");
    let (x, y) = (f.input("x", Real), f.output("y", Real));
    f.independents([x]).dependents([y]);
    for &h in &routines {
        f.call(h, [x]);
    }
    let last = f.global(program.program(), globals[N - 1]);
    f.assign(y, last);
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    let mut adjoint =
        Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    let point = adjoint.read_point(br#"{"x": 1.5}"#).expect("a point");
    let seed = adjoint.seed_of_ones(&point).expect("it has dependents");
    let run = adjoint.gradient(&point, &seed).expect("it runs");
    assert_eq!(reals(&run.gradient, "x"), [3.0]);
}
