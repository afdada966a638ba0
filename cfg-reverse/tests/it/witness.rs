//! Adjoint programs under a witness: every value that a reverse sweep reads is the value that was there in the forward
//! sweep. The witness itself is tested with adjoint programs that were made wrong.

use crate::wrong::{Change, changes, wrong};
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder},
    entity::{RoutineId, VarId},
    flat::Flat,
    ir::{Expr, Op, ParameterRole, Program, ScalarType::Real, Signature, StmtKind},
    validate,
};
use cfg_reverse::{Blocks, Inside, Options, Order, Prefer, Reversal, Unstructured, reverse};
use cfg_testkit::{
    case::{Case, Datum, Elements},
    checkpoints::with_checkpoints,
    flat, general,
    generate::Options as Generate,
    interpret::{Limits, Outcome, Report},
    pointers, property,
};
use cfg_transform::flatten;
use std::sync::atomic::{AtomicU64, Ordering};

const LIMITS: Limits = Limits {
    fuel: 100_000_000,
    cells: 10_000_000,
    depth: 10_000,
    largest: f64::INFINITY,
    trace: false,
};

/// The findings of the witness of the gradient of a case. `None`: a program without an adjoint.
pub(crate) fn witnessed(
    case: &Case,
    program: &Flat,
    options: &Options,
) -> Result<Option<Report>, String> {
    let Ok(reversal) = reverse(program, case.main, options) else {
        return Ok(None);
    };
    let found = case.witness(
        &reversal.program,
        reversal.gradient,
        &reversal.sweeps,
        LIMITS,
    );
    let (_, report) = found.map_err(|fault| {
        let name = &reversal.program.routine(fault.routine).name;
        format!("the gradient fails in {name}: {fault:?}")
    })?;
    Ok(Some(report))
}

/// Options that differ in all that decides what is recorded, and how it is found again.
fn drawn(seed: u64) -> Options {
    let blocks = [
        Blocks::Statement,
        Blocks::Preaccumulate,
        Blocks::Auto,
        Blocks::Carry,
    ];
    let inside = [Inside::Pools, Inside::Arrays, Inside::Nothing];
    let flow_limit = [cfg_core::dataflow::FLOW_LIMIT, 0, 1000];
    Options {
        blocks: blocks[(seed % 4) as usize],
        work: 20_000,
        counters: (seed / 3).is_multiple_of(4),
        markers: (seed / 12).is_multiple_of(4),
        prefer: [Prefer::Time, Prefer::Memory][(seed / 4 % 2) as usize],
        values: (seed / 9).is_multiple_of(4),
        merge: (seed / 2).is_multiple_of(2),
        inside: inside[(seed / 5 % 3) as usize],
        unstructured: match seed % 16 {
            0 => Unstructured::Trace,
            _ => Unstructured::Structure,
        },
        flow_limit: flow_limit[(seed / 7 % 3) as usize],
        // The witness knows the routines of sweeps.
        order: Order::Reverse,
        ..Options::default()
    }
}

/// Programs with an adjoint, those without; reads that were compared, and those that were not; the same of assigned
/// values.
#[derive(Default)]
struct Counts([AtomicU64; 6]);

impl Counts {
    /// The number of values that were assigned when a part ran again.
    fn agrees(&self, case: &Case, program: &Flat, seed: u64) -> Result<u64, String> {
        let report = witnessed(case, program, &drawn(seed))?;
        let counts = match &report {
            Some(report) => [
                1,
                0,
                report.compared,
                report.not_compared,
                report.assigned,
                report.not_assigned,
            ],
            None => [0, 1, 0, 0, 0, 0],
        };
        for (count, n) in self.0.iter().zip(counts) {
            count.fetch_add(n, Ordering::Relaxed);
        }
        report.map_or(Ok(0), |report| {
            report.verdict().map(|()| report.assigned_again)
        })
    }

    /// Nearly all programs have an adjoint, in which values were compared, this many at least, and none was left out.
    fn assert_many(&self, each: u64) {
        self.assert_most(each, 10);
    }

    /// [`Self::assert_many`] where so many times more programs have an adjoint than have none; 0: some have.
    fn assert_most(&self, each: u64, times: u64) {
        let counts @ [reversed, refused, compared, left_out, assigned, split] =
            self.0.each_ref().map(|c| c.load(Ordering::Relaxed));
        println!("with adjoint, without, compared, not compared, assigned, split: {counts:?}");
        assert!(reversed > times * refused && left_out == 0, "{counts:?}");
        assert!(
            compared > each * reversed && assigned > 2 * split,
            "{counts:?}"
        );
    }
}

