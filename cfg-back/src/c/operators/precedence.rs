//! How tightly the operators of C bind, from the loosest to the tightest (C99, 6.5).

/// `,`
pub(crate) const COMMA: u8 = 0;
/// `=` and the like
pub(crate) const ASSIGNMENT: u8 = 1;
/// `?:`
pub(crate) const CONDITIONAL: u8 = 2;
/// `||`
pub(crate) const OR: u8 = 3;
/// `&&`
pub(crate) const AND: u8 = 4;
/// `&`, `|` and `^`, whose operands stand in parentheses unless they bind tightly.
pub(crate) const BITS: u8 = 5;
/// `==` and `!=`
pub(crate) const EQUALITY: u8 = 6;
/// `<` and the like
pub(crate) const RELATION: u8 = 7;
/// `+` and `-` between operands
pub(crate) const SUM: u8 = 8;
/// `*`, `/` and `%`
pub(crate) const PRODUCT: u8 = 9;
/// `-`, `!`, `*`, `&` and casts before an operand
pub(crate) const UNARY: u8 = 10;
/// Calls, subscripts and members; names, constants, and what is in parentheses.
pub(crate) const POSTFIX: u8 = 11;
