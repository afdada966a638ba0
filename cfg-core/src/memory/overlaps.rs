//! Arguments of a call that may share cells with one another or with globals, although one of them is written.
//!
//! A routine that is not marked `aliased` assumes that its parameters, and the globals that it names, share no cells.
//! Where the text of the program does not show it, the run compares cells (X214); this file finds the pairs to
//! compare.

use super::{effects::Effects, locations::Locations};
use crate::{
    entity::{GlobalId, LocationId, RoutineId, VarId},
    ir::{Expr, Extent, Intent, Place, Program, Role, Routine, ScalarType},
};

/// The greatest numbers of pairs of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pairs of arguments in one storage that are examined.
    pub looked_at: usize,
    /// Pairs that the run compares.
    pub compared: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            looked_at: 5_000_000,
            compared: 10_000,
        }
    }
}

/// The other side of a [`Pair`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Other {
    /// The argument at this position, which is greater than [`Pair::argument`].
    Argument(usize),
    /// A global that the called routine names, itself or in the routines that it calls. All of its cells count.
    Global(GlobalId),
}

/// An argument, and an argument or global with which it may share cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The position of the argument, which is a place.
    pub argument: usize,
    /// The other argument, or a global.
    pub other: Other,
}

/// The error of a call with more pairs than a run compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

impl TooMany {
    /// The rule that is broken, in words.
    pub const MESSAGE: &str = "a call passes too many parts of one array or of globals";
}

/// A place that is passed.
struct Passed<'a> {
    location: LocationId,
    position: usize,
    place: &'a Place,
    written: bool,
    scalar: bool,
}

/// The pairs of a call, in the order in which they are compared. There are none if the called routine is `aliased`.
///
/// A parameter of explicit shape has the cells that its own extents give, which are known once it is bound; the
/// argument may be larger ([`is_explicit`]).
///
/// # Errors
/// There are more pairs than [`Limits`] has by default.
pub fn of_call(
    program: &Program,
    effects: &Effects,
    caller: (&Routine, &Locations),
    callee: RoutineId,
    arguments: &[Option<Expr>],
) -> Result<Vec<Pair>, TooMany> {
    within(
        Limits::default(),
        program,
        effects,
        caller,
        callee,
        arguments,
    )
}

/// The pairs of a call as [`of_call`] finds them, within these limits.
///
/// # Errors
/// There are more pairs than these.
pub fn within(
    limits: Limits,
    program: &Program,
    effects: &Effects,
    (routine, locations): (&Routine, &Locations),
    callee: RoutineId,
    arguments: &[Option<Expr>],
) -> Result<Vec<Pair>, TooMany> {
    let called = program.routine(callee);
    if called.aliased {
        return Ok(Vec::new());
    }
    let mut pairs = Vec::new();
    let mut places: Vec<Passed<'_>> = Vec::new();
    for (k, (p, actual)) in called.parameter_ids().zip(arguments).enumerate() {
        let formal = called.variable(p);
        if let Some(Expr::Place(place)) = actual
            && formal.ty != ScalarType::Tape
        {
            places.push(Passed {
                location: locations.of_variable(place.var),
                position: k,
                place,
                written: formal.intent().is_some_and(Intent::writes),
                scalar: formal.rank() == 0,
            });
        }
    }
    // The result of an `aliased` routine is in the location of its parameters, since the sweeps have it as a parameter.
    // In the routine itself a scalar result is a cell of its own.
    let is_own = |v: VarId| {
        let variable = routine.variable(v);
        variable.role == Role::Local && variable.rank() == 0
    };
    // Only arguments in one location may overlap.
    places.sort_by_key(|p| (p.location, p.position));
    let mut looked_at = 0;
    for group in places.chunk_by(|a, b| a.location == b.location) {
        for (n, b) in group.iter().enumerate() {
            for a in &group[..n] {
                looked_at += 1;
                if looked_at > limits.looked_at {
                    return Err(TooMany);
                }
                // A formal array reaches beyond an element that is passed, so only scalars can be told apart.
                let apart = a.scalar && b.scalar && !locations.may_overlap(a.place, b.place);
                let [v, w] = [a, b].map(|passed| passed.place.var);
                let apart = apart || v != w && (is_own(v) || is_own(w));
                if (a.written || b.written) && !apart {
                    if pairs.len() == limits.compared {
                        return Err(TooMany);
                    }
                    pairs.push(Pair {
                        argument: a.position,
                        other: Other::Argument(b.position),
                    });
                }
            }
        }
    }
    with_globals(program, effects, routine, callee, arguments, |pair| {
        pairs.push(pair);
        pairs.len() <= limits.compared
    })?;
    Ok(pairs)
}

/// Adds the pairs of an argument and a global that the called routine uses, where one of the two is written.
fn with_globals(
    program: &Program,
    effects: &Effects,
    routine: &Routine,
    callee: RoutineId,
    arguments: &[Option<Expr>],
    mut add: impl FnMut(Pair) -> bool,
) -> Result<(), TooMany> {
    let called = program.routine(callee);
    let (named, all_written) = (effects.named(callee), effects.written(callee));
    for (k, (p, actual)) in called.parameter_ids().zip(arguments).enumerate() {
        let Some(Expr::Place(place)) = actual else {
            continue;
        };
        let variable = routine.variable(place.var);
        let mut used: Vec<GlobalId> = Vec::new();
        match variable.role {
            Role::Global(g) => match effects.storage.overlaid_with(g) {
                Some(around) => named.each_common(around, |g| used.push(g)),
                None => used.extend(named.contains(g).then_some(g)),
            },
            // In a routine that is not `aliased`, a parameter that shares cells with a global was an error of its own
            // call.
            Role::Parameter { .. } if routine.aliased => {
                if let Some(of_type) = effects.storage.of_type(variable.ty) {
                    named.each_common(of_type, |g| used.push(g));
                }
            }
            Role::Parameter { .. } | Role::Local => {}
        }
        let formal = called.variable(p);
        let written = formal.intent().is_some_and(Intent::writes);
        for g in used {
            let global = &program.global(g).variable;
            if !(written || all_written.contains(g)) || global.ty != variable.ty {
                continue;
            }
            let pair = Pair {
                argument: k,
                other: Other::Global(g),
            };
            if !add(pair) {
                return Err(TooMany);
            }
        }
    }
    Ok(())
}

/// True if the parameter at this position is an array of explicit shape.
#[must_use]
pub fn is_explicit(routine: &Routine, position: usize) -> bool {
    routine.parameter(position).is_some_and(|variable| {
        let shape = &variable.shape;
        !shape.is_empty() && shape.iter().all(|dim| dim.extent != Extent::Deferred)
    })
}

impl Pair {
    /// True if a side of the pair is a parameter of explicit shape, whose cells are known on entry of the callee only.
    #[must_use]
    pub fn is_found_on_entry(self, callee: &Routine) -> bool {
        let other = match self.other {
            Other::Argument(k) => is_explicit(callee, k),
            Other::Global(_) => false,
        };
        other || is_explicit(callee, self.argument)
    }
}
