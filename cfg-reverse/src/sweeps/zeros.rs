//! Scalar adjoints that are known to be 0.
//!
//! The adjoint of a statement increments the adjoints of what the statement reads, and sets the adjoint of what it writes
//! to 0. Where an adjoint is certain to be 0, its increment `v_b := v_b + e` is the assignment `v_b := e`, and a
//! statement that sets it to 0 for that increment alone is dead. For a variable that is assigned once in a loop's
//! body and then read in the same trip, the reverse sweep keeps one assignment of its adjoint.
//!
//! `0 + e` is `e` but for the sign of a zero.

mod dead;
pub(crate) mod idle;
mod known;

use cfg_core::{
    entity::VarId,
    flat::{Constant, FlatExpr},
    ir::{
        Place, Role, Routine, Stmt,
        visit::{PlaceRole, Visit, walk_place},
    },
};

/// The reverse sweep with assignments in place of increments to 0, and without zeros that nothing reads.
pub(super) fn without_known_zeros(mut routine: Routine) -> Routine {
    let candidates = Candidates::find(&routine);
    if let Some(mut cfg) = routine.body.take() {
        if candidates.count > 0 {
            cfg = known::assign_where_zero(cfg, &candidates);
            cfg = dead::without_dead_zeros(cfg, &candidates);
        }
        routine.body = Some(cfg);
    }
    routine
}

/// Scalar locals: the real ones that some statement sets to 0, or others. Only statements that name such a local access
/// it.
struct Candidates {
    /// The number of each variable among the candidates.
    numbers: Vec<Option<u32>>,
    count: usize,
}

impl Candidates {
    fn find(routine: &Routine) -> Self {
        let vertices = routine.body.iter().flat_map(|cfg| cfg.vertices());
        let statements = vertices.flat_map(|(_, vertex)| vertex.statements());
        Self::of(routine, statements.filter_map(zeroed))
    }

    /// Of these variables the scalar locals.
    fn of(routine: &Routine, variables: impl IntoIterator<Item = VarId>) -> Self {
        let mut found = Self {
            numbers: vec![None; routine.variables.len()],
            count: 0,
        };
        for v in variables {
            let variable = routine.variable(v);
            let is_scalar_local =
                variable.role == Role::Local && variable.rank() == 0 && routine.result != Some(v);
            let number = &mut found.numbers[v.index()];
            if is_scalar_local && number.is_none() {
                *number = Some(found.count as u32);
                found.count += 1;
            }
        }
        found
    }

    fn number(&self, v: VarId) -> Option<usize> {
        self.numbers[v.index()].map(|n| n as usize)
    }
}

/// The variable that the statement sets to the real number 0.
fn zeroed(statement: &Stmt) -> Option<VarId> {
    let (target, value) = statement.kind.assignment()?;
    let is_zero = match FlatExpr::view(value) {
        FlatExpr::Constant(Constant::Real(x)) => x.to_bits() == 0,
        FlatExpr::Constant(Constant::Real32(x)) => x.to_bits() == 0,
        FlatExpr::Constant(Constant::Int(_) | Constant::Logical(_))
        | FlatExpr::Place(_)
        | FlatExpr::Op(..) => false,
    };
    (is_zero && target.subscripts.is_empty()).then_some(target.var)
}

/// Reports each variable with the role in which it is named. A call may read and write its arguments.
struct Names<F>(F);

impl<'ir, F: FnMut(VarId, PlaceRole)> Visit<'ir> for Names<F> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        (self.0)(place.var, role);
    }

    fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        (self.0)(*v, role);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::{
        ir::{Program, Vertex},
        text,
    };

    /// The statements of a routine after both passes, in the order of the graph.
    fn left(lines: &str) -> Vec<String> {
        let text = format!(
            "subroutine f(in integer n, in real x, inout real y, inout tape tape)
               local integer i
               local real a
               local real b
               local real w[3]
               {lines}
             end"
        );
        let parsed = cfg_format::text::parse(&text);
        let program: Program = parsed
            .program
            .unwrap_or_else(|| panic!("{:?}", parsed.problems));
        let routine = without_known_zeros(program.routines[0].clone());
        let vertices = routine.body.iter().flat_map(|cfg| cfg.vertices());
        let statements = vertices.flat_map(|(_, vertex): (_, &Vertex)| vertex.statements());
        let shown = statements.map(|s| text::stmt_text(&routine, &program, s).to_string());
        shown.collect()
    }

    #[test]
    fn increments_of_zero_are_assignments() {
        let made = left(
            "a := 0.0\n a := a + x\n y := y + a\n a := 0.0\n a := a - x\n y := y + a\n a := 0.0",
        );
        assert_eq!(made, ["a := x", "y := y + a", "a := -x", "y := y + a"]);
    }

    #[test]
    fn a_loop_that_leaves_zero_begins_with_it() {
        let body = "a := 0.0\n for i = 1, n\n a := a + x\n y := y + a\n a := 0.0\n end";
        assert_eq!(left(body), ["a := x", "y := y + a"]);
        let other = "a := 0.0\n for i = 1, n\n a := a + x\n y := y + a\n end";
        assert_eq!(left(other), ["a := 0.0", "a := a + x", "y := y + a"]);
    }

    #[test]
    fn what_holds_on_one_way_only_does_not() {
        let made = left("a := 0.0\n if x > 1.0\n a := x\n end\n a := a + x\n y := a");
        assert_eq!(made, ["a := 0.0", "a := x", "a := a + x", "y := a"]);
        // The zero is read on one path, so it must be set.
        let made = left("a := 0.0\n if x > 1.0\n a := a + x\n end\n y := a");
        assert_eq!(made, ["a := 0.0", "a := x", "y := a"]);
    }

    #[test]
    fn nothing_else_is_touched() {
        for body in [
            // Elements, parameters, negative zeros and constants other than 0 are left alone.
            "w[1] := 0.0\n w[1] := w[1] + x\n y := w[1]",
            "y := 0.0\n y := y + x",
            "a := -0.0\n a := a + x\n y := a",
            "a := 1.0\n a := a + x\n y := a",
            // Popped and pushed.
            "a := 0.0\n a := pop[real]\n a := a + x\n y := a",
            "a := 0.0\n push[real] a",
            // A zero factor is no addend.
            "a := 0.0\n a := a*x\n y := a",
        ] {
            let lines: Vec<&str> = body.split("\n").map(str::trim).collect();
            let shown = left(body);
            let popped = body.contains("pop");
            // The zero in front of a pop is dead.
            assert_eq!(shown, lines[usize::from(popped)..], "{body}");
        }
    }
}
