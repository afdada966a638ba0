//! Fields and pointers in places, and the fields of records in a program.

use super::visit::{PlaceRole, Visit, walk_expr};
use super::{Dim, Expr, Place, PointerType, Program, Record, ScalarType, Subscript, Variable};
use crate::entity::RecordId;
use petgraph::{
    algo::kosaraju_scc,
    graph::{DiGraph, NodeIndex},
};
use std::{borrow::Cow, collections::BTreeSet};

/// A part of a place: a variable, a field or a step through a pointer, and the subscripts behind it.
#[derive(Clone, Copy, Debug)]
pub struct Level<'p> {
    /// The variable, field or step before the subscripts.
    pub part: Part<'p>,
    /// The subscripts.
    pub subscripts: &'p [Subscript],
}

/// The beginning of a [`Level`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'p> {
    /// The variable of the place; the first level has it.
    Variable,
    /// A field of the record before it.
    Field(&'p str),
    /// The target of the pointer before it. At most one subscript follows, a distance in elements.
    Deref,
}

impl<'p> Part<'p> {
    /// The field; `None` for the variable and for a step through a pointer.
    pub fn field(self) -> Option<&'p str> {
        match self {
            Self::Field(name) => Some(name),
            Self::Variable | Self::Deref => None,
        }
    }
}

impl Subscript {
    /// The part of a place that this subscript starts; `None` for indices and ranges, which stand behind parts.
    pub fn part(&self) -> Option<Part<'_>> {
        match self {
            Self::Field(name) => Some(Part::Field(name)),
            Self::Deref => Some(Part::Deref),
            Self::Index(_) | Self::Range(_) => None,
        }
    }
}

impl Place {
    /// The levels of the place; the variable's is the first.
    pub fn levels(&self) -> impl Iterator<Item = Level<'_>> {
        let mut rest = Some((Part::Variable, &*self.subscripts));
        std::iter::from_fn(move || {
            let (part, list) = rest?;
            let end = list.iter().position(|s| s.part().is_some());
            let (subscripts, behind) = list.split_at(end.unwrap_or(list.len()));
            rest = (behind.split_first()).and_then(|(first, list)| Some((first.part()?, list)));
            Some(Level { part, subscripts })
        })
    }

    /// For each projection, the number of projections around it in the nested form that files have, `["[]", [".", a,
    /// "v"], j]`, and its position in its list of subscripts. In files, a step through a pointer and its subscript are
    /// one projection, `["deref", p, k]`.
    pub fn nesting(&self) -> Vec<(usize, usize)> {
        let mut nesting = vec![(0, 0); self.subscripts.len()];
        let (mut around, mut end) = (0, self.subscripts.len());
        for (k, projection) in self.subscripts.iter().enumerate().rev() {
            if let Some(part) = projection.part() {
                // The subscripts behind a field are around it.
                around += usize::from(end > k + 1 && part != Part::Deref);
                nesting[k] = (around, 0);
                around += 1;
                end = k;
            } else {
                let first = (self.subscripts[..k].iter())
                    .rposition(|s| s.part().is_some())
                    .map_or(0, |part| part + 1);
                nesting[k] = (around, k - first);
            }
        }
        nesting
    }

    /// True if the place names a field.
    pub fn has_field(&self) -> bool {
        self.subscripts.iter().any(|s| s.field().is_some())
    }

    /// True if the place is found through a pointer: it is no part of its variable, which holds the pointer.
    pub fn is_through_pointer(&self) -> bool {
        self.subscripts
            .iter()
            .any(|s| s.part() == Some(Part::Deref))
    }

    /// True if there are only subscripts behind the variable, no fields and no pointers.
    pub fn is_plain(&self) -> bool {
        self.subscripts.iter().all(|s| s.part().is_none())
    }
}

/// A scalar or an array of scalars inside a record, at any depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf<'p> {
    /// The names of the fields that lead to the leaf; empty if the type is no record.
    pub path: Vec<&'p str>,
    /// The type of the scalar or of the elements.
    pub ty: ScalarType,
    /// The dimensions of all fields on the way, outer ones first.
    pub shape: Vec<&'p Dim>,
}

impl Program {
    /// The record of a given id.
    pub fn record(&self, r: RecordId) -> &Record {
        &self.records[r.index()]
    }

    /// The record with this name.
    pub fn find_record(&self, name: &str) -> Option<RecordId> {
        let found = self.records.iter().position(|r| r.name == name);
        found.map(RecordId::new)
    }

