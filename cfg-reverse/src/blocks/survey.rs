//! The segments of a program.

use cfg_analysis::liveness::Liveness;
use cfg_core::{
    dataflow::{Analysis as _, Position, solve_within},
    entity::{LocationId, RoutineId, VarId, VertexId},
    ir::VertexKind,
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use crate::{
    blocks::{
        lcg::{Segment, linearize},
        segments::segments,
    },
    plan::{draft::Draft, setting::Setting},
    prepare::context::Context,
};

/// A segment of some block.
pub(crate) struct Found {
    pub(crate) routine: RoutineId,
    pub(crate) vertex: VertexId,
    pub(crate) range: Range<usize>,
    pub(crate) segment: Segment,
}

/// Linearizes all segments of a routine. Segments that cannot be linearized are left to the adjoints of their
/// statements.
pub(crate) fn survey(context: &Context, draft: &mut Draft<'_>, all: &mut Vec<Found>) {
    let routine = context.program.routine(draft.id);
    let cfg = draft.cfg;
    let liveness = Liveness::new(&context.program, &context.summary.effects, routine);
    let solution = solve_within(cfg, &liveness, context.flow_limit);
    let mut members: HashMap<LocationId, Vec<VarId>> = HashMap::new();
    for v in 0..routine.variables.len() {
        let v = VarId::new(v);
        if draft.scope.locations.is_shared(v) {
            members
                .entry(draft.scope.locations.of_variable(v))
                .or_default()
                .push(v);
        }
    }
    let carried = draft.regions.iter().flat_map(|region| &region.vertices);
    let carried: HashSet<VertexId> = carried.copied().collect();
    for (v, vertex) in cfg.vertices() {
        let VertexKind::Block(statements) = &vertex.kind else {
            continue;
        };
        let ranges = segments(&draft.scope, v, statements);
        if ranges.is_empty() || carried.contains(&v) {
            continue;
        }
        // Liveness is propagated backwards through the block, and noted at the end of each segment.
        let mut lives: Vec<HashSet<VarId>> = Vec::with_capacity(ranges.len());
        let mut state = solution.after(cfg, &liveness, v);
        let mut at = statements.len();
        for range in ranges.iter().rev() {
            for s in (range.end..at).rev() {
                let position = Position {
                    vertex: v,
                    statement: s,
                };
                liveness.statement(position, &statements[s], &mut state);
            }
            at = range.end;
            let mut live = HashSet::new();
            for statement in &statements[range.clone()] {
                let cfg_core::ir::StmtKind::Assign { target, .. } = &statement.kind else {
                    continue;
                };
                let location = draft.scope.locations.of_variable(target.var);
                let read = |v: &VarId| state.contains(v.index());
                let is_live = match members.get(&location) {
                    Some(members) => members.iter().any(read),
                    None => read(&target.var),
                };
                if is_live {
                    live.insert(target.var);
                }
            }
            lives.push(live);
        }
        lives.reverse();
        for (range, live) in ranges.into_iter().zip(lives) {
            let linearized = linearize(
                &mut draft.scope,
                &mut draft.forward,
                v,
                statements,
                range.clone(),
                |v| live.contains(&v),
            );
            if let Ok(segment) = linearized {
                all.push(Found {
                    routine: draft.id,
                    vertex: v,
                    range,
                    segment,
                });
            }
        }
    }
}

/// All segments of all routines.
pub(crate) fn survey_all(setting: &Setting<'_>) -> Vec<Found> {
    let mut all = Vec::new();
    for &r in &setting.prepared.reachable {
        if let Some(mut draft) = setting.draft(r) {
            survey(&setting.prepared.context, &mut draft, &mut all);
        }
    }
    all
}
