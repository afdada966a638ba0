//! Statements: assignments, pushes and pops.

use super::{
    Emitted,
    lines::{Lines, Statement, silenced},
    names::escape_comment,
    operators::{self, Code, Infix, Name, Prefix},
    pooled::Pooled,
    returned::Returned,
    scoped::Local,
    variable::{Bound, Kind},
    whole::Begins,
    writer::Writer,
};
use cfg_core::{
    dataflow::executed_prefix,
    entity::VarId,
    flat::FlatStmt,
    ir::{ControlWidth, Expr, Place, Role, ScalarType, Stmt, StmtKind, Subscript, TapeClass},
    memory::restored::restored_pushes,
    typing,
};
use cfg_transform::lower::place_rank;
use std::collections::{BTreeMap, HashSet};

/// The stack of a class, as functions are named after it, and the cells that a value takes at most.
pub(super) fn stack(class: TapeClass) -> (&'static str, i64) {
    match class {
        TapeClass::Control(ControlWidth::Bits(_)) => ("control", 1),
        TapeClass::Control(ControlWidth::Count) => ("control", 2),
        TapeClass::Integer => ("integer", 1),
        TapeClass::Real => ("real", 1),
        TapeClass::Real32 => ("real32", 1),
        // Pushes into a file make room for themselves.
        TapeClass::Disk => ("disk", 0),
    }
}

/// The tape, the stack and the cells that a push of a scalar takes at most; of control bits their number.
pub(super) fn pushes(statement: &Stmt) -> Option<(VarId, &'static str, i64)> {
    let StmtKind::Push { tape, class, .. } = &statement.kind else {
        return None;
    };
    if *class == TapeClass::Disk {
        return None;
    }
    let (name, cells) = stack(*class);
    let cells = match class {
        TapeClass::Control(ControlWidth::Bits(bits)) => i64::from(*bits),
        // As many bits as an integer has at most, and six.
        TapeClass::Control(ControlWidth::Count) => 69,
        TapeClass::Integer | TapeClass::Real | TapeClass::Real32 | TapeClass::Disk => cells,
    };
    Some((*tape, name, cells))
}

