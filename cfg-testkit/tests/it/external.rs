//! The naive interpreter puts the result of an external function where the call says.

use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder, expr::*},
    entity::RoutineId,
    ir::{
        External, Partial, Place, Range,
        ScalarType::Real,
        Subscript::{self, Index},
    },
};
use cfg_testkit::interpret::{Argument, Limits, Value, interpret};
use std::collections::BTreeMap;

/// `f(x, a)`: `a` of extents 3 and 4, to one place of which the result of `g(x, 2 x)` goes.
fn with_result_at(subscripts: &[Subscript], partials: bool) -> cfg_core::validate::ValidProgram {
    let mut program = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let u = g.input("u", Real);
    let v = g.input("v", Real);
    g.result("r", Real);
    let given = [(u, 10.0.into()), (v, 100.0 * v)];
    let partials = partials.then(|| {
        let all = given.into_iter();
        all.map(|(parameter, value)| Partial { parameter, value })
            .collect()
    });
    let value = Some(u * v);
    g.external(External { value, partials });
    let main = program.declare("f");
    let g = program.add(g);
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let a = f.inout("a", Real.array([3, 4]));
    let target = Place {
        var: a,
        subscripts: subscripts.into(),
    };
    f.call_function(target, g, exprs![x, 2.0 * x]);
    program.define(main, f);
    program.finish().expect("a valid program")
}

#[test]
fn the_result_of_an_external_function_goes_to_the_cells_that_are_named() {
    let range = |lower: i64, upper: i64, stride: i64| {
        let range = Range {
            lower: Some(lower.into()),
            upper: Some(upper.into()),
            stride: Some(stride.into()),
        };
        Subscript::Range(Box::new(range))
    };
    let at = |i: i64| Index(i.into());
    // Cells in storage order: the last subscript varies fastest.
    let places: [(&[Subscript], &[usize]); 7] = [
        (&[at(1), at(1)], &[0]),
        (&[at(2), at(3)], &[6]),
        (&[at(3), at(4)], &[11]),
        (&[at(2), range(2, 3, 1)], &[5, 6]),
        (&[range(3, 1, -2), at(2)], &[1, 9]),
        (&[range(2, 3, 1), range(4, 3, -1)], &[6, 7, 10, 11]),
        (&[], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    ];
    for (subscripts, cells) in places {
        // With x = 3: u v = 18; its derivative is 4 x = 12, or 10 + 2 * 100 * 6 with the partials that are given.
        for (partials, derivative) in [(false, 12.0), (true, 1210.0)] {
            let program = with_result_at(subscripts, partials);
            let x = Argument {
                extents: Vec::new(),
                elements: vec![Value::Real(3.0, 1.0)],
            };
            let mut a = Argument {
                extents: vec![3, 4],
                elements: (0..12).map(|k| Value::Real(f64::from(k), 0.5)).collect(),
            };
            let arguments = [Some(x), Some(a.clone())];
            let (main, none) = (RoutineId::new(0), BTreeMap::new());
            let found = interpret(&program, main, &arguments, &none, Limits::default());
            for &cell in cells {
                a.elements[cell] = Value::Real(18.0, derivative);
            }
            assert_eq!(found.expect("no fault").parameters[1], a, "{subscripts:?}");
        }
    }
}
