//! The pieces of sweeps that keep states: pushes and pops of a state, calls of the step, loops and branches.

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    edit::{Editor, Tail},
    entity::{GlobalId, RoutineId, VarId},
    ir::{
        Cfg, Checkpoint, Dim, Expr, Intent, LoopTest, NameRole, Op, Place, Role, Routine,
        ScalarType, Stmt, StmtKind, TapeClass, Variable, VertexKind,
    },
};

use super::{Planning, measured::Measured};
use crate::{
    code::{
        expressions::{extent_of, zero},
        names::Namer,
        routines::{add_local, call_statement, tape_class},
        rows::Rows,
    },
    codes,
    plan::adjoints::StatementAdjoint,
    prepare::reruns::{Kept, call_arguments},
    sweeps::{Sweeps, finish, unused::without_unused},
};

/// The level of the store that a state lies at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Memory,
    Disk,
}

/// All levels, from the fastest on.
pub(super) const LEVELS: [Level; 2] = [Level::Memory, Level::Disk];

/// A sweep under construction.
pub(super) struct Writer<'a, 'b, 'p> {
    sweeps: &'a Sweeps<'b, 'p>,
    kept: &'a Kept,
    planning: Planning,
    is_forward: bool,
    /// The globals of the state, as the sweep names them.
    globals: Vec<VarId>,
    routine: Routine,
    namer: Namer,
    pub(super) graph: Editor,
    pub(super) tail: Tail,
    /// The call of the step itself, of its forward and of its reverse sweep. The sweeps are not called if nothing that
    /// the step computes has an influence.
    pub(super) plain: Stmt,
    pub(super) recording: Option<Stmt>,
    pub(super) reversing: Option<Stmt>,
    /// The call of the step that counts the bits of its record, and their number, of a loop under a limit of memory.
    pub(super) measuring: Option<(Stmt, VarId)>,
}

impl<'a, 'b, 'p> Writer<'a, 'b, 'p> {
    pub(super) fn new(
        sweeps: &'a Sweeps<'b, 'p>,
        kept: &'a Kept,
        planning: Planning,
        measured: &mut Measured,
        adjoints: &Rows<StatementAdjoint>,
        is_forward: bool,
    ) -> Result<Self, Diagnostics> {
        let draft = sweeps.draft;
        let mut routine = match is_forward {
            true => sweeps.forward_declarations(),
            false => sweeps.reverse_declarations(),
        };
        let namer = match is_forward {
            true => draft.namer.clone(),
            false => draft.scope.namer.clone(),
        };
        let program = &sweeps.context.program;
        let original = program.routine(draft.id);
        let globals = kept.globals.to_vec().into_iter().map(|g| {
            let named = original
                .variables
                .iter()
                .position(|v| v.role == Role::Global(g));
            named.map_or_else(
                || {
                    let mut variable = program.global(g).variable.clone();
                    variable.role = Role::Global(g);
                    routine.add_variable(variable)
                },
                VarId::new,
            )
        });
        let globals = globals.collect();
        let (mut plain, mut recording, mut reversing) = (None, None, None);
        for (v, vertex) in draft.cfg.vertices() {
            for (s, statement) in vertex.statements().iter().enumerate() {
                if statement.kind.callee() == Some(kept.rerun.callee) {
                    plain = Some(statement.clone());
                    let forward = draft.code.row(v)[s].forward.as_deref();
                    recording = forward.and_then(<[Stmt]>::first).cloned();
                    reversing = adjoints.row(v)[s].code.first().cloned();
                }
            }
        }
        let has_loop = (draft.cfg.vertices()).any(|(_, v)| v.kind.test().is_some());
        let Some(plain) = plain.filter(|_| has_loop == kept.is_loop) else {
            let message = format!("`{}` has lost its step", original.name);
            let help = codes::DEFECT.explanation;
            return Err(Diagnostic::error(&codes::DEFECT, message, help).into());
        };
        let mut graph = Editor::default();
        let tail = Tail(graph.add(VertexKind::Entry), None);
        let mut writer = Self {
            sweeps,
            kept,
            planning,
            is_forward,
            globals,
            routine,
            namer,
            graph,
            tail,
            plain,
            recording,
            reversing,
            measuring: None,
        };
        let is_own = sweeps.context.reruns[kept.rerun.callee.index()].is_none();
        if is_forward && writer.is_limited() && is_own {
            writer.measuring = writer.measuring_step(measured);
        }
        Ok(writer)
    }

