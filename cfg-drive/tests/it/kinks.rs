//! False answers that `check` must not give: that derivatives are wrong where divided differences, or numbers near
//! underflow, cannot tell; and that they agree where nothing was compared.

use crate::{checked, external, finish};
use cfg_core::builder::{RoutineBuilder, expr::*};
use cfg_core::entity::VarId;
use cfg_core::ir::{
    Expr, Op,
    ScalarType::{self, Real, Real32},
};
use cfg_drive::Checked;

fn of_one(value: impl Fn(Expr) -> Expr, ty: ScalarType, x: f64) -> Checked {
    let mut f = RoutineBuilder::new("f");
    let v = f.input("x", ty);
    let y = f.output("y", ty);
    f.independents([v]).dependents([y]);
    f.assign(y, value(Expr::var(v)));
    let (program, f) = finish(f);
    checked(&program, f, &format!("{{\"x\": {x:?}}}"))
}

/// A constant of a real type.
fn literal(ty: ScalarType, x: f64) -> Expr {
    match ty {
        Real32 => Expr::Real32(x as f32),
        _ => Expr::Real(x),
    }
}

/// Every function with jumps or kinks, near one, far from one, and where all numbers are whole.
#[test]
fn steps_over_jumps_and_kinks_prove_nothing() {
    let one = |op: Op| move |x: Expr| Expr::op(op, [x]);
    let two = |op: Op, y: f64| move |x: Expr| Expr::op(op, [x, Expr::Real(y)]);
    let real = |x: Expr| Expr::op(Op::ToReal, [x]);
    type Function = Box<dyn Fn(Expr) -> Expr>;
    let functions: Vec<(&str, Function)> = vec![
        ("floor", Box::new(one(Op::Floor))),
        ("ceil", Box::new(one(Op::Ceil))),
        ("round", Box::new(one(Op::Round))),
        ("trunc", Box::new(one(Op::Trunc))),
        ("abs", Box::new(move |x| Expr::op(Op::Abs, [x - 1.0]))),
        ("mod", Box::new(two(Op::Mod, 3.0))),
        ("modulo", Box::new(two(Op::Modulo, -0.7))),
        ("min", Box::new(two(Op::Min, 2.0))),
        ("max", Box::new(two(Op::Max, -2.0))),
        ("dim", Box::new(two(Op::PosDiff, 1.0))),
        (
            "sign",
            Box::new(|x: Expr| Expr::op(Op::Sign, [Expr::Real(2.0), x - 1.0])),
        ),
        (
            "if",
            Box::new(|x: Expr| Expr::op(Op::If, [gt(x, 1.0), Expr::Real(5.0), Expr::Real(3.0)])),
        ),
        (
            "logical",
            Box::new(move |x: Expr| real(Expr::op(Op::ToLogical, [x - 1.0]))),
        ),
        (
            "atan2",
            Box::new(|x: Expr| Expr::op(Op::Atan2, [x - 1.0, Expr::Real(-3.0)])),
        ),
    ];
    let points = [
        0.3,
        1.0,
        1.0 + 1e-4,
        1.0 - 1e-6,
        1.0 + 1e-9,
        2.5,
        -7.25,
        1e3 + 0.4,
        -1e7 - 0.4,
        123456789.3,
        1e15 + 0.5,
        4503599627370497.0,
        -1e100,
        1.7e308,
        -1.7976931348623157e308,
    ];
    for (name, function) in &functions {
        let mut compared = 0;
        for x in points {
            for smooth in [0.0, 1e-3] {
                // The function, with a term that has a derivative beside it.
                let value = |x: Expr| function(x.clone()) + smooth * x;
                let found = of_one(value, Real, x);
                assert_ne!(
                    found.agrees(),
                    Some(false),
                    "{name} {x:?} {smooth}: {found:?}"
                );
                let none = found.differences.compared == 0;
                assert_eq!(found.agrees().is_none(), none, "{name} {x:?}: {found:?}");
                assert_eq!(
                    found.remarks.to_string().contains("P434"),
                    none,
                    "{found:?}"
                );
                compared += found.differences.compared;
            }
        }
        assert!(compared >= 6, "{name}: {compared}");
    }
}

