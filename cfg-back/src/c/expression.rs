//! Scalar expressions and elements of arrays.
//!
//! What C has no expression for, reductions, is computed by loops before the statement; of an operand that may not be
//! evaluated under the condition that it is.

use super::{
    Emitted,
    amount::Amount,
    operators::{self, Code, Infix, Prefix, literal_constant, literal_logical, precedence::UNARY},
    variable::{Array, Bound, Kind, null},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    flat::{FlatClass, FlatExpr},
    ir::{Expr, Op, OpClass, Place, ScalarType, Subscript},
    typing,
};

/// True if the expression has a reduction, which is computed before the statement.
pub(super) fn reduces(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e, Expr::Op(op, _) if op.class() == OpClass::Reduction));
    found
}

impl Writer<'_> {
    /// The C of a scalar expression. Loops that it needs are written before.
    pub(super) fn emit_scalar(&mut self, e: &Expr) -> Emitted<Code> {
        match FlatExpr::view(self.unless_checked(e)) {
            FlatExpr::Constant(constant) => Ok(literal_constant(constant)),
            FlatExpr::Place(place) => self.emit_load(place),
            FlatExpr::Op(op, operands) => match FlatClass::view(op) {
                FlatClass::Inquiry => self.emit_inquiry(op, operands),
                FlatClass::Reduction => self.emit_reduction(op, operands),
                FlatClass::Elemental => self.emit_elemental(op, operands),
                FlatClass::Transformational => Err(self.malformed("an array stands for a scalar")),
            },
        }
    }

    fn emit_elemental(&mut self, op: Op, operands: &[Expr]) -> Emitted<Code> {
        let lazy = matches!(op, Op::If | Op::And | Op::Or);
        let needs_lines = match self.is_checked() {
            true => super::faults::needs_lines,
            false => reduces,
        };
        if lazy && operands.iter().skip(1).any(needs_lines) {
            return self.lazy_lines(op, operands);
        }
        if lazy && self.is_checked() {
            return self.emit_lazy(op, operands);
        }
        if let Some(code) = self.emit_widened(op, operands)? {
            return Ok(code);
        }
        if let (Op::Add | Op::Sub, [x, Expr::Int(n)], false) = (op, operands, self.is_checked()) {
            let code = self.emit_scalar(x)?;
            if code.ty == ScalarType::Integer {
                let x = Amount::split(code);
                let sum = if op == Op::Add {
                    x.plus(&(*n).into())
                } else {
                    x.minus(*n)
                };
                return Ok(sum.to_code());
            }
            return self.emit_operator(op, vec![code, (*n).into()]);
        }
        let mut codes = Vec::with_capacity(operands.len());
        for e in operands {
            if self.is_checked() && super::faults::needs_lines(e) {
                // What is written before the statement comes behind these.
                codes = codes.into_iter().map(|code| self.hoist(code)).collect();
                self.stop_on_fault();
            }
            codes.push(self.emit_scalar(e)?);
        }
        self.emit_operator(op, codes)
    }

    /// The C of an operator over scalars.
    pub(super) fn emit_operator(&mut self, op: Op, operands: Vec<Code>) -> Emitted<Code> {
        let made = operators::apply(op, operands, self.pieces);
        made.map_err(|e| self.malformed(e.to_string()))
    }

    /// The type of a conditional expression with these arms: integers are converted to that of the others.
    pub(super) fn common_type(&mut self, arms: &[Expr]) -> Emitted<ScalarType> {
        let mut common = ScalarType::Integer;
        for e in arms {
            match typing::type_of(&self.scope, e) {
                Ok(ty) if ty.ty != ScalarType::Integer => common = ty.ty,
                Ok(_) => {}
                Err(mismatch) => return Err(self.malformed(mismatch.message)),
            }
        }
        Ok(common)
    }

    /// The value that stands for a name of the form that is written; `None` of a variable of the routine.
    pub(super) fn lane_value(&self, v: VarId) -> Option<Emitted<Code>> {
        let name = v.index().checked_sub(self.routine.variables.len())?;
        let code = self.lanes.get(name).cloned().flatten();
        Some(code.ok_or_else(|| self.malformed("a step names what none has made")))
    }

    /// The value of a scalar place.
    pub(super) fn emit_load(&mut self, place: &Place) -> Emitted<Code> {
        if let Some(code) = self.lane_value(place.var) {
            return code;
        }
        self.note_read(place.var);
        if self.is_checked() {
            return self.checked_load(place);
        }
        self.element_or_scalar(place)
    }

    /// A scalar place as an lvalue.
    pub(super) fn element_or_scalar(&mut self, place: &Place) -> Emitted<Code> {
        if place.subscripts.is_empty() {
            return self.scalar_place(place.var);
        }
        let carried = self.carried.iter().find(|(held, _)| held == place);
        if let Some((_, name)) = carried {
            return Ok(name.clone());
        }
        let array = self.array_kind(place.var)?;
        let ty = self.variables.all[place.var.index()].ty;
        if let Some(inside) = &array.inside {
            let element = self.member_element((&array, inside), ty, &place.subscripts)?;
            return Ok(self.held_element(place, element));
        }
        let offset = self.emit_offset(&array, &place.subscripts)?;
        let offset = offset.plus(&array.offset.into()).to_code();
        // An index of any integer type is one.
        let offset = match &*place.subscripts {
            [Subscript::Index(e)] => self.unconverted(e, offset),
            _ => offset,
        };
        let element = Code::name(array.pointer, ty).at(offset);
        Ok(self.held_element(place, element))
    }

    /// The number of elements between the first element of an array and the one with these subscripts.
    pub(super) fn emit_offset(
        &mut self,
        array: &Array,
        subscripts: &[Subscript],
    ) -> Emitted<Amount> {
        let strides = self.variables.strides(array);
        let mut offset = Amount::from(0);
        for ((subscript, stride), axis) in subscripts.iter().zip(&strides).zip(&array.axes) {
            let Subscript::Index(e) = subscript else {
                return Err(self.malformed("a section stands for a scalar"));
            };
            let at = self.emit_index(e, &axis.lower)?;
            offset = offset.plus(&at.times(stride));
        }
        Ok(offset)
    }

    /// The difference of an index and the first one.
    pub(super) fn emit_index(&mut self, e: &Expr, lower: &Bound) -> Emitted<Amount> {
        let lower = self.variables.amount_of(lower);
        Ok(self.emit_integer(e)?.minus_code(&lower))
    }

    /// The value of an integer expression as an amount: a constant that is added is kept apart.
    pub(super) fn emit_integer(&mut self, e: &Expr) -> Emitted<Amount> {
        if self.is_checked() {
            return Ok(self.emit_scalar(e)?.into());
        }
        let e = self.unless_checked(e);
        if let Expr::Op(op @ (Op::Add | Op::Sub), operands) = e
            && let [a, Expr::Int(n)] = &**operands
        {
            let a = Amount::split(self.emit_scalar(a)?);
            return Ok(if *op == Op::Add {
                a.plus(&(*n).into())
            } else {
                a.minus(*n)
            });
        }
        if let Some(n) = e.constant() {
            return Ok(n.into());
        }
        Ok(Amount::split(self.emit_scalar(e)?))
    }

    /// The pointer to a scalar place.
    pub(super) fn emit_address(&mut self, place: &Place) -> Emitted<Code> {
        self.note_read(place.var);
        let ty = self.variables.all[place.var.index()].ty;
        if place.subscripts.is_empty()
            && let Kind::Pointer(name) = &self.variables.all[place.var.index()].kind
        {
            return Ok(Code::name(name.clone(), ty));
        }
        let code = match self.is_checked() && !place.subscripts.is_empty() {
            true => self.kept_element(place)?,
            false => self.element_or_scalar(place)?,
        };
        Ok(code.prefix(Prefix::Address))
    }

    fn emit_inquiry(&mut self, op: Op, operands: &[Expr]) -> Emitted<Code> {
        let Some((Expr::Place(place), rest)) = operands.split_first() else {
            return Err(self.malformed("an inquiry is not about a variable"));
        };
        if op == Op::Present {
            self.note_read(place.var);
            let kind = &self.variables.all[place.var.index()].kind;
            if let Kind::Value(_) = kind {
                return Ok(literal_logical(true));
            }
            return Ok(Code::from(kind.name().clone()).is(Infix::Ne, null()));
        }
        let dimension = match rest {
            [] => None,
            [k, ..] => k
                .constant()
                .and_then(|k| usize::try_from(k.checked_sub(1)?).ok()),
        };
        let array = self.array_kind(place.var)?;
        let view = if place.subscripts.is_empty() {
            let extents = self.variables.extents(&array.axes);
            let lowers = array
                .axes
                .iter()
                .map(|axis| self.variables.amount_of(&axis.lower));
            lowers.zip(extents).collect()
        } else {
            self.section_shape(place)?
        };
        let one = |at: Option<&(Amount, Amount)>, writer: &Self| match at {
            Some((lower, extent)) => Ok((lower.clone(), at_least_zero(extent))),
            None => Err(writer.malformed("an inquiry names a dimension that is not there")),
        };
        let amount = match (op, dimension) {
            (Op::Size, None) => {
                let mut size = Amount::from(1);
                for (_, extent) in &view {
                    size = size.times(&at_least_zero(extent));
                }
                size
            }
            (Op::Size, Some(k)) => one(view.get(k), self)?.1,
            (Op::LBound, Some(k)) => one(view.get(k), self)?.0,
            (Op::UBound, Some(k)) => {
                let (lower, extent) = one(view.get(k), self)?;
                lower.plus(&extent).minus(1)
            }
            _ => return Err(self.malformed("an inquiry names no dimension")),
        };
        let one = op == Op::Size && dimension.is_some();
        Ok(self.if_there(place, one, amount.to_code()))
    }

    /// Lower bounds and extents of a section.
    fn section_shape(&mut self, place: &Place) -> Emitted<Vec<(Amount, Amount)>> {
        let view = self.section_view(place)?;
        Ok(view
            .axes
            .into_iter()
            .map(|(extent, _)| (1.into(), extent))
            .collect())
    }
}

/// A number of elements that is 0 if it is negative.
pub(super) fn at_least_zero(extent: &Amount) -> Amount {
    match extent.constant() {
        Some(n) => n.max(0).into(),
        None => {
            let x = extent.to_code().at_least(UNARY);
            x.clone().is(Infix::Gt, 0).choose(x, 0).into()
        }
    }
}
