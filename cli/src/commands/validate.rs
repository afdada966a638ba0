//! `cfgrev validate`: the problems are the result.

use crate::Outcome;
use crate::args::Validate;
use crate::input::{Session, Wanted};
use crate::output::stdout_failed;
use cfg_core::classify::classify;
use cfg_core::diagnostic::Diagnostics;
use cfg_core::ir::Control;
use cfg_core::json::Checked;
use cfg_core::text::Name;
use std::io;

pub(crate) fn run(args: &Validate, session: &Session) -> anyhow::Result<Outcome> {
    let examined = match session.examine(&args.source, &Wanted::default()) {
        Ok(examined) => examined,
        Err(error) => Checked {
            program: None,
            structures: Vec::new(),
            problems: error.downcast::<Diagnostics>()?,
        },
    };
    if !examined.problems.is_empty() {
        crate::stdout::open().map_err(stdout_failed)?;
    }
    let mut out = session.reporter.stream(io::stdout()).lock();
    session
        .reporter
        .print(&mut out, &examined.problems, &session.texts())
        .map_err(stdout_failed)?;
    if examined.problems.has_errors() {
        return Ok(Outcome::Failed);
    }
    if let Some(program) = examined.program {
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
            args.source.file,
            program.routines.len(),
        ));
    }
    Ok(Outcome::Done)
}
