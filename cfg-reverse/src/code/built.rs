//! Checks of graphs that a transformation has built. A graph that fails one is a defect of this crate, and is
//! reported (R312) rather than passed on as the adjoint of another program.

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    edit::Editor,
    entity::VertexId,
    ir::Cfg,
    structure::Structure,
};

use crate::codes;

/// The structure of a graph that is structured.
pub(crate) fn structure(cfg: &Cfg) -> Result<Structure, Diagnostics> {
    Structure::compute(cfg).map_err(|problems| {
        let message = format!("a graph that was built here is not valid: {problems}");
        Diagnostic::error(&codes::DEFECT, message, codes::DEFECT.explanation).into()
    })
}

/// A structured graph with its vertices in the order of Algorithm 1.
pub(crate) fn in_topological_order(cfg: Cfg) -> Result<Editor, Diagnostics> {
    let order = structure(&cfg)?.order;
    let mut graph = Editor::take_apart(cfg);
    graph.arrange(order.into_iter().map(VertexId::index));
    Ok(graph)
}
