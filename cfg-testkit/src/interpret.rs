//! A naive interpreter of the program representation: the independent oracle of the tests.
//!
//! It walks the graph and the expression trees, with nothing prepared, and attaches derivatives to real
//! values by operator overloading ([`Derivative`]). It shares no code with the executor, with the table
//! of elementals, or with the tangent and adjoint transformations, so agreement means something. It is slow, and
//! finds the nesting of loops by following back edges.

mod call;
mod eval;
mod object;
mod pointer;
mod rules;
mod scalar;
mod sized;
mod storage;
mod tape;
mod value;
mod view;
mod witness;

use cfg_core::entity::{RoutineId, VarId, VertexId};
use cfg_core::ir::{
    Cfg, Dim, Expr, Extent, Global, LoopTest, Op, Order, Place, Program, Role, Routine, ScalarType,
    Selector, Stmt, StmtKind, Subscript, Variable, VertexKind, VertexType,
};
use cfg_core::typing::{place_type_in, type_of};
use eval::Scope;
pub use pointer::{Moment, Pointer, PointerFault};
use scalar::trips;
use std::collections::{BTreeMap, BTreeSet};
use storage::{Cells, View, cells_of};
use tape::Tape;
use value::Data;
pub use value::{Absolute, Alive, Derivative, Magnitude, Value};
pub use witness::{Report, Stale, interpret_with_witness};

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An uninitialised value decides a condition, a subscript or a bound.
    Undefined,
    /// A subscript is out of bounds.
    Bounds,
    /// Integer overflow, or a real that is not representable as integer.
    Overflow,
    /// Integer division by zero.
    ZeroDivision,
    /// A step of zero.
    ZeroStep,
    /// Shapes do not conform, or a formal is larger than its actual.
    Shape,
    /// Operands of the wrong type; a program that validation would refuse.
    Type,
    /// An allocatable array is used before it has a shape.
    Unallocated,
    /// No arm of a branch matches.
    NoArm,
    /// A graph that is not structured as it should be, or a routine without a body.
    Graph,
    /// More steps than allowed.
    Fuel,
    /// More cells than allowed.
    Memory,
    /// More nested calls than allowed.
    Depth,
    /// The interpreter does not know this.
    Unsupported(Op),
    /// A pop that does not match its push, or a value that its class cannot hold.
    Tape,
    /// A pointer that does not lead where it is used.
    Pointer(PointerFault),
    /// A statement that ends the program.
    Stop,
}

/// A fault and where it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// In which routine.
    pub routine: RoutineId,
    /// At which vertex; `None` at entry of the routine.
    pub vertex: Option<VertexId>,
    /// At which of its statements.
    pub statement: usize,
}

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Vertices and statements.
    pub fuel: u64,
    /// Cells in use at any time.
    pub cells: usize,
    /// Nested calls.
    pub depth: usize,
    /// The largest [`Derivative::size`] of a value that is stored. In place of a larger one 1 is stored, and the
    /// statement is noted in [`Outcome::refused`].
    pub largest: f64,
    /// Whether the sequence of vertices is recorded.
    pub trace: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: 10_000_000,
            cells: 10_000_000,
            depth: 10_000,
            largest: f64::INFINITY,
            trace: false,
        }
    }
}

/// An argument: extents (none for a scalar) and elements in storage order.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument<D> {
    /// Number of elements along each dimension.
    pub extents: Vec<usize>,
    /// The elements.
    pub elements: Vec<Value<D>>,
}

/// The results of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<D> {
    /// The parameters afterwards.
    pub parameters: Vec<Argument<D>>,
    /// The result of a function.
    pub result: Option<Argument<D>>,
    /// The globals afterwards, by global.
    pub globals: Vec<Argument<D>>,
    /// Values left on all tapes.
    pub left_on_tapes: usize,
    /// The objects on the heap that are alive.
    pub alive: Alive<D>,
    /// Objects that `allocate` and `resize` made.
    pub made: usize,
    /// Vertices in the order in which they were visited, if asked for.
    pub visits: Vec<(RoutineId, VertexId)>,
    /// Statements that tried to store what [`Limits::largest`] forbids, each once.
    pub refused: BTreeSet<(RoutineId, VertexId, usize)>,
    /// Events during the run.
    pub seen: Seen,
}

