//! Checkpoints: pragmas, and directives of Tapenade in comments, about the statement that follows. They become tokens
//! in front of it.

use super::{Preprocessor, condition::integer};
use crate::{
    codes,
    lex::{Kind, Mark, Token, group},
    source::Pos,
};
use cfg_core::ir::Checkpoint;
use std::num::NonZeroU32;

const HELP: &str = "write #pragma cfgrev checkpoint in front of a statement, or #pragma cfgrev checkpoint(snapshots = 50, disk = 200) in front of a loop";

/// The brackets that are open at a token.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    /// For each open brace, the number of open parentheses and square brackets in it.
    braces: Vec<usize>,
}

impl Nesting {
    pub(super) fn pass(&mut self, token: &Token) {
        if token.kind != Kind::Punct {
            return;
        }
        match (&*token.text, self.braces.last_mut()) {
            ("{", _) => self.braces.push(0),
            ("}", _) => {
                self.braces.pop();
            }
            ("(" | "[", Some(open)) => *open += 1,
            (")" | "]", Some(open)) => *open = open.saturating_sub(1),
            (_, _) => {}
        }
    }

    /// True if a statement may begin behind a token.
    fn begins_statement(&self, before: Option<&Token>) -> bool {
        let begins = |t: &Token| {
            matches!(t.kind, Kind::Mark(_))
                || ["{", "}", ";", ")", ":", "else", "do"]
                    .iter()
                    .any(|text| t.is(text))
        };
        self.braces.last() == Some(&0) && before.is_some_and(begins)
    }
}

