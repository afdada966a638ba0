//! The regions of a structured graph that may be carried.
//!
//! A region is a run of siblings in the nesting: loops, branches, blocks. Outer loops and branches are tried first. A
//! region begins as one loop or branch and takes in its neighbours, one by one on either side, as long as the number of
//! its Jacobian's entries does not grow: the block in front often computes all inputs from fewer values, and the block
//! behind all outputs to fewer.

use cfg_analysis::liveness::Liveness;
use cfg_core::{
    dataflow::solve_within,
    entity::{EdgeId, VertexId},
    ir::{Cfg, VertexKind},
    structure::Structure,
};

use crate::{
    blocks::carried::{live::Live, scan::scan},
    plan::{carried::Region, draft::Draft, shape::Shape},
    prepare::context::Context,
};

/// Most vertices of a region.
const MOST_VERTICES: usize = 64;

/// Most neighbours that a region takes in.
const MOST_NEIGHBOURS: usize = 4;

/// A run of siblings, from its first vertex to its last: for a loop, its LOOP.
#[derive(Clone, Copy)]
struct Run {
    first: VertexId,
    last: VertexId,
}

/// Finds the regions of a routine, none inside of another one.
pub(crate) fn find(context: &Context, draft: &Draft<'_>) -> Vec<Region> {
    let Shape::Structured(structure) = draft.shape else {
        return Vec::new();
    };
    let mut found: Vec<Region> = Vec::new();
    let mut live = None;
    // The positions before which no region may begin.
    let mut behind = 0;
    for &v in &structure.order {
        let is_header = matches!(
            draft.cfg.vertex(v).kind,
            VertexKind::Loop { .. } | VertexKind::Branch(_)
        );
        if !is_header || structure.position[v.index()] < behind {
            continue;
        }
        let live = live.get_or_insert_with(|| {
            let routine = context.program.routine(draft.id);
            let analysis = Liveness::new(&context.program, &context.summary.effects, routine);
            let solution = solve_within(draft.cfg, &analysis, context.flow_limit);
            Live { analysis, solution }
        });
        if let Some(region) = grown(context, draft, structure, live, v, behind) {
            let last = region
                .vertices
                .last()
                .map_or(0, |v| structure.position[v.index()]);
            behind = last + 1;
            found.push(region);
        }
    }
    found
}

/// The best region around a loop or branch; it begins at a position of at least `behind`.
fn grown(
    context: &Context,
    draft: &Draft<'_>,
    structure: &Structure,
    live: &Live<'_>,
    header: VertexId,
    behind: u32,
) -> Option<Region> {
    let last = match draft.cfg.vertex(header).kind {
        VertexKind::Loop { .. } => header,
        VertexKind::Entry
        | VertexKind::Exit
        | VertexKind::Block(_)
        | VertexKind::EndLoop
        | VertexKind::Branch(_)
        | VertexKind::EndBranch => structure.partner(header)?,
    };
    let read = |run: Run| {
        let region = cut(draft.cfg, structure, run)?;
        let first = region.0.first()?;
        (structure.position[first.index()] >= behind)
            .then(|| scan(context, draft, live, region))
            .flatten()
    };
    let mut run = Run {
        first: header,
        last,
    };
    let mut best = read(run);
    for _ in 0..MOST_NEIGHBOURS {
        let mut is_grown = false;
        for is_left in [true, false] {
            let wider = match is_left {
                true => before(draft.cfg, structure, run.first).map(|first| Run { first, ..run }),
                false => after(draft.cfg, structure, run.last).map(|last| Run { last, ..run }),
            };
            let Some(wider) = wider else { continue };
            let Some(region) = read(wider) else { continue };
            if best
                .as_ref()
                .is_none_or(|best| region.entries() <= best.entries())
            {
                (run, best, is_grown) = (wider, Some(region), true);
            }
        }
        if !is_grown {
            break;
        }
    }
    best
}

/// The edge into a run.
fn entry(cfg: &Cfg, structure: &Structure, first: VertexId) -> Option<EdgeId> {
    let mut edges = cfg.in_edges(first).iter().copied();
    edges.find(|&e| !structure.kind(e).loop_back)
}

/// The edge out of a run.
fn exit(cfg: &Cfg, structure: &Structure, last: VertexId) -> Option<EdgeId> {
    let mut edges = cfg.out_edges(last).iter().copied();
    edges.find(|&e| !structure.kind(e).loop_body)
}

/// The first vertex of the sibling in front.
fn before(cfg: &Cfg, structure: &Structure, first: VertexId) -> Option<VertexId> {
    let e = entry(cfg, structure, first)?;
    let v = cfg.edge(e).from;
    match &cfg.vertex(v).kind {
        VertexKind::Block(_) => Some(v),
        VertexKind::EndBranch => structure.partner(v),
        VertexKind::Loop { .. } => structure.kind(e).loop_exit.then_some(v),
        VertexKind::Entry | VertexKind::Exit | VertexKind::EndLoop | VertexKind::Branch(_) => None,
    }
}

/// The last vertex of the sibling behind.
fn after(cfg: &Cfg, structure: &Structure, last: VertexId) -> Option<VertexId> {
    let v = cfg.edge(exit(cfg, structure, last)?).to;
    match &cfg.vertex(v).kind {
        VertexKind::Block(_) | VertexKind::Loop { .. } => Some(v),
        VertexKind::Branch(_) => structure.partner(v),
        VertexKind::Entry | VertexKind::Exit | VertexKind::EndLoop | VertexKind::EndBranch => None,
    }
}

/// The vertices of a run, with the edges into it and out of it; none if there are too many vertices, or further edges.
fn cut(cfg: &Cfg, structure: &Structure, run: Run) -> Option<(Vec<VertexId>, EdgeId, EdgeId)> {
    let end = match cfg.vertex(run.last).kind {
        VertexKind::Loop { .. } => structure.partner(run.last)?,
        VertexKind::Entry
        | VertexKind::Exit
        | VertexKind::Block(_)
        | VertexKind::EndLoop
        | VertexKind::Branch(_)
        | VertexKind::EndBranch => run.last,
    };
    let position = |v: VertexId| structure.position[v.index()] as usize;
    let (start, end) = (position(run.first), position(end));
    if start > end || end - start >= MOST_VERTICES {
        return None;
    }
    let vertices = structure.order.get(start..=end)?.to_vec();
    let (entry, exit) = (
        entry(cfg, structure, run.first)?,
        exit(cfg, structure, run.last)?,
    );
    let is_inside = |v: VertexId| (start..=end).contains(&position(v));
    let is_closed = vertices.iter().all(|&v| {
        let into = cfg.in_edges(v).iter();
        let out = cfg.out_edges(v).iter();
        into.copied()
            .all(|e| e == entry || is_inside(cfg.edge(e).from))
            && out.copied().all(|e| e == exit || is_inside(cfg.edge(e).to))
    });
    is_closed.then_some((vertices, entry, exit))
}
