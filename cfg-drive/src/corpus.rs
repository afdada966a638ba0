//! A folder of programs, XAIF documents or our own format, against reference Jacobians.
//!
//! For each document: both Jacobians, by rows of the adjoint and by columns of the tangent, are compared
//! with the reference, or with each other if there is none; the static stack checker looks at the adjoint
//! with separate and with merged blocks; and the reverse sweeps must visit the originals' vertices in
//! exactly reverse order, those of every routine called.
//!
//! The point is that of the suite that the references come from: the independents are 1/2, 2/2, 3/2, ... in
//! order, everything else is 0. Where the top routine (or a COMMON block) has an `x` and a `y`, those are
//! the independent and the dependent; otherwise they are what the front end finds. An array whose extent the
//! routine leaves to its caller has as many elements as the reference has columns or rows.

mod extents;

use crate::{
    Adjoint, Jacobian, Mode, Options, Point, Primal, Tangent, absolute::absolute, codes,
    declare::declare, extract::extract, jacobian::jacobian, single::has_real32, slot::Slot,
};
use cfg_core::{
    diagnostic::{Diagnostics, Severity},
    elemental::Scalar,
    entity::RoutineId,
    ir::{Cfg, Expr, Extent, Order, Program, ScalarType, StmtKind, VertexType},
    validate::{ValidProgram, validate},
};
use cfg_exec::{TapeCounts, Value};
use cfg_front::xaif::read_xaif;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

/// A line of `expected.jsonl`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Expected {
    /// The document without `.xaif`.
    pub name: String,
    /// Number of scalar inputs: columns.
    pub n: usize,
    /// Number of scalar outputs: rows.
    pub m: usize,
    /// Rows; `None` where the reference is not reliable.
    pub jacobian: Option<Vec<Vec<Option<f64>>>>,
    /// The program was driven by code of its own, at a point that is not known here.
    #[serde(default)]
    pub own_driver: bool,
    /// Why the adjoint mode of the system that gave the references failed, if it did.
    #[serde(default)]
    pub openad_fails: Vec<String>,
}

/// How a document fared.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Both Jacobians are the reference.
    Agrees,
    /// One of them is not, or they differ from each other, or the stacks or the order of visits are wrong.
    Differs,
    /// It cannot be read, differentiated or run.
    Unsupported,
    /// There is no reference; adjoint and tangent agree.
    #[serde(rename = "no reference")]
    NoReference,
}

impl Status {
    /// The name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::Unsupported => "unsupported",
            Self::NoReference => "no reference",
        }
    }
}

/// One document.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name without `.xaif`.
    pub name: String,
    /// How it fared.
    pub status: Status,
    /// The larger of the two errors, if they could be computed.
    pub error: Option<f64>,
    /// Why it is not `agrees`; empty otherwise.
    pub why: String,
    /// Sizes of the original program.
    pub size: Size,
    /// Error of the Jacobian by reverse sweeps, against the reference or the tangent's.
    pub adjoint: Option<f64>,
    /// Error of the Jacobian by tangents, against the reference.
    pub tangent: Option<f64>,
    /// The stack checker has nothing to say, with separate and with merged blocks, and nothing is left on
    /// the tape.
    pub stacks: Option<bool>,
    /// The reverse sweeps visit in reverse order, in every routine called and in both forms.
    pub order: Option<bool>,
    /// Tape use of one forward and reverse sweep.
    pub tape: Option<TapeCounts>,
    /// Why the system that gave the references failed in adjoint mode, if it did.
    pub openad_fails: Vec<String>,
}

/// Sizes of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Vertices of all graphs.
    pub vertices: usize,
    /// LOOP vertices.
    pub loops: usize,
    /// BRANCH vertices.
    pub branches: usize,
    /// Calls.
    pub calls: usize,
}

/// Largest error that counts as agreement.
pub const TOLERANCE: f64 = 1e-10;

/// The same for programs with an operation, constant or variable of 32 bits.
pub const TOLERANCE_REAL32: f64 = 1e-4;

