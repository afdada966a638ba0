//! Splits the bytes of a file into preprocessing tokens (C99 5.1.1.2, phases 1 to 3): trigraphs, line splices,
//! comments. Directives and keywords are not known here.

use crate::{
    codes,
    source::{Pos, Sink},
};
use cfg_core::ir::{Checkpoint, SourceComment};
use std::{borrow::Cow, collections::HashSet, ops::Range, rc::Rc};

/// The kind of a preprocessing token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ident,
    Number,
    Char,
    Str,
    Punct,
    /// A byte that begins no token.
    Other,
    /// A comment with a directive of Tapenade, such as `$AD II-LOOP`; the text begins behind `$AD`.
    Directive,
    /// The place of a pragma or directive about the statement that follows.
    Mark(Mark),
    End,
}

/// A pragma or directive in front of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The statement has a checkpoint; of a loop, so many snapshots are kept at most, if a number is given.
    Checkpoint(Checkpoint),
    /// The iterations of the loop are promised to be independent.
    Independent,
    /// A part with a checkpoint begins.
    Start,
    /// The part ends.
    End,
}

/// The names of macros that may no longer be expanded in a token (C99 6.10.3.4).
pub(crate) type Hidden = Option<Rc<Vec<Rc<str>>>>;

/// A preprocessing token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// The spelling, without line splices.
    pub(crate) text: Rc<str>,
    pub(crate) at: Pos,
    /// True of the first token of a line.
    pub(crate) first: bool,
    /// True if white space stands before the token.
    pub(crate) space: bool,
    pub(crate) hidden: Hidden,
}

impl Token {
    pub(crate) fn is_number(&self, text: &str) -> bool {
        self.kind == Kind::Number && &*self.text == text
    }

    pub(crate) fn is(&self, text: &str) -> bool {
        &*self.text == text && matches!(self.kind, Kind::Ident | Kind::Punct)
    }
}

/// Spellings, each kept once.
#[derive(Debug, Default)]
pub(crate) struct Interner(HashSet<Rc<str>>);

impl Interner {
    pub(crate) fn get(&mut self, text: &str) -> Rc<str> {
        if let Some(known) = self.0.get(text) {
            return Rc::clone(known);
        }
        let new: Rc<str> = Rc::from(text);
        self.0.insert(Rc::clone(&new));
        new
    }
}

/// Longest first: the first match is the longest one.
const PUNCTUATORS: &[&str] = &[
    "%:%:", "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
    "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##", "<:", ":>", "<%", "%>", "%:", "[", "]",
    "(", ")", "{", "}", ".", "&", "*", "+", "-", "~", "!", "/", "%", "<", ">", "^", "|", "?", ":",
    ";", "=", ",", "#",
];

struct Lexer<'b> {
    /// The text, in which lines are joined and trigraphs are replaced.
    bytes: &'b [u8],
    at: usize,
    line: u32,
    /// The position of the line's beginning; negative if bytes before it have been taken out.
    start: isize,
    file: u32,
    /// The gaps that are not passed yet, the next one last.
    gaps: Vec<Gap>,
}

/// Bytes that were taken out of the text.
struct Gap {
    /// The position, among the bytes that are left, of the byte behind the gap.
    at: usize,
    /// True of a line splice; otherwise the gap is two bytes of a trigraph.
    is_splice: bool,
}

/// The length of the line splice that a text begins with. Blanks behind the backslash are allowed, as compilers do.
fn splice(text: &[u8]) -> Option<usize> {
    let start = match text {
        [b'\\', ..] => 1,
        [b'?', b'?', b'/', ..] => 3,
        _ => return None,
    };
    let blanks = text[start..]
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c'));
    let end = start + blanks.count();
    (text.get(end) == Some(&b'\n')).then_some(end + 1)
}

/// The character that a trigraph stands for.
fn trigraph(text: &[u8]) -> Option<u8> {
    let [b'?', b'?', third, ..] = text else {
        return None;
    };
    Some(match third {
        b'=' => b'#',
        b'/' => b'\\',
        b'\'' => b'^',
        b'(' => b'[',
        b')' => b']',
        b'!' => b'|',
        b'<' => b'{',
        b'>' => b'}',
        b'-' => b'~',
        _ => return None,
    })
}

