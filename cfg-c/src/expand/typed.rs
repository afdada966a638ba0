//! Types for variables and members `void *`, where pointers are values: the one type of all pointers that are
//! assigned to them.

use super::{Expand, is_zero};
use crate::{
    ast::initial_exprs,
    ast::{DeclId, DeclKind, ExprId, ExprKind, Init, StructId, Unit},
    braces,
    callback_data::{Holder, holder},
    points::{allocates, strip_conversions},
    types::{Arith, Int, Qualified, Type},
};
use cfg_core::ir::Subscript;
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// The values assigned to holders of pointers to void, and the types that these are converted to.
#[derive(Default)]
struct Given {
    values: BTreeMap<Holder, Vec<ExprId>>,
    types: BTreeMap<Holder, Vec<Qualified>>,
}

impl Given {
    fn value(&mut self, holder: Holder, value: ExprId) {
        self.values.entry(holder).or_default().push(value);
    }

    /// Notes that the pointer in an expression is converted to this type.
    fn taken(&mut self, unit: &Unit, e: ExprId, ty: &Qualified) {
        let to = ty.target().filter(|to| to.ty != Type::Void);
        if let (Some(to), Some(holder)) = (to, holder(unit, strip_conversions(unit, e))) {
            let to = Qualified::unqualified(to.ty.clone());
            self.types.entry(holder).or_default().push(to);
        }
    }
}

/// The member that steps into a type end with, if it is a pointer to void.
fn member_at(unit: &Unit, ty: &Qualified, steps: &[Subscript]) -> Option<Holder> {
    let ((s, name), ty) = braces::member_at(unit, ty, steps)?;
    ty.is_void_pointer()
        .then(|| Holder::Member(s, Rc::clone(name)))
}

/// Collects all assignments and conversions of a unit.
fn given(unit: &Unit) -> Given {
    let mut given = Given::default();
    for e in (0..unit.exprs.len()).map(|e| ExprId(e as u32)) {
        if let ExprKind::Cast(ty, of) = &unit.expr(e).kind {
            given.taken(unit, *of, ty);
        } else if let ExprKind::Assign(None, target, value) = unit.expr(e).kind {
            if let Some(holder) = holder(unit, target) {
                given.value(holder, value);
            } else if let Some(ty) = &unit.expr(target).ty {
                given.taken(unit, value, ty);
            }
        } else if let Some((g, arguments)) = unit.own_call(e) {
            for (p, a) in unit.functions[g].parameters.iter().zip(arguments.iter()) {
                let ty = &unit.decl(*p).ty;
                match ty.is_void_pointer() {
                    true => given.value(Holder::Variable(*p), *a),
                    false => given.taken(unit, *a, ty),
                }
            }
        }
    }
    for (k, decl) in unit.decls.iter().enumerate() {
        let Some(init) = &decl.init else { continue };
        if decl.ty.is_void_pointer() {
            for value in initial_exprs(Some(init)) {
                given.value(Holder::Variable(DeclId(k as u32)), value);
            }
            continue;
        }
        if let Init::Expr(value) = init {
            given.taken(unit, *value, &decl.ty);
        }
        for (steps, value) in init.given_values() {
            if let Some(holder) = member_at(unit, &decl.ty, steps) {
                given.value(holder, value);
            }
        }
    }
    given
}

/// The type that a holder's pointers lead to, if all assigned pointers are known and lead to one type. New memory and
/// null have the type that the holder is converted to; a null that is never converted leads to bytes.
fn only_type(
    unit: &Unit,
    given: &Given,
    start: &Holder,
    roots: &BTreeSet<DeclId>,
) -> Option<Qualified> {
    let mut seen = BTreeSet::new();
    let mut holders = vec![start.clone()];
    let (mut types, mut given_types) = (Vec::new(), Vec::new());
    let mut allocated = false;
    while let Some(holder) = holders.pop() {
        if !seen.insert(holder.clone()) {
            continue;
        }
        if let Holder::Variable(d) = &holder
            && (roots.contains(d) || unit.decl(*d).external || unit.decl(*d).address)
        {
            return None;
        }
        let mut open = given.values.get(&holder).cloned().unwrap_or_default();
        types.extend(given.types.get(&holder).into_iter().flatten().cloned());
        while let Some(e) = open.pop() {
            let e = strip_conversions(unit, e);
            if is_zero(unit, e) {
                continue;
            }
            if let ExprKind::Conditional(_, a, b) = unit.expr(e).kind {
                open.extend([a, b]);
                continue;
            }
            if allocates(unit, e) {
                allocated = true;
                continue;
            }
            let to = unit.expr(e).ty.as_ref().and_then(Qualified::target)?;
            if to.ty == Type::Void {
                holders.push(crate::callback_data::holder(unit, e)?);
                continue;
            }
            given_types.push(Qualified::unqualified(to.ty.clone()));
        }
    }
    if given_types.is_empty() {
        given_types = types;
    }
    if given_types.is_empty() && !allocated {
        given_types.push(Qualified::unqualified(Type::Arith(Arith::Int(Int::Char))));
    }
    let first = given_types.pop()?;
    given_types
        .iter()
        .all(|to| to.ty == first.ty)
        .then_some(first)
}

/// True if a function names a variable or member that is a pointer to void.
pub(super) fn names_void(unit: &Unit, f: usize) -> bool {
    let mut part = unit.functions[f].part.clone();
    part.any(|k| holder(unit, ExprId(k)).is_some())
}

impl Expand<'_> {
    /// Gives types to members and to variables. Parameters are left out: their type is that of the argument.
    pub(super) fn type_void(&mut self, roots: &[usize]) {
        let unit = &*self.unit;
        let given = given(unit);
        let heads = roots.iter().flat_map(|f| &unit.functions[*f].parameters);
        let heads: BTreeSet<DeclId> = heads.copied().collect();
        let mut typed = Vec::new();
        let mut holders: BTreeSet<Holder> = given.values.keys().cloned().collect();
        for (k, structure) in unit.structures.iter().enumerate() {
            let members = structure.members.iter().filter(|m| m.ty.is_void_pointer());
            let s = StructId(k as u32);
            holders.extend(members.map(|m| Holder::Member(s, Rc::clone(&m.name))));
        }
        for holder in holders {
            let own = match &holder {
                Holder::Variable(d) => unit.decl(*d).kind != DeclKind::Parameter,
                Holder::Member(..) => true,
            };
            if own && let Some(to) = only_type(unit, &given, &holder, &heads) {
                typed.push((holder, Type::Pointer(Rc::new(to))));
            }
        }
        for (holder, ty) in typed {
            match holder {
                Holder::Variable(d) => self.unit.decls[d.index()].ty.ty = ty,
                Holder::Member(s, name) => {
                    let members = &mut self.unit.structures[s.index()].members;
                    if let Some(member) = members.iter_mut().find(|m| m.name == name) {
                        member.ty.ty = ty;
                    }
                }
            }
        }
    }
}
