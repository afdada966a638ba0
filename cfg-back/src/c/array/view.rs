//! The cells of an array operand: a variable, a section, an array of a form.

use super::Arrays;
use crate::c::{
    Emitted,
    amount::Amount,
    expression::at_least_zero,
    operators::Code,
    operators::precedence::{POSTFIX, SUM},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Order, Place, ScalarType, Subscript},
};
use cfg_transform::scalarize::ArrayId;

/// The cells of an array: a pointer and an offset, and for each dimension the extent and the stride.
#[derive(Clone, Debug)]
pub(in crate::c) struct View {
    pub(in crate::c) pointer: String,
    pub(in crate::c) offset: Amount,
    pub(in crate::c) axes: Vec<(Amount, Amount)>,
    pub(in crate::c) order: Order,
    pub(in crate::c) ty: ScalarType,
    /// True if the elements are known to follow each other in storage order.
    pub(in crate::c) dense: bool,
}

impl View {
    /// The pointer to its first element.
    pub(in crate::c) fn first(&self) -> String {
        match self.offset.constant() {
            Some(0) => self.pointer.clone(),
            _ => format!(
                "{} + {}",
                self.pointer,
                self.offset.code().at_least(SUM + 1)
            ),
        }
    }

    /// The element at these positions.
    pub(in crate::c) fn element(&self, at: &[Amount]) -> Code {
        let mut offset = self.offset.clone();
        for (at, (_, stride)) in at.iter().zip(&self.axes) {
            offset = offset.plus(&at.times(stride));
        }
        let text = format!("{}[{}]", self.pointer, offset.code().text);
        Code::new(text, POSTFIX, self.ty)
    }

    /// The number of elements.
    pub(in crate::c) fn size(&self) -> Amount {
        match &self.axes[..] {
            // Loops and allocation take a negative one for none.
            [(extent, _)] => extent.clone(),
            axes => axes.iter().fold(1.into(), |size: Amount, (extent, _)| {
                size.times(&at_least_zero(extent))
            }),
        }
    }
}

/// True if a section's elements follow each other: all dimensions that vary faster than the slowest range are whole, and
/// all ranges have stride 1.
pub(in crate::c) fn is_dense(order: Order, rank: usize, ranges: &[(usize, bool, bool)]) -> bool {
    if ranges.iter().any(|(_, _, unit)| !unit) {
        return false;
    }
    // Ranges must be the fastest dimensions, and all but the slowest of them whole.
    let fastest = |k: usize| match order {
        Order::Row => rank - 1 - k,
        Order::Column => k,
    };
    let mut places: Vec<(usize, bool)> = ranges
        .iter()
        .map(|(k, whole, _)| (fastest(*k), *whole))
        .collect();
    places.sort_unstable();
    let count = places.len();
    places
        .iter()
        .enumerate()
        .all(|(at, (k, whole))| at == *k && (*whole || at + 1 == count))
}

