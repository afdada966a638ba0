#![no_main]

#[path = "../bodies/flattened.rs"]
mod flattened;
#[path = "../bodies/reverse_run.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
