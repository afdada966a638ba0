//! How the reverse sweep of one routine gets every value and every trip count that it needs. The analyses fill this
//! object, both sweeps obey it, and [`explain`](crate::explain) shows it.
//!
//! A value that an adjoint statement, a subscript or a bound reads is *present* if nothing overwrites it in between,
//! and otherwise recorded just before it is overwritten, as [`cfg_analysis::tbr`] says, unless the statement is a step
//! that is undone ([`crate::plan::steps`]). At the end of a routine the locals in that set are recorded. A loop runs
//! backwards over its bounds if they are present, and otherwise by a count.

use cfg_analysis::{
    antidependence::Access,
    tbr::{Restored, ToBeRecorded},
};
use cfg_core::{
    dataflow::{Analysis as _, Position, Set, Solution, solve_within},
    entity::{EdgeId, RoutineId, VarId, VertexId},
    ir::{Cfg, ControlWidth, Expr, Place, Role, Selector, StmtKind, VertexKind},
    memory::global_set::GlobalSet,
};
use fixedbitset::FixedBitSet;
use std::{collections::BTreeMap, rc::Rc};

use crate::{
    code::rows::Rows,
    plan::{
        branches::deciding,
        callee_globals::CalleeGlobals,
        counters::LoopPlan,
        draft::{Draft, insert_around},
        element_reads::ElementReads,
        reads::Reads,
        shape::Shape,
        undone::Computed,
    },
    prepare::context::Context,
};

/// The number of times that loops and branches are left out of the reverse sweep if more of them restore values; after
/// that, all stay.
const ROUNDS: usize = 4;

/// The sources of values, loops and branches for the reverse sweep of one routine.
pub(crate) struct Provisions<'a> {
    cfg: &'a Cfg,
    pub(crate) analysis: ToBeRecorded<'a, Reads<'a>>,
    solution: Solution<Set>,
    /// Globals that only callees name.
    pub(crate) callee_globals: CalleeGlobals,
    /// The pushes: the statement, and the number of the overwritten place among its targets.
    saves: Rows<(u32, u32)>,
    /// The statements that the reverse sweep undoes, each with an expression for the value before it.
    undone: BTreeMap<Position, &'a Expr>,
    /// The values that the reverse sweep computes behind loops, by header.
    computed: BTreeMap<VertexId, Vec<&'a Computed>>,
    /// The places that are pushed on the edge into each region whose Jacobian is carried.
    before_regions: Vec<Vec<Place>>,
    loops: &'a [Option<LoopPlan>],
    /// The headers of loops and branches that the reverse sweep has, each with those around it.
    live: FixedBitSet,
    /// Variables that the reverse sweep sets: those that are pushed somewhere, and indices of LOOPs.
    pub(crate) restored: FixedBitSet,
    /// Edges to counted loops on which the value of the index may be needed.
    index_needed: FixedBitSet,
    /// Branches whose selectors the reverse sweep evaluates again.
    evaluated_again: FixedBitSet,
}

impl<'a> Provisions<'a> {
    /// Solves the equations. Loops and branches in which the reverse sweep does nothing are left out, and bounds of
    /// loops that are left out are not read; more values that are restored may mean more loops, whose bounds are read.
    pub(crate) fn solve(context: &'a Context, draft: &'a Draft<'_>) -> Self {
        Self::solve_with(context, draft, Self::element_reads(context, draft), &[])
    }

    /// The elements that the adjoints of a draft read.
    pub(crate) fn element_reads(context: &Context, draft: &Draft<'_>) -> ElementReads {
        ElementReads::find(context, draft, &Reads::new(context, draft))
    }

    /// [`Provisions::solve`] with the elements that the adjoints of the draft read, if it has these no longer, where
    /// each iteration of the loops with the back edges `turns` is reversed before the next one begins.
    pub(crate) fn solve_with(
        context: &'a Context,
        draft: &'a Draft<'_>,
        elements: ElementReads,
        turns: &'a [EdgeId],
    ) -> Self {
        let elements = Rc::new(elements);
        let mut live = draft.with_adjoints.clone();
        if let Shape::Structured(structure) = draft.shape {
            for (v, vertex) in draft.cfg.vertices() {
                let is_asked_for = match vertex.kind {
                    VertexKind::Loop { .. } => context.counters,
                    VertexKind::Branch(_) => context.markers,
                    VertexKind::Entry
                    | VertexKind::Exit
                    | VertexKind::Block(_)
                    | VertexKind::EndLoop
                    | VertexKind::EndBranch => false,
                };
                if is_asked_for {
                    insert_around(structure, v, &mut live);
                    live.insert(v.index());
                }
            }
        }
        let callee_globals = CalleeGlobals::solve(context, draft);
        for _ in 0..ROUNDS {
            let within = (live.clone(), callee_globals.clone());
            let provisions = Self::within(context, draft, turns, &elements, within);
            provisions.insert_restoring(draft, &mut live);
            if live == provisions.live {
                return provisions;
            }
        }
        live.insert_range(..);
        Self::within(context, draft, turns, &elements, (live, callee_globals))
    }

