//! The fields of structures that callers pass, as arguments of a function with a parameter for each.

use super::{
    Failed, codes,
    file::File,
    operators::c_type::c_type,
    parameters::{Given, Interface, Passed},
    structs::Leaf,
};
use cfg_core::{
    diagnostic::Diagnostic,
    entity::{RecordId, RoutineId, VarId},
    ir::{ParameterRole, Role, Routine, ScalarType, Variable},
};
use std::{collections::HashMap, fmt::Write as _, rc::Rc};

/// A record that a caller has passed.
struct Record<'t> {
    /// The name of the pointer.
    name: &'t str,
    /// True if the caller has it for reading.
    constant: bool,
    /// True if it may be null.
    may_be_null: bool,
    /// True if it is 0, and what is written to it dropped, where it is null.
    or_zeros: bool,
    /// The number of elements, of an array of records.
    elements: Option<&'t str>,
}

/// What takes the leaf of a record.
pub(super) struct Taker {
    pub(super) by_value: bool,
    /// The routine writes it.
    pub(super) writes: bool,
}

/// What hands the leaves of records on to a function with a parameter for each.
pub(super) struct Handing {
    leaves: HashMap<RecordId, Rc<[Leaf]>>,
    /// The variables that have the numbers of elements of arrays of records.
    sizes: HashMap<VarId, String>,
    /// Pointers to records that are 0 where what is given is null, by the names of what is given.
    zeros: HashMap<String, String>,
    /// What has the memory for copies, and the variable for the status.
    work: String,
    status: String,
    /// The name of the variable that counts elements.
    counter: Option<String>,
    /// What stands before the call, and behind it.
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
    /// True if there may be no memory.
    pub(super) may_fail: bool,
}

impl Handing {
    /// The argument for a leaf of the record that the item at this position of an interface of a routine is.
    pub(super) fn record(
        &mut self,
        file: &File<'_>,
        interface: &mut Interface,
        (routine, v, item): (RoutineId, VarId, usize),
        is_derivative: bool,
        leaf: usize,
        taker: &Taker,
    ) -> Result<String, Failed> {
        let outside = file.outside().routine(routine);
        let variable = outside.variable(v);
        let (Some(structs), Some(record)) = (&file.structs, variable.ty.record()) else {
            return Err(refused(outside, variable, "it is no record"));
        };
        let optional = matches!(variable.role, Role::Parameter { optional: true, .. });
        let item = &mut interface.items[item];
        item.used = true;
        let mut name = item.name.clone();
        let mut constant = item.passed == Passed::Constant;
        let or_zeros = item.given == Given::OrNull && !optional;
        let known = self.leaves.entry(record);
        let leaves = Rc::clone(known.or_insert_with(|| structs.leaves(record).into()));
        let Some(leaf) = leaves.get(leaf) else {
            return Err(refused(outside, variable, "it has no such field"));
        };
        let mut elements = None;
        if variable.rank() > 0 {
            if !self.sizes.contains_key(&v) {
                let Some(count) = interface.elements(file, routine, v) else {
                    return Err(refused(outside, variable, "its extents are computed"));
                };
                let size = interface
                    .names
                    .fresh(&format!("{name}_count"), Some(&file.names));
                self.before.push(format!("const int64_t {size} = {count};"));
                self.sizes.insert(v, size);
            }
            elements = self.sizes.get(&v).cloned();
        }
        if or_zeros && elements.is_none() {
            name = self.or_zeros(&name, &structs.type_of(record), file, interface);
            constant = false;
        }
        let passed = Record {
            name: &name,
            constant,
            may_be_null: optional || is_derivative && !or_zeros,
            or_zeros,
            elements: elements.as_deref(),
        };
        let mut fresh = |wanted: &str| interface.names.fresh(wanted, Some(&file.names));
        Ok(self.leaf(&passed, leaf, taker, &mut fresh))
    }

