//! Expressions and places.

use super::{AnyInt, Conversion, IntType, Op, PointerType, ScalarType};
use crate::entity::VarId;

/// An expression: a tree of at most [`Expr::MAX_DEPTH`] levels (checked by readers, kept by builders
/// and transformations), so recursion over one expression is bounded.
///
/// Expressions are equal if they have the same text: unlike the number, a constant NaN equals itself, so that a place
/// with one in its subscripts is the same place. Zeros of either sign are equal.
#[derive(Clone, Debug)]
pub enum Expr {
    /// Integer constant.
    Int(i64),
    /// 64-bit real constant; may be infinite or NaN.
    Real(f64),
    /// 32-bit real constant.
    Real32(f32),
    /// Logical constant.
    Logical(bool),
    /// The pointer of a type that points nowhere.
    Null(PointerType),
    /// The pointer to the first cell of a place; the place itself is not read.
    Addr(Place),
    /// The value of a variable, an element or a section.
    Place(Place),
    /// An operator or intrinsic applied to operands. Elemental operators over arrays work element by
    /// element; scalars are broadcast.
    Op(Op, Box<[Expr]>),
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Real(a), Self::Real(b)) => a == b || a.is_nan() && b.is_nan(),
            (Self::Real32(a), Self::Real32(b)) => a == b || a.is_nan() && b.is_nan(),
            (Self::Logical(a), Self::Logical(b)) => a == b,
            (Self::Null(a), Self::Null(b)) => a == b,
            (Self::Addr(a), Self::Addr(b)) | (Self::Place(a), Self::Place(b)) => a == b,
            (Self::Op(f, a), Self::Op(g, b)) => f == g && a == b,
            (
                Self::Int(_)
                | Self::Real(_)
                | Self::Real32(_)
                | Self::Logical(_)
                | Self::Null(_)
                | Self::Addr(_)
                | Self::Place(_)
                | Self::Op(..),
                _,
            ) => false,
        }
    }
}

/// Something that can be read, written, or bound to a formal by reference: a variable, an element or a section of an
/// array, a field of a record, an element behind a pointer, and combinations of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The variable that is named.
    pub var: VarId,
    /// The subscripts, one per dimension; empty for a scalar or a whole array. Fields of records stand among them,
    /// each with its own subscripts behind it: `a[i].v[j]` has `i`, `.v`, `j` ([`Place::levels`]). Steps through
    /// pointers do too, each with at most one subscript behind it, a distance in elements from the target of the
    /// pointer: `p[i]^[k].v` has `i`, `^`, `k`, `.v`. A place with such a step is no part of its variable, which is
    /// only read to find the place ([`Place::is_through_pointer`]).
    pub subscripts: Box<[Subscript]>,
}

/// One subscript of a [`Place`].
#[derive(Clone, Debug, PartialEq)]
pub enum Subscript {
    /// An index, which picks one element of the dimension; the dimension disappears.
    Index(Expr),
    /// A range `lower : upper : stride`; the dimension stays.
    Range(Box<Range>),
    /// The field of a record.
    Field(Box<str>),
    /// A step to the target of a pointer.
    Deref,
}

/// A subscript range; a missing bound is the array's own, a missing stride is 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Range {
    /// The first index; without one, the array's lower bound.
    pub lower: Option<Expr>,
    /// The last index, inclusive; without one, the array's upper bound.
    pub upper: Option<Expr>,
    /// Step, not 0, may be negative.
    pub stride: Option<Expr>,
}

impl Subscript {
    /// The index; `None` for other subscripts.
    pub fn index(&self) -> Option<&Expr> {
        match self {
            Self::Index(e) => Some(e),
            Self::Range(_) | Self::Field(_) | Self::Deref => None,
        }
    }

    /// The name of the field; `None` for other subscripts.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::Field(name) => Some(name),
            Self::Index(_) | Self::Range(_) | Self::Deref => None,
        }
    }

    /// The index, or the bounds and the stride that are given.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let (a, b, c) = match self {
            Self::Index(e) => (Some(e), None, None),
            Self::Range(r) => (r.lower.as_ref(), r.upper.as_ref(), r.stride.as_ref()),
            Self::Field(_) | Self::Deref => (None, None, None),
        };
        a.into_iter().chain(b).chain(c)
    }

    /// [`exprs`](Self::exprs), to change them.
    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let (a, b, c) = match self {
            Self::Index(e) => (Some(e), None, None),
            Self::Range(range) => {
                let Range {
                    lower,
                    upper,
                    stride,
                } = &mut **range;
                (lower.as_mut(), upper.as_mut(), stride.as_mut())
            }
            Self::Field(_) | Self::Deref => (None, None, None),
        };
        a.into_iter().chain(b).chain(c)
    }
}

