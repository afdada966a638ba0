//! Checked shapes: sections, arrays that meet, numbers of elements.

use super::functions::{BOUNDS_OF, CELLS, CONFORM, RANGE};
use crate::c::faults::{BOUNDS, OVERFLOW, POINTER, SHAPE, STEP, UNSET};
use crate::c::pooled::Pooled;
use crate::c::{
    amount::Amount,
    array::View,
    expression::at_least_zero,
    forget,
    operators::{
        Code, checked,
        precedence::{POSTFIX, RELATION},
    },
    variable::Bound,
    writer::Writer,
};
use cfg_core::{entity::VarId, ir::ScalarType};

impl Writer<'_> {
    /// Notes if two arrays have other extents.
    pub(in crate::c) fn must_conform(&mut self, a: &View, b: &View) {
        if !self.checked() {
            return;
        }
        for ((m, _), (n, _)) in a.axes.iter().zip(&b.axes) {
            let same = match (m.constant(), n.constant()) {
                (Some(m), Some(n)) => m.max(0) == n.max(0),
                _ => m == n,
            };
            if !same {
                self.pieces.define("cfgrev_conform", || CONFORM.to_owned());
                let (m, n) = (m.code().text, n.code().text);
                let call = self.noting("cfgrev_conform", &[SHAPE], &[&m, &n], ScalarType::Integer);
                self.lines.line(format_args!("{};", call.text));
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
                        let text =
                            format!("cfgrev_count({}, {})", size.code().text, extent.code().text);
                        Code::new(text, POSTFIX, ScalarType::Integer).into()
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
        if known || !self.checked() {
            return;
        }
        self.pieces.define("cfgrev_bounds", || BOUNDS_OF.to_owned());
        let (lower, extent) = (lower.code().text, extent.code().text);
        let call = self.noting(
            "cfgrev_bounds",
            &[UNSET, OVERFLOW],
            &[&lower, &extent],
            ScalarType::Integer,
        );
        self.lines.line(format_args!("{};", call.text));
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
        let text = |x: &Amount| x.code().text;
        // The function of trips is needed.
        let codes = [first, last, step].map(Amount::code);
        let _ = checked::trips(&codes, self.pieces);
        self.pieces
            .define("cfgrev_trips_range", || RANGE.to_owned());
        let arguments = [first, last, step, lower, size].map(text);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let codes = [BOUNDS, UNSET, OVERFLOW, STEP, POINTER];
        let (name, codes) = match self.pooled(v) {
            Some(Pooled::Cells) => {
                self.pieces
                    .define("cfgrev_trips_range_cells", || CELLS.to_owned());
                ("cfgrev_trips_range_cells", &codes[..])
            }
            Some(Pooled::Table) | None => ("cfgrev_trips_range", &codes[..4]),
        };
        let call = self.noting(name, codes, &arguments, ScalarType::Integer);
        let extent = self.helper("extent", ScalarType::Integer);
        self.lines.line(format_args!("{extent} = {};", call.text));
        let amount = |name: String| Amount::from(Code::new(name, POSTFIX, ScalarType::Integer));
        let start = match (first.constant(), lower.constant()) {
            (Some(a), Some(b)) if a == b => 0.into(),
            _ => {
                let start = self.helper("start", ScalarType::Integer);
                self.lines.line(format_args!(
                    "{start} = {extent} > 0 ? {} : 0;",
                    first.minus_code(lower).code().text
                ));
                amount(start)
            }
        };
        let by = match step.constant() {
            Some(n) if n.unsigned_abs() < 1 << 16 => n.into(),
            _ => {
                let by = self.helper("by", ScalarType::Integer);
                self.lines.line(format_args!(
                    "{by} = {extent} > 1 ? {} : 0;",
                    step.code().at_least(RELATION)
                ));
                amount(by)
            }
        };
        (amount(extent), start, by)
    }

    /// The position of an index of a section of an array, in a variable.
    pub(in crate::c) fn checked_index(
        &mut self,
        index: &Amount,
        bounds: (&Bound, &Bound),
        v: VarId,
    ) -> Amount {
        let (at, sure) = self.position(&index.code(), bounds, v, None);
        if sure {
            return at;
        }
        let name = self.helper("at", ScalarType::Integer);
        self.lines
            .line(format_args!("{name} = {};", at.code().text));
        Code::new(name, POSTFIX, ScalarType::Integer).into()
    }

    /// A function that makes elements such that were never set.
    pub(in crate::c) fn forget_cells(
        &mut self,
        pointer: &str,
        count: &str,
        ty: ScalarType,
    ) -> String {
        forget::cells(self.pieces, pointer, count, ty)
    }
}
