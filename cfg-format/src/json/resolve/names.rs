//! Names inside vertices: statements, tests, selectors, expressions.

use super::scope::Scope;
use crate::json::{
    codes,
    context::{DEFAULT_TAPE, Seg},
    statement::unreadable,
    wire::unreadable_loop,
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, LoopTest, Place, Selector, Stmt, StmtKind, Subscript, Vertex, VertexKind},
};

impl Scope<'_, '_> {
    /// Resolves the names in a vertex.
    pub(super) fn vertex(&mut self, vertex: &mut Vertex) {
        match &mut vertex.kind {
            VertexKind::Entry | VertexKind::Exit | VertexKind::EndLoop | VertexKind::EndBranch => {}
            VertexKind::Block(statements) => {
                self.cx.path.push(Seg::Key("statements"));
                for (i, statement) in statements.iter_mut().enumerate() {
                    self.cx.path.push(Seg::Index(i));
                    self.statement(statement);
                    self.cx.path.pop();
                }
                self.cx.path.pop();
            }
            VertexKind::Loop { form, test } => {
                if !self.test(test) {
                    vertex.kind = unreadable_loop(*form);
                }
            }
            VertexKind::Branch(selector) => match &mut **selector {
                Selector::Condition(e) => {
                    if !self.below(Seg::Key("condition"), |s| s.expr(e)) {
                        *e = Expr::Logical(true);
                    }
                }
                Selector::Cases { value, .. } => {
                    if !self.below(Seg::Key("selector"), |s| s.expr(value)) {
                        *value = Expr::Int(0);
                    }
                }
            },
        }
    }

