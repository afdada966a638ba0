//! What the checks of a statement may find, and the functions that a file needs for them.

use super::Name;
use std::collections::{BTreeMap, BTreeSet};

/// A code of the executor's, as a number.
pub(crate) type FaultCode = u16;

/// The checks of the statement that is written, and the functions that the file needs for checks.
#[derive(Clone, Debug)]
pub(crate) struct Checks {
    /// The name of the variable of the function that has what went wrong.
    pub(crate) variable: Name,
    /// The number of checks of the statement.
    pub(super) count: u32,
    /// What they may find.
    pub(super) codes: BTreeSet<FaultCode>,
    /// True if there was one since the last stop.
    pub(super) pending: bool,
    pub(super) functions: BTreeMap<String, String>,
}

impl Checks {
    /// None, noted in a variable without a name.
    pub(super) fn new() -> Self {
        Self {
            variable: "".into(),
            count: 0,
            codes: BTreeSet::new(),
            pending: false,
            functions: BTreeMap::new(),
        }
    }

    /// The functions, separated by empty lines, each with a guard.
    pub(super) fn text(&self) -> String {
        let mut text = include_str!("../pieces/checks.c").to_owned();
        for (name, function) in &self.functions {
            let guard = format!("{}_IS_DEFINED", name.to_ascii_uppercase());
            text.push_str(&format!(
                "\n#ifndef {guard}\n#define {guard}\n{function}#endif\n"
            ));
        }
        text
    }
}
