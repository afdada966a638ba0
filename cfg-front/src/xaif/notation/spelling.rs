//! The spelling of operators and ranks: one name each, the front end's where the corpus shows it.

use cfg_core::ir::Op;

/// The name of an operator, and whether it is a `BooleanOperation`. Operators without a Fortran
/// counterpart are `cfgrev_` and their own name.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "operators without a rule of their own here are treated alike"
)]
pub(crate) fn name(op: Op) -> (String, bool) {
    let boolean = match op {
        Op::Lt => "less_than",
        Op::Le => "less_or_equal",
        Op::Gt => "greater_than",
        Op::Ge => "greater_or_equal",
        Op::Eq => "equal",
        Op::Ne => "not_equal",
        Op::And => "and",
        Op::Or => "or",
        Op::Not => "not",
        _ => "",
    };
    if !boolean.is_empty() {
        return (boolean.to_owned(), true);
    }
    let name = match op {
        Op::Add => "add_scal_scal",
        Op::Sub => "sub_scal_scal",
        Op::Neg => "minus_scal",
        Op::Mul => "mul_scal_scal",
        Op::Div => "div_scal_scal",
        Op::Pow => "pow_scal_scal",
        Op::Sqrt => "sqrt_scal",
        Op::Exp => "exp_scal",
        Op::Log => "ln_scal",
        Op::Log10 => "log10",
        Op::Sin => "sin_scal",
        Op::Cos => "cos_scal",
        Op::Tan => "tan_scal",
        Op::Asin => "arcsin_scal",
        Op::Acos => "arccos_scal",
        Op::Atan => "arctan_scal",
        Op::Atan2 => "arctan2_scal_scal",
        Op::Sinh => "sinh_scal",
        Op::Cosh => "cosh_scal",
        Op::Tanh => "tanh_scal",
        Op::Abs => "abs_scal",
        Op::Min => "min_scal_scal",
        Op::Max => "max_scal_scal",
        Op::Sign => "sign_scal_scal",
        Op::Mod => "mod_scal_scal",
        Op::Modulo => "modulo_scal_scal",
        Op::PosDiff => "dim_scal_scal",
        Op::TO_INT => "int_scal",
        Op::ToReal => "dble_scal",
        Op::ToReal32 => "real_scal",
        Op::Sum => "sum_arr",
        Op::Product => "product_arr",
        Op::MaxVal => "nc_maxval",
        Op::MinVal => "nc_minval",
        Op::Any => "any_arr",
        Op::All => "all_arr",
        Op::Transpose => "transpose_arr",
        Op::Size => "size",
        Op::LBound => "lbound",
        Op::UBound => "ubound",
        Op::Present => "present",
        other => return (format!("cfgrev_{}", other.name()), false),
    };
    (name.to_owned(), false)
}

/// The operator of a name.
pub(crate) fn operator(text: &str) -> Option<Op> {
    if let Some(own) = text.strip_prefix("cfgrev_") {
        return Op::from_name(own);
    }
    Op::ALL.iter().copied().find(|&op| name(op).0 == text)
}

/// Number of dimensions of a shape.
pub(crate) fn rank_of(shape: &str) -> Option<usize> {
    Some(match shape {
        "scalar" => 0,
        "vector" => 1,
        "matrix" => 2,
        "three_tensor" => 3,
        "four_tensor" => 4,
        "five_tensor" => 5,
        "six_tensor" => 6,
        "seven_tensor" => 7,
        _ => return None,
    })
}

/// The name of a number of dimensions.
pub(crate) fn shape_name(rank: usize) -> Option<&'static str> {
    const NAMES: [&str; 8] = [
        "scalar",
        "vector",
        "matrix",
        "three_tensor",
        "four_tensor",
        "five_tensor",
        "six_tensor",
        "seven_tensor",
    ];
    NAMES.get(rank).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_a_name_of_its_own() {
        for &op in Op::ALL {
            assert_eq!(operator(&name(op).0), Some(op));
        }
    }

    /// The plain vocabulary that is written means the same to the reader of foreign documents.
    #[test]
    fn names_are_those_that_are_read() {
        use crate::xaif::lower::intrinsics;
        for &op in Op::ALL {
            let (text, boolean) = name(op);
            if boolean {
                assert_eq!(intrinsics::boolean(&text), Some(op));
            } else {
                assert!(!intrinsics::stem(&text).is_empty());
            }
        }
    }
}
