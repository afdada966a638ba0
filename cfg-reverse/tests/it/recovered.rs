//! Programs as blocks and jumps, recovered and reversed.

use crate::run::value;
use cfg_core::memory::effects::Effects;
use cfg_core::{
    entity::RoutineId,
    ir::{Control, Intent, Program},
    recover, validate,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Tape};
use cfg_reverse::{Options, Unstructured, reverse};
use cfg_testkit::flat;
use cfg_testkit::{case::Case, generate::Options as Generate, kernels, property};

/// The arguments of the forward sweep: parameters, the result, the tape.
fn arguments(
    case: &Case,
    session: &Session,
    forward: RoutineId,
    program: &Program,
) -> Vec<Argument> {
    let original = case.routine();
    let given = original.parameter_ids().map(|p| match case.value(p) {
        Some(datum) => value(case, p, datum).into(),
        None => Argument::Absent,
    });
    let mut all: Vec<Argument> = given.collect();
    let routine = program.routine(forward);
    let tape = routine.parameters.len() - 1;
    all.resize(tape, Argument::Absent);
    for (p, v) in routine.parameter_ids().enumerate().take(tape) {
        let written = routine.variable(v).intent().is_some_and(Intent::writes);
        if all[p] == Argument::Absent && written {
            let made = session.uninitialised_argument(forward, v, &all);
            all[p] = made.unwrap();
        }
    }
    all.push(Tape::default().into());
    all
}

/// The record of the forward sweep: control bits, bytes of values, largest number of bytes at a time.
fn tape(case: &Case, program: &Program) -> Result<[u64; 3], String> {
    let valid = validate::validate(program.clone()).map_err(|d| d.to_string())?;
    // The integers that are computed again, and the results that serve, depend on how statements lie in blocks.
    let options = Options {
        indices: true,
        operands: true,
        ..Options::default()
    };
    let reversal = reverse(&flat(&valid), case.main, &options).map_err(|d| d.to_string())?;
    let adjoint = validate::validate(reversal.program).map_err(|d| d.to_string())?;
    let compiled =
        Compiled::new(&flat(&adjoint), &CompileOptions::default()).map_err(|d| d.to_string())?;
    let mut session = Session::new(&compiled);
    let mut all = arguments(case, &session, reversal.forward, &adjoint);
    let report = session
        .run(reversal.forward, &mut all, &RunOptions::default())
        .map_err(|d| d.to_string())?;
    let tape = report.tape;
    Ok([tape.control_bits, tape.value_bytes, tape.peak_bytes])
}

/// True if some figure of the first is larger.
fn is_worse(after: [u64; 3], before: [u64; 3]) -> bool {
    after.iter().zip(before).any(|(a, b)| *a > b)
}

fn records_no_more(case: &Case) -> Result<(), String> {
    let before = tape(case, &case.program)?;
    let effects = Effects::summarise(&case.program);
    let mut flat = case.program.clone();
    let mut dense = case.program.clone();
    for (r, original) in case.program.routines.iter().enumerate() {
        flat.routines[r] = recover::flatten(&case.program, &effects, original);
        dense.routines[r] = recover::flatten_dense(&case.program, &effects, original);
    }
    for (what, changed) in [("flat", flat), ("dense", dense)] {
        let recovered = recover::recover_program(&changed);
        let after = tape(case, &recovered)?;
        if is_worse(after, before) {
            return Err(format!("{what}: {after:?}, {before:?} before"));
        }
        // The reversal recovers by itself.
        let general = |r: &cfg_core::ir::Routine| r.body.is_some() && r.control == Control::General;
        assert!(changed.routines.iter().any(general));
        let by_itself = tape(case, &changed)?;
        if is_worse(by_itself, before) {
            return Err(format!(
                "{what}: {by_itself:?} without asking for recovery, {before:?} before"
            ));
        }
    }
    Ok(())
}

#[test]
fn random_programs_record_no_more() {
    property::check(&Generate::EXACT, 0..300, records_no_more);
}

#[test]
fn fixtures_record_no_more() {
    for kernel in kernels::all() {
        let case = kernel.case(kernel.size);
        records_no_more(&case).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
    }
}

/// Programs stay valid in which only later passes of a loop assign a variable, and the recovered graph has the first
/// pass, or its bounds, in front of the loop.
#[test]
fn first_passes_in_front_of_loops_are_valid() {
    for (used, tested) in [
        (
            "fuel := fuel - 1\n          h := mod(h*5 + 24, 64)",
            "if(fuel > 0, mod(h/3, 2), 0) == 1",
        ),
        ("k := k + 1", "k < n"),
        ("y := y + s", "y < 100.0"),
    ] {
        let source = format!(
            "main general subroutine f(in real a, in integer n, out real y)
  local real s
  local integer k, h, fuel
  independent a
  dependent y
    1 ENTRY -> 2
    2 BASICBLOCK -> 4
          h := 7
          y := a
    3 BASICBLOCK -> 4
          fuel := fuel - 1
          s := y*a
    4 BASICBLOCK -> 5
          {used}
    5 BRANCH {tested} -> 3 [1], 6 [0]
    6 EXIT
end
"
        );
        let parsed = cfg_format::text::parse(&source);
        let problems = parsed.problems;
        let program = parsed.program.unwrap_or_else(|| panic!("{problems}"));
        let valid = validate::validate(program).unwrap_or_else(|d| panic!("{d}\n{source}"));
        let main = valid.main.expect("one is marked");
        for unstructured in [Unstructured::Structure, Unstructured::Trace] {
            let options = Options {
                unstructured,
                ..Options::default()
            };
            let reversal = reverse(&flat(&valid), main, &options).unwrap_or_else(|d| panic!("{d}"));
            let text = reversal.program.to_string();
            validate::validate(reversal.program).unwrap_or_else(|d| panic!("{d}\n{text}"));
        }
        let tangent = cfg_reverse::tangent(&flat(&valid), main).unwrap_or_else(|d| panic!("{d}"));
        validate::validate(tangent.program).unwrap_or_else(|d| panic!("{d}"));
    }
}
