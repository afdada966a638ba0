//! External functions of arrays and optional parameters, with routines for their derivatives.
//!
//! What an external function says of itself is written over its parameters. An array among these is bound as in any call: to a section, an
//! element and what is behind it, an expression, an array with other bounds, or more elements than it has itself; and what is optional may
//! be absent. So its partials become the bodies of an adjoint and a tangent routine, and its value, where it has no partials, its own
//! body. Of scalars the expressions are written where the call is, and so are partials of functions with optional
//! parameters: [`unbound`] says where that is not possible.

use cfg_core::{
    diagnostic::{CodeInfo, Diagnostics},
    entity::{RoutineId, VarId, VertexId},
    ir::{
        Derivatives, Dim, Edge, Expr, Intent, Op, Partial, Place, Role, Routine, Stmt, StmtKind,
        Variable, Vertex, VertexKind,
    },
    validate::{ValidProgram, validate},
};
use std::borrow::Cow;

use crate::{
    code::{
        built,
        expressions::{as_place, sum, zero},
        names::Namer,
    },
    codes,
};

/// The program in which external functions of arrays have routines for their derivatives, behind all others, or a body.
///
/// The routine to be differentiated stays as it is.
///
/// # Errors
/// What is made breaks a rule: a partial is too deep with what it is multiplied with.
pub(crate) fn with_routines(
    valid: &ValidProgram,
    main: RoutineId,
) -> Result<Cow<'_, ValidProgram>, Diagnostics> {
    let mut routines = valid.program().routines.iter().enumerate();
    if !routines.any(|(k, r)| k != main.index() && (needs_body(r) || needs_routines(r))) {
        return Ok(Cow::Borrowed(valid));
    }
    let mut program = valid.program().clone();
    let mut namer = Namer::new(valid.program().routines.iter().map(|r| r.name.as_str()));
    for (k, routine) in valid.program().routines.iter().enumerate() {
        let (Some(external), Some(result)) = (&routine.external, routine.result) else {
            continue;
        };
        // An external function is not differentiated itself.
        if k == main.index() {
            continue;
        }
        if let Some(partials) = &external.partials
            && needs_routines(routine)
        {
            let id = RoutineId::new(k);
            let mut derivatives = Derivatives::default();
            for is_adjoint in [true, false] {
                let suffix = if is_adjoint { "b" } else { "t" };
                let mut made = with_derivatives(routine, result, suffix);
                made.routine.name = namer.suffixed(format!("{}_{suffix}", routine.name));
                let statements = match is_adjoint {
                    true => made.adjoint(partials),
                    false => made.tangent(id, partials),
                };
                made.routine.body = Some(line(statements)?);
                let slot = match is_adjoint {
                    true => &mut derivatives.adjoint,
                    false => &mut derivatives.tangent,
                };
                *slot = Some(RoutineId::new(program.routines.len()));
                program.routines.push(made.routine);
            }
            program.routines[k].derivatives = Some(Box::new(derivatives));
        } else if let Some(value) = &external.value
            && needs_body(routine)
        {
            let assigned = Stmt::assign(Place::whole(result), value.clone());
            program.routines[k].body = Some(line(vec![assigned])?);
            program.routines[k].external = None;
        }
    }
    validate(program).map(Cow::Owned)
}

/// True of an external function that is known by its value and takes or returns an array, or takes what is optional.
fn needs_body(routine: &Routine) -> bool {
    let has_partials = (routine.external.as_ref()).is_some_and(|e| e.partials.is_some());
    let is_simple = |v: VarId| routine.variable(v).rank() == 0 && !is_optional(routine.variable(v));
    computes(routine)
        && !has_partials
        && !routine.parameter_ids().chain(routine.result).all(is_simple)
}

/// True of an external function that is known by its partials and takes or returns an array, and takes nothing optional.
fn needs_routines(routine: &Routine) -> bool {
    let has_partials = (routine.external.as_ref()).is_some_and(|e| e.partials.is_some());
    let is_scalar = |v: VarId| routine.variable(v).rank() == 0;
    computes(routine)
        && has_partials
        && !routine.parameter_ids().chain(routine.result).all(is_scalar)
        && !(routine.parameter_ids()).any(|v| is_optional(routine.variable(v)))
}

