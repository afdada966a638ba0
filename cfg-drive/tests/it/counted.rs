//! Counted loops, exhaustively over small first, last and step: the reverse sweep runs through the same
//! values of the index backwards, whether it recomputes how many there were or finds the number on the tape.

use crate::flat;
use cfg_core::{
    builder::{ProgramBuilder, RoutineBuilder},
    entity::RoutineId,
    ir::{
        Expr,
        ScalarType::{Integer, Real},
    },
    validate::ValidProgram,
};
use cfg_drive::{Adjoint, Options};

/// The fate of the variables in the loop's range.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bounds {
    /// They keep their values.
    Kept,
    /// They are overwritten after the loop.
    Lost,
    /// They are overwritten in the body.
    Moved,
    /// They are constants.
    Constant([i64; 3]),
}

/// y and z, z by a recurrence that overwrites it, so that the order of the values matters:
/// `do i = first, last, step: z = z*x + i; y = y + i*z*z`, and at last `y = y + i*x`.
fn program(bounds: Bounds) -> (ValidProgram, RoutineId) {
    let mut f = RoutineBuilder::new("f");
    let range = ["first", "last", "step"].map(|name| f.input(name, Integer));
    let x = f.input("x", Real);
    let y = f.output("y", Real);
    let [i, z] = [f.local("i", Integer), f.local("z", Real)];
    let own = ["a", "b", "c"].map(|name| f.local(name, Integer));
    f.independents([x]).dependents([y]);
    for (mine, given) in own.iter().zip(range) {
        f.assign(*mine, given);
    }
    f.assign(i, 77);
    f.assign(z, x);
    f.assign(y, Expr::from(i) * x);
    let [a, b, c] = match bounds {
        Bounds::Constant(values) => values.map(Expr::Int),
        Bounds::Kept | Bounds::Lost | Bounds::Moved => own.map(Expr::from),
    };
    f.for_step(i, a, b, c, |f| {
        f.assign(z, Expr::from(z) * x + i);
        f.assign(y, Expr::from(y) + Expr::from(i) * z * z);
        if bounds == Bounds::Moved {
            for (mine, by) in own.iter().zip([3, 5, -2]) {
                f.assign(*mine, Expr::from(*mine) + by);
            }
        }
    });
    if bounds == Bounds::Lost {
        for mine in own {
            f.assign(mine, 1000);
        }
    }
    f.assign(y, Expr::from(y) + Expr::from(i) * x);
    f.assign(i, 5);
    f.assign(y, Expr::from(y) * Expr::from(i) * x);
    let mut program = ProgramBuilder::new();
    let f = program.add(f);
    (program.finish().expect("the builder is used right"), f)
}

/// Value and derivative of the program in dual numbers, with a loop that knows nothing of trip counts.
fn expected(x: f64, [first, last, step]: [i64; 3]) -> (f64, f64) {
    let (mut i, mut z, mut dz) = (first, x, 1.0);
    let (mut y, mut dy) = (77.0 * x, 77.0);
    while if step > 0 { i <= last } else { i >= last } {
        let k = i as f64;
        (z, dz) = (z * x + k, dz * x + z);
        (y, dy) = (y + k * z * z, dy + 2.0 * k * z * dz);
        i += step;
    }
    (y, dy) = (y + i as f64 * x, dy + i as f64);
    (y * 5.0 * x, 5.0 * (dy * x + y))
}

fn ranges() -> impl Iterator<Item = [i64; 3]> {
    let steps = [-4, -3, -2, -1, 1, 2, 3, 4];
    (-4..=4).flat_map(move |a| (-4..=4).flat_map(move |b| steps.map(|c| [a, b, c])))
}

/// The trips that a run took, from what is on the tape.
fn agrees(adjoint: &mut Adjoint, range: [i64; 3], why: &str) -> u64 {
    let [first, last, step] = range;
    let point = format!(r#"{{"first": {first}, "last": {last}, "step": {step}, "x": 3}}"#);
    let point = adjoint.read_point(point.as_bytes()).expect("it is a point");
    let seed = adjoint.default_seed(&point).expect("one scalar");
    let found = adjoint.gradient(&point, &seed).expect("it runs");
    let value = super::reals(&found.value, "y")[0];
    let gradient = super::reals(&found.gradient, "x")[0];
    assert_eq!((value, gradient), expected(3.0, range), "{range:?}, {why}");
    let tape = found.tape.expect("the executor counts");
    assert_eq!(tape.pushes, tape.pops, "{range:?}, {why}");
    tape.control_bits
}

#[test]
fn ranges_known_at_run_time() {
    for bounds in [Bounds::Kept, Bounds::Lost, Bounds::Moved] {
        for counters in [false, true] {
            let (program, f) = program(bounds);
            let mut options = Options::default();
            options.reversal.counters = counters;
            // No Jacobian of the loop is carried in place of a count.
            options.reversal.markers = true;
            let mut adjoint =
                Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
            for range in ranges() {
                let bits = agrees(
                    &mut adjoint,
                    range,
                    &format!("{bounds:?}, counters {counters}"),
                );
                let counted = counters || bounds == Bounds::Moved;
                assert_eq!(bits > 0, counted, "{range:?}, {bounds:?}: {bits} bits");
            }
        }
    }
}

#[test]
fn constant_ranges() {
    for range in ranges() {
        let (program, f) = program(Bounds::Constant(range));
        let mut adjoint =
            Adjoint::new(&flat(&program), f, &Options::default()).expect("an adjoint");
        assert_eq!(agrees(&mut adjoint, range, "constant"), 0);
    }
}
