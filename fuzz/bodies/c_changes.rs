//! Changes of C files: of bytes, of tokens, of lines, and of what stands in pairs of brackets.

use cfg_testkit::rng::Rng;

/// What tokens are replaced with, and what is put between them.
const WORDS: [&str; 64] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ":",
    "?",
    "=",
    "==",
    "<",
    "<<",
    "->",
    ".",
    "...",
    "*",
    "&",
    "&&",
    "|",
    "!",
    "~",
    "+",
    "++",
    "-",
    "--",
    "/",
    "%",
    "#",
    "##",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "0",
    "1",
    "-1",
    "0x",
    "1e",
    "1e400",
    "9223372036854775807",
    "18446744073709551615u",
    "int",
    "unsigned",
    "double",
    "float",
    "void",
    "struct",
    "typedef",
    "static",
    "const",
    "restrict",
    "if",
    "while",
    "do",
    "switch",
    "case",
    "goto",
    "return",
    "sizeof",
    "#define x x(x)\n",
];

/// Where the words, numbers and other characters of a text begin, and where it ends.
fn starts(text: &str) -> Vec<usize> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 0,
        _ if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut last = None;
    let mut found: Vec<usize> = Vec::new();
    for (at, c) in text.char_indices() {
        let now = kind(c);
        if last != Some(now) || now == 2 {
            found.push(at);
        }
        last = Some(now);
    }
    found.push(text.len());
    found
}

/// One change of a file; `other` is one whose lines may be taken.
pub(crate) fn change(text: &str, other: &str, rng: &mut Rng) -> String {
    let at = starts(text);
    let k = rng.below(at.len());
    let to = (k + 1 + rng.below(4)).min(at.len() - 1);
    let (from, to) = (at[k], at[to.max(k)]);
    let replaced = |by: &str| [&text[..from], by, &text[to..]].concat();
    match rng.below(7) {
        0 => replaced(""),
        1 => replaced(WORDS[rng.below(WORDS.len())]),
        2 => [&text[..from], WORDS[rng.below(WORDS.len())], &text[from..]].concat(),
        3 => [&text[..to], &text[from..]].concat(),
        4 => {
            let lines: Vec<&str> = other.lines().collect();
            let line = lines[rng
                .below(lines.len().max(1))
                .min(lines.len().saturating_sub(1))];
            [&text[..from], "\n", line, "\n", &text[from..]].concat()
        }
        5 => {
            let word = WORDS[rng.below(WORDS.len())];
            [
                &text[..from],
                &word.repeat(1 + rng.below(400)),
                &text[from..],
            ]
            .concat()
        }
        _ => {
            let mut bytes = text.as_bytes().to_vec();
            if !bytes.is_empty() {
                let at = rng.below(bytes.len());
                bytes[at] = rng.below(256) as u8;
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
    }
}
