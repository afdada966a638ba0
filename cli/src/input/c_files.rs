//! Files in C: how they are preprocessed, and what they include.

use super::{
    CSource,
    compile_commands::{self, Database},
    load,
};
use crate::args::{InC, Language};
use crate::codes;
use crate::report::Text;
use cfg_c::{MacroOption, Preprocessing, SourceFile};
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use cfg_format::json::Parsed;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

/// Reads C files as one program, and what they include, which goes to `texts`; with what a compiler needs for them, if there is one
/// function to differentiate. Files that define what they lack are read with them.
pub(super) fn read(
    files: &[Rc<Text>],
    options: &InC,
    routine: Option<&str>,
    texts: &mut Vec<Rc<Text>>,
) -> (Parsed, Option<CSource>) {
    let choices = cfg_c::Options {
        routine: routine.map(str::to_owned),
        externals: options.external.clone(),
        passive: options.no_diff.clone(),
        types: options.types.clone(),
    };
    let database = options.compile_commands.as_deref();
    let database = match database.map(compile_commands::read).transpose() {
        Ok(database) => database,
        Err(problems) => return (failed(problems), None),
    };
    let prepared = |text: Rc<Text>, found_for| Prepared::of(text, found_for, options, &database);
    let named = files
        .iter()
        .map(|text| prepared(Rc::clone(text), Vec::new()));
    let named: Vec<Prepared> = match named.collect() {
        Ok(named) => named,
        Err(problems) => return (failed(problems), None),
    };
    let mut further: BTreeMap<String, Option<Prepared>> = BTreeMap::new();
    let mut included = Included {
        database: database.as_ref(),
        texts: Vec::new(),
        walked: BTreeMap::new(),
        found: BTreeMap::new(),
    };
    let mut reader = cfg_c::Reader::default();
    let mut program = None;
    let mut rounds = if options.only_these { 0 } else { ROUNDS };
    let (parsed, original) = loop {
        let all = named.iter().chain(further.values().flatten());
        let sources: Vec<SourceFile<'_>> = all.map(Prepared::source).collect();
        let read = reader.read(&sources, &choices, &mut included);
        let mut more = read.further;
        more.retain(|path, _| !further.contains_key(path) && !is_one_of(path, &sources));
        let is_last = rounds == 0 || more.is_empty();
        let has_failed = read.program.is_none();
        let warnings = read.problems.iter().map(|problem| problem.code).collect();
        let original = read.signature.map(|signature| CSource {
            files: compiled(&sources, &signature.file),
            flags: flags(&sources),
            signature,
            warnings,
        });
        let parsed = Parsed {
            program: read.program,
            problems: read.problems,
            ..Parsed::default()
        };
        let found = (parsed, original);
        // A program that lacks variables alone is one without those that define them, too.
        match (is_last, has_failed) {
            (true, _) => break program.filter(|_| has_failed).unwrap_or(found),
            (false, true) => {}
            (false, false) => program = Some(found),
        }
        rounds -= 1;
        for (path, found_for) in more {
            let text = included.text(&path);
            match text.map(|text| prepared(text, found_for)).transpose() {
                Ok(prepared) => further.insert(path, prepared),
                Err(problems) => return (failed(problems), None),
            };
        }
    };
    texts.append(&mut included.texts);
    (parsed, original)
}

fn failed(problems: Diagnostics) -> Parsed {
    Parsed {
        problems,
        ..Parsed::default()
    }
}

