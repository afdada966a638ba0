//! XAIF documents, changed element by element and attribute by attribute.
#![no_main]

#[path = "../bodies/xaif.rs"]
mod body;
#[path = "../bodies/xaif_changes.rs"]
mod changes;

use cfg_testkit::rng::Rng;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|data: &[u8]| body::run(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut rng = Rng::new(u64::from(seed));
    let text = std::str::from_utf8(&data[..size]).ok().map(str::to_owned);
    // Now and then bytes, and always where there is no document.
    let Some(mut text) = text.filter(|t| t.contains('<')) else {
        return fuzzer_mutate(data, size, max_size);
    };
    if rng.below(16) == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    for _ in 0..=rng.below(4) {
        text = changes::change(&text, &mut rng);
    }
    let mut n = text.len().min(max_size);
    while !text.is_char_boundary(n) {
        n -= 1;
    }
    data[..n].copy_from_slice(&text.as_bytes()[..n]);
    n
});
