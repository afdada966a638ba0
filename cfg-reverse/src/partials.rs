//! Partial derivatives of one statement, and its adjoint and tangent.

pub(crate) mod assignment;
pub(crate) mod conform;
pub(crate) mod linearize;
pub(crate) mod protect;
pub(crate) mod scope;

/// The reason for which an expression cannot be differentiated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsupported(pub(crate) String);
