//! The tapes of which a function keeps a copy of where the stacks end while it runs. Compilers keep a copy in
//! registers, also in loops that push and store; but each call that takes the tape gets it back first. So a function
//! has a copy only of tapes that it uses in a loop without such a call, and of those that it pushes arrays to.

use super::file::File;
use cfg_core::{
    entity::{VarId, VertexId},
    flat::FlatStmt,
    graph::loops::{LoopForest, LoopId},
    ir::{Expr, Routine},
    typing::type_of,
};
use cfg_transform::lower::place_rank;
use std::collections::{BTreeSet, HashSet};

/// The tapes of a routine that are copied.
pub(super) fn copied_tops(file: &File<'_>, routine: &Routine) -> BTreeSet<VarId> {
    let mut copied = BTreeSet::new();
    let mut used: Vec<(VertexId, VarId)> = Vec::new();
    let mut passed: Vec<(VertexId, VarId)> = Vec::new();
    let vertices = routine.body.iter().flat_map(|cfg| cfg.vertices());
    for (v, statement) in vertices.flat_map(|(v, of)| of.statements().iter().map(move |s| (v, s))) {
        match FlatStmt::view(&statement.kind) {
            FlatStmt::Push { tape, value, .. } => {
                used.push((v, tape));
                if type_of(&routine.variables, value).is_ok_and(|of| of.rank > 0) {
                    copied.insert(tape);
                }
            }
            FlatStmt::Pop { tape, target, .. } => {
                used.push((v, tape));
                if place_rank(&routine.variables, target) > 0 {
                    copied.insert(tape);
                }
            }
            FlatStmt::Call {
                callee, arguments, ..
            } => {
                let theirs = file.program.routine(callee).parameter_ids();
                for (e, p) in arguments.iter().zip(theirs) {
                    if let (Some(Expr::Place(place)), true) = (e, file.uses_tape(callee, p)) {
                        passed.push((v, place.var));
                    }
                }
            }
            FlatStmt::Assign { .. } | FlatStmt::Opaque { .. } | FlatStmt::Stop { .. } => {}
        }
    }
    let Some(cfg) = routine.body.as_ref().filter(|_| !used.is_empty()) else {
        return copied;
    };
    let forest = LoopForest::new(cfg, cfg.entry().map_or(0, VertexId::index));
    let mut with_call: HashSet<(LoopId, VarId)> = HashSet::new();
    for (v, tape) in passed {
        let mut around = forest.around(v.index());
        while around.next().is_some_and(|l| with_call.insert((l, tape))) {}
    }
    copied.extend(used.into_iter().filter_map(|(v, tape)| {
        let innermost = forest.innermost(v.index())?;
        (!with_call.contains(&(innermost, tape))).then_some(tape)
    }));
    copied
}
