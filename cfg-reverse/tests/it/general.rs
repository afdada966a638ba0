//! Random graphs of blocks and jumps, reversed and run.

use crate::adjoint::agrees_general;
use cfg_reverse::{Options, Unstructured};
use cfg_testkit::general::generate;

fn all(seeds: std::ops::Range<u64>, options: &Options) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    std::thread::scope(|scope| {
        for t in 0..threads {
            let seeds = seeds.clone();
            scope.spawn(move || {
                for seed in seeds.filter(|s| s % threads == t) {
                    let case = generate(seed);
                    if let Err(message) = agrees_general(&case, options) {
                        panic!("seed {seed}: {message}");
                    }
                }
            });
        }
    });
}

#[test]
fn by_structure() {
    all(0..7000, &Options::default());
}

#[test]
fn with_counters_and_merged_blocks() {
    let options = Options {
        counters: true,
        merge: true,
        ..Options::default()
    };
    all(7000..8500, &options);
}

#[test]
fn by_trace() {
    let options = Options {
        unstructured: Unstructured::Trace,
        ..Options::default()
    };
    all(8500..10_000, &options);
}
