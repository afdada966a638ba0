//! Options of emitted C.

use cfg_reverse::Directions;
use clap::{Args, ValueEnum};

/// Where the tape stands that emitted C uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Runtime {
    /// In cfgrev_tape.h beside the file, which includes it; the default with -o
    File,
    /// In the file itself, as far as the file uses it; the default without -o
    Inline,
    /// Nowhere: the file includes cfgrev_tape.h
    None,
}

/// A function of an adjoint file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SweepName {
    /// NAME_grad
    Grad,
    /// NAME_fwd
    Fwd,
    /// NAME_rev
    Rev,
}

/// The functions of these names; none: all.
pub(crate) fn functions(names: &[SweepName]) -> Result<cfg_back::c::Functions, String> {
    let has = |name| names.is_empty() || names.contains(&name);
    match [SweepName::Grad, SweepName::Fwd, SweepName::Rev].map(has) {
        [true, true, true] => Ok(cfg_back::c::Functions::All),
        [true, false, false] => Ok(cfg_back::c::Functions::Gradient),
        [false, true, true] => Ok(cfg_back::c::Functions::Sweeps),
        [_, true, false] | [_, false, true] | [false, false, false] => {
            Err("--functions has fwd and rev together: the one needs the other".to_owned())
        }
    }
}

/// What is written besides the program.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of C")]
pub(crate) struct Emitted {
    /// Check subscripts, shapes, integers and uninitialised values in C.
    #[arg(long)]
    pub(crate) checks: bool,
    /// Print the declarations only of what is printed as C: a header for callers.
    #[arg(long)]
    pub(crate) header: bool,
    /// Declare the program's globals in C as variables that another file defines, each by its name.
    #[arg(long)]
    pub(crate) extern_globals: bool,
    /// Say in comments of C from which statement of the original the code comes.
    #[arg(long)]
    pub(crate) origins: bool,
    /// Name with #line in C the places that statements have in the program's sources.
    #[arg(long = "line")]
    pub(crate) lines: bool,
    /// Where the tape stands that emitted C uses.
    #[arg(long, value_enum, value_name = "PLACE")]
    pub(crate) runtime: Option<Runtime>,
}

/// What is written besides a derivative.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of C")]
pub(crate) struct EmittedDerivative {
    #[command(flatten)]
    pub(crate) emitted: Emitted,
    /// Write derivatives in several directions at once, too: NAME_grad_v and NAME_rev_v, or NAME_t_v. Without N, in C
    /// alone, a parameter says how many there are; with N, loops over directions have constant bounds.
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = directions
    )]
    pub(crate) directions: Option<Directions>,
    /// Write the routine itself in C, too, under its own name: the file replaces the original's.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Begin all names of static functions in C with NAME_b_ or NAME_t_: files that have functions of one name can be
    /// included together.
    #[arg(long)]
    pub(crate) prefix: bool,
    /// Give an array parameter the extent that its declaration leaves open, as an expression over parameters: x=2*n, or
    /// 'x=[n, :]' if it has several.
    #[arg(long, value_name = "NAME=EXPR")]
    pub(crate) size: Vec<String>,
}

/// The number of directions; a parameter says it if none is given here.
fn directions(text: &str) -> Result<Directions, String> {
    match text.parse() {
        _ if text.is_empty() => Ok(Directions::Given),
        Ok(count) => Ok(Directions::Fixed(count)),
        Err(_) => Err(format!("a number from 1 to {} is expected", u32::MAX)),
    }
}

impl Emitted {
    /// The options that were given, by name.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        [
            ("--checks", self.checks),
            ("--header", self.header),
            ("--extern-globals", self.extern_globals),
            ("--origins", self.origins),
            ("--line", self.lines),
            ("--runtime", self.runtime.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, given)| given.then_some(name))
    }

    /// Refuses options of C where none is written, and a header of the tape without a folder for it; `form` is the option
    /// that asks for C.
    pub(crate) fn check(&self, writes_c: bool, form: &str, folder: bool) -> Result<(), String> {
        check(self.given(), writes_c, form)?;
        match self.runtime {
            Some(Runtime::File) if !folder => {
                let message = "--runtime file needs a folder: -o DIR of reverse and tangent; elsewhere say inline or none";
                Err(message.to_owned())
            }
            Some(Runtime::File | Runtime::Inline | Runtime::None) | None => Ok(()),
        }
    }

    /// Where the tape stands, of a file in a folder or on standard output.
    pub(crate) fn runtime(&self, folder: bool) -> Runtime {
        self.runtime.unwrap_or(match folder {
            true => Runtime::File,
            false => Runtime::Inline,
        })
    }

    /// The options of the library, for a file in a folder or on standard output.
    pub(crate) fn options(&self, folder: bool) -> cfg_back::c::Options {
        cfg_back::c::Options {
            checks: self.checks,
            header: self.header,
            extern_globals: self.extern_globals,
            replace: false,
            origins: self.origins,
            lines: self.lines,
            apart: false,
            functions: cfg_back::c::Functions::All,
            prefix: false,
            included: self.runtime(folder) != Runtime::Inline,
        }
    }
}

impl EmittedDerivative {
    /// Refuses options of C where none is written, and a number of directions where no whole program is.
    pub(crate) fn check(
        &self,
        writes_c: bool,
        writes_whole: bool,
        folder: bool,
    ) -> Result<(), String> {
        if let (Some(Directions::Fixed(_)), false) = (self.directions, writes_whole) {
            let message = "--directions=N needs one program to write: --emit c, json, text or xaif, and no -o but with c";
            return Err(message.to_owned());
        }
        let more = [
            ("--directions", self.directions == Some(Directions::Given)),
            ("--replace", self.replace),
            ("--prefix", self.prefix),
            ("--size", !self.size.is_empty()),
        ];
        let more = more
            .into_iter()
            .filter_map(|(name, given)| given.then_some(name));
        check(more, writes_c, "--emit c")?;
        self.emitted.check(writes_c, "--emit c", folder)
    }

    /// The options of the library, for a file in a folder or on standard output.
    pub(crate) fn options(&self, folder: bool) -> cfg_back::c::Options {
        cfg_back::c::Options {
            replace: self.replace,
            prefix: self.prefix,
            ..self.emitted.options(folder)
        }
    }
}

fn check(
    mut given: impl Iterator<Item = &'static str>,
    writes_c: bool,
    form: &str,
) -> Result<(), String> {
    match given.next() {
        Some(name) if !writes_c => Err(format!("{name} needs {form}")),
        Some(_) | None => Ok(()),
    }
}
