//! Values of variables: scalars and arrays in storage order, to and from nested JSON.

use crate::codes;
use cfg_core::diagnostic::Diagnostics;
use cfg_core::ir::{Order, ScalarType};
use cfg_core::json::values::ValueTree;
use serde::ser::{Serialize, SerializeSeq as _, Serializer};

/// The elements of a value, in storage order.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// 64-bit reals.
    Real(Vec<f64>),
    /// 32-bit reals.
    Real32(Vec<f32>),
    /// Integers.
    Integer(Vec<i64>),
    /// Logicals.
    Logical(Vec<bool>),
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Extents; empty for a scalar.
    pub shape: Vec<usize>,
    /// Storage order.
    pub order: Order,
    /// The elements.
    pub data: Data,
}

impl Data {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::Real(v) => v.len(),
            Self::Real32(v) => v.len(),
            Self::Integer(v) => v.len(),
            Self::Logical(v) => v.len(),
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Array {
    /// A real scalar.
    pub fn real(value: f64) -> Self {
        Self {
            shape: Vec::new(),
            order: Order::Row,
            data: Data::Real(vec![value]),
        }
    }

    /// Zeros (`false` for logicals) of this type and shape; `None` for a tape.
    pub fn zeros(ty: ScalarType, shape: Vec<usize>, order: Order) -> Option<Self> {
        let n = shape.iter().product();
        let data = match ty {
            ScalarType::Real => Data::Real(vec![0.0; n]),
            ScalarType::Real32 => Data::Real32(vec![0.0; n]),
            ScalarType::Integer => Data::Integer(vec![0; n]),
            ScalarType::Logical => Data::Logical(vec![false; n]),
            ScalarType::Tape => return None,
        };
        Some(Self { shape, order, data })
    }

    /// The elements as 64-bit reals, in storage order; nothing for integers and logicals.
    pub fn reals(&self) -> Vec<f64> {
        match &self.data {
            Data::Real(v) => v.clone(),
            Data::Real32(v) => v.iter().map(|&x| f64::from(x)).collect(),
            Data::Integer(_) | Data::Logical(_) => Vec::new(),
        }
    }

    /// The same shape with other elements; 32-bit reals are rounded. Nothing changes for integers and
    /// logicals, or if the number of elements differs.
    #[must_use]
    pub fn with_reals(&self, values: &[f64]) -> Self {
        let mut copy = self.clone();
        if values.len() == copy.data.len() {
            match &mut copy.data {
                Data::Real(v) => v.copy_from_slice(values),
                Data::Real32(v) => {
                    for (to, &from) in v.iter_mut().zip(values) {
                        *to = from as f32;
                    }
                }
                Data::Integer(_) | Data::Logical(_) => {}
            }
        }
        copy
    }
}

/// Reads a value of a variable of this type, rank and order from nested arrays, the first subscript
/// outermost. `name` and `pointer` say in messages which it is.
pub(crate) fn from_json(
    json: &ValueTree,
    ty: ScalarType,
    rank: usize,
    order: Order,
    name: &str,
    pointer: &str,
) -> Result<Array, Diagnostics> {
    let shape = shape_of(json, rank, name, pointer)?;
    // Elements are counted by reading them: lengths alone may promise more than there is.
    let Some(empty) = Array::zeros(ty, vec![0], order) else {
        return Err(codes::problem(
            &codes::TYPE,
            format!("{name} is a tape and cannot be given"),
            "leave it out: tapes start empty",
            pointer,
        ));
    };
    let mut walk = Walk {
        shape: &shape,
        data: empty.data,
        name,
        pointer,
        path: Vec::new(),
    };
    walk.fill(json, 0)?;
    let data = match order {
        Order::Row => walk.data,
        Order::Column => to_column_order(&walk.data, &shape),
    };
    Ok(Array { shape, order, data })
}

/// Elements in row order, put into column order.
fn to_column_order(data: &Data, shape: &[usize]) -> Data {
    let strides = strides(shape, Order::Row);
    let mut order = Vec::with_capacity(data.len());
    let mut at = vec![0usize; shape.len()];
    let mut offset = 0;
    for _ in 0..data.len() {
        order.push(offset);
        // The first subscript varies fastest.
        for k in 0..shape.len() {
            at[k] += 1;
            offset += strides[k];
            if at[k] < shape[k] {
                break;
            }
            offset -= strides[k] * shape[k];
            at[k] = 0;
        }
    }
    match data {
        Data::Real(v) => Data::Real(order.iter().map(|&i| v[i]).collect()),
        Data::Real32(v) => Data::Real32(order.iter().map(|&i| v[i]).collect()),
        Data::Integer(v) => Data::Integer(order.iter().map(|&i| v[i]).collect()),
        Data::Logical(v) => Data::Logical(order.iter().map(|&i| v[i]).collect()),
    }
}

/// Distance in storage between neighbours along each dimension.
pub(crate) fn strides(shape: &[usize], order: Order) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    match order {
        Order::Row => {
            for k in (1..shape.len()).rev() {
                strides[k - 1] = strides[k] * shape[k];
            }
        }
        Order::Column => {
            for k in 1..shape.len() {
                strides[k] = strides[k - 1] * shape[k - 1];
            }
        }
    }
    strides
}

