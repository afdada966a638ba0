//! Loops over elements: copies, reductions, partials of reductions, the nests of forms.

use super::{Arrays, view::View};
use crate::c::{
    Emitted,
    amount::Amount,
    operators,
    operators::precedence::{POSTFIX, SUM},
    operators::{Code, checked, literal_integer, literal_real, literal_real32, literal_sized},
    variable::zero,
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    flat::FlatType,
    ir::{Op, Order, ScalarType},
};
use cfg_transform::scalarize::{Action, Loop};

fn one(ty: ScalarType) -> String {
    match FlatType::of(ty) {
        FlatType::Integer => literal_integer(1),
        FlatType::Sized(ty) => literal_sized(ty, 1),
        FlatType::Real32 => literal_real32(1.0),
        FlatType::Real | FlatType::Logical | FlatType::Tape => literal_real(1.0),
    }
    .text
}

/// True if a text has a sum outside of parentheses, so that it cannot be added as a whole.
pub(in crate::c) fn has_sum(text: &str) -> bool {
    let mut depth = 0_i32;
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '+' | '-' if depth == 0 && last == ' ' && text[at + 1..].starts_with(' ') => {
                return true;
            }
            _ => {}
        }
        last = c;
    }
    false
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
            let extent = over.axes[axis].0.code();
            let bound = extent.at_least(SUM);
            if backwards {
                self.lines.open(format_args!(
                    "for (int64_t {k} = {}; {k} >= 0; --{k})",
                    over.axes[axis].0.minus(1).code().text
                ));
            } else {
                self.lines
                    .open(format_args!("for (int64_t {k} = 0; {k} < {bound}; ++{k})"));
            }
            at[axis] = Code::new(k, POSTFIX, ScalarType::Integer).into();
        }
        body(self, &at)?;
        (0..rank).for_each(|_| self.lines.close());
        Ok(())
    }

    /// All elements of an array become a value.
    pub(in crate::c) fn fill(&mut self, to: &View, value: &str) -> Emitted<()> {
        self.each_element(to, false, |writer, at| {
            let element = to.element(at).text;
            writer.lines.line(format_args!("{element} = {value};"));
            Ok(())
        })
    }

    /// The elements of an array become those of another one.
    pub(in crate::c) fn copy(&mut self, to: &View, from: &View) -> Emitted<()> {
        self.each_element(to, false, |writer, at| {
            let (to, from) = (to.element(at).text, from.element(at).text);
            if to != from {
                writer.lines.line(format_args!("{to} = {from};"));
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
            let [to, from, before] = [to, from, before].map(|view| view.element(at).text);
            writer.lines.line(format_args!(
                "if (memcmp(&{from}, &{before}, sizeof {from}))"
            ));
            writer.lines.line(format_args!("    {to} = {from};"));
            Ok(())
        })
    }

    pub(super) fn nest(&mut self, nest: &Loop, arrays: &mut Arrays<'_>) -> Emitted<()> {
        let over = self.view_of(arrays, nest.over)?;
        let mut elements = Vec::with_capacity(nest.elements.len());
        for element in &nest.elements {
            elements.push((element.name, self.view_of(arrays, element.array)?));
        }
        // Over an argument that is not given nothing is done.
        let given = self.given_only(nest.over, arrays);
        if let Some(pointer) = &given {
            self.lines.open(format_args!("if ({pointer})"));
        }
        let lanes = |writer: &mut Self, at: &[Amount]| -> Emitted<()> {
            for (name, view) in &elements {
                writer.set_lane(*name, view.element(at))?;
            }
            Ok(())
        };
        match &nest.action {
            Action::Store(value) => self.each_element(&over, false, |writer, at| {
                lanes(writer, at)?;
                let code = writer.scalar(value)?;
                let code = operators::convert(code, over.ty, writer.pieces);
                let element = over.element(at).text;
                writer.assign_text(&element, &code);
                writer.stop();
                Ok(())
            }),
            Action::Fold { op, name, value } => {
                let start = given.is_some().then_some(*op);
                self.fold(*op, *name, &over, |writer, at| {
                    lanes(writer, at)?;
                    writer.scalar(value)
                })?;
                if let Some(op) = start {
                    self.lines.reopen("} else {");
                    self.start_of_fold(op, *name)?;
                }
                Ok(())
            }
        }?;
        if given.is_some() {
            self.lines.close();
        }
        Ok(())
    }

    /// A reduction has its value for no elements.
    pub(super) fn start_of_fold(&mut self, op: Op, name: VarId) -> Emitted<()> {
        if let Some(Ok(result)) = self.lane(name)
            && let Some((_, first)) = operators::reduction(op, result.ty, self.checked())
        {
            self.lines
                .line(format_args!("{} = {};", result.text, first.text));
        }
        Ok(())
    }

    /// `element = value;`, or `element += ...;` where the code shows it.
    pub(in crate::c) fn assign_text(&mut self, element: &str, code: &Code) {
        let rest = code.text.strip_prefix(element);
        let operator = rest.and_then(|rest| rest.strip_prefix(" + "));
        if let Some(operand) = operator
            && code.precedence == SUM
            && !has_sum(operand)
        {
            self.lines.line(format_args!("{element} += {operand};"));
        } else if element != code.text {
            self.lines.line(format_args!("{element} = {};", code.text));
        }
    }

    /// A reduction: the result begins with its value for no elements.
    pub(super) fn fold(
        &mut self,
        op: Op,
        name: VarId,
        over: &View,
        value: impl FnOnce(&mut Self, &[Amount]) -> Emitted<Code>,
    ) -> Emitted<()> {
        let result = match self.lane(name) {
            Some(Ok(code)) => code,
            _ => {
                let made = self.helper(op.name(), over.ty);
                Code::new(made, POSTFIX, over.ty)
            }
        };
        self.set_lane(name, result.clone())?;
        let Some((step, first)) = operators::reduction(op, result.ty, self.checked()) else {
            return Err(self.malformed("an operator reduces nothing"));
        };
        self.lines
            .line(format_args!("{} = {};", result.text, first.text));
        let summed = matches!(step, Op::Add | Op::Mul) && result.ty.is_integer();
        self.each_element(over, false, |writer, at| {
            let x = value(writer, at)?;
            let x = operators::convert(x, result.ty, writer.pieces);
            if writer.checked() {
                let code = writer.folded(step, result.clone(), x, summed)?;
                writer
                    .lines
                    .line(format_args!("{} = {};", result.text, code.text));
                writer.stop();
                return Ok(());
            }
            let line = if step == Op::Add {
                format!("{} += {};", result.text, x.text)
            } else if step == Op::Mul {
                format!("{} *= {};", result.text, x.text)
            } else {
                let code = writer.apply(step, vec![result.clone(), x])?;
                format!("{} = {};", result.text, code.text)
            };
            writer.lines.line(line);
            Ok(())
        })?;
        if summed && self.checked() {
            self.stop_late(&[crate::c::faults::OVERFLOW]);
        }
        Ok(())
    }

    /// For each element the product of all others: of all before it, times that of all behind.
    pub(super) fn product_partials(&mut self, to: &View, of: &View) -> Emitted<()> {
        let one = one(of.ty);
        let product = self.helper("product", of.ty);
        for backwards in [false, true] {
            self.lines.line(format_args!("{product} = {one};"));
            self.each_element(to, backwards, |writer, at| {
                let sign = if backwards { "*=" } else { "=" };
                if writer.checked() {
                    let (to, of) = (to.element(at), of.element(at));
                    let so_far = Code::new(product.clone(), POSTFIX, of.ty);
                    let mut here = so_far.clone();
                    if backwards {
                        here = writer.apply(Op::Mul, vec![to.clone(), here])?;
                    }
                    let next = writer.apply(Op::Mul, vec![so_far, of])?;
                    writer
                        .lines
                        .line(format_args!("{} = {};", to.text, here.text));
                    writer
                        .lines
                        .line(format_args!("{product} = {};", next.text));
                    return Ok(());
                }
                let (to, of) = (to.element(at).text, of.element(at).text);
                writer.lines.line(format_args!("{to} {sign} {product};"));
                writer.lines.line(format_args!("{product} *= {of};"));
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
        .map(|(name, ty)| self.helper(name, ty));
        self.lines.line(format_args!("{at_best} = -1;"));
        self.lines.line(format_args!("{count} = 0;"));
        let sign = if op == Op::MaxValPartial { '>' } else { '<' };
        self.each_element(to, false, |writer, at| {
            let x = of.element(at).text;
            let mut number = if of.ty.is_real() {
                format!(" || ({x} != {x} && {best} == {best})")
            } else {
                String::new()
            };
            let unset = checked::is_unset(of.ty, &x);
            if writer.checked() {
                let best = checked::is_unset(of.ty, &best);
                number += &format!(" || ({unset} && !({best}))");
            }
            writer.lines.open(format_args!(
                "if ({at_best} < 0 || {x} {sign} {best}{number})"
            ));
            writer.lines.line(format_args!("{best} = {x};"));
            writer.lines.line(format_args!("{at_best} = {count};"));
            writer.lines.close();
            writer.lines.line(format_args!("++{count};"));
            Ok(())
        })?;
        self.lines.line(format_args!("{count} = 0;"));
        let (one, zero) = (one(of.ty), zero(of.ty));
        self.each_element(to, false, |writer, at| {
            let to = to.element(at).text;
            let unset = if writer.checked() {
                format!(
                    "{} ? {} : ",
                    checked::is_unset(of.ty, &best),
                    checked::unset(of.ty)
                )
            } else {
                String::new()
            };
            writer.lines.line(format_args!(
                "{to} = {unset}{count} == {at_best} ? {one} : {zero};"
            ));
            writer.lines.line(format_args!("++{count};"));
            Ok(())
        })
    }
}
