//! Algorithms 2 to 5: the augmented forward graph and the adjoint graph, as one rule per edge.
//!
//! Source: Naumann, Utke, Lyons, Fagan, "Control Flow Reversal for Adjoint Code Generation", SCAM 2004,
//! sections 4.2 to 4.5. Algorithm 5 as printed lists cases by the types of both ends of an edge and
//! misses one: an inner loop's exit edge that runs into the outer ENDLOOP must push the inner counter
//! *and* increment the outer one. Here what follows the source and what precedes the target of
//! e = (i, j) are decided independently of each other, so no combination can be missing:
//!
//! ```text
//! forward    i , after(e)... , before(e)... , j
//!   after    i is LOOP, e its exit edge      push(ctr(i))
//!   before   j is LOOP, e its entry edge     ctr(j) := 0, values that the loop's index overwrites
//!            j is ENDLOOP                    ctr(j) := ctr(j) + 1
//!            j is ENDBRANCH                  push(arm that e ends)
//!            j is EXIT                       values of locals that the reverse sweep needs
//!
//! adjoint    from , restore(e)... , to
//!   from     the adjoint of j; if j is LOOP and e its entry edge, the FORLOOP of j's ENDLOOP
//!   restore  what before(e) saved, then what after(e) saved:
//!            rBound(i) := pop() where i is LOOP and e its exit edge,
//!            branchId := pop() where i is ENDBRANCH
//!   to       the adjoint of i; if i is LOOP and e its exit edge, the FORLOOP of i's ENDLOOP
//! ```
//!
//! In the forward chain the out-label of e stands on the first edge. In the adjoint chain the in-label
//! of e (the arm or body that it ends) is the out-label of the first edge. O(vertices + edges), plus the
//! sort that numbers the inserted blocks.

use cfg_core::{
    entity::{EdgeId, VertexId},
    ir::{Cfg, Edge, Origin, OriginRole, Stmt, Vertex, VertexKind},
    structure::Structure,
};

/// A block to be inserted into an edge: its statements and what it is.
pub(crate) struct Insert {
    pub(crate) role: OriginRole,
    pub(crate) of: VertexId,
    pub(crate) statements: Vec<Stmt>,
}