impl Writer<'_> {
    /// The stack of a class, and the cells that a value takes at most.
    fn stack_of_class(&self, class: TapeClass) -> (&'static str, i64) {
        match (stack(class), self.is_checked()) {
            // A bit more says whether the value is set.
            (("control", cells), true) => ("control", cells + 1),
            (stack, _) => stack,
        }
    }

    /// The statements of a block, as far as control comes.
    pub(super) fn emit_statements(&mut self, statements: &[Stmt]) -> Emitted<()> {
        let statements = executed_prefix(statements);
        let restored = restored_pushes(self.routine, statements);
        let mut from = 0;
        while from < statements.len() {
            let run = statements[from..]
                .iter()
                .take_while(|s| !self.separates_rooms(s))
                .count();
            if from > 0 {
                self.set_place(self.place.map(|(v, _)| (v, None)));
            }
            self.make_rooms(&statements[from..from + run])?;
            let to = (from + run + 1).min(statements.len());
            let (mut k, mut otherwise) = (from, from);
            while k < to {
                self.set_place(self.place.map(|(v, _)| (v, Some(k))));
                if k == otherwise {
                    match self.assign_structure(&statements[k..to])? {
                        Begins::WithStructure(count) => {
                            k += count;
                            otherwise = k;
                            continue;
                        }
                        Begins::Otherwise(count) => otherwise = k + count,
                    }
                }
                self.emit_statement(&statements[k], restored.contains(k))?;
                k += 1;
            }
            from = to;
        }
        Ok(())
    }

    /// True of a statement behind which room for what is pushed later would not be sure.
    pub(super) fn separates_rooms(&self, statement: &Stmt) -> bool {
        match FlatStmt::view(&statement.kind) {
            FlatStmt::Call { .. } => true,
            FlatStmt::Push { value, .. } => self.rank_of(value).is_none_or(|rank| rank > 0),
            FlatStmt::Assign { .. }
            | FlatStmt::Pop { .. }
            | FlatStmt::Opaque { .. }
            | FlatStmt::Stop { .. } => false,
        }
    }

    fn rank_of(&self, e: &Expr) -> Option<usize> {
        let ty = typing::type_of(&self.routine.variables, e);
        ty.ok().map(|ty| ty.rank)
    }

    /// Makes room for all that is pushed in a row of statements.
    fn make_rooms(&mut self, statements: &[Stmt]) -> Emitted<()> {
        if self.roomy {
            return Ok(());
        }
        let mut rooms: BTreeMap<(VarId, &str), i64> = BTreeMap::new();
        for statement in statements {
            if let StmtKind::Push { tape, class, .. } = &statement.kind
                && *class != TapeClass::Disk
            {
                let (name, cells) = self.stack_of_class(*class);
                *rooms.entry((*tape, name)).or_default() += cells;
            }
        }
        for ((tape, name), cells) in rooms {
            let (tape, top) = self.tape_and_top(tape)?;
            self.make_room((tape, top), name, cells.into());
        }
        Ok(())
    }

    pub(super) fn make_room(&mut self, (tape, top): (Code, Code), name: &str, count: Code) {
        let arguments = [top.prefix(Prefix::Address), tape, count];
        let room = Code::call(
            &format!("cfgrev_room_{name}"),
            arguments,
            ScalarType::Integer,
        );
        self.out_of_memory_if(room);
    }

    /// A statement; one that pushes what was popped just before if it is `restored`.
    pub(super) fn emit_statement(&mut self, statement: &Stmt, restored: bool) -> Emitted<()> {
        self.pieces.begin_statement();
        match FlatStmt::view(&statement.kind) {
            FlatStmt::Assign { target, value } => {
                if place_rank(&self.routine.variables, target) > 0 {
                    return self.assign_array(target, value);
                }
                if self.is_checked() {
                    self.checked_assign(target, value)?;
                    let now = self.result_target(target, false)?;
                    self.mark_used(target.var, now);
                    return Ok(());
                }
                if self.unread.contains(&target.var) {
                    return Ok(());
                }
                self.check_table_entry(target)?;
                let code = self.emit_scalar(value)?;
                let code_of_target = self.result_target(target, false)?;
                self.emit_assignment(code_of_target.clone(), code, true);
                self.mark_used(target.var, code_of_target);
                Ok(())
            }
            FlatStmt::Call {
                callee,
                arguments,
                result,
            } => self.emit_call(callee, arguments, result),
            FlatStmt::Push {
                tape,
                class: TapeClass::Disk,
                value,
            } => self.push_on_disk(tape, value, restored),
            FlatStmt::Push { tape, class, value } => self.emit_push(tape, class, value),
            FlatStmt::Pop {
                tape,
                class: TapeClass::Disk,
                target,
            } => self.pop_from_disk(tape, target),
            FlatStmt::Pop {
                tape,
                class,
                target,
            } => self.emit_pop(tape, class, target),
            FlatStmt::Opaque { text, writes, .. } => {
                self.add(Statement::Comment(escape_comment(text)));
                if self.is_checked() {
                    writes.iter().try_for_each(|v| self.forget_variable(*v))?;
                }
                Ok(())
            }
            FlatStmt::Stop { text } => {
                self.stop_program(text);
                Ok(())
            }
        }
    }

    /// The function leaves, also without checks, if a table of a pool has no entry that is assigned: the pool has no
    /// room, or what is freed is not the beginning of an object. It would write elsewhere.
    fn check_table_entry(&mut self, target: &Place) -> Emitted<()> {
        if self.pool_of(target.var) != Some(Pooled::Table) {
            return Ok(());
        }
        let [Subscript::Index(entry)] = &*target.subscripts else {
            return Err(self.malformed("a table of a pool with other subscripts"));
        };
        // Those of variables that are globals, and of null, are constants.
        if entry.constant().is_some() {
            return Ok(());
        }
        let entry = self.emit_scalar(entry)?;
        let status = entry.clone().is(Infix::Eq, -1).choose(2, 4);
        self.fail_if(entry.is(Infix::Lt, 0), status);
        Ok(())
    }

    /// Notes how many cells of a pool are used, if a counter of these was assigned.
    fn mark_used(&mut self, target: VarId, now: Code) {
        if let Role::Global(g) = self.routine.variable(target).role
            && let Some((beyond, mark)) = self.file.globals.used.mark(g, now.clone())
        {
            self.add(Statement::Guard(beyond));
            self.add(mark.set(now));
        }
    }

    /// An assignment to a scalar, as an increment where the value shows it; `decrements` are written so, too.
    pub(super) fn emit_assignment(&mut self, target: Code, value: Code, decrements: bool) {
        match value.increment(&target) {
            Some((operator, operand)) if decrements || operator == Infix::AddTo => {
                self.add(target.with(operator, operand));
            }
            // Compilers warn of `x = x`.
            _ if target.nodes() == value.nodes() => {}
            _ => self.add(target.set(value)),
        }
    }

    fn emit_push(&mut self, tape: VarId, class: TapeClass, value: &Expr) -> Emitted<()> {
        let (tape, top) = self.tape_and_top(tape)?;
        if self.rank_of(value) != Some(0) {
            let (from, declared) = (self.lines.here(), self.declared);
            let view = self.array_value(value)?;
            let (name, cells) = self.stack_of_class(class);
            let size = super::array::size(&view.extents()).times(&cells.into());
            if let Expr::Place(place) = value {
                self.must_be_given(place.var);
                self.stop_on_fault();
            }
            self.make_room((tape, top.clone()), name, size.to_code());
            self.each_of_few_elements(&view, false, |writer, at| {
                let push = push(top.clone(), class, view.element(at), writer);
                writer.add(push);
                writer.stop_on_fault();
                Ok(())
            })?;
            self.release_since(from);
            self.end_block(from, declared);
            return Ok(());
        }
        let code = self.emit_scalar(value)?;
        let push = push(top, class, code, self);
        self.add(push);
        self.stop_on_fault();
        Ok(())
    }

    fn emit_pop(&mut self, tape: VarId, class: TapeClass, target: &Place) -> Emitted<()> {
        let (tape, top) = self.tape_and_top(tape)?;
        let ty = self.routine.variable(target.var).ty;
        if place_rank(&self.routine.variables, target) == 0 {
            if self.is_checked() {
                let code = self.checked_pop(tape, top, class, ty);
                return self.emit_store(target, code, None);
            }
            let target = self.result_target(target, false)?;
            self.set(&target, pop(top, class, ty));
            return Ok(());
        }
        let read = self.variables.all[target.var.index()].read;
        let view = self.emit_view(target)?;
        self.must_be_given(target.var);
        self.stop_on_fault();
        let value = match self.is_checked() {
            true => self.checked_pop(tape, top, class, ty),
            false => pop(top, class, ty),
        };
        let stop = self.stops();
        self.each_of_few_elements(&view, true, |writer, at| {
            writer.set(&view.element(at), value.clone());
            writer.lines.extend(stop.clone());
            Ok(())
        })?;
        self.only_written(target, None, read);
        Ok(())
    }

    /// Statements that keep compilers from complaining of what is declared and not read; `named` are the identifiers
    /// of the body, `read` those that stand elsewhere than as targets of assignments. Parameters that are not named
    /// are there if the function has all.
    pub(super) fn unread_statements(
        &self,
        named: &HashSet<&Name>,
        read: &HashSet<&Name>,
        has_all: bool,
        lines: &mut Lines,
    ) {
        let mut silence = |name: &Name| lines.add(silenced(name));
        for Local { name, .. } in &self.helpers {
            if named.contains(name) && !read.contains(name) {
                silence(name);
            }
        }
        for (v, variable) in self.variables.numbered() {
            if variable.member.is_some() {
                continue;
            }
            let given = Returned::given(self.routine) == Some(v);
            let parameter = self.routine.variable(v).intent().is_some() && has_all || given;
            let local = self.routine.variable(v).role == Role::Local && !given;
            let name = variable.kind.name();
            let written = local && named.contains(name) && !read.contains(name);
            if (parameter && !named.contains(name)) || written {
                silence(name);
            }
            let Kind::Array(array) = &variable.kind else {
                continue;
            };
            if let Some(view) = &array.laid_over
                && has_all
                && !named.contains(view)
            {
                silence(view);
            }
            let bounds = array.axes.iter().flat_map(|axis| {
                let bounds = [Some(&axis.extent), axis.stride.as_ref()];
                bounds.into_iter().flatten().map(move |bound| (bound, axis))
            });
            for (bound, axis) in bounds.filter(|_| parameter) {
                if let Bound::Kept(k) = bound
                    && let kept = &self.variables.bounds[*k]
                    && kept.value.is_none()
                    && (array.laid_over.is_none() || axis.stride.is_none())
                    && !named.contains(&kept.name)
                {
                    silence(&kept.name);
                }
            }
        }
    }
}

