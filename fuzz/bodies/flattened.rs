//! Programs as transformations need them.

use cfg_core::{diagnostic::Diagnostics, entity::RoutineId, flat::Flat, validate::ValidProgram};
use cfg_transform::{flat, flatten};

/// Cells of a pool: random programs with pointers have few objects.
const CELLS: usize = 200;

/// The program without pointers and records, and its main routine there.
pub(crate) fn flattened(
    program: ValidProgram,
    main: RoutineId,
) -> Result<(Flat, RoutineId), Diagnostics> {
    let options = flat::Options {
        cells: CELLS,
        ..flat::Options::default()
    };
    let made = flatten(program, &[main], &options)?;
    Ok((made.program, made.heads[0]))
}
