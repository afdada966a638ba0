//! The binding of the operators of the text form: the same for the printer and the parser.

/// Accepts every expression without parentheses.
pub const LOOSEST: u8 = 0;
/// `or`, the loosest operator.
pub const OR: u8 = 1;
/// The precedence of `and`.
pub const AND: u8 = 2;
/// The precedence of `not`.
pub const NOT: u8 = 3;
/// `==`, `<` and the like, which do not associate.
pub const COMPARISON: u8 = 4;
/// `<<`, `<<%`, `>>` and `>>>`
pub const SHIFT: u8 = 5;
/// `+` and `-` between operands.
pub const SUM: u8 = 6;
/// `*`, `/` and the strong product.
pub const PRODUCT: u8 = 7;
/// `-` before an operand.
pub const NEGATION: u8 = 8;
/// The precedence of `**`.
pub const POWER: u8 = 9;
/// Constants, places, calls, and expressions in parentheses.
pub const ATOM: u8 = 10;
