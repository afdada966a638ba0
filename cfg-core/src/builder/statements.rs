//! Statements of a routine that is being written; assignments are in [`super::split`].

use super::routine::RoutineBuilder;
use crate::{
    entity::{RoutineId, VarId},
    ir::{Expr, Place, Stmt, StmtKind, TapeClass},
};

/// # Statements
impl RoutineBuilder {
    /// Calls a routine. Expressions that are not places go to `in` parameters only.
    pub fn call<E: Into<Expr>>(
        &mut self,
        callee: RoutineId,
        arguments: impl IntoIterator<Item = E>,
    ) {
        let arguments = arguments.into_iter().map(|e| Some(e.into())).collect();
        self.call_with(callee, arguments, None);
    }

    /// Calls a function and assigns its result.
    pub fn call_function<E: Into<Expr>>(
        &mut self,
        result: impl Into<Place>,
        callee: RoutineId,
        arguments: impl IntoIterator<Item = E>,
    ) {
        let arguments = arguments.into_iter().map(|e| Some(e.into())).collect();
        self.call_with(callee, arguments, Some(result.into()));
    }

    /// Calls a routine; `None` stands for an optional argument that is not given.
    pub fn call_with(
        &mut self,
        callee: RoutineId,
        arguments: Vec<Option<Expr>>,
        result: Option<Place>,
    ) {
        // Only the call gets the note and the span, not the temporaries that are assigned before it.
        let (note, at) = (self.note.take(), self.at.take());
        let arguments = arguments
            .into_iter()
            .map(|e| e.map(|e| self.split_deep(e)))
            .collect();
        let result = result.map(|place| self.split_place(place));
        (self.note, self.at) = (note, at);
        self.statement(Stmt::new(StmtKind::Call {
            callee,
            arguments,
            result,
        }));
    }

    /// Pushes a value on a tape.
    pub fn push(&mut self, tape: VarId, class: TapeClass, value: impl Into<Expr>) {
        let value = self.split_deep(value.into());
        self.statement(Stmt::new(StmtKind::Push { tape, class, value }));
    }

    /// Pops a value from a tape.
    pub fn pop(&mut self, tape: VarId, class: TapeClass, target: impl Into<Place>) {
        let target = self.split_place(target.into());
        self.statement(Stmt::new(StmtKind::Pop {
            tape,
            class,
            target,
        }));
    }

    /// A statement that is kept at its place and computes nothing.
    pub fn opaque(
        &mut self,
        text: impl Into<Box<str>>,
        reads: impl IntoIterator<Item = VarId>,
        writes: impl IntoIterator<Item = VarId>,
    ) {
        self.statement(Stmt::new(StmtKind::Opaque {
            text: text.into(),
            reads: reads.into_iter().collect(),
            writes: writes.into_iter().collect(),
        }));
    }

    /// Makes an object of `count` uninitialised elements, and lets the pointer point to its first one.
    pub fn allocate(&mut self, pointer: impl Into<Place>, count: impl Into<Expr>) {
        self.make(pointer.into(), count.into(), false);
    }

    /// Makes an object of `count` elements that are zero, false or null, and lets the pointer point to its first one.
    pub fn allocate_zeroed(&mut self, pointer: impl Into<Place>, count: impl Into<Expr>) {
        self.make(pointer.into(), count.into(), true);
    }

    fn make(&mut self, pointer: Place, count: Expr, zeroed: bool) {
        let (note, at) = (self.note.take(), self.at.take());
        let count = self.split_deep(count);
        let pointer = self.split_place(pointer);
        (self.note, self.at) = (note, at);
        self.statement(Stmt::new(StmtKind::Allocate {
            pointer,
            count,
            zeroed,
        }));
    }

    /// Ends the object to which the pointer points.
    pub fn free(&mut self, pointer: impl Into<Place>) {
        let (note, at) = (self.note.take(), self.at.take());
        let pointer = self.split_place(pointer.into());
        (self.note, self.at) = (note, at);
        self.statement(Stmt::new(StmtKind::Free { pointer }));
    }

    /// Moves the object to which the pointer points to a new one of `count` elements, and the pointer with it.
    pub fn resize(&mut self, pointer: impl Into<Place>, count: impl Into<Expr>) {
        let (note, at) = (self.note.take(), self.at.take());
        let count = self.split_deep(count.into());
        let pointer = self.split_place(pointer.into());
        (self.note, self.at) = (note, at);
        self.statement(Stmt::new(StmtKind::Resize { pointer, count }));
    }

    /// Ends the program, with a message. Control does not pass the statement.
    pub fn stop(&mut self, text: impl Into<Box<str>>) {
        self.statement(Stmt::new(StmtKind::Stop { text: text.into() }));
    }
}
