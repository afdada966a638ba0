//! Loops and branches of a body: their first lines, the lines between their arms, and their ends.

use super::{Body, DraftEdge, Mark, Open};
use crate::text::parse::{Fail, Kind, Parse, Parser, codes, routine::Names};
use cfg_core::ir::{Arm, Expr, LoopForm, LoopTest, Routine, Selector, VertexKind};

impl Parser<'_> {
    pub(super) fn begin_loop(
        &mut self,
        names: &Names,
        body: &mut Body,
        mut mark: Mark,
    ) -> Parse<()> {
        let start = self.current_token().start;
        let word = match self.token_text(self.current_token()) {
            "for" => "for",
            "forloop" => "forloop",
            "while" => "while",
            _ => "do",
        };
        self.at += 1;
        let test = match word {
            "while" => self.parse_expr(names).map(LoopTest::Pre),
            "do" => Ok(LoopTest::Post(Expr::Logical(true))),
            _ => self.parse_counted(names),
        };
        // The construct is opened nevertheless, so that its end is recognised.
        let mut failed = test.is_err();
        let test = test.unwrap_or(LoopTest::Pre(Expr::Logical(true)));
        if word == "do" && self.current_token().kind == Kind::Word {
            let help = "a counted loop is written `for i = 1, n`, one tested first `while more`";
            let Fail = self.report_unexpected("the end of the line", help);
            failed = true;
        }
        if !failed {
            self.parse_description(&mut mark)?;
        }
        let form = if word == "forloop" {
            LoopForm::ForLoop
        } else {
            LoopForm::Loop
        };
        self.warn_unreachable(body, start);
        let test = Box::new(test);
        let header = body.add(VertexKind::Loop { form, test }, mark);
        body.leave(header, Some(1));
        let open = Open::Loop {
            header,
            post: word == "do" && !failed,
            breaks: Vec::new(),
            continues: Vec::new(),
            word,
        };
        body.open.push((open, start));
        if matches!(word, "for" | "forloop") {
            body.counted.insert(header, [start, self.text.len()]);
            body.open_counted.push(header);
        }
        if failed { Err(Fail) } else { Ok(()) }
    }

    pub(super) fn begin_if(
        &mut self,
        names: &Names,
        body: &mut Body,
        mut mark: Mark,
        chained: bool,
    ) -> Parse<()> {
        let start = self.current_token().start;
        let condition = self.parse_expr(names);
        let failed = condition.is_err();
        let condition = condition.unwrap_or(Expr::Logical(true));
        if !failed {
            self.parse_description(&mut mark)?;
            let then = self.take_word("then");
            if !then && self.is_statement_or_jump() {
                // With the statement on its line it has no `end`.
                return Err(self.report_unexpected(
                    "the end of the line",
                    "statements under a condition stand on lines of their own, with `end` behind them",
                ));
            }
        }
        self.warn_unreachable(body, start);
        let header = body.add(VertexKind::branch_on(condition), mark);
        body.leave(header, Some(1));
        let open = Open::If {
            header,
            ends: Vec::new(),
            has_else: false,
            chained,
        };
        body.open.push((open, start));
        if failed { Err(Fail) } else { Ok(()) }
    }

    pub(super) fn else_line(&mut self, names: &Names, body: &mut Body, marked: bool) -> Parse<()> {
        let start = self.current_token().start;
        if marked {
            return Err(
                self.report_unexpected("a vertex", "`else` has no vertex: leave out the mark")
            );
        }
        let pending = std::mem::take(&mut body.pending);
        match body.open.last_mut() {
            Some((
                Open::If {
                    header,
                    ends,
                    has_else,
                    ..
                },
                _,
            )) if !*has_else => {
                let header = *header;
                *has_else = true;
                ends.extend(pending);
                body.current = None;
                body.leave(header, Some(0));
                self.at += 1;
                if self.take_word("if") {
                    let mark = Mark {
                        start,
                        ..Mark::default()
                    };
                    return self.begin_if(names, body, mark, true);
                }
                Ok(())
            }
            _ => {
                body.pending = pending;
                Err(self.report(
                    start,
                    &codes::OPEN,
                    "`else` where no `if` waits for one",
                    "write it once, between `if` and its `end`",
                ))
            }
        }
    }

    pub(super) fn parse_case(&mut self, body: &mut Body, marked: bool) -> Parse<()> {
        let start = self.current_token().start;
        if marked {
            return Err(
                self.report_unexpected("a vertex", "`case` has no vertex: leave out the mark")
            );
        }
        self.at += 1;
        let (cases, default) = self.parse_cases()?;
        let label = if self.take_word("label") {
            Some(self.parse_integer("the label of the arm")?)
        } else {
            None
        };
        let pending = std::mem::take(&mut body.pending);
        let Some((
            Open::Select {
                header, arms, ends, ..
            },
            _,
        )) = body.open.last_mut()
        else {
            body.pending = pending;
            return Err(self.report(
                start,
                &codes::OPEN,
                "`case` where no `select` is open",
                "write it between `select` and its `end`",
            ));
        };
        if arms.is_empty() && !pending.is_empty() {
            let message = "statements between `select` and its first `case`";
            self.report(start, &codes::SYNTAX, message, "move them");
        }
        let label = label.unwrap_or(arms.len() as i64 + 1);
        let header = *header;
        ends.extend(pending);
        arms.push(Arm {
            label,
            cases,
            default,
        });
        body.current = None;
        body.leave(header, Some(label));
        Ok(())
    }

    pub(super) fn parse_end(
        &mut self,
        names: &Names,
        routine: &Routine,
        body: &mut Body,
        mut mark: Mark,
    ) -> Parse<()> {
        let start = self.current_token().start;
        self.at += 1;
        let Some((open, begun)) = body.open.pop() else {
            body.ended = Some(start);
            self.end_of_routine(routine);
            return Ok(());
        };
        if body.shifted.is_none() && self.indentation(start) < self.indentation(begun) {
            body.shifted = Some([begun, start]);
        }
        match open {
            Open::Loop {
                header,
                post,
                breaks,
                continues,
                word,
            } => {
                if let Some(counted) = body.counted.get_mut(&header) {
                    counted[1] = start;
                    body.open_counted.pop();
                }
                if !continues.is_empty() {
                    body.pending.extend(continues);
                    body.current = None;
                }
                let mut condition = Ok(());
                if post {
                    condition = match self.symbol_or_word_while() {
                        Ok(()) => self.parse_expr(names).map(|c| {
                            if let VertexKind::Loop { test, .. } = &mut body.vertices[header].kind {
                                **test = LoopTest::Post(c);
                            }
                        }),
                        Err(fail) => Err(fail),
                    };
                } else {
                    self.end_word(&[word]);
                }
                self.parse_description(&mut mark)?;
                if !body.pending.is_empty() {
                    let end = body.add(VertexKind::EndLoop, mark);
                    body.edges.push(DraftEdge {
                        from: end,
                        to: header,
                        label: None,
                    });
                }
                body.current = None;
                body.leave(header, None);
                body.pending.extend(breaks);
                body.told = false;
                condition
            }
            Open::If {
                header,
                ends,
                has_else,
                chained,
            } => {
                self.end_word(&["if"]);
                self.parse_description(&mut mark)?;
                body.pending.extend(ends);
                if !has_else {
                    body.leave(header, Some(0));
                }
                self.end_branch(body, mark);
                if chained {
                    self.end_chain(body, start);
                }
                Ok(())
            }
            Open::Select {
                header,
                value,
                arms,
                ends,
            } => {
                self.end_word(&["select"]);
                self.parse_description(&mut mark)?;
                if arms.is_empty() {
                    let message = "a `select` without a `case`";
                    self.report(
                        begun,
                        &codes::SYNTAX,
                        message,
                        "write its cases, or remove it",
                    );
                }
                let arms = arms.into();
                body.vertices[header].kind =
                    VertexKind::Branch(Box::new(Selector::Cases { value, arms }));
                body.pending.extend(ends);
                self.end_branch(body, mark);
                Ok(())
            }
        }
    }

    /// The constructs that `else if` opened end together with the `if` before them.
    fn end_chain(&mut self, body: &mut Body, start: usize) {
        while let Some((Open::If { ends, chained, .. }, _)) = body
            .open
            .pop_if(|(open, _)| matches!(open, Open::If { .. }))
        {
            body.pending.extend(ends);
            let mark = Mark {
                start,
                ..Mark::default()
            };
            self.end_branch(body, mark);
            if !chained {
                return;
            }
        }
    }

    fn end_branch(&mut self, body: &mut Body, mark: Mark) {
        body.current = None;
        body.told = false;
        if !body.pending.is_empty() {
            let end = body.add(VertexKind::EndBranch, mark);
            body.leave(end, None);
        }
    }

    /// True if a statement or a jump begins here.
    fn is_statement_or_jump(&self) -> bool {
        let jumps = ["return", "break", "continue", "goto"];
        self.is_statement() || jumps.iter().any(|word| self.is_word(word))
    }

    /// The number of bytes between the beginning of the line and the first word on it, at or before a place.
    fn indentation(&self, at: usize) -> usize {
        let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let blank = |c: char| c.is_whitespace();
        let words = self.text[line..at].trim_start_matches(blank);
        at - line - words.len()
    }

    fn symbol_or_word_while(&mut self) -> Parse<()> {
        if self.take_word("while") {
            return Ok(());
        }
        Err(self.report_unexpected(
            "`while`",
            "a loop that begins with `do` ends with its condition: `end while more`",
        ))
    }
}