/// A text with its trigraphs replaced and its lines joined, the first phases of translation (C99 5.1.1.2), and the
/// gaps that this leaves.
fn joined(bytes: &[u8]) -> (Cow<'_, [u8]>, Vec<Gap>) {
    if !bytes.iter().any(|b| matches!(b, b'\\' | b'?')) {
        return (bytes.into(), Vec::new());
    }
    let mut text = Vec::with_capacity(bytes.len());
    let mut gaps = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if let Some(len) = splice(rest) {
            gaps.push(Gap {
                at: text.len(),
                is_splice: true,
            });
            at += len;
        } else if let Some(byte) = trigraph(rest) {
            text.push(byte);
            gaps.push(Gap {
                at: text.len(),
                is_splice: false,
            });
            at += 3;
        } else {
            text.push(bytes[at]);
            at += 1;
        }
    }
    gaps.reverse();
    (text.into(), gaps)
}

/// The tokens of a file, the last of which is the end.
pub(crate) fn lex(bytes: &[u8], file: u32, names: &mut Interner, sink: &mut Sink) -> Vec<Token> {
    let (text, gaps) = joined(bytes);
    let mut lexer = Lexer::new(&text, gaps, file);
    let mut tokens = Vec::new();
    let mut first = true;
    // Comments in lines of the preprocessor have no place among statements.
    let mut is_directive = false;
    loop {
        let mut comments = Vec::new();
        let (space, lines) = lexer.blank(&mut comments, sink);
        comments.retain(|comment| comment.begins_line || !is_directive);
        tokens.extend(comments.into_iter().filter_map(|comment| {
            let words = directive(&comment.text)?;
            Some(Token {
                kind: Kind::Directive,
                text: names.get(&String::from_utf8_lossy(words)),
                at: comment.at,
                first: first || comment.begins_line,
                space: true,
                hidden: None,
            })
        }));
        first |= lines;
        is_directive &= !lines;
        let pos = lexer.pos();
        let (kind, text) = lexer.token();
        let at = lexer.span_from(pos);
        let text = names.get(digraph(&text));
        let done = kind == Kind::End;
        is_directive |= first && kind == Kind::Punct && &*text == "#";
        tokens.push(Token {
            kind,
            text,
            at,
            first: first || done,
            space,
            hidden: None,
        });
        first = false;
        if done {
            return tokens;
        }
    }
}

/// A comment.
struct Comment {
    at: Pos,
    /// The last line.
    end: u32,
    /// The text between the signs around it.
    text: Vec<u8>,
    /// True if a line ends between the token before it and the comment.
    begins_line: bool,
}

/// The words behind `$AD` of a comment with a directive of Tapenade.
fn directive(comment: &[u8]) -> Option<&[u8]> {
    let (name, words) = comment.trim_ascii().split_at_checked(3)?;
    let is_word = words.first().is_none_or(u8::is_ascii_whitespace);
    (name.eq_ignore_ascii_case(b"$AD") && is_word).then(|| words.trim_ascii())
}

/// The comments of a file that stand behind code, or in the lines directly above code; the position of the file in the
/// list of sources is theirs.
pub(crate) fn comments(bytes: &[u8], file: u32) -> Vec<SourceComment> {
    let (text, gaps) = joined(bytes);
    let mut lexer = Lexer::new(&text, gaps, file);
    // Problems are those of the tokens.
    let mut sink = Sink::default();
    let (mut all, mut is_first) = (Vec::new(), true);
    loop {
        let mut between = Vec::new();
        lexer.blank(&mut between, &mut sink);
        let mut next = lexer.line;
        let (kind, _) = lexer.token();
        let from = all.len();
        for comment in between.into_iter().rev() {
            let is_behind = !comment.begins_line && !is_first;
            let is_beside = is_behind || comment.end + 1 >= next && kind != Kind::End;
            let text = String::from_utf8_lossy(&comment.text);
            if is_beside && directive(&comment.text).is_none() && !text.trim().is_empty() {
                next = comment.at.line;
                all.push(SourceComment {
                    source: file,
                    lines: [comment.at.line, comment.end],
                    is_behind,
                    text: text.trim().to_owned(),
                });
            }
        }
        all[from..].reverse();
        is_first = false;
        if kind == Kind::End {
            return all;
        }
    }
}

