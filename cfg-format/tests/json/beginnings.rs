//! Inputs of which the beginning shows that they are no JSON are not read to their end.

use cfg_format::json::{load, parse};
use std::io::{self, Read};

/// Gives a beginning, then one byte without end; counts the bytes taken.
struct Endless<'a> {
    head: &'a [u8],
    rest: u8,
    taken: usize,
}

impl Read for Endless<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.head.len().min(to.len());
        to[..n].copy_from_slice(&self.head[..n]);
        to[n..].fill(self.rest);
        self.head = &self.head[n..];
        self.taken += to.len();
        assert!(self.taken < 1 << 24, "it reads on and on");
        Ok(to.len())
    }
}

#[test]
fn hopeless_beginnings_end_the_reading() {
    for (head, rest) in [
        (&b""[..], 0),
        (b"   \n", 0),
        (b"{\"a\": \"", 0),
        (b"{\"a\": 1}", 0),
        (b"[1, 2", 0),
        (b"\xef\xbb\xbf", 0),
        (b"<", b'x'),
        (b"", 0xff),
        (b"", 0xc3),
        (b" ", b'y'),
        (b"}", b' '),
        (b"\x7fELF", b'a'),
    ] {
        let taken = 0;
        let bytes = load(Endless { head, rest, taken }).expect("a beginning");
        let problems = parse(&bytes).problems;
        assert!(problems.has_errors(), "{head:?} {rest}");
    }
}

#[test]
fn whatever_is_given_the_problems_are_those_of_the_whole_text() {
    for text in [
        "",
        " ",
        "{",
        "x",
        "nul",
        "NaN",
        "-1",
        "+1",
        ".5",
        "'",
        "\u{e9}",
        "\u{feff}",
        "\u{feff}{}",
        "\u{feff}\u{e9}",
        "\u{0}",
        "{\u{0}}",
        "\"\u{0}\"",
        "[\u{0}",
        "<xml/>",
        "// comment\n{}",
        "\u{2028}{}",
    ] {
        let mut pieces = Vec::new();
        // In pieces of one byte, too.
        for size in [1, 1 << 16] {
            let chunks = Chunks {
                text: text.as_bytes(),
                size,
            };
            let bytes = load(chunks).expect("a text");
            pieces.push(parse(&bytes).problems.to_string());
        }
        let whole = parse(text.as_bytes()).problems.to_string();
        assert_eq!(pieces, [whole.clone(), whole], "{text:?}");
    }
}

/// Of an input that begins like no JSON text so much is read, and all of a shorter one.
#[test]
fn as_much_as_a_glance_is_read() {
    for (length, read) in [(4095, 4095), (4096, 4096), (4097, 4096), (9000, 4096)] {
        let text = vec![b'x'; length];
        let chunks = Chunks {
            text: &text,
            size: 1,
        };
        assert_eq!(load(chunks).expect("a text").len(), read, "{length}");
    }
}

struct Chunks<'a> {
    text: &'a [u8],
    size: usize,
}

impl Read for Chunks<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.size.min(self.text.len()).min(to.len());
        to[..n].copy_from_slice(&self.text[..n]);
        self.text = &self.text[n..];
        Ok(n)
    }
}
