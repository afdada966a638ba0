//! Vertices and edges with ids of all kinds: elements that are added to their graphs get other ids.

use crate::adjoint::{NONE, agrees, agrees_general};
use cfg_core::memory::effects::Effects;
use cfg_core::{
    ir::{Control, Program, Routine},
    recover,
    structure::Structure,
    validate,
};
use cfg_reverse::{Options, Unstructured, reverse, tangent};
use cfg_testkit::flat;
use cfg_testkit::{
    case::Case,
    general,
    generate::Options as Generate,
    property,
    renumber::{renumber, shuffle},
    rng::Rng,
};

fn options() -> [Options; 3] {
    let with = |merge, unstructured| Options {
        merge,
        unstructured,
        ..Options::default()
    };
    [
        with(false, Unstructured::Structure),
        with(true, Unstructured::Structure),
        with(false, Unstructured::Trace),
    ]
}

fn renumbered(case: &Case, seed: u64) -> Case {
    let mut case = case.clone();
    renumber(&mut case.program, &mut Rng::new(seed));
    case
}

/// The program written with jumps, with and without empty blocks, and recovered from both.
fn jumps(program: &Program) -> Result<(), String> {
    let each = |of: &dyn Fn(&Routine) -> Routine| {
        let mut made = program.clone();
        for (slot, routine) in made.routines.iter_mut().zip(&program.routines) {
            *slot = of(routine);
        }
        validate::validate(made.clone()).map_err(|d| d.to_string())?;
        Ok::<_, String>(made)
    };
    for flat in [
        each(&|r| recover::flatten(program, &Effects::summarise(program), r))?,
        each(&|r| recover::flatten_dense(program, &Effects::summarise(program), r))?,
    ] {
        let back = recover::recover_program(&flat);
        validate::validate(back).map_err(|d| d.to_string())?;
    }
    Ok(())
}

#[test]
fn of_structured_programs() {
    let kinds = options();
    property::check(&Generate::EXACT, 60_000..60_600, |case| {
        let seed = case.point.len() as u64 + case.program.routines.len() as u64;
        for (k, options) in kinds.iter().take(2).enumerate() {
            let case = renumbered(case, 3 * seed + k as u64);
            jumps(&case.program)?;
            agrees(&case, options, &NONE)?;
        }
        Ok(())
    });
}

#[test]
fn of_graphs_of_blocks_and_jumps() {
    for seed in 0..400 {
        let case = renumbered(&general::generate(20_000 + seed), seed);
        for options in options() {
            if let Err(message) = agrees_general(&case, &options) {
                panic!("seed {seed}: {message}");
            }
        }
    }
}

/// Whatever the order of the original's vertices is, generated graphs have theirs in that of Algorithm 1.
#[test]
fn generated_graphs_are_in_topological_order() {
    property::check(&Generate::EXACT, 61_000..61_300, |case| {
        let mut program = case.program.clone();
        shuffle(&mut program, &mut Rng::new(case.point.len() as u64));
        let originals = program.routines.len();
        let valid = validate::validate(program).map_err(|d| d.to_string())?;
        let mut generated = Vec::new();
        for options in &options()[..2] {
            let reversal = reverse(&flat(&valid), case.main, options).map_err(|d| d.to_string())?;
            generated.extend(reversal.program.routines.into_iter().skip(originals));
        }
        let tangent = tangent(&flat(&valid), case.main).map_err(|d| d.to_string())?;
        generated.extend(tangent.program.routines.into_iter().skip(originals));
        let structured = generated
            .iter()
            .filter(|r| r.control == Control::Structured);
        for routine in structured {
            let cfg = routine.body.as_ref().ok_or("no body")?;
            let structure = Structure::compute(cfg).map_err(|d| d.to_string())?;
            if !structure
                .order
                .iter()
                .map(|v| v.index())
                .eq(0..cfg.vertex_count())
            {
                return Err(format!("{}: {:?}", routine.name, structure.order));
            }
        }
        Ok(())
    });
}
