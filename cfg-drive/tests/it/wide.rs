//! Random programs of all that the format allows, through the whole product. The example `random` runs many more,
//! in all settings.

use crate::random::{Depth, Found, agrees, all, drawn};
use cfg_testkit::generate::{Options, dressed, generate};
use cfg_testkit::{general, property};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;

const DEEP: Depth = Depth {
    jacobian: true,
    second: true,
};

/// Most programs must not be refused.
fn mostly_agree(exact: bool, options: &Options, seeds: Range<u64>) {
    let refused: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let total = seeds.end - seeds.start;
    property::check_numbered(options, seeds, |seed, case| {
        match agrees(case, exact, &drawn(seed), Depth::drawn(seed))? {
            Found::Agrees => {}
            Found::Refused(code) => {
                if let Ok(mut refused) = refused.lock() {
                    *refused.entry(code).or_default() += 1;
                }
            }
        }
        Ok(())
    });
    let refused = refused.into_inner().unwrap_or_default();
    println!("refused: {refused:?}");
    assert!(
        refused.values().sum::<usize>() as u64 * 5 < total.max(50),
        "{refused:?}"
    );
}

#[test]
fn wide_programs() {
    mostly_agree(true, &Options::WIDE, 60_000..60_250);
    mostly_agree(false, &Options::WIDE_SMOOTH, 61_000..61_100);
}

/// Routines with any control flow that call each other, share globals, and have records.
#[test]
fn mixed_programs() {
    mostly_agree(false, &Options::MIXED, 63_000..63_150);
}

/// Two programs; the example takes thousands.
#[test]
fn in_all_settings() {
    property::check_numbered(&Options::WIDE, 62_000..62_002, |seed, case| {
        for (k, setting) in all().into_iter().enumerate() {
            let depth = Depth::turns(seed, k);
            agrees(case, true, &setting, depth).map_err(|e| format!("{e} {setting:?}"))?;
        }
        Ok(())
    });
}

#[test]
fn general_graphs_with_unusual_names_and_ids() {
    for seed in 0..150 {
        let case = dressed(&general::generate(90_000 + seed), seed);
        if let Err(message) = agrees(&case, true, &drawn(seed), DEEP) {
            panic!("seed {seed}: {message}");
        }
    }
}

#[test]
fn a_program_is_generated_alike_twice() {
    for seed in 0..20 {
        let text = || format!("{:?}", generate(&Options::WIDE, seed));
        assert_eq!(text(), text());
    }
}
