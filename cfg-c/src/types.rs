//! The types of C on a machine where long has 64 bits, with their promotions and conversions.

use crate::ids::{ExprId, StructId};
use cfg_core::ir::{AnyInt, IntType, ScalarType};
use std::rc::Rc;

/// An integer type; `char` is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::enum_variant_names, reason = "C calls the types so")]
pub(crate) enum Int {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LLong,
    ULLong,
}

impl Int {
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::Char | Self::SChar | Self::UChar => 8,
            Self::Short | Self::UShort => 16,
            Self::Int | Self::UInt => 32,
            Self::Long | Self::ULong | Self::LLong | Self::ULLong => 64,
        }
    }

    pub(crate) fn is_signed(self) -> bool {
        match self {
            Self::Char | Self::SChar | Self::Short | Self::Int | Self::Long | Self::LLong => true,
            Self::Bool | Self::UChar | Self::UShort | Self::UInt | Self::ULong | Self::ULLong => {
                false
            }
        }
    }

    /// The conversion rank (C99 6.3.1.1).
    fn rank(self) -> u8 {
        match self {
            Self::Bool => 0,
            Self::Char | Self::SChar | Self::UChar => 1,
            Self::Short | Self::UShort => 2,
            Self::Int | Self::UInt => 3,
            Self::Long | Self::ULong => 4,
            Self::LLong | Self::ULLong => 5,
        }
    }

    pub(crate) fn promote(self) -> Self {
        if self.rank() < Self::Int.rank() {
            Self::Int
        } else {
            self
        }
    }

    fn unsigned(self) -> Self {
        match self {
            Self::Int => Self::UInt,
            Self::Long => Self::ULong,
            Self::LLong => Self::ULLong,
            other => other,
        }
    }

    /// The common type of two promoted types (C99 6.3.1.8).
    pub(crate) fn common(self, other: Self) -> Self {
        let (a, b) = (self.promote(), other.promote());
        let (high, low) = if a.rank() >= b.rank() { (a, b) } else { (b, a) };
        if a.is_signed() == b.is_signed() || !high.is_signed() {
            high
        } else if a.rank() == b.rank() {
            // Of two types of one rank the unsigned one is common.
            // `high` is the one with a sign.
            low
        } else if high.bits() > low.bits() {
            high
        } else {
            high.unsigned()
        }
    }

    pub(crate) fn range(self) -> (i128, i128) {
        if self.is_signed() {
            (
                -(1i128 << (self.bits() - 1)),
                (1i128 << (self.bits() - 1)) - 1,
            )
        } else {
            (0, (1i128 << self.bits()) - 1)
        }
    }

    pub(crate) fn contains(self, value: i128) -> bool {
        let (least, most) = self.range();
        (least..=most).contains(&value)
    }

    /// A value modulo 2 to the number of bits.
    pub(crate) fn wrap(self, value: i128) -> i128 {
        if self == Self::Bool {
            return i128::from(value != 0);
        }
        let modulus = 1i128 << self.bits();
        let value = value.rem_euclid(modulus);
        if self.is_signed() && value >= modulus / 2 {
            value - modulus
        } else {
            value
        }
    }

    /// The integer type in the representation; none of a logical.
    pub(crate) fn integer(self) -> Option<AnyInt> {
        Some(match self {
            Self::Bool => return None,
            Self::Char | Self::SChar => IntType::Int8.into(),
            Self::UChar => IntType::Uint8.into(),
            Self::Short => IntType::Int16.into(),
            Self::UShort => IntType::Uint16.into(),
            Self::Int => IntType::Int32.into(),
            Self::UInt => IntType::Uint32.into(),
            Self::Long | Self::LLong => AnyInt::Integer,
            Self::ULong | Self::ULLong => IntType::Uint64.into(),
        })
    }

    /// The type in the representation.
    pub(crate) fn scalar(self) -> ScalarType {
        self.integer().map_or(ScalarType::Logical, Into::into)
    }
}

/// An arithmetic type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arith {
    Int(Int),
    Float,
    Double,
}

impl Arith {
    pub(crate) const INT: Self = Self::Int(Int::Int);
    /// The integer that stands for a pointer that has become a number. It has the size of a pointer, so that sizes
    /// stay the same.
    pub(crate) const ADDRESS: Self = Self::Int(Int::Long);