/// A jump in one element leaves the others to be compared.
#[test]
fn elements_beside_a_jump_are_compared() {
    let mut f = RoutineBuilder::new("f");
    let x = f.input("x", Real.array([2]));
    let y = f.output("y", Real.array([2]));
    f.independents([x]).dependents([y]);
    f.assign(y.at(1), Expr::op(Op::Round, [x.at(1).into()]));
    f.assign(y.at(2), sin(x.at(2)));
    let (program, f) = finish(f);
    for text in [r#"{"x": [1e300, 0.5]}"#, r#"{"x": [2.5, 0.5]}"#] {
        let found = checked(&program, f, text);
        assert_eq!(found.agrees(), Some(true), "{found:?}");
        let d = &found.differences;
        assert_eq!((d.compared, d.crossed), (1, 1), "{found:?}");
    }
}

/// Chains of products around and below the smallest normal numbers of both widths: no false alarm.
#[test]
fn underflow_is_no_disagreement() {
    let mut answered = 0;
    for ty in [Real, Real32] {
        let literal = |x: f64| literal(ty, x);
        let powers: &[i32] = match ty {
            Real32 => &[-20, -30, -36, -38, -40, -43, -45],
            _ => &[-100, -280, -300, -307, -310, -315, -320, -323],
        };
        for &power in powers {
            let tiny: f64 = format!("1e{power}").parse().expect("a number");
            for x in [0.5, 1.7, tiny, 3.0 * tiny] {
                for c in [3.0, 44.456, 1e5] {
                    let value = |x: Expr| {
                        let small = x.clone() * literal(tiny) * literal(0.3);
                        sin(small * literal(c)) + literal(tiny) * x.clone() * x
                    };
                    let found = of_one(value, ty, x);
                    let why = format!("{ty:?} {tiny:e} {x:e} {c}: {found:?}");
                    assert_ne!(found.agrees(), Some(false), "{why}");
                    answered += usize::from(found.agrees() == Some(true));
                }
            }
        }
    }
    assert!(answered > 20, "{answered}");
}

/// Products of two factors that are 0, whose steps are rounded: the gap to a derivative of 0 does not vanish with the step.
#[test]
fn rounding_of_steps_is_no_derivative() {
    let one_less = |c: f64, x: VarId| 1.0 - c / x;
    let less = |x: VarId, c: f64| x - c;
    type Product = fn(Expr, Expr, VarId, VarId) -> Expr;
    let products: [Product; 3] = [
        |u, v, x, _| u * v * x,
        |u, v, x, z| u * v * z * x,
        |u, v, _, z| Expr::from(z) * (u.clone() * v.clone() * 40.0 - u * v * 39.0),
    ];
    for (k, product) in products.iter().enumerate() {
        for with in [0.5, 1.0, 2.0, 3.0] {
            let mut f = RoutineBuilder::new("f");
            let [x, z] = ["x", "z"].map(|name| f.input(name, Real));
            let y = f.output("y", Real.array([2]));
            f.independents([x, z]).dependents([y]);
            f.assign(y.at(1), product(one_less(with, x), less(z, 2.0), x, z));
            f.assign(y.at(2), product(one_less(with, x), one_less(2.0, z), x, z));
            let (program, f) = finish(f);
            let found = checked(&program, f, &format!("{{\"x\": {with:?}, \"z\": 2.0}}"));
            assert_eq!(found.agrees(), Some(true), "{k} {with}: {found:?}");
            assert_eq!(found.differences.compared, 2, "{k} {with}: {found:?}");
        }
    }
}

