//! The order and form in which vertices and edges are written so that Graphviz draws one column without edges that
//! cross.
//!
//! Graphviz puts the target of an edge below its source, breaks cycles where it likes, and starts to order a row
//! from the order in which vertices are declared. Four things make a picture that reads like the program. Edges
//! that lead back are written from the header down, with the arrow at their beginning: there is no cycle to break,
//! and they keep to the left of the body. An edge that leaves a loop pulls at nothing, and its target stands below
//! the loop's last vertex, by an invisible edge. The targets of a vertex are declared from left to right when the
//! vertex is met: ends of a loop, arms in the order of their labels, what follows a loop. The arms of a branch are
//! kept in that order, by `ordering=out`, which Graphviz heeds outside of clusters only, or by vertices of their own
//! in a row (`Drawing::write_arms`).

use cfg_core::{
    entity::{EdgeId, VertexId},
    graph::{Adjacency, DiGraph, loops::LoopForest, reverse_postorder},
    ir::Cfg,
};

/// The course of an edge in a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Course {
    /// The edge neither leads back nor leaves a loop.
    Ahead,
    /// The edge leaves a loop.
    Exit,
    /// The edge leads back to the header of a loop around its source.
    Back,
}

/// The vertices and edges of a graph as they are written.
pub(super) struct Layout {
    /// All vertices.
    pub(super) vertices: Vec<VertexId>,
    /// All edges, those that have the same upper end together.
    pub(super) edges: Vec<(EdgeId, Course)>,
    /// Pairs of vertices of which the second is drawn below the first.
    pub(super) below: Vec<(VertexId, VertexId)>,
    /// The position of each vertex among `vertices`.
    position: Vec<usize>,
}

impl Layout {
    /// O(edges log edges). Without a forest, vertices and edges go as they stand in the graph.
    pub(super) fn arrange(cfg: &Cfg, forest: Option<&LoopForest>) -> Self {
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
        edges.sort_by_key(|&(e, course)| (course, cfg.edge(e).label, e));
        let vertices = declared(cfg, &edges);
        let mut position = vec![0; vertices.len()];
        for (at, v) in vertices.iter().enumerate() {
            position[v.index()] = at;
        }
        edges.sort_by_key(|&(e, course)| position[upper(cfg, e, course).index()]);
        let mut below = forest.map_or_else(Vec::new, |forest| below(cfg, forest, &edges));
        below.sort_unstable_by_key(|(a, b)| (position[a.index()], position[b.index()]));
        below.dedup();
        Self {
            vertices,
            edges,
            below,
            position,
        }
    }

    /// The edges that are drawn from a vertex down to their targets, from left to right.
    pub(super) fn downwards(&self, cfg: &Cfg, v: VertexId) -> impl Iterator<Item = EdgeId> {
        let position =
            |&(e, course): &(EdgeId, Course)| self.position[upper(cfg, e, course).index()];
        let first = self
            .edges
            .partition_point(|edge| position(edge) < self.position[v.index()]);
        let from_here = self.edges[first..]
            .iter()
            .take_while(move |&&(e, course)| upper(cfg, e, course) == v);
        from_here
            .filter(|(_, course)| *course != Course::Back)
            .map(|&(e, _)| e)
    }
}

/// The end of an edge that is drawn above the other.
fn upper(cfg: &Cfg, e: EdgeId, course: Course) -> VertexId {
    let edge = cfg.edge(e);
    match course {
        Course::Ahead | Course::Exit => edge.from,
        Course::Back => edge.to,
    }
}

/// The vertices in topological order, but each as soon as a vertex above it is there, and left before right. `edges`
/// go from left to right, but those that lead back.
fn declared(cfg: &Cfg, edges: &[(EdgeId, Course)]) -> Vec<VertexId> {
    let n = cfg.vertex_count();
    let of_course = |wanted| {
        let edges = edges.iter().filter(move |(_, course)| *course == wanted);
        edges.map(|&(e, _)| (cfg.edge(e).from.index(), cfg.edge(e).to.index()))
    };
    let (ahead, exits) = (of_course(Course::Ahead), of_course(Course::Exit));
    // Reverse postorder has last what is found first.
    let from_right = exits.clone().rev().chain(ahead.clone().rev());
    let from_right = Adjacency::new(n, from_right);
    let back = of_course(Course::Back).map(|(end, header)| (header, end));
    let from_left = Adjacency::new(n, back.chain(ahead).chain(exits));
    let mut order = cfg.entry().map_or_else(Vec::new, |entry| {
        reverse_postorder(&from_right, entry.index())
    });
    // The others are those that are not reached.
    order.extend(0..n);
    let mut declared = Vec::with_capacity(n);
    let mut is_declared = vec![false; n];
    for v in order {
        for next in std::iter::once(v).chain(from_left.successors(v)) {
            if !std::mem::replace(&mut is_declared[next], true) {
                declared.push(VertexId::new(next));
            }
        }
    }
    declared
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
    let pairs = edges.iter().filter_map(|&(e, _)| {
        let edge = cfg.edge(e);
        let left = forest.outermost_left(edge.from.index(), edge.to.index())?;
        // An edge from there to the same vertex says it already.
        Some((last[left.index()].filter(|v| *v != edge.from)?, edge.to))
    });
    pairs.collect()
}
