//! Where in the original a problem of a generated routine comes from.

use cfg_core::{
    diagnostic::{
        Diagnostic,
        site::{Element, Site},
    },
    ir::{Program, Signature},
    text,
};

/// Moves a problem in a generated routine to the vertex of the original that the generated vertex was made from, as its
/// origin says; to the original as a whole if it does not say. The place in the generated routine is named behind it. The
/// first `given` routines are those of the user, of which some may have been generated before.
pub(super) fn at_original(program: &Program, given: usize, mut problem: Diagnostic) -> Diagnostic {
    let Some(site) = problem.at.site.take() else {
        return problem;
    };
    let generated = site.routine.and_then(|r| {
        let routine = (program.routines.get(r.index())).filter(|_| r.index() >= given)?;
        Some((routine, Signature::of(program, r).original?))
    });
    let Some((routine, original)) = generated else {
        return problem.at_site_in(program, *site);
    };
    let vertex = match site.element {
        Element::Vertex(v) | Element::Statement(v, _) => Some(v),
        Element::Program
        | Element::Global(_)
        | Element::Routine
        | Element::Variable(_)
        | Element::Edge(_) => None,
    };
    let cfg = routine.body.as_ref();
    let made_from = vertex.and_then(|v| Some(cfg?.vertex(v).origin?.vertex));
    let theirs = program.routine(original).body.as_ref();
    let element = made_from.and_then(|id| {
        let v = theirs?.with_id(id)?;
        Some(match theirs?.vertex(v).statements() {
            [_] => Element::Statement(v, 0),
            // Nothing says which of several statements it is.
            _ => Element::Vertex(v),
        })
    });
    let element = element.unwrap_or(Element::Routine);
    let place = Site::of(original, element);
    let words = text::site(program, &place);
    problem.at.element = Some(match problem.at.element {
        Some(own) => format!("{words} (in {own})"),
        None => words,
    });
    problem.at_site_in(program, place)
}
