//! Golden files: plain artefacts that a test compares with and that `BLESS=1` rewrites.

use std::fs;
use std::path::Path;

/// Compares `actual` with the file. With `BLESS=1` in the environment the file is rewritten instead.
///
/// # Panics
/// If they differ (the message shows the first difference), or if the file cannot be written.
#[track_caller]
pub fn golden(path: impl AsRef<Path>, actual: &str) {
    let path = path.as_ref();
    if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        }
        fs::write(path, actual).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        return;
    }
    let expected = match fs::read_to_string(path) {
        Ok(text) => text.replace("\r\n", "\n"),
        Err(e) => panic!("{}: {e}; BLESS=1 writes it", path.display()),
    };
    if let Some(difference) = first_difference(&expected, actual) {
        panic!(
            "{} differs (BLESS=1 rewrites it)\n{difference}",
            path.display()
        );
    }
}

/// Compares the one line of a file that starts so, as a row of a table in a document, as [`golden`] does a file.
///
/// # Panics
/// As [`golden`], and if no line or several start so.
#[track_caller]
pub fn golden_line(path: impl AsRef<Path>, start: &str, actual: &str) {
    let path = path.as_ref();
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let is_it = |line: &&str| line.starts_with(start);
    let found = text.lines().filter(is_it).count();
    assert_eq!(found, 1, "lines of {} with {start}", path.display());
    let lines = text.lines().map(|l| if is_it(&l) { actual } else { l });
    golden(
        path,
        &lines.flat_map(|line| [line, "\n"]).collect::<String>(),
    );
}

/// A message and its help without the names and numbers of a program: words of up to three letters, and those with anything but
/// small letters, are `_`.
pub fn pattern(code: &str, message: &str, help: &str) -> String {
    format!("{code} {}; {}", text_of(message), text_of(help))
}

fn text_of(message: &str) -> String {
    let is_text = |word: &str| {
        let letters = word.trim_matches([',', ';', '.', ':']);
        letters.len() > 3
            && letters
                .chars()
                .all(|c| c.is_ascii_lowercase() || "`'-".contains(c))
    };
    let words = message.split(' ');
    let words = words.map(|word| if is_text(word) { word } else { "_" });
    let mut words: Vec<&str> = words.collect();
    words.dedup();
    words.join(" ")
}

/// The first line in which two texts differ, with its number.
fn first_difference(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (mut old, mut new) = (expected.split('\n'), actual.split('\n'));
    let mut line = 1;
    loop {
        let pair = (old.next(), new.next());
        if pair.0 != pair.1 {
            let show =
                |text: Option<&str>| text.map_or("end of text".to_owned(), |t| format!("{t:?}"));
            return Some(format!(
                "line {line}\n  expected {}\n  actual   {}",
                show(pair.0),
                show(pair.1)
            ));
        }
        line += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        let found = first_difference("a\nb\nc", "a\nx\nc").unwrap_or_default();
        assert!(found.starts_with("line 2\n  expected \"b\""), "{found}");
        let found = first_difference("a", "a\nb").unwrap_or_default();
        assert!(found.contains("expected end of text"), "{found}");
    }

    #[test]
    fn patterns_have_no_names() {
        let message = "the extent of a2 is -7, but b, d, E and `x` are long";
        let found = pattern("V1", message, "make x shorter");
        assert_eq!(found, "V1 _ extent _ long; make _ shorter");
        assert_eq!(text_of("expected; `this`."), "expected; `this`.");
    }

    #[test]
    #[should_panic(expected = "BLESS=1 writes it")]
    fn a_missing_file_is_an_error() {
        if std::env::var_os("BLESS").is_some() {
            panic!("BLESS=1 writes it");
        }
        golden("no such folder/no such file", "text");
    }
}
