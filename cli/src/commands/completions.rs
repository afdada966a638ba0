//! `cfgrev completions`: shell completions.

use crate::args::Cli;
use crate::output::to_stdout;
use crate::{Outcome, input::Usage};
use clap::CommandFactory as _;
use clap_complete::{Generator as _, Shell};

pub(crate) fn run(shell: Shell) -> anyhow::Result<Outcome> {
    let mut command = Cli::command();
    command.set_bin_name("cfgrev");
    command.build();
    let mut script = Vec::new();
    shell
        .try_generate(&command, &mut script)
        .map_err(|e| Usage(format!("no completions for {shell}: {e}")))?;
    to_stdout(|out| out.write_all(&script))?;
    Ok(Outcome::Done)
}