/// Runs every document of a folder, in order of names.
///
/// # Errors
/// The folder or `expected.jsonl` cannot be read. What is wrong with a document is in its entry.
pub fn corpus(folder: &Path, options: &Options) -> Result<Vec<Entry>, Diagnostics> {
    let unreadable = |path: &Path, e: &dyn std::fmt::Display| {
        codes::general(
            &codes::FOLDER,
            format!("{}: {e}", path.display()),
            "name a folder of programs (.xaif or .json)",
        )
    };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| unreadable(folder, &e))? {
        let path = entry.map_err(|e| unreadable(folder, &e))?.path();
        if language(&path).is_some() {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(unreadable(folder, &"there is no program in it"));
    }
    let mut expected: BTreeMap<String, Expected> = BTreeMap::new();
    let references = folder.join("expected.jsonl");
    if references.exists() {
        let text = fs::read_to_string(&references).map_err(|e| unreadable(&references, &e))?;
        for (i, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let entry: Expected = serde_json::from_str(line)
                .map_err(|e| unreadable(&references, &format!("line {}: {e}", i + 1)))?;
            expected.insert(entry.name.clone(), entry);
        }
    }
    let mut entries = Vec::with_capacity(paths.len());
    for path in paths {
        let name = path
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned())
            .unwrap_or_default();
        let reference = expected.get(&name);
        entries.push(match fs::read(&path) {
            Ok(bytes) if language(&path) == Some(Language::Json) => {
                let program = cfg_core::json::read(&bytes);
                examine(&name, program, reference, options)
            }
            Ok(bytes) => document(&name, &bytes, reference, options),
            Err(e) => unsupported(&name, reference, e.to_string()),
        });
    }
    Ok(entries)
}

fn unsupported(name: &str, expected: Option<&Expected>, why: String) -> Entry {
    Entry {
        name: name.to_owned(),
        status: Status::Unsupported,
        error: None,
        why,
        size: Size::default(),
        adjoint: None,
        tangent: None,
        stacks: None,
        order: None,
        tape: None,
        openad_fails: expected.map(|e| e.openad_fails.clone()).unwrap_or_default(),
    }
}

/// The first error, on one line.
fn first(problems: &Diagnostics) -> String {
    let error = problems
        .iter()
        .find(|d| d.severity == Severity::Error)
        .or_else(|| problems.iter().next());
    error.map_or_else(String::new, |d| {
        let line =
            d.at.line
                .map(|l| format!(" (line {l})"))
                .unwrap_or_default();
        format!("{} {}{line}", d.code, d.message)
    })
}

/// The language of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Xaif,
    Json,
}

/// `None` if the file is no program: `f.point.json` and the like belong to `f.json`.
fn language(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()? {
        "xaif" => Some(Language::Xaif),
        "json" => {
            let belongs = Path::new(path.file_stem()?).extension().is_some();
            (!belongs).then_some(Language::Json)
        }
        _ => None,
    }
}

/// Runs one XAIF document.
pub fn document(name: &str, bytes: &[u8], expected: Option<&Expected>, options: &Options) -> Entry {
    let (program, problems) = read_xaif(bytes, &cfg_front::xaif::Options::default());
    examine(name, program.ok_or(problems), expected, options)
}

/// Runs what has been read.
fn examine(
    name: &str,
    program: Result<Program, Diagnostics>,
    expected: Option<&Expected>,
    options: &Options,
) -> Entry {
    let mut program = match program {
        Ok(program) => program,
        Err(problems) => return unsupported(name, expected, first(&problems)),
    };
    if program.main.is_none() && program.routines.len() == 1 {
        program.main = Some(RoutineId::new(0));
    }
    let size = size(&program);
    let mut entry = match compare(name, program, expected, options) {
        Ok(entry) => entry,
        Err(problems) => unsupported(name, expected, first(&problems)),
    };
    entry.size = size;
    entry
}

