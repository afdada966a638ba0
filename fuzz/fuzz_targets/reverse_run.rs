#![no_main]

#[path = "../bodies/lowered.rs"]
mod lowered;
#[path = "../bodies/reverse_run.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
