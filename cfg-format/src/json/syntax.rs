//! Explanations of the ways in which a text is not JSON, for people who are used to other notations.

use super::scan::{after_number, after_string};

/// The first place at which a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slip {
    /// The offset at which the text is not JSON.
    pub(super) offset: usize,
    pub(super) message: String,
    pub(super) help: String,
}

/// The kind of token that may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// A value; the end of the array instead, if nothing is in it yet.
    Value { or_end: bool },
    /// A name; the end of the object instead, if nothing is in it yet.
    Name { or_end: bool },
    /// The colon after a name.
    Colon,
    /// A comma, or the end of the open list or object.
    Comma,
}

/// The number of slips after which the search ends.
const MOST: usize = 50;

/// Finds the slips of a text. The first one is the first place at which the text is not JSON; there is none if that
/// place has a fault of an unknown kind. Further slips are found as long as the meaning is clear: comments, words and
/// other quotes in place of strings, commas before closing brackets.
pub(super) fn slips(text: &str) -> Vec<Slip> {
    let mut found = Vec::new();
    if let Some(last) = soft_slips(text, &mut found) {
        found.push(last);
    }
    found
}

/// Adds the slips after which reading can go on; returns the one at which it cannot.
fn soft_slips(text: &str, found: &mut Vec<Slip>) -> Option<Slip> {
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut next = Next::Value { or_end: false };
    let mut comma = 0;
    let bytes = text.as_bytes();
    let mut i = 0;
    loop {
        i += bytes[i..]
            .iter()
            .take_while(|b| b.is_ascii_whitespace())
            .count();
        let Some(&byte) = bytes.get(i) else {
            return unclosed(text, &open);
        };
        if found.len() >= MOST {
            return None;
        }
        if let Some((slip, end)) = comment(text, i) {
            found.push(slip);
            i = end;
            continue;
        }
        if open.is_empty() && next == Next::Comma {
            return Some(after_the_end(text, i));
        }
        match (byte, next) {
            (
                b']' | b'}',
                Next::Comma | Next::Value { or_end: true } | Next::Name { or_end: true },
            ) => {
                let (bracket, start) = open.pop()?;
                if (bracket == b'[') != (byte == b']') {
                    return Some(mismatched(text, i, bracket, start));
                }
                next = Next::Comma;
                i += 1;
            }
            (b']' | b'}', Next::Value { or_end: false } | Next::Name { or_end: false })
                if !open.is_empty() && comma > 0 && bytes[comma] == b',' =>
            {
                let close = char::from(byte);
                found.push(Slip {
                    offset: comma,
                    message: format!("a comma before `{close}`"),
                    help: "remove this comma: JSON has none after the last element".to_owned(),
                });
                next = Next::Comma;
            }
            (b',', Next::Comma) => {
                comma = i;
                next = match open.last()?.0 {
                    b'[' => Next::Value { or_end: false },
                    _ => Next::Name { or_end: false },
                };
                i += 1;
            }
            (b':', Next::Colon) => {
                next = Next::Value { or_end: false };
                comma = 0;
                i += 1;
            }
            (b'[' | b'{', Next::Value { .. }) => {
                open.push((byte, i));
                next = match byte {
                    b'[' => Next::Value { or_end: true },
                    _ => Next::Name { or_end: true },
                };
                i += 1;
            }
            (b'"', Next::Value { .. } | Next::Name { .. }) => {
                if let Some(slip) = broken_string(text, i) {
                    return Some(slip);
                }
                i = after_string(bytes, i);
                next = match next {
                    Next::Name { .. } => Next::Colon,
                    Next::Value { .. } | Next::Colon | Next::Comma => Next::Comma,
                };
            }
            (_, Next::Comma) => return Some(no_comma(text, i)),
            (_, Next::Colon) => return Some(no_colon(text, i)),
            (b'[' | b'{', Next::Name { .. }) => {
                let &(bracket, start) = open.last()?;
                return slip(
                    i,
                    format!("`{}` where a name is expected", char::from(byte)),
                    format!(
                        "add `}}` before the comma: the `{}` at {} is still open",
                        char::from(bracket),
                        line_and_column(text, start)
                    ),
                );
            }
            (_, Next::Name { .. }) => {
                i = meant(text, i, true, found)?;
                next = Next::Colon;
            }
            (_, Next::Value { .. }) => {
                let end = after_number(bytes, i);
                // `end` may lie inside a character; the text is no number then.
                i = if text.get(i..end).is_some_and(is_literal) {
                    end
                } else {
                    meant(text, i, false, found)?
                };
                next = Next::Comma;
            }
        }
    }
}

