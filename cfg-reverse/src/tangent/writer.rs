//! The tangent of one routine.

use cfg_analysis::{activity::Activity, differentiable::differentiable_places};
use cfg_core::{
    dataflow::Position,
    diagnostic::{CodeInfo, Diagnostic, Diagnostics, site::Element},
    edit::{Editor, Mark},
    entity::{GlobalId, LocationId, RoutineId, VarId, VertexId},
    flat::FlatStmt,
    ir::{
        Cfg, Control, Expr, Extent, Global, Intent, NameOrigin, NameRole, Place, Program, Role,
        Routine, ScalarType, Stmt, StmtKind, Variable, VertexKind,
    },
    memory::global_set::GlobalSet,
};
use fixedbitset::FixedBitSet;
use std::collections::HashSet;

use crate::{
    code::{
        built,
        expressions::{as_place, bind_formals, sum, zero},
        routines::{call_statement, is_deferred, is_real_class, is_real_push},
    },
    codes,
    externals::{Bound, contribution},
    memory::summary::Summary,
    partials::{
        Unsupported, assignment,
        protect::{Around, Primal, protect},
        scope::Scope,
    },
    prepare::{places::at_statement, results},
};

/// Writes the tangent of one routine.
pub(crate) struct Writer<'a> {
    pub(super) program: &'a Program,
    pub(super) id: RoutineId,
    pub(super) ids: &'a [Option<RoutineId>],
    pub(super) tangent_globals: &'a [Option<GlobalId>],
    pub(super) summary: &'a Summary,
    /// Globals that may have a tangent other than 0.
    pub(super) varied: &'a GlobalSet,
    pub(super) out_globals: &'a [Global],
    /// The variables that are active between declared independents and dependents; none: every real variable is
    /// active.
    pub(super) activity: Option<&'a Activity>,
    /// True of the routine that is differentiated, false of those that it calls.
    pub(super) is_main: bool,
    /// The locations of the independents.
    pub(super) given: HashSet<LocationId>,
    /// Variables that are 0 and stand in calls for the tangent of a parameter: the parameter, and the variable.
    pub(super) zeros: Vec<(VarId, VarId)>,
    pub(super) scope: Scope,
    /// True if the graph is the one that was given.
    pub(super) same_graph: bool,
    pub(super) found: &'a mut Vec<Diagnostic>,
}

