//! The operators and intrinsics. A table, [`Op::info`], has their properties; partial derivatives are in
//! [`crate::elemental`].

mod functions;
mod info;
mod table;

pub use info::{Domain, OpClass, OpInfo, Operands, RealFunctions};
pub(crate) use table::operator_table;

use super::{AnyInt, ScalarType};
use functions::*;
use info::{binary, unary};

/// Defines [`Op`] by the table.
macro_rules! define {
    ($(
        $(#[$doc:meta])* $variant:ident $name:literal $class:ident $min:literal .. $max:literal $operands:ident
        $(fn $function:ident($($operand:ident),*))? { $($field:ident: $value:expr),* $(,)? };
    )*) => {
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

            /// The row of the table.
            pub fn info(self) -> &'static OpInfo {
                match self {
                    $(Self::$variant => &const {
                        #[allow(clippy::needless_update, reason = "most rows have not all fields")]
                        OpInfo {
                            $($field: $value,)*
                            ..OpInfo::new(OpClass::$class, ($min, $max), Operands::$operands)
                        }
                    },)*
                    Self::Convert(how, to) => conversion_info(how, to),
                }
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

operator_table!(define);

/// How a number becomes an integer of some type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conversion {
    /// Checked: a value that does not fit is a run-time error; reals are truncated toward zero.
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
    /// The prefix of the conversion before `int`, `uint8` and so on.
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

/// The row of a conversion.
fn conversion_info(how: Conversion, to: AnyInt) -> &'static OpInfo {
    const PLAIN: OpInfo = OpInfo::new(OpClass::Elemental, (1, 1), Operands::Own);
    const WHOLE: OpInfo = OpInfo {
        corners: "whole numbers but 0: jump; partial 0",
        ..PLAIN
    };
    match (how, to) {
        (Conversion::To, AnyInt::Integer) => &OpInfo {
            value: "whole part as an integer; a run-time error if it does not fit; a logical is 0 or 1",
            defined: "|x| < 2**63",
            xaif: "int_scal",
            ..WHOLE
        },
        (Conversion::To, AnyInt::Sized(_)) => &OpInfo {
            value: "whole part as an integer of the type; a run-time error if it does not fit; a logical is 0 or 1",
            ..WHOLE
        },
        (Conversion::Wrap, _) => &OpInfo {
            value: "integer modulo 2 to the bits of the type",
            ..PLAIN
        },
        (Conversion::Saturate, _) => &OpInfo {
            value: "whole part as the nearest integer of the type; 0 of NaN; a logical is 0 or 1",
            ..WHOLE
        },
    }
}

impl Op {
    /// Conversion to `integer`, toward zero; a value that is not representable is a run-time error. In files `["int",
    /// e]`.
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

    /// The kind of operator.
    pub fn class(self) -> OpClass {
        self.info().class
    }

    /// The fewest and the most operands; the most is `usize::MAX` for operators that take any number.
    pub fn arity(self) -> (usize, usize) {
        self.info().arity
    }

    /// The kind and the type of a conversion to an integer type.
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

    /// True for elemental operators from integers to an integer, and for conversions to integer types: their results
    /// have no derivative.
    pub fn is_of_integers(self) -> bool {
        let integers = self.info().operands == Operands::Integers;
        integers || self == Self::Trips || self.conversion().is_some()
    }
}
