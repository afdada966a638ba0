//! The values after a run, in the form of a POINT.

use crate::codes;
use crate::mode::Primal;
use crate::options::Options;
use crate::point::Point;
use crate::records::Members;
use cfg_core::diagnostic::Diagnostics;
use cfg_core::entity::RoutineId;
use cfg_core::flat::Flat;
use cfg_format::json::values::{self, NamedValues};
use std::collections::HashSet;

/// The values after a run of a routine from a point: its result as `return`, the parameters that it writes, and
/// globals if they are wanted, each in the form of a POINT. An element without a value is `null`.
///
/// # Errors
/// The run fails, or the results take more memory than a run may.
pub fn left(
    (program, routine): (&Flat, RoutineId),
    globals: bool,
    options: &Options,
    read_point: impl FnOnce(&Primal) -> Result<Point, Diagnostics>,
) -> Result<NamedValues, Diagnostics> {
    let mut primal = Primal::new(program, routine, options)?;
    let point = read_point(&primal)?;
    let mut run = primal.run(&point)?;
    if globals {
        let (globals, held) = primal.globals()?;
        run.report.held.join(held);
        let names: HashSet<String> = run.value.iter().map(|(name, _)| name.clone()).collect();
        let others = globals.into_iter();
        run.value
            .extend(others.filter(|(name, _)| !names.contains(name)));
    }
    let shown = Members::new(&run.value, program.grouped(), routine).with_sizes(point.sizes());
    let text = serde_json::to_vec(&shown).map_err(|e| {
        let help = "report it with the program";
        codes::general(&codes::TYPE, format!("values cannot be written: {e}"), help)
    })?;
    values::read(&text)
}