/// True of the path of one of these files.
fn is_one_of(path: &str, files: &[SourceFile<'_>]) -> bool {
    let path = std::fs::canonicalize(path).ok();
    let mut known = files
        .iter()
        .map(|file| std::fs::canonicalize(file.name).ok());
    path.is_none() || known.any(|known| known == path)
}

/// The names and texts of files for a compiler, with directives for their options; this one first.
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
struct Prepared {
    text: Rc<Text>,
    /// How it is to be preprocessed here.
    preprocessing: Preprocessing,
    /// The text that another preprocessor has made of it.
    bytes: Option<Vec<u8>>,
    found_for: Vec<String>,
}

impl Prepared {
    fn of(
        text: Rc<Text>,
        found_for: Vec<String>,
        options: &InC,
        database: &Option<Database>,
    ) -> Result<Self, Diagnostics> {
        let mut all = given(options);
        if let Some(database) = database {
            let of_file = database.preprocessing(&text.name)?;
            all.folders.extend(of_file.folders);
            all.macros.splice(..0, of_file.macros);
            all.includes.splice(..0, of_file.includes);
        }
        let (preprocessing, bytes) = match &options.preprocess {
            None => (all, None),
            Some(command) => {
                let bytes = preprocessed(command, &all, &text.name)?;
                (Preprocessing::default(), Some(bytes))
            }
        };
        Ok(Self {
            text,
            preprocessing,
            bytes,
            found_for,
        })
    }

    fn source(&self) -> SourceFile<'_> {
        SourceFile {
            name: &self.text.name,
            bytes: self.bytes.as_deref().unwrap_or(&self.text.bytes),
            preprocessing: self.preprocessing.clone(),
            found_for: self.found_for.clone(),
        }
    }
}

/// What the command line says.
fn given(options: &InC) -> Preprocessing {
    let defined = options.define.iter().cloned().map(MacroOption::Define);
    let undefined = options.undefine.iter().cloned().map(MacroOption::Undefine);
    Preprocessing {
        folders: options.folders.clone(),
        macros: defined.chain(undefined).collect(),
        includes: options.include.clone(),
    }
}

/// What a command makes of a file.
fn preprocessed(
    command: &str,
    options: &Preprocessing,
    file: &str,
) -> Result<Vec<u8>, Diagnostics> {
    let problem = |message: String, help: &str| {
        Diagnostics::from(Diagnostic::error(&codes::PREPROCESS, message, help))
    };
    let no_command = "name a command such as 'cc -E', which can be run here";
    let mut words = command.split_whitespace();
    let Some(program) = words.next() else {
        return Err(problem(
            "--preprocess names no command".to_owned(),
            no_command,
        ));
    };
    let mut run = std::process::Command::new(program);
    run.args(words);
    run.args(options.folders.iter().map(|folder| format!("-I{folder}")));
    run.args(options.macros.iter().map(|option| match option {
        MacroOption::Define(definition) => format!("-D{definition}"),
        MacroOption::Undefine(name) => format!("-U{name}"),
    }));
    for name in &options.includes {
        run.args(["-include", name]);
    }
    let run = run.arg(file).stdin(std::process::Stdio::null()).output();
    let output = run.map_err(|e| problem(format!("cannot run {program}: {e}"), no_command))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = reason(&said);
        let help = "mend that; -I and -D of cfgrev are handed on to the command";
        return Err(problem(format!("{program} failed: {said}"), help));
    }
    Ok(output.stdout)
}

/// The line in which a compiler says what is wrong; where the file was included from, and the source itself, stand around it.
fn reason(said: &str) -> &str {
    let mut lines = said.lines().filter(|line| !line.trim().is_empty());
    let first = lines.clone().next();
    let error = lines.find(|line| line.contains("error:"));
    error.or(first).unwrap_or("it says nothing")
}

/// The top of a repository lies at most so many folders above a file, and headers are looked for among so many entries of folders.
const LEVELS: usize = 8;
const ENTRIES: usize = 20_000;

/// Files are read so often with those that define what they lack.
const ROUNDS: usize = 32;

/// Files that C files include, and those around them.
struct Included<'d> {
    /// Files that it does not name are of another program.
    database: Option<&'d Database>,
    /// They are kept for messages.
    texts: Vec<Rc<Text>>,
    /// All files in and below folders.
    walked: BTreeMap<Vec<PathBuf>, Vec<PathBuf>>,
    /// The files of a name around a folder.
    found: BTreeMap<(PathBuf, String), Vec<String>>,
}

