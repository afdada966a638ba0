//! The reversal of random programs passes.

use cfg_core::validate::{ValidProgram, validate};
use cfg_reverse::{Options as Reversal, Unstructured, reverse, tangent};
use cfg_testkit::flat;
use cfg_testkit::{case::Case, general, generate::Options, property};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tape_check::{Report, check_program};

static REFUSED: AtomicUsize = AtomicUsize::new(0);

fn options(merge: bool, counters: bool) -> Reversal {
    Reversal {
        merge,
        counters,
        ..Reversal::default()
    }
}

fn valid(case: &Case) -> Result<ValidProgram, String> {
    validate(case.program.clone()).map_err(|e| e.to_string())
}

fn passes(program: ValidProgram) -> Result<Report, String> {
    let report = check_program(&flat(&program));
    if report.problems.is_empty() {
        Ok(report)
    } else {
        Err(format!("{}\n{}", report.problems, program.program()))
    }
}

fn property(case: &Case) -> Result<(), String> {
    let program = valid(case)?;
    for (merge, counters) in [(false, false), (true, false), (false, true), (true, true)] {
        let Ok(reversal) = reverse(&flat(&program), case.main, &options(merge, counters)) else {
            // Active locals without a declared shape are refused.
            REFUSED.fetch_add(1, Relaxed);
            return Ok(());
        };
        let pairs = reversal.sweeps.len();
        let reversed = match validate(reversal.program) {
            Ok(valid) => valid,
            // Adjoints of overlapping actuals that are only read overlap and are written.
            Err(e) if e.iter().all(|d| d.code == "V150") => {
                REFUSED.fetch_add(1, Relaxed);
                return Ok(());
            }
            Err(e) => return Err(e.to_string()),
        };
        let report = passes(reversed)?;
        if report.summary.pairs != pairs || report.summary.neutral != 1 {
            return Err(format!("{pairs} pairs, but {:?}", report.summary));
        }
    }
    Ok(())
}

#[test]
fn exact_programs() {
    property::check(&Options::EXACT, 0..600, property);
    assert!(REFUSED.load(Relaxed) < 1000);
}

/// Programs of all that the format allows, loops in which nothing happens and routines with a tape of their own among
/// them: such a routine is no sweep of a pair (T702), nor are its derivatives and its callers.
#[test]
fn wide_programs() {
    let refused = AtomicUsize::new(0);
    property::check(&Options::WIDE, 0..150, |case| {
        let program = valid(case)?;
        for counters in [false, true] {
            let Ok(reversal) = reverse(&flat(&program), case.main, &options(false, counters))
            else {
                refused.fetch_add(1, Relaxed);
                return Ok(());
            };
            let reversed = validate(reversal.program).map_err(|e| e.to_string())?;
            let found = check_program(&flat(&reversed)).problems;
            let own = found.iter().any(|d| d.code == "T702");
            if !own && !found.is_empty() {
                return Err(found.to_string());
            }
        }
        Ok(())
    });
    assert!(refused.into_inner() < 15);
}

/// Tangents of the sweeps of general graphs are pairs too.
#[test]
fn tangents_of_general_adjoints() {
    for seed in 0..100 {
        let case = general::generate(seed);
        let found = valid(&case).and_then(|program| {
            let unstructured = match seed % 3 {
                0 => Unstructured::Trace,
                _ => Unstructured::Structure,
            };
            let options = Reversal {
                unstructured,
                ..options(seed % 2 == 0, false)
            };
            let reversal =
                reverse(&flat(&program), case.main, &options).map_err(|e| e.to_string())?;
            let reversed = validate(reversal.program).map_err(|e| e.to_string())?;
            let tangent =
                tangent(&flat(&reversed), reversal.gradient).map_err(|e| e.to_string())?;
            passes(validate(tangent.program).map_err(|e| e.to_string())?)
        });
        match found {
            Ok(report) => assert_eq!((report.summary.pairs, report.summary.neutral), (2, 2)),
            Err(e) => panic!("seed {seed}: {e}"),
        }
    }
}

#[test]
fn smooth_programs() {
    property::check(&Options::SMOOTH, 0..200, property);
}

/// Graphs of blocks and jumps, in all forms.
#[test]
fn general_graphs() {
    let structure = Unstructured::Structure;
    for (merge, counters, unstructured, seeds) in [
        (false, false, structure, 0..500),
        (true, false, structure, 1000..1500),
        (false, true, structure, 2000..2250),
        (true, true, structure, 2500..2750),
        (false, false, Unstructured::Trace, 3000..3250),
        (true, false, Unstructured::Trace, 3500..3750),
    ] {
        let options = Reversal {
            unstructured,
            ..options(merge, counters)
        };
        for seed in seeds {
            let case = general::generate(seed);
            let found = valid(&case).and_then(|program| {
                let reversal =
                    reverse(&flat(&program), case.main, &options).map_err(|e| e.to_string())?;
                passes(validate(reversal.program).map_err(|e| e.to_string())?)
            });
            match found {
                Ok(report) => assert_eq!((report.summary.pairs, report.summary.neutral), (1, 1)),
                Err(e) => panic!("seed {seed}, {options:?}: {e}"),
            }
        }
    }
}
