//! Live variables: `in(b) = use(b) ∪ (out(b) \ def(b))`, `out(b) = ⋃ in(s)` over the successors s. Nothing is
//! live before a statement that stops the program.
//!
//! Source: A. Aho, M. Lam, R. Sethi, J. Ullman, *Compilers*, 2nd ed., 2006, section 9.2.5.

use cfg_core::{
    dataflow::{Analysis, Direction, Position, Set},
    entity::{EdgeId, VertexId},
    ir::{Cfg, LoopTest, Program, Role, Routine, Stmt, StmtKind, Vertex, VertexKind},
    memory::{
        access::{Access, Accesses, decision_accesses},
        effects::Effects,
    },
};

/// Variables whose value may still be read; at EXIT, the variables that the caller sees.
#[derive(Clone, Debug)]
pub struct Liveness<'p> {
    routine: &'p Routine,
    accesses: Accesses<'p>,
}

impl<'p> Liveness<'p> {
    /// Liveness in one routine of a program.
    pub fn new(program: &'p Program, effects: &'p Effects, routine: &'p Routine) -> Self {
        Self {
            routine,
            accesses: Accesses::resolve(program, effects, routine),
        }
    }

    /// Applies accesses in reverse order.
    fn apply(&self, accesses: &[Access], state: &mut Set) {
        for access in accesses.iter().rev() {
            match *access {
                Access::Read(v) => state.insert(v.index()),
                Access::Write(v) => state.remove(v.index()),
                Access::MayWrite(_) => {}
            }
        }
    }
}

impl Analysis for Liveness<'_> {
    const NAME: &'static str = "liveness";
    const DIRECTION: Direction = Direction::Backward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.routine.variables.len())
    }

    fn boundary(&self, cfg: &Cfg) -> Set {
        let mut live = self.bottom(cfg);
        for (i, variable) in self.routine.variables.iter().enumerate() {
            let visible = match variable.role {
                Role::Parameter { intent, .. } => intent.writes(),
                Role::Global(_) => true,
                Role::Local => self.routine.result.is_some_and(|v| v.index() == i),
            };
            live.set(i, visible);
        }
        live
    }

    fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
        if let StmtKind::Stop { .. } = statement.kind {
            state.clear();
            return;
        }
        let mut accesses = Vec::new();
        self.accesses
            .each_access(statement, &mut |a| accesses.push(a));
        self.apply(&accesses, state);
    }

    fn decision(&self, _: VertexId, vertex: &Vertex, state: &mut Set) {
        // The reads of a loop depend on the edge by which control comes, so `edge` has them.
        if !matches!(vertex.kind, VertexKind::Loop { .. }) {
            let mut accesses = Vec::new();
            decision_accesses(vertex, &mut |a| accesses.push(a));
            self.apply(&accesses, state);
        }
    }

    fn changes_on(&self, cfg: &Cfg, e: EdgeId) -> bool {
        matches!(cfg.vertex(cfg.edge(e).to).kind, VertexKind::Loop { .. })
    }

    fn edge(&self, cfg: &Cfg, e: EdgeId, state: &mut Set) {
        let edge = cfg.edge(e);
        let header = cfg.vertex(edge.to);
        let VertexKind::Loop { test, .. } = &header.kind else {
            return;
        };
        let back = matches!(cfg.vertex(edge.from).kind, VertexKind::EndLoop);
        let mut accesses = Vec::new();
        match (&**test, back) {
            (LoopTest::Counted { index, .. }, true) => accesses.push(Access::Read(*index)),
            (LoopTest::Post(_), false) => {}
            _ => decision_accesses(header, &mut |a| accesses.push(a)),
        }
        self.apply(&accesses, state);
    }
}
