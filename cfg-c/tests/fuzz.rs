//! Files of the test set with changes of all kinds: each is read or refused with a reason; nothing panics or hangs.
//!
//! `CFGREV_MUTATIONS` sets how many are drawn, `CFGREV_FIRST` the first seed; `CFGREV_SHOW=1` prints each before it is read.

#![allow(
    clippy::print_stderr,
    reason = "inputs are shown where that is asked for"
)]

#[path = "../../fuzz/bodies/c.rs"]
mod c;
#[path = "../../fuzz/bodies/c_changes.rs"]
mod c_changes;

use cfg_testkit::{
    rng::Rng,
    seeds::{each_seed, setting},
};
use std::{
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// The longest that one input may take; the largest file takes milliseconds.
const LONGEST: Duration = Duration::from_secs(20);

/// The files of a folder, in order.
fn files(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|e| e.expect("it can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "c"));
    paths.sort();
    let texts = paths.iter().map(std::fs::read);
    let texts = texts.map(|bytes| String::from_utf8_lossy(&bytes.expect("readable")).into_owned());
    texts.collect()
}

#[test]
fn changed_files() {
    let files: Vec<String> = [files("tests/files"), files("tests/wrong")].concat();
    let (first, count) = (
        setting("CFGREV_FIRST", 0),
        setting("CFGREV_MUTATIONS", 2000),
    );
    let show = setting("CFGREV_SHOW", 0) > 0;
    let read = AtomicU64::new(0);
    each_seed(first..first + count, |seed| {
        let mut rng = Rng::new(seed);
        let mut text = files[rng.below(files.len())].clone();
        let other = &files[rng.below(files.len())];
        for _ in 0..1 + rng.below(4) {
            text = c_changes::change(&text, other, &mut rng);
        }
        if show {
            eprintln!("seed {seed}:\n{text}");
        }
        let started = Instant::now();
        let result = std::panic::catch_unwind(|| c::run(text.as_bytes()));
        assert!(result.is_ok(), "seed {seed}:\n{text}");
        let took = started.elapsed();
        assert!(took < LONGEST, "seed {seed} took {took:?}:\n{text}");
        read.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(read.into_inner(), count);
}
