//! The short spelling of a point: `n=2,a=[2,9]` for `{"n": 2, "a": [2, 9]}`, and its numbers, which JSON on the
//! command line may have, too.

use crate::codes;
use cfg_core::diagnostic::Diagnostic;
use std::borrow::Cow;
use std::fmt::Write as _;

/// True if a text is meant as a point in short form and not as a file or as JSON.
pub(crate) fn is_short(text: &str) -> bool {
    let text = text.trim_start();
    !text.starts_with(['{', '['])
        && text
            .split_once('=')
            .is_some_and(|(name, _)| !name.trim().is_empty())
}

/// A point in short form as a JSON object. Values that are no numbers, logicals or arrays of these are for the reader of
/// JSON to refuse.
pub(crate) fn to_json(text: &str) -> Result<String, Box<Diagnostic>> {
    let (mut json, files) = with_files(text)?;
    if let Some((name, file)) = files.first() {
        return Err(problem(
            format!("{name}=@{file} gives many points, and one is wanted here"),
            "`gradient` and `run` take many points; else write the values themselves".to_owned(),
        ));
    }
    json.push('}');
    Ok(json)
}

/// Names, each with the name of a file.
pub(crate) type Files = Vec<(String, String)>;

/// A point in short form in which `NAME=@FILE` stands for values in files: the JSON object of all others, without the
/// bracket at its end; and the files by name.
pub(crate) fn with_files(text: &str) -> Result<(String, Files), Box<Diagnostic>> {
    let mut json = String::from("{");
    let mut files = Files::new();
    let pieces = split(text);
    for (i, piece) in pieces.iter().enumerate() {
        let Some((name, value)) = piece.split_once('=') else {
            return Err(Box::new(without_name(&pieces, i)));
        };
        let name = name.trim().trim_matches('"');
        let value = value.trim();
        if value.is_empty() {
            return Err(problem(
                format!("{name} has no value"),
                format!("write {name}=1, or {name}=[1,2] for an array"),
            ));
        }
        if let Some(file) = value.strip_prefix('@') {
            files.push((name.to_owned(), file.trim_matches('"').to_owned()));
            continue;
        }
        let name = serde_json::Value::from(name);
        let separator = if json.len() == 1 { "" } else { ", " };
        // Writing to a string does not fail.
        let _ = write!(json, "{separator}{name}: ");
        push_value(value, &mut json)?;
    }
    Ok((json, files))
}

/// The parts between the commas outside brackets and quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    let (mut depth, mut quoted) = (0usize, false);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                pieces.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    // A comma at the end starts no part.
    if pieces.is_empty() || !text[start..].trim().is_empty() {
        pieces.push(&text[start..]);
    }
    pieces
}

fn problem(message: String, help: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&codes::SHORT, message, help))
}

/// A part without `=`: mostly an array without its brackets.
fn without_name(pieces: &[&str], at: usize) -> Diagnostic {
    let named = |piece: &&str| piece.contains('=');
    let piece = pieces[at].trim();
    let first = pieces[..at].iter().rposition(named);
    let Some((name, value)) = first.and_then(|first| {
        let end = at + pieces[at..].iter().take_while(|p| !named(p)).count();
        let (name, value) = pieces[first].split_once('=')?;
        let rest = &pieces[first + 1..end.min(first + 10)];
        let values: Vec<&str> = [value.trim()]
            .into_iter()
            .chain(rest.iter().map(|p| p.trim()))
            .collect();
        Some((name.trim(), values.join(",")))
    }) else {
        return *problem(
            format!("`{piece}` has no name"),
            "write NAME=VALUE,NAME=VALUE".to_owned(),
        );
    };
    *problem(
        format!("`{piece}` has no name"),
        format!("write {name}=[{value}] if it belongs to {name}, or NAME={piece}"),
    )
}

/// A value with its words in JSON's spelling.
fn push_value(value: &str, json: &mut String) -> Result<(), Box<Diagnostic>> {
    for token in tokens(value) {
        match token {
            Token::Mark(mark) => json.push_str(mark),
            Token::Word(word) => match spelled(word) {
                Some(spelled) => json.push_str(&spelled),
                None => {
                    let help = if word.contains('=') {
                        "separate NAME=VALUE and NAME=VALUE by a comma"
                    } else {
                        "write a number, true, false, null, NaN, inf, -inf, or an array of these in brackets"
                    };
                    return Err(problem(
                        format!("`{word}` is not a number"),
                        help.to_owned(),
                    ));
                }
            },
        }
        // Two values in a row stay apart, so the reader of JSON refuses them.
    }
    Ok(())
}

/// JSON text in which numbers may be spelled as in the short form: `.5` and `5.`. All else is for the reader of JSON.
pub(crate) fn with_numbers(text: &str) -> String {
    let words = tokens(text).map(|token| match token {
        Token::Mark(mark) => mark.into(),
        Token::Word(word) => spelled(word).map_or(word.into(), Cow::Owned),
    });
    words.collect()
}

