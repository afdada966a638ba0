//! Expressions, places and statements.

use super::Writer;
use crate::json::expression::AS_REAL32;
use cfg_core::{
    entity::VarId,
    ir::{ControlWidth, Expr, Level, Op, Part, Place, Stmt, StmtKind, Subscript, TapeClass},
};
use std::io::{self, Write};

/// The pointer to the place that a statement assigns or frees, from the statement on; empty if there is none.
pub(in crate::json) fn target_pointer(kind: &StmtKind) -> &'static str {
    match kind {
        StmtKind::Assign { .. }
        | StmtKind::Call { .. }
        | StmtKind::Allocate { .. }
        | StmtKind::Free { .. }
        | StmtKind::Resize { .. } => "/1",
        StmtKind::Pop { .. } => "/2",
        StmtKind::Push { .. } | StmtKind::Opaque { .. } | StmtKind::Stop { .. } => "",
    }
}

impl<W: io::Write> Writer<'_, W> {
    /// Writes an expression; its depth is checked.
    pub(super) fn expr(&mut self, e: &Expr) {
        self.expr_at(e, 1);
    }

    fn expr_at(&mut self, e: &Expr, level: usize) {
        if level > Expr::MAX_DEPTH {
            self.fail(format!(
                "an expression has more than {} levels",
                Expr::MAX_DEPTH
            ));
            return;
        }
        if let Some((ty, cell)) = e.sized_constant() {
            self.raw("[\"const\", \"");
            self.raw(ty.name());
            // Writing to memory does not fail.
            let _ = write!(self.buffer, "\", {}]", ty.value(cell));
            return;
        }
        match e {
            Expr::Int(i) => self.int(*i),
            Expr::Real(r) => self.real(*r),
            Expr::Real32(r) => {
                self.raw("[\"real32\", ");
                self.real32(*r);
                self.raw("]");
            }
            Expr::Logical(b) => self.raw(if *b { "true" } else { "false" }),
            Expr::Place(place) => self.place_at(place, level),
            Expr::Null(pointer) => {
                self.raw("[\"null\", ");
                self.scalar_type(pointer.pointee());
                self.raw("]");
            }
            Expr::Addr(place) => {
                self.raw("[\"addr\", ");
                self.place_at(place, level + 1);
                self.raw("]");
            }
            Expr::Op(op, operands) => {
                let literal = matches!((op, &**operands), (Op::ToReal32, [Expr::Real(_)]));
                self.raw("[\"");
                match op.typed_conversion() {
                    Some((how, to)) => {
                        self.raw(how.name());
                        self.raw("\", \"");
                        self.raw(to.name());
                    }
                    None => self.raw(if literal { AS_REAL32 } else { op.name() }),
                }
                self.raw("\"");
                for operand in operands {
                    self.raw(", ");
                    self.expr_at(operand, level + 1);
                }
                self.raw("]");
            }
        }
    }

    /// Writes a real, always with `.` or `e`, so that reading gives the same bits.
    fn real(&mut self, r: f64) {
        if r.is_nan() {
            self.raw("[\"nan\"]");
        } else if r.is_infinite() {
            self.raw(if r > 0.0 { "[\"inf\"]" } else { "[\"-inf\"]" });
        } else {
            // Writing to memory does not fail.
            let _ = write!(self.buffer, "{r:?}");
        }
    }

    fn real32(&mut self, r: f32) {
        // The shortest digits for 32 bits, unless reading them as 64 bits first rounds twice.
        let short = format!("{r:?}");
        match short.parse::<f64>() {
            Ok(back) if r.is_finite() && (back as f32).to_bits() == r.to_bits() => self.raw(&short),
            _ => self.real(f64::from(r)),
        }
    }

    pub(super) fn place(&mut self, place: &Place) {
        self.place_at(place, 1);
    }

    fn place_at(&mut self, place: &Place, level: usize) {
        if place.subscripts.is_empty() {
            return self.variable_name(place.var);
        }
        // The last level is outermost: ["[]", [".", "p", "v"], 1]. The subscript of a pointer is no step of its own.
        let outer: Vec<Level<'_>> = place.levels().collect();
        let listed = |level: &Level<'_>| !level.subscripts.is_empty() && level.part != Part::Deref;
        let steps = |level: &Level<'_>| {
            usize::from(level.part != Part::Variable) + usize::from(listed(level))
        };
        let mut nested: usize = outer.iter().map(steps).sum();
        if level + nested - 1 > Expr::MAX_DEPTH {
            let problem = format!("an expression has more than {} levels", Expr::MAX_DEPTH);
            return self.fail(problem);
        }
        for step in outer.iter().rev() {
            if listed(step) {
                self.raw("[\"[]\", ");
            }
            match step.part {
                Part::Variable => {}
                Part::Field(_) => self.raw("[\".\", "),
                Part::Deref => self.raw("[\"deref\", "),
            }
        }
        self.variable_name(place.var);
        for step in &outer {
            match step.part {
                Part::Variable => {}
                Part::Field(field) => {
                    self.raw(", ");
                    self.string(field);
                    self.raw("]");
                    nested -= 1;
                }
                Part::Deref => {
                    self.subscripts(step.subscripts, level + nested);
                    self.raw("]");
                    nested -= 1;
                }
            }
            if listed(step) {
                self.subscripts(step.subscripts, level + nested);
                self.raw("]");
                nested -= 1;
            }
        }
    }

    fn subscripts(&mut self, subscripts: &[Subscript], level: usize) {
        for subscript in subscripts {
            self.raw(", ");
            match subscript {
                Subscript::Index(e) => self.expr_at(e, level),
                Subscript::Range(range) => {
                    self.raw("[\":\"");
                    let parts = [&range.lower, &range.upper, &range.stride];
                    let count = parts.iter().rposition(|p| p.is_some()).map_or(0, |i| i + 1);
                    for part in &parts[..count] {
                        self.raw(", ");
                        match part {
                            Some(e) => self.expr_at(e, level),
                            None => self.raw("null"),
                        }
                    }
                    self.raw("]");
                }
                Subscript::Field(_) | Subscript::Deref => {}
            }
        }
    }

    pub(super) fn statement(&mut self, statement: &Stmt) {
        let annotated = statement
            .annotations
            .as_deref()
            .is_some_and(|a| !a.is_empty());
        let annotated = annotated || statement.at.is_some();
        if annotated {
            self.raw("{\"statement\": ");
        }
        self.statement_kind(&statement.kind);
        if annotated {
            self.span(&statement.at, "");
            self.annotations(&statement.annotations, "", |_| false);
            self.raw("}");
        }
    }

    fn statement_kind(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Assign { target, value } => {
                self.raw("[\"=\", ");
                self.place(target);
                self.raw(", ");
                self.expr(value);
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                if let Some(target) = result {
                    self.raw("[\"=\", ");
                    self.place(target);
                    self.raw(", ");
                }
                self.raw("[\"call\", ");
                self.routine_name(*callee);
                self.raw(", [");
                for (i, argument) in arguments.iter().enumerate() {
                    self.comma(i);
                    match argument {
                        Some(e) => self.expr(e),
                        None => self.raw("null"),
                    }
                }
                self.raw(if result.is_some() { "]]" } else { "]" });
            }
            StmtKind::Push { tape, class, value } => {
                self.raw("[\"push\", ");
                self.class(*class);
                self.raw(", ");
                self.expr(value);
                self.tape(*tape);
            }
            StmtKind::Pop {
                tape,
                class,
                target,
            } => {
                self.raw("[\"pop\", ");
                self.class(*class);
                self.raw(", ");
                self.place(target);
                self.tape(*tape);
            }
            StmtKind::Opaque {
                text,
                reads,
                writes,
            } => {
                self.raw("[\"opaque\", ");
                self.string(text);
                self.raw(", {\"reads\": ");
                self.names(reads);
                self.member("writes");
                self.names(writes);
                self.raw("}");
            }
            StmtKind::Stop { text } => {
                self.raw("[\"stop\", ");
                self.string(text);
            }
            StmtKind::Allocate {
                pointer,
                count,
                zeroed,
            } => {
                self.raw("[\"allocate\", ");
                self.place(pointer);
                self.raw(", ");
                self.expr(count);
                if *zeroed {
                    self.raw(", {\"zeroed\": true}");
                }
            }
            StmtKind::Free { pointer } => {
                self.raw("[\"free\", ");
                self.place(pointer);
            }
            StmtKind::Resize { pointer, count } => {
                self.raw("[\"resize\", ");
                self.place(pointer);
                self.raw(", ");
                self.expr(count);
            }
        }
        self.raw("]");
    }

    fn class(&mut self, class: TapeClass) {
        match class {
            TapeClass::Control(ControlWidth::Count) => self.raw("[\"control\", \"count\"]"),
            TapeClass::Control(ControlWidth::Bits(bits)) => {
                self.raw("[\"control\", ");
                self.int(i64::from(bits));
                self.raw("]");
            }
            TapeClass::Integer | TapeClass::Real | TapeClass::Real32 => self.string(class.name()),
        }
    }

    fn tape(&mut self, tape: VarId) {
        if self.only_tape != Some(tape) {
            self.raw(", ");
            self.variable_name(tape);
        }
    }
}
