//! The places of problems of programs whose records were split.

use cfg_core::{
    diagnostic::{
        Diagnostic,
        site::{Element, Site},
    },
    ir::Program,
    text,
};

/// Moves a problem of a program whose records were split to the statement that the split one was made from, which
/// has the same number in its vertex where no statement before it was split.
pub fn unsplit(program: &Program, problem: Diagnostic) -> Diagnostic {
    let moved = problem.at.site.as_deref().and_then(|site| {
        let Element::Statement(v, s) = site.element else {
            return None;
        };
        let routine = program.routines.get(site.routine?.index())?;
        // The statements of others say where these come from in the routine that they were made from.
        if routine.origin.is_some() {
            return None;
        }
        let cfg = routine.body.as_ref()?;
        let statements = (v.index() < cfg.vertex_count()).then(|| cfg.vertex(v).statements())?;
        let first = statements.first()?.origin.number()?;
        let number = statements.get(s)?.origin.number()?.checked_sub(first)?;
        Some((
            number != s,
            Site {
                element: Element::Statement(v, number),
                ..Site::of(site.routine?, Element::Routine)
            },
        ))
    });
    match moved {
        Some((true, site)) => {
            let words = text::site(program, &site);
            let mut problem = problem;
            problem.at.site = None;
            problem.at.pointer = None;
            problem.at_site_in(program, site).at_element(words)
        }
        Some((false, _)) | None => problem,
    }
}
