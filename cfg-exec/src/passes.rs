//! Which loops were running when a run was stopped at a limit, and how often they had been passed.
//!
//! Where the code jumps back is known when it is compiled ([`Back`], [`Region`]), so the loops around a position
//! cost a run nothing. How often is counted only if a run is repeated for the sake of the message.

use std::{collections::BTreeMap, fmt::Write as _};

use cfg_core::entity::VertexId;

use crate::{
    code::Code,
    machine::{Activation, Machine},
};

/// What jumps back to one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// The LOOP; in general control flow the vertex that is jumped back to.
    pub(crate) vertex: VertexId,
    pub(crate) is_loop: bool,
    /// First instruction, and the position after the last jump back.
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// A jump back: the position after it, its target, and its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Back {
    pub(crate) pc: u32,
    pub(crate) target: u32,
    pub(crate) region: u32,
}

/// The regions of jumps back, outer ones before those in them, and the jumps by position.
pub(crate) fn regions(
    jumps: &[(u32, u32, VertexId)],
    is_loop: impl Fn(VertexId) -> bool,
) -> (Vec<Region>, Vec<Back>) {
    let mut by_vertex: BTreeMap<VertexId, (u32, u32)> = BTreeMap::new();
    for &(pc, target, vertex) in jumps {
        let (from, to) = by_vertex.entry(vertex).or_insert((target, pc));
        (*from, *to) = ((*from).min(target), (*to).max(pc));
    }
    let mut regions: Vec<Region> = by_vertex
        .into_iter()
        .map(|(vertex, (from, to))| Region {
            vertex,
            is_loop: is_loop(vertex),
            from,
            to,
        })
        .collect();
    regions.sort_by_key(|r| (r.from, std::cmp::Reverse(r.to)));
    let numbered = regions.iter().enumerate();
    let number: BTreeMap<VertexId, u32> = numbered.map(|(k, r)| (r.vertex, k as u32)).collect();
    let mut backs: Vec<Back> = jumps
        .iter()
        .filter_map(|&(pc, target, vertex)| {
            let region = *number.get(&vertex)?;
            Some(Back { pc, target, region })
        })
        .collect();
    backs.sort_unstable();
    (regions, backs)
}

/// Jumps back to one region.
#[derive(Clone, Copy, Debug)]
struct Counted {
    activation: u64,
    region: u32,
    times: u64,
    /// The last jump: position and target.
    jump: (usize, usize),
}

/// Counts jumps back while a run is repeated: per activation and region, outer ones below inner ones. A jump back
/// forgets what lies behind its target, which is entered anew. So this takes no more than one entry for each
/// region around a running call.
#[derive(Debug, Default)]
pub(crate) struct Passes {
    pub(crate) on: bool,
    stack: Vec<Counted>,
}

impl Passes {
    /// Starts a run.
    pub(crate) fn start(&mut self, on: bool) {
        self.on = on;
        self.stack.clear();
    }

    /// A jump back is taken.
    pub(crate) fn back(&mut self, code: &Code, activation: u64, pc: usize, target: usize) {
        if let Some(last) = self.stack.last_mut()
            && last.activation == activation
            && last.jump == (pc, target)
        {
            last.times += 1;
            return;
        }
        let key = (pc as u32, target as u32);
        let at = code.backs.partition_point(|b| (b.pc, b.target) < key);
        let Some(back) = code.backs.get(at) else {
            return;
        };
        if (back.pc, back.target) != key {
            return;
        }
        let region = back.region;
        while let Some(last) = self.stack.last()
            && (last.activation, last.region) > (activation, region)
        {
            self.stack.pop();
        }
        match self.stack.last_mut() {
            Some(last) if (last.activation, last.region) == (activation, region) => {
                last.times += 1;
                last.jump = (pc, target);
            }
            _ => self.stack.push(Counted {
                activation,
                region,
                times: 1,
                jump: (pc, target),
            }),
        }
    }

    /// An activation ends.
    pub(crate) fn leave(&mut self, activation: u64) {
        while self.stack.pop_if(|c| c.activation >= activation).is_some() {}
    }

    /// How often an activation has jumped back to a region.
    fn times(&self, activation: u64, region: u32) -> u64 {
        let key = (activation, region);
        let found = self
            .stack
            .binary_search_by_key(&key, |c| (c.activation, c.region));
        found.map_or(0, |at| self.stack[at].times)
    }
}

/// A loop that was running.
struct Running {
    routine: usize,
    region: Region,
    times: Option<u64>,
}

/// The loops around the position of an activation, the innermost first. Where control flow is general, only counts
/// tell whether a jump back has been made.
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

/// The innermost loop that is running, and among those around it the one with most passes, if it has more:
/// `, in LOOP 5 of routine f after 2 passes, inside LOOP 3 of routine f after 1000 passes`. Empty if there is none.
pub(crate) fn describe(
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
    // The first of equal ones is the inner one.
    let most = others.iter().rev().max_by_key(|r| r.times.unwrap_or(0));
    if let Some(most) = most.filter(|m| m.times > innermost.times) {
        say(most, "inside");
    }
    text
}
