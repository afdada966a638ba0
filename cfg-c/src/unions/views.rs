//! Unions with several used members that are the same numbers: an array, and structures that name its elements, as in
//! `union { float v[3]; struct { float x, y, z; } axis; }`.
//!
//! All members consist of numbers, of the same types at the same places. One member is kept. A place in another
//! member becomes that number of the kept one, or the structure or array of the same type that begins there.

use super::numbers::{MAX_DEPTH, before, begin_alike, begins, count_numbers, counted, runs};
use crate::{
    ast::{Binary, ExprId, ExprKind, Member, StructId, Unary, Unit},
    constant,
    source::Pos,
    structures::Used,
    types::{Arith, Int, Qualified, Type},
};
use cfg_core::ir::{Expr, Subscript};
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    rc::Rc,
};

/// A place in a union that is named through a member that is not kept, or a place in a structure that is named
/// through another structure.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// The member that is kept, or the structure, and its type.
    whole: Base,
    ty: Rc<Qualified>,
    /// The union, or the converted pointer, or the place that it leads to.
    of: Whole,
    /// The position of its first number, for constant subscripts; the others are apart.
    number: i64,
    subscripts: Vec<Moving>,
}

/// An existing expression, or one that is to be made.
#[derive(Clone, Debug)]
pub(super) enum Base {
    Is(ExprId),
    Made(ExprKind),
}

impl View {
    /// The view of a place in a structure that begins with a number of it.
    pub(super) fn in_structure(whole: Base, ty: Qualified, converted: ExprId, number: i64) -> Self {
        Self {
            whole,
            ty: Rc::new(ty),
            of: Whole::Converted(converted),
            number,
            subscripts: Vec::new(),
        }
    }

