//! The vertices that may write variables, and the expressions that a loop does not change.

use crate::{
    entity::VarId,
    graph::loops::{LoopForest, LoopId},
    ir::{Cfg, Dim, Expr, Extent, OpClass, Program, Role, Routine, ScalarType, Stmt},
    memory::{effects::Effects, loop_writes::LoopWrites},
    typing::{self, Type},
};

/// The writes in the loops of a routine, and the questions of recovery about them.
pub(super) struct Writes<'a> {
    effects: &'a Effects,
    routine: &'a Routine,
    loops: LoopWrites<'a>,
}

impl<'a> Writes<'a> {
    pub(super) fn collect(
        program: &'a Program,
        effects: &'a Effects,
        routine: &'a Routine,
        cfg: &Cfg,
        forest: &'a LoopForest,
    ) -> Self {
        Self {
            effects,
            routine,
            loops: LoopWrites::collect(program, effects, routine, cfg, forest),
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

    /// True if the loop may write no variable that the expression reads. The shape of an array never changes, unless
    /// the array is a local with deferred extents.
    pub(super) fn invariant(&self, l: LoopId, e: &Expr) -> bool {
        let written = |x: VarId| self.inside(l, x).next().is_some();
        match e {
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Null(_) => {
                true
            }
            // The target of a pointer may be written through other pointers.
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

    /// True for a variable that gets its shape from assignments.
    fn changes_shape(&self, x: VarId) -> bool {
        let variable = self.routine.variable(x);
        let deferred = |d: &Dim| matches!(d.extent, Extent::Deferred);
        !matches!(variable.role, Role::Parameter { .. }) && variable.shape.iter().any(deferred)
    }

    /// True for an integer scalar that shares no storage, so that all of its writers are known.
    pub(super) fn is_index(&self, x: VarId) -> bool {
        let variable = self.routine.variable(x);
        let private = match variable.role {
            Role::Local => true,
            Role::Parameter { intent, optional } => {
                intent.writes() && !optional && !self.routine.aliased
            }
            // A global that shares no storage with others.
            Role::Global(g) => {
                !self.loops.locations().is_shared(x)
                    && self.effects.storage.overlaid_with(g).is_none()
            }
        };
        private && variable.ty == ScalarType::Integer && variable.rank() == 0
    }

    /// True for an integer scalar expression.
    pub(super) fn is_integer(&self, e: &Expr) -> bool {
        let ty = typing::type_of(&self.routine.variables, e);
        ty.is_ok_and(|ty| ty == Type::scalar(ScalarType::Integer))
    }
}
