//! Loops over elements: copies, reductions, partials of reductions, the nests of forms.

use super::{Arrays, view::View};
use crate::c::{
    Emitted,
    amount::Amount,
    lines::Statement,
    operators::{
        self, Code, Infix, Prefix, checked, literal_integer, literal_real, literal_real32,
        literal_sized,
    },
    variable::zero,
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    flat::FlatType,
    ir::{Op, Order, ScalarType},
};
use cfg_transform::scalarize::{Action, Loop};

/// Most elements that are written one by one.
const FEW: i64 = 4;

fn one(ty: ScalarType) -> Code {
    match FlatType::view(ty) {
        FlatType::Integer => literal_integer(1),
        FlatType::Sized(ty) => literal_sized(ty, 1),
        FlatType::Real32 => literal_real32(1.0),
        FlatType::Real | FlatType::Logical | FlatType::Tape => literal_real(1.0),
    }
}

impl Writer<'_> {
    /// Loops over all elements of the shape of an array, in storage order or from the end.
    pub(in crate::c) fn each_element(
        &mut self,
        over: &View,
        backwards: bool,
        body: impl FnOnce(&mut Self, &[Amount]) -> Emitted<()>,
    ) -> Emitted<()> {
        let rank = over.axes.len();
        let mut at = vec![Amount::from(0); rank];
        let mut axes: Vec<usize> = (0..rank).collect();
        if over.order == Order::Column {
            axes.reverse();
        }
        for (depth, &axis) in axes.iter().enumerate() {
            let k = self.loop_name(depth);
            let extent = &over.axes[axis].0;
            if backwards {
                let first = k.clone().declared("int64_t").set(extent.minus(1).to_code());
                let rest = [
                    k.clone().is(Infix::Ge, 0),
                    k.clone().prefix(Prefix::Decrement),
                ];
                self.add(Statement::For(Some(first), rest.into(), false));
            } else {
                self.count_up(&k, extent.to_code(), false);
            }
            at[axis] = k.into();
        }
        body(self, &at)?;
        (0..rank).for_each(|_| self.lines.close_block());
        Ok(())
    }

    /// [`Writer::each_element`], without loops if there are few elements: compilers keep an array in registers if all
    /// its subscripts are constants.
    pub(in crate::c) fn each_of_few_elements(
        &mut self,
        over: &View,
        backwards: bool,
        mut body: impl FnMut(&mut Self, &[Amount]) -> Emitted<()>,
    ) -> Emitted<()> {
        let extents = over.axes.iter().map(|axis| axis.0.constant());
        let extents: Option<Vec<i64>> = extents.collect();
        let count = extents
            .iter()
            .flatten()
            .try_fold(1i64, |n, &extent| n.checked_mul(extent.max(0)));
        let count = count.filter(|count| *count <= FEW && !self.is_checked());
        let (Some(extents), Some(count)) = (extents, count) else {
            return self.each_element(over, backwards, body);
        };
        let mut axes: Vec<usize> = (0..extents.len()).collect();
        if over.order == Order::Row {
            axes.reverse();
        }
        for k in 0..count {
            let mut rest = if backwards { count - 1 - k } else { k };
            let mut at = vec![Amount::from(0); extents.len()];
            for &axis in &axes {
                at[axis] = (rest % extents[axis]).into();
                rest /= extents[axis];
            }
            body(self, &at)?;
        }
        Ok(())
    }

    /// All elements of an array become a value.
    pub(in crate::c) fn emit_fill(&mut self, to: &View, value: Code) -> Emitted<()> {
        self.each_of_few_elements(to, false, |writer, at| {
            writer.set(&to.element(at), value.clone());
            Ok(())
        })
    }

    /// The elements of an array become those of another one.
    pub(in crate::c) fn emit_copy(&mut self, to: &View, from: &View) -> Emitted<()> {
        self.each_of_few_elements(to, false, |writer, at| {
            let (to, from) = (to.element(at), from.element(at));
            if to != from {
                writer.set(&to, from);
            }
            Ok(())
        })
    }

    /// The elements of an array become those of another one that are not, bit for bit, what they were before.
    pub(in crate::c) fn copy_changed(
        &mut self,
        to: &View,
        from: &View,
        before: &View,
    ) -> Emitted<()> {
        self.pieces.include("string.h");
        self.each_element(to, false, |writer, at| {
            let [to, from, before] = [to, from, before].map(|view| view.element(at));
            let [own, other] = [&from, &before].map(|x| x.clone().prefix(Prefix::Address));
            let size = from.clone().prefix(Prefix::Sizeof);
            let differs = Code::call("memcmp", [own, other, size], ScalarType::Logical);
            writer.guard(differs, to.set(from));
            Ok(())
        })
    }

    pub(super) fn emit_nest(&mut self, nest: &Loop, arrays: &mut Arrays<'_>) -> Emitted<()> {
        let over = self.view_of(arrays, nest.over)?;
        let mut elements = Vec::with_capacity(nest.elements.len());
        for element in &nest.elements {
            elements.push((element.name, self.view_of(arrays, element.array)?));
        }
        // Over an argument that is not given nothing is done.
        let given = self.given_only(nest.over, arrays);
        if let Some(pointer) = &given {
            self.add(Statement::If(pointer.clone()));
        }
        let lanes = |writer: &mut Self, at: &[Amount]| -> Emitted<()> {
            for (name, view) in &elements {
                writer.set_lane(*name, view.element(at))?;
            }
            Ok(())
        };
        match &nest.action {
            Action::Store(value) => self.each_of_few_elements(&over, false, |writer, at| {
                lanes(writer, at)?;
                let code = writer.emit_scalar(value)?;
                let code = operators::convert(code, over.ty, writer.pieces);
                writer.emit_assignment(over.element(at), code, false);
                writer.stop_on_fault();
                Ok(())
            }),
            Action::Fold { op, name, value } => {
                let start = given.is_some().then_some(*op);
                self.emit_fold(*op, *name, &over, |writer, at| {
                    lanes(writer, at)?;
                    writer.emit_scalar(value)
                })?;
                if let Some(op) = start {
                    self.add(Statement::Else);
                    self.start_of_fold(op, *name)?;
                }
                Ok(())
            }
        }?;
        if given.is_some() {
            self.lines.close_block();
        }
        Ok(())
    }

    /// A reduction has its value for no elements.
    pub(super) fn start_of_fold(&mut self, op: Op, name: VarId) -> Emitted<()> {
        if let Some(Ok(result)) = self.lane_value(name)
            && let Some((_, first)) = operators::reduction(op, result.ty, self.is_checked())
        {
            self.set(&result, first);
        }
        Ok(())
    }

    /// A reduction: the result begins with its value for no elements.
    pub(super) fn emit_fold(
        &mut self,
        op: Op,
        name: VarId,
        over: &View,
        value: impl FnOnce(&mut Self, &[Amount]) -> Emitted<Code>,
    ) -> Emitted<()> {
        let result = match self.lane_value(name) {
            Some(Ok(code)) => code,
            _ => self.declare_helper(op.name(), over.ty),
        };
        self.set_lane(name, result.clone())?;
        let Some((step, first)) = operators::reduction(op, result.ty, self.is_checked()) else {
            return Err(self.malformed("an operator reduces nothing"));
        };
        self.set(&result, first);
        let summed = matches!(step, Op::Add | Op::Mul) && result.ty.is_integer();
        self.each_element(over, false, |writer, at| {
            let x = value(writer, at)?;
            let x = operators::convert(x, result.ty, writer.pieces);
            if writer.is_checked() {
                let code = writer.fold_element(step, result.clone(), x, summed)?;
                writer.set(&result, code);
                writer.stop_on_fault();
                return Ok(());
            }
            let next = if step == Op::Add {
                result.clone().with(Infix::AddTo, x)
            } else if step == Op::Mul {
                result.clone().with(Infix::MulBy, x)
            } else {
                let value = writer.emit_operator(step, vec![result.clone(), x])?;
                result.clone().set(value)
            };
            writer.add(next);
            Ok(())
        })?;
        if summed && self.is_checked() {
            self.stop_late(&[crate::c::faults::OVERFLOW]);
        }
        Ok(())
    }

    /// For each element the product of all others: of all before it, times that of all behind.
    pub(super) fn product_partials(&mut self, to: &View, of: &View) -> Emitted<()> {
        let one = one(of.ty);
        let product = self.declare_helper("product", of.ty);
        for backwards in [false, true] {
            self.set(&product, one.clone());
            self.each_element(to, backwards, |writer, at| {
                let (to, of) = (to.element(at), of.element(at));
                if writer.is_checked() {
                    let mut here = product.clone();
                    if backwards {
                        here = writer.emit_operator(Op::Mul, vec![to.clone(), here])?;
                    }
                    let next = writer.emit_operator(Op::Mul, vec![product.clone(), of])?;
                    writer.set(&to, here);
                    writer.set(&product, next);
                    return Ok(());
                }
                let sign = if backwards { Infix::MulBy } else { Infix::Set };
                writer.add(to.with(sign, product.clone()));
                writer.add(product.clone().with(Infix::MulBy, of));
                Ok(())
            })?;
        }
        Ok(())
    }

    /// 1 at the first largest or smallest element, or at the first that is no number, 0 elsewhere.
    pub(super) fn extreme_partials(&mut self, op: Op, to: &View, of: &View) -> Emitted<()> {
        let [best, at_best, count] = [
            ("best", of.ty),
            ("best_at", ScalarType::Integer),
            ("count", ScalarType::Integer),
        ]
        .map(|(name, ty)| self.declare_helper(name, ty));
        self.set(&at_best, -1);
        self.set(&count, 0);
        let sign = if op == Op::MaxValPartial {
            Infix::Gt
        } else {
            Infix::Lt
        };
        let next = count.clone().prefix(Prefix::Increment);
        self.each_element(to, false, |writer, at| {
            let x = of.element(at);
            let beyond = x.clone().is(sign, best.clone());
            let mut better = at_best.clone().is(Infix::Lt, 0).is(Infix::Or, beyond);
            if of.ty.is_real() {
                let strange = x.clone().is(Infix::Ne, x.clone());
                let number = best.clone().is(Infix::Eq, best.clone());
                better = better.is(Infix::Or, strange.is(Infix::And, number));
            }
            if writer.is_checked() {
                let [unset, other] = [&x, &best].map(|x| checked::is_unset(x.clone()));
                let other = other.parenthesised().prefix(Prefix::Not);
                better = better.is(Infix::Or, unset.is(Infix::And, other));
            }
            writer.add(Statement::If(better));
            writer.set(&best, x);
            writer.set(&at_best, count.clone());
            writer.lines.close_block();
            writer.add(next.clone());
            Ok(())
        })?;
        self.set(&count, 0);
        self.each_element(to, false, |writer, at| {
            let is_best = count.clone().is(Infix::Eq, at_best);
            let mut value = is_best.choose(one(of.ty), zero(of.ty));
            if writer.is_checked() {
                value = checked::is_unset(best).choose(checked::unset_value(of.ty), value);
            }
            writer.set(&to.element(at), value);
            writer.add(next);
            Ok(())
        })
    }
}
