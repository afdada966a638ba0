//! How the adjoint of a basic block is built: statement by statement, or from its preaccumulated
//! Jacobian.
//!
//! All segments of all routines are linearized first; elimination sequences are searched for under one
//! budget, which equal graphs share; then the chosen segments are written.

use bb_preaccum::{
    eliminate::Step,
    lcg::{Kind, Lcg},
    search::{self, Outcome, search},
};
use cfg_core::{
    dataflow::{Analysis as _, Liveness, solve},
    entity::{RoutineId, VarId, VertexId},
    ir::{Stmt, VertexKind},
};
use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use crate::{
    block::{self, Segment},
    draft::{Context, Draft},
    jacobian::{self, Code},
    linearize::Unsupported,
    plan::FLOW_LIMIT,
    segments::segments,
    statement::{StatementAdjoint, StatementCode, Written, primal_reads},
};

/// How the adjoint of a basic block is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Blocks {
    /// Statement by statement, from recorded values.
    #[default]
    Statement,
    /// From its Jacobian, which the forward sweep accumulates and records.
    Preaccumulate,
    /// Whichever is estimated to cost less, for each segment; no run records more than by statement.
    Auto,
}

/// A segment of some block.
pub(crate) struct Found {
    pub(crate) routine: RoutineId,
    pub(crate) vertex: VertexId,
    pub(crate) range: Range<usize>,
    /// Variables that are live at its end, of those that it writes.
    live: HashSet<VarId>,
    pub(crate) segment: Segment,
}

/// A segment and how to accumulate its Jacobian.
#[derive(Clone)]
pub(crate) struct Choice<'f> {
    pub(crate) found: &'f Found,
    pub(crate) steps: Vec<Step>,
}