fn digraph(text: &str) -> &str {
    match text {
        "<:" => "[",
        ":>" => "]",
        "<%" => "{",
        "%>" => "}",
        "%:" => "#",
        "%:%:" => "##",
        other => other,
    }
}

/// True of bytes of names. Bytes outside of ASCII, which make up other characters, count.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

impl<'b> Lexer<'b> {
    /// At the beginning of a text with these gaps, behind the mark of byte order that it may begin with.
    fn new(bytes: &'b [u8], gaps: Vec<Gap>, file: u32) -> Self {
        let mut lexer = Self {
            bytes,
            at: if bytes.starts_with(b"\xef\xbb\xbf") {
                3
            } else {
                0
            },
            line: 1,
            start: 0,
            file,
            gaps,
        };
        lexer.pass_gaps();
        lexer
    }

    fn pos(&self) -> Pos {
        Pos {
            file: self.file,
            line: self.line,
            column: self.column(),
            len: 1,
        }
    }

    /// A position, with the length up to the present byte if that is in the same line.
    fn span_from(&self, at: Pos) -> Pos {
        let len = match self.line == at.line {
            true => self.column().saturating_sub(at.column),
            false => 1,
        };
        Pos { len, ..at }
    }

    fn column(&self) -> u32 {
        (self.at as isize - self.start) as u32 + 1
    }

