//! The choice of the regions that are carried.
//!
//! With [`Blocks::Preaccumulate`] all regions are carried that can be. With [`Blocks::Carry`] and [`Blocks::Auto`] one
//! is if that is estimated to take no longer than its adjoint by statements, and if no run that passes each of its
//! loops with a condition once records more. The measure of time is that of [`price`](crate::blocks::price): by
//! statements a region costs its adjoint, its tape, and the control flow of the reverse sweep; carried it costs
//! partials and tangents, and its Jacobian on the tape. The least that is recorded by statements is the shortest path
//! through the region.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::VertexId,
    ir::{LoopTest, VertexKind},
};
use std::collections::HashMap;

use crate::{
    blocks::{
        carried::find::find,
        drafts::drafts,
        price::{ELEMENTS, PUSH, code_cost, rate, tape_cost},
    },
    options::{Blocks, Options},
    plan::{
        carried::Region,
        draft::Draft,
        provisions::Provisions,
        recorded::{bits, pushed, recorded},
        setting::Setting,
        shape::Shape,
    },
};

/// The number of times that the choice is checked again without the regions that record more.
const ROUNDS: usize = 4;

/// The cost of a branch in the reverse sweep, of the passes of a loop, two for each of eight, and of the jump behind
/// the last one, which processors mispredict.
const BRANCH: u64 = 4;
const PASS: u64 = 16;
const LAST: u64 = 12;

/// The cost of a region by statements, and the bits that it records at least.
#[derive(Clone, Copy)]
struct ByStatements {
    cost: u64,
    bits: u64,
}

/// Chooses the regions of all routines.
///
/// # Errors
/// R3xx: a routine cannot be differentiated.
pub(crate) fn carry(setting: &mut Setting<'_>, options: &Options) -> Result<(), Diagnostics> {
    let context = &setting.prepared.context;
    let is_wanted = options.blocks != Blocks::Statement;
    if !is_wanted || context.counters || context.markers || context.trace {
        return Ok(());
    }
    let mut found = vec![Vec::new(); context.program.routines.len()];
    for &r in &setting.prepared.reachable {
        if let Some(draft) = setting.draft(r) {
            found[r.index()] = find(context, &draft);
        }
    }
    if options.blocks == Blocks::Preaccumulate || found.iter().all(Vec::is_empty) {
        setting.carried = found;
        return Ok(());
    }
    let before = drafts(setting, &[])?;
    let mut limits: Vec<Vec<ByStatements>> = vec![Vec::new(); found.len()];
    for (draft, (found, limits)) in before.iter().zip(found.iter().zip(&mut limits)) {
        if let Some(draft) = draft.as_ref().filter(|_| !found.is_empty()) {
            let provisions = Provisions::solve(context, draft);
            let recorded = recorded(context, draft, &provisions, 0).vertices;
            *limits = found
                .iter()
                .map(|r| by_statements(draft, r, &recorded))
                .collect();
        }
    }
    drop(before);
    setting.carried = found;
    for _ in 0..ROUNDS {
        let mut keep: Vec<Vec<bool>> = Vec::with_capacity(limits.len());
        let mut all = true;
        {
            let context = &setting.prepared.context;
            let now = drafts(setting, &[])?;
            for (draft, limits) in now.iter().zip(&limits) {
                let Some(draft) = draft.as_ref().filter(|draft| !draft.regions.is_empty()) else {
                    keep.push(vec![false; limits.len()]);
                    continue;
                };
                let provisions = Provisions::solve(context, draft);
                let regions = draft.regions.iter().zip(limits).enumerate();
                let own =
                    regions.map(|(k, (region, limit))| pays(draft, &provisions, k, region, *limit));
                keep.push(own.collect());
            }
        }
        for ((regions, limits), keep) in setting.carried.iter_mut().zip(&mut limits).zip(&keep) {
            all &= keep.iter().all(|&k| k);
            let mut of = keep.iter();
            regions.retain(|_| of.next().copied().unwrap_or(false));
            let mut of = keep.iter();
            limits.retain(|_| of.next().copied().unwrap_or(false));
        }
        if all {
            return Ok(());
        }
    }
    setting.carried.iter_mut().for_each(Vec::clear);
    Ok(())
}

