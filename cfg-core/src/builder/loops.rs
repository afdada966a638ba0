//! Loops of a routine that is being written.

use super::{
    routine::{Open, RoutineBuilder},
    split::fits,
};
use crate::{
    entity::{VarId, VertexId},
    ir::{Edge, Expr, LoopTest, ScalarType, VertexKind},
};

/// # Loops
impl RoutineBuilder {
    /// Begins a loop that runs while the condition is true, tested before each pass.
    pub fn begin_while(&mut self, condition: impl Into<Expr>) {
        let condition = condition.into();
        let (condition, again) = if fits(&condition) {
            (condition, None)
        } else {
            let test = self.temporary(ScalarType::Logical);
            self.assign(test, condition.clone());
            (Expr::var(test), Some((test, condition)))
        };
        self.begin_loop(LoopTest::Pre(condition), again, false);
    }

    /// Begins a loop whose first pass is unconditional; its end has the condition to go on.
    pub fn begin_repeat(&mut self) {
        self.begin_loop(LoopTest::Post(Expr::Logical(true)), None, true);
    }

    /// Begins a counted loop: `first`, `first + step`, ... up to `last`.
    pub fn begin_for(
        &mut self,
        index: VarId,
        first: impl Into<Expr>,
        last: impl Into<Expr>,
        step: impl Into<Expr>,
    ) {
        let test = LoopTest::Counted {
            index,
            first: self.split_deep(first.into()),
            last: self.split_deep(last.into()),
            step: self.split_deep(step.into()),
        };
        self.begin_loop(test, None, false);
    }

    fn begin_loop(&mut self, test: LoopTest, again: Option<(VarId, Expr)>, repeat: bool) {
        let header = self.enter(VertexKind::loop_on(test));
        self.leave(header, Some(1));
        self.jumps.begin_loop();
        self.open.push(Open::Loop {
            header,
            again,
            repeat,
        });
    }

    /// Ends a `while` or counted loop.
    pub fn end_loop(&mut self) {
        match self.open.pop() {
            Some(Open::Loop {
                header,
                again,
                repeat: false,
            }) => {
                let after = self.end_body();
                if let Some((test, condition)) = again {
                    self.assign(test, condition);
                }
                self.close_loop(header, after);
            }
            other => self.wrong_end("end_loop", other),
        }
    }

    /// Ends a loop begun by [`Self::begin_repeat`]: it goes on while the condition is true.
    pub fn end_repeat(&mut self, condition: impl Into<Expr>) {
        match self.open.pop() {
            Some(Open::Loop {
                header,
                again: _,
                repeat: true,
            }) => {
                let after = self.end_body();
                let mut condition = condition.into();
                if !fits(&condition) {
                    let test = self.temporary(ScalarType::Logical);
                    self.assign(test, condition);
                    condition = Expr::var(test);
                }
                if let VertexKind::Loop { test, .. } = &mut self.vertices[header].kind {
                    **test = LoopTest::Post(condition);
                }
                self.close_loop(header, after);
            }
            other => self.wrong_end("end_repeat", other),
        }
    }

    fn close_loop(&mut self, header: usize, after: Vec<usize>) {
        let end = self.enter(VertexKind::EndLoop);
        self.edges
            .push(Edge::new(VertexId::new(end), VertexId::new(header), None));
        self.leave(header, None);
        self.pending.extend(after);
    }

    /// Runs the body while the condition is true.
    pub fn while_loop(&mut self, condition: impl Into<Expr>, body: impl FnOnce(&mut Self)) {
        self.begin_while(condition);
        self.build_inside(body);
        self.end_loop();
    }

    /// Runs the body, and again while the condition is true.
    pub fn repeat_while(&mut self, condition: impl Into<Expr>, body: impl FnOnce(&mut Self)) {
        self.begin_repeat();
        self.build_inside(body);
        self.end_repeat(condition);
    }

    /// Runs the body with the index at `first`, `first + 1`, ..., `last`.
    pub fn for_loop(
        &mut self,
        index: VarId,
        first: impl Into<Expr>,
        last: impl Into<Expr>,
        body: impl FnOnce(&mut Self),
    ) {
        self.for_step(index, first, last, 1, body);
    }

    /// A counted loop as [`Self::for_loop`] has it, with a step, which may be negative.
    pub fn for_step(
        &mut self,
        index: VarId,
        first: impl Into<Expr>,
        last: impl Into<Expr>,
        step: impl Into<Expr>,
        body: impl FnOnce(&mut Self),
    ) {
        self.begin_for(index, first, last, step);
        self.build_inside(body);
        self.end_loop();
    }
}
