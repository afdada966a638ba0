//! Algorithms 2 to 5: the augmented forward graph and the adjoint graph, as one rule per edge.
//!
//! Source: Naumann, Utke, Lyons, Fagan, "Control Flow Reversal for Adjoint Code Generation", SCAM 2004,
//! sections 4.2 to 4.5. Algorithm 5 as printed lists cases by the types of both ends of an edge and
//! misses one: an inner loop's exit edge that runs into the outer ENDLOOP must push the inner counter
//! *and* increment the outer one. Here the block behind the source and the block before the target of e = (i, j) are
//! decided independently of each other, so no combination can be missing:
//!
//! ```text
//! forward    i , after(e)... , before(e)... , j
//!   after    i is LOOP, e its exit edge      push(ctr(i))
//!   before   j is LOOP, e its entry edge     ctr(j) := 0, values that the loop's index overwrites
//!            j is ENDLOOP                    ctr(j) := ctr(j) + 1
//!            j is ENDBRANCH                  push(arm that e ends)
//!            j is EXIT                       values of locals that the reverse sweep needs
//!   region   e enters or leaves a region whose Jacobian is carried: what it overwrites, and the Jacobian
//!
//! adjoint    from , restore(e)... , to
//!   from     the adjoint of j; if j is LOOP and e its entry edge, the FORLOOP of j's ENDLOOP
//!   restore  what before(e) saved, then what after(e) saved:
//!            rBound(i) := pop() where i is LOOP and e its exit edge,
//!            branchId := pop() where i is ENDBRANCH
//!   to       the adjoint of i; if i is LOOP and e its exit edge, the FORLOOP of i's ENDLOOP
//! ```
//!
//! Inside of such a region nothing is inserted, and the adjoint graph has no image of it: the edge out of the region
//! and the edge into it become one chain.
//!
//! In the forward chain the out-label of e stands on the first edge. In the adjoint chain the in-label
//! of e (the arm or body that it ends) is the out-label of the first edge. O(vertices + edges), plus the
//! sort that numbers the inserted blocks. Loops and branches in which the adjoint does nothing are left out: the edges
//! into and out of such a one are one edge of the adjoint graph.

use cfg_core::{
    diagnostic::Diagnostics,
    edit::Editor,
    entity::{EdgeId, VertexId},
    ir::{Cfg, Edge, FreshIds, Origin, OriginRole, Stmt, Vertex, VertexKind},
    structure::Structure,
};

use fixedbitset::FixedBitSet;

use crate::code::built;