/// Parts that run again from states that are kept assign the values of the plain run, and their reverse sweeps read
/// them.
#[test]
fn values_of_parts_that_run_again() {
    let wide = Generate {
        global_lists: 0,
        tapes: 0,
        main_optionals: 0,
        ..Generate::WIDE_SMOOTH
    };
    for (generate, first) in [(Generate::EXACT, 190_000), (wide, 191_000)] {
        let counts = Counts::default();
        let again = AtomicU64::new(0);
        let seeds = first..first + property::cases(40);
        property::check_numbered(&generate, seeds, |seed, case| {
            let case = with_checkpoints(case, seed);
            let valid = validate::validate(case.program.clone()).map_err(|d| d.to_string())?;
            let program = flat(&valid);
            again.fetch_add(counts.agrees(&case, &program, seed)?, Ordering::Relaxed);
            Ok(())
        });
        // Parts with jumps, and those that change an array of another shape, cannot run again.
        counts.assert_most(5, 0);
        let again = again.into_inner();
        println!("assigned again: {again}");
        assert!(again > property::cases(40), "{again}");
    }
}

/// The case of a program with records and pointers for the flat program that is made of it.
fn flattened(case: &Case) -> Result<(Case, Flat), String> {
    let valid = validate::validate(case.program.clone()).map_err(|d| d.to_string())?;
    // The interpreter clears every cell of a pool.
    let options = cfg_transform::flat::Options {
        cells: 200,
        ..Default::default()
    };
    let flat = flatten(valid, &[case.main], &options).map_err(|d| d.to_string())?;
    let main = flat.heads[0];
    let routine = flat.program.routine(main);
    let same = |v| {
        let name = &case.routine().variable(v).name;
        let found = routine.find_variable(name);
        found.ok_or_else(|| format!("{name} is another variable in the flat program"))
    };
    let reals = |given: &[(VarId, Vec<f64>)]| {
        let all = given.iter().map(|(v, x)| Ok((same(*v)?, x.clone())));
        all.collect::<Result<Vec<_>, String>>()
    };
    let point = case
        .point
        .iter()
        .map(|(v, datum)| Ok((same(*v)?, datum.clone())));
    let moved = Case {
        program: flat.program.program().clone(),
        main,
        point: point.collect::<Result<_, String>>()?,
        direction: reals(&case.direction)?,
        seed: reals(&case.seed)?,
    };
    Ok((moved, flat.program))
}

#[test]
fn values_of_random_programs() {
    for (generate, first, cases) in [
        (Generate::EXACT, 110_000, 40),
        (Generate::SMOOTH, 120_000, 30),
        (Generate::WIDE, 130_000, 30),
        (Generate::WIDE_SMOOTH, 140_000, 20),
    ] {
        let counts = Counts::default();
        let seeds = first..first + property::cases(cases);
        property::check_numbered(&generate, seeds, |seed, case| {
            let valid = validate::validate(case.program.clone()).map_err(|d| d.to_string())?;
            counts.agrees(case, &flat(&valid), seed).map(|_| ())
        });
        counts.assert_many(10);
    }
}

#[test]
fn values_of_graphs_of_jumps() {
    let counts = Counts::default();
    for seed in 150_000..150_000 + property::cases(60) {
        let case = general::generate(seed);
        let valid = validate::validate(case.program.clone()).unwrap();
        if let Err(message) = counts.agrees(&case, &flat(&valid), seed) {
            panic!("seed {seed}: {message}");
        }
    }
    counts.assert_many(5);
}

#[test]
fn values_of_programs_with_records_and_pointers() {
    let counts = Counts::default();
    for seed in 160_000..160_000 + property::cases(30) {
        let (case, program) = flattened(&pointers::case(seed)).unwrap();
        if let Err(message) = counts.agrees(&case, &program, seed) {
            panic!("seed {seed}: {message}");
        }
    }
    counts.assert_many(50);
    let counts = Counts::default();
    let seeds = 170_000..170_000 + property::cases(20);
    property::check_numbered(&Generate::MIXED, seeds, |seed, case| {
        match flattened(case) {
            Ok((case, program)) => counts.agrees(&case, &program, seed).map(|_| ()),
            // A parameter is a record.
            Err(_) => Ok(()),
        }
    });
    counts.assert_many(10);
}

/// `y := w*(t*t); t := t + 1` at t = 2 and w = 0, and its reversal.
fn square() -> (Case, Reversal) {
    let mut f = RoutineBuilder::new("f");
    let t = f.inout("t", Real);
    let w = f.input("w", Real);
    let y = f.output("y", Real);
    f.assign(y, w * (t * t));
    f.assign(t, t + 1.0);
    f.independents([t]);
    f.dependents([y]);
    let mut program = ProgramBuilder::new();
    let main = program.add(f);
    let program = program.into_program().unwrap();
    let valid = validate::validate(program.clone()).unwrap();
    let reversal = reverse(&flat(&valid), main, &Options::default()).unwrap();
    let datum = |x| Datum {
        extents: vec![],
        elements: Elements::Real(vec![x]),
    };
    let case = Case {
        point: vec![(t, datum(2.0)), (w, datum(0.0))],
        direction: vec![(t, vec![1.0])],
        seed: vec![(y, vec![1.0])],
        program,
        main,
    };
    (case, reversal)
}

