//! Arguments of one call that overlap although one of them is written. Only certain overlap is reported; overlap that
//! depends on values is checked at run time.

use super::checker::{At, Checker};
use crate::{
    codes,
    entity::{GlobalId, VarId},
    ir::{Expr, Intent, Place, Role, Subscript, Variable},
    text::Name,
};

/// The storage of a variable.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
enum Storage {
    Variable(VarId),
    Global(GlobalId),
}

pub(super) fn check(c: &mut Checker<'_>, list: At, bound: &[(usize, &Place, &Variable)]) {
    let mut by_storage: Vec<(Storage, usize)> = bound
        .iter()
        .enumerate()
        .map(|(k, (_, place, _))| (storage_of(c, place.var), k))
        .collect();
    by_storage.sort_unstable();
    for group in by_storage.chunk_by(|a, b| a.0 == b.0) {
        // One report per argument is enough. A call with thousands of parts of one array is checked
        // against its neighbours only, so that it stays cheap; the rest is left to the run.
        for (n, &(_, b)) in group.iter().enumerate().skip(1) {
            let overlapping = group[n.saturating_sub(500)..n].iter().find(|&&(_, a)| {
                let written = |k: usize| bound[k].2.intent().is_some_and(Intent::writes);
                (written(a) || written(b)) && certain(c, bound[a].1, bound[b].1)
            });
            if let Some(&(_, a)) = overlapping {
                let ((_, _, first), (i, place, second)) = (bound[a], bound[b]);
                let name = c.name(place.var);
                c.error(
                    list.index(i),
                    &codes::OVERLAP,
                    format!(
                        "parts of {name} that overlap are passed to parameters {} and {}, one of which is written",
                        Name(&first.name),
                        Name(&second.name)
                    ),
                    "pass a copy, or declare the called routine \"aliased\": true, in text `aliased subroutine`",
                );
            }
        }
    }
}

fn storage_of(c: &Checker<'_>, v: VarId) -> Storage {
    match c.variable(v).role {
        Role::Global(g) => Storage::Global(c.program.storage(g).0),
        Role::Parameter { .. } | Role::Local => Storage::Variable(v),
    }
}

/// True if two places in one storage overlap for all values of variables.
fn certain(c: &Checker<'_>, a: &Place, b: &Place) -> bool {
    // The target of a pointer is not known.
    if a.is_through_pointer() || b.is_through_pointer() {
        return false;
    }
    if a.var != b.var {
        return match (cells(c, a), cells(c, b)) {
            (Some((a0, a1)), Some((b0, b1))) => a0 < b1 && b0 < a1,
            _ => false,
        };
    }
    if a.has_field() || b.has_field() {
        return certain_parts(a, b);
    }
    // Also true if one of them is the whole variable, which has no subscripts to compare.
    let pairs = a.subscripts.iter().zip(&b.subscripts);
    pairs.into_iter().all(|(a, b)| same_part(a, b))
}

/// True if two places of one variable, one of which names a field, have a cell in common for certain.
fn certain_parts(a: &Place, b: &Place) -> bool {
    let mut levels = a.levels().zip(b.levels());
    // A level without subscripts is the whole array.
    levels.all(|(a, b)| {
        let mut pairs = a.subscripts.iter().zip(b.subscripts);
        a.part == b.part && pairs.all(|(a, b)| same_part(a, b))
    })
}

/// True if the two subscripts have an index in common for certain.
fn same_part(a: &Subscript, b: &Subscript) -> bool {
    let full = |s: &Subscript| matches!(s, Subscript::Range(r) if r.lower.is_none() && r.upper.is_none() && r.stride.is_none());
    if a == b || full(a) || full(b) {
        return true;
    }
    let interval = |s: &Subscript| match s {
        Subscript::Index(e) => e.constant().map(|i| (i, i)),
        Subscript::Range(r) if r.stride.is_none() => {
            let lower = r.lower.as_ref().and_then(Expr::constant)?;
            let upper = r.upper.as_ref().and_then(Expr::constant)?;
            (lower <= upper).then_some((lower, upper))
        }
        Subscript::Range(_) | Subscript::Field(_) | Subscript::Deref => None,
    };
    match (interval(a), interval(b)) {
        (Some((a0, a1)), Some((b0, b1))) => a0 <= b1 && b0 <= a1,
        _ => false,
    }
}

/// First and last (exclusive) cell of a whole global in its storage.
fn cells(c: &Checker<'_>, place: &Place) -> Option<(i64, i64)> {
    let variable = c.variable(place.var);
    let Role::Global(g) = variable.role else {
        return None;
    };
    if !place.subscripts.is_empty() {
        return None;
    }
    let offset = c.program.storage(g).1;
    Some((offset, offset.checked_add(variable.constant_size()?)?))
}
