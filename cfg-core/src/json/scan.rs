//! A quick look over the bytes before they are parsed: depth of nesting, and numbers that the parser
//! would take for something else.

use memchr::{memchr_iter, memchr2, memrchr};

/// Deepest nesting of arrays and objects. An expression of [`crate::ir::Expr::MAX_DEPTH`] levels takes
/// two arrays per level at worst (a range in a subscript), and stands about ten levels deep.
pub(super) const MAX_NESTING: usize = 256;

/// Counts nesting over a text that comes in pieces, so that a gigabyte of `[` needs no memory.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// Looks at the next piece; the offset in it at which the nesting became too deep.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Option<usize> {
        let mut i = 0;
        while i < piece.len() {
            if self.in_string {
                i = self.string(piece, i);
                continue;
            }
            match piece[i] {
                b'"' => self.in_string = true,
                b'[' | b'{' => {
                    self.depth += 1;
                    if self.depth > MAX_NESTING {
                        return Some(i);
                    }
                }
                b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            i += 1;
        }
        None
    }

    /// Goes on inside a string; the offset after what was looked at.
    fn string(&mut self, piece: &[u8], mut i: usize) -> usize {
        if std::mem::take(&mut self.escaped) {
            i += 1;
        }
        while let Some(offset) = piece.get(i..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
            i += offset;
            if piece[i] == b'"' {
                self.in_string = false;
                return i + 1;
            }
            i += 2;
        }
        // An escape may be cut in two.
        self.escaped = i > piece.len();
        piece.len()
    }
}

/// What is odd about a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OddNumber {
    /// An integer beyond 64 bits: serde_json would make it a real.
    Wide,
    /// `-0`: serde_json would make it the real -0.0.
    NegativeZero,
}

/// Looks over a whole text, in one pass: offsets of integers that serde_json would read as reals, at
/// most `limit` of them; or the offset at which arrays and objects nest too deep.
pub(super) fn scan(text: &[u8], limit: usize) -> Result<Vec<(usize, OddNumber)>, usize> {
    let mut found = Vec::new();
    let mut depth = 0usize;
    let mut i = 0;
    while i < text.len() {
        match text[i] {
            b'"' => {
                i = after_string(text, i);
                continue;
            }
            b'-' | b'0'..=b'9' => {
                let end = after_number(text, i);
                // 18 digits always fit.
                if (end - i >= 19 || &text[i..end] == b"-0")
                    && let Some(odd) = odd(&text[i..end])
                    && found.len() < limit
                {
                    found.push((i, odd));
                }
                i = end;
                continue;
            }
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_NESTING {
                    return Err(i);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        i += 1;
    }
    Ok(found)
}

/// The offset after the string that starts here.
pub(super) fn after_string(text: &[u8], start: usize) -> usize {
    let mut i = start + 1;
    while let Some(offset) = text.get(i..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        i += offset;
        if text[i] == b'"' {
            return i + 1;
        }
        i += 2;
    }
    text.len()
}

/// The offset after the number (or other bare word) that starts here.
pub(super) fn after_number(text: &[u8], start: usize) -> usize {
    let mut i = start + 1;
    while i < text.len()
        && matches!(text[i], b'0'..=b'9' | b'.' | b'+' | b'-' | b'a'..=b'z' | b'A'..=b'Z')
    {
        i += 1;
    }
    i
}

fn odd(number: &[u8]) -> Option<OddNumber> {
    if number == b"-0" {
        return Some(OddNumber::NegativeZero);
    }
    if number.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) {
        return None;
    }
    let text = std::str::from_utf8(number).ok()?;
    match text.parse::<i64>() {
        Ok(_) => None,
        Err(e) => match e.kind() {
            std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                Some(OddNumber::Wide)
            }
            _ => None,
        },
    }
}

/// Line and column, from 1, of a byte offset; columns count bytes.
pub(super) fn line_column(text: &[u8], offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line = memchr_iter(b'\n', before).count() + 1;
    let column = before.len() - memrchr(b'\n', before).map_or(0, |i| i + 1) + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_does_not_depend_on_the_pieces() {
        let deep = "[".repeat(MAX_NESTING);
        let texts = [
            format!("{{\"a\\\\\": \"[[\\\"[[\", \"b\": {deep}"),
            format!("[\"\\\\\\\"[\\\\\", {deep}"),
            format!("\"{deep}{deep}\\\"{deep}"),
        ];
        for text in &texts {
            let text = text.as_bytes();
            let whole = scan(text, 0).err();
            for size in 1..8 {
                let mut nesting = Nesting::default();
                let mut found = None;
                for (i, piece) in text.chunks(size).enumerate() {
                    found = found.or(nesting.feed(piece).map(|offset| i * size + offset));
                }
                assert_eq!(found, whole);
            }
        }
        assert!(scan(texts[0].as_bytes(), 0).is_err());
        assert!(scan(texts[2].as_bytes(), 0).is_ok());
    }

    #[test]
    fn odd_numbers_are_found() {
        let text = b"[1, -0, -0.0, \"-0\", 9223372036854775807, 9223372036854775808, -9223372036854775809, 1e30]";
        let found = scan(text, 9).unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], (4, OddNumber::NegativeZero));
        assert_eq!(found[1].1, OddNumber::Wide);
        assert_eq!(&text[found[2].0..][..3], b"-92");
        assert_eq!(scan(text, 2).unwrap().len(), 2);
    }

    #[test]
    fn lines_and_columns() {
        assert_eq!(line_column(b"", 0), (1, 1));
        assert_eq!(line_column(b"ab\ncd", 4), (2, 2));
        assert_eq!(line_column(b"ab\n", 9), (2, 1));
    }
}
