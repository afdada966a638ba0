//! What all checks of one routine share: the program, the problems found, the places they are at.

use crate::{
    diagnostic::{CodeInfo, Diagnostic, Diagnostics},
    entity::{RoutineId, VarId, VertexId},
    ir::{Intent, Program, Role, Routine, Stmt, StmtKind, Variable},
    text::Name,
};
use std::fmt::Write as _;

/// The element that a problem is at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    Routine,
    Variable(VarId),
    Vertex(VertexId),
    Statement(VertexId, usize),
}

/// An element and a field of its JSON form; made for every check, so it is small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) base: Base,
    /// JSON pointer inside the element.
    pub(super) field: &'static str,
    /// Position below the field.
    pub(super) index: Option<usize>,
}

impl Site {
    pub(super) fn new(base: Base, field: &'static str) -> Self {
        Self {
            base,
            field,
            index: None,
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
    /// Where the expression checker is inside an expression, as pointer segments.
    pub(super) path: Vec<usize>,
}

impl<'p> Checker<'p> {
    pub(super) fn new(program: &'p Program, id: RoutineId, out: &'p mut Diagnostics) -> Self {
        Self {
            program,
            id,
            routine: program.routine(id),
            out,
            path: Vec::new(),
        }
    }

    /// Reports a problem of another check at a place.
    pub(super) fn report(&mut self, site: Site, problem: Diagnostic) {
        self.push(site, problem);
    }

    /// Reports an error at a place.
    pub(super) fn error(
        &mut self,
        site: Site,
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
        site: Site,
        info: &CodeInfo,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let problem = Diagnostic::error(info, message, help).warning();
        self.push(site, problem);
    }

    fn push(&mut self, site: Site, problem: Diagnostic) {
        let pointer = self.pointer(site);
        let element = self.element(site.base);
        self.out
            .push(problem.at_pointer(pointer).at_element(element));
    }

    /// A variable; references are checked first, so it is there.
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

    fn pointer(&self, site: Site) -> String {
        let r = self.id.index();
        let mut p = match site.base {
            Base::Routine => format!("/routines/{r}"),
            Base::Variable(v) => self.variable_pointer(v),
            Base::Vertex(v) => format!("/routines/{r}/vertices/{}", v.index()),
            Base::Statement(v, s) => {
                let annotated = self
                    .statement(v, s)
                    .is_some_and(|s| s.annotations.is_some());
                let inner = if annotated { "/statement" } else { "" };
                format!("/routines/{r}/vertices/{}/statements/{s}{inner}", v.index())
            }
        };
        p.push_str(site.field);
        for segment in site.index.iter().chain(&self.path) {
            let _ = write!(p, "/{segment}");
        }
        p
    }

    /// Parameters and locals are numbered separately in files, the result stands on its own.
    fn variable_pointer(&self, v: VarId) -> String {
        let r = self.id.index();
        let Some(variable) = self.routine.variables.get(v.index()) else {
            return format!("/routines/{r}");
        };
        match variable.role {
            Role::Global(g) => format!("/globals/{}", g.index()),
            _ if self.routine.result == Some(v) => format!("/routines/{r}/result"),
            Role::Parameter { .. } => format!("/routines/{r}/parameters/{}", v.index()),
            Role::Local => {
                let local = v.index().saturating_sub(self.routine.parameters);
                format!("/routines/{r}/locals/{local}")
            }
        }
    }

    fn statement(&self, v: VertexId, s: usize) -> Option<&'p Stmt> {
        let cfg = self.routine.body.as_ref()?;
        cfg.vertex(v).statements().get(s)
    }

    fn element(&self, base: Base) -> String {
        let name = Name(&self.routine.name);
        let id = |v: VertexId| self.routine.body.as_ref().map_or(0, |g| g.vertex(v).id);
        match base {
            Base::Routine => format!("routine {name}"),
            Base::Variable(v) => {
                let what = match self.routine.variables.get(v.index()).map(|v| v.role) {
                    Some(Role::Parameter { .. }) => "parameter",
                    Some(Role::Global(_)) => "global",
                    Some(Role::Local) | None => "variable",
                };
                format!("routine {name}, {what} {}", self.name(v))
            }
            Base::Vertex(v) => format!("routine {name}, vertex {}", id(v)),
            Base::Statement(v, s) => {
                format!("routine {name}, vertex {}, statement {}", id(v), s + 1)
            }
        }
    }
}

/// Pointer to the place that a statement writes.
pub(super) fn target_field(kind: &StmtKind) -> &'static str {
    match kind {
        StmtKind::Assign { .. } | StmtKind::Call { .. } => "/1",
        StmtKind::Pop { .. } => "/2",
        StmtKind::Push { .. } | StmtKind::Opaque { .. } => "",
    }
}

/// Pointer to the list of arguments of a call.
pub(super) fn arguments_field(result: bool) -> &'static str {
    if result { "/2/2" } else { "/2" }
}
