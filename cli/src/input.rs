//! The sources of inputs: files, standard input, and text on the command line.

mod files;

use crate::args::{EngineName, Source};
use crate::codes;
use crate::kind::Kind;
use crate::machine_code;
use crate::npy::Array;
use crate::physical_memory::{half_of_memory, memory_for_reading};
use crate::points::Points;
use crate::progress::{Progress, Status};
use crate::report::{Reporter, Text};
use crate::short;
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use cfg_core::flat::Flat;
use cfg_core::validate::ValidProgram;
use cfg_exec::native;
use cfg_format::json::{Checked, Parsed};
pub(crate) use cfg_languages::Wanted;
use cfg_languages::{
    CSource, FRONT_ENDS, FrontEnd, JSON, LoadError, OptionValues, Placement, Request, by_extension,
    titles,
};
use files::SystemFiles;
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

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
    pub(crate) language: Cell<&'static dyn FrontEnd>,
    /// The files that are one program, and the options of their language.
    sources: RefCell<(Vec<Rc<Text>>, OptionValues)>,
    /// The C that the program was read from.
    pub(crate) original: RefCell<Option<CSource>>,
    /// The flat program that commands work on, if it was made from one with pointers.
    flat: RefCell<Option<Flat>>,
    /// The progress of the loop with a checkpoint that runs.
    loops: Arc<Mutex<Option<cfg_exec::Progress>>>,
    /// The compilers to machine code that runs may use.
    natives: RefCell<Vec<Arc<dyn native::Engine>>>,
}

impl Session {
    pub(crate) fn new(reporter: Reporter) -> Self {
        Self {
            reporter,
            texts: RefCell::default(),
            stdin: Cell::new(None),
            language: Cell::new(JSON),
            sources: RefCell::default(),
            original: RefCell::default(),
            flat: RefCell::default(),
            loops: Arc::default(),
            natives: RefCell::default(),
        }
    }

    /// The compiler to machine code that runs use under a name of an engine.
    pub(crate) fn native(&self, name: EngineName) -> Option<Arc<dyn native::Engine>> {
        let engine = machine_code::compiler(name)?;
        self.natives.borrow_mut().push(Arc::clone(&engine));
        Some(engine)
    }

    /// Warns if machine code has been refused.
    pub(crate) fn report_refusal(&self) {
        let engines = self.natives.borrow();
        let first = engines.iter().find_map(|engine| native::refused(&**engine));
        self.report(&Diagnostics(first.into_iter().collect()));
    }

    /// The function that is told the progress of loops with checkpoints; `None` if no progress is shown.
    pub(crate) fn loop_report(&self) -> Option<cfg_exec::Report> {
        let loops = Arc::clone(&self.loops);
        let note = move |progress| {
            // Nobody shows it any more if the lock is poisoned.
            if let Ok(mut last) = loops.lock() {
                *last = Some(progress);
            }
        };
        Progress::is_shown(self.reporter.quiet).then(|| cfg_exec::Report::new(note))
    }

