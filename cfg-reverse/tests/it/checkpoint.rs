//! Parts that run again from states that are kept: random programs with checkpoints against operator overloading, and the
//! numbers of steps and states against the formula of binomial checkpointing.

use crate::adjoint::agrees_in_any_order;
use cfg_core::ir::{Cfg, Checkpoint, LoopForm, VertexKind};
use cfg_reverse::{Inside, Options};
use cfg_testkit::{case::Case, generate::Options as Generate, property, rng::Rng};
use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering},
};

/// The case with checkpoints at some loops and blocks of its routines.
fn with_checkpoints(case: &Case, seed: u64) -> Case {
    let mut case = case.clone();
    let mut rng = Rng::new(seed);
    for routine in &mut case.program.routines {
        for vertex in routine.body.iter_mut().flat_map(Cfg::vertices_mut) {
            let drawn = rng.below(6);
            vertex.checkpoint = match &vertex.kind {
                VertexKind::Loop { form: LoopForm::Loop, .. } if drawn < 4 => Some(match drawn {
                    0 => Checkpoint::Each,
                    n => Checkpoint::Snapshots(NonZeroU32::new(n as u32).expect("it is not 0")),
                }),
                VertexKind::Block(_) if drawn == 0 => Some(Checkpoint::Each),
                _ => None,
            };
        }
    }
    case
}

fn options(seed: u64) -> Options {
    Options {
        inside: [Inside::Pools, Inside::Arrays, Inside::Nothing][seed as usize % 3],
        merge: seed % 5 == 0,
        ..Options::default()
    }
}

fn check(programs: &Generate, first: u64, tolerance: f64) {
    let [made, refused] = [AtomicU64::new(0), AtomicU64::new(0)];
    property::check_numbered(programs, first..first + 1000, |seed, case| {
        let case = with_checkpoints(case, seed);
        match agrees_in_any_order(&case, &options(seed), tolerance) {
            // Parts with jumps out of them, and states that cannot be kept.
            Err(message) if ["M505", "M502", "R314"].iter().any(|code| message.contains(code)) => {
                refused.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Err(message) if message.starts_with("undefined") => Ok(()),
            found => {
                made.fetch_add(1, Ordering::Relaxed);
                found.map_err(|message| format!("{message}\n{}", case.program))
            }
        }
    });
    let [made, refused] = [made, refused].map(AtomicU64::into_inner);
    assert!(made > refused, "{made} programs with an adjoint, {refused} without");
}

#[test]
fn exact_programs() {
    check(&Generate::EXACT, 130_000, 0.0);
}

#[test]
fn programs_of_all_kinds() {
    let programs = Generate {
        global_lists: 0,
        tapes: 0,
        main_optionals: 0,
        ..Generate::WIDE_SMOOTH
    };
    check(&programs, 131_000, 1e-8);
}
