//! Properties of random programs.

use crate::case::Case;
use crate::generate::{Options, generate_with_trees};
use crate::shrink::shrink;
use cfg_core::text;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of seeds of each property in a run of all tests, which has ten minutes; longer runs set CFGREV_CASES.
pub const CASES: u64 = 200;

/// Checks a property of the case of every seed, on all cores.
///
/// # Panics
/// For the smallest seed with a failure, with the shrunk program, its point and the message; while
/// shrinking, messages with the same first word are the same failure. A panic of the property counts as
/// a failure.
///
/// The environment variable CFGREV_CASES says how many seeds are taken at most, [`CASES`] if it is not set, and CFGREV_SHRINK how
/// often shrinking is tried.
#[track_caller]
pub fn check(
    options: &Options,
    seeds: Range<u64>,
    property: impl Fn(&Case) -> Result<(), String> + Sync,
) {
    check_numbered(options, seeds, |_, case| property(case));
}

/// [`check`] for properties that depend on the seed, too.
///
/// # Panics
/// The panics are those of [`check`].
#[track_caller]
pub fn check_numbered(
    options: &Options,
    seeds: Range<u64>,
    property: impl Fn(u64, &Case) -> Result<(), String> + Sync,
) {
    let cases = given("CFGREV_CASES").unwrap_or(CASES);
    let seeds = seeds.start..seeds.end.min(seeds.start.saturating_add(cases));
    let next = AtomicU64::new(seeds.start);
    let failed: Mutex<Option<(u64, String)>> = Mutex::new(None);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let message = match generate_with_trees(options, seed) {
                        Ok(generated) => {
                            judge(&|case: &Case| property(seed, case), &generated.case).err()
                        }
                        Err(fault) => Some(format!("the generated program fails: {fault:?}")),
                    };
                    if let Some(message) = message {
                        // The smallest failing seed is reported, whatever the threads do.
                        next.fetch_max(seeds.end, Ordering::Relaxed);
                        if let Ok(mut slot) = failed.lock()
                            && slot.as_ref().is_none_or(|(s, _)| seed < *s)
                        {
                            *slot = Some((seed, message));
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(|e| e.into_inner());
    if let Some((seed, message)) = failed {
        let property = |case: &Case| property(seed, case);
        let shown = match generate_with_trees(options, seed) {
            Err(_) => String::new(),
            Ok(generated) => {
                // The same kind of failure: the first word tells.
                let word = |m: &str| m.split_whitespace().next().map(str::to_owned);
                let kind = word(&message);
                let tries = given("CFGREV_SHRINK").unwrap_or(2000) as usize;
                let small = shrink(&generated, tries, |case| {
                    judge(&property, case).is_err_and(|m| word(&m) == kind)
                });
                let now = judge(&property, &small.case).err().unwrap_or_default();
                let mut listing = String::new();
                // Writing to a string does not fail.
                let _ = text::program(&mut listing, &small.case.program);
                format!("\nshrunk: {now}\nat {}\n{listing}", small.case.point_json())
            }
        };
        panic!("seed {seed}: {message}{shown}");
    }
}

/// The number of seeds of a property that takes longer than others: CFGREV_CASES, if it is set, else this number.
pub fn cases(otherwise: u64) -> u64 {
    given("CFGREV_CASES").unwrap_or(otherwise)
}

/// The number in an environment variable, if there is one.
fn given(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn judge(property: &impl Fn(&Case) -> Result<(), String>, case: &Case) -> Result<(), String> {
    match catch_unwind(AssertUnwindSafe(|| property(case))) {
        Ok(result) => result,
        Err(payload) => Err(match payload.downcast_ref::<String>() {
            Some(text) => format!("panic: {text}"),
            None => match payload.downcast_ref::<&str>() {
                Some(text) => format!("panic: {text}"),
                None => "panic".to_owned(),
            },
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::census::Census;

    #[test]
    fn a_failure_is_shown_small() {
        let property = |case: &Case| match Census::of_program(&case.program).loops[0] {
            0 => Ok(()),
            n => Err(format!("loops: {n}")),
        };
        let shown = catch_unwind(|| check(&Options::SMALL, 0..50, property));
        let payload = shown.err().and_then(|p| p.downcast::<String>().ok());
        let message = payload.map_or(String::new(), |s| *s);
        assert!(message.contains("shrunk: loops: 1"), "{message}");
    }
}
