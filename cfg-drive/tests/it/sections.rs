//! Derivatives through sections that are bound to parameters of explicit shape.

use crate::flat;
use crate::{checked, merged_and_not, reals};
use cfg_core::entity::RoutineId;
use cfg_core::validate::validate;
use cfg_drive::{Adjoint, Nested};
use cfg_exec::Value;
use cfg_testkit::sections::passed;

/// Most programs that are tried.
fn cases() -> u64 {
    let given = std::env::var("CFGREV_CASES").map(|n| n.parse());
    given.map_or(300, |n| n.expect("CFGREV_CASES is a number"))
}

/// v(k) = k * x(e)^2, so its derivative with respect to x(e) is 2 * k * x(e): one element of x for each k, and
/// the parameter's view of the adjoint of x has the same cells.
#[test]
fn adjoints_are_views_of_the_shadow_in_the_same_order() {
    let f = RoutineId::new(0);
    for seed in 0..cases().min(300) {
        let case = passed(seed);
        let program = validate(case.program.clone()).expect("it is valid");
        let n: usize = case.extents.iter().product();
        let x: Vec<f64> = (1..=n).map(|k| k as f64).collect();
        let x = Value::real_array(&case.extents, cfg_core::ir::Order::Row, &x).expect("its shape");
        let x = serde_json::to_string(&Nested(&x)).expect("it is JSON");
        let zeros = vec![0.0; case.elements.len()];
        let point = format!(r#"{{"x": {x}, "v": {zeros:?}}}"#);
        // Only v is a dependent: an x that passes through counts nothing.
        let mut expected = vec![0.0; n];
        for (k, &e) in (1..).zip(&case.elements) {
            expected[e] += f64::from(2 * k) * (e as f64 + 1.0);
        }
        for options in merged_and_not() {
            let mut adjoint =
                Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
            let point = adjoint.read_point(point.as_bytes()).expect("a point");
            let seeds = adjoint.seed_of_ones(&point).expect("it has dependents");
            let run = adjoint.gradient(&point, &seeds);
            let run = run.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            let (_, found) = &run.gradient[0];
            let found = found.in_order(cfg_core::ir::Order::Row);
            let found = found.to_f64s().expect("values");
            assert_eq!(found, expected, "seed {seed}: {case:?}");
            assert_eq!(reals(&run.value, "v").len(), case.elements.len());
        }
        if seed % 5 == 0 {
            let found = checked(&program, f, &point);
            assert_eq!(found.agrees(), Some(true), "seed {seed}: {found:?}");
        }
    }
}
