//! The plan of a reversal: how the reverse sweep gets every value, loop and branch that it needs, and why.

use cfg_analysis::tbr::ReverseSweep as _;
use cfg_core::{
    dataflow::Position,
    diagnostic::Diagnostics,
    entity::{EdgeId, LocationId, RoutineId, VarId, VertexId},
    flat::Flat,
    ir::{
        Checkpoint, ControlWidth, Expr, LoopTest, Place, Program, Stmt, StmtKind, TapeClass,
        VertexKind,
    },
    text,
};
use cfg_transform::told_apart;
use fixedbitset::FixedBitSet;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use crate::{
    blocks::carried::choose::carry,
    externals::with_routines,
    options::{Options, Overlap},
    plan::{
        at_exit::dying,
        branches::deciding,
        carried::Region,
        draft::Draft,
        provisions::{Provisions, bits},
        reads::Reads,
        setting::Setting,
        shape::Shape,
    },
    prepare::{context::Context, places::in_program, prepare},
    reverse::{drafted, with_checkpoints},
};

/// Most readers of a value that are listed.
const MOST_READERS: usize = 8;

/// Most statements and vertices that the search for the readers of one value visits.
const MOST_STEPS: usize = 2000;

/// The plan of a reversal.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The program in normal form, to whose places the plans refer. Vertices of the original keep their ids.
    pub program: Program,
    /// The plan of each routine that is differentiated, in the order of the program.
    pub routines: Vec<RoutinePlan>,
}

/// The plan of one routine.
#[derive(Clone, Debug)]
pub struct RoutinePlan {
    /// The routine that is planned.
    pub routine: RoutineId,
    /// The states that are kept, if the reverse sweep runs the routine again: then there is no other plan.
    pub kept: Option<KeptPlan>,
    /// The values that the reverse sweep reads: recorded ones in the order of the graph, then those that are present.
    pub values: Vec<ValuePlan>,
    /// The regions whose Jacobians the forward sweep carries, in the order of the graph. Their loops and merges are not
    /// listed: the reverse sweep does not run through them.
    pub regions: Vec<RegionPlan>,
    /// The loops, in the order of the graph.
    pub loops: Vec<LoopEntry>,
    /// The merges at which the reverse sweep must know the way that was taken, in the order of the graph.
    pub merges: Vec<Merge>,
}

/// The states of a routine that the reverse sweep runs again.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptPlan {
    /// The routine that is run again.
    pub step: RoutineId,
    /// The number of states.
    pub checkpoint: Checkpoint,
    /// The variables and globals of a state.
    pub state: Vec<Value>,
}

/// A region whose Jacobian the forward sweep carries.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionPlan {
    /// The first vertex of the region in the order of the graph.
    pub first: VertexId,
    /// The last vertex.
    pub last: VertexId,
    /// The places by which the region is differentiated.
    pub inputs: Vec<Place>,
    /// The places whose derivatives are wanted behind it.
    pub outputs: Vec<Place>,
    /// The number of partial derivatives that are recorded.
    pub entries: usize,
}

/// The way in which a value comes to the reverse sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provision {
    /// The value is still there: nothing overwrites it between the statement and its adjoint.
    Present,
    /// The value is pushed on a stack of the tape before it is lost, and popped.
    Stack(TapeClass),
    /// The value is not recorded: the reverse sweep computes it from the value behind the statement.
    SteppedBack,
    /// The value is not recorded: the reverse sweep computes it from values that are present.
    Computed,
    /// The value is not recorded: the local partial derivatives computed from it are.
    Preaccumulated(TapeClass),
}

/// A value that the reverse sweep reads.
#[derive(Clone, Debug)]
pub struct ValuePlan {
    /// The place that has the value.
    pub place: Value,
    /// The way in which the value comes to the reverse sweep.
    pub provision: Provision,
    /// The point at which the value is recorded; none if it is not.
    pub recorded: Option<Loss>,
    /// The readers of the value in the reverse sweep, in the order of the graph.
    pub readers: Vec<Reader>,
    /// True if there may be more readers than are listed.
    pub more: bool,
}

