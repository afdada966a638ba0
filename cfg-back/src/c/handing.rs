//! The fields of structures that callers pass, as arguments of a function with a parameter for each.

use super::{
    Failed,
    adapter::{Adapter, Taken},
    codes,
    operators::c_type::c_type,
    parameters::{Given, Passed, is_optional},
    structs::Leaf,
};
use cfg_core::{
    diagnostic::Diagnostic,
    entity::VarId,
    ir::{ParameterRole, Routine, ScalarType, Variable},
};
use std::{fmt::Write as _, rc::Rc};

/// A record that a caller has passed.
struct Record {
    /// The name of the pointer.
    name: String,
    /// True if the caller has it for reading.
    constant: bool,
    /// True if it may be null.
    may_be_null: bool,
    /// True if it is 0, and what is written to it dropped, where it is null.
    or_zeros: bool,
    /// The number of elements, of an array of records.
    elements: Option<String>,
    /// The number of directions: each element stands so often, one for each direction.
    directions: Option<String>,
}

impl Adapter<'_> {
    /// The argument for the record, or the array of records, that has this role.
    pub(super) fn structure(
        &mut self,
        role: fn(VarId) -> ParameterRole,
        v: VarId,
        taken: &Taken<'_>,
    ) -> Result<String, Failed> {
        let (passed, ty) = self.passed_record(role(v), v)?;
        let mut name = passed.name.clone();
        let variable = self.interface.routine.variable(v);
        if passed.or_zeros && variable.rank() > 0 {
            let Some(count) = self.interface.elements(v) else {
                return Err(refused(
                    self.interface.routine,
                    variable,
                    "its extents are computed",
                ));
            };
            name = match &*count {
                "1" => self.or_zero(&name, &ty),
                _ => self.or_zeros(&name, &ty, &count),
            };
        } else if taken.writes && passed.constant {
            // A function that only reads an argument may hand it on to one that writes it.
            name = format!("({ty} *){name}");
        }
        Ok(name)
    }

    /// The record that has this role, and its type.
    fn passed_record(&mut self, role: ParameterRole, v: VarId) -> Result<(Record, String), Failed> {
        let interface = &mut self.interface;
        let (routine, variable) = (interface.routine, interface.routine.variable(v));
        let (Some(structs), Some(record), Some(item)) = (
            &interface.file.structs,
            variable.ty.record(),
            interface.position(role),
        ) else {
            return Err(refused(routine, variable, "it is no record"));
        };
        let item = &interface.items[item];
        let (name, constant) = (item.name.clone(), item.passed == Passed::Constant);
        let optional = is_optional(variable);
        let or_zeros = item.given == Given::OrNull && !optional;
        let is_derivative = !matches!(role, ParameterRole::Primal(_));
        let ty = structs.type_of(record);
        let mut passed = Record {
            name,
            constant,
            may_be_null: optional || is_derivative && !or_zeros,
            or_zeros,
            elements: None,
            directions: self.directions.clone().filter(|_| is_derivative),
        };
        if or_zeros && variable.rank() == 0 && passed.directions.is_none() {
            passed.name = self.or_zero(&passed.name, &ty);
            passed.constant = false;
        }
        Ok((passed, ty))
    }

    /// The argument for a leaf of the record that has this role.
    pub(super) fn record(
        &mut self,
        role: fn(VarId) -> ParameterRole,
        v: VarId,
        leaf: usize,
        taken: &Taken<'_>,
    ) -> Result<String, Failed> {
        let (mut passed, _) = self.passed_record(role(v), v)?;
        let interface = &mut self.interface;
        let (routine, variable) = (interface.routine, interface.routine.variable(v));
        let (Some(structs), Some(record)) = (&interface.file.structs, variable.ty.record()) else {
            return Err(refused(routine, variable, "it is no record"));
        };
        let known = self.leaves.entry(record);
        let leaves = Rc::clone(known.or_insert_with(|| structs.leaves(record).into()));
        let Some(leaf) = leaves.get(leaf) else {
            return Err(refused(routine, variable, "it has no such field"));
        };
        let mut elements = self.sizes.get(&v).cloned();
        if variable.rank() > 0 && elements.is_none() {
            let Some(count) = interface.elements(v) else {
                return Err(refused(routine, variable, "its extents are computed"));
            };
            let name = interface.item(role(v)).map_or("", |item| &item.name);
            let size = format!("{name}_count");
            let size = interface.fresh(&size);
            self.copies += &format!("const int64_t {size} = {count};\n");
            self.sizes.insert(v, size.clone());
            elements = Some(size);
        }
        let one = || passed.directions.as_ref().map(|_| "1".to_owned());
        passed.elements = elements.or_else(one);
        let mut around = leaf.path.iter().rev().skip(1);
        let has_gaps = around.any(|(_, extents)| !extents.is_empty());
        Ok(match passed.elements.is_some() || has_gaps {
            true => self.copied(&passed, leaf, taken.writes),
            false => in_place(&passed, leaf, taken),
        })
    }

    /// A pointer to so many records in place of one that may be null.
    fn or_zeros(&mut self, name: &str, ty: &str, count: &str) -> String {
        let here = self.interface.fresh(&format!("{name}_here"));
        let k = self
            .counter
            .get_or_insert_with(|| self.interface.fresh("k"));
        let (work, status) = (&self.work, &self.status);
        self.may_fail = true;
        self.copies += &format!(
            "{ty} *{here} = ({ty} *){name};\n\
             if (!{here}) {{\n    \
                 {here} = cfgrev_allocate(&{work}->work, {count}, sizeof *{here});\n    \
                 if (!{here})\n        \
                     {status} = 1;\n    \
                 for (int64_t {k} = 0; {here} && {k} < {count}; ++{k})\n        \
                     {here}[{k}] = ({ty}){{0}};\n\
             }}\n"
        );
        here
    }

    /// A pointer to a record in place of one that may be null.
    fn or_zero(&mut self, name: &str, ty: &str) -> String {
        if let Some(here) = self.zeros.get(name) {
            return here.clone();
        }
        let fresh = |what| self.interface.fresh(&format!("{name}_{what}"));
        let [none, here] = ["none", "here"].map(fresh);
        self.copies += &format!(
            "{ty} {none} = {{0}};\n\
             {ty} *const {here} = {name} ? ({ty} *){name} : &{none};\n"
        );
        self.zeros.insert(name.to_owned(), here.clone());
        here
    }

    /// An array in place of a leaf whose elements do not lie next to each other: it is copied, and back behind the
    /// call.
    fn copied(&mut self, passed: &Record, leaf: &Leaf, writes: bool) -> String {
        let Record { name, elements, .. } = passed;
        let or_zeros = passed.or_zeros && elements.is_some();
        let members: Vec<&str> = leaf.path.iter().map(|(m, _)| &**m).collect();
        let here = (self.interface).fresh(&format!("{name}_{}", members.join("_")));
        let k = self
            .counter
            .get_or_insert_with(|| self.interface.fresh("k"));
        let inner = leaf.elements();
        let (mut count, mut place) = match elements {
            Some(n) if inner == 1 => (n.clone(), format!("{name}[{k}]")),
            Some(n) => (format!("{n} * {inner}"), format!("{name}[{k} / {inner}]")),
            None => (inner.to_string(), format!("(*{name})")),
        };
        // In several directions, the values of one member lie next to each other here, and the structures there.
        let mut at = k.clone();
        if let Some(nd) = &passed.directions {
            count = format!("{count} * (int64_t){nd}");
            at = format!("({k} / {nd})");
            if inner != 1 {
                place = format!("{name}[{at} / {inner} * {nd} + {k} % {nd}]");
            }
        }
        place += &leaf.members(&at);
        let ty = c_type(leaf.ty);
        let (mut to, [mut read, mut written]) =
            (format!("{here}[{k}]"), [place.clone(), place.clone()]);
        if leaf.ty == ScalarType::Logical {
            // Logicals that were never set are no values.
            to = format!("((unsigned char *){here})[{k}]");
            [read, written] =
                ["const unsigned char", "unsigned char"].map(|ty| format!("*({ty} *)&{place}"));
        }
        if or_zeros {
            read = format!("{name} ? {read} : 0");
        }
        let (work, status) = (&self.work, &self.status);
        self.may_fail = true;
        let mut given = format!("cfgrev_allocate(&{work}->work, {count}, sizeof *{here})");
        let mut missing = format!("!{here}");
        if passed.may_be_null {
            given = format!("{name} ? {given} : NULL");
            missing = format!("{name} && {missing}");
        }
        self.copies += &format!(
            "{ty} *const {here} = {given};\n\
             if ({missing})\n    {status} = 1;\n\
             for (int64_t {k} = 0; {here} && {k} < {count}; ++{k})\n    {to} = {read};\n"
        );
        if writes {
            let given = if or_zeros { name } else { &here };
            self.after += &format!(
                "for (int64_t {k} = 0; !{status} && {given} && {k} < {count}; ++{k})\n    \
                 {written} = {to};\n"
            );
        }
        here
    }
}

