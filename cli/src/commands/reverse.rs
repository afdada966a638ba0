//! `cfgrev reverse`: the augmented forward and the adjoint program.

use super::{prepare, splittable, tape_beside};
use crate::Outcome;
use crate::args::{
    Blocks, Counters, Model, Order, Overlap, Prefer, Reversal, Reverse, Search, Unstructured,
    functions,
};
use crate::input::{Session, Usage};
use crate::output::{create_folder, file_stem, refuse_existing, to_file, to_stdout};
use cfg_back::dot::{DotOptions, Panel, write_panels};
use cfg_core::diagnostic::Diagnostics;
use cfg_core::entity::RoutineId;
use cfg_core::ir::{Control, Program};
use cfg_drive::extract;
use cfg_languages::{BackEnd, DEFAULT_FORM, Derivative, Subject, TextWriter, WriteOptions, Writer};
use cfg_reverse::explain::explain;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The options of the library, for derivatives at a POINT.
pub(crate) fn options(args: Reversal) -> cfg_reverse::Options {
    cfg_reverse::Options {
        counters: args.counters == Counters::Always,
        markers: args.markers == Counters::Always,
        indices: args.indices == Counters::Always,
        values: args.values == Counters::Always,
        merge: args.merge,
        blocks: match args.blocks {
            Blocks::Carry => cfg_reverse::Blocks::Carry,
            Blocks::Statement => cfg_reverse::Blocks::Statement,
            Blocks::Preaccumulate => cfg_reverse::Blocks::Preaccumulate,
            Blocks::Auto => cfg_reverse::Blocks::Auto,
        },
        unstructured: match args.unstructured {
            Unstructured::Structure => cfg_reverse::Unstructured::Structure,
            Unstructured::Trace => cfg_reverse::Unstructured::Trace,
        },
        strong: args.strong.into(),
        prefer: match args.prefer {
            Prefer::Time => cfg_reverse::Prefer::Time,
            Prefer::Memory => cfg_reverse::Prefer::Memory,
        },
        tape_memory: args.tape_memory,
        restarts: args.restarts,
        order: match args.order {
            Order::Program => cfg_reverse::Order::Program,
            Order::Reverse => cfg_reverse::Order::Reverse,
        },
        overlap: args.overlapping.overlap.at_point(),
        ..cfg_reverse::Options::default()
    }
}

/// The options of the search for elimination sequences from the command line.
fn search(args: Search) -> cfg_reverse::Search {
    let default = cfg_reverse::Search::default();
    cfg_reverse::Search {
        model: args.model.map_or(default.model, Model::model),
        technique: args.technique.technique(),
        heuristic: args.heuristic,
        seed: args.rng,
        chains: args.chains.map_or(default.chains, usize::from),
        exact: args.exact,
    }
}

