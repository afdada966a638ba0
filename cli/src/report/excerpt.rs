//! Excerpts of the lines that diagnostics point at, with the bytes to underline.

use super::Text;
use cfg_core::{
    diagnostic::{Diagnostic, Location},
    text::is_invisible,
};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Longest line that is shown whole, in bytes: as wide as a terminal is shown of it.
const LONGEST_LINE: usize = 4096;

/// Longest excerpt of a longer line, in characters.
const LONGEST: usize = 100;

/// The lines that diagnostics point at, by name of the text and number. Each text is searched once, for all
/// diagnostics: a line may be the whole text.
pub(super) struct Excerpts<'a>(BTreeMap<&'a str, BTreeMap<usize, &'a [u8]>>);

impl<'a> Excerpts<'a> {
    pub(super) fn new(texts: &'a [Rc<Text>], diagnostics: &[Diagnostic]) -> Self {
        let lines = |text: &'a Rc<Text>| (&*text.name, lines(text, diagnostics));
        Self(texts.iter().map(lines).collect())
    }

    /// The excerpt at a place; none where the text is not known or has no such line.
    pub(super) fn at(&self, place: &Location) -> Option<Excerpt> {
        let line = self.0.get(&**place.file.as_ref()?)?.get(&place.line?)?;
        excerpt(line, place.column?, end_in_line(place))
    }
}

/// The column behind the last byte of a place in its first line, if its end is known.
fn end_in_line(place: &Location) -> Option<usize> {
    let (line, column) = place.end?;
    Some(if place.line == Some(line) {
        column
    } else {
        usize::MAX
    })
}

/// The lines of a text that diagnostics point at.
fn lines<'a>(text: &'a Text, diagnostics: &[Diagnostic]) -> BTreeMap<usize, &'a [u8]> {
    let here = diagnostics
        .iter()
        .filter(|d| d.at.file.as_ref() == Some(&text.name));
    let mut wanted: Vec<usize> = here
        .filter_map(|d| d.at.line.filter(|&line| line > 0))
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut lines = BTreeMap::new();
    let mut wanted = wanted.into_iter().peekable();
    let mut rest = Some(text.bytes.as_slice());
    let mut number = 1;
    while let (Some(&next), Some(bytes)) = (wanted.peek(), rest) {
        let end = bytes.iter().position(|&b| b == b'\n');
        if next == number {
            lines.insert(number, &bytes[..end.unwrap_or(bytes.len())]);
            wanted.next();
        }
        rest = end.map(|end| &bytes[end + 1..]);
        number += 1;
    }
    lines
}

/// A part of a line.
#[derive(Debug, PartialEq)]
pub(super) struct Excerpt {
    /// The text.
    pub(super) text: String,
    /// The bytes of it to underline.
    pub(super) span: Range<usize>,
    /// True if the bytes to underline have the same column in the text and in the line: the text is the whole line, and
    /// the characters before are bytes.
    pub(super) has_column: bool,
}

/// The part of a line around a column (from 1, in bytes). The underlined bytes go up to `end`, a column of its own, or
/// to the end of the word or literal at the column.
fn excerpt(line: &[u8], column: usize, end: Option<usize>) -> Option<Excerpt> {
    let at = column.checked_sub(1)?.min(line.len());
    let length = match end {
        Some(end) => end.saturating_sub(column).min(trimmed(&line[at..])),
        None => lexeme(&line[at..]),
    };
    let to = at + length;
    if line.len() <= LONGEST_LINE {
        let [before, marked, after] = [&line[..at], &line[at..to], &line[to..]].map(clean);
        let span = before.len()..before.len() + marked.len();
        let text = before + &marked + &after;
        return Some(Excerpt {
            text,
            span,
            has_column: at + 1 == column && line[..at].is_ascii(),
        });
    }
    // Far enough on both sides for the characters that are shown, however long they are in UTF-8.
    let start = at.saturating_sub(4 * LONGEST);
    let stop = line.len().min(at + 4 * LONGEST);
    let near = clean(&line[start..at]);
    let from_end = near.char_indices().rev().take(LONGEST / 3).last();
    let before = &near[from_end.map_or(0, |(k, _)| k)..];
    let room = LONGEST - before.chars().count();
    let take = |piece: &[u8], most: usize| clean(piece).chars().take(most).collect::<String>();
    let marked = take(&line[at..to.min(stop)], room);
    let after = take(&line[to.min(stop)..stop], room - marked.chars().count());
    let is_cut = [
        start > 0 || before.len() < near.len(),
        stop < line.len() || clean(&line[at..stop]).chars().count() > room,
    ];
    let [first, last] = is_cut.map(|is_cut| if is_cut { "…" } else { "" });
    let from = first.len() + before.len();
    Some(Excerpt {
        span: from..from + marked.len(),
        text: format!("{first}{before}{marked}{after}{last}"),
        has_column: false,
    })
}

