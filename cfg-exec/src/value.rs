//! Values on the host's side.

use cfg_core::{
    diagnostic::Diagnostic,
    elemental::Scalar,
    flat::FlatType,
    ir::{Order, ScalarType},
};

use crate::{cell, fault::UNINITIALISED, tape::Tape};

/// A scalar or an array, each element of which may be uninitialised.
#[derive(Debug, PartialEq, Eq)]
pub struct Value {
    ty: ScalarType,
    shape: Vec<usize>,
    order: Order,
    pub(crate) cells: Vec<u64>,
}

/// An argument that a routine is called with.
#[derive(Debug, PartialEq, Eq, Default)]
pub enum Argument {
    /// An optional argument that is not given.
    #[default]
    Absent,
    /// A scalar or an array. After a run it holds what the routine has left in an `out` or `inout`
    /// parameter.
    Value(Value),
    /// A tape.
    Tape(Tape),
}

/// `clone_from` keeps the buffers.
impl Clone for Value {
    fn clone(&self) -> Self {
        Self {
            ty: self.ty,
            shape: self.shape.clone(),
            order: self.order,
            cells: self.cells.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.ty = source.ty;
        self.shape.clone_from(&source.shape);
        self.order = source.order;
        self.cells.clone_from(&source.cells);
    }
}

/// `clone_from` keeps the buffers of a value.
impl Clone for Argument {
    fn clone(&self) -> Self {
        match self {
            Self::Absent => Self::Absent,
            Self::Value(value) => Self::Value(value.clone()),
            Self::Tape(tape) => Self::Tape(tape.clone()),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        match (self, source) {
            (Self::Value(value), Self::Value(source)) => value.clone_from(source),
            (own, source) => *own = source.clone(),
        }
    }
}

impl Argument {
    /// The value, if it is one.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Tape(_) => None,
        }
    }

    /// The tape, if it is one.
    pub fn tape(&self) -> Option<&Tape> {
        match self {
            Self::Tape(tape) => Some(tape),
            Self::Absent | Self::Value(_) => None,
        }
    }
}

impl From<Value> for Argument {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}
impl From<f64> for Argument {
    fn from(x: f64) -> Self {
        Self::Value(Value::real(x))
    }
}
impl From<i64> for Argument {
    fn from(n: i64) -> Self {
        Self::Value(Value::integer(n))
    }
}
impl From<bool> for Argument {
    fn from(b: bool) -> Self {
        Self::Value(Value::logical(b))
    }
}
impl From<&[f64]> for Argument {
    fn from(x: &[f64]) -> Self {
        Self::Value(Value::from_reals(x))
    }
}
impl From<Tape> for Argument {
    fn from(tape: Tape) -> Self {
        Self::Tape(tape)
    }
}

/// The cell of a scalar.
pub(crate) fn cell_of(x: Scalar) -> u64 {
    match x {
        Scalar::Real(x) => cell::real(x),
        Scalar::Real32(x) => cell::real(x.into()),
        Scalar::Integer(n) | Scalar::Sized(_, n) => n as u64,
        Scalar::Logical(b) => b.into(),
    }
}

/// The scalar of an initialised cell; `None` of a tape.
pub(crate) fn scalar_of(ty: ScalarType, cell: u64) -> Option<Scalar> {
    Some(match FlatType::view(ty) {
        FlatType::Real => Scalar::Real(f64::from_bits(cell)),
        FlatType::Real32 => Scalar::Real32(f64::from_bits(cell) as f32),
        FlatType::Integer => Scalar::Integer(cell as i64),
        FlatType::Sized(ty) => Scalar::Sized(ty, cell as i64),
        FlatType::Logical => Scalar::Logical(cell == 1),
        FlatType::Tape => return None,
    })
}

impl Value {
    fn scalar(ty: ScalarType, cell: u64) -> Self {
        Self {
            ty,
            shape: Vec::new(),
            order: Order::Row,
            cells: vec![cell],
        }
    }

    pub(crate) fn from_cells(
        ty: ScalarType,
        shape: Vec<usize>,
        order: Order,
        cells: Vec<u64>,
    ) -> Self {
        Self {
            ty,
            shape,
            order,
            cells,
        }
    }

    /// A 64-bit real.
    pub fn real(x: f64) -> Self {
        Self::scalar(ScalarType::Real, cell::real(x))
    }

    /// A 32-bit real.
    pub fn real32(x: f32) -> Self {
        Self::scalar(ScalarType::Real32, cell::real(x.into()))
    }

    /// An integer.
    pub fn integer(n: i64) -> Self {
        Self::scalar(ScalarType::Integer, n as u64)
    }

    /// A logical.
    pub fn logical(b: bool) -> Self {
        Self::scalar(ScalarType::Logical, b.into())
    }

    /// An array of rank 1 of 64-bit reals.
    pub fn from_reals(x: &[f64]) -> Self {
        Self {
            ty: ScalarType::Real,
            shape: vec![x.len()],
            order: Order::Row,
            cells: x.iter().map(|&x| cell::real(x)).collect(),
        }
    }