pub(crate) fn run(args: &Reverse, session: &Session) -> anyhow::Result<Outcome> {
    let form = match (&args.output, &args.emit[..]) {
        (None, [form, others @ ..]) if others.iter().any(|other| other != form) => {
            return Err(Usage("--emit of several forms needs a folder: -o DIR".into()).into());
        }
        (_, forms) => forms.first().copied().unwrap_or(DEFAULT_FORM),
    };
    let pictures = args.emit.iter().any(|form| form.is_picture());
    if !pictures && (args.panels || args.pairs || args.picture.is_given()) {
        return Err(Usage("options of pictures need --emit dot".into()).into());
    }
    let drawn = DotOptions {
        pairs: args.pairs,
        ..args.picture.options()
    };
    let written = WriteOptions {
        picture: drawn,
        c: cfg_back::c::Options {
            apart: args.reversal.overlapping.overlap == Overlap::None,
            functions: functions(&args.functions).map_err(Usage)?,
            ..args.c.options(args.output.is_some())
        },
        directions: args.c.directions,
    };
    let code = args.emit.iter().find(|form| form.is_code());
    let writes_c = !args.explain && code.is_some();
    let parts = args.output.is_some() && args.emit.iter().any(|form| !form.is_code());
    let writes_whole = !args.explain && !pictures && !parts;
    if !writes_c && !args.functions.is_empty() {
        return Err(Usage("--functions needs --emit c".into()).into());
    }
    let folder = args.output.is_some();
    (args.c.check(writes_c, writes_whole, folder)).map_err(Usage)?;
    if args.search.is_given() && matches!(args.reversal.blocks, Blocks::Carry | Blocks::Statement) {
        let message = "options of the search need --blocks preaccumulate or --blocks auto";
        return Err(Usage(message.into()).into());
    }
    let others = [
        (args.c.directions.is_some(), "--directions"),
        (args.c.emitted.checks, "--checks"),
    ];
    for (given, option) in others {
        if given && args.reversal.restarts {
            let message = format!("--restarts does not go together with {option}");
            return Err(Usage(message).into());
        }
    }
    let (program, routine) = prepare(&args.what, &args.c.size, session)?;
    let program = splittable(program, routine, &args.c);
    let options = cfg_reverse::Options {
        search: search(args.search),
        control_only: args.control_only,
        results: args.results.option(),
        overlap: args.reversal.overlapping.overlap.of_program(),
        ..options(args.reversal)
    };
    let (program, warnings) = cfg_reverse::keep_states(Cow::Owned(program), routine, &options)?;
    session.report(&warnings);
    if args.explain {
        let plan = {
            let _progress = session.progress("planning");
            explain(&program, routine, &options)?
        };
        to_stdout(|out| TextWriter::run(out, |out| write!(out, "{plan}")))?;
        return Ok(Outcome::Done);
    }
    let mut reversal = {
        let _progress = session.progress("reversing");
        match (args.reversal.overlapping.overlap, code) {
            (Overlap::Test, Some(_)) => {
                cfg_reverse::reverse_in_versions(&program, routine, &options)?
            }
            (Overlap::Test, None) | (Overlap::Assume | Overlap::None, _) => {
                cfg_reverse::reverse(&program, routine, &options)?.regrouped(&program)?
            }
        }
    };
    let _progress = session.progress("writing");
    if args.output.is_none() && !form.is_picture() {
        drop(program);
        if !form.is_code() {
            reversal.program.main.get_or_insert(routine);
        }
        let program = Cow::Owned(std::mem::take(&mut reversal.program));
        to_stdout(form.writer(whole(&reversal, program), &written)?)?;
        return Ok(Outcome::Done);
    }
    let stem = file_stem(&program.routine(routine).name);
    let globals = program.grouped().globals.len();
    // The result contains the original routines, so the program is freed.
    drop(program);
    let parts = [
        ("original", reversal.original),
        ("forward", reversal.forward),
        ("adjoint", reversal.reverse),
    ];
    let panels = |out: &mut dyn Write| {
        let panels = parts.map(|(title, routine)| Panel {
            title,
            program: &reversal.program,
            routine,
        });
        TextWriter::run(out, |out| write_panels(out, &panels, &drawn))
    };
    let Some(folder) = &args.output else {
        if args.panels {
            to_stdout(|out| panels(out))?;
            return Ok(Outcome::Done);
        }
        // Several pictures in one stream, which Graphviz accepts.
        to_stdout(|out| {
            parts.iter().try_for_each(|&(_, routine)| {
                let part = extract(&reversal.program, routine);
                let writer = write_part(&part, form, &written).map_err(io::Error::other)?;
                writer(out)
            })
        })?;
        return Ok(Outcome::Done);
    };
    let files = files(args, folder, &stem, parts, &written);
    // All or nothing, as far as it can be known before writing.
    for (path, ..) in &files {
        refuse_existing(path, args.force)?;
    }
    let code = code.map(|form| {
        let name = format!("{stem}.adjoint.{}", form.extension(&written));
        (folder.join(name), form)
    });
    if let Some((path, _)) = &code {
        refuse_existing(path, args.force)?;
    }
    let tape = match &code {
        Some(_) => tape_beside(&args.c.emitted, folder, args.force)?,
        None => None,
    };
    let figure = args
        .panels
        .then(|| folder.join(format!("{stem}.panels.dot")));
    if let Some(path) = &figure {
        refuse_existing(path, args.force)?;
    }
    create_folder(folder)?;
    if let Some(path) = &figure {
        to_file(path, args.force, |out| panels(out))?;
    }
    if let Some((path, text)) = &tape {
        to_file(path, args.force, |out| out.write_all(text.as_bytes()))?;
    }
    if let Some((path, form)) = &code {
        to_file(
            path,
            args.force,
            form.writer(whole(&reversal, Cow::Borrowed(&reversal.program)), &written)?,
        )?;
    }
    // One part at a time: each is a copy.
    for part in files.chunk_by(|a, b| a.1 == b.1) {
        let Some(&(_, routine, _)) = part.first() else {
            continue;
        };
        let mut graph = extract(&reversal.program, routine);
        if routine == reversal.original {
            // Adjoints of globals come after them.
            graph.globals.truncate(globals);
        }
        for (path, _, emit) in part {
            to_file(path, args.force, write_part(&graph, *emit, &written)?)?;
        }
    }
    Ok(Outcome::Done)
}

/// The whole program that a reversal has made, with the roles of its routines.
fn whole<'r>(reversal: &'r cfg_reverse::Reversal, program: Cow<'r, Program>) -> Subject<'r> {
    Subject {
        program,
        drawn: None,
        derivative: Some(Derivative::Reversal(reversal)),
    }
}

/// The files to write, those of one part next to each other.
fn files(
    args: &Reverse,
    folder: &Path,
    stem: &str,
    parts: [(&str, RoutineId); 3],
    written: &WriteOptions,
) -> Vec<(PathBuf, RoutineId, &'static dyn BackEnd)> {
    let mut files: Vec<(PathBuf, RoutineId, &'static dyn BackEnd)> = Vec::new();
    for (part, routine) in parts {
        for &emit in &args.emit {
            // One file has all functions, and one picture all panels.
            if emit.is_code() || emit.is_picture() && args.panels {
                continue;
            }
            let extension = emit.extension(written);
            let path = folder.join(format!("{stem}.{part}.{extension}"));
            if !files.iter().any(|(p, ..)| *p == path) {
                files.push((path, routine, emit));
            }
        }
    }
    files
}

/// The writer of a part of a reversal, which is a program of its own.
fn write_part<'p>(
    program: &'p Program,
    form: &dyn BackEnd,
    written: &WriteOptions,
) -> Result<Writer<'p>, Diagnostics> {
    let mut options = *written;
    // Loops and regions of a graph that does not nest are not told from its vertices.
    let main = program.main.map(|main| program.routine(main));
    options.picture.clusters |= main.is_some_and(|main| main.control == Control::General);
    let subject = Subject {
        program: Cow::Borrowed(program),
        drawn: program.main,
        derivative: None,
    };
    form.writer(subject, &options)
}
