//! Expressions in infix form.

use super::{
    Name, Printer,
    precedence::{AND, ATOM, COMPARISON, LOOSEST, NEGATION, NOT, OR, POWER, PRODUCT, SHIFT, SUM},
};
use crate::ir::{Conversion, Expr, Op, Part, Place, ScalarType, Subscript};
use std::fmt::{self, Write};

/// The depth at which printing cuts an expression. Readers refuse expressions deeper than [`Expr::MAX_DEPTH`]; an
/// expression that was built by hand and never validated must not exhaust the stack.
const CUT: usize = 4 * Expr::MAX_DEPTH;

/// The form in which an operator is written.
enum Form {
    /// The operator stands between its operands; true if spaces go around it.
    Infix {
        symbol: &'static str,
        binding: u8,
        spaced: bool,
        /// The least binding of the first operand; `right` has that of the others.
        left: u8,
        right: u8,
    },
    /// The operator stands before its operand.
    Prefix { symbol: &'static str, binding: u8 },
    /// The operator is written as a function.
    Function(&'static str),
}

/// A left-associative infix operator.
fn left(symbol: &'static str, binding: u8, spaced: bool) -> Form {
    Form::Infix {
        symbol,
        binding,
        spaced,
        left: binding,
        right: binding + 1,
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
fn form(op: Op) -> Form {
    match op {
        Op::Add | Op::Sub | Op::WrapAdd | Op::WrapSub => left(op.name(), SUM, true),
        Op::Mul | Op::Div => left(op.name(), PRODUCT, false),
        Op::WrapMul => left(op.name(), PRODUCT, true),
        Op::Shl | Op::WrapShl | Op::Shr | Op::LogicalShr => left(op.name(), SHIFT, true),
        Op::StrongMul => left("*!", PRODUCT, false),
        Op::And => left(op.name(), AND, true),
        Op::Or => left(op.name(), OR, true),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => Form::Infix {
            symbol: op.name(),
            binding: COMPARISON,
            spaced: true,
            left: COMPARISON + 1,
            right: COMPARISON + 1,
        },
        Op::Pow => Form::Infix {
            symbol: op.name(),
            binding: POWER,
            spaced: false,
            left: POWER + 1,
            right: POWER,
        },
        Op::Neg => Form::Prefix {
            symbol: "-",
            binding: NEGATION,
        },
        Op::WrapNeg => Form::Prefix {
            symbol: "-%",
            binding: NEGATION,
        },
        Op::Not => Form::Prefix {
            symbol: "not ",
            binding: NOT,
        },
        other => Form::Function(other.name()),
    }
}

/// The binding of the printed form of `e`.
fn binding(e: &Expr) -> u8 {
    match e {
        Expr::Int(v) if *v < 0 => NEGATION,
        Expr::Real(v) if v.is_sign_negative() && !v.is_nan() => NEGATION,
        Expr::Real32(v) if v.is_sign_negative() && !v.is_nan() => NEGATION,
        Expr::Int(_)
        | Expr::Real(_)
        | Expr::Real32(_)
        | Expr::Logical(_)
        | Expr::Place(_)
        | Expr::Null(_)
        | Expr::Addr(_) => ATOM,
        Expr::Op(op, operands) => match form(*op) {
            Form::Infix { binding, .. } if operands.len() > 1 => binding,
            Form::Prefix { binding, .. } if operands.len() == 1 => binding,
            Form::Infix { .. } | Form::Prefix { .. } | Form::Function(_) => ATOM,
        },
    }
}

/// Writes `e`, in parentheses if it binds less tightly than `least`.
pub(super) fn write(
    out: &mut impl Write,
    p: &Printer<'_>,
    e: &Expr,
    least: u8,
    depth: usize,
) -> fmt::Result {
    if depth > CUT {
        return out.write_str("...");
    }
    if binding(e) < least {
        out.write_char('(')?;
        write_bare(out, p, e, depth)?;
        return out.write_char(')');
    }
    write_bare(out, p, e, depth)
}

fn write_bare(out: &mut impl Write, p: &Printer<'_>, e: &Expr, depth: usize) -> fmt::Result {
    if let Some((ty, cell)) = e.sized_constant() {
        return write!(out, "{}({})", ty.name(), ty.value(cell));
    }
    match e {
        Expr::Int(v) => write!(out, "{v}"),
        Expr::Real(v) => write_real(out, *v, "", format_args!("{v:?}")),
        Expr::Real32(v) => write_real(out, f64::from(*v), "f", format_args!("{v:?}f")),
        Expr::Logical(v) => write!(out, "{v}"),
        Expr::Place(place) => write_place(out, p, place, depth),
        Expr::Null(pointer) => {
            out.write_str("null(")?;
            write_type(out, p, pointer.pointee())?;
            out.write_char(')')
        }
        Expr::Addr(place) => {
            out.write_str("addr(")?;
            write_place(out, p, place, depth)?;
            out.write_char(')')
        }
        // With single parentheses, a number would be read as a constant of the type.
        Expr::Op(op, operands)
            if matches!(op.typed_conversion(), Some((Conversion::To, _)))
                && matches!(**operands, [Expr::Int(_)]) =>
        {
            write!(out, "{}((", op.name())?;
            write_bare(out, p, &operands[0], depth + 1)?;
            out.write_str("))")
        }
        Expr::Op(op, operands) => match form(*op) {
            Form::Infix {
                symbol,
                spaced,
                left,
                right,
                ..
            } if operands.len() > 1 => {
                let space = if spaced { " " } else { "" };
                let many = op.arity().1 == usize::MAX;
                for (i, operand) in operands.iter().enumerate() {
                    if i == 0 {
                        // The parser makes one sum of all terms in a row, so a nested sum needs parentheses to be read
                        // back.
                        let nested = many && matches!(operand, Expr::Op(inner, _) if inner == op);
                        let least = if p.exact && nested { ATOM } else { left };
                        write(out, p, operand, least, depth + 1)?;
                    } else {
                        write!(out, "{space}{symbol}{space}")?;
                        // `a - -b` and `a**-b` would be legal but hard to read.
                        let negative = binding(operand) == NEGATION;
                        write(
                            out,
                            p,
                            operand,
                            if negative { ATOM } else { right },
                            depth + 1,
                        )?;
                    }
                }
                Ok(())
            }
            Form::Prefix { symbol, binding } if operands.len() == 1 => {
                out.write_str(symbol)?;
                let operand = &operands[0];
                let is_number = matches!(operand, Expr::Int(_) | Expr::Real(_) | Expr::Real32(_));
                // `-5` is a number, `-(5)` its negation.
                if binding == NEGATION && is_number {
                    out.write_char('(')?;
                    write_bare(out, p, operand, depth + 1)?;
                    return out.write_char(')');
                }
                let least = if self::binding(operand) == NEGATION {
                    ATOM
                } else {
                    binding
                };
                write(out, p, operand, least, depth + 1)
            }
            // Wrong operand counts occur in programs that have not been validated.
            Form::Infix { symbol: name, .. }
            | Form::Prefix { symbol: name, .. }
            | Form::Function(name) => {
                out.write_str(name.trim_end())?;
                list(out, p, operands.iter(), depth)
            }
        },
    }
}

/// Operands in parentheses.
fn list<'e>(
    out: &mut impl Write,
    p: &Printer<'_>,
    operands: impl Iterator<Item = &'e Expr>,
    depth: usize,
) -> fmt::Result {
    out.write_char('(')?;
    for (i, e) in operands.enumerate() {
        if i > 0 {
            out.write_str(", ")?;
        }
        write(out, p, e, LOOSEST, depth + 1)?;
    }
    out.write_char(')')
}

/// Writes a variable with its subscripts.
pub(super) fn write_place(
    out: &mut impl Write,
    p: &Printer<'_>,
    place: &Place,
    depth: usize,
) -> fmt::Result {
    write_variable(out, p, place.var)?;
    for level in place.levels() {
        match level.part {
            Part::Variable => {}
            Part::Field(field) => write!(out, ".{}", Name(field))?,
            Part::Deref => out.write_char('^')?,
        }
        if !level.subscripts.is_empty() {
            write_subscripts(out, p, level.subscripts, depth)?;
        }
    }
    Ok(())
}

fn write_subscripts(
    out: &mut impl Write,
    p: &Printer<'_>,
    subscripts: &[Subscript],
    depth: usize,
) -> fmt::Result {
    out.write_char('[')?;
    for (i, subscript) in subscripts.iter().enumerate() {
        if i > 0 {
            out.write_str(", ")?;
        }
        match subscript {
            Subscript::Index(e) => write(out, p, e, LOOSEST, depth + 1)?,
            Subscript::Range(range) => {
                if let Some(e) = &range.lower {
                    write(out, p, e, LOOSEST, depth + 1)?;
                }
                out.write_char(':')?;
                if let Some(e) = &range.upper {
                    write(out, p, e, LOOSEST, depth + 1)?;
                }
                if let Some(e) = &range.stride {
                    out.write_char(':')?;
                    write(out, p, e, LOOSEST, depth + 1)?;
                }
            }
            Subscript::Field(_) | Subscript::Deref => {}
        }
    }
    out.write_char(']')
}

/// `real`, `record Point`, `^^real`.
pub(super) fn write_type(out: &mut impl Write, p: &Printer<'_>, mut ty: ScalarType) -> fmt::Result {
    while let Some(pointer) = ty.pointer() {
        out.write_char('^')?;
        ty = pointer.pointee();
    }
    out.write_str(ty.name())?;
    let Some(r) = ty.record() else {
        return Ok(());
    };
    let records = p.program.map_or(&[][..], |program| &program.records);
    match records.get(r.index()) {
        Some(record) => write!(out, " {}", Name(&record.name)),
        None => write!(out, " {r}?"),
    }
}

/// The variable's name; its entity (`x7`) if the routine has no such variable.
pub(super) fn write_variable(
    out: &mut impl Write,
    p: &Printer<'_>,
    v: crate::entity::VarId,
) -> fmt::Result {
    match p.routine.variables.get(v.index()) {
        Some(variable) => write!(out, "{}", Name(&variable.name)),
        None => write!(out, "{v}?"),
    }
}

fn write_real(
    out: &mut impl Write,
    value: f64,
    suffix: &str,
    finite: fmt::Arguments<'_>,
) -> fmt::Result {
    if value.is_nan() {
        write!(out, "nan{suffix}")
    } else if value == f64::INFINITY {
        write!(out, "inf{suffix}")
    } else if value == f64::NEG_INFINITY {
        write!(out, "-inf{suffix}")
    } else {
        out.write_fmt(finite)
    }
}
