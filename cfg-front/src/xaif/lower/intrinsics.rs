//! The intrinsics of XAIF: names, and what each becomes.
//!
//! OpenAD's front end names them by operation and kinds of operands: `mul_scal_scal`, `arccos_scal`, `transpose_arr`,
//! `nc_maxval`; others keep their Fortran names. The endings say nothing that the operands do not say, so they are
//! dropped before the name is looked up, and every generic and specific name of Fortran 90 is understood besides.

use crate::xaif::{lower::typed::Typed, notation::spelling::is_boolean};
use cfg_core::ir::{Expr, Op, Operands, ScalarType};

/// The reason for which an intrinsic cannot be lowered.
pub(crate) enum Failure {
    /// There is no counterpart of the intrinsic in the representation.
    Unsupported(String),
    /// The types of its operands do not fit.
    Type(String),
    /// The shapes of its operands do not fit.
    Shape(String),
    /// The intrinsic has too many or too few operands.
    Count(String),
}

/// The name without prefix and endings: `add`, `arccos`, `maxval`.
pub(crate) fn stem(name: &str) -> String {
    let mut stem = name.to_ascii_lowercase();
    if let Some(rest) = stem.strip_prefix("nc_") {
        stem = rest.to_owned();
    }
    while let Some(rest) = ["_scal", "_arr", "_vec", "_mat"]
        .iter()
        .find_map(|ending| stem.strip_suffix(ending))
        .filter(|rest| !rest.is_empty())
    {
        stem = rest.to_owned();
    }
    stem
}

type Result<T> = std::result::Result<T, Failure>;

fn types(message: String) -> Failure {
    Failure::Type(message)
}

fn conform(operands: &[Typed]) -> Result<()> {
    let mut rank = 0;
    for operand in operands.iter().filter(|o| o.rank > 0) {
        if rank > 0 && operand.rank != rank {
            return Err(Failure::Shape(format!(
                "arrays of {rank} and {} dimensions are combined",
                operand.rank
            )));
        }
        rank = operand.rank;
    }
    Ok(())
}

fn count(operands: &[Typed], least: usize, most: usize) -> Result<()> {
    if (least..=most).contains(&operands.len()) {
        return Ok(());
    }
    let wanted = match (least, most) {
        (a, b) if a == b => a.to_string(),
        (a, usize::MAX) => format!("{a} or more"),
        (a, b) => format!("{a} to {b}"),
    };
    Err(Failure::Count(format!(
        "it has {} operands, it must have {wanted}",
        operands.len()
    )))
}

/// `op` on operands of one kind; the result has that kind.
fn arithmetic(op: Op, operands: Vec<Typed>) -> Result<Typed> {
    conform(&operands)?;
    let (operands, ty) = Typed::unify(operands).map_err(types)?;
    Ok(Typed::op(op, ty, operands))
}

/// `op` on real operands of one kind.
fn real(op: Op, operands: Vec<Typed>) -> Result<Typed> {
    conform(&operands)?;
    let operands = operands
        .into_iter()
        .map(Typed::real)
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(types)?;
    arithmetic(op, operands)
}

fn one(mut operands: Vec<Typed>) -> Result<Typed> {
    count(&operands, 1, 1)?;
    operands.pop().ok_or_else(|| Failure::Count(String::new()))
}

fn two(mut operands: Vec<Typed>) -> Result<(Typed, Typed)> {
    count(&operands, 2, 2)?;
    match (operands.pop(), operands.pop()) {
        (Some(b), Some(a)) => Ok((a, b)),
        _ => Err(Failure::Count(String::new())),
    }
}

