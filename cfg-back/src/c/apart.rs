//! Cells of callers that are told apart, because each has a derivative of its own or is copied: one cell must not be
//! both.

use super::{
    Failed, GlobalNames,
    adapter::Adapter,
    handing::refused,
    parameters::{Interface, Passed},
};
use cfg_core::{
    entity::VarId,
    ir::{Intent, ParameterRole, Role, ScalarType, visit::each_written},
};
use std::collections::{BTreeMap, HashSet};

/// Cells of a caller: the pointer to the first one, and their size.
struct Span {
    pointer: String,
    size: String,
}

impl Span {
    /// The conditions under which cells are shared.
    fn meets(&self, other: &Self) -> [String; 2] {
        let begins_before_end = |a: &Self, b: &Self| {
            let (first, last, size) = (&a.pointer, &b.pointer, &b.size);
            format!("(uintptr_t){first} < (uintptr_t){last} + {size}")
        };
        [
            begins_before_end(self, other),
            begins_before_end(other, self),
        ]
    }
}

impl Interface<'_> {
    /// The cells that a caller passes for a variable; `None` if its extents are computed, or it is a value.
    fn span(&mut self, v: VarId) -> Option<Span> {
        let count = self.elements(v)?;
        let item = self.item(ParameterRole::Primal(v))?;
        let pointer = item.name.clone();
        (item.passed != Passed::Value).then(|| Span {
            size: format!("(size_t)({count}) * sizeof *{pointer}"),
            pointer,
        })
    }

    /// The conditions under which a pointer that is passed for a parameter, which stands beside each, leads into a
    /// variable of another file, and one of the two is written. Extents that are computed are not known here.
    pub(super) fn met_globals(&mut self, globals: &GlobalNames) -> Vec<(VarId, String)> {
        let external = &globals.variables.external;
        let mut met = Vec::new();
        if external.is_empty() {
            return met;
        }
        let (file, mut written) = (self.file, HashSet::new());
        for routine in &file.program.routines {
            for statement in routine.statements() {
                each_written(file.program, statement, &mut |v| {
                    if let Role::Global(g) = routine.variable(v).role {
                        let owner = file.program.storage(g).0;
                        written.extend(external.get(&owner).map(|e| &*e.name));
                    }
                });
            }
        }
        let mut types: BTreeMap<&str, Vec<ScalarType>> = BTreeMap::new();
        for (g, external) in external {
            let ty = file.program.global(*g).variable.ty;
            types.entry(&external.name).or_default().push(ty);
        }
        for p in self.routine.parameter_ids() {
            let variable = self.routine.variable(p);
            let writes = variable.intent().is_some_and(Intent::writes);
            if variable.rank() == 0 && !writes {
                continue;
            }
            let leaves = file.program_for_callers().leaves(variable.ty);
            for (&name, types) in &types {
                let meets = leaves.iter().any(|leaf| types.contains(&leaf.ty));
                if !meets || !writes && !written.contains(name) {
                    continue;
                }
                let Some(given) = self.span(p) else {
                    break;
                };
                let global = Span {
                    pointer: format!("&{name}"),
                    size: format!("sizeof {name}"),
                };
                let meets = given.meets(&global).join(" && ");
                met.push((p, format!("{} && {meets}", given.pointer)));
            }
        }
        met
    }

    /// Whether a parameter that is not independent overlaps, where parameters may, with one whose tangent it can have:
    /// of one that is only read those that are written, of others the independents. `None` if extents are computed.
    pub(super) fn met(&mut self, v: VarId) -> Option<String> {
        let routine = self.routine;
        let reads = routine.variable(v).intent() == Some(Intent::In);
        let others = routine.parameter_ids().filter(|&q| {
            let variable = routine.variable(q);
            let writes = variable.intent().is_some_and(Intent::writes);
            let wanted = match reads {
                true => writes,
                false => routine.independents.contains(&q),
            };
            q != v && wanted && (variable.rank() > 0 || writes) && !variable.ty.is_tape()
        });
        let own = self.span(v)?;
        let mut met = Vec::new();
        for other in others {
            met.push(format!("({})", own.meets(&self.span(other)?).join(" && ")));
        }
        Some(match met.is_empty() {
            true => "0".to_owned(),
            false => met.join(" || "),
        })
    }
}

impl Adapter<'_> {
    /// Where parameters may overlap, status 4 for arrays of records that do with something else: they are copied, so
    /// that what is written to the one would not be seen in the other. Comes behind all fields.
    pub(super) fn keep_apart(&mut self) -> Result<(), Failed> {
        let routine = self.interface.routine;
        if !routine.aliased || self.sizes.is_empty() {
            return Ok(());
        }
        let roles: [fn(VarId) -> ParameterRole; 3] = [
            ParameterRole::Primal,
            ParameterRole::Adjoint,
            ParameterRole::Tangent,
        ];
        for role in roles {
            // The pointers to arrays of records first.
            let (mut all, mut others) = (Vec::new(), Vec::new());
            for v in routine.parameter_ids().chain(routine.result) {
                let item = self.interface.item(role(v));
                let Some(item) = item.filter(|item| item.passed != Passed::Value) else {
                    continue;
                };
                let pointer = item.name.clone();
                let variable = routine.variable(v);
                let copied = self.sizes.get(&v).cloned();
                let kind = if copied.is_some() {
                    &mut all
                } else {
                    &mut others
                };
                let count = match variable.rank() {
                    0 => String::new(),
                    _ => {
                        let Some(count) = copied.or_else(|| self.interface.elements(v)) else {
                            let why = "its extents are computed, and it may overlap with an array of structures";
                            return Err(refused(routine, variable, why));
                        };
                        format!("(size_t)({count}) * ")
                    }
                };
                let size = format!("{count}sizeof *{pointer}");
                kind.push(Span { pointer, size });
            }
            let number = all.len();
            all.extend(others);
            for (k, span) in all.iter().enumerate().take(number) {
                for other in &all[k + 1..] {
                    self.may_fail = true;
                    let [one, two] = span.meets(other);
                    self.copies += &format!(
                        "if ({} && {}\n    && {one}\n    && {two})\n    {} = 4;\n",
                        span.pointer, other.pointer, self.status
                    );
                }
            }
        }
        Ok(())
    }
}
