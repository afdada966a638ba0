//! `cfgrev validate`: the problems are the result.

use crate::Outcome;
use crate::args::{Source, Validate};
use crate::input::{Session, Usage, Wanted, language};
use crate::output::stdout_failed;
use cfg_core::diagnostic::Diagnostics;
use cfg_core::ir::Control;
use cfg_core::recover::classify::classify;
use cfg_core::text::Name;
use cfg_format::json::Checked;
use cfg_languages::FrontEnd;
use std::io;

pub(crate) fn run(args: &Validate, session: &Session) -> anyhow::Result<Outcome> {
    // A wrong command line is found before anything is read.
    let files = args.source.files.iter();
    if files.clone().filter(|file| *file == "-").count() > 1 {
        let message = "several FILEs are `-`: standard input can be read only once";
        return Err(Usage(message.into()).into());
    }
    let mut sources: Vec<Source> = Vec::new();
    let mut joined: Vec<(&dyn FrontEnd, usize)> = Vec::new();
    for file in files {
        let one = Source {
            files: vec![file.clone()],
            ..args.source.clone()
        };
        let language = language(&one)?;
        match joined.iter().find(|(known, _)| *known == language) {
            Some(&(_, program)) => sources[program].files.push(file.clone()),
            None => {
                if language.joins_files() {
                    joined.push((language, sources.len()));
                }
                sources.push(one);
            }
        }
    }
    let mut outcome = Outcome::Done;
    for source in &sources {
        if one(source, session)? == Outcome::Failed {
            outcome = Outcome::Failed;
        }
    }
    Ok(outcome)
}

/// Validates one program.
fn one(source: &Source, session: &Session) -> anyhow::Result<Outcome> {
    let examined = match session.examine(source, &Wanted::default()) {
        Ok(examined) => examined,
        Err(error) => Checked::unread(error.downcast::<Diagnostics>()?),
    };
    if !examined.problems.is_empty() {
        crate::stdout::open().map_err(stdout_failed)?;
    }
    let mut out = session.reporter.stream(io::stdout()).lock();
    session
        .reporter
        .print(&mut out, &examined.problems, &session.texts())
        .map_err(stdout_failed)?;
    session.forget();
    if examined.problems.has_errors() {
        return Ok(Outcome::Failed);
    }
    let Some(program) = examined.program() else {
        return Ok(Outcome::Done);
    };
    for routine in &program.routines {
        if let (Control::General, Some(body)) = (routine.control, &routine.body) {
            let class = classify(body);
            session.reporter.remark(&format!(
                "note: the control flow of routine {} is general; the graph is {class}",
                Name(&routine.name)
            ));
        }
    }
    let graphs = program.routines.iter().filter_map(|r| r.body.as_ref());
    let vertices: usize = graphs.map(|g| g.vertex_count()).sum();
    session.reporter.remark(&format!(
        "{}: valid (routines: {}, vertices: {vertices})",
        source.files.join(", "),
        program.routines.len(),
    ));
    Ok(Outcome::Done)
}
