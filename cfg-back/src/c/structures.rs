//! The structures of a function: names of them and of their members.

use super::{
    file::File,
    names::{Names, identifier},
    operators::Name,
    passed::Passed,
    records::Record,
    variable::{Array, Axis, Cells, Inside, Kind, Structure},
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{ScalarType, Variable},
};
use std::{collections::HashMap, rc::Rc};

/// A leaf of a record that is a structure.
pub(super) struct Member {
    /// The structure, and which leaf of it.
    pub(super) home: (usize, usize),
    /// The name of a scalar or an array, or of the structure that an element is in.
    name: Name,
    inside: Option<Rc<Inside>>,
}

/// The records of a routine that are structures.
fn records<'f>(file: &'f File<'_>, r: RoutineId) -> &'f [Record] {
    file.records.of(r).map_or(&[], |of| &of.all)
}

/// The structures of which variables of a routine are leaves, and which leaves.
pub(super) fn homes(file: &File<'_>, r: RoutineId) -> HashMap<VarId, (usize, usize)> {
    let all = records(file, r).iter().enumerate();
    let homes = all.flat_map(|(s, record)| {
        let parts = record.parts.iter().enumerate();
        parts.map(move |(leaf, &v)| (v, (s, leaf)))
    });
    homes.collect()
}

/// Names the structures of a routine: those that are parameters, which come first, or the others.
pub(super) fn add_structures(
    file: &File<'_>,
    r: RoutineId,
    names: &mut Names,
    structures: &mut Vec<Structure>,
    parameters: bool,
) {
    for (k, record) in records(file, r).iter().enumerate() {
        if structures.len() == k {
            structures.push(Structure {
                name: "".into(),
                ty: file.type_of(ScalarType::Record(record.ty)),
                count: record.elements(),
                passed: record.passed,
                parts: record.parts.clone(),
            });
        }
        if record.passed.is_some() == parameters {
            structures[k].name = names.fresh(&record.name, Some(&file.names)).into();
        }
    }
}

/// The leaves of the structures of a routine.
pub(super) fn of_structures(
    file: &File<'_>,
    r: RoutineId,
    structures: &[Structure],
) -> HashMap<VarId, Member> {
    let all = records(file, r).iter().zip(structures).enumerate();
    let members = all.flat_map(|(s, (record, structure))| members(s, record, &structure.name));
    members.collect()
}

fn members(
    structure: usize,
    record: &Record,
    name: &Name,
) -> impl Iterator<Item = (VarId, Member)> {
    let is_behind = matches!(record.passed, Some(Passed::Constant | Passed::Pointer));
    let leaves = record.parts.iter().zip(&*record.leaves).enumerate();
    leaves.map(move |(leaf, (&v, path_to))| {
        let path = path_to
            .path
            .iter()
            .map(|(member, extents)| (&**member, extents.len()));
        let mut member = Member {
            home: (structure, leaf),
            name: name.clone(),
            inside: None,
        };
        if record.rank == 0 && path_to.is_plain() {
            let path: Vec<&str> = path.map(|(member, _)| member).collect();
            let sign = if is_behind { "->" } else { "." };
            member.name = format!("{name}{sign}{}", path.join(".")).into();
        } else {
            member.inside = Some(Rc::new(Inside {
                rank: record.rank,
                is_single: record.is_single,
                is_behind,
                path: path.map(|(member, rank)| (member.into(), rank)).collect(),
            }));
        }
        (v, member)
    })
}

impl Member {
    /// True of a member of an array of structures.
    pub(super) fn has_count(&self) -> bool {
        self.inside.as_ref().is_some_and(|inside| inside.rank > 0)
    }

    /// The leaf as a variable, if it is an array with these dimensions.
    pub(super) fn kind(&self, variable: &Variable, axes: Vec<Axis>) -> Kind {
        match variable.rank() {
            0 => Kind::Value(self.name.clone()),
            _ => Kind::Array(Array {
                pointer: self.name.clone(),
                inside: self.inside.clone(),
                offset: 0,
                axes,
                order: variable.order,
                cells: Cells::Given,
                room: None,
                laid_over: None,
                count: None,
            }),
        }
    }
}

impl Structure {
    /// The parameter, in a routine whose parameters may overlap or not.
    pub(super) fn declaration(&self, aliased: bool) -> String {
        let Self { name, ty, .. } = self;
        let restrict = if aliased { "" } else { "restrict " };
        match self.passed {
            Some(Passed::Constant) => format!("const {ty} *{restrict}{name}"),
            Some(Passed::Pointer) => format!("{ty} *{restrict}{name}"),
            Some(Passed::Value) | None => format!("{ty} {name}"),
        }
    }
}

impl Inside {
    /// The number of dimensions before those of the last member.
    pub(super) fn outer(&self) -> usize {
        let inner = self.path.iter().rev().skip(1);
        self.rank + inner.map(|(_, rank)| rank).sum::<usize>()
    }
}

/// The name of a variable that holds an element of an array.
pub(super) fn held_name(array: &Array, at: &str) -> String {
    let members = array.inside.iter().flat_map(|inside| &inside.path);
    let members = members.map(|(member, _)| format!("_{member}"));
    identifier(&format!(
        "{}{}_{at}",
        array.pointer,
        members.collect::<String>()
    ))
}
