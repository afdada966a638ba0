//! The functions that members of structures may hold: all that are assigned to them anywhere in the files.

use super::{Expand, callee, frame::Frame, is_function_pointer, is_zero};
use crate::{
    ast::{DeclId, ExprId, ExprKind, StructId, Unary, Unit},
    braces,
    types::{Qualified, Type},
};
use cfg_core::ir::Subscript;
use std::{
    collections::{BTreeSet, HashMap, HashSet, hash_map::Entry},
    rc::Rc,
};

/// A member.
type Key = (StructId, Rc<str>);

/// The functions assigned to members.
#[derive(Default)]
pub(super) struct Fields {
    /// The functions assigned to a member; `None` if some assigned value is not the name of a function.
    all: HashMap<Key, Option<BTreeSet<DeclId>>>,
    /// The functions assigned to a member by the name of its variable, in `v.f = g` and in the initial value of `v`.
    own: HashMap<(DeclId, Key), Option<BTreeSet<DeclId>>>,
    /// Members that are assigned through pointers, or in parts of larger objects.
    elsewhere: HashSet<Key>,
    /// The variables whose members are assigned functions.
    owners: HashSet<DeclId>,
}

/// Looks at all assignments and all initial values of a unit as it was read.
pub(super) fn find(unit: &Unit) -> Fields {
    let mut fields = Fields::default();
    for node in &unit.exprs {
        match node.kind {
            ExprKind::Assign(_, target, value) => {
                if let Some(key) = member(unit, target) {
                    fields.note(unit, key, owner(unit, target), Some(value));
                }
            }
            // A member whose address is taken may be assigned anywhere.
            ExprKind::Unary(Unary::Address, of) => {
                if let Some(key) = member(unit, of) {
                    fields.note(unit, key, None, None);
                }
            }
            _ => {}
        }
    }
    for (k, decl) in unit.decls.iter().enumerate() {
        let Some(init) = &decl.init else { continue };
        if !crate::calls::holds_functions(unit, &decl.ty) {
            continue;
        }
        for (steps, value) in init.given_values() {
            if let Some(key) = at(unit, &decl.ty, steps) {
                let own = (steps.len() == 1).then_some(DeclId(k as u32));
                fields.note(unit, key, own, Some(value));
            }
        }
    }
    fields
}

/// The member that an expression is, if it is a pointer to a function.
fn member(unit: &Unit, e: ExprId) -> Option<Key> {
    let (s, name) = unit.member_of(e)?;
    is_function_pointer(&unit.member(s, name)?.ty).then(|| (s, Rc::clone(name)))
}

/// The member that these steps into a type end with, if it is a pointer to a function.
fn at(unit: &Unit, ty: &Qualified, steps: &[Subscript]) -> Option<Key> {
    let ((s, name), ty) = braces::member_at(unit, ty, steps)?;
    let is_last = matches!(steps.last(), Some(Subscript::Field(_)));
    (is_last && is_function_pointer(ty)).then(|| (s, Rc::clone(name)))
}

/// The variable, if an expression is a member of a named variable.
fn owner(unit: &Unit, member: ExprId) -> Option<DeclId> {
    let ExprKind::Member(of, _, false) = unit.expr(member).kind else {
        return None;
    };
    match unit.expr(of).kind {
        ExprKind::Name(d) => Some(d),
        _ => None,
    }
}

impl Fields {
    /// True of a variable with an assigned member that is a pointer to a function.
    pub(super) fn is_assigned_in(&self, d: DeclId) -> bool {
        self.owners.contains(&d)
    }

    /// Adds a value of a member, of variable `own` if that is named; without a value, the member counts as unknown.
    fn note(&mut self, unit: &Unit, key: Key, own: Option<DeclId>, value: Option<ExprId>) {
        match own {
            Some(d) => {
                self.owners.insert(d);
                add(unit, self.own.entry((d, key.clone())), value);
            }
            None => {
                self.elsewhere.insert(key.clone());
            }
        }
        add(unit, self.all.entry(key), value);
    }
}

/// Adds a function to an entry; any other value makes the entry unknown.
fn add<K>(unit: &Unit, entry: Entry<'_, K, Option<BTreeSet<DeclId>>>, value: Option<ExprId>) {
    let known = entry.or_insert_with(|| Some(BTreeSet::new()));
    let Some(value) = value else {
        *known = None;
        return;
    };
    if is_zero(unit, value) {
        return;
    }
    match unit.expr(callee(unit, value)).kind {
        ExprKind::Name(d) if matches!(unit.decl(d).ty.ty, Type::Function(_)) => {
            if let Some(known) = known {
                known.insert(d);
            }
        }
        _ => *known = None,
    }
}

impl Expand<'_> {
    /// The functions that a member may be, if all values assigned to it are names of functions. The member may also
    /// be null.
    pub(super) fn given_to(&self, e: ExprId, frame: &Frame) -> Option<&BTreeSet<DeclId>> {
        let ExprKind::Member(of, ..) = &self.unit.expr(e).kind else {
            return None;
        };
        let (s, name) = self.unit.member_of(e)?;
        let key = (s, Rc::clone(name));
        if let Some(d) = self.object(*of, frame)
            && !self.fields.elsewhere.contains(&key)
        {
            let own = self.fields.own.get(&(d, key.clone()));
            if let Some(known) = own {
                return known.as_ref();
            }
        }
        self.fields.all.get(&key)?.as_ref()
    }

    /// The variable that an expression is or points to, if no statement assigns it as a whole.
    fn object(&self, e: ExprId, frame: &Frame) -> Option<DeclId> {
        let value = self.resolve_structure(e, frame)?;
        let d = *self.objects.get(&value.loc.root)?;
        let decl = self.unit.decl(d);
        let whole = matches!(decl.init, Some(crate::ast::Init::Expr(_)));
        (value.loc.path.is_empty() && decl.assigned.is_empty() && !whole).then_some(d)
    }
}
