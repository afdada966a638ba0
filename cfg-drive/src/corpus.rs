//! A folder of programs, XAIF documents or our own format, against reference Jacobians.
//!
//! For each document: both Jacobians, by rows of the adjoint and by columns of the tangent, are compared
//! with the reference, or with each other if there is none; the static stack checker looks at the adjoint
//! with separate and with merged blocks; and the reverse sweeps must visit the originals' vertices in
//! exactly reverse order, those of every routine called.
//!
//! The point is that of the suite that the references come from: the independents are 1/2, 2/2, 3/2, ... in order,
//! all other values are 0. If the top routine (or a COMMON block) has an `x` and a `y`, these are the independent and
//! the dependent; otherwise the front end's choice counts. An array whose extent the routine leaves to its caller has
//! as many elements as the reference has columns or rows.

mod compare;
mod extents;
mod measure;
mod point;
mod table;

use crate::{Options, codes};
use cfg_core::{
    diagnostic::{Diagnostics, Severity},
    entity::RoutineId,
    ir::{Cfg, Program, StmtKind, VertexType},
};
use cfg_exec::TapeCounts;
use cfg_front::xaif::read_xaif;
use compare::compare;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, path::Path};
pub use table::{Line, json, summary, table};

/// A line of `expected.jsonl`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Expected {
    /// The document without `.xaif`.
    pub name: String,
    /// Number of scalar inputs: columns.
    pub n: usize,
    /// Number of scalar outputs: rows.
    pub m: usize,
    /// The rows of the Jacobian; `None` for entries without a reliable reference.
    pub jacobian: Option<Vec<Vec<Option<f64>>>>,
    /// True if the program was driven by code of its own, at a point that is not known here.
    #[serde(default)]
    pub own_driver: bool,
    /// The reasons for which the adjoint mode of the system that gave the references failed, if it did.
    #[serde(default)]
    pub openad_fails: Vec<String>,
}

/// The outcome of one document.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Both Jacobians are the reference.
    Agrees,
    /// One of the Jacobians is not the reference, they differ from each other, or the stacks or the order of visits
    /// are wrong.
    Differs,
    /// The document cannot be read, differentiated or run.
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

/// One document of the corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name of the document without `.xaif`.
    pub name: String,
    /// The status of the document.
    pub status: Status,
    /// The larger of the two errors, if they could be computed.
    pub error: Option<f64>,
    /// The reason for which the status is not `agrees`; empty otherwise.
    pub why: String,
    /// Sizes of the original program.
    pub size: Size,
    /// Error of the Jacobian by reverse sweeps, against the reference or the tangent's.
    pub adjoint: Option<f64>,
    /// Error of the Jacobian by tangents, against the reference.
    pub tangent: Option<f64>,
    /// True if the stack checker finds no problem, with separate and with merged blocks, and the tape ends empty.
    pub stacks: Option<bool>,
    /// True if the reverse sweeps visit the vertices in reverse order, in every called routine and in both forms.
    pub order: Option<bool>,
    /// Tape use of one forward and reverse sweep.
    pub tape: Option<TapeCounts>,
    /// The reasons for which the system that gave the references failed in adjoint mode, if it did.
    pub openad_fails: Vec<String>,
}

/// Sizes of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Vertices of all graphs.
    pub vertices: usize,
    /// The number of LOOP vertices.
    pub loops: usize,
    /// The number of BRANCH vertices.
    pub branches: usize,
    /// The number of calls.
    pub calls: usize,
}

/// Largest error that counts as agreement.
pub const TOLERANCE: f64 = 1e-10;

/// Largest error that counts as agreement of programs with an operation, constant or variable of 32 bits.
pub const TOLERANCE_REAL32: f64 = 1e-4;

/// Runs every document of a folder, in order of names.
///
/// # Errors
/// The folder or `expected.jsonl` cannot be read. Problems of a document are in its entry.
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
                let program = cfg_format::json::read(&bytes);
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

/// Runs a program that has been read.
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
                VertexType::Entry
                | VertexType::Exit
                | VertexType::BasicBlock
                | VertexType::EndLoop
                | VertexType::EndBranch => {}
            }
            let calls = vertex.statements().iter();
            size.calls += calls
                .filter(|s| matches!(s.kind, StmtKind::Call { .. }))
                .count();
        }
    }
    size
}
