//! Programs without pointers: the targets of pointers become cells of pools.
//!
//! A points-to analysis by unification divides the objects that pointers may lead to into classes. Each class becomes
//! a *pool*: global arrays of cells, one for each type that is stored there, numbered together. A pointer becomes a
//! record of two integers, the number of its object in the pool and the cell that it leads to; both are 0 for null.
//! Each pool has a table of the first and the last cell of its objects, so a use outside of an object, after its end,
//! or of null finds no cell, which is a run-time error. Objects are allocated from the first cell up; variables to
//! which pointers lead live at the end of the pool while their routine runs.
//!
//! The result is a program like any other, and its derivatives need no rules of their own: the adjoint of a pool is an
//! array with the same numbering, so that shadows overlap exactly as the originals do, and the integers that locate
//! cells are recorded like all others.
//!
//! Pools of memory for classes of objects: C. Lattner and V. Adve, "Automatic Pool Allocation" (PLDI 2005).

mod address;
mod arithmetic;
mod cells;
mod classes;
mod expression;
mod given;
mod head;
mod layout;
mod plan;
mod routine;
mod same_as;
mod statement;
mod whole;
mod writer;

use crate::names::fresh_name;
use cfg_core::{
    diagnostic::Diagnostics,
    entity::{GlobalId, RoutineId},
    ir::{CLeftOut, Dim, Expr, Global, Program, Role, ScalarType, Variable, visit::each_written},
    memory::callgraph::CallGraph,
    validate::{ValidProgram, validate},
};
pub use given::given;
use head::Made;
use plan::Plan;
pub use same_as::{SameAs, same_as};
use std::{borrow::Cow, collections::HashSet};

/// The default number of cells of a pool.
pub const CELLS: usize = 100_000;

/// The program, with its pointers lowered if it has some: [`lower`].
///
/// # Errors
/// The errors are those of [`lower`].
pub fn without_pointers<'p>(
    program: &'p ValidProgram,
    heads: &[RoutineId],
    cells: usize,
) -> Result<Cow<'p, ValidProgram>, Diagnostics> {
    if program.has_pointers() {
        return lower(program, heads, cells).map(Cow::Owned);
    }
    Ok(Cow::Borrowed(program))
}

