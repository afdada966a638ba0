//! The region tree of a structured graph: the loop bodies and arms around each vertex.
//!
//! A region is the routine itself, the body of a loop, or one arm of a branch. In Algorithm 1's order
//! the vertices of a region stand together, so a region is a range of that order.
//!
//! ```
//! use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
//! use cfg_core::{ir::ScalarType::Integer, structure::{RegionKind, RegionTree}};
//!
//! let mut f = RoutineBuilder::new("f");
//! let i = f.local("i", Integer);
//! f.for_loop(i, 1, 10, |f| f.if_then(lt(i, 5), |f| f.block()));
//! let mut p = ProgramBuilder::new();
//! let f = p.add(f);
//! let p = p.finish()?;
//! let (Some(cfg), Some(structure)) = (&p.routine(f).body, p.structure(f)) else { return Ok(()) };
//! let tree = RegionTree::build(cfg, structure);
//! let kinds: Vec<_> = tree.regions().map(|r| tree.region(r).depth).collect();
//! assert_eq!(kinds, [0, 1, 2, 2]); // routine, loop body, two empty arms
//! # Ok::<(), cfg_core::diagnostic::Diagnostics>(())
//! ```

use super::Structure;
use crate::{
    entity::{EdgeId, VertexId},
    ir::Cfg,
};
use std::ops::Range;

/// A region of a [`RegionTree`]; numbered so that a region comes after the one around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegionId(u32);

impl RegionId {
    /// The routine itself.
    pub const ROOT: Self = Self(0);

    /// Position among the regions.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a region: the whole routine, a loop body or an arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegionKind {
    /// The routine, from ENTRY to EXIT.
    Routine,
    /// The body of the loop with this header.
    LoopBody(VertexId),
    /// An arm of the branch with this header.
    Arm {
        /// The BRANCH that has the arm.
        header: VertexId,
        /// The out-edge that starts the arm.
        edge: EdgeId,
        /// The label of the out-edge that starts the arm.
        label: Option<i64>,
    },
}

impl RegionKind {
    /// The LOOP or BRANCH.
    pub fn header(self) -> Option<VertexId> {
        match self {
            Self::Routine => None,
            Self::LoopBody(header) | Self::Arm { header, .. } => Some(header),
        }
    }
}

/// One region of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The part of the routine that the region is.
    pub kind: RegionKind,
    /// The region around it; `None` for the routine.
    pub parent: Option<RegionId>,
    /// The number of regions around this one.
    pub depth: u32,
    /// The positions of its vertices in [`Structure::order`], those of inner regions included. Empty for an empty body
    /// or arm.
    pub range: Range<usize>,
}

/// The regions of a graph. Headers and ends belong to the region outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionTree {
    regions: Vec<Region>,
    /// The innermost region of each vertex.
    of_vertex: Vec<RegionId>,
}

impl RegionTree {
    /// The regions of a graph with this structure; O(vertices + edges).
    pub fn build(cfg: &Cfg, structure: &Structure) -> Self {
        let n = cfg.vertex_count();
        let mut tree = Self {
            regions: vec![Region {
                kind: RegionKind::Routine,
                parent: None,
                depth: 0,
                range: 0..structure.order.len(),
            }],
            of_vertex: vec![RegionId::ROOT; n],
        };
        let mut current = RegionId::ROOT;
        // The region outside of each open loop or branch; for a branch also the number of its first arm.
        let mut open: Vec<(RegionId, usize)> = Vec::new();
        for (at, &v) in structure.order.iter().enumerate() {
            let Some(partner) = structure.partner(v) else {
                current = tree.enter_arm(cfg, structure, v, current, &open);
                tree.of_vertex[v.index()] = current;
                continue;
            };
            let end = structure.position[partner.index()] as usize;
            if end < at {
                // An end: back to the region outside.
                if let Some((outside, _)) = open.pop() {
                    current = outside;
                }
                tree.of_vertex[v.index()] = current;
                continue;
            }
            current = tree.enter_arm(cfg, structure, v, current, &open);
            tree.of_vertex[v.index()] = current;
            open.push((current, tree.regions.len()));
            let depth = tree.regions[current.index()].depth + 1;
            let parent = Some(current);
            let edges = cfg.out_edges(v);
            let is_loop = edges.iter().any(|&e| structure.kind(e).loop_body);
            if is_loop {
                current = tree.push(RegionKind::LoopBody(v), parent, depth, at + 1..end);
                continue;
            }
            // Arms stand one after the other; each begins where its first vertex stands.
            let begins: Vec<usize> = edges
                .iter()
                .map(|&e| structure.position[cfg.edge(e).to.index()] as usize)
                .collect();
            let mut stop = end;
            let mut ranges = vec![end..end; edges.len()];
            for (range, &begin) in ranges.iter_mut().zip(&begins).rev() {
                if begin != end {
                    *range = begin..stop;
                    stop = begin;
                } else {
                    *range = stop..stop;
                }
            }
            for (&edge, range) in edges.iter().zip(ranges) {
                let label = cfg.edge(edge).label;
                let kind = RegionKind::Arm {
                    header: v,
                    edge,
                    label,
                };
                tree.push(kind, parent, depth, range);
            }
        }
        tree
    }