impl Preprocessor<'_> {
    /// Reads what stands behind `#pragma cfgrev checkpoint`.
    pub(super) fn checkpoint(&mut self, rest: &[Token], at: Pos) {
        let (inside, behind) = match rest.first() {
            Some(open) if open.is("(") => match group(rest) {
                Some((inside, behind)) if !inside.is_empty() => (inside, behind),
                Some(_) | None => {
                    return self.report_error(open.at, "the number of snapshots is missing", HELP);
                }
            },
            Some(_) | None => (rest, rest),
        };
        if let ([_, ..], [word, ..]) = (inside, behind) {
            let message = format!("{} has no meaning behind checkpoint", word.text);
            return self.report_error(word.at, message, HELP);
        }
        let (mut memory, mut disk): (Option<NonZeroU32>, Option<u32>) = (None, None);
        for (k, part) in inside.split(|t| t.is(",")).enumerate() {
            let (is_disk, number) = match part {
                [word, equals, number @ ..] if word.is("snapshots") && equals.is("=") => {
                    (false, number)
                }
                [word, equals, number @ ..] if word.is("disk") && equals.is("=") => (true, number),
                number @ [word, rest @ ..] => {
                    if k > 0 || rest.first().is_some_and(|t| t.is("=")) {
                        let message = format!("{} has no meaning in checkpoint", word.text);
                        return self.report_error(word.at, message, HELP);
                    }
                    (false, number)
                }
                [] if inside.is_empty() => continue,
                [] => return self.report_error(at, "the number of snapshots is missing", HELP),
            };
            let number = self.expand_all(number.to_vec(), 0);
            let [number] = number.as_slice() else {
                let at = number.first().map_or(at, |t| t.at);
                return self.report_error(at, "the number of snapshots is one number", HELP);
            };
            let (text, at_number) = (&number.text, number.at);
            let is_twice = match is_disk {
                true => match self.snapshots(text, at_number) {
                    Some(number) => disk.replace(number).is_some(),
                    None => return,
                },
                false => match self.snapshots(text, at_number) {
                    Some(number) => memory.replace(number).is_some(),
                    None => return,
                },
            };
            if is_twice {
                return self.report_error(at, "a number of snapshots is given twice", HELP);
            }
        }
        let checkpoint = match (memory, disk) {
            (Some(memory), disk) => Checkpoint::Snapshots {
                memory,
                disk: disk.unwrap_or(0),
            },
            (None, None) => Checkpoint::Each,
            (None, Some(_)) => {
                return self.report_error(at, "the number of snapshots in memory is missing", HELP);
            }
        };
        self.mark(
            Mark::Checkpoint(checkpoint),
            "#pragma cfgrev checkpoint",
            at,
        );
    }

    /// A number of snapshots; `None` if it has been refused.
    fn snapshots<N: TryFrom<u32>>(&mut self, text: &str, at: Pos) -> Option<N> {
        let number = integer(text).and_then(|(n, _)| u32::try_from(n).ok());
        let number = number.and_then(|n| n.try_into().ok());
        if number.is_none() {
            let message = format!("{text} is no number of snapshots");
            let help = "write a number from 1 to 4294967295: the state in front of the first iteration is one of the snapshots";
            self.report_error(at, message, help);
        }
        number
    }

    /// Follows a directive of Tapenade in a comment.
    pub(super) fn comment(&mut self, comment: &Token) {
        let at = comment.at;
        let words: Vec<&str> = comment.text.split_ascii_whitespace().collect();
        let name = words.first().map(|name| name.to_ascii_uppercase());
        let name = name.as_deref().unwrap_or_default();
        let rest = words.get(1..).unwrap_or_default();
        let mark = match (name, rest) {
            ("BINOMIAL-CKP", [_, snapshots, _]) => match self.snapshots(snapshots, at) {
                Some(memory) => Mark::Checkpoint(Checkpoint::Snapshots { memory, disk: 0 }),
                None => return,
            },
            ("BINOMIAL-CKP", _) => {
                let message = "$AD BINOMIAL-CKP names a number of steps, a number of snapshots, and the first step";
                let help = "write $AD BINOMIAL-CKP n 50 1, or #pragma cfgrev checkpoint(snapshots = 50), in front of the loop";
                return self.report_error(at, message, help);
            }
            ("CHECKPOINT-START", []) => Mark::Start,
            ("CHECKPOINT-END", []) => Mark::End,
            ("II-LOOP", _) => Mark::Independent,
            // Parts without a checkpoint are recorded.
            ("NOCHECKPOINT", _) => return,
            _ => {
                let message = format!("$AD {} is passed over", comment.text);
                let help = "of the directives of Tapenade BINOMIAL-CKP, CHECKPOINT-START, CHECKPOINT-END, II-LOOP and NOCHECKPOINT are understood";
                return self.sink.warning(&codes::IGNORED, at, message, help);
            }
        };
        self.mark(mark, &format!("$AD {}", comment.text), at);
    }

    fn mark(&mut self, mark: Mark, text: &str, at: Pos) {
        self.marks.push(Token {
            kind: Kind::Mark(mark),
            text: self.kept.names.get(text),
            at,
            first: true,
            space: true,
            hidden: None,
        });
    }

    /// Places the marks between the tokens in front of them and those behind, and refuses those that no statement
    /// follows.
    pub(super) fn place_marks(
        &mut self,
        nesting: &Nesting,
        behind: &[Token],
        out: &mut Vec<Token>,
    ) {
        for mark in std::mem::take(&mut self.marks) {
            if mark.kind == Kind::Mark(Mark::Independent) {
                let is_mark = |t: &&Token| matches!(t.kind, Kind::Directive | Kind::Mark(_));
                let next = behind.iter().find(|t| !is_mark(t));
                if nesting.begins_statement(out.last()) && next.is_some_and(|t| t.is("for")) {
                    out.push(mark);
                    continue;
                }
                let message = format!("{} is passed over: no for loop follows", mark.text);
                let help = "write it in front of for";
                self.sink.warning(&codes::IGNORED, mark.at, message, help);
                continue;
            }
            let next = behind.iter().find(|t| !matches!(t.kind, Kind::Directive));
            let is_end = mark.kind == Kind::Mark(Mark::End);
            let follows = next.is_some_and(|t| t.kind != Kind::End && !t.is("}") || is_end);
            if nesting.begins_statement(out.last()) && follows {
                out.push(mark);
                continue;
            }
            let message = format!("no statement follows {}", mark.text);
            self.report_error(mark.at, message, HELP);
        }
    }
}
