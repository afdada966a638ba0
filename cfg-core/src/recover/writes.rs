//! The places where variables may be written, and the expressions that a loop does not change.

use crate::{
    entity::VarId,
    graph::loops::{LoopForest, LoopId},
    ir::{Cfg, Dim, Expr, Extent, OpClass, Program, Role, Routine, ScalarType, Stmt},
    memory::{
        access::{Access, Accesses, decision_accesses},
        effects::Effects,
        locations::Locations,
    },
    typing::{self, Type},
};

/// The vertices that may write each variable, or another one in the same storage.
pub(super) struct Writes<'a> {
    effects: &'a Effects,
    accesses: Accesses<'a>,
    routine: &'a Routine,
    locations: Locations,
    /// The writers of each location: (place among the members of loops, vertex), sorted; only vertices in loops.
    by_location: Vec<Vec<(usize, usize)>>,
}

impl<'a> Writes<'a> {
    pub(super) fn of(
        program: &'a Program,
        effects: &'a Effects,
        routine: &'a Routine,
        cfg: &Cfg,
        forest: &LoopForest,
    ) -> Self {
        let locations = Locations::of(program, routine);
        let accesses = Accesses::of(program, effects, routine);
        let mut by_location: Vec<Vec<(usize, usize)>> = vec![Vec::new(); routine.variables.len()];
        for (v, vertex) in cfg.vertices() {
            let Some(place) = forest.place(v.index()) else {
                continue;
            };
            let mut found = |access| match access {
                Access::Read(_) => {}
                Access::Write(x) | Access::MayWrite(x) => {
                    let location = locations.of_variable(x).index();
                    if let Some(list) = by_location.get_mut(location)
                        && list.last() != Some(&(place, v.index()))
                    {
                        list.push((place, v.index()));
                    }
                }
            };
            for statement in vertex.statements() {
                accesses.statement(statement, &mut found);
            }
            decision_accesses(vertex, &mut found);
        }
        for list in &mut by_location {
            list.sort_unstable();
            list.dedup();
        }
        Self {
            effects,
            accesses,
            routine,
            locations,
            by_location,
        }
    }

    /// Up to two vertices of the loop that may write the variable's storage.
    pub(super) fn inside(
        &self,
        forest: &LoopForest,
        l: LoopId,
        x: VarId,
    ) -> impl Iterator<Item = usize> {
        let list = &self.by_location[self.locations.of_variable(x).index()];
        let range = forest.places(l);
        let first = list.partition_point(|w| w.0 < range.start);
        let inside = list[first..].iter().take_while(move |w| w.0 < range.end);
        inside.map(|w| w.1).take(2)
    }

    /// True if nothing that the expression reads may be written in the loop. The shape of an array is what it
    /// is at entry, unless it is a local whose extents are not declared.
    pub(super) fn invariant(&self, forest: &LoopForest, l: LoopId, e: &Expr) -> bool {
        let written = |x: VarId| self.inside(forest, l, x).next().is_some();
        match e {
            Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => true,
            Expr::Place(place) => {
                let mut subscripts = place.subscript_exprs();
                !written(place.var) && subscripts.all(|s| self.invariant(forest, l, s))
            }
            Expr::Op(op, operands) if op.class() == OpClass::Inquiry => {
                operands.iter().all(|e| match e {
                    Expr::Place(place) if !self.changes_shape(place.var) => {
                        let mut subscripts = place.subscript_exprs();
                        subscripts.all(|s| self.invariant(forest, l, s))
                    }
                    e @ (Expr::Int(_)
                    | Expr::Real(_)
                    | Expr::Real32(_)
                    | Expr::Logical(_)
                    | Expr::Place(_)
                    | Expr::Op(..)) => self.invariant(forest, l, e),
                })
            }
            Expr::Op(_, operands) => operands.iter().all(|e| self.invariant(forest, l, e)),
        }
    }

    /// True of a variable that gets its shape from what is assigned to it.
    fn changes_shape(&self, x: VarId) -> bool {
        let variable = self.routine.variable(x);
        let deferred = |d: &Dim| matches!(d.extent, Extent::Deferred);
        !matches!(variable.role, Role::Parameter { .. }) && variable.shape.iter().any(deferred)
    }

    /// True if a statement may write the variable's storage.
    pub(super) fn may_write(&self, statement: &Stmt, x: VarId) -> bool {
        let mut found = false;
        self.accesses.statement(statement, &mut |access| {
            if let Access::Write(y) | Access::MayWrite(y) = access {
                found |= self.locations.may_share(x, y);
            }
        });
        found
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
                !self.locations.is_shared(x) && self.effects.storage.around(g).is_none()
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
