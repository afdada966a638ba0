//! Derivatives in several directions at once: vector mode (Griewank & Walther, *Evaluating Derivatives*, 2nd ed.,
//! section 3.1 for the forward, 3.2 for the reverse mode).
//!
//! Every variable that depends on the given derivatives gets one more dimension, in which the values of one
//! derivative in all directions lie next to each other. All other variables are computed, recorded and read once: the
//! forward sweep of a gradient stays as it is, and the reverse sweep takes each value from the tape once. Each
//! direction gets the same operations in the same order as if it were alone, so the values are the same bits.
//!
//! | file | what |
//! |---|---|
//! | `spread` | what depends on the direction |
//! | `places` | places and expressions with a dimension more |
//! | `writer` | a routine: loops over directions around statements |
//! | `contract` | scalars that live in one such loop stay scalars |

mod contract;
mod places;
mod spread;
mod writer;

use cfg_core::{
    diagnostic::{Diagnostic, Diagnostics},
    entity::{GlobalId, RoutineId, VarId},
    ir::{
        Expr, Global, NameOrigin, NameRole, ParameterRole, Program, Role, Signature, original_roles,
    },
    memory::{effects::Effects, global_set::GlobalSet},
};
use std::{collections::BTreeMap, num::NonZeroU32};

use crate::code::names::Namer;

/// How many directions there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// As many as a parameter of the routines says.
    Given,
    /// As many as this: loops over directions have constant bounds.
    Fixed(NonZeroU32),
}

/// The number of directions of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// As many as this parameter says.
    Parameter(VarId),
    /// As many as this.
    Fixed(NonZeroU32),
}

/// A routine in several directions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InDirections {
    /// The routine. Its parameters: the number of directions unless that is fixed, those of the routine that it was
    /// made from, `globals`.
    pub routine: RoutineId,
    /// The number of directions.
    pub count: Count,
    /// The parameters that replace derivatives in globals, each with its global: the extents of a global are
    /// constant, so it cannot have the dimension of the directions.
    pub globals: Vec<(VarId, GlobalId)>,
}

/// The program with a routine NAME_v for each of `routines`, which are derivative routines, and for every routine
/// that they call with derivatives. Returns the new routines in the order of `routines`.
///
/// `globals` are the derivatives in globals. The adjoints or tangents of the routines' parameters, and these globals,
/// have values in each direction; row by row the direction is the last dimension, column by column the first. In a fixed
/// number of directions, the derivatives of cells that nobody can use after the program has ended are globals with that
/// dimension.
///
/// # Errors
/// V164: the program has pointers. V161: it has records. R313: a decision depends on a derivative, or a routine with a
/// derivative as its result has effects.
pub fn directions(
    mut program: Program,
    routines: &[RoutineId],
    globals: &[GlobalId],
    count: Directions,
) -> Result<(Program, Vec<InDirections>), Diagnostics> {
    let refused = if program.has_pointers() {
        Some((&cfg_core::codes::POINTERS, "pointers"))
    } else {
        (program.has_record_variables()).then_some((&cfg_core::codes::RECORDS, "records"))
    };
    if let Some((code, has)) = refused {
        let message =
            format!("derivatives in several directions are made of programs without {has}");
        let help = "flatten the program first: `cfgrev convert --to json --pointers lower --records split`";
        return Err(Diagnostic::error(code, message, help).into());
    }
    let effects = Effects::summarise(&program);
    let mut reachable: Vec<RoutineId> = routines
        .iter()
        .flat_map(|&r| effects.calls.reachable(r))
        .collect();
    reachable.sort_unstable();
    reachable.dedup();
    let mut seeds = Vec::new();
    for &r in routines {
        let roles = Signature::from_origins(&program, r).parameters;
        for (p, role) in program.routine(r).parameter_ids().zip(roles) {
            match role {
                ParameterRole::Adjoint(_) | ParameterRole::Tangent(_) => seeds.push((r, p)),
                ParameterRole::Primal(_) | ParameterRole::Tape | ParameterRole::Own(_) => {}
            }
        }
    }
    let derivatives: GlobalSet = globals.iter().copied().collect();
    let spread = spread::Spread::propagate(&program, &effects, &reachable, &seeds, &derivatives);
    let mut scratch = Vec::new();
    let setting = writer::Setting {
        program: &program,
        effects: &effects,
        spread: &spread,
        count,
        scratch: match count {
            Directions::Given => BTreeMap::new(),
            Directions::Fixed(n) => scratch_in_directions(&program, globals, n, &mut scratch),
        },
    };
    let mut namer = Namer::new(program.routines.iter().map(|r| r.name.as_str()));
    let first = program.routines.len();
    // New routines are numbered in the order of the requests.
    let mut numbers: BTreeMap<RoutineId, RoutineId> = BTreeMap::new();
    let mut asked: Vec<RoutineId> = Vec::new();
    let mut written = Vec::new();
    let mut number = |asked: &mut Vec<RoutineId>, r: RoutineId| {
        *numbers.entry(r).or_insert_with(|| {
            asked.push(r);
            RoutineId::new(first + asked.len() - 1)
        })
    };
    for &r in routines {
        number(&mut asked, r);
    }
    while let Some(&r) = asked.get(written.len()) {
        let name = namer.fresh_name(format!("{}_v", program.routine(r).name));
        let made = writer::write(&setting, r, name, &mut |callee| number(&mut asked, callee))?;
        written.push(made);
    }
    let made: Vec<InDirections> = written
        .iter()
        .zip(first..)
        .take(routines.len())
        .map(|(made, k)| InDirections {
            routine: RoutineId::new(k),
            count: made.count,
            globals: made.globals.clone(),
        })
        .collect();
    program
        .routines
        .extend(written.into_iter().map(|made| made.routine));
    program.globals.extend(scratch);
    Ok((program, made))
}

/// For each derivative of cells that nobody can use after the program has ended, the global that has it in `n`
/// directions. These globals are added to `made`, and will stand behind those of the program.
fn scratch_in_directions(
    program: &Program,
    derivatives: &[GlobalId],
    n: NonZeroU32,
    made: &mut Vec<Global>,
) -> BTreeMap<GlobalId, (GlobalId, String)> {
    let roles = original_roles(program.globals.iter().map(|global| &global.variable));
    let mut namer = Namer::new(program.globals.iter().map(|g| g.variable.name.as_str()));
    let mut found = BTreeMap::new();
    for &g in derivatives {
        let global = program.global(g);
        if roles[g.index()] != Some(&NameRole::ScratchCells) || global.overlay.is_some() {
            continue;
        }
        let id = GlobalId::new(program.globals.len() + made.len());
        let role = global
            .variable
            .origin
            .as_ref()
            .map(|origin| origin.role.clone());
        let mut variable = global.variable.clone();
        variable.name = namer.fresh_name(format!("{}_v", variable.name));
        variable.role = Role::Global(id);
        variable.origin =
            role.map(|role| Box::new(NameOrigin::new(role, global.variable.name.clone())));
        writer::widen(&mut variable, &Expr::Int(n.get().into()));
        let initial = global.initial.as_deref();
        let initial = initial.filter(|values| values.len() == 1).map(Box::from);
        found.insert(g, (id, variable.name.clone()));
        made.push(Global {
            variable,
            initial,
            overlay: None,
        });
    }
    found
}
