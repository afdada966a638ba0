//! The steps before the first decision on how a block is written: the program is brought into normal form, its active
//! variables are found, and the routines that get sweeps are numbered.

pub(crate) mod branches;
pub(crate) mod context;
pub(crate) mod derivative_globals;
pub(crate) mod differentiated;
pub(crate) mod hoist;
pub(crate) mod imports;
pub(crate) mod lasting;
pub(crate) mod lower;
pub(crate) mod normalize;
pub(crate) mod optional;
pub(crate) mod other_names;
pub(crate) mod overlap;
pub(crate) mod places;
pub(crate) mod products;
pub(crate) mod reruns;
pub(crate) mod results;
pub(crate) mod shallow;
pub(crate) mod subscripts;

use cfg_analysis::activity::{Activity, Ends};
use cfg_core::{
    diagnostic::{CodeInfo, Diagnostic, Diagnostics},
    entity::{GlobalId, RoutineId},
    flat::Flat,
    ir::{Cfg, Control, NameRole, Program, Routine, VertexKind, original_roles},
    memory::global_set::GlobalSet,
    recover::recover,
    structure::Structure,
};
use fixedbitset::FixedBitSet;
use std::borrow::Cow;

use crate::{
    code::{built, routines::number_statements},
    codes,
    memory::{shared, summary::Summary},
    options::{Inside, Options, Unstructured},
    prepare::{
        context::Context,
        derivative_globals::add_derivative_globals,
        differentiated::number_sweeps,
        lasting::lasting_parameters,
        normalize::{Normal, normal_program},
        other_names::changed_by_other_names,
        overlap::overlapping,
        reruns::reruns,
    },
};

/// A program in normal form, with the decisions made before any block is written.
pub(crate) struct Prepared<'v> {
    pub(crate) context: Context,
    /// The routine that is reversed and everything that it calls, callees first where there is no recursion.
    pub(crate) reachable: Vec<RoutineId>,
    /// The name tables of the normal forms. Their routines are in the context's program.
    pub(crate) normals: Vec<Option<Normal>>,
    /// The structures of the routines that nest.
    pub(crate) structures: Vec<Option<Cow<'v, Structure>>>,
}

impl Prepared<'_> {
    /// The graphs that normalization left as they were.
    pub(crate) fn into_unchanged(self) -> Vec<Option<Cfg>> {
        let routines = self.context.program.routines.into_iter();
        let graphs = routines.zip(self.normals).map(|(routine, normal)| {
            let changed = normal.is_none_or(|n| n.changed);
            routine.body.filter(|_| !changed)
        });
        graphs.collect()
    }
}

/// The globals that routines record where they write them, none of which shares storage.
fn recorded_inside(program: &Program, summary: &Summary, inside: Inside) -> GlobalSet {
    let overlaid = summary.effects.storage.overlaid();
    // Derivatives of pools are pools.
    let roles = original_roles(program.globals.iter().map(|global| &global.variable));
    let globals = program.globals.iter().zip(roles).enumerate();
    let found = globals.filter_map(|(g, (global, role))| {
        let (g, variable) = (GlobalId::new(g), &global.variable);
        let wanted = match inside {
            Inside::Pools => role.is_some_and(|role| role.is_pool()),
            Inside::Arrays => variable.rank() > 0,
            Inside::Nothing => false,
        };
        (wanted && !overlaid.contains(g)).then_some(g)
    });
    found.collect()
}

/// Runs the steps of this module. Returns also the program that the sweeps are added to, in which the original
/// routines are still empty.
pub(crate) fn prepare<'v>(
    flat: &'v Flat,
    main: RoutineId,
    options: &Options,
) -> Result<(Prepared<'v>, Program), Diagnostics> {
    let program = flat.program();
    check_main(program, main, options.control_only)?;
    results::of_main(program.routine(main))?;
    shared::check_independents(program, main)?;
    let summary = Summary::summarise(program);
    let reachable = summary.effects.calls.reachable(main);
    let mut normals: Vec<Option<Normal>> = program.routines.iter().map(|_| None).collect();
    let mut structures: Vec<Option<Cow<'v, Structure>>> = vec![None; normals.len()];
    // A trace records blocks and jumps: structure is of no use to it.
    let trace = options.unstructured == Unstructured::Trace;
    let tables = tables_of_first_cells(program);
    for &r in &reachable {
        let (mut normal, structure) = normal_form(flat, &summary, r, trace)?;
        if let Some(structure) = structure.as_deref().filter(|_| !options.indices) {
            normal.substitute(program, &summary, &tables, structure);
        }
        normals[r.index()] = Some(normal);
        structures[r.index()] = structure;
    }
    if options.control_only
        && let Some(normal) = &mut normals[main.index()]
    {
        normal.routine.independents.clear();
        normal.routine.dependents.clear();
    }
    let mut out = Program {
        routines: vec![Routine::default(); program.routines.len()],
        globals: program.globals.clone(),
        records: program.records.clone(),
        main: program.main,
        sources: program.sources.clone(),
        annotations: program.annotations.clone(),
    };
    let adjoint_globals = add_derivative_globals(
        program,
        &summary,
        main,
        &mut normals,
        &mut out,
        "b",
        &NameRole::Adjoint,
    );
    // Routines name the adjoint globals too.
    let normal = Program {
        globals: out.globals.clone(),
        ..normal_program(program, &mut normals)
    };
    let (ends, most) = (Ends::Visible, options.flow_limit);
    let activity = Activity::within(&normal, &summary.effects, main, &reachable, ends, most);
    let overlapping = overlapping(&normal, &summary, &reachable);
    let recorded_inside = recorded_inside(&normal, &summary, options.inside);
    let sweeps = number_sweeps(
        &normal,
        &summary,
        &activity,
        &recorded_inside,
        (&reachable, main),
    );
    let mut called = FixedBitSet::with_capacity(sweeps.len());
    for (r, _) in sweeps.iter().enumerate().filter(|(_, s)| s.is_some()) {
        called.extend(summary.callees(RoutineId::new(r)).iter().map(|c| c.index()));
    }
    let reruns = reruns(program, &summary, &sweeps, trace)?;
    let keep_each = reruns
        .iter()
        .flatten()
        .filter(|kept| kept.keeps_each())
        .count() as u64;
    let context = Context {
        state_memory: options.tape_memory.map(|bytes| bytes / keep_each.max(1)),
        restarts: options.restarts,
        reruns,
        called,
        changed: changed_by_other_names(&normal, &summary, &sweeps),
        lasting: lasting_parameters(&normal, &summary, &activity, &sweeps),
        sweeps,
        recorded_inside,
        program: normal,
        summary,
        activity,
        adjoint_globals,
        overlapping,
        counters: options.counters || options.control_only,
        markers: options.markers || options.control_only,
        indices: options.indices,
        values: options.values,
        operands: options.operands,
        prefer: options.prefer,
        trace,
        strong: options.strong,
        flow_limit: most,
    };
    let prepared = Prepared {
        context,
        reachable,
        normals,
        structures,
    };
    Ok((prepared, out))
}