impl Place {
    /// The scalar, or the whole array.
    pub fn whole(var: VarId) -> Self {
        Self {
            var,
            subscripts: Box::default(),
        }
    }

    /// The place of one element.
    pub fn element(var: VarId, indices: impl IntoIterator<Item = Expr>) -> Self {
        Self {
            var,
            subscripts: indices.into_iter().map(Subscript::Index).collect(),
        }
    }

    /// True for one element of an array: there are subscripts, and all are indices.
    pub fn is_element(&self) -> bool {
        !self.subscripts.is_empty() && self.subscripts.iter().all(|s| s.index().is_some())
    }

    /// The subscripts, if all are integer literals: an empty list for a scalar or a whole array.
    pub fn constant_subscripts(&self) -> Option<Vec<i64>> {
        let constant = |s: &Subscript| match s.index()? {
            Expr::Int(i) => Some(*i),
            Expr::Real(_)
            | Expr::Real32(_)
            | Expr::Logical(_)
            | Expr::Null(_)
            | Expr::Addr(_)
            | Expr::Place(_)
            | Expr::Op(..) => None,
        };
        self.subscripts.iter().map(constant).collect()
    }

    /// The expressions inside the subscripts, left to right.
    pub fn subscript_exprs(&self) -> impl Iterator<Item = &Expr> {
        self.subscripts.iter().flat_map(Subscript::exprs)
    }
}

impl Expr {
    /// Deepest expression that programs may contain. Writers split deeper ones into temporaries.
    pub const MAX_DEPTH: usize = 100;

    /// The value of a scalar variable or of a whole array.
    pub fn var(var: VarId) -> Self {
        Self::Place(Place::whole(var))
    }

    /// An operator applied to operands.
    pub fn op(op: Op, operands: impl IntoIterator<Item = Expr>) -> Self {
        Self::Op(op, operands.into_iter().collect())
    }

    /// The constant 0 of a type: `false` for a logical, null for a pointer. Tapes and records have none and get that
    /// of `real`.
    pub fn zero(ty: ScalarType) -> Self {
        match ty {
            ScalarType::Real32 => Self::Real32(0.0),
            ScalarType::Integer => Self::Int(0),
            ScalarType::Sized(ty) => {
                let op = Op::Convert(Conversion::Wrap, AnyInt::Sized(ty));
                Self::op(op, [Self::Int(0)])
            }
            ScalarType::Logical => Self::Logical(false),
            ScalarType::Pointer(pointer) => Self::Null(pointer),
            ScalarType::Real | ScalarType::Tape | ScalarType::Record(_) => Self::Real(0.0),
        }
    }

    /// A constant of an integer type; `None` if the type does not have the value. The constant is written as the
    /// conversion (modulo 2 to the number of bits) of an integer constant, the cell of the value (see [`IntType`]).
    pub fn sized(ty: IntType, value: i128) -> Option<Self> {
        let op = Op::Convert(Conversion::Wrap, AnyInt::Sized(ty));
        Some(Self::op(op, [Self::Int(ty.cell(value)?)]))
    }

    /// Type and cell of a constant as [`Expr::sized`] makes it.
    pub fn sized_constant(&self) -> Option<(IntType, i64)> {
        let Self::Op(op, operands) = self else {
            return None;
        };
        match (op.conversion()?, &**operands) {
            ((Conversion::Wrap, AnyInt::Sized(ty)), &[Self::Int(cell)])
                if ty.wrap(i128::from(cell)) == cell =>
            {
                Some((ty, cell))
            }
            _ => None,
        }
    }

    /// The value of an integer expression of literals, sums, differences, products and signs. `None` for expressions
    /// deeper than [`Expr::MAX_DEPTH`], since the function recurses.
    pub fn constant(&self) -> Option<i64> {
        self.constant_within(Self::MAX_DEPTH)
    }

