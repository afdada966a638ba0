//! Bodies as statements: `for`, `while`, `do`, `if`, `select`, jumps and labels become vertices and edges.
//!
//! Every construct has the vertices that a structured graph has, BRANCH and ENDBRANCH, LOOP and ENDLOOP; statements in
//! a row are one basic block. A mark, `@5`, gives the id 5 to the vertex that its line begins; a mark on a line alone
//! begins a basic block. Edge ids follow the mark, `@5 #1 #2`, in the order of the out-edges. Without marks, vertices
//! are numbered from 1 in the order of the text; after a mark, from its number on.

mod construct;
mod finish;

use super::{Kind, Parse, Parser, Places, RoutinePlaces, codes, routine::Names};
use cfg_core::{
    diagnostic::similar::did_you_mean,
    ir::{Arm, At, Checkpoint, Control, Expr, Origin, Routine, Stmt, VertexKind},
};
use std::collections::{BTreeMap, HashMap};

/// The ids, the origin and the span that a line gives to a vertex, besides its kind.
#[derive(Default)]
struct Mark {
    id: Option<i64>,
    edge_ids: Vec<i64>,
    checkpoint: Option<Checkpoint>,
    origin: Option<Origin>,
    at: At,
    start: usize,
}

/// A vertex before all have ids.
struct Draft {
    kind: VertexKind,
    id: Option<i64>,
    checkpoint: Option<Checkpoint>,
    origin: Option<Origin>,
    at: At,
    edge_ids: Vec<i64>,
    start: usize,
    statements: Vec<usize>,
}

/// An edge whose target may be open.
struct DraftEdge {
    from: usize,
    to: usize,
    label: Option<i64>,
}

/// A construct that is not closed.
enum Open {
    Loop {
        header: usize,
        /// True for `do`, whose condition stands at the end.
        post: bool,
        breaks: Vec<usize>,
        continues: Vec<usize>,
        word: &'static str,
    },
    If {
        header: usize,
        /// Edges that lead to the end.
        ends: Vec<usize>,
        has_else: bool,
        /// True if `else if` opened the construct: it closes with the one around it.
        chained: bool,
    },
    Select {
        header: usize,
        value: Expr,
        arms: Vec<Arm>,
        ends: Vec<usize>,
    },
}

/// A label, and the jumps to it that wait for it.
#[derive(Default)]
struct Label {
    block: Option<usize>,
    /// The header of the innermost counted loop around it.
    counted: Option<usize>,
    jumps: Vec<usize>,
    /// The start of the first jump in the text.
    start: usize,
}

/// The body that is being read.
#[derive(Default)]
struct Body {
    vertices: Vec<Draft>,
    edges: Vec<DraftEdge>,
    /// Edges that lead to the next vertex.
    pending: Vec<usize>,
    /// The basic block to which statements are added.
    current: Option<usize>,
    open: Vec<(Open, usize)>,
    returns: Vec<usize>,
    labels: BTreeMap<String, Label>,
    jumps: bool,
    /// True if the next statement has been reported as unreachable.
    told: bool,
    exit: Option<Mark>,
    /// The start of the routine's `end`, once it has been read.
    ended: Option<usize>,
    /// Starts of statements that were reported as unreachable.
    told_at: Vec<usize>,
    /// Counted loops, by header: where their text begins and ends.
    counted: HashMap<usize, [usize; 2]>,
    /// The open counted loops, the innermost last.
    open_counted: Vec<usize>,
    /// The jumps to labels.
    gotos: Vec<(String, usize)>,
    /// The first construct whose `end` stands further to the left than its beginning, and this `end`.
    shifted: Option<[usize; 2]>,
}

impl Body {
    fn add(&mut self, kind: VertexKind, mark: Mark) -> usize {
        let v = self.vertices.len();
        self.vertices.push(Draft {
            kind,
            id: mark.id,
            checkpoint: mark.checkpoint,
            origin: mark.origin,
            at: mark.at,
            edge_ids: mark.edge_ids,
            start: mark.start,
            statements: Vec::new(),
        });
        for e in self.pending.drain(..) {
            self.edges[e].to = v;
        }
        self.current = None;
        v
    }

