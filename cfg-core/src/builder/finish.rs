//! The end of writing a routine.

use super::routine::{Open, RoutineBuilder};
use crate::{
    codes,
    diagnostic::{Diagnostic, Diagnostics},
    ir::{Cfg, Control, External, Routine, VertexKind},
};

/// # Bodies that are not built, and the end
impl RoutineBuilder {
    /// Gives the routine a graph that was made elsewhere, in place of the vertices that were built here.
    pub fn body(&mut self, cfg: Cfg, control: Control) {
        self.own_body = Some((cfg, control));
    }

    /// Makes the routine external: without a body, described by expressions over its parameters.
    pub fn external(&mut self, external: External) {
        self.routine.external = Some(Box::new(external));
    }

    /// The routine, not validated ([`super::ProgramBuilder::finish`] validates).
    ///
    /// # Errors
    /// All constructs that were left open and all calls that were used wrongly.
    pub fn finish(mut self) -> Result<Routine, Diagnostics> {
        if let Some(open) = self.open.last() {
            let header = open.header();
            let (what, end) = match open {
                Open::Loop { repeat: true, .. } => ("loop", "end_repeat"),
                Open::Loop { .. } => ("loop", "end_loop"),
                Open::If { .. } => ("branch", "end_if"),
                Open::Cases { .. } => ("branch", "end_cases"),
            };
            self.report_misuse(
                format!("the {what} at vertex {} has no end", header + 1),
                format!("call {end}"),
            );
        }
        self.end_jumps();
        let exit = self.vertices.len() + 1;
        if self.routine.external.is_none() && self.own_body.is_none() {
            self.enter(VertexKind::Exit);
            let cfg = Cfg::new(self.vertices, self.edges);
            match cfg.map(|cfg| self.jumps.finish(cfg)) {
                Some((cfg, control)) => {
                    self.routine.body = Some(cfg);
                    self.routine.control = control;
                }
                None => self.problems.push(Diagnostic::error(
                    &codes::BUILDER,
                    format!("an edge before vertex {exit} leads nowhere"),
                    "end every loop and branch",
                )),
            }
        }
        if let Some((cfg, control)) = self.own_body {
            self.routine.body = Some(cfg);
            self.routine.control = control;
        }
        if self.problems.is_empty() {
            Ok(self.routine)
        } else {
            Err(self.problems)
        }
    }
}
