//! `docs/elementals.md` is written from the table (`BLESS=1 cargo test -p cfg-core --test elemental`).

use std::fmt::Write as _;

use super::corners::{INTEGER_POWER, REAL};
use super::*;
use cfg_core::elemental::{Event, Finiteness, platform_dependent};

const HEAD: &str = "\
# Elemental functions

Written by a test from the table in `cfg-core/src/elemental`, which every mode uses. Operands are x, y, z;
r is the result. Partials are with respect to the operands in order; a dash stands for an operand without a partial
(integer, logical, or constant between jumps).

* **Partials follow IEEE arithmetic.** At a kink or a jump the partial is that of the branch that the value took;
  the last column has the details.
* **A zero derivative stays zero.** With finite operands, partials marked ∞ can be infinite or NaN at singular
  points, and those marked ^ by overflow; other partials are finite then. `strong*` gives 0 if the derivative is 0, so
  that `if(x > 0, x*log(x), 0)` has derivative 0 at 0. Preaccumulated blocks use it for every partial that is not
  constant, tangents and other adjoints for partials that are marked or stand in a conditional expression, and with
  `--strong always` for all. The partials of `if`, `min`, `max` and `dim`, and those of `strong*` itself, cut off
  derivatives of operands that were not chosen, infinite and NaN ones too.
* **Results at hand.** Derivative code that has the value of an operator in a variable makes the partials of r, as the
  table has them; elsewhere r is evaluated. `tanh` has two partials: that of r, accurate to a few units in the last
  place of 1 and so 0 from |x| = 19.1 on, and `cosh(x) ** -2` where r is not at hand. The partials of 1/y and -1/y by
  r are `-(r * r)` and `r * r`. A logistic function 1/(1 + exp(-x)) is differentiated factor by factor: with e = exp(-x)
  at hand r*r*e is accurate to a few units in its last place, while r*(1 - r) has lost all digits at x = 37.
* **32-bit reals**: arithmetic is rounded after each operation (`fma` once). Powers with integer exponents,
  `digamma` and `polygamma` are the 64-bit functions, rounded; other functions are C's for `float`. Constants of the
  partials have 32 bits then.
* **Platforms**: with `--math native` the functions marked *native* may differ in the last places from one platform to
  another, because they are functions of its C library, or (`digamma` and `polygamma`) are made of these; all others
  have the same bits everywhere. With `--math portable` all functions have the same bits everywhere. (Sign and payload
  of a NaN may differ.)
* **n-ary** `+ * min max` are folded from the left; the partials are those of the two-operand steps.
* **Reductions**: `sum` has partial 1 for every element; the partials of `product`, `maxval` and `minval` are the
  arrays `product_partial(a)` (each element: the product of the others), `maxval_partial(a)` and
  `minval_partial(a)` (1 at the first largest or smallest element, 0 elsewhere). `transpose` transposes.

| op | value | partials | domain | at kinks and singular points | native |
|---|---|---|---|---|---|
";

const CORNERS_HEAD: &str = "
## Corners

Values and partials at special points, computed (`--math portable`). The event is the one that a run with
`--report-kinks` prints.

| op | operands | value | partials | event |
|---|---|---|---|---|
";

/// An expression as people write it.
fn infix(e: &Expr) -> String {
    match e {
        Expr::Int(n) => n.to_string(),
        Expr::Real(x) => format!("{x}"),
        Expr::Real32(x) => format!("{x}"),
        Expr::Logical(b) => b.to_string(),
        Expr::Null(_) | Expr::Addr(_) => panic!("a pointer"),
        Expr::Place(place) => ["x", "y", "z", "r"][place.var.index()].to_string(),
        Expr::Op(op, x) => {
            let x: Vec<String> = x
                .iter()
                .map(|e| match (op, e) {
                    (Op::If | Op::And | Op::StrongMul | Op::Fma, e) => infix(e),
                    (_, Expr::Op(inner, _)) if symbol(*inner) && symbol(*op) => {
                        format!("({})", infix(e))
                    }
                    _ => infix(e),
                })
                .collect();
            match op {
                Op::Neg => format!("-{}", x[0]),
                Op::And => x.join(" and "),
                op if symbol(*op) => x.join(&format!(" {} ", op.name())),
                op => format!("{}({})", op.name(), x.join(", ")),
            }
        }
    }
}