    pub(crate) fn scalar_type(self) -> ScalarType {
        match self {
            Self::Int(ty) => ty.scalar(),
            Self::Float => ScalarType::Real32,
            Self::Double => ScalarType::Real,
        }
    }

    pub(crate) fn is_real(self) -> bool {
        !matches!(self, Self::Int(_))
    }

    /// The usual arithmetic conversions.
    pub(crate) fn usual_conversion(self, other: Self) -> Self {
        match (self, other) {
            (Self::Double, _) | (_, Self::Double) => Self::Double,
            (Self::Float, _) | (_, Self::Float) => Self::Float,
            (Self::Int(a), Self::Int(b)) => Self::Int(a.common(b)),
        }
    }

    /// The size in bytes.
    pub(crate) fn size(self) -> i128 {
        match self {
            Self::Int(Int::Bool) | Self::Int(Int::Char | Int::SChar | Int::UChar) => 1,
            Self::Int(ty) => i128::from(ty.bits() / 8),
            Self::Float => 4,
            Self::Double => 8,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Float => "float",
            Self::Int(ty) => match ty {
                Int::Bool => "_Bool",
                Int::Char => "char",
                Int::SChar => "signed char",
                Int::UChar => "unsigned char",
                Int::Short => "short",
                Int::UShort => "unsigned short",
                Int::Int => "int",
                Int::UInt => "unsigned int",
                Int::Long => "long",
                Int::ULong => "unsigned long",
                Int::LLong => "long long",
                Int::ULLong => "unsigned long long",
            },
        }
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Void,
    Arith(Arith),
    Pointer(Rc<Qualified>),
    /// Elements and their number; `None` where it is left out.
    Array(Rc<Qualified>, Option<ExprId>),
    Function(Rc<Signature>),
    Struct(StructId),
    /// A type that is refused where it is used, by its name in messages.
    Refused(Rc<str>),
}

/// A type with its qualifiers.
#[derive(Clone, Debug)]
pub(crate) struct Qualified {
    pub(crate) ty: Type,
    pub(crate) constant: bool,
    pub(crate) restrict: bool,
    pub(crate) volatile: bool,
    /// True of a type written `long double`, which is read as `double`.
    pub(crate) long_double: bool,
    /// The width of a bit-field.
    pub(crate) width: Option<Width>,
}

/// The width of a bit-field, and the type that it is declared with. Values are promoted to another type, in which
/// they are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width {
    pub(crate) of: Int,
    pub(crate) bits: u32,
}

impl Width {
    /// The type in which a bit-field is computed; `None` for a width between those of `int` and `long`, of which
    /// compilers differ.
    pub(crate) fn computed(self) -> Option<Arith> {
        let signed = self.of.is_signed();
        Some(Arith::Int(match self.bits {
            1 if self.of == Int::Bool => Int::Bool,
            1..=31 => Int::Int,
            32 if signed => Int::Int,
            32 => Int::UInt,
            64 => self.of,
            _ => return None,
        }))
    }

    /// True if the computed type has values that the bit-field cannot hold.
    pub(crate) fn narrows(self) -> bool {
        self.of != Int::Bool && self.bits < 32
    }

    /// The part of a value that the bit-field keeps.
    pub(crate) fn kept(self, value: i128) -> i128 {
        let value = value & ((1 << self.bits) - 1);
        match self.of.is_signed() && value >> (self.bits - 1) == 1 {
            true => value - (1 << self.bits),
            false => value,
        }
    }
}

impl PartialEq for Qualified {
    fn eq(&self, other: &Self) -> bool {
        let qualifiers = |q: &Self| (q.constant, q.restrict, q.volatile);
        self.ty == other.ty && qualifiers(self) == qualifiers(other)
    }
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signature {
    pub(crate) result: Qualified,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) variadic: bool,
    /// True of a function declared with `()`, whose parameters are not known.
    pub(crate) open: bool,
}

/// Types of functions that lead to one another nest without a limit: they are dropped in a loop, since recursion
/// could exhaust the stack.
impl Drop for Signature {
    fn drop(&mut self) {
        let mut pending = Vec::new();
        self.take_types(&mut pending);
        while let Some(ty) = pending.pop() {
            match ty {
                Type::Pointer(of) | Type::Array(of, _) => {
                    pending.extend(Rc::into_inner(of).map(|of| of.ty));
                }
                Type::Function(signature) => {
                    if let Some(mut signature) = Rc::into_inner(signature) {
                        signature.take_types(&mut pending);
                    }
                }
                Type::Void | Type::Arith(_) | Type::Struct(_) | Type::Refused(_) => {}
            }
        }
    }
}

