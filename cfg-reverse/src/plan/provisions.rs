//! How the reverse sweep of one routine gets every value and every loop that it needs: the one object that the analyses
//! write, that both sweeps obey, and that [`explain`](crate::explain) shows.
//!
//! A value that an adjoint statement, a subscript or a bound reads is *present* if nothing overwrites it in between, and
//! otherwise recorded just before it is overwritten, as [`cfg_analysis::tbr`] says. At the end of a routine the locals in
//! that set are recorded. A loop runs backwards over its bounds if they are present, and otherwise by a count.

use cfg_analysis::tbr::{ReverseSweep, ToBeRecorded};
use cfg_core::{
    dataflow::{Analysis as _, Position, Set, Solution, solve_within},
    entity::{EdgeId, VarId, VertexId},
    ir::{Cfg, ControlWidth, Expr, LoopTest, Place, Program, Routine, Stmt, StmtKind, VertexKind},
};
use fixedbitset::FixedBitSet;
use std::collections::HashSet;

use crate::{
    code::rows::Rows,
    plan::{
        adjoints::StatementCode, callee_globals::CalleeGlobals, counters::LoopPlan, draft::Draft,
        shape::Shape,
    },
    prepare::{context::Context, optional},
};

/// What the reverse sweep of a draft reads.
pub(crate) struct Reads<'a> {
    program: &'a Program,
    routine: &'a Routine,
    cfg: &'a Cfg,
    shape: Shape<'a>,
    code: &'a Rows<StatementCode>,
    loops: &'a [Option<LoopPlan>],
}

impl<'a> Reads<'a> {
    pub(crate) fn of(context: &'a Context, draft: &'a Draft<'_>) -> Self {
        Self {
            program: &context.program,
            routine: context.program.routine(draft.id),
            cfg: draft.cfg,
            shape: draft.shape,
            code: &draft.code,
            loops: &draft.loops,
        }
    }
}

impl ReverseSweep for Reads<'_> {
    fn reads_before(&self, at: Position) -> &[u32] {
        let code = self.code.of(at.vertex).get(at.statement);
        code.map_or(&[], |code| code.reads_before.as_slice())
    }

    fn reads_after(&self, at: Position) -> &[u32] {
        let code = self.code.of(at.vertex).get(at.statement);
        code.map_or(&[], |code| code.reads_after.as_slice())
    }

    fn has_reverse_loop(&self, v: VertexId) -> bool {
        self.loops[v.index()].is_some()
    }

    fn loop_bounds(&self, v: VertexId, read: &mut dyn FnMut(&Expr)) {
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
        optional::guarded(self.program, self.routine, statement)
    }
}

/// How the reverse sweep of one routine gets what it needs.
pub(crate) struct Provisions<'a> {
    cfg: &'a Cfg,
    pub(crate) analysis: ToBeRecorded<'a, Reads<'a>>,
    solution: Solution<Set>,
    /// Globals that only callees name.
    pub(crate) callee_globals: CalleeGlobals,
    /// The pushes: the statement, and which of the places that it overwrites.
    saves: Rows<(u32, u32)>,
    loops: &'a [Option<LoopPlan>],
    /// Variables that the reverse sweep sets: those that are pushed somewhere, and indices of LOOPs.
    pub(crate) restored: FixedBitSet,
    /// Edges to counted loops on which the value of the index may be needed.
    index_needed: FixedBitSet,
}

impl<'a> Provisions<'a> {
    /// Solves the equations.
    pub(crate) fn solve(context: &'a Context, draft: &'a Draft<'_>) -> Self {
        let program = &context.program;
        let routine = program.routine(draft.id);
        let cfg = draft.cfg;
        let analysis = ToBeRecorded::new(
            program,
            &context.summary.effects,
            &draft.locations,
            &draft.globals,
            Reads::of(context, draft),
        );
        let mut provisions = Self {
            cfg,
            solution: solve_within(cfg, &analysis, context.flow_limit),
            analysis,
            callee_globals: CalleeGlobals::solve(context, draft),
            saves: Rows::with_capacity(cfg.vertex_count()),
            loops: &draft.loops,
            restored: FixedBitSet::with_capacity(routine.variables.len()),
            index_needed: FixedBitSet::with_capacity(cfg.edge_count()),
        };
        provisions.find_saves();
        provisions
    }

