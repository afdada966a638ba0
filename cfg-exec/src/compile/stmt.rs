//! Code of statements.

use cfg_core::{
    entity::{RoutineId, VarId},
    flat::{FlatStmt, FlatType},
    ir::{ControlWidth, Expr, NameRole, Place, Routine, ScalarType, Stmt, TapeClass},
    memory::overlaps::{Other, TooMany},
};
use cfg_transform::lower::{Argument, BoundCall, Call, SharedCells, Target, place_rank};

use super::{
    Compiling,
    emit::{Emitter, Value},
};
use crate::{
    code::{CallInfo, Ext, Extent, Instr, MayOverlap, Passed, StackClass, View},
    fault::Party,
};

/// The stack and encoding of a value of this type.
fn stack_class(class: TapeClass, ty: ScalarType) -> StackClass {
    match class {
        TapeClass::Control(_) if ty == ScalarType::Logical => StackClass::Logical,
        TapeClass::Control(ControlWidth::Bits(bits)) => StackClass::Bits(bits),
        TapeClass::Control(ControlWidth::Count) => StackClass::Count,
        TapeClass::Integer => match FlatType::view(ty) {
            FlatType::Sized(ty) => StackClass::Sized(ty),
            FlatType::Integer
            | FlatType::Real
            | FlatType::Real32
            | FlatType::Logical
            | FlatType::Tape => StackClass::Integer,
        },
        TapeClass::Real => StackClass::Real,
        TapeClass::Real32 => StackClass::Real32,
        TapeClass::Disk => StackClass::Disk,
    }
}

