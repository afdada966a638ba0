//! Cells that become such that were never set, in a file with checks.

use super::operators::{
    Code, Pieces,
    checked::{c_type, type_suffix, unset_value},
};
use cfg_core::ir::ScalarType;

/// A statement that makes so many cells from a pointer on such that were never set.
pub(super) fn cells(pieces: &mut Pieces, pointer: Code, count: Code) -> Code {
    let ty = pointer.ty;
    let name = format!("cfgrev_forget_{}", type_suffix(ty));
    pieces.define(&name, || function(&name, ty));
    Code::call(&name, [pointer, count], ty)
}

fn function(name: &str, ty: ScalarType) -> String {
    let (c, unset) = (c_type(ty), unset_value(ty));
    format!(
        "static inline void {name}({c} *x, int64_t count) {{\n    int64_t k;\n    for (k = 0; k < count; ++k) {{\n        x[k] = {unset};\n    }}\n}}\n"
    )
}
