//! Prints the distribution of generated programs: `cargo run --release -p cfg-testkit --example census`.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use cfg_testkit::census::{Census, Distribution};
use cfg_testkit::generate::{Options, generate};

fn main() {
    let n = std::env::args()
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or(10_000);
    for (name, options) in [("exact", Options::EXACT), ("smooth", Options::SMOOTH)] {
        let start = std::time::Instant::now();
        let mut all = Distribution::default();
        for seed in 0..n {
            match generate(&options, seed).and_then(|case| Census::take(&case)) {
                Ok(census) => all.add(census),
                Err(fault) => println!("{name} seed {seed}: {fault:?}"),
            }
        }
        println!("{name}: {:.2} s\n{all}\n", start.elapsed().as_secs_f64());
    }
}
