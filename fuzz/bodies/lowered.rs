//! Programs as transformations need them.

use cfg_core::{diagnostic::Diagnostics, entity::RoutineId, validate::ValidProgram};
use cfg_transform::{pools, records};

/// Cells of a pool: random programs with pointers have few objects.
const CELLS: usize = 200;

/// The program without pointers and records, and its main routine there.
pub(crate) fn lowered(
    program: ValidProgram,
    main: RoutineId,
) -> Result<(ValidProgram, RoutineId), Diagnostics> {
    if !program.has_pointers() {
        return Ok((records::without_records(&program)?.into_owned(), main));
    }
    let made = pools::lower(&program, &[main], CELLS)?;
    let name = &program.routine(main).name;
    let main = made.find_routine(name).expect("a head keeps its name");
    Ok((records::without_records(&made)?.into_owned(), main))
}
