//! Times programs by the executor and by machine code: `cargo run --release -p cfg-jit --example times [NAME]`.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use std::{env, error::Error, sync::Arc, time::Duration};

use cfg_core::validate::validate;
use cfg_drive::{Adjoint, Options, Primal};
use cfg_exec::native::Engine;
use cfg_testkit::kernels;

/// Milliseconds of a sample.
const SAMPLE: u128 = 20;

/// The least time of a call in three samples.
fn least<E>(mut time: impl FnMut(u64) -> Result<Duration, E>) -> Result<f64, E> {
    let mut calls = 1;
    while time(calls)?.as_millis() < SAMPLE {
        calls *= 2;
    }
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        least = least.min(time(calls)?.as_secs_f64() / calls as f64);
    }
    Ok(least)
}

fn main() -> Result<(), Box<dyn Error>> {
    let only = env::args().nth(1);
    let engines: [Option<Arc<dyn Engine>>; 2] = [None, Some(Arc::new(cfg_jit::Jit::at_once()))];
    for kernel in kernels::all() {
        let Some(size) = kernel.bench else { continue };
        if only.as_ref().is_some_and(|name| *name != kernel.name) {
            continue;
        }
        let case = kernel.case(size);
        let program = cfg_testkit::flat(&validate(case.program.clone())?);
        let mut times = [[0.0; 2]; 2];
        for (native, times) in engines.iter().zip(&mut times) {
            let options = Options {
                native: native.clone(),
                ..Options::default()
            };
            let mut primal = Primal::new(&program, case.main, &options)?;
            let mut adjoint = Adjoint::new(&program, case.main, &options)?;
            let point = primal.read_point(case.point_text().as_bytes())?;
            let seed = adjoint.seed_of_ones(&point)?;
            times[0] = least(|calls| primal.time(&point, calls))?;
            times[1] = least(|calls| adjoint.time(&point, &seed, calls))?;
        }
        for (k, what) in ["primal", "gradient"].into_iter().enumerate() {
            let [executor, native] = [times[0][k], times[1][k]];
            println!(
                "{:12} {what:9} {:10.1} us {:10.1} us {:6.2}",
                kernel.name,
                1e6 * executor,
                1e6 * native,
                executor / native
            );
        }
    }
    Ok(())
}
