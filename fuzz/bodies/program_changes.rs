//! A random program of all that the format allows, for changes of anything in it.

use cfg_testkit::{
    case::Case,
    general,
    generate::{Options, dressed, generate},
    pointers,
};

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
