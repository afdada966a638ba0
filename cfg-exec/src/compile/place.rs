//! Code of places: loading, storing, addresses of elements.

use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Place, ScalarType, Subscript},
};

use cfg_transform::lower::increment;

use super::Compiling;
use super::emit::{Emitter, Home, Operand, Value};
use crate::code::{Arr, Instr, Reg};

/// An element's subscripts, as far as one instruction can take them.
enum Element {
    /// An element of an array of rank 1.
    One { i: Reg, u: i8, arr: Arr },
    /// An element of an array of rank 2.
    Two {
        i: Reg,
        j: Reg,
        u: i8,
        v: i8,
        arr: Arr,
    },
    /// The address is in a register.
    Address(Reg),
}

impl Emitter<'_> {
    /// The value of a scalar place.
    pub(super) fn load(&mut self, place: &Place, dest: Option<Reg>) -> Compiling<Operand> {
        let ty = self.variable(place.var).ty;
        if let Home::Array(_) = self.home(place.var) {
            let mark = self.mark();
            let element = self.element(place)?;
            return self.value(mark, dest, ty, |d| match element {
                Element::One { i, u, arr } => Instr::Load1 { d, i, u, arr },
                Element::Two { i, j, u, v, arr } => Instr::Load2 { d, i, j, u, v, arr },
                Element::Address(p) => Instr::LoadAt { d, p },
            });
        }
        self.load_scalar(place.var, dest)
    }

    /// The value of a scalar variable.
    pub(super) fn load_scalar(&mut self, v: VarId, dest: Option<Reg>) -> Compiling<Operand> {
        let (ty, mark) = (self.variable(v).ty, self.mark());
        match self.home(v) {
            Home::Register(r) => Ok(Operand::register(r, ty)),
            Home::Frame(at) => self.value(mark, dest, ty, |d| Instr::LoadFrame { d, at }),
            Home::Address(p) => self.value(mark, dest, ty, |d| Instr::LoadAt { d, p }),
            Home::AddressFrame(at) => {
                let d = self.dest_or_temporary(dest)?;
                self.emit(Instr::LoadFrame { d, at });
                self.emit(Instr::LoadAt { d, p: d });
                Ok(Operand::register(d, ty))
            }
            Home::Global(at) => self.value(mark, dest, ty, |d| Instr::LoadGlobal { d, at }),
            Home::Array(_) => Err(self.too_large("an array is used as a scalar")),
        }
    }

    /// The register from which a value is stored into a scalar variable: the variable's own, if it has one.
    pub(super) fn register_for(&mut self, v: VarId) -> Compiling<Reg> {
        if let Home::Register(r) = self.home(v) {
            return Ok(r);
        }
        self.temporary()
    }

    /// Stores into a scalar variable.
    pub(super) fn store_scalar(&mut self, v: VarId, value: Value) -> Compiling<()> {
        if let Home::Register(d) = self.home(v) {
            self.move_to(d, value);
            return Ok(());
        }
        let mark = self.mark();
        let s = self.register_of(value)?;
        match self.home(v) {
            Home::Frame(at) => self.emit(Instr::StoreFrame { s, at }),
            Home::Address(p) => self.emit(Instr::StoreAt { p, s }),
            Home::AddressFrame(at) => {
                let p = self.temporary()?;
                self.emit(Instr::LoadFrame { d: p, at });
                self.emit(Instr::StoreAt { p, s });
            }
            Home::Global(at) => self.emit(Instr::StoreGlobal { s, at }),
            Home::Register(_) | Home::Array(_) => {
                return Err(self.too_large("an array is used as a scalar"));
            }
        }
        self.release(mark);
        Ok(())
    }

    /// Stores into a scalar variable or an element.
    pub(super) fn store(&mut self, place: &Place, value: Value) -> Compiling<()> {
        if !matches!(self.home(place.var), Home::Array(_)) {
            return self.store_scalar(place.var, value);
        }
        let mark = self.mark();
        let s = self.register_of(value)?;
        let element = self.element(place)?;
        self.emit(match element {
            Element::One { i, u, arr } => Instr::Store1 { s, i, u, arr },
            Element::Two { i, j, u, v, arr } => Instr::Store2 { s, i, j, u, v, arr },
            Element::Address(p) => Instr::StoreAt { p, s },
        });
        self.release(mark);
        Ok(())
    }

    /// `place += value` for a 64-bit real that is not in a register.
    fn increment(&mut self, place: &Place, value: Value) -> Compiling<()> {
        let mark = self.mark();
        let s = self.register_of(value)?;
        if let Home::Array(_) = self.home(place.var) {
            let element = self.element(place)?;
            self.emit(match element {
                Element::One { i, u, arr } => Instr::Inc1 { s, i, u, arr },
                Element::Two { i, j, u, v, arr } => Instr::Inc2 { s, i, j, u, v, arr },
                Element::Address(p) => Instr::IncAt { p, s },
            });
        } else {
            let p = self.address(place)?;
            self.emit(Instr::IncAt { p, s });
        }
        self.release(mark);
        Ok(())
    }

    /// A scalar assignment.
    pub(super) fn assign_scalar(&mut self, target: &Place, value: &Expr) -> Compiling<()> {
        let ty = self.variable(target.var).ty;
        if let Home::Register(d) = self.home(target.var) {
            return self.expr_into(value, d, ty);
        }
        // The address of the target is computed once.
        let is_target = |e: &Expr| matches!(e, Expr::Place(place) if place == target);
        if ty == ScalarType::Real
            && !self.options.events
            && let Some((rest, negative)) = increment(value, is_target)
        {
            if !negative && self.increment_strong(target, rest)? {
                return Ok(());
            }
            let x = self.expr(rest, None)?;
            let x = self.convert(x, ty, None)?;
            let value = if negative {
                let a = self.register_of(x.value)?;
                let d = self.temporary()?;
                self.emit(Instr::NegF { d, a });
                Value::Register(d)
            } else {
                x.value
            };
            return self.increment(target, value);
        }
        let x = self.expr(value, None)?;
        let x = self.convert(x, ty, None)?;
        self.store(target, x.value)
    }

    /// Emits `element += strong product` as one instruction; false if the statement has another form.
    fn increment_strong(&mut self, target: &Place, e: &Expr) -> Compiling<bool> {
        let Expr::Op(Op::StrongMul, operands) = e else {
            return Ok(false);
        };
        let ([x, y], Home::Array(_)) = (&**operands, self.home(target.var)) else {
            return Ok(false);
        };
        for e in [x, y] {
            if self.type_of(e)?.ty != ScalarType::Real {
                return Ok(false);
            }
        }
        let mark = self.mark();
        let (a, _) = self.expr_register(x)?;
        let (b, _) = self.expr_register(y)?;
        let element = self.element(target)?;
        match element {
            Element::One { i, u, arr } => self.emit(Instr::IncStrong1 { a, b, i, u, arr }),
            Element::Two {
                i,
                j,
                u: 0,
                v: 0,
                arr,
            } => self.emit(Instr::IncStrong2 { a, b, i, j, arr }),
            Element::Two { i, j, u, v, arr } => {
                let s = self.temporary()?;
                self.emit(Instr::StrongMul { d: s, a, b });
                self.emit(Instr::Inc2 { s, i, j, u, v, arr });
            }
            Element::Address(p) => {
                let s = self.temporary()?;
                self.emit(Instr::StrongMul { d: s, a, b });
                self.emit(Instr::IncAt { p, s });
            }
        }
        self.release(mark);
        Ok(true)
    }

    /// A register with an integer expression and a constant to add to it.
    fn subscript(&mut self, e: &Expr) -> Compiling<(Reg, i8)> {
        if let Expr::Op(op @ (Op::Add | Op::Sub), operands) = e {
            let (base, offset) = match (op, &**operands) {
                (Op::Add, [base, Expr::Int(k)] | [Expr::Int(k), base]) => (Some(base), *k),
                (Op::Sub, [base, Expr::Int(k)]) => (Some(base), k.saturating_neg()),
                _ => (None, 0),
            };
            if let (Some(base), Ok(offset)) = (base, i8::try_from(offset))
                && !matches!(base, Expr::Int(_))
            {
                return Ok((self.expr_register(base)?.0, offset));
            }
        }
        Ok((self.expr_register(e)?.0, 0))
    }

    /// The subscripts of an element.
    fn element(&mut self, place: &Place) -> Compiling<Element> {
        let arr = self.array_of(place.var)?;
        let subscripts: Option<Vec<&Expr>> =
            place.subscripts.iter().map(Subscript::index).collect();
        let subscripts = match subscripts {
            Some(s) if !s.is_empty() => s,
            _ => return Err(self.too_large("an array is used as a scalar")),
        };
        match *subscripts {
            [e] => {
                let (i, u) = self.subscript(e)?;
                Ok(Element::One { i, u, arr })
            }
            [e, f] => {
                let (i, u) = self.subscript(e)?;
                let (j, v) = self.subscript(f)?;
                Ok(Element::Two { i, j, u, v, arr })
            }
            _ => {
                let d = self.temporary()?;
                self.emit(Instr::Base { d, arr });
                for (axis, e) in subscripts.into_iter().enumerate() {
                    let mark = self.mark();
                    let (i, _) = self.expr_register(e)?;
                    let axis = axis as u8;
                    self.emit(Instr::AddrAxis { d, i, axis, arr });
                    self.release(mark);
                }
                Ok(Element::Address(d))
            }
        }
    }

    /// A register with the address of a scalar place that is not in a register.
    pub(super) fn address(&mut self, place: &Place) -> Compiling<Reg> {
        match self.home(place.var) {
            Home::Array(_) => {
                let mark = self.mark();
                let element = self.element(place)?;
                if let Element::Address(p) = element {
                    return Ok(p);
                }
                self.release(mark);
                let d = self.temporary()?;
                self.emit(match element {
                    Element::One { i, u, arr } => Instr::Addr1 { d, i, u, arr },
                    Element::Two { i, j, u, v, arr } => Instr::Addr2 { d, i, j, u, v, arr },
                    Element::Address(a) => Instr::Mov { d, a },
                });
                Ok(d)
            }
            Home::Address(p) => Ok(p),
            Home::AddressFrame(at) => {
                let d = self.temporary()?;
                self.emit(Instr::LoadFrame { d, at });
                Ok(d)
            }
            Home::Frame(at) => {
                let d = self.temporary()?;
                self.emit(Instr::FrameAddr { d, at });
                Ok(d)
            }
            Home::Global(at) => {
                let d = self.temporary()?;
                self.set_constant(d, at.into());
                Ok(d)
            }
            Home::Register(a) => {
                // A parameter that lives in a register still has its cell.
                match self.copied().iter().find(|c| c.0 == place.var) {
                    Some(&(_, at, _)) => {
                        let d = self.temporary()?;
                        self.emit(Instr::LoadFrame { d, at });
                        Ok(d)
                    }
                    None => Err(self.too_large(&format!("register {a} has no address"))),
                }
            }
        }
    }
}
