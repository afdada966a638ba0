//! The loops that were running when a limit stopped a run, and the passes that they had made.

use std::fmt::Write as _;

use cfg_core::entity::VertexId;

use super::{Activation, Machine};
use crate::code::{Code, Region};

/// A loop that was running.
struct Running {
    routine: usize,
    region: Region,
    times: Option<u64>,
}

/// The loops around the position of an activation, innermost first. In general control flow a cycle counts as running
/// after its first jump back, which only the counts show.
fn around(code: &Code, machine: &Machine, at: &Activation, found: &mut Vec<Running>) {
    let Some(position) = at.pc.checked_sub(1) else {
        return;
    };
    let position = position as u32;
    let end = code.regions.partition_point(|r| r.from <= position);
    for (k, region) in code.regions[..end].iter().enumerate().rev() {
        let counts = machine.passes.on;
        let times = counts.then(|| machine.passes.times(at.number, k as u32));
        if position < region.to && (code.nested || times.is_some_and(|n| n > 0)) {
            found.push(Running {
                routine: at.routine,
                region: *region,
                times,
            });
        }
    }
}

/// The words for the innermost running loop, and for the one around it with most passes, if it has more: `, in LOOP 5
/// of routine f after 2 passes, inside LOOP 3 of routine f after 1000 passes`. Empty if there is none.
pub(crate) fn running_loops(
    machine: &Machine,
    codes: &[Code],
    name: impl Fn(usize, VertexId) -> (String, i64),
) -> String {
    let mut found = Vec::new();
    let callers = machine.frames.iter().rev().map(|frame| &frame.at);
    for at in std::iter::once(&machine.now).chain(callers) {
        around(&codes[at.routine], machine, at, &mut found);
    }
    let mut text = String::new();
    let mut say = |running: &Running, word: &str| {
        let (routine, id) = name(running.routine, running.region.vertex);
        let many = |n: u64, plural: &'static str| if n == 1 { "" } else { plural };
        let _ = match (running.region.is_loop, running.times) {
            (true, None) => write!(text, ", {word} LOOP {id} of routine {routine}"),
            (true, Some(n)) => write!(
                text,
                ", {word} LOOP {id} of routine {routine} after {n} pass{}",
                many(n, "es")
            ),
            (false, None) => write!(text, ", {word} a cycle of routine {routine}"),
            (false, Some(n)) => write!(
                text,
                ", {word} a cycle of routine {routine} after {n} jump{} back to vertex {id}",
                many(n, "s")
            ),
        };
    };
    let Some((innermost, others)) = found.split_first() else {
        return text;
    };
    say(innermost, "in");
    // Of equal counts the inner loop is named.
    let most = others.iter().rev().max_by_key(|r| r.times.unwrap_or(0));
    if let Some(most) = most.filter(|m| m.times > innermost.times) {
        say(most, "inside");
    }
    text
}