impl Included<'_> {
    fn text(&mut self, path: &str) -> Option<Rc<Text>> {
        // Others may have no end, or wait for somebody to write.
        if !std::fs::metadata(path).is_ok_and(|m| m.is_file()) {
            return None;
        }
        // Whatever the reason is that it cannot be read, the message names the file.
        let text = Rc::new(Text {
            name: path.to_owned(),
            bytes: load(path, Language::C, &AtomicU64::new(0)).ok()?,
            language: Language::C,
            places: OnceCell::new(),
        });
        self.texts.push(Rc::clone(&text));
        Some(text)
    }

    /// The files in the folders around; none where there are too many.
    fn files_around(&mut self, folder: &Path) -> &[PathBuf] {
        let tops = tops(folder);
        self.walked
            .entry(tops)
            .or_insert_with_key(|tops| all_files(tops))
    }
}

impl cfg_c::Files for Included<'_> {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        Some(self.text(path)?.bytes.clone())
    }

    fn around(&mut self, path: &str, name: &str) -> Vec<String> {
        let folder = Path::new(path).parent().unwrap_or(Path::new("")).join(".");
        let place = (folder, name.to_owned());
        if let Some(known) = self.found.get(&place) {
            return known.clone();
        }
        let mut found = BTreeMap::new();
        for path in self.files_around(&place.0) {
            if path.ends_with(name) {
                let known = compile_commands::known(path);
                // Whatever includes it, the path is the same, so that it is included once.
                found.insert(known, shortened(path).to_string_lossy().into_owned());
            }
        }
        let found: Vec<String> = found.into_values().collect();
        self.found.insert(place, found.clone());
        found
    }

    fn others_in_c(&mut self, path: &str) -> Vec<(String, Vec<u8>)> {
        let folder = Path::new(path).parent().unwrap_or(Path::new("")).join(".");
        let is_c = |path: &&PathBuf| path.extension().is_some_and(|e| e == "c");
        let paths = self.files_around(&folder).iter().filter(is_c).cloned();
        let mut paths: Vec<PathBuf> = paths.collect();
        paths.sort();
        let files = self.database.map(Database::files);
        let mut left = OTHERS;
        let texts = paths.into_iter().filter_map(|path| {
            let length = std::fs::metadata(&path).ok()?.len();
            left = left.checked_sub(length)?;
            let short = shortened(&path);
            if let Some(files) = &files
                && !files.contains(&compile_commands::known(&short))
            {
                return None;
            }
            let bytes = std::fs::read(&path).ok()?;
            Some((short.to_string_lossy().into_owned(), bytes))
        });
        texts.collect()
    }
}

/// All files in and below folders; none where there are too many.
fn all_files(tops: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = ENTRIES;
    let mut open = tops.to_vec();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            left -= 1;
            if left == 0 {
                // Others of the name may lie in what has not been seen.
                return Vec::new();
            }
            let kind = entry.file_type();
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if kind.as_ref().is_ok_and(|kind| kind.is_dir()) && !hidden {
                open.push(entry.path());
            } else if kind.is_ok_and(|kind| kind.is_file()) {
                found.push(entry.path());
            }
        }
    }
    found
}

/// A path without the folders that it enters and leaves again, if that is the same file.
fn shortened(path: &Path) -> PathBuf {
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
    let [one, other] = [&*short, path].map(std::fs::canonicalize);
    match (one, other) {
        (Ok(one), Ok(other)) if one == other => short,
        _ => path.to_owned(),
    }
}

/// Other files in C are read up to this number of bytes in all, for what they define.
const OTHERS: u64 = 64 << 20;

/// The folders in which, and below which, a header is looked for: the repository, or the file's own folder and what stands beside it.
fn tops(folder: &Path) -> Vec<PathBuf> {
    let above = (0..=LEVELS).scan(folder.to_owned(), |folder, _| {
        let this = folder.clone();
        folder.push("..");
        Some(this)
    });
    if let Some(top) = above
        .into_iter()
        .find(|folder| folder.join(".git").exists())
    {
        return vec![top];
    }
    let beside = ["include", "inc", "src"].map(|name| folder.join("..").join(name));
    std::iter::once(folder.to_owned()).chain(beside).collect()
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