    /// The step as a copy of its forward sweep that counts bits.
    fn measuring_step(&mut self, measured: &mut Measured) -> Option<(Stmt, VarId)> {
        let recording = self.recording.clone()?;
        let sweep = recording.kind.callee()?;
        let bits = self.local("bits", NameRole::Temporary);
        let tape = Expr::var(self.sweeps.draft.tape);
        let arguments = call_arguments(&recording)?.iter().map(|a| match a {
            Some(e) if *e == tape => Some(Expr::var(bits)),
            _ => a.clone(),
        });
        let mut call = call_statement(measured.copy_of(sweep), arguments.collect());
        call.at.clone_from(&recording.at);
        Some((call, bits))
    }

    /// True if the forward sweep of the loop records the last step.
    pub(super) fn records_last(&self) -> bool {
        self.kept.records_last && self.recording.is_some()
    }

    /// The graph of the original.
    pub(super) fn original(&self) -> &'p Cfg {
        self.sweeps.draft.cfg
    }

    /// The test of the loop, if it is counted: index, first, last and step.
    pub(super) fn counted(&self) -> Option<(VarId, [Expr; 3])> {
        let tests = self.original().vertices();
        tests
            .filter_map(|(_, v)| v.kind.test())
            .find_map(|test| match test {
                LoopTest::Counted {
                    index,
                    first,
                    last,
                    step,
                } => Some((*index, [first.clone(), last.clone(), step.clone()])),
                LoopTest::Pre(_) | LoopTest::Post(_) => None,
            })
    }

    /// True if the step is given the index of the loop, or the caller gets it back.
    pub(super) fn reads_index(&self, index: VarId) -> bool {
        let mut reads = self.routine.variable(index).role != Role::Local;
        let arguments = call_arguments(&self.plain).into_iter().flatten().flatten();
        arguments.for_each(|e| e.walk_places(&mut |place| reads |= place.var == index));
        reads
    }

    pub(super) fn callee(&self) -> RoutineId {
        self.kept.rerun.callee
    }

    /// The number of states kept at once; `None`: one for each step. Under a limit of memory it is what fits beside the
    /// record of one step.
    pub(super) fn states(&self) -> Option<Expr> {
        match self.kept.rerun.checkpoint {
            Checkpoint::Snapshots { memory, disk } => {
                Some(Expr::Int(i64::from(memory.get()) + i64::from(disk)))
            }
            Checkpoint::Each => {
                let bytes = self.sweeps.context.state_memory?;
                let mut bytes = Expr::Int(i64::try_from(bytes).unwrap_or(i64::MAX));
                if let Some((_, bits)) = &self.measuring {
                    let record = Expr::op(Op::Div, [Expr::var(*bits), Expr::Int(8)]);
                    bytes = sub(bytes, record);
                }
                Some(Expr::op(Op::Div, [bytes, self.state_bytes()]))
            }
        }
    }

    /// True if the number of states follows from a limit of memory.
    pub(super) fn is_limited(&self) -> bool {
        self.kept.rerun.checkpoint == Checkpoint::Each && self.sweeps.context.state_memory.is_some()
    }

    /// The bytes that a state takes on the tape, with the number of its step and its level, if it has one. A cell takes
    /// at most 8.
    fn state_bytes(&self) -> Expr {
        let mut cells = Expr::Int(match self.counted() {
            Some(_) => 1,
            None => 2,
        });
        for v in self.state() {
            let extents = (0..self.routine.variable(v).rank()).map(|k| extent_of(v, k));
            let own = extents.reduce(|a, b| Expr::op(Op::Mul, [a, b]));
            cells = add(cells, own.unwrap_or(Expr::Int(1)));
        }
        Expr::op(Op::Mul, [cells, Expr::Int(8)])
    }

    /// A new integer of the sweep.
    pub(super) fn local(&mut self, name: &str, role: NameRole) -> VarId {
        let name = self.namer.fresh_name(name.to_owned());
        add_local(&mut self.routine, name, ScalarType::Integer, role)
    }

    /// A new local of a type.
    pub(super) fn local_of(&mut self, name: &str, ty: ScalarType) -> VarId {
        let name = self.namer.fresh_name(name.to_owned());
        add_local(&mut self.routine, name, ty, NameRole::Temporary)
    }

    pub(super) fn type_of(&self, v: VarId) -> ScalarType {
        self.routine.variable(v).ty
    }

    /// The first of the routines of [`super::restart`], if progress is kept.
    pub(super) fn restarts(&self) -> Option<RoutineId> {
        self.planning.restarts
    }

    /// All that the steps of the loop depend on beside what the sweep changes: parameters that are only read, and globals
    /// that the step names. Globals are declared. `None` if a local has the name of one.
    pub(super) fn inputs(&mut self) -> Option<Vec<VarId>> {
        let context = self.sweeps.context;
        let original = context.program.routine(self.sweeps.draft.id);
        let parameters = original.parameter_ids();
        let inputs = parameters.filter(|v| original.variable(*v).intent() == Some(Intent::In));
        let mut inputs: Vec<VarId> = inputs.collect();
        for g in context.summary.touched(self.kept.rerun.callee).to_vec() {
            inputs.push(self.declare_global(g)?);
        }
        Some(inputs)
    }

    /// The variable that a global is; `None` if a local has its name.
    fn declare_global(&mut self, g: GlobalId) -> Option<VarId> {
        let mut variable = self.sweeps.context.program.global(g).variable.clone();
        variable.role = Role::Global(g);
        let mut named = (0..).map(VarId::new).zip(&self.routine.variables);
        match named.find(|(_, other)| other.name == variable.name) {
            Some((v, other)) => (other.role == variable.role).then_some(v),
            None => Some(self.routine.add_variable(variable)),
        }
    }

    /// All variables that the sweep changes, in callees also, but the numbers of the loop: the state, and in the reverse
    /// sweep adjoints. Globals are declared. `None` if a local has the name of one.
    pub(super) fn all_that_changes(&mut self) -> Option<Vec<VarId>> {
        let draft = self.sweeps.draft;
        let context = self.sweeps.context;
        let original = context.program.routine(draft.id);
        let others = original.parameter_ids();
        let others = others.filter(|v| original.variable(*v).intent() != Some(Intent::In));
        let mut all: Vec<VarId> = self.state().chain(others).collect();
        if !self.is_forward {
            all.extend(draft.scope.derivative.iter().flatten());
            let touched = context.summary.touched(self.kept.rerun.callee).to_vec();
            let adjoints = touched.iter().map(|g| context.adjoint_globals[g.index()]);
            for g in adjoints.flatten() {
                all.push(self.declare_global(g)?);
            }
        }
        all.sort_unstable();
        all.dedup();
        Some(all)
    }

    /// A call that is given the tape of the sweep first.
    pub(super) fn call_with_tape(
        &self,
        callee: RoutineId,
        others: impl Iterator<Item = Expr>,
    ) -> Stmt {
        let tape = std::iter::once(Expr::var(self.sweeps.draft.tape));
        call_statement(callee, tape.chain(others).map(Some).collect())
    }

    /// A push on another tape.
    pub(super) fn push_on(&self, tape: VarId, class: TapeClass, v: VarId) -> Stmt {
        Stmt::new(StmtKind::Push {
            tape,
            class,
            value: Expr::var(v),
        })
    }

    /// A pop from another tape.
    pub(super) fn pop_from(&self, tape: VarId, class: TapeClass, v: VarId) -> Stmt {
        Stmt::new(StmtKind::Pop {
            tape,
            class,
            target: Place::whole(v),
        })
    }

    pub(super) fn push(&self, class: TapeClass, v: VarId) -> Stmt {
        self.sweeps.push(class, Expr::var(v))
    }

    pub(super) fn pop(&self, class: TapeClass, v: VarId) -> Stmt {
        self.sweeps.pop(class, Place::whole(v))
    }

    fn state(&self) -> impl DoubleEndedIterator<Item = VarId> {
        let own = self.kept.state.iter().copied();
        own.chain(self.globals.iter().copied())
    }

    /// Copies the state into locals, and back.
    pub(super) fn copies_of_state(&mut self) -> [Vec<Stmt>; 2] {
        let [mut aside, mut back] = [Vec::new(), Vec::new()];
        for v in self.state().collect::<Vec<_>>() {
            let Variable { name, ty, .. } = self.routine.variable(v);
            let (name, ty) = (self.namer.fresh_name(format!("{name}_here")), *ty);
            let copy = add_local(&mut self.routine, name, ty, NameRole::Temporary);
            let rank = self.routine.variable(v).rank();
            self.routine.variables[copy.index()].shape = vec![Dim::deferred(); rank];
            aside.push(set(copy, Expr::var(v)));
            back.push(set(v, Expr::var(copy)));
        }
        [aside, back]
    }

    /// The stack that a variable of the state goes to.
    fn class(&self, v: VarId, level: Level) -> TapeClass {
        match level {
            Level::Memory => tape_class(self.routine.variable(v).ty),
            Level::Disk => TapeClass::Disk,
        }
    }

    /// Pushes of the state.
    pub(super) fn keep_state(&self, level: Level) -> Vec<Stmt> {
        let state = self.state();
        state.map(|v| self.push(self.class(v, level), v)).collect()
    }

    /// Pops of what [`Writer::keep_state`] pushes.
    pub(super) fn take_state(&self, level: Level) -> Vec<Stmt> {
        let state = self.state().rev();
        state.map(|v| self.pop(self.class(v, level), v)).collect()
    }

    /// The number of states of a loop that lie in memory at once, if others lie in a file.
    pub(super) fn memory(&self) -> Option<Expr> {
        match self.kept.rerun.checkpoint {
            Checkpoint::Snapshots { memory, disk } => {
                (disk > 0).then(|| Expr::Int(memory.get().into()))
            }
            Checkpoint::Each => None,
        }
    }

    /// The call that finds the first position of states in memory, and the first behind them, for a number of steps.
    pub(super) fn place(&self, steps: VarId, [first, last]: [VarId; 2]) -> Option<Stmt> {
        // The first state is kept even if there is no step.
        let some = Expr::op(Op::Max, [Expr::var(steps), Expr::Int(1)]);
        let states = Expr::op(Op::Min, [self.states()?, some]);
        let given = [Expr::var(steps), states, self.memory()?];
        let arguments = given.into_iter().chain([first, last].map(Expr::var));
        let arguments = arguments.map(Some).collect();
        Some(call_statement(self.planning.placement, arguments))
    }

    /// The call that computes the number of steps to run before a state is kept.
    pub(super) fn advance(&self, steps: Expr, states: Expr, result: VarId) -> Stmt {
        let arguments = [steps, states, Expr::var(result)].map(Some);
        call_statement(self.planning.advance, arguments.into())
    }

    /// The adjoints of locals at the start of the reverse sweep.
    pub(super) fn adjoints_of_locals(&self) -> Vec<Stmt> {
        let draft = self.sweeps.draft;
        let original = self.sweeps.context.program.routine(draft.id);
        let derivatives = draft.scope.derivative.iter().enumerate();
        let of_locals = derivatives.filter_map(|(v, b)| {
            let variable = &original.variables[v];
            let b = (*b).filter(|_| variable.role == Role::Local)?;
            Some(Stmt::assign(Place::whole(b), zero(variable.ty)))
        });
        of_locals.collect()
    }

    pub(super) fn block(&mut self, statements: Vec<Stmt>) {
        self.graph.append_block(&mut self.tail, statements);
    }

    /// Begins a loop of so many passes.
    pub(super) fn begin_passes(&mut self, index: VarId, passes: VarId) -> usize {
        let counted = LoopTest::Counted {
            index,
            first: Expr::Int(1),
            last: Expr::var(passes),
            step: Expr::Int(1),
        };
        self.graph.begin_loop(&mut self.tail, counted)
    }

    /// Writes what is executed if a condition holds.
    pub(super) fn when(&mut self, condition: Expr, inside: impl FnOnce(&mut Self)) {
        self.choose(condition, inside, |_| {});
    }

    /// Stops with this text if a condition holds.
    pub(super) fn stop_if(&mut self, condition: Expr, text: &str) {
        let stop = Stmt::new(StmtKind::Stop { text: text.into() });
        self.when(condition, |w| w.block(vec![stop]));
    }

    /// A piece of the graph that nothing leads to yet: its first and its last vertex.
    pub(super) fn aside(&mut self, inside: impl FnOnce(&mut Self)) -> [usize; 2] {
        let first = self.graph.block(Vec::new());
        let outside = std::mem::replace(&mut self.tail, Tail(first, None));
        inside(self);
        [first, std::mem::replace(&mut self.tail, outside).0]
    }

    /// Writes what is executed if a condition holds, and what is otherwise.
    pub(super) fn choose(
        &mut self,
        condition: Expr,
        yes: impl FnOnce(&mut Self),
        no: impl FnOnce(&mut Self),
    ) {
        let branch = self
            .graph
            .append(&mut self.tail, VertexKind::branch_on(condition));
        self.tail = Tail(branch, Some(1));
        yes(self);
        let end = self.tail;
        self.tail = Tail(branch, Some(0));
        no(self);
        let last = self.graph.append(&mut self.tail, VertexKind::EndBranch);
        self.graph.add_edge(end.0, last, end.1);
    }

    /// The sweep that keeps the state once and runs the step.
    pub(super) fn once_forward(mut self) -> Self {
        let mut statements = self.keep_state(Level::Memory);
        statements.push(self.plain.clone());
        self.block(statements);
        self
    }

    /// The sweep that runs the step again, and reverses it.
    pub(super) fn once_reverse(mut self) -> Self {
        let mut statements = self.adjoints_of_locals();
        statements.extend(self.take_state(Level::Memory));
        if let (Some(recording), Some(reversing)) = (&self.recording, &self.reversing) {
            let again = [recording.clone(), reversing.clone()];
            let (keep, take) = (
                self.keep_state(Level::Memory),
                self.take_state(Level::Memory),
            );
            statements.extend(keep.into_iter().chain(again).chain(take));
        }
        self.block(statements);
        self
    }

    /// The sweep with this name.
    pub(super) fn finish(mut self, name: String) -> Routine {
        self.graph.append(&mut self.tail, VertexKind::Exit);
        let original = self.original();
        let mut cfg = self.graph.finish();
        let vertices = original.vertices();
        let mut spans = vertices.filter_map(|(_, v)| v.kind.test().and(v.at.clone()));
        let at = spans.next().or_else(|| self.plain.at.clone());
        for vertex in cfg.vertices_mut() {
            let statements = vertex.kind.statements_mut().into_iter().flatten();
            for statement in statements.filter(|s| s.at.is_none()) {
                statement.at.clone_from(&at);
            }
            vertex.at = vertex.at.take().or_else(|| at.clone());
        }
        let is_structured = cfg_core::structure::Structure::compute(&cfg).is_ok();
        let draft = self.sweeps.draft;
        let original = self.sweeps.context.program.routine(draft.id);
        let (parameters, role) = match self.is_forward {
            true => (&draft.forward_parameters, NameRole::KeptForward),
            false => (&draft.reverse_parameters, NameRole::KeptReverse),
        };
        let body = (cfg, is_structured);
        let made = finish(self.routine, body, name, parameters, original, role);
        without_unused(made, draft.originals)
    }
}

/// x + y.
pub(super) fn add(x: Expr, y: Expr) -> Expr {
    Expr::op(Op::Add, [x, y])
}

/// x - y.
pub(super) fn sub(x: Expr, y: Expr) -> Expr {
    Expr::op(Op::Sub, [x, y])
}

/// v := e.
pub(super) fn set(v: VarId, e: Expr) -> Stmt {
    Stmt::assign(Place::whole(v), e)
}
