//! The places where code jumps back. They are computed at compile time, so that a run can name the loops around a
//! position without having kept track of them.

use std::collections::BTreeMap;

use cfg_core::entity::VertexId;

/// Code that jumps back to one place: a LOOP, or a cycle of general control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// The LOOP; in general control flow the vertex to which the code jumps back.
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

/// The regions of jumps back, outer ones before inner ones, and the jumps by position.
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
