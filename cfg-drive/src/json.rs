//! Values to and from nested JSON, the first subscript outermost.

use crate::codes;
use cfg_core::diagnostic::Diagnostics;
use cfg_core::elemental::Scalar;
use cfg_core::ir::{IntType, Order, ScalarType};
use cfg_exec::Value;
use cfg_format::json::values::ValueTree;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{Serialize, SerializeSeq as _, Serializer};
use std::borrow::Cow;

/// The JSON pointer to a member (RFC 6901).
pub(crate) fn pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Reads a value of a variable of this type, rank and order. `name` and `pointer` identify it in messages.
pub(crate) fn read(
    tree: &ValueTree,
    ty: ScalarType,
    rank: usize,
    order: Order,
    name: &str,
    pointer: &str,
) -> Result<Value, Diagnostics> {
    if ty == ScalarType::Tape {
        return Err(codes::problem(
            &codes::TYPE,
            format!("{name} is a tape and cannot be given"),
            "leave it out: tapes start empty",
            pointer,
        ));
    }
    let shape = shape_of(tree, rank, name, pointer)?;
    // Elements are counted by reading them: the extents of first rows may promise more elements than the text has.
    let mut walk = Walk {
        ty,
        shape: &shape,
        elements: Vec::new(),
        name,
        pointer,
        path: Vec::new(),
    };
    walk.fill(tree, 0)?;
    let elements = walk.elements;
    let mut value = Value::uninitialised(ty, &shape, Order::Row).ok_or_else(|| {
        codes::problem(
            &codes::TOO_LARGE,
            format!("{name} does not fit into memory"),
            "give fewer elements",
            pointer,
        )
    })?;
    for (at, x) in elements.into_iter().enumerate() {
        value.set(at, x);
    }
    Ok(value.in_order(order))
}

/// The extents along the first elements of each dimension.
fn shape_of(
    tree: &ValueTree,
    rank: usize,
    name: &str,
    pointer: &str,
) -> Result<Vec<usize>, Diagnostics> {
    let mut shape = Vec::with_capacity(rank);
    let mut at = Some(tree);
    for depth in 0..rank {
        match at {
            Some(ValueTree::Array(items)) => {
                shape.push(items.len());
                at = items.first();
            }
            Some(other) => return Err(wrong_depth(name, rank, depth, other, pointer)),
            // Extents below an empty dimension are not known.
            None => shape.push(0),
        }
    }
    Ok(shape)
}

fn wrong_depth(
    name: &str,
    rank: usize,
    depth: usize,
    found: &ValueTree,
    pointer: &str,
) -> Diagnostics {
    let expected = match rank {
        0 => "a scalar".to_owned(),
        n => format!("an array of rank {n}"),
    };
    let place = match depth {
        0 => String::new(),
        n => format!(" at depth {n}"),
    };
    codes::problem(
        &codes::SHAPE,
        format!(
            "{name} is {expected}, but its value has {}{place}",
            describe(found)
        ),
        "nest one array per dimension, the first subscript outermost",
        pointer,
    )
}

/// Reads nested arrays in their order, which is row order.
struct Walk<'n> {
    ty: ScalarType,
    shape: &'n [usize],
    elements: Vec<Scalar>,
    name: &'n str,
    pointer: &'n str,
    /// Positions in the nested arrays.
    path: Vec<usize>,
}

impl Walk<'_> {
    fn element_pointer(&self) -> String {
        let mut pointer = self.pointer.to_owned();
        for i in &self.path {
            pointer.push_str(&format!("/{i}"));
        }
        pointer
    }

    /// Recursion over the rank, which the reader's limit on nesting bounds.
    fn fill(&mut self, tree: &ValueTree, depth: usize) -> Result<(), Diagnostics> {
        let rank = self.shape.len();
        if depth == rank {
            let element = element(self.ty, tree).ok_or_else(|| self.wrong_type(tree))?;
            self.elements.push(element);
            return Ok(());
        }
        let ValueTree::Array(items) = tree else {
            return Err(wrong_depth(
                self.name,
                rank,
                depth,
                tree,
                &self.element_pointer(),
            ));
        };
        if items.len() != self.shape[depth] {
            return Err(codes::problem(
                &codes::SHAPE,
                format!(
                    "{}: dimension {} has {} elements here and {} before",
                    self.name,
                    depth + 1,
                    items.len(),
                    self.shape[depth]
                ),
                "give all rows of a dimension the same length",
                self.element_pointer(),
            ));
        }
        for (i, item) in items.iter().enumerate() {
            self.path.push(i);
            self.fill(item, depth + 1)?;
            self.path.pop();
        }
        Ok(())
    }

    fn wrong_type(&self, tree: &ValueTree) -> Diagnostics {
        let rank = self.shape.len();
        if matches!(tree, ValueTree::Array(_)) {
            return wrong_depth(self.name, rank, rank, tree, &self.element_pointer());
        }
        wrong_type(self.name, self.ty, tree, &self.element_pointer())
    }
}

