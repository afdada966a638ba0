//! A [`Cfg`] as petgraph sees it: its iterative algorithms run on the arena without a copy.
//!
//! Beware of `petgraph::algo::{is_cyclic_directed, tarjan_scc}` and `petgraph::visit::depth_first_search`:
//! they recurse on the depth of the graph.
//!
//! ```
//! use cfg_core::{entity::VertexId, graph::petgraph::View, ir::{Cfg, Edge, Vertex, VertexKind}};
//!
//! let vertices = vec![Vertex::new(1, VertexKind::Entry), Vertex::new(2, VertexKind::Exit)];
//! let (a, b) = (VertexId::new(0), VertexId::new(1));
//! let Some(cfg) = Cfg::new(vertices, vec![Edge::new(a, b, None)]) else { return };
//! assert!(petgraph::algo::has_path_connecting(View(&cfg), a, b, None));
//! ```

use crate::{
    entity::{EdgeId, VertexId},
    ir::{Cfg, Edge, Vertex},
};
use fixedbitset::FixedBitSet;
use petgraph::{
    Directed, Direction,
    visit::{
        Data, EdgeCount, EdgeRef, GraphBase, GraphProp, GraphRef, IntoEdgeReferences, IntoEdges,
        IntoEdgesDirected, IntoNeighbors, IntoNeighborsDirected, IntoNodeIdentifiers,
        IntoNodeReferences, NodeCompactIndexable, NodeCount, NodeIndexable, VisitMap, Visitable,
    },
};

/// A graph, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct View<'g>(pub &'g Cfg);

/// An edge with its ends.
#[derive(Clone, Copy, Debug)]
pub struct ViewEdge<'g> {
    id: EdgeId,
    edge: &'g Edge,
}

/// The vertices that a traversal has seen.
#[derive(Clone, Debug, Default)]
pub struct Seen(FixedBitSet);

impl VisitMap<VertexId> for Seen {
    fn visit(&mut self, v: VertexId) -> bool {
        !self.0.put(v.index())
    }
    fn is_visited(&self, v: &VertexId) -> bool {
        self.0.contains(v.index())
    }
    fn unvisit(&mut self, v: VertexId) -> bool {
        let was = self.0.contains(v.index());
        self.0.set(v.index(), false);
        was
    }
}

impl GraphBase for View<'_> {
    type NodeId = VertexId;
    type EdgeId = EdgeId;
}

impl GraphRef for View<'_> {}

impl GraphProp for View<'_> {
    type EdgeType = Directed;
}

impl Data for View<'_> {
    type NodeWeight = Vertex;
    type EdgeWeight = Edge;
}

impl NodeCount for View<'_> {
    fn node_count(&self) -> usize {
        self.0.vertex_count()
    }
}

impl EdgeCount for View<'_> {
    fn edge_count(&self) -> usize {
        self.0.edge_count()
    }
}

impl NodeIndexable for View<'_> {
    fn node_bound(&self) -> usize {
        self.0.vertex_count()
    }
    fn to_index(&self, v: VertexId) -> usize {
        v.index()
    }
    fn from_index(&self, i: usize) -> VertexId {
        VertexId::new(i)
    }
}

impl NodeCompactIndexable for View<'_> {}

impl Visitable for View<'_> {
    type Map = Seen;
    fn visit_map(&self) -> Seen {
        Seen(FixedBitSet::with_capacity(self.0.vertex_count()))
    }
    fn reset_map(&self, map: &mut Seen) {
        map.0.clear();
        map.0.grow(self.0.vertex_count());
    }
}

impl EdgeRef for ViewEdge<'_> {
    type NodeId = VertexId;
    type EdgeId = EdgeId;
    type Weight = Edge;
    fn source(&self) -> VertexId {
        self.edge.from
    }
    fn target(&self) -> VertexId {
        self.edge.to
    }
    fn weight(&self) -> &Edge {
        self.edge
    }
    fn id(&self) -> EdgeId {
        self.id
    }
}

/// Neighbours of a vertex in one direction.
#[derive(Clone, Debug)]
pub struct Neighbors<'g> {
    cfg: &'g Cfg,
    edges: std::slice::Iter<'g, EdgeId>,
    direction: Direction,
}

impl Iterator for Neighbors<'_> {
    type Item = VertexId;
    fn next(&mut self) -> Option<VertexId> {
        let edge = self.cfg.edge(*self.edges.next()?);
        Some(match self.direction {
            Direction::Outgoing => edge.to,
            Direction::Incoming => edge.from,
        })
    }
}

/// Edges of a vertex in one direction.
#[derive(Clone, Debug)]
pub struct Edges<'g> {
    cfg: &'g Cfg,
    edges: std::slice::Iter<'g, EdgeId>,
}

impl<'g> Iterator for Edges<'g> {
    type Item = ViewEdge<'g>;
    fn next(&mut self) -> Option<ViewEdge<'g>> {
        let id = *self.edges.next()?;
        Some(ViewEdge {
            id,
            edge: self.cfg.edge(id),
        })
    }
}

impl<'g> View<'g> {
    fn list(self, v: VertexId, direction: Direction) -> std::slice::Iter<'g, EdgeId> {
        match direction {
            Direction::Outgoing => self.0.out_edges(v).iter(),
            Direction::Incoming => self.0.in_edges(v).iter(),
        }
    }
}

