//! C: options, preprocessing of files, and the search for included files.

mod compile_commands;
mod options;

use crate::codes;
use crate::files::Files;
use crate::front_end::{CSource, FrontEnd, ReadProgram, Request};
use crate::options::{OptionSpec, OptionValues};
use cfg_c::{MacroOption, Preprocessing, SourceFile};
use cfg_core::diagnostic::{CodeInfo, Diagnostic, Diagnostics};
use cfg_core::entity::RoutineId;
use cfg_core::ir::Program;
use compile_commands::Database;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The front end for C99.
#[derive(Debug)]
pub(crate) struct C;

impl FrontEnd for C {
    fn name(&self) -> &'static str {
        "c"
    }

    fn title(&self) -> &'static str {
        "C"
    }

    fn about(&self) -> &'static str {
        "C99 (`cfgrev explain c`)"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["c", "h"]
    }

    fn codes(&self) -> &'static [CodeInfo] {
        cfg_c::CODES
    }

    fn options(&self) -> &'static [OptionSpec] {
        options::OPTIONS
    }

    fn check_options(&self, options: &OptionValues, standard_input: bool) -> Result<(), String> {
        match options.is_given("preprocess") && standard_input {
            true => Err(FOR_FILES.to_owned()),
            false => Ok(()),
        }
    }

    fn refuse_elsewhere(&self, options: &OptionValues) -> Option<String> {
        let is_given = |id: &str| options.is_given(id);
        let message = if is_given("preprocess") {
            FOR_FILES
        } else if is_given("external") || is_given("no_diff") {
            "--external and --no-diff are for files in C; other languages declare external routines in the file"
        } else if options::OPTIONS.iter().any(|option| is_given(option.id)) {
            "-I, -D, -U, --include, -p and --only-these are for files in C"
        } else {
            return None;
        };
        Some(message.to_owned())
    }

    fn read(&self, request: &Request<'_>, files: &mut dyn Files) -> ReadProgram {
        read(request, files).unwrap_or_else(|problems| ReadProgram::new(None, problems))
    }

    fn find_routine(&self, program: &Program, name: &str) -> Option<RoutineId> {
        // A macro may have renamed the function: the reader has then made the wanted one main.
        program.find_routine(name).or(program.main)
    }

    fn joins_files(&self) -> bool {
        true
    }

    fn is_compiled(&self) -> bool {
        true
    }
}

/// Where `--preprocess` is refused.
const FOR_FILES: &str =
    "--preprocess is for files in C; pipe the output of a preprocessor into `-` with --lang c";

/// Reads C files, with the files that they include, as one program. Functions and variables that these lack are
/// searched in other files of the project, which are then read as well. If there is one function to differentiate,
/// the result also has the sources for a compiler.
fn read(request: &Request<'_>, files: &mut dyn Files) -> Result<ReadProgram, Diagnostics> {
    let options = &request.options;
    let choices = cfg_c::Options {
        routine: request.wanted.routine.clone(),
        externals: options.texts("external"),
        passive: options.texts("no_diff"),
        types: options.texts("types"),
    };
    let database = match options.path("compile_commands") {
        Some(path) => Some(compile_commands::read(path, files)?),
        None => None,
    };
    let mut named = Vec::with_capacity(request.texts.len());
    for text in request.texts {
        let bytes = Cow::Borrowed(text.bytes);
        named.push(Prepared::new(
            (text.name, bytes),
            Vec::new(),
            options,
            &database,
            files,
        )?);
    }
    let mut further: BTreeMap<String, Option<Prepared<'_>>> = BTreeMap::new();
    let mut included = Included {
        files,
        database: database.as_ref(),
        found: BTreeMap::new(),
    };
    let mut reader = cfg_c::Reader::default();
    let mut program = None;
    let mut rounds = if options.is_given("only_these") {
        0
    } else {
        ROUNDS
    };
    loop {
        let all = named.iter().chain(further.values().flatten());
        let sources: Vec<SourceFile<'_>> = all.map(Prepared::source).collect();
        let read = reader.read(&sources, &choices, &mut included);
        let mut more = read.further;
        let files = &mut *included.files;
        more.retain(|path, _| !further.contains_key(path) && !is_one_of(path, &sources, files));
        let is_last = rounds == 0 || more.is_empty();
        let has_failed = read.program.is_none();
        let warnings = read.problems.iter().map(|problem| problem.code).collect();
        let compiled = read.signature.map(|signature| CSource {
            files: compiled(&sources, &signature.file),
            flags: flags(&sources),
            signature,
            warnings,
        });
        let found = ReadProgram {
            compiled,
            ..ReadProgram::new(read.program, read.problems)
        };
        // A program that only lacks definitions of variables is complete enough if the files that define them cannot
        // be read.
        match (is_last, has_failed) {
            (true, _) => return Ok(program.filter(|_| has_failed).unwrap_or(found)),
            (false, true) => {}
            (false, false) => program = Some(found),
        }
        rounds -= 1;
        for (path, found_for) in more {
            let prepared = match files.read(&path) {
                Some(bytes) => {
                    let text = (&*path, Cow::Owned(bytes));
                    Some(Prepared::new(text, found_for, options, &database, files)?)
                }
                None => None,
            };
            further.insert(path, prepared);
        }
    }
}

