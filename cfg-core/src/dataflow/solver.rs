//! The worklist solver.
//!
//! Vertices are processed in reverse postorder of the direction of flow (G. Kildall, *A Unified Approach to Global
//! Program Optimization*, POPL 1973; priority by reverse postorder as in J. Kam, J. Ullman, JACM 23(1), 1976), so a
//! reducible graph takes a number of passes that is its loop nesting depth plus two at most. Of all reverse
//! postorders, the solver takes one with the body of each LOOP before the vertices behind the loop: these are begun
//! when the body is done (as in F. Bourdoncle's orders, FMPA 1993), not visited again for each growth in it.
//!
//! One state per vertex is kept. Sets that would take more than [`FLOW_LIMIT`] bits in all are not kept by vertex: one
//! set holds the facts of all points of the routine, which is sound but less precise.

use super::{Analysis, Direction, Lattice, Point, Position, Store, Worklist};
use crate::{
    entity::{EdgeId, VertexId},
    ir::{Cfg, VertexKind},
};
use fixedbitset::FixedBitSet;

/// Most bits that the states of one routine may take for each vertex to have its own.
pub const FLOW_LIMIT: usize = 1 << 30;

/// The states at all vertices.
#[derive(Clone, Debug)]
pub struct Solution<D: Lattice> {
    direction: Direction,
    /// The state of each vertex at the side where the flow comes in.
    incoming: D::Store,
    /// A state to load others into.
    blank: D,
    visits: usize,
}

/// Solves an analysis.
pub fn solve<A: Analysis>(cfg: &Cfg, analysis: &A) -> Solution<A::Domain> {
    solve_within(cfg, analysis, FLOW_LIMIT)
}

/// Solves an analysis whose states may take `most` bits in all. Beyond that, one state serves all points if the domain
/// allows it.
pub fn solve_within<A: Analysis>(cfg: &Cfg, analysis: &A, most: usize) -> Solution<A::Domain> {
    let blank = analysis.bottom(cfg);
    let mut solution = Solution {
        direction: A::DIRECTION,
        incoming: Store::new(cfg.vertex_count(), &blank, most),
        blank,
        visits: 0,
    };
    if let Some(root) = A::DIRECTION.root(cfg) {
        let boundary = analysis.boundary(cfg);
        solution.incoming.join(root.index(), &boundary);
    }
    match solution.incoming.is_single() {
        true => everywhere(cfg, analysis, &mut solution),
        false => by_vertex(cfg, analysis, &mut solution),
    }
    solution
}

/// A worklist in reverse postorder until nothing grows.
fn by_vertex<A: Analysis>(cfg: &Cfg, analysis: &A, solution: &mut Solution<A::Domain>) {
    let n = cfg.vertex_count();
    let order = priorities(cfg, A::DIRECTION);
    let mut rank = vec![0u32; n];
    for (i, &v) in order.iter().enumerate() {
        rank[v as usize] = i as u32;
    }
    // Every vertex is visited at least once, also one that the root does not reach.
    let mut open = Worklist::with_open(n, 0..n);
    let mut state = solution.blank.clone();
    while let Some(i) = open.take() {
        let v = VertexId::new(order[i] as usize);
        solution.visits += 1;
        solution.incoming.load(v.index(), &mut state);
        analysis.transfer(cfg, v, &mut state);
        for &e in A::DIRECTION.edges(cfg, v) {
            let w = A::DIRECTION.target(cfg, e).index();
            let grew = match analysis.changes_on(cfg, e) {
                true => {
                    let mut out = state.clone();
                    analysis.edge(cfg, e, &mut out);
                    solution.incoming.join(w, &out)
                }
                false => solution.incoming.join(w, &state),
            };
            if grew {
                open.add(rank[w] as usize);
            }
        }
    }
}

/// One state for the whole routine, until nothing grows. A fact that a statement takes out may hold at other points,
/// so it comes back behind the statement.
fn everywhere<A: Analysis>(cfg: &Cfg, analysis: &A, solution: &mut Solution<A::Domain>) {
    let mut state = solution.blank.clone();
    solution.incoming.load(0, &mut state);
    state.note_losses();
    let order = priorities(cfg, A::DIRECTION);
    loop {
        let mut grew = false;
        for &v in &order {
            let v = VertexId::new(v as usize);
            solution.visits += 1;
            analysis.transfer(cfg, v, &mut state);
            grew |= state.bring_back();
            for &e in A::DIRECTION.edges(cfg, v) {
                if analysis.changes_on(cfg, e) {
                    analysis.edge(cfg, e, &mut state);
                    grew |= state.bring_back();
                }
            }
        }
        if !grew {
            break;
        }
    }
    solution.incoming.join(0, &state);
}

