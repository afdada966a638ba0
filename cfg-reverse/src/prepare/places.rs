//! Moves problems that were found in normal forms to places of the given program.

use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::RoutineId,
    ir::{Program, Stmt},
    text,
};

/// Moves problems from vertices and statements of normal forms, which recovery may have renumbered, to those of the
/// program. A vertex is found by its id; a statement by its position, if the vertex still has as many statements, or
/// by its origin. A problem without such a place goes to the routine.
pub(crate) fn in_program(
    program: &Program,
    normal: &Program,
    mut problems: Diagnostics,
) -> Diagnostics {
    for problem in &mut problems.0 {
        let Some(site) = problem.at.site.take() else {
            continue;
        };
        let (r, v, s) = match (site.routine, site.element) {
            (Some(r), Element::Vertex(v)) => (r, v, None),
            (Some(r), Element::Statement(v, s)) => (r, v, Some(s)),
            (
                _,
                Element::Program
                | Element::Global(_)
                | Element::Record(..)
                | Element::Routine
                | Element::Variable(_)
                | Element::Edge(_)
                | Element::Vertex(_)
                | Element::Statement(..),
            ) => {
                problem.at.site = Some(site);
                continue;
            }
        };
        let ours = (normal.routines.get(r.index()).and_then(|r| r.body.as_ref()))
            .filter(|cfg| v.index() < cfg.vertex_count())
            .map(|cfg| cfg.vertex(v));
        let theirs = (program.routines.get(r.index())).and_then(|r| r.body.as_ref());
        let found = ours.and_then(|ours| theirs?.with_id(ours.id));
        let statement = s.and_then(|s| {
            let (ours, theirs) = (ours?.statements(), theirs?);
            match found {
                Some(v) if theirs.vertex(v).statements().len() == ours.len() => Some((v, s)),
                _ => theirs.numbered_statement(ours.get(s)?.origin.number()?),
            }
        });
        let element = match (statement, found) {
            (Some((v, s)), _) => Element::Statement(v, s),
            (None, Some(v)) => Element::Vertex(v),
            (None, None) => Element::Routine,
        };
        problem.at.set_site(program, Site::whole(r, element));
    }
    problems
}

/// A problem at a statement of the vertex with this id; its element shows the text of the statement.
pub(crate) fn at_statement(
    problem: Diagnostic,
    program: &Program,
    r: RoutineId,
    element: Element,
    vertex: i64,
    statement: &Stmt,
) -> Diagnostic {
    let routine = program.routine(r);
    let shown = text::stmt_text(routine, program, statement);
    let place = format!(
        "routine {}, vertex {vertex}, statement `{shown}`",
        routine.name
    );
    problem
        .at_element(place)
        .at_site_in(program, Site::whole(r, element))
}
