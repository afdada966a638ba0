//! The span and the origin of a statement, which all statements made from it take over: errors in runs of generated
//! code are reported at the statement of the original.

use cfg_core::ir::{At, Routine, StatementOrigin, Stmt};

/// The span and the origin of a statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mark {
    pub(crate) at: At,
    pub(crate) origin: StatementOrigin,
}

impl Mark {
    /// The span and origin of a statement. `number`: its position in the original routine, if it stands there
    /// unchanged.
    pub(crate) fn of(statement: &Stmt, number: Option<usize>) -> Self {
        Self {
            at: statement.at.clone(),
            origin: number.map_or(statement.origin, StatementOrigin::of),
        }
    }

    /// Marks a statement made from this one; a span that it has already stays.
    pub(crate) fn put(&self, made: &mut Stmt) {
        if made.at.is_none() {
            made.at.clone_from(&self.at);
        }
        made.origin = self.origin;
    }
}

/// Numbers the statements of a routine, before its graph is changed.
pub(crate) fn number_statements(routine: &mut Routine) {
    let Some(cfg) = &mut routine.body else { return };
    let blocks = cfg.vertices_mut().filter_map(|v| v.kind.statements_mut());
    for (number, statement) in blocks.flatten().enumerate() {
        statement.origin = StatementOrigin::of(number);
    }
}
