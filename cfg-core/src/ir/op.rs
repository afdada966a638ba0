//! The operators and intrinsics: names and operand counts. Values and partial derivatives of the
//! elemental functions are in [`crate::elemental`].

use super::{AnyInt, ScalarType};

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
    /// Moves pointers, or measures between them; scalars only.
    Pointer,
}

/// Defines [`Op`] with one row per operator: variant, name in files, class, fewest and most operands.
macro_rules! ops {
    ($($(#[$doc:meta])* $variant:ident $name:literal $class:ident $min:literal .. $max:literal;)*) => {
        /// An operator or intrinsic function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Op {
            $($(#[$doc])* $variant,)*
            /// Conversion to an integer type: in files `["int", e]` if it is checked and to `integer`, otherwise
            /// `["to", type, e]`, `["wrap", type, e]` or `["saturate", type, e]`.
            Convert(Conversion, AnyInt),
        }

        /// All operators but conversions to integer types, in the order of the declaration.
        const PLAIN: &[Op] = &[$(Op::$variant,)*];

        impl Op {
            /// The name in files; of conversions to integer types the name in the text form.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Convert(how, to) => conversion_name(how, to),
                }
            }

            /// The kind of operator.
            pub fn class(self) -> OpClass {
                match self {
                    $(Self::$variant => OpClass::$class,)*
                    Self::Convert(..) => OpClass::Elemental,
                }
            }

            /// The fewest and the most operands; the most is `usize::MAX` for operators that take any number.
            pub fn arity(self) -> (usize, usize) {
                const MANY: usize = 255;
                let (min, max): (usize, usize) = match self {
                    $(Self::$variant => ($min, $max),)*
                    Self::Convert(..) => (1, 1),
                };
                (min, if max == MANY { usize::MAX } else { max })
            }

            /// The operator with this [name](Op::name).
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => (Conversion::ALL.into_iter())
                        .flat_map(|how| AnyInt::ALL.map(|to| Self::Convert(how, to)))
                        .find(|op| op.name() == name),
                }
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
    /// The pointer k elements behind one: `shift(p, k)`.
    Shift "shift" Pointer 2..2;
    /// The number of elements that one pointer is behind another into the same object: `distance(p, q)` is k if p is
    /// `shift(q, k)`.
    Distance "distance" Pointer 2..2;
}

/// How a number becomes an integer of some type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// The name of a conversion in the text form.
fn conversion_name(how: Conversion, to: AnyInt) -> &'static str {
    /// `int`, `uint8` and so on, with what stands before them.
    macro_rules! names {
        ($integer:literal $prefix:literal) => {
            [
                $integer,
                concat!($prefix, "int8"),
                concat!($prefix, "int16"),
                concat!($prefix, "int32"),
                concat!($prefix, "uint8"),
                concat!($prefix, "uint16"),
                concat!($prefix, "uint32"),
                concat!($prefix, "uint64"),
            ]
        };
    }
    let names = match how {
        Conversion::To => &names!("int" ""),
        Conversion::Wrap => &names!("wrap_integer" "wrap_"),
        Conversion::Saturate => &names!("saturate_integer" "saturate_"),
    };
    names[match to {
        AnyInt::Integer => 0,
        AnyInt::Sized(ty) => 1 + ty as usize,
    }]
}

impl Op {
    /// Conversion to `integer`, toward zero; not representable is a run-time error. In files `["int", e]`.
    pub const TO_INT: Self = Self::Convert(Conversion::To, AnyInt::Integer);

    /// Number of operators.
    const COUNT: usize = PLAIN.len() + Conversion::ALL.len() * AnyInt::ALL.len();

    /// Every operator, in the order of the declaration.
    pub const ALL: &'static [Self] = &Self::all();

    const fn all() -> [Self; Self::COUNT] {
        let mut all = [Self::Add; Self::COUNT];
        let mut k = 0;
        while k < Self::COUNT {
            all[k] = if k < PLAIN.len() {
                PLAIN[k]
            } else {
                let rest = k - PLAIN.len();
                let types = AnyInt::ALL.len();
                Self::Convert(Conversion::ALL[rest / types], AnyInt::ALL[rest % types])
            };
            k += 1;
        }
        all
    }

    /// How and to what type a conversion to an integer type converts.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other operators are no such conversions"
    )]
    pub fn conversion(self) -> Option<(Conversion, AnyInt)> {
        match self {
            Self::Convert(how, to) => Some((how, to)),
            _ => None,
        }
    }

    /// The conversion whose type stands beside it in files: all to integer types but [`Op::TO_INT`].
    pub fn typed_conversion(self) -> Option<(Conversion, AnyInt)> {
        self.conversion().filter(|_| self != Self::TO_INT)
    }

    /// The type to which a conversion converts, of whatever kind it is.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other operators are no conversions"
    )]
    pub fn converts_to(self) -> Option<ScalarType> {
        match self {
            Self::ToReal => Some(ScalarType::Real),
            Self::ToReal32 => Some(ScalarType::Real32),
            Self::ToLogical => Some(ScalarType::Logical),
            Self::Convert(_, to) => Some(to.into()),
            _ => None,
        }
    }

    /// True of elemental operators that take integers only and give an integer, and of conversions to integer types:
    /// what they give has no derivative.
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
