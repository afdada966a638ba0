//! Looks for functions and variables that the given files lack in the C files beside and around them, so that a
//! problem can name the file to add, or the file is read without being asked for.

use crate::{
    Files, SourceFile,
    ast::{DeclKind, ExprId, ExprKind, Unit},
    calls::reachable,
    codes,
    preprocess::{External, Kept, preprocess},
    reach::definitions,
    source::Sink,
};
use cfg_core::diagnostic::Severity;
use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path},
    rc::Rc,
};

/// The sentence of messages that says how to choose the files that are read.
pub(crate) const TO_NAME: &str =
    "name it among the files to say so; --only-these reads no others than those that are named";

/// Folders of tests and examples. Their definitions stand in for those of the program, so they count only if a file
/// of such a folder is itself read.
const ASIDE: [&str; 7] = [
    "test", "tests", "example", "examples", "demo", "demos", "bench",
];

/// Variables that functions use and that no file defines.
pub(crate) fn undefined(
    unit: &Unit,
    roots: &[usize],
    given: &[External],
    sink: &Sink,
) -> BTreeSet<String> {
    let used = reachable(unit, roots).into_iter();
    let used = used.flat_map(|f| unit.functions[f].part.clone());
    let names = used.filter_map(|e| match unit.expr(ExprId(e)).kind {
        ExprKind::Name(d) => Some(unit.decl(d)),
        _ => None,
    });
    names
        .filter(|decl| decl.kind == DeclKind::Global && decl.external && !sink.is_header(decl.at))
        .filter(|decl| given.iter().all(|given| given.name.text != decl.name))
        .map(|decl| decl.name.to_string())
        .collect()
}

/// The files around the given ones, and the names that they define. The table is the same however many of them are
/// read in the end.
#[derive(Debug, Default)]
pub(crate) struct Around {
    others: Option<Vec<Other>>,
    /// The files that define each name that was looked for.
    defining: BTreeMap<String, BTreeSet<String>>,
}

/// A file that is not read.
#[derive(Debug)]
struct Other {
    path: String,
    bytes: Vec<u8>,
    /// The functions and variables that the file defines for others, if it is preprocessed like the first file that
    /// is read.
    defined: OnceCell<BTreeSet<Rc<str>>>,
}

