//! The place of a problem as a JSON pointer (RFC 6901) into the program's file.

use crate::json::write::target_pointer;
use cfg_core::{
    diagnostic::{
        Diagnostics,
        site::{Element, Part, Site, Step},
    },
    entity::VarId,
    ir::{Program, Role, Stmt, StmtKind},
};
use std::fmt::Write as _;

/// The pointer to a site in the JSON form of a program; `None` if the site does not say in which routine it is.
pub fn pointer(program: &Program, site: &Site) -> Option<String> {
    let routine = || {
        let r = site.routine?.index();
        Some((r, program.routines.get(r)?))
    };
    let mut statement = None;
    let mut pointer = match site.element {
        Element::Program => String::new(),
        Element::Global(g) => format!("/globals/{}", g.index()),
        Element::Record(r, None) => format!("/types/{}", r.index()),
        Element::Record(r, Some(k)) => format!("/types/{}/fields/{k}", r.index()),
        Element::Routine => format!("/routines/{}", routine()?.0),
        Element::Variable(v) => variable(program, site, v)?,
        Element::Vertex(v) => format!("/routines/{}/vertices/{}", routine()?.0, v.index()),
        Element::Edge(e) => format!("/routines/{}/edges/{}", routine()?.0, e.index()),
        Element::Statement(v, s) => {
            let (r, routine) = routine()?;
            let cfg = routine.body.as_ref();
            let cfg = cfg.filter(|cfg| v.index() < cfg.vertex_count());
            statement = cfg.and_then(|cfg| cfg.vertex(v).statements().get(s));
            let annotated = statement.is_some_and(|s| s.at.is_some() || s.annotations.is_some());
            let inner = if annotated { "/statement" } else { "" };
            format!("/routines/{r}/vertices/{}/statements/{s}{inner}", v.index())
        }
    };
    pointer.push_str(site.part.map_or("", |part| member(part, statement)));
    if let Some(index) = site.index {
        let _ = write!(pointer, "/{index}");
    }
    for step in &site.path {
        // ["+", operand, operand], ["[]", "a", subscript], [":", lower, upper, stride].
        let position = match step {
            Step::Operand(k) | Step::Bound(k) => k + 1,
            Step::Subscript(k) => k + 2,
            Step::Base => 1,
        };
        let _ = write!(pointer, "/{position}");
    }
    Some(pointer)
}

/// Gives pointers to the problems that have a site and no pointer.
pub fn add_pointers(program: &Program, problems: &mut Diagnostics) {
    for problem in &mut problems.0 {
        if let (Some(site), None) = (&problem.at.site, &problem.at.pointer) {
            problem.at.pointer = pointer(program, site);
        }
    }
}

/// Parameters and locals are numbered separately in files, the result stands on its own.
fn variable(program: &Program, site: &Site, v: VarId) -> Option<String> {
    let r = site.routine?;
    let routine = program.routines.get(r.index())?;
    let r = r.index();
    let Some(variable) = routine.variables.get(v.index()) else {
        return Some(format!("/routines/{r}"));
    };
    Some(match variable.role {
        Role::Global(g) => format!("/globals/{}", g.index()),
        _ if routine.result == Some(v) => format!("/routines/{r}/result"),
        Role::Parameter { .. } => match routine.parameter_position(v) {
            Some(position) => format!("/routines/{r}/parameters/{position}"),
            None => format!("/routines/{r}/parameters"),
        },
        Role::Local => {
            let local = routine.non_parameter_ids().binary_search(&v);
            match local {
                Ok(local) => format!("/routines/{r}/locals/{local}"),
                Err(_) => format!("/routines/{r}/locals"),
            }
        }
    })
}

fn member(part: Part, statement: Option<&Stmt>) -> &'static str {
    let kind = statement.map(|s| &s.kind);
    match part {
        Part::Name => "/name",
        Part::Type => "/type",
        Part::Shape => "/shape",
        Part::Overlay => "/overlay",
        Part::Initial => "/initial",
        Part::Main => "/main",
        Part::Parameters => "/parameters",
        Part::Result => "/result",
        Part::Independents => "/independents",
        Part::Dependents => "/dependents",
        Part::Derivatives => "/derivatives",
        Part::Tangent => "/derivatives/tangent",
        Part::Adjoint => "/derivatives/adjoint",
        Part::External => "/external",
        Part::ExternalValue => "/external/value",
        Part::Partials => "/external/partials",
        Part::Vertices => "/vertices",
        Part::Test => "/test",
        Part::Condition => "/condition",
        Part::Selector => "/selector",
        Part::Arms => "/arms",
        Part::Index => "/index",
        Part::First => "/first",
        Part::Last => "/last",
        Part::Step => "/step",
        Part::Target => kind.map_or("", target_pointer),
        Part::Value => "/2",
        Part::Arguments => match kind {
            Some(StmtKind::Call {
                result: Some(_), ..
            }) => "/2/2",
            _ => "/2",
        },
        Part::Reads => "/2/reads",
        Part::Writes => "/2/writes",
    }
}
