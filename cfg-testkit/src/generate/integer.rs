//! Integer expressions with their ranges, and subscripts.

use super::build::{Builder, INDEX_MAX};
use cfg_core::ir::{AnyInt, Conversion, Expr, IntType, Op, Place, Range, ScalarType, Subscript};

/// An integer expression and the interval that its value is in.
pub(super) struct Ranged {
    pub(super) e: Expr,
    pub(super) low: i64,
    pub(super) high: i64,
}

/// Intermediate values stay within this, so nothing overflows.
const WIDE: i64 = 1_000_000;

impl Builder<'_> {
    /// An integer expression.
    pub(super) fn integer(&mut self, depth: usize) -> Ranged {
        if depth == 0 || self.rng.percent(35) {
            return self.integer_leaf();
        }
        if self.options.operators
            && self.rng.percent(10)
            && let Some(rare) = self.rare_integer()
        {
            return rare;
        }
        if self.options.operators && self.rng.percent(5) {
            return self.sized_integer();
        }
        let a = self.integer(depth - 1);
        match self.rng.weighted(&[4, 4, 2, 1, 1, 1, 2, 2, 1]) {
            0 => {
                let b = self.integer(depth - 1);
                let (low, high) = (a.low + b.low, a.high + b.high);
                bounded(Op::Add, vec![a.e, b.e], low, high)
            }
            1 => {
                let b = self.integer(depth - 1);
                let (low, high) = (a.low - b.high, a.high - b.low);
                bounded(Op::Sub, vec![a.e, b.e], low, high)
            }
            2 => {
                let b = self.integer(depth - 1);
                let corners = [
                    a.low * b.low,
                    a.low * b.high,
                    a.high * b.low,
                    a.high * b.high,
                ];
                let low = corners.into_iter().min().unwrap_or(0);
                let high = corners.into_iter().max().unwrap_or(0);
                bounded(Op::Mul, vec![a.e, b.e], low, high)
            }
            3 => bounded(Op::Neg, vec![a.e], -a.high, -a.low),
            4 => {
                let largest = a.low.abs().max(a.high.abs());
                bounded(Op::Abs, vec![a.e], 0, largest)
            }
            5 => {
                let d = *self.rng.pick(&[-3, -2, 2, 3, 4]).unwrap_or(&2);
                let largest = a.low.abs().max(a.high.abs());
                bounded(Op::Div, vec![a.e, Expr::Int(d)], -largest, largest)
            }
            6 => {
                let m = self.rng.between(2, 9);
                bounded(Op::Modulo, vec![a.e, Expr::Int(m)], 0, m - 1)
            }
            7 => {
                let b = self.integer(depth - 1);
                if self.rng.percent(50) {
                    let (low, high) = (a.low.min(b.low), a.high.min(b.high));
                    bounded(Op::Min, vec![a.e, b.e], low, high)
                } else {
                    let (low, high) = (a.low.max(b.low), a.high.max(b.high));
                    bounded(Op::Max, vec![a.e, b.e], low, high)
                }
            }
            _ => {
                let c = self.condition(1);
                let b = self.integer(depth - 1);
                let (low, high) = (a.low.min(b.low), a.high.max(b.high));
                bounded(Op::If, vec![c, a.e, b.e], low, high)
            }
        }
    }

    fn integer_leaf(&mut self) -> Ranged {
        let scalars = self.readable(ScalarType::Integer, false);
        let arrays = self.readable(ScalarType::Integer, true);
        if !scalars.is_empty() && self.rng.percent(75) {
            let v = scalars[self.rng.below(scalars.len())];
            self.note_read(v);
            let (low, high) = self.state.range[v];
            let e = self.vars[v].value();
            return Ranged { e, low, high };
        }
        if !arrays.is_empty() && self.rng.percent(40) {
            let v = arrays[self.rng.below(arrays.len())];
            let e = Expr::Place(self.element(v));
            return Ranged {
                e,
                low: 1,
                high: INDEX_MAX,
            };
        }
        if self.rng.percent(8) {
            let mut reals = self.readable(ScalarType::Real, true);
            reals.retain(|&v| self.vars[v].is_plain());
            if !reals.is_empty() {
                let v = reals[self.rng.below(reals.len())];
                self.note_read(v);
                let (lower, extent) = self.vars[v].dims[0];
                let array = self.vars[v].value();
                let (op, value) = match self.rng.below(3) {
                    0 => (Op::Size, extent),
                    1 => (Op::LBound, lower),
                    _ => (Op::UBound, lower + extent - 1),
                };
                return Ranged {
                    e: Expr::op(op, [array, Expr::Int(1)]),
                    low: value,
                    high: value,
                };
            }
        }
        let k = self.rng.between(-3, 5);
        Ranged {
            e: Expr::Int(k),
            low: k,
            high: k,
        }
    }

    /// An integer expression with values in `low ..= high`.
    pub(super) fn integer_in(&mut self, low: i64, high: i64, depth: usize) -> Expr {
        let mut a = if self.rng.percent(12) {
            self.truncated()
        } else {
            self.integer(depth)
        };
        if a.low == a.high && high > low && self.rng.percent(70) {
            a = self.integer(depth);
        }
        if low <= a.low && a.high <= high {
            return a.e;
        }
        if a.low >= -WIDE && a.high <= WIDE && self.rng.percent(25) {
            let floor = Expr::op(Op::Max, [a.e, Expr::Int(low)]);
            return Expr::op(Op::Min, [floor, Expr::Int(high)]);
        }
        let rest = Expr::op(Op::Modulo, [a.e, Expr::Int(high - low + 1)]);
        if low == 0 {
            rest
        } else {
            Expr::op(Op::Add, [rest, Expr::Int(low)])
        }
    }

    /// An integer made from a real.
    fn truncated(&mut self) -> Ranged {
        let real = self.real(1);
        let real = if self.exact() {
            // Only stored values are damped: this one may exceed the range of integers, so its remainder is taken.
            Expr::op(Op::Mod, [real, Expr::Real(64.0)])
        } else {
            // The odd factor keeps the value away from whole numbers, where truncation jumps.
            let scaled = Expr::op(Op::Mul, [Expr::Real(7.31), real]);
            Expr::op(Op::Add, [scaled, Expr::Real(0.237)])
        };
        let whole = Expr::op(Op::TO_INT, [real]);
        Ranged {
            e: Expr::op(Op::Mod, [whole, Expr::Int(7)]),
            low: -6,
            high: 6,
        }
    }

    /// A subscript for a dimension, now and then of another integer type.
    pub(super) fn index(&mut self, (lower, extent): (i64, i64)) -> Expr {
        let index = self.plain_index((lower, extent));
        self.narrowed(index, lower, lower + extent - 1)
    }

    /// An integer with values in `low ..= high` where any integer type may stand.
    pub(super) fn narrowed(&mut self, e: Expr, low: i64, high: i64) -> Expr {
        if !self.options.operators || !self.rng.percent(6) {
            return e;
        }
        let ty = *self.rng.pick(&IntType::ALL).unwrap_or(&IntType::Int8);
        if i128::from(low) < ty.min() || i128::from(high) > ty.max() {
            return e;
        }
        Expr::op(Op::Convert(Conversion::To, AnyInt::Sized(ty)), [e])
    }

    fn plain_index(&mut self, (lower, extent): (i64, i64)) -> Expr {
        let upper = lower + extent - 1;
        if self.rng.percent(20) {
            return Expr::Int(self.rng.between(lower, upper));
        }
        // Variables that fit after a shift: loop indices inside their loops, and index variables.
        let fitting: Vec<usize> = self
            .readable(ScalarType::Integer, false)
            .into_iter()
            .filter(|&v| {
                let (low, high) = self.state.range[v];
                low < high && high - low < extent
            })
            .collect();
        if !fitting.is_empty() && self.rng.percent(75) {
            let v = fitting[self.rng.below(fitting.len())];
            self.note_read(v);
            let (low, high) = self.state.range[v];
            let shift = if lower <= low && high <= upper && self.rng.percent(60) {
                0
            } else {
                self.rng.between(lower - low, upper - high)
            };
            let var = self.vars[v].value();
            return match shift {
                0 => var,
                s if s < 0 => Expr::op(Op::Sub, [var, Expr::Int(-s)]),
                s => Expr::op(Op::Add, [var, Expr::Int(s)]),
            };
        }
        let arrays = self.readable(ScalarType::Integer, true);
        if !arrays.is_empty() && self.rng.percent(40) {
            let v = arrays[self.rng.below(arrays.len())];
            let first = self.vars[v].dims[0].0;
            let k = self.rng.between(first, first + INDEX_MAX - 1);
            let e = Expr::Place(self.vars[v].element([Expr::Int(k)]));
            return if lower == 1 {
                e
            } else {
                Expr::op(Op::Add, [e, Expr::Int(lower - 1)])
            };
        }
        self.integer_in(lower, upper, 1)
    }

    /// A random element of an array.
    pub(super) fn element(&mut self, v: usize) -> Place {
        self.note_read(v);
        let dims = self.vars[v].dims.clone();
        let indices: Vec<Expr> = dims.into_iter().map(|d| self.index(d)).collect();
        self.vars[v].element(indices)
    }

    /// A view of four consecutive or strided elements, of rank 1; `dense`: consecutive in storage.
    pub(super) fn four(&mut self, v: usize, dense: bool) -> Option<Place> {
        let var = self.vars[v].clone();
        self.note_read(v);
        match var.dims[..] {
            [(lower, extent)] => {
                if extent == 4 && self.rng.percent(50) {
                    return (!dense || var.dense).then(|| var.whole());
                }
                if dense && !var.dense {
                    return None;
                }
                let upper = lower + extent - 1;
                let (from, to, stride) = match self.rng.below(4) {
                    0 if extent >= 7 && !dense => {
                        let from = self.rng.between(lower, upper - 6);
                        (from, from + 6, Some(2))
                    }
                    1 if !dense => {
                        let from = self.rng.between(lower + 3, upper);
                        (from, from - 3, Some(-1))
                    }
                    _ => {
                        let from = self.rng.between(lower, upper - 3);
                        (from, from + 3, None)
                    }
                };
                let range = Range {
                    lower: (from != lower || stride == Some(-1)).then_some(Expr::Int(from)),
                    upper: (to != upper || stride == Some(-1)).then_some(Expr::Int(to)),
                    stride: stride.map(Expr::Int),
                };
                Some(var.at([Subscript::Range(Box::new(range))]))
            }
            [rows, columns] => {
                // A row or a column with exactly four elements.
                let all = || Subscript::Range(Box::default());
                let row_ok = columns.1 == 4 && (!dense || !var.column);
                let column_ok = rows.1 == 4 && (!dense || var.column);
                let row = match (row_ok, column_ok) {
                    (true, true) => self.rng.percent(50),
                    (true, false) => true,
                    (false, true) => false,
                    (false, false) => return None,
                };
                let subscripts = if row {
                    [Subscript::Index(self.index(rows)), all()]
                } else {
                    [all(), Subscript::Index(self.index(columns))]
                };
                Some(var.at(subscripts))
            }
            _ => None,
        }
    }

    /// Four elements of some initialised array.
    pub(super) fn four_of(&mut self, ty: ScalarType) -> Option<Place> {
        let arrays = self.readable(ty, true);
        let v = *self.rng.pick(&arrays)?;
        self.four(v, false)
    }
}

/// The expression, wrapped if its interval is too wide.
fn bounded(op: Op, operands: Vec<Expr>, low: i64, high: i64) -> Ranged {
    let e = Expr::op(op, operands);
    if low < -WIDE || high > WIDE {
        Ranged {
            e: Expr::op(Op::Mod, [e, Expr::Int(50)]),
            low: -49,
            high: 49,
        }
    } else {
        Ranged { e, low, high }
    }
}
