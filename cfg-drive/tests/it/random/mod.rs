//! Random programs of all that the format allows: values, gradients, tangents, Jacobians and second
//! derivatives against a naive interpreter with derivatives by operator overloading.

mod second;
mod settings;

pub(crate) use settings::{Setting, all, drawn};

use cfg_core::diagnostic::Diagnostics;
use cfg_core::entity::VarId;
use cfg_core::flat::Flat;
use cfg_core::ir::{Cfg, Program, Role, ScalarType, StatementOrigin, Variable};
use cfg_core::validate::validate;
use cfg_drive::{Adjoint, Mode, Named, Options, Primal, Slot, Tangent, check, jacobian};
use cfg_format::json;
use cfg_testkit::case::Case;
use cfg_testkit::interpret::{Limits, Outcome, Value};
use cfg_testkit::reorder::as_declared;
use cfg_transform::{flat, flatten};
use std::collections::BTreeMap;

/// The outcome of a program under a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// All agrees.
    Agrees,
    /// The program was refused, for a reason that docs/limits.md gives.
    Refused(String),
}

/// Checks that only programs that are worth the time undergo.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depth {
    /// Jacobians in both modes, and the product's own check.
    pub(crate) jacobian: bool,
    /// Second derivatives, three ways.
    pub(crate) second: bool,
}

impl Depth {
    /// Jacobians and second derivatives cost much more than the rest: a quarter of the programs has each.
    pub(crate) fn drawn(seed: u64) -> Self {
        Self {
            jacobian: seed.is_multiple_of(4),
            second: seed % 4 == 1,
        }
    }

    /// One setting in eight has each check, different ones for each program.
    pub(crate) fn turns(seed: u64, setting: usize) -> Self {
        let turn = (seed + setting as u64) % 8;
        Self {
            jacobian: turn == 0,
            second: turn == 3,
        }
    }
}

/// Codes of the refusals in docs/limits.md, and of a point that leaves out all variables with derivatives.
const REFUSED: [&str; 7] = ["R301", "R302", "R305", "R309", "R310", "R311", "P418"];

/// The tolerance for programs with rounding.
const SMOOTH: f64 = 1e-8;

/// The tolerance where single precision is among what is rounded.
const SINGLE: f64 = 1e-4;

/// Everything that is checked of a case in one setting.
pub(crate) fn agrees(
    case: &Case,
    exact: bool,
    setting: &Setting,
    depth: Depth,
) -> Result<Found, String> {
    let case = &setting.form(case);
    let single = |v: &Variable| v.ty == ScalarType::Real32;
    let mut routines = case.program.routines.iter();
    let tolerance = match exact {
        true => 0.0,
        false if routines.any(|r| r.variables.iter().any(single)) => SINGLE,
        false => SMOOTH,
    };
    let program = validate(case.program.clone()).map_err(|d| format!("invalid: {d}"))?;
    let flat = flatten(program, &[], &flat::Options::default());
    let program = flat.map_err(|d| format!("records: {d}"))?.program;
    round_trip(&case.program)?;
    let options = setting.options();
    let point = case.point_text();
    let steps = Limits {
        fuel: 40_000_000,
        ..Limits::default()
    };
    let outcome = case.run(steps).map_err(|f| format!("oracle: {f:?}"))?;
    values(case, &program, &options, &point, &outcome, tolerance)?;

    // Independents that share cells are refused, and nothing else is for this reason.
    let independents = &case.routine().independents;
    let mut cells: Vec<_> = independents.iter().flat_map(|&v| case.cells(v)).collect();
    let count = cells.len();
    cells.sort_unstable();
    cells.dedup();
    let shared = cells.len() < count;
    // A point that leaves out all independents, or all dependents, is refused as well.
    let routine = case.routine();
    let left_out = |&v: &VarId| {
        let optional = matches!(
            routine.variable(v).role,
            Role::Parameter { optional: true, .. }
        );
        optional && case.value(v).is_none()
    };
    let nothing = independents.iter().all(left_out) || routine.dependents.iter().all(left_out);
    match tangent(case, &program, &options, &point, tolerance, steps) {
        Ok(()) if shared => return Err("shared independents are not refused".to_owned()),
        Ok(()) if nothing => return Err("nothing to differentiate is not refused".to_owned()),
        Ok(()) => {}
        Err(Failure::Refused(code)) if (code == "R311") != shared || code == "P418" && !nothing => {
            return Err(format!(
                "refused with {code}, shared independents: {shared}, nothing: {nothing}"
            ));
        }
        Err(Failure::Refused(code)) => return Ok(Found::Refused(code)),
        Err(Failure::Wrong(message)) => return Err(message),
    }
    match gradient(case, &program, &options, &point, tolerance, steps) {
        Ok(()) => {}
        Err(Failure::Refused(code)) => return Ok(Found::Refused(code)),
        Err(Failure::Wrong(message)) => return Err(message),
    }
    if depth.jacobian {
        jacobians(case, &program, &options, &point, tolerance, steps)?;
    }
    if depth.second {
        // Parameters of the main routine are no records, and keep their numbers.
        match second::agrees(case, &program, &options.reversal, tolerance) {
            Ok(()) => {}
            Err(Failure::Refused(code)) => return Ok(Found::Refused(format!("second {code}"))),
            Err(Failure::Wrong(message)) => return Err(message),
        }
    }
    Ok(Found::Agrees)
}