/// Conversion of the first operand; the second, a constant, is the kind.
fn convert(operands: Vec<Typed>, default: ScalarType) -> Result<Typed> {
    count(&operands, 1, 2)?;
    let kind = match operands.get(1).map(|k| &k.expr) {
        None => default,
        Some(Expr::Int(8)) if default.is_real() => ScalarType::Real,
        Some(Expr::Int(4)) if default.is_real() => ScalarType::Real32,
        Some(Expr::Int(1 | 2 | 4 | 8)) => default,
        Some(_) => {
            return Err(Failure::Unsupported(
                "its kind is not one of 1, 2, 4, 8".to_owned(),
            ));
        }
    };
    let operand = operands.into_iter().next();
    let operand = operand.ok_or_else(|| Failure::Count(String::new()))?;
    operand.convert_to(kind).map_err(types)
}

/// A function that rounds, then converts to integer unless the result stays real.
fn rounding(operands: Vec<Typed>, op: Op, to_int: bool) -> Result<Typed> {
    count(&operands, 1, 2)?;
    let operand = operands.into_iter().next();
    let operand = operand.ok_or_else(|| Failure::Count(String::new()))?;
    if operand.ty == ScalarType::Integer {
        return Ok(operand);
    }
    let rounded = real(op, vec![operand])?;
    if to_int {
        rounded.convert_to(ScalarType::Integer).map_err(types)
    } else {
        Ok(rounded)
    }
}

/// Lowers a comparison; logicals can be equal or not.
pub(crate) fn compare(op: Op, operands: Vec<Typed>) -> Result<Typed> {
    let (a, b) = two(operands)?;
    conform(&[a.clone(), b.clone()])?;
    if a.ty == ScalarType::Logical && b.ty == ScalarType::Logical {
        if !matches!(op, Op::Eq | Op::Ne) {
            return Err(types("logical values have no order".to_owned()));
        }
        return Ok(Typed::op(op, ScalarType::Logical, vec![a, b]));
    }
    let (operands, _) = Typed::unify(vec![a, b]).map_err(types)?;
    Ok(Typed::op(op, ScalarType::Logical, operands))
}

/// `and`, `or`, `not`.
pub(crate) fn logic(op: Op, operands: Vec<Typed>) -> Result<Typed> {
    let (least, most) = op.arity();
    count(&operands, least, most)?;
    conform(&operands)?;
    if let Some(o) = operands.iter().find(|o| o.ty != ScalarType::Logical) {
        return Err(types(format!(
            "{} of a value of type {}",
            op.name(),
            o.ty.name()
        )));
    }
    Ok(Typed::op(op, ScalarType::Logical, operands))
}

/// The operators that have this name, as the table of operators says.
fn named(stem: &str) -> impl Iterator<Item = Op> {
    let all = Op::ALL.iter().copied();
    all.filter(move |op| op.info().intrinsics.contains(&stem))
}

/// The operator of a `BooleanOperation`.
pub(crate) fn boolean(name: &str) -> Option<Op> {
    named(name).find(|&op| is_boolean(op))
}

/// An array in which elements outside of a mask are replaced by the neutral element of the reduction.
pub(crate) fn masked(op: Op, array: Typed, mask: Typed) -> Result<Typed> {
    conform(&[array.clone(), mask.clone()])?;
    let neutral = match (op, array.ty) {
        (Op::Sum, _) => Expr::Int(0),
        (Op::Product, _) => Expr::Int(1),
        (Op::MaxVal, ScalarType::Real) => Expr::Real(-f64::MAX),
        (Op::MinVal, ScalarType::Real) => Expr::Real(f64::MAX),
        (Op::MaxVal, ScalarType::Real32) => Expr::Real32(-f32::MAX),
        (Op::MinVal, ScalarType::Real32) => Expr::Real32(f32::MAX),
        _ => {
            return Err(Failure::Unsupported(format!(
                "a mask of {} of type {}",
                op.name(),
                array.ty.name()
            )));
        }
    };
    let ty = array.ty;
    let neutral = match neutral {
        Expr::Int(_) => Typed::leaf(neutral, ScalarType::Integer)
            .convert_to(ty)
            .map_err(types)?,
        Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Op(..)
        | Expr::Null(_)
        | Expr::Addr(_) => Typed::leaf(neutral, ty),
    };
    Ok(Typed::op(Op::If, ty, vec![mask, array, neutral]))
}

