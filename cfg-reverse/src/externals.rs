//! External functions of arrays and optional parameters, with routines for their derivatives.
//!
//! An external function states its value and its partials over its parameters. An array parameter is bound as in any
//! call: to a section, an element and those behind it, an expression, an array with other bounds or with more
//! elements; an optional parameter may be absent. Therefore the partials become the bodies of an adjoint and a
//! tangent routine, and the value, if there are no partials, the body of the function itself. Functions of scalars
//! need no routine: their expressions are written at the call. The same is done with partials of functions with
//! optional parameters, where [`Bound::unbound`] permits it.

use cfg_core::{
    diagnostic::{CodeInfo, Diagnostics},
    edit::Editor,
    entity::{RoutineId, VarId},
    flat::Flat,
    ir::{
        Dim, Expr, Intent, Op, Partial, Place, Program, Role, Routine, ScalarType, Stmt, StmtKind,
        Variable,
    },
    validate::validate,
};
use fixedbitset::FixedBitSet;

use crate::{
    code::{
        expressions::{as_place, bind_formals, sum, to_real, zero},
        names::Namer,
    },
    codes,
};

/// The program in which external functions of arrays have routines for their derivatives, behind all others, or a body.
///
/// The routine to be differentiated stays as it is.
///
/// # Errors
/// A routine that is made breaks a rule: a partial, multiplied with a derivative, is too deep.
pub(crate) fn with_routines(flat: &Flat, main: RoutineId) -> Result<Flat, Diagnostics> {
    let routines = &flat.program().routines;
    let is_new = |r: &Routine| needs_body(r) || needs_routines(r);
    if !routines.iter().any(is_new) {
        return Ok(flat.clone());
    }
    let mut wanted = called(flat.program());
    // An external function is not differentiated itself.
    wanted.remove(main.index());
    if !wanted.ones().any(|k| is_new(&routines[k])) {
        return Ok(flat.clone());
    }
    let mut program = flat.program().clone();
    let mut namer = Namer::new(flat.program().routines.iter().map(|r| r.name.as_str()));
    for (k, routine) in flat.program().routines.iter().enumerate() {
        let (Some(external), Some(result)) = (&routine.external, routine.result) else {
            continue;
        };
        if !wanted.contains(k) {
            continue;
        }
        if let Some(partials) = &external.partials
            && needs_routines(routine)
        {
            let id = RoutineId::new(k);
            let mut derivatives = routine.derivatives.as_deref().copied().unwrap_or_default();
            for is_adjoint in [true, false] {
                let slot = match is_adjoint {
                    true => &mut derivatives.adjoint,
                    false => &mut derivatives.tangent,
                };
                // A derivative routine that the user gives is called as it is.
                if slot.is_some() {
                    continue;
                }
                let suffix = if is_adjoint { "b" } else { "t" };
                let mut made = with_derivatives(routine, result, suffix);
                made.routine.name = namer.fresh_name(format!("{}_{suffix}", routine.name));
                let statements = match is_adjoint {
                    true => made.adjoint(partials),
                    false => made.tangent(id, partials),
                };
                made.routine.body = Some(Editor::line([statements]));
                *slot = Some(RoutineId::new(program.routines.len()));
                program.routines.push(made.routine);
            }
            program.routines[k].derivatives = Some(Box::new(derivatives));
        } else if let Some(value) = &external.value
            && needs_body(routine)
        {
            let assigned = Stmt::assign(Place::whole(result), value.clone());
            program.routines[k].body = Some(Editor::line([vec![assigned]]));
            program.routines[k].external = None;
        }
    }
    Flat::made(validate(program)?, flat.provenance().clone())
}

/// The routines that are called.
fn called(program: &Program) -> FixedBitSet {
    let mut called = FixedBitSet::with_capacity(program.routines.len());
    for routine in &program.routines {
        let callees = routine.statements().filter_map(|s| s.kind.callee());
        called.extend(callees.map(RoutineId::index));
    }
    called
}

/// True of an external function that states its value and has an array parameter, an array result or an optional
/// parameter.
fn needs_body(routine: &Routine) -> bool {
    let has_partials = (routine.external.as_ref()).is_some_and(|e| e.partials.is_some());
    let is_simple = |v: VarId| routine.variable(v).rank() == 0 && !is_optional(routine.variable(v));
    computes(routine)
        && !has_partials
        && !routine.parameter_ids().chain(routine.result).all(is_simple)
}

