//! Functions that are defined elsewhere, and derivatives that are given: routines that call what the user names.
//!
//! The adjoint of a routine in the representation takes the parameters, the result, and then the derivatives of those
//! that are real. An adjoint in C takes each derivative behind its parameter, and the derivative of the result as a
//! number. The routines made here adapt the one to the other.

use super::{Lower, routine::Body, value::Value};
use crate::{
    ast::{DeclId, Given},
    types::Arith,
};
use cfg_core::{
    builder::RoutineBuilder,
    entity::{RoutineId, VarId},
    ir::{
        Derivatives, Dim, Expr, Extent, External, Intent, Op, Place, Role, Routine, ScalarType,
        Variable,
    },
};
use std::{collections::HashSet, rc::Rc};

impl Body<'_, '_> {
    /// Makes a routine without a body for a function that is defined elsewhere.
    pub(super) fn declare_external(&mut self) {
        let of = &self.l.unit.functions[self.function];
        let passive = of.given.as_ref().is_some_and(|given| given.passive);
        let partials = passive.then(Vec::new);
        let real = |b: &Self, v: VarId| b.f.get(v).is_some_and(|v| v.ty.is_real());
        let result = self.result.is_some_and(|(v, _)| real(self, v));
        self.f.external(External {
            value: None,
            partials: partials.filter(|_| result),
        });
    }
}

/// The variables of an adapting routine: those of the original, its result, and their derivatives.
struct Made {
    f: RoutineBuilder,
    parameters: Vec<VarId>,
    result: Option<(VarId, ScalarType)>,
    /// The derivatives of the parameters and the result.
    derivatives: Vec<Option<VarId>>,
    result_derivative: Option<VarId>,
}

