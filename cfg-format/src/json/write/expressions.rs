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
    pub(super) fn write_expr(&mut self, e: &Expr) {
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
            self.write_raw("[\"const\", \"");
            self.write_raw(ty.name());
            // Writing to memory does not fail.
            let _ = write!(self.buffer, "\", {}]", ty.value(cell));
            return;
        }
        match e {
            Expr::Int(i) => self.write_int(*i),
            Expr::Real(r) => self.write_real(*r),
            Expr::Real32(r) => {
                self.write_raw("[\"real32\", ");
                self.write_real32(*r);
                self.write_raw("]");
            }
            Expr::Logical(b) => self.write_raw(if *b { "true" } else { "false" }),
            Expr::Place(place) => self.place_at(place, level),
            Expr::Null(pointer) => {
                self.write_raw("[\"null\", ");
                self.scalar_type(pointer.pointee());
                self.write_raw("]");
            }
            Expr::Addr(place) => {
                self.write_raw("[\"addr\", ");
                self.place_at(place, level + 1);
                self.write_raw("]");
            }
            Expr::Op(op, operands) => {
                let literal = matches!((op, &**operands), (Op::ToReal32, [Expr::Real(_)]));
                self.write_raw("[\"");
                match op.typed_conversion() {
                    Some((how, to)) => {
                        self.write_raw(how.name());
                        self.write_raw("\", \"");
                        self.write_raw(to.name());
                    }
                    None => self.write_raw(if literal { AS_REAL32 } else { op.name() }),
                }
                self.write_raw("\"");
                for operand in operands {
                    self.write_raw(", ");
                    self.expr_at(operand, level + 1);
                }
                self.write_raw("]");
            }
        }
    }

    /// Writes a real, always with `.` or `e`, so that reading gives the same bits.
    fn write_real(&mut self, r: f64) {
        if r.is_nan() {
            self.write_raw("[\"nan\"]");
        } else if r.is_infinite() {
            self.write_raw(if r > 0.0 { "[\"inf\"]" } else { "[\"-inf\"]" });
        } else {
            // Writing to memory does not fail.
            let _ = write!(self.buffer, "{r:?}");
        }
    }

    fn write_real32(&mut self, r: f32) {
        // The shortest digits for 32 bits, unless reading them as 64 bits first rounds twice.
        let short = format!("{r:?}");
        match short.parse::<f64>() {
            Ok(back) if r.is_finite() && (back as f32).to_bits() == r.to_bits() => {
                self.write_raw(&short);
            }
            _ => self.write_real(f64::from(r)),
        }
    }

    pub(super) fn write_place(&mut self, place: &Place) {
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
                self.write_raw("[\"[]\", ");
            }
            match step.part {
                Part::Variable => {}
                Part::Field(_) => self.write_raw("[\".\", "),
                Part::Deref => self.write_raw("[\"deref\", "),
            }
        }
        self.variable_name(place.var);
        for step in &outer {
            match step.part {
                Part::Variable => {}
                Part::Field(field) => {
                    self.write_raw(", ");
                    self.write_string(field);
                    self.write_raw("]");
                    nested -= 1;
                }
                Part::Deref => {
                    self.write_subscripts(step.subscripts, level + nested);
                    self.write_raw("]");
                    nested -= 1;
                }
            }
            if listed(step) {
                self.write_subscripts(step.subscripts, level + nested);
                self.write_raw("]");
                nested -= 1;
            }
        }
    }

    fn write_subscripts(&mut self, subscripts: &[Subscript], level: usize) {
        for subscript in subscripts {
            self.write_raw(", ");
            match subscript {
                Subscript::Index(e) => self.expr_at(e, level),
                Subscript::Range(range) => {
                    self.write_raw("[\":\"");
                    let parts = [&range.lower, &range.upper, &range.stride];
                    let count = parts.iter().rposition(|p| p.is_some()).map_or(0, |i| i + 1);
                    for part in &parts[..count] {
                        self.write_raw(", ");
                        match part {
                            Some(e) => self.expr_at(e, level),
                            None => self.write_raw("null"),
                        }
                    }
                    self.write_raw("]");
                }
                Subscript::Field(_) | Subscript::Deref => {}
            }
        }
    }

    pub(super) fn write_statement(&mut self, statement: &Stmt) {
        let annotated = statement
            .annotations
            .as_deref()
            .is_some_and(|a| !a.is_empty());
        let annotated = annotated || statement.at.is_some();
        if annotated {
            self.write_raw("{\"statement\": ");
        }
        self.statement_kind(&statement.kind);
        if annotated {
            self.write_span(&statement.at, "");
            self.write_annotations(&statement.annotations, "", |_| false);
            self.write_raw("}");
        }
    }

    fn statement_kind(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Assign { target, value } => {
                self.write_raw("[\"=\", ");
                self.write_place(target);
                self.write_raw(", ");
                self.write_expr(value);
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => {
                if let Some(target) = result {
                    self.write_raw("[\"=\", ");
                    self.write_place(target);
                    self.write_raw(", ");
                }
                self.write_raw("[\"call\", ");
                self.routine_name(*callee);
                self.write_raw(", [");
                for (i, argument) in arguments.iter().enumerate() {
                    self.write_comma(i);
                    match argument {
                        Some(e) => self.write_expr(e),
                        None => self.write_raw("null"),
                    }
                }
                self.write_raw(if result.is_some() { "]]" } else { "]" });
            }
            StmtKind::Push { tape, class, value } => {
                self.write_raw("[\"push\", ");
                self.write_class(*class);
                self.write_raw(", ");
                self.write_expr(value);
                self.write_tape(*tape);
            }
            StmtKind::Pop {
                tape,
                class,
                target,
            } => {
                self.write_raw("[\"pop\", ");
                self.write_class(*class);
                self.write_raw(", ");
                self.write_place(target);
                self.write_tape(*tape);
            }
            StmtKind::Opaque {
                text,
                reads,
                writes,
            } => {
                self.write_raw("[\"opaque\", ");
                self.write_string(text);
                self.write_raw(", {\"reads\": ");
                self.write_names(reads);
                self.write_member("writes");
                self.write_names(writes);
                self.write_raw("}");
            }
            StmtKind::Stop { text } => {
                self.write_raw("[\"stop\", ");
                self.write_string(text);
            }
            StmtKind::Allocate {
                pointer,
                count,
                zeroed,
            } => {
                self.write_raw("[\"allocate\", ");
                self.write_place(pointer);
                self.write_raw(", ");
                self.write_expr(count);
                if *zeroed {
                    self.write_raw(", {\"zeroed\": true}");
                }
            }
            StmtKind::Free { pointer } => {
                self.write_raw("[\"free\", ");
                self.write_place(pointer);
            }
            StmtKind::Resize { pointer, count } => {
                self.write_raw("[\"resize\", ");
                self.write_place(pointer);
                self.write_raw(", ");
                self.write_expr(count);
            }
        }
        self.write_raw("]");
    }

    fn write_class(&mut self, class: TapeClass) {
        match class {
            TapeClass::Control(ControlWidth::Count) => self.write_raw("[\"control\", \"count\"]"),
            TapeClass::Control(ControlWidth::Bits(bits)) => {
                self.write_raw("[\"control\", ");
                self.write_int(i64::from(bits));
                self.write_raw("]");
            }
            TapeClass::Integer | TapeClass::Real | TapeClass::Real32 | TapeClass::Disk => {
                self.write_string(class.name());
            }
        }
    }

    fn write_tape(&mut self, tape: VarId) {
        if self.only_tape != Some(tape) {
            self.write_raw(", ");
            self.variable_name(tape);
        }
    }
}