    /// The last progress of a loop with a checkpoint.
    pub(crate) fn loop_progress(&self) -> impl Fn() -> Option<cfg_exec::Progress> + Send + use<> {
        let loops = Arc::clone(&self.loops);
        move || loops.lock().ok().and_then(|last| *last)
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

    /// Shows what is being done if that takes longer than a second.
    pub(crate) fn progress(&self, what: impl Into<std::sync::Arc<str>>) -> Progress {
        Progress::start(what, self.reporter.quiet)
    }

    /// Shows what is being done, and its progress, if that takes longer than a second.
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

    /// Notes the flat program that was made from the one that was read: later problems have sites in the flat one.
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
        self.sources.take();
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
        let placement = self.language.get().placement();
        if placement != Placement::Pointers {
            // JSON pointers of problems mean nothing in a text that is not JSON.
            for d in &mut checked.problems.0 {
                d.at.pointer = None;
                // The place in the source is the place in the file.
                if placement == Placement::Spans
                    && let Some(source) = d.at.source.take()
                {
                    d.at.set_source_place(&source);
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

    /// Reads FILE without parsing it. Of several files, the first one stands for all.
    pub(crate) fn read_source(&self, source: &Source) -> anyhow::Result<Rc<Text>> {
        self.claim("FILE", source.standard_input().unwrap_or_default())?;
        let language = language(source)?;
        self.language.set(language);
        let options = &source.options.0;
        let others = FRONT_ENDS.iter().filter(|other| **other != language);
        for other in others {
            if let Some(message) = other.refuse_elsewhere(options) {
                return Err(Usage(message).into());
            }
        }
        let standard_input = source.standard_input().is_some();
        (language.check_options(options, standard_input)).map_err(Usage)?;
        let files = source.files.iter();
        let texts = files.map(|file| self.read_text(file, language));
        let texts: Vec<Rc<Text>> = texts.collect::<anyhow::Result<_>>()?;
        let first = texts.first().cloned();
        self.texts.borrow_mut().extend(texts.iter().cloned());
        self.sources.replace((texts, options.clone()));
        first.ok_or_else(|| Usage("no FILE is named".to_owned()).into())
    }

    /// Reads one FILE.
    fn read_text(&self, file: &str, language: &'static dyn FrontEnd) -> anyhow::Result<Rc<Text>> {
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

    /// The program in the files of which [`Self::read_source`] has read the first one into this text.
    fn parse_text(&self, text: &Text, wanted: &Wanted) -> Parsed {
        let language = self.language.get();
        if language == JSON
            && let Some(problem) = no_program(text)
        {
            return Parsed {
                problems: problem.into(),
                ..Parsed::default()
            };
        }
        let (sources, options) = &*self.sources.borrow();
        let texts: Vec<_> = sources.iter().map(|text| text.as_input()).collect();
        let request = Request {
            texts: &texts,
            options: options.clone(),
            wanted: wanted.clone(),
            max_memory: memory_for_reading(),
        };
        let mut files = SystemFiles::new(language);
        let read = language.read(&request, &mut files);
        self.texts.borrow_mut().append(&mut files.texts);
        self.original.replace(read.compiled);
        if read.places.is_some() {
            // Problems of later runs need the places; a text that is read again has the same ones.
            text.places.get_or_init(|| read.places);
        }
        read.parsed
    }

    /// Reads a POINT, or many: an array of them, or arrays in files. Of many, the text is that of the first.
    /// Arrays together take `max_memory` bytes at most.
    pub(crate) fn read_points(
        &self,
        value: &str,
        max_memory: Option<u64>,
    ) -> anyhow::Result<(Rc<Text>, Option<Points>)> {
        let is_file = || std::fs::symlink_metadata(value).is_ok();
        if short::is_short(value) && value.contains('@') && !is_file() {
            let (members, files) = short::with_files(value).map_err(Diagnostics::from)?;
            let mut room = half_of_memory().min(max_memory.unwrap_or(u64::MAX));
            let read = |(name, file): (String, String)| {
                let array = Array::read(&file, open(&file)?, &mut room);
                Ok((name, array.map_err(Diagnostics::from)?))
            };
            let arrays: Vec<_> = files.into_iter().map(read).collect::<anyhow::Result<_>>()?;
            if !arrays.is_empty() {
                let points = Points::in_arrays(members, arrays)?;
                return Ok((points.first(), Some(points)));
            }
        }
        let text = self.read_value("POINT", value, true)?;
        Ok(match Points::in_list(&text)? {
            None => (text, None),
            Some(points) => (points.first(), Some(points)),
        })
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
            if absent && start.starts_with('[') {
                let one = argument.strip_prefix("the ").unwrap_or("point");
                let message = format!("{argument} is a list, and the command takes one {one}");
                let help =
                    "`gradient` and `run` take many points; else call the command once for each";
                let problem = Diagnostic::error(&codes::POINTS, message, help);
                return Err(Diagnostics::from(problem).into());
            }
            if absent {
                let message = format!("cannot read {value}: there is no such file");
                let help = "check the name; values themselves are written n=2,a=[2,9] or {\"n\": 2, \"a\": [2, 9]}";
                let problem = Diagnostic::error(&codes::UNREADABLE, message, help);
                return Err(Diagnostics::from(problem).into());
            }
            (name.to_owned(), load(value, JSON, &AtomicU64::new(0))?)
        };
        let text = Rc::new(Text {
            name,
            bytes,
            language: JSON,
            places: OnceCell::new(),
        });
        self.texts.borrow_mut().push(Rc::clone(&text));
        Ok(text)
    }
}

/// The problem of a JSON text that is clearly something else than a program.
fn no_program(text: &Text) -> Option<Diagnostic> {
    let (message, help) = match Kind::detect(&text.bytes)? {
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

/// The language of a program. Several files are one program in few languages only.
pub(crate) fn language(source: &Source) -> Result<&'static dyn FrontEnd, Usage> {
    let mut all = source
        .files
        .iter()
        .map(|file| language_of(file, source.lang));
    let first = all.next().unwrap_or(Ok(JSON))?;
    for (other, file) in all.zip(&source.files[1..]) {
        if !first.joins_files() || other? != first {
            let joined = titles(|front_end| front_end.joins_files());
            let message = format!(
                "{file} is one FILE too many: several files are one program in {joined} only"
            );
            return Err(Usage(message));
        }
    }
    Ok(first)
}

fn language_of(
    file: &str,
    given: Option<&'static dyn FrontEnd>,
) -> Result<&'static dyn FrontEnd, Usage> {
    if let Some(language) = given {
        return Ok(language);
    }
    if file == "-" {
        return Ok(JSON);
    }
    let extension = std::path::Path::new(file).extension();
    let extension = extension.map(|e| e.to_string_lossy().to_ascii_lowercase());
    extension.and_then(|e| by_extension(&e)).ok_or_else(|| {
        let known = FRONT_ENDS.iter().flat_map(|language| language.extensions());
        let known: Vec<String> = known.map(|e| format!(".{e}")).collect();
        Usage(format!(
            "the language of {file} cannot be told from its extension (known: {}); name it with --lang",
            known.join(", ")
        ))
    })
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
fn load(file: &str, language: &'static dyn FrontEnd, count: &AtomicU64) -> anyhow::Result<Vec<u8>> {
    let limit = half_of_memory() / 2;
    load_below(limit, file, language, count)
}

/// Reads a file or standard input that has fewer than so many bytes.
fn load_below(
    limit: u64,
    file: &str,
    language: &'static dyn FrontEnd,
    count: &AtomicU64,
) -> anyhow::Result<Vec<u8>> {
    let (called, name) = match file {
        "-" => ("standard input", "<stdin>"),
        file => (file, file),
    };
    let unreadable = |why: &dyn fmt::Display| unreadable(called, why);
    // Every language stops reading early at a text that cannot be one of its own.
    let all = |input: Box<dyn Read>| -> anyhow::Result<Vec<u8>> {
        let mut input = Counted { input, count };
        Ok(language.load(&mut input).map_err(|error| {
            let mut problems = match error {
                LoadError::Input(error) => unreadable(&error),
                LoadError::Text(problems) => problems,
            };
            for d in &mut problems.0 {
                d.at.file = Some(name.to_owned());
            }
            problems
        })?)
    };
    let bytes = if file == "-" {
        all(Box::new(io::stdin().lock().take(limit)))?
    } else {
        all(Box::new(open(file)?.take(limit)))?
    };
    if bytes.len() as u64 == limit {
        return Err(unreadable(&format_args!("it is larger than {limit} bytes")).into());
    }
    Ok(bytes)
}

/// Opens a file that is no folder.
fn open(file: &str) -> Result<std::fs::File, Diagnostics> {
    let opened = std::fs::File::open(file).map_err(|e| unreadable(file, &e))?;
    match opened.metadata().is_ok_and(|m| m.is_dir()) {
        true => Err(unreadable(file, &"it is a folder")),
        false => Ok(opened),
    }
}

fn unreadable(called: &str, why: &dyn fmt::Display) -> Diagnostics {
    Diagnostic::error(
        &codes::UNREADABLE,
        format!("cannot read {called}: {why}"),
        "check the name, the folder and the permissions",
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with as many bytes as are the limit is refused, and one with a byte less is read.
    #[test]
    fn files_are_read_up_to_a_size() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let size = size(file).expect("it is a file");
        let load = |limit| load_below(limit, file, cfg_languages::TEXT, &AtomicU64::new(0));
        let bytes = load(size + 1).expect("it is read");
        assert_eq!(bytes.len() as u64, size);
        let problem = load(size).expect_err("it has too many bytes").to_string();
        assert!(problem.contains("it is larger than"), "{problem}");
    }
}
