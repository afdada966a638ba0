//! The scalar operators with checks: calls of functions that spread values which were never set as the executor does, and
//! that note what goes wrong.

use super::{Code, Infix, Malformed, Number, Piece, Pieces, expect_operands, of_library};
mod integer;
pub(crate) mod sized;

pub(crate) use integer::trip_count;

use cfg_core::flat::FlatType;
use cfg_core::ir::{AnyInt, Conversion, IntType, Op, ScalarType};
use integer::{integer, power};
use sized::{compare_uint64, convert_to, sized};

pub(crate) use super::noting::FaultCode;

/// An array has no element with the subscript.
pub(crate) const BOUNDS: FaultCode = 201;
/// A value decides something that was never set.
pub(crate) const UNSET: FaultCode = 202;
/// An integer does not fit into 64 bits.
pub(crate) const OVERFLOW: FaultCode = 203;
/// An integer is divided by 0.
pub(crate) const DIVISION: FaultCode = 204;
/// A real has no integer value.
pub(crate) const CONVERSION: FaultCode = 205;
/// A step is 0.
pub(crate) const STEP: FaultCode = 206;

/// The name of a type in the names of functions.
pub(crate) fn type_suffix(ty: ScalarType) -> &'static str {
    match FlatType::view(ty) {
        FlatType::Real => "real",
        FlatType::Real32 => "real32",
        FlatType::Integer | FlatType::Sized(_) | FlatType::Tape => "integer",
        FlatType::Logical => "logical",
    }
}

/// The C type.
pub(crate) fn c_type(ty: ScalarType) -> &'static str {
    match FlatType::view(ty) {
        FlatType::Real => "double",
        FlatType::Real32 => "float",
        FlatType::Integer | FlatType::Sized(_) | FlatType::Tape => "int64_t",
        FlatType::Logical => "cfgrev_logical",
    }
}

/// The value that stands for one that was never set.
pub(crate) fn unset_value(ty: ScalarType) -> Code {
    match FlatType::view(ty) {
        FlatType::Real | FlatType::Real32 => {
            Code::call(&format!("cfgrev_unset_{}", type_suffix(ty)), [], ty)
        }
        FlatType::Integer | FlatType::Sized(_) | FlatType::Tape => {
            Code::name("CFGREV_UNSET_INTEGER", ty)
        }
        FlatType::Logical => Code::name("CFGREV_UNSET_LOGICAL", ty),
    }
}

/// The test whether a variable of C has no value.
pub(crate) fn is_unset(x: Code) -> Code {
    match FlatType::view(x.ty) {
        FlatType::Real | FlatType::Real32 => {
            let name = format!("cfgrev_is_unset_{}", type_suffix(x.ty));
            Code::call(&name, [x], ScalarType::Logical)
        }
        FlatType::Integer | FlatType::Sized(_) | FlatType::Tape | FlatType::Logical => {
            let unset = unset_value(x.ty);
            x.is(Infix::Eq, unset)
        }
    }
}

const NAMES: [&str; 3] = ["x", "y", "z"];

/// A function over scalars: what it is if an operand has no value, and how it is computed if all have one.
struct Function<'t> {
    name: &'t str,
    result: ScalarType,
    operands: &'t [ScalarType],
    /// The codes that it may find.
    codes: &'t [FaultCode],
    body: String,
}

impl Function<'_> {
    /// The head, with the line that opens the body.
    fn head(&self) -> String {
        let check = if self.codes.is_empty() {
            ""
        } else {
            "struct cfgrev_check *check, int at, "
        };
        let operands = self.operands.iter().zip(NAMES);
        let operands: Vec<String> = operands
            .map(|(ty, x)| format!("{} {x}", c_type(*ty)))
            .collect();
        let (result, name) = (c_type(self.result), self.name);
        format!(
            "static inline {result} {name}({check}{}) {{\n",
            operands.join(", ")
        )
    }

    /// The call; the file gets the function.
    fn call(self, arguments: impl IntoIterator<Item = Code>, pieces: &mut Pieces) -> Code {
        pieces.define(self.name, || format!("{}{}}}\n", self.head(), self.body));
        let noting = match self.codes.is_empty() {
            true => Vec::new(),
            false => pieces.noting_arguments(self.codes),
        };
        Code::call(self.name, noting.into_iter().chain(arguments), self.result)
    }
}

