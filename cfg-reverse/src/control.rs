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
    annotations: cfg_core::ir::Annotations,
    id: Option<i64>,
    edge: EdgeId,
    inserts: Vec<Insert>,
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
    for &i in &structure.order {
        for &e in cfg.out_edges(i) {
            let edge = cfg.edge(e);
            let j = edge.to;
            let kind = structure.kind(e);
            let mut inserts = Vec::new();
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
                annotations: edge.annotations.clone(),
                id: edge.id,
                edge: e,
                inserts,
            });
        }
    }
    let position = |v: VertexId| structure.position[v.index()];
    assemble(cfg, images, chains, position)
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
    for &j in structure.order.iter().rev() {
        for &e in cfg.in_edges(j) {
            let edge = cfg.edge(e);
            let i = edge.from;
            let kind = structure.kind(e);
            let from = if kind.loop_entry { outside(j) } else { j };
            let to = if kind.loop_exit { outside(i) } else { i };
            let mut inserts = Vec::new();
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
                annotations: edge.annotations.clone(),
                id: None,
                edge: e,
                inserts,
            });
        }
    }
    assemble(cfg, images, chains, |v| v.index() as u32)
}

/// Numbers the inserted blocks (from the largest |id| + 1, by target, then source, then edge) and links
/// the chains.
fn assemble(
    original: &Cfg,
    mut images: Vec<Vertex>,
    chains: Vec<Chain>,
    position: impl Fn(VertexId) -> u32,
) -> Cfg {
    let n = images.len();
    let mut order: Vec<(u32, u32, EdgeId, u32, u32)> = Vec::new();
    for (c, chain) in chains.iter().enumerate() {
        for k in 0..chain.inserts.len() {
            order.push((
                position(chain.to),
                position(chain.from),
                chain.edge,
                k as u32,
                c as u32,
            ));
        }
    }
    order.sort_unstable();
    // Where each chain's inserted blocks stand in the arena.
    let mut start: Vec<u32> = Vec::with_capacity(chains.len());
    let mut total = 0;
    for chain in &chains {
        start.push(total);
        total += chain.inserts.len() as u32;
    }
    let mut slot = vec![0u32; total as usize];
    for (rank, &(_, _, _, k, c)) in order.iter().enumerate() {
        slot[(start[c as usize] + k) as usize] = rank as u32;
    }
    let first_id = original.max_abs_id() + 1;
    let mut inserted: Vec<Option<Vertex>> = (0..total).map(|_| None).collect();
    let mut edges = Vec::with_capacity(chains.len() + total as usize);
    for (c, chain) in chains.into_iter().enumerate() {
        let mut from = chain.from;
        let mut label = chain.label;
        let mut annotations = chain.annotations;
        let mut id = if total == 0 { chain.id } else { None };
        for (k, insert) in chain.inserts.into_iter().enumerate() {
            let rank = slot[start[c] as usize + k];
            let block = VertexId::new(n + rank as usize);
            inserted[rank as usize] = Some(Vertex {
                id: first_id + i64::from(rank),
                kind: VertexKind::Block(insert.statements),
                origin: Some(Origin {
                    role: insert.role,
                    vertex: original.vertex(insert.of).id,
                }),
                annotations: None,
            });
            edges.push(Edge {
                from,
                to: block,
                label: label.take(),
                id: id.take(),
                annotations: annotations.take(),
            });
            from = block;
        }
        edges.push(Edge {
            from,
            to: chain.to,
            label,
            id,
            annotations,
        });
    }
    images.extend(inserted.into_iter().flatten());
    // Every edge was built from vertices of `images`, so the graph exists.
    Cfg::new(images, edges).unwrap_or_default()
}