    /// Solves the equations for a reverse sweep with only these loops and branches.
    fn within(
        context: &'a Context,
        draft: &'a Draft<'_>,
        turns: &'a [EdgeId],
        elements: &Rc<ElementReads>,
        (live, callee_globals): (FixedBitSet, CalleeGlobals),
    ) -> Self {
        let program = &context.program;
        let routine = program.routine(draft.id);
        let cfg = draft.cfg;
        let analysis = ToBeRecorded::new(
            program,
            &context.summary.effects,
            &draft.locations,
            &draft.globals,
            Reads::new(context, draft)
                .within(live.clone(), Rc::clone(elements))
                .reversed_before(turns),
        );
        let mut provisions = Self {
            cfg,
            solution: solve_within(cfg, &analysis, context.flow_limit),
            analysis,
            callee_globals,
            saves: Rows::with_capacity(cfg.vertex_count()),
            undone: BTreeMap::new(),
            computed: BTreeMap::new(),
            before_regions: vec![Vec::new(); draft.carried.regions.len()],
            loops: &draft.loops,
            live,
            restored: FixedBitSet::with_capacity(routine.variables.len()),
            index_needed: FixedBitSet::with_capacity(cfg.edge_count()),
            evaluated_again: draft.lasting.clone(),
        };
        provisions.find_saves(draft);
        provisions.keep_markers_of_unread(draft);
        provisions.keep_markers_apart(context, draft);
        provisions
    }

    /// Adds the headers of the loops and branches in which values are restored.
    fn insert_restoring(&self, draft: &Draft<'_>, live: &mut FixedBitSet) {
        let Shape::Structured(structure) = draft.shape else {
            return;
        };
        for (v, vertex) in self.cfg.vertices() {
            let mut entries = self.cfg.in_edges(v).iter();
            let saves_index = vertex.kind.index().is_some()
                && entries.any(|&e| !structure.kind(e).loop_back && self.is_index_needed(e));
            if saves_index
                || self.save_count(v) > 0
                || self.undone(v).next().is_some()
                || !self.callee_globals.saves(v).is_empty()
                || !self.computed_behind(v).is_empty()
            {
                insert_around(structure, v, live);
            }
        }
    }

