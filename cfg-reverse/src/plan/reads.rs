//! The locations that the reverse sweep of a routine reads, known before the sweep is written: the input of the
//! to-be-recorded analysis.

use cfg_analysis::tbr::ReverseSweep;
use cfg_core::{
    dataflow::Position,
    entity::{EdgeId, VarId, VertexId},
    ir::{Cfg, Expr, LoopTest, Place, Routine, Stmt, VertexKind},
    memory::global_set::GlobalSet,
};
use fixedbitset::FixedBitSet;
use std::collections::HashSet;

use crate::{
    code::rows::Rows,
    plan::{
        adjoints::StatementCode, branches::deciding, carried::Carried, counters::LoopPlan,
        draft::Draft, shape::Shape, undone::Steps,
    },
    prepare::{context::Context, optional},
};

/// The locations that the reverse sweep of a draft reads.
pub(crate) struct Reads<'a> {
    context: &'a Context,
    at_entry: &'a GlobalSet,
    routine: &'a Routine,
    cfg: &'a Cfg,
    shape: Shape<'a>,
    code: &'a Rows<StatementCode>,
    results: &'a [(Position, Place)],
    loops: &'a [Option<LoopPlan>],
    /// The branches, by vertex, whose selectors are evaluated again in any case.
    free: &'a FixedBitSet,
    steps: &'a Steps,
    /// The headers of loops and branches that the reverse sweep has; without a set, of all.
    live: Option<FixedBitSet>,
    carried: &'a Carried,
    /// The back edges of loops whose iterations are reversed one by one.
    turns: &'a [EdgeId],
}

impl<'a> Reads<'a> {
    pub(crate) fn new(context: &'a Context, draft: &'a Draft<'_>) -> Self {
        Self {
            context,
            at_entry: &draft.at_entry,
            routine: context.program.routine(draft.id),
            cfg: draft.cfg,
            shape: draft.shape,
            code: &draft.code,
            results: &draft.results,
            loops: &draft.loops,
            free: &draft.free,
            steps: &draft.steps,
            live: None,
            carried: &draft.carried,
            turns: &[],
        }
    }
}

impl<'a> Reads<'a> {
    /// The locations that a reverse sweep with only these loops reads.
    pub(crate) fn within(self, live: FixedBitSet) -> Self {
        Self {
            live: Some(live),
            ..self
        }
    }

    /// The reads where each iteration of the loops with these back edges is reversed before the next one begins.
    pub(crate) fn reversed_before(self, turns: &'a [EdgeId]) -> Self {
        Self { turns, ..self }
    }
}

impl ReverseSweep for Reads<'_> {
    fn reads_before(&self, at: Position) -> &[u32] {
        let code = self.code.row(at.vertex).get(at.statement);
        code.map_or(&[], |code| code.reads_before.as_slice())
    }

    fn reads_after(&self, at: Position) -> &[u32] {
        let code = self.code.row(at.vertex).get(at.statement);
        code.map_or(&[], |code| code.reads_after.as_slice())
    }

    fn results(&self) -> &[(Position, Place)] {
        self.results
    }

    fn result_after(&self, at: Position) -> Option<usize> {
        let code = self.code.row(at.vertex).get(at.statement);
        code.and_then(|code| code.result).map(|k| k as usize)
    }

    fn has_reverse_loop(&self, v: VertexId) -> bool {
        self.loops[v.index()].is_some()
    }

    fn decision_reads(&self, v: VertexId, read: &mut dyn FnMut(&Expr)) {
        let is_loop = matches!(self.cfg.vertex(v).kind, VertexKind::Loop { .. });
        let header = if is_loop { v } else { self.shape.partner(v) };
        if (self.live.as_ref()).is_some_and(|live| !live.contains(header.index())) {
            return;
        }
        if header != v && self.free.contains(header.index()) {
            let selector = self.cfg.vertex(header).kind.selector();
            selector.map(deciding).into_iter().for_each(&mut *read);
        }
        if let (Some(plan), VertexKind::Loop { test, .. }) =
            (self.loops[v.index()], &self.cfg.vertex(v).kind)
            && let LoopTest::Counted {
                first, last, step, ..
            } = test.as_ref()
        {
            let evaluated = [
                (first, plan.index && !plan.first),
                (last, !plan.counter),
                (step, plan.index && !plan.step),
            ];
            for (e, _) in evaluated.into_iter().filter(|e| e.1) {
                read(e);
            }
        }
    }

    fn indices_left(&self, e: EdgeId) -> Vec<VarId> {
        match self.shape {
            Shape::General(general) if general.is_live(self.cfg, e) => {
                general.indices_left(self.cfg, e)
            }
            Shape::General(_) | Shape::Structured(_) => Vec::new(),
        }
    }

    fn recorded_apart(&self, statement: &Stmt) -> HashSet<VarId> {
        optional::guarded(&self.context.program, self.routine, statement)
    }

    fn recorded_by_callee(&self, at: Position) -> Option<&GlobalSet> {
        let statement = self.cfg.vertex(at.vertex).statements().get(at.statement)?;
        let callee = statement.kind.callee()?;
        self.context.sweeps[callee.index()]?;
        // A callee that writes such a global is called by its sweeps even if its results are not useful, so the
        // global is recorded there.
        Some(&self.context.recorded_inside)
    }

    fn needed_at_entry(&self) -> &GlobalSet {
        self.at_entry
    }

    fn inverse(&self, at: Position) -> Option<&Expr> {
        self.steps.inverse(at)
    }

    fn computed(&self, e: EdgeId, computed: &mut dyn FnMut(VarId, &[&Expr])) {
        let Shape::Structured(structure) = self.shape else {
            return;
        };
        let header = self.cfg.edge(e).from;
        if structure.kind(e).loop_exit && !self.carried.has(header) {
            for value in self.steps.computed_behind(header) {
                let evaluated: Vec<&Expr> = value.evaluated().collect();
                computed(value.variable, &evaluated);
            }
        }
    }

    fn is_passed_over(&self, v: VertexId) -> bool {
        self.carried.has(v)
    }

    fn overwritten_behind(&self, e: EdgeId) -> &[Place] {
        let region = self.carried.entered_by(e);
        region.map_or(&[], |k| &self.carried.regions[k].written)
    }

    fn reads_on(&self, e: EdgeId) -> &[u32] {
        let region = self.carried.left_by(e);
        region.map_or(&[], |k| self.carried.regions[k].reads.as_slice())
    }

    fn is_reversed_before(&self, e: EdgeId) -> bool {
        self.turns.contains(&e)
    }
}