fn size(program: &Program) -> Size {
    let mut size = Size::default();
    for routine in &program.routines {
        for (_, vertex) in routine.body.iter().flat_map(Cfg::vertices) {
            size.vertices += 1;
            match vertex.vertex_type() {
                VertexType::Loop | VertexType::ForLoop => size.loops += 1,
                VertexType::Branch => size.branches += 1,
                _ => {}
            }
            let calls = vertex.statements().iter();
            size.calls += calls
                .filter(|s| matches!(s.kind, StmtKind::Call { .. }))
                .count();
        }
    }
    size
}

fn compare(
    name: &str,
    mut program: Program,
    expected: Option<&Expected>,
    options: &Options,
) -> Result<Entry, Diagnostics> {
    let mut entry = unsupported(name, expected, String::new());
    let Some(main) = program.main else {
        "no top routine".clone_into(&mut entry.why);
        return Ok(entry);
    };
    // Only what the top routine needs: other routines may do anything.
    program = extract(&program, main);
    let main = program.main.unwrap_or(main);
    if let Some(e) = expected {
        extents::assume(&mut program, main, e.n, e.m);
    }
    let rows = choose(&mut program, main)?;
    let chosen = matches!(rows, Rows::Named);
    let program = validate(program)?;
    let tolerance = if has_real32(&program) {
        TOLERANCE_REAL32
    } else {
        TOLERANCE
    };
    let reference = expected
        .filter(|e| !e.own_driver)
        .and_then(|e| e.jacobian.as_ref().map(|j| (e.n, e.m, j)));
    if let Rows::Constant(rows) = rows {
        // The output is not real: its derivative is 0.
        let found = reference.and_then(|(_, m, j)| (m == rows).then(|| error(&[], 0, j)));
        entry.error = found;
        entry.status = match found {
            Some(e) if e <= TOLERANCE => Status::Agrees,
            Some(_) => Status::Differs,
            None => Status::NoReference,
        };
        if entry.status != Status::Agrees {
            "the output is not real: its derivative is 0".clone_into(&mut entry.why);
        }
        return Ok(entry);
    }
    let by = |mode| {
        jacobian(
            &program,
            main,
            options,
            |p| point(p, &program, main),
            Some(mode),
        )
    };
    let adjoint = by(Mode::Adjoint)?;
    let tangent = by(Mode::Tangent)?;
    inspect(&mut entry, &program, main, options)?;
    let width: usize = adjoint.columns.iter().map(|c| c.1).sum();
    let height: usize = adjoint.rows.iter().map(|r| r.1).sum();
    // A driver may pass a longer array than the formal is: nothing depends on the rest.
    let fits = reference
        .filter(|&(n, m, _)| n == width && m == height || chosen && n >= width && m >= height);
    if let Some((_, _, j)) = fits {
        let by_adjoint = error(&adjoint.entries, width, j);
        let by_tangent = error(&tangent.entries, width, j);
        entry.adjoint = Some(by_adjoint);
        entry.tangent = Some(by_tangent);
        entry.error = Some(worse(by_adjoint, by_tangent));
    } else if adjoint
        .entries
        .iter()
        .chain(&tangent.entries)
        .all(|x| x.is_finite())
    {
        let (gap, size) = distance(&adjoint.entries, &tangent.entries);
        let mut between = relative(gap, size);
        if between > tolerance {
            // Terms may have cancelled: rounding is small relative to their absolute values.
            between = relative(gap, absolute_size(&program, main, options)?.max(size));
        }
        entry.adjoint = Some(between);
        entry.error = Some(between);
    }
    (entry.status, entry.why) = verdict(&entry, expected, fits.is_some(), &adjoint, tolerance);
    Ok(entry)
}

