//! Pointers to structures that are converted to pointers to other structures, as in `#define block_1 (*(struct
//! block_1_ *) &block_)` for a common block of Fortran. If both structures consist of the same numbers, a member
//! behind the conversion is replaced by the number of the original structure.

use super::{
    blocks::{Retyped, retype},
    numbers::{before, begin_alike, count_numbers, runs},
    views::{Base, Kept, View, Views, Whole},
};
use crate::{
    ast::{DeclId, ExprId, ExprKind, StructId, Unary, Unit},
    points::strip_conversions,
    types::{Arith, Qualified, Type},
};
use std::collections::{BTreeSet, HashMap};

/// Replaces members behind converted pointers by the numbers of the original structures, where both consist of the
/// same numbers. Other conversions stay.
pub(crate) fn look_through_conversions(unit: &mut Unit) {
    let retyped = retype(unit);
    let mut alike = HashMap::new();
    let views = Views::find(unit, |e| in_converted(unit, e, &retyped, &mut alike));
    // A view that cannot be replaced keeps its conversion, which is refused later.
    let replaced = views.replace(unit, &Kept::new());
    let converted = replaced.done.iter().filter_map(|of| match of {
        Whole::Converted(e) => Some(*e),
        Whole::Union(_) => None,
    });
    let converted: Vec<ExprId> = converted.collect();
    if !converted.is_empty() {
        forget_conversions(unit, &replaced.around, converted);
    }
}

/// Replaces by 0 the conversions that are no longer used, with the expressions that only they use and the addresses
/// that they convert.
fn forget_conversions(unit: &mut Unit, around: &BTreeSet<ExprId>, mut open: Vec<ExprId>) {
    let mut uses: HashMap<ExprId, usize> = HashMap::new();
    let mut used = |e: ExprId| *uses.entry(e).or_default() += 1;
    for e in (0..unit.exprs.len() as u32).map(ExprId) {
        unit.operands(e).into_iter().for_each(&mut used);
        match &unit.expr(e).kind {
            ExprKind::SizeofExpr(a) => used(*a),
            ExprKind::Inlined(inlined) => inlined.arguments.iter().copied().for_each(&mut used),
            _ => {}
        }
    }
    unit.values().into_iter().for_each(&mut used);
    let mut variables: BTreeSet<DeclId> = BTreeSet::new();
    // Expressions on the way to a place come before the place itself.
    open.extend(around);
    while let Some(e) = open.pop() {
        let of = match unit.expr(e).kind {
            ExprKind::Member(of, ..) | ExprKind::Index(of, _) if around.contains(&e) => of,
            ExprKind::Unary(Unary::Deref | Unary::Address, of) | ExprKind::Cast(_, of) => of,
            _ => continue,
        };
        if uses.get(&e).is_some_and(|n| *n > 0) {
            continue;
        }
        if matches!(unit.expr(e).kind, ExprKind::Unary(Unary::Address, _)) {
            variables.extend(unit.addressed(of));
        } else if !around.contains(&e) {
            open.push(of);
        }
        if let Some(n) = uses.get_mut(&of) {
            *n = n.saturating_sub(1);
        }
        let node = &mut unit.exprs[e.index()];
        node.kind = ExprKind::Int(0, Arith::INT);
        node.ty = Some(Qualified::unqualified(Type::Arith(Arith::INT)));
    }
    let addresses = unit.exprs.iter().filter_map(|node| match node.kind {
        ExprKind::Unary(Unary::Address, of) => unit.addressed(of),
        _ => None,
    });
    let addresses: BTreeSet<DeclId> = addresses.collect();
    for d in variables {
        unit.decls[d.index()].address = addresses.contains(&d);
    }
}

/// The view of a member behind a pointer that is converted from one to another structure.
fn in_converted(
    unit: &Unit,
    e: ExprId,
    retyped: &Retyped,
    alike: &mut HashMap<(StructId, StructId), bool>,
) -> Option<View> {
    let ExprKind::Member(of, name, arrow) = &unit.expr(e).kind else {
        return None;
    };
    let pointer = match unit.expr(*of).kind {
        ExprKind::Unary(Unary::Deref, pointer) if !*arrow => pointer,
        ExprKind::Cast(..) if *arrow => *of,
        _ => return None,
    };
    let from = strip_conversions(unit, pointer);
    let [to, own] = [pointer, from].map(|p| Some(unit.expr(p).ty.as_ref()?.target()?.clone()));
    let (to, own) = (to?, own?);
    let (Type::Struct(b), Type::Struct(a)) = (&to.ty, &own.ty) else {
        return None;
    };
    let same = || {
        let (whole, part) = (runs(unit, &own)?, runs(unit, &to)?);
        Some(begin_alike(&part, &whole) && count_numbers(&part)? <= count_numbers(&whole)?)
    };
    let is_retyped = || match unit.expr(from).kind {
        ExprKind::Unary(Unary::Address, of) => {
            unit.addressed(of).is_some_and(|d| retyped.contains(&d))
        }
        _ => false,
    };
    if a == b && !is_retyped()
        || !*(alike.entry((*a, *b))).or_insert_with(|| same().unwrap_or(false))
    {
        return None;
    }
    let whole = match unit.expr(from).kind {
        ExprKind::Unary(Unary::Address, place) => Base::Is(place),
        _ => Base::Made(ExprKind::Unary(Unary::Deref, from)),
    };
    let number = before(unit, *b, name)?;
    Some(View::in_structure(whole, own, *of, number))
}