/// True of an external function that states its partials, has an array parameter or an array result, and no parameter
/// that is optional or may be written.
fn needs_routines(routine: &Routine) -> bool {
    let has_partials = (routine.external.as_ref()).is_some_and(|e| e.partials.is_some());
    let is_scalar = |v: VarId| routine.variable(v).rank() == 0;
    let is_read = |v: VarId| routine.variable(v).intent() == Some(Intent::In);
    computes(routine)
        && has_partials
        && routine.parameter_ids().all(is_read)
        && !routine.parameter_ids().chain(routine.result).all(is_scalar)
        && !(routine.parameter_ids()).any(|v| is_optional(routine.variable(v)))
}

/// True of an external function that lacks a given derivative routine.
fn computes(routine: &Routine) -> bool {
    let is_given = (routine.derivatives.as_deref())
        .is_some_and(|given| given.adjoint.is_some() && given.tangent.is_some());
    routine.external.is_some() && !is_given && routine.result.is_some()
}

fn is_optional(variable: &Variable) -> bool {
    matches!(variable.role, Role::Parameter { optional: true, .. })
}

/// A derivative routine without a body, with the numbers of variables that the function has.
struct Made {
    routine: Routine,
    result: VarId,
    /// The derivative of each variable that has one.
    derivatives: Vec<Option<VarId>>,
}

/// The parameters of the function and its result, then the derivatives of the real ones.
fn with_derivatives(of: &Routine, result: VarId, suffix: &str) -> Made {
    let mut routine = Routine {
        variables: of.variables.clone(),
        parameters: of.parameters.clone(),
        at: of.at.clone(),
        ..Routine::default()
    };
    let is_adjoint = suffix == "b";
    let [given, wanted] = match is_adjoint {
        true => [Intent::InOut, Intent::InOut],
        false => [Intent::In, Intent::Out],
    };
    let parameter = |intent| Role::Parameter {
        intent,
        optional: false,
    };
    // An adjoint routine gets no value of the result.
    routine.variables[result.index()].role = parameter(wanted);
    routine.parameters.push(result);
    let mut names = Namer::new(of.variables.iter().map(|v| v.name.as_str()));
    let mut derivatives = vec![None; of.variables.len()];
    for v in of.parameter_ids().chain([result]) {
        let variable = of.variable(v);
        if !variable.ty.is_real() {
            continue;
        }
        let intent = if v == result { wanted } else { given };
        let mut derivative = Variable::new(
            names.fresh_name(format!("{}_{suffix}", variable.name)),
            variable.ty,
            variable.shape.clone(),
            parameter(intent),
        );
        derivative.order = variable.order;
        derivatives[v.index()] = Some(routine.add_variable(derivative));
    }
    Made {
        routine,
        result,
        derivatives,
    }
}

impl Made {
    /// The contribution of one variable's derivative to that of another one.
    fn contribution(&self, from: VarId, to: VarId, partial: &Partial) -> Expr {
        let ends = [from, to].map(|v| self.routine.variable(v));
        let result = self.routine.variable(self.result).ty;
        contribution(Expr::var(from), partial.value.clone(), ends, result)
    }

    /// Increments the derivative of each parameter by its partial times the derivative of the result, which is then
    /// set to 0.
    fn adjoint(&self, partials: &[Partial]) -> Vec<Stmt> {
        let Some(of_result) = self.derivatives[self.result.index()] else {
            return Vec::new();
        };
        let mut statements = Vec::new();
        for partial in partials {
            if let Some(b) = self.derivatives[partial.parameter.index()] {
                let term = self.contribution(of_result, b, partial);
                let value = Expr::op(Op::Add, [Expr::var(b), term]);
                statements.push(Stmt::assign(Place::whole(b), value));
            }
        }
        let ty = self.routine.variable(of_result).ty;
        statements.push(Stmt::assign(Place::whole(of_result), zero(ty)));
        statements
    }

    /// The sum of the derivatives of the parameters times their partials, and the function itself.
    fn tangent(&self, function: RoutineId, partials: &[Partial]) -> Vec<Stmt> {
        let mut statements = Vec::new();
        if let Some(of_result) = self.derivatives[self.result.index()] {
            let terms = partials.iter().filter_map(|partial| {
                let t = self.derivatives[partial.parameter.index()]?;
                Some(self.contribution(t, of_result, partial))
            });
            let ty = self.routine.variable(of_result).ty;
            let value = sum(terms.collect()).unwrap_or_else(|| zero(ty));
            statements.push(Stmt::assign(Place::whole(of_result), value));
        }
        let parameters = self.routine.parameter_ids();
        let primal = parameters.take_while(|&p| p != self.result);
        statements.push(Stmt::new(StmtKind::Call {
            callee: function,
            arguments: primal.map(|p| Some(Expr::var(p))).collect(),
            result: Some(Place::whole(self.result)),
        }));
        statements
    }
}