/// Cubes beside a number that leaves few of their digits, in 32 bits fewer still: one step alone may show them.
#[test]
fn changes_that_few_steps_show_prove_nothing() {
    let mut answered = [0; 2];
    for (k, ty) in [Real, Real32].into_iter().enumerate() {
        let literal = |x: f64| literal(ty, x);
        for beside in [0.0, 4.0, 1e4, 1e9] {
            for size in [0.1, 1.0, 3.0, 10.0, 100.0, 1e4, 1e7] {
                for power in [2, 3] {
                    let value = |x: Expr| {
                        literal(beside) + literal(size) * Expr::op(Op::Pow, [x, Expr::Int(power)])
                    };
                    let found = of_one(value, ty, 0.0);
                    let why = format!("{ty:?} {beside} {size} {power}: {found:?}");
                    assert_ne!(found.agrees(), Some(false), "{why}");
                    answered[k] += usize::from(found.agrees() == Some(true));
                }
            }
        }
    }
    assert!(answered[0] >= 50 && answered[1] >= 40, "{answered:?}");
}

/// A dependence that a partial of 0 forgets is found beside a curvature that is far larger.
#[test]
fn small_derivatives_that_are_forgotten_are_found() {
    for (ty, slopes) in [
        (Real, &[1.0, 1e-3, 1e-6, 1e-9, 1e-11][..]),
        (Real32, &[1.0, 1e-1, 1e-2, 1e-3]),
    ] {
        for &slope in slopes {
            let literal = |x: f64| literal(ty, x);
            let value = |u: VarId| literal(slope) * u + (u - literal(1.0)) * (u - literal(1.0));
            for (partial, right) in [(slope, true), (0.0, false)] {
                let (program, f) = external(ty, value, |u| {
                    literal(partial) + literal(2.0) * (u - literal(1.0))
                });
                let found = checked(&program, f, r#"{"x": 1}"#);
                assert_eq!(
                    found.differences.agrees,
                    Some(right),
                    "{ty:?} {slope}: {found:?}"
                );
            }
        }
    }
}

/// A gap that only the largest step shows proves nothing.
#[test]
fn gaps_of_one_step_prove_nothing() {
    for (ty, part) in [(Real, 5e-9), (Real32, 1.0)] {
        let cube = move |x: Expr| {
            let cube = x.clone() * x.clone() * x;
            match ty {
                Real32 => Expr::Real32(1.0) + Expr::Real32(part as f32) * cube,
                _ => 1.0 + part * cube,
            }
        };
        let found = of_one(cube, ty, 0.0);
        assert_eq!(found.differences.agrees, None, "{ty:?}: {found:?}");
        assert_eq!(found.differences.unresolved, 1, "{ty:?}: {found:?}");
    }
}

/// A derivative that is forgotten is left of differences of which the largest part vanishes with the step.
#[test]
fn derivatives_that_are_forgotten_are_found_beside_what_vanishes() {
    for slope in [1e-1, 1e-3, 1e-6, 1e-8] {
        for (partial, right) in [(slope, true), (0.0, false)] {
            let (program, f) = external(
                Real,
                |u| slope * u + 1e3 * (u * u * u),
                |u| partial + 3e3 * (u * u),
            );
            let found = checked(&program, f, r#"{"x": 0}"#);
            // The smallest step does not come near enough to the smallest slope.
            let expected = (!right || slope > 1e-7).then_some(right);
            assert_eq!(found.differences.agrees, expected, "{slope}: {found:?}");
        }
    }
}

/// Where differences still come nearer to a derivative with the smallest step they do not disagree with it.
#[test]
fn gaps_that_still_vanish_prove_nothing() {
    let cube = |x: Expr| 1e-11 * x.clone() + x.clone() * x.clone() * x;
    let wave = |x: Expr| Expr::op(Op::Sin, [1e6 * x]);
    for found in [of_one(cube, Real, 0.0), of_one(wave, Real, 0.0)] {
        assert_eq!(found.differences.agrees, None, "{found:?}");
        assert_eq!(found.differences.unresolved, 1, "{found:?}");
    }
    let near = of_one(|x| Expr::op(Op::Sin, [1e4 * x]), Real, 0.0);
    assert_eq!(near.agrees(), Some(true), "{near:?}");
}

/// The floor is low: a wrong adjoint or tangent of small numbers is found all the same.
#[test]
fn wrong_derivatives_of_small_numbers_are_found() {
    for scale in [1.0, 1e-100, 1e-250, 1e-285] {
        for (tangent, adjoint) in [(1.0, 1.0), (1.0, 1.01), (1.01, 1.0), (1.01, 1.01)] {
            let text = format!(
                r#"{{"format":"cfgrev/1","main":"f","routines":[
                {{"name":"f","parameters":[{{"name":"x","type":"real","intent":"in"}},
                  {{"name":"y","type":"real","intent":"out"}}],"independents":["x"],"dependents":["y"],
                  "vertices":[{{"id":1,"type":"ENTRY"}},{{"id":2,"type":"BASICBLOCK","statements":[
                    ["call","g",["x","y"]]]}},{{"id":3,"type":"EXIT"}}],
                  "edges":[{{"from":1,"to":2}},{{"from":2,"to":3}}]}},
                {{"name":"g","parameters":[{{"name":"v","type":"real","intent":"in"}},
                  {{"name":"w","type":"real","intent":"out"}}],
                  "vertices":[{{"id":1,"type":"ENTRY"}},{{"id":2,"type":"BASICBLOCK","statements":[
                    ["=","w",["*",["sin","v"],{scale:e}]]]}},{{"id":3,"type":"EXIT"}}],
                  "edges":[{{"from":1,"to":2}},{{"from":2,"to":3}}],
                  "derivatives":{{"adjoint":"g_b","tangent":"g_t"}}}},
                {{"name":"g_b","parameters":[{{"name":"v","type":"real","intent":"in"}},
                  {{"name":"w","type":"real","intent":"in"}},{{"name":"v_b","type":"real","intent":"inout"}},
                  {{"name":"w_b","type":"real","intent":"inout"}}],
                  "vertices":[{{"id":1,"type":"ENTRY"}},{{"id":2,"type":"BASICBLOCK","statements":[
                    ["=","v_b",["+","v_b",["*",{adjoint:?},{scale:e},["cos","v"],"w_b"]]],["=","w_b",0.0]]}},
                    {{"id":3,"type":"EXIT"}}],"edges":[{{"from":1,"to":2}},{{"from":2,"to":3}}]}},
                {{"name":"g_t","parameters":[{{"name":"v","type":"real","intent":"in"}},
                  {{"name":"w","type":"real","intent":"out"}},{{"name":"v_t","type":"real","intent":"in"}},
                  {{"name":"w_t","type":"real","intent":"out"}}],
                  "vertices":[{{"id":1,"type":"ENTRY"}},{{"id":2,"type":"BASICBLOCK","statements":[
                    ["=","w_t",["*",{tangent:?},{scale:e},["cos","v"],"v_t"]],
                    ["=","w",["*",["sin","v"],{scale:e}]]]}},{{"id":3,"type":"EXIT"}}],
                  "edges":[{{"from":1,"to":2}},{{"from":2,"to":3}}]}}]}}"#
            );
            let program = cfg_format::json::read(text.as_bytes()).expect("it is a program");
            let program = cfg_core::validate::validate(program).expect("it is valid");
            let found = checked(
                &program,
                cfg_core::entity::RoutineId::new(0),
                r#"{"x": 0.5}"#,
            );
            let right = tangent == 1.0 && adjoint == 1.0;
            assert_eq!(
                found.agrees(),
                Some(right),
                "{scale:e} {tangent} {adjoint}: {found:?}"
            );
            assert_eq!(
                found.dot_product.agrees,
                Some(tangent == adjoint),
                "{found:?}"
            );
        }
    }
}
