//! Every kind of planted fault is found, wherever it is.

use cfg_core::validate::{ValidProgram, validate};
use cfg_reverse::{Options as Reversal, reverse};
use cfg_testkit::{case::Case, generate::Options, property};
use std::{collections::BTreeMap, sync::Mutex};
use tape_check::{check, pairs};

use crate::faults::FAULTS;

/// Kind of fault: planted, and how often each code was the first that was reported.
type Tally = BTreeMap<&'static str, BTreeMap<&'static str, usize>>;

/// Plants every fault everywhere in one program.
fn plant(program: &ValidProgram, tally: &Mutex<Tally>, most: usize) -> Result<(), String> {
    let pairs = pairs(program);
    for pair in &pairs {
        for fault in FAULTS {
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
                let found = check(&mutant, &pairs);
                let Some(first) = found.iter().next() else {
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
            let Ok(reversal) = reverse(&program, case.main, &options) else {
                continue;
            };
            if let Ok(reversed) = validate(reversal.program) {
                plant(&reversed, &tally, 4)?;
            }
        }
        Ok(())
    });
    let tally = tally.into_inner().unwrap();
    for fault in FAULTS {
        let planted: usize = tally.get(fault.name).iter().flat_map(|t| t.values()).sum();
        assert!(planted >= 5, "{}: planted {planted} times", fault.name);
    }
}
