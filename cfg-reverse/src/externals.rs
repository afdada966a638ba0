//! External functions of arrays, with routines for their derivatives.
//!
//! What an external function says of itself is written over its parameters. An array among these is bound as in any call: to a section, an
//! element and what is behind it, an expression, an array with other bounds, or more elements than it has itself. So its partials become
//! the bodies of an adjoint and a tangent routine, and its value, where it has no partials, its own body. Of scalars the expressions are
//! written where the call is.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{RoutineId, VarId, VertexId},
    ir::{
        Derivatives, Edge, Expr, Intent, Op, Partial, Place, Role, Routine, Stmt, StmtKind,
        Variable, Vertex, VertexKind,
    },
    validate::{ValidProgram, validate},
};
use std::borrow::Cow;

use crate::code::{
    built,
    expressions::{sum, zero},
    names::Namer,
};

/// The program in which external functions of arrays have routines for their derivatives, behind all others, or a body.
///
/// # Errors
/// What is made breaks a rule: a partial is too deep with what it is multiplied with.
pub(crate) fn with_routines(valid: &ValidProgram) -> Result<Cow<'_, ValidProgram>, Diagnostics> {
    if !valid.program().routines.iter().any(is_of_arrays) {
        return Ok(Cow::Borrowed(valid));
    }
    let mut program = valid.program().clone();
    let mut namer = Namer::new(valid.program().routines.iter().map(|r| r.name.as_str()));
    for (k, routine) in valid.program().routines.iter().enumerate() {
        let (Some(external), Some(result)) = (&routine.external, routine.result) else {
            continue;
        };
        if !is_of_arrays(routine) {
            continue;
        }
        if let Some(partials) = &external.partials {
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
        } else if let Some(value) = &external.value {
            let assigned = Stmt::assign(Place::whole(result), value.clone());
            program.routines[k].body = Some(line(vec![assigned])?);
            program.routines[k].external = None;
        }
    }
    validate(program).map(Cow::Owned)
}

/// True of an external function with a scalar result that takes an array, and whose derivatives nobody gives.
fn is_of_arrays(routine: &Routine) -> bool {
    let is_scalar = |v: VarId| routine.variable(v).rank() == 0;
    let is_read = |v: VarId| {
        let required = Role::Parameter {
            intent: Intent::In,
            optional: false,
        };
        routine.variable(v).role == required
    };
    routine.external.is_some()
        && routine.derivatives.is_none()
        && routine.result.is_some_and(is_scalar)
        && routine.parameter_ids().all(is_read)
        && !routine.parameter_ids().all(is_scalar)
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
    /// The derivative of the result times each partial, on that of its parameter; then it is 0.
    fn adjoint(&self, partials: &[Partial]) -> Vec<Stmt> {
        let Some(of_result) = self.derivatives[self.result.index()] else {
            return Vec::new();
        };
        let mut statements = Vec::new();
        for partial in partials {
            if let Some(b) = self.derivatives[partial.parameter.index()] {
                let term = Expr::op(Op::StrongMul, [Expr::var(of_result), partial.value.clone()]);
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
                terms.push(match self.routine.variable(t).rank() {
                    0 => term,
                    _ => Expr::op(Op::Sum, [term]),
                });
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
