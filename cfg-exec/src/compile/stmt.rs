//! Code of statements.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{ControlWidth, Expr, Place, ScalarType, Stmt, StmtKind, TapeClass},
    memory::overlaps::{self, Other, Pair, TooMany},
};

use super::{
    Compiling,
    abi::Pass,
    array::View,
    emit::{Emitter, Home, Value},
};
use crate::{
    code::{CallInfo, Ext, Extent, Instr, MayOverlap, Passed, Reg, StackClass},
    fault::Party,
};

/// The stack and encoding of a value of this type.
fn stack_class(class: TapeClass, ty: ScalarType) -> StackClass {
    match class {
        TapeClass::Control(_) if ty == ScalarType::Logical => StackClass::Logical,
        TapeClass::Control(ControlWidth::Bits(bits)) => StackClass::Bits(bits),
        TapeClass::Control(ControlWidth::Count) => StackClass::Count,
        TapeClass::Integer => match ty {
            ScalarType::Sized(ty) => StackClass::Sized(ty),
            ScalarType::Integer
            | ScalarType::Real
            | ScalarType::Real32
            | ScalarType::Logical
            | ScalarType::Tape
            | ScalarType::Record(_)
            | ScalarType::Pointer(_) => StackClass::Integer,
        },
        TapeClass::Real => StackClass::Real,
        TapeClass::Real32 => StackClass::Real32,
    }
}

/// The place of the result of a function.
#[derive(Clone, Copy)]
enum Target<'e> {
    Scalar(VarId),
    Cell(Reg),
    Array(&'e Place, View),
}

