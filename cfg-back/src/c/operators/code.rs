//! C expressions.

use super::c_type::c_type;
use super::pieces::Pieces;
use super::precedence::{EQUALITY, POSTFIX, SUM, UNARY};
use cfg_core::flat::{Constant, FlatType};
use cfg_core::ir::{IntType, ScalarType};
use std::borrow::Cow;

/// A C expression: its text, how tightly it binds, and its scalar type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Code {
    /// The text.
    pub(crate) text: String,
    /// One of the constants of [`super::precedence`].
    pub(crate) precedence: u8,
    /// The type of the value. A constant integer may have the C type int, a logical that is computed too.
    pub(crate) ty: ScalarType,
}

impl Code {
    /// The code with this text.
    pub(crate) fn new(text: String, precedence: u8, ty: ScalarType) -> Self {
        Self {
            text,
            precedence,
            ty,
        }
    }

    /// The call of a function.
    pub(super) fn call(function: &str, arguments: &[Self], ty: ScalarType) -> Self {
        let texts: Vec<&str> = arguments.iter().map(|a| a.text.as_str()).collect();
        Self::new(format!("{function}({})", texts.join(", ")), POSTFIX, ty)
    }

    /// The code behind a cast.
    pub(super) fn cast(self, c_type: &str, ty: ScalarType) -> Self {
        let text = format!("({c_type}){}", self.at_least(UNARY));
        Self::new(text, UNARY, ty)
    }

    /// The text as an operand that binds at least this tightly: in parentheses if it does not.
    pub(crate) fn at_least(&self, precedence: u8) -> Cow<'_, str> {
        if self.precedence < precedence {
            Cow::Owned(format!("({})", self.text))
        } else {
            Cow::Borrowed(&self.text)
        }
    }

    /// The value of a literal integer.
    pub(crate) fn integer(&self) -> Option<i64> {
        (self.ty == ScalarType::Integer).then(|| self.whole())?
    }

    /// The cell of a literal integer of a type other than `integer`, as [`literal_cell`] writes it.
    pub(super) fn cell(&self) -> Option<i64> {
        matches!(self.ty, ScalarType::Sized(_)).then(|| self.whole())?
    }

    /// The number that is the text; none of other texts, and of literals with a suffix.
    fn whole(&self) -> Option<i64> {
        match &*self.text {
            LEAST => Some(i64::MIN),
            text if self.is_number() => text.parse().ok(),
            _ => None,
        }
    }

    /// The value of a literal real of 64 bits; `None` of NaN and infinities.
    pub(super) fn real(&self) -> Option<f64> {
        let literal = self.ty == ScalarType::Real && self.is_number();
        literal.then(|| self.text.parse().ok()).flatten()
    }

    /// True of a literal number, but for NaN and infinities.
    pub(super) fn is_number(&self) -> bool {
        let digits = self.text.strip_prefix('-').unwrap_or(&self.text);
        let number = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-');
        self.precedence >= UNARY
            && digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.chars().all(number)
    }

    /// True if the operand may as well be written twice.
    pub(super) fn is_short(&self) -> bool {
        /// Longest place that is: `a[i + 1][j]` is.
        const LONGEST: usize = 16;
        self.precedence == POSTFIX && self.text.len() <= LONGEST && !self.text.contains('(')
    }
}

/// The least integer; its magnitude alone is no constant of 64 bits.
const LEAST: &str = "INT64_MIN";

/// A constant; one with a sign binds as its sign.
fn literal(text: String, ty: ScalarType) -> Code {
    let precedence = if text.starts_with('-') {
        UNARY
    } else {
        POSTFIX
    };
    Code::new(text, precedence, ty)
}

/// The text of a real that is not finite.
fn not_finite(x: f64) -> &'static str {
    if x.is_nan() {
        "NAN"
    } else if x > 0.0 {
        "INFINITY"
    } else {
        "-INFINITY"
    }
}

