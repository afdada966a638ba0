//! The tangent program: every assignment also computes the tangent of what it assigns (Griewank &
//! Walther, *Evaluating Derivatives*, 2nd ed., section 3.1). The graph stays as it is.
//!
//! Every real parameter has a tangent: signatures depend on types alone. If independents and dependents are declared,
//! only tangents of variables that are active between them are computed ([`cfg_analysis::activity`]): the tangents of
//! other parameters count as 0 at the entry, and only those of dependents are set at the exit (Hascoët & Pascual,
//! RR-7957, Fig. 8). Three kinds of tangents are taken as the caller gives them: those of optional parameters that
//! are arrays or may be written, of globals that only callees name, and of variables that may share cells with an
//! independent. A routine that is called from within computes all tangents. A tape has a tangent, too: a second tape
//! for the tangents of the pushed values, so that adjoint programs can be differentiated.

pub(crate) mod writer;

use cfg_analysis::activity::{Activity, Ends};
use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    entity::{GlobalId, RoutineId},
    flat::Flat,
    ir::{NameRole, Program, Role, Routine, Signature},
    memory::locations::Locations,
};
use cfg_transform::told_apart;
use fixedbitset::FixedBitSet;
use std::sync::Arc;

use crate::{
    code::{names::Namer, routines::routine_shell},
    codes,
    externals::with_routines,
    memory::{shared, summary::Summary},
    options::{Overlap, TangentOptions},
    partials::scope::Scope,
    prepare::{
        derivative_globals::add_derivative_globals,
        normalize::{self, Normal, normal_program},
        places::in_program,
        results,
    },
    records::regrouped,
    tangent::writer::{Writer, has_tangent},
};

/// The result of [`tangent`]: the program with the tangent routines, and their ids.
#[derive(Clone, Debug)]
pub struct Tangent {
    /// The original routines, then the tangent ones. The originals are unchanged, except that external functions of
    /// arrays have got derivatives or a body.
    pub program: Program,
    /// The routine that was differentiated.
    pub original: RoutineId,
    /// The tangent NAME_t of the original: parameters, result, tangents of the real ones (and of tapes).
    pub tangent: RoutineId,
    /// The roles of the parameters of NAME_t. [`Signature::from_origins`] has those of the other routines.
    pub signature: Signature,
    /// The original and the tangent of every routine that has a tangent.
    pub pairs: Vec<(RoutineId, RoutineId)>,
    /// The tangent of each global that has one.
    pub tangent_globals: Vec<(GlobalId, GlobalId)>,
    /// The tangent for callers whose arguments do not overlap, if the program has such a version
    /// ([`crate::tangent_in_versions`]).
    pub apart: Option<RoutineId>,
}

impl Tangent {
    /// The tangent with the records of the program from which `flat`, the differentiated one, was made: the tangent
    /// of a record has the type of the record. Without records, the tangent itself.
    ///
    /// # Errors
    /// M503: a variable or a statement has no form with records.
    pub fn regrouped(self, flat: &Flat) -> Result<Self, Diagnostics> {
        let (program, tangent_globals) =
            regrouped(flat, self.program, &self.pairs, &self.tangent_globals)?;
        Ok(Self {
            signature: Signature::from_origins(&program, self.tangent),
            tangent_globals,
            program,
            ..self
        })
    }
}

/// Builds the tangent of a routine and of everything it calls. [`Tangent::regrouped`] restores records.
///
/// # Errors
/// R3xx: the routine cannot be differentiated; all problems at once.
pub fn tangent(flat: &Flat, main: RoutineId) -> Result<Tangent, Diagnostics> {
    tangent_with(flat, main, TangentOptions::default())
}

/// [`tangent`] with options.
///
/// # Errors
/// The errors are those of [`tangent`].
pub fn tangent_with(
    flat: &Flat,
    main: RoutineId,
    options: TangentOptions,
) -> Result<Tangent, Diagnostics> {
    differentiated(flat, main, options).map_err(|problems| flat.place_in_grouped(problems))
}

