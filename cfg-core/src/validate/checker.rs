//! The state that all checks of one routine share: the program, the problems found, the places they are at.

use crate::{
    diagnostic::{
        CodeInfo, Diagnostic, Diagnostics,
        site::{Element, Part, Site, Step},
    },
    entity::{RoutineId, VarId},
    ir::{Intent, Program, Routine, Variable},
    text::{self, Name},
};

/// An element and a part of it; made for every check, so it is small.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) element: Element,
    part: Option<Part>,
    /// The position of an item in a part that is a list.
    index: Option<usize>,
}

impl At {
    pub(super) fn whole(element: Element) -> Self {
        Self {
            element,
            part: None,
            index: None,
        }
    }

    pub(super) fn new(element: Element, part: Part) -> Self {
        Self {
            part: Some(part),
            ..Self::whole(element)
        }
    }

    pub(super) fn index(self, index: usize) -> Self {
        Self {
            index: Some(index),
            ..self
        }
    }
}

/// Checks one routine.
pub(super) struct Checker<'p> {
    pub(super) program: &'p Program,
    pub(super) id: RoutineId,
    pub(super) routine: &'p Routine,
    out: &'p mut Diagnostics,
    /// The position of the expression checker inside an expression.
    pub(super) path: Vec<Step>,
    /// True if a subscript or another index has another integer type than `integer`.
    pub(super) narrow: bool,
    /// An expression makes a pointer: null, or an address.
    pub(super) pointers: bool,
}

impl<'p> Checker<'p> {
    pub(super) fn new(program: &'p Program, id: RoutineId, out: &'p mut Diagnostics) -> Self {
        Self {
            program,
            id,
            routine: program.routine(id),
            out,
            path: Vec::new(),
            narrow: false,
            pointers: false,
        }
    }

    /// Reports a problem of another check at a place.
    pub(super) fn report(&mut self, site: At, problem: Diagnostic) {
        self.push(site, problem);
    }

    /// Reports an error at a place.
    pub(super) fn error(
        &mut self,
        site: At,
        info: &CodeInfo,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let problem = Diagnostic::error(info, message, help);
        self.push(site, problem);
    }

    /// Reports a warning at a place.
    pub(super) fn warning(
        &mut self,
        site: At,
        info: &CodeInfo,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let problem = Diagnostic::error(info, message, help).warning();
        self.push(site, problem);
    }

    fn push(&mut self, site: At, problem: Diagnostic) {
        let site = Site {
            routine: Some(self.id),
            element: site.element,
            part: site.part,
            index: site.index,
            path: self.path.as_slice().into(),
        };
        let element = text::site_text(self.program, &site);
        let problem = problem.at_site_in(self.program, site);
        self.out.push(problem.at_element(element));
    }

    /// The variable of a given id; references are checked first, so it is there.
    pub(super) fn variable(&self, v: VarId) -> &'p Variable {
        self.routine.variable(v)
    }

    /// The name of a variable for messages.
    pub(super) fn name(&self, v: VarId) -> Name<'p> {
        match self.routine.variables.get(v.index()) {
            Some(variable) => Name(&variable.name),
            None => Name("?"),
        }
    }

    pub(super) fn is_in(&self, v: VarId) -> bool {
        self.variable(v).intent() == Some(Intent::In)
    }
}
