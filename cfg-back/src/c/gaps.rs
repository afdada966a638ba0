//! Elements with gaps between them as an array of another shape, in a routine whose parameters may overlap: nothing is
//! copied, so strides must lead from element to element, and the function finds them when it is entered.

use super::{
    amount::Amount,
    array::View,
    expression::at_least_zero,
    faults::SHAPE,
    operators::{Code, Infix, Piece, Prefix},
    variable::{Array, Bound, null},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Order, ScalarType},
};

/// The order in which dimensions are listed: the fastest first.
fn by_speed<T>(mut all: Vec<T>, order: Order) -> Vec<T> {
    if order == Order::Row {
        all.reverse();
    }
    all
}

impl Writer<'_> {
    /// The text of an argument that says how the elements of an array lie: the number of dimensions, and extent and stride
    /// of each, the fastest first. None are needed for elements without gaps.
    pub(super) fn lie_of(view: &View) -> Code {
        match view.dense {
            true => null(),
            false => Self::lie_in_numbers(view),
        }
    }

    /// The same of elements with and without gaps.
    pub(super) fn lie_in_numbers(view: &View) -> Code {
        let mut numbers = vec![Code::from(view.axes.len() as i64)];
        for (extent, stride) in by_speed(view.axes.clone(), view.order) {
            numbers.extend([extent.to_code(), stride.to_code()]);
        }
        Code::list("const int64_t[]", numbers)
    }

    /// The parameters of which the strides are found on entry.
    pub(super) fn laid_over(&self) -> Vec<(VarId, Array)> {
        let all = self.variables.arrays();
        let all = all.filter(|(_, variable, array)| variable.used && array.laid_over.is_some());
        all.map(|(v, _, array)| (v, array.clone())).collect()
    }

    /// Finds the strides of a parameter; the function has left if there are none.
    pub(super) fn lay_over(&mut self, array: &Array) {
        let Some(view) = &array.laid_over else {
            return;
        };
        self.pieces.require(Piece::LayOver);
        let extents: Vec<Amount> = self.variables.extents(&array.axes);
        let extents = extents.iter().map(|n| at_least_zero(n).to_code());
        let extents = by_speed(extents.collect(), array.order);
        let mut strides = Vec::new();
        for axis in &array.axes {
            if let Some(Bound::Kept(k)) = axis.stride {
                strides.push(Code::from(self.variables.bounds[k].name.clone()));
            }
        }
        let zeros = strides.iter().enumerate().map(|(k, stride)| {
            let stride = stride.clone();
            (if k == 0 {
                stride.declared("int64_t")
            } else {
                stride
            })
            .set(0)
        });
        let zeros = zeros.reduce(|x, y| x.with(Infix::Comma, y));
        zeros.into_iter().for_each(|zeros| self.add(zeros));
        let pointers = strides
            .into_iter()
            .map(|stride| stride.prefix(Prefix::Address));
        let pointers: Vec<Code> = by_speed(pointers.collect(), array.order);
        let count = (pointers.len() as i64).into();
        let arguments = [
            Code::list("int64_t *const[]", pointers),
            count,
            Code::list("const int64_t[]", extents),
            view.clone().into(),
        ];
        let call = Code::call("cfgrev_lay_over", arguments, ScalarType::Logical);
        if self.is_checked() {
            self.check_condition(call, SHAPE);
        } else {
            self.fail_if(call.prefix(Prefix::Not), 4);
        }
    }
}