/// Adds the slip of a text in place of a value or a name. Returns its end if its meaning is clear.
fn meant(text: &str, at: usize, name: bool, found: &mut Vec<Slip>) -> Option<usize> {
    let (slip, end) = word(text, at, name)?;
    found.push(slip);
    let after = text[end?..].trim_start();
    let follows: &[char] = if name {
        &[':']
    } else {
        &[',', ']', '}', '/', '#']
    };
    end.filter(|_| after.starts_with(follows))
}

fn slip(offset: usize, message: impl Into<String>, help: impl Into<String>) -> Option<Slip> {
    Some(Slip {
        offset,
        message: message.into(),
        help: help.into(),
    })
}

/// A piece of text for a message, on one line and not too long.
fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let line = text.lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

/// A comment, and where it ends.
fn comment(text: &str, at: usize) -> Option<(Slip, usize)> {
    let rest = &text[at..];
    let end = if rest.starts_with("/*") {
        rest.find("*/").map_or(rest.len(), |end| end + 2)
    } else if ["//", "#"].iter().any(|start| rest.starts_with(start)) {
        rest.find('\n').unwrap_or(rest.len())
    } else {
        return None;
    };
    let help = format!(
        "remove `{}`; text of your own goes into \"annotations\": {{\"comment\": \"...\"}}",
        shown(&rest[..end])
    );
    Some((slip(at, "JSON has no comments", help)?, at + end))
}

/// A string that does not end on its line, or not at all.
fn broken_string(text: &str, at: usize) -> Option<Slip> {
    let end = after_string(text.as_bytes(), at);
    let inside = &text[at..end];
    let read = serde_json::from_str::<serde::de::IgnoredAny>(inside);
    let is_open = end == text.len() && read.is_err_and(|e| e.is_eof());
    let line = inside.find('\n').or(is_open.then_some(inside.len()))?;
    let start = shown(&inside[..line]);
    let message = if inside[line..].is_empty() {
        "the text ends too early"
    } else {
        "a string does not end on its line"
    };
    slip(at, message, format!("close the quote: {start}\""))
}

/// Line and column of an offset, for people.
fn line_and_column(text: &str, at: usize) -> String {
    let (line, column) = super::scan::line_column(text.as_bytes(), at);
    format!("line {line}, column {column}")
}

fn unclosed(text: &str, open: &[(u8, usize)]) -> Option<Slip> {
    let &(bracket, start) = open.last()?;
    let (bracket, close) = (char::from(bracket), closing(bracket));
    slip(
        text.len(),
        "the text ends too early",
        format!(
            "add `{close}`: the `{bracket}` at {} is not closed",
            line_and_column(text, start)
        ),
    )
}

fn closing(bracket: u8) -> char {
    if bracket == b'[' { ']' } else { '}' }
}

fn mismatched(text: &str, at: usize, bracket: u8, start: usize) -> Slip {
    let found = char::from(text.as_bytes()[at]);
    let close = closing(bracket);
    Slip {
        offset: at,
        message: format!("`{found}` where `{close}` is expected"),
        help: format!(
            "add `{close}` before it: the `{}` at {} is still open; or remove this `{found}`",
            char::from(bracket),
            line_and_column(text, start)
        ),
    }
}

