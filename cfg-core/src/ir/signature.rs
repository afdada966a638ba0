//! The roles of the parameters of a generated routine.
//!
//! ```
//! use cfg_core::ir::{NameOrigin, NameRole, ParameterRole, Signature};
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::ir::ScalarType::Real;
//!
//! // A tangent that was written by hand, with the origins that `tangent` writes.
//! let mut f = RoutineBuilder::new("f");
//! let x = f.input("x", Real);
//! let y = f.output("y", Real);
//! f.assign(y, x * x);
//! let mut t = RoutineBuilder::new("f_t");
//! let [x, y] = [t.input("x", Real), t.output("y", Real)];
//! let [dx, dy] = [t.input("dx", Real), t.output("dy", Real)];
//! t.assign(dy, 2.0 * x * dx);
//! t.assign(y, x * x);
//! let mut program = ProgramBuilder::new();
//! let f = program.add(f);
//! let t = program.add(t);
//! let mut program = program.into_program()?;
//! let routine = &mut program.routines[t.index()];
//! routine.origin = Some(Box::new(NameOrigin::new(NameRole::Tangent, "f")));
//! for (v, of) in [(dx, "x"), (dy, "y")] {
//!     let variable = &mut routine.variables[v.index()];
//!     variable.origin = Some(Box::new(NameOrigin::new(NameRole::Tangent, of)));
//! }
//! let signature = Signature::from_origins(&program, t);
//! assert_eq!(signature.original, Some(f));
//! assert_eq!(signature.position(ParameterRole::Tangent(y)), Some(3));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

use super::{NameRole, Program, ScalarType, Variable};
use crate::entity::{RoutineId, VarId};
use std::collections::HashMap;

/// The role of a parameter of a routine. The variables are those of the original routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterRole {
    /// The parameter, or the result, of the original; of a routine that was not generated, its own parameter.
    Primal(VarId),
    /// The adjoint of the original's parameter or result.
    Adjoint(VarId),
    /// The tangent of the original's parameter or result.
    Tangent(VarId),
    /// The tape on which the forward sweep pushes and from which the reverse sweep pops.
    Tape,
    /// A parameter that is no tape and stands for no variable of the original: it has no origin, or one that names
    /// nothing there. If the program does not have the original, every parameter but the tape.
    Own(VarId),
}

/// The roles of the parameters of a routine, read from origins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The original of a generated routine, if the program still has it.
    pub original: Option<RoutineId>,
    /// The role of the routine towards the one that it was made from: a sweep, a gradient, a tangent.
    pub role: Option<NameRole>,
    /// The role of each parameter, in order.
    pub parameters: Vec<ParameterRole>,
}

impl Signature {
    /// The signature of a routine, also in a program that is not valid; a routine that does not exist has no
    /// parameters.
    ///
    /// The original is looked up by the name in the routine's origin. A parameter with the name of one of the
    /// original's parameters is primal whatever its origin says: generated names differ from all names of the
    /// original, and in a derivative of a derivative the adjoints of the first are primal. A renamed parameter names
    /// its original in its origin. Every other parameter has an origin of its own, or is the tape.
    pub fn from_origins(program: &Program, routine: RoutineId) -> Self {
        let this = program.routines.get(routine.index());
        let origin = this.and_then(|this| this.origin.as_deref());
        let mut named = program.routines.iter();
        let original = origin.and_then(|o| named.position(|r| r.name == o.of));
        Self::made_from(program, original.map(RoutineId::new), routine)
    }

    /// The signature of a routine that was made from a known one, or from none that the program has.
    pub fn made_from(program: &Program, original: Option<RoutineId>, routine: RoutineId) -> Self {
        let Some(this) = program.routines.get(routine.index()) else {
            return Self {
                original: None,
                role: None,
                parameters: Vec::new(),
            };
        };
        let origin = this.origin.as_deref();
        let theirs = original.and_then(|r| program.routines.get(r.index()));
        let interface = theirs.map(|r| r.parameter_ids().chain(r.result));
        let by_name: HashMap<&str, VarId> = (interface.into_iter().flatten())
            .filter_map(|v| {
                let variable = theirs?.variables.get(v.index())?;
                Some((variable.name.as_str(), v))
            })
            .collect();
        let primal = |variable: &Variable| {
            let renamed = variable.origin.as_deref();
            let renamed = renamed.filter(|o| o.role == NameRole::Primal);
            let same = by_name.get(variable.name.as_str());
            same.or_else(|| by_name.get(renamed?.of.as_str())).copied()
        };
        // The origin of a derivative may name a variable of the generated routine itself.
        let declared = |p: VarId| this.variables.get(p.index());
        let here: HashMap<&str, VarId> = (this.parameter_ids().filter_map(declared))
            .filter_map(|variable| Some((variable.name.as_str(), primal(variable)?)))
            .collect();
        let part = |p: VarId| {
            if origin.is_none() {
                return ParameterRole::Primal(p);
            }
            let Some(variable) = declared(p) else {
                return ParameterRole::Own(p);
            };
            if let Some(v) = primal(variable) {
                return ParameterRole::Primal(v);
            }
            let origin = variable.origin.as_deref();
            let of = origin.and_then(|o| here.get(o.of.as_str()).copied());
            let role = origin.map(|o| &o.role);
            if let (Some(NameRole::Adjoint), Some(v)) = (role, of) {
                ParameterRole::Adjoint(v)
            } else if let (Some(NameRole::Tangent), Some(v)) = (role, of) {
                ParameterRole::Tangent(v)
            } else if role.is_none() && variable.ty == ScalarType::Tape {
                ParameterRole::Tape
            } else {
                ParameterRole::Own(p)
            }
        };
        Self {
            original,
            role: origin.map(|o| o.role.clone()),
            parameters: this.parameter_ids().map(part).collect(),
        }
    }

    /// The position of the parameter that has this role.
    pub fn position(&self, role: ParameterRole) -> Option<usize> {
        self.parameters.iter().position(|&p| p == role)
    }

    /// The position among the parameters of the adjoint or tangent of each variable of the original.
    pub fn derivatives(&self) -> HashMap<VarId, usize> {
        let numbered = self.parameters.iter().enumerate();
        numbered
            .filter_map(|(k, role)| match *role {
                ParameterRole::Adjoint(v) | ParameterRole::Tangent(v) => Some((v, k)),
                ParameterRole::Primal(_) | ParameterRole::Tape | ParameterRole::Own(_) => None,
            })
            .collect()
    }
}
