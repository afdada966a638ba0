//! Scalar types, and the records and pointers that may stand in their place.

use crate::entity::RecordId;
use std::num::NonZeroU8;

/// The type of a scalar or of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScalarType {
    /// IEEE binary64.
    Real,
    /// IEEE binary32: every operation is rounded to 32 bits.
    Real32,
    /// 64-bit two's complement; overflow is a run-time error.
    Integer,
    /// True or false.
    Logical,
    /// An integer of another width, or without sign.
    Sized(IntType),
    /// A tape: a stack of control bits, one of integers, one of reals, one of 32-bit reals, one in a file.
    Tape,
    /// A record of the program.
    Record(RecordId),
    /// A pointer to a scalar, a record or a pointer; null, or a cell of an object.
    Pointer(PointerType),
}

impl ScalarType {
    /// All types that have a name of their own, in the order of the declaration.
    pub const ALL: [Self; 12] = [
        Self::Real,
        Self::Real32,
        Self::Integer,
        Self::Logical,
        Self::Sized(IntType::Int8),
        Self::Sized(IntType::Int16),
        Self::Sized(IntType::Int32),
        Self::Sized(IntType::Uint8),
        Self::Sized(IntType::Uint16),
        Self::Sized(IntType::Uint32),
        Self::Sized(IntType::Uint64),
        Self::Tape,
    ];

    /// The name in files: `real`, `real32`, `integer`, `logical`, `int8` and its like, `tape`. All records are called
    /// `record` here, all pointers `pointer`: their own names are in the program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Real32 => "real32",
            Self::Integer => "integer",
            Self::Logical => "logical",
            Self::Sized(ty) => ty.name(),
            Self::Tape => "tape",
            Self::Record(_) => "record",
            Self::Pointer(_) => "pointer",
        }
    }

    /// The type of this name in files; `int64` is another name of `integer`.
    pub fn from_name(name: &str) -> Option<Self> {
        let named = Self::ALL.into_iter().find(|ty| ty.name() == name);
        named.or_else(|| (name == "int64").then_some(Self::Integer))
    }

    /// The integer type; `None` of other types.
    pub fn any_int(self) -> Option<AnyInt> {
        match self {
            Self::Integer => Some(AnyInt::Integer),
            Self::Sized(ty) => Some(AnyInt::Sized(ty)),
            Self::Real
            | Self::Real32
            | Self::Logical
            | Self::Tape
            | Self::Record(_)
            | Self::Pointer(_) => None,
        }
    }

    /// True of tapes.
    pub fn is_tape(self) -> bool {
        matches!(self, Self::Tape)
    }

    /// The record, if it is one.
    pub fn record(self) -> Option<RecordId> {
        match self {
            Self::Record(r) => Some(r),
            Self::Real
            | Self::Real32
            | Self::Integer
            | Self::Logical
            | Self::Sized(_)
            | Self::Tape
            | Self::Pointer(_) => None,
        }
    }

    /// The record that the type is or that pointers of the type lead to.
    pub fn named_record(self) -> Option<RecordId> {
        match self {
            Self::Pointer(pointer) => pointer.end().record(),
            Self::Real
            | Self::Real32
            | Self::Integer
            | Self::Logical
            | Self::Sized(_)
            | Self::Tape
            | Self::Record(_) => self.record(),
        }
    }

    /// The pointer type, if it is one.
    pub fn pointer(self) -> Option<PointerType> {
        match self {
            Self::Pointer(pointer) => Some(pointer),
            Self::Real
            | Self::Real32
            | Self::Integer
            | Self::Logical
            | Self::Sized(_)
            | Self::Tape
            | Self::Record(_) => None,
        }
    }

    /// True of `integer` and of the integers of other widths.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::Integer | Self::Sized(_))
    }

    /// True of both real types: the types that have derivatives.
    pub fn is_real(self) -> bool {
        matches!(self, Self::Real | Self::Real32)
    }
}

