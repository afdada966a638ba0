//! Values with derivatives attached (operator overloading).

use super::pointer::Pointer;
use cfg_core::ir::{IntType, PointerType};

/// A derivative that is carried along with each real value. One run computes both, by the chain rule.
pub trait Derivative: Clone + std::fmt::Debug + PartialEq {
    /// The derivative of a constant.
    fn constant() -> Self;
    /// `sum(partial * derivative)` over the operands.
    fn combine(terms: &[(f64, &Self)]) -> Self;
    /// Called with the value that the derivative belongs to, for derivatives that depend on it.
    #[must_use]
    fn with_value(self, _value: f64) -> Self {
        self
    }
    /// The size, which [`super::Limits::largest`] bounds.
    fn size(&self) -> f64 {
        0.0
    }
    /// True if there is no derivative: partials are not computed then.
    const NONE: bool = false;
}

/// No derivative: the plain program.
impl Derivative for () {
    const NONE: bool = true;
    fn constant() {}
    fn combine(_: &[(f64, &Self)]) {}
}

/// One direction.
impl Derivative for f64 {
    fn constant() -> Self {
        0.0
    }
    fn combine(terms: &[(f64, &Self)]) -> Self {
        terms.iter().map(|&(p, &d)| strong(d, p)).sum()
    }
}

/// Several directions; empty stands for all zero.
impl Derivative for Vec<f64> {
    fn constant() -> Self {
        Vec::new()
    }
    fn combine(terms: &[(f64, &Self)]) -> Self {
        let n = terms.iter().map(|(_, d)| d.len()).max().unwrap_or(0);
        let mut sum = vec![0.0; n];
        for (p, d) in terms {
            for (s, &x) in sum.iter_mut().zip(d.iter()) {
                *s += strong(x, *p);
            }
        }
        sum
    }
}

/// A zero derivative stays zero whatever the partial is.
fn strong(derivative: f64, partial: f64) -> f64 {
    if derivative == 0.0 {
        0.0
    } else {
        derivative * partial
    }
}

/// A bound on every number that tangent or adjoint code can meet: sums of absolute values, in which
/// a partial counts at least 1, a constant has derivative 1, and a value counts as itself, so that nothing
/// is cancelled or lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Magnitude(pub f64);

impl Derivative for Magnitude {
    fn constant() -> Self {
        Self(1.0)
    }
    fn combine(terms: &[(f64, &Self)]) -> Self {
        Self(terms.iter().map(|(p, d)| p.abs().max(1.0) * d.0).sum())
    }
    fn with_value(self, value: f64) -> Self {
        Self(self.0.max(value.abs()))
    }
    fn size(&self) -> f64 {
        self.0
    }
}

/// The contents of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<D> {
    /// Uninitialised.
    Undefined,
    /// 64-bit real.
    Real(f64, D),
    /// 32-bit real.
    Real32(f32, D),
    /// Integer.
    Integer(i64),
    /// Integer of another width, as the number that it is.
    Sized(IntType, i128),
    /// Logical.
    Logical(bool),
    /// Pointer with its type; `None` is null.
    Pointer(PointerType, Option<Pointer>),
}

/// Objects on the heap: the number and the cells of each.
pub type Alive<D> = Vec<(usize, Vec<Value<D>>)>;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Data<D> {
    Scalar(Value<D>),
    /// Elements with the last subscript varying fastest; `column` remembers the storage order.
    Array {
        extents: Vec<usize>,
        elements: Vec<Value<D>>,
        column: bool,
    },
}

impl<D: Derivative> Data<D> {
    /// Elements in storage order.
    pub(super) fn in_storage_order(self) -> Vec<Value<D>> {
        match self {
            Self::Scalar(value) => vec![value],
            Self::Array {
                extents,
                elements,
                column,
            } => {
                if !column || extents.len() < 2 {
                    return elements;
                }
                storage_positions(&extents)
                    .map(|i| elements[i].clone())
                    .collect()
            }
        }
    }
}

/// Positions, in an array whose last subscript varies fastest, of its elements taken with the first
/// subscript varying fastest.
pub(super) fn storage_positions(extents: &[usize]) -> impl Iterator<Item = usize> + use<'_> {
    let total: usize = extents.iter().product();
    (0..total).map(move |mut k| {
        let mut position = 0;
        let mut scale = total;
        for &n in extents {
            scale /= n;
            position += (k % n) * scale;
            k /= n;
        }
        position
    })
}

/// The derivative along a direction with absolute values everywhere: the scale in which errors of a
/// directional derivative are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Absolute(pub f64);

impl Derivative for Absolute {
    fn constant() -> Self {
        Self(0.0)
    }
    fn combine(terms: &[(f64, &Self)]) -> Self {
        Self(terms.iter().map(|(p, d)| strong(d.0, p.abs())).sum())
    }
}
