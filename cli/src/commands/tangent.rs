//! `cfgrev tangent`: the tangent program, or a tangent at a point.

use super::results::{Values, write_object};
use super::{in_text, options, prepare};
use crate::Outcome;
use crate::args::Tangent;
use crate::input::Session;
use crate::output::to_stdout;
use cfg_drive::kinks;
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

pub(crate) fn run(args: &Tangent, session: &Session) -> anyhow::Result<Outcome> {
    session.claim_all(&[
        ("FILE", Some(&args.what.source.file)),
        ("POINT", args.at.as_deref()),
        ("the direction", args.direction.as_deref()),
    ])?;
    let (program, routine) = prepare(&args.what, session)?;
    let mut tangent = {
        let _progress = session.progress("differentiating");
        cfg_reverse::tangent(&program, routine)?
    };
    let (Some(at), Some(direction)) = (&args.at, &args.direction) else {
        tangent.program.main.get_or_insert(routine);
        let _progress = session.progress("writing");
        to_stdout(|out| cfg_core::json::write(&tangent.program, out))?;
        return Ok(Outcome::Done);
    };
    let mut tangent = cfg_drive::Tangent::of(tangent, &options(&args.limits, session))?;
    let text = session.read_value("POINT", at, false)?;
    let point = tangent.point(&text.bytes).map_err(in_text(&text))?;
    let text = session.read_value("the direction", direction, false)?;
    let direction = tangent
        .direction(&text.bytes, &point)
        .map_err(in_text(&text))?;
    let found = {
        let _progress = session.progress("running");
        tangent.tangent(&point, &direction)?
    };
    session.report(&kinks(&program, &found.events));
    let output = Output {
        routine: &program.routine(routine).name,
        value: Values(&found.value),
        tangent: Values(&found.tangent),
    };
    to_stdout(|out| {
        write_object(out, &output)?;
        writeln!(out)
    })?;
    Ok(Outcome::Done)
}
