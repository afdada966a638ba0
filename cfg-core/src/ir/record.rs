//! Record types: named fields, each a scalar, an array of constant extents, or another record.

use super::{Dim, ScalarType};

/// A record type. Two records are the same type only if they are the same entry of the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The name of the record; unique among records.
    pub name: String,
    /// The fields, in the order of the layout.
    pub fields: Vec<Field>,
}

/// A field of a [`Record`].
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name of the field; unique in the record.
    pub name: String,
    /// The type of the field or of its elements; no tape, and no record that contains this one.
    pub ty: ScalarType,
    /// The dimensions, all constant; empty for a scalar. The last subscript varies fastest.
    pub shape: Vec<Dim>,
}

/// A field that has no name yet.
impl Default for Field {
    fn default() -> Self {
        Self {
            name: String::new(),
            ty: ScalarType::Real,
            shape: Vec::new(),
        }
    }
}

impl Record {
    /// Deepest nesting of records that validation accepts.
    pub const MAX_DEPTH: usize = 100;
    /// Largest number of leaves (scalars and arrays of scalars) of a record that validation accepts.
    pub const MAX_LEAVES: usize = 10_000;

    /// The field of a name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|f| f.name == name)
    }
}
