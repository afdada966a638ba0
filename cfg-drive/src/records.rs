//! Records: JSON objects in points, seeds and results, a variable for each field in programs that are run.

use crate::codes;
use crate::json::{Nested, pointer};
use crate::named::Named;
use crate::nested::Objects;
use crate::objects::{Levels, Sizes};
use crate::slot::Slot;
use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    ir::{CLeftOut, Program, Routine, ScalarType, Variable},
};
use cfg_exec::{Lease, Value};
use cfg_format::json::values::{NamedValues, ValueTree};
use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A value of a POINT or a SEED, with the name of its variable, and the pointer to it.
pub(crate) struct Given<T = Content> {
    pub(crate) name: String,
    pub(crate) content: T,
    pub(crate) pointer: String,
}

/// The contents of a given value.
pub(crate) enum Content {
    Tree(ValueTree),
    /// A value that has been read already: the objects of a pointer.
    Value(Value),
}

/// The context in which the members of a text are read.
pub(crate) struct Reading<'a, 'p> {
    pub(crate) program: &'p Program,
    pub(crate) routine: &'p Routine,
    pub(crate) levels: &'a Levels<'p>,
    /// The numbers of elements at the point, for a seed.
    pub(crate) sizes: Option<&'a Sizes>,
    /// Takes memory for so many words.
    pub(crate) room: &'a dyn Fn(u64) -> Result<Lease, Diagnostics>,
}

impl Reading<'_, '_> {
    /// The values of split records' fields by their names, `p.x`, and of the parameters that pointers have become.
    /// Problems are added to `problems`.
    pub(crate) fn fields(
        &self,
        members: NamedValues,
        base: &str,
        problems: &mut Diagnostics,
    ) -> Vec<Given> {
        let mut found = Vec::with_capacity(members.len());
        let left_out = CLeftOut::from_annotations(&self.program.annotations);
        let members = match left_out.members.get(&self.routine.name) {
            Some(unused) => without(members, "", unused),
            None => members,
        };
        for (name, tree) in members {
            let pointer = format!("{base}{}", pointer(&name));
            if let ValueTree::SameAs(..) = tree {
                let message = format!(
                    "{name} is given by `same_as`, which only a POINT can do, and only for a program that is made for it"
                );
                let help = "give the value, or make the program with `cfg_drive::prepare`";
                let problem = codes::problem(&codes::SAME_AS, message, help, pointer);
                problems.0.extend(problem.0);
            } else if self.sizes.is_none()
                && left_out.started.contains(&name)
                && !matches!(
                    Slot::find(self.program, self.routine, &name),
                    Some(Slot::Parameter(_))
                )
            {
                let message = format!(
                    "{name} has its initial value from the first call of {} on",
                    self.routine.name
                );
                let help = "leave it out; or make it a parameter, or assign it in another routine";
                let problem = codes::problem(&codes::UNKNOWN, message, help, pointer);
                problems.0.extend(problem.0);
            } else if self.levels.is_hidden(&name) {
                let message = format!(
                    "{name} is no parameter, but what {} leads to",
                    self.levels.leads_to(&name)
                );
                let help = "give it there";
                let problem = codes::problem(&codes::UNKNOWN, message, help, pointer);
                problems.0.extend(problem.0);
            } else if self.levels.reads(&name, &tree) {
                let (levels, sizes) = (self.levels, self.sizes);
                match levels.read(&name, &tree, &pointer, sizes, self.room) {
                    Ok(values) => found.extend(values.into_iter().map(|(name, value)| Given {
                        name,
                        content: Content::Value(value),
                        pointer: pointer.clone(),
                    })),
                    Err(wrong) => problems.0.extend(wrong.0),
                }
            } else {
                let is_one = matches!(tree, ValueTree::Object(_));
                let mut parts = Vec::new();
                if self.program.records.is_empty() {
                    parts.push(Given {
                        name,
                        content: tree,
                        pointer,
                    });
                } else {
                    let zeros = self.sizes.is_some();
                    expand(name, tree, pointer, &mut parts, (zeros, problems));
                }
                if is_one && self.are_of_a_list(&parts) {
                    for part in &mut parts {
                        let content = std::mem::replace(&mut part.content, ValueTree::Null);
                        part.content = ValueTree::Array(vec![content]);
                    }
                }
                found.extend(parts.into_iter().map(|part| Given {
                    name: part.name,
                    content: Content::Tree(part.content),
                    pointer: part.pointer,
                }));
            }
        }
        found
    }

