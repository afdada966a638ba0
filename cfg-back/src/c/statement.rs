//! Statements: assignments, pushes and pops.

use super::{
    Emitted,
    names::comment,
    operators::{
        self, Code,
        precedence::{SUM, UNARY},
    },
    pooled::Pooled,
    returned::Returned,
    variable::{Bound, Kind},
    writer::Writer,
};
use cfg_core::{
    dataflow::executed,
    entity::VarId,
    flat::FlatStmt,
    ir::{ControlWidth, Expr, Place, Role, ScalarType, Stmt, StmtKind, Subscript, TapeClass},
    typing,
};
use cfg_transform::lower::place_rank;
use std::collections::{BTreeMap, HashSet};

/// A scalar place that something is assigned to.
pub(super) struct Assigned {
    /// The lvalue.
    pub(super) text: String,
}

/// The stack of a class, as functions are named after it, and the cells that a value takes at most.
fn stack(class: TapeClass) -> (&'static str, i64) {
    match class {
        TapeClass::Control(ControlWidth::Bits(_)) => ("control", 1),
        TapeClass::Control(ControlWidth::Count) => ("control", 2),
        TapeClass::Integer => ("integer", 1),
        TapeClass::Real => ("real", 1),
        TapeClass::Real32 => ("real32", 1),
    }
}

/// The tape, the stack and the cells that a push of a scalar takes at most; of control bits their number.
pub(super) fn pushes(statement: &Stmt) -> Option<(VarId, &'static str, i64)> {
    let StmtKind::Push { tape, class, .. } = &statement.kind else {
        return None;
    };
    let (name, cells) = stack(*class);
    let cells = match class {
        TapeClass::Control(ControlWidth::Bits(bits)) => i64::from(*bits),
        // As many bits as an integer has at most, and six.
        TapeClass::Control(ControlWidth::Count) => 69,
        TapeClass::Integer | TapeClass::Real | TapeClass::Real32 => cells,
    };
    Some((*tape, name, cells))
}

