//! Questions about members of structures: those without a name, those that are used, those on the way to a part, and
//! those of unsupported types.

use crate::{
    ast::{Member, StructId, Unit},
    types::{Qualified, Type},
};
use cfg_core::ir::Subscript;
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// The beginning of the name that a member without one gets. Its own members are named like those of the structure or
/// union around it.
const HIDDEN: &str = "__cfgrev_unnamed";

/// Most levels of nested types.
const MAX_DEPTH: usize = 300;

/// The name for an unnamed member of this structure or union type.
pub(crate) fn hidden(s: StructId) -> Rc<str> {
    Rc::from(format!("{HIDDEN}{}", s.index()))
}

/// True of the name of an unnamed member.
pub(crate) fn is_hidden(name: &str) -> bool {
    name.starts_with(HIDDEN)
}

/// The unnamed member of a structure through which a name leads.
pub(crate) fn around(unit: &Unit, s: StructId, name: &str) -> Option<Rc<str>> {
    let mut members = unit.structure(s).declared_members().iter();
    let found = members.find(|m| has_within(unit, m, name));
    found.map(|m| Rc::clone(&m.name))
}

/// True of an unnamed member that has a member of this name, directly or through other unnamed members.
pub(crate) fn has_within(unit: &Unit, m: &Member, name: &str) -> bool {
    has_within_depth(unit, m, name, MAX_DEPTH)
}

fn has_within_depth(unit: &Unit, m: &Member, name: &str, depth: usize) -> bool {
    match m.ty.ty {
        Type::Struct(inner) if is_hidden(&m.name) && depth > 0 => {
            let mut own = unit.structure(inner).declared_members().iter();
            own.any(|m| *m.name == *name || has_within_depth(unit, m, name, depth - 1))
        }
        _ => false,
    }
}

/// The members that are used of each structure and union.
#[derive(Debug, Default)]
pub(crate) struct Used(BTreeMap<StructId, BTreeSet<Rc<str>>>);

impl Used {
    /// The used members of a structure.
    pub(crate) fn members(&self, s: StructId) -> Option<&BTreeSet<Rc<str>>> {
        self.0.get(&s)
    }

    /// True of a member that is used.
    pub(crate) fn has(&self, s: StructId, name: &Rc<str>) -> bool {
        self.members(s).is_some_and(|names| names.contains(name))
    }

    /// Adds a member.
    pub(crate) fn add(&mut self, s: StructId, name: &Rc<str>) {
        self.0.entry(s).or_default().insert(Rc::clone(name));
    }
}

/// Follows steps from a type; returns the type at the end, and the members on the way.
pub(crate) fn follow<'u>(
    unit: &'u Unit,
    ty: &'u Qualified,
    steps: &[Subscript],
) -> Option<(&'u Qualified, Vec<(StructId, &'u Member)>)> {
    let (mut ty, mut way) = (ty, Vec::new());
    for step in steps {
        ty = match (step, &ty.ty) {
            (Subscript::Index(_), Type::Array(of, _)) => of,
            (Subscript::Field(name), Type::Struct(s)) => {
                let member = unit.member(*s, name)?;
                way.push((*s, member));
                &member.ty
            }
            _ => return None,
        };
    }
    Some((ty, way))
}

/// The members that the steps from a type to a part of it lead through.
pub(crate) fn members_on_the_way<'u>(
    unit: &'u Unit,
    ty: &'u Qualified,
    steps: &[Subscript],
) -> Vec<(StructId, &'u Member)> {
    follow(unit, ty, steps).map_or_else(Vec::new, |(_, way)| way)
}

/// The part of a member's type that is not supported.
pub(crate) fn unsupported(unit: &Unit, ty: &Qualified) -> Option<String> {
    let mut ty = ty;
    loop {
        match &ty.ty {
            // Pointers are supported here: one to a function becomes a number, others may be texts that are only
            // printed, or become variables of their own.
            Type::Pointer(_) | Type::Arith(_) => return None,
            Type::Array(_, None) => return Some("an array without extent".to_owned()),
            Type::Array(of, Some(_)) => ty = of,
            Type::Struct(s) => {
                let structure = unit.structure(*s);
                let refused = structure.refused.as_ref();
                return refused.map(|what| format!("a structure with {what}"));
            }
            Type::Refused(what) => return Some(what.to_string()),
            Type::Void => return Some("void".to_owned()),
            Type::Function(_) => return Some("a function".to_owned()),
        }
    }
}

/// The members of a structure, with unnamed members replaced by their own members.
pub(crate) fn flatten_members(unit: &Unit, members: &[Member]) -> Vec<Member> {
    shown_within(unit, members, MAX_DEPTH)
}

/// Does the work of [`flatten_members`]. Recursion is as deep as structures nest.
fn shown_within(unit: &Unit, members: &[Member], depth: usize) -> Vec<Member> {
    let mut found = Vec::new();
    for member in members {
        match member.ty.ty {
            Type::Struct(inner)
                if is_hidden(&member.name)
                    && unit.structure(inner).refused.is_none()
                    && depth > 0 =>
            {
                found.extend(shown_within(
                    unit,
                    &unit.structure(inner).members,
                    depth - 1,
                ));
            }
            _ => found.push(member.clone()),
        }
    }
    found
}