    fn push(
        &mut self,
        kind: RegionKind,
        parent: Option<RegionId>,
        depth: u32,
        range: Range<usize>,
    ) -> RegionId {
        self.regions.push(Region {
            kind,
            parent,
            depth,
            range,
        });
        RegionId(self.regions.len() as u32 - 1)
    }

    /// The arm that begins with `v`, or the current region.
    fn enter_arm(
        &self,
        cfg: &Cfg,
        structure: &Structure,
        v: VertexId,
        current: RegionId,
        open: &[(RegionId, usize)],
    ) -> RegionId {
        let Some(&(_, first)) = open.last() else {
            return current;
        };
        let Some(header) = structure.parent[v.index()] else {
            return current;
        };
        let starts = |&e: &EdgeId| cfg.edge(e).from == header && !structure.kind(e).loop_body;
        let Some(edge) = cfg.in_edges(v).iter().find(|e| starts(e)) else {
            return current;
        };
        // Out-edges are in ascending order.
        let arm = cfg.out_edges(header).binary_search(edge);
        arm.map_or(current, |arm| RegionId((first + arm) as u32))
    }

    /// All regions, outer ones before inner ones.
    pub fn regions(&self) -> impl ExactSizeIterator<Item = RegionId> + use<> {
        (0..self.regions.len() as u32).map(RegionId)
    }

    /// The region of a given id.
    pub fn region(&self, r: RegionId) -> &Region {
        &self.regions[r.index()]
    }

    /// The innermost region that a vertex is in.
    pub fn region_of(&self, v: VertexId) -> RegionId {
        self.of_vertex[v.index()]
    }

    /// The regions around a vertex, innermost first; the routine is the last.
    pub fn around(&self, v: VertexId) -> impl Iterator<Item = RegionId> {
        let first = Some(self.region_of(v));
        std::iter::successors(first, |&r| self.region(r).parent)
    }

    /// The innermost loop around a vertex.
    pub fn innermost_loop(&self, v: VertexId) -> Option<VertexId> {
        self.around(v).find_map(|r| match self.region(r).kind {
            RegionKind::LoopBody(header) => Some(header),
            RegionKind::Routine | RegionKind::Arm { .. } => None,
        })
    }

    /// The vertices of a region that are in no inner region, in order. Headers and ends of inner loops and branches
    /// are among them.
    pub fn direct<'a>(
        &'a self,
        structure: &'a Structure,
        r: RegionId,
    ) -> impl Iterator<Item = VertexId> + 'a {
        let range = self.region(r).range.clone();
        let mut at = range.start;
        std::iter::from_fn(move || {
            let v = *structure.order.get(at).filter(|_| at < range.end)?;
            let end = structure
                .partner(v)
                .map(|p| structure.position[p.index()] as usize);
            at = match end {
                Some(end) if end > at => end,
                _ => at + 1,
            };
            Some(v)
        })
    }
}
