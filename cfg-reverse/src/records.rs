//! Derivatives of programs with records: those of the program without them, with the fields together again.

use cfg_core::{
    diagnostic::Diagnostics,
    entity::{GlobalId, RoutineId},
    ir::Program,
    validate::ValidProgram,
};
use cfg_transform::records::{Parts, group, split_with_parts, unsplit};

/// A program, and it with a variable for each field.
pub(crate) struct Split<'v> {
    original: &'v ValidProgram,
    pub(crate) program: ValidProgram,
    parts: Parts,
}

impl<'v> Split<'v> {
    /// The program without its records.
    pub(crate) fn of(original: &'v ValidProgram) -> Result<Self, Diagnostics> {
        let (program, parts) = split_with_parts(original)?;
        Ok(Self {
            original,
            program,
            parts,
        })
    }

    /// Problems of the split program at the statements of the original.
    pub(crate) fn placed(&self, problems: Diagnostics) -> Diagnostics {
        let moved = problems.0.into_iter();
        Diagnostics(moved.map(|p| unsplit(&self.program, p)).collect())
    }

    /// What was made from the split program with records again; `made` has pairs of routines and what was made from them,
    /// `derivatives` those of globals and their derivatives.
    pub(crate) fn grouped(
        &self,
        derived: &Program,
        made: &[(RoutineId, RoutineId)],
        derivatives: &[(GlobalId, GlobalId)],
    ) -> Result<(Program, Vec<(GlobalId, GlobalId)>), Diagnostics> {
        let grouped = group(self.original, &self.program, &self.parts, derived, made)?;
        let now = |g: GlobalId| grouped.globals.get(g.index()).copied().unwrap_or(g);
        let pairs = derivatives.iter().map(|&(g, d)| (now(g), now(d)));
        let mut pairs: Vec<(GlobalId, GlobalId)> = pairs.collect();
        // The fields of a record stand together.
        pairs.dedup();
        Ok((grouped.program, pairs))
    }
}
