//! The order and form in which edges are written so that Graphviz draws one column.
//!
//! Graphviz puts the target of an edge below its source and breaks cycles where it likes. Three things make
//! a picture that reads like the program: neither back edges nor edges that leave a loop take part in the
//! ranking, so that all of them run beside the column, on one side; what an edge that leaves a loop leads to
//! stands below the loop's last vertex, by an invisible edge; and the arms of a branch are written in the order
//! of their labels and kept in it (`ordering=out`).

use cfg_core::{
    entity::{EdgeId, VertexId},
    graph::loops::LoopForest,
    ir::Cfg,
};

/// The course of an edge in a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Course {
    /// The edge neither leads back nor leaves a loop.
    Ahead,
    /// The edge leads back to the header of a loop around its source.
    Back,
    /// The edge leaves a loop.
    Exit,
}

/// The edges of a graph as they are written.
pub(super) struct Layout {
    /// All edges, those of one vertex together.
    pub(super) edges: Vec<(EdgeId, Course)>,
    /// Pairs of vertices of which the second is drawn below the first.
    pub(super) below: Vec<(VertexId, VertexId)>,
}

impl Layout {
    /// O(edges log edges). Without a forest, edges go as they stand in the graph.
    pub(super) fn of(cfg: &Cfg, forest: Option<&LoopForest>) -> Self {
        let course = |from: VertexId, to: VertexId| match forest {
            Some(forest) if forest.back_to(from.index(), to.index()).is_some() => Course::Back,
            Some(forest) if forest.outermost_left(from.index(), to.index()).is_some() => {
                Course::Exit
            }
            Some(_) | None => Course::Ahead,
        };
        let mut edges: Vec<_> = cfg
            .edges()
            .map(|(e, edge)| (e, course(edge.from, edge.to)))
            .collect();
        edges.sort_by_key(|&(e, course)| {
            let edge = cfg.edge(e);
            (edge.from, course, edge.label, e)
        });
        let below = forest.map_or_else(Vec::new, |forest| below(cfg, forest, &edges));
        Self { edges, below }
    }
}

/// The loop's last vertex and the target of each edge that leaves a loop.
fn below(cfg: &Cfg, forest: &LoopForest, edges: &[(EdgeId, Course)]) -> Vec<(VertexId, VertexId)> {
    let mut last = vec![None; forest.len()];
    for &(e, course) in edges {
        let edge = cfg.edge(e);
        if course == Course::Back
            && let Some(l) = forest.headed_by(edge.to.index())
        {
            last[l.index()] = Some(edge.from);
        }
    }
    let mut pairs: Vec<_> = edges
        .iter()
        .filter_map(|&(e, _)| {
            let edge = cfg.edge(e);
            let left = forest.outermost_left(edge.from.index(), edge.to.index())?;
            // An edge from there to the same vertex says it already.
            Some((last[left.index()].filter(|v| *v != edge.from)?, edge.to))
        })
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
