//! Members that are left out: emitted C keeps their places in structures, and POINT may have values for their names.

use super::Lower;
use crate::{
    ast::{DeclId, StructId, Unit},
    constant, structures,
    types::{Qualified, Type},
};
use cfg_core::ir::{CLeftOut, Record};
use std::{
    collections::{BTreeSet, HashSet},
    rc::Rc,
};

/// Most members left out whose names are kept.
const MAX_NAMES: usize = 10_000;

/// The gaps between the members of a structure, as (member, bytes). `None` if no member is left out, directly or in
/// inner structures, and the layout is that of C. An error if the layout is not known.
pub(super) fn gaps(unit: &Unit, s: StructId) -> Option<Result<Vec<(usize, u64)>, ()>> {
    let is_changed = lies_apart(unit, s, Record::MAX_DEPTH);
    is_changed.then(|| {
        let known = constant::has_known_places(unit, s);
        let laid_out = laid_out(unit, s, Record::MAX_DEPTH).filter(|_| known);
        laid_out.map(|laid_out| laid_out.gaps).ok_or(())
    })
}

/// True if members of a structure, or of an inner one, are left out, or do not have the layout of C.
fn lies_apart(unit: &Unit, s: StructId, depth: usize) -> bool {
    let structure = unit.structure(s);
    structure.declared.is_some()
        || structure.packed
        || depth > 0
            && structure.members.iter().any(|m| match m.ty.element().ty {
                Type::Struct(inner) => lies_apart(unit, inner, depth - 1),
                _ => m.ty.width.is_some() || m.ty.element().long_double,
            })
}

/// The layout of a structure from the members that are left.
struct LaidOut {
    gaps: Vec<(usize, u64)>,
    /// The alignment of the structure in bytes.
    alignment: i128,
}

/// Computes the layout. Recursion is as deep as records nest.
fn laid_out(unit: &Unit, s: StructId, depth: usize) -> Option<LaidOut> {
    let depth = depth.checked_sub(1)?;
    let structure = unit.structure(s);
    let size = constant::size(
        unit,
        &Qualified::unqualified(Type::Struct(s)),
        Record::MAX_DEPTH,
    )?;
    let (mut gaps, mut end, mut alignment) = (Vec::new(), 0i128, 1i128);
    let gap = |gaps: &mut Vec<_>, k: usize, end: i128, begin: i128, of: i128| {
        let natural = end.checked_add((of - end.rem_euclid(of)) % of)?;
        if natural != begin {
            gaps.push((k, u64::try_from(begin.checked_sub(end)?).ok()?));
        }
        Some(())
    };
    for (k, member) in structure.members.iter().enumerate() {
        let begin = constant::beginning(unit, s, &member.name)?;
        let element = member.ty.element();
        let own = match element.ty {
            Type::Struct(inner) => laid_out(unit, inner, depth)?.alignment,
            _ => constant::alignment_of(unit, element)?,
        };
        gap(&mut gaps, k, end, begin, own)?;
        end = begin.checked_add(constant::size(unit, &member.ty, Record::MAX_DEPTH)?)?;
        alignment = alignment.max(own);
    }
    gap(&mut gaps, structure.members.len(), end, size, alignment)?;
    Some(LaidOut { gaps, alignment })
}

/// Collects the names of members left out in the structures that a variable is, or leads to.
fn unused(unit: &Unit, name: &str, ty: &Qualified, found: &mut BTreeSet<String>) {
    let mut open = vec![(name.to_owned(), ty, 0)];
    let mut seen = 0;
    while let Some((path, ty, depth)) = open.pop() {
        seen += 1;
        let Type::Struct(s) = ty.bottom().ty else {
            continue;
        };
        if depth > Record::MAX_DEPTH || seen > MAX_NAMES {
            return;
        }
        let structure = unit.structure(s);
        for member in &structure.members {
            open.push((format!("{path}.{}", member.name), &member.ty, depth + 1));
        }
        let kept: HashSet<&Rc<str>> = structure.members.iter().map(|m| &m.name).collect();
        // A union keeps one member: the others are not missed.
        for member in structure
            .declared_members()
            .iter()
            .filter(|_| !structure.union)
        {
            let inside = structures::flatten_members(unit, std::slice::from_ref(member));
            if !inside.iter().any(|m| kept.contains(&m.name)) {
                let names = inside.iter().map(|m| format!("{path}.{}", m.name));
                found.extend(names);
            }
        }
    }
}

impl Lower<'_> {
    /// The members left out of structures in the parameters of the functions to differentiate, and the parameters
    /// that may be null.
    pub(super) fn left_out(&mut self) -> CLeftOut {
        let unit = self.unit;
        let global = |d: DeclId| {
            let id = self.globals.get(&d).copied()??;
            self.program.program().globals.get(id.index())
        };
        let started = self.started.iter().filter_map(|d| global(*d));
        let started = started.map(|global| global.variable.name.clone()).collect();
        let mut left_out = CLeftOut {
            gaps: std::mem::take(&mut self.gaps),
            started,
            ..CLeftOut::default()
        };
        // A resolved pointer that may be null is an optional parameter: only values are listed.
        for f in self.heads.iter().filter(|_| self.values) {
            let function = &unit.functions[*f];
            let is_pointer = |d: &DeclId| matches!(unit.decl(*d).ty.ty, Type::Pointer(_));
            let null = function.parameters.iter().copied();
            let null = null.filter(|d| is_pointer(d) && self.facts.may_be_null(*d));
            let names: BTreeSet<String> = null.map(|d| unit.decl(d).name.to_string()).collect();
            if !names.is_empty() {
                let name = unit.decl(function.decl).name.to_string();
                left_out.null.insert(name, names);
            }
        }
        if unit.structures.iter().all(|s| s.declared.is_none()) {
            return left_out;
        }
        let of_decl = |d: usize| {
            let id = self.globals.get(&DeclId(d as u32)).copied()??;
            let globals = &self.program.program().globals;
            Some((DeclId(d as u32), globals.get(id.index())?))
        };
        let globals: Vec<_> = (0..unit.decls.len()).filter_map(of_decl).collect();
        for f in &self.heads {
            let function = &unit.functions[*f];
            let mut found = BTreeSet::new();
            for d in &function.parameters {
                unused(unit, &unit.decl(*d).name, &unit.decl(*d).ty, &mut found);
            }
            for (d, global) in &globals {
                unused(unit, &global.variable.name, &unit.decl(*d).ty, &mut found);
            }
            if !found.is_empty() {
                let name = unit.decl(function.decl).name.to_string();
                left_out.members.insert(name, found);
            }
        }
        left_out
    }
}
