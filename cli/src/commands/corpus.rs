//! `cfgrev corpus`: every program of a folder against reference Jacobians.

use super::library_options;
use crate::Outcome;
use crate::args::{Corpus, Form};
use crate::input::Session;
use crate::output::to_stdout;
use cfg_drive::corpus::{self, Status};

pub(crate) fn run(args: &Corpus, session: &Session) -> anyhow::Result<Outcome> {
    let entries = {
        let _progress = session.progress("running the corpus");
        corpus::corpus(&args.folder, &library_options(&args.limits, session))?
    };
    to_stdout(|out| match args.format {
        Form::Text => out.write_all(corpus::table(&entries).as_bytes()),
        Form::Json => {
            for entry in &entries {
                serde_json::to_writer(&mut *out, &corpus::json(entry))?;
                writeln!(out)?;
            }
            Ok(())
        }
    })?;
    let differs = entries.iter().any(|e| e.status == Status::Differs);
    Ok(if differs {
        Outcome::Failed
    } else {
        Outcome::Done
    })
}
