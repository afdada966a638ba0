//! Reading the text form: tokens to programs, by recursive descent over lines.
//!
//! A problem ends the line that it is on; reading goes on with the next one, so that all problems of a text are found
//! in one run. Names of routines and globals are collected first, and the declarations of a routine are read twice,
//! the first time for the names, since names may be used before their declarations.

mod body;
mod expr;
mod graph;
mod program;
mod routine;
mod statement;
#[cfg(test)]
mod tests;
mod types;

use super::{
    codes,
    lex::{Kind, Token, tokens},
};
use cfg_core::{
    diagnostic::{
        CodeInfo, Diagnostic, Diagnostics, MAX_PROBLEMS,
        similar::did_you_mean,
        site::{Element, Part, Site},
    },
    entity::{GlobalId, RecordId, RoutineId},
    ir::{Dim, Expr, Program, Routine},
};
use std::{
    collections::{HashMap, HashSet},
    io::Read as _,
};

/// A program that was read from text, with the places of its parts.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The program, not validated; `None` if the text has errors.
    pub program: Option<Program>,
    /// All problems, in the order of the text.
    pub problems: Diagnostics,
    /// The places of the program's parts.
    pub places: Places,
}

/// The places of the parts of a program in its text: offsets in bytes.
#[derive(Clone, Debug, Default)]
pub struct Places {
    routines: Vec<RoutinePlaces>,
    globals: Vec<usize>,
    /// Offsets of records and of their fields.
    records: Vec<(usize, Vec<usize>)>,
    /// Offsets at which lines begin.
    lines: Vec<usize>,
}

/// Offsets of the parts of a routine.
#[derive(Clone, Debug, Default)]
struct RoutinePlaces {
    head: usize,
    variables: Vec<usize>,
    /// The names in the lists of independents and dependents.
    independents: Vec<usize>,
    dependents: Vec<usize>,
    /// The derivative routines that are given.
    tangent: Option<usize>,
    adjoint: Option<usize>,
    /// The value and the first partial of an external routine.
    value: Option<usize>,
    partials: Option<usize>,
    vertices: Vec<usize>,
    /// Statements of each vertex.
    statements: Vec<Vec<usize>>,
    /// Vertices from which the edges lead.
    edges: Vec<usize>,
}

impl RoutinePlaces {
    /// The place of a part of the routine that has a line of its own.
    fn of_part(&self, part: Option<Part>, index: Option<usize>) -> Option<&usize> {
        match part? {
            Part::Independents => self.independents.get(index.unwrap_or(0)),
            Part::Dependents => self.dependents.get(index.unwrap_or(0)),
            Part::Derivatives => self.tangent.as_ref().or(self.adjoint.as_ref()),
            Part::Tangent => self.tangent.as_ref(),
            Part::Adjoint => self.adjoint.as_ref(),
            Part::External | Part::ExternalValue => self.value.as_ref().or(self.partials.as_ref()),
            Part::Partials => self.partials.as_ref(),
            Part::Name
            | Part::Type
            | Part::Shape
            | Part::Overlay
            | Part::Initial
            | Part::Main
            | Part::Parameters
            | Part::Result
            | Part::Vertices
            | Part::Test
            | Part::Condition
            | Part::Selector
            | Part::Arms
            | Part::Index
            | Part::First
            | Part::Last
            | Part::Step
            | Part::Target
            | Part::Value
            | Part::Arguments
            | Part::Reads
            | Part::Writes => None,
        }
    }
}

