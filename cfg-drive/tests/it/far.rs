//! Counted loops, steps and exponents at the ends of the range of integers: what runs has derivatives.

use super::given::list;
use super::*;
use crate::flat;
use cfg_format::json;

/// The loop's values of `mod(i, 7)` are factors of y. `stop`: the value of i at which it is left early.
/// `range`: constants, or `None` for variables.
fn program(range: [Option<i64>; 3], general: bool) -> ValidProgram {
    let names = ["first", "last", "step"];
    let [first, last, step] = [0, 1, 2].map(|k| match range[k] {
        Some(n) => n.to_string(),
        None => format!("\"{}\"", names[k]),
    });
    let body = r#"["=","z",["*","z",["+","x",["mod","i",7]]]],["=","y",["+","y",["*","z","z"]]]"#;
    let (control, branch, leave) = match general {
        true => (
            r#""control":"general","#,
            r#"{"id":8,"type":"BRANCH","condition":["==","i","stop"]},"#,
            r#"{"from":4,"to":8},{"from":8,"to":6,"label":1},{"from":8,"to":5,"label":0}"#,
        ),
        false => ("", "", r#"{"from":4,"to":5}"#),
    };
    let parameters = [
        "in integer first",
        "in integer last",
        "in integer step",
        "in integer stop",
        "in real x",
        "out real y",
    ];
    let text = format!(
        r#"{{"format":"cfgrev/1","main":"f","routines":[{{"name":"f",{control}"parameters":[{}],
        "locals":[{}],"vertices":[{{"id":1,"type":"ENTRY"}},
        {{"id":2,"type":"BASICBLOCK","statements":[["=","y","x"],["=","z","x"]]}},
        {{"id":3,"type":"LOOP","test":"counted","index":"i","first":{first},"last":{last},"step":{step}}},
        {{"id":4,"type":"BASICBLOCK","statements":[{body}]}},{branch}{{"id":5,"type":"ENDLOOP"}},
        {{"id":6,"type":"BASICBLOCK","statements":[["=","y",["*","y","z"]]]}},{{"id":7,"type":"EXIT"}}],
        "edges":[{{"from":1,"to":2}},{{"from":2,"to":3}},{{"from":3,"to":4,"label":1}},{leave},
        {{"from":5,"to":3}},{{"from":3,"to":6}},{{"from":6,"to":7}}],
        "independents":["x"],"dependents":["y"]}}]}}"#,
        list(&parameters),
        list(&["integer i", "real z"]),
    );
    validate(json::read(text.as_bytes()).expect("it can be read")).expect("it is valid")
}

/// Value and derivative in dual numbers; `None` if the program stops with an error.
fn expected(x: f64, [first, last, step]: [i64; 3], stop: Option<i64>) -> Option<(f64, f64)> {
    let (mut y, mut dy, mut z, mut dz) = (x, 1.0, x, 1.0);
    let mut i = i128::from(first);
    while match step > 0 {
        true => i <= i128::from(last),
        false => i >= i128::from(last),
    } {
        let factor = x + (i % 7) as f64;
        (z, dz) = (z * factor, dz * factor + z);
        (y, dy) = (y + z * z, dy + 2.0 * z * dz);
        if stop.map(i128::from) == Some(i) {
            return Some((y * z, dy * z + y * dz));
        }
        i += i128::from(step);
    }
    i64::try_from(i).is_ok().then_some((y * z, dy * z + y * dz))
}

fn ranges() -> Vec<[i64; 3]> {
    const EDGES: [i64; 2] = [i64::MIN, i64::MAX];
    let near = |edge: i64| (-6..=6).filter_map(move |d: i64| edge.checked_add(d));
    let values: Vec<i64> = EDGES.into_iter().flat_map(near).chain([-1, 0, 1]).collect();
    let steps = [
        1,
        -1,
        2,
        -3,
        1 << 62,
        -(1 << 62),
        i64::MAX,
        i64::MIN,
        i64::MIN + 1,
    ];
    let mut all = Vec::new();
    for &first in &values {
        for &last in &values {
            for step in steps {
                let distance = (i128::from(last) - i128::from(first)) / i128::from(step);
                if distance < 12 {
                    all.push([first, last, step]);
                }
            }
        }
    }
    all
}

