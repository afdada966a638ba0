//! The commands in the documents do what the documents show.
//!
//! In a ```` ```console ```` block a line `$ cfgrev ...` is run, and the lines after it are what it prints (standard
//! output, then standard error); commands behind `|` are run by the shell. A line `...` stands for any lines. `> FILE`
//! sends the output to a file. `$ cc ...` is run where a compiler is. A block ```` ```json FILE ```` is a file that
//! later commands read. BLESS=1 writes what is printed into the documents, except where `...` stands.

use crate::run_tool::cfgrev_in;
use cfg_testkit::needs;
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The words of a command: blanks separate, single quotes hold together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match (c, quoted) {
            ('\'', _) => quoted = !quoted,
            (' ', false) => words.push(String::new()),
            _ => {
                if let Some(word) = words.last_mut() {
                    word.push(c);
                }
            }
        }
    }
    words.retain(|w| !w.is_empty());
    words
}

/// The parts of a command line between `|`.
fn stages(command: &str) -> Vec<&str> {
    let mut quoted = false;
    let outside = |c: char| {
        quoted ^= c == '\'';
        c == '|' && !quoted
    };
    command.split(outside).map(str::trim).collect()
}

/// True if every shell leaves the words of a command as they are: brackets, braces and stars are quoted.
fn is_quoted(command: &str) -> bool {
    let outside = command.split('\'').step_by(2);
    outside.flat_map(str::chars).all(|c| !"[]{}*?".contains(c))
}

/// Runs a command line, of which the first part is cfgrev, and returns what it prints.
fn run(command: &str, folder: &Path) -> String {
    let all = stages(command);
    let mut words = words(all[0]);
    assert_eq!(words.remove(0), "cfgrev", "{command}");
    let target = words.iter().position(|w| w == ">").map(|at| {
        let target = words.get(at + 1).cloned().expect("a file to write to");
        words.truncate(at);
        target
    });
    let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = cfgrev_in(folder, &arguments, b"");
    let out = match &all[1..] {
        [] => ran.out,
        rest => shell(&rest.join(" | "), folder, &ran.out),
    };
    match target {
        Some(file) => {
            std::fs::write(folder.join(file), out).expect("it can be written");
            ran.err
        }
        None => out + &ran.err,
    }
}

/// Runs a command line by the shell and returns what it prints.
fn shell(command: &str, folder: &Path, input: &str) -> String {
    let mut process = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut stdin = process.stdin.take().expect("it is piped");
    let input = input.to_owned();
    // Fields that the command does not read are not written.
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let out = process.wait_with_output().expect("it ends");
    writer.join().expect("it has written");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(out.status.success(), "{command}: {}", text(&out.stderr));
    text(&out.stdout) + &text(&out.stderr)
}

/// Whether a text is the expected one, in which `...` stands for any lines.
fn matches(expected: &[&str], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((&"...", rest)) => (0..=found.len()).any(|n| matches(rest, &found[n..])),
        Some((first, rest)) => found
            .split_first()
            .is_some_and(|(f, more)| f == first && matches(rest, more)),
    }
}

/// Runs all commands of a document in a folder; the number of them.
fn replay(document: &str, folder: &Path) -> usize {
    let path = root().join(document);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{document}: {e}"));
    let mut blessed = String::new();
    let mut lines = text.lines().peekable();
    let mut count = 0;
    while let Some(line) = lines.next() {
        blessed += &format!("{line}\n");
        let named = ["```json ", "```text "];
        if let Some(file) = named.iter().find_map(|named| line.strip_prefix(named)) {
            let mut content = String::new();
            for line in lines.by_ref().take_while(|l| *l != "```") {
                content += &format!("{line}\n");
            }
            std::fs::write(folder.join(file), &content).expect("it can be written");
            blessed += &format!("{content}```\n");
        } else if line == "```console" {
            while let Some(line) = lines.next_if(|l| *l != "```") {
                blessed += &format!("{line}\n");
                let Some(command) = line.strip_prefix("$ ") else {
                    panic!("{document}: not a command: {line}");
                };
                let mut expected = Vec::new();
                while let Some(l) = lines.next_if(|l| *l != "```" && !l.starts_with("$ ")) {
                    expected.push(l);
                }
                assert!(is_quoted(command), "{document}: quote brackets: {command}");
                let compiles = command.starts_with("cc ") && needs::tool("cc").is_some();
                if !(compiles || command.starts_with("cfgrev ")) {
                    expected.iter().for_each(|l| blessed += &format!("{l}\n"));
                    continue;
                }
                count += 1;
                let found = match compiles {
                    true => shell(command, folder, ""),
                    false => run(command, folder),
                };
                let found: Vec<&str> = found.trim_end().lines().collect();
                if std::env::var_os("BLESS").is_some() && !expected.contains(&"...") {
                    found.iter().for_each(|l| blessed += &format!("{l}\n"));
                    continue;
                }
                expected.iter().for_each(|l| blessed += &format!("{l}\n"));
                assert!(
                    matches(&expected, &found),
                    "{document}: {command} prints\n{}\n(BLESS=1 writes it into the document)",
                    found.join("\n")
                );
            }
        }
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, blessed).expect("it can be written");
    }
    count
}