    /// Adds an edge to the next vertex.
    fn leave(&mut self, from: usize, label: Option<i64>) {
        self.pending.push(self.edges.len());
        self.edges.push(DraftEdge {
            from,
            to: from,
            label,
        });
    }

    fn block(&mut self, mark: Mark) -> usize {
        let block = self.add(VertexKind::Block(Vec::new()), mark);
        self.leave(block, None);
        self.current = Some(block);
        block
    }

    /// Takes the edges that would lead on from here.
    fn jump(&mut self) -> Vec<usize> {
        self.current = None;
        self.jumps = true;
        self.told = false;
        std::mem::take(&mut self.pending)
    }
}

/// Words that begin or end constructs, or jump.
const WORDS: [&str; 17] = [
    "entry", "exit", "for", "forloop", "while", "do", "if", "else", "select", "case", "end",
    "break", "continue", "return", "goto", "label", "endif",
];

impl Parser<'_> {
    /// The statements up to the routine's end.
    pub(super) fn parse_body(
        &mut self,
        names: &Names,
        routine: &mut Routine,
        places: &mut RoutinePlaces,
    ) {
        let mut body = Body::default();
        let mut entry = Mark {
            start: places.head,
            ..Mark::default()
        };
        // A line for ENTRY gives it an id.
        if let Some(mark) = self.marked_line("entry") {
            entry = mark;
        }
        let v = body.add(VertexKind::Entry, entry);
        body.leave(v, None);
        while body.ended.is_none() {
            let start = self.current_token().start;
            if self.is_end() || self.is_head() {
                // The innermost open construct is reported; if none is open, an earlier `end` has closed the wrong
                // one.
                let (what, message, mut help) = match body.open.last() {
                    Some((_, at)) => (
                        *at,
                        "this is not closed",
                        "write `end` where it ends".to_owned(),
                    ),
                    None => (
                        start,
                        "the routine has no end",
                        "write `end`; each `if`, `for`, `while`, `do` and `select` has one of its own"
                            .to_owned(),
                    ),
                };
                if let Some([begun, end]) = body.shifted {
                    let lines = Places::of_lines(self.text.as_bytes());
                    let [begun, end] = [begun, end].map(|at| lines.line_column(at).0);
                    help = format!(
                        "the `end` in line {end} closes what begins in line {begun}, although it stands further to the \
                         left: an `end` seems to be missing before it"
                    );
                }
                self.report(what, &codes::OPEN, message, help);
                break;
            }
            self.parse_line(|p| p.body_line(names, routine, &mut body));
            if self.problems.len() >= cfg_core::diagnostic::MAX_PROBLEMS {
                self.at = self.tokens.len();
            }
        }
        let general = routine.control == Control::General;
        let control = self.finish(body, routine, places);
        if general {
            routine.control = Control::General;
        } else {
            routine.control = control;
        }
    }

    /// The mark of a line that consists of this word.
    fn marked_line(&mut self, word: &str) -> Option<Mark> {
        let at = self.at;
        let found = self.without_reports(|p| {
            let mut mark = p.parse_mark()?;
            if !p.take_word(word) {
                return Err(super::Fail);
            }
            p.parse_description(&mut mark)?;
            p.expect_newline()?;
            Ok(mark)
        });
        if found.is_none() {
            self.at = at;
        }
        found
    }

    /// `@5 #1 #2`, if it is there.
    fn parse_mark(&mut self) -> Parse<Mark> {
        let mut mark = Mark {
            start: self.current_token().start,
            ..Mark::default()
        };
        if self.take_symbol("@") {
            mark.id = Some(self.parse_integer("the id of a vertex")?);
        }
        while self.is_symbol("#") && matches!(self.token_at(1).kind, Kind::Integer | Kind::Symbol) {
            self.at += 1;
            mark.edge_ids.push(self.parse_integer("the id of an edge")?);
        }
        Ok(mark)
    }

    /// The origin and the span of the vertex, if they are there.
    fn parse_description(&mut self, mark: &mut Mark) -> Parse<()> {
        (mark.checkpoint, mark.origin) = self.parse_braces()?;
        mark.at = self.parse_span()?;
        Ok(())
    }

    fn body_line(&mut self, names: &Names, routine: &Routine, body: &mut Body) -> Parse<()> {
        if body.exit.is_some() && !self.is_word("end") {
            let help = "`exit` numbers the routine's last vertex: it stands right before `end`. Write `break` to leave \
                        a loop, `return` to leave the routine";
            body.exit = None;
            return Err(self.report(
                self.current_token().start,
                &codes::SYNTAX,
                "this stands behind `exit`",
                help,
            ));
        }
        let mut mark = self.parse_mark()?;
        let marked = mark.id.is_some() || !mark.edge_ids.is_empty();
        let token = self.current_token();
        let word = self.token_text(token);
        if self.is_statement() {
            let at = token.start;
            let statement = self.parse_statement(names);
            if marked {
                body.block(mark);
            }
            self.append(body, statement?, at);
            return Ok(());
        }
        if token.kind != Kind::Word || self.is_assignment() {
            // A mark alone.
            self.parse_description(&mut mark)?;
            let is_described =
                mark.checkpoint.is_some() || mark.origin.is_some() || mark.at.is_some();
            if (marked || is_described) && self.is_newline() {
                body.block(mark);
                return Ok(());
            }
            return Err(
                self.report_unexpected("a statement", "statements begin with a name or a keyword")
            );
        }
        if matches!(word, "break" | "continue" | "return" | "goto" | "label")
            && marked
            && word != "label"
        {
            return Err(self.report_unexpected(
                "a vertex",
                "a jump has no vertex of its own: leave out the mark",
            ));
        }
        match word {
            "for" | "forloop" | "while" | "do" => self.begin_loop(names, body, mark),
            "if" => {
                self.at += 1;
                self.begin_if(names, body, mark, false)
            }
            "else" => self.else_line(names, body, marked),
            "select" => {
                self.at += 1;
                // The construct is opened nevertheless, so that its end is recognised.
                let value = self.parse_expr(names);
                let failed = value.is_err();
                let value = value.unwrap_or(Expr::Int(0));
                if !failed {
                    self.parse_description(&mut mark)?;
                }
                self.warn_unreachable(body, token.start);
                let header = body.add(VertexKind::branch_on(Expr::Logical(true)), mark);
                let open = Open::Select {
                    header,
                    value,
                    arms: Vec::new(),
                    ends: Vec::new(),
                };
                body.open.push((open, token.start));
                if failed { Err(super::Fail) } else { Ok(()) }
            }
            "case" => self.parse_case(body, marked),
            "end" => self.parse_end(names, routine, body, mark),
            "break" | "continue" | "return" | "goto" => self.parse_jump(body),
            "label" => {
                self.at += 1;
                let at = self.current_token().start;
                let name = self.parse_name("the name of a label")?;
                self.parse_description(&mut mark)?;
                let block = body.block(mark);
                let counted = body.open_counted.last().copied();
                let label = body.labels.entry(name.clone()).or_default();
                label.counted = counted;
                if label.block.replace(block).is_some() {
                    let message = format!("label `{name}` is declared twice");
                    return Err(self.report(at, &codes::TWICE, message, "rename one of the two"));
                }
                for e in std::mem::take(&mut label.jumps) {
                    body.edges[e].to = block;
                }
                body.told = false;
                Ok(())
            }
            "exit" => {
                self.at += 1;
                self.parse_description(&mut mark)?;
                if !body.open.is_empty() {
                    let help = "write `break` to leave a loop, `return` to leave the routine; `exit` numbers the \
                                routine's last vertex, right before its `end`";
                    let message = "`exit` inside a construct";
                    return Err(self.report(token.start, &codes::SYNTAX, message, help));
                }
                body.exit = Some(mark);
                Ok(())
            }
            "endif" | "endfor" | "endwhile" | "enddo" | "fi" | "done" | "endselect" => {
                let fail = self.report_unexpected("a statement", "write `end`");
                // The meaning is clear; without this, a missing `end` would be reported too.
                self.parse_end(names, routine, body, mark)?;
                Err(fail)
            }
            _ => {
                let cure = match word {
                    "elseif" | "elif" | "elsif" => "write `else if`".to_owned(),
                    "exitloop" | "leave" => "write `break`".to_owned(),
                    "cycle" | "next" => "write `continue`".to_owned(),
                    "switch" => "write `select`".to_owned(),
                    "local" | "uses" | "independent" | "dependent" => {
                        "declarations stand before the first statement".to_owned()
                    }
                    "default" => "write `case default`".to_owned(),
                    "then" => "leave it out: the statements follow on the next lines".to_owned(),
                    _ if self.is_bare_declaration() => {
                        "declare variables with `local`, before the first statement: `local real x`"
                            .to_owned()
                    }
                    _ if names.find(word).is_some() => {
                        format!("write what it becomes: `{word} := ...`")
                    }
                    _ if self.routines.contains_key(word) => format!("write `call {word}(...)`"),
                    _ => did_you_mean(word, WORDS).unwrap_or_else(|| {
                        "statements are `x := y`, `call f(x)`, `if c`, `for i = 1, n`, ..."
                            .to_owned()
                    }),
                };
                Err(self.report_unexpected("a statement", &cure))
            }
        }
    }

    fn append(&mut self, body: &mut Body, statement: Stmt, at: usize) {
        let block = match body.current {
            Some(block) => block,
            None => {
                self.warn_unreachable(body, at);
                body.block(Mark {
                    start: at,
                    ..Mark::default()
                })
            }
        };
        let draft = &mut body.vertices[block];
        if let VertexKind::Block(statements) = &mut draft.kind {
            statements.push(statement);
            draft.statements.push(at);
        }
    }

    /// Warns once that the next statement is unreachable.
    fn warn_unreachable(&mut self, body: &mut Body, at: usize) {
        if body.pending.is_empty() && !body.told {
            body.told = true;
            body.told_at.push(at);
            self.warn(
                at,
                &codes::UNREACHABLE,
                "this is never executed and left out",
                "remove it, or declare a label before it to which a `goto` leads",
            );
        }
    }

    fn parse_jump(&mut self, body: &mut Body) -> Parse<()> {
        let start = self.current_token().start;
        let word = self.token_text(self.current_token());
        self.at += 1;
        let target = if word == "goto" {
            Some(self.parse_name("the name of a label")?)
        } else {
            None
        };
        if !self.is_newline() {
            return Err(self.report_unexpected(
                "the end of the line",
                match word {
                    "return" => "assign what a function returns to its result before it",
                    "goto" => "write one statement on each line",
                    _ => "it is for the innermost loop; for another one write a label and `goto`",
                },
            ));
        }
        self.warn_unreachable(body, start);
        let jump = body.jump();
        match (word, target) {
            ("return", _) => body.returns.extend(jump),
            (_, Some(name)) => {
                body.gotos.push((name.clone(), start));
                let label = body.labels.entry(name).or_insert_with(|| Label {
                    start,
                    ..Label::default()
                });
                match label.block {
                    Some(block) => {
                        for e in jump {
                            body.edges[e].to = block;
                        }
                    }
                    None => label.jumps.extend(jump),
                }
            }
            (word, None) => {
                let loops = body.open.iter_mut().rev().map(|(open, _)| open);
                let innermost = loops.filter_map(|open| match open {
                    Open::Loop {
                        breaks, continues, ..
                    } => Some((breaks, continues)),
                    Open::If { .. } | Open::Select { .. } => None,
                });
                let Some((breaks, continues)) = { innermost }.next() else {
                    let message = format!("`{word}` stands in no loop");
                    let help = "write it between the beginning and the end of a loop";
                    return Err(self.report(start, &codes::JUMP, message, help));
                };
                if word == "break" {
                    breaks.extend(jump);
                } else {
                    continues.extend(jump);
                }
            }
        }
        Ok(())
    }
}
