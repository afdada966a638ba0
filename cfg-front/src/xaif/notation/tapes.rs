//! Pushes and pops, which XAIF has as calls.

use cfg_core::ir::{ControlWidth, TapeClass};

/// The subroutine that stands for pushing or popping.
pub(crate) fn tape_routine(class: TapeClass, pop: bool) -> String {
    let action = if pop { "pop" } else { "push" };
    match class {
        TapeClass::Control(ControlWidth::Bits(bits)) => format!("cfgrev_{action}_control_{bits}"),
        TapeClass::Control(ControlWidth::Count) => format!("cfgrev_{action}_control_count"),
        other @ (TapeClass::Integer | TapeClass::Real | TapeClass::Real32 | TapeClass::Disk) => {
            format!("cfgrev_{action}_{}", other.name())
        }
    }
}

/// The class of a subroutine that stands for pushing or popping.
pub(crate) fn tape_class(name: &str) -> Option<(TapeClass, bool)> {
    let rest = name.strip_prefix("cfgrev_")?;
    let (rest, pop) = match rest.strip_prefix("push_") {
        Some(rest) => (rest, false),
        None => (rest.strip_prefix("pop_")?, true),
    };
    let class = match rest {
        "integer" => TapeClass::Integer,
        "real" => TapeClass::Real,
        "real32" => TapeClass::Real32,
        "disk" => TapeClass::Disk,
        "control_count" => TapeClass::Control(ControlWidth::Count),
        other => {
            let bits = other.strip_prefix("control_")?.parse().ok()?;
            TapeClass::Control(ControlWidth::Bits(bits))
        }
    };
    Some((class, pop))
}
