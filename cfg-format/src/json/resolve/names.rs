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
    pub(super) fn resolve_vertex(&mut self, vertex: &mut Vertex) {
        match &mut vertex.kind {
            VertexKind::Entry | VertexKind::Exit | VertexKind::EndLoop | VertexKind::EndBranch => {}
            VertexKind::Block(statements) => {
                self.cx.path.push(Seg::Key("statements"));
                for (i, statement) in statements.iter_mut().enumerate() {
                    self.cx.path.push(Seg::Index(i));
                    self.resolve_statement(statement);
                    self.cx.path.pop();
                }
                self.cx.path.pop();
            }
            VertexKind::Loop { form, test } => {
                if !self.resolve_test(test) {
                    vertex.kind = unreadable_loop(*form);
                }
            }
            VertexKind::Branch(selector) => match &mut **selector {
                Selector::Condition(e) => {
                    if !self.at_segment(Seg::Key("condition"), |s| s.resolve_expr(e)) {
                        *e = Expr::Logical(true);
                    }
                }
                Selector::Cases { value, .. } => {
                    if !self.at_segment(Seg::Key("selector"), |s| s.resolve_expr(value)) {
                        *value = Expr::Int(0);
                    }
                }
            },
        }
    }

    fn resolve_test(&mut self, test: &mut LoopTest) -> bool {
        match test {
            LoopTest::Pre(e) | LoopTest::Post(e) => {
                self.at_segment(Seg::Key("condition"), |s| s.resolve_expr(e))
            }
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                let known = self.at_segment(Seg::Key("index"), |s| s.resolve_variable(index));
                let known = self.at_segment(Seg::Key("first"), |s| s.resolve_expr(first)) && known;
                let known = self.at_segment(Seg::Key("last"), |s| s.resolve_expr(last)) && known;
                self.at_segment(Seg::Key("step"), |s| s.resolve_expr(step)) && known
            }
        }
    }

    /// Resolves a statement; a statement with unknown names is replaced by one without effect.
    fn resolve_statement(&mut self, statement: &mut Stmt) {
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
                let known = self.at_segment(Seg::Index(1), |s| s.resolve_place(target));
                self.at_segment(Seg::Index(2), |s| s.resolve_expr(value)) && known
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                let mut known = true;
                if let Some(target) = result {
                    known &= self.at_segment(Seg::Index(1), |s| s.resolve_place(target));
                    self.cx.path.push(Seg::Index(2));
                }
                let found = self.at_segment(Seg::Index(1), |s| s.routines.resolve(*callee, s.cx));
                match found {
                    Some(found) => *callee = found,
                    None => known = false,
                }
                self.cx.path.push(Seg::Index(2));
                for (i, argument) in arguments.iter_mut().enumerate() {
                    if let Some(e) = argument {
                        known &= self.at_segment(Seg::Index(i), |s| s.resolve_expr(e));
                    }
                }
                self.cx.path.pop();
                if result.is_some() {
                    self.cx.path.pop();
                }
                known
            }
            StmtKind::Push { tape, value, .. } => {
                let known = self.at_segment(Seg::Index(2), |s| s.resolve_expr(value));
                self.resolve_tape(tape) && known
            }
            StmtKind::Allocate { pointer, count, .. } | StmtKind::Resize { pointer, count } => {
                let known = self.at_segment(Seg::Index(1), |s| s.resolve_place(pointer));
                self.at_segment(Seg::Index(2), |s| s.resolve_expr(count)) && known
            }
            StmtKind::Free { pointer } => {
                self.at_segment(Seg::Index(1), |s| s.resolve_place(pointer))
            }
            StmtKind::Pop { tape, target, .. } => {
                let known = self.at_segment(Seg::Index(2), |s| s.resolve_place(target));
                self.resolve_tape(tape) && known
            }
            StmtKind::Opaque { reads, writes, .. } => {
                self.cx.path.push(Seg::Index(2));
                let known = self.at_segment(Seg::Key("reads"), |s| s.resolve_names(reads));
                let known =
                    self.at_segment(Seg::Key("writes"), |s| s.resolve_names(writes)) && known;
                self.cx.path.pop();
                known
            }
            StmtKind::Stop { text: _ } => true,
        }
    }

    fn resolve_names(&mut self, list: &mut [VarId]) -> bool {
        let mut known = true;
        for (i, v) in list.iter_mut().enumerate() {
            known &= self.at_segment(Seg::Index(i), |s| s.resolve_variable(v));
        }
        known
    }

    fn resolve_tape(&mut self, tape: &mut VarId) -> bool {
        if tape.index() != DEFAULT_TAPE {
            return self.at_segment(Seg::Index(3), |s| s.resolve_variable(tape));
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

    fn resolve_variable(&mut self, v: &mut VarId) -> bool {
        match self.lookup_variable(*v) {
            Some(found) => {
                *v = found;
                true
            }
            None => false,
        }
    }

    fn resolve_place(&mut self, place: &mut Place) -> bool {
        if place.subscripts.is_empty() {
            return self.resolve_variable(&mut place.var);
        }
        if !place.is_plain() {
            return self.nested_place(place);
        }
        let mut known = self.at_segment(Seg::Index(1), |s| s.resolve_variable(&mut place.var));
        for (k, subscript) in place.subscripts.iter_mut().enumerate() {
            known &= self.at_segment(Seg::Index(k + 2), |s| s.resolve_subscript(subscript));
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
        let mut known = self.resolve_variable(&mut place.var);
        for (subscript, (around, k)) in place.subscripts.iter_mut().zip(nesting) {
            self.cx.path.truncate(length + around);
            known &= self.at_segment(Seg::Index(k + 2), |s| s.resolve_subscript(subscript));
        }
        self.cx.path.truncate(length);
        known
    }

    fn resolve_subscript(&mut self, subscript: &mut Subscript) -> bool {
        match subscript {
            Subscript::Index(e) => self.resolve_expr(e),
            Subscript::Range(range) => {
                let mut known = true;
                let parts = [&mut range.lower, &mut range.upper, &mut range.stride];
                for (i, part) in parts.into_iter().enumerate() {
                    if let Some(e) = part {
                        known &= self.at_segment(Seg::Index(i + 1), |s| s.resolve_expr(e));
                    }
                }
                known
            }
            Subscript::Field(_) | Subscript::Deref => true,
        }
    }

    /// Resolves an expression; false if a name in it is unknown. Recursion is bounded, since the reader refuses deep
    /// expressions.
    pub(super) fn resolve_expr(&mut self, e: &mut Expr) -> bool {
        match e {
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => true,
            Expr::Null(pointer) => self.types.pointer(pointer, &[], Seg::Index(1), self.cx),
            Expr::Addr(place) => self.at_segment(Seg::Index(1), |s| s.resolve_place(place)),
            Expr::Place(place) => self.resolve_place(place),
            Expr::Op(_, operands) => {
                let mut known = true;
                for (i, operand) in operands.iter_mut().enumerate() {
                    known &= self.at_segment(Seg::Index(i + 1), |s| s.resolve_expr(operand));
                }
                known
            }
        }
    }
}
