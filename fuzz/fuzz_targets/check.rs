#![no_main]

#[path = "../bodies/flattened.rs"]
mod flattened;
#[path = "../bodies/document_changes.rs"]
mod document_changes;
#[path = "../bodies/program_changes.rs"]
mod program_changes;
#[path = "../bodies/refused.rs"]
mod refused;
#[path = "../bodies/check.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