/// Events during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Vertices visited and statements executed.
    pub steps: u64,
    /// Calls made.
    pub calls: u64,
    /// Most calls active at a time, the outermost included.
    pub depth: usize,
    /// A loop was entered and left without a pass through its body.
    pub zero_trip: bool,
    /// An initialised array element was stored over through a subscript, and the new value used.
    pub overwritten_element_used: bool,
    /// A variable that had been used in a subscript was assigned another value.
    pub overwritten_index: bool,
}

/// Runs a routine. Arguments are by parameter; `None` for an optional one that is absent, and for an `out`
/// parameter whose shape follows from the others. Globals are given by those that own storage, all elements
/// in storage order.
///
/// # Errors
/// The first fault.
pub fn interpret<D: Derivative>(
    program: &Program,
    routine: RoutineId,
    arguments: &[Option<Argument<D>>],
    globals: &BTreeMap<usize, Argument<D>>,
    limits: Limits,
) -> Result<Outcome<D>, Fault> {
    let mut machine = Machine::new(program, routine, limits);
    machine.call(routine, arguments, globals)
}

struct Machine<'p, D> {
    program: &'p Program,
    limits: Limits,
    cells: Cells<D>,
    globals: Vec<View>,
    frames: Vec<Frame>,
    /// All tapes; the cell of a tape variable holds a position in this list.
    tapes: Vec<Tape<D>>,
    visits: Vec<(RoutineId, VertexId)>,
    refused: BTreeSet<(RoutineId, VertexId, usize)>,
    /// The statement that is being executed.
    current: (RoutineId, VertexId, usize),
    seen: Seen,
}

/// An active call.
struct Frame {
    routine: RoutineId,
    /// The number of the activation, of a forward sweep that a witness watches; else 0.
    activation: usize,
    views: Vec<View>,
    at: VertexId,
    statement: usize,
    /// For each counted loop that is running: passes left and the step.
    counted: BTreeMap<VertexId, (i64, i64)>,
    /// The last vertex, to tell a loop's entry from its back edge.
    from: Option<VertexId>,
    mark: usize,
    /// The place of the result in the caller; the flag is true if the place has subscripts.
    result_to: Option<(View, bool)>,
}

type Step<T> = Result<T, FaultKind>;

/// How a formal of a callee gets its storage.
enum Actual {
    View(View),
    Absent,
    /// Fresh storage in the callee's declared shape (an `out` parameter of the outermost call).
    Own,
}

impl<'p, D: Derivative> Machine<'p, D> {
    fn new(program: &'p Program, routine: RoutineId, limits: Limits) -> Self {
        let current = (routine, VertexId::new(0), 0);
        Self {
            program,
            limits,
            cells: Cells::new(current),
            globals: Vec::new(),
            frames: Vec::new(),
            tapes: Vec::new(),
            visits: Vec::new(),
            refused: BTreeSet::new(),
            current,
            seen: Seen::default(),
        }
    }

    /// Calls the outermost routine.
    fn call(
        &mut self,
        routine: RoutineId,
        arguments: &[Option<Argument<D>>],
        globals: &BTreeMap<usize, Argument<D>>,
    ) -> Result<Outcome<D>, Fault> {
        let start = |kind| Fault {
            kind,
            routine,
            vertex: None,
            statement: 0,
        };
        self.make_globals(globals).map_err(start)?;
        let views = self.outer_arguments(routine, arguments).map_err(start)?;
        self.enter(routine, views, None, 0).map_err(start)?;
        let outer = self.run()?;
        Ok(self.outcome(routine, &outer))
    }

