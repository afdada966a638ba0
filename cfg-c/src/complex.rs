//! The types of complex numbers: structures of two numbers, the first ones of every program.

use crate::{
    ast::{Member, StructId, Structure},
    source::Pos,
    types::{Arith, Qualified, Type},
};
use std::rc::Rc;

/// The names of the parts.
pub(crate) const PARTS: [&str; 2] = ["re", "im"];

/// The structures: the type of the parts, the name here, and the words of C.
const TYPES: [(Arith, &str, &str); 2] = [
    (Arith::Double, "complex_double", "double _Complex"),
    (Arith::Float, "complex_float", "float _Complex"),
];

/// The complex type with parts of a real type.
pub(crate) fn with_parts(part: Arith) -> Type {
    let at = TYPES.iter().position(|(own, ..)| *own == part);
    Type::Struct(StructId(at.unwrap_or(0) as u32))
}

/// The type of the parts of a complex type; none of another type.
pub(crate) fn part_type(ty: &Type) -> Option<Arith> {
    match ty {
        Type::Struct(s) => TYPES.get(s.index()).map(|(part, ..)| *part),
        Type::Void
        | Type::Arith(_)
        | Type::Pointer(_)
        | Type::Array(..)
        | Type::Function(_)
        | Type::Refused(_) => None,
    }
}

/// The words of C for a structure that is a complex type; `None` for other structures.
pub(crate) fn words(s: StructId) -> Option<&'static str> {
    TYPES.get(s.index()).map(|(.., words)| *words)
}

/// The structures.
pub(crate) fn structures() -> Vec<Structure> {
    let made = TYPES.iter().map(|(part, name, _)| {
        let member = |name: &str| Member {
            name: Rc::from(name),
            ty: Qualified::unqualified(Type::Arith(*part)),
            at: Pos::default(),
        };
        Structure {
            name: Some(Rc::from(*name)),
            tagged: false,
            at: Pos::default(),
            inside: false,
            members: PARTS.map(member).into(),
            declared: None,
            copied: true,
            assigned: false,
            leaves: PARTS.len(),
            complete: true,
            packed: false,
            union: false,
            refused: None,
        }
    });
    made.collect()
}
