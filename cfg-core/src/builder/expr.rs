//! Writing expressions: `x.at(1) * sin(y) + 2.0`, `lt(i, n)`.
//!
//! Operators and functions take anything that becomes an [`Expr`]: variables, places, constants. A
//! literal without a decimal point is an integer, as in the files: write `2.0` for a real.

use crate::{
    entity::VarId,
    ir::{Dim, Expr, Extent, Op, Place, PointerType, Range, Subscript, operator_table},
};
use std::ops::{Add, Div, Mul, Neg, RangeInclusive, Sub};

impl From<i32> for Expr {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<f32> for Expr {
    fn from(value: f32) -> Self {
        Self::Real32(value)
    }
}

impl From<bool> for Expr {
    fn from(value: bool) -> Self {
        Self::Logical(value)
    }
}

impl From<VarId> for Place {
    fn from(var: VarId) -> Self {
        Self::whole(var)
    }
}

/// Implements an operator for one type on the left.
macro_rules! operators {
    ($($left:ty),*) => {
        $(
            operators!(@ $left, Add add, Sub sub, Mul mul, Div div);
        )*
    };
    (@ $left:ty, $($trait:ident $method:ident),*) => {
        $(
            impl<T: Into<Expr>> $trait<T> for $left {
                type Output = Expr;
                fn $method(self, right: T) -> Expr {
                    Expr::op(Op::$trait, [self.into(), right.into()])
                }
            }
        )*
        impl Neg for $left {
            type Output = Expr;
            fn neg(self) -> Expr {
                Expr::op(Op::Neg, [self.into()])
            }
        }
    };
}
operators!(Expr, Place, VarId);

/// Implements operators with a constant on the left.
macro_rules! constants_left {
    ($($left:ty, $right:ty);*) => {
        $(
            constants_left!(@ $left, $right, Add add, Sub sub, Mul mul, Div div);
        )*
    };
    (@ $left:ty, $right:ty, $($trait:ident $method:ident),*) => {
        $(
            impl $trait<$right> for $left {
                type Output = Expr;
                fn $method(self, right: $right) -> Expr {
                    Expr::op(Op::$trait, [self.into(), right.into()])
                }
            }
        )*
    };
}
constants_left!(f64, Expr; f64, Place; f64, VarId; i64, Expr; i64, Place; i64, VarId;
    i32, Expr; i32, Place; i32, VarId);

/// Defines the functions that the table of operators names.
macro_rules! functions {
    ($(
        $(#[$doc:meta])* $op:ident $name:literal $class:ident $min:literal .. $max:literal $operands:ident
        $(fn $function:ident $list:tt)? { $($field:ident: $value:expr),* $(,)? };
    )*) => {
        $(functions!(@ $op [$(#[$doc])*] $($function $list)?);)*
    };
    (@ $op:ident [$($doc:tt)*]) => {};
    (@ $op:ident [$($doc:tt)*] $function:ident($($operand:ident),*)) => {
        $($doc)*
        pub fn $function($($operand: impl Into<Expr>),*) -> Expr {
            Expr::op(Op::$op, [$($operand.into()),*])
        }
    };
}
operator_table!(functions);

/// Conversion to integer.
pub fn int(x: impl Into<Expr>) -> Expr {
    Expr::op(Op::TO_INT, [x.into()])
}

/// The pointer to a place.
pub fn addr(place: impl Into<Place>) -> Expr {
    Expr::Addr(place.into())
}

/// The pointer of a type that points nowhere.
pub fn null(pointer: PointerType) -> Expr {
    Expr::Null(pointer)
}

/// Expressions of different kinds as a `Vec<Expr>`: `exprs![n, 2.0, x.at(1)]`.
#[macro_export]
macro_rules! exprs {
    ($($e:expr),* $(,)?) => { vec![$($crate::ir::Expr::from($e)),*] };
}
pub use crate::exprs;

/// Subscripts for [`VarId::at`]: one value, or a tuple or list of them.
pub trait Subscripts {
    /// The subscripts, one per dimension.
    fn subscripts(self) -> Box<[Subscript]>;
}

/// Implements conversions for everything that is one index.
macro_rules! indices {
    ($($ty:ty),*) => {
        $(
            impl From<$ty> for Subscript {
                fn from(index: $ty) -> Self {
                    Self::Index(index.into())
                }
            }
            impl Subscripts for $ty {
                fn subscripts(self) -> Box<[Subscript]> {
                    Box::new([self.into()])
                }
            }
            impl From<$ty> for Dim {
                fn from(extent: $ty) -> Self {
                    Self::with_extent(extent.into())
                }
            }
        )*
    };
}
indices!(i32, i64, VarId, Place, Expr);

impl Subscripts for Subscript {
    fn subscripts(self) -> Box<[Subscript]> {
        Box::new([self])
    }
}

impl<S: Into<Subscript>> Subscripts for Vec<S> {
    fn subscripts(self) -> Box<[Subscript]> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<S: Into<Subscript>, const N: usize> Subscripts for [S; N] {
    fn subscripts(self) -> Box<[Subscript]> {
        self.into_iter().map(Into::into).collect()
    }
}

/// Implements [`Subscripts`] for tuples.
macro_rules! tuples {
    ($(($($t:ident $v:ident),*))*) => {
        $(
            impl<$($t: Into<Subscript>),*> Subscripts for ($($t,)*) {
                fn subscripts(self) -> Box<[Subscript]> {
                    let ($($v,)*) = self;
                    Box::new([$($v.into()),*])
                }
            }
        )*
    };
}
tuples! { (A a, B b) (A a, B b, C c) (A a, B b, C c, D d) (A a, B b, C c, D d, E e) }

/// All indices of a dimension.
pub fn full() -> Subscript {
    Subscript::Range(Box::default())
}

/// `lower : upper`, both inclusive.
pub fn range(lower: impl Into<Expr>, upper: impl Into<Expr>) -> Subscript {
    Subscript::Range(Box::new(Range {
        lower: Some(lower.into()),
        upper: Some(upper.into()),
        stride: None,
    }))
}

/// `lower : upper : stride`.
pub fn strided(
    lower: impl Into<Expr>,
    upper: impl Into<Expr>,
    stride: impl Into<Expr>,
) -> Subscript {
    Subscript::Range(Box::new(Range {
        lower: Some(lower.into()),
        upper: Some(upper.into()),
        stride: Some(stride.into()),
    }))
}

impl From<RangeInclusive<i64>> for Dim {
    fn from(bounds: RangeInclusive<i64>) -> Self {
        let (lower, upper) = (*bounds.start(), *bounds.end());
        let extent = upper.saturating_sub(lower).saturating_add(1).max(0);
        Self {
            lower: Expr::Int(lower),
            extent: Extent::Fixed(Expr::Int(extent)),
        }
    }
}

impl Dim {
    /// Lower bound 1, extent taken from the actual argument (parameter) or from an assignment (local).
    pub fn deferred() -> Self {
        Self {
            lower: Expr::Int(1),
            extent: Extent::Deferred,
        }
    }
}

impl VarId {
    /// An element or section: `a.at(i)`, `b.at((i, j + 1))`, `c.at((full(), 2))`.
    pub fn at(self, subscripts: impl Subscripts) -> Place {
        Place {
            var: self,
            subscripts: subscripts.subscripts(),
        }
    }

    /// The field of a record: `p.field("x")`; of an array of records the array of that field.
    pub fn field(self, name: &str) -> Place {
        Place::whole(self).field(name)
    }

    /// The object that the pointer points to.
    pub fn deref(self) -> Place {
        Place::whole(self).deref()
    }

    /// The element that is k elements behind the target of the pointer.
    pub fn deref_at(self, k: impl Into<Expr>) -> Place {
        Place::whole(self).deref_at(k)
    }
}

impl Place {
    /// A field of this place, a record: `a.at(i).field("v")`.
    #[must_use]
    pub fn field(self, name: &str) -> Self {
        self.with([Subscript::Field(name.into())])
    }

    /// The target of this place, a pointer: `p.deref().field("next")`.
    #[must_use]
    pub fn deref(self) -> Self {
        self.with([Subscript::Deref])
    }

    /// The element that is k elements behind the target of this place, a pointer.
    #[must_use]
    pub fn deref_at(self, k: impl Into<Expr>) -> Self {
        self.with([Subscript::Deref, Subscript::Index(k.into())])
    }

    /// An element or section of this place, a field: `p.field("v").at(2)`.
    #[must_use]
    pub fn at(self, subscripts: impl Subscripts) -> Self {
        self.with(subscripts.subscripts())
    }

    fn with(self, behind: impl IntoIterator<Item = Subscript>) -> Self {
        let mut subscripts = self.subscripts.into_vec();
        subscripts.extend(behind);
        Self {
            var: self.var,
            subscripts: subscripts.into(),
        }
    }
}
