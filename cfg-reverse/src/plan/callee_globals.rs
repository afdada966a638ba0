//! Globals that a routine does not name but its callees use.
//!
//! The reverse sweep of a callee may read such a global as it was when the call returned. If another call, or the
//! same call in a loop, may overwrite the global, the caller pushes it first, as it does with its own variables; only
//! such globals are named in its sweeps. Where overlays give a cell two names, the pushed name is the one that is
//! overwritten. The globals still needed at the end of the routine are passed on to its callers.

use cfg_core::{
    dataflow::{Analysis, Direction, Position, solve_within},
    entity::{GlobalId, RoutineId, VertexId},
    ir::{Cfg, Role, Routine, Stmt, StmtKind, Vertex},
    memory::global_set::GlobalSet,
};
use std::collections::{BTreeMap, HashMap};

use cfg_analysis::tbr::ReverseSweep as _;

use crate::{
    plan::{draft::Draft, reads::Reads},
    prepare::context::Context,
};

/// The globals that the callees of a routine use and the routine does not name: where they are pushed, and which of
/// them are needed at its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct CalleeGlobals {
    /// Globals that are pushed somewhere, in ascending order.
    pub(crate) saved: Vec<GlobalId>,
    /// The pushes by vertex: the statement that each stands before, and the position of the global in `saved`.
    saves: BTreeMap<VertexId, Vec<(usize, usize)>>,
    /// Globals whose values at the end of the routine may be needed.
    pub(crate) at_exit: GlobalSet,
    /// The calls of routines that record globals themselves, each with the globals whose values before the call may
    /// be needed.
    recording: Vec<(RoutineId, GlobalSet)>,
}

/// The calls of one vertex: statement and callee.
type Calls = Vec<(usize, RoutineId)>;

/// The analysis: globals whose present values the reverse sweep of a callee may read.
struct Flow<'a> {
    context: &'a Context,
    reads: Reads<'a>,
    /// The globals that callers need and that this routine or a callee records, without those that the routine names.
    at_entry: GlobalSet,
    /// The globals that the reverse sweep of each callee needs, without those that the routine names.
    needed: HashMap<RoutineId, GlobalSet>,
}

impl CalleeGlobals {
    pub(crate) fn solve(context: &Context, draft: &Draft<'_>) -> Self {
        let needed: HashMap<RoutineId, GlobalSet> = (draft.needed.iter())
            .map(|(&callee, set)| (callee, set.minus(draft.globals.set())))
            .filter(|(_, set)| !set.is_empty())
            .collect();
        let at_entry = draft.at_entry.minus(draft.globals.set());
        if needed.is_empty() && at_entry.is_empty() {
            return Self::default();
        }
        let flow = Flow {
            context,
            reads: Reads::new(context, draft),
            at_entry,
            needed,
        };
        let calls = calls(draft);
        let solution = solve_within(draft.cfg, &flow, context.flow_limit);
        let mut saves: BTreeMap<VertexId, Vec<(usize, GlobalId)>> = BTreeMap::new();
        let (mut saved, mut recording) = (GlobalSet::default(), Vec::new());
        for (&v, calls) in &calls {
            let mut set = solution.state_at_inflow(v);
            for &(s, callee) in calls {
                let at = Position {
                    vertex: v,
                    statement: s,
                };
                if let Some(inside) = flow.reads.recorded_by_callee(at) {
                    let mut both = GlobalSet::default();
                    set.each_common(inside, |g| both.insert(g));
                    recording.push((callee, both));
                }
                flow.call(at, callee, &mut set, |g| {
                    saves.entry(v).or_default().push((s, g));
                    saved.insert(g);
                });
            }
        }
        let saved = saved.to_vec();
        let number = |(s, g)| (s, saved.partition_point(|&other| other < g));
        let numbered = |list: Vec<_>| list.into_iter().map(number).collect();
        Self {
            saves: (saves.into_iter())
                .map(|(v, list)| (v, numbered(list)))
                .collect(),
            at_exit: solution.state_at_inflow(draft.exit()),
            recording,
            saved,
        }
    }

    /// The pushes in a vertex, in the order of the statements: the statement that each stands before, and the
    /// position of the global in `saved`.
    pub(crate) fn saves(&self, v: VertexId) -> &[(usize, usize)] {
        self.saves.get(&v).map_or(&[], |saves| saves)
    }

    /// Calls `visit(callee, globals)` for each call of a routine that records globals itself.
    pub(crate) fn each_recording_call(&self, visit: &mut impl FnMut(RoutineId, GlobalSet)) {
        for (callee, globals) in &self.recording {
            visit(*callee, globals.clone());
        }
    }

    /// Declares the globals in `saved` in a sweep of the routine; returns the number of the first.
    pub(crate) fn declare(&self, context: &Context, routine: &mut Routine) -> usize {
        let first = routine.variables.len();
        for &g in &self.saved {
            let mut variable = context.program.global(g).variable.clone();
            variable.role = Role::Global(g);
            routine.add_variable(variable);
        }
        first
    }
}

fn calls(draft: &Draft<'_>) -> BTreeMap<VertexId, Calls> {
    let mut all: BTreeMap<VertexId, Calls> = BTreeMap::new();
    for (v, vertex) in draft.cfg.vertices() {
        for (s, statement) in vertex.statements().iter().enumerate() {
            if let StmtKind::Call { callee, .. } = statement.kind {
                all.entry(v).or_default().push((s, callee));
            }
        }
    }
    all
}

impl Analysis for Flow<'_> {
    const NAME: &'static str = "to be recorded for callees";
    const DIRECTION: Direction = Direction::Forward;
    type Domain = GlobalSet;

    fn bottom(&self, _: &Cfg) -> GlobalSet {
        GlobalSet::default()
    }

    fn boundary(&self, _: &Cfg) -> GlobalSet {
        self.at_entry.clone()
    }

    fn statement(&self, at: Position, statement: &Stmt, state: &mut GlobalSet) {
        if let Some(callee) = statement.kind.callee() {
            self.call(at, callee, state, |_| {});
        }
    }

    fn decision(&self, _: VertexId, _: &Vertex, _: &mut GlobalSet) {}
}

impl Flow<'_> {
    /// The transfer of a call, backwards; `save` is called with each global that is pushed before it.
    fn call(
        &self,
        at: Position,
        callee: RoutineId,
        set: &mut GlobalSet,
        mut save: impl FnMut(GlobalId),
    ) {
        let summary = &self.context.summary;
        let (written, storage) = (summary.written(callee), &summary.effects.storage);
        let mut replaced = GlobalSet::default();
        let recorded = self.reads.recorded_by_callee(at);
        set.each_common(written, |g| {
            if recorded.is_some_and(|inside| inside.contains(g)) {
                return;
            }
            save(g);
            // A global that shares storage stays in the set: its cells may be needed by another name.
            if !storage.overlaid().contains(g) {
                replaced.insert(g);
            }
        });
        // A cell needed by one name may be overwritten by another. Names that are both needed and written have been
        // saved above.
        let others = set.minus(written);
        written.each_common(storage.overlaid(), |g| {
            if !set.contains(g) && summary.shares_cells(&self.context.program, g, &others) {
                save(g);
            }
        });
        *set = set.minus(&replaced);
        if let Some(needed) = self.needed.get(&callee) {
            set.extend(needed);
        }
    }
}
