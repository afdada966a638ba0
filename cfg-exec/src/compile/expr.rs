//! Code of scalar expressions.

use cfg_core::{
    elemental::{Math, apply},
    entity::VarId,
    flat::{Constant, FlatClass, FlatExpr, FlatType},
    ir::{AnyInt, Conversion, Expr, IntType, Op, ScalarType},
    typing::{self, Type},
};

use super::Compiling;
use super::emit::{Emitter, Home, Lane, Operand, Value};
use crate::{
    cell::{is_poison, real, round32},
    code::{Cmp, Ext, Instr, Reg, Target, View},
    machine::MathTable,
    value::{cell_of, scalar_of},
};

impl Emitter<'_> {
    /// The type of an expression of this routine.
    pub(super) fn type_of(&self, e: &Expr) -> Compiling<Type> {
        typing::type_of(&self.scope, e).map_err(|mismatch| self.too_large(&mismatch.message))
    }

    /// Compiles a scalar expression. The result is in `dest` only if that is convenient; `dest` may be
    /// a variable that the expression reads.
    pub(super) fn expr(&mut self, e: &Expr, dest: Option<Reg>) -> Compiling<Operand> {
        match FlatExpr::view(e) {
            FlatExpr::Constant(constant) => Ok(match constant {
                Constant::Int(n) => Operand::integer(n),
                Constant::Real(x) => Operand::constant(real(x), ScalarType::Real),
                Constant::Real32(x) => Operand::constant(real(x.into()), ScalarType::Real32),
                Constant::Logical(b) => Operand::constant(b.into(), ScalarType::Logical),
            }),
            FlatExpr::Place(place) => match self.lane(place.var) {
                Some(lane) => self.load_lane(lane, dest),
                None => self.load(place, dest),
            },
            FlatExpr::Op(op, operands) => match FlatClass::view(op) {
                FlatClass::Elemental => self.elemental(op, operands, dest),
                FlatClass::Reduction => self.reduction(op, operands, dest),
                FlatClass::Inquiry => self.inquiry(op, operands, dest),
                FlatClass::Transformational => Err(self.too_large("an array is used as a scalar")),
            },
        }
    }

    /// The value of a name of a form.
    fn load_lane(&mut self, lane: Option<Lane>, dest: Option<Reg>) -> Compiling<Operand> {
        match lane {
            Some(Lane::Scalar(operand)) => Ok(operand),
            Some(Lane::Moving(p, ty, axis, arr)) => {
                let mark = self.mark();
                self.value(mark, dest, ty, |d| Instr::LoadNext { d, p, axis, arr })
            }
            Some(Lane::Cursor(p, ty)) => {
                let mark = self.mark();
                self.value(mark, dest, ty, |d| Instr::LoadAt { d, p })
            }
            None => Err(self.too_large("a name of a form has no value yet")),
        }
    }

    /// Emits the instruction that makes a value, and frees the temporaries taken since a mark: the operands.
    pub(super) fn value(
        &mut self,
        mark: usize,
        dest: Option<Reg>,
        ty: ScalarType,
        make: impl FnOnce(Reg) -> Instr,
    ) -> Compiling<Operand> {
        self.release(mark);
        let d = self.dest_or_temporary(dest)?;
        self.emit(make(d));
        Ok(Operand::register(d, ty))
    }

    /// Does the work of [`Self::value`], and rounds the result to the type.
    fn rounded_value(
        &mut self,
        mark: usize,
        dest: Option<Reg>,
        ty: ScalarType,
        make: impl FnOnce(Reg) -> Instr,
    ) -> Compiling<Operand> {
        let made = self.value(mark, dest, ty, make)?;
        if let Value::Register(d) = made.value {
            self.rounded(d, ty);
        }
        Ok(made)
    }

    /// Compiles an expression into a register.
    pub(super) fn expr_register(&mut self, e: &Expr) -> Compiling<(Reg, ScalarType)> {
        let operand = self.expr(e, None)?;
        Ok((self.register_of(operand.value)?, operand.ty))
    }

    /// Compiles an expression into this register, as a value of this type.
    pub(super) fn expr_into(&mut self, e: &Expr, d: Reg, ty: ScalarType) -> Compiling<()> {
        let operand = self.expr(e, Some(d))?;
        let operand = self.convert(operand, ty, Some(d))?;
        self.move_to(d, operand.value);
        Ok(())
    }

    /// Converts a number where the operands of an operator have different types.
    pub(super) fn convert(
        &mut self,
        x: Operand,
        to: ScalarType,
        dest: Option<Reg>,
    ) -> Compiling<Operand> {
        if x.ty == to || !to.is_real() || x.ty != ScalarType::Integer {
            return Ok(Operand { ty: to, ..x });
        }
        match x.value {
            Value::Constant(cell) => {
                let n = cell as i64;
                let value = if to == ScalarType::Real32 {
                    f64::from(n as f32)
                } else {
                    n as f64
                };
                Ok(Operand::constant(value.to_bits(), to))
            }
            Value::Register(a) => {
                let d = self.dest_or_temporary(dest)?;
                self.emit(if to == ScalarType::Real32 {
                    Instr::IntToReal32 { d, a }
                } else {
                    Instr::IntToReal { d, a }
                });
                Ok(Operand::register(d, to))
            }
        }
    }

    /// The type that the operands of an arithmetic operator are converted to.
    fn promoted(&self, operands: &[Expr]) -> Compiling<ScalarType> {
        let mut common = ScalarType::Integer;
        for e in operands {
            let ty = self.type_of(e)?.ty;
            if ty != ScalarType::Integer {
                common = ty;
            }
        }
        Ok(common)
    }

    fn elemental(&mut self, op: Op, operands: &[Expr], dest: Option<Reg>) -> Compiling<Operand> {
        let mark = self.mark();
        match (op, operands) {
            (Op::And | Op::Or, _) => self.short_circuit(op, operands),
            (Op::If, [condition, yes, no]) => {
                let ty = self.promoted(&operands[1..])?;
                // The arms write the destination last, so they may still read it.
                let d = self.dest_or_temporary(dest)?;
                let mark = self.mark();
                let (otherwise, end) = (self.new_label(), self.new_label());
                self.branch(condition, false, otherwise)?;
                self.release(mark);
                self.expr_into(yes, d, ty)?;
                self.release(mark);
                self.emit_jump(end);
                self.bind(otherwise);
                self.expr_into(no, d, ty)?;
                self.release(mark);
                self.bind(end);
                Ok(Operand::register(d, ty))
            }
            (Op::Not, [e]) => {
                let (a, ty) = self.expr_register(e)?;
                self.value(mark, dest, ty, |d| Instr::Not { d, a })
            }
            (Op::ToReal | Op::ToReal32 | Op::TO_INT | Op::ToLogical, [e]) => {
                let x = self.expr(e, None)?;
                self.conversion(op, x, mark, dest)
            }
            (Op::Convert(how, to), [e]) => {
                let x = self.expr(e, None)?;
                self.integer_of(how, to, x, mark, dest)
            }
            (Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, [a, b]) => {
                let (cmp, a, b, ty) = self.compared(op, a, b)?;
                self.value(mark, dest, ScalarType::Logical, |d| {
                    match FlatType::view(ty) {
                        FlatType::Real | FlatType::Real32 => Instr::CmpF { cmp, d, a, b },
                        FlatType::Sized(IntType::Uint64) => Instr::CmpU { cmp, d, a, b },
                        FlatType::Integer | FlatType::Sized(_) | FlatType::Tape => {
                            Instr::CmpI { cmp, d, a, b }
                        }
                        FlatType::Logical => Instr::CmpL { cmp, d, a, b },
                    }
                })
            }
            (Op::Trips | Op::Fma, [a, b, c]) => {
                let ty = self.promoted(operands)?;
                let mut registers = [0; 3];
                for (r, e) in registers.iter_mut().zip([a, b, c]) {
                    let x = self.expr(e, None)?;
                    let x = self.convert(x, ty, None)?;
                    *r = self.register_of(x.value)?;
                }
                let [a, b, c] = registers;
                self.value(mark, dest, ty, |d| match (op, ty) {
                    (Op::Trips, _) => Instr::Trips { d, a, b, c },
                    (_, ScalarType::Real32) => Instr::Fma32 { d, a, b, c },
                    _ => Instr::Fma { d, a, b, c },
                })
            }
            (Op::Pow, [a, b]) => self.power(a, b, mark, dest),
            (Op::Polygamma, [n, x]) => {
                let (a, _) = self.expr_register(n)?;
                let (b, ty) = self.expr_register(x)?;
                self.watch(op, b, None);
                self.rounded_value(mark, dest, ty, |d| Instr::Polygamma { d, a, b })
            }
            (_, [e]) => self.unary(op, e, mark, dest),
            (Op::Add | Op::Sub, [a, b]) if !self.options.events => {
                match self.multiply_add(op, a, b, dest)? {
                    Some(operand) => Ok(operand),
                    None => self.fold(op, operands, dest),
                }
            }
            _ => self.fold(op, operands, dest),
        }
    }

    /// Rounds the result of an operation over 32-bit reals.
    pub(super) fn rounded(&mut self, d: Reg, ty: ScalarType) {
        if ty == ScalarType::Real32 {
            self.emit(Instr::Round32 { d });
        }
    }

    /// If events are wanted, emits the test whether an operand is at a kink.
    fn watch(&mut self, op: Op, a: Reg, b: Option<Reg>) {
        if self.options.events {
            self.emit_ext(Ext::Watch { op, a, b });
        }
    }

    fn unary(&mut self, op: Op, e: &Expr, mark: usize, dest: Option<Reg>) -> Compiling<Operand> {
        let x = self.expr(e, None)?;
        if let (Op::Neg, Value::Constant(cell)) = (op, x.value) {
            if x.ty.is_real() {
                return Ok(Operand::constant(real(-f64::from_bits(cell)), x.ty));
            }
            if let Some(n) = (cell as i64).checked_neg()
                && x.ty == ScalarType::Integer
            {
                return Ok(Operand::integer(n));
            }
        }
        let a = self.register_of(x.value)?;
        if x.ty.is_real() {
            self.watch(op, a, None);
        }
        if op == Op::Neg && x.ty.is_real() {
            return self.value(mark, dest, x.ty, |d| Instr::NegF { d, a });
        }
        let f = MathTable::position(op, x.ty);
        self.rounded_value(mark, dest, x.ty, |d| match x.ty.any_int() {
            Some(AnyInt::Sized(ty)) => Instr::Sized1 { op, ty, d, a },
            Some(AnyInt::Integer) => Instr::Int1 { op, d, a },
            None => Instr::Real1 { f, d, a },
        })
    }

    fn power(&mut self, a: &Expr, b: &Expr, mark: usize, dest: Option<Reg>) -> Compiling<Operand> {
        let mut x = self.expr(a, None)?;
        let y = self.expr(b, None)?;
        if y.ty.is_real() {
            x = self.convert(x, y.ty, None)?;
        }
        // The squares of `powi` are products.
        if x.ty.is_real() && y.value == Value::Constant(2) && y.ty == ScalarType::Integer {
            let a = self.register_of(x.value)?;
            return self.rounded_value(mark, dest, x.ty, |d| Instr::MulF { d, a, b: a });
        }
        let (a, b) = (self.register_of(x.value)?, self.register_of(y.value)?);
        if x.ty.is_real() && y.ty.is_real() {
            self.watch(Op::Pow, a, Some(b));
        } else if x.ty.is_real() && self.options.events {
            self.emit_ext(Ext::WatchPower { a, b });
        }
        self.rounded_value(mark, dest, x.ty, |d| match (x.ty, y.ty) {
            (ScalarType::Sized(ty), _) => Instr::Sized2 {
                op: Op::Pow,
                ty,
                d,
                a,
                b,
            },
            (ScalarType::Integer, _) => Instr::Int2 {
                op: Op::Pow,
                d,
                a,
                b,
            },
            (_, ScalarType::Integer) => Instr::PowI { d, a, b },
            _ => Instr::Real2 {
                f: MathTable::position(Op::Pow, x.ty),
                d,
                a,
                b,
            },
        })
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "operators without a rule of their own here are treated alike"
    )]
    fn conversion(
        &mut self,
        op: Op,
        x: Operand,
        mark: usize,
        dest: Option<Reg>,
    ) -> Compiling<Operand> {
        use ScalarType::{Integer, Logical, Real, Real32, Sized};
        let to = match op {
            Op::ToReal => Real,
            Op::ToReal32 => Real32,
            Op::TO_INT => Integer,
            _ => Logical,
        };
        if let Sized(from) = x.ty {
            if from == IntType::Uint64 {
                let a = self.register_of(x.value)?;
                let (how, from) = (Conversion::To, AnyInt::Sized(from));
                return self.value(mark, dest, to, |d| match FlatType::view(to) {
                    FlatType::Real => Instr::UintToReal { d, a },
                    FlatType::Real32 => Instr::UintToReal32 { d, a },
                    FlatType::Logical => Instr::IntToLogical { d, a },
                    FlatType::Integer | FlatType::Sized(_) | FlatType::Tape => Instr::IntToInt {
                        how,
                        to: AnyInt::Integer,
                        from,
                        d,
                        a,
                    },
                });
            }
            // Cells of all other integer types hold the number itself.
            let x = Operand { ty: Integer, ..x };
            return self.conversion(op, x, mark, dest);
        }
        if x.ty == to || (x.ty == Real32 && to == Real) {
            return Ok(Operand { ty: to, ..x });
        }
        if x.ty == Integer && to.is_real() {
            self.release(mark);
            return self.convert(x, to, dest);
        }
        if let (Value::Constant(cell), Real, Real32) = (x.value, x.ty, to) {
            return Ok(Operand::constant(round32(cell), to));
        }
        let a = self.register_of(x.value)?;
        if x.ty.is_real() && !to.is_real() {
            self.watch(op, a, None);
        }
        if (x.ty, to) == (Real, Real32) {
            return self.rounded_value(mark, dest, to, |d| Instr::Mov { d, a });
        }
        self.value(mark, dest, to, |d| match (x.ty, to) {
            (Real | Real32, Integer) => Instr::RealToInt { d, a },
            (Real | Real32, _) => Instr::RealToLogical { d, a },
            (Integer, _) => Instr::IntToLogical { d, a },
            (_, Integer) => Instr::LogicalToInt { d, a },
            _ => Instr::LogicalToReal { d, a },
        })
    }

    /// A conversion to an integer type by an operator that names it.
    fn integer_of(
        &mut self,
        how: Conversion,
        to: AnyInt,
        x: Operand,
        mark: usize,
        dest: Option<Reg>,
    ) -> Compiling<Operand> {
        let (op, ty) = (Op::Convert(how, to), ScalarType::from(to));
        if let Value::Constant(cell) = x.value
            && let Some(x) = scalar_of(x.ty, cell)
            && let Ok(constant) = apply(op, &[x], Math::Portable)
            && !is_poison(ty, cell_of(constant))
        {
            return Ok(Operand::constant(cell_of(constant), ty));
        }
        let a = self.register_of(x.value)?;
        if x.ty.is_real() {
            self.watch(op, a, None);
        }
        self.value(mark, dest, ty, |d| match x.ty.any_int() {
            Some(from) => Instr::IntToInt {
                how,
                to,
                from,
                d,
                a,
            },
            None if x.ty.is_real() => Instr::RealToAnyInt { how, to, d, a },
            None => Instr::LogicalToInt { d, a },
        })
    }

    /// `a*b + c` and its relatives in one instruction.
    fn multiply_add(
        &mut self,
        op: Op,
        left: &Expr,
        right: &Expr,
        dest: Option<Reg>,
    ) -> Compiling<Option<Operand>> {
        fn product(e: &Expr) -> Option<(&Expr, &Expr)> {
            match FlatExpr::view(e) {
                FlatExpr::Op(Op::Mul | Op::StrongMul, [x, y]) => Some((x, y)),
                FlatExpr::Constant(_) | FlatExpr::Place(_) | FlatExpr::Op(..) => None,
            }
        }
        let (x, y, z, product_left) = match (product(left), product(right)) {
            (Some((x, y)), _) => (x, y, right, true),
            (None, Some((x, y))) => (x, y, left, false),
            (None, None) => return Ok(None),
        };
        let of = if product_left { left } else { right };
        let strong = matches!(of, Expr::Op(Op::StrongMul, _));
        if strong && op == Op::Sub {
            return Ok(None);
        }
        // A product of integers is an integer product: it must not be fused.
        for e in [x, y, z] {
            if self.type_of(e)?.ty != ScalarType::Real {
                return Ok(None);
            }
        }
        let mark = self.mark();
        // Operands are evaluated from left to right.
        let mut c = 0;
        if !product_left {
            c = self.expr_register(z)?.0;
        }
        let (a, _) = self.expr_register(x)?;
        let (b, _) = self.expr_register(y)?;
        if product_left {
            c = self.expr_register(z)?.0;
        }
        let made = self.value(mark, dest, ScalarType::Real, |d| match (op, product_left) {
            _ if strong => Instr::StrongMulAdd { d, a, b, c },
            (Op::Add, _) => Instr::MulAdd { d, a, b, c },
            (_, true) => Instr::MulSub { d, a, b, c },
            (_, false) => Instr::SubMul { d, a, b, c },
        });
        made.map(Some)
    }

    /// Left fold of an operator of two operands over all of them.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "operators without a rule of their own here are treated alike"
    )]
    fn fold(&mut self, op: Op, operands: &[Expr], dest: Option<Reg>) -> Compiling<Operand> {
        let ty = self.promoted(operands)?;
        let mark = self.mark();
        let Some((first, rest)) = operands.split_first() else {
            return Err(self.too_large("an operator has no operands"));
        };
        let x = self.expr(first, None)?;
        let mut x = self.convert(x, ty, None)?;
        for (k, e) in rest.iter().enumerate() {
            let y = self.expr(e, None)?;
            let y = self.convert(y, ty, None)?;
            let dest = dest.filter(|_| k + 1 == rest.len());
            if ty == ScalarType::Integer {
                x = self.fold_integers(op, x, y, mark, dest)?;
                continue;
            }
            let a = self.register_of(x.value)?;
            let b = self.register_of(y.value)?;
            if let ScalarType::Sized(of) = ty {
                x = self.value(mark, dest, ty, |d| {
                    let ty = of;
                    Instr::Sized2 { op, ty, d, a, b }
                })?;
                continue;
            }
            if !matches!(op, Op::Add | Op::Sub | Op::Mul) {
                self.watch(op, a, Some(b));
            }
            x = self.rounded_value(mark, dest, ty, |d| match op {
                Op::Add => Instr::AddF { d, a, b },
                Op::Sub => Instr::SubF { d, a, b },
                Op::Mul => Instr::MulF { d, a, b },
                Op::Div => Instr::DivF { d, a, b },
                Op::StrongMul => Instr::StrongMul { d, a, b },
                op => Instr::Real2 {
                    f: MathTable::position(op, ty),
                    d,
                    a,
                    b,
                },
            })?;
        }
        Ok(x)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "operators without a rule of their own here are treated alike"
    )]
    fn fold_integers(
        &mut self,
        op: Op,
        x: Operand,
        y: Operand,
        mark: usize,
        dest: Option<Reg>,
    ) -> Compiling<Operand> {
        let small = |v: Value| match v {
            Value::Constant(cell) => i32::try_from(cell as i64).ok().filter(|&k| k != i32::MIN),
            Value::Register(_) => None,
        };
        let added = match (op, x.value, y.value) {
            (Op::Add, Value::Register(a), k) => small(k).map(|k| (a, k)),
            (Op::Add, k, Value::Register(a)) => small(k).map(|k| (a, k)),
            (Op::Sub, Value::Register(a), k) => small(k).map(|k| (a, -k)),
            _ => None,
        };
        if let Some((a, k)) = added {
            let ty = ScalarType::Integer;
            return self.value(mark, dest, ty, |d| Instr::AddConst { d, a, k });
        }
        let a = self.register_of(x.value)?;
        let b = self.register_of(y.value)?;
        self.value(mark, dest, ScalarType::Integer, |d| match op {
            Op::Add => Instr::AddI { d, a, b },
            Op::Sub => Instr::SubI { d, a, b },
            Op::Mul => Instr::MulI { d, a, b },
            op => Instr::Int2 { op, d, a, b },
        })
    }

    /// Operands of a comparison in registers; "greater" becomes "less".
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "operators without a rule of their own here are treated alike"
    )]
    fn compared(
        &mut self,
        op: Op,
        left: &Expr,
        right: &Expr,
    ) -> Compiling<(Cmp, Reg, Reg, ScalarType)> {
        let x = self.expr(left, None)?;
        let y = self.expr(right, None)?;
        let ty = if x.ty == ScalarType::Integer {
            y.ty
        } else {
            x.ty
        };
        let x = self.convert(x, ty, None)?;
        let y = self.convert(y, ty, None)?;
        let a = self.register_of(x.value)?;
        let b = self.register_of(y.value)?;
        if ty.is_real() {
            self.watch(op, a, Some(b));
        }
        Ok(match op {
            Op::Lt => (Cmp::Lt, a, b, ty),
            Op::Le => (Cmp::Le, a, b, ty),
            Op::Gt => (Cmp::Lt, b, a, ty),
            Op::Ge => (Cmp::Le, b, a, ty),
            Op::Ne => (Cmp::Ne, a, b, ty),
            _ => (Cmp::Eq, a, b, ty),
        })
    }

    /// `and`, `or` as a value: operands after the first that decides are not evaluated; an
    /// uninitialised operand is the result.
    fn short_circuit(&mut self, op: Op, operands: &[Expr]) -> Compiling<Operand> {
        // Not the destination: later operands may read it.
        let d = self.temporary()?;
        let mark = self.mark();
        let end = self.new_label();
        for (k, e) in operands.iter().enumerate() {
            if k > 0 {
                let value = u8::from(op == Op::And);
                self.emit(Instr::JumpIfNot {
                    a: d,
                    value,
                    t: end,
                });
            }
            self.expr_into(e, d, ScalarType::Logical)?;
            self.release(mark);
        }
        self.bind(end);
        Ok(Operand::register(d, ScalarType::Logical))
    }

    /// Jumps to `target` if the condition is `sense`, else goes on.
    pub(super) fn branch(&mut self, e: &Expr, sense: bool, target: Target) -> Compiling<()> {
        let mark = self.mark();
        match FlatExpr::view(e) {
            FlatExpr::Constant(Constant::Logical(b)) => {
                if b == sense {
                    self.emit_jump(target);
                }
            }
            FlatExpr::Op(Op::Not, operands) => match operands {
                [e] => self.branch(e, !sense, target)?,
                _ => return Err(self.too_large("an operator has the wrong number of operands")),
            },
            FlatExpr::Op(op @ (Op::And | Op::Or), operands) => {
                // One operand decides: false for `and`, true for `or`.
                let decided = op == Op::Or;
                if decided == sense {
                    for e in operands {
                        self.branch(e, sense, target)?;
                    }
                } else {
                    let on = self.new_label();
                    if let Some((last, others)) = operands.split_last() {
                        for e in others {
                            self.branch(e, decided, on)?;
                        }
                        self.branch(last, sense, target)?;
                    }
                    self.bind(on);
                }
            }
            FlatExpr::Op(op @ (Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge), operands) => {
                let [left, right] = operands else {
                    return Err(self.too_large("an operator has the wrong number of operands"));
                };
                let (cmp, a, b, ty) = self.compared(op, left, right)?;
                let t = target;
                match FlatType::view(ty) {
                    FlatType::Real | FlatType::Real32 => self.emit(match (cmp, sense) {
                        (Cmp::Lt, true) => Instr::JumpLtF { a, b, t },
                        (Cmp::Le, true) => Instr::JumpLeF { a, b, t },
                        (Cmp::Eq, true) | (Cmp::Ne, false) => Instr::JumpEqF { a, b, t },
                        (Cmp::Lt, false) => Instr::JumpNotLtF { a, b, t },
                        (Cmp::Le, false) => Instr::JumpNotLeF { a, b, t },
                        (Cmp::Ne, true) | (Cmp::Eq, false) => Instr::JumpNeF { a, b, t },
                    }),
                    FlatType::Sized(IntType::Uint64) if !matches!(cmp, Cmp::Eq | Cmp::Ne) => {
                        let d = self.temporary()?;
                        self.emit(Instr::CmpU { cmp, d, a, b });
                        self.jump_if(d, sense, t);
                    }
                    FlatType::Integer | FlatType::Sized(_) | FlatType::Tape => {
                        self.emit(match (cmp, sense) {
                            (Cmp::Lt, true) => Instr::JumpLtI { a, b, t },
                            (Cmp::Le, true) => Instr::JumpLeI { a, b, t },
                            (Cmp::Lt, false) => Instr::JumpLeI { a: b, b: a, t },
                            (Cmp::Le, false) => Instr::JumpLtI { a: b, b: a, t },
                            (Cmp::Eq, true) | (Cmp::Ne, false) => Instr::JumpEqI { a, b, t },
                            (Cmp::Ne, true) | (Cmp::Eq, false) => Instr::JumpNeI { a, b, t },
                        });
                    }
                    FlatType::Logical => {
                        let d = self.temporary()?;
                        self.emit(Instr::CmpL { cmp, d, a, b });
                        self.jump_if(d, sense, t);
                    }
                }
            }
            FlatExpr::Constant(Constant::Int(_) | Constant::Real(_) | Constant::Real32(_))
            | FlatExpr::Place(_)
            | FlatExpr::Op(..) => {
                let (a, _) = self.expr_register(e)?;
                self.jump_if(a, sense, target);
            }
        }
        self.release(mark);
        Ok(())
    }

    fn jump_if(&mut self, a: Reg, sense: bool, t: Target) {
        self.emit(if sense {
            Instr::JumpTrue { a, t }
        } else {
            Instr::JumpFalse { a, t }
        });
    }

    fn inquiry(&mut self, op: Op, operands: &[Expr], dest: Option<Reg>) -> Compiling<Operand> {
        let (Some(Expr::Place(place)), k) = (operands.first(), operands.get(1)) else {
            return Err(self.too_large("an inquiry needs the name of a variable"));
        };
        let v = place.var;
        if op == Op::Present {
            return self.present(v, dest);
        }
        let d = self.dest_or_temporary(dest)?;
        // Inquiries about a section or an element need a view.
        let mark = self.mark();
        let of = self.view(place)?;
        self.release(mark);
        let View { arr, rank, .. } = of;
        let axis = match k {
            None => None,
            Some(Expr::Int(k)) if *k >= 1 && *k <= rank.into() => Some((*k - 1) as u8),
            Some(_) => return Err(self.too_large("the dimension of an inquiry is not constant")),
        };
        match (op, axis) {
            (Op::Size, None) => self.emit_ext(Ext::Size { d, of }),
            // Only an array that may be absent or not allocated needs a test.
            (Op::Size, Some(axis)) if self.is_always_there(place) => {
                self.emit(Instr::Extent { d, axis, arr });
            }
            (Op::Size, Some(axis)) => self.emit_ext(Ext::AxisSize { d, arr, axis }),
            (Op::LBound, Some(axis)) => self.emit_ext(Ext::LowerBound { d, arr, axis }),
            (_, axis) => self.emit_ext(Ext::UpperBound {
                d,
                arr,
                axis: axis.unwrap_or(0),
            }),
        }
        Ok(Operand::register(d, ScalarType::Integer))
    }

    /// Whether a parameter was given.
    pub(super) fn present(&mut self, v: VarId, dest: Option<Reg>) -> Compiling<Operand> {
        let d = self.dest_or_temporary(dest)?;
        match self.home(v) {
            Home::Array(arr) => self.emit_ext(Ext::PresentArray { d, arr }),
            Home::Address(p) => self.emit_ext(Ext::PresentCell { d, p }),
            Home::AddressFrame(at) => {
                self.emit(Instr::LoadFrame { d, at });
                self.emit_ext(Ext::PresentCell { d, p: d });
            }
            Home::Register(_) | Home::Frame(_) | Home::Global(_) => self.set_constant(d, 1),
        }
        Ok(Operand::register(d, ScalarType::Logical))
    }
}
