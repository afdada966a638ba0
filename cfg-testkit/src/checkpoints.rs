//! Random checkpoints in random programs.

use crate::{case::Case, rng::Rng};
use cfg_core::ir::{Cfg, Checkpoint, LoopForm, StmtKind, VertexKind};
use std::num::NonZeroU32;

/// The case with checkpoints at some loops and blocks of its routines.
pub fn with_checkpoints(case: &Case, seed: u64) -> Case {
    let mut case = case.clone();
    let mut rng = Rng::new(seed);
    for routine in &mut case.program.routines {
        for vertex in routine.body.iter_mut().flat_map(Cfg::vertices_mut) {
            let drawn = rng.below(6);
            vertex.checkpoint = match &vertex.kind {
                VertexKind::Loop {
                    form: LoopForm::Loop,
                    ..
                } if drawn < 4 => Some(match drawn {
                    0 => Checkpoint::Each,
                    n => Checkpoint::Snapshots {
                        memory: NonZeroU32::new(n as u32).expect("it is not 0"),
                        disk: rng.below(3) as u32,
                    },
                }),
                // Behind a call nothing shows that the program has stopped.
                VertexKind::Block(statements)
                    if drawn == 0
                        && !(statements.iter())
                            .any(|s| matches!(s.kind, StmtKind::Stop { .. })) =>
                {
                    Some(Checkpoint::Each)
                }
                _ => None,
            };
        }
    }
    case
}
