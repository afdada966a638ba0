//! The sources of inputs: files, standard input, and text on the command line.

mod c_files;
mod compile_commands;

use crate::args::{InC, Language, Source};
use crate::codes;
use crate::kind::Kind;
use crate::progress::{Progress, Status};
use crate::report::{Reporter, Text};
use crate::short;
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use cfg_core::flat::Flat;
use cfg_core::validate::ValidProgram;
use cfg_format::json::{Checked, Parsed};
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variables that the user wants to differentiate, for languages that do not declare them.
pub(crate) type Wanted = cfg_front::xaif::Options;

/// The command line is wrong: exit code 2.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// One run of the program: what has been read, and how to report.
pub(crate) struct Session {
    pub(crate) reporter: Reporter,
    /// The texts that diagnostics point into; the program first.
    texts: RefCell<Vec<Rc<Text>>>,
    /// The argument that standard input went to.
    stdin: Cell<Option<&'static str>>,
    /// The language of the program.
    pub(crate) language: Cell<Language>,
    /// The files in C that are one program, and how they are read.
    in_c: RefCell<(Vec<Rc<Text>>, InC)>,
    /// The C that the program was read from.
    pub(crate) original: RefCell<Option<CSource>>,
    /// The flat program that commands work on, if it was made from one with pointers.
    flat: RefCell<Option<Flat>>,
}

impl Session {
    pub(crate) fn new(reporter: Reporter) -> Self {
        Self {
            reporter,
            texts: RefCell::default(),
            stdin: Cell::new(None),
            language: Cell::new(Language::Json),
            in_c: RefCell::default(),
            original: RefCell::default(),
            flat: RefCell::default(),
        }
    }

