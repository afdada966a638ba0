//! What every refusal must say.

use cfg_core::diagnostic::Diagnostics;

/// Whatever is refused has a reason with a code and a cure.
pub(crate) fn refused(problems: &Diagnostics) {
    assert!(problems.has_errors(), "refused without a reason");
    for d in problems.iter() {
        assert!(!d.code.is_empty() && !d.message.is_empty(), "{d}");
    }
}
