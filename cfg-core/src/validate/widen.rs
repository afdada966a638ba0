//! Subscripts, bounds of sections, extents, selectors and numbers of elements of other integer types than `integer`.
//!
//! Programs may use them; a [`ValidProgram`](super::ValidProgram) has a conversion there, `int(e)` in text, so that
//! its users meet only `integer`.

use crate::ir::{
    Expr, Extent, Op, Place, Program, Routine, ScalarType, Selector, Stmt, StmtKind, Variable,
    VertexKind,
    visit::{
        PlaceRole, VisitMut, walk_decision_mut, walk_expr_mut, walk_place_mut, walk_routine_mut,
        walk_statement_mut,
    },
};
use crate::typing;

/// The conversions of one routine.
struct Widen {
    variables: Vec<Variable>,
}

impl Widen {
    /// Converts an integer of another type. Expressions have types, since the program keeps all other rules.
    fn convert(&self, e: &mut Expr) {
        let ty = typing::type_of(&self.variables, e);
        if ty.is_ok_and(|ty| matches!(ty.ty, ScalarType::Sized(_))) {
            let narrow = std::mem::replace(e, Expr::Int(0));
            *e = Expr::op(Op::TO_INT, [narrow]);
        }
    }
}

impl VisitMut for Widen {
    fn visit_routine(&mut self, routine: &mut Routine) {
        walk_routine_mut(self, routine);
        for dim in routine.variables.iter_mut().flat_map(|v| &mut v.shape) {
            self.convert(&mut dim.lower);
            if let Extent::Fixed(e) = &mut dim.extent {
                self.convert(e);
            }
        }
    }

    fn visit_decision(&mut self, kind: &mut VertexKind) {
        walk_decision_mut(self, kind);
        if let VertexKind::Branch(selector) = kind
            && let Selector::Cases { value, .. } = &mut **selector
        {
            self.convert(value);
        }
    }

    fn visit_statement(&mut self, statement: &mut Stmt) {
        walk_statement_mut(self, statement);
        if let StmtKind::Allocate { count, .. } | StmtKind::Resize { count, .. } =
            &mut statement.kind
        {
            self.convert(count);
        }
    }

    fn visit_expr(&mut self, e: &mut Expr, role: PlaceRole) {
        walk_expr_mut(self, e, role);
        if let Expr::Op(Op::Fill | Op::Shift, operands) = e {
            operands[1..].iter_mut().for_each(|e| self.convert(e));
        }
    }

    fn visit_place(&mut self, place: &mut Place, _: PlaceRole) {
        walk_place_mut(self, place);
        for e in place.subscripts.iter_mut().flat_map(|s| s.exprs_mut()) {
            self.convert(e);
        }
    }
}

/// The program with the conversions.
pub(super) fn widen(program: &mut Program) {
    for routine in &mut program.routines {
        let variables = routine.variables.clone();
        Widen { variables }.visit_routine(routine);
    }
}
