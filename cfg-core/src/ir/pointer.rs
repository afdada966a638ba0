//! Pointer types.

use super::{IntType, ScalarType};
use crate::entity::RecordId;
use std::num::NonZeroU8;

/// The type of a pointer: the scalar or the record at its end, and how many pointers lead there. It takes as many bytes as
/// a [`ScalarType`], which it is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointerType {
    end: End,
    /// The record at the end; the first one where there is none.
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

    /// The same pointer with another record at its end; nothing else has one.
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
