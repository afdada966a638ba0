//! Derivatives with records again, and the derivatives of globals there.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{GlobalId, RoutineId},
    flat::Flat,
    ir::Program,
};
use cfg_transform::records::regroup;

/// A derivative program with its records restored, and the pairs of globals and their derivatives in it. `made` has
/// each routine with the one made from it.
pub(crate) fn regrouped(
    flat: &Flat,
    derived: Program,
    made: &[(RoutineId, RoutineId)],
    derivatives: &[(GlobalId, GlobalId)],
) -> Result<(Program, Vec<(GlobalId, GlobalId)>), Diagnostics> {
    let grouped = regroup(flat, derived, made)?;
    let global = |g: GlobalId| grouped.globals.get(g.index()).copied().unwrap_or(g);
    let pairs = derivatives.iter().map(|&(g, d)| (global(g), global(d)));
    let mut pairs: Vec<(GlobalId, GlobalId)> = pairs.collect();
    // The fields of a record are neighbours, so equal pairs are, too.
    pairs.dedup();
    Ok((grouped.program, pairs))
}
