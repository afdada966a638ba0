//! `cfgrev corpus`: every program of a folder against reference Jacobians.
//!
//! `expected.jsonl` in the folder has one object per program: `name`, the numbers `n` of scalar inputs and
//! `m` of outputs, and `jacobian` (m rows of n entries, or null) at x(i) = i/2 with y starting at 0, or at
//! the point in `NAME.point.json`. A program without a reference has its adjoint compared with its tangent.

mod point;
mod table;

use super::{Wanted, options, select};
use crate::Outcome;
use crate::args::{Corpus, Form, Select, Source};
use crate::codes;
use crate::input::Session;
use crate::output::{problem, to_stdout};
use cfg_core::diagnostic::Diagnostics;
use cfg_core::entity::RoutineId;
use cfg_core::ir::{Program, StmtKind, VertexKind};
use cfg_core::validate::ValidProgram;
use cfg_drive::{Adjoint, Jacobian, Mode, Options, Real, Tangent, Tolerances, check, jacobian};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One line of `expected.jsonl`.
#[derive(Clone, Debug, Deserialize)]
struct Reference {
    name: String,
    n: usize,
    m: usize,
    jacobian: Option<Vec<Vec<Option<f64>>>>,
    #[serde(default)]
    own_driver: bool,
    #[serde(default)]
    openad_fails: Vec<String>,
}

/// How a program did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum Status {
    #[serde(rename = "agrees")]
    Agrees,
    #[serde(rename = "differs")]
    Differs,
    #[serde(rename = "unsupported")]
    Unsupported,
    #[serde(rename = "no reference")]
    NoReference,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::Unsupported => "unsupported",
            Self::NoReference => "no reference",
        }
    }
}

/// What is known of a program in the end.
#[derive(Clone, Debug)]
struct Report {
    name: String,
    status: Status,
    /// Relative errors of the Jacobian by adjoint and by tangent; without a reference, `adjoint` is the
    /// gap between them in the dot-product test.
    adjoint: Option<f64>,
    tangent: Option<f64>,
    why: String,
    size: Size,
    /// Problems that the stack checker has found; `None` if there is no adjoint.
    stack: Option<usize>,
    /// Control bits and bytes of values of one gradient.
    tape: Option<(u64, u64)>,
    /// The ancestor's adjoint mode is on record as failing.
    openad_fails: bool,
}

/// Numbers of vertices, loops, branches and calls.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    vertices: usize,
    loops: usize,
    branches: usize,
    calls: usize,
}

/// The object that is printed for a program.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    status: Status,
    error: Option<Real>,
    why: &'a str,
}

pub(crate) fn run(args: &Corpus, session: &Session) -> anyhow::Result<Outcome> {
    let programs = programs(&args.folder)?;
    let references = references(&args.folder)?;
    let mut reports = Vec::with_capacity(programs.len());
    {
        let _progress = session.progress("running the corpus");
        for (name, path) in &programs {
            let reference = references.as_ref().and_then(|r| r.get(name));
            reports.push(examine(name, path, reference, args, session));
        }
    }
    to_stdout(|out| match args.format {
        Form::Text => table::write(out, &reports),
        Form::Json => {
            for report in &reports {
                let line = Line {
                    name: &report.name,
                    status: report.status,
                    error: worst(report).map(Real),
                    why: &report.why,
                };
                serde_json::to_writer(&mut *out, &line)?;
                writeln!(out)?;
            }
            Ok(())
        }
    })?;
    let differs = reports.iter().any(|r| r.status == Status::Differs);
    Ok(if differs {
        Outcome::Failed
    } else {
        Outcome::Done
    })
}