#[test]
fn the_tutorial() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(replay("docs/tutorial.md", folder.path()) >= 10);
    // The pictures are there.
    for part in ["original", "forward", "adjoint"] {
        let picture = folder.path().join(format!("out/heron.{part}.dot"));
        let text = std::fs::read_to_string(picture).expect("the picture exists");
        assert!(text.starts_with("digraph"), "{text}");
    }
}

#[test]
fn first_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(replay("docs/first-steps.md", folder.path()) >= 6);
}

/// Every program on the page of the text form is one.
#[test]
fn programs_as_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = root().join("docs/text.md");
    let text = std::fs::read_to_string(path).expect("the page exists");
    let mut count = 0;
    for program in text.split("```text\n").skip(1) {
        let program = program.split("```").next().expect("the block has an end");
        std::fs::write(folder.path().join("f.cfgrev"), program).expect("it can be written");
        let found = run("cfgrev validate f.cfgrev", folder.path());
        assert!(found.contains("f.cfgrev: valid"), "{found}");
        count += 1;
    }
    assert!(count >= 2);
}

#[test]
fn memory() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(replay("docs/memory.md", folder.path()) >= 8);
}

#[test]
fn c_out() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(replay("docs/c-out.md", folder.path()) >= 2);
}

#[test]
fn c_in() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(replay("docs/c.md", folder.path()) >= 3);
}

#[test]
fn hessians() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(replay("docs/hessians.md", folder.path()) >= 6);
}

/// The files of a folder, without those of folders in it but for `first`.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("it can be made");
    for entry in from.read_dir().expect("a folder").filter_map(Result::ok) {
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_file() {
            std::fs::copy(&path, to.join(&name)).expect("it can be copied");
        } else if name == "first" {
            copy(&path, &to.join(&name));
        }
    }
}

/// A folder with the fixtures in it, as documents name them.
fn with_fixtures() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&root().join("fixtures"), &folder.path().join("fixtures"));
    folder
}

#[test]
fn commands() {
    assert!(replay("docs/commands.md", with_fixtures().path()) >= 2);
}

/// The commands of the README, and its picture: every word of the graphs that they draw is in it.
#[test]
fn the_readme() {
    let folder = with_fixtures();
    assert!(replay("README.md", folder.path()) >= 3);
    let drawn = folder.path().join("paper.dot");
    let drawn = std::fs::read_to_string(drawn).expect("the README draws it");
    let picture = root().join("docs/paper.svg");
    let picture = std::fs::read_to_string(picture).expect("the picture exists");
    let mut texts: Vec<String> = Vec::new();
    let mut vertices = 0;
    for line in drawn.lines() {
        vertices += usize::from(line.contains("tooltip="));
        if let Some((_, label)) = line.split_once("label=\"") {
            let label = label.split('"').next().unwrap_or_default();
            let lines = label.split("\\n").flat_map(|part| part.split("\\l"));
            texts.extend(lines.filter(|l| !l.is_empty()).map(str::to_owned));
        }
    }
    // Graphviz escapes characters that XML reserves, and `-`.
    let plain = picture.replace("&#45;", "-").replace("&lt;", "<");
    let mut shown: Vec<&str> = plain
        .lines()
        .filter(|l| l.starts_with("<text"))
        .filter_map(|l| l.strip_suffix("</text>")?.rsplit_once("\">"))
        .map(|(_, text)| text)
        .collect();
    shown.sort_unstable();
    texts.sort();
    assert!(vertices > 40, "{drawn}");
    assert_eq!(picture.matches("class=\"node\"").count(), vertices);
    assert_eq!(shown, texts, "draw docs/paper.svg anew, as README.md says");
}

/// The files with this extension in the repository, sorted, without what is built and what links lead to.
fn files(extension: &str) -> Vec<PathBuf> {
    let mut folders = vec![root()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder") {
            let entry = entry.expect("an entry");
            let (path, kind) = (entry.path(), entry.file_type().expect("a type"));
            let name = entry.file_name();
            let built = name == "target" || name.to_string_lossy().starts_with('.');
            if kind.is_dir() && !built {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The lines of a page outside of fenced code.
fn prose(page: &str) -> String {
    let mut fenced = false;
    let mut prose = String::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            prose += line;
            prose.push('\n');
        }
    }
    prose
}

/// Targets of the links and pictures of a page. Code between backquotes has none.
fn links(page: &str) -> Vec<String> {
    let prose = prose(page);
    let paragraphs = prose.split("\n\n");
    let texts = paragraphs.map(|text| text.split('`').step_by(2).collect::<String>());
    let targets = |text: String| -> Vec<String> {
        let rest = text.split("](").skip(1);
        rest.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()))
            .collect()
    };
    texts.flat_map(targets).collect()
}