/// The condition that an operand has no value.
fn any_unset(operands: &[ScalarType]) -> String {
    let tests = operands
        .iter()
        .zip(NAMES)
        .map(|(ty, x)| is_unset(Code::name(x, *ty)));
    let any = tests.reduce(|x, y| x.is(Infix::Or, y));
    any.map_or_else(String::new, |any| any.to_string())
}

/// A body that gives what has no value first.
fn spreading(operands: &[ScalarType], result: ScalarType, then: &str) -> String {
    format!(
        "    if ({}) {{\n        return {};\n    }}\n{then}",
        any_unset(operands),
        unset_value(result)
    )
}

/// A function of reals that looks for operands without value only where the result is no number.
fn real_function(
    name: &str,
    ty: ScalarType,
    count: usize,
    value: &str,
    arguments: impl IntoIterator<Item = Code>,
    pieces: &mut Pieces,
) -> Code {
    let operands = vec![ty; count];
    let body = format!(
        "    {} r = {value};\n    return r != r && ({}) ? {} : r;\n",
        c_type(ty),
        any_unset(&operands),
        unset_value(ty)
    );
    let name = format!("cfgrev_{name}_{}", type_suffix(ty));
    let function = Function {
        name: &name,
        result: ty,
        operands: &operands,
        codes: &[],
        body,
    };
    function.call(arguments, pieces)
}

/// A function that looks at its operands first.
fn strict(
    name: &str,
    result: ScalarType,
    operands: &[ScalarType],
    codes: &[FaultCode],
    then: &str,
    arguments: impl IntoIterator<Item = Code>,
    pieces: &mut Pieces,
) -> Code {
    strict_with(name, result, operands, codes, ("", then), arguments, pieces)
}

/// A function that looks at its operands first, but for a declaration.
fn strict_with(
    name: &str,
    result: ScalarType,
    operands: &[ScalarType],
    codes: &[FaultCode],
    (declaration, then): (&str, &str),
    arguments: impl IntoIterator<Item = Code>,
    pieces: &mut Pieces,
) -> Code {
    let body = format!("{declaration}{}", spreading(operands, result, then));
    let function = Function {
        name,
        result,
        operands,
        codes,
        body,
    };
    function.call(arguments, pieces)
}

/// The call of a function over 64-bit reals, rounded.
fn rounded(name: &str, ty: ScalarType, arguments: &str) -> String {
    if ty == ScalarType::Real32 {
        format!("(float){name}({arguments})")
    } else {
        format!("{name}({arguments})")
    }
}

/// The way in which an operator over reals is computed.
enum Real {
    /// An operator of C.
    Infix(Infix),
    /// A function of C's library, for `double` or for `float`.
    Library(&'static str),
    /// The function of this file over 64-bit reals that the operator has, whose value is rounded.
    Own,
    /// A helper function of two operands.
    Helper(fn(Number) -> Piece),
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators with a rule of their own are none of these"
)]
fn real_form(op: Op) -> Option<Real> {
    match super::form_of(op) {
        super::Form::Infix(operator) => Some(Real::Infix(operator)),
        super::Form::Own => Some(Real::Own),
        super::Form::Helper(piece) => Some(Real::Helper(piece)),
        _ => Some(op.info().c)
            .filter(|c| !c.is_empty())
            .map(Real::Library),
    }
}

