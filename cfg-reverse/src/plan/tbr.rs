//! The overwritten values that the forward sweep saves.
//!
//! *To be recorded* (TBR) is the set of variables whose present value some adjoint statement, index or
//! loop bound of what has been executed so far reads (Hascoet & Pascual, RR-7957, section 5.2). An
//! assignment to such a variable pushes the old value first and takes the variable out of the set; at
//! the end of a routine the locals in the set are pushed. Arrays and variables that may share storage
//! are one location.
//!
//! Sets are kept per vertex as long as that takes at most [`FLOW_LIMIT`] bits; a larger routine uses one
//! set for all of it, which is sound and records more.

use cfg_core::{
    entity::{EdgeId, VarId, VertexId},
    ir::{
        Cfg, Expr, Intent, LoopTest, Place, Program, Routine, ScalarType, Stmt, StmtKind,
        VertexKind,
    },
    memory::{locations::Locations, named::Named},
};
use fixedbitset::FixedBitSet;

use crate::{
    code::{known::Known, rows::Rows},
    memory::summary::Summary,
    plan::{
        adjoints::StatementCode, callee_globals::CalleeGlobals, counters::LoopPlan, draft::Draft,
        shape::Shape, worklist::Worklist,
    },
    prepare::{context::Context, optional},
};

/// Most bits that the flow-sensitive analysis may take for one routine.
pub const FLOW_LIMIT: usize = 1 << 30;

/// The sets of one routine.
pub(crate) struct Tbr<'a> {
    program: &'a Program,
    routine: &'a Routine,
    summary: &'a Summary,
    cfg: &'a Cfg,
    shape: Shape<'a>,
    locations: &'a Locations,
    code: &'a Rows<StatementCode>,
    loops: &'a [Option<LoopPlan>],
    globals: &'a Named,
    /// Globals that only callees name.
    pub(crate) callee_globals: CalleeGlobals,
    /// The pushes: the statement, and which of the places that it overwrites.
    saves: Rows<(u32, u32)>,
    /// Variables that the reverse sweep sets: those that are pushed somewhere, and indices of LOOPs.
    pub(crate) restored: FixedBitSet,
    /// Edges to counted loops on which the value of the index may be needed.
    index_needed: FixedBitSet,
    /// The words of the set at the start of each vertex, one after the other; one set for all if the
    /// routine is large.
    at: Vec<usize>,
    /// Words of a set.
    words: usize,
    flow: bool,
}

impl<'a> Tbr<'a> {
    /// Solves the equations.
    pub(crate) fn solve(context: &'a Context, draft: &'a Draft<'_>) -> Self {
        let (program, summary) = (&context.program, &context.summary);
        let routine = program.routine(draft.id);
        let cfg = draft.cfg;
        let n = draft.locations.len();
        let mut tbr = Self {
            program,
            routine,
            summary,
            cfg,
            shape: draft.shape,
            locations: &draft.locations,
            code: &draft.code,
            loops: &draft.loops,
            globals: &draft.globals,
            callee_globals: CalleeGlobals::solve(context, draft),
            saves: Rows::with_capacity(cfg.vertex_count()),
            restored: FixedBitSet::with_capacity(routine.variables.len()),
            index_needed: FixedBitSet::with_capacity(cfg.edge_count()),
            at: Vec::new(),
            words: n.div_ceil(usize::BITS as usize),
            flow: cfg.vertex_count().saturating_mul(n) <= FLOW_LIMIT,
        };
        if tbr.flow {
            tbr.at = vec![0; cfg.vertex_count() * tbr.words];
            tbr.iterate();
        } else {
            tbr.collect();
        }
        tbr.find_saves();
        tbr
    }

    fn find_saves(&mut self) {
        let mut saves = Rows::with_capacity(self.cfg.vertex_count());
        let mut restored = FixedBitSet::with_capacity(self.restored.len());
        let mut set = self.empty();
        if !self.flow {
            set.as_mut_slice().copy_from_slice(&self.at);
        }
        for (v, _) in self.cfg.vertices() {
            if self.flow {
                self.load(v, &mut set);
            }
            self.transfer(v, &mut set, &mut |s, k, place| {
                saves.push((s as u32, k as u32));
                restored.insert(place.var.index());
            });
            saves.close();
            if let Some(index) = self.cfg.vertex(v).kind.index() {
                restored.insert(index.index());
            }
            if !self.flow {
                self.revive(v, &mut set);
            }
            for &e in self.cfg.out_edges(v) {
                let Some(index) = self.cfg.vertex(self.cfg.edge(e).to).kind.index() else {
                    continue;
                };
                let index = Place::whole(index);
                let left = self.indices_left(e);
                let needed = if left.is_empty() || !self.flow {
                    self.contains(&set, &index)
                } else {
                    let mut out = set.clone();
                    for left in left {
                        self.kill(&Place::whole(left), &mut out);
                    }
                    self.contains(&out, &index)
                };
                self.index_needed.set(e.index(), needed);
            }
        }
        self.saves = saves;
        self.restored = restored;
    }

