//! Loops that an adjoint of 0 makes idle: derivatives are the same with and without the tests that skip them.

use crate::run::{Named, filled, point, run, valid};
use cfg_core::{
    entity::RoutineId,
    ir::{Intent, NameRole, Program},
    validate::ValidProgram,
};
use cfg_reverse::{Options, reverse, skip_idle_loops, tangent};
use cfg_testkit::{case::Case, generate::Options as Generate, property};
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of branches of all routines.
fn branches(program: &Program) -> u64 {
    let graphs = program.routines.iter().filter_map(|r| r.body.as_ref());
    let vertices = graphs.flat_map(|cfg| cfg.vertices());
    vertices
        .filter(|(_, v)| v.kind.selector().is_some())
        .count() as u64
}

/// The arguments of a derivative at a point: derivatives are small whole numbers.
fn arguments(case: &Case, program: &ValidProgram, r: RoutineId) -> Result<Named, String> {
    let mut given = point(case);
    let original = valid(case.program.clone())?;
    let results = run(&original, case.main, &given)?;
    let routine = program.routine(r);
    for (k, p) in routine.parameter_ids().enumerate() {
        let variable = routine.variable(p);
        let role = variable.origin.as_ref().map(|origin| &origin.role);
        if matches!(role, Some(NameRole::Adjoint | NameRole::Tangent)) {
            let base = variable.name.trim_end_matches("_t").trim_end_matches("_b");
            if let Some(like) = results.get(base) {
                let made = filled(like, |i| ((k * 5 + i * 3) % 4) as f64 - 1.0);
                given.insert(variable.name.clone(), made);
            }
        }
        if variable.intent() == Some(Intent::Out) {
            given.remove(&variable.name);
        }
    }
    Ok(given)
}

/// Fails if a routine has other results where idle loops are skipped; counts the tests.
fn same(case: &Case, program: Program, r: RoutineId, tests: &AtomicU64) -> Result<(), String> {
    let before = branches(&program);
    let skipping = skip_idle_loops(program.clone());
    let made = branches(&skipping) - before;
    if made == 0 {
        return Ok(());
    }
    tests.fetch_add(made, Ordering::Relaxed);
    let skipping = valid(skipping).map_err(|d| format!("invalid {d}"))?;
    // A loop that is skipped is not visited, so vertices are not compared.
    let mut unnamed = skipping.program().clone();
    let graphs = unnamed.routines.iter_mut().filter_map(|r| r.body.as_mut());
    for vertex in graphs.flat_map(|cfg| cfg.vertices_mut()) {
        vertex.origin = None;
    }
    let stacks = tape_check::check_program(&valid(unnamed)?).problems;
    if !stacks.is_empty() {
        return Err(format!("stacks {stacks}"));
    }
    let program = valid(program)?;
    let given = arguments(case, &program, r)?;
    let Ok(expected) = run(&program, r, &given) else {
        return Ok(());
    };
    let found = run(&skipping, r, &given).map_err(|e| format!("run {e}"))?;
    for (name, value) in &expected {
        let (Some(x), Some(y)) = (value.to_f64s(), found[name].to_f64s()) else {
            continue;
        };
        for (x, y) in x.iter().zip(&y) {
            if !x.is_nan() && x != y {
                return Err(format!("differs {name}: {x} without tests, {y} with them"));
            }
        }
    }
    Ok(())
}

/// The gradient, and its tangent.
fn both_orders(case: &Case, tests: &[AtomicU64; 2]) -> Result<(), String> {
    let flat = valid(case.program.clone())?;
    let Ok(first) = reverse(&flat, case.main, &Options::default()) else {
        return Ok(());
    };
    same(case, first.program.clone(), first.gradient, &tests[0])?;
    let Ok(second) = tangent(&valid(first.program)?, first.gradient) else {
        return Ok(());
    };
    same(case, second.program, second.tangent, &tests[1])
}

#[test]
fn random_programs_have_the_same_derivatives() {
    for (options, seeds) in [
        (Generate::EXACT, 88_000..89_000),
        (Generate::SMOOTH, 89_000..89_500),
        (Generate::WIDE, 90_000..91_000),
    ] {
        let tests = [AtomicU64::new(0), AtomicU64::new(0)];
        property::check(&options, seeds, |case| both_orders(case, &tests));
        println!("tests: {tests:?}");
    }
}