/// The statement that pushes a scalar.
pub(super) fn push(top: Code, class: TapeClass, code: Code, writer: &mut Writer<'_>) -> Code {
    if let (true, TapeClass::Control(width)) = (writer.is_checked(), class) {
        return writer.checked_push(top, width, code);
    }
    let mut bits = None;
    let (name, value) = match class {
        TapeClass::Control(ControlWidth::Bits(width)) => {
            bits = Some(i64::from(width).into());
            let fits = code.whole().is_some_and(|n| u32::try_from(n).is_ok());
            let value = if fits {
                code
            } else {
                code.cast("uint64_t", ScalarType::Integer)
            };
            ("cfgrev_push_bits", value)
        }
        TapeClass::Control(ControlWidth::Count) => ("cfgrev_push_count", code),
        TapeClass::Integer if code.ty == ScalarType::Integer => ("cfgrev_push_integer", code),
        TapeClass::Integer => (
            "cfgrev_push_integer",
            code.cast("int64_t", ScalarType::Integer),
        ),
        TapeClass::Real => {
            let code = operators::convert(code, ScalarType::Real, writer.pieces);
            ("cfgrev_push_real", code)
        }
        TapeClass::Real32 => {
            let code = operators::convert(code, ScalarType::Real32, writer.pieces);
            ("cfgrev_push_real32", code)
        }
        // `super::disk` has pushes of its own.
        TapeClass::Disk => ("cfgrev_push_disk", code),
    };
    let arguments = [top.prefix(Prefix::Address), value].into_iter().chain(bits);
    Code::call(name, arguments, ScalarType::Tape)
}

