//! Structures as their members: which have no name, which are used, which lie on the way to a part, and which are of
//! types that are not read.

use crate::{
    ast::{Member, StructId, Unit},
    types::{Qualified, Type},
};
use cfg_core::ir::Subscript;
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// The name of a member that is a union or structure without one: its members are named like those of the
/// structure or union around it.
const HIDDEN: &str = "__cfgrev_unnamed";

/// Types nest at most so deep.
const MAX_DEPTH: usize = 300;

/// The name of the member that is this structure or union without a name.
pub(crate) fn hidden(s: StructId) -> Rc<str> {
    Rc::from(format!("{HIDDEN}{}", s.index()))
}

/// True of such a name.
pub(crate) fn is_hidden(name: &str) -> bool {
    name.starts_with(HIDDEN)
}

/// The member without a name in a structure that has a member of this name.
pub(crate) fn around(unit: &Unit, s: StructId, name: &str) -> Option<Rc<str>> {
    let mut members = unit.structure(s).declared().iter();
    let found = members.find(|m| has_within(unit, m, name));
    found.map(|m| Rc::clone(&m.name))
}

/// True of a member without a name that has a member of this name, or one without a name that has it.
pub(crate) fn has_within(unit: &Unit, m: &Member, name: &str) -> bool {
    has_within_depth(unit, m, name, MAX_DEPTH)
}

fn has_within_depth(unit: &Unit, m: &Member, name: &str, depth: usize) -> bool {
    match m.ty.ty {
        Type::Struct(inner) if is_hidden(&m.name) && depth > 0 => {
            let mut own = unit.structure(inner).declared().iter();
            own.any(|m| *m.name == *name || has_within_depth(unit, m, name, depth - 1))
        }
        _ => false,
    }
}

/// The members that are used of each structure and union.
#[derive(Debug, Default)]
pub(crate) struct Used(BTreeMap<StructId, BTreeSet<Rc<str>>>);

impl Used {
    /// The members of this one.
    pub(crate) fn of(&self, s: StructId) -> Option<&BTreeSet<Rc<str>>> {
        self.0.get(&s)
    }

    /// True of a member that is used.
    pub(crate) fn has(&self, s: StructId, name: &Rc<str>) -> bool {
        self.of(s).is_some_and(|names| names.contains(name))
    }

    /// Adds a member.
    pub(crate) fn add(&mut self, s: StructId, name: &Rc<str>) {
        self.0.entry(s).or_default().insert(Rc::clone(name));
    }
}

/// The type to which steps from a type lead, and the members on the way.
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
            // A pointer to a function is a number, others may be texts that are only printed, or variables of their
            // own.
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

/// Members, those in members without a name included.
pub(crate) fn shown(unit: &Unit, members: &[Member]) -> Vec<Member> {
    shown_within(unit, members, MAX_DEPTH)
}

/// Recursion is as deep as structures nest.
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