/// A value is not one of a scalar type.
pub(crate) fn wrong_type(name: &str, ty: ScalarType, tree: &ValueTree, place: &str) -> Diagnostics {
    let help = match ty {
        ScalarType::Integer => "write a whole number without fraction and exponent, within 64 bits",
        ScalarType::Sized(_) => {
            "write a whole number without fraction and exponent that the type has: int8 -128 to 127, uint8 0 to 255, and so on"
        }
        ScalarType::Logical => "write true or false, or 1 or 0",
        ScalarType::Real
        | ScalarType::Real32
        | ScalarType::Tape
        | ScalarType::Record(_)
        | ScalarType::Pointer(_) => "write a number, or \"NaN\", \"inf\" or \"-inf\"",
    };
    let message = format!(
        "{name} is {}, but its value has {}",
        ty.name(),
        describe(tree)
    );
    codes::problem(&codes::TYPE, message, help, place)
}

/// The element of a scalar type that a value of a POINT is; `None` if it is none.
pub fn element(ty: ScalarType, tree: &ValueTree) -> Option<Scalar> {
    let number = match tree {
        ValueTree::Int(i) => Some(*i as f64),
        ValueTree::Wide(u) => Some(*u as f64),
        ValueTree::Real(x) => Some(*x),
        ValueTree::Logical(_)
        | ValueTree::Array(_)
        | ValueTree::Size(_)
        | ValueTree::Null
        | ValueTree::Object(_)
        | ValueTree::SameAs(..) => None,
    };
    match (ty, tree) {
        (ScalarType::Real, _) => number.map(Scalar::Real),
        // An integer is rounded once, not through 64 bits.
        (ScalarType::Real32, ValueTree::Int(i)) => Some(Scalar::Real32(*i as f32)),
        (ScalarType::Real32, ValueTree::Wide(u)) => Some(Scalar::Real32(*u as f32)),
        (ScalarType::Real32, _) => number.map(|x| Scalar::Real32(x as f32)),
        (ScalarType::Integer, ValueTree::Int(i)) => Some(Scalar::Integer(*i)),
        (ScalarType::Sized(ty), ValueTree::Int(i)) => sized(ty, i128::from(*i)),
        (ScalarType::Sized(ty), ValueTree::Wide(u)) => sized(ty, i128::from(*u)),
        (ScalarType::Logical, ValueTree::Logical(b)) => Some(Scalar::Logical(*b)),
        // Languages without logicals write 0 and 1.
        (ScalarType::Logical, ValueTree::Int(i @ 0..=1)) => Some(Scalar::Logical(*i == 1)),
        _ => None,
    }
}

/// The value as one of an integer type; `None` if it does not fit.
fn sized(ty: IntType, value: i128) -> Option<Scalar> {
    Some(Scalar::Sized(ty, ty.cell(value)?))
}

/// The kind of a value, for messages.
pub(crate) fn describe(tree: &ValueTree) -> &'static str {
    match tree {
        ValueTree::Int(_) | ValueTree::Wide(_) => "an integer",
        ValueTree::Real(_) => "a real number",
        ValueTree::Logical(_) => "a logical",
        ValueTree::Array(_) => "an array",
        ValueTree::Size(_) => "a size alone",
        ValueTree::Null => "null",
        ValueTree::Object(_) => "an object",
        ValueTree::SameAs(..) => "the name of another pointer",
    }
}

