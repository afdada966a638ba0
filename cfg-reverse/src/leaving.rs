//! Edges that leave many loops at once, where the blocks on them would be more than the graph has.
//!
//! An edge that leaves several loops with a count records each of their counts, on blocks of its own. Where
//! many edges do that in a deep nest, all of them go through one chain instead, which has one *way out* per
//! loop:
//!
//! ```text
//! forward    i , way := e , marker , way out of l1 , marker , way out of l2 ... , enter(e)... , j
//!   way out  push(ctr); a BRANCH on the way: edges that leave no more loops, or the way out of the next loop
//!   marker   which edge, or which loop inside, comes to this way out
//!
//! adjoint    way in of the outermost loop that e leaves: pop(ctr), the marker; where the loop's first pass
//!            begins; the FORLOOP. Its first pass leads to the way in of the loop inside.
//! ```
//!
//! So the graphs are linear in the original. It costs a marker per loop that is left, which is why other
//! graphs keep blocks on each edge.

use cfg_core::{
    entity::{EdgeId, VertexId},
    graph::loops::LoopId,
    ir::{Arm, CaseRange, Cfg, Expr, OriginRole, Selector, VertexKind},
};

use crate::{
    control_general::{AdjointCode, Draw, End, ForwardCode, choice},
    general::{Counted, General, Point},
};

/// What one loop is left by, of edges that leave others as well.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    /// Edges from vertices that are in no loop with a count inside this one.
    pub(crate) edges: Vec<EdgeId>,
    /// Loops inside that are left at the same time.
    pub(crate) inside: Vec<LoopId>,
    /// Edges that leave this loop last.
    ends: Vec<EdgeId>,
    /// The loop around, if it is left at the same time, and the place among the loops inside that one.
    on: Option<(LoopId, usize)>,
}

impl Way {
    fn markers(&self) -> usize {
        self.edges.len() + self.inside.len()
    }
}

/// How edges leave several loops together.
#[derive(Clone, Debug)]
pub(crate) struct Leaving {
    /// By loop.
    pub(crate) ways: Vec<Option<Way>>,
    /// By edge that takes these ways.
    shared: Vec<Option<Shared>>,
    /// How many there are.
    count: i64,
}

#[derive(Clone, Copy, Debug)]
struct Shared {
    number: i64,
    /// The place among the edges of the loop that it leaves first.
    place: usize,
    /// The loop that it leaves last.
    last: LoopId,
}

impl Leaving {
    /// The ways, if blocks on each edge would be more than vertices and edges.
    pub(crate) fn of(cfg: &Cfg, general: &General) -> Option<Self> {
        let forest = &general.forest;
        let around = |l: LoopId| {
            let parent = forest.get(l).parent;
            parent.and_then(|p| general.counted_around[p.index()])
        };
        // Number of loops with a count around each one, itself included.
        let mut depth = vec![0usize; forest.len()];
        for l in forest.loops() {
            if general.counted(l).is_some() {
                depth[l.index()] = 1 + around(l).map_or(0, |p| depth[p.index()]);
            }
        }
        let mut far = Vec::new();
        let mut blocks = 0;
        for (e, edge) in cfg.edges() {
            let (from, to) = (edge.from.index(), edge.to.index());
            if !general.is_live(cfg, e) {
                continue;
            }
            let inner = general.innermost(edge.from);
            let (Some(inner), Some(outer)) = (inner, forest.outermost_left(from, to)) else {
                continue;
            };
            let kept = around(outer).map_or(0, |p| depth[p.index()]);
            let left = depth[inner.index()].saturating_sub(kept);
            if left > 1 {
                blocks += left;
                far.push((e, inner, outer, kept));
            }
        }
        if blocks <= cfg.vertex_count() + cfg.edge_count() {
            return None;
        }
        let mut ways: Vec<Option<Way>> = vec![None; forest.len()];
        let mut lowest = depth.clone();
        let mut shared = vec![None; cfg.edge_count()];
        let mut count = 0;
        for (e, inner, outer, kept) in far {
            let mut last = outer;
            if general.counted(outer).is_none() {
                // The outermost loop is irreducible: the one with a count that is just inside.
                last = inner;
                while let Some(p) = around(last).filter(|p| depth[p.index()] > kept) {
                    last = p;
                }
            }
            let edges = &mut ways[inner.index()].get_or_insert_default().edges;
            shared[e.index()] = Some(Shared {
                number: count,
                place: edges.len(),
                last,
            });
            edges.push(e);
            count += 1;
            lowest[inner.index()] = lowest[inner.index()].min(kept);
            ways[last.index()].get_or_insert_default().ends.push(e);
        }
        for l in forest.loops().rev() {
            let low = lowest[l.index()];
            if let Some(p) = around(l)
                && low < depth[p.index()]
                && ways[l.index()].is_some()
            {
                let place = ways[p.index()].as_ref().map_or(0, |w| w.inside.len());
                if let Some(way) = &mut ways[l.index()] {
                    way.on = Some((p, place));
                }
                ways[p.index()].get_or_insert_default().inside.push(l);
                lowest[p.index()] = lowest[p.index()].min(low);
            }
        }
        Some(Self {
            ways,
            shared,
            count,
        })
    }