    /// Puts back what a vertex has taken out of the set, where there is one set for the whole routine.
    fn revive(&self, v: VertexId, set: &mut FixedBitSet) {
        const BITS: usize = usize::BITS as usize;
        let mut put = |place: &Place| {
            self.locations.each(place, &mut |l| {
                let a = l.index();
                set.set(a, self.at[a / BITS] >> (a % BITS) & 1 == 1);
            });
        };
        if let Some(index) = self.cfg.vertex(v).kind.index() {
            put(&Place::whole(index));
        }
        for statement in self.cfg.vertex(v).statements() {
            self.overwritten(statement).iter().for_each(&mut put);
        }
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
                    places = (s, self.overwritten(statement));
                }
                visit(s as usize, &places.1[k as usize]);
            }
        }
    }

    /// A set without members.
    fn empty(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.locations.len())
    }

    fn range(&self, v: VertexId) -> std::ops::Range<usize> {
        let start = if self.flow { v.index() * self.words } else { 0 };
        start..start + self.words
    }

    /// Worklist in topological order until nothing grows.
    fn iterate(&mut self) {
        let n = self.cfg.vertex_count();
        let mut dirty = Worklist::of(n, 0..n);
        let mut set = self.empty();
        while let Some(p) = dirty.take() {
            let v = self.shape.order()[p];
            self.load(v, &mut set);
            self.transfer(v, &mut set, &mut |_, _, _| {});
            for &e in self.cfg.out_edges(v) {
                let w = self.cfg.edge(e).to;
                let left = self.indices_left(e);
                let range = self.range(w);
                let grew = if left.is_empty() {
                    grow(&mut self.at[range], set.as_slice())
                } else {
                    let mut out = set.clone();
                    for index in left {
                        self.kill(&Place::whole(index), &mut out);
                    }
                    grow(&mut self.at[range], out.as_slice())
                };
                if grew {
                    dirty.add(self.shape.position()[w.index()] as usize);
                }
            }
        }
    }

    /// Indices of the loops that an edge of a general graph leaves. The reverse loops set them.
    fn indices_left(&self, e: EdgeId) -> Vec<VarId> {
        let Shape::General(general) = self.shape else {
            return Vec::new();
        };
        if !general.is_live(self.cfg, e) {
            return Vec::new();
        }
        general.indices_left(self.cfg, e)
    }

    /// Collects one set for the whole routine: everything that is read anywhere.
    fn collect(&mut self) {
        let mut all = self.empty();
        loop {
            let mut grown = all.clone();
            for (v, _) in self.cfg.vertices() {
                let mut set = all.clone();
                self.transfer(v, &mut set, &mut |_, _, _| {});
                if let Some(plan) = self.loops[v.index()] {
                    self.loop_reads(v, plan, &mut set);
                }
                for code in self.code.of(v) {
                    for reads in [&code.reads_before, &code.reads_after] {
                        set.extend(reads.as_slice().iter().map(|&a| a as usize));
                    }
                }
                grow(grown.as_mut_slice(), set.as_slice());
            }
            if grown == all {
                break;
            }
            all = grown;
        }
        self.at = all.as_slice().to_vec();
    }

    /// The set at the start of a vertex.
    pub(crate) fn at(&self, v: VertexId) -> FixedBitSet {
        let mut set = self.empty();
        self.load(v, &mut set);
        set
    }

    /// Overwrites `set` with the set at the start of a vertex.
    fn load(&self, v: VertexId, set: &mut FixedBitSet) {
        set.as_mut_slice().copy_from_slice(&self.at[self.range(v)]);
    }

    /// True if the present value of some cell of the place may be needed.
    pub(crate) fn contains(&self, set: &FixedBitSet, place: &Place) -> bool {
        let mut found = false;
        self.locations
            .each(place, &mut |l| found |= set.contains(l.index()));
        found
    }

    /// The parts of a variable whose present values may be needed.
    pub(crate) fn members(&self, set: &FixedBitSet, v: VarId) -> Vec<Place> {
        self.locations.parts(v, |l| set.contains(l.index()))
    }

    fn insert_reads(&self, e: &Expr, set: &mut FixedBitSet) {
        e.walk_places(&mut |p| self.locations.each(p, &mut |l| set.insert(l.index())));
    }

    /// Runs a vertex; `save(statement, k, place)` is called for each place that is pushed, in order: the
    /// k-th that the statement overwrites.
    fn transfer(
        &self,
        v: VertexId,
        set: &mut FixedBitSet,
        save: &mut impl FnMut(usize, usize, &Place),
    ) {
        let vertex = self.cfg.vertex(v);
        let statements = vertex.statements().iter().zip(self.code.of(v));
        for (s, (statement, code)) in statements.enumerate() {
            self.statement(statement, code, set, &mut |k, place| save(s, k, place));
        }
        // Only headers of loops have a plan.
        if let Some(plan) = self.loops[v.index()] {
            if let Some(index) = vertex.kind.index() {
                self.kill(&Place::whole(index), set);
            }
            self.loop_reads(v, plan, set);
        }
    }

    fn loop_reads(&self, v: VertexId, plan: LoopPlan, set: &mut FixedBitSet) {
        if let VertexKind::Loop { test, .. } = &self.cfg.vertex(v).kind
            && let LoopTest::Counted {
                first, last, step, ..
            } = test.as_ref()
        {
            let read = [
                (first, plan.index && !plan.first),
                (last, !plan.counter),
                (step, plan.index && !plan.step),
            ];
            for (e, _) in read.into_iter().filter(|r| r.1) {
                self.insert_reads(e, set);
            }
        }
    }

    fn statement(
        &self,
        statement: &Stmt,
        code: &StatementCode,
        set: &mut FixedBitSet,
        save: &mut impl FnMut(usize, &Place),
    ) {
        for &a in code.reads_before.as_slice() {
            set.insert(a as usize);
        }
        let mut saved = |k: usize, place: &Place, set: &mut FixedBitSet| {
            if self.contains(set, place) {
                save(k, place);
                // The pop evaluates the same subscripts.
                for e in place.subscript_exprs() {
                    self.insert_reads(e, set);
                }
            }
        };
        if let StmtKind::Assign { target, .. } = &statement.kind {
            saved(0, target, set);
            self.kill(target, set);
        } else {
            let places = self.overwritten(statement);
            let guarded = optional::guarded(self.program, self.routine, statement);
            for (k, place) in places.iter().enumerate() {
                if !(place.subscripts.is_empty() && guarded.contains(&place.var)) {
                    saved(k, place, set);
                }
            }
            places.iter().for_each(|place| self.kill(place, set));
        }
        for &a in code.reads_after.as_slice() {
            set.insert(a as usize);
        }
    }

    /// A location that is replaced leaves the set: its old value is on the tape or not needed.
    fn kill(&self, place: &Place, set: &mut FixedBitSet) {
        if self.locations.replaces(place) {
            self.locations
                .each(place, &mut |l| set.set(l.index(), false));
        }
    }

    /// Places that a statement may overwrite, as they are to be pushed.
    fn overwritten(&self, statement: &Stmt) -> Vec<Place> {
        let mut places = Vec::new();
        match &statement.kind {
            StmtKind::Assign { target, .. } | StmtKind::Pop { target, .. } => {
                places.push(target.clone());
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                let called = self.program.routine(*callee);
                let mut known = Known::default();
                for (p, argument) in called.parameter_ids().zip(arguments.iter()) {
                    let formal = called.variable(p);
                    if let Some(Expr::Place(place)) = argument
                        && formal.ty != ScalarType::Tape
                        && formal.intent().is_some_and(Intent::writes)
                    {
                        // An element bound to an array formal: the cells from it on. Save all of it.
                        let whole = place.is_element() && formal.rank() > 0;
                        let place = if whole {
                            Place::whole(place.var)
                        } else {
                            place.clone()
                        };
                        if known.find(places.len(), |k| &places[k], &place).is_none() {
                            places.push(place);
                        }
                    }
                }
                places.extend(result.clone());
                let written = self.summary.written(*callee);
                places.extend(self.globals.among(written).into_iter().map(Place::whole));
            }
            StmtKind::Push { .. } => {}
            StmtKind::Opaque { writes, .. } => {
                places.extend(writes.iter().map(|&v| Place::whole(v)));
            }
        }
        places
    }
}

/// `set |= other`; true if it grew.
fn grow(set: &mut [usize], other: &[usize]) -> bool {
    let mut grew = false;
    for (mine, theirs) in set.iter_mut().zip(other) {
        grew |= *theirs & !*mine != 0;
        *mine |= theirs;
    }
    grew
}