    /// Claims standard input for several arguments.
    pub(crate) fn claim_all(
        &self,
        arguments: &[(&'static str, Option<&str>)],
    ) -> Result<(), Usage> {
        for (argument, value) in arguments {
            self.claim(argument, value.unwrap_or_default())?;
        }
        Ok(())
    }

    /// Says what is being done if it takes longer than a second.
    pub(crate) fn progress(&self, what: impl Into<std::sync::Arc<str>>) -> Progress {
        Progress::start(what, self.reporter.quiet)
    }

    /// Says what is being done, and how far it is, if it takes longer than a second.
    pub(crate) fn watch(
        &self,
        what: &str,
        status: impl Fn() -> Status + Send + 'static,
    ) -> Progress {
        Progress::watch(what, self.reporter.quiet, status)
    }

    /// Reports to standard error.
    pub(crate) fn report(&self, diagnostics: &Diagnostics) {
        let diagnostics = match &*self.flat.borrow() {
            Some(flat) => &flat.place_in_original(diagnostics.clone()),
            None => diagnostics,
        };
        self.reporter
            .print_stderr(diagnostics, &self.texts.borrow());
    }

    /// Says which flat program was made from the one that was read: later problems are those of that one.
    pub(crate) fn made(&self, flat: &Flat) {
        if flat.provenance().pointers.is_some() {
            *self.flat.borrow_mut() = Some(flat.clone());
        }
    }

    /// True if the program that is run was made from one with pointers.
    pub(crate) fn had_pointers(&self) -> bool {
        self.flat.borrow().is_some()
    }

    /// The texts read so far.
    pub(crate) fn texts(&self) -> Vec<Rc<Text>> {
        self.texts.borrow().clone()
    }

    /// Lets go of the texts read so far, which nothing points into any more.
    pub(crate) fn forget(&self) {
        self.texts.borrow_mut().clear();
    }

    /// Claims standard input for an argument, if that argument is `-`. Called for all arguments before
    /// any of them is read, so that a wrong command line does not consume anything.
    pub(crate) fn claim(&self, argument: &'static str, value: &str) -> Result<(), Usage> {
        if value != "-" {
            return Ok(());
        }
        match self.stdin.replace(Some(argument)) {
            Some(other) if other != argument => Err(Usage(format!(
                "{other} and {argument} are both `-`: standard input can be read only once"
            ))),
            _ => Ok(()),
        }
    }

    /// Reads a program and finds all its problems; nothing is reported yet. There is a program if it
    /// could be read at all, even with errors.
    /// Languages in which what to differentiate is found by reading need to know what the user wants.
    pub(crate) fn examine(&self, source: &Source, wanted: &Wanted) -> anyhow::Result<Checked> {
        let parsed = self.parse(source, wanted)?;
        Ok(self.check(parsed))
    }

    fn check(&self, parsed: Parsed) -> Checked {
        let _progress = self.progress("validating");
        let mut checked = cfg_format::json::check(parsed);
        if self.language.get() != Language::Json {
            // Pointers lead into a JSON text, which there is none of.
            for d in &mut checked.problems.0 {
                d.at.pointer = None;
                // In C, the place in the source is the place in the file.
                if self.language.get() == Language::C
                    && let Some(source) = d.at.source.take()
                {
                    d.at.file = Some(source.name);
                    d.at.line = Some(source.span.line.get() as usize);
                    d.at.column = Some(source.span.column.get() as usize);
                }
            }
        }
        checked
    }

    /// Reads a program that must be valid. Warnings are reported.
    pub(crate) fn load(&self, source: &Source, wanted: &Wanted) -> anyhow::Result<ValidProgram> {
        self.valid(self.examine(source, wanted)?)
    }

    /// The valid program in a text that [`Self::read_source`] has read.
    pub(crate) fn load_text(&self, text: &Text, wanted: &Wanted) -> anyhow::Result<ValidProgram> {
        self.valid(self.check(self.parse_text(text, wanted)))
    }

    fn valid(&self, mut examined: Checked) -> anyhow::Result<ValidProgram> {
        let problems = std::mem::take(&mut examined.problems);
        if problems.has_errors() {
            return Err(problems.into());
        }
        self.report(&problems);
        Ok(examined.into_valid()?)
    }

    fn parse(&self, source: &Source, wanted: &Wanted) -> anyhow::Result<Parsed> {
        let text = self.read_source(source)?;
        let _progress = self.progress(format!("reading {}", text.name));
        Ok(self.parse_text(&text, wanted))
    }

    /// Reads FILE, whatever it is. Of several, the first one stands for all.
    pub(crate) fn read_source(&self, source: &Source) -> anyhow::Result<Rc<Text>> {
        self.claim("FILE", source.standard_input().unwrap_or_default())?;
        let language = language(source)?;
        self.language.set(language);
        let in_c = &source.c;
        if in_c.preprocess.is_some()
            && (language != Language::C || source.standard_input().is_some())
        {
            let message = "--preprocess is for files in C; pipe the output of a preprocessor into `-` with --lang c";
            return Err(Usage(message.to_owned()).into());
        }
        let given = !in_c.external.is_empty() || !in_c.no_diff.is_empty();
        if given && language != Language::C {
            let message = "--external and --no-diff are for files in C; other languages declare external routines in the file";
            return Err(Usage(message.to_owned()).into());
        }
        if *in_c != InC::default() && language != Language::C {
            let message = "-I, -D, -U, --include, -p and --only-these are for files in C";
            return Err(Usage(message.to_owned()).into());
        }
        let files = source.files.iter();
        let texts = files.map(|file| self.read_text(file, language));
        let texts: Vec<Rc<Text>> = texts.collect::<anyhow::Result<_>>()?;
        let first = texts.first().cloned();
        self.texts.borrow_mut().extend(texts.iter().cloned());
        if language == Language::C {
            self.in_c.replace((texts, in_c.clone()));
        }
        first.ok_or_else(|| Usage("no FILE is named".to_owned()).into())
    }

    /// Reads one FILE.
    fn read_text(&self, file: &str, language: Language) -> anyhow::Result<Rc<Text>> {
        let name = match file {
            "-" => "<stdin>",
            file => file,
        };
        let read = Arc::new(AtomicU64::new(0));
        let (shown, size) = (Arc::clone(&read), size(file));
        let _progress = self.watch(&format!("reading {name}"), move || {
            let read = shown.load(Ordering::Relaxed);
            Status {
                done: size.map(|size| read as f64 / size.max(1) as f64),
                count: Some((read, "bytes")),
                so_far: String::new(),
            }
        });
        Ok(Rc::new(Text {
            name: name.to_owned(),
            bytes: load(file, language, &read)?,
            language,
            places: OnceCell::new(),
        }))
    }

    /// The program in a text that [`Self::read_source`] has read.
    fn parse_text(&self, text: &Text, wanted: &Wanted) -> Parsed {
        match self.language.get() {
            Language::Json => {
                if let Some(problem) = no_program(text) {
                    return Parsed {
                        problems: problem.into(),
                        ..Parsed::default()
                    };
                }
                let left = crate::physical_memory::half_of_memory()
                    .saturating_sub(text.bytes.len() as u64);
                let left = usize::try_from(left).unwrap_or(usize::MAX);
                cfg_format::json::parse_within(&text.bytes, left)
            }
            Language::Text => {
                let read = cfg_format::text::read(&text.bytes);
                // For problems of its runs. Of a text that is read again they are the same.
                text.places.get_or_init(|| read.places);
                Parsed {
                    program: read.program,
                    problems: read.problems,
                    ..Parsed::default()
                }
            }
            Language::C => {
                let in_c = self.in_c.borrow();
                let mut included = Vec::new();
                let routine = wanted.routine.as_deref();
                let (parsed, original) = c_files::read(&in_c.0, &in_c.1, routine, &mut included);
                self.texts.borrow_mut().extend(included);
                self.original.replace(original);
                parsed
            }
            Language::Xaif => {
                let (program, problems) = cfg_front::xaif::read_xaif(&text.bytes, wanted);
                Parsed {
                    program,
                    problems,
                    ..Parsed::default()
                }
            }
        }
    }

    /// Reads POINT, SEED or a direction: a file, `-`, the text itself if it begins with `{` (or, where
    /// a list is allowed, `[`), or its short form. A file of that name comes before a short form.
    pub(crate) fn read_value(
        &self,
        argument: &'static str,
        value: &str,
        list: bool,
    ) -> anyhow::Result<Rc<Text>> {
        self.claim(argument, value)?;
        let start = value.trim_start();
        let (name, bytes) = if start.starts_with('{') || list && start.starts_with('[') {
            (argument.to_owned(), short::with_numbers(value).into_bytes())
        } else if short::is_short(value) && std::fs::symlink_metadata(value).is_err() {
            let json = short::to_json(value).map_err(Diagnostics::from)?;
            (argument.to_owned(), json.into_bytes())
        } else {
            let name = match value {
                "-" => "<stdin>",
                file => file,
            };
            let absent = value != "-" && std::fs::symlink_metadata(value).is_err();
            if absent {
                let message = format!("cannot read {value}: there is no such file");
                let help = "check the name; values themselves are written n=2,a=[2,9] or {\"n\": 2, \"a\": [2, 9]}";
                let problem = Diagnostic::error(&codes::UNREADABLE, message, help);
                return Err(Diagnostics::from(problem).into());
            }
            (
                name.to_owned(),
                load(value, Language::Json, &AtomicU64::new(0))?,
            )
        };
        let text = Rc::new(Text {
            name,
            bytes,
            language: Language::Json,
            places: OnceCell::new(),
        });
        self.texts.borrow_mut().push(Rc::clone(&text));
        Ok(text)
    }
}

/// The problem of a JSON text that is clearly something else than a program.
fn no_program(text: &Text) -> Option<Diagnostic> {
    let (message, help) = match Kind::of(&text.bytes)? {
        Kind::Program => return None,
        Kind::Graph => (
            "FILE is a linearized computational graph, not a program",
            format!(
                "cfgrev preaccumulate {0} finds its elimination, and cfgrev preaccumulate {0} --emit dot draws it",
                text.name
            ),
        ),
        Kind::Elimination => (
            "FILE is what preaccumulate prints, not a program",
            "give preaccumulate the graph or program that it was made from; with --emit dot it draws the elimination"
                .to_owned(),
        ),
    };
    Some(Diagnostic::error(&codes::NO_PROGRAM, message, help))
}

/// The C that a program was read from, for a compiler.
pub(crate) struct CSource {
    pub(crate) signature: cfg_c::Signature,
    /// Names and texts of the files, after `--preprocess`; that of the function first.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// The flags with which they find what they include.
    pub(crate) flags: Vec<String>,
    /// The codes of what was told of them.
    pub(crate) warnings: Vec<&'static str>,
}

/// The language of a program. Several files are one program in C only.
pub(crate) fn language(source: &Source) -> Result<Language, Usage> {
    let mut all = source
        .files
        .iter()
        .map(|file| language_of(file, source.lang));
    let first = all.next().unwrap_or(Ok(Language::Json))?;
    for (other, file) in all.zip(&source.files[1..]) {
        if first != Language::C || other? != Language::C {
            let message =
                format!("{file} is one FILE too many: several files are one program in C only");
            return Err(Usage(message));
        }
    }
    Ok(first)
}

fn language_of(file: &str, given: Option<Language>) -> Result<Language, Usage> {
    if let Some(language) = given {
        return Ok(language);
    }
    if file == "-" {
        return Ok(Language::Json);
    }
    let extension = std::path::Path::new(file)
        .extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("json") => Ok(Language::Json),
        Some("cfgrev") => Ok(Language::Text),
        Some("xaif") => Ok(Language::Xaif),
        Some("c" | "h") => Ok(Language::C),
        _ => Err(Usage(format!(
            "the language of {file} cannot be told from its extension (known: .json, .cfgrev, .xaif, .c, .h); name it with --lang"
        ))),
    }
}

/// The size of an ordinary file.
fn size(file: &str) -> Option<u64> {
    let data = std::fs::metadata(file).ok()?;
    data.is_file().then_some(data.len())
}

/// Counts the bytes that are read.
struct Counted<'c, R> {
    input: R,
    count: &'c AtomicU64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Reads a file or standard input, up to a quarter of the machine's memory (the buffer may double).
fn load(file: &str, language: Language, count: &AtomicU64) -> anyhow::Result<Vec<u8>> {
    let limit = crate::physical_memory::half_of_memory() / 2;
    load_below(limit, file, language, count)
}

/// Reads a file or standard input that has fewer than so many bytes.
fn load_below(
    limit: u64,
    file: &str,
    language: Language,
    count: &AtomicU64,
) -> anyhow::Result<Vec<u8>> {
    let (called, name) = match file {
        "-" => ("standard input", "<stdin>"),
        file => (file, file),
    };
    let unreadable = |why: &dyn fmt::Display| -> Diagnostics {
        Diagnostic::error(
            &codes::UNREADABLE,
            format!("cannot read {called}: {why}"),
            "check the name, the folder and the permissions",
        )
        .into()
    };
    // Both give up early on what is hopeless.
    let all = |input: Box<dyn Read>| -> anyhow::Result<Vec<u8>> {
        let input = Counted { input, count };
        let loaded = match language {
            Language::Json => cfg_format::json::load(input),
            Language::Text => cfg_format::text::load(input).map_err(|e| unreadable(&e)),
            Language::Xaif => cfg_front::xaif::load(input).map_err(|e| unreadable(&e)),
            Language::C => cfg_format::text::load(input).map_err(|e| unreadable(&e)),
        };
        Ok(loaded.map_err(|mut problems| {
            for d in &mut problems.0 {
                d.at.file = Some(name.to_owned());
            }
            problems
        })?)
    };
    let bytes = if file == "-" {
        all(Box::new(io::stdin().lock().take(limit)))?
    } else {
        let opened = std::fs::File::open(file).map_err(|e| unreadable(&e))?;
        if opened.metadata().is_ok_and(|m| m.is_dir()) {
            return Err(unreadable(&"it is a folder").into());
        }
        all(Box::new(opened.take(limit)))?
    };
    if bytes.len() as u64 == limit {
        return Err(unreadable(&format_args!("it is larger than {limit} bytes")).into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with as many bytes as are the limit is refused, and one with a byte less is read.
    #[test]
    fn files_are_read_up_to_a_size() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let size = size(file).expect("it is a file");
        let load = |limit| load_below(limit, file, Language::Text, &AtomicU64::new(0));
        let bytes = load(size + 1).expect("it is read");
        assert_eq!(bytes.len() as u64, size);
        let problem = load(size).expect_err("it has too many bytes").to_string();
        assert!(problem.contains("it is larger than"), "{problem}");
    }
}
