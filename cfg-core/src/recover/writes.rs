//! The places where variables may be written, and the expressions that a loop does not change.

use crate::{
    entity::VarId,
    graph::loops::{LoopForest, LoopId},
    ir::{Cfg, Dim, Expr, Extent, OpClass, Program, Role, Routine, ScalarType, Stmt},
    memory::{effects::Effects, loop_writes::LoopWrites},
    typing::{self, Type},
};

/// What the loops of a routine write, and what of it recovery has to know.
pub(super) struct Writes<'a> {
    effects: &'a Effects,
    routine: &'a Routine,
    loops: LoopWrites<'a>,
}

impl<'a> Writes<'a> {
    pub(super) fn of(
        program: &'a Program,
        effects: &'a Effects,
        routine: &'a Routine,
        cfg: &Cfg,
        forest: &'a LoopForest,
    ) -> Self {
        Self {
            effects,
            routine,
            loops: LoopWrites::of(program, effects, routine, cfg, forest),
        }
    }

    /// The vertices of a loop that may write the variable's storage.
    pub(super) fn inside(&self, l: LoopId, x: VarId) -> impl Iterator<Item = usize> {
        self.loops.inside(l, x)
    }

    /// True if a statement may write the variable's storage.
    pub(super) fn may_write(&self, statement: &Stmt, x: VarId) -> bool {
        self.loops.may_write(statement, x)
    }

    /// True if nothing that the expression reads may be written in the loop. The shape of an array is what it
    /// is at entry, unless it is a local whose extents are not declared.
    pub(super) fn invariant(&self, l: LoopId, e: &Expr) -> bool {
        let written = |x: VarId| self.inside(l, x).next().is_some();
        match e {
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Null(_) => {
                true
            }
            // What pointers lead to may be written through others.
            Expr::Place(place) if place.is_through_pointer() => false,
            Expr::Addr(place) => {
                let mut subscripts = place.subscript_exprs();
                !place.is_through_pointer() && subscripts.all(|s| self.invariant(l, s))
            }
            Expr::Place(place) => {
                let mut subscripts = place.subscript_exprs();
                !written(place.var) && subscripts.all(|s| self.invariant(l, s))
            }
            Expr::Op(op, operands) if op.class() == OpClass::Inquiry => {
                operands.iter().all(|e| match e {
                    Expr::Place(place) if !self.changes_shape(place.var) => {
                        let mut subscripts = place.subscript_exprs();
                        subscripts.all(|s| self.invariant(l, s))
                    }
                    e @ (Expr::Int(_)
                    | Expr::Real(_)
                    | Expr::Real32(_)
                    | Expr::Logical(_)
                    | Expr::Place(_)
                    | Expr::Op(..)
                    | Expr::Null(_)
                    | Expr::Addr(_)) => self.invariant(l, e),
                })
            }
            Expr::Op(_, operands) => operands.iter().all(|e| self.invariant(l, e)),
        }
    }

    /// True of a variable that gets its shape from what is assigned to it.
    fn changes_shape(&self, x: VarId) -> bool {
        let variable = self.routine.variable(x);
        let deferred = |d: &Dim| matches!(d.extent, Extent::Deferred);
        !matches!(variable.role, Role::Parameter { .. }) && variable.shape.iter().any(deferred)
    }

    /// True of an integer scalar that nothing else shares storage with, so that who writes it is known.
    pub(super) fn is_index(&self, x: VarId) -> bool {
        let variable = self.routine.variable(x);
        let private = match variable.role {
            Role::Local => true,
            Role::Parameter { intent, optional } => {
                intent.writes() && !optional && !self.routine.aliased
            }
            // Validation refuses writes to whatever lies in its storage.
            Role::Global(g) => {
                !self.loops.locations().is_shared(x) && self.effects.storage.around(g).is_none()
            }
        };
        private && variable.ty == ScalarType::Integer && variable.rank() == 0
    }

    /// True of an integer scalar expression.
    pub(super) fn is_integer(&self, e: &Expr) -> bool {
        let ty = typing::type_of(&self.routine.variables, e);
        ty.is_ok_and(|ty| ty == Type::scalar(ScalarType::Integer))
    }
}