/// A value of the forward sweep.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The value of a place of the routine.
    Place(Place),
    /// The value of a global that only callees name.
    Global(cfg_core::entity::GlobalId),
    /// The entries, so many, of the local Jacobian of the segment that ends here.
    Entries(usize),
    /// The results of inner functions, so many, of an assignment, which records them in place of operands.
    Results(usize),
    /// The extents of an array that a statement gives another shape, or that dies.
    Extents(VarId),
}

/// The point at which a value would be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// The value is overwritten by a statement.
    Statement(Position),
    /// A counted LOOP sets its index.
    Index(VertexId),
    /// The value is that behind a loop, which some statement overwrites later, or the end of the routine.
    Behind(VertexId),
    /// The value is overwritten in the region that begins with a vertex.
    Region(VertexId),
    /// The routine ends, and its local variables with it.
    Exit,
}

/// A reader of a value in the reverse sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reader {
    /// The adjoint of a statement.
    Adjoint(Position),
    /// The subscripts of a place that is popped before a statement.
    Pop(Position),
    /// The statement that undoes a step.
    Step(Position),
    /// The bounds of the reverse loop of a LOOP.
    Bounds(VertexId),
    /// The values that are computed behind a LOOP.
    Behind(VertexId),
    /// The selector of a BRANCH, evaluated again.
    Selector(VertexId),
}

/// The plan of one loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopEntry {
    /// The vertex that heads the loop.
    pub header: VertexId,
    /// The way in which its trip count comes to the reverse sweep.
    pub trips: Trips,
    /// True if the first value of the index is recorded, because the body may change a variable that it is computed
    /// from.
    pub first: bool,
    /// True if the step is recorded, because the body may change a variable that it is computed from.
    pub step: bool,
}

/// The way in which the trip count of a loop comes to the reverse sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trips {
    /// The trip count is not needed: the reverse sweep does nothing in the loop, and leaves it out.
    LeftOut,
    /// The trip count is computed again from the bounds.
    Bounds,
    /// The forward sweep counts, and records the count: how often a condition holds is not known in advance.
    Condition,
    /// The forward sweep counts, and records the count: the body may change a variable of the bounds.
    Changed,
    /// The forward sweep counts, and records the count, because the options say so.
    Asked,
    /// The forward sweep counts, and records the count at the edges that leave the loop elsewhere than at its header.
    Left,
}

/// A merge of several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The vertex where the ways meet.
    pub vertex: VertexId,
    /// The number of ways.
    pub ways: usize,
    /// The bits that are recorded each time; none where the selector of the branch that ends here is evaluated again.
    pub bits: Option<ControlWidth>,
}

/// Plans the reversal of a routine and its callees, and tells how the reverse sweeps get every value, loop and
/// branch.
///
/// # Errors
/// R3xx: the routine cannot be differentiated; all problems at once, the same as those of
/// [`reverse`](crate::reverse()).
pub fn explain(
    flat: &Flat,
    main: RoutineId,
    options: &Options,
) -> Result<Explanation, Diagnostics> {
    let flat = &with_routines(&with_checkpoints(flat, main, options)?, main)?;
    let apart = &told_apart(flat, main, options.overlap == Overlap::None);
    let (prepared, _) = prepare(apart, main, options)?;
    let mut setting = Setting::plan(prepared);
    carry(&mut setting, options).map_err(|problems| {
        in_program(flat.program(), &setting.prepared.context.program, problems)
    })?;
    let context = &setting.prepared.context;
    let drafts = drafted(&setting, options)
        .map_err(|problems| in_program(flat.program(), &context.program, problems))?;
    let routines = drafts.iter().flatten();
    let routines = routines
        .map(|draft| Planned::solve(context, draft).plan())
        .collect();
    Ok(Explanation {
        routines,
        program: setting.prepared.context.program,
    })
}

/// One planned routine, with the draft that its sweeps are written from.
struct Planned<'a, 'p> {
    context: &'a Context,
    draft: &'a Draft<'p>,
    provisions: Provisions<'a>,
}

