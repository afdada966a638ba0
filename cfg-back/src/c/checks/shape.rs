//! Checked shapes: sections, arrays that meet, numbers of elements.

use super::functions::{BOUNDS_OF, CELLS, CONFORM, RANGE};
use crate::c::faults::{BOUNDS, OVERFLOW, POINTER, SHAPE, STEP, UNSET};
use crate::c::pooled::Pooled;
use crate::c::{
    amount::Amount,
    array::View,
    expression::at_least_zero,
    forget,
    operators::{Code, Infix, checked},
    variable::Bound,
    writer::Writer,
};
use cfg_core::{entity::VarId, ir::ScalarType};

impl Writer<'_> {
    /// Notes if two arrays have other extents.
    pub(in crate::c) fn must_conform(&mut self, a: &View, b: &View) {
        if !self.is_checked() {
            return;
        }
        for ((m, _), (n, _)) in a.axes.iter().zip(&b.axes) {
            let same = match (m.constant(), n.constant()) {
                (Some(m), Some(n)) => m.max(0) == n.max(0),
                _ => m == n,
            };
            if !same {
                self.pieces.define("cfgrev_conform", || CONFORM.to_owned());
                let extents = [m.to_code(), n.to_code()];
                let call =
                    self.noting_call("cfgrev_conform", &[SHAPE], extents, ScalarType::Integer);
                self.add(call);
            }
        }
    }

    // --- shapes --------------------------------------------------------------------------------

    /// The number of elements, the largest integer if that does not fit.
    pub(in crate::c) fn count_of(&self, extents: &[Amount]) -> Amount {
        let mut size: Option<Amount> = None;
        for extent in extents {
            size = Some(match size {
                None if extents.len() == 1 => at_least_zero(extent),
                None => extent.clone(),
                Some(size) => match (size.constant(), extent.constant()) {
                    (Some(m), Some(n)) if m.max(0).checked_mul(n.max(0)).is_some() => {
                        (m.max(0) * n.max(0)).into()
                    }
                    _ => {
                        let factors = [size.to_code(), extent.to_code()];
                        Code::call("cfgrev_count", factors, ScalarType::Integer).into()
                    }
                },
            });
        }
        size.unwrap_or_else(|| 1.into())
    }

    /// Notes if the bounds of a dimension are not set or leave the integers.
    pub(in crate::c) fn must_be_bounds(&mut self, lower: &Amount, extent: &Amount) {
        let known = match (lower.constant(), extent.constant()) {
            (Some(l), Some(n)) => l.checked_add(n.max(0)).is_some(),
            _ => false,
        };
        if known || !self.is_checked() {
            return;
        }
        self.pieces.define("cfgrev_bounds", || BOUNDS_OF.to_owned());
        let bounds = [lower.to_code(), extent.to_code()];
        let codes = [UNSET, OVERFLOW];
        let call = self.noting_call("cfgrev_bounds", &codes, bounds, ScalarType::Integer);
        self.add(call);
    }

    /// The extent, start and step of a range of a section, in variables; the function has not left if they are not those
    /// of elements.
    pub(in crate::c) fn checked_range(
        &mut self,
        [first, last, step]: [&Amount; 3],
        lower: &Amount,
        size: &Amount,
        v: VarId,
    ) -> (Amount, Amount, Amount) {
        // The function of trips is needed.
        let codes = [first, last, step].map(Amount::to_code);
        let _ = checked::trip_count(codes, self.pieces);
        self.pieces
            .define("cfgrev_trips_range", || RANGE.to_owned());
        let arguments = [first, last, step, lower, size].map(Amount::to_code);
        let codes = [BOUNDS, UNSET, OVERFLOW, STEP, POINTER];
        let (name, codes) = match self.pool_of(v) {
            Some(Pooled::Cells) => {
                self.pieces
                    .define("cfgrev_trips_range_cells", || CELLS.to_owned());
                ("cfgrev_trips_range_cells", &codes[..])
            }
            Some(Pooled::Table) | None => ("cfgrev_trips_range", &codes[..4]),
        };
        let call = self.noting_call(name, codes, arguments, ScalarType::Integer);
        let extent = self.keep("extent", call);
        let start = match (first.constant(), lower.constant()) {
            (Some(a), Some(b)) if a == b => 0.into(),
            _ => {
                let some = extent.clone().is(Infix::Gt, 0);
                let start = some.choose(first.minus_code(lower).to_code(), 0);
                self.keep("start", start).into()
            }
        };
        let by = match step.constant() {
            Some(n) if n.unsigned_abs() < 1 << 16 => n.into(),
            _ => {
                let several = extent.clone().is(Infix::Gt, 1);
                self.keep("by", several.choose(step.to_code(), 0)).into()
            }
        };
        (extent.into(), start, by)
    }

    /// The position of an index of a section of an array, in a variable.
    pub(in crate::c) fn checked_index(
        &mut self,
        index: &Amount,
        bounds: (&Bound, &Bound),
        v: VarId,
    ) -> Amount {
        let (at, sure) = self.checked_position(&index.to_code(), bounds, v, None);
        if sure {
            return at;
        }
        self.keep("at", at.to_code()).into()
    }

    /// The call that marks elements as never set.
    pub(in crate::c) fn cells_forgotten(&mut self, pointer: Code, count: Code) -> Code {
        forget::cells(self.pieces, pointer, count)
    }
}