/// The integer types beside `integer`, which has 64 bits and a sign.
///
/// A value of such a type is kept as a *cell*: as an `i64` of the same value, for `uint64` of the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntType {
    /// 8 bits, two's complement.
    Int8,
    /// 16 bits, two's complement.
    Int16,
    /// 32 bits, two's complement.
    Int32,
    /// 8 bits, no sign.
    Uint8,
    /// 16 bits, no sign.
    Uint16,
    /// 32 bits, no sign.
    Uint32,
    /// 64 bits, no sign.
    Uint64,
}

impl IntType {
    /// All types, in the order of the declaration.
    pub const ALL: [Self; 7] = [
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Uint8,
        Self::Uint16,
        Self::Uint32,
        Self::Uint64,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Uint8 => "uint8",
            Self::Uint16 => "uint16",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
        }
    }

    /// Number of bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Int8 | Self::Uint8 => 8,
            Self::Int16 | Self::Uint16 => 16,
            Self::Int32 | Self::Uint32 => 32,
            Self::Uint64 => 64,
        }
    }

    /// True if there are negative values.
    pub fn is_signed(self) -> bool {
        match self {
            Self::Int8 | Self::Int16 | Self::Int32 => true,
            Self::Uint8 | Self::Uint16 | Self::Uint32 | Self::Uint64 => false,
        }
    }

    /// The smallest value.
    pub fn min(self) -> i128 {
        if self.is_signed() {
            -(1 << (self.bits() - 1))
        } else {
            0
        }
    }

    /// The largest value.
    pub fn max(self) -> i128 {
        (1 << (self.bits() - u32::from(self.is_signed()))) - 1
    }

    /// The value of a cell.
    pub fn value(self, cell: i64) -> i128 {
        match self {
            Self::Uint64 => i128::from(cell as u64),
            Self::Int8 | Self::Int16 | Self::Int32 | Self::Uint8 | Self::Uint16 | Self::Uint32 => {
                i128::from(cell)
            }
        }
    }

    /// The cell of a value; `None` if the type does not have it.
    pub fn cell(self, value: i128) -> Option<i64> {
        AnyInt::from(self).cell(value)
    }

    /// The cell of a value modulo 2 to the number of bits.
    pub fn wrap(self, value: i128) -> i64 {
        match self {
            Self::Int8 => i64::from(value as i8),
            Self::Int16 => i64::from(value as i16),
            Self::Int32 => i64::from(value as i32),
            Self::Uint8 => i64::from(value as u8),
            Self::Uint16 => i64::from(value as u16),
            Self::Uint32 => i64::from(value as u32),
            Self::Uint64 => value as u64 as i64,
        }
    }
}

/// Any integer type: `integer`, or one of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnyInt {
    /// 64 bits, two's complement.
    Integer,
    /// Another width, or no sign.
    Sized(IntType),
}

impl AnyInt {
    /// All types, `integer` first.
    pub const ALL: [Self; 8] = [
        Self::Integer,
        Self::Sized(IntType::Int8),
        Self::Sized(IntType::Int16),
        Self::Sized(IntType::Int32),
        Self::Sized(IntType::Uint8),
        Self::Sized(IntType::Uint16),
        Self::Sized(IntType::Uint32),
        Self::Sized(IntType::Uint64),
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        ScalarType::from(self).name()
    }

    /// The smallest value.
    pub fn min(self) -> i128 {
        match self {
            Self::Integer => i64::MIN.into(),
            Self::Sized(ty) => ty.min(),
        }
    }

    /// The largest value.
    pub fn max(self) -> i128 {
        match self {
            Self::Integer => i64::MAX.into(),
            Self::Sized(ty) => ty.max(),
        }
    }

    /// The value of a cell.
    pub fn value(self, cell: i64) -> i128 {
        match self {
            Self::Integer => cell.into(),
            Self::Sized(ty) => ty.value(cell),
        }
    }

    /// The cell of a value; `None` if the type does not have it.
    pub fn cell(self, value: i128) -> Option<i64> {
        (self.min()..=self.max())
            .contains(&value)
            .then_some(value as i64)
    }

