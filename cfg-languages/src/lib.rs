//! The languages of cfgrev: the interfaces of front ends and back ends, and the registries of both.
//!
//! A [`FrontEnd`] says its name, the extensions of its files, its options and how places of problems are found, and
//! reads files into a program. [`FRONT_ENDS`] lists all, and [`by_extension`] finds the one for a file. To add a
//! language is to write its front end as a module here, which may call a crate of its own, and to add a line to the
//! list. `docs/front-end.md` does so for a small language.
//!
//! ```
//! use cfg_languages::{NoFiles, Request, TEXT, Text, by_extension};
//!
//! let bytes = b"subroutine double(in real x, out real y)\n  y := 2.0 * x\nend\n";
//! let text = Text { name: "double.cfgrev", bytes };
//! let front_end = by_extension("cfgrev").expect("the text form has it");
//! assert_eq!(front_end, TEXT);
//! let read = front_end.read(&Request::new(&[text]), &mut NoFiles);
//! assert!(read.parsed.problems.is_empty(), "{}", read.parsed.problems);
//! let program = read.parsed.program.expect("it was read");
//! assert!(front_end.find_routine(&program, "double").is_some());
//! ```
//!
//! A [`BackEnd`] writes programs in one form, and [`BACK_ENDS`] lists all: another one is a module and a line, too.
//!
//! This crate opens no file and starts no process: readers ask their caller, through [`Files`].

#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

mod back_end;
mod c;
mod codes;
mod files;
mod forms;
mod front_end;
mod json;
mod options;
mod text;
mod xaif;

pub use back_end::{
    BackEnd, Derivative, Help, Subject, Subjects, TextWriter, WriteOptions, Writer,
};
pub use codes::CODES;
pub use files::{Files, NoFiles};
pub use front_end::{
    CSource, FrontEnd, LoadError, Placement, Places, ReadProgram, Request, Text, Wanted,
};
pub use options::{OptionSpec, OptionValues, Value};

/// The program format in JSON, which is assumed for files without an extension and for standard input.
pub const JSON: &dyn FrontEnd = &json::Json;

/// The text form.
pub const TEXT: &dyn FrontEnd = &text::TextForm;

/// All front ends, in the order in which they are listed.
pub const FRONT_ENDS: &[&dyn FrontEnd] = &[
    JSON, //
    TEXT,
    &xaif::Xaif,
    &c::C,
];

/// The form in which programs are written by default.
pub const DEFAULT_FORM: &dyn BackEnd = &forms::Json;

/// All back ends, in the order in which they are listed where [`Help::order`] does not tell.
pub const BACK_ENDS: &[&dyn BackEnd] = &[
    DEFAULT_FORM, //
    &forms::Text,
    &forms::Dot,
    &forms::Xaif,
    &forms::C,
];

/// The back ends that write such subjects, with their lines of help, in order.
pub fn forms(of: Subjects) -> Vec<(&'static dyn BackEnd, &'static str)> {
    let written = BACK_ENDS
        .iter()
        .filter_map(|form| Some((*form, form.help(of)?)));
    let mut written: Vec<_> = written.collect();
    written.sort_by_key(|(_, help)| help.order);
    let listed = written.into_iter().map(|(form, help)| (form, help.about));
    listed.collect()
}

/// The front end of files with an extension, in small letters and without its dot.
pub fn by_extension(extension: &str) -> Option<&'static dyn FrontEnd> {
    let mut all = FRONT_ENDS.iter().copied();
    all.find(|front_end| front_end.extensions().contains(&extension))
}

/// The front end of a name.
pub fn by_name(name: &str) -> Option<&'static dyn FrontEnd> {
    let mut all = FRONT_ENDS.iter().copied();
    all.find(|front_end| front_end.name() == name)
}