/// The order in which vertices are processed: a reverse postorder from the root, then the vertices that the root does
/// not reach.
fn priorities(cfg: &Cfg, direction: Direction) -> Vec<u32> {
    let n = cfg.vertex_count();
    let mut order: Vec<u32> = Vec::with_capacity(n);
    let mut seen = FixedBitSet::with_capacity(n);
    let mut path: Vec<OnPath> = Vec::new();
    let mut next = direction.root(cfg);
    if let Some(root) = next {
        seen.insert(root.index());
    }
    loop {
        if let Some(v) = next.take() {
            path.push(OnPath::start(cfg, direction, v));
        }
        let Some(top) = path.last_mut() else { break };
        let edges = direction.edges(cfg, top.vertex);
        match top.step(edges) {
            Some(e) => {
                let w = direction.target(cfg, e);
                next = (!seen.put(w.index())).then_some(w);
            }
            None => {
                order.push(top.vertex.index() as u32);
                path.pop();
            }
        }
    }
    order.reverse();
    let unreached = (0..n).filter(|&v| !seen.contains(v));
    order.extend(unreached.map(|v| v as u32));
    order
}

/// A vertex on the path of the depth-first search, and the progress along its edges.
struct OnPath {
    vertex: VertexId,
    followed: usize,
    /// The position of the edge to follow last, whatever its place in the list.
    last: Option<usize>,
}

impl OnPath {
    fn start(cfg: &Cfg, direction: Direction, vertex: VertexId) -> Self {
        Self {
            vertex,
            followed: 0,
            last: body_edge(cfg, direction, vertex),
        }
    }

    /// The next edge to follow.
    fn step(&mut self, edges: &[EdgeId]) -> Option<EdgeId> {
        let at = self.followed;
        self.followed += 1;
        let at = match self.last {
            Some(last) if at + 1 == edges.len() => last,
            Some(last) if at >= last => at + 1,
            Some(_) | None => at,
        };
        edges.get(at).copied()
    }
}

/// The position of the edge into the body of a LOOP (against the flow: to its end) among the edges of its header.
/// Followed last, it puts the body before the vertices behind the loop.
fn body_edge(cfg: &Cfg, direction: Direction, v: VertexId) -> Option<usize> {
    if !matches!(cfg.vertex(v).kind, VertexKind::Loop { .. }) {
        return None;
    }
    let is_end = |u| matches!(cfg.vertex(u).kind, VertexKind::EndLoop);
    let is_body_edge = |e: &EdgeId| {
        let edge = cfg.edge(*e);
        match direction {
            Direction::Forward => edge.label == Some(1),
            Direction::Backward => is_end(edge.from),
        }
    };
    direction.edges(cfg, v).iter().position(is_body_edge)
}

impl Direction {
    /// The vertex where the flow begins.
    fn root(self, cfg: &Cfg) -> Option<VertexId> {
        match self {
            Self::Forward => cfg.entry(),
            Self::Backward => cfg.exit(),
        }
    }

    /// The edges by which the flow leaves a vertex.
    #[inline]
    fn edges(self, cfg: &Cfg, v: VertexId) -> &[EdgeId] {
        match self {
            Self::Forward => cfg.out_edges(v),
            Self::Backward => cfg.in_edges(v),
        }
    }

    /// The vertex to which the flow goes along an edge.
    #[inline]
    fn target(self, cfg: &Cfg, e: EdgeId) -> VertexId {
        match self {
            Self::Forward => cfg.edge(e).to,
            Self::Backward => cfg.edge(e).from,
        }
    }

    /// The vertex from which the flow comes along an edge.
    fn source(self, cfg: &Cfg, e: EdgeId) -> VertexId {
        match self {
            Self::Forward => cfg.edge(e).from,
            Self::Backward => cfg.edge(e).to,
        }
    }
}

impl<D: Lattice> Solution<D> {
    /// The state where the flow comes into a vertex: before it (forward) or after it (backward).
    pub fn state_at_inflow(&self, v: VertexId) -> D {
        let mut state = self.blank.clone();
        self.incoming.load(v.index(), &mut state);
        state
    }

