//! Compile once, run at many points: gradient descent with momentum on Rosenbrock's function.
//!
//! [`Adjoint::new`] reverses and compiles; every [`Adjoint::gradient`] after that reuses code, memory and
//! tape, and only changes the numbers in the point.
#![expect(clippy::print_stdout, reason = "an example prints")]

use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
use cfg_core::flat::Flat;
use cfg_core::ir::ScalarType::{Integer, Real};
use cfg_drive::{Adjoint, Options};
use cfg_exec::Value;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let (x, value, runs) = minimise(20_000)?;
    println!("after {runs} gradients: f({x:?}) = {value:e}");
    Ok(())
}

/// The place of the minimum, the value there, and the number of gradients computed.
fn minimise(most: usize) -> Result<(Vec<f64>, f64, usize), Box<dyn Error>> {
    let mut f = RoutineBuilder::new("rosenbrock");
    let n = f.input("n", Integer);
    let x = f.input("x", Real.array([n]));
    let y = f.result("y", Real);
    let (i, valley) = (f.local("i", Integer), f.local("valley", Real));
    f.independents([x]).dependents([y]);
    f.assign(y, 0.0);
    f.for_loop(i, 1, n - 1, |f| {
        f.assign(valley, x.at(i + 1) - pow(x.at(i), 2));
        f.assign(y, y + 100.0 * pow(valley, 2) + pow(1.0 - x.at(i), 2));
    });
    let mut program = ProgramBuilder::new();
    let routine = program.add(f);
    let program = Flat::check(program.finish()?)?;
    let mut adjoint = Adjoint::new(&program, routine, &Options::default())?;

    // The first point is read from text; later ones are the same point with other numbers.
    let mut point = adjoint.read_point(br#"{"n": 3, "x": [-1.2, 1, 1]}"#)?;
    let seed = adjoint.default_seed(&point)?;
    let mut x = vec![-1.2, 1.0, 1.0];
    let mut speed = vec![0.0; x.len()];
    let mut tape = None;
    for run in 1..=most {
        point.arguments[1] = Value::from_reals(&x).into();
        let found = adjoint.gradient(&point, &seed)?;
        let value = found.value[0].1.get_f64(0).ok_or("it has a value")?;
        let gradient = found.gradient[0].1.to_f64s().ok_or("it has a value")?;
        // The same path, so the tape is as long as before; its memory is used again.
        let counts = tape.get_or_insert_with(|| found.tape.clone());
        if *counts != found.tape {
            return Err("the tape has changed its size".into());
        }
        if gradient.iter().all(|g| g.abs() < 1e-9) {
            return Ok((x, value, run));
        }
        for ((x, v), g) in x.iter_mut().zip(&mut speed).zip(gradient) {
            *v = 0.95 * *v - 5e-4 * g;
            *x += *v;
        }
    }
    Err(format!("no minimum in {most} steps").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_is_found() {
        main().expect("it runs");
        let (x, value, runs) = minimise(20_000).expect("it converges");
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{x:?}");
        assert!(value < 1e-12 && runs > 100, "{value} {runs}");
        assert!(minimise(10).is_err());
    }
}
