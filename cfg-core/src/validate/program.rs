//! The rules of the program as a whole: names of routines and globals, globals and their storage.

use crate::{
    codes,
    diagnostic::{
        CodeInfo, Diagnostic, Diagnostics,
        site::{Element, Part, Site},
    },
    entity::{GlobalId, RoutineId},
    ir::{Expr, Extent, Global, Program, Role, ScalarType, Variable},
    text::{self, Name},
};
use std::collections::HashSet;

pub(super) fn check(program: &Program, out: &mut Diagnostics) {
    if let Some(main) = program.main
        && main.index() >= program.routines.len()
    {
        out.push(
            Diagnostic::error(
                &codes::DANGLING,
                format!("there is no routine {main}"),
                "mark a routine of the program",
            )
            .at_site(Site::local(Element::Program).part(Part::Main)),
        );
    }
    let routines = program.routines.iter().map(|r| r.name.as_str());
    for (i, problem) in check_names(routines, "routine") {
        let site = Site::whole(RoutineId::new(i), Element::Routine).part(Part::Name);
        let element = text::site_text(program, &site);
        out.push(problem.at_site_in(program, site).at_element(element));
    }
    let globals = program.globals.iter().map(|g| g.variable.name.as_str());
    for (i, problem) in check_names(globals, "global") {
        let site = Site::local(Element::Global(GlobalId::new(i))).part(Part::Name);
        let element = text::site_text(program, &site);
        out.push(problem.at_site_in(program, site).at_element(element));
    }
    for (i, global) in program.globals.iter().enumerate() {
        let mut check = Check {
            program,
            id: GlobalId::new(i),
            global,
            out,
        };
        check.declaration();
        check.initial();
        check.overlay();
    }
}

/// Names that are not allowed and names that are used twice, by position.
pub(super) fn check_names<'n>(
    names: impl Iterator<Item = &'n str>,
    what: &str,
) -> Vec<(usize, Diagnostic)> {
    let mut first: HashSet<&str> = HashSet::new();
    let mut problems = Vec::new();
    for (i, name) in names.enumerate() {
        if let Some(problem) = bad_name(name, what) {
            problems.push((i, problem));
        } else if !first.insert(name) {
            let problem = Diagnostic::error(
                &codes::DUPLICATE,
                format!("{what} {} is declared twice", Name(name)),
                "rename one of them",
            );
            problems.push((i, problem));
        }
    }
    problems
}

fn bad_name(name: &str, what: &str) -> Option<Diagnostic> {
    let (message, help) = if name.is_empty() {
        (format!("the name of a {what} is empty"), "give it a name")
    } else if name.len() > Variable::MAX_NAME {
        (
            format!("the name of a {what} has {} bytes", name.len()),
            "shorten it to 1000 bytes or less",
        )
    } else if name.chars().any(char::is_control) {
        (
            format!("the name of a {what} has control characters"),
            "remove line breaks, tabs and other control characters from it",
        )
    } else {
        return None;
    };
    Some(Diagnostic::error(&codes::NAME, message, help))
}

struct Check<'a> {
    program: &'a Program,
    id: GlobalId,
    global: &'a Global,
    out: &'a mut Diagnostics,
}