/// The C of an elemental operator over scalar operands, of a result of type `ty`. `if`, `and` and `or`, which do not
/// evaluate all, are the writer's, but for `and` and `or` over values that are there.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub(super) fn apply(
    op: Op,
    operands: Vec<Code>,
    ty: ScalarType,
    pieces: &mut Pieces,
) -> Result<Code, Malformed> {
    use ScalarType::{Integer, Logical};
    match op {
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => compare(op, operands, pieces),
        Op::And | Op::Or => {
            let (name, sign) = if op == Op::And {
                ("cfgrev_and", "&")
            } else {
                ("cfgrev_or", "|")
            };
            let then = format!("    return (cfgrev_logical)(x {sign} y);\n");
            fold(op, operands, |x, y| {
                let types = [Logical; 2];
                strict(name, Logical, &types, &[], &then, [x, y], pieces)
            })
        }
        Op::Not => {
            let [x] = expect_operands(op, operands)?;
            let then = "    return !x;\n";
            Ok(strict(
                "cfgrev_not",
                Logical,
                &[Logical],
                &[],
                then,
                [x],
                pieces,
            ))
        }
        Op::ToReal | Op::ToReal32 | Op::TO_INT | Op::ToLogical => {
            let [x] = expect_operands(op, operands)?;
            Ok(convert(x, ty, pieces))
        }
        Op::Convert(how, to) => {
            let [x] = expect_operands(op, operands)?;
            Ok(convert_to(how, to, x, pieces))
        }
        Op::Trips => {
            let [first, last, step] = expect_operands(op, operands)?;
            Ok(trip_count([first, last, step], pieces))
        }
        Op::Pow if !matches!(ty, ScalarType::Sized(_)) => power(operands, ty, pieces),
        Op::Polygamma => {
            let [n, x] = expect_operands(op, operands)?;
            pieces.require(Piece::Polygamma);
            let name = format!("cfgrev_polygamma_{}", type_suffix(ty));
            let then = format!("    return {};\n", rounded("cfgrev_polygamma", ty, "x, y"));
            Ok(strict(
                &name,
                ty,
                &[Integer, ty],
                &[],
                &then,
                [n, x],
                pieces,
            ))
        }
        _ => match FlatType::view(ty) {
            FlatType::Sized(of) => sized(op, of, operands, pieces),
            FlatType::Integer => integer(op, operands, pieces),
            FlatType::Real | FlatType::Real32 | FlatType::Logical | FlatType::Tape => {
                real(op, operands, ty, pieces)
            }
        },
    }
}

/// A left fold.
fn fold(
    op: Op,
    operands: Vec<Code>,
    mut pair: impl FnMut(Code, Code) -> Code,
) -> Result<Code, Malformed> {
    let mut operands = operands.into_iter();
    let first = operands.next().ok_or(Malformed(op))?;
    Ok(operands.fold(first, &mut pair))
}

fn real(
    op: Op,
    operands: Vec<Code>,
    ty: ScalarType,
    pieces: &mut Pieces,
) -> Result<Code, Malformed> {
    let operands: Vec<Code> = operands
        .into_iter()
        .map(|x| convert(x, ty, pieces))
        .collect();
    if op == Op::Neg {
        let [x] = expect_operands(op, operands)?;
        if let Some(value) = x.real() {
            return Ok(super::literal_real(-value));
        }
        return Ok(real_function("neg", ty, 1, "-x", [x], pieces));
    }
    let name = op.name();
    match real_form(op).ok_or(Malformed(op))? {
        Real::Infix(operator) => {
            let (name, value) = (operator_name(operator), text(operator));
            fold(op, operands, |x, y| {
                real_function(name, ty, 2, &value, [x, y], pieces)
            })
        }
        Real::Library("fma") => {
            let value = format!("{}(x, y, z)", of_library("fma", ty));
            Ok(real_function(name, ty, 3, &value, operands, pieces))
        }
        form @ (Real::Library(_) | Real::Own) => {
            let call = |arguments: &str| match form {
                Real::Library(name) => format!("{}({arguments})", of_library(name, ty)),
                Real::Own => rounded(&Piece::Own(op).name(), ty, arguments),
                Real::Infix(_) | Real::Helper(_) => String::new(),
            };
            if let Real::Own = form {
                pieces.require(Piece::Own(op));
            }
            if operands.len() == 1 {
                return Ok(real_function(name, ty, 1, &call("x"), operands, pieces));
            }
            let (name, then) = (
                format!("cfgrev_{name}_{}", type_suffix(ty)),
                format!("    return {};\n", call("x, y")),
            );
            let operands = expect_operands::<2>(op, operands)?;
            Ok(strict(&name, ty, &[ty; 2], &[], &then, operands, pieces))
        }
        Real::Helper(piece) => {
            let piece = piece(Number::from_type(ty).ok_or(Malformed(op))?);
            pieces.require(piece);
            let call = format!("{}(x, y)", piece.name());
            if op == Op::StrongMul {
                return fold(op, operands, |x, y| {
                    real_function("strong_mul", ty, 2, &call, [x, y], pieces)
                });
            }
            let (name, then) = (
                format!("cfgrev_{name}_{}", type_suffix(ty)),
                format!("    return {call};\n"),
            );
            balanced(op, operands, |x, y| {
                strict(&name, ty, &[ty; 2], &[], &then, [x, y], pieces)
            })
        }
    }
}

