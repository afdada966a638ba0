#![no_main]

#[path = "../bodies/program_changes.rs"]
mod program_changes;
#[path = "../bodies/reverse_run.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