/// The titles of front ends, for a sentence.
pub fn titles(which: impl Fn(&dyn FrontEnd) -> bool) -> String {
    let chosen = FRONT_ENDS.iter().filter(|front_end| which(**front_end));
    let titles: Vec<&str> = chosen.map(|front_end| front_end.title()).collect();
    titles.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_extensions_and_options_are_those_of_one_front_end() {
        let mut seen = BTreeSet::new();
        let mut once = |kind: &str, name: &str| {
            assert!(seen.insert(format!("{kind} {name}")), "{kind} {name} twice");
        };
        for front_end in FRONT_ENDS {
            once("name", front_end.name());
            assert_eq!(by_name(front_end.name()), Some(*front_end));
            assert!(!front_end.extensions().is_empty(), "{front_end:?}");
            for extension in front_end.extensions() {
                once("extension", extension);
                assert_eq!(by_extension(extension), Some(*front_end));
            }
            for option in front_end.options() {
                once("option", option.id);
                assert!(option.short.is_some() || option.long.is_some());
                option.long.into_iter().for_each(|long| once("--", long));
                let short = option.short.map(String::from);
                short.iter().for_each(|short| once("-", short));
            }
            for text in [front_end.title(), front_end.about()] {
                assert!(!text.is_empty() && !text.ends_with('.'), "{front_end:?}");
            }
        }
        assert_eq!(titles(|front_end| front_end.joins_files()), "C");
        assert_eq!(by_name("fortran"), None);
    }

    #[test]
    fn forms_are_listed_in_the_order_of_what_they_write() {
        let names = |of| {
            forms(of)
                .iter()
                .map(|(form, _)| form.name())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(Subjects::Programs),
            ["json", "text", "dot", "xaif", "c"]
        );
        assert_eq!(
            names(Subjects::Reversals),
            ["json", "dot", "text", "xaif", "c"]
        );
        assert_eq!(names(Subjects::Tangents), ["json", "text", "xaif", "c"]);
    }

    /// Each form of a program is what its library writes of it.
    #[test]
    fn programs_are_written() {
        let parsed = cfg_format::text::parse(
            "main subroutine f(in real x, out real y)\n  y := 2.0*x\nend\n",
        );
        let program = parsed.program.expect("it is right");
        let written = |name: &str| {
            let form = BACK_ENDS.iter().find(|form| form.name() == name);
            let subject = Subject {
                program: std::borrow::Cow::Borrowed(&program),
                drawn: program.main,
                derivative: None,
            };
            let writer = form
                .expect("it is listed")
                .writer(subject, &WriteOptions::default());
            let mut out = Vec::new();
            writer.expect("it has this form")(&mut out).expect("memory takes everything");
            String::from_utf8(out).expect("a text")
        };
        for (name, part) in [
            ("json", "\"format\": \"cfgrev/1\""),
            ("text", "y := 2.0*x"),
            ("dot", "digraph"),
            ("xaif", "xaif:ControlFlowGraph"),
            ("c", "2.0 * "),
        ] {
            assert!(written(name).contains(part), "{name}: {}", written(name));
        }
        assert_eq!(
            cfg_format::json::read(written("json").as_bytes()),
            Ok(program.clone())
        );
        assert_eq!(
            cfg_format::text::parse(&written("text")).program,
            Some(program.clone())
        );
    }

    /// Each reader tells what is wrong with bytes that are no program.
    #[test]
    fn nonsense_is_refused_by_all() {
        for front_end in FRONT_ENDS {
            for bytes in [&b"\xff\xfe)("[..], b"}{ <<", b"?"] {
                let text = Text { name: "f", bytes };
                let read = front_end.read(&Request::new(&[text]), &mut NoFiles);
                assert!(read.parsed.problems.has_errors(), "{front_end:?}");
                let codes: Vec<&str> = front_end.codes().iter().map(|info| info.code).collect();
                for problem in read.parsed.problems.iter() {
                    assert!(codes.contains(&problem.code), "{front_end:?}: {problem}");
                }
            }
        }
    }
}
