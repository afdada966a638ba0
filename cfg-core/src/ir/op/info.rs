//! The columns of the table of operators.

/// The kind of an [`Op`](super::Op), by its operands and its result.
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

/// The types that an elemental operator takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// Numbers, of which integers are converted to the type of the others.
    Numbers,
    /// Numbers as above, one of them a real.
    MixedReals,
    /// Reals; the result has the type of the first.
    Real,
    /// Integers of one type.
    Integers,
    /// Logicals.
    Logicals,
    /// Types of its own, as [`typing`](crate::typing) says.
    Own,
}

/// The values of the real operand at which a function has a value and a derivative. Functions of several reals have
/// [`Self::All`]; the integer of `polygamma` is no part of its domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// All, as far as this table says: [`event`](crate::elemental::event()) knows of kinks.
    All,
    /// Reals above a bound; the function is singular on the bound.
    From(f64),
    /// Reals of a magnitude below a bound; the function is singular on the bound.
    Within(f64),
    /// All but the infinite ones.
    Finite,
    /// All but one, where the function is singular.
    Except(f64),
    /// All but 0, -1, -2, ..., where the function is singular.
    Poles,
}

/// The functions that compute an operator over reals: of C's library, and of the `libm` crate.
#[derive(Clone, Copy, Debug)]
pub enum RealFunctions {
    /// No function here: the value has the same bits everywhere, or [`elemental`](crate::elemental) computes it.
    Elsewhere,
    /// Of one operand.
    Unary {
        /// Over 64-bit reals.
        wide: [fn(f64) -> f64; 2],
        /// Over 32-bit reals, which are the operand and the value.
        narrow: [fn(f64) -> f64; 2],
    },
    /// Of two operands.
    Binary {
        /// Over 64-bit reals.
        wide: [fn(f64, f64) -> f64; 2],
        /// Over 32-bit reals, which are the operands and the value.
        narrow: [fn(f64, f64) -> f64; 2],
    },
}

/// The row of an operator in the table, but for its name; its partial derivatives are elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The kind of operator.
    pub class: OpClass,
    /// The fewest and the most operands; the most is `usize::MAX` for operators that take any number.
    pub arity: (usize, usize),
    /// The types that the operator takes and gives.
    pub operands: Operands,
    /// The value, as a formula or in words; operands are x, y, z. Empty: it is not elemental.
    pub value: &'static str,
    /// In words: real operands for which the value is defined (elsewhere it is NaN); empty: all.
    pub defined: &'static str,
    /// In words: the behaviour at kinks, jumps and singular points; empty: there are none.
    pub corners: &'static str,
    /// Where value and derivative exist.
    pub domain: Domain,
    /// The functions that compute it over reals.
    pub real: RealFunctions,
    /// The function of C's library that has the same value over reals, without the suffix of the type; empty: none.
    pub c: &'static str,
    /// The text in C of a function `cfgrev_NAME` over `double` that computes the operator; empty: C's library has one.
    pub c_text: &'static str,
    /// The name that is written to XAIF; empty: `cfgrev_` and the operator's name.
    pub xaif: &'static str,
    /// The names in Fortran and in XAIF, without the endings for types of operands.
    pub intrinsics: &'static [&'static str],
}

impl OpInfo {
    /// The row of an operator whose other columns are empty.
    pub(super) const fn new(class: OpClass, arity: (usize, usize), operands: Operands) -> Self {
        const MANY: usize = 255;
        let (fewest, most) = arity;
        Self {
            class,
            arity: (fewest, if most == MANY { usize::MAX } else { most }),
            operands,
            value: "",
            defined: "",
            corners: "",
            domain: Domain::All,
            real: RealFunctions::Elsewhere,
            c: "",
            c_text: "",
            xaif: "",
            intrinsics: &[],
        }
    }
}

/// The functions of one real: C's and the portable one, over 64 bits and over 32 bits.
macro_rules! unary {
    ($native:expr, $portable:expr, $native32:expr, $portable32:expr) => {
        RealFunctions::Unary {
            wide: [|x| ($native)(x), |x| ($portable)(x)],
            narrow: [
                |x| f64::from(($native32)(x as f32)),
                |x| f64::from(($portable32)(x as f32)),
            ],
        }
    };
}

/// The functions of two reals, as in `unary!`.
macro_rules! binary {
    ($native:expr, $portable:expr, $native32:expr, $portable32:expr) => {
        RealFunctions::Binary {
            wide: [$native, $portable],
            narrow: [
                |x, y| f64::from(($native32)(x as f32, y as f32)),
                |x, y| f64::from(($portable32)(x as f32, y as f32)),
            ],
        }
    };
}

pub(super) use {binary, unary};
