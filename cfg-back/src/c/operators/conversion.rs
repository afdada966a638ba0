//! Conversions between the types of scalars, without checks.

use super::c_type::c_type;
use super::{Code, Infix, Pieces, literal_real, literal_real32};
use cfg_core::flat::FlatType;
use cfg_core::ir::ScalarType;

/// The conversion of a value that is set and fits.
pub(crate) fn convert_unchecked(code: Code, to: ScalarType, pieces: &mut Pieces) -> Code {
    use FlatType::{Integer, Logical, Real, Real32, Sized, Tape};
    match (code.integer(), code.real(), FlatType::view(to)) {
        (Some(n), _, Real) => return literal_real(n as f64),
        (Some(n), _, Real32) => return literal_real32(n as f32),
        (_, Some(x), Real32) => return literal_real32(x as f32),
        _ => {}
    }
    match (FlatType::view(code.ty), FlatType::view(to)) {
        (Tape, _) | (_, Tape) | (Logical, Logical) => code,
        _ if code.ty == to => code,
        (Real, Logical) => code.is(Infix::Ne, literal_real(0.0)),
        (Real32, Logical) => code.is(Infix::Ne, literal_real32(0.0)),
        (Integer | Sized(_), Logical) => code.is(Infix::Ne, 0),
        (Real | Real32 | Logical, Integer) => {
            pieces.include("stdint.h");
            code.cast("int64_t", to)
        }
        (Integer | Real | Real32 | Logical | Sized(_), _) => code.cast(c_type(to), to),
    }
}
