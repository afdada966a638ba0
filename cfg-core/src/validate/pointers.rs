//! Rules of pointers: the places whose addresses may be taken, and the routines that take no pointers as parameters.

use super::checker::{At, Checker};
use crate::{
    codes,
    diagnostic::site::{Element, Part},
    entity::{GlobalId, VarId},
    ir::{
        Extent, Order, Place, Program, Role, Routine, Subscript,
        visit::{PlaceRole, Visit, walk_place},
    },
    text::Name,
    typing,
};
use std::collections::BTreeSet;

impl Checker<'_> {
    /// Reports a place whose address cannot be taken, because its elements are not contiguous or an assignment may
    /// give it new storage.
    pub(super) fn check_addressable(&mut self, site: At, place: &Place, rank: usize) -> bool {
        if place.is_through_pointer() {
            return rank == 0 || self.is_one_field(site, place);
        }
        let variable = self.variable(place.var);
        let deferred = |e: &Extent| matches!(e, Extent::Deferred);
        let allocatable =
            variable.role == Role::Local && variable.shape.iter().any(|dim| deferred(&dim.extent));
        let apart = variable.order == Order::Column
            && variable.rank() > 0
            && variable.ty.record().is_some();
        let name = Name(&variable.name);
        let (message, help) = if allocatable {
            (
                format!("`addr` of {name}, which has deferred extents"),
                "give it extents, or allocate an object",
            )
        } else if apart {
            (
                format!("`addr` of {name}, an array of records in column order"),
                "declare it in row order",
            )
        } else {
            return rank == 0 || self.is_one_field(site, place);
        };
        self.error(site, &codes::ADDRESS, message, help);
        false
    }

    /// Reports an array of which only parts are named.
    fn is_one_field(&mut self, site: At, place: &Place) -> bool {
        let ranges = place.subscripts.iter();
        let ranges = ranges.filter(|s| matches!(s, Subscript::Range(_))).count();
        // Without its last field the place is a scalar, or the whole variable.
        let last = place.subscripts.iter().rposition(|s| s.part().is_some());
        let before = Place {
            var: place.var,
            subscripts: place.subscripts[..last.unwrap_or(0)].into(),
        };
        let records = &self.program.records;
        let scalar = last.is_none()
            || typing::place_type_in(records, &self.routine.variables, &before)
                .is_ok_and(|ty| ty.rank == 0);
        if ranges == 0 && scalar {
            return true;
        }
        self.error(
            site,
            &codes::ADDRESS,
            "`addr` of a part of an array",
            "take the address of its first element",
        );
        false
    }
}

/// Routines without a body, or with given derivatives, take no pointers as parameters.
pub(super) fn declarations(c: &mut Checker<'_>) {
    if c.routine.external.is_none() && c.routine.derivatives.is_none() {
        return;
    }
    for (i, variable) in c.routine.variables.iter().enumerate() {
        if c.program.leads_elsewhere(variable.ty) && !matches!(variable.role, Role::Global(_)) {
            let name = Name(&variable.name);
            c.error(
                At::new(Element::Variable(VarId::new(i)), Part::Type),
                &codes::ADDRESS,
                format!(
                    "{name} is a pointer, in a routine that is external or has given derivatives"
                ),
                "pass what it points to as an array",
            );
        }
    }
}

/// Calls `found` with each variable whose address is taken.
struct Taken<'a> {
    found: &'a mut dyn FnMut(VarId),
}

impl<'ir> Visit<'ir> for Taken<'_> {
    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        if role == PlaceRole::AddressTaken && !place.is_through_pointer() {
            (self.found)(place.var);
        }
        walk_place(self, place);
    }
}

fn each_taken(routine: &Routine, found: &mut dyn FnMut(VarId)) {
    Taken { found }.visit_routine(routine);
}

/// The storages of the globals whose addresses are taken anywhere.
pub(super) fn taken_globals(program: &Program) -> BTreeSet<GlobalId> {
    let mut taken = BTreeSet::new();
    for routine in &program.routines {
        each_taken(routine, &mut |v| {
            if let Some(Role::Global(g)) = routine.variables.get(v.index()).map(|v| v.role) {
                taken.insert(program.storage(g).0);
            }
        });
    }
    taken
}

/// The address of the index of a counted loop is never taken.
pub(super) fn loop_indices(c: &mut Checker<'_>, globals: &BTreeSet<GlobalId>) {
    let Some(cfg) = &c.routine.body else { return };
    let mut own = BTreeSet::new();
    each_taken(c.routine, &mut |v| {
        own.insert(v);
    });
    for (v, vertex) in cfg.vertices() {
        let Some(index) = vertex.kind.index() else {
            continue;
        };
        let taken = match c.variable(index).role {
            Role::Global(g) => globals.contains(&c.program.storage(g).0),
            Role::Parameter { .. } | Role::Local => own.contains(&index),
        };
        if taken {
            c.error(
                At::new(Element::Vertex(v), Part::Index),
                &codes::ADDRESS,
                format!("`addr` of {}, the index of a counted loop", c.name(index)),
                "copy the index to another variable, and take the address of that",
            );
        }
    }
}
