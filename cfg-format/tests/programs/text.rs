//! Printed programs read back equal.

#[path = "../../../fuzz/bodies/text.rs"]
mod body;

use cfg_core::random::SplitMix64;
use cfg_testkit::generate::{Options, dressed, generate};
use cfg_testkit::plain::comes_back;
use cfg_testkit::property::{check, check_numbered};
use cfg_testkit::{general, kernels};

#[test]
fn kernels_come_back() {
    for kernel in kernels::all() {
        let back = comes_back(&kernel.case(kernel.size).program);
        assert_eq!(back, Ok(()), "{}", kernel.name);
    }
}

#[test]
fn random_programs_come_back() {
    for options in [Options::WIDE, Options::EXACT, Options::SMOOTH] {
        check(&options, 0..200, |case| comes_back(&case.program));
    }
    check_numbered(&Options::EXACT, 0..200, |seed, case| {
        comes_back(&dressed(case, seed).program)
    });
}

#[test]
fn random_graphs_come_back() {
    for seed in 0..200 {
        let case = general::generate(seed);
        assert_eq!(comes_back(&case.program), Ok(()), "seed {seed}");
        let case = dressed(&case, seed);
        assert_eq!(comes_back(&case.program), Ok(()), "seed {seed}, dressed");
    }
}

/// A text in which some pieces have been left out, doubled, or put elsewhere is read or reported, and a program that
/// is read is printed and read again: most such texts break a rule that only validation knows, so the text form must
/// print invalid programs, too.
#[test]
fn damaged_texts_are_read_or_told() {
    for seed in 0..400 {
        let program = match seed % 2 {
            0 => general::generate(seed).program,
            _ => match generate(&Options::WIDE, seed) {
                Ok(case) => case.program,
                Err(_) => continue,
            },
        };
        let printed = program.to_string();
        let mut random = SplitMix64::new(seed);
        let mut pieces: Vec<&str> = printed
            .split_inclusive([' ', '\n', '[', '(', ','])
            .collect();
        for _ in 0..=random.bits() % 3 {
            let k = (random.bits() % pieces.len() as u64) as usize;
            let piece = pieces.remove(k);
            match random.bits() % 3 {
                0 => {}
                1 => pieces.splice(k..k, [piece, piece]).for_each(drop),
                _ => {
                    let to = (random.bits() % (pieces.len() as u64 + 1)) as usize;
                    pieces.insert(to, piece);
                }
            }
        }
        body::run(pieces.concat().as_bytes());
    }
}
