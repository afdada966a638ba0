//! Unions of which one member is used, or several of one type: they are structures with that member alone. Others are refused where they are
//! used.

use crate::{
    ast::{ExprId, ExprKind, Init, Member, StructId, Unit},
    calls::reachable,
    constant,
    types::{Qualified, Type},
};
use cfg_core::ir::Subscript;
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// What a member is called that is a union without a name: its members are those of the structure around it.
const HIDDEN: &str = "__cfgrev_union";

/// Types nest at most so deep.
const MAX_DEPTH: usize = 300;

/// The name of the member that is the k-th union without a name in a structure.
pub(crate) fn hidden(k: usize) -> Rc<str> {
    Rc::from(format!("{HIDDEN}{k}"))
}

/// True of such a name.
pub(crate) fn is_hidden(name: &str) -> bool {
    name.starts_with(HIDDEN)
}

/// The members that are used of each union.
type Used = BTreeMap<StructId, BTreeSet<Rc<str>>>;

/// Leaves each union the member that is used of it by what the functions with these numbers reach.
pub(crate) fn resolve(unit: &mut Unit, roots: &[usize]) {
    let all = (0..unit.structures.len()).map(|k| StructId(k as u32));
    let unions: Vec<StructId> = all.filter(|s| unit.structure(*s).union).collect();
    if unions.is_empty() {
        return;
    }
    let used = used(unit, roots);
    let mut renamed: BTreeMap<(StructId, Rc<str>), Rc<str>> = BTreeMap::new();
    for &s in &unions {
        let members = used.get(&s).cloned().unwrap_or_default();
        match kept(unit, s, &members) {
            Ok(kept) => {
                for name in members {
                    renamed.insert((s, name), Rc::clone(&kept.name));
                }
                unit.structures[s.index()].members = vec![kept];
            }
            Err(why) => unit.structures[s.index()].refused = Some(why.into()),
        }
    }
    for e in (0..unit.exprs.len()).map(|k| ExprId(k as u32)) {
        let new = unit.member_of(e).and_then(|(s, name)| {
            let new = renamed.get(&(s, Rc::clone(name)))?;
            Some(Rc::clone(new))
        });
        if let (Some(new), ExprKind::Member(_, name, _)) = (new, &mut unit.exprs[e.index()].kind) {
            *name = new;
        }
    }
    for d in 0..unit.decls.len() {
        let Some(Init::Parts(parts)) = &unit.decls[d].init else {
            continue;
        };
        let mut parts = parts.clone();
        for (steps, _) in &mut parts {
            rename(unit, &unit.decls[d].ty, steps, &renamed);
        }
        unit.decls[d].init = Some(Init::Parts(parts));
    }
    show_hidden(unit);
    refuse_around(unit);
}

/// Lets the steps from a type to a part of it lead through the members that are left; those of unions without a name are members of the
/// structures around them.
fn rename(
    unit: &Unit,
    ty: &Qualified,
    steps: &mut Vec<Subscript>,
    renamed: &BTreeMap<(StructId, Rc<str>), Rc<str>>,
) {
    let mut ty = Some(ty);
    let mut made = Vec::with_capacity(steps.len());
    for step in steps.drain(..) {
        let whole = ty.map(|ty| &ty.ty);
        let (Some(name), Some(Type::Struct(s))) = (step.field(), whole) else {
            ty = ty.and_then(Qualified::target);
            made.push(step);
            continue;
        };
        let name: Rc<str> = Rc::from(name);
        let new = renamed.get(&(*s, Rc::clone(&name))).unwrap_or(&name);
        ty = unit.member(*s, new).map(|m| &m.ty);
        if !is_hidden(new) {
            made.push(Subscript::Field((**new).into()));
        }
    }
    *steps = made;
}