/// The text of a piece of a line without invisible characters but tabs, so that marks stand where they should.
fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars()
        .map(|c| match c {
            '\t' => c,
            c if c.is_control() => ' ',
            c if is_invisible(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// The bytes of a piece of a line without spaces at its end.
fn trimmed(piece: &[u8]) -> usize {
    piece.trim_ascii_end().len()
}

/// The bytes of the word, number or string in quotes that a piece of a line begins with, or of one character.
fn lexeme(piece: &[u8]) -> usize {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    match piece {
        [quote @ (b'"' | b'\''), rest @ ..] => {
            let mut escaped = false;
            let close = rest.iter().position(|b| {
                let closes = b == quote && !escaped;
                escaped = *b == b'\\' && !escaped;
                closes
            });
            close.map_or(1, |k| k + 2)
        }
        [first, ..] if is_word(first) => {
            let is_number = first.is_ascii_digit();
            let in_word = |b: &u8| is_word(b) || is_number && *b == b'.';
            piece.iter().take_while(|b| in_word(b)).count()
        }
        [] => 0,
        // All bytes of a character in UTF-8.
        [_, rest @ ..] => 1 + rest.iter().take_while(|b| **b & 0xc0 == 0x80).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::diagnostic::Diagnostic;
    use std::cell::OnceCell;

    /// The excerpt with its underlined part in brackets.
    fn marked(line: &str, column: usize, end: Option<usize>) -> Option<String> {
        let Excerpt { text, span, .. } = excerpt(line.as_bytes(), column, end)?;
        let (from, to) = (&text[..span.start], &text[span.end..]);
        Some(format!("{from}[{}]{to}", &text[span]))
    }

    #[test]
    fn words_literals_and_spans_are_underlined() {
        for (line, column, end, shown) in [
            ("cd", 2, None, "c[d]"),
            ("x_1 = y", 1, None, "[x_1] = y"),
            ("ä = 1", 4, None, "ä [=] 1"),
            ("ä = 1.5e3;", 6, None, "ä = [1.5e3];"),
            ("é+", 1, None, "[é]+"),
            ("a\tb\u{7}", 3, None, "a\t[b] "),
            ("[\"a\\\"b\", 2]", 2, None, "[[\"a\\\"b\"], 2]"),
            ("'open", 1, None, "[']open"),
            ("a = b + c;", 5, Some(10), "a = [b + c];"),
            ("a = b +  ", 5, Some(usize::MAX), "a = [b +]  "),
            ("a = b", 5, Some(3), "a = []b"),
            // Past the end.
            ("ab", 99, None, "ab[]"),
            ("ab", 2, Some(99), "a[b]"),
        ] {
            assert_eq!(
                marked(line, column, end).as_deref(),
                Some(shown),
                "{line} {column}"
            );
        }
        assert_eq!(excerpt(b"ab", 0, None), None);
    }

    #[test]
    fn excerpts_of_long_lines_are_cut() {
        let line = format!("{} ", "x".repeat(LONGEST_LINE - 1));
        let shown = excerpt(line.as_bytes(), 51, None).expect("the line exists");
        assert_eq!((&*shown.text, shown.span), (&*line, 50..LONGEST_LINE - 1));
        let shown = excerpt(format!("{line}x").as_bytes(), 51, None).expect("the line exists");
        assert!(shown.text.contains('…') && !shown.has_column, "{shown:?}");
        let mut line = "x".repeat(1_000_000).into_bytes();
        line[500_000] = b'+';
        for (column, length, underlined) in [
            (500_001, LONGEST + 2, "+".to_owned()),
            (1, LONGEST + 1, "x".repeat(LONGEST)),
            (1_000_000, LONGEST / 3 + 2, "x".to_owned()),
        ] {
            let shown = excerpt(&line, column, None).expect("the line exists");
            assert_eq!(shown.text.chars().count(), length, "{column}");
            assert_eq!(&shown.text[shown.span], underlined, "{column}");
        }
        let wide = "€".repeat(2000);
        let shown = excerpt(wide.as_bytes(), 3001, None).expect("the line exists");
        assert_eq!(&shown.text[shown.span], "€");
    }

    #[test]
    fn lines_are_found() {
        let text = Text {
            name: "f".into(),
            bytes: b"one\n\nthree\nfour".to_vec(),
            language: cfg_languages::JSON,
            places: OnceCell::new(),
        };
        let mut diagnostics = vec![Diagnostic::error(&crate::codes::MORE, "", ""); 5];
        for (d, line) in diagnostics.iter_mut().zip([4, 1, 9, 0, 2]) {
            d.at.file = Some("f".into());
            d.at.line = Some(line);
        }
        diagnostics[1].at.file = Some("g".into());
        let lines = lines(&text, &diagnostics);
        assert_eq!(lines.get(&4), Some(&b"four".as_slice()));
        assert_eq!(lines.get(&2), Some(&b"".as_slice()));
        assert_eq!((lines.get(&1), lines.get(&9)), (None, None));
    }
}
