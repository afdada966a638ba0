//! What parameters lead to that lead to pointers, as arrays: *levels*.
//!
//! A level has the elements of all objects that the pointers of one place lead to, one object after the other. Where these are
//! pointers, or records with pointers in them, a pointer is an integer, the number of elements of its object, 0 of null; and these
//! objects are the next level. `^^real a` is two levels: the numbers of elements of the rows, and the elements of all rows.

use super::{
    super::{cells, classes::Node, plan::Kind, plan::Plan, writer::Refused},
    Made,
};
use crate::names::unused;
use cfg_core::{
    entity::{GlobalId, RecordId, RoutineId, VarId},
    ir::{
        Dim, Expr, Extent, Field, Intent, NameOrigin, NameRole, PointerType, Program, Record, Role,
        ScalarType, Variable,
    },
};
use std::collections::{BTreeMap, HashSet};

/// The most levels of a parameter.
const MOST: usize = 200;

/// What the pointers of one place lead to; the first level is the parameter itself.
pub(super) struct Level {
    /// The type of the elements in the original.
    pub(super) ty: ScalarType,
    /// The pool of the elements; none if nothing is done with them.
    pub(super) pool: Option<usize>,
    /// The fields on the way to each pointer in an element, and the level that it leads to.
    pub(super) below: BTreeMap<Vec<String>, usize>,
    /// The parameter that has the elements.
    pub(super) own: VarId,
}

/// A level that has no variable yet.
struct Open {
    name: String,
    ty: ScalarType,
    class: Option<Node>,
    /// The level with the pointers, and the fields on the way to them.
    from: Option<(usize, Vec<String>)>,
    /// The records on the way here.
    inside: Vec<RecordId>,
}

/// True if pointers lead to pointers, or are passed in something else than a pointer.
pub(super) fn are_needed(program: &Program, variable: &Variable) -> bool {
    match variable.ty.pointer() {
        Some(ty) if variable.rank() == 0 => has_pointers(program, ty.pointee()),
        Some(_) => true,
        None => has_pointers(program, variable.ty),
    }
}

/// True if a type is a pointer, or a record with pointers in it.
pub(super) fn has_pointers(program: &Program, ty: ScalarType) -> bool {
    let leaves = cells::types(program, ty);
    leaves.iter().any(|ty| ty.pointer().is_some())
}

/// The parameters for the levels of a parameter that are needed, the first of which has its name, each with its level; they are
/// numbered from `next` on.
pub(super) fn levels(
    plan: &Plan<'_>,
    (id, v): (RoutineId, VarId),
    written: &HashSet<GlobalId>,
    next: usize,
    made: &mut Made,
    names: &mut HashSet<String>,
) -> Result<Vec<(Variable, Level)>, Refused> {
    let original = plan.program.routine(id).variable(v);
    let is_in = original.role == role(Intent::In);
    let moved_pointer = original.ty.pointer().is_some() && plan.is_moved(id, v);
    if !is_in || original.rank() > 1 || moved_pointer {
        return Err(Refused::new(
            format!(
                "the program is entered with `{}`, which has pointers that may change, or more than one dimension",
                original.name
            ),
            "let the routine that is entered take it as `in`, a scalar or an array of one dimension; what its pointers lead to may change",
        ));
    }
    let class = plan.classes.variable(id, v);
    let by_value = original.ty.pointer().is_none() || original.rank() > 0;
    let (ty, class) = match original.ty.pointer() {
        Some(pointer) if !by_value => (pointer.pointee(), plan.classes.pointee(class, pointer)),
        Some(_) | None => (original.ty, Some(class)),
    };
    let mut open = vec![Open {
        name: original.name.clone(),
        ty,
        class,
        from: None,
        inside: Vec::new(),
    }];
    let mut found: Vec<(Variable, Level)> = Vec::new();
    while let Some(level) = open.pop() {
        if found.len() == MOST {
            return Err(Refused::new(
                format!(
                    "the program is entered with `{}`, from which pointers lead to more than {MOST} places",
                    original.name
                ),
                "enter it by a routine that takes arrays and makes the pointers",
            ));
        }
        let pool = level.class.and_then(|class| plan.pool(class));
        let flat = made.flat(plan, level.ty);
        let k = found.len();
        let variable = match (&level.from, by_value) {
            (None, true) if original.rank() == 0 => Variable {
                ty: flat,
                shape: vec![Dim::of(Expr::Int(1))],
                origin: Some(Box::new(NameOrigin::new(NameRole::Element, ""))),
                ..original.clone()
            },
            (None, true) => Variable {
                ty: flat,
                ..original.clone()
            },
            (None, false) | (Some(_), _) => {
                let intent = match is_written(plan, pool, level.ty, written) {
                    true => Intent::InOut,
                    false => Intent::In,
                };
                let mut of = String::new();
                if let Some((above, path)) = &level.from {
                    let (variable, level) = &mut found[*above];
                    of.clone_from(&variable.name);
                    for field in path {
                        of.push('.');
                        of.push_str(field);
                    }
                    level.below.insert(path.clone(), k);
                }
                Variable {
                    name: level.name.clone(),
                    ..objects(original, flat, intent, &of)
                }
            }
        };
        let below = below(plan, &original.name, &level, (k, &variable.name), names)?;
        open.extend(below);
        let level = Level {
            ty: level.ty,
            pool: pool.filter(|_| level.from.is_some() || !by_value || plan.is_moved(id, v)),
            below: BTreeMap::new(),
            own: VarId::new(next + k),
        };
        found.push((variable, level));
    }
    Ok(found)
}

