//! Conversion from and to petgraph, for its algorithms.
//!
//! ```
//! use bb_preaccum::lcg::{Lcg, petgraph::to_petgraph};
//!
//! let lcg = Lcg::from_json(br#"{"inputs": [1], "outputs": [3],
//!     "edges": [[1, 2, "variable"], [2, 3, "variable"]]}"#)?;
//! let graph = to_petgraph(&lcg);
//! assert_eq!(petgraph::algo::connected_components(&graph), 1);
//! # Ok::<(), bb_preaccum::lcg::LcgError>(())
//! ```
//!
//! An [`Lcg`] can have long paths. Beware of petgraph's `is_cyclic_directed`, `tarjan_scc` and `depth_first_search`,
//! which recurse: a long path overflows the stack. `toposort`, `kosaraju_scc`, `connected_components` and the
//! iterators `Dfs` and `Bfs` do not.

use ::petgraph::graph::{DiGraph, NodeIndex};

use super::{Kind, Lcg, LcgError, NewEdge, Role};

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
/// The errors are those of [`Lcg::from_json`].
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
