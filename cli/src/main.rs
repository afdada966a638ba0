//! The `cfgrev` command line.
fn main() {}
