//! `cfgrev man`: manual pages.

use crate::Outcome;
use crate::args::Cli;
use crate::output::{create_folder, to_file, to_stdout};
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use std::path::Path;

pub(crate) fn run(folder: Option<&Path>, force: bool) -> anyhow::Result<Outcome> {
    let mut command = Cli::command();
    command.build();
    let Some(folder) = folder else {
        to_stdout(|out| page(&command, "cfgrev").render(&mut &mut *out))?;
        return Ok(Outcome::Done);
    };
    create_folder(folder)?;
    let write = |command: &Command, name: &str| {
        to_file(&folder.join(format!("{name}.1")), force, |out| {
            page(command, name).render(&mut &mut *out)
        })
    };
    write(&command, "cfgrev")?;
    for sub in command.get_subcommands() {
        write(sub, &format!("cfgrev-{}", sub.get_name()))?;
    }
    Ok(Outcome::Done)
}

/// The page of a command. Carries no date, so that it is the same every time.
fn page(command: &Command, name: &str) -> Man {
    Man::new(command.clone().display_name(name))
        .title(name.to_uppercase())
        .date("")
        .manual("cfgrev")
}
