//! `cfgrev validate`: the problems are the result.

use crate::Outcome;
use crate::args::Validate;
use crate::input::{Session, Wanted};
use cfg_core::diagnostic::Diagnostics;
use cfg_core::json::Checked;
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
    let mut out = session.reporter.stream(io::stdout()).lock();
    session
        .reporter
        .print(&mut out, &examined.problems, &session.texts())?;
    if examined.problems.has_errors() {
        return Ok(Outcome::Failed);
    }
    if let Some(program) = examined.program {
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