fn after_the_end(text: &str, at: usize) -> Slip {
    Slip {
        offset: at,
        message: "more text after the end of the document".to_owned(),
        help: format!(
            "remove `{}`, or a bracket too much before it",
            shown(&text[at..])
        ),
    }
}

fn no_comma(text: &str, at: usize) -> Slip {
    let rest = &text[at..];
    let (message, help) = if rest.starts_with(';') {
        (
            "`;` where a comma is expected",
            "write `,` in place of `;`".to_owned(),
        )
    } else if rest.starts_with(')') {
        (
            "`)` is not JSON",
            "write `]`: lists and expressions stand in square brackets".to_owned(),
        )
    } else if rest.starts_with(':') {
        (
            "`:` where a comma is expected",
            "names and colons stand in an object only: {\"name\": value}".to_owned(),
        )
    } else if rest.starts_with('=') || rest.starts_with('(') {
        let c = &rest[..1];
        return Slip {
            offset: at,
            message: format!("`{c}` is not JSON"),
            help: "expressions are arrays with the operator first: [\"+\", \"x\", 1]".to_owned(),
        };
    } else {
        (
            "a comma is missing",
            format!("write `,` before `{}`", shown(one_token(rest))),
        )
    };
    Slip {
        offset: at,
        message: message.to_owned(),
        help,
    }
}

fn no_colon(text: &str, at: usize) -> Slip {
    let rest = &text[at..];
    let help = if rest.starts_with("=>") || rest.starts_with('=') {
        "write `:` in place of `=`".to_owned()
    } else if rest.starts_with([',', '}', ']']) {
        "an object has names and values, {\"name\": value}; a list stands in square brackets"
            .to_owned()
    } else {
        format!("write `:` before `{}`", shown(one_token(rest)))
    };
    Slip {
        offset: at,
        message: "a colon is missing after the name".to_owned(),
        help,
    }
}

/// The string, word or single character that a text starts with.
fn one_token(rest: &str) -> &str {
    let first = rest.chars().next().map_or(0, char::len_utf8);
    let end = match rest.as_bytes().first() {
        Some(b'"') => after_string(rest.as_bytes(), 0),
        Some(b) if b.is_ascii_alphanumeric() || *b == b'-' => after_number(rest.as_bytes(), 0),
        _ => first,
    };
    &rest[..end.clamp(first, rest.len())]
}

/// The slip of a text in place of a value or a name, and its end if its meaning is clear.
fn word(text: &str, at: usize, name: bool) -> Option<(Slip, Option<usize>)> {
    let rest = &text[at..];
    let first = rest.chars().next()?;
    let quotes = [
        ('\'', '\''),
        ('`', '`'),
        ('“', '”'),
        ('”', '”'),
        ('„', '“'),
        ('‘', '’'),
        ('’', '’'),
        ('«', '»'),
    ];
    if let Some((_, close)) = quotes.iter().find(|q| q.0 == first) {
        let inside = &rest[first.len_utf8()..];
        let inside = &inside[..inside.find([*close, '\n', first]).unwrap_or(inside.len())];
        let after = at + first.len_utf8() + inside.len();
        let closing = text[after..].chars().next().filter(|&c| c != '\n');
        let end = closing.map(|c| after + c.len_utf8());
        let kind = if first == '\'' {
            "single quotes"
        } else {
            "other quotes"
        };
        let help = format!(
            "write {} in double quotes, as all strings and names",
            super::token::quote(inside)
        );
        return Some((slip(at, format!("JSON has no {kind}"), help)?, end));
    }
    if matches!(first, ',') {
        let help = "remove this comma, or write the value that is missing before it";
        return Some((slip(at, "a comma where a value is expected", help)?, None));
    }
    if matches!(first, ')' | '(') {
        let help = "lists and expressions stand in square brackets: [\"sin\", \"x\"]";
        return Some((slip(at, format!("`{first}` is not JSON"), help)?, None));
    }
    let end = rest
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '-')))
        .unwrap_or(rest.len());
    let word = &rest[..end];
    if word.is_empty() {
        return None;
    }
    if !name {
        let ours = match &*word.to_ascii_lowercase() {
            "nan" | "inf" | "infinity" | "-inf" | "-infinity" | "+inf" | "+infinity" => {
                return None;
            }
            "true" | ".true." => Some("true".to_owned()),
            "false" | ".false." => Some("false".to_owned()),
            "null" | "none" | "nil" | "undefined" => Some("null".to_owned()),
            _ => plain_number(word),
        };
        if let Some(ours) = ours {
            let message = format!("`{}` is not JSON", shown(word));
            return Some((slip(at, message, format!("write {ours}"))?, Some(at + end)));
        }
        if word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
            let message = format!("`{}` is not a number of JSON", shown(word));
            let help =
                "write a decimal number, 1, 0.5 or 1e-3; an expression is an array, [\"-\", \"x\"]";
            return Some((slip(at, message, help)?, Some(at + end)));
        }
    }
    let message = format!("`{}` stands without quotes", shown(word));
    let help = format!("write {}", super::token::quote(word));
    Some((slip(at, message, help)?, Some(at + end)))
}