/// The program without pointers. Routines and vertices keep their numbers, and the origins of statements name those
/// that they were made from. Each of `heads` with pointers among its parameters, or with parameters whose address is
/// taken, is entered through a new routine of its name. There a pointer is an array of the elements that it leads to,
/// and a pointer to pointers is several arrays ([`cfg_core::ir::NameRole::Objects`]). The new routine becomes the main
/// one if the head was. Each pool has `cells` cells and as many objects.
///
/// # Errors
/// M504: the program uses pointers in a way that has no counterpart. Errors of validation: the result breaks a rule,
/// for instance because an expression is too deep once places are indices of a pool.
///
/// ```
/// use cfg_core::validate::validate;
/// use cfg_format::text;
///
/// let parsed = text::parse("
/// subroutine f(in ^real p, in integer n, out real y)
///   local ^real q
///   local integer i
///   q := p
///   y := 0.0
///   for i = 1, n
///     y := y + q^*q^
///     q := shift(q, 1)
///   end
/// end
/// ");
/// let program = validate(parsed.program.ok_or(parsed.problems)?)?;
/// let f = program.find_routine("f").expect("there is an f");
/// let lowered = cfg_transform::pools::lower(&program, &[f], 1000)?;
/// assert!(!lowered.has_pointers());
/// # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
/// ```
pub fn lower(
    program: &ValidProgram,
    heads: &[RoutineId],
    cells: usize,
) -> Result<ValidProgram, Diagnostics> {
    let size = i64::try_from(cells).unwrap_or(i64::MAX / 2).max(1);
    let count = program.routines.len();
    let mut entered = HashSet::new();
    let mut heads: Vec<RoutineId> = heads.to_vec();
    heads.retain(|&r| r.index() < count && entered.insert(r));
    let mut plan = Plan::lay_out(program, &heads, size);
    let reset = plan.reset(&entered);
    let called = called(program);
    let mut wrapped = heads;
    wrapped.retain(|&r| head::is_needed(&plan, r) || !reset.is_empty() && called.contains(&r));
    for r in &wrapped {
        entered.remove(r);
    }
    let ready = ready(&mut plan);
    let mut problems = Diagnostics::default();
    let mut routines = Vec::with_capacity(count);
    for r in (0..count).map(RoutineId::new) {
        let reset = if entered.contains(&r) { &*reset } else { &[] };
        match routine::lowered(&plan, r, reset) {
            Ok(routine) => routines.push(routine),
            Err(more) => problems.0.extend(more.0),
        }
    }
    if problems.has_errors() {
        return Err(problems);
    }
    let mut lowered = Program {
        routines,
        globals: plan.globals.clone(),
        records: plan.records.clone(),
        main: program.main,
        sources: program.sources.clone(),
        annotations: program.annotations.clone(),
    };
    // Globals in pools get their initial values when the program is entered first.
    let mut left_out = CLeftOut::from_annotations(&program.annotations);
    for g in plan.fixed.keys() {
        for g in [*g, program.storage(*g).0] {
            left_out
                .started
                .insert(program.global(g).variable.name.clone());
        }
    }
    left_out.note(&mut lowered.annotations);
    let written = written(&lowered);
    let mut made = Made::from(count + wrapped.len());
    for (k, &r) in wrapped.iter().enumerate() {
        match head::head(&plan, r, &written, (ready, &reset), &mut made) {
            Ok(routine) => lowered.routines.push(routine),
            Err(more) => problems.0.extend(more.0),
        }
        if program.main == Some(r) {
            lowered.main = Some(RoutineId::new(count + k));
        }
    }
    if problems.has_errors() {
        return Err(problems);
    }
    let names = lowered.routines.iter().map(|r| r.name.clone());
    let mut taken: HashSet<String> = names.collect();
    for &r in &wrapped {
        let body = &mut lowered.routines[r.index()];
        body.name = fresh_name(format!("{}.body", body.name), &mut taken);
        body.independents.clear();
        body.dependents.clear();
    }
    let (routines, records) = made.into_parts(|name| fresh_name(name, &mut taken));
    lowered.routines.extend(routines);
    lowered.records.extend(records);
    crate::aliased::mark(&mut lowered, GlobalId::new(program.globals.len()));
    validate(lowered)
}

/// The flag for globals that have their initial values; `None` if none needs them at the entry of the program.
fn ready(plan: &mut Plan<'_>) -> Option<GlobalId> {
    let initial = |g: &GlobalId| plan.program.global(*g).initial.is_some();
    if !plan.fixed.keys().any(initial) {
        return None;
    }
    let name = fresh_name("pools.ready".to_owned(), &mut plan.names());
    let g = GlobalId::new(plan.globals.len());
    plan.globals.push(Global {
        variable: Variable::new(
            name,
            ScalarType::Logical,
            Vec::<Dim>::new(),
            Role::Global(g),
        ),
        initial: Some(Box::from([Expr::Logical(false)])),
        overlay: None,
    });
    Some(g)
}

/// The routines that some routine calls.
fn called(program: &Program) -> HashSet<RoutineId> {
    let calls = CallGraph::build(program);
    let routines = (0..program.routines.len()).map(RoutineId::new);
    routines
        .flat_map(|r| calls.callees(r).iter().copied())
        .collect()
}

/// The globals that statements of the program may write.
fn written(program: &Program) -> HashSet<GlobalId> {
    let mut written = HashSet::new();
    for routine in &program.routines {
        for statement in routine.statements() {
            each_written(program, statement, &mut |v| {
                if let Role::Global(g) = routine.variable(v).role {
                    written.insert(g);
                }
            });
        }
    }
    written
}
