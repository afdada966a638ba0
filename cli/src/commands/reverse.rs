//! `cfgrev reverse`: the augmented forward and the adjoint program.

use super::{prepare, several, splittable, write_xaif};
use crate::Outcome;
use crate::args::{Blocks, Counters, Emit, Model, Reversal, Reverse, Search, Strong, Unstructured};
use crate::input::{Session, Usage};
use crate::output::{TextWriter, create_folder, file_stem, refuse_existing, to_file, to_stdout};
use cfg_back::dot::{DotOptions, Panel, write_cfg, write_panels};
use cfg_core::entity::RoutineId;
use cfg_core::ir::{Control, Program};
use cfg_core::validate::validate;
use cfg_drive::extract;
use cfg_reverse::explain::explain;
use cfg_transform::{flat, flatten};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The options of the library.
pub(crate) fn options(args: Reversal) -> cfg_reverse::Options {
    cfg_reverse::Options {
        counters: args.counters == Counters::Always,
        markers: args.markers == Counters::Always,
        merge: args.merge,
        blocks: match args.blocks {
            Blocks::Statement => cfg_reverse::Blocks::Statement,
            Blocks::Preaccumulate => cfg_reverse::Blocks::Preaccumulate,
            Blocks::Auto => cfg_reverse::Blocks::Auto,
        },
        unstructured: match args.unstructured {
            Unstructured::Structure => cfg_reverse::Unstructured::Structure,
            Unstructured::Trace => cfg_reverse::Unstructured::Trace,
        },
        strong: match args.strong {
            Strong::Needed => cfg_reverse::Strong::Needed,
            Strong::Always => cfg_reverse::Strong::Always,
        },
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
        (_, forms) => forms.first().copied().unwrap_or(Emit::Json),
    };
    let pictures = args.emit.contains(&Emit::Dot);
    if !pictures && (args.panels || args.pairs || args.picture.is_given()) {
        return Err(Usage("options of pictures need --emit dot".into()).into());
    }
    let drawn = DotOptions {
        pairs: args.pairs,
        ..args.picture.options()
    };
    let writes_c = !args.explain && args.emit.contains(&Emit::C);
    args.c.check(writes_c).map_err(Usage)?;
    if args.search.is_given() && args.reversal.blocks == Blocks::Statement {
        let message = "options of the search need --blocks preaccumulate or --blocks auto";
        return Err(Usage(message.into()).into());
    }
    let (program, routine) = prepare(&args.what, &args.c.size, session)?;
    let program = splittable(program, routine, &args.c);
    let options = cfg_reverse::Options {
        search: search(args.search),
        control_only: args.control_only,
        ..options(args.reversal)
    };
    if args.explain {
        let plan = {
            let _progress = session.progress("planning");
            explain(&program, routine, &options)?
        };
        to_stdout(|out| TextWriter::run(out, |out| write!(out, "{plan}")))?;
        return Ok(Outcome::Done);
    }
    let reversal = {
        let _progress = session.progress("reversing");
        cfg_reverse::reverse(&program, routine, &options)?.regrouped(&program)?
    };
    let _progress = session.progress("writing");
    if args.output.is_none() && form != Emit::Dot {
        drop(program);
        if form == Emit::C {
            let text = c(reversal, args)?;
            to_stdout(|out| out.write_all(text.as_bytes()))?;
            return Ok(Outcome::Done);
        }
        let mut all = reversal.program;
        all.main.get_or_insert(routine);
        to_stdout(|out| write_program(out, &all, form, &drawn))?;
        return Ok(Outcome::Done);
    }
    let stem = file_stem(&program.routine(routine).name);
    let globals = program.grouped().globals.len();
    // The result has the originals too.
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
        // One picture after the other, as Graphviz reads them.
        to_stdout(|out| {
            parts.iter().try_for_each(|&(_, routine)| {
                write_program(out, &extract(&reversal.program, routine), form, &drawn)
            })
        })?;
        return Ok(Outcome::Done);
    };
    let files = files(args, folder, &stem, parts);
    // All or nothing, as far as it can be known before writing.
    for (path, ..) in &files {
        refuse_existing(path, args.force)?;
    }
    let c_file = args.emit.contains(&Emit::C).then(|| {
        folder.join(format!(
            "{stem}.adjoint.{}",
            if args.c.emitted.header { "h" } else { "c" }
        ))
    });
    if let Some(path) = &c_file {
        refuse_existing(path, args.force)?;
    }
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
    // What cannot be written is known before a file is.
    let c_text = match &c_file {
        Some(_) => Some(c(reversal.clone(), args)?),
        None => None,
    };
    if let (Some(path), Some(text)) = (&c_file, &c_text) {
        to_file(path, args.force, |out| out.write_all(text.as_bytes()))?;
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
            to_file(path, args.force, |out| {
                write_program(out, &graph, *emit, &drawn)
            })?;
        }
    }
    Ok(Outcome::Done)
}

/// The sweeps and the gradient as C.
fn c(reversal: cfg_reverse::Reversal, args: &Reverse) -> anyhow::Result<String> {
    let routines = cfg_back::c::Adjoint {
        original: reversal.original,
        forward: reversal.forward,
        reverse: reversal.reverse,
        gradient: reversal.gradient,
    };
    let (program, several) = match args.c.directions {
        false => (reversal.program, Vec::new()),
        true => {
            let globals: Vec<_> = reversal.adjoint_globals.iter().map(|(_, g)| *g).collect();
            let sweeps = [reversal.reverse, reversal.gradient];
            several(reversal.program, &sweeps, &globals)?
        }
    };
    let program = flatten(validate(program)?, &[], &flat::Options::default())?.program;
    let several: Option<&[_; 2]> = several.as_slice().try_into().ok();
    let options = args.c.options();
    Ok(cfg_back::c::adjoint_in_directions(
        &program, routines, several, options,
    )?)
}

/// The files to write, those of one part next to each other.
fn files(
    args: &Reverse,
    folder: &Path,
    stem: &str,
    parts: [(&str, RoutineId); 3],
) -> Vec<(PathBuf, RoutineId, Emit)> {
    let mut files: Vec<(PathBuf, RoutineId, Emit)> = Vec::new();
    for (part, routine) in parts {
        for &emit in &args.emit {
            let extension = match emit {
                Emit::Json => "json",
                Emit::Dot => "dot",
                Emit::Text => "txt",
                Emit::Xaif => "xaif",
                // One file has all functions.
                Emit::C => continue,
            };
            if emit == Emit::Dot && args.panels {
                continue;
            }
            let path = folder.join(format!("{stem}.{part}.{extension}"));
            if !files.iter().any(|(p, ..)| *p == path) {
                files.push((path, routine, emit));
            }
        }
    }
    files
}

fn write_program(
    mut out: &mut dyn Write,
    program: &Program,
    emit: Emit,
    drawn: &DotOptions,
) -> io::Result<()> {
    match emit {
        Emit::Json => cfg_format::json::write(program, &mut out),
        Emit::Text => TextWriter::run(out, |out| cfg_core::text::program(out, program)),
        Emit::Xaif => write_xaif(program, &mut out),
        // It is made of the whole reversal.
        Emit::C => Ok(()),
        Emit::Dot => TextWriter::run(out, |out| {
            let Some(main) = program.main else {
                return Ok(());
            };
            let mut options = *drawn;
            // Loops and regions of a graph that does not nest are not told from its vertices.
            options.clusters |= program.routine(main).control == Control::General;
            write_cfg(out, program, main, &options)
        }),
    }
}