/// What the figures of an entry mean.
fn verdict(
    entry: &Entry,
    expected: Option<&Expected>,
    compared: bool,
    jacobian: &Jacobian,
    tolerance: f64,
) -> (Status, String) {
    let differs = |why: &str| (Status::Differs, why.to_owned());
    match entry.error {
        Some(e) if e <= tolerance => {}
        None => {
            let why = "the derivatives are not finite at the general point";
            return (Status::NoReference, why.to_owned());
        }
        Some(e) => {
            let other = if compared {
                "the reference"
            } else {
                "each other"
            };
            let why = format!("{}: {e:.1e} against {other}", lengths(jacobian));
            return (Status::Differs, why);
        }
    }
    if entry.stacks == Some(false) {
        return differs("the stack checker objects");
    }
    if entry.order == Some(false) {
        return differs("the reverse sweep does not visit in reverse order");
    }
    if compared {
        return (Status::Agrees, String::new());
    }
    let reason = match expected {
        None => "not in expected.jsonl".to_owned(),
        Some(e) if e.own_driver => "driven by code of its own".to_owned(),
        Some(e) if e.jacobian.is_none() => "no reliable reference".to_owned(),
        Some(e) => format!(
            "{}, but the reference has {} rows and {} columns",
            lengths(jacobian),
            e.m,
            e.n
        ),
    };
    let why = format!("{reason}; adjoint and tangent agree");
    (Status::NoReference, why)
}

fn lengths(jacobian: &Jacobian) -> String {
    let list = |of: &[(String, usize)]| {
        let names: Vec<String> = of.iter().map(|(n, k)| format!("{n} ({k})")).collect();
        names.join(", ")
    };
    format!("d[{}]/d[{}]", list(&jacobian.rows), list(&jacobian.columns))
}

/// What the rows of the Jacobian are.
enum Rows {
    /// `y`, with respect to `x`.
    Named,
    /// The dependents that the front end found.
    Found,
    /// So many elements that are not real.
    Constant(usize),
}

/// Chooses `x` and `y` where they exist.
fn choose(program: &mut Program, main: RoutineId) -> Result<Rows, Diagnostics> {
    let find = |name: &str| {
        let routine = program.routine(main);
        let slot = Slot::find(program, routine, name)?;
        let variable = slot.variable(program, routine)?;
        let mut size = 1usize;
        for dim in &variable.shape {
            match dim.extent {
                Extent::Fixed(Expr::Int(n)) => {
                    size = size.checked_mul(usize::try_from(n).ok()?)?;
                }
                Extent::Fixed(_) | Extent::Deferred => return None,
            }
        }
        Some((variable.ty, size))
    };
    if let (Some((x, _)), Some((y, size))) = (find("x"), find("y"))
        && x.is_real()
    {
        let name = |n: &str| [n.to_owned()];
        if !y.is_real() {
            return Ok(Rows::Constant(size));
        }
        declare(program, main, Some(&name("x")), Some(&name("y")))?;
        return Ok(Rows::Named);
    }
    Ok(Rows::Found)
}

/// Independents 1/2, 2/2, 3/2, ... in storage order; other parameters and dependents 0.
fn point(primal: &Primal, program: &Program, main: RoutineId) -> Result<Point, Diagnostics> {
    let routine = program.routine(main);
    let mut next = 1usize;
    let mut members = Vec::new();
    let others = routine.dependents.iter().copied();
    let globals = routine.independents.iter().copied().chain(others);
    let globals = globals.filter(|&v| v.index() >= routine.parameters);
    let mut seen = Vec::new();
    for v in routine.parameter_ids().chain(globals) {
        if seen.contains(&v) {
            continue;
        }
        seen.push(v);
        let variable = routine.variable(v);
        let mut extents = Vec::new();
        for dim in &variable.shape {
            let Extent::Fixed(Expr::Int(n)) = dim.extent else {
                return Err(codes::general(
                    &codes::MISSING,
                    format!("the shape of {} is not constant", variable.name),
                    "run the program with a POINT of its own",
                ));
            };
            extents.push(usize::try_from(n).unwrap_or(0));
        }
        let count = extents.iter().try_fold(1usize, |n, &e| n.checked_mul(e));
        let Some(count) = count.filter(|&n| n <= 1 << 20) else {
            return Err(codes::general(
                &codes::TOO_LARGE,
                format!("{} has too many elements", variable.name),
                "run the program with a POINT of its own",
            ));
        };
        let varied = routine.independents.contains(&v);
        let first = next;
        let element = |k: usize| match variable.ty {
            ScalarType::Logical => "false".to_owned(),
            ScalarType::Integer | ScalarType::Tape => "0".to_owned(),
            _ if varied => format!("{:?}", (first + k) as f64 / 2.0),
            _ => "0.0".to_owned(),
        };
        let mut text = String::new();
        nested(
            &extents,
            0,
            1,
            variable.order == Order::Column,
            &element,
            &mut text,
        );
        members.push(format!(
            "{}: {text}",
            serde_json::Value::from(&*variable.name)
        ));
        if varied {
            next += count;
        }
    }
    primal.point(format!("{{{}}}", members.join(", ")).as_bytes())
}

