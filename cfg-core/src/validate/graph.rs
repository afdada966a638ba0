//! The rules of graphs, with help that takes loops and nesting into account.

use crate::{
    diagnostic::Diagnostics,
    ir::{Cfg, Control},
    recover::classify::{ControlClass, classify},
    structure::{
        Structure,
        cure::{Insight, explained},
        local_rules::violations,
    },
};

/// The structure of a graph that is declared structured; `None` for a general graph.
pub(super) fn check(cfg: &Cfg, control: Control) -> Result<Option<Structure>, Diagnostics> {
    let broken = violations(cfg, control);
    if !broken.is_empty() {
        // If several ways meet at a vertex that may have only one, the class of the graph tells the reason, provided
        // that the graph is valid as a general one.
        let is_graph = || violations(cfg, Control::General).is_empty();
        let class = (broken.iter().any(|v| v.is_merge()) && is_graph()).then(|| classify(cfg));
        let jumps = class.filter(|c| c.class > ControlClass::Structured);
        let insight = Insight {
            jumps: jumps.map(|c| c.reason),
        };
        return Err(explained(cfg, control, broken, Some(insight)));
    }
    match control {
        Control::Structured => nested(cfg).map(Some),
        Control::General => Ok(None),
    }
}

/// The structure of a graph.
///
/// # Errors
/// The errors of [`Structure::compute`]; the error of the nesting also has the class of the graph.
pub fn structure(cfg: &Cfg) -> Result<Structure, Diagnostics> {
    let broken = violations(cfg, Control::Structured);
    if !broken.is_empty() {
        return Err(explained(cfg, Control::Structured, broken, None));
    }
    nested(cfg)
}

fn nested(cfg: &Cfg) -> Result<Structure, Diagnostics> {
    Structure::nested(cfg).map_err(|mut nesting| {
        let class = classify(cfg);
        if class.class > ControlClass::Structured {
            nesting.message = format!("{}; the graph is {class}", nesting.message);
        }
        Structure::not_nested(cfg, *nesting)
    })
}