/// The statements in the vertices and inserted blocks of the forward graph.
pub(crate) trait ForwardCode {
    /// The image of a vertex.
    fn copy(&mut self, v: VertexId) -> VertexKind;
    /// Statements right after the exit of a loop.
    fn loop_exit(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Statements right before a loop, on its entry edge.
    fn loop_entry(&mut self, header: VertexId, entry: EdgeId) -> Vec<Stmt>;
    /// Statements at the end of a loop's body.
    fn loop_end(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Statements at the end of the arm with this label.
    fn arm_end(&mut self, branch: VertexId, label: i64) -> Vec<Stmt>;
    /// Statements before EXIT.
    fn routine_exit(&mut self) -> Vec<Stmt>;
    /// True for a vertex of a region that the adjoint graph passes over: nothing is inserted inside.
    fn is_passed_over(&self, v: VertexId) -> bool;
    /// Statements on an edge into such a region.
    fn region_entry(&mut self, e: EdgeId) -> Vec<Stmt>;
    /// Statements on an edge out of such a region.
    fn region_exit(&mut self, e: EdgeId) -> Vec<Stmt>;
}

/// The statements in the vertices and inserted blocks of the adjoint graph.
pub(crate) trait AdjointCode {
    /// True if the adjoint graph leaves the loop or branch with this header out.
    fn is_left_out(&self, header: VertexId) -> bool;
    /// The adjoint of a vertex (the FORLOOP for an ENDLOOP, the BRANCH for an ENDBRANCH).
    fn adjoint(&mut self, v: VertexId) -> VertexKind;
    /// Statements before the adjoint loop.
    fn loop_exit(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Statements after the adjoint loop, of the loop with this entry edge.
    fn loop_entry(&mut self, header: VertexId, entry: EdgeId) -> Vec<Stmt>;
    /// Statements at the start of the adjoint loop's body.
    fn loop_body(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Statements before the adjoint branch.
    fn marker(&mut self, end_branch: VertexId) -> Vec<Stmt>;
    /// Statements after ENTRY.
    fn routine_exit(&mut self) -> Vec<Stmt>;
    /// True for a vertex of a region that has no image.
    fn is_passed_over(&self, v: VertexId) -> bool;
    /// The edge into the region that an edge leaves, and the adjoint of the region.
    fn region(&mut self, exit: EdgeId) -> Option<(EdgeId, Vec<Stmt>)>;
}

/// A graph under construction: images of the vertices, and blocks that are inserted into edges.
struct Chains<'g> {
    original: &'g Cfg,
    images: Vec<Vertex>,
    /// The inserted blocks, in the order of their creation.
    inserts: Vec<(Origin, Vec<Stmt>)>,
    /// The key of each inserted block, by which it is numbered: the positions of the ends of its edge and the edge.
    keys: Vec<(u32, u32, EdgeId, u32)>,
    /// The edges; until all inserted blocks are numbered, the k-th made is vertex `images.len() + k`.
    edges: Vec<Edge>,
}

impl<'g> Chains<'g> {
    fn new(original: &'g Cfg) -> Self {
        Self {
            original,
            images: Vec::with_capacity(original.vertex_count()),
            inserts: Vec::new(),
            keys: Vec::new(),
            edges: Vec::with_capacity(original.edge_count()),
        }
    }

    /// Adds the image of the next vertex. All images are added before the first edge.
    fn image(&mut self, of: &Vertex, id: i64, role: OriginRole, kind: VertexKind) {
        self.images.push(Vertex {
            origin: Some(Origin {
                role,
                vertex: of.id,
            }),
            at: of.at.clone(),
            annotations: of.annotations.clone(),
            ..Vertex::new(id, kind)
        });
    }

    /// Adds a block to the chain of the next edge.
    fn insert(&mut self, role: OriginRole, of: VertexId, statements: Vec<Stmt>) {
        if !statements.is_empty() {
            let vertex = self.original.vertex(of).id;
            self.inserts.push((Origin { role, vertex }, statements));
        }
    }

    /// Draws the image of an edge, through the blocks inserted since the previous edge. `positions`: those of its
    /// ends.
    fn edge(
        &mut self,
        e: EdgeId,
        (mut from, to): (VertexId, VertexId),
        positions: (u32, u32),
        mut label: Option<i64>,
    ) {
        let mut annotations = self.original.edge(e).annotations.clone();
        for k in self.keys.len()..self.inserts.len() {
            let block = VertexId::new(self.images.len() + k);
            self.keys.push((positions.1, positions.0, e, k as u32));
            self.edges.push(Edge {
                from,
                to: block,
                label: label.take(),
                id: None,
                annotations: annotations.take(),
            });
            from = block;
        }
        self.edges.push(Edge {
            from,
            to,
            label,
            id: None,
            annotations,
        });
    }

    /// Numbers the inserted blocks (from the largest |id| + 1, by target, then source, then edge), and puts all vertices in order.
    fn finish(mut self) -> Result<Cfg, Diagnostics> {
        let n = self.images.len();
        let mut ids = FreshIds::beside(self.images.iter().map(|v| v.id));
        self.keys.sort_unstable();
        // The position of each inserted block in the arena.
        let mut slot = vec![VertexId::new(0); self.inserts.len()];
        self.images.reserve_exact(self.inserts.len());
        for (rank, &(_, _, _, k)) in self.keys.iter().enumerate() {
            slot[k as usize] = VertexId::new(n + rank);
            let (origin, statements) = &mut self.inserts[k as usize];
            self.images.push(Vertex {
                origin: Some(*origin),
                ..Vertex::new(ids.next_id(), VertexKind::Block(std::mem::take(statements)))
            });
        }
        for edge in &mut self.edges {
            for end in [&mut edge.from, &mut edge.to] {
                if let Some(k) = end.index().checked_sub(n) {
                    *end = slot[k];
                }
            }
        }
        let graph = Editor::from_parts(self.images, self.edges);
        built::in_topological_order(graph.finish()).map(Editor::finish)
    }
}

/// The augmented forward graph.
pub(crate) fn forward_graph(
    cfg: &Cfg,
    structure: &Structure,
    code: &mut impl ForwardCode,
) -> Result<Cfg, Diagnostics> {
    let mut chains = Chains::new(cfg);
    for (v, vertex) in cfg.vertices() {
        chains.image(vertex, vertex.id, OriginRole::Copy, code.copy(v));
    }
    let position = |v: VertexId| structure.position[v.index()];
    for &i in &structure.order {
        for &e in cfg.out_edges(i) {
            let edge = cfg.edge(e);
            let j = edge.to;
            let kind = structure.kind(e);
            let passed = [i, j].map(|v| code.is_passed_over(v));
            if kind.loop_exit && !passed[0] {
                chains.insert(OriginRole::CounterPush, i, code.loop_exit(i));
            }
            chains.insert(OriginRole::ValueSave, i, code.region_exit(e));
            if kind.loop_entry && !passed[1] {
                chains.insert(OriginRole::CounterInit, j, code.loop_entry(j, e));
            }
            chains.insert(OriginRole::ValueSave, j, code.region_entry(e));
            match &cfg.vertex(j).kind {
                VertexKind::EndLoop if !passed[1] => {
                    if let Some(header) = structure.partner(j) {
                        chains.insert(OriginRole::CounterIncrement, j, code.loop_end(header));
                    }
                }
                VertexKind::EndBranch if !passed[1] => {
                    if let (Some(branch), Some(label)) =
                        (structure.partner(j), structure.in_label(e))
                    {
                        chains.insert(OriginRole::MarkerPush, j, code.arm_end(branch, label));
                    }
                }
                VertexKind::Exit => chains.insert(OriginRole::ReturnSave, j, code.routine_exit()),
                VertexKind::Entry
                | VertexKind::Block(_)
                | VertexKind::Loop { .. }
                | VertexKind::EndLoop
                | VertexKind::Branch(_)
                | VertexKind::EndBranch => {}
            }
            chains.edge(e, (i, j), (position(i), position(j)), edge.label);
        }
    }
    if chains.inserts.is_empty() {
        // The edges are the original ones, in another order.
        let named = cfg.edges().any(|(_, e)| e.id.is_some());
        let edges = structure.order.iter().flat_map(|&i| cfg.out_edges(i));
        for (edge, &e) in chains.edges.iter_mut().zip(edges) {
            edge.id = named.then(|| cfg.edge(e).id.unwrap_or(e.index() as i64));
        }
    }
    chains.finish()
}

/// The adjoint graph.
pub(crate) fn adjoint_graph(
    cfg: &Cfg,
    structure: &Structure,
    code: &mut impl AdjointCode,
) -> Result<Cfg, Diagnostics> {
    let left_out = left_out(cfg, structure, code);
    // Images stand in the order of the adjoint graph; `places` maps an original vertex to its place.
    let mut places = vec![0; cfg.vertex_count()];
    let mut chains = Chains::new(cfg);
    for &v in structure.order.iter().rev() {
        if !left_out.contains(v.index()) {
            let vertex = cfg.vertex(v);
            places[v.index()] = chains.images.len() as u32;
            chains.image(vertex, -vertex.id, OriginRole::Adjoint, code.adjoint(v));
        }
    }
    let image = |v: VertexId| VertexId::new(places[v.index()] as usize);
    // The FORLOOP that takes the place of a loop at its outside: the adjoint of its ENDLOOP.
    let outside = |header: VertexId| structure.partner(header).unwrap_or(header);
    for &j in structure.order.iter().rev() {
        if left_out.contains(j.index()) {
            continue;
        }
        for &into in cfg.in_edges(j) {
            let kind = structure.kind(into);
            let from = if kind.loop_entry { outside(j) } else { j };
            if kind.loop_entry {
                chains.insert(OriginRole::ValueSave, j, code.loop_entry(j, into));
            }
            if let (VertexKind::EndLoop, Some(header)) = (&cfg.vertex(j).kind, structure.partner(j))
            {
                chains.insert(OriginRole::ValueSave, header, code.loop_body(header));
            }
            if matches!(cfg.vertex(j).kind, VertexKind::Exit) {
                chains.insert(OriginRole::ReturnSave, j, code.routine_exit());
            }
            // The edge through regions, loops and branches without images is that into the first of them.
            let mut entry = into;
            loop {
                let end = cfg.edge(entry).from;
                if let Some((before, adjoint)) = code.region(entry) {
                    chains.insert(OriginRole::ValueSave, end, adjoint);
                    entry = before;
                    continue;
                }
                if !left_out.contains(end.index()) {
                    break;
                }
                let is_branch = matches!(cfg.vertex(end).kind, VertexKind::EndBranch);
                let header = if is_branch { outside(end) } else { end };
                let mut into = cfg.in_edges(header).iter().copied();
                let Some(before) = into.find(|&e| !structure.kind(e).loop_back) else {
                    break;
                };
                entry = before;
                if structure.kind(entry).loop_entry {
                    let restored = code.loop_entry(header, entry);
                    chains.insert(OriginRole::ValueSave, header, restored);
                }
            }
            let i = cfg.edge(entry).from;
            let is_exit = structure.kind(entry).loop_exit;
            let to = if is_exit { outside(i) } else { i };
            if is_exit {
                chains.insert(OriginRole::BoundPop, i, code.loop_exit(i));
            }
            if matches!(cfg.vertex(i).kind, VertexKind::EndBranch) {
                chains.insert(OriginRole::MarkerPop, i, code.marker(i));
            }
            let ends = (image(from), image(to));
            let positions = (ends.0.index() as u32, ends.1.index() as u32);
            chains.edge(into, ends, positions, structure.in_label(into));
        }
    }
    chains.finish()
}

/// The vertices of loops and branches that the adjoint graph leaves out.
fn left_out(cfg: &Cfg, structure: &Structure, code: &impl AdjointCode) -> FixedBitSet {
    let mut left_out = FixedBitSet::with_capacity(cfg.vertex_count());
    for &v in &structure.order {
        let header = match cfg.vertex(v).kind {
            VertexKind::Loop { .. } | VertexKind::Branch(_) => Some(v),
            VertexKind::EndLoop | VertexKind::EndBranch => structure.partner(v),
            VertexKind::Entry | VertexKind::Exit | VertexKind::Block(_) => None,
        };
        let is_inside = structure.parent[v.index()].is_some_and(|v| left_out.contains(v.index()));
        let is_left_out = header.is_some_and(|header| code.is_left_out(header));
        if is_inside || is_left_out || code.is_passed_over(v) {
            left_out.insert(v.index());
        }
    }
    left_out
}
