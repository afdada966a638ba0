//! The origins of emitted code: the comments of the program's sources beside statements, and on request comments that
//! name statements of the original, and `#line` with the places of statements in the sources.
//!
//! While functions are written a line of its own, which no compiler sees, marks where the code of a place begins
//! ([`Origins::add`], `Statement::Mark`). [`Origins::resolved`] makes comments and directives of these lines when the
//! file is complete: only then it is known on which line the file's own code stands, to which directives lead back.

use super::{faults::literal, fold::CONTINUED};
use std::collections::HashSet;

/// The character with which a line begins that marks a place: names have no control characters.
pub(super) const MARK: char = '\u{1}';

/// The place of a source.
pub(super) type Source = (String, u32);

/// What some lines come from.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// The words of the comment.
    pub(super) words: String,
    /// The file and the line.
    pub(super) source: Option<Source>,
    /// The source's comments beside that place, as lines of C, with their numbers.
    pub(super) comments: Vec<(usize, Vec<String>)>,
}

/// The places that a file's code comes from.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// Statements of the original are wanted.
    statements: bool,
    /// Directives are wanted.
    pub(super) lines: bool,
    /// The name of the file that is written.
    pub(super) file: String,
    /// The number of lines that come before the text.
    pub(super) before: usize,
    all: Vec<Origin>,
}

impl Origins {
    /// Nothing yet, of a file with comments or directives.
    pub(super) fn new(statements: bool, lines: bool) -> Self {
        Self {
            statements,
            lines,
            ..Self::default()
        }
    }

    /// True if anything of it is wanted beside the comments of sources.
    pub(super) fn wanted(&self) -> bool {
        self.statements || self.lines
    }

    /// True if the text has marks.
    pub(super) fn is_marked(&self) -> bool {
        !self.all.is_empty()
    }

    /// True if some code has a place in a source.
    pub(super) fn has_sources(&self) -> bool {
        self.all.iter().any(|origin| origin.source.is_some())
    }

    /// The number of an origin, from 1.
    pub(super) fn add(&mut self, origin: Origin) -> usize {
        if self.all.last() != Some(&origin) {
            self.all.push(origin);
        }
        self.all.len()
    }

    /// The text of a file with comments and directives in place of marks.
    pub(super) fn resolved(&self, text: &str) -> String {
        let mut made = Resolved {
            text: String::with_capacity(text.len()),
            line: self.before + 1,
            presumed: None,
        };
        let mut here: Option<&Origin> = None;
        let mut told = None;
        // In each function a comment of a source stands once.
        let mut said: HashSet<usize> = HashSet::new();
        for line in text.lines() {
            if let Some(more) = line.strip_prefix(CONTINUED) {
                // A directive between the arguments of a macro has no meaning.
                made.push(more);
                continue;
            }
            let code = line.trim_start();
            if let Some(number) = code.strip_prefix(MARK) {
                let number: usize = number.parse().unwrap_or(0);
                here = number.checked_sub(1).and_then(|k| self.all.get(k));
                continue;
            }
            if line == "{" {
                said.clear();
            }
            // Who reads on behind a block is told again where it is.
            if code.starts_with('}') {
                told = None;
            }
            let begins = !["}", "{", "case ", "default:", "break;"]
                .iter()
                .any(|other| code.starts_with(other));
            let indent = &line[..line.len() - code.len()];
            let comments = here.iter().filter(|_| begins).flat_map(|o| &o.comments);
            for (_, lines) in comments.filter(|(k, _)| said.insert(*k)) {
                for comment in lines {
                    made.push(&format!("{indent}{comment}"));
                }
            }
            if self.statements && begins && told != here {
                if let Some(origin) = here {
                    made.push(&format!("{indent}/* {} */", origin.words));
                }
                told = here;
            }
            if self.lines {
                made.lead(here.and_then(|o| o.source.as_ref()), &self.file);
            }
            made.push(line);
        }
        made.text
    }
}

/// A text that is put together.
struct Resolved<'o> {
    text: String,
    /// The number of the next line.
    line: usize,
    /// What a compiler takes the next line for, if not for a line of the file itself.
    presumed: Option<(&'o str, u32)>,
}

impl<'o> Resolved<'o> {
    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.line += 1;
        if let Some((_, line)) = &mut self.presumed {
            *line = line.saturating_add(1);
        }
    }

    /// Makes the next line one of this source, or of the file itself.
    fn lead(&mut self, to: Option<&'o Source>, file: &str) {
        let to = to.map(|(name, line)| (name.as_str(), *line));
        if to == self.presumed {
            return;
        }
        let (name, line) = match to {
            Some((name, line)) => (name, line as usize),
            None => (file, self.line + 1),
        };
        let directive = format!("#line {line} \"{}\"", literal(name));
        self.push(&directive);
        self.presumed = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks become comments and directives, and directives lead back to the file itself.
    #[test]
    fn marks_are_resolved() {
        let mut origins = Origins {
            statements: true,
            lines: true,
            file: "f\".c".to_owned(),
            ..Origins::default()
        };
        let origin = |words: &str, source: Option<(&str, u32)>| Origin {
            words: words.to_owned(),
            source: source.map(|(name, line)| (name.to_owned(), line)),
            comments: Vec::new(),
        };
        assert_eq!(origins.add(origin("one", Some(("a\\.f", 7)))), 1);
        assert_eq!(origins.add(origin("two", None)), 2);
        assert_eq!(origins.add(origin("two", None)), 2);
        let text = "{\n\u{1}1\n    a;\n    b;\n  \u{1}2\n    c;\n    }\n    d;\n\u{1}0\n}\n";
        let expected = "{\n    /* one */\n#line 7 \"a\\\\.f\"\n    a;\n#line 7 \"a\\\\.f\"\n    b;\n    /* two */\n\
                        #line 9 \"f\\\".c\"\n    c;\n    }\n    /* two */\n    d;\n}\n";
        assert_eq!(origins.resolved(text), expected);
        origins.statements = false;
        origins.lines = false;
        assert_eq!(
            origins.resolved(text),
            "{\n    a;\n    b;\n    c;\n    }\n    d;\n}\n"
        );
    }

    /// Comments of sources stand once in each function, where code of theirs begins.
    #[test]
    fn comments_stand_once_in_a_function() {
        let mut origins = Origins::default();
        let comments = |k: usize| vec![(k, vec![format!("/* {k}"), "   more */".to_owned()])];
        for k in 1..3 {
            origins.add(Origin {
                words: String::new(),
                source: None,
                comments: comments(k),
            });
        }
        let text = "f\n{\n\u{1}1\n    a;\n\u{1}2\n    }\n    b;\n\u{1}1\n    c;\n}\ng\n{\n\u{1}1\n    d;\n}\n";
        let one = "    /* 1\n       more */\n";
        let two = "    /* 2\n       more */\n";
        let expected = format!(
            "f\n{{\n{one}    a;\n    }}\n{two}    b;\n    c;\n}}\ng\n{{\n{one}    d;\n}}\n"
        );
        assert_eq!(origins.resolved(text), expected);
    }
}
