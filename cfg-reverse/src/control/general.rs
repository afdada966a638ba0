//! The augmented forward graph and the adjoint graph of a general graph, as one rule per edge.
//!
//! ```text
//! forward    i , leave(e)... , enter(e)... , j
//!   leave    for each loop with a count that e leaves, inner first      push(ctr), where needed
//!   enter    j heads a loop with a count, e comes from outside          values that a loop's index
//!                                                                       overwrites; marker; ctr := 0
//!            j heads one, e comes from inside                           marker; ctr := ctr + 1
//!            else                                                       marker
//!            (a marker where the vertex has several in-edges of that kind)
//!
//! adjoint    the other way round: what e pushed is popped on it. After the adjoint of a vertex with
//!            several in-edges the popped marker chooses one. A loop with a count is a FORLOOP, whose
//!            ENDLOOP comes after the adjoint of the header; at its body's start a BRANCH leads the first
//!            pass to the point at which the loop was left, the others to the back edges. An edge that
//!            leaves loops enters the outermost one's FORLOOP.
//! ```
//!
//! Where the adjoint of an irreducible region is entered at, or joins in, several points, its edges to
//! these points go through one BRANCH on a variable: the dispatch of that region. Both graphs are linear in the
//! original: edges that leave so many loops that the blocks on them would outnumber the graph share these blocks
//! ([`crate::plan::regions::leaving`]).

mod adjoint;
mod forward;
mod nest;
mod ways;

pub(crate) use adjoint::adjoint_graph;
pub(crate) use forward::forward_graph;

use cfg_core::{
    entity::{EdgeId, VertexId},
    ir::{Expr, LoopTest, Stmt, VertexKind},
};

/// The statements in the vertices and inserted blocks of the forward graph.
pub(crate) trait ForwardCode {
    /// The image of a vertex.
    fn copy(&mut self, v: VertexId) -> VertexKind;
    /// Statements on an edge that leaves the loop; `record`: they push its trip count.
    fn leave(&mut self, header: VertexId, record: bool) -> Vec<Stmt>;
    /// Values that the loop's index overwrites.
    fn save_index(&mut self, header: VertexId, e: EdgeId) -> Vec<Stmt>;
    /// Statements right before the entry of a loop.
    fn loop_entry(&mut self, header: VertexId, counts: bool) -> Vec<Stmt>;
    /// Statements on a back edge of a loop that counts.
    fn loop_back(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Records that way `ordinal` of `ways` was taken.
    fn marker(&mut self, ordinal: usize, ways: usize) -> Vec<Stmt>;
    /// Sets the variable that says which edge out of several loops is taken.
    fn set_way(&mut self, number: i64) -> Vec<Stmt>;
    /// The variable that says which edge out of several loops is taken.
    fn way(&mut self) -> Expr;
    /// Statements before EXIT.
    fn routine_exit(&mut self) -> Vec<Stmt>;
}

/// The statements in the vertices and inserted blocks of the adjoint graph.
pub(crate) trait AdjointCode {
    /// The adjoint of a block.
    fn block(&mut self, v: VertexId) -> Vec<Stmt>;
    /// The head of the reverse loop. Without an index, passes are counted from `from`.
    fn for_loop(&mut self, header: VertexId, bound: bool, from: i64) -> LoopTest;
    /// Sets the number of passes of the reverse loop, if that is a variable (`bound`): popped, if it was recorded;
    /// `more`: plus one, for the pass that was not completed. Then restores the other values that were saved on
    /// leaving the loop.
    fn leave(&mut self, header: VertexId, bound: bool, record: bool, more: bool) -> Vec<Stmt>;
    /// Statements at the start of the reverse loop's body.
    fn loop_body(&mut self, header: VertexId, bound: bool) -> Vec<Stmt>;
    /// Adds to the number of passes the one that was not completed.
    fn add_pass(&mut self, header: VertexId) -> Vec<Stmt>;
    /// Sets the variable that says at which point the first pass begins.
    fn set_point(&mut self, header: VertexId, point: i64) -> Vec<Stmt>;
    /// The variable that says at which point the first pass of a reverse loop begins.
    fn point(&mut self, header: VertexId) -> Expr;
    /// Statements after the reverse loop.
    fn save_index(&mut self, header: VertexId, e: EdgeId) -> Vec<Stmt>;
    /// Pops the marker of one of `ways` ways.
    fn pop_marker(&mut self, ways: usize) -> Vec<Stmt>;
    /// The marker that was popped last.
    fn marker(&mut self) -> Expr;
    /// The variable of a region's dispatch.
    fn state(&mut self, region: VertexId) -> Expr;
    /// Sets the variable of a region's dispatch.
    fn set_state(&mut self, region: VertexId, state: i64) -> Vec<Stmt>;
    /// Statements after ENTRY.
    fn routine_exit(&mut self) -> Vec<Stmt>;
}