    /// True of the fields of one object in place of a list of records, such as the object of a C pointer: each field
    /// has one more dimension than its value.
    fn are_of_a_list(&self, parts: &[Given<ValueTree>]) -> bool {
        let globals = self.program.globals.iter().map(|g| &g.variable);
        let variables = self.routine.variables.iter().chain(globals);
        let ranks: HashMap<&str, usize> = variables.map(|v| (&*v.name, v.rank())).collect();
        let is_of_a_list =
            |part: &Given<ValueTree>| ranks.get(&*part.name) == Some(&(depth(&part.content) + 1));
        !parts.is_empty() && parts.iter().all(is_of_a_list)
    }
}

/// The number of arrays around the first element of a value.
fn depth(tree: &ValueTree) -> usize {
    let mut at = Some(tree);
    let inside = std::iter::from_fn(|| {
        let ValueTree::Array(items) = at? else {
            return None;
        };
        at = items.first();
        Some(())
    });
    inside.count()
}

/// Values without those of unused names. Recursion is over the nesting of the text, which its reader limits.
fn without(members: NamedValues, around: &str, unused: &BTreeSet<String>) -> NamedValues {
    fn inside(tree: ValueTree, name: &str, unused: &BTreeSet<String>) -> ValueTree {
        match tree {
            ValueTree::Object(members) => {
                ValueTree::Object(without(members, &format!("{name}."), unused))
            }
            ValueTree::Array(items) if items.iter().any(has_object) => {
                let items = items.into_iter();
                ValueTree::Array(items.map(|item| inside(item, name, unused)).collect())
            }
            ValueTree::Int(_)
            | ValueTree::Wide(_)
            | ValueTree::Real(_)
            | ValueTree::Logical(_)
            | ValueTree::Array(_)
            | ValueTree::Size(_)
            | ValueTree::Null
            | ValueTree::SameAs(..) => tree,
        }
    }
    let named = members.into_iter().map(|(name, tree)| {
        let path = format!("{around}{name}");
        (!unused.contains(&path)).then(|| (name, inside(tree, &path, unused)))
    });
    named.flatten().collect()
}