    /// Passes the gaps before the present byte, and counts their bytes in the position.
    fn pass_gaps(&mut self) {
        while let Some(gap) = self.gaps.pop_if(|gap| gap.at <= self.at) {
            if gap.is_splice {
                self.line += 1;
                self.start = self.at as isize;
            } else {
                self.start -= 2;
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        if byte == b'\n' {
            self.line += 1;
            self.start = self.at as isize;
        }
        self.pass_gaps();
        Some(byte)
    }

    /// The comment that ends here and began at a position.
    fn comment(&self, at: Pos, text: Range<usize>, begins_line: bool) -> Comment {
        Comment {
            at: self.span_from(at),
            end: self.line,
            text: self.bytes[text].to_vec(),
            begins_line,
        }
    }

    /// Passes white space and comments; returns whether there was any, and whether a line ended. Comments go to
    /// `found`.
    fn blank(&mut self, found: &mut Vec<Comment>, sink: &mut Sink) -> (bool, bool) {
        let (mut space, mut lines) = (false, false);
        while let Some(byte) = self.peek() {
            let next = self.bytes.get(self.at + 1).copied();
            match (byte, next) {
                (b'\n', _) => lines = true,
                (b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c', _) => {}
                (b'/', Some(b'/')) => {
                    let (at, start) = (self.pos(), self.at + 2);
                    while self.peek().is_some_and(|b| b != b'\n') {
                        self.bump();
                    }
                    found.push(self.comment(at, start..self.at, lines));
                    space = true;
                    continue;
                }
                (b'/', Some(b'*')) => {
                    let at = self.pos();
                    self.bump();
                    self.bump();
                    let start = self.at;
                    let mut last = 0;
                    loop {
                        match self.bump() {
                            Some(b'/') if last == b'*' => {
                                let end = (self.at - 2).max(start);
                                found.push(self.comment(at, start..end, lines));
                                break;
                            }
                            Some(byte) => last = byte,
                            None => {
                                let message = "the comment does not end";
                                sink.error(&codes::SYNTAX, at, message, "close it with */");
                                break;
                            }
                        }
                    }
                    space = true;
                    continue;
                }
                _ => break,
            }
            self.bump();
            space = true;
        }
        (space, lines)
    }

    /// The text from `start` to the present byte.
    fn since(&self, start: usize) -> Cow<'b, str> {
        String::from_utf8_lossy(&self.bytes[start..self.at])
    }

    fn bump_while(&mut self, is_wanted: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&is_wanted) {
            self.bump();
        }
    }

    fn token(&mut self) -> (Kind, Cow<'b, str>) {
        let Some(byte) = self.peek() else {
            return (Kind::End, "".into());
        };
        let start = self.at;
        let next = self.bytes.get(start + 1).copied().unwrap_or(0);
        if is_of_name(byte) && !byte.is_ascii_digit() {
            self.bump_while(is_of_name);
            let text = self.since(start);
            let quote = self.peek().filter(|b| matches!(b, b'"' | b'\''));
            let kind = match quote {
                Some(quote) if matches!(&*text, "L" | "u" | "U" | "u8") => self.quoted(quote),
                _ if text.contains(char::REPLACEMENT_CHARACTER) => Kind::Other,
                _ => return (Kind::Ident, text),
            };
            return (kind, self.since(start));
        }
        if byte.is_ascii_digit() || byte == b'.' && next.is_ascii_digit() {
            return (Kind::Number, self.number());
        }
        if byte == b'"' || byte == b'\'' {
            let kind = self.quoted(byte);
            return (kind, self.since(start));
        }
        let rest = &self.bytes[start..];
        let is_next = |p: &&&str| p.as_bytes()[0] == byte && rest.starts_with(p.as_bytes());
        if let Some(&punctuator) = PUNCTUATORS.iter().find(is_next) {
            for _ in 0..punctuator.len() {
                self.bump();
            }
            return (Kind::Punct, punctuator.into());
        }
        self.bump();
        (Kind::Other, char::from(byte).to_string().into())
    }

    fn number(&mut self) -> Cow<'b, str> {
        let start = self.at;
        let is_hex = matches!(self.bytes[start..], [b'0', b'x' | b'X', ..]);
        let (mut last, mut is_grouped) = (b' ', false);
        while let Some(b) = self.peek() {
            let sign = matches!(b, b'+' | b'-') && matches!(last, b'e' | b'E' | b'p' | b'P');
            // In a hexadecimal number an e is a digit, and no exponent.
            let sign = sign && !(is_hex && matches!(last, b'e' | b'E'));
            // Digits may be grouped, as in 1'000'000.
            let next = self.bytes.get(self.at + 1).copied().unwrap_or(0);
            let groups = b == b'\'' && last.is_ascii_hexdigit() && next.is_ascii_hexdigit();
            if !(b.is_ascii_alphanumeric() || b == b'.' || b == b'_' || sign || groups) {
                break;
            }
            is_grouped |= groups;
            last = b;
            self.bump();
        }
        let text = self.since(start);
        if is_grouped {
            text.replace('\'', "").into()
        } else {
            text
        }
    }

    /// Passes a text or a character in quotes. A missing end is left to the parser: in a part that is left out it is
    /// no error.
    fn quoted(&mut self, quote: u8) -> Kind {
        self.bump();
        loop {
            match self.peek() {
                None | Some(b'\n') => return Kind::Other,
                Some(b'\\') => {
                    self.bump();
                    if self.peek().is_some_and(|b| b != b'\n') {
                        self.bump();
                    }
                }
                Some(b) => {
                    self.bump();
                    if b == quote {
                        break;
                    }
                }
            }
        }
        if quote == b'"' { Kind::Str } else { Kind::Char }
    }
}

/// The tokens in the parentheses at the beginning, and the tokens that follow.
pub(crate) fn group(tokens: &[Token]) -> Option<(&[Token], &[Token])> {
    if !tokens.first()?.is("(") {
        return None;
    }
    let mut depth = 0usize;
    for (k, token) in tokens.iter().enumerate() {
        depth += usize::from(token.is("("));
        if token.is(")") {
            depth -= 1;
            if depth == 0 {
                return Some((&tokens[1..k], &tokens[k + 1..]));
            }
        }
    }
    None
}