    /// True if one state serves all points, because the routine is large.
    pub fn is_single(&self) -> bool {
        self.incoming.is_single()
    }

    /// The number of visits to vertices, all in all.
    pub fn visits(&self) -> usize {
        self.visits
    }

    /// The state before a vertex is executed.
    pub fn before<A: Analysis<Domain = D>>(&self, cfg: &Cfg, analysis: &A, v: VertexId) -> D {
        match self.direction {
            Direction::Forward => self.state_at_inflow(v),
            Direction::Backward => self.outgoing(cfg, analysis, v),
        }
    }

    /// The state after a vertex has been executed.
    pub fn after<A: Analysis<Domain = D>>(&self, cfg: &Cfg, analysis: &A, v: VertexId) -> D {
        match self.direction {
            Direction::Forward => self.outgoing(cfg, analysis, v),
            Direction::Backward => self.state_at_inflow(v),
        }
    }

    /// The state that leaves a vertex in the direction of flow.
    fn outgoing<A: Analysis<Domain = D>>(&self, cfg: &Cfg, analysis: &A, v: VertexId) -> D {
        let mut state = self.state_at_inflow(v);
        analysis.transfer(cfg, v, &mut state);
        state
    }

    /// The state at a point. Each call goes through the vertex from its beginning; [`Self::each_vertex`] serves walks.
    pub fn at<A: Analysis<Domain = D>>(&self, cfg: &Cfg, analysis: &A, point: Point) -> D {
        match point {
            Point::Start(v) => self.before(cfg, analysis, v),
            Point::End(v) => self.after(cfg, analysis, v),
            Point::Before(at) => self.between(cfg, analysis, at.vertex, at.statement),
            Point::After(at) => self.between(cfg, analysis, at.vertex, at.statement + 1),
            Point::Edge(e) => {
                let mut state = self.outgoing(cfg, analysis, self.direction.source(cfg, e));
                if analysis.changes_on(cfg, e) {
                    analysis.edge(cfg, e, &mut state);
                }
                state
            }
        }
    }

    /// The state in front of a statement of a vertex, or behind the last.
    fn between<A: Analysis<Domain = D>>(
        &self,
        cfg: &Cfg,
        analysis: &A,
        v: VertexId,
        statement: usize,
    ) -> D {
        let mut state = self.state_at_inflow(v);
        let vertex = cfg.vertex(v);
        let statements = vertex.statements().iter().enumerate();
        let position = |statement| Position {
            vertex: v,
            statement,
        };
        match self.direction {
            Direction::Forward => {
                for (s, code) in statements.take(statement) {
                    analysis.statement(position(s), code, &mut state);
                }
            }
            Direction::Backward => {
                analysis.decision(v, vertex, &mut state);
                for (s, code) in statements.skip(statement).rev() {
                    analysis.statement(position(s), code, &mut state);
                }
            }
        }
        state
    }

    /// Calls `visit` for every vertex in the order of the graph, with its state on the side where the flow comes in,
    /// which `visit` may change on its way through the vertex.
    pub fn each_vertex(&self, cfg: &Cfg, mut visit: impl FnMut(VertexId, &mut D)) {
        let mut state = self.blank.clone();
        let single = self.is_single();
        if single {
            self.incoming.load(0, &mut state);
            state.note_losses();
        }
        for (v, _) in cfg.vertices() {
            if single {
                state.bring_back();
            } else {
                self.incoming.load(v.index(), &mut state);
            }
            visit(v, &mut state);
        }
    }

    /// Calls `visit` for each statement of a vertex, in the direction of flow, with its number and the
    /// state on the side where the flow comes in.
    pub fn statements<A: Analysis<Domain = D>>(
        &self,
        cfg: &Cfg,
        analysis: &A,
        v: VertexId,
        mut visit: impl FnMut(usize, &D),
    ) {
        let vertex = cfg.vertex(v);
        let statements = vertex.statements();
        let mut state = self.state_at_inflow(v);
        let mut step = |s: usize, state: &mut D| {
            visit(s, state);
            let position = Position {
                vertex: v,
                statement: s,
            };
            analysis.statement(position, &statements[s], state);
        };
        match self.direction {
            Direction::Forward => (0..statements.len()).for_each(|s| step(s, &mut state)),
            Direction::Backward => {
                analysis.decision(v, vertex, &mut state);
                (0..statements.len())
                    .rev()
                    .for_each(|s| step(s, &mut state));
            }
        }
    }
}
