//! Parameters that lead to further pointers, as arrays: *levels*.
//!
//! A level has the elements of all objects to which the pointers of one place lead, one object after the other. If the
//! elements are pointers, or records with pointers in them, each pointer is an integer, the number of elements of its
//! object, 0 for null; and these objects form the next level. `^^real a` has two levels: the numbers of elements of
//! the rows, and the elements of all rows.
//!
//! Recursive records, as in lists, trees and graphs, have one level in a parameter, which is one object: pointers to
//! them are numbers of its elements, from 1.

use super::{
    super::{
        cells,
        classes::Node,
        plan::{Kind, Plan},
        writer::{Refused, internal_error},
    },
    Made,
};
use crate::names::fresh_name;
use cfg_core::{
    entity::{GlobalId, RecordId, RoutineId, VarId},
    ir::{
        Dim, Expr, Extent, Field, Intent, NameOrigin, NameRole, PointerType, Program, Record, Role,
        ScalarType, Variable,
    },
};
use std::collections::{BTreeMap, HashSet, VecDeque};

/// The most levels of a parameter.
const MOST: usize = 200;

/// The objects to which the pointers of one place lead; the first level is the parameter itself.
pub(super) struct Level {
    /// The type of the elements in the original.
    pub(super) ty: ScalarType,
    /// The pool of the elements; `None` if they are never used.
    pub(super) pool: Option<usize>,
    /// The fields on the way to each pointer in an element, and the level to which it leads.
    pub(super) below: BTreeMap<Vec<String>, usize>,
    /// True if the level has all recursive records of a type, and is not the parameter itself.
    pub(super) is_home: bool,
    /// The fields on the way to each pointer to a recursive record, and the level of these records.
    pub(super) links: BTreeMap<Vec<String>, usize>,
    /// The parameter that has the elements.
    pub(super) own: VarId,
}

/// A level that has no variable yet.
struct Open {
    name: String,
    ty: ScalarType,
    class: Option<Node>,
    pool: Option<usize>,
    /// The level with the pointers, and the fields on the way to them.
    from: Option<(usize, Vec<String>)>,
    is_home: bool,
    /// The fields on the way to pointers to recursive records, and the level of these records.
    links: Vec<(Vec<String>, usize)>,
}

/// True if pointers lead to pointers, or are passed inside records.
pub(super) fn are_needed(program: &Program, variable: &Variable) -> bool {
    match variable.ty.pointer() {
        Some(ty) if variable.rank() == 0 => has_pointers(program, ty.pointee()),
        Some(_) => true,
        None => has_pointers(program, variable.ty),
    }
}

/// True if a type is a pointer, or a record with pointers in it.
pub(super) fn has_pointers(program: &Program, ty: ScalarType) -> bool {
    let leaves = cells::cell_types(program, ty);
    leaves.iter().any(|ty| ty.pointer().is_some())
}

/// The parameters for the levels of a parameter, each with its level. The first one has the name of the parameter;
/// they are numbered from `next` on.
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
    // A record or an array is passed by value, and its pointers begin levels; a pointer is the first level itself.
    let by_value = original.ty.pointer().is_none() || original.rank() > 0;
    let (ty, class) = match original.ty.pointer() {
        Some(pointer) if !by_value => (pointer.pointee(), plan.classes.pointee(class, pointer)),
        Some(_) | None => (original.ty, Some(class)),
    };
    let root = Open {
        name: original.name.clone(),
        ty,
        class,
        pool: class.and_then(|class| plan.pool(class)),
        from: None,
        is_home: false,
        links: Vec::new(),
    };
    let open = all_levels(plan, root, by_value, names)?;
    let order = preorder(&open);
    let mut number = vec![0; open.len()];
    for (k, &of) in order.iter().enumerate() {
        number[of] = k;
    }
    let mut found: Vec<(Variable, Level)> = Vec::new();
    for (k, level) in order.iter().map(|&of| &open[of]).enumerate() {
        let flat = made.flat(plan, level.ty);
        let is_home = level.is_home;
        let variable = match (&level.from, by_value) {
            (None, true) if original.rank() == 0 => Variable {
                ty: flat,
                shape: vec![Dim::with_extent(Expr::Int(1))],
                origin: Some(Box::new(NameOrigin::new(NameRole::Element, ""))),
                ..original.clone()
            },
            (None, true) => Variable {
                ty: flat,
                ..original.clone()
            },
            (None, false) | (Some(_), _) => {
                let intent = match is_written(plan, level.pool, level.ty, written) {
                    true => Intent::InOut,
                    false => Intent::In,
                };
                let mut of = String::new();
                if let Some((above, path)) = &level.from {
                    let (variable, level) = &mut found[number[*above]];
                    of = joined(&variable.name, path);
                    if !is_home {
                        level.below.insert(path.clone(), k);
                    }
                }
                Variable {
                    name: level.name.clone(),
                    ..objects(original, flat, intent, &of)
                }
            }
        };
        let links = level.links.iter();
        let level = Level {
            ty: level.ty,
            pool: (level.pool)
                .filter(|_| level.from.is_some() || !by_value || plan.is_moved(id, v)),
            below: BTreeMap::new(),
            is_home,
            links: links
                .map(|(path, to)| (path.clone(), number[*to]))
                .collect(),
            own: VarId::new(next + k),
        };
        found.push((variable, level));
    }
    // A link may lead to a level further down the list, so links are noted when all levels are there.
    for k in 0..found.len() {
        let links: Vec<(String, usize)> = (found[k].1.links.iter())
            .map(|(path, to)| (joined(&found[k].0.name, path), *to))
            .collect();
        for (name, to) in links {
            let (home, level) = &mut found[to];
            if let Some(origin) = home.origin.as_mut().filter(|o| o.role == NameRole::Objects) {
                origin.links.push(name);
            } else {
                return Err(internal_error(&format!(
                    "no objects of {}",
                    level.ty.name()
                )));
            }
        }
    }
    Ok(found)
}

