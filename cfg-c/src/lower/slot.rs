//! The representation of C variables, places and pointers in a routine.

use crate::{
    ast::StructId,
    types::{Arith, Qualified, Type},
};
use cfg_core::{
    entity::VarId,
    ir::{Expr, Op, Place, PointerType, Range, Subscript},
};
use std::rc::Rc;

/// The contents of a variable, an element or a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elem {
    Arith(Arith),
    Struct(StructId),
    /// A pointer that is a value: the type at its end, and the number of pointers that lead there.
    Pointer(Base, u8),
}

/// The type at the end of pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Arith(Arith),
    Struct(StructId),
}

impl From<Base> for Elem {
    fn from(base: Base) -> Self {
        match base {
            Base::Arith(ty) => Self::Arith(ty),
            Base::Struct(s) => Self::Struct(s),
        }
    }
}

impl Elem {
    /// The contents at the bottom of pointers and arrays; `None` if that type is not supported.
    pub(super) fn from_type(ty: &Qualified) -> Option<Self> {
        match ty.ty {
            Type::Arith(ty) => Some(Self::Arith(ty)),
            Type::Struct(s) => Some(Self::Struct(s)),
            Type::Void
            | Type::Pointer(_)
            | Type::Array(..)
            | Type::Function(_)
            | Type::Refused(_) => None,
        }
    }

    /// The contents of a type where pointers are values.
    pub(super) fn of_value(ty: &Qualified) -> Option<Self> {
        let (mut ty, mut depth) = (ty, 0);
        while let Type::Pointer(of) = &ty.ty {
            depth += 1;
            ty = of;
        }
        let base = match Self::from_type(ty)? {
            Self::Arith(ty) => Base::Arith(ty),
            Self::Struct(s) => Base::Struct(s),
            Self::Pointer(..) => return None,
        };
        match depth {
            0 => Some(base.into()),
            depth if depth <= PointerType::MAX_DEPTH => Some(Self::Pointer(base, depth)),
            _ => None,
        }
    }

    /// The contents of the place that a pointer points to.
    pub(super) fn pointee(self) -> Option<Self> {
        match self {
            Self::Pointer(base, 1) => Some(base.into()),
            Self::Pointer(base, depth) => Some(Self::Pointer(base, depth.checked_sub(1)?)),
            Self::Arith(_) | Self::Struct(_) => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Arith(ty) => ty.name(),
            Self::Struct(_) => "a structure",
            Self::Pointer(..) => "a pointer",
        }
    }
}

/// The representation of a variable of C.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Scalar(VarId, Elem),
    /// An array of one element, to which pointers can be made.
    Cell(VarId, Elem),
    Array {
        var: VarId,
        elem: Elem,
        rank: usize,
        /// The first subscript of all dimensions: 1 for an array that gets its shape at its declaration, otherwise 0.
        lower: i64,
        constant: bool,
    },
    /// A pointer that is another name for one place, which replaces it.
    Alias(Pointer),
    /// A pointer that is assigned or moves.
    Walker(Rc<Walker>),
}

/// A pointer as integer variables: the number of the array, and the subscripts in it.
#[derive(Debug)]
pub(super) struct Walker {
    /// The arrays that the pointer may point into, with the pointer's own variables as subscripts.
    pub(super) targets: Vec<Pointer>,
    /// The variable with the number of the array, if there are several.
    pub(super) selector: Option<VarId>,
    /// The variables of the subscripts in front of the one that moves.
    pub(super) indices: Vec<VarId>,
    pub(super) offset: VarId,
    /// True if the pointer may be null.
    pub(super) null: bool,
}

/// A variable, an element, a member, or an array of these.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) var: VarId,
    pub(super) subscripts: Vec<Subscript>,
    pub(super) elem: Elem,
    /// The number of dimensions, if the place is an array; 0 for one element.
    pub(super) dims: usize,
    /// The first subscript of these dimensions.
    pub(super) lower: i64,
    /// True if the place must not be written.
    pub(super) constant: bool,
}

impl Path {
    pub(super) fn into_place(self) -> Place {
        Place {
            var: self.var,
            subscripts: self.subscripts.into_boxed_slice(),
        }
    }

    /// The pointer to the first element of an array.
    pub(super) fn decayed(self) -> Option<Pointer> {
        let lower = self.lower;
        Some(Pointer {
            inner: self.dims.checked_sub(1)?,
            ..self.address(Some(Expr::Int(lower)))
        })
    }

    /// The pointer to the place, with the subscript that moves.
    pub(super) fn address(self, offset: Option<Expr>) -> Pointer {
        Pointer {
            var: self.var,
            elem: self.elem,
            inner: self.dims,
            prefix: self.subscripts,
            offset,
            lower: self.lower,
            constant: self.constant,
            flat: None,
        }
    }
}

