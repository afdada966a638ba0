//! The locations that the reverse sweep of a routine reads, known before the sweep is written: the input of the
//! to-be-recorded analysis.

use cfg_analysis::{
    antidependence::{Access, Nest},
    tbr::ReverseSweep,
};
use cfg_core::{
    dataflow::Position,
    entity::{EdgeId, RoutineId, VarId, VertexId},
    ir::{Cfg, Expr, LoopTest, Place, Routine, ScalarType, Stmt, VertexKind},
    memory::{global_set::GlobalSet, locations::Locations},
};
use fixedbitset::FixedBitSet;
use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeMap, BTreeSet, HashSet},
    rc::Rc,
};

use crate::{
    code::rows::Rows,
    plan::{
        adjoints::StatementCode, branches::deciding, carried::Carried, counters::LoopPlan,
        draft::Draft, element_reads::ElementReads, shape::Shape, undone::Steps, written::Written,
    },
    prepare::{context::Context, optional},
};

/// The locations that the reverse sweep of a draft reads.
pub(crate) struct Reads<'a> {
    context: &'a Context,
    id: RoutineId,
    /// True if the statements differ from those of the given program.
    changed: bool,
    locations: &'a Locations,
    at_entry: &'a GlobalSet,
    elements: Rc<ElementReads>,
    /// The positions at which integers may be written, as soon as they are asked for.
    written: OnceCell<Written<'a>>,
    /// The assignments that were asked for, and whether the cell was unread.
    unread: RefCell<BTreeMap<Position, bool>>,
    routine: &'a Routine,
    cfg: &'a Cfg,
    shape: Shape<'a>,
    code: &'a Rows<StatementCode>,
    loops: &'a [Option<LoopPlan>],
    /// The branches, by vertex, whose selectors are evaluated again in any case.
    free: &'a FixedBitSet,
    steps: &'a Steps,
    /// The headers of loops and branches that the reverse sweep has; without a set, of all.
    live: Option<FixedBitSet>,
    carried: &'a Carried,
    /// The back edges of loops whose iterations are reversed one by one.
    turns: &'a [EdgeId],
    /// The assignments that the forward sweep leaves out.
    left_out: &'a BTreeSet<Position>,
}

impl<'a> Reads<'a> {
    pub(crate) fn new(context: &'a Context, draft: &'a Draft<'_>) -> Self {
        Self {
            context,
            id: draft.id,
            changed: !draft.same_graph,
            locations: &draft.locations,
            elements: Rc::default(),
            written: OnceCell::new(),
            unread: RefCell::default(),
            at_entry: &draft.at_entry,
            routine: context.program.routine(draft.id),
            cfg: draft.cfg,
            shape: draft.shape,
            code: &draft.code,
            loops: &draft.loops,
            free: &draft.free,
            steps: &draft.steps,
            live: None,
            carried: &draft.carried,
            turns: &[],
            left_out: &draft.left_out,
        }
    }
}

impl<'a> Reads<'a> {
    /// The locations that a reverse sweep with only these loops reads, and the elements of arrays among them.
    pub(crate) fn within(self, live: FixedBitSet, elements: Rc<ElementReads>) -> Self {
        Self {
            live: Some(live),
            elements,
            ..self
        }
    }

    /// The reads where each iteration of the loops with these back edges is reversed before the next one begins.
    pub(crate) fn reversed_before(self, turns: &'a [EdgeId]) -> Self {
        Self { turns, ..self }
    }

    /// The assignments in front of which nothing is recorded because no adjoint of an earlier run reads the cell.
    pub(crate) fn unread(&self) -> Vec<Access> {
        let unread = self.unread.borrow();
        let unread = unread.iter().filter(|(_, is_unread)| **is_unread);
        unread.filter_map(|(at, _)| self.assigned(*at)).collect()
    }

    /// True of a call of sweeps. A call without useful results stays a call of the original.
    fn is_reversed(&self, call: Position) -> bool {
        let code = self.code.row(call.vertex).get(call.statement);
        code.is_some_and(|code| code.forward.is_some())
    }

    /// The element that a statement assigns.
    fn assigned(&self, at: Position) -> Option<Access> {
        let statement = self.cfg.vertex(at.vertex).statements().get(at.statement)?;
        let (place, _) = statement.kind.assignment()?;
        place.is_element().then(|| Access {
            at,
            is_before: false,
            place: place.clone(),
        })
    }

    /// True unless no run of a read that comes before a run of an assignment is of the same cell.
    pub(crate) fn may_precede(&self, read: &Access, write: &Access) -> bool {
        let Shape::Structured(structure) = self.shape else {
            return true;
        };
        let written = self.written.get_or_init(|| {
            let mut written = Written::new(self.locations, self.routine.variables.len());
            for (v, variable) in self.routine.variables.iter().enumerate() {
                if variable.ty == ScalarType::Integer && variable.rank() == 0 {
                    written.follow(VarId::new(v));
                }
            }
            written.find(self.context, self.id, self.cfg, structure, self.changed);
            written
        });
        let nest = Nest {
            variables: &self.routine.variables,
            cfg: self.cfg,
            structure,
            is_written_in: &|v, range| written.is_written_in(v, range),
        };
        nest.may_precede(read, write)
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

    fn has_forward_code(&self, at: Position) -> bool {
        let code = self.code.row(at.vertex).get(at.statement);
        code.is_some_and(|code| code.forward.is_some())
    }

    fn is_left_out(&self, at: Position) -> bool {
        self.left_out.contains(&at)
    }

    fn records_all(&self) -> bool {
        self.context.values
    }

    fn is_unread_before(&self, at: Position) -> bool {
        if let Some(&known) = self.unread.borrow().get(&at) {
            return known;
        }
        let is_unread = self.assigned(at).is_some_and(|write| {
            let reads = self
                .elements
                .reads_of(self.locations.of_variable(write.place.var));
            reads.is_some_and(|all| !all.iter().any(|read| self.may_precede(read, &write)))
        });
        self.unread.borrow_mut().insert(at, is_unread);
        is_unread
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
        if let Some(kept) = &self.context.reruns[callee.index()] {
            return self.is_reversed(at).then_some(&kept.globals);
        }
        // A callee that writes such a global is called by its sweeps even if its results are not useful, so the
        // global is recorded there.
        Some(&self.context.recorded_inside)
    }

    fn restored_by_callee(&self, at: Position) -> Option<&FixedBitSet> {
        let statement = self.cfg.vertex(at.vertex).statements().get(at.statement)?;
        let kept = self.context.reruns[statement.kind.callee()?.index()].as_ref()?;
        self.is_reversed(at).then_some(&kept.restored)
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