impl Places {
    /// Line and column, from 1, of a site. A site without text of its own has the place of the element around it.
    pub fn of_site(&self, site: &Site) -> Option<(usize, usize)> {
        if let Element::Global(g) = site.element {
            return Some(self.line_column(*self.globals.get(g.index())?));
        }
        if let Element::Record(r, field) = site.element {
            let (start, fields) = self.records.get(r.index())?;
            let field = field.and_then(|k| fields.get(k));
            return Some(self.line_column(*field.unwrap_or(start)));
        }
        let routine = self.routines.get(site.routine?.index())?;
        let found = match site.element {
            Element::Program | Element::Global(_) | Element::Record(..) => return None,
            Element::Routine => routine.of_part(site.part, site.index),
            Element::Variable(v) => routine.variables.get(v.index()),
            Element::Vertex(v) => routine.vertices.get(v.index()),
            Element::Statement(v, s) => {
                let statements = routine.statements.get(v.index());
                let statement = statements.and_then(|list| list.get(s));
                statement.or_else(|| routine.vertices.get(v.index()))
            }
            Element::Edge(e) => {
                let from = routine.edges.get(e.index());
                from.and_then(|&from| routine.vertices.get(from))
            }
        };
        Some(self.line_column(*found.unwrap_or(&routine.head)))
    }

    fn of_lines(text: &[u8]) -> Self {
        let breaks = text.iter().enumerate().filter(|(_, b)| **b == b'\n');
        Self {
            lines: std::iter::once(0)
                .chain(breaks.map(|(i, _)| i + 1))
                .collect(),
            ..Self::default()
        }
    }

    fn line_column(&self, offset: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|&start| start <= offset);
        let start = self.lines.get(line.wrapping_sub(1)).copied();
        (line.max(1), offset - start.unwrap_or(0) + 1)
    }
}

/// Reads a program from bytes, which may fail to be UTF-8.
pub fn read(bytes: &[u8]) -> Parsed {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(e) => {
            let places = Places::of_lines(bytes);
            let (line, column) = places.line_column(e.valid_up_to());
            let help = "convert the file to UTF-8, or check that it is a program";
            let problem = Diagnostic::error(&codes::UTF8, "the text is not UTF-8", help);
            Parsed {
                problems: problem.at_line(line, column).into(),
                places,
                ..Parsed::default()
            }
        }
    }
}

/// Reads a file to its end, or to its first zero byte, which no program has.
///
/// # Errors
/// The errors are those of `input`; a zero byte is [`std::io::ErrorKind::InvalidData`].
pub fn load(mut input: impl std::io::Read) -> std::io::Result<Vec<u8>> {
    const PIECE: u64 = 1 << 20;
    let mut bytes = Vec::new();
    loop {
        let start = bytes.len();
        let piece = std::io::Read::by_ref(&mut input);
        let read = std::io::Read::take(piece, PIECE).read_to_end(&mut bytes)?;
        if bytes[start..].contains(&0) {
            let message = "it has a zero byte, and is no text";
            return Err(std::io::Error::new(
                std::io::ErrorKind::InvalidData,
                message,
            ));
        }
        if read == 0 {
            return Ok(bytes);
        }
    }
}

/// Reads a program.
pub fn parse(text: &str) -> Parsed {
    let mut parser = Parser::new(text);
    parser.line_ends();
    parser.collect_names();
    parser.parse_program();
    let mut parsed = Parsed {
        program: None,
        problems: Diagnostics::default(),
        places: parser.places,
    };
    parsed.places.lines = Places::of_lines(text.as_bytes()).lines;
    parser.problems.sort_by_key(|(offset, _)| *offset);
    for (offset, problem) in parser.problems {
        let (line, column) = parsed.places.line_column(offset);
        parsed.problems.push(problem.at_line(line, column));
    }
    if !parser.failed {
        parsed.program = Some(parser.program);
    }
    parsed
}

/// Reads extents of an array as a declaration in `routine` has them: `[n, m + 1]`, `:` for one that is left open, or
/// one expression without brackets.
///
/// # Errors
/// The text is no list of extents, or names variables that the routine does not have.
pub fn extents(text: &str, routine: &Routine) -> Result<Vec<Dim>, Diagnostics> {
    let mut parser = Parser::new(text);
    let read = parser.parse_extents(routine);
    match read {
        Some(shape) if !parser.failed => Ok(shape),
        Some(_) | None => {
            let mut problems = Diagnostics::default();
            parser
                .problems
                .into_iter()
                .for_each(|(_, problem)| problems.push(problem));
            Err(problems)
        }
    }
}

