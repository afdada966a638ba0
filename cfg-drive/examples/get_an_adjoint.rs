//! From a program to its adjoint: read a program, reverse one of its routines, write the result as JSON, as
//! text and as a picture, and prove its stacks right.
//!
//! Without an argument it takes the example of Naumann et al. 2004, section 2.
#![expect(clippy::print_stdout, reason = "an example prints")]

use cfg_back::dot::{DotOptions, write_cfg};
use cfg_core::entity::RoutineId;
use cfg_core::flat::Flat;
use cfg_core::text;
use cfg_format::json;
use cfg_reverse::{Options, Reversal, reverse};
use cfg_transform::{flat, flatten};
use std::error::Error;
use tape_check::Pair;

const PAPER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/examples/data/paper_example.json"
);

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1);
    show(&std::fs::read(file.as_deref().unwrap_or(PAPER))?)
}

/// Prints the adjoint as text, as a picture, and how long it is as JSON.
fn show(bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let reversal = adjoint(bytes)?;
    let program = &reversal.program;

    // As text, for people.
    let mut shown = String::new();
    for routine in [reversal.forward, reversal.reverse] {
        text::routine(&mut shown, program, program.routine(routine))?;
    }
    println!("{shown}");

    // As a picture: pipe it into `dot -Tsvg`.
    let mut picture = String::new();
    write_cfg(
        &mut picture,
        program,
        reversal.reverse,
        &DotOptions::default(),
    )?;
    println!("{picture}");

    // As JSON, for programs: what `json::read` takes back.
    let mut bytes = Vec::new();
    json::write(program, &mut bytes)?;
    println!("{} bytes of JSON", bytes.len());
    Ok(())
}

/// The forward and the reverse sweep of a program's main (or only) routine.
fn adjoint(bytes: &[u8]) -> Result<Reversal, Box<dyn Error>> {
    // All problems of the file at once, or a program that keeps all rules.
    let program = json::read_valid(bytes)?;
    let only = (!program.routines.is_empty()).then(|| RoutineId::new(0));
    let routine = program.main.or(only).ok_or("the program has no routine")?;
    // The transformations take programs without pointers and records.
    let made = flatten(program, &[routine], &flat::Options::default())?;
    let (program, routine) = (made.program, made.heads[0]);
    let reversal = reverse(&program, routine, &Options::default())?;

    // The result is a program like any other: it is validated like any other, and the stack checker,
    // which shares no code with the reversal, proves that each pop meets its push.
    let valid = Flat::check(cfg_core::validate::validate(reversal.program.clone())?)?;
    let pair = Pair {
        forward: reversal.forward,
        reverse: reversal.reverse,
        original: Some(routine),
        runs_again: false,
    };
    let problems = tape_check::check(&valid, &[pair]);
    if problems.has_errors() {
        return Err(problems.into());
    }
    // The result gets its records back, for people to read.
    Ok(reversal.regrouped(&program)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_example_has_the_papers_numbers() {
        let bytes = std::fs::read(PAPER).expect("the fixture");
        let reversal = adjoint(&bytes).expect("it has an adjoint");
        let vertices = |r| {
            let graph = reversal.program.routine(r).body.as_ref();
            graph.map(cfg_core::ir::Cfg::vertex_count)
        };
        assert_eq!(vertices(reversal.forward), Some(17));
        assert_eq!(vertices(reversal.reverse), Some(14));
        show(&bytes).expect("it runs");
    }

    #[test]
    fn a_wrong_file_is_refused_with_all_problems() {
        let text = br#"{"format": "cfgrev/1", "routines": [], "x": 1, "y": 2}"#;
        let problems = adjoint(text).expect_err("it is wrong").to_string();
        assert!(
            problems.contains("\"x\"") || problems.contains(" x"),
            "{problems}"
        );
        assert!(
            problems.contains("\"y\"") || problems.contains(" y"),
            "{problems}"
        );
    }
}
