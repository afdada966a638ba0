//! The rule of spans: the source exists, and the end does not come before the start.

use crate::{
    codes,
    diagnostic::{
        Diagnostic, Diagnostics,
        site::{Element, Site},
    },
    entity::{GlobalId, RoutineId, VarId},
    ir::{At, Program, Role},
    text,
};

/// Reports spans whose source does not exist or whose end comes before the start.
pub(super) fn check(program: &Program, out: &mut Diagnostics) {
    let mut look = |at: &At, site: &dyn Fn() -> Site| {
        let Some(span) = at.as_deref() else { return };
        let sources = program.sources.len();
        let (message, help) = if usize::try_from(span.source).map_or(true, |s| s >= sources) {
            (
                format!("the span names source {} of {sources}", span.source),
                "sources count from 0: name it in `sources`, or correct the number",
            )
        } else if !span.is_ordered() {
            let [_, line, column, end_line, end_column] = span.numbers();
            (
                format!("the span begins at {line}:{column} and ends at {end_line}:{end_column}"),
                "the end is the first column that does not belong to it, in the last line",
            )
        } else {
            return;
        };
        let site = site();
        let element = text::site_text(program, &site);
        let problem = Diagnostic::error(&codes::SPAN, message, help);
        out.push(problem.at_site_in(program, site).at_element(element));
    };
    for (g, global) in program.globals.iter().enumerate() {
        look(&global.variable.at, &|| {
            Site::local(Element::Global(GlobalId::new(g)))
        });
    }
    for (r, routine) in program.routines.iter().enumerate() {
        let site = |element| Site::whole(RoutineId::new(r), element);
        look(&routine.at, &|| site(Element::Routine));
        for (v, variable) in routine.variables.iter().enumerate() {
            // The span of a global is checked once, above.
            if !matches!(variable.role, Role::Global(_)) {
                look(&variable.at, &|| site(Element::Variable(VarId::new(v))));
            }
        }
        for (v, vertex) in routine.body.iter().flat_map(|cfg| cfg.vertices()) {
            look(&vertex.at, &|| site(Element::Vertex(v)));
            for (s, statement) in vertex.statements().iter().enumerate() {
                look(&statement.at, &|| site(Element::Statement(v, s)));
            }
        }
    }
}
