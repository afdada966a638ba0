//! Entries of tables of pools that encode the fault of a pointer.

use super::{Expr, Op, Subscript};
use crate::entity::VarId;

/// The fault of a pointer that leads to no cells of its type.
///
/// In a program lowered to pools, the cell that a pointer leads to is checked by a conditional expression. If the
/// pointer may not be used, it reads an entry of the table of first cells that does not exist, and the number of the
/// entry tells the reason. With n entries in the table, one more than the pool has cells, the entry is −(n + 1) − o
/// for object o, where 0 is null, and −(2n + 1) − o if the cell belongs to the object but has another type. Entries
/// from −n to −1 encode other faults. Null itself is no fault of the check: it leads to cell 0, which no array has.
///
/// ```
/// use cfg_core::ir::Astray;
///
/// let object = 7;
/// let astray = Astray { object, of_other_type: true };
/// assert_eq!(Astray::said_by(-(2 * 101 + 1) - 7, 101), Some(astray));
/// assert_eq!(Astray::said_by(12, 101), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Astray {
    /// The number of the object that the pointer leads to; 0 of null.
    pub object: i64,
    /// True if the pointer leads to cells of the object that have other types.
    pub of_other_type: bool,
}

impl Astray {
    /// The fault that the number of an entry encodes, in a table of `n` entries; `None` if it is the number of an entry
    /// or encodes none.
    pub fn said_by(entry: i64, n: i64) -> Option<Self> {
        let code = entry.checked_neg()?.checked_sub(n.checked_add(1)?)?;
        let reasons = 0..n.checked_mul(2)?;
        reasons.contains(&code).then(|| Self {
            object: code % n,
            of_other_type: code >= n,
        })
    }

    /// The number of the entry, in a table of `n` entries, that encodes the fault of a pointer to an object.
    pub fn entry(object: Expr, of_other_type: bool, n: i64) -> Expr {
        let reason = n.saturating_mul(1 + i64::from(of_other_type));
        let object = Expr::op(Op::Neg, [object]);
        Expr::op(Op::Sub, [object, Expr::Int(reason.saturating_add(1))])
    }

    /// The value that an expression has unless a run-time error ends the run: the first arm of a conditional expression
    /// whose other arm reads an entry with a negative number. `is_table` tells the tables of first cells.
    pub fn value_if_none(e: &Expr, is_table: impl Fn(VarId) -> bool) -> Option<&Expr> {
        let Expr::Op(Op::If, operands) = e else {
            return None;
        };
        let [_, value, Expr::Place(entry)] = &**operands else {
            return None;
        };
        let [Subscript::Index(Expr::Op(Op::Sub, number))] = &*entry.subscripts else {
            return None;
        };
        let is_negative = matches!(&**number, [Expr::Op(Op::Neg, _), Expr::Int(1..)]);
        (is_negative && is_table(entry.var)).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Place;

    #[test]
    fn entries_say_what_they_were_made_from() {
        let cells = 5;
        let n = cells + 1;
        for object in 0..=cells {
            for of_other_type in [false, true] {
                let astray = Astray {
                    object,
                    of_other_type,
                };
                let entry = Astray::entry(Expr::Int(object), of_other_type, n).constant();
                // Between are the faults of distances, up to the number of objects.
                assert!(entry.is_some_and(|entry| entry < -n));
                assert_eq!(entry.and_then(|e| Astray::said_by(e, n)), Some(astray));
            }
        }
        for entry in [i64::MIN, -3 * n - 1, -n, -1, 0, 1] {
            assert_eq!(Astray::said_by(entry, n), None, "{entry}");
        }
        assert_eq!(Astray::said_by(-3, i64::MAX), None);
        assert_eq!(Astray::said_by(-3, 0), None);
    }

    #[test]
    fn only_faults_of_tables_are_no_values() {
        let (table, other) = (VarId::new(0), VarId::new(1));
        let chosen = |v, entry: Expr| {
            let entry = Place::element(v, [entry]);
            Expr::op(Op::If, [Expr::Logical(true), Expr::Int(3), entry.into()])
        };
        let value = |e: &Expr| Astray::value_if_none(e, |v| v == table).cloned();
        let fault = Astray::entry(Expr::var(other), false, 6);
        assert_eq!(value(&chosen(table, fault.clone())), Some(Expr::Int(3)));
        assert_eq!(value(&chosen(other, fault.clone())), None);
        assert_eq!(value(&chosen(table, Expr::var(other))), None);
        assert_eq!(value(&fault), None);
    }
}
