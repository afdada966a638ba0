//! The rare cases of instructions: faults, uninitialised operands, trip counts of other steps than 1.

use cfg_core::{
    elemental::{ArithmeticError, integer},
    ir::{AnyInt, Conversion, IntType, Op},
};

use super::Limits;
use crate::{
    cell::{POISON_INT, POISON_INT_CELL, POISON_LOGICAL, POISON_REAL},
    code::Cmp,
    descriptor::{Descriptor, State},
    fault::Fault,
    tape::TapeError,
};

/// The reason for which there is no element with this subscript.
#[cold]
#[inline(never)]
pub(super) fn element_fault(
    d: &Descriptor,
    arr: u16,
    axis: usize,
    i: u64,
    offset: i8,
) -> Box<Fault> {
    let index = i as i64;
    Box::new(match d.state {
        State::Absent | State::Untaken => Fault::Absent(Some(arr)),
        State::Unallocated => Fault::Unallocated(Some(arr)),
        State::Bound if index == POISON_INT => Fault::Uninitialised("a subscript"),
        State::Bound => match index.checked_add(i64::from(offset)) {
            None => Fault::Overflow(format!("the subscript {index} + {offset}")),
            Some(index) => Fault::Bounds {
                array: Some(arr),
                axis,
                index,
                lower: d.axes[axis % 2].lower,
                extent: d.axes[axis % 2].extent,
            },
        },
    })
}

/// The reason for which there is no element with this subscript, for a dimension in a later part of the descriptor.
#[cold]
#[inline(never)]
pub(super) fn element_fault_of(
    head: &Descriptor,
    part: &Descriptor,
    arr: u16,
    k: usize,
    i: u64,
) -> Box<Fault> {
    let place = Descriptor {
        state: head.state,
        ..*part
    };
    element_fault(&place, arr, k, i, 0)
}

/// The result of an integer operator that has none in 64 bits: uninitialised if an operand is, else a fault.
#[cold]
#[inline(never)]
pub(super) fn integer_result(
    a: u64,
    b: u64,
    op: Op,
    error: Option<ArithmeticError>,
) -> Result<u64, Box<Fault>> {
    if a == POISON_INT_CELL || b == POISON_INT_CELL {
        return Ok(POISON_INT_CELL);
    }
    Err(Box::new(match error {
        None | Some(ArithmeticError::Overflow | ArithmeticError::Operands(_)) => {
            Fault::Overflow(format!("{} {} {}", a as i64, op.name(), b as i64))
        }
        Some(ArithmeticError::DivisionByZero) => Fault::Division,
        Some(ArithmeticError::NotRepresentable(x)) => Fault::Conversion(x, "integer"),
        Some(ArithmeticError::ZeroStep) => Fault::Step,
    }))
}

/// The cell of a computed number; fails if it is the mark of an uninitialised integer.
#[inline(always)]
pub(super) fn unmarked(n: i64) -> Result<u64, Box<Fault>> {
    if n == POISON_INT {
        return Err(Box::new(Fault::Mark));
    }
    Ok(n as u64)
}

/// The fault of an operation whose result is of the type of a name.
fn arithmetic_fault(
    error: ArithmeticError,
    ty: &'static str,
    what: impl FnOnce() -> String,
) -> Box<Fault> {
    Box::new(match error {
        ArithmeticError::Overflow | ArithmeticError::Operands(_) => Fault::Range(what()),
        ArithmeticError::DivisionByZero => Fault::Division,
        ArithmeticError::NotRepresentable(x) => Fault::Conversion(x, ty),
        ArithmeticError::ZeroStep => Fault::Step,
    })
}

/// An operator over integers of another type than `integer`; uninitialised if an operand is.
pub(super) fn sized(op: Op, ty: IntType, a: u64, b: Option<u64>) -> Result<u64, Box<Fault>> {
    if a == POISON_INT_CELL || b == Some(POISON_INT_CELL) {
        return Ok(POISON_INT_CELL);
    }
    let result = match b {
        Some(b) => integer::sized_binary(op, ty, a as i64, b as i64),
        None => integer::sized_unary(op, ty, a as i64),
    };
    match result {
        Ok(n) => unmarked(n),
        Err(error) => Err(arithmetic_fault(error, ty.name(), || {
            let x = ty.value(a as i64);
            match b {
                Some(b) => format!("{x} {} {} as {}", op.name(), ty.value(b as i64), ty.name()),
                None => format!("{} {x} as {}", op.name(), ty.name()),
            }
        })),
    }
}

/// Fails if a number from a tape is no value of the type.
pub(super) fn fits(ty: IntType, cell: u64) -> Result<(), Box<Fault>> {
    let n = cell as i64;
    if ty == IntType::Uint64 || cell == POISON_INT_CELL || ty.wrap(n.into()) == n {
        return Ok(());
    }
    let what = format!("{n} from the tape as {}", ty.name());
    Err(Box::new(Fault::Range(what)))
}