impl Writer<'_> {
    /// The stack of a class, and the cells that a value takes at most.
    fn stack(&self, class: TapeClass) -> (&'static str, i64) {
        match (stack(class), self.checked()) {
            // A bit more says whether the value is set.
            (("control", cells), true) => ("control", cells + 1),
            (stack, _) => stack,
        }
    }

    /// The statements of a block, as far as control comes.
    pub(super) fn statements(&mut self, statements: &[Stmt]) -> Emitted<()> {
        let statements = executed(statements);
        let mut from = 0;
        while from < statements.len() {
            let run = statements[from..]
                .iter()
                .take_while(|s| !self.separates(s))
                .count();
            if from > 0 {
                self.at(self.place.map(|(v, _)| (v, None)));
            }
            self.rooms(&statements[from..from + run])?;
            let to = (from + run + 1).min(statements.len());
            for (k, statement) in (from..).zip(&statements[from..to]) {
                self.at(self.place.map(|(v, _)| (v, Some(k))));
                self.statement(statement)?;
            }
            from = to;
        }
        Ok(())
    }

    /// True of a statement behind which room for what is pushed later would not be sure.
    pub(super) fn separates(&self, statement: &Stmt) -> bool {
        match FlatStmt::of(&statement.kind) {
            FlatStmt::Call { .. } => true,
            FlatStmt::Push { value, .. } => self.rank(value).is_none_or(|rank| rank > 0),
            FlatStmt::Assign { .. }
            | FlatStmt::Pop { .. }
            | FlatStmt::Opaque { .. }
            | FlatStmt::Stop { .. } => false,
        }
    }

    fn rank(&self, e: &Expr) -> Option<usize> {
        let ty = typing::type_of(&self.routine.variables, e);
        ty.ok().map(|ty| ty.rank)
    }

    /// Makes room for all that is pushed in a row of statements.
    fn rooms(&mut self, statements: &[Stmt]) -> Emitted<()> {
        if self.roomy {
            return Ok(());
        }
        let mut rooms: BTreeMap<(VarId, &str), i64> = BTreeMap::new();
        for statement in statements {
            if let StmtKind::Push { tape, class, .. } = &statement.kind {
                let (name, cells) = self.stack(*class);
                *rooms.entry((*tape, name)).or_default() += cells;
            }
        }
        for ((tape, name), cells) in rooms {
            let (tape, top) = self.top(tape)?;
            self.room((&tape, &top), name, &cells.to_string());
        }
        Ok(())
    }

    pub(super) fn room(&mut self, (tape, top): (&str, &str), name: &str, count: &str) {
        let leave = self.out_of_memory();
        self.lines.line(format_args!(
            "if (cfgrev_room_{name}(&{top}, {tape}, {count}))"
        ));
        self.lines.line(format_args!("    {leave}"));
    }

    fn statement(&mut self, statement: &Stmt) -> Emitted<()> {
        self.pieces.begin_statement();
        match FlatStmt::of(&statement.kind) {
            FlatStmt::Assign { target, value } => {
                if place_rank(&self.routine.variables, target) > 0 {
                    return self.assign_array(target, value);
                }
                if self.checked() {
                    return self.checked_assign(target, value);
                }
                self.entry(target)?;
                let code = self.scalar(value)?;
                let target = self.target(target, false)?;
                self.assign(&target, &code);
                Ok(())
            }
            FlatStmt::Call {
                callee,
                arguments,
                result,
            } => self.call(callee, arguments, result),
            FlatStmt::Push { tape, class, value } => self.push(tape, class, value),
            FlatStmt::Pop {
                tape,
                class,
                target,
            } => self.pop(tape, class, target),
            FlatStmt::Opaque { text, writes, .. } => {
                self.lines.line(format_args!("/* {} */", comment(text)));
                if self.checked() {
                    writes.iter().try_for_each(|v| self.forget(*v))?;
                }
                Ok(())
            }
            FlatStmt::Stop { text } => {
                self.stop_program(text);
                Ok(())
            }
        }
    }

    /// The function leaves, also without checks, if a table of a pool has no entry that is assigned: the pool has no room, or what
    /// is freed is not the beginning of an object. It would write elsewhere.
    fn entry(&mut self, target: &Place) -> Emitted<()> {
        if self.pooled(target.var) != Some(Pooled::Table) {
            return Ok(());
        }
        let [Subscript::Index(entry)] = &*target.subscripts else {
            return Err(self.malformed("a table of a pool with other subscripts"));
        };
        // Those of variables that are globals, and of null, are constants.
        if entry.constant().is_some() {
            return Ok(());
        }
        let entry = self.scalar(entry)?.text;
        self.lines.line(format_args!("if ({entry} < 0)"));
        self.made.can_fail = true;
        self.lines
            .line(format_args!("    return {entry} == -1 ? 2 : 4;"));
        Ok(())
    }

    /// An assignment to a scalar.
    pub(super) fn assign(&mut self, target: &Assigned, code: &Code) {
        let target = &target.text;
        for operator in [" + ", " - "] {
            let rest = code.text.strip_prefix(target.as_str());
            if let Some(operand) = rest.and_then(|rest| rest.strip_prefix(operator))
                && code.precedence == SUM
                && !super::array::has_sum(operand)
            {
                let sign = operator.trim();
                self.lines.line(format_args!("{target} {sign}= {operand};"));
                return;
            }
        }
        // Compilers warn of `x = x`.
        if *target != code.text {
            self.lines.line(format_args!("{target} = {};", code.text));
        }
    }

    fn push(&mut self, tape: VarId, class: TapeClass, value: &Expr) -> Emitted<()> {
        let (tape, top) = self.top(tape)?;
        if self.rank(value) != Some(0) {
            let (from, declared) = (self.lines.here(), self.declared);
            let view = self.array_value(value)?;
            let (name, cells) = self.stack(class);
            let size = super::array::size(&view.extents()).times(&cells.into());
            if let Expr::Place(place) = value {
                self.must_be_given(place.var);
                self.stop();
            }
            self.room((&tape, &top), name, &size.code().text);
            self.each_element(&view, false, |writer, at| {
                let code = view.element(at);
                let line = push_line(&top, class, code, writer);
                writer.lines.line(line);
                writer.stop();
                Ok(())
            })?;
            self.release_since(from);
            self.end_block(from, declared);
            return Ok(());
        }
        let code = self.scalar(value)?;
        let line = push_line(&top, class, code, self);
        self.lines.line(line);
        self.stop();
        Ok(())
    }

    fn pop(&mut self, tape: VarId, class: TapeClass, target: &Place) -> Emitted<()> {
        let (tape, top) = self.top(tape)?;
        let ty = self.routine.variable(target.var).ty;
        if place_rank(&self.routine.variables, target) == 0 {
            if self.checked() {
                let code = self.checked_pop(&tape, &top, class, ty);
                return self.store(target, &code, None);
            }
            let (target, value) = (self.target(target, false)?, pop_text(&top, class, ty));
            self.lines.line(format_args!("{} = {value};", target.text));
            return Ok(());
        }
        let read = self.variables.all[target.var.index()].read;
        let view = self.view(target)?;
        self.must_be_given(target.var);
        self.stop();
        let value = match self.checked() {
            true => self.checked_pop(&tape, &top, class, ty).text,
            false => pop_text(&top, class, ty),
        };
        let stop = self.stop_lines();
        self.each_element(&view, true, |writer, at| {
            let to = view.element(at).text;
            writer.lines.line(format_args!("{to} = {value};"));
            stop.iter().for_each(|line| writer.lines.line(line));
            Ok(())
        })?;
        self.only_written(target, None, read);
        Ok(())
    }

    /// Statements that keep compilers from complaining of what is declared and not read; `named` are the identifiers
    /// of the body, `read` those that stand elsewhere than as targets of assignments.
    pub(super) fn unread(&self, named: &HashSet<&str>, read: &HashSet<&str>) -> Vec<String> {
        let mut lines = Vec::new();
        let mut silence = |name: &str| lines.push(format!("(void){name};"));
        for (name, _) in &self.helpers {
            if named.contains(name.as_str()) && !read.contains(name.as_str()) {
                silence(name);
            }
        }
        for (v, variable) in self.variables.numbered() {
            let given = Returned::given(self.routine) == Some(v);
            let parameter = self.routine.variable(v).intent().is_some() || given;
            let local = self.routine.variable(v).role == Role::Local && !given;
            let name = variable.kind.name();
            let written = local && named.contains(name) && !read.contains(name);
            if (parameter && !named.contains(name)) || written {
                silence(name);
            }
            if let Kind::Array(array) = &variable.kind
                && let Some(view) = &array.laid_over
                && !named.contains(&**view)
            {
                silence(view);
            }
            if let (true, Kind::Array(array)) = (parameter, &variable.kind) {
                for axis in &array.axes {
                    for bound in [Some(&axis.extent), axis.stride.as_ref()]
                        .into_iter()
                        .flatten()
                    {
                        if let Bound::Kept(k) = bound
                            && let kept = &self.variables.bounds[*k]
                            && kept.value.is_none()
                            && (array.laid_over.is_none() || axis.stride.is_none())
                            && !named.contains(&*kept.name)
                        {
                            silence(&kept.name);
                        }
                    }
                }
            }
        }
        lines
    }
}

