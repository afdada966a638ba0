//! What operators look like in C, and which helper functions a file has.

use crate::c::operators::{
    Code, Number, Piece, Pieces, apply, convert, literal_constant, literal_integer, literal_real,
    reduction,
};
use crate::table::variable;
use crate::values::all;
use cfg_core::{
    flat::Constant,
    ir::{
        Op,
        ScalarType::{Integer, Logical, Real, Real32},
    },
};

fn real(name: &str) -> Code {
    Code::name(name, Real)
}

fn apply_checked(op: Op, operands: impl IntoIterator<Item = Code>) -> Code {
    let operands = operands.into_iter().collect();
    apply(op, operands, &mut Pieces::default()).expect("well typed")
}

#[test]
fn texts_are_what_one_would_write() {
    let (x, y) = (|| real("x"), || real("y"));
    let (n, k) = (|| variable(0, Integer), || literal_integer(2));
    let single = || Code::name("x", Real32);
    let flag = || Code::name("x", Logical);
    let sum = || apply_checked(Op::Add, [x(), y()]);
    let less = || apply_checked(Op::Lt, [x(), y()]);
    for (code, text) in [
        (apply_checked(Op::Add, [x(), y(), x()]), "x + y + x"),
        (apply_checked(Op::Mul, [x(), sum()]), "x * (x + y)"),
        (apply_checked(Op::Sub, [x(), sum()]), "x - (x + y)"),
        (apply_checked(Op::Sub, [sum(), x()]), "x + y - x"),
        (
            apply_checked(Op::Sub, [literal_real(0.0), x()]),
            "cfgrev_minus(x)",
        ),
        (apply_checked(Op::Mul, [k(), x()]), "2.0 * x"),
        (apply_checked(Op::Mul, [n(), x()]), "(double)a * x"),
        (
            apply_checked(Op::Neg, [apply_checked(Op::Neg, [x()])]),
            "-(-x)",
        ),
        (apply_checked(Op::Neg, [sum()]), "-(x + y)"),
        (apply_checked(Op::Sin, [x()]), "sin(x)"),
        (apply_checked(Op::Sin, [single()]), "sinf(x)"),
        (apply_checked(Op::Sqrt, [single()]), "sqrtf(x)"),
        (
            apply_checked(Op::Pow, [x(), literal_real(2.0)]),
            "pow(x, 2.0)",
        ),
        (apply_checked(Op::Pow, [x(), k()]), "x * x"),
        (apply_checked(Op::Pow, [sum(), k()]), "cfgrev_pow_2(x + y)"),
        (
            apply_checked(Op::Pow, [x(), literal_integer(-1)]),
            "cfgrev_pow_m1(x)",
        ),
        (apply_checked(Op::Pow, [x(), n()]), "cfgrev_powi(x, a)"),
        (apply_checked(Op::Pow, [n(), n()]), "cfgrev_ipow(a, a)"),
        (
            apply_checked(Op::Max, [x(), y(), x()]),
            "cfgrev_max(cfgrev_max(x, y), x)",
        ),
        (
            apply_checked(Op::Min, [single(), single()]),
            "cfgrev_minf(x, x)",
        ),
        (
            apply_checked(Op::Sign, [literal_real(1.0), x()]),
            "cfgrev_sign(1.0, x)",
        ),
        (
            apply_checked(Op::Sign, [x(), literal_real(1.0)]),
            "copysign(x, 1.0)",
        ),
        (apply_checked(Op::Mod, [n(), k()]), "a % 2"),
        (apply_checked(Op::Mod, [x(), y()]), "fmod(x, y)"),
        (apply_checked(Op::Abs, [n()]), "llabs(a)"),
        (apply_checked(Op::Div, [n(), k()]), "a / 2"),
        (
            apply_checked(Op::Div, [k(), apply_checked(Op::Add, [n(), k()])]),
            "2 / (a + 2)",
        ),
        (
            apply_checked(Op::Div, [k(), apply_checked(Op::Sub, [n(), n()])]),
            "2 / cfgrev_value(a - a)",
        ),
        (apply_checked(Op::Mul, [k(), literal_integer(-3)]), "-6"),
        (apply_checked(Op::Neg, [literal_real(0.1)]), "-0.1"),
        (apply_checked(Op::Not, [less()]), "!(x < y)"),
        (apply_checked(Op::Eq, [less(), flag()]), "(x < y) == x"),
        (
            apply_checked(Op::Eq, [apply_checked(Op::Not, [flag()]), less()]),
            "(!x) == (x < y)",
        ),
        (
            apply_checked(Op::Or, [apply_checked(Op::And, [less(), flag()]), flag()]),
            "(x < y && x) || x",
        ),
        (
            apply_checked(Op::If, [less(), x(), n()]),
            "x < y ? x : (double)a",
        ),
        (apply_checked(Op::ToLogical, [n()]), "a != 0"),
        (apply_checked(Op::TO_INT, [sum()]), "(int64_t)(x + y)"),
        (literal_constant(Constant::Int(i64::MIN)), "INT64_MIN"),
        (literal_constant(Constant::Real(-0.0)), "-0.0"),
        (
            literal_constant(Constant::Real(f64::NEG_INFINITY)),
            "-INFINITY",
        ),
        (literal_constant(Constant::Real(1e300)), "1e300"),
        (literal_constant(Constant::Real32(0.1)), "0.1f"),
        (literal_constant(Constant::Logical(true)), "true"),
    ] {
        assert_eq!(code.to_string(), text);
    }
}

