//! `compile_commands.json`: how each file of a project is compiled, as build systems write it
//! (<https://clang.llvm.org/docs/JSONCompilationDatabase.html>).

use crate::codes;
use crate::files::Files;
use cfg_c::{MacroOption, Preprocessing};
use cfg_core::diagnostic::{Diagnostic, Diagnostics};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How a file is compiled.
#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    /// The words of the command. `command` of the file is one text, split as a shell would.
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// How the files of a project are compiled.
pub(super) struct Database {
    name: String,
    entries: Vec<Entry>,
}

fn problem(message: String, help: &str) -> Diagnostics {
    Diagnostic::error(&codes::PREPROCESS, message, help).into()
}

/// Reads a database; for a folder, `compile_commands.json` in it.
pub(super) fn read(path: &Path, files: &mut dyn Files) -> Result<Database, Diagnostics> {
    let path = match files.is_folder(path) {
        true => path.join("compile_commands.json"),
        false => path.to_owned(),
    };
    let name = path.to_string_lossy().into_owned();
    let bytes = files.read_named(&name)?;
    match serde_json::from_slice(&bytes) {
        Ok(entries) => Ok(Database { name, entries }),
        Err(error) => {
            let message = format!("{name} is no compile database: {error}");
            let help =
                "name a file like those that CMake writes with CMAKE_EXPORT_COMPILE_COMMANDS";
            Err(problem(message, help))
        }
    }
}

/// One path for all names of a file: the canonical one if the file exists.
pub(super) fn known(path: &Path, files: &dyn Files) -> PathBuf {
    files.canonical(path).unwrap_or_else(|| path.to_owned())
}

impl Entry {
    fn path(&self, files: &dyn Files) -> PathBuf {
        known(&self.directory.join(&self.file), files)
    }
}

impl Database {
    /// The paths of the files in the database, made unique by [`known`].
    pub(super) fn files(&self, files: &dyn Files) -> BTreeSet<PathBuf> {
        let entries = self.entries.iter();
        entries.map(|entry| entry.path(files)).collect()
    }

    /// How a file is preprocessed: the options of its first entry.
    pub(super) fn preprocessing(
        &self,
        file: &str,
        files: &dyn Files,
    ) -> Result<Preprocessing, Diagnostics> {
        let wanted = known(Path::new(file), files);
        let mut entries = self.entries.iter();
        let entry = entries.find(|entry| entry.path(files) == wanted);
        let Some(entry) = entry else {
            let message = format!("{} says nothing of {file}", self.name);
            let help = "name a file of the project, or give -I and -D themselves";
            return Err(problem(message, help));
        };
        let words = match (&entry.arguments, &entry.command) {
            (Some(words), _) => words.clone(),
            (None, Some(command)) => split(command),
            (None, None) => Vec::new(),
        };
        Ok(options(&words, &entry.directory))
    }
}

/// The words of a command as a shell separates them, without its expansions (variables, patterns).
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => {
                let next = chars.next();
                let kept = quote.is_some() && !matches!(next, Some('"' | '\\' | '$' | '`'));
                let word = word.get_or_insert_default();
                word.extend(kept.then_some('\\'));
                word.extend(next);
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The options for the preprocessor among the words of a compiler's command; relative paths are relative to the
/// folder.
fn options(words: &[String], directory: &Path) -> Preprocessing {
    let path = |name: String| directory.join(name).to_string_lossy().into_owned();
    let mut found = Preprocessing::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let flags = [
            "-isystem",
            "-iquote",
            "-idirafter",
            "-include",
            "-I",
            "-D",
            "-U",
        ];
        let Some(flag) = flags.iter().find(|flag| word.starts_with(**flag)) else {
            continue;
        };
        let value = match &word[flag.len()..] {
            "" => rest.next().cloned(),
            // -include-pch is an option of its own, not -include with a value attached.
            _ if *flag == "-include" => None,
            value => Some(value.to_owned()),
        };
        let Some(value) = value else { continue };
        match *flag {
            "-D" => found.macros.push(MacroOption::Define(value)),
            "-U" => found.macros.push(MacroOption::Undefine(value)),
            "-include" => found.includes.push(path(value)),
            _ => found.folders.push(path(value)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_taken_apart_as_by_a_shell() {
        let words = split(r#"cc  -DA='"x y"' -D "B=1 \"2\" \n" -I\ a '' -c f.c"#);
        let expected = [
            "cc",
            "-DA=\"x y\"",
            "-D",
            "B=1 \"2\" \\n",
            "-I a",
            "",
            "-c",
            "f.c",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn options_of_the_preprocessor_are_found() {
        let line = "cc -O2 -I inc -I/abs -isystem sys -DN=3 -D M -UM -include first.h -include-pch x -c f.c -o f.o";
        let found = options(&split(line), Path::new("/build"));
        assert_eq!(found.folders, ["/build/inc", "/abs", "/build/sys"]);
        assert_eq!(found.includes, ["/build/first.h"]);
        let define = |text: &str| MacroOption::Define(text.to_owned());
        let undefine = MacroOption::Undefine("M".to_owned());
        assert_eq!(found.macros, [define("N=3"), define("M"), undefine]);
    }
}
