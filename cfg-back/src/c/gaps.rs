//! Elements with gaps between them as an array of another shape, in a routine whose parameters may overlap: nothing is
//! copied, so strides must lead from element to element, and the function finds them when it is entered.

use super::{
    amount::Amount,
    array::View,
    expression::at_least_zero,
    faults::SHAPE,
    operators::Piece,
    variable::{Array, Bound},
    writer::Writer,
};
use cfg_core::{entity::VarId, ir::Order};

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
    pub(super) fn lie_of(view: &View) -> String {
        if view.dense {
            return "NULL".to_owned();
        }
        Self::lie_in_numbers(view)
    }

    /// The same of elements with and without gaps.
    pub(super) fn lie_in_numbers(view: &View) -> String {
        let mut numbers = vec![view.axes.len().to_string()];
        for (extent, stride) in by_speed(view.axes.clone(), view.order) {
            numbers.extend([extent.code().text, stride.code().text]);
        }
        format!("(const int64_t[]){{{}}}", numbers.join(", "))
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
        self.pieces.need(Piece::LayOver);
        let extents: Vec<Amount> = self.variables.extents(&array.axes);
        let extents = extents.iter().map(|n| at_least_zero(n).code().text);
        let extents = by_speed(extents.collect(), array.order);
        let mut strides = Vec::new();
        for axis in &array.axes {
            if let Some(Bound::Kept(k)) = axis.stride {
                strides.push(self.variables.bounds[k].name.clone());
            }
        }
        let zeros: Vec<String> = strides.iter().map(|name| format!("{name} = 0")).collect();
        self.lines
            .line(format_args!("int64_t {};", zeros.join(", ")));
        let pointers: Vec<String> = strides.iter().map(|name| format!("&{name}")).collect();
        let pointers = by_speed(pointers, array.order);
        let call = format!(
            "cfgrev_lay_over((int64_t *const[]){{{}}}, {}, (const int64_t[]){{{}}}, {view})",
            pointers.join(", "),
            pointers.len(),
            extents.join(", ")
        );
        if self.checked() {
            self.must(&call, SHAPE);
        } else {
            self.made.can_fail = true;
            self.lines.line(format_args!("if (!{call})"));
            self.lines.line("    return 4;");
        }
    }
}