/// True if the path is that of one of these files.
fn is_one_of(path: &str, sources: &[SourceFile<'_>], files: &dyn Files) -> bool {
    let path = files.canonical(Path::new(path));
    let mut known = (sources.iter()).map(|source| files.canonical(Path::new(source.name)));
    path.is_none() || known.any(|known| known == path)
}

/// The names and texts of files for a compiler, with directives for their options; the file `first` comes first.
fn compiled(sources: &[SourceFile<'_>], first: &str) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<&SourceFile<'_>> = sources.iter().collect();
    all.sort_by_key(|source| source.name != first);
    let text = |source: &&SourceFile<'_>| {
        let name = source.name.replace('\\', "\\\\").replace('"', "\\\"");
        let head = format!("{}#line 1 \"{name}\"\n", source.preprocessing.directives());
        (
            source.name.to_owned(),
            [head.as_bytes(), source.bytes].concat(),
        )
    };
    all.iter().map(text).collect()
}

/// The flags with which a compiler finds what files include: beside them, and in their folders.
fn flags(sources: &[SourceFile<'_>]) -> Vec<String> {
    let folder = |file: &str| {
        let folder = Path::new(file)
            .parent()
            .map(|f| f.to_string_lossy().into_owned());
        folder.filter(|f| !f.is_empty()).unwrap_or(".".to_owned())
    };
    let beside = sources.iter().map(|source| folder(source.name));
    let beside = beside.chain([".".to_owned()]);
    let beside = beside.flat_map(|folder| ["-iquote".to_owned(), folder]);
    let folders = sources
        .iter()
        .flat_map(|source| &source.preprocessing.folders);
    let folders = folders.map(|folder| format!("-I{folder}"));
    beside.chain(folders).collect()
}

/// A file that is read.
struct Prepared<'t> {
    name: String,
    /// The text of the file, or the output of another preprocessor for it.
    bytes: Cow<'t, [u8]>,
    /// The options of our own preprocessor for this file.
    preprocessing: Preprocessing,
    found_for: Vec<String>,
}

impl<'t> Prepared<'t> {
    fn new(
        (name, bytes): (&str, Cow<'t, [u8]>),
        found_for: Vec<String>,
        options: &OptionValues,
        database: &Option<Database>,
        files: &mut dyn Files,
    ) -> Result<Self, Diagnostics> {
        let mut all = given(options);
        if let Some(database) = database {
            let of_file = database.preprocessing(name, files)?;
            all.folders.extend(of_file.folders);
            all.macros.splice(..0, of_file.macros);
            all.includes.splice(..0, of_file.includes);
        }
        let (preprocessing, bytes) = match options.text("preprocess") {
            None => (all, bytes),
            Some(command) => {
                let bytes = preprocessed(command, &all, name, files)?;
                (Preprocessing::default(), Cow::Owned(bytes))
            }
        };
        Ok(Self {
            name: name.to_owned(),
            bytes,
            preprocessing,
            found_for,
        })
    }

    fn source(&self) -> SourceFile<'_> {
        SourceFile {
            name: &self.name,
            bytes: &self.bytes,
            preprocessing: self.preprocessing.clone(),
            found_for: self.found_for.clone(),
        }
    }
}

/// The preprocessing that the options ask for.
fn given(options: &OptionValues) -> Preprocessing {
    let defined = (options.texts("define").into_iter()).map(MacroOption::Define);
    let undefined = (options.texts("undefine").into_iter()).map(MacroOption::Undefine);
    Preprocessing {
        folders: options.texts("folders"),
        macros: defined.chain(undefined).collect(),
        includes: options.texts("include"),
    }
}

/// The output of a preprocessor's command for a file.
fn preprocessed(
    command: &str,
    options: &Preprocessing,
    file: &str,
    files: &mut dyn Files,
) -> Result<Vec<u8>, Diagnostics> {
    let problem = |message: String, help: &str| {
        Diagnostics::from(Diagnostic::error(&codes::PREPROCESS, message, help))
    };
    let no_command = "name a command such as 'cc -E', which can be run here";
    let mut words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let Some(program) = words.first().cloned() else {
        return Err(problem(
            "--preprocess names no command".to_owned(),
            no_command,
        ));
    };
    words.extend(options.folders.iter().map(|folder| format!("-I{folder}")));
    words.extend(options.macros.iter().map(|option| match option {
        MacroOption::Define(definition) => format!("-D{definition}"),
        MacroOption::Undefine(name) => format!("-U{name}"),
    }));
    for name in &options.includes {
        words.extend(["-include".to_owned(), name.clone()]);
    }
    words.push(file.to_owned());
    match files.run(&words) {
        Ok(Ok(output)) => Ok(output),
        Ok(Err(said)) => {
            let help = "mend that; -I and -D of cfgrev are handed on to the command";
            Err(problem(
                format!("{program} failed: {}", reason(&said)),
                help,
            ))
        }
        Err(e) => Err(problem(format!("cannot run {program}: {e}"), no_command)),
    }
}

/// The line of a compiler's message that names the problem: the places of inclusion stand before it, the source line
/// behind it.
fn reason(said: &str) -> &str {
    let mut lines = said.lines().filter(|line| !line.trim().is_empty());
    let first = lines.clone().next();
    let error = lines.find(|line| line.contains("error:"));
    error.or(first).unwrap_or("it says nothing")
}

/// The most rounds of search for missing definitions: each file that is added may lack others.
const ROUNDS: usize = 32;

/// The most bytes of other C files, in all, that are searched for definitions.
const OTHERS: u64 = 64 << 20;

/// Files that C files include, and those around them.
struct Included<'f> {
    files: &'f mut dyn Files,
    /// The compile database, if an option names one: files that are not in it belong to other programs.
    database: Option<&'f Database>,
    /// The files of a name around a folder.
    found: BTreeMap<(PathBuf, String), Vec<String>>,
}

