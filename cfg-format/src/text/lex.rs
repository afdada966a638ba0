//! The tokens of the text form.

/// A kind of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Identifier or keyword; the place decides which.
    Word,
    /// Name in double quotes, as it stands in the text.
    Quoted,
    /// An integer: digits only.
    Integer,
    /// Number with a point or an exponent; one of 32 bits ends in `f`.
    Real,
    /// Operator or punctuation.
    Symbol,
    /// End of a line that is not empty, or of the text.
    Newline,
    /// A character that begins no token, or a quote that is not closed.
    Bad,
}

/// A token, as a range of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Symbols, longer ones before their beginnings.
const SYMBOLS: [&str; 41] = [
    "<<%", ">>>", "<<", ">>", "+%", "-%", "*%", ":=", "**", "*!", "->", "..", "==", "!=", "<=",
    ">=", "(", ")", "[", "]", "{", "}", ",", ";", ":", "+", "-", "*", "/", "<", ">", "=", "@", "#",
    "&", "|", "!", "^", "%", "?", ".",
];

/// The tokens after which a line goes on in the next.
const OPEN_ENDED: [&str; 27] = [
    "<<%", ">>>", "<<", ">>", "+%", "-%", "*%", "and", "or", "not", ":=", "**", "*!", "==", "!=",
    "<=", ">=", "(", "[", ",", "+", "-", "*", "/", "<", ">", "=",
];

/// All tokens of a text. Comments go from `//` to the end of the line. There are no two newlines in a row, none at
/// the beginning, and one at the end.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    // Some editors begin a file with a byte order mark.
    let mut at = match text.starts_with('\u{feff}') {
        true => '\u{feff}'.len_utf8(),
        false => 0,
    };
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if c == '\n' || c == '\r' && !rest.starts_with("\r\n") {
            (Kind::Newline, 1)
        } else if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            continue;
        } else if is_start(c) {
            let part = |c: char| is_start(c) || c.is_numeric() || c.is_alphanumeric();
            (Kind::Word, rest.find(|c| !part(c)).unwrap_or(rest.len()))
        } else if c == '"' {
            quoted(rest)
        } else if c.is_ascii_digit() || c == '.' && second_is_digit(rest) {
            number(rest)
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            (Kind::Symbol, symbol.len())
        } else {
            (Kind::Bad, c.len_utf8())
        };
        let token = Token {
            kind,
            start: at,
            end: at + length,
        };
        at = token.end;
        if kind == Kind::Newline {
            match found.last() {
                None => continue,
                Some(last) if last.kind == Kind::Newline => continue,
                Some(last) if OPEN_ENDED.contains(&&text[last.start..last.end]) => continue,
                Some(_) => {}
            }
        }
        found.push(token);
    }
    if found.last().is_some_and(|t| t.kind != Kind::Newline) {
        found.push(Token {
            kind: Kind::Newline,
            start: text.len(),
            end: text.len(),
        });
    }
    found
}

/// True if a name may begin with this character.
pub(super) fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn second_is_digit(rest: &str) -> bool {
    rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
}

/// A name in quotes ends on its line.
fn quoted(rest: &str) -> (Kind, usize) {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            '\n' | '\r' => return (Kind::Bad, i),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return (Kind::Quoted, i + 1),
            _ => {}
        }
    }
    (Kind::Bad, rest.len())
}

/// The kind and the length of a number; `1..5` is the integer 1 and two points.
fn number(rest: &str) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let mut end = digits(0);
    let mut kind = Kind::Integer;
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        kind = Kind::Real;
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            kind = Kind::Real;
            end = exponent;
        }
    }
    if kind == Kind::Real && bytes.get(end) == Some(&b'f') {
        end += 1;
    }
    // `2x` and `1d0` are no two tokens.
    let word = |c: char| is_start(c) || c.is_numeric();
    let stuck = rest[end..].find(|c| !word(c)).unwrap_or(rest.len() - end);
    if stuck > 0 {
        return (Kind::Bad, end + stuck);
    }
    (kind, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fall_into_tokens() {
        for (text, expected) in [
            (
                "a := b*!c // d\n\n e",
                vec!["a", ":=", "b", "*!", "c", "\n", "e", ""],
            ),
            (
                "[1] 1..5, ..-2",
                vec!["[", "1", "]", "1", "..", "5", ",", "..", "-", "2", ""],
            ),
            ("1.5f 2. .5 1e-3", vec!["1.5f", "2.", ".5", "1e-3", ""]),
            ("a +\nb,\n c", vec!["a", "+", "b", ",", "c", ""]),
            (
                "\"a \\\" b\" -> 5 #7",
                vec!["\"a \\\" b\"", "->", "5", "#", "7", ""],
            ),
            ("2x 1d0 é$_1", vec!["2x", "1d0", "é$_1", ""]),
            ("\"a\nb", vec!["\"a", "\n", "b", ""]),
        ] {
            let tokens = tokens(text);
            let found: Vec<&str> = tokens.iter().map(|t| &text[t.start..t.end]).collect();
            assert_eq!(found, expected, "{text}");
        }
        let bad = |text| tokens(text)[0].kind == Kind::Bad;
        assert!(bad("2x") && bad("\"a\n") && bad("\u{7}"));
    }
}
