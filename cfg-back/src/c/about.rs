//! Comments in front of declarations: what a function is, and what becomes of what callers give.

use super::{
    fold::fold_comment,
    names::escape_comment,
    parameters::{Given, Interface, Item, Passed},
    sweep::Sweep,
};
use cfg_core::ir::ParameterRole;

/// The comment for a sweep of the routine; `more` are parameters behind those of the interface that may be null.
pub(super) fn about(
    interface: &Interface<'_>,
    sweep: Sweep,
    several: bool,
    more: &[&str],
) -> String {
    let name = &interface.routine.name;
    let mut text = match sweep {
        Sweep::Gradient => format!("{name} and its gradient"),
        Sweep::Forward => format!("The forward sweep of {name}"),
        Sweep::Reverse => {
            format!("The reverse sweep of {name}, for the last forward sweep on the tape")
        }
        Sweep::Tangent => format!("{name} and its tangent"),
    };
    if several {
        text += " in several directions";
    }
    let adjoint = |item: &Item| matches!(item.role(), Some(ParameterRole::Adjoint(_)));
    let is_updated = |item: &&Item| item.is_updated();
    let pointers = || interface.items.iter().filter(is_updated);
    let added = pointers().filter(|item| item.sum.is_some());
    let turned = pointers().filter(|item| item.sum.is_none() && adjoint(item));
    // A reverse sweep needs memory as the forward sweep has left it, and has no values of its own.
    let written = pointers().filter(|item| item.sum.is_none() && !adjoint(item));
    let written = written.filter(|_| sweep != Sweep::Reverse);
    let is_null = |item: &&Item| {
        item.may_be_null
            || item.passed != Passed::Value && item.given != Given::Always
            || interface.is_optional(item)
    };
    let names = |items: &mut dyn Iterator<Item = &Item>| {
        let names: Vec<&str> = items.map(|item| &*item.name).collect();
        names.join(", ")
    };
    let null = names(&mut interface.items.iter().filter(is_null));
    let null: Vec<&str> = [&*null].into_iter().chain(more.iter().copied()).collect();
    let null: Vec<&str> = null.into_iter().filter(|name| !name.is_empty()).collect();
    for (what, names) in [
        ("Adds to", names(&mut { added })),
        (
            "Turns adjoints at exit into those at entry:",
            names(&mut { turned }),
        ),
        ("Writes", names(&mut { written })),
        ("May be null:", null.join(", ")),
    ] {
        if !names.is_empty() {
            text += &format!(". {what} {names}");
        }
    }
    fold_comment(&format!("/* {}. */", escape_comment(&text))) + "\n"
}