fn symbol(op: Op) -> bool {
    op == Op::Neg
        || !op.name().starts_with(|c: char| c.is_ascii_alphabetic()) && op != Op::StrongMul
}

/// The partials by all operands, in the order of the operands.
fn partials_column(op: Op, types: &[ScalarType]) -> String {
    let operands = variables(types.len());
    let result = Expr::var(VarId::new(3));
    let each = (0..types.len()).map(|k| {
        let p = partial(op, &operands, types, k, Some(&result)).expect("partial");
        let mark = match &p {
            Partial::Expr(p) => match p.finiteness {
                Finiteness::Finite => "",
                Finiteness::MayOverflow => " ^",
                Finiteness::Singular => " ∞",
            },
            _ => "",
        };
        match p {
            Partial::Zero => "–".to_string(),
            Partial::Convert { .. } => "1, converted".to_string(),
            p => format!("`{}`{mark}", infix(&p.to_expr(ScalarType::Real))),
        }
    });
    each.collect::<Vec<_>>().join("; ")
}

fn number(x: f64) -> String {
    match x {
        x if x.is_nan() => "NaN".into(),
        f64::INFINITY => "inf".into(),
        f64::NEG_INFINITY => "-inf".into(),
        x => format!("{x:?}"),
    }
}

fn corner_row(text: &mut String, op: Op, args: &[Scalar], event: Option<Event>) {
    let operand = |x: &Scalar| match x {
        Scalar::Integer(n) => n.to_string(),
        Scalar::Logical(b) => b.to_string(),
        x => number(x.to_f64()),
    };
    let operands: Vec<_> = args.iter().map(operand).collect();
    let partials = args.iter().enumerate().map(|(k, x)| match x {
        Scalar::Integer(_) | Scalar::Logical(_) => "–".into(),
        _ => number(partial_value(op, args, k, Math::Portable)),
    });
    let partials: Vec<_> = partials.collect();
    let value = apply(op, args, Math::Portable).expect("value").to_f64();
    let _ = writeln!(
        text,
        "| `{}` | {} | {} | {} | {} |",
        op.name(),
        operands.join(", "),
        number(value),
        partials.join(", "),
        event.map_or("", Event::describe)
    );
}

fn document() -> String {
    let mut text = HEAD.to_string();
    for &op in Op::ALL {
        let info = op.info();
        let is_elemental = info.class == OpClass::Elemental;
        assert_eq!(!info.value.is_empty(), is_elemental, "{op:?}");
        if !is_elemental {
            continue;
        }
        let n = op
            .arity()
            .0
            .max(if op.arity().1 == usize::MAX { 2 } else { 0 });
        let mut types = vec![ScalarType::Real; n];
        match op {
            Op::If => types[0] = ScalarType::Logical,
            Op::Polygamma => types[0] = ScalarType::Integer,
            Op::And | Op::Or | Op::Not => types.fill(ScalarType::Logical),
            Op::Trips => types.fill(ScalarType::Integer),
            Op::ToReal => types[0] = ScalarType::Real32,
            _ => {}
        }
        let mut partials = partials_column(op, &types);
        if op == Op::Pow {
            types[1] = ScalarType::Integer;
            let integer = partials_column(op, &types);
            partials = format!("real y: {partials}<br>integer y: {integer}");
        }
        let native = if platform_dependent(op) { "native" } else { "" };
        let cells = [info.value, &partials, info.defined, info.corners, native];
        let cells = cells.map(|c| c.replace('|', "\\|"));
        let _ = writeln!(text, "| `{}` | {} |", op.name(), cells.join(" | "));
    }
    text.push_str(CORNERS_HEAD);
    for &(op, args, _, _, event) in REAL {
        corner_row(&mut text, op, &typed(op, args), event);
    }
    for &(x, n, _, _, event) in INTEGER_POWER {
        corner_row(
            &mut text,
            Op::Pow,
            &[Scalar::Real(x), Scalar::Integer(n)],
            event,
        );
    }
    text
}

#[test]
fn document_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/elementals.md");
    // Absent where the crate is packaged on its own.
    if !std::path::Path::new(path)
        .parent()
        .is_some_and(|p| p.is_dir())
    {
        return;
    }
    let want = document();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &want).expect("written");
    }
    let have = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        have == want,
        "docs/elementals.md is not what the table says: run with BLESS=1"
    );
}