/// The error of a line whose problem has been reported; the rest of the line is skipped.
#[derive(Debug)]
struct Fail;

type Parse<T> = Result<T, Fail>;

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    problems: Vec<(usize, Diagnostic)>,
    routines: HashMap<String, RoutineId>,
    globals: HashMap<String, GlobalId>,
    records: HashMap<String, RecordId>,
    program: Program,
    places: Places,
    /// Names that were reported as unknown in the routine that is being read.
    unknown: HashSet<String>,
    suggestions: Suggestions,
    warnings: usize,
    /// True if there was an error, also one too many to be told.
    failed: bool,
}

/// The search for names similar to unknown ones; limited to the first ones, since every search goes through all names.
struct Suggestions {
    left: usize,
}

impl Suggestions {
    fn suggest<'n>(&mut self, name: &str, known: impl FnOnce() -> Vec<&'n str>) -> Option<String> {
        self.left = self.left.checked_sub(1)?;
        let mut known = known();
        known.sort_unstable();
        did_you_mean(name, known)
    }
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            tokens: tokens(text),
            at: 0,
            problems: Vec::new(),
            routines: HashMap::new(),
            globals: HashMap::new(),
            records: HashMap::new(),
            program: Program::default(),
            places: Places::default(),
            unknown: HashSet::new(),
            suggestions: Suggestions { left: 100 },
            warnings: 0,
            failed: false,
        }
    }

    // --- tokens ---

    /// The current token; at the end a newline.
    fn current_token(&self) -> Token {
        self.token_at(0)
    }

    fn token_at(&self, ahead: usize) -> Token {
        let end = Token {
            kind: Kind::Newline,
            start: self.text.len(),
            end: self.text.len(),
        };
        self.tokens.get(self.at + ahead).copied().unwrap_or(end)
    }

    fn token_text(&self, token: Token) -> &'t str {
        &self.text[token.start..token.end]
    }

    fn is_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    fn is_newline(&self) -> bool {
        self.current_token().kind == Kind::Newline
    }

    /// True if the token so far ahead is this symbol.
    fn symbol_at(&self, ahead: usize, symbol: &str) -> bool {
        let token = self.token_at(ahead);
        token.kind == Kind::Symbol && self.token_text(token) == symbol
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        self.symbol_at(0, symbol)
    }

    /// True if the token so far ahead is this word.
    fn word_at(&self, ahead: usize, word: &str) -> bool {
        let token = self.token_at(ahead);
        token.kind == Kind::Word && self.token_text(token) == word
    }

    fn is_word(&self, word: &str) -> bool {
        self.word_at(0, word)
    }

    fn take_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect_symbol(&mut self, symbol: &str, help: &str) -> Parse<()> {
        if self.take_symbol(symbol) {
            return Ok(());
        }
        Err(self.report_unexpected(&format!("`{symbol}`"), help))
    }

    /// True if the line begins with an assignment, so that its first word is no keyword.
    fn is_assignment(&self) -> bool {
        if !matches!(self.current_token().kind, Kind::Word | Kind::Quoted) {
            return false;
        }
        // `p^ := x`; `local ^real p` is a declaration.
        let mut behind = 1;
        while self.symbol_at(behind, "^") {
            behind += 1;
        }
        [":=", "=", "[", "."]
            .iter()
            .any(|s| self.symbol_at(behind, s))
            && !(self.is_word("push") && self.symbol_at(1, "["))
    }

    /// Skips to the next line.
    fn skip_line(&mut self) {
        self.skip_to_line_end();
        self.at = (self.at + 1).min(self.tokens.len());
    }

    /// Skips to the end of the line.
    fn skip_to_line_end(&mut self) {
        while !self.is_newline() {
            self.at += 1;
        }
    }

    /// True if the token `ago` places back is the first on its line, and the line continues the one before.
    fn continues_line(&self, ago: usize) -> bool {
        let Some(at) = self.at.checked_sub(ago) else {
            return false;
        };
        let before = at.checked_sub(1).map(|before| self.tokens[before]);
        before.is_some_and(|token| token.kind != Kind::Newline)
            && self.text[..self.tokens[at].start]
                .trim_end_matches([' ', '\t'])
                .ends_with('\n')
    }

    /// The end of a line.
    fn expect_newline(&mut self) -> Parse<()> {
        if self.is_newline() {
            self.skip_line();
            return Ok(());
        }
        Err(self.report_unexpected("the end of the line", "write one statement on each line"))
    }

    /// Reads a line; after a problem, the rest of the line is skipped.
    fn parse_line<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Option<T> {
        let read = read(self).and_then(|value| self.expect_newline().map(|()| value));
        if read.is_err() {
            self.skip_line();
        }
        read.ok()
    }

    // --- problems ---

    fn report(
        &mut self,
        offset: usize,
        code: &CodeInfo,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Fail {
        self.failed = true;
        if self.problems.len() < MAX_PROBLEMS {
            self.problems
                .push((offset, Diagnostic::error(code, message, help)));
        }
        Fail
    }

    fn warn(&mut self, offset: usize, code: &CodeInfo, message: &str, help: &str) {
        // Warnings leave room for errors.
        if self.warnings < MAX_PROBLEMS / 10 {
            self.warnings += 1;
            let warning = Diagnostic::error(code, message, help).warning();
            self.problems.push((offset, warning));
        }
    }

    /// Reports the current token.
    fn report_unexpected(&mut self, wanted: &str, help: &str) -> Fail {
        let token = self.current_token();
        let found = self.describe_token(token);
        let (message, help) = match (token.kind, found.as_str()) {
            (Kind::Bad, _) if found.starts_with("`\"") => (
                "a name in quotes does not end on its line".to_owned(),
                "close the quote".to_owned(),
            ),
            (Kind::Bad, _) if found.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => (
                format!("{found} is no number and no name"),
                "write `2*x` for a product, 1e-3 for a power of ten".to_owned(),
            ),
            (Kind::Bad, _) => (
                format!("{found} has no meaning here"),
                "names that are no identifiers stand in double quotes".to_owned(),
            ),
            (Kind::Symbol, "`&`" | "`|`" | "`!`" | "`^`" | "`%`" | "`?`" | "`;`" | "`#`") => (
                format!("{found} has no meaning here"),
                match found.as_str() {
                    "`&`" => "write `and`",
                    "`|`" => "write `or`",
                    "`!`" => {
                        "write `not` for the opposite, `!=` for different, `//` before a comment"
                    }
                    "`^`" => "powers are written `x**2`",
                    "`%`" => "remainders are written `mod(a, b)`",
                    "`?`" => "write `if(condition, a, b)`",
                    "`;`" => "write one statement on each line",
                    _ => "comments begin with `//`",
                }
                .to_owned(),
            ),
            (_, "`=`") if wanted == "`:=`" => (
                "`=` where `:=` is expected".to_owned(),
                "assignments are written with `:=`, comparisons with `==`".to_owned(),
            ),
            _ => (
                format!("{found} where {wanted} is expected"),
                help.to_owned(),
            ),
        };
        self.report(token.start, &codes::SYNTAX, message, help)
    }

    /// A token for a message.
    fn describe_token(&self, token: Token) -> String {
        if token.kind == Kind::Newline {
            return "the end of the line".to_owned();
        }
        let spelled = self.token_text(token);
        match spelled.char_indices().nth(40) {
            Some((end, _)) => format!("`{}...`", &spelled[..end]),
            None => format!("`{spelled}`"),
        }
    }

    // --- names and numbers ---

    fn parse_name(&mut self, what: &str) -> Parse<String> {
        let token = self.current_token();
        let name = match token.kind {
            Kind::Word => self.token_text(token).to_owned(),
            Kind::Quoted => match unquoted(self.token_text(token)) {
                Some(name) => name,
                None => {
                    return Err(self.report(
                        token.start,
                        &codes::SYNTAX,
                        "an escape that is not known",
                        "in quotes there are \\\", \\\\, \\n, \\t, \\r and \\u{...} with a hexadecimal number",
                    ));
                }
            },
            Kind::Integer | Kind::Real | Kind::Symbol | Kind::Newline | Kind::Bad => {
                return Err(self.report_unexpected(what, "write a name there"));
            }
        };
        self.at += 1;
        Ok(name)
    }

    /// Parses an integer with its sign.
    fn parse_integer(&mut self, what: &str) -> Parse<i64> {
        let negative = self.is_symbol("-");
        let token = self.token_at(usize::from(negative));
        if token.kind != Kind::Integer {
            return Err(self.report_unexpected(what, "write an integer there"));
        }
        self.at += 1 + usize::from(negative);
        let text = self.token_text(token);
        let value = if negative {
            format!("-{text}").parse()
        } else {
            text.parse()
        };
        value.map_err(|_| {
            self.report(
                token.start,
                &codes::NUMBER,
                "integer beyond 64 bits",
                "write a smaller integer",
            )
        })
    }

    /// The result of reading without reports; `None` if nothing can be read.
    fn without_reports<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Option<T> {
        let (count, failed) = (self.problems.len(), self.failed);
        let read = read(self).ok();
        self.problems.truncate(count);
        self.failed = failed;
        read
    }

    fn global_named(&mut self, name: &str, at: usize) -> Parse<GlobalId> {
        if let Some(&id) = self.globals.get(name) {
            return Ok(id);
        }
        let known = || self.globals.keys().map(String::as_str).collect();
        let help = (self.suggestions.suggest(name, known))
            .unwrap_or_else(|| format!("declare it outside of routines: `global real {name}`"));
        Err(self.report(
            at,
            &codes::UNKNOWN,
            format!("unknown global `{name}`"),
            help,
        ))
    }

    fn routine_named(&mut self, name: &str, at: usize) -> Parse<RoutineId> {
        if let Some(&id) = self.routines.get(name) {
            return Ok(id);
        }
        let known = || self.routines.keys().map(String::as_str).collect();
        let help = (self.suggestions.suggest(name, known))
            .unwrap_or_else(|| "add the routine to the program".to_owned());
        Err(self.report(
            at,
            &codes::UNKNOWN,
            format!("unknown routine `{name}`"),
            help,
        ))
    }

    fn parse_constant(&mut self) -> Parse<Expr> {
        let nothing = routine::Names::default();
        self.parse_expr(&nothing)
    }

    fn push_routine(&mut self, routine: Routine, places: RoutinePlaces) {
        self.program.routines.push(routine);
        self.places.routines.push(places);
    }
}

/// The name in a quoted token.
fn unquoted(spelled: &str) -> Option<String> {
    let inside = spelled.strip_prefix('"')?.strip_suffix('"')?;
    let mut name = String::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            name.push(c);
            continue;
        }
        match chars.next()? {
            '"' => name.push('"'),
            '\\' => name.push('\\'),
            'n' => name.push('\n'),
            't' => name.push('\t'),
            'r' => name.push('\r'),
            'u' => {
                let rest = chars.as_str().strip_prefix('{')?;
                let (digits, after) = rest.split_once('}')?;
                // A sign is no digit, although `from_str_radix` takes it.
                if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return None;
                }
                name.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                chars = after.chars();
            }
            _ => return None,
        }
    }
    Some(name)
}