/// Writes a value as nested arrays, the first subscript outermost: numbers that read back to the same
/// bits, `"NaN"`, `"inf"`, `"-inf"`, and null for elements without a value.
#[derive(Clone, Copy, Debug)]
pub struct Nested<'v>(pub &'v Value);

impl<'v> Nested<'v> {
    /// The part of the value with the first subscripts fixed, as positions from 0.
    pub(crate) fn part(self, at: &[usize]) -> impl Serialize + 'v {
        let strides = strides(self.0.shape(), self.0.order());
        let offset = at.iter().zip(&strides).map(|(i, stride)| i * stride).sum();
        let left = strides.get(at.len()..).unwrap_or_default().to_vec();
        OwnPart {
            value: self.0,
            strides: left,
            offset,
        }
    }
}

/// A [`Part`] that has its strides.
struct OwnPart<'v> {
    value: &'v Value,
    strides: Vec<usize>,
    offset: usize,
}

impl Serialize for OwnPart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let part = Part {
            value: self.value,
            strides: &self.strides,
            offset: self.offset,
        };
        part.serialize(serializer)
    }
}

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let strides = strides(self.0.shape(), self.0.order());
        let part = Part {
            value: self.0,
            strides: &strides,
            offset: 0,
        };
        part.serialize(serializer)
    }
}

/// Distance in storage between neighbours along each dimension.
fn strides(shape: &[usize], order: Order) -> Vec<usize> {
    let mut strides = vec![1usize; shape.len()];
    match order {
        Order::Row => {
            for k in (1..shape.len()).rev() {
                strides[k - 1] = strides[k].saturating_mul(shape[k]);
            }
        }
        Order::Column => {
            for k in 1..shape.len() {
                strides[k] = strides[k - 1].saturating_mul(shape[k - 1]);
            }
        }
    }
    strides
}

/// The part of an array with the first subscripts fixed.
struct Part<'v> {
    value: &'v Value,
    /// Strides of the dimensions that are left.
    strides: &'v [usize],
    offset: usize,
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((&stride, strides)) = self.strides.split_first() else {
            return match self.value.get(self.offset) {
                None => serializer.serialize_none(),
                Some(Scalar::Real(x)) => Real(x).serialize(serializer),
                Some(Scalar::Real32(x)) if x.is_finite() => serializer.serialize_f32(x),
                Some(Scalar::Real32(x)) => Real(f64::from(x)).serialize(serializer),
                Some(Scalar::Integer(i)) => serializer.serialize_i64(i),
                Some(Scalar::Sized(IntType::Uint64, cell)) => serializer.serialize_u64(cell as u64),
                Some(Scalar::Sized(_, cell)) => serializer.serialize_i64(cell),
                Some(Scalar::Logical(b)) => serializer.serialize_bool(b),
            };
        };
        let shape = self.value.shape();
        let extent = shape[shape.len() - self.strides.len()];
        let mut list = serializer.serialize_seq(Some(extent))?;
        for i in 0..extent {
            list.serialize_element(&Part {
                value: self.value,
                strides,
                offset: self.offset + i * stride,
            })?;
        }
        list.end()
    }
}

/// A real in results: a number that reads back to the same bits, or `"NaN"`, `"inf"`, `"-inf"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Real(pub f64);

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_nan() {
            serializer.serialize_str("NaN")
        } else if self.0.is_infinite() {
            serializer.serialize_str(if self.0 > 0.0 { "inf" } else { "-inf" })
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl JsonSchema for Real {
    fn schema_name() -> Cow<'static, str> {
        "Real".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A real number; what is not finite is a string.",
            "anyOf": [{ "type": "number" }, { "enum": ["NaN", "inf", "-inf"] }],
        })
    }
}

impl JsonSchema for Nested<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let real = generator.subschema_for::<Real>();
        let nested = generator.subschema_for::<Self>();
        json_schema!({
            "description": "A number, a logical, null where there is no value, an array of these with the first subscript outermost, or a record as an object.",
            "anyOf": [
                real,
                { "type": ["integer", "boolean", "null"] },
                { "type": "array", "items": nested },
                { "type": "object", "additionalProperties": nested },
            ],
        })
    }
}