    /// A pointer to a record in place of one that may be null.
    fn or_zeros(
        &mut self,
        name: &str,
        ty: &str,
        file: &File<'_>,
        interface: &mut Interface,
    ) -> String {
        if let Some(here) = self.zeros.get(name) {
            return here.clone();
        }
        let mut fresh = |what: &str| {
            let wanted = format!("{name}_{what}");
            interface.names.fresh(&wanted, Some(&file.names))
        };
        let [none, here] = ["none", "here"].map(&mut fresh);
        self.before.extend([
            format!("{ty} {none} = {{0}};"),
            format!("{ty} *const {here} = {name} ? ({ty} *){name} : &{none};"),
        ]);
        self.zeros.insert(name.to_owned(), here.clone());
        here
    }

    /// Where parameters may overlap, status 4 for arrays of records that do with something else: they are copied, so that what is written
    /// to the one would not be seen in the other. Comes behind all calls of [`Self::record`].
    pub(super) fn apart(
        &mut self,
        file: &File<'_>,
        interface: &mut Interface,
        routine: RoutineId,
    ) -> Result<(), Failed> {
        let outside = file.outside().routine(routine);
        if !outside.aliased || self.sizes.is_empty() {
            return Ok(());
        }
        let roles: [fn(VarId) -> ParameterRole; 3] = [
            ParameterRole::Primal,
            ParameterRole::Adjoint,
            ParameterRole::Tangent,
        ];
        for role in roles {
            // The pointers, with the bytes behind them, those to arrays of records first.
            let (mut copied, mut others) = (Vec::new(), Vec::new());
            for v in outside.parameter_ids().chain(outside.result) {
                let Some(&item) = interface.of_role.get(&role(v)) else {
                    continue;
                };
                let item = &interface.items[item];
                if item.passed == Passed::Value {
                    continue;
                }
                let name = item.name.clone();
                let variable = outside.variable(v);
                if let Some(count) = self.sizes.get(&v) {
                    copied.push((format!("{count} * sizeof *{name}"), name));
                } else if variable.rank() == 0 {
                    others.push((format!("sizeof *{name}"), name));
                } else {
                    let Some(count) = interface.elements(file, routine, v) else {
                        let why = "its extents are computed, and it may overlap with an array of structures";
                        return Err(refused(outside, variable, why));
                    };
                    others.push((format!("{count} * sizeof *{name}"), name));
                }
            }
            let number = copied.len();
            copied.extend(others);
            for (k, (size, name)) in copied.iter().enumerate().take(number) {
                for (other_size, other) in &copied[k + 1..] {
                    self.may_fail = true;
                    self.before.extend([
                        format!("if ({name} && {other}"),
                        format!("    && (uintptr_t){name} < (uintptr_t){other} + {other_size}"),
                        format!("    && (uintptr_t){other} < (uintptr_t){name} + {size})"),
                        format!("    {} = 4;", self.status),
                    ]);
                }
            }
        }
        Ok(())
    }

    pub(super) fn new(work: &str, status: &str) -> Self {
        Self {
            leaves: HashMap::new(),
            sizes: HashMap::new(),
            zeros: HashMap::new(),
            work: work.to_owned(),
            status: status.to_owned(),
            counter: None,
            before: Vec::new(),
            after: Vec::new(),
            may_fail: false,
        }
    }

    /// The argument for a leaf. One whose elements do not lie next to each other is copied to an array, and back behind the call.
    fn leaf(
        &mut self,
        passed: &Record<'_>,
        leaf: &Leaf,
        taker: &Taker,
        fresh: &mut impl FnMut(&str) -> String,
    ) -> String {
        let mut around = leaf.path.iter().rev().skip(1);
        if passed.elements.is_some() || around.any(|(_, extents)| !extents.is_empty()) {
            return self.copied(passed, leaf, taker, fresh);
        }
        let name = passed.name;
        let (mut place, mut array) = (format!("{name}->"), false);
        for (k, (member, extents)) in leaf.path.iter().enumerate() {
            let dot = if k > 0 { "." } else { "" };
            let _ = write!(place, "{dot}{member}");
            array = !extents.is_empty();
            extents.iter().for_each(|_| place.push_str("[0]"));
        }
        let ty = c_type(leaf.ty);
        let by_value = taker.by_value && !array;
        let text = if by_value { place } else { format!("&{place}") };
        // What the caller has for reading may be handed on to what writes what it has read.
        let text = match taker.writes && passed.constant {
            true => format!("({ty} *){text}"),
            false => text,
        };
        match (passed.may_be_null, by_value) {
            (false, _) => text,
            (true, true) => format!("{name} ? {text} : 0"),
            (true, false) => format!("{name} ? {text} : NULL"),
        }
    }

