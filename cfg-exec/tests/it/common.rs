//! Short ways to build a program, run it and look at what comes out.

use std::sync::Arc;

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder},
    diagnostic::Diagnostic,
    entity::RoutineId,
    validate::{ValidProgram, validate},
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, RunReport, Session};
use cfg_format::text;
use cfg_jit::Jit;
use cfg_testkit::flat;

/// A program of one routine.
pub(crate) fn program(routine: RoutineBuilder) -> ValidProgram {
    let mut program = ProgramBuilder::new();
    program.add(routine);
    program.finish().unwrap_or_else(|e| panic!("{e}"))
}

/// The program of a text.
pub(crate) fn parsed(source: &str) -> ValidProgram {
    let parsed = text::parse(source);
    let problems = parsed.problems;
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{problems}{source}"));
    validate(program).unwrap_or_else(|d| panic!("{d}{source}"))
}

/// Runs the last routine of a program.
pub(crate) fn run(
    program: &ValidProgram,
    arguments: &mut [Argument],
) -> Result<RunReport, Box<Diagnostic>> {
    run_with(
        program,
        arguments,
        &CompileOptions::default(),
        &RunOptions::default(),
    )
}

/// Runs the last routine of a program with options. Machine code does the same.
pub(crate) fn run_with(
    program: &ValidProgram,
    arguments: &mut [Argument],
    compile: &CompileOptions,
    options: &RunOptions,
) -> Result<RunReport, Box<Diagnostic>> {
    let run = |compile: &CompileOptions, arguments: &mut [Argument]| {
        let compiled = Compiled::new(&flat(program), compile).unwrap_or_else(|e| panic!("{e}"));
        let last = RoutineId::new(program.routines.len() - 1);
        Session::new(&compiled).run(last, arguments, options)
    };
    let mut others = arguments.to_vec();
    let by_machine_code = CompileOptions {
        engine: Some(Arc::new(Jit::everywhere_after(0))),
        ..compile.clone()
    };
    let other = run(&by_machine_code, &mut others);
    let report = run(compile, arguments);
    assert_eq!(format!("{report:?}"), format!("{other:?}"));
    assert_eq!(arguments, others);
    report
}

/// The real that an argument holds.
pub(crate) fn real(argument: &Argument) -> f64 {
    argument.value().and_then(|v| v.get_f64(0)).expect("a real")
}

/// The reals that an argument holds.
pub(crate) fn reals(argument: &Argument) -> Vec<f64> {
    argument.value().and_then(|v| v.to_f64s()).expect("reals")
}

/// Runs a program that must fail, and gives code, message and place.
pub(crate) fn fault(
    program: &ValidProgram,
    arguments: &mut [Argument],
) -> (String, String, String) {
    let problem = run(program, arguments).expect_err("a fault");
    (
        problem.code.to_owned(),
        problem.message.clone(),
        problem.at.element.clone().unwrap_or_default(),
    )
}
