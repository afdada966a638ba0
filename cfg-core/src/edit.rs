//! Graphs that are built or changed: where a [`Cfg`] is taken apart and put together, with ids, order of edges and
//! marks of what is added.
//!
//! Vertices and edges are named by their positions, which stay until the graph is finished or arranged: what is added
//! comes last, what is removed is marked.
//!
//! ```
//! use cfg_core::{edit::{Editor, Tail}, ir::{Expr, VertexKind}};
//!
//! let mut graph = Editor::default();
//! let mut tail = Tail(graph.add(VertexKind::Entry), None);
//! let header = graph.begin_loop(&mut tail, cfg_core::ir::LoopTest::Pre(Expr::Logical(false)));
//! graph.append(&mut tail, VertexKind::Block(Vec::new()));
//! graph.end_loop(&mut tail, header);
//! graph.append(&mut tail, VertexKind::Exit);
//! let cfg = graph.finish();
//! assert!(cfg_core::structure::Structure::compute(&cfg).is_ok());
//! ```

#[cfg(test)]
mod tests;

use crate::{
    entity::{VarId, VertexId},
    graph::{Adjacency, reachable},
    ir::{
        At, Cfg, Edge, Expr, FreshIds, LoopTest, Op, StatementOrigin, Stmt, Vertex, VertexKind,
        complete_edge_ids, keep_edge_ids,
    },
};
use fixedbitset::FixedBitSet;
use std::collections::VecDeque;

/// The span and the origin of a statement, which all that is made from it takes over.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    /// The piece of a source that the statement stands for.
    pub at: At,
    /// The statement of the original routine.
    pub origin: StatementOrigin,
}

impl Mark {
    /// The marks of a statement, which is this one of the original routine if it stands there as it is.
    pub fn from_statement(statement: &Stmt, number: Option<usize>) -> Self {
        Self {
            at: statement.at.clone(),
            origin: number.map_or(statement.origin, StatementOrigin::from_number),
        }
    }

    /// Marks what was made from the statement; spans of its own stay.
    pub fn put(&self, made: &mut Stmt) {
        if made.at.is_none() {
            made.at.clone_from(&self.at);
        }
        made.origin = self.origin;
    }
}

/// The vertex that the next edge leaves, and the label of that edge.
#[derive(Clone, Copy, Debug)]
pub struct Tail(pub usize, pub Option<i64>);

/// A graph whose vertices and edges can be added, removed, split and moved.
#[derive(Clone, Debug, Default)]
pub struct Editor {
    /// The vertices, with those that are removed.
    pub vertices: Vec<Vertex>,
    /// The edges, with those that are removed.
    pub edges: Vec<Edge>,
    /// The span and the origin of all that is added, but of statements with spans of their own.
    pub mark: Option<Mark>,
    removed: FixedBitSet,
    removed_edges: FixedBitSet,
    /// Of the first edges, so many, the last one that leaves each vertex.
    out_edge: Vec<Option<usize>>,
    known_edges: usize,
    ids: Option<FreshIds>,
}

impl Editor {
    /// Takes a graph apart. Edges keep their ids.
    pub fn take_apart(cfg: Cfg) -> Self {
        let (vertices, mut edges) = cfg.into_parts();
        keep_edge_ids(&mut edges);
        Self::from_parts(vertices, edges)
    }

    /// A graph of these vertices and edges.
    pub fn from_parts(vertices: Vec<Vertex>, edges: Vec<Edge>) -> Self {
        Self {
            vertices,
            edges,
            ..Self::default()
        }
    }

    /// Takes a graph apart if one of its statements is such a one; else it stays where it is.
    pub fn where_any(body: &mut Option<Cfg>, is_meant: impl Fn(&Stmt) -> bool) -> Option<Self> {
        let meant = |cfg: &mut Cfg| {
            let mut vertices = cfg.vertices();
            vertices.any(|(_, v)| v.statements().iter().any(&is_meant))
        };
        body.take_if(meant).map(Self::take_apart)
    }

    /// ENTRY, blocks in a row, EXIT.
    pub fn line(blocks: impl IntoIterator<Item = Vec<Stmt>>) -> Cfg {
        let mut graph = Self::default();
        let mut tail = Tail(graph.add(VertexKind::Entry), None);
        for statements in blocks {
            graph.append_block(&mut tail, statements);
        }
        graph.append(&mut tail, VertexKind::Exit);
        graph.finish()
    }

    /// Adds a vertex with an id that no vertex has, nor its adjoint.
    pub fn add(&mut self, kind: VertexKind) -> usize {
        let taken = self.vertices.iter().map(|v| v.id);
        let ids = self.ids.get_or_insert_with(|| FreshIds::beside(taken));
        let at = self.mark.as_ref().and_then(|mark| mark.at.clone());
        self.vertices.push(Vertex {
            at,
            ..Vertex::new(ids.next_id(), kind)
        });
        self.vertices.len() - 1
    }

    /// Adds a block.
    pub fn block(&mut self, mut statements: Vec<Stmt>) -> usize {
        if let Some(mark) = &self.mark {
            statements.iter_mut().for_each(|s| mark.put(s));
        }
        self.add(VertexKind::Block(statements))
    }

