//! Prints a generated program: `cargo run -p cfg-testkit --example show SEED [smooth|small]`.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use cfg_core::text;
use cfg_testkit::generate::{Options, generate};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seed = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(0);
    let options = match arguments.next().as_deref() {
        Some("smooth") => Options::SMOOTH,
        Some("small") => Options::SMALL,
        _ => Options::EXACT,
    };
    match generate(&options, seed) {
        Ok(case) => {
            let mut listing = String::new();
            let _ = text::program(&mut listing, &case.program);
            println!("{listing}\nat {}", case.point_json());
        }
        Err(fault) => println!("{fault:?}"),
    }
}
