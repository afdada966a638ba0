//! Reading: a document, its declarations, what each routine uses, and its expressions.

pub(crate) mod expression;
pub(crate) mod model;
pub(crate) mod scan;
pub(crate) mod xml;