/// Linearizes all segments of a routine. What cannot be linearized is left to the statement adjoint.
pub(crate) fn survey(context: &Context, draft: &mut Draft<'_>, all: &mut Vec<Found>) {
    let routine = context.program.routine(draft.id);
    let cfg = draft.cfg;
    let liveness = Liveness::new(&context.program, routine);
    let small = cfg
        .vertex_count()
        .saturating_mul(routine.variables.len())
        .saturating_mul(2)
        <= FLOW_LIMIT;
    let solution = small.then(|| solve(cfg, &liveness));
    let mut members: HashMap<u32, Vec<VarId>> = HashMap::new();
    for v in 0..routine.variables.len() {
        let v = VarId::new(v);
        if draft.scope.is_shared(v) {
            members.entry(draft.scope.class(v)).or_default().push(v);
        }
    }
    for (v, vertex) in cfg.vertices() {
        let VertexKind::Block(statements) = &vertex.kind else {
            continue;
        };
        let ranges = segments(&draft.scope, statements);
        if ranges.is_empty() {
            continue;
        }
        // Backwards through the block, to the end of each segment.
        let mut lives: Vec<HashSet<VarId>> = Vec::with_capacity(ranges.len());
        let mut state = solution.as_ref().map(|s| s.after(cfg, &liveness, v));
        let mut at = statements.len();
        for range in ranges.iter().rev() {
            if let Some(state) = &mut state {
                for statement in statements[range.end..at].iter().rev() {
                    liveness.statement(statement, state);
                }
                at = range.end;
            }
            let mut live = HashSet::new();
            for statement in &statements[range.clone()] {
                let cfg_core::ir::StmtKind::Assign { target, .. } = &statement.kind else {
                    continue;
                };
                let class = draft.scope.class(target.var);
                let read = |v: &VarId| state.as_ref().is_none_or(|s| s.contains(v.index()));
                let is_live = match members.get(&class) {
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
            let linearized = block::linearize(
                &mut draft.scope,
                &mut draft.forward,
                statements,
                range.clone(),
                |v| live.contains(&v),
            );
            if let Ok(segment) = linearized {
                all.push(Found {
                    routine: draft.id,
                    vertex: v,
                    range,
                    live,
                    segment,
                });
            }
        }
    }
}

/// Writes a chosen segment, statement by statement. The adjoint stands at the last.
pub(crate) fn write(
    draft: &mut Draft<'_>,
    statements: &[Stmt],
    choice: &Choice<'_>,
    twins: &mut HashMap<VarId, VarId>,
) -> Result<Vec<Written>, Unsupported> {
    let (segment, code) = code(draft, statements, choice, twins)?;
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
        last.reads_after = primal_reads(&code.reverse, draft.originals, &draft.atoms);
        adjoint.code = code.reverse;
    }
    Ok(all)
}

/// Linearizes a chosen segment again, with temporaries that stay, and writes its Jacobian code.
pub(crate) fn code(
    draft: &mut Draft<'_>,
    statements: &[Stmt],
    choice: &Choice<'_>,
    twins: &mut HashMap<VarId, VarId>,
) -> Result<(Segment, Code), Unsupported> {
    let found = choice.found;
    let segment = block::linearize(
        &mut draft.scope,
        &mut draft.forward,
        statements,
        found.range.clone(),
        |v| found.live.contains(&v),
    )?;
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

/// Edges of a graph that gets every heuristic where a program is reversed, which takes about a millisecond for
/// each: the time of larger ones is that of the cheap heuristics, and of the budget.
pub(crate) const THOROUGH: usize = 1_000;

/// The steps of a search may be fewer, but not more, than this share of them all.
const LEAST: u64 = 1_000;

/// Searches for sequences; equal graphs are solved once, and the budget is shared by number of edges.
/// One outcome per segment that has a graph. A clock says when a part of the time is over. `thorough`: graphs
/// of at most so many edges get every heuristic, if the options say so.
pub(crate) fn eliminate(
    all: &[Found],
    options: &search::Options<'_>,
    thorough: usize,
    time: Option<&dyn Fn(f64) -> bool>,
) -> Vec<Option<Outcome>> {
    let mut index: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut graphs: Vec<&Lcg> = Vec::new();
    let mut which = Vec::with_capacity(all.len());
    for found in all {
        which.push(found.segment.lcg.as_ref().map(|lcg| {
            *index.entry(key(lcg)).or_insert_with(|| {
                graphs.push(lcg);
                graphs.len() - 1
            })
        }));
    }
    let weight = |lcg: &Lcg| lcg.edges().len() as u64 + 1;
    let total: u64 = graphs.iter().map(|lcg| weight(lcg)).sum();
    let mut before = 0u64;
    let outcomes: Vec<Outcome> = graphs
        .iter()
        .map(|lcg| {
            before += weight(lcg);
            let part = before as f64 / total.max(1) as f64;
            let slice = || time.is_some_and(|is_over| is_over(part));
            let share =
                u128::from(options.work) * u128::from(weight(lcg)) / u128::from(total.max(1));
            let work = u64::try_from(share).unwrap_or(u64::MAX);
            let timer: &dyn Fn() -> bool = &slice;
            let options = search::Options {
                work: work.max(LEAST.min(options.work)),
                timer: time.map(|_| timer).or(options.timer),
                every_heuristic: options.every_heuristic && lcg.edges().len() <= thorough,
                ..*options
            };
            search(lcg, &options)
        })
        .collect();
    which
        .into_iter()
        .map(|at| at.map(|at| outcomes[at].clone()))
        .collect()
}

/// Everything that a search looks at.
fn key(lcg: &Lcg) -> Vec<u32> {
    let mut key = vec![lcg.vertex_count() as u32, lcg.inputs().len() as u32];
    key.extend_from_slice(lcg.inputs());
    key.push(lcg.outputs().len() as u32);
    key.extend_from_slice(lcg.outputs());
    for edge in lcg.edges() {
        let kind = match edge.kind {
            Kind::Unit => 0,
            Kind::Constant => 1,
            Kind::Variable => 2,
        };
        key.extend([edge.source, edge.target, kind]);
    }
    key
}

/// The options of a search for the blocks of a program.
pub(crate) fn search_options(options: &crate::reverse::Options) -> search::Options<'static> {
    let told = options.search;
    search::Options {
        model: told.model,
        technique: told.technique,
        heuristic: told.heuristic,
        seed: told.seed,
        exact: told.exact,
        work: options.work,
        ..search::Options::default()
    }
}
