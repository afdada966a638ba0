//! `cfgrev tangent`: the tangent program, or a tangent at a point.

use super::results::{Values, write_object};
use super::{
    PointArgument, in_text, library_options, prepare, prepare_derivatives_at, splittable,
    tape_beside,
};
use crate::Outcome;
use crate::args::{Overlap, Tangent};
use crate::input::{Session, Usage};
use crate::output::{create_folder, file_stem, refuse_existing, to_file, to_stdout};
use cfg_drive::{Options, kink_warnings};
use cfg_languages::{Derivative, Subject, WriteOptions};
use cfg_reverse::TangentOptions;
use schemars::JsonSchema;
use serde::Serialize;

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
use std::borrow::Cow;

pub(crate) fn run(args: &Tangent, session: &Session) -> anyhow::Result<Outcome> {
    args.c
        .check(
            args.at.is_none() && args.emit.is_code(),
            args.at.is_none(),
            args.output.is_some(),
        )
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
            let point = (PointArgument::One(at), &args.limits);
            let made = prepare_derivatives_at(&args.what, sizes, point, session)?;
            (made.program, made.routine, Some(made.text), made.same_as)
        }
    };
    let program = splittable(program, routine, &args.c);
    let mut tangent = {
        let _progress = session.progress("differentiating");
        let overlap = args.overlapping.overlap;
        let options = |overlap| TangentOptions {
            strong: args.strong.into(),
            overlap,
        };
        match (overlap, &args.at) {
            (Overlap::Test, None) if args.emit.is_code() => {
                let options = options(overlap.of_program());
                cfg_reverse::tangent_in_versions(&program, routine, options)?
            }
            (_, None) => {
                let options = options(overlap.of_program());
                cfg_reverse::tangent_with(&program, routine, options)?.regrouped(&program)?
            }
            (_, Some(_)) => {
                cfg_reverse::tangent_with(&program, routine, options(overlap.at_point()))?
            }
        }
    };
    let (Some(text), Some(direction)) = (text, &args.direction) else {
        tangent.program.main.get_or_insert(routine);
        let _progress = session.progress("writing");
        return write(args, &tangent);
    };
    let options = Options {
        same_as,
        ..library_options(&args.limits, session)
    };
    let mut tangent = cfg_drive::Tangent::compile(tangent, &options)?;
    let point = tangent.read_point(&text.bytes).map_err(in_text(&text))?;
    let text = session.read_value("the direction", direction, false)?;
    let direction = tangent
        .read_direction(&text.bytes, &point)
        .map_err(in_text(&text))?;
    let found = {
        let _progress = session.progress("running");
        tangent.tangent(&point, &direction)?
    };
    session.report(&kink_warnings(program.grouped(), &found.events));
    let output = Output {
        routine: &program.routine(routine).name,
        value: Values::new(&found.value, (program.grouped(), routine), point.sizes()),
        tangent: Values::new(&found.tangent, (program.grouped(), routine), point.sizes()),
    };
    to_stdout(|out| {
        write_object(out, &output)?;
        writeln!(out)
    })?;
    Ok(Outcome::Done)
}

/// Prints the tangent program, or writes it into a folder.
fn write(args: &Tangent, tangent: &cfg_reverse::Tangent) -> anyhow::Result<Outcome> {
    let options = WriteOptions {
        c: cfg_back::c::Options {
            apart: args.overlapping.overlap == Overlap::None,
            ..args.c.options(args.output.is_some())
        },
        directions: args.c.directions,
        ..WriteOptions::default()
    };
    let stem = file_stem(&tangent.program.routine(tangent.original).name);
    let subject = Subject {
        program: Cow::Borrowed(&tangent.program),
        drawn: None,
        derivative: Some(Derivative::Tangent(tangent)),
    };
    let writer = args.emit.writer(subject, &options)?;
    match &args.output {
        None => to_stdout(writer)?,
        Some(folder) => {
            let extension = args.emit.extension(&options);
            let path = folder.join(format!("{stem}.tangent.{extension}"));
            refuse_existing(&path, args.force)?;
            let tape = match args.emit.is_code() {
                true => tape_beside(&args.c.emitted, folder, args.force)?,
                false => None,
            };
            create_folder(folder)?;
            if let Some((path, text)) = &tape {
                to_file(path, args.force, |out| out.write_all(text.as_bytes()))?;
            }
            to_file(&path, args.force, writer)?;
        }
    }
    Ok(Outcome::Done)
}