fn agrees(adjoint: &mut Adjoint, tangent: &mut Tangent, range: [i64; 3], stop: Option<i64>) {
    let [first, last, step] = range;
    // Where there is no stop, a value that the index never has.
    let values = (0..13).map(|k| i128::from(first) + k * i128::from(step));
    let values: Vec<i128> = values.collect();
    let never = (1000..1020).find(|&n| !values.contains(&i128::from(n)));
    let never = never.expect("there are fewer values");
    let point = format!(
        r#"{{"first": {first}, "last": {last}, "step": {step}, "stop": {}, "x": 0.5}}"#,
        stop.unwrap_or(never)
    );
    let what = format!("{range:?}, {stop:?}");
    let expected = expected(0.5, range, stop);
    let here = adjoint.read_point(point.as_bytes()).expect("it is a point");
    let seed = adjoint.default_seed(&here).expect("one scalar");
    let found = adjoint.gradient(&here, &seed);
    let Some((y, dy)) = expected else {
        assert!(found.is_err(), "{what}");
        return;
    };
    let found = found.unwrap_or_else(|d| panic!("{what}: {d}"));
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
    assert_eq!(reals(&found.value, "y"), [y], "{what}");
    let gradient = reals(&found.gradient, "x")[0];
    assert!(near(gradient, dy), "{what}: {gradient} {dy}");
    let here = tangent.read_point(point.as_bytes()).expect("it is a point");
    let direction = tangent
        .read_direction(br#"{"x": 1}"#, &here)
        .expect("it is one");
    let found = tangent.tangent(&here, &direction).expect("it runs");
    assert!(near(reals(&found.tangent, "y")[0], dy), "{what}");
}

fn options() -> [Options; 2] {
    [false, true].map(|counters| {
        let mut options = Options::default();
        options.reversal.counters = counters;
        options
    })
}

#[test]
fn loops_at_the_ends_of_the_range() {
    let ranges = ranges();
    let mut ran = 0;
    for options in options() {
        for general in [false, true] {
            let program = program([None; 3], general);
            let f = program.program().main.expect("there is one");
            let mut adjoint =
                Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
            let mut tangent = Tangent::new(&flat(&program), f, &options).expect("it has a tangent");
            for &range in &ranges {
                agrees(&mut adjoint, &mut tangent, range, None);
                ran += usize::from(expected(0.5, range, None).is_some());
                if general {
                    let [first, _, step] = range;
                    for k in 0..3 {
                        let stop = i128::from(first) + k * i128::from(step);
                        if let Ok(stop) = i64::try_from(stop) {
                            agrees(&mut adjoint, &mut tangent, range, Some(stop));
                        }
                    }
                }
            }
        }
    }
    assert!(ran > 1000, "{ran}");
}

#[test]
fn loops_with_constant_bounds_at_the_ends_of_the_range() {
    let options = options();
    for (k, range) in ranges().into_iter().enumerate() {
        // Every mixture of constants and variables, one after the other.
        let constant = |j: usize| (k >> j & 1 == 1).then_some(range[j]);
        let program = program([constant(0), constant(1), constant(2)], k % 3 == 0);
        let f = program.program().main.expect("there is one");
        let options = &options[k / 8 % 2];
        let mut adjoint = Adjoint::new(&flat(&program), f, options).expect("it has an adjoint");
        let mut tangent = Tangent::new(&flat(&program), f, options).expect("it has a tangent");
        agrees(&mut adjoint, &mut tangent, range, None);
    }
}

/// x**k for exponents at the ends, at bases where that is not 0 or infinite.
#[test]
fn exponents_at_the_ends_of_the_range() {
    let mut f = RoutineBuilder::new("f");
    let [x, y] = [f.input("x", Real), f.output("y", Real)];
    let k = f.input("k", Integer);
    f.independents([x]).dependents([y]);
    f.assign(y, Expr::op(Op::Pow, [Expr::from(x), Expr::from(k)]));
    let (program, f) = finish(f);
    let mut adjoint =
        Adjoint::new(&flat(&program), f, &Options::default()).expect("it has an adjoint");
    let mut tangent =
        Tangent::new(&flat(&program), f, &Options::default()).expect("it has a tangent");
    for k in [i64::MIN, i64::MIN + 1, -3, 0, 1, i64::MAX] {
        for x in [1.0, -1.0] {
            let point = format!(r#"{{"x": {x:?}, "k": {k}}}"#);
            let expected = k as f64 * if k % 2 == 0 { x } else { 1.0 };
            let here = adjoint.read_point(point.as_bytes()).expect("it is a point");
            let seed = adjoint.default_seed(&here).expect("one scalar");
            let found = adjoint.gradient(&here, &seed).expect("it runs");
            assert_eq!(reals(&found.gradient, "x"), [expected], "{point}");
            let here = tangent.read_point(point.as_bytes()).expect("it is a point");
            let direction = tangent
                .read_direction(br#"{"x": 1}"#, &here)
                .expect("it is one");
            let found = tangent.tangent(&here, &direction).expect("it runs");
            assert_eq!(reals(&found.tangent, "y"), [expected], "{point}");
        }
    }
}
