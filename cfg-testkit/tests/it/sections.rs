//! The naive interpreter takes the cells of sections in storage order.

use cfg_core::entity::RoutineId;
use cfg_testkit::interpret::{Argument, Limits, Value, interpret};
use cfg_testkit::sections::passed;

#[test]
fn elements_are_those_that_enumeration_gives() {
    for seed in 0..2000 {
        let case = passed(seed);
        let n: usize = case.extents.iter().product();
        let mut x = vec![Value::Undefined; n];
        for e in 0..n {
            x[case.stored(e)] = Value::Real(e as f64 + 1.0, ());
        }
        let count = case.elements.len();
        let arguments = [
            Some(Argument {
                extents: case.extents.clone(),
                elements: x.clone(),
            }),
            Some(Argument {
                extents: vec![count],
                elements: vec![Value::Real(0.0, ()); count],
            }),
        ];
        let main = RoutineId::new(0);
        let limits = Limits::default();
        let none = std::collections::BTreeMap::new();
        let found = interpret(&case.program, main, &arguments, &none, limits)
            .unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
        for (k, &e) in case.elements.iter().enumerate() {
            let (weight, value) = (k as f64 + 1.0, e as f64 + 1.0);
            let v = &found.parameters[1].elements[k];
            assert_eq!(*v, Value::Real(weight * value * value, ()), "seed {seed}");
            if case.written {
                x[case.stored(e)] = Value::Real(value + weight, ());
            }
        }
        assert_eq!(found.parameters[0].elements, x, "seed {seed}");
    }
}