/// Why a check did not pass.
pub(crate) enum Failure {
    Refused(String),
    Wrong(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Wrong(message)
    }
}

/// A diagnostic of a transformation: refused if the limits say so.
pub(crate) fn refusal(what: &str, d: &Diagnostics) -> Failure {
    let codes: Vec<&str> = d.iter().map(|d| d.code).collect();
    if !codes.is_empty() && codes.iter().all(|c| REFUSED.contains(c)) {
        return Failure::Refused(codes[0].to_owned());
    }
    Failure::Wrong(format!("{what}: {d}"))
}

/// The program without the origins of its statements, which files do not have.
fn without_origins(program: &Program) -> Program {
    let mut program = program.clone();
    let graphs = program.routines.iter_mut().filter_map(|r| r.body.as_mut());
    for vertex in graphs.flat_map(Cfg::vertices_mut) {
        for statement in vertex.kind.statements_mut().into_iter().flatten() {
            statement.origin = StatementOrigin::default();
        }
    }
    program
}

/// Writing and reading, as JSON and as text, gives the same program up to the positions of parameters among the
/// variables.
fn round_trip(program: &Program) -> Result<(), String> {
    let text = |program: &Program| {
        let mut bytes = Vec::new();
        json::write(program, &mut bytes).map_err(|e| format!("written: {e}"))?;
        Ok::<_, String>(bytes)
    };
    let bytes = text(program)?;
    let again = json::read(&bytes).map_err(|e| format!("read: {e}"))?;
    let program = &as_declared(&without_origins(program));
    // As text, since a constant that is NaN does not equal itself.
    if format!("{again:?}") != format!("{program:?}") {
        let pairs = program.routines.iter().zip(&again.routines);
        let changed = pairs.filter(|(a, b)| format!("{a:?}") != format!("{b:?}"));
        let shown: Vec<String> = changed.map(|(a, b)| format!("{a:?}\n{b:?}")).collect();
        return Err(format!(
            "round-trip: the program changes\n{}",
            shown.join("\n")
        ));
    }
    if text(&again)? != bytes {
        return Err("round-trip: the text changes".to_owned());
    }
    Ok(())
}

/// Generated programs survive a file, too.
fn kept(what: &str, program: &Flat) -> Result<(), String> {
    round_trip(program.program()).map_err(|e| format!("{what}, {e}"))?;
    let mut bytes = Vec::new();
    json::write(program.program(), &mut bytes).map_err(|e| e.to_string())?;
    let again = json::read(&bytes).map_err(|e| e.to_string())?;
    validate(again).map_err(|d| format!("{what}, read again: {d}"))?;
    let found = tape_check::check_program(program).problems;
    // Nothing can be proved of routines with tapes of their own that are no sweeps (T702), nor of their callers.
    let own = found.iter().any(|d| d.code == "T702");
    match (found.iter()).all(|d| own && matches!(d.code, "T702" | "T707" | "T710")) {
        true => Ok(()),
        false => Err(format!("{what}, stacks: {found}")),
    }
}

