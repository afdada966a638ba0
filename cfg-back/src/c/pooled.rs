//! What globals are to the pointers of a program that was lowered to pools.

use cfg_core::ir::{NameRole, Program, original_roles};

/// What an array is to pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooled {
    Cells,
    Table,
}

impl Pooled {
    /// True of a program that was lowered to pools.
    pub(super) fn any(program: &Program) -> bool {
        Self::globals(program).iter().any(Option::is_some)
    }

    /// What each global of a program is; derivatives of cells are cells.
    pub(super) fn globals(program: &Program) -> Vec<Option<Self>> {
        let roles = original_roles(program.globals.iter().map(|global| &global.variable));
        let pooled = |role: &NameRole| {
            if matches!(role, NameRole::Cells | NameRole::ScratchCells) {
                return Some(Self::Cells);
            }
            role.is_pool().then_some(Self::Table)
        };
        roles.into_iter().map(|role| pooled(role?)).collect()
    }
}
