//! The form in which a program is differentiated, and the options.

use cfg_core::elemental::Math;
use cfg_core::ir::{Program, Routine};
use cfg_core::memory::effects::Effects;
use cfg_core::recover;
use cfg_drive::Options;
use cfg_reverse::{Blocks, Inside, Overlap, Strong, Unstructured};
use cfg_testkit::case::Case;
use cfg_testkit::rng::Rng;

/// How control flow is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// As the generator made it.
    AsIs,
    /// As blocks and jumps, every vertex kept.
    Flat,
    /// As blocks and jumps, as few as possible.
    Dense,
}

/// The choices of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Setting {
    pub(crate) form: Form,
    blocks: usize,
    trace: bool,
    counters: bool,
    merge: bool,
    portable: bool,
    strong: bool,
}

/// Every combination; `counters` and `merge` do not matter to one another in all of them.
pub(crate) fn all() -> Vec<Setting> {
    let mut list = Vec::new();
    for form in [Form::AsIs, Form::Flat, Form::Dense] {
        for blocks in 0..4 {
            for trace in [false, true] {
                for counters in [false, true] {
                    for merge in [false, true] {
                        list.extend([false, true].map(|strong| Setting {
                            form,
                            blocks,
                            trace,
                            counters,
                            merge,
                            portable: merge != counters,
                            strong,
                        }));
                    }
                }
            }
        }
    }
    list
}

/// The setting of a seed.
pub(crate) fn drawn(seed: u64) -> Setting {
    let all = all();
    let mut rng = Rng::new(seed ^ 0x7365_7474_696e_6773);
    all[rng.below(all.len())]
}

fn each(program: &Program, change: impl Fn(&Routine) -> Routine) -> Program {
    let mut changed = program.clone();
    for routine in &mut changed.routines {
        *routine = change(routine);
    }
    changed
}

impl Setting {
    /// The case in this form.
    pub(crate) fn form(&self, case: &Case) -> Case {
        let program = &case.program;
        let program = match self.form {
            Form::AsIs => program.clone(),
            Form::Flat => each(program, |r| {
                recover::flatten(program, &Effects::summarise(program), r)
            }),
            Form::Dense => each(program, |r| {
                recover::flatten_dense(program, &Effects::summarise(program), r)
            }),
        };
        Case {
            program,
            ..case.clone()
        }
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            reversal: cfg_reverse::Options {
                tape_memory: None,
                restarts: false,
                values: false,
                counters: self.counters,
                // Markers do not interact with counters and merging.
                markers: self.counters && !self.merge,
                // Integers and operands are recorded in a quarter.
                indices: self.merge && self.counters,
                operands: self.merge && self.counters,
                prefer: match self.counters {
                    false => cfg_reverse::Prefer::Time,
                    true => cfg_reverse::Prefer::Memory,
                },
                order: match self.strong {
                    false => cfg_reverse::Order::Program,
                    true => cfg_reverse::Order::Reverse,
                },
                control_only: false,
                results: cfg_reverse::Results::Keep,
                overlap: match self.portable {
                    false => Overlap::None,
                    true => Overlap::Assume,
                },
                merge: self.merge,
                blocks: [
                    Blocks::Statement,
                    Blocks::Preaccumulate,
                    Blocks::Auto,
                    Blocks::Carry,
                ][self.blocks],
                work: 20_000,
                search: cfg_reverse::Search::DEFAULT,
                unstructured: match self.trace {
                    false => Unstructured::Structure,
                    true => Unstructured::Trace,
                },
                strong: match self.strong {
                    false => Strong::Needed,
                    true => Strong::Always,
                },
                // Global arrays are recorded by callers in one half, by callees in the other.
                inside: match self.strong != self.counters {
                    false => Inside::Pools,
                    true => Inside::Arrays,
                },
                // Half of what is merged is as if the routines were too large for a state for each vertex.
                flow_limit: match self.merge && self.counters {
                    false => cfg_core::dataflow::FLOW_LIMIT,
                    true => 0,
                },
            },
            math: match self.portable {
                false => Math::Native,
                true => Math::Portable,
            },
            trace: true,
            ..Options::default()
        }
    }
}
