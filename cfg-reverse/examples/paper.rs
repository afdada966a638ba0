//! Prints the augmented forward and the adjoint program of the paper's example.
#![expect(clippy::print_stdout, reason = "an example prints")]

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    diagnostic::Diagnostics,
    ir::ScalarType::{Integer, Logical, Real},
    text, validate,
};
use cfg_reverse::{Options, reverse, tangent};

fn main() -> Result<(), Diagnostics> {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([2]));
    let y = f.output("y", Real.array([3]));
    let i = f.local("i", Integer);
    let more = f.local("more", Logical);
    f.independents([x]).dependents([y]);
    f.assign(i, 1);
    f.block();
    f.assign(more, lt(i, 3));
    f.while_loop(more, |f| {
        f.if_else(
            lt(i, 2),
            |f| f.assign(y.at(2), sin(x.at(1))),
            |f| f.assign(y.at(1), cos(x.at(2))),
        );
        f.assign(i, i + 1);
        f.assign(more, lt(i, 3));
    });
    f.assign(y.at(3), y.at(1) * y.at(2));
    let mut program = ProgramBuilder::new();
    let f = program.add(f);
    let program = program.finish()?;

    let reversal = reverse(&program, f, &Options::default())?;
    let mut shown = String::new();
    text::program(&mut shown, &reversal.program).ok();
    let t = tangent(&program, f)?;
    text::routine(&mut shown, &t.program, t.program.routine(t.tangent)).ok();
    println!("{shown}");
    validate::validate(reversal.program)?;
    validate::validate(t.program)?;
    Ok(())
}
