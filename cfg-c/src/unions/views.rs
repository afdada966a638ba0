//! Unions of which several members are used that are the same numbers: an array, and structures that name its elements,
//! as in `union { float v[3]; struct { float x, y, z; } axis; }`.
//!
//! All is numbers of one type without gaps. One member is kept, and what another one names is that number of it, or the
//! structure or array of the same type that begins there.

use crate::{
    ast::{Binary, ExprId, ExprKind, Member, StructId, Unit},
    constant,
    structures::Used,
    types::{Arith, Qualified, Type},
};
use cfg_core::ir::{Expr, Record, Subscript};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    rc::Rc,
};

/// Types nest at most so deep.
const MAX_DEPTH: usize = 2 * Record::MAX_DEPTH;

/// A place in a union, named by a member that is not kept.
#[derive(Clone, Debug)]
struct View {
    union: StructId,
    /// The union, or a pointer to it.
    of: ExprId,
    arrow: bool,
    /// The number that it begins with, but for subscripts that are no constants.
    number: i64,
    subscripts: Vec<Moving>,
}

/// A subscript: so many numbers for each of so many elements.
#[derive(Clone, Copy, Debug)]
struct Moving {
    index: ExprId,
    stride: i64,
    extent: i64,
}

/// The members of unions of which something that is no number is named as a whole: a structure, an array, the member.
pub(super) fn named_whole(unit: &Unit) -> Used {
    let (mut whole, mut inside) = (Used::default(), sized(unit));
    for node in &unit.exprs {
        if let ExprKind::Member(a, _, false) | ExprKind::Index(a, _) = node.kind {
            inside.insert(a);
        }
    }
    for e in (0..unit.exprs.len() as u32).map(ExprId) {
        if inside.contains(&e) || is_number(unit, e) {
            continue;
        }
        let mut place = Some(e);
        while let Some(e) = place {
            if let Some((s, name)) = unit.member_of(e) {
                whole.add(s, name);
            }
            place = match unit.expr(e).kind {
                ExprKind::Member(of, _, false) | ExprKind::Index(of, _) => Some(of),
                _ => None,
            };
        }
    }
    whole
}

/// The operands of `sizeof`, and what they are made of.
pub(super) fn sized(unit: &Unit) -> HashSet<ExprId> {
    let mut sized = HashSet::new();
    for node in &unit.exprs {
        if let ExprKind::SizeofExpr(a) = node.kind {
            unit.walk(a, &mut |e| {
                sized.insert(e);
            });
        }
    }
    sized
}

fn is_number(unit: &Unit, e: ExprId) -> bool {
    let ty = unit.expr(e).ty.as_ref();
    ty.is_some_and(|ty| ty.arith().is_some())
}

/// The member that is kept of those that are used, if all are the same numbers: an array of structures where structures
/// are named as a whole, another member that is, or an array.
pub(super) fn kept(unit: &Unit, s: StructId, used: &[&Member], whole: &Used) -> Option<Member> {
    let all: Option<Vec<(Arith, i64)>> = used.iter().map(|m| numbers(unit, &m.ty)).collect();
    let all = all?;
    let (ty, most) = *all.iter().max_by_key(|(_, count)| *count)?;
    if all.iter().any(|(other, _)| *other != ty) {
        return None;
    }
    let largest = used.iter().zip(&all).filter(|(_, (_, n))| *n == most);
    let is_array =
        |m: &Member| matches!(m.ty.ty, Type::Array(..)) && m.ty.element().arith().is_some();
    let largest: Vec<&Member> = largest.map(|(m, _)| *m).collect();
    let is_whole = |m: &Member| whole.has(s, &m.name);
    let are_structures =
        |m: &Member| matches!(m.ty.ty, Type::Array(..)) && m.ty.element().arith().is_none();
    let kept = match used.iter().any(|m| is_whole(m) && !is_array(m)) {
        true => (largest.iter().find(|m| are_structures(m)))
            .or_else(|| largest.iter().find(|m| is_whole(m) && !is_array(m))),
        false => {
            (largest.iter().find(|m| is_whole(m))).or_else(|| largest.iter().find(|m| is_array(m)))
        }
    };
    Some((*kept.or(largest.first())?).clone())
}

/// The type and the number of the numbers that a type consists of, if they are of one type and lie side by side.
fn numbers(unit: &Unit, ty: &Qualified) -> Option<(Arith, i64)> {
    let (number, count) = counted(unit, ty, MAX_DEPTH)?;
    let size = constant::size(unit, ty, MAX_DEPTH)?;
    (size == number.size().checked_mul(count.into())?).then_some((number, count))
}

