//! Processor times of first runs, with the compilation to machine code:
//! `cargo run --release -p cfg-jit --example first -- SAMPLES PROGRAM POINT [PROGRAM POINT]...`, which `bench/jit/run`
//! calls. A line for each program: seconds of the primal by the executor, by machine code at once, and by machine code
//! when it is worth it, then the same of the gradient.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use std::{env, error::Error, fs, sync::Arc};

use cfg_drive::{Adjoint, Options, Primal};
use cfg_exec::native::Engine;
use cfg_jit::Jit;
use rustix::time::{ClockId, clock_gettime};

/// Seconds that the thread has been on a processor.
fn processor_time() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (samples, files) = arguments.split_first().ok_or("SAMPLES is missing")?;
    for pair in files.chunks_exact(2) {
        let program = cfg_format::json::read_valid(&fs::read(&pair[0])?)?;
        let text = fs::read(&pair[1])?;
        let main = program.main.ok_or("no routine is marked as main")?;
        let program = cfg_testkit::flat(&program);
        let mut least = [f64::INFINITY; 6];
        for _ in 0..samples.parse()? {
            let engines = [None, Some(Jit::at_once()), Some(Jit::when_worth_it())];
            for (k, engine) in engines.into_iter().enumerate() {
                let options = Options {
                    native: engine.map(|jit| -> Arc<dyn Engine> { Arc::new(jit) }),
                    ..Options::default()
                };
                let mut primal = Primal::new(&program, main, &options)?;
                let mut adjoint = Adjoint::new(&program, main, &options)?;
                let point = primal.read_point(&text)?;
                let seed = adjoint.seed_of_ones(&point)?;
                let begun = processor_time();
                primal.run(&point)?;
                let between = processor_time();
                adjoint.gradient(&point, &seed)?;
                least[k] = least[k].min(between - begun);
                least[3 + k] = least[3 + k].min(processor_time() - between);
            }
        }
        println!("{}", least.map(|seconds| seconds.to_string()).join(" "));
    }
    Ok(())
}
