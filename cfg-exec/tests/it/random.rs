//! Random programs have the same results as in the naive interpreter, bit for bit, and visit the same vertices.

use cfg_core::{
    diagnostic::site::{Element, Site},
    entity::GlobalId,
    ir::{Role, ScalarType},
    validate::validate,
};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
use cfg_testkit::flat;
use cfg_testkit::{
    case::{Case, Datum, Elements},
    generate::{Options, stopping},
    interpret::{self, FaultKind, Limits},
    property::check,
};

/// The argument that a datum is, in storage order `order`.
pub(crate) fn value(datum: &Datum, order: cfg_core::ir::Order) -> Value {
    use cfg_core::elemental::Scalar;
    let ty = match &datum.elements {
        Elements::Real(_) => ScalarType::Real,
        Elements::Real32(_) => ScalarType::Real32,
        Elements::Integer(_) => ScalarType::Integer,
        Elements::Sized(ty, _) => ScalarType::Sized(*ty),
        Elements::Logical(_) => ScalarType::Logical,
    };
    let mut value = Value::uninitialised(ty, &datum.extents, order).unwrap();
    for k in 0..datum.len() {
        let x = match &datum.elements {
            Elements::Real(x) => Scalar::Real(x[k]),
            Elements::Real32(x) => Scalar::Real32(x[k]),
            Elements::Integer(x) => Scalar::Integer(x[k]),
            Elements::Sized(ty, x) => Scalar::Sized(*ty, x[k]),
            Elements::Logical(x) => Scalar::Logical(x[k]),
        };
        assert!(value.set(k, x));
    }
    value
}

/// The interpreter's values, as text in which -0, NaN and uninitialised elements are told apart.
fn naive(argument: &interpret::Argument<()>) -> Vec<String> {
    let show = |x: &interpret::Value<()>| match x {
        interpret::Value::Undefined => "?".to_owned(),
        interpret::Value::Real(x, ()) => format!("{x:?}"),
        interpret::Value::Real32(x, ()) => format!("{x:?}"),
        interpret::Value::Integer(n) => format!("{n}"),
        interpret::Value::Sized(_, n) => format!("{n}"),
        interpret::Value::Logical(b) => format!("{b}"),
        interpret::Value::Pointer(_, p) => format!("{p:?}"),
    };
    argument.elements.iter().map(show).collect()
}

fn ours(value: &Value) -> Vec<String> {
    use cfg_core::elemental::Scalar;
    (0..value.len())
        .map(|k| match value.get(k) {
            None => "?".to_owned(),
            Some(Scalar::Real(x)) => format!("{x:?}"),
            Some(Scalar::Real32(x)) => format!("{x:?}"),
            Some(Scalar::Integer(n)) => format!("{n}"),
            Some(Scalar::Sized(ty, n)) => format!("{}", ty.value(n)),
            Some(Scalar::Logical(b)) => format!("{b}"),
        })
        .collect()
}

/// The report of a run of the executor, or its error, and the arguments after it.
type Run = (
    Result<cfg_exec::RunReport, Box<cfg_core::diagnostic::Diagnostic>>,
    Vec<Argument>,
    Vec<Value>,
);

/// Runs a case.
fn executed(case: &Case) -> Run {
    let program = validate(case.program.clone()).unwrap_or_else(|e| panic!("{e}"));
    let options = CompileOptions {
        trace: true,
        ..CompileOptions::default()
    };
    let compiled = Compiled::new(&flat(&program), &options).unwrap_or_else(|e| panic!("{e}"));
    let mut session = Session::new(&compiled);
    let routine = case.routine();
    let mut arguments: Vec<Argument> = vec![Argument::Absent; routine.parameters.len()];
    for (v, datum) in &case.point {
        let position = routine.parameter_position(*v).unwrap();
        arguments[position] = value(datum, routine.variable(*v).order).into();
    }
    for (k, v) in routine.parameter_ids().enumerate() {
        let optional = matches!(
            routine.variable(v).role,
            Role::Parameter { optional: true, .. }
        );
        if arguments[k] == Argument::Absent && !optional {
            arguments[k] = session
                .uninitialised_argument(case.main, v, &arguments)
                .unwrap_or_else(|e| panic!("{e}"));
        }
    }
    let report = session.run(case.main, &mut arguments, &RunOptions::default());
    let globals = (0..program.globals.len()).map(|g| session.global(GlobalId::new(g)));
    let globals = globals.collect();
    (report, arguments, globals)
}

fn agrees(case: &Case) {
    let limits = Limits {
        trace: true,
        ..Limits::default()
    };
    let expected = case.run(limits).unwrap_or_else(|e| panic!("{e:?}"));
    let (report, arguments, globals) = executed(case);
    let report = report.unwrap_or_else(|e| panic!("{e}"));
    let routine = case.routine();
    let found = arguments.iter().zip(&expected.parameters);
    for (v, (argument, naive_argument)) in routine.parameter_ids().zip(found) {
        let name = &routine.variable(v).name;
        let ours = argument.value().map_or(Vec::new(), ours);
        assert_eq!(ours, naive(naive_argument), "{name}");
    }
    for (k, naive_global) in expected.globals.iter().enumerate() {
        let ours = ours(&globals[k]);
        assert_eq!(ours, naive(naive_global), "global {k}");
    }
    assert_eq!(
        report.result.as_ref().map(ours),
        expected.result.as_ref().map(naive),
        "result"
    );
    let visits: Vec<_> = report.trace.iter().map(|v| (v.routine, v.vertex)).collect();
    assert_eq!(visits, expected.visits, "visits");
    assert!(report.tape.leftovers.iter().all(|l| l.is_empty()));
}

#[test]
fn exact_programs_agree_with_the_naive_interpreter() {
    check(&Options::EXACT, 0..2000, |case| {
        agrees(case);
        Ok(())
    });
}

#[test]
fn wide_programs_agree_with_the_naive_interpreter() {
    check(&Options::WIDE, 3000..3800, |case| {
        agrees(case);
        Ok(())
    });
}

#[test]
fn programs_stop_where_the_naive_interpreter_stops() {
    let stopped = std::sync::atomic::AtomicUsize::new(0);
    check(&Options::WIDE, 5000..5400, |case| {
        let Some(case) = stopping(case, 7) else {
            return Ok(());
        };
        let expected = case.run(Limits::default()).expect_err("it stops");
        assert_eq!(expected.kind, FaultKind::Stop);
        let (report, ..) = executed(&case);
        let found = report.expect_err("it stops");
        assert_eq!(found.code, "X223");
        let message = "the program stopped: it \"stops\" \\ here: %d??/\n";
        assert_eq!(found.message, message);
        let vertex = expected.vertex.expect("it is a statement");
        let element = Element::Statement(vertex, expected.statement);
        assert_eq!(
            found.at.site.as_deref(),
            Some(&Site::whole(expected.routine, element))
        );
        stopped.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    });
    assert!(stopped.into_inner() > 100);
}

#[test]
fn smooth_programs_agree_with_the_naive_interpreter() {
    check(&Options::SMOOTH, 0..2000, |case| {
        agrees(case);
        Ok(())
    });
}
