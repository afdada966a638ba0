//! The globals of a routine that need no declaration.
//!
//! The reader appends a global to the table of variables where it is first used
//! ([`crate::json::resolve`]). If the globals at the end of the table stand in just that order, nothing
//! has to be written about them; otherwise the writer lists them among the locals.

use crate::{
    entity::VarId,
    ir::{
        Expr, Extent, LoopTest, Place, Role, Routine, Selector, StmtKind, Variable, Vertex,
        VertexKind,
    },
};

/// Number of globals at the end of the table that the reader puts there by itself.
pub(super) fn implicit(routine: &Routine) -> usize {
    let is_global = |v: &Variable| matches!(v.role, Role::Global(_));
    let count = routine
        .variables
        .iter()
        .rev()
        .take_while(|v| is_global(v))
        .count();
    let start = (routine.variables.len() - count).max(routine.parameters);
    if start >= routine.variables.len() {
        return 0;
    }
    let mut uses = FirstUses {
        start,
        seen: vec![false; routine.variables.len() - start],
        next: start,
        in_order: true,
    };
    uses.routine(routine);
    if uses.in_order && uses.next == routine.variables.len() {
        routine.variables.len() - start
    } else {
        0
    }
}

/// Checks that variables from `start` on are used first in the order of the table.
struct FirstUses {
    start: usize,
    seen: Vec<bool>,
    next: usize,
    in_order: bool,
}

impl FirstUses {
    /// Visits a routine in the order in which the reader resolves names.
    fn routine(&mut self, routine: &Routine) {
        for variable in &routine.variables[..self.start] {
            if matches!(variable.role, Role::Global(_)) {
                continue;
            }
            for dim in &variable.shape {
                self.expr(&dim.lower);
                if let Extent::Fixed(extent) = &dim.extent {
                    self.expr(extent);
                }
            }
        }
        let lists = [&routine.independents, &routine.dependents];
        for &v in routine.result.iter().chain(lists.into_iter().flatten()) {
            self.variable(v);
        }
        if let Some(external) = &routine.external {
            external.value.iter().for_each(|e| self.expr(e));
            for partial in external.partials.iter().flatten() {
                self.variable(partial.parameter);
                self.expr(&partial.value);
            }
        }
        for (_, vertex) in routine.body.iter().flat_map(|body| body.vertices()) {
            self.vertex(vertex);
        }
    }

    fn vertex(&mut self, vertex: &Vertex) {
        match &vertex.kind {
            VertexKind::Entry | VertexKind::Exit | VertexKind::EndLoop | VertexKind::EndBranch => {}
            VertexKind::Block(statements) => {
                for statement in statements {
                    self.statement(&statement.kind);
                }
            }
            VertexKind::Loop { test, .. } => match &**test {
                LoopTest::Pre(e) | LoopTest::Post(e) => self.expr(e),
                LoopTest::Counted {
                    index,
                    first,
                    last,
                    step,
                } => {
                    self.variable(*index);
                    [first, last, step].into_iter().for_each(|e| self.expr(e));
                }
            },
            VertexKind::Branch(selector) => match &**selector {
                Selector::Condition(e) | Selector::Cases { value: e, .. } => self.expr(e),
            },
        }
    }

    fn statement(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Assign { target, value } => {
                self.place(target);
                self.expr(value);
            }
            StmtKind::Call {
                arguments, result, ..
            } => {
                result.iter().for_each(|target| self.place(target));
                arguments.iter().flatten().for_each(|e| self.expr(e));
            }
            StmtKind::Push { tape, value, .. } => {
                self.expr(value);
                self.variable(*tape);
            }
            StmtKind::Pop { tape, target, .. } => {
                self.place(target);
                self.variable(*tape);
            }
            StmtKind::Opaque { reads, writes, .. } => {
                reads.iter().chain(writes).for_each(|&v| self.variable(v));
            }
        }
    }

    fn place(&mut self, place: &Place) {
        self.variable(place.var);
        place.subscript_exprs().for_each(|e| self.expr(e));
    }

    fn expr(&mut self, e: &Expr) {
        // Parents first, as they are written: an array's name before its subscripts.
        e.walk_places(&mut |place| self.variable(place.var));
    }

    fn variable(&mut self, v: VarId) {
        let Some(seen) = v
            .index()
            .checked_sub(self.start)
            .and_then(|i| self.seen.get_mut(i))
        else {
            return;
        };
        if !std::mem::replace(seen, true) {
            self.in_order &= v.index() == self.next;
            self.next += 1;
        }
    }
}
