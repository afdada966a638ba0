//! Ways in which parameters are passed.

use cfg_core::ir::{Role, Variable};

/// The way in which something is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    Value,
    Constant,
    Pointer,
}

/// True of a parameter that callers may leave out.
pub(super) fn is_optional(variable: &Variable) -> bool {
    matches!(variable.role, Role::Parameter { optional: true, .. })
}
