//! An XAIF document: the reader refuses it with a place or gives a valid program; that is written and
//! read back as it is, differentiated, checked, and run within limits, the original and both sweeps.

use cfg_core::{
    diagnostic::Severity,
    elemental::Scalar,
    entity::RoutineId,
    ir::{Expr, Extent, Program, ScalarType},
    validate,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Tape, Value};
use cfg_front::xaif::{Options, read_xaif, to_string};
use cfg_reverse::Blocks;
use cfg_testkit::flat;

/// One input.
pub(crate) fn run(data: &[u8]) {
    let (program, problems) = read_xaif(data, &Options::default());
    for d in problems.iter() {
        assert!(d.at.line.is_some() && d.at.column.is_some(), "{d}");
    }
    let Some(program) = program else {
        assert!(problems.has_errors());
        return;
    };
    let text = to_string(&program).expect("a valid program can be written");
    let (back, problems) = read_xaif(text.as_bytes(), &Options::default());
    assert!(
        back.as_ref() == Some(&program),
        "read, write, read: {problems}\n{text}"
    );
    let valid = validate::validate(program).expect("what is read is valid");
    let Some(main) = valid.main else { return };
    if let Ok(tangent) = cfg_reverse::tangent(&flat(&valid), main) {
        validate::validate(tangent.program).expect("the tangent program is valid");
    }
    // The choices come from the document, so that an input means the same every time.
    let choice = data
        .iter()
        .fold(0u8, |h, &b| h.wrapping_mul(31).wrapping_add(b));
    let choices = cfg_reverse::Options {
        merge: choice & 1 == 0,
        counters: choice & 2 == 0,
        markers: choice & 16 == 0,
        blocks: match choice >> 2 & 3 {
            0 | 1 => Blocks::Statement,
            2 => Blocks::Preaccumulate,
            _ => Blocks::Auto,
        },
        ..cfg_reverse::Options::default()
    };
    let made = match cfg_reverse::reverse(&flat(&valid), main, &choices) {
        Ok(made) => made,
        Err(problems) => {
            assert!(problems.has_errors());
            return;
        }
    };
    let adjoint = validate::validate(made.program.clone()).expect("the adjoint program is valid");
    // General control flow is not checked without a run (T701).
    for d in tape_check::check_program(&flat(&adjoint)).problems.iter() {
        assert!(d.code == "T701" || d.severity == Severity::Warning, "{d}");
    }
    let Some(arguments) = arguments(&valid, main) else {
        return;
    };
    let limits = RunOptions {
        fuel: 200_000,
        max_tape: 1 << 22,
        max_memory: 1 << 25,
        max_depth: 100,
        ..RunOptions::default()
    };
    let Ok(compiled) = Compiled::new(&flat(&adjoint), &CompileOptions::default()) else {
        return;
    };
    let mut session = Session::new(&compiled);
    let mut original = arguments.clone();
    if session.run(main, &mut original, &limits).is_err() {
        return;
    }
    session.reset_globals();
    let mut forward = arguments;
    forward.push(Tape::default().into());
    let more = RunOptions {
        fuel: 20_000_000,
        max_tape: 1 << 28,
        max_memory: 1 << 27,
        max_depth: 200,
        ..RunOptions::default()
    };
    session
        .run(made.forward, &mut forward, &more)
        .expect("the forward sweep runs where the original does");
    let tape = forward.pop().unwrap_or_default();
    assert!(
        format!("{original:?}") == format!("{forward:?}"),
        "results differ"
    );
    for (k, p) in valid.routine(main).parameter_ids().enumerate() {
        if !valid.routine(main).variable(p).ty.is_real() {
            continue;
        }
        let mut adjoint = forward[k].clone();
        if let Argument::Value(value) = &mut adjoint {
            fill(value, 1.0);
        }
        forward.push(adjoint);
    }
    forward.push(tape);
    // An undefined value may decide a conditional expression of the adjoint only.
    if session.run(made.reverse, &mut forward, &more).is_ok() {
        let tape = forward.pop().unwrap_or_default();
        assert!(
            tape.tape().is_some_and(|t| t.size().is_empty()),
            "the tape is not empty"
        );
    }
}

fn fill(value: &mut Value, real: f64) {
    value.fill(match value.ty() {
        ScalarType::Real32 => Scalar::Real32(real as f32),
        ScalarType::Integer => Scalar::Integer(1),
        ScalarType::Sized(ty) => Scalar::Sized(ty, 1),
        ScalarType::Logical => Scalar::Logical(true),
        ScalarType::Real | ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => {
            Scalar::Real(real)
        }
    });
}

/// Reals 1/2, integers 1, `true`, if all shapes are constant and small.
fn arguments(program: &Program, routine: RoutineId) -> Option<Vec<Argument>> {
    let r = program.routine(routine);
    let argument = |p| {
        let variable = r.variable(p);
        let mut extents = Vec::new();
        for d in &variable.shape {
            let Extent::Fixed(Expr::Int(n)) = d.extent else {
                return None;
            };
            extents.push(usize::try_from(n).ok()?);
        }
        let count = extents.iter().try_fold(1usize, |n, &e| n.checked_mul(e))?;
        if count > 1 << 12 || variable.ty == ScalarType::Tape {
            return None;
        }
        let mut value = Value::uninitialised(variable.ty, &extents, variable.order)?;
        fill(&mut value, 0.5);
        Some(value.into())
    };
    r.parameter_ids().map(argument).collect()
}