    fn base(&self, unit: &mut Unit, at: Pos, from: Pos) -> ExprId {
        match &self.whole {
            Base::Is(place) => *place,
            Base::Made(kind) => {
                let place = unit.push(kind.clone(), at, from);
                unit.exprs[place.index()].ty = Some((*self.ty).clone());
                place
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Whole {
    Union(StructId),
    Converted(ExprId),
}

/// A subscript that is no constant: its expression, the numbers from one element to the next, and the number of
/// elements.
#[derive(Clone, Copy, Debug)]
struct Moving {
    index: ExprId,
    stride: i64,
    extent: i64,
}

/// The members of unions that are named as a whole although they are no numbers, or in which a structure or an array
/// is.
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

/// The operands of `sizeof`, with all expressions in them.
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

/// The member to be kept, if all used members are the same numbers: an array of structures if structures are named as
/// a whole, else another member that is named as a whole, else an array.
pub(super) fn kept(unit: &Unit, s: StructId, used: &[&Member], whole: &Used) -> Option<Member> {
    let all: Option<Vec<_>> = used.iter().map(|m| runs(unit, &m.ty)).collect();
    let all = all?;
    let counts: Vec<i64> = all
        .iter()
        .map(|of| count_numbers(of))
        .collect::<Option<_>>()?;
    let most = *counts.iter().max()?;
    let first = all.get(counts.iter().position(|n| *n == most)?)?;
    if most == 0 || all.iter().any(|other| !begin_alike(other, first)) {
        return None;
    }
    let largest = used.iter().zip(&counts).filter(|(_, n)| **n == most);
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

/// True of types that are equal up to qualifiers.
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
pub(super) type Kept = BTreeMap<StructId, Member>;

/// The steps from a type to the outermost part around a number for which `wanted` holds, the type of that part, and
/// the position of the number in it.
fn steps<'u>(
    unit: &'u Unit,
    ty: &'u Qualified,
    number: i64,
    kept: &'u Kept,
    is_wanted: impl Fn(&Qualified, i64) -> bool,
) -> Option<(Vec<Subscript>, &'u Qualified, i64)> {
    let (mut ty, mut left) = (ty, number);
    let mut steps = Vec::new();
    while !is_wanted(ty, left) {
        match &ty.ty {
            Type::Array(of, _) => {
                let count = counted(unit, of, MAX_DEPTH)?;
                steps.push(Subscript::Index(Expr::Int(left.checked_div(count)?)));
                left = left.checked_rem(count)?;
                ty = of;
            }
            Type::Struct(s) => {
                let own = kept.get(s).map(|member| &member.name);
                let members = begins(unit, *s).map_while(|member| member);
                let mut members = members.filter(|(_, m)| own.is_none_or(|own| m.name == *own));
                let (begin, member) = members.find(|(begin, member)| {
                    let count = counted(unit, &member.ty, MAX_DEPTH);
                    let end = count.and_then(|count| begin.checked_add(count));
                    end.is_some_and(|end| (*begin..end).contains(&left))
                })?;
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
    Some((steps, ty, left))
}

/// The steps to the part that has a type and begins with this number.
fn steps_to_type(
    unit: &Unit,
    ty: &Qualified,
    number: i64,
    wanted: &Qualified,
    kept: &Kept,
) -> Option<Vec<Subscript>> {
    let is_wanted = |ty: &Qualified, left| left == 0 && is_same(unit, ty, wanted);
    steps(unit, ty, number, kept, is_wanted).map(|(steps, ..)| steps)
}

/// The position of the first number in the part that steps from a type lead to, and the type of the part.
pub(super) fn number_of<'u>(
    unit: &'u Unit,
    ty: &'u Qualified,
    way: &[Subscript],
) -> Option<(i64, &'u Qualified)> {
    let (mut number, mut ty) = (0i64, ty);
    for step in way {
        match (step, &ty.ty) {
            (Subscript::Field(name), Type::Struct(s)) => {
                number = number.checked_add(before(unit, *s, name)?)?;
                ty = &unit.member(*s, name)?.ty;
            }
            (Subscript::Index(Expr::Int(k)), Type::Array(of, _)) => {
                let count = counted(unit, of, MAX_DEPTH)?;
                number = number.checked_add(count.checked_mul(*k)?)?;
                ty = of;
            }
            _ => return None,
        }
    }
    Some((number, ty))
}

/// The steps from a type to one of its numbers.
pub(super) fn steps_to_number(unit: &Unit, ty: &Qualified, number: i64) -> Option<Vec<Subscript>> {
    let is_number = |ty: &Qualified, _| ty.arith().is_some();
    steps(unit, ty, number, &Kept::new(), is_number).map(|(steps, ..)| steps)
}

/// The steps from a union through another member, rewritten as steps through the kept one; `None` if no part of the
/// same type is there.
pub(super) fn steps_to(
    unit: &Unit,
    s: StructId,
    kept: &Kept,
    way: &[Subscript],
) -> Option<Vec<Subscript>> {
    let union = Qualified::unqualified(Type::Struct(s));
    let (number, ty) = number_of(unit, &union, way)?;
    let own = kept.get(&s)?;
    let mut found = vec![Subscript::Field(own.name.as_ref().into())];
    found.extend(steps_to_type(unit, &own.ty, number, ty, kept)?);
    Some(found)
}

/// The places that are views of others.
pub(super) struct Views {
    found: BTreeMap<ExprId, View>,
    /// The expressions on the way to views.
    around: BTreeSet<ExprId>,
    /// Operands of `sizeof`.
    sized: HashSet<ExprId>,
}

/// The result of replacing views.
#[derive(Default)]
pub(super) struct Replaced {
    /// Unions and structures with a place that has no counterpart in the kept member.
    failed: BTreeSet<Whole>,
    /// Unions and structures in which places have been replaced.
    pub(super) done: BTreeSet<Whole>,
    /// The expressions on the way to views that are not replaced.
    pub(super) around: BTreeSet<ExprId>,
}

impl Views {
    pub(super) fn find(unit: &Unit, mut whole: impl FnMut(ExprId) -> Option<View>) -> Self {
        let (mut found, mut around) = (BTreeMap::new(), BTreeSet::new());
        for e in (0..unit.exprs.len() as u32).map(ExprId) {
            if let Some((view, of)) = inside(unit, e, &found) {
                around.insert(of);
                found.insert(e, view);
            } else if let Some(view) = whole(e) {
                found.insert(e, view);
            }
        }
        let sized = sized(unit);
        found.retain(|e, _| is_number(unit, *e) || !around.contains(e) && !sized.contains(e));
        Self {
            found,
            around,
            sized,
        }
    }

    /// Replaces views by places in the kept members.
    pub(super) fn replace(self, unit: &mut Unit, kept: &Kept) -> Replaced {
        let addresses = unit.exprs.iter().filter_map(|node| match node.kind {
            ExprKind::Unary(Unary::Address, of) => Some(of),
            _ => None,
        });
        let addresses: HashSet<ExprId> = addresses.collect();
        let mut all = Replaced {
            around: self.around,
            ..Replaced::default()
        };
        for (e, view) in self.found {
            let decays = !addresses.contains(&e) && !self.sized.contains(&e);
            match replace(unit, e, &view, kept, decays) {
                Some(()) => all.done.insert(view.of),
                None => all.failed.insert(view.of),
            };
        }
        all
    }
}

/// Replaces all places in these unions by places in the members that are kept; returns the unions in which that is
/// impossible.
pub(super) fn rewrite(unit: &mut Unit, kept: &Kept) -> BTreeSet<StructId> {
    let views = Views::find(unit, |e| in_union(unit, e, kept));
    let unions = views
        .replace(unit, kept)
        .failed
        .into_iter()
        .filter_map(|of| match of {
            Whole::Union(s) => Some(s),
            Whole::Converted(_) => None,
        });
    unions.collect()
}

/// The view of an expression that lies in a union and is not named through the kept member.
fn in_union(unit: &Unit, e: ExprId, kept: &Kept) -> Option<View> {
    let ExprKind::Member(of, name, arrow) = &unit.expr(e).kind else {
        return None;
    };
    let (union, _) = unit.member_of(e)?;
    let own = kept.get(&union).filter(|kept| kept.name != *name)?;
    Some(View {
        whole: Base::Made(ExprKind::Member(*of, Rc::clone(&own.name), *arrow)),
        ty: Rc::new(own.ty.clone()),
        of: Whole::Union(union),
        number: 0,
        subscripts: Vec::new(),
    })
}

/// The view of an expression that is part of another view, and the expression of the latter.
fn inside(unit: &Unit, e: ExprId, views: &BTreeMap<ExprId, View>) -> Option<(View, ExprId)> {
    match &unit.expr(e).kind {
        ExprKind::Member(of, name, false) => {
            let mut view = views.get(of)?.clone();
            let s = unit.structure_of(*of)?;
            view.number = view.number.checked_add(before(unit, s, name)?)?;
            Some((view, *of))
        }
        ExprKind::Index(a, i) => {
            let mut view = views.get(a)?.clone();
            let ty = unit.expr(*a).ty.as_ref()?;
            let stride = counted(unit, ty.target()?, MAX_DEPTH)?;
            let all = counted(unit, ty, MAX_DEPTH)?;
            match constant::integer(unit, *i) {
                Some((k, _)) => {
                    let k = i64::try_from(k).ok()?;
                    // A constant subscript outside of the array may lead into a gap.
                    let is_inside = k >= 0 && k < all.checked_div(stride)?;
                    if !is_inside && runs(unit, &view.ty)?.len() > 1 {
                        return None;
                    }
                    view.number = view.number.checked_add(k.checked_mul(stride)?)?;
                }
                None => view.subscripts.push(Moving {
                    index: *i,
                    stride,
                    extent: all.checked_div(stride)?,
                }),
            }
            Some((view, *a))
        }
        _ => None,
    }
}

/// Replaces an expression by the part of the kept member that begins with the view's number.
fn replace(unit: &mut Unit, e: ExprId, view: &View, kept: &Kept, decays: bool) -> Option<()> {
    let (at, from) = (unit.expr(e).at, unit.expr(e).from);
    let Some((steps, indices)) = way(unit, e, view, kept) else {
        return replace_with_element(unit, e, view, kept, decays);
    };
    if steps.is_empty() {
        unit.exprs[e.index()].kind = match &view.whole {
            Base::Is(place) => unit.expr(*place).kind.clone(),
            Base::Made(kind) => kind.clone(),
        };
        return Some(());
    }
    let last = steps.len() - 1;
    let mut place = view.base(unit, at, from);
    for (k, (step, index)) in steps.into_iter().zip(indices).enumerate() {
        let kind = match (step, index) {
            (Subscript::Field(name), _) => ExprKind::Member(place, Rc::from(&*name), false),
            (Subscript::Index(_), Some(index)) => ExprKind::Index(place, index),
            (Subscript::Index(Expr::Int(k)), None) => {
                let k = unit.push(ExprKind::Int(k.into(), Arith::INT), at, from);
                ExprKind::Index(place, k)
            }
            _ => return None,
        };
        if k == last {
            unit.exprs[e.index()].kind = kind;
        } else {
            place = unit.push(kind, at, from);
        }
    }
    unit.find_effects(e);
    Some(())
}

/// The steps to the part with the type of an expression, with subscripts that are no constants.
fn way(
    unit: &Unit,
    e: ExprId,
    view: &View,
    kept: &Kept,
) -> Option<(Vec<Subscript>, Vec<Option<ExprId>>)> {
    let wanted = unit.expr(e).ty.as_ref()?;
    let steps = steps_to_type(unit, &view.ty, view.number, wanted, kept)?;
    let mut indices: Vec<Option<ExprId>> = vec![None; steps.len()];
    for moving in &view.subscripts {
        let mut ty = &*view.ty;
        let mut at = None;
        for (k, step) in steps.iter().enumerate() {
            ty = match (step, &ty.ty) {
                (Subscript::Field(name), Type::Struct(s)) => &unit.member(*s, name)?.ty,
                (_, Type::Array(of, extent)) => {
                    let (n, _) = constant::integer(unit, (*extent)?)?;
                    let stride = counted(unit, of, MAX_DEPTH)?;
                    let begins = *step == Subscript::Index(Expr::Int(0));
                    if begins && stride == moving.stride && n == moving.extent.into() {
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
    Some((steps, indices))
}

/// Replaces a number, or an array of numbers that decays to a pointer, by an element of an array of numbers in the
/// kept member. Assumes that every place that the subscripts may name lies in that array; otherwise `None`.
fn replace_with_element(
    unit: &mut Unit,
    e: ExprId,
    view: &View,
    kept: &Kept,
    decays: bool,
) -> Option<()> {
    let (at, from) = (unit.expr(e).at, unit.expr(e).from);
    let wanted = unit.expr(e).ty.clone()?;
    let pointed = match &wanted.ty {
        Type::Arith(_) => None,
        Type::Array(of, _) if decays && of.arith().is_some() => Some(Rc::clone(of)),
        _ => return None,
    };
    let is_array = |ty: &Qualified, _| matches!(&ty.ty, Type::Array(of, _) if of.arith().is_some());
    let (steps, array, first) = steps(unit, &view.ty, view.number, kept, is_array)?;
    let mut end = first.checked_add(counted(unit, &wanted, MAX_DEPTH)?)?;
    for moving in &view.subscripts {
        let more = moving.extent.checked_sub(1)?.checked_mul(moving.stride)?;
        end = end.checked_add(more)?;
    }
    if array.target()?.arith() != wanted.element().arith() || end > counted(unit, array, MAX_DEPTH)?
    {
        return None;
    }
    let mut place = view.base(unit, at, from);
    let long = Arith::Int(Int::Long);
    for step in steps {
        let kind = match step {
            Subscript::Field(name) => ExprKind::Member(place, Rc::from(&*name), false),
            Subscript::Index(Expr::Int(k)) => {
                let k = unit.push(ExprKind::Int(k.into(), long), at, from);
                ExprKind::Index(place, k)
            }
            _ => return None,
        };
        place = unit.push(kind, at, from);
    }
    let mut index = unit.push(ExprKind::Int(first.into(), long), at, from);
    for moving in &view.subscripts {
        let ty = Rc::new(Qualified::unqualified(Type::Arith(long)));
        let stride = unit.push(ExprKind::Int(moving.stride.into(), long), at, from);
        let by = unit.push(ExprKind::Cast(ty, moving.index), at, from);
        let by = unit.push(ExprKind::Binary(Binary::Mul, by, stride), at, from);
        index = unit.push(ExprKind::Binary(Binary::Add, index, by), at, from);
    }
    let element = ExprKind::Index(place, index);
    if let Some(of) = pointed {
        let element = unit.push(element, at, from);
        unit.exprs[e.index()].kind = ExprKind::Unary(Unary::Address, element);
        unit.exprs[e.index()].ty = Some(Qualified::unqualified(Type::Pointer(of)));
    } else {
        unit.exprs[e.index()].kind = element;
    }
    unit.find_effects(e);
    Some(())
}