impl<'g> IntoNeighbors for View<'g> {
    type Neighbors = Neighbors<'g>;
    fn neighbors(self, v: VertexId) -> Neighbors<'g> {
        self.neighbors_directed(v, Direction::Outgoing)
    }
}

impl<'g> IntoNeighborsDirected for View<'g> {
    type NeighborsDirected = Neighbors<'g>;
    fn neighbors_directed(self, v: VertexId, direction: Direction) -> Neighbors<'g> {
        Neighbors {
            cfg: self.0,
            edges: self.list(v, direction),
            direction,
        }
    }
}

impl<'g> IntoEdges for View<'g> {
    type Edges = Edges<'g>;
    fn edges(self, v: VertexId) -> Edges<'g> {
        self.edges_directed(v, Direction::Outgoing)
    }
}

impl<'g> IntoEdgesDirected for View<'g> {
    type EdgesDirected = Edges<'g>;
    fn edges_directed(self, v: VertexId, direction: Direction) -> Edges<'g> {
        Edges {
            cfg: self.0,
            edges: self.list(v, direction),
        }
    }
}

/// All edges of a graph.
#[derive(Clone, Debug)]
pub struct AllEdges<'g> {
    cfg: &'g Cfg,
    next: usize,
}

impl<'g> Iterator for AllEdges<'g> {
    type Item = ViewEdge<'g>;
    fn next(&mut self) -> Option<ViewEdge<'g>> {
        if self.next == self.cfg.edge_count() {
            return None;
        }
        let id = EdgeId::new(self.next);
        self.next += 1;
        Some(ViewEdge {
            id,
            edge: self.cfg.edge(id),
        })
    }
}

impl<'g> IntoEdgeReferences for View<'g> {
    type EdgeRef = ViewEdge<'g>;
    type EdgeReferences = AllEdges<'g>;
    fn edge_references(self) -> AllEdges<'g> {
        AllEdges {
            cfg: self.0,
            next: 0,
        }
    }
}

/// All vertices of a graph.
#[derive(Clone, Debug)]
pub struct AllVertices(std::ops::Range<usize>);

impl Iterator for AllVertices {
    type Item = VertexId;
    fn next(&mut self) -> Option<VertexId> {
        self.0.next().map(VertexId::new)
    }
}

impl IntoNodeIdentifiers for View<'_> {
    type NodeIdentifiers = AllVertices;
    fn node_identifiers(self) -> AllVertices {
        AllVertices(0..self.0.vertex_count())
    }
}

/// All vertices of a graph with what they hold.
#[derive(Clone, Debug)]
pub struct VertexReferences<'g> {
    cfg: &'g Cfg,
    vertices: AllVertices,
}

impl<'g> Iterator for VertexReferences<'g> {
    type Item = (VertexId, &'g Vertex);
    fn next(&mut self) -> Option<Self::Item> {
        let v = self.vertices.next()?;
        Some((v, self.cfg.vertex(v)))
    }
}

impl<'g> IntoNodeReferences for View<'g> {
    type NodeRef = (VertexId, &'g Vertex);
    type NodeReferences = VertexReferences<'g>;
    fn node_references(self) -> VertexReferences<'g> {
        VertexReferences {
            cfg: self.0,
            vertices: self.node_identifiers(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        graph::{dominance::Dominators, postorder, reachable},
        testing::{Rng, nested, random_nesting},
    };
    use petgraph::{
        algo::{dominators::simple_fast, kosaraju_scc, toposort},
        visit::{Bfs, DfsPostOrder, Reversed, Walker},
    };

    #[test]
    fn petgraph_sees_the_same_graph() {
        let mut rng = Rng::new(2);
        for _ in 0..50 {
            let size = 1 + rng.below(40);
            let cfg = nested(&random_nesting(&mut rng, size));
            let view = View(&cfg);
            let entry = cfg.entry().unwrap();
            let found: Vec<usize> = Bfs::new(view, entry)
                .iter(view)
                .map(VertexId::index)
                .collect();
            let mut sorted = found.clone();
            sorted.sort_unstable();
            let ours: Vec<usize> = reachable(&cfg, entry.index()).ones().collect();
            assert_eq!(sorted, ours);
            let theirs = DfsPostOrder::new(view, entry).iter(view).count();
            assert_eq!(theirs, postorder(&cfg, entry.index()).len());
            let dominators = simple_fast(view, entry);
            let ours = Dominators::new(&cfg, entry.index());
            for (v, _) in cfg.vertices() {
                let theirs = dominators.immediate_dominator(v).map(VertexId::index);
                assert_eq!(theirs, ours.immediate(v.index()));
            }
            let exit = cfg.exit().unwrap();
            let back = Bfs::new(Reversed(view), exit).iter(Reversed(view)).count();
            assert_eq!(back, cfg.vertex_count());
            assert_eq!(view.edge_references().count(), cfg.edge_count());
        }
    }

    #[test]
    fn deep_graphs_and_cycles() {
        let text = "l(".repeat(50_000) + &")".repeat(50_000);
        let cfg = nested(&text);
        // All loops and their ends are one cycle; ENTRY and EXIT stand alone.
        let components = kosaraju_scc(View(&cfg));
        assert_eq!(components.len(), 3);
        assert!(toposort(View(&cfg), None).is_err());
        assert!(toposort(View(&nested("[b|b]")), None).is_ok());
    }
}