/// The contribution of one derivative to another by a partial, which has the type of the function's result. The
/// contribution is converted to the precision of the other derivative and, if that is a scalar, summed over all
/// elements.
pub(crate) fn contribution(
    derivative: Expr,
    partial: Expr,
    [from, to]: [&Variable; 2],
    result: ScalarType,
) -> Expr {
    let derivative = in_precision(derivative, from.ty, result);
    let term = Expr::op(Op::StrongMul, [derivative, partial]);
    let term = match to.rank() == 0 && from.rank() > 0 {
        true => Expr::op(Op::Sum, [term]),
        false => term,
    };
    in_precision(term, result, to.ty)
}

fn in_precision(e: Expr, from: ScalarType, to: ScalarType) -> Expr {
    match from == to {
        true => e,
        false => to_real(e, to),
    }
}

/// A call of an external function whose partials are rewritten over the arguments.
pub(crate) struct Bound<'a> {
    called: &'a Routine,
    arguments: &'a [Option<Expr>],
    /// The positions of the variables among the parameters.
    positions: Vec<Option<usize>>,
    /// The first parameter that is optional.
    optional: Option<VarId>,
}

impl<'a> Bound<'a> {
    pub(crate) fn new(called: &'a Routine, arguments: &'a [Option<Expr>]) -> Self {
        let mut parameters = called.parameter_ids();
        Self {
            called,
            arguments,
            positions: called.parameter_positions(),
            optional: parameters.find(|v| is_optional(called.variable(*v))),
        }
    }

    /// The argument for a parameter, if there is one.
    pub(crate) fn argument(&self, parameter: VarId) -> Option<&'a Expr> {
        let position = self.positions[parameter.index()];
        position.and_then(|k| self.arguments.get(k)?.as_ref())
    }

    /// A partial over the arguments of a call in `caller`.
    pub(crate) fn partial(
        &self,
        partial: &Partial,
        caller: &Routine,
    ) -> Result<Expr, (&'static CodeInfo, String)> {
        match self.unbound(partial, caller) {
            Some(v) => Err(other_shape(self.called, v)),
            None => Ok(bind_formals(
                &partial.value,
                &self.positions,
                self.arguments,
            )),
        }
    }

    /// A parameter whose argument cannot stand in the partial: an array that gets anything but a whole array of the
    /// same constant bounds, or a parameter that may be absent.
    fn unbound(&self, partial: &Partial, caller: &Routine) -> Option<VarId> {
        let is_bound = |v: VarId| {
            let formal = self.called.variable(v);
            let is_whole = |place: &Place| {
                place.subscripts.is_empty() && is_alike(formal, caller.variable(place.var))
            };
            self.argument(v)
                .is_some_and(|e| formal.rank() == 0 || as_place(e).is_some_and(is_whole))
        };
        let mut found = Some(partial.parameter).filter(|v| !is_bound(*v));
        partial.value.walk_places(&mut |place| {
            found = found.or(Some(place.var).filter(|v| !is_bound(*v)));
        });
        // The argument is given, but `present` would ask about a parameter of another routine.
        let mut asks = false;
        (partial.value).walk(&mut |e| asks |= matches!(e, Expr::Op(Op::Present, _)));
        found.or_else(|| self.optional.filter(|_| asks))
    }
}

fn is_alike(formal: &Variable, actual: &Variable) -> bool {
    let is_constant = |d: &Dim| d.lower.constant().is_some() && d.constant_extent().is_some();
    formal.shape == actual.shape
        && formal.order == actual.order
        && formal.shape.iter().all(is_constant)
}

/// The problem of a partial that cannot be used.
fn other_shape(called: &Routine, parameter: VarId) -> (&'static CodeInfo, String) {
    let message = format!(
        "a partial of `{}` needs `{}`, for which a call hands over no whole array with the same constant bounds, or which may be absent",
        called.name,
        called.variable(parameter).name
    );
    (&codes::EXTERNAL, message)
}