    /// Adds a vertex that is another one but for its id.
    pub fn copy(&mut self, v: usize) -> usize {
        let copy = self.add(VertexKind::EndLoop);
        self.vertices[copy] = Vertex {
            id: self.vertices[copy].id,
            ..self.vertices[v].clone()
        };
        copy
    }

    /// Adds an edge.
    pub fn add_edge(&mut self, from: usize, to: usize, label: Option<i64>) -> usize {
        let (from, to) = (VertexId::new(from), VertexId::new(to));
        self.edges.push(Edge::new(from, to, label));
        self.edges.len() - 1
    }

    /// The vertex that an edge leaves.
    pub fn from(&self, e: usize) -> usize {
        self.edges[e].from.index()
    }

    /// The vertex that an edge enters.
    pub fn to(&self, e: usize) -> usize {
        self.edges[e].to.index()
    }

    /// Lets an edge leave another vertex.
    pub fn set_from(&mut self, e: usize, from: usize) {
        self.edges[e].from = VertexId::new(from);
    }

    /// Lets an edge enter another vertex.
    pub fn set_to(&mut self, e: usize, to: usize) {
        self.edges[e].to = VertexId::new(to);
    }

    /// Removes a vertex, and the edges that leave or enter it when the graph is finished.
    pub fn remove(&mut self, v: usize) {
        self.removed.grow_and_insert(v);
    }

    /// Removes an edge.
    pub fn remove_edge(&mut self, e: usize) {
        self.removed_edges.grow_and_insert(e);
    }

    /// Adds a vertex behind a tail, which then is this vertex.
    pub fn append(&mut self, tail: &mut Tail, kind: VertexKind) -> usize {
        let v = self.add(kind);
        self.put_behind(tail, v)
    }

    fn put_behind(&mut self, tail: &mut Tail, v: usize) -> usize {
        self.add_edge(tail.0, v, tail.1);
        *tail = Tail(v, None);
        v
    }

    /// Adds a block behind a tail, which then is this block.
    pub fn append_block(&mut self, tail: &mut Tail, statements: Vec<Stmt>) -> usize {
        let block = self.block(statements);
        self.put_behind(tail, block)
    }

    /// Adds a LOOP behind a tail, which then starts the body.
    pub fn begin_loop(&mut self, tail: &mut Tail, test: LoopTest) -> usize {
        let header = self.append(tail, VertexKind::loop_on(test));
        tail.1 = Some(1);
        header
    }

    /// Ends the body of a loop with an ENDLOOP behind a tail, which then leaves the loop.
    pub fn end_loop(&mut self, tail: &mut Tail, header: usize) {
        let end = self.append(tail, VertexKind::EndLoop);
        self.add_edge(end, header, None);
        *tail = Tail(header, None);
    }

    /// Adds a BRANCH behind a tail, the block that it leads to if the condition is true, and the ENDBRANCH behind that,
    /// which the tail then is; the branch and the block. The other way is still open.
    pub fn append_if(
        &mut self,
        tail: &mut Tail,
        condition: Expr,
        statements: Vec<Stmt>,
    ) -> [usize; 2] {
        let branch = self.append(tail, VertexKind::branch_on(condition));
        tail.1 = Some(1);
        let arm = self.append_block(tail, statements);
        self.append(tail, VertexKind::EndBranch);
        [branch, arm]
    }

    /// Statements after a block that are executed if an optional argument is present; the new block that follows.
    pub fn if_present(&mut self, block: usize, argument: VarId, statements: Vec<Stmt>) -> usize {
        let last = self.split(block);
        let mut tail = Tail(block, None);
        let [branch, _] = self.append_if(&mut tail, is_present(argument), statements);
        self.add_edge(branch, tail.0, Some(0));
        self.add_edge(tail.0, last, None);
        last
    }

    /// A branch on the presence, with statements that are executed if it is not: their block, and the one that follows.
    pub fn if_present_else(
        &mut self,
        block: usize,
        argument: VarId,
        [present, absent]: [Vec<Stmt>; 2],
    ) -> [usize; 3] {
        let last = self.split(block);
        let mut tail = Tail(block, None);
        let [branch, arm] = self.append_if(&mut tail, is_present(argument), present);
        let other = self.block(absent);
        self.add_edge(branch, other, Some(0));
        self.add_edge(other, tail.0, None);
        self.add_edge(tail.0, last, None);
        [arm, other, last]
    }

    /// Splits a vertex that has one out-edge, or none: that leaves a new block, which nothing leads to yet.
    pub fn split(&mut self, v: usize) -> usize {
        let last = self.block(Vec::new());
        self.out_edge.resize(self.vertices.len(), None);
        for (e, edge) in self.edges.iter().enumerate().skip(self.known_edges) {
            self.out_edge[edge.from.index()] = Some(e);
        }
        self.known_edges = self.edges.len();
        if let Some(e) = self.out_edge[v].take() {
            self.set_from(e, last);
            self.out_edge[last] = Some(e);
        }
        last
    }

