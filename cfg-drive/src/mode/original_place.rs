//! The place in the original that a problem of a generated routine comes from.

use super::unassigned::name_unassigned;
use cfg_core::{
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::{RoutineId, VertexId},
    flat::place_in_grouped,
    ir::{Program, Routine, Signature},
    text,
};

/// Adds to the problems of a run of the user's own routine their places in the source.
pub(super) fn in_original(program: &Program, mut problems: Diagnostics) -> Diagnostics {
    for problem in &mut problems.0 {
        if let Some(site) = problem.at.site.take() {
            problem.at.set_site(program, *site);
        }
    }
    let named = problems.0.into_iter().map(|d| name_unassigned(program, d));
    problems.0 = named.collect();
    if !program.records.is_empty() {
        problems.0 = problems
            .0
            .into_iter()
            .map(|d| place_in_grouped(program, d))
            .collect();
    }
    problems
}

/// Moves a problem in a generated routine to the original: to the statement that the generated one was made from, if
/// its origin is known, else to the vertex, else to the routine. The place in the generated routine is named behind
/// it. The first `given` routines are the user's, some of which may have been generated before, and parts of the
/// routines of `whole`, the program in which checkpoints are no routines of their own, if there are any.
pub(super) fn at_original(
    program: &Program,
    given: usize,
    whole: Option<&Program>,
    problem: Diagnostic,
) -> Diagnostic {
    let mut problem = name_unassigned(program, in_given(program, given, problem));
    if let Some(whole) = whole {
        problem = in_whole(program, whole, problem);
    }
    match program.records.is_empty() {
        true => problem,
        false => place_in_grouped(whole.unwrap_or(program), problem),
    }
}

/// Moves a problem to the routine that its routine is a part of.
fn in_whole(program: &Program, whole: &Program, mut problem: Diagnostic) -> Diagnostic {
    let moved = problem.at.site.as_deref().and_then(|site| {
        let part = site.routine?;
        let mut r = part;
        while r.index() >= whole.routines.len() {
            // Only the routine from which it was taken calls a part, apart from sweeps.
            let mut callers = program.routines.iter().take(r.index());
            let calls = |routine: &Routine| {
                let mut statements = routine.statements();
                routine.origin.is_none() && statements.any(|s| s.kind.callee() == Some(r))
            };
            r = RoutineId::new(callers.position(calls)?);
        }
        let id = |v: VertexId| Some(program.routine(part).body.as_ref()?.vertex(v).id);
        let theirs = whole.routine(r).body.as_ref()?;
        let vertex = site.element.vertex().and_then(|v| theirs.with_id(id(v)?));
        let element = vertex.map_or(Element::Routine, |v| match site.element.statement() {
            Some((_, s)) if s < theirs.vertex(v).statements().len() => Element::Statement(v, s),
            Some(_) | None => Element::Vertex(v),
        });
        Some(Site::whole(r, element))
    });
    let Some(place) = moved else {
        return problem;
    };
    let words = text::site_text(whole, &place);
    let own = problem.at.element.take();
    let own = own.as_deref().map(|own| match own.split_once(" (in ") {
        Some((_, generated)) => generated.trim_end_matches(')'),
        None => own,
    });
    problem.at.element = Some(match own.filter(|own| *own != words) {
        Some(own) => format!("{words} (in {own})"),
        None => words,
    });
    problem.at.site = None;
    problem.at.pointer = None;
    problem.at_site_in(whole, place)
}

fn in_given(program: &Program, given: usize, mut problem: Diagnostic) -> Diagnostic {
    let Some(site) = problem.at.site.take() else {
        return problem;
    };
    let generated = site.routine.and_then(|r| {
        let routine = (program.routines.get(r.index())).filter(|_| r.index() >= given)?;
        Some((routine, Signature::from_origins(program, r).original?))
    });
    let Some((routine, original)) = generated else {
        return problem.at_site_in(program, *site);
    };
    let cfg = routine.body.as_ref();
    let vertex = site.element.vertex();
    let made_from = vertex.and_then(|v| Some(cfg?.vertex(v).origin?.vertex));
    let statement = site.element.statement();
    let statement = statement.and_then(|(v, s)| cfg?.vertex(v).statements().get(s));
    let number = statement.and_then(|statement| statement.origin.number());
    let theirs = program.routine(original).body.as_ref();
    let at_statement = || {
        let (v, s) = theirs?.numbered_statement(number?)?;
        Some(Element::Statement(v, s))
    };
    let at_vertex = || {
        let v = theirs?.with_id(made_from?)?;
        Some(match theirs?.vertex(v).statements() {
            [_] => Element::Statement(v, 0),
            // The origin does not tell which of several statements it is.
            _ => Element::Vertex(v),
        })
    };
    // The sweeps of a loop with a checkpoint are not copies, but have its span.
    let at_span = || {
        let span = statement?.at.as_ref()?;
        let mut vertices = theirs?.vertices();
        let (v, _) = vertices.find(|(_, vertex)| vertex.at.as_ref() == Some(span))?;
        Some(Element::Vertex(v))
    };
    let element = at_statement().or_else(at_vertex).or_else(at_span);
    let element = element.unwrap_or(Element::Routine);
    let place = Site::whole(original, element);
    let words = text::site_text(program, &place);
    problem.at.element = Some(match problem.at.element {
        Some(own) => format!("{words} (in {own})"),
        None => words,
    });
    problem.at_site_in(program, place)
}