    fn copied(
        &mut self,
        passed: &Record<'_>,
        leaf: &Leaf,
        taker: &Taker,
        fresh: &mut impl FnMut(&str) -> String,
    ) -> String {
        let Record {
            name,
            elements,
            or_zeros,
            ..
        } = *passed;
        let or_zeros = or_zeros && elements.is_some();
        let members: Vec<&str> = leaf.path.iter().map(|(m, _)| &**m).collect();
        let here = fresh(&format!("{name}_{}", members.join("_")));
        let k = self.counter.get_or_insert_with(|| fresh("k")).clone();
        let inner: usize = leaf.path.iter().flat_map(|(_, extents)| extents).product();
        let count = match elements {
            Some(n) if inner == 1 => n.to_owned(),
            Some(n) => format!("{n} * {inner}"),
            None => inner.to_string(),
        };
        // The elements are counted through; the last dimension varies fastest.
        let mut step = inner;
        let mut place = match elements {
            Some(_) if inner == 1 => format!("{name}[{k}]"),
            Some(_) => format!("{name}[{k} / {inner}]"),
            None => format!("(*{name})"),
        };
        for (member, extents) in &leaf.path {
            let _ = write!(place, ".{member}");
            for &extent in extents {
                let around = step;
                step /= extent.max(1);
                let _ = match (around, step) {
                    (_, 1) => write!(place, "[{k} % {around}]"),
                    _ => write!(place, "[{k} % {around} / {step}]"),
                };
            }
        }
        let ty = c_type(leaf.ty);
        // Logicals that were never set are no values.
        let logical = leaf.ty == ScalarType::Logical;
        let to = match logical {
            true => format!("((unsigned char *){here})[{k}]"),
            false => format!("{here}[{k}]"),
        };
        let [read, written] = match logical {
            true => ["const unsigned char", "unsigned char"].map(|ty| format!("*({ty} *)&{place}")),
            false => [place.clone(), place],
        };
        let (work, status) = (&self.work, &self.status);
        self.may_fail = true;
        let given = match passed.may_be_null {
            true => {
                format!("{name} ? cfgrev_allocate(&{work}->work, {count}, sizeof *{here}) : NULL")
            }
            false => format!("cfgrev_allocate(&{work}->work, {count}, sizeof *{here})"),
        };
        let missing = match passed.may_be_null {
            true => format!("{name} && !{here}"),
            false => format!("!{here}"),
        };
        let each = format!("for (int64_t {k} = 0; {here} && {k} < {count}; ++{k})");
        let read = match or_zeros {
            true => format!("{name} ? {read} : 0"),
            false => read,
        };
        self.before.extend([
            format!("{ty} *const {here} = {given};"),
            format!("if ({missing})"),
            format!("    {status} = 1;"),
            each.clone(),
            format!("    {to} = {read};"),
        ]);
        if taker.writes {
            let given = if or_zeros { name } else { &here };
            let each =
                format!("for (int64_t {k} = 0; !{status} && {given} && {k} < {count}; ++{k})");
            self.after.extend([each, format!("    {written} = {to};")]);
        }
        here
    }
}

fn refused(routine: &Routine, variable: &Variable, why: &str) -> Failed {
    let (name, variable) = (&routine.name, &variable.name);
    let message = format!("`{variable}` of `{name}` cannot be passed as a structure: {why}");
    Box::new(Diagnostic::error(
        &codes::RECORDS,
        message,
        codes::RECORDS.explanation,
    ))
}