    /// The reads of the reverse sweep.
    pub(crate) fn reads(&self) -> &Reads<'a> {
        self.analysis.sweep()
    }

    /// True if the reverse sweep has the loop or branch with a header.
    pub(crate) fn is_live(&self, header: VertexId) -> bool {
        self.live.contains(header.index())
    }

    fn find_saves(&mut self, draft: &'a Draft<'_>) {
        let (cfg, analysis) = (self.cfg, &self.analysis);
        let evaluated_again = &mut self.evaluated_again;
        let (saves, restored) = (&mut self.saves, &mut self.restored);
        let (undone, computed) = (&mut self.undone, &mut self.computed);
        let index_needed = &mut self.index_needed;
        let before_regions = &mut self.before_regions;
        self.solution.each_vertex(cfg, |v, set| {
            let vertex = cfg.vertex(v);
            let branch = draft.shape.partner(v).index();
            if branch != v.index() && evaluated_again.contains(branch) {
                let selector = cfg.vertex(VertexId::new(branch)).kind.selector();
                let is_provided = draft.free.contains(branch)
                    || selector.is_some_and(|s| analysis.is_all_in(set, deciding(s)));
                evaluated_again.set(branch, is_provided);
            }
            for (s, statement) in vertex.statements().iter().enumerate() {
                let at = Position {
                    vertex: v,
                    statement: s,
                };
                analysis.saving(at, statement, set, &mut |how, place| {
                    match (how, draft.steps.inverse(at)) {
                        (Restored::Computed, Some(inverse)) => {
                            undone.insert(at, inverse);
                        }
                        (Restored::Popped(k), _) => saves.push((s as u32, k as u32)),
                        (Restored::Computed, None) => {}
                    }
                    restored.insert(place.var.index());
                });
            }
            saves.close();
            analysis.decision(v, vertex, set);
            if !draft.carried.has(v) {
                restored.extend(vertex.kind.index().map(VarId::index));
            }
            let behind = draft.steps.computed_behind(v).iter();
            let needed: Vec<&Computed> = behind
                .filter(|value| analysis.contains(set, &Place::whole(value.variable)))
                .collect();
            if !needed.is_empty() && !draft.carried.has(v) {
                restored.extend(needed.iter().map(|value| value.variable.index()));
                computed.insert(v, needed);
            }
            for &e in cfg.out_edges(v) {
                if let Some(region) = draft.carried.entered_by(e) {
                    analysis.saving_on(e, &mut set.clone(), &mut |place| {
                        before_regions[region].push(place.clone());
                        restored.insert(place.var.index());
                    });
                }
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

    /// Keeps the marker of a branch whose selector reads a cell that is overwritten and not recorded.
    fn keep_markers_of_unread(&mut self, draft: &Draft<'_>) {
        let reads = self.analysis.sweep();
        let unread = reads.unread();
        if unread.is_empty() {
            return;
        }
        for v in draft.lasting.difference(&draft.free).map(VertexId::new) {
            let at = Position {
                vertex: draft.shape.partner(v),
                statement: 0,
            };
            let mut is_lost = false;
            let selector = self.cfg.vertex(v).kind.selector();
            selector.map(deciding).into_iter().for_each(|e| {
                e.walk_places(&mut |place| {
                    let read = Access {
                        at,
                        is_before: true,
                        place: place.clone(),
                    };
                    is_lost |= unread.iter().any(|write| {
                        (draft.locations).may_share(place.var, write.place.var)
                            && reads.may_precede(&read, write)
                    });
                });
            });
            if is_lost {
                self.evaluated_again.remove(v.index());
            }
        }
    }

    /// Keeps the marker of a branch whose selector reads a single scalar that is popped somewhere: readers of the
    /// reverse sweep, such as the static checker, would take that pop for the marker's.
    fn keep_markers_apart(&mut self, context: &Context, draft: &Draft<'_>) {
        if self.evaluated_again.is_clear() {
            return;
        }
        let routine = context.program.routine(draft.id);
        let mut popped = FixedBitSet::with_capacity(routine.variables.len());
        for (v, _) in self.cfg.vertices() {
            self.each_save(v, |_, place| popped.insert(place.var.index()));
        }
        popped.extend(
            self.before_regions
                .iter()
                .flatten()
                .map(|place| place.var.index()),
        );
        for edge in self
            .index_needed
            .ones()
            .map(|e| self.cfg.edge(EdgeId::new(e)))
        {
            // The value of the index on the back edge is not popped: the reverse loop sets its index itself.
            if !matches!(self.cfg.vertex(edge.from).kind, VertexKind::EndLoop) {
                popped.extend(self.cfg.vertex(edge.to).kind.index().map(VarId::index));
            }
        }
        // Locals that are needed at the end are recorded there.
        let end = self.at(draft.exit());
        let locals = (0..routine.variables.len()).map(VarId::new);
        let locals = locals.filter(|&v| routine.variable(v).role == Role::Local);
        let needed = locals.filter(|&v| self.contains(&end, &Place::whole(v)));
        popped.extend(needed.map(VarId::index));
        let branches: Vec<usize> = self.evaluated_again.ones().collect();
        for v in branches {
            let selector = self.cfg.vertex(VertexId::new(v)).kind.selector();
            let variable = selector.and_then(|selector| only_scalar(deciding(selector)));
            if variable.is_some_and(|v| popped.contains(v.index())) {
                self.evaluated_again.remove(v);
            }
        }
    }

    /// The way in which the trip count of the LOOP at a vertex comes to the reverse sweep.
    pub(crate) fn of_loop(&self, header: VertexId) -> LoopPlan {
        self.loops[header.index()].unwrap_or(LoopPlan::CONDITION)
    }

    /// The selector that the reverse sweep evaluates again to find the arm of a branch; none if the arm is marked.
    pub(crate) fn evaluated_again(&self, branch: VertexId) -> Option<&'a Selector> {
        let selector = self.cfg.vertex(branch).kind.selector();
        selector.filter(|_| self.evaluated_again.contains(branch.index()))
    }

    /// The control bits that tell the arms of a branch apart.
    pub(crate) fn marker(&self, branch: VertexId) -> ControlWidth {
        bits(self.cfg.out_edges(branch).len())
    }

    /// True if the value that the index of a counted loop has on an edge to the loop may be needed.
    pub(crate) fn is_index_needed(&self, e: EdgeId) -> bool {
        self.index_needed.contains(e.index())
    }

    /// Calls `visit(callee, globals)` for each call of a routine that records globals itself: those whose values
    /// before the call may be needed.
    pub(crate) fn each_recording_call(
        &self,
        draft: &Draft<'_>,
        visit: &mut impl FnMut(RoutineId, GlobalSet),
    ) {
        let analysis = &self.analysis;
        self.solution.each_vertex(self.cfg, |v, set| {
            for (s, statement) in self.cfg.vertex(v).statements().iter().enumerate() {
                let at = Position {
                    vertex: v,
                    statement: s,
                };
                if let (Some(callee), Some(inside)) =
                    (statement.kind.callee(), analysis.recorded_by_callee(at))
                {
                    let mut before = set.clone();
                    analysis.insert_reads_before(at, &mut before);
                    let named = draft.globals.variables_in(inside);
                    let needed = named
                        .into_iter()
                        .filter(|v| analysis.contains(&before, &Place::whole(*v)));
                    let globals =
                        needed.filter_map(|v| match draft.scope.routine.variable(v).role {
                            Role::Global(g) => Some(g),
                            Role::Parameter { .. } | Role::Local => None,
                        });
                    visit(callee, globals.collect());
                }
                analysis.saving(at, statement, set, &mut |_, _| {});
            }
        });
        self.callee_globals.each_recording_call(visit);
    }

    /// The number of places that are pushed in a vertex.
    pub(crate) fn save_count(&self, v: VertexId) -> usize {
        self.saves.row(v).len()
    }

    /// The places that are pushed in a vertex, in order: the statement, and the number of the place among those that
    /// the statement overwrites.
    pub(crate) fn saves(&self, v: VertexId) -> &[(u32, u32)] {
        self.saves.row(v)
    }

    /// Calls `visit(statement, place)` for each place that is pushed in a vertex, in order.
    pub(crate) fn each_save(&self, v: VertexId, mut visit: impl FnMut(usize, &Place)) {
        let statements = self.cfg.vertex(v).statements();
        let mut places = (u32::MAX, Vec::new());
        for &(s, k) in self.saves.row(v) {
            let statement = &statements[s as usize];
            if let StmtKind::Assign { target, .. } = &statement.kind {
                visit(s as usize, target);
            } else {
                if places.0 != s {
                    let at = Position {
                        vertex: v,
                        statement: s as usize,
                    };
                    places = (s, self.analysis.overwritten(at, statement));
                }
                visit(s as usize, &places.1[k as usize]);
            }
        }
    }

    /// The value that the target of a statement had before it, if the reverse sweep computes it from values behind it.
    pub(crate) fn inverse(&self, at: Position) -> Option<&'a Expr> {
        self.undone.get(&at).copied()
    }

    /// The statements of a vertex that the reverse sweep undoes, in order: the statement, its target, and the value of
    /// the target before it.
    pub(crate) fn undone(&self, v: VertexId) -> impl Iterator<Item = (usize, &'a Place, &'a Expr)> {
        let at = |statement| Position {
            vertex: v,
            statement,
        };
        let statements = self.cfg.vertex(v).statements();
        let undone = self.undone.range(at(0)..=at(usize::MAX));
        undone.filter_map(|(at, inverse)| {
            let (target, _) = statements[at.statement].kind.assignment()?;
            Some((at.statement, target, *inverse))
        })
    }

    /// The values that the reverse sweep computes behind the loop with a header.
    pub(crate) fn computed_behind(&self, header: VertexId) -> &[&'a Computed] {
        self.computed.get(&header).map_or(&[], |list| list)
    }

    /// The places that are pushed on the edge into a region, in order.
    pub(crate) fn before_region(&self, region: usize) -> &[Place] {
        &self.before_regions[region]
    }

    /// The set of values to be recorded at the start of a vertex.
    pub(crate) fn at(&self, v: VertexId) -> Set {
        self.solution.state_at_inflow(v)
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

/// The one variable that an expression reads, if it is a scalar.
fn only_scalar(e: &Expr) -> Option<VarId> {
    let mut all = Vec::new();
    e.walk_places(&mut |p| all.push((p.var, p.subscripts.is_empty())));
    let first = *all.first()?;
    (first.1 && all.iter().all(|p| *p == first)).then_some(first.0)
}

/// The number of control bits that tell `ways` ways apart.
pub(crate) fn bits(ways: usize) -> ControlWidth {
    let bits = usize::BITS - (ways.max(2) - 1).leading_zeros();
    ControlWidth::Bits(bits as u8)
}
