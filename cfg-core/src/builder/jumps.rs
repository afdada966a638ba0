//! Jumps of a routine that is being built: out of loops, to their next pass, to the end, to labels.

use super::routine::{Jumps, Label, RoutineBuilder, Target};
use crate::{
    edit::Editor,
    entity::VertexId,
    ir::{Cfg, Control, Expr, LoopTest, VertexKind},
    structure::Structure,
};

impl Jumps {
    pub(super) fn begin_loop(&mut self) {
        self.loops.push(Default::default());
    }

    /// The graph without what jumps leave out, and whether it is structured.
    pub(super) fn finish(&self, cfg: Cfg) -> (Cfg, Control) {
        if !self.made {
            return (cfg, Control::Structured);
        }
        let cfg = without_unreachable(cfg);
        let control = match Structure::compute(&cfg) {
            Ok(_) => Control::Structured,
            Err(_) => Control::General,
        };
        (cfg, control)
    }
}

/// The graph without unreachable vertices, apart from EXIT: that it cannot be reached is for validation to say.
fn without_unreachable(cfg: Cfg) -> Cfg {
    let mut graph = Editor::take_apart(cfg);
    graph.remove_unreachable();
    graph.settle();
    let mut again = vec![false; graph.vertices.len()];
    for edge in &graph.edges {
        let from = &graph.vertices[edge.from.index()];
        again[edge.to.index()] |= matches!(from.kind, VertexKind::EndLoop);
    }
    // A test at an end that is left out is never made: what it reads need not have a value.
    for ((id, vertex), again) in (1..).zip(&mut graph.vertices).zip(again) {
        vertex.id = id;
        if let VertexKind::Loop { test, .. } = &mut vertex.kind
            && matches!(**test, LoopTest::Post(_))
            && !again
        {
            **test = LoopTest::Post(Expr::Logical(false));
        }
    }
    graph.finish()
}

/// # Jumps
///
/// Statements after a jump are left out, up to the next place to which a path leads: control never comes there. A
/// routine with jumps is declared general, unless its graph is structured nevertheless.
impl RoutineBuilder {
    /// Leaves the innermost open loop.
    pub fn break_loop(&mut self) {
        self.jump_in_loop("break_loop", 0);
    }

    /// Continues with the next pass of the innermost open loop, if its test says that there is one.
    pub fn continue_loop(&mut self) {
        self.jump_in_loop("continue_loop", 1);
    }

    fn jump_in_loop(&mut self, call: &str, which: usize) {
        let jump = self.jump();
        match self.jumps.loops.last_mut() {
            Some(of) => of[which].extend(jump),
            None => self.report_misuse(
                format!("{call} is called where no loop is open"),
                "call it between the begin and the end of a loop",
            ),
        }
    }

    /// Leaves the routine. A function returns the value of its result variable.
    pub fn return_now(&mut self) {
        let jump = self.jump();
        self.jumps.returns.extend(jump);
    }

    /// A new label, to be placed with [`Self::place_label`] before or after the jumps to it.
    pub fn label(&mut self) -> Label {
        self.jumps.labels.push(Target::Wanted(Vec::new()));
        Label(self.jumps.labels.len() - 1)
    }

    /// Places a label: jumps to it continue with the next statement.
    pub fn place_label(&mut self, label: Label) {
        match self.jumps.labels.get_mut(label.0) {
            Some(Target::Wanted(jumps)) => self.pending.append(jumps),
            other => {
                let message = match other {
                    None => "a label of another routine is placed",
                    Some(_) => "a label is placed twice",
                };
                self.report_misuse(message.to_owned(), "make a new label for each place");
                return;
            }
        }
        let block = self.enter(VertexKind::Block(Vec::new()));
        self.leave(block, None);
        self.current = Some(block);
        self.jumps.labels[label.0] = Target::Vertex(block);
        self.jumps.last_label = block;
    }

    /// Jumps to a label, which may be anywhere in the routine.
    pub fn goto(&mut self, label: Label) {
        let jump = self.jump();
        match self.jumps.labels.get_mut(label.0) {
            Some(Target::Wanted(jumps)) => jumps.extend(jump),
            Some(Target::Vertex(v)) => {
                for e in jump {
                    self.edges[e].to = VertexId::new(*v);
                }
            }
            None => self.report_misuse(
                "a goto names a label of another routine".to_owned(),
                "make the label with the builder of this routine",
            ),
        }
    }

    /// Takes the pending edges for a jump, so that the next vertex is not entered by them.
    fn jump(&mut self) -> Vec<usize> {
        self.current = None;
        self.jumps.made = true;
        std::mem::take(&mut self.pending)
    }

    /// Ends a loop's body: the jumps to the next pass come here. Returns the jumps that leave the loop.
    pub(super) fn end_body(&mut self) -> Vec<usize> {
        let [breaks, continues] = self.jumps.loops.pop().unwrap_or_default();
        if !continues.is_empty() {
            self.pending.extend(continues);
            self.current = None;
        }
        breaks
    }

    /// Joins the returns before EXIT, and reports labels that have no place.
    pub(super) fn end_jumps(&mut self) {
        self.pending.append(&mut self.jumps.returns);
        let wanted = |t: &Target| matches!(t, Target::Wanted(jumps) if !jumps.is_empty());
        if self.jumps.labels.iter().any(wanted) {
            self.report_misuse(
                "a goto leads to a label that has no place".to_owned(),
                "call place where the jump goes on",
            );
        }
    }
}
