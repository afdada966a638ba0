//! Structured programs as blocks and jumps, and back.

use cfg_core::entity::RoutineId;
use cfg_core::ir::{Control, Program, Routine};
use cfg_core::memory::effects::Effects;
use cfg_core::{recover, text, validate};
use cfg_testkit::case::Case;
use cfg_testkit::general;
use cfg_testkit::generate::Options;
use cfg_testkit::interpret::Limits;
use cfg_testkit::kernels;
use cfg_testkit::property::check;

fn each(program: &Program, change: impl Fn(&Routine) -> Routine) -> Program {
    let mut changed = program.clone();
    for routine in &mut changed.routines {
        *routine = change(routine);
    }
    changed
}

fn shown(program: &Program, routine: &Routine) -> String {
    let mut out = String::new();
    text::routine(&mut out, program, routine).unwrap();
    out
}

/// True if no vertex is a loop or the end of one.
fn only_jumps(routine: &Routine) -> bool {
    let vertices = routine.body.iter().flat_map(|cfg| cfg.vertices());
    vertices.into_iter().all(|(_, v)| {
        matches!(
            v.vertex_type().name(),
            "ENTRY" | "EXIT" | "BASICBLOCK" | "BRANCH"
        )
    })
}

fn with_program(case: &Case, program: Program) -> Result<Case, String> {
    let (_, problems) = validate::find_problems(&program);
    if problems.has_errors() {
        let routines = program.routines.iter();
        let texts: Vec<String> = routines.map(|r| shown(&program, r)).collect();
        return Err(format!("{problems}\n{}", texts.join("\n")));
    }
    Ok(Case {
        program,
        ..case.clone()
    })
}

fn same_run(a: &Case, b: &Case, what: &str) -> Result<(), String> {
    // Blocks and jumps take other steps.
    let limits = Limits {
        fuel: Limits::default().fuel.saturating_mul(4),
        ..Limits::default()
    };
    let run = |case: &Case| case.run(limits).map_err(|e| format!("{what}: {e:?}"));
    let (a, b) = (run(a)?, run(b)?);
    let values = |o: &cfg_testkit::interpret::Outcome<()>| {
        format!("{:?} {:?} {:?}", o.parameters, o.result, o.globals)
    };
    if values(&a) == values(&b) {
        Ok(())
    } else {
        Err(format!("{what}: {} and {}", values(&a), values(&b)))
    }
}

fn there_and_back(case: &Case) -> Result<(), String> {
    let program = &case.program;
    let flat = each(program, |r| {
        recover::flatten(program, &Effects::summarise(program), r)
    });
    if !flat.routines.iter().all(only_jumps) {
        return Err("flattened: loops are left".to_owned());
    }
    for (r, (flat, original)) in flat.routines.iter().zip(&program.routines).enumerate() {
        let vertices = |r: &Routine| r.body.as_ref().map_or(0, |cfg| cfg.vertex_count());
        if vertices(flat) < vertices(original) {
            return Err(format!("routine {r}: not one block per vertex"));
        }
    }
    same_run(case, &with_program(case, flat.clone())?, "flattened")?;
    let back = recover::recover_program(&flat);
    for (r, original) in program.routines.iter().enumerate() {
        let recovered = back.routine(RoutineId::new(r));
        if recovered.control != Control::Structured {
            return Err(format!(
                "general: {}",
                shown(&flat, flat.routine(RoutineId::new(r)))
            ));
        }
        let expected = recover::normal_form(program, &Effects::summarise(program), original);
        let actual = recover::normal_form(&back, &Effects::summarise(&back), recovered);
        if format!("{expected:?}") != format!("{actual:?}") {
            return Err(format!(
                "differs:\n{}\nrecovered as\n{}",
                shown(program, &expected),
                shown(&back, &actual)
            ));
        }
    }
    same_run(case, &with_program(case, back)?, "recovered")?;
    let dense = each(program, |r| {
        recover::flatten_dense(program, &Effects::summarise(program), r)
    });
    same_run(case, &with_program(case, dense.clone())?, "dense")?;
    let back = recover::recover_program(&dense);
    if let Some(r) = back
        .routines
        .iter()
        .find(|r| r.control != Control::Structured)
    {
        return Err(format!("dense, general: {}", shown(&back, r)));
    }
    same_run(case, &with_program(case, back)?, "recovered from dense")
}

#[test]
fn random_programs() {
    check(&Options::EXACT, 0..1500, there_and_back);
}

/// Any graph, with LOOPs used well and badly, computes the same as blocks and jumps, without its empty parts, and
/// recovered.
#[test]
fn general_programs() {
    let changed: [fn(&Program, &Routine) -> Routine; 4] = [
        |p, r| recover::flatten(p, &Effects::summarise(p), r),
        |p, r| recover::flatten_dense(p, &Effects::summarise(p), r),
        |p, r| recover::recover(p, &Effects::summarise(p), r),
        |p, r| recover::normal_form(p, &Effects::summarise(p), r),
    ];
    for seed in 0..400 {
        let case = general::generate(seed);
        for (k, change) in changed.iter().enumerate() {
            let made = each(&case.program, |r| change(&case.program, r));
            let same = with_program(&case, made.clone())
                .and_then(|made| same_run(&case, &made, &format!("seed {seed}, {k}")));
            same.unwrap_or_else(|e| panic!("{e}\n{}\n{made}", case.program));
            if k < 2 {
                assert!(made.routines.iter().all(only_jumps), "seed {seed}, {k}");
            }
        }
    }
}

#[test]
fn fixtures() {
    for kernel in kernels::all() {
        there_and_back(&kernel.case(kernel.size))
            .unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
    }
}
