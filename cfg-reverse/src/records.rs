//! Derivatives with records again, and the derivatives of globals there.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{GlobalId, RoutineId},
    flat::Flat,
    ir::Program,
};
use cfg_transform::records::regroup;

/// The program that was made from a flat one with records again, and the pairs of globals and their derivatives there;
/// `made` has pairs of routines and the ones made from them.
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
    // The fields of a record stand together.
    pairs.dedup();
    Ok((grouped.program, pairs))
}