    /// True of an edge that takes the ways out.
    pub(crate) fn is_shared(&self, e: EdgeId) -> bool {
        self.shared[e.index()].is_some()
    }

    /// The loop that such an edge leaves last.
    pub(crate) fn last(&self, e: EdgeId) -> Option<LoopId> {
        self.shared[e.index()].map(|s| s.last)
    }

    fn each(&self) -> impl Iterator<Item = (usize, &Way)> {
        let ways = self.ways.iter().enumerate();
        ways.filter_map(|(l, way)| Some((l, way.as_ref()?)))
    }
}

/// Draws the ways out. Returns where edges come to them, and the ends from which they go on to their
/// targets, by edge.
pub(crate) fn ways_out(
    cfg: &Cfg,
    general: &General,
    leaving: &Leaving,
    draw: &mut Draw,
    code: &mut impl ForwardCode,
) -> (Vec<Option<usize>>, Vec<Option<End>>) {
    let id = |this: &Counted| cfg.vertex(this.header).id;
    let mut out = vec![None; leaving.ways.len()];
    for (l, _) in leaving.each() {
        if let Some(this) = &general.loops[l] {
            let block = VertexKind::Block(code.leave(this.header, true));
            out[l] = Some(draw.vertex(0, block, OriginRole::CounterPush, id(this)));
        }
    }
    let mut from: Vec<Option<End>> = Vec::new();
    from.resize_with(cfg.edge_count(), || None);
    for (l, way) in leaving.each() {
        let (Some(this), Some(block)) = (&general.loops[l], out[l]) else {
            continue;
        };
        let ways = way.ends.len() + usize::from(way.on.is_some());
        let mut at = block;
        if ways > 1 {
            let numbers = way.ends.iter().filter_map(|&e| leaving.shared[e.index()]);
            let on = way.on.map(|_| leaving.count);
            let kind = by_number(code.way(), numbers.map(|s| s.number), on);
            at = draw.vertex(0, kind, OriginRole::Dispatch, id(this));
            draw.edge(block, at, None);
        }
        for &e in &way.ends {
            let number = leaving.shared[e.index()].map(|s| s.number);
            from[e.index()] = Some(End::new(at, number.filter(|_| ways > 1)));
        }
        if let Some((on, place)) = way.on
            && let (Some(next), Some(next_way)) = (out[on.index()], &leaving.ways[on.index()])
        {
            let mut end = End::new(at, Some(leaving.count).filter(|_| ways > 1));
            let ordinal = next_way.edges.len() + place;
            mark(draw, code, &mut end, ordinal, next_way.markers(), id(this));
            end.go(draw, next);
        }
    }
    (out, from)
}