/// The argument for a leaf that is passed where it is.
fn in_place(passed: &Record, leaf: &Leaf, taken: &Taken<'_>) -> String {
    let name = &passed.name;
    let (mut place, mut array) = (format!("{name}->"), false);
    for (k, (member, extents)) in leaf.path.iter().enumerate() {
        let dot = if k > 0 { "." } else { "" };
        let _ = write!(place, "{dot}{member}");
        array = !extents.is_empty();
        extents.iter().for_each(|_| place.push_str("[0]"));
    }
    let by_value = taken.by_value && !array;
    let sign = if by_value { "" } else { "&" };
    // A record that the caller has for reading may be handed on to a function that writes its fields.
    let cast = match taken.writes && passed.constant {
        true => format!("({} *)", c_type(leaf.ty)),
        false => String::new(),
    };
    match (passed.may_be_null, by_value) {
        (false, _) => format!("{cast}{sign}{place}"),
        (true, true) => format!("{name} ? {cast}{sign}{place} : 0"),
        (true, false) => format!("{name} ? {cast}{sign}{place} : NULL"),
    }
}

/// A problem with a variable that callers pass as a structure.
pub(super) fn refused(routine: &Routine, variable: &Variable, why: &str) -> Failed {
    let (name, variable) = (&routine.name, &variable.name);
    let message = format!("`{variable}` of `{name}` cannot be passed as a structure: {why}");
    let code = &codes::RECORDS;
    Box::new(Diagnostic::error(code, message, code.explanation))
}
