//! Puts branches and loops into the middle of a basic block.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{VarId, VertexId},
    ir::{Cfg, Edge, Expr, FreshIds, Op, Selector, Stmt, Vertex, VertexKind, keep_edge_ids},
};
use std::collections::VecDeque;

use crate::code::{built, mark::Mark};

/// A graph that is taken apart.
pub(crate) struct Splice {
    pub(crate) vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    /// The out-edge of each vertex that has one.
    out_edge: Vec<Option<usize>>,
    ids: FreshIds,
    /// The span and the origin of the statement found last, which the statements made from it take over.
    mark: Option<Mark>,
}

impl Splice {
    /// Takes the graph out of `body` and apart if `is_meant` is true of one of its statements; otherwise leaves it
    /// there.
    pub(crate) fn where_any(
        body: &mut Option<Cfg>,
        is_meant: impl Fn(&Stmt) -> bool,
    ) -> Option<Self> {
        let meant = |cfg: &mut Cfg| {
            let mut vertices = cfg.vertices();
            vertices.any(|(_, v)| v.statements().iter().any(&is_meant))
        };
        body.take_if(meant).map(Self::of)
    }

    /// Takes a graph apart.
    pub(crate) fn of(cfg: Cfg) -> Self {
        let ids = FreshIds::of_vertices(&cfg);
        let (vertices, mut edges) = cfg.into_parts();
        keep_edge_ids(&mut edges);
        let mut out_edge = vec![None; vertices.len()];
        for (e, edge) in edges.iter().enumerate() {
            out_edge[edge.from.index()] = Some(e);
        }
        Self {
            vertices,
            edges,
            out_edge,
            ids,
            mark: None,
        }
    }

    /// Takes the statements out of all blocks, to be put back by [`Self::fill`].
    pub(crate) fn take_statements(&mut self) -> Vec<(usize, VecDeque<Stmt>)> {
        let vertices = self.vertices.iter_mut().enumerate();
        let blocks = vertices.filter_map(|(v, vertex)| match &mut vertex.kind {
            VertexKind::Block(statements) => Some((v, std::mem::take(statements).into())),
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Loop { .. }
            | VertexKind::EndLoop
            | VertexKind::Branch(_)
            | VertexKind::EndBranch => None,
        });
        blocks.collect()
    }

    /// Moves statements from `rest` into a block, up to the first one for which `find` has a result: returns that
    /// statement and the result. `None`: all statements are in the block.
    pub(crate) fn fill<T>(
        &mut self,
        block: usize,
        rest: &mut VecDeque<Stmt>,
        find: impl Fn(&Stmt) -> Option<T>,
    ) -> Option<(Stmt, T)> {
        self.mark = None;
        while let Some(statement) = rest.pop_front() {
            match find(&statement) {
                Some(found) => {
                    self.mark = Some(Mark::of(&statement, None));
                    return Some((statement, found));
                }
                None => self.push(block, statement),
            }
        }
        None
    }

    /// Adds a statement to a block.
    pub(crate) fn push(&mut self, block: usize, mut statement: Stmt) {
        if let Some(mark) = &self.mark {
            mark.put(&mut statement);
        }
        if let VertexKind::Block(statements) = &mut self.vertices[block].kind {
            statements.push(statement);
        }
    }

    /// The resulting graph; edges of the original keep their ids.
    pub(crate) fn finish(self) -> Result<Cfg, Diagnostics> {
        built::graph(self.vertices, self.edges)
    }

    pub(crate) fn add(&mut self, kind: VertexKind) -> usize {
        let at = self.mark.as_ref().and_then(|mark| mark.at.clone());
        self.vertices.push(Vertex {
            at,
            ..Vertex::new(self.ids.next_id(), kind)
        });
        self.out_edge.push(None);
        self.vertices.len() - 1
    }

    pub(crate) fn block(&mut self, mut statements: Vec<Stmt>) -> usize {
        if let Some(mark) = &self.mark {
            statements.iter_mut().for_each(|s| mark.put(s));
        }
        self.add(VertexKind::Block(statements))
    }

    pub(crate) fn edge(&mut self, from: usize, to: usize, label: Option<i64>) {
        self.out_edge[from] = Some(self.edges.len());
        let id = VertexId::new;
        self.edges.push(Edge::new(id(from), id(to), label));
    }

    /// A new block that takes over the out-edge of `block`; no edge leads to it yet.
    pub(crate) fn after(&mut self, block: usize) -> usize {
        let last = self.block(Vec::new());
        if let Some(e) = self.out_edge[block].take() {
            self.edges[e].from = VertexId::new(last);
            self.out_edge[last] = Some(e);
        }
        last
    }

    /// Adds a branch after a block that executes statements if an optional argument is present; returns the block
    /// behind it.
    pub(crate) fn if_present(
        &mut self,
        block: usize,
        argument: VarId,
        statements: Vec<Stmt>,
    ) -> usize {
        let last = self.after(block);
        let (branch, _, end) = self.present_arm(block, argument, statements);
        self.edge(branch, end, Some(0));
        self.edge(end, last, None);
        last
    }

    /// Adds a branch on the presence of an optional argument; returns the blocks of its two arms, and the block
    /// behind it.
    pub(crate) fn if_present_else(
        &mut self,
        block: usize,
        argument: VarId,
        [present, absent]: [Vec<Stmt>; 2],
    ) -> [usize; 3] {
        let last = self.after(block);
        let (branch, arm, end) = self.present_arm(block, argument, present);
        let other = self.block(absent);
        self.edge(branch, other, Some(0));
        self.edge(other, end, None);
        self.edge(end, last, None);
        [arm, other, last]
    }

    /// Adds a branch on the presence of an optional argument with its first arm; returns the BRANCH, the arm, and the
    /// ENDBRANCH.
    fn present_arm(
        &mut self,
        block: usize,
        argument: VarId,
        statements: Vec<Stmt>,
    ) -> (usize, usize, usize) {
        let present = Expr::op(Op::Present, [Expr::var(argument)]);
        let branch = self.add(VertexKind::Branch(Box::new(Selector::Condition(present))));
        let arm = self.block(statements);
        let end = self.add(VertexKind::EndBranch);
        self.edge(block, branch, None);
        self.edge(branch, arm, Some(1));
        self.edge(arm, end, None);
        (branch, arm, end)
    }
}
