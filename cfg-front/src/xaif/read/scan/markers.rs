//! Markers: what the front end writes for statements that it leaves out.

use crate::xaif::read::model::SymbolId;
use std::collections::{BTreeMap, HashSet};

/// Markers that may hide a store, and what has been reported of them.
#[derive(Default)]
pub(crate) struct Open {
    /// One marker of each routine that has any whose target is not known.
    pub(crate) texts: BTreeMap<usize, String>,
    /// Variables that have been reported, by routine.
    pub(crate) reported: HashSet<(usize, SymbolId)>,
    /// Variables that outlive a routine and that only a marker of it sets.
    pub(crate) outside: BTreeMap<SymbolId, String>,
}

/// True of markers that store nothing into variables of the program.
pub(crate) fn harmless(annotation: &str) -> bool {
    const WORDS: [&str; 14] = [
        "OPR_PRAGMA",
        "OPR_XPRAGMA",
        "OPR_USE",
        "OPR_COMMENT",
        "StmtGoto",
        "StmtLabel",
        "[OPEN",
        "[CLOSE",
        "[WRITE",
        "[PRINT",
        "[REWIND",
        "[BACKSPACE",
        "OPR_EVAL",
        "OPR_RETURN",
    ];
    WORDS.iter().any(|w| annotation.contains(w))
}

/// True of markers for pointer assignments.
pub(crate) fn is_pointer_assignment(annotation: &str) -> bool {
    ["OPR_PSTID", "OPR_PISTORE", "OPR_PSTORE"]
        .iter()
        .any(|w| annotation.contains(w))
}
