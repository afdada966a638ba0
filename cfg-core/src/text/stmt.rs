//! Statements, one line each.

use super::precedence::LOOSEST;
use super::{Name, Printer, expr, graph::write_span, name::write_quoted};
use crate::entity::VarId;
use crate::ir::{ControlWidth, Expr, Place, Stmt, StmtKind, TapeClass};
use std::fmt::{self, Write};

pub(super) fn write(out: &mut impl Write, p: &Printer<'_>, s: &Stmt) -> fmt::Result {
    write_kind(out, p, &s.kind)?;
    if p.exact {
        write_span(out, &s.at)?;
    }
    Ok(())
}

fn write_kind(out: &mut impl Write, p: &Printer<'_>, kind: &StmtKind) -> fmt::Result {
    match kind {
        StmtKind::Assign { target, value } => {
            expr::write_place(out, p, target, 0)?;
            out.write_str(" := ")?;
            expr::write(out, p, value, LOOSEST, 0)
        }
        StmtKind::Call {
            callee,
            arguments,
            result,
        } => {
            if let Some(result) = result {
                expr::write_place(out, p, result, 0)?;
                out.write_str(" := ")?;
            }
            out.write_str("call ")?;
            match p.program.and_then(|p| p.routines.get(callee.index())) {
                Some(routine) => write!(out, "{}", Name(&routine.name))?,
                None => write!(out, "{callee}?")?,
            }
            out.write_char('(')?;
            for (i, argument) in arguments.iter().enumerate() {
                if i > 0 {
                    out.write_str(", ")?;
                }
                match argument {
                    Some(e) => expr::write(out, p, e, LOOSEST, 0)?,
                    None => out.write_str("absent")?,
                }
            }
            out.write_char(')')
        }
        StmtKind::Push { tape, class, value } => {
            out.write_str("push")?;
            write_class(out, *class)?;
            out.write_char(' ')?;
            expr::write(out, p, value, LOOSEST, 0)?;
            write_tape(out, p, " on ", *tape)
        }
        StmtKind::Pop {
            tape,
            class,
            target,
        } => {
            expr::write_place(out, p, target, 0)?;
            out.write_str(" := pop")?;
            write_class(out, *class)?;
            write_tape(out, p, " from ", *tape)
        }
        StmtKind::Opaque {
            text,
            reads,
            writes,
        } => {
            out.write_str("opaque ")?;
            write_quoted(out, text)?;
            write_list(out, p, " reads ", reads)?;
            write_list(out, p, " writes ", writes)
        }
        StmtKind::Stop { text } => {
            out.write_str("stop ")?;
            write_quoted(out, text)
        }
        StmtKind::Allocate {
            pointer,
            count,
            zeroed,
        } => {
            out.write_str("allocate ")?;
            write_sized(out, p, pointer, count)?;
            out.write_str(if *zeroed { " zeroed" } else { "" })
        }
        StmtKind::Free { pointer } => {
            out.write_str("free ")?;
            expr::write_place(out, p, pointer, 0)
        }
        StmtKind::Resize { pointer, count } => {
            out.write_str("resize ")?;
            write_sized(out, p, pointer, count)
        }
    }
}

/// A pointer and a number of elements.
fn write_sized(
    out: &mut impl Write,
    p: &Printer<'_>,
    pointer: &Place,
    count: &Expr,
) -> fmt::Result {
    expr::write_place(out, p, pointer, 0)?;
    out.write_str(", ")?;
    expr::write(out, p, count, LOOSEST, 0)
}

fn write_class(out: &mut impl Write, class: TapeClass) -> fmt::Result {
    match class {
        TapeClass::Control(ControlWidth::Bits(bits)) => write!(out, "[control {bits}]"),
        TapeClass::Control(ControlWidth::Count) => out.write_str("[control count]"),
        TapeClass::Integer | TapeClass::Real | TapeClass::Real32 | TapeClass::Disk => {
            write!(out, "[{}]", class.name())
        }
    }
}

fn write_tape(out: &mut impl Write, p: &Printer<'_>, word: &str, tape: VarId) -> fmt::Result {
    if p.names_tapes() {
        out.write_str(word)?;
        expr::write_variable(out, p, tape)?;
    }
    Ok(())
}

fn write_list(out: &mut impl Write, p: &Printer<'_>, word: &str, list: &[VarId]) -> fmt::Result {
    for (i, v) in list.iter().enumerate() {
        out.write_str(if i == 0 { word } else { ", " })?;
        expr::write_variable(out, p, *v)?;
    }
    Ok(())
}
