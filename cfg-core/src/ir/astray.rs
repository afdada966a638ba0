//! Subscripts of pools that encode the fault of a pointer.

use super::{Expr, Op};

/// The fault of a pointer that leads to no cells of its type.
///
/// In a program lowered to pools, a pointer is a subscript of the array of cells, whose first element has number 1. A
/// pointer that may not be used becomes a subscript below 1, so that every use is an error, and the subscript tells
/// the reason. With n one more than the number of cells of the pool, the subscript is −o for object o, where 0 is
/// null, and −(o + n) if the cell belongs to the object but has another type. A record of m cells is accessed one by
/// one from −(2o + 2)n − (m − 1), or from −(2o + 3)n − (m − 1) if the object has cells of other types, so that each
/// of the m subscripts encodes the fault.
///
/// ```
/// use cfg_core::ir::Astray;
///
/// let object = 7;
/// let astray = Astray { object, of_other_type: true };
/// assert_eq!(Astray::said_by(-(7 + 101), 100), Some(astray));
/// assert_eq!(Astray::said_by(12, 100), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Astray {
    /// The number of the object that the pointer leads to; 0 of null.
    pub object: i64,
    /// True if the pointer leads to cells of the object that have other types.
    pub of_other_type: bool,
}

impl Astray {
    /// The fault that a subscript of a pool of `cells` cells encodes; `None` if it is the subscript of a cell or
    /// encodes none.
    pub fn said_by(subscript: i64, cells: i64) -> Option<Self> {
        let (code, n) = (subscript.checked_neg()?, cells.checked_add(1)?);
        if code < 0 || n < 1 {
            return None;
        }
        let (object, of_other_type) = match code / n {
            0 => (code, false),
            1 => (code - n, true),
            reason => (reason / 2 - 1, reason % 2 == 1),
        };
        Some(Self {
            object,
            of_other_type,
        })
    }

    /// The subscript by which a faulty pointer to an object uses `used` cells (1 unless a record is used) of a pool of
    /// `cells` cells.
    pub fn subscript(object: Expr, used: i64, of_other_type: bool, cells: i64) -> Expr {
        let n = cells.saturating_add(1);
        let other = i64::from(of_other_type);
        if used <= 1 {
            let code = match of_other_type {
                false => object,
                true => Expr::op(Op::Add, [object, Expr::Int(n)]),
            };
            return Expr::op(Op::Neg, [code]);
        }
        let reason = Expr::op(Op::Mul, [Expr::Int(2), object]);
        let reason = Expr::op(Op::Add, [reason, Expr::Int(2 + other)]);
        let code = Expr::op(Op::Mul, [reason, Expr::Int(n)]);
        // No object has a record larger than the pool: the first of its cells is already an error.
        let below = Expr::Int(used.min(n) - 1);
        Expr::op(Op::Sub, [Expr::op(Op::Neg, [code]), below])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(e: &Expr) -> i64 {
        match e {
            Expr::Int(n) => *n,
            Expr::Op(op, operands) => {
                let values: Vec<i64> = operands.iter().map(value).collect();
                match (op, &*values) {
                    (Op::Neg, [a]) => -a,
                    (Op::Add, [a, b]) => a + b,
                    (Op::Sub, [a, b]) => a - b,
                    (Op::Mul, [a, b]) => a * b,
                    other => panic!("{other:?}"),
                }
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn subscripts_say_what_they_were_made_from() {
        let cells = 5;
        for object in 0..=cells {
            for of_other_type in [false, true] {
                let astray = Astray {
                    object,
                    of_other_type,
                };
                for used in 1..=cells {
                    let e = Astray::subscript(Expr::Int(object), used, of_other_type, cells);
                    // The cells of a record are used one behind the other.
                    for cell in 0..used {
                        let subscript = value(&e) + cell;
                        assert!(subscript <= 0);
                        assert_eq!(Astray::said_by(subscript, cells), Some(astray));
                    }
                }
            }
        }
        let larger = value(&Astray::subscript(Expr::Int(0), 60, false, cells));
        let null = Astray::said_by(larger, cells).expect("a reason");
        assert_eq!((null.object, null.of_other_type), (0, false));
        assert_eq!(Astray::said_by(1, cells), None);
        assert_eq!(Astray::said_by(i64::MIN, cells), None);
        assert_eq!(Astray::said_by(-3, i64::MAX), None);
        assert_eq!(Astray::said_by(-3, -1), None);
    }
}
