//! Which parameter of a generated routine is what.
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
//! let signature = Signature::of(&program, t);
//! assert_eq!(signature.original, Some(f));
//! assert_eq!(signature.position(ParameterRole::Tangent(y)), Some(3));
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

use super::{NameRole, Program, ScalarType};
use crate::entity::{RoutineId, VarId};
use std::collections::HashMap;

/// What a parameter of a routine is. Variables are those of the routine that it was made from.
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
    /// A parameter that the original does not have, and of which no origin says what it is.
    Own(VarId),
}

/// The parameters of a routine, as the origins in its program say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The routine that it was made from, if it was generated and the program still has that.
    pub original: Option<RoutineId>,
    /// What it is to that: a sweep, a gradient, a tangent.
    pub role: Option<NameRole>,
    /// What each parameter is, in order.
    pub parameters: Vec<ParameterRole>,
}

impl Signature {
    /// The signature of a routine. Parameters have the names that they have in the original, which is looked up by
    /// its name; what it does not have is a tape or has an origin.
    pub fn of(program: &Program, routine: RoutineId) -> Self {
        let this = program.routine(routine);
        let own = |role: fn(VarId) -> ParameterRole| this.parameter_ids().map(role).collect();
        let Some(origin) = &this.origin else {
            return Self {
                original: None,
                role: None,
                parameters: own(ParameterRole::Primal),
            };
        };
        let role = Some(origin.role.clone());
        let mut named = program.routines.iter();
        let Some(original) = named.position(|r| r.name == origin.of).map(RoutineId::new) else {
            return Self {
                original: None,
                role,
                parameters: own(ParameterRole::Own),
            };
        };
        let theirs = program.routine(original);
        let interface = theirs.parameter_ids().chain(theirs.result);
        let by_name: HashMap<&str, VarId> = interface
            .map(|v| (theirs.variable(v).name.as_str(), v))
            .collect();
        let parameters = this.parameter_ids().map(|p| {
            let variable = this.variable(p);
            if let Some(&v) = by_name.get(variable.name.as_str()) {
                return ParameterRole::Primal(v);
            }
            let origin = variable.origin.as_deref();
            let of = origin.and_then(|o| by_name.get(o.of.as_str()).copied());
            match (origin.map(|o| &o.role), of) {
                (Some(NameRole::Adjoint), Some(v)) => ParameterRole::Adjoint(v),
                (Some(NameRole::Tangent), Some(v)) => ParameterRole::Tangent(v),
                (None, _) if variable.ty == ScalarType::Tape => ParameterRole::Tape,
                _ => ParameterRole::Own(p),
            }
        });
        Self {
            original: Some(original),
            role,
            parameters: parameters.collect(),
        }
    }

    /// The position of the parameter that has this role.
    pub fn position(&self, role: ParameterRole) -> Option<usize> {
        self.parameters.iter().position(|&p| p == role)
    }

    /// By variable of the original: the position of its adjoint or tangent among the parameters.
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