/// True of an external function that only reads its parameters and whose derivatives nobody gives.
fn computes(routine: &Routine) -> bool {
    let is_read = |v: VarId| routine.variable(v).intent() == Some(Intent::In);
    routine.external.is_some()
        && routine.derivatives.is_none()
        && routine.result.is_some()
        && routine.parameter_ids().all(is_read)
}

fn is_optional(variable: &Variable) -> bool {
    matches!(variable.role, Role::Parameter { optional: true, .. })
}

/// ENTRY, one block, EXIT.
fn line(statements: Vec<Stmt>) -> Result<cfg_core::ir::Cfg, Diagnostics> {
    let v = VertexId::new;
    built::graph(
        vec![
            Vertex::new(1, VertexKind::Entry),
            Vertex::new(2, VertexKind::Block(statements)),
            Vertex::new(3, VertexKind::Exit),
        ],
        vec![Edge::new(v(0), v(1), None), Edge::new(v(1), v(2), None)],
    )
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
    // Of the result an adjoint routine is told nothing.
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
            names.suffixed(format!("{}_{suffix}", variable.name)),
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
    /// A product of an array, for a scalar: what each of its elements contributes.
    fn summed(&self, term: Expr, of: VarId, to: VarId) -> Expr {
        let [of, to] = [of, to].map(|v| self.routine.variable(v).rank());
        match to == 0 && of > 0 {
            true => Expr::op(Op::Sum, [term]),
            false => term,
        }
    }

    /// The derivative of the result times each partial, on that of its parameter; then it is 0.
    fn adjoint(&self, partials: &[Partial]) -> Vec<Stmt> {
        let Some(of_result) = self.derivatives[self.result.index()] else {
            return Vec::new();
        };
        let mut statements = Vec::new();
        for partial in partials {
            if let Some(b) = self.derivatives[partial.parameter.index()] {
                let term = Expr::op(Op::StrongMul, [Expr::var(of_result), partial.value.clone()]);
                let term = self.summed(term, of_result, b);
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
        let mut terms = Vec::new();
        for partial in partials {
            if let Some(t) = self.derivatives[partial.parameter.index()] {
                let term = Expr::op(Op::StrongMul, [Expr::var(t), partial.value.clone()]);
                terms.push(self.summed(term, t, self.result));
            }
        }
        let mut statements = Vec::new();
        if let Some(of_result) = self.derivatives[self.result.index()] {
            let ty = self.routine.variable(of_result).ty;
            let value = sum(terms).unwrap_or_else(|| zero(ty));
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

/// A parameter for which the actual argument of a call cannot stand in the partial by `parameter`: an array that is handed anything
/// but a whole array with the same constant bounds, or one that may be absent.
pub(crate) fn unbound(
    called: &Routine,
    parameter: VarId,
    partial: &Expr,
    caller: &Routine,
    arguments: &[Option<Expr>],
) -> Option<VarId> {
    let positions = called.parameter_positions();
    let is_bound = |v: VarId| {
        let formal = called.variable(v);
        let actual = positions[v.index()].and_then(|k| arguments.get(k)?.as_ref());
        let is_whole = |place: &Place| {
            place.subscripts.is_empty() && is_alike(formal, caller.variable(place.var))
        };
        actual.is_some_and(|e| formal.rank() == 0 || as_place(e).is_some_and(is_whole))
    };
    let mut found = Some(parameter).filter(|v| !is_bound(*v));
    partial.walk_places(&mut |place| {
        found = found.or(Some(place.var).filter(|v| !is_bound(*v)));
    });
    // What may be absent is given, but the question is about a parameter of another routine.
    let mut asks = false;
    partial.walk(&mut |e| asks |= matches!(e, Expr::Op(Op::Present, _)));
    let mut optional = called
        .parameter_ids()
        .filter(|p| is_optional(called.variable(*p)));
    found.or_else(|| optional.next().filter(|_| asks))
}

fn is_alike(formal: &Variable, actual: &Variable) -> bool {
    let is_constant = |d: &Dim| d.lower.constant().is_some() && d.constant_extent().is_some();
    formal.shape == actual.shape
        && formal.order == actual.order
        && formal.shape.iter().all(is_constant)
}

/// What is said of a partial that cannot be used.
pub(crate) fn other_shape(called: &Routine, parameter: VarId) -> (&'static CodeInfo, String) {
    let message = format!(
        "a partial of `{}` needs `{}`, for which a call hands over no whole array with the same constant bounds, or which may be absent",
        called.name,
        called.variable(parameter).name
    );
    (&codes::EXTERNAL, message)
}
