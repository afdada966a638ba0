//! One routine on its way to a forward and a reverse sweep: variables, statement adjoints, loop plans.

use cfg_core::{
    diagnostic::Diagnostic,
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::{
        Cfg, Expr, Extent, Intent, Op, OpClass, Place, Program, Role, Routine, ScalarType, Stmt,
        StmtKind, TapeClass, Variable, VertexKind,
    },
    memory::global_set::GlobalSet,
    structure::Structure,
    text,
};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

use crate::{
    activity::{Activity, Nodes},
    assignment::{self, Scope},
    atoms::Atoms,
    block::ForwardScope,
    blocks::{self, Choice},
    codes, conform,
    general::General,
    globals::{self, Named},
    linearize::{Temporaries, Unsupported, Workspace, zero},
    loop_plan::{self, LoopPlan},
    names::Namer,
    normalize::{self, Effects, Normal},
    plan::{self, Needed},
    rename::Rename,
    results,
    rows::Rows,
    statement::{Reads, StatementAdjoint, StatementCode, Written, primal_reads},
};

/// What is decided for the whole program before any routine is written.
pub(crate) struct Context<'p> {
    /// Normalized routines where they are differentiated, the others as they are.
    pub(crate) program: &'p Program,
    pub(crate) effects: &'p Effects,
    pub(crate) nodes: &'p Nodes,
    pub(crate) activity: &'p Activity,
    /// Forward and reverse routine of each routine that is differentiated.
    pub(crate) sweeps: &'p [Option<(RoutineId, RoutineId)>],
    /// Adjoint of each real global.
    pub(crate) adjoint_globals: &'p [Option<GlobalId>],
    pub(crate) counters: bool,
    /// General graphs are reversed by the numbers of their blocks.
    pub(crate) trace: bool,
}

impl Context<'_> {
    pub(crate) fn is_active(&self, id: RoutineId, routine: &Routine, v: VarId) -> bool {
        self.activity.is_active(self.nodes.of(id, routine, v))
    }
}

/// What is known of a graph.
#[derive(Clone, Copy)]
pub(crate) enum Shape<'p> {
    Structured(&'p Structure),
    General(&'p General),
}

impl<'p> Shape<'p> {
    /// All vertices, predecessors first where there is no cycle.
    pub(crate) fn order(self) -> &'p [VertexId] {
        match self {
            Shape::Structured(structure) => &structure.order,
            Shape::General(general) => &general.order,
        }
    }

    /// Position of each vertex in the order.
    pub(crate) fn position(self) -> &'p [u32] {
        match self {
            Shape::Structured(structure) => &structure.position,
            Shape::General(general) => &general.position,
        }
    }

    /// Number of loops around a vertex.
    pub(crate) fn loop_depth(self, v: VertexId) -> u32 {
        match self {
            Shape::Structured(structure) => structure.loop_depth[v.index()],
            Shape::General(general) => general.forest.depth(v.index()),
        }
    }

    /// The other end of a loop or branch of a structured graph, else the vertex itself.
    pub(crate) fn partner(self, v: VertexId) -> VertexId {
        match self {
            Shape::Structured(structure) => structure.partner(v).unwrap_or(v),
            Shape::General(_) => v,
        }
    }
}

/// A routine with everything that both sweeps are written from.
pub(crate) struct Draft<'p> {
    pub(crate) id: RoutineId,
    /// Number of variables of the normalized routine; the same variables come first everywhere.
    pub(crate) originals: usize,
    /// The tape, the first variable after the originals in both sweeps.
    pub(crate) tape: VarId,
    /// The reverse routine under construction: all variables, no body.
    pub(crate) scope: Scope,
    /// Name table as it was before the reverse routine's own variables.
    pub(crate) namer: Namer,
    pub(crate) cfg: &'p Cfg,
    pub(crate) shape: Shape<'p>,
    pub(crate) atoms: Atoms,
    /// The globals that the routine names.
    pub(crate) globals: Named,
    /// By callee: the globals whose values after a call its reverse sweep reads.
    pub(crate) needed: HashMap<RoutineId, GlobalSet>,
    pub(crate) loops: Vec<Option<LoopPlan>>,
    /// Of every statement.
    pub(crate) code: Rows<StatementCode>,
    /// Of every statement, until the reverse sweep is written; variables have the numbers that they have
    /// there.
    pub(crate) adjoints: Rows<StatementAdjoint>,
    /// Temporaries of the forward routine.
    pub(crate) forward: ForwardScope,
    /// The numbers of variables in the forward sweep: parameters, result, tape first.
    pub(crate) forward_numbers: Rename,
    /// And in the reverse sweep: parameters, result, their adjoints, tape first.
    pub(crate) reverse_numbers: Rename,
}

