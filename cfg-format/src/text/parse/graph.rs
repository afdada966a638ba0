//! Bodies as graphs: a line for each vertex, its statements on the lines below it.

use super::{Fail, Kind, Parse, Parser, RoutinePlaces, codes, routine::Names};
use cfg_core::{
    diagnostic::similar::did_you_mean,
    entity::VertexId,
    ir::{
        Arm, At, CaseRange, Cfg, Checkpoint, Edge, Expr, LoopForm, LoopTest, Origin, OriginRole,
        Routine, ScalarType, Selector, Span, Vertex, VertexKind, VertexType, complete_edge_ids,
    },
};
use std::{collections::HashMap, num::NonZeroU32, sync::Arc};

/// An edge whose target id is not looked up yet: source, target with its place in the text, label, id.
struct EdgeLine {
    from: usize,
    to: (i64, usize),
    label: Option<i64>,
    id: Option<i64>,
}

impl Parser<'_> {
    /// True if the line begins a vertex: an id and a type.
    pub(super) fn is_graph_line(&self) -> bool {
        let sign = usize::from(self.is_symbol("-"));
        self.token_at(sign).kind == Kind::Integer && self.token_at(sign + 1).kind == Kind::Word
    }

    /// The lines up to the routine's end.
    pub(super) fn parse_graph(
        &mut self,
        names: &Names,
        routine: &mut Routine,
        places: &mut RoutinePlaces,
    ) {
        let mut vertices: Vec<Vertex> = Vec::new();
        let mut edges: Vec<EdgeLine> = Vec::new();
        loop {
            let start = self.current_token().start;
            if self.is_end() || self.is_head() {
                self.report(
                    start,
                    &codes::OPEN,
                    "the routine has no end",
                    "write `end` after its last vertex",
                );
                break;
            }
            if self.is_graph_line() {
                let from = vertices.len();
                let count = edges.len();
                if let Some(vertex) = self.parse_line(|p| p.parse_vertex(names, from, &mut edges)) {
                    vertices.push(vertex);
                    places.vertices.push(start);
                    places.statements.push(Vec::new());
                } else {
                    edges.truncate(count);
                }
            } else if self.is_word("end") && !self.is_assignment() {
                let read = self.parse_line(|p| {
                    p.at += 1;
                    p.end_of_routine(routine);
                    Ok(())
                });
                if read.is_some() {
                    break;
                }
            } else if let Some(statement) = self.parse_line(|p| p.parse_statement(names)) {
                let last = vertices.last_mut().map(|v| &mut v.kind);
                if let (Some(VertexKind::Block(block)), Some(offsets)) =
                    (last, places.statements.last_mut())
                {
                    block.push(statement);
                    offsets.push(start);
                } else {
                    let message = "a statement that is in no basic block";
                    let help = "write it on the lines after a BASICBLOCK";
                    self.report(start, &codes::SYNTAX, message, help);
                }
            }
        }
        self.connect(vertices, edges, routine, places);
    }

    fn connect(
        &mut self,
        vertices: Vec<Vertex>,
        lines: Vec<EdgeLine>,
        routine: &mut Routine,
        places: &mut RoutinePlaces,
    ) {
        let mut by_id = HashMap::with_capacity(vertices.len());
        for (i, vertex) in vertices.iter().enumerate() {
            if by_id.insert(vertex.id, VertexId::new(i)).is_some() {
                let at = places.vertices.get(i).copied().unwrap_or(places.head);
                let message = format!("vertex {} is given twice", vertex.id);
                self.report(at, &codes::IDENTITY, message, "give it another id");
            }
        }
        let mut edges = Vec::with_capacity(lines.len());
        for line in lines {
            let (id, at) = line.to;
            let Some(&to) = by_id.get(&id) else {
                let message = format!("there is no vertex {id}");
                let help = "add a line for it, or let the edge lead elsewhere";
                self.report(at, &codes::UNKNOWN, message, help);
                continue;
            };
            places.edges.push(line.from);
            edges.push(Edge {
                id: line.id,
                ..Edge::new(VertexId::new(line.from), to, line.label)
            });
        }
        complete_edge_ids(&mut edges);
        routine.body = Cfg::new(vertices, edges);
    }

    fn parse_vertex(
        &mut self,
        names: &Names,
        from: usize,
        edges: &mut Vec<EdgeLine>,
    ) -> Parse<Vertex> {
        let id = self.parse_integer("the id of a vertex")?;
        let token = self.current_token();
        let word = self.token_text(token);
        let Some(ty) = VertexType::ALL.into_iter().find(|ty| ty.name() == word) else {
            let known = VertexType::ALL.map(VertexType::name);
            let help = did_you_mean(word, known)
                .unwrap_or_else(|| format!("types are {}", known.join(", ")));
            return Err(self.report_unexpected("the type of a vertex", &help));
        };
        self.at += 1;
        let kind = match ty {
            VertexType::Entry => VertexKind::Entry,
            VertexType::Exit => VertexKind::Exit,
            VertexType::BasicBlock => VertexKind::Block(Vec::new()),
            VertexType::Loop | VertexType::ForLoop => {
                let form = if ty == VertexType::Loop {
                    LoopForm::Loop
                } else {
                    LoopForm::ForLoop
                };
                let test = Box::new(self.loop_test(names)?);
                VertexKind::Loop { form, test }
            }
            VertexType::EndLoop => VertexKind::EndLoop,
            VertexType::Branch => VertexKind::Branch(Box::new(self.parse_selector(names)?)),
            VertexType::EndBranch => VertexKind::EndBranch,
        };
        if self.take_symbol("->") {
            loop {
                let at = self.current_token().start;
                let to = (self.parse_integer("the id of a vertex")?, at);
                let label = self.parse_label()?;
                let id = if self.take_symbol("#") {
                    Some(self.parse_integer("the id of an edge")?)
                } else {
                    None
                };
                edges.push(EdgeLine {
                    from,
                    to,
                    label,
                    id,
                });
                if !self.take_symbol(",") {
                    break;
                }
            }
        }
        let (checkpoint, origin) = self.parse_braces()?;
        let at = self.parse_span()?;
        Ok(Vertex {
            checkpoint,
            origin,
            at,
            ..Vertex::new(id, kind)
        })
    }

    /// Parses `[label]`, if it is there.
    pub(super) fn parse_label(&mut self) -> Parse<Option<i64>> {
        if !self.take_symbol("[") {
            return Ok(None);
        }
        let label = self.parse_integer("a label")?;
        self.expect_symbol("]", "close the bracket")?;
        Ok(Some(label))
    }

    /// `while c`, `again while c` or `i = 1, n, 2`.
    fn loop_test(&mut self, names: &Names) -> Parse<LoopTest> {
        if self.is_word("while") && !self.symbol_at(1, "=") {
            self.at += 1;
            return self.parse_expr(names).map(LoopTest::Pre);
        }
        if self.is_word("again") && self.word_at(1, "while") {
            self.at += 2;
            return self.parse_expr(names).map(LoopTest::Post);
        }
        self.parse_counted(names)
    }

    /// `i = 1, n, 2`: index, first and last value, step if it is not 1.
    pub(super) fn parse_counted(&mut self, names: &Names) -> Parse<LoopTest> {
        if self.is_symbol("(") {
            let help = "a counted loop is written `i = 1, n`, without parentheses";
            return Err(self.report_unexpected("the name of a variable", help));
        }
        let index = self.variable_of(ScalarType::Integer, names)?;
        self.expect_symbol(
            "=",
            "a counted loop is written `i = 1, n`, with a step `i = 1, n, 2`",
        )?;
        let first = self.parse_expr(names)?;
        self.expect_symbol(",", "after the first value comes the last, `i = 1, n`")?;
        let last = self.parse_expr(names)?;
        let step = if self.take_symbol(",") {
            self.parse_expr(names)?
        } else {
            Expr::Int(1)
        };
        Ok(LoopTest::Counted {
            index,
            first,
            last,
            step,
        })
    }

    fn parse_selector(&mut self, names: &Names) -> Parse<Selector> {
        if !self.is_word("select") {
            return self.parse_expr(names).map(Selector::Condition);
        }
        self.at += 1;
        let value = self.parse_expr(names)?;
        self.expect_symbol(
            ":",
            "after the value come the cases, `select k: [1] 5; [2] default`",
        )?;
        let mut arms = Vec::new();
        while let Some(label) = self.parse_label()? {
            let (cases, default) = self.parse_cases()?;
            arms.push(Arm {
                label,
                cases,
                default,
            });
            if !self.take_symbol(";") {
                break;
            }
        }
        Ok(Selector::Cases {
            value,
            arms: arms.into(),
        })
    }

    /// `1, 3..5, default`; nothing if no value leads to the arm.
    pub(super) fn parse_cases(&mut self) -> Parse<(Box<[CaseRange]>, bool)> {
        let mut cases = Vec::new();
        let mut default = false;
        let begins = |p: &Self| {
            p.is_word("default")
                || p.is_symbol("..")
                || p.is_symbol("-")
                || p.current_token().kind == Kind::Integer
        };
        if !begins(self) {
            return Ok((cases.into(), default));
        }
        loop {
            if self.take_word("default") {
                default = true;
            } else {
                let lower = if self.is_symbol("..") {
                    None
                } else {
                    Some(self.parse_integer("a value, a range or `default`")?)
                };
                let upper = if self.take_symbol("..") {
                    if self.is_symbol("-") || self.current_token().kind == Kind::Integer {
                        Some(self.parse_integer("a value")?)
                    } else {
                        None
                    }
                } else {
                    lower
                };
                cases.push(CaseRange { lower, upper });
            }
            if !self.take_symbol(",") {
                break;
            }
        }
        Ok((cases.into(), default))
    }

    /// `{checkpoint}`, `{checkpoint 50}` or `{checkpoint 50 disk 200}`, and `{role of id}`, as far as they are there.
    pub(super) fn parse_braces(&mut self) -> Parse<(Option<Checkpoint>, Option<Origin>)> {
        let checkpoint = match self.is_symbol("{") && self.word_at(1, "checkpoint") {
            true => {
                let found = self.parse_checkpoint();
                if found.is_err() {
                    // The line goes on, so that its loop is opened.
                    while !self.is_newline() && !self.take_symbol("}") {
                        self.at += 1;
                    }
                }
                found.ok()
            }
            false => None,
        };
        Ok((checkpoint, self.origin_of_vertex()?))
    }

    fn parse_checkpoint(&mut self) -> Parse<Checkpoint> {
        self.at += 2;
        let at = self.current_token().start;
        let snapshots = match self.is_symbol("}") {
            true => None,
            false => Some(self.parse_integer("the number of snapshots")?),
        };
        let on_disk = match snapshots.is_some() && self.is_word("disk") {
            true => {
                self.at += 1;
                self.parse_integer("the number of snapshots on disk")?
            }
            false => 0,
        };
        self.expect_symbol("}", "close the brace")?;
        let Some(n) = snapshots else {
            return Ok(Checkpoint::Each);
        };
        let memory = u32::try_from(n).ok().and_then(NonZeroU32::new);
        match (memory, u32::try_from(on_disk)) {
            (Some(memory), Ok(disk)) => Ok(Checkpoint::Snapshots { memory, disk }),
            (_, _) => {
                let disk = match on_disk {
                    0 => String::new(),
                    n => format!(" in memory, and {n} on disk"),
                };
                let message = format!("a loop cannot keep {n} snapshots{disk}");
                let help = "in memory are from 1 to 4294967295, on disk from 0 to as many";
                Err(self.report(at, &codes::NUMBER, message, help))
            }
        }
    }

    /// `{role of id}`.
    fn origin_of_vertex(&mut self) -> Parse<Option<Origin>> {
        if !self.take_symbol("{") {
            return Ok(None);
        }
        let at = self.current_token().start;
        let word = self.parse_dashed_words("a role")?;
        let Some(role) = OriginRole::ALL.into_iter().find(|r| r.name() == word) else {
            let known = OriginRole::ALL.map(OriginRole::name);
            let help = did_you_mean(&word, known)
                .unwrap_or_else(|| format!("roles are {}", known.join(", ")));
            return Err(self.report(at, &codes::UNKNOWN, format!("unknown role `{word}`"), help));
        };
        if !self.take_word("of") {
            return Err(self.report_unexpected("`of`", "write `{copy of 5}`"));
        }
        let vertex = self.parse_integer("the id of a vertex")?;
        self.expect_symbol("}", "close the brace")?;
        Ok(Some(Origin { role, vertex }))
    }

    /// Parses `@[source:line:column-line:column]`, if it is there.
    pub(super) fn parse_span(&mut self) -> Parse<At> {
        if !self.is_symbol("@") || !self.symbol_at(1, "[") {
            return Ok(None);
        }
        const HELP: &str =
            "a span is `@[SOURCE:LINE:COLUMN-LINE:COLUMN]`, the source counted from 0";
        let start = self.current_token().start;
        self.at += 2;
        let mut numbers = [0; 5];
        for (k, number) in numbers.iter_mut().enumerate() {
            match k {
                0 => {}
                3 => self.expect_symbol("-", HELP)?,
                _ => self.expect_symbol(":", HELP)?,
            }
            let at = self.current_token().start;
            let value = self.parse_integer("a number")?;
            *number = u32::try_from(value).map_err(|_| {
                let message = "a number of a span that is negative or beyond 32 bits";
                self.report(at, &codes::NUMBER, message, HELP)
            })?;
        }
        self.expect_symbol("]", HELP)?;
        let [source, rest @ ..] = numbers;
        match Span::new(source, rest) {
            Some(span) => Ok(Some(Arc::new(span))),
            None => {
                let help = "lines and columns count from 1";
                Err(self.report(start, &codes::NUMBER, "a span at line or column 0", help))
            }
        }
    }

    /// The word after `end` that names the construct, if there is one.
    pub(super) fn end_word(&mut self, words: &[&str]) -> bool {
        if self.current_token().kind != Kind::Word || self.current_token().kind == Kind::Newline {
            return true;
        }
        let spelled = self.token_text(self.current_token());
        if words.contains(&spelled) {
            self.at += 1;
            return true;
        }
        let words = words.join("` or `end ");
        let help = format!("write `end` alone, or `end {words}`");
        let Fail = self.report_unexpected("what is to be ended", &help);
        self.skip_to_line_end();
        false
    }

    /// The words that may stand behind the `end` of a routine are read: its kind, and its name.
    pub(super) fn end_of_routine(&mut self, routine: &Routine) {
        let kind = match routine.result {
            Some(_) => "function",
            None => "subroutine",
        };
        if !self.end_word(&[kind]) || self.is_newline() {
            return;
        }
        let at = self.current_token().start;
        let named = self.without_reports(|p| p.parse_name(""));
        if named.is_some_and(|name| name != routine.name) {
            let message = "this is the end of another routine";
            let help = format!("the routine that ends here is `{}`", routine.name);
            self.report(at, &codes::OPEN, message, help);
        }
    }
}