/// Of many operands of `min` and `max` halves are compared, so that calls do not nest deeper than compilers allow.
fn balanced(
    op: Op,
    mut operands: Vec<Code>,
    mut pair: impl FnMut(Code, Code) -> Code,
) -> Result<Code, Malformed> {
    while matches!(op, Op::Min | Op::Max) && operands.len() > 8 {
        let mut pairs = Vec::with_capacity(operands.len() / 2 + 1);
        let mut rest = operands.into_iter();
        while let Some(x) = rest.next() {
            pairs.push(match rest.next() {
                Some(y) => pair(x, y),
                None => x,
            });
        }
        operands = pairs;
    }
    fold(op, operands, pair)
}

/// The name of an operator of C in the names of functions.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "functions are named after no other operators"
)]
fn operator_name(operator: Infix) -> &'static str {
    match operator {
        Infix::Add => "add",
        Infix::Sub => "sub",
        Infix::Mul => "mul",
        Infix::Div => "div",
        Infix::Eq => "eq",
        Infix::Ne => "ne",
        Infix::Lt => "lt",
        Infix::Le => "le",
        Infix::Gt => "gt",
        _ => "ge",
    }
}

/// The operator between the operands of a function.
fn text(operator: Infix) -> String {
    let [x, y] = ["x", "y"].map(|name| Code::name(name, ScalarType::Real));
    x.with(operator, y).to_string()
}

fn compare(op: Op, operands: Vec<Code>, pieces: &mut Pieces) -> Result<Code, Malformed> {
    let ty = super::common(&operands);
    let operands = operands.into_iter().map(|x| convert(x, ty, pieces));
    let operands = expect_operands::<2>(op, operands.collect())?;
    let super::Form::Comparison(operator) = super::form_of(op) else {
        return Err(Malformed(op));
    };
    if ty == ScalarType::Sized(IntType::Uint64) {
        return Ok(compare_uint64(operator, operands, pieces));
    }
    let name = format!("cfgrev_{}_{}", operator_name(operator), type_suffix(ty));
    let then = format!("    return {};\n", text(operator));
    let logical = ScalarType::Logical;
    Ok(strict(
        &name,
        logical,
        &[ty; 2],
        &[],
        &then,
        operands,
        pieces,
    ))
}

/// The value as one of another type.
pub(super) fn convert(code: Code, to: ScalarType, pieces: &mut Pieces) -> Code {
    use ScalarType::{Integer, Logical, Real, Real32, Sized, Tape};
    let from = code.ty;
    let (codes, then): (&[FaultCode], String) = match (from, to) {
        (Tape, _) | (_, Tape) => return code,
        (a, b) if a == b => return code,
        (Sized(ty), Integer) if ty != IntType::Uint64 => return code.typed(to),
        (Sized(_), Integer) => {
            return convert_to(Conversion::To, AnyInt::Integer, code, pieces);
        }
        (Sized(IntType::Uint64), Real | Real32) => {
            let name = format!("cfgrev_{}_of_uint64", type_suffix(to));
            let then = format!("    return ({})(uint64_t)x;\n", c_type(to));
            return strict(&name, to, &[from], &[], &then, [code], pieces);
        }
        (Integer, Real | Real32) if code.integer().is_some() => {
            return super::conversion::convert_unchecked(code, to, pieces);
        }
        (Real, Real32) if code.real().is_some() => {
            return super::conversion::convert_unchecked(code, to, pieces);
        }
        (Real | Real32, Integer) => (
            &[CONVERSION],
            format!(
                "    if (!(x >= -9223372036854775808.0{f} && x < 9223372036854775808.0{f})) {{\n        return cfgrev_found(check, at, {CONVERSION});\n    }}\n    return (int64_t)x;\n",
                f = if from == Real32 { "f" } else { "" }
            ),
        ),
        (_, Logical) => (&[], "    return x != 0;\n".to_owned()),
        (_, to) => (&[], format!("    return ({})x;\n", c_type(to))),
    };
    let name = format!("cfgrev_{}_of_{}", type_suffix(to), type_suffix(from));
    strict(&name, to, &[from], codes, &then, [code], pieces)
}

/// A conditional expression whose condition has been looked at.
pub(crate) fn choice(condition: Code, yes: Code, no: Code, ty: ScalarType) -> Code {
    let yes = match yes.integer() {
        // Of two constants the result would be computed with 32 bits.
        Some(_) if ty == ScalarType::Integer => yes.cast("int64_t", ty),
        _ => yes,
    };
    condition.choose(yes, no)
}
