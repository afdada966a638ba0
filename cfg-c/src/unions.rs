//! Reads a union as a structure with one member, if only one member is used, or several that are the same numbers.
//! Other unions are refused where they are used, except for constants that give the bits of a real number.

mod bits;
mod blocks;
mod conversions;
mod numbers;
mod views;

pub(crate) use conversions::look_through_conversions;

use crate::{
    ast::{DeclKind, ExprId, ExprKind, Init, Member, StructId, Structure, Unit},
    constant,
    structures::{Used, flatten_members, is_hidden, members_on_the_way, unsupported},
    types::{Arith, Qualified, Type, are_bits},
};
use cfg_core::ir::Subscript;
use std::{collections::BTreeMap, rc::Rc};

/// Most levels of nested types.
const MAX_DEPTH: usize = 300;

/// Replaces reads of a real member of a constant union by the number, if the union's initial value gives its bits as
/// an integer: `static const union { uint64_t bits; double value; } infinity = {0x7ff0000000000000}`. Every NaN
/// becomes the quiet one.
pub(crate) fn read_constants(unit: &mut Unit) {
    let is_kept = |kind| matches!(kind, DeclKind::Global | DeclKind::Static);
    for e in 0..unit.exprs.len() {
        let ExprKind::Member(of, _, false) = unit.exprs[e].kind else {
            continue;
        };
        let (ExprKind::Name(d), Some(ty)) = (&unit.expr(of).kind, &unit.exprs[e].ty) else {
            continue;
        };
        let decl = unit.decl(*d);
        let Some(real) = ty
            .arith()
            .filter(|_| decl.ty.constant && is_kept(decl.kind))
        else {
            continue;
        };
        let (Type::Struct(s), Some(Init::Parts(parts))) = (&decl.ty.ty, &decl.init) else {
            continue;
        };
        let ([(steps, value)], true) = (&parts[..], unit.structure(*s).union) else {
            continue;
        };
        let given = steps.first().and_then(Subscript::field);
        let given = given.and_then(|name| unit.member(*s, name)?.ty.arith());
        let Some((value, _)) = constant::integer(unit, *value) else {
            continue;
        };
        unit.exprs[e].kind = match real {
            Arith::Double if given.is_some_and(|int| are_bits(real, int)) => {
                let number = f64::from_bits(value as u64);
                ExprKind::Real(if number.is_nan() { f64::NAN } else { number })
            }
            Arith::Float if given.is_some_and(|int| are_bits(real, int)) => {
                let number = f32::from_bits(value as u32);
                ExprKind::Float(if number.is_nan() { f32::NAN } else { number })
            }
            _ => continue,
        };
    }
}

/// Reduces each union to the member that is used.
pub(crate) fn resolve(unit: &mut Unit, used: &Used) {
    let all = (0..unit.structures.len()).map(|k| StructId(k as u32));
    let unions: Vec<StructId> = all.filter(|s| unit.structure(*s).union).collect();
    let mut left: BTreeMap<StructId, Member> = BTreeMap::new();
    let mut of_bits: BTreeMap<StructId, Member> = BTreeMap::new();
    let whole = views::named_whole(unit);
    for &s in &unions {
        match kept(unit, s, used, &whole) {
            Ok((kept, false)) => {
                left.insert(s, kept);
            }
            Ok((kept, true)) => {
                of_bits.insert(s, kept);
            }
            Err(why) => unit.structures[s.index()].refused = Some(why.into()),
        }
    }
    let mut failed = bits::rewrite(unit, &of_bits);
    failed.extend(views::rewrite(unit, &left));
    left.extend(of_bits);
    failed.extend(initial_values(unit, used, &left));
    for (s, kept) in left {
        let structure = &mut unit.structures[s.index()];
        structure.leave(vec![kept]);
        if failed.contains(&s) {
            let name = named(structure);
            structure.refused = Some(format!("{name}, of which several members are used").into());
        }
    }
    show_hidden(unit);
}

/// Rewrites the steps to initialised parts, so that they lead through the members that are left; unnamed unions and
/// structures are dissolved in those around them. Returns the unions of which another member is initialised as a
/// whole.
fn initial_values(
    unit: &mut Unit,
    used: &Used,
    left: &BTreeMap<StructId, Member>,
) -> Vec<StructId> {
    let mut failed = Vec::new();
    for d in 0..unit.decls.len() {
        let decl = &unit.decls[d];
        let Some(Init::Parts(parts)) = &decl.init else {
            continue;
        };
        let mut made = Vec::with_capacity(parts.len());
        for (steps, e) in parts {
            // A zero for an unused member is a zero of the kept one.
            let way = members_on_the_way(unit, &decl.ty, steps);
            let is_used = |(s, member): &(StructId, &Member)| {
                !unit.structure(*s).union || used.has(*s, &member.name)
            };
            if way.iter().all(is_used) {
                match through(unit, &decl.ty, steps, left) {
                    Ok(steps) => made.push((steps, *e)),
                    Err(s) => failed.push(s),
                }
            }
        }
        unit.decls[d].init = Some(Init::Parts(made));
    }
    failed
}

