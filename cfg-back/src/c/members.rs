//! Members of structures: names, elements, cells.

use super::{
    Emitted,
    amount::Amount,
    expression::at_least_zero,
    file::File,
    lines::{Lines, silenced},
    names::{Names, identifier},
    operators::{Code, Name, Prefix},
    parameters::Passed,
    records::{Record, RecordPlace},
    scoped::Local,
    variable::{Array, Axis, Bound, Cells, Inside, Kind, Structure},
    writer::Writer,
};
use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Expr, Extent, ScalarType, Subscript, Variable},
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

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

impl Writer<'_> {
    /// The structure, or the first of several, of a record that has so many dimensions, and as many members on the way
    /// to it as are listed, each with the number of its dimensions; and the sign before its members. The subscripts are
    /// those of all dimensions.
    fn structure_at<'m>(
        &mut self,
        (name, ty): (&Name, ScalarType),
        (rank, is_single, is_behind): (usize, bool, bool),
        members: impl Iterator<Item = (&'m str, usize)>,
        (subscripts, axes): (&[Subscript], &[Axis]),
    ) -> Emitted<(Code, &'static str)> {
        let mut code = Code::name(name.clone(), ty);
        let mut sign = if is_behind { "->" } else { "." };
        let mut all = (0..rank)
            .zip(std::iter::repeat(None))
            .map(|(_, m)| (m, 1))
            .collect::<Vec<_>>();
        all.extend(members.map(|(member, rank)| (Some(member), rank)));
        let mut dimensions = subscripts
            .iter()
            .map(Some)
            .chain(std::iter::repeat(None))
            .zip(axes);
        for (member, rank) in all {
            if let Some(member) = member {
                code = code.member(format!("{sign}{member}"));
                sign = ".";
            }
            for (subscript, axis) in dimensions.by_ref().take(rank) {
                let first = match subscript {
                    Some(Subscript::Index(e)) => Some(e),
                    Some(Subscript::Range(range)) => range.lower.as_ref(),
                    Some(Subscript::Field(_) | Subscript::Deref) | None => None,
                };
                let index = match first {
                    Some(e) => self.emit_index(e, &axis.lower)?,
                    None => Amount::from(0),
                };
                let is_first = is_behind && index.constant() == Some(0);
                let is_named = member.is_none() && (is_single || is_first);
                if !is_named {
                    code = code.at(index.to_code());
                    sign = ".";
                }
            }
        }
        Ok((code, sign))
    }

    /// The structure that is passed for a parameter.
    pub(super) fn structure_argument(
        &mut self,
        callee: RoutineId,
        formal: &Record,
        arguments: &[Option<Expr>],
    ) -> Emitted<Vec<Code>> {
        let file = self.file;
        let of = file.records.of(self.id);
        let found = of.and_then(|of| Some((of, RecordPlace::passed(of, formal, arguments)?)));
        let Some((of, found)) = found else {
            return Err(self.malformed("what is passed for a structure is none"));
        };
        for e in arguments {
            if let Some(Expr::Place(place)) = e {
                self.note_read(place.var);
            }
        }
        let record = &of.all[found.record];
        let axes = match &self.variables.all[found.place.var.index()].kind {
            Kind::Array(array) => array.axes.clone(),
            Kind::Value(_) | Kind::Pointer(_) | Kind::Tape(_) => Vec::new(),
        };
        let name = self.variables.structures[found.record].name.clone();
        let is_behind = matches!(record.passed, Some(Passed::Constant | Passed::Pointer));
        let path = record.leaves[found.leaf].path.iter().take(found.members);
        let path = path.map(|(member, extents)| (&**member, extents.len()));
        let count: usize = found.ranks(record).iter().sum();
        let subscripts = &found.place.subscripts;
        let subscripts = subscripts.get(..count).unwrap_or(&[]);
        let (code, sign) = self.structure_at(
            (&name, ScalarType::Tape),
            (record.rank, record.is_single, is_behind),
            path,
            (subscripts, &axes),
        )?;
        let mut texts = Vec::new();
        let theirs = file.program.routine(callee);
        let first = theirs.variable(formal.parts[0]);
        if formal.rank > 0 && first.shape[0].extent == Extent::Deferred {
            texts.push(
                self.structures_passed(subscripts, &axes[..count])?
                    .to_code(),
            );
        }
        // An array of structures stands for the pointer to the first one.
        let is_array =
            self.variables.structures[found.record].count.is_some() && code.nodes().len() == 1;
        let is_pointer = sign == "->" || is_array;
        texts.push(match (formal.passed, is_pointer) {
            (Some(Passed::Value) | None, false)
            | (Some(Passed::Constant | Passed::Pointer), true) => code,
            (Some(Passed::Value) | None, true) => code.prefix(Prefix::Dereference),
            (Some(Passed::Constant | Passed::Pointer), false) => code.prefix(Prefix::Address),
        });
        Ok(texts)
    }

    /// The number of structures in a section.
    fn structures_passed(&mut self, subscripts: &[Subscript], axes: &[Axis]) -> Emitted<Amount> {
        let Some(axis) = axes.last() else {
            return Err(self.malformed("a structure stands for several"));
        };
        let extent = self.variables.amount_of(&axis.extent);
        let Some(Subscript::Range(range)) = subscripts.last() else {
            return Ok(extent);
        };
        let lower = self.variables.amount_of(&axis.lower);
        let from = match &range.lower {
            Some(e) => self.emit_integer(e)?,
            None => lower.clone(),
        };
        let behind = match &range.upper {
            Some(e) => self.emit_integer(e)?.plus(&1.into()),
            None => lower.plus(&at_least_zero(&extent)),
        };
        Ok(behind.minus_code(&from))
    }

    /// The member that an array is, behind the first subscripts, and those that are left: those of the last member.
    fn member<'s>(
        &mut self,
        (array, inside): (&Array, &Inside),
        ty: ScalarType,
        subscripts: &'s [Subscript],
    ) -> Emitted<(Code, &'s [Subscript])> {
        let Some(((last, _), before)) = inside.path.split_last() else {
            return Err(self.malformed("a leaf of a record is no member"));
        };
        let outer = subscripts.len().min(inside.outer());
        let (code, sign) = self.structure_at(
            (&array.pointer, ty),
            (inside.rank, inside.is_single, inside.is_behind),
            before.iter().map(|(member, rank)| (&**member, *rank)),
            (&subscripts[..outer], &array.axes),
        )?;
        Ok((code.member(format!("{sign}{last}")), &subscripts[outer..]))
    }

    /// An element of an array of a structure.
    pub(super) fn member_element(
        &mut self,
        (array, inside): (&Array, &Inside),
        ty: ScalarType,
        subscripts: &[Subscript],
    ) -> Emitted<Code> {
        let (mut code, left) = self.member((array, inside), ty, subscripts)?;
        for (subscript, axis) in left.iter().zip(&array.axes[inside.outer()..]) {
            let Subscript::Index(e) = subscript else {
                return Err(self.malformed("a section stands for a scalar"));
            };
            code = code.at(self.emit_index(e, &axis.lower)?.to_code());
        }
        Ok(code)
    }

    /// The pointer to the first cell of the last member.
    pub(super) fn member_cells(
        &mut self,
        (array, inside): (&Array, &Inside),
        ty: ScalarType,
        subscripts: &[Subscript],
    ) -> Emitted<Code> {
        let (code, _) = self.member((array, inside), ty, subscripts)?;
        let rank = inside.path.last().map_or(0, |(_, rank)| *rank);
        Ok(match rank {
            0 => code.prefix(Prefix::Address).parenthesised(),
            1 => code,
            // Compilers may take an index behind the first row for one that no program has.
            _ => {
                let cast = format!("{} *", self.file.c_type(ty));
                code.cast(&cast, ty).parenthesised()
            }
        })
    }

    /// True if a structure is named, or a member of it.
    fn is_among(&self, structure: &Structure, names: &HashSet<&Name>) -> bool {
        let mut members = self.member_names(structure);
        names.contains(&structure.name) || members.any(|name| names.contains(name))
    }

    fn member_names<'w>(&'w self, structure: &'w Structure) -> impl Iterator<Item = &'w Name> {
        let parts = structure.parts.iter();
        parts.map(|v| self.variables.all[v.index()].kind.name())
    }

    /// The local structures.
    pub(super) fn local_structures(&self) -> impl Iterator<Item = Local> {
        let all = self.variables.structures.iter();
        all.filter(|structure| structure.passed.is_none())
            .map(|structure| {
                let mut code = Code::name(structure.name.clone(), ScalarType::Integer);
                if let Some(count) = structure.count {
                    code = code.at(count.max(1) as i64);
                }
                Local {
                    name: structure.name.clone(),
                    members: self.member_names(structure).cloned().collect(),
                    declared: code.declared(&structure.ty),
                    first: Code::list("", [0.into()]),
                }
            })
    }

    /// Keeps compilers from complaining of structures that nothing reads; parameters are there if the function has all.
    pub(super) fn unread_structures(
        &self,
        named: &HashSet<&Name>,
        read: &HashSet<&Name>,
        has_all: bool,
    ) -> Lines {
        let mut unread = Lines::new(1);
        for structure in &self.variables.structures {
            let is_named = self.is_among(structure, named);
            if structure.passed.is_none() {
                if is_named && !self.is_among(structure, read) {
                    unread.add(silenced(&structure.name));
                }
            } else if has_all {
                self.unread_structure(structure, is_named, named, &mut unread);
            }
        }
        unread
    }

    /// Keeps compilers from complaining of a parameter, and of the number of structures that it has.
    fn unread_structure(
        &self,
        structure: &Structure,
        is_named: bool,
        named: &HashSet<&Name>,
        unread: &mut Lines,
    ) {
        let parts = structure
            .parts
            .iter()
            .map(|v| &self.variables.all[v.index()]);
        let mut held = parts
            .clone()
            .filter_map(|variable| variable.behind.as_ref());
        if !is_named && !held.any(|name| named.contains(name)) {
            unread.add(silenced(&structure.name));
        }
        let axis = parts
            .clone()
            .next()
            .and_then(|variable| variable.kind.first_axis());
        if let Some(Bound::Kept(k)) = axis.map(|axis| axis.extent)
            && let kept = &self.variables.bounds[k]
            && kept.value.is_none()
            && !named.contains(&kept.name)
        {
            unread.add(silenced(&kept.name));
        }
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