/// Reduction of a whole array; elements outside of a mask are replaced by the neutral element.
fn reduction(op: Op, operands: Vec<Typed>) -> Result<Typed> {
    count(&operands, 1, 3)?;
    let mut operands = operands.into_iter();
    let array = operands.next();
    let array = array.ok_or_else(|| Failure::Count(String::new()))?;
    if array.rank == 0 {
        return Err(Failure::Shape("its operand is not an array".to_owned()));
    }
    let logical = matches!(op, Op::Any | Op::All);
    if logical != (array.ty == ScalarType::Logical) {
        return Err(types(format!("{} of type {}", op.name(), array.ty.name())));
    }
    let mut masked = array;
    for extra in operands {
        if extra.ty == ScalarType::Logical {
            masked = self::masked(op, masked, extra)?;
        } else if masked.rank != 1 {
            return Err(Failure::Unsupported(
                "a reduction along one dimension of several".to_owned(),
            ));
        }
    }
    let ty = masked.ty;
    let mut result = Typed::op(op, ty, vec![masked]);
    result.rank = 0;
    Ok(result)
}

/// Inquiry about a place.
fn inquiry(op: Op, mut operands: Vec<Typed>) -> Result<Typed> {
    let (least, most) = op.arity();
    count(&operands, least, most)?;
    if let Some(dim) = operands.get(1) {
        let rank = operands[0].rank as i64;
        match dim.expr {
            Expr::Int(k) if (1..=rank).contains(&k) => {}
            Expr::Int(k) => {
                return Err(Failure::Shape(format!(
                    "dimension {k} of an array of {rank} dimensions"
                )));
            }
            Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Place(_)
            | Expr::Op(..)
            | Expr::Null(_)
            | Expr::Addr(_) => {
                return Err(Failure::Unsupported(
                    "the dimension is not a constant".to_owned(),
                ));
            }
        }
    }
    if !matches!(operands[0].expr, Expr::Place(_)) {
        return Err(Failure::Unsupported(
            "its operand is not a variable".to_owned(),
        ));
    }
    if op == Op::Size && operands.len() == 2 && operands[0].rank == 1 {
        operands.pop();
    }
    let ty = if op == Op::Present {
        ScalarType::Logical
    } else {
        ScalarType::Integer
    };
    let mut result = Typed::op(op, ty, operands);
    result.rank = 0;
    Ok(result)
}

/// A constant of the model of a kind's numbers.
fn model(stem: &str, operand: &Typed) -> Result<Typed> {
    let (is64, is32) = (
        operand.ty == ScalarType::Real,
        operand.ty == ScalarType::Real32,
    );
    let value = match stem {
        "epsilon" if is64 => Expr::Real(f64::EPSILON),
        "epsilon" if is32 => Expr::Real32(f32::EPSILON),
        "tiny" if is64 => Expr::Real(f64::MIN_POSITIVE),
        "tiny" if is32 => Expr::Real32(f32::MIN_POSITIVE),
        "huge" if is64 => Expr::Real(f64::MAX),
        "huge" if is32 => Expr::Real32(f32::MAX),
        _ => {
            return Err(Failure::Unsupported(format!(
                "{stem} of type {}",
                operand.ty.name()
            )));
        }
    };
    Ok(Typed::leaf(value, operand.ty))
}