/// The values of records' fields by the names of the split variables. A field that only some records of a list have
/// is a problem, or, with `zeros`, zero in the others.
///
/// Recursion is over the nesting of the text, which its reader limits.
fn expand(
    name: String,
    tree: ValueTree,
    pointer: String,
    found: &mut Vec<Given<ValueTree>>,
    (zeros, problems): (bool, &mut Diagnostics),
) {
    match tree {
        ValueTree::Object(members) => {
            for (field, tree) in members {
                let pointer = format!("{pointer}{}", crate::json::pointer(&field));
                let name = format!("{name}.{field}");
                expand(name, tree, pointer, found, (zeros, problems));
            }
        }
        ValueTree::Array(items) if items.iter().any(has_object) => {
            // A list of records: for each field the list of its values, `None` in a record that does not have it.
            let count = items.len();
            let mut columns: Vec<(String, Vec<Option<ValueTree>>)> = Vec::new();
            let mut of_field: HashMap<String, usize> = HashMap::new();
            for (k, item) in items.into_iter().enumerate() {
                let place = format!("{pointer}/{k}");
                if !has_object(&item) {
                    problems.0.extend(codes::no_record(place).0);
                    continue;
                }
                let mut parts = Vec::new();
                expand(String::new(), item, place, &mut parts, (zeros, problems));
                for part in parts {
                    let next = columns.len();
                    let column = *of_field.entry(part.name.clone()).or_insert(next);
                    if column == next {
                        columns.push((part.name, vec![None; count]));
                    }
                    columns[column].1[k] = Some(part.content);
                }
            }
            for (field, column) in columns {
                let zero = column.iter().flatten().next().map(zero_like);
                let missing = column.iter().position(Option::is_none);
                if let Some(k) = missing.filter(|_| !zeros) {
                    let problem = codes::no_field(&field[1..], format!("{pointer}/{k}"));
                    problems.0.extend(problem.0);
                }
                let column = column.into_iter();
                let column = column.filter_map(|value| value.or_else(|| zero.clone()));
                found.push(Given {
                    name: format!("{name}{field}"),
                    content: ValueTree::Array(column.collect()),
                    pointer: pointer.clone(),
                });
            }
        }
        tree @ (ValueTree::Int(_)
        | ValueTree::Wide(_)
        | ValueTree::Real(_)
        | ValueTree::Logical(_)
        | ValueTree::Array(_)
        | ValueTree::Null
        | ValueTree::SameAs(..)
        | ValueTree::Size(_)) => found.push(Given {
            name,
            content: tree,
            pointer,
        }),
    }
}

/// True if a split variable is a field of the record of this name, at any depth.
pub(crate) fn is_field_of(record: &str, variable: &str) -> bool {
    let field = variable.strip_prefix(record);
    field.is_some_and(|field| field.starts_with('.'))
}

/// Zeros in the form of a value.
fn zero_like(tree: &ValueTree) -> ValueTree {
    match tree {
        ValueTree::Array(items) => ValueTree::Array(items.iter().map(zero_like).collect()),
        ValueTree::Object(_)
        | ValueTree::Int(_)
        | ValueTree::Wide(_)
        | ValueTree::Real(_)
        | ValueTree::Logical(_)
        | ValueTree::Null
        | ValueTree::SameAs(..)
        | ValueTree::Size(_) => ValueTree::Int(0),
    }
}

/// True if there is an object in a value, at any depth.
fn has_object(tree: &ValueTree) -> bool {
    match tree {
        ValueTree::Object(_) => true,
        ValueTree::Array(items) => items.iter().any(has_object),
        ValueTree::Int(_)
        | ValueTree::Wide(_)
        | ValueTree::Real(_)
        | ValueTree::Logical(_)
        | ValueTree::Null
        | ValueTree::SameAs(..)
        | ValueTree::Size(_) => false,
    }
}

/// Values by name as a JSON object; the fields of a record are an object of their own.
#[derive(Clone, Copy, Debug)]
pub struct Members<'v> {
    values: &'v Named,
    program: &'v Program,
    routine: RoutineId,
    sizes: Option<&'v Sizes>,
}

impl<'v> Members<'v> {
    /// Values of variables of a routine, which may have records.
    pub fn new(values: &'v Named, program: &'v Program, routine: RoutineId) -> Self {
        Self {
            values,
            program,
            routine,
            sizes: None,
        }
    }

    /// The values in the form of a point with these sizes: objects nested in the pointers that lead to them.
    pub fn with_sizes(self, sizes: &'v Sizes) -> Self {
        Self {
            sizes: Some(sizes),
            ..self
        }
    }

