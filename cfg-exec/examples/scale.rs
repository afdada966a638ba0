//! How compiling and running grow with the size of a program.
//! `cargo run --release -p cfg-exec --example scale [VERTICES]`
#![allow(clippy::print_stdout, reason = "it prints a table")]

use cfg_testkit::flat;
use std::time::Instant;

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    ir::ScalarType::{Integer, Real},
};
use cfg_exec::{CompileOptions, Compiled, RunOptions, Session};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let largest = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |n| n.parse())?;
    println!(
        "{:>9} {:>12} {:>12} {:>10} {:>10}",
        "vertices", "compile s", "instructions", "run s", "us/vertex"
    );
    let mut n = 10_000;
    while n <= largest {
        let mut f = RoutineBuilder::new("f");
        let x = f.inout("x", Real);
        let v = f.inout("v", Real.array([10]));
        let i = f.local("i", Integer);
        // Seven vertices each: a loop, a branch in it, two blocks.
        for k in 0..n / 7 {
            f.begin_for(i, 1, 2, 1);
            f.if_then(gt(x, f64::from(k)), |f| f.assign(x, x * 0.5));
            f.assign(v.at(i), v.at(i + 1) + x * 1.5);
            f.end_loop();
        }
        let mut program = ProgramBuilder::new();
        let f = program.add(f);
        let program = program.finish()?;
        let begin = Instant::now();
        let compiled = Compiled::new(&flat(&program), &CompileOptions::default())?;
        let compile = begin.elapsed().as_secs_f64();
        let mut arguments = [1.0.into(), [0.0; 10].as_slice().into()];
        let mut session = Session::new(&compiled);
        let begin = Instant::now();
        session.run(f, &mut arguments, &RunOptions::default())?;
        println!(
            "{n:>9} {compile:>12.3} {:>12} {:>10.4} {:>10.3}",
            compiled.code_size(),
            begin.elapsed().as_secs_f64(),
            compile * 1e6 / f64::from(n)
        );
        n *= 10;
    }
    Ok(())
}