    fn make_globals(&mut self, given: &BTreeMap<usize, Argument<D>>) -> Step<()> {
        let all = &self.program.globals;
        self.globals = vec![View::default(); all.len()];
        // Owners of storage first.
        let (owners, others): (Vec<usize>, Vec<usize>) =
            (0..all.len()).partition(|&g| all[g].overlay.is_none());
        for g in owners.into_iter().chain(others) {
            let global = &all[g];
            let bounds = self.bounds_of(&global.variable, &[])?;
            let column = global.variable.order == Order::Column;
            let mut view = View::dense(0, &bounds, column).with_type(global.variable.ty);
            match global.overlay {
                Some(o) => {
                    let base = self.globals.get(o.base.index()).ok_or(FaultKind::Graph)?;
                    view.base =
                        base.base + usize::try_from(o.offset).map_err(|_| FaultKind::Shape)?;
                }
                None => {
                    let ty = global.variable.ty;
                    view.base = self.cells.allocate(view.len(), self.limits.cells, ty)?;
                }
            }
            let cells = view.storage_cells();
            for (k, &cell) in cells.iter().enumerate() {
                let base = global.overlay.map(|o| o.base.index());
                if base.is_some_and(|base| given.contains_key(&base)) {
                    continue;
                }
                let value = match (given.get(&g), &global.initial) {
                    (Some(a), _) => a.elements.get(k).cloned().ok_or(FaultKind::Shape)?,
                    (None, Some(initial)) => {
                        let k = self.initial_position(global, k, cells.len(), initial.len());
                        let k = k.ok_or(FaultKind::Shape)?;
                        let e = initial.get(k).or(initial.first()).ok_or(FaultKind::Shape)?;
                        match self.scope(&[]).eval(e)? {
                            Data::Scalar(value) => value,
                            Data::Array { .. } => return Err(FaultKind::Type),
                        }
                    }
                    (None, None) => continue,
                };
                *self.cells.raw(cell) = value;
            }
            self.globals[g] = view;
        }
        Ok(())
    }

    /// The position in a list of initial values of that for a cell, counted in storage order.
    fn initial_position(
        &self,
        global: &Global,
        cell: usize,
        cells: usize,
        count: usize,
    ) -> Option<usize> {
        if global.variable.ty.record().is_none() {
            return Some(cell);
        }
        let leaves = self.program.leaves(global.variable.ty);
        let mut leaf_of = Vec::new();
        for (k, leaf) in leaves.iter().enumerate() {
            let extents = leaf.shape.iter().map(|dim| storage::field_bounds(dim));
            let size: i64 = extents.map(|b| Some(b?.1)).product::<Option<i64>>()?;
            leaf_of.extend((0..size).map(|_| k));
        }
        let elements = cells / leaf_of.len();
        // Storage in column order has the cells of a record furthest apart.
        let (element, within) = match global.variable.order {
            Order::Column => (cell % elements, cell / elements),
            Order::Row => (cell / leaf_of.len(), cell % leaf_of.len()),
        };
        match count == leaves.len() {
            true => leaf_of.get(within).copied(),
            false => Some(element * leaf_of.len() + within),
        }
    }

    fn outer_arguments(
        &mut self,
        routine: RoutineId,
        arguments: &[Option<Argument<D>>],
    ) -> Step<Vec<Actual>> {
        let routine = self.program.routine(routine);
        let mut actuals = Vec::new();
        for (k, p) in routine.parameter_ids().enumerate() {
            let Some(argument) = arguments.get(k).and_then(Option::as_ref) else {
                let role = routine.variable(p).role;
                actuals.push(match role {
                    Role::Parameter { optional: true, .. } => Actual::Absent,
                    _ => Actual::Own,
                });
                continue;
            };
            let bounds: Vec<_> = argument.extents.iter().map(|&n| (1, n as i64)).collect();
            let column = routine.variable(p).order == Order::Column;
            let mut view = View::dense(0, &bounds, column).with_type(routine.variable(p).ty);
            if view.len() != argument.elements.len() {
                return Err(FaultKind::Shape);
            }
            let ty = routine.variable(p).ty;
            view.base = self.cells.allocate(view.len(), self.limits.cells, ty)?;
            for (k, value) in argument.elements.iter().enumerate() {
                *self.cells.raw(view.base + k) = value.clone();
            }
            actuals.push(Actual::View(view));
        }
        Ok(actuals)
    }