    /// The variables that names may begin with: those of the routine before globals, and its result as `return`.
    fn variables(&self) -> HashMap<&'v str, &'v Variable> {
        let mut all = HashMap::new();
        if self.program.records.is_empty() {
            return all;
        }
        let routine = self.program.routine(self.routine);
        let own = routine.variables.iter();
        let globals = self.program.globals.iter().map(|g| &g.variable);
        for variable in own.chain(globals) {
            all.entry(&*variable.name).or_insert(variable);
        }
        if let Some(result) = routine.result {
            all.entry("return").or_insert(routine.variable(result));
        }
        all
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let variables = self.variables();
        let objects = (self.sizes.filter(|sizes| !sizes.is_empty()))
            .map(|sizes| Objects::link(self.values, sizes, self.program.routine(self.routine)));
        let mut written = HashSet::new();
        let mut rest = &self.values[..];
        while let Some(((name, value), behind)) = rest.split_first() {
            if let Some(parameter) = objects.as_ref().and_then(|o| o.parameter_of(name)) {
                if written.insert(parameter.name())
                    && let Some(objects) = &objects
                {
                    let whole = objects.whole(self.program, parameter);
                    map.serialize_entry(parameter.name(), &whole)?;
                }
                rest = behind;
                continue;
            }
            let record = name.split_once('.').and_then(|(base, _)| {
                let variable = variables.get(base)?;
                variable.ty.record().map(|_| (variable, base))
            });
            let Some((variable, base)) = record else {
                map.serialize_entry(name, &Nested(value))?;
                rest = behind;
                continue;
            };
            let of_record = |(name, _): &&(String, Value)| {
                name.split_once('.').is_some_and(|(other, _)| other == base)
            };
            let count = rest.iter().take_while(of_record).count();
            let (own, behind) = rest.split_at(count);
            let leaves = own.iter().map(|(name, value)| Leaf {
                path: name.split('.').skip(1).collect(),
                value,
            });
            let leaves: Vec<Leaf<'_>> = leaves.collect();
            let part = Part {
                program: self.program,
                ty: variable.ty,
                rank: variable.rank(),
                leaves: &leaves,
                depth: 0,
                at: &[],
            };
            map.serialize_entry(base, &part)?;
            rest = behind;
        }
        map.end()
    }
}

/// The value of a scalar or of an array of scalars in a record.
struct Leaf<'v> {
    path: Vec<&'v str>,
    value: &'v Value,
}

/// A part of a record, or of an array of records with the first subscripts fixed.
struct Part<'v> {
    program: &'v Program,
    ty: ScalarType,
    /// The dimensions of this level that are left.
    rank: usize,
    /// The leaves in the order of the layout.
    leaves: &'v [Leaf<'v>],
    /// The number of fields that are named.
    depth: usize,
    /// Positions along the dimensions before.
    at: &'v [usize],
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(r) = self.ty.record() else {
            return match self.leaves.first() {
                Some(leaf) => Nested(leaf.value).part(self.at).serialize(serializer),
                None => serializer.serialize_none(),
            };
        };
        if self.rank > 0 {
            let shape = self
                .leaves
                .first()
                .map_or(&[][..], |leaf| leaf.value.shape());
            let extent = shape.get(self.at.len()).copied().unwrap_or(0);
            let mut list = serializer.serialize_seq(Some(extent))?;
            for i in 0..extent {
                let mut at = self.at.to_vec();
                at.push(i);
                list.serialize_element(&Part {
                    rank: self.rank - 1,
                    at: &at,
                    ..*self
                })?;
            }
            return list.end();
        }
        let mut map = serializer.serialize_map(None)?;
        let mut rest = self.leaves;
        for field in &self.program.record(r).fields {
            let own = |leaf: &&Leaf<'_>| leaf.path.get(self.depth) == Some(&&*field.name);
            let leaves;
            (leaves, rest) = rest.split_at(rest.iter().take_while(own).count());
            // Gradients have the real fields only.
            if !leaves.is_empty() {
                let part = Part {
                    ty: field.ty,
                    rank: field.shape.len(),
                    leaves,
                    depth: self.depth + 1,
                    ..*self
                };
                map.serialize_entry(&field.name, &part)?;
            }
        }
        map.end()
    }
}
