//! Results at hand that adjoints use again.

use crate::{
    adjoint::{agrees_smoothly, bits},
    run::{Named, run, valid},
};
use cfg_core::{
    ir::{Expr, Op, ScalarType, Stmt, StmtKind, VertexKind},
    text,
};
use cfg_exec::Value;
use cfg_reverse::{Blocks, Options, Prefer, reverse};
use cfg_testkit::{case::Case, flat, general, generate::Options as Generate, property, rng::Rng};
use std::sync::atomic::{AtomicU64, Ordering};

fn op<const N: usize>(op: Op, operands: [Expr; N]) -> Expr {
    Expr::op(op, operands)
}

/// A bounded function of an expression, whose partial can be made of a result.
fn function(rng: &mut Rng, v: Expr, ty: ScalarType) -> Expr {
    let c = |x: f64| match ty {
        ScalarType::Real32 => Expr::Real32(x as f32),
        _ => Expr::Real(x),
    };
    let again = v.clone();
    match rng.below(9) {
        0 => op(Op::Tanh, [v]),
        1 => op(Op::Exp, [op(Op::Tanh, [v])]),
        2 => {
            let e = op(Op::Exp, [op(Op::Neg, [v])]);
            op(Op::Div, [c(1.0), op(Op::Add, [c(1.0), e])])
        }
        3 => {
            let square = op(Op::Mul, [v, again]);
            op(Op::Sqrt, [op(Op::Add, [c(1.25), square])])
        }
        4 => op(Op::Div, [v, op(Op::Add, [c(2.5), op(Op::Cos, [again])])]),
        5 => {
            let square = op(Op::Mul, [v, again]);
            op(Op::Div, [c(-1.0), op(Op::Add, [c(2.0), square])])
        }
        6 => op(Op::Tan, [op(Op::Mul, [c(0.5), op(Op::Sin, [v])])]),
        7 => op(Op::Cbrt, [op(Op::Add, [c(2.0), op(Op::Tanh, [v])])]),
        _ => op(
            Op::Mul,
            [op(Op::Exp, [op(Op::Sin, [v])]), op(Op::Tanh, [again])],
        ),
    }
}

/// Makes two assignments of reals, if they are that, sine and cosine of a variable that the first one reads.
fn make_partners(rng: &mut Rng, pair: &mut [Stmt], types: &[ScalarType], scalars: &[bool]) {
    let mut argument = None;
    let ty = |statement: &Stmt| {
        let (target, _) = statement.kind.assignment()?;
        let is_scalar = scalars[target.var.index()] || target.is_element();
        Some(types[target.var.index()]).filter(|ty| ty.is_real() && is_scalar)
    };
    let (Some(first), Some(second)) = (ty(&pair[0]), ty(&pair[1])) else {
        return;
    };
    if let (Some((_, value)), true) = (pair[0].kind.assignment(), first == second) {
        value.walk_places(&mut |place| {
            if types[place.var.index()] == first && scalars[place.var.index()] {
                argument = Some(Expr::Place(place.clone()));
            }
        });
    }
    let Some(argument) = argument else { return };
    let mut functions = [Op::Sin, Op::Cos];
    if rng.percent(50) {
        functions.reverse();
    }
    for (statement, f) in pair.iter_mut().zip(functions) {
        if let StmtKind::Assign { value, .. } = &mut statement.kind {
            *value = op(f, [argument.clone()]);
        }
    }
}

/// The case with functions in its assignments of reals.
fn with_functions(case: &Case, seed: u64) -> Case {
    let mut case = case.clone();
    let mut rng = Rng::new(seed ^ 0x41);
    for routine in &mut case.program.routines {
        let types: Vec<ScalarType> = routine.variables.iter().map(|v| v.ty).collect();
        let scalars: Vec<bool> = routine.variables.iter().map(|v| v.rank() == 0).collect();
        for vertex in routine.body.iter_mut().flat_map(|cfg| cfg.vertices_mut()) {
            let VertexKind::Block(statements) = &mut vertex.kind else {
                continue;
            };
            for statement in statements.iter_mut() {
                if let StmtKind::Assign { target, value } = &mut statement.kind
                    && types[target.var.index()].is_real()
                    && value.depth() < 20
                    && rng.percent(60)
                {
                    *value = function(&mut rng, value.clone(), types[target.var.index()]);
                }
            }
            for k in 1..statements.len() {
                if rng.percent(30) {
                    make_partners(&mut rng, &mut statements[k - 1..=k], &types, &scalars);
                }
            }
        }
    }
    case
}