    fn scope<'a>(&'a mut self, views: &'a [View]) -> Scope<'a, D> {
        Scope {
            cells: &mut self.cells,
            views,
            program: self.program,
        }
    }

    /// The bounds of a variable, and behind them those of the cells of a record.
    fn bounds_of(&mut self, variable: &Variable, views: &[View]) -> Step<Vec<(i64, i64)>> {
        let mut bounds = self.bounds(&variable.shape, views)?;
        if variable.ty.record().is_some() {
            bounds.push((
                1,
                cells_of(self.program, variable.ty).ok_or(FaultKind::Type)?,
            ));
        }
        Ok(bounds)
    }

    /// Lower bound and extent of each dimension of an explicit shape.
    fn bounds(&mut self, shape: &[Dim], views: &[View]) -> Step<Vec<(i64, i64)>> {
        let mut scope = self.scope(views);
        shape
            .iter()
            .map(|dim| match &dim.extent {
                Extent::Fixed(e) => {
                    Ok((scope.integer(&dim.lower, false)?, scope.integer(e, false)?))
                }
                Extent::Deferred => Err(FaultKind::Unallocated),
            })
            .collect()
    }

    /// Runs until the outermost call returns, and gives back its variables.
    fn run(&mut self) -> Result<Vec<View>, Fault> {
        loop {
            let Some(mut frame) = self.frames.pop() else {
                return Ok(Vec::new());
            };
            let place = |frame: &Frame, kind| Fault {
                kind,
                routine: frame.routine,
                vertex: Some(frame.at),
                statement: frame.statement,
            };
            self.seen.steps += 1;
            if self.seen.steps > self.limits.fuel {
                return Err(place(&frame, FaultKind::Fuel));
            }
            let routine = self.program.routine(frame.routine);
            let Some(body) = &routine.body else {
                return Err(place(&frame, FaultKind::Graph));
            };
            let vertex = body.vertex(frame.at);
            if frame.statement == 0 {
                if self.limits.trace {
                    self.visits.push((frame.routine, frame.at));
                }
                if let Some(witness) = &mut self.cells.witness {
                    let entered = enters_loop(body, &frame);
                    witness.visit(frame.routine, frame.activation, vertex, entered);
                }
            }
            match &vertex.kind {
                VertexKind::Block(statements) if frame.statement < statements.len() => {
                    let statement = &statements[frame.statement];
                    self.current = (frame.routine, frame.at, frame.statement);
                    self.cells.now = self.current;
                    let mark = self.cells.mark();
                    self.begin(&frame, Some((statements, frame.statement)));
                    let call = self
                        .execute(routine, &mut frame, statement)
                        .map_err(|kind| place(&frame, kind))?;
                    self.end();
                    let at = place(&frame, FaultKind::Graph);
                    frame.statement += 1;
                    self.frames.push(frame);
                    if let Some((callee, actuals, result_to)) = call {
                        self.enter(callee, actuals, result_to, mark)
                            .map_err(|kind| Fault { kind, ..at })?;
                    }
                    continue;
                }
                VertexKind::Exit => {
                    if self.frames.is_empty() {
                        return Ok(frame.views);
                    }
                    self.leave(routine, &frame)
                        .map_err(|kind| place(&frame, kind))?;
                    continue;
                }
                _ => {}
            }
            self.begin(&frame, None);
            let label = self
                .decide(body, &mut frame)
                .map_err(|kind| place(&frame, kind))?;
            self.end();
            let out = body.out_edges(frame.at);
            let Some(&edge) = out.iter().find(|&&e| body.edge(e).label == label) else {
                return Err(place(&frame, FaultKind::Graph));
            };
            frame.from = Some(frame.at);
            frame.at = body.edge(edge).to;
            frame.statement = 0;
            self.frames.push(frame);
        }
    }