fn differentiated(
    flat: &Flat,
    main: RoutineId,
    options: TangentOptions,
) -> Result<Tangent, Diagnostics> {
    let flat = with_routines(flat, main)?;
    let apart = told_apart(&flat, main, options.overlap == Overlap::None);
    let program = apart.program();
    if program.routine(main).body.is_none() {
        let message = format!("`{}` has no body", program.routine(main).name);
        return Err(Diagnostic::error(&codes::NO_BODY, message, codes::NO_BODY.explanation).into());
    }
    results::of_main(program.routine(main))?;
    shared::check_independents(program, main)?;
    let summary = Summary::summarise(program);
    let reachable = summary.effects.calls.reachable(main);
    let with_tangent = needs_tangent(program, &summary, &reachable, main);
    let mut normals: Vec<Option<Normal>> = program.routines.iter().map(|_| None).collect();
    for &r in &reachable {
        let mut normal = normalize::normalize(program, &summary, r);
        normal.expand();
        normals[r.index()] = Some(normal);
    }
    let mut out = flat.program().clone();
    let tangent_globals = add_derivative_globals(
        program,
        &summary,
        main,
        &mut normals,
        &mut out,
        "t",
        &NameRole::Tangent,
    );
    let normal = normal_program(program, &mut normals);
    // A routine called from within gets the tangents of all its arguments.
    let of_main = program.routine(main);
    let is_called = (reachable.iter()).any(|&r| summary.effects.calls.callees(r).contains(&main));
    let declared = !of_main.independents.is_empty() && !of_main.dependents.is_empty();
    let activity = (declared && !is_called)
        .then(|| Activity::analyse(&normal, &summary.effects, main, &reachable, Ends::Declared));
    let mut ids = vec![None; program.routines.len()];
    for (next, r) in (program.routines.len()..).zip(with_tangent.ones()) {
        ids[r] = Some(RoutineId::new(next));
    }
    let mut namer = Namer::new(program.routines.iter().map(|r| r.name.as_str()));
    // Globals whose tangents are not always 0: a tangent routine that the user gives cannot reach them.
    let mut varied = summary.written(main).clone();
    for &v in &of_main.independents {
        if let Role::Global(g) = of_main.variable(v).role {
            varied.insert(g);
        }
    }
    let mut found = Vec::new();
    let mut pairs = Vec::new();
    for r in with_tangent.ones() {
        let id = RoutineId::new(r);
        let Some(n) = &normals[r] else { continue };
        let name = namer.fresh_name(format!("{}_t", program.routines[r].name));
        let locations = Locations::divide(&normal, normal.routine(id));
        let writer = Writer {
            program: &normal,
            id,
            ids: &ids,
            tangent_globals: &tangent_globals,
            summary: &summary,
            varied: &varied,
            out_globals: &out.globals,
            activity: activity.as_ref(),
            is_main: id == main,
            given: (normal.routine(id).independents.iter())
                .map(|&v| locations.of_variable(v))
                .collect(),
            zeros: Vec::new(),
            scope: Scope::new(
                Routine {
                    variables: normal.routine(id).variables.clone(),
                    ..routine_shell(normal.routine(id))
                },
                n.namer.clone(),
                locations,
                (activity.as_ref()).map_or_else(Arc::default, |a| Arc::clone(a.exceptions(id))),
                options.strong,
            ),
            same_graph: !n.changed,
            found: &mut found,
        };
        let routine = writer.routine(name)?;
        out.routines.push(routine);
        pairs.push((id, RoutineId::new(out.routines.len() - 1)));
    }
    if !found.is_empty() {
        return Err(in_program(program, &normal, Diagnostics(found)));
    }
    let tangent = ids[main.index()].unwrap_or(main);
    Ok(Tangent {
        original: main,
        tangent,
        signature: Signature::from_origins(&out, tangent),
        pairs,
        tangent_globals: tangent_globals
            .iter()
            .enumerate()
            .filter_map(|(g, t)| t.map(|t| (GlobalId::new(g), t)))
            .collect(),
        apart: None,
        program: out,
    })
}

/// Routines that name a real variable or a tape, or call a routine that does.
fn needs_tangent(
    program: &Program,
    summary: &Summary,
    reachable: &[RoutineId],
    main: RoutineId,
) -> FixedBitSet {
    let mut wanted = FixedBitSet::with_capacity(program.routines.len());
    wanted.insert(main.index());
    let callers = summary.effects.calls.callers(reachable);
    let mut work = Vec::new();
    for &r in reachable {
        let routine = program.routine(r);
        if routine.variables.iter().any(has_tangent) {
            wanted.insert(r.index());
            work.push(r);
        }
    }
    while let Some(r) = work.pop() {
        for &caller in &callers[r.index()] {
            if !wanted.put(caller.index()) {
                work.push(caller);
            }
        }
    }
    for r in 0..program.routines.len() {
        let routine = &program.routines[r];
        let user = routine
            .derivatives
            .as_ref()
            .is_some_and(|d| d.tangent.is_some());
        if routine.body.is_none() || (user && r != main.index()) {
            wanted.set(r, false);
        }
    }
    wanted
}
