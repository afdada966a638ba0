//! Statements of C in a flat list: those that have others inside are opened and closed.

use super::operators::{Code, Name, Node};
use cfg_core::ir::ScalarType;
use std::{
    collections::{HashMap, HashSet},
    fmt::{Display, Write as _},
};

/// Deepest indentation, so that nests of any depth take space in proportion to their statements.
const DEEPEST: usize = 20;

/// A statement, or the beginning or the end of one.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    /// An expression: an assignment, a call, a declaration.
    Expression(Code),
    /// A declaration of an array, with its values one below the other.
    Table(Code, Vec<Code>),
    Return(Code),
    Break,
    Continue,
    Goto(Name),
    Label(Name),
    /// A test of the next statement.
    Guard(Code),
    If(Code),
    Else,
    ElseIf(Code),
    While(Code),
    /// The beginning, if there is one, the test and the step; true if the next statement alone is repeated.
    For(Option<Code>, Box<[Code; 2]>, bool),
    Forever,
    Do,
    Switch(Code),
    Case(i64),
    Default,
    /// The next statement alone is done in no case before.
    Otherwise,
    Block,
    End,
    EndDo(Code),
    /// The function leaves with one of these messages if this variable says so, to memory of this name.
    Stop([Name; 2], Vec<String>),
    Comment(String),
    /// The next statements have this origin; 0 is none.
    Mark(usize),
    /// A line as it is.
    Text(String),
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "most statements have no expressions"
)]
impl Statement {
    /// The expressions of the statement.
    fn codes(&self) -> impl Iterator<Item = &Code> {
        let (one, more): (Option<&Code>, &[Code]) = match self {
            Self::Expression(code)
            | Self::Return(code)
            | Self::Guard(code)
            | Self::If(code)
            | Self::ElseIf(code)
            | Self::While(code)
            | Self::Switch(code)
            | Self::EndDo(code) => (Some(code), &[]),
            Self::Table(code, more) => (Some(code), more),
            Self::For(first, more, _) => (first.as_ref(), &**more),
            _ => (None, &[]),
        };
        one.into_iter().chain(more)
    }

    /// The names of the statement.
    pub(super) fn names(&self) -> impl Iterator<Item = &Name> {
        let stops: &[Name] = match self {
            Self::Stop(names, _) => names,
            _ => &[],
        };
        self.codes().flat_map(Code::names).chain(stops)
    }

    /// True of a statement that may stand without braces under a condition.
    fn is_simple(&self) -> bool {
        match self {
            Self::Expression(code) => !code.declares(),
            Self::Return(_) | Self::Break | Self::Continue => true,
            _ => false,
        }
    }

    /// The statement with other names.
    pub(super) fn renamed(mut self, new: &HashMap<Name, Name>) -> Self {
        let mut each = |code: &mut Code| code.rename(new);
        match &mut self {
            Self::Expression(code)
            | Self::Return(code)
            | Self::Guard(code)
            | Self::If(code)
            | Self::ElseIf(code)
            | Self::While(code)
            | Self::Switch(code)
            | Self::EndDo(code) => each(code),
            Self::Table(code, more) => {
                each(code);
                more.iter_mut().for_each(each);
            }
            Self::For(first, more, _) => {
                first.as_mut().map(&mut each);
                more.iter_mut().for_each(each);
            }
            _ => {}
        }
        self
    }

    /// The names that the statement reads, or hands on: all but the variables that it assigns to or declares.
    pub(super) fn reads(&self) -> Vec<&Name> {
        match self {
            Self::Expression(code) => code.reads(),
            _ => self.names().collect(),
        }
    }

    /// True if a function of this name is called.
    pub(super) fn calls(&self, function: &str) -> bool {
        let mut nodes = self.codes().flat_map(Code::nodes);
        nodes.any(|node| matches!(node, Node::Call(name, _) if &**name == function))
    }
}

/// The statements without braces around single ones, under conditions without `else` and in counted loops.
pub(super) fn without_braces(statements: Vec<Statement>) -> Vec<Statement> {
    let mut bare: HashSet<usize> = HashSet::new();
    for (at, statement) in statements.iter().enumerate() {
        let begins = matches!(statement, Statement::If(_) | Statement::For(_, _, false));
        let inside = (at + 1..).zip(statements.iter().skip(at + 1));
        let mut inside = inside.filter(|(_, s)| !matches!(s, Statement::Mark(_)));
        if begins
            && inside.next().is_some_and(|(_, s)| s.is_simple())
            && let Some((end, Statement::End)) = inside.next()
        {
            bare.extend([at, end]);
        }
    }
    let all = statements.into_iter().enumerate();
    let made = all.filter_map(|(at, statement)| match (bare.contains(&at), statement) {
        (true, Statement::If(code)) => Some(Statement::Guard(code)),
        (true, Statement::For(first, more, _)) => Some(Statement::For(first, more, true)),
        (true, _) => None,
        (false, statement) => Some(statement),
    });
    made.collect()
}