/// The steps from a type through the members of unions that are left.
fn through(
    unit: &Unit,
    ty: &Qualified,
    steps: &[Subscript],
    left: &BTreeMap<StructId, Member>,
) -> Result<Vec<Subscript>, StructId> {
    let mut ty = Some(ty);
    let mut made = Vec::with_capacity(steps.len());
    for (k, step) in steps.iter().enumerate() {
        let whole = ty.map(|ty| &ty.ty);
        if let (Some(name), Some(Type::Struct(s))) = (step.field(), whole) {
            if left.get(s).is_some_and(|kept| *kept.name != *name) {
                made.extend(views::steps_to(unit, *s, left, &steps[k..]).ok_or(*s)?);
                break;
            }
            ty = unit.member(*s, name).map(|m| &m.ty);
        } else {
            ty = ty.and_then(Qualified::target);
        }
        made.push(step.clone());
    }
    made.retain(|step| step.field().is_none_or(|name| !is_hidden(name)));
    Ok(made)
}

/// The words for a union in messages.
fn named(structure: &Structure) -> String {
    let name = structure.name.as_deref();
    name.map_or("a union".to_owned(), |name| format!("union {name}"))
}

/// The member that a union is read as, and whether others are bits of it. The error is the reason why there is no
/// such member.
fn kept(unit: &Unit, s: StructId, used: &Used, whole: &Used) -> Result<(Member, bool), String> {
    let structure = unit.structure(s);
    let name = named(structure);
    let of = structure.members.iter();
    let of: Vec<&Member> = of.filter(|m| used.has(s, &m.name)).collect();
    let member = match of[..] {
        // No member is used, but the union is copied as a whole.
        [] => number(unit, s).ok_or(name.clone())?,
        [member] => member,
        [a, ..] => {
            let alike = views::kept(unit, s, &of, whole);
            let other = of.iter().find(|m| m.ty.ty != a.ty.ty).unwrap_or(&a);
            let (ty, tb) = (a.ty.name(), other.ty.name());
            if alike.is_none()
                && let Some(integer) = bits::kept(unit, s, &of)
            {
                return Ok((integer, true));
            }
            return alike.map(|kept| (kept, false)).ok_or_else(|| {
                format!(
                    "{name}, of which both {} ({ty}) and {} ({tb}) are used",
                    a.name, other.name
                )
            });
        }
    };
    match unsupported(unit, &member.ty) {
        Some(what) => Err(format!("{name} with the member {}, {what}", member.name)),
        None => Ok((member.clone(), false)),
    }
}

/// The number, or the array of numbers, that fills a union.
pub(crate) fn number(unit: &Unit, s: StructId) -> Option<&Member> {
    let size = |member: &Member| constant::size(unit, &member.ty, MAX_DEPTH);
    let mut members = unit.structure(s).members.iter();
    let largest = members.clone().filter_map(size).max();
    members.find(|m| m.ty.element().arith().is_some() && size(m) == largest)
}

/// True of a union of a real number and an integer of its size: its bits may be read.
pub(crate) fn has_bits(structure: &Structure) -> bool {
    let numbers = || {
        structure
            .declared_members()
            .iter()
            .filter_map(|m| m.ty.arith())
    };
    structure.union && numbers().any(|a| numbers().any(|b| are_bits(a, b)))
}

/// Moves the members of unnamed unions and structures to the structures around them.
fn show_hidden(unit: &mut Unit) {
    for e in (0..unit.exprs.len()).map(|k| ExprId(k as u32)) {
        if let ExprKind::Member(inner, name, false) = &unit.expr(e).kind
            && let ExprKind::Member(of, middle, arrow) = &unit.expr(*inner).kind
            && is_hidden(middle)
        {
            unit.exprs[e.index()].kind = ExprKind::Member(*of, Rc::clone(name), *arrow);
        }
    }
    for k in 0..unit.structures.len() {
        let members = &unit.structures[k].members;
        if members.iter().any(|m| is_hidden(&m.name)) {
            let shown = flatten_members(unit, members);
            unit.structures[k].leave(shown);
        }
    }
}