/// The value of an intrinsic that is an operator of this name; if several have the name, the number of operands
/// decides.
fn operator(name: &str, stem: &str, operands: Vec<Typed>) -> Result<Typed> {
    let fits = |op: &Op| (op.arity().0..=op.arity().1).contains(&operands.len());
    let Some(op) = named(stem).find(fits).or_else(|| named(stem).last()) else {
        return own(name, operands);
    };
    if matches!(op, Op::Min | Op::Max) {
        return extremum(op, operands);
    }
    let (least, most) = op.arity();
    match op.info().operands {
        Operands::Own if is_boolean(op) => compare(op, operands),
        Operands::Logicals => logic(op, operands),
        Operands::Real | Operands::MixedReals => {
            count(&operands, least, most)?;
            real(op, operands)
        }
        Operands::Numbers | Operands::Integers | Operands::Own => {
            count(&operands, least, most)?;
            arithmetic(op, operands)
        }
    }
}

/// The value of an intrinsic that is an expression.
pub(crate) fn apply(name: &str, stem: &str, operands: Vec<Typed>) -> Result<Typed> {
    match stem {
        "plus" | "identity" | "paren" => one(operands),
        "pow" => power(operands),
        "dprod" => {
            let (a, b) = two(operands)?;
            let a = a.convert_to(ScalarType::Real).map_err(types)?;
            let b = b.convert_to(ScalarType::Real).map_err(types)?;
            arithmetic(Op::Mul, vec![a, b])
        }
        "int" | "ifix" | "idint" | "int2" | "int4" | "int8" => {
            convert(operands, ScalarType::Integer)
        }
        "nint" | "idnint" | "rnd" => rounding(operands, Op::Round, true),
        "floor" => rounding(operands, Op::Floor, true),
        "ceiling" | "ceil" => rounding(operands, Op::Ceil, true),
        "trunc" => convert(operands, ScalarType::Integer),
        "recip" => {
            let operand = one(operands)?;
            let unit = Typed::leaf(Expr::Int(1), ScalarType::Integer);
            arithmetic(
                Op::Div,
                vec![unit.convert_to(ScalarType::Real).map_err(types)?, operand],
            )
        }
        "aint" | "dint" => rounding(operands, Op::Trunc, false),
        "anint" | "dnint" => rounding(operands, Op::Round, false),
        // REAL without a kind is Fortran's default real, 32 bit.
        "real" | "float" | "sngl" => convert(operands, ScalarType::Real32),
        "dble" | "dfloat" | "dreal" => convert(operands, ScalarType::Real),
        "logical" => convert(operands, ScalarType::Logical),
        "merge" => {
            count(&operands, 3, 3)?;
            conform(&operands)?;
            let mut operands = operands;
            let mask = operands
                .pop()
                .ok_or_else(|| Failure::Count(String::new()))?;
            choose(mask, operands)
        }
        "sum" => reduction(Op::Sum, operands),
        "product" => reduction(Op::Product, operands),
        "maxval" => reduction(Op::MaxVal, operands),
        "minval" => reduction(Op::MinVal, operands),
        "any" => reduction(Op::Any, operands),
        "all" => reduction(Op::All, operands),
        "count" => {
            // The second operand is the dimension of a vector.
            count(&operands, 1, 2)?;
            let mut operands = operands;
            operands[0] = operands[0]
                .clone()
                .convert_to(ScalarType::Integer)
                .map_err(types)?;
            reduction(Op::Sum, operands)
        }
        "dot_product" | "dotproduct" => {
            let (a, b) = two(operands)?;
            if a.rank != 1 || b.rank != 1 {
                return Err(Failure::Shape("its operands are not vectors".to_owned()));
            }
            reduction(Op::Sum, vec![arithmetic(Op::Mul, vec![a, b])?])
        }
        "transpose" => {
            let operand = one(operands)?;
            if operand.rank != 2 {
                return Err(Failure::Shape("its operand is not a matrix".to_owned()));
            }
            let ty = operand.ty;
            Ok(Typed::op(Op::Transpose, ty, vec![operand]))
        }
        "size" => inquiry(Op::Size, operands),
        "lbound" => inquiry(Op::LBound, operands),
        "ubound" => inquiry(Op::UBound, operands),
        "present" => inquiry(Op::Present, operands),
        "epsilon" | "tiny" | "huge" => model(stem, &one(operands)?),
        _ => operator(name, stem, operands),
    }
}

