//! Tangent and adjoint of one assignment `v := phi(u...)`.
//!
//! Tangent: `v_t := sum of dphi/du * u_t`, before the assignment itself (Griewank & Walther, *Evaluating
//! Derivatives*, 2nd ed., section 3.1). Adjoint: `t := v_b; v_b := 0; u_b := u_b + dphi/du * t` for every
//! operand occurrence (section 3.2), where the temporary is left out if no operand can overlap v and v_b is a variable
//! or is read once, and where an operand that *is* v makes `v_b := dphi/dv * t` instead of the zeroing: as the last step
//! where there is no temporary or nothing overlaps, else before the increments.

mod adjoint;
mod tangent;

pub(crate) use adjoint::{Given, adjoint, functions};
pub(crate) use tangent::{tangent, tangent_of};