impl Lower<'_> {
    /// Declares the derivatives that are given.
    pub(super) fn declare_derivatives(&mut self, order: &[usize]) {
        let unit = self.unit;
        let name = |f: usize| &unit.decl(unit.functions[f].decl).name;
        let mut names: HashSet<String> = order.iter().map(|f| name(*f).to_string()).collect();
        for &f in order {
            let Some(given) = unit.functions[f].given.as_deref() else {
                continue;
            };
            if !given.has_derivatives() {
                continue;
            }
            let mut declare = |l: &mut Self, what: &str| {
                let mut unique = format!("{}_{what}", name(f));
                while !names.insert(unique.clone()) {
                    unique.push('_');
                }
                l.program.declare(unique)
            };
            let both = given.passive || !given.partials.is_empty();
            let tangent = (both || given.tangent.is_some()).then(|| declare(self, "tangent"));
            let adjoint = (both || given.adjoint.is_some()).then(|| declare(self, "adjoint"));
            self.derivatives.insert(f, Derivatives { tangent, adjoint });
        }
    }

    /// Writes the derivatives of a function that are given.
    pub(super) fn define_derivatives(&mut self, f: usize) {
        let Some(Derivatives { tangent, adjoint }) = self.derivatives.get(&f).copied() else {
            return;
        };
        let Some(given) = self.unit.functions[f].given.clone() else {
            return;
        };
        for (id, is_tangent) in [(tangent, true), (adjoint, false)] {
            let Some(id) = id else { continue };
            let name = self.program.program().routine(id).name.clone();
            let original = self.routines[&f];
            let made = made(self.program.program().routine(original), name, is_tangent);
            let f = match is_tangent {
                true => self.define_tangent(f, &given, made),
                false => self.define_adjoint(f, &given, made),
            };
            self.program.define(id, f);
        }
    }

    fn routine_of(&self, d: DeclId) -> Option<RoutineId> {
        let f = self.unit.decl(d).definition?;
        self.routines.get(&f).copied()
    }

    /// Writes calls that compute the partials of a function; returns the position of each parameter and the variable
    /// that has its partial.
    fn given_partials(&self, f: usize, given: &Given, made: &mut Made) -> Vec<(usize, VarId)> {
        let unit = self.unit;
        let names: Vec<&Rc<str>> = (unit.functions[f].parameters.iter())
            .map(|d| &unit.decl(*d).name)
            .collect();
        let mut found = Vec::new();
        for (name, d) in &given.partials {
            let position = names.iter().position(|n| *n == name);
            let (Some(k), Some(routine), Some(own)) =
                (position, self.routine_of(*d), unit.decl(*d).definition)
            else {
                continue;
            };
            // Parameters that the copy of the function lacks are left out of the call, too.
            let own = unit.functions[own].parameters.iter();
            let arguments = own.filter_map(|d| {
                let name = &unit.decl(*d).name;
                let k = names.iter().position(|n| *n == name)?;
                Some(Expr::var(made.parameters[k]))
            });
            let arguments: Vec<Expr> = arguments.collect();
            let partial = made.f.temporary(ScalarType::Real);
            made.f.call_function(partial, routine, arguments);
            found.push((k, partial));
        }
        found
    }

    fn define_adjoint(&self, f: usize, given: &Given, mut made: Made) -> RoutineBuilder {
        if given.passive {
            for k in 0..made.parameters.len() {
                if let Some(d) = made.derivatives[k]
                    && written(&made.f, made.parameters[k])
                {
                    made.zero(d);
                }
            }
        } else if let Some(g) = given.adjoint.and_then(|d| self.routine_of(d)) {
            let mut arguments = Vec::new();
            let mut back = Vec::new();
            for k in 0..made.parameters.len() {
                arguments.push(Expr::var(made.parameters[k]));
                let Some(d) = made.derivatives[k] else {
                    continue;
                };
                if rank(&made.f, d) > 0 {
                    arguments.push(Expr::var(d));
                    continue;
                }
                let own = made.one(d);
                made.zero(own);
                arguments.push(Expr::var(own));
                back.push((d, own));
            }
            arguments.extend(made.result_derivative.map(Expr::var));
            made.f.call(g, arguments);
            for (d, own) in back {
                let sum = Expr::op(Op::Add, [Expr::var(d), Expr::Place(own.at(0))]);
                made.f.assign(d, sum);
            }
        } else if let Some(seed) = made.result_derivative {
            for (k, partial) in self.given_partials(f, given, &mut made) {
                let Some(d) = made.derivatives[k] else {
                    continue;
                };
                let product = [made.double(seed), Expr::var(partial)];
                let product = Value::new(Expr::op(Op::StrongMul, product), Arith::Double, 2);
                let product = product.convert(arith(&made.f, d)).e;
                made.f.assign(d, Expr::op(Op::Add, [Expr::var(d), product]));
            }
        }
        if let Some(d) = made.result_derivative {
            made.zero(d);
        }
        made.f
    }

    fn define_tangent(&self, f: usize, given: &Given, mut made: Made) -> RoutineBuilder {
        if let Some(g) = given.tangent.and_then(|d| self.routine_of(d)) {
            let mut arguments = Vec::new();
            for k in 0..made.parameters.len() {
                arguments.push(Expr::var(made.parameters[k]));
                arguments.extend(made.derivatives[k].map(Expr::var));
            }
            let mut back = Vec::new();
            let result = made.result.map(|(v, _)| v);
            for v in result.into_iter().chain(made.result_derivative) {
                let own = made.one(v);
                arguments.push(Expr::var(own));
                back.push((v, own));
            }
            made.f.call(g, arguments);
            for (v, own) in back {
                made.f.assign(v, own.at(0));
            }
            return made.f;
        }
        let partials = self.given_partials(f, given, &mut made);
        if let Some(d) = made.result_derivative {
            let mut sum: Option<Expr> = None;
            for (k, partial) in partials {
                let Some(t) = made.derivatives[k] else {
                    continue;
                };
                let product = Expr::op(Op::StrongMul, [made.double(t), Expr::var(partial)]);
                sum = Some(match sum {
                    Some(sum) => Expr::op(Op::Add, [sum, product]),
                    None => product,
                });
            }
            match sum {
                Some(sum) => {
                    let sum = Value::new(sum, Arith::Double, 2)
                        .convert(arith(&made.f, d))
                        .e;
                    made.f.assign(d, sum);
                }
                None => made.zero(d),
            }
        }
        for k in 0..made.parameters.len() {
            if let Some(d) = made.derivatives[k]
                && written(&made.f, made.parameters[k])
            {
                made.zero(d);
            }
        }
        let arguments: Vec<Expr> = made.parameters.iter().map(|v| Expr::var(*v)).collect();
        let original = self.routines[&f];
        let arguments = arguments.into_iter().map(Some).collect();
        let result = made.result.map(|(v, _)| Place::whole(v));
        made.f.call_with(original, arguments, result);
        made.f
    }
}

