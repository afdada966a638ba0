//! The functions that members of structures are given, anywhere in the files.

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

/// What members are given.
#[derive(Default)]
pub(super) struct Fields {
    /// The functions that a member is given, or none if it is given something else, too.
    all: HashMap<Key, Option<BTreeSet<DeclId>>>,
    /// Those that it is given by the name of a variable, `v.f = g` and in the initial value of `v`.
    own: HashMap<(DeclId, Key), Option<BTreeSet<DeclId>>>,
    /// Members that are assigned through pointers, or in parts of something.
    elsewhere: HashSet<Key>,
    /// The variables of which members are given functions.
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
            // Whoever has the address may assign it.
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
        for (steps, value) in init.given() {
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

/// The variable of which a member is assigned by its name.
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
    /// True of a variable of which a member that is a pointer to a function is assigned.
    pub(super) fn is_assigned_in(&self, d: DeclId) -> bool {
        self.owners.contains(&d)
    }

    /// Adds what a member is given, of a variable if it is named; nothing if that is not known.
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

/// Adds a function to those that are known.
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
    /// The functions that a member may be, if all that it is given are known by their names. It may be null besides.
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

    /// The variable that a structure is, or that is pointed to, if nothing assigns it as a whole.
    fn object(&self, e: ExprId, frame: &Frame) -> Option<DeclId> {
        let value = self.located(e, frame)?;
        let d = *self.objects.get(&value.loc.root)?;
        let decl = self.unit.decl(d);
        let whole = matches!(decl.init, Some(crate::ast::Init::Expr(_)));
        (value.loc.path.is_empty() && decl.assigned.is_empty() && !whole).then_some(d)
    }
}