/// The globals that are tables of the first cells of objects.
pub(crate) fn tables_of_first_cells(program: &Program) -> FixedBitSet {
    let roles = original_roles(program.globals.iter().map(|global| &global.variable));
    let is_table =
        |role: &&NameRole| matches!(role, NameRole::FirstCells | NameRole::ScratchFirstCells);
    let tables = roles.into_iter().enumerate();
    tables
        .filter(|(_, role)| role.as_ref().is_some_and(is_table))
        .map(|(g, _)| g)
        .collect()
}

/// The normal form of one routine, and its structure, if it is declared or found.
fn normal_form<'v>(
    flat: &'v Flat,
    summary: &Summary,
    r: RoutineId,
    trace: bool,
) -> Result<(Normal, Option<Cow<'v, Structure>>), Diagnostics> {
    let program = flat.program();
    let mut normal = normalize::normalize(program, summary, r);
    let split = normal.split(program);
    let Some(declared) = flat.structure(r).filter(|_| !trace) else {
        let found = structure(program, summary, &mut normal, trace)?;
        normal.changed = true;
        return Ok((normal, found.map(Cow::Owned)));
    };
    let structure = match &normal.routine.body {
        Some(cfg) if split => Cow::Owned(built::structure(cfg)?),
        _ => Cow::Borrowed(declared),
    };
    Ok((normal, Some(structure)))
}

fn check_main(program: &Program, main: RoutineId, control_only: bool) -> Result<(), Diagnostics> {
    let routine = program.routine(main);
    let mut found = Vec::new();
    let mut refuse = |code: &'static CodeInfo, message: String| {
        let element = format!("routine {}", routine.name);
        found.push(Diagnostic::error(code, message, code.explanation).at_element(element));
    };
    if routine.body.is_none() {
        refuse(&codes::NO_BODY, format!("`{}` has no body", routine.name));
    }
    for (list, what) in [
        (&routine.independents, "independents"),
        (&routine.dependents, "dependents"),
    ] {
        if list.is_empty() && !control_only {
            let message = format!("`{}` declares no {what}", routine.name);
            refuse(&codes::NOTHING, message);
        }
    }
    match found.is_empty() {
        true => Ok(()),
        false => Err(Diagnostics(found)),
    }
}

/// Finds the structure that a graph has although it is not declared; its LOOP vertices that do not head
/// loops become branches.
fn structure(
    program: &Program,
    summary: &Summary,
    normal: &mut Normal,
    trace: bool,
) -> Result<Option<Structure>, Diagnostics> {
    let mut routine = std::mem::take(&mut normal.routine);
    if !normal.changed {
        number_statements(&mut routine);
    }
    if !trace {
        routine = recover(program, &summary.effects, &routine);
    }
    let recovered = (routine.control, loops(&routine));
    normal.routine = lower::lower(program, summary, routine, trace, &mut normal.namer)?;
    let is_structured = recovered == (Control::Structured, loops(&normal.routine));
    match &normal.routine.body {
        Some(cfg) if is_structured && !trace => Ok(Some(built::structure(cfg)?)),
        _ => {
            normal.routine.control = Control::General;
            Ok(None)
        }
    }
}

/// Number of LOOP vertices.
fn loops(routine: &Routine) -> usize {
    let vertices = routine.body.iter().flat_map(Cfg::vertices);
    vertices
        .filter(|(_, v)| matches!(v.kind, VertexKind::Loop { .. }))
        .count()
}