/// Gradients are those of the oracle, whichever values they are made of.
#[test]
fn gradients_by_results() {
    property::check_numbered(&Generate::SMOOTH, 61_000..61_300, |seed, case| {
        let case = with_functions(case, seed);
        agrees_smoothly(&case, &Options::default())?;
        if seed % 4 == 0 {
            agrees_smoothly(
                &case,
                &Options {
                    blocks: Blocks::Auto,
                    ..Options::default()
                },
            )?;
        }
        Ok(())
    });
}

/// Values of functions are recorded only where no run records more for that.
fn memory() -> Options {
    Options {
        prefer: Prefer::Memory,
        ..Options::default()
    }
}

/// Adjoints read operands alone.
fn operands() -> Options {
    Options {
        operands: true,
        ..Options::default()
    }
}

/// No run records more for results if memory is preferred, and some record less.
#[test]
fn results_take_no_tape() {
    let sums = [const { AtomicU64::new(0) }; 2];
    let compare = |case: &Case| {
        let [now, then] = [bits(case, &memory())?, bits(case, &operands())?];
        for (sum, bits) in sums.iter().zip([now, then]) {
            sum.fetch_add(bits, Ordering::Relaxed);
        }
        match now <= then {
            true => Ok(()),
            false => Err(format!("more: {now} bits for {then}")),
        }
    };
    property::check_numbered(&Generate::SMOOTH, 61_300..61_700, |seed, case| {
        compare(&with_functions(case, seed))
    });
    for seed in 0..60 {
        if let Err(message) = compare(&with_functions(&general::generate(seed), seed)) {
            panic!("graph that does not nest, seed {seed}: {message}");
        }
    }
    let [now, then] = sums.map(AtomicU64::into_inner);
    println!("{now} bits by results, {then} by operands");
    assert!(now < then);
}

/// The text of the forward and the reverse sweep of the main routine.
fn sweeps(program: &str, options: &Options) -> [String; 2] {
    let parsed = cfg_format::text::parse(program);
    let program = parsed
        .program
        .unwrap_or_else(|| panic!("{}", parsed.problems));
    let main = program.main.expect("there is one");
    let valid = cfg_core::validate::validate(program).unwrap_or_else(|d| panic!("{d}"));
    let made = reverse(&flat(&valid), main, options).unwrap_or_else(|d| panic!("{d}"));
    [made.forward, made.reverse].map(|r| {
        let mut out = String::new();
        let routine = made.program.routine(r);
        text::routine(&mut out, &made.program, routine).expect("strings take everything");
        out
    })
}