    fn constant_within(&self, levels: usize) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Op(op, operands) if levels > 0 => {
                let mut values = Vec::with_capacity(operands.len());
                for e in operands {
                    values.push(e.constant_within(levels - 1)?);
                }
                let (&first, rest) = values.split_first()?;
                match (op, rest) {
                    (Op::Neg, []) => first.checked_neg(),
                    (Op::Sub, &[b]) => first.checked_sub(b),
                    (Op::Add, _) => rest.iter().try_fold(first, |a, &b| a.checked_add(b)),
                    (Op::Mul, _) => rest.iter().try_fold(first, |a, &b| a.checked_mul(b)),
                    _ => None,
                }
            }
            Self::Op(..)
            | Self::Real(_)
            | Self::Real32(_)
            | Self::Logical(_)
            | Self::Null(_)
            | Self::Addr(_)
            | Self::Place(_) => None,
        }
    }

    /// Calls `visit` for this expression and everything below it, subscripts included, parents first.
    pub fn walk<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        visit(self);
        match self {
            Self::Int(_) | Self::Real(_) | Self::Real32(_) | Self::Logical(_) | Self::Null(_) => {}
            Self::Place(place) | Self::Addr(place) => {
                for s in &place.subscripts {
                    match s {
                        Subscript::Index(e) => e.walk(visit),
                        Subscript::Range(r) => {
                            for e in [&r.lower, &r.upper, &r.stride].into_iter().flatten() {
                                e.walk(visit);
                            }
                        }
                        Subscript::Field(_) | Subscript::Deref => {}
                    }
                }
            }
            Self::Op(_, operands) => {
                for e in operands {
                    e.walk(visit);
                }
            }
        }
    }

    /// Calls `visit` for every place that is read, in subscripts too, and for every place through a pointer whose
    /// address is taken, since that pointer is read.
    pub fn walk_places<'e>(&'e self, visit: &mut impl FnMut(&'e Place)) {
        self.walk(&mut |e| match e {
            Self::Place(place) => visit(place),
            Self::Addr(place) if place.is_through_pointer() => visit(place),
            Self::Addr(_)
            | Self::Int(_)
            | Self::Real(_)
            | Self::Real32(_)
            | Self::Logical(_)
            | Self::Null(_)
            | Self::Op(..) => {}
        });
    }

    /// Rebuilds the expression bottom-up: `map` sees every node after its children (subscripts
    /// included) have been rebuilt.
    #[must_use]
    pub fn map(&self, map: &mut impl FnMut(Expr) -> Expr) -> Expr {
        let rebuilt = match self {
            Self::Int(_) | Self::Real(_) | Self::Real32(_) | Self::Logical(_) | Self::Null(_) => {
                self.clone()
            }
            Self::Addr(place) => Self::Addr(place.map_subscripts(&mut |e| e.map(map))),
            Self::Place(place) => Self::Place(place.map_subscripts(&mut |e| e.map(map))),
            Self::Op(op, operands) => Self::Op(*op, operands.iter().map(|e| e.map(map)).collect()),
        };
        map(rebuilt)
    }

    /// Number of levels; a constant or a variable has 1. Subscripts count. The address of a place is a level around it.
    pub fn depth(&self) -> usize {
        match self {
            Self::Int(_) | Self::Real(_) | Self::Real32(_) | Self::Logical(_) | Self::Null(_) => 1,
            Self::Addr(place) => 1 + place.depth(),
            Self::Place(place) => place.depth(),
            Self::Op(_, operands) => 1 + operands.iter().map(Expr::depth).max().unwrap_or(0),
        }
    }
}

impl Place {
    /// Number of levels: each field, each step through a pointer with its subscript, and each list of subscripts is a
    /// level around the place before it.
    pub fn depth(&self) -> usize {
        let deepest = |s: &Subscript| s.exprs().map(Expr::depth).max().unwrap_or(0);
        if self.is_plain() {
            return 1 + self.subscripts.iter().map(deepest).max().unwrap_or(0);
        }
        let nesting = self.nesting().into_iter().zip(&self.subscripts);
        let levels = nesting.map(|((around, _), s)| around + 1 + deepest(s));
        levels.max().unwrap_or(1)
    }

    /// A copy of the place with every subscript expression replaced.
    #[must_use]
    pub fn map_subscripts(&self, map: &mut impl FnMut(&Expr) -> Expr) -> Place {
        let subscripts = self
            .subscripts
            .iter()
            .map(|s| match s {
                Subscript::Index(e) => Subscript::Index(map(e)),
                Subscript::Range(r) => Subscript::Range(Box::new(Range {
                    lower: r.lower.as_ref().map(&mut *map),
                    upper: r.upper.as_ref().map(&mut *map),
                    stride: r.stride.as_ref().map(&mut *map),
                })),
                Subscript::Field(name) => Subscript::Field(name.clone()),
                Subscript::Deref => Subscript::Deref,
            })
            .collect();
        Place {
            var: self.var,
            subscripts,
        }
    }
}

impl From<Place> for Expr {
    fn from(place: Place) -> Self {
        Self::Place(place)
    }
}
impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}
impl From<f64> for Expr {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}
impl From<VarId> for Expr {
    fn from(var: VarId) -> Self {
        Self::var(var)
    }
}
