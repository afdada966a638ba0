//! The adjoints of calls: of sweeps, of routines that the user gives, of external functions.

use cfg_core::{
    diagnostic::CodeInfo,
    entity::{LocationId, RoutineId, VarId},
    flat::FlatExpr,
    ir::{Expr, Intent, Op, Place, Role, Routine, Stmt, Variable},
};
use std::collections::HashSet;

use crate::{
    code::{
        expressions::{as_place, bind_formals, zero},
        routines::call_statement,
    },
    codes,
    externals::{Bound, contribution},
    memory::summary::given_adjoint,
    partials::{
        Unsupported,
        assignment::{self, Given},
        protect::{Around, Primal, accumulate, keep, protect},
    },
    plan::{
        adjoints::{Reads, StatementAdjoint, StatementCode, Written, read_by_subscripts},
        draft::Draft,
    },
    prepare::{context::Context, results},
};

/// The place of the adjoint of an actual argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Where {
    /// The adjoint lies in cells that any parameter or global may have: a call hands this routine one storage twice.
    Anywhere,
    /// The adjoint lies in cells of this location.
    At(LocationId),
}

impl<'p> Draft<'p> {
    pub(super) fn call(
        &mut self,
        context: &Context,
        routine: &Routine,
        callee: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<&Place>,
    ) -> Result<Written, (&'static cfg_core::diagnostic::CodeInfo, String)> {
        let called = context.program.routine(callee);
        // A callee that records a global inside has pushed it even if no derivative comes back: only its reverse
        // sweep pops.
        let records = context.sweeps[callee.index()].is_some()
            && context
                .summary
                .written(callee)
                .intersects(&context.recorded_inside);
        if self.scope.exceptions.is_useless(self.scope.here) && !records {
            return Ok(Default::default());
        }
        if let Some(adjoint) = given_adjoint(called) {
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
            let fwd = call_statement(forward, primal.collect());
            let rev = call_statement(reverse, self.with_adjoints(arguments, called, result, true));
            let code = StatementCode {
                forward: Some(Box::new([fwd])),
                reads_after: read_by_subscripts(&self.locations, arguments),
                ..StatementCode::default()
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
        let (Some(external), Some(result), Some(returned)) =
            (&called.external, result, called.result)
        else {
            return Err((
                &codes::EXTERNAL,
                format!("`{}` has no body and no derivatives", called.name),
            ));
        };
        let Some(partials) = &external.partials else {
            let Some(value) = &external.value else {
                return Err((
                    &codes::EXTERNAL,
                    format!("`{}` has no body and no derivatives", called.name),
                ));
            };
            let value = bind_formals(value, &called.parameter_positions(), arguments);
            let reverse = assignment::adjoint(&mut self.scope, result, &value, Given::Nothing)
                .map_err(|Unsupported(m)| (&codes::EXPRESSION, m))?;
            return Ok(self.before(reverse));
        };
        let mut reverse = Vec::new();
        if let Some(result_b) = self.scope.derivative_place(result) {
            let bound = Bound::new(called, arguments);
            let returned = called.variable(returned);
            for partial in partials {
                let Some(Expr::Place(actual)) = bound.argument(partial.parameter) else {
                    continue;
                };
                if !self.scope.contributes(actual.var) {
                    continue;
                }
                if let Some(b) = self.scope.derivative_place(actual) {
                    let ends = [returned, called.variable(partial.parameter)];
                    let partial = bound.partial(partial, routine)?;
                    let derivative = Expr::Place(result_b.clone());
                    let term = contribution(derivative, partial, ends, returned.ty);
                    let value = Expr::op(Op::Add, [Expr::Place(b.clone()), term]);
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
        context: &Context,
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
}

impl<'p> Draft<'p> {
    /// A call whose adjoint is a routine that the user gives.
    pub(crate) fn given(
        &mut self,
        context: &Context,
        routine: &Routine,
        callee: RoutineId,
        adjoint: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<&Place>,
    ) -> Result<Written, (&'static CodeInfo, String)> {
        let called = context.program.routine(callee);
        let touched = self.globals.variables_in(context.summary.touched(callee));
        // Adjoints ask whether the storage of a global is active, tangents whether its cells are. A tangent is lost
        // only if some statement gives the cells one. The adjoint of a cell grows wherever the cell is read, even if
        // no statement assigns it: in an active storage the adjoints of all cells come out of the reverse sweep, and
        // would lack the part that the given adjoint does not add.
        let mut globals = touched.iter();
        if let Some(v) = globals.find(|v| context.is_active(self.id, routine, **v)) {
            let message = format!(
                "`{}` has a given adjoint and uses the global `{}`, which has a derivative",
                called.name,
                routine.variable(*v).name
            );
            return Err((&codes::GIVEN, message));
        }
        if !self.touches_active(context, called, callee) {
            return Ok(Default::default());
        }
        self.scope.temporaries.reset();
        let given_routine = context.program.routine(adjoint);
        let mut all = self.with_adjoints(arguments, called, result, false);
        let primal = arguments.len() + usize::from(result.is_some());
        let mut around = Around::default();
        let scope = &mut self.scope;
        // Two adjoints share cells exactly if their actuals have one location. Parameters and globals are an
        // exception: a call of this routine may hand it one storage twice, and then their adjoints may share cells,
        // too.
        let overlapping = context.overlapping.contains(self.id.index());
        let formals = called.parameter_ids().chain(called.result);
        let real: Vec<(&Variable, Option<Where>)> = (formals.zip(&all))
            .map(|(p, actual)| (called.variable(p), actual))
            .filter(|(formal, _)| formal.ty.is_real())
            .map(|(formal, actual)| {
                let place = actual.as_ref().and_then(as_place);
                let at = |p: &Place| match scope.routine.variable(p.var).role {
                    Role::Parameter { .. } | Role::Global(_) if overlapping => Where::Anywhere,
                    Role::Parameter { .. } | Role::Global(_) | Role::Local => {
                        Where::At(scope.locations.of_variable(p.var))
                    }
                };
                (formal, place.map(at))
            })
            .collect();
        // The reverse sweep has not restored the values of `out` parameters and of the result.
        let wanted = |i: usize| match called.parameter_ids().nth(i) {
            _ if i >= primal => Primal::Itself,
            Some(p) if called.variable(p).intent() != Some(Intent::Out) => Primal::Copy,
            Some(_) | None => Primal::Unspecified,
        };
        protect(scope, given_routine, &mut all, wanted, &mut around)?;
        // Actuals that are only read may overlap; their adjoints, which are incremented, may not.
        let adjoints: Vec<_> = (real.into_iter().zip(&mut all[primal..]))
            .filter_map(|((formal, at), e)| Some((formal, at?, e)))
            .filter(|(_, _, e)| e.is_some())
            .collect();
        let is_read = |formal: &Variable| formal.intent() == Some(Intent::In);
        // Adjoints of written parameters keep their cells. Among the other adjoints the first one of each location
        // does, too; the rest become zeros that are added to the cells after the call.
        let changed = adjoints.iter().filter(|(formal, ..)| !is_read(formal));
        let mut taken: HashSet<Where> = changed.map(|&(_, at, _)| at).collect();
        for (formal, at, e) in adjoints {
            if is_read(formal) && !taken.insert(at) {
                accumulate(scope, formal, e, &mut around);
            }
        }
        let written = context.summary.written(adjoint);
        for v in self.globals.variables_in(written) {
            keep(scope, v, &mut around);
        }
        let reads_before = Reads::default().with(|add| {
            let mut add = |v| {
                self.locations
                    .each_location(&Place::whole(v), &mut |l| add(l.index() as u32));
            };
            each_read(called, arguments, &mut add);
            touched.iter().for_each(|&v| add(v));
        });
        let Around { before, after } = around;
        let code = StatementCode {
            reads_before,
            ..StatementCode::default()
        };
        let adjoint = StatementAdjoint {
            before_pops: Vec::new(),
            code: (before
                .into_iter()
                .chain([call_statement(adjoint, all)])
                .chain(after))
            .collect(),
            after_pops: true,
        };
        Ok((code, adjoint))
    }
}

/// Variables whose values a user's adjoint routine reads.
fn each_read(called: &Routine, arguments: &[Option<Expr>], mut visit: impl FnMut(VarId)) {
    for (p, argument) in called.parameter_ids().zip(arguments) {
        let Some(argument) = argument else { continue };
        let out = called.variable(p).intent() == Some(Intent::Out);
        match FlatExpr::view(argument) {
            FlatExpr::Place(place) => {
                if !out {
                    visit(place.var);
                }
                for e in place.subscript_exprs() {
                    e.walk_places(&mut |p| visit(p.var));
                }
            }
            FlatExpr::Constant(_) | FlatExpr::Op(..) => {
                argument.walk_places(&mut |p| visit(p.var));
            }
        }
    }
}