impl Emitter<'_> {
    pub(super) fn statement(&mut self, statement: &Stmt) -> Compiling<()> {
        self.begin_statement();
        match &statement.kind {
            StmtKind::Assign { target, value } => {
                if self.rank(target) == 0 {
                    self.assign_scalar(target, value)?;
                } else {
                    self.assign_array(target, value)?;
                }
            }
            StmtKind::Call {
                callee,
                arguments,
                result,
            } => self.call(*callee, arguments, result.as_ref())?,
            StmtKind::Push { tape, class, value } => self.push(*tape, *class, value)?,
            StmtKind::Pop {
                tape,
                class,
                target,
            } => self.pop(*tape, *class, target)?,
            StmtKind::Opaque { writes, .. } => {
                for &v in writes {
                    self.forget(v)?;
                }
            }
            StmtKind::Stop { text } => self.ext(Ext::Stop { text: text.clone() }),
            // Programs with pointers are refused before.
            StmtKind::Allocate { .. } | StmtKind::Free { .. } | StmtKind::Resize { .. } => {
                return Err(self.too_large("a pointer"));
            }
        }
        self.end_statement();
        Ok(())
    }

    /// Number of dimensions of a place.
    fn rank(&self, place: &Place) -> usize {
        if place.subscripts.is_empty() {
            self.variable(place.var).rank()
        } else if place.is_element() {
            0
        } else {
            1
        }
    }

    fn push(&mut self, tape: VarId, class: TapeClass, value: &Expr) -> Compiling<()> {
        let handle = self.load_scalar(tape, None)?;
        let h = self.register_of(handle.value)?;
        let ty = self.type_of(value)?;
        let class = stack_class(class, ty.ty);
        if ty.rank > 0 {
            let of = self.array(value)?;
            self.ext(Ext::PushArray {
                h,
                class,
                arr: of.arr,
                rank: of.rank,
                order: of.order,
            });
            return Ok(());
        }
        let (s, _) = self.expr_register(value)?;
        self.emit(match class {
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
        if self.rank(target) > 0 {
            let to = self.view(target)?;
            self.ext(Ext::PopArray {
                h,
                class,
                arr: to.arr,
                rank: to.rank,
                order: to.order,
            });
            return Ok(());
        }
        let d = match self.home(target.var) {
            Home::Register(r) => r,
            Home::Frame(_)
            | Home::Address(_)
            | Home::AddressFrame(_)
            | Home::Global(_)
            | Home::Array(_) => self.temporary()?,
        };
        self.emit(match class {
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

    fn call(
        &mut self,
        callee: RoutineId,
        arguments: &[Option<Expr>],
        result: Option<&Place>,
    ) -> Compiling<()> {
        let routine = self.program.routine(callee);
        let passes = &self.abis[callee.index()].passes;
        let mut passed = Vec::with_capacity(arguments.len());
        for ((p, &pass), actual) in routine.parameter_ids().zip(passes).zip(arguments) {
            passed.push(match actual {
                None => Passed::Absent,
                Some(e) => self.argument(pass, e, routine.variable(p).ty)?,
            });
        }
        let overlaps = self.overlaps(callee, arguments, &passed)?;
        let array_result = routine
            .result
            .is_some_and(|v| routine.variable(v).rank() > 0);
        // Subscripts of the target are evaluated before the call, which may change what they read.
        let target = match result {
            Some(place) if self.rank(place) > 0 => Some(Target::Array(place, self.view(place)?)),
            Some(place) if place.is_element() => Some(Target::Cell(self.address(place)?)),
            Some(place) => Some(Target::Scalar(place.var)),
            None => None,
        };
        let d = match target {
            None => None,
            Some(_) if array_result => None,
            Some(Target::Scalar(v)) => Some(match self.home(v) {
                Home::Register(r) => r,
                Home::Frame(_)
                | Home::Address(_)
                | Home::AddressFrame(_)
                | Home::Global(_)
                | Home::Array(_) => self.temporary()?,
            }),
            Some(Target::Cell(_) | Target::Array(..)) => Some(self.temporary()?),
        };
        self.ext(Ext::Call(Box::new(CallInfo {
            callee,
            arguments: passed.into(),
            overlaps: overlaps.into(),
            result: d,
        })));
        match (target, d) {
            (Some(Target::Scalar(v)), Some(d)) => self.store_scalar(v, Value::Register(d))?,
            (Some(Target::Cell(p)), Some(s)) => self.emit(Instr::StoreAt { p, s }),
            (Some(Target::Array(_, to)), Some(s)) => self.ext(Ext::Fill {
                arr: to.arr,
                rank: to.rank,
                s,
            }),
            (Some(Target::Array(place, to)), None) => self.returned(place, to)?,
            (Some(Target::Scalar(_) | Target::Cell(_)) | None, _) => {}
        }
        Ok(())
    }

    /// Copies an array result from where the callee left it, behind the end of memory.
    fn returned(&mut self, place: &Place, to: View) -> Compiling<()> {
        self.will_release();
        let from = self.temporary_array(to.rank.into())?;
        self.ext(Ext::Returned {
            d: from,
            rank: to.rank,
        });
        if self.is_allocatable(place) {
            self.ext(Ext::Reallocate {
                d: to.arr,
                like: from,
                rank: to.rank,
                order: to.order,
                ty: to.ty,
            });
        }
        self.ext(Ext::Copy {
            d: to.arr,
            s: from,
            rank: to.rank,
        });
        Ok(())
    }

    fn argument(&mut self, pass: Pass, e: &Expr, ty: ScalarType) -> Compiling<Passed> {
        match (pass, e) {
            (Pass::Value | Pass::Tape, e) => {
                let x = self.expr(e, None)?;
                let x = self.convert(x, ty, None)?;
                Ok(Passed::Cell(self.register_of(x.value)?))
            }
            (Pass::Address | Pass::Copied, Expr::Place(place)) => {
                Ok(Passed::Cell(self.address(place)?))
            }
            (Pass::Address | Pass::Copied, e) => Ok(Passed::Cell(self.spill(e, ty)?)),
            (Pass::Array, e) => {
                if self.type_of(e)?.rank > 0 {
                    let of = self.array(e)?;
                    return Ok(Passed::Array {
                        arr: of.arr,
                        rank: of.rank,
                        order: of.order,
                    });
                }
                if let Expr::Place(place) = e {
                    let address = self.address(place)?;
                    let variable = self.variable(place.var);
                    if place.subscripts.is_empty() {
                        let count = self.constant(1)?;
                        return Ok(Passed::From { address, count });
                    }
                    let count = self.temporary()?;
                    self.ext(Ext::CellsFrom {
                        d: count,
                        address,
                        arr: self.array_of(place.var)?,
                        rank: variable.rank() as u8,
                        order: variable.order,
                    });
                    return Ok(Passed::From { address, count });
                }
                let address = self.spill(e, ty)?;
                let count = self.constant(1)?;
                Ok(Passed::From { address, count })
            }
        }
    }

    /// The address of a cell of the frame that holds the value of an expression.
    fn spill(&mut self, e: &Expr, ty: ScalarType) -> Compiling<Reg> {
        let x = self.expr(e, None)?;
        let x = self.convert(x, ty, None)?;
        let s = self.register_of(x.value)?;
        let at = self.code.frame.len() as u32;
        self.code.frame.push(0);
        self.emit(Instr::StoreFrame { s, at });
        let d = self.temporary()?;
        self.emit(Instr::FrameAddr { d, at });
        Ok(d)
    }

    /// The comparisons of arguments that may share cells of which one is written.
    fn overlaps(
        &mut self,
        callee: RoutineId,
        arguments: &[Option<Expr>],
        passed: &[Passed],
    ) -> Compiling<Vec<MayOverlap>> {
        let called = (self.routine, &self.locations);
        let pairs = overlaps::of_call(self.program, self.effects, called, callee, arguments);
        let pairs = pairs.map_err(|TooMany| self.too_large(TooMany::MESSAGE))?;
        let mut extents = vec![None; arguments.len()];
        let mut tests = Vec::new();
        for Pair { argument, other } in pairs {
            let Some(first) = self.argument_extent(argument, arguments, passed, &mut extents)?
            else {
                continue;
            };
            let second = match other {
                Other::Argument(k) => {
                    let found = self.argument_extent(k, arguments, passed, &mut extents)?;
                    found.map(|extent| (Party::Argument(k), extent))
                }
                Other::Global(g) => {
                    let axes = self.globals.axes[g.index()].iter();
                    let address = self.globals.address(g).into();
                    let count = axes.map(|a| a.extent).product();
                    let name = self.program.global(g).variable.name.as_str().into();
                    Some((Party::Global(name), Extent::Fixed { address, count }))
                }
            };
            tests.extend(second.map(|second| MayOverlap {
                first: (argument, first),
                second,
            }));
        }
        Ok(tests)
    }

    /// The cells of the argument at this position, if it is a place that has some; computed once.
    fn argument_extent(
        &mut self,
        k: usize,
        arguments: &[Option<Expr>],
        passed: &[Passed],
        extents: &mut [Option<Extent>],
    ) -> Compiling<Option<Extent>> {
        match &arguments[k] {
            Some(Expr::Place(place)) => self.extent(k, place, passed, extents),
            Some(_) | None => Ok(None),
        }
    }

    /// The cells of an argument; computed once.
    fn extent(
        &mut self,
        k: usize,
        place: &Place,
        passed: &[Passed],
        extents: &mut [Option<Extent>],
    ) -> Compiling<Option<Extent>> {
        if extents[k].is_none() {
            extents[k] = match passed[k] {
                Passed::Array { arr, rank, .. } => Some(Extent::Array { arr, rank }),
                Passed::From { address, count } => Some(Extent::From { address, count }),
                // By value: its cell is looked up for the test only.
                Passed::Cell(_) if matches!(self.home(place.var), Home::Register(_)) => None,
                Passed::Cell(_) => Some(Extent::Cell(self.address(place)?)),
                Passed::Absent => None,
            };
        }
        Ok(extents[k])
    }
}