    fn test(&mut self, test: &mut LoopTest) -> bool {
        match test {
            LoopTest::Pre(e) | LoopTest::Post(e) => {
                self.below(Seg::Key("condition"), |s| s.expr(e))
            }
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                let known = self.below(Seg::Key("index"), |s| s.variable(index));
                let known = self.below(Seg::Key("first"), |s| s.expr(first)) && known;
                let known = self.below(Seg::Key("last"), |s| s.expr(last)) && known;
                self.below(Seg::Key("step"), |s| s.expr(step)) && known
            }
        }
    }

    /// Resolves a statement; a statement with unknown names is replaced by one without effect.
    fn statement(&mut self, statement: &mut Stmt) {
        let annotated = statement.at.is_some() || statement.annotations.is_some();
        if annotated {
            self.cx.path.push(Seg::Key("statement"));
        }
        if !self.statement_kind(&mut statement.kind) {
            statement.kind = unreadable().kind;
        }
        if annotated {
            self.cx.path.pop();
        }
    }

    fn statement_kind(&mut self, kind: &mut StmtKind) -> bool {
        match kind {
            StmtKind::Assign { target, value } => {
                let known = self.below(Seg::Index(1), |s| s.place(target));
                self.below(Seg::Index(2), |s| s.expr(value)) && known
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                let mut known = true;
                if let Some(target) = result {
                    known &= self.below(Seg::Index(1), |s| s.place(target));
                    self.cx.path.push(Seg::Index(2));
                }
                let found = self.below(Seg::Index(1), |s| s.routines.resolve(*callee, s.cx));
                match found {
                    Some(found) => *callee = found,
                    None => known = false,
                }
                self.cx.path.push(Seg::Index(2));
                for (i, argument) in arguments.iter_mut().enumerate() {
                    if let Some(e) = argument {
                        known &= self.below(Seg::Index(i), |s| s.expr(e));
                    }
                }
                self.cx.path.pop();
                if result.is_some() {
                    self.cx.path.pop();
                }
                known
            }
            StmtKind::Push { tape, value, .. } => {
                let known = self.below(Seg::Index(2), |s| s.expr(value));
                self.tape(tape) && known
            }
            StmtKind::Allocate { pointer, count, .. } | StmtKind::Resize { pointer, count } => {
                let known = self.below(Seg::Index(1), |s| s.place(pointer));
                self.below(Seg::Index(2), |s| s.expr(count)) && known
            }
            StmtKind::Free { pointer } => self.below(Seg::Index(1), |s| s.place(pointer)),
            StmtKind::Pop { tape, target, .. } => {
                let known = self.below(Seg::Index(2), |s| s.place(target));
                self.tape(tape) && known
            }
            StmtKind::Opaque { reads, writes, .. } => {
                self.cx.path.push(Seg::Index(2));
                let known = self.below(Seg::Key("reads"), |s| s.names(reads));
                let known = self.below(Seg::Key("writes"), |s| s.names(writes)) && known;
                self.cx.path.pop();
                known
            }
            StmtKind::Stop { text: _ } => true,
        }
    }

    fn names(&mut self, list: &mut [VarId]) -> bool {
        let mut known = true;
        for (i, v) in list.iter_mut().enumerate() {
            known &= self.below(Seg::Index(i), |s| s.variable(v));
        }
        known
    }

    fn tape(&mut self, tape: &mut VarId) -> bool {
        if tape.index() != DEFAULT_TAPE {
            return self.below(Seg::Index(3), |s| s.variable(tape));
        }
        match self.tape {
            Some(only) => {
                *tape = only;
                true
            }
            None => {
                self.cx.report(
                    &codes::NO_TAPE,
                    "a push or pop without a tape, in a routine that does not have exactly one",
                    "give the tape's name as the last element",
                );
                false
            }
        }
    }

    fn variable(&mut self, v: &mut VarId) -> bool {
        match self.lookup(*v) {
            Some(found) => {
                *v = found;
                true
            }
            None => false,
        }
    }

    fn place(&mut self, place: &mut Place) -> bool {
        if place.subscripts.is_empty() {
            return self.variable(&mut place.var);
        }
        if !place.is_plain() {
            return self.nested_place(place);
        }
        let mut known = self.below(Seg::Index(1), |s| s.variable(&mut place.var));
        for (k, subscript) in place.subscripts.iter_mut().enumerate() {
            known &= self.below(Seg::Index(k + 2), |s| s.subscript(subscript));
        }
        known
    }

    /// Resolves a place with fields or pointers. The first level is the innermost in the file.
    fn nested_place(&mut self, place: &mut Place) -> bool {
        let nesting = place.nesting();
        let length = self.cx.path.len();
        let innermost = nesting.first().map_or(0, |&(around, _)| around);
        self.cx
            .path
            .extend(std::iter::repeat_n(Seg::Index(1), innermost + 1));
        let mut known = self.variable(&mut place.var);
        for (subscript, (around, k)) in place.subscripts.iter_mut().zip(nesting) {
            self.cx.path.truncate(length + around);
            known &= self.below(Seg::Index(k + 2), |s| s.subscript(subscript));
        }
        self.cx.path.truncate(length);
        known
    }

    fn subscript(&mut self, subscript: &mut Subscript) -> bool {
        match subscript {
            Subscript::Index(e) => self.expr(e),
            Subscript::Range(range) => {
                let mut known = true;
                let parts = [&mut range.lower, &mut range.upper, &mut range.stride];
                for (i, part) in parts.into_iter().enumerate() {
                    if let Some(e) = part {
                        known &= self.below(Seg::Index(i + 1), |s| s.expr(e));
                    }
                }
                known
            }
            Subscript::Field(_) | Subscript::Deref => true,
        }
    }

    /// Resolves an expression; false if a name in it is unknown. Recursion is bounded, since the reader refuses deep
    /// expressions.
    pub(super) fn expr(&mut self, e: &mut Expr) -> bool {
        match e {
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => true,
            Expr::Null(pointer) => self.types.pointer(pointer, &[], Seg::Index(1), self.cx),
            Expr::Addr(place) => self.below(Seg::Index(1), |s| s.place(place)),
            Expr::Place(place) => self.place(place),
            Expr::Op(_, operands) => {
                let mut known = true;
                for (i, operand) in operands.iter_mut().enumerate() {
                    known &= self.below(Seg::Index(i + 1), |s| s.expr(operand));
                }
                known
            }
        }
    }
}