/// A pointer to an element or a row of an array.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) var: VarId,
    pub(super) elem: Elem,
    /// The number of dimensions of the place pointed to; 0 for one element.
    pub(super) inner: usize,
    /// The subscripts and members that lead to the array.
    pub(super) prefix: Vec<Subscript>,
    /// The subscript that moves with the pointer; `None` for a pointer to a member that is no array.
    pub(super) offset: Option<Expr>,
    /// The first subscript of all dimensions.
    pub(super) lower: i64,
    /// True if the pointer must not be written through.
    pub(super) constant: bool,
    /// For a pointer that counts the elements of a whole matrix, the extents of all dimensions but the first. The
    /// subscripts in front of the one that moves are then 0.
    pub(super) flat: Option<Rc<[Expr]>>,
}

impl Pointer {
    /// True of a pointer that is a value, not a place in an array.
    pub(super) fn is_behind(&self) -> bool {
        self.prefix.contains(&Subscript::Deref)
    }

    /// The pointer moved by `k` elements.
    pub(super) fn at(&self, k: VarId) -> Self {
        let offset = match &self.offset {
            None | Some(Expr::Int(0)) => Expr::var(k),
            Some(offset) => Expr::op(Op::Add, [offset.clone(), Expr::var(k)]),
        };
        Self {
            offset: Some(offset),
            ..self.clone()
        }
    }

    /// The place that the pointer points to.
    pub(super) fn target(self) -> Path {
        let subscripts = match (self.flat, self.offset) {
            (Some(extents), Some(number)) => subscripts_of(&number, &extents),
            (_, offset) => {
                let mut subscripts = self.prefix;
                subscripts.extend(offset.map(Subscript::Index));
                subscripts
            }
        };
        Path {
            var: self.var,
            subscripts,
            elem: self.elem,
            dims: self.inner,
            lower: self.lower,
            constant: self.constant,
        }
    }

    /// The place that the pointer points to, with all elements if it is an array.
    pub(super) fn target_place(self) -> Place {
        let inner = self.inner;
        let mut path = self.target();
        path.subscripts
            .extend((0..inner).map(|_| Subscript::Range(Box::default())));
        path.into_place()
    }

    /// The argument for an array parameter: the elements from the one pointed to on.
    pub(super) fn section(self) -> Place {
        if self.flat.is_some() {
            return self.target().into_place();
        }
        let mut subscripts = self.prefix;
        match self.offset {
            Some(Expr::Int(first)) if first == self.lower => {
                // Without a last subscript the place is a whole array, or a whole member.
                if !matches!(subscripts.last(), Some(Subscript::Index(_))) {
                    return Place {
                        var: self.var,
                        subscripts: subscripts.into_boxed_slice(),
                    };
                }
                subscripts.push(Subscript::Range(Box::default()));
            }
            Some(lower) => subscripts.push(Subscript::Range(Box::new(Range {
                lower: Some(lower),
                upper: None,
                stride: None,
            }))),
            None => {
                // The member of one structure of an array is an array of one element.
                let last = subscripts.iter_mut().rev().find(|s| s.index().is_some());
                if let Some(last) = last
                    && let Some(e) = last.index().cloned()
                {
                    *last = Subscript::Range(Box::new(Range {
                        lower: Some(e.clone()),
                        upper: Some(e),
                        stride: None,
                    }));
                }
            }
        }
        let inner = if matches!(subscripts.last(), Some(Subscript::Range(_))) {
            self.inner
        } else {
            0
        };
        subscripts.extend((0..inner).map(|_| Subscript::Range(Box::default())));
        Place {
            var: self.var,
            subscripts: subscripts.into_boxed_slice(),
        }
    }
}

/// The subscripts of an element of a matrix by its number.
fn subscripts_of(number: &Expr, extents: &[Expr]) -> Vec<Subscript> {
    let mut all = Vec::with_capacity(1 + extents.len());
    let mut rest = number.clone();
    for extent in extents.iter().rev() {
        let (row, column) = match (&rest, extent) {
            (Expr::Int(0), _) => (Expr::Int(0), Expr::Int(0)),
            (Expr::Int(k), Expr::Int(n)) if *k >= 0 && *n > 0 => {
                (Expr::Int(k / n), Expr::Int(k % n))
            }
            // A number below 0 leaves a remainder below 0, for which there is no element: the error is not hidden.
            _ => (
                Expr::op(Op::Div, [rest.clone(), extent.clone()]),
                Expr::op(Op::Mod, [rest.clone(), extent.clone()]),
            ),
        };
        all.push(Subscript::Index(column));
        rest = row;
    }
    all.push(Subscript::Index(rest));
    all.reverse();
    all
}
