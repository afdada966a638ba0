//! Every kind of planted fault is found, wherever it is.

use cfg_core::validate::{ValidProgram, validate};
use cfg_reverse::{Options as Reversal, Unstructured, reverse};
use cfg_testkit::flat;
use cfg_testkit::{case::Case, general, generate::Options, property};
use std::{cell::Cell, collections::BTreeMap, sync::Mutex};
use tape_check::{Pair, check, pairs};

use crate::{
    faults::{FAULTS, Fault, GENERAL},
    run::adjoints,
};

/// Kind of fault: planted, and how often each code was the first that was reported.
type Tally = BTreeMap<&'static str, BTreeMap<&'static str, usize>>;

/// Plants every fault everywhere in one program.
fn plant<'f>(
    program: &ValidProgram,
    faults: impl Iterator<Item = &'f Fault> + Clone,
    tally: &Mutex<Tally>,
    most: usize,
    harmless: impl Fn(&ValidProgram, Pair) -> bool,
) -> Result<(), String> {
    let pairs = pairs(program);
    for pair in &pairs {
        for fault in faults.clone() {
            let mut mutants = (fault.plant)(program.program(), *pair);
            let n = mutants.len();
            if n > most {
                // Spread over the routine.
                let step = n.div_ceil(most);
                mutants = mutants.into_iter().step_by(step).collect();
            }
            for mutant in mutants {
                let shown = mutant.clone();
                // Some faults make a program that validation rejects already.
                let Ok(mutant) = validate(mutant) else {
                    continue;
                };
                let found = check(&flat(&mutant), &pairs);
                let Some(first) = found.iter().next() else {
                    if harmless(&mutant, *pair) {
                        continue;
                    }
                    return Err(format!("not found: {}\n{shown}", fault.name));
                };
                if let Ok(mut tally) = tally.lock() {
                    *tally
                        .entry(fault.name)
                        .or_default()
                        .entry(first.code)
                        .or_default() += 1;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn in_random_programs() {
    let tally = Mutex::new(Tally::new());
    property::check(&Options::SMALL, 0..40, |case: &Case| {
        let program = validate(case.program.clone()).map_err(|e| e.to_string())?;
        for merge in [false, true] {
            let options = Reversal {
                merge,
                counters: merge,
                ..Reversal::default()
            };
            let Ok(reversal) = reverse(&flat(&program), case.main, &options) else {
                continue;
            };
            if let Ok(reversed) = validate(reversal.program) {
                plant(&reversed, FAULTS.iter(), &tally, 4, |_, _| false)?;
            }
        }
        Ok(())
    });
    all_planted(FAULTS.iter(), tally);
}

fn all_planted<'f>(faults: impl Iterator<Item = &'f Fault>, tally: Mutex<Tally>) -> usize {
    let tally = tally.into_inner().unwrap();
    let mut all = 0;
    for fault in faults {
        let planted: usize = tally.get(fault.name).iter().flat_map(|t| t.values()).sum();
        assert!(planted >= 5, "{}: planted {planted} times", fault.name);
        all += planted;
    }
    all
}

#[test]
fn in_general_graphs() {
    let tally = Mutex::new(Tally::new());
    // Random graphs have no calls, record no subscripted places, every branch of theirs has a marker, and every loop a
    // counter.
    let absent = [
        "an arm changes what is decided on again",
        "reverse sweep not called",
        "forward sweep called twice",
        "popped to another element",
        "trips of another first value",
        "trips of another last value",
        "trips of another step",
    ];
    let passed = Cell::new(0);
    let faults = FAULTS.iter().chain(GENERAL);
    let faults = faults.filter(|f| !absent.contains(&f.name));
    for (merge, unstructured, seeds) in [
        (false, Unstructured::Structure, 0..25),
        (true, Unstructured::Structure, 60..85),
        (false, Unstructured::Trace, 120..130),
        (true, Unstructured::Trace, 150..160),
    ] {
        for seed in seeds {
            let case = general::generate(seed);
            let options = Reversal {
                merge,
                unstructured,
                ..Reversal::default()
            };
            let program = validate(case.program.clone()).unwrap();
            let reversal = reverse(&flat(&program), case.main, &options).unwrap();
            let reversed = validate(reversal.program).unwrap();
            // Where ways go together only once, it may make no difference where a pop stands.
            let right = adjoints(&reversed, pairs(&reversed)[0], &case);
            assert!(right.is_ok(), "seed {seed}: {right:?}");
            let harmless = |mutant: &ValidProgram, pair| {
                passed.set(passed.get() + 1);
                adjoints(mutant, pair, &case) == right
            };
            if let Err(e) = plant(&reversed, faults.clone(), &tally, 3, harmless) {
                panic!("seed {seed}, {options:?}: {e}");
            }
        }
    }
    let planted = all_planted(faults, tally);
    assert!(passed.get() * 50 < planted, "{} of {planted}", passed.get());
}
