//! Live variables: `in(b) = use(b) ∪ (out(b) \ def(b))`, `out(b) = ⋃ in(s)` over the successors s.
//!
//! Source: A. Aho, M. Lam, R. Sethi, J. Ullman, *Compilers*, 2nd ed., 2006, section 9.2.5.

use super::{
    access::{Access, Accesses, decision_accesses},
    effects::Effects,
};
use crate::{
    dataflow::{Analysis, Direction},
    entity::EdgeId,
    ir::{Cfg, LoopTest, Program, Role, Routine, Stmt, Vertex, VertexKind},
};
use fixedbitset::FixedBitSet;

/// Variables whose value may still be read; at EXIT those that the caller sees.
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
            accesses: Accesses::of(program, effects, routine),
        }
    }

    /// Applies accesses in reverse order.
    fn apply(&self, accesses: &[Access], state: &mut FixedBitSet) {
        for access in accesses.iter().rev() {
            match *access {
                Access::Read(v) => state.insert(v.index()),
                Access::Write(v) => state.set(v.index(), false),
                Access::MayWrite(_) => {}
            }
        }
    }
}

impl Analysis for Liveness<'_> {
    const NAME: &'static str = "liveness";
    const DIRECTION: Direction = Direction::Backward;
    type Domain = FixedBitSet;

    fn bottom(&self, _: &Cfg) -> FixedBitSet {
        FixedBitSet::with_capacity(self.routine.variables.len())
    }

    fn boundary(&self, cfg: &Cfg) -> FixedBitSet {
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

    fn statement(&self, statement: &Stmt, state: &mut FixedBitSet) {
        let mut accesses = Vec::new();
        self.accesses
            .statement(statement, &mut |a| accesses.push(a));
        self.apply(&accesses, state);
    }

    fn decision(&self, vertex: &Vertex, state: &mut FixedBitSet) {
        // What a loop reads depends on the edge by which it is entered.
        if !matches!(vertex.kind, VertexKind::Loop { .. }) {
            let mut accesses = Vec::new();
            decision_accesses(vertex, &mut |a| accesses.push(a));
            self.apply(&accesses, state);
        }
    }

    fn edge(&self, cfg: &Cfg, e: EdgeId, state: &FixedBitSet) -> Option<FixedBitSet> {
        let edge = cfg.edge(e);
        let header = cfg.vertex(edge.to);
        let VertexKind::Loop { test, .. } = &header.kind else {
            return None;
        };
        let back = matches!(cfg.vertex(edge.from).kind, VertexKind::EndLoop);
        let mut accesses = Vec::new();
        match (&**test, back) {
            (LoopTest::Counted { index, .. }, true) => accesses.push(Access::Read(*index)),
            (LoopTest::Post(_), false) => return None,
            _ => decision_accesses(header, &mut |a| accesses.push(a)),
        }
        let mut state = state.clone();
        self.apply(&accesses, &mut state);
        Some(state)
    }
}
