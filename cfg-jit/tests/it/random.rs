//! Random programs and their gradients, to the end and up to drawn limits.

use cfg_core::validate::validate;
use cfg_drive::Options as Driven;
use cfg_exec::RunOptions;
use cfg_testkit::{
    case::Case,
    generate::Options,
    property::{cases, check_numbered},
    rng::Rng,
};
use cfg_transform::{flat, flatten};

use crate::{engines, gradient, primal};

/// Compares the engines under some limits.
fn agrees(case: &Case, run: &RunOptions, steps: u64) -> Result<(), String> {
    let program = validate(case.program.clone()).map_err(|d| format!("invalid: {d}"))?;
    let program = flatten(program, &[], &flat::Options::default());
    let program = program.map_err(|d| format!("{d}"))?.program;
    let point = case.point_text();
    let same = |what: &str, [expected, found @ ..]: [String; 3]| match found
        .iter()
        .find(|found| **found != expected)
    {
        None => Ok(()),
        Some(found) => Err(format!(
            "{what}, {steps}: {expected}\nby machine code: {found}"
        )),
    };
    let options: [Driven; 3] = engines(run, steps);
    let read = point.as_bytes();
    let ran = options
        .each_ref()
        .map(|o| primal(&program, case.main, o, &|p| p.read_point(read).ok()));
    same("primal", ran)?;
    let ran = options.each_ref().map(|o| {
        format!(
            "{:?}",
            gradient(&program, case.main, o, &|a| a.read_point(read).ok())
        )
    });
    same("gradient", ran)
}

fn alike(options: &Options, seeds: std::ops::Range<u64>) {
    check_numbered(options, seeds, |seed, case| {
        let mut rng = Rng::new(seed);
        let run = RunOptions::default();
        let steps = [20, 200, 2000].map(|most| rng.below(most) as u64);
        agrees(case, &run, steps[2])?;
        agrees(
            case,
            &RunOptions {
                fuel: rng.below(3000) as u64,
                ..run.clone()
            },
            steps[1],
        )?;
        agrees(
            case,
            &RunOptions {
                max_tape: rng.below(200) as u64,
                ..run.clone()
            },
            steps[0],
        )?;
        agrees(
            case,
            &RunOptions {
                max_memory: 1000 + 8 * rng.below(4000) as u64,
                ..run
            },
            steps[1],
        )
    });
}

#[test]
fn exact_programs_run_alike() {
    alike(&Options::EXACT, 0..cases(40));
}

#[test]
fn wide_programs_run_alike() {
    alike(&Options::WIDE, 3000..3000 + cases(40));
}

#[test]
fn smooth_programs_run_alike() {
    alike(&Options::SMOOTH, 7000..7000 + cases(40));
}
