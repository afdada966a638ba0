//! A random program of all that the format allows, for changes of anything in it.

use cfg_core::{diagnostic::Diagnostics, entity::RoutineId, validate::ValidProgram};
use cfg_testkit::{
    case::Case,
    general,
    generate::{Options, dressed, generate},
    pointers,
};
use cfg_transform::{pools, records};

/// Bytes that choose a program.
const CHOICE: usize = 3;

/// A program and its point, and the rest of the bytes.
pub(crate) fn program(data: &[u8]) -> Option<(Case, &[u8])> {
    let (choice, rest) = data.split_first_chunk::<CHOICE>()?;
    let seed = u64::from(u16::from_le_bytes([choice[0], choice[1]]));
    let case = match choice[2] % 5 {
        0 => generate(&Options::EXACT, seed).ok()?,
        1 => generate(&Options::WIDE, seed).ok()?,
        2 => general::generate(seed),
        3 => dressed(&general::generate(seed), seed),
        _ => pointers::case(seed),
    };
    Some((case, rest))
}

/// Cells of a pool: programs of [`pointers`] have few objects.
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