impl Signature {
    /// Moves the types of the result and the parameters to `pending`.
    fn take_types(&mut self, pending: &mut Vec<Type>) {
        pending.push(std::mem::replace(&mut self.result.ty, Type::Void));
        pending.extend(self.parameters.drain(..).map(|p| p.ty.ty));
    }
}

/// A parameter as it is declared, after its type is adjusted to a pointer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: Option<Rc<str>>,
    pub(crate) ty: Qualified,
    /// The first extent of a parameter that is written as an array.
    pub(crate) extent: Option<ExprId>,
    /// The variable, if the parameter belongs to a definition.
    pub(crate) decl: Option<crate::ast::DeclId>,
}

impl Qualified {
    pub(crate) fn unqualified(ty: Type) -> Self {
        Self {
            ty,
            constant: false,
            restrict: false,
            volatile: false,
            long_double: false,
            width: None,
        }
    }

    /// The type of a constant; an array is as constant as its elements are.
    pub(crate) fn made_constant(self) -> Self {
        // Declarators nest at most as deep as the parser lets them.
        let ty = match self.ty {
            Type::Array(of, extent) => Type::Array(Rc::new((*of).clone().made_constant()), extent),
            ty => ty,
        };
        let constant = true;
        Self {
            ty,
            constant,
            ..self
        }
    }

    /// The number of pointers, arrays and functions on the way to the type at the bottom.
    pub(crate) fn levels(&self) -> usize {
        let mut levels = 0;
        let mut ty = self;
        loop {
            ty = match &ty.ty {
                Type::Pointer(of) | Type::Array(of, _) => of,
                Type::Function(signature) => &signature.result,
                Type::Void | Type::Arith(_) | Type::Struct(_) | Type::Refused(_) => {
                    return levels;
                }
            };
            levels += 1;
        }
    }

    /// The arithmetic type; `None` for other types.
    pub(crate) fn arith(&self) -> Option<Arith> {
        match self.ty {
            Type::Arith(ty) => Some(ty),
            Type::Void
            | Type::Pointer(_)
            | Type::Array(..)
            | Type::Function(_)
            | Type::Struct(_)
            | Type::Refused(_) => None,
        }
    }

    /// True of numbers that are promoted when they are passed to a function without declared parameters.
    pub(crate) fn is_promoted(&self) -> bool {
        match self.arith() {
            Some(Arith::Int(ty)) => ty.promote() != ty,
            Some(ty) => ty == Arith::Float,
            None => false,
        }
    }

    /// True of `void *`.
    pub(crate) fn is_void_pointer(&self) -> bool {
        matches!(&self.ty, Type::Pointer(to) if to.ty == Type::Void)
    }

    /// The type behind all arrays.
    pub(crate) fn element(&self) -> &Self {
        let mut ty = self;
        while let Type::Array(of, _) = &ty.ty {
            ty = of;
        }
        ty
    }

    /// The type behind all pointers and arrays.
    pub(crate) fn bottom(&self) -> &Self {
        let mut ty = self;
        while let Some(of) = ty.target() {
            ty = of;
        }
        ty
    }

    /// The type that a pointer points to, or that of an array's elements.
    pub(crate) fn target(&self) -> Option<&Self> {
        match &self.ty {
            Type::Pointer(of) | Type::Array(of, _) => Some(of),
            Type::Void
            | Type::Arith(_)
            | Type::Function(_)
            | Type::Struct(_)
            | Type::Refused(_) => None,
        }
    }

    /// The type in words.
    pub(crate) fn name(&self) -> String {
        // Declarators nest at most as deep as the parser lets them.
        match &self.ty {
            Type::Void => "void".to_owned(),
            Type::Arith(ty) => ty.name().to_owned(),
            Type::Pointer(to) => format!("pointer to {}", to.name()),
            Type::Array(of, _) => format!("array of {}", of.name()),
            Type::Function(_) => "function".to_owned(),
            Type::Struct(_) => "structure".to_owned(),
            Type::Refused(name) => name.to_string(),
        }
    }
}

/// True of a real type and an integer type of its size.
pub(crate) fn are_bits(a: Arith, b: Arith) -> bool {
    a.is_real() != b.is_real() && a.size() == b.size()
}