    /// Label of the edge to take.
    fn decide(&mut self, body: &Cfg, frame: &mut Frame) -> Step<Option<i64>> {
        match &body.vertex(frame.at).kind {
            VertexKind::Loop { test, .. } => {
                let entered = enters_loop(body, frame);
                let again = self.again(frame, test, entered)?;
                self.seen.zero_trip |= entered && !again;
                Ok(again.then_some(1))
            }
            VertexKind::Branch(selector) => match &**selector {
                Selector::Condition(e) => {
                    let taken = self.scope(&frame.views).condition(e)?;
                    Ok(Some(i64::from(taken)))
                }
                Selector::Cases { value, arms } => {
                    let v = self.scope(&frame.views).integer(value, false)?;
                    let matching = arms.iter().find(|arm| {
                        arm.cases.iter().any(|c| {
                            c.lower.is_none_or(|l| l <= v) && c.upper.is_none_or(|u| v <= u)
                        })
                    });
                    let arm = matching.or_else(|| arms.iter().find(|arm| arm.default));
                    Ok(Some(arm.ok_or(FaultKind::NoArm)?.label))
                }
            },
            VertexKind::Entry
            | VertexKind::Exit
            | VertexKind::Block(_)
            | VertexKind::EndLoop
            | VertexKind::EndBranch => Ok(None),
        }
    }

    /// Whether a loop's body is done (once more).
    fn again(&mut self, frame: &mut Frame, test: &LoopTest, entered: bool) -> Step<bool> {
        match test {
            LoopTest::Pre(e) => self.scope(&frame.views).condition(e),
            LoopTest::Post(_) if entered => Ok(true),
            LoopTest::Post(e) => self.scope(&frame.views).condition(e),
            LoopTest::Counted {
                index,
                first,
                last,
                step,
            } => {
                let cell = frame.views[index.index()].first();
                if entered {
                    let mut scope = self.scope(&frame.views);
                    let first = scope.integer(first, false)?;
                    let last = scope.integer(last, false)?;
                    let step = scope.integer(step, false)?;
                    frame
                        .counted
                        .insert(frame.at, (trips(first, last, step)?, step));
                    *self.cells.raw(cell) = Value::Integer(first);
                } else {
                    let (left, step) = frame.counted.get_mut(&frame.at).ok_or(FaultKind::Graph)?;
                    *left -= 1;
                    let Value::Integer(i) = self.cells.raw(cell) else {
                        return Err(FaultKind::Undefined);
                    };
                    *i = i.checked_add(*step).ok_or(FaultKind::Overflow)?;
                }
                Ok(frame.counted.get(&frame.at).is_some_and(|&(n, _)| n > 0))
            }
        }
    }