/// Operators of the representation that Fortran does not have, by their own name after `cfgrev_`.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn own(name: &str, operands: Vec<Typed>) -> Result<Typed> {
    let unknown = || Failure::Unsupported(format!("there is no intrinsic {name}"));
    let op = name.strip_prefix("cfgrev_").and_then(Op::from_name);
    let op = op.ok_or_else(unknown)?;
    let (least, most) = op.arity();
    count(&operands, least, most)?;
    match op {
        Op::ToReal => one(operands)?.convert_to(ScalarType::Real).map_err(types),
        Op::ToReal32 => one(operands)?.convert_to(ScalarType::Real32).map_err(types),
        Op::TO_INT => one(operands)?
            .convert_to(ScalarType::Integer)
            .map_err(types),
        Op::ToLogical => one(operands)?
            .convert_to(ScalarType::Logical)
            .map_err(types),
        Op::If => {
            conform(&operands)?;
            let mut operands = operands.into_iter();
            let mask = operands.next().ok_or_else(unknown)?;
            choose(mask, operands.collect())
        }
        Op::Trips => Ok(Typed::op(op, ScalarType::Integer, operands)),
        Op::ProductPartial | Op::MaxValPartial | Op::MinValPartial => {
            let ty = operands[0].ty;
            Ok(Typed::op(op, ty, operands))
        }
        Op::Floor | Op::Ceil | Op::Round | Op::Trunc => real(op, operands),
        Op::Size | Op::LBound | Op::UBound | Op::Present => inquiry(op, operands),
        Op::Sum | Op::Product | Op::MaxVal | Op::MinVal | Op::Any | Op::All => {
            reduction(op, operands)
        }
        _ => arithmetic(op, operands),
    }
}

/// `if(mask, a, b)`.
fn choose(mask: Typed, values: Vec<Typed>) -> Result<Typed> {
    let logical = ScalarType::Logical;
    let mask = mask.convert_to(logical).map_err(types)?;
    let (values, ty) = if values.iter().all(|v| v.ty == logical) {
        (values, logical)
    } else {
        let (values, ty) = Typed::unify(values).map_err(types)?;
        let values = values.into_iter().map(|v| v.convert_to(ty));
        let values = values.collect::<std::result::Result<Vec<_>, _>>();
        (values.map_err(types)?, ty)
    };
    let mut operands = vec![mask];
    operands.extend(values);
    Ok(Typed::op(Op::If, ty, operands))
}

fn extremum(op: Op, operands: Vec<Typed>) -> Result<Typed> {
    count(&operands, 2, usize::MAX)?;
    conform(&operands)?;
    let (operands, ty) = Typed::unify(operands).map_err(types)?;
    let operands = operands.into_iter().map(|o| o.convert_to(ty));
    let operands = operands.collect::<std::result::Result<Vec<_>, _>>();
    Ok(Typed::op(op, ty, operands.map_err(types)?))
}

fn power(operands: Vec<Typed>) -> Result<Typed> {
    let (base, exponent) = two(operands)?;
    conform(&[base.clone(), exponent.clone()])?;
    if exponent.ty == ScalarType::Integer {
        if base.ty == ScalarType::Logical {
            return Err(types("power of a logical value".to_owned()));
        }
        let ty = base.ty;
        return Ok(Typed::op(Op::Pow, ty, vec![base, exponent]));
    }
    let ty = exponent.ty;
    let base = if base.ty == ScalarType::Integer {
        base.convert_to(ty).map_err(types)?
    } else {
        base
    };
    let (operands, ty) = Typed::unify(vec![base, exponent]).map_err(types)?;
    Ok(Typed::op(Op::Pow, ty, operands))
}