/// The value that is popped.
fn pop(top: Code, class: TapeClass, ty: ScalarType) -> Code {
    let mut bits = None;
    let name = match class {
        TapeClass::Control(ControlWidth::Bits(width)) => {
            bits = Some(i64::from(width).into());
            "cfgrev_pop_bits"
        }
        TapeClass::Control(ControlWidth::Count) => "cfgrev_pop_count",
        TapeClass::Integer => "cfgrev_pop_integer",
        TapeClass::Real => "cfgrev_pop_real",
        TapeClass::Real32 => "cfgrev_pop_real32",
        TapeClass::Disk => "cfgrev_pop_disk",
    };
    let arguments = [top.prefix(Prefix::Address)].into_iter().chain(bits);
    let popped = Code::call(name, arguments, ty);
    match class {
        TapeClass::Control(ControlWidth::Bits(_)) if ty == ScalarType::Logical => {
            popped.is(Infix::Ne, 0)
        }
        TapeClass::Control(ControlWidth::Bits(_)) => popped.cast("int64_t", ty),
        TapeClass::Integer if matches!(ty, ScalarType::Sized(_)) => {
            popped.cast(super::variable::c_type(ty), ty)
        }
        TapeClass::Control(ControlWidth::Count)
        | TapeClass::Integer
        | TapeClass::Real
        | TapeClass::Real32
        | TapeClass::Disk => popped,
    }
}
