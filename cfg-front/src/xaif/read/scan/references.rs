//! Facts that the indices of a reference tell without being evaluated.

use crate::xaif::read::xml::{At, Document, El, NodeId};

/// True if a reference to an array of one element has an index that may not be 1.
pub(crate) fn beyond_one(doc: &Document<'_>, reference: NodeId) -> bool {
    let Some(element) = doc.child(reference, El::ArrayElementReference) else {
        return false;
    };
    doc.children(element).any(|triplet| {
        let parts = [El::Index, El::Bound].into_iter();
        parts
            .filter_map(|name| doc.child(triplet, name))
            .any(|container| constant(doc, container) != Some(1))
    })
}

/// The value of a container that holds an integer constant.
pub(crate) fn constant(doc: &Document<'_>, container: NodeId) -> Option<i64> {
    let mut children = doc.children(container);
    let only = children.next()?;
    if children.next().is_some() || doc.name(only) != El::Constant {
        return None;
    }
    doc.attr(only, At::Value)?.trim().parse().ok()
}
