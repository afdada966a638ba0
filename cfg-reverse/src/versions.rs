//! Two versions of derivatives in one program: one that is right where parameters of the routine overlap
//! ([`Overlap::Assume`]), and one for callers whose arguments do not ([`Overlap::None`]). A caller chooses at run time.
//!
//! The versions are made apart from each other, and the second is added to the program of the first. A routine of the
//! second that has the name and the text of one of the first, and calls only such routines, is that routine: the
//! greatest set with this property is found by taking routines out that call others.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{GlobalId, RoutineId},
    flat::Flat,
    ir::{Program, Role, Routine, StmtKind, VertexKind},
    memory::callgraph::CallGraph,
};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

use crate::{
    code::names::Namer,
    options::{Options, Overlap, TangentOptions},
    reverse::{ApartSweeps, Reversal, reverse},
    tangent::{Tangent, tangent_with},
};

/// The greatest number of statements in the routines of a version: larger derivatives have one version.
pub const MOST_STATEMENTS: usize = 10_000;

/// The reversal with records ([`Reversal::regrouped`]) in two versions, where the routine is `aliased` and no version
/// has more than [`MOST_STATEMENTS`]; else the version that is right under overlap.
///
/// # Errors
/// The errors are those of [`reverse()`] and of [`Reversal::regrouped`].
pub fn reverse_in_versions(
    flat: &Flat,
    main: RoutineId,
    options: &Options,
) -> Result<Reversal, Diagnostics> {
    let version = |overlap| {
        reverse(
            flat,
            main,
            &Options {
                overlap,
                ..*options
            },
        )?
        .regrouped(flat)
    };
    let mut made = version(Overlap::Assume)?;
    if !flat.routine(main).aliased {
        return Ok(made);
    }
    let apart = version(Overlap::None)?;
    let wanted = [apart.forward, apart.reverse, apart.gradient];
    let globals = &mut made.adjoint_globals;
    let added = (apart.program, &*apart.adjoint_globals);
    let first = [made.forward, made.reverse, made.gradient];
    let ids = add(&mut made.program, &first, globals, added, &wanted);
    made.apart = ids.and_then(|ids| match ids[..] {
        [forward, reverse, gradient] => Some(ApartSweeps {
            forward,
            reverse,
            gradient,
        }),
        _ => None,
    });
    Ok(made)
}

/// The tangent with records ([`Tangent::regrouped`]) in two versions, as [`reverse_in_versions`] makes a reversal.
///
/// # Errors
/// The errors are those of [`tangent_with`] and of [`Tangent::regrouped`].
pub fn tangent_in_versions(
    flat: &Flat,
    main: RoutineId,
    options: TangentOptions,
) -> Result<Tangent, Diagnostics> {
    let version =
        |overlap| tangent_with(flat, main, TangentOptions { overlap, ..options })?.regrouped(flat);
    let mut made = version(Overlap::Assume)?;
    if !flat.routine(main).aliased {
        return Ok(made);
    }
    let apart = version(Overlap::None)?;
    let globals = &mut made.tangent_globals;
    let added = (apart.program, &*apart.tangent_globals);
    let ids = add(
        &mut made.program,
        &[made.tangent],
        globals,
        added,
        &[apart.tangent],
    );
    made.apart = ids.and_then(|ids| ids.first().copied());
    Ok(made)
}

