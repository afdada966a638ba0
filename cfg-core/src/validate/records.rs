//! The rules of record types, and of the uses of records.

use super::{
    checker::{At, Checker},
    program::check_names,
};
use crate::{
    codes,
    diagnostic::{
        CodeInfo, Diagnostic, Diagnostics,
        site::{Element, Part, Site},
    },
    entity::{GlobalId, RecordId, VarId},
    ir::{Extent, Order, Program, Record, Role, ScalarType},
    text::{self, Name},
};
use std::collections::HashSet;

/// Checks the record types of a program.
pub(super) fn check(program: &Program, out: &mut Diagnostics) {
    let mut check = Check { program, out };
    let records = program.records.iter().map(|r| r.name.as_str());
    for (i, problem) in check_names(records, "record") {
        check.push(
            Element::Record(RecordId::new(i), None),
            Some(Part::Name),
            problem,
        );
    }
    for i in 0..program.records.len() {
        check.fields(RecordId::new(i));
    }
    check.sizes();
    check.dotted_globals();
}

struct Check<'a> {
    program: &'a Program,
    out: &'a mut Diagnostics,
}

impl Check<'_> {
    fn push(&mut self, element: Element, part: Option<Part>, problem: Diagnostic) {
        let site = Site {
            part,
            ..Site::local(element)
        };
        let element = text::site_text(self.program, &site);
        let problem = problem.at_site_in(self.program, site);
        self.out.push(problem.at_element(element));
    }

    fn error(
        &mut self,
        element: Element,
        part: Option<Part>,
        info: &CodeInfo,
        message: String,
        help: &str,
    ) {
        self.push(element, part, Diagnostic::error(info, message, help));
    }

    /// Reports globals with a name, such as `p.x`, that a field of another global gets when records are split.
    fn dotted_globals(&mut self) {
        if self.program.records.is_empty() {
            return;
        }
        let globals = self.program.globals.iter().map(|g| &g.variable);
        let records = globals.clone().filter(|v| v.ty.record().is_some());
        let records: HashSet<&str> = records.map(|v| v.name.as_str()).collect();
        for (i, variable) in globals.enumerate() {
            if let Some(record) = called_like_a_field(&variable.name, &records) {
                let element = Element::Global(GlobalId::new(i));
                self.push(element, Some(Part::Name), dotted(&variable.name, record));
            }
        }
    }

    fn fields(&mut self, id: RecordId) {
        let record = self.program.record(id);
        if record.fields.is_empty() {
            self.error(
                Element::Record(id, None),
                None,
                &codes::RECORD,
                format!("the record {} has no fields", Name(&record.name)),
                "declare at least one field",
            );
        }
        let fields = record.fields.iter().map(|f| f.name.as_str());
        for (k, problem) in check_names(fields, "field") {
            self.push(Element::Record(id, Some(k)), Some(Part::Name), problem);
        }
        for (k, field) in record.fields.iter().enumerate() {
            let element = Element::Record(id, Some(k));
            let name = Name(&field.name);
            let there = |r: RecordId| r.index() < self.program.records.len();
            if field.name.contains('.') {
                let message = format!("the name of the field {name} has a dot");
                let help = "a dot stands between a record and its field where records are split: rename it";
                self.error(element, Some(Part::Name), &codes::RECORD, message, help);
            }
            let problem = if field.ty.is_tape() {
                Some((
                    format!("the field {name} is a tape"),
                    "pass tapes as parameters",
                ))
            } else if !field.ty.named_record().is_none_or(there) {
                Some((
                    format!("the record in the type of the field {name} does not exist"),
                    "name a record of the program",
                ))
            } else {
                None
            };
            if let Some((message, help)) = problem {
                self.error(element, Some(Part::Type), &codes::RECORD, message, help);
            }
            let constant = field.shape.iter().all(|dim| {
                let extent = match &dim.extent {
                    Extent::Fixed(e) => e.constant(),
                    Extent::Deferred => None,
                };
                extent.is_some() && dim.lower.constant().is_some()
            });
            if !constant {
                self.error(
                    element,
                    Some(Part::Shape),
                    &codes::EXTENT,
                    format!("an extent or bound of the field {name} is not constant"),
                    "write integer constants, or use +, - and * of constants",
                );
            }
        }
    }

    /// Records that contain themselves, nest too deep, or have too many parts. Depth-first search with an explicit
    /// stack over "a has a field of type b".
    fn sizes(&mut self) {
        let n = self.program.records.len();
        // The levels and leaves of each record that is done.
        let mut done: Vec<Option<(usize, usize)>> = vec![None; n];
        let mut open = vec![false; n];
        for root in 0..n {
            let mut stack = vec![(root, 0)];
            while let Some(&mut (r, ref mut next)) = stack.last_mut() {
                open[r] = true;
                let fields = &self.program.records[r].fields;
                if done[r].is_none()
                    && let Some(of) = fields.get(*next)
                {
                    let field = *next;
                    *next += 1;
                    match of.ty.record().map(RecordId::index).filter(|&b| b < n) {
                        Some(b) if open[b] => {
                            let id = RecordId::new(r);
                            let (outer, inner) =
                                (&self.program.records[r], &self.program.records[b]);
                            let message = format!(
                                "the record {} contains itself through its field {}",
                                Name(&inner.name),
                                Name(&outer.fields[field].name)
                            );
                            let help = "remove the field, or make it a pointer to the record: a record has a size";
                            let element = Element::Record(id, Some(field));
                            self.error(element, Some(Part::Type), &codes::RECORD, message, help);
                        }
                        Some(b) if done[b].is_none() => stack.push((b, 0)),
                        Some(_) | None => {}
                    }
                    continue;
                }
                if done[r].is_none() {
                    let parts = fields.iter().map(|f| {
                        let known = f.ty.record().and_then(|b| done.get(b.index()).copied()?);
                        known.unwrap_or((0, 1))
                    });
                    let (depth, leaves) =
                        parts.fold((0, 0), |(depth, leaves): (usize, usize), part| {
                            (depth.max(part.0), leaves.saturating_add(part.1))
                        });
                    done[r] = Some((depth + 1, leaves));
                    self.size(RecordId::new(r), depth + 1, leaves);
                }
                open[r] = false;
                stack.pop();
            }
        }
    }

    fn size(&mut self, id: RecordId, depth: usize, leaves: usize) {
        let name = Name(&self.program.record(id).name);
        let (message, help) = if depth > Record::MAX_DEPTH {
            (
                format!("the record {name} nests {depth} deep"),
                format!("records nest at most {} deep", Record::MAX_DEPTH),
            )
        } else if leaves > Record::MAX_LEAVES {
            (
                format!("the record {name} has {leaves} scalars and arrays in it"),
                format!("a record has at most {}", Record::MAX_LEAVES),
            )
        } else {
            return;
        };
        self.error(
            Element::Record(id, None),
            None,
            &codes::RECORD,
            message,
            &help,
        );
    }
}

