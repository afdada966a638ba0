//! What the reversal makes of random programs passes.

use cfg_core::validate::{ValidProgram, validate};
use cfg_reverse::{Options as Reversal, reverse};
use cfg_testkit::{case::Case, generate::Options, property};
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
    let report = check_program(&program);
    if report.problems.is_empty() {
        Ok(report)
    } else {
        Err(format!("{}\n{}", report.problems, program.program()))
    }
}

fn property(case: &Case) -> Result<(), String> {
    let program = valid(case)?;
    for (merge, counters) in [(false, false), (true, false), (false, true), (true, true)] {
        let Ok(reversal) = reverse(&program, case.main, &options(merge, counters)) else {
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

#[test]
fn smooth_programs() {
    property::check(&Options::SMOOTH, 0..200, property);
}
