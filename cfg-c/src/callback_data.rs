//! Types for data behind a callback: parameters `void *` of the functions to differentiate, and members `void *` that
//! no statement assigns. Their type is the one that an option states, or the one type that they are converted to,
//! here or in functions to which they are handed on.

use crate::{
    ast::{Decl, DeclId, DeclKind, ExprId, ExprKind, Init, StructId, Unary, Unit},
    points::strip_conversions,
    structures::members_on_the_way,
    types::{Qualified, Type},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// A variable, or a member of a structure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holder {
    Variable(DeclId),
    Member(StructId, Rc<str>),
}

/// The variable or member that an expression is, if it is a pointer to void.
pub(crate) fn holder(unit: &Unit, e: ExprId) -> Option<Holder> {
    let node = unit.expr(e);
    if !node.ty.as_ref().is_some_and(Qualified::is_void_pointer) {
        return None;
    }
    if let ExprKind::Name(d) = node.kind {
        return Some(Holder::Variable(d));
    }
    let (s, name) = unit.member_of(e)?;
    Some(Holder::Member(s, Rc::clone(name)))
}

/// The types that a pointer to void is converted to, and the other pointers to void that it is assigned to.
#[derive(Default)]
struct Uses {
    types: Vec<Qualified>,
    given_to: Vec<DeclId>,
    /// True if the pointer is assigned, or its address is taken.
    changes: bool,
}

/// Gives the parameters of the functions with these numbers their types.
pub(crate) fn give_types(unit: &mut Unit, roots: &[usize]) {
    let void = |d: &DeclId| {
        let decl = unit.decl(*d);
        decl.ty.is_void_pointer() && decl.assigned.is_empty() && !decl.address
    };
    let uses = uses(unit);
    let parameters = roots.iter().flat_map(|f| &unit.functions[*f].parameters);
    let mut heads: Vec<Holder> = (parameters.copied().filter(void))
        .map(Holder::Variable)
        .collect();
    for (k, structure) in unit.structures.iter().enumerate() {
        let members = structure.members.iter().filter(|m| m.ty.is_void_pointer());
        let members = members.map(|m| Holder::Member(StructId(k as u32), Rc::clone(&m.name)));
        heads.extend(members.filter(|m| uses.get(m).is_some_and(|uses| !uses.changes)));
    }
    let mut given: BTreeMap<Holder, Qualified> = BTreeMap::new();
    for head in heads {
        let (mut seen, mut open) = (BTreeSet::new(), vec![head.clone()]);
        let (said, own) = match &head {
            Holder::Variable(d) => (unit.given_types.get(d), &unit.decl(*d).ty),
            Holder::Member(s, name) => match unit.member(*s, name) {
                Some(member) => (None, &member.ty),
                None => continue,
            },
        };
        let said = said.and_then(Qualified::target);
        let mut found: Option<Qualified> = said.cloned();
        let mut several = false;
        while let Some(holder) = open.pop() {
            if !seen.insert(holder.clone()) {
                continue;
            }
            let Some(uses) = uses.get(&holder) else {
                continue;
            };
            open.extend(uses.given_to.iter().copied().map(Holder::Variable));
            for ty in &uses.types {
                several |= said.is_none() && found.as_ref().is_some_and(|known| known.ty != ty.ty);
                found.get_or_insert_with(|| ty.clone());
            }
        }
        if let Some(of) = found.filter(|_| !several) {
            given.insert(head.clone(), pointer(own, &of));
            for holder in seen {
                if let Holder::Variable(d) = holder
                    && is_local(unit.decl(d))
                {
                    let ty = pointer(&unit.decl(d).ty, &of);
                    given.insert(holder, ty);
                }
            }
        }
    }
    for e in (0..unit.exprs.len()).map(|k| ExprId(k as u32)) {
        if let Some(ty) = holder(unit, e).and_then(|holder| given.get(&holder)) {
            unit.exprs[e.index()].ty = Some(ty.clone());
        }
    }
    for (holder, ty) in given {
        match holder {
            Holder::Variable(d) => unit.decls[d.index()].ty = ty,
            Holder::Member(s, name) => {
                let members = &mut unit.structures[s.index()].members;
                let member = members.iter_mut().find(|m| m.name == name);
                member.into_iter().for_each(|member| member.ty = ty.clone());
            }
        }
    }
    for &f in roots {
        let function = &unit.functions[f];
        let types: Vec<Qualified> = (function.parameters.iter())
            .map(|d| unit.decl(*d).ty.clone())
            .collect();
        if let Type::Function(signature) = &mut unit.decls[function.decl.index()].ty.ty {
            let parameters = &mut std::rc::Rc::make_mut(signature).parameters;
            for (p, ty) in parameters
                .iter_mut()
                .zip(types)
                .filter(|(p, _)| p.ty.is_void_pointer())
            {
                p.ty = ty;
            }
        }
    }
}