fn counted(unit: &Unit, ty: &Qualified, depth: usize) -> Option<(Arith, i64)> {
    let depth = depth.checked_sub(1)?;
    match &ty.ty {
        Type::Arith(number) => Some((*number, 1)).filter(|_| ty.width.is_none()),
        Type::Array(of, extent) => {
            let (n, _) = constant::integer(unit, (*extent)?)?;
            let (number, count) = counted(unit, of, depth)?;
            Some((number, count.checked_mul(i64::try_from(n).ok()?)?))
        }
        Type::Struct(s) => {
            let structure = unit.structure(*s);
            let mut all: Option<(Arith, i64)> = None;
            for member in structure.declared() {
                let (number, count) = counted(unit, &member.ty, depth)?;
                let (known, before) = all.unwrap_or((number, 0));
                let together = match structure.union {
                    true => before.max(count),
                    false => before.checked_add(count)?,
                };
                all = Some((number, together)).filter(|_| known == number);
                all?;
            }
            all
        }
        Type::Void | Type::Pointer(_) | Type::Function(_) | Type::Refused(_) => None,
    }
}

/// The numbers before a member of a structure.
fn before(unit: &Unit, s: StructId, name: &str) -> Option<i64> {
    let structure = unit.structure(s);
    let mut sum = 0i64;
    for member in structure.declared() {
        if *member.name == *name {
            return Some(sum);
        }
        if !structure.union {
            sum = sum.checked_add(counted(unit, &member.ty, MAX_DEPTH)?.1)?;
        }
    }
    None
}

/// True of types that are the same, whatever qualifies them.
fn is_same(unit: &Unit, a: &Qualified, b: &Qualified) -> bool {
    let (mut a, mut b) = (a, b);
    while let (Type::Array(of, Some(n)), Type::Array(other, Some(m))) = (&a.ty, &b.ty) {
        let extent = |e: ExprId| constant::integer(unit, e).map(|(n, _)| n);
        if extent(*n).is_none() || extent(*n) != extent(*m) {
            return false;
        }
        (a, b) = (of, other);
    }
    matches!(a.ty, Type::Arith(_) | Type::Struct(_)) && a.ty == b.ty
}

/// The members that unions keep.
type Kept = BTreeMap<StructId, Member>;

/// The members and subscripts that lead from a type to what has another type and begins with this number.
fn steps(
    unit: &Unit,
    ty: &Qualified,
    number: i64,
    wanted: &Qualified,
    kept: &Kept,
) -> Option<Vec<Subscript>> {
    let (mut ty, mut left) = (ty, number);
    let mut steps = Vec::new();
    while left != 0 || !is_same(unit, ty, wanted) {
        match &ty.ty {
            Type::Array(of, _) => {
                let (_, count) = counted(unit, of, MAX_DEPTH)?;
                steps.push(Subscript::Index(Expr::Int(left.checked_div(count)?)));
                left = left.checked_rem(count)?;
                ty = of;
            }
            Type::Struct(s) => {
                let members = unit.structure(*s).declared().iter();
                let own = kept.get(s).map(|member| &member.name);
                let mut members = members.filter(|m| own.is_none_or(|own| m.name == *own));
                let member = members.find_map(|member| {
                    let begin = before(unit, *s, &member.name)?;
                    let (_, count) = counted(unit, &member.ty, MAX_DEPTH)?;
                    (begin..begin.checked_add(count)?)
                        .contains(&left)
                        .then_some((member, begin))
                });
                let (member, begin) = member?;
                steps.push(Subscript::Field(member.name.as_ref().into()));
                left -= begin;
                ty = &member.ty;
            }
            Type::Arith(_)
            | Type::Void
            | Type::Pointer(_)
            | Type::Function(_)
            | Type::Refused(_) => return None,
        }
    }
    Some(steps)
}

/// The steps from a union through another member as those through the one that is kept; `None` if they lead to nothing
/// of the same type.
pub(super) fn steps_to(
    unit: &Unit,
    s: StructId,
    kept: &Kept,
    way: &[Subscript],
) -> Option<Vec<Subscript>> {
    let mut number = 0i64;
    let union = Qualified::plain(Type::Struct(s));
    let mut ty = &union;
    for step in way {
        match (step, &ty.ty) {
            (Subscript::Field(name), Type::Struct(s)) => {
                number = number.checked_add(before(unit, *s, name)?)?;
                ty = &unit.member(*s, name)?.ty;
            }
            (Subscript::Index(Expr::Int(k)), Type::Array(of, _)) => {
                let (_, count) = counted(unit, of, MAX_DEPTH)?;
                number = number.checked_add(count.checked_mul(*k)?)?;
                ty = of;
            }
            _ => return None,
        }
    }
    let own = kept.get(&s)?;
    let mut found = vec![Subscript::Field(own.name.as_ref().into())];
    found.extend(steps(unit, &own.ty, number, ty, kept)?);
    Some(found)
}