impl Checker<'_> {
    /// True if a type is a record with an array in it, at any depth.
    pub(super) fn has_array_fields(&self, ty: ScalarType) -> bool {
        let leaves = self.program.leaves(ty);
        leaves.iter().any(|leaf| !leaf.shape.is_empty())
    }
}

/// Reports variables with a name that a field of a record gets when records are split.
fn dotted_names(c: &mut Checker<'_>) {
    if c.program.records.is_empty() {
        return;
    }
    let own = c.routine.variables.iter();
    let globals = c.program.globals.iter().map(|g| &g.variable);
    let records = own.chain(globals).filter(|v| v.ty.record().is_some());
    let records: HashSet<&str> = records.map(|v| v.name.as_str()).collect();
    for (i, variable) in c.routine.variables.iter().enumerate() {
        if let Some(record) = called_like_a_field(&variable.name, &records) {
            let site = At::new(Element::Variable(VarId::new(i)), Part::Name);
            c.report(site, dotted(&variable.name, record));
        }
    }
}

/// The record among `records` of which `name` would be the name of a field.
fn called_like_a_field<'n>(name: &'n str, records: &HashSet<&str>) -> Option<&'n str> {
    let (record, _) = name.split_once('.')?;
    records.contains(record).then_some(record)
}

fn dotted(name: &str, record: &str) -> Diagnostic {
    let (name, record) = (Name(name), Name(record));
    let message = format!("{name} is called like a field of the record {record}");
    let help = "rename it: points and results would not tell the two apart";
    Diagnostic::error(&codes::RECORD_USE, message, help)
}

/// Reports declarations that use records in ways that are not allowed.
pub(super) fn declarations(c: &mut Checker<'_>) {
    dotted_names(c);
    let result = c.routine.result.map(|v| (v, c.variable(v)));
    if let Some((v, result)) = result
        && result.ty.record().is_some()
        && result.rank() > 0
    {
        c.error(
            At::new(Element::Variable(v), Part::Type),
            &codes::RECORD_USE,
            format!("the result {} is an array of records", Name(&result.name)),
            "return it through an out parameter",
        );
    }
    for (i, variable) in c.routine.variables.iter().enumerate() {
        if variable.ty.record().is_none() {
            continue;
        }
        let v = VarId::new(i);
        let name = Name(&variable.name);
        let deferred = |e: &Extent| matches!(e, Extent::Deferred);
        let parameter = matches!(variable.role, Role::Parameter { .. });
        let problem = if c.routine.external.is_some() || c.routine.derivatives.is_some() {
            Some((
                format!(
                    "{name} is a record, in a routine that is external or has given derivatives"
                ),
                "pass the fields as parameters of their own",
            ))
        } else if variable.order == Order::Column
            && variable.rank() > 0
            && c.has_array_fields(variable.ty)
        {
            Some((
                format!(
                    "{name} is an array of records in column order, and they have array fields"
                ),
                "declare it in row order",
            ))
        } else if !parameter
            && variable.shape.iter().any(|dim| deferred(&dim.extent))
            && c.has_array_fields(variable.ty)
        {
            Some((
                format!(
                    "{name} has deferred extents, and is an array of records with array fields"
                ),
                "give it extents",
            ))
        } else {
            None
        };
        if let Some((message, help)) = problem {
            let site = At::new(Element::Variable(v), Part::Type);
            c.error(site, &codes::RECORD_USE, message, help);
        }
    }
}