impl Check<'_> {
    fn error(
        &mut self,
        part: Option<Part>,
        index: Option<usize>,
        info: &CodeInfo,
        message: String,
        help: &str,
    ) {
        let site = Site {
            part,
            index,
            ..Site::local(Element::Global(self.id))
        };
        let element = text::site_text(self.program, &site);
        let problem = Diagnostic::error(info, message, help);
        let problem = problem.at_site_in(self.program, site);
        self.out.push(problem.at_element(element));
    }

    fn declaration(&mut self) {
        let variable = &self.global.variable;
        if variable.role != Role::Global(self.id) {
            self.error(
                None,
                None,
                &codes::ROLE,
                format!("the role of a global is not Global({})", self.id),
                "give the variable of a global the role of that global",
            );
        }
        if variable.ty == ScalarType::Tape {
            self.error(
                Some(Part::Type),
                None,
                &codes::TAPE_VARIABLE,
                "a global is a tape".to_owned(),
                "pass the tape as a parameter",
            );
        }
        if let Some(r) = variable.ty.named_record()
            && r.index() >= self.program.records.len()
        {
            self.error(
                Some(Part::Type),
                None,
                &codes::DANGLING,
                format!("there is no record {r}"),
                "name a record of the program",
            );
        }
        for (k, dim) in variable.shape.iter().enumerate() {
            let extent = match &dim.extent {
                Extent::Fixed(e) => e.constant(),
                Extent::Deferred => None,
            };
            let lower = dim.lower.constant();
            if extent.is_none() || lower.is_none() {
                self.error(
                    Some(Part::Shape),
                    Some(k),
                    &codes::EXTENT,
                    format!("dimension {} of a global is not constant", k + 1),
                    "write integer constants, or use +, - and * of constants",
                );
            }
        }
    }

    fn initial(&mut self) {
        let Some(values) = &self.global.initial else {
            return;
        };
        let ty = self.global.variable.ty;
        if ty.record().is_some() {
            return self.initial_record(values);
        }
        let bad = values.iter().position(|e| constant_type(e) != Some(ty));
        if let Some(bad) = bad {
            self.error(
                Some(Part::Initial),
                Some(bad),
                &codes::INITIAL,
                format!("an initial value is not a constant of type {}", ty.name()),
                "write constants of the global's type: 1.0 for a real, 1 for an integer",
            );
        }
        let wanted = self.global.variable.constant_size();
        if let Some(wanted) = wanted
            && values.len() != 1
            && i64::try_from(values.len()) != Ok(wanted)
        {
            self.error(
                Some(Part::Initial),
                None,
                &codes::INITIAL,
                format!(
                    "there are {} initial values for {wanted} elements",
                    values.len()
                ),
                "give one value for all elements, or one per element in storage order",
            );
        }
    }

    /// One value for each leaf, or for each cell.
    fn initial_record(&mut self, values: &[Expr]) {
        let program = self.program;
        let variable = &self.global.variable;
        let leaves = program.leaves(variable.ty);
        let Some(of) = program.initial_leaves(variable, values.len()) else {
            let message = format!(
                "there are {} initial values for a record of {} fields",
                values.len(),
                leaves.len()
            );
            let help = "give one value for each field, those of records in it one by one, or one for each number in storage order";
            return self.error(Some(Part::Initial), None, &codes::INITIAL, message, help);
        };
        let ty = |k: usize| leaves.get(k).map(|leaf| leaf.ty);
        let bad = (values.iter().zip(of)).position(|(e, k)| constant_type(e) != ty(k));
        if let Some(bad) = bad {
            self.error(
                Some(Part::Initial),
                Some(bad),
                &codes::INITIAL,
                "an initial value is not a constant of the type of its field".to_owned(),
                "write constants of the types of the fields: 1.0 for a real, 1 for an integer",
            );
        }
    }

    fn overlay(&mut self) {
        let Some(overlay) = self.global.overlay else {
            return;
        };
        let Some(base) = self.program.globals.get(overlay.base.index()) else {
            self.error(
                Some(Part::Overlay),
                None,
                &codes::DANGLING,
                format!("there is no global {}", overlay.base),
                "name a global of the program",
            );
            return;
        };
        let name = Name(&base.variable.name);
        if overlay.base == self.id || base.overlay.is_some() {
            self.error(
                Some(Part::Overlay),
                None,
                &codes::OVERLAY,
                format!("{name} does not own its storage"),
                "name the global that owns the storage, with the offset into that",
            );
            return;
        }
        if self.global.variable.ty.record().is_some() {
            self.error(
                Some(Part::Overlay),
                None,
                &codes::RECORD_USE,
                format!("it lies over {name}, and is a record"),
                "give records storage of their own",
            );
        }
        if base.variable.ty != self.global.variable.ty {
            self.error(
                Some(Part::Overlay),
                None,
                &codes::OVERLAY,
                format!(
                    "it is {} but lies over {name}, which is {}",
                    self.global.variable.ty.name(),
                    base.variable.ty.name()
                ),
                "lay globals over others of the same type only",
            );
        }
        if base.initial.is_some() && self.global.initial.is_some() {
            self.error(
                Some(Part::Initial),
                None,
                &codes::INITIAL,
                format!("both it and {name}, whose storage it shares, have initial values"),
                "give initial values to the global that owns the storage",
            );
        }
        let room = base.variable.constant_size();
        let beyond = match (self.global.variable.constant_size(), room) {
            // Compared by subtraction, since the sum of offset and size could overflow.
            (Some(wanted), Some(room)) => wanted > room || overlay.offset > room - wanted,
            _ => false,
        };
        if overlay.offset < 0 || beyond {
            self.error(
                Some(Part::Overlay),
                None,
                &codes::OVERLAY,
                format!(
                    "from offset {} on it does not fit into {name}{}",
                    overlay.offset,
                    room.map_or(String::new(), |n| format!(" with {n} elements"))
                ),
                "correct the offset (in elements, from 0), or enlarge the global that owns the storage",
            );
        }
    }
}

/// The type of a constant; a negated constant is one too.
fn constant_type(e: &Expr) -> Option<ScalarType> {
    match e {
        Expr::Int(_) => Some(ScalarType::Integer),
        Expr::Real(_) => Some(ScalarType::Real),
        Expr::Real32(_) => Some(ScalarType::Real32),
        Expr::Logical(_) => Some(ScalarType::Logical),
        Expr::Op(crate::ir::Op::Neg, operands) => match &**operands {
            [Expr::Int(_)] => Some(ScalarType::Integer),
            [Expr::Real(_)] => Some(ScalarType::Real),
            [Expr::Real32(_)] => Some(ScalarType::Real32),
            _ => None,
        },
        Expr::Null(pointer) => Some(ScalarType::Pointer(*pointer)),
        Expr::Op(..) => e.sized_constant().map(|(ty, _)| ScalarType::Sized(ty)),
        Expr::Place(_) | Expr::Addr(_) => None,
    }
}