/// The anchors that GitHub gives the headings of a page: equal ones are numbered.
fn anchors(page: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for heading in prose(page).lines().filter(|l| l.starts_with('#')) {
        let plain = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = plain
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let numbered = (1..).map(|n| format!("{anchor}-{n}"));
        let free = std::iter::once(anchor.clone())
            .chain(numbered)
            .find(|anchor| !anchors.contains(anchor));
        anchors.extend(free);
    }
    anchors
}

#[test]
fn anchors_are_those_of_github() {
    let page = "# `a_b`, C\n```sh\n# no\n```\n## Über 1\n## Über 1\n";
    assert_eq!(anchors(page), ["a_b-c", "über-1", "über-1-1"]);
    let page = "[a](b.md#c) `[x](y)` ![p](q.svg)\n```\n[m](n)\n```\n[`r`](s)\n";
    assert_eq!(links(page), ["b.md#c", "q.svg", "s"]);
}

/// Every relative link leads to a file, and to a heading if it names one; every file of `docs` is in the index, and
/// every picture there on a page.
#[test]
fn links_lead_somewhere() {
    let pages = files("md");
    assert!(pages.len() > 30, "{pages:?}");
    let index = root().join("docs/SUMMARY.md");
    let (mut indexed, mut linked) = (Vec::new(), Vec::new());
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("it is text");
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            if file.contains("://") {
                continue;
            }
            let target = match file {
                "" => page.clone(),
                _ => page.parent().unwrap_or(Path::new(".")).join(file),
            };
            let target = target
                .canonicalize()
                .unwrap_or_else(|e| panic!("{}: {link}: {e}", page.display()));
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(&target).expect("it is text");
                assert!(
                    anchors(&text).iter().any(|a| a == anchor),
                    "{}: {link}: there is no such heading",
                    page.display()
                );
            }
            if page == index {
                indexed.push(target);
            } else {
                linked.push(target);
            }
        }
    }
    for entry in root().join("docs").read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        let file = path.canonicalize().expect("it exists");
        let page = file.extension().is_some_and(|e| e == "md");
        let found = match page {
            true => indexed.contains(&file) || path == index,
            false => linked.contains(&file),
        };
        assert!(found, "{}: nothing leads to it", path.display());
    }
}

/// Messages, comments and documents that name a page of the manual name one that exists.
#[test]
fn pages_that_are_named_exist() {
    let mut named = 0;
    for file in files("rs").into_iter().chain(files("md")) {
        let text = std::fs::read_to_string(&file).expect("it is text");
        for rest in text.split("docs/").skip(1) {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
            let name = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
            if name.ends_with(".md") {
                let page = root().join("docs").join(name);
                assert!(page.is_file(), "{}: docs/{name}", file.display());
                named += 1;
            }
        }
    }
    assert!(named > 40, "{named}");
}

/// Pages that a newcomer reads stay short, in bytes, and their text fits a window of 120 columns.
#[test]
fn pages_for_newcomers_are_short() {
    let pages = [
        ("README.md", 7_000),
        ("CONTRIBUTING.md", 10_000),
        ("ARCHITECTURE.md", 15_000),
        ("BENCHMARKS.md", 15_000),
    ];
    for (page, limit) in pages {
        let text = std::fs::read_to_string(root().join(page)).expect("it is text");
        assert!(text.len() <= limit, "{page}: {} bytes", text.len());
        for line in prose(&text).lines().filter(|l| !l.starts_with('|')) {
            assert!(line.chars().count() <= 120, "{page}: {line}");
        }
    }
}

/// Each promise about hostile input names tests that there are.
#[test]
fn promises_have_their_tests() {
    let text = std::fs::read_to_string(root().join("SECURITY.md")).expect("it is there");
    let promised = text
        .split("## What is not promised")
        .next()
        .unwrap_or_default();
    // `FILE`: `TEST`
    let code: Vec<&str> = promised.split('`').skip(1).step_by(2).collect();
    let mut named = 0;
    for pair in code.windows(2).filter(|pair| pair[0].ends_with(".rs")) {
        let source = std::fs::read_to_string(root().join(pair[0]));
        let source = source.unwrap_or_else(|e| panic!("{}: {e}", pair[0]));
        let start = format!("#[test]\nfn {}() {{", pair[1]);
        let indented = format!("#[test]\n    fn {}() {{", pair[1]);
        assert!(
            source.contains(&start) || source.contains(&indented),
            "{pair:?}"
        );
        named += 1;
    }
    let promises = promised.matches("\n- **").count();
    assert!(
        promises > 5 && named >= 2 * promises,
        "{named} tests of {promises} promises"
    );
}