/// The names of the functions that a text defines.
fn defined(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.starts_with("static inline"))
        .filter_map(|line| line.split('(').next()?.rsplit(' ').next())
        .collect()
}

/// The names of helper functions that a text mentions.
fn named(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|name| name.starts_with("cfgrev_"))
        .collect()
}

/// The helper functions that an expression needs.
fn text_for(expression: &str, pieces: &Pieces) -> String {
    let text = pieces.text(expression, false);
    text.replace("CFGREV_INLINE ", "static inline ")
}

/// No helper function is missing, none is there twice, and each stands before those that call it.
fn is_complete(expression: &str, pieces: &Pieces) {
    let text = text_for(expression, pieces);
    let definitions = defined(&text);
    let mut known: Vec<&str> = Vec::new();
    for part in text.split("static inline ") {
        for name in named(part) {
            if part
                .split('(')
                .next()
                .is_some_and(|head| head.ends_with(name))
            {
                known.push(name);
            }
            assert!(
                known.contains(&name),
                "{name} is not defined before\n{text}"
            );
        }
    }
    for name in &definitions {
        assert_eq!(
            definitions.iter().filter(|n| *n == name).count(),
            1,
            "{name}"
        );
        assert!(name.starts_with("cfgrev_"), "{name}");
    }
    for name in named(expression) {
        assert!(
            definitions.contains(&name),
            "{name} is missing for {expression}"
        );
    }
}

#[test]
fn helpers_are_there_once_and_in_order() {
    let mut every = Pieces::default();
    let mut expressions = Vec::new();
    for case in all() {
        let variables = || {
            case.operands
                .iter()
                .enumerate()
                .map(|(k, &ty)| variable(k, ty))
        };
        let mut pieces = Pieces::default();
        let code = apply(case.op, variables().collect(), &mut pieces).expect("well typed");
        let text = code.to_string();
        is_complete(&text, &pieces);
        // Nothing that is not called.
        assert_eq!(text_for(&text, &pieces).is_empty(), named(&text).is_empty());
        expressions.push(text);
        for _ in 0..2 {
            apply(case.op, variables().collect(), &mut every).expect("well typed");
        }
    }
    is_complete(&expressions.join(";"), &every);
    // Whatever the order of the requests, the text is the same.
    let wanted = [
        Piece::Polygamma,
        Piece::Power(-3),
        Piece::Min(Number::Float),
    ];
    let names = wanted.map(Piece::name);
    let texts = [[0, 1, 2], [2, 1, 0]].map(|order| {
        let mut pieces = Pieces::default();
        order
            .iter()
            .for_each(|&k: &usize| pieces.require(wanted[k]));
        text_for(&names.join("(), "), &pieces)
    });
    let made = defined(&texts[0]);
    assert!(names.iter().all(|name| made.contains(&&**name)), "{made:?}");
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn reductions_repeat_an_operator() {
    for (op, ty, step, start) in [
        (Op::Sum, Real, Op::Add, "0.0"),
        (Op::Sum, Integer, Op::Add, "0"),
        (Op::Product, Real32, Op::Mul, "1.0f"),
        (Op::MaxVal, Integer, Op::Max, "INT64_MIN"),
        (Op::MinVal, Real32, Op::Min, "INFINITY"),
        (Op::Any, Logical, Op::Or, "false"),
        (Op::All, Logical, Op::And, "true"),
    ] {
        let (found, initial) = reduction(op, ty, false).expect("a reduction");
        assert_eq!((found, initial.to_string().as_str()), (step, start));
        assert_eq!(initial.ty, ty);
    }
    assert_eq!(reduction(Op::Transpose, Real, false), None);
}

#[test]
fn conversions_keep_what_they_can() {
    let mut pieces = Pieces::default();
    let mut to = |code, ty| convert(code, ty, &mut pieces).to_string();
    assert_eq!(to(literal_integer(3), Real), "3.0");
    assert_eq!(to(literal_integer(16_777_217), Real32), "16777216.0f");
    assert_eq!(to(literal_real(1e300), Real32), "INFINITY");
    assert_eq!(to(real("inf"), Real32), "(float)inf");
    assert_eq!(to(real("x"), Real), "x");
}