/// True if a region that is carried takes no longer and records no more than by statements.
fn pays(
    draft: &Draft<'_>,
    provisions: &Provisions<'_>,
    number: usize,
    region: &Region,
    limit: ByStatements,
) -> bool {
    // A region whose code could not be written is not carried.
    let Some(ends) = draft.carried.regions.get(number) else {
        return false;
    };
    let saved = provisions.before_region(number).iter();
    let saved: u64 = saved.map(|place| bits(draft, place, ELEMENTS)).sum();
    let jacobian = pushed(&ends.pushes);
    let around = rate(draft, region.vertices[0]);
    let mut tangents = 0u64;
    for &v in &region.vertices {
        let codes = draft
            .code
            .row(v)
            .iter()
            .zip(draft.cfg.vertex(v).statements());
        let cost: u64 = codes
            .map(|(code, statement)| {
                let with = code.forward.as_deref().map_or(0, code_cost);
                with.saturating_sub(code_cost(std::slice::from_ref(statement)))
            })
            .sum();
        tangents = tangents.saturating_add(cost.saturating_mul(rate(draft, v)));
    }
    let ends = tape_cost(jacobian + saved) + code_cost(&ends.adjoint);
    let cost = tangents.saturating_add(ends.saturating_mul(around));
    jacobian + saved <= limit.bits && cost <= limit.cost
}

/// The cost of a region by statements in the reverse sweep, and the least that it records; `recorded`: bits, by vertex.
fn by_statements(draft: &Draft<'_>, region: &Region, recorded: &[u64]) -> ByStatements {
    let mut cost = 0u64;
    for &v in &region.vertices {
        let adjoints = draft.adjoints.row(v).iter();
        let mut here: u64 = adjoints.map(|adjoint| code_cost(&adjoint.code)).sum();
        here += tape_cost(recorded[v.index()]);
        here += match draft.cfg.vertex(v).kind {
            VertexKind::Branch(_) => BRANCH,
            VertexKind::EndLoop => PASS,
            VertexKind::Loop { .. } => PUSH + LAST,
            VertexKind::Entry | VertexKind::Exit | VertexKind::Block(_) | VertexKind::EndBranch => {
                0
            }
        };
        cost = cost.saturating_add(here.saturating_mul(rate(draft, v)));
    }
    ByStatements {
        cost,
        bits: shortest(draft, region, recorded),
    }
}

/// The length of the shortest path through a region that passes each loop with a condition once; `lengths`: of the
/// vertices.
fn shortest(draft: &Draft<'_>, region: &Region, lengths: &[u64]) -> u64 {
    let Shape::Structured(structure) = draft.shape else {
        return 0;
    };
    let cfg = draft.cfg;
    // The length up to the end of each vertex; behind a loop, that of its last pass.
    let mut at: HashMap<VertexId, u64> = HashMap::new();
    let is_passed = |v: VertexId| {
        matches!(
            cfg.vertex(v).kind.test(),
            Some(LoopTest::Pre(_) | LoopTest::Post(_))
        )
    };
    for &v in &region.vertices {
        let edges = cfg
            .in_edges(v)
            .iter()
            .filter(|&&e| !structure.kind(e).loop_back);
        let before = edges.map(|&e| {
            let from = cfg.edge(e).from;
            let of = match structure.kind(e).loop_exit && is_passed(from) {
                true => structure.partner(from).unwrap_or(from),
                false => from,
            };
            at.get(&of).copied().unwrap_or(0)
        });
        let length = before.min().unwrap_or(0) + lengths[v.index()];
        at.insert(v, length);
    }
    let last = cfg.edge(region.exit).from;
    let last = match is_passed(last) {
        true => structure.partner(last).unwrap_or(last),
        false => last,
    };
    at.get(&last).copied().unwrap_or(0)
}
