//! Typing of pointers.

use super::{Mismatch, Rule, Type, wrong};
use crate::ir::{Op, PointerType, ScalarType, Subscript};

/// The type of operands that are all pointers of one type; `None` if none is a pointer.
pub(super) fn same_pointers(op: Op, operands: &[Type]) -> Result<Option<PointerType>, Mismatch> {
    let Some(first) = operands.iter().find_map(|t| t.ty.pointer()) else {
        return Ok(None);
    };
    let problem = |message| {
        let help = "both are pointers to the same type, and scalars; one that points nowhere is [\"null\", type]";
        Err(Mismatch::new(Rule::Pointer, message, help))
    };
    if let Some(other) = operands.iter().find(|t| t.ty != ScalarType::Pointer(first)) {
        return problem(match other.ty.pointer() {
            Some(_) => format!("`{}` takes pointers to two types", op.name()),
            None => format!("`{}` takes a pointer and {other}", op.name()),
        });
    }
    if let Some(array) = operands.iter().find(|t| t.rank > 0) {
        return problem(format!(
            "`{}` takes pointers, but an operand is {array}",
            op.name()
        ));
    }
    Ok(Some(first))
}

/// The type of `shift` and `distance`.
pub(super) fn pointers(op: Op, operands: &[Type]) -> Result<Type, Mismatch> {
    if op == Op::Distance {
        return match same_pointers(op, operands)? {
            Some(_) => Ok(Type::scalar(ScalarType::Integer)),
            None => Err(no_pointer(op, operands[0])),
        };
    }
    let (pointer, by) = (operands[0], operands[1]);
    if pointer.ty.pointer().is_none() || pointer.rank > 0 {
        return Err(no_pointer(op, pointer));
    }
    if !by.ty.is_integer() || by.rank > 0 {
        return Err(wrong(
            op,
            by,
            "a pointer and a number of elements, an integer scalar",
        ));
    }
    Ok(pointer)
}

fn no_pointer(op: Op, operand: Type) -> Mismatch {
    Mismatch::new(
        Rule::Pointer,
        format!(
            "`{}` takes a pointer, but an operand is {operand}",
            op.name()
        ),
        "name a variable that is declared with {\"pointer\": type}; the pointer to a place is [\"addr\", place]",
    )
}

/// The type of the address of a place of a type: a pointer to it, or to the elements of an array.
///
/// # Errors
/// There are no pointers to tapes, nor more in a row than [`PointerType::MAX_DEPTH`].
pub(crate) fn address(place: Type) -> Result<Type, Mismatch> {
    match PointerType::to(place.ty) {
        Some(pointer) => Ok(Type::scalar(ScalarType::Pointer(pointer))),
        None => Err(Mismatch::new(
            Rule::Pointer,
            format!("`addr` of {place}"),
            "take the address of a scalar, an array of scalars, a record, or a pointer to fewer pointers",
        )),
    }
}

/// The type of the target of a pointer, in a place with at most one subscript behind the step.
pub(super) fn through(
    name: &str,
    pointer: Type,
    subscripts: &[Subscript],
) -> Result<ScalarType, Mismatch> {
    let problem = |message, help| Err(Mismatch::new(Rule::Pointer, message, help));
    let Some(found) = pointer.ty.pointer() else {
        return problem(
            format!("{name} is {pointer}, and no pointer to go through"),
            "declare it with {\"pointer\": type}, or leave out the `deref`",
        );
    };
    if pointer.rank > 0 {
        return problem(
            format!("{name} is an array of pointers, and no pointer to go through"),
            "choose one by its subscripts",
        );
    }
    match subscripts {
        [] | [Subscript::Index(_)] => Ok(found.pointee()),
        [Subscript::Range(_)] => problem(
            format!("a range behind the pointer {name}"),
            "a pointer has one element at a time: write a loop, or hand the pointer on to a routine",
        ),
        _ => problem(
            format!("{} subscripts behind the pointer {name}", subscripts.len()),
            "a pointer has at most one, the number of elements behind where it points to",
        ),
    }
}