/// From the source of an edge to the way out that it takes.
pub(crate) fn to_way_out(
    general: &General,
    leaving: &Leaving,
    draw: &mut Draw,
    code: &mut impl ForwardCode,
    mut end: End,
    (e, from): (EdgeId, VertexId),
    (out, id): (&[Option<usize>], i64),
) {
    let (Some(inner), Some(shared)) = (general.innermost(from), leaving.shared[e.index()]) else {
        return;
    };
    let (Some(way), Some(to)) = (&leaving.ways[inner.index()], out[inner.index()]) else {
        return;
    };
    let set = code.set_way(shared.number);
    end.insert(draw, OriginRole::ExitSet, id, set);
    mark(draw, code, &mut end, shared.place, way.markers(), id);
    end.go(draw, to);
}

fn mark(
    draw: &mut Draw,
    code: &mut impl ForwardCode,
    end: &mut End,
    ordinal: usize,
    ways: usize,
    id: i64,
) {
    if ways > 1 {
        let marker = code.marker(ordinal, ways);
        end.insert(draw, OriginRole::MarkerPush, id, marker);
    }
}

/// A BRANCH on numbers, which are its labels; others go the last way.
fn by_number(value: Expr, numbers: impl Iterator<Item = i64>, others: Option<i64>) -> VertexKind {
    let arm = |k: i64| Arm {
        label: k,
        cases: Box::new([CaseRange {
            lower: Some(k),
            upper: Some(k),
        }]),
        default: false,
    };
    let others = others.map(|label| Arm {
        label,
        cases: Box::new([]),
        default: true,
    });
    VertexKind::Branch(Box::new(Selector::Cases {
        value,
        arms: numbers.map(arm).chain(others).collect(),
    }))
}

/// Draws the ways in, up to the FORLOOPs; `arrive` takes the ends that lead there. Returns where each begins.
pub(crate) fn ways_in(
    cfg: &Cfg,
    general: &General,
    leaving: &Leaving,
    draw: &mut Draw,
    code: &mut impl AdjointCode,
    arrive: &mut impl FnMut(End, LoopId),
) -> Vec<Option<usize>> {
    let mut begin = vec![None; leaving.ways.len()];
    for l in general.forest.loops() {
        let (Some(this), Some(way)) = (general.counted(l), &leaving.ways[l.index()]) else {
            continue;
        };
        let header = this.header;
        let id = cfg.vertex(header).id;
        let pop = VertexKind::Block(code.leave(header, true, true, false));
        let pop = draw.vertex(0, pop, OriginRole::BoundPop, id);
        begin[l.index()] = Some(pop);
        let edges = way
            .edges
            .iter()
            .map(|&e| match this.normal_exit == Some(e) {
                true => None,
                false => Some(Point::Vertex(cfg.edge(e).from)),
            });
        let inside = way.inside.iter().map(|&c| Some(Point::Loop(c)));
        let mut at = End::new(pop, None);
        let ways = way.markers();
        let mut branch = None;
        if ways > 1 {
            let marker = code.pop_marker(ways);
            at.insert(draw, OriginRole::MarkerPop, id, marker);
            let kind = choice(code.marker(), ways);
            let vertex = draw.vertex(0, kind, OriginRole::MarkerBranch, id);
            at.go(draw, vertex);
            branch = Some(vertex);
        }
        for (k, point) in edges.chain(inside).enumerate() {
            let mut end = match branch {
                Some(branch) => End::new(branch, Some(k as i64)),
                None => End::new(pop, None),
            };
            let mut set = match point {
                Some(_) if this.is_loop => code.add_pass(header),
                _ => Vec::new(),
            };
            if !this.points.is_empty() {
                set.extend(code.set_point(header, point.map_or(0, |p| this.number(p))));
            }
            end.insert(draw, OriginRole::BoundPop, id, set);
            arrive(end, l);
        }
    }
    begin
}