impl<'p> Draft<'p> {
    /// Declares everything; no code yet.
    pub(crate) fn new(
        context: &Context<'p>,
        id: RoutineId,
        normal: &Normal,
        shape: Shape<'p>,
    ) -> Option<Self> {
        let routine = context.program.routine(id);
        let cfg = routine.body.as_ref()?;
        let class = normalize::storage_classes(context.program, routine);
        let loops = match shape {
            Shape::Structured(structure) => {
                loop_plan::plan_loops(context, id, cfg, structure, &class, normal.changed)
            }
            Shape::General(general) => general.plans.clone(),
        };
        let mut scope = Scope {
            routine: Routine {
                body: None,
                variables: routine.variables.clone(),
                ..routine_shell(routine)
            },
            namer: normal.namer.clone(),
            temporaries: Temporaries::default(),
            workspace: Workspace::default(),
            derivative: vec![None; routine.variables.len()],
            active: FixedBitSet::with_capacity(routine.variables.len()),
            storage: class.clone(),
            shared: normalize::shared_classes(&class),
        };
        let tape_name = scope.namer.suffixed("tape".to_owned());
        let tape = scope.routine.add_variable(Variable::new(
            tape_name,
            ScalarType::Tape,
            Vec::new(),
            Role::Parameter {
                intent: Intent::InOut,
                optional: false,
            },
        ));
        let namer = scope.namer.clone();
        let forward = ForwardScope {
            routine: scope.routine.clone(),
            temporaries: Temporaries::default(),
        };
        let mut first: Vec<VarId> = routine.parameter_ids().chain(routine.result).collect();
        let numbers =
            |first: &[VarId], of: &Routine| Rename::parameters_first(of.variables.len(), first);
        let forward_first: Vec<VarId> = first.iter().copied().chain([tape]).collect();
        let forward_numbers = numbers(&forward_first, &forward.routine);
        add_adjoints(context, id, routine, &mut scope);
        let adjoints = first.iter().filter_map(|v| scope.derivative[v.index()]);
        let adjoints: Vec<VarId> = adjoints.chain([tape]).collect();
        first.extend(adjoints);
        let reverse_numbers = numbers(&first, &scope.routine);
        Some(Self {
            id,
            originals: routine.variables.len(),
            tape,
            scope,
            namer,
            cfg,
            shape,
            atoms: Atoms::new(context.program, routine, cfg, &class),
            globals: Named::of(routine),
            needed: HashMap::new(),
            loops,
            code: Rows::with_capacity(cfg.vertex_count()),
            adjoints: Rows::with_capacity(cfg.vertex_count()),
            forward,
            forward_numbers,
            reverse_numbers,
        })
    }