impl Around {
    /// Looks for the files that define names.
    fn look_for(
        &mut self,
        names: impl Iterator<Item = String>,
        sources: &[SourceFile<'_>],
        files: &mut dyn Files,
        kept: &mut Kept,
    ) {
        let names = names.filter(|name| !self.defining.contains_key(name));
        let names: BTreeSet<String> = names.collect();
        let Some(first) = sources.first().filter(|_| !names.is_empty()) else {
            return;
        };
        let others = self.others.get_or_insert_with(|| {
            let all = files.others_in_c(first.name).into_iter();
            let all = all.filter(|(path, _)| !is_aside(path, sources));
            all.map(|(path, bytes)| Other {
                path,
                bytes,
                defined: OnceCell::new(),
            })
            .collect()
        });
        for other in others {
            // Searching a text for words is much faster than splitting it into tokens.
            let text = String::from_utf8_lossy(&other.bytes);
            for name in names.iter().filter(|name| may_define(&text, name)) {
                let defined = (other.defined).get_or_init(|| defined(other, first, files, kept));
                if defined.contains(&**name) {
                    let defining = self.defining.entry(name.clone()).or_default();
                    defining.insert(other.path.clone());
                }
            }
        }
        for name in names {
            self.defining.entry(name).or_default();
        }
    }

    /// The files that define a name and are not read.
    fn defining(&self, name: &str, sources: &[SourceFile<'_>]) -> BTreeSet<&str> {
        let all = self.defining.get(name).into_iter().flatten();
        let is_read = |path: &&str| sources.iter().any(|source| source.name == *path);
        all.map(|path| &**path)
            .filter(|path| !is_read(path))
            .collect()
    }
}

/// Adds to each problem of a missing function the files that define it. Returns the files to be read as well, each
/// with the names that it is read for: those that [`meant`] chooses for a function whose absence is an error, or for
/// an undefined variable.
pub(crate) fn name_files(
    around: &mut Around,
    sink: &mut Sink,
    sources: &[SourceFile<'_>],
    files: &mut dyn Files,
    kept: &mut Kept,
) -> BTreeMap<String, Vec<String>> {
    let mut further: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let lacking = std::mem::take(&mut sink.lacking);
    let undefined = std::mem::take(&mut sink.undefined);
    let names = lacking.iter().map(|(_, name)| name).chain(&undefined);
    around.look_for(names.clone().cloned(), sources, files, kept);
    let names = names.map(|name| (&**name, around.defining(name, sources)));
    let names: BTreeMap<&str, BTreeSet<&str>> = names.collect();
    let mut read = |file: &str, name: &str| {
        let others = names[name].iter().copied();
        let others: Vec<&str> = others.filter(|other| *other != file).collect();
        let why = match others.is_empty() {
            true => name.to_owned(),
            false => format!("{name} (defined in {}, too)", others.join(", ")),
        };
        further.entry(file.to_owned()).or_default().insert(why);
    };
    for (k, name) in &lacking {
        let all = &names[&**name];
        let Some(problem) = sink.found.0.get_mut(*k) else {
            continue;
        };
        let told = match meant(all, sources) {
            Some(file) => {
                if problem.severity == Severity::Error && problem.code == codes::FUNCTION.code {
                    read(file, name);
                }
                format!("{file} defines {name}: add it to the command")
            }
            None if all.is_empty() => continue,
            None => {
                let all: Vec<&str> = all.iter().copied().collect();
                let all = all.join(", ");
                format!("{all} define {name}: add the one that is meant to the command")
            }
        };
        problem.help = format!("{told}; {}", problem.help);
    }
    for name in &undefined {
        if let Some(file) = meant(&names[&**name], sources) {
            read(file, name);
        }
    }
    let further = further.into_iter();
    further
        .map(|(file, why)| (file, why.into_iter().collect()))
        .collect()
}

/// The file to take for a name among those that define it: the only one, or the only one in a folder of the files
/// that are read.
fn meant<'f>(all: &BTreeSet<&'f str>, sources: &[SourceFile<'_>]) -> Option<&'f str> {
    let folder = |path: &str| Path::new(path).parent().map(Path::to_owned);
    let is_beside = |path: &&str| {
        let mut folders = sources.iter().map(|source| folder(source.name));
        folders.any(|read| read == folder(path))
    };
    let mut beside = all.iter().copied().filter(is_beside);
    match (beside.next(), beside.next()) {
        (one, None) => one.or_else(|| all.first().copied().filter(|_| all.len() == 1)),
        _ => None,
    }
}

/// True of a file in a folder for tests or examples, unless a file of that folder is read.
fn is_aside(path: &str, sources: &[SourceFile<'_>]) -> bool {
    let path = Path::new(path);
    path.ancestors().skip(1).any(|folder| {
        let is_named = match folder.components().next_back() {
            Some(Component::Normal(name)) => ASIDE.iter().any(|other| name == *other),
            _ => false,
        };
        is_named
            && !sources
                .iter()
                .any(|source| Path::new(source.name).starts_with(folder))
    })
}

/// Most bytes of a list of parameters that are searched for its end.
const MOST_PARAMETERS: usize = 4096;

/// False if no occurrence of a name in a text looks like its definition: behind the parentheses of a call or a
/// declaration stand other signs than behind the parentheses of a definition.
fn may_define(text: &str, name: &str) -> bool {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    text.match_indices(name).any(|(at, _)| {
        let behind = &text[at + name.len()..];
        if text[..at].ends_with(is_word) || behind.starts_with(is_word) {
            return false;
        }
        let behind = behind.trim_start();
        if !behind.starts_with('(') {
            return behind.starts_with([')', '=', ';', ',', '[', '/']);
        }
        let mut depth = 0usize;
        // Longer parentheses decide nothing: the name may be defined.
        let close = behind.bytes().take(MOST_PARAMETERS).position(|b| {
            depth += usize::from(b == b'(');
            depth -= usize::from(b == b')');
            depth == 0
        });
        let Some(close) = close else { return true };
        let behind = behind[close + 1..].trim_start();
        behind.starts_with(is_word)
            || ["{", "/*", "//", "#", "[", "\\"]
                .iter()
                .any(|sign| behind.starts_with(sign))
    })
}

/// The functions and variables that a file defines for others, if it is preprocessed like the first one.
fn defined(
    other: &Other,
    first: &SourceFile<'_>,
    files: &mut dyn Files,
    kept: &mut Kept,
) -> BTreeSet<Rc<str>> {
    let source = SourceFile {
        preprocessing: first.preprocessing.clone(),
        ..SourceFile::new(&other.path, &other.bytes)
    };
    // The file is not part of the program: its problems are dropped.
    let read = preprocess(&source, None, files, kept, &mut Sink::default());
    definitions(&read.tokens)
}
