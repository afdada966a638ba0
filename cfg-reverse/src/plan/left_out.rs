//! Assignments that the forward sweep of a gradient leaves out: see [`cfg_analysis::diff_live`].

use cfg_analysis::diff_live::DiffLiveness;
use cfg_core::dataflow::{Analysis as _, Position, solve_within};
use std::collections::BTreeSet;

use crate::{
    plan::{draft::Draft, reads::Reads},
    prepare::context::Context,
};

/// The assignments whose values no derivative needs, if the reverse sweep follows the forward sweep at once.
pub(crate) fn find_left_out(context: &Context, draft: &Draft<'_>) -> BTreeSet<Position> {
    let analysis = DiffLiveness::new(
        &context.program,
        &context.summary.effects,
        context.program.routine(draft.id),
        &draft.locations,
        Reads::new(context, draft),
    );
    let solution = solve_within(draft.cfg, &analysis, context.flow_limit);
    let mut found = BTreeSet::new();
    solution.each_vertex(draft.cfg, |v, state| {
        let vertex = draft.cfg.vertex(v);
        analysis.decision(v, vertex, state);
        for (s, statement) in vertex.statements().iter().enumerate().rev() {
            let at = Position {
                vertex: v,
                statement: s,
            };
            if !analysis.needing(at, statement, state) {
                found.insert(at);
            }
        }
    });
    found
}
