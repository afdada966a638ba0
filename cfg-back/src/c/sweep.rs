//! The kinds of functions of a derivative, and what a derivative was made from.

use super::Several;
use cfg_core::{
    entity::RoutineId,
    ir::{NameRole, ParameterRole, Program, Signature},
};
use std::collections::HashSet;

/// The kind of function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sweep {
    /// The forward sweep and the reverse sweep, one after the other.
    Gradient,
    /// The sweep that records.
    Forward,
    /// The sweep that computes adjoints.
    Reverse,
    /// Tangents.
    Tangent,
}

/// A generated routine that a function for others calls.
#[derive(Clone, Copy)]
pub(super) struct Called<'a> {
    pub(super) routine: RoutineId,
    pub(super) sweep: Sweep,
    /// The parameters of one in several directions that the others do not have.
    pub(super) several: Option<&'a Several>,
    /// The routine that is called in its place if no arguments overlap.
    pub(super) apart: Option<RoutineId>,
}

/// The routine that a gradient or a tangent was made from, if all of its parameters are that one's or their
/// derivatives.
pub(super) fn made_from(program: &Program, r: RoutineId) -> Option<(RoutineId, Sweep)> {
    let signature = Signature::from_origins(program, r);
    let role = signature.role?;
    let sweep = if role == NameRole::Gradient {
        Sweep::Gradient
    } else if role == NameRole::Tangent {
        Sweep::Tangent
    } else {
        return None;
    };
    let known = |role: &ParameterRole| match role {
        ParameterRole::Primal(_) | ParameterRole::Adjoint(_) | ParameterRole::Tangent(_) => true,
        ParameterRole::Tape | ParameterRole::Own(_) => false,
    };
    let all = signature.parameters.iter().all(known);
    all.then_some((signature.original?, sweep))
}

/// The routines of which a routine is a derivative of a derivative, and how each was differentiated: the last one
/// first.
pub(super) fn ancestors(program: &Program, mut r: RoutineId) -> Vec<(RoutineId, Sweep)> {
    let mut made = Vec::new();
    let mut seen = HashSet::from([r]);
    while let Some((original, sweep)) = made_from(program, r)
        && seen.insert(original)
    {
        made.push((original, sweep));
        r = original;
    }
    made
}
