//! Routines that need not be `aliased`, because no call of the program passes them cells that may overlap.
//!
//! In an `aliased` routine all parameters of one type count as one storage, so its derivatives are the most careful
//! ones. The mark of a routine R is needed only if some call passes R two arguments, or an argument and a global that
//! R names, that its caller cannot tell apart, one of which R writes. A caller tells apart its locals, globals that
//! share no storage, and, unless it is `aliased` itself, its parameters ([`Locations`], [`overlaps`]). With
//!
//! - `K`: the routines whose marks are kept, because callers outside of the program may pass them anything;
//! - `met(C, R)`: a call in C passes R such arguments, where C counts as `aliased` if C is in the set A,
//!
//! the marks that are needed are the least set with `A = K ∪ { R aliased : met(C, R) for a routine C }`. The search
//! begins with `A = K`; a routine that joins A is looked at once more, since `met` only grows with A. No pair of
//! arguments of a routine that loses its mark is left for the run to compare, so that no call fails (X214).

use cfg_core::{
    entity::RoutineId,
    flat::Flat,
    ir::{Program, Routine},
    memory::{
        effects::Effects,
        locations::Locations,
        overlaps::{self, Limits},
    },
    validate::validate,
};
use fixedbitset::FixedBitSet;

use crate::aliased::calls;

/// A routine stays `aliased` if a call has more pairs of arguments in one storage than these.
const LIMITS: Limits = Limits {
    looked_at: 10_000,
    compared: 0,
};

/// The program for derivatives of `head`, in which routines are `aliased` only where calls need it. The head keeps its
/// mark, unless its callers promise (`promised`) that its parameters overlap neither with one another nor with
/// globals.
#[must_use]
pub fn told_apart(flat: &Flat, head: RoutineId, promised: bool) -> Flat {
    let Some(program) = cleared(flat.program(), head, promised) else {
        return flat.clone();
    };
    // In a routine that is not `aliased`, an `out` parameter has no value at entry, which a program may not know.
    let valid = validate(program).and_then(|valid| Flat::made(valid, flat.provenance().clone()));
    valid.unwrap_or_else(|_| flat.clone())
}

/// The program with fewer `aliased` routines; `None` if all of them stay.
fn cleared(program: &Program, head: RoutineId, promised: bool) -> Option<Program> {
    let mut called = FixedBitSet::with_capacity(program.routines.len());
    for routine in &program.routines {
        called.extend(calls(routine).map(|(callee, _)| callee.index()));
    }
    // The head has callers outside of the program.
    called.set(head.index(), promised);
    let mut open = candidates(program, called);
    if open.is_clear() {
        return None;
    }
    let effects = Effects::summarise(program);
    let mut out = program.clone();
    for r in open.ones() {
        out.routines[r].aliased = false;
    }
    let mut work: Vec<RoutineId> = (0..out.routines.len()).map(RoutineId::new).collect();
    while let Some(caller) = work.pop() {
        for callee in met(&out, &effects, out.routine(caller), &open).ones() {
            out.routines[callee].aliased = true;
            open.remove(callee);
            work.push(RoutineId::new(callee));
        }
    }
    (!open.is_clear()).then_some(out)
}

/// The called routines that are `aliased`, have a body, and neither have nor are derivatives that are given.
fn candidates(program: &Program, called: FixedBitSet) -> FixedBitSet {
    let mut found = called;
    for (r, routine) in program.routines.iter().enumerate() {
        let given = routine.derivatives.as_deref();
        if !routine.aliased || routine.body.is_none() || given.is_some() {
            found.remove(r);
        }
        for derivative in given.into_iter().flat_map(|d| [d.tangent, d.adjoint]) {
            derivative.into_iter().for_each(|d| found.remove(d.index()));
        }
    }
    found
}

/// The routines in `open` to which a call of `caller` passes cells that it cannot tell apart.
fn met(program: &Program, effects: &Effects, caller: &Routine, open: &FixedBitSet) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(open.len());
    let mut locations = None;
    for (callee, arguments) in calls(caller) {
        if !open.contains(callee.index()) || found.contains(callee.index()) {
            continue;
        }
        let locations = &*locations.get_or_insert_with(|| Locations::divide(program, caller));
        let caller = (caller, locations);
        let pairs = overlaps::within(LIMITS, program, effects, caller, callee, arguments);
        found.set(callee.index(), pairs.is_err());
    }
    found
}