/// Statements, inside of some blocks.
#[derive(Debug, Default)]
pub(super) struct Lines {
    all: Vec<Statement>,
    depth: usize,
}

impl From<Code> for Statement {
    fn from(code: Code) -> Self {
        Self::Expression(code)
    }
}

impl Extend<Statement> for Lines {
    fn extend<T: IntoIterator<Item = Statement>>(&mut self, statements: T) {
        self.all.extend(statements);
    }
}

impl Lines {
    /// No statements yet, inside of this many blocks.
    pub(super) fn new(depth: usize) -> Self {
        let all = Vec::new();
        Self { all, depth }
    }

    /// Adds a statement.
    pub(super) fn add(&mut self, statement: impl Into<Statement>) {
        self.all.push(statement.into());
    }

    /// Adds an assignment.
    pub(super) fn set(&mut self, target: &Code, value: impl Into<Code>) {
        self.add(target.clone().set(value));
    }

    /// Adds a line as it is.
    pub(super) fn push_line(&mut self, line: impl Display) {
        self.add(Statement::Text(line.to_string()));
    }

    /// Ends a block.
    pub(super) fn close_block(&mut self) {
        self.add(Statement::End);
    }

    /// The place behind what is written, for [`Self::since`] and [`Self::insert`].
    pub(super) fn here(&self) -> usize {
        self.all.len()
    }

    /// The statements that were written since.
    pub(super) fn since(&self, place: usize) -> &[Statement] {
        &self.all[place..]
    }

    /// Takes away what was written since.
    pub(super) fn cut(&mut self, place: usize) {
        self.all.truncate(place);
    }

    /// Adds a statement at a place.
    pub(super) fn insert(&mut self, place: usize, statement: impl Into<Statement>) {
        self.all.insert(place, statement.into());
    }

    /// Makes a block of what was written since.
    pub(super) fn wrap(&mut self, place: usize) {
        self.insert(place, Statement::Block);
        self.close_block();
    }

    /// Adds the statements of another list.
    pub(super) fn append(&mut self, mut other: Self) {
        self.all.append(&mut other.all);
    }

    /// The statements.
    pub(super) fn into_statements(self) -> Vec<Statement> {
        self.all
    }

    /// The text.
    pub(super) fn into_text(self) -> String {
        let mut printer = Printer {
            text: String::new(),
            depth: self.depth,
            inner: false,
        };
        // Statements go as they become text.
        self.all.into_iter().for_each(|s| printer.statement(&s));
        printer.text
    }
}

/// A statement that reads a variable.
pub(super) fn silenced(name: &Name) -> Code {
    Code::from(name.clone()).cast("void", ScalarType::Tape)
}

/// Text of statements.
struct Printer {
    text: String,
    depth: usize,
    /// True before a statement that stands alone under a test.
    inner: bool,
}

impl Printer {
    fn line(&mut self, line: impl Display) {
        let inner = usize::from(std::mem::take(&mut self.inner));
        for _ in 0..self.depth.min(DEEPEST) + inner {
            self.text.push_str("    ");
        }
        // Strings take everything.
        let _ = writeln!(self.text, "{line}");
    }

