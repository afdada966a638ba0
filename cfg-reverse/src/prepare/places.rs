//! Problems found in normal forms, placed in the program that was given.

use cfg_core::{
    diagnostic::{
        Diagnostics,
        site::{Element, Site},
    },
    ir::Program,
};

/// Moves problems from vertices of normal forms, which recovery may have numbered anew, to the vertices of the same ids in
/// the program; to the routine where there is none.
pub(crate) fn in_program(
    program: &Program,
    normal: &Program,
    mut problems: Diagnostics,
) -> Diagnostics {
    for problem in &mut problems.0 {
        let Some(site) = problem.at.site.take() else {
            continue;
        };
        let (Some(r), Element::Vertex(v)) = (site.routine, site.element) else {
            problem.at.site = Some(site);
            continue;
        };
        let id = (normal.routines.get(r.index()).and_then(|r| r.body.as_ref()))
            .filter(|cfg| v.index() < cfg.vertex_count())
            .map(|cfg| cfg.vertex(v).id);
        let theirs = (program.routines.get(r.index())).and_then(|r| r.body.as_ref());
        let found = id.and_then(|id| theirs?.with_id(id));
        let element = found.map_or(Element::Routine, Element::Vertex);
        let place = Site::of(r, element);
        problem.at.set_site(program, place);
    }
    problems
}
