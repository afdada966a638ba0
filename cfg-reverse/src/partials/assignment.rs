//! Tangent and adjoint of one assignment `v := phi(u...)`.
//!
//! Tangent: `v_t := sum of dphi/du * u_t`, before the assignment itself (Griewank & Walther, *Evaluating
//! Derivatives*, 2nd ed., section 3.1). Adjoint: `t := v_b; v_b := 0; u_b := u_b + dphi/du * t` for every
//! operand occurrence (section 3.2), where the temporary is left out if no operand can overlap v, and
//! where an operand that *is* v makes `v_b := dphi/dv * v_b` the last step instead of the zeroing.

mod adjoint;
mod tangent;

pub(crate) use adjoint::adjoint;
pub(crate) use tangent::{tangent, tangent_of};