/// The folder of a file, as a path that others can be joined to.
fn folder_of(path: &str) -> PathBuf {
    Path::new(path).parent().unwrap_or(Path::new("")).join(".")
}

impl cfg_c::Files for Included<'_> {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        self.files.read(path)
    }

    fn around(&mut self, path: &str, name: &str) -> Vec<String> {
        let place = (folder_of(path), name.to_owned());
        if let Some(known) = self.found.get(&place) {
            return known.clone();
        }
        let mut found = BTreeMap::new();
        for path in self.files.around(&place.0, &|path| path.ends_with(name)) {
            let known = compile_commands::known(&path, self.files);
            // One path for all files that include it, so that it is included once.
            let short = shortened(&path, self.files);
            found.insert(known, short.to_string_lossy().into_owned());
        }
        let found: Vec<String> = found.into_values().collect();
        self.found.insert(place, found.clone());
        found
    }

    fn others_in_c(&mut self, path: &str) -> Vec<(String, Vec<u8>)> {
        let is_c = |path: &Path| path.extension().is_some_and(|e| e == "c");
        let mut paths = self.files.around(&folder_of(path), &is_c);
        paths.sort();
        let named = self.database.map(|database| database.files(self.files));
        let mut left = OTHERS;
        let texts = paths.into_iter().filter_map(|path| {
            left = left.checked_sub(self.files.length(&path)?)?;
            let short = shortened(&path, self.files);
            if let Some(named) = &named
                && !named.contains(&compile_commands::known(&short, self.files))
            {
                return None;
            }
            let bytes = self.files.look_into(&path)?;
            Some((short.to_string_lossy().into_owned(), bytes))
        });
        texts.collect()
    }
}

/// A path without the folders that it enters and leaves again, if that is the same file.
fn shortened(path: &Path, files: &dyn Files) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match (part, short.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                short.pop();
            }
            _ => short.push(part),
        }
    }
    let [one, other] = [&*short, path].map(|path| files.canonical(path));
    match (one, other) {
        (Some(one), Some(other)) if one == other => short,
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_with_the_error_is_the_reason() {
        let said = "In file included from a.h:1,\n                 from f.c:2:\nb.h:3:10: fatal error: c.h: No such file\n    3 | #include\n";
        assert_eq!(reason(said), "b.h:3:10: fatal error: c.h: No such file");
        assert_eq!(reason("\nusage: cpp\n"), "usage: cpp");
        assert_eq!(reason(""), "it says nothing");
    }
}
