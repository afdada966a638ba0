//! Members of structures: elements, cells, arguments.

use super::{
    Emitted,
    amount::Amount,
    expression::at_least_zero,
    lines::{Lines, silenced},
    operators::{Code, Name, Prefix},
    passed::Passed,
    records::{Record, RecordPlace},
    scoped::Local,
    variable::{Array, Axis, Bound, Inside, Kind, Structure},
    writer::Writer,
};
use cfg_core::{
    entity::RoutineId,
    flat::FlatSubscript,
    ir::{Expr, Extent, ScalarType, Subscript},
};
use std::collections::HashSet;

impl Writer<'_> {
    /// The structure, or the first of several, of a record that has so many dimensions, and as many members on the way
    /// to it as are listed, each with the number of its dimensions; and the sign before its members. The subscripts are
    /// those of all dimensions.
    pub(super) fn structure_at<'m>(
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
                let first = match subscript.map(FlatSubscript::view) {
                    Some(FlatSubscript::Index(e)) => Some(e),
                    Some(FlatSubscript::Range(range)) => range.lower.as_ref(),
                    None => None,
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