/// Adds routines and all that they call to a program with routines `first`; returns the numbers that they get.
/// `None`, and nothing is added, if a version is too large, or a global of one has the name of another one.
fn add(
    program: &mut Program,
    first: &[RoutineId],
    derivatives: &mut Vec<(GlobalId, GlobalId)>,
    (mut other, of_other): (Program, &[(GlobalId, GlobalId)]),
    wanted: &[RoutineId],
) -> Option<Vec<RoutineId>> {
    let calls = CallGraph::build(&other);
    let needed = reached(&calls, wanted);
    let of_first = reached(&CallGraph::build(program), first);
    let sizes = [(&*program, &of_first), (&other, &needed)].map(|(p, of)| statements(p, of));
    if sizes.iter().any(|&size| size > MOST_STATEMENTS) {
        return None;
    }
    let globals = added_globals(program, &other)?;
    for routine in &mut other.routines {
        for variable in &mut routine.variables {
            if let Role::Global(g) = &mut variable.role {
                *g = globals[g.index()];
            }
        }
    }
    let same = same_routines(program, &other, &calls, &needed);
    let mut namer = Namer::new(program.routines.iter().map(|r| r.name.as_str()));
    let mut ids = same;
    let new: Vec<usize> = needed.ones().filter(|&r| ids[r].is_none()).collect();
    for (k, &r) in new.iter().enumerate() {
        ids[r] = Some(RoutineId::new(program.routines.len() + k));
    }
    for r in new {
        let mut routine = std::mem::take(&mut other.routines[r]);
        routine.name = namer.fresh_name(format!("{}_apart", routine.name));
        each_callee(&mut routine, |callee| {
            *callee = ids[callee.index()].unwrap_or(*callee);
        });
        program.routines.push(routine);
    }
    let known = program.globals.len();
    let more = other.globals.into_iter().zip(&globals);
    let more = more.filter(|(_, to)| to.index() >= known).map(|(g, _)| g);
    program.globals.extend(more);
    for &(of, derivative) in of_other {
        let pair = (globals[of.index()], globals[derivative.index()]);
        if !derivatives.contains(&pair) {
            derivatives.push(pair);
        }
    }
    wanted.iter().map(|r| ids[r.index()]).collect()
}

/// The routines that some routines reach.
fn reached(calls: &CallGraph, from: &[RoutineId]) -> FixedBitSet {
    let reached = from.iter().flat_map(|&r| calls.reachable(r));
    reached.map(RoutineId::index).collect()
}

/// The number of statements of some routines.
fn statements(program: &Program, routines: &FixedBitSet) -> usize {
    let routines = routines.ones().filter_map(|r| program.routines.get(r));
    routines.map(|r| r.statements().count()).sum()
}

/// The number of each global of another program in this one; those that it lacks come behind its own.
fn added_globals(program: &Program, other: &Program) -> Option<Vec<GlobalId>> {
    let known: HashMap<&str, usize> = (program.globals.iter().enumerate())
        .map(|(g, global)| (&*global.variable.name, g))
        .collect();
    let mut next = program.globals.len();
    let ids = other.globals.iter().map(|global| {
        let Some(&g) = known.get(&*global.variable.name) else {
            next += 1;
            return Some(GlobalId::new(next - 1));
        };
        // Two programs differ in the numbers of derivatives only, over which no global lies.
        (program.globals[g] == *global).then_some(GlobalId::new(g))
    });
    ids.collect()
}

/// The routines of a program that some of another one are.
fn same_routines(
    program: &Program,
    other: &Program,
    calls: &CallGraph,
    needed: &FixedBitSet,
) -> Vec<Option<RoutineId>> {
    let known: HashMap<&str, usize> = (program.routines.iter().enumerate())
        .map(|(r, routine)| (&*routine.name, r))
        .collect();
    let named = other
        .routines
        .iter()
        .map(|routine| known.get(&*routine.name));
    let mut same: Vec<Option<RoutineId>> = named.map(|r| r.copied().map(RoutineId::new)).collect();
    let differs = |r: &usize| {
        let Some(in_program) = same[*r] else {
            return true;
        };
        let mut routine = other.routines[*r].clone();
        let mut all = true;
        each_callee(&mut routine, |callee| match same[callee.index()] {
            Some(known) => *callee = known,
            None => all = false,
        });
        !all || routine != *program.routine(in_program)
    };
    let mut open: Vec<usize> = needed.ones().filter(differs).collect();
    let among: Vec<RoutineId> = needed.ones().map(RoutineId::new).collect();
    let callers = calls.callers(&among);
    for &r in &open {
        same[r] = None;
    }
    while let Some(r) = open.pop() {
        for caller in &callers[r] {
            if same[caller.index()].take().is_some() {
                open.push(caller.index());
            }
        }
    }
    same
}

/// Calls `visit` with each routine that a routine names.
fn each_callee(routine: &mut Routine, mut visit: impl FnMut(&mut RoutineId)) {
    for vertex in routine.body.iter_mut().flat_map(|cfg| cfg.vertices_mut()) {
        if let VertexKind::Block(statements) = &mut vertex.kind {
            for statement in statements {
                if let StmtKind::Call { callee, .. } = &mut statement.kind {
                    visit(callee);
                }
            }
        }
    }
    if let Some(given) = &mut routine.derivatives {
        let given = given.tangent.iter_mut().chain(&mut given.adjoint);
        given.for_each(visit);
    }
}