    /// An array of rank 1 of integers.
    pub fn integers(n: &[i64]) -> Self {
        Self {
            ty: ScalarType::Integer,
            shape: vec![n.len()],
            order: Order::Row,
            cells: n.iter().map(|&n| n as u64).collect(),
        }
    }

    /// An uninitialised value of any shape; `None` if it has too many elements for the machine or the
    /// type is a tape.
    pub fn uninitialised(ty: ScalarType, shape: &[usize], order: Order) -> Option<Self> {
        if ty == ScalarType::Tape {
            return None;
        }
        let n = if shape.contains(&0) {
            0
        } else {
            shape
                .iter()
                .try_fold(1usize, |n, &extent| n.checked_mul(extent))?
        };
        let mut cells = Vec::new();
        cells.try_reserve_exact(n).ok()?;
        cells.resize(n, cell::poison(ty));
        Some(Self {
            ty,
            shape: shape.to_vec(),
            order,
            cells,
        })
    }

    /// An array of 64-bit reals, elements in storage order; `None` if their number is not that of the
    /// shape.
    pub fn real_array(shape: &[usize], order: Order, x: &[f64]) -> Option<Self> {
        let mut value = Self::uninitialised(ScalarType::Real, shape, order)?;
        if value.cells.len() != x.len() {
            return None;
        }
        for (cell, &x) in value.cells.iter_mut().zip(x) {
            *cell = cell::real(x);
        }
        Some(value)
    }

    /// Type of the scalar or of the elements.
    pub fn ty(&self) -> ScalarType {
        self.ty
    }

    /// The extents; empty for a scalar.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The storage order of the elements.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Number of elements; 1 for a scalar.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// True of an array without elements.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The element at this position in storage order; `None` if there is none or it is uninitialised.
    pub fn get(&self, at: usize) -> Option<Scalar> {
        let cell = *self.cells.get(at)?;
        if cell::is_poison(self.ty, cell) {
            return None;
        }
        scalar_of(self.ty, cell)
    }

    /// The element as a 64-bit real.
    pub fn get_f64(&self, at: usize) -> Option<f64> {
        self.get(at).map(Scalar::to_f64)
    }

    /// Sets the element at this position in storage order; false if there is none or the type is
    /// another one.
    pub fn set(&mut self, at: usize, x: Scalar) -> bool {
        match self.cells.get_mut(at) {
            Some(cell) if x.ty() == self.ty => {
                *cell = cell_of(x);
                true
            }
            _ => false,
        }
    }

    /// All elements in storage order as 64-bit reals; `None` if one is uninitialised.
    pub fn to_f64s(&self) -> Option<Vec<f64>> {
        (0..self.len()).map(|k| self.get_f64(k)).collect()
    }

    /// All elements become this one (of the value's type).
    pub fn fill(&mut self, x: Scalar) {
        if x.ty() == self.ty {
            self.cells.fill(cell_of(x));
        }
    }

    /// All elements become uninitialised.
    pub fn clear(&mut self) {
        self.cells.fill(cell::poison(self.ty));
    }

    /// Position of the first uninitialised element.
    pub fn first_uninitialised(&self) -> Option<usize> {
        self.cells.iter().position(|&c| cell::is_poison(self.ty, c))
    }

    /// Subscripts from 0 of a position in storage order.
    pub fn subscripts(&self, at: usize) -> Vec<usize> {
        let mut rest = at;
        let mut subscripts = vec![0; self.shape.len()];
        let mut digit = |k: usize| {
            let extent = self.shape[k].max(1);
            subscripts[k] = rest % extent;
            rest /= extent;
        };
        match self.order {
            Order::Row => (0..self.shape.len()).rev().for_each(&mut digit),
            Order::Column => (0..self.shape.len()).for_each(&mut digit),
        }
        subscripts
    }

    /// Position in storage order of an element with these subscripts, from 0; `None` if there is none.
    pub fn position(&self, subscripts: &[usize]) -> Option<usize> {
        if subscripts.len() != self.shape.len() {
            return None;
        }
        let mut at = 0usize;
        let mut digit = |k: usize| {
            if subscripts[k] >= self.shape[k] {
                return None;
            }
            at = at * self.shape[k] + subscripts[k];
            Some(())
        };
        match self.order {
            Order::Row => (0..subscripts.len()).try_for_each(&mut digit)?,
            Order::Column => (0..subscripts.len()).rev().try_for_each(&mut digit)?,
        }
        Some(at)
    }

    /// A copy of the array that is stored in this order.
    #[must_use]
    pub fn in_order(&self, order: Order) -> Self {
        let mut other = Self {
            order,
            ..self.clone()
        };
        if order != self.order && self.shape.len() > 1 {
            for (at, &cell) in self.cells.iter().enumerate() {
                if let Some(to) = other.position(&self.subscripts(at)) {
                    other.cells[to] = cell;
                }
            }
        }
        other
    }

