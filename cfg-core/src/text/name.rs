//! Names: plain if they are identifiers, quoted otherwise.

use std::fmt::{self, Write as _};

/// Prints a name: as it is if it is an identifier that means nothing else in the text form, otherwise
/// in double quotes, with quotes, backslashes, control characters and characters that reorder or hide
/// text escaped.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a>(pub &'a str);

/// Text of unknown source, made safe to show: characters that a terminal would obey, and characters that hide or
/// reorder text, are escaped as in `\u{202e}`. Line ends stay.
#[derive(Clone, Copy, Debug)]
pub struct Visible<'a>(pub &'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(|c| c != '\n' && is_invisible(c)) {
            let (plain, from) = rest.split_at(at);
            f.write_str(plain)?;
            let mut chars = from.chars();
            match chars.next() {
                Some('\t') => f.write_char(' ')?,
                Some(c) => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                None => {}
            }
            rest = chars.as_str();
        }
        f.write_str(rest)
    }
}

/// Words of the text form that would not be read as names inside an expression or at the start of a statement.
const WORDS: &[&str] = &[
    "absent", "and", "call", "false", "inf", "inff", "nan", "nanf", "not", "opaque", "or", "pop",
    "push", "select", "stop", "true",
];

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_identifier(self.0) && WORDS.binary_search(&self.0).is_err() {
            f.write_str(self.0)
        } else {
            write_quoted(f, self.0)
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
        && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

/// Writes `text` in double quotes, on one line, without characters that a terminal would obey.
pub(crate) fn write_quoted(out: &mut impl fmt::Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            c if is_invisible(c) => write!(out, "\\u{{{:x}}}", u32::from(c))?,
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}

/// Control characters, line separators, the format characters that reorder or hide text (Unicode
/// UTR 36; "Trojan Source", Boucher and Anderson 2021), and those that XML forbids.
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_has_nothing_invisible_and_keeps_all_the_rest() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}{c}b");
            let shown = Visible(&text).to_string();
            assert!(
                !shown.chars().any(|c| c != '\n' && is_invisible(c)),
                "{c:?}"
            );
            if c == '\n' || !is_invisible(c) {
                assert_eq!(shown, text);
            } else if c != '\t' {
                let escape = format!("\\u{{{:x}}}", u32::from(c));
                assert_eq!(shown, format!("a{escape}{escape}b"));
            }
        }
    }
}