/// A local variable that keeps the pointer which it is declared with.
fn is_local(decl: &Decl) -> bool {
    decl.kind == DeclKind::Local && decl.assigned.is_empty() && !decl.address
}

/// A pointer to void as a pointer to `of`, with the `const` of the void.
fn pointer(void: &Qualified, of: &Qualified) -> Qualified {
    let constant = void.target().is_some_and(|void| void.constant);
    let of = Qualified {
        constant,
        ..of.clone()
    };
    Qualified {
        ty: Type::Pointer(of.into()),
        ..void.clone()
    }
}

/// The uses of each variable and member that is a pointer to void.
fn uses(unit: &Unit) -> BTreeMap<Holder, Uses> {
    let mut uses: BTreeMap<Holder, Uses> = BTreeMap::new();
    let mut note = |value: ExprId, to: &Qualified, variable: Option<DeclId>| {
        let Some(holder) = holder(unit, value) else {
            return;
        };
        let uses = uses.entry(holder).or_default();
        match to.target().filter(|_| matches!(to.ty, Type::Pointer(_))) {
            Some(of) if of.ty == Type::Void => uses.given_to.extend(variable),
            Some(of) => uses.types.push(of.clone()),
            None => {}
        }
    };
    for e in (0..unit.exprs.len()).map(|k| ExprId(k as u32)) {
        match &unit.expr(e).kind {
            ExprKind::Cast(ty, a) => note(*a, ty, None),
            ExprKind::Assign(None, target, value) => {
                let variable = match unit.expr(*target).kind {
                    ExprKind::Name(d) => Some(d),
                    _ => None,
                };
                if let Some(ty) = &unit.expr(*target).ty {
                    note(*value, ty, variable);
                }
            }
            ExprKind::Call(..) => {
                let Some((g, arguments)) = unit.own_call(e) else {
                    continue;
                };
                let parameters = unit.functions[g].parameters.iter();
                for (p, a) in parameters.zip(arguments.iter()) {
                    note(strip_conversions(unit, *a), &unit.decl(*p).ty, Some(*p));
                }
            }
            _ => {}
        }
    }
    for (k, decl) in unit.decls.iter().enumerate() {
        if let Some(Init::Expr(e)) = decl.init {
            note(e, &decl.ty, Some(DeclId(k as u32)));
        }
    }
    let mut change = |holder: Holder| uses.entry(holder).or_default().changes = true;
    for node in &unit.exprs {
        if let ExprKind::Assign(_, place, _)
        | ExprKind::Step { of: place, .. }
        | ExprKind::Unary(Unary::Address, place) = node.kind
        {
            holder(unit, place).into_iter().for_each(&mut change);
        }
    }
    for decl in &unit.decls {
        for (steps, _) in decl.init.iter().flat_map(Init::given_values) {
            if let Some((s, member)) = members_on_the_way(unit, &decl.ty, steps).last() {
                change(Holder::Member(*s, Rc::clone(&member.name)));
            }
        }
    }
    uses
}