/// Lets all places in these unions be places in the members that are kept; the unions in which there are none for
/// others.
pub(super) fn rewrite(unit: &mut Unit, kept: &Kept) -> BTreeSet<StructId> {
    let mut views: BTreeMap<ExprId, View> = BTreeMap::new();
    let mut done = sized(unit);
    for e in (0..unit.exprs.len() as u32).map(ExprId) {
        if let Some((view, inside)) = view(unit, e, kept, &views) {
            done.extend(inside);
            views.insert(e, view);
        }
    }
    views.retain(|e, _| !done.contains(e) || is_number(unit, *e));
    let mut failed = BTreeSet::new();
    for (e, view) in views {
        if replace(unit, e, &view, kept).is_none() {
            failed.insert(view.union);
        }
    }
    failed
}

/// The view that an expression is, if it lies in a union and is not named by the member kept, and the place around it.
fn view(
    unit: &Unit,
    e: ExprId,
    kept: &Kept,
    views: &BTreeMap<ExprId, View>,
) -> Option<(View, Option<ExprId>)> {
    match &unit.expr(e).kind {
        ExprKind::Member(of, name, false) if views.contains_key(of) => {
            let mut view = views[of].clone();
            let s = unit.structure_of(*of)?;
            view.number = view.number.checked_add(before(unit, s, name)?)?;
            Some((view, Some(*of)))
        }
        ExprKind::Member(of, name, arrow) => {
            let (union, _) = unit.member_of(e)?;
            let other = kept.get(&union).filter(|kept| kept.name != *name);
            let view = other.map(|_| View {
                union,
                of: *of,
                arrow: *arrow,
                number: 0,
                subscripts: Vec::new(),
            });
            Some((view?, None))
        }
        ExprKind::Index(a, i) => {
            let mut view = views.get(a)?.clone();
            let ty = unit.expr(*a).ty.as_ref()?;
            let (_, stride) = counted(unit, ty.target()?, MAX_DEPTH)?;
            let (_, all) = counted(unit, ty, MAX_DEPTH)?;
            match constant::integer(unit, *i) {
                Some((k, _)) => {
                    let k = i64::try_from(k).ok()?;
                    view.number = view.number.checked_add(k.checked_mul(stride)?)?;
                }
                None => view.subscripts.push(Moving {
                    index: *i,
                    stride,
                    extent: all.checked_div(stride)?,
                }),
            }
            Some((view, Some(*a)))
        }
        _ => None,
    }
}

/// Makes an expression what begins with that number of the member that is kept.
fn replace(unit: &mut Unit, e: ExprId, view: &View, kept: &Kept) -> Option<()> {
    let own = kept.get(&view.union)?;
    let wanted = unit.expr(e).ty.as_ref()?;
    let mut steps = steps(unit, &own.ty, view.number, wanted, kept)?;
    let mut indices: Vec<Option<ExprId>> = vec![None; steps.len()];
    for moving in &view.subscripts {
        let mut ty = &own.ty;
        let mut at = None;
        for (k, step) in steps.iter().enumerate() {
            ty = match (step, &ty.ty) {
                (Subscript::Field(name), Type::Struct(s)) => &unit.member(*s, name)?.ty,
                (_, Type::Array(of, extent)) => {
                    let (n, _) = constant::integer(unit, (*extent)?)?;
                    let (_, stride) = counted(unit, of, MAX_DEPTH)?;
                    if stride == moving.stride && n == moving.extent.into() {
                        at = Some(k);
                    }
                    of
                }
                _ => return None,
            };
        }
        let k = at.filter(|k| indices[*k].is_none())?;
        indices[k] = Some(moving.index);
    }
    let (at, from) = (unit.expr(e).at, unit.expr(e).from);
    let name = Rc::clone(&own.name);
    let last = steps.pop();
    let Some(last) = last else {
        unit.exprs[e.index()].kind = ExprKind::Member(view.of, name, view.arrow);
        return Some(());
    };
    let mut place = unit.push(ExprKind::Member(view.of, name, view.arrow), at, from);
    let step = |unit: &mut Unit, place: ExprId, step: Subscript, index: Option<ExprId>| match (
        step, index,
    ) {
        (Subscript::Field(name), _) => Some(ExprKind::Member(place, Rc::from(&*name), false)),
        (Subscript::Index(Expr::Int(0)), Some(index)) => Some(ExprKind::Index(place, index)),
        (Subscript::Index(Expr::Int(k)), index) => {
            let mut at_k = unit.push(ExprKind::Int(k.into(), Arith::INT), at, from);
            if let Some(index) = index {
                at_k = unit.push(ExprKind::Binary(Binary::Add, index, at_k), at, from);
            }
            Some(ExprKind::Index(place, at_k))
        }
        _ => None,
    };
    let behind = indices.pop().flatten();
    for (one, index) in steps.into_iter().zip(indices) {
        let kind = step(unit, place, one, index)?;
        place = unit.push(kind, at, from);
    }
    unit.exprs[e.index()].kind = step(unit, place, last, behind)?;
    unit.find_effects(e);
    Some(())
}