/// A constant.
pub(crate) fn literal_constant(constant: Constant) -> Code {
    match constant {
        Constant::Int(n) => literal_integer(n),
        Constant::Real(x) => literal_real(x),
        Constant::Real32(x) => literal_real32(x),
        Constant::Logical(b) => literal_logical(b),
    }
}

/// An integer constant.
pub(crate) fn literal_integer(n: i64) -> Code {
    let text = if n == i64::MIN {
        LEAST.to_owned()
    } else {
        n.to_string()
    };
    literal(text, ScalarType::Integer)
}

/// A constant of an integer type other than `integer`, from its cell.
pub(crate) fn literal_sized(ty: IntType, cell: i64) -> Code {
    let value = ty.value(cell);
    // Beyond 63 bits C has no constants without a suffix.
    let suffix = if value > i64::MAX.into() { "u" } else { "" };
    literal(format!("{value}{suffix}"), ScalarType::Sized(ty))
}

/// A constant of an integer type other than `integer` in a file with checks, where such a value is its cell.
pub(crate) fn literal_cell(ty: IntType, cell: i64) -> Code {
    Code {
        ty: ScalarType::Sized(ty),
        ..literal_integer(cell)
    }
}

/// A 64-bit real constant: the shortest text that is read as this number.
pub(crate) fn literal_real(x: f64) -> Code {
    let text = if x.is_finite() {
        format!("{x:?}")
    } else {
        not_finite(x).to_owned()
    };
    literal(text, ScalarType::Real)
}

/// A 32-bit real constant: the shortest text that is read as this number.
pub(crate) fn literal_real32(x: f32) -> Code {
    let text = if x.is_finite() {
        format!("{x:?}f")
    } else {
        not_finite(x.into()).to_owned()
    };
    literal(text, ScalarType::Real32)
}

/// A logical constant.
pub(crate) fn literal_logical(b: bool) -> Code {
    literal(b.to_string(), ScalarType::Logical)
}

/// The conversion of a value that is set and fits.
pub(crate) fn convert_unchecked(code: Code, to: ScalarType, pieces: &mut Pieces) -> Code {
    use FlatType::{Integer, Logical, Real, Real32, Sized, Tape};
    let not_zero = |zero| {
        let text = format!("{} != {zero}", code.at_least(SUM));
        Code::new(text, EQUALITY, ScalarType::Logical)
    };
    match (FlatType::of(code.ty), FlatType::of(to)) {
        (Tape, _) | (_, Tape) | (Logical, Logical) => code,
        (Sized(_), _) => convert_sized(code, to),
        (_, Sized(_)) => code.cast(c_type(to), to),
        (Integer, Integer) | (Real, Real) | (Real32, Real32) => code,
        (Integer, Real) => match code.integer() {
            Some(n) => literal_real(n as f64),
            None => code.cast("double", to),
        },
        (Integer, Real32) => match code.integer() {
            Some(n) => literal_real32(n as f32),
            None => code.cast("float", to),
        },
        (Real, Real32) => match code.real() {
            Some(x) => literal_real32(x as f32),
            None => code.cast("float", to),
        },
        (Logical, Real32) => code.cast("float", to),
        (Real32 | Logical, Real) => code.cast("double", to),
        (Real | Real32 | Logical, Integer) => {
            pieces.include("stdint.h");
            code.cast("int64_t", to)
        }
        (Real, Logical) => not_zero("0.0"),
        (Real32, Logical) => not_zero("0.0f"),
        (Integer, Logical) => not_zero("0"),
    }
}

/// The conversion of an integer of a type other than `integer`, or the value itself, to a type that it converts to.
fn convert_sized(code: Code, to: ScalarType) -> Code {
    if code.ty == to {
        return code;
    }
    if to == ScalarType::Logical {
        let text = format!("{} != 0", code.at_least(SUM));
        return Code::new(text, EQUALITY, to);
    }
    code.cast(c_type(to), to)
}
