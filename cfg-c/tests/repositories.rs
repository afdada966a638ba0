//! Changed files of public repositories: each is read or refused with a reason; nothing panics or hangs, and a change
//! inside of the function that the compiler refuses is refused here.
//!
//! `CFGREV_REPOSITORIES` names the folder with the repositories of `tests/repositories`; without it nothing runs.
//! `CFGREV_MUTATIONS` sets how many files are drawn, `CFGREV_FIRST` the first seed, `CFGREV_SAMPLED` how many of those
//! that are read the compiler sees, too.

#![allow(clippy::print_stderr, reason = "a long run says how far it is")]

#[path = "../../fuzz/bodies/c_changes.rs"]
mod c_changes;

use cfg_c::{Files, MacroOption, Options, Preprocessing, SourceFile};
use cfg_testkit::{
    needs,
    rng::Rng,
    seeds::{each_seed, setting},
};
use std::{
    io::Write as _,
    ops::{Range, RangeInclusive},
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// The longest that one file may take to be read, in a build that is optimised.
const LONGEST: Duration = Duration::from_secs(60);

/// A function of the list, and how its file is read and compiled.
struct Listed {
    path: String,
    text: String,
    /// Where the function stands in the text, if it is found.
    function: Option<Range<usize>>,
    others: Vec<(String, Vec<u8>)>,
    preprocessing: Preprocessing,
    options: Options,
    /// The flags of the compiler.
    flags: Vec<String>,
}

struct Disk;

impl Files for Disk {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        let is_file = std::fs::metadata(path).is_ok_and(|m| m.is_file());
        is_file.then(|| std::fs::read(path).ok()).flatten()
    }
}

/// Where a function is defined, its body with it.
fn definition(text: &str, name: &str) -> Option<Range<usize>> {
    // The end of a pair of brackets. Brackets in texts and comments count, so a range can be wrong, but it lies in
    // the file.
    let closed = |from: usize, open: char, close: char| {
        let mut depth = 0;
        text[from..].char_indices().find_map(|(k, c)| {
            depth += i32::from(c == open) - i32::from(c == close);
            (depth == 0).then_some(from + k + 1)
        })
    };
    text.match_indices(name).find_map(|(at, _)| {
        let behind = text[at + name.len()..].trim_start();
        let is_part = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if is_part || !behind.starts_with('(') {
            return None;
        }
        let end = closed(text.len() - behind.len(), '(', ')')?;
        let body = text[end..].trim_start();
        if !body.starts_with('{') {
            return None;
        }
        Some(at..closed(text.len() - body.len(), '{', '}')?)
    })
}

/// The functions of the list whose files are there.
fn listed(repositories: &Path) -> Vec<Listed> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/repositories");
    let list = std::fs::read_to_string(here.join("points.jsonl")).expect("the list is there");
    let mut all = Vec::new();
    for line in list.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let file = line["file"].as_str().expect("a file");
        let repository = repositories.join(file.split('/').next().unwrap_or_default());
        let repository = repository.to_string_lossy().into_owned();
        let words = |name: &str| -> Vec<String> {
            let words = line[name].as_array().into_iter().flatten();
            let words = words.map(|word| word.as_str().expect("text"));
            let words = words.map(|word| word.replace("{repo}", &repository));
            words
                .map(|word| word.replace("{here}", &here.to_string_lossy()))
                .collect()
        };
        let path = repositories.join(file).to_string_lossy().into_owned();
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        let name = line["function"].as_str().expect("a name");
        let mut preprocessing = Preprocessing::default();
        let mut options = Options {
            routine: Some(line["routine"].as_str().unwrap_or(name).to_owned()),
            ..Options::default()
        };
        let mut others = Vec::new();
        let mut given = words("options").into_iter();
        while let Some(word) = given.next() {
            let mut value = || given.next().expect("a value");
            match word.as_str() {
                "-I" => preprocessing.folders.push(value()),
                "-D" => preprocessing.macros.push(MacroOption::Define(value())),
                "-U" => preprocessing.macros.push(MacroOption::Undefine(value())),
                "-include" => preprocessing.includes.push(value()),
                "--external" => options.externals.push(value()),
                "--no-diff" => options.passive.push(value()),
                "--type" => options.types.push(value()),
                option if option.starts_with('-') => {}
                other => others.extend(std::fs::read(other).map(|bytes| (other.to_owned(), bytes))),
            }
        }
        let flags = words("gcc").into_iter();
        let macros = preprocessing.macros.iter().map(|option| match option {
            MacroOption::Define(definition) => format!("-D{definition}"),
            MacroOption::Undefine(name) => format!("-U{name}"),
        });
        let text = String::from_utf8_lossy(&bytes).into_owned();
        all.push(Listed {
            function: definition(&text, name),
            path,
            text,
            others,
            flags: flags.chain(macros).collect(),
            preprocessing,
            options,
        });
    }
    all
}

impl Listed {
    /// Reads a changed text of the file; true if there is a program.
    fn read(&self, text: &str) -> bool {
        let first = (self.path.as_str(), text.as_bytes());
        let others = self.others.iter();
        let others = others.map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
        let sources = std::iter::once(first).chain(others);
        let sources: Vec<SourceFile<'_>> = sources
            .map(|(name, bytes)| SourceFile {
                preprocessing: self.preprocessing.clone(),
                ..SourceFile::new(name, bytes)
            })
            .collect();
        let read = cfg_c::read_c(&sources, &self.options, &mut Disk);
        assert!(
            read.program.is_some() != read.problems.has_errors(),
            "a program, or errors"
        );
        read.program.is_some()
    }

