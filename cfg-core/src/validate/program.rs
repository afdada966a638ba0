//! The rules of the program as a whole: names of routines and globals, globals and their storage.

use crate::{
    codes,
    diagnostic::{CodeInfo, Diagnostic, Diagnostics},
    entity::GlobalId,
    ir::{Expr, Extent, Global, Program, Role, ScalarType, Variable},
    text::Name,
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
            .at_pointer("/main"),
        );
    }
    let routines = program.routines.iter().map(|r| r.name.as_str());
    for (i, problem) in names(routines, "routine") {
        let at = format!("routine {}", Name(&program.routines[i].name));
        let problem = problem.at_pointer(format!("/routines/{i}/name"));
        out.push(problem.at_element(at));
    }
    let globals = program.globals.iter().map(|g| g.variable.name.as_str());
    for (i, problem) in names(globals, "global") {
        let at = format!("global {}", Name(&program.globals[i].variable.name));
        let problem = problem.at_pointer(format!("/globals/{i}/name"));
        out.push(problem.at_element(at));
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
pub(super) fn names<'n>(
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

/// The storage that a global lies in, and where it begins there.
pub(super) fn storage(program: &Program, g: GlobalId) -> (GlobalId, i64) {
    match program.globals.get(g.index()).and_then(|g| g.overlay) {
        Some(overlay) => (overlay.base, overlay.offset),
        None => (g, 0),
    }
}

/// The cells of a global: the one that owns the storage, and the range of its elements in storage order.
/// `None` if an extent is not constant, which validation refuses.
pub fn cells(program: &Program, g: GlobalId) -> Option<(GlobalId, std::ops::Range<i64>)> {
    let (base, offset) = storage(program, g);
    let count = elements(&program.globals.get(g.index())?.variable)?;
    Some((base, offset..offset.checked_add(count)?))
}

/// The value of a constant integer expression. It may belong to a routine whose depths have not been
/// checked, so recursion is limited here.
pub(super) fn constant(e: &Expr) -> Option<i64> {
    constant_within(e, Expr::MAX_DEPTH)
}

fn constant_within(e: &Expr, levels: usize) -> Option<i64> {
    use crate::ir::Op;
    match e {
        Expr::Int(value) => Some(*value),
        Expr::Op(op, operands) if levels > 0 => {
            let mut values = Vec::with_capacity(operands.len());
            for e in operands {
                values.push(constant_within(e, levels - 1)?);
            }
            let (&first, rest) = values.split_first()?;
            match (op, rest) {
                (Op::Neg, []) => first.checked_neg(),
                (Op::Sub, &[b]) => first.checked_sub(b),
                (Op::Add, _) => rest.iter().try_fold(first, |a, &b| a.checked_add(b)),
                (Op::Mul, _) => rest.iter().try_fold(first, |a, &b| a.checked_mul(b)),
                _ => None,
            }
        }
        Expr::Op(..) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Place(_) => None,
    }
}

/// Number of elements of a variable, if its extents are constant and it is not larger than memory.
pub(super) fn elements(variable: &Variable) -> Option<i64> {
    let mut count = 1i64;
    for dim in &variable.shape {
        match &dim.extent {
            Extent::Fixed(e) => count = count.checked_mul(constant(e)?.max(0))?,
            Extent::Deferred => return None,
        }
    }
    Some(count)
}

struct Check<'a> {
    program: &'a Program,
    id: GlobalId,
    global: &'a Global,
    out: &'a mut Diagnostics,
}

impl Check<'_> {
    fn error(&mut self, field: &str, info: &CodeInfo, message: String, help: &str) {
        let pointer = format!("/globals/{}{field}", self.id.index());
        let element = format!("global {}", Name(&self.global.variable.name));
        self.out.push(
            Diagnostic::error(info, message, help)
                .at_pointer(pointer)
                .at_element(element),
        );
    }

    fn declaration(&mut self) {
        let variable = &self.global.variable;
        if variable.role != Role::Global(self.id) {
            self.error(
                "",
                &codes::ROLE,
                format!("the role of a global is not Global({})", self.id),
                "give the variable of a global the role of that global",
            );
        }
        if variable.ty == ScalarType::Tape {
            self.error(
                "/type",
                &codes::TAPE_VARIABLE,
                "a global is a tape".to_owned(),
                "pass the tape as a parameter",
            );
        }
        for (k, dim) in variable.shape.iter().enumerate() {
            let extent = match &dim.extent {
                Extent::Fixed(e) => constant(e),
                Extent::Deferred => None,
            };
            let lower = constant(&dim.lower);
            if extent.is_none() || lower.is_none() {
                self.error(
                    &format!("/shape/{k}"),
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
        let bad = values.iter().position(|e| constant_type(e) != Some(ty));
        if let Some(bad) = bad {
            self.error(
                &format!("/initial/{bad}"),
                &codes::INITIAL,
                format!("an initial value is not a constant of type {}", ty.name()),
                "write constants of the global's type: 1.0 for a real, 1 for an integer",
            );
        }
        let wanted = elements(&self.global.variable);
        if let Some(wanted) = wanted
            && values.len() != 1
            && i64::try_from(values.len()) != Ok(wanted)
        {
            self.error(
                "/initial",
                &codes::INITIAL,
                format!(
                    "there are {} initial values for {wanted} elements",
                    values.len()
                ),
                "give one value for all elements, or one per element in storage order",
            );
        }
    }

    fn overlay(&mut self) {
        let Some(overlay) = self.global.overlay else {
            return;
        };
        let Some(base) = self.program.globals.get(overlay.base.index()) else {
            self.error(
                "/overlay",
                &codes::DANGLING,
                format!("there is no global {}", overlay.base),
                "name a global of the program",
            );
            return;
        };
        let name = Name(&base.variable.name);
        if overlay.base == self.id || base.overlay.is_some() {
            self.error(
                "/overlay",
                &codes::OVERLAY,
                format!("{name} does not own its storage"),
                "name the global that owns the storage, with the offset into that",
            );
            return;
        }
        if base.variable.ty != self.global.variable.ty {
            self.error(
                "/overlay",
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
                "/initial",
                &codes::INITIAL,
                format!("both it and {name}, whose storage it shares, have initial values"),
                "give initial values to the global that owns the storage",
            );
        }
        let room = elements(&base.variable);
        let beyond = match (elements(&self.global.variable), room) {
            // Without an addition that could overflow.
            (Some(wanted), Some(room)) => wanted > room || overlay.offset > room - wanted,
            _ => false,
        };
        if overlay.offset < 0 || beyond {
            self.error(
                "/overlay",
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
        Expr::Op(..) | Expr::Place(_) => None,
    }
}
