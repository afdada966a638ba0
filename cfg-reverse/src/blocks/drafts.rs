//! All routines of a program with the adjoints of their blocks.

use cfg_core::diagnostic::Diagnostics;

use crate::{
    blocks::{preaccumulated::Choice, results::read_results},
    plan::{at_exit::solve_needed, draft::Draft, recomputed::recompute, setting::Setting},
};

/// The number of times that values are looked for that can be computed again.
const ROUNDS: usize = 3;

/// Writes the adjoints of every routine's blocks, and solves the equations of the values to be recorded.
pub(crate) fn drafts<'p>(
    setting: &'p Setting<'_>,
    choices: &[Choice<'_>],
) -> Result<Vec<Option<Draft<'p>>>, Diagnostics> {
    let context = &setting.prepared.context;
    let mut found = Vec::new();
    let routines = context.program.routines.iter();
    let mut drafts: Vec<Option<Draft<'_>>> = routines.map(|_| None).collect();
    let mut own: Vec<Vec<Choice<'_>>> = vec![Vec::new(); drafts.len()];
    for choice in choices {
        own[choice.found.routine.index()].push(choice.clone());
    }
    for &r in &setting.prepared.reachable {
        let Some(mut draft) = setting.draft(r) else {
            continue;
        };
        draft.write(context, &own[r.index()], &mut found);
        drafts[r.index()] = Some(draft);
    }
    if !found.is_empty() {
        return Err(Diagnostics(found));
    }
    solve_needed(context, &setting.prepared.reachable, &mut drafts);
    if !context.operands {
        read_results(context, &setting.prepared.reachable, &mut drafts);
        // An operand that a callee reads in place of a value may be one that its callers compute again.
        for _ in 0..ROUNDS {
            if !recompute(context, &mut drafts) {
                break;
            }
            solve_needed(context, &setting.prepared.reachable, &mut drafts);
        }
    }
    Ok(drafts)
}