    /// Executes a statement; a call is returned for the caller to enter.
    #[expect(clippy::type_complexity, reason = "one use")]
    fn execute(
        &mut self,
        routine: &'p Routine,
        frame: &mut Frame,
        statement: &'p Stmt,
    ) -> Step<Option<(RoutineId, Vec<Actual>, Option<(View, bool)>)>> {
        match &statement.kind {
            StmtKind::Assign { target, value } => {
                let mut data = self.scope(&frame.views).eval(value)?;
                // A deferred array that gets a scalar, with no shape from anywhere, has one element.
                let view = &frame.views[target.var.index()];
                if !view.allocated
                    && target.subscripts.is_empty()
                    && let Data::Scalar(element) = &data
                    && let Ok(found) = type_of(&routine.variables, value)
                    && found.rank > 0
                {
                    data = Data::Array {
                        extents: vec![1; found.rank],
                        elements: vec![element.clone()],
                        column: false,
                    };
                }
                if let Some(witness) = &mut self.cells.witness {
                    let at = (frame.at, frame.statement);
                    witness.note_assignment(frame.routine, at, statement, &data);
                }
                self.store(routine, frame, target, data)?;
                Ok(None)
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                self.seen.calls += 1;
                let formals = self.program.routine(*callee);
                let mut actuals = Vec::new();
                self.note_operands(frame, *callee, arguments);
                for (p, argument) in formals.parameter_ids().zip(arguments.iter()) {
                    actuals.push(match argument {
                        None => Actual::Absent,
                        Some(e) => self.actual(frame, formals, p, e)?,
                    });
                }
                let result_to = match result {
                    None => None,
                    Some(place) => {
                        let view = self.scope(&frame.views).view(place)?;
                        Some((view, !place.subscripts.is_empty()))
                    }
                };
                if let Some(external) = &formals.external {
                    self.external(formals, external, &actuals, result_to)?;
                    return Ok(None);
                }
                Ok(Some((*callee, actuals, result_to)))
            }
            StmtKind::Opaque { writes, .. } => {
                for v in writes {
                    let view = &frame.views[v.index()];
                    if !view.allocated {
                        return Err(FaultKind::Unallocated);
                    }
                    for cell in view.cells() {
                        self.cells.write(cell, Value::Undefined, false);
                    }
                }
                Ok(None)
            }
            StmtKind::Stop { .. } => Err(FaultKind::Stop),
            StmtKind::Allocate {
                pointer,
                count,
                zeroed,
            } => {
                let count = self.scope(&frame.views).integer(count, false)?;
                let ty = self.pointee(routine, pointer)?;
                let made =
                    (self.cells).make(self.program, ty, count, *zeroed, self.limits.cells)?;
                self.store(routine, frame, pointer, Data::Scalar(made))?;
                Ok(None)
            }
            StmtKind::Free { pointer } => {
                let view = self.scope(&frame.views).view(pointer)?;
                let value = self.cells.read(view.first(), true);
                self.cells.end(&value)?;
                Ok(None)
            }
            StmtKind::Resize { pointer, count } => {
                let count = self.scope(&frame.views).integer(count, false)?;
                let ty = self.pointee(routine, pointer)?;
                let view = self.scope(&frame.views).view(pointer)?;
                let value = self.cells.read(view.first(), true);
                let made =
                    (self.cells).renew(self.program, &value, ty, count, self.limits.cells)?;
                self.store(routine, frame, pointer, Data::Scalar(made))?;
                Ok(None)
            }
            StmtKind::Push { tape, class, value } => {
                // An array that has no shape yet has no elements; only sweeps push one.
                if let Expr::Place(Place { var, subscripts }) = value
                    && self.cells.witness.is_some()
                    && subscripts.is_empty()
                    && !frame.views[var.index()].allocated
                    && !frame.views[var.index()].dims.is_empty()
                {
                    return Ok(None);
                }
                let data = self.scope(&frame.views).eval(value)?;
                let tape = self.tape(frame, *tape)?;
                for value in data.in_storage_order() {
                    self.tapes[tape].push(*class, value)?;
                }
                Ok(None)
            }
            StmtKind::Pop {
                tape,
                class,
                target,
            } => {
                let view = self.scope(&frame.views).view(target)?;
                if !view.allocated {
                    return Err(FaultKind::Unallocated);
                }
                let tape = self.tape(frame, *tape)?;
                for &cell in view.storage_cells().iter().rev() {
                    let value = self.tapes[tape].pop(*class)?;
                    self.cells.write(cell, value, false);
                }
                Ok(None)
            }
        }
    }

    /// The type of the elements of the object that a pointer is for.
    fn pointee(&self, routine: &Routine, pointer: &Place) -> Step<ScalarType> {
        let records = &self.program.records;
        let ty =
            place_type_in(records, &routine.variables, pointer).map_err(|_| FaultKind::Type)?;
        Ok(ty.ty.pointer().ok_or(FaultKind::Type)?.pointee())
    }

    fn tape(&mut self, frame: &Frame, variable: VarId) -> Step<usize> {
        match self.cells.raw(frame.views[variable.index()].first()) {
            Value::Integer(k) => usize::try_from(*k).map_err(|_| FaultKind::Tape),
            _ => Err(FaultKind::Tape),
        }
    }

    /// Gives a tape variable an empty tape.
    fn new_tape(&mut self, cell: usize) {
        *self.cells.raw(cell) = Value::Integer(self.tapes.len() as i64);
        self.tapes.push(Tape::new());
    }

