//! The operators and intrinsics: names and operand counts. Values and partial derivatives of the
//! elemental functions are in [`crate::elemental`].

use super::{IntType, ScalarType};

/// The kind of an [`Op`], by its operands and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpClass {
    /// Scalar function, applied element by element to arrays.
    Elemental,
    /// Reduces an array to a scalar.
    Reduction,
    /// Array to array, not element by element.
    Transformational,
    /// Asks about an array's shape or an argument's presence; the operand is not evaluated.
    Inquiry,
}

/// Defines [`Op`] with one row per operator: variant, name in files, class, fewest and most operands.
macro_rules! ops {
    ($($(#[$doc:meta])* $variant:ident $name:literal $class:ident $min:literal .. $max:literal;)*) => {
        /// An operator or intrinsic function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Op { $($(#[$doc])* $variant,)* }

        impl Op {
            /// Every operator, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in files.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The kind of operator.
            pub fn class(self) -> OpClass {
                match self { $(Self::$variant => OpClass::$class,)* }
            }

            /// The fewest and the most operands; the most is `usize::MAX` for operators that take any number.
            pub fn arity(self) -> (usize, usize) {
                const MANY: usize = 255;
                let (min, max): (usize, usize) = match self { $(Self::$variant => ($min, $max),)* };
                (min, if max == MANY { usize::MAX } else { max })
            }

            /// The operator with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

ops! {
    /// Sum, left fold.
    Add "+" Elemental 2..255;
    /// Difference; one operand: negation is [`Op::Neg`], written `["-", x]` too.
    Sub "-" Elemental 2..2;
    /// Unary minus. In files `["neg", x]`; `["-", x]` is read as this.
    Neg "neg" Elemental 1..1;
    /// Product, left fold.
    Mul "*" Elemental 2..255;
    /// Quotient; of two integers, truncated toward zero.
    Div "/" Elemental 2..2;
    /// Power; integer or real exponent.
    Pow "**" Elemental 2..2;
    /// Strong product: 0 if the first operand is 0, whatever the second is, otherwise their product.
    /// The adjoint and tangent rules multiply a derivative (first) with a partial that may be infinite
    /// or NaN (second).
    StrongMul "strong*" Elemental 2..2;
    /// `a*b + c` rounded once.
    Fma "fma" Elemental 3..3;
    /// Square root.
    Sqrt "sqrt" Elemental 1..1;
    /// Cube root.
    Cbrt "cbrt" Elemental 1..1;
    /// Exponential.
    Exp "exp" Elemental 1..1;
    /// `exp(x) - 1`.
    Expm1 "expm1" Elemental 1..1;
    /// Natural logarithm.
    Log "log" Elemental 1..1;
    /// `log(1 + x)`.
    Log1p "log1p" Elemental 1..1;
    /// Logarithm to base 2.
    Log2 "log2" Elemental 1..1;
    /// Logarithm to base 10.
    Log10 "log10" Elemental 1..1;
    /// Sine.
    Sin "sin" Elemental 1..1;
    /// Cosine.
    Cos "cos" Elemental 1..1;
    /// Tangent function.
    Tan "tan" Elemental 1..1;
    /// Inverse sine.
    Asin "asin" Elemental 1..1;
    /// Inverse cosine.
    Acos "acos" Elemental 1..1;
    /// Inverse tangent function.
    Atan "atan" Elemental 1..1;
    /// Angle of the point (second, first): `atan2(y, x)`.
    Atan2 "atan2" Elemental 2..2;
    /// Hyperbolic sine.
    Sinh "sinh" Elemental 1..1;
    /// Hyperbolic cosine.
    Cosh "cosh" Elemental 1..1;
    /// Hyperbolic tangent.
    Tanh "tanh" Elemental 1..1;
    /// Inverse hyperbolic sine.
    Asinh "asinh" Elemental 1..1;
    /// Inverse hyperbolic cosine.
    Acosh "acosh" Elemental 1..1;
    /// Inverse hyperbolic tangent.
    Atanh "atanh" Elemental 1..1;
    /// `sqrt(x*x + y*y)` without undue overflow.
    Hypot "hypot" Elemental 2..2;
    /// Absolute value.
    Abs "abs" Elemental 1..1;
    /// Smallest operand; the first of equal ones.
    Min "min" Elemental 1..255;
    /// Largest operand; the first of equal ones.
    Max "max" Elemental 1..255;
    /// Magnitude of the first operand with the sign of the second (Fortran `sign`, C `copysign`).
    Sign "sign" Elemental 2..2;
    /// Remainder with the sign of the dividend (Fortran `mod`, C `fmod` and `%`).
    Mod "mod" Elemental 2..2;
    /// Remainder with the sign of the divisor (Fortran `modulo`).
    Modulo "modulo" Elemental 2..2;
    /// Positive difference `max(x - y, 0)` (Fortran `dim`).
    PosDiff "dim" Elemental 2..2;
    /// Largest whole number not above; real to real.
    Floor "floor" Elemental 1..1;
    /// Smallest whole number not below; real to real.
    Ceil "ceil" Elemental 1..1;
    /// Nearest whole number, ties away from zero; real to real.
    Round "round" Elemental 1..1;
    /// Whole part; real to real.
    Trunc "trunc" Elemental 1..1;
    /// Sum of integers modulo 2^64, left fold.
    WrapAdd "+%" Elemental 2..255;
    /// Difference of integers modulo 2^64.
    WrapSub "-%" Elemental 2..2;
    /// Negation of an integer modulo 2^64.
    WrapNeg "neg%" Elemental 1..1;
    /// Product of integers modulo 2^64, left fold.
    WrapMul "*%" Elemental 2..255;
    /// Bits that are set in all operands.
    BitAnd "bitand" Elemental 2..255;
    /// Bits that are set in any operand.
    BitOr "bitor" Elemental 2..255;
    /// Bits that are set in an odd number of operands.
    BitXor "bitxor" Elemental 2..255;
    /// Each bit inverted: `-1 - x`.
    BitNot "bitnot" Elemental 1..1;
    /// Product with a power of two, checked as `*` is. The count of every shift is read as an unsigned number: a
    /// negative one is beyond the width.
    Shl "<<" Elemental 2..2;
    /// Shift to the left modulo 2^64; by the width or more gives 0.
    WrapShl "<<%" Elemental 2..2;
    /// Shift to the right that keeps the sign: the quotient by a power of two, rounded down. By the width or more
    /// gives 0 or -1.
    Shr ">>" Elemental 2..2;
    /// Shift to the right that fills with zeros; by the width or more gives 0.
    LogicalShr ">>>" Elemental 2..2;
    /// Error function.
    Erf "erf" Elemental 1..1;
    /// Complementary error function.
    Erfc "erfc" Elemental 1..1;
    /// Gamma function.
    Gamma "gamma" Elemental 1..1;
    /// Logarithm of the absolute value of the gamma function.
    Lgamma "lgamma" Elemental 1..1;
    /// Digamma function, the derivative of `lgamma`.
    Digamma "digamma" Elemental 1..1;
    /// Polygamma function: `polygamma(n, x)`, n-th derivative of digamma, n a non-negative integer.
    Polygamma "polygamma" Elemental 2..2;
    /// Conditional expression `if(condition, then, else)`; evaluates only the chosen one.
    If "if" Elemental 3..3;
    /// Equal.
    Eq "==" Elemental 2..2;
    /// Not equal.
    Ne "!=" Elemental 2..2;
    /// Less.
    Lt "<" Elemental 2..2;
    /// Less or equal.
    Le "<=" Elemental 2..2;
    /// Greater.
    Gt ">" Elemental 2..2;
    /// Greater or equal.
    Ge ">=" Elemental 2..2;
    /// Conjunction; evaluates operands left to right until one is false.
    And "and" Elemental 2..255;
    /// Disjunction; evaluates operands left to right until one is true.
    Or "or" Elemental 2..255;
    /// Negation of a logical.
    Not "not" Elemental 1..1;
    /// Conversion to 64-bit real.
    ToReal "real" Elemental 1..1;
    /// Conversion to 32-bit real, rounding to nearest.
    ToReal32 "real32" Elemental 1..1;
    /// Conversion to integer, toward zero; not representable is a run-time error.
    ToInt "int" Elemental 1..1;
    /// Conversion to logical: not 0.
    ToLogical "logical" Elemental 1..1;
    /// Trip count of a counted loop: `trips(first, last, step)` =
    /// `max(0, floor((last - first + step)/step))`, computed without overflow; step 0 is an error.
    Trips "trips" Elemental 3..3;
    /// Sum of all elements, in storage order.
    Sum "sum" Reduction 1..1;
    /// Product of all elements, in storage order.
    Product "product" Reduction 1..1;
    /// Largest element (-infinity for an empty real array).
    MaxVal "maxval" Reduction 1..1;
    /// Smallest element (+infinity for an empty real array).
    MinVal "minval" Reduction 1..1;
    /// True if any element is.
    Any "any" Reduction 1..1;
    /// True if all elements are.
    All "all" Reduction 1..1;
    /// Transposed matrix.
    Transpose "transpose" Transformational 1..1;
    /// Array of these extents, each element the first operand: `fill(value, extent, ...)`. Gives an
    /// array of deferred extents its shape.
    Fill "fill" Transformational 2..16;
    /// Partials of `product`: at each element, the product of all the others.
    ProductPartial "product_partial" Transformational 1..1;
    /// Partials of `maxval`: 1 at the first largest element, 0 elsewhere.
    MaxValPartial "maxval_partial" Transformational 1..1;
    /// Partials of `minval`: 1 at the first smallest element, 0 elsewhere.
    MinValPartial "minval_partial" Transformational 1..1;
    /// Number of elements: `size(a)` of all, `size(a, k)` along dimension k (a constant, from 1).
    Size "size" Inquiry 1..2;
    /// Lower bound along dimension k.
    LBound "lbound" Inquiry 2..2;
    /// Upper bound along dimension k.
    UBound "ubound" Inquiry 2..2;
    /// True if an optional argument was given.
    Present "present" Inquiry 1..1;
    /// Conversion to `int8`; what does not fit is a run-time error. In files `["to", "int8", e]`.
    ToInt8 "int8" Elemental 1..1;
    /// Conversion to `int16`; what does not fit is a run-time error. In files `["to", "int16", e]`.
    ToInt16 "int16" Elemental 1..1;
    /// Conversion to `int32`; what does not fit is a run-time error. In files `["to", "int32", e]`.
    ToInt32 "int32" Elemental 1..1;
    /// Conversion to `uint8`; what does not fit is a run-time error. In files `["to", "uint8", e]`.
    ToUint8 "uint8" Elemental 1..1;
    /// Conversion to `uint16`; what does not fit is a run-time error. In files `["to", "uint16", e]`.
    ToUint16 "uint16" Elemental 1..1;
    /// Conversion to `uint32`; what does not fit is a run-time error. In files `["to", "uint32", e]`.
    ToUint32 "uint32" Elemental 1..1;
    /// Conversion to `uint64`; what does not fit is a run-time error. In files `["to", "uint64", e]`.
    ToUint64 "uint64" Elemental 1..1;
    /// Conversion of an integer to `integer` modulo 2 to its number of bits. In files `["wrap", "integer", e]`.
    WrapInt "wrap_integer" Elemental 1..1;
    /// Conversion of an integer to `int8` modulo 2 to its number of bits. In files `["wrap", "int8", e]`.
    WrapInt8 "wrap_int8" Elemental 1..1;
    /// Conversion of an integer to `int16` modulo 2 to its number of bits. In files `["wrap", "int16", e]`.
    WrapInt16 "wrap_int16" Elemental 1..1;
    /// Conversion of an integer to `int32` modulo 2 to its number of bits. In files `["wrap", "int32", e]`.
    WrapInt32 "wrap_int32" Elemental 1..1;
    /// Conversion of an integer to `uint8` modulo 2 to its number of bits. In files `["wrap", "uint8", e]`.
    WrapUint8 "wrap_uint8" Elemental 1..1;
    /// Conversion of an integer to `uint16` modulo 2 to its number of bits. In files `["wrap", "uint16", e]`.
    WrapUint16 "wrap_uint16" Elemental 1..1;
    /// Conversion of an integer to `uint32` modulo 2 to its number of bits. In files `["wrap", "uint32", e]`.
    WrapUint32 "wrap_uint32" Elemental 1..1;
    /// Conversion of an integer to `uint64` modulo 2 to its number of bits. In files `["wrap", "uint64", e]`.
    WrapUint64 "wrap_uint64" Elemental 1..1;
    /// Conversion to the nearest value of `integer`, of a NaN to 0. In files `["saturate", "integer", e]`.
    SaturateInt "saturate_integer" Elemental 1..1;
    /// Conversion to the nearest value of `int8`, of a NaN to 0. In files `["saturate", "int8", e]`.
    SaturateInt8 "saturate_int8" Elemental 1..1;
    /// Conversion to the nearest value of `int16`, of a NaN to 0. In files `["saturate", "int16", e]`.
    SaturateInt16 "saturate_int16" Elemental 1..1;
    /// Conversion to the nearest value of `int32`, of a NaN to 0. In files `["saturate", "int32", e]`.
    SaturateInt32 "saturate_int32" Elemental 1..1;
    /// Conversion to the nearest value of `uint8`, of a NaN to 0. In files `["saturate", "uint8", e]`.
    SaturateUint8 "saturate_uint8" Elemental 1..1;
    /// Conversion to the nearest value of `uint16`, of a NaN to 0. In files `["saturate", "uint16", e]`.
    SaturateUint16 "saturate_uint16" Elemental 1..1;
    /// Conversion to the nearest value of `uint32`, of a NaN to 0. In files `["saturate", "uint32", e]`.
    SaturateUint32 "saturate_uint32" Elemental 1..1;
    /// Conversion to the nearest value of `uint64`, of a NaN to 0. In files `["saturate", "uint64", e]`.
    SaturateUint64 "saturate_uint64" Elemental 1..1;
}

/// How a number becomes an integer of some type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// What does not fit is a run-time error; reals are truncated toward zero.
    To,
    /// Integers only: modulo 2 to the number of bits.
    Wrap,
    /// The nearest value; reals are truncated toward zero, and a NaN gives 0.
    Saturate,
}

impl Conversion {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::To, Self::Wrap, Self::Saturate];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::To => "to",
            Self::Wrap => "wrap",
            Self::Saturate => "saturate",
        }
    }
}

impl Op {
    /// The conversion to an integer type that is named in files beside it; `int` is the one to `integer`.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other operators are no such conversions"
    )]
    pub fn conversion(self) -> Option<(Conversion, ScalarType)> {
        Some(match self {
            Self::ToInt8 => (Conversion::To, ScalarType::Sized(IntType::Int8)),
            Self::ToInt16 => (Conversion::To, ScalarType::Sized(IntType::Int16)),
            Self::ToInt32 => (Conversion::To, ScalarType::Sized(IntType::Int32)),
            Self::ToUint8 => (Conversion::To, ScalarType::Sized(IntType::Uint8)),
            Self::ToUint16 => (Conversion::To, ScalarType::Sized(IntType::Uint16)),
            Self::ToUint32 => (Conversion::To, ScalarType::Sized(IntType::Uint32)),
            Self::ToUint64 => (Conversion::To, ScalarType::Sized(IntType::Uint64)),
            Self::WrapInt => (Conversion::Wrap, ScalarType::Integer),
            Self::WrapInt8 => (Conversion::Wrap, ScalarType::Sized(IntType::Int8)),
            Self::WrapInt16 => (Conversion::Wrap, ScalarType::Sized(IntType::Int16)),
            Self::WrapInt32 => (Conversion::Wrap, ScalarType::Sized(IntType::Int32)),
            Self::WrapUint8 => (Conversion::Wrap, ScalarType::Sized(IntType::Uint8)),
            Self::WrapUint16 => (Conversion::Wrap, ScalarType::Sized(IntType::Uint16)),
            Self::WrapUint32 => (Conversion::Wrap, ScalarType::Sized(IntType::Uint32)),
            Self::WrapUint64 => (Conversion::Wrap, ScalarType::Sized(IntType::Uint64)),
            Self::SaturateInt => (Conversion::Saturate, ScalarType::Integer),
            Self::SaturateInt8 => (Conversion::Saturate, ScalarType::Sized(IntType::Int8)),
            Self::SaturateInt16 => (Conversion::Saturate, ScalarType::Sized(IntType::Int16)),
            Self::SaturateInt32 => (Conversion::Saturate, ScalarType::Sized(IntType::Int32)),
            Self::SaturateUint8 => (Conversion::Saturate, ScalarType::Sized(IntType::Uint8)),
            Self::SaturateUint16 => (Conversion::Saturate, ScalarType::Sized(IntType::Uint16)),
            Self::SaturateUint32 => (Conversion::Saturate, ScalarType::Sized(IntType::Uint32)),
            Self::SaturateUint64 => (Conversion::Saturate, ScalarType::Sized(IntType::Uint64)),
            _ => return None,
        })
    }

    /// The type to which a conversion converts, of whatever kind it is.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other operators are no conversions, or name the type in files"
    )]
    pub fn converts_to(self) -> Option<ScalarType> {
        match self {
            Self::ToReal => Some(ScalarType::Real),
            Self::ToReal32 => Some(ScalarType::Real32),
            Self::ToInt => Some(ScalarType::Integer),
            Self::ToLogical => Some(ScalarType::Logical),
            other => other.conversion().map(|(_, to)| to),
        }
    }

    /// The operator of a conversion; `None` if the type is no integer.
    pub fn converting(how: Conversion, to: ScalarType) -> Option<Self> {
        if (how, to) == (Conversion::To, ScalarType::Integer) {
            return Some(Self::ToInt);
        }
        Self::ALL
            .iter()
            .copied()
            .find(|op| op.conversion() == Some((how, to)))
    }

    /// True of elemental operators that take integers only and give an integer, and of conversions to integer types that
    /// files name: what they give has no derivative.
    pub fn is_of_integers(self) -> bool {
        self.conversion().is_some()
            || matches!(
                self,
                Self::Trips
                    | Self::WrapAdd
                    | Self::WrapSub
                    | Self::WrapNeg
                    | Self::WrapMul
                    | Self::BitAnd
                    | Self::BitOr
                    | Self::BitXor
                    | Self::BitNot
                    | Self::Shl
                    | Self::WrapShl
                    | Self::Shr
                    | Self::LogicalShr
            )
    }
}
