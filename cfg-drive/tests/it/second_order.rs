//! Second derivatives of products, and of optional arguments inside conditional expressions.

use crate::flat;
use crate::{checked, finish, merged_and_not, reals};
use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
use cfg_core::entity::RoutineId;
use cfg_core::ir::{Expr, Intent, Op, Overlay, ScalarType::Real};
use cfg_core::validate::{ValidProgram, validate};
use cfg_drive::{Adjoint, Named, Options, Tangent, declare};
use cfg_testkit::rng::Rng;

/// The product of all elements but those at `without`.
fn product_but(x: &[f64], without: &[usize]) -> f64 {
    let kept = x.iter().enumerate().filter(|(i, _)| !without.contains(i));
    kept.map(|(_, x)| x).product()
}

#[test]
fn the_hessian_of_a_product_is_exact_where_elements_are_zero() {
    for shape in [vec![4], vec![2, 2]] {
        let mut f = RoutineBuilder::new("f");
        let x = f.input("x", Real.array(shape.clone()));
        let y = f.output("y", Real);
        f.independents([x]).dependents([y]);
        f.assign(y, Expr::op(Op::Product, [Expr::var(x)]) * 3.0);
        let (program, f) = finish(f);
        let reversal = cfg_reverse::reverse(&flat(&program), f, &cfg_reverse::Options::default())
            .expect("it has an adjoint");
        let mut program = reversal.program;
        let names = |s: &str| [s.to_owned()];
        declare(
            &mut program,
            reversal.gradient,
            Some(&names("x")),
            Some(&names("x_b")),
        )
        .expect("they are parameters");
        let program = validate(program).expect("it is valid");
        let mut tangent = Tangent::new(&flat(&program), reversal.gradient, &Options::default())
            .expect("it has a tangent");
        for x in [
            [2.0, 3.0, 5.0, 7.0],
            [2.0, 0.0, 5.0, 7.0],
            [0.0, 3.0, 0.0, 7.0],
            [0.0, 0.0, 0.0, 7.0],
        ] {
            let written = |x: &[f64]| match shape.len() {
                1 => format!("{x:?}"),
                _ => format!("[{:?}, {:?}]", &x[..2], &x[2..]),
            };
            let point = format!(
                r#"{{"x": {}, "x_b": {}, "y_b": 1}}"#,
                written(&x),
                written(&[0.0; 4])
            );
            let point = tangent.read_point(point.as_bytes()).expect("it is a point");
            for k in 0..4 {
                let mut unit = [0.0; 4];
                unit[k] = 1.0;
                let direction = format!(r#"{{"x": {}}}"#, written(&unit));
                let direction = tangent
                    .read_direction(direction.as_bytes(), &point)
                    .expect("a direction");
                let found = tangent.tangent(&point, &direction).expect("it runs");
                let gradient: Vec<f64> = (0..4).map(|j| 3.0 * product_but(&x, &[j])).collect();
                assert_eq!(reals(&found.value, "x_b"), gradient);
                let second = |j| match j == k {
                    true => 0.0,
                    false => 3.0 * product_but(&x, &[j, k]),
                };
                let column: Vec<f64> = (0..4).map(second).collect();
                assert_eq!(reals(&found.tangent, "x_b"), column, "{x:?} {k}");
            }
        }
    }
}

/// `y := x*if(present(z), z*z, if(x > 1, x, 3))`, with and without z.
#[test]
fn optional_arguments_inside_conditional_expressions() {
    let mut program = ProgramBuilder::new();
    let mut g = RoutineBuilder::new("g");
    let x = g.input("x", Real);
    let y = g.inout("y", Real);
    let z = g.optional("z", Real, cfg_core::ir::Intent::In);
    let present = Expr::op(Op::Present, [Expr::var(z)]);
    let inner = Expr::op(Op::If, [gt(x, 1), Expr::var(x), Expr::Real(3.0)]);
    let value = Expr::op(Op::If, [present, z * z, inner]);
    g.assign(y, y + x * value);
    let g = program.add(g);
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([2]));
    let y = f.output("y", Real.array([2]));
    f.independents([x]).dependents([y]);
    f.assign(y, 0.0);
    let (first, second) = (Expr::from(x.at(1)), Expr::from(x.at(2)));
    let (with, without) = (Expr::from(y.at(2)), Expr::from(y.at(1)));
    f.call_with(g, vec![Some(first.clone()), Some(without), None], None);
    f.call_with(g, vec![Some(first), Some(with), Some(second)], None);
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    for (point, rows) in [
        (r#"{"x": [2, 5]}"#, [[4.0, 0.0], [25.0, 20.0]]),
        (r#"{"x": [0.5, 5]}"#, [[3.0, 0.0], [25.0, 5.0]]),
    ] {
        let found = checked(&program, f, point);
        assert_eq!(found.agrees(), Some(true), "{found:?}");
        for options in merged_and_not() {
            let mut adjoint =
                Adjoint::new(&flat(&program), f, &options).expect("it has an adjoint");
            let point = adjoint.read_point(point.as_bytes()).expect("a point");
            let (seeds, _) = adjoint
                .read_seeds(br#"[{"y": [1, 0]}, {"y": [0, 1]}]"#, &point)
                .expect("seeds");
            for (seed, row) in seeds.iter().zip(rows) {
                let run = adjoint.gradient(&point, seed).expect("it runs");
                assert_eq!(reals(&run.gradient, "x"), row);
                assert_eq!(run.mirrored, Some(true));
            }
        }
    }
}

/// Coefficients of products of three of the six variables x, v(1), v(2), g, h(1), h(2).
type Cubic = Vec<(f64, [usize; 3])>;

fn value_of(cubic: &Cubic, of: &dyn Fn(usize) -> Expr) -> Expr {
    let terms = cubic
        .iter()
        .map(|&(c, [i, j, k])| Expr::Real(c) * of(i) * of(j) * of(k));
    terms.reduce(|a, b| a + b).expect("there are terms")
}

/// The partial by the variables listed, at a point.
fn partial(cubic: &Cubic, by: &[usize], at: &[f64; 6]) -> f64 {
    let mut terms: Vec<(f64, Vec<usize>)> =
        cubic.iter().map(|(c, list)| (*c, list.to_vec())).collect();
    for b in by {
        let without = |(c, list): &(f64, Vec<usize>)| -> Vec<(f64, Vec<usize>)> {
            let places = (0..list.len()).filter(|&p| list[p] == *b);
            let rest = |p: usize| [&list[..p], &list[p + 1..]].concat();
            places.map(|p| (*c, rest(p))).collect()
        };
        terms = terms.iter().flat_map(without).collect();
    }
    let term = |(c, list): &(f64, Vec<usize>)| c * list.iter().map(|&i| at[i]).product::<f64>();
    terms.iter().map(term).sum()
}

/// The tangent of the gradient routine, with what it declares by itself: globals take part in Hessians like
/// parameters, as independents and as dependents, and if they share cells.
#[test]
fn hessians_know_globals() {
    let mut rng = Rng::new(5);
    for shared in [false, true] {
        for _ in 0..6 {
            let mut cubic = || -> Cubic {
                let term = |_| {
                    let c = rng.between(1, 5) as f64;
                    (c, [0; 3].map(|_| rng.below(6)))
                };
                (0..8).map(term).collect()
            };
            let (of_y, of_s) = (cubic(), cubic());
            hessian(&of_y, &of_s, shared, &mut rng);
        }
    }
}

fn hessian(of_y: &Cubic, of_s: &Cubic, shared: bool, rng: &mut Rng) {
    let mut program = ProgramBuilder::new();
    let g = program.global("g", Real);
    program.initialize(g, [2.0]);
    let h = program.global("h", Real.array([2]));
    let s = program.global("s", Real.array([1]));
    let s2 = program.global("s2", Real.array([1]));
    if shared {
        program.overlay(s2, Overlay { base: s, offset: 0 });
    }
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real);
    let v = f.input("v", Real.array([2]));
    let y = f.output("y", Real);
    let [g, h, s, s2] = [g, h, s, s2].map(|g| f.global(program.program(), g));
    let mut independents = [x, v, g, h];
    rng.shuffle(&mut independents);
    let dependents = if shared { vec![s2, y, s] } else { vec![s, y] };
    f.independents(independents).dependents(dependents);
    let of = |i: usize| -> Expr {
        match i {
            0 => Expr::var(x),
            1 | 2 => v.at(i as i64).into(),
            3 => Expr::var(g),
            _ => h.at(i as i64 - 3).into(),
        }
    };
    f.assign(y, value_of(of_y, &of));
    f.assign(s.at(1), value_of(of_s, &of));
    let f = program.add(f);
    let program = program.finish().expect("the builder is used right");
    let reversal = cfg_reverse::reverse(&flat(&program), f, &cfg_reverse::Options::default())
        .expect("it has an adjoint");
    let gradient = reversal.gradient;
    let program = validate(reversal.program).expect("it is valid");

    let at = [3.0, -2.0, 5.0, 2.0, 7.0, -1.0];
    let point =
        r#"{"x": 3, "v": [-2, 5], "h": [7, -1], "y_b": 2, "x_b": 0, "v_b": [0, 0], "s_b": [3]}"#;
    let mut tangent =
        Tangent::new(&flat(&program), gradient, &Options::default()).expect("it has a tangent");
    let point = tangent.read_point(point.as_bytes()).expect("a point");
    let names = ["x_b", "v_b", "g_b", "h_b"];
    let by_variable = |values: &Named| names.map(|name| reals(values, name)).concat();
    let weighted = |by: &[usize]| 2.0 * partial(of_y, by, &at) + 3.0 * partial(of_s, by, &at);
    for (k, direction) in [
        r#"{"x": 1}"#,
        r#"{"v": [1, 0]}"#,
        r#"{"v": [0, 1]}"#,
        r#"{"g": 1}"#,
        r#"{"h": [1, 0]}"#,
        r#"{"h": [0, 1]}"#,
        r#"{"s_b": [1]}"#,
        r#"{"y_b": 1}"#,
    ]
    .into_iter()
    .enumerate()
    {
        let direction = tangent
            .read_direction(direction.as_bytes(), &point)
            .expect("a direction");
        let run = tangent.tangent(&point, &direction).expect("it runs");
        let expected: Vec<f64> = (0..6).map(|i| weighted(&[i])).collect();
        assert_eq!(by_variable(&run.value), expected);
        let column: Vec<f64> = (0..6)
            .map(|i| match k {
                6 => partial(of_s, &[i], &at),
                7 => partial(of_y, &[i], &at),
                k => weighted(&[i, k]),
            })
            .collect();
        assert_eq!(by_variable(&run.tangent), column, "{k}");
        if k < 6 {
            assert_eq!(reals(&run.tangent, "y"), [partial(of_y, &[k], &at)]);
            assert_eq!(reals(&run.tangent, "s"), [partial(of_s, &[k], &at)]);
        }
    }
}

/// y := f(x, a), with x and a real inputs.
fn binary(f: impl Fn(Expr, Expr) -> Expr) -> (ValidProgram, RoutineId) {
    let mut b = RoutineBuilder::new("f");
    let (x, a) = (b.input("x", Real), b.input("a", Real));
    let y = b.output("y", Real);
    b.independents([x, a]).dependents([y]);
    b.assign(y, f(Expr::var(x), Expr::var(a)));
    finish(b)
}

/// Derivatives of repeated tangents: `directions` of x and a, one for each tangent, the others' tangents are 0.
fn repeated(f: &(ValidProgram, RoutineId), at: [f64; 2], directions: &[[f64; 2]]) -> f64 {
    let (mut program, mut routine) = f.clone();
    let mut values = at.to_vec();
    let (last, before) = directions.split_last().expect("there is one");
    for direction in before {
        let made = cfg_reverse::tangent(&flat(&program), routine).expect("it has a tangent");
        (program, routine) = (validate(made.program).expect("it is valid"), made.tangent);
        values.push(0.0);
        let n = values.len();
        values.extend(direction);
        values.resize(2 * n - 1, 0.0);
    }
    let mut tangent =
        Tangent::new(&flat(&program), routine, &Options::default()).expect("it has a tangent");
    let r = program.routine(routine);
    // y stands behind x and a, and its tangents behind theirs.
    let named = |v: &[f64]| {
        let inputs = r.parameter_ids().map(|p| r.variable(p));
        let inputs = inputs
            .enumerate()
            .filter(|(_, p)| p.intent() == Some(Intent::In));
        let members =
            inputs.map(|(k, p)| format!("\"{}\": {:?}", p.name, v.get(k).unwrap_or(&0.0)));
        format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
    };
    let point = tangent
        .read_point(named(&values).as_bytes())
        .expect("it is a point");
    let direction = tangent
        .read_direction(named(last).as_bytes(), &point)
        .expect("it is a direction");
    let run = tangent.tangent(&point, &direction).expect("it runs");
    let (_, value) = run.tangent.last().expect("there is a dependent");
    value.to_f64s().expect("it is real")[0]
}

/// Where the first operand of `strong*`, or a tangent, is 0, the product has derivatives all the same.
#[test]
fn strong_products_have_all_derivatives_at_zero() {
    let (dx, da) = ([1.0, 0.0], [0.0, 1.0]);
    let product = binary(|x, a| Expr::op(Op::StrongMul, [x, a]));
    let exp = binary(|x, a| Expr::op(Op::Exp, [x * a]));
    for at in [[0.0, 3.0], [2.0, 0.0], [0.0, 0.0], [0.5, -1.5]] {
        let [x, a] = at;
        for (directions, expected) in [
            (vec![dx], a),
            (vec![da], x),
            (vec![dx, da], 1.0),
            (vec![da, dx], 1.0),
            (vec![da, da], 0.0),
            (vec![da, dx, da], 0.0),
        ] {
            assert_eq!(
                repeated(&product, at, &directions),
                expected,
                "{at:?} {directions:?}"
            );
        }
        // exp(x a) by a once, by x twice, in each order.
        let third = (2.0 * a + x * a * a) * (x * a).exp();
        for directions in [[da, dx, dx], [dx, da, dx], [dx, dx, da]] {
            let found = repeated(&exp, at, &directions);
            assert!(
                (found - third).abs() <= 1e-14 * third.abs(),
                "{at:?} {directions:?}: {found}"
            );
        }
    }
    // The adjoint's tangent and the tangent's adjoint agree, in all ways of building the adjoint of a block.
    for (f, at) in [
        (&product, r#"{"x": 0, "a": 3}"#),
        (&exp, r#"{"x": 0, "a": 3}"#),
    ] {
        let (program, f) = f;
        for blocks in [
            cfg_reverse::Blocks::Statement,
            cfg_reverse::Blocks::Preaccumulate,
        ] {
            let options = cfg_reverse::Options {
                blocks,
                ..Default::default()
            };
            let made =
                cfg_reverse::reverse(&flat(program), *f, &options).expect("it has an adjoint");
            let mut program = made.program;
            let names = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
            let (x, b) = (names(&["x", "a"]), names(&["x_b", "a_b"]));
            declare(&mut program, made.gradient, Some(&x), Some(&b)).expect("they are parameters");
            let program = validate(program).expect("it is valid");
            let mut tangent = Tangent::new(&flat(&program), made.gradient, &Options::default())
                .expect("it has a tangent");
            let point = at.replace('}', r#", "x_b": 0, "a_b": 0, "y_b": 1}"#);
            let point = tangent.read_point(point.as_bytes()).expect("it is a point");
            for (direction, by) in [(r#"{"x": 1}"#, 0), (r#"{"a": 1}"#, 1)] {
                let direction = tangent.read_direction(direction.as_bytes(), &point);
                let run = tangent.tangent(&point, &direction.expect("it is a direction"));
                let run = run.expect("it runs");
                // The mixed derivative is 1 for both functions; that of exp by x twice is a squared.
                let mixed = if by == 0 { "a_b" } else { "x_b" };
                assert_eq!(reals(&run.tangent, mixed), [1.0], "{blocks:?}");
            }
        }
    }
}

/// Powers, and other functions with a kink or corner of two operands, of a scalar and an array: the conditions of
/// their second derivatives mix scalars and arrays.
#[test]
fn second_derivatives_of_scalars_and_arrays() {
    let pow = |a: Expr, b: Expr| Expr::op(Op::Pow, [a, b]);
    let two = |op: Op| move |a: Expr, b: Expr| Expr::op(op, [a, b]);
    type Make<'a> = &'a dyn Fn(Expr, Expr) -> Expr;
    let all: [(&str, Make<'_>); 6] = [
        ("**", &pow),
        ("max", &two(Op::Max)),
        ("sign", &two(Op::Sign)),
        ("atan2", &two(Op::Atan2)),
        ("hypot", &two(Op::Hypot)),
        ("strong", &|a, b| {
            Expr::op(Op::StrongMul, [a.clone() * b.clone(), a * b])
        }),
    ];
    for (what, make) in all {
        for shape in [vec![3], vec![1, 3]] {
            for turned in [false, true] {
                let mut f = RoutineBuilder::new("f");
                let s = f.input("s", Real);
                let v = f.input("v", Real.array(shape.clone()));
                let y = f.output("y", Real.array(shape.clone()));
                f.independents([s, v]).dependents([y]);
                let operands = (Expr::var(s), Expr::var(v));
                let value = match turned {
                    false => make(operands.0, operands.1),
                    true => make(operands.1, operands.0),
                };
                f.assign(y, value * Expr::var(v));
                let (program, f) = finish(f);
                let first = cfg_reverse::tangent(&flat(&program), f).expect("it has a tangent");
                let names =
                    |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
                let mut program = first.program;
                let f_t = first.tangent;
                let (x, y) = (names(&["s", "v"]), names(&["y_t"]));
                declare(&mut program, f_t, Some(&x), Some(&y)).expect("they are parameters");
                let program = validate(program).expect("it is valid");
                let list = |v: [f64; 3]| match shape.len() {
                    1 => format!("{v:?}"),
                    _ => format!("[{v:?}]"),
                };
                let point = format!(
                    r#"{{"s": 1.7, "v": {}, "s_t": 0.3, "v_t": {}}}"#,
                    list([0.4, 1.1, 2.6]),
                    list([1.0, -0.5, 0.25])
                );
                let found = checked(&program, f_t, &point);
                assert_eq!(
                    found.agrees(),
                    Some(true),
                    "{what} {turned} {shape:?}: {found:?}"
                );
            }
        }
    }
}