    /// Copies the elements to cells in another storage order.
    pub(crate) fn put(&self, order: Order, cells: &mut [u64]) {
        if order == self.order || self.shape.len() < 2 {
            cells.copy_from_slice(&self.cells);
            return;
        }
        let mut other = Positions::new(&self.shape, self.order);
        for &cell in &self.cells {
            cells[other.next()] = cell;
        }
    }

    /// Takes the elements from cells in another storage order.
    pub(crate) fn get_back(&mut self, order: Order, cells: &[u64]) {
        if order == self.order || self.shape.len() < 2 {
            self.cells.copy_from_slice(cells);
            return;
        }
        let mut other = Positions::new(&self.shape, self.order);
        for cell in &mut self.cells {
            *cell = cells[other.next()];
        }
    }

    /// Checks that every element of a result has a value. `name` is its name in the message.
    ///
    /// # Errors
    /// The value is uninitialised; the message names the first element that is.
    pub fn check_initialised(&self, name: &str) -> Result<(), Box<Diagnostic>> {
        let Some(at) = self.first_uninitialised() else {
            return Ok(());
        };
        let element = match self.shape.len() {
            0 => format!("'{name}'"),
            _ => {
                let from_one: Vec<usize> = self.subscripts(at).iter().map(|s| s + 1).collect();
                format!("element {from_one:?} (counted from 1) of '{name}'")
            }
        };
        Err(Box::new(Diagnostic::error(
            &UNINITIALISED,
            format!("the result {element} depends on an uninitialised value"),
            "assign it on every path; a parameter that may pass through unchanged is inout, not out",
        )))
    }
}

/// Positions in the other storage order of elements that are counted in one.
struct Positions {
    /// The dimensions, fastest first: extent, stride in the other order, and present count.
    dims: Vec<(usize, usize, usize)>,
    at: usize,
}

impl Positions {
    fn new(shape: &[usize], order: Order) -> Self {
        let mut stride = 1;
        let mut extents = shape.to_vec();
        if order == Order::Column {
            extents.reverse();
        }
        // The fastest dimension of the other order is the slowest of this one.
        let mut dims: Vec<_> = extents
            .iter()
            .map(|&extent| {
                let dim = (extent, stride, 0);
                // With an extent of 0 the product may wrap, but no position is ever computed.
                stride = usize::wrapping_mul(stride, extent);
                dim
            })
            .collect();
        dims.reverse();
        Self { dims, at: 0 }
    }

    /// The position of this element; goes on to the next one.
    fn next(&mut self) -> usize {
        let now = self.at;
        for (extent, stride, count) in &mut self.dims {
            *count += 1;
            self.at += *stride;
            if count < extent {
                break;
            }
            self.at -= *stride * *extent;
            *count = 0;
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_go_to_the_other_order_and_come_back() {
        for order in [Order::Row, Order::Column] {
            for shape in [&[2, 3, 4][..], &[5, 1], &[1, 7, 2], &[3], &[], &[2, 0, 3]] {
                let mut value = Value::uninitialised(ScalarType::Integer, shape, order).unwrap();
                for k in 0..value.len() {
                    value.set(k, Scalar::Integer(k as i64));
                }
                for other in [Order::Row, Order::Column] {
                    let mut cells = vec![0; value.len()];
                    value.put(other, &mut cells);
                    assert_eq!(cells, value.in_order(other).cells);
                    let mut back = value.clone();
                    back.fill(Scalar::Integer(-1));
                    back.get_back(other, &cells);
                    assert_eq!(back, value);
                }
            }
        }
    }

    #[test]
    fn positions_and_subscripts_are_inverse_in_both_orders() {
        for order in [Order::Row, Order::Column] {
            let value = Value::uninitialised(ScalarType::Real, &[2, 3, 4], order).unwrap();
            for at in 0..value.len() {
                assert_eq!(value.position(&value.subscripts(at)), Some(at));
            }
        }
        let row = Value::real_array(&[2, 3], Order::Row, &[1., 2., 3., 4., 5., 6.]).unwrap();
        let column = row.in_order(Order::Column);
        assert_eq!(column.to_f64s().unwrap(), [1., 4., 2., 5., 3., 6.]);
        assert_eq!(column.in_order(Order::Row), row);
    }

    #[test]
    fn uninitialised_elements_are_named() {
        let mut value = Value::uninitialised(ScalarType::Integer, &[2, 2], Order::Row).unwrap();
        for at in [0, 1, 3] {
            assert!(value.set(at, Scalar::Integer(7)));
        }
        let problem = value.check_initialised("k").unwrap_err();
        assert!(problem.message.contains("[2, 1]"), "{problem}");
        assert!(Value::uninitialised(ScalarType::Real, &[usize::MAX, 2], Order::Row).is_none());
    }
}
