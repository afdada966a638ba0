//! The tangent of one routine.

use cfg_core::{
    diagnostic::{
        CodeInfo, Diagnostic,
        site::{Element, Site},
    },
    entity::{GlobalId, RoutineId, VarId, VertexId},
    ir::{
        Cfg, Expr, Extent, Global, Intent, NameOrigin, NameRole, Op, Place, Program, Role, Routine,
        ScalarType, Stmt, StmtKind, Variable, VertexKind,
    },
    memory::global_set::GlobalSet,
    text,
};

use crate::{
    code::{
        expressions::{bind_formals, sum, zero},
        mark::Mark,
        rename::Rename,
        routines::call_statement,
    },
    codes,
    memory::summary::Summary,
    partials::{
        Unsupported, assignment,
        protect::{Around, Primal, protect},
        scope::Scope,
    },
    prepare::results,
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
    pub(super) scope: Scope,
    /// True if the graph is the one that was given.
    pub(super) same_graph: bool,
    pub(super) found: &'a mut Vec<Diagnostic>,
}

type Failure = (&'static CodeInfo, String);

impl<'a> Writer<'a> {
    pub(super) fn routine(mut self, name: String) -> Routine {
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
                    let first = code.len();
                    let mark = Mark::of(&statement, self.same_graph.then_some(number));
                    number += 1;
                    if let Err((info, message)) = self.statement(original, &statement, &mut code) {
                        let shown = text::stmt(original, self.program, &statement);
                        self.found.push(
                            Diagnostic::error(info, message, info.explanation)
                                .at_element(format!(
                                    "routine {}, vertex {}, statement `{shown}`",
                                    original.name, vertex.id
                                ))
                                .at_site_in(
                                    self.program,
                                    Site::of(self.id, Element::Statement(VertexId::new(v), s)),
                                ),
                        );
                    }
                    code[first..].iter_mut().for_each(|s| mark.put(s));
                }
                *statements = code;
            }
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
        let rename = Rename::parameters_first(routine.variables.len(), &order);
        rename.declarations(&mut routine);
        if let Some(cfg) = &mut cfg {
            rename.graph(cfg);
        }
        routine.body = cfg;
        routine
    }

    /// Every real variable and every tape has a tangent.
    fn add_tangents(&mut self) {
        let original = self.program.routine(self.id);
        for (v, variable) in original.variables.iter().enumerate() {
            let real = variable.ty.is_real();
            if !real && variable.ty != ScalarType::Tape {
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
                    self.scope.namer.suffixed(format!("{}_t", variable.name)),
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
            if real {
                self.scope.active.insert(v);
            }
        }
    }

    fn statement(
        &mut self,
        original: &Routine,
        statement: &Stmt,
        code: &mut Vec<Stmt>,
    ) -> Result<(), Failure> {
        let unsupported = |Unsupported(message)| (&codes::EXPRESSION, message);
        match &statement.kind {
            StmtKind::Assign { target, value } => {
                let tangent =
                    assignment::tangent(&mut self.scope, target, value).map_err(unsupported)?;
                self.assignment(original, statement, target, tangent, code);
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => self.call(statement, *callee, arguments, result.as_ref(), code)?,
            StmtKind::Push { tape, class, value } => {
                code.push(statement.clone());
                if !is_real_class(*class) {
                    return Ok(());
                }
                let Some(tape_t) = self.scope.derivative[tape.index()] else {
                    return Ok(());
                };
                let (before, value_t) =
                    assignment::tangent_of(&mut self.scope, value, None).map_err(unsupported)?;
                code.extend(before);
                code.push(Stmt::new(StmtKind::Push {
                    tape: tape_t,
                    class: *class,
                    value: value_t,
                }));
            }
            StmtKind::Pop {
                tape,
                class,
                target,
            } => {
                code.push(statement.clone());
                if let (Some(tape_t), Some(target_t), true) = (
                    self.scope.derivative[tape.index()],
                    self.scope.derivative_place(target),
                    is_real_class(*class),
                ) {
                    code.push(Stmt::new(StmtKind::Pop {
                        tape: tape_t,
                        class: *class,
                        target: target_t,
                    }));
                }
            }
            StmtKind::Opaque { writes, .. } => {
                code.push(statement.clone());
                for &v in writes {
                    if let Some(t) = self.scope.derivative_place(&Place::whole(v)) {
                        code.push(Stmt::assign(t, zero(original.variable(v).ty)));
                    }
                }
            }
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
        let scalar = tangent.last().is_some_and(|s| match &s.kind {
            StmtKind::Assign { value, .. } => self.scope.rank(value) == 0,
            StmtKind::Call { .. }
            | StmtKind::Push { .. }
            | StmtKind::Pop { .. }
            | StmtKind::Opaque { .. } => false,
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
        let user = called.derivatives.as_ref().and_then(|d| d.tangent);
        if let Some(tangent) = user.or(self.ids[callee.index()]) {
            if result.is_some() && user.is_none() {
                results::known(called)?;
            }
            let result = result.map(|r| Some(Expr::Place(r.clone())));
            let mut all: Vec<Option<Expr>> = arguments.iter().cloned().chain(result).collect();
            let formals = called.parameter_ids().chain(called.result);
            let tangents: Vec<Option<Expr>> = formals
                .zip(&all)
                .filter(|(p, _)| has_tangent(called.variable(*p)))
                .map(|(_, actual)| match actual {
                    Some(Expr::Place(place)) => self.scope.derivative_place(place).map(Expr::Place),
                    _ => None,
                })
                .collect();
            all.extend(tangents);
            let mut around = Around::default();
            if user.is_some() {
                let touched = self.summary.touched(callee);
                let mut lost = None;
                touched.each_common(self.varied, |g| {
                    lost = lost.or(self.tangent_globals[g.index()].map(|_| g));
                });
                if let Some(g) = lost {
                    let message = format!(
                        "`{}` has a given tangent and uses the global `{}`, which has a derivative",
                        called.name,
                        self.program.global(g).variable.name
                    );
                    return Err((&codes::GIVEN, message));
                }
                // What the original does not write stays as it is.
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
                self.external(partials, arguments, result, code);
            } else if let Some(value) = &external.value {
                let value = bind_formals(value, arguments);
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

    /// An external function's tangent from its partials, before the call.
    fn external(
        &mut self,
        partials: &[cfg_core::ir::Partial],
        arguments: &[Option<Expr>],
        result: &Place,
        code: &mut Vec<Stmt>,
    ) {
        let Some(result_t) = self.scope.derivative_place(result) else {
            return;
        };
        let mut terms = Vec::new();
        for partial in partials {
            if let Some(Some(Expr::Place(actual))) = arguments.get(partial.parameter.index())
                && let Some(t) = self.scope.derivative_place(actual)
            {
                let p = bind_formals(&partial.value, arguments);
                terms.push(Expr::op(Op::StrongMul, [Expr::Place(t), p]));
            }
        }
        let ty = self.scope.routine.variable(result.var).ty;
        let value = sum(terms).unwrap_or_else(|| zero(ty));
        code.push(Stmt::assign(result_t, value));
    }
}

pub(crate) fn has_tangent(v: &Variable) -> bool {
    v.ty.is_real() || v.ty == ScalarType::Tape
}

fn is_real_class(class: cfg_core::ir::TapeClass) -> bool {
    use cfg_core::ir::TapeClass;
    matches!(class, TapeClass::Real | TapeClass::Real32)
}