impl Emitter<'_> {
    /// Code of a statement; one that pushes what was popped just before if it is `restored`.
    pub(super) fn statement(&mut self, statement: &Stmt, restored: bool) -> Compiling<()> {
        self.begin_statement();
        match FlatStmt::view(&statement.kind) {
            FlatStmt::Assign { target, value } => {
                if place_rank(&self.routine.variables, target) == 0 {
                    self.assign_scalar(target, value)?;
                } else {
                    self.assign_array(target, value)?;
                }
            }
            FlatStmt::Call {
                callee,
                arguments,
                result,
            } => self.call(callee, arguments, result)?,
            FlatStmt::Push { tape, class, value } => self.push(tape, class, value, restored)?,
            FlatStmt::Pop {
                tape,
                class,
                target,
            } => self.pop(tape, class, target)?,
            FlatStmt::Opaque { writes, .. } => {
                for &v in writes {
                    self.forget(v)?;
                }
            }
            FlatStmt::Stop { text } => self.emit_ext(Ext::Stop { text: text.into() }),
        }
        self.end_statement();
        Ok(())
    }

    fn push(
        &mut self,
        tape: VarId,
        class: TapeClass,
        value: &Expr,
        restored: bool,
    ) -> Compiling<()> {
        let handle = self.load_scalar(tape, None)?;
        let h = self.register_of(handle.value)?;
        let ty = self.type_of(value)?;
        let class = stack_class(class, ty.ty);
        if ty.rank > 0 {
            let of = self.array(value)?;
            self.emit_ext(match class == StackClass::Disk && restored {
                true => Ext::KeepOnDisk { h, of: Some(of) },
                false => Ext::PushArray { h, class, of },
            });
            return Ok(());
        }
        let (s, _) = self.expr_register(value)?;
        if let Expr::Place(place) = value {
            self.count_snapshot(place.var, true);
        }
        self.emit(match class {
            StackClass::Disk => {
                self.emit_ext(match restored {
                    true => Ext::KeepOnDisk { h, of: None },
                    false => Ext::PushDisk { h, s, ty: ty.ty },
                });
                return Ok(());
            }
            StackClass::Real => Instr::PushReal { h, s },
            StackClass::Real32 => Instr::PushReal32 { h, s },
            StackClass::Integer | StackClass::Sized(_) => Instr::PushInt { h, s },
            StackClass::Logical => Instr::PushLogical { h, s },
            StackClass::Bits(bits) => Instr::PushBits { h, s, bits },
            StackClass::Count => Instr::PushCount { h, s },
        });
        Ok(())
    }

    fn pop(&mut self, tape: VarId, class: TapeClass, target: &Place) -> Compiling<()> {
        let handle = self.load_scalar(tape, None)?;
        let h = self.register_of(handle.value)?;
        let class = stack_class(class, self.variable(target.var).ty);
        if place_rank(&self.routine.variables, target) > 0 {
            let to = self.view(target)?;
            self.emit_ext(Ext::PopArray { h, class, to });
            return Ok(());
        }
        let d = self.register_for(target.var)?;
        self.count_snapshot(target.var, false);
        self.emit(match class {
            StackClass::Disk => {
                let ty = self.variable(target.var).ty;
                self.emit_ext(Ext::PopDisk { h, d, ty });
                return self.store(target, Value::Register(d));
            }
            StackClass::Real => Instr::PopReal { h, d },
            StackClass::Real32 => Instr::PopReal32 { h, d },
            StackClass::Integer | StackClass::Sized(_) => Instr::PopInt { h, d },
            StackClass::Logical => Instr::PopLogical { h, d },
            StackClass::Bits(bits) => Instr::PopBits { h, d, bits },
            StackClass::Count => Instr::PopCount { h, d },
        });
        if let StackClass::Sized(ty) = class {
            self.emit(Instr::Fit { ty, d });
        }
        self.store(target, Value::Register(d))
    }

    /// Counts a snapshot on the tape, or one less, where the number of its step is pushed or popped.
    fn count_snapshot(&mut self, v: VarId, is_kept: bool) {
        let origin = self.routine.variable(v).origin.as_ref();
        if origin.is_some_and(|origin| origin.role == NameRole::SnapshotStep) {
            self.emit_ext(Ext::Snapshot { is_kept });
        }
    }

    fn call(
        &mut self,
        callee: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<&Place>,
    ) -> Compiling<()> {
        let call = BoundCall::bind(&Call {
            program: self.program,
            effects: &self.conventions.effects,
            caller: (self.routine, &self.locations),
            callee,
            arguments,
            result,
        });
        let mut passed = Vec::with_capacity(arguments.len());
        for argument in &call.arguments {
            passed.push(self.argument(argument)?);
        }
        let Ok(shared) = &call.shared else {
            return Err(self.too_large(TooMany::MESSAGE));
        };
        let overlaps = self.overlaps(shared, &call.arguments, &passed)?;
        let routine = self.program.routine(callee);
        let array_result = routine
            .result
            .is_some_and(|v| routine.variable(v).rank() > 0);
        let (mut element, mut array) = (None, None);
        match call.result {
            Some(Target::Element(place)) => element = Some(self.address(place)?),
            Some(Target::Array(place)) => array = Some((place, self.view(place)?)),
            Some(Target::Scalar(_)) | None => {}
        }
        let d = match call.result {
            Some(Target::Scalar(v)) => Some(self.register_for(v)?),
            Some(_) if !array_result => Some(self.temporary()?),
            Some(_) | None => None,
        };
        self.emit_ext(Ext::Call(Box::new(CallInfo {
            callee,
            is_step: self.is_step(routine),
            arguments: passed.into(),
            overlaps: overlaps.into(),
            result: d,
        })));
        match (array, element, d) {
            (Some((place, to)), _, None) => self.returned(place, to)?,
            (Some((_, to)), _, Some(s)) => self.emit_ext(Ext::Fill { to, s }),
            (None, Some(p), Some(s)) => self.emit(Instr::StoreAt { p, s }),
            (None, None, Some(d)) => {
                if let Some(Target::Scalar(v)) = call.result {
                    self.store_scalar(v, Value::Register(d))?;
                }
            }
            (None, ..) => {}
        }
        Ok(())
    }

    /// True if the sweep of a part that runs again calls the part itself, or counts its record.
    fn is_step(&self, callee: &Routine) -> bool {
        let role = |routine: &Routine| routine.origin.as_ref().map(|origin| origin.role.clone());
        let keeps = [NameRole::KeptForward, NameRole::KeptReverse];
        let mut parameters = callee.parameter_ids();
        role(self.routine).is_some_and(|role| keeps.contains(&role))
            && role(callee) != Some(NameRole::Schedule)
            && !parameters.any(|v| callee.variable(v).ty == ScalarType::Tape)
    }

    /// Copies an array result from where the callee left it, behind the end of memory.
    fn returned(&mut self, place: &Place, to: View) -> Compiling<()> {
        self.will_release();
        let from = self.temporary_array(to.rank.into())?;
        self.emit_ext(Ext::Returned {
            to: View { arr: from, ..to },
        });
        if self.is_allocatable(place) {
            self.emit_ext(Ext::Reallocate { to, like: from });
        }
        self.emit_ext(Ext::Copy { to, from });
        Ok(())
    }

    fn argument(&mut self, argument: &Argument<'_>) -> Compiling<Passed> {
        Ok(match *argument {
            Argument::Absent => Passed::Absent,
            Argument::Tape(v) => {
                let x = self.load_scalar(v, None)?;
                Passed::Cell(self.register_of(x.value)?)
            }
            Argument::Value(e) => Passed::Cell(self.expr_register(e)?.0),
            Argument::Cell(place) => Passed::Cell(self.address(place)?),
            Argument::Temporary(e) => {
                let (s, _) = self.expr_register(e)?;
                let at = self.code.frame.len() as u32;
                self.code.frame.push(0);
                self.emit(Instr::StoreFrame { s, at });
                let d = self.temporary()?;
                self.emit(Instr::FrameAddr { d, at });
                Passed::Cell(d)
            }
            Argument::Array(e) => Passed::Array(self.array(e)?),
            Argument::Rest(place) => {
                let address = self.address(place)?;
                let count = self.temporary()?;
                let (d, of) = (count, self.whole_array(place.var)?);
                self.emit_ext(Ext::CellsFrom { d, address, of });
                Passed::From { address, count }
            }
        })
    }

    /// The pairs of arguments to compare: they may share cells, and one of them is written.
    fn overlaps(
        &mut self,
        shared: &SharedCells,
        arguments: &[Argument<'_>],
        passed: &[Passed],
    ) -> Compiling<Vec<MayOverlap>> {
        let mut parties = Vec::with_capacity(shared.parties.len());
        for &party in &shared.parties {
            parties.push(match party {
                Other::Argument(k) => {
                    let extent = match (passed[k], &arguments[k]) {
                        (Passed::Array(of), _) => Extent::Array(of),
                        (Passed::From { address, count }, _) => Extent::From { address, count },
                        // The argument is passed by value: its address is computed for the test only.
                        (_, Argument::Value(Expr::Place(place))) => {
                            Extent::Cell(self.address(place)?)
                        }
                        (Passed::Cell(address), _) => Extent::Cell(address),
                        (Passed::Absent, _) => {
                            return Err(self.too_large("an absent argument is compared"));
                        }
                    };
                    (Party::Argument(k), extent)
                }
                Other::Global(g) => {
                    let axes = self.globals.axes[g.index()].iter();
                    let address = self.globals.address(g).into();
                    let count = axes.map(|a| a.extent).product();
                    let name = self.program.global(g).variable.name.as_str().into();
                    (Party::Global(name), Extent::Fixed { address, count })
                }
            });
        }
        let tests = shared.pairs.iter().map(|pair| {
            let second = &parties[pair.second];
            let (Party::Argument(k), extent) = &parties[pair.first] else {
                return Err(self.too_large("what is compared first is no argument"));
            };
            Ok(MayOverlap {
                first: (*k, *extent),
                second: second.clone(),
                on_entry: pair.on_entry,
            })
        });
        tests.collect()
    }
}
