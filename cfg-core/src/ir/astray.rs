//! Subscripts of pools that say what is wrong with a pointer.

use super::{Expr, Op};

/// What is wrong with a pointer that leads to no cells of its type.
///
/// Where a program was lowered to pools, a pointer is used by a subscript of the array of cells, whose first element has the number 1. A
/// pointer that may not be used becomes a subscript below that: the use is an error wherever it is evaluated, and the subscript
/// says why. With n the number of cells of the pool and one more, it is −o for object o, where 0 is null; −(o + n) if the cell is one
/// of the object, but of another type; and where a record of m cells is used, which are accessed one by one,
/// −(2o + 2)n − (m − 1) and −(2o + 3)n − (m − 1), from where the other cells of the record are no cells of the pool either.
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
    /// What a subscript says of a pointer into a pool of so many cells; `None` if it is one of a cell, or of none that could be told.
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

    /// The subscript for the use of so many cells, 1 if it is no record, by a pointer to an object of a pool of `cells` cells.
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
        // No object has a record that is larger than the pool: the first of its cells says so.
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
