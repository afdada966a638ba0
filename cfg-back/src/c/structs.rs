//! Records as structures, for callers in other files: inside of a file each field is a variable of its own.

use super::{globals::once, names::Names, operators::c_type::c_type};
use cfg_core::{
    entity::{GlobalId, RecordId, RoutineId, VarId},
    flat::Parts,
    ir::{CLeftOut, Field, Program, Record, ScalarType, Variable},
};
use std::{collections::BTreeMap, fmt::Write as _};

/// A program with records that is written as it is without them, and the structures that callers see.
pub(super) struct Structs<'a> {
    /// The program with its records.
    pub(super) program: &'a Program,
    /// For each routine and each variable of it without records the one with, and of a record the leaf.
    variables: Vec<Vec<Home<VarId>>>,
    /// The same of globals.
    globals: Vec<Home<GlobalId>>,
    tags: Vec<String>,
    /// The members of each structure, in the order of the fields.
    members: Vec<Vec<String>>,
    /// Bytes that the source has between the members of a structure.
    gaps: BTreeMap<String, Vec<(usize, u64)>>,
}

/// The variable of the program with records that a variable is, or is a leaf of, and which leaf.
type Home<I> = (I, Option<usize>);

/// The homes of the parts that variables have become, which are numbered in order.
fn homes<'v, I, P>(
    variables: impl IntoIterator<Item = &'v Variable>,
    parts: &[Vec<P>],
    id: fn(usize) -> I,
) -> Vec<Home<I>> {
    let all = variables.into_iter().zip(parts).enumerate();
    let homes = all.flat_map(|(v, (variable, parts))| {
        let record = variable.ty.record().is_some();
        (0..parts.len()).map(move |k| (id(v), record.then_some(k)))
    });
    homes.collect()
}

/// A scalar or an array of scalars in a structure.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) ty: ScalarType,
    /// The members on the way, each with the extents of its dimensions.
    pub(super) path: Vec<(String, Vec<usize>)>,
    /// The record that has each of them.
    pub(super) records: Vec<RecordId>,
}

impl Leaf {
    /// The number of elements in one structure.
    pub(super) fn elements(&self) -> usize {
        self.path.iter().flat_map(|(_, extents)| extents).product()
    }

    /// True of a scalar, or an array of one dimension, that no array of structures is around.
    pub(super) fn is_plain(&self) -> bool {
        let mut path = self.path.iter().rev();
        let own = path.next().map_or(0, |(_, extents)| extents.len());
        own <= 1 && path.all(|(_, extents)| extents.is_empty())
    }

    /// The members on the way to element `at` of a structure, or of several whose elements are counted through; the
    /// last dimension varies fastest.
    pub(super) fn members(&self, at: &str) -> String {
        let (mut text, mut step) = (String::new(), self.elements());
        for (member, extents) in &self.path {
            let _ = write!(text, ".{member}");
            for &extent in extents {
                let around = step;
                step /= extent.max(1);
                let _ = match step {
                    1 => write!(text, "[{at} % {around}]"),
                    _ => write!(text, "[{at} % {around} / {step}]"),
                };
            }
        }
        text
    }
}

