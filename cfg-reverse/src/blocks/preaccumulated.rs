//! The adjoint of a segment from its Jacobian.

use bb_preaccum::eliminate::Step;
use cfg_core::{entity::VarId, ir::Stmt};
use std::collections::HashMap;

use crate::{
    blocks::{
        jacobian::{self, Code},
        lcg::Segment,
        survey::Found,
    },
    partials::Unsupported,
    plan::{
        adjoints::{StatementAdjoint, StatementCode, Written, primal_reads},
        draft::Draft,
    },
};

/// A segment and how to accumulate its Jacobian.
#[derive(Clone)]
pub(crate) struct Choice<'f> {
    pub(crate) found: &'f Found,
    pub(crate) steps: Vec<Step>,
}

/// Writes the code of a chosen segment's statements. The adjoint of the whole segment stands at its last statement.
pub(crate) fn write(
    draft: &mut Draft<'_>,
    statements: &[Stmt],
    choice: &Choice<'_>,
    twins: &mut HashMap<VarId, VarId>,
) -> Result<Vec<Written>, Unsupported> {
    let (segment, code) = code(draft, choice, twins)?;
    let mut all: Vec<Written> = segment
        .code
        .into_iter()
        .map(|forward| {
            let code = StatementCode {
                forward: forward.map(Vec::into_boxed_slice),
                ..StatementCode::default()
            };
            (code, StatementAdjoint::default())
        })
        .collect();
    if let Some((last, adjoint)) = all.last_mut() {
        let mut forward = last.forward.take().map(Vec::from).unwrap_or_else(|| {
            statements
                .get(choice.found.range.end - 1)
                .cloned()
                .into_iter()
                .collect()
        });
        forward.extend(code.jaes);
        forward.extend(code.pushes);
        last.forward = Some(forward.into());
        last.reads_after = primal_reads(&code.reverse, draft.originals, &draft.locations);
        adjoint.code = code.reverse;
    }
    Ok(all)
}

/// The code of a chosen segment, with temporaries of the draft, and its Jacobian code.
pub(crate) fn code(
    draft: &mut Draft<'_>,
    choice: &Choice<'_>,
    twins: &mut HashMap<VarId, VarId>,
) -> Result<(Segment, Code), Unsupported> {
    let segment = (choice.found.segment).in_sweep(&mut draft.scope, &mut draft.forward);
    let code = jacobian::code(
        &mut draft.scope,
        &mut draft.forward,
        draft.tape,
        &segment,
        &choice.steps,
        twins,
    )
    .map_err(|e| Unsupported(e.to_string()))?;
    Ok((segment, code))
}
