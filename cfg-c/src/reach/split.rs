//! Splits a file into its external declarations. Balanced brackets alone tell where one ends, so the tokens inside
//! need not be parsed.

use crate::{
    codes,
    lex::{Kind, Token},
    source::Sink,
    words::{self, is_keyword},
};
use std::ops::Range;

/// By token, the closing bracket of an opening one; none for other tokens, and for brackets that are not closed.
pub(super) struct Brackets(Vec<u32>);

impl Brackets {
    /// The closing bracket of an opening one.
    pub(super) fn close(&self, open: usize) -> Option<usize> {
        self.0.get(open).filter(|c| **c > 0).map(|c| *c as usize)
    }

    /// Pairs brackets. Braces take precedence: an unclosed parenthesis inside of a pair of braces is reported when
    /// the function is parsed, but an unpaired brace at once, since it hides where a function ends.
    pub(super) fn pair(tokens: &[Token], sink: &mut Sink) -> Self {
        let mut close = vec![0; tokens.len()];
        let mut open: Vec<(usize, u8)> = Vec::new();
        for (k, token) in tokens.iter().enumerate() {
            if token.kind != Kind::Punct {
                continue;
            }
            let Some(&bracket) = token
                .text
                .as_bytes()
                .first()
                .filter(|_| token.text.len() == 1)
            else {
                continue;
            };
            match bracket {
                b'(' | b'[' | b'{' => open.push((k, bracket)),
                b')' | b']' => {
                    let wanted = if bracket == b')' { b'(' } else { b'[' };
                    if let Some((start, _)) = open.pop_if(|(_, b)| *b == wanted) {
                        close[start] = k as u32;
                    }
                }
                b'}' => {
                    while open.pop_if(|(_, b)| *b != b'{').is_some() {}
                    match open.pop() {
                        Some((start, _)) => close[start] = k as u32,
                        None => {
                            let help = "remove it, or one above that closes too early";
                            let message = "this brace closes nothing";
                            sink.error(&codes::SYNTAX, token.at, message, help);
                        }
                    }
                }
                _ => {}
            }
        }
        // Of nested unclosed braces only the outermost is reported.
        if let Some((k, _)) = open.iter().find(|(_, b)| *b == b'{') {
            let message = "this brace is not closed";
            let help = "close it, or remove it";
            sink.error(&codes::SYNTAX, tokens[*k].at, message, help);
        }
        Self(close)
    }
}

/// The external declarations of a file, without empty ones. Declarations in `extern "C" { }` are like others.
pub(super) fn declarations(
    tokens: &[Token],
    brackets: &Brackets,
    sink: &mut Sink,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // The ends of open `extern "C"` blocks.
    let mut linkage: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < tokens.len() && tokens[at].kind != Kind::End {
        if tokens[at].is("extern")
            && tokens.get(at + 1).is_some_and(|t| t.kind == Kind::Str)
            && tokens.get(at + 2).is_some_and(|t| t.is("{"))
            && let Some(end) = brackets.close(at + 2)
        {
            linkage.push(end);
            at += 3;
        } else if linkage.pop_if(|end| *end == at).is_some() || tokens[at].is(";") {
            at += 1;
        } else {
            check_start(&tokens[at], sink);
            let end = end(tokens, brackets, at);
            found.push(at..end);
            at = end;
        }
    }
    found
}

/// Reports a token with which no declaration can begin: it belongs to the previous one.
fn check_start(token: &Token, sink: &mut Sink) {
    let begins = match token.kind {
        Kind::Ident => !is_keyword(&token.text),
        Kind::Punct => ["(", "*", "["].iter().any(|t| token.is(t)),
        Kind::Other => true,
        Kind::Number | Kind::Char | Kind::Str | Kind::Directive | Kind::Mark(_) | Kind::End => {
            false
        }
    };
    if !begins {
        let message = format!("expected a declaration, found `{}`", token.text);
        let help = "the file should compile without errors with a C compiler";
        sink.error(&codes::SYNTAX, token.at, message, help);
    }
}

/// The end of the external declaration that begins at a token.
fn end(tokens: &[Token], brackets: &Brackets, start: usize) -> usize {
    let first = piece(tokens, brackets, start);
    if !first.is_old || first.has_body {
        return first.end;
    }
    // The parameters of an old definition are declared between its head and its body.
    let mut at = first.end;
    loop {
        if tokens[at].is("{") {
            return piece(tokens, brackets, at).end;
        }
        let next = piece(tokens, brackets, at);
        if next.is_old || next.has_body || tokens[at].kind == Kind::End {
            return first.end;
        }
        at = next.end;
    }
}

/// A piece that ends with a semicolon, or with a body.
struct Piece {
    end: usize,
    has_body: bool,
    /// True if a declaration follows the parameters, as in the old style.
    is_old: bool,
}

fn piece(tokens: &[Token], brackets: &Brackets, start: usize) -> Piece {
    let mut at = start;
    let (mut has_value, mut is_old) = (false, false);
    // Whether the previous token ended parameters, and whether it belongs to a `struct`, `union` or `enum`.
    let (mut behind_parameters, mut is_tagged) = (false, false);
    while at < tokens.len() && tokens[at].kind != Kind::End {
        let token = &tokens[at];
        if token.is(";") {
            let (end, has_body) = (at + 1, false);
            return Piece {
                end,
                has_body,
                is_old,
            };
        }
        if let Some(behind) = behind_attribute(tokens, brackets, at) {
            at = behind;
            behind_parameters = false;
            continue;
        }
        if token.kind == Kind::Ident {
            is_old |= behind_parameters && !has_value;
            is_tagged |= is_tag_word(token);
            behind_parameters = false;
            at += 1;
            continue;
        }
        has_value |= token.is("=");
        let Some(close) = brackets.close(at) else {
            // The brace ends an `extern "C"` block.
            if token.is("}") && at > start {
                let (end, has_body, is_old) = (at, false, false);
                return Piece {
                    end,
                    has_body,
                    is_old,
                };
            }
            (behind_parameters, is_tagged) = (false, false);
            at += 1;
            continue;
        };
        if token.is("{") && !has_value && !is_tagged {
            let (end, has_body) = (close + 1, true);
            return Piece {
                end,
                has_body,
                is_old,
            };
        }
        behind_parameters = token.is("(");
        is_tagged = false;
        at = close + 1;
    }
    let (end, has_body) = (at.max(start + 1), false);
    Piece {
        end,
        has_body,
        is_old,
    }
}

/// True of the words that stand before tags.
pub(super) fn is_tag_word(token: &Token) -> bool {
    words::TAGGED.iter().any(|word| token.is(word))
}

/// The token behind an attribute of either form, `__attribute__((...))` or `[[...]]`; `None` if there is no attribute
/// here.
pub(super) fn behind_attribute(tokens: &[Token], brackets: &Brackets, at: usize) -> Option<usize> {
    let token = tokens.get(at)?;
    if is_attribute(token) {
        return Some(brackets.close(at + 1).unwrap_or(at) + 1);
    }
    let is_double = token.is("[") && tokens.get(at + 1).is_some_and(|t| t.is("["));
    brackets
        .close(at)
        .filter(|_| is_double)
        .map(|close| close + 1)
}

/// True of words with parentheses behind them that concern the compiler alone.
pub(super) fn is_attribute(token: &Token) -> bool {
    const WORDS: &[&str] = &[
        "__attribute__",
        "__attribute",
        "__declspec",
        "__asm__",
        "__asm",
        "asm",
    ];
    token.kind == Kind::Ident && WORDS.contains(&&*token.text)
}
