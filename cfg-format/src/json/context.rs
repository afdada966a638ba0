//! The state that the reader carries along: its place, the problems so far, and the names that it has met.

use super::{codes, locate::escape, token::Token};
use cfg_core::{
    diagnostic::{
        CodeInfo, Diagnostic, Diagnostics, MAX_PROBLEMS,
        similar::{Similarity, did_you_mean_text},
    },
    entity::{MAX_ENTITIES, VarId},
};
use std::collections::HashMap;

/// Stands for "the routine's only tape" until the routine's variables are known.
pub(super) const DEFAULT_TAPE: usize = MAX_ENTITIES;

/// One step of the way from the document to a value.
#[derive(Clone, Debug)]
pub(super) enum Seg {
    /// A member of an object.
    Key(&'static str),
    /// A member with a free name.
    Name(Box<str>),
    /// An element of an array.
    Index(usize),
}

/// Names in the order in which they were met; the position stands for the name until it is resolved.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    ids: HashMap<Box<str>, usize>,
    names: Vec<Box<str>>,
}

impl Symbols {
    /// The position of this name.
    pub(super) fn intern(&mut self, name: &str) -> usize {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len();
        self.names.push(name.into());
        self.ids.insert(name.into(), id);
        id
    }

    /// All names, by position.
    pub(super) fn into_names(self) -> Vec<Box<str>> {
        self.names
    }
}

/// The kind of cure for the value at a problem's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cure {
    /// A string that names nothing: perhaps an expression.
    Expression,
    /// A string where a statement should be.
    Statement,
    /// An array in the list of operands that starts with no operator.
    Operation,
    /// An array that starts like no statement.
    StatementArray,
    /// `["=", t, a, "+", b]` and its like.
    Assignment,
    /// `["call", "f", "x"]`
    Call,
    /// One element stands where a list of such elements should be.
    List,
    /// A list of numbers where an edge should be.
    Edge,
}

/// A cure that is still to be written out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    /// The problem, by position.
    pub(super) problem: usize,
    pub(super) cure: Cure,
    /// The number of levels from the problem's place up to the value.
    pub(super) above: usize,
}

/// The reader's context.
#[derive(Debug)]
pub(super) struct Context {
    /// The current place of the reader.
    pub(super) path: Vec<Seg>,
    /// Problems so far.
    pub(super) problems: Diagnostics,
    /// Names of variables in the routine that is being read.
    pub(super) variables: Symbols,
    /// Names of routines.
    pub(super) routines: Symbols,
    /// Names of records.
    pub(super) records: Symbols,
    /// Levels of the expression around the current place.
    pub(super) depth: usize,
    /// The expression that is being read was reported as too deep.
    pub(super) too_deep: bool,
    /// Length of the path to the expression.
    pub(super) root: usize,
    /// True if a part of the current routine's graph could not be read.
    pub(super) graph_broken: bool,
    /// True if a declaration of the current routine could not be read.
    pub(super) names_lost: bool,
    /// Bytes that may still be used for the program.
    pub(super) allowance: usize,
    /// Problems whose cure is written out at the end.
    pub(super) cures: Vec<Note>,
    /// The search for similar names, with its remaining work.
    similarity: Similarity,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            path: Vec::new(),
            problems: Diagnostics::default(),
            variables: Symbols::default(),
            routines: Symbols::default(),
            records: Symbols::default(),
            depth: 0,
            too_deep: false,
            root: 0,
            graph_broken: false,
            names_lost: false,
            allowance: usize::MAX,
            cures: Vec::new(),
            similarity: Similarity::default(),
        }
    }
}

impl Context {
    /// The JSON pointer of the place.
    pub(super) fn pointer(&self) -> String {
        let mut pointer = String::new();
        for seg in &self.path {
            pointer.push('/');
            match seg {
                Seg::Key(key) => pointer.push_str(key),
                Seg::Name(name) => pointer.push_str(&escape(name)),
                Seg::Index(i) => pointer.push_str(&i.to_string()),
            }
        }
        pointer
    }

    /// True if further problems are not kept; reading then stops soon.
    pub(super) fn is_full(&self) -> bool {
        self.problems.0.len() >= MAX_PROBLEMS
    }

    /// Adds a problem at the place.
    pub(super) fn report(
        &mut self,
        code: &CodeInfo,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if !self.is_full() {
            let diagnostic = Diagnostic::error(code, message, help).at_pointer(self.pointer());
            self.problems.push(diagnostic);
        }
    }

    /// Adds a problem one step below the place.
    pub(super) fn report_at(
        &mut self,
        seg: Seg,
        code: &CodeInfo,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.path.push(seg);
        self.report(code, message, help);
        self.path.pop();
    }

    /// Gives the last problem a cure, for the value `above` levels above its place.
    pub(super) fn cure(&mut self, cure: Cure, above: usize) {
        if let (false, Some(problem)) = (self.is_full(), self.problems.0.len().checked_sub(1)) {
            self.cures.push(Note {
                problem,
                cure,
                above,
            });
        }
    }

    /// Calls a function with the place one step further down.
    pub(super) fn at_segment<R>(&mut self, seg: Seg, work: impl FnOnce(&mut Self) -> R) -> R {
        self.path.push(seg);
        let result = work(self);
        self.path.pop();
        result
    }

    /// Reports a value of another type than the place asks for.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other tokens are helped alike"
    )]
    pub(super) fn wrong_type(&mut self, expected: &str, token: &Token<'_>) {
        let help = match token {
            Token::Real(r) if expected == "an integer" && r.fract() == 0.0 => {
                format!("write {r:.0}: a number with `.` or an exponent is a real")
            }
            Token::Logical(b) if expected == "an integer" => format!("write {}", i32::from(*b)),
            Token::Text(text)
                if text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
                    && text.parse::<f64>().is_ok() =>
            {
                format!("write {text} without quotes")
            }
            Token::Int(i) if expected == "a string" => format!("write \"{i}\", in quotes"),
            _ if expected == "an edge" => {
                "write {\"from\": 1, \"to\": 2} with the ids of its vertices".to_owned()
            }
            Token::Object if expected == "an expression" => {
                "write a number, a name, or an array with the operator first: [\"+\", \"x\", 1]"
                    .to_owned()
            }
            Token::Object if expected == "a list of statements" => {
                "write [[\"=\", \"y\", [\"+\", \"x\", 1]]]".to_owned()
            }
            Token::Null => "null stands only for an argument or bound that is left out".to_owned(),
            _ => format!("write {expected} here"),
        };
        self.report(
            &codes::WRONG_TYPE,
            format!("expected {expected}, found {}", token.describe()),
            help,
        );
    }

    /// A provisional variable for a name; [`super::resolve`] puts the real one in its place.
    pub(super) fn variable(&mut self, name: &str) -> VarId {
        VarId::new(self.variables.intern(name).min(DEFAULT_TAPE - 1))
    }

    /// The known name nearest to an unknown one, as help text.
    pub(super) fn suggest<'n>(
        &mut self,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
        otherwise: &str,
    ) -> String {
        self.nearest(name, known)
            .map_or_else(|| otherwise.to_owned(), did_you_mean_text)
    }

    /// The known name nearest to an unknown one.
    pub(super) fn nearest<'n>(
        &mut self,
        name: &str,
        known: impl IntoIterator<Item = &'n str>,
    ) -> Option<&'n str> {
        self.similarity.nearest(name, known)
    }
}