/// The larger of the two errors; NaN counts as largest.
fn worst(report: &Report) -> Option<f64> {
    match (report.adjoint, report.tangent) {
        (Some(a), Some(t)) if a.is_nan() || t.is_nan() => Some(f64::NAN),
        (Some(a), Some(t)) => Some(a.max(t)),
        (a, t) => a.or(t),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> anyhow::Error {
    problem(
        &codes::UNREADABLE,
        format!("cannot read {}: {error}", path.display()),
        "check the name, the folder and the permissions",
    )
}

/// The programs of a folder, by name.
fn programs(folder: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|e| unreadable(folder, &e))?;
    for entry in entries {
        let path = entry.map_err(|e| unreadable(folder, &e))?.path();
        let extension = path.extension().and_then(|e| e.to_str());
        let point = path
            .file_stem()
            .is_some_and(|s| Path::new(s).extension().is_some());
        let program = match extension {
            Some("xaif") => true,
            // `f.point.json` and the like belong to `f.json`.
            Some("json") => !point,
            _ => false,
        };
        if let (true, Some(stem)) = (program, path.file_stem()) {
            found.push((stem.to_string_lossy().into_owned(), path));
        }
    }
    found.sort();
    Ok(found)
}

fn references(folder: &Path) -> anyhow::Result<Option<BTreeMap<String, Reference>>> {
    let path = folder.join("expected.jsonl");
    if !path.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).map_err(|e| unreadable(&path, &e))?;
    let mut found = BTreeMap::new();
    for (i, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let reference: Reference = serde_json::from_str(line).map_err(|e| {
            problem(
                &codes::UNREADABLE,
                format!("{} line {}: {e}", path.display(), i + 1),
                "write one object per line with name, n, m and jacobian",
            )
        })?;
        found.insert(reference.name.clone(), reference);
    }
    Ok(Some(found))
}

/// One program to differentiate.
struct Case<'a> {
    program: &'a ValidProgram,
    main: RoutineId,
    reference: Option<&'a Reference>,
    /// The POINT beside the program, `NAME.point.json`.
    given: Option<String>,
}

/// Reads a program, differentiates it in both modes, and compares.
fn examine(
    name: &str,
    path: &Path,
    reference: Option<&Reference>,
    args: &Corpus,
    session: &Session,
) -> Report {
    let mut report = Report {
        name: name.to_owned(),
        status: Status::Unsupported,
        adjoint: None,
        tangent: None,
        why: String::new(),
        size: Size::default(),
        stack: None,
        tape: None,
        openad_fails: reference.is_some_and(|r| !r.openad_fails.is_empty()),
    };
    let source = Source {
        file: path.to_string_lossy().into_owned(),
        lang: None,
    };
    let outcome = session.forget(|| session.load(&source, &Wanted::default()));
    let program = match outcome {
        Ok(program) => program,
        Err(error) => {
            report.why = first_line(error);
            return report;
        }
    };
    report.size = size(&program);
    let main = match select(&program, &Select { routine: None }, session) {
        Ok(main) => main,
        Err(error) => {
            report.why = first_line(error);
            return report;
        }
    };
    let given = std::fs::read_to_string(path.with_extension("point.json")).ok();
    let case = Case {
        program: &program,
        main,
        reference,
        given,
    };
    if let Err(error) = differentiate(&case, args, session, &mut report) {
        report.why = error;
    }
    report
}

/// What stands in the way, in one line.
fn first_line(error: anyhow::Error) -> String {
    match error.downcast::<Diagnostics>() {
        Ok(problems) => summary(&problems),
        Err(error) => error.to_string(),
    }
}

fn summary(problems: &Diagnostics) -> String {
    match problems.iter().next() {
        Some(d) => format!("{}: {}", d.code, d.message),
        None => String::new(),
    }
}

fn size(program: &Program) -> Size {
    let mut size = Size::default();
    for body in program.routines.iter().filter_map(|r| r.body.as_ref()) {
        for (_, vertex) in body.vertices() {
            size.vertices += 1;
            size.loops += usize::from(matches!(vertex.kind, VertexKind::Loop { .. }));
            size.branches += usize::from(matches!(vertex.kind, VertexKind::Branch(_)));
            let calls = vertex.statements().iter();
            size.calls += calls
                .filter(|s| matches!(s.kind, StmtKind::Call { .. }))
                .count();
        }
    }
    size
}

