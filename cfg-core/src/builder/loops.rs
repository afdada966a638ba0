//! Loops of a routine that is being written.

use super::{
    routine::{Open, RoutineBuilder},
    split::fits,
};
use crate::{
    entity::{VarId, VertexId},
    ir::{Checkpoint, Edge, Expr, LoopTest, ScalarType, Vertex, VertexKind},
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
        self.vertices[header].checkpoint = self.checkpoint.take();
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

    /// The next loop that begins has a checkpoint: its iterations run again in the reverse sweep.
    pub fn checkpoint_loop(&mut self, checkpoint: Checkpoint) {
        self.checkpoint = Some(checkpoint);
    }

    /// Begins statements that run again in the reverse sweep.
    ///
    /// ```
    /// use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
    /// use cfg_core::ir::{ScalarType::Real};
    ///
    /// let mut f = RoutineBuilder::new("f");
    /// let x = f.inout("x", Real);
    /// f.begin_checkpoint();
    /// f.assign(x, sin(x));
    /// f.end_checkpoint();
    /// f.assign(x, x * x);
    /// f.begin_checkpoint();
    /// f.if_then(lt(x, 2.0), |f| f.assign(x, cos(x)));
    /// f.end_checkpoint();
    ///
    /// let mut program = ProgramBuilder::new();
    /// program.add(f);
    /// assert_eq!(program.finish()?.to_string().trim(), "
    /// subroutine f(inout real x)
    ///   local integer t1
    ///   @2 {checkpoint}
    ///   x := sin(x)
    ///   @3
    ///   x := x*x
    ///   for t1 = 1, 1 {checkpoint}
    ///     if x < 2.0
    ///       x := cos(x)
    ///     end
    ///   end
    /// end
    /// ".trim());
    /// # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
    /// ```
    pub fn begin_checkpoint(&mut self) {
        self.begin_loop(LoopTest::Pre(Expr::Logical(true)), None, false);
    }

    /// Ends the statements begun by [`Self::begin_checkpoint`]. The checkpoint is that of their block; several vertices
    /// become a loop of one pass.
    pub fn end_checkpoint(&mut self) {
        let Some(&Open::Loop { header, .. }) = self.open.last() else {
            let open = self.open.pop();
            return self.wrong_end("end_checkpoint", open);
        };
        let is_block = self.vertices.len() == header + 2
            && matches!(self.vertices[header + 1].kind, VertexKind::Block(_))
            && self.pending.len() == 1
            && self.jumps.last_label < header;
        if !is_block {
            let once = self.temporary(ScalarType::Integer);
            if let VertexKind::Loop { test, .. } = &mut self.vertices[header].kind {
                **test = LoopTest::up_to(once, Expr::Int(1));
            }
            self.vertices[header].checkpoint = Some(Checkpoint::Each);
            return self.end_loop();
        }
        self.open.pop();
        self.end_body();
        // The block takes the place of the LOOP. The edge between the two comes first, and that behind the block last.
        if let Some(block) = self.vertices.pop() {
            self.vertices[header] = Vertex {
                id: self.vertices[header].id,
                checkpoint: Some(Checkpoint::Each),
                ..block
            };
        }
        self.edges.truncate(self.edges.len() - 2);
        self.pending.clear();
        self.leave(header, None);
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