    /// Puts a block with statements, if there are some, behind a vertex that has one out-edge.
    pub fn insert_behind(&mut self, v: usize, statements: Vec<Stmt>) {
        if !statements.is_empty() {
            let block = self.split(v);
            self.vertices[block].kind = VertexKind::Block(statements);
            self.add_edge(v, block, None);
        }
    }

    /// Puts a block with statements, if there are some, before a vertex. Looks at all edges.
    pub fn insert_before(&mut self, v: usize, statements: Vec<Stmt>) {
        if !statements.is_empty() {
            let block = self.block(statements);
            for edge in self.edges.iter_mut().filter(|e| e.to.index() == v) {
                edge.to = VertexId::new(block);
            }
            self.add_edge(block, v, None);
        }
    }

    /// Adds a statement to a block.
    pub fn push(&mut self, block: usize, mut statement: Stmt) {
        if let Some(mark) = &self.mark {
            mark.put(&mut statement);
        }
        if let VertexKind::Block(statements) = &mut self.vertices[block].kind {
            statements.push(statement);
        }
    }

    /// Takes the statements out of all blocks, to be put back by [`Self::fill`].
    pub fn take_statements(&mut self) -> Vec<(usize, VecDeque<Stmt>)> {
        let vertices = self.vertices.iter_mut().enumerate();
        let blocks = vertices.filter_map(|(v, vertex)| Some((v, vertex.kind.statements_mut()?)));
        let taken = blocks.map(|(v, statements)| (v, std::mem::take(statements).into()));
        taken.collect()
    }

    /// Puts statements into a block, up to the first of which `find` says something: returns it, and that. All that is
    /// added next has its span and its origin.
    pub fn fill<T>(
        &mut self,
        block: usize,
        rest: &mut VecDeque<Stmt>,
        find: impl Fn(&Stmt) -> Option<T>,
    ) -> Option<(Stmt, T)> {
        self.mark = None;
        while let Some(statement) = rest.pop_front() {
            if let Some(found) = find(&statement) {
                self.mark = Some(Mark::from_statement(&statement, None));
                return Some((statement, found));
            }
            self.push(block, statement);
        }
        None
    }

    /// True of a block without statements.
    pub fn is_empty_block(&self, v: usize) -> bool {
        matches!(&self.vertices[v].kind, VertexKind::Block(s) if s.is_empty())
    }

    /// Removes the vertices that no path from ENTRY leads to, but EXIT.
    pub fn remove_unreachable(&mut self) {
        let edges = self.edges.iter().enumerate();
        let edges = edges.filter(|(e, _)| !self.removed_edges.contains(*e));
        let ends = edges.map(|(_, e)| (e.from.index(), e.to.index()));
        let graph = Adjacency::new(self.vertices.len(), ends);
        let entry = |v: &Vertex| matches!(v.kind, VertexKind::Entry);
        let Some(entry) = self.vertices.iter().position(entry) else {
            return;
        };
        let reached = reachable(&graph, entry);
        for (v, vertex) in self.vertices.iter().enumerate() {
            if !reached.contains(v) && !matches!(vertex.kind, VertexKind::Exit) {
                self.removed.grow_and_insert(v);
            }
        }
        for (e, edge) in self.edges.iter().enumerate() {
            if !reached.contains(edge.from.index()) {
                self.removed_edges.grow_and_insert(e);
            }
        }
    }

    /// Gives these vertices, each of them once, these positions. All others are removed, with their edges.
    pub fn arrange(&mut self, order: impl IntoIterator<Item = usize>) {
        let vertices = std::mem::take(&mut self.vertices);
        let mut place = vec![None; vertices.len()];
        self.vertices.reserve_exact(vertices.len());
        let mut vertices: Vec<Option<Vertex>> = vertices.into_iter().map(Some).collect();
        for v in order {
            place[v] = Some(VertexId::new(self.vertices.len()));
            self.vertices.extend(vertices[v].take());
        }
        let removed_edges = std::mem::take(&mut self.removed_edges);
        let mut edges = 0..;
        self.edges.retain_mut(|edge| {
            let removed = edges.next().is_some_and(|e| removed_edges.contains(e));
            let ends = place[edge.from.index()].zip(place[edge.to.index()]);
            (edge.from, edge.to) = ends.unwrap_or((edge.from, edge.to));
            !removed && ends.is_some()
        });
        self.removed.clear();
        self.known_edges = 0;
        self.out_edge.clear();
    }

    /// Takes out what is removed.
    pub fn settle(&mut self) {
        if !self.removed.is_clear() || !self.removed_edges.is_clear() {
            let removed = std::mem::take(&mut self.removed);
            self.arrange((0..self.vertices.len()).filter(|v| !removed.contains(*v)));
        }
    }

    /// The graph without what is removed. Edges without an id get one, if others have one.
    pub fn finish(mut self) -> Cfg {
        self.settle();
        complete_edge_ids(&mut self.edges);
        Cfg::of_parts(self.vertices, self.edges)
    }
}

fn is_present(argument: VarId) -> Expr {
    Expr::op(Op::Present, [Expr::var(argument)])
}
