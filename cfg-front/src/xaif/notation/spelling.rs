//! The spelling of operators and ranks: one name each, the front end's where the corpus shows it.

use cfg_core::ir::{Op, Operands};

/// The name of an operator, and whether it is a `BooleanOperation`. Operators without a Fortran
/// counterpart are `cfgrev_` and their own name.
pub(crate) fn name(op: Op) -> (String, bool) {
    match op.info().xaif {
        "" => (format!("cfgrev_{}", op.name()), false),
        name => (name.to_owned(), is_boolean(op)),
    }
}

/// True of comparisons and of operators over logicals.
pub(crate) fn is_boolean(op: Op) -> bool {
    let comparison = matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne);
    comparison || op.info().operands == Operands::Logicals
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

    #[test]
    fn the_manual_lists_the_names_of_functions_of_reals() {
        let mut names: Vec<&str> = Vec::new();
        for op in Op::ALL.iter().map(|op| op.info()) {
            if matches!(op.operands, Operands::Real | Operands::MixedReals) {
                names.extend(op.intrinsics);
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(*name));
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/xaif.md");
        let line = format!("- `{}`", names.join(" "));
        cfg_testkit::golden::golden_line(path, "- `sqrt ", &line);
    }
}