impl Writer<'_> {
    /// The cells of an array of a form.
    pub(super) fn view_of(&mut self, arrays: &mut Arrays<'_>, array: ArrayId) -> Emitted<View> {
        if let Some(view) = &arrays.views[array.index()] {
            return Ok(view.clone());
        }
        match arrays.form.arrays[array.index()].variable {
            Some(v) => self.view(&Place::whole(v)),
            None => Err(self.malformed("a step names an array that none has made")),
        }
    }

    /// An array becomes this view.
    pub(super) fn set_view(
        &mut self,
        arrays: &mut Arrays<'_>,
        array: ArrayId,
        mut view: View,
    ) -> Emitted<()> {
        if !arrays.variable.contains(&array) {
            // The elements of a transposed array are taken in the order of their cells.
            view.order = arrays.form.arrays[array.index()].order;
            arrays.views[array.index()] = Some(view);
            return Ok(());
        }
        let to = self.view_of(arrays, array)?;
        // Views are read only, or of what may be written.
        self.lines.line(format_args!(
            "{} = ({} *)({});",
            to.pointer,
            self.file.c_type(view.ty),
            view.first()
        ));
        for ((extent, stride), (e, s)) in to.axes.iter().zip(&view.axes) {
            for (to, from) in [(extent, e), (stride, s)] {
                self.lines
                    .line(format_args!("{} = {};", to.code().text, from.code().text));
            }
        }
        Ok(())
    }

    /// The cells of a whole array or a section. Bounds that are more than names are evaluated here.
    pub(in crate::c) fn view(&mut self, place: &Place) -> Emitted<View> {
        self.reads(place.var);
        if !place.subscripts.is_empty() {
            return self.section_view(place);
        }
        let array = self.array_kind(place.var)?;
        let extents = self.variables.extents(&array.axes);
        let strides = self.variables.strides(&array);
        let dense = !array.is_strided();
        let ty = self.variables.all[place.var.index()].ty;
        Ok(View {
            pointer: array.pointer,
            offset: array.offset.into(),
            axes: extents.into_iter().zip(strides).collect(),
            order: array.order,
            ty,
            dense,
        })
    }

    pub(in crate::c) fn section_view(&mut self, place: &Place) -> Emitted<View> {
        if self.checked() {
            return self.checked_section(place);
        }
        self.reads(place.var);
        let array = self.array_kind(place.var)?;
        let extents = self.variables.extents(&array.axes);
        let strides = self.variables.strides(&array);
        let mut offset = Amount::from(array.offset);
        let mut axes = Vec::new();
        let mut ranges = Vec::new();
        for (k, subscript) in place.subscripts.iter().enumerate() {
            let (axis, stride) = (&array.axes[k], &strides[k]);
            let range = match subscript {
                Subscript::Index(e) => {
                    let lower = self.variables.amount(&axis.lower);
                    let at = self.kept(e)?.minus_code(&lower);
                    offset = offset.plus(&at.times(stride));
                    continue;
                }
                Subscript::Range(range) => range,
                // Programs with records are refused before.
                Subscript::Field(_) | Subscript::Deref => continue,
            };
            let lower = self.variables.amount(&axis.lower);
            let mut bound = |e: &Option<Expr>| e.as_ref().map(|e| self.kept(e)).transpose();
            let (from, to, step) = (
                bound(&range.lower)?,
                bound(&range.upper)?,
                bound(&range.stride)?,
            );
            let whole = from.is_none() && to.is_none();
            let from = from.unwrap_or_else(|| lower.clone());
            let to = to.unwrap_or_else(|| lower.plus(&at_least_zero(&extents[k])).minus(1));
            let (extent, step) = match step {
                None if whole => (extents[k].clone(), 1.into()),
                Some(step) if step.constant() != Some(1) => {
                    let operands = [&from, &to, &step].map(Amount::code);
                    let trips = Amount::from(self.apply(Op::Trips, operands.into())?);
                    (self.kept_amount("extent", trips), step)
                }
                None | Some(_) => (to.minus_code(&from).plus(&1.into()), Amount::from(1)),
            };
            offset = offset.plus(&from.minus_code(&lower).times(stride));
            axes.push((extent, step.times(stride)));
            ranges.push((k, whole && range.stride.is_none(), range.stride.is_none()));
        }
        let dense = !array.is_strided() && is_dense(array.order, place.subscripts.len(), &ranges);
        Ok(View {
            pointer: array.pointer,
            offset,
            axes,
            order: array.order,
            ty: self.variables.all[place.var.index()].ty,
            dense,
        })
    }

    /// The value of an integer that is named several times: a name, a constant, or a variable that is set here.
    pub(in crate::c) fn kept(&mut self, e: &Expr) -> Emitted<Amount> {
        let mut own = true;
        e.walk(&mut |e| {
            own &= match e {
                Expr::Place(p) => p.subscripts.is_empty() && self.is_simple(p.var),
                Expr::Int(_) | Expr::Op(Op::Add | Op::Sub, _) => true,
                Expr::Real(_)
                | Expr::Real32(_)
                | Expr::Logical(_)
                | Expr::Op(..)
                | Expr::Null(_)
                | Expr::Addr(_) => false,
            };
        });
        let amount = self.integer(e)?;
        if self.checked() {
            // Everything that is computed is checked.
            let index =
                matches!(e, Expr::Place(p) if self.is_index(p.var) || self.lane(p.var).is_some());
            if index || amount.constant().is_some() {
                return Ok(amount);
            }
            let amount = self.kept_amount("at", amount);
            self.stop();
            return Ok(amount);
        }
        let mut stays = !self.keeps_bounds;
        if !stays {
            stays = true;
            e.walk_places(&mut |p| stays &= self.is_index(p.var));
        }
        if own && e.depth() < 3 && stays {
            return Ok(amount);
        }
        Ok(self.kept_amount("at", amount))
    }

    /// The value of an integer in a variable that is set here, if it is no constant.
    pub(super) fn kept_amount(&mut self, name: &str, amount: Amount) -> Amount {
        if amount.constant().is_some() {
            return amount;
        }
        let name = self.helper(name, ScalarType::Integer);
        self.lines
            .line(format_args!("{name} = {};", amount.code().text));
        Code::new(name, POSTFIX, ScalarType::Integer).into()
    }

    pub(super) fn is_simple(&self, v: VarId) -> bool {
        match self.lane(v) {
            Some(lane) => {
                lane.is_ok_and(|code| code.precedence == POSTFIX && !code.text.contains('['))
            }
            None => self.is_own(v),
        }
    }
}