impl<'a, 'p> Planned<'a, 'p> {
    fn solve(context: &'a Context, draft: &'a Draft<'p>) -> Self {
        Self {
            context,
            draft,
            provisions: Provisions::solve(context, draft),
        }
    }

    fn reads(&self) -> &Reads<'a> {
        self.provisions.reads()
    }

    fn plan(&self) -> RoutinePlan {
        if let Some(kept) = &self.context.reruns[self.draft.id.index()] {
            let own = kept.state.iter().map(|v| Value::Place(Place::whole(*v)));
            let globals = kept.globals.to_vec().into_iter().map(Value::Global);
            return RoutinePlan {
                routine: self.draft.id,
                kept: Some(KeptPlan {
                    step: kept.rerun.callee,
                    checkpoint: kept.rerun.checkpoint,
                    state: own.chain(globals).collect(),
                }),
                values: Vec::new(),
                regions: Vec::new(),
                loops: Vec::new(),
                merges: Vec::new(),
            };
        }
        let mut recorded = FixedBitSet::with_capacity(self.draft.locations.len());
        let mut values = self.recorded(&mut recorded);
        values.extend(self.present(&recorded));
        RoutinePlan {
            routine: self.draft.id,
            kept: None,
            values,
            regions: self.regions(),
            loops: self.loops(),
            merges: self.merges(),
        }
    }

    fn class(&self, v: VarId) -> TapeClass {
        crate::code::routines::tape_class(
            self.context.program.routine(self.draft.id).variable(v).ty,
        )
    }

    /// A value of a place that is recorded, with its readers.
    fn stacked(&self, place: &Place, loss: Loss, recorded: &mut FixedBitSet) -> ValuePlan {
        let provision = Provision::Stack(self.class(place.var));
        self.lost(place, loss, provision, recorded)
    }

    /// A value of a place that is overwritten, with its readers.
    fn lost(
        &self,
        place: &Place,
        loss: Loss,
        provision: Provision,
        recorded: &mut FixedBitSet,
    ) -> ValuePlan {
        let mut readers = BTreeSet::new();
        let mut more = false;
        self.draft.locations.each_location(place, &mut |l| {
            recorded.insert(l.index());
            more |= !self.readers(l, loss, &mut readers);
        });
        more |= readers.len() > MOST_READERS;
        ValuePlan {
            place: Value::Place(place.clone()),
            provision,
            recorded: Some(loss),
            readers: readers.into_iter().take(MOST_READERS).collect(),
            more,
        }
    }

    fn recorded(&self, recorded: &mut FixedBitSet) -> Vec<ValuePlan> {
        let (context, draft) = (self.context, self.draft);
        let mut values = Vec::new();
        let plain = |place, provision, loss, readers| ValuePlan {
            place,
            provision,
            recorded: Some(loss),
            readers,
            more: false,
        };
        let by_functions = draft.alternatives.iter().filter(|of| {
            let code = &draft.code.row(of.at.vertex)[of.at.statement];
            of.way > 0 && code.forward.is_some()
        });
        let by_functions: BTreeSet<Position> = by_functions.map(|of| of.at).collect();
        for (v, vertex) in draft.cfg.vertices() {
            let at = |statement| Position {
                vertex: v,
                statement,
            };
            self.provisions.each_save(v, |s, place| {
                values.push(self.stacked(place, Loss::Statement(at(s)), recorded));
            });
            for (s, target, inverse) in self.provisions.undone(v) {
                let loss = Loss::Statement(at(s));
                let mut provision = Provision::Computed;
                inverse.walk_places(&mut |place| {
                    if place.var == target.var {
                        provision = Provision::SteppedBack;
                    }
                });
                values.push(self.lost(target, loss, provision, recorded));
            }
            for computed in self.provisions.computed_behind(v) {
                let place = Place::whole(computed.variable);
                values.push(self.lost(&place, Loss::Behind(v), Provision::Computed, recorded));
            }
            for &(s, k) in self.provisions.callee_globals.saves(v) {
                let g = self.provisions.callee_globals.saved[k];
                let class =
                    crate::code::routines::tape_class(context.program.global(g).variable.ty);
                let loss = Loss::Statement(at(s));
                values.push(plain(
                    Value::Global(g),
                    Provision::Stack(class),
                    loss,
                    Vec::new(),
                ));
            }
            for (s, (statement, code)) in vertex
                .statements()
                .iter()
                .zip(draft.code.row(v))
                .enumerate()
            {
                let (loss, reader) = (Loss::Statement(at(s)), vec![Reader::Adjoint(at(s))]);
                let pushes = code.forward.iter().flat_map(|code| code.iter());
                let classes: Vec<TapeClass> = pushes.filter_map(push_class).collect();
                let extents = classes.iter().filter(|&&c| c == TapeClass::Integer).count();
                if let (true, Some((target, _))) = (extents > 0, statement.kind.assignment()) {
                    let stack = Provision::Stack(TapeClass::Integer);
                    values.push(plain(
                        Value::Extents(target.var),
                        stack,
                        loss,
                        reader.clone(),
                    ));
                }
                if let Some(&class) = classes.iter().find(|&&c| c != TapeClass::Integer) {
                    let count = classes.len() - extents;
                    let (value, provision) = match by_functions.contains(&at(s)) {
                        true => (Value::Results(count), Provision::Stack(class)),
                        false => (Value::Entries(count), Provision::Preaccumulated(class)),
                    };
                    values.push(plain(value, provision, loss, reader));
                }
            }
            if let Some(index) = vertex.kind.index() {
                let mut entries = self.entries(v).into_iter();
                if entries.any(|e| self.provisions.is_index_needed(e)) {
                    values.push(self.stacked(&Place::whole(index), Loss::Index(v), recorded));
                }
            }
        }
        for (k, region) in draft.carried.regions.iter().enumerate() {
            for place in self.provisions.before_region(k) {
                values.push(self.stacked(place, Loss::Region(region.first), recorded));
            }
        }
        for (v, places, extents) in dying(context, draft, &self.provisions) {
            for place in places {
                values.push(self.stacked(&place, Loss::Exit, recorded));
            }
            if extents > 0 {
                let stack = Provision::Stack(TapeClass::Integer);
                values.push(plain(Value::Extents(v), stack, Loss::Exit, Vec::new()));
            }
        }
        values
    }

    /// The edges by which a LOOP is entered from outside.
    fn entries(&self, header: VertexId) -> Vec<EdgeId> {
        let cfg = self.draft.cfg;
        if let Shape::General(general) = self.draft.shape
            && let Some((_, counted)) = general.headed_by(header)
        {
            return counted.entries.clone();
        }
        let is_back =
            |e: &EdgeId| matches!(cfg.vertex(cfg.edge(*e).from).kind, VertexKind::EndLoop);
        let edges = cfg.in_edges(header).iter().copied();
        edges.filter(|e| !is_back(e)).collect()
    }

    /// Finds the readers of the value that a location has where it is lost: walks backwards along all paths until the
    /// value is replaced, or until one reader more than are listed is found. False if the search was given up after
    /// [`MOST_STEPS`].
    fn readers(&self, l: LocationId, loss: Loss, found: &mut BTreeSet<Reader>) -> bool {
        let mut steps = 0;
        let cfg = self.draft.cfg;
        let number = l.index() as u32;
        let mut seen = FixedBitSet::with_capacity(cfg.vertex_count());
        let mut work: Vec<(VertexId, usize)> = Vec::new();
        match loss {
            Loss::Statement(at) => {
                if self.reads().reads_before(at).contains(&number) {
                    found.insert(Reader::Adjoint(at));
                }
                work.push((at.vertex, at.statement));
            }
            Loss::Index(v) | Loss::Behind(v) | Loss::Region(v) => work.push((v, 0)),
            Loss::Exit => work.push((self.draft.exit(), 0)),
        }
        'paths: while let Some((v, before)) = work.pop() {
            steps += 1;
            let statements = cfg.vertex(v).statements();
            for (s, statement) in statements.iter().enumerate().take(before).rev() {
                let at = Position {
                    vertex: v,
                    statement: s,
                };
                if self.reads().reads_after(at).contains(&number) {
                    found.insert(Reader::Adjoint(at));
                }
                if self
                    .provisions
                    .inverse(at)
                    .is_some_and(|e| self.names(e, l))
                {
                    found.insert(Reader::Step(at));
                }
                if self.is_replaced(l, at, statement) {
                    continue 'paths;
                }
                if self.reads().reads_before(at).contains(&number) {
                    found.insert(Reader::Adjoint(at));
                }
                steps += 1;
                if found.len() > MOST_READERS || steps > MOST_STEPS {
                    return found.len() > MOST_READERS;
                }
            }
            self.provisions.each_save(v, |s, place| {
                let read = (place.subscript_exprs()).any(|e| self.names(e, l));
                if s < before && read {
                    found.insert(Reader::Pop(Position {
                        vertex: v,
                        statement: s,
                    }));
                }
            });
            for &e in cfg.in_edges(v) {
                let u = cfg.edge(e).from;
                let is_index = |v: VarId| self.draft.locations.of_variable(v) == l;
                if self.reads().indices_left(e).into_iter().any(is_index) || seen.put(u.index()) {
                    continue;
                }
                if let Some((branch, e)) = self.evaluated_again_at(u)
                    && self.names(e, l)
                {
                    found.insert(Reader::Selector(branch));
                }
                let kind = &cfg.vertex(u).kind;
                if self.reads().has_reverse_loop(u) {
                    let mut bound = false;
                    self.reads()
                        .decision_reads(u, &mut |e| bound |= self.names(e, l));
                    if bound {
                        found.insert(Reader::Bounds(u));
                    }
                    let computed = self.provisions.computed_behind(u).iter();
                    let mut evaluated = computed.flat_map(|computed| computed.evaluated());
                    if evaluated.any(|e| self.names(e, l)) {
                        found.insert(Reader::Behind(u));
                    }
                    if kind.index().is_some_and(is_index) {
                        continue;
                    }
                }
                work.push((u, cfg.vertex(u).statements().len()));
            }
        }
        true
    }

    /// The branch that ends at a vertex and its selector, if the reverse sweep evaluates that again.
    fn evaluated_again_at(&self, end: VertexId) -> Option<(VertexId, &Expr)> {
        let branch = self.draft.shape.partner(end);
        let selector = self.provisions.evaluated_again(branch)?;
        (branch != end).then_some((branch, deciding(selector)))
    }

    fn names(&self, e: &Expr, l: LocationId) -> bool {
        let mut found = false;
        e.walk_places(&mut |p| {
            self.draft
                .locations
                .each_location(p, &mut |of| found |= of == l);
        });
        found
    }

    fn is_replaced(&self, l: LocationId, at: Position, statement: &Stmt) -> bool {
        let locations = &self.draft.locations;
        let is_it = |place: &Place| {
            let mut is_it = false;
            locations.each_location(place, &mut |of| is_it |= of == l);
            is_it && locations.replaces(place)
        };
        match statement.kind.assignment() {
            Some((target, _)) => is_it(target),
            None => self
                .provisions
                .analysis
                .overwritten(at, statement)
                .iter()
                .any(is_it),
        }
    }

    /// The values that are read in the reverse sweep and never lost.
    fn present(&self, recorded: &FixedBitSet) -> Vec<ValuePlan> {
        let draft = self.draft;
        let mut readers: BTreeMap<u32, BTreeSet<Reader>> = BTreeMap::new();
        let mut read = |l: u32, reader| {
            if !recorded.contains(l as usize) {
                let readers = readers.entry(l).or_default();
                if readers.len() <= MOST_READERS {
                    readers.insert(reader);
                }
            }
        };
        for (v, vertex) in draft.cfg.vertices() {
            for s in 0..vertex.statements().len() {
                let at = Position {
                    vertex: v,
                    statement: s,
                };
                for &l in self
                    .reads()
                    .reads_before(at)
                    .iter()
                    .chain(self.reads().reads_after(at))
                {
                    read(l, Reader::Adjoint(at));
                }
            }
            if let Some((branch, e)) = self.evaluated_again_at(v) {
                e.walk_places(&mut |p| {
                    draft.locations.each_location(p, &mut |l| {
                        read(l.index() as u32, Reader::Selector(branch));
                    });
                });
            }
            if self.reads().has_reverse_loop(v) {
                self.reads().decision_reads(v, &mut |e| {
                    e.walk_places(&mut |p| {
                        draft
                            .locations
                            .each_location(p, &mut |l| read(l.index() as u32, Reader::Bounds(v)));
                    });
                });
            }
            let mut read_in = |e: &Expr, reader| {
                e.walk_places(&mut |p| {
                    draft
                        .locations
                        .each_location(p, &mut |l| read(l.index() as u32, reader));
                });
            };
            for (statement, _, inverse) in self.provisions.undone(v) {
                let at = Position {
                    vertex: v,
                    statement,
                };
                read_in(inverse, Reader::Step(at));
            }
            for e in (self.provisions.computed_behind(v).iter()).flat_map(|c| c.evaluated()) {
                read_in(e, Reader::Behind(v));
            }
            self.provisions.each_save(v, |s, place| {
                let at = Position {
                    vertex: v,
                    statement: s,
                };
                for e in place.subscript_exprs() {
                    e.walk_places(&mut |p| {
                        draft
                            .locations
                            .each_location(p, &mut |l| read(l.index() as u32, Reader::Pop(at)));
                    });
                }
            });
        }
        let routine = self.context.program.routine(draft.id);
        let mut values = Vec::new();
        for v in (0..routine.variables.len()).map(VarId::new) {
            let is_read = |l: LocationId| readers.contains_key(&(l.index() as u32));
            for place in draft.locations.member_places(v, is_read) {
                // A place stands for several locations, all of whose readers are its readers.
                let mut all = BTreeSet::new();
                draft.locations.each_location(&place, &mut |l| {
                    all.extend(readers.get(&(l.index() as u32)).into_iter().flatten());
                });
                values.push(ValuePlan {
                    place: Value::Place(place),
                    provision: Provision::Present,
                    recorded: None,
                    more: all.len() > MOST_READERS,
                    readers: all.into_iter().take(MOST_READERS).collect(),
                });
            }
        }
        values
    }

    fn regions(&self) -> Vec<RegionPlan> {
        let carried = &self.draft.carried;
        let regions = self.draft.regions.iter();
        let regions = regions.filter(|region| carried.has(region.vertices[0]));
        let place = |region: &Region, k: usize| region.places[k].place.clone();
        regions
            .map(|region| RegionPlan {
                first: region.vertices[0],
                last: region.vertices[region.vertices.len() - 1],
                inputs: region
                    .inputs
                    .iter()
                    .map(|input| place(region, input.place))
                    .collect(),
                outputs: region.outputs.iter().map(|&k| place(region, k)).collect(),
                entries: region.entries(),
            })
            .collect()
    }

    fn loops(&self) -> Vec<LoopEntry> {
        let cfg = self.draft.cfg;
        let mut loops = Vec::new();
        if let Shape::General(general) = self.draft.shape {
            if self.context.trace {
                return loops;
            }
            for l in general.loops.iter().flatten() {
                let plan = self.provisions.of_loop(l.header);
                let is_counted = l.is_loop && cfg.vertex(l.header).kind.index().is_some();
                let trips = match (is_counted, plan.counter, l.counts) {
                    (false, ..) => Trips::Condition,
                    (true, true, _) => self.counted(),
                    (true, false, true) => Trips::Left,
                    (true, false, false) => Trips::Bounds,
                };
                loops.push(LoopEntry {
                    header: l.header,
                    trips,
                    first: is_counted && plan.first,
                    step: is_counted && plan.step,
                });
            }
            loops.sort_by_key(|l| l.header);
            return loops;
        }
        for (v, vertex) in cfg.vertices() {
            let VertexKind::Loop { test, .. } = &vertex.kind else {
                continue;
            };
            if self.draft.carried.has(v) {
                continue;
            }
            let plan = self.provisions.of_loop(v);
            let is_live = self.provisions.is_live(v);
            let trips = match (&**test, plan.counter) {
                (LoopTest::Pre(_) | LoopTest::Post(_), _) => Trips::Condition,
                (LoopTest::Counted { .. }, true) => self.counted(),
                (LoopTest::Counted { .. }, false) => Trips::Bounds,
            };
            loops.push(LoopEntry {
                header: v,
                trips: if is_live { trips } else { Trips::LeftOut },
                first: plan.first && is_live,
                step: plan.step && is_live,
            });
        }
        loops
    }

    /// The reason why a loop with bounds counts all the same.
    fn counted(&self) -> Trips {
        match self.context.counters {
            true => Trips::Asked,
            false => Trips::Changed,
        }
    }

    fn merges(&self) -> Vec<Merge> {
        let cfg = self.draft.cfg;
        let mut merges = Vec::new();
        for (v, vertex) in cfg.vertices() {
            let recorded = self.evaluated_again_at(v).is_none();
            let mut merge = |ways: usize| {
                merges.push(Merge {
                    vertex: v,
                    ways,
                    bits: recorded.then(|| bits(ways)),
                });
            };
            match self.draft.shape {
                Shape::Structured(_) => {
                    let is_live = self.provisions.is_live(self.draft.shape.partner(v));
                    let is_carried = self.draft.carried.has(v);
                    if is_live && !is_carried && matches!(vertex.kind, VertexKind::EndBranch) {
                        merge(cfg.out_edges(self.draft.shape.partner(v)).len());
                    }
                }
                Shape::General(_) if self.context.trace => {}
                Shape::General(general) => {
                    let groups = general.groups(cfg, v);
                    let ways = groups.iter().map(|ways| ways.len()).filter(|&n| n > 1);
                    ways.for_each(&mut merge);
                }
            }
        }
        merges
    }
}