    /// The name of a type for people: a record has its own name, a pointer `^` before the name of its target.
    pub fn type_name(&self, ty: ScalarType) -> Cow<'_, str> {
        let record = ty.record().and_then(|r| self.records.get(r.index()));
        match ty.pointer() {
            Some(pointer) => {
                let end = self.type_name(pointer.end());
                format!("{}{end}", "^".repeat(pointer.depth())).into()
            }
            None => record.map_or(ty.name(), |r| &r.name).into(),
        }
    }

    /// The scalars and arrays of scalars that a value of a type consists of, in the order of the layout; a type that
    /// is no record has one leaf, itself. Of records that validation refuses, at most [`Record::MAX_LEAVES`] leaves
    /// and at most [`Record::MAX_DEPTH`] levels.
    pub fn leaves(&self, ty: ScalarType) -> Vec<Leaf<'_>> {
        let mut leaves = Vec::new();
        let mut open = vec![Leaf {
            path: Vec::new(),
            ty,
            shape: Vec::new(),
        }];
        // Invalid records may have no leaves, so the number of steps is bounded. Valid ones have at most one part for
        // each leaf at each depth, and the record itself.
        for _ in 0..=Record::MAX_LEAVES * Record::MAX_DEPTH {
            if leaves.len() == Record::MAX_LEAVES {
                break;
            }
            let Some(part) = open.pop() else {
                break;
            };
            let Some(r) = part.ty.record() else {
                leaves.push(part);
                continue;
            };
            if part.path.len() >= Record::MAX_DEPTH {
                continue;
            }
            let fields = self.records.get(r.index()).map_or(&[][..], |r| &r.fields);
            for field in fields.iter().rev() {
                let mut below = part.clone();
                below.path.push(&field.name);
                below.ty = field.ty;
                below.shape.extend(&field.shape);
                open.push(below);
            }
        }
        leaves
    }

    /// The record types from which pointers lead to the same type, directly or through others, as in lists, trees and
    /// graphs.
    pub fn recursive_records(&self) -> BTreeSet<RecordId> {
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        for _ in &self.records {
            graph.add_node(());
        }
        for r in (0..self.records.len()).map(RecordId::new) {
            for leaf in self.leaves(ScalarType::Record(r)) {
                let mut ty = leaf.ty;
                while let Some(pointer) = ty.pointer() {
                    ty = pointer.pointee();
                }
                if let Some(to) = ty.record().filter(|_| leaf.ty.pointer().is_some()) {
                    graph.update_edge(NodeIndex::new(r.index()), NodeIndex::new(to.index()), ());
                }
            }
        }
        let parts = kosaraju_scc(&graph).into_iter();
        let parts = parts.filter(|part| match part[..] {
            [one] => graph.contains_edge(one, one),
            _ => true,
        });
        parts.flatten().map(|r| RecordId::new(r.index())).collect()
    }

    /// The leaf to which each of `count` initial values of a global belongs: one value for each leaf, shared by its
    /// elements, or one for each cell in the order of the layout. `None` if `count` is neither number.
    pub fn initial_leaves(&self, global: &Variable, count: usize) -> Option<Vec<usize>> {
        let leaves = self.leaves(global.ty);
        if count == leaves.len() {
            return Some((0..count).collect());
        }
        let mut of_element = Vec::new();
        for (k, leaf) in leaves.iter().enumerate() {
            let mut size = 1usize;
            for dim in &leaf.shape {
                size = size.checked_mul(dim.constant_extent()?)?;
            }
            // Checked before the list grows, so that it never exceeds the number of values.
            if of_element.len().checked_add(size)? > count {
                return None;
            }
            of_element.resize(of_element.len() + size, k);
        }
        let elements = usize::try_from(global.constant_size()?).ok()?;
        let wanted = elements.checked_mul(of_element.len())?;
        (wanted == count).then(|| of_element.into_iter().cycle().take(count).collect())
    }

    /// True if a global or a variable of a routine is a record.
    pub fn has_record_variables(&self) -> bool {
        let globals = self.globals.iter().map(|g| &g.variable);
        let own = self.routines.iter().flat_map(|r| &r.variables);
        !self.records.is_empty() && globals.chain(own).any(|v| v.ty.record().is_some())
    }

    /// True if a type is a pointer, or a record with a pointer in it, at any depth.
    pub fn leads_elsewhere(&self, ty: ScalarType) -> bool {
        ty.pointer().is_some()
            || ty.record().is_some()
                && self
                    .leaves(ty)
                    .iter()
                    .any(|leaf| leaf.ty.pointer().is_some())
    }

    /// True if a variable is a pointer or has one in a field, or an expression makes one.
    pub fn has_pointers(&self) -> bool {
        struct Makes(bool);
        impl<'ir> Visit<'ir> for Makes {
            fn visit_expr(&mut self, e: &'ir Expr, role: PlaceRole) {
                self.0 |= matches!(e, Expr::Null(_) | Expr::Addr(_));
                walk_expr(self, e, role);
            }
        }
        let globals = self.globals.iter().map(|g| &g.variable);
        let own = self.routines.iter().flat_map(|r| &r.variables);
        if globals.chain(own).any(|v| self.leads_elsewhere(v.ty)) {
            return true;
        }
        let mut makes = Makes(false);
        self.routines.iter().for_each(|r| makes.visit_routine(r));
        makes.0
    }

    /// True if pointers in a value of the type lead to reals, directly or through others.
    pub fn leads_to_reals(&self, ty: ScalarType) -> bool {
        let pointees = |ty: ScalarType| -> Vec<ScalarType> {
            let leaves = self.leaves(ty);
            let pointers = leaves.iter().filter_map(|leaf| leaf.ty.pointer());
            pointers.map(PointerType::pointee).collect()
        };
        let mut open = pointees(ty);
        let mut seen = BTreeSet::new();
        while let Some(ty) = open.pop() {
            if !seen.insert(ty) {
                continue;
            }
            if self.has_reals(ty) {
                return true;
            }
            open.extend(pointees(ty));
        }
        false
    }

    /// True if a type is real, or a record with a real in it, at any depth.
    pub fn has_reals(&self, ty: ScalarType) -> bool {
        ty.is_real() || self.leaves(ty).iter().any(|leaf| leaf.ty.is_real())
    }
}