impl Made {
    fn zero(&mut self, v: VarId) {
        let zero = match arith(&self.f, v) {
            Arith::Float => Expr::Real32(0.0),
            _ => Expr::Real(0.0),
        };
        self.f.assign(v, zero);
    }

    /// A real variable in double precision.
    fn double(&self, v: VarId) -> Expr {
        let value = Value::new(Expr::var(v), arith(&self.f, v), 1);
        value.convert(Arith::Double).e
    }

    /// An array of one number, like a variable: what C passes as its address.
    fn one(&mut self, like: VarId) -> VarId {
        let ty = self.f.get(like).map_or(ScalarType::Real, |v| v.ty);
        let name = match self.f.get(like) {
            Some(v) => format!("{}_cell", v.name),
            None => "cell".to_owned(),
        };
        let shape = vec![Dim {
            lower: Expr::Int(0),
            extent: Extent::Fixed(Expr::Int(1)),
        }];
        let variable = Variable::new(name, ty, shape, Role::Local);
        self.f.variable(variable)
    }
}

fn rank(f: &RoutineBuilder, v: VarId) -> usize {
    f.get(v).map_or(0, Variable::rank)
}

fn written(f: &RoutineBuilder, v: VarId) -> bool {
    f.get(v)
        .and_then(Variable::intent)
        .is_some_and(Intent::writes)
}

fn arith(f: &RoutineBuilder, v: VarId) -> Arith {
    match f.get(v).map(|v| v.ty) {
        Some(ScalarType::Real32) => Arith::Float,
        _ => Arith::Double,
    }
}

/// Declares the parameters of a derivative.
fn made(original: &Routine, name: String, tangent: bool) -> Made {
    let mut f = RoutineBuilder::new(name);
    if original.aliased {
        f.aliased();
    }
    let mut names: HashSet<String> = original.variables.iter().map(|v| v.name.clone()).collect();
    let mut free = |mut name: String| {
        while !names.insert(name.clone()) {
            name.push('_');
        }
        name
    };
    let mut parameters = Vec::new();
    for v in original.parameter_ids() {
        let mut variable = original.variable(v).clone();
        if let Role::Parameter { optional, .. } = &mut variable.role {
            *optional = false;
        }
        parameters.push(f.variable(variable));
    }
    let parameter = |intent: Intent| Role::Parameter {
        intent,
        optional: false,
    };
    let result = original.result.map(|v| {
        let result = original.variable(v);
        let role = parameter(match tangent {
            true => Intent::Out,
            false => Intent::In,
        });
        let own = Variable::new(result.name.clone(), result.ty, Vec::new(), role);
        (f.variable(own), result.ty)
    });
    let suffix = if tangent { "t" } else { "b" };
    let mut derivatives = Vec::new();
    for v in original.parameter_ids() {
        let of = original.variable(v);
        if !of.ty.is_real() {
            derivatives.push(None);
            continue;
        }
        let writes = of.intent().is_some_and(Intent::writes);
        let role = parameter(match writes || !tangent {
            true => Intent::InOut,
            false => Intent::In,
        });
        let name = free(format!("{}_{suffix}", of.name));
        let own = Variable {
            order: of.order,
            ..Variable::new(name, of.ty, of.shape.clone(), role)
        };
        derivatives.push(Some(f.variable(own)));
    }
    let mut result_derivative = None;
    if let Some((_, ty)) = result
        && ty.is_real()
    {
        let role = parameter(match tangent {
            true => Intent::Out,
            false => Intent::InOut,
        });
        let name = free(format!("result_{suffix}"));
        result_derivative = Some(f.variable(Variable::new(name, ty, Vec::new(), role)));
    }
    Made {
        f,
        parameters,
        result,
        derivatives,
        result_derivative,
    }
}
