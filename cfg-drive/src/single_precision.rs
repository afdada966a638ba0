//! Finds whether a program computes with 32-bit reals.

use cfg_core::ir::{
    Expr, Op, Program, ScalarType,
    visit::{PlaceRole, Visit, walk_expr},
};

/// True if a variable, a constant or an operation of the program has 32 bits.
pub(crate) fn has_real32(program: &Program) -> bool {
    let globals = program.globals.iter().map(|g| &g.variable);
    let own = program.routines.iter().flat_map(|r| &r.variables);
    if globals.chain(own).any(|v| v.ty == ScalarType::Real32) {
        return true;
    }
    let mut search = Search { found: false };
    for routine in &program.routines {
        search.visit_routine(routine);
    }
    search.found
}

struct Search {
    found: bool,
}

impl<'ir> Visit<'ir> for Search {
    fn visit_expr(&mut self, e: &'ir Expr, role: PlaceRole) {
        // An operation has 32 bits only if a variable, a constant or a conversion does.
        self.found |= matches!(e, Expr::Real32(_) | Expr::Op(Op::ToReal32, _));
        walk_expr(self, e, role);
    }
}
