//! `cfgrev dot`: also for programs that break rules, because a picture helps to find out why.

use crate::Outcome;
use crate::args::Dot;
use crate::commands::{select, wanted};
use crate::input::Session;
use crate::output::{TextWriter, to_stdout};
use cfg_core::dot::{DotOptions, write_cfg};
use cfg_core::loops::LoopForest;

pub(crate) fn run(args: &Dot, session: &Session) -> anyhow::Result<Outcome> {
    let examined = session.examine(&args.source, &wanted(&args.select, None))?;
    let Some(program) = examined.program else {
        return Err(examined.problems.into());
    };
    session.report(&examined.problems);
    let routine = select(&program, &args.select, session)?;
    let structure = examined.structures.get(routine.index());
    let structure = structure.and_then(Option::as_ref).filter(|_| args.clusters);
    // A graph that does not nest has loops all the same.
    let body = program.routine(routine).body.as_ref();
    let forest = match (structure, body) {
        (None, Some(cfg)) if args.clusters => {
            let entry = cfg.entry().map(|v| LoopForest::new(cfg, v.index()));
            entry.filter(|_| !examined.problems.has_errors())
        }
        _ => None,
    };
    let options = DotOptions {
        clusters: structure,
        loops: forest.as_ref(),
        true_false: args.true_false,
        max_label: args.max_label,
        max_lines: args.max_lines,
    };
    let _progress = session.progress("drawing");
    to_stdout(|out| TextWriter::run(out, |out| write_cfg(out, &program, routine, &options)))?;
    Ok(if examined.problems.has_errors() {
        Outcome::Failed
    } else {
        Outcome::Done
    })
}
