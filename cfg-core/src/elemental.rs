//! The elemental functions: value, partial derivatives and kinks of every elemental [`Op`](crate::ir::Op); its types,
//! domain and names are in the table of operators ([`Op::info`](crate::ir::Op::info)). Execution, tangent, adjoint and
//! preaccumulation have no other source of them.
//!
//! * Values: [`unary`], [`binary`], [`ternary`] give plain function pointers for hot loops, [`powi`] and
//!   [`polygamma()`] the two functions with an integer operand; [`integer`] holds checked 64-bit arithmetic. [`apply`]
//!   evaluates any elemental operator over typed scalars, and so defines the meaning of the operators.
//! * Partial derivatives as expressions: [`partial`], [`partials`].
//! * Points where a derivative does not exist or is infinite: [`event`].
//! * In words: `docs/elementals.md`, which is generated from this module and the table.
//!
//! # 32-bit reals
//!
//! The value of an operator over 32-bit reals is the 64-bit function of the operands (which widen exactly), rounded to
//! 32 bits: `f(a as f64, b as f64) as f32`, in n-ary folds after each step. For `+ - * / sqrt` this is the correctly
//! rounded 32-bit result, because 53 ≥ 2·24 + 2 (Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter
//! 30(3), 1995); `fma` has its own [`fma32`], because its double rounding is not innocuous. All others are within
//! 0.5000001 ulp.
//!
//! # Example
//!
//! ```
//! use cfg_core::elemental::{Math, Partial, binary, partial, unary};
//! use cfg_core::entity::VarId;
//! use cfg_core::ir::{Expr, Op, ScalarType};
//!
//! let sqrt = unary(Op::Sqrt, Math::Native).ok_or("unary")?;
//! assert_eq!(sqrt(9.0), 3.0);
//!
//! // d(x*y)/dx is y.
//! let (x, y) = (Expr::var(VarId::new(0)), Expr::var(VarId::new(1)));
//! let real = [ScalarType::Real; 2];
//! let Partial::Expr(p) = partial(Op::Mul, &[x, y.clone()], &real, 0, None)? else { unreachable!() };
//! assert_eq!(p.expr, y);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod derivative;
mod event;
pub mod integer;
mod math;
mod partial;
mod polygamma;
mod scalar;
mod value;

pub use derivative::{partial, partials, reads_result};
pub use event::{Event, event, event_powi, piece};
pub use integer::ArithmeticError;
pub use math::{Binary, Math, Ternary, Unary};
pub use partial::{Finiteness, Partial, PartialError, PartialExpr, Strong};
pub use polygamma::{digamma, polygamma};
pub use scalar::{Scalar, apply};
pub use value::{
    binary, binary32, compare, fma32, platform_dependent, powi, ternary, unary, unary32,
    value_real, value_real32,
};