/// A nested JSON array, first subscript outermost, of elements that are numbered in storage order.
fn nested(
    extents: &[usize],
    offset: usize,
    scale: usize,
    column: bool,
    element: &impl Fn(usize) -> String,
    out: &mut String,
) {
    let Some((&extent, rest)) = extents.split_first() else {
        out.push_str(&element(offset));
        return;
    };
    let stride = if column { scale } else { rest.iter().product() };
    out.push('[');
    for i in 0..extent {
        if i > 0 {
            out.push_str(", ");
        }
        nested(
            rest,
            offset + i * stride,
            scale * extent,
            column,
            element,
            out,
        );
    }
    out.push(']');
}

/// Largest difference over the largest entry of the reference (of the first, if the reference is 0).
/// Entries without reference do not count; those that the reference has more are 0.
fn error(entries: &[f64], width: usize, reference: &[Vec<Option<f64>>]) -> f64 {
    let mut largest = 0.0f64;
    let mut gap = 0.0f64;
    let mut size = 0.0f64;
    for (i, row) in reference.iter().enumerate() {
        for (j, r) in row.iter().enumerate() {
            let Some(r) = r else { continue };
            let inside = entries.get(i * width + j).filter(|_| j < width);
            let x = inside.copied().unwrap_or(0.0);
            largest = largest.max(r.abs());
            size = size.max(x.abs());
            gap = worse(gap, (x - r).abs());
        }
    }
    relative(gap, if largest > 0.0 { largest } else { size })
}

/// Largest difference and largest entry. The same infinity on both sides is no difference, nor is a NaN.
fn distance(a: &[f64], b: &[f64]) -> (f64, f64) {
    let mut gap = 0.0f64;
    let mut size = 0.0f64;
    for (x, y) in a.iter().zip(b) {
        if x == y || x.is_nan() && y.is_nan() {
            if x.is_finite() {
                size = size.max(x.abs());
            }
            continue;
        }
        size = size.max(x.abs()).max(y.abs());
        gap = worse(gap, (x - y).abs());
    }
    (gap, size)
}