/// Finds the members that are named, and those that initial values are of.
fn used(unit: &Unit, roots: &[usize]) -> Used {
    let mut used = Used::new();
    let reached = reachable(unit, roots);
    let mut left_out = Vec::new();
    for (f, function) in unit.functions.iter().enumerate() {
        if !reached.contains(&f) {
            left_out.push(function.part.clone());
        }
    }
    for k in 0..unit.exprs.len() as u32 {
        if let Some((s, name)) = unit.member_of(ExprId(k))
            && unit.structure(s).union
            && !left_out.iter().any(|part| part.contains(&k))
        {
            used.entry(s).or_default().insert(Rc::clone(name));
        }
    }
    for decl in &unit.decls {
        for (steps, _) in decl.init.iter().flat_map(Init::given) {
            for (s, name) in members_on_the_way(unit, &decl.ty, steps) {
                used.entry(s).or_default().insert(name);
            }
        }
    }
    used
}

/// The members of unions that the steps from a type to a part of it lead through.
fn members_on_the_way(
    unit: &Unit,
    ty: &Qualified,
    steps: &[Subscript],
) -> Vec<(StructId, Rc<str>)> {
    let mut found = Vec::new();
    let mut ty = Some(ty);
    for step in steps {
        let Some(whole) = ty else { break };
        ty = match (step.field(), &whole.ty) {
            (Some(name), Type::Struct(s)) => {
                let member = unit.member(*s, name);
                if let Some(member) = member.filter(|_| unit.structure(*s).union) {
                    found.push((*s, Rc::clone(&member.name)));
                }
                member.map(|m| &m.ty)
            }
            _ => whole.target(),
        };
    }
    found
}

/// The member that a union is read as; or why there is none.
fn kept(unit: &Unit, s: StructId, used: &BTreeSet<Rc<str>>) -> Result<Member, String> {
    let structure = unit.structure(s);
    let name = structure.name.as_deref();
    let name = name.map_or("a union".to_owned(), |name| format!("union {name}"));
    let size = |member: &Member| constant::size(unit, &member.ty.ty, MAX_DEPTH);
    let largest = structure.members.iter().filter_map(size).max();
    let number = |member: &&Member| member.ty.element().arith().is_some();
    let mut of = structure.members.iter().filter(|m| used.contains(&m.name));
    let first = match of.next() {
        Some(first) => first,
        // Nothing asks what it is, but its place is kept.
        None => (structure.members.iter())
            .find(|m| number(m) && size(m) == largest)
            .ok_or(name.clone())?,
    };
    if let Some(other) = of.find(|m| m.ty.ty != first.ty.ty || m.ty.arith().is_none()) {
        let (a, b) = (first, other);
        let (ty, tb) = (a.ty.name(), b.ty.name());
        return Err(format!(
            "{name}, of which both {} ({ty}) and {} ({tb}) are used",
            a.name, b.name
        ));
    }
    // Members behind it, and the next element, would have other places.
    if largest.is_none() || size(first) != largest {
        return Err(format!(
            "{name}, of which {} is used, which does not fill it",
            first.name
        ));
    }
    Ok(first.clone())
}

/// Makes the members of unions without a name those of the structures around them.
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
        for m in 0..unit.structures[k].members.len() {
            let member = &unit.structures[k].members[m];
            let Type::Struct(inner) = member.ty.ty else {
                continue;
            };
            let inner = unit.structure(inner);
            if is_hidden(&member.name)
                && inner.refused.is_none()
                && let [kept] = &inner.members[..]
            {
                unit.structures[k].members[m] = kept.clone();
            }
        }
    }
}

/// Refuses structures with such unions in them. Structures are complete before they are members of others.
fn refuse_around(unit: &mut Unit) {
    for k in 0..unit.structures.len() {
        let refused =
            unit.structures[k]
                .members
                .iter()
                .find_map(|member| match member.ty.element().ty {
                    Type::Struct(inner) => unit.structure(inner).refused.clone(),
                    _ => None,
                });
        if let Some(what) = refused {
            unit.structures[k].refused.get_or_insert(what);
        }
    }
}
