//! Random graphs of blocks and jumps, reversed and run.

use crate::adjoint::agrees_general;
use cfg_reverse::{Options, Unstructured};
use cfg_testkit::{general::generate, jumps::shapes};

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

/// What is saved for control, in bits, against the number of each block that is executed.
#[test]
fn real_shapes_record_a_quarter_of_the_enumeration() {
    let trace = Options {
        unstructured: Unstructured::Trace,
        ..Options::default()
    };
    let mut logarithms = 0.0;
    let all = shapes();
    assert!(all.len() >= 40);
    let mut table = String::new();
    for shape in &all {
        let bits = |options: &Options| match agrees_general(&shape.case, options) {
            Ok((control, integers)) => control + 64 * integers,
            Err(message) => panic!("{}: {message}", shape.name),
        };
        let (ours, theirs) = (bits(&Options::default()), bits(&trace));
        table.push_str(&format!("| {} | {ours} | {theirs} |\n", shape.name));
        assert!(
            ours <= theirs,
            "{}: {ours} bits, {theirs} by enumeration",
            shape.name
        );
        logarithms += (ours.max(1) as f64 / theirs as f64).ln();
    }
    let mean = (logarithms / all.len() as f64).exp();
    println!("{table}geometric mean {mean:.3}");
    assert!(mean <= 0.25, "geometric mean {mean:.3}\n{table}");
}