/// A part of a value.
enum Token<'a> {
    /// Quoted text, brackets, what separates, blanks.
    Mark(&'a str),
    /// Anything else: a number or a word.
    Word(&'a str),
}

/// The parts of a value, which together are its text.
fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let is_mark =
        |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '{' | '}' | ',' | ':' | '"');
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match first {
            '"' => quoted(rest),
            mark if is_mark(mark) => mark.len_utf8(),
            _ => rest.find(is_mark).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(match is_mark(first) {
            true => Token::Mark(token),
            false => Token::Word(token),
        })
    })
}

/// The length of the quoted text at the start.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// JSON's spelling of a number or word.
fn spelled(word: &str) -> Option<String> {
    let known = match &*word.to_ascii_lowercase() {
        "true" | "false" | "null" => Some(word.to_ascii_lowercase()),
        "nan" => Some("\"NaN\"".to_owned()),
        "inf" | "+inf" | "infinity" | "+infinity" => Some("\"inf\"".to_owned()),
        "-inf" | "-infinity" => Some("\"-inf\"".to_owned()),
        _ => None,
    };
    if known.is_some() {
        return known;
    }
    let number = word.strip_prefix('+').unwrap_or(word);
    // A number of JSON stays as it is, with all its digits.
    let read = serde_json::from_str::<&serde_json::value::RawValue>(number);
    if number.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && read.is_ok() {
        return Some(number.to_owned());
    }
    let plain = number.replace(['d', 'D'], "e");
    let real: f64 = plain.parse().ok()?;
    let text = format!("{real:?}");
    real.is_finite().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points() {
        for (short, json) in [
            ("n=2", r#"{"n": 2}"#),
            ("n=2,a=[2,9]", r#"{"n": 2, "a": [2,9]}"#),
            (" n = 2 , a = [2, 9] ,", r#"{"n": 2, "a": [2, 9]}"#),
            ("a=[[1,2],[3,4]]", r#"{"a": [[1,2],[3,4]]}"#),
            (
                "x=NaN,y=-inf,z=[inf,1]",
                r#"{"x": "NaN", "y": "-inf", "z": ["inf",1]}"#,
            ),
            (
                "x=.5,y=1.,z=+3,w=1d-3,p=TRUE",
                r#"{"x": 0.5, "y": 1.0, "z": 3, "w": 0.001, "p": true}"#,
            ),
            ("x=NULL,y=null", r#"{"x": null, "y": null}"#),
            ("x=-1e400", r#"{"x": -1e400}"#),
            ("y={\"size\":5}", r#"{"y": {"size":5}}"#),
            ("\"a b\"=1,été=2", r#"{"a b": 1, "été": 2}"#),
            ("x=[1,2", r#"{"x": [1,2}"#),
        ] {
            assert!(is_short(short), "{short}");
            assert_eq!(to_json(short).as_deref(), Ok(json), "{short}");
        }
        for text in ["{\"x\": 1}", " [1]", "point.json", "=1", "", "-"] {
            assert!(!is_short(text), "{text}");
        }
    }

    /// Numbers are spelled in JSON as in the short form, and all else stays as it is.
    #[test]
    fn numbers_in_json() {
        for (text, json) in [
            (r#"{"x": .2}"#, r#"{"x": 0.2}"#),
            (
                r#"{"x": [5., -.5,+3],"n":2 }"#,
                r#"{"x": [5.0, -0.5,3],"n":2 }"#,
            ),
            (r#"{"x": 1e400, "y": nan}"#, r#"{"x": 1e400, "y": "NaN"}"#),
            (r#"{".5": "a\" .5", "b": "#, r#"{".5": "a\" .5", "b": "#),
            (r#"[{"x": 1.}]"#, r#"[{"x": 1.0}]"#),
            (r#"{"x": one, .5.}"#, r#"{"x": one, .5.}"#),
        ] {
            assert_eq!(with_numbers(text), json, "{text}");
        }
    }

    #[test]
    fn mistakes() {
        for (short, message, help) in [
            ("a=2,9", "`9` has no name", "a=[2,9]"),
            ("n=1,a=2,3,4,b=1", "`3` has no name", "a=[2,3,4]"),
            ("5,a=1", "`5` has no name", "NAME=VALUE"),
            ("x=one", "`one` is not a number", "write a number"),
            ("x=1 y=2", "`y=2` is not a number", "by a comma"),
            ("x=", "x has no value", "x=1"),
            ("n=1,x=@a.npy", "x=@a.npy gives many points", "`gradient`"),
        ] {
            let found = to_json(short).expect_err(short);
            assert!(found.message.contains(message), "{short}");
            assert!(found.help.contains(help), "{short}: {}", found.help);
        }
    }

    #[test]
    fn files() {
        let found = with_files("n=2, x = @a.npy ,b=[1,2],y=@\"a b,c.npy\"");
        let (json, files) = found.expect("it is read");
        assert_eq!(json, r#"{"n": 2, "b": [1,2]"#);
        let expected = [("x", "a.npy"), ("y", "a b,c.npy")];
        assert_eq!(files, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    /// Reading ends without a panic, whatever the text.
    #[test]
    fn any_text() {
        let pieces = [
            "a", "=", ",", "[", "]", "1", ".", "-", "\"", "é", " ", "{", "}", ":", "inf",
        ];
        let mut state: u64 = 1;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..10 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text += pieces[(state % pieces.len() as u64) as usize];
            }
            let _ = (is_short(&text), to_json(&text), with_numbers(&text));
        }
    }
}