/// The statement that pushes a scalar.
fn push_line(top: &str, class: TapeClass, code: Code, writer: &mut Writer<'_>) -> String {
    if let (true, TapeClass::Control(width)) = (writer.checked(), class) {
        return writer.checked_push(top, width, &code);
    }
    match class {
        TapeClass::Control(ControlWidth::Bits(bits)) => {
            let value = if code.text.parse::<u32>().is_ok() {
                code.text
            } else {
                format!("(uint64_t){}", code.at_least(UNARY))
            };
            format!("cfgrev_push_bits(&{top}, {value}, {bits});")
        }
        TapeClass::Control(ControlWidth::Count) => {
            format!("cfgrev_push_count(&{top}, {});", code.text)
        }
        TapeClass::Integer if code.ty == ScalarType::Integer => {
            format!("cfgrev_push_integer(&{top}, {});", code.text)
        }
        TapeClass::Integer => {
            format!(
                "cfgrev_push_integer(&{top}, (int64_t){});",
                code.at_least(UNARY)
            )
        }
        TapeClass::Real => {
            let code = operators::convert(code, ScalarType::Real, writer.pieces);
            format!("cfgrev_push_real(&{top}, {});", code.text)
        }
        TapeClass::Real32 => {
            let code = operators::convert(code, ScalarType::Real32, writer.pieces);
            format!("cfgrev_push_real32(&{top}, {});", code.text)
        }
    }
}

/// The value that is popped.
fn pop_text(top: &str, class: TapeClass, ty: ScalarType) -> String {
    match class {
        TapeClass::Control(ControlWidth::Bits(bits)) if ty == ScalarType::Logical => {
            format!("cfgrev_pop_bits(&{top}, {bits}) != 0")
        }
        TapeClass::Control(ControlWidth::Bits(bits)) => {
            format!("(int64_t)cfgrev_pop_bits(&{top}, {bits})")
        }
        TapeClass::Control(ControlWidth::Count) => format!("cfgrev_pop_count(&{top})"),
        TapeClass::Integer if matches!(ty, ScalarType::Sized(_)) => {
            format!(
                "({})cfgrev_pop_integer(&{top})",
                super::variable::c_type(ty)
            )
        }
        TapeClass::Integer => format!("cfgrev_pop_integer(&{top})"),
        TapeClass::Real => format!("cfgrev_pop_real(&{top})"),
        TapeClass::Real32 => format!("cfgrev_pop_real32(&{top})"),
    }
}
