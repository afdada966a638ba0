//! The globals of a routine that need no declaration.
//!
//! The reader appends a global to the table of variables where it is first used ([`crate::json::resolve`]). If the
//! globals at the end of the table stand in just that order, the writer omits them; otherwise it lists them among the
//! locals.

use cfg_core::{
    entity::VarId,
    ir::{Expr, Extent, Place, Role, Routine, StmtKind, Vertex},
};

/// Number of globals at the end of `locals`, the variables that are no parameters, that the reader puts there by
/// itself.
pub(super) fn implicit(routine: &Routine, locals: &[VarId]) -> usize {
    let is_global = |v: &&VarId| matches!(routine.variable(**v).role, Role::Global(_));
    let count = locals.iter().rev().take_while(is_global).count();
    if count == 0 {
        return 0;
    }
    let (declared, globals) = locals.split_at(locals.len() - count);
    let mut uses = FirstUses {
        place: vec![None; routine.variables.len()],
        next: 0,
        in_order: true,
    };
    for (k, v) in globals.iter().enumerate() {
        uses.place[v.index()] = Some(k);
    }
    uses.check_routine(routine, declared);
    if uses.in_order && uses.next == count {
        count
    } else {
        0
    }
}

/// Checks that the globals at the end are used first in the order of the table.
struct FirstUses {
    /// The place of each global at the end that has not been used yet.
    place: Vec<Option<usize>>,
    next: usize,
    in_order: bool,
}

impl FirstUses {
    /// Visits a routine in the order in which the reader resolves names.
    fn check_routine(&mut self, routine: &Routine, declared: &[VarId]) {
        let declared = routine.parameters.iter().chain(declared);
        for variable in declared.filter_map(|v| routine.variables.get(v.index())) {
            if matches!(variable.role, Role::Global(_)) {
                continue;
            }
            for dim in &variable.shape {
                self.check_expr(&dim.lower);
                if let Extent::Fixed(extent) = &dim.extent {
                    self.check_expr(extent);
                }
            }
        }
        let lists = [&routine.independents, &routine.dependents];
        for &v in routine.result.iter().chain(lists.into_iter().flatten()) {
            self.check_variable(v);
        }
        if let Some(external) = &routine.external {
            external.value.iter().for_each(|e| self.check_expr(e));
            for partial in external.partials.iter().flatten() {
                self.check_variable(partial.parameter);
                self.check_expr(&partial.value);
            }
        }
        for (_, vertex) in routine.body.iter().flat_map(|body| body.vertices()) {
            self.check_vertex(vertex);
        }
    }

    fn check_vertex(&mut self, vertex: &Vertex) {
        for statement in vertex.statements() {
            self.check_statement(&statement.kind);
        }
        vertex
            .kind
            .index()
            .iter()
            .for_each(|v| self.check_variable(*v));
        vertex.kind.exprs().for_each(|e| self.check_expr(e));
    }

    fn check_statement(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Assign { target, value } => {
                self.check_place(target);
                self.check_expr(value);
            }
            StmtKind::Call {
                arguments, result, ..
            } => {
                result.iter().for_each(|target| self.check_place(target));
                arguments.iter().flatten().for_each(|e| self.check_expr(e));
            }
            StmtKind::Push { tape, value, .. } => {
                self.check_expr(value);
                self.check_variable(*tape);
            }
            StmtKind::Pop { tape, target, .. } => {
                self.check_place(target);
                self.check_variable(*tape);
            }
            StmtKind::Opaque { reads, writes, .. } => {
                reads
                    .iter()
                    .chain(writes)
                    .for_each(|&v| self.check_variable(v));
            }
            StmtKind::Stop { text: _ } => {}
            StmtKind::Allocate { pointer, count, .. } | StmtKind::Resize { pointer, count } => {
                self.check_place(pointer);
                self.check_expr(count);
            }
            StmtKind::Free { pointer } => self.check_place(pointer),
        }
    }

    fn check_place(&mut self, place: &Place) {
        self.check_variable(place.var);
        place.subscript_exprs().for_each(|e| self.check_expr(e));
    }

    fn check_expr(&mut self, e: &Expr) {
        // Parents first, as they are written: an array's name before its subscripts.
        e.walk_places(&mut |place| self.check_variable(place.var));
    }

    fn check_variable(&mut self, v: VarId) {
        let Some(place) = self.place.get_mut(v.index()).and_then(Option::take) else {
            return;
        };
        self.in_order &= place == self.next;
        self.next += 1;
    }
}
