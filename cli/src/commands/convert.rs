//! `cfgrev convert`: from any input language to one of ours.

use crate::Outcome;
use crate::args::{Convert, Dot, Jumps, Pointers, Records};
use crate::commands::{dot, select_routine};
use crate::input::{Session, Usage, Wanted};
use crate::output::to_stdout;
use cfg_core::entity::RoutineId;
use cfg_core::ir::{Program, Routine};
use cfg_core::memory::effects::Effects;
use cfg_core::recover::{self, Checked};
use cfg_languages::{Subject, WriteOptions};
use cfg_transform::{pools::without_pointers, records::without_records};
use std::borrow::Cow;

pub(crate) fn run(args: &Convert, session: &Session) -> anyhow::Result<Outcome> {
    let is_picture = args.to.is_picture();
    if !is_picture && args.select.routine.is_some() {
        let message = "--routine chooses what --to dot draws; other forms have all routines";
        return Err(Usage(message.into()).into());
    }
    if !is_picture && args.picture.is_given() {
        let message = "options of pictures need --to dot";
        return Err(Usage(message.into()).into());
    }
    args.c
        .check(args.to.is_code(), "--to c", false)
        .map_err(Usage)?;
    if is_picture && args.jumps.is_none() && args.records.is_none() && args.pointers.is_none() {
        let drawing = Dot {
            source: args.source.clone(),
            select: args.select.clone(),
            picture: args.picture,
        };
        return dot::run(&drawing, session);
    }
    let program = session.load(&args.source, &Wanted::default())?;
    let program = match args.pointers {
        Some(Pointers::Lower) => {
            let heads = heads(&program);
            without_pointers(&program, &heads, args.heap.cells())?.into_owned()
        }
        None => program,
    };
    let program = match args.records {
        Some(Records::Split) => without_records(&program)?.into_owned(),
        None => program,
    };
    let effects = Effects::summarise(&program);
    let program = match args.jumps {
        None => program.into_program(),
        Some(Jumps::Flat) => {
            let flat = |r| recover::flatten_as(&program, &effects, r, Checked::Yes);
            with_routines(&program, program.routines.iter().map(flat).collect())
        }
        Some(Jumps::Dense) => {
            let dense = |r| {
                recover::drop_empty_blocks(recover::flatten_as(&program, &effects, r, Checked::Yes))
            };
            with_routines(&program, program.routines.iter().map(dense).collect())
        }
        Some(Jumps::Recover) => recover::recover_program(&program),
    };
    let drawn = match is_picture {
        true => Some(select_routine(&program, &args.select, session)?),
        false => None,
    };
    let _progress = session.progress("writing");
    let options = WriteOptions {
        picture: args.picture.options(),
        c: args.c.options(false),
        ..WriteOptions::default()
    };
    let subject = Subject {
        program: Cow::Owned(program),
        drawn,
        derivative: None,
    };
    to_stdout(args.to.writer(subject, &options)?)?;
    Ok(Outcome::Done)
}

/// The routines by which a program is entered: the main one, or else all that none calls.
fn heads(program: &Program) -> Vec<RoutineId> {
    if let Some(main) = program.main {
        return vec![main];
    }
    let mut is_called = vec![false; program.routines.len()];
    for statement in program.routines.iter().flat_map(Routine::statements) {
        if let Some(callee) = statement.kind.callee() {
            is_called[callee.index()] = true;
        }
    }
    let all = (0..program.routines.len()).map(RoutineId::new);
    all.filter(|r| !is_called[r.index()]).collect()
}

fn with_routines(program: &Program, routines: Vec<Routine>) -> Program {
    Program {
        routines,
        ..program.clone()
    }
}