/// The name of a variable with fields behind it.
fn joined(name: &str, path: &[String]) -> String {
    let mut joined = name.to_owned();
    for field in path {
        joined.push('.');
        joined.push_str(field);
    }
    joined
}

/// The levels of a parameter, nearer ones first. Recursive records have one level, named by the first place that leads
/// there. Places in objects that are never used come last: no objects are made for pointers in them.
fn all_levels(
    plan: &Plan<'_>,
    root: Open,
    by_value: bool,
    names: &mut HashSet<String>,
) -> Result<Vec<Open>, Refused> {
    let recursive = plan.program.recursive_records();
    let mut homes: BTreeMap<RecordId, usize> = BTreeMap::new();
    if let Some(record) = root
        .ty
        .record()
        .filter(|r| !by_value && recursive.contains(r))
    {
        homes.insert(record, 0);
    }
    let mut all = vec![root];
    let (mut used, mut unused_ones) = (VecDeque::from([0]), VecDeque::new());
    while let Some(k) = used.pop_front().or_else(|| unused_ones.pop_front()) {
        let is_used = all[k].pool.is_some() || k == 0 && by_value;
        for (path, pointer) in pointers(plan.program, all[k].ty) {
            let ty = pointer.pointee();
            let class = all[k]
                .class
                .and_then(|class| plan.classes.pointee(class, pointer));
            let pool = class.filter(|_| is_used).and_then(|class| plan.pool(class));
            let home = ty.record().filter(|record| recursive.contains(record));
            if let Some(&to) = home.and_then(|record| homes.get(&record)) {
                if is_used && pool != all[to].pool {
                    return Err(internal_error(
                        "records that lead to their like in several pools",
                    ));
                }
                all[k].links.push((path, to));
                continue;
            }
            let next = all.len();
            if next == MOST {
                return Err(Refused::new(
                    format!(
                        "the program is entered with `{}`, from which pointers lead to more than {MOST} places",
                        all[0].name
                    ),
                    "enter it by a routine that takes arrays and makes the pointers",
                ));
            }
            let own = match path.is_empty() {
                true => format!("{}_elements", all[k].name),
                false => format!("{}_{}", all[k].name, path.join("_")),
            };
            if let Some(record) = home {
                homes.insert(record, next);
                all[k].links.push((path.clone(), next));
            }
            all.push(Open {
                name: fresh_name(own, names),
                ty,
                class,
                pool,
                from: Some((k, path)),
                is_home: home.is_some(),
                links: Vec::new(),
            });
            match pool {
                Some(_) => used.push_back(next),
                None => unused_ones.push_back(next),
            }
        }
    }
    Ok(all)
}

/// The pointers in a value of a type, with the fields on the way. Pointers to recursive records come last.
fn pointers(program: &Program, ty: ScalarType) -> Vec<(Vec<String>, PointerType)> {
    let leaves = program.leaves(ty).into_iter();
    let (mut found, mut within) = (Vec::new(), Vec::new());
    for leaf in leaves {
        let Some(pointer) = leaf.ty.pointer() else {
            continue;
        };
        let mut at = ty;
        let mut is_within = false;
        for field in &leaf.path {
            is_within |= at == pointer.pointee();
            let record = at.record().map(|r| program.record(r));
            at = record
                .and_then(|r| r.field(field))
                .map_or(at, |field| field.ty);
        }
        let path = leaf.path.iter().map(|&field| field.to_owned()).collect();
        match is_within {
            true => within.push((path, pointer)),
            false => found.push((path, pointer)),
        }
    }
    found.extend(within);
    found
}

/// The levels in preorder: behind each level the levels to which it leads, in the order of their places.
fn preorder(all: &[Open]) -> Vec<usize> {
    let mut below = vec![Vec::new(); all.len()];
    for (k, level) in all.iter().enumerate() {
        if let Some((above, _)) = level.from {
            below[above].push(k);
        }
    }
    let (mut order, mut open) = (Vec::new(), vec![0]);
    while let Some(k) = open.pop() {
        order.push(k);
        open.extend(below[k].iter().rev());
    }
    order
}

/// The parameter for the objects of the pointers stored under the name `of`; `from` is the parameter with these
/// pointers.
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

/// True if cells of a type in a pool, other than pointers, are assigned.
fn is_written(
    plan: &Plan<'_>,
    pool: Option<usize>,
    ty: ScalarType,
    written: &HashSet<GlobalId>,
) -> bool {
    let Some(pool) = pool else { return false };
    let arrays = &plan.pools[pool].arrays;
    let kinds = cells::cell_types(plan.program, ty);
    let numbers = kinds.iter().filter(|ty| ty.pointer().is_none());
    let mut arrays = numbers.filter_map(|&ty| arrays.get(&Kind::from_type(ty)));
    arrays.any(|g| written.contains(g))
}

/// Records with integers in place of pointers, and records without pointers.
#[derive(Default)]
pub(super) struct FlatRecords {
    of: BTreeMap<RecordId, RecordId>,
    numbers: BTreeMap<RecordId, RecordId>,
    pub(super) made: Vec<Record>,
}

impl FlatRecords {
    /// The type with integers in place of pointers. Recursion is over the nesting of records, which validation limits.
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
            name: fresh_name(name, &mut taken),
            fields,
        });
        RecordId::new(plan.records.len() + self.made.len() - 1)
    }
}