/// The levels that the pointers in a level lead to, the last one first.
fn below(
    plan: &Plan<'_>,
    parameter: &str,
    level: &Open,
    (k, name): (usize, &str),
    names: &mut HashSet<String>,
) -> Result<Vec<Open>, Refused> {
    let mut inside = level.inside.clone();
    inside.extend(level.ty.record());
    let mut below = Vec::new();
    for leaf in plan.program.leaves(level.ty) {
        let Some(pointer) = leaf.ty.pointer() else {
            continue;
        };
        let ty = pointer.pointee();
        if ty.record().is_some_and(|r| inside.contains(&r)) {
            return Err(Refused::new(
                format!(
                    "the program is entered with `{parameter}`, which leads to records that lead to their like, as lists and trees do"
                ),
                "enter it by a routine that takes arrays and makes the records",
            ));
        }
        let mut own = name.to_owned();
        for field in &leaf.path {
            own.push('_');
            own.push_str(field);
        }
        if leaf.path.is_empty() {
            own.push_str("_elements");
        }
        let path = leaf.path.iter().map(|&field| field.to_owned()).collect();
        below.push(Open {
            name: unused(own, names),
            ty,
            class: content(plan, level.class, pointer),
            from: Some((k, path)),
            inside: inside.clone(),
        });
    }
    below.reverse();
    Ok(below)
}

fn content(plan: &Plan<'_>, class: Option<Node>, pointer: PointerType) -> Option<Node> {
    plan.classes.pointee(class?, pointer)
}

/// The parameter for the objects that pointers lead to which are stored under the name `of`, from the one that leads to them.
pub(super) fn objects(from: &Variable, ty: ScalarType, intent: Intent, of: &str) -> Variable {
    let dim = Dim {
        lower: Expr::Int(0),
        extent: Extent::Deferred,
    };
    Variable {
        origin: Some(Box::new(NameOrigin::new(NameRole::Objects, of))),
        role: role(intent),
        shape: vec![dim],
        ty,
        ..from.clone()
    }
}

fn role(intent: Intent) -> Role {
    Role::Parameter {
        intent,
        optional: false,
    }
}

/// True if cells of a type in a pool that are no pointers are assigned.
fn is_written(
    plan: &Plan<'_>,
    pool: Option<usize>,
    ty: ScalarType,
    written: &HashSet<GlobalId>,
) -> bool {
    let Some(pool) = pool else { return false };
    let arrays = &plan.pools[pool].arrays;
    let kinds = cells::types(plan.program, ty);
    let numbers = kinds.iter().filter(|ty| ty.pointer().is_none());
    let mut arrays = numbers.filter_map(|&ty| arrays.get(&Kind::of(ty)));
    arrays.any(|g| written.contains(g))
}

/// Records with integers in the place of pointers, and records without pointers.
#[derive(Default)]
pub(super) struct FlatRecords {
    of: BTreeMap<RecordId, RecordId>,
    numbers: BTreeMap<RecordId, RecordId>,
    pub(super) made: Vec<Record>,
}

impl FlatRecords {
    /// The type with integers in the place of pointers. Recursion is over the nesting of records, which validation limits.
    pub(super) fn flat(&mut self, plan: &Plan<'_>, ty: ScalarType) -> ScalarType {
        if ty.pointer().is_some() {
            return ScalarType::Integer;
        }
        let Some(record) = ty.record() else { return ty };
        if !has_pointers(plan.program, ty) {
            return ty;
        }
        if let Some(&flat) = self.of.get(&record) {
            return ScalarType::Record(flat);
        }
        let original = plan.program.record(record);
        let fields = original.fields.iter();
        let fields: Vec<Field> = fields
            .map(|field| Field {
                ty: self.flat(plan, field.ty),
                ..field.clone()
            })
            .collect();
        let flat = self.make(plan, format!("{}_sizes", original.name), fields);
        self.of.insert(record, flat);
        ScalarType::Record(flat)
    }
    /// The type without pointers; `None` if nothing is left. Recursion is over the nesting of records, which validation
    /// limits.
    pub(super) fn numbers(&mut self, plan: &Plan<'_>, ty: ScalarType) -> Option<ScalarType> {
        if ty.pointer().is_some() {
            return None;
        }
        let Some(record) = ty.record().filter(|_| has_pointers(plan.program, ty)) else {
            return Some(ty);
        };
        if let Some(&numbers) = self.numbers.get(&record) {
            return Some(ScalarType::Record(numbers));
        }
        let original = plan.program.record(record);
        let fields = original.fields.iter().filter_map(|field| {
            Some(Field {
                ty: self.numbers(plan, field.ty)?,
                ..field.clone()
            })
        });
        let fields: Vec<Field> = fields.collect();
        if fields.is_empty() {
            return None;
        }
        let numbers = self.make(plan, format!("{}_numbers", original.name), fields);
        self.numbers.insert(record, numbers);
        Some(ScalarType::Record(numbers))
    }

    fn make(&mut self, plan: &Plan<'_>, name: String, fields: Vec<Field>) -> RecordId {
        let taken = plan.records.iter().chain(&self.made);
        let mut taken: HashSet<String> = taken.map(|r| r.name.clone()).collect();
        self.made.push(Record {
            name: unused(name, &mut taken),
            fields,
        });
        RecordId::new(plan.records.len() + self.made.len() - 1)
    }
}