impl<'a> Structs<'a> {
    /// The structures of a program, the records of which have become these parts. The tags of other structures are
    /// `taken`.
    pub(super) fn build<'t>(
        program: &'a Program,
        parts: &Parts,
        taken: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let routines = (0..).map(RoutineId::new).zip(&program.routines);
        let variables =
            routines.map(|(r, routine)| homes(&routine.variables, parts.variables(r), VarId::new));
        let globals = program.globals.iter().map(|global| &global.variable);
        let mut names = Names::of_file();
        taken.into_iter().for_each(|tag| names.reserve(tag));
        let records = program.records.iter();
        let tags = records
            .clone()
            .map(|r| names.fresh(&r.name, None))
            .collect();
        let members = records.map(|r| {
            let mut names = Names::of_function();
            let fields = r.fields.iter();
            fields.map(|f| names.fresh(&f.name, None)).collect()
        });
        Self {
            program,
            variables: variables.collect(),
            globals: homes(globals, &parts.globals, GlobalId::new),
            tags,
            members: members.collect(),
            gaps: CLeftOut::from_annotations(&program.annotations).gaps,
        }
    }

    /// Where a variable of the program without records is; `None` of one that only that has.
    pub(super) fn home(&self, routine: RoutineId, v: VarId) -> Option<Home<VarId>> {
        self.variables.get(routine.index())?.get(v.index()).copied()
    }

    /// Where a global of the program without records is, and of a record the leaf; `None` of one that only that has.
    pub(super) fn global_home(&self, g: GlobalId) -> Option<Home<GlobalId>> {
        self.globals.get(g.index()).copied()
    }

    /// The type of a structure.
    pub(super) fn type_of(&self, record: RecordId) -> String {
        format!("struct {}", self.tags[record.index()])
    }

    /// The leaves of a structure, in order.
    pub(super) fn leaves(&self, record: RecordId) -> Vec<Leaf> {
        let leaves = self.program.leaves(ScalarType::Record(record)).into_iter();
        let leaves = leaves.map(|leaf| {
            let mut around = Some(record);
            let mut path = Vec::with_capacity(leaf.path.len());
            let mut records = Vec::with_capacity(leaf.path.len());
            for &name in &leaf.path {
                let field = around.and_then(|r| {
                    Some((self.member(r, name)?, self.program.record(r).field(name)?))
                });
                let Some((member, field)) = field else { break };
                path.push((member.to_owned(), extents(field)));
                records.extend(around);
                around = field.ty.record();
            }
            Leaf {
                ty: leaf.ty,
                path,
                records,
            }
        });
        leaves.collect()
    }

    /// The member of a record that a field is.
    pub(super) fn member(&self, record: RecordId, field: &str) -> Option<&str> {
        let fields = &self.program.record(record).fields;
        let k = fields.iter().position(|f| f.name == field)?;
        self.members[record.index()].get(k).map(String::as_str)
    }

    /// The declarations of the structures, those of members first. Each counts once in all files that are included
    /// together; one of the same tag with other members is told by the compiler.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let mut done = vec![false; self.tags.len()];
        for r in 0..self.tags.len() {
            let mut open = vec![(r, 0)];
            while let Some((r, next)) = open.pop() {
                if done[r] {
                    continue;
                }
                let fields = &self.program.records[r].fields;
                let mut below = fields.iter().enumerate().skip(next);
                let inner = below.find_map(|(k, f)| Some((k, f.ty.record()?.index())));
                match inner {
                    Some((k, inner)) => open.extend([(r, k + 1), (inner, 0)]),
                    None => {
                        done[r] = true;
                        text.push_str(&self.declaration(RecordId::new(r)));
                    }
                }
            }
        }
        text
    }

    fn declaration(&self, record: RecordId) -> String {
        let tag = &self.tags[record.index()];
        let mut members = String::new();
        let Record { name, fields } = self.program.record(record);
        let gaps = self.gaps.get(name).map_or(&[][..], Vec::as_slice);
        let mut names = Names::of_function();
        (self.members[record.index()].iter()).for_each(|name| names.reserve(name));
        let mut gap = |members: &mut String, at: usize| {
            for (_, bytes) in gaps.iter().filter(|(k, _)| *k == at) {
                let name = names.fresh("unused", None);
                let _ = writeln!(members, "    unsigned char {name}[{bytes}];");
            }
        };
        for (k, (field, name)) in fields.iter().zip(&self.members[record.index()]).enumerate() {
            gap(&mut members, k);
            let ty = match field.ty.record() {
                Some(r) => self.type_of(r),
                None => c_type(field.ty).to_owned(),
            };
            let _ = write!(members, "    {ty} {name}");
            for extent in extents(field) {
                let _ = write!(members, "[{}]", extent.max(1));
            }
            members.push_str(";\n");
        }
        gap(&mut members, fields.len());
        let what = format!("STRUCT_{:08X}", checksum(&members));
        once(tag, &what, &format!("struct {tag} {{\n{members}}};"))
    }
}

fn extents(field: &Field) -> Vec<usize> {
    let shape = field.shape.iter();
    shape
        .map(|dim| dim.constant_extent().unwrap_or(1))
        .collect()
}

/// A number that tells texts apart (FNV-1a).
fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |sum, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
