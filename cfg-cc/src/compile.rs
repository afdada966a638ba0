//! From a source to an executable file.

use crate::{
    Compiler,
    cache::{Cache, identity},
    codes, no_folder, problem,
    process::{Ended, Made, Watching, finish},
};
use cfg_core::diagnostic::Diagnostics;
use std::{
    fs::{self, File},
    io,
    path::Path,
    process::{Command, ExitStatus, Stdio},
};

/// Compiles a program, or finds its executable in the cache.
pub(crate) fn compile(
    text: &str,
    compiler: &Compiler,
    watching: &dyn Watching,
) -> Result<Made, Diagnostics> {
    let folder = tempfile::Builder::new().prefix("cfgrev-cc-").tempdir();
    let folder = folder.map_err(|e| no_folder(&e))?;
    let source = folder.path().join("program.c");
    let target = folder.path().join("program");
    let call = Call {
        compiler,
        watching,
        folder: folder.path(),
    };
    let cache = match compiler.cache.as_deref() {
        Some(kept) if is_closed(&compiler.flags) => Cache::open(kept),
        Some(_) | None => None,
    };
    let key = match &cache {
        Some(_) => {
            let (_, version) = call.make(&["--version".as_ref()])?;
            identity(compiler, &version, text)
        }
        None => Vec::new(),
    };
    if let Some(path) = cache.as_ref().and_then(|cache| cache.find(&key)) {
        return Ok(Made { path, folder: None });
    }
    fs::write(&source, text).map_err(|e| no_folder(&e))?;
    let (status, said) = call.make(&["-o".as_ref(), &target, &source, "-lm".as_ref()])?;
    if !status.success() || compiler.strict && !said.is_empty() {
        let command = compiler.command.display();
        let said = String::from_utf8_lossy(&said);
        let message = format!(
            "`{command}` does not take what was written: {}",
            said.trim_end()
        );
        return Err(problem(
            &codes::REFUSED,
            message,
            "report it with the program, or use other flags",
        ));
    }
    // An executable that cannot be kept is used where it is.
    let kept = cache.and_then(|cache| cache.keep(&key, &target).ok());
    Ok(match kept {
        Some(path) => Made { path, folder: None },
        None => Made {
            path: target,
            folder: Some(folder),
        },
    })
}

/// Calls of the compiler.
pub(crate) struct Call<'a> {
    pub(crate) compiler: &'a Compiler,
    pub(crate) watching: &'a dyn Watching,
    /// The folder for the compiler's temporary files.
    pub(crate) folder: &'a Path,
}

impl Call<'_> {
    /// Runs the compiler; returns its status and its messages.
    pub(crate) fn make(&self, arguments: &[&Path]) -> Result<(ExitStatus, Vec<u8>), Diagnostics> {
        let log = self.folder.join("log");
        let out = File::create(&log).map_err(|e| no_folder(&e))?;
        let error = out.try_clone().map_err(|e| no_folder(&e))?;
        let mut command = Command::new(&self.compiler.command);
        command
            .args(&self.compiler.flags)
            .args(arguments)
            // Temporary files of a compiler that a signal ends are removed with the folder.
            .env("TMPDIR", self.folder)
            .env("LC_ALL", "C")
            .stdout(Stdio::from(out))
            .stderr(Stdio::from(error));
        let ended = finish(&mut command, self.watching, None).map_err(|e| self.absent(&e))??;
        let status = match ended {
            Ended::With(status) => status,
            Ended::Late => return Err(self.absent(&io::ErrorKind::TimedOut.into())),
        };
        let said = fs::read(&log).map_err(|e| no_folder(&e))?;
        Ok((status, said))
    }

    fn absent(&self, e: &io::Error) -> Diagnostics {
        let message = format!(
            "`{}` cannot be started: {e}",
            self.compiler.command.display()
        );
        problem(
            &codes::COMPILER,
            message,
            "install a C compiler, or name one with CC",
        )
    }
}

/// True if with these flags the result depends on the source, the flags and the compiler alone: no flag reads other
/// files or asks for the machine's kind.
fn is_closed(flags: &[String]) -> bool {
    let open = [
        "-fplugin",
        "-fprofile",
        "-fauto-profile",
        "-fmodule",
        "-mllvm",
        "-Wl,",
        "-Wa,",
        "-Wp,",
    ];
    let known = [
        "-O",
        "-f",
        "-m",
        "-std=",
        "-W",
        "-g",
        "-pedantic",
        "-D",
        "-U",
    ];
    // The value of any other option of this kind may name a file.
    let valued = [
        "-ffp-contract=",
        "-fexcess-precision=",
        "-ffp-model=",
        "-fsanitize=",
    ];
    flags.iter().all(|flag| {
        let begins = |list: &[&str]| list.iter().any(|start| flag.starts_with(start));
        let names = flag.starts_with("-f") && flag.contains('=') && !begins(&valued);
        let is_known = begins(&known) || matches!(&**flag, "-w" | "-pipe");
        is_known
            && !begins(&open)
            && !names
            && !flag.contains("native")
            && !matches!(&**flag, "-D" | "-U")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_read_more_than_the_source() {
        let closed =
            |flags: &str| is_closed(&flags.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(closed("-std=c99 -O1 -fno-builtin -ffp-contract=off"));
        assert!(closed("-O3 -mavx2 -Wall -w -DN=3 -fsanitize=address"));
        for open in [
            "-march=native",
            "-include a.h",
            "@flags",
            "-Wl,-Tx",
            "-fprofile-use",
            "-fplugin=a.so",
            "-fpass-plugin=a.so",
            "-fsanitize-ignorelist=a",
            "-mllvm=-load=a.so",
            "-specs=a",
            "-wrapper a",
            "-Ba",
            "-I.",
            "-D N",
            "gcc -O1",
        ] {
            assert!(!closed(open), "{open}");
        }
    }
}