/// What stands in the vertices and inserted blocks of the forward graph.
pub(crate) trait ForwardCode {
    /// The image of a vertex.
    fn copy(&mut self, v: VertexId) -> VertexKind;
    /// Statements right after the exit of a loop.
    fn loop_exit(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Statements right before the entry of a loop.
    fn loop_entry(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Statements at the end of a loop's body.
    fn loop_end(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Statements at the end of the arm with this label.
    fn arm_end(&mut self, branch: VertexId, label: i64) -> Vec<Stmt>;
    /// Statements before EXIT.
    fn routine_exit(&mut self) -> Vec<Stmt>;
}

/// What stands in the vertices and inserted blocks of the adjoint graph.
pub(crate) trait AdjointCode {
    /// The adjoint of a vertex (the FORLOOP for an ENDLOOP, the BRANCH for an ENDBRANCH).
    fn adjoint(&mut self, v: VertexId) -> VertexKind;
    /// Statements before the adjoint loop.
    fn loop_exit(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Statements after the adjoint loop.
    fn loop_entry(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Statements before the adjoint branch.
    fn marker(&mut self, end_branch: VertexId) -> Vec<Stmt>;
    /// Statements after ENTRY.
    fn routine_exit(&mut self) -> Vec<Stmt>;
}

/// One edge of a graph under construction: from an image, through inserted blocks, to an image.
struct Chain {
    from: VertexId,
    to: VertexId,
    label: Option<i64>,
    /// The original edge.
    edge: EdgeId,
    /// Its inserted blocks begin here, and end where those of the next chain begin.
    inserts: u32,
}

/// The augmented forward graph.
pub(crate) fn forward_graph(cfg: &Cfg, structure: &Structure, code: &mut impl ForwardCode) -> Cfg {
    let mut images: Vec<Vertex> = Vec::with_capacity(cfg.vertex_count());
    for (v, vertex) in cfg.vertices() {
        images.push(Vertex {
            id: vertex.id,
            kind: code.copy(v),
            origin: Some(Origin {
                role: OriginRole::Copy,
                vertex: vertex.id,
            }),
            annotations: vertex.annotations.clone(),
        });
    }
    let mut chains = Vec::with_capacity(cfg.edge_count());
    let mut inserts = Vec::new();
    for &i in &structure.order {
        for &e in cfg.out_edges(i) {
            let edge = cfg.edge(e);
            let j = edge.to;
            let kind = structure.kind(e);
            let first = inserts.len() as u32;
            let mut insert = |role, of, statements: Vec<Stmt>| {
                if !statements.is_empty() {
                    inserts.push(Insert {
                        role,
                        of,
                        statements,
                    });
                }
            };
            if kind.loop_exit {
                insert(OriginRole::CounterPush, i, code.loop_exit(i));
            }
            if kind.loop_entry {
                insert(OriginRole::CounterInit, j, code.loop_entry(j));
            }
            match &cfg.vertex(j).kind {
                VertexKind::EndLoop => {
                    if let Some(header) = structure.partner(j) {
                        insert(OriginRole::CounterIncrement, j, code.loop_end(header));
                    }
                }
                VertexKind::EndBranch => {
                    if let (Some(branch), Some(label)) =
                        (structure.partner(j), structure.in_label(e))
                    {
                        insert(OriginRole::MarkerPush, j, code.arm_end(branch, label));
                    }
                }
                VertexKind::Exit => insert(OriginRole::ReturnSave, j, code.routine_exit()),
                VertexKind::Entry
                | VertexKind::Block(_)
                | VertexKind::Loop { .. }
                | VertexKind::Branch(_) => {}
            }
            chains.push(Chain {
                from: i,
                to: j,
                label: edge.label,
                edge: e,
                inserts: first,
            });
        }
    }
    let position = |v: VertexId| structure.position[v.index()];
    let ids = inserts.is_empty();
    assemble(cfg, images, chains, inserts, ids, position)
}

/// The adjoint graph.
pub(crate) fn adjoint_graph(cfg: &Cfg, structure: &Structure, code: &mut impl AdjointCode) -> Cfg {
    let n = cfg.vertex_count();
    // Images stand in the order of the adjoint graph; `image` maps an original vertex to its place.
    let position = |v: VertexId| (n - 1) as u32 - structure.position[v.index()];
    let image = |v: VertexId| VertexId::new(position(v) as usize);
    let mut images: Vec<Vertex> = Vec::with_capacity(n);
    for &v in structure.order.iter().rev() {
        let vertex = cfg.vertex(v);
        images.push(Vertex {
            id: -vertex.id,
            kind: code.adjoint(v),
            origin: Some(Origin {
                role: OriginRole::Adjoint,
                vertex: vertex.id,
            }),
            annotations: vertex.annotations.clone(),
        });
    }
    // The FORLOOP that takes the place of a loop at its outside: the adjoint of its ENDLOOP.
    let outside = |header: VertexId| structure.partner(header).unwrap_or(header);
    let mut chains = Vec::with_capacity(cfg.edge_count());
    let mut inserts = Vec::new();
    for &j in structure.order.iter().rev() {
        for &e in cfg.in_edges(j) {
            let edge = cfg.edge(e);
            let i = edge.from;
            let kind = structure.kind(e);
            let from = if kind.loop_entry { outside(j) } else { j };
            let to = if kind.loop_exit { outside(i) } else { i };
            let first = inserts.len() as u32;
            let mut insert = |role, of, statements: Vec<Stmt>| {
                if !statements.is_empty() {
                    inserts.push(Insert {
                        role,
                        of,
                        statements,
                    });
                }
            };
            if kind.loop_entry {
                insert(OriginRole::ValueSave, j, code.loop_entry(j));
            }
            if matches!(cfg.vertex(j).kind, VertexKind::Exit) {
                insert(OriginRole::ReturnSave, j, code.routine_exit());
            }
            if kind.loop_exit {
                insert(OriginRole::BoundPop, i, code.loop_exit(i));
            }
            if matches!(cfg.vertex(i).kind, VertexKind::EndBranch) {
                insert(OriginRole::MarkerPop, i, code.marker(i));
            }
            chains.push(Chain {
                from: image(from),
                to: image(to),
                label: structure.in_label(e),
                edge: e,
                inserts: first,
            });
        }
    }
    assemble(cfg, images, chains, inserts, false, |v| v.index() as u32)
}

/// Numbers the inserted blocks (from the largest |id| + 1, by target, then source, then edge) and links
/// the chains. `ids`: edges keep the ids of the original edges.
fn assemble(
    original: &Cfg,
    mut images: Vec<Vertex>,
    chains: Vec<Chain>,
    mut inserts: Vec<Insert>,
    ids: bool,
    position: impl Fn(VertexId) -> u32,
) -> Cfg {
    let n = images.len();
    let ends = chains.iter().skip(1).map(|chain| chain.inserts);
    let ends = ends.chain([inserts.len() as u32]);
    let mut order: Vec<(u32, u32, EdgeId, u32)> = Vec::with_capacity(inserts.len());
    for (chain, end) in chains.iter().zip(ends.clone()) {
        for k in chain.inserts..end {
            order.push((position(chain.to), position(chain.from), chain.edge, k));
        }
    }
    order.sort_unstable();
    // Where each inserted block stands in the arena.
    let mut slot = vec![0u32; inserts.len()];
    let first_id = original.max_abs_id() + 1;
    images.reserve_exact(inserts.len());
    for (rank, &(_, _, _, k)) in order.iter().enumerate() {
        slot[k as usize] = (n + rank) as u32;
        let insert = &mut inserts[k as usize];
        images.push(Vertex {
            id: first_id + rank as i64,
            kind: VertexKind::Block(std::mem::take(&mut insert.statements)),
            origin: Some(Origin {
                role: insert.role,
                vertex: original.vertex(insert.of).id,
            }),
            annotations: None,
        });
    }
    drop(order);
    let mut edges = Vec::with_capacity(chains.len() + inserts.len());
    for (chain, end) in chains.iter().zip(ends) {
        let edge = original.edge(chain.edge);
        let mut from = chain.from;
        let mut label = chain.label;
        let mut id = edge.id.filter(|_| ids);
        let mut annotations = edge.annotations.clone();
        let blocks = slot[chain.inserts as usize..end as usize].iter();
        let blocks = blocks.map(|&s| VertexId::new(s as usize));
        for to in blocks.chain([chain.to]) {
            edges.push(Edge {
                from,
                to,
                label: label.take(),
                id: id.take(),
                annotations: annotations.take(),
            });
            from = to;
        }
    }
    // Every edge was built from vertices of `images`, so the graph exists.
    Cfg::new(images, edges).unwrap_or_default()
}
