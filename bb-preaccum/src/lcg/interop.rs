//! The graph in other forms: JSON text and petgraph.

use std::fmt::Write as _;

use petgraph::graph::{DiGraph, NodeIndex};

use super::{Kind, Lcg, LcgError, NewEdge, Role};

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

/// The graph for petgraph's algorithms: node weights are ids and roles, edge weights the kind. Node
/// index `v` is vertex `v`.
pub fn to_petgraph(lcg: &Lcg) -> DiGraph<(i64, Role), Kind> {
    let mut graph = DiGraph::with_capacity(lcg.vertex_count(), lcg.edges().len());
    for v in 0..lcg.vertex_count() as u32 {
        graph.add_node((lcg.id(v), lcg.role(v)));
    }
    for edge in lcg.edges() {
        let (source, target) = (edge.source as usize, edge.target as usize);
        graph.add_edge(NodeIndex::new(source), NodeIndex::new(target), edge.kind);
    }
    graph
}

/// A graph from petgraph; the weights are as in [`to_petgraph`], tags are edge indices.
///
/// # Errors
/// As for [`Lcg::from_json`].
pub fn from_petgraph(name: &str, graph: &DiGraph<(i64, Role), Kind>) -> Result<Lcg, LcgError> {
    let with_role = |wanted: Role| {
        let ids = graph
            .node_weights()
            .filter(move |(_, role)| *role == wanted);
        ids.map(|&(id, _)| id).collect::<Vec<_>>()
    };
    let edges = graph
        .raw_edges()
        .iter()
        .enumerate()
        .map(|(at, edge)| NewEdge {
            source: graph[edge.source()].0,
            target: graph[edge.target()].0,
            kind: edge.weight,
            negative: false,
            tag: u32::try_from(at).unwrap_or(u32::MAX),
        });
    Lcg::new(
        name,
        &with_role(Role::Independent),
        &with_role(Role::Dependent),
        edges,
    )
}
