//! Structures as their members: which are used, which lie on the way to a part, and which are of types that are not read.

use crate::{
    ast::{Member, StructId, Unit},
    types::{Qualified, Type},
};
use cfg_core::ir::Subscript;
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

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

/// What is not supported about the type of a member.
pub(crate) fn unsupported(unit: &Unit, ty: &Qualified) -> Option<String> {
    let mut ty = ty;
    loop {
        match &ty.ty {
            // A pointer to a function is a number, others may be texts that are only printed, or variables of their own.
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
