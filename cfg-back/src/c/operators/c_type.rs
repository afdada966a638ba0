//! The types of C.

use cfg_core::ir::{IntType, ScalarType};

/// The C type of a scalar.
pub(crate) fn c_type(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Real => "double",
        ScalarType::Real32 => "float",
        ScalarType::Integer => "int64_t",
        ScalarType::Sized(ty) => match ty {
            IntType::Int8 => "int8_t",
            IntType::Int16 => "int16_t",
            IntType::Int32 => "int32_t",
            IntType::Uint8 => "uint8_t",
            IntType::Uint16 => "uint16_t",
            IntType::Uint32 => "uint32_t",
            IntType::Uint64 => "uint64_t",
        },
        ScalarType::Logical => "bool",
        ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => "struct cfgrev_tape",
    }
}