    /// A line behind the end of a block, or before the beginning of one.
    fn block(&mut self, ends: bool, line: impl Display, begins: bool) {
        self.depth = self.depth.saturating_sub(ends.into());
        self.line(line);
        self.depth += usize::from(begins);
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expression(code) => self.line(format_args!("{code};")),
            Statement::Table(code, rows) => {
                self.block(false, format_args!("{code}[] = {{"), true);
                rows.iter()
                    .for_each(|row| self.line(format_args!("{row},")));
                self.block(true, "};", false);
            }
            Statement::Return(code) => self.line(format_args!("return {code};")),
            Statement::Break => self.line("break;"),
            Statement::Continue => self.line("continue;"),
            Statement::Goto(label) => self.line(format_args!("goto {label};")),
            Statement::Label(label) => self.text.extend([label, ":;\n"]),
            Statement::Guard(code) => {
                self.line(format_args!("if ({code})"));
                self.inner = true;
            }
            Statement::If(code) => self.block(false, format_args!("if ({code}) {{"), true),
            Statement::Else => self.block(true, "} else {", true),
            Statement::ElseIf(code) => {
                self.block(true, format_args!("}} else if ({code}) {{"), true);
            }
            Statement::While(code) => self.block(false, format_args!("while ({code}) {{"), true),
            Statement::For(first, more, alone) => {
                let first = first.as_ref().map_or_else(String::new, Code::to_string);
                let [test, step] = &**more;
                let open = if *alone { "" } else { " {" };
                self.block(
                    false,
                    format_args!("for ({first}; {test}; {step}){open}"),
                    !alone,
                );
                self.inner = *alone;
            }
            Statement::Forever => self.block(false, "for (;;) {", true),
            Statement::Do => self.block(false, "do {", true),
            Statement::Switch(code) => self.block(false, format_args!("switch ({code}) {{"), true),
            Statement::Case(n) => self.line(format_args!("case {}:", Node::Integer(*n))),
            Statement::Default | Statement::Otherwise => {
                self.line("default:");
                self.inner = matches!(statement, Statement::Otherwise);
            }
            Statement::Block => self.block(false, "{", true),
            Statement::End => self.block(true, "}", false),
            Statement::EndDo(code) => self.block(true, format_args!("}} while ({code});"), false),
            Statement::Stop([variable, memory], messages) => {
                self.line(format_args!("if ({variable}.at)"));
                let stop =
                    |with: &str| format!("    return cfgrev_stop{with}({memory}, &{variable}, ");
                if let [one] = &messages[..] {
                    self.line(format_args!("{}\"{one}\");", stop("")));
                    return;
                }
                self.line(format_args!("{}(const char *const []){{", stop("_with")));
                for message in messages {
                    self.line(format_args!("        \"{message}\","));
                }
                self.line("        NULL});");
            }
            Statement::Comment(text) => self.line(format_args!("/* {text} */")),
            Statement::Mark(number) => {
                let _ = writeln!(self.text, "{}{number}", super::origins::MARK);
            }
            Statement::Text(line) => self.line(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, Statement};
    use crate::c::operators::{Code, Infix};
    use cfg_core::ir::ScalarType::Integer;

    /// Lines are indented by up to 20 levels, also those that are put in and those that come into a block.
    #[test]
    fn lines_are_indented_up_to_a_depth() {
        for (depth, levels, wrapped) in [(19, 19, 20), (20, 20, 20), (21, 20, 20)] {
            let mut lines = Lines::new(depth);
            lines.push_line("b;");
            lines.insert(0, Statement::Text("a;".to_owned()));
            lines.push_line("c;");
            lines.wrap(2);
            let (indent, inside) = ("    ".repeat(levels), "    ".repeat(wrapped));
            let whole = format!("{indent}a;\n{indent}b;\n{indent}{{\n{inside}c;\n{indent}}}\n");
            assert_eq!(lines.into_text(), whole, "{depth}");
        }
    }

    #[test]
    fn single_statements_have_no_braces() {
        let [a, b] = ["a", "b"].map(|name| Code::name(name, Integer));
        let text = |statements: &[Statement]| {
            let mut lines = Lines::new(0);
            lines.extend(super::without_braces(statements.to_vec()));
            let text = lines.into_text();
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            lines.join(" ")
        };
        let set = Statement::from(a.clone().set(b.clone()));
        let when = Statement::If(b.clone());
        let count = Statement::For(None, [b.clone(), a.clone()].into(), false);
        let one = [
            when.clone(),
            Statement::Mark(1),
            set.clone(),
            Statement::End,
        ];
        assert_eq!(text(&one), "if (b) \u{1}1 a = b;");
        let looped = [count.clone(), set.clone(), Statement::End];
        assert_eq!(text(&looped), "for (; b; a) a = b;");
        // An `else` belongs to the last condition before it, and a declaration is no statement.
        let nested = [
            when.clone(),
            when.clone(),
            set.clone(),
            Statement::End,
            Statement::Else,
            set.clone(),
            Statement::End,
        ];
        assert_eq!(text(&nested), "if (b) { if (b) a = b; } else { a = b; }");
        let declared = Statement::from(a.declared("int").set(b));
        assert_eq!(
            text(&[when.clone(), declared, Statement::End]),
            "if (b) { int a = b; }"
        );
        assert_eq!(
            text(&[when, set.clone(), set, Statement::End]),
            "if (b) { a = b; a = b; }"
        );
    }

    #[test]
    fn targets_are_not_read() {
        let [a, b, c] = ["a", "b", "c"].map(|name| Code::name(name, Integer));
        let of = |code: Code| {
            Statement::from(code)
                .reads()
                .iter()
                .map(|n| n.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(of(a.clone().set(b.clone())), "b");
        assert_eq!(
            of(a.clone().at(b.clone()).with(Infix::AddTo, c.clone())),
            "b c"
        );
        assert_eq!(
            of(a.clone().member("->x").at(b.clone()).set(c.clone())),
            "b a c"
        );
        let both = a.clone().declared("int").set(b.clone().set(c.clone()));
        assert_eq!(of(both.with(Infix::Comma, c.set(a))), "b c a");
    }
}
