//! The variables that the reverse sweeps change.

use cfg_analysis::reach::Reach;
use cfg_core::{
    entity::VarId,
    ir::{Expr, StmtKind},
};
use fixedbitset::FixedBitSet;

use crate::{
    plan::{draft::Draft, provisions::Provisions},
    prepare::context::Context,
};

/// Collects the variables that a reverse sweep changes: those that it pops, and those that its callees change.
pub(crate) fn note_changes(
    context: &Context,
    draft: &Draft<'_>,
    provisions: &Provisions<'_>,
    sources: &mut FixedBitSet,
    changed: &mut Reach,
) {
    let routine = context.program.routine(draft.id);
    let node = |v: VarId| context.nodes().node(draft.id, routine, v);
    sources.extend(provisions.restored.ones().map(|v| node(VarId::new(v))));
    let saved = provisions.callee_globals.saved.iter();
    sources.extend(saved.map(|&g| context.nodes().global(g)));
    context.summary.each_call(draft.id, routine, |statement| {
        if let StmtKind::Call {
            callee, arguments, ..
        } = &statement.kind
            && context.sweeps[callee.index()].is_some()
        {
            let called = context.program.routine(*callee);
            for (p, actual) in called.parameter_ids().zip(arguments.iter()) {
                if let Some(Expr::Place(place)) = actual {
                    changed.edge(context.nodes().node(*callee, called, p), node(place.var));
                }
            }
        }
    });
}
