#![no_main]


#[path = "../bodies/flattened.rs"]
mod flattened;
#[path = "../bodies/program_changes.rs"]
mod program_changes;
#[path = "../bodies/limits.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