/// An overwritten variable that is treated as if it were still there, at a point at which the gradient is right
/// nevertheless.
#[test]
fn a_stale_value_is_seen_where_it_has_no_effect() {
    let (case, reversal) = square();
    let all = changes(&reversal.program, &reversal.sweeps);
    let is_meant = |change: &&Change| matches!(change, Change::LeaveOut { .. });
    let changed = wrong(&reversal.program, all.iter().find(is_meant).unwrap());
    let [right, found] = [&reversal.program, &changed].map(|p| run(&case, p, &reversal).unwrap());
    assert_eq!(right.0, found.0);
    assert_eq!(right.1.verdict(), Ok(()));
    let seen: Vec<String> = found.1.stale.iter().map(|s| s.to_string()).collect();
    let expected =
        "f_rev, vertex -2, from statement 0 of the original: reads t = 3.0, which was 2.0";
    assert_eq!(seen[0], expected);
}

/// A forward sweep that computes something else than the original.
#[test]
fn a_forward_sweep_that_goes_astray_is_seen() {
    let (case, mut reversal) = square();
    let forward = &mut reversal.program.routines[reversal.forward.index()];
    let vertices = forward.body.as_mut().unwrap().vertices_mut();
    for statement in vertices.filter_map(|v| v.kind.statements_mut()).flatten() {
        if let StmtKind::Assign { value, .. } = &mut statement.kind {
            *value = Expr::op(Op::Neg, [value.clone()]);
        }
    }
    let (_, report) = run(&case, &reversal.program, &reversal).unwrap();
    let expected = "beside f_rev: statement 1 of the original assigns -3.0 in the forward sweep, 3.0 in a plain run";
    assert_eq!((report.astray.len(), &*report.astray[1]), (2, expected));
}

/// The gradient as the bits of its numbers, and the findings of the witness.
fn run(
    case: &Case,
    program: &Program,
    reversal: &Reversal,
) -> Result<(Vec<String>, Report), String> {
    let found = case.witness(program, reversal.gradient, &reversal.sweeps, LIMITS);
    let (outcome, report) = found.map_err(|fault| format!("{fault:?}"))?;
    Ok((
        gradient(program, case.main, reversal.gradient, &outcome),
        report,
    ))
}

fn gradient(program: &Program, main: RoutineId, of: RoutineId, found: &Outcome<()>) -> Vec<String> {
    let signature = Signature::made_from(program, Some(main), of);
    let roles = signature.parameters.iter().zip(&found.parameters);
    let adjoints = roles.filter(|(role, _)| matches!(role, ParameterRole::Adjoint(_)));
    adjoints
        .map(|(_, adjoint)| format!("{adjoint:?}"))
        .collect()
}

/// Each word that is not recorded, each pair of pops in the wrong order, each pop behind the code that needs it: what
/// changes the gradient is seen, and so is much that does not.
#[test]
fn what_makes_a_gradient_wrong_is_seen() {
    // Changes that change the gradient; of those that do not, the ones that are seen; the rest; runs that fail.
    let counts = [const { AtomicU64::new(0) }; 4];
    let all = |seed: u64, case: &Case| {
        let valid = validate::validate(case.program.clone()).map_err(|d| d.to_string())?;
        let options = Options {
            blocks: Blocks::Statement,
            ..drawn(seed)
        };
        let reversal = reverse(&flat(&valid), case.main, &options).map_err(|d| d.to_string())?;
        let (right, _) = run(case, &reversal.program, &reversal)?;
        for change in changes(&reversal.program, &reversal.sweeps) {
            let changed = wrong(&reversal.program, &change);
            let kind = match run(case, &changed, &reversal) {
                Err(_) => 3,
                Ok((gradient, report)) => match (gradient == right, report.verdict().is_ok()) {
                    (false, true) => return Err(format!("unseen: {change:?}")),
                    (false, false) => 0,
                    (true, false) => 1,
                    (true, true) => 2,
                },
            };
            counts[kind].fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    for (generate, first) in [(Generate::SMALL, 180_000), (Generate::SMOOTH, 181_000)] {
        property::check_numbered(&generate, first..first + property::cases(8), all);
    }
    let counts = counts.map(AtomicU64::into_inner);
    println!("wrong and seen, right and seen, right and unseen, failed: {counts:?}");
    assert!(counts[0] > 20 && counts[1] > 5, "{counts:?}");
}