pub(crate) fn near(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

/// The name of a variable of the main routine in points, seeds and results.
fn key(case: &Case, v: VarId) -> String {
    let routine = case.routine();
    let slot = Slot::from_variable(routine, v).expect("it outlives the call");
    slot.key(&case.program, routine).to_owned()
}

/// Names and numbers as an object; what has none is left out.
fn object(case: &Case, list: &[(VarId, Vec<f64>)]) -> String {
    let mut members = serde_json::Map::new();
    for (v, weights) in list {
        let variable = case.routine().variable(*v);
        if weights.is_empty() {
            continue;
        }
        let extents = case.extents(*v);
        let scalar = |i: usize| serde_json::json!(weights[i]);
        let value = cfg_testkit::case::nested(&extents, variable.order, &scalar);
        members.insert(key(case, *v), value);
    }
    serde_json::Value::Object(members).to_string()
}

fn numbers<D>(values: &[Value<D>]) -> Vec<f64> {
    let number = |value: &Value<D>| match value {
        Value::Real(x, _) => *x,
        Value::Real32(x, _) => f64::from(*x),
        Value::Integer(n) => *n as f64,
        Value::Sized(_, n) => *n as f64,
        Value::Logical(b) => f64::from(u8::from(*b)),
        Value::Undefined | Value::Pointer(..) => f64::NAN,
    };
    values.iter().map(number).collect()
}

fn found(values: &Named, name: &str) -> Option<Vec<f64>> {
    use cfg_core::elemental::Scalar;
    let (_, value) = values.iter().find(|(n, _)| n == name)?;
    let number = |i| match value.get(i) {
        Some(Scalar::Real(x)) => x,
        Some(Scalar::Real32(x)) => f64::from(x),
        Some(Scalar::Integer(n)) => n as f64,
        Some(x @ Scalar::Sized(..)) => x.to_f64(),
        Some(Scalar::Logical(b)) => f64::from(u8::from(b)),
        None => f64::NAN,
    };
    Some((0..value.len()).map(number).collect())
}

/// Compares values by name: all expected ones must be there, and equal.
fn compare(
    what: &str,
    ours: &Named,
    expected: &[(String, Vec<f64>)],
    tolerance: f64,
) -> Result<(), String> {
    for (name, expected) in expected {
        let Some(ours) = found(ours, name) else {
            if expected.is_empty() {
                continue;
            }
            return Err(format!("{what} of {name:?} is missing"));
        };
        if ours.len() != expected.len() {
            let (n, m) = (ours.len(), expected.len());
            return Err(format!("{what} of {name:?} has {n} elements, not {m}"));
        }
        for (i, (a, b)) in ours.iter().zip(expected).enumerate() {
            if !near(*a, *b, tolerance) {
                return Err(format!("{what} of {name:?}[{i}] is {a}, not {b}"));
            }
        }
    }
    Ok(())
}

/// The program itself.
fn values(
    case: &Case,
    program: &Flat,
    options: &Options,
    point: &str,
    outcome: &Outcome<()>,
    tolerance: f64,
) -> Result<(), String> {
    let mut primal = Primal::new(program, case.main, options).map_err(|d| format!("run: {d}"))?;
    let at = primal
        .read_point(point.as_bytes())
        .map_err(|d| format!("point: {d}"))?;
    let run = primal.run(&at).map_err(|d| format!("run: {d}"))?;
    let routine = case.routine();
    let written = routine.parameter_ids().filter(|&p| {
        let intent = routine.variable(p).intent();
        intent.is_some_and(cfg_core::ir::Intent::writes)
            && routine.variable(p).ty != ScalarType::Tape
    });
    let expected = written.chain(routine.result).map(|v| {
        let after = case.after(outcome, v).map_or(&[][..], |a| &a.elements);
        (key(case, v), numbers(after))
    });
    compare(
        "value",
        &run.value,
        &expected.collect::<Vec<_>>(),
        tolerance,
    )
}

fn by_name(case: &Case, list: Vec<(VarId, Vec<f64>)>) -> Vec<(String, Vec<f64>)> {
    list.into_iter().map(|(v, x)| (key(case, v), x)).collect()
}

fn tangent(
    case: &Case,
    program: &Flat,
    options: &Options,
    point: &str,
    tolerance: f64,
    limits: Limits,
) -> Result<(), Failure> {
    let mut tangent =
        Tangent::new(program, case.main, options).map_err(|d| refusal("tangent", &d))?;
    let wrong = |d: Diagnostics| refusal("tangent", &d);
    let at = tangent.read_point(point.as_bytes()).map_err(wrong)?;
    let direction = object(case, &case.direction);
    let direction = tangent
        .read_direction(direction.as_bytes(), &at)
        .map_err(wrong)?;
    let run = tangent.tangent(&at, &direction).map_err(wrong)?;
    let expected = case.tangent(limits).map_err(|f| format!("oracle: {f:?}"))?;
    compare("tangent", &run.tangent, &by_name(case, expected), tolerance)?;
    Ok(())
}

fn gradient(
    case: &Case,
    program: &Flat,
    options: &Options,
    point: &str,
    tolerance: f64,
    limits: Limits,
) -> Result<(), Failure> {
    let mut adjoint =
        Adjoint::new(program, case.main, options).map_err(|d| refusal("adjoint", &d))?;
    kept("adjoint program", adjoint.program())?;
    let wrong = |d: Diagnostics| format!("adjoint: {d}");
    let at = adjoint.read_point(point.as_bytes()).map_err(wrong)?;
    let seed = object(case, &case.seed);
    let (seeds, _) = adjoint.read_seeds(seed.as_bytes(), &at).map_err(wrong)?;
    let run = adjoint.gradient(&at, &seeds[0]).map_err(wrong)?;
    let expected = case
        .gradient(limits)
        .map_err(|f| format!("oracle: {f:?}"))?;
    compare(
        "gradient",
        &run.gradient,
        &by_name(case, expected),
        tolerance,
    )?;
    if run.mirrored == Some(false) {
        return Err("mirror: the reverse sweep visits other vertices"
            .to_owned()
            .into());
    }
    // A second run in the same memory gives the same.
    let again = adjoint.gradient(&at, &seeds[0]).map_err(wrong)?;
    if format!("{again:?}") != format!("{run:?}") {
        return Err("again: a second run gives another result".to_owned().into());
    }
    Ok(())
}

fn jacobians(
    case: &Case,
    program: &Flat,
    options: &Options,
    point: &str,
    tolerance: f64,
    limits: Limits,
) -> Result<(), String> {
    let expected = case
        .jacobian(limits)
        .map_err(|f| format!("oracle: {f:?}"))?;
    let names = |list: &[VarId]| -> BTreeMap<String, usize> {
        list.iter()
            .map(|&v| (key(case, v), case.cells(v).len()))
            .collect()
    };
    let (rows, columns) = (
        names(&case.routine().dependents),
        names(&case.routine().independents),
    );
    if expected.is_empty() || expected[0].is_empty() {
        return Ok(());
    }
    for mode in [Mode::Adjoint, Mode::Tangent] {
        let read = |t: &Primal| t.read_point(point.as_bytes());
        let ours = jacobian(program, case.main, options, read, Some(mode));
        let ours = ours.map_err(|d| format!("jacobian: {d}"))?;
        let absent = |list: &[(String, usize)], all: &BTreeMap<String, usize>| {
            all.iter()
                .any(|(name, n)| *n > 0 && !list.iter().any(|(other, m)| other == name && m == n))
        };
        if absent(&ours.rows, &rows) || absent(&ours.columns, &columns) {
            return Err(format!(
                "jacobian: rows {:?}, columns {:?}",
                ours.rows, ours.columns
            ));
        }
        let expected = expected.iter().flatten();
        if ours.entries.len() != expected.clone().count() {
            return Err(format!("jacobian {mode:?}: {} entries", ours.entries.len()));
        }
        for (k, (a, b)) in ours.entries.iter().zip(expected).enumerate() {
            if !near(*a, *b, tolerance) {
                return Err(format!("jacobian {mode:?}: entry {k} is {a}, not {b}"));
            }
        }
    }
    let read = |t: &Primal| t.read_point(point.as_bytes());
    let checked = check(program, case.main, options, read, Default::default());
    let checked = checked.map_err(|d| format!("check: {d}"))?;
    // Of routines with tapes of their own nothing can be proved.
    let unproven = case.program.routines.iter().any(|r| {
        let mut parameters = r.parameter_ids();
        parameters.any(|p| r.variable(p).ty == ScalarType::Tape)
    });
    if checked.dot_product.agrees == Some(false) || !checked.stack.agrees && !unproven {
        return Err(format!(
            "check: {:?} {:?}",
            checked.dot_product, checked.stack
        ));
    }
    Ok(())
}
