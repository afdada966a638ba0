//! The adjoints of the statements of a routine, one by one.

use cfg_core::{
    dataflow::Position,
    diagnostic::{Diagnostic, site::Element},
    elemental,
    entity::VarId,
    flat::FlatStmt,
    ir::{Expr, Place, Routine, ScalarType, Stmt, StmtKind, TapeClass},
};
use std::{cmp::Reverse, collections::HashMap};

use crate::{
    blocks::{
        carried,
        jacobian::twin_of,
        preaccumulated::{Choice, write},
        price::{code_cost, tape_cost},
    },
    code::{
        expressions::{array_of_zeros, extent_of, is_library_function, zero},
        routines::{is_deferred, tape_class},
        typing,
    },
    codes,
    partials::{
        Unsupported,
        assignment::{self, Given},
        conform,
        linearize::{Nodes, Workspace},
        scope::forward_temporary,
    },
    plan::{
        adjoints::{Alternatives, StatementAdjoint, StatementCode, Written, primal_reads},
        draft::Draft,
        extents::check_extents,
        recorded::{pushed, width},
        steps::find_steps,
    },
    prepare::{context::Context, places::at_statement},
};

/// Most functions in front of one in its expression among which an equal one is looked for.
const MOST_EQUAL: usize = 16;

impl<'p> Draft<'p> {
    /// Writes the adjoint of every statement; the statements of a chosen segment get one adjoint together. Choices
    /// are in the order of the vertices and, within one, of the statements.
    pub(crate) fn write(
        &mut self,
        context: &Context,
        choices: &[Choice<'_>],
        found: &mut Vec<Diagnostic>,
    ) {
        let id = self.id;
        let routine = context.program.routine(id);
        check_extents(context, id, routine, found);
        let mut choices = choices.iter().peekable();
        let mut twins = HashMap::new();
        let mut carried = carried::code::write(self).unwrap_or_default();
        for (v, vertex) in self.cfg.vertices() {
            if let Some(row) = carried.remove(&v) {
                for forward in row {
                    let code = StatementCode {
                        forward: Some(forward.into()),
                        ..StatementCode::default()
                    };
                    self.push((code, StatementAdjoint::default()));
                }
                self.code.close();
                self.adjoints.close();
                continue;
            }
            let statements = vertex.statements();
            for (s, statement) in statements.iter().enumerate() {
                if s < self.code.open() {
                    continue;
                }
                let choice = choices
                    .next_if(|choice| choice.found.vertex == v && choice.found.range.start == s);
                if let Some(choice) = choice
                    && let Ok(together) = write(self, statements, choice, &mut twins)
                {
                    together.into_iter().for_each(|code| self.push(code));
                    continue;
                }
                self.scope.here = Position {
                    vertex: v,
                    statement: s,
                };
                match self.statement(context, routine, statement, &mut twins) {
                    Ok(code) => self.push(code),
                    Err((info, message)) => {
                        let problem = Diagnostic::error(info, message, info.explanation);
                        let (program, element) = (&context.program, Element::Statement(v, s));
                        let problem =
                            at_statement(problem, program, id, element, vertex.id, statement);
                        found.push(problem);
                        self.push(Default::default());
                    }
                }
            }
            self.code.close();
            self.adjoints.close();
        }
        self.find_with_adjoints();
        self.steps = find_steps(context, self);
        for variable in &self.forward.routine.variables[self.tape.index() + 1..] {
            self.namer.reserve(&variable.name);
        }
    }

    fn statement(
        &mut self,
        context: &Context,
        routine: &Routine,
        statement: &Stmt,
        twins: &mut HashMap<VarId, VarId>,
    ) -> Result<Written, (&'static cfg_core::diagnostic::CodeInfo, String)> {
        let unsupported = |Unsupported(message)| (&codes::EXPRESSION, message);
        match FlatStmt::view(&statement.kind) {
            FlatStmt::Assign { target, value } => {
                let reverse = assignment::adjoint(&mut self.scope, target, value, Given::Nothing)
                    .map_err(unsupported)?;
                let shaped =
                    target.subscripts.is_empty() && is_deferred(routine.variable(target.var));
                let mut ways = Vec::new();
                if !shaped {
                    // In ascending preference where they spare as much: a result may be at hand.
                    ways.extend(self.by_functions(routine, target, value, &reverse, twins));
                    ways.extend(self.by_partners(statement, &reverse, twins));
                    ways.extend(self.by_result(target, value, &reverse));
                    ways.sort_by_key(|(_, adjoint)| Reverse(code_cost(&adjoint.code)));
                }
                if !ways.is_empty() {
                    ways.insert(0, Written::default());
                    let (at, way) = (self.scope.here, 0);
                    self.alternatives.push(Alternatives { at, ways, way });
                }
                let code = self.before(reverse);
                if shaped {
                    return (self.reshaped(routine, statement, target, code)).map_err(unsupported);
                }
                Ok(code)
            }
            FlatStmt::Call {
                callee,
                arguments,
                result,
            } => self.call(context, routine, callee, arguments, result),
            FlatStmt::Push { .. } | FlatStmt::Pop { .. } => Err((
                &codes::TAPE,
                "the adjoint of a routine that uses a tape is not available".to_owned(),
            )),
            FlatStmt::Opaque { writes, .. } => {
                let reverse = writes
                    .iter()
                    .filter(|v| self.scope.wanted.contains(v.index()))
                    .filter_map(|&v| {
                        let b = self.scope.derivative_place(&Place::whole(v))?;
                        Some(Stmt::assign(b, zero(routine.variable(v).ty)))
                    })
                    .collect();
                Ok(self.before(reverse))
            }
            // A STOP ends the forward sweep, and no reverse sweep follows: there is no adjoint.
            FlatStmt::Stop { .. } => Ok(self.before(Vec::new())),
        }
    }

    /// The adjoint of an assignment by the value that it has assigned, if that takes less than `by_operands`.
    fn by_result(&mut self, target: &Place, value: &Expr, by_operands: &[Stmt]) -> Option<Written> {
        let Expr::Op(op, _) = value else { return None };
        let variables = &self.scope.routine.variables;
        let ty = typing::place_type(variables, target);
        if !elemental::reads_result(*op) || typing::expr_type(variables, value) != ty {
            return None;
        }
        let mut overlaps = false;
        value.walk_places(&mut |p| overlaps |= self.scope.locations.may_overlap(p, target));
        if overlaps && ty.rank > 0 {
            return None;
        }
        let given = if overlaps { Given::Copy } else { Given::Target };
        let mut code = assignment::adjoint(&mut self.scope, target, value, given).ok()?;
        if code_cost(&code) >= code_cost(by_operands) {
            return None;
        }
        let reads = |code: &[Stmt]| primal_reads(code, self.originals, &self.locations);
        if !overlaps {
            let code_of = StatementCode {
                reads_after: reads(&code),
                ..StatementCode::default()
            };
            let adjoint = StatementAdjoint {
                code,
                ..StatementAdjoint::default()
            };
            return Some((code_of, adjoint));
        }
        let rest = code.split_off(1);
        let code_of = StatementCode {
            reads_before: reads(&rest),
            reads_after: reads(&code),
            ..StatementCode::default()
        };
        let adjoint = StatementAdjoint {
            before_pops: code,
            code: rest,
            after_pops: true,
        };
        Some((code_of, adjoint))
    }

    /// The adjoint of an assignment from values of functions, which the forward sweep records, if that takes less than
    /// `by_operands`.
    fn by_functions(
        &mut self,
        routine: &Routine,
        target: &Place,
        value: &Expr,
        by_operands: &[Stmt],
        twins: &mut HashMap<VarId, VarId>,
    ) -> Option<Written> {
        let functions = assignment::functions(&mut self.scope, target, value);
        if functions.is_empty() {
            return None;
        }
        self.forward.temporaries.reset();
        let active = |v| self.scope.contributes(v);
        let mut nodes = Nodes::split(&routine.variables, value, &active, Workspace::default());
        let (mut recording, mut given) = (Recording::default(), Vec::new());
        for n in functions {
            let expr = nodes.nodes[n].expr;
            let (result, twin) = recording.record(self, nodes.rebuild(n), expr, twins);
            nodes.give(n, result);
            given.push((n, twin));
        }
        let last = Stmt::assign(target.clone(), nodes.value(nodes.root()));
        let given = Given::Functions(&given);
        let code = assignment::adjoint(&mut self.scope, target, value, given).ok()?;
        recording.finish(self, code, Some(last), by_operands)
    }

    /// An assignment that may change its target's shape: the target's extents before it go on the tape, and the
    /// reverse sweep gives them back to the target and its adjoint.
    fn reshaped(
        &mut self,
        routine: &Routine,
        statement: &Stmt,
        target: &Place,
        (mut code, mut adjoint): Written,
    ) -> Result<Written, Unsupported> {
        let variable = routine.variable(target.var);
        let integer = typing::ExprType {
            ty: ScalarType::Integer,
            rank: 0,
        };
        let mut forward = Vec::new();
        let mut extents = Vec::new();
        for k in 0..variable.rank() {
            forward.push(Stmt::new(StmtKind::Push {
                tape: self.tape,
                class: TapeClass::Integer,
                value: extent_of(target.var, k),
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
        let blank = array_of_zeros(variable.ty, extents.iter().cloned());
        adjoint
            .before_pops
            .push(Stmt::assign(target.clone(), blank));
        if let Some(b) = self.scope.derivative_place(target) {
            // A zero, or the adjoint of a reduction, is a scalar and would leave the adjoint in the new shape.
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
}

/// Values of functions that the forward sweep records for the adjoint of one assignment.
#[derive(Default)]
pub(super) struct Recording {
    forward: Vec<Stmt>,
    before_pops: Vec<Stmt>,
    /// Each function, with the variables that have its value in the forward and in the reverse sweep.
    known: Vec<(Expr, VarId, VarId)>,
    /// Bits of those of libraries.
    paid: u64,
}

impl Recording {
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Records the value of a function, which the forward sweep computes in this way, once; returns the variables that
    /// have it in the forward and in the reverse sweep.
    pub(super) fn record(
        &mut self,
        draft: &mut Draft<'_>,
        value: Expr,
        function: &Expr,
        twins: &mut HashMap<VarId, VarId>,
    ) -> (VarId, VarId) {
        let mut last = self.known.iter().rev().take(MOST_EQUAL);
        if let Some(&(_, result, twin)) = last.find(|(e, ..)| e == function) {
            return (result, twin);
        }
        let (scope, sweep, tape) = (&mut draft.scope, &mut draft.forward, draft.tape);
        let ty = typing::expr_type(&scope.routine.variables, function).ty;
        let result = forward_temporary(scope, sweep, "c", ty);
        let twin = twins.entry(result);
        let twin = *twin.or_insert_with(|| twin_of(scope, sweep, result, ty));
        let class = tape_class(ty);
        self.forward.push(Stmt::assign(Place::whole(result), value));
        let value = Expr::var(result);
        let push = StmtKind::Push { tape, class, value };
        self.forward.push(Stmt::new(push));
        let target = Place::whole(twin);
        let pop = StmtKind::Pop {
            tape,
            class,
            target,
        };
        self.before_pops.push(Stmt::new(pop));
        let mut is_long = false;
        function.walk(&mut |e| is_long |= is_library_function(e));
        self.paid += if is_long { width(class) } else { 0 };
        self.known.push((function.clone(), result, twin));
        (result, twin)
    }

    /// The assignment, whose forward sweep ends with `last` if something is recorded, and its adjoint, if that takes
    /// less than `by_operands`.
    pub(super) fn finish(
        mut self,
        draft: &Draft<'_>,
        code: Vec<Stmt>,
        last: Option<Stmt>,
        by_operands: &[Stmt],
    ) -> Option<Written> {
        let (cost, then) = (code_cost(&code), code_cost(by_operands));
        if cost >= then {
            return None;
        }
        let (mut written, mut adjoint) = draft.before(code);
        if let Some(last) = last {
            if then - cost >= tape_cost(pushed(&self.forward)) {
                written.paid = self.paid;
            }
            self.forward.push(last);
            self.before_pops.reverse();
            written.forward = Some(self.forward.into());
            adjoint.before_pops = self.before_pops;
        }
        Some((written, adjoint))
    }
}