fn push_class(statement: &Stmt) -> Option<TapeClass> {
    if let StmtKind::Push { class, .. } = statement.kind {
        return Some(class);
    }
    None
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, plan) in self.routines.iter().enumerate() {
            if k > 0 {
                writeln!(f)?;
            }
            self.routine(plan, f)?;
        }
        Ok(())
    }
}

impl Explanation {
    fn routine(&self, plan: &RoutinePlan, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let routine = self.program.routine(plan.routine);
        let Some(cfg) = &routine.body else {
            return Ok(());
        };
        let printer = text::Printer::new(&self.program, routine);
        let id = |v: VertexId| cfg.vertex(v).id;
        let statement = |at: Position| {
            let shown = at
                .statement(cfg)
                .map(|s| printer.display_stmt(s).to_string());
            let shown = shown.map_or_else(String::new, |s| format!(" `{s}`"));
            format!("{}.{}{shown}", id(at.vertex), at.statement + 1)
        };
        let shown = |value: &Value| match value {
            Value::Place(place) => format!("`{}`", printer.display_place(place)),
            Value::Global(g) => format!("`{}`", self.program.global(*g).variable.name),
            Value::Results(1) => "1 result of a function".to_owned(),
            Value::Results(n) => format!("{n} results of functions"),
            Value::Entries(1) => "1 partial derivative".to_owned(),
            Value::Entries(n) => format!("{n} partial derivatives"),
            Value::Extents(v) => format!("the extents of `{}`", routine.variable(*v).name),
        };
        writeln!(f, "routine {}", routine.name)?;
        if let Some(kept) = &plan.kept {
            let how_many = match kept.checkpoint {
                Checkpoint::Each => "the state in front of each run".to_owned(),
                Checkpoint::Snapshots { memory, disk: 0 } => format!("at most {memory} states"),
                Checkpoint::Snapshots { memory, disk } => {
                    format!("at most {memory} states in memory and {disk} on disk")
                }
            };
            let state: Vec<String> = kept.state.iter().map(shown).collect();
            let step = &self.program.routine(kept.step).name;
            writeln!(
                f,
                "  runs `{step}` again, and keeps {how_many}: {}",
                state.join(", ")
            )?;
        }
        for value in &plan.values {
            let shown = shown(&value.place);
            let how = match value.provision {
                Provision::Present => "present".to_owned(),
                Provision::Stack(class) => format!("stack of {}", class_name(class)),
                Provision::SteppedBack => "stepped back".to_owned(),
                Provision::Computed => "computed".to_owned(),
                Provision::Preaccumulated(class) => {
                    format!("preaccumulated, stack of {}", class_name(class))
                }
            };
            let lost = match value.recorded {
                None => String::new(),
                Some(Loss::Statement(at)) if matches!(value.place, Value::Entries(_)) => {
                    format!(", behind {}", statement(at))
                }
                Some(Loss::Statement(at)) => format!(", before {}", statement(at)),
                Some(Loss::Index(v)) => format!(", before loop {} sets it", id(v)),
                Some(Loss::Behind(v)) => format!(", behind loop {}", id(v)),
                Some(Loss::Region(v)) => format!(", before the region at {}", id(v)),
                Some(Loss::Exit) => ", at the end".to_owned(),
            };
            writeln!(f, "  {shown}: {how}{lost}")?;
            for reader in &value.readers {
                let reader = match *reader {
                    Reader::Adjoint(at) => format!("the adjoint of {}", statement(at)),
                    Reader::Pop(at) => {
                        format!("the subscripts of what is popped for {}", statement(at))
                    }
                    Reader::Step(at) => format!("the step back over {}", statement(at)),
                    Reader::Behind(v) => {
                        format!("the values that are computed behind loop {}", id(v))
                    }
                    Reader::Bounds(v) => format!("the bounds of the reverse loop of {}", id(v)),
                    Reader::Selector(v) => format!("the selector of {}, evaluated again", id(v)),
                };
                writeln!(f, "    read by {reader}")?;
            }
            if value.more {
                writeln!(f, "    and others")?;
            }
        }
        for region in &plan.regions {
            let places = |all: &[Place]| {
                let shown = all
                    .iter()
                    .map(|p| format!("`{}`", printer.display_place(p)));
                shown.collect::<Vec<String>>().join(", ")
            };
            let (inputs, outputs) = (places(&region.inputs), places(&region.outputs));
            let partials = match region.entries {
                1 => "1 partial derivative".to_owned(),
                n => format!("{n} partial derivatives"),
            };
            writeln!(
                f,
                "  region {} to {}: the forward sweep carries and records {partials}, of {outputs} by {inputs}",
                id(region.first),
                id(region.last)
            )?;
        }
        for entry in &plan.loops {
            let how = match entry.trips {
                Trips::LeftOut => "is left out: the reverse sweep does nothing in it",
                Trips::Bounds => "runs backwards over its bounds",
                Trips::Condition => {
                    "counts, and records the count: how often a condition holds is not known in advance"
                }
                Trips::Changed => "counts, and records the count: its body may change its bounds",
                Trips::Asked => "counts, and records the count, as asked for",
                Trips::Left => {
                    "runs backwards over its bounds; where it is left elsewhere than at its header the count is recorded"
                }
            };
            let recorded = match (entry.first, entry.step) {
                (false, false) => "",
                (true, false) => "; the first value is recorded",
                (false, true) => "; the step is recorded",
                (true, true) => "; the first value and the step are recorded",
            };
            writeln!(f, "  loop {}: {how}{recorded}", id(entry.header))?;
        }
        for merge in &plan.merges {
            let width = match merge.bits {
                None => "the selector is evaluated again".to_owned(),
                Some(ControlWidth::Bits(1)) => "1 bit".to_owned(),
                Some(ControlWidth::Bits(n)) => format!("{n} bits"),
                Some(ControlWidth::Count) => "a count".to_owned(),
            };
            writeln!(
                f,
                "  merge {} of {} ways: {width}",
                id(merge.vertex),
                merge.ways
            )?;
        }
        Ok(())
    }
}

fn class_name(class: TapeClass) -> &'static str {
    match class {
        TapeClass::Real => "reals",
        TapeClass::Real32 => "32-bit reals",
        TapeClass::Integer => "integers",
        TapeClass::Control(_) => "control bits",
        TapeClass::Disk => "values on disk",
    }
}
