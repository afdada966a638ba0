//! `cfgrev convert`: from any input language to one of ours.

use crate::Outcome;
use crate::args::{Convert, Dot, Jumps, Pointers, Records, Target};
use crate::commands::{dot, select, write_xaif};
use crate::input::{Session, Usage, Wanted};
use crate::output::{TextWriter, to_stdout};
use cfg_back::dot::write_cfg;
use cfg_core::entity::RoutineId;
use cfg_core::flat::refuse_pointers;
use cfg_core::ir::{Program, Routine};
use cfg_core::memory::effects::Effects;
use cfg_core::recover::{self, Checked};
use cfg_core::validate::validate;
use cfg_transform::{flat, flatten, pools::without_pointers, records::without_records};

pub(crate) fn run(args: &Convert, session: &Session) -> anyhow::Result<Outcome> {
    if args.to != Target::Dot && args.select.routine.is_some() {
        let message = "--routine chooses what --to dot draws; other forms have all routines";
        return Err(Usage(message.into()).into());
    }
    if args.to != Target::Dot && args.picture.is_given() {
        let message = "options of pictures need --to dot";
        return Err(Usage(message.into()).into());
    }
    args.c
        .check(args.to == Target::C, "--to c")
        .map_err(Usage)?;
    if args.to == Target::Dot
        && args.jumps.is_none()
        && args.records.is_none()
        && args.pointers.is_none()
    {
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
    let effects = Effects::of(&program);
    let program = match args.jumps {
        None => program.into_program(),
        Some(Jumps::Flat) => {
            let flat = |r| recover::flatten_as(&program, &effects, r, Checked::Yes);
            with_routines(&program, program.routines.iter().map(flat).collect())
        }
        Some(Jumps::Dense) => {
            let dense =
                |r| recover::dense(recover::flatten_as(&program, &effects, r, Checked::Yes));
            with_routines(&program, program.routines.iter().map(dense).collect())
        }
        Some(Jumps::Recover) => recover::recover_program(&program),
    };
    let drawn = match args.to {
        Target::Dot => Some(select(&program, &args.select, session)?),
        Target::Json | Target::Text | Target::Xaif | Target::C => None,
    };
    let _progress = session.progress("writing");
    if args.to == Target::C {
        let valid = validate(program)?;
        refuse_pointers(&valid)?;
        let flat = flatten(valid, &[], &flat::Options::default())?.program;
        let text = cfg_back::c::program_with(&flat, args.c.options())?;
        to_stdout(|out| out.write_all(text.as_bytes()))?;
        return Ok(Outcome::Done);
    }
    to_stdout(|out| match args.to {
        Target::Dot => TextWriter::run(out, |out| match drawn {
            Some(routine) => write_cfg(out, &program, routine, &args.picture.options()),
            None => Ok(()),
        }),
        Target::Json => cfg_format::json::write(&program, out),
        Target::Text => TextWriter::run(out, |out| cfg_core::text::program(out, &program)),
        Target::Xaif => write_xaif(&program, out),
        // It has been written.
        Target::C => Ok(()),
    })?;
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