    /// The cell of a value modulo 2 to the number of bits.
    pub fn wrap(self, value: i128) -> i64 {
        match self {
            Self::Integer => value as i64,
            Self::Sized(ty) => ty.wrap(value),
        }
    }
}

impl From<IntType> for AnyInt {
    fn from(ty: IntType) -> Self {
        Self::Sized(ty)
    }
}

impl From<AnyInt> for ScalarType {
    fn from(ty: AnyInt) -> Self {
        match ty {
            AnyInt::Integer => Self::Integer,
            AnyInt::Sized(ty) => Self::Sized(ty),
        }
    }
}

/// The type of a pointer: the scalar or the record at its end, and the number of pointers that lead there.
/// [`ScalarType`], of which it is a part, is no larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointerType {
    end: End,
    /// The record at the end; record 0 if the end is no record.
    record: RecordId,
    depth: NonZeroU8,
}

/// The type at the end of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum End {
    Real,
    Real32,
    Integer,
    Logical,
    Sized(IntType),
    Record,
}

impl PointerType {
    /// The most pointers in a row.
    pub const MAX_DEPTH: u8 = 16;

    /// The pointer to a scalar, a record or a pointer. `None` for a tape, and if more than [`PointerType::MAX_DEPTH`]
    /// pointers would stand in a row.
    pub fn to(pointee: ScalarType) -> Option<Self> {
        let first = RecordId::new(0);
        let (end, record) = match pointee {
            ScalarType::Real => (End::Real, first),
            ScalarType::Real32 => (End::Real32, first),
            ScalarType::Integer => (End::Integer, first),
            ScalarType::Logical => (End::Logical, first),
            ScalarType::Sized(ty) => (End::Sized(ty), first),
            ScalarType::Record(r) => (End::Record, r),
            ScalarType::Tape => return None,
            ScalarType::Pointer(pointer) => {
                let depth = pointer.depth.checked_add(1)?;
                return (depth.get() <= Self::MAX_DEPTH).then_some(Self { depth, ..pointer });
            }
        };
        let depth = NonZeroU8::MIN;
        Some(Self { end, record, depth })
    }

    /// The type that the pointer points to: the scalar, the record, or a pointer with one level less.
    pub fn pointee(self) -> ScalarType {
        match NonZeroU8::new(self.depth.get() - 1) {
            Some(depth) => ScalarType::Pointer(Self { depth, ..self }),
            None => self.end(),
        }
    }

    /// The scalar or the record at the end.
    pub fn end(self) -> ScalarType {
        match self.end {
            End::Real => ScalarType::Real,
            End::Real32 => ScalarType::Real32,
            End::Integer => ScalarType::Integer,
            End::Logical => ScalarType::Logical,
            End::Sized(ty) => ScalarType::Sized(ty),
            End::Record => ScalarType::Record(self.record),
        }
    }

    /// The number of pointers that lead to the end, at least 1.
    pub fn depth(self) -> usize {
        self.depth.get().into()
    }

    /// The same pointer with another record at its end; pointers to scalars stay as they are.
    #[must_use]
    pub fn with_record(self, record: RecordId) -> Self {
        match self.end {
            End::Record => Self { record, ..self },
            End::Real | End::Real32 | End::Integer | End::Logical | End::Sized(_) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_stay_small() {
        assert!(size_of::<PointerType>() <= 8);
        assert!(size_of::<ScalarType>() <= 8);
    }

    #[test]
    fn pointee_undoes_to() {
        let mut types = ScalarType::ALL.to_vec();
        types.push(ScalarType::Record(RecordId::new(7)));
        for end in types {
            let mut ty = end;
            let mut depth = 0;
            while let Some(pointer) = PointerType::to(ty) {
                depth += 1;
                assert_eq!(pointer.pointee(), ty);
                assert_eq!((pointer.end(), pointer.depth()), (end, depth));
                ty = ScalarType::Pointer(pointer);
            }
            let deepest = usize::from(PointerType::MAX_DEPTH);
            assert_eq!(depth, if end.is_tape() { 0 } else { deepest });
        }
    }
}