/// A program, the number of times that parts of its text are in the reverse sweep, the number of pushes, and that of
/// pushes without results.
type Example = (&'static str, &'static [(&'static str, usize)], usize, usize);

const EXAMPLES: [Example; 12] = [
    // Each function is evaluated once more, and nothing is recorded.
    (
        "main subroutine f(in integer n, in real x[n], inout real y[n])
  independent x
  dependent y
  local integer i
  for i = 1, n
    y[i] := 1.0/(1.0 + exp(-x[i])) + x[i]*tanh(x[i])
  end
end
",
        &[("exp(", 1), ("tanh(", 1), ("cosh(", 0)],
        0,
        0,
    ),
    // Results that stay are read; one that its own statement overwrites is, too.
    (
        "main subroutine f(in real x, out real y, inout real z)
  independent x, z
  dependent y, z
  y := exp(x)
  z := sqrt(z)
  z := tanh(z)
  y := y*z
end
",
        &[("exp(", 0), ("tanh(", 0), ("cosh(", 0), ("sqrt(", 0)],
        2,
        3,
    ),
    // Each pass of the loop records the result, not the operand.
    (
        "main subroutine f(in integer n, inout real z)
  independent z
  dependent z
  local integer i
  for i = 1, n
    z := exp(-z)
    z := 0.5*z
  end
end
",
        &[("exp(", 0)],
        1,
        1,
    ),
    // The operand is overwritten in each pass: an inner function is recorded in its place.
    (
        "main subroutine f(in integer n, in real w[n], inout real y)
  independent w, y
  dependent y
  local integer i
  local real a
  for i = 1, n
    a := w[i] + y
    y := 1.0/(1.0 + exp(-a))
  end
end
",
        &[("exp(", 0)],
        1,
        2,
    ),
    // Each pass writes another element, also in place; the elements are read where they stay.
    (
        "main subroutine f(in integer n, in integer m, in real x[n, m], inout real y[n, m])
  independent x, y
  dependent y
  local integer i
  local integer j
  for i = 1, n
    for j = 1, m - 1
      if i > 2
        y[i, j + 1] := exp(x[i, j])
      end
    end
  end
end
",
        &[("exp(", 0), ("*!y[i, j + 1]", 1)],
        0,
        0,
    ),
    (
        "main subroutine f(in integer n, inout real y[n])
  independent y
  dependent y
  local integer i
  for i = 1, n
    y[i] := exp(y[i])
  end
end
",
        &[("exp(", 0)],
        0,
        1,
    ),
    // The operand decides a branch, which is decided again, since nothing overwrites it.
    (
        "main subroutine f(in integer n, in real x[n], inout real y[n])
  independent x
  dependent y
  local integer i
  for i = 1, n
    if x[i] > 0.0
      y[i] := exp(x[i])
    end
  end
end
",
        &[("exp(", 0), ("if x[i] > 0.0", 1)],
        0,
        0,
    ),
    // Another loop overwrites the elements: the operands, which stay, serve.
    (
        "main subroutine f(in integer n, in real x[n], inout real y[n])
  independent x
  dependent y
  local integer i
  for i = 1, n
    y[i] := exp(x[i])
  end
  for i = 1, n
    y[i] := y[i] + x[1]
  end
end
",
        &[("exp(", 1)],
        0,
        0,
    ),
    // The loop around writes the elements again.
    (
        "main subroutine f(in integer n, in real x[n], inout real y[n])
  independent x
  dependent y
  local integer i
  local integer k
  for k = 1, n
    for i = 1, n
      y[i] := exp(x[k]*x[i])
    end
  end
end
",
        &[("exp(", 1)],
        0,
        0,
    ),
    // A quotient that is there, and the square of a reciprocal.
    (
        "main subroutine f(in real a, in real b, out real y, out real z)
  independent a, b
  dependent y, z
  y := a/b
  z := 1.0/b
end
",
        &[("1.0/b", 1), ("y/b", 1), ("z*z", 1)],
        0,
        0,
    ),
    // The result is gone and nothing else needs it: the operand serves.
    (
        "main subroutine f(in real x, out real y)
  independent x
  dependent y
  local real t
  t := exp(x)
  y := t + x
  t := 2.0
  y := y + t
end
",
        &[("exp(", 1)],
        0,
        0,
    ),
    // A routine that records nothing does not begin to, and hands its result on.
    (
        "main subroutine f(in integer n, in real w[n], inout real y)
  independent w, y
  dependent y
  local integer i
  local real a
  for i = 1, n
    a := w[i] + y
    call logistic(a, y)
  end
end

subroutine logistic(in real x, out real s)
  s := 1.0/(1.0 + exp(-x))
end
",
        &[("exp(", 0)],
        2,
        2,
    ),
];

/// Programs whose functions are recorded if time is preferred, with what is counted as in [`Example`].
const RECORDED: [Example; 9] = [
    // A word for each function, equal ones together; the result that the other loop overwrites is recorded in itself.
    (
        "main subroutine f(in integer n, in real x[n], inout real y[n])
  independent x
  dependent y
  local integer i
  for i = 1, n
    y[i] := 1.0/(1.0 + exp(-x[i])) + x[i]*tanh(x[i]) + tanh(x[i])
  end
  for i = 1, n
    y[i] := y[i]*cos(x[i])
  end
end
",
        &[
            ("exp(", 0),
            ("tanh(", 0),
            ("cosh(", 0),
            (" cos(", 0),
            ("sin(", 1),
        ],
        4,
        1,
    ),
    // A function that a product reads.
    (
        "main subroutine f(in integer n, in real x[n], in real free, inout real y)
  independent x, free
  dependent y
  local integer i
  for i = 1, n
    y := y + x[i]*log(x[i]/free)
  end
end
",
        &[("log(", 0)],
        1,
        0,
    ),
    // Products, quotients and roots are computed again.
    (
        "main subroutine f(in integer n, in real x[n], inout real y)
  independent x
  dependent y
  local integer i
  for i = 1, n
    y := y + x[i]/sqrt(1.0 + x[i]**2)
  end
end
",
        &[("sqrt(", 1), ("pop[real]", 0)],
        0,
        0,
    ),
    // Outside of loops a routine that records nothing does not begin to; one that does records functions, too.
    (
        "main subroutine f(in real x, in real z, inout real y)
  independent x, z
  dependent y
  y := x*tanh(z)
end
",
        &[("tanh(", 1)],
        0,
        0,
    ),
    (
        "main subroutine f(in real x, in real z, inout real y)
  independent x, z, y
  dependent y
  y := x*y
  y := x*tanh(z)*y
end
",
        &[("tanh(", 0)],
        3,
        2,
    ),
    // Partners: the value in front is at hand, that behind is recorded.
    (
        "main subroutine f(in integer n, in real x[n], inout real y)
  independent x
  dependent y
  local integer i
  local real c
  local real s
  for i = 1, n
    c := cos(x[i])
    s := sin(x[i])
    y := y + c*s
  end
end
",
        &[("cos(", 0), ("sin(", 0)],
        5,
        4,
    ),
    // The argument changes in between: neither has the value for the other one.
    (
        "main subroutine f(in real x, in real z, inout real y)
  independent x, z
  dependent y
  local real a
  local real c
  local real s
  a := x*z
  c := cos(a)
  a := a*z
  s := sin(a)
  y := y*c*s
end
",
        &[("cos(", 1), ("sin(", 1)],
        5,
        5,
    ),
    // The value in front is overwritten in between.
    (
        "main subroutine f(in real x, in real z, inout real y)
  independent x, z
  dependent y
  local real c
  local real s
  c := cos(x)
  y := y*c
  c := z*z
  s := sin(x)
  y := y*c*s
end
",
        &[("cos(", 1), ("sin(", 0)],
        6,
        5,
    ),
    // Results that stay take no word.
    (
        "main subroutine f(in integer n, in real x[n], inout real y[n])
  independent x
  dependent y
  local integer i
  for i = 1, n
    y[i] := exp(x[i])/(1.0 + exp(x[i]))
  end
end
",
        &[("exp(", 0), ("y[i]*(1.0 - y[i])", 1)],
        0,
        0,
    ),
];

#[test]
fn functions_are_evaluated_once() {
    let mut failures = String::new();
    let examples = EXAMPLES.map(|example| (example, memory()));
    let in_time = RECORDED.map(|example| (example, Options::default()));
    for ((program, functions, pushes, without), options) in examples.into_iter().chain(in_time) {
        let [forward, reverse] = sweeps(program, &options);
        let [then, _] = sweeps(program, &operands());
        let count = |text: &str, part: &str| text.matches(part).count();
        let recorded = [&forward, &then].map(|text| count(text, "push[real]"));
        let found = functions.iter().map(|(f, _)| (*f, count(&reverse, f)));
        let found: Vec<(&str, usize)> = found.collect();
        if found != functions || recorded != [pushes, without] {
            failures += &format!("{found:?}, pushes {recorded:?}:\n{forward}\n{reverse}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// The derivatives of logistic functions by their results, where these are near 0 and 1, infinite operands included.
#[test]
fn logistic_functions_by_results() {
    let forms = [
        ("1.0/(1.0 + exp(-x))", 1.0),
        ("1.0/(exp(x) + 1.0)", -1.0),
        ("exp(x)/(1.0 + exp(x))", 1.0),
        ("exp(-x)/(exp(-x) + 1.0)", -1.0),
    ];
    // Not logistic: another numerator, another sum, another exponential, a difference.
    let others = [
        "2.0/(1.0 + exp(-x))",
        "1.0/(2.0 + exp(-x))",
        "exp(x)/(1.0 + exp(-x))",
        "1.0/(1.0 - exp(-x))",
        "exp(x)/(1.0 + 2.0*exp(x))",
    ];
    let program = |value: &str| {
        format!(
            "main subroutine f(in real x, out real y)
  independent x
  dependent y
  y := {value}
end
"
        )
    };
    for value in others {
        let [_, reverse] = sweeps(&program(value), &Options::default());
        assert!(reverse.contains("exp("), "{value}\n{reverse}");
    }
    let points = [0.0, 1.0, 3.0, 20.0, 36.0, 40.0, 745.0, 800.0, f64::INFINITY];
    for (value, sign) in forms {
        let source = program(value);
        let [_, reverse] = sweeps(&source, &Options::default());
        assert!(!reverse.contains("exp("), "{value}\n{reverse}");
        let parsed = cfg_format::text::parse(&source)
            .program
            .expect("it is a program");
        let main = parsed.main.expect("there is one");
        let made =
            cfg_reverse::reverse(&valid(parsed).unwrap(), main, &Options::default()).unwrap();
        let derived = valid(made.program).unwrap();
        for x in points.into_iter().flat_map(|x| [-x, x]) {
            let gradient = |seed: f64| {
                let given = [("x", x), ("y", 0.0), ("x_b", 0.0), ("y_b", seed)];
                let given = given.map(|(name, v)| (name.to_owned(), Value::real(v)));
                let found = run(&derived, made.gradient, &Named::from(given)).unwrap();
                ["y", "x_b"].map(|name| found[name].get_f64(0).unwrap())
            };
            let [y, slope] = gradient(1.0);
            let e = (-x.abs()).exp();
            let expected = sign * e / ((1.0 + e) * (1.0 + e));
            let error = (slope - expected).abs();
            let is_right = error <= 2.0 * f64::EPSILON * (1.0 + expected.abs()).min(1.0);
            assert!(
                is_right || y.is_nan() && slope.is_nan(),
                "{value} at {x}: {slope}, not {expected}"
            );
            assert_eq!(gradient(0.0)[1], 0.0, "{value} at {x}");
        }
    }
}