    /// Writes the adjoint of every statement; the statements of the chosen segments together. Choices
    /// come in the order of the vertices and their statements.
    pub(crate) fn write(
        &mut self,
        context: &Context<'p>,
        choices: &[Choice<'_>],
        found: &mut Vec<Diagnostic>,
    ) {
        let id = self.id;
        let routine = context.program.routine(id);
        check_extents(context, id, routine, found);
        let mut choices = choices.iter().peekable();
        let mut twins = HashMap::new();
        for (v, vertex) in self.cfg.vertices() {
            let statements = vertex.statements();
            for (s, statement) in statements.iter().enumerate() {
                if s < self.code.open() {
                    continue;
                }
                let choice = choices
                    .next_if(|choice| choice.found.vertex == v && choice.found.range.start == s);
                if let Some(choice) = choice
                    && let Ok(together) = blocks::write(self, statements, choice, &mut twins)
                {
                    together.into_iter().for_each(|code| self.push(code));
                    continue;
                }
                match self.statement(context, routine, statement) {
                    Ok(code) => self.push(code),
                    Err((info, message)) => {
                        let shown = text::stmt(routine, context.program, statement);
                        let element = format!(
                            "routine {}, vertex {}, statement `{shown}`",
                            routine.name, vertex.id
                        );
                        let pointer = format!("/routines/{}/vertices/{}", id.index(), v.index());
                        found.push(
                            Diagnostic::error(info, message, info.explanation)
                                .at_element(element)
                                .at_pointer(pointer),
                        );
                        self.push(Default::default());
                    }
                }
            }
            self.code.close();
            self.adjoints.close();
        }
        for variable in &self.forward.routine.variables[self.tape.index() + 1..] {
            self.namer.reserve(&variable.name);
        }
    }

    fn push(&mut self, (code, mut adjoint): Written) {
        let statements = adjoint.before_pops.iter_mut().chain(&mut adjoint.code);
        statements.for_each(|s| self.reverse_numbers.stmt(s));
        self.code.push(code);
        self.adjoints.push(adjoint);
    }

    fn statement(
        &mut self,
        context: &Context<'p>,
        routine: &Routine,
        statement: &Stmt,
    ) -> Result<Written, (&'static cfg_core::diagnostic::CodeInfo, String)> {
        let unsupported = |Unsupported(message)| (&codes::EXPRESSION, message);
        match &statement.kind {
            StmtKind::Assign { target, value } => {
                let reverse =
                    assignment::adjoint(&mut self.scope, target, value).map_err(unsupported)?;
                let code = self.before(reverse);
                if target.subscripts.is_empty() && is_deferred(routine.variable(target.var)) {
                    return (self.reshaped(routine, statement, target, code)).map_err(unsupported);
                }
                Ok(code)
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => self.call(context, routine, *callee, arguments, result.as_ref()),
            StmtKind::Push { .. } | StmtKind::Pop { .. } => Err((
                &codes::TAPE,
                "the adjoint of a routine that uses a tape is not available".to_owned(),
            )),
            StmtKind::Opaque { writes, .. } => {
                let reverse = writes
                    .iter()
                    .filter(|v| self.scope.active.contains(v.index()))
                    .filter_map(|&v| {
                        let b = self.scope.derivative_place(&Place::whole(v))?;
                        Some(Stmt::assign(b, zero(routine.variable(v).ty)))
                    })
                    .collect();
                Ok(self.before(reverse))
            }
        }
    }

    /// An assignment that may change its target's shape: the extents that it had before go on the tape,
    /// and the reverse sweep gives them back to the target and its adjoint.
    fn reshaped(
        &mut self,
        routine: &Routine,
        statement: &Stmt,
        target: &Place,
        (mut code, mut adjoint): Written,
    ) -> Result<Written, Unsupported> {
        let variable = routine.variable(target.var);
        let integer = crate::typing::ExprType {
            ty: ScalarType::Integer,
            rank: 0,
        };
        let mut forward = Vec::new();
        let mut extents = Vec::new();
        for k in 0..variable.rank() {
            forward.push(Stmt::new(StmtKind::Push {
                tape: self.tape,
                class: TapeClass::Integer,
                value: size(target.var, k),
            }));
            extents.push(self.scope.temporaries.take(
                &mut self.scope.routine,
                &mut self.scope.namer,
                "n",
                integer,
            ));
        }
        forward.push(statement.clone());
        for &n in extents.iter().rev() {
            adjoint.before_pops.push(Stmt::new(StmtKind::Pop {
                tape: self.tape,
                class: TapeClass::Integer,
                target: Place::whole(n),
            }));
        }
        let extents: Vec<Expr> = extents.into_iter().map(Expr::var).collect();
        let blank = fill(variable.ty, extents.iter().cloned());
        adjoint
            .before_pops
            .push(Stmt::assign(target.clone(), blank));
        if let Some(b) = self.scope.derivative_place(target) {
            // A value without a shape, zero or the adjoint of a reduction, would leave it the new one.
            for s in &mut adjoint.code {
                if let StmtKind::Assign { target, value } = &mut s.kind
                    && *target == b
                {
                    *value = conform::in_shape(&self.scope.routine.variables, value, &extents)?;
                }
            }
        }
        code.forward = Some(forward.into());
        Ok((code, adjoint))
    }

    /// Code that stands after the pops of its statement.
    fn before(&self, reverse: Vec<Stmt>) -> Written {
        let code = StatementCode {
            reads_before: primal_reads(&reverse, self.originals, &self.atoms),
            ..StatementCode::default()
        };
        let adjoint = StatementAdjoint {
            before_pops: Vec::new(),
            code: reverse,
            after_pops: true,
        };
        (code, adjoint)
    }

    fn call(
        &mut self,
        context: &Context<'p>,
        routine: &Routine,
        callee: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<&Place>,
    ) -> Result<Written, (&'static cfg_core::diagnostic::CodeInfo, String)> {
        let called = context.program.routine(callee);
        if let Some(adjoint) = called.derivatives.as_ref().and_then(|d| d.adjoint) {
            return self.given(context, routine, callee, adjoint, arguments, result);
        }
        if let Some((forward, reverse)) = context.sweeps[callee.index()] {
            if result.is_some() {
                results::known(called)?;
            }
            let primal = arguments
                .iter()
                .cloned()
                .chain(result.map(|r| Some(Expr::Place(r.clone()))))
                .chain([Some(Expr::var(self.tape))]);
            let fwd = call(forward, primal.collect());
            let rev = call(reverse, self.with_adjoints(arguments, called, result, true));
            let reads_after = Reads::default().with(|add| {
                for place in arguments.iter().flatten().filter_map(as_place) {
                    for e in place.subscript_exprs() {
                        e.walk_places(&mut |p| {
                            self.atoms.of_place(p, &mut |a| add(a));
                        });
                    }
                }
            });
            let code = StatementCode {
                forward: Some(Box::new([fwd])),
                reads_before: Reads::default(),
                reads_after,
            };
            let adjoint = StatementAdjoint {
                before_pops: Vec::new(),
                code: vec![rev],
                after_pops: false,
            };
            return Ok((code, adjoint));
        }
        if called.body.is_some() || !self.touches_active(context, called, callee) {
            return Ok(Default::default());
        }
        // An external function: by its partials, or by differentiating its value.
        let (Some(external), Some(result)) = (&called.external, result) else {
            return Err((
                &codes::EXTERNAL,
                format!("`{}` has no body and no derivatives", called.name),
            ));
        };
        let bind = |e: &Expr| bind_formals(e, arguments);
        let Some(partials) = &external.partials else {
            let Some(value) = &external.value else {
                return Err((
                    &codes::EXTERNAL,
                    format!("`{}` has no body and no derivatives", called.name),
                ));
            };
            let value = bind(value);
            let reverse = assignment::adjoint(&mut self.scope, result, &value)
                .map_err(|Unsupported(m)| (&codes::EXPRESSION, m))?;
            return Ok(self.before(reverse));
        };
        let mut reverse = Vec::new();
        if let Some(result_b) = self.scope.derivative_place(result) {
            for partial in partials {
                let Some(Some(Expr::Place(actual))) = arguments.get(partial.parameter.index())
                else {
                    continue;
                };
                if !self.scope.active.contains(actual.var.index()) {
                    continue;
                }
                if let Some(b) = self.scope.derivative_place(actual) {
                    let term = Expr::op(
                        cfg_core::ir::Op::StrongMul,
                        [Expr::Place(result_b.clone()), bind(&partial.value)],
                    );
                    let value = Expr::op(cfg_core::ir::Op::Add, [Expr::Place(b.clone()), term]);
                    reverse.push(Stmt::assign(b, value));
                }
            }
            let ty = routine.variable(result.var).ty;
            reverse.push(Stmt::assign(result_b, zero(ty)));
        }
        Ok(self.before(reverse))
    }

    pub(crate) fn touches_active(
        &self,
        context: &Context<'p>,
        called: &Routine,
        callee: RoutineId,
    ) -> bool {
        let formals = called.parameter_ids().chain(called.result);
        formals
            .into_iter()
            .any(|p| called.variable(p).ty.is_real() && context.is_active(callee, called, p))
    }

    /// Actuals, the result's variable, then the adjoints of the real ones, then the tape.
    pub(crate) fn with_adjoints(
        &self,
        arguments: &[Option<Expr>],
        called: &Routine,
        result: Option<&Place>,
        tape: bool,
    ) -> Vec<Option<Expr>> {
        let result = result.map(|r| Some(Expr::Place(r.clone())));
        let mut all: Vec<Option<Expr>> = arguments.iter().cloned().chain(result).collect();
        let formals: Vec<VarId> = called.parameter_ids().chain(called.result).collect();
        let adjoints: Vec<Option<Expr>> = formals
            .iter()
            .zip(&all)
            .filter(|(p, _)| called.variable(**p).ty.is_real())
            .map(|(_, actual)| {
                let place = actual.as_ref().and_then(as_place)?;
                self.scope.derivative_place(place).map(Expr::Place)
            })
            .collect();
        all.extend(adjoints);
        if tape {
            all.push(Some(Expr::var(self.tape)));
        }
        all
    }

    /// The vertex that is EXIT.
    pub(crate) fn exit(&self) -> VertexId {
        // It comes last, or late.
        let is_exit = |v: &VertexId| matches!(self.cfg.vertex(*v).kind, VertexKind::Exit);
        let exit = self.shape.order().iter().rev().copied().find(is_exit);
        exit.unwrap_or(VertexId::new(0))
    }

    /// Adds what the reverse sweeps of callees read after the calls.
    pub(crate) fn read_after_calls(&mut self, context: &Context<'p>, needed: &[Needed]) {
        if context.effects.callees[self.id.index()].is_empty() {
            return;
        }
        let atoms = &self.atoms;
        for (v, vertex) in self.cfg.vertices() {
            let VertexKind::Block(statements) = &vertex.kind else {
                continue;
            };
            for (s, statement) in statements.iter().enumerate() {
                let StmtKind::Call {
                    callee,
                    arguments,
                    result,
                } = &statement.kind
                else {
                    continue;
                };
                if context.sweeps[callee.index()].is_none() {
                    continue;
                }
                let called = context.program.routine(*callee);
                let need = &needed[callee.index()];
                self.needed.insert(*callee, need.globals.clone());
                let reads = &mut self.code.of_mut(v)[s].reads_after;
                *reads = reads.with(|add| {
                    for (p, actual) in called.parameter_ids().zip(arguments.iter()) {
                        if let (true, Some(Expr::Place(place))) =
                            (need.variables.contains(p.index()), actual.as_ref())
                        {
                            atoms.of_var(place.var, &mut |a| add(a));
                        }
                    }
                    if let (Some(r), Some(place)) = (called.result, result)
                        && need.variables.contains(r.index())
                    {
                        atoms.of_var(place.var, &mut |a| add(a));
                    }
                    for v in self.globals.among(&need.globals) {
                        atoms.of_var(v, &mut |a| add(a));
                    }
                });
            }
        }
    }
}

/// True of a local that takes its shape from what is assigned to it.
pub(crate) fn is_deferred(variable: &Variable) -> bool {
    let deferred = |d: &cfg_core::ir::Dim| matches!(d.extent, Extent::Deferred);
    matches!(variable.role, Role::Local) && variable.shape.iter().any(deferred)
}

/// `size(v, k+1)`.
pub(crate) fn size(v: VarId, k: usize) -> Expr {
    Expr::op(Op::Size, [Expr::var(v), Expr::Int(k as i64 + 1)])
}

/// An array of zeros.
pub(crate) fn fill(ty: ScalarType, extents: impl Iterator<Item = Expr>) -> Expr {
    Expr::op(Op::Fill, std::iter::once(zero(ty)).chain(extents))
}

pub(crate) fn as_place(e: &Expr) -> Option<&Place> {
    match e {
        Expr::Place(place) => Some(place),
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) | Expr::Op(..) => None,
    }
}

/// A call as a statement.
pub(crate) fn call(callee: RoutineId, arguments: Vec<Option<Expr>>) -> Stmt {
    Stmt::new(StmtKind::Call {
        callee,
        arguments: arguments.into(),
        result: None,
    })
}

/// An expression over formals as one over actuals.
pub(crate) fn bind_formals(e: &Expr, arguments: &[Option<Expr>]) -> Expr {
    e.map(&mut |node| match &node {
        Expr::Place(place) => match arguments.get(place.var.index()) {
            Some(Some(actual)) if place.subscripts.is_empty() => actual.clone(),
            _ => node,
        },
        _ => node,
    })
}

/// A routine's declarations without variables and body.
pub(crate) fn routine_shell(routine: &Routine) -> Routine {
    Routine {
        name: routine.name.clone(),
        parameters: routine.parameters,
        result: routine.result,
        control: routine.control,
        aliased: routine.aliased,
        annotations: routine.annotations.clone(),
        ..Routine::default()
    }
}

/// Gives an adjoint variable to every real parameter and result, to every active variable, and to what
/// is passed to a real formal of a differentiated routine.
fn add_adjoints(context: &Context<'_>, id: RoutineId, routine: &Routine, scope: &mut Scope) {
    let n = routine.variables.len();
    let mut wanted = FixedBitSet::with_capacity(n);
    for (v, variable) in routine.variables.iter().enumerate() {
        let var = VarId::new(v);
        if !variable.ty.is_real() {
            continue;
        }
        if context.is_active(id, routine, var) {
            scope.active.insert(v);
            wanted.insert(v);
        }
        if matches!(variable.role, Role::Parameter { .. }) || routine.result == Some(var) {
            wanted.insert(v);
        }
    }
    context.effects.each_call(id, routine, |statement| {
        if let StmtKind::Call {
            callee,
            arguments,
            result,
        } = &statement.kind
        {
            let called = context.program.routine(*callee);
            let user = called
                .derivatives
                .as_ref()
                .is_some_and(|d| d.adjoint.is_some());
            if context.sweeps[callee.index()].is_some() || user {
                let actuals = arguments.iter().flatten().filter_map(as_place);
                for place in actuals.chain(result.as_ref()) {
                    if routine.variable(place.var).ty.is_real() {
                        wanted.insert(place.var.index());
                    }
                }
            }
        }
    });
    for v in wanted.ones() {
        let variable = &routine.variables[v];
        let role = match variable.role {
            Role::Parameter { optional, .. } => Role::Parameter {
                intent: Intent::InOut,
                optional,
            },
            Role::Local => Role::Local,
            Role::Global(g) => match context.adjoint_globals[g.index()] {
                Some(b) => Role::Global(b),
                None => continue,
            },
        };
        let name = match role {
            Role::Global(b) => context.program.global(b).variable.name.clone(),
            Role::Parameter { .. } | Role::Local => {
                scope.namer.suffixed(format!("{}_b", variable.name))
            }
        };
        let adjoint = Variable {
            name,
            role,
            origin: Some(Box::new((variable.name.clone(), "adjoint".into()))),
            ..variable.clone()
        };
        scope.derivative[v] = Some(scope.routine.add_variable(adjoint));
    }
}

/// The places whose values an extent reads. What it asks of the shape of an array does not change, whatever is
/// assigned to it, unless it is a local array that takes its shape from assignments.
fn changeable(routine: &Routine, e: &Expr, f: &mut impl FnMut(&Place)) {
    match e {
        Expr::Place(p) => {
            f(p);
            for subscript in p.subscript_exprs() {
                changeable(routine, subscript, f);
            }
        }
        Expr::Op(op, operands) => {
            for (i, operand) in operands.iter().enumerate() {
                let shape_only = match operand {
                    Expr::Place(p) if i == 0 && op.class() == OpClass::Inquiry => {
                        let variable = routine.variable(p.var);
                        p.subscripts.is_empty()
                            && (variable.role != Role::Local
                                || variable
                                    .shape
                                    .iter()
                                    .all(|d| matches!(d.extent, Extent::Fixed(_))))
                    }
                    _ => false,
                };
                if !shape_only {
                    changeable(routine, operand, f);
                }
            }
        }
        Expr::Int(_) | Expr::Real(_) | Expr::Real32(_) | Expr::Logical(_) => {}
    }
}

/// Extents are evaluated again when the reverse sweep is entered: what they read must not change.
fn check_extents(
    context: &Context<'_>,
    id: RoutineId,
    routine: &Routine,
    found: &mut Vec<Diagnostic>,
) {
    // Parameters that are `in` do not.
    let mut read = false;
    for variable in &routine.variables {
        plan::each_extent(variable, &mut |e| {
            changeable(routine, e, &mut |p| {
                read |= routine.variable(p.var).intent() != Some(Intent::In);
            });
        });
    }
    if !read {
        return;
    }
    // By storage: what has another name may be changed through that.
    let class = normalize::storage_classes(context.program, routine);
    let class = |v: VarId| class[v.index()] as usize;
    let mut written = FixedBitSet::with_capacity(routine.variables.len());
    normalize::each_statement(routine, |statement| {
        normalize::each_written(context.program, statement, &mut |v| {
            written.insert(class(v));
        });
    });
    if let Some(cfg) = &routine.body {
        for (_, vertex) in cfg.vertices() {
            if let VertexKind::Loop { test, .. } = &vertex.kind
                && let cfg_core::ir::LoopTest::Counted { index, .. } = test.as_ref()
            {
                written.insert(class(*index));
            }
        }
    }
    for (v, g) in globals::variables(routine) {
        if context.effects.written[id.index()].contains(g) {
            written.insert(class(v));
        }
    }
    for variable in &routine.variables {
        plan::each_extent(variable, &mut |e| {
            changeable(routine, e, &mut |p| {
                if written.contains(class(p.var)) {
                    let n = &routine.variable(p.var).name;
                    found.push(
                        Diagnostic::error(
                            &codes::EXTENT,
                            format!(
                                "the shape of `{}` depends on `{n}`, which the routine changes",
                                variable.name
                            ),
                            codes::EXTENT.explanation,
                        )
                        .at_element(format!("routine {}", routine.name)),
                    );
                }
            });
        });
    }
}

/// The tape stack that holds values of a type.
pub(crate) fn class_of(ty: ScalarType) -> cfg_core::ir::TapeClass {
    use cfg_core::ir::ControlWidth;
    match ty {
        ScalarType::Real | ScalarType::Tape => TapeClass::Real,
        ScalarType::Real32 => TapeClass::Real32,
        ScalarType::Integer => TapeClass::Integer,
        ScalarType::Logical => TapeClass::Control(ControlWidth::Bits(1)),
    }
}

/// The program with normal forms in place of the routines that have one.
pub(crate) fn normal_program(program: &Program, normals: &mut [Option<Normal>]) -> Program {
    let routines = program
        .routines
        .iter()
        .zip(normals)
        .map(|(routine, normal)| match normal {
            Some(n) => std::mem::take(&mut n.routine),
            None => routine.clone(),
        })
        .collect();
    Program {
        routines,
        globals: program.globals.clone(),
        main: program.main,
        annotations: None,
    }
}
