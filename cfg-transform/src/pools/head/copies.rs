//! Routines that copy arrays of any rank in storage order.

use super::super::plan::Kind;
use cfg_core::{
    edit::Editor,
    entity::RoutineId,
    ir::{Dim, Expr, Intent, Place, Role, Routine, ScalarType, Stmt, Variable},
};
use std::collections::BTreeMap;

/// The routines that copy arrays of any rank in storage order, one for each type.
pub(super) struct Copies {
    next: usize,
    of: BTreeMap<Kind, RoutineId>,
    types: Vec<ScalarType>,
}

impl Copies {
    /// Routines that are numbered from here on.
    pub(super) fn from(next: usize) -> Self {
        Self {
            next,
            of: BTreeMap::new(),
            types: Vec::new(),
        }
    }

    pub(super) fn routine_for(&mut self, ty: ScalarType) -> RoutineId {
        let (next, types) = (self.next, &mut self.types);
        *self.of.entry(Kind::from_type(ty)).or_insert_with(|| {
            types.push(ty);
            RoutineId::new(next + types.len() - 1)
        })
    }

    /// The routines, in the order of their numbers; `name` makes a name that is new.
    pub(super) fn routines(self, mut name: impl FnMut(String) -> String) -> Vec<Routine> {
        let made = self.types.into_iter().map(|ty| {
            let mut routine = Routine {
                name: name(format!("copy_{}", ty.name())),
                ..Routine::default()
            };
            let role = |intent| Role::Parameter {
                intent,
                optional: false,
            };
            let n = Variable::new("n", ScalarType::Integer, Vec::new(), role(Intent::In));
            let n = routine.add_variable(n);
            let shape = || vec![Dim::with_extent(Expr::var(n))];
            let from = Variable::new("from", ty, shape(), role(Intent::In));
            let from = routine.add_variable(from);
            let to = Variable::new("to", ty, shape(), role(Intent::Out));
            let to = routine.add_variable(to);
            let copy = Stmt::assign(Place::whole(to), Expr::var(from));
            routine.body = Some(Editor::line([vec![copy]]));
            routine
        });
        made.collect()
    }
}
