//! The graph as JSON text.

use std::fmt::Write as _;

use super::{Kind, Lcg};

/// The JSON form; reading it back gives an equal graph.
pub(super) fn to_json(lcg: &Lcg) -> String {
    let list = |vertices: &[u32]| {
        let ids: Vec<String> = vertices.iter().map(|&v| lcg.id(v).to_string()).collect();
        ids.join(", ")
    };
    let mut text = format!(
        "{{\"name\": {}, \"inputs\": [{}], \"outputs\": [{}], \"edges\": [",
        serde_json::Value::from(lcg.name()),
        list(lcg.inputs()),
        list(lcg.outputs())
    );
    for (at, edge) in lcg.edges().iter().enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        let sign = if edge.kind == Kind::Unit && edge.negative {
            ", -1"
        } else {
            ""
        };
        // Writing to a String does not fail.
        let _ = write!(
            text,
            "{comma}[{}, {}, \"{}\"{sign}]",
            lcg.id(edge.source),
            lcg.id(edge.target),
            edge.kind.name()
        );
    }
    text.push_str("]}");
    text
}