/// A conversion between integer types; uninitialised if the operand is.
pub(super) fn converted(
    how: Conversion,
    to: AnyInt,
    from: AnyInt,
    cell: u64,
) -> Result<u64, Box<Fault>> {
    if cell == POISON_INT_CELL {
        return Ok(cell);
    }
    let x = from.value(cell as i64);
    match integer::converted(how, to, x) {
        Ok(n) => unmarked(n),
        Err(error) => Err(arithmetic_fault(error, to.name(), || {
            format!("{x} as {}", to.name())
        })),
    }
}

/// A conversion of a real to an integer type; uninitialised if the operand is.
pub(super) fn converted_real(how: Conversion, to: AnyInt, cell: u64) -> Result<u64, Box<Fault>> {
    if cell == POISON_REAL {
        return Ok(POISON_INT_CELL);
    }
    let x = f64::from_bits(cell);
    match integer::converted_real(how, to, x) {
        Ok(n) => unmarked(n),
        Err(error) => Err(arithmetic_fault(error, to.name(), || {
            format!("{x} as {}", to.name())
        })),
    }
}

/// The trip count, uninitialised if one of the values is.
#[cold]
#[inline(never)]
pub(super) fn trips(first: u64, last: u64, step: u64) -> Result<u64, Box<Fault>> {
    if [first, last, step].contains(&POISON_INT_CELL) {
        return Ok(POISON_INT_CELL);
    }
    match integer::trips(first as i64, last as i64, step as i64) {
        Ok(n) => Ok(n as u64),
        Err(ArithmeticError::ZeroStep) => Err(Box::new(Fault::Step)),
        Err(_) => Err(Box::new(Fault::Overflow("a trip count".to_owned()))),
    }
}

/// The trip count of a loop, for which an uninitialised value is a fault. The common step 1 is computed in line.
#[inline(always)]
pub(super) fn trips_needed(first: u64, last: u64, step: u64) -> Result<u64, Box<Fault>> {
    const SMALL: i64 = 1 << 60;
    let (f, l) = (first as i64, last as i64);
    if step == 1 && f > -SMALL && l < SMALL && f < SMALL && l > -SMALL {
        return Ok((l - f + 1).max(0) as u64);
    }
    match trips(first, last, step)? {
        POISON_INT_CELL => Err(Box::new(Fault::Uninitialised(
            "the range of a counted loop",
        ))),
        n => Ok(n),
    }
}

/// Fails if a comparison of reals that are not ordered decides something and an operand is uninitialised.
#[cold]
#[inline(never)]
pub(super) fn unordered(a: u64, b: u64) -> Result<(), Box<Fault>> {
    if a == POISON_REAL || b == POISON_REAL {
        return Err(Box::new(Fault::Uninitialised("a condition")));
    }
    Ok(())
}

/// The error for an uninitialised value that decides a branch, a subscript or an extent.
#[cold]
#[inline(never)]
pub(super) fn undecided(what: &'static str) -> Box<Fault> {
    Box::new(Fault::Uninitialised(what))
}

/// The result of a comparison with a NaN operand.
#[cold]
#[inline(never)]
pub(super) fn compare_unordered(cmp: Cmp, a: u64, b: u64) -> u64 {
    if a == POISON_REAL || b == POISON_REAL {
        POISON_LOGICAL
    } else {
        u64::from(cmp == Cmp::Ne)
    }
}

/// A control value of fixed width; an uninitialised one passes.
#[inline]
pub(super) fn control_value(cell: u64, bits: u8) -> Result<u64, Box<Fault>> {
    if cell >> bits.min(63) == 0 || cell == POISON_INT_CELL {
        return Ok(cell);
    }
    Err(Box::new(Fault::Control(format!(
        "{} does not fit into {bits} control bits",
        cell as i64
    ))))
}

/// A count for the control stack; it must be there and not negative.
#[inline]
pub(super) fn control_count(cell: u64) -> Result<u64, Box<Fault>> {
    if cell == POISON_INT_CELL {
        return Err(undecided("a count on the control stack"));
    }
    if (cell as i64) < 0 {
        return Err(Box::new(Fault::Control(format!(
            "{} is not a count",
            cell as i64
        ))));
    }
    Ok(cell)
}

/// The fault of a run with these limits whose tape refuses a push or a pop.
#[cold]
#[inline(never)]
pub(super) fn tape_fault(error: TapeError, limits: Option<Limits>) -> Box<Fault> {
    Box::new(match error {
        TapeError::Full => Fault::Tape(limits.map_or(0, |l| l.max_tape)),
        TapeError::Memory => Fault::Memory {
            limit: limits.map_or(u64::MAX, |l| l.max_memory),
        },
        TapeError::Empty(stack) => Fault::Empty(stack),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fast path for step 1 and the general one count the same passes.
    #[test]
    fn passes_are_counted_alike_on_both_sides_of_the_short_way() {
        const AT: i64 = 1 << 60;
        let ends = [-AT - 1, -AT, 1 - AT, -1, 0, 1, AT - 1, AT, AT + 1];
        for first in ends {
            for last in ends {
                let passes = (last - first + 1).max(0) as u64;
                let found = trips_needed(first as u64, last as u64, 1).ok();
                assert_eq!(found, Some(passes), "{first}, {last}");
            }
        }
    }
}