/// The extents along the first elements of each dimension.
fn shape_of(
    json: &ValueTree,
    rank: usize,
    name: &str,
    pointer: &str,
) -> Result<Vec<usize>, Diagnostics> {
    let mut shape = Vec::with_capacity(rank);
    let mut at = Some(json);
    for depth in 0..rank {
        match at {
            Some(ValueTree::Array(items)) => {
                shape.push(items.len());
                at = items.first();
            }
            Some(other) => {
                return Err(wrong_depth(name, rank, depth, other, pointer));
            }
            // Below an empty dimension nothing is known.
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
        1 => "an array of rank 1".to_owned(),
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
    shape: &'n [usize],
    data: Data,
    name: &'n str,
    pointer: &'n str,
    /// Positions in the nested arrays.
    path: Vec<usize>,
}

impl Walk<'_> {
    fn place(&self) -> String {
        let mut pointer = self.pointer.to_owned();
        for i in &self.path {
            pointer.push_str(&format!("/{i}"));
        }
        pointer
    }

    /// Recursion over the rank, which JSON's depth limit bounds.
    fn fill(&mut self, json: &ValueTree, depth: usize) -> Result<(), Diagnostics> {
        let rank = self.shape.len();
        if depth == rank {
            return self.store(json);
        }
        let ValueTree::Array(items) = json else {
            return Err(wrong_depth(self.name, rank, depth, json, &self.place()));
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
                self.place(),
            ));
        }
        for (i, item) in items.iter().enumerate() {
            self.path.push(i);
            self.fill(item, depth + 1)?;
            self.path.pop();
        }
        Ok(())
    }

    fn store(&mut self, json: &ValueTree) -> Result<(), Diagnostics> {
        match (&mut self.data, json) {
            (Data::Real(v), ValueTree::Int(_) | ValueTree::Real(_)) => v.extend(number(json)),
            (Data::Real32(v), ValueTree::Int(_) | ValueTree::Real(_)) => {
                v.extend(number(json).map(|x| x as f32));
            }
            (Data::Integer(v), ValueTree::Int(i)) => v.push(*i),
            (Data::Logical(v), ValueTree::Logical(b)) => v.push(*b),
            _ => return Err(self.wrong_type(json)),
        }
        Ok(())
    }

    fn wrong_type(&self, json: &ValueTree) -> Diagnostics {
        let rank = self.shape.len();
        if matches!(json, ValueTree::Array(_)) {
            return wrong_depth(self.name, rank, rank, json, &self.place());
        }
        let (ty, help) = match &self.data {
            Data::Real(_) => ("real", "write a number, or \"NaN\", \"inf\" or \"-inf\""),
            Data::Real32(_) => ("real32", "write a number, or \"NaN\", \"inf\" or \"-inf\""),
            Data::Integer(_) => (
                "integer",
                "write a whole number without fraction and exponent, within 64 bits",
            ),
            Data::Logical(_) => ("logical", "write true or false"),
        };
        codes::problem(
            &codes::TYPE,
            format!(
                "{} is {ty}, but its value has {}",
                self.name,
                describe(json)
            ),
            help,
            self.place(),
        )
    }
}

fn number(json: &ValueTree) -> Option<f64> {
    match json {
        ValueTree::Int(i) => Some(*i as f64),
        ValueTree::Real(x) => Some(*x),
        ValueTree::Logical(_) | ValueTree::Array(_) => None,
    }
}

/// What a value is, for messages.
fn describe(json: &ValueTree) -> &'static str {
    match json {
        ValueTree::Int(_) => "an integer",
        ValueTree::Real(_) => "a real number",
        ValueTree::Logical(_) => "a logical",
        ValueTree::Array(_) => "an array",
    }
}

impl Serialize for Array {
    /// Nested arrays, the first subscript outermost; not finite reals as strings.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let strides = strides(&self.shape, self.order);
        Part {
            array: self,
            strides: &strides,
            offset: 0,
        }
        .serialize(serializer)
    }
}

/// The part of an array with the first subscripts fixed.
struct Part<'a> {
    array: &'a Array,
    /// Of the dimensions that are left.
    strides: &'a [usize],
    offset: usize,
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((&stride, strides)) = self.strides.split_first() else {
            return match &self.array.data {
                Data::Real(v) => Real(v[self.offset]).serialize(serializer),
                Data::Real32(v) => {
                    let x = v[self.offset];
                    if x.is_finite() {
                        serializer.serialize_f32(x)
                    } else {
                        Real(f64::from(x)).serialize(serializer)
                    }
                }
                Data::Integer(v) => serializer.serialize_i64(v[self.offset]),
                Data::Logical(v) => serializer.serialize_bool(v[self.offset]),
            };
        };
        let extent = self.array.shape[self.array.shape.len() - self.strides.len()];
        let mut list = serializer.serialize_seq(Some(extent))?;
        for i in 0..extent {
            list.serialize_element(&Part {
                array: self.array,
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
