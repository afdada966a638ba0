//! Random programs of every kind, printed as text and read back:
//! `cargo run --release -p cfg-testkit --example text -- FIRST END` takes the seeds FIRST to END - 1.
#![expect(clippy::print_stdout, reason = "an example prints")]

use cfg_core::ir::Program;
use cfg_testkit::generate::{Options, dressed, generate};
use cfg_testkit::{general, plain::comes_back};

/// A kind of random programs, by seed; `None` if the generator gave up.
type Kind = fn(u64) -> Option<Program>;

const KINDS: [(&str, Kind); 6] = [
    ("wide", |seed| {
        Some(generate(&Options::WIDE, seed).ok()?.program)
    }),
    ("wide, smooth", |seed| {
        Some(generate(&Options::WIDE_SMOOTH, seed).ok()?.program)
    }),
    ("smooth", |seed| {
        Some(generate(&Options::SMOOTH, seed).ok()?.program)
    }),
    ("exact, with ids and annotations", |seed| {
        let case = generate(&Options::EXACT, seed).ok()?;
        Some(dressed(&case, seed).program)
    }),
    ("graphs of blocks and jumps", |seed| {
        Some(general::generate(seed).program)
    }),
    ("graphs, with ids and annotations", |seed| {
        Some(dressed(&general::generate(seed), seed).program)
    }),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|s| s.parse::<u64>().ok());
    let (first, end) = (number().unwrap_or(0), number().unwrap_or(1_000));
    let mut failed = false;
    for (name, kind) in KINDS {
        let (mut equal, mut absent) = (0, 0);
        for seed in first..end {
            match kind(seed).map(|program| comes_back(&program)) {
                None => absent += 1,
                Some(Ok(())) => equal += 1,
                Some(Err(message)) => {
                    failed = true;
                    println!("{name}, seed {seed}: {message}");
                }
            }
        }
        println!("{name}: {equal} came back equal, {absent} could not be made");
    }
    if failed {
        std::process::exit(1);
    }
}