/// Fills in the report; the error says why nothing could be compared.
fn differentiate(
    case: &Case<'_>,
    args: &Corpus,
    session: &Session,
    report: &mut Report,
) -> Result<(), String> {
    let (main, reference) = (case.main, case.reference);
    let usable = reference.filter(|r| !r.own_driver && r.jacobian.is_some());
    if usable.is_none() {
        // The general point may not be meant for it, so failing there says nothing.
        report.status = Status::NoReference;
    }
    let options = Options {
        // Whatever the language: y starts at 0.
        zero_dependents: true,
        ..options(&args.limits, session)
    };
    let chosen = point::choose(case.program, main, reference);
    let program = chosen.program.as_ref().unwrap_or(case.program);
    if usable.is_some() && point::is_passive(program.routine(main)) {
        report.adjoint = usable.map(zeros_against);
        report.tangent = report.adjoint;
        conclude(args, report);
        report.why = "y is not real: its derivatives are 0".to_owned();
        return Ok(());
    }
    let point = match &case.given {
        Some(point) => point.clone(),
        None => chosen.text?,
    };
    tape(program, main, &options, &point, report).map_err(|d| summary(&d))?;
    match usable {
        Some(reference) => {
            let compute = |mode| {
                let read = |t: &Tangent| t.point(point.as_bytes());
                let found = jacobian(program, main, &options, read, Some(mode));
                found
                    .map(|j| against(&j, reference))
                    .map_err(|d| summary(&d))
            };
            report.tangent = Some(compute(Mode::Tangent)?);
            report.adjoint = Some(compute(Mode::Adjoint)?);
            conclude(args, report);
        }
        None => {
            let tolerances = Tolerances {
                dot_product: args.tolerance,
                ..Tolerances::default()
            };
            let read = |t: &Tangent| t.point(point.as_bytes());
            let found = check(program, main, &options, read, tolerances);
            let found = found.map_err(|d| summary(&d))?.dot_product;
            if found.gap.is_finite() {
                report.adjoint = Some(found.gap);
                report.why = "adjoint compared with tangent".to_owned();
                if !found.agrees {
                    report.status = Status::Differs;
                }
            } else {
                report.why = "not differentiable at the general point".to_owned();
            }
        }
    }
    if report.stack.is_some_and(|n| n > 0) {
        report.status = Status::Differs;
        report.why = "the stack checker has found problems".to_owned();
    }
    Ok(())
}

/// Compares the errors with the tolerance.
fn conclude(args: &Corpus, report: &mut Report) {
    let worst = worst(report).unwrap_or(f64::NAN);
    if worst <= args.tolerance {
        report.status = Status::Agrees;
    } else {
        report.status = Status::Differs;
        report.why = format!("relative error {worst:e}");
    }
}

/// The error of a Jacobian. A reference may have more columns than the program has inputs: those are of
/// elements that its driver had and the program does not use, and have to be 0.
fn against(found: &Jacobian, reference: &Reference) -> f64 {
    let height: usize = found.rows.iter().map(|c| c.1).sum();
    let width: usize = found.columns.iter().map(|c| c.1).sum();
    if height != reference.m || width > reference.n {
        return f64::INFINITY;
    }
    let mut entries = Vec::with_capacity(height * reference.n);
    for row in 0..height {
        entries.extend((0..reference.n).map(|column| found.entry(row, column).unwrap_or(0.0)));
    }
    error(&entries, &flat(reference))
}

fn zeros_against(reference: &Reference) -> f64 {
    error(&vec![0.0; reference.m * reference.n], &flat(reference))
}

fn flat(reference: &Reference) -> Vec<Option<f64>> {
    let rows = reference.jacobian.iter().flatten();
    rows.flatten().copied().collect()
}

/// max|J − R| / max|R| over the whole matrix (max|J| if R is 0); entries without reference are left out.
fn error(found: &[f64], reference: &[Option<f64>]) -> f64 {
    if found.len() != reference.len() {
        return f64::INFINITY;
    }
    let mut difference = 0.0f64;
    let mut scale = 0.0f64;
    let mut own = 0.0f64;
    for (j, r) in found.iter().zip(reference) {
        let Some(r) = r else { continue };
        let d = (j - r).abs();
        if d.is_nan() && !(j.is_nan() && r.is_nan()) && j != r {
            return f64::NAN;
        }
        // Equal infinities and NaNs differ by nothing.
        difference = difference.max(if d.is_nan() { 0.0 } else { d });
        scale = scale.max(if r.is_finite() { r.abs() } else { 0.0 });
        own = own.max(if j.is_finite() { j.abs() } else { 0.0 });
    }
    match (difference, scale) {
        (0.0, _) => 0.0,
        (d, 0.0) => d / own,
        (d, scale) => d / scale,
    }
}

/// What one gradient uses of the tape, and whether the stacks are right.
fn tape(
    program: &ValidProgram,
    main: RoutineId,
    options: &Options,
    point: &str,
    report: &mut Report,
) -> Result<(), Diagnostics> {
    let mut adjoint = Adjoint::new(program, main, options)?;
    let found = tape_check::check_program(adjoint.program()).problems;
    report.stack = Some(found.iter().count());
    let point = adjoint.point(point.as_bytes())?;
    let seed = adjoint.ones(&point);
    let tape = adjoint.gradient(&point, &seed)?.tape;
    report.tape = Some((tape.control_bits, tape.value_bytes));
    Ok(())
}
