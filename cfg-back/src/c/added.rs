//! Adjoints to which a function only adds, those of parameters that are only read: callers may give cells in common,
//! and get the sum.
//!
//! The generated routine takes these cells to be apart, so the function first compares what it is given. Where cells
//! are shared, it calls itself with zeros in place of such adjoints, and adds what they become to what was given. An
//! adjoint of a value is compared with all other derivatives, because its parameter has no cells. The adjoint of what
//! a pointer leads to is compared only in a routine that is not `aliased`: in others it may share the cells that its
//! parameter shares, and is added to in place.

use super::{
    adapter::Session,
    file::File,
    parameters::{Interface, Item, Passed},
    structs::Leaf,
    variable::zero,
};
use cfg_core::ir::{ParameterRole, ScalarType};
use std::collections::{BTreeMap, BTreeSet};

/// Cells that a caller gives for a derivative.
struct Given {
    /// The position among the parameters.
    item: usize,
    /// The number of elements.
    count: String,
    /// The types of reals in them.
    types: BTreeSet<ScalarType>,
    /// True of the tangent of what is not independent, which the function does not read.
    is_left: bool,
    /// True if zeros can stand in its place.
    replaced: bool,
}

impl Interface<'_> {
    /// The lines that stand first in a function that has adjoints which may share cells; `count` is the number of
    /// directions, `call` the call of the function with these names for parameters.
    pub(super) fn shared_adjoints(
        &mut self,
        session: &Session,
        count: Option<&str>,
        call: impl Fn(&[String]) -> String,
    ) -> Option<String> {
        let all = self.compared(count);
        let first = all.iter().position(|given| given.replaced)?;
        if all.len() < 2 {
            return None;
        }
        let [cells, failed, k] = ["cells", "failed", "k"].map(|name| self.fresh(name));
        let size = |given: &Given| {
            let name = &self.items[given.item].name;
            match &*given.count {
                "1" => format!("{{{name}, sizeof *{name}}}"),
                count => format!("{{{name}, (size_t)({count}) * sizeof *{name}}}"),
            }
        };
        let sizes: Vec<String> = all.iter().map(size).collect();
        let mut arguments: Vec<String> = self.items.iter().map(|item| item.name.clone()).collect();
        let (mut begin, mut add) = (String::new(), String::new());
        let mut found = Vec::new();
        for given in all.iter().filter(|given| given.replaced) {
            let name = arguments[given.item].clone();
            let (own, ty) = (
                self.fresh(&format!("{name}_own")),
                self.items[given.item].ty,
            );
            let (text, count) = (self.file.type_of(ty), &given.count);
            // A number needs no memory.
            let is_number = ty.is_real() && count == "1";
            begin += &match is_number {
                true => format!("{text} {own} = {};\n", zero(ty)),
                false => {
                    format!("{text} *const {own} = calloc((size_t)({count}) + 1, sizeof *{own});\n")
                }
            };
            for leaf in leaves(self.file, ty) {
                let (inner, members) = (leaf.elements(), leaf.members(&k));
                let (at, count) = match inner {
                    1 => (k.clone(), count.clone()),
                    _ => (format!("{k} / {inner}"), format!("{count} * {inner}")),
                };
                let [to, from] = match is_number {
                    true => [format!("*{name}"), own.clone()],
                    false => [&name, &own].map(|name| format!("{name}[{at}]{members}")),
                };
                let each = |condition: &str, statement: &str| match is_number {
                    true => format!("if ({condition}{name})\n    {statement};\n"),
                    false => format!(
                        "for (int64_t {k} = 0; {condition}{name} && {k} < {count}; ++{k})\n    \
                             {statement};\n"
                    ),
                };
                if given.is_left {
                    begin += &each("", &format!("{to} = 0"));
                }
                add += &each(&format!("!{failed} && "), &format!("{to} += {from}"));
            }
            let mut address = format!("&{own}");
            if !is_number {
                add += &format!("free({own});\n");
                address.clone_from(&own);
                found.push(own);
            }
            arguments[given.item] = format!("{name} ? {address} : NULL");
        }
        let call = call(&arguments);
        let called = match found.is_empty() {
            true => format!("const int {failed} = {call};\n"),
            false => format!(
                "int {failed} = 1;\n\
                 if ({}) {{\n    \
                     {failed} = {call};\n\
                 }} else {{\n\
                 {}}}\n",
                found.join(" && "),
                indented(&session.leave("\"out of memory\"")),
            ),
        };
        Some(format!(
            "const struct cfgrev_cells {cells}[] = {{{}}};\n\
             if (cfgrev_shared({cells}, {}, {})) {{\n\
             {}}}\n",
            sizes.join(", "),
            first.max(1),
            all.len(),
            indented(&format!("{begin}{called}{add}return {failed};\n")),
        ))
    }

    /// The cells to compare, those that zeros can replace last. Extents that are computed are not known here.
    fn compared(&self, count: Option<&str>) -> Vec<Given> {
        let program = self.file.program_for_callers();
        let by_value = |item: &Item| item.sum == Some(Passed::Value);
        let has_values = self.items.iter().any(by_value);
        let mut all = Vec::new();
        for (k, item) in self.items.iter().enumerate() {
            let replaced = by_value(item) || item.sum.is_some() && !self.routine.aliased;
            let compared = replaced || has_values && item.is_derivative;
            let Some(role) = item.role().filter(|_| compared && item.is_updated()) else {
                continue;
            };
            let (v, is_derivative) = match role {
                ParameterRole::Primal(v) => (v, false),
                ParameterRole::Adjoint(v) | ParameterRole::Tangent(v) => (v, true),
                ParameterRole::Tape | ParameterRole::Own(_) => continue,
            };
            let Some(mut elements) = self.elements(v) else {
                continue;
            };
            if let Some(nd) = count.filter(|_| is_derivative) {
                elements = format!("{elements} * (int64_t){nd}");
            }
            let types = program.leaves(item.ty).into_iter().map(|leaf| leaf.ty);
            let types: BTreeSet<ScalarType> = types.filter(|ty| ty.is_real()).collect();
            all.push(Given {
                item: k,
                count: elements,
                types,
                is_left: matches!(role, ParameterRole::Tangent(_))
                    && !self.routine.independents.contains(&v),
                replaced,
            });
        }
        all.sort_by_key(|given| given.replaced);
        // Only cells of one type can be the same, and one of two is replaced.
        let mut counts: BTreeMap<ScalarType, [usize; 2]> = BTreeMap::new();
        for given in &all {
            for &ty in &given.types {
                let [numbers, replaced] = counts.entry(ty).or_default();
                *numbers += 1;
                *replaced += usize::from(given.replaced);
            }
        }
        let is_met = |ty: &ScalarType| counts.get(ty).is_some_and(|&[all, of]| all > 1 && of > 0);
        all.retain(|given| given.types.iter().any(is_met));
        all
    }
}

/// The lines, one level deeper.
fn indented(lines: &str) -> String {
    lines.lines().map(|line| format!("    {line}\n")).collect()
}

/// The numbers in a scalar or a record that are real.
fn leaves(file: &File<'_>, ty: ScalarType) -> Vec<Leaf> {
    let leaves = match (ty.record(), &file.structs) {
        (Some(record), Some(structs)) => structs.leaves(record),
        (Some(_) | None, _) => vec![Leaf {
            ty,
            path: Vec::new(),
            records: Vec::new(),
        }],
    };
    leaves
        .into_iter()
        .filter(|leaf| leaf.ty.is_real())
        .collect()
}