type Failure = (&'static CodeInfo, String);

impl<'a> Writer<'a> {
    pub(super) fn routine(mut self, name: String) -> Result<Routine, Diagnostics> {
        let original = self.program.routine(self.id);
        let mut order: Vec<VarId> = original.parameter_ids().chain(original.result).collect();
        if let Some(result) = original.result {
            self.scope.routine.variables[result.index()].role = Role::Parameter {
                intent: Intent::Out,
                optional: false,
            };
        }
        self.add_tangents();
        let tangents: Vec<VarId> = order
            .iter()
            .filter_map(|v| self.scope.derivative[v.index()])
            .collect();
        order.extend(tangents);
        let with_tangents = |list: &[VarId]| {
            let own = list.iter().copied();
            own.chain(list.iter().filter_map(|v| self.scope.derivative[v.index()]))
                .collect::<Vec<_>>()
        };
        let independents = with_tangents(&original.independents);
        let dependents = with_tangents(&original.dependents);
        self.add_zeros();
        let mut cfg = original.body.clone();
        let vertices = cfg.iter_mut().flat_map(Cfg::vertices_mut);
        let mut number = 0;
        for (v, vertex) in vertices.enumerate() {
            vertex.origin = Some(cfg_core::ir::Origin {
                role: cfg_core::ir::OriginRole::Copy,
                vertex: vertex.id,
            });
            if let VertexKind::Block(statements) = &mut vertex.kind {
                let mut code = Vec::with_capacity(2 * statements.len());
                for (s, statement) in std::mem::take(statements).into_iter().enumerate() {
                    self.scope.here = Position {
                        vertex: VertexId::new(v),
                        statement: s,
                    };
                    let first = code.len();
                    let mark = Mark::from_statement(&statement, self.same_graph.then_some(number));
                    number += 1;
                    if let Err((info, message)) = self.statement(original, &statement, &mut code) {
                        let problem = Diagnostic::error(info, message, info.explanation);
                        let element = Element::Statement(VertexId::new(v), s);
                        let (program, id) = (self.program, vertex.id);
                        let problem =
                            at_statement(problem, program, self.id, element, id, &statement);
                        self.found.push(problem);
                    }
                    code[first..].iter_mut().for_each(|s| mark.put(s));
                }
                *statements = code;
            }
        }
        let first = self.at_entry();
        if !first.is_empty() {
            cfg = cfg.map(|body| behind_entry(body, first));
        }
        if original.control == Control::Structured {
            let ordered = cfg.map(built::in_topological_order).transpose()?;
            cfg = ordered.map(Editor::finish);
        }
        let mut routine = self.scope.routine;
        routine.name = name;
        routine.origin = Some(Box::new(NameOrigin::new(
            NameRole::Tangent,
            &*original.name,
        )));
        routine.result = None;
        routine.independents = independents;
        routine.dependents = dependents;
        routine.parameters = order;
        routine.body = cfg;
        Ok(routine)
    }

    /// The variables that have tangents: the parameters and the result, active variables, and those whose tangents
    /// calls and tapes take.
    fn with_tangents(&self) -> FixedBitSet {
        let original = self.program.routine(self.id);
        let n = original.variables.len();
        let Some(activity) = self.activity else {
            let mut all = FixedBitSet::with_capacity(n);
            all.insert_range(..);
            return all;
        };
        let mut wanted = self.taken();
        let parameters = original.parameter_ids().chain(original.result);
        wanted.extend(parameters.map(VarId::index));
        let is_active = |v: &usize| activity.is_active(self.id, original, VarId::new(*v));
        wanted.extend((0..n).filter(is_active));
        wanted
    }

    /// The variables whose tangents calls and tapes take.
    fn taken(&self) -> FixedBitSet {
        let original = self.program.routine(self.id);
        let mut taken = FixedBitSet::with_capacity(original.variables.len());
        for statement in original.statements() {
            match FlatStmt::view(&statement.kind) {
                FlatStmt::Call {
                    callee,
                    arguments,
                    result,
                } => {
                    let called = self.program.routine(callee);
                    let user = called.derivatives.as_ref().and_then(|d| d.tangent);
                    if user.or(self.ids[callee.index()]).is_some() {
                        let places = arguments.iter().flatten().filter_map(as_place);
                        let places = places.chain(result);
                        taken.extend(places.map(|place| place.var.index()));
                    }
                }
                FlatStmt::Push { tape, value, .. } if self.is_tape_active(tape) => {
                    differentiable_places(original, value, &mut |place| {
                        taken.insert(place.var.index());
                    });
                }
                FlatStmt::Pop { tape, target, .. } if self.is_tape_active(tape) => {
                    taken.insert(target.var.index());
                }
                FlatStmt::Assign { .. }
                | FlatStmt::Push { .. }
                | FlatStmt::Pop { .. }
                | FlatStmt::Opaque { .. }
                | FlatStmt::Stop { .. } => {}
            }
        }
        taken
    }

    /// Adds the tangent variables, and sets where they contribute and where they are wanted.
    fn add_tangents(&mut self) {
        let original = self.program.routine(self.id);
        let wanted = self.with_tangents();
        for (v, variable) in original.variables.iter().enumerate() {
            if !has_tangent(variable) || !wanted.contains(v) {
                continue;
            }
            let (role, name) = match self.scope.routine.variables[v].role {
                Role::Global(g) => match self.tangent_globals[g.index()] {
                    Some(t) => (
                        Role::Global(t),
                        self.out_globals[t.index()].variable.name.clone(),
                    ),
                    None => continue,
                },
                role @ (Role::Parameter { .. } | Role::Local) => (
                    role,
                    self.scope.namer.fresh_name(format!("{}_t", variable.name)),
                ),
            };
            let tangent = Variable {
                name,
                role,
                origin: Some(Box::new(NameOrigin::new(
                    NameRole::Tangent,
                    &*variable.name,
                ))),
                ..variable.clone()
            };
            self.scope.derivative[v] = Some(self.scope.routine.add_variable(tangent));
            if variable.ty.is_real() {
                let id = VarId::new(v);
                let of = |known: fn(&Activity, RoutineId, &Routine, VarId) -> bool| {
                    self.activity
                        .is_none_or(|a| known(a, self.id, original, id))
                };
                if of(Activity::is_varied) {
                    self.scope.active.insert(v);
                }
                if of(Activity::is_useful) {
                    self.scope.wanted.insert(v);
                }
            }
        }
    }

    /// True if the tangents of values pushed on a tape are pushed on its tangent.
    fn is_tape_active(&self, tape: VarId) -> bool {
        let original = self.program.routine(self.id);
        (self.activity).is_none_or(|a| a.is_active(self.id, original, tape))
    }

    /// The tangent of a parameter that is not independent counts as 0, whatever the caller hands over. If such a
    /// parameter cannot be written, its tangent cannot be set to 0: where calls or tapes take that tangent, a zero
    /// variable stands for it. Optional arrays, which may have no shape, keep the tangent of the caller.
    fn add_zeros(&mut self) {
        if !self.is_main || self.activity.is_none() {
            return;
        }
        let original = self.program.routine(self.id);
        let taken = self.taken();
        for v in (original.parameter_ids()).filter(|v| taken.contains(v.index())) {
            let variable = original.variable(v);
            let is_read = |optional| {
                let role = Role::Parameter {
                    intent: Intent::In,
                    optional,
                };
                variable.role == role
            };
            let is_constant = is_read(false) || is_read(true) && variable.rank() == 0;
            if !variable.ty.is_real() || !is_constant || self.is_given(v) {
                continue;
            }
            let name = self.scope.namer.fresh_name(format!("{}_t", variable.name));
            let zero = self.scope.routine.add_variable(Variable {
                name,
                role: Role::Local,
                origin: Some(Box::new(NameOrigin::new(NameRole::Temporary, ""))),
                ..variable.clone()
            });
            self.zeros.push((v, zero));
            self.scope.derivative[v.index()] = Some(zero);
        }
    }

    /// True of a variable that may share cells with an independent, in whose tangent its own then lies.
    fn is_given(&self, v: VarId) -> bool {
        self.given.contains(&self.scope.locations.of_variable(v))
    }

    /// True of cells that have no values at ENTRY: all statements that give one a value give it a tangent.
    fn is_unset(&self, variable: &Variable) -> bool {
        let Role::Global(g) = variable.role else {
            return false;
        };
        let origin = self.program.global(g).variable.origin.as_deref();
        origin.is_some_and(|o| o.role == NameRole::ScratchCells)
    }

    /// The statements at ENTRY of the routine that is differentiated, which set to 0 the tangents of variables that
    /// have values there and are not independent, and the variables of [`Self::add_zeros`].
    fn at_entry(&mut self) -> Vec<Stmt> {
        let mut code = Vec::new();
        if !self.is_main || self.activity.is_none() {
            return code;
        }
        let original = self.program.routine(self.id);
        for v in original.declaration_order() {
            let variable = original.variable(v);
            let zeroed = variable.ty.is_real()
                && !self.is_given(v)
                && !self.is_unset(variable)
                && self.scope.wanted.contains(v.index())
                && self.scope.exceptions.is_useful_at_entry(v);
            let (true, Some(tangent)) = (zeroed, self.scope.derivative[v.index()]) else {
                continue;
            };
            match variable.role {
                Role::Parameter {
                    intent: Intent::InOut,
                    optional: false,
                }
                | Role::Global(_) => {
                    code.push(Stmt::assign(Place::whole(tangent), zero(variable.ty)));
                }
                Role::Parameter { .. } | Role::Local => {}
            }
        }
        for &(v, var) in &self.zeros {
            let variable = self.scope.routine.variable(var);
            if is_deferred(variable) {
                code.push(Stmt::assign(Place::whole(var), Expr::var(v)));
            }
            code.push(Stmt::assign(Place::whole(var), zero(variable.ty)));
        }
        code
    }

    fn statement(
        &mut self,
        original: &Routine,
        statement: &Stmt,
        code: &mut Vec<Stmt>,
    ) -> Result<(), Failure> {
        let unsupported = |Unsupported(message)| (&codes::EXPRESSION, message);
        match FlatStmt::view(&statement.kind) {
            FlatStmt::Assign { target, value } => {
                let tangent =
                    assignment::tangent(&mut self.scope, target, value).map_err(unsupported)?;
                self.assignment(original, statement, target, tangent, code);
            }
            FlatStmt::Call {
                callee,
                arguments,
                result,
            } => self.call(statement, callee, arguments, result, code)?,
            FlatStmt::Push { tape, class, value } => {
                code.push(statement.clone());
                if !is_real_push(original, class, value) {
                    return Ok(());
                }
                let tape_t = self.scope.derivative[tape.index()];
                let Some(tape_t) = tape_t.filter(|_| self.is_tape_active(tape)) else {
                    return Ok(());
                };
                // Every value pushed on a tape has a tangent pushed on its tangent, varied or not: pops must find it.
                let with_tangents = self.scope.derivative.iter().map(Option::is_some);
                let all = with_tangents.enumerate().filter(|(_, has)| *has);
                let all = all.map(|(v, _)| v).collect();
                let active = std::mem::replace(&mut self.scope.active, all);
                let tangent = assignment::tangent_of(&mut self.scope, value, None);
                self.scope.active = active;
                let (before, value_t) = tangent.map_err(unsupported)?;
                code.extend(before);
                code.push(Stmt::new(StmtKind::Push {
                    tape: tape_t,
                    class,
                    value: value_t,
                }));
            }
            FlatStmt::Pop {
                tape,
                class,
                target,
            } => {
                code.push(statement.clone());
                let tape_t = self.scope.derivative[tape.index()];
                let target_t = self.scope.derivative_place(target);
                match (tape_t, target_t) {
                    (Some(tape_t), Some(target_t))
                        if is_real_class(class, original.variable(target.var).ty)
                            && self.is_tape_active(tape) =>
                    {
                        code.push(Stmt::new(StmtKind::Pop {
                            tape: tape_t,
                            class,
                            target: target_t,
                        }));
                    }
                    (_, Some(target_t))
                        if self.scope.is_target(target.var) || self.scope.gives_shape(target) =>
                    {
                        let variable = original.variable(target.var);
                        if self.scope.gives_shape(target) {
                            // The assignment before gives the tangent the shape of the target; the zero that follows
                            // is a scalar.
                            let shape = Expr::Place(target.clone());
                            code.push(Stmt::assign(target_t.clone(), shape));
                        }
                        code.push(Stmt::assign(target_t, zero(variable.ty)));
                    }
                    _ => {}
                }
            }
            FlatStmt::Opaque { writes, .. } => {
                code.push(statement.clone());
                for &v in writes {
                    if let Some(t) = self.scope.derivative_place(&Place::whole(v))
                        && self.scope.wanted.contains(v.index())
                    {
                        code.push(Stmt::assign(t, zero(original.variable(v).ty)));
                    }
                }
            }
            FlatStmt::Stop { .. } => code.push(statement.clone()),
        }
        Ok(())
    }

    /// The tangent before the assignment. An unallocated array whose tangent is a scalar (zero, say)
    /// takes its shape from the primal, so there the tangent comes after.
    fn assignment(
        &mut self,
        original: &Routine,
        statement: &Stmt,
        target: &Place,
        mut tangent: Vec<Stmt>,
        code: &mut Vec<Stmt>,
    ) {
        let variable = original.variable(target.var);
        let allocates = target.subscripts.is_empty()
            && matches!(variable.role, Role::Local)
            && variable
                .shape
                .iter()
                .any(|d| matches!(d.extent, Extent::Deferred));
        let scalar = tangent.last().is_some_and(|s| {
            let assignment = s.kind.assignment();
            assignment.is_some_and(|(_, value)| self.scope.rank(value) == 0)
        });
        let shape = self.scope.derivative_place(target);
        match (allocates && scalar, shape, tangent.pop()) {
            (true, Some(target_t), Some(last)) => {
                let StmtKind::Assign { value, .. } = last.kind else {
                    return;
                };
                let ty = variable.ty;
                let d = self.scope.scalar_temporary(ty);
                code.extend(tangent);
                code.push(Stmt::assign(Place::whole(d), value));
                code.push(statement.clone());
                code.push(Stmt::assign(target_t.clone(), Expr::Place(target.clone())));
                code.push(Stmt::assign(target_t, Expr::var(d)));
            }
            (_, _, last) => {
                code.extend(tangent);
                code.extend(last);
                code.push(statement.clone());
            }
        }
    }

    fn call(
        &mut self,
        statement: &Stmt,
        callee: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<&Place>,
        code: &mut Vec<Stmt>,
    ) -> Result<(), Failure> {
        let called = self.program.routine(callee);
        if self.is_passive_call(called, arguments) {
            code.push(statement.clone());
            return Ok(());
        }
        let user = called.derivatives.as_ref().and_then(|d| d.tangent);
        if let Some(tangent) = user.or(self.ids[callee.index()]) {
            if result.is_some() {
                results::known(called)?;
            }
            let result = result.map(|r| Some(Expr::Place(r.clone())));
            let mut all: Vec<Option<Expr>> = arguments.iter().cloned().chain(result).collect();
            let formals: Vec<VarId> = called.parameter_ids().chain(called.result).collect();
            let tangents: Vec<Option<Expr>> = (formals.into_iter().zip(&all))
                .filter(|(p, _)| has_tangent(called.variable(*p)))
                .map(|(_, actual)| {
                    let place = actual.as_ref().and_then(as_place)?;
                    self.scope.derivative_place(place).map(Expr::Place)
                })
                .collect();
            all.extend(tangents);
            let mut around = Around::default();
            if user.is_some() {
                // A global may have a derivative under another name that shares some of its cells.
                let is_lost = |g: &GlobalId| {
                    self.tangent_globals[g.index()].is_some()
                        && self.summary.shares_cells(self.program, *g, self.varied)
                };
                let touched = self.summary.touched(callee).to_vec();
                if let Some(g) = touched.into_iter().find(is_lost) {
                    let message = format!(
                        "`{}` has a given tangent and uses the global `{}`, which has a derivative",
                        called.name,
                        self.program.global(g).variable.name
                    );
                    return Err((&codes::GIVEN, message));
                }
                // Arguments that the original does not write must keep their values: the given routine gets copies of
                // them.
                let formals = called.parameter_ids().chain(called.result);
                let formals: Vec<&Variable> = formals.map(|p| called.variable(p)).collect();
                let derived = (formals.iter()).filter(|v| has_tangent(v));
                let kept: Vec<bool> = (formals.iter().chain(derived))
                    .map(|v| v.intent() == Some(Intent::In))
                    .collect();
                self.scope.temporaries.reset();
                let given = self.program.routine(tangent);
                let wanted = |i: usize| match kept[i] {
                    true => Primal::Copy,
                    false => Primal::Itself,
                };
                protect(&mut self.scope, given, &mut all, wanted, &mut around)?;
            }
            code.extend(around.before);
            code.push(Stmt {
                annotations: statement.annotations.clone(),
                ..call_statement(tangent, all)
            });
            return Ok(());
        }
        if called.body.is_some() {
            code.push(statement.clone());
            return Ok(());
        }
        let reals = called
            .parameter_ids()
            .chain(called.result)
            .any(|p| called.variable(p).ty.is_real());
        if reals {
            let missing = || {
                (
                    &codes::EXTERNAL,
                    format!("`{}` has no body and no derivatives", called.name),
                )
            };
            let (Some(external), Some(result)) = (&called.external, result) else {
                return Err(missing());
            };
            if let Some(partials) = &external.partials {
                self.external(called, partials, arguments, result, code)?;
            } else if let Some(value) = &external.value {
                let value = bind_formals(value, &called.parameter_positions(), arguments);
                let tangent = assignment::tangent(&mut self.scope, result, &value)
                    .map_err(|Unsupported(m)| (&codes::EXPRESSION, m))?;
                code.extend(tangent);
            } else {
                return Err(missing());
            }
        }
        code.push(statement.clone());
        Ok(())
    }

    /// True of a call that writes no variable that is useful behind it. A call that gets a tape with a tangent does
    /// not count: pushes on both tapes belong together.
    fn is_passive_call(&self, called: &Routine, arguments: &[Option<Expr>]) -> bool {
        let formals = called.parameter_ids().map(|p| called.variable(p));
        let mut tapes = (formals.zip(arguments)).filter(|(formal, _)| formal.ty.is_tape());
        let is_active = |e: &Option<Expr>| {
            (e.as_ref().and_then(as_place)).is_some_and(|place| self.is_tape_active(place.var))
        };
        self.scope.exceptions.is_useless(self.scope.here) && !tapes.any(|(_, e)| is_active(e))
    }

    /// An external function's tangent from its partials, before the call.
    fn external(
        &mut self,
        called: &Routine,
        partials: &[cfg_core::ir::Partial],
        arguments: &[Option<Expr>],
        result: &Place,
        code: &mut Vec<Stmt>,
    ) -> Result<(), Failure> {
        let result_t = self.scope.derivative_place(result);
        let Some(result_t) = result_t.filter(|_| self.scope.is_target(result.var)) else {
            return Ok(());
        };
        let Some(returned) = called.result.map(|r| called.variable(r)) else {
            return Ok(());
        };
        let bound = Bound::new(called, arguments);
        let mut terms = Vec::new();
        for partial in partials {
            if let Some(Expr::Place(actual)) = bound.argument(partial.parameter)
                && self.scope.contributes(actual.var)
                && let Some(t) = self.scope.derivative_place(actual)
            {
                let ends = [called.variable(partial.parameter), returned];
                let partial = bound.partial(partial, &self.scope.routine)?;
                terms.push(contribution(Expr::Place(t), partial, ends, returned.ty));
            }
        }
        let ty = self.scope.routine.variable(result.var).ty;
        let value = sum(terms).unwrap_or_else(|| zero(ty));
        code.push(Stmt::assign(result_t, value));
        Ok(())
    }
}

/// Puts statements behind ENTRY: into the block that follows, if only ENTRY leads there, or into a new one.
fn behind_entry(mut cfg: Cfg, mut first: Vec<Stmt>) -> Cfg {
    let Some(entry) = cfg.entry() else {
        return cfg;
    };
    let next = cfg.successors(entry).next();
    if let Some(v) = next.filter(|&v| cfg.in_edges(v).len() == 1)
        && let VertexKind::Block(statements) = &mut cfg.vertex_mut(v).kind
    {
        first.append(statements);
        *statements = first;
        return cfg;
    }
    let mut graph = Editor::take_apart(cfg);
    graph.insert_behind(entry.index(), first);
    graph.finish()
}

pub(crate) fn has_tangent(v: &Variable) -> bool {
    v.ty.is_real() || v.ty == ScalarType::Tape
}
