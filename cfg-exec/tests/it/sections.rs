//! Sections passed to parameters of explicit shape: the cells in the actual's storage order.

use cfg_core::{entity::RoutineId, ir::Order, validate::validate};
use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};
use cfg_testkit::flat;
use cfg_testkit::sections::{Passed, passed};

use crate::common::reals;

/// `x` and `v` after a run, or the code of its error. Elements with the last subscript fastest.
fn run(case: &Passed) -> Result<(Vec<f64>, Vec<f64>), String> {
    let program = validate(case.program.clone()).unwrap_or_else(|e| panic!("{e}"));
    let compiled = Compiled::new(&flat(&program), &CompileOptions::default()).expect("it compiles");
    let n: usize = case.extents.iter().product();
    let x: Vec<f64> = (1..=n).map(|k| k as f64).collect();
    let x = Value::real_array(&case.extents, Order::Row, &x).expect("it has that shape");
    let v = Value::from_reals(&vec![0.0; case.elements.len()]);
    let mut arguments = [Argument::from(x), v.into()];
    Session::new(&compiled)
        .run(RoutineId::new(0), &mut arguments, &RunOptions::default())
        .map_err(|e| e.code.to_owned())?;
    Ok((reals(&arguments[0]), reals(&arguments[1])))
}

/// The two arrays that a run must leave, by enumeration.
fn expected(case: &Passed) -> (Vec<f64>, Vec<f64>) {
    let n: usize = case.extents.iter().product();
    let mut x: Vec<f64> = (1..=n).map(|k| k as f64).collect();
    let v = (1..).zip(&case.elements);
    let v = v.map(|(k, &e)| f64::from(k) * x[e] * x[e]).collect();
    if case.written {
        for (k, &e) in (1..).zip(&case.elements) {
            x[e] += f64::from(k);
        }
    }
    (x, v)
}

#[test]
fn elements_are_taken_in_storage_order_whatever_the_strides_and_shapes() {
    for seed in 0..3000 {
        let case = passed(seed);
        assert_eq!(run(&case), Ok(expected(&case)), "seed {seed}: {case:?}");
    }
}

#[test]
fn aliased_routines_see_the_cells_themselves_or_refuse_the_section() {
    let mut refused = 0;
    for seed in 0..1000 {
        let mut case = passed(seed);
        for routine in &mut case.program.routines[1..] {
            routine.aliased = true;
        }
        match run(&case) {
            Ok(found) => assert_eq!(found, expected(&case), "seed {seed}: {case:?}"),
            Err(code) => {
                assert_eq!(code, "X212", "seed {seed}");
                refused += 1;
            }
        }
    }
    assert!((1..500).contains(&refused), "{refused} refused");
}
