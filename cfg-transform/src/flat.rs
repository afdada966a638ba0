//! Making valid programs flat: the list of passes.

use crate::{
    checkpoint::outline_possible_checkpoints,
    pools::{self, SameAs},
    records,
};
use cfg_core::{
    diagnostic::Diagnostics,
    entity::RoutineId,
    flat::{Flat, Provenance, place_in_original},
    ir::Program,
    validate::{ValidProgram, validate},
};
use std::sync::Arc;

/// Options for making a program flat.
#[derive(Clone, Debug)]
pub struct Options<'o> {
    /// Number of cells of a pool, and of objects in it ([`pools`]).
    pub cells: usize,
    /// Parameters of the first head that lead to the same objects as others: the head is entered without them.
    pub same_as: &'o [SameAs],
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            cells: pools::CELLS,
            same_as: &[],
        }
    }
}

/// A flat program, and the routines by which it is entered.
#[derive(Clone, Debug)]
pub struct Flattened {
    /// The program.
    pub program: Flat,
    /// The routines with the names of the heads, in their order. A head that takes pointers is replaced by a new
    /// routine that calls it; a head that is no routine stays as it is.
    pub heads: Vec<RoutineId>,
}

/// The program without pointers and records, to be entered by these routines: pointers become numbers of cells
/// ([`pools`]), then records become a variable for each field ([`mod@records`]), and in programs with records checkpointed
/// parts become routines of their own ([`crate::checkpoint`]). Routines keep their numbers, and so do vertices of programs
/// without checkpoints. A flat program stays as it is.
///
/// # Errors
/// M504: the program uses pointers in a way that has no counterpart. Errors of validation: the result of a pass breaks
/// a rule, for instance because an expression is too deep with all its subscripts, or because arguments overlap by
/// [`Options::same_as`] in a routine that is not `aliased`.
///
/// ```
/// use cfg_core::validate::validate;
/// use cfg_format::text;
/// use cfg_transform::{flatten, flat::Options};
///
/// let parsed = text::parse("
/// subroutine f(in ^real p, in integer n, out real y)
///   local integer i
///   y := 0.0
///   for i = 1, n
///     y := y + p^[i - 1]*p^[i - 1]
///   end
/// end
/// ");
/// let program = validate(parsed.program.ok_or(parsed.problems)?)?;
/// let f = program.find_routine("f").expect("there is an f");
/// let flat = flatten(program, &[f], &Options::default())?;
/// let f = flat.program.routine(flat.heads[0]);
/// assert_eq!(f.variable(f.parameters[0]).rank(), 1);
/// # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
/// ```
pub fn flatten(
    program: ValidProgram,
    heads: &[RoutineId],
    options: &Options<'_>,
) -> Result<Flattened, Diagnostics> {
    let mut heads = heads.to_vec();
    if options.same_as.is_empty() && !program.has_pointers() {
        return Ok(Flattened {
            program: split_records(program, None)?,
            heads,
        });
    }
    let lowered = match heads.first_mut() {
        Some(head) if !options.same_as.is_empty() => {
            let (joined, id) = pools::same_as(&program, *head, options.same_as)?;
            *head = id;
            lower_pointers(&joined, &mut heads, options.cells)?
        }
        Some(_) | None => lower_pointers(&program, &mut heads, options.cells)?,
    };
    Ok(Flattened {
        program: split_records(lowered, Some(Arc::new(program)))?,
        heads,
    })
}

/// The flat program after `change`, which is applied to it in the form with records ([`Flat::grouped`]).
///
/// # Errors
/// The errors are those of `change`, of the changed program, and of [`flatten`].
pub fn change_grouped(
    flat: Flat,
    change: impl FnOnce(&mut Program) -> Result<(), Diagnostics>,
) -> Result<Flat, Diagnostics> {
    let pointers = flat.provenance().pointers.clone();
    let mut program = flat.into_grouped().into_program();
    change(&mut program)?;
    // Kept to place problems: the origins of its statements lead to the original.
    let lowered = pointers.as_ref().map(|_| program.clone());
    let valid = validate(program).map_err(|problems| match (&pointers, &lowered) {
        (Some(original), Some(lowered)) => place_all(original, lowered, problems),
        (_, _) => problems,
    })?;
    split_records(valid, pointers)
}

/// The program without pointers; the heads become the routines of their names there.
fn lower_pointers(
    program: &ValidProgram,
    heads: &mut [RoutineId],
    cells: usize,
) -> Result<ValidProgram, Diagnostics> {
    let lowered = pools::lower(program, heads, cells)?;
    for head in heads {
        let routine = program.routines.get(head.index());
        if let Some(entered) = routine.and_then(|r| lowered.find_routine(&r.name)) {
            *head = entered;
        }
    }
    Ok(lowered)
}

/// The program without records; `pointers` is the program that it was made from, if that had pointers.
fn split_records(
    program: ValidProgram,
    pointers: Option<Arc<ValidProgram>>,
) -> Result<Flat, Diagnostics> {
    if !program.has_record_variables() {
        let records = None;
        return Flat::made(program, Provenance { records, pointers });
    }
    // Records are put together again in routines that had them, so that parts are outlined before.
    // Parts that stay are outlined, or refused, where they are reversed.
    let (program, _) = outline_possible_checkpoints(program)?;
    let split = records::split_with_parts(&program);
    let (split, parts) = split.map_err(|problems| match &pointers {
        Some(original) => place_all(original, &program, problems),
        None => problems,
    })?;
    let records = Some((Arc::new(program), Arc::new(parts)));
    Flat::made(split, Provenance { records, pointers })
}

/// Moves problems of a program whose pointers were lowered to the places of the original.
fn place_all(original: &Program, lowered: &Program, problems: Diagnostics) -> Diagnostics {
    let placed = problems.0.into_iter();
    Diagnostics(
        placed
            .map(|p| place_in_original(original, lowered, p))
            .collect(),
    )
}
