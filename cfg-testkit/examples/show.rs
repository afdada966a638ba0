//! Prints a generated program: `cargo run -p cfg-testkit --example show SEED [smooth|small|wide|wide_smooth|mixed]`.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use cfg_core::text;
use cfg_testkit::generate::{Options, generate, undamped};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seed = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(0);
    let options = match arguments.next().as_deref() {
        Some("smooth") => Options::SMOOTH,
        Some("small") => Options::SMALL,
        Some("wide") => Options::WIDE,
        Some("wide_smooth") => Options::WIDE_SMOOTH,
        Some("mixed") => Options::MIXED,
        _ => Options::EXACT,
    };
    let case = generate(&options, seed).unwrap_or_else(|fault| {
        println!("{fault:?}");
        undamped(&options, seed)
    });
    let mut listing = String::new();
    let _ = text::program(&mut listing, &case.program);
    println!("{listing}\nat {}", case.point_json());
}
