//! Putting records together again: the inverse of [`split`](super::split()), for programs that were made from a split
//! one.
//!
//! The routines of the original come back as they were. In routines made from them, the variables that one record
//! became are fields of one variable again, and so are their derivatives: `p_b` has the type of `p`, and its fields
//! that are not real are unused. Each place of a part is the same place in the record, `"a.v"[i, j]` is `a[i].v[j]`,
//! so the program computes the same. Records are passed as records. Local arrays of records with deferred extents stay
//! split, since an assignment to a field gives no shape to an array of records.

mod arguments;
mod globals;
mod levels;
mod places;
mod plan;

use super::layout::Layouts;
use arguments::Formals;
use cfg_core::{
    diagnostic::{
        Diagnostics,
        site::{Element, Site},
    },
    entity::{GlobalId, RoutineId, VarId},
    flat::Flat,
    ir::{Program, Routine, StatementOrigin, visit::VisitMut as _},
    validate::validate,
};
use globals::Globals;
use places::Rewrite;
use plan::{Plan, Planner, not_grouped};
use std::collections::{HashMap, HashSet};

/// A program with records that was made from one without.
#[derive(Clone, Debug)]
pub struct Grouped {
    /// The program. Routines keep their numbers.
    pub program: Program,
    /// For each global of the program without records, the global that it is, or of which it is a field.
    pub globals: Vec<GlobalId>,
}

/// Puts the records together again from which `flat` was made; a program that never had records stays as it is.
/// `derived` is `flat` with more routines behind; `made` gives the routine of `flat` from which each of them was made.
///
/// # Errors
/// M503: a variable, global or call cannot be put together. Errors of validation: the result breaks a rule, for
/// instance because an expression is too deep with its fields.
pub fn regroup(
    flat: &Flat,
    derived: Program,
    made: &[(RoutineId, RoutineId)],
) -> Result<Grouped, Diagnostics> {
    let Some((original, parts)) = flat.records() else {
        return Ok(Grouped {
            globals: (0..derived.globals.len()).map(GlobalId::new).collect(),
            program: derived,
        });
    };
    let derived = &derived;
    let layouts = Layouts::of_program(original);
    let globals = Globals::regroup(original, parts, derived, &layouts);
    let of: HashMap<RoutineId, RoutineId> = made.iter().map(|&(o, m)| (m, o)).collect();
    let planner = Planner {
        split: flat,
        parts,
        derived,
        globals: &globals,
        layouts: &layouts,
    };
    let first = original.routines.len();
    let mut plans: Vec<Plan> = Vec::new();
    for r in (first..derived.routines.len()).map(RoutineId::new) {
        plans.push(planner.plan(r, of.get(&r).copied())?);
    }
    let formals = original.routines.iter();
    let formals = formals.map(|r| Formals::of_original(r, &layouts));
    let formals: Vec<Formals> = formals.chain(plans.iter().map(Formals::of_plan)).collect();
    let mut routines = original.routines.clone();
    for (k, plan) in plans.into_iter().enumerate() {
        let id = RoutineId::new(first + k);
        let source = of.get(&id).and_then(|o| parts.routines.get(o.index()));
        let source = source.map_or(&[][..], |parts| &parts.statements);
        let routine = rewritten(derived, id, plan, source, &formals, &layouts)?;
        routines.push(routine);
    }
    let program = Program {
        routines,
        globals: globals.grouped,
        records: original.records.clone(),
        main: derived.main,
        sources: derived.sources.clone(),
        annotations: derived.annotations.clone(),
    };
    Ok(Grouped {
        program: validate(program)?.into_program(),
        globals: globals.ids,
    })
}

/// One routine with its records. A statement that was made from one of the split routine gets that statement's origin.
fn rewritten(
    derived: &Program,
    id: RoutineId,
    mut plan: Plan,
    origins: &[StatementOrigin],
    formals: &[Formals],
    layouts: &Layouts<'_>,
) -> Result<Routine, Diagnostics> {
    let all = |list: &[VarId]| -> Vec<VarId> {
        let mut seen = HashSet::new();
        let mapped = list.iter().map(|&v| plan.ids[v.index()]);
        mapped.filter(|&v| seen.insert(v)).collect()
    };
    let old = derived.routine(id);
    let mut routine = Routine {
        parameters: all(&old.parameters),
        independents: all(&old.independents),
        dependents: all(&old.dependents),
        result: old.result.map(|v| plan.ids[v.index()]),
        ..old.clone()
    };
    routine.variables = std::mem::take(&mut plan.variables);
    let mut rewrite = Rewrite {
        plan: &plan,
        formals,
        layouts,
        origins,
        problem: None,
    };
    rewrite.visit_routine(&mut routine);
    match rewrite.problem {
        Some((vertex, message)) => {
            let site = Site::whole(id, Element::Vertex(vertex));
            Err(not_grouped(derived, message, site).into())
        }
        None => Ok(routine),
    }
}
