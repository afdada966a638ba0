//! A quick scan of the bytes before parsing: depth of nesting, and numbers that the parser would misread.

use memchr::{memchr_iter, memchr2, memrchr};

/// Deepest nesting of arrays and objects. An expression of [`cfg_core::ir::Expr::MAX_DEPTH`] levels takes
/// two arrays per level at worst (a range in a subscript), and stands about ten levels deep.
pub(super) const MAX_NESTING: usize = 256;

/// Most digits in a row. The longest decimal that a binary64 needs to be exact has 1075.
pub(super) const MAX_DIGITS: usize = 4096;

/// The reason why a text is not read any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hopeless {
    /// Arrays and objects nest too deep.
    Deep,
    /// A number has too many digits.
    Digits,
}

/// Counts nesting and digits of a text that comes in pieces, so that a gigabyte of `[` or `1` takes no memory.
#[derive(Debug, Default)]
pub(super) struct Outlook {
    depth: usize,
    digits: usize,
    in_string: bool,
    escaped: bool,
}

/// The size of a block of bytes that is scanned at once if no string, array, object or number begins or ends in it.
const BLOCK: usize = 64;

impl Outlook {
    /// Scans the next piece; returns the offset at which reading has to stop, and the reason.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Option<(usize, Hopeless)> {
        let mut i = 0;
        while i < piece.len() {
            if self.in_string {
                i = self.string(piece, i);
                continue;
            }
            let block = &piece[i..piece.len().min(i + BLOCK)];
            if !block.iter().fold(false, |any, &b| any | is_structure(b)) {
                if let Some(offset) = self.plain(block) {
                    return Some((i + offset, Hopeless::Digits));
                }
                i += block.len();
                continue;
            }
            let end = i + block.len();
            while i < end && !self.in_string {
                let byte = piece[i];
                if byte.is_ascii_digit() {
                    self.digits += 1;
                    if self.digits > MAX_DIGITS {
                        return Some((i, Hopeless::Digits));
                    }
                } else {
                    self.digits = 0;
                    match byte {
                        b'"' => self.in_string = true,
                        b'[' | b'{' => {
                            self.depth += 1;
                            if self.depth > MAX_NESTING {
                                return Some((i, Hopeless::Deep));
                            }
                        }
                        b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                        _ => {}
                    }
                }
                i += 1;
            }
        }
        None
    }

    /// Scans bytes without structure; the offset of the first digit too many.
    fn plain(&mut self, block: &[u8]) -> Option<usize> {
        let first = block.iter().take_while(|b| b.is_ascii_digit()).count();
        if self.digits + first > MAX_DIGITS {
            return Some(MAX_DIGITS - self.digits);
        }
        if first == block.len() {
            self.digits += first;
        } else {
            let last = block.iter().rev().take_while(|b| b.is_ascii_digit());
            self.digits = last.count();
        }
        None
    }

    /// Scans on inside a string and returns the offset behind the scanned part.
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

fn is_structure(byte: u8) -> bool {
    matches!(byte, b'"' | b'[' | b']' | b'{' | b'}')
}

/// The oddity of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OddNumber {
    /// An integer beyond 64 bits: serde_json would make it a real.
    Wide,
    /// `-0`: serde_json would make it the real -0.0.
    NegativeZero,
}

/// Scans a whole text, in one pass. Returns the offsets of integers that serde_json would read as reals, at most
/// `limit` of them; or the offset at which reading has to stop.
pub(super) fn scan(
    text: &[u8],
    limit: usize,
) -> Result<Vec<(usize, OddNumber)>, (usize, Hopeless)> {
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
                if end - i > MAX_DIGITS
                    && let Some((offset, why)) = Outlook::default().feed(&text[i..end])
                {
                    return Err((i + offset, why));
                }
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
                    return Err((i, Hopeless::Deep));
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b' ' => {
                i += blanks(&text[i..]);
                continue;
            }
            _ => {}
        }
        i += 1;
    }
    Ok(found)
}

/// The number of spaces that a text begins with.
fn blanks(text: &[u8]) -> usize {
    let mut i = 0;
    while let Some(block) = text.get(i..i + BLOCK)
        && block.iter().fold(true, |all, &b| all & (b == b' '))
    {
        i += BLOCK;
    }
    i + text[i..].iter().take_while(|b| **b == b' ').count()
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

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the standard library may add kinds of errors"
)]
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
        // A positive integer may be a value of `uint64`, which the reader of the place decides.
        Err(_) if text.parse::<u64>().is_ok() => None,
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
            for size in (1..8).chain([63, 64, 65, 200]) {
                assert_eq!(in_pieces(text, size), whole);
            }
        }
        assert!(scan(texts[0].as_bytes(), 0).is_err());
        assert!(scan(texts[2].as_bytes(), 0).is_ok());
    }

    #[test]
    fn as_deep_as_allowed_and_one_deeper() {
        for bracket in ["[", "{"] {
            let deep = bracket.repeat(MAX_NESTING);
            assert_eq!(in_pieces(deep.as_bytes(), 7), None);
            assert!(scan(deep.as_bytes(), 0).is_ok());
            let deeper = bracket.repeat(MAX_NESTING + 1);
            let problem = Some((MAX_NESTING, Hopeless::Deep));
            assert_eq!(in_pieces(deeper.as_bytes(), 7), problem);
            assert_eq!(scan(deeper.as_bytes(), 0).err(), problem);
        }
    }

    fn in_pieces(text: &[u8], size: usize) -> Option<(usize, Hopeless)> {
        let mut outlook = Outlook::default();
        let mut pieces = text.chunks(size).enumerate();
        pieces.find_map(|(i, piece)| {
            let (offset, why) = outlook.feed(piece)?;
            Some((i * size + offset, why))
        })
    }

    #[test]
    fn digits_in_a_row_are_counted() {
        for (before, after) in [("", ""), ("[1, -0.", "e5]"), ("{\"a\": 12.", "")] {
            let digits = |n: usize| format!("{before}{}{after}", "7".repeat(n)).into_bytes();
            let odd = Some((before.len() + MAX_DIGITS, Hopeless::Digits));
            assert_eq!(scan(&digits(MAX_DIGITS), 9).err(), None);
            assert_eq!(scan(&digits(MAX_DIGITS + 1), 9).err(), odd);
            for size in [1, 7, 63, 64, 65, 1000, 5000] {
                assert_eq!(in_pieces(&digits(MAX_DIGITS), size), None);
                assert_eq!(in_pieces(&digits(MAX_DIGITS + 1), size), odd);
            }
        }
        let text = format!("\"{}\"", "7".repeat(MAX_DIGITS + 9)).into_bytes();
        assert_eq!((scan(&text, 9).err(), in_pieces(&text, 64)), (None, None));
    }

    #[test]
    fn blanks_are_skipped() {
        for n in [0, 1, 63, 64, 65, 200] {
            assert_eq!(blanks(" ".repeat(n).as_bytes()), n);
            let text = format!("{}[-0]", " ".repeat(n)).into_bytes();
            let found = scan(&text, 9).unwrap();
            assert_eq!(found, [(n + 1, OddNumber::NegativeZero)]);
        }
    }

    #[test]
    fn odd_numbers_are_found() {
        let text = b"[1, -0, -0.0, \"-0\", 9223372036854775807, 18446744073709551615, 18446744073709551616, -9223372036854775809, 1e30]";
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