    /// The errors of the compiler in a text of the file, none if it compiles.
    fn complaint(&self, cc: &Path, text: &str) -> Option<String> {
        let folder = Path::new(&self.path).parent().expect("a folder");
        let mut run = Command::new(cc);
        run.args([
            "-std=gnu11",
            "-fsyntax-only",
            // An error in what a macro expands to is one where the macro stands.
            "-ftrack-macro-expansion=0",
            "-w",
            "-x",
            "c",
            "-",
            "-iquote",
        ])
        .arg(folder);
        run.args(self.preprocessing.folders.iter().map(|f| format!("-I{f}")));
        run.args(&self.flags)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped());
        let mut run = run.spawn().expect("the compiler runs");
        let stdin = run.stdin.take().expect("it has one");
        // The compiler may end before it has read everything.
        let _ = { stdin }.write_all(text.as_bytes());
        let output = run.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        (!output.status.success()).then(|| said.into_owned())
    }
}

/// The first of the errors in these lines of the text; pragmas mean nothing, wherever they stand.
fn first_in<'s>(said: &'s str, lines: &RangeInclusive<usize>) -> Option<&'s str> {
    said.lines().find(|line| {
        let place = line.strip_prefix("<stdin>:");
        let place = place.and_then(|place| place.split(':').next()?.parse().ok());
        place.is_some_and(|line| lines.contains(&line))
            && line.contains("error: ")
            && !line.contains("#pragma")
    })
}

#[test]
fn changed_files_of_repositories() {
    let Some(repositories) = std::env::var_os("CFGREV_REPOSITORIES") else {
        return;
    };
    let all = listed(Path::new(&repositories));
    assert!(!all.is_empty(), "the repositories are there");
    let (first, count) = (setting("CFGREV_FIRST", 0), setting("CFGREV_MUTATIONS", 200));
    let (read, bad) = (AtomicU64::new(0), AtomicU64::new(0));
    each_seed(first..first + count, |seed| {
        let mut rng = Rng::new(seed);
        let one = &all[rng.below(all.len())];
        let other = &all[rng.below(all.len())].text;
        let part = match &one.function {
            Some(range) if rng.below(2) == 0 => range.clone(),
            _ => 0..one.text.len(),
        };
        let mut changed = one.text[part.clone()].to_owned();
        for _ in 0..1 + rng.below(4) {
            changed = c_changes::change(&changed, other, &mut rng);
        }
        let text = [&one.text[..part.start], &changed, &one.text[part.end..]].concat();
        let started = Instant::now();
        let result = std::panic::catch_unwind(|| one.read(&text));
        let took = started.elapsed();
        if let Ok(is_read) = &result {
            read.fetch_add(u64::from(*is_read), Ordering::Relaxed);
        }
        if result.is_err() || took > LONGEST {
            eprintln!("seed {seed} ({}) took {took:?}: {result:?}", one.path);
            bad.fetch_add(1, Ordering::Relaxed);
        }
    });
    eprintln!("{count} files, {} are read", read.into_inner());
    assert_eq!(bad.into_inner(), 0);
}

#[test]
fn refused_changes_are_refused() {
    let Some(repositories) = std::env::var_os("CFGREV_REPOSITORIES") else {
        return;
    };
    let Some(cc) = needs::tool("cc") else { return };
    let mut all = listed(Path::new(&repositories));
    all.retain(|one| {
        one.function.is_some() && one.complaint(&cc, &one.text).is_none() && one.read(&one.text)
    });
    assert!(!all.is_empty(), "the repositories are there");
    let mut left = setting("CFGREV_SAMPLED", 20);
    let (mut accepted, mut elsewhere, mut seed) = (0, 0, setting("CFGREV_FIRST", 0));
    while left > 0 {
        seed += 1;
        let mut rng = Rng::new(seed);
        let one = &all[rng.below(all.len())];
        let other = &all[rng.below(all.len())].text;
        // Changes stay between the name and the closing brace: everything else belongs to other declarations.
        let mut part = one.function.clone().expect("it was found");
        part.end -= 1;
        let function = &one.text[part.clone()];
        let changed = c_changes::change(function, other, &mut rng);
        let text = [&one.text[..part.start], &changed, &one.text[part.end..]].concat();
        let name = function.split('(').next().unwrap_or_default();
        if text == one.text || !changed.starts_with(name) || !one.read(&text) {
            continue;
        }
        let said = one.complaint(&cc, &text).unwrap_or_default();
        // The reader warns of a missing header; the compiler stops there.
        if said.contains("No such file or directory") {
            continue;
        }
        left -= 1;
        elsewhere += usize::from(!said.is_empty());
        // Code that is not reached may hold anything.
        let line = |end: usize| 1 + text[..end].matches('\n').count();
        let lines = line(part.start)..=line(part.start + changed.len() + 1);
        if let Some(complaint) = first_in(&said, &lines) {
            eprintln!("seed {seed} ({}): {complaint}", one.path);
            accepted += 1;
        }
    }
    elsewhere -= accepted;
    eprintln!(
        "{} functions, {seed} seeds, errors elsewhere only: {elsewhere}",
        all.len()
    );
    assert_eq!(accepted, 0, "the compiler refuses what is read");
}