    fn store(
        &mut self,
        routine: &Routine,
        frame: &mut Frame,
        target: &Place,
        data: Data<D>,
    ) -> Step<()> {
        let mut view = self.scope(&frame.views).view(target)?;
        let variable = routine.variable(target.var);
        let allocatable = target.subscripts.is_empty()
            && variable.role == Role::Local
            && variable.shape.iter().any(|d| d.extent == Extent::Deferred);
        if allocatable
            && let Data::Array { extents, .. } = &data
            && (!view.allocated || view.extents() != *extents)
        {
            let lowers = view.dims.iter().map(|span| span.lower);
            let bounds: Vec<_> = lowers.zip(extents.iter().map(|&n| n as i64)).collect();
            view = View::dense(0, &bounds, variable.order == Order::Column).with_type(variable.ty);
            view.base = (self.cells).allocate(view.len(), self.limits.cells, variable.ty)?;
            let old = std::mem::replace(&mut frame.views[target.var.index()], view.clone());
            if let Some(witness) = &mut self.cells.witness {
                witness.note_view(frame.activation, target.var, &old);
            }
        }
        if !view.allocated {
            return Err(FaultKind::Unallocated);
        }
        let element = target
            .subscripts
            .iter()
            .any(|s| matches!(s, Subscript::Index(_)));
        match data {
            Data::Scalar(value) => {
                for cell in view.cells() {
                    self.put(cell, value.clone(), element);
                }
            }
            Data::Array {
                extents, elements, ..
            } => {
                let all = view.extents();
                // A record that is assigned to all elements of an array.
                let copies = match view.record {
                    Some(_) if extents.len() == 1 && all.last() == extents.first() => {
                        all[..all.len() - 1].iter().product()
                    }
                    _ => 1,
                };
                if copies * extents.iter().product::<usize>() != view.len()
                    || extents != all && view.record.is_none_or(|_| extents.len() != 1)
                {
                    return Err(FaultKind::Shape);
                }
                let elements = std::iter::repeat_n(elements, copies).flatten();
                for (cell, value) in view.cells().into_iter().zip(elements) {
                    self.put(cell, value, element);
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, cell: usize, value: Value<D>, element: bool) {
        let refused = match &value {
            Value::Real(_, d) | Value::Real32(_, d) => {
                d.size().is_nan() || d.size() > self.limits.largest
            }
            Value::Undefined
            | Value::Integer(_)
            | Value::Sized(..)
            | Value::Logical(_)
            | Value::Pointer(..) => false,
        };
        let value = match value {
            Value::Real(..) if refused => Value::Real(1.0, D::constant()),
            Value::Real32(..) if refused => Value::Real32(1.0, D::constant()),
            value => value,
        };
        if refused {
            self.refused.insert(self.current);
        }
        self.cells.write(cell, value, element);
    }

    fn outcome(&mut self, routine: RoutineId, views: &[View]) -> Outcome<D> {
        let routine = self.program.routine(routine);
        let globals = std::mem::take(&mut self.globals);
        let left_on_tapes = self.tapes.iter().map(Tape::len).sum();
        let (alive, made) = self.cells.on_heap_at_end();
        let mut read = |view: &View| {
            let cells = match view.allocated {
                true => view.storage_cells(),
                false => Vec::new(),
            };
            Argument {
                extents: view.extents(),
                elements: cells
                    .into_iter()
                    .map(|c| self.cells.raw(c).clone())
                    .collect(),
            }
        };
        Outcome {
            parameters: routine
                .parameter_ids()
                .map(|p| read(&views[p.index()]))
                .collect(),
            result: routine.result.map(|v| read(&views[v.index()])),
            globals: globals.iter().map(&mut read).collect(),
            left_on_tapes,
            alive,
            made,
            visits: std::mem::take(&mut self.visits),
            refused: std::mem::take(&mut self.refused),
            seen: Seen {
                overwritten_element_used: self.cells.overwritten_element_used,
                overwritten_index: self.cells.overwritten_index,
                ..self.seen
            },
        }
    }
}

/// True if a loop is not reached from its end.
fn enters_loop(body: &Cfg, frame: &Frame) -> bool {
    // In a structured graph only the back edge comes from an ENDLOOP.
    let end = |v| body.vertex(v).vertex_type() == VertexType::EndLoop;
    !frame.from.is_some_and(end)
}
