//! Dead zeros: live variables, for the statements that set a variable to 0 alone.
//!
//! [`cfg_analysis::liveness`] needs the effects of callees, which may not be written yet. Here a call reads all its
//! arguments.
//!
//! Source: A. Aho, M. Lam, R. Sethi, J. Ullman, *Compilers*, 2nd ed., 2006, section 9.2.5.

use cfg_core::{
    dataflow::{Analysis, Direction, Position, Set, solve},
    entity::{VarId, VertexId},
    ir::{
        Cfg, Stmt, Vertex,
        visit::{PlaceRole, Visit},
    },
};

use super::{Candidates, Names, zeroed};

/// The candidates that may still be read.
pub(super) struct Live<'a>(pub(super) &'a Candidates);

impl Live<'_> {
    /// The transfer of a statement or decision; `name` has a visitor walk over it.
    fn names(&self, state: &mut Set, name: impl FnOnce(&mut dyn FnMut(VarId, PlaceRole))) {
        let mut read = Vec::new();
        name(&mut |v, role| {
            let Some(n) = self.0.number(v) else {
                return;
            };
            if role.reads() {
                read.push(n);
            }
            if matches!(
                role,
                PlaceRole::Define { whole: true } | PlaceRole::Pop { whole: true }
            ) {
                state.remove(n);
            }
        });
        read.into_iter().for_each(|n| state.insert(n));
    }
}

impl Analysis for Live<'_> {
    const NAME: &'static str = "dead zeros";
    const DIRECTION: Direction = Direction::Backward;
    type Domain = Set;

    fn bottom(&self, _: &Cfg) -> Set {
        Set::new(self.0.count)
    }

    fn boundary(&self, cfg: &Cfg) -> Set {
        self.bottom(cfg)
    }

    fn statement(&self, _: Position, statement: &Stmt, state: &mut Set) {
        self.names(state, |found| Names(found).visit_statement(statement));
    }

    fn decision(&self, _: VertexId, vertex: &Vertex, state: &mut Set) {
        self.names(state, |found| Names(found).visit_decision(&vertex.kind));
    }
}

/// The graph without the statements that set a variable to 0 that is not read before it is overwritten.
pub(super) fn without_dead_zeros(mut cfg: Cfg, candidates: &Candidates) -> Cfg {
    let analysis = Live(candidates);
    let solution = solve(&cfg, &analysis);
    let mut dead = Vec::new();
    solution.each_vertex(&cfg, |v, state| {
        let vertex = cfg.vertex(v);
        analysis.decision(v, vertex, state);
        for (s, statement) in vertex.statements().iter().enumerate().rev() {
            let number = zeroed(statement).and_then(|v| candidates.number(v));
            // Statements with annotations of the original stay.
            let is_dead = number.is_some_and(|n| !state.contains(n));
            if is_dead && statement.annotations.is_none() {
                dead.push((v, s));
            }
            let at = Position {
                vertex: v,
                statement: s,
            };
            analysis.statement(at, statement, state);
        }
    });
    // The dead statements of one vertex are neighbours, from the last to the first.
    for of_vertex in dead.chunk_by(|a, b| a.0 == b.0) {
        let Some(statements) = cfg.vertex_mut(of_vertex[0].0).kind.statements_mut() else {
            continue;
        };
        let mut positions = of_vertex.iter().rev().map(|&(_, s)| s).peekable();
        let mut s = 0;
        statements.retain(|_| {
            let is_dead = positions.next_if_eq(&s).is_some();
            s += 1;
            !is_dead
        });
    }
    cfg
}