/// The larger one; a NaN is the largest.
fn worse(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

fn relative(gap: f64, size: f64) -> f64 {
    if gap == 0.0 { 0.0 } else { gap / size }
}

/// The largest row sum of the product of the absolute values of all local Jacobians; 0 if it is not known.
fn absolute_size(
    program: &ValidProgram,
    main: RoutineId,
    options: &Options,
) -> Result<f64, Diagnostics> {
    let generated = cfg_reverse::tangent(program, main)?;
    let Some(bounds) = absolute(&generated) else {
        return Ok(0.0);
    };
    let bounds = cfg_reverse::Tangent {
        program: bounds,
        ..generated
    };
    let mut bounds = Tangent::of(bounds, options)?;
    let mut primal = Primal::new(program, main, options)?;
    let point = point(&primal, program, main)?;
    let (independents, _held) = primal.independents_at(&point)?;
    let ones: Vec<Value> = independents
        .iter()
        .map(|(_, v)| {
            let mut ones = v.clone();
            ones.fill(match v.ty() {
                ScalarType::Real32 => Scalar::Real32(1.0),
                _ => Scalar::Real(1.0),
            });
            ones
        })
        .collect();
    let found = bounds.tangent(&point, &ones)?.tangent;
    let elements = found
        .iter()
        .flat_map(|(_, v)| (0..v.len()).filter_map(|i| v.get_f64(i)));
    Ok(elements.fold(0.0, |a, x| if x.is_finite() { f64::max(a, x) } else { a }))
}

/// Stacks and order of visits, with separate and with merged blocks.
fn inspect(
    entry: &mut Entry,
    program: &ValidProgram,
    main: RoutineId,
    options: &Options,
) -> Result<(), Diagnostics> {
    let (mut stacks, mut order) = (true, true);
    for merge in [false, true] {
        let mut options = options.clone();
        options.reversal.merge = merge;
        options.trace = true;
        let mut adjoint = Adjoint::new(program, main, &options)?;
        let found = tape_check::check_program(adjoint.program()).problems;
        stacks &= !found.has_errors();
        let primal = Primal::new(program, main, &options)?;
        let point = point(&primal, program, main)?;
        let seed = adjoint.dependents_at(&point)?;
        let run = adjoint.gradient(&point, &seed)?;
        stacks &= run.tape.leftovers.iter().all(|l| l.is_empty());
        order &= run.mirrored == Some(true);
        if !merge {
            entry.tape = Some(run.tape);
        }
    }
    entry.stacks = Some(stacks);
    entry.order = Some(order);
    Ok(())
}

/// How many documents of each status.
pub fn summary(entries: &[Entry]) -> String {
    let count = |s| entries.iter().filter(|e| e.status == s).count();
    format!(
        "{} programs: {} agree, {} differ, {} unsupported, {} without reference",
        entries.len(),
        count(Status::Agrees),
        count(Status::Differs),
        count(Status::Unsupported),
        count(Status::NoReference)
    )
}

/// A table for people, with the programs on which the references' own system failed apart, and a
/// summary line.
pub fn table(entries: &[Entry]) -> String {
    let mut out = String::new();
    let width = entries.iter().map(|e| e.name.chars().count()).max();
    let width = width.unwrap_or(0).max(7);
    let head = format!(
        "{:width$} {:>8} {:>5} {:>8} {:>5} {:>9} {:>9} {:>6} {:>5} {:>7} {:>7} {:>7}  {}",
        "program",
        "vertices",
        "loops",
        "branches",
        "calls",
        "adjoint",
        "tangent",
        "stacks",
        "order",
        "control",
        "values",
        "peak",
        "status"
    );
    let (failed, others): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|e| !e.openad_fails.is_empty());
    let mut part = |title: &str, list: &[&Entry]| {
        if list.is_empty() {
            return;
        }
        let _ = writeln!(out, "{title}{head}");
        for e in list {
            let gap = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.1e}"));
            let yes = |x: Option<bool>| x.map_or("-", |x| if x { "ok" } else { "WRONG" });
            let tape = e.tape.as_ref();
            let count = |x: Option<u64>| x.map_or("-".to_owned(), |x| x.to_string());
            let _ = write!(
                out,
                "{:width$} {:>8} {:>5} {:>8} {:>5} {:>9} {:>9} {:>6} {:>5} {:>7} {:>7} {:>7}  {}",
                e.name,
                e.size.vertices,
                e.size.loops,
                e.size.branches,
                e.size.calls,
                gap(e.adjoint),
                gap(e.tangent),
                yes(e.stacks),
                yes(e.order),
                count(tape.map(|t| t.control_bits)),
                count(tape.map(|t| t.value_bytes)),
                count(tape.map(|t| t.peak_bytes)),
                e.status.name()
            );
            if !e.why.is_empty() {
                let _ = write!(out, ": {}", e.why);
            }
            out.push('\n');
        }
    };
    part("", &others);
    part(
        "\nPrograms on which the adjoint mode of OpenAD itself is recorded as failing:\n",
        &failed,
    );
    let _ = writeln!(out, "\n{}", summary(entries));
    out
}

/// The result for one program, as the command line prints it.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Line<'e> {
    /// Largest relative error; null if there is none.
    error: Option<f64>,
    /// The file without its extension.
    name: &'e str,
    /// How it fared.
    status: Status,
    /// Why it does not agree; empty if it does.
    why: &'e str,
}

/// One object per document.
pub fn json(entry: &Entry) -> Line<'_> {
    Line {
        error: entry.error,
        name: &entry.name,
        status: entry.status,
        why: &entry.why,
    }
}
