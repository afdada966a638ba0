//! A hundred thousand nested loops with a branch in each, through everything, in the stack that threads
//! have by default.

use crate::flat;
use cfg_back::dot::{DotOptions, write_cfg};
use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
use cfg_core::ir::ScalarType::{Integer, Real};
use cfg_core::validate::validate;
use cfg_drive::{Adjoint, Options};
use cfg_format::json;
use tape_check::Pair;

#[test]
fn a_hundred_thousand_nested_loops_and_branches() {
    const DEPTH: usize = 100_000;
    let mut f = RoutineBuilder::new("f");
    let n = f.inout("n", Integer);
    let x = f.inout("x", Real);
    f.independents([x]).dependents([x]);
    for _ in 0..DEPTH {
        f.begin_while(gt(n, 0));
        f.begin_if(gt(n, 1));
        f.assign(n, 2);
    }
    f.assign(n, 0);
    f.assign(x, x * x);
    for _ in 0..DEPTH {
        f.end_if();
        f.end_loop();
    }
    let mut program = ProgramBuilder::new();
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    let mut text = Vec::new();
    json::write(program.program(), &mut text).expect("memory can be written");
    let read = json::read_valid(&text).expect("what was written can be read");
    assert_eq!(read.program(), program.program());

    let reversal = cfg_reverse::reverse(&flat(&program), f, &cfg_reverse::Options::default());
    let reversal = reversal.expect("it has an adjoint");
    let mut picture = String::new();
    let options = DotOptions {
        clusters: true,
        ..DotOptions::default()
    };
    write_cfg(&mut picture, &reversal.program, reversal.reverse, &options)
        .expect("it can be drawn");
    let pair = Pair {
        forward: reversal.forward,
        reverse: reversal.reverse,
        original: Some(f),
        runs_again: false,
    };
    let valid = validate(reversal.program).expect("adjoints are valid");
    let problems = tape_check::check(&flat(&valid), &[pair]);
    assert!(!problems.has_errors(), "{problems}");

    let mut adjoint =
        Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    let point = adjoint.read_point(br#"{"n": 5, "x": 3}"#);
    let point = point.expect("it is a point");
    let seed = adjoint.default_seed(&point).expect("there is one");
    let run = adjoint.gradient(&point, &seed).expect("it runs");
    assert_eq!(super::reals(&run.gradient, "x"), [6.0]);
}
