//! Pushes and pops of values that lie in a file: blocks, each with a checksum.

use super::{
    Emitted,
    amount::Amount,
    array::{View, size},
    faults::{CHECKSUM, DISK},
    lines::Statement,
    operators::{self, Code, Infix, Piece},
    variable::c_type,
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    flat::FlatType,
    ir::{Expr, Place, ScalarType},
    typing,
};
use cfg_transform::lower::place_rank;

/// The name of a type in those of functions, and its number in checksums.
fn kind(ty: ScalarType) -> (&'static str, i64) {
    match FlatType::view(ty) {
        FlatType::Real | FlatType::Tape => ("real", 1),
        FlatType::Real32 => ("real32", 2),
        FlatType::Integer => ("integer", 3),
        FlatType::Logical => ("integer", 4),
        FlatType::Sized(ty) => ("integer", 5 + ty as i64),
    }
}

/// The statement that adds a value to a block.
fn put(tape: Code, code: Code) -> Code {
    let name = format!("cfgrev_disk_put_{}", kind(code.ty).0);
    let value = match FlatType::view(code.ty) {
        FlatType::Logical | FlatType::Sized(_) => code.cast("int64_t", ScalarType::Integer),
        FlatType::Real | FlatType::Real32 | FlatType::Integer | FlatType::Tape => code,
    };
    Code::call(&name, [tape, value], ScalarType::Tape)
}

/// The next value of a block.
fn get(tape: Code, ty: ScalarType, is_checked: bool) -> Code {
    let name = format!("cfgrev_disk_get_{}", kind(ty).0);
    let value = Code::call(&name, [tape], ty);
    match FlatType::view(ty) {
        FlatType::Logical if is_checked => value.cast("cfgrev_logical", ty),
        FlatType::Logical => value.is(Infix::Ne, 0),
        FlatType::Sized(_) if !is_checked => value.cast(c_type(ty), ty),
        FlatType::Sized(_)
        | FlatType::Real
        | FlatType::Real32
        | FlatType::Integer
        | FlatType::Tape => value,
    }
}

impl Writer<'_> {
    /// A push; nothing needs to be written of a value that was popped just before if it is `restored`.
    pub(super) fn push_on_disk(
        &mut self,
        tape: VarId,
        value: &Expr,
        restored: bool,
    ) -> Emitted<()> {
        self.pieces.require(Piece::Disk);
        let (tape, _) = self.tape_and_top(tape)?;
        let ty = typing::type_of(&self.routine.variables, value)
            .map_err(|_| self.malformed("a value without a type is pushed"))?;
        if ty.rank == 0 {
            if restored {
                self.keep_on_disk(tape, 1.into());
                return Ok(());
            }
            let code = self.emit_scalar(value)?;
            let code = operators::convert(code, ty.ty, self.pieces);
            self.begin_on_disk(&tape, ty.ty, 1.into());
            self.add(put(tape.clone(), code));
            self.stop_on_fault();
            self.end_on_disk(tape);
            return Ok(());
        }
        let (from, declared) = (self.lines.here(), self.declared);
        let view = self.array_value(value)?;
        if let Expr::Place(place) = value {
            self.must_be_given(place.var);
            self.stop_on_fault();
        }
        let count = size(&view.extents());
        match restored {
            true => self.keep_on_disk(tape, count),
            false => {
                self.begin_on_disk(&tape, ty.ty, count.clone());
                match is_run(&view) {
                    true => {
                        let cells = [tape.clone(), view.first(), count.to_code()];
                        let name = "cfgrev_disk_put_reals";
                        self.add(Code::call(name, cells, ScalarType::Tape));
                    }
                    false => self.each_of_few_elements(&view, false, |writer, at| {
                        writer.add(put(tape.clone(), view.element(at)));
                        Ok(())
                    })?,
                }
                self.end_on_disk(tape);
            }
        }
        self.release_since(from);
        self.end_block(from, declared);
        Ok(())
    }

    /// A pop.
    pub(super) fn pop_from_disk(&mut self, tape: VarId, target: &Place) -> Emitted<()> {
        self.pieces.require(Piece::Disk);
        let (tape, _) = self.tape_and_top(tape)?;
        let ty = self.routine.variable(target.var).ty;
        let is_checked = self.is_checked();
        let value = get(tape.clone(), ty, is_checked);
        if place_rank(&self.routine.variables, target) == 0 {
            self.open_on_disk(&tape, ty, 1.into());
            match is_checked {
                true => self.emit_store(target, value, None)?,
                false => {
                    let target = self.result_target(target, false)?;
                    self.set(&target, value);
                }
            }
            self.check_on_disk(tape, 1.into());
            return Ok(());
        }
        let read = self.variables.all[target.var.index()].read;
        let view = self.emit_view(target)?;
        self.must_be_given(target.var);
        self.stop_on_fault();
        let count = size(&view.extents());
        self.open_on_disk(&tape, ty, count.clone());
        match is_run(&view) {
            true => {
                let cells = [tape.clone(), view.first(), count.to_code()];
                let name = "cfgrev_disk_get_reals";
                self.add(Code::call(name, cells, ScalarType::Tape));
            }
            false => self.each_of_few_elements(&view, false, |writer, at| {
                writer.set(&view.element(at), value.clone());
                Ok(())
            })?,
        }
        self.only_written(target, None, read);
        self.check_on_disk(tape, count);
        Ok(())
    }

    fn begin_on_disk(&mut self, tape: &Code, ty: ScalarType, count: Amount) {
        let arguments = [tape.clone(), kind(ty).1.into(), count.to_code()];
        let failed = Code::call("cfgrev_disk_begin", arguments, ScalarType::Integer);
        self.out_of_memory_if(failed);
    }

    fn end_on_disk(&mut self, tape: Code) {
        let failed = Code::call("cfgrev_disk_end", [tape.clone()], ScalarType::Integer);
        self.fail_on_disk(failed, tape);
    }

    fn open_on_disk(&mut self, tape: &Code, ty: ScalarType, count: Amount) {
        let arguments = [tape.clone(), kind(ty).1.into(), count.to_code()];
        let failed = Code::call("cfgrev_disk_open", arguments, ScalarType::Integer);
        self.fail_on_disk(failed, tape.clone());
    }

    fn check_on_disk(&mut self, tape: Code, count: Amount) {
        let arguments = [tape.clone(), count.to_code()];
        let failed = Code::call("cfgrev_disk_check", arguments, ScalarType::Integer);
        self.fail_on_disk(failed, tape);
    }

    fn keep_on_disk(&mut self, tape: Code, count: Amount) {
        let arguments = [tape, count.to_code()];
        self.add(Code::call("cfgrev_disk_keep", arguments, ScalarType::Tape));
    }

    /// The function leaves with the status and the message of what has failed.
    fn fail_on_disk(&mut self, failed: Code, tape: Code) {
        let memory = self.work_parameter();
        let status = Code::call("cfgrev_disk_status", [tape, memory], ScalarType::Integer);
        if !self.is_checked() {
            return self.fail_if(failed, status);
        }
        self.made.can_fail = true;
        self.add(Statement::If(failed));
        self.add(Statement::If(status.is(Infix::Eq, 1)));
        self.leave_function(DISK);
        self.lines.close_block();
        self.leave_function(CHECKSUM);
        self.lines.close_block();
    }
}

/// True of reals that follow each other.
fn is_run(view: &View) -> bool {
    view.dense && view.ty == ScalarType::Real
}
