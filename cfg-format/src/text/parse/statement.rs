//! Statements of one line.

use super::{Kind, Parse, Parser, routine::Names};
use cfg_core::{
    entity::VarId,
    ir::{ControlWidth, Expr, Place, Stmt, StmtKind, TapeClass},
};

impl Parser<'_> {
    /// True if a statement that is neither a jump nor the beginning or end of a construct begins here.
    pub(super) fn is_statement(&self) -> bool {
        self.is_assignment()
            || self.is_word("call")
            || self.is_word("push")
            || self.is_word("opaque")
            || self.is_word("stop")
            || self.is_about_object()
    }

    /// True at `allocate`, `free` or `resize` with a pointer behind the word.
    fn is_about_object(&self) -> bool {
        (self.is_word("allocate") || self.is_word("free") || self.is_word("resize"))
            && matches!(self.token_at(1).kind, Kind::Word | Kind::Quoted)
    }

    pub(super) fn parse_statement(&mut self, names: &Names) -> Parse<Stmt> {
        let statement = self.parse_action(names)?;
        let at = self.parse_span()?;
        Ok(Stmt { at, ..statement })
    }

    fn parse_action(&mut self, names: &Names) -> Parse<Stmt> {
        if self.is_assignment() {
            let target = self.parse_place(names)?;
            self.expect_symbol(":=", "assignments are written `x := y`")?;
            return self.parse_assigned_value(names, target);
        }
        let kind = if self.take_word("call") {
            self.parse_call(names, None)?
        } else if self.take_word("push") {
            let class = self.parse_tape_class()?;
            let value = self.parse_expr(names)?;
            let tape = self.parse_tape(names, "on")?;
            StmtKind::Push { tape, class, value }
        } else if self.take_word("opaque") {
            let text = self
                .parse_name("the text of the statement, in quotes")?
                .into();
            let reads = self.parse_list(names, "reads")?;
            let writes = self.parse_list(names, "writes")?;
            StmtKind::Opaque {
                text,
                reads,
                writes,
            }
        } else if self.take_word("stop") {
            let text = self.parse_name("the message, in quotes")?.into();
            StmtKind::Stop { text }
        } else if self.take_word("allocate") {
            let (pointer, count) = self.parse_pointer_and_count(names)?;
            let zeroed = self.take_word("zeroed");
            StmtKind::Allocate {
                pointer,
                count,
                zeroed,
            }
        } else if self.take_word("free") {
            let pointer = self.parse_place(names)?;
            StmtKind::Free { pointer }
        } else if self.take_word("resize") {
            let (pointer, count) = self.parse_pointer_and_count(names)?;
            StmtKind::Resize { pointer, count }
        } else {
            return Err(
                self.report_unexpected("a statement", "statements are `x := y`, `call f(x)`, ...")
            );
        };
        Ok(Stmt::new(kind))
    }

    /// A pointer and a number of elements.
    fn parse_pointer_and_count(&mut self, names: &Names) -> Parse<(Place, Expr)> {
        let pointer = self.parse_place(names)?;
        self.expect_symbol(",", "write the number of elements, `allocate p, n`")?;
        Ok((pointer, self.parse_expr(names)?))
    }

    /// Reads the statement behind `:=`.
    fn parse_assigned_value(&mut self, names: &Names, target: Place) -> Parse<Stmt> {
        let kind = if self.is_word("call") && self.token_at(1).kind != Kind::Newline {
            self.at += 1;
            self.parse_call(names, Some(target))?
        } else if self.is_word("pop") && self.symbol_at(1, "[") {
            self.at += 1;
            let class = self.parse_tape_class()?;
            let tape = self.parse_tape(names, "from")?;
            StmtKind::Pop {
                tape,
                class,
                target,
            }
        } else {
            let value = self.parse_expr(names)?;
            StmtKind::Assign { target, value }
        };
        Ok(Stmt::new(kind))
    }

    fn parse_call(&mut self, names: &Names, result: Option<Place>) -> Parse<StmtKind> {
        let at = self.current_token().start;
        let name = self.parse_name("the name of a routine")?;
        let callee = self.routine_named(&name, at)?;
        self.expect_symbol(
            "(",
            "arguments stand in parentheses, `()` if there are none",
        )?;
        let mut arguments = Vec::new();
        if !self.take_symbol(")") {
            loop {
                arguments.push(if self.take_word("absent") {
                    None
                } else {
                    Some(self.parse_expr(names)?)
                });
                if !self.take_symbol(",") {
                    break;
                }
            }
            self.expect_symbol(")", "close the parenthesis, or write a comma")?;
        }
        Ok(StmtKind::Call {
            callee,
            arguments: arguments.into(),
            result,
        })
    }

    fn parse_tape_class(&mut self) -> Parse<TapeClass> {
        const CLASSES: &str = "classes are `[real]`, `[real32]`, `[integer]`, `[disk]`, `[control count]` and `[control N]` \
                               with the number of bits";
        self.expect_symbol("[", CLASSES)?;
        let class = match self.token_text(self.current_token()) {
            "real" => TapeClass::Real,
            "real32" => TapeClass::Real32,
            "integer" => TapeClass::Integer,
            "disk" => TapeClass::Disk,
            "control" => {
                self.at += 1;
                if self.is_word("count") {
                    TapeClass::Control(ControlWidth::Count)
                } else {
                    let spelled = self.token_text(self.current_token());
                    match spelled.parse() {
                        Ok(bits) => TapeClass::Control(ControlWidth::Bits(bits)),
                        Err(_) => return Err(self.report_unexpected("a number of bits", CLASSES)),
                    }
                }
            }
            _ => return Err(self.report_unexpected("a class of values", CLASSES)),
        };
        self.at += 1;
        self.expect_symbol("]", CLASSES)?;
        Ok(class)
    }

    /// The tape that is named, or the only one.
    fn parse_tape(&mut self, names: &Names, word: &str) -> Parse<VarId> {
        if self.take_word(word) {
            return self.parse_variable(names);
        }
        match names.tape {
            Some(tape) => Ok(tape),
            None => Err(self.report_unexpected(
                &format!("`{word}` and a tape"),
                "the tape may be left out where the routine has exactly one",
            )),
        }
    }

    fn parse_list(&mut self, names: &Names, word: &str) -> Parse<Box<[VarId]>> {
        let mut list = Vec::new();
        if self.take_word(word) {
            loop {
                list.push(self.parse_variable(names)?);
                if !self.take_symbol(",") {
                    break;
                }
            }
        }
        Ok(list.into())
    }
}