/// JSON's spelling of a number that is written as other languages allow.
fn plain_number(word: &str) -> Option<String> {
    let word = word.strip_prefix('+').unwrap_or(word);
    if !word.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let hexadecimal = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    if let Some(digits) = hexadecimal {
        return i64::from_str_radix(digits, 16).ok().map(|n| n.to_string());
    }
    let word = word.replace('_', "");
    super::infix::number(&word).map(|n| n.to_string())
}

/// True for a number, true, false or null in JSON's spelling; numbers may be out of range.
fn is_literal(word: &str) -> bool {
    if matches!(word, "true" | "false" | "null") {
        return true;
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = word.strip_prefix('-').unwrap_or(word);
    let whole = digits(rest);
    if whole == 0 || whole > 1 && rest.starts_with('0') {
        return false;
    }
    let mut rest = &rest[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let count = digits(exponent);
        if count == 0 {
            return false;
        }
        rest = &exponent[count..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_have_their_cures() {
        for (text, message, help) in [
            ("[1, // one\n 2]", "JSON has no comments", "remove `// one`"),
            (
                "[1 /* one */, 2]",
                "JSON has no comments",
                "remove `/* one */`",
            ),
            ("# a\n[]", "JSON has no comments", "remove `# a`"),
            ("{'a': 1}", "JSON has no single quotes", "write \"a\""),
            ("['a']", "JSON has no single quotes", "write \"a\""),
            ("[“a”]", "JSON has no other quotes", "write \"a\""),
            ("{a: 1}", "`a` stands without quotes", "write \"a\""),
            ("[x]", "`x` stands without quotes", "write \"x\""),
            ("[1, 2,]", "a comma before `]`", "remove this comma"),
            ("{\"a\": 1,}", "a comma before `}`", "remove this comma"),
            ("[1 2]", "a comma is missing", "write `,` before `2`"),
            (
                "[\"a\" \"b\"]",
                "a comma is missing",
                "write `,` before `\"b\"`",
            ),
            (
                "[1,, 2]",
                "a comma where a value is expected",
                "remove this comma",
            ),
            (
                "{\"a\" 1}",
                "a colon is missing after the name",
                "write `:` before `1`",
            ),
            (
                "{\"a\" = 1}",
                "a colon is missing after the name",
                "in place of `=`",
            ),
            (
                "{\"a\", \"b\"}",
                "a colon is missing after the name",
                "square brackets",
            ),
            ("{\"a\": True}", "`True` is not JSON", "write true"),
            ("[None]", "`None` is not JSON", "write null"),
            ("[.5]", "`.5` is not JSON", "write 0.5"),
            ("[1.]", "`1.` is not JSON", "write 1.0"),
            ("[+1]", "`+1` is not JSON", "write 1"),
            ("[1d0]", "`1d0` is not JSON", "write 1.0"),
            ("[0x10]", "`0x10` is not JSON", "write 16"),
            ("[-x]", "`-x` is not a number of JSON", "[\"-\", \"x\"]"),
            ("[1; 2]", "`;` where a comma is expected", "write `,`"),
            ("(1)", "`(` is not JSON", "square brackets"),
            (
                "[1, 2",
                "the text ends too early",
                "the `[` at line 1, column 1 is not closed",
            ),
            (
                "{\"a\": [1}",
                "`}` where `]` is expected",
                "the `[` at line 1, column 7 is still open",
            ),
            (
                "[] x",
                "more text after the end of the document",
                "remove `x`",
            ),
            (
                "[\"a\n\"]",
                "a string does not end on its line",
                "close the quote: \"a\"",
            ),
            (
                "[\"a\\\"",
                "the text ends too early",
                "close the quote: \"a",
            ),
        ] {
            let slips = slips(text);
            let found = slips.first().unwrap_or_else(|| panic!("{text}: nothing"));
            assert_eq!(found.message, message, "{text}");
            assert!(found.help.contains(help), "{text}: {}", found.help);
            assert!(
                serde_json::from_str::<serde_json::Value>(text).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn further_slips_are_found_while_it_is_clear_what_is_meant() {
        for (text, messages) in [
            (
                "{ // a\n 'b': True, /* c */ d: [x,], # e\n \"f\": 1 2, 'g': 3}",
                &[
                    "JSON has no comments",
                    "JSON has no single quotes",
                    "`True` is not JSON",
                    "JSON has no comments",
                    "`d` stands without quotes",
                    "`x` stands without quotes",
                    "a comma before `]`",
                    "JSON has no comments",
                    "a comma is missing",
                ][..],
            ),
            // The meaning of several words is not guessed.
            ("{\"a\": s + x, 'b': 1}", &["`s` stands without quotes"]),
            ("['a, 'b']", &["JSON has no single quotes"]),
            (
                "{a: 1, b = 2, 'c': 3}",
                &["`a` stands without quotes", "`b` stands without quotes"],
            ),
        ] {
            let found = slips(text);
            let found: Vec<&str> = found.iter().map(|slip| &*slip.message).collect();
            assert_eq!(found, messages, "{text}");
        }
        assert_eq!(slips(&"#\n".repeat(2 * MOST)).len(), MOST);
    }

    /// Pieces of text are shown in full up to a length, and cut beyond it.
    #[test]
    fn long_pieces_are_cut() {
        let [most, more] = [40, 41].map(|n| "é".repeat(n));
        assert_eq!(shown(&most), most);
        assert_eq!(shown(&more), format!("{most}..."));
    }

    #[test]
    fn what_is_json_has_none() {
        for text in [
            "[]",
            "{}",
            "null",
            "-0",
            " [1, -2.5e+3, true, {\"a\": [\"//\", \"#\", \"'\"], \"b\\\"\": {}}] ",
            "1e999",
        ] {
            assert_eq!(slips(text), [], "{text}");
        }
    }

    /// The search ends without a panic for any text; if it finds a slip, the text is not JSON.
    #[test]
    fn any_text() {
        let pieces = [
            "\"", "a", "'", "[", "]", "{", "}", ":", ",", "1", "-", ".", "é", "\n", "//", "“",
            "\\", "true", "e",
        ];
        let mut state: u64 = 1;
        for _ in 0..50_000 {
            let mut text = String::new();
            for _ in 0..8 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text += pieces[(state % pieces.len() as u64) as usize];
            }
            if !slips(&text).is_empty() {
                let parsed = serde_json::from_str::<serde_json::Value>(&text);
                assert!(parsed.is_err(), "{text:?}");
            }
        }
    }
}