    fn find_saves(&mut self) {
        let (cfg, analysis) = (self.cfg, &self.analysis);
        let (saves, restored) = (&mut self.saves, &mut self.restored);
        let index_needed = &mut self.index_needed;
        self.solution.each_vertex(cfg, |v, set| {
            let vertex = cfg.vertex(v);
            for (s, statement) in vertex.statements().iter().enumerate() {
                let at = Position {
                    vertex: v,
                    statement: s,
                };
                analysis.saving(at, statement, set, &mut |k, place| {
                    saves.push((s as u32, k as u32));
                    restored.insert(place.var.index());
                });
            }
            saves.close();
            analysis.decision(v, vertex, set);
            restored.extend(vertex.kind.index().map(VarId::index));
            for &e in cfg.out_edges(v) {
                let Some(index) = cfg.vertex(cfg.edge(e).to).kind.index() else {
                    continue;
                };
                let index = Place::whole(index);
                let needed = match analysis.changes_on(cfg, e) {
                    true => {
                        let mut out = set.clone();
                        analysis.edge(cfg, e, &mut out);
                        analysis.contains(&out, &index)
                    }
                    false => analysis.contains(set, &index),
                };
                index_needed.set(e.index(), needed);
            }
        });
    }

    /// The way in which the trip count of the LOOP at a vertex comes to the reverse sweep.
    pub(crate) fn of_loop(&self, header: VertexId) -> LoopPlan {
        self.loops[header.index()].unwrap_or(LoopPlan::CONDITION)
    }

    /// The control bits that tell the arms of a branch apart.
    pub(crate) fn marker(&self, branch: VertexId) -> ControlWidth {
        bits(self.cfg.out_edges(branch).len())
    }

    /// True if the value that the index of a counted loop has on an edge to the loop may be needed.
    pub(crate) fn is_index_needed(&self, e: EdgeId) -> bool {
        self.index_needed.contains(e.index())
    }

    /// The number of places that are pushed in a vertex.
    pub(crate) fn save_count(&self, v: VertexId) -> usize {
        self.saves.of(v).len()
    }

    /// Calls `visit(statement, place)` for each place that is pushed in a vertex, in order.
    pub(crate) fn each_save(&self, v: VertexId, mut visit: impl FnMut(usize, &Place)) {
        let statements = self.cfg.vertex(v).statements();
        let mut places = (u32::MAX, Vec::new());
        for &(s, k) in self.saves.of(v) {
            let statement = &statements[s as usize];
            if let StmtKind::Assign { target, .. } = &statement.kind {
                visit(s as usize, target);
            } else {
                if places.0 != s {
                    places = (s, self.analysis.overwritten(statement));
                }
                visit(s as usize, &places.1[k as usize]);
            }
        }
    }

    /// The set at the start of a vertex.
    pub(crate) fn at(&self, v: VertexId) -> Set {
        self.solution.incoming(v)
    }

    /// True if the present value of some cell of the place may be needed.
    pub(crate) fn contains(&self, set: &Set, place: &Place) -> bool {
        self.analysis.contains(set, place)
    }

    /// The parts of a variable whose present values may be needed.
    pub(crate) fn members(&self, set: &Set, v: VarId) -> Vec<Place> {
        self.analysis.members(set, v)
    }
}

/// The control bits that tell so many ways apart.
pub(crate) fn bits(ways: usize) -> ControlWidth {
    let bits = usize::BITS - (ways.max(2) - 1).leading_zeros();
    ControlWidth::Bits(bits as u8)
}
