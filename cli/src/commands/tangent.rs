//! `cfgrev tangent`: the tangent program, or a tangent at a point.

use super::results::{Values, write_object};
use super::{in_text, options, prepare, prepare_derivatives_at, several, splittable, write_xaif};
use crate::Outcome;
use crate::args::{Tangent, TangentForm};
use crate::input::{Session, Usage};
use crate::output::{TextWriter, create_folder, file_stem, refuse_existing, to_file, to_stdout};
use cfg_core::validate::validate;
use cfg_drive::{Options, kinks};
use cfg_transform::{flat, flatten};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::Write;

/// What `cfgrev tangent --at` prints.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Output<'r> {
    /// The routine.
    routine: &'r str,
    /// The dependents.
    value: Values<'r>,
    /// Their derivatives in the direction.
    tangent: Values<'r>,
}

pub(crate) fn run(args: &Tangent, session: &Session) -> anyhow::Result<Outcome> {
    args.c
        .check(args.at.is_none() && args.emit == TangentForm::C)
        .map_err(Usage)?;
    session.claim_all(&[
        ("FILE", args.what.source.standard_input()),
        ("POINT", args.at.as_deref()),
        ("the direction", args.direction.as_deref()),
    ])?;
    let sizes = &args.c.size;
    let (program, routine, text, same_as) = match &args.at {
        None => {
            let (program, routine) = prepare(&args.what, sizes, session)?;
            (program, routine, None, Vec::new())
        }
        Some(at) => {
            let point = (&**at, &args.limits);
            let made = prepare_derivatives_at(&args.what, sizes, point, session)?;
            (made.program, made.routine, Some(made.text), made.same_as)
        }
    };
    let program = splittable(program, routine, &args.c);
    let mut tangent = {
        let _progress = session.progress("differentiating");
        cfg_reverse::tangent(&program, routine)?
    };
    let (Some(text), Some(direction)) = (text, &args.direction) else {
        tangent = tangent.regrouped(&program)?;
        tangent.program.main.get_or_insert(routine);
        let _progress = session.progress("writing");
        return write(args, tangent);
    };
    let options = Options {
        same_as,
        ..options(&args.limits, session)
    };
    let mut tangent = cfg_drive::Tangent::of(tangent, &options)?;
    let point = tangent.point(&text.bytes).map_err(in_text(&text))?;
    let text = session.read_value("the direction", direction, false)?;
    let direction = tangent
        .direction(&text.bytes, &point)
        .map_err(in_text(&text))?;
    let found = {
        let _progress = session.progress("running");
        tangent.tangent(&point, &direction)?
    };
    session.report(&kinks(program.grouped(), &found.events));
    let output = Output {
        routine: &program.routine(routine).name,
        value: Values::of(&found.value, (program.grouped(), routine), point.sizes()),
        tangent: Values::of(&found.tangent, (program.grouped(), routine), point.sizes()),
    };
    to_stdout(|out| {
        write_object(out, &output)?;
        writeln!(out)
    })?;
    Ok(Outcome::Done)
}

/// Prints the tangent program, or writes it into a folder.
fn write(args: &Tangent, tangent: cfg_reverse::Tangent) -> anyhow::Result<Outcome> {
    let extension = match args.emit {
        TangentForm::Json => "json",
        TangentForm::Text => "txt",
        TangentForm::Xaif => "xaif",
        TangentForm::C if args.c.emitted.header => "h",
        TangentForm::C => "c",
    };
    let stem = file_stem(&tangent.program.routine(tangent.original).name);
    let c = match args.emit {
        TangentForm::C => c(args, &tangent)?,
        TangentForm::Json | TangentForm::Text | TangentForm::Xaif => String::new(),
    };
    let print = |mut out: &mut dyn Write| match args.emit {
        TangentForm::Json => cfg_format::json::write(&tangent.program, &mut out),
        TangentForm::Text => {
            TextWriter::run(out, |out| cfg_core::text::program(out, &tangent.program))
        }
        TangentForm::Xaif => write_xaif(&tangent.program, &mut out),
        TangentForm::C => out.write_all(c.as_bytes()),
    };
    match &args.output {
        None => to_stdout(|out| print(out))?,
        Some(folder) => {
            let path = folder.join(format!("{stem}.tangent.{extension}"));
            refuse_existing(&path, args.force)?;
            create_folder(folder)?;
            to_file(&path, args.force, |out| print(out))?;
        }
    }
    Ok(Outcome::Done)
}

/// The tangent as C.
fn c(args: &Tangent, tangent: &cfg_reverse::Tangent) -> anyhow::Result<String> {
    let (program, several) = match args.c.directions {
        false => (tangent.program.clone(), None),
        true => {
            let globals: Vec<_> = tangent.tangent_globals.iter().map(|(_, g)| *g).collect();
            let program = tangent.program.clone();
            let (program, several) = several(program, &[tangent.tangent], &globals)?;
            (program, several.into_iter().next())
        }
    };
    Ok(cfg_back::c::tangent_in_directions(
        &flatten(validate(program)?, &[], &flat::Options::default())?.program,
        tangent.original,
        tangent.tangent,
        several.as_ref(),
        args.c.options(),
    )?)
}
