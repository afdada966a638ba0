//! Activity: which variables have derivatives at all.
//!
//! A variable is *varied* if it depends differentiably on an independent, *useful* if a dependent depends
//! differentiably on it, and *active* if both (Hascoet & Pascual, RR-7957, section 5.2). Here the
//! analysis is insensitive to flow and context: one node per variable, one edge u -> v where v may be
//! computed from u; varied is what the independents reach, useful what reaches the dependents. Linear in
//! the size of the program, through calls and recursion.

pub(crate) mod dependence;
pub(crate) mod differentiable;
pub(crate) mod reach;

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Expr, Intent, Place, Program, StmtKind},
};
use fixedbitset::FixedBitSet;

use crate::{
    activity::{
        dependence::dependence_graph,
        reach::{Numbering, Reach},
    },
    memory::summary::Summary,
};

/// Active variables of a program, by node.
#[derive(Clone, Debug)]
pub(crate) struct Activity {
    active: FixedBitSet,
}

impl Activity {
    pub(crate) fn is_active(&self, node: usize) -> bool {
        self.active.contains(node)
    }

    /// Analyses the program for one routine's independents and dependents.
    pub(crate) fn of(
        program: &Program,
        summary: &Summary,
        nodes: &Numbering,
        main: RoutineId,
    ) -> Self {
        let graph = dependence_graph(program, nodes);
        let routine = program.routine(main);
        let set = |variables: &[VarId]| {
            let mut s = FixedBitSet::with_capacity(nodes.len());
            for &v in variables {
                s.insert(nodes.of(main, routine, v));
            }
            s
        };
        let mut active = graph.forward(nodes.len(), &set(&routine.independents));
        active.intersect_with(&graph.backward(nodes.len(), &set(&routine.dependents)));
        // A formal that only ever gets passive values still overwrites what an active actual holds: its
        // adjoint must be zeroed.
        let active = overwrites(program, summary, nodes).forward(nodes.len(), &active);
        Self { active }
    }
}

/// Edges from every real actual to the formal that may overwrite it.
fn overwrites(program: &Program, summary: &Summary, nodes: &Numbering) -> Reach {
    let mut graph = Reach::default();
    for (i, routine) in program.routines.iter().enumerate() {
        let id = RoutineId::new(i);
        summary.each_call(id, routine, |statement| {
            let StmtKind::Call {
                callee,
                arguments,
                result,
            } = &statement.kind
            else {
                return;
            };
            let called = program.routine(*callee);
            let mut bind = |place: &Place, p: VarId| {
                if routine.variable(place.var).ty.is_real() {
                    graph.edge(
                        nodes.of(id, routine, place.var),
                        nodes.of(*callee, called, p),
                    );
                }
            };
            for (p, argument) in called.parameter_ids().zip(arguments.iter()) {
                if let Some(Expr::Place(place)) = argument
                    && called.variable(p).intent().is_some_and(Intent::writes)
                {
                    bind(place, p);
                }
            }
            if let (Some(place), Some(r)) = (result, called.result) {
                bind(place, r);
            }
        });
    }
    graph
}
